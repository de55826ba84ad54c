"""Variations: the tree of lines of a game, and the positions of all lines.

The reader of games skips variations, but the span of a move contains the variations that follow it. This kernel
replays the moves of a game, finds the parentheses in their spans and reads the moves inside. A variation replaces the
move before it, so it begins on the board before that move; this board is kept for each depth. A stack holds the lines
that nested lines interrupt, up to the depth ``DEEPEST``. The result is a table of lines, and their moves line by line.
`positions_of_lines` turns the tree into rows: first the game's own moves, then each line. Every row has the row of its
parent, and `paths_of` turns the tree into games from the start to the end of each line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np

from setwise.compiler import Move, Set, entry, routine, subroutine, trailing_zeros
from setwise.compiler.kinds import boolean, int32, int64, reads, tuple_of, uint16, uint64, void, writes
from setwise.compiler.words import borrowed, packed, unpacked, word_at
from setwise.notation.moves import is_move, read_san
from setwise.notation.pgn import tokens as pgn
from setwise.notation.pgn.reader import count_check, has_ended, put_board, read_plain, record, start_counting, start_of
from setwise.notation.pgn.tokens import (
    COMMENT,
    FAULTS,
    FIRST_MOVE,
    MOVE,
    NAG,
    NO_FAULT,
    NUMBER,
    PASS,
    REST_OF_LINE,
    RESULT,
    ParsedGames,
    at_line_start,
    comment_end,
    digits_end,
    en_passant_end,
    line_end,
    number_end,
    result_at,
    token_at,
    variation_end,
)
from setwise.notation.text import (
    BLANK,
    CLASS,
    CLOSE_PARENTHESIS,
    DIGIT,
    DOT,
    NEWLINE,
    OPEN_BRACE,
    OPEN_PARENTHESIS,
    PERCENT,
    SEMICOLON,
    TEXT,
    find,
    null_end,
    others_than_digits,
)
from setwise.patterns.bits import EMPTY, ONE, SIX, THREE, ZERO, as_int, lowest
from setwise.rules.board import (
    FIFTY_SIX,
    NULL_MOVE,
    PAWNS,
    SETS,
    SQUARE_MASK,
    Board,
    board_at,
    board_of,
    child_in_lanes,
    clocks_after,
    lanes_of,
    mirrored,
    movers_board,
    turned,
)
from setwise.rules.variants import STANDARD
from setwise.system.pool import pooled

# ------------------------------------------------------------------------------------------------- one variation of PGN


#: The columns of the table of lines: the row of the game; the row of the line that this line leaves, -1 for the moves
#: of the game; how many moves of the game and its lines precede the line; how many parentheses enclose it; where its
#: opening parenthesis is and where its text ends; the number of its moves; its fault and where the fault is.
GAME, PARENT, PLY, DEPTH, OPENS, CLOSES, COUNT, FAULT, FAULT_AT = range(9)
LINE_COLUMNS = 9

#: Variations are read up to this depth.
DEEPEST = 100
#: The numbers of the faults of variations and of parentheses.
NEVER_OPENED, TOO_DEEP = len(FAULTS), len(FAULTS) + 1
LINE_FAULTS = [
    *FAULTS,
    "this parenthesis closes a variation that was never opened",
    f"this variation is inside {DEEPEST} others, and is not read",
]

# ---------------------------------------------------------------------------------------------------------- the kernel

#: The values that are kept of a line while a variation interrupts it: its row, the row of its last move (-1 for none),
#: the checks given after that move and before it.
_LINE, _LAST, _CHECKS, _CHECKS_BEFORE = range(4)
FRAME_WORDS = 4
#: The words of a board with its side: the eight sets, castling, en passant, and 56 if Black moves.
BOARD_WORDS = 11
_NO_MOVE = ZERO

_PARENTHESES = np.uint64(0x0101_0101_0101_0101) * np.uint64(CLOSE_PARENTHESIS)
_EACH, _SEVEN = np.uint64(0x0101_0101_0101_0101), np.uint64(7)
_HIGH = _EACH << _SEVEN
_BYTE, _WHOLE_BYTES = np.uint64(0xFF), np.uint64(0x38)
#: The number that turns a closing parenthesis into a blank by exclusive or.
_TO_BLANK = np.uint64(CLOSE_PARENTHESIS ^ ord(" "))
#: Bytes that end the text of a move.
_ENDS_WORD = CLASS == BLANK
_ENDS_WORD[list(b"{(;)")] = True
#: Letters of pieces, in promotions of either case.
_IS_PIECE = np.zeros(256, np.bool_)
_IS_PIECE[list(b"PNBRQKpnbrqk")] = True
#: Bytes of the text that must remain for a move to be read as one word.
_BEYOND = 16


@routine
def _without_closing(word: np.uint64) -> np.uint64:
    """Turn the first closing parenthesis of a word, and perhaps bytes above it, into a blank."""
    others = word ^ _PARENTHESES
    marks = (others - _EACH) & ~others & _HIGH
    return word ^ (marks >> _SEVEN) * _TO_BLANK


@routine
def _beyond_numbers(text: np.ndarray, at: int) -> int:
    """Return the end of blanks and of move numbers with their dots."""
    while at < text.size:
        byte = text[at]
        if CLASS[byte] == BLANK or byte == DOT:
            at += 1
        elif CLASS[byte] == DIGIT and at + 8 <= text.size:
            word = word_at(text, at)
            digits = trailing_zeros(others_than_digits(word)) & _WHOLE_BYTES
            if word >> digits & _BYTE != DOT:
                return at
            at += as_int(digits >> THREE) + 1
        else:
            return at
    return at


@routine
def _is_promotion(text: np.ndarray, at: int) -> bool | np.bool:
    """Whether a parenthesis begins a promotion, as ``read_san`` reads it."""
    return at + 2 < text.size and _IS_PIECE[text[at + 1]] and text[at + 2] == CLOSE_PARENTHESIS


@routine
def word_end(text: np.ndarray, at: int) -> int:
    """Return the end of a move's text; the parentheses of a promotion such as ``e8(Q)`` belong to it."""
    while at < text.size:
        byte = text[at]
        if byte == OPEN_PARENTHESIS and _is_promotion(text, at):
            at += 3
        elif _ENDS_WORD[byte]:
            return at
        else:
            at += 1
    return at


