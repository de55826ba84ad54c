"""The text of a source of games, cut into blocks of whole games."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from setwise.archives.opening import Source, in_chunks, unreadable
from setwise.errors import SourceError
from setwise.notation.characters import BLANKS

__all__ = ["BLOCK", "LONGEST_GAME", "Block", "beginning_in", "begun_small", "blocks", "nul_bytes"]

#: Bytes of text that are read, parsed and searched at once; their columns fit the processor's caches.
BLOCK = 1 << 19

#: A text without beginnings of games, or a longer game, is cut after so many bytes, so that memory is bounded for any
#: text.
LONGEST_GAME = 1 << 24

_NEWLINE = ord("\n")


class Block(NamedTuple):
    """Some whole games of a source: their text, and how many bytes and lines of the source stand before it."""

    text: bytes
    name: str
    offset: int
    line: int
    #: The number of compressed bytes of the file that held the text, where known.
    packed: int | None = None

    @property
    def size(self) -> int:
        """The number of bytes of the file that the block took, compressed or not."""
        return len(self.text) if self.packed is None else self.packed


#: Where a game begins regardless of what precedes it: ``[Event "`` on a new line, or any tag after an empty line.
_BEGINS = re.compile(rb'\n(?=\[Event ")|\n\r*\n(?=\[[A-Za-z]+ ")')
#: Bytes at the end that are searched first for the last beginning, and bytes searched again when more text is read.
_TAIL, _OVERLAP = 1 << 12, 64


def _cut(text: bytes | bytearray, since: int = 0) -> int:
    """Return where the last game from ``since`` on begins; 0 if no beginning is found.

    A tag after another tag does not count, because it may belong to the same game.
    """
    since = max(0, since - _OVERLAP)
    for start in (max(since, len(text) - _TAIL), since):
        for match in reversed(list(_BEGINS.finditer(text, start))):
            if _is_beginning(text, match.end()):
                return match.end()
    return 0


def _is_beginning(text: bytes | bytearray, at: int) -> bool:
    """Whether a tag at the beginning of a line begins a game, as it does after anything except another tag."""
    before = text[max(0, at - _OVERLAP) : at].rstrip(BLANKS)
    return bool(before) and not before.endswith(b"]")


def beginning_in(text: bytes) -> int:
    """Return where the first game after the start of a text begins; 0 if no beginning is found."""
    return next((match.end() for match in _BEGINS.finditer(text) if _is_beginning(text, match.end())), 0)


def _lines(text: bytes) -> int:
    """Return the number of line ends in a text (``bytes.count`` takes three times as long)."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == _NEWLINE))


def _texts(chunks: Iterator[tuple[list[bytes], int | None]], size: int) -> Iterator[tuple[bytes, int | None]]:
    """Yield the text cut at beginnings of games; text read before an error is yielded before it is raised."""
    buffered, seen, read = bytearray(), 0, None
    try:
        for pieces, read in chunks:
            text, last = b"", pieces[-1] if pieces else b""
            if len(buffered) + sum(map(len, pieces)) >= size and (at := _cut(last)):
                text = b"".join((buffered, *pieces[:-1], memoryview(last)[:at]))
                buffered = bytearray(memoryview(last)[at:])
            else:
                buffered += b"".join(pieces)
                if len(buffered) < size:
                    continue
                at = _cut(buffered, seen)
                if at == 0 and len(buffered) >= LONGEST_GAME:
                    at = buffered.rfind(b"\n") + 1 or len(buffered)
                text = bytes(memoryview(buffered)[:at])
                del buffered[:at]
            if text:
                yield text, read
            seen = len(buffered)
    except unreadable():
        if buffered:
            yield bytes(buffered), read
        raise
    if buffered:
        yield bytes(buffered), read


def blocks(source: Source, size: int = BLOCK) -> Iterator[Block]:
    """Yield a source's text in blocks of whole games, about ``size`` bytes each.

    Raises ``SourceError`` for a file that is missing, a directory, an archive that cannot be read to its end, or a text
    with NUL bytes; what was read before has been yielded then.
    """
    offset, line, before = 0, 1, 0
    with in_chunks(source, size) as (chunks, name):
        try:
            for piece, read in _texts(chunks, size):
                text, hole, _ = piece.partition(b"\0")
                if text:
                    yield Block(text, name, offset, line, None if read is None else read - before)
                offset, line, before = offset + len(text), line + _lines(text), read or 0
                if hole:
                    break
            else:
                return
        except unreadable() as error:
            raise SourceError(f"{name} cannot be read beyond byte {offset} of its text: {error}") from None
        raise SourceError(nul_bytes(name, offset))


def nul_bytes(name: str, at: int) -> str:
    """Return the message for a text with NUL bytes: no game has any, but places of a file that were never written do.

    Example:
        >>> nul_bytes("x.pgn", 4096)
        'x.pgn has NUL bytes from byte 4,096 of its text on: it was not wholly written or downloaded; get it again'
    """
    return (
        f"{name} has NUL bytes from byte {at:,} of its text on: it was not wholly written or downloaded; get it again"
    )


def begun_small(whole: Iterator[Block], size: int) -> Iterator[Block]:
    """Yield blocks, the first one in parts of ``size`` bytes and doubling, so that a user sees results early."""
    for block in itertools.islice(whole, 1):
        text, start, line = block.text, 0, block.line
        while start + size < len(text) and (end := _cut(text[start : start + size])):
            part = text[start : start + end]
            yield block._replace(text=part, offset=block.offset + start, line=line, packed=block.packed and 0)
            start, line, size = start + end, line + _lines(part), 2 * size
        yield block._replace(text=text[start:], offset=block.offset + start, line=line)
    yield from whole
