"""The built site is complete: entries, links, pictures, and nothing from elsewhere."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from helpers.data import ROOT
from setwise.catalogue.pages import Page, pages, topics
from setwise.catalogue.steps import has_steps
from setwise.corpus.columns import COLUMNS
from setwise.corpus.language.functions import function_names

BUILD = ROOT / "docs" / "build.py"
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
            self.entry = given["id"] or ""
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
    specification = importlib.util.spec_from_file_location("build_docs", BUILD)
    assert specification is not None
    assert specification.loader is not None
    build = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(build)
    folder = tmp_path_factory.mktemp("site")
    build.build(folder)
    return folder


@pytest.fixture(scope="module")
def read(site: Path) -> dict[str, Reader]:
    return {path.name: Reader(path.read_text("utf-8")) for path in site.glob("*.html")}


def published() -> list[Page]:
    """The pages of the catalogue itself: tests and examples define patterns, too."""
    return [page for page in pages().values() if getattr(page.thing, "__module__", "setwise.").startswith("setwise.")]


def test_every_topic_and_every_written_page_is_there(read: dict[str, Reader]) -> None:
    written = {f"{path.stem}.html" for path in BUILD.parent.glob("*.md")}
    assert read.keys() == written | {f"{name}.html" for name in topics()}
    assert {"index.html", "columns.html", "find.html"} <= written


def test_a_page_that_has_the_name_of_a_topic_stands_before_its_entries(site: Path) -> None:
    shared = [path for path in (ROOT / "docs").glob("*.md") if path.stem in topics()]
    assert shared
    for path in shared:
        text = unescape((site / f"{path.stem}.html").read_text("utf-8"))
        heading = path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        entries = f"<h2>{topics()[path.stem].title}</h2>"
        assert -1 < text.find(f"<h1>{heading}</h1>") < text.find(entries)


def test_every_page_of_the_catalogue_has_its_entry(read: dict[str, Reader]) -> None:
    for page in published():
        file, entry = ("tables.html", page.name) if page.sort == "table" else (f"{page.topic}.html", page.bare_name)
        assert read[file].ids.count(entry) == 1, page.name


def test_every_pattern_and_feature_has_a_board(read: dict[str, Reader]) -> None:
    for page in published():
        if page.sort in {"pattern", "feature"} and page.topic != "bits":
            assert page.bare_name in read[f"{page.topic}.html"].boards, page.name


def test_every_pattern_and_feature_says_why_it_works(site: Path) -> None:
    entries = {
        (topic, entry.partition('"')[0]): entry
        for topic in topics()
        for entry in (site / f"{topic}.html").read_text("utf-8").split('<section class="entry" id="')[1:]
    }
    for page in published():
        if page.sort in {"pattern", "feature"}:
            entry = entries[page.topic, page.bare_name]
            assert "<h3>Formula</h3>" in entry, page.name
            assert "<h3>Why it works</h3>" in entry, page.name
            assert entry.count("Other forms") == bool(page.forms), page.name
            assert ('class="stepwise"' in entry) == has_steps(page.name), page.name


def test_every_link_leads_somewhere(site: Path, read: dict[str, Reader]) -> None:
    for name, page in read.items():
        assert page.links
        for link in page.links:
            if link.startswith("https://"):
                continue
            file, _, anchor = link.partition("#")
            assert not file or (site / file).exists(), f"{name}: {link}"
            assert not anchor or anchor in read[file or name].ids, f"{name}: {link}"


def test_ids_are_unique_and_elements_are_closed(read: dict[str, Reader]) -> None:
    for name, page in read.items():
        assert len(page.ids) == len(set(page.ids)), name
        assert page.open == [], name


def test_nothing_is_loaded_from_elsewhere(site: Path, read: dict[str, Reader]) -> None:
    for page in read.values():
        assert all((site / file).exists() for file in page.loaded)
    assert not re.search("@import|url", (site / "style.css").read_text("utf-8"))


def test_every_picture_is_whole(site: Path) -> None:
    for path in site.glob("*.html"):
        for part in path.read_text("utf-8").split("<svg ")[1:]:
            picture = ET.fromstring(f"<svg {part.partition('</svg>')[0]}</svg>")  # noqa: S314  (our own)
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
    questions = tomllib.loads((BUILD.parent / "questions.toml").read_text("utf-8"))["question"]
    known = {*COLUMNS, *function_names()}
    shown = [question for question in questions if question.get("find", question.get("sql")) in page]
    assert shown == [question for question in questions if question.get("waits_for", "ply") in known]
    assert page.count("<section") == page.count("<svg") == len(shown) > 30
