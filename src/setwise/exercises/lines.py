"""Exercises verified by lines of moves, deeper than the columns of missed chances look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from setwise.exercises.exercise import Exercise
from setwise.position.positions import Positions
from setwise.rules.material_search import MOST, line_values

__all__ = ["holds"]

#: So many plies are searched after a solution, one search for each number, and so many after every other move.
_DEPTHS, _OTHERS = (6, 7, 8), 5
#: The pawns that a solution must win more than every other move.
_MORE = 2


def holds(exercise: Exercise) -> bool:
    """Return whether the solution of an exercise wins, and no other move does.

    It wins two pawns more than each other move does, and leaves its side not behind. All depths of its search must say
    so: a line that ends with a capture may hide the answer to it. Promotions to other pieces than that of the solution
    are no other moves.

    Example:
        >>> import setwise
        >>> text = b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"] 1. h3 *'
        >>> [holds(it) for it in setwise.train(text).exercises]
        [True]
    """
    position = exercise.position
    others = [int(move) for move in position.legal_moves() if move.uci()[:4] != exercise.move[:4]]
    solution = [int(position.parse(exercise.move))]
    least = max(max(_values(exercise, others, _OTHERS), default=-MOST) + _MORE, -exercise.ahead)
    return all(_values(exercise, solution, depth)[0] >= least for depth in _DEPTHS)


def _values(exercise: Exercise, moves: Sequence[int], depth: int) -> np.ndarray:
    """How many pawns each move gains."""
    positions, values = Positions.from_positions([exercise.position] * len(moves)), np.empty(len(moves), np.int8)
    sets = np.ascontiguousarray(positions.sets)
    line_values(sets, positions.white_to_move, np.array(moves, np.uint16), depth, values)
    return values.astype(np.int16)
