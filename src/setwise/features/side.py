"""A position as one side sees it, and what every feature asks of it: who attacks what."""

from __future__ import annotations

from typing import NamedTuple

from setwise.compiler import Flag, Set, routine
from setwise.patterns import king, knight, pawns, sliders
from setwise.patterns.pawns.moves import attacks_down

__all__ = ["Side"]


class Side(NamedTuple):
    """A position as one side sees it, playing up the board: own pieces, the enemy's, all pawns, all knights."""

    own: Set
    enemy: Set
    pawns: Set
    knights: Set
    bishops: Set
    rooks: Set
    queens: Set
    kings: Set
    to_move: Flag


@routine
def pieces_attacks(side, men, occupied):
    """All squares that the given pieces attack, the pawns among them left out."""
    return (
        knight.attacks(men & side.knights)
        | king.attacks(men & side.kings)
        | sliders.bishops_attacks(men & (side.bishops | side.queens), occupied)
        | sliders.rooks_attacks(men & (side.rooks | side.queens), occupied)
    )


@routine
def own_attacks(side, men, occupied):
    """All squares that the given pieces of ours attack."""
    return pawns.attacks(men & side.pawns) | pieces_attacks(side, men, occupied)


@routine
def enemy_attacks(side, men, occupied):
    """All squares that the given pieces of the enemy's attack."""
    return attacks_down(men & side.pawns) | pieces_attacks(side, men, occupied)
