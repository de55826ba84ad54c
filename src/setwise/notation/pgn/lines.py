"""Variations, the lines in parentheses, read by a kernel of their own after the games of their text.

The reader of games skips variations, but the span of a move contains those that follow it. This kernel replays the
moves of a game, finds the parentheses in their spans and reads the moves inside. It ends a variation exactly where the
reader of games does: comments and the rest of a line after a semicolon hide parentheses, nothing else.

A variation replaces the move before its parenthesis. One that precedes every move of its game or of its line begins
where that line begins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Set, entry, routine, subroutine
from setwise.compiler.lanes import packed, unpacked
from setwise.compiler.memory import borrowed, word_at
from setwise.compiler.signatures import int32, int64, reads, tuple_of, uint16, uint64, writes
from setwise.notation.characters import (
    BLANK,
    CLASS,
    CLOSE_PARENTHESIS,
    NEWLINE,
    OPEN_BRACE,
    OPEN_PARENTHESIS,
    PERCENT,
    SEMICOLON,
)
from setwise.notation.nulls import null_end
from setwise.notation.pgn import table as pgn

# Private, because a new name would change the module, and the machine code of the reader of games with it.
from setwise.notation.pgn.fast_moves import _read_plain, record
from setwise.notation.pgn.replay import start_of
from setwise.notation.pgn.table import FAULTS, NO_FAULT, Columns
from setwise.notation.pgn.tokens import (
    COMMENT,
    MOVE,
    NAG,
    NUMBER,
    PASS,
    REST_OF_LINE,
    RESULT,
    at_line_start,
    blanks_end,
    comment_end,
    digits_end,
    en_passant_end,
    line_end,
    number_end,
    result_at,
    token_at,
    variation_end,
)
from setwise.notation.pgn.variants import count_check, has_ended, start_counting
from setwise.notation.resolve import is_move
from setwise.notation.san import read_san
from setwise.notation.scanning import TEXT, find
from setwise.patterns.bits import EMPTY, ONE, SIX, THREE, ZERO, as_int, lowest
from setwise.rules.board import board_of, lanes_of
from setwise.rules.moves import FIFTY_SIX, NULL_MOVE, SQUARE_MASK, child_in_lanes, normal_child, turned
from setwise.rules.state import movers_board
from setwise.rules.variants import STANDARD
from setwise.system.pool import pooled

__all__ = [
    "CLOSES", "COUNT", "DEEPEST", "DEPTH", "FAULT", "FAULT_AT", "GAME", "LINE_FAULTS", "OPENS", "PARENT", "PLY", "Lines",
    "faults_of_lines", "lines_of", "read_lines",
]  # fmt: skip

#: The columns of the table of lines: the row of the game; the row of the line that this one leaves, -1 for the moves of
#: the game; how many moves of the game and its lines precede; how many parentheses enclose it; where its parenthesis
#: stands and where its text ends; the number of its moves; its fault and where that is.
GAME, PARENT, PLY, DEPTH, OPENS, CLOSES, COUNT, FAULT, FAULT_AT = range(9)
_LINE_COLUMNS = 9

#: Variations are read up to this depth.
DEEPEST = 100
#: Why a line ends before its parenthesis does, and what is wrong with parentheses, by the numbers of the faults.
NEVER_OPENED, TOO_DEEP = len(FAULTS), len(FAULTS) + 1
LINE_FAULTS = [
    *FAULTS,
    "this parenthesis closes a variation that was never opened",
    f"this variation is inside {DEEPEST} others, and is not read",
]


class Lines(NamedTuple):
    """The variations of some games, in the order of their parentheses, and their moves, line by line."""

    table: np.ndarray
    #: Where the moves of each line begin, and where those of the last one end.
    offsets: np.ndarray
    #: 16 bits each, as White sees them.
    moves: np.ndarray
    #: Where the text of each move and of its annotations starts and stops.
    notes: np.ndarray
    #: For each game the place of the first parenthesis that closes nothing; -1 if there is none.
    strays: np.ndarray


# ---------------------------------------------------------------------------------------------------------- the kernel

#: A line that is interrupted by a variation: its row, the row of its last move (-1 for none), the checks given.
_LINE, _LAST, _CHECKS = range(3)
#: The words of a board with its side: the eight sets, castling, en passant, and 56 if Black moves.
_BOARD_WORDS = 11

_PARENTHESES = np.uint64(0x0101_0101_0101_0101) * np.uint64(CLOSE_PARENTHESIS)
_EACH, _SEVEN = np.uint64(0x0101_0101_0101_0101), np.uint64(7)
_HIGH = _EACH << _SEVEN
#: What makes a blank of a closing parenthesis.
_TO_BLANK = np.uint64(CLOSE_PARENTHESIS ^ ord(" "))
#: Bytes of the text that must remain for a move to be read as one word.
_BEYOND = 16


@routine
def _without_closing(word: np.uint64) -> np.uint64:
    """Turn the first closing parenthesis of a word, and perhaps bytes above it, into a blank."""
    others = word ^ _PARENTHESES
    marks = (others - _EACH) & ~others & _HIGH
    return word ^ (marks >> _SEVEN) * _TO_BLANK


@routine
def _word_end(text: np.ndarray, at: int) -> int:
    """Return the end of a move's text; the parentheses of a promotion such as ``e8(Q)`` belong to it."""
    while at < text.size:
        byte = text[at]
        if byte == OPEN_PARENTHESIS and at + 2 < text.size and text[at + 2] == CLOSE_PARENTHESIS:
            at += 3
        elif CLASS[byte] == BLANK or byte == OPEN_BRACE or byte == SEMICOLON:
            return at
        elif byte == OPEN_PARENTHESIS or byte == CLOSE_PARENTHESIS:
            return at
        else:
            at += 1
    return at


