"""Whether a move wins material whatever the reply, and more than the other moves: all lines some plies deep.

Features call this for the few moves that their sets and exchanges leave. All replies are searched, quiet ones and
counter-threats among them, and all moves after them, by `setwise.rules.material_search`: few moves need it, so that it
sees more than the search of forcing moves in `setwise.rules.gains`, which many moves need.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import Count, Move, Set, popcount, routine, scratch, subroutine
from setwise.compiler.signatures import uint16
from setwise.patterns.bits import ALL, EMPTY, ONE, SIX
from setwise.rules.board import Board, in_check
from setwise.rules.forcing import has_mate
from setwise.rules.gains import gain, promises
from setwise.rules.generate import MOST_MOVES, legality
from setwise.rules.material_search import MOST, line_value
from setwise.rules.mates import is_mated, moves_to
from setwise.rules.moves import NULL_MOVE, SQUARE_MASK, child, origin_of

__all__ = ["NOT_KNOWN", "lead", "wins_most"]

#: Plies that are searched after the move, fewer at first, and after each move that it is compared with.
_FIRST, _PLIES, _COMPARED = np.int64(2), np.int64(3), np.int64(1)
#: A move that leaves its side so many pawns ahead need not win more than another.
_LEAD = np.int64(4)
_MOST, _ONE = np.int64(MOST), np.int64(1)
_NULL_MOVE = np.uint64(NULL_MOVE)


class Known(NamedTuple):
    """What the search of one move of a board has found that is of use to the next.

    ``otherwise``: one more than the most that other pieces win, above the square of the piece, or 0; ``refutation``:
    the last reply that refuted a move.
    """

    otherwise: Count
    refutation: Move


#: What is known before the first move of a board.
NOT_KNOWN = Known(EMPTY, EMPTY)

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
def _most_by(board: Board, move: Move, same_piece: bool, least: np.int64) -> np.int64:
    """The most that another move wins, of the same piece or of the others, or ``least`` if none wins more."""
    moves = _move_list(uint16)
    for i in range(moves_to(board, ALL, moves)):
        other = np.uint64(moves[i])
        if other != move and (origin_of(other) == origin_of(move)) == same_piece:
            while least < _MOST and _wins(board, other, least + _ONE, _COMPARED):
                least += _ONE
    return least


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
    enough, surplus, otherwise = np.int64(least), np.int64(more), known.otherwise
    refuted = _refutation(answering, np.int64(gain(board, move)), enough, known.refutation)
    if refuted != EMPTY:
        return Known(otherwise, refuted), False
    if not _wins(board, move, enough, _PLIES) or has_mate(board):
        return known, False
    if otherwise & SQUARE_MASK != origin_of(move) or otherwise == EMPTY:
        otherwise = np.uint64(_most_by(board, move, False, enough - surplus) + _ONE) << SIX | origin_of(move)
    known, most = Known(otherwise, known.refutation), np.int64(otherwise >> SIX) - _ONE
    needed = max(enough, min(max(_LEAD - lead(board), most), most + surplus))
    needed = _most_by(board, move, True, needed)
    return known, needed <= enough or _wins(board, move, needed, _PLIES)
