"""Conditions over stored columns: DuckDB reads the Parquet files of a scan itself.

A condition is divided where AND joins its parts. DuckDB evaluates the parts that need only stored columns, row by row,
in the files; the parts that are left are evaluated on the rows that it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

import duckdb
import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import RATINGS
from setwise.corpus.language.condition import GAME, LINE, ROW, Condition, files_database
from setwise.corpus.language.plain import PlainCondition, plain
from setwise.corpus.language.tree import Node, identifier, parsed, text_of
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
    if (whole := _in_sql(condition, are_stored)) is not None:
        return Divided(StoredCondition(whole), [condition], [])
    parts = _parts(condition)
    found = [it for it in parts if _in_sql(it, are_stored) is not None]
    if not found:
        return Divided(None, [], [condition])
    text = " and ".join(f"(\n{it.text}\n)" for it in found)
    stored = StoredCondition(Condition(text, condition.source_columns))
    return Divided(stored, found, [it for it in parts if it not in found])


def _in_sql(condition: PlainCondition | Condition, are_stored: Callable[[Iterable[str]], bool]) -> Condition | None:
    """Return the condition for DuckDB if it can evaluate it on stored columns, row by row; else None."""
    if not condition.columns or condition.reads_other_rows or not are_stored(condition.columns):
        return None
    in_sql = condition if isinstance(condition, Condition) else Condition(condition.text, condition.source_columns)
    return in_sql if in_sql.is_of_columns else None


def _parts(condition: PlainCondition | Condition) -> list[PlainCondition | Condition]:
    """Return the conditions that AND joins in a condition."""
    text = f"select 1 where (\n{condition.text}\n)"
    try:
        tree = parsed(text, "condition", closed=True)["statements"][0]["node"]["where_clause"]
        texts = map(text_of, _joined(tree))
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
    """A condition that needs only stored columns."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition

    def rows(self, files: list[StoredFiles], threads: int) -> Iterator[np.ndarray]:
        """Yield for each file the rows that match; one statement reads as many files as memory allows."""
        with files_database(threads, paths_of(files)) as database:
            yield from self._rows(database, files)

    def _rows(self, database: duckdb.DuckDBPyConnection, files: list[StoredFiles]) -> Iterator[np.ndarray]:
        """Yield for each file the rows that match; one statement reads as many files as memory allows."""
        for some in _together(files):
            with _viewed(database, some):
                matches = self.condition.matches_in(database)
            ends = np.searchsorted(matches, np.arange(1, len(some)) << _ROW_BITS)
            yield from (in_file & _ROW_MASK for in_file in np.split(matches, ends))

    def table(self, files: list[StoredFiles], schema: pa.Schema, threads: int) -> pa.Table:
        """Return the stored columns of a schema for all positions that match, in order."""
        stopping = ExitStack()

        def read() -> pa.Table:
            with files_database(threads, paths_of(files)) as database, _viewed(database, files):
                stopping.callback(database.interrupt)
                # DuckDB keeps the order of files and of rows, except in a join.
                return self.condition.table_of_matches(database, schema.names, in_order=not files[0].of_games)

        return interruptible(read, stopping.close).cast(schema)


@contextmanager
def _viewed(database: duckdb.DuckDBPyConnection, files: list[StoredFiles]) -> Iterator[None]:
    """Check files, and define them as the view ``positions`` of a database; errors during reading name the files."""
    for stored in files:
        stored.check()
    try:
        database.execute(f"create or replace temp view positions as {relation(files)}").fetchall()
        yield
    except duckdb.IOException as error:
        names = files[0].positions if len(files) == 1 else f"one of {files[0].positions} to {files[-1].positions}"
        raise SourceError(f"{names} cannot be read: {str(error).splitlines()[0]}") from None


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