@routine
def _keep(words: np.ndarray, sets: Any, castling: Set, passed: Set, flip: np.uint64) -> None:
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
    """Fill the row of a new line, closed at ``stop`` if nothing closes it; return the number of rows."""
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
    if kind == REST_OF_LINE:  # after a percent sign, which hides no parentheses from the reader of games
        while at < text.size and text[at] != NEWLINE and text[at] != OPEN_PARENTHESIS and text[at] != CLOSE_PARENTHESIS:
            at += 1
        return at
    return at + 1


@subroutine
def _read_move(
    text: np.ndarray, start: int, kind: np.uint8, game: np.ndarray, sets: Any, castling: Set, passed: Set,
    flip: np.uint64,
) -> tuple[np.uint64, np.uint64, int, int]:
    """Read any move or null move: the move, what turns it to White's side, where it ends, and its fault."""  # fmt: skip
    board = board_of(sets, castling, passed)
    if game[pgn.VARIANT] != STANDARD and has_ended(game, board, flip):
        return NULL_MOVE, ZERO, start, pgn.GAME_OVER
    if kind == PASS:
        return NULL_MOVE, ZERO, null_end(text, start, text.size), NO_FAULT
    move, at = read_san(text, start, _word_end(text, start), board, flip)
    return move, flip, at, NO_FAULT if is_move(move) else as_int(move & SQUARE_MASK)


