"""What connections and searches may hold of the machine, and that they give it back."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the workbench needs the extra web")

import uvicorn

from helpers.data import FAMOUS_GAMES
from helpers.web import LONG, children, eventually, workbench
from setwise.web.limits import ServerLimits
from setwise.web.server import application, configured

pytestmark = pytest.mark.slow

on_linux = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors are counted in /proc")


def descriptors(pid: int) -> set[int]:
    return {int(entry.name) for entry in Path(f"/proc/{pid}/fd").iterdir()}


def request(path: str, given: dict[str, Any] | None = None, *, host: str = "localhost", more: str = "") -> bytes:
    """A request; a question if it carries something."""
    body = b"" if given is None else json.dumps(given).encode()
    method = "GET" if given is None else "POST"
    return f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


def answer(connection: socket.socket) -> str:
    """What comes until the other side ends the connection."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts).decode()


def response(connection: socket.socket) -> tuple[int, str]:
    """The status and the body of one answer; the connection stays open."""
    with HTTPResponse(connection) as told:
        told.begin()
        return told.status, told.read().decode()


# ----------------------------------------------------------------------------------------- descriptors and processes


@pytest.fixture(scope="module")
def said() -> list[str]:
    """The lines that the workbench writes on the terminal."""
    return []


@pytest.fixture(scope="module")
def running(said: list[str]) -> Iterator[tuple[int, int]]:
    """A workbench: its port and its process."""
    with workbench(FAMOUS_GAMES, said=said) as (address, process):
        yield int(address.rsplit(":", 1)[1].strip("/")), process.pid


def ask(port: int, path: str = "/", given: dict[str, Any] | None = None) -> str:
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.sendall(request(path, given, host=f"localhost:{port}", more="Connection: close\r\n"))
        return answer(connection)


