"""Exercises verified by lines of moves, a ply deeper than the columns of missed chances look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from setwise.exercises.exercise import Exercise
from setwise.position.positions import Positions
from setwise.rules.material_search import line_values

__all__ = ["holds"]

#: The depth of the search, and the pawns that a solution must win more than the move played.
_DEPTH, _LEAST = 5, 3


def holds(exercises: Sequence[Exercise]) -> list[bool]:
    """Return for each exercise whether its solution still wins three pawns more than the move played.

    Exercises with evaluations hold: these have looked deeper.

    Example:
        >>> import setwise
        >>> text = b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"] 1. h3 *'
        >>> holds(setwise.train(text).exercises)
        [True]
    """
    positions = Positions.from_fens([it.fen for it in exercises], chess960=None)
    sets, white = np.ascontiguousarray(positions.sets), positions.white_to_move
    values = []
    for moves in ([it.move for it in exercises], [it.played or it.move for it in exercises]):
        codes = [int(it.position.parse(move)) for it, move in zip(exercises, moves, strict=True)]
        found = np.empty(len(exercises), np.int8)
        line_values(sets, white, np.array(codes, np.uint16), _DEPTH, found)
        values.append(found.astype(int))
    more = values[0] - values[1]
    return [it.loss is not None or bool(won >= _LEAST) for it, won in zip(exercises, more, strict=True)]
