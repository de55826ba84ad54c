"""Fills: along files and ranks, over empty squares, along rays up to a blocker, and over paths of king steps.

A fill widens a set step by step until a step adds nothing. Along a ray, three doubling steps (Kogge-Stone) do the work
of seven steps. Along a winding path, a king step is repeated at most 63 times, so every loop here ends.

Source: Chess Programming Wiki, "Fill Algorithms", "Kogge-Stone Algorithm", "King Pattern", "All Shortest Paths".
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, Steps, pattern, routine
from setwise.patterns.bits import (
    EIGHT,
    EMPTY,
    FILE_H,
    FOUR,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    NOT_FILES_AB,
    NOT_FILES_GH,
    ONE,
    SEVEN,
    SIXTEEN,
    THIRTY_TWO,
    TWO,
    ZERO,
)
from setwise.patterns.compass import grown

__all__ = [
    "connected", "east_fill", "east_occluded", "file_fill", "flood", "north_east_occluded", "north_fill",
    "north_occluded", "north_west_occluded", "rank_fill", "ray_fill_east", "ray_fill_north", "ray_fill_north_east",
    "ray_fill_north_west", "ray_fill_south", "ray_fill_south_east", "ray_fill_south_west", "ray_fill_west",
    "shortest_path_length", "shortest_paths", "south_east_occluded", "south_fill", "south_occluded",
    "south_west_occluded", "west_fill", "west_occluded",
]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------------

"""Occluded fills: sets that run in one direction over empty squares, in three doubling steps (Kogge-Stone).

Args:
    squares: where the fill begins, usually sliders.
    empty: squares over which the fill runs.

Why:
    Every square that the fill has reached is a start for further steps, so the distance can double: after one step over
    empty squares come two more, over squares that are empty with an empty one before them, then four more over four in
    a row. Seven steps, all that a board allows, take three rounds.

Traps:
    The squares of the set belong to the fill, and what stops it does not: attacks are one step further, see the ray
    fills.
"""


FOURTEEN, EIGHTEEN, TWENTY_EIGHT, THIRTY_SIX = np.uint64(14), np.uint64(18), np.uint64(28), np.uint64(36)


@pattern
def north_occluded(squares: Set, empty: Set) -> Set:
    """Return a set together with the empty squares north of it, up to the first square that is not empty.

    Example:
        >>> print(fills.north_occluded(Bitboard("d2 g4"), ~Bitboard("d2 g4 d6")))
        . . . . . . 1 .
        . . . . . . 1 .
        . . . . . . 1 .
        . . . 1 . . 1 .
        . . . 1 . . 1 .
        . . . 1 . . . .
        . . . 1 . . . .
        . . . . . . . .

    Names:
        nortOccl, Kogge-Stone, Kogge-Stone algorithm, occluded fill.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    squares = squares | empty & (squares << EIGHT)  # one step over empty squares
    empty = empty & (empty << EIGHT)  # two empty squares in a row
    squares = squares | empty & (squares << SIXTEEN)  # two more
    empty = empty & (empty << SIXTEEN)  # four in a row
    return squares | empty & (squares << THIRTY_TWO)  # and four, seven in all


