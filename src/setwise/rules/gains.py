"""How much a move wins: at once, and by force, after the best reply.

A move wins a number of pawns *by force* if, whatever the enemy replies, forcing moves leave the mover that much ahead:
captures and promotions to a queen that do not lose on their square, and checks, of both sides in turn. A side that is
in check makes any move, and is mated if it has none; otherwise it may stop where it stands. The search is bounded: four
moves follow the reply, of which the first two may check without capturing; what then stands to be captured is counted
as one exchange. The side whose move is judged stops only where the other side threatens neither mate nor an exchange
that takes back too much.

A move that has won enough at once is tried against forcing replies alone. Any other must threaten: if the other side
passed, an exchange or a mate would have to follow; then every reply is tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Count, Move, Set, Square, entry, routine, scratch, subroutine
from setwise.compiler.signatures import boolean, named, uint16, uint64
from setwise.patterns.bits import ALL, EIGHT, EMPTY, FIVE, NINE, ONE, RANK_7, RANK_8, THREE, bit, lowest, without_lowest
from setwise.rules.board import Board, in_check
from setwise.rules.exchange import see, value_on
from setwise.rules.forcing import has_mate, is_safe, list_forcing, own_attackers, reached
from setwise.rules.generate import MOST_MOVES, count_moves, legality
from setwise.rules.mates import moves_to
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    NULL_MOVE,
    TO_KNIGHT,
    TO_QUEEN,
    TO_ROOK,
    child,
    encoded,
    kind_of,
    origin_of,
    target_of,
)

__all__ = ["PLIES", "falls", "gain", "gain_squares", "promises", "wins_by_force"]

#: Numbers of pawns that may be negative are kept with this bias.
_EVEN = np.uint64(128)
_NULL_MOVE = np.uint64(NULL_MOVE)
#: After the reply, so many moves are searched before an exchange ends it; moves that check without capturing are
#: searched while more than ``_QUIET`` plies are left.
PLIES, _QUIET = np.uint64(4), np.uint64(2)

_move_list = scratch(MOST_MOVES)


@routine
def gain(board: Board, move: Move) -> Count:
    """The worth of the captured piece, and the gain of a promotion, in pawns."""
    kind = kind_of(move)
    if kind == CASTLING:
        return EMPTY
    if kind == EN_PASSANT:
        return ONE
    promoted = EIGHT if kind == TO_QUEEN else FIVE - ONE if kind == TO_ROOK else THREE - ONE
    return value_on(board, bit(target_of(move))) + (EMPTY if kind == NORMAL else promoted)


@routine
def falls(board: Board, origin: Square, target: Square) -> np.bool | bool:
    """Whether the piece on one square wins the piece on another by capturing it."""
    move = encoded(origin, target, NORMAL)
    won = see(board, move)
    return won != EMPTY and won <= gain(board, move)


@routine
def _left(least: Count, won: Count) -> Count:
    """What the other side must win to prevent ``least`` after a move that wins some pawns; both numbers are biased."""
    return _EVEN + _EVEN + ONE + won - least


@routine
def gain_squares(board: Board, least: Count) -> Set:
    """At least the squares where a move captures a piece worth ``least`` or more, or promotes."""
    rooks, pieces = board.rooks | board.queens, board.enemy & ~board.pawns
    worth = board.queens if least > FIVE else rooks if least > THREE else pieces if least > ONE else ALL
    worth = EMPTY if least > NINE else worth & board.enemy
    worth |= board.en_passant if least <= ONE else EMPTY
    if board.own & board.pawns & RANK_7 != EMPTY:
        worth |= RANK_8 & ~board.own
    return worth


@routine
def _is_lesser_promotion(move: Move) -> np.bool | bool:
    return TO_KNIGHT <= kind_of(move) <= TO_ROOK


@routine
def _exchanges(board: Board, origin: Square, target: Square, least: Count) -> np.bool | bool:
    """Whether a piece may go to a square that it reaches, a pawn as a queen, and wins at least ``least`` there."""
    promotes = bit(origin) & board.pawns & RANK_7 != EMPTY
    move = encoded(origin, target, TO_QUEEN if promotes else NORMAL)
    most = gain(board, move)
    return most >= least and least <= see(board, move) <= most and is_safe(board, origin, target)


@subroutine
def _wins_passing(board: Board, least: Count) -> bool:
    """Whether a capture en passant wins at least ``least``, which is a pawn."""
    moves = _move_list(uint16)
    for i in range(moves_to(board, board.en_passant, moves)):
        move = np.uint64(moves[i])
        if kind_of(move) == EN_PASSANT and least <= see(board, move) <= ONE:
            return True
    return False


@subroutine
def _has_exchange(board: Board, least: Count) -> bool:
    """Whether some exchange wins the mover at least ``least``."""
    squares = gain_squares(board, least)
    if squares & board.en_passant != EMPTY and _wins_passing(board, least):
        return True
    captured = squares & board.enemy & ~board.kings
    captured = captured & reached(board) if captured != EMPTY else EMPTY
    while captured != EMPTY:
        target = lowest(captured)
        captured = without_lowest(captured)
        captors = own_attackers(board, target)
        while captors != EMPTY:
            origin = lowest(captors)
            captors = without_lowest(captors)
            if _exchanges(board, origin, target, least):
                return True
    pawns = board.own & board.pawns & RANK_7 & ~((board.own | board.enemy) >> EIGHT)
    while pawns != EMPTY:
        origin = lowest(pawns)
        pawns = without_lowest(pawns)
        if _exchanges(board, origin, origin + EIGHT, least):
            return True
    return False


@subroutine
def _settles(board: Board, least: Count, checked: bool) -> bool:
    """Whether one exchange ends the search with enough for the mover; in check, any move but an exchange after it."""
    if not checked:
        return _has_exchange(board, least - _EVEN)
    moves = _move_list(uint16)
    for i in range(moves_to(board, ALL, moves)):
        move = np.uint64(moves[i])
        lack = _left(least, gain(board, move))
        if lack > _EVEN and not _has_exchange(child(board, move), lack - _EVEN):
            return True
    return False


@routine
def _list_forcing(board: Board, least: Count, plies: Count, moves: Any) -> int:
    """List captures that win enough, and moves that may check: to any square in the first plies, later captures."""
    among = ALL if plies > _QUIET else board.enemy | board.en_passant
    return list_forcing(board, gain_squares(board, least - _EVEN), among, moves)


@subroutine
def _is_threatened(board: Board, surplus: Count) -> bool:
    """Whether the other side, if it had the move, would mate or win more than the surplus by one exchange."""
    other = child(board, _NULL_MOVE)
    return _has_exchange(other, surplus + ONE) or has_mate(other)


@subroutine
def _is_forcing(board: Board, move: Move, least: Count, there: Board) -> np.bool | bool:
    """Whether a move checks, or wins at least ``least`` at once and does not lose on its square."""
    if _is_lesser_promotion(move):
        return False
    won = gain(board, move)
    return in_check(there) or (won != EMPTY and won >= least and see(board, move) <= won)


@entry(boolean, named(Board), uint64, uint64)
def forces(board: Board, least: Count, plies: Count) -> bool:
    """Whether forcing moves win the mover at least ``least - 128``, a number that may be negative.

    The mover may stop before it captures or checks, unless it is in check: then it makes any move, or is mated. The
    side that has begun, whose turn it is when the number of plies is even, stops only where it is not threatened, or
    after a move that answers the threat.
    """
    hurried = in_check(board)
    if not hurried and least <= _EVEN:
        if plies & ONE != EMPTY or plies == EMPTY or not _is_threatened(board, _EVEN - least):
            return True
        hurried = True
    if plies == EMPTY:
        return _settles(board, least, hurried)
    moves = _move_list(uint16)
    number = moves_to(board, ALL, moves) if hurried else _list_forcing(board, least, plies, moves)
    for i in range(number):
        move = np.uint64(moves[i])
        there = child(board, move)
        is_tried = hurried or _is_forcing(board, move, least - _EVEN, there)
        if is_tried and not forces(there, _left(least, gain(board, move)), plies - ONE):
            return True
    return False


@subroutine
def promises(answering: Board, least: Count, won: Count) -> np.bool | bool:
    """Whether enough is won by now, or would be by an exchange or mate if the other side passed."""
    return won >= least or _is_threatened(answering, least - won - ONE)


@entry(boolean, named(Board), uint64, uint64, uint64)
def wins_by_force(board: Board, move: Move, least: Count, plies: Count) -> np.bool | bool:
    """Whether a move wins at least ``least``, whatever the reply, by the search of some plies; mate wins anything."""
    moves = _move_list(uint16)
    answering = child(board, move)
    lack = _left(_EVEN + least, gain(board, move))
    checked = in_check(answering)
    if not checked and not promises(answering, least, gain(board, move)):
        return False
    is_free = lack > _EVEN and not checked
    number = _list_forcing(answering, lack, PLIES, moves) if is_free else moves_to(answering, ALL, moves)
    attacked = legality(answering).attacked
    for stage in range(3):  # captures first, then moves of attacked pieces: they most often refute
        for i in range(number):
            reply = np.uint64(moves[i])
            is_capture = answering.enemy >> target_of(reply) & ONE != EMPTY
            rank = 0 if is_capture else 1 if attacked >> origin_of(reply) & ONE != EMPTY else 2
            if rank != stage:
                continue
            then = child(answering, reply)
            is_tried = not is_free or _is_forcing(answering, reply, lack - _EVEN, then)
            if is_tried and not forces(then, _left(lack, gain(answering, reply)), plies):
                return False
    return number != 0 or checked or (is_free and count_moves(answering, legality(answering)) != EMPTY)
