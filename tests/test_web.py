"""The questions of the workbench without a browser: positions, switches, steps, sets as numbers."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")
pytest.importorskip("httpx2", reason="Starlette's test client needs httpx2")

import chess.pgn
from starlette.testclient import TestClient

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.mappings import naive_bits
from helpers.web import ask
from setwise import Bitboard, Position, catalogue
from setwise.catalogue.tables import MAPPINGS, applied
from setwise.corpus.language.condition import Values
from setwise.features import FEATURES
from setwise.position.positions import Positions
from setwise.web.server import application

FORK = "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"
KINGLESS = "8/2p5/8/3N4/8/8/5P2/8 b - - 0 1"
SOURCES = [str(FAMOUS_GAMES)]
#: Features whose code is there when the workbench starts.
READY = ("attacks", "safe_fork_squares")


@pytest.fixture(scope="module")
def bench() -> Iterator[TestClient]:
    for name in READY:
        Position().feature(f"white_{name}")  # compiled, if that is still to do
    with TestClient(application(SOURCES), base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


# ------------------------------------------------------------------------------------------------------------ questions


def test_a_position_is_told_as_it_is(bench: TestClient) -> None:
    for fen in (chess.STARTING_FEN, FORK, "8/P6k/8/8/8/8/8/K7 w - - 0 1", "k7/2Q5/8/8/8/8/8/K7 b - - 0 1"):
        board = chess.Board(fen)
        told = ask(bench, "board", fen=fen)
        assert told["fen"] == fen
        assert [None if it == "." else it for it in told["pieces"]] == [
            piece and piece.symbol() for piece in map(board.piece_at, range(64))
        ]
        assert sorted(map(tuple, told["moves"])) == sorted((move.uci(), board.san(move)) for move in board.legal_moves)
        assert told["state"] == ("stalemate" if board.is_stalemate() else "")
    assert ask(bench, "board", fen="")["fen"] == chess.STARTING_FEN


def test_a_position_without_kings_is_drawn_and_not_played(bench: TestClient) -> None:
    told = ask(bench, "board", fen=KINGLESS, on=["white:knight.attacks", "black_pawn_attacks"])
    assert told["moves"] is None
    assert any("king" in fault for fault in told["faults"])
    assert [mark["word"] for mark in told["marks"]] == [
        f"{int(setwise.knight.attacks(Bitboard('d5'))):016x}", f"{int(Bitboard('b6 d6')):016x}",
    ]  # fmt: skip


def test_moves_are_played_by_the_rules(bench: TestClient) -> None:
    told = ask(bench, "play", fen=chess.STARTING_FEN, move="e4")
    assert (told["san"], told["last"]) == ("e4", "e2e4")
    assert ask(bench, "play", fen=told["fen"], move="g8f6")["san"] == "Nf6"
    assert "the king on e1 cannot move to e5" in ask(bench, "play", fen=chess.STARTING_FEN, move="Ke5")["error"]


def test_chess960_castles_as_its_rules_say(bench: TestClient) -> None:
    told = ask(bench, "board", fen="1rk5/8/8/8/8/8/8/1RK3R1 w GB - 0 1")
    assert told["chess960"]
    assert ["c1g1", "O-O"] in told["moves"]
    start = ask(bench, "start960", number=0)
    assert start["pieces"][:8] == "BBQNNRKR"
    assert Position(start["fen"], chess960=True) == Position.chess960_start(0)


def switches(bench: TestClient) -> list[tuple[str, str, str]]:
    """The switches of the page: the name of the pattern, the side, and the switch."""
    found = re.findall(r'data-on="((white|black)[_:]([\w.]+))"', bench.get("/").text)
    return [(name, side, on) for on, side, name in found]


def test_patterns_have_the_names_that_people_use(bench: TestClient) -> None:
    listed = bench.get("/").text.partition('id="switches"')[2].partition("</details>")[0]
    titles = re.findall(r'aria-label="([^"]+) for White"', bench.get("/").text)
    assert [title for title in titles if "_" in title or title[0].islower()] == []
    features = re.findall(r'aria-label="([^"]+) for White"', listed)
    assert len(set(features)) == len(features) == len(FEATURES)
    [mark, other] = ask(bench, "board", fen=FORK, on=["black_defenders_overloaded", "white:knight.attacks"])["marks"]
    assert (mark["name"], other["name"]) == ("Overloaded defender, Black", "Attacks (knight), White")


@pytest.mark.slow
def test_every_pattern_and_feature_is_a_switch_that_answers(bench: TestClient) -> None:
    found = switches(bench)
    names = {name for name, _, _ in found}
    assert names == {
        page.name
        for page in catalogue.pages().values()
        if page.sort in {"pattern", "feature"} and page.thing.__module__.startswith("setwise.")  # no other test's
    }
    asked = [(fen, some) for fen in (FORK, KINGLESS) for some in sixes(found)]
    for fen, some in asked[:: depth(3, 1)]:
        position = Position(fen, strict=False)
        columns = Positions.from_positions([position])
        marks = ask(bench, "board", fen=fen, on=[on for _, _, on in some])["marks"]
        for (name, side, _), mark in zip(some, marks, strict=True):
            assert "error" not in mark, mark
            [value] = Values(applied(catalogue.page(name), side)).of(columns).to_pylist()
            if name in FEATURES:
                value = position.feature(f"{side}_{name}")
            assert mark.get("word", mark.get("value")) in {f"{value or 0:016x}", value}


def test_a_board_tells_unasked_what_its_switches_would_say(bench: TestClient) -> None:
    for fen in ("", FORK, KINGLESS):
        ready = ask(bench, "board", fen=fen)["ready"]
        assert {mark["on"] for mark in ready} >= {f"{side}_{name}" for name in READY for side in ("white", "black")}
        for some in sixes(ready):
            assert ask(bench, "board", fen=fen, on=[mark["on"] for mark in some])["marks"] == some


def sixes(found: list[Any]) -> Iterator[list[Any]]:
    return (found[at : at + 6] for at in range(0, len(found), 6))


def test_black_is_asked_as_white_is_on_the_mirrored_board(bench: TestClient) -> None:
    """A pattern for Black marks what it marks for White when the board and the colours are turned around."""
    sideless = ("compass.", "fills.", "bits.", "bit_tricks.", "keys.", "sliders.", "slider_ways.", "islands.", "lines.")
    position = Position(FORK)
    turned = position.mirror()
    asked = 0
    for name, side, on in switches(bench)[1 :: depth(6, 2)]:
        page = catalogue.page(name)
        if side == "white" or name.startswith(sideless):
            continue
        [black] = ask(bench, "board", fen=FORK, on=[on])["marks"]
        [white] = ask(bench, "board", fen=turned.fen(), on=[on.replace("black", "white")])["marks"]
        if "word" in black:
            asked += 1
            assert int(black["word"], 16) == int(setwise.compass.flip_vertical(Bitboard(int(white["word"], 16)))), (
                page.name
            )
    assert asked > depth(25, 80)


@pytest.mark.slow
def test_steps_end_with_what_the_switch_marks(bench: TestClient) -> None:
    played = 0
    for name, _, on in switches(bench)[:: depth(3, 1)]:
        told = ask(bench, "steps", fen=FORK, on=on)["steps"]
        [mark] = ask(bench, "board", fen=FORK, on=[on])["marks"]
        if told and "word" in mark:
            played += 1
            assert told[-1]["word"] == mark["word"], name
            assert all(step["caption"] for step in told)
    assert played > depth(20, 60)


def test_steps_count_files_where_they_are_filesets_and_nothing_where_they_are_numbers(bench: TestClient) -> None:
    told = ask(bench, "steps", fen=FORK, on="white:islands.count")["steps"]
    islands = Position(FORK).feature("white_pawn_islands")
    assert [step["size"] for step in told] == [f"{islands} files", ""]
    assert told[-1]["caption"] == f"how many: {islands}"
    one = ask(bench, "steps", fen="4k3/8/8/8/8/8/P7/4K3 w - - 0 1", on="white:fills.north_fill")["steps"]
    assert [step["size"] for step in one] == ["4 squares", "8 squares", "15 squares"]
    one = ask(bench, "steps", fen="4k3/8/8/8/8/8/P7/4K3 w - - 0 1", on="white:islands.count")["steps"]
    assert [step["size"] for step in one] == ["1 file", ""]


def test_an_explanation_is_the_catalogues(bench: TestClient) -> None:
    told = html.unescape(ask(bench, "page", name="white:knight.fork_targets")["html"])
    page = catalogue.page("knight.fork_targets")
    for text in (page.formula, page.summary, (page.reason or "").partition("`")[0], *(it.source for it in page.forms)):
        assert text
        assert text in told
    assert "<script" not in told


# ------------------------------------------------------------------------------------------------------------ bitboards


def test_a_set_is_the_number_that_each_mapping_makes_of_it(bench: TestClient) -> None:
    random = np.random.default_rng(1)
    assert len({tuple(naive_bits(name)) for name in MAPPINGS}) == 8
    for mapping in MAPPINGS:
        bits = naive_bits(mapping)
        for word in (0, 2**64 - 1, 1 << 63, *random.integers(0, 2**64, 4, np.uint64).tolist()):
            squares = Bitboard(word)
            expected = sum(1 << bits[square] for square in squares)
            told = ask(bench, "desk", text=" ".join(squares.names()), mapping=mapping)
            assert int(told["number"]) == int(told["hex"], 16) == int(told["binary"], 2) == expected
            assert int(told["signed"]) % 2**64 == expected
            assert told["bits"] == bits
            assert ask(bench, "desk", text=told["hex"], mapping=mapping)["names"] == squares.names()
            for _, text in told["sources"]:
                [digits] = re.findall(r"0x([0-9a-f_']{16,})", text)
                assert int(re.sub("[_']", "", digits), 16) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0x42", "b1 g1"), ("66", "b1 g1"), ("0b100'0010", "b1 g1"), ("0x0000_0042ULL", "b1 g1"), ("66u64", "b1 g1"),
        ("-1", " ".join(Bitboard(2**64 - 1).names())), ("b1 g1", "b1 g1"), ("g1,b1", "b1 g1"), ("", ""),
        (str(Bitboard("b1 g1")), "b1 g1"), ("knight.attacks(squares('a1'))", "c2 b3"),
        ("0" * 5000 + "66", "b1 g1"), ("white_knights", "b1 g1"), ("squares('b1') | 64", "b1 g1"),
    ],
)  # fmt: skip
def test_a_set_is_read_however_it_is_written(bench: TestClient, text: str, names: str) -> None:
    assert ask(bench, "desk", text=text)["names"] == names.split()


@pytest.mark.parametrize(
    "text",
    [
        "0x1ffffffffffffffff",
        "9" * 5000,
        "0x_",
        "knight.atacks(1)",
        "e9",
        "select 1",
        "1 +",
        "'",
        "(" * 5000,
        "\0",
        "white_name",
        "🙂" * 99,
    ],
)
def test_what_is_no_set_is_told_in_a_sentence(bench: TestClient, text: str) -> None:
    told = ask(bench, "desk", text=text)
    assert told["error"]
    assert "Traceback" not in told["error"]
    assert ask(bench, "desk", text="e4")["names"] == ["e4"]


def test_a_value_that_is_no_set_is_told_as_it_is(bench: TestClient) -> None:
    assert ask(bench, "desk", text="bit_count(white_pawns)") == {"value": 8}
    assert ask(bench, "desk", text="ln(0.5) > 0") == {"value": False}
    assert ask(bench, "desk", text="cast('nan' as double)") == {"value": "nan"}
