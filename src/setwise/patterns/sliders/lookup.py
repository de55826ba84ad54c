"""Attacks of one rook, bishop or queen, read from a table where the processor is quick at ``pext`` and ``pdep``.

``pext`` packs the occupancy of a slider's lines into an index. What stands on the edge never matters, so the inner
squares alone are packed. A row of the table is again a packed set, of at most 14 squares: 16 bits are enough for
``pdep`` to spread out, and the whole table of 215 kB stays in the second-level cache.

Other processors calculate. One subtraction a line is enough: the nearest blocker below the slider, taken from those
above it, borrows from the nearest of these, and changes all squares between the two (the "obstruction difference").
"""

from __future__ import annotations

import functools

import numpy as np

from setwise.compiler import Set, Square, by_processor, pattern, routine
from setwise.compiler.memory import embedded
from setwise.compiler.words import leading_zeros, pdep, pext
from setwise.patterns.bits import FILE_A, FILE_H, ONE, RANK_1, RANK_8, bit, subsets
from setwise.patterns.geometry import BISHOP_DIRECTIONS, ROOK_DIRECTIONS, walk
from setwise.patterns.sliders.board_lines import (
    ANTIDIAGONALS,
    BISHOP_LINES,
    DIAGONALS,
    FILE_LINES,
    RANK_LINES,
    ROOK_LINES,
)

__all__ = ["bishop_attacks", "queen_attacks", "rook_attacks"]


def _inner(lines: np.ndarray, file_lines: np.ndarray, rank_lines: np.ndarray) -> np.ndarray:
    across = lines & rank_lines & ~(FILE_A | FILE_H)
    along = lines & file_lines & ~(RANK_1 | RANK_8)
    return across | along


_EDGES = RANK_1 | RANK_8 | FILE_A | FILE_H
_ROOK_INNER = _inner(ROOK_LINES, FILE_LINES, RANK_LINES)
_BISHOP_INNER = BISHOP_LINES & ~_EDGES
_SIZES = ONE << np.bitwise_count(np.concatenate([_ROOK_INNER, _BISHOP_INNER])).astype(np.uint64)
_OFFSETS = np.cumsum(_SIZES) - _SIZES

#: For each square: the inner squares, the lines, where its rows begin.
_ROOK = np.stack([_ROOK_INNER, ROOK_LINES, _OFFSETS[:64]], axis=1)
_BISHOP = np.stack([_BISHOP_INNER, BISHOP_LINES, _OFFSETS[64:]], axis=1)


def _pack(sets: np.ndarray, mask: int) -> np.ndarray:
    """``pext`` in NumPy."""
    places = [square for square in range(64) if mask >> square & 1]
    bits = [((sets >> np.uint64(square)) & ONE) << np.uint64(place) for place, square in enumerate(places)]
    return np.bitwise_or.reduce(bits)


@functools.cache
def _rows() -> bytes:
    """The table's 107,648 rows of 16 bits, walked out for every square and every relevant occupancy."""
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
def _along(square: Square, occupied: Set, line: Set) -> Set:
    """Attacks along one line; ``_HIGHEST`` is shifted to the nearest blocker below, or to the first square."""
    blockers = occupied & line
    below = blockers & (bit(square) - ONE)
    above = blockers ^ below
    return (above ^ (above - (_HIGHEST >> leading_zeros(below | ONE)))) & line


@routine
def _rook_lines(square: Square, occupied: Set) -> Set:
    return _along(square, occupied, RANK_LINES[square]) | _along(square, occupied, FILE_LINES[square])


@routine
def _bishop_lines(square: Square, occupied: Set) -> Set:
    return _along(square, occupied, DIAGONALS[square]) | _along(square, occupied, ANTIDIAGONALS[square])


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
        Only pieces on the rook's lines matter, except on the last square of each: twelve squares at most. `pext` packs
        their bits into a number, the index of a row of the table, which was filled by walking along the lines once. The
        row is packed, too; `pdep` spreads it over the lines. On other processors the attacks are calculated.

    Traps:
        The first piece on each line is attacked (or defended), whatever its colour: to get moves, take away own pieces.

    Names:
        rookAttacks, magic bitboards, PEXT bitboards, BMI2, fancy magic, slider lookup.

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
