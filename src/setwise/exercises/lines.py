"""Exercises verified by lines of moves, deeper than the columns of missed chances look."""

from __future__ import annotations

import numpy as np

from setwise.bitboard import Bitboard
from setwise.exercises.exercise import Exercise
from setwise.position.positions import Positions
from setwise.rules.material_search import MOST, bounded_value

__all__ = ["holds"]

#: So many plies are searched after a solution, one search for each number, and so many after every other move.
_DEPTHS, _OTHERS = (6, 7, 8), 5
#: The pawns that a solution must win more than every other move.
_MORE = 2


def holds(exercise: Exercise) -> bool:
    """Return whether the solution of an exercise wins, and no other move does.

    It wins two pawns more than each other move does, and leaves its side not behind. All depths of its search must say
    so: a line that ends with a capture may hide the answer to it. No search here sees a perpetual check, so a king that
    moves while the enemy has a queen holds nothing. Promotions to other pieces than that of the solution are no other
    moves.

    Example:
        >>> import setwise
        >>> text = b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"] 1. h3 *'
        >>> [holds(it) for it in setwise.train(text).exercises]
        [True]
    """
    position, best = exercise.position, -MOST
    enemy = position.black_pieces if position.white_to_move else position.white_pieces
    if Bitboard(exercise.move[:2]) & position.kings and position.queens & enemy:
        return False
    sets = np.ascontiguousarray(Positions.from_positions([position]).sets)

    def value(move: int, depth: int, least: int, most: int) -> int:
        """How many pawns a move gains, exact between two numbers."""
        return int(bounded_value(sets, position.white_to_move, move, depth, least, most))

    for move in position.legal_moves():
        if move.uci()[:4] != exercise.move[:4]:
            best = max(best, value(int(move), _OTHERS, best, MOST))
    least, solution = max(best + _MORE, -exercise.ahead), int(position.parse(exercise.move))
    return all(value(solution, depth, least - 1, least) >= least for depth in _DEPTHS)
