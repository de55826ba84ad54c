"""The log of a store: its lines are the commits that say which files count, and a prefix of them is a snapshot.

A part is written under a temporary name, its files are renamed, and then a line of ``manifest.jsonl`` records it.
Without the line the part does not count, so a process that is killed at any moment leaves a store that can be
continued. Each line has its number and a checksum, and an incomplete line at the end is cut off. The line of a part has
the sizes and rows of its files, and the checksum of every column chunk, so that a reader can check only the bytes that
it uses. ``Contents`` combines all lines; a log that is much longer than its contents is written anew beside the old one
and renamed. This module decides whether a store is finished or damaged, or has files that no line names.
"""

from __future__ import annotations

import bisect
import errno
import json
import os
import shutil
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from setwise.corpus.storage import layout
from setwise.corpus.storage.layout import GAMES, KEYS, MANIFEST, PACKED, POSITIONS, FileSum
from setwise.errors import OutputError, SourceError
from setwise.system.files import is_held, reason_of, settle

# ------------------------------------------------------------------------------------------------ the contents of a log

#: The version in the first line, the version of an index in its first form, and the versions' beginnings.
VERSION, FORMER = "store 1", "index 1"
_STORE, _INDEX = "store ", "index "
#: The two layers of a store: the tables of games and positions; the packed games, the runs and the bitmaps.
TABLES = "tables"
#: The version of the runs and the packed games of a store: it changes if an older reader would read them wrongly.
OF_KEYS: Mapping[str, Any] = {"version": "1"}


class Part(NamedTuple):
    """A finished part: the number of its first game in the source, its numbers of games and positions, its files.

    A part is not whole if its source could not be read to the end; it is written again when the source is read again.
    """

    first: int
    games: int
    positions: int
    is_whole: bool = True
    #: The sizes and checksums of the files, by path in the folder.
    files: Mapping[str, FileSum] = MappingProxyType({})
    #: About how many bytes of the source file this part was read from.
    read: int = 0

    @property
    def is_packed(self) -> bool:
        """Whether the games of the part are packed."""
        return any(layout.place_of(path) == PACKED for path in self.files)

    def without(self, paths: Iterable[str]) -> Part:
        """Return this part without some of its files."""
        paths = {*paths}
        return self._replace(files={path: held for path, held in self.files.items() if path not in paths})

    def without_run(self) -> Part:
        """Return this part without the files of its run."""
        return self.without(filter(layout.is_of_run, self.files))


class Seen(NamedTuple):
    """A file's path, size and time of its last change in ns; None for a source that is not a file."""

    path: str | None
    size: int | None
    time: int | None

    @classmethod
    def now(cls, path: str) -> Self:
        """Return the present values for a file; raise ``OSError`` if there is no file."""
        try:
            stat = os.stat(path)  # noqa: PTH116  (not every path can be a Path)
        except FileNotFoundError:  # it may name a table of a database, as games.db#moves
            stat = os.stat(str(path).rpartition("#")[0])  # noqa: PTH116
        return cls(os.path.realpath(path), stat.st_size, stat.st_mtime_ns)


@dataclass
class KnownSource:
    """The record of a source in the log."""

    number: int
    name: str
    seen: Seen
    #: The values of the column ``source``, for the source or, if it is a scan, for each source in it.
    names: Mapping[str, str]
    #: The number of this reading of the source, which is in the names of its part files.
    reading: int
    parts: dict[int, Part] = field(default_factory=dict)
    is_done: bool = False

    def name_of(self, number: int) -> str:
        """Return the name of the files of a part."""
        return layout.part_name(self.reading, number)

    def line(self) -> dict[str, Any]:
        """Return the line of the source."""
        seen = self.seen._asdict()
        return {"source": self.number, "name": self.name, **seen, "names": self.names, "reading": self.reading}


class Run(NamedTuple):
    """A merged run: its number, the source and number of each part whose positions it has, its files."""

    number: int
    parts: list[tuple[int, int]]
    files: Mapping[str, FileSum]

    def line(self) -> dict[str, Any]:
        """Return the line of the run."""
        return {"run": self.number, "of": self.parts, "files": self.files}


