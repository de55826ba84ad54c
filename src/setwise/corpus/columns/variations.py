"""Columns of variations: the line of a position, and the move that led to it.

They are known if games are read with their variations. ``move``, ``san``, ``comment`` and ``nags`` describe the next
move along the line. ``last_move``, ``last_san``, ``last_comment`` and ``last_nags`` describe the move that led to the
position; for the first position of a variation, this is the move of the variation and not the move of the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.place import plies
from setwise.corpus.columns.registry import COLUMNS, column, nodes_of
from setwise.errors import QueryError
from setwise.game.batch import GamePositions
from setwise.game.games import Games
from setwise.notation.pgn.lines import DEPTH, PLY, LineRows
from setwise.position.positions import Positions
from setwise.system.packages import pc


def tree_of(positions: Positions) -> LineRows:
    """Return the tree that positions were taken from.

    Raises:
        QueryError: the games were read without their variations.
    """
    if nodes_of(positions) is None:
        raise QueryError("these games were read without their variations: add --variations, in Python variations=True")
    return cast("Games", positions.games).tree


def tree_of_all(positions: Positions) -> LineRows | None:
    """Return the tree whose positions these are, if they are all of them; None for games without variations.

    Raises:
        QueryError: the positions are only some of the positions of the tree.
    """
    if nodes_of(positions) is None:
        return None
    tree = tree_of(positions)
    if len(positions) != len(tree.ply):
        raise QueryError("looks along games need all positions of a game: search the whole games")
    return tree


def taken(columns: Mapping[str, pa.Array], rows: np.ndarray) -> dict[str, pa.Array]:
    """Return the rows of columns."""
    which = pa.array(rows)
    return {name: values.take(which) for name, values in columns.items()}


def _of_line(positions: Positions, column: int) -> np.ndarray:
    """Return a column of the table of lines for each position; 0 for the games' own moves."""
    games, tree = cast("Games", positions.games), tree_of(positions)
    return games.of_lines(column)[tree.segment[positions.node]]


column("line")(lambda p: pa.array(tree_of(p).line[p.node]))
column("depth")(lambda p: pa.array(_of_line(p, DEPTH)))
column("is_main_line")(lambda p: pa.array(tree_of(p).line[p.node] == 0))


@column("parent_ply")
def _parent_ply(positions: Positions) -> pa.Array:
    main = tree_of(positions).line[positions.node] == 0
    return pc.if_else(pa.array(main), None, plies(_of_line(positions, PLY)))


# ------------------------------------------------------------------------------------------------------- the last move


def _before(positions: Positions) -> Positions:
    """Return the positions before the last moves, with these moves as the moves played; no rows for starts of games."""
    tree, games = tree_of(positions), cast("Games", positions.games)
    parents = tree.parent[positions.node]
    before = cast("GamePositions", games.positions(variations=True)[np.maximum(parents, 0)])
    before.moves = np.where(parents < 0, np.uint16(0), tree.clocks[-1, positions.node])
    return before


def _on_last_move(name: str, method: str) -> None:
    @column(f"last_{name}")
    def values(positions: Positions) -> pa.Array:
        tree, games = tree_of(positions), cast("Games", positions.games)
        start = tree.parent[positions.node] < 0
        return games.on_last_moves(method).take(pa.array(positions.node, mask=start))


column("last_move")(lambda p: COLUMNS["move"].compute(_before(p)))
column("last_san")(lambda p: COLUMNS["san"].compute(_before(p)))
for _name, _method in (("nags", "nags"), ("comment", "comments")):
    _on_last_move(_name, _method)

#: The columns that scans of variations store in addition to the columns of every position.
VARIATION_COLUMNS = (
    "line", "depth", "is_main_line", "parent_ply", "last_move", "last_san", "last_nags", "last_comment",
)  # fmt: skip
