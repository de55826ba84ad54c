"""A table that is larger than the memory: DuckDB keeps on disk what it has no room for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from setwise.corpus.language.database import reason
from setwise.corpus.language.tree import open_database
from setwise.corpus.search import usable_threads
from setwise.errors import OutputError

__all__ = ["Spilling", "spilling"]

#: What the table may keep in memory; working on it takes about as much again.
_MEMORY = "256MB"
#: Bytes that are handed to the database at once, and rows that come back.
_ENOUGH, _ROWS = 1 << 24, 1 << 14


class Spilling:
    """A table, filled batch by batch, that answers questions in bounded memory."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self.database = database
        self.has_games = False

    def fill(self, tables: Iterable[pa.Table], select: str = "*") -> None:
        """Make the table ``games`` of batches with the same columns, or of what SQL selects from those."""
        held: list[pa.Table] = []
        for table in tables:
            held.append(table)
            if not self.has_games or sum(it.nbytes for it in held) >= _ENOUGH:
                self._append(pa.concat_tables(held), select)
                held = []
        if held:
            self._append(pa.concat_tables(held), select)

    def _append(self, table: pa.Table, select: str) -> None:
        self.database.register("batch", table)
        into = "insert into games" if self.has_games else "create table games as"
        self.database.execute(f"{into} select {select} from batch")  # noqa: S608  (our own columns)
        self.database.unregister("batch")
        self.has_games = True

    def answer(self, query: str) -> Iterator[pa.Table]:
        """Yield the rows that a SELECT from ``games`` gives, some at a time."""
        if not self.has_games:
            return
        for batch in self.database.sql(query).to_arrow_reader(_ROWS):
            yield pa.Table.from_batches([batch])


@contextmanager
def spilling(threads: int | None) -> Iterator[Spilling]:
    """Yield an empty table that is gone at the end.

    Raises:
        OutputError: when the disk is full.
    """
    with tempfile.TemporaryDirectory(prefix="setwise-") as folder:
        database = open_database(
            usable_threads(threads),
            temp_directory=folder,
            memory_limit=_MEMORY,
            preserve_insertion_order="false",
            python_enable_replacements="false",
        )
        try:
            yield Spilling(database)
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            raise OutputError(
                f"there is no room for what does not fit the memory in {folder}: {reason(error)}"
            ) from None
        finally:
            database.close()
