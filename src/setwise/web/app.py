"""The application: a page, its assets, questions, searches, files."""

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

from setwise.errors import SourceError
from setwise.view.sprite import sprite
from setwise.web.guard import Guard, TooLarge, TooSlow
from setwise.web.limits import Limits
from setwise.web.requests import QUESTIONS, SEARCHES, SUFFIXES
from setwise.web.workers import Busy, TooLong, Workers

__all__ = ["application"]

_STATIC = Path(__file__).parent / "static"
#: The views, each of which has an address.
_VIEWS = ("", "bitboards", "search")
#: What a file is asked for by, and the number of a source.
_FILE_FIELDS = frozenset({"where", "statement", "source", "file", "bench"})
_FILE_GONE = "this file is not here any more: drop it on the page again"
_STARTED_ANEW = "the workbench was started anew, perhaps with other sources: reload the page"
_NUMBER = re.compile(r"[0-9]{1,9}")
#: Bytes of the name of a file that is dropped on the page: less than any system takes.
_NAME_BYTES = 80
_CHUNK = 1 << 16


def application(
    sources: list[str],
    *,
    own: list[str] | None = None,
    token: str | None = None,
    limits: Limits | None = None,
    on_ready: Callable[[], object] = bool,
) -> Guard:
    """Return the workbench as an application.

    Args:
        sources: the names of the files that may be searched.
        own: files and modules of somebody's own patterns.
        token: what browsers must bring; None where only this machine can ask.
        limits: what requests may cost.
        on_ready: called when it can answer.
    """
    limits = Limits() if limits is None else limits
    bench = _Bench(sources, own or [], limits, on_ready)
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
    """What a page asks for is not here any more: the sentence says what to do."""


