"""The manifest of a scan or an index: lines of JSON with its arguments, its sources and its finished parts.

A line is on the disk before anything relies on it. An incomplete last line, after a crash, is ignored. Each line has
its number and a checksum, and the last line of a run says how many lines there are: without it the folder is
unfinished. Manifests of older versions have neither; the next run adds them.

The positions of a part of an index are a sorted run. Runs are merged; the line of a merged run says of which parts it
has the positions, and replaces the runs of these parts. A source that is read anew drops the runs with its parts.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import warnings
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from setwise.corpus.storage import layout
from setwise.corpus.storage.checksums import FileSum
from setwise.errors import OutputError, SourceError
from setwise.system.files import reason_of, settle

__all__ = [
    "Bitmaps", "Contents", "Known", "Manifest", "Part", "Run", "Seen", "check_whole", "contents_of", "sources_in",
    "unfinished", "unnamed",
]  # fmt: skip


class Part(NamedTuple):
    """A finished part: the number of its first game in the source, its numbers of games and positions, its files.

    A part is not whole if its source could not be read further; it is written again when the source is read again.
    """

    first: int
    games: int
    positions: int
    is_whole: bool = True
    #: The sizes and checksums of the files, by path in the folder; older manifests have none.
    files: Mapping[str, FileSum] = MappingProxyType({})
    #: About how many bytes of its file the part was read from; older manifests have none.
    read: int = 0

    def without_run(self) -> Part:
        """Return this part of an index without the files of its run."""
        return self._replace(files={name: held for name, held in self.files.items() if not layout.is_of_run(name)})


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
class Known:
    """The record of a source in the manifest."""

    number: int
    name: str
    seen: Seen
    #: The values of the column ``source``, for the source or, if it is a scan, for each source in it.
    names: Mapping[str, str]
    parts: dict[int, Part] = field(default_factory=dict)
    is_done: bool = False


class Run(NamedTuple):
    """A merged run of an index: its number, the parts whose positions it has, by source and number, and its files."""

    number: int
    parts: list[tuple[int, int]]
    files: Mapping[str, FileSum]


class Bitmaps(NamedTuple):
    """A list of columns that an index has bitmaps of, and the version of setwise that computes them."""

    columns: list[str]
    version: str


@dataclass
class Contents:
    """What a manifest records."""

    arguments: dict[str, Any] = field(default_factory=dict)
    sources: list[Known] = field(default_factory=list)
    #: The merged runs, by number.
    runs: dict[int, Run] = field(default_factory=dict)
    #: The largest number of a run so far.
    last_run: int = 0
    #: The lists of columns that an index has bitmaps of, by number, each with the version of setwise that computes it.
    bitmaps: dict[int, Bitmaps] = field(default_factory=dict)
    #: How many lines there are, whether they have checksums, and whether a run has ended since the last source began.
    lines: int = 0
    has_sums: bool = True
    is_ended: bool = False

    @classmethod
    def of(cls, lines: list[dict[str, Any]]) -> Self:
        """Return what lines record."""
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
            known = Known(line["source"], line["name"], Seen(line["path"], line["size"], line["time"]), names)
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
        folder: the folder, which exists and which no other process writes to.
        arguments: the arguments of the scan, which must be the same when it is resumed.
        force: whether to replace any scan in the folder.
        at_once: whether what is recorded counts only with ``commit``; until then the manifest is the one before, and
            the files that it names stay.

    Raises:
        OutputError: if the folder holds a scan with other arguments, or files of unknown origin.
    """

    def __init__(self, folder: Path, arguments: dict[str, Any], *, force: bool = False, at_once: bool = False) -> None:
        self.folder, self.path = folder, folder / layout.MANIFEST
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
        written, aside = self.path, self.path.with_name(f"{layout.MANIFEST}.part")
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
    def sources(self) -> list[Known]:
        """The sources, by their numbers."""
        return self.contents.sources

    def _read(self) -> list[dict[str, Any]]:
        """The complete lines of the file; an incomplete line at its end is cut off."""
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
        """Remove the files that an older scan has written, and no others."""
        files = [path for place in self.places for path in (*layout.parts_in(place), *layout.runs_in(place))]
        if files and not force:
            raise OutputError(f"{self.folder} holds {files[0].name}, but no manifest says of what; --force removes it")
        self.path.unlink(missing_ok=True)  # first: without it no part counts
        self._remove_others(set())

    def _next(self) -> int:
        """The number of the next line. An interrupt may come after a line is written and before it is counted."""
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

    def source(self, name: str, seen: Seen, names: Mapping[str, str], number: int | None = None) -> Known:
        """Record a source; with ``number``, record that source as it is now, and remove its parts."""
        line = {"source": number or len(self.sources) + 1, "name": name, **seen._asdict(), "names": names}
        self._append(line)
        self.contents.enter(line)
        for place in self.places if number else ():
            for path in layout.parts_in(place):
                if layout.source_of(path) == number:
                    path.unlink()
        return self.sources[line["source"] - 1]

    def part(self, source: Known, number: int, part: Part) -> None:
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

    def done(self, source: Known) -> None:
        """Record that a source has been read to its end."""
        self._append({"source": source.number, "parts": len(source.parts)})
        source.is_done = True

    def end(self) -> None:
        """Record that a run has come to its end, unless nothing has been begun since the last one."""
        line = {"lines": self._next()}
        if not self.contents.is_ended:
            self._append(line)
            self.contents.enter(line)

    def commit(self) -> None:
        """Put what was recorded in the place of the manifest, and remove the part files that it does not name."""
        whole = self.path.with_name(f"{layout.MANIFEST}.whole")
        shutil.copyfile(self.file.name, whole)  # the file beside stays until the others are removed: see ``unnamed``
        settle(whole)
        whole.replace(self.path)
        settle(self.folder)
        self.remove_unnamed()

    def remove_unnamed(self) -> None:
        """Remove the part files that are not recorded."""
        parts = [*self.parts()]
        if all(part.files for part in parts):  # manifests of older versions do not name files
            files = [*(part.files for part in parts), *(run.files for run in self.contents.runs.values())]
            self._remove_others({name for some in files for name in some})

    def _remove_others(self, named: set[str]) -> None:
        """Remove the files of parts and runs other than those with these paths, and folders without files."""
        for place in self.places:
            for path in (*layout.parts_in(place), *layout.runs_in(place)):
                if path.relative_to(self.folder).as_posix() not in named:
                    path.unlink()
            if place.is_dir() and not _holds_files(place):
                shutil.rmtree(place, ignore_errors=True)

    def close(self) -> None:
        """Close the file; what was recorded to count at once and is not committed is dropped."""
        self.file.close()
        self.path.with_name(f"{layout.MANIFEST}.part").unlink(missing_ok=True)

    def parts(self) -> Iterator[Part]:
        """Yield all finished parts."""
        for source in self.sources:
            yield from source.parts.values()


