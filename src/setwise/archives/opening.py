"""Files opened and unpacked: paths, bytes, open files, standard input, whatever archive they are, as text in chunks."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import zstandard

from setwise.archives import frames
from setwise.errors import SourceError

__all__ = [
    "BYTES", "UNREADABLE", "Chunks", "Source", "Stream", "in_chunks", "is_stream", "opened", "packed", "shown_name",
]  # fmt: skip

#: What may be read: a path, bytes, an open binary file; ``"-"`` is standard input.
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]
#: Those of them that are the text itself.
BYTES = (bytes, bytearray, memoryview)


class Chunks(io.RawIOBase):
    """A text that comes piece by piece, as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces, self.text = pieces, memoryview(b"")

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with what comes next, as far as that goes."""
        if not self.text:
            self.text = memoryview(next(self.pieces, b""))
        count = min(len(buffer), len(self.text))
        buffer[:count] = self.text[:count]
        self.text = self.text[count:]
        return count


#: How other archives than Zstandard's begin, and what opens them.
_ARCHIVES: list[tuple[bytes, Callable[[IO[bytes]], Any]]] = [
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
]

#: What is raised by archives that are cut or damaged, and by files that fail.
UNREADABLE = (OSError, EOFError, zstandard.ZstdError, lzma.LZMAError, zlib.error, ValueError)


def shown_name(name: object) -> str:
    """Return a name as tables hold it, where bytes that are no UTF-8 cannot stand."""
    return str(name).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_stream(source: Any) -> bool:
    """Return whether a source can be read once alone: standard input, an open file, a pipe by its name."""
    if not isinstance(source, str | os.PathLike):
        return hasattr(source, "read")
    if source == "-":
        return True
    try:
        kind = Path(os.fspath(source)).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def _named(source: Source) -> tuple[IO[bytes], str]:
    if isinstance(source, BYTES):
        return io.BytesIO(source), "<bytes>"
    if isinstance(source, Stream):
        return source.taken(), source.name
    if hasattr(source, "read"):
        return source, shown_name(getattr(source, "name", "<file>"))  # type: ignore[return-value]
    if source == "-":
        if (file := _standard_input()) is None:
            raise SourceError("standard input is closed; name a file to read, or pipe one in")
        return file, "<stdin>"
    path = Path(os.fspath(source))
    if path.is_dir():
        raise SourceError(f"{path} is a directory; name the files in it, for example {path}/*.pgn")
    try:
        return path.open("rb"), shown_name(getattr(source, "shown", path))
    except FileNotFoundError:
        raise SourceError(f"there is no file {path}") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be opened: {error.strerror or error}") from None


def _begun(file: IO[bytes]) -> tuple[bytes, IO[bytes]]:
    """The first bytes of a file, which tell what it is packed in, since names lie; and the file, with all its bytes."""
    head: Any = file.peek(6)[:6] if hasattr(file, "peek") else b""
    if len(head) == 6:
        return head, file
    head = file.read(6)
    if isinstance(head, str):
        raise TypeError("games are read from bytes, and this file gives text: open the file for bytes ('rb')")
    return head, _Rejoined(head, file)  # type: ignore[return-value]


def _is_zstd(head: bytes) -> bool:
    return head[:4] == frames.FRAME or head[:4] in frames.SKIPPABLE


def _unpacked(head: bytes, file: IO[bytes]) -> IO[bytes]:
    """The text of a file that begins so, whatever it is packed in."""
    if _is_zstd(head):
        return Chunks(frames.texts(file))  # type: ignore[return-value]
    for magic, opened in _ARCHIVES:
        if head.startswith(magic):
            return opened(file)
    return file


class _Rejoined(io.RawIOBase):
    """A file whose first bytes have been read already (standard input cannot be rewound)."""

    def __init__(self, head: bytes, rest: IO[bytes], ours: IO[bytes] | None = None) -> None:
        self.head, self.rest, self.ours = head, rest, ours

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.head[: len(buffer)] or self.rest.read(len(buffer))
        self.head = self.head[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        if self.ours is not None:
            self.ours.close()
        super().close()


class Stream:
    """A source that can be read once, and whose beginning is known before that."""

    def __init__(self, source: Source) -> None:
        file, self.name = _named(source)
        self._ours = file if _is_ours(file, source) else None
        self.text, self.head, self.is_taken = _unpacked(*_begun(file)), b"", False

    def read(self, size: int) -> bytes:
        """Return the next bytes of its beginning."""
        chunk = self.text.read(size)
        self.head += chunk
        return chunk

    def taken(self) -> IO[bytes]:
        """Return all of its text; raises ``SourceError`` the second time."""
        if self.is_taken:
            raise SourceError(f"{self.name} can be read once alone, and is asked for again: keep it in a file first")
        self.is_taken = True
        return _Rejoined(self.head, self.text, self._ours)  # type: ignore[return-value]


@contextmanager
def opened(source: Source) -> Iterator[tuple[IO[bytes], str]]:
    """Open a source; its text, unpacked, and its name.

    Raises ``SourceError`` for a file that is missing or a directory.
    """
    with packed(source) as (head, file, name):
        yield _unpacked(head, file), name


@contextmanager
def packed(source: Source) -> Iterator[tuple[bytes, IO[bytes], str]]:
    """Open a source; its first bytes, all of them as they are, and its name. Raises as ``opened`` does."""
    file, name = _named(source)
    try:
        yield *_begun(file), name
    finally:
        if _is_ours(file, source):
            file.close()


@contextmanager
def in_chunks(source: Source, size: int) -> Iterator[tuple[Iterator[tuple[list[bytes], int | None]], str]]:
    """Open a source; its text, about ``size`` bytes at once, with how much of the file has been read; its name.

    Raises ``SourceError`` for a file that is missing or a directory.
    """
    file, name = _named(source)
    is_ours = _is_ours(file, source)
    try:
        yield _chunks(file, size, is_ours=is_ours), name
    finally:
        if is_ours:
            file.close()


def _is_ours(file: IO[bytes], source: Source) -> bool:
    """Whether a file was opened here, and nobody else closes it."""
    return file is not source and file is not _standard_input()


def _standard_input() -> IO[bytes] | None:
    """Standard input, if there is one: whoever starts a program may close it, and some shells have texts alone."""
    return getattr(sys.stdin, "buffer", None)


def _chunks(file: IO[bytes], size: int, *, is_ours: bool) -> Iterator[tuple[list[bytes], int | None]]:
    """The text of a file, about ``size`` bytes at once in pieces no larger, and how much of the file has been read."""
    told = file.tell if is_ours and file.seekable() else lambda: None
    head, file = _begun(file)
    if not _is_zstd(head):
        stream = _unpacked(head, file)
        while chunk := stream.read(size):
            yield [chunk], told()
        return
    pieces, held, end = list[bytes](), 0, 0
    try:
        for text, end in frames.texts_ahead(file):
            for start in range(0, len(text), size):
                pieces.append(text[start : start + size] if len(text) > size else text)
                held += len(pieces[-1])
                if held >= size:
                    yield pieces, end
                    pieces, held = [], 0
    except UNREADABLE:
        yield pieces, end
        raise
    yield pieces, end
