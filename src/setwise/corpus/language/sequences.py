"""What a game holds before and after a position: values shifted along the plies, and whether something ever holds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from setwise.errors import QueryError

__all__ = ["check_plies", "earlier", "later", "shifted"]


#: The column of plies goes so far.
_MOST = 2**15 - 1


def check_plies(game: np.ndarray, ply: np.ndarray) -> None:
    """Refuse positions between which others of the same game are missing: what stands next to them is not known.

    Args:
        game: numbers, equal for the positions of one game, which stand together.
        ply: how many moves stand before each position.

    Raises:
        QueryError: for the first game with a gap.
    """
    gaps = np.flatnonzero((game[1:] == game[:-1]) & (ply[1:] != ply[:-1] + 1) & (ply[1:] != _MOST))
    if len(gaps):
        before, behind = ply[gaps[0]], ply[gaps[0] + 1]
        raise QueryError(
            f"looks along games need all positions of a game, and after ply {before} comes ply {behind}: search the "
            "whole games"
        )


def shifted(values: pa.Array, game: np.ndarray, plies: int) -> pa.Array:
    """Return what a value is so many plies later in the same game (earlier, if negative); null beyond its ends.

    Args:
        values: one for each position.
        game: numbers, equal for the positions of one game, which stand together in the order of the plies.
        plies: how many.
    """
    there = np.arange(len(game)) + plies
    inside = (there >= 0) & (there < len(game))
    there = np.where(inside, there, 0)
    inside &= game[there] == game
    return values.take(pa.array(there, mask=~inside))


def _starts(game: np.ndarray) -> np.ndarray:
    """Where each game begins."""
    return np.flatnonzero(np.r_[True, game[1:] != game[:-1]]) if len(game) else np.zeros(0, np.int64)


def _spread(values: np.ndarray, starts: np.ndarray, count: int) -> np.ndarray:
    """A value of each game, for each of its positions."""
    return np.repeat(values, np.diff(np.r_[starts, count]))


def later(holds: np.ndarray, game: np.ndarray) -> np.ndarray:
    """Return for each position whether a condition holds at a later ply of its game."""
    here, starts = np.arange(len(game)), _starts(game)
    if not len(here):
        return np.zeros(0, np.bool_)
    last = np.maximum.reduceat(np.where(holds, here, -1), starts)
    return here < _spread(last, starts, len(game))


def earlier(holds: np.ndarray, game: np.ndarray) -> np.ndarray:
    """Return for each position whether a condition holds at an earlier ply of its game."""
    here, starts = np.arange(len(game)), _starts(game)
    if not len(here):
        return np.zeros(0, np.bool_)
    first = np.minimum.reduceat(np.where(holds, here, len(game)), starts)
    return here > _spread(first, starts, len(game))
