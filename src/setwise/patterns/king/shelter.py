"""The shelter of a king: its zone, the shield of pawns, open files beside it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from setwise.compiler import Count, Set, pattern
from setwise.patterns.bits import EIGHT, EMPTY, TWO
from setwise.patterns.compass.steps import grown, north, sideways
from setwise.patterns.fills import file_fill

__all__ = ["half_open_files", "open_files", "shield_index", "shield_mask", "shield_value", "zone"]

THIRTEEN = np.uint64(13)
EIGHTEEN, SIXTY_FOUR = np.uint64(18), np.uint64(64)
EAST_WING, WEST_WING = np.uint64(0xE0E0), np.uint64(0x0707)  # files f–h and a–c of ranks 1 and 2
NEAR_ROW, FAR_ROW = np.uint64(0x07), np.uint64(0x38)  # the shield's nearer three squares, and the further three, packed
FIRST_OF_ROW, SECOND_OF_ROW, THIRD_OF_ROW = np.uint64(0x09), np.uint64(0x12), np.uint64(0x24)


@pattern
def zone(kings: Set) -> Set:
    """Return the king's zone: its square, all neighbours, and the three squares one more rank ahead.

    Args:
        kings: squares of the kings, a set.

    Example:
        >>> print(king.zone(Bitboard("g1")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1

    Why:
        The neighbours and the king make three ranks; the same once more, one rank ahead, adds the rank in front, from
        where an attack begins.

    Traps:
        Ahead is up the board; for Black mirror the board, not the result alone.

    Names:
        king zone.

    Source:
        Chess Programming Wiki, "King Safety" (attacking king zone).
    """
    near = grown(kings)  # the king and its neighbours
    return near | north(near)  # and one rank further ahead


@pattern
def shield_mask(king: Set) -> Set:
    """Return the six squares where pawns shield a king that stands on a wing, on one of the first two ranks.

    A king on files f–h has f2 g2 h2 f3 g3 h3, one on files a–c has a2 b2 c2 a3 b3 c3; elsewhere there is no shield.

    Args:
        king: square of the king, a set.

    Example:
        >>> print(king.shield_mask(Bitboard("g1")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . . . .

    Why:
        A wing is a set of three files; a king in it selects the six squares, and the two wings exclude each other.

    Traps:
        A king on rank 2 may stand on a square of its own shield.

    Names:
        pawn shield, pawn-shield pattern, pawnShieldMask, king shelter.

    Source:
        Chess Programming Wiki, "King Pattern" (pawn-shield pattern).
    """
    east = EAST_WING << EIGHT if king & EAST_WING != EMPTY else EMPTY
    west = WEST_WING << EIGHT if king & WEST_WING != EMPTY else EMPTY
    return east | west


@pattern
def shield_index(king: Set, own_pawns: Set) -> Count:
    """Return the pawns of a king's shield packed to a number from 0 to 63, and 64 where there is no shield.

    Bits 0 to 5 stand for f2 g2 h2 f3 g3 h3, on the other wing for c2 b2 a2 c3 b3 a3, its mirror image: one table of 65
    entries serves both wings, and is indexed without a branch.

    Args:
        king: square of the king, a set.
        own_pawns: squares of the pawns of the king's side.

    Example:
        >>> king.shield_index(Bitboard("g1"), Bitboard("a2 f2 g3 h2"))
        21
        >>> king.shield_index(Bitboard("b1"), Bitboard("c2 b3 a2 h2"))
        21
        >>> king.shield_index(Bitboard("e1"), Bitboard("f2 g3 h2"))
        64

    Why:
        The three files of a wing are next to each other, so that a shift and a mask pack a row of the shield into three
        bits; on the west wing the outer bits of a row are exchanged, which mirrors it. Each pattern of six squares has
        a number of its own from 0 to 63, so 64 is free.

    Traps:
        0 is a shield without pawns; 64 is a king that has left the wings or the first two ranks.

    Names:
        pawn shield index.

    Source:
        Chess Programming Wiki, "King Pattern" (pawn-shield pattern).
    """
    east = np.uint64((own_pawns >> THIRTEEN) & NEAR_ROW | (own_pawns >> EIGHTEEN) & FAR_ROW)
    west = np.uint64((own_pawns >> EIGHT) & NEAR_ROW | (own_pawns >> THIRTEEN) & FAR_ROW)
    west = (west & FIRST_OF_ROW) << TWO | west & SECOND_OF_ROW | (west & THIRD_OF_ROW) >> TWO
    elsewhere = west if king & WEST_WING != EMPTY else SIXTY_FOUR
    return east if king & EAST_WING != EMPTY else elsewhere


def shield_value(index: ArrayLike, table: ArrayLike) -> Any:
    """Return the values that a user's table has for shields: ``table[index]``, after a check of both.

    Args:
        index: a number from 0 to 64 or an array of them, as `shield_index` gives them.
        table: 65 numbers, the last one for "no shield".

    Returns:
        A Python number for one index; for an array of indices an array of its shape and of the table's type.

    Raises:
        TypeError: for an index that is not an integer, or a table that does not hold numbers.
        ValueError: for a table of another length than 65, or an index above 64 or below 0.

    Example:
        >>> pawns_left = [pattern.bit_count() for pattern in range(64)] + [-1]
        >>> king.shield_value(king.shield_index(Bitboard("g1"), Bitboard("f2 g3 h2")), pawns_left)
        3
        >>> king.shield_value(np.array([0, 63, 64]), pawns_left)
        array([ 0,  6, -1])
    """
    values = np.asarray(table)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"the table holds numbers, not {values.dtype}")
    if values.shape != (65,):
        raise ValueError(f"a table of shields has 65 entries, the last for none; this one's shape is {values.shape}")
    if np.ndim(index) == 0:
        number = operator.index(index)  # type: ignore[arg-type]
        if not 0 <= number <= 64:
            raise ValueError(f"the index of a shield is 0 to 64, not {number}")
        return values[number].item()
    indices = np.asarray(index)
    if indices.dtype.kind not in "ui":
        raise TypeError(f"indices of shields are integers, not {indices.dtype}")
    if indices.size and not 0 <= indices.min() <= indices.max() <= 64:
        raise ValueError(f"indices of shields are 0 to 64; these are {indices.min()} to {indices.max()}")
    return values[indices]


@pattern
def open_files(king: Set, pawns: Set) -> Set:
    """Return all squares of the open files at a king or next to it: no pawn of either side stands on them.

    Args:
        king: square of the king, a set.
        pawns: squares of all pawns of both sides.

    Example:
        >>> king.open_files(Bitboard("g1"), Bitboard("f2 a2 a7 f7 h7"))
        Bitboard('g1 g2 g3 g4 g5 g6 g7 g8')

    Why:
        The fill of the king and its neighbours on the rank makes the files in question; the fill of all pawns makes
        those that are not open.

    Names:
        open files at the king.

    Source:
        Chess Programming Wiki, "King Safety", "Open File".
    """
    return file_fill(king | sideways(king)) & ~file_fill(pawns)


@pattern
def half_open_files(king: Set, own_pawns: Set) -> Set:
    """Return all squares of the files at a king or next to it on which its side has no pawn.

    Args:
        king: square of the king, a set.
        own_pawns: squares of the pawns of the king's side.

    Example:
        >>> print(king.half_open_files(Bitboard("g1"), Bitboard("f2 a2")))
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1
        . . . . . . 1 1

    Why:
        As in `open_files`, with own pawns alone.

    Traps:
        An open file lacks own pawns as well and is among them, unlike in `pawns.half_open_files`; take `open_files`
        away to be strict.

    Names:
        half-open files at the king, semi-open files.

    Source:
        Chess Programming Wiki, "King Safety", "Half-open File".
    """
    return file_fill(king | sideways(king)) & ~file_fill(own_pawns)
