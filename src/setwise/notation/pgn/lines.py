"""The variations of games, read by a kernel of their own after the games of their text.

The reader of games skips variations, but the span of a move contains those that follow it. This kernel replays the
moves of a game, finds the parentheses in their spans and reads the moves inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import entry, routine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import int32, int64, reads, tuple_of, uint16, uint64, void, writes
from setwise.notation.characters import CLOSE_PARENTHESIS, OPEN_BRACE, OPEN_PARENTHESIS, PERCENT, SEMICOLON
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.parentheses import (
    BOARD_WORDS,
    COUNT,
    DEEPEST,
    FAULT,
    FAULT_AT,
    FRAME_WORDS,
    GAME,
    LINE_COLUMNS,
    NEVER_OPENED,
    PARENT,
    keep,
    read_variation,
    word_end,
)
from setwise.notation.pgn.replay import start_of
from setwise.notation.pgn.table import NO_FAULT, Columns
from setwise.notation.pgn.tokens import at_line_start, comment_end, line_end
from setwise.notation.pgn.variants import count_check, start_counting
from setwise.notation.scanning import TEXT, find
from setwise.patterns.bits import EMPTY, ONE, as_int
from setwise.rules.board import board_of, lanes_of
from setwise.rules.moves import FIFTY_SIX, NULL_MOVE, child_in_lanes, turned
from setwise.rules.state import movers_board
from setwise.rules.variants import STANDARD
from setwise.system.pool import pooled

__all__ = ["Lines", "faults_of_lines", "lines_of", "read_lines"]


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
    writes(int32, 2), writes(uint16), writes(int32, 2), writes(int32), writes(int64), writes(int64, 2),
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
        for k in range(game.size):  # an assignment of slices allocates memory, which shipped code cannot
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
                if game[pgn.VARIANT] != STANDARD:
                    game[pgn.CHECKS_NOW] = checks
                    count_check(game, board_of(sets, castling, passed), flip)
                    checks = game[pgn.CHECKS_NOW]
                flip ^= FIFTY_SIX
    return n_lines, n


@entry(
    void, reads(int32), writes(int64), reads(uint16), reads(int32, 2), writes(uint16), writes(int32, 2)
)  # fmt: skip
def _sort(
    of_line: np.ndarray,
    ends: np.ndarray,
    moves: np.ndarray,
    notes: np.ndarray,
    sorted_moves: np.ndarray,
    sorted_notes: np.ndarray,
) -> None:
    """Sort moves by their lines, which go on after the variations inside them; ``ends`` has where each line begins."""
    for n in range(of_line.size):
        line = of_line[n]
        row = ends[line]
        sorted_moves[row], sorted_notes[row, 0], sorted_notes[row, 1] = moves[n], notes[n, 0], notes[n, 1]
        ends[line] = row + 1


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
    return Lines(table, offsets, sorted_moves, sorted_notes, strays)


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
