"""The built site is complete: entries, links, pictures, and nothing from elsewhere."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from statistics import median
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.depth import depth
from helpers.processes import run
from helpers.programs import needed
from setwise import catalogue
from setwise.catalogue.examples import has_steps
from setwise.catalogue.pages import Page, pages, topics
from setwise.catalogue.questions import page_address

pytestmark = pytest.mark.slow

DOCS = ROOT / "docs"
#: How pictures of boards begin; the theme's icons begin otherwise.
OUR_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-'
SPHINX_S_OWN = {"genindex", "search", "py-modindex"}
VOID = {"br", "hr", "img", "input", "link", "meta"}


class Reader(HTMLParser):
    """What the tests ask of a page: ids, links, pictures, and whether every element is closed where it should be."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.boards: set[str] = set()
        self.open: list[str] = []
        self.entry = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if tag == "a" else []
        self.loaded += [
            given[name] or "" for name in ("src", "href") if tag in {"link", "script", "img"} and name in given
        ]
        if tag == "section":
            self.entry = given.get("id") or ""
        if tag == "svg":
            self.boards.add(self.entry)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation, built without a warning."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed (the extra docs)")
    folder = tmp_path_factory.mktemp("site")
    run(sys.executable, "-m", "sphinx", "-W", "-q", "-d", tmp_path_factory.mktemp("doctrees"), DOCS, folder)
    return folder


@pytest.fixture(scope="module")
def read(site: Path) -> dict[str, Reader]:
    """The pages by their addresses; Sphinx's own, for searching, are not ours to test."""
    paths = [path for path in site.rglob("*.html") if "_static" not in path.parts and path.stem not in SPHINX_S_OWN]
    return {path.relative_to(site).as_posix(): Reader(path.read_text("utf-8")) for path in paths}


def published() -> list[Page]:
    """The pages of the catalogue itself: tests and examples define patterns, too."""
    return [page for page in pages().values() if getattr(page.thing, "__module__", "setwise.").startswith("setwise.")]


def test_every_topic_and_every_written_page_is_there(read: dict[str, Reader]) -> None:
    written = {f"{path.stem}.html" for path in DOCS.glob("*.md")}
    assert written | {f"patterns/{page.topic}.html" for page in published() if page.sort != "table"} <= read.keys()
    assert {"index.html", "columns.html", "find.html"} <= written


def test_every_page_of_the_catalogue_has_its_entry(read: dict[str, Reader]) -> None:
    for page in published():
        if page.sort == "table":
            assert read["tables.html"].ids.count(page.name) == 1, page.name
            assert page_address(page) == f"tables.html#{page.name}"
            continue
        assert page_address(page) == f"patterns/{page.topic}/{page.bare_name}.html"
        assert f"../{page_address(page)}" in read[f"patterns/{page.topic}.html"].links, page.name
        assert f"../../patterns/{page.topic}.html" in read[page_address(page)].links, page.name


def test_every_public_name_has_a_page(site: Path) -> None:
    told = "".join(path.read_text("utf-8") for path in (site / "reference").glob("*.html"))
    for name in {*setwise.__all__} - {*topics(), "squares", "geometry"}:  # whose names are squares and tables
        assert f'id="setwise.{name}"' in told or f'id="module-setwise.{name}"' in told, name


def test_every_pattern_and_feature_has_a_board_and_a_reason(site: Path) -> None:
    for page in published():
        if page.sort in {"pattern", "feature"}:
            entry = (site / page_address(page)).read_text("utf-8").partition('<section class="entry">')[2]
            assert "<svg" in entry or page.topic == "bits", page.name
            assert "<h2>Formula</h2>" in entry, page.name
            assert "<h2>Why it works</h2>" in entry, page.name
            assert entry.count("Other forms") == bool(page.forms), page.name
            assert ('class="stepwise"' in entry) == has_steps(page.name), page.name


def test_every_link_leads_somewhere(site: Path, read: dict[str, Reader]) -> None:
    for name, page in read.items():
        assert page.links
        for link in page.links:
            if link.startswith(("https://", "http://")):
                continue
            file, _, anchor = link.partition("#")
            aim = (site / name).parent / file if file else site / name
            assert aim.exists(), f"{name}: {link}"
            known = read.get(aim.resolve().relative_to(site.resolve()).as_posix())
            assert not anchor or known is None or anchor in known.ids, f"{name}: {link}"


def test_ids_are_unique(read: dict[str, Reader]) -> None:
    for name, page in read.items():
        assert len(page.ids) == len(set(page.ids)), name


def test_nothing_is_loaded_from_elsewhere(site: Path, read: dict[str, Reader]) -> None:
    for name, page in read.items():
        for file in page.loaded:
            assert ((site / name).parent / file.partition("?")[0]).exists(), f"{name}: {file}"
    assert not re.search("@import|url", (site / "_static" / "style.css").read_text("utf-8"))


def test_every_picture_is_whole(site: Path) -> None:
    for path in [*site.glob("*.html"), *site.glob("patterns/**/*.html")]:
        for part in path.read_text("utf-8").split(OUR_SVG)[1:]:
            picture = ET.fromstring(f"{OUR_SVG}{part.partition('</svg>')[0]}</svg>")  # noqa: S314  (our own)
            assert picture.find("{http://www.w3.org/2000/svg}title") is not None


def test_a_column_of_lists_is_shown_as_one(site: Path) -> None:
    page = (site / "columns.html").read_text("utf-8")
    assert '<code id="nags">nags</code></td><td>list of uint8</td>' in page
    assert '<code id="event">event</code></td><td>string</td>' in page


