"""Fills along rays, up to a blocker and with it: what sliders attack; eastwards by one subtraction.

Args:
    sliders: squares of any number of sliders.
    blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

Why:
    A ray runs over the empty squares, which are the occluded fill, and one step further: that last step, with no mask
    of empty squares, lands on the blocker and leaves the slider's own square behind.
"""

from __future__ import annotations

from setwise.compiler import Set, pattern
from setwise.patterns.bits import EIGHT, FILE_H, NINE, NOT_FILE_A, NOT_FILE_H, ONE, SEVEN
from setwise.patterns.fills.occluded import (
    north_east_occluded,
    north_occluded,
    north_west_occluded,
    south_east_occluded,
    south_occluded,
    south_west_occluded,
    west_occluded,
)


@pattern
def ray_fill_north(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north, up to and including the first blocker on each ray.

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
        nortAttacks, Dumb7Fill, ray attacks.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    reached = north_occluded(sliders, ~blockers)  # where a ray runs
    return reached << EIGHT  # one step further: blockers, too


@pattern
def ray_fill_south(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south, up to and including the first blocker on each ray.

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
    reached = south_occluded(sliders, ~blockers)  # where a ray runs
    return reached >> EIGHT  # one step further: blockers, too


@pattern
def ray_fill_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the east, up to and including the first blocker on each ray.

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
        squares, turns each into a one, and stops at the next blocker, a one, which it clears. `xor` with the word
        before the subtraction leaves just the changed bits: the ray and its blocker. The h-file counts as a blocker, so
        that no borrow runs into the next rank.

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Names:
        o^(o-2r), subtracting a rook from a blocking piece.

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
    """Return the squares that sliders attack to the west, up to and including the first blocker on each ray.

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
    reached = west_occluded(sliders, ~blockers)  # where a ray runs
    return (reached >> ONE) & NOT_FILE_H  # one step further: blockers, too


@pattern
def ray_fill_north_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north-east, up to and including the first blocker on each ray.

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
    reached = north_east_occluded(sliders, ~blockers)  # where a ray runs
    return (reached << NINE) & NOT_FILE_A  # one step further: blockers, too


@pattern
def ray_fill_north_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north-west, up to and including the first blocker on each ray.

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
    reached = north_west_occluded(sliders, ~blockers)  # where a ray runs
    return (reached << SEVEN) & NOT_FILE_H  # one step further: blockers, too


@pattern
def ray_fill_south_east(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south-east, up to and including the first blocker on each ray.

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
    reached = south_east_occluded(sliders, ~blockers)  # where a ray runs
    return (reached >> SEVEN) & NOT_FILE_A  # one step further: blockers, too


@pattern
def ray_fill_south_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the south-west, up to and including the first blocker on each ray.

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
    reached = south_west_occluded(sliders, ~blockers)  # where a ray runs
    return (reached >> NINE) & NOT_FILE_H  # one step further: blockers, too
