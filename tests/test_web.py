"""The workbench without a browser: what it answers, what it refuses, what it survives."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")
pytest.importorskip("httpx2", reason="Starlette's test client needs httpx2")

import chess.pgn
from starlette.testclient import TestClient

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.mappings import naive_bits
from helpers.ways_out import conditions_that_reach_out, statements_that_reach_out
from helpers.web import LONG, children, eventually, workbench
from setwise import Bitboard, Position, catalogue
from setwise.catalogue.expressions import applied
from setwise.catalogue.words import MAPPINGS
from setwise.corpus.language.condition import Values
from setwise.exercises.matches import exercises_of
from setwise.features import FEATURES
from setwise.position.positions import Positions
from setwise.web.app import application
from setwise.web.limits import TOO_MUCH_MEMORY, ServerLimits
from setwise.web.workers import Workers

STATIC = ROOT / "src" / "setwise" / "web" / "static"
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


def ask(bench: TestClient, question: str, **given: Any) -> dict[str, Any]:
    answer = bench.post(f"/api/ask/{question}", json=given)
    assert answer.status_code in {200, 422}, answer.text
    return answer.json()


def lines(bench: TestClient, task: str, **given: Any) -> list[dict[str, Any]]:
    answer = bench.post(f"/api/search/{task}", json=given)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def last(bench: TestClient, task: str, **given: Any) -> dict[str, Any]:
    return lines(bench, task, **given)[-1]


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
    assert "no piece can" in ask(bench, "play", fen=chess.STARTING_FEN, move="Ke5")["error"]


def test_chess960_castles_as_its_rules_say(bench: TestClient) -> None:
    told = ask(bench, "board", fen="1rk5/8/8/8/8/8/8/1RK3R1 w GB - 0 1")
    assert told["chess960"]
    assert ["c1g1", "O-O"] in told["moves"]
    start = ask(bench, "start960", number=0)
    assert start["pieces"][:8] == "BBQNNRKR"
    assert Position(start["fen"], chess960=True) == Position.chess960_start(0)


def switches(bench: TestClient) -> list[tuple[str, str, str]]:
    topics = ask(bench, "catalogue")["topics"]
    return [
        (item["name"], side, on)
        for topic in topics
        for item in topic["items"]
        for side, on in zip(("white", "black"), item["on"], strict=True)
    ]


@pytest.mark.slow
def test_every_pattern_and_feature_is_a_switch_that_answers(bench: TestClient) -> None:
    found = switches(bench)
    names = {name for name, _, _ in found}
    assert names == {
        page.name
        for page in catalogue.pages().values()
        if page.sort in {"pattern", "feature"} and page.thing.__module__.startswith("setwise.")  # no other test's
    }
    for fen in (FORK, KINGLESS):
        position = Position(fen, strict=False)
        columns = Positions.from_positions([position])
        for some in sixes(found):
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
    position = Position(FORK)
    turned = position.mirror()
    asked = 0
    for name, side, on in switches(bench):
        page = catalogue.page(name)
        if side == "white" or name.startswith(("compass.", "fills.", "bits.", "sliders.", "islands.", "lines.")):
            continue
        [black] = ask(bench, "board", fen=FORK, on=[on])["marks"]
        [white] = ask(bench, "board", fen=turned.fen(), on=[on.replace("black", "white")])["marks"]
        if "word" in black:
            asked += 1
            assert int(black["word"], 16) == int(setwise.compass.flip_vertical(Bitboard(int(white["word"], 16)))), (
                page.name
            )
    assert asked > 80


@pytest.mark.slow
def test_steps_end_with_what_the_switch_marks(bench: TestClient) -> None:
    played = 0
    for name, _, on in switches(bench):
        told = ask(bench, "steps", fen=FORK, on=on)["steps"]
        [mark] = ask(bench, "board", fen=FORK, on=[on])["marks"]
        if told and "word" in mark:
            played += 1
            assert told[-1]["word"] == mark["word"], name
            assert all(step["caption"] for step in told)
    assert played > 20


def test_an_explanation_is_the_catalogues(bench: TestClient) -> None:
    told = ask(bench, "page", name="white:knight.fork_targets")
    page = catalogue.page("knight.fork_targets")
    assert (told["formula"], told["why"], told["summary"]) == (page.formula, page.reason, page.summary)
    assert [form["code"] for form in told["forms"]] == [form.source for form in page.forms]


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
            for text in told["sources"].values():
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


# ------------------------------------------------------------------------------------------------------------- searches

ROYAL = "own_safe_royal_fork_squares <> 0"


def test_matches_are_those_of_find(bench: TestClient) -> None:
    where = "white_passed_pawns <> 0 and black_pawn_islands >= 3"
    expected = setwise.find(where, SOURCES, columns=["game", "ply", "fen", "white_passed_pawns"]).to_pylist()
    for skip, limit in ((0, 1000), (0, 7), (7, 9), (70, 20)):
        start, *found, done = [
            line for line in lines(bench, "find", where=where, skip=skip, limit=limit) if line["type"] != "progress"
        ]
        assert start["marks"] == ["white_passed_pawns"]
        assert [(match["game"], match["ply"], match["fen"], match["marks"]) for match in found] == [
            (row["game"], row["ply"], row["fen"], [["white_passed_pawns", f"{row['white_passed_pawns']:016x}"]])
            for row in expected[skip : skip + limit]
        ]
        assert done["type"] == "done"
        assert (done["matches"], done["matched_games"]) == (len(expected), len({row["game"] for row in expected}))
        assert (done["games"], done["share"]) == (41, 1.0)


def test_a_statement_is_answered_as_by_sql(bench: TestClient) -> None:
    statement = "select result, count(*) n, sum(ply) total, avg(ply) mean from positions group by all order by n"
    told = last(bench, "sql", statement=statement)
    assert [dict(zip((it["name"] for it in told["columns"]), row, strict=True)) for row in told["rows"]] == [
        {name: int(value) if name == "total" else value for name, value in row.items()}
        for row in setwise.sql(statement, SOURCES).to_pylist()
    ]
    assert [it["number"] for it in told["columns"]] == [False, True, True, True]
    sets = last(bench, "sql", statement="select white_king, ply, 'inf'::double x from positions limit 1")
    assert sets["rows"] == [["e1", 0, "inf"]]


def test_a_game_is_opened_with_all_that_is_noted_in_it(bench: TestClient) -> None:
    text = (
        '[White "A"]\n[Black "B"]\n[WhiteElo "2000"]\n[Result "1-0"]\n\n'
        "1. e4 { [%clk 0:05:00] [%eval 0.3] best } 1... e5? { [%clk 0:04:59] [%eval #2] } "
        "2. Qh5 { [%clk 0:04:58] } 1-0\n"
    )
    key = bench.post("/api/upload?name=a.pgn", content=text.encode()).json()["file"]
    told = last(bench, "game", file=key, source=0, game=1, where="ply = 1")
    assert (told["tags"]["White"], told["tags"]["WhiteElo"], told["result"]) == ("A", "2000", "1-0")
    assert [move["clock"] for move in told["moves"]] == [300, 299, 298]
    assert [move["evaluation"] for move in told["moves"]] == [30, 31998, None]
    assert (told["moves"][0]["comment"], told["moves"][1]["nags"]) == ("[%clk 0:05:00] [%eval 0.3] best", [2])
    assert told["matches"] == [1]
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    boards = [game.board(), *(node.board() for node in game.mainline())]
    assert told["fens"] == [board.fen(en_passant="legal") for board in boards]
    assert [len(pieces) for pieces in told["pieces"]] == [64] * 4


def test_the_variations_of_a_game_have_moves_positions_and_comments(bench: TestClient) -> None:
    text = (
        '[White "A"]\n\n{ before } 1. e4 e5 ( 1... c5 $5 2. Nf3 ( { quiet } 2. c3 ) 2... d6 { [%clk 0:01:00] open } ) '
        "2. Nf3 *\n"
    )
    key = bench.post("/api/upload?name=lines.pgn", content=text.encode()).json()["file"]
    told = last(bench, "game", file=key, source=0, game=1)
    assert (told["comment"], [move["san"] for move in told["moves"]]) == ("before", ["e4", "e5", "Nf3"])
    assert [(it["ply"], it["depth"], it["first"], it["white"], it["comment"]) for it in told["lines"]] == [
        (1, 1, 1, False, ""), (2, 2, 2, True, "quiet"),
    ]  # fmt: skip
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    sicilian = game[0].variations[1]
    nodes = [sicilian, *sicilian.mainline()], [sicilian.variations[1]]
    for line, those in zip(told["lines"], nodes, strict=True):
        assert [(it["san"], it["uci"], it["nags"]) for it in line["moves"]] == [
            (node.san(), node.move.uci(), sorted(node.nags)) for node in those
        ]
        assert [it["fen"] for it in line["moves"]] == [node.board().fen(en_passant="legal") for node in those]
    assert told["lines"][0]["moves"][2]["comment"] == "[%clk 0:01:00] open"


def test_a_game_of_any_number_is_found_with_its_marks(bench: TestClient) -> None:
    told = last(bench, "game", source=0, game=34, where=ROYAL)
    assert told["tags"]["Black"] == "Kasparov, Garry"
    [[name, words]] = told["marks"]
    assert name == "own_safe_royal_fork_squares"
    assert told["matches"] == [ply for ply, word in enumerate(words) if int(word, 16)] != []
    assert "no game 42" in last(bench, "game", source=0, game=42)["error"]
    assert "no source" in last(bench, "game", source=7, game=1)["error"]


def test_records_are_searched_and_opened_too(bench: TestClient) -> None:
    text = f"{FORK}\n8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n"
    key = bench.post("/api/upload?name=some.fen", content=text.encode()).json()["file"]
    [match] = [
        line for line in lines(bench, "find", file=key, where="white_safe_fork_squares <> 0") if line["type"] == "match"
    ]
    assert (match["game"], match["fen"], match["place"]) == (1, FORK, "record 1 of some.fen")
    told = last(bench, "game", file=key, source=0, game=2)
    assert (told["moves"], told["fens"]) == ([], ["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"])


@pytest.mark.parametrize("suffix", ["pgn", "csv", "parquet", "html"])
def test_what_is_found_is_downloaded(bench: TestClient, suffix: str) -> None:
    answer = bench.get(f"/api/file/setwise.{suffix}", params={"where": ROYAL})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="setwise.{suffix}"'
    expected = setwise.find(ROYAL, SOURCES)
    if suffix == "pgn":
        file = io.StringIO(answer.text)
        games = list(iter(lambda: chess.pgn.read_game(file), None))
        assert [game.headers["White"] for game in games] == list(dict.fromkeys(expected["white_name"].to_pylist()))
        assert any("[%csl" in node.comment for game in games for node in game.mainline())
    elif suffix == "parquet":
        assert pq.read_table(io.BytesIO(answer.content))["fen"].to_pylist() == expected["fen"].to_pylist()
    elif suffix == "csv":
        assert all(fen in answer.text for fen in expected["fen"].to_pylist())
    else:
        assert answer.text.count("<article") == len(expected)


@pytest.mark.parametrize("suffix", ["pgn", "csv", "html"])
def test_what_is_found_is_downloaded_to_solve(bench: TestClient, suffix: str) -> None:
    """The same exercises as those of `find --exercise`."""
    answer = bench.get(f"/api/file/exercises.{suffix}", params={"where": ROYAL, "title": "Royal forks"})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="exercises.{suffix}"'
    expected = exercises_of(ROYAL, SOURCES)
    assert len(expected) > 1
    solutions = [it.solution[0] for it in expected]
    if suffix == "html":
        shown, _, last = answer.text.partition('<section class="last">')
        assert shown.count("<article") == len(expected)
        assert "<h1>Royal forks</h1>" in shown
        assert all(move in last for move in solutions)
    elif suffix == "pgn":
        file = io.StringIO(answer.text)
        games = list(iter(lambda: chess.pgn.read_game(file), None))
        assert [game.variations[0].san() for game in games] == solutions
    else:
        assert all(it.fen in answer.text for it in expected)


@pytest.mark.parametrize("suffix", ["pgn", "csv", "html"])
def test_as_many_exercises_are_written_as_are_wanted(bench: TestClient, suffix: str) -> None:
    answer = bench.get(f"/api/file/exercises.{suffix}", params={"where": "true", "n": 3})
    [*wanted, fourth] = exercises_of("true", SOURCES, n=4)
    mark = {"pgn": '[FEN "{}"]', "csv": "\n{},", "html": "<article"}[suffix]
    assert answer.text.count(mark) == 3 if suffix == "html" else mark.format(fourth.fen) not in answer.text
    assert all(it.link.replace(" ", "_") in answer.text or it.fen in answer.text for it in wanted[1:])


def test_what_cannot_be_solved_is_said_in_a_sentence(bench: TestClient) -> None:
    for name, given, said in (
        ("exercises.parquet", {"where": ROYAL}, "exercises are written as"),
        ("exercises.html", {"where": "false"}, "there are no exercises"),
        ("exercises.html", {"where": "nothing = 1"}, "no column"),
        ("exercises.html", {"statement": "select 1"}, "statement"),
        ("setwise.html", {"where": ROYAL, "title": "x"}, "title"),
    ):
        answer = bench.get(f"/api/file/{name}", params=given)
        assert (answer.status_code, said in answer.json()["error"]) == (422, True), answer.text


def test_the_scores_of_groups_have_intervals(bench: TestClient) -> None:
    [asked] = [it for it in catalogue.questions("phase") if it.is_statement]
    answer = next(line for line in lines(bench, "sql", statement=asked.text) if line["type"] == "answer")
    results = setwise.sql("select avg(white_points) score, count(white_points) games from games", SOURCES).to_pylist()[
        0
    ]
    rows = answer["scores"]
    assert sum(row["games"] for row in rows) == results["games"]
    assert sum(row["games"] * row["score"] for row in rows) == pytest.approx(
        results["games"] * results["score"], abs=0.01
    )
    assert all(row["low"] < row["score"] < row["high"] or row["score"] in {0, 1} for row in rows)
    assert {row["label"] for row in rows} <= {"opening", "middlegame", "endgame"}
    other = next(line for line in lines(bench, "sql", statement="select 1 games, 2 score") if line["type"] == "answer")
    assert other["scores"] is None


def test_questions_are_found_as_on_the_command_line(bench: TestClient) -> None:
    for text in ("smothered mates", "rook endgames", "IQP", "time trouble"):
        told = bench.post("/api/ask/questions", json={"text": text}).json()["questions"]
        assert [it["asks"] for it in told] == [it.asks for it in catalogue.questions(text) if not it.variations] != []
    assert bench.post("/api/ask/questions", json={"text": "repertoire"}).json()["pages"]


def test_rows_of_a_statement_are_downloaded(bench: TestClient) -> None:
    answer = bench.get("/api/file/setwise.csv", params={"statement": "select count(*) n from games"})
    assert answer.text == '"n"\n41\n'
    assert bench.get("/api/file/setwise.pgn", params={"statement": "select 1 x from games"}).status_code == 422
    assert bench.get("/api/file/setwise.exe", params={"where": "true"}).status_code == 404
    assert "no column" in bench.get("/api/file/setwise.csv", params={"where": "nothing = 1"}).json()["error"]


@pytest.mark.parametrize("task", ["find", "sql", "game", "write", "nothing", ".."])
@pytest.mark.parametrize(
    "given",
    [{}, {"where": 7}, {"where": None, "limit": "x"}, {"statement": []}, {"source": "x"}, {"source": -1}, {"what": 1},
     {"where": "ply = 1", "limit": -5}, {"source": 0, "game": "x"}, {"suffix": "/etc"}],
)  # fmt: skip
def test_garbage_is_told_in_a_line(bench: TestClient, task: str, given: dict[str, Any]) -> None:
    answer = bench.post(f"/api/search/{task}", json=given)
    if answer.status_code == 200:
        told = json.loads(answer.text.splitlines()[-1])
        assert told["type"] in {"error", "done"}
        assert "Traceback" not in answer.text
    else:
        assert answer.status_code in {404, 405, 422}


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'{"fen":', b"\xff\xfe", b"[" * 60_000])
def test_a_question_is_an_object(bench: TestClient, body: bytes) -> None:
    assert bench.post("/api/ask/board", content=body).status_code == 422
    assert bench.post("/api/search/find", content=body).status_code == 422


@pytest.mark.parametrize(
    "name", ["self", "question", "task", "given", "sources", "limits", "folder", "numbers", "__class__"]
)
def test_no_name_reaches_what_is_not_asked(bench: TestClient, name: str) -> None:
    answer = bench.post("/api/ask/board", json={"fen": "", name: "x"})
    assert (answer.status_code, "there is no argument" in answer.json()["error"]) == (422, True)
    searched = bench.post("/api/search/find", json={"where": "ply = 0", name: "x"})
    told = json.loads(searched.text.splitlines()[-1])
    assert (told["type"], "there is no argument" in told["error"]) == ("error", True)


def test_a_file_that_is_no_source_is_told(bench: TestClient) -> None:
    key = bench.post("/api/upload?name=../../x.png", content=b"\x89PNG\r\n\x1a\n" + b"\0" * 99).json()
    assert key["name"].endswith("x.png")
    assert "/" not in key["name"]
    assert "not PGN but a picture" in last(bench, "find", file=key["file"], where="ply = 0")["error"]
    assert bench.post("/api/search/find", json={"file": "nothing", "where": "ply = 0"}).status_code == 410
    assert bench.post("/api/search/find", json={"file": "../etc", "where": "ply = 0"}).status_code == 410


# ----------------------------------------------------------------------------------------------------------- no way out


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("places")
    (folder / "secret.csv").write_text("secret\nhush\n")
    return {"file": str(folder / "secret.csv"), "new": str(folder / "new")}


def test_no_expression_reaches_files_network_or_settings(bench: TestClient, places: dict[str, str]) -> None:
    """Those of the board and of the bitboards; conditions of searches are the same language."""
    tried = conditions_that_reach_out()
    assert len(tried) > 100
    for text in (form.format(**places) for form in tried):
        assert ask(bench, "desk", text=text).get("error"), text
        [mark] = ask(bench, "board", fen="", on=[text])["marks"]
        assert mark.get("error"), text
    assert not Path(places["new"]).exists()


def test_no_statement_reaches_files_network_or_settings(bench: TestClient, places: dict[str, str]) -> None:
    tried = [text.format(**places) for text in statements_that_reach_out()]
    assert len(tried) > 70
    with ThreadPoolExecutor(8) as pool:
        told = pool.map(lambda text: bench.post("/api/search/sql", json={"statement": text}).text, tried)
    for text, answer in zip(tried, told, strict=True):
        assert json.loads(answer.splitlines()[-1])["type"] == "error", text
        assert "hush" not in answer
    assert not Path(places["new"]).exists()


def test_no_name_reaches_another_file(bench: TestClient) -> None:
    for path in (
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/etc/passwd",
    ):
        assert bench.get(path).status_code == 404
    for given in ({"source": "/etc/passwd"}, {"file": "/etc/passwd"}, {"sources": ["/etc/passwd"]}):
        answer = bench.post("/api/search/find", json={"where": "ply = 0", **given})
        assert answer.status_code == 410 or "error" in answer.text


# ------------------------------------------------------------------------------------------------------------- the door


def test_every_answer_keeps_the_browser_in(bench: TestClient) -> None:
    for answer in (
        bench.get("/"),
        bench.get("/static/main.js"),
        bench.get("/nothing"),
        bench.post("/api/ask/hello", json={}),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_assets_name_no_other_place() -> None:
    """No address but those that name the kinds of XML; no script and no style inside the page."""
    files = [path for path in STATIC.iterdir() if path.suffix in {".js", ".css", ".html", ".svg"}]
    assert len(files) > 10
    for path in files:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.findall(r"""https?:|url\(|@import|import\("|["'(]//""", text), path.name
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)", page)


def test_a_token_opens_the_door_once_and_for_all() -> None:
    """Here the workbench answers to any name, as it does when it is bound to more than this machine."""
    app = application(SOURCES, token="right")  # noqa: S106
    bench = TestClient(app, base_url="http://machine.example", follow_redirects=False)  # no lifespan: nothing is asked
    for path in ("/", "/?token=wrong", "/?token=", "/?token=r%C3%A9", "/static/main.js", "/api/file/x.csv"):
        assert bench.get(path).status_code == 401
    bench.cookies.set("setwise", "wrong")
    assert bench.get("/").status_code == 401
    bench.cookies.clear()
    for host in ("machine.example:80, evil.example", "a@b", "", "machine.example/"):
        assert bench.get("/?token=right", headers={"host": host}).status_code == 400
    opened = bench.get("/bitboards?x=e4&token=right")
    assert (opened.status_code, opened.headers["location"]) == (303, "/bitboards?x=e4")
    assert "HttpOnly" in opened.headers["set-cookie"]
    assert "SameSite=lax" in opened.headers["set-cookie"]
    assert bench.get("/bitboards?x=e4").status_code == 200
    elsewhere = bench.get("http://machine.example//evil.example/?token=right").headers["location"]
    assert elsewhere == "/evil.example/"


def test_a_request_carries_no_more_than_it_may(bench: TestClient) -> None:
    limits = ServerLimits()
    assert bench.post("/api/ask/board", content=b" " * (limits.body + 1)).status_code == 413

    def chunks() -> Iterator[bytes]:  # no length is told beforehand
        for _ in range(2 + limits.body // 1000):
            yield b" " * 1000

    assert bench.post("/api/ask/board", content=chunks()).status_code == 413
    assert bench.post("/api/ask/board", content=b"{}", headers={"content-length": "x"}).status_code in {400, 413}
    assert ask(bench, "board", fen="")["fen"]


def test_files_that_are_dropped_are_bounded_and_go() -> None:
    limits = ServerLimits(upload=1000, uploads=2)
    guard = application(SOURCES, limits=limits)
    with TestClient(guard, base_url="http://localhost") as bench:
        assert bench.post("/api/upload?name=a.pgn", content=b"x" * 1001).status_code == 413
        kept = [bench.post("/api/upload?name=a.pgn", content=b"1. e4 *").json()["file"] for _ in range(3)]
        folders = list(Path(guard.app.state.workers.folder).glob("dropped-*/*"))
        assert len(folders) == 2
        assert bench.post("/api/search/find", json={"file": kept[0], "where": "ply = 0"}).status_code == 410
        assert last(bench, "find", file=kept[2], where="ply = 0")["matches"] == 1
        folder = guard.app.state.workers.folder
    assert not folder.exists()


# --------------------------------------------------------------------------------------------------------------- limits

#: What would take more memory than there is; and ``LONG`` hours in little memory.
LARGE = "length(repeat('x' || ply, 2000000000)) > 0"


@pytest.fixture
def tight() -> Iterator[TestClient]:
    limits = ServerLimits(answer_time=3, search_time=4, memory=256 << 20, answer_processes=1, parallel_searches=2)
    with TestClient(application(SOURCES, limits=limits), base_url="http://localhost") as client:
        yield client


@pytest.mark.slow
@pytest.mark.parametrize("text", [LONG, LARGE])
def test_what_asks_too_much_is_ended_and_the_rest_goes_on(tight: TestClient, text: str) -> None:
    answer = tight.post("/api/ask/desk", json={"text": text})
    assert answer.status_code in {422, 503}
    assert "error" in answer.json()
    assert last(tight, "find", where=text)["type"] == "error"
    assert last(tight, "sql", statement=f"select {text} from positions")["type"] == "error"  # noqa: S608
    assert eventually(lambda: tight.post("/api/ask/desk", json={"text": "e4"}).json().get("names") == ["e4"])
    assert eventually(lambda: last(tight, "find", where="ply = 0").get("matches") == 41)


def test_an_answer_has_no_more_rows_and_matches_than_it_may() -> None:
    limits = ServerLimits(rows=10, matches=5, file_matches=7, html_matches=3)
    with TestClient(application(SOURCES, limits=limits), base_url="http://localhost") as bench:
        told = last(bench, "sql", statement="select ply from positions")
        assert (len(told["rows"]), told["all"]) == (10, 2512)
        assert sum(line["type"] == "match" for line in lines(bench, "find", where="true", limit=10**9)) == 5
        assert len(bench.get("/api/file/x.csv", params={"where": "true"}).text.splitlines()) == 8
        assert bench.get("/api/file/x.html", params={"where": "true"}).text.count("<article") == 3


#: A search with the limits of its process, on a machine of many processors.
ON_MANY_PROCESSORS = """
import json, os, sys
os.cpu_count, os.sched_getaffinity = (lambda: 64), (lambda process: set(range(64)))
from setwise.web import searching, workers
from setwise.web import preload as ready
from setwise.web.limits import TOO_MUCH_MEMORY, ServerLimits
workers._apply_limits(ServerLimits())
source, task, given = sys.argv[1:]
for line in searching.run(task, json.loads(given), [source], ServerLimits(), os.getcwd()):
    pass
print(line.decode())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("find", {"where": "white_passed_pawns <> 0 and knight.attacks(white_knights) <> 0"}),
        ("sql", {"statement": "select result, count(*), max(bit_count(white_pawns)) from positions group by all"}),
        (
            "sql",
            {"statement": "select max(n), count(*) n from (select game, fen, count(*) n from positions group by all)"},
        ),
        (
            "sql",
            {"statement": "select 0, count(*) from positions p join games g on p.game = g.game and p.ply <= g.plies"},
        ),
        ("write", {"where": "next(is_check)", "suffix": ".csv"}),
    ],
)
def test_a_search_has_memory_enough_on_many_processors(tmp_path: Path, task: str, given: dict[str, Any]) -> None:
    games = tmp_path / "games.pgn"
    games.write_bytes(b"\n\n".join([FAMOUS_GAMES.read_bytes()] * 1000))
    ran = subprocess.run(
        [sys.executable, "-c", ON_MANY_PROCESSORS, games, task, json.dumps(given)],
        capture_output=True, cwd=tmp_path, check=True, text=True, timeout=200,
    )  # fmt: skip
    told = json.loads(ran.stdout)
    assert told["type"] in {"done", "answer", "file"}, told
    assert told.get("positions", 2512 * 1000) == 2512 * 1000
    assert sum(row[1] for row in told.get("rows", [])) in {0, 2512 * 1000}


def test_a_search_without_memory_says_what_helps(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    games.write_bytes(b"\n\n".join([FAMOUS_GAMES.read_bytes()] * 200))
    limits = ServerLimits(memory=256 << 20)
    with TestClient(application([str(games)], limits=limits), base_url="http://localhost") as bench:
        for statement in ("select a.fen from positions a, positions b", "select repeat(fen, 100) from positions"):
            assert last(bench, "sql", statement=statement)["error"] == TOO_MUCH_MEMORY


def running(workers: Workers) -> int:
    return len(workers._all)


def test_a_search_that_nobody_wants_any_more_ends() -> None:
    async def left() -> None:
        workers = Workers(SOURCES, [], ServerLimits())
        try:
            await workers.start()
            search = workers.search("sql", statement=f"select {LONG} from positions")  # noqa: S608
            pending = asyncio.ensure_future(anext(search))
            for _ in range(600):
                if running(workers) > workers.limits.answer_processes:
                    break
                await asyncio.sleep(0.05)
            [process] = [it for it in workers._all if it not in workers._free._queue]  # type: ignore[attr-defined]
            assert process.process.is_alive()
            pending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await pending
            await search.aclose()
            for _ in range(600):
                if process.pipe.closed:
                    break
                await asyncio.sleep(0.05)
            with pytest.raises(ValueError, match="closed"):
                process.process.is_alive()
            assert running(workers) == workers.limits.answer_processes
        finally:
            workers.close()

    asyncio.run(left())


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are counted in /proc")
def test_a_browser_that_leaves_ends_its_search_and_the_end_leaves_nothing() -> None:
    with workbench(FAMOUS_GAMES) as (address, process):
        post(address + "api/ask/hello", {})
        before = children(process.pid)
        with opened(request(address + "api/search/find", {"where": LONG})):
            assert eventually(lambda: bool(children(process.pid) - before))
        assert eventually(lambda: children(process.pid) <= before)  # one that was at its end already may have gone
    assert eventually(lambda: not [pid for pid in before if Path(f"/proc/{pid}").exists()])


def request(url: str, given: dict[str, Any]) -> urllib.request.Request:
    headers = {"content-type": "application/json"}
    return urllib.request.Request(url, json.dumps(given).encode(), headers)  # noqa: S310  (of our own making)


def opened(where: str | urllib.request.Request) -> Any:
    return urllib.request.urlopen(where, timeout=120)  # noqa: S310  (of our own making)


def post(url: str, given: dict[str, Any]) -> Any:
    with opened(request(url, given)) as response:
        return json.loads(response.read().splitlines()[-1])


@pytest.mark.slow
def test_ten_searches_at_once_leave_it_alive() -> None:
    with workbench(FAMOUS_GAMES) as (address, _):
        found: list[Any] = []

        def search() -> None:
            found.append(post(address + "api/search/find", {"where": ROYAL}))

        threads = [threading.Thread(target=search) for _ in range(10)]
        for thread in threads:
            thread.start()
        answered = [
            post(address + "api/ask/board", {"fen": FORK, "on": ["white_safe_fork_squares"]}) for _ in range(10)
        ]
        for thread in threads:
            thread.join(120)
        assert [line["matches"] for line in found] == [3] * 10
        assert [answer["marks"][0]["count"] for answer in answered] == [1] * 10


def test_too_many_searches_are_told_to_come_again() -> None:
    guard = application(SOURCES, limits=ServerLimits(parallel_searches=1, queued_searches=1))
    workers = guard.app.state.workers
    with TestClient(guard, base_url="http://localhost") as bench, ThreadPoolExecutor(2) as pool:
        under_way = [pool.submit(last, bench, "find", where=LONG)]
        assert eventually(lambda: running(workers) > workers.limits.answer_processes)
        under_way.append(pool.submit(last, bench, "find", where=LONG))
        assert eventually(lambda: workers._waiting == 1)
        for _ in range(2):
            answer = bench.post("/api/search/find", json={"where": LONG})
            assert (answer.status_code, "too many searches wait" in answer.json()["error"]) == (503, True)

        def ended() -> bool:
            for process in list(workers._all):
                process.end()
            return all(it.done() for it in under_way)

        assert eventually(ended)
        assert all("more memory than one search" in it.result()["error"] for it in under_way)


# ---------------------------------------------------------------------------------------------------------- the command


@pytest.mark.slow
def test_the_command_serves_and_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with workbench(FAMOUS_GAMES, "--port", str(port)) as (address, process):
        assert address == f"http://127.0.0.1:{port}/"
        with opened(address) as page:
            assert b'id="piece-K"' in page.read()
        with workbench(FAMOUS_GAMES) as (other, _):
            assert other != address
    assert process.returncode in {0, 143}


@pytest.mark.slow
def test_beyond_this_machine_there_is_a_token() -> None:
    with workbench(FAMOUS_GAMES, "--host", "0.0.0.0") as (address, _):  # noqa: S104
        port = re.search(r":(\d+)/", address)
        assert port is not None
        token = address.partition("?token=")[2]
        assert len(token) >= 32
        local = f"http://127.0.0.1:{port[1]}/"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            opened(local)
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert opener.open(f"{local}?token={token}").status == 200
        assert opener.open(request(f"{local}api/ask/hello", {})).status == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.pgn"], "there is no file nothing.pgn"),
        (["--port", "0"], "not in the range"),
        (["--host", "no such host"], "the server cannot listen on port 0 of no such host"),
    ],
)
def test_a_wrong_command_is_told_in_a_sentence(arguments: list[str], told: str) -> None:
    with pytest.raises(AssertionError, match=told), workbench(*arguments):
        pass


@pytest.mark.slow
def test_patterns_of_ones_own_are_switches(tmp_path: Path) -> None:
    own = tmp_path / "rims.py"
    own.write_text(
        "from setwise import Set, pattern\nfrom setwise.patterns.bits import FILE_A, FILE_H\n\n\n@pattern\n"
        'def rim(knights: Set) -> Set:\n    "Return the knights on the rim."\n    return knights & (FILE_A | FILE_H)\n'
    )
    with workbench(FAMOUS_GAMES, "--load", own) as (address, _):
        names = [it["name"] for topic in post(address + "api/ask/catalogue", {})["topics"] for it in topic["items"]]
        assert "rims.rim" in names
        told = post(address + "api/ask/board", {"fen": "4k3/8/8/8/N6N/8/8/4K3 w - - 0 1", "on": ["white:rims.rim"]})
        assert told["marks"][0]["count"] == 2
        assert post(address + "api/search/find", {"where": "rims.rim(white_knights) <> 0"})["matches"] > 0


def test_no_pages_are_made_by_a_process_that_knows_chess() -> None:
    """The server itself stays small: what computes are the processes beside it."""
    code = "import setwise.web.server, sys; print([it for it in ('numba', 'pyarrow', 'duckdb') if it in sys.modules])"
    from helpers.processes import python

    assert python("-c", code).strip() == "[]"


def test_folders_are_taken_apart_and_each_match_opens_its_own_game(tmp_path: Path) -> None:
    for number, moves in enumerate(("1. e4 *", "1. d4 *", "1. c4 *")):
        (tmp_path / f"{number}.pgn").write_text(f'[White "{number}"]\n\n{moves}\n')
    with TestClient(application([str(tmp_path)]), base_url="http://localhost") as bench:
        assert ask(bench, "catalogue")["sources"] == ["0.pgn", "1.pgn", "2.pgn"]
        for chosen in ({}, {"source": 1}):
            found = [line for line in lines(bench, "find", where="ply = 1", **chosen) if line["type"] == "match"]
            assert [match["players"] for match in found] == ([f"{it} – ?" for it in "012"] if not chosen else ["1 – ?"])
            for match in found:
                game = last(bench, "game", source=match["source"], game=match["game"])
                assert f"{game['tags']['White']} – ?" == match["players"]
