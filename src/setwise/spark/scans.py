"""Reading scans with Spark."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import expr

from setwise.corpus.columns import COLUMNS
from setwise.corpus.sources.scans import scan_in
from setwise.corpus.storage import layout
from setwise.errors import QueryError, SourceError
from setwise.spark.schema import spark_schema

__all__ = ["read_scan"]

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
        partial: whether an unfinished scan is read as far as it is.

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
    # Spark fails to read dictionary-encoded decimals that the schema declares as longs.
    read = pa.schema([field.with_type(_READ.get(field.type, field.type)) for field in schema])
    reader = spark.read.schema(spark_schema(read)).option("basePath", str(place.parent if place.is_file() else place))
    frame = reader.parquet(*map(str, parts))
    return frame.select(
        *(_long(field.name) if field.type == pa.uint64() else frame[f"`{field.name}`"] for field in schema)
    )


def _named(path: str, table: str, *, partial: bool) -> list[Path]:
    """The files of a table that the manifest of a scan names: others are of a scan that is being written."""
    files = ((rows.path, held.file.path) for rows, held in scan_in(path, partial=partial).parts)
    return list(dict.fromkeys(positions if table == layout.POSITIONS else games for positions, games in files))


def _long(name: str) -> Column:
    """A column of decimals, converted to longs with the same 64 bits."""
    word = f"`{name}`"
    return expr(f"cast(if({word} < {2**63}, {word}, {word} - {2**64}) as bigint)").alias(name)
