"""A cluster answers what one machine does: tables, columns, conditions, functions, scans.

One file, however long: a session of Spark takes longer to start than most of these tests.
"""

from __future__ import annotations

import contextlib
import doctest
import functools
import importlib.util
import json
import operator
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pytest

import setwise
from doors import sources, ways
from doors.questions import QUESTIONS, Find
from doors.sources import Source
from helpers.data import DATA, FAMOUS_GAMES, ROOT
from helpers.depth import depth
from helpers.processes import python, run
from helpers.programs import needed
from setwise import Bitboard
from setwise.archives import zstd
from setwise.corpus.columns import COLUMNS
from setwise.corpus.dataset.parts import PLACE_COLUMNS
from setwise.corpus.language.functions import known_patterns
from setwise.patterns import lines, sliders

if importlib.util.find_spec("pyspark") is None:
    pytest.skip("PySpark is not installed", allow_module_level=True)
needed("java")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")]

#: Notes of all kinds behind the moves.
NOTED = (
    b'[Event "notes"]\n[WhiteElo "2100"]\n[BlackTitle "GM"]\n[Date "1999.01.02"]\n\n1. e4 { [%clk 0:01:30.5] } e5 $1 '
    b"{ [%eval 0.3] good } 2. Qh5?! { [%emt 0:00:07] } Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n"
)


