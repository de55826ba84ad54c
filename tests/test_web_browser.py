"""The workbench as people see it: a real browser that clicks, drags, types, and is asked what a screen reader hears."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("uvicorn", reason="the workbench needs the extra web")
pytest.importorskip("playwright", reason="playwright drives the browser")

from playwright.sync_api import Browser, Page, expect, sync_playwright

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.programs import needed
from helpers.web import LONG, workbench
from setwise import Bitboard, Position, catalogue
from setwise.catalogue.addresses import PORT, SITE, board_address
from setwise.catalogue.examples import statements_of
from setwise.catalogue.steps import steps as steps_of

pytestmark = pytest.mark.slow

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
    "scores": "?" + urlencode({"tab": "scores", "by": "year", "t": "world"}),
    "form": "search?" + urlencode({"q": "player('kasparov')", "per": "1", "form": '{"player":"kasparov"}'}),
    "board": "board?" + urlencode({"fen": FORK, "on": "white_safe_fork_squares", "about": "white_safe_fork_squares"}),
    "tree": "board?" + urlencode({"tree": "1"}),
    "steps": "board?" + urlencode({"on": "white:fills.north_fill", "about": "white:fills.north_fill", "step": "1"}),
    "bitboards": "bitboards?" + urlencode({"x": "knight.attacks(squares('d4'))", "map": "a8b8"}),
    "search": "search?" + urlencode({"q": ROYAL}),
    "game": "search?" + urlencode({"q": ROYAL, "game": "0.34.67"}),
    "rows": "search?" + urlencode({"q": RESULTS}),
}
#: What the page says where nobody answers.
AWAY = "The workbench does not answer. If it has ended, start it again (setwise web); else try again in a moment."
#: What each view shows when it is complete.
COMPLETE = {
    "games": "#games-table tbody tr >> nth=20", "scores": ".score-chart circle >> nth=2", "form": ".match >> nth=2",
    "board": "#about pre", "tree": "#tree-moves tbody tr >> nth=3", "steps": ".step-list .now",
    "bitboards": "#sources dd >> nth=7", "search": ".match >> nth=2",
    "game": "#game-moves [aria-current]", "rows": ".bars rect >> nth=2",
}  # fmt: skip


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    needed("chromium")
    Position().feature("black_hanging")  # compiled, if that is still to do
    with workbench(FAMOUS_GAMES) as (found, _):
        yield found


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=needed("chromium"), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
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


def square(page: Page, name: str, board: str = "#position") -> Any:
    return page.locator(f"{board} [data-square={name}]")


def middle(page: Page, name: str) -> tuple[float, float]:
    box = square(page, name).bounding_box()
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

# --------------------------------------------------------------------------------------------------------------- games


def test_the_page_opens_on_what_is_in_the_file(page: Page) -> None:
    page.goto("")
    expect(page.locator("#games-status")).to_have_text("41 games · 65 players · 1750 to 2016 in famous_games.pgn")
    rows = page.locator("#games-table tbody tr")
    expect(rows).to_have_count(41)
    page.locator("#game-filter").press_sequentially("kasp")
    expect(page.locator("#games-count")).to_have_text("3 games")
    by_date = page.get_by_role("button", name="Date", exact=True)
    by_date.evaluate("button => { button.click(); button.click(); }")  # the second click comes before the rows
    expect(rows.first).to_contain_text("1999")
    page.get_by_role("button", name="Date").click()
    expect(page.locator("th[aria-sort]")).to_have_count(0)
    by_date.click()
    expect(rows.first).to_contain_text("1985")
    page.get_by_role("button", name="Date").click()
    expect(rows.first).to_contain_text("1999")
    rows.first.get_by_role("button").click()
    expect(page.locator("#game-title")).to_contain_text("Kasparov, Garry – Topalov, Veselin")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#game-moves [aria-current]")).to_have_text("e4")
    page.keyboard.press("Escape")
    expect(page.locator("#game")).to_be_hidden()
    page.locator("#game-filter").fill("")
    page.get_by_role("button", name="Players").click()
    expect(rows.first).to_contain_text("Capablanca, Jose Raul")
    rows.first.get_by_role("button").click()
    expect(page.locator("#game-filter")).to_have_value("Capablanca, Jose Raul")
    expect(page.locator("#games-count")).to_have_text("5 games")
    page.locator("#game-filter").fill("")
    page.get_by_role("button", name="Scores").click()
    page.select_option("#by", "year")
    page.fill("#who", "kasparov")
    expect(page.locator("figcaption").first).to_contain_text("Score of kasparov by Year")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").click()
    drawn = ET.fromstring(Path(download.value.path()).read_text("utf-8"))  # noqa: S314
    circles = drawn.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == page.locator(".answer tbody tr").count() == 3


def test_a_click_anywhere_on_a_row_opens_it(page: Page) -> None:
    show(page, "games")
    rows = page.locator("#games-table tbody tr")
    rows.nth(2).locator("td").last.click()
    name = rows.nth(2).locator("td").first.inner_text()
    expect(page.locator("#game-title")).to_contain_text(name)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Players").click()
    expect(rows.first).to_contain_text("Capablanca, Jose Raul")
    rows.first.locator("td").last.click()
    expect(page.locator("#game-filter")).to_have_value("Capablanca, Jose Raul")


def test_a_text_that_is_selected_in_a_row_opens_nothing(page: Page) -> None:
    show(page, "games")
    event = page.locator("#games-table tbody tr").nth(2).locator("td").nth(7)
    event.evaluate("it => getSelection().selectAllChildren(it)")
    event.dispatch_event("click")
    expect(page.locator("#game")).to_be_hidden()
    page.evaluate("getSelection().removeAllRanges()")
    event.dispatch_event("click")
    expect(page.locator("#game")).to_be_visible()


def test_what_is_found_stands_above_the_fold(page: Page) -> None:
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for view in ("form", "rows"):
            show(page, view)
            expect(page.locator("#stop")).to_be_hidden()
            first = page.locator(".bars, .match svg").first.bounding_box()
            assert first["y"] < 0.8 * size["height"]  # type: ignore[index]
    page.get_by_text("By form").click()
    expect(page.locator("#form-player")).to_be_visible()
    page.click("#go")  # the same again
    expect(page.locator("#form-player")).to_be_hidden()


def test_anything_is_typed_into_one_field(page: Page) -> None:
    page.goto("")
    field = page.locator("#anything")
    field.fill("kasparov")
    field.press("Enter")
    expect(page.locator("#view-search")).to_be_visible()
    expect(page.locator("#form-player")).to_have_value("kasparov")
    expect(page.locator("#search-status")).to_contain_text("3 matches in 3 games")
    field.fill("back rank")
    field.press("Enter")
    expect(page.locator("#form-motif")).to_have_value("Back-rank mate, by whatever other name as well")
    field.fill("1. e4 e5 2. Nf3")
    field.press("Enter")
    shows_fen(page, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2")
    field.fill("https://lichess.org/abcdefgh")
    field.press("Enter")
    expect(page.locator("#anything-fault")).to_contain_text("download the PGN there")
    paste(page, NOTED)
    expect(page.locator("#games-status")).to_contain_text("1 game · 2 players")
    page.get_by_role("button", name="Open Clock – Engine").click()
    expect(page.locator("#game-moves li.move")).to_have_count(5)


def test_the_form_writes_the_condition(page: Page) -> None:
    page.goto("search")
    page.fill("#form-player", "Garry Kasparov")
    page.select_option("#form-result", "won")
    expect(page.locator("#question")).to_have_value(re.compile("white_points = 1 or .*black_points = 1"))
    page.locator("#go").click()
    expect(page.locator("#search-status")).to_contain_text("2 matches in 2 games")
    expect(page.locator(".match")).to_have_count(2)
    page.select_option("#order", "year desc")
    expect(page.locator(".match").first).to_contain_text("Topalov")
    page.get_by_text("By form").click()
    page.fill("#form-year_from", "soon")
    expect(page.locator("#form-fault")).to_contain_text("are numbers, not 'soon'")
    page.locator("#form-clear").click()
    expect(page.locator("#question")).to_have_value("")
    page.locator("#go").click()
    expect(page.locator("#search-fault")).to_contain_text("Fill in the form")


def test_games_are_found_by_the_board(page: Page) -> None:
    page.goto("board?" + urlencode({"fen": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"}))
    expect(page.locator("#status")).to_contain_text("legal moves")
    page.select_option("#like", "position")
    page.locator("#like-form").get_by_role("button", name="Find").click()
    where = "key = position_key('rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2')"
    expect(page.locator("#question")).to_have_value(where)
    count = setwise.find(where, FAMOUS_GAMES).num_rows
    expect(page.locator("#search-status")).to_contain_text(f"{count} matches in {count} games")


def test_the_tree_beside_the_board_follows_its_moves(page: Page) -> None:
    page.goto("board")
    page.locator("#tree summary").click()
    for moves in ("", "1. e4", "1. e4 c5"):
        known = setwise.tree(moves, FAMOUS_GAMES).select(["san", "games"]).to_pylist()
        rows = page.locator("#tree-moves tbody tr")
        expect(rows).to_have_count(len(known))
        expect(rows.first).to_contain_text(known[0]["san"])
        expect(rows.first.locator("td").nth(1)).to_have_text(str(known[0]["games"]))
        expect(page.locator("#tree-status")).to_contain_text("41 games read")
        if moves != "1. e4 c5":
            page.get_by_role("button", name="Play c5" if moves else "Play e4", exact=True).click()
    expect(page.locator("#tree-side")).to_be_disabled()
    page.fill("#tree-who", "kasparov")
    expect(page.locator("#tree-side")).to_be_enabled()
    known = setwise.tree("1. e4 c5", FAMOUS_GAMES, player="kasparov").to_pylist()
    expect(page.locator("#tree-moves tbody tr")).to_have_count(len(known))
    page.reload()
    expect(page.locator("#tree-moves tbody tr")).to_have_count(len(known))
    page.locator("#start").click()
    for side in ("white", "black"):
        page.select_option("#tree-side", side)
        known = setwise.tree("", FAMOUS_GAMES, where=f"contains({side}_name, 'Kasparov')").to_pylist()
        expect(page.locator("#tree-moves td:nth-child(2)")).to_have_text([str(row["games"]) for row in known])


def test_the_tree_of_an_index_is_walked_by_keys_alone(browser: Browser, tmp_path: Path) -> None:
    """Nothing is read; each move is played in the tree, and the focus stays there."""
    index = tmp_path / "games.index"
    setwise.index(FAMOUS_GAMES, index)
    with workbench(index) as (address, _):
        context = browser.new_context(viewport=WIDE, base_url=address)
        page = context.new_page()
        page.goto("board")
        expect(page.locator("#status")).to_contain_text("20 legal moves")
        page.locator("#tree summary").focus()
        page.keyboard.press("Enter")
        focused = page.locator("#tree-moves button:focus")
        buttons = page.locator("#tree-moves tbody button")
        played: list[str] = []
        for _ in range(3):
            known = setwise.tree(" ".join(played), FAMOUS_GAMES).to_pylist()
            expect(buttons).to_have_text([row["san"] for row in known])
            expect(page.locator("#tree-status")).to_contain_text(re.compile(r"^From the index in 0\.\d\d s$"))
            if not played:
                for _ in range(4):  # the player, the condition, the box, the first move
                    page.keyboard.press("Tab")
            expect(focused).to_have_text(known[0]["san"])
            page.keyboard.press("End")
            expect(focused).to_have_text(known[-1]["san"])
            page.keyboard.press("Home")
            page.keyboard.press("ArrowDown")
            expect(focused).to_have_text(known[1]["san"])
            page.keyboard.press("ArrowUp")
            page.keyboard.press("Enter")
            played.append(known[0]["san"])
        page.locator("#tree-by").check()
        known = setwise.tree(" ".join(played), FAMOUS_GAMES, by="position").to_pylist()
        expect(page.locator("#tree-moves tbody td:nth-child(2)")).to_have_text([str(row["games"]) for row in known])
        page.locator("#tree-where").fill("year < 1900")
        page.locator("#tree-where").press("Enter")
        known = setwise.tree(" ".join(played), FAMOUS_GAMES, by="position", where="year < 1900").to_pylist()
        expect(page.locator("#tree-moves tbody td:nth-child(2)")).to_have_text([str(row["games"]) for row in known])
        page.locator("#tree-where").fill("no_column = 1")
        page.locator("#tree-where").press("Enter")
        expect(page.locator("#tree-fault")).to_contain_text("no column")
        context.close()


def test_the_table_of_games_is_walked_by_keys_alone(page: Page) -> None:
    page.goto("")
    rows = page.locator("#games-table tbody button")
    expect(rows).to_have_count(41)
    page.locator("#game-filter").focus()
    for _ in range(2):  # the table that scrolls, its first heading
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="White", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(rows.first).to_have_text("Adams, Edwin Ziegler")
    expect(page.get_by_role("button", name="White")).to_be_focused()
    rows.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#game")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#game")).to_be_hidden()
    expect(rows.nth(1)).to_be_focused()


def paste(page: Page, text: str) -> None:
    page.locator("#anything").evaluate(
        """(field, text) => {
            const data = new DataTransfer();
            data.setData("text/plain", text);
            field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""",
        text,
    )


def test_a_file_that_is_pasted_while_another_is_read_is_the_one_that_is_shown(page: Page) -> None:
    held: list[Any] = []
    page.route("**/api/search/games", lambda route: held.append(route) if not held else route.continue_())
    page.goto("")
    expect(page.locator("#games-status")).to_have_text("Reading the games …")
    paste(page, NOTED)
    expect(page.locator("#games-status")).to_have_text("1 game · 2 players in the file that you dropped")
    held[0].continue_()
    page.wait_for_load_state("networkidle")
    expect(page.locator("#games-status")).to_have_text("1 game · 2 players in the file that you dropped")
    expect(page.locator("#games-table tbody tr")).to_have_count(1)


# --------------------------------------------------------------------------------------------------------------- board


def test_pieces_are_dragged_clicked_and_moved_by_keys(page: Page) -> None:
    page.goto("board")
    expect(page.locator("#status")).to_have_text("White to move · 20 legal moves")
    drag(page, middle(page, "e2"), middle(page, "e4"))
    shows_fen(page, AFTER_E4)
    square(page, "c7").click()
    expect(square(page, "c5")).to_have_class(re.compile("target"))
    square(page, "c5").click()
    shows_fen(page, "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    square(page, "g1").focus()
    for key in ("Enter", "ArrowUp", "ArrowUp", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#status")).to_contain_text("Black to move")
    assert "5N2" in page.locator("#fen").input_value()
    page.locator("#back").click()
    shows_fen(page, "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    page.go_back()
    shows_fen(page, AFTER_E4)


def test_a_move_that_is_none_is_refused_with_its_reason(page: Page) -> None:
    page.goto("board")
    expect(page.locator("#status")).to_contain_text("20 legal moves")
    drag(page, middle(page, "e2"), middle(page, "e5"))
    expect(page.locator("#fault")).to_contain_text("e2e5")
    shows_fen(page, Position().fen())


def test_a_pawn_becomes_what_is_chosen(page: Page) -> None:
    page.goto("board?" + urlencode({"fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1"}))
    expect(page.locator("#status")).to_contain_text("White to move")
    drag(page, middle(page, "a7"), middle(page, "a8"))
    page.get_by_role("button", name="Knight", exact=True).click()
    shows_fen(page, "N7/7k/8/8/8/8/8/K7 b - - 0 1")


def test_a_pawn_stays_where_nothing_is_chosen(page: Page) -> None:
    """Escape takes the move back, and so does leaving for another position."""
    fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    page.goto("board?" + urlencode({"fen": fen}))
    expect(page.locator("#status")).to_contain_text("White to move")
    drag(page, middle(page, "a7"), middle(page, "a8"))
    expect(page.get_by_role("button", name="Knight", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Knight", exact=True)).to_be_hidden()
    expect(square(page, "a7")).to_have_attribute("aria-label", "a7, white pawn")
    page.wait_for_load_state("networkidle")
    shows_fen(page, fen)
    expect(page.locator("#fault")).to_be_hidden()
    drag(page, middle(page, "a7"), middle(page, "a8"))
    page.get_by_role("button", name="Queen", exact=True).click()
    shows_fen(page, "Q7/7k/8/8/8/8/8/K7 b - - 0 1")


def test_a_position_is_set_up_by_hand_kings_or_not(page: Page) -> None:
    page.goto("board")
    expect(page.locator("#status")).to_contain_text("20 legal moves")
    page.locator("#clear").click()
    shows_fen(page, "8/8/8/8/8/8/8/8 w - - 0 1")
    page.get_by_role("button", name="White knight").click()
    square(page, "d5").click()
    square(page, "g5").click()
    shows_fen(page, "8/8/8/3N2N1/8/8/8/8 w - - 0 1")
    expect(page.locator("#status")).to_contain_text("No game reaches this")
    drag(page, middle(page, "g5"), middle(page, "b2"))
    shows_fen(page, "8/8/8/3N4/8/8/1N6/8 w - - 0 1")
    drag(page, middle(page, "b2"), (5, 400))
    shows_fen(page, "8/8/8/3N4/8/8/8/8 w - - 0 1")
    square(page, "a8").focus()
    page.keyboard.press("q")
    shows_fen(page, "q7/8/8/3N4/8/8/8/8 w - - 0 1")
    page.keyboard.press("Delete")
    shows_fen(page, "8/8/8/3N4/8/8/8/8 w - - 0 1")
    page.locator("#turn").click()
    shows_fen(page, "8/8/8/3N4/8/8/8/8 b - - 0 1")


def test_a_hand_may_be_faster_than_the_answers(page: Page) -> None:
    page.goto("board")
    expect(page.locator("#status")).to_contain_text("20 legal moves")
    page.locator("#clear").click()
    shows_fen(page, "8/8/8/8/8/8/8/8 w - - 0 1")
    page.evaluate(
        """() => {
            document.querySelector("[aria-label='White king']").click();
            for (const name of ["a1", "b1", "c1"]) document.querySelector(`#position [data-square=${name}]`).click();
            document.querySelector("#turn").click();
        }"""
    )
    shows_fen(page, "8/8/8/8/8/8/8/KKK5 b - - 0 1")


def test_fens_are_typed_and_wrong_ones_told(page: Page) -> None:
    page.goto("board")
    page.fill("#fen", "8/8/8/8")
    page.press("#fen", "Enter")
    expect(page.locator("#fault")).to_contain_text("FEN '8/8/8/8'")
    page.fill("#fen", FORK)
    page.press("#fen", "Enter")
    expect(page.locator("#fault")).to_be_hidden()
    expect(square(page, "b5")).to_have_attribute("aria-label", "b5, white knight")
    page.keyboard.press("Tab")
    page.locator("#flip").click()
    expect(page.locator("#position use[href='#names-black']")).to_be_attached()
    boxes = [square(page, name).bounding_box() for name in ("a1", "h8")]
    assert boxes[0]["y"] < boxes[1]["y"]


def test_chess960_is_played(page: Page) -> None:
    page.goto("board?" + urlencode({"fen": "1rk5/8/8/8/8/8/8/1RK3R1 w GB - 0 1"}))
    expect(page.locator("#chess960")).to_be_checked()
    drag(page, middle(page, "c1"), middle(page, "g1"))
    expect(square(page, "f1")).to_have_attribute("aria-label", "f1, white rook")
    page.locator("#start960").click()
    expect(page.locator("#status")).to_contain_text("White to move")
    expect(page.locator("#chess960")).to_be_checked()


# ------------------------------------------------------------------------------------------------------------ switches


def marked(page: Page, name: str) -> set[str]:
    """The squares that a screen reader hears as marked."""
    labels = page.locator("#position button").evaluate_all("all => all.map(it => it.ariaLabel)")
    return {label[:2] for label in labels if name in label}


def test_switches_mark_count_and_explain(page: Page) -> None:
    page.goto("board?" + urlencode({"fen": FORK}))
    position = Position(FORK)
    page.get_by_role("button", name="safe_fork_squares for White", exact=True).click()
    page.fill("#filter", "pawn attacks")
    page.get_by_role("button", name="pawn_attacks for Black").click()
    page.fill("#filter", "knight.attacks")
    page.get_by_role("button", name="knight.attacks for White").click()
    page.fill("#filter", "islands")
    page.get_by_role("button", name="pawn_islands for Black").click()
    page.fill("#expression", "king.attacks(white_king) & squares('d1 d2 e4')")
    page.press("#expression", "Enter")
    expect(page.locator("#legend > li")).to_have_count(5)
    for column in ("white_safe_fork_squares", "black_pawn_attacks"):
        squares = set(position.feature(column).names())
        assert marked(page, column) == squares
        item = page.locator("#legend > li").filter(has_text=column)
        expect(item.locator(".count")).to_have_text(str(len(squares)))
    assert marked(page, "knight.attacks") == set(setwise.knight.attacks(Bitboard("b5")).names())
    assert marked(page, "king.attacks(white_king)") == {"d1", "d2"}
    expect(page.locator("#legend")).to_contain_text(str(position.feature("black_pawn_islands")))
    uses = page.locator("#position svg use[href^='#mark-']").evaluate_all(
        "all => new Set(all.map(it => it.getAttribute('href'))).size"
    )
    assert uses == 4
    page.get_by_role("button", name="Switch off white_safe_fork_squares").click()
    expect(page.locator("#legend > li")).to_have_count(4)


def test_a_switch_whose_marks_are_known_asks_nobody(page: Page) -> None:
    """A feature is known with the board, a pattern since it was on; another position has other marks."""
    page.goto("board?" + urlencode({"fen": FORK, "on": "white_safe_fork_squares"}))
    expect(page.locator("#legend > li")).to_contain_text(["white_safe_fork_squares"])
    asked: list[list[str]] = []
    page.on(
        "request",
        lambda request: asked.append(request.post_data_json["on"]) if request.url.endswith("/ask/board") else None,
    )
    page.get_by_role("button", name="hanging for Black", exact=True).click()
    expect(page.locator("#legend > li")).to_have_count(2)
    assert marked(page, "black_hanging") == set(Position(FORK).feature("black_hanging").names())
    page.fill("#filter", "knight.attacks")
    page.get_by_role("button", name="knight.attacks for White").click()
    expect(page.locator("#legend > li")).to_have_count(3)
    assert [asked.pop(), *asked] == [["white:knight.attacks"]]
    page.get_by_role("button", name="Switch off knight.attacks · white").click()
    expect(page.locator("#legend > li")).to_have_count(2)
    assert marked(page, "knight.attacks · white") == set()
    page.get_by_role("button", name="knight.attacks for White").click()
    expect(page.locator("#legend > li")).to_have_count(3)
    assert marked(page, "knight.attacks · white") == set(setwise.knight.attacks(Bitboard("b5")).names())
    assert asked == []
    page.locator("#start").click()
    expect(page.locator("#status")).to_contain_text("20 legal moves")
    assert marked(page, "white_safe_fork_squares") == set()
    assert asked == [["white_safe_fork_squares", "black_hanging", "white:knight.attacks"]]


def test_an_explanation_has_formula_and_reason(page: Page) -> None:
    page.goto("board?" + urlencode({"on": "white:knight.fork_targets", "about": "white:knight.fork_targets"}))
    about = page.locator("#about")
    told = catalogue.page("knight.fork_targets")
    expect(about.locator("h2")).to_have_text("knight.fork_targets")
    expect(about.locator("pre").first).to_have_text(told.formula)
    expect(about).to_contain_text("Why it works")
    expect(about).to_contain_text(told.reason.split("`")[0][:40])


def test_an_example_of_the_documentation_opens_and_leads_back(page: Page, address: str) -> None:
    told = catalogue.page("islands.east_files")
    [drawing] = [it.drawing for it in statements_of(told) if it.drawing]
    opened = board_address(told, drawing) or ""
    page.goto(opened.replace(f"http://localhost:{PORT}/", address))
    files = drawing.files["east_files"].bit_count()
    expect(page.locator("#position svg use[href='#mark-0']")).to_have_count(8 * files)
    back = page.locator("#about").get_by_role("link", name="islands.east_files in the documentation")
    expect(back).to_have_attribute("href", f"{SITE}/patterns/islands.html#islands-east-files")


def test_steps_are_played_on_the_board(page: Page) -> None:
    page.goto("board?" + urlencode({"on": "white:fills.north_fill", "about": "white:fills.north_fill"}))
    steps = page.locator(".step-list li")
    told = steps_of("fills.north_fill", Position().white_pieces)
    expect(steps).to_have_count(len(told))
    for at, step in enumerate(told):
        page.get_by_role("button", name="A step on").click()
        expect(page.locator(".step-list .now")).to_contain_text(step.caption)
        expect(page.locator("#position svg use[href='#mark-0']")).to_have_count(len(step.squares))
        expect(page).to_have_url(re.compile(f"step={at}$"))
    page.get_by_role("button", name="All marks").click()
    expect(page).not_to_have_url(re.compile("step"))
    page.locator("#steps").get_by_role("button", name="Play").click()
    expect(page.locator(".step-list li").last).to_have_class("now")


def test_steps_that_play_end_with_what_they_explain(page: Page) -> None:
    page.clock.install()
    page.goto("board?" + urlencode({"on": "white:fills.north_fill", "about": "white:fills.north_fill"}))
    page.locator("#steps").get_by_role("button", name="Play").click()
    page.get_by_role("button", name="passed_pawns for White", exact=True).click()
    page.clock.run_for(2500)  # two steps would have been played
    assert "step=" not in page.url


def test_whoever_works_by_keyboard_stays_there(page: Page) -> None:
    page.goto("board?" + urlencode({"on": "white:fills.north_fill", "about": "white:fills.north_fill"}))
    step = page.get_by_role("button", name="A step on")
    step.focus()
    for at in range(3):
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(f"step={at}$"))
        expect(step).to_be_focused()
    square(page, "c2").focus()
    page.keyboard.press("f")
    expect(page.locator("#position use[href='#names-black']")).to_be_attached()
    expect(square(page, "c2")).to_be_focused()


# ------------------------------------------------------------------------------------------------------------ bitboards


def told_number(page: Page, name: str) -> Any:
    return page.locator("dl.numbers dt").filter(has_text=re.compile(f"^{re.escape(name)}$")).locator("+ dd code")


def test_squares_are_clicked_and_become_numbers(page: Page) -> None:
    page.goto("bitboards?" + urlencode({"x": ""}))
    expect(told_number(page, "Hex")).to_have_text("0x0000000000000000")
    for name in ("a1", "h8", "e4"):
        square(page, name, "#bits").click()
    expect(told_number(page, "Hex")).to_have_text(f"{int(Bitboard('a1 h8 e4')):#018x}")
    expect(page.locator("#text")).to_have_value("squares('a1 e4 h8')")
    square(page, "e4", "#bits").click()
    expect(told_number(page, "Decimal")).to_have_text("9223372036854775809")
    expect(told_number(page, "Signed")).to_have_text("-9223372036854775807")
    expect(square(page, "a1", "#bits")).to_have_attribute("aria-pressed", "true")
    expect(told_number(page, "Rust")).to_have_text("pub const SQUARES: u64 = 0x8000_0000_0000_0001;")
    page.fill("#constant", "CORNERS")
    expect(told_number(page, "Java")).to_have_text("public static final long CORNERS = 0x8000_0000_0000_0001L;")


def test_expressions_are_typed_shifted_and_flipped(page: Page) -> None:
    page.goto("bitboards")
    page.fill("#text", "knight.attacks(squares('d4')) & ranks('5 6')")
    expect(told_number(page, "Squares")).to_have_text("b5 f5 c6 e6")
    page.get_by_role("button", name="Shift south west").click()
    expect(told_number(page, "Squares")).to_have_text("a4 e4 b5 d5")
    page.get_by_role("button", name="Flip up and down").click()
    expect(told_number(page, "Squares")).to_have_text("b4 d4 a5 e5")
    expect(page.locator("#text")).to_have_value(
        "compass.flip_vertical(compass.south_west(knight.attacks(squares('d4')) & ranks('5 6')))"
    )
    page.get_by_role("button", name="Complement").click()
    expect(page.locator("#bits-status")).to_have_text("60 squares")
    page.locator("#flips").get_by_role("button", name="Back").click()
    expect(page.locator("#bits-status")).to_contain_text("4 squares")


def test_numbers_are_pasted_in_any_mapping(page: Page) -> None:
    page.goto("bitboards")
    page.fill("#text", "0x0000000000000010ULL")
    expect(told_number(page, "Squares")).to_have_text("e1")
    page.select_option("#mapping", "a8b8")
    expect(told_number(page, "Squares")).to_have_text("e8")
    page.select_option("#mapping", "h1h2")
    expect(told_number(page, "Squares")).to_have_text("h5")
    expect(page).to_have_url(re.compile("map=h1h2"))
    page.fill("#text", "knight.")
    expect(page.locator("#desk-fault")).to_contain_text("is not SQL")


# --------------------------------------------------------------------------------------------------------------- search


def test_a_condition_is_completed_and_its_matches_stream_in(page: Page) -> None:
    page.goto("search")
    page.locator("#question").press_sequentially("own_safe_roy")
    offers = page.locator(".offers li")
    expect(offers.first).to_contain_text("own_safe_royal_fork_squares")
    page.keyboard.press("Tab")
    expect(page.locator("#question")).to_have_value("own_safe_royal_fork_squares")
    page.locator("#question").press_sequentially(" <> 0 and knight.fo")
    expect(offers.first).to_contain_text("knight.fork_targets")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    expect(offers.first).to_be_hidden()
    page.fill("#question", ROYAL)
    page.keyboard.press("Enter")
    expect(page.locator("#search-status")).to_contain_text("3 matches in 2 games · 2,512 positions of 41 games")
    expect(page.locator(".match")).to_have_count(3)
    expect(page.locator(".match").last).to_contain_text("Karpov, Anatoly – Kasparov, Garry")
    expect(page.locator(".match").last.locator("use[href='#mark-0']").first).to_be_attached()


def test_more_matches_come_when_they_are_asked_for(page: Page) -> None:
    page.goto("search?" + urlencode({"q": "ply < 3"}))
    expect(page.locator(".match")).to_have_count(60)
    page.locator("#more").click()
    expect(page.locator(".match")).to_have_count(120)
    page.locator("#more").click()
    expect(page.locator(".match")).to_have_count(123)
    expect(page.locator("#more")).to_be_hidden()


def test_a_match_opens_its_game_to_step_through(page: Page) -> None:
    show(page, "search")
    page.locator(".match").last.get_by_role("button").click()
    expect(page.locator("#game-title")).to_contain_text("Karpov, Anatoly – Kasparov, Garry")
    expect(page.locator("#game-status")).to_contain_text("a match")
    expect(page.locator("#game-moves [aria-current]")).to_have_text("Qxd3")
    expect(page.locator("#game-legend")).to_contain_text("f2")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#game-moves [aria-current]")).to_have_text("Nf2+")
    expect(square(page, "f2", "#game-board")).to_have_attribute("aria-label", "f2, black knight")
    page.get_by_role("button", name="To the start").click()
    expect(page.locator("#game-status")).to_have_text("The start")
    page.get_by_role("button", name="Next match").click()
    expect(page.locator("#game-moves [aria-current]")).to_have_text("Qxd3")
    page.keyboard.press("End")
    page.locator("#game-open").click()
    expect(page.locator("#view-board")).to_be_visible()
    expect(page.locator("#legend")).to_contain_text("own_safe_royal_fork_squares")
    page.go_back()
    expect(page.locator("#game")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#game")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("game="))


def test_a_missed_chance_is_drawn_beside_the_move_that_was_played(page: Page) -> None:
    """The side that missed it is below, on the card and in its game."""
    page.goto("search?" + urlencode({"q": "missed is not null and not white_to_move"}))
    card = page.locator(".match").first
    expect(card.locator(".next")).to_contain_text("was played; ")
    expect(card.locator("use[href='#names-black']")).to_have_count(1)
    drawn = [card.locator(".arrow"), page.locator("#game-board .arrow")]
    card.locator("button").click()
    expect(page.locator("#game-status")).to_contain_text("was played; ")
    expect(page.locator("#game-board use[href='#names-black']")).to_have_count(1)
    colors = "all => all.map(it => getComputedStyle(it).fill)"
    assert [it.evaluate_all(colors) for it in drawn] == [["rgb(192, 31, 31)", "rgb(21, 120, 27)"]] * 2


def test_a_file_is_dropped_and_its_clocks_and_evaluations_shown(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "noted.pgn"
    file.write_text(NOTED)
    page.goto("search")
    page.fill("#question", "ply = 4")
    page.set_input_files("#file", file)
    expect(page.locator("#search-status")).to_contain_text("1 match in 1 game")
    page.locator(".match button").click()
    expect(page.locator("#game-status")).to_contain_text("After f6 · clock 0:04:40 · evaluation +1.40 · a match")
    expect(page.locator("#game-chart figcaption")).to_have_text("Evaluations and clocks")
    expect(page.locator("#game-chart .evaluations rect")).to_have_count(5)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#game-status")).to_contain_text("best by test")


def test_the_lines_of_a_game_are_shown_on_its_board(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "lines.pgn"
    file.write_text("1. e4 { the king's pawn } e5 ( 1... c5 $5 2. Nf3 ( 2. c3 { quiet } ) 2... d6 ) 2. Nf3 *\n")
    page.goto("search")
    page.fill("#question", "ply = 1")
    page.set_input_files("#file", file)
    page.locator(".match button").click()
    moves = page.locator("#game-moves")
    expect(moves.locator("li.move")).to_have_count(3)
    expect(moves.locator("li.said")).to_have_text("the king's pawn")
    expect(moves.locator("li.line").first).to_have_text("(1…c5!?2.Nf3d6)")
    expect(moves.locator("li.line").last).to_have_text("(2.c3quiet)")
    moves.get_by_role("button", name="d6").click()
    expect(page.locator("#game-status")).to_have_text("After d6, in a variation")
    expect(square(page, "d6", "#game-board")).to_have_attribute("aria-label", "d6, black pawn")
    expect(moves.locator("[aria-current]")).to_have_text("d6")
    page.keyboard.press("ArrowRight")
    expect(moves.locator("[aria-current]")).to_have_text("e5")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


HOSTILE = {
    "White": "<script>window.ran = 1</script>", "Black": "<img src=x onerror='window.ran=1'>\u202eneslraC\u2066",
    "Event": "</script><svg onload=window.ran=1>", "Site": "javascript:window.ran=1//",
    "ECO": "\x1b]0;x\x07\x9b31m&lt;b&gt;",
}  # fmt: skip


def test_tags_are_shown_as_text_and_what_is_not_seen_as_a_sign(page: Page, tmp_path: Path) -> None:
    """No tag runs, fetches or turns other text around, in matches, games, answers; the fixture of the page watches."""
    tags = "".join(f'[{name} "{value}"]\n' for name, value in HOSTILE.items())
    file = tmp_path / "hostile.pgn"
    file.write_text(f"{tags}\n1. e4 {{ </textarea><script>window.ran=1</script> \u202e }} e5 *\n", encoding="utf-8")
    shown = {name: re.sub("[\x1b\x07\x9b\u202e\u2066]", "\ufffd", value) for name, value in HOSTILE.items()}
    page.goto("search")
    elements = page.locator("script, img, iframe, object, embed").count()
    page.fill("#question", "ply = 1")
    page.set_input_files("#file", file)
    expect(page.locator(".match h2")).to_have_text(f"{shown['White']} – {shown['Black']}")
    page.locator(".match").get_by_role("button").click()
    expect(page.locator("#game-title")).to_have_text(f"{shown['White']} – {shown['Black']}")
    expect(page.locator("#game-place")).to_have_text(", ".join(shown[name] for name in ("Event", "Site", "ECO")))
    expect(page.locator("#game-moves li.said").first).to_have_text(re.compile("<script>.*\ufffd"))
    page.keyboard.press("Escape")
    page.fill("#question", "select white_name, black_name from games")
    page.keyboard.press("Enter")
    expect(page.locator("#answer td")).to_have_text([shown["White"], shown["Black"]])
    assert page.locator("script, img, iframe, object, embed").count() == elements
    assert page.evaluate("window.ran") is None
    for text in (page.locator("body").inner_text(), page.title()):
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x0e-\x1f\x7f-\x9f]", text)


def test_a_page_that_is_left_open_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    """While it is open, a file changes, then the workbench ends, then another one comes to its place."""
    file = tmp_path / "games.pgn"
    file.write_text('1. e4 e5 *\n\n[White "B"]\n\n1. d4 d5 *\n')
    left = browser.new_page(viewport=WIDE)
    with workbench(file) as (address, _):
        left.goto(address + "search?" + urlencode({"q": "ply = 1"}))
        expect(left.locator(".match")).to_have_count(2)
        file.write_text("1. c4 c5 *\n\n" + file.read_text())
        left.locator(".match").last.get_by_role("button").click()
        expect(left.locator("#game-place")).to_have_text("games.pgn has changed since this search: search again")
        left.keyboard.press("Escape")
        left.locator("#question").press("Enter")
        expect(left.locator(".match")).to_have_count(3)
        file.unlink()
        left.locator(".match").last.get_by_role("button").click()
        expect(left.locator("#game-place")).to_have_text("games.pgn is not there any more")
        left.keyboard.press("Escape")
    left.locator("#question").press("Enter")
    expect(left.locator("#search-fault")).to_contain_text("If it has ended, start it again (setwise web)")
    with workbench(FAMOUS_GAMES, "--port", re.findall(r"\d+", address)[-1]):
        left.locator("#question").press("Enter")
        expect(left.locator("#search-fault")).to_contain_text(
            "started anew, perhaps with other sources: reload the page"
        )
        left.reload()
        expect(left.locator("#search-status")).to_contain_text("41 games")
    left.close()


def test_a_file_may_be_dropped_anywhere(page: Page) -> None:
    page.goto("board")
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.pgn"));
            dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
            dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
        }""",
        NOTED,
    )
    expect(page.locator("#games-status")).to_have_text("1 game · 2 players in the file that you dropped")
    page.get_by_role("link", name="Search", exact=True).click()
    expect(page.locator("#source option:checked")).to_have_text("dropped.pgn")
    page.fill("#question", "ply >= 0")
    page.locator("#go").click()
    expect(page.locator("#search-status")).to_contain_text("6 positions of 1 game")


