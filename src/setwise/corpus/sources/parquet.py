"""Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import cast

import pyarrow as pa

from setwise.corpus.columns import COLUMNS
from setwise.corpus.columns.registry import plain_type
from setwise.corpus.sources import row_games, tables
from setwise.corpus.sources.jobs import Source
from setwise.corpus.sources.places import Beginning
from setwise.corpus.sources.rows import RowGroup, StoredRows
from setwise.corpus.storage import layout
from setwise.system.packages import pq


def recognised(beginning: Beginning) -> Source | None:
    """Return a Parquet file, packed or not, as a table; None for other files."""
    if not beginning.head.startswith(tables.PARQUET):
        return None
    source, name = beginning.source, beginning.name
    with tables.reading(name):
        file = cast("pq.ParquetFile", tables.parquet_file(beginning)())
        place = Path(source) if isinstance(source, str) else Path()
        folders = layout.folder_values(place) or layout.hive_values(place)
        fixed = {
            key: pa.scalar(value).cast(_kind_of(key))
            for key, value in folders.items()
            if key not in file.schema_arrow.names
        }
        schema = pa.schema([*file.schema_arrow, *((key, value.type) for key, value in fixed.items())])

    def of_group(group: int) -> str:
        return f"{name}, row group {group + 1} of {file.num_row_groups},"

    def whole(rows: int = tables.ROWS) -> Iterator[pa.RecordBatch]:
        for group in range(file.num_row_groups):
            with tables.reading(of_group(group)):
                for batch in file.iter_batches(rows, row_groups=[group]):
                    columns = (pa.repeat(value, len(batch)) for value in fixed.values())
                    yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    def by_column() -> Iterator[StoredRows]:
        for number in range(file.num_row_groups):
            group = _group(file, number, fixed, of_group(number))
            for start in range(0, group.count, tables.ROWS):
                yield StoredRows(group, start, min(start + tables.ROWS, group.count), schema.names)

    column = row_games.fitting(schema.names)
    if column is not None and column.lower() != "fen" and "white_pawns" not in schema.names:
        first = next(whole(row_games.GAMES), pa.RecordBatch.from_pylist([], schema))
        return row_games.source_of(name, first, lambda: whole(row_games.GAMES))
    has_games = {"game", "ply"} <= set(schema.names)  # then a batch ends with a game
    if tables.fen_name(schema.names) and not has_games:
        return tables.TableSource(name, schema, by_column)
    return tables.TableSource(name, schema, lambda: tables.whole_games(whole()))


#: The lock for reading a column: threads share the reader of a file.
_READING = Lock()


def _group(file: pq.ParquetFile, number: int, fixed: Mapping[str, pa.Scalar], name: str) -> RowGroup:
    """Return a row group whose columns are read at their first use."""

    def read(column: str) -> pa.ChunkedArray:
        with tables.reading(name), _READING:
            return tables.unsigned(file.read_row_group(number, [column])).column(column)

    schema = tables.unsigned(file.schema_arrow.empty_table()).schema
    return RowGroup(schema, file.metadata.row_group(number).num_rows, read, fixed)


def _kind_of(name: str) -> pa.DataType:
    """Return the type of a column whose values are texts in the names of folders."""
    return plain_type(COLUMNS[name].type) if name in COLUMNS else pa.string()
