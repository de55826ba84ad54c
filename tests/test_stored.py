"""Conditions over stored columns of a scan go to its files: the same answers as over PGN, and damage is reported."""

from __future__ import annotations

import multiprocessing
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.python_chess import games_of
from setwise.corpus.dataset import parts as part_files
from setwise.corpus.language import stored
from setwise.corpus.language.condition import ROW, query_database
from setwise.corpus.language.names import Repertoires
from setwise.corpus.query.search import Query, planned, search
from setwise.corpus.sources import pgn
from setwise.corpus.sources.jobs import StoredFiles
from setwise.errors import QueryError, SourceError

#: Conditions on what a scan with pawn islands stores, in positions and in games.
STORED = [
    "ply = 10", "key = 5060803636482931868", "white_pawn_islands > 2 and ply between 20 and 30", "year < 1860",
    "result = '0-1' and move = 'e2e4'", "bit_count(white_pawns) = 8 and white_to_move", "eco is null", "game in (3, 5)",
    "white_elo > 2000 or black_queens = 0", "ply >= 0", "ply > 9000", "opening like '%Gambit%'",
    "black_king & ranks('8') = 0",
]  # fmt: skip
#: Conditions of which something must be computed, or that need other positions.
COMPUTED = [
    "ply > 10 and is_check and white_pawn_islands = 2", "year < 1860 and white_hanging <> 0 and ply % 7 = 3",
    "ply = 20 and next(is_check, 3)", "(ply = 5 or is_check) and game > 4", "ply = 9 and ply < 5 and is_check",
    "ply > 30 and count(*) filter (where is_check) over game > 2", "ply < 9 and legal_moves > 30 or is_check",
    "is_check and ply = 11", "next(ply = 11)", "knight.attacks(white_knights) & black_king <> 0", "san = 'e4'",
]  # fmt: skip


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored") / "scanned"
    setwise.scan(FAMOUS_GAMES, folder, features="pawn_islands")
    return folder


@pytest.mark.parametrize("where", [*STORED, *COMPUTED])
def test_the_answer_is_that_over_the_games(where: str, scanned: Path) -> None:
    [(source, question)] = planned(scanned, Query(where))
    assert source.explain(question).way.startswith("DuckDB finds") == (where in STORED)
    columns = ["game", "ply", "san", "fen", "white_name", "result"]
    choices = [{}, {"per_game": 2}, {"player": "morphy"}, {"limit": 5}, {"order_by": "ply desc, game", "limit": 7}]
    at = [*STORED, *COMPUTED].index(where)
    for choice in depth([choices[at % 5], choices[(at + 2) % 5]], choices):
        found, expected = (setwise.find(where, it, columns=columns, **choice) for it in (scanned, FAMOUS_GAMES))
        assert found.equals(expected), choice


@pytest.mark.parametrize(
    ("statement", "reads_files"),
    [
        ("select count(*) n from positions where ply > 3", True),
        ("select result, year, count(*) n from positions where ply = 20 group by all order by result, year", True),
        ("select game, ply from positions where white_pawn_islands > 2 order by game, ply", True),
        ("select count(*) n from positions join games using (source, game) where plies > 60", True),
        ("select san, count(*) n from positions where ply = 0 group by all order by all", False),
        ("select count(*) n from positions where next(white_to_move)", False),
        ("select count(*) n from games", False),
    ],
)
def test_statements_are_answered_from_the_files(statement: str, reads_files: bool, scanned: Path) -> None:
    from setwise.corpus.query.sql import _Statement

    assert bool(_Statement(statement, scanned, Repertoires()).files) == reads_files
    assert setwise.sql(statement, scanned).equals(setwise.sql(statement, FAMOUS_GAMES))


def test_duckdb_finds_what_is_stored_and_the_rest_is_evaluated_on_what_is_left(scanned: Path) -> None:
    def left_of(where: str, source: object = scanned, **query: Any) -> list[list[str]]:
        [(opened, question)] = planned(source, Query(where, **query))
        plan = opened.explain(question)
        assert ("narrows" in plan.way) == (plan.left != [question.condition])
        return [it.columns for it in plan.left]

    assert left_of("is_check and ply = 11") == [["is_check"]]
    assert left_of("san = 'e4' and year < 1860 and bit_count(white_pawns) = 8") == [["san"]]
    assert left_of("next(ply = 3) and is_check and year < 1860") == [["ply"], ["is_check"]]
    assert left_of("is_check or ply = 11") == [["is_check", "ply"]]
    assert left_of("is_check and ply = 11", FAMOUS_GAMES) == [["is_check", "ply"]]
    # The names of players in all games are counted, so every game is read.
    assert left_of("is_check and ply = 11", player="morphy") == [["ply"], ["is_check"]]
    assert left_of("is_check and year < 1860 and white_name = 'Nobody'") == [["year"], ["white_name"], ["is_check"]]


