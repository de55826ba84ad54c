"""Columns of what happened in the game before a position."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.domains import between
from setwise.corpus.columns.registry import games_of, nodes_of, sided_column
from setwise.game.games import Games
from setwise.game.trees import checks_in
from setwise.position.positions import Positions

__all__: list[str] = []


@sided_column(
    "checks_given",
    pa.int32(),
    "how many checks {side} has given in the game before this position, with those of a FEN of Three-check",
    domain=between(0),
)
def _checks_given(positions: Positions, side: str) -> pa.Array:
    games = games_of(positions)
    nodes = nodes_of(positions)
    if nodes is not None:
        white, black = checks_in(cast("Games", games))[:, nodes]
    else:
        white, black = games.checks_given[:, games.move_offsets[positions.game] + positions.game + positions.ply]
    if side in {"own", "enemy"}:
        white, black = np.where(positions.white_to_move, (white, black), (black, white))
    return pa.array(white if side in {"white", "own"} else black)
