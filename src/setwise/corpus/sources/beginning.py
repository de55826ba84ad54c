"""How a source begins: its first bytes, unpacked, by which its kind is recognised."""

from __future__ import annotations

import codecs
import os
import re
from functools import cached_property
from pathlib import Path
from typing import IO, Self, cast

from setwise.archives.opening import Source, Stream, is_stream, opened, unreadable
from setwise.errors import SourceError

__all__ = ["Beginning"]

#: Bytes by which a text shows its kind.
_HEAD = 1 << 14
#: Names of files that have bytes even if they have no rows or no text.
_NEVER_EMPTY = re.compile(r"\.(parquet|zst|gz|bz2|xz)\Z", re.IGNORECASE)


class Beginning:
    """The beginning of a file, of bytes or of a stream.

    Args:
        source: what is read later; a stream can be read once.
        name: what messages, and the column ``source``, call it.
        head: its first bytes, unpacked.
    """

    def __init__(self, source: Source, name: str, head: bytes) -> None:
        self.source, self.name, self.head = source, name, head

    @classmethod
    def of(cls, source: Source) -> Self:
        """Read the beginning of a source.

        Raises:
            SourceError: when it is missing, a directory, or emptied.
        """
        if is_stream(source):
            stream = Stream(source)
            return cls(cast("Source", stream), stream.name, _head_of(stream))
        with opened(source) as (file, name):
            head = _head_of(file)
        if not head and isinstance(source, str | os.PathLike) and _NEVER_EMPTY.search(name) and not _size(source):
            raise SourceError(f"{name} has no bytes at all, and no file of its kind is that short: get it again")
        return cls(source, name, head)

    @cached_property
    def line(self) -> str:
        """The first line that is neither empty nor a comment (``#``), without blanks around it."""
        lines = self.head.removeprefix(codecs.BOM_UTF8).splitlines()
        line = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
        return line.decode("utf-8", "replace").strip()


def _size(path: str | os.PathLike[str]) -> int:
    return Path(path).stat().st_size


def _head_of(stream: IO[bytes] | Stream) -> bytes:
    head = b""
    try:
        while len(head) < _HEAD and (chunk := stream.read(_HEAD - len(head))):
            head += chunk
    except unreadable():  # reading the whole reports where it ends
        return head
    return head
