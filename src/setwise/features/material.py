"""Features of material."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, popcount
from setwise.features.registry import feature
from setwise.features.side import Side
from setwise.patterns.bits import FIVE, NINE, ONE, THREE

__all__ = ["material"]


@feature
def material(side: Side) -> Count:
    """Return what this side's pieces are worth in pawns: a pawn 1, a knight or bishop 3, a rook 5, a queen 9.

    Example:
        >>> setwise.Position("r1b1k3/8/8/8/8/8/PPP5/R2QK1N1 w Qq - 0 1").feature("white_material")
        20

    Why:
        The number of pieces of each kind, times the worth of one, added up.

    Traps:
        Kings count nothing.

    Source:
        Chess Programming Wiki, "Point Value".
    """
    values = (
        (side.pawns, ONE), (side.knights, THREE), (side.bishops, THREE), (side.rooks, FIVE), (side.queens, NINE),
    )  # fmt: skip
    worth = np.uint64(0)
    for pieces, value in values:
        worth += popcount(side.own & pieces) * value
    return worth
