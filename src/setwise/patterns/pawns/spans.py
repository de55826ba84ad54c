"""Pawn spans: the squares ahead of pawns and behind them, on their files and on those beside."""

from __future__ import annotations

from setwise.compiler import Set, pattern, routine
from setwise.patterns.bits import SIXTEEN
from setwise.patterns.compass import north, south
from setwise.patterns.compass.steps import sideways
from setwise.patterns.fills import north_fill, south_fill


@pattern
def stop(pawns: Set) -> Set:
    """Return the stop squares: those right ahead of pawns.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> pawns.stop(Bitboard("b2 e5"))
        Bitboard('b3 e6')

    Why:
        A pawn moves north: the square ahead is one step away, and one shift moves all pawns at once.

    Names:
        stop square.

    Source:
        Chess Programming Wiki, "Pawn Spans"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    return north(pawns)


@pattern
def telestop(pawns: Set) -> Set:
    """Return the telestop squares: those ahead of pawns on their files, without the stop squares.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> pawns.telestop(Bitboard("b4 e6"))
        Bitboard('b6 b7 b8 e8')

    Why:
        Two ranks on, and filled from there: the span without its first square.

    Traps:
        The stop square of one doubled pawn can be a telestop square of the other; it is then included.

    Names:
        telestop square, tele stop.

    Source:
        Chess Programming Wiki, "Pawn Spans"; the words are Hans Kmoch's, "Pawn Power in Chess".
    """
    return north_fill(pawns << SIXTEEN)


@pattern
def front_span(pawns: Set) -> Set:
    """Return the front spans: all squares ahead of pawns on their files, to rank 8.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> print(pawns.front_span(Bitboard("b2 e5")))
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . 1 . . .
        . 1 . . . . . .
        . 1 . . . . . .
        . 1 . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        One step ahead and filled north, so that the pawn's own square is left out.

    Traps:
        The pawn's own square is not in its span, unless another pawn stands behind it on the file.

    Names:
        wFrontSpans.

    Source:
        Chess Programming Wiki, "Pawn Spans".
    """
    return north_fill(north(pawns))


@pattern
def rear_span(pawns: Set) -> Set:
    """Return the rear spans: all squares behind pawns on their files, to rank 1.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> pawns.rear_span(Bitboard("b2 e5"))
        Bitboard('b1 e1 e2 e3 e4')

    Why:
        One step back and filled south, so that the pawn's own square is left out.

    Names:
        wRearSpans.

    Source:
        Chess Programming Wiki, "Pawn Spans".
    """
    return south_fill(south(pawns))


@pattern
def front_attack_span(pawns: Set) -> Set:
    """Return the front attack spans: what pawns attack now or, pushing on, may attack later.

    These are the squares ahead of a pawn on the files next to its own. Pieces in the way do not shorten a span, and
    captures, which change a pawn's file, do not widen it.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> print(pawns.front_attack_span(Bitboard("a5 e3")))
        . 1 . 1 . 1 . .
        . 1 . 1 . 1 . .
        . 1 . 1 . 1 . .
        . . . 1 . 1 . .
        . . . 1 . 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        Wherever a pawn pushes to, it attacks one step ahead on the files beside: the front span, moved to both sides.

    Names:
        wEastAttackFrontSpans, attack span.

    Source:
        Chess Programming Wiki, "Attack Spans".
    """
    return sideways(north_fill(north(pawns)))


@routine
def enemy_front_spans(enemy_pawns: Set) -> Set:
    return rear_span(enemy_pawns)
