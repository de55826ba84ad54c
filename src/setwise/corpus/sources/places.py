"""Where sources are (paths, patterns of names, stores, streams), how their bytes begin, and which names they get.

Nothing here knows a kind of source. ``expanded`` turns what a user names into single files, streams and objects, in
order, before any of them is opened; folders and patterns are sorted by name. A stream can be read once: ``kept`` copies
it to a temporary file if it has to be read again. An output must not be a source at the same time (``apart``). A game
is known by its source and its number, so ``OwnNames`` gives each source a name of its own; the parts of one whole share
their names. ``Beginning`` is the first 16 KB, unpacked, by which ``kinds`` recognises the format.
"""

from __future__ import annotations

import codecs
import contextlib
import fnmatch
import glob
import io
import itertools
import os
import re
import weakref
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Self, TypeAlias, cast
from urllib.parse import urlsplit

import pyarrow as pa

from setwise.archives import BYTES, Stream, is_stream, opened, packed, unreadable
from setwise.archives import Source as Text
from setwise.corpus.storage import layout
from setwise.corpus.storage.layout import Partial
from setwise.errors import OutputError, SourceError
from setwise.game.batch import BLOCK
from setwise.game.games import Range
from setwise.position.position import Position
from setwise.position.positions import Positions
from setwise.system.files import is_part_folder, own_folder, reason_of
from setwise.system.packages import fs

# ---------------------------------------------------------------------------------------- files that are named by a URI


_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_REMOTE_GLOB = re.compile(r"[*\[]")
_PGN_NAME = re.compile(r"\.pgn(\.(zst|gz|bz2|xz|zip))?\Z", re.IGNORECASE)
_LONGEST_REASON = 200
#: Bytes that are read ahead.
_BUFFER = 1 << 20


def is_uri(source: Any) -> bool:
    """Return whether a source is a URI."""
    return isinstance(source, str) and _URI.match(source) is not None


def local_path(uri: str) -> str | None:
    """Return the path that a URI of a local file means; None for other URIs.

    Example:
        >>> local_path("file:///data/my%20games.pgn"), local_path("s3://bucket/games.pgn")
        ('/data/my games.pgn', None)
    """
    parts = urlsplit(uri)
    if parts.scheme.lower() != "file" or parts.netloc:
        return None
    from urllib.request import url2pathname

    return url2pathname(parts.path)


class RemoteFile(io.BufferedReader):
    """A file of a store, read once from its beginning to its end."""

    def __init__(self, file: pa.NativeFile, uri: str) -> None:
        super().__init__(file, _BUFFER)
        self.uri = uri

    @property
    def name(self) -> str:
        """The URI."""
        return self.uri


def file_system(uri: str) -> tuple[fs.FileSystem, str]:
    """Return the file system of a URI, and the path in it."""
    return fs.FileSystem.from_uri(uri)


def remote_files(uri: str) -> Iterator[RemoteFile]:
    """Open and yield the file that a URI names, or the files of its folder (PGN, else Parquet) or pattern of names.

    Raises:
        SourceError: when there is no such file, or the store cannot be read.
    """
    try:
        head = uri[: match.start()].rpartition("/")[0] if (match := _REMOTE_GLOB.search(uri)) else uri
        system, root = file_system(head)
        paths = _paths(system, root, root + uri[len(head) :])
        for path in paths:
            yield RemoteFile(system.open_input_stream(path), uri if path == root else f"{head}{path[len(root) :]}")
    except (OSError, pa.ArrowException, NotImplementedError) as error:
        why = " ".join(str(error).split())[:_LONGEST_REASON]
        raise SourceError(f"{uri} cannot be opened: {why}") from None
    if not paths:
        raise SourceError(f"there is no file {uri}")