@pytest.mark.parametrize("names", [["result"], ["year", "result"]])
def test_a_scan_in_folders_joins_each_game_once(names: list[str], tmp_path: Path) -> None:
    setwise.scan(FAMOUS_GAMES, tmp_path / "divided", partition_by=names)
    joined = "select count(*) n from positions join (select game, plies from games) using (game) where"
    for where in ("plies > 60 and ply = 10", "ply = 10 and is_check", "white_elo is null and ply < 3"):
        counts = [setwise.sql(f"{joined} {where}", it) for it in (tmp_path / "divided", FAMOUS_GAMES)]
        assert counts[0].equals(counts[1]), where
    where = "white_name like '%a%' and ply in (3, 8)"
    found, expected = (
        setwise.find(where, it, columns=["game", "ply", "fen"]) for it in (tmp_path / "divided", FAMOUS_GAMES)
    )
    assert found.sort_by([("game", "ascending"), ("ply", "ascending")]).equals(expected)


@pytest.mark.parametrize(
    "query",
    [
        "select count(*) n, sum(white_pawn_islands) s from positions where ply = 20",
        "select source, game, ply from positions where key = 5060803636482931868 order by game",
        "select distinct result, year from positions where ply = 30 and year < 1860 order by all",
        "select game, san, fen from positions where ply = 20 and white_pawn_islands > 1 order by all",
        "select game, ply, san from positions where is_check and move like '%e7' order by all",
        "select count(*) n from positions",
        "select count(*) n, max(plies) m from positions join games using (source, game) where ply = 3 and san > 'd'",
        "select san, count(*) n from positions where ply < 300 and game <> 7 group by all order by all",
        "select m.san, count(*) n from moves m where ply = 4 group by all order by all",
    ],
)
def test_connections_and_statements_answer_alike_over_the_scan_and_over_the_games(query: str, scanned: Path) -> None:
    source = str(FAMOUS_GAMES)
    answers = []
    for it in (scanned, source):
        if it == scanned or depth(len(query) % 3 == 0, night=True):  # games are read anew by each connection
            with setwise.connect(it) as database:
                answers.append(database.sql(query).to_arrow_table())
        answers.append(setwise.sql(query, it))
    assert all(it.to_pylist() == answers[0].to_pylist() for it in answers)
    assert answers[0].num_rows