class Bitmaps(NamedTuple):
    """A list of columns with bitmaps, and the version of setwise that computes them."""

    columns: list[str]
    version: str


@dataclass
class Contents:
    """The contents of a log, or of its first lines."""

    #: The layers of the store, each with the arguments of its writing.
    layers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: list[KnownSource] = field(default_factory=list)
    #: The merged runs, by number.
    runs: dict[int, Run] = field(default_factory=dict)
    #: The largest numbers of a run and of a reading of a source so far: their names are not used again.
    last_run: int = 0
    last_reading: int = 0
    #: The lists of columns with bitmaps, by number, each with the version of setwise that computes it.
    bitmaps: dict[int, Bitmaps] = field(default_factory=dict)
    #: The number of lines, whether a writing ended after the last source began, and whether this is an index in its
    #: first form, whose files are elsewhere.
    line_count: int = 0
    is_ended: bool = False
    #: The number of lines at the last time when the store was whole; 0 if it never was.
    whole_count: int = 0
    is_former: bool = False

    @classmethod
    def of(cls, lines: list[dict[str, Any]]) -> Self:
        """Return the contents that lines record."""
        contents = cls(line_count=len(lines))
        if lines:
            contents._enter_first(lines[0])
        for line in lines[1:]:
            contents.enter(line)
        return contents

    def _enter_first(self, line: dict[str, Any]) -> None:
        version = line["version"]
        if version.startswith(_STORE):
            self.last_run, self.last_reading = line.get("last_run", 0), line.get("last_reading", 0)
        elif version.startswith(_INDEX):
            self.layers[KEYS], self.is_former = OF_KEYS, True
        else:  # a scan of a time when a folder had one layer
            self.layers[TABLES] = {name: line[name] for name in ("version", "columns", "partitioning")}

    def enter(self, line: dict[str, Any]) -> None:
        """Enter a line after the first."""
        if "lines" in line:
            self.is_ended = True
            if all(source.is_done for source in self.sources):
                self.whole_count = line["lines"]
        elif "layer" in line:
            self.is_ended = False
            self.layers[line["layer"]] = {name: it for name, it in line.items() if name in _OF_LAYERS}
        elif "path" in line:
            self._enter_source(line)
        elif "bitmaps" in line:
            self.bitmaps[line["bitmaps"]] = Bitmaps(line["columns"], line["version"])
        elif "run" in line:
            run = Run(line["run"], [(source, number) for source, number in line["of"]], self._sums_in(line["files"]))
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
            self._enter_part(line)
        else:
            self.sources[line["source"] - 1].is_done = True

    def _enter_source(self, line: dict[str, Any]) -> None:
        self.is_ended = False
        number, reading = line["source"], line.get("reading", line["source"])
        seen = Seen(line["path"], line["size"], line["time"])
        known = KnownSource(number, line["name"], seen, line["names"], reading)
        self.last_reading = max(self.last_reading, reading)
        self.runs = {n: run for n, run in self.runs.items() if all(of != number for of, _ in run.parts)}
        self.sources[number - 1 :] = [known, *self.sources[number:]]

    def _enter_part(self, line: dict[str, Any]) -> None:
        number, parts = line["part"], self.sources[line["source"] - 1].parts
        counts = (line["first"], line["games"], line["positions"], line["is_whole"])
        part = Part(*counts, files=self._sums_in(line["files"]), read=line.get("read", 0))
        if number not in parts or parts[number][: len(counts)] != counts:  # else it has other files than before
            self.runs = {n: run for n, run in self.runs.items() if (line["source"], number) not in run.parts}
        parts[number] = part

    def _sums_in(self, files: Mapping[str, Any]) -> dict[str, FileSum]:
        path_of = layout.present_path if self.is_former else str
        return {path_of(name): FileSum(*held) for name, held in files.items()}

    def lines(self) -> list[dict[str, Any]]:
        """Return the shortest lines with these contents."""
        lines = [{"version": VERSION, "last_run": self.last_run, "last_reading": self.last_reading}]
        lines += ({"layer": name, **arguments} for name, arguments in self.layers.items())
        lines += ({"bitmaps": number, **it._asdict()} for number, it in self.bitmaps.items())
        for source in self.sources:
            of = {"source": source.number}
            lines += [source.line(), *({**of, "part": n, **part._asdict()} for n, part in source.parts.items())]
            lines += [{**of, "parts": len(source.parts)}] if source.is_done else []
        lines += (run.line() for run in self.runs.values())
        return [*lines, {"lines": len(lines) + 1}] if self.is_ended else lines

    def parts(self) -> Iterator[tuple[KnownSource, int, Part]]:
        """Yield all finished parts, each with its source and its number."""
        for source in self.sources:
            for number, part in sorted(source.parts.items()):
                yield source, number, part

    def files(self) -> dict[str, FileSum]:
        """Return the files of all parts and runs, by their paths in the store."""
        named = [*(part.files for *_, part in self.parts()), *(run.files for run in self.runs.values())]
        return {path: held for files in named for path, held in files.items()}

    def located(self, folder: Path, path: str) -> Path:
        """Return where a file is now; see ``layout.located``."""
        return layout.located(folder, path, is_former=self.is_former)

    @property
    def command(self) -> str:
        """The command that writes such a store."""
        return "scan" if TABLES in self.layers else "index"


