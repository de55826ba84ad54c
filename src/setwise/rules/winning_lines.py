"""Whether a move wins material whatever the reply, and more than the other moves: all lines some plies deep.

Features call this for the few moves that their sets and exchanges leave. All replies are searched, quiet ones and
counter-threats among them, and all moves after them, by `setwise.rules.material_search`: few moves need it, so that it
sees more than the search of forcing moves in `setwise.rules.gains`, which many moves need.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, Square, popcount, routine, scratch, subroutine
from setwise.compiler.signatures import uint16
from setwise.patterns.bits import ALL, EMPTY, ONE
from setwise.rules.board import Board, in_check
from setwise.rules.forcing import has_mate
from setwise.rules.gains import gain, promises
from setwise.rules.generate import MOST_MOVES, legality
from setwise.rules.material_search import MOST, line_value, passing_value
from setwise.rules.mates import is_mated, moves_to
from setwise.rules.moves import NULL_MOVE, child, origin_of

__all__ = ["NOT_KNOWN", "lead", "wins_most"]

#: Plies that are searched after the move, fewer at first, and after each move that it is compared with.
_FIRST, _PLIES, _COMPARED = np.int64(2), np.int64(3), np.int64(1)
#: A move that leaves its side so many pawns ahead need not win more than another.
_LEAD = np.int64(4)
_MOST, _NONE, _ONE = np.int64(MOST), np.int64(0), np.int64(1)
_NULL_MOVE = np.uint64(NULL_MOVE)


class Known(NamedTuple):
    """What the search of one move of a board has found that is of use to the next.

    Moves of the other pieces than the one on ``square`` win ``at_least`` so much, and none wins more than ``at_most``;
    ``refutation``: the last reply that refuted a move.
    """

    square: Square
    at_least: Count
    at_most: Count
    refutation: Move


#: What is known before the first move of a board.
NOT_KNOWN = Known(np.uint64(64), EMPTY, EMPTY, EMPTY)

_move_list = scratch(MOST_MOVES)


@routine
def lead(board: Board) -> np.int64:
    """How many pawns the mover is ahead; negative if it is behind."""
    own = enemy = np.uint64(0)
    for pieces, worth in ((board.pawns, 1), (board.knights | board.bishops, 3), (board.rooks, 5), (board.queens, 9)):
        own += np.uint64(worth) * popcount(pieces & board.own)
        enemy += np.uint64(worth) * popcount(pieces & board.enemy)
    return np.int64(own) - np.int64(enemy)


@routine
def _wins(board: Board, move: Move, least: np.int64, plies: np.int64) -> np.bool | bool:
    return line_value(board, move, plies, least - _ONE, least) >= least


@routine
def _rank(answering: Board, reply: Move, attacked: Set, first: Move) -> int:
    """When a reply is tried: one that refuted the last move first, then captures, then moves of attacked pieces."""
    if reply == first:
        return 0
    if gain(answering, reply) != EMPTY:
        return 1
    return 2 if attacked >> origin_of(reply) & ONE != EMPTY else 3


@subroutine
def _refutation(answering: Board, won: np.int64, least: np.int64, first: Move) -> Move:
    """A reply after which a move that has won something does not win ``least``, by all lines of ``_FIRST`` plies.

    It is 0 if there is none, and the null move if there is no legal move, and no check. ``first`` is tried first.
    """
    moves = _move_list(uint16)
    number = moves_to(answering, ALL, moves)
    if number == 0:
        return EMPTY if in_check(answering) or won >= least else _NULL_MOVE
    attacked, most = legality(answering).attacked, won - least + _ONE
    for stage in range(4):
        for i in range(number):
            reply = np.uint64(moves[i])
            is_next = _rank(answering, reply, attacked, first) == stage
            if is_next and line_value(answering, reply, _FIRST - _ONE, most - _ONE, most) >= most:
                return reply
    return EMPTY


@subroutine
def _answer(board: Board, move: Move, least: np.int64, first: Move) -> Move:
    """A reply after which another move does not win ``least``, by captures alone, or 0; ``first`` is tried first.

    It is the null move if it is the other side's choice to stand still, and where it is not known which reply it is.
    """
    there, lack = child(board, move), np.int64(gain(board, move)) - least + _ONE
    if lack > _NONE or in_check(there):
        return EMPTY if _wins(board, move, least, _COMPARED) else _NULL_MOVE
    if passing_value(there, lack - _ONE, lack) >= lack:
        return _NULL_MOVE
    moves = _move_list(uint16)
    number = moves_to(there, ALL, moves)
    attacked = legality(there).attacked
    for stage in range(4):
        for i in range(number):
            reply = np.uint64(moves[i])
            is_next = _rank(there, reply, attacked, first) == stage
            if is_next and line_value(there, reply, _NONE, lack - _ONE, lack) >= lack:
                return reply
    return _NULL_MOVE if number == 0 else EMPTY


@subroutine
def _is_best(board: Board, move: Move, enough: np.int64, surplus: np.int64, known: Known) -> tuple[Known, bool]:
    """Whether a move that wins ``enough`` wins as much as `wins_most` has it, compared with the other moves.

    It needs no more than ``needed`` as long as no other piece's move wins more than ``limit``.
    """
    origin, lacking = origin_of(move), _LEAD - lead(board)
    needed, at_most, at_least, answer = enough, _MOST, enough - surplus, known.refutation
    if known.square == origin:
        at_most, at_least = np.int64(known.at_most), np.int64(known.at_least)
        needed = max(enough, min(max(lacking, at_least), at_least + surplus))
    moves = _move_list(uint16)
    number = moves_to(board, ALL, moves)
    for at_once in (True, False):
        for i in range(number):
            other = np.uint64(moves[i])
            is_same = origin_of(other) == origin
            while other != move and (gain(board, other) != EMPTY) == at_once:
                limit = needed if is_same or lacking <= needed else needed - surplus
                if limit >= (_MOST if is_same else at_most):
                    break
                found = _answer(board, other, limit + _ONE, answer)
                if found != EMPTY:
                    answer = found
                    break
                if not is_same:
                    at_least = limit + _ONE
                needed = limit + _ONE if is_same else min(max(lacking, limit + _ONE), limit + _ONE + surplus)
    limit = needed if lacking <= needed else needed - surplus
    known = Known(origin, np.uint64(at_least), np.uint64(min(at_most, limit)), known.refutation)
    return known, needed <= enough or _wins(board, move, needed, _PLIES)


@subroutine
def wins_most(board: Board, move: Move, least: Count, more: Count, known: Known) -> tuple[Known, np.bool | bool]:
    """Whether a move wins at least ``least`` pawns whatever the reply, and ``more`` than any move of another piece.

    It wins no less than another move of its own piece. A move that leaves its side four pawns ahead wins enough if no
    other wins more. No mate in one is passed by. All lines of three plies after it are searched, one after others.

    What is found out about the board is returned before the answer, to be passed with the next move of the board; it
    begins as ``NOT_KNOWN``. The difference of both numbers is the same for all moves. What refutes one move of a piece
    mostly refutes the next.
    """
    answering = child(board, move)
    if is_mated(answering):
        return known, True
    if not in_check(answering) and not promises(answering, least, gain(board, move)):
        return known, False
    enough = np.int64(least)
    refuted = _refutation(answering, np.int64(gain(board, move)), enough, known.refutation)
    if refuted != EMPTY:
        return Known(known.square, known.at_least, known.at_most, refuted), False
    if not _wins(board, move, enough, _PLIES) or has_mate(board):
        return known, False
    return _is_best(board, move, enough, np.int64(more), known)
