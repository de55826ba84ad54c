"""Bitmaps of an index: each bit against the positions, answers against those of the games, growing and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.manifests import rewrite
from setwise.cli.app import run
from setwise.corpus.columns import COLUMNS
from setwise.corpus.dataset import folder
from setwise.corpus.language import condition_of
from setwise.corpus.sources.indexes import IndexSource, index_in
from setwise.corpus.sources.jobs import Question
from setwise.corpus.storage import encodings
from setwise.corpus.storage.encodings import bitmap, has_bitmap, without_movers
from setwise.errors import QueryError

CHEAP = ("pinned", "passed_pawns", "fork_squares", "is_check", "is_checkmate", "mate_pattern", "captured", "promotion")


def opened(place: Path) -> IndexSource:
    index = index_in(str(place))
    assert index is not None
    return index


@pytest.fixture(scope="module")
def with_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with all bitmaps that there can be."""
    place = tmp_path_factory.mktemp("features") / "all.index"
    setwise.index(FAMOUS_GAMES, place, features="all")
    return place


@pytest.fixture(scope="module")
def with_some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with some bitmaps, in two lists."""
    place = tmp_path_factory.mktemp("features") / "some.index"
    setwise.index(FAMOUS_GAMES, place, features=CHEAP[:3])
    setwise.index(FAMOUS_GAMES, place, features=CHEAP[2:])
    return place


def games_in(where: str, place: Path) -> set[int]:
    """The numbers of the games that an index reads for a condition."""
    plan = opened(place).explain(Question(condition_of(where)))
    assert not plan.reads_all
    return {int(number) for job in plan.jobs() for number in job.run().games.numbers}


def explained(where: str, place: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["find", where, str(place), "--explain"]) == 0
    return capsys.readouterr().out


# ------------------------------------------------------------------------------------------------------------ each bit


def test_every_bit_is_that_of_the_positions(with_all: Path) -> None:
    names = [name for name in COLUMNS if has_bitmap(name)]
    assert len(names) > 150
    rows = setwise.find("true", FAMOUS_GAMES, columns=["game", *names]).to_pylist()
    expected: dict[str, set[int]] = {name: set() for name in names}
    for row in rows:
        for name in names:
            value = row[name]
            if value is not None and (isinstance(value, str) or value != 0):
                expected[name].add(row["game"])
    [path] = (with_all / "features" / "1").iterdir()
    assert pq.read_schema(path).names == ["game", *sorted(names, key=pq.read_schema(path).names.index)]
    for name in names:
        found = duckdb.sql(f"select game from '{path}' where {name}").fetchall()  # noqa: S608
        assert {game for (game,) in found} == expected[name], name


@pytest.mark.parametrize("of", ["white", "black", "own", "enemy"])
def test_a_condition_on_any_feature_reads_the_games_that_have_it_and_no_others(of: str, with_all: Path) -> None:
    stems = (name.removeprefix("white_") for name in COLUMNS if name.startswith("white_") and has_bitmap(name))
    names = [f"{of}_{stem}" for stem in stems if f"{of}_{stem}" in COLUMNS]
    assert len(names) > 70
    sides = ("white", "black", "own", "enemy")
    for name in names[depth(sides.index(of), 0) :: depth(4, 1)]:  # by day each feature of one side
        where = name if COLUMNS[name].type == "bool" else f"{name} <> 0"
        expected = setwise.find(where, FAMOUS_GAMES, columns=["game", "ply"])
        assert setwise.find(where, with_all, columns=["game", "ply"]).equals(expected), name
        sided = " or ".join(where.replace(name, it) for it in without_movers(name))
        assert games_in(where, with_all) == {*setwise.find(sided, FAMOUS_GAMES, columns="game")["game"].to_pylist()}


# --------------------------------------------------------------------------------------------- what conditions need

SAYING = {
    "white_pinned <> 0": "white_pinned",
    "0 < bit_count(white_pinned)": "white_pinned",
    "bit_count(own_pinned & enemy_fork_squares) >= 2":
        "(white_pinned or black_pinned) and (white_fork_squares or black_fork_squares)",
    "has(black_pinned, 'e4')": "black_pinned",
    "white_pinned & squares('e4 d5') <> 0": "white_pinned",
    "white_pinned | black_pinned <> 0": "white_pinned or black_pinned",
    "is_check and ply > 20 and not is_checkmate": "is_check",
    "is_check = true or is_checkmate": "is_check or is_checkmate",
    "mate_pattern = 'back_rank'": "mate_pattern",
    "promotion is not null": "promotion",
    "mate_pattern in ('smothered', 'legal') and key = 3": "mate_pattern and the key",
    "later(is_checkmate) and earlier(white_pinned <> 0)": "is_checkmate and white_pinned",
    "next(white_pinned, 2) <> 0": "white_pinned",
    "until(not is_check, is_checkmate)": "is_checkmate",
    "streak(is_check, every_other) >= 2": "is_check",
    "lasts(white_pinned <> 0, 3)": "white_pinned",
    "either_colour(white_pinned <> 0)": "white_pinned or black_pinned",
    "later(key = 3)": "the key",
    "WHITE_PINNED <> 0": "white_pinned",
}  # fmt: skip
#: Conditions that a game can satisfy that has nothing of what they name.
SILENT = (
    "not is_check", "white_pinned = 0", "bit_count(white_pinned) >= 0", "bit_count(white_pinned) < 2",
    "is_check = false", "is_check or ply = 3", "is_check is null", "is_check is distinct from false",
    "coalesce(is_check, true)", "case when is_check then false else true end", "promotion is null",
    "later(not is_check)", "streak(is_check) < 2", "not later(is_check)", "bit_count(white_pinned) in (0, 1)",
    "promotion is distinct from 'Q'", "count(*) filter (where is_check) over game < 3", "~white_pinned <> 0",
    "coalesce(promotion, 'Q') = 'Q'", "white_elo > 0", "bit_count(white_pinned) <> 1", "can(is_checkmate)",
    "material('KRP+ v KR')", "is_check or material('KRP+ v KR')",
)  # fmt: skip


@pytest.mark.parametrize(("where", "said"), SAYING.items())
def test_what_a_condition_needs(where: str, said: str, with_some: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert str(condition_of(where).needs) == said
    assert f"the index finds {said} in " in explained(where, with_some, capsys)
    assert setwise.find(where, with_some).to_pylist() == setwise.find(where, FAMOUS_GAMES).to_pylist()


@pytest.mark.parametrize("where", SILENT)
def test_what_a_condition_denies_or_computes_is_not_needed(where: str, with_some: Path) -> None:
    assert condition_of(where).needs is None
    assert setwise.find(where, with_some).to_pylist() == setwise.find(where, FAMOUS_GAMES).to_pylist()


ATOMS = (
    "white_pinned <> 0", "own_pinned = 0", "bit_count(enemy_pinned) >= 2", "bit_count(black_pinned) < 2",
    "is_check", "is_check = false", "is_checkmate", "white_passed_pawns & black_fork_squares <> 0",
    "own_passed_pawns | enemy_pinned <> 0", "mate_pattern is not null", "promotion = 'Q'", "captured <> 'P'",
    "promotion is null", "bit_count(own_fork_squares) in (1, 2)", "bit_count(own_fork_squares) in (0, 1)",
    "own_fork_squares_by_king = 0", "white_holes <> 0", "has(white_pinned, 'f3')", "ply > 30", "result = '1-0'",
    "2 > bit_count(white_passed_pawns)", "1 <= bit_count(white_passed_pawns)", "is_check <> is_checkmate",
    "fen = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'", "key = 5",
    "bit_count(white_pinned) - bit_count(black_pinned) > 0", "bit_count(white_pinned) * bit_count(black_pinned) > 0",
    "streak(is_check, every_other) >= 2", "next(own_pinned) = 0", "next(own_pinned) <> 0",
)  # fmt: skip
WRAPS = (
    "not ({})", "later({})", "earlier({})", "coalesce(next({}), true)", "coalesce(previous({}), false)",
    "either_colour({})", "lasts({}, 2)", "({}) = true", "({}) is not null", "({}) = false",
    "case when {} then ply > 3 else is_check end",
)  # fmt: skip


def conditions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    joined = st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner)
    wrapped = st.builds(lambda wrap, it: wrap.format(it), st.sampled_from(WRAPS), inner)
    return joined | wrapped


@settings(max_examples=depth(20, 5000))
@given(st.recursive(st.sampled_from(ATOMS), conditions, max_leaves=5))
@example("(is_checkmate and later(is_check))")
@example("not (later(not (is_check)) or white_pinned <> 0)")
def test_answers_to_any_condition_are_those_of_the_games(with_some: Path, where: str) -> None:
    def answer(source: Any) -> Any:
        try:
            return setwise.find(where, source, columns=["game", "ply"]).to_pylist()
        except QueryError as error:  # sequences within symmetries, for example
            return str(error).replace(str(source), "")

    assert answer(with_some) == answer(FAMOUS_GAMES)


def test_a_tree_of_a_condition_reads_only_the_games_with_both(with_some: Path) -> None:
    for where in ("white_pinned <> 0", "is_check", "later(is_checkmate)", "own_pinned = 0"):
        for position in ("", "e4 e5 Nf3"):
            tree = setwise.tree(position, with_some, where=where)
            assert tree.to_pylist() == setwise.tree(position, FAMOUS_GAMES, where=where).to_pylist()


def test_variations_have_no_bitmaps(tmp_path: Path) -> None:
    game = b"1. e4 (1. f3 e5 2. g4 Qh4#) 1... e5 *"
    setwise.index(game, tmp_path / "x.index", features="is_checkmate")
    assert setwise.find("is_checkmate", tmp_path / "x.index").num_rows == 0
    assert setwise.find("is_checkmate", tmp_path / "x.index", variations=True).num_rows == 1


# -------------------------------------------------------------------------------------------------------------- growing


@pytest.fixture
def no_reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No source can be read."""
    with monkeypatch.context() as patched:
        patched.setattr(folder, "recognised", lambda source: pytest.fail(f"{source} is read"))
        yield