@routine
def keep(words: np.ndarray, sets: Any, castling: Set, passed: Set, flip: np.uint64) -> None:
    """Write a board and its side as words."""
    shown = unpacked(sets)
    for k in range(8):
        words[k] = shown[k]
    words[8], words[9], words[10] = castling, passed, flip


@routine
def _kept(words: np.ndarray) -> tuple[Any, Set, Set, np.uint64]:
    """Read a board and its side from words."""
    sets = packed(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7])
    return sets, words[8], words[9], words[10]


@routine
def _open(lines: np.ndarray, row: int, game: int, parent: int, ply: int, depth: int, at: int, stop: int) -> int:
    """Fill the row of a new line, which ends at ``stop`` unless it is closed before; return the number of rows."""
    lines[row, GAME], lines[row, PARENT], lines[row, PLY], lines[row, DEPTH] = game, parent, ply, depth
    lines[row, OPENS], lines[row, CLOSES], lines[row, COUNT] = at, stop, 0
    lines[row, FAULT], lines[row, FAULT_AT] = NO_FAULT, at
    return row + 1


@subroutine
def _skip(text: np.ndarray, at: int) -> int:
    """Return the end of a token that is not a move."""
    kind = token_at(text, at)
    if kind == COMMENT:
        return comment_end(text, at + 1)[0]
    if kind == NUMBER:
        return number_end(text, at)
    if kind == NAG:
        return digits_end(text, at + 1)
    if kind == RESULT:
        return at + result_at(text, at)[1]
    if text[at] == SEMICOLON:
        return line_end(text, at)
    if kind == REST_OF_LINE:  # the reader of games counts the parentheses after a percent sign, so they are read here
        while at < text.size and text[at] != NEWLINE and text[at] != OPEN_PARENTHESIS and text[at] != CLOSE_PARENTHESIS:
            at += 1
        return at
    return at + 1


