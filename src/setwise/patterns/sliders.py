"""Rook, bishop and queen attacks: from one square by lookup and by calculation, from whole sets by fills.

The three methods give the same results for every square and every occupancy. Attacks end on the first piece of either
colour, and include it. For one slider on one board a lookup is fastest; a fill computes all sliders of a board at once,
and many boards at a time.
"""

from __future__ import annotations

import functools

import numpy as np

from setwise.compiler import Set, Square, bitreverse, by_processor, pattern, routine
from setwise.compiler.words import embedded, leading_zeros, pdep, pext
from setwise.patterns.bits import EMPTY, FILE_A, FILE_H, ONE, RANK_1, RANK_8, TWO, bit, subsets
from setwise.patterns.fills import (
    ray_fill_east,
    ray_fill_north,
    ray_fill_north_east,
    ray_fill_north_west,
    ray_fill_south,
    ray_fill_south_east,
    ray_fill_south_west,
    ray_fill_west,
)
from setwise.patterns.geometry import BISHOP_DIRECTIONS, ROOK_DIRECTIONS, SQUARES, walk

__all__ = [
    "bishop_attacks", "bishop_attacks_by_calculation", "bishops_attacks", "queen_attacks", "queens_attacks",
    "rook_attacks", "rook_attacks_by_calculation", "rooks_attacks",
]  # fmt: skip


# --------------------------------------------------------- the rank, the file and the two diagonals through each square


def _lines(files: int, ranks: int) -> np.ndarray:
    """The line through each square in a direction and the opposite direction, without the square."""
    squares = np.arange(64)
    return walk(squares, EMPTY, (files, ranks)) | walk(squares, EMPTY, (-files, -ranks))


#: The rank of each square, without the square.
RANK_LINES = _lines(1, 0)

#: The file of each square, without the square.
FILE_LINES = _lines(0, 1)

#: The diagonal of each square, parallel to a1–h8, without the square.
DIAGONALS = _lines(1, 1)

#: The antidiagonal of each square, parallel to h1–a8, without the square.
ANTIDIAGONALS = _lines(1, -1)

#: The rank and file of each square, without the square: the squares that a rook attacks on the empty board.
ROOK_LINES = RANK_LINES | FILE_LINES

#: The two diagonals of each square, without the square: the squares that a bishop attacks on the empty board.
BISHOP_LINES = DIAGONALS | ANTIDIAGONALS

#: The rank, file, diagonal and antidiagonal of each square, with the square itself: [4, 64]. A pattern of king and
#: escapes lies on a line if ``pattern & KING_BITS[line, square] == pattern``.
KING_BITS = np.stack([RANK_LINES, FILE_LINES, DIAGONALS, ANTIDIAGONALS]) | SQUARES


# -------------------------------------------------------------------------------------------------- attacks of one rook


def _inner(lines: np.ndarray, file_lines: np.ndarray, rank_lines: np.ndarray) -> np.ndarray:
    across = lines & rank_lines & ~(FILE_A | FILE_H)
    along = lines & file_lines & ~(RANK_1 | RANK_8)
    return across | along


_EDGES = RANK_1 | RANK_8 | FILE_A | FILE_H

#: The squares whose pieces decide what a rook attacks: its lines without the last square of each ray.
ROOK_INNER = _inner(ROOK_LINES, FILE_LINES, RANK_LINES)

#: The squares whose pieces decide what a bishop attacks: its lines without the last square of each ray.
BISHOP_INNER = BISHOP_LINES & ~_EDGES
_SIZES = ONE << np.bitwise_count(np.concatenate([ROOK_INNER, BISHOP_INNER])).astype(np.uint64)
_OFFSETS = np.cumsum(_SIZES) - _SIZES

#: For each square: its inner squares, its lines, and the index of its first row in the table.
_ROOK = np.stack([ROOK_INNER, ROOK_LINES, _OFFSETS[:64]], axis=1)
_BISHOP = np.stack([BISHOP_INNER, BISHOP_LINES, _OFFSETS[64:]], axis=1)


def _pack(sets: np.ndarray, mask: int) -> np.ndarray:
    """``pext`` in NumPy."""
    places = [square for square in range(64) if mask >> square & 1]
    bits = [((sets >> np.uint64(square)) & ONE) << np.uint64(place) for place, square in enumerate(places)]
    return np.bitwise_or.reduce(bits)


@functools.cache
def _rows() -> bytes:
    """The table's 107,648 rows of 16 bits, computed by walks for every square and every relevant occupancy."""
    rows = []
    for table, directions in ((_ROOK, ROOK_DIRECTIONS), (_BISHOP, BISHOP_DIRECTIONS)):
        for square, (inner, lines, _) in enumerate(table.tolist()):
            occupancies = subsets(inner)
            attacked = functools.reduce(np.bitwise_or, (walk(square, occupancies, way) for way in directions))
            rows.append(_pack(attacked, lines).astype("<u2").tobytes())
    return b"".join(rows)


_row = embedded("setwise.slider_rows", _rows)


