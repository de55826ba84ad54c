"""How unlike two positions are: points for each piece that stands elsewhere, and for each that only one of them has.

Pieces of a kind and colour are compared in groups: pawns file by file, kings wing by wing, all others on the whole
board. In a group, a piece on another square costs little, and a piece more or fewer costs much; so the pawns on each
file, which make the structure, weigh most. Turns, castling rights and clocks do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.compiler import Count, Set, entry, popcount, routine
from setwise.compiler.signatures import int16, reads, uint64, void, writes
from setwise.features import COLOURS
from setwise.patterns.bits import FIVE, FOUR, NINE, ONE, THREE, TWO, ZERO
from setwise.rules.board import Board, board_at

__all__ = ["POINTS", "Difference", "differences", "differing_squares", "distances"]


class Points(NamedTuple):
    """What a difference in the pieces of a kind costs."""

    #: For a piece that stands on another square of its group.
    elsewhere: np.uint64
    #: For a piece that only one of the positions has in its group.
    alone: np.uint64


#: The points of each kind of piece: a piece more is its worth, a pawn on a file twice its weight in squares and worth.
POINTS = {
    "pawns": Points(TWO, FOUR),
    "knights": Points(ONE, THREE),
    "bishops": Points(ONE, THREE),
    "rooks": Points(ONE, FIVE),
    "queens": Points(ONE, NINE),
    "kings": Points(ONE, TWO),
}
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
    """Write for each position the distance to the only one of ``other_sets``."""
    other = board_at(other_sets, 0)
    for k in range(points.size):
        board = board_at(sets, k)
        points[k] = _of_side(board, board.own, other, other.own) + _of_side(board, board.enemy, other, other.enemy)


def distances(sets: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return for each position the sum of the points of its differences from another one; 0 for the same pieces.

    Args:
        sets: the sets of the positions.
        other: the sets of the other one, a column.
    """
    points = np.empty(sets.shape[1], np.int16)
    _measure(sets, np.ascontiguousarray(other), points)
    return points


def differing_squares(sets: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return for each position the set of the squares on which another one has another piece, or none, or the only one.

    Args:
        sets: the sets of the positions.
        other: the sets of the other one, a column.
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
        other: the sets of the other one.
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
