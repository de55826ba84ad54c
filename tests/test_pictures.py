"""Pictures: boards of positions, heat maps, PNG, pages of games, what notebooks show."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import chess
import chess.pgn
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from setwise import Bitboard, Game, Move, Position, Positions, notebooks, view
from setwise.view.svg import COLORS

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314  (of our own making)


# --------------------------------------------------------------------------------------------------------------- boards


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, MATED, "8/8/4k3/8/8/3K4/8/8 b - - 0 1"])
def test_a_position_a_board_and_their_letters_look_the_same(fen: str) -> None:
    position, board = Position(fen), chess.Board(fen)
    assert view.board_svg(position) == view.board_svg(board)
    check = [board.king(board.turn)] if board.is_check() else []
    assert view.board_svg(position.piece_string(), check=check) == view.board_svg(position)
    assert view.draw(position, color=True, unicode=True) == view.draw(board, color=True, unicode=True)


def test_the_king_in_check_is_tinted_unless_somebody_knows_better() -> None:
    king = drawn(view.board_svg(Position(MATED))).find(f".//{SVG}g[@fill='{COLORS['check']}']/{SVG}path")
    assert king is not None
    assert king.get("transform") == "translate(400 700)"
    assert COLORS["check"] not in view.board_svg(Position(MATED), check=0)
    assert COLORS["check"] not in view.board_svg(Position())


def test_moves_are_drawn_as_their_squares() -> None:
    for move in (Move.from_uci("d8h4"), chess.Move.from_uci("d8h4")):
        assert view.board_svg(Position(MATED), last_move=move, arrows=[move]) == view.board_svg(
            Position(MATED), last_move="d8 h4", arrows=["d8h4"]
        )


def test_colours_are_those_that_are_chosen() -> None:
    chosen = {"light": "#fff", "dark": "tan", "last_move": "#123456", "check": "red", "arrow": "blue", "forks": "#0f0f"}
    svg = view.board_svg(Position(MATED), {"forks": "e4"}, last_move="d8 h4", arrows=["d8h4"], colors=chosen)
    assert not [color for color in COLORS.values() if color in svg]
    assert all(f'"{color}"' in svg for color in chosen.values())


@pytest.mark.parametrize("name", list(COLORS))
def test_a_set_may_be_named_like_a_part_of_the_board(name: str) -> None:
    """It looks like a set of any other name, on the board and in the legend, until somebody chooses its colour."""
    shown, usual = (view.board_svg(Position(), {it: "e4", "other": "a1"}, arrows=["g1f3"]) for it in (name, "forks"))
    assert shown.replace(name, "forks") == usual
    colored = view.board_svg(Position(), {name: "e4", "other": "a1"}, colors={name: "#123456"})
    assert colored.count('fill="#123456" fill-opacity=".8"') == 2


@pytest.mark.parametrize(
    ("colors", "says"),
    [
        ({"lihgt": "red"}, "there is no colour 'lihgt'; did you mean light?"),
        ({"forks": "red"}, "there is no colour 'forks'"),
        ({"light": 'red" onload="x'}, "the colour of light is a name that CSS knows or #rrggbb"),
        ({"light": 7}, "the colour of light is a name that CSS knows or #rrggbb, not 7"),
    ],
)
def test_colours_that_are_none_are_refused(colors: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        view.board_svg(Position(), colors=colors)


# ------------------------------------------------------------------------------------------------------------ heat maps


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_squares_are_counted(sets: list[int]) -> None:
    counts = Counter(square for it in sets for square in Bitboard(it))
    expected = [counts[square] for square in range(64)]
    assert view.square_counts(np.array(sets, np.uint64)).tolist() == expected
    assert view.square_counts([Bitboard(it) for it in sets]).tolist() == expected
    assert view.square_counts(pa.array(sets, pa.uint64())).tolist() == expected


def test_many_sets_are_counted_in_parts() -> None:
    sets = np.random.default_rng(1).integers(0, 2**64, 200_001, np.uint64)
    assert view.square_counts(sets).tolist() == [int((sets >> np.uint64(k) & np.uint64(1)).sum()) for k in range(64)]


@pytest.mark.parametrize("wrong", [[-1], [2**64], [1.5], ["e4"], [None]])
def test_what_is_no_set_is_not_counted(wrong: list[object]) -> None:
    with pytest.raises(ValueError, match="sets are unsigned numbers of 64 bits"):
        view.square_counts(wrong)


def test_a_heat_map_is_darkest_where_the_number_is_largest() -> None:
    picture = drawn(view.heatmap({"e4": 12_345, "d5": 6_000, 63: 999}, title="<where>"))
    squares = [it.get("fill", "") for it in picture.findall(f"{SVG}path")][1:]
    darkness = [sum(int(color[at : at + 2], 16) for at in (1, 3, 5)) for color in squares]
    assert sorted(range(64), key=darkness.__getitem__)[:3] == [28, 35, 63]
    assert [it.text for it in picture.findall(f"{SVG}text")] == ["12.3k", "6k", "999"]
    assert picture[0].text == "<where>"
    assert picture[1].text == "Most on e4 12.3k, d5 6k, h8 999."


def test_a_heat_map_is_turned_with_the_board() -> None:
    [white], [black] = (
        re.findall(r'<text x="(\d+)" y="(\d+)" font-size="28"', view.heatmap({"a1": 1}, side=side))
        for side in ("white", "black")
    )
    assert (white, black) == (("50", "760"), ("750", "60"))


def test_nothing_anywhere_is_a_picture_too() -> None:
    assert "Nothing anywhere." in view.heatmap([0] * 64)


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ([1] * 63, "a board has 64 numbers, a1 b1 … h8; here are 63"),
        ([*[0] * 63, -1], "a number on a heat map is not below zero; h8 has -1"),
        ([float("nan"), *[0] * 63], "a number on a heat map is not below zero; a1 has nan"),
        ({64: 1}, "squares are numbered from 0 to 63, not 64"),
        ({"j9": 1}, "j9"),
    ],
)
def test_what_is_no_heat_map_is_refused(counts: object, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        view.heatmap(counts)


# ------------------------------------------------------------------------------------------------------------------ PNG


def test_png_has_as_many_pixels_as_are_asked_for() -> None:
    pytest.importorskip("resvg_py", reason="resvg_py is not installed (the extra png)")
    for scale in (1, 2.5):
        data = view.png(view.board_svg(Position(), size=200, coordinates=False), scale=scale)
        assert data.startswith(b"\x89PNG")
        assert int.from_bytes(data[16:20], "big") == 200 * scale


@pytest.mark.parametrize("wrong", [("no svg", 1), (view.board_svg(), 0), (view.board_svg(), float("nan"))])
def test_what_cannot_be_a_png_is_refused(wrong: tuple[str, float]) -> None:
    pytest.importorskip("resvg_py", reason="resvg_py is not installed (the extra png)")
    with pytest.raises(ValueError, match=r"not SVG|a scale"):
        view.png(wrong[0], scale=wrong[1])


# ---------------------------------------------------------------------------------------------------------------- games


def test_a_game_s_page_goes_through_its_moves_as_python_chess_does() -> None:
    [games] = setwise.read_pgn(FAMOUS_GAMES, notes=True, batch_bytes=1 << 24)
    with FAMOUS_GAMES.open(encoding="utf-8") as file:
        for game in games[:10]:
            told = json.loads(re.search('data-game="([^"]*)"', game.html())[1].replace("&quot;", '"'))
            other = chess.pgn.read_game(file)
            board, letters = other.board(), dict(enumerate(told["start"]))
            for move, change, san in zip(other.mainline_moves(), told["changes"], told["moves"], strict=True):
                assert san.rstrip("!?") == board.san(move)
                board.push(move)
                letters |= {chess.parse_square(it[:2]): it[2] for it in re.findall("...", change)}
                assert {at: it for at, it in letters.items() if it != "."} == {
                    at: piece.symbol() for at, piece in board.piece_map().items()
                }


def test_what_is_noted_beside_moves_is_told_in_words() -> None:
    game = Game.from_pgn("{ before } 1. e4 $1 { [%clk 0:00:59.4] [%eval -1.5] <b> } e5 $6 { [%eval #3] } 2. Nf3 *")
    told = json.loads(re.search('data-game="([^"]*)"', game.html())[1].replace("&quot;", '"').replace("&lt;", "<"))
    assert told["moves"] == ["e4!", "e5?!", "Nf3"]
    assert told["notes"] == {"0": "before", "1": "0:00:59 · -1.50 · <b&gt;", "2": "mate in 3 for White"}


@pytest.mark.parametrize("elo", ["2851", "0", "?", "", "-5", "9" * 5000, "0" * 4999 + "7", "12345", "٣", "²", "2851.5"])
def test_a_rating_is_shown_where_the_column_has_one(elo: str) -> None:
    """Of digits without end, or of another script, there is a page all the same."""
    text = f'[White "Carlsen"]\n[Black "Anand"]\n[WhiteElo "{elo}"]\n\n1. e4 *\n'
    [rating] = setwise.find("ply = 0", text.encode(), columns=["white_elo"])["white_elo"].to_pylist()
    game = Game.from_pgn(text)
    for page in (game.html(), game._repr_html_()):
        assert (f"Carlsen ({rating})" in page, "Carlsen" in page) == (bool(rating), True)


def test_a_page_in_a_notebook_reaches_nothing() -> None:
    shown = Game.from_pgn('[White "</iframe><script>"] 1. e4 *')._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" ')
    assert shown.count("<") == 2


# ------------------------------------------------------------------------------------------------------------ notebooks


def test_columns_have_a_short_form_and_one_for_notebooks() -> None:
    [games] = setwise.read_pgn(FAMOUS_GAMES, batch_bytes=1 << 24)
    positions = games.positions()
    assert repr(games) == f"<Games: 41 games of {FAMOUS_GAMES}, 2,471 moves>"
    assert repr(positions) == "<Positions: 2,512 of 41 games>"
    assert repr(Positions.from_fens([chess.STARTING_FEN])) == "<Positions: 1>"
    table = drawn(games._repr_html_())
    assert len(table.findall("tbody/tr")) == 10
    assert [it.text for it in table.findall("tbody/tr/td")[1:3]] == [games[0].tags["White"], games[0].tags["Black"]]
    boards = drawn(f"<x>{positions._repr_html_()}</x>")
    assert len(boards.findall(f".//{SVG}svg")) == 4
    assert boards.find(".//figcaption").text == positions[0].fen()


def test_found_positions_are_shown_as_boards_and_a_table() -> None:
    found = setwise.find("own_safe_royal_fork_squares <> 0", FAMOUS_GAMES)
    shown = drawn(f"<x>{notebooks.html_of(found)}</x>")
    assert len(shown.findall(f".//{SVG}svg")) == 3
    forks = Bitboard(found["own_safe_royal_fork_squares"][0].as_py())
    assert shown.find(f".//{SVG}desc").text.endswith(f" own_safe_royal_fork_squares: {' '.join(forks.names())}.")
    names = [it.text for it in shown.findall(".//th")]
    first = dict(zip(names, [it.text for it in shown.find(".//tbody/tr")], strict=True))
    assert first["own_safe_royal_fork_squares"] == " ".join(forks.names())
    assert notebooks.html_of(found.slice(1).select(["ply"])).count("<svg") == 0


def test_answers_of_sql_are_shown_and_other_tables_left_alone() -> None:
    answer = setwise.sql("select white_name, count(*) as n from positions group by all", FAMOUS_GAMES)
    assert "<th scope" in notebooks.html_of(answer)
    joined = setwise.sql("select fen, 1 as a, fen, 2 as a from positions where ply = 0 limit 1", FAMOUS_GAMES)
    shown = drawn(f"<x>{notebooks.html_of(joined)}</x>")
    assert [it.text for it in shown.findall(".//tbody/tr/td")] == [chess.STARTING_FEN, "1", chess.STARTING_FEN, "2"]
    assert len(shown.findall(f".//{SVG}svg")) == 1
    assert notebooks.html_of(pa.table({"fen": [chess.STARTING_FEN]})) is None


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # Jupyter's own
def test_the_notebook_of_the_examples_runs(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    notebook = nbformat.read(ROOT / "examples" / "five_minutes.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not [cell for cell in notebook.cells if cell.get("outputs")], "a notebook is kept without its answers"
    done = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": ROOT / "examples"}}).execute()
    shown = [output.get("data", {}) for cell in done.cells for output in cell.get("outputs", [])]
    assert sum("image/svg+xml" in it for it in shown) >= 3
    tables = [it["text/html"] for it in shown if "text/html" in it]
    assert any("<svg" in it and "<table" in it for it in tables), "find shows boards and rows"
    assert any("<iframe" in it for it in tables), "a game is shown to click through"


def test_the_picture_of_the_readme_is_what_it_shows() -> None:
    position = Position("2r1r3/5pk1/6bp/8/Np1qnRP1/1P1Q2P1/6BP/1N1R3K b - - 0 34")
    title = "34... Nf2+, Karpov – Kasparov, 1985"
    forks = {"own_safe_royal_fork_squares": position.feature("own_safe_royal_fork_squares")}
    assert position.fen() in (ROOT / "README.md").read_text("utf-8")
    shown = view.board_svg(position, forks, arrows=["e4f2"], title=title)
    assert (ROOT / "docs" / "fork.svg").read_text("utf-8") == shown + "\n"
