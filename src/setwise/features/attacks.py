"""Features of attack: all attacked squares, knight forks, distant checks."""

from __future__ import annotations

from setwise import king, knight, pawns
from setwise.bits import EMPTY, byteswap
from setwise.features.registry import Side, feature
from setwise.fills import (
    ray_fill_east, ray_fill_north, ray_fill_north_east, ray_fill_north_west, ray_fill_south, ray_fill_south_east,
    ray_fill_south_west, ray_fill_west,
)  # fmt: skip
from setwise.kernel import Count, Set, routine

__all__ = ["attacks", "distant_checks", "fork_squares", "royal_fork_squares"]


@routine
def rook_rays(rooks, occupied):
    return (
        ray_fill_north(rooks, occupied) | ray_fill_east(rooks, occupied)
        | ray_fill_south(rooks, occupied) | ray_fill_west(rooks, occupied)
    )  # fmt: skip


@routine
def bishop_rays(bishops, occupied):
    return (
        ray_fill_north_east(bishops, occupied) | ray_fill_south_east(bishops, occupied)
        | ray_fill_south_west(bishops, occupied) | ray_fill_north_west(bishops, occupied)
    )  # fmt: skip


@routine
def attacked_by(side, men, occupied):
    """All squares that the given men attack, pawns among them up the board."""
    return (
        pawns.attacks(men & side.pawns)
        | knight.attacks(men & side.knights)
        | king.attacks(men & side.kings)
        | bishop_rays(men & (side.bishops | side.queens), occupied)
        | rook_rays(men & (side.rooks | side.queens), occupied)
    )


@routine
def opposite(side):
    """The same position from the other side of the board."""
    return Side(
        byteswap(side.enemy), byteswap(side.own), byteswap(side.pawns), byteswap(side.knights), byteswap(side.bishops),
        byteswap(side.rooks), byteswap(side.queens), byteswap(side.kings), side.to_move,
    )  # fmt: skip


@routine
def enemy_attacks(side, occupied):
    there = opposite(side)
    return byteswap(attacked_by(there, there.own, byteswap(occupied)))


@feature
def attacks(side: Side) -> Set:
    """Return all squares that this side attacks, own men's squares (which it protects) included.

    Sliders attack up to the first man on their way. Pins do not matter: a pinned piece attacks all the same.

    Source:
        Chess Programming Wiki, "Square Attacked By".
    """
    return attacked_by(side, side.own, side.own | side.enemy)


@routine
def fork_squares_of(side, targets):
    """Where one of our knights goes next and attacks two or more targets, safe from pawns and knights."""
    there = opposite(side)
    pawn_attacks = byteswap(pawns.attacks(there.own & there.pawns))
    return knight.forks(
        side.own & side.knights, side.own, targets, pawn_attacks, knight.attacks(side.enemy & side.knights)
    )


@feature
def fork_squares(side: Side) -> Set:
    """Return the squares from which a knight of this side, moving there next, forks two or more targets.

    Targets are the enemy's king, queens and rooks, his hanging men (attacked and undefended) and his undefended pawns.
    The square is not attacked by a pawn or a knight of his.

    Source:
        Chess Programming Wiki, "Knight Pattern", knight forks.
    """
    occupied = side.own | side.enemy
    undefended = side.enemy & ~enemy_attacks(side, occupied)
    hanging = undefended & attacked_by(side, side.own, occupied)
    targets = side.enemy & (side.kings | side.queens | side.rooks) | hanging | undefended & side.pawns
    return fork_squares_of(side, targets)


@feature
def royal_fork_squares(side: Side) -> Set:
    """Return the squares from which a knight of this side, moving there next, forks king and queen.

    The square is not attacked by a pawn or a knight of the enemy's.

    Source:
        Chess Programming Wiki, "Knight Pattern", knight forks.
    """
    return fork_squares_of(side, side.enemy & (side.kings | side.queens)) & knight.attacks(side.enemy & side.kings)


@feature
def distant_checks(side: Side) -> Count:
    """Return the lines on which this side's king is vulnerable to distant checks, as a sum of 1, 2, 4 and 8.

    15 when the king has no escape at all; else 1 (rank), 2 (file), 4 (diagonal) or 8 (antidiagonal) when the king and
    all its escapes lie on that one line; else 0. Escapes are squares next to the king that neither an own man holds
    nor the enemy attacks with the king lifted off the board.

    Source:
        Chess Programming Wiki, "King Pattern", vulnerable on distant checks.
    """
    here = side.own & side.kings
    attacked = enemy_attacks(side, (side.own | side.enemy) & ~here)
    return king.distant_checks(here, side.own | attacked)
