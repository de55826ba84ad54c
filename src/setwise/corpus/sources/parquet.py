"""Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from setwise.archives.opening import Source as Text
from setwise.archives.opening import opened
from setwise.corpus.columns import COLUMNS
from setwise.corpus.sources import tables
from setwise.corpus.sources.beginning import Beginning
from setwise.corpus.sources.jobs import Opened
from setwise.corpus.storage import layout

__all__ = ["parquet", "recognised"]

_MAGIC = b"PAR1"


def recognised(beginning: Beginning) -> Opened | None:
    """Return the table that a Parquet file is, packed or not."""
    return parquet(beginning.source, beginning.name) if beginning.head.startswith(_MAGIC) else None


def parquet(source: Text, name: str) -> Opened:
    """Return the table of a Parquet file.

    A file is read where it lies; one that is packed, or comes by a pipe, is read into memory, as its end is read first.
    """
    with tables.reading(name):
        if isinstance(source, str | os.PathLike) and _is_plain(source):
            file = pyarrow.parquet.ParquetFile(os.fspath(source), page_checksum_verification=True)
        else:
            with opened(source) as (stream, _):
                file = pyarrow.parquet.ParquetFile(pa.BufferReader(stream.read()), page_checksum_verification=True)
        divided = layout.folder_values(Path(source)) if isinstance(source, str) else {}
        schema = pa.schema([*file.schema_arrow, *((name, _kind_of(name)) for name in divided)])

    def groups() -> Iterator[pa.RecordBatch]:
        for group in range(file.num_row_groups):
            with tables.reading(f"{name}, row group {group + 1} of {file.num_row_groups},"):
                yield from file.iter_batches(tables.ROWS, row_groups=[group])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in groups():
            columns = (pa.repeat(pa.scalar(value).cast(_kind_of(name)), len(batch)) for name, value in divided.items())
            yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    return tables.Table(name, schema, lambda: tables.whole_games(batches()))


def _kind_of(name: str) -> pa.DataType:
    """The type of a column that a scan is divided by, whose values its folders tell as texts."""
    kind = COLUMNS[name].type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_plain(path: str | os.PathLike[str]) -> bool:
    """Whether a file is not packed."""
    with Path(path).open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
