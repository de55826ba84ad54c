"""Descriptors: what a process has only so many of, for connections, pipes and files.

Where none is left, the workbench says so in an answer, and says so seldom on the terminal.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import time
from collections.abc import Callable
from typing import Any

__all__ = ["NONE_LEFT", "SELDOM", "Listening", "are_left", "none_left", "open_at_once"]

NONE_LEFT = "the workbench has too many files and connections open: try again in a moment"
_ANSWER = (
    "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    f"content-length: {len(NONE_LEFT)}\r\n\r\n{NONE_LEFT}"
).encode()
_ERRORS = {errno.EMFILE, errno.ENFILE}
#: Seconds between two lines about it.
SELDOM = 60


def none_left(error: OSError) -> bool:
    """Return whether an operation failed because no descriptor is left."""
    return error.errno in _ERRORS


def are_left(count: int) -> bool:
    """Return whether this process can open so many more files."""
    with contextlib.ExitStack() as taken:
        try:
            for _ in range(count):
                taken.callback(os.close, _opened())
        except OSError:
            return False
    return True


def _opened() -> int:
    """A descriptor of nothing."""
    return os.open(os.devnull, os.O_RDONLY)


def open_at_once(most: int) -> int:
    """Return how many connections may be open at once: so many, and half of what the system allows this process."""
    with contextlib.suppress(ImportError):  # Windows has no such limit
        import resource

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY:
            return max(8, min(most, allowed // 2))
    return most


class Listening(socket.socket):
    """A listening socket that answers 503 where no descriptor is left for a connection.

    It keeps a descriptor in reserve for that. asyncio would leave the connections in the queue, try again without end,
    and write a traceback for each attempt.

    Args:
        tell: gets a line about it, once a minute at most.
    """

    def __init__(self, family: int, kind: int, proto: int, tell: Callable[[str], object]) -> None:
        super().__init__(family, kind, proto)
        self._tell, self._told = tell, float("-inf")
        self._reserve: int | None = _opened()

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection; raises ``BlockingIOError`` when there is none, or when it was refused."""
        try:
            return super().accept()
        except OSError as error:
            if not none_left(error):
                raise
        self._refuse()
        if time.monotonic() - self._told >= SELDOM:
            self._told = time.monotonic()
            self._tell(f"{NONE_LEFT} (ulimit -n says how many there may be)")
        raise BlockingIOError

    def _refuse(self) -> None:
        """Answer the next connection in the place of the reserve, and close it."""
        if self._reserve is not None:
            os.close(self._reserve)
        self._reserve = None
        try:
            refused, _ = super().accept()
            with refused, contextlib.suppress(OSError):
                refused.setblocking(False)
                refused.send(_ANSWER)
                refused.shutdown(socket.SHUT_WR)
                refused.recv(1 << 16)  # what is left unread would end the connection before the answer is read
        finally:
            self._reserve = _opened()

    def close(self) -> None:
        """Close the socket, and the descriptor in reserve."""
        super().close()
        if self._reserve is not None:
            os.close(self._reserve)
        self._reserve = None
