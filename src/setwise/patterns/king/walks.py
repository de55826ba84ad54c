"""Where kings go: attacks, fills along a path, distances."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, Steps, pattern
from setwise.patterns.bits import EMPTY, SEVEN
from setwise.patterns.compass.steps import north, sideways, south
from setwise.patterns.fills.paths import NO_WAY
from setwise.patterns.geometry import SQUARES

__all__ = ["ATTACKS", "attacks", "distance", "fill"]


@pattern
def attacks(kings: Set) -> Set:
    """Return the squares that kings attack: all neighbours, of any number of kings.

    East and west first, then north and south of that union: four steps do the work of eight.

    Args:
        kings: squares of the kings, a set.

    Example:
        >>> print(king.attacks(Bitboard("g2")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 1 1
        . . . . . 1 . 1
        . . . . . 1 1 1

    Why:
        The king's square and the two beside it make a row; the row moved up and down covers the six squares of the
        other two ranks. East and west are masked once; north and south need no mask: what leaves the board falls off
        the word.

    Traps:
        A king's own square is attacked only when another king stands next to it.

    Names:
        kingAttacks, Moore neighborhood, Moore neighbourhood.

    Source:
        Chess Programming Wiki, "King Pattern".
    """
    beside = sideways(kings)  # east and west
    row = kings | beside  # with the kings: rows of three
    return beside | north(row) | south(row)  # and these rows, one rank up and down


#: ``ATTACKS[square]``: the squares that a king attacks from there.
ATTACKS: np.ndarray = attacks.plain(SQUARES)
ATTACKS.flags.writeable = False


@pattern
def fill(kings: Set, path: Set) -> Set:
    """Return the squares inside a path that kings reach in at most one step, their own among them.

    One cycle of a fill. Repeated until nothing is added it is `fills.flood`.

    Args:
        kings: squares of the kings, a set; those outside the path count for nothing.
        path: squares that may be stepped on.

    Example:
        >>> print(king.fill(Bitboard("g2 b5"), ~Bitboard("g3 h3 f1 b5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 . .
        . . . . . 1 1 1
        . . . . . . 1 1

    Why:
        A king that may step on the path's squares alone reaches its neighbours there, and keeps its own square.

    Names:
        kingFill.

    Source:
        Chess Programming Wiki, "King Pattern".
    """
    kings = kings & path  # kings inside the path
    return (kings | attacks(kings)) & path  # and their neighbours inside it


@pattern
def distance(a: Set, b: Set) -> Steps:
    """Return how many steps a king needs from one set to another on an empty board: 0 to 7, -1 if a set is empty.

    This is the Chebyshev distance, the larger of the distances in files and in ranks, between the nearest two squares.

    Args:
        a: squares at one end.
        b: squares at the other end.

    Example:
        >>> king.distance(Bitboard("a1"), Bitboard("c8"))
        7
        >>> king.distance(Bitboard("a1 h5"), Bitboard("c8"))
        5
        >>> king.distance(Bitboard("a1"), Bitboard(0))
        -1

    Why:
        A king step changes file and rank by at most one, and can change both: the larger difference decides. So the
        fill of a set after n steps is the square of side 2n + 1 around each king, and the first n at which it meets the
        other set is the distance.

    Traps:
        Nothing stands in the way here; with obstacles it is `fills.shortest_path_length`.

    Names:
        Chebyshev distance, square_distance.

    Source:
        Chess Programming Wiki, "Distance".
    """
    steps = EMPTY
    for _ in range(SEVEN):
        steps += np.uint64(a & b == EMPTY)
        a = a | attacks(a)
    return steps if np.uint64(a & b != EMPTY) else NO_WAY