def test_a_statement_is_drawn_as_bars_and_rows(page: Page) -> None:
    show(page, "rows")
    rows = setwise.sql(RESULTS, FAMOUS_GAMES).to_pylist()
    expect(page.locator(".bars rect")).to_have_count(len(rows))
    assert page.locator("tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(it => it.innerText))") == [
        [row["result"], str(row["games"])] for row in rows
    ]
    widths = page.locator(".bars rect").evaluate_all("all => all.map(it => Number(it.getAttribute('width')))")
    most = max(row["games"] for row in rows)
    assert [round(width) for width in widths] == [round(100 * row["games"] / most) for row in rows]
    with page.expect_download() as saved:
        page.locator(".bars").get_by_role("button", name="Save as SVG").click()
    drawn = ET.fromstring(Path(saved.value.path()).read_text())  # noqa: S314  (of our own making)
    assert len(drawn.findall("{*}rect")) == len(rows) + 1


def test_shares_near_a_half_begin_at_a_half_and_show_how_many(page: Page) -> None:
    statement = "select * from (values ('a', 10, 0.55), ('b', 900, 0.45), ('c', 5, 0.5)) as t(name, games, score)"
    page.goto("search?" + urlencode({"q": statement}))
    expect(page.locator(".bars figcaption")).to_contain_text("bars from a half")
    rects = page.locator(".bars rect")
    assert [round(float(rects.nth(k).get_attribute("x") or "")) for k in range(3)] == [50, 0, 50]
    assert [round(float(rects.nth(k).get_attribute("width") or "")) for k in range(3)] == [50, 50, 0]
    expect(page.locator(".bars dt").nth(1)).to_have_text("b games 900")


