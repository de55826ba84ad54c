"""Names that a question asks for and no game has."""

from __future__ import annotations

import csv
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import setwise
from helpers.data import DATA, FAMOUS_GAMES
from setwise.corpus.query import search as searching
from setwise.corpus.query.search import PlayerNames, Query, planned, search
from setwise.errors import QueryError


def pgn(white: str, black: str) -> str:
    return f'[White "{white}"]\n[Black "{black}"]\n\n1. e4 e5 *\n\n'


PAIRS = [("Pupil2012", "Anna"), ("Bert", "Pupil2012"), ("Anna", "Bert"), ("Pupil2013", "O'Neill, Zoë"), ("?", "")]
GAMES = "".join(pgn(*pair) for pair in PAIRS).encode()


def hints_of(ask: Callable[..., Any], question: str, source: Any = GAMES) -> list[str]:
    hints: list[str] = []
    ask(question, source, on_hint=hints.append)
    return hints


@pytest.mark.parametrize(
    ("where", "hints"),
    [
        ("white_name = 'pupil2012'", ["no game of 'pupil2012'; did you mean 'Pupil2012' (2) or 'Pupil2013' (1)?"]),
        ("'Pupil2O12' = own_name and ply > 0", [
            "no game of 'Pupil2O12'; did you mean 'Pupil2012' (2) or 'Pupil2013' (1)?"
        ]),
        ("enemy_name in ('Ana', 'nobody at all')", [
            "no game of 'Ana'; did you mean 'Anna' (2)?", "no game of 'nobody at all'"
        ]),
        ("black_name like 'oneill, zoe' and white_name is not distinct from 'pupil'", [
            "no game of 'oneill, zoe'; did you mean \"O'Neill, Zoë\" (1)?",
            "no game of 'pupil'; did you mean 'Pupil2012' (2) or 'Pupil2013' (1)?",
        ]),
        ("not (white_name = 'Anna') and ply > 9", []),
        ("white_name = 'Zoë'", ["no game of 'Zoë'; did you mean \"O'Neill, Zoë\" (1)?"]),
        ("white_name like 'X%' or white_name <> white_name", [
            "the name of a player is like 'X%' in none of 15 positions"
        ]),
        ("white_name = 'Pupil2012' and black_name = 'Bert'", []),
        ("white_name = 'Anna' or black_name = 'nobody'", None),
    ],
)  # fmt: skip
def test_a_name_that_no_game_has_is_told_with_the_nearest(where: str, hints: list[str] | None) -> None:
    if hints is None:  # something matched
        assert hints_of(setwise.find, where) == []
        return
    assert hints_of(setwise.find, where) == hints
    of_positions = " and ".join(
        f"positions.{part}" if part.startswith(("white", "black")) else part for part in where.split(" and ")
    )
    if " or " not in where and "(" not in where:
        assert (
            hints_of(setwise.sql, f"select count(*) from positions join games using (game) where {of_positions}")
            == hints
        )


@pytest.mark.parametrize(("player", "hints"), [
    ("nna", []),
    ("PUPIL", []),
    ("Ana", ["no game of 'Ana'; did you mean 'Anna' (2)?"]),
    ("zoe", ["no game of 'zoe'; did you mean \"O'Neill, Zoë\" (1)?"]),
])  # fmt: skip
def test_a_player_is_looked_for_in_parts_of_names(player: str, hints: list[str]) -> None:
    query = Query("ply > 9", player=player)
    for found in search(planned(GAMES, query)):
        query.names.read(found.games)
    assert query.names.missing() == hints


def test_what_is_read_in_part_says_nothing_of_the_rest() -> None:
    many = [GAMES] * 200
    statement = "select ply from positions where white_name = 'nobody' or ply = 1 limit 1"
    assert hints_of(setwise.sql, statement, many) == []
    assert hints_of(setwise.sql, statement.replace(" limit 1", ""), many) == ["no game of 'nobody'"]


def test_sources_without_names_say_so() -> None:
    null = "white_name is null in all of 2 positions, and null matches no comparison"
    assert hints_of(setwise.find, "white_name = 'x'", b"1. e4 *") == [null]
    table = b"fen,White_Name\n4k3/8/8/8/8/8/8/4K3 w - -,Anna\n"
    near = "White_Name is 'Ana' in none of 1 position; did you mean 'Anna'?"
    assert hints_of(setwise.find, "white_name = 'Ana'", table) == [near]
    assert hints_of(setwise.sql, "select 1 from positions where white_name = 'Ana'", table) == [near]


def test_counting_stops_where_the_name_occurs_and_without_a_name() -> None:
    [games] = setwise.read_pgn(GAMES)
    for names in (PlayerNames(["Anna", "Bert"]), PlayerNames(part="nna"), PlayerNames()):
        names.read(games)
        assert not names
        names.read(None)  # nothing is looked at any more
        assert names.missing() == []


