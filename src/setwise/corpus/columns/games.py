"""The table of games: a row each, with the columns that are the same for all positions of a game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.place import plies
from setwise.corpus.columns.registry import COLUMNS, TAG
from setwise.game.games import Fault

__all__ = ["GAMES", "games_schema", "games_table"]


def _type(name: str) -> pa.DataType:
    """The type of a column that positions have, too: a row a game tells each text once as it is."""
    kind = COLUMNS[name].type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


#: The columns of games, with their types: the length, what the registry has of games, what breaks a game off.
GAMES = pa.schema(
    [
        ("plies", COLUMNS["ply"].type),
        *((name, _type(name)) for name, column in COLUMNS.items() if column.of_games is not None),
        ("fault", pa.string()),
    ]
)


def games_schema(names: Iterable[str]) -> pa.Schema:
    """Return the columns of games, and the tags among other names."""
    return pa.schema([*GAMES, *((name, pa.string()) for name in names if name.startswith(TAG))])


def games_table(games: Any, faults: Iterable[Fault], names: Iterable[str] = GAMES.names) -> pa.Table:
    """Return columns of games, a row each."""
    names = list(names)
    schema = games_schema(names)
    return pa.table({name: _of_games(games, faults, name).cast(schema.field(name).type) for name in names})


def _of_games(games: Any, faults: Iterable[Fault], name: str) -> pa.Array:
    if hasattr(games, "held") and name in GAMES.names:  # a scan has the table itself
        return games.held(name)
    if name == "plies":
        return plies(np.diff(games.move_offsets))
    if name == "fault":
        told: list[str | None] = [None] * len(games)
        for fault in faults:
            told[fault.game - games.first] = f"{fault.token}: {fault.reason}"
        return pa.array(told, pa.string())
    of_games = COLUMNS[name].of_games
    if of_games is None:
        raise KeyError(name)
    return of_games(games)
