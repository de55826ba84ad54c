"""Perft: the number of move sequences of a given length, the yardstick of every move generator."""

from __future__ import annotations

import numpy as np

from setwise.compiler import entry, scratch
from setwise.compiler.signatures import named, uint16, uint64
from setwise.patterns.bits import EMPTY, ONE, TWO
from setwise.rules.board import Board
from setwise.rules.generate import MOST_MOVES, count_moves, generate, legality
from setwise.rules.moves import played

BOARD = named(Board)
_move_list = scratch(MOST_MOVES)


@entry(uint64, BOARD, uint64)
def nodes(board, depth):
    """The leaves of the tree of legal moves, ``depth`` plies deep, seen from the mover's side."""
    limits = legality(board)
    if depth == ONE:
        return count_moves(board, limits)
    moves = _move_list(uint16)
    total = EMPTY
    for i in range(generate(board, limits, moves)):
        after = played(board, np.uint64(moves[i]))
        total += count_moves(after, legality(after)) if depth == TWO else nodes(after, depth - ONE)
    return total
