"""A workbench that runs: a process of its own, found at an address."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from helpers.data import ROOT

#: A condition that would take hours, in little memory.
LONG = (
    "list_sum(list_transform(range(30), lambda w: list_sum(list_transform(range(30 + w), lambda x: "
    "list_sum(list_transform(range(30 + x), lambda y: list_sum(list_transform(range(30 + y), lambda z: "
    "list_sum(range(1000 + z + ply)))))))))) > 0"
)


@contextlib.contextmanager
def workbench(*arguments: str | Path, said: list[str] | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A running ``setwise web``: its address, with the token if it has one, and its process.

    ``said`` gets the lines that it writes on the terminal.
    """
    kept = tempfile.TemporaryDirectory()  # what the page keeps of its user
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-m", "setwise", "web", "--no-open", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "SETWISE_PROGRESS": str(Path(kept.name, "solving.json"))},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    told: list[str] = [] if said is None else said
    rest: threading.Thread | None = None
    try:
        for line in process.stderr:
            told.append(line)
            if found := re.search(r"http://\S+", line):
                break
        else:
            raise AssertionError("".join(told))
        rest = threading.Thread(target=lambda: told.extend(process.stderr), daemon=True)
        rest.start()
        yield found[0], process
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:  # it tells where it hangs
            process.send_signal(signal.SIGABRT)
            raise
        finally:
            if rest is not None:
                rest.join(10)
            process.stderr.close()
            kept.cleanup()
            print(*told, sep="")


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether something comes true within five minutes: a machine may have much else to do."""
    deadline = time.monotonic() + 300
    while not (held := holds()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return held


def children(pid: int) -> set[int]:
    """The processes that a process has started, and theirs, as /proc has them."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    below, new = set[int](), {pid}
    while new:
        new = {child for child, parent in found.items() if parent in new} - below
        below |= new
    return below


class Refused(Exception):
    """A sentence of the workbench that says why there is no answer."""


class Matches(NamedTuple):
    """What the workbench's search finds: its rows in their order, and the numbers that the page shows."""

    #: ``game ply fen source`` (the number of the source) and all else that the page draws.
    rows: list[dict[str, Any]]
    matches: int
    games: int


class Searches:
    """The workbench's searches over some sources, as its page sends them; no browser, no socket.

    Args:
        client: Starlette's client of the application.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        #: The last line of the last search.
        self.end: dict[str, Any] = {}

    def find(self, where: str, **given: Any) -> Matches:
        """The matches of a condition; ``limit``, ``skip`` and ``source`` as the page names them."""
        *rows, end = self._lines("find", {"where": where, "limit": 10**9} | given)
        self.end = end
        return Matches([row for row in rows if row["type"] == "match"], end["matches"], end["matched_games"])

    def sql(self, statement: str, **given: Any) -> list[dict[str, Any]]:
        """The rows of a statement, as JSON has them: sets are lists of squares."""
        *_, end = self._lines("sql", {"statement": statement} | given)
        return [dict(zip((it["name"] for it in end["columns"]), row, strict=True)) for row in end["rows"]]

    def game(self, number: int, **given: Any) -> dict[str, Any]:
        """A game as the page opens it; ``source``, ``where``."""
        return self._lines("game", {"game": number} | given)[-1]

    def file(self, suffix: str, **given: Any) -> bytes:
        """The file that the page downloads, of matches (``where``) or of rows (``statement``)."""
        answer = self.client.get(f"/api/file/setwise{suffix}", params=given)
        if answer.status_code != 200:
            raise Refused(answer.json()["error"])
        return bytes(answer.content)

    def drop(self, name: str, content: bytes) -> str:
        """Drop a file on the page; its key, which searches take as ``file``."""
        return str(self.client.post("/api/upload", params={"name": name}, content=content).json()["file"])

    def _lines(self, task: str, given: dict[str, Any]) -> list[dict[str, Any]]:
        answer = self.client.post(f"/api/search/{task}", json=given)
        lines = [json.loads(line) for line in answer.text.splitlines()]
        if "error" in lines[-1]:
            raise Refused(lines[-1]["error"])
        return lines


@contextlib.contextmanager
def searches(*sources: str | Path) -> Iterator[Searches]:
    """The searches of a workbench that is open on some sources, without bounds of matches and rows.

    Example::

        with searches(FAMOUS_GAMES) as bench:
            found = bench.find("is_checkmate")
            found.matches, [(row["game"], row["ply"], row["fen"]) for row in found.rows]
            bench.sql("select count(*) n from games")
    """
    for name in ("starlette", "httpx2"):
        pytest.importorskip(name, reason="the workbench needs the extra web, its test client httpx2")
    from starlette.testclient import TestClient

    from setwise.web.limits import ServerLimits
    from setwise.web.server import application

    limits = ServerLimits(answer_processes=1, matches=10**9, rows=10**9)
    with TestClient(application(list(map(str, sources)), limits=limits), base_url="http://localhost") as client:
        yield Searches(client)


def ask(bench: Any, question: str, **given: Any) -> dict[str, Any]:
    """The answer to a question, or what is wrong with it."""
    answer = bench.post(f"/api/ask/{question}", json=given)
    assert answer.status_code in {200, 422}, answer.text
    return answer.json()  # type: ignore[no-any-return]


def lines(bench: Any, task: str, **given: Any) -> list[dict[str, Any]]:
    """All lines of a search."""
    answer = bench.post(f"/api/search/{task}", json=given)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def last(bench: Any, task: str, **given: Any) -> dict[str, Any]:
    """The last line of a search."""
    return lines(bench, task, **given)[-1]