def test_commands_are_run_when_the_site_is_built(site: Path) -> None:
    page = (site / "find.html").read_text("utf-8")
    assert "[] own_safe_royal_fork_squares: f2" in page
    assert "did you mean white_royal_fork_squares" in page


def test_the_page_of_questions_shows_the_lines_that_run(site: Path) -> None:
    page = unescape((site / "questions.html").read_text("utf-8"))
    shown = catalogue.questions()
    assert [question.line for question in shown if question.line not in page] == []
    boards = page.count(OUR_SVG)
    assert page.count('<section class="entry"') == boards == len(shown) > 30


def test_the_map_shows_every_topic_and_the_rose_every_step(site: Path) -> None:
    drawn = (site / "map.html").read_text("utf-8")
    shipped = [
        name for name in topics() if name in {*setwise.__all__, "features"}
    ]  # tests define patterns of their own
    assert [name for name in shipped if f'href="patterns/{name}.html"><rect' not in drawn] == []
    rose = (site / "patterns" / "compass.html").read_text("utf-8").partition('<table class="rose">')[2]
    cells = re.findall(r'compass/(\w+).html"><code>\w+</code></a><br><small>([+-]\d+)', rose.partition("</table>")[0])
    steps = {
        "north": 8, "south": -8, "east": 1, "west": -1, "north_east": 9, "north_west": 7, "south_east": -7,
        "south_west": -9, "no_no_ea": 17, "no_ea_ea": 10, "so_ea_ea": -6, "so_so_ea": -15, "so_so_we": -17,
        "so_we_we": -10, "no_we_we": 6, "no_no_we": 15,
    }  # fmt: skip
    assert {name: int(added) for name, added in cells} == steps


@pytest.fixture(scope="module")
def phone() -> Iterator[Any]:
    """A page on the screen of a phone, where more scrolls."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=needed("chromium"), args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 390, "height": 844})
        browser.close()


@pytest.mark.parametrize("name", [
    "map", "techniques", "patterns/slider_ways", "patterns/slider_ways/rook_by_fancy_magic",
    "walk_moves", "walk_pawns", "walk_tactics", "walk_engines", "engines", "questions", "patterns/compass",
    "patterns/features", "index", "find", "fuzzing", "moves", "named_mates", "training", "reference/position",
    "patterns/islands", "patterns/mates", "patterns/pawns", "speed", "web",
][:: depth(3, 1)])  # fmt: skip
def test_axe_finds_nothing_wrong(site: Path, phone: Any, name: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    phone.goto((site / f"{name}.html").as_uri())
    found = axe.Axe().run(phone, context={"include": ["article"]})
    assert [(it["id"], [node["html"][:200] for node in it["nodes"]]) for it in found.response["violations"]] == []


def test_no_page_scrolls_sideways_on_a_phone(site: Path, read: dict[str, Reader], phone: Any) -> None:
    heights = []
    for name in [*read][:: depth(3, 1)]:
        phone.goto((site / name).as_uri(), wait_until="domcontentloaded")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390, name
        heights.append(phone.evaluate("document.documentElement.scrollHeight"))
    assert median(heights) < 2500


def rows(heading: str) -> list[str]:
    """What stands in the second column of a table of the page for users of CQL and Scid."""
    _, _, below = (DOCS / "coming.md").read_text("utf-8").partition(f"## {heading}\n")
    cells = [
        re.split(r"(?<!\\)\|", line)[2] for line in below.partition("\n## ")[0].splitlines() if line.startswith("|")
    ]
    return [code.replace("\\|", "|") for cell in cells[2:] for code in re.findall("`([^`]+)`", cell)]


def test_what_users_of_cql_ask_runs() -> None:
    conditions = rows("CQL")
    counts = [setwise.find(condition, FAMOUS_GAMES, columns=["ply"]).num_rows for condition in conditions]
    assert len(counts) > 20
    assert sum(count > 0 for count in counts) > 20


CROSS_CHECK = '[FEN "4r3/8/8/8/8/8/8/R3K2k w - - 0 1"]\n\n1. Kd2+ *\n'
CASTLING_CHECK = '[FEN "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1"]\n\n1. O-O-O+ Ke7 *\n'
TWO_CHECKS = '[FEN "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"]\n\n1. Ra8+ Kd7 2. Ra7+ *\n'


@pytest.mark.parametrize(
    ("asked", "game", "plies"),
    [
        ("line --> check --> check", CROSS_CHECK, [0]),
        ("line --> check --> check", TWO_CHECKS, []),
        ("line --> check --> . --> check", TWO_CHECKS, [1]),
        ("line --> move castle --> check", CASTLING_CHECK, [0]),
        ("line --> move castle --> check", TWO_CHECKS, []),
        ("find stalemate", "1. e4 *", []),
        ("find <-- check", TWO_CHECKS, [1, 2, 3]),
    ],
)
def test_what_cql_looks_for_along_a_game_is_found(asked: str, game: str, plies: list[int]) -> None:
    """The next position is one ply on, and every other one two."""
    [row] = [line for line in (DOCS / "coming.md").read_text("utf-8").splitlines() if f"`{asked}`" in line]
    left, right = (re.findall("`([^`]+)`", cell) for cell in row.split("|")[1:3])
    found = setwise.find(right[left.index(asked)], game.encode(), columns=["ply"])
    assert found["ply"].to_pylist() == plies


def test_what_users_of_scid_do_runs(tmp_path: Path) -> None:
    commands = [line for line in rows("Scid") if line.startswith("setwise ")]
    for command in commands:
        words = shlex.split(command.replace("clean", f"{tmp_path}/clean"))
        words = [str(FAMOUS_GAMES) if word == "games" else word for word in words]
        assert run(sys.executable, "-m", *words).stdout or "-o" in words, command
    assert len(commands) > 5
