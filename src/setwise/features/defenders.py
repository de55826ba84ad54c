"""Features of pieces that protect: those that protect alone, and those that must protect twice."""

from __future__ import annotations

from setwise.compiler import Set, Square, routine
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks
from setwise.patterns import king, knight
from setwise.patterns.bits import EMPTY, bit, lowest, more_than_one, without_lowest
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks

__all__ = ["defenders_overloaded", "sole_defenders"]


@routine
def _own_attackers(side: Side, square: Square) -> Set:
    """The own pieces that attack a square."""
    occupied = side.own | side.enemy
    return side.own & (
        attacks_down(bit(square)) & side.pawns
        | knight.ATTACKS[square] & side.knights
        | king.ATTACKS[square] & side.kings
        | bishop_attacks(square, occupied) & (side.bishops | side.queens)
        | rook_attacks(square, occupied) & (side.rooks | side.queens)
    )


@routine
def _attacked(side: Side) -> Set:
    """Own pieces, not the king, that the enemy attacks."""
    return side.own & ~side.kings & enemy_attacks(side, side.enemy, side.own | side.enemy)


@routine
def _sole_defenders(side: Side) -> tuple[Set, Set]:
    """The pieces that protect an attacked piece alone, and those that do so for two."""
    attacked = _attacked(side)
    once = twice = EMPTY
    while attacked != EMPTY:
        protectors = _own_attackers(side, lowest(attacked))
        attacked = without_lowest(attacked)
        alone = EMPTY if more_than_one(protectors) else protectors
        twice |= once & alone
        once |= alone
    return once, twice


@feature
def sole_defenders(side: Side) -> Set:
    """Return this side's pieces that alone protect another piece of it which the enemy attacks.

    Where such a piece is captured, lured away or pinned, the piece that it protects hangs: "remove the guard".

    Example:
        >>> position = setwise.Position("6k1/6pp/8/3n4/5b2/8/6B1/5RK1 w - - 0 1")
        >>> position.feature("black_sole_defenders")
        Bitboard('d5')

    Why:
        Each attacked piece is taken by itself: the pieces of its side that attack its square protect it. If they are a
        set of one square, that piece protects alone.

    Traps:
        A protector counts even if it is pinned, and the attacker even if it is worth more than what it attacks. Whether
        the piece can be removed is not examined. A slider behind the protector does not count. The king is not
        protected; it may protect.

    Source:
        Chess Programming Wiki, "Overloading", "Undermining".
    """
    return _sole_defenders(side)[0]


@feature
def defenders_overloaded(side: Side) -> Set:
    """Return this side's pieces that alone protect two or more others which the enemy attacks.

    Example:
        >>> position = setwise.Position("6k1/6pp/3b4/8/1n3n2/8/6PP/1R3RK1 w - - 0 1")
        >>> position.feature("black_defenders_overloaded")
        Bitboard('d6')

    Why:
        The pieces that protect an attacked piece alone are collected, one attacked piece after the other; what is
        collected a second time is overloaded.

    Traps:
        Those of `sole_defenders`: pins, the worth of the attackers, and sliders behind are not examined.

    Source:
        Chess Programming Wiki, "Overloading".
    """
    return _sole_defenders(side)[1]
