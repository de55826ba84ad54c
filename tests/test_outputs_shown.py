"""What people see of results: pages in HTML, boards in a terminal, texts of others that give no orders."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.svg
import polars as pl
import pytest

import setwise
from helpers.data import FAMOUS_GAMES as GAMES
from helpers.programs import needed
from helpers.written import AWKWARD, FORKS, ROWS, games_in, write
from setwise.cli.app import run
from setwise.corpus.outputs import Request, by_suffix
from setwise.corpus.outputs.boards import Boards
from setwise.corpus.outputs.summary import summaries
from setwise.corpus.query.search import Query, planned, search
from setwise.view.svg import COLORS, PLAYED


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    rows = setwise.find(FORKS, GAMES, columns=ROWS).to_pylist()
    assert rows
    return rows


# ----------------------------------------------------------------------------------------------------------------- HTML


class Page(HTMLParser):
    """The elements of a page, checked for being closed."""

    VOID = frozenset({"meta"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def test_a_page_shows_every_match_and_its_whole_game(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    page = Page(write(tmp_path / "x.html", FORKS).read_text())
    assert page.open == []
    articles = page.all("article")
    originals = games_in(GAMES)
    for article, row in zip(articles, expected, strict=True):
        game = json.loads(article["data-game"] or "")
        board = originals[row["game"] - 1].board()
        assert game["moves"] == [node.san() for node in originals[row["game"] - 1].mainline()]
        pieces = dict(enumerate(game["start"]))
        for change, move in zip(game["changes"], originals[row["game"] - 1].mainline_moves(), strict=True):
            board.push(move)
            for part in re.findall("...", change):
                pieces[chess.parse_square(part[:2])] = part[2]
            assert {square: letter for square, letter in pieces.items() if letter != "."} == {
                square: piece.symbol() for square, piece in board.piece_map().items()
            }
    assert any(FORKS in text for text in page.texts)


def test_a_page_asks_for_nothing(tmp_path: Path) -> None:
    text = write(tmp_path / "x.html", "true", AWKWARD).read_text()
    page = Page(text)
    loads = [
        (tag, value)
        for tag, attributes in page.elements
        for name, value in attributes.items()
        if name in {"src", "srcset", "href", "action", "data", "poster", "background"} and tag != "a"
    ]
    assert all((value or "").startswith("#") for _, value in loads)
    assert {tag for tag, _ in page.elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "base"})
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_a_page_holds_texts_as_texts(tmp_path: Path) -> None:
    page = Page(write(tmp_path / "x.html", "white_name <> '</title><script>'", AWKWARD).read_text())
    assert len(page.all("script")) == 1
    assert not page.all("b")
    assert any('O\'Neil, "Tab" \\ | <b>' in text for text in page.texts)
    links = [attributes["href"] for attributes in page.all("a")]
    assert links[0] == "https://lichess.org/abcdefgh#0"
    assert links[1] == "https://lichess.org/abcdefgh/black#1"


def test_a_browser_shows_the_page_and_moves_the_pieces(tmp_path: Path) -> None:
    path = write(tmp_path / "x.html", "ply = 3", AWKWARD)
    clicks = (
        "<script>document.querySelectorAll('.steps button')[0].click();"
        "document.title=document.querySelector('output').value+'|'+document.querySelectorAll('.pieces use').length;"
        "document.querySelectorAll('.steps button')[3].click();document.querySelectorAll('.steps button')[1].click();"
        "document.title+='|'+document.querySelector('output').value+'|'"
        "+document.querySelector('article').className</script>"
    )
    path.write_text(path.read_text().replace("</body>", f"{clicks}</body>"))
    command = [needed("chromium"), "--headless"]
    command += ["--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    ran = subprocess.run(
        [*command, "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    assert "<title>the start|32|3. Bb5|away</title>" in ran.stdout


# ------------------------------------------------------------------------------------------------ texts of others

#: Orders to a terminal, of C0 and C1, a turn of direction, the ends of a cell and of a line, links, HTML, a formula.
ORDERS = "\x1b]0;title\x07\x9b31m\x7f\u202e\u2066\t"
TRICKS = "| [x](javascript:alert(1)) ![y](https://example.org/z.png) <script>alert(2)</script> www.example.org `c`"
NASTY = f"""[White "=HYPERLINK({ORDERS})"]
[Black "{TRICKS}"]
[Event "{ORDERS}"]