@pattern
def south_occluded(squares: Set, empty: Set) -> Set:
    """Return a set together with the empty squares south of it, up to the first square that is not empty.

    Example:
        >>> print(fills.south_occluded(Bitboard("d7 g5"), ~Bitboard("d7 g5 d3")))
        . . . . . . . .
        . . . 1 . . . .
        . . . 1 . . . .
        . . . 1 . . 1 .
        . . . 1 . . 1 .
        . . . . . . 1 .
        . . . . . . 1 .
        . . . . . . 1 .

    Names:
        soutOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    squares = squares | empty & (squares >> EIGHT)  # one step over empty squares
    empty = empty & (empty >> EIGHT)  # two empty squares in a row
    squares = squares | empty & (squares >> SIXTEEN)  # two more
    empty = empty & (empty >> SIXTEEN)  # four in a row
    return squares | empty & (squares >> THIRTY_TWO)  # and four, seven in all


@pattern
def east_occluded(squares: Set, empty: Set) -> Set:
    """Return a set together with the empty squares east of it, up to the first square that is not empty.

    Example:
        >>> print(fills.east_occluded(Bitboard("b3 c6"), ~Bitboard("b3 c6 f3")))
        . . . . . . . .
        . . . . . . . .
        . . 1 1 1 1 1 1
        . . . . . . . .
        . . . . . . . .
        . 1 1 1 1 . . .
        . . . . . . . .
        . . . . . . . .

    Names:
        eastOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = empty & NOT_FILE_A  # none on the file where a step would come in from the other side
    squares = squares | empty & (squares << ONE)  # one step over empty squares
    empty = empty & (empty << ONE)  # two empty squares in a row
    squares = squares | empty & (squares << TWO)  # two more
    empty = empty & (empty << TWO)  # four in a row
    return squares | empty & (squares << FOUR)  # and four, seven in all