@subroutine
def _read_any_move(
    text: np.ndarray, start: int, kind: np.uint8, game: np.ndarray, board: Board, flip: np.uint64
) -> tuple[Move, np.uint64, int, int]:
    """Read a move that is not plain, as ``_read_move`` does."""
    if game[pgn.VARIANT_COLUMN] != STANDARD and has_ended(game, board, flip):
        return NULL_MOVE, ZERO, start, pgn.GAME_OVER
    if kind == PASS:
        return NULL_MOVE, ZERO, null_end(text, start, text.size), NO_FAULT
    move, at = read_san(text, start, word_end(text, start), board, flip)
    return move, flip, at, NO_FAULT if is_move(move) else as_int(move & SQUARE_MASK)


@routine
def _read_move(
    text: np.ndarray, at: int, game: np.ndarray, sets: Any, castling: Set, passed: Set, flip: np.uint64
) -> tuple[Move, np.uint64, int, int]:
    """Read a token: a move, or 0 if it is not a move; the flip of its squares; where it ends; the fault of a move."""
    if at + _BEYOND <= text.size and game[pgn.VARIANT_COLUMN] == STANDARD:
        start, end, length = read_plain(_without_closing(word_at(text, at)), sets, flip)
        if start != EMPTY:
            return lowest(start) | lowest(end) << SIX, flip, at + as_int(length >> THREE), NO_FAULT
    kind = token_at(text, at)
    if kind != MOVE and kind != PASS:
        return _NO_MOVE, ZERO, _skip(text, at), NO_FAULT
    after = en_passant_end(text, at)
    if after > at:
        return _NO_MOVE, ZERO, after, NO_FAULT
    return _read_any_move(text, at, kind, game, board_of(sets, castling, passed), flip)


@routine
def _report(lines: np.ndarray, line: int, fault: int, at: int) -> None:
    """Store the first fault of a line and its place."""
    if lines[line, FAULT] == NO_FAULT:
        lines[line, FAULT], lines[line, FAULT_AT] = fault, at


