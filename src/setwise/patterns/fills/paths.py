"""Fills over paths of king steps: floods, connections, shortest ways."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, Steps, pattern
from setwise.patterns.bits import (
    EMPTY,
    ONE,
    ZERO,
)
from setwise.patterns.compass.steps import grown

#: The result where there is no way.
NO_WAY: Steps = ~ZERO


@pattern
def flood(start: Set, path: Set) -> Set:
    """Return all squares that king steps inside a path reach from a start, the start's squares inside it included.

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

    Why:
        One step from the squares reached so far reaches their neighbours; those outside the path are dropped at once.
        When a step adds nothing no further step can, so everything is found; and each step before that adds at least
        one square, so the loop ends.

    Traps:
        Steps go diagonally too: a wall of squares that touch by their corners alone is crossed.

    Names:
        flood fill.

    Source:
        Chess Programming Wiki, "King Pattern", "Fill Algorithms".
    """
    reached = start & path  # the start, inside the path
    before: Set = EMPTY
    while reached != before:
        before = reached
        reached = grown(reached) & path  # one step more
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

    Why:
        The fill from one end grows by all squares that are one step further and nothing else. It meets the other end
        exactly if a path leads there; if it stops growing before, there is none.

    Traps:
        The king's own square is not empty, so a path of safe and empty squares lacks it: add that square to the path.

    Names:
        squaresAreConnected, 8-connected.

    Source:
        Chess Programming Wiki, "King Pattern" (squaresAreConnected, by Steffan Westcott).
    """
    goal = b & path
    reached = a & path  # one end, inside the path
    before: Set = EMPTY
    while reached != before and reached & goal == EMPTY:
        before = reached
        reached = grown(reached) & path  # one step more
    return np.uint64(reached & goal != EMPTY)  # is the other end met


@pattern
def shortest_path_length(a: Set, b: Set, path: Set) -> Steps:
    """Return the least number of king steps that lead from one set to another inside a path, -1 where there is no way.

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

    Why:
        After n rounds the fill holds exactly the squares that are at most n steps away. So the round in which it first
        meets the other end is the distance.

    Traps:
        These are steps, one fewer than the squares on the way: 0 where the two sets meet inside the path. Arrays are of
        int8, a signed type, because of the -1.

    Names:
        king path length, breadth-first search.

    Source:
        Chess Programming Wiki, "All Shortest Paths" (by Steffan Westcott), which counts squares and answers 0 where
        there is no way.
    """
    goal = b & path
    reached = a & path  # one end, inside the path
    before: Set = EMPTY
    steps = ZERO
    while reached != before and reached & goal == EMPTY:
        before = reached
        reached = grown(reached) & path  # one step more
        steps += ONE
    return steps if reached & goal != EMPTY else NO_WAY  # steps


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

    Why:
        On the way out each layer holds the squares that are exactly that many steps from the start. A square lies on a
        shortest way if it is in some layer and a neighbour one layer further out lies on one, too: so on the way back,
        from the goal, the neighbours in the layer before are taken, and nothing else.

    Traps:
        Where the sets have several squares, only the nearest pairs count.

    Slips:
        The published routine calls the number of its layers the length of the way: one more than the king's steps, and
        0 where there is no way. A shortcut published for it runs for ever there. Here there is an end, and
        `shortest_path_length` counts steps.

    Names:
        allShortestPaths.

    Source:
        Chess Programming Wiki, "All Shortest Paths" (by Steffan Westcott).
    """
    # Outwards, layer by layer, until the goal is met. Neighbours are at most one layer apart, so that on the way back
    # it is enough to know every layer's number modulo 3: `here` holds the newest layer and each third before it.
    start, goal = a & path, b & path
    reached = layer = start
    behind: Set = EMPTY
    further: Set = EMPTY
    here = start
    while layer != EMPTY and layer & goal == EMPTY:
        layer = grown(layer) & path & ~reached  # one step out: squares not met before
        reached |= layer
        here, behind, further = further | layer, here, behind

    # And back: of each layer, the squares next to those already found.
    layer = layer & goal  # the goal, as far as it is met
    on_paths = layer
    while layer != EMPTY and layer & start == EMPTY:
        layer = grown(layer) & behind  # one step back, over squares of the layer before
        on_paths |= layer
        here, behind, further = behind, further, here
    return on_paths  # all that were met on the way back
