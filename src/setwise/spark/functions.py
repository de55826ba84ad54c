"""Patterns as functions of Spark, and scans written by a cluster."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, DataSourceReader, WriterCommitMessage
from pyspark.sql.functions import arrow_udf, expr
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema
from pyspark.sql.types import StructType

from setwise import __version__
from setwise.bitboard import FILE_NAMES, RANK_NAMES, SQUARE_NAMES
from setwise.compiler import Pattern
from setwise.corpus.columns import COLUMNS
from setwise.corpus.columns.registry import type_of
from setwise.corpus.dataset.parts import PLACE_COLUMNS
from setwise.corpus.dataset.scan import RowParts, WrittenPart
from setwise.corpus.language.functions import answer, known_patterns
from setwise.corpus.language.names import files, ranks, squares
from setwise.corpus.sources.scans import scan_in
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import outdated_in
from setwise.errors import OutputError, QueryError, SourceError
from setwise.spark.source import compiled_once, path_of_file, signed, spark_kind, spark_schema, unsigned

# --------------------------------------------------------------------------------- patterns as functions of Spark's SQL


def register(spark: SparkSession) -> list[str]:
    """Make every pattern a function in the SQL of a session, and return the names of all functions.

    ``knight.attacks`` becomes ``knight_attacks``. In addition there are ``squares('e4 d5')``, ``files('a h')`` and
    ``ranks('7')``, which return sets, and ``has(set, 'g1')``. Sets are longs with the same bits as everywhere. If a
    pattern takes a square, a long is read as a set of squares, and an int as the number of a square. Your own patterns
    are included if Spark's workers can import their modules.

    Args:
        spark: the session.

    Example:
        >>> setwise.spark.register(spark)  # doctest: +SKIP
        >>> spark.sql("select bit_count(knight_attacks(squares('e4')))").collect()  # doctest: +SKIP
        [Row(bit_count(knight_attacks(squares(e4)))=8)]

    Traps:
        ``next``, ``later`` and ``over game`` read other plies of the game, and Spark may put these into another
        partition: use these words only in the reader's option ``where``.
    """
    names = []
    for name, pattern in known_patterns().items():
        names.append(name.replace(".", "_"))
        spark.udf.register(names[-1], _function(pattern))
    for name, (known, set_of, what) in _NAMED.items():
        names.append(name)
        spark.sql(
            f"create or replace temporary function {name}(names string) returns bigint return "
            f"{_set_of_names(known, set_of, what)}"
        )
    spark.sql(
        "create or replace temporary function has(those bigint, names string) returns boolean "
        "return (those & squares(names)) = squares(names)"
    )
    return [*names, "has"]


def _function(pattern: Pattern) -> Callable[..., object]:
    name, module, kind = pattern.name, pattern.__module__, spark_kind(type_of(pattern.returns))

    def call(*columns: pa.Array) -> pa.Array:
        return _answer(name, module, kind, columns)

    return arrow_udf(call, from_arrow_type(kind))


def _answer(name: str, module: str, kind: pa.DataType, columns: Sequence[pa.Array]) -> pa.Array:
    """The values of a pattern for columns of arguments, computed in a worker."""
    importlib.import_module(module)
    pattern = known_patterns()[name]
    with compiled_once(__version__, name):
        return signed(answer(pattern, [unsigned(column) for column in columns]), kind)


# --------------------------------------------------------------------------------------------------------------- names

#: The functions from names to a set: the valid names, the set of a name, and the message for other names.
_NAMED: dict[str, tuple[Iterable[str], Callable[[str], int], str]] = {
    "squares": (SQUARE_NAMES, squares, "squares are named a1 to h8"),
    "files": (FILE_NAMES, files, "files are named a to h"),
    "ranks": (RANK_NAMES, ranks, "ranks are named 1 to 8"),
}


def _set_of_names(known: Iterable[str], set_of: Callable[[str], int], what: str) -> str:
    """SQL for the set of some names, in functions that Spark evaluates once if the names are a constant."""
    words = r"split(trim(names), ' +')"
    of_each = " | ".join(f"if(array_contains({words}, '{name}'), {_long(set_of(name))}, 0L)" for name in known)
    every = ", ".join(f"'{name}'" for name in known)
    wrong = f"array_remove(array_except({words}, array({every})), '')"
    message = f"concat(array_join({wrong}, ' '), ': {what}')"
    return f"if(size({wrong}) > 0, cast(raise_error({message}) as bigint), {of_each})"


def _long(word: int) -> str:
    """A set as a constant of Spark's SQL."""
    return f"bigint('{word - (word >> 63 << 64)}')"


# --------------------------------------------------------------------------------------------- reading scans with Spark


#: The type that Spark gives unsigned 64-bit integers when it reads Parquet.
_READ = {pa.uint64(): pa.decimal128(20, 0)}


