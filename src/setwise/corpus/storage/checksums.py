"""Checksums of Parquet files, column chunk by column chunk: a reader checks what it reads, and nothing else."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["FileSum", "check_chunk", "chunks", "fault_of", "measured", "rest_of"]


#: Bytes of the magic number, with which a file begins and ends, and of the length of its end, with that behind it.
_MAGIC, _TAIL = 4, 8


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


def rest_of(file: IO[bytes], size: int) -> int:
    """Return the checksum of what no chunk has: the magic number, and the end of the file with the places of all.

    It comes before anything else is read: Arrow ends the process over some ends that are damaged.
    """
    file.seek(0)
    found = zlib.crc32(file.read(_MAGIC))
    file.seek(max(size - _TAIL, 0))
    end = int.from_bytes(file.read(_TAIL)[:_MAGIC], "little") + _TAIL
    file.seek(max(size - end, 0))
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
        return FileSum(size, metadata.num_rows, [*(_sum(file, part) for part in parts), rest_of(file, size)])


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
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != expected.size:
                return f"has {size:,} bytes instead of {expected.size:,}"
            if rest_of(file, size) != expected.sums[-1]:
                return "is not what has been written: the checksum of its end differs"
        return None if measured(path) == expected else "is not what has been written: its checksum differs"
    except FileNotFoundError:
        return "is missing"
    except (OSError, pa.ArrowException, ValueError) as error:
        return f"cannot be read: {' '.join(str(error).split())}"
