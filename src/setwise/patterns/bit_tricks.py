"""The published tricks on words of 64 bits: counting, scanning, rotating, mapping squares, distances, mixing numbers.

Processors count and scan bits in one instruction, which `bits.count` and `bits.lowest` use. The tricks here need only
the operations of the language C; nothing in setwise calls them, so a wheel has no machine code of them. The exchanges
of flips, mirrors and rotations are in `compass`, the ways through a path in `fills`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from setwise.compiler import Count, Set, Square, pattern, routine
from setwise.patterns.bits import EIGHT, FOUR, ONE, SEVEN, SIXTEEN, THIRTY_TWO, THREE, TWO, only_lowest

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "antidiagonal_of", "centre_distance", "count_by_swar", "diagonal_of", "difference_0x88", "file_of",
    "lowest_by_de_bruijn", "lowest_by_modulo", "manhattan_distance", "next_subset", "rank_of",
    "rotate_45_anticlockwise", "rotate_45_clockwise", "splitmix64", "square_0x88", "total", "up_to_highest",
]  # fmt: skip


# ----------------------------------------------------------------------------------------------- counting and scanning


_EVEN_BITS, _EVEN_PAIRS = np.uint64(0x5555_5555_5555_5555), np.uint64(0x3333_3333_3333_3333)
_EVEN_NIBBLES, _EVERY_BYTE = np.uint64(0x0F0F_0F0F_0F0F_0F0F), np.uint64(0x0101_0101_0101_0101)
_FIFTY_SIX, _FIFTY_EIGHT = np.uint64(56), np.uint64(58)


@pattern
def count_by_swar(squares: Set) -> Count:
    """Return how many squares a set has, 0 to 64, by additions of many small numbers within one word.

    Args:
        squares: any set.

    Example:
        >>> bit_tricks.count_by_swar(Bitboard("a1 b1 c1 e4 f4 h8"))
        6

    Why:
        Each bit is a count of 0 or 1. Neighbouring counts are added in one step for the whole word: first pairs of
        bits, then pairs of two-bit counts, then of four-bit counts. No sum overflows its place. The multiplication by a
        one in every byte adds all eight bytes into the highest byte.

    Names:
        SWAR, SWAR popcount, SIMD within a register, population count by SWAR, sideways addition, HAKMEM 169.

    Source:
        Chess Programming Wiki, "Population Count", "SIMD and SWAR Techniques".
    """
    counts = squares - (squares >> ONE & _EVEN_BITS)  # counts of two bits each, drawn as the bits they have
    counts = (counts & _EVEN_PAIRS) + (counts >> TWO & _EVEN_PAIRS)  # counts of four bits each
    counts = counts + (counts >> FOUR) & _EVEN_NIBBLES  # counts of eight bits each: of every rank
    return counts * _EVERY_BYTE >> _FIFTY_SIX  # and their sum


def total(sets: npt.ArrayLike) -> int:
    """Return how many squares the sets of an array have together: words are added bit by bit before they are counted.

    Args:
        sets: sets of squares, as unsigned 64-bit numbers.

    Example:
        >>> bit_tricks.total([0xFF, 0xFF00, 0x1])
        17

    Why:
        Three words are added like three digits, at all 64 places at once: `xor` is the sum's lower digit, the majority
        its carry, which counts twice. So three words become one word and one carry. When at most two words are left,
        their bits are counted; the carries are added in the same way, and each of their bits counts twice as much.

    Names:
        Harley-Seal, Harley-Seal population count, carry-save adder, popcount of arrays, full adder, odd and major.

    Source:
        Chess Programming Wiki, "Population Count"; Henry Warren, "Hacker's Delight".
    """
    words, weight, counted = np.asarray(sets, np.uint64).ravel(), 1, 0
    while words.size:
        carries = words[:0]
        while words.size > TWO:
            a, b, c = words[: words.size // 3 * 3].reshape(3, -1)
            carries = np.append(carries, a & b | (a ^ b) & c)
            words = np.append(a ^ b ^ c, words[words.size // 3 * 3 :])
        counted += weight * int(np.bitwise_count(words).sum())
        words, weight = carries, 2 * weight
    return counted


def _de_bruijn() -> int:
    """A cycle of 64 bits in which all 64 windows of six bits differ; it prefers ones, and begins with six zeros."""
    cycle, seen = 0, {0}
    for _ in range(58):
        window = cycle << 1 & 63
        bit = int(window | 1 not in seen)
        cycle, seen = cycle << 1 | bit, seen | {window | bit}
    return cycle


#: The word whose 64 windows of six bits all differ, found by preferring ones.
DE_BRUIJN = np.uint64(_de_bruijn())
_ALONE = ONE << np.arange(64, dtype=np.uint64)
_PLACES, _RESIDUES = np.zeros(64, np.uint64), np.full(67, 64, np.uint64)
_PLACES[DE_BRUIJN * _ALONE >> _FIFTY_EIGHT] = _RESIDUES[_ALONE % np.uint64(67)] = np.arange(64, dtype=np.uint64)
_SIXTY_SEVEN = np.uint64(67)


@routine
def _place_of(window: np.uint64) -> Square:
    """The place of a window in the word."""
    return _PLACES[window]


@routine
def _with_residue(residue: np.uint64) -> Square:
    """The square with a residue; 64 for residues that no square has."""
    return _RESIDUES[residue]


@pattern
def lowest_by_de_bruijn(squares: Set) -> Square:
    """Return the lowest square of a set, by a multiplication and a table of 64 numbers; 0 for the empty set.

    Args:
        squares: any set.

    Example:
        >>> bit_tricks.lowest_by_de_bruijn(Bitboard("c3 e4 h8"))
        18

    Why:
        To multiply by a single bit is to shift. A de Bruijn word has every pattern of six bits exactly once, so the six
        highest bits after the shift tell how far it was. The word is found by a rule: after six zeros append a one,
        unless the last six bits have already occurred.

    Traps:
        The empty set gives the same product as a1.

    Names:
        de Bruijn, de Bruijn multiplication, de Bruijn sequence, BitScan by de Bruijn, LS1B by multiplication.

    Source:
        Chess Programming Wiki, "De Bruijn Sequence", "BitScan".
    """
    alone = only_lowest(squares)  # the lowest square alone
    shifted = alone * DE_BRUIJN  # the word, shifted by the square's number: c8 to h8 are the index
    return _place_of(shifted >> _FIFTY_EIGHT)  # the square


@pattern
def lowest_by_modulo(squares: Set) -> Square:
    """Return the lowest square of a set, by the remainder of a division by 67; 64 for the empty set.

    Args:
        squares: any set.

    Example:
        >>> bit_tricks.lowest_by_modulo(Bitboard("c3 e4 h8"))
        18

    Why:
        The number 2 is a primitive root of the prime 67: its powers leave 66 different remainders. So the 64 single
        squares have different remainders, none of them zero, and the empty set has the remainder zero.

    Names:
        modulo 67, bitscan by modulo, BitScan by modulo.

    Source:
        Chess Programming Wiki, "BitScan".
    """
    alone = only_lowest(squares)  # the lowest square alone
    return _with_residue(np.uint64(alone) % _SIXTY_SEVEN)  # the square with its remainder


@pattern
def up_to_highest(squares: Set) -> Set:
    """Return all squares from a1 up to the highest square of a set; none for the empty set.

    Args:
        squares: any set.

    Example:
        >>> print(bit_tricks.up_to_highest(Bitboard("d4 e8")))
        1 1 1 1 1 . . .
        1 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1
        1 1 1 1 1 1 1 1

    Why:
        Every square is copied one place down, then two, four and so on up to 32, so each square fills all places below
        it. The count of the result, less one, is the number of the highest square.

    Names:
        bitScanReverse, BitScan reverse, MS1B, most significant one bit, MS1B by parallel prefix, smear down.

    Source:
        Chess Programming Wiki, "BitScan", "Parallel Prefix Algorithms".
    """
    squares |= squares >> ONE  # each square, and the one before it
    squares |= squares >> TWO  # four places
    squares |= squares >> FOUR  # eight places
    squares |= squares >> EIGHT  # two ranks
    squares |= squares >> SIXTEEN  # four ranks
    return squares | squares >> THIRTY_TWO  # eight ranks


@pattern
def next_subset(subset: Set, squares: Set) -> Set:
    """Return the next subset of a set, in ascending order as numbers; after the whole set comes the empty set.

    Args:
        subset: a set of some of the squares.
        squares: any set.

    Example:
        >>> bit_tricks.next_subset(Bitboard("b1 d1"), Bitboard("b1 d1 f1"))
        Bitboard('f1')

    Why:
        To subtract the whole set is to add one, with a carry that runs over all bits outside the set: these bits are
        ones in the negated set. The mask removes them again.

    Names:
        next subset, carry-rippler step, traversing subsets, enumerating occupancies.

    Source:
        Chess Programming Wiki, "Traversing Subsets of a Set".
    """
    return subset - squares & squares


# --------------------------------------------------------------------------------------------- rotations by 45 degrees

"""Every file moved around the board, up or down, by as many ranks as its number.

