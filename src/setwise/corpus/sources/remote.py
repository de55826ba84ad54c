"""Files that are named by a URI: on this machine (``file://``), or in a store that Arrow knows (``s3://`` …)."""

from __future__ import annotations

import fnmatch
import io
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from setwise.errors import SourceError
from setwise.system.arrow import fs

__all__ = ["RemoteFile", "file_system", "is_uri", "local_path", "remote_files"]

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_GLOB = re.compile(r"[*\[]")
_PGN = re.compile(r"\.pgn(\.(zst|gz|bz2|xz))?\Z", re.IGNORECASE)
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
    """Yield the file that a URI names, or those of its folder (PGN, else Parquet) or pattern of names, opened.

    Raises:
        SourceError: when there is none, or the store cannot be read.
    """
    try:
        head = uri[: match.start()].rpartition("/")[0] if (match := _GLOB.search(uri)) else uri
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
    found = system.get_file_info(fs.FileSelector(root, recursive=True))
    names = sorted(it.path for it in found if it.type == fs.FileType.File)
    if pattern != root:
        return [name for name in names if fnmatch.fnmatchcase(name, pattern)]
    return [name for name in names if _PGN.search(name)] or [name for name in names if name.endswith(".parquet")]
