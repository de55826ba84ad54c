"""The files of a store: their names, the checksums of their chunks, and what an index must know about a condition.

A store is one folder. The tables for every tool are ``games`` and ``positions``; ``packed`` has the games themselves,
``keys`` the sorted runs in which a position is found by its key, ``features`` the bitmaps of columns. ``log`` says
which of these files count. A file that was replaced is moved to ``.replaced``, so that a reader that has opened the
store before can finish; the next writing removes it. The last section, ``Need``, describes what an index must know
about a condition.
"""

from __future__ import annotations

import itertools
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import quote, unquote

from setwise.errors import OutputError, SourceError
from setwise.system.files import reason_of
from setwise.system.packages import pq

# --------------------------------------------------------------------------------------- the layout of a store's folder


class Partial(str):
    """The name of a source that is read even if it is an unfinished scan or index."""

    __slots__ = ()


POSITIONS, GAMES, MANIFEST = "positions", "games", "manifest.jsonl"
#: The packed games; the sorted runs of their positions, with the outcomes of games and the moves from frequent
#: positions; the bitmaps of features.
PACKED, KEYS, FEATURES = "packed", "keys", "features"
OUTCOMES, TREE = "outcomes", "tree"
#: The folders of runs, which are merged.
OF_RUNS = tuple(f"{KEYS}/{name}" for name in (POSITIONS, OUTCOMES, TREE))
#: The folders of files, and where the first form of an index had them.
PLACES = (GAMES, POSITIONS, PACKED, *OF_RUNS, FEATURES)
_FORMER = {f"{KEYS}/{POSITIONS}": POSITIONS, f"{KEYS}/{OUTCOMES}": OUTCOMES, f"{KEYS}/{TREE}": TREE, PACKED: GAMES}
#: The folders of unfinished and of replaced files. Readers of folders skip names that begin with a dot.
UNFINISHED, REPLACED, LOCK = ".unfinished", ".replaced", ".lock"

#: The name of a missing value in Hive's folders.
NOTHING = "__HIVE_DEFAULT_PARTITION__"

_PART = re.compile(r"part-\d{5,}-\d{5,}\.parquet")
_RUN = re.compile(r"run-\d{5,}\.parquet")


def is_part(name: str) -> bool:
    """Return whether a file has the name of a part."""
    return _PART.fullmatch(name) is not None


def is_named(name: str) -> bool:
    """Return whether a file has the name of a part or of a merged run."""
    return is_part(name) or _RUN.fullmatch(name) is not None


def part_name(reading: int, part: int) -> str:
    """Return the name of a part file: the number of the reading of a source, and of the part in the source, from 1.

    Example:
        >>> part_name(2, 7)
        'part-00002-00007.parquet'
    """
    return f"part-{reading:05}-{part:05}.parquet"


def run_name(number: int) -> str:
    """Return the name of the files of a merged run of an index.

    Example:
        >>> run_name(3)
        'run-00003.parquet'
    """
    return f"run-{number:05}.parquet"