def _paths(system: fs.FileSystem, root: str, pattern: str) -> list[str]:
    kind = system.get_file_info(root).type
    if kind == fs.FileType.File:
        return [root]
    if kind == fs.FileType.NotFound:
        return []
    entries = system.get_file_info(fs.FileSelector(root, recursive=True))
    names = sorted(it.path for it in entries if it.type == fs.FileType.File)
    if pattern != root:
        return [name for name in names if fnmatch.fnmatchcase(name, pattern)]
    return [name for name in names if _PGN_NAME.search(name)] or [name for name in names if name.endswith(".parquet")]


# ---------------------------------------------------------------------------------------- the sources that a user names


#: The types that a user may pass as one source, and as one source or several.
SourceLike: TypeAlias = Text | Positions | Position | pa.Table | Range
Sources: TypeAlias = SourceLike | Iterable[SourceLike]

#: The types of single sources, besides open files.
_SINGLE = (str, os.PathLike, Positions, Position, pa.Table, Range, *BYTES)
_GLOB = re.compile(r"[*?\[]")


def partially(sources: Any, *, partial: bool) -> Any:
    """Return sources; with ``partial``, unfinished scans and indexes among them are read as far as they are."""
    if not partial or isinstance(sources, _SINGLE):
        return Partial(os.fspath(sources)) if partial and isinstance(sources, str | os.PathLike) else sources
    if hasattr(sources, "read"):
        return sources
    marked = (partially(source, partial=True) for source in sources)
    return marked if isinstance(sources, Iterator) else list(marked)


def kept(source: Any) -> Any:
    """Return a source that can be read several times: a stream is kept in a file, other sources are as they are.

    Raises:
        SourceError: when the stream cannot be read, or there is no room for it.
    """
    return _Kept.of(source) if is_stream(source) else source


class _Kept(str):
    """The path of a temporary copy of a stream that can be read only once; the copy is deleted with this object."""

    __slots__ = ("__weakref__", "shown")
    #: The name of the stream, in messages and in the column ``source``.
    shown: str

    @classmethod
    def of(cls, source: Text) -> Self:
        """Copy a stream to a file, in bounded memory.

        Raises:
            SourceError: when it cannot be read, or there is no room for it.
        """
        import shutil
        import tempfile

        handle, path = tempfile.mkstemp(dir=own_folder().name)
        kept = cls(path)
        weakref.finalize(kept, _remove, path)
        with os.fdopen(handle, "wb") as copy, packed(source) as (_, file, kept.shown):
            try:
                shutil.copyfileobj(file, copy, BLOCK)
            except OSError as error:
                why = reason_of(error)
                raise SourceError(f"{kept.shown} cannot be kept in a file while it is read: {why}") from None
        return kept


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):  # Windows deletes no open file; its folder is deleted later
        Path(path).unlink()


def expanded(
    sources: Sources, *, scan: Path | None = None, output: str | os.PathLike[str] | None = None
) -> Iterator[Any]:
    """Yield every source, files by their names, before any of them is opened.

    Args:
        sources: one source or several.
        scan: the folder of the scan that is being written; as a source it means the files of games in it.
        output: the file that is written meanwhile; it may be the same file as a source given by name.

    Raises:
        SourceError: for a folder or a pattern of names without files, and a stream that is named twice.
        OutputError: for a folder or a pattern of names whose files include the output.
    """
    several: Iterable[Any] = [sources] if isinstance(sources, _SINGLE) or hasattr(sources, "read") else sources
    several = _once(several) if isinstance(several, Iterator) else list(_once(several))
    for in_memory, group in itertools.groupby(several, lambda source: isinstance(source, Position)):
        if in_memory:
            yield Positions.from_positions(group)
        else:
            for named in group:
                if is_file(named) and not os.fspath(named):
                    raise SourceError("a source has an empty name: give the path of a file or folder")
                source = (local_path(named) or named) if is_uri(named) else named
                if is_uri(source):
                    yield from remote_files(source)
                    continue
                if not is_file(source):
                    yield source
                    continue
                files = _files_of(source, scan)
                is_scan = Path(source, layout.MANIFEST).is_file()
                if output is not None and is_scan and _real(output).is_relative_to(_real(source)):
                    raise OutputError(f"{output} lies in the scan {source}, which is a source: name another output")
                yield from files if output is None or files == [os.fsdecode(source)] else apart(files, output)


