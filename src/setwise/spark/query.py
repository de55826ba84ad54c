"""The options of the PGN reader, parsed and checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from setwise.corpus.columns import COLUMNS, GAMES, TABLE_COLUMNS
from setwise.corpus.query.search import Plan, Query
from setwise.errors import QueryError, SourceError, did_you_mean, shortened
from setwise.features.own import load

__all__ = ["ReaderOptions", "parse_options", "path_of_file"]

_FAULTS = pa.schema(
    [
        ("source", pa.string()),
        ("game", COLUMNS["game"].type),
        ("line", pa.int64()),
        ("token", pa.string()),
        ("reason", pa.string()),
    ]
)
_TABLES = {"positions": None, "games": GAMES, "faults": _FAULTS}
_OPTIONS = ("path", "paths", "table", "columns", "where", "repertoires", "load", "partition_bytes", "push_filters")

_PARTITION_BYTES = 1 << 25
_COUNT = re.compile(r"[0-9]{1,15}")
_LEAST_BYTES, _MOST_BYTES = 1 << 10, 1 << 40
_FILE, _ELSEWHERE = re.compile(r"file:(//)?(?=/)"), re.compile(r"\w[\w+.-]+://")


class ReaderOptions(NamedTuple):
    """The parsed options: sources, table, columns, condition, own patterns, size of partitions."""

    paths: tuple[str, ...]
    table: str
    columns: tuple[str, ...] | None
    where: str | None
    #: The files that ``within`` and ``leaves`` may name.
    repertoires: tuple[str, ...]
    #: Files and modules of own patterns.
    load: tuple[str, ...]
    partition_bytes: int
    #: Whether workers evaluate filters of Spark's.
    push_filters: bool = False

    def plan(self, columns: tuple[str, ...] | None = None) -> Plan:
        """Return the plan of the query over PGN, with these columns or else those of the options.

        Raises:
            QueryError: for an unknown column or an invalid condition.
            DefinitionError: for patterns that cannot be loaded.
        """
        for name in self.load:
            load(name)
        columns = columns or self.columns
        known = _TABLES[self.table]
        if known is None:
            return Query(self.where, columns or TABLE_COLUMNS, files=self.repertoires).on({})
        names = list(columns or known.names)
        for name in names:
            if name not in known.names:
                near = did_you_mean(name, known.names)
                raise QueryError(f"the table {self.table} has no column {name!r:.60}{near}")
        return Plan(None, False, names, names, pa.schema([known.field(name) for name in names]))


def parse_options(options: Mapping[str, str]) -> ReaderOptions:
    """Return the parsed options.

    Raises:
        QueryError: for an unknown option or an invalid value.
        SourceError: if no path is given, or one that is not the path of a file.
    """
    for name in options:
        if name.lower() not in _OPTIONS:
            raise QueryError(f"the reader has no option {name!r:.60}{did_you_mean(name, _OPTIONS)}")
    table = options.get("table", "positions").strip().lower()
    if table not in _TABLES:
        raise QueryError(f"there is no table {table!r:.60}: there are {', '.join(_TABLES)}")
    where = options.get("where")
    if where is not None and table != "positions":
        raise QueryError(f"the option where is a condition on positions, and this is the table {table}: use filter()")
    return ReaderOptions(
        _paths(options), table, tuple(_listed(options, "columns")) or None, where,
        tuple(_listed(options, "repertoires")), tuple(_listed(options, "load")),
        _bytes(options.get("partition_bytes", str(_PARTITION_BYTES))), _flag(options.get("push_filters", "false")),
    )  # fmt: skip


def _listed(options: Mapping[str, str], name: str) -> list[str]:
    """The names in an option, separated by commas; an empty list if the option is missing."""
    if name not in options:
        return []
    names = [part.strip() for part in options[name].split(",")]
    if not all(names):
        raise QueryError(f"the option {name} is names with commas between them, not {shortened(options[name])}")
    return names


def _flag(text: str) -> bool:
    if text.strip().lower() not in {"true", "false"}:
        raise QueryError(f"the option push_filters is true or false, not {shortened(text)}")
    return text.strip().lower() == "true"


def _bytes(text: str) -> int:
    count = int(text) if _COUNT.fullmatch(text.strip()) else 0
    if not _LEAST_BYTES <= count <= _MOST_BYTES:
        raise QueryError(
            f"the option partition_bytes is a number of bytes from {_LEAST_BYTES:,} on, not {shortened(text)}"
        )
    return count


def _paths(options: Mapping[str, str]) -> tuple[str, ...]:
    paths = [options["path"]] if "path" in options else []
    if "paths" in options:
        paths += json.loads(options["paths"])
    if not paths:
        raise SourceError('nothing says which games to read: give load() a path, such as load("games/*.pgn")')
    return tuple(map(path_of_file, paths))


def path_of_file(path: str) -> str:
    """Return a path without ``file:``; raise ``SourceError`` for an address of something else than a file.

    Example:
        >>> path_of_file("file:///games/x.pgn")
        '/games/x.pgn'
    """
    if not _FILE.match(path) and (scheme := _ELSEWHERE.match(path)):
        raise SourceError(
            f"{shortened(path)} is not a path of a file: mount {scheme[0]} on all machines, and name the files"
        )
    return _FILE.sub("", path)
