"""Attacks of any number of rooks, bishops or queens at once, by fills along their rays."""

from __future__ import annotations

from setwise.compiler import Set, pattern
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

__all__ = ["bishops_attacks", "queens_attacks", "rooks_attacks"]


@pattern
def rooks_attacks(rooks: Set, occupied: Set) -> Set:
    """Return the squares that any of a set of rooks attacks.

    Args:
        rooks: squares of the rooks, a set; queens, too, for what they attack as rooks.
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
        Four ray fills, one in each direction: a fill takes all rooks at once.

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
        bishops: squares of the bishops, a set; queens, too, for what they attack as bishops.
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
        What they attack as rooks and what they attack as bishops.

    Traps:
        A queen blocks another only if it is in `occupied`, so include the queens there.

    Names:
        setwise queen attacks.

    Source:
        Chess Programming Wiki, "Fill Algorithms", "Kogge-Stone Algorithm".
    """
    return rooks_attacks(queens, occupied) | bishops_attacks(queens, occupied)
