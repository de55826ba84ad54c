"""Groups of rows of a Parquet file, whose columns are read at their first use: what no question needs is not read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock

import pyarrow as pa

__all__ = ["RowGroup", "StoredRows"]


class RowGroup:
    """The columns of a group of rows: each is read once, by whichever batch needs it first.

    Args:
        schema: the names and types of the columns.
        count: how many rows there are.
        read: returns a column.
        fixed: the values of columns that are not in the file but in the names of its folders.
    """

    def __init__(
        self, schema: pa.Schema, count: int, read: Callable[[str], pa.ChunkedArray], fixed: Mapping[str, pa.Scalar]
    ) -> None:
        others = [pa.field(name, value.type) for name, value in fixed.items() if name not in schema.names]
        self.schema, self.count, self._read, self._fixed = pa.schema([*schema, *others]), count, read, fixed
        self._columns: dict[str, pa.Array] = {}
        self._lock = Lock()

    def column(self, name: str) -> pa.Array:
        """Return a column."""
        with self._lock:
            if name not in self._columns:
                if name in self._fixed:
                    self._columns[name] = pa.repeat(self._fixed[name], self.count)
                else:
                    column = self._read(name)
                    self._columns[name] = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            return self._columns[name]


class StoredRows:
    """Some rows of a group in the place of a table of Arrow."""

    #: Bytes in memory: those that are read are counted nowhere.
    nbytes = 0

    def __init__(self, group: RowGroup, start: int, stop: int, names: Iterable[str]) -> None:
        self.group, self.start, self.num_rows, self.column_names = group, start, stop - start, list(names)

    @property
    def schema(self) -> pa.Schema:
        """The names and types of the columns."""
        return pa.schema([self.group.schema.field(name) for name in self.column_names])

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        return pa.chunked_array([self.group.column(name).slice(self.start, self.num_rows)])

    def drop_columns(self, names: Iterable[str]) -> StoredRows:
        """Return the same rows without some columns."""
        left = [name for name in self.column_names if name not in names]
        return StoredRows(self.group, self.start, self.start + self.num_rows, left)

    def read(self, names: Iterable[str]) -> pa.Table:
        """Return those of some columns that there are, as a table."""
        return pa.table({name: self.column(name) for name in names if name in self.column_names})
