"""The table of games: a row each, with what its tags say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.place import GAME_TAGS, SIDED_TAGS, numbers, plies, points, years
from setwise.corpus.columns.registry import COLUMNS
from setwise.game.games import Fault

__all__ = ["GAMES", "games_table"]

_SIDES = ("white", "black")

#: The columns of games, with their types.
GAMES = pa.schema(
    [
        ("plies", COLUMNS["ply"].type),
        ("game", COLUMNS["game"].type),
        ("source", pa.string()),
        *((name, pa.string()) for name in GAME_TAGS),
        *(
            (f"{side}_{stem}", pa.int16() if number else pa.string())
            for stem, (_, number) in SIDED_TAGS.items()
            for side in _SIDES
        ),
        ("year", COLUMNS["year"].type),
        ("result", pa.string()),
        ("points", COLUMNS["points"].type),
        ("fault", pa.string()),
    ]
)  # fmt: skip


def games_table(games: Any, faults: Iterable[Fault], names: Iterable[str] = GAMES.names) -> pa.Table:
    """Return columns of games, a row each."""
    return pa.table({name: _of_games(games, faults, name).cast(GAMES.field(name).type) for name in names})


def _of_games(games: Any, faults: Iterable[Fault], name: str) -> pa.Array:
    if hasattr(games, "held"):  # a scan has the table itself
        return games.held(name)
    if name == "source":
        return pa.repeat(games.source, len(games))
    if name == "game":
        return pa.array(np.arange(games.first, games.first + len(games)))
    if name == "plies":
        return plies(np.diff(games.move_offsets))
    if name == "year":
        return years(games)
    if name == "result":
        return pa.array(games.results, pa.string())
    if name == "points":
        return points(games)
    if name == "fault":
        told: list[str | None] = [None] * len(games)
        for fault in faults:
            told[fault.game - games.first] = f"{fault.token}: {fault.reason}"
        return pa.array(told, pa.string())
    if name in GAME_TAGS:
        return games.tag(GAME_TAGS[name])
    side, _, stem = name.partition("_")
    behind, number = SIDED_TAGS[stem]
    texts = games.tag(side.title() + behind)
    return numbers(texts) if number else texts