@contextmanager
def errors_in(file: IO[bytes]) -> Iterator[None]:
    """Let what programs write to standard error go to a file."""
    kept = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def started(builder: Any, tries: int = 3) -> Any:
    """A session; where Java works and Spark's machine of it does not start, the tests are skipped with its reason."""
    from pyspark.errors import PySparkRuntimeError

    for left in reversed(range(tries)):
        with tempfile.TemporaryFile() as said:
            try:
                with errors_in(said):
                    return builder.getOrCreate()
            except PySparkRuntimeError as error:
                said.seek(0)
                reason = " ".join(f"{error} {said.read()[-1000:].decode(errors='replace')}".split())
        time.sleep(5 * (left > 0))
    pytest.skip(f"Spark does not start on this machine: {reason}")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        import setwise.spark

        builder = SparkSession.builder.master("local[2]").appName("tests")
        options = {
            "spark.driver.memory": "1g", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF", "spark.sql.shuffle.partitions": "2", "spark.driver.host": "127.0.0.1",
        }  # fmt: skip
        session = started(builder.config(map=options))
        session.dataSource.register(setwise.spark.Pgn)
        session.dataSource.register(setwise.spark.ScanFormat)
        setwise.spark.register(session)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games of all kinds of files: plain, packed whole, with notes, with faults."""
    place = tmp_path_factory.mktemp("games")
    shutil.copy(FAMOUS_GAMES, place / "a.pgn")
    place.joinpath("b.pgn.zst").write_bytes(zstd.compress(FAMOUS_GAMES.read_bytes()))
    place.joinpath("c").mkdir()
    place.joinpath("c", "broken.pgn").write_bytes(b'\n\n[Event "broken"]\n\n1. e4 e5 2. Ke8 *\n\n'.join([NOTED] * 40))
    for path in DATA.glob("*.pgn"):
        shutil.copy(path, place / "c")
    return place


def table(spark: Any, path: Path | str, **options: str) -> Any:
    return spark.read.format("pgn").options(partition_bytes="2048", **options).load(str(path))


def rows(data: Any) -> list[tuple[Any, ...]]:
    """The rows of either side in one order, sets as Spark has them."""
    if isinstance(data, pa.Table):
        unsigned = [field.type == pa.uint64() for field in data.schema]
        data = [
            tuple(
                value - (value >> 63 << 64) if is_set and value is not None else value
                for value, is_set in zip(row.values(), unsigned, strict=True)
            )
            for row in data.to_pylist()
        ]
    else:
        data = [tuple(row) for row in data.collect()]
    return sorted(data, key=repr)


# -------------------------------------------------------------------------------------------------------------- tables

#: One column of each type, and some that people ask for.
ONE_OF_EACH = {str(column.type): name for name, column in COLUMNS.items()}
ASKED = list(dict.fromkeys((
    "source", "game", "ply", *ONE_OF_EACH.values(), "own_safe_fork_squares", "white_rooks", "key", "clock",
    "evaluation", "white_elo", "san", "fen", "is_check", "result", "points",
)))  # fmt: skip


def test_columns_of_every_type_are_those_of_one_machine(spark: Any, folder: Path) -> None:
    found = table(spark, folder, columns=",".join(ASKED))
    assert found.columns == ASKED
    assert found.rdd.getNumPartitions() > 10
    expected = rows(setwise.find("true", folder, columns=ASKED))
    assert len(expected) > 5_000
    assert rows(found) == expected


def test_workers_read_the_repertoires_that_an_option_names(spark: Any) -> None:
    where, book = "leaves('repertoire.pgn')", ROOT / "examples" / "repertoire.pgn"
    found = table(spark, FAMOUS_GAMES, columns="game,ply", where=where, repertoires=str(book))
    assert rows(found) == rows(setwise.find(where, FAMOUS_GAMES, columns=["game", "ply"], files=book))
    assert found.count() == 41


@pytest.mark.parametrize(
    "statement",
    [
        "select count(*), bit_or(white_king)::bigint from positions",
        """
        select result, count(*), count_if(own_safe_fork_squares <> 0)::bigint, sum(bit_count(white_rooks))::bigint
        from positions group by all
        """,
        "select source, count(distinct game), max(ply) from positions where is_check group by all",
    ],
)
def test_sql_answers_as_it_does_on_one_machine(spark: Any, folder: Path, statement: str) -> None:
    names = [name for name in ASKED if name in statement]
    table(spark, folder, columns=",".join([*names, "white_king"])).createOrReplaceTempView("positions")
    assert rows(spark.sql(statement)) == rows(setwise.sql(statement, folder))


def test_a_condition_looks_along_games_wherever_they_are_cut(spark: Any, folder: Path) -> None:
    where = "captured is not null and next(captured is not null) and count_if(is_check) over game > 2"
    columns = ["source", "game", "ply", "san"]
    expected = rows(setwise.find(where, folder, columns=columns))
    assert len(expected) > 50
    assert rows(table(spark, folder, where=where, columns=",".join(columns))) == expected


#: A filter of Spark's, and the condition that the workers evaluate of it; what else it says is left to Spark.
PUSHED = {
    "ply = 5 and result = '1-0'": "ply = 5 and result = '1-0'",
    "ply >= 7 and ply < 9 and not is_check": "ply >= 7 and ply < 9 and not is_check",
    "white_king = 16 and black_rooks <> -9151314442816847872": (
        "white_king = squares('e1') and black_rooks <> squares('a8 h8')"
    ),
    "white_elo is null and eco in ('C33', 'C41', 'it''s')": "white_elo is null and eco in ('C33', 'C41', 'it''s')",
    "black_rooks < 0 and ply = 2": "ply = 2",
    "ply = -1 or san = 'e4'": "true",
    "san like 'N%' and result not in ('1-0', '*')": "san is not null and result not in ('1-0', '*')",
    "ply = -5": "true",
}


@pytest.mark.parametrize("filtered", [*PUSHED][depth(1, 0) :: depth(2, 1)])
def test_workers_evaluate_pushed_filters_and_spark_the_rest(spark: Any, folder: Path, filtered: str) -> None:
    columns = "source,ply,san,result,is_check,white_king,black_rooks,white_elo,eco"
    expected = rows(table(spark, folder, columns=columns).filter(filtered))
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        frame = table(spark, folder, columns=columns, push_filters="true").filter(filtered)
        found = rows(frame)
        plan = frame._jdf.queryExecution().executedPlan()
        yielded = plan.collectLeaves().head().metrics().apply("numOutputRows").value()
    finally:
        spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")
    assert found == expected
    assert (len(found) > 0) == (filtered != "ply = -5")
    assert yielded == setwise.find(PUSHED[filtered], folder, columns=["ply"]).num_rows


def test_games_and_faults_are_tables(spark: Any, folder: Path) -> None:
    names = ["source", "game", "white_name", "white_elo", "year", "result", "points", "plies", "fault"]
    expected = rows(setwise.sql(f"select {', '.join(names)} from games", folder))
    assert rows(table(spark, folder, table="games", columns=",".join(names))) == expected
    assert table(spark, folder, table="games").count() == len(expected)
    faults: list[Any] = []
    setwise.find("false", folder, on_fault=faults.append)
    assert len(faults) >= 39
    found = table(spark, folder, table="faults")
    assert rows(found) == sorted(((it.source, it.game, *it[1:2], *it[3:]) for it in faults), key=repr)
    assert found.schema.simpleString() == "struct<source:string,game:int,line:bigint,token:string,reason:string>"


def test_python_chess_counts_the_same_checks(spark: Any) -> None:
    chess = pytest.importorskip("chess.pgn")
    counted = plies = 0
    with FAMOUS_GAMES.open() as file:
        while game := chess.read_game(file):
            boards = [game.board(), *(node.board() for node in game.mainline())]
            counted += sum(board.is_check() for board in boards)
            plies += len(boards)
    found = table(spark, FAMOUS_GAMES, columns="is_check")
    assert (found.filter("is_check").count(), found.count()) == (counted, plies)
    assert counted > 100


def test_sql_of_spark_reads_games_too(spark: Any, folder: Path) -> None:
    spark.sql(f"create or replace temporary view v using pgn options (path '{folder}/*.pgn', columns 'ply')")
    assert spark.sql("select count(*) from v").first()[0] == 2512
    several = spark.read.format("pgn").load([f"file://{folder}/a.pgn", f"{folder}/b.pgn.zst"])
    assert several.count() == 2 * 2512
    assert several.columns == [
        "source", "game", "ply", "white_name", "black_name", "white_to_move", "san", "fen", "result",
    ]  # fmt: skip
    declared = spark.read.format("pgn").schema("ply int, white_king bigint").load(f"{folder}/a.pgn")
    assert declared.filter("has(white_king, 'e1') and ply = 0").count() == 41


def test_sets_are_longs_that_bitboards_take(spark: Any) -> None:
    position = table(spark, FAMOUS_GAMES, columns="black_rooks,ply", where="ply = 0").first()
    assert position.black_rooks < 0
    assert Bitboard(position.black_rooks) == Bitboard("a8 h8")


def test_own_patterns_and_features_are_loaded_by_the_workers(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "rims.py"
    file.write_text(
        "from setwise import Set, feature\n"
        "from setwise.features.registry import Side\n"
        "from setwise.patterns.bits import FILE_A, FILE_H\n"
        "@feature\n"
        "def rim_knights(side: Side) -> Set:\n"
        '    "Return the knights of this side on the rim."\n'
        "    return side.knights & (FILE_A | FILE_H)\n"
    )
    code = f"""