def read_scan(spark: SparkSession, path: str, table: str = layout.POSITIONS, *, partial: bool = False) -> DataFrame:
    """Return a table of a scan as a data frame, with sets as longs.

    Spark itself reads Parquet's unsigned 64-bit integers as decimals, which have no ``&``. Here each such column that a
    query uses is converted to longs.

    Args:
        spark: the session.
        path: the folder of the scan, or its file ``NAME.parquet``; the same on every machine.
        table: ``positions`` or ``games``.
        partial: whether an unfinished scan is accepted, of which the finished part is read.

    A column that means something else now is left out, with a warning.

    Raises:
        SourceError: the path is not a scan, it is unfinished, or one of its files is missing or truncated.
        QueryError: a scan has no such table.

    Example:
        >>> setwise.spark.read_scan(spark, "scanned").filter("white_passed_pawns <> 0").count()  # doctest: +SKIP
    """
    if table not in {layout.POSITIONS, layout.GAMES}:
        raise QueryError(f"a scan has the tables {layout.POSITIONS} and {layout.GAMES}, not {table!r:.60}")
    place = Path(path)
    if place.suffix.lower() == ".parquet":
        place = place if table == layout.POSITIONS else place.with_suffix(".games.parquet")
        parts = [place] if place.is_file() else []
    else:
        parts = (
            _named(path, table, partial=partial)
            if Path(place, layout.MANIFEST).is_file()
            else layout.parts_in(place / table)
        )
        place = place / table
    if not parts:
        raise SourceError(f"there is no scan {path}: {place} holds no Parquet")
    inside = pa.parquet.read_schema(parts[0])
    divided = [(name, COLUMNS[name].type) for name in layout.folder_values(parts[0])]
    schema = pa.schema([*inside, *(pa.field(name, kind) for name, kind in divided)])
    outdated = {it for part in parts for it in outdated_in(pa.parquet.read_metadata(part), schema.names)}
    if outdated:
        warnings.warn(
            f"{path} is read without {', '.join(sorted(outdated))}: defined anew since the scan stored them; scan the "
            "same sources with --force to store them anew",
            stacklevel=2,
        )
    # Spark fails to read dictionary-encoded decimals that the schema declares as longs.
    read = pa.schema([field.with_type(_READ.get(field.type, field.type)) for field in schema])
    reader = spark.read.schema(spark_schema(read)).option("basePath", str(place.parent if place.is_file() else place))
    frame = reader.parquet(*map(str, parts))
    return frame.select(
        *(
            _long_column(field.name) if field.type == pa.uint64() else frame[f"`{field.name}`"]
            for field in schema
            if field.name not in outdated
        )
    )


def _named(path: str, table: str, *, partial: bool) -> list[Path]:
    """The files of a table that the manifest of a scan names; other files belong to a scan that is being written."""
    files = ((rows.path, held.file.path) for rows, held in scan_in(path, partial=partial).parts)
    return list(dict.fromkeys(positions if table == layout.POSITIONS else games for positions, games in files))


def _long_column(name: str) -> Column:
    """A column of decimals, converted to longs with the same 64 bits."""
    word = f"`{name}`"
    return expr(f"cast(if({word} < {2**63}, {word}, {word} - {2**64}) as bigint)").alias(name)


# ------------------------------------------------------------------------------------------- A scan as a sink for Spark


class ScanFormat(DataSource):
    """Scans as a format to write: ``spark.dataSource.register(ScanFormat)`` registers the format ``setwise``.

    Rows are positions of whole games, with the columns that every scan has, ``ScanFormat.columns``, and any others:
    rows that the format ``pgn`` returns for these columns. A partition must contain whole games, each from its first
    ply to its last, as the partitions of the format ``pgn`` do. Columns of games, such as ``white_name`` or ``result``,
    also go to the table of games.

    The mode is ``append``, which adds to a scan with the same columns, or ``overwrite``. The folder that is passed to
    ``save`` must be the same on every machine. When all tasks are done, all files become part of the scan at once;
    until then, and if a task fails, the scan stays as it was.

    Example:
        >>> spark.dataSource.register(setwise.spark.ScanFormat)  # doctest: +SKIP
        >>> rows.write.format("setwise").mode("append").save("scanned")  # doctest: +SKIP
    """

    #: The columns that every scan has.
    columns = PLACE_COLUMNS

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "setwise"

    def schema(self) -> StructType:
        """Refuse to read: Spark reads the files itself."""
        raise QueryError("the format setwise is for writing: setwise.spark.read_scan reads a scan")

    def reader(self, schema: StructType) -> DataSourceReader:
        """Refuse to read: Spark reads the files itself."""
        raise QueryError("the format setwise is for writing: setwise.spark.read_scan reads a scan")

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Return the writer of a scan."""
        return _Writer(_folder(self.options), schema, overwrite)


def _folder(options: Mapping[str, str]) -> str:
    for name in options:
        if name.lower() != "path":
            raise QueryError(f"the format setwise has no option {name!r:.60}, only the path that save() takes")
    if "path" not in options:
        raise OutputError('nothing says where to write the scan: give save() a folder, such as save("scanned")')
    return path_of_file(options["path"])


@dataclass
class _Part(WriterCommitMessage):
    """The files that a task has written; None if the task had no rows."""

    written: WrittenPart | None


class _Writer(DataSourceArrowWriter):
    def __init__(self, folder: str, schema: StructType, overwrite: bool) -> None:
        self.parts = RowParts(folder, to_arrow_schema(schema), force=overwrite)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write the rows of a task."""
        first = next(filter(len, iterator), None)
        if first is None:
            return _Part(None)
        return _Part(self.parts.write(chain([first], iterator)))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Make the written files part of the scan."""
        self.parts.commit(it.written for it in messages if isinstance(it, _Part) and it.written is not None)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Remove the files that the tasks have written."""
        self.parts.abort()
