"""The Parquet files of a scan: columns of groups of rows, checked against what the manifest says of their bytes."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import ClassVar

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS
from setwise.corpus.columns.registry import RATINGS, known_ratings
from setwise.corpus.storage.checksums import Chunk, FileSum, check_chunk, chunks, rest_of
from setwise.corpus.storage.encodings import usual_starts
from setwise.errors import SetwiseError, SourceError
from setwise.system.arrow import pq

__all__ = ["RowGroups", "Rows", "ScanFile"]

#: Files whose metadata are kept between searches.
_FOOTERS = 1 << 9


class ScanFile:
    """A Parquet file whose columns are read group by group, checked against what has been written."""

    #: The command that makes such files.
    command: ClassVar[str] = "scan"

    def __init__(self, path: Path, expected: FileSum | None, divided: Mapping[str, str | None] | None = None) -> None:
        self.path, self.expected = path, expected
        #: The values in the names of its folders, whose columns are not in the file.
        self.divided = divided or {}
        #: New names of sources, where another source of the query has the same ones.
        self.source_names: Mapping[str, str] = {}
        with self.reading():
            stat = path.stat()
            if expected is not None and stat.st_size != expected.size:
                raise ValueError(f"it has {stat.st_size:,} bytes instead of {expected.size:,}")
            state = (path.absolute(), stat.st_size, stat.st_mtime_ns, stat.st_ino)
            self.metadata, self.schema, self.chunks = _footer(state, None if expected is None else expected.sums[-1])
            if expected is not None and (
                len(self.chunks) != len(expected.sums) - 1 or self.metadata.num_rows != expected.rows
            ):
                raise ValueError("the manifest is of another file")
        self.rows = self.metadata.num_rows
        self.names = frozenset((*self.schema.names, *self.divided))
        #: For each group of rows, whether all games begin at the usual position; empty for files without checksums.
        self.usual_starts = usual_starts(self.metadata) if expected is not None else []

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Report damage in one sentence with the name of the file."""
        try:
            yield
        except SetwiseError:
            raise
        except FileNotFoundError:
            raise SourceError(
                f"{self.path} is missing: {self.command} the same sources again to make it anew"
            ) from None
        except (OSError, pa.ArrowException, ValueError, KeyError) as error:
            why = " ".join(str(error).split())
            raise SourceError(
                f"{self.path} is damaged: {why}; {self.command} the same sources again to make it anew"
            ) from None

    def type_of(self, name: str) -> pa.DataType:
        """The type of a column: what conditions know under this name, else what the file has."""
        column = COLUMNS.get(name)
        return self.schema.field(name).type if column is None else column.type

    def holds(self, name: str) -> bool:
        """Return whether the file has a column with the values that conditions know under this name."""
        if name not in self.schema.names or name in self.divided or self.expected is None or self.source_names:
            return False
        return self.schema.field(name).type == _plain(self.type_of(name))

    def check(self, names: Iterable[str]) -> None:
        """Refuse columns whose bytes have changed; once for each state of the file, because reading all takes long."""
        with self.reading():
            stat = self.path.stat()
            for name in names:
                state = (str(self.path), stat.st_size, stat.st_mtime_ns, stat.st_ino, name)
                if state not in _checked:
                    self._check(range(self.metadata.num_row_groups), [name])
                    _checked.add(state)

    def column(self, groups: range, name: str) -> pa.ChunkedArray:
        """Read a column of some groups of rows."""
        [column] = self.columns(groups, [name])
        return column

    def columns(self, groups: range, names: Sequence[str]) -> list[pa.ChunkedArray]:
        """Read columns of some groups of rows."""
        with self.reading():
            rows = sum(self.metadata.row_group(group).num_rows for group in groups)
            stored = [name for name in names if name not in self.divided]
            self._check(groups, stored)
            kinds = [(name, self.schema.field(name).type, self.type_of(name)) for name in stored]
            texts = [
                name for name, kind, wanted in kinds if pa.types.is_dictionary(wanted) and pa.types.is_string(kind)
            ]
            with pq.ParquetFile(
                self.path,
                metadata=self.metadata,
                read_dictionary=texts or None,
                page_checksum_verification=self.expected is None,  # else whole columns have been checked
            ) as file:
                read = file.read_row_groups(list(groups), stored, use_threads=False) if stored else {}
            return [self._conformed(name, rows, None if name in self.divided else read[name]) for name in names]

    @functools.cached_property
    def _name_of_chunk(self) -> list[str]:
        """The name of the column that each chunk of a group belongs to."""
        schema = self.metadata.schema
        return [schema.column(k).path.partition(".")[0] for k in range(self.metadata.num_columns)]

    def _conformed(self, name: str, rows: int, column: pa.ChunkedArray | None) -> pa.ChunkedArray:
        """A column as conditions know it; None stands for one that is in the names of the folders."""
        wanted = self.type_of(name)
        if column is None:
            value = pa.scalar(self.divided[name], pa.string()).cast(_plain(wanted))
            return _conformed(pa.chunked_array([pa.repeat(value, rows)]), wanted)
        if len(column) != rows:
            raise ValueError(f"its column {name} has {len(column):,} values instead of {rows:,}")
        if self.expected is None:  # checksums of pages leave out their headers
            column.validate(full=True)
        column = _conformed(column, wanted)
        column = known_ratings(column) if name in RATINGS else column
        return _renamed(column, self.source_names) if name == "source" and self.source_names else column

    def _check(self, groups: range, names: Sequence[str]) -> None:
        if self.expected is None or not names:
            return
        count = self.metadata.num_columns
        at = [k for k, name in enumerate(self._name_of_chunk) if name in names]
        with self.path.open("rb") as file:
            for number in (group * count + k for group in groups for k in at):
                check_chunk(file, self.chunks[number], self.expected.sums[number])


