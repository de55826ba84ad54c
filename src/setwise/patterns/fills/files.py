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

    Why:
        After the first line every square has its neighbour ahead, after the second these two have the next two, after
        the third these four the next four: one, three, seven steps. Seven are all that a file can take, and whatever
        leaves the board falls off the word.

    Traps:
        The squares themselves belong to it; the front span, which starts one rank further, is
        `compass.north` of this.

    Names:
        nortFill, parallel prefix fill, smear.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | squares << EIGHT  # one step on
    squares = squares | squares << SIXTEEN  # two more
    return squares | squares << THIRTY_TWO  # and four, seven in all


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

    Why:
        As in `north_fill`, to the right instead of the left: one, three, seven steps in three lines.

    Traps:
        The squares themselves belong to it; the rear span, which starts one rank further, is
        `compass.south` of this.

    Names:
        soutFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | squares >> EIGHT  # one step back
    squares = squares | squares >> SIXTEEN  # two more
    return squares | squares >> THIRTY_TWO  # and four, seven in all


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

    Why:
        Ranks are bytes. Rotating the word by bytes keeps files, and what leaves at the top comes in at the bottom;
        after rotations by one, two and four ranks each of the eight ranks has seen all the others.

    Names:
        fileFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    # Whole ranks rotate around the board: one rotation does what a shift north and a shift south would.
    squares = squares | squares << EIGHT | squares >> FIFTY_SIX  # one rank on, around the edge
    squares = squares | squares << SIXTEEN | squares >> FORTY_EIGHT  # two more
    return squares | squares << THIRTY_TWO | squares >> THIRTY_TWO  # and four: all eight ranks
