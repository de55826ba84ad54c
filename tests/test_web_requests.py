"""What a request may bring to the workbench: names from fixed lists, values of their kinds, nothing that breaks it."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")
pytest.importorskip("httpx2", reason="Starlette's test client needs httpx2")

from starlette.testclient import TestClient

from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from setwise import Position
from setwise.corpus.outputs import downloads
from setwise.errors import QueryError
from setwise.web import answers, searching, workers
from setwise.web.limits import QUESTIONS, SEARCHES, ServerLimits, checked_arguments
from setwise.web.server import application

SOURCES = [str(FAMOUS_GAMES)]
MATE = "is_checkmate"


@pytest.fixture(scope="module")
def bench() -> Iterator[TestClient]:
    limits = ServerLimits(answer_processes=1)
    app = application(SOURCES, limits=limits)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


# ------------------------------------------------------------------------------------------------------ what is written


@pytest.mark.parametrize(
    "suffix",
    ["/../x.csv", ".csv/../../x.csv", "/../../../x.pgn", ".csv/../x.pgn", ".PGN", ".txt", "", "x.csv", ".csv\0", ".\n"],
)
def test_a_file_is_written_by_its_own_name_alone(tmp_path: Path, suffix: str) -> None:
    """Whatever end of a name comes from a browser, no file but one of the process's own is there afterwards."""
    folder = tmp_path / "process" / "own"
    folder.mkdir(parents=True)
    (folder / "setwise").mkdir()  # so that a way through it leads somewhere
    (folder / "setwise.csv").mkdir()
    kept = folder / "x.csv"
    kept.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    given = {"suffix": suffix, "where": MATE}
    [told] = [json.loads(line) for line in searching.run("write", given, SOURCES, ServerLimits(), str(folder))]
    assert (told["type"], "files are written as" in told["error"]) == ("error", True)
    assert sorted(tmp_path.rglob("*")) == before
    assert kept.read_text() == "mine"


def test_the_ends_that_are_known_are_written(tmp_path: Path) -> None:
    for suffix in downloads():
        given = {"suffix": suffix, "where": MATE}
        [told] = [json.loads(line) for line in searching.run("write", given, SOURCES, ServerLimits(), str(tmp_path))]
        assert Path(told["path"]) == tmp_path / f"setwise{suffix}"
    assert {path.suffix for path in tmp_path.iterdir()} == set(downloads())


def test_columns_of_one_name_are_shown_in_order_and_refused_where_names_must_differ(tmp_path: Path) -> None:
    statement = "select 'x' as a, 'y' as a, 1 as games, 0.5 as score"
    [told] = [json.loads(line) for line in searching.run("sql", {"statement": statement}, SOURCES, ServerLimits(), "")]
    assert [it["name"] for it in told["columns"]] == ["a", "a", "games", "score"]
    assert (told["rows"], told["scores"]) == ([["x", "y", 1, 0.5]], None)
    given = {"statement": statement, "suffix": ".parquet"}
    [told] = [json.loads(line) for line in searching.run("write", given, SOURCES, ServerLimits(), str(tmp_path))]
    assert told["error"].startswith("parquet cannot hold two columns of the same name, 'a': ")


def test_nobody_writes_by_asking_for_a_search(bench: TestClient, tmp_path: Path) -> None:
    mine = tmp_path / "mine.pgn"
    mine.write_text("mine")
    for suffix in (f"/../../../..{mine}", ".pgn", str(mine)):
        answer = bench.post("/api/search/write", json={"suffix": suffix, "where": MATE})
        assert (answer.status_code, "there is no search write" in answer.json()["error"]) == (404, True)
    assert mine.read_text() == "mine"


def test_only_what_a_page_needs_can_be_asked(bench: TestClient) -> None:
    """What the workbench asks itself, such as the whole paths of the files, it tells nobody else."""
    assert set(answers._questions) - set(QUESTIONS) == {"files", "stored_tree"}
    for question in ("files", "stored_tree", "nothing", "__class__", "answer"):
        answer = bench.post(f"/api/ask/{question}", json={})
        assert answer.status_code == 404
        assert str(FAMOUS_GAMES) not in answer.text