1. e4 {{{ORDERS} two
lines}} *
""".encode()
NAMES = ["white_name", "black_name", "event", "comment"]
CONTROLS = {letter for letter in ORDERS if not letter.isprintable()} | {"\r", "\n"}


@pytest.mark.parametrize("ending", by_suffix())
def test_texts_of_others_are_texts_in_every_format(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"x{ending}", "ply = 0", NASTY, None if ending in {".fen", ".epd"} else NAMES)
    [row] = setwise.find("ply = 0", NASTY, columns=NAMES).to_pylist()
    assert row["white_name"] == f"=HYPERLINK({ORDERS})"
    match ending:  # what machines read is whole
        case ".parquet" | ".arrow":
            read = pl.read_parquet(path) if ending == ".parquet" else pl.read_ipc(path)
            assert read.to_dicts() == [row]
        case ".csv":
            assert list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline=""))) == [row]
        case ".jsonl":
            assert json.loads(path.read_bytes()) == row
        case ".pgn":
            assert f'[White "{row["white_name"]}"]' in path.read_bytes().decode()
    if ending not in {".parquet", ".arrow", ".csv", ".pgn"}:  # what people read gives no orders
        lines = path.read_bytes().decode()
        assert set(lines) & CONTROLS <= {"\n"} | ({"\t"} if ending == ".tsv" else set())
    if ending == ".tsv":
        assert [len(line.split("\t")) for line in path.read_text("utf-8").splitlines()] == [4, 4]


def test_markdown_makes_nothing_of_texts(tmp_path: Path) -> None:
    from markdown_it import MarkdownIt

    text = write(tmp_path / "x.md", "ply = 0", NASTY, NAMES).read_text("utf-8")
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    inside = [child for token in tokens for child in token.children or []]
    assert {child.type for child in inside} <= {"text", "text_special"}
    shown = ["".join(child.content for child in token.children or []) for token in tokens if token.type == "inline"]
    assert len(shown) == 8
    assert shown[5] == TRICKS
    assert not re.search(r"(?<!\\)[\[\]]|(?<!\\)://|www\.", text)  # which others make links of


def test_the_first_position_of_a_game_shows_no_move_before_it() -> None:
    found = search(planned(b"1. e4 e5 * 1. d4 *", Query("true")), threads=1)
    last = [match.last_move for result in found for match in summaries(result)]
    assert last == [None, "e2e4", "e7e5", None, "d2d4"]


def test_a_page_holds_nothing_that_games_bring(tmp_path: Path) -> None:
    page = Page(write(tmp_path / "x.html", "ply = 0", NASTY, NAMES).read_text("utf-8"))
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert {attributes["href"].split(":")[0] for attributes in page.all("a")} == {"https"}


#: In both games a knight forks king and queen, and a pawn is moved.
_MISSED = (
    b'[FEN "6k1/5ppp/8/8/3Q4/2n5/5PPP/6K1 b - - 0 1"]\n\n1... h6 2. h3 *\n\n'
    b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"]\n\n1. h3 h6 *\n'
)
_SENTENCES = (
    "1... h6 was played; 1... Ne2+, a fork, wins at least 10 pawns more.",
    "1. h3 was played; 1. Ne7+, a fork, wins at least 10 pawns more.",
)


@pytest.mark.parametrize("options", [[], ["--columns", "san"]])
def test_a_missed_chance_is_drawn_green_beside_the_red_move_with_its_side_below(
    tmp_path: Path, options: list[str]
) -> None:
    """In PGN, on a page and in a terminal; a sentence says what was missed."""
    file = tmp_path / "missed.pgn"
    file.write_bytes(_MISSED)
    given = ["missed_fork", str(file), *options]
    assert run(["find", *given, "-o", str(tmp_path / "out.pgn")]) == 0
    stream = io.StringIO((tmp_path / "out.pgn").read_text())
    for sentence, moves in zip(_SENTENCES, (("h7h6", "c3e2"), ("h2h3", "c6e7")), strict=True):
        game = chess.pgn.read_game(stream)
        assert game is not None
        drawn = {it.color: chess.square_name(it.tail) + chess.square_name(it.head) for it in game.arrows()}
        assert drawn == dict(zip(("red", "green"), moves, strict=True))
        assert game.comment.startswith(sentence)

    assert run(["find", *given, "-o", str(tmp_path / "out.html")]) == 0
    page = Page((tmp_path / "out.html").read_text())
    assert [it.get("data-side") for it in page.all("article")] == ["black", "white"]
    text = (tmp_path / "out.html").read_text()
    assert all(f'<p class="next">{sentence}</p>' in text for sentence in _SENTENCES)
    turns = re.findall(r'fill="(#\w+)" fill-opacity=".75" transform="translate\((\d+) (\d+)\) rotate', text)
    # seen from their own side both move the same pawn up, and the knights jump to mirrored squares
    red, green = PLAYED, COLORS["arrow"]
    assert [(color, int(x) // 100, int(y) // 100) for color, x, y in turns] == [
        (red, 0, 6), (green, 5, 2), (red, 7, 6), (green, 2, 2),
    ]  # fmt: skip
    assert run(["find", *given, "-o", str(tmp_path / "white.html"), "--side", "white"]) == 0
    sides = Page((tmp_path / "white.html").read_text()).all("article")
    assert [it.get("data-side") for it in sides] == ["white", "white"]


@pytest.mark.parametrize("color", [True, False])
def test_a_terminal_tints_the_squares_of_a_missed_chance(color: bool) -> None:
    shown = io.BytesIO()
    query = Query("missed_fork")
    questions = list(planned(_MISSED, query))
    output = Boards(shown, Request(questions[0][1].schema, color=color))
    for found in search(questions):
        output.write(found)
    text = shown.getvalue().decode()
    assert [line.split("    ")[0] for line in text.splitlines() if "was played" in line] == list(_SENTENCES)
    grounds = [set(re.findall(r"48;5;(\d+)", line)) for line in text.splitlines() if "48;5;" in line]
    tinted = [grounds_of & {"167", "124", "71", "28"} for grounds_of in grounds]
    # h7h6 and c3e2, seen from Black, are on the same rows as h2h3 and c6e7 from White
    one = [set(), {"71"}, {"28"}, set(), set(), {"124"}, {"167"}, set()]
    two = [set(), {"28"}, {"71"}, set(), set(), {"167"}, {"124"}, set()]
    assert tinted == ([*one, *two] if color else [])
    assert re.search(r"\n.{0,60}h.*g.*f.*e.*d.*c.*b.*a", text)
