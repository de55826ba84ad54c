"""The form of a scan on the disk: names of files, checksums of chunks, and the manifest, whose lines are the commits.

A part is written under a temporary name, its files are renamed, and then a line of the manifest records it. Without the
line the part does not count, so a process that is killed at any moment leaves a scan that can be continued. Each line
has its number and a checksum, and an incomplete line at the end is cut off. The line of a part has the sizes and rows
of its files, and the checksum of every column chunk, so that a reader can check only the bytes that it uses.
``Contents`` combines all lines. This module decides whether a scan is finished or damaged, or has files that no line
names. The last section, ``Need``, describes what an index must know about a condition.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import shutil
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO, Any, NamedTuple, Self
from urllib.parse import quote, unquote

from setwise.errors import OutputError, SourceError
from setwise.system.files import reason_of, settle
from setwise.system.packages import pq

# ---------------------------------------------------------------------------------------- the layout of a scan's folder


class Partial(str):
    """The name of a source that is read even if it is an unfinished scan or index."""

    __slots__ = ()


POSITIONS, GAMES, MANIFEST = "positions", "games", "manifest.jsonl"
#: Further folders of an index: the outcomes of games, the moves from frequent positions, bitmaps of features.
OUTCOMES, TREE, FEATURES = "outcomes", "tree", "features"
#: The folders of runs, which are merged.
OF_RUNS = (POSITIONS, OUTCOMES, TREE)
#: The folder of unfinished files. Readers of folders skip names that begin with a dot.
UNFINISHED, LOCK = ".unfinished", ".lock"

#: The name of a missing value in Hive's folders.
NOTHING = "__HIVE_DEFAULT_PARTITION__"

_PART = re.compile(r"part-\d{5,}-\d{5,}\.parquet")
_RUN = re.compile(r"run-\d{5,}\.parquet")


def part_name(source: int, part: int) -> str:
    """Return the name of a part file; the numbers of the source, and of the part in the source, begin at 1.

    Example:
        >>> part_name(2, 7)
        'part-00002-00007.parquet'
    """
    return f"part-{source:05}-{part:05}.parquet"


def run_name(number: int) -> str:
    """Return the name of the files of a merged run of an index.

    Example:
        >>> run_name(3)
        'run-00003.parquet'
    """
    return f"run-{number:05}.parquet"


def is_of_run(path: str) -> bool:
    """Return whether a file of an index belongs to a run, according to its path in the folder.

    Example:
        >>> is_of_run("outcomes/run-00003.parquet"), is_of_run("games/part-00002-00007.parquet")
        (True, False)
    """
    return path.partition("/")[0] in OF_RUNS


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


def source_of(path: Path) -> int:
    """Return the number of the source of a part file."""
    return int(path.name.split("-")[1])


def number_of(path: Path) -> int:
    """Return the number of a part file in its source."""
    return int(path.stem.split("-")[2])


def branch(names: list[str], values: tuple[str | None, ...]) -> str:
    """Return the folders for rows with these values.

    Example:
        >>> branch(["year", "eco"], ("1999", None))
        'year=1999/eco=__HIVE_DEFAULT_PARTITION__'
    """
    return "/".join(
        f"{quote(name, safe=' ')}={quote(value, safe=' ') if value else NOTHING}"
        for name, value in zip(names, values, strict=True)
    )


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


def runs_in(folder: Path) -> list[Path]:
    """Return the files of merged runs in a folder."""
    return sorted(path for path in folder.glob("run-*.parquet") if _RUN.fullmatch(path.name))


def files_in(folder: Path) -> dict[str, list[str]]:
    """Return the paths of the files of each part of a scan, relative to the scan's folder, by the name of the files."""
    paths: dict[str, list[str]] = {}
    for place in (POSITIONS, GAMES):
        for path in parts_in(folder / place):
            paths.setdefault(path.name, []).append(path.relative_to(folder).as_posix())
    return paths


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


# ----------------------------------------------------------------------------------- the manifest of a scan or an index


