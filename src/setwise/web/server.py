"""The server: finds a place, tells the address, opens the browser, and answers until it is interrupted."""

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

from setwise.errors import SetwiseError, SourceError
from setwise.web.app import application
from setwise.web.connections import bounded
from setwise.web.descriptors import SELDOM, Listening, open_at_once
from setwise.web.guard import is_loopback
from setwise.web.limits import Limits

__all__ = ["PORT", "configured", "serve"]

#: Where the page is found, if nobody else is there.
PORT = 8642
#: A name that is no pattern of names.
_PLAIN = re.compile(r"[^*?\[]*")
#: Connections that the system keeps until they are taken in.
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
        host: who is answered; beside loopback there is a token.
        port: where, else ``PORT`` or any that is free.
        opens: whether to open a browser.
        own: files and modules of somebody's own patterns.
        tell: says the address.

    Raises:
        SourceError: a file is missing, or the place is taken.
    """
    for name in sources:
        if not Path(name).exists() and _PLAIN.fullmatch(name):
            raise SourceError(f"there is no file {name}")
    token = None if is_loopback(host) else secrets.token_urlsafe(24)
    limits = Limits()
    limits = limits._replace(connections=open_at_once(limits.connections))
    with _bound(host, port, tell) as sockets:
        where = f"http://{_named(host)}:{sockets.getsockname()[1]}/"
        address = where if token is None else f"{where}?token={quote(token)}"

        def ready() -> None:
            tell(f"the workbench is at {address}  (Ctrl-C ends it)")
            if opens:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        app = application(sources, own=own, token=token, limits=limits, on_ready=ready)
        logging.getLogger("asyncio").addFilter(_Seldom())
        try:
            uvicorn.Server(configured(app, limits)).run([sockets])
        except KeyboardInterrupt:
            return
        except SystemExit:  # it could not begin
            raise app.app.state.wrong or SetwiseError(
                "the workbench cannot start; setwise doctor may know why"
            ) from None


def configured(app: Any, limits: Limits) -> uvicorn.Config:
    """Return how an application is served: quietly, and in bounds of time and number."""
    return uvicorn.Config(
        app,
        log_level="critical", access_log=False, server_header=False, lifespan="on", ws="none", loop="asyncio",
        http=bounded(limits), limit_concurrency=limits.connections, h11_max_incomplete_event_size=1 << 15,
        timeout_keep_alive=round(limits.pause), timeout_graceful_shutdown=2, backlog=_BACKLOG,
    )  # fmt: skip


def _named(host: str) -> str:
    """A host as it stands in an address."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104  (told, not bound)
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


class _Seldom(logging.Filter):
    """Lets one record through in a minute: what goes wrong with connections goes wrong with each of them."""

    last = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        if record.created - self.last < SELDOM:
            return False
        self.last = record.created
        return True


@contextlib.contextmanager
def _bound(host: str, port: int | None, tell: Callable[[str], object]) -> Iterator[socket.socket]:
    """A socket at a place: the one that is asked for, or one that is free."""
    for tried in (PORT, 0) if port is None else (port,):
        try:
            family, kind, proto, _, place = socket.getaddrinfo(host, tried, type=socket.SOCK_STREAM)[0]
            bound = Listening(family, kind, proto, tell)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(place)
        except OSError as error:
            if port is None and tried == PORT:
                continue
            raise SourceError(f"{host} port {tried} is not to be had: {error.strerror or error}") from None
        with bound:
            bound.listen(_BACKLOG)
            yield bound
        return
