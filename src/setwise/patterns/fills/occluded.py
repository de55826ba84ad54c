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

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, pattern
from setwise.patterns.bits import (
    EIGHT,
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