class Part(NamedTuple):
    """A finished part: the number of its first game in the source, its numbers of games and positions, its files.

    A part is not whole if its source could not be read to the end; it is written again when the source is read again.
    """

    first: int
    games: int
    positions: int
    is_whole: bool = True
    #: The sizes and checksums of the files, by path in the folder; older manifests have none.
    files: Mapping[str, FileSum] = MappingProxyType({})
    #: About how many bytes of the source file this part was read from; 0 in older manifests.
    read: int = 0

    def without_run(self) -> Part:
        """Return this part of an index without the files of its run."""
        return self._replace(files={name: held for name, held in self.files.items() if not is_of_run(name)})


class Seen(NamedTuple):
    """A file's path, size and time of its last change in ns; None for a source that is not a file."""

    path: str | None
    size: int | None
    time: int | None

    @classmethod
    def now(cls, path: str) -> Self:
        """Return the present values for a file; raise ``OSError`` if there is no file."""
        stat = os.stat(path)  # noqa: PTH116  (not every path can be a Path)
        return cls(os.path.realpath(path), stat.st_size, stat.st_mtime_ns)


@dataclass
class KnownSource:
    """The record of a source in the manifest."""

    number: int
    name: str
    seen: Seen
    #: The values of the column ``source``, for the source or, if it is a scan, for each source in it.
    names: Mapping[str, str]
    parts: dict[int, Part] = field(default_factory=dict)
    is_done: bool = False


class Run(NamedTuple):
    """A merged run of an index: its number, the source and number of each part whose positions it has, its files."""

    number: int
    parts: list[tuple[int, int]]
    files: Mapping[str, FileSum]


class Bitmaps(NamedTuple):
    """A list of columns with bitmaps in an index, and the version of setwise that computes them."""

    columns: list[str]
    version: str


@dataclass
class Contents:
    """The contents of a manifest."""

    arguments: dict[str, Any] = field(default_factory=dict)
    sources: list[KnownSource] = field(default_factory=list)
    #: The merged runs, by number.
    runs: dict[int, Run] = field(default_factory=dict)
    #: The largest number of a run so far.
    last_run: int = 0
    #: The lists of columns with bitmaps in an index, by number, each with the version of setwise that computes it.
    bitmaps: dict[int, Bitmaps] = field(default_factory=dict)
    #: The number of lines, whether they have checksums, and whether a writing ended after the last source began.
    lines: int = 0
    has_sums: bool = True
    is_ended: bool = False

    @classmethod
    def of(cls, lines: list[dict[str, Any]]) -> Self:
        """Return the contents that lines record."""
        first, *others = lines or [{}]
        contents = cls(first, lines=len(lines), has_sums=not lines or _SUM in first)
        for line in others:
            contents.enter(line)
        if not contents.has_sums:  # older versions did not record the end of a run
            contents.is_ended = bool(contents.sources) and all(source.is_done for source in contents.sources)
        return contents

    def enter(self, line: dict[str, Any]) -> None:
        """Enter a line after the first."""
        if "lines" in line:
            self.is_ended = True
        elif "path" in line:
            self.is_ended = False
            names = line.get("names", {line["name"]: line["name"]})  # older manifests have no names
            known = KnownSource(line["source"], line["name"], Seen(line["path"], line["size"], line["time"]), names)
            self.runs = {n: run for n, run in self.runs.items() if all(of != known.number for of, _ in run.parts)}
            self.sources[known.number - 1 :] = [known, *self.sources[known.number :]]
        elif "bitmaps" in line:
            self.bitmaps[line["bitmaps"]] = Bitmaps(line["columns"], line["version"])
        elif "run" in line:
            run = Run(line["run"], [(source, number) for source, number in line["of"]], _sums_in(line["files"]))
            self.last_run = max(self.last_run, run.number)
            self.runs = {number: it for number, it in self.runs.items() if not {*it.parts} & {*run.parts}}
            self.runs.pop(run.number, None)
            if run.parts:
                self.runs[run.number] = run
            for source, number in run.parts:
                parts = self.sources[source - 1].parts
                if number in parts:
                    parts[number] = parts[number].without_run()
        elif "part" in line:
            self.runs = {
                number: run for number, run in self.runs.items() if (line["source"], line["part"]) not in run.parts
            }
            files, read = _sums_in(line.get("files", {})), line.get("read", 0)
            part = Part(line["first"], line["games"], line["positions"], line["is_whole"], files, read)
            self.sources[line["source"] - 1].parts[line["part"]] = part
        else:
            self.sources[line["source"] - 1].is_done = True


