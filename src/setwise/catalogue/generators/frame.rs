// A generator of legal chess moves, with perft and a little of UCI, in one file. Written by setwise {version}.
//
//     rustc -C opt-level=3 -C target-cpu=native generator.rs
//     ./generator test             count the positions of a suite
//     ./generator perft 6          count leaves; a FEN may follow
//     ./generator divide 5         count leaves below each move; a FEN may follow
//     ./generator                  speak UCI: position, go perft, go (it plays the first legal move)
//
// A set of squares is a word of 64 bits: a1 = bit 0, h1 = bit 7, h8 = bit 63. A board is always seen from the side to
// move, whose pieces play up the board: after a move the board is mirrored, and no rule is written for Black.
//
// A position is legal or not without trying: `legality` finds the pins, the squares that end a check, and the squares
// that our king may not enter, by rays from our king and from the enemy's sliders. `generate` lists the moves within
// these limits, `legal_move_count` counts them without a list: it has no branches, so that a compiler counts eight
// boards at once where registers have 512 bits, four where they have 256.

use std::io::{BufRead, Write};

// ----------------------------------------------------------------------------- constants, tables, and named tuples

{declarations}

// ---------------------------------------------------------------------------------------------- the rules of chess

{functions}

// ----------------------------------------------------------------------------- positions as text, moves as text

#[derive(Clone, Copy)]
struct Position {
    board: Board, // from the side to move
    white: bool,  // who that is
    chess960: bool,
}

// No position of a game has more moves; the generator writes up to three items more.
const MOST_MOVES: usize = 424;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

// The rook that a letter of the castling rights means: the outermost one on its side, or the one on a file.
fn castling_rook(board: &Board, letter: u8) -> u64 {
    let (home, own) = if letter.is_ascii_uppercase() { (RANK_1, board.own) } else { (RANK_8, board.enemy) };
    let king = board.kings & home & own;
    let rooks = board.rooks & home & own;
    let below = king.wrapping_sub(1);
    if king == 0 {
        return 0;
    }
    match letter.to_ascii_lowercase() {
        b'q' => (rooks & below) & (rooks & below).wrapping_neg(),
        b'k' if rooks & !(king | below) != 0 => 1 << (63 - (rooks & !(king | below)).leading_zeros()),
        file @ b'a'..=b'h' => rooks & (0x0101_0101_0101_0101 << (file - b'a')),
        _ => 0,
    }
}

// Read a FEN; None if it is none, or no position of a game.
fn read_fen(text: &str) -> Option<Position> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() < 4 {
        return None;
    }
    let mut board = Board {
        own: 0, enemy: 0, pawns: 0, knights: 0, bishops: 0, rooks: 0, queens: 0, kings: 0, castling: 0, en_passant: 0,
    };
    let (mut rank, mut file) = (7, 0);
    for letter in fields[0].bytes() {
        match letter {
            b'/' if file == 8 && rank > 0 => (rank, file) = (rank - 1, 0),
            b'1'..=b'8' => file += u32::from(letter - b'0'),
            _ if file < 8 => {
                let square = 1_u64 << (8 * rank + file);
                *(if letter.is_ascii_uppercase() { &mut board.own } else { &mut board.enemy }) |= square;
                *(match letter.to_ascii_lowercase() {
                    b'p' => &mut board.pawns,
                    b'n' => &mut board.knights,
                    b'b' => &mut board.bishops,
                    b'r' => &mut board.rooks,
                    b'q' => &mut board.queens,
                    b'k' => &mut board.kings,
                    _ => return None,
                }) |= square;
                file += 1;
            }
            _ => return None,
        }
        if file > 8 {
            return None;
        }
    }
    let white = fields[1] != "b";
    for letter in fields[2].bytes() {
        board.castling |= castling_rook(&board, letter);
    }
    if let [passed @ b'a'..=b'h', row @ (b'3' | b'6')] = *fields[3].as_bytes() {
        if white == (row == b'6') {
            board.en_passant = 1 << (8 * (row - b'1') + passed - b'a');
        }
    }
    if !white {
        board = mirrored(board);
    }
    if board.en_passant & (board.own | board.enemy) != 0 || (board.en_passant >> 8) & board.enemy & board.pawns == 0 {
        board.en_passant = 0;
    }
    let possible = rank == 0
        && file == 8
        && (board.own & board.kings).count_ones() == 1
        && (board.enemy & board.kings).count_ones() == 1
        && board.pawns & (RANK_1 | RANK_8) == 0
        && board.own.count_ones() <= 16
        && board.enemy.count_ones() <= 16
        && legality(mirrored(board)).check_mask == ALL;
    let chess960 = fields[2].bytes().any(|letter| matches!(letter | 32, b'a'..=b'h'));
    possible.then_some(Position { board, white, chess960 })
}

