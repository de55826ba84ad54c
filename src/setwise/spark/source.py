"""Games and positions as a source of Spark: schema, filters that reach the files, queries on workers.

The driver parses the options, where a wrong option raises an error of one sentence, and divides the files into
partitions of about equal size. A worker gets a partition and runs the same query over it as ``find`` does on one
machine, so columns and conditions have the same meaning. Spark has no unsigned numbers, so sets are signed 64-bit
numbers there: filters evaluated here compare sets only for equality, and Spark makes all other comparisons of sets.
Workers that share a cache folder compile one after the other, so that a machine with many cores compiles only once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import filelock
import pyarrow as pa
from pyspark.sql import datasource
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    In,
    InputPartition,
    IsNotNull,
    IsNull,
    Not,
)
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from setwise import __version__
from setwise.compiler import cache_directory
from setwise.corpus.columns import COLUMNS, GAMES, TABLE_COLUMNS, games_table
from setwise.corpus.query.search import BatchResult, Query, search, usable_threads
from setwise.corpus.sources.game_tables import RowsOfGames
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import recognised
from setwise.corpus.sources.places import expanded
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import packed_schema
from setwise.corpus.storage.log import TABLES, contents_of
from setwise.errors import QueryError, SourceError, did_you_mean, shortened
from setwise.features.own import load
from setwise.game.games import Range

# --------------------------------------------------------------------------------- let one of several processes compile


#: The names of the work whose code is compiled, as far as this process knows.
_done: set[str] = set()


@contextlib.contextmanager
def compiled_once(*key: object) -> Iterator[None]:
    """Run the block in one process at a time, until one process with the same cache folder has completed it.

    Args:
        key: the values that the compiled code depends on; work whose keys have the same text is the same work.

    Without a cache folder no process waits.
    """
    name = f"done-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
    folder = None if name in _done else cache_directory()
    if folder is None:
        yield
        return
    done = folder / name
    with contextlib.ExitStack() as locks:
        if not done.exists():
            locks.enter_context(filelock.FileLock(folder / "compiling.lock"))
        if done.exists():  # another process has completed it meanwhile
            locks.close()
        yield
        with contextlib.suppress(OSError):
            done.touch()
        _done.add(name)


# ------------------------------------------------------------------------------------- filters of Spark's as conditions


_ORDERED = {
    datasource.LessThan: "<",
    datasource.LessThanOrEqual: "<=",
    datasource.GreaterThan: ">",
    datasource.GreaterThanOrEqual: ">=",
}


def condition_of(filtered: Filter) -> str | None:
    """Return a condition that keeps the same rows as a filter; None for a filter that Spark has to evaluate.

    Sets are signed numbers in Spark, so only filters that test sets for equality become conditions.

    Example:
        >>> from pyspark.sql.datasource import EqualTo, GreaterThan, In, Not
        >>> condition_of(EqualTo(("white_king",), -(2**63))), condition_of(Not(In(("result",), ("1-0", "0-1"))))
        ('white_king = 9223372036854775808::ubigint', "result not in ('1-0', '0-1')")
        >>> condition_of(GreaterThan(("ply",), 20)), condition_of(GreaterThan(("white_king",), 0))
        ('ply > 20', None)
    """
    negated = isinstance(filtered, Not)
    inner: Any = filtered.child if isinstance(filtered, Not) else filtered
    path: tuple[str, ...] = getattr(inner, "attribute", ())
    if len(path) != 1 or path[0] not in COLUMNS or not path[0].isidentifier():
        return None
    name, kind = path[0], _plain(COLUMNS[path[0]].type)
    try:
        if isinstance(inner, IsNull | IsNotNull):
            return f"{name} is {'not ' if negated != isinstance(inner, IsNotNull) else ''}null"
        if isinstance(inner, EqualTo):
            return f"{name} {'<>' if negated else '='} {_literal(inner.value, kind)}"
        if isinstance(inner, In) and inner.value:
            values = ", ".join(_literal(value, kind) for value in inner.value)
            return f"{name} {'not ' if negated else ''}in ({values})"
        if type(inner) in _ORDERED and not negated and pa.types.is_signed_integer(kind):
            return f"{name} {_ORDERED[type(inner)]} {_literal(inner.value, kind)}"
    except QueryError:
        return None
    return None


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _literal(value: Any, kind: pa.DataType) -> str:
    """A value as SQL; raises ``QueryError`` if a column of this type cannot be compared with the value."""
    if isinstance(value, bool) and pa.types.is_boolean(kind):
        return str(value).lower()
    if isinstance(value, str) and pa.types.is_string(kind):
        return "'" + value.replace("'", "''") + "'"
    if type(value) is int and pa.types.is_integer(kind):
        return f"{value % 2**64}::ubigint" if kind == pa.uint64() else str(value)  # a set, not a number
    raise QueryError(f"{value!r:.60} is not a value of {kind}")


# -------------------------------------------------------------------- the options of the PGN reader, parsed and checked


_TEXT = pa.string()
_FAULTS = pa.schema(
    {"source": _TEXT, "game": COLUMNS["game"].type, "line": pa.int64(), "token": _TEXT, "reason": _TEXT}
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
    #: Whether the workers evaluate the filters that Spark passes.
    push_filters: bool = False

    def question(self, columns: tuple[str, ...] | None = None) -> Question:
        """Return the question to PGN, with these columns, or by default the columns of the options.

        Raises:
            QueryError: for an unknown column or an invalid condition.
            DefinitionError: for patterns that cannot be loaded.
        """
        for name in self.load:
            load(name)
        columns = columns or self.columns
        known = _TABLES[self.table]
        if known is None:
            return Query(self.where, columns or TABLE_COLUMNS, files=self.repertoires).of({})
        names = list(columns or known.names)
        for name in names:
            if name not in known.names:
                near = did_you_mean(name, known.names)
                raise QueryError(f"the table {self.table} has no column {name!r:.60}{near}")
        return Question(None, False, names, names, pa.schema([known.field(name) for name in names]))


def parse_options(options: Mapping[str, str]) -> ReaderOptions:
    """Return the parsed options.

    Raises:
        QueryError: for an unknown option or an invalid value.
        SourceError: if there is no path, or a path is an address of anything but a file.
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
    """Return a path without ``file:``; raise ``SourceError`` for an address of anything but a file.

    Example:
        >>> path_of_file("file:///games/x.pgn")
        '/games/x.pgn'
    """
    if not _FILE.match(path) and (scheme := _ELSEWHERE.match(path)):
        raise SourceError(
            f"{shortened(path)} is not a path of a file: mount {scheme[0]} on all machines, and name the files"
        )
    return _FILE.sub("", path)