def _sums_in(files: Mapping[str, Any]) -> dict[str, FileSum]:
    return {name: FileSum(*held) for name, held in files.items()}


class Manifest:
    """The manifest of the scan in a folder, for reading and appending.

    Args:
        folder: the folder, which exists; no other process writes to it.
        arguments: the arguments of the scan, which must be the same when it is resumed.
        force: whether to replace any scan in the folder.
        at_once: whether new records count only after ``commit``; until then the old manifest remains, with the files
            that it names.

    Raises:
        OutputError: if the folder contains a scan with other arguments, or files of unknown origin.
    """

    def __init__(self, folder: Path, arguments: dict[str, Any], *, force: bool = False, at_once: bool = False) -> None:
        self.folder, self.path = folder, folder / MANIFEST
        self.places = [folder / name for name in sorted(_PLACES)]
        lines = [] if force else self._read()
        if not lines:
            if not (force and at_once):
                self._begin_anew(force=force)
        elif differing := [name for name in arguments if lines[0].get(name) != arguments[name]]:
            kind = "an index" if str(lines[0]["version"]).startswith("index ") else "a scan"
            raise OutputError(
                f"{folder} holds {kind} with other {' and '.join(differing)}; --force (in Python force=True) begins it "
                "anew"
            )
        self.contents = Contents.of(lines) if lines else Contents(arguments)
        written, aside = self.path, self.path.with_name(f"{MANIFEST}.part")
        if at_once or not self.contents.has_sums:
            aside.write_bytes(b"".join(_encoded(line, number) for number, line in enumerate(lines, start=1)))
        if at_once:
            written = aside
        elif lines and not self.contents.has_sums:
            settle(aside)
            aside.replace(self.path)
            settle(folder)
        self.file = written.open("ab", buffering=0)
        self._size = os.fstat(self.file.fileno()).st_size
        if not lines:
            self._append(arguments)
            settle(folder)
        elif not self.contents.has_sums:
            self.contents.has_sums, was_whole, self.contents.is_ended = True, self.contents.is_ended, False
            if was_whole:
                self.end()

    @property
    def sources(self) -> list[KnownSource]:
        """The sources, by their numbers."""
        return self.contents.sources

    def _read(self) -> list[dict[str, Any]]:
        """Return the complete lines of the file; an incomplete line at its end is cut off."""
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        if len(whole) < len(text):
            os.truncate(self.path, len(whole))
        try:
            return _checked(whole)
        except ValueError as error:
            raise OutputError(
                f"{self.path} is not the manifest of a scan: {error}; --force begins the scan anew"
            ) from None

    def _begin_anew(self, *, force: bool) -> None:
        """Remove only the files that an older scan has written."""
        files = [path for place in self.places for path in (*parts_in(place), *runs_in(place))]
        if files and not force:
            raise OutputError(f"{self.folder} holds {files[0].name}, but no manifest says of what; --force removes it")
        self.path.unlink(missing_ok=True)  # first: without it no part counts
        self._remove_others(set())

    def _next(self) -> int:
        """Return the number of the next line. After an interrupt, a line may be written but not yet counted."""
        if os.fstat(self.file.fileno()).st_size != self._size:
            text = Path(self.file.name).read_bytes()
            self.contents.lines = text.count(b"\n")
            self._size = len(text)
        return self.contents.lines + 1

    def _append(self, line: dict[str, Any]) -> None:
        text, size, written = _encoded(line, self._next()), self._size, 0
        try:
            written = self.file.write(text)
        finally:
            if written < len(text):
                self.file.truncate(size)  # no line follows half a line
        if written < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        self.contents.lines += 1
        self._size = size + len(text)
        os.fsync(self.file.fileno())

    def source(self, name: str, seen: Seen, names: Mapping[str, str], number: int | None = None) -> KnownSource:
        """Record a source; with ``number``, record that source as it is now, and remove its parts."""
        line = {"source": number or len(self.sources) + 1, "name": name, **seen._asdict(), "names": names}
        self._append(line)
        self.contents.enter(line)
        for place in self.places if number else ():
            for path in parts_in(place):
                if source_of(path) == number:
                    path.unlink()
        return self.sources[line["source"] - 1]

    def part(self, source: KnownSource, number: int, part: Part) -> None:
        """Record a finished part."""
        self._append({"source": source.number, "part": number, **part._asdict()})
        source.parts[number] = part

    def run(self, run: Run) -> None:
        """Record a merged run; the runs that it replaces are forgotten. Without parts, only forget a run."""
        line = {"run": run.number, "of": run.parts, "files": run.files}
        self._append(line)
        self.contents.enter({**line, "files": {name: [*held] for name, held in run.files.items()}})

    def bitmaps(self, columns: list[str], version: str) -> None:
        """Record a list of columns that parts have bitmaps of from now on."""
        line = {"bitmaps": len(self.contents.bitmaps) + 1, "columns": columns, "version": version}
        self._append(line)
        self.contents.enter(line)

    def done(self, source: KnownSource) -> None:
        """Record that a source has been read to its end."""
        self._append({"source": source.number, "parts": len(source.parts)})
        source.is_done = True

    def end(self) -> None:
        """Record that this writing has ended, unless nothing has begun since the last recorded end."""
        line = {"lines": self._next()}
        if not self.contents.is_ended:
            self._append(line)
            self.contents.enter(line)

    def commit(self) -> None:
        """Replace the manifest by the new records, and remove the part files that it does not name."""
        whole = self.path.with_name(f"{MANIFEST}.whole")
        shutil.copyfile(self.file.name, whole)  # the file beside stays until the others are removed: see ``unnamed``
        settle(whole)
        whole.replace(self.path)
        settle(self.folder)
        self.remove_unnamed()

    def remove_unnamed(self, places: Iterable[str] = ()) -> None:
        """Remove the files of parts and runs that are not recorded, by default in all folders."""
        parts = [*self.parts()]
        if all(part.files for part in parts):  # manifests of older versions do not name files
            files = [*(part.files for part in parts), *(run.files for run in self.contents.runs.values())]
            self._remove_others({name for some in files for name in some}, places)

    def _remove_others(self, named: set[str], places: Iterable[str] = ()) -> None:
        """Remove the files of parts and runs other than those with these paths, and folders without files."""
        for place in [self.folder / name for name in places] or self.places:
            for path in (*parts_in(place), *runs_in(place)):
                if path.relative_to(self.folder).as_posix() not in named:
                    path.unlink()
            if place.is_dir() and all(path.is_dir() for path in place.rglob("*")):
                shutil.rmtree(place, ignore_errors=True)

    def close(self) -> None:
        """Close the file; records with ``at_once`` that are not committed are dropped."""
        self.file.close()
        self.path.with_name(f"{MANIFEST}.part").unlink(missing_ok=True)

    def parts(self) -> Iterator[Part]:
        """Yield all finished parts."""
        for source in self.sources:
            yield from source.parts.values()


