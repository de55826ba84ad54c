"""Positions in memory as a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from setwise.corpus.sources.holdings import LOOKS, Holdings, of_table
from setwise.corpus.sources.jobs import Batch, Job, OneName
from setwise.corpus.sources.records import Records
from setwise.position.positions import Positions

__all__ = ["PositionsInMemory"]


class PositionsInMemory(OneName, Job):
    """Positions in memory."""

    others: Mapping[str, pa.DataType] = {}
    is_pgn = False

    def __init__(self, positions: Positions) -> None:
        self.positions, self.name = positions, "<positions>" if positions.games is None else positions.games.source
        self.holdings = _holdings_of(positions)

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield the one batch."""
        yield self

    def run(self) -> Batch:
        """Return the positions, each with its source and number."""
        held, count = self.positions[:], len(self.positions)
        if held.games is not None:
            held.games = held.games.called(self.name)
            return Batch(held.games, held, [], 0)
        records, rows = Records(self.name, 1, count), np.arange(count, dtype=np.int32)
        held.games, held.row = records, rows
        held.moves = np.zeros(count, np.uint16) if held.moves is None else held.moves
        held.game, held.ply = (rows, np.zeros(count, np.int32)) if held.game is None else (held.game, held.ply)
        return Batch(records, held, [], 0)


def _holdings_of(positions: Positions) -> Holdings:
    """What positions in memory hold: some come from games, some know their moves."""
    without = {name for name, there in (("ply", positions.ply), ("move", positions.moves)) if there is None}
    if positions.ply is None or positions.game is None:
        without.add(LOOKS)
    if positions.games is None:
        return of_table((), {"ply", "move", LOOKS} - without)
    return Holdings("the positions of", "they come without it; ask the PGN", without=frozenset(without))
