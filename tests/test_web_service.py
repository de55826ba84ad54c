"""The workbench as a service: what nobody reaches, what a request may carry, what is ended, how it starts and stops."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")
pytest.importorskip("httpx2", reason="Starlette's test client needs httpx2")

from starlette.testclient import TestClient

from helpers.data import FAMOUS_GAMES, ROOT
from helpers.depth import depth
from helpers.programs import needed
from helpers.ways_out import conditions_that_reach_out, statements_that_reach_out
from helpers.web import LONG, ask, children, eventually, last, lines, workbench
from setwise.web.limits import TOO_MUCH_MEMORY, ServerLimits
from setwise.web.server import application
from setwise.web.workers import Workers

STATIC = ROOT / "src" / "setwise" / "web" / "static"
FORK = "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"
SOURCES = [str(FAMOUS_GAMES)]


# ----------------------------------------------------------------------------------------------------------- no way out


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("places")
    (folder / "secret.csv").write_text("secret\nhush\n")
    return {"file": str(folder / "secret.csv"), "new": str(folder / "new")}


def test_no_expression_reaches_files_network_or_settings(bench: TestClient, places: dict[str, str]) -> None:
    """Those of the board and of the bitboards; conditions of searches are the same language."""
    tried = conditions_that_reach_out()
    assert len(tried) > 100
    for text in (form.format(**places) for form in tried[:: depth(2, 1)]):
        assert ask(bench, "desk", text=text).get("error"), text
        [mark] = ask(bench, "board", fen="", on=[text])["marks"]
        assert mark.get("error"), text
    assert not Path(places["new"]).exists()


def test_no_statement_reaches_files_network_or_settings(bench: TestClient, places: dict[str, str]) -> None:
    tried = [text.format(**places) for text in statements_that_reach_out()]
    assert len(tried) > 70
    tried = tried[:: depth(3, 1)]  # each is a process; tests/test_language.py asks all of them in its own
    with ThreadPoolExecutor(8) as pool:
        told = pool.map(lambda text: bench.post("/api/search/sql", json={"statement": text}).text, tried)
    for text, answer in zip(tried, told, strict=True):
        assert json.loads(answer.splitlines()[-1])["type"] == "error", text
        assert "hush" not in answer
    assert not Path(places["new"]).exists()


def test_no_name_reaches_another_file(bench: TestClient) -> None:
    for path in (
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/etc/passwd",
    ):
        assert bench.get(path).status_code == 404
    for given in ({"source": "/etc/passwd"}, {"file": "/etc/passwd"}, {"sources": ["/etc/passwd"]}):
        answer = bench.post("/api/search/find", json={"where": "ply = 0", **given})
        assert answer.status_code == 410 or "error" in answer.text


# ------------------------------------------------------------------------------------------------------------- the door


def test_every_answer_keeps_the_browser_in(bench: TestClient) -> None:
    for answer in (
        bench.get("/"),
        bench.get("/static/main.js"),
        bench.get("/nothing"),
        bench.post("/api/ask/hello", json={}),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_assets_name_no_other_place() -> None:
    """No address but those that name the kinds of XML; no script and no style inside the page."""
    files = [path for path in STATIC.iterdir() if path.suffix in {".js", ".css", ".html", ".svg"}]
    assert len(files) > 10
    for path in files:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.findall(r"""https?:|url\(|@import|import\("|["'(]//""", text), path.name
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)", page)


def test_a_token_opens_the_door_once_and_for_all() -> None:
    """Here the workbench answers to any name, as it does when it is bound to more than this machine."""
    app = application(SOURCES, token="right")  # noqa: S106
    bench = TestClient(app, base_url="http://machine.example", follow_redirects=False)  # no lifespan: nothing is asked
    for path in ("/", "/?token=wrong", "/?token=", "/?token=r%C3%A9", "/static/main.js", "/api/file/x.csv"):
        assert bench.get(path).status_code == 401
    bench.cookies.set("setwise", "wrong")
    assert bench.get("/").status_code == 401
    bench.cookies.clear()
    for host in ("machine.example:80, evil.example", "a@b", "", "machine.example/"):
        assert bench.get("/?token=right", headers={"host": host}).status_code == 400
    opened = bench.get("/bitboards?x=e4&token=right")
    assert (opened.status_code, opened.headers["location"]) == (303, "/bitboards?x=e4")
    assert "HttpOnly" in opened.headers["set-cookie"]
    assert "SameSite=lax" in opened.headers["set-cookie"]
    assert bench.get("/bitboards?x=e4").status_code == 200
    elsewhere = bench.get("http://machine.example//evil.example/?token=right").headers["location"]
    assert elsewhere == "/evil.example/"


def test_a_request_carries_no_more_than_it_may(bench: TestClient) -> None:
    limits = ServerLimits()
    assert bench.post("/api/ask/board", content=b" " * (limits.body + 1)).status_code == 413

    def chunks() -> Iterator[bytes]:  # no length is told beforehand
        for _ in range(2 + limits.body // 1000):
            yield b" " * 1000

    assert bench.post("/api/ask/board", content=chunks()).status_code == 413
    assert bench.post("/api/ask/board", content=b"{}", headers={"content-length": "x"}).status_code in {400, 413}
    assert ask(bench, "board", fen="")["fen"]


def test_files_that_are_dropped_are_bounded_and_go() -> None:
    limits = ServerLimits(upload=1000, uploads=2)
    guard = application(SOURCES, limits=limits)
    with TestClient(guard, base_url="http://localhost") as bench:
        assert bench.post("/api/upload?name=a.pgn", content=b"x" * 1001).status_code == 413
        kept = [bench.post("/api/upload?name=a.pgn", content=b"1. e4 *").json()["file"] for _ in range(3)]
        folders = list(Path(guard.app.state.workers.folder).glob("dropped-*/*"))
        assert len(folders) == 2
        assert bench.post("/api/search/find", json={"file": kept[0], "where": "ply = 0"}).status_code == 410
        assert last(bench, "find", file=kept[2], where="ply = 0")["matches"] == 1
        folder = guard.app.state.workers.folder
    assert not folder.exists()


# --------------------------------------------------------------------------------------------------------------- limits

#: What would take more memory than there is; and ``LONG`` hours in little memory.
LARGE = "length(repeat('x' || ply, 2000000000)) > 0"


@pytest.fixture
def tight() -> Iterator[TestClient]:
    limits = ServerLimits(answer_time=3, search_time=4, memory=256 << 20, answer_processes=1, parallel_searches=2)
    with TestClient(application(SOURCES, limits=limits), base_url="http://localhost") as client:
        yield client


@pytest.mark.slow
@pytest.mark.parametrize("text", [LONG, LARGE])
def test_what_asks_too_much_is_ended_and_the_rest_goes_on(tight: TestClient, text: str) -> None:
    answer = tight.post("/api/ask/desk", json={"text": text})
    assert answer.status_code in {422, 503}
    assert "error" in answer.json()
    assert last(tight, "find", where=text)["type"] == "error"
    assert last(tight, "sql", statement=f"select {text} from positions")["type"] == "error"  # noqa: S608
    assert eventually(lambda: tight.post("/api/ask/desk", json={"text": "e4"}).json().get("names") == ["e4"])
    assert eventually(lambda: last(tight, "find", where="ply = 0").get("matches") == 41)


def test_an_answer_has_no_more_rows_and_matches_than_it_may() -> None:
    limits = ServerLimits(rows=10, matches=5, file_matches=7, html_matches=3)
    with TestClient(application(SOURCES, limits=limits), base_url="http://localhost") as bench:
        told = last(bench, "sql", statement="select ply from positions")
        assert (len(told["rows"]), told["all"]) == (10, 2512)
        assert sum(line["type"] == "match" for line in lines(bench, "find", where="true", limit=10**9)) == 5
        assert len(bench.get("/api/file/x.csv", params={"where": "true"}).text.splitlines()) == 8
        assert bench.get("/api/file/x.html", params={"where": "true"}).text.count("<article") == 3


#: A search with the limits of its process, on a machine of many processors.
ON_MANY_PROCESSORS = """
import json, os, sys
os.cpu_count, os.sched_getaffinity = (lambda: 64), (lambda process: set(range(64)))
from setwise.web import searching, workers
from setwise.web import preload as ready
from setwise.web.limits import TOO_MUCH_MEMORY, ServerLimits
workers._apply_limits(ServerLimits())
source, task, given = sys.argv[1:]
for line in searching.run(task, json.loads(given), [source], ServerLimits(), os.getcwd()):
    pass
print(line.decode())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("find", {"where": "white_passed_pawns <> 0 and knight.attacks(white_knights) <> 0"}),
        ("sql", {"statement": "select result, count(*), max(bit_count(white_pawns)) from positions group by all"}),
        (
            "sql",
            {"statement": "select max(n), count(*) n from (select game, fen, count(*) n from positions group by all)"},
        ),
        (
            "sql",
            {"statement": "select 0, count(*) from positions p join games g on p.game = g.game and p.ply <= g.plies"},
        ),
        ("write", {"where": "next(is_check)", "suffix": ".csv"}),
    ],
)
def test_a_search_has_memory_enough_on_many_processors(tmp_path: Path, task: str, given: dict[str, Any]) -> None:
    games = tmp_path / "games.pgn"
    games.write_bytes(b"\n\n".join([FAMOUS_GAMES.read_bytes()] * 1000))
    ran = subprocess.run(
        [sys.executable, "-c", ON_MANY_PROCESSORS, games, task, json.dumps(given)],
        capture_output=True, cwd=tmp_path, check=True, text=True, timeout=200,
    )  # fmt: skip
    told = json.loads(ran.stdout)
    assert told["type"] in {"done", "answer", "file"}, told
    assert told.get("positions", 2512 * 1000) == 2512 * 1000
    assert sum(row[1] for row in told.get("rows", [])) in {0, 2512 * 1000}


def test_a_search_without_memory_says_what_helps(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_bytes(b"\n\n".join([FAMOUS_GAMES.read_bytes()] * 200))
    limits = ServerLimits(memory=256 << 20)
    with TestClient(application([str(games)], limits=limits), base_url="http://localhost") as bench:
        for statement in ("select a.fen from positions a, positions b", "select repeat(fen, 100) from positions"):
            assert last(bench, "sql", statement=statement)["error"] == TOO_MUCH_MEMORY


def running(workers: Workers) -> int:
    return len(workers._all)


def test_a_search_that_nobody_wants_any_more_ends() -> None:
    async def left() -> None:
        workers = Workers(SOURCES, [], ServerLimits())
        try:
            await workers.start()
            search = workers.search("sql", statement=f"select {LONG} from positions")  # noqa: S608
            pending = asyncio.ensure_future(anext(search))
            for _ in range(6000):
                if running(workers) > workers.limits.answer_processes:
                    break
                await asyncio.sleep(0.05)
            [process] = [it for it in workers._all if it not in workers._free._queue]  # type: ignore[attr-defined]
            assert process.process.is_alive()
            pending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await pending
            await search.aclose()
            for _ in range(6000):
                if process.pipe.closed:
                    break
                await asyncio.sleep(0.05)
            with pytest.raises(ValueError, match="closed"):
                process.process.is_alive()
            assert running(workers) == workers.limits.answer_processes
        finally:
            workers.close()

    asyncio.run(left())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are counted in /proc")
def test_a_browser_that_leaves_ends_its_search_and_the_end_leaves_nothing() -> None:
    with workbench(FAMOUS_GAMES) as (address, process):
        post(address + "api/ask/hello", {})
        before = children(process.pid)
        with opened(request(address + "api/search/find", {"where": LONG})):
            assert eventually(lambda: bool(children(process.pid) - before))
        assert eventually(lambda: children(process.pid) <= before)  # one that was at its end already may have gone
    assert eventually(lambda: not [pid for pid in before if Path(f"/proc/{pid}").exists()])


def request(url: str, given: dict[str, Any]) -> urllib.request.Request:
    headers = {"content-type": "application/json"}
    return urllib.request.Request(url, json.dumps(given).encode(), headers)  # noqa: S310  (of our own making)


def opened(where: str | urllib.request.Request) -> Any:
    return urllib.request.urlopen(where, timeout=120)  # noqa: S310  (of our own making)


def post(url: str, given: dict[str, Any]) -> Any:
    with opened(request(url, given)) as response:
        return json.loads(response.read().splitlines()[-1])


@pytest.mark.slow
def test_ten_searches_at_once_leave_it_alive() -> None:
    with workbench(FAMOUS_GAMES) as (address, _):
        found: list[Any] = []

        def search() -> None:
            found.append(post(address + "api/search/find", {"where": "own_safe_royal_fork_squares <> 0"}))

        threads = [threading.Thread(target=search) for _ in range(10)]
        for thread in threads:
            thread.start()
        answered = [
            post(address + "api/ask/board", {"fen": FORK, "on": ["white_safe_fork_squares"]}) for _ in range(10)
        ]
        for thread in threads:
            thread.join(120)
        assert [line["matches"] for line in found] == [3] * 10
        assert [answer["marks"][0]["count"] for answer in answered] == [1] * 10


def test_too_many_searches_are_told_to_come_again() -> None:
    guard = application(SOURCES, limits=ServerLimits(parallel_searches=1, queued_searches=1))
    workers = guard.app.state.workers
    with TestClient(guard, base_url="http://localhost") as bench, ThreadPoolExecutor(2) as pool:
        under_way = [pool.submit(last, bench, "find", where=LONG)]
        assert eventually(lambda: running(workers) > workers.limits.answer_processes)
        under_way.append(pool.submit(last, bench, "find", where=LONG))
        assert eventually(lambda: workers._waiting == 1)
        for _ in range(2):
            answer = bench.post("/api/search/find", json={"where": LONG})
            assert (answer.status_code, "too many searches wait" in answer.json()["error"]) == (503, True)

        def ended() -> bool:
            for process in list(workers._all):
                process.end()
            return all(it.done() for it in under_way)

        assert eventually(ended)
        assert all("more memory than one search" in it.result()["error"] for it in under_way)


# ---------------------------------------------------------------------------------------------------------- the command


@pytest.mark.slow
def test_the_command_serves_and_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with workbench(FAMOUS_GAMES, "--port", str(port)) as (address, process):
        assert address == f"http://127.0.0.1:{port}/"
        with opened(address) as page:
            assert b'id="piece-K"' in page.read()
        with workbench(FAMOUS_GAMES) as (other, _):
            assert other != address
    assert process.returncode in {0, 143}


@pytest.mark.slow
def test_beyond_this_machine_there_is_a_token() -> None:
    with workbench(FAMOUS_GAMES, "--host", "0.0.0.0") as (address, _):  # noqa: S104
        port = re.search(r":(\d+)/", address)
        assert port is not None
        token = address.partition("?token=")[2]
        assert len(token) >= 32
        local = f"http://127.0.0.1:{port[1]}/"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            opened(local)
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert opener.open(f"{local}?token={token}").status == 200
        assert opener.open(request(f"{local}api/ask/hello", {})).status == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.pgn"], "there is no file nothing.pgn"),
        (["--port", "0"], "not in the range"),
        (["--host", "no such host"], "the server cannot listen on port 0 of no such host"),
    ],
)
def test_a_wrong_command_is_told_in_a_sentence(arguments: list[str], told: str) -> None:
    with pytest.raises(AssertionError, match=told), workbench(*arguments):
        pass


@pytest.mark.slow
def test_patterns_of_ones_own_are_switches(tmp_path: Path) -> None:
    own = tmp_path / "rims.py"
    own.write_text(
        "from setwise import Set, pattern\nfrom setwise.patterns.bits import FILE_A, FILE_H\n\n\n@pattern\n"
        'def rim(knights: Set) -> Set:\n    "Return the knights on the rim."\n    return knights & (FILE_A | FILE_H)\n'
    )
    with workbench(FAMOUS_GAMES, "--load", own) as (address, _):
        with opened(address) as page:
            assert b'data-on="white:rims.rim"' in page.read()
        told = post(address + "api/ask/board", {"fen": "4k3/8/8/8/N6N/8/8/4K3 w - - 0 1", "on": ["white:rims.rim"]})
        assert told["marks"][0]["count"] == 2
        assert post(address + "api/search/find", {"where": "rims.rim(white_knights) <> 0"})["matches"] > 0


@pytest.mark.slow
def test_an_engine_thinks_for_one_page_at_a_time_and_ends_with_it() -> None:
    engine, fen = needed("stockfish"), "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"
    with workbench(FAMOUS_GAMES) as (address, process):
        assert post(address + "api/ask/catalogue", {})["engine"] == ""
        asked = request(address + "api/search/engine", {"fen": fen})
        with opened(asked) as first, opened(asked) as second:
            told = json.loads(first.readline())
            assert (told["type"], told["moves"][0], told["line"][:8]) == ("thought", "c6e7", "1. Ne7+ ")
            assert told["evaluation"] > 300
            assert json.loads(second.readline())["type"] == "waiting"
            assert engines_of(process.pid, engine) == 1
        assert eventually(lambda: engines_of(process.pid, engine) == 0)
        with opened(asked) as answer:
            answer.readline()
            [running] = [it for it in children(process.pid) if runs(it, engine)]
            process.kill()
            assert eventually(lambda: not runs(running, engine))


def runs(pid: int, program: str) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").readlink() == Path(program).resolve()
    except OSError:
        return False


def engines_of(pid: int, program: str) -> int:
    return sum(runs(it, program) for it in children(pid))


def test_no_engine_is_started_for_others_or_by_name() -> None:
    limits = ServerLimits(answer_processes=1, engine="/bin/true")
    with TestClient(application(SOURCES, token="it", limits=limits), base_url="http://localhost") as bench:  # noqa: S106
        bench.cookies.set("setwise", "it")
        assert "only for pages of the machine" in ask(bench, "catalogue")["engine"]
        assert last(bench, "engine", fen="")["error"] == "no engine may be started here"
        assert "no argument engine" in last(bench, "engine", fen="", engine="/bin/true")["error"]
    with TestClient(application(SOURCES), base_url="http://localhost") as bench:
        assert "install Stockfish" in ask(bench, "catalogue")["engine"]


def test_no_pages_are_made_by_a_process_that_knows_chess() -> None:
    """The server itself stays small: what computes are the processes beside it."""
    code = "import setwise.web.server, sys; print([it for it in ('numba', 'pyarrow', 'duckdb') if it in sys.modules])"
    from helpers.processes import python

    assert python("-c", code).strip() == "[]"


def test_folders_are_taken_apart_and_each_match_opens_its_own_game(tmp_path: Path) -> None:
    for number, moves in enumerate(("1. e4 *", "1. d4 *", "1. c4 *")):
        (tmp_path / f"{number}.pgn").write_text(f'[White "{number}"]\n\n{moves}\n')
    with TestClient(application([str(tmp_path)]), base_url="http://localhost") as bench:
        assert ask(bench, "catalogue")["sources"] == ["0.pgn", "1.pgn", "2.pgn"]
        for chosen in ({}, {"source": 1}):
            found = [line for line in lines(bench, "find", where="ply = 1", **chosen) if line["type"] == "match"]
            assert [match["players"] for match in found] == ([f"{it} – ?" for it in "012"] if not chosen else ["1 – ?"])
            for match in found:
                game = last(bench, "game", source=match["source"], game=match["game"])
                assert f"{game['tags']['White']} – ?" == match["players"]
