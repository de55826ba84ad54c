"""The table of games: one row per game, with the columns that are the same for all positions of a game."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.place import plies
from setwise.corpus.columns.registry import COLUMNS, TAG
from setwise.game.games import Fault
from setwise.game.provenance import Origin

__all__ = ["GAMES", "games_schema", "games_table"]


def _type(name: str) -> pa.DataType:
    """The type of a column in the table of games: without a dictionary, because texts rarely repeat there."""
    kind = COLUMNS[name].type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


#: The columns of games, with their types: the length, the registered columns of games, the fault that breaks one off.
GAMES = pa.schema(
    [
        ("plies", COLUMNS["ply"].type),
        *((name, _type(name)) for name in COLUMNS.of_games()),
        ("fault", pa.string()),
    ]
)


def games_schema(names: Iterable[str]) -> pa.Schema:
    """Return the columns of games, and those of ``names`` that are tags."""
    return pa.schema([*GAMES, *((name, pa.string()) for name in names if name.startswith(TAG))])


def games_table(games: Origin, faults: Iterable[Fault], names: Iterable[str] = GAMES.names) -> pa.Table:
    """Return columns of the table of games, one row per game."""
    names = list(names)
    schema = games_schema(names)
    return pa.table({name: _of_games(games, faults, name).cast(schema.field(name).type) for name in names})


def _of_games(games: Origin, faults: Iterable[Fault], name: str) -> pa.Array:
    if hasattr(games, "held") and name in GAMES.names:  # a scan stores the table
        return games.held(name)
    if name == "plies":
        return plies(np.diff(games.move_offsets))
    if name == "fault":
        texts: list[str | None] = [None] * len(games)
        for fault in faults:
            texts[fault.game - games.first] = f"{fault.token}: {fault.reason}"
        return pa.array(texts, pa.string())
    of_games = COLUMNS[name].of_games
    if of_games is None:
        raise KeyError(name)
    return of_games(games)
