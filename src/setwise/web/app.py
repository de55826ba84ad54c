"""The application: the page, its assets, questions, searches, uploads and downloads."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from setwise.corpus.outputs import downloads
from setwise.corpus.storage.layout import Partial
from setwise.errors import SourceError
from setwise.view.sprite import sprite
from setwise.web.guard import Guard, TooLarge, TooSlow
from setwise.web.limits import ServerLimits
from setwise.web.requests import QUESTIONS, SEARCHES
from setwise.web.workers import Busy, TooLong, Workers

__all__ = ["application"]

_STATIC = Path(__file__).parent / "static"
#: The views, each of which has an address.
_VIEWS = ("", "board", "bitboards", "search")
#: The query parameters of a download.
_FILE_FIELDS = frozenset({"where", "statement", "source", "file", "bench", "per_game", "order_by", "title", "n"})
_FILE_NUMBERS = frozenset({"source", "per_game", "n"})
#: The names of files that a search of that name writes; all others have the matches.
_FILES = frozenset({"exercises"})
_FILE_GONE = "this file is not here any more: drop it on the page again"
_RESTARTED = "the workbench was started anew, perhaps with other sources: reload the page"
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
    bench = _Workbench(sources, own or [], limits, on_ready)
    routes = [
        *(Route(f"/{view}", bench.page) for view in _VIEWS),
        Route("/api/ask/{question}", bench.ask, methods=["POST"]),
        Route("/api/search/{task}", bench.search, methods=["POST"]),
        Route("/api/file/{name}", bench.file),
        Route("/api/upload", bench.upload, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    app = Starlette(routes=routes, lifespan=bench.lifespan, exception_handlers=_HANDLERS)
    app.state.workers, app.state.wrong = bench.workers, None
    return Guard(app, token, limits)


class _Gone(Exception):
    """A request refers to something that no longer exists: the message says what to do."""


class _Workbench:
    """The routes, and the state that they share."""

    def __init__(
        self, sources: list[str], own: list[str], limits: ServerLimits, on_ready: Callable[[], object]
    ) -> None:
        self.limits, self.on_ready = limits, on_ready
        self.workers = Workers(sources, own, limits)
        #: Paths of the uploaded files, by the keys that the page has.
        self.uploads: dict[str, Path] = {}
        self.catalogue = b""
        #: The page gets this key with the catalogue and sends it with each search. A key from before a restart is
        #: refused, since numbers of sources may have other meanings now.
        self.key = secrets.token_urlsafe(9)
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
        self.catalogue = json.dumps(json.loads(await self.workers.ask("catalogue")) | {"bench": self.key}).encode()
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


async def _too_large(request: Request, error: Exception) -> Response:
    return _error(str(error), 413)


async def _too_slow(request: Request, error: Exception) -> Response:
    return _error(str(error), 408, {"connection": "close"})


async def _gone(request: Request, error: Exception) -> Response:
    return _error(str(error), 410)


async def _busy(request: Request, error: Exception) -> Response:
    return _error(str(error), 503)


#: The handlers of exceptions that any route may raise.
_HANDLERS = {_Gone: _gone, TooLarge: _too_large, TooSlow: _too_slow, Busy: _busy}


def _error(reason: str, status: int = 422, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": reason}, status, headers)


async def _json_object(request: Request) -> dict[str, Any] | None:
    """The JSON object in the body of a request; None if the body is anything else."""
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
