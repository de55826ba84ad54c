"""Features of knight forks."""

from __future__ import annotations

from setwise import knight
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks, own_attacks, pawns_attack_down
from setwise.kernel import Set, routine

__all__ = ["fork_squares", "royal_fork_squares"]


@routine
def _forks(side, targets):
    """Where one of our knights goes next and attacks two or more targets, safe from pawns and knights."""
    enemy_pawns, enemy_knights = side.enemy & side.pawns, side.enemy & side.knights
    return knight.forks(
        side.own & side.knights, side.own, targets, pawns_attack_down(enemy_pawns), knight.attacks(enemy_knights)
    )


@feature
def fork_squares(side: Side) -> Set:
    """Return the squares from which a knight of this side, moving there next, forks two or more targets.

    Targets are the enemy's king, queens and rooks, his hanging men (attacked and unprotected) and his unprotected
    pawns. The square is not attacked by a pawn or a knight of his.

    Traps:
        A pinned knight is taken to jump, and a check that must be answered first is not seen. Pieces other than pawns
        and knights may be able to take the knight. Men count as they stand before the jump: one that hangs only after
        it, because the knight uncovers or attacks it, is no target unless it is one by its kind.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks).
    """
    occupied = side.own | side.enemy
    unprotected = side.enemy & ~enemy_attacks(side, side.enemy, occupied)
    loose = unprotected & (side.pawns | own_attacks(side, side.own, occupied))
    return _forks(side, side.enemy & (side.kings | side.queens | side.rooks) | loose)


@feature
def royal_fork_squares(side: Side) -> Set:
    """Return the squares from which a knight of this side, moving there next, forks the enemy's king and queen.

    The square is not attacked by a pawn or a knight of his.

    Traps:
        A pinned knight is taken to jump, and pieces other than pawns and knights may be able to take it.

    Source:
        Chess Programming Wiki, "Knight Pattern" (knight forks).
    """
    royal = knight.attacks(side.enemy & side.kings) & knight.attacks(side.enemy & side.queens)
    return royal & _forks(side, side.enemy & (side.kings | side.queens))