def test_a_question_is_chosen_by_its_topic_or_a_word(page: Page) -> None:
    page.goto("search")
    page.get_by_role("button", name="Mates", exact=True).click()
    expect(page.get_by_role("button", name="Mates", exact=True)).to_have_attribute("aria-expanded", "true")
    listed = page.locator("#asked button")
    expect(listed).to_have_text([it.asks for it in catalogue.questions() if it.topic == "Mates"])
    page.fill("#asked-for", "isolani")
    expect(listed).to_have_text(["White has an isolated queen's pawn"])
    page.fill("#asked-for", "no such words")
    expect(page.locator("#asked")).to_contain_text("No question has these words.")
    page.fill("#asked-for", "legal move capture")
    page.get_by_role("button", name="The only legal move is a capture").click()
    expect(page.locator("#asked")).to_be_hidden()
    asked = next(it for it in catalogue.questions() if it.asks == "The only legal move is a capture")
    expect(page.locator("#question")).to_have_value(asked.text)
    expect(page.locator("#search-status")).to_contain_text("9 rows")


@pytest.mark.parametrize("name", ["PGN with marks", "CSV", "Parquet", "HTML"])
def test_what_is_found_is_downloaded(page: Page, name: str) -> None:
    show(page, "search")
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    file = Path(download.value.path())
    assert download.value.suggested_filename.startswith("setwise.")
    assert file.stat().st_size > 500
    if name == "PGN with marks":
        assert len(setwise.find("true", file, columns="game")["game"].unique()) == 2


