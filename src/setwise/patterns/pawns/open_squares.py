"""Squares and files that pawns leave open: holes, outposts, open and half-open files."""

from __future__ import annotations

from setwise.compiler import Set, pattern
from setwise.patterns.bits import RANK_3, RANK_4, RANK_5, RANK_6
from setwise.patterns.compass.steps import sideways
from setwise.patterns.fills import file_fill
from setwise.patterns.pawns.moves import attacks
from setwise.patterns.pawns.spans import enemy_front_spans, front_attack_span

OUTPOST_RANKS = RANK_4 | RANK_5 | RANK_6


@pattern
def holes(pawns: Set) -> Set:
    """Return the holes in our camp: squares of ranks 3 and 4 that our pawns can never attack, and do not stand on.

    Args:
        pawns: squares of our pawns, a set.

    Example:
        >>> print(pawns.holes(Bitboard("a2 b2 c4 d3 e4 f2 g3 h2")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . . . 1 . 1
        . . . . . . . .
        . . . . . . . .

    Why:
        The front attack spans are all that own pawns attack now or may attack later; their complement, in our half of
        the board, is what they have given up.

    Traps:
        Captures may bring a pawn back into reach; a hole is one as long as pawns only push. Without pawns all sixteen
        squares are holes, and with few of them most: it is true that no pawn can cover them, but it says little where
        few pawns make up the camp. The wiki takes the files c to f only, and adds that enemy pawns usually control a
        hole: for either, intersect the result with those files or with the enemy pawns' attacks.

    Names:
        hole, pawn holes, weak squares.

    Source:
        Chess Programming Wiki, "Holes", whose complement of the front attack spans is here without own pawns.
    """
    return (RANK_3 | RANK_4) & ~(front_attack_span(pawns) | pawns)


@pattern
def outposts(pawns: Set, enemy_pawns: Set) -> Set:
    """Return the outposts: squares of ranks 4 to 6 that our pawns defend and enemy pawns can never attack.

    Squares with a pawn of either side on them are not counted: an outpost is for a piece.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> print(pawns.outposts(Bitboard("a2 b2 e4 f3 g2 h2"), Bitboard("a7 b7 d6 e5 g7 h7")))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        Enemy pawns attack, now or later, the files beside their front spans; the complement is safe from them for good.
        An own pawn must attack the square, and it must be far enough up the board to matter.

    Traps:
        It is enough that an enemy pawn may come to attack the square: f5 above is no outpost, for after g7-g6 a pawn
        attacks it.

    Names:
        outpost, strong squares, support points.

    Source:
        Chess Programming Wiki, "Outposts"; the ranks are Stockfish's.
    """
    safe = ~(sideways(enemy_front_spans(enemy_pawns)) | pawns | enemy_pawns)  # what enemy pawns can never attack
    return attacks(pawns) & safe & OUTPOST_RANKS  # and pawns of ours defend, far enough up the board


@pattern
def open_files(pawns: Set, enemy_pawns: Set) -> Set:
    """Return all squares of the open files: no pawn of either side stands on them.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> print(pawns.open_files(Bitboard("a2 b2 c2"), Bitboard("a7 f7 g7 h7")))
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .
        . . . 1 1 . . .

    Why:
        The fill of all pawns makes the files that are not open.

    Names:
        open file, wOpenFiles.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return ~file_fill(pawns | enemy_pawns)


@pattern
def half_open_files(pawns: Set, enemy_pawns: Set) -> Set:
    """Return all squares of our half-open files: enemy pawns stand on them and none of ours.

    Args:
        pawns: squares of our pawns, a set.
        enemy_pawns: squares of enemy pawns, a set.

    Example:
        >>> print(pawns.half_open_files(Bitboard("a2 b2 c2"), Bitboard("a7 f7 g7 h7")))
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1
        . . . . . 1 1 1

    Why:
        Files of enemy pawns, without those of ours: both are fills.

    Traps:
        An open file is not half-open here; some definitions count open files as half-open.

    Names:
        half-open file, semi-open file, wHalfOpenFiles.

    Source:
        Chess Programming Wiki, "Pawns and Files (Bitboards)".
    """
    return file_fill(enemy_pawns) & ~file_fill(pawns)
