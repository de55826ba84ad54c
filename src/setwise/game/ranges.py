"""Ranges of a file that separate processes can read: cut anywhere, they begin and end at games.

A cut is a byte of the file: any byte of a plain text, or the beginning of a frame of an archive. A range begins at the
first game after its cut. That is found without reading the text before the cut, so both neighbours agree on it.
"""

from __future__ import annotations

import io
import itertools
import os
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, NamedTuple

from setwise.archives.opening import Chunks, opened
from setwise.game.blocks import BLOCK, Block, beginning_in, blocks
from setwise.game.games import parse_block
from setwise.game.recognition import pgn_blocks

__all__ = ["Range", "numbered", "ranges"]

#: Bytes that are searched at once for the beginning of a game, and those searched again with the next ones.
_CHUNK, _AGAIN = 1 << 16, 1 << 8
#: Bytes in which a game must begin for a file to be cut; bytes by which a file is recognized as PGN.
_CUTTABLE, _HEAD = 1 << 20, 1 << 14
#: The number of bytes that identify archives; no text of games begins with them.
_MAGIC = 4
#: Lichess's archives have such a frame before each other frame: its number, its size, the size of the next frame.
_SIZE_FRAME = struct.Struct("<III")
_SIZE_NUMBER = 0x184D2A50
#: About how many times longer text is than its compressed form.
_UNPACKED = 5


class Range(NamedTuple):
    """The games of a file that begin between two cuts; a source of games."""

    path: str
    start: int
    #: None: the end of the file.
    stop: int | None
    #: The numbers of its first game and line, where they are known.
    game: int = 1
    line: int = 1
    #: About how many bytes of text it has.
    size: int = 0

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """Yield its text in blocks of whole games, as ``setwise.game.blocks.blocks`` does.

        Raises:
            SourceError: as that does; and for a file that is not PGN, if the range includes its beginning.
        """
        where = f"{self.path}, from byte {self.start:,} on," if self.start else self.path
        with io.BufferedReader(Chunks(self._text(), where)) as text:
            for block in blocks(text, size) if self.start else pgn_blocks(text, size):
                yield block._replace(line=block.line + self.line - 1)

    def _text(self) -> Iterator[bytes]:
        skipped = _first(self.path, self.start) if self.start else 0
        for chunk in _texts(self.path, self.start, self.stop):
            yield chunk[skipped:]
            skipped = max(0, skipped - len(chunk))
        if self.stop is None:
            return
        left = _first(self.path, self.stop)
        for chunk in _texts(self.path, self.stop, None):
            yield chunk[skipped:left]
            skipped, left = max(0, skipped - len(chunk)), left - len(chunk)
            if left <= 0:
                return


class _Slice(io.RawIOBase):
    """Some bytes of a file."""

    def __init__(self, file: IO[bytes], start: int, stop: int | None) -> None:
        self.file, self.left = file, None if stop is None else stop - start
        file.seek(start)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer) if self.left is None else min(len(buffer), self.left)
        count = self.file.readinto(memoryview(buffer)[:size])  # type: ignore[attr-defined]
        if self.left is not None:
            self.left -= count
        return count


def _texts(path: str, start: int, stop: int | None, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the decompressed text of some bytes of a file."""
    with Path(path).open("rb", buffering=0) as file, opened(io.BufferedReader(_Slice(file, start, stop))) as (text, _):
        while chunk := text.read(size):
            yield chunk


def _first(path: str, cut: int) -> int:
    """Return where the first game begins in the text from a cut on; the length of that text if none does."""
    buffered, before = b"", 0
    for chunk in _texts(path, cut, None, _CHUNK):
        buffered += chunk
        if at := beginning_in(buffered):
            return before + at
        before += max(0, len(buffered) - _AGAIN)
        buffered = buffered[-_AGAIN:]
    return before + len(buffered)


# ------------------------------------------------------------------------------------------------------------- cutting


def ranges(path: str, size: int) -> list[Range]:
    """Return the ranges that a file is cut into, of about ``size`` bytes of text each.

    Plain text is cut anywhere, an archive between its frames where it states their sizes; others are one range.

    Raises:
        SourceError: for a file that is missing, cannot be read, or is not PGN.
    """
    next(pgn_blocks(path, _HEAD), None)
    with Path(path).open("rb") as file, opened(path) as (text, _):
        whole, head = os.fstat(file.fileno()).st_size, file.read(_CUTTABLE)
        if text.read(_MAGIC) != head[:_MAGIC]:  # it is compressed
            cuts, times = _spaced(_frames(file, whole), size // _UNPACKED), _UNPACKED
        else:
            cuts, times = list(range(size, whole, size)) if beginning_in(head) else [], 1
    bounds = itertools.pairwise([0, *cuts, whole])
    return [Range(path, start, stop if stop < whole else None, size=times * (stop - start)) for start, stop in bounds]


def _frames(file: IO[bytes], whole: int) -> Iterator[int]:
    """Yield where the frames of an archive begin, as long as a small frame before each holds its size."""
    at = 0
    while at < whole:
        file.seek(at)
        header = file.read(_SIZE_FRAME.size)
        if len(header) < _SIZE_FRAME.size:
            return
        number, length, packed = _SIZE_FRAME.unpack(header)
        if (number, length) != (_SIZE_NUMBER, 4):
            return
        yield at
        at += _SIZE_FRAME.size + packed


def _spaced(places: Iterator[int], least: int) -> list[int]:
    """Return the places that are at least ``least`` apart."""
    spaced, last = [], 0
    for place in places:
        if place - last >= least:
            spaced.append(place)
            last = place
    return spaced


def numbered(some: list[Range], threads: int) -> list[Range]:
    """Return the ranges with the numbers of their first games and lines, which reads the text once.

    Args:
        some: all ranges of a file, in order.
        threads: how many read at the same time.

    Raises:
        SourceError: for a file that cannot be read.
    """
    out, game, line = [], 1, 1
    with ThreadPoolExecutor(threads) as pool:
        for it, (games, lines) in zip(some, [*pool.map(_counted, some[:-1]), (0, 0)], strict=True):
            out.append(it._replace(game=game, line=line))
            game, line = game + games, line + lines
    return out


def _counted(it: Range) -> tuple[int, int]:
    games = lines = 0
    for block in it.blocks():
        games += len(parse_block(block))
        lines += block.text.count(b"\n")
    return games, lines
