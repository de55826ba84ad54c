"""Children of positions in columns: limits, moves and boards of many positions, eight at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import entry, routine, scratch, subroutine
from setwise.compiler.lanes import LANES
from setwise.compiler.memory import columns
from setwise.compiler.signatures import boolean, int16, int64, reads, uint16, uint64, void, writes
from setwise.patterns.bits import EMPTY, ZERO
from setwise.patterns.moves import checkers, legal_move_count
from setwise.patterns.moves.limits import Limits, king_safety, lines_of_words
from setwise.rules.board import Board, board_at, mirrored
from setwise.rules.generate import MOST_MOVES, generate
from setwise.rules.moves import clocks_after, make_move, turned

__all__ = [
    "MOST_PARENTS", "child_of", "children", "expand", "family", "find_checks", "find_limits", "legal_move_counts",
    "limits_of", "list_moves", "padded", "parent_of", "put_parent",
]  # fmt: skip


@routine
def padded(number: int) -> int:
    """A number of rows rounded up to full registers; the rows left over would be computed one by one."""
    return (number + LANES - 1) // LANES * LANES


# ---------------------------------------------------------------------------------------------------------- many moves

#: The number of parents that are expanded together: the children of one position always fit.
MOST_PARENTS = MOST_MOVES
#: Children are made until there are this many, and those of the last parent completed. They stay in the cache.
_MANY = np.int64(256)
_ROOM = int(_MANY) + MOST_MOVES

_parents, parent_of, put_parent = columns(Board, MOST_PARENTS)
_limits, limits_of, _put_limits = columns(Limits, MOST_PARENTS)
_children, child_of, _put_child = columns(Board, _ROOM)
_moves, _ends = scratch(_ROOM), scratch(MOST_PARENTS)

#: The generator as a function that is called: it is long, and would take long to compile into every caller.
list_moves = subroutine(generate)


class Family(NamedTuple):
    """Columns of parents, from the movers' sides, and of the children of some of them, from the sides that move next.

    ``moves`` holds the moves of these parents one after the other, ``ends`` where those of each parent end,
    ``children`` the boards after the moves.
    """

    parents: Any
    limits: Any
    moves: Any
    ends: Any
    children: Any


@routine
def family() -> Family:
    """An uninitialised family on the stack."""
    return Family(_parents(), _limits(), _moves(uint16), _ends(int64), _children())


@routine
def find_limits(family: Family, number: int) -> None:
    """Compute the limits of the legal moves of the first parents, as ``rules.generate.legality`` does."""
    for k in range(padded(number)):
        board: Board = parent_of(family.parents, k)
        limits, _ = king_safety(*board[:8], board.en_passant, lines_of_words)
        _put_limits(family.limits, k, limits)


@routine
def expand(family: Family, first: int, number: int) -> tuple[int, int]:
    """Make the children of parents from the first on; return the parent to go on with, and the number of children."""
    listed, last = 0, first
    while last < number and listed < _MANY:
        board, limits = parent_of(family.parents, last), limits_of(family.limits, last)
        listed = list_moves(board, limits, family.moves, listed)
        family.ends[last] = listed
        last += 1
    # All moves first, then the children: a processor stalls on a wide read of what it has just written in parts.
    end = 0
    for k in range(first, last):
        board, start = parent_of(family.parents, k), end
        end = family.ends[k]
        for m in range(start, start + padded(end - start)):
            _put_child(family.children, m, mirrored(make_move(board, np.uint64(family.moves[m]))))
    return last, listed


# -------------------------------------------------------------------------------------------------------------- columns


@routine
def _from_either_side(board: Board, upright: bool) -> Board:
    """The board itself, or the board from the other side."""
    return board if upright else mirrored(board)


@entry(void, reads(uint64, 2), reads(boolean), writes(int16), writes(boolean))
def legal_move_counts(sets: np.ndarray, white_to_move: np.ndarray, counts: np.ndarray, checks: np.ndarray) -> None:
    """Write how many legal moves each position has, and whether the mover is in check."""
    for k in range(counts.size):
        board = _from_either_side(board_at(sets, k), white_to_move[k])
        counts[k] = legal_move_count(*board)
        checks[k] = checkers(*board[:8]) != EMPTY


@entry(void, reads(uint64, 2), reads(boolean), writes(boolean))
def find_checks(sets: np.ndarray, white_to_move: np.ndarray, checks: np.ndarray) -> None:
    """Write for each position whether the mover is in check, in a third of the time that counting its moves takes."""
    for k in range(checks.size):
        board = _from_either_side(board_at(sets, k), white_to_move[k])
        checks[k] = checkers(*board[:8]) != EMPTY


@entry(
    void,
    reads(uint64, 2), reads(boolean), reads(uint16), reads(uint16),
    reads(boolean), writes(uint64, 2), writes(uint16), writes(uint16), writes(uint16),
)  # fmt: skip
def children(
    sets: np.ndarray,
    white_to_move: np.ndarray,
    halfmoves: np.ndarray,
    fullmoves: np.ndarray,
    child_white: np.ndarray,
    child_sets: np.ndarray,
    child_halfmoves: np.ndarray,
    child_fullmoves: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Write the children of all positions one after the other, the moves to them as White sees them, and the clocks.

    The rows of both ``sets`` are a Board as White sees it. There is room for exactly as many children as there are
    legal moves; ``child_white`` says for each whether White moves next.
    """
    room = family()
    at = 0
    for start in range(0, white_to_move.size, MOST_PARENTS):
        number = min(MOST_PARENTS, white_to_move.size - start)
        for k in range(number):
            put_parent(room.parents, k, _from_either_side(board_at(sets, start + k), white_to_move[start + k]))
        find_limits(room, number)
        first = 0
        while first < number:
            last, count = expand(room, first, number)
            listed = 0
            for k in range(first, last):
                parent, black = parent_of(room.parents, k), np.uint64(not white_to_move[start + k])
                halfmove, fullmove = np.uint64(halfmoves[start + k]), np.uint64(fullmoves[start + k])
                for m in range(listed, room.ends[k]):
                    move = np.uint64(room.moves[m])
                    clocks = clocks_after(parent.pawns, parent.enemy, move, halfmove, fullmove, black)
                    child_halfmoves[at + m], child_fullmoves[at + m] = clocks
                    moves[at + m] = turned(move) if black != ZERO else move
                listed = room.ends[k]
            for m in range(count):
                board = _from_either_side(child_of(room.children, m), child_white[at + m])
                for row in range(10):
                    child_sets[row, at + m] = board[row]
            at += count
            first = last
