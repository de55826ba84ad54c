// A generator of legal chess moves, with perft and a little of UCI, in one file. Written by setwise {version}.
//
//     cc -O3 -march=native generator.c -o generator
//     ./generator test             count the positions of a suite
//     ./generator perft 6          count leaves; a FEN may follow
//     ./generator divide 5         count leaves below each move; a FEN may follow
//     ./generator                  speak UCI: position, go perft, go (it plays any legal move)
//
// A set of squares is a word of 64 bits: a1 = bit 0, h1 = bit 7, h8 = bit 63. A board is always seen from the side to
// move, whose pieces play up the board: after a move the board is mirrored, and no rule is written for Black.
//
// A position is legal or not without trying: `legality` finds the pins, the squares that end a check, and the squares
// that our king may not enter, by rays from our king and from the enemy's sliders. `generate` lists the moves within
// these limits, `legal_move_count` counts them without a list: it has no branches, so that a compiler counts eight
// boards at once where registers have 512 bits, four where they have 256.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every function is a part of its callers: boards then stay in registers.
#define INLINE static inline __attribute__((always_inline))

// ----------------------------------------------------------------------------- constants, tables, and named tuples

{declarations}

// ---------------------------------------------------------------------------------------------- the rules of chess

{functions}

// ----------------------------------------------------------------------------- positions as text, moves as text

typedef struct {
    Board board;  // from the side to move
    bool white;   // who that is
    bool chess960;
} Position;

// No position of a game has more moves; the generator writes up to three items more.
enum { MOST_MOVES = 424 };

static const char START[] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

// The rook that a letter of the castling rights means: the outermost one on its side, or the one on a file.
static uint64_t castling_rook(Board board, char letter) {
    const bool white = letter >= 'A' && letter <= 'Z';
    const uint64_t home = white ? RANK_1 : RANK_8;
    const uint64_t king = board.kings & home & (white ? board.own : board.enemy);
    uint64_t rooks = board.rooks & home & (white ? board.own : board.enemy);
    const char lower = (char)(letter | 32);
    if (king == 0)
        return 0;
    if (lower == 'q')
        return (rooks & (king - 1)) & (0 - (rooks & (king - 1)));
    if (lower != 'k')
        return lower >= 'a' && lower <= 'h' ? rooks & (home & (0x0101010101010101ULL << (lower - 'a'))) : 0;
    rooks &= ~(king | (king - 1));
    while ((rooks & (rooks - 1)) != 0)
        rooks &= rooks - 1;
    return rooks;
}

// Read a FEN; false if it is none, or no position of a game.
static bool read_fen(const char *text, Position *position) {
    char places[128], turn[2], rights[8], passed[4];
    Board board = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    uint64_t *sets[] = {&board.pawns, &board.knights, &board.bishops, &board.rooks, &board.queens, &board.kings};
    if (sscanf(text, "%127s %1s %7s %3s", places, turn, rights, passed) != 4)
        return false;
    int rank = 7, file = 0;
    for (const char *at = places; *at != 0; at++) {
        const char *found = strchr("pnbrqk", *at | 32);
        if (*at == '/') {
            if (file != 8 || --rank < 0)
                return false;
            file = 0;
        } else if (*at >= '1' && *at <= '8') {
            file += *at - '0';
        } else if (found != NULL && file < 8) {
            const uint64_t square = 1ULL << (8 * rank + file++);
            *sets[found - "pnbrqk"] |= square;
            *(*at < 'a' ? &board.own : &board.enemy) |= square;
        } else {
            return false;
        }
        if (file > 8)
            return false;
    }
    position->chess960 = strpbrk(rights, "ABCDEFGHabcdefgh") != NULL;
    for (const char *at = rights; *at != 0; at++)
        board.castling |= castling_rook(board, *at);
    position->white = turn[0] != 'b';
    if (passed[0] >= 'a' && passed[0] <= 'h' && passed[1] == (position->white ? '6' : '3'))
        board.en_passant = 1ULL << (8 * (passed[1] - '1') + passed[0] - 'a');
    board = position->white ? board : mirrored(board);
    const uint64_t occupied = board.own | board.enemy;
    if ((board.en_passant & occupied) != 0 || ((board.en_passant >> 8) & board.enemy & board.pawns) == 0)
        board.en_passant = 0;
    position->board = board;
    const uint64_t king = board.own & board.kings, other = board.enemy & board.kings;
    return rank == 0 && file == 8 && king != 0 && (king & (king - 1)) == 0 && other != 0 && (other & (other - 1)) == 0 &&
           (board.pawns & (RANK_1 | RANK_8)) == 0 && __builtin_popcountll(board.own) <= 16 &&
           __builtin_popcountll(board.enemy) <= 16 && legality(mirrored(board)).check_mask == ALL;
}

