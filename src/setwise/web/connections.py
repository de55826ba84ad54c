"""Connections: what waits for a request, and for how long.

uvicorn bounds the time between two requests. A request whose head never ends, or never begins, and an answer that the
other side does not read, it lets wait without end; here they have a time limit, and make room for newcomers before.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from setwise.web.limits import Limits

__all__ = ["Connection", "bounded"]


class Connection(H11Protocol):
    """A connection of a browser.

    One is *idle* as long as no request of it is answered: none has come in whole, or the last one has its answer. Idle
    ones end in time, and the oldest of them when a new one finds no room: whatever number of them is open, a request
    that comes in one piece is answered.
    """

    limits: ClassVar[Limits] = Limits()
    idle_since = 0.0
    _ends: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is answered now."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request; where there are too many connections, the one that has been idle for longest goes."""
        super().connection_made(transport)
        self._wait(self.limits.head)
        if len(self.connections) < self.limits.connections:
            return
        idle = [it for it in self.connections if isinstance(it, Connection) and it.is_idle and it is not self]
        if idle:  # else uvicorn answers the newcomer that there is no room
            oldest = min(idle, key=lambda it: it.idle_since)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait(self.limits.pause)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        for timer in (self._ends, self._unread):
            if timer is not None:
                timer.cancel()

    def pause_writing(self) -> None:
        """Give the other side some time to read what was sent."""
        super().pause_writing()
        self._unread = self.loop.call_later(self.limits.unread, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the other side reads."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def _wait(self, seconds: float) -> None:
        """End the connection after some seconds, unless a new request has come in by then."""
        if self._ends is not None:
            self._ends.cancel()
        self.idle_since = self.loop.time()
        self._ends = self.loop.call_later(seconds, self._end_if_idle, self.cycle)

    def _end_if_idle(self, last: object) -> None:
        if self.cycle is last:
            self.transport.abort()


def bounded(limits: Limits) -> type[Connection]:
    """Return the kind of connections that have these limits."""
    return type("Connection", (Connection,), {"limits": limits})
