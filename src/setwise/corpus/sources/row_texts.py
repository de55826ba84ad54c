"""Positions as texts: one JSON object a line, one FEN a line, or columns with commas, semicolons or tabs."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import re
from collections.abc import Iterator

import pyarrow as pa

from setwise.archives import Chunks, opened
from setwise.archives import Source as Text
from setwise.corpus.sources import tables
from setwise.corpus.sources.jobs import Job, Source, of_table
from setwise.corpus.sources.places import Beginning
from setwise.corpus.sources.tables import TEXT, lines_in
from setwise.errors import SourceError


def recognised(beginning: Beginning) -> Source | None:
    """Return the positions that a text holds, packed or not, by its first line; None if that is of another kind.

    Raises:
        SourceError: when that line is a JSON object that has no FEN.
    """
    return _json_lines(beginning) or _fen_list(beginning) or _delimited(beginning)


_LIST_LINE = re.compile(r"\s*(\S+(?:\s+[wb](?:\s+\S+(?:\s+[a-h1-8-]+(?:\s+\d+(?:\s+\d+)?)?)?)?)?)\s*;?(.*)", re.DOTALL)
_RANK = r"[pnbrqkPNBRQK1-8~]+"
_FEN_LINE = re.compile(rf"{_RANK}(/{_RANK}){{7}}(\s|\Z)")


def _json_lines(beginning: Beginning) -> Source | None:
    """The table that a text is whose first line is a JSON object."""
    names = _names(beginning.line)
    if names is None:
        return None
    if not tables.fen_name(names):
        raise SourceError(f"{beginning.name} begins like JSON lines, but its first line has no 'fen'")

    def read() -> Iterator[pa.RecordBatch]:
        import pyarrow.json

        with opened(beginning.source) as (stream, _):
            for text in lines_in(stream, beginning.name):
                if text.strip():
                    yield from pyarrow.json.read_json(io.BytesIO(text)).to_batches()

    return tables.of_first_batch(beginning.name, read)


def _names(line: str) -> list[str] | None:
    """The names in a line that is a JSON object; a comment of PGN begins with a brace, too."""
    try:
        record = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return list(record) if isinstance(record, dict) else None


def _fen_list(beginning: Beginning) -> Source | None:
    """The list that a text is whose first line is a FEN."""
    return FenList(beginning.source, beginning.name) if _FEN_LINE.match(beginning.line) else None


class FenList(Source):
    """Lines that begin with a FEN, or with its first four fields as EPD has them."""

    def __init__(self, source: Text, name: str) -> None:
        self.source, self.name = source, name
        self.source_columns = {"operations": pa.string()}
        self.holdings = of_table(self.source_columns, ())

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield so many lines at once."""
        with opened(self.source) as (stream, _):
            texts = (io.StringIO(text.decode(), newline=None) for text in lines_in(stream, self.name))
            first, fens, operations, lines = 1, list[str](), list[str](), list[int]()
            for number, line in enumerate(itertools.chain.from_iterable(texts), start=1):
                if not line.strip() or line.startswith("#"):
                    continue
                parts = _LIST_LINE.match(line)
                fens.append(parts[1] if parts else line)
                operations.append(parts[2].strip() if parts else "")
                lines.append(number)
                if len(fens) == tables.ROWS:
                    yield self._job(first, fens, operations, lines)
                    first, fens, operations, lines = first + len(fens), [], [], []
            if fens:
                yield self._job(first, fens, operations, lines)

    def _job(self, first: int, fens: list[str], operations: list[str], lines: list[int]) -> Job:
        table, column = pa.table({"operations": operations}), pa.chunked_array([fens], pa.string())
        return tables.TableJob(self.name, first, table, column, None, lines)


def _delimited(beginning: Beginning) -> Source | None:
    """The table that a text is whose first line names a column of FENs."""
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
            "read_options": pyarrow.csv.ReadOptions(block_size=4 * TEXT),
            "parse_options": pyarrow.csv.ParseOptions(delimiter=delimiter),
        }
        with opened(beginning.source) as (stream, _):
            yield from pyarrow.csv.open_csv(pa.PythonFile(Chunks(lines_in(stream, beginning.name)), "r"), **options)

    return tables.of_first_batch(beginning.name, read)
