"""Openings by position, time controls and spellings of players: columns of every source."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.processes import run
from setwise import Position
from setwise.corpus.columns.openings import player_of, time_control
from setwise.errors import QueryError
from setwise.game import openings

COLUMNS = ["eco_by_position", "opening_by_position", "opening_plies", "speed", "white_player"]
#: The names of the columns that ``names`` writes.
HEAD = "player\tname\tfide_ids\tgames\n"
#: Lines that reach one opening in different orders of moves, by their ECO code.
TRANSPOSITIONS = {
    "D37": ("d4 d5 c4 e6 Nc3 Nf6 Nf3", "Nf3 d5 d4 Nf6 c4 e6 Nc3", "c4 e6 Nc3 d5 d4 Nf6 Nf3", "d4 Nf6 c4 e6 Nf3 d5 Nc3"),
    "B50": ("e4 c5 Nf3 d6", "Nf3 c5 e4 d6", "e4 d6 Nf3 c5", "Nf3 d6 e4 c5"),
    "C42": ("e4 e5 Nf3 Nf6", "Nf3 Nf6 e4 e5", "Nf3 e5 e4 Nf6"),
    "E60": ("d4 Nf6 c4 g6", "c4 Nf6 d4 g6", "d4 g6 c4 Nf6", "c4 g6 d4 Nf6"),
    "C00": ("e4 e6 d4", "d4 e6 e4"),
    "B12": ("e4 c6 d4", "d4 c6 e4"),
}


def named(*lines: str) -> list[dict[str, Any]]:
    text = "\n\n".join(f"{line} *" for line in lines).encode()
    return setwise.find("ply = 0", text, columns=COLUMNS[:3]).to_pylist()


def test_the_list_has_a_code_and_a_name_for_each_of_its_keys() -> None:
    names = openings._names()
    assert len(names.keys) > 3500
    assert (np.diff(names.keys.astype(object)) > 0).all()
    assert all(re.fullmatch("[A-E][0-9][0-9]", it) for it in names.ecos.to_pylist())
    assert len({it[0] + it[1:] for it in names.ecos.to_pylist()}) > 450
    assert all(it == it.strip() and it[0].isupper() for it in names.names.to_pylist())


@pytest.mark.parametrize("eco", TRANSPOSITIONS)
def test_transpositions_are_named_alike(eco: str) -> None:
    rows = named(*TRANSPOSITIONS[eco])
    assert [row["eco_by_position"] for row in rows] == [eco] * len(rows)
    assert len({row["opening_by_position"] for row in rows}) == 1


def test_the_deepest_name_is_that_of_the_game_also_behind_positions_without_a_name() -> None:
    [row] = named("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Kh8 a3 Kg8 a4")
    assert (row["eco_by_position"], row["opening_plies"]) == ("C92", 17)
    first, second = named("a3 a6 h4 h6", "Nf3 Nf6 Ng1 Ng8 e4")
    assert (first["opening_by_position"], first["opening_plies"]) == ("Anderssen's Opening", 1)
    assert second["opening_by_position"] == "King's Pawn Game"
    text = b'[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *'
    assert setwise.find("ply = 0", text, columns=COLUMNS[:3]).to_pylist() == [dict.fromkeys(COLUMNS[:3])]


def test_every_source_has_the_same_openings(tmp_path: Path) -> None:
    expected = setwise.find("ply = 4", FAMOUS_GAMES, columns=COLUMNS)
    assert expected["opening_by_position"].null_count == 0
    setwise.scan(FAMOUS_GAMES, tmp_path / "scan")
    setwise.index(FAMOUS_GAMES, tmp_path / "index")
    setwise.pack(FAMOUS_GAMES, tmp_path / "packed.parquet")
    count = "select opening_by_position, speed, count(*) n from games group by all order by all"
    for place in ("scan", "index", "packed.parquet"):
        assert setwise.find("ply = 4", tmp_path / place, columns=COLUMNS).to_pylist() == expected.to_pylist()
        assert setwise.sql(count, tmp_path / place).equals(setwise.sql(count, FAMOUS_GAMES))
    for batch in setwise.read_pgn(FAMOUS_GAMES, variations=True):
        assert openings.of_games(batch)[1].max() > 10
    setwise.split(FAMOUS_GAMES, tmp_path / "split", by="eco_by_position")
    assert (tmp_path / "split" / "C41.pgn").is_file()


def test_a_tree_names_the_position_after_each_move() -> None:
    table = setwise.tree("1. e4 e5", FAMOUS_GAMES)
    names = dict(zip(table["san"].to_pylist(), table["opening"].to_pylist(), strict=True))
    assert names["Nf3"] == "King's Knight Opening"
    assert names["f4"] == "King's Gambit"


def test_time_controls_are_read_in_all_forms_of_pgn() -> None:
    expected = {
        "60": (60, 0, "bullet"), "180+2": (180, 2, "blitz"), "600": (600, 0, "rapid"),
        "1800+20": (1800, 20, "classical"), "10/300": (300, 0, "rapid"),
        "40/9000": (9000, 0, "classical"), "40/7200+30:20/3600+30:900+30": (7200, 30, "classical"),
        "*180": (180, 0, "blitz"), "1/86400": (86400, 0, "correspondence"), "-": (None, None, "correspondence"),
        "?": (None, None, None), "": (None, None, None), "0+1": (0, 1, "bullet"), "60+0.6": (60, 0.6, "bullet"),
        "90'+30''": (None, None, None), "179": (179, 0, "bullet"), "180": (180, 0, "blitz"),
    }  # fmt: skip
    assert {text: time_control(text) for text in expected} == expected


def test_names_of_one_player_have_one_spelling() -> None:
    for spelled, expected in (
        (
            ("Carlsen, Magnus", "carlsen,m", "Magnus Carlsen", "GM Carlsen, Magnus", "CARLSEN M", "Carlsen, M (NOR)"),
            "carlsen m",
        ),
        (("Réti, Richard", "Reti, Richard", "Richard Réti"), "reti r"),
        (("Ivan.the_Terrible",), "terrible i"),
        (("DrNykterstein", "drnykterstein"), "drnykterstein"),
        (("Computer Rebel 6.0",), "computer rebel 6 0"),
        (("Ding Liren, L",), "ding liren l"),
    ):
        found = {*map(player_of, spelled)}
        assert found == {expected}, spelled


def test_names_that_look_like_one_player_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    pairs = (("Carlsen, Magnus", "Caruana, F"), ("Carlsen,M", "Caruana, F"), ("Nobody", "Carlsen, Magnus"))
    path.write_text("".join(f'[White "{white}"]\n[Black "{black}"]\n\n1. e4 *\n\n' for white, black in pairs))
    process = run(sys.executable, "-m", "setwise", "names", path)
    assert process.stdout.split("\n")[1:3] == [
        "carlsen m\tCarlsen, Magnus\t\t2", "carlsen m\tCarlsen,M\t\t1",
    ]  # fmt: skip

    path.write_text('[White "One"]\n\n1. e4 *')
    assert run(sys.executable, "-m", "setwise", "names", path, status=1).stdout == HEAD


def test_a_file_says_which_names_are_of_one_player(tmp_path: Path) -> None:
    games, aliases, command = tmp_path / "x.pgn", tmp_path / "names.tsv", (sys.executable, "-m", "setwise")
    pairs = (("Carlsen, Magnus", "Nykter's"), ("X", "carlsen, magnus"), ("Y", "Z"))
    tags = '[White "{}"]\n[Black "{}"]\n[WhiteFideId "15{}"]\n\n1. e4 *\n\n'
    games.write_text("".join(tags.format(*pair, number) for number, pair in enumerate(pairs)), "utf-8")
    aliases.write_text("Carlsen, Magnus\tNYKTER's\n\nX = Carlsen, Magnus\nZ\tY\n", "utf-8")

    def found(*words: str) -> list[str]:
        return run(*command, "find", *words, games, "--columns", "game,white_player", "--format", "tsv").stdout.split(
            "\n"
        )[1:-1]

    assert found("player('nykt') and ply = 0") == ["1\tcarlsen m"]
    assert found("player('nykt') and ply = 0", "--aliases", str(aliases)) == ["1\tcarlsen m", "2\tcarlsen m"]
    listed = run(*command, "names", games, "--aliases", aliases).stdout.split("\n")
    assert listed[1:-1] == [
        "carlsen m\tCarlsen, Magnus\t150\t1", "carlsen m\tNykter's\t\t1", "carlsen m\tX\t151\t1",
        "carlsen m\tcarlsen, magnus\t\t1",
        "z\tY\t152\t1", "z\tZ\t\t1",
    ]  # fmt: skip
    aliases.write_text("Carlsen, Magnus\n", "utf-8")
    for path, reason in ((aliases, "line 1: a line has two names or more"), (tmp_path / "none", "No such file")):
        assert reason in run(*command, "names", games, "--aliases", path, status=2).stderr


def test_numbers_of_fide_are_columns_where_the_tags_are(tmp_path: Path) -> None:
    text = b'[White "A"]\n[BlackFideId "7"]\n\n1. e4 *'
    columns = ["white_fide_id", "black_fide_id", "own_fide_id"]
    expected = [dict(zip(columns, ids, strict=True)) for ids in ((None, "7", None), (None, "7", "7"))]
    setwise.pack(text, tmp_path / "x.parquet")
    setwise.scan(text, tmp_path / "scan")
    for source in (text, tmp_path / "x.parquet"):
        assert setwise.find("true", source, columns=columns).to_pylist() == expected
    with pytest.raises(QueryError, match="white_fide_id"):
        setwise.find("true", tmp_path / "scan", columns=columns)
    assert run(sys.executable, "-m", "setwise", "names", tmp_path / "scan", status=1).stdout == HEAD


LICHESS = ROOT / "../shared/data/pgn/lichess_with_clocks.pgn.zst"


@pytest.mark.skipif(not LICHESS.is_file(), reason="the test data ../shared/data is not here")
def test_codes_agree_with_the_tags_of_lichess() -> None:
    columns = ["eco", "eco_by_position"]
    rows = setwise.find("ply = 0 and eco <> '?' and variant is null", LICHESS, columns=columns).to_pylist()
    agree = Counter(row["eco"] == row["eco_by_position"] for row in rows)
    assert len(rows) > 400
    assert agree[True] >= 0.97 * len(rows)


def test_the_key_of_a_position_is_that_of_the_list() -> None:
    keys = np.array([Position().play("e4").key], np.uint64)
    assert openings.named(openings.rows_of(keys))[1].to_pylist() == ["King's Pawn Game"]
