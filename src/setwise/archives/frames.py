"""Zstandard archives: frames and blocks are located without unpacking, so that several threads unpack at once.

An archive is one frame after another. A frame can be unpacked without the others, its blocks only in their order::

    frame        28 B5 2F FD | header, 1 to 14 bytes | blocks | checksum, 4 bytes or none
    block        its size, 21 bits; its kind, 2 bits; whether it is the last, 1 bit | so many bytes, for kind 1 one
    skippable    5x 2A 4D 18 | its size, 4 bytes | so many bytes, which are skipped

A block is at most 128 KiB of text, however small it is packed: so a limit of blocks is a limit of memory.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from setwise.system.later import Later
from setwise.system.processes import processors

if TYPE_CHECKING:
    from backports import zstd
else:
    zstd = Later("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

__all__ = ["FRAME", "SKIPPABLE", "texts", "texts_ahead", "zstd"]

#: The first bytes of frames, and of skippable frames, which pzstd writes before each of its frames.
FRAME = b"\x28\xb5\x2f\xfd"
SKIPPABLE = frozenset(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))

_REPEATED_BYTE, _HAS_CHECKSUM = 1, 4
#: Blocks that are unpacked at once, at most a megabyte of text.
_BLOCKS = 8
#: Pieces, of a megabyte each, that are unpacked ahead for each thread; one of Lichess's frames holds 32.
_AHEAD = 16
#: With more threads text would be unpacked faster than it can be split into games.
_THREADS = min(8, processors())
_STEP = 1 << 20


def _header_size(descriptor: int) -> int:
    """The size of a frame's header with its first four bytes, by the byte after them (RFC 8878, 3.1.1.1.1)."""
    has_no_window = descriptor >> 5 & 1
    return 6 - has_no_window + (0, 1, 2, 4)[descriptor & 3] + (has_no_window, 2, 4, 8)[descriptor >> 6]


class _Piece(NamedTuple):
    """Whole blocks of one frame, with its header if they are the first; ``end`` is their end in the archive."""

    blocks: list[bytes]
    begins_frame: bool
    end: int


class _Archive:
    """The pieces of an archive. If it is cut off, or reading fails, they end there, and ``error`` says why."""

    def __init__(self, packed: IO[bytes]) -> None:
        self.packed, self.at = packed, 0
        self.error: Exception | None = None

    def _take(self, size: int) -> bytes:
        data = self.packed.read(size)
        while len(data) < size and (more := self.packed.read(size - len(data))):
            data += more
        self.at += len(data)
        if len(data) < size:
            raise EOFError("the archive is cut off")
        return data

    def _beginning(self) -> bytes:
        """The header of the next frame that holds text; nothing at the end of the archive."""
        while first := self.packed.read(1):
            self.at += 1
            head = first + self._take(3)
            if head not in SKIPPABLE:
                head += self._take(1)
                return head + (self._take(_header_size(head[4]) - len(head)) if head[:4] == FRAME else b"")
            left = int.from_bytes(self._take(4), "little")
            while left:
                left -= len(self._take(min(left, _STEP)))
        return b""

    def __iter__(self) -> Iterator[_Piece]:
        blocks: list[bytes] = []
        begins_frame = True
        try:
            while head := self._beginning():
                begins_frame, is_last = True, head[:4] != FRAME  # the library raises for bytes that are not a frame
                blocks = [head]
                while not is_last:
                    header = int.from_bytes(lead := self._take(3), "little")
                    is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
                    blocks.append(lead + self._take(1 if kind == _REPEATED_BYTE else size))
                    if len(blocks) >= _BLOCKS:
                        yield _Piece(blocks, begins_frame, self.at)
                        blocks, begins_frame = [], False
                if head[4] & _HAS_CHECKSUM and head[:4] == FRAME:
                    blocks.append(self._take(4))
                if blocks:
                    yield _Piece(blocks, begins_frame, self.at)
                blocks = []
        except (OSError, EOFError, zstd.ZstdError) as error:
            self.error = error
            if blocks:
                yield _Piece(blocks, begins_frame, self.at)


class _Frame:
    """A frame that is being unpacked."""

    def __init__(self) -> None:
        self.unpacker: Any = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 31})
        self.waiting: deque[tuple[list[bytes], Future[_Unpacked]]] = deque()
        self.lock, self.is_at_work = Lock(), False

    def unpacked(self, blocks: list[bytes]) -> _Unpacked:
        """The texts of the next blocks, and the error if they break off."""
        texts: list[bytes] = []
        try:
            texts.extend(map(self.unpacker.decompress, blocks))
        except (EOFError, zstd.ZstdError) as error:
            return texts, error
        return texts, None

    def submit(self, pool: ThreadPoolExecutor, blocks: list[bytes]) -> Future[_Unpacked]:
        """Queue the next blocks for the thread that unpacks this frame, or start one; no thread waits for another."""
        answer: Future[_Unpacked] = Future()
        with self.lock:
            self.waiting.append((blocks, answer))
            if self.is_at_work:
                return answer
            self.is_at_work = True
        pool.submit(self._work)
        return answer

    def _work(self) -> None:
        while True:
            with self.lock:
                if not self.waiting:
                    self.is_at_work = False
                    return
                blocks, answer = self.waiting.popleft()
            answer.set_result(self.unpacked(blocks))


_Unpacked = tuple[list[bytes], Exception | None]


def texts(packed: IO[bytes]) -> Iterator[bytes]:
    """Yield the text of an archive, a block at a time; raises ``ZstdError`` or ``EOFError`` where it breaks off."""
    archive, frame = _Archive(packed), _Frame()
    for piece in archive:
        frame = _Frame() if piece.begins_frame else frame
        unpacked, error = frame.unpacked(piece.blocks)
        yield from filter(None, unpacked)
        if error is not None:
            raise error
    if archive.error is not None:
        raise archive.error


def texts_ahead(packed: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield the same texts, each with its end in the archive; other threads unpack ahead, several frames at once.

    The lookahead grows while text is read, so that a reader of the beginning alone does not wait for more.
    """
    archive, frame = _Archive(packed), _Frame()
    ahead: deque[tuple[_Frame, int, Future[_Unpacked]]] = deque()

    def next_texts() -> Iterator[tuple[bytes, int]]:
        _, end, answer = ahead.popleft()
        texts, error = answer.result()
        yield from ((text, end) for text in texts if text)
        if error is not None:
            raise error

    lookahead = 1
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            for piece in archive:
                frame = _Frame() if piece.begins_frame else frame
                ahead.append((frame, piece.end, frame.submit(pool, piece.blocks)))
                if len(ahead) >= lookahead:
                    yield from next_texts()
                    lookahead = min(lookahead + 2, _AHEAD * _THREADS)
            while ahead:
                yield from next_texts()
        finally:
            for frame, _, _ in ahead:
                with frame.lock:
                    frame.waiting.clear()
    if archive.error is not None:
        raise archive.error
