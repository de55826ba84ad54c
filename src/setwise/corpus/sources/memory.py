"""Positions in memory as a source."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, cast

import numpy as np

from setwise.corpus.sources.holdings import LOOKS, Holdings, of_table
from setwise.corpus.sources.jobs import Batch, Job, Opened
from setwise.corpus.sources.records import Records
from setwise.game.games import Games
from setwise.game.provenance import GamePositions
from setwise.position.positions import Positions

__all__ = ["GamePositionsInMemory", "PositionsInMemory"]


class PositionsInMemory(Opened, Job):
    """Positions without games."""

    name = "<positions>"

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.holdings = of_table((), {"ply", "move", LOOKS} - _lacking(positions))

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield the one batch."""
        yield self

    def run(self) -> Batch:
        """Return the positions, each with its source and number."""
        positions, count = self.positions, len(self.positions)
        records, rows = Records(self.name, 1, count), np.arange(count, dtype=np.int32)
        columns: dict[str, Any] = {"row": rows}
        if positions.moves is None:
            columns["moves"] = np.zeros(count, np.uint16)
        if positions.game is None:
            columns |= {"game": rows, "ply": np.zeros(count, np.int32)}
        return Batch(records, GamePositions.of(positions, records, **columns), [], 0)


class GamePositionsInMemory(Opened, Job):
    """Positions with their games."""

    def __init__(self, positions: GamePositions) -> None:
        self.positions, self.name = positions, positions.games.source
        self.holdings = Holdings("the positions of", "they come without it; ask the PGN", without=_lacking(positions))

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield the one batch."""
        yield self

    def run(self) -> Batch:
        """Return the positions, with the name of this source in their games."""
        games = cast("Games | Records", self.positions.games.called(self.name))
        return Batch(games, GamePositions.of(self.positions, games, others=self.positions.others), [], 0)

    def whole(self, read: dict[str, tuple[Hashable, int]]) -> Hashable:
        """Return a key of the whole that the games were read from.

        Positions do not know which file, of several of one name, their games were read from. If their games have higher
        numbers than those before, they are from the same file, as batches that are read in order are.
        """
        games = self.positions.games
        whole, end = read.get(games.source, (object(), 0))
        whole = whole if games.first >= end else object()
        read[games.source] = whole, games.first + len(games)
        return whole


def _lacking(positions: Positions) -> frozenset[str]:
    """What positions in memory cannot answer: some do not know their moves or places in games."""
    without = {name for name, there in (("ply", positions.ply), ("move", positions.moves)) if there is None}
    if positions.ply is None or positions.game is None:
        without.add(LOOKS)
    return frozenset(without)
