"""The positions of games and of their variations: a row for each game's start, and one for each move of each line.

The rows of a game are those of its own moves, then those of its variations in the order of their parentheses. A row is
the position after its move; the move played next, along the same line, stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np

from setwise.compiler import entry, routine, subroutine
from setwise.compiler.signatures import boolean, int32, int64, reads, uint16, uint64, void, writes
from setwise.notation.pgn.lines import Lines
from setwise.notation.pgn.parentheses import GAME, PARENT, PLY
from setwise.notation.pgn.replay import put_board, start_of
from setwise.notation.pgn.table import FIRST_MOVE, Columns
from setwise.patterns.bits import EMPTY, ONE
from setwise.rules.board import PAWNS, board_at, lanes_of, mirrored
from setwise.rules.moves import FIFTY_SIX, child_in_lanes, clocks_after, turned
from setwise.rules.state import SETS, movers_board
from setwise.system.pool import pooled

__all__ = ["LineRows", "Paths", "beginnings", "paths_of", "paths_to", "positions_of_lines"]

#: The rows of ``places``: the game, the ply, the line counted within its game, the row of the parent, the line counted
#: through all games.
_GAME, _PLY, _LINE, _PARENT, _SEGMENT = range(5)
#: The rows of ``clocks``: the halfmove clock, the number of the full move, the move played next, the last move.
_HALFMOVES, _FULLMOVES, _NEXT, _LAST = range(4)


class LineRows(NamedTuple):
    """The columns of positions of games with variations."""

    sets: np.ndarray
    white_to_move: np.ndarray
    #: As ``describe`` writes them, and the last move: 0 at the start of a game.
    clocks: np.ndarray
    game: np.ndarray
    ply: np.ndarray
    #: The line of each row, counted within its game (0 for the game's own moves) and through all games.
    line: np.ndarray
    segment: np.ndarray
    #: The row of the position before the last move; -1 at the start of a game.
    parent: np.ndarray
    #: Where the text of the last move and of its annotations starts and stops.
    notes: np.ndarray


@routine
def _put_place(places: np.ndarray, row: int, game: int, ply: int, line: int, parent: int, segment: int) -> None:
    places[_GAME, row], places[_PLY, row], places[_LINE, row] = game, ply, line
    places[_PARENT, row], places[_SEGMENT, row] = parent, segment


@routine
def _put_notes(notes: np.ndarray, row: int, spans: np.ndarray, first: int, last: int) -> None:
    """Write the spans of moves beside the positions after them."""
    for n in range(first, last):
        notes[row + n - first, 0], notes[row + n - first, 1] = spans[n, 0], spans[n, 1]


@subroutine
def _play(
    sets: np.ndarray,
    white_to_move: np.ndarray,
    clocks: np.ndarray,
    places: np.ndarray,
    parent: int,
    row: int,
    moves: np.ndarray,
    first: int,
    last: int,
    line: int,
    segment: int,
) -> int:
    """Write the rows of a line that leaves a row; return the next free row."""
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
        clocks[_LAST, row] = moves[n]
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
    games: np.ndarray,
    moves: np.ndarray,
    starts: np.ndarray,
    spans: np.ndarray,
    lines: np.ndarray,
    offsets: np.ndarray,
    line_moves: np.ndarray,
    line_spans: np.ndarray,
    sets: np.ndarray,
    white_to_move: np.ndarray,
    clocks: np.ndarray,
    places: np.ndarray,
    notes: np.ndarray,
    begins: np.ndarray,
) -> None:
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
        clocks[_LAST, row] = np.uint16(0)
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


def positions_of_lines(columns: Columns, lines: Lines) -> LineRows:
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
    """Return the rows from the starts of games to some rows, path by path, and where the paths begin and end."""
    offsets = np.append(0, np.cumsum(tree.ply[lasts].astype(np.int64) + 1))
    rows = np.empty(offsets[-1], np.int32)
    _unfold(tree.parent, lasts.astype(np.int64), offsets, rows)
    return rows, offsets


def beginnings(numbers: np.ndarray) -> np.ndarray:
    """Return the rows from which a number differs from the one before."""
    return np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)])


class Paths(NamedTuple):
    """The ways from the starts of games to the ends of their lines, each a game of its own."""

    #: The rows of the tree, path by path, the number of the path of each, and the line counted through all games.
    rows: np.ndarray
    path: np.ndarray
    segment: np.ndarray
    #: Where in ``rows`` the rows are that belong to the last line of their path: each row of the tree once.
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