@pattern
def west_occluded(squares: Set, empty: Set) -> Set:
    """Return a set together with the empty squares west of it, up to the first square that is not empty.

    Example:
        >>> print(fills.west_occluded(Bitboard("g3 f6"), ~Bitboard("g3 f6 c3")))
        . . . . . . . .
        . . . . . . . .
        1 1 1 1 1 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 1 1 1 .
        . . . . . . . .
        . . . . . . . .

    Names:
        westOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = empty & NOT_FILE_H  # none on the file where a step would come in from the other side
    squares = squares | empty & (squares >> ONE)  # one step over empty squares
    empty = empty & (empty >> ONE)  # two empty squares in a row
    squares = squares | empty & (squares >> TWO)  # two more
    empty = empty & (empty >> TWO)  # four in a row
    return squares | empty & (squares >> FOUR)  # and four, seven in all


@pattern
def north_east_occluded(squares: Set, empty: Set) -> Set:
    """Return a set together with the empty squares north-east of it, up to the first square that is not empty.

    Example:
        >>> print(fills.north_east_occluded(Bitboard("a2 c1"), ~Bitboard("a2 c1 e6")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . 1
        . . . 1 . . 1 .
        . . 1 . . 1 . .
        . 1 . . 1 . . .
        1 . . 1 . . . .
        . . 1 . . . . .

    Names:
        noEaOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = empty & NOT_FILE_A  # none on the file where a step would come in from the other side
    squares = squares | empty & (squares << NINE)  # one step over empty squares
    empty = empty & (empty << NINE)  # two empty squares in a row
    squares = squares | empty & (squares << EIGHTEEN)  # two more
    empty = empty & (empty << EIGHTEEN)  # four in a row
    return squares | empty & (squares << THIRTY_SIX)  # and four, seven in all


@pattern
def north_west_occluded(squares: Set, empty: Set) -> Set:
    """Return a set together with the empty squares north-west of it, up to the first square that is not empty.

    Example:
        >>> print(fills.north_west_occluded(Bitboard("h2 f1"), ~Bitboard("h2 f1 d6")))
        . . . . . . . .
        . . . . . . . .
        1 . . . . . . .
        . 1 . . 1 . . .
        . . 1 . . 1 . .
        . . . 1 . . 1 .
        . . . . 1 . . 1
        . . . . . 1 . .

    Names:
        noWeOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = empty & NOT_FILE_H  # none on the file where a step would come in from the other side
    squares = squares | empty & (squares << SEVEN)  # one step over empty squares
    empty = empty & (empty << SEVEN)  # two empty squares in a row
    squares = squares | empty & (squares << FOURTEEN)  # two more
    empty = empty & (empty << FOURTEEN)  # four in a row
    return squares | empty & (squares << TWENTY_EIGHT)  # and four, seven in all


@pattern
def south_east_occluded(squares: Set, empty: Set) -> Set:
    """Return a set together with the empty squares south-east of it, up to the first square that is not empty.

    Example:
        >>> print(fills.south_east_occluded(Bitboard("a7 c8"), ~Bitboard("a7 c8 e3")))
        . . 1 . . . . .
        1 . . 1 . . . .
        . 1 . . 1 . . .
        . . 1 . . 1 . .
        . . . 1 . . 1 .
        . . . . . . . 1
        . . . . . . . .
        . . . . . . . .

    Names:
        soEaOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = empty & NOT_FILE_A  # none on the file where a step would come in from the other side
    squares = squares | empty & (squares >> SEVEN)  # one step over empty squares
    empty = empty & (empty >> SEVEN)  # two empty squares in a row
    squares = squares | empty & (squares >> FOURTEEN)  # two more
    empty = empty & (empty >> FOURTEEN)  # four in a row
    return squares | empty & (squares >> TWENTY_EIGHT)  # and four, seven in all


@pattern
def south_west_occluded(squares: Set, empty: Set) -> Set:
    """Return a set together with the empty squares south-west of it, up to the first square that is not empty.

    Example:
        >>> print(fills.south_west_occluded(Bitboard("h7 f8"), ~Bitboard("h7 f8 d3")))
        . . . . . 1 . .
        . . . . 1 . . 1
        . . . 1 . . 1 .
        . . 1 . . 1 . .
        . 1 . . 1 . . .
        1 . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Names:
        soWeOccl.

    Source:
        Chess Programming Wiki, "Kogge-Stone Algorithm".
    """
    empty = empty & NOT_FILE_H  # none on the file where a step would come in from the other side
    squares = squares | empty & (squares >> NINE)  # one step over empty squares
    empty = empty & (empty >> NINE)  # two empty squares in a row
    squares = squares | empty & (squares >> EIGHTEEN)  # two more
    empty = empty & (empty >> EIGHTEEN)  # four in a row
    return squares | empty & (squares >> THIRTY_SIX)  # and four, seven in all


# ------------------------------------------------------------------------ fills along files: north, south and both ways


FORTY_EIGHT, FIFTY_SIX = np.uint64(48), np.uint64(56)


@pattern
def north_fill(squares: Set) -> Set:
    """Return a set together with all squares north of it on the same files.

    Args:
        squares: any set.

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

    Why:
        The first line adds the next square ahead of every square, the second line the next two squares, the third line
        the next four: these are one, three, seven steps. A file allows no more than seven steps, and bits that leave
        the board fall off the word.

    Traps:
        The fill includes the squares themselves; the front span, which starts one rank further, is
        `compass.north` of the fill.

    Names:
        nortFill, parallel prefix fill, smear.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | squares << EIGHT  # one step on
    squares = squares | squares << SIXTEEN  # two more
    return squares | squares << THIRTY_TWO  # and four, seven in all


@pattern
def south_fill(squares: Set) -> Set:
    """Return a set together with all squares south of it on the same files.

    Args:
        squares: any set.

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

    Why:
        As in `north_fill`, with shifts to the right instead of the left: one, three, seven steps in three lines.

    Traps:
        The fill includes the squares themselves; the rear span, which starts one rank further, is
        `compass.south` of the fill.

    Names:
        soutFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | squares >> EIGHT  # one step back
    squares = squares | squares >> SIXTEEN  # two more
    return squares | squares >> THIRTY_TWO  # and four, seven in all


@pattern
def file_fill(squares: Set) -> Set:
    """Return all squares of the files on which a set has squares.

    Args:
        squares: any set.

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

    Why:
        Ranks are bytes. A rotation of the word by bytes keeps the files, and ranks that leave at the top come back at
        the bottom. After rotations by one, two and four ranks, each of the eight ranks has the squares of all the
        others.

    Names:
        fileFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    # Whole ranks rotate around the board: one rotation replaces a shift north and a shift south.
    squares = squares | squares << EIGHT | squares >> FIFTY_SIX  # one rank on, around the edge
    squares = squares | squares << SIXTEEN | squares >> FORTY_EIGHT  # two more
    return squares | squares << THIRTY_TWO | squares >> THIRTY_TWO  # and four: all eight ranks


# --------------------------------------------------- fills over paths of king steps: floods, connections, shortest ways


#: The result if there is no way.
NO_WAY: Steps = ~ZERO


@pattern
def flood(start: Set, path: Set) -> Set:
    """Return all squares that king steps inside a path reach from a start, including start squares inside the path.

    Args:
        start: squares to start from; start squares outside the path are ignored.
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
        Each step adds the neighbours of the squares reached so far, except neighbours outside the path. If a step adds
        nothing, no further step can add anything, so all squares are found; and every step before that adds at least
        one square, so the loop ends.

    Traps:
        Steps can be diagonal, so they cross a wall whose squares touch only at their corners.

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


@routine
def _first_steps(start: Set, path: Set) -> Set:
    """The first steps of `flood`, as many as most boards need, without a branch: in arrays for eight boards at once."""
    reached = start & path
    for _ in range(7):
        reached = grown(reached) & path
    return reached


@routine
def _further_steps(start: Set, path: Set, reached: Set) -> Set:
    before: Set = EMPTY
    while reached != before:
        before = reached
        reached = grown(reached) & path
    return reached


flood.stages = _first_steps, _further_steps


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
        In each round, the fill from one end grows by exactly the squares that are one step further. It meets the other
        end if and only if a way leads there; if it stops growing before that, there is no way.

    Traps:
        The king's own square is not empty, so a path of safe and empty squares does not contain it: add that square to
        the path.

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
    """Return the least number of king steps that lead from one set to another inside a path, -1 if there is no way.

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
        After n rounds the fill has exactly the squares that are at most n steps away. So the distance is the number of
        the round in which the fill first meets the other end.

    Traps:
        The result counts steps, one fewer than the squares on the way: it is 0 if the two sets meet inside the path.
        Arrays of results have the signed type int8, because of the -1.

    Names:
        king path length, breadth-first search.

    Source:
        Chess Programming Wiki, "All Shortest Paths" (by Steffan Westcott), which counts squares and returns 0 if there
        is no way.
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

    The result includes both ends; it is empty if there is no way.

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
        Layer n has the squares that are exactly n steps from the start. A square lies on a shortest way if it is in
        some layer and has a neighbour in the next layer that lies on a shortest way, too. So, from the goal back, take
        in each layer the squares next to the squares that were taken in the layer after it.

    Traps:
        If the sets have several squares, only the nearest pairs of squares count.

    Slips:
        The published routine returns the number of its layers as the length of the way: one more than the number of
        king steps, and 0 if there is no way. A published shortcut for it never ends if there is no way. The loop here
        ends, and `shortest_path_length` counts steps.

    Names:
        allShortestPaths.

    Source:
        Chess Programming Wiki, "All Shortest Paths" (by Steffan Westcott).
    """
    # Outwards, layer by layer, until the goal is met. Neighbours are at most one layer apart, so on the way back it is
    # enough to know the number of each layer modulo 3: `here` has the newest layer and every third layer before it.
    start, goal = a & path, b & path
    reached = layer = start
    behind: Set = EMPTY
    further: Set = EMPTY
    here = start
    while layer != EMPTY and layer & goal == EMPTY:
        layer = grown(layer) & path & ~reached  # one step out: squares not met before
        reached |= layer
        here, behind, further = further | layer, here, behind

    # Back again: of each layer, the squares next to squares that are already on a shortest way.
    layer = layer & goal  # the goal, as far as it is met
    on_paths = layer
    while layer != EMPTY and layer & start == EMPTY:
        layer = grown(layer) & behind  # one step back, over squares of the layer before
        on_paths |= layer
        here, behind, further = behind, further, here
    return on_paths  # all that were met on the way back


# ----------------------------------------------------------------------------------------------------------------------

"""Fills along ranks: east, west and both ways.

Args:
    squares: any set.

Why:
    As along files, with steps of one, two and four squares. In the word one rank follows another without a border: what
    a step would carry into the next rank is masked, one file for the first step, two for the second, four for the
    third.

Source:
    Chess Programming Wiki, "Fill Algorithms".
"""


NOT_FILES_ABCD, NOT_FILES_EFGH = np.uint64(0xF0F0_F0F0_F0F0_F0F0), np.uint64(0x0F0F_0F0F_0F0F_0F0F)


@pattern
def east_fill(squares: Set) -> Set:
    """Return a set together with all squares east of it on the same ranks.

    Example:
        >>> print(fills.east_fill(Bitboard("b3 e5 g5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . 1 1 1 1
        . . . . . . . .
        . 1 1 1 1 1 1 1
        . . . . . . . .
        . . . . . . . .

    Names:
        eastFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | (squares << ONE) & NOT_FILE_A  # one step on
    squares = squares | (squares << TWO) & NOT_FILES_AB  # two more
    return squares | (squares << FOUR) & NOT_FILES_ABCD  # and four, seven in all


@pattern
def west_fill(squares: Set) -> Set:
    """Return a set together with all squares west of it on the same ranks.

    Example:
        >>> print(fills.west_fill(Bitboard("b3 e5 g5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 1 1 1 1 1 1 .
        . . . . . . . .
        1 1 . . . . . .
        . . . . . . . .
        . . . . . . . .

    Names:
        westFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    squares = squares | (squares >> ONE) & NOT_FILE_H  # one step back
    squares = squares | (squares >> TWO) & NOT_FILES_GH  # two more
    return squares | (squares >> FOUR) & NOT_FILES_EFGH  # and four, seven in all


@pattern
def rank_fill(squares: Set) -> Set:
    """Return all squares of the ranks on which a set has squares.

    Example:
        >>> print(fills.rank_fill(Bitboard("b3 e5 g5")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        1 1 1 1 1 1 1 1
        . . . . . . . .
        1 1 1 1 1 1 1 1
        . . . . . . . .
        . . . . . . . .

    Why:
        The fills to the east and to the west together are all squares of a rank.

    Names:
        rankFill.

    Source:
        Chess Programming Wiki, "Fill Algorithms".
    """
    return east_fill(squares) | west_fill(squares)


# ----------------------------------------------------------------------------------------------------------------------

"""Fills along rays, up to a blocker and with it: what sliders attack; eastwards by one subtraction.

Args:
    sliders: squares of any number of sliders.
    blockers: squares that stop a ray, usually all pieces; a slider stops others only where it is a blocker too.

Why:
    A ray runs over the empty squares, which are the occluded fill, and one step further: that last step, with no mask
    of empty squares, lands on the blocker and leaves the slider's own square behind.
"""


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
        Subtract the square next to a slider from the blockers: the subtraction borrows. The borrow runs east over
        zeros, which are empty squares, turns each into a one, and stops at the next one, which is a blocker and which
        it clears. `xor` with the word before the subtraction leaves only the changed bits: the ray and its blocker. The
        h-file counts as a blocker, so that no borrow runs into the next rank.

    Traps:
        Own pieces are attacked (defended) as well; a slider's square only where another slider attacks it.

    Names:
        o^(o-2r), subtracting a rook from a blocking piece.

    Source:
        Chess Programming Wiki, "Subtracting a Rook from a Blocking Piece".
    """
    # Along a rank one subtraction is enough: the borrow runs over the empty squares to the next piece or to the h-file,
    # where every rank ends, and changes only these bits. A slider that is not a blocker can be treated as a blocker,
    # because its own ray begins where the other ray then ends.
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
