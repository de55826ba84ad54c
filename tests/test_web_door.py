"""The workbench's search as one of the doors: the answers of ``find`` and ``sql``, and their sentences of refusal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.web import Refused, Searches, searches
from setwise.archives import zstd
from setwise.errors import SetwiseError
from setwise.web import answers

CONDITIONS = (
    "is_checkmate",
    "ply > 60 and is_check",
    "white_passed_pawns <> 0 and black_pawn_islands >= 3",
    "year < 1900 and piece = 'N' and own_safe_fork_squares <> 0",
    "knight.attacks(white_knights) & black_king <> 0",
    "false",
)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("packed") / "games.pgn.zst"
    path.write_bytes(zstd.compress(FAMOUS_GAMES.read_bytes()))
    return path


@pytest.fixture(scope="module")
def bench(packed: Path) -> Iterator[Searches]:
    with searches(FAMOUS_GAMES, packed) as found:
        yield found


def test_a_search_of_the_page_has_the_rows_and_counts_of_find(bench: Searches, packed: Path) -> None:
    for number, source in enumerate((FAMOUS_GAMES, packed)):
        for where in CONDITIONS[depth(number, 0) :: depth(2, 1)]:
            expected = setwise.find(where, source, columns=["game", "ply", "fen"]).to_pylist()
            found = bench.find(where, source=number)
            rows = [{name: row[name] for name in ("game", "ply", "fen")} for row in found.rows]
            assert (rows, found.matches) == (expected, len(expected)), where
            assert found.games == len({row["game"] for row in expected})
            few = bench.find(where, source=number, limit=3, skip=2)
            assert [(row["game"], row["ply"]) for row in few.rows] == [
                (row["game"], row["ply"]) for row in expected[2:5]
            ]
            assert few.matches == len(expected)


def test_a_scan_is_searched_and_its_games_opened_like_the_games_it_is_of(tmp_path: Path) -> None:
    """Beside another source, so that each match has to know which one it is from."""
    (tmp_path / "one.pgn").write_text('[White "One"]\n\n1. e4 e5 *\n')
    setwise.scan([str(FAMOUS_GAMES)], tmp_path / "scan")
    with searches(tmp_path / "one.pgn", tmp_path / "scan", FAMOUS_GAMES) as bench:
        for where in ("result = '1-0' and is_check", "year < 1900 and is_check", "white_name = 'One' and ply = 1"):
            found = bench.find(where)
            of = [[it for it in found.rows if it["source"] == number] for number in range(3)]
            assert len(of[0]) == ("One" in where)
            places = [[(it["game"], it["ply"], it["fen"], it["players"]) for it in rows] for rows in of]
            assert places[1] == places[2]
            assert len(places[1]) == len(setwise.find(where, FAMOUS_GAMES))
        match = bench.find("is_checkmate", source=1).rows[0]
        scanned, read = (bench.game(match["game"], source=number, where="is_check") for number in (1, 2))
        shown = ("White", "Black", "Event", "Site", "Date", "ECO")
        assert [scanned["tags"].get(tag) for tag in shown] == [read["tags"].get(tag) for tag in shown]
        assert [(it["san"], it["uci"]) for it in scanned["moves"]] == [(it["san"], it["uci"]) for it in read["moves"]]
        assert [scanned[it] for it in ("fens", "matches", "result", "title", "place")] == [
            read[it] for it in ("fens", "matches", "result", "title", "place")
        ]
        assert bench.sql("select count(*) n, sum(plies) p from games", source=1) == bench.sql(
            "select count(*) n, sum(plies) p from games", source=2
        )


@pytest.mark.parametrize("kind", ["index", pytest.param("scan", marks=pytest.mark.slow)])
def test_each_game_of_several_sources_in_one_is_opened_as_itself(tmp_path: Path, kind: str) -> None:
    """An index and a scan number the games of each of their sources from 1."""
    names = ["Anna", "Berta", "Clara"]
    for name in names:
        (tmp_path / f"{name}.pgn").write_text(f'[White "{name}"]\n\n1. e4 e5 *\n\n[White "{name} II"]\n\n1. d4 *\n')
    sources = [tmp_path / f"{name}.pgn" for name in names]
    together = tmp_path / f"all.{kind}"
    (setwise.index if kind == "index" else setwise.scan)(sources, together)
    with searches(together) as bench:
        found = bench.find("ply = 0").rows
        opened = [bench.game(it["game"], source=it["source"], of=it["of"])["tags"]["White"] for it in found]
        assert opened == [it["players"].split(" – ")[0] for it in found]
        assert opened == [name + more for name in names for more in ("", " II")]
        *_, table = bench._lines("games", {})
        answer = bench.client.post("/api/ask/games", json={"table": table["table"]}).json()
        for source, game, of, white, *_ in answer["rows"]:
            assert bench.game(game, source=source, of=of)["tags"]["White"] == white
        with pytest.raises(Refused, match="no game 1"):
            bench.game(1, of=12345)


def test_a_name_that_no_game_has_is_said(bench: Searches) -> None:
    assert not bench.find("white_name = 'Kasparow'", source=0).rows
    [hint] = bench.end["hints"]
    assert hint.startswith("no game of 'Kasparow'; did you mean 'Kasparov")
    assert not bench.find("eco = 'c41'", source=0).rows
    assert bench.end["hints"] == ["eco is 'c41' in none of 2,512 positions; 'C41' differs only in upper and lower case"]


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("find", "nothing = 1"), ("find", "ply ="), ("find", "white_name > 3 + 'x'"), ("find", "white_name = 7 + [1]"),
        ("sql", "select nothing from positions"), ("sql", "select 1 from nowhere"), ("sql", "drop table positions"),
    ],
)  # fmt: skip
def test_a_refusal_on_the_page_is_the_sentence_of_python(bench: Searches, method: str, text: str) -> None:
    call: Any = getattr(setwise, method)
    with pytest.raises(SetwiseError) as expected:
        call(text, FAMOUS_GAMES)
    with pytest.raises(Refused) as told:
        getattr(bench, method)(text, source=0)
    assert str(told.value) == str(expected.value)


@pytest.mark.parametrize(("move", "why"), [("e5e3", "White has no piece on e5"), ("e9", "is not a move in SAN")])
def test_a_move_that_cannot_be_played_is_refused_without_the_text_of_the_board(move: str, why: str) -> None:
    told = json.loads(answers.answer("play", {"fen": "", "move": move}, []))
    assert told["error"].startswith(f"{move} cannot be played: ")
    assert why in told["error"]
    assert "rnbq" not in told["error"]
