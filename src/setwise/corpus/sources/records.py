"""Positions that come from no games: from lists of FENs and EPDs, from tables, from memory."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from typing import Self

import numpy as np
import pyarrow as pa

from setwise.errors import QueryError
from setwise.game.game import Game
from setwise.game.games import Fault
from setwise.position.identity import Identities

__all__ = ["Records"]


class Records:
    """Records, each a position, in the place of ``Games``: players, moves and clocks are null."""

    #: Whether they are games, as in a scan, and whether the texts of the games are known.
    are_games = has_texts = False

    def __init__(self, source: str, first: int, count: int) -> None:
        self.source = source
        self.count = count
        #: The number of the first record in its source, from 1.
        self.first = first

    def __len__(self) -> int:
        return self.count

    @functools.cached_property
    def numbers(self) -> np.ndarray:
        """The number of each record in its source, from 1: int32."""
        return np.arange(self.first, self.first + len(self), dtype=np.int32)

    def __getitem__(self, row: int) -> Game:
        """Return a game without moves: no record has any."""
        return Game()

    def called(self, source: str) -> Self:
        """Return the same records with another name of their source."""
        records = copy.copy(self)
        records.source = source
        return records

    @property
    def results(self) -> list[str]:
        """No record has a result."""
        return ["*"] * len(self)

    @property
    def move_offsets(self) -> np.ndarray:
        """Where the moves of each record begin: there are none."""
        return np.zeros(len(self) + 1, np.int64)

    @property
    def chess960(self) -> np.ndarray:
        """No record says that it is Chess960."""
        return np.zeros(len(self), np.bool_)

    @property
    def checks_given(self) -> np.ndarray:
        """Refused, because the moves before a record are not known; raises ``QueryError``."""
        raise QueryError(f"the checks given before are not in the positions of {self.source}: PGN has the games")

    @property
    def identities(self) -> Identities:
        """Refused, because the moves before a record are not known; raises ``QueryError``."""
        raise QueryError(f"where pieces came from is not in the positions of {self.source}: PGN has the games")

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every record: null."""
        return pa.nulls(len(self), pa.string())

    def faults(self) -> Iterator[Fault]:
        """Return no faults: those of records are reported when they are read."""
        return iter(())

    def clocks(self) -> pa.DoubleArray:
        """No record has notes."""
        return pa.nulls(1, pa.float64())

    elapsed = clocks

    def evaluations(self) -> pa.Int32Array:
        """No record has notes."""
        return pa.nulls(1, pa.int32())

    def nags(self) -> pa.ListArray:
        """No record has notes."""
        return pa.nulls(1, pa.list_(pa.uint8()))

    def comments(self) -> pa.StringArray:
        """No record has notes."""
        return pa.nulls(1, pa.string())
