"""Lines of text sources, in UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import IO

import pyarrow as pa

from setwise.archives.opening import unreadable
from setwise.errors import SetwiseError, SourceError
from setwise.game.blocks import nul_bytes

__all__ = ["TEXT", "lines_in"]

#: Bytes of lines that are read at once.
TEXT = 1 << 23


def lines_in(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Many whole lines of a text at once, in UTF-8; those that are not are read as Latin-1, as tags of games are.

    Raises:
        SourceError: for a text that has NUL bytes, or cannot be read to its end.
    """
    held, mark = list[bytes](), codecs.BOM_UTF8
    for chunk in _chunks(stream, name):
        if end := chunk.rfind(b"\n") + 1:
            yield _in_utf8(b"".join((*held, memoryview(chunk)[:end])).removeprefix(mark))
            held, mark = [], b""
        held.append(chunk[end:])
    if any(held):
        yield _in_utf8(b"".join(held).removeprefix(mark))


def _chunks(stream: IO[bytes], name: str) -> Iterator[bytes]:
    read = 0
    try:
        while chunk := stream.read(TEXT):
            if (hole := chunk.find(0)) >= 0:
                raise SourceError(nul_bytes(name, read + hole))
            yield chunk
            read += len(chunk)
    except SetwiseError:
        raise
    except unreadable() as error:
        raise SourceError(f"{name} cannot be read beyond byte {read:,} of its text: {error}") from None


def _in_utf8(text: bytes) -> bytes:
    try:
        pa.array([text], pa.binary()).cast(pa.string())  # several times as quick as Python's own look
    except pa.ArrowInvalid:
        return b"\n".join(map(_line_in_utf8, text.split(b"\n")))
    return text


def _line_in_utf8(line: bytes) -> bytes:
    try:
        line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1").encode()
    return line
