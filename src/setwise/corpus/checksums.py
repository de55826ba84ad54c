"""Checksums of Parquet files, column chunk by column chunk: a reader checks what it reads, and nothing else."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["FileSum", "check_chunk", "chunks", "fault_of", "measured", "rest_of"]


class FileSum(NamedTuple):
    """A file's bytes, its rows, and the CRC-32 of each column chunk, group by group; the last is of the rest."""

    size: int
    rows: int
    sums: list[int]


class Chunk(NamedTuple):
    """Where a column of a group of rows stands in the file."""

    start: int
    size: int


def chunks(metadata: pq.FileMetaData) -> list[Chunk]:
    """Return the column chunks of a file, group of rows by group, in the order of the columns."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return [_chunk(group.column(at)) for group in groups for at in range(metadata.num_columns)]


def _chunk(column: pq.ColumnChunkMetaData) -> Chunk:
    start = column.data_page_offset
    if column.has_dictionary_page and column.dictionary_page_offset:
        start = min(start, column.dictionary_page_offset)
    return Chunk(start, column.total_compressed_size)


def _sum(file: IO[bytes], part: Chunk) -> int:
    file.seek(part.start)
    return zlib.crc32(file.read(part.size))


def rest_of(file: IO[bytes], parts: list[Chunk], size: int) -> int:
    """Return the checksum of the bytes that no chunk has: the magic number, and the end with the places of all."""
    first = min((part.start for part in parts), default=size)
    last = max((part.start + part.size for part in parts), default=size)
    file.seek(0)
    found = zlib.crc32(file.read(first))
    file.seek(last)
    return zlib.crc32(file.read(), found)


def measured(path: str | os.PathLike[str]) -> FileSum:
    """Return what a file is known by.

    Raises:
        OSError, pyarrow.ArrowException: it is missing or not Parquet.
    """
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        metadata = pq.read_metadata(file)
        parts = chunks(metadata)
        return FileSum(size, metadata.num_rows, [*(_sum(file, part) for part in parts), rest_of(file, parts, size)])


def check_chunk(file: IO[bytes], part: Chunk, expected: int) -> None:
    """Raise ``ValueError`` if a chunk is not what has been written."""
    if _sum(file, part) != expected:
        raise ValueError(f"its bytes {part.start:,} to {part.start + part.size:,} are not what has been written")


def fault_of(path: Path, expected: FileSum | None) -> str | None:
    """Return what is wrong with a file, read from its beginning to its end; None if nothing is.

    Args:
        path: the file.
        expected: what it is known by; without it every page is read, and must be what it says of itself.
    """
    try:
        if expected is None:
            with pq.ParquetFile(path, page_checksum_verification=True) as file:
                for _ in file.iter_batches():
                    pass
            return None
        return next(_differences(expected, measured(path)), None)
    except FileNotFoundError:
        return "is missing"
    except (OSError, pa.ArrowException, ValueError) as error:
        if expected is not None and (size := path.stat().st_size) != expected.size:
            return _of_size(size, expected.size)
        return f"cannot be read: {' '.join(str(error).split())}"


def _of_size(size: int, expected: int) -> str:
    return f"has {size:,} bytes instead of {expected:,}"


def _differences(expected: FileSum, found: FileSum) -> Iterator[str]:
    if found.size != expected.size:
        yield _of_size(found.size, expected.size)
    if found.rows != expected.rows:
        yield f"has {found.rows:,} rows instead of {expected.rows:,}"
    if found.sums != expected.sums:
        yield "is not what has been written: its checksum differs"
