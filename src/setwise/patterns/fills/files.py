"""Fills along files: north, south and both ways."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, pattern
from setwise.patterns.bits import (
    EIGHT,
    SIXTEEN,
    THIRTY_TWO,
)

FORTY_EIGHT, FIFTY_SIX = np.uint64(48), np.uint64(56)


@pattern
def north_fill(squares: Set) -> Set:
    """Return a set together with all squares north of it on the same files.

    Args:
        squares: any set.

    Example:
        >>> print(fills.north_fill(Bitboard("b3 e5 e7")))
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . . . . .
        . 1 . . . . . .
        . . . . . . . .
        . . . . . . . .

    Traps:
        The squares themselves belong to it; the front span, which starts one rank further, is
        `compass.north` of this.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | squares << EIGHT
    squares = squares | squares << SIXTEEN
    return squares | squares << THIRTY_TWO


@pattern
def south_fill(squares: Set) -> Set:
    """Return a set together with all squares south of it on the same files.

    Args:
        squares: any set.

    Example:
        >>> print(fills.south_fill(Bitboard("b3 e5 e7")))
        . . . . . . . .
        . . . . 1 . . .
        . . . . 1 . . .
        . . . . 1 . . .
        . . . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .

    Traps:
        The squares themselves belong to it; the rear span, which starts one rank further, is
        `compass.south` of this.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | squares >> EIGHT
    squares = squares | squares >> SIXTEEN
    return squares | squares >> THIRTY_TWO


@pattern
def file_fill(squares: Set) -> Set:
    """Return all squares of the files on which a set has squares.

    Args:
        squares: any set.

    Example:
        >>> print(fills.file_fill(Bitboard("b3 e5 e7")))
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    # Whole ranks rotate around the board: one rotation does what a shift north and a shift south would.
    squares = squares | squares << EIGHT | squares >> FIFTY_SIX
    squares = squares | squares << SIXTEEN | squares >> FORTY_EIGHT
    return squares | squares << THIRTY_TWO | squares >> THIRTY_TWO
