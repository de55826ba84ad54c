"""Scans: what they write, what is left of them when they are ended, and that they go on from there."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from setwise import Positions
from setwise.archives import zstd
from setwise.corpus.columns import COLUMNS, OF_TABLES
from setwise.corpus.dataset.parts import parts_of
from setwise.corpus.dataset.scan import scan
from setwise.corpus.sources import pgn
from setwise.corpus.sources.jobs import Job
from setwise.errors import IllegalMove, OutputError, QueryError, SourceError

COMMAND = [sys.executable, "-m", "setwise", "scan", "--threads", "2", "--features", "pawn_islands"]
#: How many times scans are killed: a few here, a hundred when somebody looks closely.
KILLS = int(os.environ.get("SETWISE_KILLS", "4"))
FIRST = "part-00001-00001.parquet"

no_windows = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


def games(count: int, year: int = 1999) -> bytes:
    """So many games, all different from each other by their tags."""
    lines = (
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O",
        "1. d4 d5 2. c4 dxc4 3. e3 b5 4. a4 c6 5. axb5 cxb5 6. Qf3",
    )
    return "".join(
        f'[Event "{number}"]\n[Date "{year + number % 3}.01.01"]\n[ECO "C{number % 5}0"]\n\n{lines[number % 2]} *\n\n'
        for number in range(count)
    ).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of games of all sizes, packed ones too, some of which make several parts."""
    place = tmp_path_factory.mktemp("games")
    for number in range(8):
        place.joinpath(f"a{number}.pgn").write_bytes(games(7_000, 1900 + number))
    place.joinpath("b.pgn").write_bytes(games(70_000))
    place.joinpath("c.pgn.zst").write_bytes(zstd.compress(games(70_000, 2005)))
    place.joinpath("d.pgn").write_bytes(games(100, 2010))
    return place


@pytest.fixture(scope="module")
def undisturbed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    """What a scan of them writes when nothing happens."""
    place = tmp_path_factory.mktemp("undisturbed")
    scan(folder, place, features="pawn_islands")
    return files_of(place)


def files_of(place: Path) -> dict[str, pa.Table]:
    """Every file of a scan, each of which can be read."""
    return {
        str(path.relative_to(place)): pq.ParquetFile(path).read()
        for kind in ("positions", "games")
        for path in sorted(place.joinpath(kind).rglob("*.parquet"))
    }


def differing(found: dict[str, pa.Table], expected: dict[str, pa.Table]) -> list[str]:
    """The files that only one of two scans has, and those that are not the same in both."""
    return sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))


def same(found: dict[str, pa.Table], expected: dict[str, pa.Table]) -> bool:
    return not differing(found, expected)


def killed(command: list[str], place: Path, after: float) -> tuple[int, float]:
    """Start a command in a group of its own and kill the group some time after it has begun to write there.

    The exit code, and how long it wrote.
    """
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL) as running:
        while running.poll() is None and not place.joinpath(".unfinished").exists():
            time.sleep(0.002)
        began = time.monotonic()
        try:
            return running.wait(after), time.monotonic() - began
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            return running.wait(), time.monotonic() - began


#: A scan whose parts, after the first three, are each held after one batch until the scan is told to stop.
HELD = """
import itertools
from setwise.cli import main
from setwise.corpus.dataset.parts import Work
before, begun = Work._written, itertools.count()
def written(work, *arguments, **named):
    if next(begun) >= 3:
        on_batch, stop = work.on_batch, work.stop
        work = work._replace(on_batch=lambda *counts: (on_batch(*counts), stop.wait()))
    return before(work, *arguments, **named)
Work._written = written
main()
"""


def ended_midway(arguments: list[str], place: Path, by: signal.Signals) -> tuple[int, str]:
    """Start a held scan and end it when it has made a part; the exit code and what it says."""
    command = [sys.executable, "-c", HELD, *arguments]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as running:
        try:
            while running.poll() is None and not list(place.glob("positions/*.parquet")):
                time.sleep(0.02)
            os.killpg(running.pid, by)
            _, told = running.communicate(timeout=60)
        finally:
            running.kill()
        return running.returncode, told


# ------------------------------------------------------------------------------------------------------------ survival