def test_the_number_of_exercises_is_chosen(page: Page) -> None:
    page.goto("search?" + urlencode({"q": "ply = 20"}))
    expect(page.locator("#downloads p").first).to_have_text(re.compile("Parquet$"))
    expect(page.locator("#downloads p").last).to_have_text(re.compile("^To solve"))
    for number in ("3", "5"):
        page.fill("#many", number)
        with page.expect_download() as download:
            page.get_by_role("link", name="Exercise sheet").click()
        assert Path(download.value.path()).read_text().count("<article") == int(number)


def test_matches_are_saved_as_a_sheet_that_prints_six_boards_a_page(page: Page, tmp_path: Path) -> None:
    """The form asks for a player's missed chances; the sheet has that player's alone, with the solutions last."""
    form = {"motif": "Any chance was missed"}
    page.goto("search")
    page.locator("#form-motif").select_option(form["motif"])
    expect(page.locator("#question")).to_have_value("missed is not null")
    page.click("#go")
    expect(page.locator("#search-status")).to_contain_text("matches in", timeout=PATIENCE)
    with page.expect_download() as download:
        page.get_by_role("link", name="Exercise sheet").click()
    assert download.value.suggested_filename == "exercises.html"
    sheet = tmp_path / "sheet.html"
    download.value.save_as(sheet)
    exercises = sheet.read_text().count("<article")
    assert exercises > 3
    printing = page.context.browser.new_page()  # type: ignore[union-attr]
    printing.goto(sheet.as_uri())
    assert printing.get_by_role("heading", name=form["motif"]).count() == 1
    pages = len(re.findall(rb"/Type\s*/Page\b", printing.pdf(format="A4")))
    printing.close()
    assert pages == -(-exercises // 6) + 1


def test_a_form_that_finds_nothing_offers_less(page: Page) -> None:
    page.goto("search")
    page.locator("#form-player").fill("kasparov")
    page.locator("#form-material").fill("KBN v K")
    expect(page.locator("#question")).to_have_value("player('kasparov') and material('KBN v K')")
    page.click("#go")
    expect(page.locator("#search-status")).to_contain_text("no match")
    page.get_by_role("button", name="Material: KBN v K").click()
    expect(page.locator("#search-status")).to_contain_text("3 matches in 3 games")
    expect(page.locator("#form-player")).to_have_value("kasparov")
    expect(page.locator("#form-material")).to_have_value("")


def test_a_name_that_no_player_has_leads_on(page: Page) -> None:
    page.goto("")
    page.wait_for_selector(COMPLETE["games"])
    for text, offered in (("Kasparoff", "Kasparov, Garry"), ("repertoire", "The tree of moves")):
        page.fill("#anything", text)
        page.keyboard.press("Enter")
        expect(page.locator("#answer")).to_contain_text(f"No player of these games is called {text}.")
        expect(page.locator("#answer")).to_contain_text(offered)
        expect(page.locator("#downloads")).to_be_hidden()
    page.fill("#anything", "Kasparoff")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Kasparov, Garry").click()
    expect(page.locator("#search-status")).to_contain_text("matches in")


def test_scores_by_phase_are_drawn_with_intervals_and_lead_to_boards(page: Page) -> None:
    page.goto("search")
    page.fill("#asked-for", "phase")
    page.get_by_role("button", name="White's score by the phase").click()
    chart = page.locator(".score-chart")
    expect(chart.locator("circle")).to_have_count(3)
    expect(chart).to_contain_text("endgame")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").click()
    assert ET.parse(download.value.path()).getroot().tag.endswith("svg")  # noqa: S314  (of this page)
    page.locator("td a").first.click()
    expect(page.locator("#fen")).not_to_have_value("")
    assert "/board?fen=" in page.url


def test_a_search_is_stopped(page: Page) -> None:
    page.goto("search?" + urlencode({"q": LONG}))
    page.locator("#stop").click()
    expect(page.locator("#search-status")).to_contain_text("stopped")
    expect(page.locator("#stop")).to_be_hidden()
    page.fill("#question", "ply = 0")
    page.keyboard.press("Enter")
    expect(page.locator("#search-status")).to_contain_text("41 matches")


def test_what_is_wrong_is_told(page: Page) -> None:
    page.goto("search?" + urlencode({"q": "white_pasd_pawns <> 0"}))
    expect(page.locator("#search-fault")).to_contain_text("did you mean white_passed_pawns")
    page.fill("#question", RESULTS)
    page.keyboard.press("Enter")
    expect(page.locator("#search-fault")).to_be_hidden()
    expect(page.locator(".bars")).to_be_visible()


#: What comes instead of an answer, and what the page says then.
NO_ANSWERS = {
    "gone": (None, AWAY),
    "text": (
        {"status": 401, "content_type": "text/plain; charset=utf-8", "body": "Open the address that setwise printed."},
        "Open the address that setwise printed.",
    ),
    "json": ({"status": 503, "json": {"error": "too much is asked at the moment"}}, "too much is asked at the moment"),
    "page": (
        {"status": 502, "content_type": "text/html", "body": "<h1>Bad gateway</h1>"},
        AWAY,
    ),
}


@pytest.mark.parametrize("kind", NO_ANSWERS)
def test_what_does_not_come_is_told_in_a_sentence(browser: Browser, address: str, kind: str) -> None:
    """Each way to ask, where nobody answers, or a door on the way does in its own words."""
    answer, sentence = NO_ANSWERS[kind]
    context = browser.new_context(viewport=WIDE, base_url=address)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto("search")
    page.wait_for_load_state("networkidle")
    page.route("**/api/**", lambda route: route.fulfill(**answer) if answer else route.abort())
    page.fill("#question", "ply = 1")
    page.keyboard.press("Enter")
    expect(page.locator("#search-fault")).to_have_text(sentence)
    page.set_input_files("#file", FAMOUS_GAMES)
    expect(page.locator("#search-fault")).to_have_text(
        sentence if sentence != AWAY else "The file is too large, or the workbench has ended."
    )
    page.get_by_role("link", name="Board", exact=True).click()
    page.locator("#start960").click()
    expect(page.locator("#fault")).to_have_text(sentence)
    page.goto("search?" + urlencode({"q": ROYAL, "game": "0.34.67"}))
    expect(page.locator("#game-place")).to_have_text(sentence)
    page.unroute("**/api/**")
    page.goto("search")
    page.fill("#question", "ply = 1")
    page.keyboard.press("Enter")
    expect(page.locator("#search-status")).to_contain_text("41 matches")
    context.close()
    assert faults == []


# ------------------------------------------------------------------------------------------------------ for everybody


@pytest.mark.parametrize("view", VIEWS)
def test_a_link_shows_the_same(browser: Browser, page: Page, view: str) -> None:
    show(page, view)
    page.wait_for_load_state("networkidle")
    context = browser.new_context(viewport=WIDE)
    other = context.new_page()
    other.goto(page.url)
    other.wait_for_selector(COMPLETE[view])
    other.wait_for_load_state("networkidle")
    place = "#game" if view == "game" else "main"
    told = [
        re.sub(r"[\d.]+ s\b", "", it.locator(place).inner_text()) for it in (page, other)
    ]  # how long it took differs
    assert told[0] == told[1]
    assert len(told[0]) > 200
    context.close()


def test_views_are_walked_by_keys(page: Page) -> None:
    page.goto("board")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    page.keyboard.press("4")
    expect(page.locator("#view-bitboards")).to_be_visible()
    page.keyboard.press("3")
    expect(page.locator("#view-search")).to_be_visible()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches(':focus-visible')")


#: Controls whose middle belongs to something else, once they are scrolled to.
COVERED = """() => {
    const covered = [];
    for (const it of (document.querySelector("dialog[open]") ?? document.body).querySelectorAll(
        "button, a[href], input, select, textarea, summary")) {
        if (!it.checkVisibility({ visibilityProperty: true }) || it.closest(".unseen, .skip")) continue;
        it.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
        const { left, top, width, height } = it.getClientRects()[0];
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        if (!it.contains(hit) && hit?.closest("label")?.control !== it)
            covered.push(`${it.outerHTML.slice(0, 80)} by ${hit?.outerHTML.slice(0, 80)}`);
    }
    return covered;
}"""
#: A browser shows a page at twice the size by giving it half the width.
SIZES = {
    "100 %": (WIDE, 1), "200 %": ({"width": 640, "height": 450}, 2), "400 %": ({"width": 320, "height": 225}, 4),
    "phone": (NARROW, 3),
}  # fmt: skip


@pytest.mark.parametrize("size", SIZES)
def test_at_every_size_nothing_scrolls_sideways_and_nothing_covers_a_control(
    browser: Browser, address: str, size: str
) -> None:
    viewport, scale = SIZES[size]
    context = browser.new_context(
        viewport=viewport, device_scale_factor=scale, base_url=address, reduced_motion="reduce", color_scheme="dark"
    )
    page = context.new_page()
    found: dict[str, Any] = {}
    for view in VIEWS:
        show(page, view)
        wide = page.evaluate(
            "[document.documentElement, document.querySelector('#game')]"
            ".filter(it => it.scrollWidth > it.clientWidth + 1).map(it => it.scrollWidth)"
        )
        covered = page.evaluate(COVERED)
        if wide or covered:
            found[view] = wide, covered
    context.close()
    assert found == {}


def test_a_finger_moves_a_piece(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport=NARROW, has_touch=True, is_mobile=True, base_url=address)
    page = context.new_page()
    page.goto("board")
    expect(page.locator("#status")).to_contain_text("20 legal moves")
    square(page, "e2").tap()
    square(page, "e4").tap()
    shows_fen(page, AFTER_E4)
    # A finger leaves no hover behind, which would grey the piece that it has moved.
    assert square(page, "e4").evaluate("it => getComputedStyle(it).backgroundColor") == "rgba(0, 0, 0, 0)"
    context.close()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_wrong(browser: Browser, address: str, view: str, scheme: Any, size: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    # axe brings a script into the page, which its policy forbids to everybody else
    context = browser.new_context(viewport=size, color_scheme=scheme, base_url=address, bypass_csp=True)
    page = context.new_page()
    show(page, view)
    found = axe.Axe().run(page)
    context.close()
    assert [(it["id"], [node["html"][:200] for node in it["nodes"]]) for it in found.response["violations"]] == []
