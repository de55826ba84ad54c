"""How quick the workbench is: ``python benchmarks/web.py [GAMES.pgn] [--browser /usr/bin/chromium]``.

The first view, the board and a switch are timed in a browser (with playwright, where it is there): from the address to
the list of games, whose first answer counts them all, to the board, and from the click to the next frame that shows the
marks. The first match of a search, and of a form, is timed from the question to its line, a tree to its end. Then ten
searches are asked at once, and while they run the board is asked over and over; memory is what all processes take
together, what they share counted once (Linux).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import Missing
from peers import program

FORK = "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"
SEARCHES = {
    "a common pattern": "white_passed_pawns <> 0",
    "a pattern of the language": "knight.attacks(white_knights) & black_king <> 0",
    "a fork that wins": "own_safe_royal_fork_squares <> 0",
}
FORMS = {
    "a player": {"player": "Kasparov"},
    "a player who won with Black": {"player": "Karpov", "color": "black", "result": "won"},
    "an opening and a phase": {"opening": "B9", "phase": "endgame"},
    "a material": {"material": "KRP v KR"},
}
GAMES = Path(__file__).resolve().parents[1] / "examples" / "famous_games.pgn"
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


def first_match(address: str, where: str) -> float:
    """The seconds until the first match."""
    began = time.perf_counter()
    with sent(f"{address}api/search/find", {"where": where, "limit": 10}) as answer:
        for line in answer:
            if json.loads(line)["type"] == "match":
                return time.perf_counter() - began
    return float("nan")


def first_of_form(address: str, form: dict[str, str]) -> float:
    """The seconds until the first match of a form, one a game, the condition included."""
    began = time.perf_counter()
    with sent(f"{address}api/ask/condition", {"form": form}) as answer:
        where = json.load(answer)["where"]
    with sent(f"{address}api/search/find", {"where": where, "limit": 10, "per_game": 1}) as answer:
        for line in answer:
            if json.loads(line)["type"] == "match":
                return time.perf_counter() - began
    return float("nan")


def whole_tree(address: str) -> float:
    """The seconds until the tree of the start position is complete."""
    began = time.perf_counter()
    with sent(f"{address}api/search/tree", {"fen": ""}) as answer:
        answer.read()
    return time.perf_counter() - began


def memory(pid: int) -> float:
    """Megabytes of a process and all below it, what they share counted once; NaN where that is not told."""
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
    return total / 1024 if total else float("nan")


def in_browser(address: str, browser: str | None) -> None:
    """The first view, and a switch."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        print("first view, switch: not measured, as playwright is not here")
        return
    try:
        browser = browser or program("chromium")
    except Missing as error:
        print(f"first view, switch: not measured, as {error}")
        return
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        firsts, tables = [], []
        for _ in range(5):
            page = opened.new_context().new_page()
            began = time.perf_counter()
            page.goto(address)
            page.wait_for_selector("#view-games:not([hidden])")
            page.wait_for_function("document.querySelector('#games-status').textContent !== ''")
            firsts.append(time.perf_counter() - began)
            page.wait_for_selector("#games-table tbody tr")
            tables.append(time.perf_counter() - began)
        views = []
        for _ in range(5):
            page = opened.new_context().new_page()
            began = time.perf_counter()
            page.goto(f"{address}board")
            page.wait_for_selector("#position .pieces use")
            page.wait_for_selector("button[data-on]")
            views.append(time.perf_counter() - began)
        page.goto(f"{address}board?fen={FORK.replace(' ', '+')}")
        page.wait_for_selector("button[data-on]")
        switched = []
        for on in 2 * SWITCHES:
            page.wait_for_timeout(300)
            switched.append(page.evaluate(SWITCH, on))
        opened.close()
    tell("first view, the head of the games", firsts, 1.0)
    tell("the table of games complete, the first time", tables[:1], 3.0)
    tell("the table of games complete, later", tables[1:], 1.0)
    tell("the board and all its switches", views, 1.0)
    for name, some in (("on", switched[: len(SWITCHES)]), ("off again", switched[len(SWITCHES) :])):
        tell(f"a switch {name}, from the click to the frame", [it / 1000 for it in some], 0.05)


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


def tell(what: str, seconds: list[float], goal: float) -> None:
    """A line: the median, the extremes, and the mark that was set."""
    middle, low, high = statistics.median(seconds), min(seconds), max(seconds)
    print(
        f"{what:<62}{1000 * middle:7.0f} ms  ({1000 * low:.0f} to {1000 * high:.0f}; mark {1000 * goal:.0f})",
        flush=True,
    )


def at_once(address: str, pid: int) -> None:
    """Ten searches at a time, and the board meanwhile."""
    wheres = list(SEARCHES.values())
    firsts: list[float] = []
    threads = [
        threading.Thread(target=lambda where=where: firsts.append(through(address, where)))
        for where in (wheres[k % len(wheres)] for k in range(AT_ONCE))
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    answers, most = [], 0.0
    while any(thread.is_alive() for thread in threads):
        answers.append(ask(address, "board", {"fen": FORK, "on": ["white_safe_fork_squares", "white:knight.attacks"]}))
        most = max(most, memory(pid))
        time.sleep(0.1)
    print(f"{AT_ONCE} searches at once, all read to the end: {time.perf_counter() - began:.1f} s")
    tell(f"the board meanwhile, {len(answers)} times", answers, 0.2)
    print(f"memory meanwhile, all processes: {most:.0f} MB at the most (mark 700)")


def through(address: str, where: str) -> float:
    """Read a search to its end."""
    began = time.perf_counter()
    with sent(f"{address}api/search/find", {"where": where, "limit": 60}) as answer:
        answer.read()
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="?", type=Path, default=GAMES, help="a file of games")
    parser.add_argument("--browser", help="a browser for playwright, else chromium")
    given = parser.parse_args()
    print(f"{given.games.name}, {given.games.stat().st_size / 1e6:.0f} MB")
    began = time.perf_counter()
    with workbench(given.games) as (address, pid):
        print(f"from the command to the first answer: {time.perf_counter() - began:.1f} s")
        in_browser(address, given.browser)
        tell("a question about the board", [ask(address, "board", {"fen": FORK, "on": []}) for _ in range(20)], 0.05)
        for name, where in SEARCHES.items():
            tell(f"the first match of {name}", [first_match(address, where) for _ in range(5)], 0.3)
        for name, form in FORMS.items():
            tell(f"the first match of a form, {name}", [first_of_form(address, form) for _ in range(5)], 0.3)
        tell("the tree of the start position", [whole_tree(address) for _ in range(3)], 2.0)
        print(f"memory at rest: {memory(pid):.0f} MB")
        at_once(address, pid)


if __name__ == "__main__":
    main()
