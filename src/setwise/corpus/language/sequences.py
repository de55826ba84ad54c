"""Sequence functions: values from earlier or later plies of a game, and whether a condition ever holds there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from setwise.errors import QueryError

__all__ = ["check_plies", "earlier", "later", "shifted"]


#: The largest value of the column ``ply``; later plies have this value, too.
_MOST = 2**15 - 1


def check_plies(game: np.ndarray, ply: np.ndarray) -> None:
    """Raise an error if positions of a game are missing between others, because next positions would be unknown.

    Args:
        game: the number of each position's game; the positions of a game are adjacent.
        ply: the number of moves before each position.

    Raises:
        QueryError: for the first game with a gap.
    """
    gaps = np.flatnonzero((game[1:] == game[:-1]) & (ply[1:] != ply[:-1] + 1) & (ply[1:] != _MOST))
    if len(gaps):
        before, after = ply[gaps[0]], ply[gaps[0] + 1]
        raise QueryError(
            f"looks along games need all positions of a game, and after ply {before} comes ply {after}: search the "
            "whole games"
        )


def shifted(values: pa.Array, game: np.ndarray, plies: int) -> pa.Array:
    """Return for each position the value some plies later in the same game; null beyond the ends of the game.

    Args:
        values: one for each position.
        game: the number of each position's game; the positions of a game are adjacent, in the order of the plies.
        plies: the number of plies; negative for earlier values.
    """
    rows = np.arange(len(game)) + plies
    inside = (rows >= 0) & (rows < len(game))
    rows = np.where(inside, rows, 0)
    inside &= game[rows] == game
    return values.take(pa.array(rows, mask=~inside))


def _starts(game: np.ndarray) -> np.ndarray:
    """The row at which each game begins."""
    return np.flatnonzero(np.r_[True, game[1:] != game[:-1]]) if len(game) else np.zeros(0, np.int64)


def _repeated(values: np.ndarray, starts: np.ndarray, count: int) -> np.ndarray:
    """The values of games, repeated for each of their positions."""
    return np.repeat(values, np.diff(np.r_[starts, count]))


def later(holds: np.ndarray, game: np.ndarray) -> np.ndarray:
    """Return for each position whether a condition holds at a later ply of its game."""
    here, starts = np.arange(len(game)), _starts(game)
    if not len(here):
        return np.zeros(0, np.bool_)
    last = np.maximum.reduceat(np.where(holds, here, -1), starts)
    return here < _repeated(last, starts, len(game))


def earlier(holds: np.ndarray, game: np.ndarray) -> np.ndarray:
    """Return for each position whether a condition holds at an earlier ply of its game."""
    here, starts = np.arange(len(game)), _starts(game)
    if not len(here):
        return np.zeros(0, np.bool_)
    first = np.minimum.reduceat(np.where(holds, here, len(game)), starts)
    return here > _repeated(first, starts, len(game))
