"""Columns of the moves before a position in its game: checks, the identity of the moving piece, a capture."""

from __future__ import annotations

from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import (
    column,
    games_of,
    nodes_of,
    rows_of_games,
)
from setwise.game.batch import followed_in
from setwise.game.games import Games, checks_in, followed_along, identities_in
from setwise.position.history import Identities, in_between_moves, played_moves
from setwise.position.positions import Positions

__all__: list[str] = []


@column("{side}_checks_given")
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
    """Return the identities of the pieces that move in these positions."""
    games, nodes = games_of(positions), nodes_of(positions)
    if nodes is not None:
        return Identities(*(values[nodes] for values in identities_in(cast("Games", games))))
    rows = rows_of_games(positions)
    return Identities(*(values[rows] for values in games.identities))


def _origins(sets: np.ndarray) -> pa.Array:
    return pa.array(sets, mask=sets == 0)


column("origin")(lambda p: _origins(_identities(p).origin))
column("captured_origin")(lambda p: _origins(_identities(p).captured_origin))


@column("piece_moves")
def _piece_moves(positions: Positions) -> pa.Array:
    identities = _identities(positions)
    return pa.array(identities.piece_moves, mask=identities.origin == 0)


def pieces_from(positions: Positions, wanted: int) -> pa.Array:
    """Return where the pieces that began the games on some squares stand now: sets, null where no piece began there."""
    games, nodes = games_of(positions), nodes_of(positions)
    if nodes is None:
        places, known = followed_in(cast("Games", games).positions(), wanted)[:, rows_of_games(positions)]
    else:
        places, known = followed_along(cast("Games", games), wanted)[:, nodes]
    return pa.array(places, mask=known == 0)


def _captors(positions: Positions) -> np.ndarray:
    """Return the square of the piece that captured on the move before each position; an empty set without a capture."""
    games, nodes = cast("Games", games_of(positions)), nodes_of(positions)
    if nodes is None:
        before = cast("Positions", games.positions()[np.maximum(rows_of_games(positions) - 1, 0)])
        led = np.where(positions.ply > 0, before.moves, np.uint16(0))
    else:
        parents = games.tree.parent[nodes]
        before = cast("Positions", games.positions(variations=True)[np.maximum(parents, 0)])
        led = np.where(parents >= 0, games.tree.clocks[-1, nodes], np.uint16(0))
    done = played_moves(before.sets, led)
    return np.where((led != 0) & (done.captured != 0), done.to_square, np.uint64(0))


@column("intermezzo")
def _intermezzo(positions: Positions) -> pa.Array:
    flags = in_between_moves(positions.sets, positions.white_to_move, positions.moves, _captors(positions))
    return pa.array(flags, mask=positions.moves == 0)