@subroutine
def read_variation(
    text: np.ndarray, at: int, stop: int, game: np.ndarray, number: int, ply: int, lines: np.ndarray, n_lines: int,
    moves: np.ndarray, notes: np.ndarray, of_line: np.ndarray, n: int, frames: np.ndarray, boards: np.ndarray,
) -> tuple[int, int, int]:  # fmt: skip
    """Read a variation of a game and the variations inside it; return where it ends, the numbers of lines and moves.

    ``boards[0, 0]`` has the board on which it begins. ``frames`` holds the lines that are interrupted, ``boards`` their
    boards after and before the last move.
    """
    text, lines, moves, notes = borrowed(text), borrowed(lines), borrowed(moves), borrowed(notes)
    of_line, frames, boards = borrowed(of_line), borrowed(frames), borrowed(boards)
    sets, castling, passed, flip = _kept(boards[0, 0])
    line, last, height = n_lines, -1, 0
    n_lines = _open(lines, n_lines, number, -1, ply, 1, at, stop)
    at += 1
    while True:
        if last >= 0:
            notes[last, 1] = at
        at = _beyond_numbers(text, at)
        if at >= stop:
            return stop, n_lines, n
        if text[at] == OPEN_PARENTHESIS and height + 1 == DEEPEST:
            _report(lines, line, TOO_DEEP, at)
            at = variation_end(text, at + 1)[0]
            continue
        if text[at] == OPEN_PARENTHESIS:
            follows = last >= 0
            frames[height, _LINE], frames[height, _LAST], frames[height, _CHECKS] = line, last, game[pgn.CHECKS_NOW]
            keep(boards[height, 1], sets, castling, passed, flip)
            if follows:
                sets, castling, passed, flip = _kept(boards[height, 0])
                game[pgn.CHECKS_NOW] = frames[height, _CHECKS_BEFORE]
            parent = line if follows else lines[line, PARENT]
            begins = lines[line, PLY] + lines[line, COUNT] - follows
            depth = lines[line, DEPTH] + follows
            line, last, height = n_lines, -1, height + 1
            n_lines = _open(lines, n_lines, number, parent, begins, depth, at, stop)
            at += 1
            continue
        if text[at] != CLOSE_PARENTHESIS:
            move, turns, end, fault = _read_move(text, at, game, sets, castling, passed, flip)
            if fault == NO_FAULT:
                if move != _NO_MOVE:
                    keep(boards[height, 0], sets, castling, passed, flip)
                    frames[height, _CHECKS_BEFORE] = game[pgn.CHECKS_NOW]
                    record(moves, notes, n, move, turns, at, end)
                    sets, castling, passed = child_in_lanes(sets, castling, passed, move)
                    if game[pgn.VARIANT_COLUMN] != STANDARD:
                        count_check(game, board_of(sets, castling, passed), flip)
                    of_line[n], lines[line, COUNT] = line, lines[line, COUNT] + 1
                    last, n, flip = n, n + 1, flip ^ FIFTY_SIX
                at = end
                continue
            _report(lines, line, fault, at)
            at, closed = variation_end(text, at)
            if not closed:
                return stop, n_lines, n
            at -= 1

        # The line ends, and the interrupted line goes on.
        lines[line, CLOSES] = at
        at += 1
        if height == 0:
            return at, n_lines, n
        height -= 1
        line, last, game[pgn.CHECKS_NOW] = frames[height, _LINE], frames[height, _LAST], frames[height, _CHECKS]
        sets, castling, passed, flip = _kept(boards[height, 1])


# ---------------------------------------------------------------------------------------------- the variations of games


class VariationLines(NamedTuple):
    """The variations of some games, in the order of their parentheses, and their moves, line by line."""

    table: np.ndarray
    #: Where the moves of each line begin, and where the last line ends.
    offsets: np.ndarray
    #: The moves, 16 bits each, from White's view.
    moves: np.ndarray
    #: Where the text of each move and of its annotations starts and stops.
    notes: np.ndarray
    #: For each game the place of the first closing parenthesis that was never opened; -1 if there is none.
    strays: np.ndarray


# ---------------------------------------------------------------------------------------------------------- the kernel


@routine
def _next_parenthesis(text: np.ndarray, at: int, stop: int) -> int:
    """Return the next parenthesis outside of comments; ``stop`` if there is none before it."""
    while at < stop:
        byte = text[at]
        if byte == OPEN_PARENTHESIS or byte == CLOSE_PARENTHESIS:
            return at
        if byte == OPEN_BRACE:
            at = comment_end(text, at + 1)[0]
        elif byte == SEMICOLON or (byte == PERCENT and at_line_start(text, at)):
            at = line_end(text, at)
        else:
            at += 1
    return stop


@routine
def _before_moves(
    games: np.ndarray, number: int, tags: np.ndarray, notes: np.ndarray, first: int, last: int
) -> tuple[int, int]:
    """Return the text of a game between its tags and its first move."""
    game = games[number]
    last_tag = games[number + 1, pgn.FIRST_TAG] if number + 1 < games.shape[0] else tags.shape[0]
    start = as_int(tags[last_tag - 1, 3]) if last_tag > game[pgn.FIRST_TAG] else game[pgn.START]
    if last > first:
        return start, as_int(notes[first, 0])
    whole = game[pgn.FAULT] == NO_FAULT or game[pgn.FAULT] == pgn.OPEN_VARIATION
    return start, game[pgn.STOP] if whole else game[pgn.FAULT_AT]