@on_linux
def test_searches_that_are_called_off_leave_neither_descriptors_nor_processes(running: tuple[int, int]) -> None:
    """Five hundred, some before their process has begun, some while it sends, one after the other and four at once."""
    port, pid = running
    assert '"done"' in ask(port, "/api/search/find", {"where": "ply = 1"})
    assert eventually(lambda: len(children(pid)) == 4)  # two that answer, one that they branch off, one that watches
    before, most = len(descriptors(pid)), 0

    def call_off(count: int) -> None:
        nonlocal most
        for number in range(count):
            with socket.create_connection(("127.0.0.1", port), 60) as connection:
                connection.sendall(request("/api/search/find", {"where": "true"}, host=f"localhost:{port}"))
                if number % 3 == 2:
                    connection.recv(100)
                time.sleep(0.01 * (number % 3))
            most = max(most, len(descriptors(pid)))

    threads = [threading.Thread(target=call_off, args=(125,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert eventually(lambda: len(descriptors(pid)) <= before)
    assert eventually(lambda: len(children(pid)) == 4)
    assert most < before + 100
    assert '"done"' in ask(port, "/api/search/find", {"where": "ply = 1"})


@on_linux
def test_a_process_that_is_killed_leaves_nothing_and_is_replaced(running: tuple[int, int]) -> None:
    port, pid = running
    assert eventually(lambda: len(children(pid)) == 4)
    before, known = len(descriptors(pid)), children(pid)
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        given = {"where": LONG}
        connection.sendall(request("/api/search/find", given, host=f"localhost:{port}", more="Connection: close\r\n"))
        assert eventually(lambda: len(children(pid) - known) == 1)
        [search] = children(pid) - known
        os.kill(search, signal.SIGKILL)
        assert "more memory than one search may have" in answer(connection)
    assert eventually(lambda: len(descriptors(pid)) <= before)
    assert children(pid) == known


@on_linux
def test_without_descriptors_the_answer_is_503_and_the_log_is_quiet(running: tuple[int, int], said: list[str]) -> None:
    import resource

    port, pid = running
    assert eventually(lambda: len(children(pid)) == 4)
    lines, allowed = len(said), resource.prlimit(pid, resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as opened:

        def another() -> socket.socket:
            return opened.enter_context(socket.create_connection(("127.0.0.1", port), 60))

        kept = another()
        kept.sendall(request("/static/icon.svg", host=f"localhost:{port}"))
        assert response(kept)[0] == 200
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (max(descriptors(pid)) + 1, allowed[1]))
        try:
            for path, given in (("/api/search/find", {"where": "true"}), ("/api/file/x.csv?where=true", None)):
                kept.sendall(request(path, given, host=f"localhost:{port}"))
                status, told = response(kept)
                assert (status, "too many files and connections" in told) == (503, True)
            refused = 0
            for _ in range(300):
                connection = another()
                connection.sendall(request("/static/icon.svg", host=f"localhost:{port}"))
                with contextlib.suppress(ConnectionResetError):
                    refused += response(connection)[0] == 503
            assert refused > 200
        finally:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, allowed)
    assert eventually(lambda: " 200 " in ask(port))
    assert '"done"' in ask(port, "/api/search/find", {"where": "ply = 1"})
    assert ["too many files and connections" in line for line in said[lines:]] == [True]


@on_linux
def test_a_workbench_that_is_killed_leaves_no_process_behind() -> None:
    with workbench(FAMOUS_GAMES) as (address, process):
        port = int(address.rsplit(":", 1)[1].strip("/"))
        known = children(process.pid)
        with socket.create_connection(("127.0.0.1", port), 60) as connection:
            connection.sendall(request("/api/search/find", {"where": LONG}, host=f"localhost:{port}"))
            assert eventually(lambda: len(children(process.pid) - known) == 1)
            known = children(process.pid)
            process.kill()
    assert eventually(lambda: not [pid for pid in known if Path(f"/proc/{pid}").exists()])


# -------------------------------------------------------------------------------------------------------- connections


@contextlib.contextmanager
def served(app: Any, limits: ServerLimits) -> Iterator[tuple[Callable[[], socket.socket], uvicorn.Server]]:
    """An application that is served here: what opens a connection to it, and the server."""
    server = uvicorn.Server(configured(app, limits))
    with socket.create_server(("127.0.0.1", 0)) as listening, contextlib.ExitStack() as opened:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        assert eventually(lambda: server.started)
        port = listening.getsockname()[1]
        try:
            yield lambda: opened.enter_context(socket.create_connection(("127.0.0.1", port), 60)), server
        finally:
            opened.close()
            server.should_exit = True
            thread.join()


async def simple(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers with more than any buffer takes, where that is wanted."""
    if scope["type"] == "lifespan":
        for _ in range(2):
            event = await receive()
            await send({"type": event["type"] + ".complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(1000 if scope["path"] == "/long" else 0):
        await send({"type": "http.response.body", "body": b"x" * (1 << 16), "more_body": True})
    await send({"type": "http.response.body", "body": b"in"})


#: Beginnings of requests.
BEGUN = (
    b"",
    b"G",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n",
    request("/") + b"GET",
    b"GET / HTTP/1.1\r\nX: " + b"x" * 20000,
)


def test_connections_that_are_half_open_leave_room_for_a_request() -> None:
    """However long they may stay, the oldest goes when another one comes; requests are never in the way of others."""
    limits = ServerLimits(connections=20, head=600, pause=600)
    with served(simple, limits) as (connect, server):
        for number in range(300):
            connect().sendall(BEGUN[number % len(BEGUN)])
        for _ in range(3):
            asking = connect()
            asking.sendall(request("/"))
            assert asking.recv(1 << 12).startswith(b"HTTP/1.1 200")
        assert len(server.server_state.connections) <= limits.connections


def drip(connection: socket.socket, rest: bytes) -> None:
    """Send byte by byte until the other side has had enough."""
    with contextlib.suppress(OSError):
        for byte in rest:
            connection.sendall(bytes([byte]))
            time.sleep(0.02)


@pytest.mark.parametrize(
    ("sent", "rest"),
    [(begun, b"") for begun in BEGUN] + [(b"", b"GET / HTTP/1.1\r\nX: " + b"x" * 10**5), (request("/"), b"x" * 10**5)],
)
def test_a_head_that_does_not_end_ends_the_connection(sent: bytes, rest: bytes) -> None:
    with served(simple, ServerLimits(head=0.3, pause=0.3)) as (connect, server):
        waiting = connect()
        waiting.sendall(sent)
        drip(waiting, rest)
        told = answer(waiting)
        assert told.count("HTTP/1.1") == (sent.startswith(request("/")))
        assert eventually(lambda: not server.server_state.connections)


def test_an_answer_that_is_not_read_on_ends_the_connection() -> None:
    with served(simple, ServerLimits(unread=1)) as (connect, server):
        connect().sendall(request("/long"))
        assert eventually(lambda: len(server.server_state.tasks) == 1)
        assert eventually(lambda: not server.server_state.connections and not server.server_state.tasks)
    with served(simple, ServerLimits(unread=60)) as (connect, _):
        asking = connect()
        asking.sendall(request("/long"))
        assert len(answer_of_length(asking, 1000 << 16)) > 1000 << 16


def answer_of_length(connection: socket.socket, least: int) -> bytes:
    parts = bytearray()
    while len(parts) <= least and (part := connection.recv(1 << 20)):
        parts += part
    return bytes(parts)


@pytest.mark.parametrize("path", ["/api/ask/board", "/api/search/find", "/api/upload?name=a.pgn"])
@pytest.mark.parametrize("rest", [b"", b"x" * 10**5], ids=["nothing", "byte by byte"])
def test_what_is_carried_comes_in_time(path: str, rest: bytes) -> None:
    limits = ServerLimits(body_time=0.3, body_rate=1000)
    with served(WithoutLifespan(application([], limits=limits)), limits) as (connect, server):
        asking = connect()
        asking.sendall(request(path, host=f"localhost:{asking.getpeername()[1]}").replace(b"GET", b"POST").replace(
            b"Length: 0", b"Length: 60000") + b"{")  # fmt: skip
        drip(asking, rest)
        told = answer(asking)
        assert told.startswith("HTTP/1.1 408") or (rest and not told)  # what still comes may hide the answer
        assert eventually(lambda: not server.server_state.connections and not server.server_state.tasks)


class WithoutLifespan:
    """The workbench without its processes."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await (simple if scope["type"] == "lifespan" else self.app)(scope, receive, send)


def test_without_the_token_nobody_holds_a_place() -> None:
    """Neither by a body that is announced and never comes, nor by a question: they are not read."""
    limits = ServerLimits(connections=20, head=600, pause=600, body_time=600)
    app = application([], token="right", limits=limits)  # noqa: S106
    with served(WithoutLifespan(app), limits) as (connect, server):
        outside = [request("/api/upload?name=a.pgn", more="Expect: 100-continue\r\n"), request("/api/search/find", {})]
        outside = [it.replace(b"GET", b"POST").replace(b"Length: 0", b"Length: 50000") for it in outside]
        for number in range(300):
            connect().sendall([*BEGUN, *outside][number % (len(BEGUN) + len(outside))])
        asking = connect()
        asking.sendall(request("/static/icon.svg", more="Cookie: setwise=right\r\n"))
        assert asking.recv(1 << 12).startswith(b"HTTP/1.1 200")
        assert len(server.server_state.connections) <= limits.connections
        assert eventually(lambda: not server.server_state.tasks)
        assert list(app.app.state.workers.folder.iterdir()) == []
