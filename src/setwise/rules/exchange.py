"""Static exchange evaluation: what capturing on one square wins, in pawns, when both sides stop where it pays.

Pieces are worth 1 3 3 5 9. Whoever is to capture may as well leave it, so an exchange is worth *what stands there, less
what the other side then wins*, and never less than nothing: all numbers are unsigned. Every capture is a legal move: a
pinned piece takes no part while it is pinned, only the king answers a check that a capture has uncovered, and the king
captures nothing that is protected. Sliders behind those that have captured join in; pawns that capture on the last rank
become queens.

Where nobody's leaving changes anything for anybody else (no slider behind, no king in the line), the cheapest piece
first is best, and the captures are counted off. Otherwise the order matters, and all orders are searched; but of the
pieces that stand in nobody's way still only the cheapest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import entry, routine, scratch, subroutine, trailing_zeros
from setwise.compiler.signatures import named, uint64
from setwise.patterns import king, knight
from setwise.patterns.bits import ALL, EIGHT, EMPTY, FIVE, NINE, ONE, RANK_1, RANK_8, THREE
from setwise.patterns.geometry import BETWEEN
from setwise.patterns.pawns.moves import attacks, attacks_down
from setwise.patterns.sliders import BISHOP_LINES, ROOK_LINES, bishop_attacks, rook_attacks
from setwise.rules.board import Board
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    TO_QUEEN,
    TO_ROOK,
    kind_of,
    origin_of,
    target_of,
)

__all__ = ["see", "value_on", "won_on"]

#: After so many captures whose order is in doubt the cheapest piece is taken for the best.
_DOUBTS = np.uint64(6)
#: Captures on one square: each of 32 pieces makes one at most.
_captures = scratch(64)


class _Men(NamedTuple):
    """Who may take part in the exchange on a square, by worth and by the way there.

    ``steppers`` attack it whatever else stands on the board; ``bound`` are pieces whose leaving may matter to a king.
    """

    target: np.uint64
    pawns: np.uint64
    minors: np.uint64
    rooks: np.uint64
    queens: np.uint64
    kings: np.uint64
    steppers: np.uint64
    straight: np.uint64
    diagonal: np.uint64
    bound: np.uint64


@routine
def less(a, b):
    """The difference, or nothing."""
    return a - b if a > b else EMPTY


@routine
def value_on(board, squares):
    """What the piece on a square is worth in pawns; a king and an empty square are worth nothing."""
    return (
        np.uint64(board.pawns & squares != EMPTY)
        + np.uint64((board.knights | board.bishops) & squares != EMPTY) * THREE
        + np.uint64(board.rooks & squares != EMPTY) * FIVE
        + np.uint64(board.queens & squares != EMPTY) * NINE
    )


@routine
def _sliders(men, occupied):
    """The sliders that see the square."""
    straight = rook_attacks(men.target, occupied) & men.straight
    return (straight | bishop_attacks(men.target, occupied) & men.diagonal) & occupied


@routine
def _attackers(men, occupied):
    """The pieces that attack the square."""
    return men.steppers & occupied | _sliders(men, occupied)


@routine
def _is_shot_at(men, side, other, occupied):
    """Whether a slider of the other side sees a king of this one; the piece on the target will be gone."""
    if men.kings & side == EMPTY:
        return False
    square = trailing_zeros(men.kings & side)
    seen = rook_attacks(square, occupied) & men.straight | bishop_attacks(square, occupied) & men.diagonal
    return seen & occupied & other & ~(ONE << men.target) != EMPTY


@routine
def _bound(men, side, other, occupied):
    """The pieces whose leaving may matter to a king of one side, and the sliders that would attack it then."""
    if men.kings & side == EMPTY:  # it has been lifted, to look through it
        return EMPTY
    square = trailing_zeros(men.kings & side)
    if other & (ROOK_LINES[square] & men.straight | BISHOP_LINES[square] & men.diagonal) == EMPTY:
        return EMPTY
    leave = men.steppers & ~men.kings
    leave |= ROOK_LINES[men.target] & men.straight | BISHOP_LINES[men.target] & men.diagonal
    stay = occupied & ~leave | ONE << men.target
    seen = rook_attacks(square, stay) & men.straight | bishop_attacks(square, stay) & men.diagonal
    seen &= occupied & other & ~(ONE << men.target)
    found = seen
    while seen != EMPTY:
        found |= BETWEEN[square, trailing_zeros(seen)] & leave & occupied
        seen &= seen - ONE
    return found


@routine
def _last_rank(target):
    """What a pawn gains by promotion, if the square is on a last rank."""
    return EIGHT if ONE << target & (RANK_1 | RANK_8) != EMPTY else EMPTY


@routine
def _counted(men, here, there, victim):
    """The exchange when the cheapest piece is best each time: ``here`` captures first, what is worth ``victim``."""
    worth = _captures(uint64)
    promoted = _last_rank(men.target)
    n = EMPTY
    while here != EMPTY:
        worth[n] = victim
        if here & men.pawns != EMPTY:
            group, victim = here & men.pawns, ONE + promoted
            worth[n] += promoted
        elif here & men.minors != EMPTY:
            group, victim = here & men.minors, THREE
        elif here & men.rooks != EMPTY:
            group, victim = here & men.rooks, FIVE
        elif here & men.queens != EMPTY:
            group, victim = here & men.queens, NINE
        elif there == EMPTY:
            group = here
        else:
            break
        n += ONE
        here, there = there, here ^ (group & (EMPTY - group))
    won = EMPTY
    while n != EMPTY:
        n -= ONE
        won = less(worth[n], won)
    return won


@entry(uint64, named(_Men), uint64, uint64, uint64, uint64, uint64, uint64, uint64)
def _searched(men, side, other, occupied, victim, least, most, doubts):
    """The exchange when ``side`` captures first, exact between ``least`` and ``most``."""
    attackers = _attackers(men, occupied)
    here = attackers & side
    if here == EMPTY:
        return EMPTY
    lifted = occupied & ~attackers
    behind = _sliders(men, lifted)
    if behind | men.bound == EMPTY:
        return _counted(men, here, attackers & other, victim)
    fronts, harmful = EMPTY, men.bound
    while behind != EMPTY:
        slider = behind & (EMPTY - behind)
        front = BETWEEN[men.target, trailing_zeros(slider)] & attackers
        fronts |= front
        harmful |= front if slider & other != EMPTY else EMPTY
        behind ^= slider

    won = EMPTY
    mover = here & men.kings
    if mover != EMPTY and _attackers(men, occupied ^ mover) & other == EMPTY:
        won = victim
    here ^= mover
    unseen = (ROOK_LINES[men.target] & men.straight | BISHOP_LINES[men.target] & men.diagonal) & lifted & side
    promoted = _last_rank(men.target)
    cheaper = men.bound & side & occupied != EMPTY
    for group, worth, gain in (
        (men.pawns, ONE + promoted, victim + promoted),
        (men.minors, THREE, victim),
        (men.rooks, FIVE, victim),
        (men.queens, NINE, victim),
    ):
        candidates = here & group
        while candidates != EMPTY and gain > won and won < most:
            quiet = candidates & ~harmful
            mover = candidates if quiet == EMPTY else quiet
            mover &= EMPTY - mover
            candidates ^= mover
            after = occupied ^ mover
            if men.bound != EMPTY and _is_shot_at(men, side, other, after):
                continue
            settled = quiet != EMPTY and not cheaper
            left = doubts if settled else less(doubts, ONE)
            reply = _searched(men, other, side, after, worth, less(gain, most), gain - max(won, least), left)
            won = max(won, less(gain, reply))
            if settled or doubts == EMPTY:
                return won
            if mover & ~fronts & ~men.bound != EMPTY:
                here, candidates = here & (fronts | men.bound), candidates & (fronts | men.bound)
        cheaper = cheaper or (here | unseen) & group != EMPTY
    return won


@subroutine
def won_on(board, side, other, occupied, target, victim):
    """What a side wins by captures on a square where something of the other's stands, worth ``victim``.

    The side is not in check, but by the piece there or by one that the last move has uncovered.
    """
    steppers = knight.ATTACKS[target] & board.knights | king.ATTACKS[target] & board.kings
    here = ONE << target
    steppers |= attacks_down(here) & board.own & board.pawns | attacks(here) & board.enemy & board.pawns
    straight, diagonal = board.rooks | board.queens, board.bishops | board.queens
    minors = board.knights | board.bishops
    men = _Men(target, board.pawns, minors, board.rooks, board.queens, board.kings, steppers, straight, diagonal, EMPTY)
    if _attackers(men, occupied) & side == EMPTY:
        return EMPTY
    bound = _bound(men, side, other, occupied) | _bound(men, other, side, occupied)
    men = _Men(target, board.pawns, minors, board.rooks, board.queens, board.kings, steppers, straight, diagonal, bound)
    return _searched(men, side, other, occupied, victim, EMPTY, ALL, _DOUBTS)


@entry(uint64, named(Board), uint64)
def see(board, move):
    """What the exchange that a legal move begins wins, in pawns: a two's complement when it loses."""
    kind = kind_of(move)
    if kind == CASTLING:
        return EMPTY
    origin, target = origin_of(move), target_of(move)
    start, end = ONE << origin, ONE << target
    gain, worth = value_on(board, end), value_on(board, start)
    occupied = (board.own | board.enemy) & ~start | end
    if kind == EN_PASSANT:
        gain = ONE
        occupied ^= end >> EIGHT
    elif kind != NORMAL:
        worth = NINE if kind == TO_QUEEN else FIVE if kind == TO_ROOK else THREE
        gain += worth - ONE
    if start & board.kings != EMPTY:
        return gain
    return gain - won_on(board, board.enemy, board.own, occupied, target, worth)
