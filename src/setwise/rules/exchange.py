"""Static exchange evaluation: the gain of captures on one square, in pawns, if both sides stop when it is best to stop.

Pieces are worth 1 3 3 5 9. The side to capture need not capture, so an exchange is worth *the captured piece, minus
what the other side then wins*, and never less than zero: all numbers are unsigned. Every capture is a legal move: a
pinned piece takes no part while it is pinned, only the king answers a check that a capture has uncovered, and the king
captures no protected piece. Sliders behind pieces that have captured take part, too; pawns that capture on the last
rank become queens.

If no capture opens a line for another piece (no slider behind, no king in the line), it is best to capture with the
cheapest piece first, and the captures are counted in this order. Otherwise the order matters, and all orders are
searched; but of the pieces that block no line, only the cheapest is tried.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, Square, entry, routine, scratch, subroutine
from setwise.compiler.kinds import named, uint64
from setwise.patterns import king, knight
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    FIVE,
    NINE,
    ONE,
    RANK_1,
    RANK_8,
    THREE,
    ZERO,
    bit,
    lowest,
    only_lowest,
    without_lowest,
)
from setwise.patterns.geometry import BETWEEN
from setwise.patterns.pawns import attacks, attacks_down
from setwise.patterns.sliders import BISHOP_LINES, ROOK_LINES
from setwise.rules.board import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    TO_QUEEN,
    TO_ROOK,
    Board,
    attackers,
    kind_of,
    origin_of,
    target_of,
)

#: After this many captures whose order must be searched, the cheapest piece is assumed to be the best.
_DOUBTS = np.uint64(6)
#: Room for the captures on one square: there is at most one by each of 32 pieces.
_captures = scratch(64)


class _Exchange(NamedTuple):
    """The pieces that may take part in the exchange on a square, by worth and by the way they move.

    ``leapers`` (pawns and kings included) attack the square, and no piece can block them; ``tied`` are pieces that may
    uncover a king when they capture.
    """

    target: Square
    pawns: Set
    minors: Set
    rooks: Set
    queens: Set
    kings: Set
    leapers: Set
    orthogonal: Set
    diagonal: Set
    tied: Set


@routine
def less(a: Count, b: Count) -> Count:
    """The difference, or zero if it is negative."""
    return a - b if a > b else EMPTY


@routine
def value_on(board: Board, squares: Set) -> Count:
    """The worth in pawns of the piece on a square; 0 for a king and an empty square."""
    return (
        np.uint64(board.pawns & squares != EMPTY)
        + np.uint64((board.knights | board.bishops) & squares != EMPTY) * THREE
        + np.uint64(board.rooks & squares != EMPTY) * FIVE
        + np.uint64(board.queens & squares != EMPTY) * NINE
    )


@routine
def _sliders(exchange: _Exchange, pieces: Set, square: Square, occupied: Set) -> Set:
    """The sliders among some pieces that attack a square when the squares in ``occupied`` are occupied."""
    bishops, rooks = exchange.diagonal, exchange.orthogonal
    sliders = Board(EMPTY, pieces, EMPTY, EMPTY, bishops, rooks, EMPTY, EMPTY, EMPTY, EMPTY)
    return attackers(sliders, square, occupied)


@routine
def _attackers(exchange: _Exchange, occupied: Set) -> Set:
    """The pieces that attack the square."""
    return exchange.leapers & occupied | _sliders(exchange, occupied, exchange.target, occupied)


@routine
def _uncovers_king(exchange: _Exchange, side: Set, other: Set, occupied: Set) -> bool:
    """Whether a slider of the other side attacks the king of this side; the piece on the target does not count."""
    if exchange.kings & side == EMPTY:
        return False
    square = lowest(exchange.kings & side)
    return _sliders(exchange, other & occupied & ~bit(exchange.target), square, occupied) != EMPTY


@routine
def _tied_to_king(exchange: _Exchange, side: Set, other: Set, occupied: Set) -> Set:
    """The pieces that may uncover the king of one side when they leave, and the sliders that would then attack it."""
    if exchange.kings & side == EMPTY:  # the caller has removed the king, so that it does not block lines
        return EMPTY
    square = lowest(exchange.kings & side)
    if other & (ROOK_LINES[square] & exchange.orthogonal | BISHOP_LINES[square] & exchange.diagonal) == EMPTY:
        return EMPTY
    leave = exchange.leapers & ~exchange.kings
    leave |= ROOK_LINES[exchange.target] & exchange.orthogonal | BISHOP_LINES[exchange.target] & exchange.diagonal
    stay = occupied & ~leave | bit(exchange.target)
    pinned = seen = _sliders(exchange, other & occupied & ~bit(exchange.target), square, stay)
    while seen != EMPTY:
        pinned |= BETWEEN[square, lowest(seen)] & leave & occupied
        seen = without_lowest(seen)
    return pinned


@routine
def _last_rank(target: Square) -> Count:
    """How much a pawn gains by promotion, if the square is on a last rank."""
    return EIGHT if bit(target) & (RANK_1 | RANK_8) != EMPTY else EMPTY


@routine
def _counted_off(exchange: _Exchange, here: Set, there: Set, victim: Count) -> Count:
    """The exchange when the cheapest piece is always best; ``here`` captures first, a piece worth ``victim``."""
    worth = _captures(uint64)
    promoted = _last_rank(exchange.target)
    n = ZERO
    while here != EMPTY:
        worth[n] = victim
        if here & exchange.pawns != EMPTY:
            group, victim = here & exchange.pawns, ONE + promoted
            worth[n] += promoted
        elif here & exchange.minors != EMPTY:
            group, victim = here & exchange.minors, THREE
        elif here & exchange.rooks != EMPTY:
            group, victim = here & exchange.rooks, FIVE
        elif here & exchange.queens != EMPTY:
            group, victim = here & exchange.queens, NINE
        elif there == EMPTY:
            group = here
        else:
            break
        n += ONE
        here, there = there, here ^ only_lowest(group)
    won: Count = EMPTY
    while n != EMPTY:
        n -= ONE
        won = less(worth[n], won)
    return won


@entry(uint64, named(_Exchange), uint64, uint64, uint64, uint64, uint64, uint64, uint64)
def _searched(
    exchange: _Exchange, side: Set, other: Set, occupied: Set, victim: Count, least: Count, most: Count, doubts: Count
) -> Count:
    """The exchange when ``side`` captures first, exact between ``least`` and ``most``."""
    attackers = _attackers(exchange, occupied)
    here = attackers & side
    if here == EMPTY:
        return EMPTY
    lifted = occupied & ~attackers
    behind = _sliders(exchange, lifted, exchange.target, lifted)
    if behind | exchange.tied == EMPTY:
        return _counted_off(exchange, here, attackers & other, victim)
    fronts, harmful = EMPTY, exchange.tied
    while behind != EMPTY:
        slider = only_lowest(behind)
        front = BETWEEN[exchange.target, lowest(slider)] & attackers
        fronts |= front
        harmful |= front if slider & other != EMPTY else EMPTY
        behind ^= slider

    won: Count = EMPTY
    mover = here & exchange.kings
    if mover != EMPTY and _attackers(exchange, occupied ^ mover) & other == EMPTY:
        won = victim
    here ^= mover
    unseen = ROOK_LINES[exchange.target] & exchange.orthogonal | BISHOP_LINES[exchange.target] & exchange.diagonal
    unseen &= lifted & side
    promoted = _last_rank(exchange.target)
    cheaper = exchange.tied & side & occupied != EMPTY
    for group, worth, gain in (
        (exchange.pawns, ONE + promoted, victim + promoted),
        (exchange.minors, THREE, victim),
        (exchange.rooks, FIVE, victim),
        (exchange.queens, NINE, victim),
    ):
        candidates = here & group
        while candidates != EMPTY and gain > won and won < most:
            quiet = candidates & ~harmful
            mover = candidates if quiet == EMPTY else quiet
            mover = only_lowest(mover)
            candidates ^= mover
            remaining = occupied ^ mover
            if exchange.tied != EMPTY and _uncovers_king(exchange, side, other, remaining):
                continue
            settled = quiet != EMPTY and not cheaper
            left = doubts if settled else less(doubts, ONE)
            reply = _searched(exchange, other, side, remaining, worth, less(gain, most), gain - max(won, least), left)
            won = max(won, less(gain, reply))
            if settled or doubts == EMPTY:
                return won
            if mover & ~fronts & ~exchange.tied != EMPTY:
                here, candidates = here & (fronts | exchange.tied), candidates & (fronts | exchange.tied)
        cheaper = cheaper or (here | unseen) & group != EMPTY
    return won


@subroutine
def won_on(board: Board, side: Set, other: Set, occupied: Set, target: Square, victim: Count) -> Count:
    """How much a side wins by captures on a square, where the other side has a piece worth ``victim``.

    The side is not in check, except by that piece or by a slider that the last move has uncovered.
    """
    leapers = knight.ATTACKS[target] & board.knights | king.ATTACKS[target] & board.kings
    here = bit(target)
    leapers |= attacks_down(here) & board.own & board.pawns | attacks(here) & board.enemy & board.pawns
    orthogonal, diagonal = board.rooks | board.queens, board.bishops | board.queens
    minors = board.knights | board.bishops
    exchange = _Exchange(
        target, board.pawns, minors, board.rooks, board.queens, board.kings, leapers, orthogonal, diagonal, EMPTY
    )
    if _attackers(exchange, occupied) & side == EMPTY:
        return EMPTY
    tied = _tied_to_king(exchange, side, other, occupied) | _tied_to_king(exchange, other, side, occupied)
    exchange = _Exchange(
        target, board.pawns, minors, board.rooks, board.queens, board.kings, leapers, orthogonal, diagonal, tied
    )
    return _searched(exchange, side, other, occupied, victim, EMPTY, ALL, _DOUBTS)


@entry(uint64, named(Board), uint64)
def see(board: Board, move: Move) -> Count:
    """The gain, in pawns, of the exchange that begins with a legal move; a loss is a two's complement."""
    kind = kind_of(move)
    if kind == CASTLING:
        return EMPTY
    origin, target = origin_of(move), target_of(move)
    start, end = bit(origin), bit(target)
    gain, risked = value_on(board, end), value_on(board, start)
    occupied = (board.own | board.enemy) & ~start | end
    if kind == EN_PASSANT:
        gain = ONE
        occupied ^= end >> EIGHT
    elif kind != NORMAL:
        risked = NINE if kind == TO_QUEEN else FIVE if kind == TO_ROOK else THREE
        gain += risked - ONE
    if start & board.kings != EMPTY:
        return gain
    return gain - won_on(board, board.enemy, board.own, occupied, target, risked)