@entry(
    tuple_of(int64, int64),
    TEXT, reads(int64, 2), reads(uint16), reads(int32, 2), reads(uint64, 2), reads(int32, 2),
    writes(int32, 2), writes(uint16), writes(int32, 2), writes(int32), writes(int64), writes(int64, 2),
    writes(uint64, 3), writes(int64),
)  # fmt: skip
def _read(
    text: np.ndarray, games: np.ndarray, main: np.ndarray, tags: np.ndarray, starts: np.ndarray, spans: np.ndarray,
    lines: np.ndarray, moves: np.ndarray, notes: np.ndarray, of_line: np.ndarray, strays: np.ndarray,
    frames: np.ndarray, boards: np.ndarray, game: np.ndarray,
) -> tuple[int, int]:  # fmt: skip
    """Read the variations of all games; return the numbers of lines and of their moves."""
    text, spans = borrowed(text), borrowed(spans)
    n_lines = n = 0
    any_parenthesis = -1
    for number in range(games.shape[0]):
        strays[number] = -1
        start, stop = games[number, pgn.START], games[number, pgn.STOP]
        if any_parenthesis < start:
            any_parenthesis = find(text, start, OPEN_PARENTHESIS, CLOSE_PARENTHESIS)
        if any_parenthesis >= stop:
            continue
        for k in range(game.size):  # an assignment of slices allocates memory, which shipped code cannot do
            game[k] = games[number, k]
        start_counting(game)
        state = start_of(game, starts)
        board, flip = movers_board(state), FIFTY_SIX * (ONE - state.white_to_move)
        sets, castling, passed = lanes_of(board), board.castling, board.en_passant
        first = game[pgn.FIRST_MOVE]
        last = games[number + 1, pgn.FIRST_MOVE] if number + 1 < games.shape[0] else main.size
        checks = game[pgn.CHECKS_NOW]
        for k in range(first - 1, last):
            # The variations after a move begin from the board before it.
            keep(boards[0, 0], sets, castling, passed, flip)
            if k < first:
                at, end = _before_moves(games, number, tags, spans, first, last)
            else:
                at, end = word_end(text, as_int(spans[k, 0])), as_int(spans[k, 1])
                if k == last - 1 and game[pgn.FAULT] == pgn.OPEN_VARIATION:
                    end = stop
            while True:
                at = _next_parenthesis(text, at, end)
                if at >= end:
                    break
                if text[at] == OPEN_PARENTHESIS:
                    game[pgn.CHECKS_NOW] = checks
                    keep(boards[0, 0], sets, castling, passed, flip)
                    at, n_lines, n = read_variation(
                        text, at, end, game, number, max(k - first, 0), lines, n_lines, moves, notes, of_line, n,
                        frames, boards,
                    )  # fmt: skip
                else:
                    strays[number] = at if strays[number] < 0 else strays[number]
                    at += 1
            if k >= first:
                move = np.uint64(main[k])
                own_side = turned(move) if flip != EMPTY and move != NULL_MOVE else move
                sets, castling, passed = child_in_lanes(sets, castling, passed, own_side)
                if game[pgn.VARIANT_COLUMN] != STANDARD:
                    game[pgn.CHECKS_NOW] = checks
                    count_check(game, board_of(sets, castling, passed), flip)
                    checks = game[pgn.CHECKS_NOW]
                flip ^= FIFTY_SIX
    return n_lines, n


@entry(
    void, reads(int32), writes(int64), reads(uint16), reads(int32, 2), writes(uint16), writes(int32, 2)
)  # fmt: skip
def _sort(
    of_line: np.ndarray, ends: np.ndarray, moves: np.ndarray, notes: np.ndarray, sorted_moves: np.ndarray,
    sorted_notes: np.ndarray,
) -> None:  # fmt: skip
    """Sort moves by lines, because a line goes on after the lines inside it; ``ends`` has where each line begins."""
    for n in range(of_line.size):
        line = of_line[n]
        row = ends[line]
        sorted_moves[row], sorted_notes[row, 0], sorted_notes[row, 1] = moves[n], notes[n, 0], notes[n, 1]
        ends[line] = row + 1


