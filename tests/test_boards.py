"""The boards of the documentation that can be changed answer, in a browser, as Python does."""

from __future__ import annotations

import gzip
import importlib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

import setwise
from helpers.data import ROOT
from helpers.patterns import random_arguments
from helpers.programs import needed
from setwise import Bitboard, Position
from setwise.bitboard import SQUARE_NAMES
from setwise.catalogue.examples import executed, has_steps, names_in, statements_of, steps
from setwise.catalogue.pages import pages
from setwise.patterns import TECHNIQUES

pytestmark = pytest.mark.slow

_CASES, _STEPPED_CASES = 200, 20
#: A knight that walks for thousands of moves has more steps than the script keeps.
_NOTED = 200
#: What tests reach inside the script, which pages do not.
_OPENED = "globalThis.boards = { loaded, answered, stepsOf, pictureOf, Call, WholeCall, FeaturesOf };\n})();\n"
_ANSWERS = """async (asked) => {
  const functions = await boards.loaded();
  return Object.fromEntries(Object.entries(asked).map(([name, cases]) =>
    [name, cases.map((words) => String(boards.answered(functions, name, words.map(BigInt))))]));
}"""
_STEPS = """async (asked) => {
  const functions = await boards.loaded();
  return asked.map(([name, words, inside, returns]) =>
    boards.stepsOf(functions, name, words.map(BigInt), inside, returns).map(([said, set]) => [said, String(set)]));
}"""
_EXAMPLES = """async () => {
  const functions = await boards.loaded();
  return [...document.querySelectorAll("figure[data-board]")].map((figure) => {
    const data = JSON.parse(figure.dataset.board);
    const state = new (data.columns ? boards.FeaturesOf : data.whole ? boards.WholeCall : boards.Call)(data);
    const answers = state.answers(functions);
    const title = figure.querySelector("title").textContent;
    const picture = boards.pictureOf(state.drawn(answers), { size: 264, coordinates: true, title });
    const pictures = (within) => [...within.querySelectorAll("svg")].map((it) => it.outerHTML).join("");
    const steps = figure.dataset.steps ? state.steps(functions).map(([caption]) => caption) : null;
    const captions = figure.dataset.steps && [...document.querySelectorAll(`#${figure.dataset.steps} figcaption`)]
      .map((it) => it.textContent.replace(/^\\d+\\. /, ""));
    return { name: data.name, drawn: pictures(new DOMParser().parseFromString(picture, "text/html")),
             was: pictures(figure), code: state.code, steps, captions,
             address: state.address, linked: figure.querySelector(".workbench").href,
             answers: answers.map(([name, word]) => [name, String(word)]) };
  });
}"""


@pytest.fixture(scope="module")
def live() -> Iterator[ModuleType]:
    pytest.importorskip("ziglang", reason="ziglang, which links WebAssembly, is not installed")
    pytest.importorskip("sphinx", reason="Sphinx is not installed (the extra docs)")
    sys.path.insert(0, str(ROOT / "docs"))
    yield importlib.import_module("live")
    sys.path.remove(str(ROOT / "docs"))


