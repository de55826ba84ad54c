"""Perft: the number of move sequences of a given length, the yardstick of every move generator."""

from __future__ import annotations

import numpy as np
from numba import types

from setwise.bits import EMPTY, ONE, TWO
from setwise.kernel import entry, scratch
from setwise.rules.board import Board
from setwise.rules.generate import MOST_MOVES, count_moves, generate, legality
from setwise.rules.moves import played

BOARD = types.NamedUniTuple(types.uint64, 10, Board)
_move_list = scratch(MOST_MOVES)


@entry(types.uint64, BOARD, types.uint64)
def nodes(board, depth):
    """The leaves of the tree of legal moves, ``depth`` plies deep, seen from the mover's side."""
    limits = legality(board)
    if depth == ONE:
        return count_moves(board, limits)
    moves = _move_list(types.uint16)
    total = EMPTY
    for i in range(generate(board, limits, moves)):
        after = played(board, np.uint64(moves[i]))
        total += count_moves(after, legality(after)) if depth == TWO else nodes(after, depth - ONE)
    return total