@pytest.mark.slow
@no_windows
def test_killed_scans_go_on_to_the_same_rows(folder: Path, undisturbed: dict[str, pa.Table], tmp_path: Path) -> None:
    dice = random.Random(KILLS)  # noqa: S311
    place = tmp_path / "0"
    _, long = killed([*COMMAND, str(folder), "-o", str(place)], place, 600)
    assert same(files_of(place), undisturbed)
    kills = midway = whole = 0
    place = tmp_path / "1"
    while kills < KILLS or whole == 0:
        after = dice.uniform(0, 1.2 * long) if kills < KILLS else 600
        code, _ = killed([*COMMAND, str(folder), "-o", str(place)], place, after)
        found = files_of(place)
        assert all(table.equals(undisturbed[name]) for name, table in found.items())
        if code == 0:
            assert same(found, undisturbed)
            assert sorted(path.name for path in place.iterdir()) == [".lock", "games", "manifest.jsonl", "positions"]
            shutil.rmtree(place)
            whole += 1
        else:
            assert code == -signal.SIGKILL
            kills += 1
            midway += any(place.joinpath(".unfinished").glob("*/*"))
            print(f"kill {kills}, {after:.2f} s: {len(found)} of {len(undisturbed)} files stand")
    print(f"{kills} kills, {midway} of them amid files; {whole} scans became whole, row by row as undisturbed")


