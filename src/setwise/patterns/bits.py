"""The 64-bit word: constants, counting, the lowest square, subsets.

a1 is bit 0, h8 bit 63, north is +8. Every constant is a named ``np.uint64``: a Python literal inside a kernel would
turn ``uint64 & literal`` into a signed number, and a later shift into an arithmetic one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import PATTERNS, Count, Pattern, Set, Square, pattern, popcount, routine, trailing_zeros
from setwise.compiler.kinds import admitted

__all__ = ["FILES", "RANKS", "count", "lowest", "subsets", "twice"]

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
CORNERS = (FILE_A | FILE_H) & (RANK_1 | RANK_8)
#: The ranks where pawns can be.
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
def bit(square: Square) -> Set:
    """The set that contains only one square."""
    return ONE << square


@routine
def without_lowest(squares: Set) -> Set:
    """The set without its lowest square; the empty set stays empty."""
    return squares & (squares - ONE)


@routine
def only_lowest(squares: Set) -> Set:
    """The set of only the lowest square; the empty set stays empty."""
    return squares & (EMPTY - squares)


@routine
def more_than_one(squares: Set) -> bool:
    """Whether a set has two squares or more."""
    return without_lowest(squares) != EMPTY


@routine
def as_int(word: np.integer | Count | Square) -> int:
    """A word as a signed number, because Python's numbers are signed in compiled code."""
    number: Any = np.int64(word)
    return number


@pattern
def count(squares: Set) -> Count:
    """Return how many squares a set has, 0 to 64.

    Args:
        squares: any set.

    Example:
        >>> bits.count(0xFF00)
        8

    Why:
        Each square is one bit, so the number of bits that are set is the number of squares. Processors count the bits
        of a word in one instruction.

    Names:
        popcount, population count, bitCount, Hamming weight, cardinality.

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

    Why:
        Squares are numbered from the lowest bit up, so the number of the lowest square is the number of zero bits below
        it. Processors count these zero bits in one instruction; for the empty set it counts 64.

    Traps:
        The result 64 for the empty set is not a square, and no pattern accepts it as a square.

    Names:
        bitscan, bitScanForward, lsb, ffs, trailing zeros, ctz.

    Source:
        Chess Programming Wiki, "BitScan", its scan forward.
    """
    return trailing_zeros(squares)


class _Several(Pattern):
    """A pattern whose last arguments may be left out: they are then empty sets."""

    def __call__(self, *sets: Any, out: np.ndarray | None = None) -> Any:
        return super().__call__(*sets, *[0] * (len(self.kinds) - len(sets)), out=out)


def _several(function: Any) -> _Several:
    defined = PATTERNS["bits.twice"] = _Several(function)
    return defined


@_several
def twice(a: Set, b: Set, c: Set, d: Set, e: Set, f: Set, g: Set, h: Set) -> Set:
    """Return the squares that are in two or more of up to eight sets: their greater-one set.

    Each set is compared with the union of the sets before it; no square is counted.

    Args:
        a: a set.
        b: a set; this set and all later sets are empty if left out.
        c: a set.
        d: a set.
        e: a set.
        f: a set.
        g: a set.
        h: a set.

    Example:
        >>> bits.twice(Bitboard("a1 b2"), Bitboard("b2 c3"), Bitboard("c3 d4"))
        Bitboard('b2 c3')

    Why:
        If a square of the next set was in some set before, it is now in at least two sets. The result keeps every such
        square, so two words are enough memory for any number of sets: the squares seen so far, and the squares seen at
        least twice.

    Traps:
        The union of the greater-one sets of two groups misses the squares that are in one set of each group. For more
        than eight sets, unite `twice` of each group with `twice` of the unions of the groups. Compiled code must pass
        all eight arguments.

    Names:
        greater one sets, greater-one set, twice or more.

    Source:
        Chess Programming Wiki, "General Setwise Operations" (greater one sets).
    """
    once, repeated = a | b, a & b
    repeated |= once & c
    once |= c
    repeated |= once & d
    once |= d
    repeated |= once & e
    once |= e
    repeated |= once & f
    once |= f
    repeated |= once & g
    once |= g
    return repeated | once & h


def subsets(squares: int) -> np.ndarray:
    """Return all subsets of a set as a uint64 array, the empty set first and the set itself last.

    A set of n squares has 2**n subsets; they are in ascending order, the order of the carry-rippler.

    Args:
        squares: any set of up to 24 squares.

    Raises:
        ValueError: for a set of more than 24 squares.

    Example:
        >>> [hex(subset) for subset in bits.subsets(0b101)]
        ['0x0', '0x1', '0x4', '0x5']

    Why:
        A subset contains each square of the set or not. So take the squares one after the other, lowest first, and add
        each to all subsets so far: this doubles their number and keeps their order. The carry-rippler goes through the
        same order by arithmetic: to subtract the set is to add one, with a carry over all bits outside the set.

    Names:
        carry-rippler, traversing subsets of a set, powerset, enumerate subsets.

    Source:
        Chess Programming Wiki, "Traversing Subsets of a Set".
    """
    word = int(admitted("bits.subsets", "squares", count.kinds["squares"], squares))
    size = word.bit_count()  # not ``count``: subsets fill a table that must exist before code is compiled
    if size > 24:
        raise ValueError(f"a set of {size} squares has {2**size:,} subsets; 24 squares are the limit")
    sets = np.zeros(1, np.uint64)
    for square in range(64):
        if word >> square & 1:
            sets = np.concatenate([sets, sets | np.uint64(1 << square)])
    return sets
