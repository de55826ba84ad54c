"""Sequence functions: values from earlier or later plies of a game, and whether a condition ever holds there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from setwise.errors import QueryError

__all__ = ["check_plies", "earlier", "lasts", "later", "shifted", "streak", "until"]


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


def streak(holds: np.ndarray, game: np.ndarray, step: int = 1) -> np.ndarray:
    """Return for each position at how many plies in a row, up to and with its own, a condition holds; int32.

    Args:
        holds: whether the condition holds, for each position.
        game: the number of each position's game.
        step: 1 for all plies; 2 for every other one, those of the same side.
    """
    here, starts = np.arange(len(game)), _starts(game)
    first = _repeated(starts, starts, len(game))
    lengths = np.zeros(len(game), np.int32)
    for turn in range(step):
        rows = np.flatnonzero((here - first) % step == turn)
        # The place in ``rows`` of the last one before or at each at which the streak is broken, or of the game's start.
        places = np.arange(len(rows))
        begins = np.r_[True, game[rows[1:]] != game[rows[:-1]]] if len(rows) else np.zeros(0, np.bool_)
        broken = np.where(holds[rows], np.where(begins, places - 1, -1), places)
        lengths[rows] = places - np.maximum.accumulate(broken) if len(rows) else 0
    return lengths


def lasts(holds: np.ndarray, game: np.ndarray, plies: int, step: int = 1) -> np.ndarray:
    """Return for each position whether a condition holds there and at the next plies of its game, ``plies`` in all."""
    ends = np.arange(len(game)) + (plies - 1) * step
    inside = ends < len(game)
    ends = np.where(inside, ends, 0)
    return inside & (game[ends] == game) & (streak(holds, game, step)[ends] >= plies)


def until(holds: np.ndarray, reached: np.ndarray, game: np.ndarray) -> np.ndarray:
    """Return for each position whether ``reached`` is true at a later ply, and ``holds`` at every ply before it."""
    here, starts = np.arange(len(game)), _starts(game)
    ends = _repeated(np.r_[starts, len(game)][1:], starts, len(game))
    fails = _first_from(~holds, here)
    reaches = np.r_[_first_from(reached, here)[1:], len(game)][: len(game)]
    return (reaches < ends) & (reaches <= fails)


def _first_from(flags: np.ndarray, here: np.ndarray) -> np.ndarray:
    """For each row the first row from it on with a flag; the number of rows if there is none."""
    return np.minimum.accumulate(np.where(flags, here, len(here))[::-1])[::-1]