def test_a_connection_reads_stored_columns_from_the_files(scanned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the positions were read batch by batch")

    with setwise.connect(scanned) as database:
        monkeypatch.setattr("setwise.corpus.query.streams.search", refused)
        assert database.sql("select max(ply) from positions where white_pawn_islands > 3 and game < 9").fetchall()
        with pytest.raises(Exception, match="batch by batch"):
            database.sql("select count(san) from positions where ply = 7").fetchall()


def test_batches_without_matches_are_not_read(scanned: Path) -> None:
    assert list(search(planned(scanned, Query("ply > 9000")))) == []


def test_changed_bytes_are_reported_before_anything_is_answered(scanned: Path, tmp_path: Path) -> None:
    [source] = (scanned / "positions").glob("*.parquet")
    copy = tmp_path / "copy"
    for path in scanned.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            (copy / path.relative_to(scanned)).parent.mkdir(parents=True, exist_ok=True)
            (copy / path.relative_to(scanned)).write_bytes(path.read_bytes())
    damaged = copy / "positions" / source.name
    metadata = pq.read_metadata(damaged)
    [place] = [at for at in range(metadata.num_columns) if metadata.schema.column(at).name == "key"]
    data = bytearray(damaged.read_bytes())
    data[metadata.row_group(0).column(place).data_page_offset + 2000] ^= 1
    damaged.write_bytes(data)
    for ask in (lambda: setwise.find("key = 1", copy), lambda: setwise.sql("select max(key) k from positions", copy)):
        with pytest.raises(SourceError, match="is damaged"):
            ask()
    assert setwise.find("ply = 1", copy, columns=["ply"]).num_rows == 41


def test_a_database_reads_the_files_of_the_scan_and_no_others(scanned: Path, tmp_path: Path) -> None:

    [part] = map(str, (scanned / "positions").glob("*.parquet"))
    with query_database(1, [part]) as database:
        assert database.execute(f"select count(*) from read_parquet('{part}')").fetchall() == [(2512,)]
        for read in (f"read_text('{FAMOUS_GAMES}')", f"read_parquet('{scanned}/games/*.parquet')"):
            with pytest.raises(duckdb.PermissionException):
                database.execute(f"select * from {read}")
        with pytest.raises(duckdb.Error):
            database.execute(f"copy (select 1) to '{tmp_path}/x.csv'")
    with pytest.raises(QueryError):
        setwise.sql(f"select * from read_parquet('{part}')", scanned)


def test_scans_of_the_same_games_keep_their_own_sources(scanned: Path, tmp_path: Path) -> None:
    setwise.scan(FAMOUS_GAMES, tmp_path / "other", features="pawn_islands")
    both = setwise.find("ply = 7 and year < 1900", [scanned, tmp_path / "other"], columns=["source", "game"])
    assert len(set(zip(*both.to_pydict().values(), strict=True))) == both.num_rows


@pytest.mark.parametrize("where", depth(STORED[::2], STORED))
def test_a_table_of_stored_columns_is_read_from_the_files_at_once(where: str, scanned: Path) -> None:
    columns = ["source", "game", "ply", "move", "white_pawns", "key", "white_elo", "result", "opening"]
    held = ["source", "game", "ply", "move", "white_pawns", "white_pawn_islands"]
    for names in (columns, held):
        [(source, question)] = planned(scanned, Query(where, names))
        assert source.explain(question).table is not None
        games = Query(where, names)
        expected = [it.table() for it in search(planned(FAMOUS_GAMES, games), threads=1) if it.matched]
        found = setwise.find(where, scanned, columns=names, threads=2)
        assert found.schema == question.schema.with_metadata(found.schema.metadata)
        assert found.to_pylist() == [row for table in expected for row in table.to_pylist()]
        batches = [it.table() for it in search([*planned(scanned, Query(where, names))], threads=1) if it.matched]
        assert found.to_pylist() == [row for table in batches for row in table.to_pylist()]


@pytest.mark.parametrize("ask", ["find", "sql"])
def test_a_file_that_goes_while_it_is_read_is_named(ask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "scanned"
    setwise.scan(FAMOUS_GAMES, place)
    [part] = (place / "positions").glob("*.parquet")
    plain = stored.relation

    def goes(files: list[StoredFiles]) -> str:
        part.unlink(missing_ok=True)  # its bytes have just been compared with the checksums
        return plain(files)

    for module in ("setwise.corpus.language.stored", "setwise.corpus.query.sql"):
        monkeypatch.setattr(f"{module}.relation", goes)
    asks = {
        "find": lambda: setwise.find("ply = 3", place, columns=["game"]),
        "sql": lambda: setwise.sql("select count(*) n from positions where ply = 3", place),
    }
    with pytest.raises(SourceError, match=r"part-00001-00001.parquet is missing"):
        asks[ask]()


def test_a_database_that_was_kept_open_reads_the_files_of_now(tmp_path: Path) -> None:
    place = tmp_path / "scanned"
    count = "select count(*) n, sum(ply) plies from positions"
    for games in (b"1. e4 e5 2. Nf3 *", b"1. d4 *", b"1. e4 e5 2. Nc3 *"):
        setwise.scan(games, place, force=True)
        assert setwise.sql(count, place).equals(setwise.sql(count, games))
        found = setwise.find("ply >= 0", place, columns=["game", "ply", "move"])
        assert found.to_pylist() == setwise.find("ply >= 0", games, columns=["game", "ply", "move"]).to_pylist()
    part = next(place.glob("positions/*"))
    part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(SourceError, match="damaged"):
        setwise.sql(count, place)


def test_a_kept_database_does_not_answer_for_patterns_of_another_statement(scanned: Path) -> None:
    where = "any_of(white_knights, lambda s: knight.attacks(s) & black_king <> 0)"
    for _ in range(2):
        for query in (where, "white_pawn_islands = 2"):
            statement = f"select game, ply from positions where {query}"
            assert setwise.sql(statement, scanned).equals(setwise.sql(statement, FAMOUS_GAMES))
            found, expected = (setwise.find(query, it, columns=["game", "ply"]) for it in (scanned, FAMOUS_GAMES))
            assert found.equals(expected)


def _count(scanned: Path) -> int:
    return setwise.sql("select count(*) n from positions where white_pawn_islands = 2", scanned, threads=2)["n"][
        0
    ].as_py()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_kept_database_survives_a_fork(scanned: Path) -> None:
    expected = _count(scanned)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_count, [scanned]).get(timeout=60) == expected
    assert _count(scanned) == expected


def test_rows_of_a_join_are_in_order_in_whatever_order_they_come(
    scanned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB keeps the order of rows, except in a join, of which it may read either side first."""
    plain = stored.relation
    monkeypatch.setattr(stored, "relation", lambda files: f"select * from ({plain(files)}) order by {ROW} desc")
    where, columns = "year < 1860 and ply < 9", ["game", "ply", "white_name"]
    found, expected = (setwise.find(where, it, columns=columns) for it in (scanned, FAMOUS_GAMES))
    assert found.to_pylist() == expected.to_pylist()
    assert len(found) > 50


def test_matches_in_several_row_groups_of_a_scan_are_those_of_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_files, "ROWS", 200)
    monkeypatch.setattr(pgn, "_SEARCHED", 3000)
    setwise.scan(FAMOUS_GAMES, tmp_path / "scanned", features="pawn_islands")
    parts = (tmp_path / "scanned" / "positions").glob("*.parquet")
    assert max(pq.read_metadata(part).num_row_groups for part in parts) > 1
    where, columns = "white_pawn_islands > 1 and ply % 5 = 2", ["game", "ply", "move", "white_pawns"]
    expected = setwise.find(where, FAMOUS_GAMES, columns=columns).to_pylist()
    for options in ({}, {"limit": 10_000}, {"per_game": 100}):
        assert setwise.find(where, tmp_path / "scanned", columns=columns, **options).to_pylist() == expected


def test_a_folder_with_an_equals_sign_on_the_way_is_no_column(tmp_path: Path) -> None:
    place = tmp_path / "ply=3" / "scanned"
    setwise.scan(FAMOUS_GAMES, place, features="pawn_islands")
    where, columns = "white_pawn_islands > 2 and ply < 40", ["game", "ply", "move"]
    for options in ({}, {"limit": 1000}):
        found, expected = (setwise.find(where, it, columns=columns, **options) for it in (place, FAMOUS_GAMES))
        assert found.to_pylist() == expected.to_pylist()
        assert len({*found["ply"].to_pylist()}) > 3


def test_matches_in_several_files_of_a_scan_are_those_of_the_games(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.pgn" for name in "abcd"]
    for at, file in enumerate(files):
        file.write_text("".join(str(game) + "\n\n" for game in islice(games_of(FAMOUS_GAMES.read_text()), at, None, 9)))
    setwise.scan(files, tmp_path / "scanned", features="pawn_islands")
    where, columns = "white_pawn_islands > 1 and ply % 5 = 2", ["source", "game", "ply", "move", "white_pawns"]
    expected = setwise.find(where, files, columns=columns).to_pylist()
    assert len({row["source"] for row in expected}) == 4
    for options in ({}, {"limit": 1000}, {"per_game": 100}):
        assert setwise.find(where, tmp_path / "scanned", columns=columns, **options).to_pylist() == expected
    one_each = setwise.find(where, tmp_path / "scanned", columns=columns, per_game=1).to_pylist()
    assert one_each == [next(rows) for _, rows in groupby(expected, key=lambda row: (row["source"], row["game"]))]


def test_a_statement_over_a_scan_and_other_games_counts_both(scanned: Path) -> None:
    count = "select count(*) n from positions where ply = 3"
    [both] = setwise.sql(count, [scanned, b"1. e4 e5 2. Nf3 Nc6 *"])["n"].to_pylist()
    assert both == setwise.sql(count, scanned)["n"][0].as_py() + 1