@pytest.fixture(scope="module")
def site(live: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the entries of all patterns and features, in a folder with the scripts."""
    drawn = importlib.import_module("drawn")
    folder = tmp_path_factory.mktemp("site")
    entries = "\n".join(
        f'<h2 id="{page.name}">{page.name}</h2>{drawn.entry(page)}' for page in live.answered().values()
    )
    entries += f'<div id="written">{"".join(written(drawn))}</div>'
    style = (ROOT / "docs" / "style.css").read_text("utf-8")
    for name, script in (("index", live.script()), ("opened", live.script().removesuffix("})();\n") + _OPENED)):
        (folder / f"{name}.js").write_text(script, "utf-8")
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Boards</title>'
        head += f'<style>{style}</style><script defer src="{name}.js"></script>'
        body = f"<body><main><h1>Boards</h1>{entries}</main></body>"
        page = f'<!doctype html><html lang="en"><head>{head}</head>{body}</html>'
        (folder / f"{name}.html").write_text(page, "utf-8")
    (folder / "module.js").write_text(live.packed(live.module_in()), "utf-8")
    return folder


def written(drawn: ModuleType) -> Iterator[str]:
    """The examples of pages that are written by hand, as the documentation shows them."""
    for page in ("five_minutes", "moves", "walk_moves", "walk_pawns", "walk_tactics"):
        text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
        scope = names_in(text)
        for code in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            yield drawn.notebook(code, scope)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    chromium = needed("chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def opened(site: Path, browser: Any) -> Any:
    """The page with the inside of its script within reach, opened from its folder: no server."""
    page = browser.new_page()
    page.goto((site / "opened.html").as_uri())
    return page


@pytest.fixture
def reader(site: Path, browser: Any) -> Iterator[Any]:
    """The page as readers get it; an error in its script fails the test."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "index.html").as_uri())
    yield page
    page.close()
    assert not errors


# ------------------------------------------------------------------------------------------------------------- answers


def words_of(cases: list[np.ndarray]) -> list[list[str]]:
    return [[str(int(word)) for word in row] for row in zip(*cases, strict=True)]


def test_every_pattern_and_feature_answers_as_in_python(live: ModuleType, opened: Any) -> None:
    asked = {name: page.thing for name, page in live.answered().items()}
    assert len(asked) > 200
    cases = {name: random_arguments(it, _CASES) for name, it in asked.items()}
    answers = opened.evaluate(_ANSWERS, {name: words_of(it) for name, it in cases.items()})
    for name, it in asked.items():
        expected = [int(it(*map(int, row))) % (1 << 64) for row in zip(*cases[name], strict=True)]
        assert list(map(int, answers[name])) == expected, name


def test_every_step_is_that_of_python(live: ModuleType, opened: Any) -> None:
    asked = [
        (page, row)
        for name, page in live.answered().items()
        if has_steps(name)
        for row in zip(*random_arguments(page.thing, _STEPPED_CASES), strict=True)
    ]
    assert len({page.name for page, _ in asked}) > 30
    given = [[page.name, [str(int(word)) for word in row], page.arguments[0].kind, page.returns] for page, row in asked]
    for (page, row), said in zip(asked, opened.evaluate(_STEPS, given), strict=True):
        expected = [[step.caption, str(int(step.squares))] for step in steps(page.name, *map(int, row))]
        assert said[:_NOTED] == expected[:_NOTED], (page.name, row)


def test_every_example_begins_as_it_is_drawn(opened: Any) -> None:
    """The script draws the same picture, with the same answers and steps, and the code that is copied gives them."""
    examples = opened.evaluate(_EXAMPLES)
    assert {it["name"] for it in examples} >= {it.name for it in drawn_pages()}
    for it in examples:
        assert it["drawn"] == it["was"], it["name"]
        assert it["steps"] == it["captions"], it["name"]
        assert shown_by(it["address"]) == shown_by(it["linked"]), it["name"]
        for column, word in it["answers"]:
            answer = answer_of(it["code"], column)
            assert int(answer) % (1 << 64) == int(word), (it["name"], it["code"])


def shown_by(address: str) -> list[tuple[str, str]]:
    """What an address of the workbench shows; of a FEN all but the clocks, which the boards do not keep."""
    shown = parse_qsl(urlsplit(address).query)
    return [(name, " ".join(value.split()[:4]) if name == "fen" else value) for name, value in shown]


def drawn_pages() -> list[Any]:
    """The pages whose example shows a call, or a feature, on a board."""
    return [
        page
        for page in pages().values()
        if page.sort in {"pattern", "feature"}
        and page.thing.__module__.startswith("setwise.")
        and page.topic not in TECHNIQUES
        and any(it.drawing and (it.drawing.arguments or it.drawing.position) for it in statements_of(page))
    ]


def answer_of(code: str, column: str) -> Any:
    """What the copied code answers: its last expression, or that which names the column."""
    scope: dict[str, Any] = {}
    value = None
    for done in executed(code_as_example(code), scope):
        if done.value is not None and (".feature(" not in done.source or f'"{column}"' in done.source):
            value = done.value
    return value


def code_as_example(code: str) -> str:
    """The same behind prompts."""
    lines = [line for line in code.splitlines() if line]
    return "\n".join(f"{'...' if line[0] in ' )' else '>>>'} {line}" for line in lines) + "\n"


# ------------------------------------------------------------------------------------------------------- as readers do


def begun(reader: Any, name: str) -> Any:
    """The first board of an entry, after its button is pressed."""
    return started(reader.locator(f'[id="{name}"] + section figure[data-board]').first)


def started(board: Any) -> Any:
    board.get_by_role("button", name="Change this board").click()
    board.locator(".bar").wait_for()
    return board


def click(board: Any, square: str) -> None:
    x, y = place(board, square)
    board.page.mouse.click(x, y)


def place(board: Any, square: str) -> tuple[float, float]:
    """Where a square is on the screen."""
    svg = board.locator(".picture svg")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    scale = box["width"] / 846
    file, rank = "abcdefgh".index(square[0]), int(square[1]) - 1
    return box["x"] + scale * (44 + 100 * file + 50), box["y"] + scale * (2 + 700 - 100 * rank + 50)


def told(board: Any) -> str:
    return str(board.locator(".answer").inner_text())


def test_a_click_changes_the_answer_and_the_steps(reader: Any) -> None:
    board = begun(reader, "knight.fork_targets")
    call = next(it.drawing for it in statements_of(pages()["knight.fork_targets"]) if it.drawing)
    [targets] = call.arguments
    before = told(board)
    forks = {it: setwise.knight.fork_targets(targets ^ Bitboard(it)) for it in SQUARE_NAMES}
    square = next(it for it in SQUARE_NAMES if forks[it] != call.marks["fork_targets"])
    click(board, square)
    changed = Bitboard(targets) ^ Bitboard(square)
    assert told(board) == f"fork_targets: {' '.join(forks[square].names())}" != before
    captions = reader.locator("#steps-knight-fork-targets figcaption").all_inner_texts()
    assert [it.partition(". ")[2] for it in captions] == [it.caption for it in steps("knight.fork_targets", changed)]
    board.get_by_role("button", name="Reset").click()
    assert told(board) == before


def test_a_call_on_a_written_page_can_be_changed(reader: Any) -> None:
    boards = reader.locator("#written figure[data-board]")
    assert boards.count() >= 25
    board = started(boards.first)
    assert told(board) == "fork_targets: c7"
    click(board, "h8")
    assert told(board) == f"fork_targets: {' '.join(setwise.knight.fork_targets(Bitboard('a8 e8 h8')).names())}"


def test_pieces_move_by_drag_by_clicks_and_by_keys(reader: Any) -> None:
    board = begun(reader, "fork_squares")
    shown = next(it.drawing for it in statements_of(pages()["fork_squares"]) if it.drawing)
    position = shown.position

    def expected(moves: dict[str, str | None]) -> str:
        placed = {SQUARE_NAMES[at]: it for at, it in enumerate(position.piece_string()) if it != "."}
        for start, end in moves.items():
            letter = placed.pop(start)
            placed |= {end: letter} if end else {}
        return answers(placed, shown.marks)

    knight = next(SQUARE_NAMES[at] for at, it in enumerate(position.piece_string()) if it == "N")
    drag(board, knight, "a3")
    assert told(board) == expected({knight: "a3"})
    click(board, "a3")
    click(board, "f3")
    assert told(board) == expected({knight: "f3"})
    drag(board, "f3", None)
    assert told(board) == expected({knight: None})
    board.get_by_role("button", name="white knight").click()
    click(board, knight)
    assert told(board) == expected({})
    picture = board.locator(".picture")
    picture.focus()
    picture.press("ArrowLeft")
    picture.press("Delete")
    picture.press("N")
    placed = {SQUARE_NAMES[at]: it for at, it in enumerate(position.piece_string()) if it != "."}
    neighbour = f"{chr(ord(knight[0]) - 1)}{knight[1]}"
    assert told(board).endswith(answers(placed | {neighbour: "N"}, shown.marks))


def answers(placed: dict[str, str], columns: Iterable[str]) -> str:
    """What the board says of these columns with pieces on these squares, White to move, and no rights to castle."""
    rows = ("".join(placed.get(f"{file}{rank}", ".") for file in "abcdefgh") for rank in range(8, 0, -1))
    ranks = (re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in rows)
    position = Position(f"{'/'.join(ranks)} w - - 0 1")
    return "; ".join(f"{it}: {' '.join(position.feature(it).names()) or 'none'}" for it in columns)


def drag(board: Any, start: str, end: str | None) -> None:
    mouse = board.page.mouse
    mouse.move(*place(board, start))
    mouse.down()
    x, y = place(board, end or start)
    mouse.move(x - (900 if end is None else 0), y)
    mouse.up()


def test_numbers_and_flags_are_typed(reader: Any) -> None:
    pattern = next(
        page
        for page in drawn_pages()
        if page.sort == "pattern" and "flag" in {it.kind for it in page.arguments} and len(page.arguments) < 8
    )
    board = begun(reader, pattern.name)
    drawing = next(it.drawing for it in statements_of(pattern) if it.drawing and it.drawing.arguments)
    at = next(number for number, it in enumerate(pattern.arguments) if it.kind == "flag")
    values = [int(it) for it in drawing.arguments]
    values[at] ^= 1
    board.get_by_label(pattern.arguments[at].name).click()
    answer = pattern.thing(*values)
    words = ("yes" if answer else "no") if isinstance(answer, bool) else " ".join(Bitboard(answer).names()) or "none"
    assert told(board) == f"{pattern.bare_name}: {words}"


def test_files_are_clicked_on_their_row(reader: Any) -> None:
    board = begun(reader, "islands.east_files")
    rows = board.locator(".picture svg")
    assert rows.count() == 1
    [files] = next(it.drawing.arguments for it in statements_of(pages()["islands.east_files"]) if it.drawing)
    box = rows.bounding_box()
    board.page.mouse.click(box["x"] + box["width"] * 3.5 / 8, box["y"] + 40)
    picture = board.locator(".picture")
    picture.press("ArrowRight")
    assert board.locator(".answer .at").inner_text().strip() == "the e-file."
    picture.press("Enter")
    changed = files ^ 0b0001_1000
    answer = setwise.islands.east_files(changed)
    letters = [" ".join(it for at, it in enumerate("abcdefgh") if word >> at & 1) for word in (changed, answer)]
    assert told(board) == f"east_files: {letters[1]}"
    assert rows.locator("desc").text_content() == f"files: {letters[0]}. east_files: {letters[1]}."
    shown = reader.locator("#steps-islands-east-files figure")
    assert all(
        it.count("<svg") == 1 and 'viewBox="-2 -2 804' in it
        for it in shown.evaluate_all("all => all.map(it => it.innerHTML)")
    )


def test_a_board_with_a_row_below_changes_both(reader: Any) -> None:
    board = begun(reader, "islands.fileset")
    pictures = board.locator(".picture svg")
    assert pictures.count() == 2
    [pawns] = next(it.drawing.arguments for it in statements_of(pages()["islands.fileset"]) if it.drawing)
    board.locator(".picture").press("Enter")  # on e4, where the cursor begins
    letters = " ".join(sorted({it[0] for it in (pawns | Bitboard("e4")).names()}))
    assert told(board) == f"fileset: {letters}"
    assert pictures.nth(1).locator("desc").text_content() == f"fileset: {letters}."


def test_code_is_copied(site: Path, browser: Any) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    board = begun(page, "knight.attacks")
    board.get_by_role("button", name="Copy as code").click()
    board.get_by_role("button", name="Copied").wait_for()
    code = page.evaluate("navigator.clipboard.readText()")
    assert code.startswith("from setwise import Bitboard, knight\n\nknight.attacks(Bitboard(")
    context.close()


def test_nothing_is_wider_than_a_phone_and_fingers_reach_it(site: Path, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    board = begun(page, "fork_squares")
    board.get_by_role("button", name="white queen").tap()
    x, y = place(board, "h5")
    page.touchscreen.tap(x, y)
    assert "queen" in board.locator(".picture desc").text_content()
    assert board.evaluate("it => it.getBoundingClientRect().right <= 390 && it.scrollWidth <= it.clientWidth")
    context.close()


def test_a_changed_board_is_for_everybody(reader: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe says who cannot use a page")
    begun(reader, "knight.fork_targets")
    begun(reader, "fork_squares")
    found = axe.Axe().run(reader, context={"include": [".live"]})
    assert not found.response["violations"], found.generate_report()


def test_without_scripts_the_drawings_stay(site: Path, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    assert page.locator("figure[data-board] svg").count() > 200
    assert page.get_by_role("button", name="Change").count() == 0
    context.close()


def test_a_module_that_is_missing_is_said(site: Path, browser: Any, tmp_path: Path) -> None:
    for name in ("index.html", "index.js"):
        (tmp_path / name).write_bytes((site / name).read_bytes())
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.get_by_role("button", name="Change this board").first.click()
    page.get_by_role("button", name="This board cannot be changed here: the module did not load").first.wait_for()
    page.close()


def test_what_a_reader_loads_is_small(site: Path) -> None:
    """The script with every page; the module with the first board that is changed."""
    script, module = ((site / name).read_bytes() for name in ("index.js", "module.js"))
    assert len(gzip.compress(script)) < 15_000
    assert len(module) < 300_000
