"""Where positions come from: the games, the row of each position in them, and the source's own columns."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np
import pyarrow as pa

from setwise.position.identity import Identities
from setwise.position.positions import Positions
from setwise.view.rows import count

__all__ = ["GamePositions", "Origin", "SourceColumns"]


class Origin(Protocol):
    """What positions come from, a row each: ``Games``, or records in their place."""

    #: The number of the first game in its source, from 1.
    first: int

    @property
    def source(self) -> str:
        """The name of the source."""

    @property
    def numbers(self) -> np.ndarray:
        """The number of each game in its source, from 1: int32."""

    @property
    def chess960(self) -> np.ndarray:
        """Whether each game is of Chess960."""

    @property
    def results(self) -> list[str]:
        """The result of each game."""

    @property
    def move_offsets(self) -> np.ndarray:
        """Where the moves of each game begin, and where the last game's end."""

    @property
    def checks_given(self) -> np.ndarray:
        """How many checks White and Black have given before each position of the games, two rows."""

    @property
    def identities(self) -> Identities:
        """Which pieces move in the positions of the games."""

    def __len__(self) -> int: ...

    def called(self, source: str) -> Origin:
        """Return the same games with another name of their source."""

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game."""


class SourceColumns(Protocol):
    """Columns that a source has itself: an Arrow table, or one that reads its columns at their first use."""

    @property
    def column_names(self) -> Any:
        """The names of the columns."""

    @property
    def schema(self) -> pa.Schema:
        """The names and types of the columns."""

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""


class GamePositions(Positions):
    """Positions with their games: ``positions.games`` has the tags, ``game`` the row of each position in them.

    ``others`` are columns that the source has itself, and ``row`` is the row of each position there. ``node`` is the
    row in the tree of games that were read with their variations.
    """

    games: Origin
    game: np.ndarray

    _names = (*Positions._names, "row", "node")

    def __init__(
        self,
        *boards: np.ndarray,
        games: Origin,
        row: np.ndarray | None = None,
        node: np.ndarray | None = None,
        others: SourceColumns | None = None,
        **columns: np.ndarray,
    ) -> None:
        super().__init__(*boards, **columns)
        self.games = games
        self.others = others
        self.row: Any = row
        #: The row of each position in the tree of the games, if they were read with their variations.
        self.node: Any = node

    @classmethod
    def of(
        cls,
        positions: Positions,
        games: Origin,
        *,
        others: SourceColumns | None = None,
        **columns: np.ndarray,
    ) -> GamePositions:
        """Return positions with their games; the ``columns`` are added, or replace those of the positions."""
        return GamePositions(games=games, others=others, **(positions._columns() | columns))

    def with_others(self, others: SourceColumns, row: np.ndarray) -> Self:
        """Return the same positions with other columns of their source."""
        positions = copy.copy(self)
        positions.others, positions.row = others, row
        return positions

    def beside(self, columns: Mapping[str, pa.ChunkedArray]) -> Self:
        """Return the same positions with columns, a value for each, beside those of their source or in their place."""
        own = self.others  # in which one row can be a whole game
        before = {} if own is None else {name: own.column(name).take(pa.array(self.row)) for name in own.column_names}
        return self.with_others(pa.table({**before, **columns}), np.arange(len(self), dtype=np.int32))

    def __repr__(self) -> str:
        return f"<Positions: {len(self):,} of {count(len(np.unique(self.game)), 'game')}>"

    def _like(self, columns: dict[str, np.ndarray]) -> Positions:
        return GamePositions(games=self.games, others=self.others if "row" in columns else None, **columns)

    def _joined(self, several: list[Positions]) -> Positions:
        if any(positions.games is not self.games for positions in several):
            return super()._joined(several)
        same_rows = len({id(positions.others) for positions in several if isinstance(positions, GamePositions)}) == 1
        columns = self._common(several, self._names if same_rows else Positions._names)
        return self._like(columns)

    def _says_chess960(self) -> np.ndarray:
        return self.games.chess960[self.game]
