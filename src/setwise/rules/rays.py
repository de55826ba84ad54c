"""Rays in all directions at once: an octet whose lanes are the directions north, north-east, east … clockwise.

Even lanes are a rook's directions, odd ones a bishop's. Filling the rays of every slider of a side takes about a dozen
instructions and no branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Set, routine
from setwise.compiler.lanes import broadcast, masked, mixed, outermost, permuted, rotated, union, unpacked
from setwise.patterns.bits import ALL, EMPTY, FILE_A, FILE_H, NOT_FILES_AB, NOT_FILES_GH, RANK_1, RANK_2, RANK_7, RANK_8
from setwise.patterns.geometry import walk
from setwise.patterns.moves.limits import Lines

__all__ = ["RAYS", "knight_attacks", "lines_of_lanes", "nearest", "rays"]

_STEPS = (8, 9, 1, -7, -8, -9, -1, 7)
_DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
#: The rays from each square on an empty board, a row of eight lanes for each of the 64 squares.
RAYS = np.stack([walk(np.arange(64), EMPTY, direction) for direction in _DIRECTIONS], axis=1)
#: Where a step in each direction can land.
_inside = masked(
    ~RANK_1, ~(RANK_1 | FILE_A), ~FILE_A, ~(RANK_8 | FILE_A), ~RANK_8, ~(RANK_8 | FILE_H), ~FILE_H, ~(RANK_1 | FILE_H)
)
_one_step, _two_steps, _four_steps = (rotated(*(step * scale for step in _STEPS)) for scale in (1, 2, 4))

#: The knight's moves, clockwise from north-north-east, and where they can land.
_rotated_by_knight_moves = rotated(17, 10, -6, -15, -17, -10, 6, 15)
_UPPER, _LOWER = ~(RANK_8 | RANK_7), ~(RANK_1 | RANK_2)
_on_board_after_knight_moves = masked(
    _LOWER & ~FILE_A, ~RANK_1 & NOT_FILES_AB, ~RANK_8 & NOT_FILES_AB, _UPPER & ~FILE_A,
    _UPPER & ~FILE_H, ~RANK_8 & NOT_FILES_GH, ~RANK_1 & NOT_FILES_GH, _LOWER & ~FILE_H,
)  # fmt: skip

_downwards = masked(*(ALL if step in (-7, -9) else EMPTY for step in _STEPS))

#: Every lane in the place of the one in the opposite direction.
_opposite = permuted(4, 5, 6, 7, 0, 1, 2, 3)
#: The nearest of the pieces on each ray from a square.
nearest = outermost(*(step > 0 for step in _STEPS))


@routine
def _downwards_only(squares: Set) -> Any:
    """A set in the lanes south-east and south-west only, where pawns of the side above capture."""
    return _downwards(broadcast(squares))


@routine
def _steps(sets: Any) -> Any:
    """Every lane one step in its own direction; steps off the board are dropped."""
    return _inside(_one_step(sets))


@routine
def knight_attacks(knights: Any) -> Any:
    """The attacks of the knights of each lane in one of their directions."""
    return _on_board_after_knight_moves(_rotated_by_knight_moves(knights))


@routine
def rays(sliders: Any, empty: Set) -> Any:
    """The attacks of the sliders of each lane in its direction, the first piece included (Kogge-Stone)."""
    way = _inside(broadcast(empty))
    reached = sliders | (way & _one_step(sliders))
    way = way & _one_step(way)
    reached = reached | (way & _two_steps(reached))
    way = way & _two_steps(way)
    reached = reached | (way & _four_steps(reached))
    return _inside(_one_step(reached))


@routine
def lines_of_lanes(
    here: Set, blockers: Set, orthogonals: Set, diagonals: Set, knights: Set, pawns: Set, king: Set
) -> Lines:
    """What ``patterns.moves.limits.king_safety`` must know about the lines of one board, all directions at once."""
    empty, sliders = ~blockers, mixed(orthogonals, diagonals)
    seen, attacking = rays(broadcast(here), empty), rays(sliders, empty)
    meetings = seen & _opposite(attacking)
    file, diagonal, rank, antidiagonal, _, _, _, _ = unpacked(meetings | _opposite(meetings))
    leapers = knight_attacks(broadcast(knights)) | _steps(broadcast(king) | _downwards_only(pawns))
    return Lines(seen, file, rank, diagonal, antidiagonal, union(seen & sliders), union(attacking | leapers))
