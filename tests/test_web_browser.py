"""The workbench as people see it: the games, the search, and what holds at every size and for everybody."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("uvicorn", reason="the workbench needs the extra web")
pytest.importorskip("playwright", reason="playwright drives the browser")

from playwright.sync_api import Browser, Page, expect

import setwise
from helpers.browser import (
    AFTER_E4,
    COMPLETE,
    NARROW,
    NOTED,
    VIEWS,
    WIDE,
    condition,
    drawer,
    show,
    shows_fen,
    square,
)
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.web import eventually, workbench

pytestmark = pytest.mark.slow


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
    expect(page.locator("#moves [aria-current]")).to_have_text("e4")
    page.keyboard.press("Escape")
    expect(page.locator("#view-games")).to_be_visible()
    page.locator("#game-filter").fill("")
    page.get_by_role("button", name="Players").click()
    expect(rows.first).to_contain_text("Capablanca, Jose Raul")
    rows.first.get_by_role("button").click()
    expect(page.locator("#game-filter")).to_have_value("Capablanca, Jose Raul")
    expect(page.locator("#games-count")).to_have_text("5 games")
    page.locator("#game-filter").fill("")


def test_my_games_have_scores_and_missed_chances_that_lead_to_games(page: Page) -> None:
    page.goto("?tab=mine")
    page.fill("#who", "Capablanca")
    page.get_by_role("button", name="Show", exact=True).click()
    tables = page.locator("#mine-answer table")
    expect(page.locator("#mine-answer .part")).to_have_count(4)  # no ratings are known
    expect(page.locator("#mine-answer .part").last).to_contain_text("No chance was missed.")
    rows = setwise.sql(
        "select white_name w, white_points p from games where player('capablanca')", FAMOUS_GAMES
    ).to_pylist()
    for side, row in zip((True, False), tables.first.locator("tbody tr").all(), strict=True):
        points = [it["p"] if side else 1 - it["p"] for it in rows if ("Capablanca" in it["w"]) is side]
        expect(row.locator("td").nth(1)).to_have_text(str(len(points)))
        expect(row.locator("td").nth(2)).to_have_text(f"{100 * sum(points) / len(points):.0f} %")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as SVG").first.click()
    drawn = ET.fromstring(Path(download.value.path()).read_text("utf-8"))  # noqa: S314
    assert len(drawn.findall(".//{http://www.w3.org/2000/svg}circle")) == 2
    row = tables.nth(1).locator("tbody tr").first
    count = row.locator("td").nth(1).inner_text()
    row.get_by_role("link").click()
    expect(page.locator("#search-status")).to_contain_text(f"in {count} game")
    page.go_back()
    expect(tables).to_have_count(3)
    page.goto("?" + urlencode({"tab": "mine", "who": "bronstein"}))
    cells = page.locator("#mine-answer .part").last.locator("tbody td")
    expect(cells).to_have_text(["capture", "200 (55 to 729)", "0.0 (0.0 to 384)"])  # two in one game
    cells.nth(1).get_by_role("link").click()
    expect(page.locator("#search-status")).to_contain_text("1 match in 1 game")
    page.goto("?tab=mine")  # the name is known now
    expect(page.locator("#who")).to_have_value("Capablanca")
    expect(tables).to_have_count(3)
    page.locator("#tab-games").click()
    page.locator("#game-filter").fill("capablanca")
    expect(page.locator("#games-count")).to_have_text("5 games")
    for row in (0, 1, 2, 3, 4):
        page.locator("#games-table tbody button").nth(row).click()
        expect(page.locator("#seat-below")).to_contain_text("Capablanca")
        page.keyboard.press("Escape")
        expect(page.locator("#view-games")).to_be_visible()
    page.goto("solve")
    page.locator("#forget").click()
    with page.expect_response("**/ask/forget"):  # other tests solve what anybody missed
        page.get_by_role("button", name="Delete", exact=True).click()


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
    expect(page.locator("#game-head")).to_be_hidden()
    page.evaluate("getSelection().removeAllRanges()")
    event.dispatch_event("click")
    expect(page.locator("#game-head")).to_be_visible()


def test_what_is_found_stands_above_the_fold(page: Page) -> None:
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for view in ("form", "rows"):
            show(page, view)
            expect(page.locator("#stop")).to_be_hidden()
            first = page.locator(".scores, .match svg").first.bounding_box()
            assert first["y"] < 0.8 * size["height"]  # type: ignore[index]
    page.locator("#browse > summary").click()
    page.get_by_text("Mates", exact=True).click()
    expect(page.get_by_role("button", name="Smothered mate")).to_be_visible()
    condition(page, page.locator("#question").input_value())
    page.click("#go")  # the same again
    expect(page.get_by_role("button", name="Smothered mate")).to_be_hidden()


def test_anything_is_typed_into_one_field(page: Page) -> None:
    page.goto("")
    field = page.locator("#anything")
    field.fill("kasparov")
    field.press("Enter")
    expect(page.locator("#view-search")).to_be_visible()
    expect(page.locator("#search-status")).to_contain_text("3 matches in 3 games")
    chips = page.locator("#chips button")
    expect(chips).to_have_text(["Player: kasparov ✕"])
    field.fill("1985")
    field.press("Enter")
    expect(chips).to_have_text(["Player: kasparov ✕", "Year: 1985 ✕"])
    expect(page.locator("#search-status")).to_contain_text("1 match in 1 game")
    page.get_by_role("button", name="Without Player: kasparov").click()
    expect(chips).to_have_text(["Year: 1985 ✕"])
    page.locator("body").press("/")
    expect(field).to_be_focused()
    field.press("Backspace")
    expect(chips).to_have_count(0)
    field.press_sequentially("windm")
    expect(page.locator(".offers li").first).to_have_text("windmillWord")
    field.press("ArrowDown")
    field.press("Enter")
    expect(chips).to_have_text(["windmill ✕"])
    expect(page.locator("#question")).to_have_value(re.compile("gives_check and .*"))
    field.fill("back rank")
    field.press("Enter")
    expect(chips).to_have_text(["windmill ✕", "Back-rank mate, by whatever other name as well ✕"])
    expect(page.locator("#by-condition")).not_to_have_attribute("open", "")  # the chips say it
    field.fill("1. e4 e5 2. Nf3")
    field.press("Enter")
    shows_fen(page, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2")
    field.fill("https://lichess.org/abcdefgh")
    field.press("Enter")
    expect(page.locator("#anything-fault")).to_contain_text("download the PGN there")
    paste(page, NOTED)
    expect(page.locator("#games-status")).to_contain_text("1 game · 2 players")
    page.get_by_role("button", name="Open Clock – Engine").click()
    expect(page.locator("#moves li.move")).to_have_count(4)


def test_chips_write_the_condition_and_both_can_be_changed(page: Page) -> None:
    page.goto("")  # the players are known then
    page.wait_for_selector(COMPLETE["games"])
    page.fill("#anything", "Garry Kasparov won")
    page.press("#anything", "Enter")
    chips = page.locator("#chips button")
    expect(chips).to_have_text(["Player: Garry Kasparov ✕", "The player won ✕"])
    expect(page.locator("#question")).to_have_value(re.compile("white_points = 1 or .*black_points = 1"))
    expect(page.locator("#search-status")).to_contain_text("2 matches in 2 games")
    expect(page.locator(".match")).to_have_count(2)
    page.select_option("#order", "year desc")
    expect(page.locator(".match").first).to_contain_text("Topalov")
    page.get_by_role("button", name="Without Player").click()
    expect(page.locator("#anything-fault")).to_contain_text("whose win or loss")
    expect(chips).to_have_count(2)
    condition(page, "player('kasparov') and ply = 7")
    page.click("#go")
    expect(chips).to_have_text(["player('kasparov') and ply = 7 ✕"])
    expect(page.locator(".match")).to_have_count(3)
    page.fill("#anything", "1985")
    page.press("#anything", "Enter")
    expect(page.locator("#question")).to_have_value("year >= 1985 and year <= 1985 and player('kasparov') and ply = 7")
    expect(page.locator(".match")).to_have_count(1)
    condition(page, "")
    page.click("#go")
    expect(page.locator("#search-fault")).to_contain_text("write a condition")


def test_a_search_is_kept_and_run_again(page: Page) -> None:
    page.goto("search?" + urlencode({"q": "player('kasparov')", "per": "1", "chip": "player:kasparov"}))
    expect(page.locator(".match")).to_have_count(3)
    page.locator("#saved > summary").click()
    page.fill("#save-name", "All of Kasparov")
    page.press("#save-name", "Enter")
    page.fill("#anything", "1985")
    page.press("#anything", "Enter")
    expect(page.locator(".match")).to_have_count(1)
    page.locator("#saved > summary").click()
    page.locator("#save-form button").click()  # its chips name it
    expect(page.locator("#saved-list a")).to_have_text(["Player: kasparov, Year: 1985", "All of Kasparov"])
    page.goto("search")
    page.get_by_role("link", name="All of Kasparov").click()
    expect(page.locator(".match")).to_have_count(3)
    expect(page.locator("#chips button")).to_have_text(["Player: kasparov ✕"])
    page.locator("#saved > summary").click()
    for name in ("All of Kasparov", "Player: kasparov, Year: 1985"):
        page.get_by_role("button", name=f"Delete {name}").click()
    expect(page.locator("#saved-list")).to_have_text("A search that you save is listed here.")


def test_games_are_found_by_the_board(page: Page) -> None:
    page.goto("board?" + urlencode({"fen": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"}))
    expect(page.locator("#status")).to_contain_text("legal moves")
    drawer(page, "likes")
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
    drawer(page, "setup")
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
                for _ in range(9):  # the player, the condition, the box, the table, its four headings, the first move
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
    expect(page.locator("#game-head")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#game-head")).to_be_hidden()
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

    def told(it: Page) -> str:
        return re.sub(r"[\d.]+ s\b", "", it.locator("main").inner_text())  # how long it took differs

    eventually(lambda: told(page) == told(other))  # the last answer may still be on its way
    assert told(page) == told(other)
    assert len(told(page)) > 200
    context.close()


def test_views_are_walked_by_keys(page: Page) -> None:
    page.goto("board")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    page.keyboard.press("5")
    expect(page.locator("#view-bitboards")).to_be_visible()
    page.keyboard.press("4")
    expect(page.locator("#view-search")).to_be_visible()
    page.keyboard.press("/")
    expect(page.locator("#anything")).to_be_focused()
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
    for view in [*VIEWS][depth([*SIZES].index(size) % 2, 0) :: depth(2, 1)]:  # each with a wide and a narrow window
        show(page, view)
        wide = page.evaluate(
            "[document.documentElement, document.querySelector('main')]"
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


LOOKS = {
    "wide-light": (WIDE, "light"), "narrow-dark": (NARROW, "dark"), "wide-dark": (WIDE, "dark"),
    "narrow-light": (NARROW, "light"),
}  # fmt: skip


#: Before a change lands each view has one look, in turn; by night each has all.
PAIRS = [(view, look) for at, view in enumerate(VIEWS) for look in depth([[*LOOKS][at % len(LOOKS)]], LOOKS)]


@pytest.mark.parametrize(("view", "look"), PAIRS)
def test_axe_finds_nothing_wrong(browser: Browser, address: str, view: str, look: str) -> None:
    size, scheme = LOOKS[look]
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    # axe brings a script into the page, which its policy forbids to everybody else
    context = browser.new_context(viewport=size, color_scheme=scheme, base_url=address, bypass_csp=True)
    page = context.new_page()
    show(page, view)
    found = axe.Axe().run(page)
    context.close()
    assert [(it["id"], [node["html"][:200] for node in it["nodes"]]) for it in found.response["violations"]] == []