@routine
def _rook_row(square: Square, occupied: Set) -> Set:
    return pdep(_row(_ROOK[square, 2] + pext(occupied, _ROOK[square, 0])), _ROOK[square, 1])


@routine
def _bishop_row(square: Square, occupied: Set) -> Set:
    return pdep(_row(_BISHOP[square, 2] + pext(occupied, _BISHOP[square, 0])), _BISHOP[square, 1])


_HIGHEST = np.uint64(1 << 63)


@routine
def along(square: Square, occupied: Set, line: Set) -> Set:
    """Attacks along one line; ``_HIGHEST`` is shifted to the nearest blocker below, or to the first square."""
    blockers = occupied & line
    below = blockers & (bit(square) - ONE)
    above = blockers ^ below
    return (above ^ (above - (_HIGHEST >> leading_zeros(below | ONE)))) & line


@routine
def _rook_lines(square: Square, occupied: Set) -> Set:
    return along(square, occupied, RANK_LINES[square]) | along(square, occupied, FILE_LINES[square])


@routine
def _bishop_lines(square: Square, occupied: Set) -> Set:
    return along(square, occupied, DIAGONALS[square]) | along(square, occupied, ANTIDIAGONALS[square])


_rook_attacks = by_processor("bmi2", _rook_row, _rook_lines)
_bishop_attacks = by_processor("bmi2", _bishop_row, _bishop_lines)


