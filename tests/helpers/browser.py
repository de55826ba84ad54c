"""The workbench in a real browser: pages that complain of every fault, and how they are clicked, dragged and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("uvicorn", reason="the workbench needs the extra web")
pytest.importorskip("playwright", reason="playwright drives the browser")

from playwright.sync_api import Browser, Page, expect, sync_playwright

from helpers.data import FAMOUS_GAMES
from helpers.programs import needed
from helpers.web import workbench
from setwise import Position

#: Milliseconds until something counts as missing: a machine may have much else to do, and something may compile.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
FORK = "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"
ROYAL = "own_safe_royal_fork_squares <> 0"
RESULTS = "select result, count(*) games from games group by all order by all"
NOTED = """[White "Clock"]
[Black "Engine"]
[Result "1-0"]

1. e4 { [%clk 0:05:00] [%eval 0.3] best by test } 1... e5 { [%clk 0:04:59] [%eval 0.2] }
2. Nf3 { [%clk 0:04:58] [%eval 0.25] } 2... f6? { [%clk 0:04:40] [%eval 1.4] } 3. Nxe5 { [%eval 0.9] } 1-0
"""
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
VIEWS = {
    "games": "",
    "mine": "?" + urlencode({"tab": "mine", "who": "capablanca"}),
    "form": "search?" + urlencode({"q": "player('kasparov')", "per": "1", "chip": "player:kasparov"}),
    "board": "board?" + urlencode({"fen": FORK, "on": "white_safe_fork_squares", "about": "white_safe_fork_squares"}),
    "tree": "board?" + urlencode({"tree": "1"}),
    "steps": "board?" + urlencode({"on": "white:fills.north_fill", "about": "white:fills.north_fill", "step": "1"}),
    "bitboards": "bitboards?" + urlencode({"x": "knight.attacks(squares('d4'))", "map": "a8b8"}),
    "search": "search?" + urlencode({"q": ROYAL}),
    "solve": "solve",
    "game": "board?" + urlencode({"q": ROYAL, "hit": "1", "game": "0.34.67", "on": ROYAL.split(maxsplit=1)[0]}),
    "rows": "search?" + urlencode({"q": RESULTS}),
}
#: What the page says where nobody answers.
AWAY = "The workbench does not answer. If it has ended, start it again (setwise web); else try again in a moment."
#: What each view shows when it is complete.
COMPLETE = {
    "games": "#games-table tbody tr >> nth=20", "mine": "#mine-answer .part >> nth=3", "form": ".match >> nth=2",
    "board": "#about pre", "tree": "#tree-moves tbody tr >> nth=3", "steps": ".step-list .now",
    "bitboards": "#sources dd >> nth=7", "search": ".match >> nth=2",
    "solve": "#exercise .pieces use >> nth=4", "game": "#moves [aria-current]", "rows": "#answer .scores rect >> nth=2",
}  # fmt: skip


def served() -> Iterator[str]:
    """The address of a workbench that serves the famous games."""
    needed("chromium")
    Position().feature("black_hanging")  # compiled, if that is still to do
    with workbench(FAMOUS_GAMES) as (found, _):
        yield found


def launched() -> Iterator[Browser]:
    """A browser."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=needed("chromium"), args=["--no-sandbox"])
        yield opened
        opened.close()


def opened_page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that complains of every error, and of every request to another place."""
    context = browser.new_context(viewport=WIDE, base_url=address, reduced_motion="reduce")
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on(
        "console", lambda said: faults.append(said.text) if said.type == "error" and " 422 " not in said.text else 0
    )
    opened.on(
        "request",
        lambda asked: faults.append(asked.url) if not asked.url.startswith((address, "blob:", "data:")) else 0,
    )
    yield opened
    context.close()
    assert faults == []


def show(page: Page, view: str) -> None:
    page.goto(VIEWS[view])
    page.wait_for_selector(COMPLETE[view])


def drawer(page: Page, name: str) -> None:
    """Open a drawer beside the board: tree, patterns, likes, setup."""
    page.locator(f"#{name} > summary").click()


def condition(page: Page, text: str) -> None:
    """Write a condition into its field, which is behind its button while no condition is shown."""
    if not page.locator("#question").is_visible():
        page.locator("#by-condition > summary").click()
    page.fill("#question", text)


def square(page: Page, name: str, board: str = "#position") -> Any:
    return page.locator(f"{board} [data-square={name}]")


def middle(page: Page, name: str, board: str = "#position") -> tuple[float, float]:
    box = square(page, name, board).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def shows_fen(page: Page, fen: str) -> None:
    expect(page.locator("#fen")).to_have_value(fen)


AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
