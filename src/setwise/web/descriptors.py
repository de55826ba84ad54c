"""File descriptors, of which a process has a limited number for connections, pipes and files.

When none is left, the workbench answers 503, and prints a line about it at most once a minute.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import time
from collections.abc import Callable
from typing import Any

__all__ = ["NO_DESCRIPTORS", "WARNING_INTERVAL", "ListeningSocket", "can_open", "connection_limit", "is_exhausted"]

NO_DESCRIPTORS = "the workbench has too many files and connections open: try again in a moment"
_ANSWER = (
    "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    f"content-length: {len(NO_DESCRIPTORS)}\r\n\r\n{NO_DESCRIPTORS}"
).encode()
_ERRORS = {errno.EMFILE, errno.ENFILE}
#: Seconds between two lines about missing descriptors.
WARNING_INTERVAL = 60


def is_exhausted(error: OSError) -> bool:
    """Return whether an operation failed because no descriptor is left."""
    return error.errno in _ERRORS


def can_open(count: int) -> bool:
    """Return whether this process can open ``count`` more files."""
    with contextlib.ExitStack() as descriptors:
        try:
            for _ in range(count):
                descriptors.callback(os.close, _null_descriptor())
        except OSError:
            return False
    return True


def _null_descriptor() -> int:
    """A descriptor of the null device."""
    return os.open(os.devnull, os.O_RDONLY)


def connection_limit(most: int) -> int:
    """Return how many connections may be open: at most ``most``, and at most half of this process's descriptors."""
    with contextlib.suppress(ImportError):  # Windows has no such limit
        import resource

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY:
            return max(8, min(most, allowed // 2))
    return most


class ListeningSocket(socket.socket):
    """A listening socket that answers 503 when no descriptor is left for a connection.

    It keeps one descriptor in reserve for that. asyncio would leave the connections in the queue, retry without end,
    and write a traceback for each attempt.

    Args:
        tell: called with a warning, at most once a minute.
    """

    def __init__(self, family: int, kind: int, proto: int, tell: Callable[[str], object]) -> None:
        super().__init__(family, kind, proto)
        self._tell, self._warned = tell, float("-inf")
        self._reserve: int | None = _null_descriptor()

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection; raises ``BlockingIOError`` when none waits, or when it was refused."""
        try:
            return super().accept()
        except OSError as error:
            if not is_exhausted(error):
                raise
        self._refuse()
        if time.monotonic() - self._warned >= WARNING_INTERVAL:
            self._warned = time.monotonic()
            self._tell(f"{NO_DESCRIPTORS} (ulimit -n prints the limit)")
        raise BlockingIOError

    def _refuse(self) -> None:
        """Accept the next connection with the reserved descriptor, answer 503, and close it."""
        if self._reserve is not None:
            os.close(self._reserve)
        self._reserve = None
        try:
            refused, _ = super().accept()
            with refused, contextlib.suppress(OSError):
                refused.setblocking(False)
                refused.send(_ANSWER)
                refused.shutdown(socket.SHUT_WR)
                refused.recv(1 << 16)  # closing with unread data would reset the connection before the answer is read
        finally:
            self._reserve = _null_descriptor()

    def close(self) -> None:
        """Close the socket and the reserved descriptor."""
        super().close()
        if self._reserve is not None:
            os.close(self._reserve)
        self._reserve = None
