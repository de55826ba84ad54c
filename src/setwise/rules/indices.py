"""Moves as indices for networks, and the legal moves of many positions: as lists, and as masks over all indices.

An index describes the move as the mover sees it: for Black the board is mirrored first, so that the same move of either
side has the same index. There is one for every pair of squares that a queen or a knight may move between,
ordered by the origin and then by the target; castling goes from the king's square to the rook's, and a pawn that
reaches the last rank becomes a queen. After them come the 22 ways of a pawn onto the last rank, three times each: to a
knight, a bishop, a rook.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import entry, plain, routine, scratch
from setwise.compiler.signatures import boolean, int64, reads, uint8, uint16, uint64, void, writes
from setwise.patterns import knight
from setwise.patterns.bits import ONE
from setwise.patterns.geometry import LINE, SQUARES
from setwise.rules.board import board_at, mirrored
from setwise.rules.children import MOST_PARENTS, family, find_limits, limits_of, list_moves, parent_of, put_parent
from setwise.rules.generate import MOST_MOVES
from setwise.rules.moves import CASTLING, EN_PASSANT, NORMAL, TO_KNIGHT, TO_QUEEN, TO_ROOK, turned

__all__ = ["INDEX_OF", "MOVE_INDICES", "indices_of", "list_legal", "mask_legal"]

#: The item of the table for numbers that are not moves.
_NONE = 0xFFFF


def _table() -> tuple[np.ndarray, int]:
    """The index of every move in 16 bits as the mover sees it, and how many indices there are."""
    by_knight = knight.ATTACKS[:, None] & SQUARES != 0
    possible = (LINE != 0) | by_knight
    pairs = np.where(possible, np.cumsum(possible).reshape(64, 64) - 1, _NONE)  # [origin, target]
    count = int(possible.sum())
    last = np.zeros((64, 64), np.bool_)
    last[48:56, 56:] = np.abs(np.subtract.outer(np.arange(8), np.arange(8))) <= 1
    of_pawns = np.where(last, np.cumsum(last).reshape(64, 64) - 1, 0)
    table = np.full((8, 64, 64), _NONE, np.uint16)  # [kind, target, origin], the order of the bits of a move
    table[[int(NORMAL), int(CASTLING), int(EN_PASSANT)]] = pairs.T
    table[int(TO_QUEEN)] = np.where(last, pairs, _NONE).T
    for kind in range(int(TO_KNIGHT), int(TO_ROOK) + 1):
        table[kind] = np.where(last, count + 3 * of_pawns + kind - int(TO_KNIGHT), _NONE).T
    return table.ravel(), count + 3 * int(last.sum())


#: The index of a move as the mover sees it, by its 16 bits; how many indices there are (1858).
INDEX_OF, MOVE_INDICES = _table()
_TURNED = np.uint16(plain(turned)(np.uint64(0)))


def indices_of(moves: np.ndarray, white_to_move: np.ndarray) -> np.ndarray:
    """Return the indices of moves as White sees them, int64; -1 where there is none (0), and for null moves."""
    own = np.where(white_to_move, moves, moves ^ _TURNED)
    indices = INDEX_OF[own].astype(np.int64)
    return np.where((moves == 0) | (indices == _NONE), -1, indices)


# --------------------------------------------------------------------------------------------------------- legal moves

_some_moves = scratch(MOST_MOVES)


@routine
def _read_parents(room: Any, sets: np.ndarray, white_to_move: np.ndarray, start: int) -> int:
    """Read positions from ``start`` on as the parents of a family, and compute their limits; return how many."""
    number = min(MOST_PARENTS, white_to_move.size - start)
    for k in range(number):
        board = board_at(sets, start + k)
        put_parent(room.parents, k, board if white_to_move[start + k] else mirrored(board))
    find_limits(room, number)
    return number


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(uint16), writes(int64))
def list_legal(
    sets: np.ndarray, white_to_move: np.ndarray, index_of: np.ndarray, moves: np.ndarray, indices: np.ndarray
) -> None:
    """Write the legal moves of all positions one after the other, as White sees them, and their indices.

    There is room for exactly as many as there are legal moves.
    """
    room, listed = family(), _some_moves(uint16)
    at = 0
    for start in range(0, white_to_move.size, MOST_PARENTS):
        for k in range(_read_parents(room, sets, white_to_move, start)):
            white = white_to_move[start + k]
            for m in range(list_moves(parent_of(room.parents, k), limits_of(room.limits, k), listed, 0)):
                move = np.uint64(listed[m])
                moves[at] = move if white else turned(move)
                indices[at] = index_of[move]
                at += 1


@entry(void, reads(uint64, 2, "A"), reads(boolean), reads(uint16), writes(uint8, 2))
def mask_legal(sets: np.ndarray, white_to_move: np.ndarray, index_of: np.ndarray, masks: np.ndarray) -> None:
    """Write a 1 into a row of zeros at the index of every legal move."""
    room, listed = family(), _some_moves(uint16)
    for start in range(0, white_to_move.size, MOST_PARENTS):
        for k in range(_read_parents(room, sets, white_to_move, start)):
            for m in range(list_moves(parent_of(room.parents, k), limits_of(room.limits, k), listed, 0)):
                masks[start + k, index_of[np.uint64(listed[m])]] = ONE
