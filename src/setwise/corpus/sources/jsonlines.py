"""JSON lines: an object a row."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import pyarrow as pa

from setwise.archives.opening import opened
from setwise.corpus.sources import tables
from setwise.corpus.sources.beginning import Beginning
from setwise.corpus.sources.jobs import Opened
from setwise.corpus.sources.lines import lines_in
from setwise.errors import SourceError

__all__ = ["recognised"]


def recognised(beginning: Beginning) -> Opened | None:
    """Return the table that a text is, packed or not, if its first line is a JSON object.

    Raises:
        SourceError: when that object has no FEN.
    """
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