def _once(sources: Iterable[Any]) -> Iterator[Any]:
    """The sources; a stream that is named twice raises an error."""
    names, files = set[str](), weakref.WeakSet[Any]()
    for source in sources:
        if is_stream(source):
            named = isinstance(source, str | os.PathLike)
            known: Any = names if named else files
            key: Any = os.fsdecode(source) if named else source
            if key in known:
                name = "standard input" if key == "-" else getattr(key, "name", key)
                raise SourceError(f"{name} can be read only once, and is named twice")
            known.add(key)
        yield source


def is_file(source: Any) -> bool:
    """Return whether a source is the name of a file, or of several."""
    return isinstance(source, str | os.PathLike) and source != "-"


def bytes_of(sources: Iterable[str]) -> int:
    """Return how many bytes of PGN files there are, packed or not; 0 where something else is among the sources.

    A missing file is reported when it is read.
    """
    sources = list(sources)
    with contextlib.suppress(OSError, SourceError):
        names = list(expanded(() if any(map(is_uri, sources)) else sources))
        if all(is_file(name) and _PGN_NAME.search(name) and Path(name).is_file() for name in names):
            return sum(Path(name).stat().st_size for name in names)
    return 0


def apart(sources: Iterable[Any], *places: str | os.PathLike[str]) -> Iterator[Any]:
    """Yield expanded sources; one that is an output, or lies in an output, raises an error.

    Raises:
        OutputError: for a source that would be read and written at the same time.
    """
    written = [_real(place) for place in places]
    for source in sources:
        if is_file(source) and any(_real(source).is_relative_to(place) for place in written):
            raise OutputError(f"{source} is a source, and would be written at the same time: name another output")
        yield source


def _real(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.realpath(os.fsdecode(path)))


def _files_of(path: str | os.PathLike[str], scan: Path | None) -> list[str]:
    path = os.fsdecode(path)
    if Path(path).is_dir():
        if Path(path, layout.MANIFEST).is_file() and (scan is None or _real(scan) != _real(path)):
            return [path]
        if scan is None or _real(scan) != _real(path):
            layout.check_log(Path(path))
        names = sorted(str(file) for file in Path(path).rglob("*") if _PGN_NAME.search(file.name) and file.is_file())
        if not names and (table := Path(path, "positions.parquet")).is_file():
            names = [str(table)]
        names = names or sorted(str(file) for file in Path(path).rglob("*.parquet") if file.is_file())
        if not names:
            raise SourceError(f"{path} holds no .pgn files, packed or not, no Parquet and no scan")
        folders = {folder for name in names for folder in Path(name).parents if folder.is_relative_to(path)}
        if unfinished := sorted(map(str, filter(is_part_folder, folders))):
            raise SourceError(
                f"{path} is unfinished: a command writes the files in {unfinished[0]}, or was killed while it did"
            )
    elif not Path(path).exists() and _GLOB.search(path):
        matches = glob.glob(path, recursive=True)  # noqa: PTH207  (a pattern may begin anywhere)
        names = sorted(name for name in matches if not Path(name).is_dir())
        if not names:
            raise SourceError(f"no file matches {path}")
    else:
        names = [path]
    return names


# ----------------------------------------------------------------------------------------------------- names of sources