# ------------------------------------------------------------------------------------------------------------ the door


def read_lines(text: np.ndarray, columns: ParsedGames) -> VariationLines:
    """Return the variations of games.

    Args:
        text: the text that the games were read from, bytes as uint8.
        columns: the games, read with their notes.
    """
    if columns.notes is None:
        raise ValueError("the variations of games stand among their notes")
    rows, most = int(np.count_nonzero(text == OPEN_PARENTHESIS)), text.size // 2
    most = most if rows else 0
    table, moves = np.empty((rows, LINE_COLUMNS), np.int32), pooled((most,), np.uint16)
    notes, of_line = pooled((most, 2), np.int32), pooled((most,), np.int32)
    strays = np.empty(len(columns.games), np.int64)
    frames, boards = np.empty((DEEPEST, FRAME_WORDS), np.int64), np.empty((DEEPEST, 2, BOARD_WORDS), np.uint64)
    n_lines, n = _read(
        text, columns.games, columns.moves, columns.tags, columns.boards, columns.notes, table, moves, notes, of_line,
        strays, frames, boards, np.empty(pgn.GAME_COLUMNS, np.int64),
    )  # fmt: skip
    table = table[:n_lines].copy()
    offsets = np.append(0, np.cumsum(table[:, COUNT]))
    sorted_moves, sorted_notes = np.empty(n, np.uint16), np.empty((n, 2), np.int32)
    _sort(of_line[:n], offsets[:-1].copy(), moves[:n], notes[:n], sorted_moves, sorted_notes)
    return VariationLines(table, offsets, sorted_moves, sorted_notes, strays)


def faults_of_lines(lines: VariationLines) -> list[tuple[int, int, int]]:
    """Return the faults of lines and parentheses: the place, the row of the game, the number of the fault."""
    faulty = lines.table[lines.table[:, FAULT] != NO_FAULT]
    strays = np.flatnonzero(lines.strays >= 0)
    return [
        *map(tuple, faulty[:, [FAULT_AT, GAME, FAULT]].tolist()),
        *((at, game, NEVER_OPENED) for at, game in zip(lines.strays[strays].tolist(), strays.tolist(), strict=True)),
    ]


def lines_of(lines: VariationLines, start: int, stop: int) -> VariationLines:
    """Return the variations of a range of games."""
    first, last = np.searchsorted(lines.table[:, GAME], [start, stop]).tolist()
    table = lines.table[first:last].copy()
    table[:, GAME] -= start
    table[:, PARENT] -= np.where(table[:, PARENT] >= 0, first, 0)
    offsets = lines.offsets[first : last + 1]
    rows = slice(offsets[0], offsets[-1])
    return VariationLines(table, offsets - offsets[0], lines.moves[rows], lines.notes[rows], lines.strays[start:stop])


# ----------------------------------------------------------------------- the positions of games and of their variations


#: The rows of ``places``: the game, the ply, the number of the line within its game, the row of the parent, the number
#: of the line among all games.
_GAME, _PLY, _LINE_AT, _PARENT, _SEGMENT = range(5)
#: The rows of ``clocks``: the halfmove clock, the number of the full move, the move played next, the last move.
_HALFMOVES, _FULLMOVES, _NEXT, _LAST_AT = range(4)


class LineRows(NamedTuple):
    """The columns of positions of games with variations."""

    sets: np.ndarray
    white_to_move: np.ndarray
    #: The rows that ``describe`` writes, and the last move: 0 at the start of a game.
    clocks: np.ndarray
    game: np.ndarray
    ply: np.ndarray
    #: The number of each row's line within its game (0 for the game's own moves), and among the lines of all games.
    line: np.ndarray
    segment: np.ndarray
    #: The row of the position before the last move; -1 at the start of a game.
    parent: np.ndarray
    #: Where the text of the last move and of its annotations starts and stops.
    notes: np.ndarray