fn list_moves(board: Board) -> Vec<u16> {
    let mut moves = [0_u16; MOST_MOVES];
    let size = generate(board, legality(board), &mut moves, 0);
    moves[..size].to_vec()
}

// The board after a move, from the side that moves next.
#[inline(always)]
fn child(board: Board, number: u16) -> Board {
    mirrored(make_move(board, number as u64))
}

impl Position {
    fn after(self, number: u16) -> Position {
        Position { board: child(self.board, number), white: !self.white, ..self }
    }

    // A move as in UCI; castling is e1g1, in Chess960 king takes rook.
    fn text(&self, number: u16, chess960: bool) -> String {
        let number = if self.white { number as u64 } else { turned(number as u64) };
        let (origin, mut target, kind) = (origin_of(number), target_of(number), kind_of(number));
        if kind == CASTLING && !chess960 {
            target = (target & 56) + if target > origin { 6 } else { 2 };
        }
        let mut text = String::new();
        for square in [origin, target] {
            text.push((b'a' + (square & 7) as u8) as char);
            text.push((b'1' + (square >> 3) as u8) as char);
        }
        if (TO_KNIGHT..=TO_QUEEN).contains(&kind) {
            text.push(b" nbrq"[kind as usize] as char);
        }
        text
    }

    // The position after a move in UCI; None if it is not legal.
    fn play(self, text: &str) -> Option<Position> {
        let means = |number: &u16| [false, true].iter().any(|chess960| self.text(*number, *chess960) == text);
        list_moves(self.board).into_iter().find(means).map(|number| self.after(number))
    }
}

// ------------------------------------------------------------------------------------------------------------ perft

// No power of two: all columns would share the same lines of the cache, which took half of the time.
const ROOM: usize = 680;

// Boards whose moves are still to be counted, in columns: a word of each of many boards lies side by side.
struct Waiting {
    words: [[u64; ROOM]; 10],
    size: usize,
}

impl Waiting {
    fn count(&mut self) -> u64 {
        let words = &self.words;
        let mut total: u64 = 0;
        for k in 0..self.size.min(ROOM) {
            total += legal_move_count(
                words[0][k], words[1][k], words[2][k], words[3][k], words[4][k], words[5][k], words[6][k], words[7][k],
                words[8][k], words[9][k],
            );
        }
        self.size = 0;
        total
    }

    // Let the children of a board wait.
    fn add_children(&mut self, board: Board, moves: &[u16]) {
        for (k, number) in (self.size..ROOM).zip(moves) {
            let next = child(board, *number);
            self.words[0][k] = next.own;
            self.words[1][k] = next.enemy;
            self.words[2][k] = next.pawns;
            self.words[3][k] = next.knights;
            self.words[4][k] = next.bishops;
            self.words[5][k] = next.rooks;
            self.words[6][k] = next.queens;
            self.words[7][k] = next.kings;
            self.words[8][k] = next.castling;
            self.words[9][k] = next.en_passant;
        }
        self.size += moves.len();
    }

