"""Positions as texts: a JSON object on each line, a FEN on each line, or columns with commas, semicolons or tabs."""

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
from setwise.corpus.sources.jobs import Job, Question, Source, of_table
from setwise.corpus.sources.places import Beginning
from setwise.corpus.sources.tables import TEXT, lines_in
from setwise.errors import SourceError


def recognised(beginning: Beginning) -> Source | None:
    """Return the positions of a text, packed or not, recognised by its first line; None for other first lines.

    Raises:
        SourceError: if the first line is a JSON object without a FEN.
    """
    return _json_lines(beginning) or _fen_list(beginning) or _delimited(beginning)


_LIST_LINE = re.compile(r"\s*(\S+(?:\s+[wb](?:\s+\S+(?:\s+[a-h1-8-]+(?:\s+\d+(?:\s+\d+)?)?)?)?)?)\s*;?(.*)", re.DOTALL)
_RANK = r"[pnbrqkPNBRQK1-8~]+"
_FEN_LINE = re.compile(rf"{_RANK}(/{_RANK}){{7}}(\s|\Z)")


def _json_lines(beginning: Beginning) -> Source | None:
    """Return a text as a table, if the first line is a JSON object."""
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
    """Return the names in a line if it is a JSON object; a comment of PGN also begins with a brace."""
    try:
        record = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return list(record) if isinstance(record, dict) else None


def _fen_list(beginning: Beginning) -> Source | None:
    """Return a text as a list of FENs, if the first line is a FEN."""
    return FenList(beginning.source, beginning.name) if _FEN_LINE.match(beginning.line) else None


class FenList(Source):
    """Lines that begin with a FEN, or with the first four fields of a FEN, as in EPD."""

    def __init__(self, source: Text, name: str) -> None:
        self.source, self.name = source, name
        self.source_columns = {"operations": pa.string()}
        self.holdings = of_table(self.source_columns, ())

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield jobs with ``ROWS`` lines each."""
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
    """Return a text as a table, if the first line names a column of FENs."""
    delimiter = max(",;\t", key=beginning.line.count)
    fields: list[str] = []
    with contextlib.suppress(csv.Error):  # then it is not a table
        fields = next(csv.reader([beginning.line], delimiter=delimiter), [])
    if not tables.fen_name(fields):
        return None

    def read() -> Iterator[pa.RecordBatch]:
        import pyarrow.csv

        options = {
            # Blocks end with a line: if a block were only the second half of a line end, Arrow would lose the next row.
            "read_options": pyarrow.csv.ReadOptions(block_size=4 * TEXT),
            "parse_options": pyarrow.csv.ParseOptions(delimiter=delimiter),
        }
        with opened(beginning.source) as (stream, _):
            yield from pyarrow.csv.open_csv(pa.PythonFile(Chunks(lines_in(stream, beginning.name)), "r"), **options)

    return tables.of_first_batch(beginning.name, read)
