"""Checksums of Parquet files, one per column chunk, so that a reader checks only what it reads."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import IO, NamedTuple

import pyarrow as pa

from setwise.system.arrow import pq

__all__ = ["Chunk", "FileSum", "check_chunk", "chunks", "fault_of", "measured", "rest_of"]


#: Sizes of the magic number, at both ends of a file, and of the length of the footer together with the magic number.
_MAGIC, _TAIL = 4, 8


class FileSum(NamedTuple):
    """The size of a file, its rows, and the CRC-32 of each column chunk, group by group, and last of the rest."""

    size: int
    rows: int
    sums: list[int]


class Chunk(NamedTuple):
    """The place in the file of a column of a row group."""

    start: int
    size: int


def chunks(metadata: pq.FileMetaData) -> list[Chunk]:
    """Return the column chunks of a file, one row group after the other, in the order of the columns."""
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
    """Return the checksum of what is in no chunk: the magic number, and the footer with the places of all chunks.

    Check it before Arrow reads the file, because some damaged footers make Arrow end the process.
    """
    file.seek(0)
    start = zlib.crc32(file.read(_MAGIC))
    file.seek(max(size - _TAIL, 0))
    end = int.from_bytes(file.read(_TAIL)[:_MAGIC], "little") + _TAIL
    file.seek(max(size - end, 0))
    return zlib.crc32(file.read(), start)


def measured(path: str | os.PathLike[str]) -> FileSum:
    """Return the size, rows and checksums of a file.

    Raises:
        OSError, pyarrow.ArrowException: the file is missing or is not Parquet.
    """
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        metadata = pq.read_metadata(file)
        parts = chunks(metadata)
        return FileSum(size, metadata.num_rows, [*(_sum(file, part) for part in parts), rest_of(file, size)])


def check_chunk(file: IO[bytes], part: Chunk, expected: int) -> None:
    """Raise ``ValueError`` if the checksum of a chunk differs from the expected one."""
    if _sum(file, part) != expected:
        raise ValueError(f"its bytes {part.start:,} to {part.start + part.size:,} have changed since they were written")


def fault_of(path: Path, expected: FileSum | None) -> str | None:
    """Return what is wrong with a file, after reading all of it; None if nothing is wrong.

    Args:
        path: the file.
        expected: the size and checksums of the file; without them, each page is compared with its own checksum.
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
                return "has changed since it was written: the checksum of its end differs"
        return None if measured(path) == expected else "has changed since it was written: its checksum differs"
    except FileNotFoundError:
        return "is missing"
    except (OSError, pa.ArrowException, ValueError) as error:
        return f"cannot be read: {' '.join(str(error).split())}"
