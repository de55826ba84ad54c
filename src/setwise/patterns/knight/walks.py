"""Where knights attack and walk, and how far squares are apart for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Count, Pattern, Set, Steps, pattern, popcount, routine
from setwise.patterns.bits import (
    EIGHT,
    EMPTY,
    NOT_FILES_AB,
    NOT_FILES_GH,
    ONE,
    SIX,
    SIXTEEN,
    TWO,
    ZERO,
)
from setwise.patterns.compass import (
    no_ea_ea,
    no_no_ea,
    no_no_we,
    no_we_we,
    so_ea_ea,
    so_so_ea,
    so_so_we,
    so_we_we,
)
from setwise.patterns.compass.steps import sideways
from setwise.patterns.fills.paths import NO_WAY
from setwise.patterns.geometry import SQUARES

__all__ = ["ATTACKS", "after", "attacks", "distance", "fill", "knight_move_count", "reach"]


@pattern
def attacks(knights: Set) -> Set:
    """Return the squares that knights attack, of any number of knights.

    Args:
        knights: squares of the knights, a set.

    Example:
        >>> print(knight.attacks(Bitboard("d4")))
        . . . . . . . .
        . . . . . . . .
        . . 1 . 1 . . .
        . 1 . . . 1 . .
        . . . . . . . .
        . 1 . . . 1 . .
        . . 1 . 1 . . .
        . . . . . . . .

    Why:
        A jump goes one file aside and two ranks away, or two files aside and one rank away. Only the way aside needs
        masks. East and west are united first, and then moved up and down together, where what leaves the board falls
        off the word.

    Traps:
        Which knight attacks a square is lost in the union; the eight steps of `setwise.compass` keep them apart.

    Names:
        knightAttacks, multiple knight attacks.

    Source:
        Chess Programming Wiki, "Knight Pattern" (multiple knight attacks, the form with four masked shifts).
    """
    near = sideways(knights)  # one file aside
    far = (knights >> TWO) & NOT_FILES_GH | (knights << TWO) & NOT_FILES_AB  # two files aside
    return near << SIXTEEN | near >> SIXTEEN | far << EIGHT | far >> EIGHT  # and two ranks away, or one


#: ``ATTACKS[square]``: the squares that a knight attacks from there.
ATTACKS: np.ndarray = attacks.plain(SQUARES)
ATTACKS.flags.writeable = False


@routine
def knight_move_count(knights: Set, allowed: Set) -> Count:
    """How many moves knights have to the squares allowed: in one direction each is reached by one of them at most."""
    return (
        popcount(no_no_ea(knights) & allowed)
        + popcount(no_ea_ea(knights) & allowed)
        + popcount(so_ea_ea(knights) & allowed)
        + popcount(so_so_ea(knights) & allowed)
        + popcount(so_so_we(knights) & allowed)
        + popcount(so_we_we(knights) & allowed)
        + popcount(no_we_we(knights) & allowed)
        + popcount(no_no_we(knights) & allowed)
    )


@pattern
def fill(knights: Set) -> Set:
    """Return the squares that knights reach in at most one move: their attacks and their own squares.

    One cycle of a fill; six of them cover the board from any corner.

    Args:
        knights: squares of the knights, a set.

    Example:
        >>> print(knight.fill(knight.fill(Bitboard("a1"))))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 . 1 . . . . .
        . 1 . 1 . . . .
        1 1 . . 1 . . .
        . . 1 1 . . . .
        1 . 1 . 1 . . .

    Why:
        What knights reach in one move at most is where they stand and where they jump.

    Names:
        knightFill.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight fill).
    """
    return knights | attacks(knights)


class _Reach(Pattern):
    """A pattern whose last argument may be left out."""

    def __call__(  # type: ignore[override]
        self, knights: Any, moves: Any, avoid: Any = 0, *, out: np.ndarray | None = None
    ) -> Any:
        return super().__call__(knights, moves, avoid, out=out)


@_Reach
def reach(knights: Set, moves: Count, avoid: Set) -> Set:
    """Return the squares that knights reach within a number of moves without landing on squares to avoid.

    Args:
        knights: squares of the knights, a set; they belong to the answer, and may start on squares to avoid.
        moves: the largest number of moves.
        avoid: squares not to land on, none of them unless given.

    Example:
        From a corner six moves reach every square, five all but the far corner:

        >>> bits.count(knight.reach(Bitboard("a1"), 6))
        64
        >>> ~knight.reach(Bitboard("a1"), 5)
        Bitboard('h8')

        Two moves, with c2 guarded:

        >>> print(knight.reach(Bitboard("a1"), 2, Bitboard("c2")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 . 1 . . . . .
        . . . 1 . . . .
        . 1 . . . . . .
        . . . 1 . . . .
        1 . 1 . . . . .

    Why:
        After n rounds exactly the squares are held that a knight reaches in at most n moves. Squares to avoid are taken
        out of each jump, so that nothing beyond them is reached over them. A round that adds nothing is the last one.

    Traps:
        In at most so many moves, not in exactly so many: a knight cannot lose a move, and changes the colour of its
        square with each.

    Names:
        knight reach.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    reached = knights
    before: Set = EMPTY
    while moves != EMPTY and reached != before:
        before = reached
        reached = reached | attacks(reached) & ~avoid  # one move more
        moves -= ONE
    return reached


@pattern
def after(knights: Set, moves: Count) -> Set:
    """Return the squares where knights can be after an exact number of moves on an empty board.

    Args:
        knights: squares of the knights, a set.
        moves: the number of moves.

    Example:
        >>> print(knight.after(Bitboard("a1"), 2))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 . 1 . . . . .
        . 1 . 1 . . . .
        1 . . . 1 . . .
        . . . 1 . . . .
        1 . 1 . 1 . . .

    Why:
        Each round replaces the squares by all that they attack, so that the number of moves is exact.

    Traps:
        Each move changes the colour of the square: knights on squares of one colour end on squares of one colour.
        In at most so many moves is `reach`.

    Names:
        exactly n moves.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    reached = knights
    while moves != EMPTY:
        reached = attacks(reached)  # the next move
        moves -= ONE
    return reached


@pattern
def distance(a: Set, b: Set) -> Steps:
    """Return how many moves a knight needs from one set to another on an empty board: 0 to 6, -1 if a set is empty.

    Args:
        a: squares at one end.
        b: squares at the other end; the nearest two squares count.

    Example:
        >>> knight.distance(Bitboard("a1"), Bitboard("h8"))
        6
        >>> knight.distance(Bitboard("d4"), Bitboard("d5"))
        3
        >>> knight.distance(Bitboard("a1"), Bitboard("b2"))
        4

    Why:
        After n fills the set holds all squares within n moves. No two squares are further apart than six, so six rounds
        are enough, and the rounds in which the sets have not met yet are counted.

    Traps:
        The formula for a board without edges is wrong in the corners: a1 to b2 takes four moves, not two.

    Names:
        Knight-Distance, square_knight_distance.

    Source:
        Chess Programming Wiki, "Knight-Distance".
    """
    moves = ZERO
    for _ in range(SIX):
        moves += np.uint64(a & b == EMPTY)
        a = a | attacks(a)
    return moves if a & b != EMPTY else NO_WAY