    // The leaves at a depth of two or more, without those below the boards that wait.
    fn walk(&mut self, board: Board, depth: u32) -> u64 {
        let mut listed = [0_u16; MOST_MOVES];
        let size = generate(board, legality(board), &mut listed, 0);
        let moves = &listed[..size];
        if depth == 2 {
            let total = if self.size + size > ROOM { self.count() } else { 0 };
            self.add_children(board, moves);
            return total;
        }
        moves.iter().map(|number| self.walk(child(board, *number), depth - 1)).sum()
    }
}

// How many sequences of legal moves have a length.
fn perft(board: Board, depth: u32) -> u64 {
    if depth < 2 {
        return if depth == 0 { 1 } else { list_moves(board).len() as u64 };
    }
    let mut waiting = Waiting { words: [[0; ROOM]; 10], size: 0 };
    waiting.walk(board, depth) + waiting.count()
}

fn divide(position: &Position, depth: u32) {
    let mut total = 0;
    for number in list_moves(position.board) {
        let count = perft(child(position.board, number), depth - 1);
        println!("{}: {}", position.text(number, position.chess960), count);
        total += count;
    }
    println!("\nNodes searched: {total}");
}

// Positions with traps: FEN, depth, leaves.
const SUITE: &[(&str, u32, u64)] = &[
{suite}
];

fn test() -> i32 {
    let mut wrong = 0;
    for (fen, depth, leaves) in SUITE {
        let count = read_fen(fen).map_or(0, |position| perft(position.board, *depth));
        if count != *leaves {
            wrong += 1;
            println!("{fen}: {count} leaves at depth {depth}, not {leaves}");
        }
    }
    println!("{} of {} positions are right", SUITE.len() - wrong, SUITE.len());
    i32::from(wrong != 0)
}

// -------------------------------------------------------------------------------------------------------------- UCI

fn set_position(before: Position, words: &str, chess960: bool) -> Position {
    let (place, moves) = words.split_once(" moves").unwrap_or((words, ""));
    let Some(mut position) = read_fen(place.strip_prefix("position fen ").unwrap_or(START)) else {
        println!("info string this is no position of a game");
        return before;
    };
    position.chess960 |= chess960;
    for text in moves.split_whitespace() {
        match position.play(text) {
            Some(next) => position = next,
            None => {
                println!("info string {text} is not legal");
                break;
            }
        }
    }
    position
}

fn best_move(position: &Position) {
    let first = list_moves(position.board).first().map(|number| position.text(*number, position.chess960));
    println!("bestmove {}", first.unwrap_or("(none)".to_string()));
}

fn uci(mut position: Position) {
    let (mut thinks, mut chess960) = (false, false);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let line = line.trim();
        if line == "uci" {
            println!("id name setwise generator\noption name UCI_Chess960 type check default false\nuciok");
        } else if line == "isready" {
            println!("readyok");
        } else if line.starts_with("setoption name UCI_Chess960") {
            chess960 = line.ends_with("true");
        } else if line.starts_with("position ") {
            position = set_position(position, line, chess960);
        } else if let Some(depth) = line.strip_prefix("go perft ") {
            divide(&position, depth.parse().unwrap_or(1).max(1));
        } else if line == "go infinite" {
            thinks = true;
        } else if line.starts_with("go") || line == "stop" && thinks {
            best_move(&position);
            thinks = false;
        } else if line == "quit" {
            break;
        }
        let _ = std::io::stdout().flush();
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let depth = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let position = read_fen(words.get(2).map_or(START, String::as_str));
    match (words.first().map(String::as_str), position) {
        (None, Some(position)) => uci(position),
        (Some("test"), _) => std::process::exit(test()),
        (Some("divide"), Some(position)) if depth > 0 => divide(&position, depth),
        (Some("perft"), Some(position)) if depth > 0 => println!("{}", perft(position.board, depth)),
        _ => {
            println!("generator [test | perft DEPTH [FEN] | divide DEPTH [FEN]]: the DEPTH is 1 or more, the FEN a position");
            std::process::exit(2);
        }
    }
}
{tables}
