"""The sources that a user names: folders and patterns are expanded to files, streams that are read twice are stored."""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
import re
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self, TypeAlias

import pyarrow as pa

from setwise.archives.opening import BYTES, is_stream, packed
from setwise.archives.opening import Source as Text
from setwise.corpus.sources.remote import is_uri, local_path, remote_files
from setwise.corpus.storage import layout
from setwise.corpus.storage.layout import Partial
from setwise.errors import OutputError, SourceError
from setwise.game.blocks import BLOCK
from setwise.game.ranges import Range
from setwise.position.position import Position
from setwise.position.positions import Positions
from setwise.system.files import is_part_folder, own_folder, reason_of

__all__ = ["Partial", "Source", "apart", "bytes_of", "expanded", "is_file", "kept", "partially"]

#: What may be searched.
Source: TypeAlias = Text | Positions | Position | pa.Table | Range

#: The types of single sources, besides open files.
_SINGLE = (str, os.PathLike, Positions, Position, pa.Table, Range, *BYTES)
_PGN_NAME = re.compile(r"\.pgn(\.(zst|gz|bz2|xz))?\Z", re.IGNORECASE)
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
    sources: Source | Iterable[Source], *, scan: Path | None = None, output: str | os.PathLike[str] | None = None
) -> Iterator[Any]:
    """Yield every source, files by their names, before any of them is opened.

    Args:
        sources: one source or several.
        scan: the folder of the scan that is being written; as a source it means the files of games in it.
        output: the file that is written meanwhile; it may be the same file as a source given by name.

    Raises:
        SourceError: for a folder or a pattern of names without files, and a stream that is named twice.
        OutputError: for a folder or a pattern of names that gives the output.
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
