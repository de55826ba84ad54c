"""PGN as a data source for Spark: partitions are ranges of files, rows are Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition
from pyspark.sql.types import StructType

from setwise import __version__
from setwise.corpus.columns import games_table
from setwise.corpus.query.search import BatchResult, search, usable_threads
from setwise.corpus.sources.expansion import expanded
from setwise.corpus.sources.game_tables import RowsOfGames
from setwise.corpus.sources.indexes import index_in
from setwise.corpus.sources.kinds import recognised
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import packed_schema
from setwise.errors import QueryError, SourceError
from setwise.game.ranges import Range
from setwise.spark.compiling import compiled_once
from setwise.spark.filters import condition_of
from setwise.spark.query import ReaderOptions, parse_options
from setwise.spark.schema import batches_of, spark_schema

__all__ = ["Pgn"]

#: The columns that need games, or lines, counted from the beginning of a file.
_COUNTED = {"game", "line"}


class Pgn(DataSource):
    """Games as Spark tables: ``spark.dataSource.register(Pgn)`` registers the format ``pgn``.

    Large files are cut into ranges, each a partition of whole games: plain text anywhere, archives between frames if
    the frames have their sizes stored, as those of Lichess and of pzstd have. Other archives are one partition each.

    Options:
        path: the argument of ``load``: files, folders, patterns of names, the same on every machine.
        table: ``positions``, the default, ``games``, or ``faults``: where games break off.
        columns: names from ``setwise.columns()``, separated by commas; nothing else is computed.
        where: a condition, as for ``setwise.find``; only positions that match leave the workers.
        repertoires: the files that ``within('…')`` and ``leaves('…')`` may name, separated by commas.
        load: files or modules of own patterns, separated by commas.
        push_filters: ``true`` for filters that the workers evaluate; Spark must allow it, by its setting
            ``spark.sql.python.filterPushdown.enabled``.
        partition_bytes: about how many bytes of text a partition has; 32 MB.

    Example:
        >>> spark.dataSource.register(setwise.spark.Pgn)  # doctest: +SKIP
        >>> games = spark.read.format("pgn").option("columns", "own_safe_fork_squares,white_elo")  # doctest: +SKIP
        >>> games.load("games/*.pgn.zst").filter("own_safe_fork_squares <> 0").count()  # doctest: +SKIP

    Traps:
        Sets are signed: the same 64 bits, below 0 if h8 is in the set. ``game`` counts from the beginning of the file:
        if it is requested, and for the table of faults, the driver counts the games of all files that are cut before
        the job begins.
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
        return spark_schema(packed_schema(self.parsed.plan().schema, {}))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of these columns."""
        return (_FilteringReader if self.parsed.push_filters else _Reader)(self.parsed, schema)


class _Reader(DataSourceReader):
    def __init__(self, parsed: ReaderOptions, schema: StructType) -> None:
        self.parsed, self.expected = parsed, schema
        self.columns = tuple(schema.names)
        plan = parsed.plan(self.columns)
        if parsed.columns is not None and plan.columns != parsed.plan().columns:
            raise QueryError("the option columns and the schema do not name the same columns: leave one of them out")
        self.is_counted = bool(
            _COUNTED & {*plan.columns, *(plan.condition.columns if plan.condition is not None else ())}
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
        """Yield the rows of a partition's ranges."""
        tables = self._tables(partition.value)
        with compiled_once(__version__, self.parsed._replace(paths=()), self.columns):
            first = next(tables, None)
        if first is not None:
            yield from batches_of(first, self.expected)
        for table in tables:
            yield from batches_of(table, self.expected)

    def _tables(self, some: Sequence[Range | RowsOfGames]) -> Iterator[pa.Table]:
        plan = self.parsed.plan(self.columns)
        compute = {"positions": BatchResult.table, "games": _games, "faults": _faults}[self.parsed.table]
        sources = ((recognised(it), plan._replace(compute=compute)) for it in some)
        for result in search(sources, threads=1):
            if result.computed.num_rows:
                yield result.computed


class _FilteringReader(_Reader):
    """A reader whose workers evaluate filters of Spark's, as far as they are conditions."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        """Add filters to the condition; yield those that Spark has to evaluate."""
        for it in filters:
            parsed = self._with(condition_of(it))
            if parsed is None:
                yield it
            else:
                self.parsed = parsed

    def _with(self, condition: str | None) -> ReaderOptions | None:
        """The options with one more condition; None if it cannot be one, as one that never matches."""
        if condition is None or self.parsed.table != "positions":
            return None
        where = " and ".join(f"({part})" for part in (self.parsed.where, condition) if part is not None)
        parsed = self.parsed._replace(where=where)
        try:
            parsed.plan(self.columns)
        except QueryError:
            return None
        return parsed


def _games(result: BatchResult) -> pa.Table:
    return games_table(result.games, result.batch.faults, result.plan.columns)


def _faults(result: BatchResult) -> pa.Table:
    rows = [fault._asdict() for fault in result.batch.faults]
    return pa.Table.from_pylist(rows, schema=result.plan.schema)


def _files(paths: Sequence[str]) -> Iterator[str]:
    """The files of the paths, each of which exists."""
    for path in paths:
        if Path(path, layout.MANIFEST).is_file():
            if index_in(path) is not None:
                raise SourceError(f"{path} is an index: Spark reads its packed games, {path}/{layout.GAMES}")
            raise SourceError(f"{path} is a scan: setwise.spark.read_scan reads it")
    for path in expanded(paths):
        if not Path(path).is_file():
            raise SourceError(f"there is no file {path}")
        yield path
