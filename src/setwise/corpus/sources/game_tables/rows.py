"""Rows of a table of games, whose columns are read at their first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock

import pyarrow as pa

from setwise.corpus.storage.packed_games import COLUMNS

__all__ = ["OWN", "GameRows", "RowGroup"]

#: The columns that are not tags.
OWN = frozenset(COLUMNS.names)


class RowGroup:
    """The columns of a group of rows: each is read once, by whichever batch needs it first.

    Args:
        schema: the names and types of the columns.
        read: returns a column.
        fixed: the values of columns that are not in the file but in the names of its folders.
    """

    def __init__(
        self, schema: pa.Schema, count: int, read: Callable[[str], pa.ChunkedArray], fixed: Mapping[str, str | None]
    ) -> None:
        #: In the order of the file, which is that of the tags.
        self.names = tuple(dict.fromkeys((*schema.names, *fixed)))
        self.count, self._read, self._fixed = count, read, fixed
        self._columns: dict[str, pa.Array] = {}
        self._lock = Lock()

    def column(self, name: str) -> pa.Array:
        """Return a column."""
        if name in self._fixed:
            return pa.repeat(pa.scalar(self._fixed[name], pa.string()), self.count)
        with self._lock:
            if name not in self._columns:
                column = self._read(name)
                self._columns[name] = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            return self._columns[name]


class GameRows:
    """Some rows of a group."""

    def __init__(self, group: RowGroup, start: int, stop: int) -> None:
        self.group, self.start, self.stop = group, start, stop
        self.names = group.names

    def __len__(self) -> int:
        return self.stop - self.start

    def column(self, name: str) -> pa.Array:
        """Return a column; texts that come in a dictionary are texts."""
        column = self.group.column(name).slice(self.start, len(self))
        return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column

    def texts(self, name: str) -> pa.Array:
        """Return a tag of every game, null where there is none, whatever type its column has."""
        if name not in self.names or name in OWN:
            return pa.nulls(len(self), pa.string())
        column = self.column(name)
        return column if column.type == pa.string() else column.cast(pa.string())