def contents_of(folder: Path) -> Contents:
    """Return the contents of the manifest in a folder.

    Raises:
        SourceError: if the manifest cannot be read.
    """
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
        lines = _checked(text[: text.rfind(b"\n") + 1])
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {reason_of(error)}") from None
    except ValueError as error:
        raise SourceError(f"{path} is not the manifest of a scan: {error}") from None
    return Contents.of(lines)


# ------------------------------------------------------------------------------------------------------- what is whole


def unfinished(contents: Contents) -> str | None:
    """Return how much of its sources an unfinished scan or index contains, in words; None if it is finished."""
    begun = [source for source in contents.sources if not source.is_done]
    if contents.is_ended and not begun:
        return None
    of_sources = []
    for source in begun:
        count, games = len(source.parts), sum(part.games for part in source.parts.values())
        read, size = sum(part.read for part in source.parts.values()), source.seen.size
        share = f", about {min(99, 100 * read // size)} % of it" if read and size else ""
        of_sources.append(f"{count:,} part{'' if count == 1 else 's'} of {source.name} ({games:,} games{share})")
    if not of_sources and contents.sources:
        return f"{len(contents.sources):,} of its sources, and the run that wrote them was ended before its end"
    return " and ".join(of_sources) or "nothing is written yet"


def unnamed(folder: Path, contents: Contents) -> list[str]:
    """Return the tables of games in a folder that no line of its manifest names, by their paths in the folder.

    Some such tables are expected, and are not returned: a killed process may leave one table, the next part of its
    source; and during a commit of many parts, the new manifest is beside the old one, which names none of the tables.
    """
    if Path(folder, f"{MANIFEST}.part").exists():
        return []
    known = {part_name(source.number, number) for source in contents.sources for number in source.parts}
    known |= {
        part_name(source.number, max(source.parts, default=0) + 1) for source in contents.sources if not source.is_done
    }
    games = folder / GAMES
    there = os.listdir(games) if games.is_dir() else []  # noqa: PTH208  (only the names are needed)
    lost = (name for name in there if _PART.fullmatch(name) and name not in known)
    return [f"{GAMES}/{name}" for name in sorted(lost)]