import setwise
setwise.load({str(file)!r})
print(setwise.sql('select count(*) n from positions where own_rim_knights <> 0', {str(FAMOUS_GAMES)!r}).to_pylist())
"""
    found = table(spark, FAMOUS_GAMES, columns="own_rim_knights", load=str(file)).filter("own_rim_knights <> 0")
    assert python("-c", code).strip() == str([{"n": found.count()}])
    assert found.count() > 10


def test_workers_take_the_latest_form_of_a_pattern(spark: Any, tmp_path: Path) -> None:
    """The workers live on from one question to the next, and know the form from before."""
    chess = pytest.importorskip("chess.pgn")
    knights = []
    with FAMOUS_GAMES.open() as games:
        while game := chess.read_game(games):
            boards = [game.board(), *(node.board() for node in game.mainline())]
            knights += [Bitboard(int(board.pieces(2, True))) for board in boards]
    path, counts = tmp_path / "redefined.py", []
    for files, numbered in (("a", "FILES[0]"), ("ah", "FILES[0] | FILES[7]"), ("g", "FILES[6]")):
        path.write_text(
            "from setwise import Set, feature, pattern\n"
            "from setwise.features.registry import Side\n"
            "from setwise.patterns.bits import FILES\n"
            f"MINE = {numbered}\n"
            "@pattern\n"
            "def mine(knights: Set) -> Set:\n"
            '    "Return what is on some files."\n'
            "    return knights & MINE\n"
            "@feature\n"
            "def knights_of_mine(side: Side) -> Set:\n"
            '    "Return the knights of this side on some files."\n'
            "    return side.own & side.knights & MINE\n"
        )
        counts.append(sum(any(name[0] in files for name in those.names()) for those in knights))
        for where in ("redefined.mine(white_knights) <> 0", "white_knights_of_mine <> 0"):
            asked = table(spark, FAMOUS_GAMES, columns="ply", where=where, load=str(path))
            assert asked.count() == counts[-1]
    assert len({0, *counts}) == 4


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"colums": "ply"}, "the reader has no option 'colums'; did you mean columns?"),
        ({"columns": "plyy"}, "there is no column 'plyy'; did you mean ply?"),
        ({"columns": ""}, "the option columns is names with commas between them, not ''"),
        ({"columns": "ply,,san"}, "the option columns is names with commas between them, not 'ply,,san'"),
        ({"table": "moves"}, "there is no table 'moves': there are positions, games, faults"),
        ({"table": "games", "columns": "fen"}, "the table games has no column 'fen'"),
        ({"table": "games", "where": "true"}, "the option where is a condition on positions"),
        ({"where": "ply >"}, "the condition 'ply >' is not SQL"),
        ({"where": "nothing = 1"}, "there is no column 'nothing'"),
        ({"where": "within('white.pgn')"}, "'white.pgn' is not among the repertoires"),
        ({"where": "true", "repertoires": "/dev/zero"}, "the repertoire '/dev/zero' is a device"),
        ({"load": "no_such_module"}, "there is no file and no module no_such_module of patterns"),
        ({"partition_bytes": "-1"}, "the option partition_bytes is a number of bytes from 1,024 on, not '-1'"),
        ({"partition_bytes": "x"}, "the option partition_bytes is a number of bytes from 1,024 on, not 'x'"),
        ({"partition_bytes": "9" * 5000}, "the option partition_bytes is a number of bytes from 1,024 on, not '999"),
    ],
)
def test_wrong_options_are_told_before_anything_is_read(spark: Any, options: dict[str, str], sentence: str) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException) as caught:
        spark.read.format("pgn").options(**options).load(str(FAMOUS_GAMES))
    assert sentence in str(caught.value)


def test_paths_that_are_none_are_told(spark: Any, tmp_path: Path) -> None:
    from pyspark.errors import AnalysisException

    empty, text = tmp_path / "empty", tmp_path / "text.pgn"
    empty.mkdir()
    text.write_text("no game at all")
    scanned = tmp_path / "scanned"
    setwise.scan(FAMOUS_GAMES, scanned)
    setwise.index(FAMOUS_GAMES, tmp_path / "games.index")
    for path, sentence in {
        tmp_path / "missing.pgn": f"there is no file {tmp_path}/missing.pgn",
        tmp_path / "*.none": "no file matches",
        empty: "holds no .pgn files",
        text: "is not PGN: it begins with 'no game at all'",
        "s3://games/x.pgn": "'s3://games/x.pgn' is not a path of a file",
        scanned: "is a scan: setwise.spark.read_scan reads it",
        tmp_path / "games.index": f"is an index: Spark reads its packed games, {tmp_path}/games.index/packed",
    }.items():
        with pytest.raises(AnalysisException) as caught:
            spark.read.format("pgn").load(str(path)).count()
        assert sentence in str(caught.value)
    assert spark.read.format("pgn").load(str(tmp_path / "games.index" / "packed")).count() == 2_512
    with pytest.raises(AnalysisException, match="nothing says which games to read"):
        spark.read.format("pgn").load()


# ----------------------------------------------------------------------------------------------------------- functions


def test_every_pattern_is_a_function(spark: Any) -> None:
    random = np.random.default_rng(1)
    words = iter(random.integers(0, 2**64, (32, 50), np.uint64).view(np.int64))
    makes = {
        "set": lambda: next(words) & next(words),
        "square": lambda: random.integers(0, 64, 50),
        "fileset": lambda: random.integers(0, 256, 50),
        "count": lambda: random.integers(0, 64, 50),
        "width": lambda: random.integers(1, 9, 50),
        "key": lambda: random.integers(0, 2**63, 50),
        "piece": lambda: random.integers(0, 12, 50),
        "flag": lambda: random.integers(0, 2, 50).astype(bool),
    }
    columns = {f"{kind}{k}": make() for kind, make in makes.items() for k in range(16)}
    data = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    spark.createDataFrame(data, list(columns)).coalesce(1).createOrReplaceTempView("boards")
    calls, expected = [], []
    for name, found in known_patterns().items():
        if found.__module__.startswith("setwise."):
            given = [f"{kind.name.partition(' ')[0]}{k}" for k, kind in enumerate(found.kinds.values())]
            written = [f"cast({column} as int)" if column.startswith("square") else column for column in given]
            calls.append(f"{name.replace('.', '_')}({', '.join(written)}) as `{name}`")
            answer = found(*(columns[column] for column in given))
            expected.append(answer.view(np.int64) if answer.dtype == np.uint64 else answer)
    assert len(calls) > 130
    answers = spark.sql(f"select {', '.join(calls)} from boards").collect()
    assert [list(row) for row in answers] == [list(row) for row in zip(*(it.tolist() for it in expected), strict=True)]


def test_longs_are_sets_in_the_place_of_squares(spark: Any) -> None:
    calls = [
        "lines_between(x, y)",
        "sliders_queen_attacks(y, x | y)",
        "bits_lowest(x)",
        "lines_between(bits_lowest(x), 63)",
    ]
    data = "values (1L, 1L << 63), (6L, 8L), (0L, 1L) as t(x, y)"
    found = [tuple(row) for row in spark.sql(f"select {', '.join(calls)} from {data}").collect()]
    rows = [([0], [63]), ([1, 2], [3]), ([], [0])]
    for row, (ones, others) in zip(found, rows, strict=True):
        between = union(lines.between(a, b) for a in ones for b in others)
        attacks = union(sliders.queen_attacks(b, Bitboard(ones) | Bitboard(others)) for b in others)
        lowest = min(ones, default=None)
        beyond = None if lowest is None else lines.between(lowest, 63)
        expected = (between if ones else None, attacks, lowest, beyond)
        assert tuple(it if it is None or at == 2 else Bitboard(it) for at, it in enumerate(row)) == expected


def union(sets: Iterable[int]) -> Bitboard:
    return functools.reduce(operator.or_, sets, Bitboard(0))


def test_a_function_of_nothing_is_nothing(spark: Any) -> None:
    found = spark.sql("select knight_attacks(x), king_distance(x, 1L) from values (1L), (null) as t(x)").collect()
    assert [tuple(row) for row in found] == [(0x20400, 0), (None, None)]


def test_names_become_sets(spark: Any) -> None:
    calls = ["squares('e4 d5')", "squares('')", "squares(' h8 ')", "files('a h')", "ranks('7')"]
    expected = setwise.sql(f"select {', '.join(calls)} from games", b"1. e4 *").to_pylist()[0]
    found = spark.sql(f"select {', '.join(calls)}").first()
    assert [Bitboard(word) for word in found] == [Bitboard(word) for word in expected.values()]
    asked = "select has(squares('a1 b2 c3'), 'a1 c3'), has(squares('a1'), 'a1 c3')"
    assert tuple(spark.sql(asked).first()) == (True, False)
    plan = spark.sql("select x & squares('e4') from values (1L) as t(x)")._jdf.queryExecution().optimizedPlan()
    assert "split" not in plan.toString()  # worked out once, before any row


@pytest.mark.parametrize(("call", "sentence"), [
    ("squares('e4 i9')", "i9: squares are named a1 to h8"),
    ("files('a z')", "z: files are named a to h"),
    ("ranks('9')", "9: ranks are named 1 to 8"),
    ("has(1L, 'e4,d5')", "e4,d5: squares are named a1 to h8"),
])  # fmt: skip
def test_wrong_names_are_told(spark: Any, call: str, sentence: str) -> None:
    with pytest.raises(Exception, match="USER_RAISED_EXCEPTION") as caught:
        spark.sql(f"select {call}").collect()
    assert sentence in str(caught.value)


# --------------------------------------------------------------------------------------------------------------- scans


@pytest.mark.parametrize("partition_by", [(), ("result", "eco")])
def test_scans_are_read_back_with_sets_as_longs(
    spark: Any, folder: Path, tmp_path: Path, partition_by: tuple[str, ...]
) -> None:
    from setwise.spark import read_scan

    setwise.scan(folder, tmp_path / "scanned", features=["passed_pawns", "eco", "result"], partition_by=partition_by)
    found = read_scan(spark, str(tmp_path / "scanned"))
    names = sorted(found.columns)
    expected = setwise.find("true", folder, columns=names)
    assert rows(found.select(*(f"`{name}`" for name in names))) == rows(expected)
    assert {kind for name, kind in found.dtypes if name.endswith(("pawns", "rooks", "key"))} == {"bigint"}
    joined = found.join(
        read_scan(spark, str(tmp_path / "scanned"), "games").select("source", "game"), ["source", "game"]
    )
    assert joined.filter("white_passed_pawns & ranks('7') <> 0").count() == len(
        setwise.find("white_passed_pawns & ranks('7') <> 0", folder)
    )


def test_an_unfinished_scan_is_refused_and_read_as_far_as_it_is_with_partial(spark: Any, tmp_path: Path) -> None:
    from setwise.errors import SourceError
    from setwise.spark import read_scan

    place = tmp_path / "scanned"
    done = setwise.scan(FAMOUS_GAMES, place)
    manifest = place / "manifest.jsonl"
    lines = manifest.read_bytes().splitlines(keepends=True)
    manifest.write_bytes(b"".join(lines[:-2]))  # killed after the only part
    with pytest.raises(SourceError, match="is unfinished: 1 part of"):
        read_scan(spark, str(place))
    for name, count in {"positions": done.positions, "games": done.games}.items():
        with pytest.warns(UserWarning, match="is unfinished: 1 part of .*; only what is there is read"):
            assert read_scan(spark, str(place), name, partial=True).count() == count


def test_a_scan_may_be_one_file(spark: Any, tmp_path: Path) -> None:
    from setwise.errors import QueryError, SourceError
    from setwise.spark import read_scan

    done = setwise.scan(FAMOUS_GAMES, tmp_path / "famous.parquet")
    for name, count in {"positions": done.positions, "games": done.games}.items():
        assert read_scan(spark, str(tmp_path / "famous.parquet"), name).count() == count
    with pytest.raises(SourceError, match="there is no scan"):
        read_scan(spark, str(tmp_path / "missing"))
    with pytest.raises(QueryError, match="a scan has the tables positions and games, not 'faults'"):
        read_scan(spark, str(tmp_path / "famous.parquet"), "faults")


def test_a_column_that_was_defined_anew_is_left_out(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from setwise.corpus.columns.registry import REVISIONS
    from setwise.spark import read_scan

    done = setwise.scan(FAMOUS_GAMES, tmp_path / "scanned", features=["passed_pawns", "pinned"])
    assert "white_pinned" in read_scan(spark, str(tmp_path / "scanned")).columns
    monkeypatch.setitem(REVISIONS, "pinned", 99)
    with pytest.warns(UserWarning, match=r"is read without black_pinned, white_pinned: defined anew since"):
        found = read_scan(spark, str(tmp_path / "scanned"))
    assert not {*found.columns} & {"white_pinned", "black_pinned"}
    assert found.filter("white_passed_pawns <> 0 or true").count() == done.positions


def written(frame: Any, place: Path, mode: str = "append") -> Path:
    frame.write.format("setwise").mode(mode).save(str(place))
    return place


def with_scan_columns(spark: Any, source: Path | str, *more: str) -> Any:
    return table(spark, source, columns=",".join([*PLACE_COLUMNS, *more]))


def test_spark_writes_the_scan_that_one_machine_writes(spark: Any, folder: Path, tmp_path: Path) -> None:
    from setwise.spark import read_scan

    more = ["white_passed_pawns", "white_name", "white_elo", "eco", "result", "date"]
    setwise.scan(folder, tmp_path / "one", features=more)
    place = written(with_scan_columns(spark, folder, *more), tmp_path / "several")
    assert len(list(place.glob("positions/part-*.parquet"))) > 10
    names = [*PLACE_COLUMNS, *more, "fen", "points", "year", "is_check", "san"]
    expected = rows(setwise.find("true", tmp_path / "one", columns=names))
    assert len(expected) > 5_000
    assert rows(setwise.find("true", place, columns=names)) == expected
    one = read_scan(spark, str(tmp_path / "one")).select(*PLACE_COLUMNS, *more)
    assert rows(read_scan(spark, str(place))) == rows(one)
    assert setwise.verify_scan(place) == []
    counted = "select source, game, white_name, white_elo, result, points, year, eco, plies from games"
    assert rows(setwise.sql(counted, place)) == rows(setwise.sql(counted, folder))
    stored = "white_passed_pawns <> 0 and eco = 'C41'"
    assert rows(setwise.find(stored, place, columns=["source", "game", "ply"])) == rows(
        setwise.find(stored, folder, columns=["source", "game", "ply"])
    )


def test_a_written_scan_grows_and_is_replaced(spark: Any, tmp_path: Path) -> None:
    famous = with_scan_columns(spark, FAMOUS_GAMES)
    place = written(famous, tmp_path / "scanned")
    other = tmp_path / "other.pgn"
    other.write_bytes(NOTED)
    written(with_scan_columns(spark, other), place)
    counts = setwise.sql("select source, count(*) as n from positions group by all order by n", place).to_pylist()
    assert [(Path(row["source"]).name, row["n"]) for row in counts] == [("other.pgn", 8), (FAMOUS_GAMES.name, 2512)]
    with pytest.raises(Exception, match=r"holds games of .*other\.pgn already; overwrite it"):
        written(with_scan_columns(spark, other), place)
    assert setwise.sql("select count(*) as n from positions", place)["n"][0].as_py() == 2520
    written(with_scan_columns(spark, other), place, "overwrite")
    assert setwise.sql("select count(*) as n from positions", place)["n"][0].as_py() == 8
    written(famous.filter("false"), place, "overwrite")
    assert setwise.find("true", place).num_rows == 0


#: What makes rows other than those of whole games, and what is said of them.
NO_GAMES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no column": (lambda frame: frame.drop("move"), "the rows have no column move"),
    "a ply is missing": (lambda frame: frame.filter("ply <> 3"), "is not whole, or not in order, at ply [0-9]+"),
    "no beginning": (lambda frame: frame.filter("ply > 0"), "is not whole, or not in order, at ply 1"),
    "another order": (lambda frame: frame.orderBy("ply"), "is not whole, or not in order"),
    "twice": (lambda frame: frame.union(frame), "game [0-9]+ of .* is in the rows twice"),
    "two kings": (lambda frame: frame.withColumn("white_king", frame.black_king), "are not positions of games"),
    "other rights": (
        lambda frame: frame.withColumn("castling_rights", frame.castling_rights * 0),
        "does not follow from the moves|not a legal move",
    ),
    "large numbers": (lambda frame: frame.withColumn("ply", frame.ply + 40_000), "the column ply is not int16"),
}


@pytest.mark.parametrize("name", [*NO_GAMES][depth(1, 0) :: depth(2, 1)])
def test_rows_that_are_no_games_leave_nothing(spark: Any, tmp_path: Path, name: str) -> None:
    make, sentence = NO_GAMES[name]
    with pytest.raises(Exception, match=sentence):
        written(make(with_scan_columns(spark, FAMOUS_GAMES)), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_scan_stays_when_the_rows_that_replace_it_are_wrong(spark: Any, tmp_path: Path) -> None:
    place = setwise.scan(b"1. e4 e5 *", tmp_path / "old").positions_path.parent
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    with pytest.raises(Exception, match="is not whole"):
        written(with_scan_columns(spark, FAMOUS_GAMES).filter("game <> 7 or ply > 0"), place, "overwrite")
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def _writing(place: Path) -> int | None:
    """The process that has a file open in the folder of unfinished parts of a scan; None if there is none yet."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if str(place / ".unfinished") in str(link.readlink()):
                return int(link.parts[2])
    return None


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not say who has a file open")
def test_a_worker_that_is_killed_while_it_writes_leaves_the_scan_before(spark: Any, tmp_path: Path) -> None:
    def slowly(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from [batch] * 500  # more than the pipes between the processes hold
        time.sleep(60)  # the writer waits for more rows

    def kill() -> int:
        while (process := _writing(place)) is None:
            if is_over.wait(0.05):
                return 0
        rows_of_before = setwise.find("true", place).num_rows
        os.kill(process, signal.SIGKILL)
        return rows_of_before

    place = setwise.scan(NOTED, tmp_path / "scanned").positions_path.parent
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    frame, is_over = with_scan_columns(spark, FAMOUS_GAMES).coalesce(1), Event()
    with ThreadPoolExecutor(1) as pool:
        killed = pool.submit(kill)
        try:
            with pytest.raises(Exception, match=r"crashed|exited unexpectedly|Connection reset"):
                written(frame.mapInArrow(slowly, frame.schema), place, "overwrite")
        finally:
            is_over.set()
        assert killed.result() == 8
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
    written(frame, place, "overwrite")
    assert rows(setwise.find("true", place, columns=["game", "ply", "fen"])) == rows(
        setwise.find("true", FAMOUS_GAMES, columns=["game", "ply", "fen"])
    )
    assert setwise.verify_scan(place) == []


def test_the_format_for_writing_says_what_reads(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"setwise\.spark\.read_scan reads a scan"):
        spark.read.format("setwise").load(str(tmp_path))


# ------------------------------------------------------------------------------------------------------------- workers

WORK = """
import sys, time
from setwise.spark.source import compiled_once
print("ready", flush=True)
sys.stdin.readline()
with compiled_once("work"):
    begin = time.monotonic_ns()
    time.sleep(0.3)
    print(begin, time.monotonic_ns())
with compiled_once("work"):
    pass
"""


def test_one_process_compiles_and_the_others_wait(tmp_path: Path) -> None:
    environment = os.environ | {"SETWISE_CACHE_DIR": str(tmp_path)}
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout"), subprocess.PIPE)
    processes = [
        subprocess.Popen([sys.executable, "-W", "ignore", "-c", WORK], env=environment, text=True, **pipes)
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    first, *others = sorted(tuple(map(int, process.communicate(timeout=60)[0].split())) for process in processes)
    assert len(others) == 2
    assert all(first[1] <= begin for begin, _ in others)


@pytest.mark.nightly
def test_a_killed_worker_costs_no_row() -> None:
    """The whole of ``make spark`` with little work: a master, two workers, one of which is killed in the middle."""
    arguments = ("--megabytes", "4", "--partition-bytes", "262144", "--questions", "1")
    told = run(sys.executable, ROOT / "benchmarks" / "cluster.py", *arguments).stdout
    assert told.count(" equal") == 2
    assert "executor killed after" in told


# ---------------------------------------------------------------------------------------------------------------- docs


def test_the_examples_of_the_page_are_true(spark: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    scope = {
        "spark": spark,
        "setwise": setwise,
        "Bitboard": Bitboard,
        "place": str(tmp_path / "scanned"),
        "written": str(tmp_path / "written"),
    }
    failed, tried = doctest.testfile(str(ROOT / "docs" / "spark.md"), module_relative=False, globs=scope)
    assert (failed, tried > 8) == (0, True)


# ------------------------------------------------------------------------------------------- the questions of all doors

#: Conditions that Spark itself is asked, every so many of all, and those of the reader in its workers.
OF_THE_CLUSTER, OF_THE_READER = depth((15, 3), (1, 1))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> list[Source]:
    """A file that is cut, a compressed one, a folder, packed games."""
    made = sources.sources_of_pgn(tmp_path_factory.mktemp("doors"))
    return [made[name] for name in ("pgn", "zst", "folder", "packed")]


def conditions(kinds: list[Source]) -> Iterator[tuple[Find, Source, list[str]]]:
    """The conditions that a reader knows, each with a source and its columns."""
    asked = [it for it in QUESTIONS if isinstance(it, Find) and not ways.has_options(it) and it.limit is None]
    for at, question in enumerate(asked):
        source = kinds[at % len(kinds)]
        yield question, source, ways.columns_of(question, source)


def wrong_rows(question: Find, source: Source, found: Iterable[Iterable[Any]]) -> str:
    """What is wrong with rows in any order, sets with signs."""
    answer = sorted(ways.told(found, question, source), key=repr)
    right = sorted((tuple(map(signed, row)) for row in ways.expected(question, source.games)), key=repr)
    lacking = [row for row in right if row not in answer][:3]
    return "" if answer == right else f"{question}: {len(answer)} rows for {len(right)}, lacking {lacking}"


def signed(value: Any) -> Any:
    """A set as Spark has it: the same bits in a number with a sign."""
    return value - (1 << 64) if isinstance(value, int) and value >= 1 << 63 else value


def test_the_reader_of_the_workers_answers_the_questions_of_all_doors(kinds: list[Source]) -> None:
    import setwise.spark

    wrong = []
    for question, source, names in [*conditions(kinds)][::OF_THE_READER]:
        options = {"path": source.given, "where": question.where, "columns": ",".join(names), "partition_bytes": "2048"}
        asked = setwise.spark.Pgn(options)
        reader = asked.reader(asked.schema())
        batches = [batch for part in reader.partitions() for batch in reader.read(part)]
        wrong.append(wrong_rows(question, source, (row.values() for batch in batches for row in batch.to_pylist())))
    assert not any(wrong), "\n".join(filter(None, wrong))


def test_spark_answers_the_questions_of_all_doors(spark: Any, kinds: list[Source]) -> None:
    asked = list(conditions(kinds))[::OF_THE_CLUSTER]
    frames = (
        table(spark, source.given, where=question.where, columns=",".join(names)).selectExpr(
            f"{at} as at", "to_json(struct(*)) as row"
        )
        for at, (question, source, names) in enumerate(asked)
    )
    answers: dict[int, list[Any]] = {at: [] for at in range(len(asked))}
    for at, row in functools.reduce(lambda one, other: one.unionAll(other), frames).collect():  # one job for all
        answers[at].append(json.loads(row))
    wrong = [
        wrong_rows(question, source, ([row.get(name) for name in names] for row in answers[at]))
        for at, (question, source, names) in enumerate(asked)
    ]
    assert not any(wrong), "\n".join(filter(None, wrong))
