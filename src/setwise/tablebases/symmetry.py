"""Tables without the positions that a symmetry of the board makes equal to others.

With a pawn, the mover's king stands on files a to d; without pawns, in the triangle a1, d1, d4. No pawn is on the first
rank or the last.
"""

from __future__ import annotations

import numpy as np

from setwise.tablebases.materials import PAWN, Material
from setwise.tablebases.solving import ILLEGAL

__all__ = ["places", "reduced", "shape_of", "whole"]

_SQUARES = np.arange(64)
_PAWN_SQUARES = slice(8, 56)


def _symmetries() -> np.ndarray:
    """The eight symmetries of the board, a row of squares each: the first mirrors nothing, the second files a to h."""
    mirrored = np.stack([_SQUARES, _SQUARES ^ 7])
    flipped = np.concatenate([mirrored, mirrored ^ 56])
    return np.concatenate([flipped, flipped >> 3 | (flipped & 7) << 3])


_SYMMETRIES = _symmetries()


def _for_kings(kings: np.ndarray, count: int) -> np.ndarray:
    """The first of some symmetries, for each square of a king, that brings him to one of these squares."""
    return np.isin(_SYMMETRIES[:count], kings).argmax(axis=0)


#: The squares of the mover's king that a table has, without and with pawns.
_KINGS = (
    np.array([rank * 8 + file for rank in range(4) for file in range(rank, 4)]),
    np.flatnonzero(_SQUARES & 7 < 4),
)
_SYMMETRY = (_for_kings(_KINGS[0], 8), _for_kings(_KINGS[1], 2))


def shape_of(material: Material) -> tuple[int, ...]:
    """Return the shape of a reduced table."""
    sizes = (48 if it.kind == PAWN else 64 for it in material.pieces)
    return 2, len(_KINGS[material.has_pawns]), 64, *sizes


def reduced(material: Material, values: np.ndarray) -> np.ndarray:
    """Return a table of all positions without those that others stand for."""
    pawns = (_PAWN_SQUARES if it.kind == PAWN else slice(None) for it in material.pieces)
    return np.ascontiguousarray(values[(slice(None), _KINGS[material.has_pawns], slice(None), *pawns)])


def whole(material: Material, values: np.ndarray) -> np.ndarray:
    """Return the table of all positions from a reduced one."""
    out = np.full((2, *[64] * (2 + len(material.pieces))), ILLEGAL, np.uint8)
    pawns = tuple(_PAWN_SQUARES if it.kind == PAWN else slice(None) for it in material.pieces)
    for square, symmetry in enumerate(_SYMMETRY[material.has_pawns]):
        squares = _SYMMETRIES[symmetry]
        [slot] = np.flatnonzero(_KINGS[material.has_pawns] == squares[square])
        axes = (squares, *(squares[8:56] - 8 if it.kind == PAWN else squares for it in material.pieces))
        out[(slice(None), square, slice(None), *pawns)] = values[:, slot][(slice(None), *np.ix_(*axes))]
    return out


def places(
    material: Material, views: np.ndarray, own_kings: np.ndarray, others: list[np.ndarray]
) -> tuple[np.ndarray, ...]:
    """Return where positions are in a reduced table.

    Args:
        material: the material.
        views: 0 where the side that is named first is to move, else 1.
        own_kings: the squares of the movers' kings, as the movers see the board.
        others: those of the other kings, and of each piece.
    """
    symmetries = _SYMMETRY[material.has_pawns][own_kings]
    kings = np.searchsorted(_KINGS[material.has_pawns], _SYMMETRIES[symmetries, own_kings])
    enemy_kings, *squares = (_SYMMETRIES[symmetries, it] for it in others)
    starts = (8 if it.kind == PAWN else 0 for it in material.pieces)
    return views, kings, enemy_kings, *(it - start for it, start in zip(squares, starts, strict=True))