@routine
def _put_place(places: np.ndarray, row: int, game: int, ply: int, line: int, parent: int, segment: int) -> None:
    places[_GAME, row], places[_PLY, row], places[_LINE_AT, row] = game, ply, line
    places[_PARENT, row], places[_SEGMENT, row] = parent, segment


@routine
def _put_notes(notes: np.ndarray, row: int, spans: np.ndarray, first: int, last: int) -> None:
    """Write the spans of moves into the rows of the positions after them."""
    for n in range(first, last):
        notes[row + n - first, 0], notes[row + n - first, 1] = spans[n, 0], spans[n, 1]


@subroutine
def _play(
    sets: np.ndarray, white_to_move: np.ndarray, clocks: np.ndarray, places: np.ndarray, parent: int, row: int,
    moves: np.ndarray, first: int, last: int, line: int, segment: int,
) -> int:  # fmt: skip
    """Write the rows of a line that begins at the position of a row; return the next free row."""
    white = np.uint64(white_to_move[parent])
    flip = FIFTY_SIX * (ONE - white)
    whites = board_at(sets, parent)
    board = whites if white != EMPTY else mirrored(whites)
    lanes, castling, passed = lanes_of(board), board.castling, board.en_passant
    halfmoves, fullmoves = np.uint64(clocks[_HALFMOVES, parent]), np.uint64(clocks[_FULLMOVES, parent])
    game, ply = places[_GAME, parent], places[_PLY, parent]
    for n in range(first, last):
        move = np.uint64(moves[n])
        pawns, enemy = sets[PAWNS, parent], sets[white, parent]
        halfmoves, fullmoves = clocks_after(pawns, enemy, move, halfmoves, fullmoves, white ^ ONE)
        lanes, castling, passed = child_in_lanes(lanes, castling, passed, turned(move) if flip != EMPTY else move)
        flip, white, ply = flip ^ FIFTY_SIX, white ^ ONE, ply + 1
        put_board(sets, row, lanes, castling, passed, flip)
        white_to_move[row] = white != EMPTY
        clocks[_HALFMOVES, row], clocks[_FULLMOVES, row] = np.uint16(halfmoves), np.uint16(fullmoves)
        clocks[_NEXT, row] = moves[n + 1] if n + 1 < last else np.uint16(0)
        clocks[_LAST_AT, row] = moves[n]
        _put_place(places, row, game, ply, line, parent, segment)
        parent, row = row, row + 1
    return row


@entry(
    void,
    reads(int64, 2), reads(uint16), reads(uint64, 2), reads(int32, 2), reads(int32, 2), reads(int64), reads(uint16),
    reads(int32, 2), writes(uint64, 2), writes(boolean), writes(uint16, 2), writes(int32, 2), writes(int32, 2),
    writes(int64),
)  # fmt: skip
def _lay_out(
    games: np.ndarray, moves: np.ndarray, starts: np.ndarray, spans: np.ndarray, lines: np.ndarray,
    offsets: np.ndarray, line_moves: np.ndarray, line_spans: np.ndarray, sets: np.ndarray, white_to_move: np.ndarray,
    clocks: np.ndarray, places: np.ndarray, notes: np.ndarray, begins: np.ndarray,
) -> None:  # fmt: skip
    """Write the rows of all games; ``begins`` gets the first row of each line."""
    row = line = 0
    for game in range(games.shape[0]):
        first = games[game, FIRST_MOVE]
        last = games[game + 1, FIRST_MOVE] if game + 1 < games.shape[0] else moves.size
        start, own, number = row, game + line, 0
        state = start_of(games[game], starts)
        board = movers_board(state)
        flip = FIFTY_SIX * (ONE - state.white_to_move)
        put_board(sets, row, lanes_of(board), board.castling, board.en_passant, flip)
        white_to_move[row] = flip == EMPTY
        clocks[_HALFMOVES, row], clocks[_FULLMOVES, row] = state.halfmove_clock, state.fullmove_number
        clocks[_NEXT, row] = moves[first] if first < last else np.uint16(0)
        clocks[_LAST_AT, row] = np.uint16(0)
        _put_place(places, row, game, 0, 0, -1, own)
        notes[row, 0], notes[row, 1] = 0, 0
        row = _play(sets, white_to_move, clocks, places, row, row + 1, moves, first, last, 0, own)
        _put_notes(notes, start + 1, spans, first, last)
        while line < lines.shape[0] and lines[line, GAME] == game:
            number += 1
            begins[line] = row
            above, ply = lines[line, PARENT], lines[line, PLY]
            if above < 0:
                parent = start + ply
            elif ply == lines[above, PLY]:
                parent = places[_PARENT, begins[above]]
            else:
                parent = begins[above] + ply - lines[above, PLY] - 1
            first, last = offsets[line], offsets[line + 1]
            after = _play(
                sets, white_to_move, clocks, places, parent, row, line_moves, first, last, number, game + line + 1
            )
            _put_notes(notes, row, line_spans, first, last)
            row, line = after, line + 1


