"""Faults of the system while a command writes: killed at a call, calls that fail, and what a loss of power leaves.

``strace`` injects the faults, so the command itself is the one that users run. A process that has loaded setwise forks
a child for each trial, which stops until ``strace`` holds it: a trial takes a tenth of a second. What a loss of power
leaves is computed from the calls of a whole run: the bytes of a file count when the file was synced, and a name when
its folder was.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

__all__ = ["CHANGING", "Call", "CannotTrace", "Disk", "Ended", "Runner", "disks", "lay"]

#: The calls that change files or folders.
CHANGING = (
    "openat", "write", "writev", "pwrite64", "ftruncate", "truncate", "fallocate", "copy_file_range", "sendfile",
    "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "fsync",
    "fdatasync",
)  # fmt: skip

_SERVER = """
import json, os, signal, sys, warnings
from setwise.cli import main
import setwise.corpus.dataset.scan, setwise.corpus.dataset.index, setwise.corpus.pgnfiles.packing
import duckdb, numba, pyarrow.parquet, pyarrow.compute
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if not child:
        code = 70
        try:
            null = os.open(os.devnull, os.O_RDONLY)
            out = os.open(asked["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(null, 0), os.dup2(out, 1), os.dup2(out, 2)
            os.chdir(asked["folder"])
            if asked["stops"]:
                os.kill(os.getpid(), signal.SIGSTOP)
            sys.argv = ["setwise", *asked["arguments"]]
            try:
                main()
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        finally:
            sys.stdout.flush()
            os._exit(code)
    print(json.dumps(child), flush=True)
    status = os.waitpid(child, 0)[1]
    print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)
"""


class CannotTrace(Exception):
    """The system forbids to trace another process."""


class Call(NamedTuple):
    """A call of the system that changes something: its name, the paths of files in it, its data, and its result."""

    name: str
    paths: tuple[str, ...]
    text: str
    data: bytes
    result: str

    @property
    def path(self) -> str:
        """The path by which ``strace`` chooses this call."""
        return self.paths[0]


class Ended(NamedTuple):
    """How a command ended: its exit status (the negative number of a signal), and what it said."""

    status: int
    said: str


class Runner:
    """Runs commands of setwise in forks of one process, under ``strace`` or not."""

    def __init__(self, strace: str, folder: Path) -> None:
        self.strace, self.folder = strace, folder
        environment = os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"}
        self.server = subprocess.Popen(
            [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.close()
        self.server.wait(60)
        self.server.stdout.close()

    def run(self, arguments: list[str], folder: Path, *options: str, log: Path | None = None) -> Ended:
        """Run a command in a folder; with options for ``strace``, under it."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        said = self.folder / "said"
        asked = {"arguments": arguments, "folder": str(folder), "stops": bool(options), "said": str(said)}
        print(json.dumps(asked), file=self.server.stdin, flush=True)
        child = int(self.server.stdout.readline())
        if options:
            _wait_until_stopped(child)
            output = os.devnull if log is None else str(log)
            tracing = subprocess.Popen(
                [self.strace, "-f", "-o", output, *options, "-p", str(child)], stderr=subprocess.PIPE, text=True
            )
            assert tracing.stderr is not None
            attached = tracing.stderr.readline()
            os.kill(child, signal.SIGCONT)
            tracing.communicate()
            if "attached" not in attached:
                raise CannotTrace(f"strace may not attach to a process here: {attached.strip()}")
        return Ended(json.loads(self.server.stdout.readline()), said.read_text("utf-8", "replace"))

    def calls(self, arguments: list[str], folder: Path) -> list[Call]:
        """Run a whole command, and return the calls that change something below the folder, with all data."""
        log = self.folder / "calls"
        ended = self.run(
            arguments, folder, "-y", "-xx", "-s", str(1 << 26), "-e", f"trace={','.join(CHANGING)}", log=log
        )
        assert ended.status == 0, ended.said
        return [call for call in _calls_in(log, folder) if any(_is_below(path, folder) for path in call.paths)]


def _wait_until_stopped(child: int) -> None:
    while Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        os.sched_yield()


def _is_below(path: str, folder: Path) -> bool:
    return path.startswith(f"{folder}/") or path == str(folder)


_LINE = re.compile(r"(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FILE = re.compile(r"(?:\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>")


def _bytes_of(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _calls_in(log: Path, folder: Path) -> Iterator[Call]:
    """Yield the calls in a log of ``strace -f -y -xx`` that changed something, in the order in which they ended."""
    begun: dict[str, str] = {}
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = _LINE.match(line)
            if match is None:
                continue
            thread, resumed, name, rest = match.groups()
            if rest.endswith("<unfinished ...>"):
                begun[thread] = rest.removesuffix("<unfinished ...>")
                continue
            arguments, _, result = (begun.pop(thread, "") + rest if resumed else rest).rpartition(" = ")
            name = resumed or name
            only_reads = name == "openat" and "O_CREAT" not in arguments and "O_TRUNC" not in arguments
            if not only_reads and not result.startswith("-1"):
                yield _call(name, arguments, result, folder)


def _call(name: str, arguments: str, result: str, folder: Path) -> Call:
    files = [_bytes_of(it).decode("utf-8", "replace") for it in _FILE.findall(arguments)]
    texts = [_bytes_of(it) for it in _TEXT.findall(arguments)]
    if name in {"write", "writev", "pwrite64"}:
        return Call(name, tuple(files), arguments, b"".join(texts), result)
    named = [it.decode("utf-8", "replace") for it in texts]
    if not named:  # a call with handles only
        return Call(name, tuple(files), arguments, b"", result)
    bases = files if len(files) == len(named) else [str(folder)] * len(named)
    paths = tuple(os.path.normpath(f"{Path(base) / it}") for base, it in zip(bases, named, strict=True))
    return Call(name, paths, arguments, b"", result)


# ------------------------------------------------------------------------------------------------------ loss of power


class _File:
    """The bytes of a file, and the bytes that are on the disk."""

    def __init__(self, data: bytes = b"", settled: bytes = b"") -> None:
        self.data, self.settled = bytearray(data), settled

    def settle(self) -> None:
        self.settled = bytes(self.data)

    def put(self, offset: int, data: bytes) -> None:
        self.data.extend(bytes(max(0, offset - len(self.data))))
        self.data[offset : offset + len(data)] = data

    def resize(self, size: int) -> None:
        del self.data[size:]
        self.data.extend(bytes(size - len(self.data)))

    def left(self, kind: str) -> bytes:
        """Return the bytes after a loss of power."""
        if kind != "zeroed":
            return self.settled
        kept = self.settled[: len(self.data)]
        is_same = self.data.startswith(kept)
        return (kept if is_same else bytes(len(kept))) + bytes(len(self.data) - len(kept))


class _Folder:
    """The names in a folder, and the names that are on the disk."""

    def __init__(self) -> None:
        self.names: dict[str, _File | _Folder] = {}
        self.settled: dict[str, _File | _Folder] = {}

    def settle(self) -> None:
        self.settled = dict(self.names)


def _read(place: Path) -> _File | _Folder:
    """Return a file or folder, all of which is on the disk."""
    if not place.is_dir():
        return _File(place.read_bytes(), place.read_bytes())
    folder = _Folder()
    folder.names = {it.name: _read(it) for it in place.iterdir()}
    folder.settle()
    return folder


#: The kinds of losses: all names stay, and the bytes that were synced; all names and sizes stay, with zeros for the
#: other bytes; only the names stay that were synced with their folders, and the bytes that were synced.
LOSSES = ("dropped", "zeroed", "names")


class Disk:
    """A folder as processes see it and as it is on the disk, while calls are played again."""

    def __init__(self, place: Path) -> None:
        folder = _read(place)
        assert isinstance(folder, _Folder)
        self.place, self.root = str(place), folder
        #: By the path of an open file: where the next bytes go; None for its end. Handles of one file share it.
        self.next: dict[str, int | None] = {}

    def play(self, call: Call) -> None:
        """Play a call."""
        path, size = call.paths[0], call.text.rpartition(",")[2].strip(" )")
        folder, name = self._at(path)
        match call.name:
            case _ if path.endswith(" (deleted)"):
                return
            case "openat" if folder is not None:
                folder.names.setdefault(name, _File())
                self.next[path] = None if "O_APPEND" in call.text else 0
                if "O_TRUNC" in call.text:
                    self._file(path).resize(0)
            case "write" | "writev":
                file, data, offset = self._file(path), call.data[: int(call.result)], self.next.get(path)
                file.put(len(file.data) if offset is None else offset, data)
                if offset is not None:
                    self.next[path] = offset + len(data)
            case "pwrite64":
                self._file(path).put(int(size), call.data[: int(call.result)])
            case "ftruncate" | "truncate":
                self._file(path).resize(int(size))
            case "rename" | "renameat" | "renameat2" if folder is not None:
                target, new = self._at(call.paths[1])
                assert target is not None
                target.names[new] = folder.names.pop(name)
            case "unlink" | "unlinkat" | "rmdir" if folder is not None:
                del folder.names[name]
            case "mkdir" | "mkdirat" if folder is not None:
                folder.names[name] = _Folder()
            case "fsync" | "fdatasync":
                thing = self.root if call.paths[0] == self.place else folder and folder.names.get(name)
                if thing:
                    thing.settle()
            case _:
                raise AssertionError(f"{call} is not played yet")

    def _at(self, path: str) -> tuple[_Folder | None, str]:
        """Return the folder and the name that a path means; None for a path outside."""
        if not path.startswith(f"{self.place}/"):
            return None, path
        folder: _File | _Folder = self.root
        *folders, name = path.removeprefix(f"{self.place}/").split("/")
        for it in folders:
            assert isinstance(folder, _Folder)
            folder = folder.names[it]
        assert isinstance(folder, _Folder)
        return folder, name

    def _file(self, path: str) -> _File:
        folder, name = self._at(path)
        file = folder.names[name] if folder else None
        assert isinstance(file, _File), path
        return file

    def after_loss(self, kind: str) -> dict[str, bytes | None]:
        """Return the files and folders after a loss of power, by path in the folder; a folder is None."""
        left: dict[str, bytes | None] = {}
        waiting: list[tuple[str, _Folder]] = [("", self.root)]
        while waiting:
            path, folder = waiting.pop()
            for name, thing in sorted((folder.settled if kind == "names" else folder.names).items()):
                left[path + name] = None if isinstance(thing, _Folder) else thing.left(kind)
                if isinstance(thing, _Folder):
                    waiting.append((f"{path}{name}/", thing))
        return left


def disks(folder: Path, calls: list[Call]) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Yield each different state that a loss of power during these calls leaves of a folder, and what led to it.

    The folder is in the state before the first call.
    """
    disk, seen = Disk(folder), set[int]()
    for number, call in enumerate([None, *calls]):
        if call is not None:
            disk.play(call)
        for kind in LOSSES:
            left = disk.after_loss(kind)
            key = hash(frozenset(left.items()))
            if key not in seen:
                seen.add(key)
                yield f"power lost ({kind}) after {number} calls ({call.name if call else 'none'})", left


def lay(folder: Path, left: dict[str, bytes | None]) -> None:
    """Write files and folders, by path below a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in left.items():
        if data is None:
            (folder / name).mkdir(parents=True, exist_ok=True)
        else:
            (folder / name).write_bytes(data)