@pattern
def rook_attacks(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, by lookup where the processor can.

    Args:
        square: where the rook stands.
        occupied: squares of all pieces, a set; the rook's own square does not matter.

    Example:
        >>> print(sliders.rook_attacks(27, Bitboard("d4 d6 f4 f6")))
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . 1 . . . .
        1 1 1 . 1 1 . .
        . . . 1 . . . .
        . . . 1 . . . .
        . . . 1 . . . .

    Why:
        Only pieces on the rook's lines matter, except on the last square of each line: twelve squares at most. `pext`
        packs the bits of these squares into a number, which is the index of a row of the table; walks along the lines
        have filled the table once. The row is packed, too; `pdep` spreads it over the lines. On processors without
        these instructions the attacks are calculated.

    Traps:
        The first piece on each line is attacked (or defended), whatever its colour: to get moves, take away own pieces.

    Names:
        rookAttacks, PEXT bitboards, BMI2, slider lookup.

    Source:
        Chess Programming Wiki, "BMI2", "Rook Pattern".
    """
    return _rook_attacks(square, occupied)


@pattern
def bishop_attacks(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, by lookup where the processor can.

    Args:
        square: where the bishop stands.
        occupied: squares of all pieces, a set; the bishop's own square does not matter.

    Example:
        >>> print(sliders.bishop_attacks(27, Bitboard("d4 d6 f4 f6")))
        . . . . . . . .
        1 . . . . . . .
        . 1 . . . 1 . .
        . . 1 . 1 . . .
        . . . . . . . .
        . . 1 . 1 . . .
        . 1 . . . 1 . .
        1 . . . . . 1 .

    Why:
        As for the rook: the bits of the pieces on the diagonals, nine squares at most, are the index of a row.

    Traps:
        The first piece on each line is attacked (or defended), whatever its colour: to get moves, take away own pieces.

    Names:
        bishopAttacks.

    Source:
        Chess Programming Wiki, "BMI2", "Bishop Pattern".
    """
    return _bishop_attacks(square, occupied)


@pattern
def queen_attacks(square: Square, occupied: Set) -> Set:
    """Return the squares that a queen attacks, by lookup where the processor can.

    Args:
        square: where the queen stands.
        occupied: squares of all pieces, a set; the queen's own square does not matter.

    Example:
        >>> print(sliders.queen_attacks(27, Bitboard("d4 d6 f4 f6")))
        . . . . . . . .
        1 . . . . . . .
        . 1 . 1 . 1 . .
        . . 1 1 1 . . .
        1 1 1 . 1 1 . .
        . . 1 1 1 . . .
        . 1 . 1 . 1 . .
        1 . . 1 . . 1 .

    Why:
        A queen moves as a rook or as a bishop; no square is on both an orthogonal and a diagonal line of hers.

    Traps:
        The first piece on each line is attacked (or defended), whatever its colour: to get moves, take away own pieces.

    Names:
        queenAttacks.

    Source:
        Chess Programming Wiki, "Queen Pattern".
    """
    return rook_attacks(square, occupied) | bishop_attacks(square, occupied)


# ------------------------------------------ attacks of one rook or bishop, calculated from the lines through its square


@routine
def _both_ways(square: Square, occupied: Set, line: Set) -> Set:
    """Attacks along one line: to subtract a bit changes all bits up to the first blocker; reversed bits do the rest."""
    slider = bit(square)
    blockers = occupied & line
    upwards = blockers - TWO * slider
    downwards = bitreverse(bitreverse(blockers) - TWO * bitreverse(slider))
    return (upwards ^ downwards) & line


@pattern
def rook_attacks_by_calculation(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, without a table of attacks.

    Args:
        square: where the rook stands.
        occupied: squares of all pieces, a set; the rook's own square does not matter.

    Example:
        >>> sliders.rook_attacks_by_calculation(27, Bitboard("d4 d6 f4"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        On one line, subtract twice the slider from the blockers: the subtraction borrows from the first blocker above
        the slider. All bits above the slider's bit up to that blocker change, and the changed bits on the line are the
        attacked squares. With reversed bits the same happens below the slider. In the `xor` of the two results, bits
        that neither subtraction changed cancel. Masks before and after select one line.

    Names:
        hyperbola quintessence, o^(o-2r) trick, o-2s.

    Source:
        Chess Programming Wiki, "Subtracting a Rook from a Blocking Piece", "Hyperbola Quintessence".
    """
    return _both_ways(square, occupied, RANK_LINES[square]) | _both_ways(square, occupied, FILE_LINES[square])


@pattern
def bishop_attacks_by_calculation(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, without a table of attacks.

    Args:
        square: where the bishop stands.
        occupied: squares of all pieces, a set; the bishop's own square does not matter.

    Example:
        >>> sliders.bishop_attacks_by_calculation(1, Bitboard("b1 d3"))
        Bitboard('a2 c2 d3')

    Why:
        As for the rook, on the diagonal and the antidiagonal.

    Names:
        hyperbola quintessence for bishops.

    Source:
        Chess Programming Wiki, "Hyperbola Quintessence".
    """
    return _both_ways(square, occupied, DIAGONALS[square]) | _both_ways(square, occupied, ANTIDIAGONALS[square])


# --------------------------------------------------------------------------------------- attacks of any number of rooks


@pattern
def rooks_attacks(rooks: Set, occupied: Set) -> Set:
    """Return the squares that any of a set of rooks attacks.

    Args:
        rooks: squares of the rooks, a set; may include queens, for the squares that they attack as rooks.
        occupied: squares of all pieces, a set.

    Example:
        >>> print(sliders.rooks_attacks(Bitboard("b2 f6"), Bitboard("b2 f6 b4 f2")))
        . . . . . 1 . .
        . . . . . 1 . .
        1 1 1 1 1 . 1 1
        . . . . . 1 . .
        . 1 . . . 1 . .
        . 1 . . . 1 . .
        1 . 1 1 1 1 . .
        . 1 . . . . . .

    Why:
        Four ray fills, one in each direction: a fill computes the attacks of all rooks at once.

    Traps:
        A rook blocks another only if it is in `occupied`, so include the rooks there.

    Names:
        rook attacks of a set, setwise rook attacks.

    Source:
        Chess Programming Wiki, "Fill Algorithms", "Kogge-Stone Algorithm".
    """
    return (
        ray_fill_north(rooks, occupied)
        | ray_fill_east(rooks, occupied)
        | ray_fill_south(rooks, occupied)
        | ray_fill_west(rooks, occupied)
    )


@pattern
def bishops_attacks(bishops: Set, occupied: Set) -> Set:
    """Return the squares that any of a set of bishops attacks.

    Args:
        bishops: squares of the bishops, a set; may include queens, for the squares that they attack as bishops.
        occupied: squares of all pieces, a set.

    Example:
        >>> print(sliders.bishops_attacks(Bitboard("c1 f1"), Bitboard("c1 f1 b2 e2")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . 1
        . . . . . . 1 .
        . . . . . 1 . .
        . . . . 1 . . 1
        . 1 . 1 1 . 1 .
        . . . . . . . .

    Why:
        Four ray fills, one in each diagonal direction, for all bishops at once.

    Traps:
        A bishop blocks another only if it is in `occupied`, so include the bishops there.

    Names:
        setwise bishop attacks.

    Source:
        Chess Programming Wiki, "Fill Algorithms", "Kogge-Stone Algorithm".
    """
    return (
        ray_fill_north_east(bishops, occupied)
        | ray_fill_south_east(bishops, occupied)
        | ray_fill_south_west(bishops, occupied)
        | ray_fill_north_west(bishops, occupied)
    )


@pattern
def queens_attacks(queens: Set, occupied: Set) -> Set:
    """Return the squares that any of a set of queens attacks.

    Args:
        queens: squares of the queens, a set.
        occupied: squares of all pieces, a set.

    Example:
        >>> print(sliders.queens_attacks(Bitboard("a1 h4"), Bitboard("a1 h4 a3 c3 f4")))
        . . . 1 . . . 1
        . . . . 1 . . 1
        . . . . . 1 . 1
        . . . . . . 1 1
        . . . . . 1 1 .
        1 . 1 . . . 1 1
        1 1 . . . 1 . 1
        . 1 1 1 1 1 1 1

    Why:
        The union of the squares that they attack as rooks and the squares that they attack as bishops.

    Traps:
        A queen blocks another only if it is in `occupied`, so include the queens there.

    Names:
        setwise queen attacks.

    Source:
        Chess Programming Wiki, "Fill Algorithms", "Kogge-Stone Algorithm".
    """
    return rooks_attacks(queens, occupied) | bishops_attacks(queens, occupied)
