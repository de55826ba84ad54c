"""Outputs of results: to a file, in the format of its suffix, or to standard output, in a named format.

A format is a class in this package and an entry of ``OUTPUTS``. Help, completion, error messages and the page take
their lists from ``OUTPUTS``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setwise.corpus.outputs.boards import Boards, Html
from setwise.corpus.outputs.lines import Csv, Epd, Fen, JsonLines, Markdown, TableOutput, Tsv
from setwise.corpus.outputs.output import Matches, Output, Request, Rows
from setwise.corpus.outputs.packed import Arrow, Parquet
from setwise.corpus.outputs.pgn import PgnOutput
from setwise.errors import OutputError, did_you_mean
from setwise.system.files import written

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "OUTPUTS", "Boards", "Matches", "Output", "Parquet", "Request", "Rows", "Tsv", "by_name", "by_suffix", "downloads",
    "format_of", "names_with", "opened", "schema_of_all",
]  # fmt: skip

#: All formats, in the order in which they are listed.
OUTPUTS: list[type[Output]] = [
    TableOutput, Csv, Tsv, JsonLines, Markdown, Fen, Epd, PgnOutput, Html, Parquet, Arrow, Boards
]  # fmt: skip


def by_name(*, rows: bool = False) -> dict[str, type[Output]]:
    """Return the formats for --format, by name; with ``rows``, only the formats for the rows of any table."""
    return {it.name: it for it in by_suffix(rows=rows).values() if not it.is_for_files}


def by_suffix(*, rows: bool = False) -> dict[str, type[Output]]:
    """Return the formats for files, by suffix; with ``rows``, only the formats for the rows of any table."""
    return {it.suffix: it for it in OUTPUTS if it.suffix and (it.is_of_rows or not rows)}


def downloads() -> dict[str, type[Output]]:
    """Return the formats that the page offers, by suffix: the formats of positions first."""
    offered = (it for it in OUTPUTS if it.media_type)
    return {it.suffix: it for it in sorted(offered, key=lambda it: it.is_of_rows)}


def names_with(option: str) -> list[str]:
    """Return the names of the formats that have an option.

    Example:
        >>> names_with("without")
        ['pgn']
    """
    return [it.name for it in OUTPUTS if option in it.options]


def format_of(path: str | os.PathLike[str], *, rows: bool = False) -> type[Output]:
    """Return the format for the suffix of a path.

    Args:
        path: the path of the new file.
        rows: whether the format must be able to contain the rows of any table, and not only positions.

    Raises:
        OutputError: if no format has the suffix, or the path is a directory.
    """
    path = Path(path)
    if path.is_dir():
        raise OutputError(f"{path} cannot be written: it is a directory")
    kinds = by_suffix(rows=rows)
    if path.suffix.lower() not in kinds:
        near = did_you_mean(path.suffix.lower(), kinds)
        raise OutputError(f"{path} should end in one of {' '.join(kinds)}, which says how to write it{near}")
    return kinds[path.suffix.lower()]


@contextmanager
def opened(path: str | os.PathLike[str], request: Request, kind: type[Output] | None = None) -> Iterator[Any]:
    """Yield an output into a file that gets its name only when it is complete.

    After an error or Ctrl-C, the rows written so far remain in a readable file ``NAME.part``, and ``part`` of the
    output is its path. If the file cannot be made readable, for example on a full disk, it is removed. An existing file
    ``NAME`` is not changed.

    Args:
        path: the path of the new file.
        request: what to write, and how.
        kind: the format, by default chosen by the path's suffix.

    Raises:
        OutputError: if the path cannot be written, or no format has its suffix.

    Example:
        >>> import tempfile
        >>> from setwise.corpus.query.search import Query, planned, search
        >>> file = Path(tempfile.mkdtemp(), "found.csv")
        >>> [(source, question)] = planned(b"1. e4 e5 2. Nf3 *", Query("ply = 1", ["san", "black_pawns"]))
        >>> with opened(file, Request(question.schema)) as output:
        ...     for result in search([(source, question)]):
        ...         output.write(result)
        >>> print(file.read_text())
        "san","black_pawns"
        "e5","a7 b7 c7 d7 e7 f7 g7 h7"
        <BLANKLINE>
    """
    kind = format_of(path) if kind is None else kind
    with written(path) as file:
        output = kind(file, request)
        try:
            yield output
            output.close()
        except BaseException:
            if file.takes_name and _is_repaired(output):
                file.is_worth_keeping, output.part = True, file.part
            raise


def _is_repaired(output: Output) -> bool:
    """Make the unfinished file readable; return whether this succeeded and the file has any contents."""
    try:
        output.repair()
    except Exception:  # noqa: BLE001  (the first error is the one to report)
        return False
    return output.has_any


def schema_of_all(schemas: list[pa.Schema]) -> pa.Schema:
    """Return a schema with the columns of all sources."""
    import pyarrow as pa

    return pa.unify_schemas(schemas, promote_options="default")
