"""Tables with a game in each row: CSV, Parquet and JSON, as Lichess, chess.com and others send them."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from setwise.errors import SourceError

COLUMNS = ["game", "ply", "san", "white_name", "result", "white_elo", "clock", "evaluation"]


def rows(source: Any, columns: list[str] = COLUMNS) -> list[dict[str, Any]]:
    return setwise.find("true", source, columns=columns).to_pylist()


def table(kind: str) -> pa.Table:
    """The famous games: a text of PGN, moves as text, or a list of moves in each row."""
    games = [game for batch in setwise.read_pgn(FAMOUS_GAMES) for game in batch]
    names = ("White", "WhiteElo", "Result") if kind == "movetext" else ("white", "white_rating", "winner")
    columns: dict[str, list[Any]] = {
        name: [it.tags.get(tag) for it in games] for name, tag in zip(names, ("White", "WhiteElo"), strict=False)
    }
    words = {} if kind == "movetext" else {"1-0": "white", "0-1": "black", "1/2-1/2": "draw"}
    columns[names[2]] = [words.get(it.result, it.result) for it in games]
    columns["Comment on it"] = ["no tag"] * len(games)
    as_rows: dict[str, list[Any]] = {
        "pgn": [str(it) for it in games],
        "PGN": [it.pgn().rpartition("]\n\n")[2] for it in games],
        "moves": [" ".join(it.uci() for it in game.moves) for game in games],
        "movetext": [" ".join(game.sans()) for game in games],
        "Moves": [game.sans() for game in games],
    }
    return pa.table({**columns, kind: as_rows[kind]})


def written(held: pa.Table, path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(held, path)
    elif path.suffix == ".csv":
        pyarrow.csv.write_csv(held, path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(held.to_pylist(), indent=2))
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in held.to_pylist()))
    return path


KINDS, SUFFIXES = ("pgn", "PGN", "moves", "movetext", "Moves"), ("csv", "parquet", "json", "jsonl")


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [(k, s) for (m, k), (n, s) in product(enumerate(KINDS), enumerate(SUFFIXES)) if depth((m + n) % 2, night=True)],
)
def test_a_table_answers_as_the_games_that_it_has(kind: str, suffix: str, tmp_path: Path) -> None:
    if (kind, suffix) == ("Moves", "csv"):
        return  # no field has a list
    path = written(table(kind), tmp_path / f"games.{suffix}")
    expected = rows(FAMOUS_GAMES, COLUMNS[:5])
    assert rows(path, COLUMNS[:5]) == expected
    assert rows(path.read_bytes(), COLUMNS[:5]) == expected
    setwise.index(path, tmp_path / "index")
    assert setwise.find("is_checkmate", tmp_path / "index").num_rows == setwise.find("is_checkmate", path).num_rows


#: The beginning of a game, in milliseconds.
BORN = 1514505150384


def lichess(**others: Any) -> dict[str, Any]:
    players = {
        "white": {"user": {"name": "One", "title": "GM"}, "rating": 2500},
        "black": {"aiLevel": 3},
    }
    return {"id": "abcdefgh", "rated": True, "players": players, "moves": "e4 e5", **others}


def test_games_of_lichess_have_their_players_clocks_and_evaluations() -> None:
    text = "".join(
        f"{json.dumps(it)}\n"
        for it in (
            lichess(
                winner="black", clocks=[18003, 366612], analysis=[{"eval": 27}, {"mate": -3}], createdAt=1514505150384
            ),
            lichess(status="draw", clock={"initial": 300, "increment": 3}, opening={"eco": "C20", "name": "King's"}),
            lichess(status="started", variant="chess960", initialFen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", moves="e4"),
        )
    )
    columns = [*COLUMNS, "black_name", "year", "time_control", "eco", "opening", "site", "white_title"]
    found = rows(text.encode(), columns)
    first, second, *_ = found
    assert [first[it] for it in COLUMNS] == [1, 0, "e4", "One", "0-1", 2500, 180.03, 27]
    assert [second["clock"], second["evaluation"]] == [3666.12, -31997]
    assert (first["black_name"], first["year"], first["white_title"]) == ("lichess AI level 3", 2017, "GM")
    assert first["site"] == "https://lichess.org/abcdefgh"
    assert [found[3][it] for it in ("game", "result", "time_control", "eco", "opening")] == [
        2, "1/2-1/2", "300+3", "C20", "King's",
    ]  # fmt: skip
    assert [(it["ply"], it["san"], it["result"]) for it in found[6:]] == [(0, "e4", "*"), (1, None, "*")]


def test_games_of_chess_com_are_those_of_their_texts(tmp_path: Path) -> None:
    games = [{"url": "x", "pgn": f'[White "{name}"]\n\n1. e4 {{[%clk 0:02:59]}} *', "fen": "end"} for name in "ab"]
    for indent in (None, 4):
        path = tmp_path / "month.json"
        path.write_text(json.dumps({"games": games}, indent=indent))
        assert [(it["game"], it["white_name"], it["clock"]) for it in rows(path)] == [
            (1, "a", 179), (1, "a", None), (2, "b", 179), (2, "b", None),
        ]  # fmt: skip


def test_long_objects_and_long_texts_of_json_are_read_one_by_one(tmp_path: Path) -> None:
    long = lichess(moves="Nf3 Nf6 Ng1 Ng8 " * 5000)
    path = tmp_path / "x.ndjson"
    path.write_text("".join(f"{json.dumps(it)}\n" for it in (long, *[lichess()] * 5000)))
    assert setwise.find("ply = 0", path).num_rows == 5001
    assert setwise.find("game = 1 and ply = 19999", path, columns=["san"])["san"].to_pylist() == ["Ng8"]


def test_a_value_that_only_later_objects_have_is_read_and_of_a_stream_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "x.ndjson"
    game, later = (
        json.dumps({"moves": "e4 e5", "White": "A"}),
        json.dumps({"moves": "e4 e5", "White": "A", "Round": "7"}),
    )
    path.write_text("\n".join([game] * 1024 + [later] * 2) + "\n")
    assert setwise.find("ply = 1 and round = '7'", path, columns=["game"])["game"].to_pylist() == [1025, 1026]
    said = r"the first 1,024 objects of .*x\.ndjson have no 'Round': it is left out"
    with path.open("rb") as stream, pytest.warns(UserWarning, match=said):
        assert setwise.find("ply = 1", stream, columns=["round"]).num_rows == 1026
    path.write_text("\n".join([later] * 1024 + [game] * 2) + "\n")
    assert setwise.find("ply = 1 and round = '7'", path).num_rows == 1024


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "its first object has no 'fen', 'pgn', 'moves' or 'movetext'"),
        ('{"moves": "e4"}\n{"moves": e4}\n', "<bytes> is not JSON in its object 2"),
        ('[{"moves": "e4"}, 5]', "<bytes>: its value 2 is not an object of JSON"),
        ('[{"moves": "e4"}, {"moves": "e', "<bytes> is not JSON in its object 2"),
        ("id,moves\n1,e4 e5,2\n", "<bytes> cannot be read as a table"),
        ("id,moves\n", "<bytes> is a table without rows"),
    ],
)
def test_what_is_no_table_of_games_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        rows(text.encode(), ["game"])


def test_faults_and_repairs_name_the_row() -> None:
    told: list[str] = []
    text = "white,moves\na,e4 e5 ♘f3\nb,e4 e9\n"
    setwise.find("true", text.encode(), columns=["ply"], on_fault=lambda it: told.append(str(it)))
    assert sorted(told) == ["<bytes>, row 1: '♘f3': is read as Nf3", "<bytes>, row 2: 'e9': this is not a move"]
