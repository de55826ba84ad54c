"""How much positions resemble each other, and what material a side has.

Pieces of a kind and colour are compared in groups: pawns file by file, kings wing by wing, all others on the whole
board. In a group, a piece on another square costs little, and a piece more or fewer costs much; so the pawns on each
file, which make the structure, weigh most. Turns, castling rights and clocks do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.compiler import Count, Set, entry, popcount, routine
from setwise.compiler.kinds import boolean, int16, reads, uint64, void, writes
from setwise.features import COLOURS
from setwise.patterns.bits import EIGHT, EMPTY, FIVE, FOUR, NINE, ONE, THREE, TWO, ZERO
from setwise.rules.board import Board, board_at

# ----------------------------------------------------------------------------------------- how unlike two positions are


class Points(NamedTuple):
    """The cost of a difference in the pieces of a kind."""

    #: For a piece that stands on another square of its group.
    elsewhere: np.uint64
    #: For a piece that only one of the positions has in its group.
    alone: np.uint64


#: The points of each kind of piece: another square costs one point, and a piece more or fewer costs its worth; but a
#: pawn on a file costs 2 and 4, and a king 1 and 2.
POINTS = {
    "pawns": Points(TWO, FOUR), "knights": Points(ONE, THREE), "bishops": Points(ONE, THREE),
    "rooks": Points(ONE, FIVE), "queens": Points(ONE, NINE), "kings": Points(ONE, TWO),
}  # fmt: skip
_FILES = np.array([0x0101_0101_0101_0101 << file for file in range(8)], np.uint64)
_WINGS = np.array([_FILES[:3].sum(), _FILES[3:5].sum(), _FILES[5:].sum()], np.uint64)
_BOARD = np.array([~np.uint64(0)])
#: The groups of each kind.
_GROUPS = {"pawns": _FILES, "kings": _WINGS, **dict.fromkeys(("knights", "bishops", "rooks", "queens"), _BOARD)}
_PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING = POINTS.values()


# --------------------------------------------------------------------------------------------------------- many boards


@routine
def _cost(here: Set, there: Set, groups: np.ndarray, points: Points) -> Count:
    """The points for pieces of one kind and colour."""
    more, fewer, total = here & ~there, there & ~here, ZERO
    if more | fewer:
        for group in groups:
            extra, missing = popcount(more & group), popcount(fewer & group)
            pairs = min(extra, missing)
            total += points.elsewhere * pairs + points.alone * (max(extra, missing) - pairs)
    return total


@routine
def _of_side(board: Board, side: Set, other: Board, others: Set) -> Count:
    """The points for the pieces of one colour."""
    return (
        _cost(board.pawns & side, other.pawns & others, _FILES, _PAWN)
        + _cost(board.knights & side, other.knights & others, _BOARD, _KNIGHT)
        + _cost(board.bishops & side, other.bishops & others, _BOARD, _BISHOP)
        + _cost(board.rooks & side, other.rooks & others, _BOARD, _ROOK)
        + _cost(board.queens & side, other.queens & others, _BOARD, _QUEEN)
        + _cost(board.kings & side, other.kings & others, _WINGS, _KING)
    )


@entry(void, reads(uint64, 2, "A"), reads(uint64, 2), writes(int16))
def _measure(sets: np.ndarray, other_sets: np.ndarray, points: np.ndarray) -> None:
    """Write for each position its distance from the single position in ``other_sets``."""
    other = board_at(other_sets, 0)
    for k in range(points.size):
        board = board_at(sets, k)
        points[k] = _of_side(board, board.own, other, other.own) + _of_side(board, board.enemy, other, other.enemy)


def distances(sets: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return for each position the sum of the points of its differences from another one; 0 for the same pieces.

    Args:
        sets: the sets of the positions.
        other: the sets of the other position, as a column.
    """
    points = np.empty(sets.shape[1], np.int16)
    _measure(sets, np.ascontiguousarray(other), points)
    return points


