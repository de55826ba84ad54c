"""Values of tables are those that were written: whole numbers, texts that look like numbers, quotes, missing values."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from setwise import find, sql
from setwise.cli.app import run
from setwise.errors import QueryError, SourceError

FEN = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
#: Tags and comments that look like something else.
GAMES = b"""[White "007"]
[Black ""]
[Round "3.10"]
[Date "2021.10.??"]
[Event "NULL"]
[Result "1-0"]

1. e4 {"Best by test} e5 {"The same} 2. Nf3 {plain} Nc6 {"Quoted" word} 3. Bb5 {a, b; c} 1-0

[Round "3.1"]
[Event "nan"]
[Result "0-1"]

1. d4 {""} d5 0-1

"""


def written(place: Path, ending: str, columns: list[str]) -> Path:
    path = place / f"games{ending}"
    assert (
        run(["find", "true", str(place / "games.pgn"), "--columns", ",".join(columns), "--raw", "-o", str(path)]) == 0
    )
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_result_that_is_read_again_has_its_values(tmp_path: Path, ending: str) -> None:
    (tmp_path / "games.pgn").write_bytes(GAMES)
    columns = [
        "fen",
        "game",
        "ply",
        "white_name",
        "black_name",
        "round",
        "event",
        "comment",
        "key",
        "white_rooks",
        "clock",
    ]
    before = find("true", tmp_path / "games.pgn", columns=columns).to_pylist()
    after = find("true", written(tmp_path, ending, columns), columns=columns).to_pylist()
    if ending == ".tsv":  # which has no sign for an empty text
        before = [{name: None if it == "" else it for name, it in row.items()} for row in before]
    assert after == before
    assert {row["round"] for row in before} == {"3.10", "3.1"}
    assert max(row["key"] for row in before) > 2**63


@pytest.mark.parametrize("as_array", [False, True])
def test_objects_of_json_keep_their_types(tmp_path: Path, as_array: bool) -> None:
    rows = [
        {"fen": FEN, "rating": 900, "even": False, "id": 2**64 - 11, "share": 0.5},
        {"fen": FEN, "rating": 1000, "even": True, "id": 2**64 - 3, "share": None},
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(rows) if as_array else "\n".join(map(json.dumps, rows)))
    [told] = sql(
        "select max(rating) a, count(distinct id) b, bool_or(even) c, max(share) d from positions", path
    ).to_pylist()
    assert told == {"a": 1000, "b": 2, "c": True, "d": 0.5}
    assert find("id = 18446744073709551605 and rating < 950", path).num_rows == 1


@pytest.mark.parametrize("numbers", [(2**64, 7), (10**20 - 1, 10**20 - 2), (2**64 - 1, -7), (2**64 - 1, 2**64 - 2)])
@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_whole_numbers_that_no_type_holds_are_texts_with_all_their_digits(
    tmp_path: Path, numbers: tuple[int, int], ending: str
) -> None:
    path, rows = tmp_path / f"x{ending}", [{"fen": FEN, "id": it} for it in numbers]
    lines = ["fen,id", *(f"{FEN},{it}" for it in numbers)] if ending == ".csv" else map(json.dumps, rows)
    path.write_text("\n".join(lines) + "\n")
    assert [int(it) for it in find("true", path, columns=["id"]).column("id").to_pylist()] == [*numbers]


def test_columns_of_csv_have_the_types_of_what_they_are(tmp_path: Path) -> None:
    games = "white,round,date,white_rating,moves\nA,3.1,2020.01,2500,e4 e5\nB,3.10,2021.10,NA,d4 d5\n"
    (tmp_path / "games.csv").write_text(games)
    found = find("ply = 0", tmp_path / "games.csv", columns=["round", "date", "white_elo"]).to_pylist()
    assert found == [
        {"round": "3.1", "date": "2020.01", "white_elo": 2500}, {"round": "3.10", "date": "2021.10", "white_elo": None},
    ]  # fmt: skip
    (tmp_path / "positions.csv").write_text(f"fen,white_rating,id\n{FEN},NULL,{2**64 - 1}\n{FEN},2400,7\n")
    found = find("white_rating > 2000", tmp_path / "positions.csv", columns=["white_rating", "id"]).to_pylist()
    assert found == [{"white_rating": 2400, "id": 7}]


@pytest.mark.parametrize(
    ("declared", "values", "expected"),
    [
        ("NUMERIC", [9, 10, 100], [9, 10, 100]),
        ("", [9, 10, 100], [9, 10, 100]),
        ("DECIMAL(5, 1)", [9, 10.5, None], [9, 10.5, None]),
        ("INTEGER", [1, 3.0], [1, 3]),
        ("NUMERIC", ["a", 7], ["a", "7"]),
        ("INTEGER", [1, 2.5], "2.5"),
        ("BOOLEAN", [1, 5], "5"),
    ],
)
def test_columns_of_sqlite_have_the_types_of_their_values(
    tmp_path: Path, declared: str, values: list[Any], expected: Any
) -> None:
    with sqlite3.connect(tmp_path / "x.sqlite") as database:
        database.execute(f"create table t (fen text, x {declared})")
        database.executemany("insert into t values (?, ?)", [(FEN, it) for it in values])
    database.close()
    if isinstance(expected, str):
        with pytest.raises(
            SourceError, match=f"its column x is declared with another type than that of its value {expected}"
        ):
            find("true", tmp_path / "x.sqlite", columns=["x"])
    else:
        assert find("true", tmp_path / "x.sqlite", columns=["x"]).column("x").to_pylist() == expected


def test_a_scan_that_is_divided_knows_an_empty_tag_from_none(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_bytes(
        b'[White ""]\n[Black "__HIVE_DEFAULT_PARTITION__"]\n\n1. e4 e5 *\n\n[Black "B=%/ \\"x"]\n\n1. d4 d5 *\n\n'
    )
    setwise.scan(tmp_path / "games.pgn", tmp_path / "scanned", partition_by=["white_name", "black_name"])
    for where in (
        "white_name = ''",
        "white_name is null",
        "black_name is null",
        "contains(black_name, 'HIVE')",
        "true",
    ):
        columns = ["game", "ply", "white_name", "black_name"]
        found, expected = (
            find(where, it, columns=columns).to_pylist() for it in (tmp_path / "scanned", tmp_path / "games.pgn")
        )
        assert sorted(found, key=str) == sorted(expected, key=str)


def test_few_of_each_game_need_the_positions_of_a_game_side_by_side(tmp_path: Path) -> None:
    for order, place in (("ply", tmp_path / "by_ply.parquet"), ("game, ply", tmp_path / "by_game.parquet")):
        command = [
            "find",
            "is_check",
            str(FAMOUS_GAMES),
            "--columns",
            "fen,game,ply",
            "--order-by",
            order,
            "-o",
            str(place),
        ]
        assert run(command) == 0
    assert find("true", tmp_path / "by_game.parquet", per_game=1).num_rows == 36
    with pytest.raises(QueryError, match=r"side by side, and in .*by_ply.parquet game 7 comes back after another one"):
        find("true", tmp_path / "by_ply.parquet", per_game=1)
    assert find("true", tmp_path / "by_ply.parquet").num_rows == 206


def test_samples_aliases_and_names_in_statements() -> None:
    assert sql("select ply from positions using sample 3", FAMOUS_GAMES).num_rows == 3
    hidden = "select san as piece, ply from positions where piece = 'N' order by all limit 1"
    assert sql(hidden, FAMOUS_GAMES).to_pylist()[0]["piece"].startswith("N")
    game = '[White "\u0130pek, A"]\n[Black "\u03a3\u03a3"]\n\n1. e4 *\n'.encode()
    for name in ("\u0130pek", "ipek", "\u03a3\u03a3", "\u03c3\u03c3"):
        assert find(f"player('{name}')", game).num_rows == 2


@pytest.mark.parametrize("since", ["2024-13-45", "2025-99", "2025-00", "2025-04-31"])
def test_a_day_that_is_none_is_refused(since: str) -> None:
    with pytest.raises(QueryError, match="since is a year, a month or a day"):
        setwise.train(FAMOUS_GAMES, player="a", since=since)
