"""Squares from which a knight attacks two targets at once."""

from __future__ import annotations

from setwise.compiler import Set, pattern
from setwise.patterns.bits import EIGHT, NOT_FILES_AB, NOT_FILES_GH, SIXTEEN, TWO
from setwise.patterns.compass.steps import east, sideways, west
from setwise.patterns.knight.walks import attacks

__all__ = ["fork_targets", "forks"]


@pattern
def fork_targets(targets: Set) -> Set:
    """Return the squares from which a knight attacks two or more of the targets.

    Attacks go both ways: these are the squares that at least two of the targets would attack, were they knights, found
    without a loop or a branch.

    Args:
        targets: squares worth attacking, a set.

    Example:
        A king on e8, rooks on a8 and h8, a pawn on d5; c7 hits three of them:

        >>> print(knight.fork_targets(Bitboard("e8 a8 h8 d5")))
        . . . . . . . .
        . . 1 . . . . .
        . 1 . . . 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        A knight attacks a target exactly from where a knight on the target would attack it. So eight jumps of the
        target set hold the squares that see a target in each of the eight directions, and a square in two of them sees
        two targets. The eight are taken in four groups, by the ranks that a jump goes up or down; a square is a fork
        where both jumps of a group meet, or two groups do.

    Traps:
        A target's own square may be among them, and so may squares where the knight is lost: see `forks`.

    Names:
        forkTargetSquare, fork target squares, knight forks.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks), "General Setwise Operations" (greater one sets).
    """
    east_east, west_west = (targets << TWO) & NOT_FILES_AB, (targets >> TWO) & NOT_FILES_GH
    near, near_twice = sideways(targets), east(targets) & west(targets)
    far, far_twice = east_east | west_west, east_east & west_west

    upper, lower = near << SIXTEEN, near >> SIXTEEN
    high, low = far << EIGHT, far >> EIGHT
    twice = near_twice << SIXTEEN | near_twice >> SIXTEEN | far_twice << EIGHT | far_twice >> EIGHT
    return twice | upper & lower | high & low | (upper | lower) & (high | low)


@pattern
def forks(own_knights: Set, own: Set, targets: Set, enemy_pawn_attacks: Set, enemy_knight_attacks: Set) -> Set:
    """Return the squares that one of our knights can jump to at once and fork two or more targets from.

    Squares of our own pieces do not count, nor do squares that enemy pawns or knights attack.

    Args:
        own_knights: squares of our knights.
        own: squares of all our pieces.
        targets: squares of the enemy pieces worth forking.
        enemy_pawn_attacks: squares that enemy pawns attack.
        enemy_knight_attacks: squares that enemy knights attack.

    Example:
        >>> knights, targets = Bitboard("b5 e4"), Bitboard("a8 e8 h8")
        >>> knight.forks(knights, knights, targets, pawns.attacks(Bitboard(0)), Bitboard(0))
        Bitboard('c7')

    Why:
        A fork must be reached now, on a square without a piece of ours; and the cheap enemies, pawns and knights, must
        not take the knight. Each condition is a set, and all must hold.

    Traps:
        Pins of the knight are ignored, and so are enemy pieces other than pawns and knights that could take it.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks).
    """
    return fork_targets(targets) & attacks(own_knights) & ~(own | enemy_pawn_attacks | enemy_knight_attacks)
