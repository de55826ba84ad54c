"""How quick the workbench is: a topic of ``run.py``, or ``python benchmarks/web.py [GAMES.pgn]`` alone.

The first view, the table of games, the board and a switch are timed in a browser (with playwright, where it is there):
from the address to the number of games and to the whole table, to the board, and from the click to the next frame that
shows the marks. The first match of a search, and of chips, is timed from the question to its line, a tree to its end,
from the games and from an index of them. Then ten searches are sent at once, and while they run a question about the
board is sent again and again; memory is what all processes take together, what they share counted once (Linux).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from games import repeated
from harness import FULL, QUICK, Missing, Plan, Row, topic
from peers import program

import setwise

FORK = "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
#: The marks are meant for a file of this size: a smaller one is repeated.
SIZE = 277_000_000
#: The browser, if it is not Debian's.
browser_path: str | None = None
SEARCHES = {
    "a common pattern": "white_passed_pawns <> 0",
    "a pattern of the language": "knight.attacks(white_knights) & black_king <> 0",
    "a fork that wins": "own_safe_royal_fork_squares <> 0",
}
CHIPS = {
    "a player": ["player:Kasparov"],
    "a player who won with Black": ["player:Karpov", "side:black", "result:won"],
    "an opening and a phase": ["opening:B9", "phase:endgame"],
    "a material": ["material:KRP v KR"],
}
AT_ONCE = 10
SWITCHES = (
    "white_attacks", "white_safe_fork_squares", "black_hanging", "white_pawn_attacks", "black_holes", "white_pins",
)  # fmt: skip


@contextlib.contextmanager
def workbench(games: Path) -> Iterator[tuple[str, int]]:
    """A running workbench: its address and its process."""
    command = [sys.executable, "-m", "setwise", "web", "--no-open", str(games)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603  (of our own making)
        try:
            line = process.stderr.readline() if process.stderr else ""
            found = re.search(r"http://\S+", line)
            if found is None:
                raise SystemExit(line)
            ask(found[0], "hello", {})
            yield found[0], process.pid
        finally:
            process.terminate()


def sent(url: str, given: dict[str, Any]) -> Any:
    """The answer to a question, as it comes."""
    request = urllib.request.Request(url, json.dumps(given).encode(), {"content-type": "application/json"})  # noqa: S310
    return urllib.request.urlopen(request, timeout=600)  # noqa: S310  (of our own making)


def ask(address: str, question: str, given: dict[str, Any]) -> float:
    """The seconds that an answer takes."""
    began = time.perf_counter()
    with sent(f"{address}api/ask/{question}", given) as answer:
        answer.read()
    return time.perf_counter() - began


def first_match(address: str, where: str, **given: Any) -> float | None:
    """The seconds until the first match; None if there is none."""
    began = time.perf_counter()
    with sent(f"{address}api/search/find", {"where": where, "limit": 10, **given}) as answer:
        for line in answer:
            if json.loads(line)["type"] == "match":
                return time.perf_counter() - began
    return None


def first_of_chips(address: str, chips: list[str]) -> float | None:
    """The seconds until the first match of chips, one a game, the condition included; None if there is none."""
    began = time.perf_counter()
    with sent(f"{address}api/ask/condition", {"chips": chips}) as answer:
        where = json.load(answer)["where"]
    asked = time.perf_counter() - began
    found = first_match(address, where, per_game=1)
    return None if found is None else asked + found


def whole_tree(address: str, fen: str = "", by: str = "move") -> float:
    """The seconds until the tree of a position is complete."""
    began = time.perf_counter()
    with sent(f"{address}api/search/tree", {"fen": fen, "by": by}) as answer:
        answer.read()
    return time.perf_counter() - began


def memory(pid: int) -> float | None:
    """Megabytes of a process and all below it, what they share counted once; None where the system does not say."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    family, new = {pid}, {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - family
        family |= new
    total = 0
    for member in family:
        with contextlib.suppress(OSError):
            rollup = Path(f"/proc/{member}/smaps_rollup").read_text()
            total += sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total / 1024 if total else None


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise Missing("playwright is not installed (pip install playwright)") from None
    path = browser_path or program("chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@topic("web")
def in_a_browser(plan: Plan) -> Iterator[Row]:
    """The first view, the table of games, the board, and a switch."""
    rounds = plan.size(5, 2)
    firsts, rows, tables, views, switched = [], [], [], [], []
    with browser() as opened, workbench(repeated(plan, SIZE)) as (address, _):
        for _ in range(rounds):
            page = opened.new_context().new_page()
            began = time.perf_counter()
            page.goto(address)
            page.wait_for_selector("#view-games:not([hidden])")
            page.wait_for_function("document.querySelector('#games-status').textContent !== ''")
            firsts.append(time.perf_counter() - began)
            page.wait_for_selector("#games-table tbody tr")
            rows.append(time.perf_counter() - began)
            page.wait_for_selector("#games-table tbody:not(.early) tr")
            tables.append(time.perf_counter() - began)
            page.context.close()
        for _ in range(rounds):
            page = opened.new_context().new_page()
            began = time.perf_counter()
            page.goto(f"{address}board")
            page.wait_for_selector("#position .pieces use")
            page.wait_for_selector("button[data-on]", state="attached")
            views.append(time.perf_counter() - began)
        page.goto(f"{address}board?fen={FORK.replace(' ', '+')}")
        page.locator("#patterns > summary").click()
        page.wait_for_selector("button[data-on]")
        for on in 2 * SWITCHES:
            page.wait_for_timeout(300)
            switched.append(page.evaluate(SWITCH, on) / 1000)
    yield timed("first view: how many games there are", firsts, 1.0)
    yield timed("the first rows of the table of games", rows[:1])
    yield timed("the whole table of games, the first time", tables[:1], 3.0)
    yield timed("the whole table of games, later", tables[1:], 1.0)
    yield timed("the board and all its switches", views, 1.0)
    yield timed("a switch on, from the click to the frame", switched[: len(SWITCHES)], 0.05)
    yield timed("a switch off again", switched[len(SWITCHES) :], 0.05)


SWITCH = """async on => {
    const button = document.querySelector(`button[data-on=${on}]`);
    const drawn = new Promise(done => new MutationObserver(done).observe(
        document.querySelector("#position"), { childList: true }));
    const began = performance.now();
    button.click();
    await drawn;
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));  // behind the frame that shows it
    return performance.now() - began;
}"""


def timed(work: str, seconds: list[float], target: float | None = None) -> Row:
    """The median and the extremes of some times."""
    return Row(
        work, statistics.median(seconds), "s", "", target, at_most=True, low=min(seconds), high=max(seconds),
        seconds={"setwise": seconds},
    )  # fmt: skip


def at_once(address: str, pid: int) -> Iterator[Row]:
    """Ten searches at a time, and the board meanwhile."""
    wheres = list(SEARCHES.values())
    ends: list[float] = []
    threads = [
        threading.Thread(target=lambda where=where: ends.append(through(address, where)))
        for where in (wheres[k % len(wheres)] for k in range(AT_ONCE))
    ]
    for thread in threads:
        thread.start()
    answers, most = [], 0.0
    while any(thread.is_alive() for thread in threads):
        answers.append(ask(address, "board", {"fen": FORK, "on": ["white_safe_fork_squares", "white:knight.attacks"]}))
        most = max(most, memory(pid) or 0)
        time.sleep(0.1)
    yield timed(f"{AT_ONCE} searches at once, all read to the end: the last", [max(ends)])
    yield timed("a question about the board meanwhile", answers, 0.2)
    if most:
        yield Row("memory meanwhile, all processes", most, "MB", "", 700, at_most=True)


def through(address: str, where: str) -> float:
    """Read a search to its end."""
    began = time.perf_counter()
    with sent(f"{address}api/search/find", {"where": where, "limit": 60}) as answer:
        answer.read()
    return time.perf_counter() - began


@topic("web")
def searches(plan: Plan) -> Iterator[Row]:
    """First matches, the tree of moves, and ten searches at once."""
    rounds = plan.size(5, 1)
    games = repeated(plan, SIZE)
    with workbench(games) as (address, pid):
        for what, find, questions in (("", first_match, SEARCHES), ("chips, ", first_of_chips, CHIPS)):
            for name, question in questions.items():
                seconds = [find(address, question) for _ in range(rounds)]
                if None not in seconds:
                    yield timed(f"the first match of {what}{name}", seconds, 0.3)
        trees = [whole_tree(address) for _ in range(rounds)]
        yield timed(f"the tree of the start position, {games.stat().st_size / 1e6:.0f} MB of PGN", trees, 2.0)
        if (at_rest := memory(pid)) is not None:
            yield Row("memory at rest, all processes", at_rest, "MB")
        yield from at_once(address, pid)


@topic("web")
def trees_of_an_index(plan: Plan) -> Iterator[Row]:
    """Trees that an index of the same games has stored."""
    with tempfile.TemporaryDirectory(prefix="setwise-bench-") as folder:
        index = Path(folder, "games.index")
        setwise.index(repeated(plan, SIZE), index)
        with workbench(index) as (address, _):
            for name, fen in (("the start position", ""), ("1. e4", AFTER_E4)):
                for by in ("move", "position"):
                    whole_tree(address, fen, by)
                    seconds = [whole_tree(address, fen, by) for _ in range(plan.size(9, 1))]
                    yield timed(f"the tree of {name} by {by}, from an index", seconds, 0.1)


def main() -> None:
    """Measure and print."""
    from run import columns, line

    global browser_path  # noqa: PLW0603
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="?", type=Path, help="a file of games, else BENCH_PGN or that of run.py")
    parser.add_argument("--browser", help="a browser for playwright, else chromium")
    parser.add_argument("--quick", action="store_true", help="little work, to see that all runs")
    given = parser.parse_args()
    browser_path = given.browser
    if given.games is not None:
        os.environ["BENCH_PGN"] = str(given.games)
    plan = QUICK if given.quick else FULL
    print(columns("work", "", "value", "least–most", "", "target", ""))
    for benchmark in (in_a_browser, searches, trees_of_an_index):
        try:
            for row in benchmark(plan):
                print(line(row), flush=True)
        except Missing as reason:
            print(f"skipped: {reason}")


if __name__ == "__main__":
    main()
