"""Fills: along files, along rays up to a blocker, and over paths of king steps.

A fill widens a set step by step until nothing is added. Along a ray three doubling steps (Kogge-Stone) do the work of
seven; along a winding path a king step is repeated, at most 63 times, and every loop here ends.

Source: Chess Programming Wiki, "Fill Algorithms", "Kogge-Stone Algorithm", "King Pattern", "All Shortest Paths".
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from setwise.bits import EIGHT, EMPTY, FOUR, NINE, NOT_FILE_A, NOT_FILE_H, ONE, SEVEN, SIXTEEN, THIRTY_TWO, TWO
from setwise.kernel import Flag, Kind, Set, pattern, routine

__all__ = [
    "Steps",
    "connected",
    "file_fill",
    "flood",
    "north_fill",
    "ray_fill_east",
    "ray_fill_north",
    "ray_fill_north_east",
    "ray_fill_north_west",
    "ray_fill_south",
    "ray_fill_south_east",
    "ray_fill_south_west",
    "ray_fill_west",
    "shortest_path_length",
    "shortest_paths",
    "south_fill",
]

FOURTEEN, EIGHTEEN, TWENTY_EIGHT = np.uint64(14), np.uint64(18), np.uint64(28)
THIRTY_SIX, FORTY_EIGHT, FIFTY_SIX = np.uint64(36), np.uint64(48), np.uint64(56)

#: A number of steps, -1 where there is no way. Arrays hold int8; in compiled code -1 is a word of 64 set bits.
Steps = Annotated[np.uint64, Kind("number of steps", np.dtype(np.int8), 127, lambda word: word - (word >> 63 << 64))]
NO_WAY = ~EMPTY


# -------------------------------------------------------------------------------------------------------- along files


@pattern
def north_fill(squares: Set) -> Set:
    """Return a set together with all squares north of it on the same files.

    Args:
        squares: any set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> print(fills.north_fill(Bitboard("b3 e5 e7")))
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . . . . .
        . 1 . . . . . .
        . . . . . . . .
        . . . . . . . .

    Traps:
        The squares themselves belong to it; the front span, which starts one rank further, is
        `compass.north` of this.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | squares << EIGHT
    squares = squares | squares << SIXTEEN
    return squares | squares << THIRTY_TWO


@pattern
def south_fill(squares: Set) -> Set:
    """Return a set together with all squares south of it on the same files.

    Args:
        squares: any set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> print(fills.south_fill(Bitboard("b3 e5 e7")))
        . . . . . . . .
        . . . . 1 . . .
        . . . . 1 . . .
        . . . . 1 . . .
        . . . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .

    Traps:
        The squares themselves belong to it; the rear span, which starts one rank further, is
        `compass.south` of this.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | squares >> EIGHT
    squares = squares | squares >> SIXTEEN
    return squares | squares >> THIRTY_TWO


@pattern
def file_fill(squares: Set) -> Set:
    """Return all squares of the files on which a set has squares.

    Args:
        squares: any set.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

    Example:
        >>> print(fills.file_fill(Bitboard("b3 e5 e7")))
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    # Whole ranks rotate around the board: one rotation does what a shift north and a shift south would.
    squares = squares | squares << EIGHT | squares >> FIFTY_SIX
    squares = squares | squares << SIXTEEN | squares >> FORTY_EIGHT
    return squares | squares << THIRTY_TWO | squares >> THIRTY_TWO


# --------------------------------------------------------------------------------------------------------- along rays


@pattern
def ray_fill_north(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the north, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all men; a slider stops others only where it is a blocker too.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        Own men are attacked (defended) as well; a slider's square only where another slider attacks it.

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
        blockers: squares that stop a ray, usually all men; a slider stops others only where it is a blocker too.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        Own men are attacked (defended) as well; a slider's square only where another slider attacks it.

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
        blockers: squares that stop a ray, usually all men; a slider stops others only where it is a blocker too.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        Own men are attacked (defended) as well; a slider's square only where another slider attacks it.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = ~blockers & NOT_FILE_A
    sliders = sliders | empty & (sliders << ONE)
    empty = empty & (empty << ONE)
    sliders = sliders | empty & (sliders << TWO)
    empty = empty & (empty << TWO)
    sliders = sliders | empty & (sliders << FOUR)
    return (sliders << ONE) & NOT_FILE_A


@pattern
def ray_fill_west(sliders: Set, blockers: Set) -> Set:
    """Return the squares that sliders attack to the west, up to the first blocker on each ray, it included.

    Args:
        sliders: squares of any number of sliders.
        blockers: squares that stop a ray, usually all men; a slider stops others only where it is a blocker too.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        Own men are attacked (defended) as well; a slider's square only where another slider attacks it.

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
        blockers: squares that stop a ray, usually all men; a slider stops others only where it is a blocker too.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        Own men are attacked (defended) as well; a slider's square only where another slider attacks it.

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
        blockers: squares that stop a ray, usually all men; a slider stops others only where it is a blocker too.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        Own men are attacked (defended) as well; a slider's square only where another slider attacks it.

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
        blockers: squares that stop a ray, usually all men; a slider stops others only where it is a blocker too.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        Own men are attacked (defended) as well; a slider's square only where another slider attacks it.

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
        blockers: squares that stop a ray, usually all men; a slider stops others only where it is a blocker too.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        Own men are attacked (defended) as well; a slider's square only where another slider attacks it.

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


# -------------------------------------------------------------------------------------------------------- along paths


@routine
def _grown(squares):
    """A set together with its neighbours in all eight directions."""
    wide = squares | (squares << ONE) & NOT_FILE_A | (squares >> ONE) & NOT_FILE_H
    return wide | wide << EIGHT | wide >> EIGHT


@pattern
def flood(start: Set, path: Set) -> Set:
    """Return all squares that king steps inside a path reach from a start, the start's own squares included.

    Args:
        start: squares to start from; those outside the path count for nothing.
        path: squares that may be stepped on.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        reached = _grown(reached) & path
    return reached


@pattern
def connected(a: Set, b: Set, path: Set) -> Flag:
    """Return whether king steps inside a path lead from some square of one set to some square of another.

    Both ends must lie in the path. A square that is in both sets, and in the path, connects them.

    Args:
        a: squares at one end.
        b: squares at the other end.
        path: squares that may be stepped on, both ends included.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        reached = _grown(reached) & path
    return np.uint64(reached & goal != EMPTY)


@pattern
def shortest_path_length(a: Set, b: Set, path: Set) -> Steps:
    """Return how many king steps inside a path lead from one set to another at least, -1 where there is no way.

    Args:
        a: squares at one end.
        b: squares at the other end.
        path: squares that may be stepped on, both ends included.

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        reached = _grown(reached) & path
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

    Raises:
        TypeError, ValueError: as every pattern (see `setwise.kernel.Pattern`).

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
        layer = _grown(layer) & path & ~reached
        reached |= layer
        here, behind, further = further | layer, here, behind

    # And back: of each layer, the squares next to those already found.
    layer = layer & goal
    found = layer
    while layer != EMPTY and layer & start == EMPTY:
        layer = _grown(layer) & behind
        found |= layer
        here, behind, further = behind, further, here
    return found
