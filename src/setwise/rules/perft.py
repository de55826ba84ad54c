"""Perft: the number of move sequences of a certain length, the standard test of a move generator.

The last moves are never made, only counted, eight positions at a time: `moves.legal_move_count` is a set-wise pattern,
and LLVM puts a position into each lane of a 512-bit register. So positions are kept in columns. The children of one
position are computed with a move in each lane (``rules.children``); the children of several positions lie one after the
other, so that few lanes stay empty, and not too many of them, so that they stay in the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import entry, routine, scratch, subroutine
from setwise.compiler.signatures import named, uint16, uint64
from setwise.patterns.bits import EMPTY, ONE, THREE, TWO
from setwise.patterns.moves import legal_move_count
from setwise.rules.board import Board, mirrored
from setwise.rules.children import child_of, expand, family, find_limits, list_moves, padded, put_parent
from setwise.rules.generate import MOST_MOVES, legality
from setwise.rules.moves import child, make_move

BOARD = named(Board)
_move_list = scratch(MOST_MOVES)


@subroutine
def _list_legal(board: Board, moves: Any) -> int:
    return list_moves(board, legality(board), moves, 0)


@routine
def _leaves(children: Any, number: int) -> np.uint64:
    """The number of legal moves of the first children, added up."""
    total = EMPTY
    for k in range(padded(number)):
        count = legal_move_count(*child_of(children, k))
        total += count if k < number else EMPTY
    return total


@entry(uint64, BOARD, uint64)
def last_plies(board: Board, depth: np.uint64) -> np.uint64:
    """The leaves two or three plies deep: the board is the one parent, or all its children are."""
    room, number = family(), 1
    put_parent(room.parents, 0, board)
    if depth == THREE:
        number = _list_legal(board, room.moves)
        for k in range(padded(number)):
            put_parent(room.parents, k, mirrored(make_move(board, np.uint64(room.moves[k]))))
    find_limits(room, number)
    total, first = EMPTY, 0
    while first < number:
        first, count = expand(room, first, number)
        total += _leaves(room.children, count)
    return total


@entry(uint64, BOARD, uint64)
def nodes(board: Board, depth: np.uint64) -> np.uint64:
    """The leaves of the tree of legal moves, ``depth`` plies deep, seen from the mover's side."""
    if depth == TWO or depth == THREE:
        return last_plies(board, depth)
    moves = _move_list(uint16)
    number = _list_legal(board, moves)
    if depth == ONE:
        return np.uint64(number)
    total = EMPTY
    for k in range(number):
        total += nodes(child(board, np.uint64(moves[k])), depth - ONE)
    return total
