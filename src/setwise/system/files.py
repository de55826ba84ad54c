"""Files and folders that get their names when they are complete: until then they are ``NAME.part`` in the same folder.

If a file ``NAME.part`` exists, the name is ``NAME~2.part``: files of other processes are never overwritten. Beside each
part file is ``.NAME.part.lock``, a lock that the writing process holds. When the next file of the same name is written,
part files of killed processes, whose locks are free, are removed.
"""

from __future__ import annotations

import contextlib
import errno
import io
import itertools
import os
import re
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from setwise.errors import OutputError

if TYPE_CHECKING:
    import tempfile

    import filelock


_NUMBERED = re.compile(r"\[errno (\d+)\]", re.IGNORECASE)


def reason_of(error: BaseException) -> str:
    """Return why a file cannot be written, in the words of the system; errors of Arrow have only the error number.

    Example:
        >>> reason_of(OSError("Error writing bytes to file. Detail: [errno 28] No space left on device"))
        'No space left on device'
    """
    numbered = _NUMBERED.search(str(error))
    number = getattr(error, "errno", None) or (int(numbered[1]) if numbered else None)
    return os.strerror(number) if number else str(error)


def in_utf8(path: str | os.PathLike[str]) -> str:
    """Return a path as a text for Arrow; raises ``OutputError`` for a name that is empty or not UTF-8."""
    name = os.fspath(path)
    if not name:
        raise OutputError("the output has an empty name: give the path of a file or folder")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise OutputError(f"{name} cannot be written: Arrow and Parquet take only names in UTF-8") from None
    return name


def settle(place: str | os.PathLike[str]) -> None:
    """Wait until a file, or the names in a folder, would survive a power failure; on Windows only for files."""
    try:
        handle = os.open(place, os.O_RDONLY)
    except OSError:
        if os.name == "nt":
            return
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_making = threading.Lock()
_own: list[tempfile.TemporaryDirectory[str]] = []


