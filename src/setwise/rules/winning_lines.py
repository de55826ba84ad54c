"""Whether a move wins material whatever the reply, and more than the other moves: all lines some plies deep.

Features call this for the few moves that their sets and exchanges leave. All replies are searched, quiet ones and
counter-threats among them, and all moves after them, by `setwise.rules.material_search`: few moves need it, so that it
sees more than the search of forcing moves in `setwise.rules.gains`, which many moves need.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, Square, entry, popcount, routine, scratch, subroutine
from setwise.compiler.signatures import boolean, int64, named, tuple_of, uint16, uint64
from setwise.patterns.bits import ALL, EMPTY, bit
from setwise.rules.board import Board, in_check
from setwise.rules.forcing import has_mate
from setwise.rules.gains import gain, promises
from setwise.rules.generate import MOST_MOVES, legality
from setwise.rules.material_search import MOST, line_value, passing_value
from setwise.rules.mates import is_mated, moves_to
from setwise.rules.moves import NORMAL, NULL_MOVE, child, kind_of, origin_of, target_of

__all__ = ["FIRST", "NOT_KNOWN", "PLIES", "lead", "wins_most"]

#: Plies that are searched after the move, fewer at first, and after each move that it is compared with.
FIRST, PLIES, _COMPARED = np.int64(2), np.int64(3), np.int64(1)
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
def _is_due(answering: Board, reply: Move, stage: int, first: Move, attacked: Set) -> np.bool | bool:
    """Whether a reply is tried in a stage.

    One that refuted the last move is first, then captures of pieces and promotions, captures of pawns, moves of
    ``attacked`` pieces, and the others.
    """
    if stage == 0:
        return reply == first
    if stage == 3:
        return attacked & bit(origin_of(reply)) != EMPTY
    captured = answering.enemy & ~answering.pawns if stage == 1 else answering.enemy
    return stage == 4 or kind_of(reply) != NORMAL or captured & bit(target_of(reply)) != EMPTY


@subroutine
def _reply(answering: Board, lack: np.int64, plies: np.int64, first: Move) -> Move:
    """A reply that gains at least ``lack``, by all lines of some plies after it, or 0; ``first`` is tried first.

    It is the null move if there is no legal move, no check, and nothing to gain.
    """
    moves = _move_list(uint16)
    number = moves_to(answering, ALL, moves)
    if number == 0:
        return EMPTY if in_check(answering) or lack > _NONE else _NULL_MOVE
    tried = 0
    attacked: Set = EMPTY
    for stage in range(5):
        due = tried
        attacked = legality(answering).attacked if stage == 3 and tried < number else attacked
        for i in range(tried, number):
            reply = moves[i]
            if _is_due(answering, np.uint64(reply), stage, first, attacked):
                moves[i] = moves[due]
                moves[due] = reply
                due += 1
        while tried < due:
            move = np.uint64(moves[tried])
            if line_value(answering, move, plies, lack - _ONE, lack) >= lack:
                return move
            tried += 1
    return EMPTY


@subroutine
def _answer(board: Board, move: Move, least: np.int64, first: Move) -> Move:
    """A reply after which another move does not win ``least``, by captures alone, or 0; ``first`` is tried first.

    It is the null move if the other side may stand still, or if the reply is not known.
    """
    there, lack = child(board, move), np.int64(gain(board, move)) - least + _ONE
    checked = in_check(there)
    if not checked and lack > _NONE:
        return EMPTY if _wins(board, move, least, _COMPARED) else _NULL_MOVE
    if not checked and passing_value(there, lack - _ONE, lack) >= lack:
        return _NULL_MOVE
    return _reply(there, lack, _NONE, first)


@subroutine
def _outdone(
    board: Board, move: Move, enough: np.int64, surplus: np.int64, at_once: bool, known: Known
) -> tuple[Known, np.int64]:
    """How many pawns a move needs to win, because of the moves that gain at once or the others, ``enough`` at least.

    It needs no more than ``needed`` as long as no other piece's move wins more than ``limit``.
    """
    origin, lacking = origin_of(move), _LEAD - lead(board)
    needed, at_most, at_least, answer = enough, np.int64(known.at_most), np.int64(known.at_least), known.refutation
    moves = _move_list(uint16)
    for i in range(moves_to(board, ALL, moves)):
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
    if not at_once:
        at_most = min(at_most, needed if lacking <= needed else needed - surplus)
    return Known(origin, np.uint64(at_least), np.uint64(at_most), known.refutation), needed


@entry(tuple_of(named(Known), boolean), named(Board), uint64, uint64, uint64, int64, named(Known))
def wins_most(
    board: Board, move: Move, least: Count, more: Count, first: np.int64, known: Known
) -> tuple[Known, np.bool | bool]:
    """Whether a move wins at least ``least`` pawns whatever the reply, and ``more`` than any move of another piece.

    It wins no less than another move of its own piece. A move that leaves its side four pawns ahead wins enough if no
    other wins more. No mate in one is passed by. All lines of ``first`` plies after it are searched, then all of three;
    all of one ply after others.

    What is found out about the board is returned before the answer, to be passed with the next move of the board; it
    begins as ``NOT_KNOWN``. The difference of both numbers is the same for all moves. What refutes one move of a piece
    mostly refutes the next.
    """
    answering = child(board, move)
    if is_mated(answering):
        return known, True
    if not in_check(answering) and not promises(answering, least, gain(board, move)):
        return known, False
    enough, surplus = np.int64(least), np.int64(more)
    refuted = _reply(answering, np.int64(gain(board, move)) - enough + _ONE, first - _ONE, known.refutation)
    if refuted != EMPTY:
        return Known(known.square, known.at_least, known.at_most, refuted), False
    if has_mate(board):
        return known, False
    at_least = np.int64(known.at_least)
    if known.square == origin_of(move):
        needed = max(enough, min(max(_LEAD - lead(board), at_least), at_least + surplus))
    else:
        needed, known = enough, Known(origin_of(move), np.uint64(enough - surplus), np.uint64(MOST), known.refutation)
    known, needed = _outdone(board, move, needed, surplus, True, known)
    is_known = first == PLIES and needed == enough
    if not is_known and not _wins(board, move, needed, PLIES):
        return known, False
    known, still_needed = _outdone(board, move, needed, surplus, False, known)
    return known, still_needed == needed or _wins(board, move, still_needed, PLIES)
