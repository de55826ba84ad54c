"""Columns of what happened in the game before a position: checks, and which piece is the one that moves."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.domains import ONE_SQUARE, between
from setwise.corpus.columns.registry import column, games_of, nodes_of, rows_of_games, sided_column
from setwise.game.games import Games
from setwise.game.trees import checks_in, identities_in
from setwise.position.identity import Identities
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
        white, black = games.checks_given[:, rows_of_games(positions)]
    if side in {"own", "enemy"}:
        white, black = np.where(positions.white_to_move, (white, black), (black, white))
    return pa.array(white if side in {"white", "own"} else black)


def _identities(positions: Positions) -> Identities:
    """Which pieces move in these positions."""
    games, nodes = games_of(positions), nodes_of(positions)
    if nodes is not None:
        return Identities(*(values[nodes] for values in identities_in(cast("Games", games))))
    rows = rows_of_games(positions)
    return Identities(*(values[rows] for values in games.identities))


def _origins(sets: np.ndarray) -> pa.Array:
    return pa.array(sets, mask=sets == 0)


column(
    "origin",
    pa.uint64(),
    "where the piece that moves stood when the game began, a set; through promotion, too",
    is_set=True,
    domain=ONE_SQUARE,
)(lambda p: _origins(_identities(p).origin))
column(
    "captured_origin",
    pa.uint64(),
    "where the piece that the move takes stood when the game began, a set, or null",
    is_set=True,
    domain=ONE_SQUARE,
)(lambda p: _origins(_identities(p).captured_origin))


@column(
    "piece_moves",
    pa.int16(),
    "how often the piece that moves has moved before; castling is a move of king and rook",
    domain=between(0),
)
def _piece_moves(positions: Positions) -> pa.Array:
    found = _identities(positions)
    return pa.array(found.piece_moves, mask=found.origin == 0)
