"""Fills along rays, up to a blocker: in three doubling steps (Kogge-Stone), eastwards by one subtraction."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, pattern
from setwise.patterns.bits import (
    EIGHT,
    FILE_H,
    FOUR,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    SEVEN,
    SIXTEEN,
    THIRTY_TWO,
    TWO,
)

FOURTEEN, EIGHTEEN, TWENTY_EIGHT, THIRTY_SIX = np.uint64(14), np.uint64(18), np.uint64(28), np.uint64(36)


@pattern
def ray_fill_north(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

    Example:
        >>> print(fills.ray_fill_north(Bitboard("g2 d4"), Bitboard("g2 d4 d6")))
        . . . . . . 1 .
        . . . . . . 1 .
        . . . 1 . . 1 .
        . . . 1 . . 1 .
        . . . . . . 1 .
        . . . . . . 1 .
        . . . . . . . .
        . . . . . . . .

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers
    sliders = sliders | empty & (sliders << EIGHT)
    empty = empty & (empty << EIGHT)
    sliders = sliders | empty & (sliders << SIXTEEN)
    empty = empty & (empty << SIXTEEN)
    sliders = sliders | empty & (sliders << THIRTY_TWO)
    return sliders << EIGHT


@pattern
def ray_fill_south(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

    Example:
        >>> print(fills.ray_fill_south(Bitboard("d4 g7"), Bitboard("d2 d4 g7")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . 1 .
        . . . . . . 1 .
        . . . . . . 1 .
        . . . 1 . . 1 .
        . . . 1 . . 1 .
        . . . . . . 1 .

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers
    sliders = sliders | empty & (sliders >> EIGHT)
    empty = empty & (empty >> EIGHT)
    sliders = sliders | empty & (sliders >> SIXTEEN)
    empty = empty & (empty >> SIXTEEN)
    sliders = sliders | empty & (sliders >> THIRTY_TWO)
    return sliders >> EIGHT


@pattern
def ray_fill_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the east, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

    Example:
        >>> print(fills.ray_fill_east(Bitboard("d4 b7"), Bitboard("d4 f4 b7")))
        . . . . . . . .
        . . 1 1 1 1 1 1
        . . . . . . . .
        . . . . . . . .
        . . . . 1 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Subtracting a Rook from a Blocking Piece".
    """
    # Along a rank one subtraction does it: what is borrowed runs over the empty squares up to the next piece, or to the
    # h-file, where every rank ends, and changes just those. A slider that is no blocker may be one, for its own ray
    # begins where the other ends.
    stops = blockers | sliders | FILE_H
    return stops ^ (stops - ((sliders & NOT_FILE_H) << ONE))


@pattern
def ray_fill_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the west, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

    Example:
        >>> print(fills.ray_fill_west(Bitboard("d4 g7"), Bitboard("b4 d4 g7")))
        . . . . . . . .
        1 1 1 1 1 1 . .
        . . . . . . . .
        . . . . . . . .
        . 1 1 . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_H
    sliders = sliders | empty & (sliders >> ONE)
    empty = empty & (empty >> ONE)
    sliders = sliders | empty & (sliders >> TWO)
    empty = empty & (empty >> TWO)
    sliders = sliders | empty & (sliders >> FOUR)
    return (sliders >> ONE) & NOT_FILE_H


@pattern
def ray_fill_north_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north-east, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

    Example:
        >>> print(fills.ray_fill_north_east(Bitboard("b2 d4"), Bitboard("b2 d4 f6")))
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 . .
        . . . . 1 . . .
        . . . 1 . . . .
        . . 1 . . . . .
        . . . . . . . .
        . . . . . . . .

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_A
    sliders = sliders | empty & (sliders << NINE)
    empty = empty & (empty << NINE)
    sliders = sliders | empty & (sliders << EIGHTEEN)
    empty = empty & (empty << EIGHTEEN)
    sliders = sliders | empty & (sliders << THIRTY_SIX)
    return (sliders << NINE) & NOT_FILE_A


@pattern
def ray_fill_north_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north-west, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

    Example:
        >>> print(fills.ray_fill_north_west(Bitboard("g2 d4"), Bitboard("g2 d4 b6")))
        1 . . . . . . .
        . 1 . . . . . .
        . 1 1 . . . . .
        . . 1 1 . . . .
        . . . . 1 . . .
        . . . . . 1 . .
        . . . . . . . .
        . . . . . . . .

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_H
    sliders = sliders | empty & (sliders << SEVEN)
    empty = empty & (empty << SEVEN)
    sliders = sliders | empty & (sliders << FOURTEEN)
    empty = empty & (empty << FOURTEEN)
    sliders = sliders | empty & (sliders << TWENTY_EIGHT)
    return (sliders << SEVEN) & NOT_FILE_H


@pattern
def ray_fill_south_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south-east, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

    Example:
        >>> print(fills.ray_fill_south_east(Bitboard("d4 b7"), Bitboard("f2 d4 b7")))
        . . . . . . . .
        . . . . . . . .
        . . 1 . . . . .
        . . . 1 . . . .
        . . . . 1 . . .
        . . . . 1 1 . .
        . . . . . 1 1 .
        . . . . . . . 1

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_A
    sliders = sliders | empty & (sliders >> SEVEN)
    empty = empty & (empty >> SEVEN)
    sliders = sliders | empty & (sliders >> FOURTEEN)
    empty = empty & (empty >> FOURTEEN)
    sliders = sliders | empty & (sliders >> TWENTY_EIGHT)
    return (sliders >> SEVEN) & NOT_FILE_A


@pattern
def ray_fill_south_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south-west, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

    Example:
        >>> print(fills.ray_fill_south_west(Bitboard("d4 g7"), Bitboard("b2 d4 g7")))
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 . .
        . . . . 1 . . .
        . . . 1 . . . .
        . . 1 . . . . .
        . 1 . . . . . .
        . . . . . . . .

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_H
    sliders = sliders | empty & (sliders >> NINE)
    empty = empty & (empty >> NINE)
    sliders = sliders | empty & (sliders >> EIGHTEEN)
    empty = empty & (empty >> EIGHTEEN)
    sliders = sliders | empty & (sliders >> THIRTY_SIX)
    return (sliders >> NINE) & NOT_FILE_H
