"""Features of knight forks."""

from __future__ import annotations

from setwise.compiler import Set, routine
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks
from setwise.patterns import knight
from setwise.patterns.pawns.moves import attacks_down

__all__ = ["fork_squares", "royal_fork_squares"]


@routine
def _forks(side: Side, targets: Set) -> Set:
    """Where an own knight goes next and attacks two or more targets, safe from pawns and knights."""
    enemy_pawns, enemy_knights = side.enemy & side.pawns, side.enemy & side.knights
    return knight.forks(
        side.own & side.knights, side.own, targets, attacks_down(enemy_pawns), knight.attacks(enemy_knights)
    )


@feature
def fork_squares(side: Side) -> Set:
    """Return the squares from which a knight of this side, moving there next, forks two or more targets.

    Targets are the enemy king, queens and rooks, and every piece of theirs that nothing protects: attacked by the
    knight, it hangs. The square is not attacked by a pawn or a knight of theirs.

    Example:
        >>> position = setwise.Position("r3k2r/pp3ppp/8/3N4/8/8/PP3PPP/R3K2R w KQkq - 0 1")
        >>> print(position.feature("white_fork_squares"))
        . . . . . . . .
        . . 1 . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        The targets are king, queen, rooks and unprotected pieces; `setwise.knight.forks` checks the rest: that the
        square is reached now, and safe from pawns and knights.

    Traps:
        Pins are ignored, and so is a check that must be answered first. Pieces other than pawns and knights may be able
        to take the knight; a pawn or knight that guards the square may be pinned. Whether a target is protected is
        judged before the jump.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks: heavy pieces, hanging pieces, undefended pawns).
    """
    unprotected = side.enemy & ~enemy_attacks(side, side.enemy, side.own | side.enemy)
    return _forks(side, side.enemy & (side.kings | side.queens | side.rooks) | unprotected)


@feature
def royal_fork_squares(side: Side) -> Set:
    """Return the squares from which a knight of this side, moving there next, forks the enemy king and queen.

    The square is not attacked by a pawn or a knight of theirs.

    Example:
        >>> position = setwise.Position("4k3/pp6/8/1N3q2/8/8/PPP5/2K5 w - - 0 1")
        >>> position.feature("white_royal_fork_squares")
        Bitboard('d6')

    Why:
        A square that attacks both king and queen is in the knight's attacks of both. `setwise.knight.forks` adds that a
        knight of ours reaches it, and that pawns and knights do not guard it.

    Traps:
        Pins are ignored, and pieces other than pawns and knights may be able to take the knight.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks).
    """
    royal = knight.attacks(side.enemy & side.kings) & knight.attacks(side.enemy & side.queens)
    return royal & _forks(side, side.enemy & (side.kings | side.queens))
