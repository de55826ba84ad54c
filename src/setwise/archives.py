"""The bytes of files: packed files are unpacked here, on several threads; nothing here knows chess.

A source is a path, ``"-"``, bytes or an open file. Its first bytes show whether it is plain or packed, because names
may be wrong. Frames of a zstandard archive are independent, so several are unpacked at once, ahead of the reader. If an
archive breaks off, everything before the break is yielded first, then the error is raised. Each chunk comes with its
place in the packed file, so that callers can show progress. `unreadable` names the errors only of libraries that are
already imported: to import a library while memory is short would end in a traceback.
"""

from __future__ import annotations

import codecs
import functools
import io
import os
import re
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from setwise.errors import SourceError
from setwise.system.packages import Later
from setwise.system.processes import processors

# --------------------------------------------------------------------------------------------------- zstandard archives


if TYPE_CHECKING:
    from backports import zstd as zstd  # noqa: PLC0414  (other packages pack with it)
else:
    zstd = Later("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


#: The first bytes of frames, and of skippable frames, which pzstd writes before each of its frames.
FRAME = b"\x28\xb5\x2f\xfd"
SKIPPABLE = frozenset(bytes([0x50 + low]) + b"\x2a\x4d\x18" for low in range(16))

_REPEATED_BYTE, _HAS_CHECKSUM = 1, 4
#: How many blocks are unpacked at once; together they have at most a megabyte of text.
_BLOCKS = 8
#: How many pieces, of a megabyte each, are unpacked ahead for each thread; a frame of Lichess's files has 32 pieces.
_AHEAD = 16
#: The most threads: with more of them, text would be unpacked faster than it can be split into games.
_THREADS = min(8, processors())
_FRAME_STEP = 1 << 20


def _header_size(descriptor: int) -> int:
    """The size of a frame's header, magic number included, from the descriptor byte (RFC 8878, 3.1.1.1.1)."""
    has_no_window = descriptor >> 5 & 1
    return 6 - has_no_window + (0, 1, 2, 4)[descriptor & 3] + (has_no_window, 2, 4, 8)[descriptor >> 6]


class _Piece(NamedTuple):
    """Whole blocks of one frame, after its header if they are its first; ``end`` is where they end in the archive."""

    blocks: list[bytes]
    begins_frame: bool
    end: int


class _Archive:
    """The pieces of an archive. If the archive is cut off or reading fails, the pieces end there; see ``error``."""

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
                left -= len(self._take(min(left, _FRAME_STEP)))
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
        """The texts of the next blocks, and the error if a block is cut off or damaged."""
        texts: list[bytes] = []
        try:
            texts.extend(map(self.unpacker.decompress, blocks))
        except (EOFError, zstd.ZstdError) as error:
            return texts, error
        return texts, None

    def submit(self, pool: ThreadPoolExecutor, blocks: list[bytes]) -> Future[_Unpacked]:
        """Queue the next blocks for the thread that unpacks this frame; start one if there is none; do not wait."""
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
    """Yield the text of an archive block by block; raises ``ZstdError`` or ``EOFError`` at damage or an early end."""
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
    """Yield the same texts, each with the place where it ends in the archive; threads unpack several frames ahead.

    The lookahead grows while text is read, so that a caller who reads only the beginning does not wait for more.
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


# -------------------------------------------------------------------------------------------------------------- opening


if TYPE_CHECKING:
    import bz2
    import gzip
    import lzma
else:
    bz2, gzip, lzma = Later("bz2"), Later("gzip"), Later("lzma")


#: What may be read: a path, bytes, an open binary file; ``"-"`` is standard input.
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]
#: The types of sources that are the text itself.
BYTES = (bytes, bytearray, memoryview)


#: The most bytes that are unpacked at once.
_STEP = 1 << 18


def _streams(packed: IO[bytes], opened: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the text of an archive that has several streams, one after another, perhaps with NUL bytes between them.

    Python's own readers of bz2 and xz raise no error where a stream after the first is damaged: they just end.
    """
    rest = packed.read(_STEP)
    while rest:
        unpacker = opened()
        while not unpacker.eof:
            if unpacker.needs_input and not (rest or (rest := packed.read(_STEP))):
                raise EOFError("the archive is cut off")
            yield unpacker.decompress(rest if unpacker.needs_input else b"", _STEP)
            rest = b""
        rest = unpacker.unused_data
        while not rest.strip(b"\0") and (more := packed.read(_STEP)):
            rest = more
        rest = rest.lstrip(b"\0")


class Chunks(io.RawIOBase):
    """A file that reads from an iterator of pieces of text; some pieces may be empty."""

    def __init__(self, pieces: Iterator[bytes], name: str = "<file>") -> None:
        self.pieces, self.name, self.text = pieces, name, memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Write the next bytes into a buffer; they may not fill it."""
        if not self.text:
            self.text = memoryview(next(filter(None, self.pieces), b""))
        count = min(len(buffer), len(self.text))
        buffer[:count] = self.text[:count]
        self.text = self.text[count:]
        return count


#: The names of files of games in archives, packed once more or not.
_GAMES = re.compile(r"\.pgn(\.(zst|gz|bz2|xz))?\Z", re.IGNORECASE)
#: A member that becomes longer than the first number, and so many times longer than it is, has no games.
_SUSPECT, _MOST_TIMES = 1 << 30, 200
#: Where a tar archive has its mark.
_TAR = slice(257, 262)


def _zipped(file: IO[bytes]) -> Any:
    """Return a file of the texts of the PGN files in a zip archive, in its order, or of its only file.

    Raises:
        SourceError: if the archive is piped in, is cut off, has no such files, wants a password, or is a bomb.
    """
    import zipfile

    name = shown_name(getattr(file, "name", "<bytes>"))
    if not file.seekable():
        raise SourceError("a zip archive is read from its end, so name its file instead of piping it in")
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile:
        raise SourceError(f"{name} begins like a zip archive, but is cut off or damaged") from None
    files = [it for it in archive.infolist() if not it.is_dir()]
    members = [it for it in files if _GAMES.search(it.filename)] or files
    if (len(members) > 1 and members is files) or not members:
        raise SourceError(f"{name} is not PGN but a zip archive without files named .pgn")
    if any(it.flag_bits & 1 for it in members):
        raise SourceError(f"{name} wants a password; unpack it first")
    if bomb := next((it for it in members if it.file_size > max(_SUSPECT, _MOST_TIMES * it.compress_size)), None):
        raise SourceError(
            f"{name}: {bomb.filename} would become {bomb.file_size:,} bytes from {bomb.compress_size:,}, as no file of "
            "games does: unpack it yourself if you trust it"
        )
    return Chunks(_texts_of((it.filename, functools.partial(archive.open, it)) for it in members))


def _is_tar(head: bytes) -> bool:
    return head[_TAR] == b"ustar"


def _untarred(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the texts of the PGN files in a tar archive, which is read once from its beginning to its end."""
    import tarfile

    try:
        with tarfile.open(fileobj=file, mode="r|") as archive:
            members = (it for it in archive if it.isfile() and _GAMES.search(it.name))
            texts = _texts_of((it.name, functools.partial(archive.extractfile, it)) for it in members)
            if (first := next(texts, None)) is None:
                raise ValueError("the tar archive has no files named .pgn")
            yield first
            yield from texts
    except tarfile.TarError as error:
        raise ValueError(f"the tar archive is cut off or damaged: {error}") from None


def _texts_of(members: Iterable[tuple[str, Callable[[], Any]]]) -> Iterator[bytes]:
    """Yield the texts of the members of an archive, with an empty line between two."""
    import zipfile

    for name, opened in members:
        try:
            with opened() as file:
                head = file.read(_HEAD)
                text = _unpacked(head, cast("IO[bytes]", _Rejoined(head, file)))
                while piece := text.read(_STEP):
                    yield piece
        except (zipfile.BadZipFile, NotImplementedError) as error:  # NotImplementedError: packed in another way
            raise ValueError(f"{name}: {error}") from None
        yield b"\n\n"


def _in_utf8(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a text in UTF-16, whose first two bytes say in which order the others are, in UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while piece := file.read(_STEP):
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", final=True).encode()


#: The first bytes of archives other than zstandard, and the functions that open these archives.
_ARCHIVES: list[tuple[bytes, Callable[[IO[bytes]], Any]]] = [
    *((mark, lambda file: Chunks(texts(file))) for mark in (FRAME, *SKIPPABLE)),
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", lambda file: Chunks(_streams(file, bz2.BZ2Decompressor))),
    (b"\xfd7zXZ\x00", lambda file: Chunks(_streams(file, lzma.LZMADecompressor))),
    (b"PK\3\4", _zipped),
    *((mark, lambda file: Chunks(_in_utf8(file))) for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
]


def unreadable() -> tuple[type[Exception], ...]:
    """Return the errors of archives that are cut off or damaged, and of files that cannot be read.

    A library that is not imported has raised no error, and to import it now might fail if memory is short.
    """
    libraries = (("lzma", "LZMAError"), ("zlib", "error"), (zstd.__name__, "ZstdError"))
    of_archives = (getattr(sys.modules[library], name) for library, name in libraries if library in sys.modules)
    return (OSError, EOFError, ValueError, *of_archives)


def shown_name(name: object) -> str:
    """Return a name as tables show it: bytes that are not UTF-8 are replaced."""
    return str(name).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def is_stream(source: Any) -> bool:
    """Return whether a source can be read only once: standard input, an open file, a named pipe."""
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


#: How many bytes show how to unpack a file; so many are enough for all archives but tar.
_HEAD, _MAGIC = 512, 6


def _with_head(file: IO[bytes]) -> tuple[bytes, IO[bytes]]:
    """The first bytes of a file, which show how to unpack it, and a file that still has all the bytes."""
    if isinstance(file, io.BytesIO):
        return bytes(file.getbuffer()[file.tell() :][:_HEAD]), file
    head: Any = file.peek(_HEAD)[:_HEAD] if hasattr(file, "peek") else b""
    if len(head) == _HEAD or (len(head) >= _MAGIC and file.seekable()):
        return head, file
    head = file.read(_HEAD)
    if isinstance(head, str):
        raise TypeError("games are read from bytes, and this file gives text: open the file for bytes ('rb')")
    return head, _Rejoined(head, file)  # type: ignore[return-value]


def _is_zstd(head: bytes) -> bool:
    return head[:4] == FRAME or head[:4] in SKIPPABLE


def _unpacked(head: bytes, file: IO[bytes]) -> IO[bytes]:
    """The unpacked text of a file with these first bytes."""
    opened = next((opened for magic, opened in _ARCHIVES if head.startswith(magic)), None)
    if opened is not None:
        try:
            head, file = _with_head(opened(file))
        except SourceError:
            raise
        except unreadable() as error:  # it is raised when the text is read
            return Chunks(_failed(error))  # type: ignore[return-value]
    return Chunks(_untarred(file)) if _is_tar(head) else file  # type: ignore[return-value]


def _failed(error: Exception) -> Iterator[bytes]:
    yield from ()
    raise error


class _Rejoined(io.RawIOBase):
    """A file whose first bytes have been read already (standard input cannot be rewound)."""

    def __init__(self, head: bytes, rest: IO[bytes], owned: IO[bytes] | None = None) -> None:
        self.head, self.rest, self.owned = head, rest, owned

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.head[: len(buffer)] or self.rest.read(len(buffer))
        self.head = self.head[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        if self.owned is not None:
            self.owned.close()
        super().close()


class Stream:
    """A source that can be read only once, but whose beginning can be read in advance."""

    def __init__(self, source: Source) -> None:
        file, self.name = _named(source)
        self._owned = file if _opened_here(file, source) else None
        self.text, self.head, self.is_taken = _unpacked(*_with_head(file)), b"", False

    def read(self, size: int) -> bytes:
        """Return the next bytes of the beginning; ``taken`` returns them again."""
        chunk = self.text.read(size)
        self.head += chunk
        return chunk

    def taken(self) -> IO[bytes]:
        """Return the whole text as a file; raises ``SourceError`` the second time."""
        if self.is_taken:
            raise SourceError(f"{self.name} can be read only once, and is read again: keep it in a file first")
        self.is_taken = True
        return _Rejoined(self.head, self.text, self._owned)  # type: ignore[return-value]


@contextmanager
def opened(source: Source) -> Iterator[tuple[IO[bytes], str]]:
    """Open a source; yield a file of its unpacked text, and its name.

    Raises ``SourceError`` for a directory, and for a file that is missing or cannot be opened.
    """
    with packed(source) as (head, file, name):
        yield _unpacked(head, file), name


@contextmanager
def packed(source: Source) -> Iterator[tuple[bytes, IO[bytes], str]]:
    """Open a source; yield its first bytes, the file without unpacking, and its name. Raises as ``opened`` does."""
    file, name = _named(source)
    try:
        yield *_with_head(file), name
    finally:
        if _opened_here(file, source):
            file.close()


@contextmanager
def in_chunks(source: Source, size: int) -> Iterator[tuple[Iterator[tuple[list[bytes], int | None]], str]]:
    """Open a source; yield an iterator of its text and its name.

    The iterator yields lists of pieces, about ``size`` bytes a list, each with the number of bytes read from the file
    so far, or with None if that number is not known.

    Raises ``SourceError`` for a directory, and for a file that is missing or cannot be opened.
    """
    file, name = _named(source)
    opened_here = _opened_here(file, source)
    try:
        yield _chunks(file, size, opened_here=opened_here), name
    finally:
        if opened_here:
            file.close()


def _opened_here(file: IO[bytes], source: Source) -> bool:
    """Whether this module opened a file and therefore has to close it."""
    return file is not source and file is not _standard_input()


def _standard_input() -> IO[bytes] | None:
    """Standard input as bytes; None if standard input is closed, or can only be read as text, as in some shells."""
    return getattr(sys.stdin, "buffer", None)


def _chunks(file: IO[bytes], size: int, *, opened_here: bool) -> Iterator[tuple[list[bytes], int | None]]:
    """Lists of pieces, each list with the number of bytes read from the file so far.

    A piece has at most ``size`` bytes, a list about as many.
    """
    position = file.tell if opened_here and file.seekable() else lambda: None
    head, file = _with_head(file)
    if not _is_zstd(head):
        stream = _unpacked(head, file)
        while chunk := stream.read(size):
            yield [chunk], position()
        return
    pieces, size_of_pieces, end = list[bytes](), 0, cast("int | None", 0)
    try:
        unpacked: Iterator[tuple[bytes, int | None]] = texts_ahead(file)
        first = next(unpacked, (b"", 0))
        unpacked = chain([first], unpacked)
        if _is_tar(first[0]):
            members: Any = Chunks(text for text, _ in unpacked)
            unpacked = ((text, position()) for text in _untarred(members))
        for text, end in unpacked:
            for start in range(0, len(text), size):
                pieces.append(text[start : start + size] if len(text) > size else text)
                size_of_pieces += len(pieces[-1])
                if size_of_pieces >= size:
                    yield pieces, end
                    pieces, size_of_pieces = [], 0
    except unreadable():
        yield pieces, end
        raise
    yield pieces, end
