"""What is defined anew, as a cell of a notebook that runs again does, holds everywhere from then on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from setwise import Set, feature, pattern
from setwise.cli.app import run
from setwise.compiler import PATTERNS
from setwise.corpus.columns.registry import REVISIONS
from setwise.errors import QueryError
from setwise.features import FEATURES, Side
from setwise.patterns.bits import FILES

GAMES = FAMOUS_GAMES.read_bytes()[:2500]
_CALL = "mine(white_knights | black_knights)"


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """Forget what a test defines."""
    before = dict(PATTERNS), dict(FEATURES)
    yield
    for registry, old in zip((PATTERNS, FEATURES), before, strict=True):
        registry.clear()
        registry.update(old)


def _defined(files: Any) -> None:
    """Define the pattern ``mine`` and the feature ``mine`` as a cell of a notebook does."""

    def mine(knights):
        return knights & files

    def mine_too(side):
        return side.own & files

    mine.__annotations__ = {"knights": Set, "return": Set}
    mine_too.__annotations__ = {"side": Side, "return": Set}
    for definition, name in ((mine, "mine"), (mine_too, "mine_too")):
        definition.__module__, definition.__name__, definition.__qualname__ = "__main__", name, name
        definition.__doc__ = "Return what is on some files."
    pattern(mine)
    feature(mine_too)


def _answers(threads: int) -> dict[str, int]:
    """How many positions there are, by every way to ask."""
    wheres = {
        "a call": f"{_CALL} <> 0",
        "a call in a lambda": "list_filter([white_knights, black_knights], lambda men: mine(men) <> 0) <> []",
        "features": "white_mine_too <> 0 and own_mine_too <> 0",
    }
    found = {}
    for name, where in wheres.items():
        found[f"{name}, find"] = len(setwise.find(where, GAMES, columns="ply", threads=threads))
        [row] = setwise.sql(
            f"select count(*) n from positions where {where}",  # noqa: S608
            GAMES,
            threads=threads,
        ).to_pylist()
        found[f"{name}, sql"] = row["n"]
    return found


def _by_hand(files: int) -> tuple[int, int]:
    """How many positions have a knight on some files, and how many have men of White and of the mover there."""
    knights = men = 0
    for games in setwise.read_pgn(GAMES):
        for game in games:
            for position in game.positions():
                knights += bool(position.knights & files)
                own = position.white_pieces if position.white_to_move else position.black_pieces
                men += bool(position.white_pieces & files and own & files)
    return knights, men


def test_find_and_sql_ask_the_latest_form() -> None:
    for files, threads in ((FILES[0], 1), (FILES[6], 2)):
        _defined(files)
        knights, men = _by_hand(int(files))
        found = _answers(threads)
        assert found == {name: men if name.startswith("feature") else knights for name in found}


def test_the_latest_form_may_take_other_arguments() -> None:
    def of_one(knights: Set) -> Set:
        """Return what is on the f-file."""
        return knights & FILES[5]

    def of_two(knights: Set, others: Set) -> Set:
        """Return what is on the f-file and in another set."""
        return knights & others & FILES[5]

    counts = []
    for form, given in ((of_one, "men"), (of_two, "men, black_pieces")):
        form.__module__, form.__name__, form.__qualname__ = "__main__", "mine", "mine"
        pattern(form)
        where = f"list_filter([white_knights, black_knights], lambda men: mine({given}) <> 0) <> []"
        counts.append(len(setwise.find(where, GAMES, columns="ply")))
    boards = [position for games in setwise.read_pgn(GAMES) for game in games for position in game.positions()]
    knights = [position.knights & int(FILES[5]) for position in boards]
    of_black = [there & position.black_pieces for there, position in zip(knights, boards, strict=True)]
    assert counts == [sum(map(bool, knights)), sum(map(bool, of_black))]
    assert counts[0] > counts[1] > 0


def test_a_connection_keeps_the_functions_that_it_was_opened_with() -> None:
    query = f"select count(*) from positions where {_CALL} <> 0"  # noqa: S608
    _defined(FILES[0])
    with setwise.connect(GAMES) as before:
        old = before.sql(query).fetchall()
        _defined(FILES[6])
        with setwise.connect(GAMES) as after:
            new = after.sql(query).fetchall()
        assert (old, new) == ([(_by_hand(int(FILES[0]))[0],)], [(_by_hand(int(FILES[6]))[0],)])
        assert before.sql(query).fetchall() == old


def test_positions_and_compiled_callers_know_the_latest_form() -> None:
    position = setwise.Position("4k3/8/8/8/8/8/8/N3K1N1 w - - 0 1")
    for files in (FILES[0], FILES[6]):
        _defined(files)
        assert position.feature("white_mine_too") == position.white_pieces & int(files)
        assert int(PATTERNS["mine"](int(position.knights))) == position.knights & int(files)


# ---------------------------------------------------------------------------------------------------- what files store


def _matches(source: Path | bytes, where: str = "white_mine_too <> 0") -> list[tuple[int, int, int]]:
    """The matches through ``find`` and ``sql``, which must agree, with the value of the feature."""
    columns = ["game", "ply", "white_mine_too"]
    found = setwise.find(where, source, columns=columns).to_pylist()
    told = setwise.sql(f"select {', '.join(columns)} from positions where {where} order by game, ply", source)  # noqa: S608
    assert told.to_pylist() == found
    return [tuple(row.values()) for row in found]


@pytest.mark.parametrize("place", ["folder", "file.parquet"])
def test_a_scan_does_not_answer_with_an_older_definition(place: str, tmp_path: Path) -> None:
    _defined(FILES[0])
    first, path = _matches(GAMES), tmp_path / place
    setwise.scan(GAMES, path, features=["mine_too"])
    assert _matches(path) == first
    _defined(FILES[6])
    second = _matches(GAMES)
    assert _matches(path) == second != first
    setwise.scan(GAMES, path, features=["mine_too"], force=True)
    assert _matches(path) == second
    FEATURES.clear()  # a process that knows no such feature reads what is stored
    assert _matches(path) == second


def test_parts_of_several_definitions_in_one_scan_answer_with_the_newest(tmp_path: Path) -> None:
    games = FAMOUS_GAMES.read_text().split("\n\n[")
    for files, name, some in ((FILES[0], "a.pgn", games[:3]), (FILES[6], "b.pgn", games[3:6])):
        _defined(files)
        (tmp_path / name).write_text("\n\n[".join(some).removeprefix("[").join(("[", "\n\n")))
        setwise.scan(tmp_path / name, tmp_path / "both", features=["mine_too"])
    names = [str(tmp_path / name) for name in ("a.pgn", "b.pgn")]
    expected = setwise.find("white_mine_too <> 0", names, columns=["source", "game", "ply", "white_mine_too"])
    found = setwise.find("white_mine_too <> 0", tmp_path / "both", columns=expected.column_names)
    assert found.drop_columns("source").to_pylist() == expected.drop_columns("source").to_pylist() != []


def test_what_cannot_be_computed_again_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setwise.scan(FAMOUS_GAMES, tmp_path / "x", features=["missed_mate"])
    assert len(setwise.find("not missed_mate", tmp_path / "x")) > 0
    monkeypatch.setitem(REVISIONS, "missed_mate", 99)
    with pytest.raises(QueryError, match=r"`missed_mate` is not in the scan .*: scan with --features missed_mate"):
        setwise.find("not missed_mate", tmp_path / "x")


def test_a_file_that_does_not_say_what_it_stores_is_computed_anew(tmp_path: Path) -> None:
    place = tmp_path / "x.parquet"
    setwise.scan(FAMOUS_GAMES, place, features=["bad_bishop"])
    stored = pq.read_table(place)
    at = stored.column_names.index("white_bad_bishop")
    wrong = stored.set_column(at, "white_bad_bishop", stored.column("white_pawns"))  # as if that was its meaning
    query = "select bit_or(white_bad_bishop) every from positions"
    [right] = setwise.sql(query, FAMOUS_GAMES).to_pylist()
    for metadata, is_believed in ((pq.read_metadata(place).metadata, True), ({}, False)):
        with pq.ParquetWriter(place, wrong.schema, store_schema=False) as file:
            file.write_table(wrong)
            file.add_key_value_metadata({key: it for key, it in metadata.items() if key.startswith(b"setwise.")})
        [found] = setwise.sql(query, place).to_pylist()
        assert (found == right) is not is_believed


def test_an_index_does_not_use_bitmaps_of_an_older_definition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "x.index"
    ask = ["find", "white_pinned <> 0", str(place), "--explain"]
    setwise.index(FAMOUS_GAMES, place, features="pinned")
    assert run(ask) == 0
    assert "finds white_pinned in" in capsys.readouterr().out
    monkeypatch.setitem(REVISIONS, "pinned", 99)
    assert run(ask) == 0
    assert "no bitmap of white_pinned" in capsys.readouterr().out
    setwise.index(FAMOUS_GAMES, place)
    assert run(ask) == 0
    assert "finds white_pinned in" in capsys.readouterr().out
