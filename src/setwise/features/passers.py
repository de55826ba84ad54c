"""Features of passed pawns, and of pawns that may become passed."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Set, routine
from setwise.features.registry import feature
from setwise.features.side import Side
from setwise.patterns import king, pawns, race
from setwise.patterns.bits import EIGHT, EMPTY, FIVE, ONE, SEVEN, THREE, TWO, bit, lowest
from setwise.patterns.compass import north
from setwise.patterns.pawns.moves import attacks_down

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
    beside, ahead. A pawn behind another own pawn of its file is not a candidate.

    Example:
        >>> position = setwise.Position("4k3/2p5/4p3/1P6/2P2P2/8/8/4K3 w - - 0 1")
        >>> position.feature("white_candidate_pawns")
        Bitboard('b5')

    Source:
        Chess Programming Wiki, "Candidates (Bitboards)".
    """
    return pawns.candidate(side.own & side.pawns, side.enemy & side.pawns)


@routine
def _outrun(side: Side, waits: Count) -> Set:
    """Squares from which an own pawn promotes later than an enemy pawn that we do not spend a move on.

    Such a pawn has no own piece ahead of it, or may capture an own pawn; its checks cost us a move.
    """
    enemy_pawns, own_pawns = side.enemy & side.pawns, side.own & side.pawns
    runners = enemy_pawns & (~pawns.front_span(side.own) | pawns.front_attack_span(own_pawns))
    if runners == EMPTY:
        return EMPTY
    pushes = min(lowest(runners) >> THREE, FIVE)  # a pawn that has not moved yet takes two steps at once
    checks = np.uint64(enemy_pawns & pawns.front_attack_span(side.own & side.kings) != EMPTY)
    rank = SEVEN - pushes + waits + checks
    return bit(min(rank, SEVEN) * EIGHT) - ONE if rank > TWO else EMPTY


@routine
def _racing(side: Side) -> Set:
    """Own pawns, if the enemy has only king and pawns."""
    return side.own & side.pawns if side.enemy & ~(side.kings | side.pawns) == EMPTY else EMPTY


@feature(among=_racing)
def unstoppable_passers(side: Side, own_pawns: Set) -> Set:
    """Return this side's passed pawns that the enemy, who has only king and pawns, can neither catch nor stop.

    They are passed, no own piece stands on their way, and the enemy king, on an empty board, comes too late by the rule
    of the square. It matters whose turn it is; a side in check must answer the check first, which costs its turn. Left
    out are pawns that may be taken en passant, and those that promote later than the most advanced enemy pawn that can
    run: no piece of this side is ahead of it, or it may capture a pawn on its way. Empty where the enemy has a piece
    besides king and pawns.

    Where only kings and this side's pawns are left, it includes pawns that their own king brings home, even one that it
    stands in front of; and where no single pawn is certain to promote, two pawns that the enemy king cannot both stop,
    though it may choose which one it stops. Empty if the enemy king is to move and has no move.

    Example:
        >>> setwise.Position("8/8/8/7P/3k4/8/8/K7 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('h5')
        >>> setwise.Position("8/8/8/7P/3k4/8/8/K7 b - - 0 1").feature("white_unstoppable_passers")
        Bitboard('')

        The king need only step aside:

        >>> setwise.Position("4K3/4P3/8/8/8/8/k7/8 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('e7')

        From d5 the king would catch either pawn, but not both. From f5 it catches only h4, and a4 promotes without
        help:

        >>> setwise.Position("8/8/8/3k4/P6P/8/8/K7 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('a4 h4')
        >>> setwise.Position("8/8/8/5k2/P6P/8/8/K7 w - - 0 1").feature("white_unstoppable_passers")
        Bitboard('a4')

    Why:
        With king and pawns alone the race is between a pawn and a king: `setwise.race.unstoppable` decides it by the
        rule of the square, `setwise.race.escorted` where our king helps, `setwise.race.two` where theirs cannot be in
        two places. Of the enemy pawns the most advanced is enough: ours have to be quicker than that one.

    Traps:
        In all positions of kings and one or two pawns of one side, whatever is here is true by the solved game: one of
        these pawns promotes, or the enemy king is mated before. Wins that take more than the race are missing: those in
        which the king must walk for two moves or more, or take the opposition. With three pawns and more, or pawns of
        both sides, a stalemate that a side plays for is not seen, nor an enemy pawn that promotes with check after this
        side's has. Pawns that win only because this side's king stops the enemy pawns meanwhile are missing, too: with
        White's king on a1, the pawn on h5 would promote against a king on d4 and a pawn on b3. Without an enemy king
        all free passers are here, unless that side is to move and cannot; with several kings on a side the answer means
        nothing. Pawns on the first and the last rank are never here.

    Source:
        Chess Programming Wiki, "Rule of the Square", "King Pattern" (set-wise rule of the square); see `setwise.race`.
    """
    enemy_pawns = side.enemy & side.pawns
    own_king, enemy_king = side.own & side.kings, side.enemy & side.kings
    checked = np.uint64(pawns.attacks(own_king) & enemy_pawns != EMPTY)
    waits = side.to_move ^ ONE | checked
    captured = side.en_passant & attacks_down(enemy_pawns) if side.to_move == EMPTY else EMPTY
    passers = pawns.passed_free(own_pawns, enemy_pawns, side.own) & ~north(captured)
    free = race.unstoppable(passers, enemy_king, waits) & ~_outrun(side, waits)
    if (side.enemy ^ enemy_king) | (side.own ^ (own_king | own_pawns)) != EMPTY:
        return free
    if (
        side.to_move == EMPTY
        and king.attacks(enemy_king) & ~(king.attacks(own_king) | pawns.attacks(own_pawns)) == EMPTY
    ):
        return EMPTY
    single = free | race.escorted(own_pawns, own_king, enemy_king, waits) & ~pawns.rear_span(own_pawns)
    return single if single != EMPTY else race.two(passers, enemy_king, waits)