def test_few_names_are_kept_and_the_nearest_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_MOST", 40)
    chance = random.Random(1)  # noqa: S311
    near = ["Kasparov, G.", "Kasparow, Garry", "Kaspárov, Garry"]
    others = ["".join(chance.choices("bdfhjlmnqtuxyz", k=9)) for _ in range(300)]
    rows = Counter({name: count for count, name in enumerate(near, start=5)}) + Counter(others)
    texts = [pgn(name, "") for name in rows.elements()]
    chance.shuffle(texts)
    names = PlayerNames(["Kasparov, Garry"])
    for start in range(0, len(texts), 15):
        for games in setwise.read_pgn("".join(texts[start : start + 15]).encode()):
            names.read(games)
            assert len(names._games) <= 40
    [told] = names.missing()
    assert set(near) == {name for name in near if f"'{name}' ({rows[name]})" in told}


def test_the_famous_are_known_by_parts_of_their_names() -> None:
    assert hints_of(setwise.find, "white_name = 'Morphy'", FAMOUS_GAMES) == [
        "no game of 'Morphy'; did you mean 'Morphy, Paul' (2)?"
    ]


@pytest.mark.parametrize(
    ("asked", "games", "near"),
    [
        # A name that is the same but for capitals comes before one that holds it, however many games that one has.
        ("anna", {"Annabel": 9, "ANNA": 1, "Hanna": 3}, ["ANNA", "Annabel", "Hanna"]),
        ("nn", {"Anna": 5, "Nn": 1, "nno": 1}, ["Nn", "nno", "Anna"]),  # two letters stand in many names
        ("ann", {"Xannx": 1}, ["Xannx"]),
        ("abcdefgh", {"abcdezzz": 1, "abcdefzz": 1}, ["abcdefzz"]),  # 5 and 6 letters of 8
        ("abcxyz", {"abcd, zyx": 1, "abcyz, x": 1}, ["abcyz, x"]),  # one word is near enough
        ("ab" * 120, {"ab" * 110 + "c" * 20: 1}, ["ab" * 110 + "c" * 20]),  # and letters that occur often count
    ],
)
def test_the_nearest_names_come_first(asked: str, games: dict[str, int], near: list[str]) -> None:
    names = PlayerNames([asked])
    [batch] = setwise.read_pgn("".join(pgn(name, "") * count for name, count in games.items()).encode())
    names.read(batch)
    [hint] = names.missing()
    assert hint == f"no game of {asked!r:.60}" + (
        "; did you mean " + " or ".join(f"{name!r:.60} ({games[name]})" for name in near) + "?"
    )


# ------------------------------------------------------------------------------------------------------- silent nothing

TAGGED = b"""[Event "Casual game"] [White "Morphy, Paul"] [WhiteElo "2600"] [Annotator "Lasker"] 1. e4 { a Slip } e5 *
[Event "casual"] [White "Euwe, Max"] [Black "Lange, Max"] 1. d4 *"""
#: Conditions that nothing fulfils, and what is said.
SILENT = {
    "black_elo > 2400": ["black_elo is null in all of 5 positions, and null matches no comparison"],
    "clock < 10 and evaluation > 30": ["clock and evaluation are null in all of 5 positions, and null matches no"],
    "event = 'casual game'": ["event is 'casual game' in none of 5 positions; 'Casual game' differs only in upper and"],
    "event like 'CASUAL%'": ["event is like 'CASUAL%' in none of 5 positions; 'Casual game' and 'casual' differ only"],
    "event ilike 'causal%'": [
        "event is like 'causal%' in none of 5 positions; did you mean 'casual' or 'Casual game'?"
    ],
    "event in ('Blitz', 'casual game') and ply > 9": ["event is 'Blitz' in none of 5", "event is 'casual game' in"],
    "lower(event) = 'blitz'": ["event is 'blitz' in none of 5 positions"],
    "white_name like 'morphy%'": [
        "the name of a player is like 'morphy%' in none of 5 positions; 'Morphy, Paul' differs"
    ],
    "player('lnge')": ["the name of a player contains 'lnge' in none of 5 positions; did you mean 'Lange, Max'?"],
    "tag('Annotator') = 'Laskar'": ["tag('Annotator') is 'Laskar' in none of 5 positions; did you mean 'Lasker'?"],
    "comment like '%slip%'": ["comment is like '%slip%' in none of 5 positions; 'a Slip' differs only in upper and"],
    "eco = 'C41'": ["eco is null in all of 5 positions, and null matches no comparison"],
    "event = 'casual' and ply > 9": [],
    "white_elo > 2700": [],
    "white_name = 'Euwe'": ["no game of 'Euwe'; did you mean 'Euwe, Max' (1)?"],
}


@pytest.mark.parametrize("where", SILENT)
def test_where_nothing_matches_missing_texts_and_null_columns_are_said(where: str) -> None:
    for ask in (
        lambda hint: setwise.find(where, TAGGED, on_hint=hint),
        lambda hint: setwise.sql(f"select ply from positions where {where}", TAGGED, on_hint=hint),
        lambda hint: setwise.sql(f"select count(*) from positions where {where}", TAGGED, on_hint=hint),
    ):
        said: list[str] = []
        ask(said.append)
        assert [text[: len(begin)] for text, begin in zip(said, SILENT[where], strict=True)] == SILENT[where]


