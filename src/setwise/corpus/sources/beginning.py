"""How a source begins: its first bytes, unpacked, by which its kind is recognised."""

from __future__ import annotations

import codecs
import contextlib
from functools import cached_property
from typing import IO, Self, cast

from setwise.archives.opening import UNREADABLE, Source, Stream, is_stream, opened

__all__ = ["Beginning"]

#: Bytes by which a text shows its kind.
_HEAD = 1 << 14


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
            SourceError: when it is missing, or a directory.
        """
        if is_stream(source):
            stream = Stream(source)
            return cls(cast("Source", stream), stream.name, _head_of(stream))
        with opened(source) as (file, name):
            return cls(source, name, _head_of(file))

    @cached_property
    def line(self) -> str:
        """The first line that is neither empty nor a comment (``#``), without blanks around it."""
        lines = self.head.removeprefix(codecs.BOM_UTF8).splitlines()
        line = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
        return line.decode("utf-8", "replace").strip()


def _head_of(stream: IO[bytes] | Stream) -> bytes:
    head = b""
    with contextlib.suppress(*UNREADABLE):  # reading the whole reports where it ends
        while len(head) < _HEAD and (chunk := stream.read(_HEAD - len(head))):
            head += chunk
    return head