def contents_of(folder: Path) -> Contents:
    """Return what the manifest in a folder records.

    Raises:
        SourceError: if the manifest cannot be read.
    """
    path = folder / layout.MANIFEST
    try:
        text = path.read_bytes()
        lines = _checked(text[: text.rfind(b"\n") + 1])
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {reason_of(error)}") from None
    except ValueError as error:
        raise SourceError(f"{path} is not the manifest of a scan: {error}") from None
    return Contents.of(lines)


def sources_in(folder: Path) -> tuple[dict[str, Any], list[Known]]:
    """Return the arguments of the scan in a folder, and its sources with their finished parts.

    Raises:
        SourceError: if the manifest cannot be read.
    """
    contents = contents_of(folder)
    return contents.arguments, contents.sources


# ------------------------------------------------------------------------------------------------------- what is whole


def unfinished(contents: Contents) -> str | None:
    """Return what an unfinished scan or index has of its sources; None for one whose run has come to its end."""
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

    A run that was killed may leave one, the next part of its source; and a commit of many parts all of them, while the
    new manifest is still beside the old one. These are left out.
    """
    if Path(folder, f"{layout.MANIFEST}.part").exists():
        return []
    known = {layout.part_name(source.number, number) for source in contents.sources for number in source.parts}
    known |= {
        layout.part_name(source.number, max(source.parts, default=0) + 1)
        for source in contents.sources
        if not source.is_done
    }
    games = folder / layout.GAMES
    there = os.listdir(games) if games.is_dir() else []  # noqa: PTH208  (only the names are needed)
    lost = (name for name in there if layout.is_part(PurePosixPath(layout.GAMES, name)) and name not in known)
    return [f"{layout.GAMES}/{name}" for name in sorted(lost)]


def check_whole(folder: Path, contents: Contents, *, partial: bool) -> None:
    """Refuse a scan or an index that is not whole; with ``partial``, only warn of one that is unfinished.

    Raises:
        SourceError: when it is unfinished, or has files that its manifest does not name.
    """
    command = "index" if str(contents.arguments.get("version")).startswith("index ") else "scan"
    if lost := unnamed(folder, contents):
        others = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        raise SourceError(
            f"{folder} is damaged: no line of {layout.MANIFEST} names {lost[0]}{others}; {command} the same sources "
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
    """A line as it is written, with its number and its checksum."""
    text = json.dumps({"line": number, **{name: it for name, it in line.items() if name not in {"line", _SUM}}})[:-1]
    return text.encode() + _end_of(text.encode())


def _end_of(text: bytes) -> bytes:
    """The end of a line that begins like this: its checksum."""
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
        is_sound = _is_of_arguments(parsed) if number == 1 else _is_of_work(parsed, sources)
        if not is_sound:
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
    """Whether a line records a merged run of parts of sources recorded before."""
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
    """Whether a line records a source, a part or the end of a source recorded before, a merged run, or bitmaps."""
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
#: The folders that files are in.
_PLACES = frozenset((layout.GAMES, layout.FEATURES, *layout.OF_RUNS))


def _is_count(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < _MOST  # true and false are no counts


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(it, kind) for it in value)


def _is_file_sum(name: str, held: Any) -> bool:
    """Whether the path is one that a scan writes to, and size, rows and sums are numbers."""
    path = PurePosixPath(name)
    if not (layout.is_part(path) or layout.is_run(path)) or path.parts[0] not in _PLACES or ".." in path.parts:
        return False
    if not isinstance(held, list) or len(held) != len(FileSum._fields):
        return False
    *counts, sums = held
    if not all(map(_is_count, counts)) or not isinstance(sums, list):
        return False
    return {*map(type, sums)} <= {int} and 0 <= min(sums, default=0) <= max(sums, default=0) < _MOST


def _holds_files(folder: Path) -> bool:
    return any(not path.is_dir() for path in folder.rglob("*"))