@pytest.mark.slow
@no_windows
@pytest.mark.parametrize(("by", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_end_scans_with_finished_parts(
    folder: Path, undisturbed: dict[str, pa.Table], tmp_path: Path, by: signal.Signals, code: int
) -> None:
    ended, told = ended_midway([*COMMAND[3:], str(folder), "-o", str(tmp_path)], tmp_path, by)
    assert ended == code
    assert f"the finished parts are in {tmp_path}" in told
    assert "Traceback" not in told
    found = files_of(tmp_path)
    assert 0 < len(found) < len(undisturbed)
    assert not tmp_path.joinpath(".unfinished").exists()
    again = scan(folder, tmp_path, features="pawn_islands")
    assert again.kept > 0
    assert differing(files_of(tmp_path), undisturbed) == []


@pytest.mark.slow
@no_windows
def test_a_full_disk_leaves_finished_parts(folder: Path, undisturbed: dict[str, pa.Table], tmp_path: Path) -> None:
    """The quota of a file stands in for that of a disk: the last parts, which are small, would still fit."""
    sizes = sorted(path.stat().st_size for path in _whole(folder, tmp_path / "whole").rglob("positions/*.parquet"))
    place = tmp_path / "full"
    limited = ["bash", "-c", f'ulimit -f {sizes[-2] // 1024}; exec "$@"', "bash", *COMMAND]
    done = subprocess.run([*limited, str(folder), "-o", str(place)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{place} cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(files_of(place)) < len(undisturbed)
    scan(folder, place, features="pawn_islands")
    assert same(files_of(place), undisturbed)


def _whole(folder: Path, place: Path) -> Path:
    scan(folder, place, features="pawn_islands")
    return place


@pytest.mark.slow
def test_a_torn_line_was_never_written(folder: Path, undisturbed: dict[str, pa.Table], tmp_path: Path) -> None:
    scan(folder, tmp_path, features="pawn_islands")
    manifest = tmp_path / "manifest.jsonl"
    text = manifest.read_bytes()
    ends = [at + 1 for at in range(len(text)) if text[at] == ord("\n")]
    for cut in depth((ends[2] + 20, ends[0] + 5), (ends[2], ends[2] + 20, ends[-1] - 1, ends[0] + 5)):
        manifest.write_bytes(text[:cut])
        scan(folder, tmp_path, features="pawn_islands")
        assert same(files_of(tmp_path), undisturbed)
        assert manifest.read_bytes() == text


# ----------------------------------------------------------------------------------------------------- changed sources


def test_only_new_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, out = tmp_path / "in", tmp_path / "out"
    place.mkdir()
    place.joinpath("b.pgn").write_bytes(games(10))
    assert scan(place, out).games == 10
    place.joinpath("a.pgn").write_bytes(games(5))
    from setwise.corpus.dataset import folder as dataset

    opened, really = [], dataset.recognised
    monkeypatch.setattr(dataset, "recognised", lambda source: opened.append(Path(source).name) or really(source))
    done = scan(place, out)
    assert opened == ["a.pgn"]
    assert (done.games, done.kept) == (15, scan(place / "b.pgn", tmp_path / "b").positions)


def test_renamed_files_are_known(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_bytes(games(10))
    scan(path, tmp_path / "out")
    path = path.rename(tmp_path / "b.pgn")
    assert scan(path, tmp_path / "out").games == 10


def test_a_copy_of_a_file_is_a_source_of_its_own(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.pgn", tmp_path / "b.pgn"
    path.write_bytes(games(10))
    scan(path, tmp_path / "out")
    shutil.copy2(path, copy)  # of the same size and time
    assert scan([path, copy], tmp_path / "out").games == 20


def test_a_scan_that_an_error_ended_goes_on_to_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgn, "_SEARCHED", 400)  # many batches, and so several parts
    path, batches = tmp_path / "a.pgn", itertools.count()
    path.write_bytes(games(100))

    def fail(*_: int) -> None:
        if next(batches) == 24:
            raise RuntimeError("on_batch")

    with pytest.raises(RuntimeError, match="on_batch"):
        scan(path, tmp_path / "out", threads=1, on_batch=fail)
    done = scan(path, tmp_path / "out", threads=1)
    assert (done.games, done.kept > 0) == (100, True)
    columns = ["game", "ply", "move", "event"]
    found, expected = (setwise.find("ply >= 0", it, columns=columns) for it in (tmp_path / "out", path))
    assert found.to_pylist() == expected.to_pylist()


def test_changed_files_and_other_arguments_are_refused(tmp_path: Path) -> None:
    path, out = tmp_path / "a.pgn", tmp_path / "out"
    path.write_bytes(games(10))
    scan(path, out)
    for other in ({"features": "pawn_islands"}, {"partition_by": "year"}):
        with pytest.raises(OutputError, match=r"holds a scan with other .*--force"):
            scan(path, out, **other)
    path.write_bytes(games(20))
    with pytest.raises(OutputError, match="has changed since"):
        scan(path, out)
    assert scan(path, out, force=True, partition_by="year").games == 20
    assert pa.dataset.dataset(out / "positions", partitioning="hive").count_rows() == 20 * 11


@pytest.mark.parametrize("grows", [True, False])
def test_a_file_that_changes_while_it_is_read_is_refused(
    grows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pgn, "_SEARCHED", 400)  # more than one thread's parts, for which the reader waits
    path = tmp_path / "a.pgn"
    path.write_bytes(games(200))

    def change(*_: int) -> None:
        with path.open("ab" if grows else "r+b") as file:
            file.write(games(1))

    with pytest.raises(SourceError, match=r"a.pgn has changed while it was read"):
        scan(path, tmp_path / "out", threads=1, on_batch=change)
    with pytest.raises(OutputError, match="has changed since"):
        scan(path, tmp_path / "out")


def test_what_cannot_be_read_is_told_at_the_end(tmp_path: Path) -> None:
    place, out = tmp_path / "in", tmp_path / "out"
    place.mkdir()
    packed = zstd.compress(games(30_000))
    place.joinpath("a.pgn").write_bytes(games(10))
    place.joinpath("b.pgn.zst").write_bytes(packed[: len(packed) // 2])
    place.joinpath("c.pgn").write_bytes(b"\x89PNG\r\n\x1a\n" * 9)
    place.joinpath("d.pgn").write_bytes(games(7))
    with pytest.raises(SourceError, match=r"b\.pgn\.zst cannot be read beyond .*c\.pgn is not PGN.*all other sources"):
        scan(place, out)
    held = pa.dataset.dataset(out / "games").to_table()
    sources = held["source"].to_pylist()
    assert [sources.count(str(place / name)) for name in ("a.pgn", "d.pgn")] == [10, 7]
    cut = sources.count(str(place / "b.pgn.zst"))
    assert 0 < cut < 30_000
    place.joinpath("b.pgn.zst").write_bytes(packed)
    place.joinpath("c.pgn").write_bytes(games(3))
    assert scan(place, out).games == 10 + 7 + 3 + 30_000
    assert pa.dataset.dataset(out / "games").count_rows() == 30_020


def test_a_missing_file_is_told_before_anything_is_done(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_bytes(games(10))
    with pytest.raises(SourceError, match="there is no file"):
        scan([path, tmp_path / "b.pgn"], tmp_path / "out")
    assert not tmp_path.joinpath("out").exists()


def test_what_is_no_file_is_scanned_once(tmp_path: Path) -> None:
    scan(games(3), tmp_path)
    with pytest.raises(OutputError, match="<bytes> already"):
        scan(games(3), tmp_path)
    assert scan(games(4), tmp_path, force=True).games == 4


JOINED = "select count(*) n, count(distinct (source, game)) games from positions join games using (source, game)"


def test_sources_that_are_added_have_names_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    for count, name in enumerate(("a", "b"), start=1):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        Path("x.pgn").write_bytes(games(3))
        scan("x.pgn", tmp_path / f"{name}s")
        assert scan("x.pgn", out).games == 3 * count
    scan([games(3), games(3)], out)
    for source in (tmp_path / "as", tmp_path / "bs", tmp_path / "as" / "positions" / FIRST):
        done = scan(source, out)
    names = {f"x.pgn{number}" for number in ("", " 2", " 3", " 4", " 5")} | {"<bytes>", "<bytes> 2"}
    for source in (out, out / "positions" / "*.parquet"):  # whose parts share names
        assert setwise.sql(JOINED, source).to_pylist() == [{"n": done.positions, "games": 7 * 3}]
        scan(source, tmp_path / "again", force=True)
        assert setwise.sql(JOINED, tmp_path / "again").to_pylist() == [{"n": done.positions, "games": 7 * 3}]
        assert set(setwise.find("ply = 0", tmp_path / "again", columns="source")["source"].to_pylist()) == names


def test_damaged_parts_are_made_anew_under_the_names_that_they_had(tmp_path: Path) -> None:
    (tmp_path / "x.pgn").write_bytes(games(3))
    scan(tmp_path / "x.pgn", tmp_path / "in")
    sources = [tmp_path / "in" / "positions" / FIRST, tmp_path / "in", tmp_path / "x.pgn"]
    scan(sources, tmp_path / "out")
    whole = files_of(tmp_path / "out")
    for path in tmp_path.glob("out/games/*.parquet"):
        path.write_bytes(b"")
        scan(reversed(sources), tmp_path / "out")
        assert same(files_of(tmp_path / "out"), whole)


@pytest.mark.parametrize("option", ["features", "partition_by"])
def test_names_in_one_text_are_refused_with_the_list_that_is_meant(option: str, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=r"'year, eco'; give several names as a list: \['year', 'eco'\]"):
        scan(games(1), tmp_path, **{option: "year, eco"})
    with pytest.raises(QueryError, match=r"'year, eco'; give several names as a list: \['year', 'eco'\]"):
        setwise.find("true", games(1), columns="year, eco")
    assert scan(games(1), tmp_path, **{option: ["year", "eco"]}).games == 1


def test_two_scans_into_one_folder_are_refused(tmp_path: Path) -> None:
    def again(*_: int) -> None:
        with pytest.raises(OutputError, match="another scan"):
            scan(games(3), tmp_path)
        tried.append(1)

    tried: list[int] = []
    scan(games(3), tmp_path, on_batch=again)
    assert tried


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    theirs = tmp_path / "positions" / FIRST
    theirs.parent.mkdir()
    theirs.write_bytes(b"")
    with pytest.raises(OutputError, match="no manifest"):
        scan(games(3), tmp_path)
    tmp_path.joinpath("positions", "mine.parquet").write_bytes(b"mine")
    scan(games(3), tmp_path, force=True)
    assert tmp_path.joinpath("positions", "mine.parquet").read_bytes() == b"mine"


def test_a_folder_is_scanned_into_itself_once(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_bytes(games(5))
    assert [scan(tmp_path, tmp_path).games for _ in range(3)] == [5, 5, 5]
    (tmp_path / "b.pgn").write_bytes(games(3))
    done = scan(tmp_path, tmp_path)
    assert done.games == pa.dataset.dataset(done.games_path).count_rows() == 8
    assert setwise.find("ply = 0", tmp_path).num_rows == 8  # to others it is the scan


@pytest.mark.parametrize("source", [f"positions/{FIRST}", "positions", "*/*.parquet", f"games/{FIRST}", "link"])
def test_a_scan_is_no_source_of_itself(source: str, tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_bytes(games(5))
    out = tmp_path / "out"
    before = scan(tmp_path / "a.pgn", out).positions
    if source == "link":
        (out / source).symlink_to(out / "positions" / FIRST)
    with pytest.raises((OutputError, SourceError), match=r"would be written at the same time|holds no \.pgn files"):
        scan(out / source, out)
    assert scan(tmp_path / "a.pgn", out).positions == before


@pytest.mark.parametrize("output", ["p.parquet", "../{name}/p.parquet"])
def test_a_file_is_not_scanned_into_itself_nor_over_its_games(output: str, tmp_path: Path) -> None:
    place = tmp_path / "p.parquet"
    done = scan(games(5), place)
    held = done.positions_path.read_bytes(), done.games_path.read_bytes()
    with pytest.raises(OutputError, match="would be written at the same time: name another output"):
        scan(place, tmp_path / output.format(name=tmp_path.name))
    with pytest.raises(OutputError, match="would be written at the same time"):
        scan(iter([games(1), tmp_path / "p.games.parquet"]), place)
    assert (done.positions_path.read_bytes(), done.games_path.read_bytes()) == held
    assert len(list(tmp_path.iterdir())) == 2


# ------------------------------------------------------------------------------------------------------------- readers


def test_every_reader_finds_the_same_and_joins(tmp_path: Path) -> None:
    done = scan(FAMOUS_GAMES, tmp_path, features="all")
    arrow = pa.dataset.dataset(done.positions_path).to_table()
    expected = dict(zip(arrow["key"].to_pylist(), arrow["white_pawns"].to_pylist(), strict=True))
    many, whose = f"{done.positions_path}/*.parquet", f"{done.games_path}/*.parquet"
    place, columns = ["source", "game"], ["key", "white_pawns"]
    positions, games = duckdb.read_parquet(many), duckdb.read_parquet(whose).project("source, game")
    joined = positions.join(games, "source, game").project("key, white_pawns").fetchall()
    polars = pl.scan_parquet(many).join(pl.scan_parquet(whose).select(place), on=place).select(columns).collect().rows()
    pandas = pd.read_parquet(done.positions_path).merge(pd.read_parquet(done.games_path)[place], on=place)[columns]
    for rows in (joined, polars, list(map(tuple, pandas.to_numpy(object)))):
        assert len(rows) == arrow.num_rows == done.positions
        assert dict(rows) == expected


def test_scans_hold_whole_positions(tmp_path: Path) -> None:
    done = scan(FAMOUS_GAMES, tmp_path)
    table = pa.dataset.dataset(done.positions_path).to_table()
    positions = Positions.from_arrow(table)
    fens = setwise.find("true", FAMOUS_GAMES, columns="fen")["fen"].to_pylist()
    assert positions.fens().to_pylist() == fens
    assert np.array_equal(positions.keys(), table["key"].to_numpy())
    columns = ["fen", "game", "ply", "move", "san", "piece", "captured", "gives_check"]
    found = setwise.find("is_check or is_castling", tmp_path, columns=columns)
    assert found.to_pylist() == setwise.find("is_check or is_castling", FAMOUS_GAMES, columns=columns).to_pylist()
    with pytest.raises(IllegalMove, match="position number 1: 'e2e5'"):
        Positions.from_arrow(table[:1].set_column(table.column_names.index("move"), "move", pa.array(["e2e5"])))


def test_all_includes_notes_names_and_texts(tmp_path: Path) -> None:
    done = scan(FAMOUS_GAMES, tmp_path, features="all")
    names = set(pa.dataset.dataset(done.positions_path).schema.names)
    assert {"clock", "comment", "white_name", "san", "fen", "black_attacks", "eco"} <= names
    assert names == {name for name in COLUMNS if not name.startswith(("own_", "enemy_"))} - {*OF_TABLES}


@pytest.mark.parametrize("names", [["year"], ["eco", "year"], ["white_name"]])
def test_folders_of_hive_divide_the_rows(names: list[str], tmp_path: Path) -> None:
    text = games(50) + b'[White "a/b=c %"]\n\n1. e4 *\n\n'
    done = scan(text, tmp_path / "divided", partition_by=names)
    plain = scan(text, tmp_path / "plain", features=names)
    columns = pa.dataset.dataset(plain.positions_path).schema.names
    shown = ", ".join(f"{name}::varchar" if name in names else name for name in columns)
    found, expected = (
        duckdb.read_parquet(f"{place}/**/*.parquet", hive_partitioning=True)
        .project(shown)
        .order("game, ply")
        .fetchall()
        for place in (done.positions_path, plain.positions_path)
    )
    assert found == expected
    stored = {name for path in done.positions_path.rglob("*.parquet") for name in pq.ParquetFile(path).schema.names}
    assert stored == set(columns) - set(names)
    again = setwise.find("ply = 1", tmp_path / "divided", columns=["game", *names]).sort_by("game")
    assert again.to_pylist() == setwise.find("ply = 1", text, columns=["game", *names]).to_pylist()


def test_positions_are_divided_by_games_alone(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="the same all game long"):
        scan(games(3), tmp_path, partition_by="phase")
    with pytest.raises(QueryError, match="in a directory"):
        scan(games(3), tmp_path / "x.parquet", partition_by="year")


def test_pieces_and_moves_take_less_than_six_bytes(shared_data: Path, tmp_path: Path) -> None:
    with zstd.open(shared_data / "pgn" / "gnuchess_book.pgn.zst") as packed:
        text = packed.read(8 << 20)
    done = scan(text, tmp_path)
    sizes: dict[str, int] = {}
    for path in done.positions_path.iterdir():
        told = pq.ParquetFile(path).metadata
        for group in range(told.num_row_groups):
            for at in range(told.num_columns):
                column = told.row_group(group).column(at)
                sizes[column.path_in_schema] = sizes.get(column.path_in_schema, 0) + column.total_compressed_size
    pieces = [name for name in sizes if name == "move" or name.partition("_")[0] in {"white", "black"}]
    assert len(pieces) == 14
    assert sum(sizes[name] for name in pieces) / done.positions < 6


def test_moves_that_read_alike_are_told_once(tmp_path: Path) -> None:
    castling = b"1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O *\n\n"
    rook = b'[FEN "k7/8/8/8/8/8/8/4R2K w - - 0 1"]\n\n1. Rg1 *\n'
    file = pq.ParquetFile(scan(castling + rook, tmp_path).positions_path / FIRST)
    assert file.read(["move"])["move"].to_pylist().count("e1g1") == 2
    group = file.metadata.row_group(0)
    [move] = [it for it in map(group.column, range(group.num_columns)) if it.path_in_schema == "move"]
    assert "RLE_DICTIONARY" in move.encodings, "Arrow tells every text in full where the dictionary has one twice"


def test_the_manifest_names_what_there_is(folder: Path, tmp_path: Path) -> None:
    done = scan(folder, tmp_path)
    version, layer, *lines = map(json.loads, tmp_path.joinpath("manifest.jsonl").read_text().splitlines())
    assert (version["version"], layer["layer"]) == ("store 1", "tables")
    assert layer["columns"][:3] == ["source", "game", "ply"]
    parts = [line for line in lines if "part" in line]
    assert sum(part["positions"] for part in parts) == done.positions
    assert len(parts) == len(list(tmp_path.joinpath("positions").iterdir()))
    shutil.rmtree(tmp_path / "positions")


def test_parts_hold_what_they_hold_however_much_more_there_is() -> None:
    jobs = [Job() for _ in range(500)]
    whole = [part for part, _ in parts_of(iter(jobs), grow=True)]
    assert max(map(len, whole)) == 4 * len(whole[0])
    for count in range(1, len(jobs)):
        told = list(parts_of(iter(jobs[:count]), grow=True))
        parts = [part for part, _ in told]
        assert list(itertools.chain(*parts)) == jobs[:count]
        assert all(is_whole for _, is_whole in told)
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(parts, whole, strict=False))
        rest = count - sum(len(part) for part, _ in same)
        assert rest < 1.5 * (8 if count < 256 else 32)  # jobs of a part
        assert len(parts[-1]) <= (2 if count < 200 else len(whole[0]))


def test_what_only_some_boards_have_is_null_on_the_others(tmp_path: Path) -> None:
    done = scan(FAMOUS_GAMES, tmp_path, features=["mate_pattern", "mate_patterns"])
    named = setwise.find("mate_pattern is not null", FAMOUS_GAMES, columns=["game", "mate_patterns"])
    assert 0 < named.num_rows < done.positions
    assert setwise.find("mate_pattern is not null", tmp_path, columns=["game", "mate_patterns"]).equals(named)
