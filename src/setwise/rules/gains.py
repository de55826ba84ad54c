"""How much a move wins: at once, and by force, after the best reply.

A move wins a number of pawns *by force* if, whatever the enemy replies, we mate at once, or three alternating captures
leave us that much ahead: one of ours, one of the enemy's, and one of ours that is counted as an exchange. Either side
may stop before it captures; but our first capture, if it gives check, must be answered by some move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Count, Move, Square, entry, routine, scratch, subroutine
from setwise.compiler.signatures import boolean, named, uint16, uint64
from setwise.patterns.bits import ALL, EIGHT, EMPTY, FIVE, NINE, ONE, RANK_7, RANK_8, THREE, bit
from setwise.rules.board import Board, in_check
from setwise.rules.exchange import less, see, value_on
from setwise.rules.generate import MOST_MOVES, legality
from setwise.rules.mates import checking_squares, mates, moves_to
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    NORMAL,
    TO_KNIGHT,
    TO_QUEEN,
    TO_ROOK,
    child,
    encoded,
    kind_of,
    origin_of,
    target_of,
)

__all__ = ["falls", "gain", "wins_most"]

_NO_MOVE = EMPTY
#: More than any captures win, and less than mate.
_ANYTHING = np.uint64(63)

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


@subroutine
def _list_gains(board: Board, least: Count, moves: Any) -> int:
    """Write at least the moves that capture a piece worth ``least`` or more, or promote, and return how many."""
    rooks, pieces = board.rooks | board.queens, board.enemy & ~board.pawns
    worth = board.queens if least > FIVE else rooks if least > THREE else pieces if least > ONE else ALL
    worth = EMPTY if least > NINE else worth & board.enemy
    worth |= board.en_passant if least <= ONE else EMPTY
    if board.own & board.pawns & RANK_7 != EMPTY:
        worth |= RANK_8 & ~board.own
    return moves_to(board, worth, moves)


@routine
def _is_lesser_promotion(move: Move) -> np.bool | bool:
    return TO_KNIGHT <= kind_of(move) <= TO_ROOK


@subroutine
def _has_exchange(board: Board, least: Count) -> bool:
    """Whether some exchange wins the mover at least ``least``."""
    moves = _move_list(uint16)
    for i in range(_list_gains(board, least, moves)):
        move = np.uint64(moves[i])
        most = gain(board, move)
        if most >= least and not _is_lesser_promotion(move) and least <= see(board, move) <= most:
            return True
    return False


@subroutine
def _can_win(board: Board, least: Count) -> bool:
    """Whether a capture wins the mover at least ``least``, less what an exchange then gives back."""
    moves = _move_list(uint16)
    for i in range(_list_gains(board, least, moves)):
        move = np.uint64(moves[i])
        most = gain(board, move)
        is_enough = most >= least and not _is_lesser_promotion(move)
        if is_enough and not _has_exchange(child(board, move), most - least + ONE):
            return True
    return False


@entry(boolean, named(Board), uint64, uint64)
def wins_by_captures(board: Board, least: Count, excluded: Move) -> bool:
    """Whether alternating captures win the mover at least ``least``, if the first is not the excluded move."""
    moves = _move_list(uint16)
    for i in range(_list_gains(board, least, moves)):
        move = np.uint64(moves[i])
        most = gain(board, move)
        is_enough = most >= least and move != excluded and not _is_lesser_promotion(move)
        if is_enough and not _can_win(child(board, move), most - least + ONE):
            return True
    return False


@subroutine
def _cannot_answer(board: Board, lack: Count) -> bool:
    """Whether the mover is in check, and after every move an exchange wins the other side at least ``lack``."""
    if not in_check(board):
        return False
    moves = _move_list(uint16)
    for i in range(moves_to(board, ALL, moves)):
        move = np.uint64(moves[i])
        if not _has_exchange(child(board, move), lack + gain(board, move)):
            return False
    return True


@subroutine
def _wins_by_check(board: Board, least: Count) -> bool:
    """Whether a capture that gives check and an exchange after the answer win the mover at least ``least``."""
    moves = _move_list(uint16)
    for i in range(_list_gains(board, ONE, moves)):
        move = np.uint64(moves[i])
        most = gain(board, move)
        is_less = EMPTY < most < least and not _is_lesser_promotion(move)
        if is_less and _cannot_answer(child(board, move), least - most):
            return True
    return False


@entry(boolean, named(Board), uint64, uint64)
def wins_by_force(board: Board, move: Move, least: Count) -> bool:
    """Whether a move wins at least ``least``, whatever the reply; mate wins anything."""
    moves = _move_list(uint16)
    first, answering = gain(board, move), child(board, move)
    number = moves_to(answering, ALL, moves)
    attacked = legality(answering).attacked
    for is_first in (True, False):  # replies by attacked pieces first: they most often refute
        for i in range(number):
            reply = np.uint64(moves[i])
            if (attacked >> origin_of(reply) & ONE != EMPTY) != is_first:
                continue
            lack = less(least + gain(answering, reply), first)
            if lack != EMPTY:
                grandchild = child(answering, reply)
                is_won = wins_by_captures(grandchild, lack, _NO_MOVE) or _wins_by_check(grandchild, lack)
                if not is_won and mates(grandchild, checking_squares(grandchild)) == EMPTY:
                    return False
    return number != 0 or in_check(answering)


@subroutine
def wins_most(board: Board, move: Move, least: Count) -> bool:
    """Whether a move wins at least ``least`` by force, and more than captures that begin with another move."""
    if not wins_by_force(board, move, least):
        return False
    while wins_by_captures(board, least, move):
        least += ONE
        if least > _ANYTHING or not wins_by_force(board, move, least):
            return False
    return True