@contextmanager
def writing(place: object) -> Iterator[None]:
    """Raise ``OutputError`` in place of an error of the system while a file or folder is written."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{place} cannot be written: {reason_of(error)}") from None


def state_of(path: Path) -> tuple[str, int, int, int]:
    """Return a value that changes when a file changes or is replaced; its second item is the size in bytes."""
    stat = path.stat()
    return str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino


def place_of(path: str) -> str:
    """Return which of the folders ``PLACES`` a file is in, according to its path in the store.

    Example:
        >>> place_of("keys/outcomes/run-00003.parquet"), place_of("positions/year=1999/part-00002-00007.parquet")
        ('keys/outcomes', 'positions')
    """
    first, second = (*path.split("/"), "")[:2]
    return f"{first}/{second}" if first == KEYS else first


def is_of_run(path: str) -> bool:
    """Return whether a file belongs to a run, according to its path in the store.

    Example:
        >>> is_of_run("keys/outcomes/run-00003.parquet"), is_of_run("games/part-00002-00007.parquet")
        (True, False)
    """
    return place_of(path) in OF_RUNS


def former_path(path: str) -> str:
    """Return the path that a file had in the first form of an index.

    Example:
        >>> former_path("keys/outcomes/run-00003.parquet"), former_path("packed/part-00001-00001.parquet")
        ('outcomes/run-00003.parquet', 'games/part-00001-00001.parquet')
    """
    place = place_of(path)
    return f"{_FORMER.get(place, place)}{path.removeprefix(place)}"


def present_path(path: str) -> str:
    """Return the path that a file of the first form of an index has in a store.

    Example:
        >>> present_path("outcomes/run-00003.parquet"), present_path("features/1/part-00001-00001.parquet")
        ('keys/outcomes/run-00003.parquet', 'features/1/part-00001-00001.parquet')
    """
    first, _, rest = path.partition("/")
    return f"{next((place for place, former in _FORMER.items() if former == first), first)}/{rest}"


def located(folder: Path, path: str, *, is_former: bool = False) -> Path:
    """Return where a file of a store is now: in its place, or among the files that were replaced since.

    Args:
        folder: the folder of the store.
        path: the path of the file in the store.
        is_former: whether the store is an index in its first form, perhaps one that is being converted.
    """
    paths = [path, f"{REPLACED}/{path}", *([former_path(path)] if is_former else [])]
    return next((place for it in paths if (place := folder / it).exists()), folder / paths[-1 if is_former else 0])


def bitmaps_name(number: int, part: str) -> str:
    """Return the path of the bitmaps of a part in the folder of an index; ``number`` means the list of columns.

    Example:
        >>> bitmaps_name(1, part_name(2, 7))
        'features/1/part-00002-00007.parquet'
    """
    return f"{FEATURES}/{number}/{part}"


def folder_of(path: Path) -> Path | None:
    """Return the folder of the scan that a part file of positions belongs to, according to its path; else None.

    Example:
        >>> folder_of(Path("scanned/positions/year=1999/part-00001-00001.parquet")).name
        'scanned'
    """
    if not _PART.fullmatch(path.name):
        return None
    return next((folder.parent for folder in path.parents if folder.name == POSITIONS), None)


def whole_of(path: Path) -> Path:
    """Return the folder of the positions if the path is a part file of a scan, or else the path itself.

    Example:
        >>> whole_of(Path("scanned/positions/year=1999/part-00001-00001.parquet")).as_posix()
        'scanned/positions'
    """
    folder = folder_of(path)
    return path if folder is None else folder / POSITIONS


def branch(names: list[str], values: tuple[str | None, ...]) -> str:
    """Return the folders for rows with these values; a text that looks like none is written in another way.

    Example:
        >>> branch(["year", "eco", "event"], ("1999", None, ""))
        'year=1999/eco=__HIVE_DEFAULT_PARTITION__/event='
        >>> branch(["event"], ("__HIVE_DEFAULT_PARTITION__",))
        'event=%5F_HIVE_DEFAULT_PARTITION__'
    """
    texts = (NOTHING if it is None else quote(it, safe=" ") if it != NOTHING else f"%5F{it[1:]}" for it in values)
    return "/".join(f"{quote(name, safe=' ')}={text}" for name, text in zip(names, texts, strict=True))


def folder_values(path: Path) -> dict[str, str | None]:
    """Return the values of columns in the names of the folders of a part file.

    Example:
        >>> folder_values(Path("scanned/positions/year=1999/eco=__HIVE_DEFAULT_PARTITION__/part-00001-00001.parquet"))
        {'year': '1999', 'eco': None}
    """
    folders = path.parts[:-1]
    if not _PART.fullmatch(path.name) or POSITIONS not in folders:
        return {}
    inner = folders[len(folders) - folders[::-1].index(POSITIONS) :]
    pairs = (folder.partition("=")[::2] for folder in inner)
    return {unquote(name): None if value == NOTHING else unquote(value) for name, value in pairs}


def hive_values(path: Path) -> dict[str, str | None]:
    """Return the values in the names of the folders right above a file, as Hive writes them.

    Example:
        >>> hive_values(Path("data/year=2025/month=01/train-00000.parquet"))
        {'year': '2025', 'month': '01'}
    """
    folders = list(itertools.takewhile(lambda folder: "=" in folder, reversed(path.parts[:-1])))
    pairs = (folder.partition("=")[::2] for folder in reversed(folders))
    return {unquote(name): None if value == NOTHING else unquote(value) for name, value in pairs}


def parts_in(folder: Path) -> list[Path]:
    """Return the part files in a folder and its subfolders, in order of their names."""
    paths = (path for path in folder.rglob("part-*.parquet") if _PART.fullmatch(path.name))
    return sorted(paths, key=lambda path: (path.name, path))


def check_log(folder: Path) -> None:
    """Raise ``SourceError`` for a folder that has the part files of a store, but no manifest."""
    if not Path(folder, MANIFEST).is_file() and parts_in(Path(folder, GAMES)):
        raise SourceError(
            f"{folder} has the files of a scan or an index, but no {MANIFEST}: `setwise repair {folder}` makes it "
            "again from them"
        )


def files_in(folder: Path) -> Iterator[str]:
    """Yield the paths of all part files and runs in a store, in order of their folders and names."""
    for place in PLACES:
        runs = sorted(path for path in (folder / place).glob("run-*.parquet") if _RUN.fullmatch(path.name))
        for path in (*parts_in(folder / place), *runs):
            yield path.relative_to(folder).as_posix()


# ------------------------------------------------------------------------------------------- checksums of Parquet files


#: The size of the magic number at both ends of a file; the size of the footer's length and the magic number together.
_MAGIC, _TAIL = 4, 8


class FileSum(NamedTuple):
    """The size of a file, its rows, and the CRC-32 of each column chunk, group by group, then of the rest."""

    size: int
    rows: int
    sums: list[int]


class Chunk(NamedTuple):
    """The place in a file of one column of one row group."""

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
    """Return the checksum of the bytes outside chunks: the magic number, and the footer with the places of all chunks.

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
    from pyarrow import ArrowException

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
    except (OSError, ArrowException, ValueError) as error:
        return f"cannot be read: {' '.join(str(error).split())}"


