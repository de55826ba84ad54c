"""Fills along rays, up to a blocker: in three doubling steps (Kogge-Stone), eastwards by one subtraction.

Args:
    sliders: squares of any number of sliders.
    blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

Why:
    A slider that has passed an empty square can pass the next, so that the ray can double: after one step over empty
    squares, two more over squares that are empty with an empty one before them, then four more over four in a row.
    Seven steps, all that a board allows, take three rounds. The last step, with no mask of empty squares, lands on the
    blocker and leaves the slider's own square behind.
"""

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

    Names:
        Kogge-Stone, Kogge-Stone algorithm, occluded fill, nortOccl, nortAttacks, Dumb7Fill, ray attacks.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers  # where a ray goes on
    sliders = sliders | empty & (sliders << EIGHT)  # one step over empty squares
    empty = empty & (empty << EIGHT)  # two empty squares in a row
    sliders = sliders | empty & (sliders << SIXTEEN)  # two more
    empty = empty & (empty << SIXTEEN)  # four in a row
    sliders = sliders | empty & (sliders << THIRTY_TWO)  # four more
    return sliders << EIGHT  # one step further: blockers, too


@pattern
def ray_fill_south(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south, up to the first blocker on each ray, it included.

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

    Names:
        soutOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers  # where a ray goes on
    sliders = sliders | empty & (sliders >> EIGHT)  # one step over empty squares
    empty = empty & (empty >> EIGHT)  # two empty squares in a row
    sliders = sliders | empty & (sliders >> SIXTEEN)  # two more
    empty = empty & (empty >> SIXTEEN)  # four in a row
    sliders = sliders | empty & (sliders >> THIRTY_TWO)  # four more
    return sliders >> EIGHT  # one step further: blockers, too


@pattern
def ray_fill_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the east, up to the first blocker on each ray, it included.

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

    Why:
        To subtract a slider's next square from the blockers is to borrow: the borrow runs east over zeros, the empty
        squares, turns each into a one, and stops at the first one, the next blocker, which it clears. `xor` with what
        was before leaves just the changed bits: the ray and its blocker. The h-file counts as a blocker, so that no
        borrow runs into the next rank.

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Names:
        eastOccl, o^(o-2r), subtracting a rook from a blocking piece.

    Source:
        Chess Programming Wiki, "Subtracting a Rook from a Blocking Piece".
    """
    # Along a rank one subtraction does it: what is borrowed runs over the empty squares up to the next piece, or to the
    # h-file, where every rank ends, and changes just those. A slider that is not a blocker may be one, for its own ray
    # begins where the other ends.
    stops = blockers | sliders | FILE_H  # where rays end
    return stops ^ (stops - ((sliders & NOT_FILE_H) << ONE))  # what the borrow has changed


@pattern
def ray_fill_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the west, up to the first blocker on each ray, it included.

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

    Names:
        westOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_H  # where a ray goes on
    sliders = sliders | empty & (sliders >> ONE)  # one step over empty squares
    empty = empty & (empty >> ONE)  # two empty squares in a row
    sliders = sliders | empty & (sliders >> TWO)  # two more
    empty = empty & (empty >> TWO)  # four in a row
    sliders = sliders | empty & (sliders >> FOUR)  # four more
    return (sliders >> ONE) & NOT_FILE_H  # one step further: blockers, too


@pattern
def ray_fill_north_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north-east, up to the first blocker on each ray, it included.

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

    Names:
        noEaOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_A  # where a ray goes on
    sliders = sliders | empty & (sliders << NINE)  # one step over empty squares
    empty = empty & (empty << NINE)  # two empty squares in a row
    sliders = sliders | empty & (sliders << EIGHTEEN)  # two more
    empty = empty & (empty << EIGHTEEN)  # four in a row
    sliders = sliders | empty & (sliders << THIRTY_SIX)  # four more
    return (sliders << NINE) & NOT_FILE_A  # one step further: blockers, too


@pattern
def ray_fill_north_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north-west, up to the first blocker on each ray, it included.

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

    Names:
        noWeOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_H  # where a ray goes on
    sliders = sliders | empty & (sliders << SEVEN)  # one step over empty squares
    empty = empty & (empty << SEVEN)  # two empty squares in a row
    sliders = sliders | empty & (sliders << FOURTEEN)  # two more
    empty = empty & (empty << FOURTEEN)  # four in a row
    sliders = sliders | empty & (sliders << TWENTY_EIGHT)  # four more
    return (sliders << SEVEN) & NOT_FILE_H  # one step further: blockers, too


@pattern
def ray_fill_south_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south-east, up to the first blocker on each ray, it included.

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

    Names:
        soEaOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_A  # where a ray goes on
    sliders = sliders | empty & (sliders >> SEVEN)  # one step over empty squares
    empty = empty & (empty >> SEVEN)  # two empty squares in a row
    sliders = sliders | empty & (sliders >> FOURTEEN)  # two more
    empty = empty & (empty >> FOURTEEN)  # four in a row
    sliders = sliders | empty & (sliders >> TWENTY_EIGHT)  # four more
    return (sliders >> SEVEN) & NOT_FILE_A  # one step further: blockers, too


@pattern
def ray_fill_south_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south-west, up to the first blocker on each ray, it included.

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

    Names:
        soWeOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_H  # where a ray goes on
    sliders = sliders | empty & (sliders >> NINE)  # one step over empty squares
    empty = empty & (empty >> NINE)  # two empty squares in a row
    sliders = sliders | empty & (sliders >> EIGHTEEN)  # two more
    empty = empty & (empty >> EIGHTEEN)  # four in a row
    sliders = sliders | empty & (sliders >> THIRTY_SIX)  # four more
    return (sliders >> NINE) & NOT_FILE_H  # one step further: blockers, too
