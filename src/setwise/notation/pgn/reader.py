"""The reader of PGN: it finds games and plays their moves in one pass over the bytes, most moves by a shortcut.

The kernel tolerates the irregularities of real files; comments beside the code describe how. It has two loops:
``fast_moves.read_moves`` for usual movetext, and the loop here for everything, a token at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Move, Set, Square, byteswap, entry, routine, scratch, subroutine, trailing_zeros
from setwise.compiler.kinds import boolean, int32, int64, reads, tuple_of, uint8, uint16, uint64, void, writes
from setwise.compiler.words import LINE, borrowed, lane, places_at, unpacked, word_at
from setwise.notation.fen import read_fen
from setwise.notation.moves import is_move, read_san
from setwise.notation.pgn.tokens import (
    BAD_FEN,
    BAD_VARIANT,
    BLACKS,
    BOARD,
    CHECKS,
    CHECKS_NOW,
    COMMENT,
    END,
    FAULT,
    FAULT_AT,
    FEN,
    FEN_AS_TITLE,
    FIRST_MOVE,
    FIRST_TAG,
    GAME_COLUMNS,
    GAME_OVER,
    MAY_BE_ODD,
    MOVE,
    NAG,
    NO_FAULT,
    NOISE,
    NUMBER,
    ODD_TAGS,
    OPEN_COMMENT,
    OPEN_TAG,
    OPEN_VARIATION,
    PASS,
    REST_OF_LINE,
    RESULT_COLUMN,
    START,
    STOP,
    TAG,
    UNKNOWN,
    UNREADABLE_MOVE,
    VARIANT_COLUMN,
    VARIANT_TAG,
    VARIATION,
    ParsedGames,
    at_line_start,
    blanks_end,
    comment_end,
    digits_end,
    en_passant_end,
    game_begins,
    is_named,
    line_end,
    null_in_parentheses,
    number_end,
    result_at,
    same_name,
    tag_at,
    token_at,
    variant_number,
    variation_end,
    word_end,
)
from setwise.notation.pgn.tokens import RESULT as RESULT_TOKEN
from setwise.notation.text import (
    CLASS,
    CLOSE_BRACE,
    DIGIT_0,
    DIGIT_1,
    DOT,
    END_BRACKET,
    LOWER_A,
    LOWER_E,
    LOWER_P,
    LOWER_X,
    LOWER_Z,
    NEWLINE,
    OPEN_BRACE,
    OTHER,
    PLUS,
    QUOTE,
    SPACE,
    TEXT,
    UPPER_A,
    blanks_in,
    find,
    null_end,
    others_than_digits,
)
from setwise.patterns import king, knight
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    FILES,
    ONE,
    RANK_4,
    RANK_7,
    RANKS,
    SEVEN,
    SIX,
    SIXTEEN,
    THREE,
    TWO,
    ZERO,
    as_int,
    bit,
    lowest,
    more_than_one,
    only_lowest,
    without_lowest,
)
from setwise.patterns.compass import south_east, south_west
from setwise.patterns.geometry import BETWEEN, SQUARES
from setwise.patterns.sliders import BISHOP_LINES, ROOK_LINES
from setwise.rules.board import (
    CASTLING,
    EN_PASSANT,
    ENEMY,
    FIFTY_SIX,
    KINGS,
    KNIGHTS,
    NORMAL,
    NULL,
    NULL_MOVE,
    OWN,
    PAWNS,
    ROOKS,
    SETS,
    SQUARE_MASK,
    USUAL_START,
    WORDS,
    Board,
    State,
    board_of,
    child,
    child_in_lanes,
    clocks_after,
    encoded,
    in_check,
    keeps_king_safe,
    kind_of,
    lanes_of,
    movers_board,
    normal_child,
    origin_of,
    other_side,
    put_state,
    state_in,
    target_of,
    turned,
)
from setwise.rules.variants import STANDARD, THREE_CHECK, counts_checks, has_won
from setwise.system.pool import pooled

# --------------------------------------------------------- games as positions: every position of every game, in columns


@routine
def start_of(game: np.ndarray, boards: np.ndarray) -> State:
    """Return the state that a game starts from."""
    return state_in(boards[game[BOARD]]) if game[BOARD] >= 0 else USUAL_START


@routine
def _moves_of(games: np.ndarray, number: int, moves: np.ndarray) -> tuple[int, int]:
    """Return where the moves of a game begin and end."""
    first = games[number, FIRST_MOVE]
    return first, games[number + 1, FIRST_MOVE] if number + 1 < games.shape[0] else moves.size


@routine
def put_board(sets: np.ndarray, row: int, lanes: Any, castling: Set, passed: Set, flip: np.uint64) -> None:
    """Write the mover's board from White's view, if there is room for it; ``flip`` is empty if White moves."""
    if row < sets.shape[1]:
        k, white = np.uint64(row), flip == EMPTY
        shown = unpacked(lanes if white else other_side(lanes))
        sets[0, k], sets[1, k], sets[2, k], sets[3, k] = shown[0], shown[1], shown[2], shown[3]
        sets[4, k], sets[5, k], sets[6, k], sets[7, k] = shown[4], shown[5], shown[6], shown[7]
        sets[8, k], sets[9, k] = (castling, passed) if white else (byteswap(castling), byteswap(passed))


@entry(void, reads(int64, 2, "A"), reads(uint16), reads(uint64, 2, "A"), writes(uint64, 2))
def replay(games: np.ndarray, moves: np.ndarray, boards: np.ndarray, sets: np.ndarray) -> None:
    """Write the board of every position of the games, including the first and the last, game by game.

    ``sets`` gets ten rows (eight sets, castling, en passant) from White's side.
    """
    for number in range(games.shape[0]):
        first, last = _moves_of(games, number, moves)
        start = start_of(games[number], boards)
        board, flip = movers_board(start), FIFTY_SIX * (ONE - start.white_to_move)
        lanes, castling, passed = lanes_of(board), board.castling, board.en_passant
        for n in range(first, last):
            put_board(sets, n + number, lanes, castling, passed, flip)
            move = np.uint64(moves[np.uint64(n)])
            lanes, castling, passed = child_in_lanes(lanes, castling, passed, turned(move) if flip != EMPTY else move)
            flip ^= FIFTY_SIX
        put_board(sets, last + number, lanes, castling, passed, flip)


@entry(
    void,
    reads(int64, 2, "A"), reads(uint16), reads(uint64, 2, "A"), reads(uint64, 2, "A"),
    writes(boolean), writes(uint16, 2), writes(int32, 2),
)  # fmt: skip
def describe(
    games: np.ndarray, moves: np.ndarray, boards: np.ndarray, sets: np.ndarray, white_to_move: np.ndarray,
    clocks: np.ndarray, places: np.ndarray,
) -> None:  # fmt: skip
    """Write the columns of all positions except their boards.

    ``clocks`` gets the halfmove clock, the number of the full move and the move played next (0 when there is none);
    ``places`` gets the game's row and the ply.
    """
    for number in range(games.shape[0]):
        first, last = _moves_of(games, number, moves)
        start = start_of(games[number], boards)
        white, halfmoves = np.uint64(start.white_to_move), np.uint64(start.halfmove_clock)
        fullmoves = np.uint64(start.fullmove_number)
        for n in range(first, last + 1):
            row = np.uint64(n + number)
            move = np.uint64(moves[np.uint64(n)]) if n < last else EMPTY
            white_to_move[row] = white != EMPTY
            clocks[0, row], clocks[1, row], clocks[2, row] = np.uint16(halfmoves), np.uint16(fullmoves), np.uint16(move)
            places[0, row], places[1, row] = np.int32(number), np.int32(n - first)
            pawns, enemy = sets[PAWNS, row], sets[white, row]
            halfmoves, fullmoves = clocks_after(pawns, enemy, move, halfmoves, fullmoves, white ^ ONE)
            white ^= ONE


_E1, _TWO_SQUARES = np.uint64(4), np.uint64(2)


@routine
def _of_squares(lanes: Any, passed: Set, move: Move) -> Move:
    """Return the mover's move with its kind; the given move has only squares, and kinds of promotions and null moves.

    Castling is the king's step of two squares from e1, or king takes rook, as UCI writes it in Chess960.
    """
    origin, target = origin_of(move), target_of(move)
    start, end = bit(origin), bit(target)
    if kind_of(move) != NORMAL:
        return move
    if lane(lanes, KINGS) & start != EMPTY:
        if lane(lanes, OWN) & lane(lanes, ROOKS) & end != EMPTY:
            return encoded(origin, target, CASTLING)
        if origin == _E1 and (target == _E1 + _TWO_SQUARES or target == _E1 - _TWO_SQUARES):
            rook: Square = SEVEN if target > origin else ZERO
            return encoded(origin, rook, CASTLING)
    if lane(lanes, PAWNS) & start != EMPTY and passed & end != EMPTY:
        return encoded(origin, target, EN_PASSANT)
    return move


@entry(
    void, reads(int64), reads(int64), reads(int32), reads(uint16), writes(uint64, 2), writes(boolean), writes(uint16, 2)
)
def replay_rows(
    begins: np.ndarray, rows: np.ndarray, numbers: np.ndarray, known: np.ndarray, sets: np.ndarray,
    white_to_move: np.ndarray, clocks: np.ndarray,
) -> None:  # fmt: skip
    """Write the columns of some positions of games that begin at the usual position, given a row for each position.

    ``begins`` has the first row of each game, and the end of the last game; ``rows`` are the positions to be written,
    ascending; ``numbers`` has for each row the index of its move in ``known``, which holds the squares of moves (the
    last row of a game has no move). ``sets`` and ``clocks`` are as in ``replay`` and ``describe``.
    """
    k = 0
    for game in range(begins.size - 1):
        end = begins[game + 1]
        if k == rows.size:
            break
        if rows[k] >= end:
            continue
        board = movers_board(USUAL_START)
        lanes, castling, passed, flip = lanes_of(board), board.castling, board.en_passant, EMPTY
        halfmoves, fullmoves, n = EMPTY, ONE, begins[game]
        while True:
            written = np.uint64(known[np.uint64(numbers[np.uint64(n)])]) if n + 1 < end else EMPTY
            move = _of_squares(lanes, passed, turned(written) if flip != EMPTY else written)
            if rows[k] == n:
                row, seen = np.uint64(k), turned(move) if flip != EMPTY else move
                put_board(sets, k, lanes, castling, passed, flip)
                white_to_move[row] = flip == EMPTY
                clocks[0, row], clocks[1, row] = np.uint16(halfmoves), np.uint16(fullmoves)
                clocks[2, row] = np.uint16(seen if kind_of(written) != NULL and written != EMPTY else written)
                k += 1
                if k == rows.size or rows[k] >= end:
                    break
            pawns, enemy, black = lane(lanes, PAWNS), lane(lanes, ENEMY), np.uint64(flip != EMPTY)
            halfmoves, fullmoves = clocks_after(pawns, enemy, move, halfmoves, fullmoves, black)
            lanes, castling, passed = child_in_lanes(lanes, castling, passed, move)
            flip ^= FIFTY_SIX
            n += 1


# ---------------------------------------------------------------------------------- games of variants in the PGN reader


_MOST_CHECKS = THREE_CHECK.checks
#: No FEN that is read here is longer.
_ROOM = 256
_bare = scratch(_ROOM)


@routine
def _number(text: np.ndarray, at: int, stop: int) -> int:
    """The number of checks that the digit here means; -1 for any other byte."""
    number = as_int(text[at]) - as_int(DIGIT_0) if at < stop else -1
    return number if 0 <= number <= _MOST_CHECKS else -1


@subroutine
def read_variant_fen(text: np.ndarray, start: int, stop: int) -> tuple[State, np.uint64, int]:
    """Read a FEN that has a field of checks; return its state, its faults, and the checks given.

    ``3+3`` before the clocks, as python-chess writes it, are the checks that are left; ``+0+0`` at the end, as Lichess
    writes it, are the checks that were given. The state has faults if there is no such field.
    """
    bare, n, fields, checks = _bare(uint8), 0, 0, -1
    at = start
    while at < stop and n < _ROOM:
        begins = text[at] != SPACE and (at == start or text[at - 1] == SPACE)
        fields += begins
        length = 0
        if begins and fields == 5 and at + 1 < stop and text[at + 1] == PLUS:
            white, black, length = _MOST_CHECKS - _number(text, at, stop), _MOST_CHECKS - _number(text, at + 2, stop), 3
        elif begins and fields == 7 and text[at] == PLUS and at + 2 < stop and text[at + 2] == PLUS:
            white, black, length = _number(text, at + 1, stop), _number(text, at + 3, stop), 4
        ends = at + length == stop or (at + length < stop and text[at + length] == SPACE)
        if length and ends and 0 <= min(white, black) < _MOST_CHECKS and max(white, black) <= _MOST_CHECKS:
            checks = white + black * BLACKS
            at += length
            continue
        bare[n] = text[at]
        n, at = n + 1, at + 1
    state, fault, _ = read_fen(bare, 0, n)
    return state, fault, checks


@routine
def has_ended(game: np.ndarray, board: Board, flip: np.uint64) -> bool:
    """Whether the game has ended by the rules of its variant; the board is from the mover's view."""
    variant, checks = game[VARIANT_COLUMN], game[CHECKS_NOW]
    white, black = board.own & board.kings, board.enemy & board.kings
    if flip != EMPTY:
        white, black = byteswap(black), byteswap(white)
    return has_won(variant, white, checks % BLACKS) or has_won(variant, black, checks // BLACKS)


@routine
def count_check(game: np.ndarray, child: Board, flip: np.uint64) -> None:
    """Count the check if a move has given one; ``flip`` is empty if White made the move."""
    if in_check(child):
        game[CHECKS_NOW] += 1 if flip == EMPTY else BLACKS


@routine
def start_counting(game: np.ndarray) -> bool | np.bool:
    """Set the count of checks at the start of a game; return whether its FEN and its variant agree on checks."""
    game[CHECKS_NOW] = max(game[CHECKS], 0)
    return game[CHECKS] < 0 or counts_checks(game[VARIANT_COLUMN])


# ------------------------------------------------------------------------------------- the fast path for usual movetext


_BYTE, _WHOLE_BYTES, _TWENTY_FOUR, _TEN = (np.uint64(number) for number in (0xFF, 0x38, 24, 10))
#: How many bytes of the text must remain for the fast path: a word, and more bytes than the rest of a move that begins
#: in it.
_BEYOND = 16

#: The lane of the piece that a move's first letter means; lane 0 for letters that do not begin a plain move.
_LANES = np.zeros(256, np.uint64)
for _lane, _letters in enumerate((b"abcdefgh", b"N", b"B", b"R", b"Q", b"K"), start=2):
    _LANES[list(_letters)] = _lane

_SUFFIXES = np.zeros(256, np.uint64)
_SUFFIXES[list(b"+#!?")] = 1

#: The squares that a hint allows; bit 8 of the index is set for Black, whose board is flipped. Without a hint all
#: squares are allowed; a byte that is no hint allows no square.
_HINTS = np.zeros(512, np.uint64)
_of_colours = _HINTS.reshape(2, 256)
_of_colours[:, 0] = ALL
_of_colours[:, list(b"abcdefgh")] = FILES
_of_colours[0, list(b"12345678")] = RANKS
_of_colours[1, list(b"87654321")] = RANKS
_FLIPPED = np.uint64(256)

#: The squares from which a piece reaches a target on an empty board, by lanes; promotions are left out, because they
#: are not plain moves. Pawn pushes have no lane of their own and use the lane of the enemy's pieces.
_PUSHES = ENEMY
_ORIGINS = np.zeros(512, np.uint64)
_of_lanes = _ORIGINS.reshape(8, 64)
_of_lanes[_PUSHES] = (SQUARES >> EIGHT | (SQUARES & RANK_4) >> SIXTEEN) & ~RANK_7
_of_lanes[PAWNS] = (south_east.plain(SQUARES) | south_west.plain(SQUARES)) & ~RANK_7
_of_lanes[KNIGHTS:] = knight.ATTACKS, BISHOP_LINES, ROOK_LINES, BISHOP_LINES | ROOK_LINES, king.ATTACKS

# ---------------------------------------------------------------------------------------------------- one plain move


@routine
def _byte(word: np.uint64, bits: np.uint64) -> np.uint64:
    """Return the byte that begins at this bit of a word; a negative number gives an arbitrary byte."""
    return word >> (bits & _WHOLE_BYTES) & _BYTE


@routine
def _split(
    word: np.uint64, flip: np.uint64
) -> tuple[bool | np.bool, np.uint64, np.uint64, np.uint64, Square, np.uint64]:
    """Split a word into the parts of a plain move; the first value says whether the word has the form of a plain move.

    The parts are the length in bits, the lane of the piece, the kind of its move (its lane, or ``_PUSHES``), the target
    on the mover's board, and the index of its hint in the table. The parts mean nothing if the first value is false.
    """
    blanks = blanks_in(word)
    length = trailing_zeros(blanks) & _WHOLE_BYTES
    end = length - (_SUFFIXES[_byte(word, length - EIGHT)] << THREE)
    rank, file = _byte(word, end - EIGHT) - DIGIT_1, _byte(word, end - SIXTEEN) - LOWER_A
    piece = _LANES[word & _BYTE]
    has_letter = np.uint64(piece > PAWNS)
    # The bytes between the piece's letter and the square: a hint, a capture sign, both or nothing.
    middle = (end >> THREE) - TWO - has_letter
    captures = np.uint64(middle - ONE < SIX) & np.uint64(_byte(word, end - _TWENTY_FOUR) == LOWER_X)
    hints = middle - captures
    looks_plain = blanks != EMPTY and (rank | file) < EIGHT and hints <= ONE
    way = piece - (np.uint64(piece == PAWNS) & (hints ^ ONE))
    hint = _byte(word, has_letter << THREE) * hints | (_FLIPPED if flip != EMPTY else ZERO)
    return looks_plain, length, piece, way, (rank << THREE | file) ^ flip, hint


@subroutine
def _with_clear_path(origins: Set, target: Square, occupied: Set) -> Set:
    """Return the origins with no piece between them and the target."""
    clear = EMPTY
    while origins != EMPTY:
        origin = lowest(origins)
        if BETWEEN[origin, target] & occupied == EMPTY:
            clear |= bit(origin)
        origins = without_lowest(origins)
    return clear


@routine
def read_plain(word: np.uint64, sets: Any, flip: np.uint64) -> tuple[Set, Set, np.uint64]:
    """Return the origin, the target and the length in bits of the plain, legal move at the beginning of a word.

    Both squares are sets; they are empty if there is no such move. ``sets`` is the mover's board, ``flip`` is 56 for
    Black.
    """
    looks_plain, length, piece, way, target, hint = _split(word, flip)
    if not looks_plain:
        return EMPTY, EMPTY, length
    own, enemy = lane(sets, OWN), lane(sets, ENEMY)
    occupied, end = own | enemy, bit(target)
    start = own & lane(sets, piece) & _ORIGINS[way << SIX | target] & _HINTS[hint]
    if more_than_one(start):
        start = _with_clear_path(start, target, occupied)
    origin = lowest(start) & SQUARE_MASK
    # Squares that cannot be targets: own pieces and both kings; for a pushed pawn also enemy pieces; for a capturing
    # pawn also all squares without an enemy piece.
    barred = own | enemy & (EMPTY - np.uint64(way == _PUSHES)) | ~enemy & (EMPTY - np.uint64(way == PAWNS))
    barred |= lane(sets, KINGS)
    if start == EMPTY or without_lowest(start) | BETWEEN[origin, target] & occupied | end & barred != EMPTY:
        return EMPTY, EMPTY, length
    square = target if piece == KINGS else lowest(own & lane(sets, KINGS))
    if not keeps_king_safe(sets, square, start, end, end):
        return EMPTY, EMPTY, length
    return start, end, length


# ------------------------------------------------------------------------------------------------------------ movetext


@routine
def record(moves: np.ndarray, notes: np.ndarray, n: int, move: Move, flip: np.uint64, start: int, stop: int) -> None:
    """Write a move of the mover's board; also its place in the text, if places are requested."""
    row = np.uint64(n)
    moves[row] = turned(move) if flip != EMPTY else move
    if notes.shape[0] > 0:
        notes[row, 0], notes[row, 1] = start, stop


@routine
def _begins_at(places: np.uint64, place: int) -> bool:
    """Whether a place is the first marked place of a cache line."""
    return only_lowest(places) == ONE << np.uint64(place)


@routine
def _begins_before(places: np.uint64, place: int) -> bool:
    """Whether a cache line has a marked place before a place."""
    return places & ((ONE << np.uint64(place)) - ONE) != EMPTY


@subroutine
def read_moves(
    text: np.ndarray, at: int, board: Board, flip: np.uint64, moves: np.ndarray, n: int, notes: np.ndarray,
    first: int, boards: np.ndarray, number: int,
) -> tuple[int, int, Board, np.uint64]:  # fmt: skip
    """Read moves until something else comes; return where that is, the number of moves, the board and ``flip`` there.

    Moves and their places are written to ``moves`` and ``notes`` from row ``n`` on; rows from ``first`` on belong to
    the same game. The board before each move is written to row ``n + number`` of ``boards``, because each of the
    ``number`` games before has one more position than moves.
    """
    text, moves, notes, boards = borrowed(text), borrowed(moves), borrowed(notes), borrowed(boards)
    sets, castling, passed = lanes_of(board), board.castling, board.en_passant
    usual_length = 0
    while at + _BEYOND <= text.size:
        word = word_at(text, at)
        byte = word & _BYTE
        if byte <= SPACE or byte == DOT:
            at += 1
            continue
        if byte - DIGIT_0 < _TEN:
            others = others_than_digits(word)
            digits = trailing_zeros(others) & _WHOLE_BYTES
            if others == EMPTY or _byte(word, digits) != DOT:
                break
            at += as_int(digits >> THREE) + 1
            continue
        if byte == OPEN_BRACE and n > first:
            # A clock usually has the same length as the previous clock. This branch lets the processor read the next
            # word before the end is known; waiting for the search would take a third of the time of a move.
            if at + LINE <= text.size and _begins_at(places_at(text, at, CLOSE_BRACE), usual_length):
                stop = at + usual_length
                if _begins_before(places_at(text, at, NEWLINE), usual_length):
                    break
            else:
                stop = find(text, at, CLOSE_BRACE, NEWLINE)
                if stop == text.size or text[stop] != CLOSE_BRACE:
                    break
                usual_length = (stop - at) & (LINE - 1)
            at = stop + 1
            if notes.shape[0] > 0:
                notes[n - 1, 1] = at
            continue
        start, end, length = read_plain(word, sets, flip)
        if start != EMPTY:
            stop = at + as_int(length >> THREE)
            put_board(boards, n + number, sets, castling, passed, flip)
            record(moves, notes, n, lowest(start) | lowest(end) << SIX, flip, at, stop)
            sets, castling, passed = normal_child(sets, castling, start, end)
            n, at, flip = n + 1, stop, flip ^ FIFTY_SIX
            continue
        second = _byte(word, EIGHT)
        if byte < UPPER_A or byte > LOWER_Z or (byte == LOWER_E and (second == DOT or second == LOWER_P)):
            break
        move, stop = read_san(text, at, text.size, board_of(sets, castling, passed), flip)
        if not is_move(move):
            break
        put_board(boards, n + number, sets, castling, passed, flip)
        record(moves, notes, n, move, flip, at, stop)
        sets, castling, passed = child_in_lanes(sets, castling, passed, move)
        n, at, flip = n + 1, stop, flip ^ FIFTY_SIX
    return at, n, board_of(sets, castling, passed), flip


# ---------------------------------------------------------------------------------------------------------- the kernel

#: Where the reader is: between games; after a tag; among the tags, but after a token that is not a tag, so that the
#: next tag may begin a new game; in the moves.
_BETWEEN, _TAGS, _BEHIND_TAGS, _MOVES = (np.uint8(place) for place in range(4))


@routine
def _begin(game: np.ndarray, at: int, stop: int, n_moves: int, n_tags: int) -> None:
    """Fill the row of a new game with default values."""
    game[START], game[STOP], game[FIRST_MOVE], game[FIRST_TAG] = at, stop, n_moves, n_tags
    game[RESULT_COLUMN], game[FAULT], game[FAULT_AT], game[BOARD] = UNKNOWN, NO_FAULT, at, -1
    game[VARIANT_COLUMN], game[CHECKS], game[CHECKS_NOW], game[ODD_TAGS] = STANDARD, -1, 0, 0


@subroutine
def _break_off(game: np.ndarray, fault: int, at: int) -> None:
    """Store the first fault of a game and its place; moves after it are not played."""
    if game[FAULT] == NO_FAULT:
        game[FAULT], game[FAULT_AT] = fault, at


@routine
def _begins_next(text: np.ndarray, at: int, place: np.uint8, tags: np.ndarray, first: int) -> bool:
    """Whether a tag belongs to the next game.

    A tag belongs to the next game if it follows moves; if it has the same name as this game's first tag, which is in
    row ``first``; or if it follows another token and its line begins a game. The row ``first`` is always filled here,
    because a game without moves so far began with a tag.
    """
    if place == _MOVES or same_name(text, at + 1, tags[first, 0], tags[first, 1]):
        return True
    return place == _BEHIND_TAGS and at_line_start(text, at) and game_begins(text, at)


@routine
def _read_tag(
    text: np.ndarray, at: int, game: np.ndarray, tags: np.ndarray, n_tags: int, boards: np.ndarray, n_boards: int
) -> tuple[int, int, int]:
    """Read a tag, and its position or variant; return where the tag ends, and the numbers of tags and boards."""
    name, name_stop, value, value_stop, stop = tag_at(text, at)
    if stop < 0:
        _break_off(game, OPEN_TAG, at)
        return text.size, n_tags, n_boards
    tags[n_tags, 0], tags[n_tags, 1], tags[n_tags, 2], tags[n_tags, 3] = name, name_stop, value, value_stop
    both_lose = value_stop - value == 3 and text[value] == DIGIT_0 and text[value + 2] == DIGIT_0
    is_odd = both_lose or text[value - 1] != QUOTE or text[stop - 1] != END_BRACKET
    at = blanks_end(text, name_stop)
    if is_odd or at + 1 < value or text[name] >= LOWER_A or CLASS[text[name_stop - 1]] == OTHER:
        game[ODD_TAGS] = 1
    if is_named(text, name, name_stop, FEN):
        state, fault, _ = read_fen(text, value, value_stop)
        if fault:
            state, fault, game[CHECKS] = read_variant_fen(text, value, value_stop)
            game[FAULT_AT] = value if game[FAULT] == NO_FAULT else game[FAULT_AT]
        if fault:
            _break_off(game, BAD_FEN, value)
        else:
            put_state(state, boards[n_boards])
            game[BOARD] = n_boards
            n_boards += 1
    elif is_named(text, name, name_stop, VARIANT_TAG):
        number = variant_number(text, value, value_stop)
        if number >= STANDARD:
            game[VARIANT_COLUMN] = number
        else:
            _break_off(game, BAD_VARIANT, value)
    elif is_named(text, name, name_stop, FEN_AS_TITLE):
        game[ODD_TAGS] = 1
    return stop, n_tags + 1, n_boards


@routine
def _start(game: np.ndarray, boards: np.ndarray) -> tuple[Board, np.uint64]:
    """Return the mover's board at the start of a game, and 56 if Black moves, else 0."""
    if not start_counting(game):
        _break_off(game, BAD_FEN, game[FAULT_AT])
    state = start_of(game, boards)
    return movers_board(state), FIFTY_SIX * (ONE - state.white_to_move)


@routine
def _end(
    game: np.ndarray, at: int, place: np.uint8, board: Board, flip: np.uint64, boards: np.ndarray, sets: np.ndarray,
    row: int, n_games: int, n_tags: int,
) -> None:  # fmt: skip
    """End a game, and write the board after its last move to a row of ``sets``.

    A game with a fault, and a result alone, may have words that PGN does not have.
    """
    game[STOP] = at
    if game[FAULT] != NO_FAULT or (row - n_games == game[FIRST_MOVE] and n_tags == game[FIRST_TAG]):
        game[ODD_TAGS] |= MAY_BE_ODD
    if place != _MOVES:
        board, flip = _start(game, boards)
    put_board(sets, row, lanes_of(board), board.castling, board.en_passant, flip)


@routine
def _extend_note(notes: np.ndarray, n_moves: int, game: np.ndarray, at: int) -> None:
    """Extend the span of the last move's annotations to here, if annotations are requested and there is a move."""
    if notes.shape[0] > 0 and n_moves > game[FIRST_MOVE]:
        notes[n_moves - 1, 1] = at


@routine
def _kind_of(text: np.ndarray, at: int, place: np.uint8) -> np.uint8:
    """Return the kind of the token here; tags inside a line of moves, and signs between games, are noise."""
    kind = token_at(text, at)
    if kind == TAG and place == _MOVES:
        if not at_line_start(text, at):
            return NOISE
        value = tag_at(text, at)[2]
        if value < text.size and text[value] == NEWLINE:
            return MOVE  # a line with neither a quote nor a closing bracket is a word that cannot be read
    if place == _BETWEEN and kind >= MOVE and CLASS[text[at]] == OTHER:
        return NOISE
    if kind == VARIATION and null_in_parentheses(text, at):
        return MOVE  # else the move that it stands for would be skipped
    return kind


@routine
def _read_move(
    text: np.ndarray, start: int, kind: np.uint8, game: np.ndarray, board: Board, flip: np.uint64, moves: np.ndarray,
    n_moves: int, notes: np.ndarray, sets: np.ndarray, row: int,
) -> tuple[int, int, Board, np.uint64]:  # fmt: skip
    """Read a move or a null move; return where it ends, the number of moves, and the board after it."""
    if game[FAULT] != NO_FAULT:
        return word_end(text, start), n_moves, board, flip
    at = en_passant_end(text, start)
    if at > start:
        return at, n_moves, board, flip
    if game[VARIANT_COLUMN] != STANDARD and has_ended(game, board, flip):
        _break_off(game, GAME_OVER, start)
        return start, n_moves, board, flip
    move: Move
    move, at, turns = NULL_MOVE, null_end(text, start, text.size), ZERO
    if kind == MOVE:
        (move, at), turns = read_san(text, start, text.size, board, flip), flip
    if kind == MOVE and (not is_move(move) or CLASS[text[start]] == OTHER):  # a sign in the place of a piece's letter
        _break_off(game, as_int(move & SQUARE_MASK) if not is_move(move) else UNREADABLE_MOVE, start)
        return start, n_moves, board, flip
    put_board(sets, row, lanes_of(board), board.castling, board.en_passant, flip)
    record(moves, notes, n_moves, move, turns, start, at)
    after = child(board, move)
    if game[VARIANT_COLUMN] != STANDARD:
        count_check(game, after, flip)
    return at, n_moves + 1, after, flip ^ FIFTY_SIX


@routine
def _skip(
    text: np.ndarray, start: int, kind: np.uint8, place: np.uint8, game: np.ndarray, notes: np.ndarray, n_moves: int
) -> tuple[int, bool]:
    """Return the end of a token that is not a tag, move or result, and whether the token hides text between games.

    Unclosed comments and variations are faults.
    """
    if kind == NUMBER:
        return number_end(text, start), False
    if kind == NAG:
        return digits_end(text, start + 1), False
    if kind == REST_OF_LINE:
        return line_end(text, start), False
    if kind != COMMENT and kind != VARIATION:
        return start + 1, False
    at, closed = comment_end(text, start + 1) if kind == COMMENT else variation_end(text, start + 1)
    if closed or place == _BETWEEN:
        return at, not closed
    if kind == COMMENT and game[FAULT] == NO_FAULT:
        _extend_note(notes, n_moves, game, at)
    _break_off(game, OPEN_COMMENT if kind == COMMENT else OPEN_VARIATION, start)
    return at, False


@entry(
    tuple_of(*[int64] * 5),
    TEXT, writes(int64, 2), writes(uint16), writes(int32, 2), writes(uint64, 2), writes(int32, 2),
    writes(uint64, 2),
)  # fmt: skip
def parse(
    text: np.ndarray, games: np.ndarray, moves: np.ndarray, tags: np.ndarray, boards: np.ndarray, notes: np.ndarray,
    sets: np.ndarray,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """Read whole games from a text; return the numbers of games, moves, tags and boards, and where reading ended.

    The last is the end of the text, or the start of the first game for which ``games`` has no row. The arrays are as in
    ``ParsedGames``; ``boards`` gets only starting positions other than the usual one. ``moves``, ``tags`` and
    ``boards`` need as many rows as ``room`` returns; this is not checked here. ``notes`` has no rows if annotations are
    not requested. ``sets`` may have fewer columns than there are positions; then the last positions are not written.
    """
    text, games, moves = borrowed(text), borrowed(games), borrowed(moves)
    tags, boards, notes, sets = borrowed(tags), borrowed(boards), borrowed(notes), borrowed(sets)
    n_games = n_moves = n_tags = n_boards = 0
    at = 3 if text.size >= 3 and text[0] == 0xEF and text[1] == 0xBB and text[2] == 0xBF else 0  # a byte order mark
    place, game = _BETWEEN, games[0]
    board, flip = movers_board(USUAL_START), ZERO
    while True:
        if place == _MOVES and game[FAULT] == NO_FAULT:
            _extend_note(notes, n_moves, game, at)
            first = game[FIRST_MOVE]
            if game[VARIANT_COLUMN] == STANDARD:
                at, n_moves, board, flip = read_moves(
                    text, at, board, flip, moves, n_moves, notes, first, sets, n_games
                )
        at = blanks_end(text, at)
        kind = _kind_of(text, at, place)

        # A game ends at the tags of the next game and at the end of the text. It also ends at its result, see below.
        if place != _BETWEEN and (
            kind == END or (kind == TAG and _begins_next(text, at, place, tags, game[FIRST_TAG]))
        ):
            _end(game, at, place, board, flip, boards, sets, n_moves + n_games, n_games, n_tags)
            n_games, place = n_games + 1, _BETWEEN
        if kind == END or (place == _BETWEEN and n_games == games.shape[0]):
            return n_games, n_moves, n_tags, n_boards, at
        # Comments after a result do not belong to a game.
        if place == _BETWEEN and kind >= TAG and not (kind == COMMENT and n_games > 0):
            game, place = games[n_games], _TAGS
            _begin(game, at, text.size, n_moves, n_tags)
        if kind >= COMMENT and (place == _TAGS or place == _BEHIND_TAGS):
            place = _MOVES
            board, flip = _start(game, boards)

        row = n_moves + n_games
        if kind == TAG:
            at, n_tags, n_boards = _read_tag(text, at, game, tags, n_tags, boards, n_boards)
            place = _TAGS if text[at - 1] == END_BRACKET else _BEHIND_TAGS
        elif kind == RESULT_TOKEN:
            game[RESULT_COLUMN], length = result_at(text, at)
            at = blanks_end(text, at + length)
            _end(game, at, place, board, flip, boards, sets, row, n_games, n_tags)
            n_games, place = n_games + 1, _BETWEEN
        elif kind == MOVE or kind == PASS:
            at, n_moves, board, flip = _read_move(text, at, kind, game, board, flip, moves, n_moves, notes, sets, row)
        else:
            start = at
            at, hides = _skip(text, at, kind, place, game, notes, n_moves)
            if hides:  # a fault of the game before; of a game of its own if that has one
                if n_games == 0 or game[FAULT] != NO_FAULT:
                    game = games[n_games]
                    _begin(game, start, at, n_moves, n_tags)
                    _end(game, at, _BETWEEN, board, flip, boards, sets, row, n_games, n_tags)
                    n_games += 1
                _break_off(game, OPEN_COMMENT if kind == COMMENT else OPEN_VARIATION, start)
                game[STOP], game[ODD_TAGS] = at, game[ODD_TAGS] | MAY_BE_ODD
        if place == _TAGS and kind < TAG:
            place = _BEHIND_TAGS


# ------------------------------------------------------------------------------------------------------------ the door

#: The shortest move, the shortest tag and the shortest tag of a position.
_MOVE_BYTES, _TAG_BYTES, _BOARD_BYTES = len("e4"), len("[A"), len('[FEN"8/8/8/8/8/8/8/8')
#: The number of bytes of a short game: most games are longer.
_GAME_BYTES = 64


def room(size: int) -> tuple[int, int, int]:
    """Return how many moves, tags and boards a text of ``size`` bytes can hold at most.

    No byte of the text belongs to two rows of the same kind. A move takes at least the two bytes of a square, a tag at
    least a bracket and a letter. A board takes a tag with a legal position: bracket, name, quote and eight ranks of at
    least one byte each, with seven slashes between them, take 20 bytes.
    """
    return size // _MOVE_BYTES, size // _TAG_BYTES, size // _BOARD_BYTES


def read_games(text: np.ndarray, *, notes: bool = False, positions: int = 0) -> ParsedGames:
    """Return the games of a text, bytes as uint8.

    Args:
        text: the text.
        notes: whether to keep the places of annotations.
        positions: the number of boards to reserve room for. If the text has more positions, no boards are returned.
    """
    most_moves, most_tags, most_boards = room(text.size)
    moves, tags = pooled((most_moves,), np.uint16), pooled((most_tags, 4), np.int32)
    boards, spans = pooled((most_boards, WORDS), np.uint64), pooled((most_moves * notes, 2), np.int32)
    sets = pooled((len(SETS), positions), np.uint64)
    rows, end = text.size // _GAME_BYTES + 1, -1
    while end < text.size:
        # A result alone is a game, too; but room for a game per byte would take 64 times the size of the text.
        rows *= 4 if end >= 0 else 1
        games = np.empty((rows, GAME_COLUMNS), np.int64)
        n_games, n_moves, n_tags, n_boards, end = parse(text, games, moves, tags, boards, spans, sets)
    games.resize((n_games, GAME_COLUMNS), refcheck=False)  # in place, as many results alone make a very large array
    count = n_moves + n_games
    return ParsedGames(
        games, moves[:n_moves].copy(), tags[:n_tags].copy(), boards[:n_boards].copy(),
        spans[:n_moves].copy() if notes else None, sets[:, :count] if 0 < count <= positions else None,
    )  # fmt: skip
