"""Connections with time limits, and with room for new ones.

uvicorn limits the time between two requests. It waits without limit for the head of a request and for a browser to read
an answer; here both have a time limit. When too many connections are open, an idle one is closed for the new one.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from setwise.web.limits import ServerLimits

__all__ = ["BrowserConnection", "with_limits"]


class BrowserConnection(H11Protocol):
    """A connection of a browser.

    A connection is *idle* while none of its requests is being answered: no request has arrived completely, or the last
    one has been answered. Idle connections end after a time limit, and the oldest ends earlier when a new connection
    needs its place. So a request that arrives in one piece is answered, however many connections are open.
    """

    limits: ClassVar[ServerLimits] = ServerLimits()
    idle_since = 0.0
    _ends: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request of this connection is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request; if too many connections are open, close the one that has been idle for longest."""
        super().connection_made(transport)
        self._wait(self.limits.head)
        if len(self.connections) < self.limits.connections:
            return
        idle = [it for it in self.connections if isinstance(it, BrowserConnection) and it.is_idle and it is not self]
        if idle:  # otherwise uvicorn answers the new connection with 503
            oldest = min(idle, key=lambda it: it.idle_since)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait(self.limits.pause)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers."""
        super().connection_lost(exc)
        for timer in (self._ends, self._unread):
            if timer is not None:
                timer.cancel()

    def pause_writing(self) -> None:
        """Give the browser limited time to read the answer."""
        super().pause_writing()
        self._unread = self.loop.call_later(self.limits.unread, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop that time limit: the browser reads again."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def _wait(self, seconds: float) -> None:
        """End the connection after some seconds, unless a new request has arrived by then."""
        if self._ends is not None:
            self._ends.cancel()
        self.idle_since = self.loop.time()
        self._ends = self.loop.call_later(seconds, self._end_if_idle, self.cycle)

    def _end_if_idle(self, last_cycle: object) -> None:
        if self.cycle is last_cycle:
            self.transport.abort()


def with_limits(limits: ServerLimits) -> type[BrowserConnection]:
    """Return a connection class with these limits."""
    return type("BrowserConnection", (BrowserConnection,), {"limits": limits})
