"""Conditions over stored columns: DuckDB reads the Parquet files of a scan itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Self

import duckdb
import numpy as np
import pyarrow as pa

from setwise.corpus.language.condition import Condition
from setwise.corpus.language.database import query_database
from setwise.corpus.language.derived import GAME, LINE, ROW
from setwise.corpus.sources.jobs import Job, Opened, StoredFiles
from setwise.errors import SourceError

__all__ = ["StoredCondition", "paths_of", "relation"]


class StoredCondition:
    """A condition that needs nothing but stored columns."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition

    @classmethod
    def of(cls, where: str, others: Mapping[str, pa.DataType]) -> Self | None:
        """Return a condition as one over stored columns; None if something of it must be computed beside SQL."""
        condition = Condition(where, others)
        return cls(condition) if condition.is_of_columns else None

    def jobs(self, source: Opened, files: list[StoredFiles], threads: int) -> Iterator[Job]:
        """Yield the jobs of a source with the rows that match, file by file."""
        with query_database(threads, paths_of(files)) as database:

            def rows_of(stored: StoredFiles) -> np.ndarray:
                stored.check()
                try:
                    database.execute(f"create or replace temp view positions as {relation([stored])}").fetchall()
                    return self.condition.matches_in(database)
                except duckdb.IOException as error:
                    raise SourceError(f"{stored.positions} cannot be read: {str(error).splitlines()[0]}") from None

            yield from source.matching(files, rows_of)


def paths_of(files: Iterable[StoredFiles]) -> list[str]:
    """Return the paths of all files."""
    return [path for stored in files for path in (stored.positions, stored.games)]


def relation(files: list[StoredFiles]) -> str:
    """Return a SELECT of the stored columns of files, all with the same columns, and of what conditions need beside."""
    first = files[0]
    names = [f"p.{_quoted(name)}" for name in first.of_positions] + [f"g.{_quoted(name)}" for name in first.of_games]
    rows = [f"p.file_row_number as {ROW}", f"p.game as {GAME}", f"0 as {LINE}"]
    joined = f" join read_parquet({_list(it.games for it in files)}) g using (source, game)" if first.of_games else ""
    read = f"read_parquet({_list(it.positions for it in files)}, file_row_number = true, hive_partitioning = false)"
    return f"select {', '.join([*rows, *names])} from {read} p{joined}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _list(paths: Iterable[str]) -> str:
    texts = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"[{texts}]"
