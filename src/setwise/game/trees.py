"""The lines of a tree as games of their own, and what happened on the way to each position: checks, the phase."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from setwise.game.batch import GameColumns
from setwise.game.game import Game
from setwise.game.games import Games
from setwise.game.provenance import GamePositions
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.line_positions import Paths, beginnings, paths_of, paths_to
from setwise.position import phases
from setwise.position.identity import Identities, identities
from setwise.position.move import MOVE_TABLES
from setwise.position.positions import Positions

__all__ = ["checks_in", "identities_in", "line_through", "path_through", "phases_in", "played_through"]


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


def identities_in(games: GameColumns) -> Identities:
    """Return which pieces move in the positions of a tree, as ``Games.identities`` does for those of games."""
    tree = games.tree
    played, last = tree.clocks[2:4]

    def compute(paths: Paths, begins: np.ndarray) -> np.ndarray:
        starts = np.zeros(len(paths.rows), np.bool_)
        starts[begins] = True
        sets = np.ascontiguousarray(tree.sets[:, paths.rows])
        found = identities(sets, tree.white_to_move[paths.rows], played[paths.rows], last[paths.rows], starts)
        return np.stack([found.origin, found.captured_origin, found.piece_moves.view(np.uint16)])

    origin, captured, moves = _along_paths(games, compute)
    return Identities(origin, captured, moves.astype(np.int16))


def path_through(games: GameColumns, node: int) -> np.ndarray:
    """Return the rows of a tree from the start of a game through one of its positions to the end of its line."""
    tree = games.tree
    last = np.searchsorted(tree.segment, tree.segment[node], side="right") - 1
    return paths_to(tree, np.array([last]))[0]


def line_through(positions: GamePositions, node: int) -> Positions:
    """Return the positions of such a path, with the moves that lead along it; ``positions`` are all of a tree."""
    games = cast("Games", positions.games)
    path = path_through(games, node)
    line = positions[path]
    line.moves = np.append(games.tree.clocks[-1, path[1:]], np.uint16(0))
    return line


def played_through(games: Games, node: int) -> Game:
    """Return the game with the moves of such a path, without annotations; a variation has no result."""
    tree = games.tree
    game, path = games[int(tree.game[node])], path_through(games, node)
    moves = tuple(MOVE_TABLES[game.position.chess960].array[tree.clocks[-1, path[1:]]].tolist())
    result = game.result if tree.line[node] == 0 else "*"
    return Game._of(dict(game.tags), moves, game.position, result, {}, {})