static int list_moves(const Position *position, uint16_t *moves) {
    return generate(position->board, legality(position->board), moves, 0);
}

static void play(Position *position, uint16_t move) {
    position->board = mirrored(make_move(position->board, move));
    position->white = !position->white;
}

// Write a move as in UCI; castling is e1g1, in Chess960 king takes rook.
static char *move_text(const Position *position, uint64_t number, bool chess960, char text[6]) {
    number = position->white ? number : turned(number);
    const uint64_t origin = origin_of(number), kind = kind_of(number);
    uint64_t target = target_of(number);
    if (kind == CASTLING && !chess960)
        target = (target & 56) + (target > origin ? 6 : 2);
    text[0] = (char)('a' + (origin & 7));
    text[1] = (char)('1' + (origin >> 3));
    text[2] = (char)('a' + (target & 7));
    text[3] = (char)('1' + (target >> 3));
    text[4] = kind >= TO_KNIGHT && kind <= TO_QUEEN ? " nbrq"[kind] : '\0';
    text[5] = '\0';
    return text;
}

// Play a move in UCI; false if it is not legal.
static bool play_text(Position *position, const char *text) {
    uint16_t moves[MOST_MOVES];
    char written[6];
    const int n = list_moves(position, moves);
    for (int k = 0; k < n; k++) {
        if (strcmp(text, move_text(position, moves[k], false, written)) == 0 ||
            strcmp(text, move_text(position, moves[k], true, written)) == 0) {
            play(position, moves[k]);
            return true;
        }
    }
    return false;
}

// ------------------------------------------------------------------------------------------------------------ perft

// Boards whose moves are still to be counted, in columns: a word of each of many boards lies side by side.
// No power of two: all columns would share the same lines of the cache, which took half of the time.
enum { ROOM = 680 };
static uint64_t waiting[10][ROOM];
static int in_wait;

static uint64_t count_waiting(void) {
    uint64_t total = 0;
    for (int k = 0; k < in_wait; k++)
        total += legal_move_count(waiting[0][k], waiting[1][k], waiting[2][k], waiting[3][k], waiting[4][k],
                waiting[5][k], waiting[6][k], waiting[7][k], waiting[8][k], waiting[9][k]);
    in_wait = 0;
    return total;
}

// Let the children of a board wait.
static void add_children(const Board board, const uint16_t *moves, int n) {
    for (int k = 0; k < n; k++) {
        const Board child = mirrored(make_move(board, moves[k]));
        waiting[0][in_wait + k] = child.own;
        waiting[1][in_wait + k] = child.enemy;
        waiting[2][in_wait + k] = child.pawns;
        waiting[3][in_wait + k] = child.knights;
        waiting[4][in_wait + k] = child.bishops;
        waiting[5][in_wait + k] = child.rooks;
        waiting[6][in_wait + k] = child.queens;
        waiting[7][in_wait + k] = child.kings;
        waiting[8][in_wait + k] = child.castling;
        waiting[9][in_wait + k] = child.en_passant;
    }
    in_wait += n;
}

// The leaves at a depth of two or more, without those below the boards that wait.
static uint64_t walk(Board board, int depth) {
    uint16_t moves[MOST_MOVES];
    uint64_t total = 0;
    const int n = generate(board, legality(board), moves, 0);
    if (depth == 2) {
        total = in_wait + n > ROOM ? count_waiting() : 0;
        add_children(board, moves, n);
        return total;
    }
    for (int k = 0; k < n; k++)
        total += walk(mirrored(make_move(board, moves[k])), depth - 1);
    return total;
}

// How many sequences of legal moves have a length.
static uint64_t perft(Board board, int depth) {
    uint16_t moves[MOST_MOVES];
    if (depth < 1)
        return 1;
    if (depth == 1)
        return (uint64_t)generate(board, legality(board), moves, 0);
    const uint64_t total = walk(board, depth);
    return total + count_waiting();
}