def positions_of_lines(columns: ParsedGames, lines: VariationLines) -> LineRows:
    """Return the positions of games, read with their notes, and of their variations."""
    count = len(columns.games) + len(columns.moves) + len(lines.moves)
    sets, white_to_move = pooled((len(SETS), count), np.uint64), np.empty(count, np.bool_)
    clocks, places = np.empty((4, count), np.uint16), np.empty((5, count), np.int32)
    notes, begins = np.empty((count, 2), np.int32), np.empty(len(lines.table), np.int64)
    _lay_out(
        columns.games, columns.moves, columns.boards, cast("np.ndarray", columns.notes), lines.table, lines.offsets,
        lines.moves, lines.notes, sets, white_to_move, clocks, places, notes, begins,
    )  # fmt: skip
    game, ply, line, parent, segment = places
    return LineRows(sets, white_to_move, clocks, game, ply, line, segment, parent, notes)


@entry(void, reads(int32), reads(int64), reads(int64), writes(int32))
def _unfold(parents: np.ndarray, lasts: np.ndarray, offsets: np.ndarray, rows: np.ndarray) -> None:
    for path in range(lasts.size):
        row = lasts[path]
        for k in range(offsets[path + 1] - 1, offsets[path] - 1, -1):
            rows[k] = row
            row = parents[row]


def paths_to(tree: LineRows, lasts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return paths from the starts of games to some rows, as concatenated rows, and where the paths begin and end."""
    offsets = np.append(0, np.cumsum(tree.ply[lasts].astype(np.int64) + 1))
    rows = np.empty(offsets[-1], np.int32)
    _unfold(tree.parent, lasts.astype(np.int64), offsets, rows)
    return rows, offsets


def beginnings(numbers: np.ndarray) -> np.ndarray:
    """Return the rows whose number differs from the number of the row before, and row 0."""
    return np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)])


class Paths(NamedTuple):
    """The paths from the starts of games to the ends of their lines, each like a game of its own."""

    #: The rows of the tree, path by path; the path of each row; the number of each row's line among all games.
    rows: np.ndarray
    path: np.ndarray
    segment: np.ndarray
    #: Where ``rows`` has the rows that belong to the last line of their path: each row of the tree once.
    own: np.ndarray


def paths_of(tree: LineRows, most: int = 1 << 20) -> Iterator[Paths]:
    """Yield all paths in the order of their lines, in parts of about ``most`` rows."""
    begins = beginnings(tree.segment)
    lengths = np.diff(np.append(begins, len(tree.ply)))
    lasts = begins + lengths - 1
    ends = np.cumsum(tree.ply[lasts].astype(np.int64) + 1)
    for part in np.unique(ends // most).tolist() if len(ends) else ():
        which = np.flatnonzero(ends // most == part)
        rows, offsets = paths_to(tree, lasts[which])
        path = np.repeat(np.arange(len(which), dtype=np.int32), np.diff(offsets))
        segment = tree.segment[rows]
        yield Paths(rows, path, segment, np.flatnonzero(segment == tree.segment[lasts[which]][path]))