# --------------------------------------------------------------------------------------------------------- the log file


class Manifest:
    """The log of the store in a folder, for reading and appending.

    Args:
        folder: the folder, which exists; no other process writes to it.
        force: whether to replace any store in the folder.
        at_once: whether new records count only after ``commit``; until then the old log remains, with the files that it
            names.

    Raises:
        OutputError: if the folder contains another kind of log, or files of unknown origin.
    """

    def __init__(self, folder: Path, *, force: bool = False, at_once: bool = False) -> None:
        self.folder, self.path = folder, folder / MANIFEST
        text = self._read()
        if force:
            self.contents = self._begun_anew()
        elif text:
            self.contents = self._contents_of(text)
        else:
            if (file := next(layout.files_in(folder), None)) is not None:
                raise OutputError(
                    f"{folder} holds {Path(file).name}, but no manifest says of what; --force removes it, `setwise "
                    f"repair {folder}` finds out"
                )
            self.contents = Contents()
        lines, written = self.contents.lines(), self.path
        if at_once or self.contents.line_count > 2 * len(lines) + _SPARE or not self.contents.line_count:
            self.contents.line_count = len(lines)
            written = _write(folder, lines, f"{MANIFEST}.{'part' if at_once else 'whole'}")
            if not at_once:
                written = written.replace(self.path)
                settle(folder)
        elif self.path.stat().st_size > len(text):
            os.truncate(self.path, len(text))  # no line follows half a line
        self.file = written.open("ab", buffering=0)
        self._size = os.fstat(self.file.fileno()).st_size
        if force and not at_once:
            self.replace_unnamed()

    def _read(self) -> bytes:
        """Return the complete lines of the file."""
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return b""
        return text[: text.rfind(b"\n") + 1]

    def _contents_of(self, text: bytes) -> Contents:
        try:
            contents = Contents.of(_checked(text))
        except ValueError as error:
            raise OutputError(
                f"{self.path} is not the manifest of a scan: {error}; --force begins the scan anew"
            ) from None
        if contents.is_former:
            raise OutputError(
                f"{self.folder} is an index in its first form: `setwise upgrade {self.folder}` converts it"
            )
        return contents

    def _begun_anew(self) -> Contents:
        """Return contents without sources, in which no name is used again."""
        numbers = [
            (path.startswith(f"{KEYS}/") and "run-" in path, int(Path(path).stem.split("-")[1]))
            for path in (*layout.files_in(self.folder), *layout.files_in(self.folder / layout.REPLACED))
        ]
        readings, runs = ([number for is_run, number in numbers if is_run == kind] for kind in (False, True))
        return Contents(last_reading=max(readings, default=0), last_run=max(runs, default=0))

    @property
    def sources(self) -> list[KnownSource]:
        """The sources, by their numbers."""
        return self.contents.sources

    def _next(self) -> int:
        """Return the number of the next line. After an interrupt, a line may be written but not yet counted."""
        if os.fstat(self.file.fileno()).st_size != self._size:
            text = Path(self.file.name).read_bytes()
            self.contents.line_count = text.count(b"\n")
            self._size = len(text)
        return self.contents.line_count + 1

    def _append(self, line: dict[str, Any]) -> None:
        text, size, written = _encoded(line, self._next()), self._size, 0
        try:
            written = self.file.write(text)
        finally:
            if written < len(text):
                self.file.truncate(size)  # no line follows half a line
        if written < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        self.contents.line_count += 1
        self._size = size + len(text)
        os.fsync(self.file.fileno())

    def _record(self, line: dict[str, Any]) -> None:
        self._append(line)
        self.contents.enter(line)

    def layer(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Record a layer that parts have from now on.

        Raises:
            OutputError: if the store has this layer with other arguments.
        """
        known = self.contents.layers.get(name)
        if known is None:
            self._record({"layer": name, **arguments})
        elif differing := [it for it in arguments if known.get(it) != arguments[it]]:
            kind = "a scan" if name == TABLES else "an index"
            raise OutputError(
                f"{self.folder} holds {kind} with other {' and '.join(differing)}; --force (in Python force=True) "
                "begins it anew"
            )

    def source(self, name: str, seen: Seen, names: Mapping[str, str], number: int | None = None) -> KnownSource:
        """Record a source; with ``number``, record that source as it is now, and replace its parts."""
        at = number or len(self.sources) + 1
        former = [path for known, _, part in self.contents.parts() if known.number == number for path in part.files]
        self._record(KnownSource(at, name, seen, names, self.contents.last_reading + 1).line())
        self.replace(former)
        return self.sources[at - 1]

    def part(self, source: KnownSource, number: int, part: Part) -> None:
        """Record a finished part, or that a part has other files."""
        self._record({"source": source.number, "part": number, **part._asdict()})

    def run(self, run: Run) -> None:
        """Record a merged run; the runs that it replaces are forgotten. Without parts, only forget a run."""
        self._record(run.line())

    def bitmaps(self, columns: list[str], version: str) -> None:
        """Record a list of columns that parts have bitmaps of from now on."""
        self._record({"bitmaps": len(self.contents.bitmaps) + 1, "columns": columns, "version": version})

    def done(self, source: KnownSource) -> None:
        """Record that a source has been read to its end."""
        self._record({"source": source.number, "parts": len(source.parts)})

    def end(self) -> None:
        """Record that this writing has ended, unless nothing has begun since the last recorded end."""
        if not self.contents.is_ended:
            self._record({"lines": self._next()})

    def commit(self) -> None:
        """Replace the log by the new records, and move the part files away that it does not name."""
        whole = self.path.with_name(f"{MANIFEST}.whole")
        shutil.copyfile(self.file.name, whole)  # the file beside stays until the others are moved: see ``unnamed``
        settle(whole)
        whole.replace(self.path)
        settle(self.folder)
        self.replace_unnamed()

    def replace(self, paths: Iterable[str]) -> None:
        """Move files to ``.replaced``, where readers that have opened an earlier snapshot find them."""
        for path in paths:
            replaced = self.folder / layout.REPLACED / path
            replaced.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                (self.folder / path).replace(replaced)

    def replace_unnamed(self) -> None:
        """Move the files that are not recorded to ``.replaced``, and remove empty folders."""
        named = self.contents.files()
        self.replace([path for path in layout.files_in(self.folder) if path not in named])
        for place in layout.PLACES:
            for folder in (self.folder / place, self.folder / KEYS):
                if folder.is_dir() and all(path.is_dir() for path in folder.rglob("*")):
                    shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Close the file; records with ``at_once`` that are not committed are dropped."""
        self.file.close()
        self.path.with_name(f"{MANIFEST}.part").unlink(missing_ok=True)


#: How many lines a log may have in addition to twice the lines that its contents need.
_SPARE = 64


def write_contents(folder: Path, contents: Contents) -> None:
    """Write a log with these contents in place of the log of a store, at once."""
    _write(folder, contents.lines(), f"{MANIFEST}.whole").replace(folder / MANIFEST)
    settle(folder)


def _write(folder: Path, lines: Iterable[dict[str, Any]], name: str) -> Path:
    """Write a log, and return its path when it is on the disk."""
    path = folder / name
    path.write_bytes(b"".join(_encoded(line, number) for number, line in enumerate(lines, start=1)))
    settle(path)
    return path


def contents_of(folder: Path, lines: int | None = None) -> Contents:
    """Return the contents of the log in a folder, or of its first lines.

    Raises:
        SourceError: if the log cannot be read, or is of a version that this setwise does not know.
    """
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
        checked = _checked(text[: text.rfind(b"\n") + 1])
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {reason_of(error)}") from None
    except ValueError as error:
        raise SourceError(
            f"{path} is not the manifest of a scan: {error}; `setwise repair {folder}` writes it again from the files"
        ) from None
    return Contents.of(checked[:lines])


def valid_contents(folder: Path) -> Contents:
    """Return the contents of the lines before the first invalid line of a log, however it is damaged."""
    try:
        text = (folder / MANIFEST).read_bytes()
    except OSError:
        return Contents()
    ends = [0, *(at + 1 for at, byte in enumerate(text) if byte == ord("\n"))]
    count = bisect.bisect_left(ends, True, key=lambda end: _is_damaged(text[:end]))
    return Contents.of(_checked(text[: ends[count - 1]]))


def _is_damaged(text: bytes) -> bool:
    try:
        _checked(text)
    except ValueError:
        return True
    return False


# ------------------------------------------------------------------------------------------------------- what is whole


def unfinished(contents: Contents) -> str | None:
    """Return how much of its sources an unfinished store contains, in words; None if it is finished."""
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
    """Return the games in a folder whose lines its log lacks, by their paths in the folder.

    Some files without a line are expected, and are not returned: a killed process may leave the next part of its
    source, or files that it has replaced; and during a commit of many parts, the new log is beside the old one.
    """
    if Path(folder, f"{MANIFEST}.part").exists():
        return []
    last = {source.reading: max(source.parts, default=0) + (not source.is_done) for source in contents.sources}
    lost = list[str]()
    for place in (GAMES, PACKED) if not contents.is_former else (GAMES,):
        there = list[str]()
        with suppress(FileNotFoundError):  # a writing may remove an empty folder
            there = os.listdir(folder / place)  # noqa: PTH208  (only the names are needed)
        for name in filter(layout.is_part, there):
            reading, number = (int(it) for it in Path(name).stem.split("-")[1:])
            if reading > contents.last_reading or number > last.get(reading, number):
                lost.append(f"{place}/{name}")
    return sorted(lost)


def snapshot_of(folder: Path, contents: Contents, *, partial: bool) -> Contents:
    """Return the contents of a store that are read: all of them, or those before a writing that has not ended.

    While a process writes, a reader gets the store as it was before. If a writing was interrupted, the store is
    refused; with ``partial``, what is there is read, with a warning.

    Raises:
        SourceError: if the store is unfinished, or has files that its log does not name.
    """
    if lost := unnamed(folder, contents):
        present = contents_of(folder)
        if present.line_count != contents.line_count:  # a writing has gone on since the log was read
            return snapshot_of(folder, present, partial=partial)
        others = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        raise SourceError(
            f"{folder} is damaged: no line of {MANIFEST} names {lost[0]}{others}; `setwise repair {folder}` writes "
            "the lines again"
        )
    text = unfinished(contents)
    if text is None:
        return contents
    if not partial:
        if contents.whole_count and is_held(folder / layout.LOCK):
            return contents_of(folder, contents.whole_count)
        raise SourceError(
            f"{folder} is unfinished: {text}; `setwise {contents.command} … -o {folder}` goes on, `--partial` (in "
            "Python partial=True) reads what is there"
        )
    warnings.warn(f"{folder} is unfinished: {text}; only what is there is read", stacklevel=2)
    return contents


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
    """Parse the lines of a log, and check each of them.

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
        if not isinstance(parsed, dict) or _SUM not in parsed:
            raise ValueError(f"line {number} is not what a scan writes there")
        begin = line[: line.rfind(b", ")]
        if parsed.get("line") != number or line[len(begin) :] + b"\n" != _end_of(begin):
            raise ValueError(f"line {number} has changed since it was written, or is not in its place")
        if not (_is_first(parsed) if number == 1 else _is_of_work(parsed, sources)):
            raise ValueError(f"line {number} is not what a scan writes there")
        version = parsed["version"] if number == 1 else VERSION
        if version.startswith((_STORE, _INDEX)) and version not in {VERSION, FORMER}:
            raise ValueError(f"it is of version {version!r:.20}, and this setwise reads {VERSION!r}")
        if number > 1 and "path" in parsed:
            sources = max(sources, parsed["source"])
        lines.append(parsed)
    return lines


def _is_first(line: dict[str, Any]) -> bool:
    version = line.get("version")
    if isinstance(version, str) and version.startswith(_STORE):
        return all(_is_count(line.get(name, 0)) for name in ("last_run", "last_reading"))
    return _has(line, _FIELDS[TABLES])


def _is_of_work(line: dict[str, Any], sources: int) -> bool:
    """Whether a line after the first is valid, where the log has so many sources before it."""
    if "layer" in line:
        return line["layer"] in (TABLES, KEYS) and _has(line, _FIELDS[line["layer"]])
    kind = next(kind for kind in ("bitmaps", "lines", "run", "path", "part", "") if kind in line or not kind)
    if not _has(line, _FIELDS[kind]):
        return False
    match kind:
        case "bitmaps":
            return True
        case "lines":
            return bool(line["lines"] == line["line"])
        case "run":
            return all(source <= sources for source, _ in line["of"])
        case "path":
            is_file = [line[name] is not None for name in ("path", "size", "time")]
            return line["source"] <= sources + 1 and (all(is_file) or not any(is_file))
    return bool(line["source"] <= sources)


#: The arguments of a layer.
_OF_LAYERS = ("version", "columns", "partitioning")
_MOST = 1 << 62
#: The first folders of paths, in a store and in the first form of an index.
_FOLDERS = frozenset((GAMES, POSITIONS, PACKED, KEYS, layout.FEATURES, layout.OUTCOMES, layout.TREE))


def _is_count(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < _MOST  # true and false are not counts


def _is_number(value: Any) -> bool:
    return _is_count(value, 1)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_names(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _are_parts(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(it, list) and len(it) == 2 and all(map(_is_number, it)) for it in value
    )


def _are_files(files: Any) -> bool:
    return isinstance(files, dict) and all(_is_file_sum(name, held) for name, held in files.items())


def _is_file_sum(name: str, held: Any) -> bool:
    """Whether a store has files with this path, and the size, rows and checksums are numbers."""
    path = PurePosixPath(name)
    if not layout.is_named(path.name) or path.parts[0] not in _FOLDERS or ".." in path.parts:
        return False
    if not isinstance(held, list) or len(held) != len(FileSum._fields) or not isinstance(held[-1], list):
        return False
    return all(map(_is_count, [*held[:-1], *held[-1]]))


#: What each field of a line must be, by the layer, or by the field that shows what the line records.
_FIELDS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    TABLES: {"version": _is_text, "columns": _are_texts, "partitioning": _are_texts},
    KEYS: {"version": _is_text},
    "bitmaps": {"bitmaps": _is_number, "columns": _are_texts, "version": _is_text},
    "lines": {"lines": _is_number},
    "run": {"run": _is_number, "of": _are_parts, "files": _are_files},
    "path": {
        "source": _is_number, "name": _is_text, "path": lambda it: it is None or _is_text(it), "names": _are_names,
        **dict.fromkeys(("size", "time"), lambda it: it is None or _is_count(it)), "reading": _is_count,
    },
    "part": {
        "source": _is_number, "part": _is_number, "first": _is_number, "games": _is_count, "positions": _is_count,
        "is_whole": lambda it: isinstance(it, bool), "files": _are_files, "read": _is_count,
    },
    "": {"source": _is_number, "parts": _is_count},
}  # fmt: skip
#: The fields that a line need not have.
_DEFAULTS = {"reading": 1, "read": 0}


def _has(line: dict[str, Any], fields: Mapping[str, Callable[[Any], bool]]) -> bool:
    return all(is_valid(line.get(name, _DEFAULTS.get(name, _MOST))) for name, is_valid in fields.items())
