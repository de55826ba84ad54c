"""Fills over paths of king steps: floods, connections, shortest ways."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, Steps, pattern
from setwise.patterns.bits import (
    EMPTY,
    ONE,
)
from setwise.patterns.compass.steps import grown

#: No number of steps: there is no way.
NO_WAY = ~EMPTY


@pattern
def flood(start: Set, path: Set) -> Set:
    """Return all squares that king steps inside a path reach from a start, the start's own squares included.

    Args:
        start: squares to start from; those outside the path count for nothing.
        path: squares that may be stepped on.

    Example:
        >>> print(fills.flood(Bitboard("a1"), Bitboard("a1 b2 c2 d3 f3 g4 a5 b5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . 1 1 . . . . .
        1 . . . . . . .

    Traps:
        Steps go diagonally too: a wall of squares that touch by their corners alone is crossed.

    Source:
        Chess Programming Wiki, "King Pattern", "Fill Algorithms".
    """
    reached = start & path
    before = EMPTY
    while reached != before:
        before = reached
        reached = grown(reached) & path
    return reached


@pattern
def connected(a: Set, b: Set, path: Set) -> Flag:
    """Return whether king steps inside a path lead from some square of one set to some square of another.

    Both ends must lie in the path. A square that is in both sets, and in the path, connects them.

    Args:
        a: squares at one end.
        b: squares at the other end.
        path: squares that may be stepped on, both ends included.

    Example:
        >>> path = Bitboard("a1 b1 c1 d1 e1 f1 g2 h3 g4 c5 d5 e5 f5 b6 c7 d7 e7 f7 g8 h8")
        >>> print(path)
        . . . . . . 1 1
        . . 1 1 1 1 . .
        . 1 . . . . . .
        . . 1 1 1 1 . .
        . . . . . . 1 .
        . . . . . . . 1
        . . . . . . 1 .
        1 1 1 1 1 1 . .
        >>> fills.connected(Bitboard("a1"), Bitboard("h8"), path)
        True
        >>> fills.connected(Bitboard("a1"), Bitboard("h8"), path - Bitboard("h3"))
        False

    Traps:
        A king does not stand on a safe and empty square while it stands there itself: add its square to the path.

    Source:
        Chess Programming Wiki, "King Pattern" (squaresAreConnected, by Steffan Westcott).
    """
    goal = b & path
    reached = a & path
    before = EMPTY
    while reached != before and reached & goal == EMPTY:
        before = reached
        reached = grown(reached) & path
    return np.uint64(reached & goal != EMPTY)


@pattern
def shortest_path_length(a: Set, b: Set, path: Set) -> Steps:
    """Return how many king steps inside a path lead from one set to another at least, -1 where there is no way.

    Args:
        a: squares at one end.
        b: squares at the other end.
        path: squares that may be stepped on, both ends included.

    Example:
        >>> path = Bitboard("a1 b1 c1 d1 e1 f1 g2 h3 g4 c5 d5 e5 f5 b6 c7 d7 e7 f7 g8 h8")
        >>> fills.shortest_path_length(Bitboard("a1"), Bitboard("h8"), path)
        19
        >>> fills.shortest_path_length(Bitboard("a1"), Bitboard("h8"), path - Bitboard("h3"))
        -1

    Traps:
        These are steps, one fewer than the squares on the way: 0 where the two sets meet inside the path. Arrays are
        of int8, the only ones in setwise with a sign.

    Source:
        Chess Programming Wiki, "All Shortest Paths" (by Steffan Westcott), which counts squares and answers 0 where
        there is no way.
    """
    goal = b & path
    reached = a & path
    before = EMPTY
    steps = EMPTY
    while reached != before and reached & goal == EMPTY:
        before = reached
        reached = grown(reached) & path
        steps += ONE
    return steps if reached & goal != EMPTY else NO_WAY


@pattern
def shortest_paths(a: Set, b: Set, path: Set) -> Set:
    """Return every square that lies on some shortest way of king steps from one set to another inside a path.

    Both ends belong to it; it is empty where there is no way.

    Args:
        a: squares at one end.
        b: squares at the other end.
        path: squares that may be stepped on, both ends included.

    Example:
        >>> print(fills.shortest_paths(Bitboard("a4"), Bitboard("g4"), ~Bitboard("d2 d3 d4 d5")))
        . . . . . . . .
        . . . 1 . . . .
        . . 1 1 1 . . .
        . 1 1 . 1 1 . .
        1 1 . . . 1 1 .
        . 1 . . . 1 . .
        . . 1 . 1 . . .
        . . . 1 . . . .

    Traps:
        Where the sets have several squares, only the nearest pairs count.

    Source:
        Chess Programming Wiki, "All Shortest Paths" (by Steffan Westcott).
    """
    # Outwards, layer by layer, until the goal is met. Neighbours are at most one layer apart, so that on the way back
    # it is enough to know every layer's number modulo 3: `here` holds the newest layer and each third before it.
    start, goal = a & path, b & path
    reached = layer = start
    here, behind, further = start, EMPTY, EMPTY
    while layer != EMPTY and layer & goal == EMPTY:
        layer = grown(layer) & path & ~reached
        reached |= layer
        here, behind, further = further | layer, here, behind

    # And back: of each layer, the squares next to those already found.
    layer = layer & goal
    found = layer
    while layer != EMPTY and layer & start == EMPTY:
        layer = grown(layer) & behind
        found |= layer
        here, behind, further = behind, further, here
    return found