class _Bench:
    """What the routes share."""

    def __init__(self, sources: list[str], own: list[str], limits: Limits, on_ready: Callable[[], object]) -> None:
        self.limits, self.on_ready = limits, on_ready
        self.workers = Workers(sources, own, limits)
        #: Files that were dropped on the page: where they are, by the names that the page knows.
        self.uploads: dict[str, Path] = {}
        self.catalogue = b""
        #: What a page has from the catalogue, and sends with a search: numbers of sources mean what they meant there.
        self.key = secrets.token_urlsafe(9)
        self.index = (_STATIC / "index.html").read_text("utf-8").replace("<!-- shapes -->", sprite())

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Start the processes, and end them at last."""
        try:
            await self._begin()
            yield
        except SourceError as error:
            app.state.wrong = error
            raise
        finally:
            self.workers.close()

    async def _begin(self) -> None:
        """Start the processes, and find out what there is."""
        await self.workers.start()
        found = json.loads(await self.workers.ask("files"))
        if "error" in found:
            raise SourceError(found["error"])
        await self.workers.settle(found["files"])
        self.catalogue = json.dumps(json.loads(await self.workers.ask("catalogue")) | {"bench": self.key}).encode()
        self.on_ready()

    async def page(self, request: Request) -> Response:
        """The page, the same for every view."""
        return Response(self.index, media_type="text/html; charset=utf-8")

    async def ask(self, request: Request) -> Response:
        """A question about one position."""
        given = await _given(request)
        if given is None:
            return _wrong("a question is an object in JSON")
        question = request.path_params["question"]
        if question not in QUESTIONS:
            return _wrong(f"nothing is known of {question:.40}: {' '.join(QUESTIONS)}", 404)
        if question == "catalogue":  # every page asks for it, and it stays what it is
            return Response(self.catalogue, media_type="application/json")
        try:
            answer = await self.workers.ask(question, **given)
        except TooLong:
            return _wrong(f"it took more than {self.limits.patience:.0f} seconds, or too much memory", 503)
        return Response(answer, 422 if answer.startswith(b'{"error"') else 200, media_type="application/json")

    async def search(self, request: Request) -> Response:
        """A search, its lines as they come."""
        task = request.path_params["task"]
        if task not in SEARCHES:
            return _wrong(f"nothing is known of {task:.40}: {' '.join(SEARCHES)}", 404)
        given = await _given(request)
        if given is None:
            return _wrong("a search is an object in JSON")
        search = self.workers.search(task, **self._here(given))
        lines = (line + b"\n" async for line in search)
        return _Stream(lines, search, media_type="application/x-ndjson", headers={"x-accel-buffering": "no"})

    async def file(self, request: Request) -> Response:
        """What a search finds as a file."""
        given: dict[str, Any] = dict(request.query_params)
        if unknown := given.keys() - _FILE_FIELDS:
            return _wrong(f"a file is asked for by {' '.join(sorted(_FILE_FIELDS))}, not by {min(unknown):.40}")
        if "source" in given:
            given["source"] = int(given["source"]) if _NUMBER.fullmatch(given["source"]) else -1
        suffix = Path(request.path_params["name"]).suffix
        if suffix not in SUFFIXES:
            return _wrong(f"files are written as {' '.join(SUFFIXES)}", 404)
        search = self.workers.search("write", **self._here(given), suffix=suffix)
        written: dict[str, Any] = {}
        try:
            async with _while_wanted(request):
                async for line in search:
                    written = json.loads(line)
                    if written["type"] in {"file", "error"}:
                        break
        finally:
            if "path" not in written:
                await search.aclose()
        if "path" not in written:
            return _wrong(written.get("error", "nothing was written"), 422)
        return _Stream(
            _chunks(written["path"]), search, media_type=SUFFIXES[suffix],
            headers={"content-disposition": f'attachment; filename="setwise{suffix}"'},
        )  # fmt: skip

    async def upload(self, request: Request) -> Response:
        """A file that somebody drops on the page; it is gone when the workbench ends."""
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
            return _wrong(f"the file cannot be kept here: {error.strerror}", 507)
        except BaseException:
            _remove(path)
            raise
        self.uploads[key] = path
        while len(self.uploads) > self.limits.uploads:
            _remove(self.uploads.pop(next(iter(self.uploads))))
        return JSONResponse({"file": key, "name": name})

    def _here(self, given: dict[str, Any]) -> dict[str, Any]:
        """What is asked, with the file in place of its key; raises ``_Gone`` for what a page has from before."""
        if given.get("bench", self.key) != self.key:
            raise _Gone(_STARTED_ANEW)
        asked = {name: value for name, value in given.items() if name not in {"bench", "file"}}
        if given.get("file") is None:
            return asked
        path = self.uploads.get(str(given["file"]))
        if path is None:
            raise _Gone(_FILE_GONE)
        return {**asked, "file": str(path)}


class _Stream(StreamingResponse):
    """What a search yields; on every way out, the browser's leaving among them, the search is closed.

    Args:
        chunks: what is sent.
        search: where that comes from; its process and its files go with it.
        headers: what is told about the chunks.
        media_type: their kind.
    """

    def __init__(self, chunks: AsyncGenerator[bytes], search: AsyncGenerator[bytes], **about: Any) -> None:
        super().__init__(chunks, **about)
        self._closed_at_last = chunks, search

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                for it in self._closed_at_last:
                    await it.aclose()


async def _chunks(path: str) -> AsyncGenerator[bytes]:
    """The bytes of a file."""
    async with await anyio.open_file(path, "rb") as file:
        while chunk := await file.read(_CHUNK):
            yield chunk


@contextlib.asynccontextmanager
async def _while_wanted(request: Request) -> AsyncIterator[None]:
    """Call off what happens here when the browser leaves."""
    async with anyio.create_task_group() as tasks:

        async def listen() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(listen)
        yield
        tasks.cancel_scope.cancel()


def _file_name(name: str) -> str:
    """The end of a name that somebody gave a file, as it may stand in a folder of ours."""
    plain = re.sub(r"[^\w.+-]", "_", name).encode()[-_NAME_BYTES:].decode(errors="ignore")
    return plain.lstrip(".-") or "games.pgn"


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.rmdir()


async def _too_large(request: Request, error: Exception) -> Response:
    return _wrong(str(error), 413)


async def _too_slow(request: Request, error: Exception) -> Response:
    return _wrong(str(error), 408, {"connection": "close"})


async def _gone(request: Request, error: Exception) -> Response:
    return _wrong(str(error), 410)


async def _busy(request: Request, error: Exception) -> Response:
    return _wrong(str(error), 503)


#: What a request may meet, whichever it is, and the answer.
_HANDLERS = {_Gone: _gone, TooLarge: _too_large, TooSlow: _too_slow, Busy: _busy}


def _wrong(reason: str, status: int = 422, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": reason}, status, headers)


async def _given(request: Request) -> dict[str, Any] | None:
    """The object that a request carries; None if it is none."""
    try:
        given = json.loads(await request.body())
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None
