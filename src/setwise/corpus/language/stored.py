"""Conditions over stored columns: DuckDB reads the Parquet files of a scan itself.

A condition is divided where AND joins its parts. DuckDB evaluates the parts that need only stored columns, row by row,
in the files; the parts that are left are evaluated on the rows that it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import RATINGS
from setwise.corpus.language.condition import GAME, LINE, ROW, Condition, files_database, reason
from setwise.corpus.language.plain import PlainCondition, plain
from setwise.corpus.language.tree import Node, identifier, parsed, quoted, text_of
from setwise.corpus.sources.jobs import Divided, StoredFiles
from setwise.errors import QueryError, SourceError
from setwise.system.processes import interruptible

#: The most rows in the files of one statement; the number of each matching row takes eight bytes.
_MOST_ROWS = 1 << 24
#: The bits of a row's number in its file; the number of the file in the statement is in the bits above these.
_ROW_BITS = np.int64(40)
_ROW_MASK = (np.int64(1) << _ROW_BITS) - np.int64(1)


def divided(condition: PlainCondition | Condition, are_stored: Callable[[Iterable[str]], bool]) -> Divided:
    """Return a condition in two parts, as ``Question.divide`` does."""

    def is_found(it: PlainCondition | Condition) -> bool:
        in_sql = isinstance(it, PlainCondition) or it.is_of_columns
        return bool(it.columns) and in_sql and not it.reads_other_rows and are_stored(it.columns)

    parts: Sequence[PlainCondition | Condition] = [condition]
    if not is_found(condition):
        parts = condition.parts() if isinstance(condition, PlainCondition) else _parts(condition)
    found = [it for it in parts if is_found(it)]
    if not found:
        return Divided(None, [], [condition])
    where = " and ".join(f"(\n{it.where}\n)" for it in found)
    return Divided(StoredCondition(condition.text, where), found, [it for it in parts if it not in found])


def _parts(condition: Condition) -> list[PlainCondition | Condition]:
    """Return the conditions that AND joins in a condition."""
    try:
        tree = parsed(f"select 1 where (\n{condition.text}\n)", "condition", closed=True)
        texts = map(text_of, _joined(tree["statements"][0]["node"]["where_clause"]))
        return [plain(it, condition.source_columns) or Condition(it, condition.source_columns) for it in texts]
    except QueryError:  # a part that has no meaning without the others, such as a window's name
        return [condition]


def _joined(tree: Node) -> Iterator[Node]:
    if tree.get("type") != "CONJUNCTION_AND":
        yield tree
        return
    for child in tree["children"]:
        yield from _joined(child)


class StoredCondition:
    """A condition that DuckDB evaluates on stored columns, row by row.

    Args:
        text: the condition that it is, or is a part of, for messages.
        where: SQL over the columns.
    """

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where = text, where

    def rows(self, files: list[StoredFiles], threads: int) -> Iterator[np.ndarray]:
        """Yield for each file the rows that match; one statement reads as many files as memory allows."""
        with files_database(threads, paths_of(files)) as database:
            for some in _together(files):
                rows = self._matches(database, some, [ROW]).column(ROW).to_numpy()
                matches = rows if _is_ascending(rows) else np.sort(rows)
                ends = np.searchsorted(matches, np.arange(1, len(some)) << _ROW_BITS)
                yield from (in_file & _ROW_MASK for in_file in np.split(matches, ends))

    def table(self, files: list[StoredFiles], schema: pa.Schema, threads: int) -> pa.Table:
        """Return the stored columns of a schema for all positions that match, in order."""
        stopping = ExitStack()
        # DuckDB keeps the order of files and of rows, except in a join.
        is_joined = bool(files[0].of_games)

        def read() -> pa.Table:
            with files_database(threads, paths_of(files)) as database:
                stopping.callback(database.interrupt)
                return self._matches(database, files, [*([ROW] if is_joined else []), *schema.names])

        table = interruptible(read, stopping.close)
        if is_joined:
            rows = table.column(ROW).to_numpy()
            table = (table if _is_ascending(rows) else table.take(pa.array(np.argsort(rows)))).drop_columns([ROW])
        return table.cast(schema)

    def _matches(self, database: duckdb.DuckDBPyConnection, files: list[StoredFiles], names: list[str]) -> pa.Table:
        """Return columns of the matches in files, after their bytes are compared with the checksums."""
        for stored in files:
            stored.check()
        columns = ", ".join(map(identifier, names))
        try:
            return database.sql(f"select {columns} from ({relation(files)}) where {self.where}").to_arrow_table()
        except duckdb.Error as error:
            refuse_missing(files)
            if isinstance(error, duckdb.IOException):
                first, last = files[0].positions, files[-1].positions
                read = first if first == last else f"one of {first} to {last}"
                raise SourceError(f"{read} cannot be read: {str(error).splitlines()[0]}") from None
            raise QueryError(f"the condition {quoted(self.text)} cannot be answered: {reason(error)}") from None


def _is_ascending(rows: np.ndarray) -> bool:
    return bool((rows[1:] > rows[:-1]).all())


def _together(files: list[StoredFiles]) -> Iterator[list[StoredFiles]]:
    """Yield the files for each statement: only one file at first, so that the first matches come early, then more."""
    start, most = 0, 0
    while start < len(files):
        stop, rows = start + 1, files[start].rows
        while stop < len(files) and rows + files[stop].rows <= most:
            stop, rows = stop + 1, rows + files[stop].rows
        yield files[start:stop]
        start, most = stop, _MOST_ROWS


def paths_of(files: Iterable[StoredFiles]) -> list[str]:
    """Return the paths of all files."""
    return list(dict.fromkeys(path for stored in files for path in (stored.positions, stored.games)))


def refuse_missing(files: Iterable[StoredFiles]) -> None:
    """Raise ``SourceError`` if a file is gone: DuckDB says so in other words."""
    if gone := next((path for path in paths_of(files) if not Path(path).exists()), None):
        raise SourceError(f"{gone} is missing: if it was replaced while it was read, ask again") from None


def relation(files: list[StoredFiles]) -> str:
    """Return a SELECT of the stored columns of files that have the same columns, and of the columns of row and game."""
    first = files[0]
    stored = [("p", first.of_positions), ("g", first.of_games)]
    names = [_known(f"{table}.{identifier(name)}", name) for table, own in stored for name in own]
    rows = [f"(p.file_index::bigint << {_ROW_BITS}) + p.file_row_number as {ROW}", f"p.game as {GAME}", f"0 as {LINE}"]
    joined = (
        f" join read_parquet({_list(dict.fromkeys(it.games for it in files))}) g using (source, game)"
        if first.of_games
        else ""
    )
    read = f"read_parquet({_list(it.positions for it in files)}, file_row_number = true, hive_partitioning = false)"
    return f"select {', '.join([*rows, *names])} from {read} p{joined}"


def _known(column: str, name: str) -> str:
    """Return a stored column with the values that conditions expect: old scans have ratings of 0 for null."""
    return f"nullif({column}, 0) as {identifier(name)}" if name in RATINGS else column


def _list(paths: Iterable[str]) -> str:
    texts = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"[{texts}]"
