"""Sources that can be read once alone, and names that tell sources apart."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import zstandard

import setwise
from helpers.data import FAMOUS_GAMES
from setwise.corpus.sources import recognised
from setwise.errors import SourceError
from setwise.files import own_folder
from setwise.game.sources import Stream

GAMES = FAMOUS_GAMES.read_bytes()
SHORT, LONG = b"1. e4 e5 *", b"1. d4 d5 2. c4 *"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SETWISE = [sys.executable, "-m", "setwise"]

#: Statements that read a source more than once, or might.
OFTEN = [
    "select count(*), max(ply) from positions p join games g using (source, game)",
    "select (select count(*) from games), (select count(*) from positions)",
    "select count(*) from (select ply from positions union all select plies from games)",
    "with long as (select * from games where plies > 60) select count(*) from long a, long b where a.game = b.game",
    "with recursive t(n) as (select 1 union all select n + 1 from t, games where n < 3 and game = 1) select * from t",
    "select count(*) from positions where ply > (select avg(ply) from positions)",
]


# ------------------------------------------------------------------------------------------------------------ read once


@pytest.mark.parametrize("statement", OFTEN)
@pytest.mark.parametrize("opened", [io.BytesIO, lambda text: io.BytesIO(zstandard.compress(text))])
def test_a_stream_answers_as_its_file_does(statement: str, opened: Callable[[bytes], Any]) -> None:
    assert setwise.sql(statement, opened(GAMES)) == setwise.sql(statement, FAMOUS_GAMES)


def test_a_connection_to_a_stream_answers_again_and_leaves_nothing() -> None:
    before = set(Path(own_folder().name).iterdir())
    with FAMOUS_GAMES.open("rb") as file, setwise.connect([file, SHORT]) as database:
        for _ in range(2):
            assert database.sql("select count(*) from games").fetchall() == [(42,)]
            assert database.sql("select count(*) from positions join games using (source, game)").fetchall() == [
                (2515,)
            ]
        assert database.sql("select distinct source from games order by all").fetchall() == [
            (name,) for name in sorted([str(FAMOUS_GAMES), "<bytes>"])
        ]
    del database
    gc.collect()
    assert set(Path(own_folder().name).iterdir()) <= before


@pytest.mark.parametrize("kind", ["fen", "csv", "jsonl", "parquet"])
def test_other_streams_than_games_are_read_again(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{kind}"
    if kind == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(pa.table({"fen": [START] * 3}), path)
    else:
        line = {"fen": START, "csv": f"{START},1", "jsonl": f'{{"fen": "{START}"}}'}[kind]
        path.write_text("\n".join([*(["fen,id"] if kind == "csv" else []), *[line] * 3, ""]))
    statement = "select count(*) from positions a join positions b using (game)"
    for source in (path, io.BytesIO(path.read_bytes())):
        assert setwise.sql(statement, source).column(0).to_pylist() == [3]


def test_a_long_table_is_read_again_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    count = (1 << 23) // len(START) + 1000  # more than is read at once
    path.write_text("fen,id\n" + f"{START},1\n" * count)
    answer = setwise.sql("select (select count(*) from positions), (select count(*) from games)", path)
    assert list(answer.to_pylist()[0].values()) == [count, count]


def test_one_pass_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setwise.corpus.sources._Kept.of", lambda source: pytest.fail("it is kept"))
    assert setwise.sql("select count(*) from positions", io.BytesIO(GAMES)).column(0).to_pylist() == [2512]


@pytest.mark.parametrize("text", [GAMES, f"{START}\n".encode(), f"fen,x\n{START},1\n".encode()])
def test_what_can_be_read_once_alone_refuses_to_be_read_again(text: bytes) -> None:
    source = recognised(io.BytesIO(text))
    assert [job.run().games for job in source.jobs(notes=False)]
    with pytest.raises(SourceError, match="<file> can be read once alone, and is asked for again"):
        list(source.jobs(notes=False))


def test_a_stream_gives_its_beginning_again_and_the_rest_behind_it() -> None:
    stream = Stream(io.BytesIO(GAMES))
    beginning = stream.read(100) + stream.read(50)
    assert len(beginning) > 50
    assert GAMES.startswith(beginning)
    assert stream.taken().read() == GAMES


@pytest.mark.parametrize("ask", [setwise.find, lambda where, sources: list(setwise.batches(sources))])
def test_a_stream_that_is_named_twice_is_refused(ask: Callable[..., Any]) -> None:
    file = io.BytesIO(GAMES)
    for sources in (["-", FAMOUS_GAMES, "-"], [file, file], iter([file, file])):
        with pytest.raises(SourceError, match="can be read once alone, and is named twice"):
            ask("true", sources)
    assert setwise.find("ply = 0", [io.BytesIO(GAMES), io.BytesIO(GAMES)]).num_rows == 82


def test_standard_input_answers_as_its_file_does() -> None:
    for statement in OFTEN[:2]:
        ran = [
            subprocess.run([*SETWISE, "sql", statement, *source], input=GAMES, capture_output=True, check=True).stdout
            for source in (["-"], [str(FAMOUS_GAMES)])
        ]
        assert ran[0] == ran[1]
    ran = subprocess.run([*SETWISE, "find", "true", "-", "-"], input=GAMES, capture_output=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr == b"setwise: standard input can be read once alone, and is named twice\n"


# ---------------------------------------------------------------------------------------------------------------- pipes


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """A pipe with a name, into which somebody writes the games once."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no pipes with names on this system")
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(GAMES,), daemon=True)
    writer.start()
    yield path
    writer.join(60)
    assert not writer.is_alive()


