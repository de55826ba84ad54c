"""The formats of results: names, suffixes of files, and the options of each format.

Help, errors about options and outputs use this table. It imports nothing, so that help need not wait for Arrow.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BOARDS", "COUNT", "FORMATS", "Format", "formats_with"]


class Format(NamedTuple):
    """A format, and what it can contain."""

    #: Its name in --format.
    name: str
    #: The suffix of its files; empty for a format for standard output only.
    suffix: str
    #: The options that change what it writes.
    options: frozenset[str]
    #: Whether it can contain the rows of any table, or positions only.
    is_of_rows: bool = True
    #: Whether it is for files only.
    is_for_files: bool = False


_ROWS = frozenset({"columns", "raw"})

FORMATS: dict[str, Format] = {
    it.name: it
    for it in (
        Format("table", ".txt", _ROWS),
        Format("csv", ".csv", _ROWS),
        Format("tsv", ".tsv", _ROWS),
        Format("jsonl", ".jsonl", _ROWS),
        Format("markdown", ".md", _ROWS),
        Format("fen", ".fen", frozenset(), is_of_rows=False),
        Format("epd", ".epd", frozenset(), is_of_rows=False),
        Format("pgn", ".pgn", frozenset({"columns", "pgn", "without"}), is_of_rows=False),
        Format("html", ".html", frozenset({"columns", "side"}), is_of_rows=False),
        # In these, sets are always numbers.
        Format("parquet", ".parquet", _ROWS, is_for_files=True),
        Format("arrow", ".arrow", _ROWS, is_for_files=True),
    )
}
#: Further formats for standard output: drawn boards, or a number.
BOARDS = Format("boards", "", frozenset({"columns", "side"}), is_of_rows=False)
COUNT = Format("count", "", frozenset(), is_of_rows=False)


def formats_with(option: str) -> list[str]:
    """Return the names of the formats that have an option.

    Example:
        >>> formats_with("without")
        ['pgn']
    """
    return [it.name for it in (*FORMATS.values(), BOARDS) if option in it.options]
