"""Whether a move wins material whatever the reply, and more than the other moves: all lines some plies deep.

Features call this for the few moves that their sets and exchanges leave. All replies are searched, quiet ones and
counter-threats among them, and all moves after them, by `setwise.rules.material_search`: few moves need it, so that it
sees more than the search of forcing moves in `setwise.rules.gains`, which many moves need.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Move, popcount, routine, scratch, subroutine
from setwise.compiler.signatures import uint16
from setwise.patterns.bits import ALL, EMPTY, SIX
from setwise.rules.board import Board, in_check
from setwise.rules.forcing import has_mate
from setwise.rules.gains import gain, promises
from setwise.rules.generate import MOST_MOVES
from setwise.rules.material_search import MOST, line_value
from setwise.rules.mates import is_mated, moves_to
from setwise.rules.moves import SQUARE_MASK, child, origin_of

__all__ = ["NOT_KNOWN", "lead", "wins_most"]

#: Plies that are searched after the move, fewer at first, and after each move that it is compared with.
_FIRST, _PLIES, _COMPARED = np.int64(2), np.int64(3), np.int64(1)
#: A move that leaves its side so many pawns ahead need not win more than another.
_LEAD = np.int64(4)
_MOST, _ONE = np.int64(MOST), np.int64(1)

#: What is known of the moves of other pieces before the first move of a board; see `wins_most`.
NOT_KNOWN: Count = EMPTY

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
def wins_most(board: Board, move: Move, least: Count, more: Count, known: Count) -> tuple[Count, np.bool | bool]:
    """Whether a move wins at least ``least`` pawns whatever the reply, and ``more`` than any move of another piece.

    It wins no less than another move of its own piece. A move that leaves its side four pawns ahead wins enough if no
    other wins more. No mate in one is passed by. All lines of three plies after it are searched, one after others.

    What other pieces win at most is returned before the answer, with the square of the piece, to be passed with the
    next move of the board; it begins as ``NOT_KNOWN``. The difference of both numbers is the same for all moves.
    """
    answering = child(board, move)
    if is_mated(answering):
        return known, True
    if not in_check(answering) and not promises(answering, least, gain(board, move)):
        return known, False
    enough, surplus = np.int64(least), np.int64(more)
    is_won = _wins(board, move, enough, _FIRST) and _wins(board, move, enough, _PLIES)
    if not is_won or has_mate(board):
        return known, False
    if known & SQUARE_MASK != origin_of(move) or known == NOT_KNOWN:
        known = np.uint64(_most_by(board, move, False, enough - surplus) + _ONE) << SIX | origin_of(move)
    otherwise = np.int64(known >> SIX) - _ONE
    needed = max(enough, min(max(_LEAD - lead(board), otherwise), otherwise + surplus))
    needed = _most_by(board, move, True, needed)
    return known, needed <= enough or _wins(board, move, needed, _PLIES)
