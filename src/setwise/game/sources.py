"""Where games come from: paths, bytes, open files, standard input, packed or not; cut into blocks of whole games."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import zstandard

from setwise.errors import SourceError
from setwise.game import frames
from setwise.notation.characters import BLANKS

__all__ = [
    "BLOCK", "BYTES", "LONGEST_GAME", "UNREADABLE", "Block", "Chunks", "Source", "Stream", "beginning_in",
    "begun_small", "blocks", "is_stream", "opened", "packed", "shown_name",
]  # fmt: skip

#: Bytes of text that are read, parsed and searched at once; what they become still fits the processor's caches.
BLOCK = 1 << 19

#: A text without beginnings of games is cut after so many bytes, and so is a game that is longer: nothing in a text can
#: make the memory grow without bound.
LONGEST_GAME = 1 << 24

_NEWLINE = ord("\n")

#: What may be read: a path, bytes, an open binary file; ``"-"`` is standard input.
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]
#: Those of them that are the text itself.
BYTES = (bytes, bytearray, memoryview)


class Block(NamedTuple):
    """Some whole games of a source: their text, and how many bytes and lines of the source stand before it."""

    text: bytes
    name: str
    offset: int
    line: int
    #: How many bytes of its file the text was packed in, where that is known.
    packed: int | None = None

    @property
    def size(self) -> int:
        """How many bytes have been read for it, packed or not."""
        return len(self.text) if self.packed is None else self.packed


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


#: Where a game begins whatever stands before: ``[Event "`` on a new line, or any tag after an empty line.
_BEGINS = re.compile(rb'\n(?=\[Event ")|\n\r*\n(?=\[[A-Za-z]+ ")')
#: Where the last beginning is looked for first, and how much of a text is looked at again when more of it comes.
_TAIL, _OVERLAP = 1 << 12, 64


def _cut(text: bytes | bytearray, since: int = 0) -> int:
    """Where a game begins, the last one from ``since`` on that the end of the text shows; 0 when nothing shows.

    A tag behind another tag is passed over: it may belong to the same game.
    """
    since = max(0, since - _OVERLAP)
    for start in (max(since, len(text) - _TAIL), since):
        for found in reversed(list(_BEGINS.finditer(text, start))):
            if _is_beginning(text, found.end()):
                return found.end()
    return 0


def _is_beginning(text: bytes | bytearray, at: int) -> bool:
    """Whether a tag that begins a line begins a game, as it does behind anything but another tag."""
    before = text[max(0, at - _OVERLAP) : at].rstrip(BLANKS)
    return bool(before) and not before.endswith(b"]")


def beginning_in(text: bytes) -> int:
    """Return where a game begins, the first one behind the start of a text; 0 when nothing shows."""
    return next((found.end() for found in _BEGINS.finditer(text) if _is_beginning(text, found.end())), 0)


def _lines(text: bytes) -> int:
    """How many lines end in a text (``bytes.count`` takes three times as long)."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == _NEWLINE))


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


def _texts(chunks: Iterator[tuple[list[bytes], int | None]], size: int) -> Iterator[tuple[bytes, int | None]]:
    """The same cut at games; what is left stands before an error, too."""
    held, seen, read = bytearray(), 0, None
    try:
        for pieces, read in chunks:
            text, last = b"", pieces[-1] if pieces else b""
            if len(held) + sum(map(len, pieces)) >= size and (at := _cut(last)):
                text = b"".join((held, *pieces[:-1], memoryview(last)[:at]))
                held = bytearray(memoryview(last)[at:])
            else:
                held += b"".join(pieces)
                if len(held) < size:
                    continue
                at = _cut(held, seen)
                if at == 0 and len(held) >= LONGEST_GAME:
                    at = held.rfind(b"\n") + 1 or len(held)
                text = bytes(memoryview(held)[:at])
                del held[:at]
            if text:
                yield text, read
            seen = len(held)
    except UNREADABLE:
        if held:
            yield bytes(held), read
        raise
    if held:
        yield bytes(held), read


def blocks(source: Source, size: int = BLOCK) -> Iterator[Block]:
    """Yield a source's text in blocks of whole games, about ``size`` bytes each.

    Raises ``SourceError`` for a file that is missing, a directory, or an archive that cannot be read to its end; what
    was read before has been yielded then.
    """
    file, name = _named(source)
    is_ours = _is_ours(file, source)
    offset, line, before = 0, 1, 0
    try:
        for text, read in _texts(_chunks(file, size, is_ours=is_ours), size):
            yield Block(text, name, offset, line, None if read is None else read - before)
            offset, line, before = offset + len(text), line + _lines(text), read or 0
    except UNREADABLE as error:
        raise SourceError(f"{name} cannot be read beyond byte {offset} of its text: {error}") from None
    finally:
        if is_ours:
            file.close()


def begun_small(found: Iterator[Block], size: int) -> Iterator[Block]:
    """Yield blocks, the first of them in parts that begin with ``size`` bytes and double: somebody waits for them."""
    for block in itertools.islice(found, 1):
        text, start, line = block.text, 0, block.line
        while start + size < len(text) and (end := _cut(text[start : start + size])):
            part = text[start : start + end]
            yield block._replace(text=part, offset=block.offset + start, line=line, packed=block.packed and 0)
            start, line, size = start + end, line + _lines(part), 2 * size
        yield block._replace(text=text[start:], offset=block.offset + start, line=line)
    yield from found