# --------------------------------------------- what a game must have so that one of its positions can match a condition


class Keys(NamedTuple):
    """The game reaches a position with one of some keys."""

    keys: frozenset[int]

    def __str__(self) -> str:
        return "the key" if len(self.keys) == 1 else f"one of {len(self.keys):,} keys"


class HasValue(NamedTuple):
    """In one of the positions of the game, one of these columns has a value other than 0, false and null."""

    columns: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(self.columns)


class AllOf(NamedTuple):
    """The game meets all of these needs."""

    parts: tuple[Need, ...]

    def __str__(self) -> str:
        return " and ".join(f"({it})" if " or " in str(it) else str(it) for it in self.parts)


class AnyOf(NamedTuple):
    """The game meets at least one of these needs."""

    parts: tuple[Need, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


Need = Keys | HasValue | AllOf | AnyOf


def all_of(*parts: Need | None) -> Need | None:
    """Return the need that a game meets all of these needs; None, which is an unknown need, is left out.

    >>> str(all_of(Keys(frozenset([3])), None, HasValue(("white_pinned", "black_pinned"))))
    'the key and (white_pinned or black_pinned)'
    """
    said = tuple(dict.fromkeys(it for it in parts if it is not None))
    return AllOf(said) if len(said) > 1 else next(iter(said), None)


def any_of(*parts: Need | None) -> Need | None:
    """Return the need that a game meets one of these needs; None, an unknown need, if one of them is unknown.

    >>> str(any_of(Keys(frozenset([3])), Keys(frozenset([4])))), any_of(Keys(frozenset([3])), None)
    ('one of 2 keys', None)
    """
    said = [it for it in parts if it is not None]
    if len(said) < len(parts) or not said:
        return None
    keys = [it.keys for it in said if isinstance(it, Keys)]
    joined = [Keys(frozenset().union(*keys))] if keys else []
    distinct = tuple(dict.fromkeys([*joined, *(it for it in said if not isinstance(it, Keys))]))
    return AnyOf(distinct) if len(distinct) > 1 else distinct[0]


def columns_in(need: Need) -> list[str]:
    """Return the columns of the values in a need."""
    if isinstance(need, Keys):
        return []
    names = need.columns if isinstance(need, HasValue) else (name for part in need.parts for name in columns_in(part))
    return list(dict.fromkeys(names))


def keys_in(need: Need) -> set[frozenset[int]]:
    """Return the sets of keys in a need."""
    match need:
        case Keys(keys):
            return {keys}
        case AllOf(parts) | AnyOf(parts):
            return {keys for part in parts for keys in keys_in(part)}
    return set()