@functools.lru_cache(_FOOTERS)
def _footer(state: tuple[Path, int, int, int], expected: int | None) -> tuple[pq.FileMetaData, pa.Schema, list[Chunk]]:
    """Return the metadata of a file, its schema and its chunks, once for each state of the file.

    Args:
        state: its path, size, time of the last change and number in the file system.
        expected: the checksum of its end; None if it is not known.
    """
    path, size, *_ = state
    with path.open("rb") as file:
        if expected is not None and rest_of(file, size) != expected:
            raise ValueError("its end has changed since it was written")
        metadata = pq.read_metadata(file)
    return metadata, metadata.schema.to_arrow_schema(), chunks(metadata)


#: The files and columns whose bytes this process has compared with their checksums.
_checked: set[tuple[str, int, int, int, str]] = set()


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _conformed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """A column as conditions know it: sets of older scans are signed, the same bits."""
    if column.type == kind:
        return column
    if column.type == pa.int64() and kind == pa.uint64():
        return pa.chunked_array([chunk.view(kind) for chunk in column.chunks], kind)
    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        column = column.cast(kind.value_type).dictionary_encode()
    return column if column.type == kind else column.cast(kind)


def _renamed(column: pa.ChunkedArray, names: Mapping[str, str]) -> pa.ChunkedArray:
    """A column of texts in a dictionary, with other texts in their place."""
    chunks = (
        pa.DictionaryArray.from_arrays(
            chunk.indices, pa.array([names.get(it, it) for it in chunk.dictionary.to_pylist()])
        )
        for chunk in column.chunks
    )
    return pa.chunked_array(chunks, column.type)


class RowGroups:
    """Groups of rows that hold whole games: each column is read once, by whichever batch of them needs it first."""

    def __init__(self, file: ScanFile, groups: range) -> None:
        self.file, self.groups = file, groups
        self.first, self.rows = (
            sum(file.metadata.row_group(group).num_rows for group in some) for some in (range(groups.start), groups)
        )
        self._columns: dict[str, pa.ChunkedArray] = {}
        self._lock = Lock()

    @property
    def begin_as_usual(self) -> bool:
        """Whether all games in the groups are known to begin at the usual position."""
        usual = self.file.usual_starts
        return len(usual) == self.file.metadata.num_row_groups and all(usual[group] for group in self.groups)

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        with self._lock:
            if name not in self._columns:
                self._columns[name] = self.file.column(self.groups, name)
            return self._columns[name]

    def read(self, names: Iterable[str]) -> None:
        """Read columns together, which takes less time than one after the other."""
        with self._lock:
            names = [name for name in names if name not in self._columns]
            if names:
                self._columns.update(zip(names, self.file.columns(self.groups, names), strict=True))

    def numbers(self, name: str) -> np.ndarray:
        """Return a column that has a value in every row as an array."""
        with self.file.reading():
            return self.column(name).to_numpy()


class Rows:
    """Rows of a group, as columns that are read when they are used: what a table is to other sources."""

    def __init__(self, group: RowGroups, start: int, stop: int) -> None:
        self.group, self.start, self.stop = group, start, stop
        self.column_names = group.file.names
        self._beside: Mapping[str, pa.ChunkedArray] = {}

    @property
    def schema(self) -> pa.Schema:
        """The names and types of the columns."""
        beside = {name: column.type for name, column in self._beside.items()}
        return pa.schema(
            [(name, beside.get(name) or self.group.file.type_of(name)) for name in sorted(self.column_names)]
        )

    def beside(self, columns: Mapping[str, pa.ChunkedArray]) -> Rows:
        """Return the same rows with columns beside theirs, or in place of them."""
        rows = Rows(self.group, self.start, self.stop)
        rows._beside, rows.column_names = columns, self.column_names | columns.keys()
        return rows

    def without(self, names: Iterable[str]) -> Rows:
        """Return the same rows without some columns."""
        rows = Rows(self.group, self.start, self.stop)
        rows._beside, rows.column_names = self._beside, self.column_names - frozenset(names)
        return rows

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        return self._beside[name] if name in self._beside else self.stored(name)

    def stored(self, name: str) -> pa.ChunkedArray:
        """Return a column of the file."""
        return self.group.column(name).slice(self.start, self.stop - self.start)
