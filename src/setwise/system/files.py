"""Files that get their names when they are whole: until then they are ``NAME.part`` in the same folder.

Where something has that name they are ``NAME~2.part``: what others have left there is theirs.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import itertools
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from setwise.errors import OutputError

__all__ = ["Aside", "beside", "in_utf8", "made", "own_folder", "reason_of", "settle", "write_all", "written"]

_NUMBERED = re.compile(r"\[errno (\d+)\]", re.IGNORECASE)


def reason_of(error: BaseException) -> str:
    """Return why a file cannot be written, in the words of the system; Arrow tells its number alone.

    Example:
        >>> reason_of(OSError("Error writing bytes to file. Detail: [errno 28] No space left on device"))
        'No space left on device'
    """
    numbered = _NUMBERED.search(str(error))
    number = getattr(error, "errno", None) or (int(numbered[1]) if numbered else None)
    return os.strerror(number) if number else str(error)


def in_utf8(path: str | os.PathLike[str]) -> str:
    """Return a path as Arrow takes it; raises ``OutputError`` for a name that is no UTF-8."""
    name = os.fspath(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        raise OutputError(f"{name} cannot be written: Arrow and Parquet take names in UTF-8 alone") from None
    return name


def settle(place: str | os.PathLike[str]) -> None:
    """Wait until a file, or the names in a folder, would outlast a loss of power; not every system has folders to."""
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


@functools.cache
def own_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder of this process's own, gone when it ends: what is written there nobody else needs."""
    return tempfile.TemporaryDirectory(prefix="setwise-")


def beside(place: Path) -> Iterator[Path]:
    """Yield what a file or folder may be called until it is whole.

    Example:
        >>> [str(name) for _, name in zip(range(3), beside(Path("x.pgn")))]
        ['x.pgn.part', 'x.pgn~2.part', 'x.pgn~3.part']
    """
    yield place.with_name(f"{place.name}.part")
    for number in itertools.count(2):
        yield place.with_name(f"{place.name}~{number}.part")


def made(names: Iterable[Path], make: Callable[[Path], object]) -> Path:
    """Return the first of some names that something could be made of, which fails where there is something."""
    for name in names:
        with contextlib.suppress(FileExistsError):
            make(name)
            return name
    raise FileExistsError


def write_all(file: IO[bytes], data: bytes | memoryview) -> None:
    """Write all of some bytes; a raw file may take a part of them and say nothing."""
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


class Aside(io.FileIO):
    """A file that is written beside its place. What is no file, such as a pipe or a terminal, is written as it is."""

    #: Whether what has been written is worth keeping when it does not become whole.
    is_worth_keeping = False

    def __init__(self, path: Path) -> None:
        self.place = path.resolve()  # a link stays a link
        self.takes_name = self.place.is_file() or not self.place.exists()
        if self.takes_name:
            made(beside(self.place), lambda name: io.FileIO.__init__(self, name, "xb"))
        else:
            super().__init__(self.place, "wb")

    @property
    def part(self) -> Path:
        """Where the file is until it is whole."""
        return Path(os.fsdecode(self.name))

    def write(self, data: bytes) -> int:  # type: ignore[override]
        """Write all of it."""
        _write_on(super().write, data)
        return len(data)

    def keep(self) -> None:
        """Close the file and give it its name."""
        self.close()
        if self.takes_name:
            self.part.replace(self.place)

    def leave(self) -> None:
        """Close the file, which is not whole, and remove it unless it is worth keeping."""
        self.close()
        if self.takes_name and not self.is_worth_keeping:
            self.part.unlink(missing_ok=True)


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[Aside]:
    """Yield a file that gets its name at the end; until then an older file of that name stays.

    Raises:
        OutputError: when the path cannot be written.

    Example:
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp(), "x")
        >>> with written(place) as file:
        ...     _ = file.write(b"half of it")
        ...     [it.name for it in place.parent.iterdir()]
        ['x.part']
        >>> [it.name for it in place.parent.iterdir()]
        ['x']
    """
    try:
        file = Aside(Path(path))
        try:
            yield file
        except BaseException:
            file.leave()
            raise
        file.keep()
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {reason_of(error)}") from None
