"""The searches of the workbench without a browser: matches, rows, games, files, and what is no search."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")
pytest.importorskip("httpx2", reason="Starlette's test client needs httpx2")

import chess.pgn
from starlette.testclient import TestClient

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.web import last, lines
from setwise import catalogue
from setwise.corpus.sources import pgn
from setwise.exercises.training import exercises_of
from setwise.web import searching
from setwise.web.limits import ServerLimits
from setwise.web.server import application

FORK = "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"
SOURCES = [str(FAMOUS_GAMES)]

ROYAL = "own_safe_royal_fork_squares <> 0"


def test_matches_are_those_of_find(bench: TestClient) -> None:
    where = "white_passed_pawns <> 0 and black_pawn_islands >= 3"
    expected = setwise.find(where, SOURCES, columns=["game", "ply", "fen", "white_passed_pawns"]).to_pylist()
    for skip, limit in ((0, 1000), (0, 7), (7, 9), (70, 20)):
        start, *found, done = [
            line for line in lines(bench, "find", where=where, skip=skip, limit=limit) if line["type"] != "progress"
        ]
        assert start["type"] == "start"
        assert [(match["game"], match["ply"], match["fen"], match["marks"]) for match in found] == [
            (
                row["game"],
                row["ply"],
                row["fen"],
                [["white_passed_pawns", "Passed pawn, White", f"{row['white_passed_pawns']:016x}"]],
            )
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


def test_numbers_that_a_browser_would_round_are_texts(bench: TestClient) -> None:
    told = last(bench, "sql", statement="select 9007199254740991 a, 9007199254740993 b, -9007199254740993 c")
    assert told["rows"] == [[2**53 - 1, str(2**53 + 1), str(-(2**53) - 1)]]


def test_a_file_that_has_changed_is_searched_again(tmp_path: Path) -> None:
    """The numbers of its games may mean others now."""
    file = tmp_path / "games.pgn"
    file.write_text("1. e4 *\n")
    with TestClient(application([str(file)]), base_url="http://localhost") as bench:
        start, *_ = lines(bench, "find", where="ply = 1")
        assert last(bench, "find", where="ply = 1", stamps=start["stamps"])["matches"] == 1
        assert last(bench, "game", game=1, stamp=start["stamps"][0])["type"] == "game"
        file.write_text("1. d4 d5 *\n")
        for told in (
            last(bench, "find", where="ply = 1", stamps=start["stamps"]),
            last(bench, "game", game=1, stamp=start["stamps"][0]),
        ):
            assert told["error"] == "games.pgn has changed since this search: search again"


def test_a_file_has_no_more_matches_than_it_may_however_many_batches_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pgn, "_SEARCHED", 1 << 12)
    given, limits = {"suffix": ".csv", "where": "ply = 0"}, ServerLimits(file_matches=7)
    [told] = [json.loads(line) for line in searching.run("write", given, SOURCES, limits, str(tmp_path))]
    assert (told["count"], len(Path(told["path"]).read_text().splitlines())) == (7, 8)


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
    assert (told["title"], told["place"], told["site"]) == ("A (2000) – B", "", "")


def test_the_variations_of_a_game_have_moves_positions_and_comments(bench: TestClient) -> None:
    text = (
        '[White "A"]\n\n{ before } 1. e4 e5 ( 1... c5 $5 2. Nf3 ( { quiet } 2. c3 ) 2... d6 { [%clk 0:01:00] open } ) '
        "2. Nf3 *\n"
    )
    key = bench.post("/api/upload?name=lines.pgn", content=text.encode()).json()["file"]
    told = last(bench, "game", file=key, source=0, game=1)
    assert (told["comment"], [move["san"] for move in told["moves"]]) == ("before", ["e4", "e5", "Nf3"])
    assert [(it["ply"], it["depth"], it["comment"]) for it in told["lines"]] == [(1, 1, ""), (2, 2, "quiet")]
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


def test_a_game_of_any_number_is_found_with_its_matches(bench: TestClient) -> None:
    told = last(bench, "game", source=0, game=34, where=ROYAL)
    assert told["tags"]["Black"] == "Kasparov, Garry"
    assert (
        told["matches"] == setwise.find(f"game = 34 and {ROYAL}", FAMOUS_GAMES, columns="ply")["ply"].to_pylist() != []
    )
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


#: What a request may bring that is no search, or a wrong one.
GARBAGE: list[dict[str, Any]] = [
    {}, {"where": 7}, {"where": None, "limit": "x"}, {"statement": []}, {"source": "x"}, {"source": -1}, {"what": 1},
    {"where": "ply = 1", "limit": -5}, {"source": 0, "game": "x"}, {"suffix": "/etc"},
]  # fmt: skip
#: The arguments of each search: those that it needs, and others.
NEEDED = {"find": ("where", "a text"), "sql": ("statement", "a text"), "game": ("game", "a whole number")}
ARGUMENTS = {
    "find": {"where", "source", "skip", "limit", "per_game", "order_by", "stamps"}, "sql": {"statement", "source"},
    "game": {"game", "where", "source", "of", "stamp"},
}  # fmt: skip


def what_is_wrong(task: str, given: dict[str, Any]) -> str:
    """The beginning of the sentence about the first argument that is wrong, or about the one that is missing."""
    numbers = {"source": "a whole number", "game": "a whole number", "limit": "a whole number, 0 or more"}
    for name, value in given.items():
        if name not in ARGUMENTS[task]:
            return f"there is no argument {name}; the arguments are: "
        is_wrong = not isinstance(value, int if name in numbers else str) or (name == "limit" and value < 0)
        if is_wrong:
            return f"{name} is {numbers.get(name, 'a text')}, not {value!r}"
    name, kind = NEEDED[task]
    return f"{name} is missing, {kind}"


@pytest.mark.parametrize("task", ARGUMENTS)
def test_a_search_says_which_argument_is_wrong(bench: TestClient, task: str) -> None:
    for given in GARBAGE[depth(len(task) % 2, 0) :: depth(2, 1)]:  # each is a process
        told = last(bench, task, **given)
        assert (told["type"], told["error"].startswith(what_is_wrong(task, given))) == ("error", True), (given, told)


def test_what_is_no_search_is_refused(bench: TestClient) -> None:
    for task in ("write", "nothing", ".."):
        for given in GARBAGE:
            assert bench.post(f"/api/search/{task}", json=given).status_code == 404, (task, given)


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
