"""Positions in memory as a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
import pyarrow as pa

from setwise.corpus.sources.holdings import LOOKS, Holdings, of_table
from setwise.corpus.sources.jobs import Batch, Job, OneName
from setwise.corpus.sources.records import Records
from setwise.game.games import Games
from setwise.game.provenance import GamePositions
from setwise.position.positions import Positions

__all__ = ["PositionsInMemory"]


class PositionsInMemory(OneName, Job):
    """Positions in memory."""

    others: Mapping[str, pa.DataType] = {}
    is_pgn = False

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.name = positions.games.source if isinstance(positions, GamePositions) else "<positions>"
        self.holdings = _holdings_of(positions)

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield the one batch."""
        yield self

    def run(self) -> Batch:
        """Return the positions, each with its source and number."""
        positions, count = self.positions, len(self.positions)
        if isinstance(positions, GamePositions):
            games = cast("Games | Records", positions.games.called(self.name))
            return Batch(games, GamePositions.of(positions, games, others=positions.others), [], 0)
        records, rows = Records(self.name, 1, count), np.arange(count, dtype=np.int32)
        columns: dict[str, Any] = {"row": rows}
        if positions.moves is None:
            columns["moves"] = np.zeros(count, np.uint16)
        if positions.game is None:
            columns |= {"game": rows, "ply": np.zeros(count, np.int32)}
        return Batch(records, GamePositions.of(positions, records, **columns), [], 0)


def _holdings_of(positions: Positions) -> Holdings:
    """What positions in memory hold: some come from games, some know their moves."""
    without = {name for name, there in (("ply", positions.ply), ("move", positions.moves)) if there is None}
    if positions.ply is None or positions.game is None:
        without.add(LOOKS)
    if not isinstance(positions, GamePositions):
        return of_table((), {"ply", "move", LOOKS} - without)
    return Holdings("the positions of", "they come without it; ask the PGN", without=frozenset(without))