# ------------------------------------------------------------ types of columns in Spark, which has no unsigned integers


_WIDER = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.int64()}


def spark_kind(kind: pa.DataType) -> pa.DataType:
    """Return the Arrow type in which Spark accepts a column of this type.

    Example:
        >>> import pyarrow as pa
        >>> spark_kind(pa.uint64()), spark_kind(pa.uint8()), spark_kind(pa.dictionary(pa.int32(), pa.string()))
        (DataType(int64), DataType(int16), DataType(string))
    """
    if pa.types.is_dictionary(kind):
        return spark_kind(kind.value_type)
    if pa.types.is_list(kind):
        return pa.list_(spark_kind(kind.value_type))
    return _WIDER.get(kind, kind)


def spark_schema(schema: pa.Schema) -> StructType:
    """Return the schema of some columns as a schema of Spark."""
    return from_arrow_schema(pa.schema([field.with_type(spark_kind(field.type)) for field in schema]))


def signed(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column in a type that Spark has: sets keep their bits, all other columns keep their values.

    Example:
        >>> import pyarrow as pa
        >>> signed(pa.array([1, 2**63], pa.uint64()), pa.int64()).to_pylist()
        [1, -9223372036854775808]
    """
    if column.type == kind:
        return column
    return column.view(kind) if column.type == pa.uint64() and kind == pa.int64() else column.cast(kind)


def unsigned(column: pa.Array) -> pa.Array:
    """Return a column of longs, which are sets in Spark, as unsigned sets; return other columns unchanged.

    Example:
        >>> import pyarrow as pa
        >>> unsigned(pa.array([1, -(2**63)])).to_pylist()
        [1, 9223372036854775808]
    """
    return column.view(pa.uint64()) if column.type == pa.int64() else column


def batches_of(table: pa.Table, schema: StructType) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table as Spark expects them.

    Raises:
        QueryError: for a column that does not fit the type declared in the schema.
    """
    expected = to_arrow_schema(schema, timezone="UTC")
    for batch in table.to_batches():
        columns = []
        for field in expected:
            try:
                columns.append(signed(batch.column(field.name), field.type))
            except pa.ArrowException as error:
                raise QueryError(f"the column {field.name} is no {field.type}: {error}") from None
        yield pa.RecordBatch.from_arrays(columns, schema=expected)


# --------------------------------------------------------------------------------------- PGN as a data source for Spark


#: The columns whose values are counted from the beginning of a file: the number of the game, and of the line.
_COUNTED = {"game", "line"}


class Pgn(DataSource):
    """Games as Spark tables: ``spark.dataSource.register(Pgn)`` registers the format ``pgn``.

    Large files are cut into ranges, each a partition of whole games: plain text anywhere, archives between frames if
    the frames store their sizes, as the archives of Lichess and of pzstd do. Any other archive is one partition.

    Options:
        path: the argument of ``load``: files, folders or patterns of names, which must be the same on every machine.
        table: ``positions``, the default, ``games``, or ``faults``: where games break off.
        columns: names from ``setwise.columns()``, separated by commas; only these columns are computed.
        where: a condition, as for ``setwise.find``; only positions that match leave the workers.
        repertoires: the files that ``within('…')`` and ``leaves('…')`` may name, separated by commas.
        load: files or modules of own patterns, separated by commas.
        push_filters: ``true`` if the workers are to evaluate filters; Spark must allow it, by its setting
            ``spark.sql.python.filterPushdown.enabled``.
        partition_bytes: about how many bytes of text a partition has; by default 32 MB.

    Example:
        >>> spark.dataSource.register(setwise.spark.Pgn)  # doctest: +SKIP
        >>> games = spark.read.format("pgn").option("columns", "own_safe_fork_squares,white_elo")  # doctest: +SKIP
        >>> games.load("games/*.pgn.zst").filter("own_safe_fork_squares <> 0").count()  # doctest: +SKIP

    Traps:
        Sets are signed numbers with the same 64 bits, negative if h8 is in the set. ``game`` is counted from the
        beginning of the file: if this column is requested, and for the table of faults, the driver counts the games of
        all files that are cut into ranges before the job begins.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self.parsed = parse_options(options)

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "pgn"

    def schema(self) -> StructType:
        """Return the requested columns with Spark's types."""
        list(_files(self.parsed.paths))
        # Spark is faster with columns that are declared to have no nulls.
        return spark_schema(packed_schema(self.parsed.question().schema, {}))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of these columns."""
        return (_FilteringReader if self.parsed.push_filters else _Reader)(self.parsed, schema)


class _Reader(DataSourceReader):
    def __init__(self, parsed: ReaderOptions, schema: StructType) -> None:
        self.parsed, self.expected = parsed, schema
        self.columns = tuple(schema.names)
        question = parsed.question(self.columns)
        if parsed.columns is not None and question.columns != parsed.question().columns:
            raise QueryError("the option columns and the schema do not name the same columns: leave one of them out")
        self.is_counted = bool(
            _COUNTED & {*question.columns, *(question.condition.columns if question.condition is not None else ())}
        )

    def partitions(self) -> Sequence[InputPartition]:
        """Return the ranges of all files, with small files combined."""
        parts: list[list[Range | RowsOfGames]] = []
        room = 0
        for path in _files(self.parsed.paths):
            opened = recognised(path)
            if not opened.has_texts:
                raise SourceError(
                    f"{path} is not PGN; Spark reads other formats itself, and setwise's functions work on them"
                )
            numbered_by = usable_threads(None) if self.is_counted else None
            for it in opened.divided(self.parsed.partition_bytes, numbered_by=numbered_by):
                if it.size > room:
                    parts.append([])
                    room = self.parsed.partition_bytes
                parts[-1].append(it)
                room -= it.size
        return [InputPartition(tuple(part)) for part in parts]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all ranges of a partition."""
        tables = self._tables(partition.value)
        with compiled_once(__version__, self.parsed._replace(paths=()), self.columns):
            first = next(tables, None)
        if first is not None:
            yield from batches_of(first, self.expected)
        for table in tables:
            yield from batches_of(table, self.expected)

    def _tables(self, some: Sequence[Range | RowsOfGames]) -> Iterator[pa.Table]:
        question = self.parsed.question(self.columns)
        compute = {"positions": BatchResult.table, "games": _games, "faults": _faults}[self.parsed.table]
        sources = ((recognised(it), question._replace(compute=compute)) for it in some)
        for result in search(sources, threads=1):
            if result.computed.num_rows:
                yield result.computed


class _FilteringReader(_Reader):
    """A reader whose workers evaluate the filters of Spark that can be written as conditions."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        """Add filters to the condition; yield the filters that Spark has to evaluate."""
        for it in filters:
            parsed = self._with(condition_of(it))
            if parsed is None:
                yield it
            else:
                self.parsed = parsed

    def _with(self, condition: str | None) -> ReaderOptions | None:
        """The options with one more condition; None if the condition is refused, for example if it never matches."""
        if condition is None or self.parsed.table != "positions":
            return None
        where = " and ".join(f"({part})" for part in (self.parsed.where, condition) if part is not None)
        parsed = self.parsed._replace(where=where)
        try:
            parsed.question(self.columns)
        except QueryError:
            return None
        return parsed


def _games(result: BatchResult) -> pa.Table:
    return games_table(result.games, result.batch.faults, result.question.columns)


def _faults(result: BatchResult) -> pa.Table:
    rows = [fault._asdict() for fault in result.batch.faults]
    return pa.Table.from_pylist(rows, schema=result.question.schema)


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files of the paths; every path must exist."""
    for path in paths:
        if Path(path, layout.MANIFEST).is_file():
            if TABLES not in contents_of(Path(path)).layers:
                raise SourceError(f"{path} is an index: Spark reads its packed games, {path}/{layout.PACKED}")
            raise SourceError(f"{path} is a scan: setwise.spark.read_scan reads it")
    for path in expanded(paths):
        if not Path(path).is_file():
            raise SourceError(f"there is no file {path}")
        yield path