def differing_squares(sets: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return for each position the set of the squares whose content differs from the same square of another position.

    Args:
        sets: the sets of the positions.
        other: the sets of the other position, as a column.
    """
    pieces = slice(2 + len(POINTS))
    squares: np.ndarray = np.bitwise_or.reduce(sets[pieces] ^ other[pieces])
    return squares


# ----------------------------------------------------------------------------------------------------------- one board


class Difference(NamedTuple):
    """A difference between two positions: a piece, its square in each of them, and the points.

    >>> print(Difference("white knight", 36, 21, 1), Difference("black pawn", None, 42, 4), sep="; ")
    white knight e5, not f3: 1; black pawn c6 missing: 4
    """

    piece: str
    #: The squares, 0 to 63; None in the position that lacks the piece.
    here: int | None
    there: int | None
    points: int

    def __str__(self) -> str:
        if self.here is None:
            return f"{self.piece} {SQUARE_NAMES[self.there or 0]} missing: {self.points}"
        how = " more" if self.there is None else f", not {SQUARE_NAMES[self.there]}"
        return f"{self.piece} {SQUARE_NAMES[self.here]}{how}: {self.points}"


def differences(one: np.ndarray, other: np.ndarray) -> Iterator[Difference]:
    """Yield the differences of a position from another one, whose points add up to their distance.

    Args:
        one: the sets of the position.
        other: the sets of the other position.
    """
    for side, colour in enumerate(COLOURS):
        for row, kind in enumerate(POINTS, start=2):
            here, there = (int(its[side] & its[row]) for its in (one, other))
            for on, off, points in _pairs(here & ~there, there & ~here, kind):
                yield Difference(f"{colour} {kind.removesuffix('s')}", on, off, points)


def _pairs(more: int, fewer: int, kind: str) -> Iterator[tuple[int | None, int | None, int]]:
    """The squares of pieces of one kind in both positions, paired within groups, with their points."""
    elsewhere, alone = map(int, POINTS[kind])
    extra, missing = list[int](), list[int]()
    for group in _GROUPS[kind].tolist():
        those, others = Bitboard(more & group).squares(), Bitboard(fewer & group).squares()
        pairs = min(len(those), len(others))
        yield from ((on, off, elsewhere) for on, off in zip(those, others, strict=False))
        extra += those[pairs:]
        missing += others[pairs:]
    if kind == "kings":  # a king on another wing is one king, not one more and one missing
        yield from ((extra.pop(), missing.pop(), 2 * alone) for _ in range(min(len(extra), len(missing))))
    yield from ((on, None, alone) for on in extra)
    yield from ((None, off, alone) for off in missing)


# ------------------------------------------- how many pieces of each kind both sides have, as one number for a position


#: The pieces that are counted, in the order of the digits.
KINDS = ("queens", "rooks", "bishops", "knights", "pawns")
#: A count is 0 to 64: one digit of a number to this base.
_BASE = np.uint64(65)
#: The values of the five bytes that hold counts, highest first, and the highest bit of each byte.
_BYTES = np.uint64(256) ** np.arange(4, -1, -1, dtype=np.uint64)
_TOPS = np.uint64(0x80_80_80_80_80)

#: For each of two sides and each kind, the least and the most.
Form = Sequence[Sequence[tuple[int, int]]]


@routine
def _counts(board: Board, side: Set) -> tuple[Count, Count, Count, Count, Count]:
    """How many queens, rooks, bishops, knights and pawns a side has."""
    return (
        popcount(board.queens & side), popcount(board.rooks & side), popcount(board.bishops & side),
        popcount(board.knights & side), popcount(board.pawns & side),
    )  # fmt: skip


@routine
def _in_bytes(board: Board, side: Set) -> np.uint64:
    """The same counts as the lowest five bytes of a word."""
    word = EMPTY
    for count in _counts(board, side):
        word = np.uint64(word << EIGHT | np.uint64(count))
    return word


@entry(void, reads(uint64, 2, "A"), writes(uint64))
def _encode(sets: np.ndarray, codes: np.ndarray) -> None:
    """Write for each position ten digits: White's queens, rooks, bishops, knights and pawns, then Black's."""
    for k in range(codes.size):
        board, code = board_at(sets, k), EMPTY
        for count in _counts(board, board.own):
            code = np.uint64(code * _BASE + np.uint64(count))
        for count in _counts(board, board.enemy):
            code = np.uint64(code * _BASE + np.uint64(count))
        codes[k] = code


@entry(void, reads(uint64, 2, "A"), reads(uint64, 3), writes(boolean))
def _compare(sets: np.ndarray, forms: np.ndarray, fits: np.ndarray) -> None:
    """Write for each position whether all counts are within the limits of one of the forms.

    A form has two words for each side: the least counts, in bytes, and the largest counts. Five counts are compared at
    once: no count is above 64, so the highest bit of a byte is free; it is set before a subtraction, and is cleared if
    the byte that is subtracted is larger.
    """
    for k in range(fits.size):
        board = board_at(sets, k)
        own, enemy = _in_bytes(board, board.own), _in_bytes(board, board.enemy)
        fits[k] = False
        for form in range(forms.shape[0]):
            kept = (own | _TOPS) - forms[form, 0, 0] & (forms[form, 0, 1] | _TOPS) - own
            kept &= (enemy | _TOPS) - forms[form, 1, 0] & (forms[form, 1, 1] | _TOPS) - enemy
            fits[k] |= kept & _TOPS == _TOPS


def material_codes(sets: np.ndarray) -> np.ndarray:
    """Return for each position one number that encodes the counts of its pieces; `counts_in` decodes it.

    Args:
        sets: the sets of the positions.
    """
    codes = np.empty(sets.shape[1], np.uint64)
    _encode(sets, codes)
    return codes


def has_material(sets: np.ndarray, forms: Sequence[Form]) -> np.ndarray:
    """Return for each position whether the counts of its pieces fit one of the forms.

    Args:
        sets: the sets of the positions.
        forms: for each side, White first, the least and the most of each kind of pieces, 0 to 64.
    """
    limits = np.array(forms, np.uint64).swapaxes(2, 3)  # a side's least counts, then its largest
    fits = np.empty(sets.shape[1], np.bool_)
    _compare(sets, limits @ _BYTES, fits)
    return fits


def counts_in(codes: np.ndarray) -> np.ndarray:
    """Return the counts that numbers encode: a row for each of White's kinds of pieces, then for each of Black's."""
    places = np.arange(2 * len(KINDS) - 1, -1, -1, dtype=np.uint64)
    return (codes // _BASE ** places[:, None] % _BASE).astype(np.int64)
