"""Lists of FENs and EPDs, one a line."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator

import pyarrow as pa

from setwise.archives.opening import Source as Text
from setwise.archives.opening import opened
from setwise.corpus.sources import tables
from setwise.corpus.sources.beginning import Beginning
from setwise.corpus.sources.holdings import of_table
from setwise.corpus.sources.jobs import Job, Opened
from setwise.corpus.sources.lines import lines_in

__all__ = ["FenList", "recognised"]

_LIST_LINE = re.compile(r"\s*(\S+(?:\s+[wb](?:\s+\S+(?:\s+[a-h1-8-]+(?:\s+\d+(?:\s+\d+)?)?)?)?)?)\s*;?(.*)", re.DOTALL)
_RANK = r"[pnbrqkPNBRQK1-8~]+"
_FEN_LINE = re.compile(rf"{_RANK}(/{_RANK}){{7}}(\s|\Z)")


def recognised(beginning: Beginning) -> Opened | None:
    """Return the list that a text is, if its first line is a FEN."""
    return FenList(beginning.source, beginning.name) if _FEN_LINE.match(beginning.line) else None


class FenList(Opened):
    """Lines that begin with a FEN, or with its first four fields as EPD has them."""

    def __init__(self, source: Text, name: str) -> None:
        self.source, self.name = source, name
        self.others = {"operations": pa.string()}
        self.holdings = of_table(self.others, ())

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