def test_features_are_added_without_reading_the_sources(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    place, at_once = tmp_path / "x.index", tmp_path / "y.index"
    setwise.index(FAMOUS_GAMES, place)
    setwise.index(FAMOUS_GAMES, at_once, features=["pinned", "is_check"])
    request.getfixturevalue("no_reading")
    for names in ("pinned", ["pinned", "is_check"], ()):
        setwise.index(FAMOUS_GAMES, place, features=names)
    assert sorted(path.name for path in (place / "features").iterdir()) == ["1", "2"]
    [pinned], [check] = (list((place / "features" / name).iterdir()) for name in ("1", "2"))
    [both] = (at_once / "features" / "1").iterdir()
    assert pq.read_table(both).equals(pq.read_table(pinned).append_column("is_check", pq.read_table(check)["is_check"]))
    assert setwise.verify_scan(place) == []


def test_new_and_changed_sources_get_the_bitmaps_that_an_index_has(tmp_path: Path) -> None:
    whole = FAMOUS_GAMES.read_text("utf-8")
    middle = whole.index("[Event ", len(whole) // 2)
    files = [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    for file, text in zip(files, (whole[:middle], whole[middle:]), strict=True):
        file.write_text(text, "utf-8")
    place, where = tmp_path / "x.index", "black_pinned <> 0 and is_check"
    setwise.index(files[0], place, features=["pinned", "is_check"])
    setwise.index(files, place)
    assert setwise.find(where, place).to_pylist() == setwise.find(where, files).to_pylist()
    files[0].write_text(whole[middle:] + "\n" + whole[:middle], "utf-8")
    setwise.index(files, place)
    answer = setwise.find(where, place)
    assert answer.to_pylist() == setwise.find(where, files).to_pylist()
    expected = {*zip(answer["source"].to_pylist(), answer["game"].to_pylist(), strict=True)}
    plan = opened(place).explain(Question(condition_of(where)))
    read = [
        (batch.games.source, int(number))
        for batch in (job.run() for job in plan.jobs())
        for number in batch.games.numbers
    ]
    assert {*read} >= expected
    assert f"in {len(read)} of " in plan.way
    assert len(read) < len(opened(place).parts) * 41
    assert setwise.verify_scan(place) == []


def test_a_part_without_bitmaps_is_read_whole(tmp_path: Path) -> None:
    """As between the lines of a manifest, if the process that adds the bitmaps is killed."""
    place = tmp_path / "x.index"
    setwise.index(FAMOUS_GAMES, place)
    manifest = place / "manifest.jsonl"
    before = manifest.read_text()
    setwise.index(FAMOUS_GAMES, place, features="is_checkmate")
    added = manifest.read_text().removeprefix(before).splitlines(keepends=True)
    manifest.write_text(before + added[0])
    assert games_in("is_checkmate", place) == {*range(1, 42)}
    assert setwise.find("is_checkmate", place).to_pylist() == setwise.find("is_checkmate", FAMOUS_GAMES).to_pylist()
    setwise.index(FAMOUS_GAMES, place)
    assert len(games_in("is_checkmate", place)) == 8
    assert setwise.verify_scan(place) == []


@pytest.mark.parametrize("at", range(0, 12, 3))
def test_interrupted_adding_leaves_a_whole_index_and_continues(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = FAMOUS_GAMES.read_text("utf-8")
    files = [tmp_path / f"{number}.pgn" for number in range(6)]
    for file in files:
        file.write_text(whole, "utf-8")
    place, where = tmp_path / "x.index", "black_pinned <> 0 and is_check"
    setwise.index(files, place)
    calls = iter(range(100))

    def interrupted(*of: Any) -> Any:
        if next(calls) == at:
            raise KeyboardInterrupt
        return bitmap(*of)

    with monkeypatch.context() as patched:
        patched.setattr(encodings, "bitmap", interrupted)
        with pytest.raises(KeyboardInterrupt):
            setwise.index(files, place, features="pinned", threads=2)
    assert setwise.verify_scan(place) == []
    expected = setwise.find(where, files).to_pylist()
    assert setwise.find(where, place).to_pylist() == expected
    setwise.index(files, place)
    assert setwise.verify_scan(place) == []
    assert setwise.find(where, place).to_pylist() == expected
    assert len(list((place / "features" / "1").iterdir())) == len(files)
    assert not (place / ".unfinished").exists()


def test_bitmaps_of_another_version_are_not_used_and_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "x.index"
    setwise.index(FAMOUS_GAMES, place, features="is_checkmate")
    manifest = place / "manifest.jsonl"
    rewrite(manifest, lambda line: {name: "0.0.1" if it == setwise.__version__ else it for name, it in line.items()})
    assert "no bitmap of is_checkmate" in explained("is_checkmate", place, capsys)
    setwise.index(FAMOUS_GAMES, place)
    assert "finds is_checkmate in 8 of 41 games" in explained("is_checkmate", place, capsys)
    assert [path.name for path in (place / "features").rglob("*.parquet")] == ["part-00001-00001.parquet"]
    assert setwise.verify_scan(place) == []


def test_begun_anew_an_index_has_the_bitmaps_that_are_named(tmp_path: Path) -> None:
    place = tmp_path / "x.index"
    setwise.index(FAMOUS_GAMES, place, features="is_checkmate")
    setwise.index(FAMOUS_GAMES, place, force=True)
    assert not (place / "features").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("white_elo", "an index has no bitmap of white_elo"),
        ("fen", "an index has no bitmap of fen"),
        ("key", "an index has no bitmap of key"),
        ("clock", "no bitmap|no feature or column"),
        ("pinnned", "there is no feature or column 'pinnned'; did you mean"),
    ],
)
def test_columns_without_bitmaps_are_refused_before_anything_is_written(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=said):
        setwise.index(FAMOUS_GAMES, tmp_path / "x.index", features=["pinned", name])
    assert not (tmp_path / "x.index").exists()


def test_an_own_column_is_stored_as_those_of_both_sides(tmp_path: Path) -> None:
    setwise.index(FAMOUS_GAMES, tmp_path / "x.index", features="own_pinned")
    [path] = (tmp_path / "x.index" / "features" / "1").iterdir()
    assert pq.read_schema(path).names == ["game", "white_pinned", "black_pinned"]
