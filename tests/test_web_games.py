"""The table of games that the workbench shows: compared with the tags that python-chess reads, row by row."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import chess.pgn
import pyarrow as pa
import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")

import setwise
from helpers.data import FAMOUS_GAMES
from setwise.cli.app import run
from setwise.corpus.query import move_tree
from setwise.corpus.sources.places import partially
from setwise.web import answers, game_table, searching
from setwise.web.limits import TABLES, ServerLimits
from setwise.web.searching import FIRST_ROWS

RATED = """[White "Zo\u00eb, A"]
[Black "carl"]
[WhiteElo "2100"]
[BlackElo "1950"]
[Date "2020.05.??"]
[ECO "B90"]
[Result "1-0"]

1. e4 c5 1-0

[White "carl"]
[Black "Berta"]
[WhiteElo "?"]
[BlackElo "2250"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 1/2-1/2

[White "Berta"]
[Result "*"]

*
"""


class Bench:
    """The table of some sources, and questions about it."""

    def __init__(self, folder: Path, *sources: str | Path, **limits: int) -> None:
        self.folder = folder / TABLES
        (own := folder / "own").mkdir(exist_ok=True)
        lines = searching.run("games", {}, list(map(str, sources)), ServerLimits()._replace(**limits), str(own))
        self.lines = [json.loads(line) for line in lines]
        self.known = self.lines[-1]

    def __call__(self, question: str, **given: Any) -> dict[str, Any]:
        return json.loads(answers.answer(question, {"table": self.known["table"], **given}, [], self.folder))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("bench"), FAMOUS_GAMES)


@pytest.fixture
def rated(tmp_path: Path) -> Bench:
    file = tmp_path / "rated.pgn"
    file.write_text(RATED, "utf-8")
    return Bench(tmp_path, file)


@pytest.fixture(scope="module")
def games() -> list[dict[str, Any]]:
    """The games as python-chess reads them."""
    found = []
    with FAMOUS_GAMES.open(encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            plies = sum(1 for _ in game.mainline_moves())
            found.append({**game.headers, "game": len(found) + 1, "plies": plies})
    return found


def row_of(game: dict[str, Any]) -> list[Any]:
    names = ("White", "WhiteElo", "Black", "BlackElo", "Result", "Date", "ECO", "Event")
    shown = [game.get(name) for name in names]
    shown[4] = {"1/2-1/2": "½–½"}.get(shown[4], shown[4].replace("-", "–"))
    shown[5] = shown[5].split(".??")[0]
    return [0, game["game"], 0, *shown, game["plies"]]


def numbers(answer: dict[str, Any]) -> list[int]:
    return [row[1] for row in answer["rows"]]


def test_the_table_has_the_tags_of_every_game(bench: Bench, games: list[dict[str, Any]]) -> None:
    answer = bench("games", limit=500)
    assert answer["rows"] == [row_of(game) for game in games]
    years = [int(game["Date"][:4]) for game in games]
    players = {game[side] for game in games for side in ("White", "Black")}
    assert (bench.known["games"], bench.known["players"]) == (len(games), len(players))
    assert bench.known["years"] == [min(years), max(years)]


def test_pages_follow_each_other(bench: Bench, games: list[dict[str, Any]]) -> None:
    pages = [bench("games", offset=first, limit=7) for first in range(0, len(games) + 7, 7)]
    assert [number for page in pages for number in numbers(page)] == [game["game"] for game in games]
    assert {page["all"] for page in pages} == {len(games)}


@pytest.mark.parametrize("text", ["kasparov", "KASP garry", "1-0", "morphy 18", "casual B", "nobody here", "(", "%"])
def test_a_filter_keeps_games_with_all_words(bench: Bench, games: list[dict[str, Any]], text: str) -> None:
    names = ("White", "Black", "Event", "ECO", "Date", "Result")

    def has(game: dict[str, Any]) -> bool:
        return all(
            any(word.lower() in game.get(name, "").lower() for name in names) for word in text.replace(",", " ").split()
        )

    assert numbers(bench("games", text=text, limit=500)) == [game["game"] for game in games if has(game)]


def test_whole_words_of_a_name_are_a_player(tmp_path: Path) -> None:
    """A name that merely holds the letters of a motif does not hide the motif."""
    file = tmp_path / "names.pgn"
    file.write_text('[White "Pitchfork99"]\n[Black "O\'Pin, Zoë"]\n\n1. e4 *\n', "utf-8")
    bench = Bench(tmp_path, file)
    asked = {
        text: bench("understand", text=text)["chips"]
        for text in ("fork", "pins", "pin", "Zoë", "zoë o'pin", "pitchfork99")
    }
    players = {text for text, chips in asked.items() if chips == [f"player:{text}"]}
    assert players == {"pin", "Zoë", "zoë o'pin", "pitchfork99"}
    assert asked["fork"] == ["motif:A safe fork is on"]
    offered = bench("offers", text="pin", table=bench.known["table"])["offers"]
    assert offered[0] == {"chip": "player:O'Pin, Zoë", "name": "O'Pin, Zoë", "about": "Player"}


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("white_name", lambda it: it["White"].lower()),
        ("plies", lambda it: it["plies"]),
        ("date", lambda it: it["Date"]),
    ],
)
def test_rows_are_sorted_either_way(bench: Bench, games: list[dict[str, Any]], sort: str, key: Any) -> None:
    for descending in (False, True):
        wanted = sorted(games, key=key, reverse=descending)
        found = [games[number - 1] for number in numbers(bench("games", sort=sort, descending=descending, limit=500))]
        assert list(map(key, found)) == list(map(key, wanted))


def test_what_is_missing_comes_last(rated: Bench) -> None:
    assert numbers(rated("games", sort="black_elo")) == [1, 2, 3]
    assert numbers(rated("games", sort="black_elo", descending=True)) == [2, 1, 3]
    assert rated("games", text="zo\u00eb")["all"] == rated("games", text="ZO\u00cb")["all"] == 1


def test_players_have_their_results(bench: Bench, games: list[dict[str, Any]]) -> None:
    played, won = Counter[str](), Counter[str]()
    for game in games:
        played.update((game["White"], game["Black"]))
        won.update([game["White"]] * (game["Result"] == "1-0") + [game["Black"]] * (game["Result"] == "0-1"))
    answer = bench("players", sort="name", descending=False, limit=500)
    assert [row[0] for row in answer["rows"]] == sorted(played, key=str.lower)
    assert {row[0]: (row[1], row[2]) for row in answer["rows"]} == {name: (played[name], won[name]) for name in played}
    best = bench("players")["rows"]
    assert [row[1] for row in best] == sorted((row[1] for row in best), reverse=True)


def test_scores_of_players_are_rounded_and_not_cut(tmp_path: Path) -> None:
    """Two wins of three are 66.7 %, and one is 33.3 %."""
    file = tmp_path / "three.pgn"
    game = '[White "Anna"]\n[Black "Bert"]\n[Result "{0}"]\n\n1. e4 {0}\n\n'
    file.write_text("".join(map(game.format, ("1-0", "1-0", "0-1"))))
    answer = Bench(tmp_path, file)("players")
    at = [it["title"] for it in answer["columns"]].index("Score")
    assert {row[0]: row[at] for row in answer["rows"]} == {"Anna": "66.7 %", "Bert": "33.3 %"}


def test_a_players_row_counts_both_colours(rated: Bench) -> None:
    [carl] = rated("players", text="CARL")["rows"]
    assert carl == ["carl", 2, 0, 1, 1, "25.0 %", 1950, 2020]
    berta = rated("players", text="berta")["rows"][0]
    assert berta[:6] == ["Berta", 2, 0, 1, 0, "50.0 %"]


def wilson(points: float, games: int) -> tuple[float, float]:
    """The ends of Wilson's interval: the scores p whose distance to the score is 1.96 standard errors of p."""
    z, score = 1.959964, points / games

    def far(p: float) -> bool:
        return abs(score - p) > z * math.sqrt(p * (1 - p) / games)

    inside = [p / 100_000 for p in range(1, 100_000) if not far(p / 100_000)]
    return inside[0], inside[-1]


@pytest.mark.parametrize(("points", "games"), [(0, 3), (1.5, 3), (12, 20), (700, 1000), (1000, 1000)])
def test_the_scores_of_groups_have_wilsons_intervals(points: float, games: int) -> None:
    [row] = game_table.scores_in(pa.table({"of": ["x"], "games": [games], "score": [points / games]})) or []
    assert (row["low"], row["high"]) == pytest.approx(wilson(points, games), abs=1e-4)


def test_the_first_rows_come_while_the_others_are_read(tmp_path: Path) -> None:
    """They are those of the first page, whatever kind of source they come from."""
    copies, packed = tmp_path / "copies.pgn", tmp_path / "games.index"
    copies.write_bytes(FAMOUS_GAMES.read_bytes() * 3)
    assert run(["index", str(FAMOUS_GAMES), "-o", str(packed)]) == 0
    for number, source in enumerate((copies, packed)):
        (folder := tmp_path / str(number)).mkdir()
        bench = Bench(folder, source)
        first = [line for line in bench.lines if line["type"] == "progress"]
        page = bench("games", limit=FIRST_ROWS)
        early = [row for line in first for row in line["rows"]]
        assert 20 < len(early) <= FIRST_ROWS
        assert early == page["rows"][: len(early)]
        assert all(line["columns"] == page["columns"] for line in first)


def test_a_table_is_known_by_its_key_alone(bench: Bench, tmp_path: Path) -> None:
    """No name leads out of the folder of tables, and another folder's table is not found."""
    for key in ("", "../own/x", "x" * 24, "/etc/passwd", bench.known["table"][:-1], bench.known["table"] + "\n"):
        told = json.loads(answers.answer("games", {"table": key}, [], bench.folder))
        assert "reload the page" in told["error"]
    assert "reload" in json.loads(answers.answer("games", {"table": bench.known["table"]}, [], tmp_path))["error"]
    assert "sorted by" in bench("games", sort="source; drop table")["error"]


def test_a_changed_file_has_another_table_and_few_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    keys = []
    for count in range(4):
        file.write_text('[White "A"]\n\n1. e4 *\n\n' * (count + 1))
        bench = Bench(tmp_path, file, tables=2)
        keys.append(bench.known["table"])
        assert bench("games")["all"] == count + 1
    assert len(set(keys)) == 4
    assert len(list(bench.folder.iterdir())) == 2


def test_memory_is_bounded_by_a_number_of_games(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FAMOUS_GAMES, FAMOUS_GAMES, games=50)
    assert bench.known["games"] == bench.known["at_most"] == 50
    assert [row[0] for row in bench("games", limit=500)["rows"]] == [0] * 41 + [1] * 9


def test_sources_without_games_have_none(tmp_path: Path) -> None:
    file = tmp_path / "positions.epd"
    file.write_text("8/8/8/8/8/8/8/K1k5 w - - 0 1\n")
    bench = Bench(tmp_path, file)
    assert bench.known["games"] == 0
    for question in ("games", "players"):
        assert bench(question)["rows"] == []


# ---------------------------------------------------------------------------------------------------------------- tree


def tree_of(folder: Path, *sources: Path, **given: Any) -> list[dict[str, Any]]:
    lines = searching.run("tree", given, list(map(str, sources)), ServerLimits(), str(folder))
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("by", ["move", "position"])
def test_the_tree_of_the_page_is_that_of_the_command(tmp_path: Path, by: str) -> None:
    fen = setwise.Position().play("e4").fen()
    last = tree_of(tmp_path, FAMOUS_GAMES, fen=fen, by=by)[-1]
    names = ["san", "move", "games", "white", "draw", "black", "rating", "last_year"]
    known = setwise.tree("1. e4", FAMOUS_GAMES, by=by).select(names)  # type: ignore[arg-type]
    assert last["type"] == "done"
    assert last["rows"] == [list(row.values()) for row in known.to_pylist()]
    assert len(last["rows"]) > 2


def test_the_tree_of_a_player_and_of_what_is_no_position(tmp_path: Path) -> None:
    whole, part = (tree_of(tmp_path, FAMOUS_GAMES, fen="", player=it)[-1] for it in ("", "morphy"))
    counts = [sum(row[2] for row in line["rows"]) for line in (whole, part)]
    assert 0 < counts[1] < counts[0]
    for wrong in ({"fen": "e5"}, {"fen": "8/8 w"}, {"fen": "", "by": "moves"}):
        assert [line["type"] for line in tree_of(tmp_path, FAMOUS_GAMES, **wrong)] == ["error"]


def test_the_tree_of_a_players_side_has_the_games_in_which_the_player_has_it(tmp_path: Path) -> None:
    for side in ("white", "black"):
        last = tree_of(tmp_path, FAMOUS_GAMES, fen="", player="kasparov", side=side)[-1]
        known = setwise.tree("", FAMOUS_GAMES, where=f"contains(lower({side}_name), 'kasparov')").to_pylist()
        assert [row[:3] for row in last["rows"]] == [[row["san"], row["move"], row["games"]] for row in known]
        assert known
    for given, said in (({"player": "kasparov", "side": "red"}, "white or black"), ({"side": "white"}, "whose side")):
        assert said in tree_of(tmp_path, FAMOUS_GAMES, fen="", **given)[-1]["error"]


def test_the_tree_of_some_games_has_the_conditions_of_the_command(tmp_path: Path) -> None:
    where = "year >= 1900 and result = '1-0'"
    last = tree_of(tmp_path, FAMOUS_GAMES, fen="", where=where)[-1]
    known = setwise.tree("", FAMOUS_GAMES, where=where).to_pylist()
    assert [row[:3] for row in last["rows"]] == [[row["san"], row["move"], row["games"]] for row in known]
    assert 0 < len(known) < setwise.tree("", FAMOUS_GAMES).num_rows
    assert "no column" in tree_of(tmp_path, FAMOUS_GAMES, fen="", where="no_column = 1")[-1]["error"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("indexed") / "games.index"
    assert run(["index", str(FAMOUS_GAMES), "-o", str(place)]) == 0
    return place


@pytest.mark.parametrize("by", ["move", "position"])
def test_the_tree_of_an_index_needs_no_search(index: Path, by: str) -> None:
    """With no place for a search at all it is there, and it is the tree of the games; one of a player is searched."""
    pytest.importorskip("httpx2", reason="Starlette's test client needs it")
    from starlette.testclient import TestClient

    from setwise.web.server import application

    limits = ServerLimits()._replace(answer_processes=1, parallel_searches=0, queued_searches=0)
    with TestClient(application([str(index)], limits=limits), base_url="http://localhost") as client:
        for moves in ("", "1. e4", "1. e4 c5", "1. a3"):
            fen = move_tree.position_of(moves).fen()
            answer = client.post("/api/search/tree", json={"fen": fen, "by": by, "player": "", "where": ""})
            [line] = map(json.loads, answer.text.splitlines())
            known = setwise.tree(moves, FAMOUS_GAMES, by=by).to_pylist()  # type: ignore[arg-type]
            assert (line["type"], line["stored"]) == ("done", True)
            assert [row[:6] for row in line["rows"]] == [list(row.values())[:6] for row in known]
        for given in ({"player": "kasparov"}, {"where": "year > 1900"}, {"fen": "e5"}):
            answer = client.post("/api/search/tree", json={"fen": "", "by": by} | given)
            assert "too many searches" in answer.json()["error"]


@pytest.mark.slow
def test_an_unfinished_folder_is_refused_on_the_page_and_read_as_far_as_it_is_with_partial(tmp_path: Path) -> None:
    pytest.importorskip("httpx2", reason="Starlette's test client needs it")
    from starlette.testclient import TestClient

    from setwise.web.server import application

    place = tmp_path / "scanned"
    setwise.scan(FAMOUS_GAMES, place)
    manifest = place / "manifest.jsonl"
    manifest.write_bytes(b"".join(manifest.read_bytes().splitlines(keepends=True)[:-2]))  # killed after the only part
    answers_of = dict[bool, list[dict[str, Any]]]()
    for partial in (False, True):
        sources = partially([str(place)], partial=partial)
        with TestClient(application(sources), base_url="http://localhost") as client:
            answer = client.post("/api/search/find", json={"where": "ply = 0"})
            answers_of[partial] = [json.loads(line) for line in answer.text.splitlines()]
    assert "is unfinished: 1 part of" in answers_of[False][-1]["error"]
    assert (answers_of[True][-1]["type"], answers_of[True][-1]["matches"]) == ("done", 41)


def test_the_tree_of_other_sources_is_searched(index: Path, tmp_path: Path) -> None:
    asked = {"fen": "", "by": "move"}
    for sources in ([], [str(FAMOUS_GAMES)], [str(index), str(FAMOUS_GAMES)]):
        assert json.loads(answers.answer("stored_tree", asked, sources)) is None
    both = tree_of(tmp_path, index, FAMOUS_GAMES, **asked)[-1]
    alone, twice = tree_of(tmp_path, index, **asked)[-1], setwise.tree("", [str(FAMOUS_GAMES)] * 2).to_pylist()
    assert [row[2] for row in both["rows"]] == [row["games"] for row in twice]
    assert (both["stored"], alone["stored"]) == (False, True)


# --------------------------------------------------------------------------------------------------------------- missed


def test_a_missed_chance_is_told_with_its_match_and_in_its_game(tmp_path: Path) -> None:
    """The page draws the move that was played and the move that was there."""
    file = tmp_path / "missed.pgn"
    file.write_text('[FEN "6k1/5ppp/8/8/3Q4/2n5/5PPP/6K1 b - - 0 1"]\n\n1... h6 2. h3 *\n')
    sentence = "1... h6 was played; 1... Ne2+, a fork, wins at least 10 pawns more."

    def line(task: str, kind: str, **given: Any) -> dict[str, Any]:
        lines = map(json.loads, searching.run(task, given, [str(file)], ServerLimits(), str(tmp_path)))
        return next(it for it in lines if it["type"] == kind)

    match = line("find", "match", where="missed_fork")
    assert (match["move"], match["missed"], match["next"]) == ("h7h6", "c3e2", sentence)
    told = {"0": ["c3e2", sentence], "1": ["d4c3", "2. h3 was played; 2. Qxc3 wins at least 10 pawns more."]}
    for where in ("missed_fork", "ply < 2", ""):
        assert line("game", "game", game=1, where=where)["missed"] == told
    assert line("find", "match", where="ply = 0")["missed"] is None