class OwnNames:
    """Unique names of sources, in order: where a name is taken, the second is ``NAME 2``.

    The parts of one whole, such as the files of a scan, hold games of the same sources, so they share names.

    >>> names = OwnNames()
    >>> names.of("a scan", ["x.pgn", "y.pgn"])
    {'x.pgn': 'x.pgn', 'y.pgn': 'y.pgn'}
    >>> names.of("another", ["x.pgn"])
    {'x.pgn': 'x.pgn 2'}
    >>> names.of("a scan", ["x.pgn", "z.pgn"])
    {'x.pgn': 'x.pgn', 'z.pgn': 'z.pgn'}
    """

    def __init__(self) -> None:
        self._taken = Counter[str]()
        self._given = defaultdict[Hashable, dict[str, str]](dict)

    def enter(self, whole: Hashable, names: Mapping[str, str]) -> None:
        """Enter names that were given earlier."""
        self._given[whole].update(names)
        self._taken.update(names.values())

    def of(self, whole: Hashable, sources: Iterable[str]) -> dict[str, str]:
        """Return the unique names of the sources in a part of a whole, by the names that they have."""
        given, sources = self._given[whole], dict.fromkeys(sources)
        for name in sources:
            if name not in given:
                given[name] = self._own(name)
        return {name: given[name] for name in sources}

    def _own(self, name: str) -> str:
        names = self._taken
        names[name] += 1
        while names[name] > 1:
            own = f"{name} {names[name]}"
            if own not in names:
                names[own] = 1
                return own
            names[name] += 1
        return name


# -------------------------------------------------------------------------------------------------- how a source begins


#: Bytes by which a text shows its kind.
_HEAD = 1 << 14
#: Names of files that have bytes even if they have no rows or no text.
_NEVER_EMPTY = re.compile(r"\.(parquet|zst|gz|bz2|xz)\Z", re.IGNORECASE)


class Beginning:
    """The beginning of a file, of bytes or of a stream.

    Args:
        source: the source to read later; a stream can be read once.
        name: the name of the source in messages and in the column ``source``.
        head: its first bytes, unpacked.
    """

    #: The table of a database file that is named after the file, as ``games.db#moves``.
    table: str | None = None

    def __init__(self, source: Text, name: str, head: bytes) -> None:
        self.source, self.name, self.head = source, name, head

    @classmethod
    def of(cls, source: Text) -> Self:
        """Read the beginning of a source.

        Raises:
            SourceError: when it is missing, a directory, or emptied.
        """
        if isinstance(source, str) and "#" in source and not Path(source).exists():
            path, _, table = source.rpartition("#")
            if Path(path).is_file() and database_in((beginning := cls.of(path)).head) is not None:
                beginning.name, beginning.table = source, table
                return beginning
        if is_stream(source):
            stream = Stream(source)
            return cls(cast("Text", stream), stream.name, _head_of(stream))
        with opened(source) as (file, name):
            head = _head_of(file)
        is_named = isinstance(source, str | os.PathLike) and _NEVER_EMPTY.search(name)
        if not head and is_named and not Path(cast("str", source)).stat().st_size:
            raise SourceError(f"{name} has no bytes at all, and no file of its kind is that short: get it again")
        return cls(source, name, head)

    @cached_property
    def line(self) -> str:
        """The first line that is neither empty nor a comment (``#``), without blanks around it."""
        lines = self.head.removeprefix(codecs.BOM_UTF8).splitlines()
        line = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
        return line.decode("utf-8", "replace").strip()


def database_in(head: bytes) -> str | None:
    """Return the program whose database file begins with these bytes; None if it is not a database.

    >>> database_in(b"SQLite format 3" + bytes(85)), database_in(b"[Event ")
    ('SQLite', None)
    """
    if head.startswith(b"SQLite format 3\0"):
        return "SQLite"
    return "DuckDB" if head[8:12] == b"DUCK" else None


def _head_of(stream: IO[bytes] | Stream) -> bytes:
    head = b""
    try:
        while len(head) < _HEAD and (chunk := stream.read(_HEAD - len(head))):
            head += chunk
    except unreadable():  # the error is reported when the whole source is read
        return head
    return head
