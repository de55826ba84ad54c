"""The 64-bit word: constants, counting, the lowest square, subsets.

a1 is bit 0, h8 bit 63, north is +8. Every constant is a named ``np.uint64``: a Python literal inside a kernel would
turn ``uint64 & literal`` into a signed number, and a later shift into an arithmetic one.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Set, Square, pattern, popcount, routine, trailing_zeros

__all__ = ["FILES", "RANKS", "count", "lowest", "subsets"]

EMPTY = np.uint64(0)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
FILE_A = np.uint64(0x0101_0101_0101_0101)
FILE_H = FILE_A << np.uint64(7)
NOT_FILE_A = ~FILE_A
NOT_FILE_H = ~FILE_H
NOT_FILES_AB = ~(FILE_A | FILE_A << np.uint64(1))
NOT_FILES_GH = ~(FILE_H | FILE_H >> np.uint64(1))
RANK_1 = np.uint64(0xFF)
RANK_2 = RANK_1 << np.uint64(8)
RANK_3 = RANK_1 << np.uint64(16)
RANK_4 = RANK_1 << np.uint64(24)
RANK_5 = RANK_1 << np.uint64(32)
RANK_6 = RANK_1 << np.uint64(40)
RANK_7 = RANK_1 << np.uint64(48)
RANK_8 = RANK_1 << np.uint64(56)
#: Where pawns can stand.
PAWN_RANKS = ~(RANK_1 | RANK_8)
LIGHT_SQUARES = np.uint64(0x55AA_55AA_55AA_55AA)
DARK_SQUARES = ~LIGHT_SQUARES

#: The eight files, a to h, as sets.
FILES = tuple(FILE_A << np.uint64(file) for file in range(8))

#: The eight ranks, 1 to 8, as sets.
RANKS = tuple(RANK_1 << np.uint64(8 * rank) for rank in range(8))

ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE = (np.uint64(number) for number in range(10))
SIXTEEN, THIRTY_TWO = np.uint64(16), np.uint64(32)


@routine
def bit(square):
    """The set that holds one square."""
    return ONE << square


@pattern
def count(squares: Set) -> Count:
    """Return how many squares a set holds, 0 to 64.

    Args:
        squares: any set.

    Example:
        >>> bits.count(0xFF00)
        8

    Source:
        Chess Programming Wiki, "Population Count".
    """
    return popcount(squares)


@pattern
def lowest(squares: Set) -> Square:
    """Return the lowest square of a set, 0 (a1) to 63 (h8); 64 for the empty set.

    Args:
        squares: any set.

    Example:
        >>> bits.lowest(0xFF00)
        8

    Traps:
        The 64 of the empty set is no square, and no pattern takes it as one.

    Source:
        Chess Programming Wiki, "BitScan", its scan forward.
    """
    return trailing_zeros(squares)


def subsets(squares: int) -> np.ndarray:
    """Return all subsets of a set as a uint64 array, the empty set first and the set itself last.

    A set of n squares has 2**n subsets; they come in ascending order, as the carry-rippler gives them.

    Args:
        squares: any set of up to 24 squares.

    Raises:
        ValueError: for a set of more than 24 squares.

    Example:
        >>> [hex(subset) for subset in bits.subsets(0b101)]
        ['0x0', '0x1', '0x4', '0x5']

    Source:
        Chess Programming Wiki, "Traversing Subsets of a Set".
    """
    size = int(count(squares))
    if size > 24:
        raise ValueError(f"a set of {size} squares has {2**size:,} subsets; 24 squares are the limit")
    found = np.zeros(1, np.uint64)
    for square in range(64):
        if int(squares) >> square & 1:
            found = np.concatenate([found, found | np.uint64(1 << square)])
    return found
