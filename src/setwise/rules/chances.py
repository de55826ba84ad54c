"""What moves win by force, for many positions: the best of the moves to some squares, and the move that was played."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Move, byteswap, entry, routine, scratch, subroutine
from setwise.compiler.signatures import boolean, reads, uint8, uint16, uint64, void, writes
from setwise.patterns.bits import ALL, EMPTY, ONE, TWO, bit
from setwise.rules.board import Board, board_at, mirrored
from setwise.rules.gains import PLIES, wins_by_force
from setwise.rules.generate import MOST_MOVES
from setwise.rules.mates import is_mated, moves_to
from setwise.rules.moves import child, origin_of, target_of, turned

__all__ = ["MATE", "best_moves", "mating_moves", "played_gains"]

#: What a mate counts, in pawns, and the most that any move counts: Lichess limits evaluations likewise.
MATE = 10
_MOST = np.uint64(MATE)

_move_list = scratch(MOST_MOVES)


@subroutine
def _won(board: Board, move: Move, least: Count) -> Count:
    """How many pawns a move wins by force, up to ``MATE``; 0 if it wins less than ``least``."""
    if not wins_by_force(board, move, least, PLIES):
        return EMPTY
    won = least
    while won < _MOST and wins_by_force(board, move, won + ONE, PLIES):
        won += ONE
    return won


@routine
def _movers(sets: np.ndarray, k: int, white: bool) -> Board:
    board = board_at(sets, k)
    return board if white else mirrored(board)


@entry(void, reads(uint64, 2), reads(boolean), reads(uint64), reads(uint64), writes(uint8), writes(uint16))
def best_moves(
    sets: np.ndarray,
    white_to_move: np.ndarray,
    squares: np.ndarray,
    pieces: np.ndarray,
    won: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Write for each position the move that wins most by force, and how many pawns it wins, 2 to ``MATE``, else 0.

    The moves are those by one of some ``pieces`` to one of some ``squares``; moves are written as White sees them.
    """
    listed = _move_list(uint16)
    for k in range(won.size):
        white = white_to_move[k]
        board = _movers(sets, k, white)
        targets = squares[k] if white else byteswap(squares[k])
        origins = pieces[k] if white else byteswap(pieces[k])
        most: Count = EMPTY
        best = EMPTY
        for i in range(moves_to(board, targets, listed)):
            move = np.uint64(listed[i])
            if bit(target_of(move)) & targets == EMPTY or bit(origin_of(move)) & origins == EMPTY:
                continue
            least = most + ONE if most >= TWO else TWO
            if least > _MOST:
                break
            gained = _won(board, move, least)
            if gained > most:
                most, best = gained, move
        won[k] = most
        moves[k] = best if white else turned(best) if best != EMPTY else EMPTY


@entry(void, reads(uint64, 2), reads(boolean), writes(uint16))
def mating_moves(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray) -> None:
    """Write for each position a move that mates, as White sees it, or 0."""
    listed = _move_list(uint16)
    for k in range(moves.size):
        white = white_to_move[k]
        board = _movers(sets, k, white)
        moves[k] = 0
        for i in range(moves_to(board, ALL, listed)):
            move = np.uint64(listed[i])
            if is_mated(child(board, move)):
                moves[k] = move if white else turned(move)
                break


@entry(void, reads(uint64, 2), reads(boolean), reads(uint16), writes(uint8))
def played_gains(sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, won: np.ndarray) -> None:
    """Write for each position how many pawns the move played wins by force, 0 to ``MATE``; 0 for a null move."""
    for k in range(won.size):
        white = white_to_move[k]
        move = np.uint64(moves[k])
        won[k] = _won(_movers(sets, k, white), move if white else turned(move), ONE)
