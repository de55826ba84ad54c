"""Rows of a table of games, whose columns are read at their first use."""

from __future__ import annotations

import pyarrow as pa

from setwise.corpus.sources.row_groups import RowGroup
from setwise.corpus.storage.packed_games import COLUMNS
from setwise.system.arrow import pc

__all__ = ["OWN", "GameRows", "as_texts"]

#: The columns that are not tags.
OWN = frozenset([*COLUMNS.names, "movetext"])


class GameRows:
    """Some rows of a group."""

    def __init__(self, group: RowGroup, start: int, stop: int) -> None:
        self.group, self.start, self.stop = group, start, stop
        #: In the order of the file, in which the tags stand.
        self.names = group.schema.names

    def __len__(self) -> int:
        return self.stop - self.start

    def column(self, name: str) -> pa.Array:
        """Return a column; texts that come in a dictionary are texts."""
        column = self.group.column(name).slice(self.start, len(self))
        return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column

    def texts(self, name: str) -> pa.Array:
        """Return a tag of every game, null where there is none."""
        if name not in self.names or name in OWN:
            return pa.nulls(len(self), pa.string())
        return self.column(name)


def as_texts(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return a column of any type as the texts that tags are.

    Raises:
        ValueError: for a column of lists, maps or structs.
    """
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(kind):
        raise ValueError(f"its column {name} has values of {kind}, and a tag is one text: leave the column out")
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return pc.strftime(column.cast(pa.timestamp("s")) if pa.types.is_date(kind) else column, "%Y.%m.%d")
    return column.cast(pa.string())
