"""Features of passed pawns, and of those that become it."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, byteswap, routine, trailing_zeros
from setwise.features.registry import feature
from setwise.features.side import Side
from setwise.patterns import pawns, race
from setwise.patterns.bits import EIGHT, EMPTY, FIVE, ONE, SEVEN, THREE, TWO

__all__ = ["candidate_pawns", "passed_pawns", "unstoppable_passers"]


@feature
def passed_pawns(side: Side) -> Set:
    """Return this side's passed pawns: no enemy pawn is ahead of them on their own file or the files beside it.

    Example:
        >>> position = setwise.Position("4k3/8/7p/2p3P1/P2P4/8/P7/4K3 w - - 0 1")
        >>> position.feature("white_passed_pawns")
        Bitboard('a2 a4')
        >>> position.feature("black_passed_pawns")
        Bitboard('')

    Traps:
        Own pawns ahead do not matter: both pawns of a doubled pair may be passed.

    Source:
        Chess Programming Wiki, "Passed Pawns (Bitboards)".
    """
    return pawns.passed(side.own & side.pawns, side.enemy & side.pawns)


@feature
def candidate_pawns(side: Side) -> Set:
    """Return this side's candidates: open pawns, not passed yet, with at least as many helpers as sentries.

    Helpers are own pawns on the files beside, on the pawn's rank or behind; sentries are enemy pawns on the files
    beside, ahead.

    Example:
        >>> position = setwise.Position("4k3/2p5/4p3/1P6/2P2P2/8/8/4K3 w - - 0 1")
        >>> position.feature("white_candidate_pawns")
        Bitboard('b5')

    Source:
        Chess Programming Wiki, "Candidates (Bitboards)".
    """
    return pawns.candidate(side.own & side.pawns, side.enemy & side.pawns)


@routine
def _outrun(side, waits):
    """Squares from which a pawn of ours promotes later than one of theirs that our king cannot catch."""
    own, enemy = byteswap(side.enemy), byteswap(side.own)
    theirs = pawns.passed_free(own & byteswap(side.pawns), enemy & byteswap(side.pawns), own)
    runners = byteswap(race.unstoppable(theirs, enemy & byteswap(side.kings), waits ^ ONE))
    if runners == EMPTY:
        return EMPTY
    pushes = min(trailing_zeros(runners) >> THREE, FIVE)  # a pawn that has not moved yet takes two steps at once
    rank = SEVEN - pushes + waits
    return (ONE << rank * EIGHT) - ONE if rank > TWO else EMPTY


@routine
def _racing(side):
    """Our pawns, where the enemy has nothing but king and pawns."""
    return side.own & side.pawns if side.enemy & ~(side.kings | side.pawns) == EMPTY else EMPTY


@feature(among=_racing)
def unstoppable_passers(side: Side, own_pawns: Set) -> Set:
    """Return this side's passed pawns that the enemy, who has only king and pawns, can neither catch nor stop.

    They are passed, no own piece stands on their way, and the enemy's king, on an empty board, comes too late by the
    rule of the square. It matters whose turn it is; a side in check must see to its king first, which costs its turn.
    Where only kings and this side's pawns are left, a pawn that its own king brings home is among them, one that this
    king stands in front of, too. A pawn is not where one of the enemy's that this side's king cannot catch promotes
    first. Empty where the enemy has a piece besides king and pawns.

    Example:
        >>> setwise.Position("8/8/8/7P/3k4/8/8/K7 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('h5')
        >>> setwise.Position("8/8/8/7P/3k4/8/8/K7 b - - 0 1").feature("white_unstoppable_passers")
        Bitboard('')
        >>> setwise.Position("4K3/4P3/8/8/8/8/k7/8 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('e7')

    Why:
        With king and pawns alone the race is between a pawn and a king: `setwise.race.unstoppable` decides it by the
        rule of the square, `setwise.race.escorted` where our king helps. A pawn of theirs that promotes first is looked
        for the same way, on the mirrored board.

    Traps:
        Each pawn is judged as if it ran at once and alone: of two that need the same move, one can be caught. Of two
        far apart that one king cannot both stop, only those are told that run alone. A stalemate of the enemy's king by
        several pawns is not seen, nor an enemy's pawn that promotes with check after this side's has promoted.

    Source:
        Chess Programming Wiki, "Rule of the Square", "King Pattern" (set-wise rule of the square); see `setwise.race`.
    """
    enemy_pawns = side.enemy & side.pawns
    own_king, enemy_king = side.own & side.kings, side.enemy & side.kings
    checked = np.uint64(pawns.attacks(own_king) & enemy_pawns != EMPTY)
    waits = side.to_move ^ ONE | checked
    free = race.unstoppable(pawns.passed_free(own_pawns, enemy_pawns, side.own), enemy_king, waits)
    free &= ~_outrun(side, waits)
    alone = np.uint64((side.enemy ^ enemy_king) | (side.own ^ (own_king | own_pawns)) == EMPTY)
    brought = race.escorted(own_pawns, own_king, enemy_king, waits) & ~pawns.rear_span(own_pawns)
    return free | brought & (EMPTY - alone)
