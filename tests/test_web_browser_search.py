"""The search of the workbench in a real browser: matches, games, rows, files."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("uvicorn", reason="the workbench needs the extra web")
pytest.importorskip("playwright", reason="playwright drives the browser")

from playwright.sync_api import Browser, Page, expect

import setwise
from helpers.browser import (
    AWAY,
    COMPLETE,
    NOTED,
    PATIENCE,
    RESULTS,
    ROYAL,
    WIDE,
    condition,
    drawer,
    show,
    square,
)
from helpers.data import FAMOUS_GAMES
from helpers.web import LONG, workbench
from setwise import catalogue

pytestmark = pytest.mark.slow


# --------------------------------------------------------------------------------------------------------------- search


def test_a_condition_is_completed_and_its_matches_stream_in(page: Page) -> None:
    page.goto("search")
    condition(page, "")
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
    condition(page, ROYAL)
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
    expect(page.locator("#said")).to_have_text("This position is a match.")
    expect(page.locator("#moves [aria-current]")).to_have_text("Qxd3")
    expect(page.locator("#legend")).to_contain_text("f2")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#moves [aria-current]")).to_have_text("Nf2+")
    expect(square(page, "f2", "#position")).to_have_attribute("aria-label", "f2, black knight")
    page.get_by_role("button", name="To the start").click()
    expect(page.locator("#status")).to_contain_text("20 legal moves")
    expect(page.locator("#legend")).to_contain_text("Royal fork, side to move")
    page.get_by_role("button", name="Next match").click()
    expect(page.locator("#moves [aria-current]")).to_have_text("Qxd3")
    page.keyboard.press("Escape")
    expect(page.locator("#view-search")).to_be_visible()
    expect(page.locator(".match").last.get_by_role("button")).to_be_focused()
    expect(page).not_to_have_url(re.compile("game="))


def test_a_missed_chance_is_drawn_beside_the_move_that_was_played(page: Page) -> None:
    """The side that missed it is below, on the card and in its game."""
    page.goto("search?" + urlencode({"q": "missed is not null and not white_to_move"}))
    card = page.locator(".match").first
    expect(card.locator(".next")).to_contain_text("was played; ")
    expect(card.locator("use[href='#names-black']")).to_have_count(1)
    drawn = [card.locator(".arrow"), page.locator("#position .arrow")]
    card.locator("button").click()
    expect(page.locator("#said")).to_contain_text("was played; ")
    expect(page.locator("#position use[href='#names-black']")).to_have_count(1)
    colors = "all => all.map(it => getComputedStyle(it).fill)"
    assert [it.evaluate_all(colors) for it in drawn] == [["rgb(192, 31, 31)", "rgb(21, 120, 27)"]] * 2


def test_a_file_is_dropped_and_its_clocks_and_evaluations_shown(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "noted.pgn"
    file.write_text(NOTED)
    page.goto("search")
    condition(page, "ply = 4")
    page.set_input_files("#file", file)
    expect(page.locator("#search-status")).to_contain_text("1 match in 1 game")
    page.locator(".match button").click()
    expect(page.locator("#status")).to_contain_text("White to move · 27 legal moves · evaluation +1.40")
    expect(page.locator("#seat-above")).to_have_text("Engine0:04:40")
    expect(page.locator("#seat-below")).to_have_text("Clock0:04:58")
    expect(page.locator("#opening")).to_have_text("King's Pawn Game: Damiano Defense")
    expect(page.locator("#game-chart figcaption")).to_have_text("Evaluations and clocks")
    expect(page.locator("#game-chart .evaluations rect")).to_have_count(5)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#said")).to_have_text("best by test")


def test_the_lines_of_a_game_are_shown_on_its_board(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "lines.pgn"
    file.write_text("1. e4 { the king's pawn } e5 ( 1... c5 $5 2. Nf3 ( 2. c3 { quiet } ) 2... d6 ) 2. Nf3 *\n")
    page.goto("search")
    condition(page, "ply = 1")
    page.set_input_files("#file", file)
    page.locator(".match button").click()
    moves = page.locator("#moves")
    expect(moves.locator("li.move")).to_have_text(["1.e4", "1.…e5", "2.Nf3"])
    expect(moves.locator("li.said")).to_have_text("the king's pawn")
    expect(moves.locator("li.line")).to_have_text("1…c5!?2.Nf3(2.c3quiet)2…d6")
    moves.get_by_role("button", name="d6").click()
    expect(square(page, "d6")).to_have_attribute("aria-label", "d6, black pawn")
    expect(moves.locator("[aria-current]")).to_have_text("d6")
    expect(page).to_have_url(re.compile(r"game=0\.1\.1&line=c7c5\.g1f3\.d7d6"))
    page.reload()
    expect(moves.locator("[aria-current]")).to_have_text("d6")
    page.keyboard.press("ArrowLeft")
    expect(moves.locator("[aria-current]")).to_have_text("Nf3")
    page.keyboard.press("ArrowDown")
    expect(moves.locator("[aria-current]")).to_have_text("c3")
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
    condition(page, "ply = 1")
    page.set_input_files("#file", file)
    expect(page.locator(".match h2")).to_have_text(f"{shown['White']} – {shown['Black']}")
    page.locator(".match").get_by_role("button").click()
    expect(page.locator("#game-title")).to_have_text(f"{shown['White']} – {shown['Black']}")
    expect(page.locator("#game-place")).to_have_text(", ".join(shown[name] for name in ("Event", "Site", "ECO")))
    expect(page.locator("#moves li.said").first).to_have_text(re.compile("<script>.*\ufffd"))
    page.keyboard.press("Escape")
    condition(page, "select white_name, black_name from games")
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
        expect(left.locator("#fault")).to_have_text("games.pgn has changed since this search: search again")
        left.keyboard.press("Escape")
        left.locator("#by-condition > summary").click()
        left.locator("#question").press("Enter")
        expect(left.locator(".match")).to_have_count(3)
        file.unlink()
        left.locator(".match").last.get_by_role("button").click()
        expect(left.locator("#fault")).to_have_text("games.pgn is not there any more")
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
    condition(page, "ply >= 0")
    page.locator("#go").click()
    expect(page.locator("#search-status")).to_contain_text("6 positions of 1 game")


def test_a_statement_is_drawn_as_bars_and_rows(page: Page) -> None:
    show(page, "rows")
    rows = setwise.sql(RESULTS, FAMOUS_GAMES).to_pylist()
    expect(page.locator("#answer .scores rect")).to_have_count(len(rows))
    expect(page.locator("#answer th")).to_have_text(["Result", "Games"])
    assert page.locator("tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(it => it.innerText))") == [
        [row["result"], str(row["games"])] for row in rows
    ]
    widths = page.locator("#answer rect").evaluate_all("all => all.map(it => Number(it.getAttribute('width')))")
    most = max(row["games"] for row in rows)
    assert [round(100 * width / max(widths)) for width in widths] == [round(100 * row["games"] / most) for row in rows]
    page.get_by_role("button", name="Games", exact=True).last.click()
    ordered = sorted((row["games"] for row in rows), reverse=True)
    expect(page.locator("#answer tbody td:nth-child(2)")).to_have_text([str(it) for it in ordered])
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as SVG").click()
    drawn = ET.fromstring(Path(saved.value.path()).read_text())  # noqa: S314  (of our own making)
    assert len(drawn.findall("{*}rect")) == len(rows) + 1


def test_shares_near_a_half_begin_at_a_half_and_show_how_many(page: Page) -> None:
    statement = "select * from (values ('a', 10, 0.55), ('b', 900, 0.45), ('c', 5, 0.5)) as t(name, games, score)"
    page.goto("search?" + urlencode({"q": statement}))
    expect(page.locator("#answer figcaption")).to_contain_text("bars from a half")
    rects = page.locator("#answer rect")
    left, width = ([float(rects.nth(k).get_attribute(name) or "") for k in range(3)] for name in ("x", "width"))
    assert left[0] == left[2] == pytest.approx(left[1] + width[1])
    assert width[0] == pytest.approx(width[1])
    assert width[2] == 1
    expect(page.locator("#answer svg text").filter(has_text="900")).to_have_text("Games 900")


def test_a_question_is_chosen_by_its_topic_or_a_word(page: Page) -> None:
    page.goto("search")
    page.get_by_text("Mates", exact=True).click()
    listed = page.locator("#topics details[open] button")
    expect(listed).to_have_text([it.asks for it in catalogue.questions() if it.topic == "Mates"])
    listed.first.click()
    expect(page.locator("#chips button")).to_have_text(re.compile("✕$"))
    expect(page.locator("#browse")).not_to_have_attribute("open", "")
    page.locator("#chips button").click()
    expect(page.locator("#browse")).to_have_attribute("open", "")
    page.locator("#anything").press_sequentially("isolani")
    expect(page.locator(".offers strong").first).to_have_text("White has an isolated queen's pawn")
    page.fill("#anything", "no such words")
    page.press("#anything", "Enter")
    expect(page.locator("#answer")).to_contain_text("No player of these games is called no such words.")
    page.goto("search")
    page.get_by_text("Oddities", exact=True).click()
    page.get_by_role("button", name="The only legal move is a capture").click()
    asked = next(it for it in catalogue.questions() if it.asks == "The only legal move is a capture")
    expect(page.locator("#chips button")).to_have_text("The only legal move is a capture ✕")
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
    expect(page.locator("#downloads p").first).to_have_text(re.compile("ParquetCopy as command$"))
    expect(page.locator("#downloads p").last).to_have_text(re.compile("^To solve"))
    for number in ("3", "5"):
        page.fill("#many", number)
        with page.expect_download() as download:
            page.get_by_role("link", name="Exercise sheet").click()
        assert Path(download.value.path()).read_text().count("<article") == int(number)


def test_matches_are_saved_as_a_sheet_that_prints_six_boards_a_page(page: Page, tmp_path: Path) -> None:
    """The chips ask for missed chances; the sheet has that player's alone, with the solutions last."""
    motif = "Any chance was missed"
    page.goto("search")
    page.get_by_text("Missed chances", exact=True).click()
    page.get_by_role("button", name=motif).click()
    expect(page.locator("#question")).to_have_value("missed is not null")
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
    assert printing.get_by_role("heading", name=motif).count() == 1
    pages = len(re.findall(rb"/Type\s*/Page\b", printing.pdf(format="A4")))
    printing.close()
    assert pages == -(-exercises // 6) + 1


def test_chips_that_find_nothing_are_taken_away(page: Page) -> None:
    page.goto("search")
    for text in ("kasparov", "KBN v K"):
        page.fill("#anything", text)
        page.press("#anything", "Enter")
    expect(page.locator("#question")).to_have_value("player('kasparov') and material('KBN v K')")
    expect(page.locator("#search-status")).to_contain_text("no match")
    expect(page.locator("#answer")).to_contain_text("take one of the chips away")
    page.get_by_role("button", name="Material: KBN v K").click()
    expect(page.locator("#search-status")).to_contain_text("3 matches in 3 games")
    expect(page.locator("#chips button")).to_have_text(["Player: kasparov ✕"])


def test_a_name_that_no_player_has_leads_on(page: Page) -> None:
    page.goto("")
    page.wait_for_selector(COMPLETE["games"])
    for text, offered in (("Kasparoff", "Kasparov, Garry"), ("repertoire", "The tree of moves")):
        page.get_by_role("link", name="Games", exact=True).click()
        page.fill("#anything", text)
        page.keyboard.press("Enter")
        expect(page.locator("#answer")).to_contain_text(f"No player of these games is called {text}.")
        expect(page.locator("#answer")).to_contain_text(offered)
        expect(page.locator("#downloads")).to_be_hidden()
    page.go_back()
    page.go_back()
    page.get_by_role("button", name="Kasparov, Garry").click()
    expect(page.locator("#search-status")).to_contain_text("matches in")


def test_scores_by_phase_are_drawn_with_intervals_and_lead_to_boards(page: Page) -> None:
    page.goto("search")
    page.get_by_text("Scores", exact=True).click()
    page.get_by_role("button", name="White's score by the phase").click()
    chart = page.locator("#answer figure svg")
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
    condition(page, "ply = 0")
    page.keyboard.press("Enter")
    expect(page.locator("#search-status")).to_contain_text("41 matches")


def test_what_is_wrong_is_told(page: Page) -> None:
    page.goto("search?" + urlencode({"q": "white_pasd_pawns <> 0"}))
    expect(page.locator("#search-fault")).to_contain_text("did you mean white_passed_pawns")
    condition(page, RESULTS)
    page.keyboard.press("Enter")
    expect(page.locator("#search-fault")).to_be_hidden()
    expect(page.locator("#answer figure")).to_be_visible()


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
    condition(page, "ply = 1")
    page.keyboard.press("Enter")
    expect(page.locator("#search-fault")).to_have_text(sentence)
    page.set_input_files("#file", FAMOUS_GAMES)
    expect(page.locator("#anything-fault")).to_have_text(
        sentence if sentence != AWAY else "The file is too large, or the workbench has ended."
    )
    page.get_by_role("link", name="Board", exact=True).click()
    drawer(page, "setup")
    page.locator("#start960").click()
    expect(page.locator("#fault")).to_have_text(sentence)
    page.goto("board?" + urlencode({"game": "0.34.67"}))
    expect(page.locator("#fault")).to_have_text(sentence)
    page.unroute("**/api/**")
    page.goto("search")
    condition(page, "ply = 1")
    page.keyboard.press("Enter")
    expect(page.locator("#search-status")).to_contain_text("41 matches")
    context.close()
    assert faults == []