def test_where_anything_matches_nothing_is_said_or_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_positions", lambda *_: pytest.fail("the sources are read again"))
    where, said = "(event = 'casual' or event = 'Blitz') and black_elo is null", list[str]()
    assert setwise.find(where, TAGGED, on_hint=said.append).num_rows == 2
    assert setwise.sql(f"select ply from positions where {where}", TAGGED, on_hint=said.append).num_rows == 2
    assert setwise.tree("", TAGGED, where="event in ('casual', 'Blitz')", on_hint=said.append).num_rows == 1
    assert setwise.find("event = 'Blitz'", TAGGED).num_rows == 0
    assert not said


def test_only_the_beginning_of_long_sources_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_MOST_HINTS", 1)
    said: list[str] = []
    setwise.find("event = 'Blitz'", [FAMOUS_GAMES, TAGGED], on_hint=said.append)
    [sentence] = said
    assert sentence.startswith("event is 'Blitz' in none of the first ")


@pytest.mark.parametrize("kind", ["scan", "index", "pack", "table"])
def test_every_kind_of_source_says_what_it_lacks(tmp_path: Path, kind: str) -> None:
    games = tmp_path / "games.pgn"
    games.write_bytes(TAGGED)
    source: Any = b"fen,event\n4k3/8/8/3N4/8/8/8/4K3 w - -,Casual game\n"
    if kind != "table":
        source = tmp_path / {"scan": "scan", "index": "games.index", "pack": "games.parquet"}[kind]
        getattr(setwise, kind)(games, source)
    said: list[str] = []
    setwise.find("event = 'casual Game'", source, on_hint=said.append)
    assert len(said) == 1
    assert re.match(r"event is 'casual Game' in none of \d positions?; 'Casual game' differs", said[0])


def test_a_tree_says_why_it_has_no_moves() -> None:
    said: list[str] = []
    assert setwise.tree("", TAGGED, where="event = 'Casual'", on_hint=said.append).num_rows == 0
    assert said == ["event is 'Casual' in none of 5 positions; 'casual' differs only in upper and lower case"]


# ----------------------------------------------------------------------------------- what people type, and what it says


#: Conditions with a mistake that people make who know chess, Python or SQL, each with what the message must say.
MISTAKES = [*csv.DictReader((DATA / "mistakes.csv").read_text("utf-8").splitlines())]
#: Words of DuckDB, which no message may have.
OF_DUCKDB = re.compile(
    r"syntax error|FROM clause|U?BIGINT|VARCHAR|BOOLEAN|Binder|Parser|Catalog|Conversion|Scalar Function|candidate|"
    r"explicit type cast|No function matches|GROUP BY|aggregate|Referenced|serialize|Chained"
)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda it: it["typed"])
def test_a_typed_mistake_is_answered_in_words_of_chess(mistake: dict[str, str]) -> None:
    with pytest.raises(QueryError) as raised:
        setwise.find(mistake["typed"], FAMOUS_GAMES)
    assert mistake["says"] in str(raised.value)
    assert not OF_DUCKDB.search(str(raised.value))
    assert "\n" not in str(raised.value)


#: Conditions without a match, around whose columns an operator or a function stands, each with what is said.
NOWHERE = {
    "lower(white_name) = 'carlsen'": "the name of a player is 'carlsen' in none of 2,512 positions; did you mean",
    "eco ~ 'Z2'": "regexp_matches(eco, 'Z2') is true in none of 2,512 positions",
    "starts_with(event, 'LONDON')": "starts_with(event, 'LONDON') is true in none of 2,512 positions",
    "regexp_matches(white_name, '^morphy')": "'Morphy, Paul' differs only in upper and lower case",
    "substr(white_name, 1, 6) = 'MORPHY'": "'Morphy, Paul' differs only in upper and lower case",
    "trim(white_name) = 'Morfy, Paul'": "did you mean 'Morphy, Paul'",
    "white_name || '!' in ('a!', 'b!')": "in none of 2,512 positions",
    "eco > 'F'": "eco > 'F' is true in none of 2,512 positions",
    "later(ends_with(white_name, 'paul'))": "'Morphy, Paul' differs only in upper and lower case",
    "white_elo > 2500 and black_elo > 2500": "white_elo and black_elo are null in all of 2,512 positions",
}


@pytest.mark.parametrize("where", NOWHERE)
def test_texts_that_no_row_has_are_said_with_any_operator(where: str) -> None:
    hints = hints_of(setwise.find, where, FAMOUS_GAMES)
    assert any(NOWHERE[where] in hint for hint in hints), hints
    assert hints_of(setwise.sql, f"select ply from positions where {where}", FAMOUS_GAMES) == hints
