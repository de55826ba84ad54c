"""Where results go: to a file, by the end of its name, or to standard output, in a format that is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from setwise.corpus.outputs.boards import Boards
from setwise.corpus.outputs.html import Html
from setwise.corpus.outputs.notation import Epd, Fen, Pgn
from setwise.corpus.outputs.output import Asked, Matches, Output, Rows
from setwise.corpus.outputs.rows import Arrow, Csv, JsonLines, Markdown, Parquet, Table, Tsv
from setwise.errors import OutputError, did_you_mean
from setwise.system.files import written

__all__ = [
    "FORMATS", "SUFFIXES", "Asked", "Boards", "Matches", "Output", "Parquet", "Rows", "format_of", "opened",
    "schema_of_all",
]  # fmt: skip

_KINDS: tuple[type[Output], ...] = (
    Table, Csv, Tsv, JsonLines, Markdown, Fen, Epd, Pgn, Html, Parquet, Arrow,
)  # fmt: skip

#: The formats that a terminal or a pipe may be asked for, by name.
FORMATS = {kind.format.name: kind for kind in _KINDS if not kind.format.is_for_files}

#: The formats of files by the ends of their names.
SUFFIXES = {kind.format.suffix: kind for kind in _KINDS}


def format_of(path: str | os.PathLike[str], *, rows: bool = False) -> type[Output]:
    """Return the format that a path asks for by the end of its name.

    Args:
        path: where the file will be.
        rows: whether it must be a format for the rows of any table, not for positions alone.

    Raises:
        OutputError: when there is none, or the path is a directory.
    """
    path = Path(path)
    if path.is_dir():
        raise OutputError(f"{path} cannot be written: it is a directory")
    kinds = {suffix: kind for suffix, kind in SUFFIXES.items() if not rows or kind.format.is_of_rows}
    if path.suffix.lower() not in kinds:
        near = did_you_mean(path.suffix.lower(), kinds)
        raise OutputError(f"{path} should end in one of {' '.join(kinds)}, which says how to write it{near}")
    return kinds[path.suffix.lower()]


@contextmanager
def opened(path: str | os.PathLike[str], asked: Asked, kind: type[Output] | None = None) -> Iterator[Any]:
    """Yield an output into a file that gets its name when it is whole.

    After an error or Ctrl-C all that was written before stays as ``NAME.part``, readable; the output's ``part`` tells
    where. What cannot be made readable, on a full disk for example, is removed. An older file of that name stays.

    Args:
        path: where the file will be.
        asked: what is asked of it.
        kind: the format, else the one that the path asks for.

    Raises:
        OutputError: when the path cannot be written, or asks for no format.

    Example:
        >>> import tempfile
        >>> from setwise.corpus.query.search import Query, planned, search
        >>> file = Path(tempfile.mkdtemp(), "found.csv")
        >>> [(source, plan)] = planned(b"1. e4 e5 2. Nf3 *", Query("ply = 1", ["san", "black_pawns"]))
        >>> with opened(file, Asked(plan.schema)) as output:
        ...     for found in search([(source, plan)]):
        ...         output.write(found)
        >>> print(file.read_text())
        "san","black_pawns"
        "e5","a7 b7 c7 d7 e7 f7 g7 h7"
        <BLANKLINE>
    """
    kind = format_of(path) if kind is None else kind
    with written(path) as file:
        output = kind(file, asked)
        try:
            yield output
            output.close()
        except BaseException:
            if file.takes_name and _is_mended(output):
                file.is_worth_keeping, output.part = True, file.part
            raise


def _is_mended(output: Output) -> bool:
    """Make readable what has been written, if it can be and there is any."""
    try:
        output.mend()
    except Exception:  # noqa: BLE001  (the first error is the one to tell)
        return False
    return output.has_any


def schema_of_all(schemas: list[pa.Schema]) -> pa.Schema:
    """Return the columns of several sources together."""
    return pa.unify_schemas(schemas, promote_options="default")
