"""Database files of SQLite and DuckDB as sources: one table of positions or of games, read batch by batch.

The file is recognised by its first bytes. The table is the only one with a column of FENs, of PGN or of moves; of
several, ``games.db#TABLE`` names one; ``row_games`` reads it. The file is opened for reading only, and never changed.
What cannot be opened, such as a locked file, is refused in one sentence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa

from setwise.archives import is_stream
from setwise.corpus.sources import row_games, tables
from setwise.corpus.sources.jobs import Source
from setwise.corpus.sources.places import Beginning, database_in
from setwise.corpus.sources.row_games import GAMES
from setwise.errors import SourceError, shortened
from setwise.notation.text import decoded

#: The most letters of a list of tables in a message.
_LONGEST = 200
#: The Arrow type of a column of SQLite, by a word in its declared type; any other column has that of its values.
_TYPES = {
    "BOOL": pa.bool_(), "INT": pa.int64(), "REAL": pa.float64(), "FLOA": pa.float64(), "DOUB": pa.float64(),
    "CHAR": pa.string(), "CLOB": pa.string(), "TEXT": pa.string(), "BLOB": pa.string(),
}  # fmt: skip


class _Table(NamedTuple):
    """A table of a database: its name, and the columns with their types."""

    name: str
    schema: pa.Schema

    @property
    def fitting(self) -> str | None:
        """The column that decides how the table is read; None if it has neither positions nor games."""
        return row_games.fitting(self.schema.names)


class _Sqlite:
    """A database of SQLite, open for reading."""

    kind = "SQLite"

    def __init__(self, path: str) -> None:
        import sqlite3

        # The thread that reads the batches may be another one.
        uri = f"file:{quote(os.path.realpath(path))}?mode=ro"
        self._database = sqlite3.connect(uri, uri=True, timeout=1, check_same_thread=False)
        self.errors: tuple[type[Exception], ...] = (sqlite3.Error,)
        self.close = self._database.close

    def tables(self) -> Iterator[_Table]:
        """Yield the tables and views."""
        names = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'"
        for (name,) in self._database.execute(names).fetchall():
            columns = self._database.execute("select name, type from pragma_table_xinfo(?)", [name]).fetchall()
            every = [column for column, _ in columns]
            texts = every if row_games.fitting(every) is None else row_games.texts_in(every)
            kinds = [(it, _declared(of) or self._found(name, it, texts)) for it, of in columns]
            yield _Table(name, pa.schema(kinds))

    def _found(self, table: str, column: str, texts: list[str]) -> pa.DataType:
        """Return the type of the values of a column without a declared type, in which any row may have any."""
        if column in texts:
            return pa.string()
        query = f"select distinct typeof({_identifier(column)}) from {_identifier(table)}"  # noqa: S608
        found = {it for (it,) in self._database.execute(query)} - {"null"}
        if found == {"integer"}:
            return pa.int64()
        return pa.float64() if found and found <= {"integer", "real"} else pa.string()

    def batches(self, table: _Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a table."""
        names = ", ".join(map(_identifier, table.schema.names))
        cursor = self._database.execute(f"select {names} from {_identifier(table.name)}")  # noqa: S608
        while rows := cursor.fetchmany(GAMES):
            columns = zip(table.schema, zip(*rows, strict=True), strict=True)
            yield pa.record_batch([_converted(values, field) for field, values in columns], schema=table.schema)


def _converted(values: tuple[Any, ...], field: pa.Field) -> pa.Array:
    """Return the values of a column of SQLite, which may be of any type in each row, in the type of the column."""
    if field.type == pa.string():
        texts = (decoded(it) if isinstance(it, bytes) else it for it in values)
        return pa.array([None if it is None else str(it) for it in texts], pa.string())
    wrong: Iterator[Any] = iter(())
    if field.type == pa.bool_():
        wrong = (it for it in values if it not in {None, 0, 1})
    elif field.type == pa.int64():
        wrong = (it for it in values if isinstance(it, float) and not it.is_integer())
    for value in wrong:
        raise ValueError(f"its column {field.name} is declared with another type than that of its value {value!r:.40}")
    return pa.array(values, pa.int64() if field.type == pa.bool_() else field.type).cast(field.type)