@pytest.mark.parametrize("statement", ["select count(*) from positions", *OFTEN[:2]])
def test_a_pipe_is_opened_once(pipe: Path, statement: str) -> None:
    assert setwise.sql(statement, pipe) == setwise.sql(statement, FAMOUS_GAMES)


def test_a_pipe_is_searched(pipe: Path) -> None:
    found = setwise.find("ply = 0", str(pipe), columns=["source", "game"])
    assert found.to_pylist() == [{"source": str(pipe), "game": game} for game in range(1, 42)]


def test_a_pipe_is_read_game_by_game(pipe: Path) -> None:
    assert sum(map(len, setwise.read_pgn(pipe))) == 41


def test_a_pipe_is_merged_and_split(pipe: Path, tmp_path: Path) -> None:
    assert setwise.merge(pipe, tmp_path / "x.pgn") == 41
    assert (tmp_path / "x.pgn").read_bytes().strip() == GAMES.strip()


def test_a_pipe_is_deduped_though_that_reads_twice(pipe: Path) -> None:
    file = io.BytesIO()
    assert setwise.dedupe(pipe, file) == (41, 41)


def test_a_pipe_is_scanned(pipe: Path, tmp_path: Path) -> None:
    assert setwise.scan(pipe, tmp_path / "scan").positions == 2512


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="no bash, which has processes for files")
def test_a_process_stands_for_a_file() -> None:
    command = (
        f"{' '.join(SETWISE)} merge <(cat {FAMOUS_GAMES}) <(zstd -qc {FAMOUS_GAMES} 2>/dev/null || cat {FAMOUS_GAMES})"
    )
    ran = subprocess.run(["/bin/bash", "-c", command], capture_output=True, check=True)
    assert ran.stdout.count(b"[Event ") == 82


# ---------------------------------------------------------------------------------------------------------------- names


def test_games_of_sources_with_one_name_stay_apart() -> None:
    count = "select distinct source, count(*) over game n from positions order by all"
    assert setwise.sql(count, [SHORT, LONG]).to_pylist() == [
        {"source": "<bytes>", "n": 3},
        {"source": "<bytes> 2", "n": 4},
    ]
    for sources in ([SHORT, LONG, SHORT], [FAMOUS_GAMES, FAMOUS_GAMES], [pa.table({"fen": [START]})] * 2):
        joined = setwise.sql("select count(*) from positions join games using (source, game)", sources)
        assert joined.column(0).to_pylist() == [setwise.find("true", sources).num_rows]


def test_every_source_has_a_name_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "a 2"):
        Path(name).write_bytes(SHORT)
    found = setwise.find("ply = 0", ["a", "a", "a 2", "a", *[SHORT] * 1000], columns="source").column(0).to_pylist()
    assert found[:4] == ["a", "a 2", "a 2 2", "a 3"]
    assert len(set(found)) == len(found) == 1004


def test_parts_of_one_source_share_its_name() -> None:
    [games] = setwise.read_pgn(SHORT + b"\n\n" + LONG)
    positions = games.positions()
    count = "select distinct source, game, count(*) over game n from positions order by game"
    answer = setwise.sql(count, [positions[:3], positions[3:]])
    assert [row["n"] for row in answer.to_pylist()] == [3, 4]
    assert {row["source"] for row in answer.to_pylist()} == {"<bytes>"}
