"""The lines of the board, followed step by step. The slow ``walk`` fills the tables of sliders and tests fast forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from setwise.patterns.bits import EMPTY, ONE

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["BETWEEN", "BISHOP_DIRECTIONS", "LINE", "ROOK_DIRECTIONS", "SQUARES", "walk"]

#: Steps as (files east, ranks north).
ROOK_DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))
BISHOP_DIRECTIONS = ((1, 1), (1, -1), (-1, -1), (-1, 1))

#: The 64 sets of one square.
SQUARES = ONE << np.arange(64, dtype=np.uint64)


def walk(square: npt.ArrayLike, occupied: npt.ArrayLike, direction: tuple[int, int]) -> np.ndarray:
    """Return the squares that a slider on ``square`` (0–63) attacks in one direction, as uint64, found step by step.

    The walk ends at the edge of the board or on the first occupied square, which is included. Arrays of squares and of
    occupied squares broadcast.
    """
    square, occupied = np.broadcast_arrays(np.asarray(square, np.int64), np.asarray(occupied, np.uint64))
    file, rank = square % 8, square // 8
    attacked, walking = np.zeros(square.shape, np.uint64), np.ones(square.shape, bool)
    for _ in range(7):
        file, rank = file + direction[0], rank + direction[1]
        walking = walking & (file >= 0) & (file < 8) & (rank >= 0) & (rank < 8)
        here = np.where(walking, ONE << np.where(walking, 8 * rank + file, 0).astype(np.uint64), EMPTY)
        attacked |= here
        walking &= occupied & here == EMPTY
    return attacked


def _pairs() -> tuple[np.ndarray, np.ndarray]:
    between, line = np.zeros((64, 64), np.uint64), np.zeros((64, 64), np.uint64)
    for files, ranks in (*ROOK_DIRECTIONS[:2], *BISHOP_DIRECTIONS[:2]):
        ahead, behind = (walk(np.arange(64), EMPTY, way) for way in ((files, ranks), (-files, -ranks)))
        between |= ahead[:, None] & behind | behind[:, None] & ahead  # rays towards each other meet between the squares
        whole = SQUARES | ahead | behind
        line |= np.where(whole[:, None] == whole, whole, EMPTY)
    np.fill_diagonal(line, EMPTY)
    return between, line


#: ``BETWEEN[a, b]``: the squares strictly between two squares of a rank, file or diagonal; empty for other squares.
#: ``LINE[a, b]``: the rank, file or diagonal through two squares, edge to edge; empty for other squares and for a == b.
BETWEEN, LINE = _pairs()