def _declared(text: str) -> pa.DataType | None:
    return next((kind for word, kind in _TYPES.items() if word in text.upper()), None)


class _DuckDB:
    """A database of DuckDB, open for reading."""

    kind = "DuckDB"

    def __init__(self, path: str) -> None:
        import duckdb

        settings: dict[str, Any] = {
            "threads": 1,
            "enable_external_access": "false",
            "autoload_known_extensions": "false",
        }
        self._database = duckdb.connect(path, read_only=True, config=settings)
        self.errors: tuple[type[Exception], ...] = (duckdb.Error,)
        self.close = self._database.close

    def tables(self) -> Iterator[_Table]:
        """Yield the tables and views."""
        names = "select table_name from information_schema.tables where table_schema = 'main' order by all"
        for (name,) in self._database.execute(names).fetchall():
            yield _Table(name, self._rows(name, "limit 0").schema)

    def batches(self, table: _Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a table."""
        yield from self._rows(table.name)

    def _rows(self, name: str, rest: str = "") -> pa.RecordBatchReader:
        return self._database.cursor().sql(f"select * from {_identifier(name)} {rest}").to_arrow_reader(GAMES)  # noqa: S608


def _identifier(name: str) -> str:
    """Return a name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


_KINDS: dict[str, Callable[[str], _Sqlite | _DuckDB]] = {"SQLite": _Sqlite, "DuckDB": _DuckDB}


@contextmanager
def _opened(path: str, kind: str, name: str) -> Iterator[_Sqlite | _DuckDB]:
    """Yield an open database; raise errors about it as one sentence with the name of the source."""
    database = None
    try:
        with tables.reading(name):
            try:
                database = _KINDS[kind](path)
                yield database
            except Exception as error:
                if type(error).__module__ not in {"sqlite3", "duckdb", "_duckdb"}:
                    raise
                why = " ".join(str(error).removeprefix("IO Error: ").split())
                advice = "; close the program that writes it" if re.search(r"\block(ed)?\b", why) else ""
                raise SourceError(f"{name} cannot be read as a database of {kind}: {why[:_LONGEST]}{advice}") from None
    finally:
        if database is not None:
            database.close()


def recognised(beginning: Beginning) -> Source | None:
    """Return a table of a database file of SQLite or DuckDB; None for another beginning.

    Raises:
        SourceError: if the database cannot be read, or has not exactly one table with positions or games and none, or
            a missing one, is named.
    """
    kind = database_in(beginning.head)
    if kind is None:
        return None
    name = beginning.name
    if not isinstance(beginning.source, str | os.PathLike) or is_stream(beginning.source):
        raise SourceError(f"{name} is a database of {kind}, which is read in place: name its file")
    path = os.fspath(beginning.source)
    with _opened(path, kind, name) as database:
        table = _chosen(list(database.tables()), beginning.table, name)
        first = next(database.batches(table), pa.RecordBatch.from_pylist([], table.schema))

    def batches() -> Iterator[pa.RecordBatch]:
        with _opened(path, kind, name) as database:
            yield from database.batches(table)

    return row_games.source_of(name, first, batches)


def _chosen(every: list[_Table], named: str | None, name: str) -> _Table:
    """Return the named table, or the only one that has positions or games."""
    fitting = {it.name: it for it in every if it.fitting}
    if named in fitting:
        return fitting[named]
    if named is None and len(fitting) == 1:
        return next(iter(fitting.values()))
    listed = f"{', '.join(fitting or (it.name for it in every)) or 'none'}"[:_LONGEST]
    if not fitting:
        raise SourceError(f"{name} has no table with a column fen, pgn, moves or movetext; its tables: {listed}")
    if named is not None:
        raise SourceError(f"{name}: no table {shortened(named)} has positions or games; tables that have: {listed}")
    first = f"{Path(name).name}#{next(iter(fitting))}"
    raise SourceError(f"{name} has several tables with positions or games: {listed}; name one, as {first}")
