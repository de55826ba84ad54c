"""The manifest of a scan: lines of JSON that say what has been asked, which sources there are, which parts are done.

A line is written, and on the disk, before what it tells of is relied on. A last line that is torn, by a crash, was
never written.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from setwise.corpus import layout
from setwise.errors import OutputError
from setwise.files import settle

__all__ = ["Known", "Manifest", "Part", "Seen"]


class Part(NamedTuple):
    """A part that is done: the number of its first game in the source, and how much it holds.

    It is not whole where its source could not be read further, and is made again when that is read again.
    """

    first: int
    games: int
    positions: int
    is_whole: bool = True


class Seen(NamedTuple):
    """What a file is known by: its path, its size and the time of its last change in ns; None for what is no file."""

    path: str | None
    size: int | None
    time: int | None

    @classmethod
    def now(cls, path: str) -> Self:
        """Return what a file is known by at this moment; raises ``OSError`` if there is none."""
        found = os.stat(path)  # noqa: PTH116  (a path may be what no Path is)
        return cls(os.path.realpath(path), found.st_size, found.st_mtime_ns)


@dataclass
class Known:
    """A source that the manifest names."""

    number: int
    name: str
    seen: Seen
    parts: dict[int, Part] = field(default_factory=dict)
    is_done: bool = False


class Manifest:
    """What is known of the scan in a folder.

    Args:
        folder: the folder, which exists and which nobody else writes to.
        arguments: what must be the same when a scan goes on.
        force: whether to begin anew whatever is there.

    Raises:
        OutputError: when the folder holds a scan with other arguments, or files of unknown origin.
    """

    def __init__(self, folder: Path, arguments: dict[str, Any], *, force: bool = False) -> None:
        self.folder, self.path = folder, folder / layout.MANIFEST
        self.places = [folder / name for name in (layout.POSITIONS, layout.GAMES)]
        self.sources: list[Known] = []
        lines = [] if force else self._read()
        if not lines:
            self._begin_anew(force=force)
        elif differing := [name for name in arguments if lines[0].get(name) != arguments[name]]:
            raise OutputError(
                f"{folder} holds a scan with other {' and '.join(differing)}; --force (in Python force=True) begins "
                "it anew"
            )
        self.file = self.path.open("ab", buffering=0)
        if not lines:
            self._append(arguments)
            settle(folder)
        for line in lines[1:]:
            self._enter(line)

    def _read(self) -> list[dict[str, Any]]:
        """The whole lines of the file; what is torn at its end is cut off."""
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        if len(whole) < len(text):
            os.truncate(self.path, len(whole))
        try:
            return [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            raise OutputError(f"{self.path} is no manifest of a scan; --force begins the scan anew") from None

    def _begin_anew(self, *, force: bool) -> None:
        """Remove what an older scan has written, and nothing else."""
        there = [path for place in self.places for path in layout.parts_in(place)]
        if there and not force:
            raise OutputError(f"{self.folder} holds {there[0].name}, but no manifest says of what; --force removes it")
        self.path.unlink(missing_ok=True)  # first: without it no part counts
        for path in there:
            path.unlink()
        for place in self.places:
            shutil.rmtree(place, ignore_errors=True) if place.is_dir() and not _holds_files(place) else None

    def _enter(self, line: dict[str, Any]) -> None:
        if "path" in line:
            known = Known(line["source"], line["name"], Seen(line["path"], line["size"], line["time"]))
            self.sources[known.number - 1 :] = [known, *self.sources[known.number :]]
        elif "part" in line:
            part = Part(*(line[name] for name in Part._fields))
            self.sources[line["source"] - 1].parts[line["part"]] = part
        else:
            self.sources[line["source"] - 1].is_done = True

    def _append(self, line: dict[str, Any]) -> None:
        text = json.dumps(line).encode() + b"\n"
        if self.file.write(text) < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        os.fsync(self.file.fileno())

    def source(self, name: str, seen: Seen, number: int | None = None) -> Known:
        """Enter a source, or the one of a number as it is now, without what was made of it."""
        line = {"source": number or len(self.sources) + 1, "name": name, **seen._asdict()}
        self._append(line)
        self._enter(line)
        for place in self.places if number else ():
            for path in layout.parts_in(place):
                if layout.source_of(path) == number:
                    path.unlink()
        return self.sources[line["source"] - 1]

    def part(self, source: Known, number: int, part: Part) -> None:
        """Enter a part that is done."""
        self._append({"source": source.number, "part": number, **part._asdict()})
        source.parts[number] = part

    def done(self, source: Known) -> None:
        """Enter that a source has been read to its end."""
        self._append({"source": source.number, "parts": len(source.parts)})
        source.is_done = True

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def parts(self) -> Iterator[Part]:
        """Yield all parts that are done."""
        for source in self.sources:
            yield from source.parts.values()


def _holds_files(folder: Path) -> bool:
    return any(not path.is_dir() for path in folder.rglob("*"))