@subroutine
def _read_variation(
    text: np.ndarray,
    at: int,
    stop: int,
    game: np.ndarray,
    number: int,
    ply: int,
    lines: np.ndarray,
    n_lines: int,
    moves: np.ndarray,
    notes: np.ndarray,
    of_line: np.ndarray,
    n: int,
    frames: np.ndarray,
    boards: np.ndarray,
) -> tuple[int, int, int]:
    """Read a variation of a game's moves and those inside; return where it ends, the numbers of lines and moves.

    ``boards[0, 0]`` has the board that it begins from. Lines that are interrupted lie in ``frames``, their boards after
    the last move and before it in ``boards``.
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
        at = blanks_end(text, at)
        if at >= stop:
            return stop, n_lines, n
        byte, fault = text[at], NO_FAULT

        if byte == OPEN_PARENTHESIS:
            follows = last >= 0
            if height + 1 == DEEPEST:
                if lines[line, FAULT] == NO_FAULT:
                    lines[line, FAULT], lines[line, FAULT_AT] = TOO_DEEP, at
                at = variation_end(text, at + 1)[0]
                continue
            frames[height, _LINE], frames[height, _LAST], frames[height, _CHECKS] = line, last, game[pgn.CHECKS_NOW]
            _keep(boards[height, 1], sets, castling, passed, flip)
            if follows:
                sets, castling, passed, flip = _kept(boards[height, 0])
                game[pgn.CHECKS_NOW] = frames[height, _CHECKS + 1]
            parent = line if follows else lines[line, PARENT]
            begins = lines[line, PLY] + lines[line, COUNT] - follows
            depth = lines[line, DEPTH] + follows
            line, last, height = n_lines, -1, height + 1
            n_lines = _open(lines, n_lines, number, parent, begins, depth, at, stop)
            at += 1
            continue

        if byte != CLOSE_PARENTHESIS:
            # A plain move, as in most places.
            if at + _BEYOND <= text.size and game[pgn.VARIANT] == STANDARD:
                begin, end, length = _read_plain(_without_closing(word_at(text, at)), sets, flip)
                if begin != EMPTY:
                    _keep(boards[height, 0], sets, castling, passed, flip)
                    start, at = at, at + as_int(length >> THREE)
                    record(moves, notes, n, lowest(begin) | lowest(end) << SIX, flip, start, at)
                    sets, castling, passed = normal_child(sets, castling, begin, end)
                    of_line[n], lines[line, COUNT] = line, lines[line, COUNT] + 1
                    last, n, flip = n, n + 1, flip ^ FIFTY_SIX
                    continue
            kind = token_at(text, at)
            if kind != MOVE and kind != PASS:
                at = _skip(text, at)
                continue
            start, at = at, en_passant_end(text, at)
            if at > start:
                continue
            move, turns, at, fault = _read_move(text, start, kind, game, sets, castling, passed, flip)
            if fault == NO_FAULT:
                _keep(boards[height, 0], sets, castling, passed, flip)
                frames[height, _CHECKS + 1] = game[pgn.CHECKS_NOW]
                record(moves, notes, n, move, turns, start, at)
                sets, castling, passed = child_in_lanes(sets, castling, passed, move)
                if game[pgn.VARIANT] != STANDARD:
                    count_check(game, board_of(sets, castling, passed), flip)
                of_line[n], lines[line, COUNT] = line, lines[line, COUNT] + 1
                last, n, flip = n, n + 1, flip ^ FIFTY_SIX
                continue
            if lines[line, FAULT] == NO_FAULT:
                lines[line, FAULT], lines[line, FAULT_AT] = fault, start
            at, closed = variation_end(text, start)
            if not closed:
                return stop, n_lines, n
            at -= 1

        # The line ends; the one that it interrupts goes on.
        lines[line, CLOSES] = at
        at += 1
        if height == 0:
            return at, n_lines, n
        height -= 1
        line, last, game[pgn.CHECKS_NOW] = frames[height, _LINE], frames[height, _LAST], frames[height, _CHECKS]
        sets, castling, passed, flip = _kept(boards[height, 1])


@routine
def _next_parenthesis(text: np.ndarray, at: int, stop: int) -> int:
    """Return the next parenthesis that is not hidden by a comment; ``stop`` if there is none before."""
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
    writes(int64, 2), writes(uint16), writes(int32, 2), writes(int32), writes(int64), writes(int64, 2),
    writes(uint64, 3), writes(int64),
)  # fmt: skip
def _read(
    text: np.ndarray,
    games: np.ndarray,
    main: np.ndarray,
    tags: np.ndarray,
    starts: np.ndarray,
    spans: np.ndarray,
    lines: np.ndarray,
    moves: np.ndarray,
    notes: np.ndarray,
    of_line: np.ndarray,
    strays: np.ndarray,
    frames: np.ndarray,
    boards: np.ndarray,
    game: np.ndarray,
) -> tuple[int, int]:
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
        game[:] = games[number]
        start_counting(game)
        state = start_of(game, starts)
        board, flip = movers_board(state), FIFTY_SIX * (ONE - state.white_to_move)
        sets, castling, passed = lanes_of(board), board.castling, board.en_passant
        first = game[pgn.FIRST_MOVE]
        last = games[number + 1, pgn.FIRST_MOVE] if number + 1 < games.shape[0] else main.size
        checks = game[pgn.CHECKS_NOW]
        for k in range(first - 1, last):
            # The variations after a move begin from the board before it.
            _keep(boards[0, 0], sets, castling, passed, flip)
            if k < first:
                at, end = _before_moves(games, number, tags, spans, first, last)
            else:
                at, end = _word_end(text, as_int(spans[k, 0])), as_int(spans[k, 1])
                if k == last - 1 and game[pgn.FAULT] == pgn.OPEN_VARIATION:
                    end = stop
            while True:
                at = _next_parenthesis(text, at, end)
                if at >= end:
                    break
                if text[at] == OPEN_PARENTHESIS:
                    game[pgn.CHECKS_NOW] = checks
                    _keep(boards[0, 0], sets, castling, passed, flip)
                    at, n_lines, n = _read_variation(
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
                if game[pgn.VARIANT] != STANDARD:
                    game[pgn.CHECKS_NOW] = checks
                    count_check(game, board_of(sets, castling, passed), flip)
                    checks = game[pgn.CHECKS_NOW]
                flip ^= FIFTY_SIX
    return n_lines, n


# ------------------------------------------------------------------------------------------------------------ the door


def read_lines(text: np.ndarray, columns: Columns) -> Lines:
    """Return the variations of games.

    Args:
        text: the text that the games were read from, bytes as uint8.
        columns: the games, read with their notes.
    """
    if columns.notes is None:
        raise ValueError("the variations of games stand among their notes")
    rows, most = int(np.count_nonzero(text == OPEN_PARENTHESIS)), text.size // 2
    most = most if rows else 0
    table, moves = np.empty((rows, _LINE_COLUMNS), np.int64), pooled((most,), np.uint16)
    notes, of_line = pooled((most, 2), np.int32), pooled((most,), np.int32)
    strays = np.empty(len(columns.games), np.int64)
    frames, boards = np.empty((DEEPEST, _CHECKS + 2), np.int64), np.empty((DEEPEST, 2, _BOARD_WORDS), np.uint64)
    n_lines, n = _read(
        text, columns.games, columns.moves, columns.tags, columns.boards, columns.notes, table, moves, notes, of_line,
        strays, frames, boards, np.empty(pgn.GAME_COLUMNS, np.int64),
    )  # fmt: skip
    order = np.argsort(of_line[:n], kind="stable")  # a line goes on after the variations inside it
    table = table[:n_lines].copy()
    offsets = np.append(0, np.cumsum(table[:, COUNT]))
    return Lines(table, offsets, moves[:n][order], notes[:n][order], strays)


def faults_of_lines(lines: Lines) -> list[tuple[int, int, int]]:
    """Return the faults of lines, and parentheses that close nothing: the place, the row of the game, the number."""
    faulty = lines.table[lines.table[:, FAULT] != NO_FAULT]
    strays = np.flatnonzero(lines.strays >= 0)
    return [
        *map(tuple, faulty[:, [FAULT_AT, GAME, FAULT]].tolist()),
        *((at, game, NEVER_OPENED) for at, game in zip(lines.strays[strays].tolist(), strays.tolist(), strict=True)),
    ]


def lines_of(lines: Lines, start: int, stop: int) -> Lines:
    """Return the variations of a range of games."""
    first, last = np.searchsorted(lines.table[:, GAME], [start, stop]).tolist()
    table = lines.table[first:last].copy()
    table[:, GAME] -= start
    table[:, PARENT] -= np.where(table[:, PARENT] >= 0, first, 0)
    offsets = lines.offsets[first : last + 1]
    rows = slice(offsets[0], offsets[-1])
    return Lines(table, offsets - offsets[0], lines.moves[rows], lines.notes[rows], lines.strays[start:stop])