Args:
    squares: any set.

Why:
    The number of a file has three bits. For each bit, the files whose number has it are rotated by one, two or four
    ranks. A rotation of the word by bytes moves all files, and a mask chooses those that stay. Diagonals become ranks,
    so their pieces are in one byte: programs with rotated bitboards keep such boards next to the usual one.
"""

_ODD_FILES, _FILES_CDGH = ~_EVEN_BITS, ~_EVEN_PAIRS
_FILES_EFGH = ~_EVEN_NIBBLES
_FORTY_EIGHT = np.uint64(48)


@pattern
def rotate_45_clockwise(squares: Set) -> Set:
    """Return the set with each file moved down around the board by its number: diagonals become ranks.

    Example:
        >>> bit_tricks.rotate_45_clockwise(Bitboard("a1 b2 c3 d4 e5 f6 g7 h8"))
        Bitboard('a1 b1 c1 d1 e1 f1 g1 h1')

    Names:
        pseudo-rotate 45 clockwise, pseudoRotate45clockwise, rotated bitboard.

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating", "Rotated Bitboards".
    """
    squares ^= _ODD_FILES & (squares ^ (squares >> EIGHT | squares << _FIFTY_SIX))  # the files b d f h, one rank down
    squares ^= _FILES_CDGH & (squares ^ (squares >> SIXTEEN | squares << _FORTY_EIGHT))  # c d g h, two ranks down
    return squares ^ _FILES_EFGH & (squares ^ (squares >> THIRTY_TWO | squares << THIRTY_TWO))  # e f g h, four ranks


@pattern
def rotate_45_anticlockwise(squares: Set) -> Set:
    """Return the set with each file moved up around the board by its number: antidiagonals become ranks.

    Example:
        >>> bit_tricks.rotate_45_anticlockwise(Bitboard("a8 b7 c6 d5 e4 f3 g2 h1"))
        Bitboard('a8 b8 c8 d8 e8 f8 g8 h8')

    Names:
        pseudo-rotate 45 anticlockwise, pseudoRotate45antiClockwise.

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating", "Rotated Bitboards".
    """
    squares ^= _ODD_FILES & (squares ^ (squares << EIGHT | squares >> _FIFTY_SIX))  # the files b d f h, one rank up
    squares ^= _FILES_CDGH & (squares ^ (squares << SIXTEEN | squares >> _FORTY_EIGHT))  # c d g h, two ranks up
    return squares ^ _FILES_EFGH & (squares ^ (squares << THIRTY_TWO | squares >> THIRTY_TWO))  # e f g h, four ranks


# --------------------------------------------------------------------------------------- squares as numbers, distances

"""Numbers of files, ranks and diagonals, and distances, from the numbers of squares.