def check_whole(folder: Path, contents: Contents, *, partial: bool) -> None:
    """Raise an error for a scan or an index that is not whole; with ``partial``, only warn if it is unfinished.

    Raises:
        SourceError: if it is unfinished, or has files that its manifest does not name.
    """
    command = "index" if str(contents.arguments.get("version")).startswith("index ") else "scan"
    if lost := unnamed(folder, contents):
        others = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        raise SourceError(
            f"{folder} is damaged: no line of {MANIFEST} names {lost[0]}{others}; {command} the same sources "
            "again with --force to make it anew"
        )
    text = unfinished(contents)
    if text is None:
        return
    if not partial:
        raise SourceError(
            f"{folder} is unfinished: {text}; `setwise {command} … -o {folder}` goes on, `--partial` (in Python "
            "partial=True) reads what is there"
        )
    warnings.warn(f"{folder} is unfinished: {text}; only what is there is read", stacklevel=2)


# ------------------------------------------------------------------------------------------------------- what is valid

#: The last field of a line: the CRC-32 of the line before it, in hexadecimal digits.
_SUM = "crc32"


def _encoded(line: dict[str, Any], number: int) -> bytes:
    """Return a line as it is written, with its number and its checksum."""
    text = json.dumps({"line": number, **{name: it for name, it in line.items() if name not in {"line", _SUM}}})[:-1]
    return text.encode() + _end_of(text.encode())


def _end_of(text: bytes) -> bytes:
    """Return the end of a line with this beginning: the checksum."""
    return f', "{_SUM}": "{zlib.crc32(text):08x}"}}\n'.encode()


