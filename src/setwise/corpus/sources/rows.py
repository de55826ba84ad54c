"""Groups of rows of a file, whose columns are read at their first use, and some rows of them, which replace a table.

Tables in Parquet, packed games, indexes and scans are all read so: a query pays for the columns that it uses, and
threads that search different rows of a group share its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from types import MappingProxyType
from typing import Any, Self

import pyarrow as pa


class RowGroup:
    """The columns of a group of rows: each is read once, by the first batch that needs it.

    Args:
        schema: the names and types of the columns.
        count: the number of rows.
        read: returns a column.
        fixed: the values of columns that are stored in the names of the folders and not in the file.
    """

    def __init__(
        self, schema: pa.Schema, count: int, read: Callable[[str], Any], fixed: Mapping[str, pa.Scalar] = {}
    ) -> None:
        others = [pa.field(name, value.type) for name, value in fixed.items() if name not in schema.names]
        self.schema, self.count, self._read, self._fixed = pa.schema([*schema, *others]), count, read, fixed
        self._columns: dict[str, Any] = {}
        self._lock = Lock()

    @property
    def nbytes(self) -> int:
        """The number of bytes of the columns in memory."""
        return sum(column.nbytes for column in list(self._columns.values()))

    def column(self, name: str) -> Any:
        """Return a column: an Arrow array, or a chunked one if ``columns`` returns such."""
        self.read([name])
        return self._columns[name]

    def read(self, names: Iterable[str]) -> None:
        """Read columns together, which can be quicker than one after another."""
        with self._lock:
            if missing := [name for name in names if name not in self._columns]:
                self._columns.update(zip(missing, self.columns(missing), strict=True))

    def columns(self, names: list[str]) -> Iterable[Any]:
        """Read columns from the file."""
        for name in names:
            column = pa.repeat(self._fixed[name], self.count) if name in self._fixed else self._read(name)
            yield column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


_Columns = Mapping[str, pa.ChunkedArray]
_NO_COLUMNS: _Columns = MappingProxyType({})


class StoredRows:
    """Some rows of a group, which replace an Arrow table.

    Args:
        group: the group.
        start: the first row.
        stop: the row after the last.
        names: the columns, by default all.
        others: further columns, which replace columns of the same names.
    """

    #: The number of bytes in memory: the columns that are read are not counted.
    nbytes = 0

    def __init__(
        self, group: RowGroup, start: int, stop: int, names: Iterable[str] | None = None, others: _Columns = _NO_COLUMNS
    ) -> None:
        self.group, self.start, self.stop, self.num_rows, self._others = group, start, stop, stop - start, others
        self.column_names = dict.fromkeys([*(group.schema.names if names is None else names), *others])

    def __len__(self) -> int:
        return self.num_rows

    @property
    def schema(self) -> pa.Schema:
        """The names and types of the columns."""
        others = {name: pa.field(name, column.type) for name, column in self._others.items()}
        return pa.schema([others.get(name) or self.group.schema.field(name) for name in self.column_names])

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        return self._others[name] if name in self._others else self.stored(name)

    def stored(self, name: str) -> pa.ChunkedArray:
        """Return a column of the file."""
        column = self.group.column(name).slice(self.start, self.num_rows)
        return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])

    def beside(self, columns: _Columns) -> Self:
        """Return the same rows with further columns, which replace columns of the same names."""
        return type(self)(self.group, self.start, self.stop, self.column_names, columns)

    def drop_columns(self, names: Iterable[str]) -> Self:
        """Return the same rows without some columns."""
        left = dict.fromkeys(name for name in self.column_names if name not in names)
        others = {name: column for name, column in self._others.items() if name in left}
        return type(self)(self.group, self.start, self.stop, left, others)

    def read(self, names: Iterable[str]) -> pa.Table:
        """Return a table of the named columns that exist."""
        return pa.table({name: self.column(name) for name in names if name in self.column_names})