Args:
    square: a square.
    a: one square.
    b: the other square.

Why:
    The number of a square is eight times its rank plus its file, so its three lower bits are the file and its three
    upper bits the rank. What differs of two squares comes from the differences of files and of ranks.
"""


_FIFTEEN, _MIDDLE_0X88 = np.uint64(15), np.uint64(0x77)


@routine
def _apart(a: np.uint64, b: np.uint64) -> np.uint64:
    """How far apart two numbers are."""
    return a - b if a > b else b - a


@pattern
def file_of(square: Square) -> Count:
    """Return the number of a square's file: 0 for the a-file, 7 for the h-file.

    Example:
        >>> bit_tricks.file_of(27)  # d4
        3

    Names:
        file of a square, fileOf, fileIndex, square modulo 8.

    Source:
        Chess Programming Wiki, "Square Mapping Considerations".
    """
    return square & SEVEN


@pattern
def rank_of(square: Square) -> Count:
    """Return the number of a square's rank: 0 for the first rank, 7 for the eighth.

    Example:
        >>> bit_tricks.rank_of(27)  # d4
        3

    Names:
        rank of a square, rankOf, rankIndex, square divided by 8.

    Source:
        Chess Programming Wiki, "Square Mapping Considerations".
    """
    return square >> THREE


@pattern
def diagonal_of(square: Square) -> Count:
    """Return the number of a square's diagonal: 0 for a1–h8, up to 7 above it, from 15 down to 9 below it.

    Example:
        >>> bit_tricks.diagonal_of(27), bit_tricks.diagonal_of(16), bit_tricks.diagonal_of(2)  # d4, a3, c1
        (0, 2, 14)

    Names:
        diagonal index, diagonalOf.

    Source:
        Chess Programming Wiki, "Diagonals".
    """
    return (square >> THREE) - (square & SEVEN) & _FIFTEEN


@pattern
def antidiagonal_of(square: Square) -> Count:
    """Return the number of a square's antidiagonal: 7 less the sum of file and rank, as four bits; 0 for h1–a8.

    Example:
        >>> bit_tricks.antidiagonal_of(28), bit_tricks.antidiagonal_of(0), bit_tricks.antidiagonal_of(63)  # e4, a1, h8
        (0, 7, 9)

    Names:
        anti-diagonal index, antiDiagonalOf.

    Source:
        Chess Programming Wiki, "Anti-Diagonals".
    """
    return (square >> THREE) + (square & SEVEN) ^ SEVEN


@pattern
def manhattan_distance(a: Square, b: Square) -> Count:
    """Return the distance of two squares in files plus their distance in ranks: the steps of a king on files and ranks.

    Example:
        >>> bit_tricks.manhattan_distance(0, 63)
        14

    Names:
        Manhattan distance, taxicab distance, rook-step distance, distance between squares.

    Source:
        Chess Programming Wiki, "Manhattan-Distance".
    """
    return _apart(a & SEVEN, b & SEVEN) + _apart(a >> THREE, b >> THREE)


@pattern
def centre_distance(square: Square) -> Count:
    """Return how many king steps a square is from the nearest of d4, e4, d5, e5: 0 to 3.

    Example:
        >>> bit_tricks.centre_distance(0), bit_tricks.centre_distance(27)
        (3, 0)

    Names:
        center distance, centre distance, distance to the centre.

    Source:
        Chess Programming Wiki, "Center Distance".
    """
    file, rank = square & SEVEN, square >> THREE
    file, rank = min(file ^ SEVEN, file), min(rank ^ SEVEN, rank)
    return THREE - min(file, rank)


@pattern
def square_0x88(square: Square) -> Count:
    """Return the number of a square on a board of sixteen files, of which the eight left ones are used.

    Example:
        >>> hex(bit_tricks.square_0x88(27))  # d4
        '0x33'

    Names:
        0x88, 0x88 square, 0x88 board, off the board.

    Source:
        Chess Programming Wiki, "0x88".
    """
    return np.uint64(square) + (square & ~SEVEN)


@pattern
def difference_0x88(a: Square, b: Square) -> Count:
    """Return the difference of two squares on the 0x88 board, plus 0x77: it tells files and ranks apart, 0 to 0xEE.

    Example:
        >>> hex(bit_tricks.difference_0x88(27, 0)), hex(bit_tricks.difference_0x88(7, 8))  # d4 and a1, h1 and a2
        ('0xaa', '0x6e')

    Traps:
        The difference of the usual numbers of two squares does not: h1 and a2 are one apart, as a1 and b1 are.
        `lines.line` and `lines.between` have tables of pairs of squares, which need no such number.

    Names:
        0x88 difference, x88diff, square difference, vector attacks, attack by difference.

    Source:
        Chess Programming Wiki, "0x88", "Vector Attacks".
    """
    return square_0x88(a) - square_0x88(b) + _MIDDLE_0X88


# ------------------------------------------------------------------------------------------------------ random numbers


def splitmix64(places: npt.ArrayLike) -> np.ndarray:
    """Return numbers of 64 bits that look random, from their places in a fixed sequence, as a uint64 array.

    The same places give the same numbers in every run, and a place is computed without the places before it.

    Args:
        places: numbers from 0 to 2**64 - 1; a seed is added to them by the caller.

    Example:
        >>> [hex(number) for number in bit_tricks.splitmix64([0, 1])]
        ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']

    Why:
        The places, multiplied by an odd number near 2**64 divided by the golden ratio, are far apart. Then come two
        rounds: each folds the upper bits into the lower ones and multiplies, so every bit of the place changes half of
        the result.

    Names:
        SplitMix64, pseudorandom number generator, PRNG.

    Source:
        Guy Steele, Doug Lea, Christine Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
    """
    words = (np.asarray(places, np.uint64) + np.uint64(1)) * np.uint64(0x9E37_79B9_7F4A_7C15)
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58_476D_1CE4_E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D0_49BB_1331_11EB)
    return words ^ words >> np.uint64(31)
