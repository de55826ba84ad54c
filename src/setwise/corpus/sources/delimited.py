"""Tables as text: CSV, with commas, semicolons or tabs."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Iterator

import pyarrow as pa

from setwise.archives.opening import Chunks, opened
from setwise.corpus.sources import lines, tables
from setwise.corpus.sources.beginning import Beginning
from setwise.corpus.sources.jobs import Opened

__all__ = ["recognised"]


def recognised(beginning: Beginning) -> Opened | None:
    """Return the table that a text is, packed or not, if its first line names a column of FENs."""
    delimiter = max(",;\t", key=beginning.line.count)
    fields: list[str] = []
    with contextlib.suppress(csv.Error):  # then it is not a table
        fields = next(csv.reader([beginning.line], delimiter=delimiter), [])
    if not tables.fen_name(fields):
        return None

    def read() -> Iterator[pa.RecordBatch]:
        import pyarrow.csv

        options = {
            # Blocks are whole lines: Arrow loses the row after a block that is the second half of a line's end.
            "read_options": pyarrow.csv.ReadOptions(block_size=4 * lines.TEXT),
            "parse_options": pyarrow.csv.ParseOptions(delimiter=delimiter),
        }
        with opened(beginning.source) as (stream, _):
            yield from pyarrow.csv.open_csv(
                pa.PythonFile(Chunks(lines.lines_in(stream, beginning.name)), "r"), **options
            )

    return tables.of_first_batch(beginning.name, read)
