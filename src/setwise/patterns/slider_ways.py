"""The published ways to compute the attacks of one rook or bishop, side by side, all with the same arguments.

`sliders` has the ways that setwise itself uses: PEXT with compressed rows, obstruction difference, hyperbola
quintessence with bit reversal, and ray fills of whole sets. Here are the other ways: rays, byte swaps, kindergarten
multiplications, supersets and magic factors. Nothing in setwise calls them, so a wheel has no machine code of them.

Magic factors are searched, not copied: `magics` tries the numbers of a seeded generator. The search takes about a
second, and it is part of building the machine code of a pattern, which is then kept.

Args:
    square: where the slider stands.
    occupied: squares of all pieces, a set; the slider's own square does not matter.

Traps:
    The first piece on each line is attacked (or defended), whatever its colour: to get moves, take away own pieces.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Set, Square, byteswap, pattern, routine, trailing_zeros
from setwise.compiler.words import embedded, leading_zeros
from setwise.patterns.bit_tricks import splitmix64
from setwise.patterns.bits import ALL, EIGHT, EMPTY, FILE_A, NINE, ONE, RANK_1, SEVEN, THREE, TWO, ZERO, bit, subsets
from setwise.patterns.geometry import BISHOP_DIRECTIONS, ROOK_DIRECTIONS, walk
from setwise.patterns.sliders import (
    ANTIDIAGONALS,
    BISHOP_INNER,
    DIAGONALS,
    FILE_LINES,
    RANK_LINES,
    ROOK_INNER,
    along,
)

__all__ = [
    "bishop_by_black_magic", "bishop_by_fancy_magic", "bishop_by_hyperbola", "bishop_by_kindergarten",
    "bishop_by_obstruction", "bishop_by_plain_magic", "bishop_by_rays", "bishop_by_supersets", "magics",
    "rook_by_black_magic", "rook_by_fancy_magic", "rook_by_hyperbola", "rook_by_kindergarten", "rook_by_obstruction",
    "rook_by_plain_magic", "rook_by_rays", "rook_by_supersets",
]  # fmt: skip


def _walked(directions: tuple[tuple[int, int], ...], square: int, occupied: np.ndarray) -> np.ndarray:
    """The attacks in some directions under many occupancies, by the slow walker."""
    return functools.reduce(np.bitwise_or, (walk(square, occupied, way) for way in directions))


# ------------------------------------------------------------------------------------ classical rays, cut by a bitscan


#: ``RAYS[direction, square]``: the squares from a square to the edge, in the directions north, east, south, west,
#: north-east, south-east, south-west, north-west.
RAYS = np.stack([walk(np.arange(64), EMPTY, way) for way in (*ROOK_DIRECTIONS, *BISHOP_DIRECTIONS)])

_NORTH, _EAST, _SOUTH, _WEST, _NORTH_EAST, _SOUTH_EAST, _SOUTH_WEST, _NORTH_WEST = map(np.uint64, range(8))
_A1, _H8, _SIXTY_THREE = ONE, np.uint64(1 << 63), np.uint64(63)


@routine
def _upwards(square: Square, occupied: Set, way: np.uint64) -> Set:
    """The ray in a direction towards higher squares, up to its first piece."""
    ray = RAYS[way, square]
    return ray ^ RAYS[way, trailing_zeros(occupied & ray | _H8)]


@routine
def _downwards(square: Square, occupied: Set, way: np.uint64) -> Set:
    """The ray in a direction towards lower squares, up to its first piece."""
    ray = RAYS[way, square]
    return ray ^ RAYS[way, _SIXTY_THREE - leading_zeros(occupied & ray | _A1)]


@pattern
def rook_by_rays(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, by four rays cut by a bitscan.

    Example:
        >>> slider_ways.rook_by_rays(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        A table has the ray from each square in each of eight directions. On a ray towards higher squares the first
        piece is the lowest bit of the pieces on the ray; towards lower squares it is the highest bit. The ray from that
        piece in the same direction is what the slider does not see, so `xor` removes it. A bit in a corner, from which
        no ray goes on, stands for "no piece", so that the scan always finds a bit.

    Names:
        classical approach, classical rook attacks, ray attacks by bitscan, getRayAttacks, branchless ray attacks,
        positive rays, negative rays.

    Source:
        Chess Programming Wiki, "Classical Approach".
    """
    north = _upwards(square, occupied, _NORTH)  # north, up to the lowest piece of the ray
    upwards = north | _upwards(square, occupied, _EAST)  # and east
    upwards |= _downwards(square, occupied, _SOUTH)  # and south, up to the highest piece of the ray
    return upwards | _downwards(square, occupied, _WEST)  # and west