@pytest.mark.parametrize(
    "query",
    ["suffix=.csv", "folder=/tmp", "task=find", "limits=1", "self=1", "where=ply%20%3D%200&path=/etc/x", "given=1"],
)
def test_a_file_is_asked_for_by_few_names(bench: TestClient, query: str) -> None:
    answer = bench.get(f"/api/file/x.csv?{query}")
    assert (answer.status_code, "a file has no parameter" in answer.json()["error"]) == (422, True)


@pytest.mark.parametrize("source", ["-1", "9", "x", "", "²", "1" * 5000, "0x0", "1.0", "٣"])
def test_a_source_is_asked_for_by_its_number(bench: TestClient, source: str) -> None:
    answer = bench.get("/api/file/x.csv", params={"where": MATE, "source": source})
    assert (answer.status_code, "there is no source" in answer.json()["error"]) == (422, True)


# ------------------------------------------------------------------------------------------------------ what is brought

#: A value of each kind that JSON has, and some that only look like a text or a number.
VALUES: list[Any] = [None, True, 5, -1, 10**30, 0.5, "", "x", "\ud800", "\0", [], [5], ["x"], [[]], {}, {"fen": ""}]


def test_a_value_of_a_wrong_kind_is_told_in_a_sentence(bench: TestClient) -> None:
    """Each argument of each question, each kind of value; the process that answers lives through all of them."""
    workers = bench.app.app.state.workers  # type: ignore[attr-defined]
    bench.post("/api/ask/hello", json={})
    [process] = workers._all
    asked = refused = 0
    for question in set(QUESTIONS) - {"catalogue"}:
        parameters = inspect.signature(answers._questions[question]).parameters
        arguments = {name: it for name, it in parameters.items() if it.kind is it.KEYWORD_ONLY}
        needed = {
            "fen": "", "move": "e4", "text": "e4", "on": "white_king", "name": "ply", "number": 1, "chips": [],
            "what": "pieces", "table": "0" * 24, "player": "",
            "exercise": {"fen": Position().fen(), "solution": "d2d4"},
        }  # fmt: skip
        usual = {name: needed[name] for name, it in arguments.items() if it.default is it.empty}
        for name in [*arguments, "sources", "tables", "self"]:
            for value in VALUES:
                answer = bench.post(f"/api/ask/{question}", content=json.dumps(usual | {name: value}).encode())
                asked += 1
                assert answer.status_code in {200, 422}, (question, name, value, answer.text)
                if answer.status_code == 422:
                    refused += 1
                    assert "Error" not in answer.json()["error"], (question, name, value, answer.text)
    assert asked > 300
    assert refused > asked // 2
    assert workers._all == {process}


_USUAL: tuple[dict[str, Any], ...] = (
    {"where": MATE}, {"statement": "select 1"}, {"game": 1}, {}, {"fen": ""}, {"where": MATE}, {"fen": ""},
)  # fmt: skip


def test_a_search_takes_what_it_knows_of_the_kind_that_it_is(bench: TestClient) -> None:
    for task, usual in zip(SEARCHES, _USUAL, strict=True):
        for number, name in enumerate([*usual, "source", "sources", "folder", "limits", "suffix"]):
            every = ({}, 0.5, [5], None)  # each is a process
            for value in depth(every[number % 4 :][:1], every):
                answer = bench.post(f"/api/search/{task}", json=usual | {name: value})
                told = json.loads(answer.text.splitlines()[-1])
                assert told["type"] == "error"
                assert "Error" not in told["error"], (task, name, value, told)


@pytest.mark.parametrize("name", ["limit", "skip"])
def test_how_many_matches_is_no_negative_number(bench: TestClient, name: str) -> None:
    answer = bench.post("/api/search/find", json={"where": MATE, name: -5})
    [told] = map(json.loads, answer.text.splitlines())
    assert told == {"type": "error", "error": f"{name} is a whole number, 0 or more, not -5"}