def _checked(text: bytes) -> list[dict[str, Any]]:
    """Parse the lines of a manifest, and check each of them.

    Raises:
        ValueError: for an invalid line, with its number.
    """
    lines: list[dict[str, Any]] = []
    sources = 0
    for number, line in enumerate(text.split(b"\n")[:-1], start=1):
        try:
            parsed = json.loads(line)
        except (ValueError, RecursionError):
            raise ValueError(f"line {number} is not JSON") from None
        if lines and (_SUM in lines[0]) != (isinstance(parsed, dict) and _SUM in parsed):
            raise ValueError(f"line {number} is not what a scan writes there")
        begin = line[: line.rfind(b", ")]
        if (
            isinstance(parsed, dict)
            and _SUM in parsed
            and (parsed.get("line") != number or line[len(begin) :] + b"\n" != _end_of(begin))
        ):
            raise ValueError(f"line {number} has changed since it was written, or is not in its place")
        if not (_is_of_arguments(parsed) if number == 1 else _is_of_work(parsed, sources)):
            raise ValueError(f"line {number} is not what a scan writes there")
        if number > 1 and "path" in parsed:
            sources = max(sources, parsed["source"])
        lines.append(parsed)
    return lines


def _is_of_arguments(line: Any) -> bool:
    if not isinstance(line, dict) or not isinstance(line.get("version"), str):
        return False
    return all(_is_list(line.get(name), str) for name in ("columns", "partitioning"))


def _is_of_run(line: dict[str, Any], sources: int) -> bool:
    """Whether a line records a merged run, with parts of sources that were recorded before."""
    parts, files = line.get("of"), line.get("files")
    return (
        _is_count(line["run"], 1)
        and isinstance(parts, list)
        and all(isinstance(it, list) and len(it) == 2 and all(_is_count(at, 1) for at in it) for it in parts)
        and all(source <= sources for source, _ in parts)
        and isinstance(files, dict)
        and all(_is_file_sum(name, held) for name, held in files.items())
    )


def _is_of_work(line: Any, sources: int) -> bool:
    """Whether a line records a source, a part or the end of an earlier source, a merged run, or bitmaps."""
    if isinstance(line, dict) and "bitmaps" in line:
        return (
            _is_count(line["bitmaps"], 1)
            and _is_list(line.get("columns"), str)
            and isinstance(line.get("version"), str)
        )
    if isinstance(line, dict) and "lines" in line:
        return _is_count(line["lines"], 1) and bool(line["lines"] == line.get("line"))
    if isinstance(line, dict) and "run" in line:
        return _is_of_run(line, sources)
    if not isinstance(line, dict) or not _is_count(line.get("source"), 1):
        return False
    if "path" in line:
        is_file = isinstance(line["path"], str) and all(_is_count(line.get(name)) for name in ("size", "time"))
        is_none = all(line.get(name, 0) is None for name in ("path", "size", "time"))
        names = line.get("names", {})
        are_names = isinstance(names, dict) and _is_list([line.get("name"), *names.values()], str)
        return line["source"] <= sources + 1 and are_names and (is_file or is_none)
    if line["source"] > sources:
        return False
    if "part" not in line:
        return _is_count(line.get("parts"))
    counts = all(_is_count(line.get(name), least) for name, least in _COUNTS.items()) and _is_count(line.get("read", 0))
    files = line.get("files", {})
    return (
        counts
        and isinstance(line.get("is_whole"), bool)
        and isinstance(files, dict)
        and all(_is_file_sum(name, held) for name, held in files.items())
    )


#: The numbers in the line of a part, each with its smallest valid value.
_COUNTS = {"part": 1, "first": 1, "games": 0, "positions": 0}
_MOST = 1 << 62
#: The folders of files.
_PLACES = frozenset((GAMES, FEATURES, *OF_RUNS))


def _is_count(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < _MOST  # true and false are not counts


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(it, kind) for it in value)


def _is_file_sum(name: str, held: Any) -> bool:
    """Whether a scan writes files with this path, and the size, rows and checksums are numbers."""
    path = PurePosixPath(name)
    is_named = _PART.fullmatch(path.name) or _RUN.fullmatch(path.name)
    if not is_named or path.parts[0] not in _PLACES or ".." in path.parts:
        return False
    if not isinstance(held, list) or len(held) != len(FileSum._fields):
        return False
    *counts, sums = held
    if not all(map(_is_count, counts)) or not isinstance(sums, list):
        return False
    return {*map(type, sums)} <= {int} and 0 <= min(sums, default=0) <= max(sums, default=0) < _MOST


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
