"""A scan as a sink for Spark: each task writes a part, and none counts before all are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, DataSourceReader, WriterCommitMessage
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from setwise.corpus.dataset.row_parts import RowParts, Written
from setwise.corpus.dataset.scan import PLACE_COLUMNS
from setwise.errors import OutputError, QueryError
from setwise.spark.query import path_of_file

__all__ = ["ScanFormat"]


class ScanFormat(DataSource):
    """Scans as a format to write: ``spark.dataSource.register(ScanFormat)`` registers the format ``setwise``.

    Rows are positions of whole games with the columns that every scan has, ``ScanFormat.columns``, and any others: what
    the format ``pgn`` returns for these columns. A partition holds whole games, each from its first ply to its last, as
    the partitions of the format ``pgn`` do. Columns of games, such as ``white_name`` or ``result``, go to the table of
    games, too.

    The mode is ``append``, which adds to a scan with the same columns, or ``overwrite``. The folder of ``save`` is the
    same on every machine. Files count when all tasks are done, all at once; until then, and if one
    fails, the scan is what it was before.

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
    """What a task has written; None if it had no rows."""

    written: Written | None


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
        """Make the parts count."""
        self.parts.commit(it.written for it in messages if isinstance(it, _Part) and it.written is not None)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Remove what the tasks have written."""
        self.parts.abort()
