"""What lines of moves win: all moves some plies deep, then captures, promotions and answers to checks.

The search is alpha-beta on material alone. Its values are pawns that the mover gains, from -``MOST`` to ``MOST``; a
mate counts more than all material. Unlike the count of force in ``setwise.rules.gains`` it sees every threat of the
enemy within its depth, and takes longer: it is for the few moves that sets and exchanges leave.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Count, Move, entry, routine, scratch, subroutine
from setwise.compiler.signatures import boolean, int8, int64, named, reads, uint16, uint64, void, writes
from setwise.patterns.bits import ALL, EMPTY, ONE, RANK_1, RANK_7, bit
from setwise.rules.board import Board, board_at, in_check, mirrored
from setwise.rules.exchange import see, value_on
from setwise.rules.forcing import is_safe, list_captures, list_forcing
from setwise.rules.gains import gain, gain_squares
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import moves_to
from setwise.rules.moves import NORMAL, NULL_MOVE, child, kind_of, origin_of, target_of, turned

__all__ = ["MOST", "bounded_value", "line_value", "line_values", "passing_value"]

#: The largest value: that of a mate.
MOST = 100
_MATE = np.int64(MOST)
_NONE, _ONE = np.int64(0), np.int64(1)
_NULL_MOVE = np.uint64(NULL_MOVE)
#: Beyond the depth so many further plies are searched at most.
_LAST = np.int64(-12)
#: An exchange that loses is a two's complement.
_LOSS = np.uint64(1 << 63)

_move_list = scratch(MOST_MOVES)


@routine
def _put_best_first(board: Board, moves: Any, first: int, number: int) -> bool:
    """Exchange the move that gains most at once, of those from ``first`` on, with the first; say whether one gains."""
    best = first
    most: Count = EMPTY
    for k in range(first, number):
        gained = gain(board, np.uint64(moves[k]))
        if gained > most:
            best, most = k, gained
    move = moves[first]
    moves[first] = moves[best]
    moves[best] = move
    return most != EMPTY


@routine
def _promotes(board: Board) -> np.bool | bool:
    """Whether the mover may promote or capture en passant."""
    return board.own & board.pawns & RANK_7 | board.en_passant != EMPTY


@routine
def _listed(board: Board, moves: Any, is_full: np.bool | bool, is_last: np.bool | bool, least: np.int64) -> int:
    """List the moves that a node tries.

    These are all moves; or, if only what gains more than ``least`` or gives check can be of use, those that may: in a
    node that is not full, captures and promotions alone, some of which may leave the king attacked.
    """
    if not is_last:
        return moves_to(board, ALL, moves)
    squares = gain_squares(board, np.uint64(least) + ONE)
    if is_full or _promotes(board):
        return list_forcing(board, squares, ALL if is_full else board.enemy | board.en_passant, moves)
    return list_captures(board, squares, moves)


@routine
def _is_lost(board: Board, move: Move, gained: np.int64) -> np.bool | bool:
    """Whether a capture is not legal, or the piece is lost on its square for less than it has gained.

    A piece of no more worth than what it captures is not, unless a pawn recaptures and promotes.
    """
    origin, target = origin_of(move), target_of(move)
    if kind_of(move) != NORMAL:
        return see(board, move) >= _LOSS
    if not is_safe(board, origin, target):
        return True
    risked = np.int64(value_on(board, bit(origin)))
    return (gained < risked or bit(target) & RANK_1 != EMPTY) and see(board, move) >= _LOSS


@entry(int64, named(Board), int64, int64, int64)
def _searched(board: Board, depth: np.int64, least: np.int64, most: np.int64) -> np.int64:
    """The pawns that the mover gains, exact between ``least`` and ``most``."""
    moves = _move_list(uint16)
    checked = in_check(board)
    is_full = depth > _NONE or (checked and depth > _LAST)
    best = -_MATE
    if not is_full:
        best = _NONE
        if best >= most or depth <= _LAST:
            return best
        least = max(least, best)
    is_last = depth <= _ONE
    if is_last and is_full and not checked and most <= _NONE:  # often nothing is threatened; zugzwang does not count
        value = -_searched(child(board, _NULL_MOVE), _NONE, -most, -least)
        if value >= most:
            return value
    # What does not check is answered by standing still at least, which leaves no more than the move itself gains.
    gaining_only = is_full and is_last and least >= _NONE
    best = _NONE if gaining_only else best
    number = _listed(board, moves, is_full, gaining_only or not is_full, least)
    if number == 0:
        return -_MATE if checked else _NONE
    some_gain = is_full or _promotes(board)
    for k in range(number):
        some_gain = some_gain and _put_best_first(board, moves, k, number)
        move = np.uint64(moves[k])
        gained = np.int64(gain(board, move))
        if not is_full and (gained == _NONE or _is_lost(board, move, gained)):
            continue
        there = child(board, move)
        if is_last and gained <= least and not in_check(there):
            continue
        value = gained - _searched(there, depth - _ONE, gained - most, gained - least)
        value = max(-_MATE, min(_MATE, value))
        best = max(best, value)
        least = max(least, value)
        if least >= most:
            break
    return best


@subroutine
def line_value(board: Board, move: Move, depth: np.int64, least: np.int64, most: np.int64) -> np.int64:
    """How many pawns a move gains for the mover, all replies searched ``depth`` deep, exact between two numbers."""
    gained = np.int64(gain(board, move))
    value = gained - _searched(child(board, move), depth, gained - most, gained - least)
    return max(-_MATE, min(_MATE, value))


@routine
def passing_value(board: Board, least: np.int64, most: np.int64) -> np.int64:
    """How many pawns are left to the mover, not in check, if it passes and the other side captures."""
    return -_searched(child(board, _NULL_MOVE), _NONE, -most, -least)


@entry(int64, reads(uint64, 2), boolean, uint64, int64, int64, int64)
def bounded_value(
    sets: np.ndarray, white_to_move: np.bool_, move: Move, depth: np.int64, least: np.int64, most: np.int64
) -> np.int64:
    """Return how many pawns a move gains in the first of some positions, exact between two numbers.

    Outside of them it is some number on the same side. The move is legal, and written as White sees it.
    """
    board = board_at(sets, 0) if white_to_move else mirrored(board_at(sets, 0))
    return line_value(board, move if white_to_move else turned(move), depth, least, most)


@entry(void, reads(uint64, 2), reads(boolean), reads(uint16), int64, writes(int8))
def line_values(
    sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, depth: np.int64, values: np.ndarray
) -> None:
    """Write for each position how many pawns a move gains for the mover, when all replies are searched ``depth`` deep.

    The moves are legal, and written as White sees them.
    """
    for k in range(values.size):
        white = white_to_move[k]
        board = board_at(sets, k) if white else mirrored(board_at(sets, k))
        number = np.uint64(moves[k])
        values[k] = line_value(board, number if white else turned(number), depth, -_MATE, _MATE)
