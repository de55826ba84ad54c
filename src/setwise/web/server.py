"""The server: binds a port, prints the address, opens the browser, and serves until it is interrupted."""

from __future__ import annotations

import contextlib
import logging
import re
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn

from setwise.catalogue.addresses import PORT
from setwise.errors import SetwiseError, SourceError
from setwise.web.app import application
from setwise.web.connections import with_limits
from setwise.web.descriptors import WARNING_INTERVAL, ListeningSocket, connection_limit
from setwise.web.guard import is_loopback
from setwise.web.limits import ServerLimits

__all__ = ["PORT", "configured", "serve"]

#: A name without wildcards.
_PLAIN = re.compile(r"[^*?\[]*")
#: Connections that the system queues until they are accepted.
_BACKLOG = 128


def serve(
    sources: list[str],
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    opens: bool = True,
    own: list[str] | None = None,
    tell: Callable[[str], object] = print,
) -> None:
    """Serve the workbench until it is interrupted.

    Args:
        sources: the names of files to search.
        host: the host name or address to bind; unless it is loopback, requests need a token.
        port: the port; by default ``PORT``, or any free port if that one is in use.
        opens: whether to open a browser.
        own: files and modules of the user's own patterns.
        tell: called with messages, the address among them.

    Raises:
        SourceError: a file is missing, or the port cannot be bound.
    """
    for name in sources:
        if not Path(name).exists() and _PLAIN.fullmatch(name):
            raise SourceError(f"there is no file {name}")
    token = None if is_loopback(host) else secrets.token_urlsafe(24)
    limits = ServerLimits()
    limits = limits._replace(connections=connection_limit(limits.connections))
    with _bound(host, port, tell) as listening:
        url = f"http://{_host_name(host)}:{listening.getsockname()[1]}/"
        address = url if token is None else f"{url}?token={quote(token)}"

        def ready() -> None:
            tell(f"the workbench is at {address}  (Ctrl-C ends it)")
            if opens:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        app = application(sources, own=own, token=token, limits=limits, on_ready=ready)
        logging.getLogger("asyncio").addFilter(_RateLimit())
        try:
            uvicorn.Server(configured(app, limits)).run([listening])
        except KeyboardInterrupt:
            return
        except SystemExit:  # uvicorn could not start
            raise app.app.state.wrong or SetwiseError(
                "the workbench cannot start; setwise doctor may know why"
            ) from None


def configured(app: Any, limits: ServerLimits) -> uvicorn.Config:
    """Return uvicorn's configuration: without its own output, and with limits of time and number."""
    return uvicorn.Config(
        app,
        log_level="critical", access_log=False, server_header=False, lifespan="on", ws="none", loop="asyncio",
        http=with_limits(limits), limit_concurrency=limits.connections, h11_max_incomplete_event_size=1 << 15,
        timeout_keep_alive=round(limits.pause), timeout_graceful_shutdown=2, backlog=_BACKLOG,
    )  # fmt: skip


def _host_name(host: str) -> str:
    """A host as it is written in a URL."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104  (compared, not bound)
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


class _RateLimit(logging.Filter):
    """Passes one record a minute: an error that affects connections is logged for each of them."""

    last = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        if record.created - self.last < WARNING_INTERVAL:
            return False
        self.last = record.created
        return True


@contextlib.contextmanager
def _bound(host: str, port: int | None, tell: Callable[[str], object]) -> Iterator[socket.socket]:
    """A socket bound to the requested port; if ``port`` is None, to the default port or any free one."""
    for tried in (PORT, 0) if port is None else (port,):
        try:
            family, kind, proto, _, address = socket.getaddrinfo(host, tried, type=socket.SOCK_STREAM)[0]
            bound = ListeningSocket(family, kind, proto, tell)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except OSError as error:
            if port is None and tried == PORT:
                continue
            raise SourceError(
                f"the server cannot listen on port {tried} of {host}: {error.strerror or error}"
            ) from None
        with bound:
            bound.listen(_BACKLOG)
            yield bound
        return