def own_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder of this process, which is removed when the process ends."""
    import tempfile

    with _making:  # of two folders that threads make at once, one would be removed while it is used
        if not _own:
            _own.append(tempfile.TemporaryDirectory(prefix="setwise-"))
        return _own[0]


def remove_own_folder() -> None:
    """Remove the temporary folder of this process if there is one; raises ``OSError`` if it cannot be removed."""
    for folder in _own:
        folder.cleanup()


def _beside(place: Path) -> Iterator[Path]:
    """Yield the names that a file or folder may have until it is complete.

    Example:
        >>> [str(name) for _, name in zip(range(3), _beside(Path("x.pgn")))]
        ['x.pgn.part', 'x.pgn~2.part', 'x.pgn~3.part']
    """
    yield place.with_name(f"{place.name}.part")
    for number in itertools.count(2):
        yield place.with_name(f"{place.name}~{number}.part")


def _made(place: Path, make: Callable[[Path], object]) -> tuple[Path, filelock.BaseFileLock]:
    """Create a part file or folder under the first free name; return it with its lock, which this process holds.

    The lock comes first: a process that is killed at any moment leaves a lock by which the next one removes the rest.
    ``make`` raises ``FileExistsError`` for a name that exists.
    """
    import filelock

    os.stat(place.parent / os.curdir)  # noqa: PTH116  (a missing folder is an error; the lock would create it)
    for name in _beside(place):
        lock = _lock_of(name)
        with contextlib.suppress(filelock.Timeout):
            lock.acquire()
            try:
                make(name)
            except BaseException as error:
                _release(lock)
                if not isinstance(error, FileExistsError):
                    raise
            else:
                return name, lock
    raise AssertionError  # the names do not end


def write_all(file: IO[bytes], data: bytes | memoryview) -> None:
    """Write all of the data; a single ``write`` to a raw file may write only a part without an error."""
    if isinstance(file, io.RawIOBase):
        _write_on(file.write, data)
    else:
        file.write(data)


def _write_on(write: Callable[[memoryview], int | None], data: bytes | memoryview) -> None:
    rest = memoryview(data).cast("B")
    while rest:
        count = write(rest)
        if count is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        rest = rest[count:]


def _lock_of(part: Path) -> filelock.BaseFileLock:
    import filelock

    return filelock.FileLock(_lock_file(part), timeout=0)


def _lock_file(part: Path) -> Path:
    return part.with_name(f".{part.name}.lock")


def is_held(lock: Path) -> bool:
    """Return whether a process holds a lock; on Windows, where that cannot be seen, False."""
    try:
        import fcntl
    except ImportError:
        return False
    with contextlib.suppress(FileNotFoundError), lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def is_part_folder(folder: Path) -> bool:
    """Return whether the files of a folder are incomplete: a process is writing them, or was killed while writing."""
    return folder.suffix == ".part" and _lock_file(folder).exists()


def _release(lock: filelock.BaseFileLock) -> None:
    """Release a lock and remove its file.

    The file is removed first, so that no other process takes the lock in between; Windows cannot remove a file in use.
    """
    if os.name != "nt":
        Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()
    if os.name == "nt":
        Path(lock.lock_file).unlink(missing_ok=True)


def _remove_left_over(place: Path) -> None:
    """Remove the part files of killed processes: part files whose locks no process holds."""
    import filelock

    name = re.compile(rf"\.({re.escape(place.name)}(~\d+)?\.part)\.lock")
    with contextlib.suppress(OSError):
        for found in filter(None, map(name.fullmatch, sorted(os.listdir(place.parent)))):  # noqa: PTH208  (names alone)
            part = place.with_name(found[1])
            lock = _lock_of(part)
            with contextlib.suppress(filelock.Timeout):
                lock.acquire()
                is_there = part.exists()  # else another process has just completed it
                if part.is_dir():
                    shutil.rmtree(part)
                part.unlink(missing_ok=True)
                _release(lock)
                if is_there:
                    warnings.warn(f"{part} was left by a run that was killed, and is removed", stacklevel=2)


@contextmanager
def part_folder(place: Path) -> Iterator[Path]:
    """Yield a new folder ``NAME.part``; the caller fills it and then renames it, otherwise it is removed.

    Example:
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp(), "x")
        >>> with part_folder(place) as aside:
        ...     print(aside.name)
        x.part
        >>> list(place.parent.iterdir())
        []
    """
    _remove_left_over(place)
    aside, lock = _made(place, Path.mkdir)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        _release(lock)


class PartFile(io.FileIO):
    """A file that is written as ``NAME.part`` and then renamed. A pipe or a terminal is written directly."""

    #: Whether to keep the part file if writing fails before the end.
    is_worth_keeping = False

    def __init__(self, path: Path) -> None:
        self.place = path.resolve()  # a symbolic link is kept, its target replaced
        self.takes_name = self.place.is_file() or not self.place.exists()
        if self.takes_name:
            _remove_left_over(self.place)
            _, self.lock = _made(self.place, lambda name: io.FileIO.__init__(self, name, "xb"))
        else:
            super().__init__(self.place, "wb")

    @property
    def part(self) -> Path:
        """The path of the file until it is complete."""
        return Path(os.fsdecode(self.name))

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Write all of the data."""
        _write_on(super().write, data)
        return len(data)

    def keep(self) -> None:
        """Close the file and give it its name; a loss of power leaves the old file or this one, never half of it."""
        if self.takes_name:
            os.fsync(self.fileno())
        self.close()
        if self.takes_name:
            self.part.replace(self.place)
            with contextlib.suppress(PermissionError):  # names may be written into a folder that may not be read
                settle(self.place.parent)
            _release(self.lock)

    def leave(self) -> None:
        """Close the incomplete file, and remove it unless ``is_worth_keeping``."""
        self.close()
        if self.takes_name:
            if not self.is_worth_keeping:
                self.part.unlink(missing_ok=True)
            _release(self.lock)


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[PartFile]:
    """Yield a file that gets its name at the end; until then an older file of the same name stays as it is.

    Raises:
        OutputError: when the path cannot be written.

    Example:
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp(), "x")
        >>> with written(place) as file:
        ...     _ = file.write(b"half of it")
        ...     sorted(it.name for it in place.parent.iterdir())
        ['.x.part.lock', 'x.part']
        >>> [it.name for it in place.parent.iterdir()]
        ['x']
    """
    try:
        file = PartFile(Path(path))
        try:
            yield file
        except BaseException:
            file.leave()
            raise
        file.keep()
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {reason_of(error)}") from None
