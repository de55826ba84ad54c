"""Features of pieces that protect: those that protect alone, and those that must protect twice."""

from __future__ import annotations

from setwise.compiler import Set, routine
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks, mover, own_attacks
from setwise.patterns import tactics
from setwise.patterns.bits import EMPTY, lowest, more_than_one, without_lowest
from setwise.rules.forcing import own_attackers

__all__ = ["defenders_overloaded", "sole_defenders"]


@routine
def _protected_once(side: Side) -> Set:
    """Own pieces, not the king, that the enemy attacks and one own piece protects."""
    occupied = side.own | side.enemy
    orthogonal, diagonal = side.own & (side.rooks | side.queens), side.own & (side.bishops | side.queens)
    more = tactics.attacked_twice(
        side.own & side.pawns, side.own & side.knights, orthogonal, diagonal, side.own & side.kings, occupied
    )
    protected = own_attacks(side, side.own, occupied) & ~more
    return side.own & ~side.kings & protected & enemy_attacks(side, side.enemy, occupied)


@routine
def _protected_once_each(side: Side) -> Set:
    """The same pieces, if there are two or more."""
    pieces = _protected_once(side)
    return pieces if more_than_one(pieces) else EMPTY


@routine
def _protectors(side: Side, pieces: Set) -> tuple[Set, Set]:
    """The pieces that protect one of some pieces which have one protector each, and those that protect two."""
    board, once, twice = mover(side), EMPTY, EMPTY
    while pieces != EMPTY:
        protector = own_attackers(board, lowest(pieces))
        pieces = without_lowest(pieces)
        twice |= once & protector
        once |= protector
    return once, twice


@feature(among=_protected_once)
def sole_defenders(side: Side, pieces: Set) -> Set:
    """Return this side's pieces that alone protect another one which the enemy attacks; 3 of 5 positions have some.

    Where such a piece is captured, lured away or pinned, the piece that it protects hangs: "remove the guard".

    Example:
        >>> position = setwise.Position("6k1/6pp/8/3n4/5b2/8/6B1/5RK1 w - - 0 1")
        >>> position.feature("black_sole_defenders")
        Bitboard('d5')

    Why:
        A piece that its side attacks, but not twice, has one protector: attack maps find all such pieces at once. Those
        that the enemy attacks are taken one by one, and what attacks the square of each is collected.

    Traps:
        A protector counts even if it is pinned, and the attacker even if it is worth more than what it attacks. Whether
        the piece can be removed is not examined. A slider behind the protector does not count. The king is not
        protected; it may protect.

    Source:
        Chess Programming Wiki, "Overloading", "Undermining".
    """
    return _protectors(side, pieces)[0]


@feature(among=_protected_once_each)
def defenders_overloaded(side: Side, pieces: Set) -> Set:
    """Return this side's pieces that alone protect two or more others which the enemy attacks.

    Example:
        >>> position = setwise.Position("6k1/6pp/3b4/8/1n3n2/8/6PP/1R3RK1 w - - 0 1")
        >>> position.feature("black_defenders_overloaded")
        Bitboard('d6')

    Why:
        The pieces that protect an attacked piece alone are collected, one attacked piece after the other; what is
        collected a second time is overloaded. Only where two pieces have one protector each is there anything to do.

    Traps:
        Those of `sole_defenders`: pins, the worth of the attackers, and sliders behind are not examined.

    Source:
        Chess Programming Wiki, "Overloading".
    """
    return _protectors(side, pieces)[1]
