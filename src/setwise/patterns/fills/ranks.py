"""Fills along ranks: east, west and both ways.

Args:
    squares: any set.

Why:
    As along files, with steps of one, two and four squares. In the word one rank follows another without a border: what
    a step would carry into the next rank is masked, one file for the first step, two for the second, four for the
    third.

Source:
    Chess Programming Wiki, "Fill Algorithms".
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, pattern
from setwise.patterns.bits import FOUR, NOT_FILE_A, NOT_FILE_H, NOT_FILES_AB, NOT_FILES_GH, ONE, TWO

NOT_FILES_ABCD, NOT_FILES_EFGH = np.uint64(0xF0F0_F0F0_F0F0_F0F0), np.uint64(0x0F0F_0F0F_0F0F_0F0F)


@pattern
def east_fill(squares: Set) -> Set:
    """Return a set together with all squares east of it on the same ranks.

    Example:
        >>> print(fills.east_fill(Bitboard("b3 e5 g5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . 1 1 1 1
        . . . . . . . .
        . 1 1 1 1 1 1 1
        . . . . . . . .
        . . . . . . . .

    Names:
        eastFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | (squares << ONE) & NOT_FILE_A  # one step on
    squares = squares | (squares << TWO) & NOT_FILES_AB  # two more
    return squares | (squares << FOUR) & NOT_FILES_ABCD  # and four, seven in all


@pattern
def west_fill(squares: Set) -> Set:
    """Return a set together with all squares west of it on the same ranks.

    Example:
        >>> print(fills.west_fill(Bitboard("b3 e5 g5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 1 1 1 1 1 1 .
        . . . . . . . .
        1 1 . . . . . .
        . . . . . . . .
        . . . . . . . .

    Names:
        westFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | (squares >> ONE) & NOT_FILE_H  # one step back
    squares = squares | (squares >> TWO) & NOT_FILES_GH  # two more
    return squares | (squares >> FOUR) & NOT_FILES_EFGH  # and four, seven in all


@pattern
def rank_fill(squares: Set) -> Set:
    """Return all squares of the ranks on which a set has squares.

    Example:
        >>> print(fills.rank_fill(Bitboard("b3 e5 g5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 1 1 1 1 1 1 1
        . . . . . . . .
        1 1 1 1 1 1 1 1
        . . . . . . . .
        . . . . . . . .

    Why:
        All squares of a rank that are east of the westernmost one, and all that are west of it.

    Names:
        rankFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    return east_fill(squares) | west_fill(squares)
