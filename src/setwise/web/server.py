"""The server of the workbench: routes, access checks, connections; it serves until it is interrupted.

A request passes three layers. ``BrowserConnection`` ends idle and slow connections, so that there is room for new ones.
``Guard`` refuses requests for another host, from another site's page, without the token, or with too large a body; it
sees everything before the application does, also requests of static files. ``application`` has the routes, which parse
JSON and pass the work to ``Workers``: the server computes nothing, so no question can stop it. On this machine alone no
token is needed; any other address gets one, which the printed URL has and a cookie keeps. Uploaded files live in the
folder of the workers, and the page knows them by keys that cannot be guessed.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import json
import logging
import os
import re
import secrets
import shutil
import socket
import threading
import webbrowser
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, quote, urlencode

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from setwise.catalogue.questions import PORT
from setwise.corpus.outputs import downloads
from setwise.corpus.storage.layout import Partial
from setwise.errors import SetwiseError, SourceError
from setwise.view.svg import sprite
from setwise.web.limits import (
    NO_DESCRIPTORS,
    QUESTIONS,
    SEARCHES,
    WARNING_INTERVAL,
    ListeningSocket,
    ServerLimits,
    can_open,
    connection_limit,
)
from setwise.web.workers import Busy, TooLong, Workers

# ------------------------------------------------------------- connections with time limits, and with room for new ones


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


# --------------------------------------------------------------------------------- access checks before the application


COOKIE = "setwise"
_LENGTH = re.compile(r"[0-9]{1,18}")
#: A host name or IPv4 address, or an IPv6 address in brackets; then optionally a port.
_HOST = re.compile(r"([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?", re.ASCII)
#: Descriptors that one request may need: a search starts a process, opens files, and new connections arrive meanwhile.
_FOR_A_REQUEST = 16
_PORTS = {"http": 80, "https": 443}

#: Scripts and styles only from this server, no frame around the page, no request to any other server.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class TooLarge(Exception):
    """The body of a request exceeds a limit; the argument is that limit."""

    def __str__(self) -> str:
        return f"a request carries at most {self.args[0]:,} bytes"


class TooSlow(Exception):
    """The body of a request arrives too slowly."""

    def __str__(self) -> str:
        return "the request comes too slowly: send it again"


def is_loopback(host: str) -> bool:
    """Return whether a host (a name, or an address without brackets) is reachable from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Checks every request before the application sees it.

    Args:
        app: the application.
        token: the secret that a browser must send, once in the address and then as a cookie; None if the server is
            reachable from this machine only.
        limits: the limits of requests.
    """

    def __init__(self, app: Any, token: str | None, limits: ServerLimits) -> None:
        self.app, self.token, self.limits = app, token, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it."""
        if scope["type"] != "http":  # web sockets are ignored, lifespan events are passed on
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = (
            self._misdirected(scope, headers) or self._cross_site(scope, headers) or self._token_missing(scope, headers)
        )
        if answer is None and not can_open(_FOR_A_REQUEST):
            answer = JSONResponse({"error": NO_DESCRIPTORS}, 503)
        most = self.limits.upload if scope["path"] == "/api/upload" else self.limits.body
        if answer is None and not _has_length(headers, most):
            answer = JSONResponse({"error": str(TooLarge(most))}, 413)
        app = self.app if answer is None else answer
        await app(scope, self._limited(receive, most), _with_headers(send, scope))

    def _misdirected(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse a request whose header ``Host`` does not name this server (DNS rebinding).

        Another site can let its own host name resolve to this machine; its requests then carry that name. With a token
        any name is accepted, since the token decides.
        """
        host = _HOST.fullmatch(",".join(headers.getlist("host")).lower())
        port = (scope.get("server") or (None, None))[1]
        if not scope["path"].startswith("/") or host is None:
            return PlainTextResponse("A request needs one header Host, and a path without a host.", 400)
        named = host[1].startswith("[") == (":" in host[1]) and is_loopback(host[1].strip("[]"))
        if self.token is None and not (named and int(host[2] or _PORTS[scope["scheme"]]) == port):
            return PlainTextResponse(f"This page answers only to localhost:{port}.", 421)
        return None

    def _cross_site(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse an API request that comes from another site's page."""
        schemes = [scope["scheme"]] if self.token is None else _PORTS  # with a token, a TLS proxy may be in front
        own_origins = {f"{scheme}://{headers['host']}".lower() for scheme in schemes}
        is_cross_site = headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}
        if scope["path"].startswith("/api/") and (is_cross_site or not {*headers.getlist("origin")} <= own_origins):
            return JSONResponse({"error": "only this page may send requests"}, 403)
        return None

    def _token_missing(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse a request without the token; if the address has the token, set it as a cookie and redirect."""
        if self.token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if _is_same(dict(query).get("token", ""), self.token):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            answer = RedirectResponse("/" + scope["path"].lstrip("/") + (f"?{rest}" if rest else ""), 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="lax", max_age=30 * 86400)
            return answer
        if _is_same(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""), self.token):
            return None
        return PlainTextResponse("Open the address that setwise printed: it has the token.", 401)

    def _limited(self, receive: Receive, most: int) -> Receive:
        """Wrap ``receive`` with a limit of bytes and of time for the body; waiting for the disconnect has no limit."""
        began, count, more = asyncio.get_running_loop().time(), 0, True

        async def received() -> MutableMapping[str, Any]:
            nonlocal count, more
            until = began + self.limits.body_time + count / self.limits.body_rate
            try:
                async with asyncio.timeout_at(until if more else None):
                    message = await receive()
            except TimeoutError:
                raise TooSlow from None
            count += len(message.get("body", b""))
            more = message.get("more_body", False)
            if count > most:
                raise TooLarge(most)
            return message

        return received


def _has_length(headers: Headers, most: int) -> bool:
    length = headers.get("content-length", "0")
    return _LENGTH.fullmatch(length) is not None and int(length) <= most


def _is_same(text: str, token: str) -> bool:
    return hmac.compare_digest(text.encode(), token.encode())


def _with_headers(send: Send, scope: Scope) -> Send:
    """Wrap ``send``, so that every answer has the security headers."""

    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            caching = "no-store" if scope["path"].startswith("/api/") else "no-cache"
            names = {name for name, _ in message.get("headers", ())}
            added = _HEADERS | ({} if b"cache-control" in names else {"cache-control": caching})
            message["headers"] = [
                *message.get("headers", ()),
                *((name.encode(), value.encode()) for name, value in added.items()),
            ]
        await send(message)

    return sent


# ------------------------------------------------------------------------------------------------------ the application


_STATIC = Path(__file__).parent / "static"
#: The views, each of which has an address.
_VIEWS = ("", "board", "solve", "bitboards", "search")
#: The query parameters of a download.
_FILE_FIELDS = frozenset({"where", "statement", "source", "file", "bench", "per_game", "order_by", "title", "n"})
_FILE_NUMBERS = frozenset({"source", "per_game", "n"})
#: Files that a search of the same name writes; all other files contain the matches.
_FILES = frozenset({"exercises"})
_FILE_GONE = "this file is not here any more: drop it on the page again"
_RESTARTED = "the workbench was started anew, perhaps with other sources: reload the page"
_NO_ENGINE = (
    "No engine is here: install Stockfish (on Debian: apt install stockfish), or name another one: setwise web --engine"
)
_ONLY_HERE = "An engine is started only for pages of the machine that it is on."
_NUMBER = re.compile(r"[0-9]{1,9}")
#: Bytes kept of the name of an uploaded file, few enough for every file system.
_NAME_BYTES = 80
_CHUNK = 1 << 16


def application(
    sources: list[str],
    *,
    own: list[str] | None = None,
    token: str | None = None,
    limits: ServerLimits | None = None,
    on_ready: Callable[[], object] = bool,
) -> Guard:
    """Return the workbench as an application.

    Args:
        sources: the names of the files that may be searched.
        own: files and modules of the user's own patterns.
        token: the secret that browsers must send; None if the server is reachable from this machine only.
        limits: the limits of requests.
        on_ready: called when the application can answer.
    """
    limits = ServerLimits() if limits is None else limits
    if token is not None:
        limits = limits._replace(engine="")
    bench = _Workbench(sources, own or [], limits, on_ready, is_public=token is not None)
    routes = [
        *(Route(f"/{view}", bench.page) for view in _VIEWS),
        Route("/api/ask/{question}", bench.ask, methods=["POST"]),
        Route("/api/search/{task}", bench.search, methods=["POST"]),
        Route("/api/file/{name}", bench.file),
        Route("/api/upload", bench.upload, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    app = Starlette(routes=routes, lifespan=bench.lifespan, exception_handlers=dict.fromkeys(_STATUSES, _refused))
    app.state.workers, app.state.wrong = bench.workers, None
    return Guard(app, token, limits)


class _Gone(Exception):
    """A request refers to something that no longer exists: the message says what to do."""


class _Workbench:
    """The routes, and the state that they share."""

    def __init__(
        self,
        sources: list[str],
        own: list[str],
        limits: ServerLimits,
        on_ready: Callable[[], object],
        *,
        is_public: bool,
    ) -> None:
        self.limits, self.on_ready = limits, on_ready
        self.workers = Workers(sources, own, limits)
        #: Paths of the uploaded files, by the keys that the page has.
        self.uploads: dict[str, Path] = {}
        self.catalogue = b""
        #: The page gets this key with the catalogue and sends it with each search. A key from before a restart is
        #: refused, since numbers of sources may have other meanings now.
        self.key = secrets.token_urlsafe(9)
        #: Why there is no engine; empty if there is one.
        self.without_engine = "" if limits.engine else _ONLY_HERE if is_public else _NO_ENGINE
        self.index = (_STATIC / "index.html").read_text("utf-8").replace("<!-- shapes -->", sprite())

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Start the processes, and end them at shutdown."""
        try:
            await self._start()
            yield
        except SourceError as error:
            app.state.wrong = error
            raise
        finally:
            self.workers.close()

    async def _start(self) -> None:
        """Start the processes, and query the files among the sources and the catalogue."""
        await self.workers.start()
        answer = json.loads(await self.workers.ask("files"))
        if "error" in answer:
            raise SourceError(answer["error"])
        named = Partial if any(isinstance(name, Partial) for name in self.workers.sources) else str
        await self.workers.settle([*map(named, answer["files"])])
        known = json.loads(await self.workers.ask("catalogue"))
        for name, part in known.pop("html").items():
            self.index = self.index.replace(f"<!-- {name} -->", part)
        self.catalogue = json.dumps(known | {"bench": self.key, "engine": self.without_engine}).encode()
        self.on_ready()

    async def page(self, request: Request) -> Response:
        """Return the page, which is the same for every view."""
        return Response(self.index, media_type="text/html; charset=utf-8")

    async def ask(self, request: Request) -> Response:
        """Answer a question about one position."""
        arguments = await _json_object(request)
        if arguments is None:
            return _error("a question is an object in JSON")
        question = request.path_params["question"]
        if question not in QUESTIONS:
            return _error(f"there is no question {question:.40}: the questions are {' '.join(QUESTIONS)}", 404)
        if question == "catalogue":  # every page requests it, and it never changes
            return Response(self.catalogue, media_type="application/json")
        try:
            answer = await self.workers.ask(question, **arguments)
        except TooLong:
            return _error(f"it took more than {self.limits.answer_time:.0f} seconds, or too much memory", 503)
        return Response(answer, 422 if answer.startswith(b'{"error"') else 200, media_type="application/json")

    async def search(self, request: Request) -> Response:
        """Stream the lines of a search."""
        task = request.path_params["task"]
        if task not in SEARCHES:
            return _error(f"there is no search {task:.40}: the searches are {' '.join(SEARCHES)}", 404)
        arguments = await _json_object(request)
        if arguments is None:
            return _error("a search is an object in JSON")
        resolved = self._resolved(arguments)
        if task == "tree" and (stored := await self._stored_tree(resolved)) is not None:
            return Response(stored + b"\n", media_type="application/x-ndjson")
        search = self.workers.search(task, **resolved)
        lines = (line + b"\n" async for line in search)
        return _Stream(lines, search, media_type="application/x-ndjson", headers={"x-accel-buffering": "no"})

    async def _stored_tree(self, arguments: dict[str, Any]) -> bytes | None:
        """The only line of a tree that an index has stored; None if the games must be read, or something is wrong.

        It starts no process and waits for no search, so the tree follows the board while searches run.
        """
        if "file" in arguments:  # no uploaded file is an index
            return None
        with contextlib.suppress(Busy, TooLong):
            answer = await self.workers.ask("stored_tree", **arguments)
            if answer.startswith(b'{"type"'):
                return answer
        return None

    async def file(self, request: Request) -> Response:
        """Write the result of a search to a file, and stream that file."""
        arguments: dict[str, Any] = dict(request.query_params)
        if unknown := arguments.keys() - _FILE_FIELDS:
            return _error(
                f"a file has no parameter {min(unknown):.40}: the parameters are {' '.join(sorted(_FILE_FIELDS))}"
            )
        for name in _FILE_NUMBERS & arguments.keys():
            arguments[name] = int(arguments[name]) if _NUMBER.fullmatch(arguments[name]) else -1
        wanted = Path(request.path_params["name"])
        suffix, kinds = wanted.suffix, downloads()
        if suffix not in kinds:
            return _error(f"files are written as {' '.join(kinds)}", 404)
        task, title = (wanted.stem, wanted.stem) if wanted.stem in _FILES else ("write", "setwise")
        search = self.workers.search(task, **self._resolved(arguments), suffix=suffix)
        last_line: dict[str, Any] = {}
        try:
            async with _while_connected(request):
                async for line in search:
                    last_line = json.loads(line)
                    if last_line["type"] in {"file", "error"}:
                        break
        finally:
            if "path" not in last_line:
                await search.aclose()
        if "path" not in last_line:
            return _error(last_line.get("error", "nothing was written"), 422)
        return _Stream(
            _chunks(last_line["path"]), search, media_type=kinds[suffix].media_type,
            headers={"content-disposition": f'attachment; filename="{title}{suffix}"'},
        )  # fmt: skip

    async def upload(self, request: Request) -> Response:
        """Store an uploaded file; the oldest is deleted when there are too many, and all when the workbench ends."""
        name = _file_name(request.query_params.get("name", ""))
        key = secrets.token_urlsafe(9)
        folder = self.workers.folder / f"dropped-{key}"
        folder.mkdir()
        path = folder / name
        try:
            with path.open("xb") as file:
                async for chunk in request.stream():
                    file.write(chunk)
        except OSError as error:
            _remove(path)
            return _error(f"the file cannot be kept here: {error.strerror}", 507)
        except BaseException:
            _remove(path)
            raise
        self.uploads[key] = path
        while len(self.uploads) > self.limits.uploads:
            _remove(self.uploads.pop(next(iter(self.uploads))))
        return JSONResponse({"file": key, "name": name})

    def _resolved(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments, with a path in place of a file's key; raises ``_Gone`` for a key that has expired."""
        if arguments.get("bench", self.key) != self.key:
            raise _Gone(_RESTARTED)
        resolved = {name: value for name, value in arguments.items() if name not in {"bench", "file"}}
        if arguments.get("file") is None:
            return resolved
        path = self.uploads.get(str(arguments["file"]))
        if path is None:
            raise _Gone(_FILE_GONE)
        return {**resolved, "file": str(path)}


class _Stream(StreamingResponse):
    """A response that streams a search, and closes the search however it ends, also when the browser disconnects.

    Args:
        chunks: the bytes to send.
        search: the search that they come from; closing it ends its process and removes its files.
        headers: the headers of the response.
        media_type: the media type of the response.
    """

    def __init__(self, chunks: AsyncGenerator[bytes], search: AsyncGenerator[bytes], **options: Any) -> None:
        super().__init__(chunks, **options)
        self._generators = chunks, search

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                for generator in self._generators:
                    await generator.aclose()


async def _chunks(path: str) -> AsyncGenerator[bytes]:
    """The bytes of a file."""
    async with await anyio.open_file(path, "rb") as file:
        while chunk := await file.read(_CHUNK):
            yield chunk


@contextlib.asynccontextmanager
async def _while_connected(request: Request) -> AsyncIterator[None]:
    """Cancel the block when the browser disconnects."""
    async with anyio.create_task_group() as tasks:

        async def listen() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(listen)
        yield
        tasks.cancel_scope.cancel()


def _file_name(name: str) -> str:
    """The end of an uploaded file's name, with every character replaced that could be harmful in a file name."""
    plain = re.sub(r"[^\w.+-]", "_", name).encode()[-_NAME_BYTES:].decode(errors="ignore")
    return plain.lstrip(".-") or "games.pgn"


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.rmdir()


#: The status of exceptions that any route may raise.
_STATUSES = {_Gone: 410, TooLarge: 413, TooSlow: 408, Busy: 503}


async def _refused(request: Request, error: Exception) -> Response:
    answer = _error(str(error), _STATUSES[type(error)])
    if isinstance(error, TooSlow):
        answer.headers["connection"] = "close"
    return answer


def _error(reason: str, status: int = 422) -> Response:
    return JSONResponse({"error": reason}, status)


async def _json_object(request: Request) -> dict[str, Any] | None:
    """The JSON object in the body of a request; None if the body is anything else."""
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# ----------------------------------------------------------------------------------------------------------- the server


#: The folder where Debian installs engines; ``PATH`` does not contain it for all users.
_GAMES = "/usr/games"
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
    engine: str | None = None,
    tell: Callable[[str], object] = print,
) -> None:
    """Serve the workbench until it is interrupted.

    Args:
        sources: the names of files to search.
        host: the host name or address to bind; unless it is loopback, requests need a token.
        port: the port; by default ``PORT``, or any free port if that one is in use.
        opens: whether to open a browser.
        own: files and modules of the user's own patterns.
        engine: a program that speaks UCI, a name or a path, for the board; by default Stockfish, if it is installed. It
            is started only while a page has switched it on, and never for a server that others can reach.
        tell: called with messages, the address among them.

    Raises:
        SourceError: a file or the engine is missing, or the port cannot be bound.
    """
    for name in sources:
        if not Path(name).exists() and _PLAIN.fullmatch(name):
            raise SourceError(f"there is no file {name}")
    folders = os.pathsep.join([os.environ.get("PATH", os.defpath), _GAMES])
    found = shutil.which(engine or "stockfish", path=folders) or ""
    if engine and not found:
        raise SourceError(f"there is no engine {engine}: give the name or the path of a program")
    token = None if is_loopback(host) else secrets.token_urlsafe(24)
    limits = ServerLimits(engine=found)
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
    """Passes one log record a minute: otherwise one error would be logged for every connection."""

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
