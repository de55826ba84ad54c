"""The formats of results: names, ends of files' names, and the options that each one understands.

Help, refusals and outputs read this one table. It imports nothing, since help must not wait for Arrow.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BOARDS", "COUNT", "FORMATS", "Format", "formats_with"]


class Format(NamedTuple):
    """A format, and what it can hold."""

    #: What --format calls it.
    name: str
    #: How the names of its files end; nothing where it goes to standard output alone.
    suffix: str
    #: The options that change what it writes.
    options: frozenset[str]
    #: Whether it holds the rows of any table; else positions alone.
    is_of_rows: bool = True
    #: Whether it goes into files alone.
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
        # Sets are numbers there in any case.
        Format("parquet", ".parquet", _ROWS, is_for_files=True),
        Format("arrow", ".arrow", _ROWS, is_for_files=True),
    )
}
#: What standard output may have besides: drawn boards, or a number.
BOARDS = Format("boards", "", frozenset({"columns", "side"}), is_of_rows=False)
COUNT = Format("count", "", frozenset(), is_of_rows=False)


def formats_with(option: str) -> list[str]:
    """Return the names of the formats that understand an option.

    Example:
        >>> formats_with("without")
        ['pgn']
    """
    return [it.name for it in (*FORMATS.values(), BOARDS) if option in it.options]
