"""Columns of the annotations of moves: clocks, evaluations, glyphs, comments.

An annotation of a move describes the position after the move. ``clock``, ``elapsed`` and ``evaluation`` are columns of
the position in which the move was played, so they describe the result of the move; ``clock_before`` and
``evaluation_before`` describe the position itself, while the player was thinking. Train models on these two. The
columns of a side, such as ``own_clock`` and ``own_evaluation``, also describe the position itself. ``loss`` and
``win_chance`` are computed from evaluations with the formulas of Lichess.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import column, games_of, nodes_of, side_values
from setwise.features import COLOURS
from setwise.game.games import Games
from setwise.position.positions import Positions
from setwise.system.packages import pc

#: The number of plies back to the last move, and to the last move of the player who moves now.
_LAST, _OWN_LAST = 1, 2


def _annotation(positions: Positions, name: str, before: int = 0) -> pa.Array:
    """Return an annotation of the move played in each position, or ``before`` plies earlier; null without a move."""
    games = games_of(positions)
    nodes = nodes_of(positions)
    if nodes is not None:
        row = np.where(positions.moves != 0, nodes + 1, -1) if before == 0 else nodes
        return _annotation_in_tree(cast("Games", games), row, name, before)
    move = games.move_offsets[positions.game] + positions.ply - before
    missing = (positions.ply < before) | (move >= games.move_offsets[positions.game + 1])
    return getattr(games, name)().take(pa.array(move, mask=missing))


def _annotation_in_tree(games: Games, row: np.ndarray, name: str, before: int) -> pa.Array:
    """Return the same along the lines of a tree, whose rows have the annotations of the move that led to the row."""
    tree = games.tree
    if before == _OWN_LAST:
        row = np.where(row >= 0, tree.parent[row], -1)
    missing = (row < 0) | (tree.parent[np.maximum(row, 0)] < 0)
    return games.on_last_moves(name).take(pa.array(row, mask=missing))


def _column(name: str, method: str, before: int = 0) -> None:
    column(name)(lambda positions: _annotation(positions, method, before))


_column("clock", "clocks")
_column("clock_before", "clocks", _OWN_LAST)
_column("elapsed", "elapsed")
_column("evaluation", "evaluations")
_column("evaluation_before", "evaluations", _LAST)
_column("evaluation_depth", "depths")
_column("nags", "nags")
_column("comment", "comments")


@column("{side}_clock")
def _sided_clock(positions: Positions, side: str) -> pa.Array:
    own, enemy = _annotation(positions, "clocks", _OWN_LAST), _annotation(positions, "clocks", _LAST)
    here = np.arange(len(positions), dtype=np.int32)
    if side not in COLOURS:
        return own if side == "own" else enemy
    return side_values(positions, "own" if side == "white" else "enemy", own, enemy, here)


@column("{side}_evaluation")
def _sided_evaluation(positions: Positions, side: str) -> pa.Array:
    white = _annotation(positions, "evaluations", _LAST)
    return side_values(positions, side, white, pc.negate(white), np.arange(len(positions), dtype=np.int32))


# ---------------------------------------------------------------------------------------------- as Lichess counts them

#: Lichess limits evaluations to this many centipawns, and counts mates as this many.
_CEILING = 1000
#: The slope of the chance to win by centipawns; Lichess fitted it to its games of players rated 2300.
_SLOPE = 0.00368208


def _capped(positions: Positions, before: int = 0) -> pa.Array:
    """Return the evaluation for White, limited to 1,000, after the move played in each position, or ``before``."""
    values = _annotation(positions, "evaluations", before)
    at_least = pc.max_element_wise(values, -_CEILING, skip_nulls=False)
    return pc.min_element_wise(at_least, _CEILING, skip_nulls=False).cast(pa.int32())


@column("loss")
def _loss(positions: Positions) -> pa.Array:
    gained = pc.subtract(_capped(positions), _capped(positions, _LAST))
    for_mover = pc.if_else(pa.array(positions.white_to_move), gained, pc.negate(gained))
    return pc.max_element_wise(pc.negate(for_mover), 0, skip_nulls=False).cast(pa.int16())


def _chance(white: pa.Array) -> pa.Array:
    """Return White's chance to win by Lichess's curve, 0 to 1; null for null."""
    return pc.divide(1.0, pc.add(1.0, pc.exp(pc.multiply(-_SLOPE, white.cast(pa.float64())))))


@column("{side}_win_chance")
def _sided_win_chance(positions: Positions, side: str) -> pa.Array:
    white, here = _capped(positions, _LAST), np.arange(len(positions), dtype=np.int32)
    return side_values(positions, side, _chance(white), _chance(pc.negate(white)), here)


@column("win_chance")
def _win_chance(positions: Positions) -> pa.Array:
    return _sided_win_chance(positions, "own")


def chances_lost(positions: Positions) -> pa.Array:
    """Return by how much each move reduced the mover's chance to win; null if an evaluation is missing."""
    white = pc.subtract(_chance(_capped(positions, _LAST)), _chance(_capped(positions)))
    return pc.if_else(pa.array(positions.white_to_move), white, pc.negate(white))
