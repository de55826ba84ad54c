"""Where games come from: paths, bytes, open files, standard input, packed or not; cut into blocks of whole games."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import zstandard

from setwise.errors import SourceError
from setwise.notation.characters import BLANKS

__all__ = ["BLOCK", "BYTES", "LONGEST_GAME", "UNREADABLE", "Block", "Source", "blocks", "opened"]

#: Bytes of text that are read, parsed and searched at once; what they become still fits the processor's caches.
BLOCK = 1 << 19

#: A text without beginnings of games is cut after so many bytes, and so is a game that is longer: nothing in a text can
#: make the memory grow without bound.
LONGEST_GAME = 1 << 24

_NEWLINE = ord("\n")

#: Bytes of an archive that are unpacked at once; they may become 32,000 times as many.
_PACKED = 1 << 12

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


class _Zstd(io.RawIOBase):
    """The text of a ``.zst`` file, however many frames it has, skippable ones too.

    Unlike zstandard's own reader it notices when the last frame is cut.
    """

    def __init__(self, packed: IO[bytes]) -> None:
        self.packed = packed
        self.frame: Any = None
        self.text = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.text:
            chunk = self.frame.unused_data if self.frame and self.frame.eof else b""
            chunk = chunk or self.packed.read(_PACKED)
            if not chunk:
                if self.frame and not self.frame.eof:
                    raise EOFError("the archive is cut off")
                return 0
            if self.frame is None or self.frame.eof:
                self.frame = zstandard.ZstdDecompressor(max_window_size=2**31).decompressobj()
            self.text = memoryview(self.frame.decompress(chunk))
        count = min(len(buffer), len(self.text))
        buffer[:count] = self.text[:count]
        self.text = self.text[count:]
        return count


#: How archives begin, and what opens them. Lichess's files start with a skippable frame, any of sixteen numbers.
_ARCHIVES: list[tuple[bytes, Callable[[IO[bytes]], Any]]] = [
    (b"\x28\xb5\x2f\xfd", _Zstd),
    *((bytes([0x50 + low]) + b"\x2a\x4d\x18", _Zstd) for low in range(16)),
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
]

#: What is raised by archives that are cut or damaged, and by files that fail.
UNREADABLE = (OSError, EOFError, zstandard.ZstdError, lzma.LZMAError, zlib.error, ValueError)


def _named(source: Source) -> tuple[IO[bytes], str]:
    if isinstance(source, BYTES):
        return io.BytesIO(source), "<bytes>"
    if hasattr(source, "read"):
        return source, str(getattr(source, "name", "<file>"))  # type: ignore[return-value]
    if source == "-":
        return sys.stdin.buffer, "<stdin>"
    path = Path(os.fspath(source))
    if path.is_dir():
        raise SourceError(f"{path} is a directory; name the files in it, for example {path}/*.pgn")
    try:
        return path.open("rb"), str(path)
    except FileNotFoundError:
        raise SourceError(f"there is no file {path}") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be opened: {error.strerror or error}") from None


def _unpacked(file: IO[bytes]) -> IO[bytes]:
    """The text of a file, whatever it is packed in; told by its first bytes, since names lie."""
    head: Any = file.peek(6)[:6] if hasattr(file, "peek") else b""
    whole = file
    if len(head) < 6:
        head = file.read(6)
        if isinstance(head, str):
            raise TypeError("games are read from bytes, and this file gives text: open the file for bytes ('rb')")
        whole = _Rejoined(head, file)  # type: ignore[assignment]
    for magic, opened in _ARCHIVES:
        if head.startswith(magic):
            return opened(whole)
    return whole


class _Rejoined(io.RawIOBase):
    """A file whose first bytes have been read already (standard input cannot be rewound)."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.head[: len(buffer)] or self.rest.read(len(buffer))
        self.head = self.head[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)


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
            at = found.end()
            before = text[max(0, at - _OVERLAP) : at].rstrip(BLANKS)
            if before and not before.endswith(b"]"):
                return at
    return 0


def _lines(text: bytes) -> int:
    """How many lines end in a text (``bytes.count`` takes three times as long)."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == _NEWLINE))


@contextmanager
def opened(source: Source) -> Iterator[tuple[IO[bytes], str]]:
    """Open a source; its text, unpacked, and its name.

    Raises ``SourceError`` for a file that is missing or a directory.
    """
    file, name = _named(source)
    try:
        yield _unpacked(file), name
    finally:
        if file is not source and file is not sys.stdin.buffer:
            file.close()


def blocks(source: Source, size: int = BLOCK, first: int | None = None) -> Iterator[Block]:
    """Yield a source's text in blocks of whole games, about ``size`` bytes each; from ``first`` bytes on they double.

    Raises ``SourceError`` for a file that is missing, a directory, or an archive that cannot be read to its end; what
    was read before has been yielded then.
    """
    file, name = _named(source)
    offset, line = 0, 1
    held, seen = bytearray(), 0
    wanted = size if first is None else min(first, size)
    try:
        stream = _unpacked(file)
        while chunk := stream.read(wanted):
            text = b""
            if len(held) + len(chunk) >= wanted and (at := _cut(chunk)):
                text = b"".join((held, memoryview(chunk)[:at]))
                held = bytearray(memoryview(chunk)[at:])
            else:
                held += chunk
                if len(held) < wanted:
                    continue
                at = _cut(held, seen)
                if at == 0 and len(held) >= LONGEST_GAME:
                    at = held.rfind(b"\n") + 1 or len(held)
                text = bytes(memoryview(held)[:at])
                del held[:at]
            if text:
                yield Block(text, name, offset, line)
                offset, line = offset + len(text), line + _lines(text)
                wanted = min(2 * wanted, size)
            seen = len(held)
    except UNREADABLE as error:
        if held:
            yield Block(bytes(held), name, offset, line)
        raise SourceError(f"{name} cannot be read beyond byte {offset + len(held)} of its text: {error}") from None
    finally:
        if file is not source and file is not sys.stdin.buffer:
            file.close()
    if held:
        yield Block(bytes(held), name, offset, line)
