"""The board and the bitboards in a real browser: clicked, dragged, typed, and read by a screen reader."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("uvicorn", reason="the workbench needs the extra web")
pytest.importorskip("playwright", reason="playwright drives the browser")

from playwright.sync_api import Page, expect

import setwise
from helpers.browser import (
    AFTER_E4,
    FORK,
    drag,
    drawer,
    middle,
    shows_fen,
    square,
)
from helpers.documentation import addresses
from helpers.programs import needed
from setwise import Bitboard, Position, catalogue
from setwise.catalogue.examples import statements_of
from setwise.catalogue.examples import steps as steps_of
from setwise.catalogue.questions import PORT, SITE

pytestmark = pytest.mark.slow


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
    page.locator("#undo").click()
    shows_fen(page, "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    page.locator("#undo").click()
    shows_fen(page, AFTER_E4)
    expect(page.locator("#moves button")).to_have_text(["e4"])


def test_a_move_that_is_none_is_refused_with_its_reason(page: Page) -> None:
    page.goto("board")
    expect(page.locator("#status")).to_contain_text("20 legal moves")
    drag(page, middle(page, "e2"), middle(page, "e5"))
    expect(page.locator("#fault")).to_have_text("e2e5 cannot be played: the pawn on e2 cannot move to e5")
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
    drawer(page, "setup")
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
    drawer(page, "setup")
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
    drawer(page, "setup")
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
    drawer(page, "setup")
    page.locator("#start960").click()
    expect(page.locator("#status")).to_contain_text("White to move")
    expect(page.locator("#chess960")).to_be_checked()


# ------------------------------------------------------------------------------------------------------ games, solving


def test_moves_on_the_board_become_variations_and_the_address_keeps_the_place(page: Page) -> None:
    page.goto("board?" + urlencode({"game": "0.34.2"}))
    moves = page.locator("#moves")
    expect(moves.locator("[aria-current]")).to_have_text("c5")
    expect(page.locator("#opening")).to_have_text("Sicilian Defense")
    square(page, "c2").click()
    square(page, "c3").click()
    expect(moves.locator("li.line")).to_have_text("2.c3")
    expect(page.locator("#opening")).to_have_text("Sicilian Defense: Alapin Variation")
    square(page, "d7").click()
    square(page, "d5").click()
    expect(moves.locator("li.line")).to_have_text("2.c3d5")
    expect(page).to_have_url(re.compile(r"game=0\.34\.2&line=c2c3\.d7d5"))
    page.keyboard.press("ArrowLeft")  # a square has the focus, but by a click
    expect(moves.locator("[aria-current]")).to_have_text("c3")
    page.keyboard.press("ArrowUp")
    expect(moves.locator("[aria-current]")).to_have_text("Nf3")
    page.reload()
    expect(moves.locator("[aria-current]")).to_have_text("Nf3")
    expect(moves.locator("li.line")).to_have_count(0)
    page.goto("board?" + urlencode({"game": "0.34.2", "line": "c2c3.d7d5"}))
    expect(moves.locator("[aria-current]")).to_have_text("d5")
    for left in ("2.c3", None):
        page.locator("#undo").click()
        expect(moves.locator("li.line")).to_have_text([left] if left else [])
    expect(page.locator("#undo")).to_be_disabled()
    page.keyboard.press("f")
    expect(page.locator("#seat-below")).to_contain_text("Kasparov")


def test_a_game_leaves_the_board_as_pgn_and_comes_back(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("board?" + urlencode({"line": "e2e4.c7c5.g1f3"}))
    expect(page.locator("#moves [aria-current]")).to_have_text("Nf3")
    page.get_by_role("button", name="Copy PGN").click()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.endswith("\n\n1. e4 c5 2. Nf3 *\n")
    page.locator("#anything").focus()
    page.keyboard.press("Control+v")
    expect(page.locator("#games-status")).to_contain_text("1 game")
    page.locator("#anything").fill("e4 c5 c3")
    page.keyboard.press("Enter")
    expect(page.locator("#moves [aria-current]")).to_have_text("c3")  # another line from the same position
    expect(page.locator("#moves li.line")).to_have_text("2.c3")


def test_a_missed_chance_is_solved_on_the_board_and_kept(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "missed.pgn"
    file.write_text('[White "Anna"]\n[Black "Berta"]\n[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"]\n\n1. h3 *\n')
    page.goto("search")
    page.set_input_files("#file", file)
    expect(page.locator("#games-status")).to_contain_text("1 game")
    page.get_by_role("link", name="Solve", exact=True).click()
    expect(page.locator("#task")).to_have_text("White to move: find the chance that was missed.")
    verdict = page.locator("#verdict")

    def plays(start: str, end: str) -> None:
        drag(page, middle(page, start, "#exercise"), middle(page, end, "#exercise"))

    plays("c6", "c5")
    expect(verdict).to_have_text("c6c5 cannot be played: the knight on c6 cannot move to c5")
    plays("c6", "e7")
    expect(verdict).to_contain_text(
        "Right. 1. h3 was played; 1. Ne7+, a fork, wins at least 10 pawns more. Anna – Berta"
    )
    expect(page.locator("#exercise .arrow")).to_have_count(3)
    expect(page.locator("#exercise .arrow.target")).to_have_count(2)
    kept = page.locator("#progress-kept dd")
    expect(kept).to_have_text(["1", "1", "0", "0"])
    page.reload()
    expect(page.locator("#queue")).to_have_text("0 exercises wait, the easy ones first.")
    expect(kept.first).to_have_text("1")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    [entry] = json.loads(Path(download.value.path()).read_text())["exercises"].values()
    assert (entry["solution"], entry["right"], entry["wrong"]) == ("c6e7", 1, 0)
    page.locator("#forget").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#task")).to_contain_text("White to move")
    expect(kept.first).to_have_text("0")
    plays("h2", "h3")
    expect(verdict).to_have_text("h3 allows Qxc6, and loses 3 pawns. Try again: click on the board.")
    expect(page.locator("#exercise .arrow.played")).to_have_count(1)
    square(page, "a1", "#exercise").click()
    expect(verdict).to_have_text("")
    page.get_by_role("button", name="Show the solution").click()
    expect(verdict).to_contain_text("The solution. ")
    verdict.get_by_role("link", name="Analyse it").click()
    expect(page.locator("#moves [aria-current]")).to_have_text("Ne7+")
    page.get_by_role("link", name="Solve", exact=True).click()
    page.locator("#forget").click()
    with page.expect_response("**/ask/forget"):
        page.get_by_role("button", name="Delete", exact=True).click()


def test_the_wheel_walks_through_the_moves(page: Page) -> None:
    page.goto("board?" + urlencode({"line": "e2e4.c7c5.g1f3"}))
    here = page.locator("#moves [aria-current]")
    expect(here).to_have_text("Nf3")
    page.mouse.move(*middle(page, "d4"))
    page.mouse.wheel(0, -60)
    expect(here).to_have_text("c5")
    page.mouse.wheel(0, 60)
    expect(here).to_have_text("Nf3")


def test_an_engine_shows_its_best_line_while_it_is_switched_on(page: Page) -> None:
    needed("stockfish")
    page.goto("board?" + urlencode({"fen": "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"}))
    said, gauge = page.locator("#engine-line"), page.locator("#gauge")
    expect(page.locator("#status")).to_contain_text("White to move")
    expect(gauge).to_be_hidden()
    page.check("#engine-on")
    expect(said).to_contain_text(re.compile(r"^\+\d.*depth \d+ · 1\. Ne7\+ "))
    expect(page.locator("#position .arrow.best")).to_have_count(1)
    drag(page, middle(page, "h2"), middle(page, "h3"))
    expect(said).to_contain_text(re.compile(r"^−\d.*depth \d+ · 1\.\.\. Qxc6"))
    page.uncheck("#engine-on")
    expect(said).to_have_text("")
    expect(gauge).to_be_hidden()
    expect(page.locator("#position .arrow")).to_have_count(0)


# ------------------------------------------------------------------------------------------------------------ switches


def marked(page: Page, name: str) -> set[str]:
    """The squares that a screen reader hears as marked."""
    labels = page.locator("#position button").evaluate_all("all => all.map(it => it.ariaLabel)")
    return {label[:2] for label in labels if name in label}


def test_switches_mark_count_and_explain(page: Page) -> None:
    page.goto("board?" + urlencode({"fen": FORK}))
    position = Position(FORK)
    drawer(page, "patterns")
    page.get_by_role("button", name="Knight fork for White", exact=True).click()
    page.fill("#filter", "pawn attacks")
    page.get_by_role("button", name="Pawn attacks for Black").click()
    page.fill("#filter", "knight.attacks")
    page.get_by_role("button", name="Attacks for White", exact=True).click()
    page.fill("#filter", "islands")
    page.get_by_role("button", name="Pawn islands for Black").click()
    page.fill("#expression", "king.attacks(white_king) & squares('d1 d2 e4')")
    page.press("#expression", "Enter")
    expect(page.locator("#legend > li")).to_have_count(5)
    for title, column in {
        "Knight fork, White": "white_safe_fork_squares",
        "Pawn attacks, Black": "black_pawn_attacks",
    }.items():
        squares = set(position.feature(column).names())
        assert marked(page, title) == squares
        item = page.locator("#legend > li").filter(has_text=title)
        expect(item.locator(".count")).to_have_text(str(len(squares)))
    assert marked(page, "Attacks (knight)") == set(setwise.knight.attacks(Bitboard("b5")).names())
    assert marked(page, "king.attacks(white_king)") == {"d1", "d2"}
    expect(page.locator("#legend")).to_contain_text(str(position.feature("black_pawn_islands")))
    uses = page.locator("#position svg use[href^='#mark-']").evaluate_all(
        "all => new Set(all.map(it => it.getAttribute('href'))).size"
    )
    assert uses == 4
    page.get_by_role("button", name="Switch off Knight fork, White").click()
    expect(page.locator("#legend > li")).to_have_count(4)


def test_a_switch_whose_marks_are_known_asks_nobody(page: Page) -> None:
    """A feature is known with the board, a pattern since it was on; another position has other marks."""
    page.goto("board?" + urlencode({"fen": FORK, "on": "white_safe_fork_squares"}))
    expect(page.locator("#legend > li")).to_contain_text(["Knight fork, White"])
    asked: list[list[str]] = []
    page.on(
        "request",
        lambda request: asked.append(request.post_data_json["on"]) if request.url.endswith("/ask/board") else None,
    )
    page.get_by_role("button", name="Hanging for Black", exact=True).click()
    expect(page.locator("#legend > li")).to_have_count(2)
    assert marked(page, "Hanging, Black") == set(Position(FORK).feature("black_hanging").names())
    page.fill("#filter", "knight.attacks")
    page.get_by_role("button", name="Attacks for White", exact=True).click()
    expect(page.locator("#legend > li")).to_have_count(3)
    assert [asked.pop(), *asked] == [["white:knight.attacks"]]
    page.get_by_role("button", name="Switch off Attacks (knight), White").click()
    expect(page.locator("#legend > li")).to_have_count(2)
    assert marked(page, "Attacks (knight), White") == set()
    page.get_by_role("button", name="Attacks for White", exact=True).click()
    expect(page.locator("#legend > li")).to_have_count(3)
    assert marked(page, "Attacks (knight), White") == set(setwise.knight.attacks(Bitboard("b5")).names())
    assert asked == []
    drawer(page, "setup")
    page.locator("#start").click()
    expect(page.locator("#status")).to_contain_text("20 legal moves")
    assert marked(page, "Knight fork, White") == set()
    assert asked == [["white_safe_fork_squares", "black_hanging", "white:knight.attacks"]]


def test_an_explanation_has_formula_and_reason(page: Page) -> None:
    page.goto("board?" + urlencode({"on": "white:knight.fork_targets", "about": "white:knight.fork_targets"}))
    about = page.locator("#about")
    told = catalogue.page("knight.fork_targets")
    expect(about.locator("h2")).to_have_text("Fork targets")
    expect(about.locator("pre").first).to_have_text(told.formula)
    expect(about).to_contain_text("Why it works")
    expect(about).to_contain_text(told.reason.split("`")[0][:40])


def test_an_example_of_the_documentation_opens_and_leads_back(page: Page, address: str) -> None:
    told = catalogue.page("islands.east_files")
    [drawing] = [it.drawing for it in statements_of(told) if it.drawing]
    opened = addresses.board_address(told, drawing) or ""
    page.goto(opened.replace(f"http://localhost:{PORT}/", address))
    files = drawing.files["east_files"].bit_count()
    expect(page.locator("#position svg use[href='#mark-0']")).to_have_count(8 * files)
    back = page.locator("#about").get_by_role("link", name="East files in the documentation")
    expect(back).to_have_attribute("href", f"{SITE}/patterns/islands/east_files.html")


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
    page.get_by_role("button", name="Passed pawn for White", exact=True).click()
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
