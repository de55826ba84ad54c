"""What happened on the way to each position of a tree: checks, and the phase of the game."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from setwise.game.batch import GameColumns
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.line_positions import Paths, beginnings, paths_of
from setwise.position import phases

__all__ = ["checks_in", "phases_in"]


def _along_paths(games: GameColumns, compute: Callable[[Paths, np.ndarray], np.ndarray]) -> np.ndarray:
    """Return what ``compute`` finds for each row of a tree: it gets paths as if each were a game, and their starts."""
    parts = [(paths, compute(paths, beginnings(paths.path))) for paths in paths_of(games.tree)]
    values = [found[..., paths.own] for paths, found in parts]
    return np.concatenate(values, axis=-1)


def phases_in(games: GameColumns) -> np.ndarray:
    """Return the phase of each position of a tree, as ``phases_of`` does."""

    def compute(paths: Paths, begins: np.ndarray) -> np.ndarray:
        starts = np.zeros(len(paths.rows), np.bool_)
        starts[begins] = True
        return phases.phases_of(games.tree.sets[:, paths.rows], starts)

    return _along_paths(games, compute)


def checks_in(games: GameColumns) -> np.ndarray:
    """Return how many checks White and Black have given before each position of a tree, two rows."""
    tree = games.tree
    checks = games.positions(variations=True).is_check() & (tree.parent >= 0)
    gave = np.stack([checks & ~tree.white_to_move, checks & tree.white_to_move])
    before = np.stack(np.divmod(np.maximum(games.table[tree.game, pgn.CHECKS], 0), pgn.BLACKS)[::-1])

    def compute(paths: Paths, begins: np.ndarray) -> np.ndarray:
        total = np.cumsum(gave[:, paths.rows], axis=1, dtype=np.int32)
        return total - total[:, begins][:, paths.path] + before[:, paths.rows]

    return _along_paths(games, compute).astype(np.int32)
