"""The text of a source of games, cut into blocks of whole games."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from setwise.archives.opening import UNREADABLE, Source, in_chunks
from setwise.errors import SourceError
from setwise.notation.characters import BLANKS

__all__ = ["BLOCK", "LONGEST_GAME", "Block", "beginning_in", "begun_small", "blocks"]

#: Bytes of text that are read, parsed and searched at once; what they become still fits the processor's caches.
BLOCK = 1 << 19

#: A text without beginnings of games is cut after so many bytes, and so is a game that is longer: nothing in a text can
#: make the memory grow without bound.
LONGEST_GAME = 1 << 24

_NEWLINE = ord("\n")


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
    offset, line, before = 0, 1, 0
    with in_chunks(source, size) as (chunks, name):
        try:
            for text, read in _texts(chunks, size):
                yield Block(text, name, offset, line, None if read is None else read - before)
                offset, line, before = offset + len(text), line + _lines(text), read or 0
        except UNREADABLE as error:
            raise SourceError(f"{name} cannot be read beyond byte {offset} of its text: {error}") from None


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