def test_what_is_missing_is_told() -> None:
    with pytest.raises(QueryError, match=r"^fen is missing, a text$"):
        checked_arguments(answers._questions["board"], {})
    with pytest.raises(QueryError, match=r"^fen is a text, not 5$"):
        checked_arguments(answers._questions["board"], {"fen": 5})
    with pytest.raises(QueryError, match=r"^number is a whole number, not True$"):
        checked_arguments(answers._questions["start960"], {"number": True})


# ------------------------------------------------------------------------------------------------------------- the door


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://["}, 403), ({"origin": "["}, 403),
        ({"content-length": "9" * 5000}, 413), ({"content-length": "-1"}, 413), ({"content-length": "\u00b2"}, 413),
    ],
)  # fmt: skip
def test_a_header_that_is_none_is_refused(bench: TestClient, headers: dict[str, str], status: int) -> None:
    raw = {name: value.encode("utf-8") for name, value in headers.items()}
    answer = bench.post("/api/ask/hello", content=b"{}", headers=raw)  # type: ignore[arg-type]
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("𐌰" * 80 + ".pgn", "𐌰" * 19 + ".pgn"), ("a" * 300, "a" * 80), ("-", "games.pgn"), ("..", "games.pgn"),
        ("", "games.pgn"), ("../../etc/passwd", "_.._etc_passwd"), (".-.x.pgn", "x.pgn"), ("a\0b.pgn", "a_b.pgn"),
        ("[a-z]*.pgn", "_a-z__.pgn"),
    ],
)  # fmt: skip
def test_a_file_that_is_dropped_keeps_the_end_of_its_name(bench: TestClient, name: str, kept: str) -> None:
    answer = bench.post("/api/upload", params={"name": name}, content=b"1. e4 e5 *")
    assert (answer.status_code, answer.json()["name"]) == (200, kept)
    found = bench.post("/api/search/find", json={"file": answer.json()["file"], "where": "ply = 2"})
    assert json.loads(found.text.splitlines()[-1])["matches"] == 1


def test_a_disk_that_is_full_is_told(bench: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    folder = Path(bench.app.app.state.workers.folder)  # type: ignore[attr-defined]
    before = set(folder.glob("dropped-*"))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", full)
        answer = bench.post("/api/upload?name=a.pgn", content=b"1. e4 *")
    assert (answer.status_code, "No space left" in answer.json()["error"]) == (507, True)
    assert set(folder.glob("dropped-*")) == before


@pytest.mark.parametrize(
    "path",
    ["/static/%00", "/static/" + "a" * 5000, "/api/ask/%00", "/api/file/%00", "/api/file/.csv", "/%ff", "/api/file/x"],
)
def test_an_address_that_is_none_is_not_found(bench: TestClient, path: str) -> None:
    assert bench.get(path).status_code in {404, 405, 422}


def test_the_time_of_a_search_begins_again_when_something_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(0, 60)
    monkeypatch.setattr(workers.time, "monotonic", lambda: next(clock))
    lines, times = [b"{}", workers._COMPILING, b"{}", None], list[float]()

    class Process:
        def line(self, until: float) -> bytes | None:
            times.append(until)
            return lines[len(times) - 1]

    async def searched() -> list[bytes]:
        searching = workers.Workers([], [], ServerLimits(search_time=300))
        searching._searching, searching._loop = asyncio.Semaphore(1), asyncio.get_running_loop()
        searching._threads = None

        async def started(*_: Any) -> Any:
            return Process()

        async def in_thread(function: Any, *arguments: Any) -> Any:
            return function(*arguments)

        monkeypatch.setattr(searching, "_started", started)
        monkeypatch.setattr(searching, "_in_thread", in_thread)
        monkeypatch.setattr(searching, "_end", lambda *_: Future())
        return [line async for line in searching.search("find")]

    assert asyncio.run(searched()) == lines[:-1]
    assert times[0] == times[1] < times[2] == times[3]