static void divide(const Position *position, int depth) {
    uint16_t moves[MOST_MOVES];
    char text[6];
    uint64_t total = 0;
    const int n = list_moves(position, moves);
    for (int k = 0; k < n; k++) {
        const uint64_t count = perft(mirrored(make_move(position->board, moves[k])), depth - 1);
        printf("%s: %llu\n", move_text(position, moves[k], position->chess960, text), (unsigned long long)count);
        total += count;
    }
    printf("\nNodes searched: %llu\n", (unsigned long long)total);
}

// Positions with traps: FEN, depth, leaves.
static const struct {
    const char *fen;
    int depth;
    uint64_t leaves;
} SUITE[] = {
{suite}
};

static int test(void) {
    int wrong = 0;
    const int size = (int)(sizeof SUITE / sizeof SUITE[0]);
    for (int k = 0; k < size; k++) {
        Position position;
        const uint64_t count = read_fen(SUITE[k].fen, &position) ? perft(position.board, SUITE[k].depth) : 0;
        if (count != SUITE[k].leaves) {
            wrong++;
            printf("%s: %llu leaves at depth %d, not %llu\n", SUITE[k].fen, (unsigned long long)count, SUITE[k].depth,
                    (unsigned long long)SUITE[k].leaves);
        }
    }
    printf("%d of %d positions are right\n", size - wrong, size);
    return wrong != 0;
}

// -------------------------------------------------------------------------------------------------------------- UCI

static void set_position(Position *position, char *words) {
    char *moves = strstr(words, "moves");
    char *fen = strstr(words, "fen ");
    Position there;
    if (moves != NULL) {
        moves[-1] = '\0';
        moves += 5;
    }
    if (!read_fen(fen != NULL ? fen + 4 : START, &there)) {
        printf("info string this is no position of a game\n");
        return;
    }
    there.chess960 |= position->chess960;
    for (char *text = moves ? strtok(moves, " ") : NULL; text != NULL; text = strtok(NULL, " ")) {
        if (!play_text(&there, text)) {
            printf("info string %s is not legal\n", text);
            break;
        }
    }
    *position = there;
}

static void best_move(const Position *position) {
    uint16_t moves[MOST_MOVES];
    char text[6];
    const int n = list_moves(position, moves);
    printf("bestmove %s\n", n > 0 ? move_text(position, moves[rand() % n], position->chess960, text) : "(none)");
}

static int uci(void) {
    static char line[1 << 16];
    bool thinks = false, chess960 = false;
    Position position;
    read_fen(START, &position);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, "uci") == 0)
            printf("id name setwise generator\noption name UCI_Chess960 type check default false\nuciok\n");
        else if (strcmp(line, "isready") == 0)
            printf("readyok\n");
        else if (strncmp(line, "setoption name UCI_Chess960", 27) == 0)
            chess960 = strstr(line, "true") != NULL;
        else if (strncmp(line, "position ", 9) == 0) {
            position.chess960 = chess960;
            set_position(&position, line);
        } else if (strncmp(line, "go perft ", 9) == 0)
            divide(&position, atoi(line + 9) > 0 ? atoi(line + 9) : 1);
        else if (strcmp(line, "go infinite") == 0)
            thinks = true;
        else if (strncmp(line, "go", 2) == 0)
            best_move(&position);
        else if (strcmp(line, "stop") == 0 && thinks) {
            best_move(&position);
            thinks = false;
        } else if (strcmp(line, "quit") == 0)
            break;
        fflush(stdout);
    }
    return 0;
}

int main(int count, char **words) {
    const int depth = count > 2 ? atoi(words[2]) : 0;
    Position position;
    if (count < 2)
        return uci();
    if (strcmp(words[1], "test") == 0)
        return test();
    if (depth < 1 || !read_fen(count > 3 ? words[3] : START, &position)) {
        printf("generator [test | perft DEPTH [FEN] | divide DEPTH [FEN]]: the DEPTH is 1 or more, the FEN a position\n");
        return 2;
    }
    if (strcmp(words[1], "divide") == 0)
        divide(&position, depth);
    else
        printf("%llu\n", (unsigned long long)perft(position.board, depth));
    return 0;
}
{tables}