@pattern
def bishop_by_rays(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, by four rays cut by a bitscan.

    Example:
        >>> slider_ways.bishop_by_rays(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Why:
        As for the rook, on the four diagonal rays.

    Names:
        classical bishop attacks.

    Source:
        Chess Programming Wiki, "Classical Approach".
    """
    upwards = _upwards(square, occupied, _NORTH_EAST)  # north-east, up to the lowest piece of the ray
    upwards |= _upwards(square, occupied, _NORTH_WEST)  # and north-west
    upwards |= _downwards(square, occupied, _SOUTH_EAST)  # and south-east, up to the highest piece of the ray
    return upwards | _downwards(square, occupied, _SOUTH_WEST)  # and south-west


# ---------------------------------------------------------------------------------------------- obstruction difference


@pattern
def rook_by_obstruction(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, by obstruction difference on its rank and its file.

    Example:
        >>> slider_ways.rook_by_obstruction(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        On one line, take the highest piece below the slider, or a1 if there is none, and the pieces above the slider.
        To subtract the bit below from the pieces above borrows from the lowest of these, so exactly the bits from the
        one to the other change. `xor` with the pieces above keeps what changed, and the mask of the line keeps its
        squares.

    Names:
        obstruction difference, line attacks by obstruction difference.

    Source:
        Chess Programming Wiki, "Obstruction Difference".
    """
    rank = along(square, occupied, RANK_LINES[square])  # on the rank, between the nearest pieces
    return rank | along(square, occupied, FILE_LINES[square])  # and on the file


@pattern
def bishop_by_obstruction(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, by obstruction difference on its two diagonals.

    Example:
        >>> slider_ways.bishop_by_obstruction(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Why:
        As for the rook, on the diagonal and the antidiagonal.

    Names:
        obstruction difference for bishops.

    Source:
        Chess Programming Wiki, "Obstruction Difference".
    """
    diagonal = along(square, occupied, DIAGONALS[square])  # on the diagonal, between the nearest pieces
    return diagonal | along(square, occupied, ANTIDIAGONALS[square])  # and on the antidiagonal


# ---------------------------------------------------------------------- lines by multiplication: kindergarten bitboards


def _file_table() -> np.ndarray:
    """For each rank and each collected index the attacks on the a-file."""
    table, inner = np.zeros((8, 64), np.uint64), subsets(int(FILE_A & ~(RANK_1 | RANK_1 << np.uint64(56))))
    for rank in range(8):
        attacked = walk(8 * rank, inner, (0, 1)) | walk(8 * rank, inner, (0, -1))
        table[rank, (inner * _DIAGONAL_C2_H7 >> _FIFTY_EIGHT).astype(int)] = attacked
    return table


_FILE_B, _DIAGONAL_C2_H7, _FIFTY_EIGHT = FILE_A << ONE, np.uint64(0x0080_4020_1008_0400), np.uint64(58)

#: ``FIRST_RANK[file, pieces]``: the fileset that a rook on a file of the first rank attacks, where the six bits of
#: ``pieces`` are the pieces on the files b to g.
FIRST_RANK = np.stack(
    [walk(file, subsets(0x7E), (1, 0)) | walk(file, subsets(0x7E), (-1, 0)) for file in range(8)]
).astype(np.uint8)
_EVERY_RANK = FIRST_RANK * FILE_A
_FILE_A_ATTACKS = _file_table()


@routine
def _collected(square: Square, occupied: Set, line: Set) -> Set:
    """Attacks on a rank or a diagonal, by the collected files of its pieces."""
    return _EVERY_RANK[square & SEVEN, (occupied & line) * _FILE_B >> _FIFTY_EIGHT] & line


@routine
def _on_file(square: Square, index: np.uint64) -> Set:
    """Attacks on a file, by the collected ranks of its pieces."""
    return _FILE_A_ATTACKS[square >> THREE, index] << (square & SEVEN)


@pattern
def rook_by_kindergarten(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, by one multiplication for its rank and one for its file.

    Example:
        >>> slider_ways.rook_by_kindergarten(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        The pieces on a rank or a diagonal are on different files. Multiply them by the file of b1: the products add up
        on the eighth rank, each piece on its own file, and nothing carries. The upper six bits are the files b to g in
        the order of the board; the edges do not matter, since a slider attacks them in any case. The table has the
        attacks on one rank, repeated on all ranks, and the mask of the line selects one square of each file. A file is
        shifted to the a-file first, and the diagonal c2–h7 as factor collects its six inner squares, from a7 down to
        a2.

    Names:
        kindergarten, kindergarten bitboards, kindergarten multiplication, first rank attacks, occupancy of any line,
        file attacks by multiplication.

    Source:
        Chess Programming Wiki, "Kindergarten Bitboards", "First Rank Attacks", "Occupancy of any Line".
    """
    rank = _collected(square, occupied, RANK_LINES[square])  # on the rank, by its collected files
    file = (occupied >> (square & SEVEN)) & FILE_A  # the file's pieces, shifted to the a-file
    collected = file * _DIAGONAL_C2_H7  # multiplied: the upper six bits, from c8 to h8, are the index
    return rank | _on_file(square, collected >> _FIFTY_EIGHT)  # and on the file, by lookup


@pattern
def bishop_by_kindergarten(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, by one multiplication for each of its diagonals.

    Example:
        >>> slider_ways.bishop_by_kindergarten(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Why:
        As for the rook's rank: the pieces on a diagonal are on different files, too.

    Names:
        kindergarten for bishops, diagonal attacks by multiplication.

    Source:
        Chess Programming Wiki, "Kindergarten Bitboards".
    """
    diagonal = _collected(square, occupied, DIAGONALS[square])  # on the diagonal, by its collected files
    return diagonal | _collected(square, occupied, ANTIDIAGONALS[square])  # and on the antidiagonal


# ------------------------------------------------------------------------------- hyperbola quintessence with byte swaps


@routine
def _swapped(square: Square, occupied: Set, line: Set) -> Set:
    """Attacks along a line with one square on each rank."""
    slider, pieces = bit(square), occupied & line
    upwards = pieces - TWO * slider
    downwards = byteswap(byteswap(pieces) - TWO * byteswap(slider))
    return (upwards ^ downwards) & line


@pattern
def rook_by_hyperbola(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, by a byte swap for its file and a table for its rank.

    Example:
        >>> slider_ways.rook_by_hyperbola(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        On one line, subtract twice the slider from the pieces: this changes the bits from the slider's next square up
        to the first piece. For the other direction, reverse the order of the squares, subtract, and reverse it back. On
        a file or a diagonal each rank has one square, so a byte swap, which exchanges the ranks, reverses the order. A
        rank has all its squares in one byte, which a byte swap does not reverse: there a table of the first rank is
        used instead. `sliders.rook_attacks_by_calculation` reverses all 64 bits, and needs no table.

    Names:
        hyperbola quintessence with byte swap, reverse subtraction.

    Source:
        Chess Programming Wiki, "Hyperbola Quintessence", "Subtracting a Rook from a Blocking Piece".
    """
    file = _swapped(square, occupied, FILE_LINES[square])  # on the file, by subtraction in both orders
    return file | _collected(square, occupied, RANK_LINES[square])  # and on the rank, by lookup


@pattern
def bishop_by_hyperbola(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, by a byte swap for each of its diagonals.

    Example:
        >>> slider_ways.bishop_by_hyperbola(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Why:
        As for the rook's file: a diagonal has one square on each rank, too.

    Names:
        hyperbola quintessence for bishops with byte swap.

    Source:
        Chess Programming Wiki, "Hyperbola Quintessence".
    """
    diagonal = _swapped(square, occupied, DIAGONALS[square])  # on the diagonal, by subtraction in both orders
    return diagonal | _swapped(square, occupied, ANTIDIAGONALS[square])  # and on the antidiagonal


# ------------------------------------------------------------------------------------------ supersets of a split index


def _supersets(directions: tuple[tuple[int, int], ...]) -> np.ndarray:
    """The supersets for each square, rank, and pieces of that rank, in a row."""
    pieces = np.arange(256, dtype=np.uint64) << (EIGHT * np.arange(8, dtype=np.uint64))[:, None]
    return np.concatenate([_walked(directions, square, pieces).ravel() for square in range(64)])


_rook_superset = embedded("_supersets(ROOK_DIRECTIONS)", lambda: _supersets(ROOK_DIRECTIONS).tobytes(), 64)
_bishop_superset = embedded("_supersets(BISHOP_DIRECTIONS)", lambda: _supersets(BISHOP_DIRECTIONS).tobytes(), 64)
_BYTE = RANK_1


@pattern
def rook_by_supersets(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, as the intersection of eight supersets.

    Example:
        >>> slider_ways.rook_by_supersets(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        A square is attacked if no piece is between it and the slider. Pieces of one rank alone leave a superset of the
        attacked squares, and the intersection of the supersets for all ranks leaves the squares that no piece of any
        rank hides. Each rank is a byte of the occupied squares, so the index of a table needs neither mask nor
        multiplication.

    Names:
        SISSY bitboards, split index super set yielding, SISSY.

    Source:
        Chess Programming Wiki, "SISSY Bitboards", whose idea this is; the split by ranks is ours.
    """
    attacked, rank = ALL, ZERO
    while rank != EIGHT:
        pieces = occupied >> EIGHT * rank & _BYTE
        attacked &= _rook_superset((square << THREE | rank) << EIGHT | pieces)  # what the next rank's pieces leave
        rank += ONE
    return attacked


@pattern
def bishop_by_supersets(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, as the intersection of eight supersets.

    Example:
        >>> slider_ways.bishop_by_supersets(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Why:
        As for the rook: the argument holds for any lines.

    Names:
        SISSY for bishops.

    Source:
        Chess Programming Wiki, "SISSY Bitboards", whose idea this is; the split by ranks is ours.
    """
    attacked, rank = ALL, ZERO
    while rank != EIGHT:
        pieces = occupied >> EIGHT * rank & _BYTE
        attacked &= _bishop_superset((square << THREE | rank) << EIGHT | pieces)  # what the next rank's pieces leave
        rank += ONE
    return attacked


# ------------------------------------------------------------------------------------------- magics: searched and found

#: How many numbers are tried at once, and on how many of the smallest sets of pieces first, as most numbers fail there.
_AT_ONCE, _FIRST_FEW = 1 << 11, (14, 80, 300)


class Magics(NamedTuple):
    """A magic lookup: for each square a mask, a factor, a shift and a start, and the table of attacks.

    The attacks are ``attacks[start + (pieces * factor >> shift)]``, where ``pieces`` is ``occupied & mask``; for black
    magics it is ``occupied | mask``.
    """

    masks: np.ndarray
    factors: np.ndarray
    shifts: np.ndarray
    starts: np.ndarray
    attacks: np.ndarray


def magics(piece: str, kind: str) -> Magics:
    """Return the magic lookup of one piece. A search finds its factors, the same in every run.

    The search takes about a second for rooks and a tenth of a second for bishops; a process searches once.

    Args:
        piece: ``"rook"`` or ``"bishop"``.
        kind: ``"plain"`` (the tables of all squares have the same size), ``"fancy"`` (the table of a square has as many
            entries as the pieces that matter have sets), or ``"black"`` (as fancy, but the squares that do not matter
            count as occupied instead of empty).

    Example:
        >>> found = slider_ways.magics("bishop", "fancy")
        >>> found.attacks.size, found.attacks.nbytes
        (5248, 41984)
        >>> pieces = Bitboard("d4 d6 f4 f6") & int(found.masks[27])
        >>> index = (pieces * int(found.factors[27]) & 2**64 - 1) >> int(found.shifts[27])
        >>> Bitboard(int(found.attacks[int(found.starts[27]) + index]))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Names:
        magic numbers, magic factors, looking for magics, finding magics, magic number generator.

    Source:
        Chess Programming Wiki, "Magic Bitboards", "Looking for Magics".
    """
    return _magics(piece, kind)


@functools.cache
def _magics(piece: str, kind: str) -> Magics:
    is_rook, is_black = piece == "rook", kind == "black"
    inner, directions = (ROOK_INNER, ROOK_DIRECTIONS) if is_rook else (BISHOP_INNER, BISHOP_DIRECTIONS)
    masks, shifts = ~inner if is_black else inner, np.uint64(64) - np.bitwise_count(inner)
    if kind == "plain":
        shifts = np.full_like(shifts, shifts.min())
    sizes = ONE << np.uint64(64) - shifts
    starts, attacks, factors = np.cumsum(sizes) - sizes, np.zeros(sizes.sum(), np.uint64), np.zeros(64, np.uint64)
    for square in range(64):
        pieces = subsets(int(inner[square]))
        attacked = _walked(directions, square, pieces)
        pieces = pieces | masks[square] if is_black else pieces
        factors[square] = (  # what separates by few bits separates by more, too
            _magic(pieces, attacked, shifts[square]) if kind != "plain" else _magics(piece, "fancy").factors[square]
        )
        attacks[starts[square] + (pieces * factors[square] >> shifts[square])] = attacked
    return Magics(masks, factors, shifts, starts, attacks)


def _magic(pieces: np.ndarray, attacked: np.ndarray, shift: np.uint64) -> np.uint64:
    """The first number of few bits that is magic for some sets of pieces and the attacks that each leaves."""
    classes = np.unique(attacked, return_inverse=True)[1].astype(np.uint8)
    smallest_first, numbers = (
        np.argsort(np.bitwise_count(pieces), kind="stable"),
        np.arange(3 * _AT_ONCE, dtype=np.uint64),
    )
    while True:
        factors = np.bitwise_and.reduce(splitmix64(numbers).reshape(3, _AT_ONCE))
        for few in (*_FIRST_FEW, pieces.size):
            factors = factors[_separates(factors, pieces[smallest_first[:few]], classes[smallest_first[:few]], shift)]
        if factors.size:
            return np.uint64(factors[0])
        numbers += np.uint64(numbers.size)


def _separates(factors: np.ndarray, pieces: np.ndarray, classes: np.ndarray, shift: np.uint64) -> np.ndarray:
    """Whether each factor gives no index to two sets of pieces of different classes: what is written stays."""
    index, rows = pieces * factors[:, None] >> shift, np.arange(factors.size)[:, None]
    table = np.empty((factors.size, 1 << int(np.uint64(64) - shift)), np.uint8)
    table[rows, index] = classes
    separated: np.ndarray = np.all(table[rows, index] == classes, axis=1)
    return separated


def _part(piece: str, kind: str, part: str) -> Any:
    """An operation that returns an item of a magic lookup; the search runs when code that uses it is compiled."""
    return embedded(f'magics("{piece}", "{kind}").{part}', lambda: getattr(_magics(piece, kind), part).tobytes(), 64)


_rook_factor, _bishop_factor = _part("rook", "fancy", "factors"), _part("bishop", "fancy", "factors")
_rook_plain, _bishop_plain = _part("rook", "plain", "attacks"), _part("bishop", "plain", "attacks")
_rook_fancy, _bishop_fancy = _part("rook", "fancy", "attacks"), _part("bishop", "fancy", "attacks")
_rook_black_factor, _bishop_black_factor = _part("rook", "black", "factors"), _part("bishop", "black", "factors")
_rook_black, _bishop_black = _part("rook", "black", "attacks"), _part("bishop", "black", "attacks")

_ROOK_SHIFTS, _BISHOP_SHIFTS = (np.uint64(64) - np.bitwise_count(inner) for inner in (ROOK_INNER, BISHOP_INNER))
_ROOK_STARTS, _BISHOP_STARTS = (
    np.cumsum(sizes) - sizes for sizes in (ONE << np.bitwise_count(inner) for inner in (ROOK_INNER, BISHOP_INNER))
)


@routine
def _rook_place(square: Square, product: np.uint64) -> np.uint64:
    """The place in the table of a rook's square and the upper bits of a product."""
    return _ROOK_STARTS[square] + (product >> _ROOK_SHIFTS[square])


@routine
def _bishop_place(square: Square, product: np.uint64) -> np.uint64:
    """The place in the table of a bishop's square and the upper bits of a product."""
    return _BISHOP_STARTS[square] + (product >> _BISHOP_SHIFTS[square])


_TWELVE, _FIFTY_TWO, _FIFTY_FIVE = np.uint64(12), np.uint64(52), np.uint64(55)


@pattern
def rook_by_plain_magic(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, by a magic factor and tables of the same size for all squares.

    Example:
        >>> slider_ways.rook_by_plain_magic(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        Only the pieces on the slider's lines matter, except on the last square of each line. A factor is magic for a
        square if the upper bits of its products with all sets of such pieces tell apart those sets that leave different
        attacks. No formula for such factors is known, but they are many: numbers of few bits are tried until one is
        magic.

    Names:
        plain magic bitboards, magic bitboards.

    Source:
        Chess Programming Wiki, "Magic Bitboards".
    """
    pieces = occupied & ROOK_INNER[square]  # the pieces that matter
    product = pieces * _rook_factor(square)  # times the magic factor: the upper twelve bits are the index
    return _rook_plain(square << _TWELVE | product >> _FIFTY_TWO)  # the attacks at this index


@pattern
def bishop_by_plain_magic(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, by a magic factor and tables of the same size for all squares.

    Example:
        >>> slider_ways.bishop_by_plain_magic(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Why:
        As for the rook, with nine squares that matter at most.

    Names:
        plain magic for bishops.

    Source:
        Chess Programming Wiki, "Magic Bitboards".
    """
    pieces = occupied & BISHOP_INNER[square]  # the pieces that matter
    product = pieces * _bishop_factor(square)  # times the magic factor: the upper nine bits are the index
    return _bishop_plain(square << NINE | product >> _FIFTY_FIVE)  # the attacks at this index


@pattern
def rook_by_fancy_magic(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, by a magic factor and a table as small as each square allows.

    Example:
        >>> slider_ways.rook_by_fancy_magic(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        As in `rook_by_plain_magic`. Most squares have fewer than twelve squares that matter, so fewer bits of the
        product are enough, and their tables are smaller. They stand one after the other.

    Names:
        fancy magic bitboards, fancy magic, multiply-right-shift perfect hashing.

    Source:
        Chess Programming Wiki, "Magic Bitboards".
    """
    pieces = occupied & ROOK_INNER[square]  # the pieces that matter
    product = pieces * _rook_factor(square)  # times the magic factor: its upper bits are the index
    return _rook_fancy(_rook_place(square, product))  # the attacks at this index


@pattern
def bishop_by_fancy_magic(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, by a magic factor and a table as small as each square allows.

    Example:
        >>> slider_ways.bishop_by_fancy_magic(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Why:
        As in `rook_by_fancy_magic`, with five to nine squares that matter.

    Names:
        fancy magic for bishops.

    Source:
        Chess Programming Wiki, "Magic Bitboards".
    """
    pieces = occupied & BISHOP_INNER[square]  # the pieces that matter
    product = pieces * _bishop_factor(square)  # times the magic factor: its upper bits are the index
    return _bishop_fancy(_bishop_place(square, product))  # the attacks at this index


@pattern
def rook_by_black_magic(square: Square, occupied: Set) -> Set:
    """Return the squares that a rook attacks, by a magic factor for the pieces and all squares that do not matter.

    Example:
        >>> slider_ways.rook_by_black_magic(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('d1 d2 d3 a4 b4 c4 e4 f4 d5 d6')

    Why:
        As in `rook_by_fancy_magic`. Squares that do not matter are set instead of cleared, which adds a constant to the
        product: other factors are magic then. Published tables of this kind are smaller, since they lie in each other's
        gaps, which a longer search finds.

    Names:
        black magic bitboards, black magic.

    Source:
        Chess Programming Wiki, "Magic Bitboards".
    """
    pieces = occupied | ~ROOK_INNER[square]  # the pieces that matter, and all squares that do not
    product = pieces * _rook_black_factor(square)  # times the magic factor: its upper bits are the index
    return _rook_black(_rook_place(square, product))  # the attacks at this index


@pattern
def bishop_by_black_magic(square: Square, occupied: Set) -> Set:
    """Return the squares that a bishop attacks, by a magic factor for the pieces and all squares that do not matter.

    Example:
        >>> slider_ways.bishop_by_black_magic(27, Bitboard("d4 d6 f4 f6"))
        Bitboard('a1 g1 b2 f2 c3 e3 c5 e5 b6 f6 a7')

    Why:
        As in `rook_by_black_magic`, with the squares off the diagonals set.

    Names:
        black magic for bishops.

    Source:
        Chess Programming Wiki, "Magic Bitboards".
    """
    pieces = occupied | ~BISHOP_INNER[square]  # the pieces that matter, and all squares that do not
    product = pieces * _bishop_black_factor(square)  # times the magic factor: its upper bits are the index
    return _bishop_black(_bishop_place(square, product))  # the attacks at this index
