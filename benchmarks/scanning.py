"""From PGN to a folder of Parquet files: how fast, on how many cores, how small."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
from games import FAMOUS, collection
from harness import Plan, Row, listed, pair, rate, topic
from peers import Finished, run_setwise, threads

import setwise

NAMES = "passed_pawns,pawn_islands,fork_squares"
CORES = 2
#: A condition on columns that the scan has stored.
STORED = "white_pawn_islands = 4 and black_passed_pawns <> 0"
_SIDES = ("white", "black")
_PIECES = [f"{side}_{piece}" for side in _SIDES for piece in ("pawns", "knights", "bishops", "rooks", "queens", "king")]


def scanned(source: Path, threads: int, place: Path | None = None) -> Finished:
    with tempfile.TemporaryDirectory(prefix="setwise-bench-") as folder:
        command = ("scan", source, "--features", NAMES, "--threads", str(threads), "-o", place or folder)
        return run_setwise(*command)


def sizes_of(place: Path) -> dict[str, float]:
    """The bytes that each column takes for a position."""
    found: dict[str, int] = {}
    rows = 0
    for path in place.glob("positions/*.parquet"):
        told = pq.ParquetFile(path).metadata
        rows += told.num_rows
        for group in map(told.row_group, range(told.num_row_groups)):
            for column in map(group.column, range(told.num_columns)):
                found[column.path_in_schema] = found.get(column.path_in_schema, 0) + column.total_compressed_size
    return {name: size / rows for name, size in found.items()}


@topic("scan")
def to_folders(plan: Plan) -> Iterator[Row]:
    path = collection(plan).path
    scanned(FAMOUS, 1)  # now it is compiled
    with tempfile.TemporaryDirectory(prefix="setwise-bench-") as folder:
        whole = scanned(path, CORES, Path(folder))
        sizes = sizes_of(Path(folder))
        total = sum(pq.ParquetFile(file).metadata.num_rows for file in Path(folder).glob("positions/*.parquet"))
    timed = pair(plan, partial(scanned, path, CORES), partial(scanned, path, 1))
    work = f"scan with three features, {CORES} threads"
    largest = dict(sorted(sizes.items(), key=lambda item: -item[1])[:5])
    yield rate(
        work, total / 1e6, "million positions/s", timed.ours, 5,
        note=f"a whole process; {total:,} positions, {len(sizes)} columns",
    )  # fmt: skip
    yield timed.row(work, "1 thread", 1.8, note=f"{statistics.median(timed.theirs):.1f} s with one")
    yield Row(
        "scan: pieces and moves of a position", sum(sizes[name] for name in (*_PIECES, "move")), "bytes", "", 6,
        at_most=True, note=f"all columns {sum(sizes.values()):.1f}; the largest: {listed(largest)}",
    )  # fmt: skip
    if whole.peak_megabytes:
        yield Row(f"{work}: peak memory", whole.peak_megabytes, "MB", "", 600, at_most=True)


@topic("scan")
def stored_conditions(plan: Plan) -> Iterator[Row]:
    """A condition on stored columns, asked of setwise and of DuckDB over the same Parquet files."""
    with tempfile.TemporaryDirectory(prefix="setwise-bench-") as folder, duckdb.connect() as database:
        scanned(collection(plan).path, CORES, Path(folder))
        database.execute(f"set threads = {threads()}")
        matches = f"from read_parquet('{folder}/positions/*.parquet') where {STORED}"

        def ours() -> int:
            table = setwise.sql(f"select count(*) as n from positions where {STORED}", folder, threads=threads())  # noqa: S608
            return int(table["n"][0].as_py())

        timed = pair(plan, ours, lambda: database.sql("select count(*) " + matches).fetchall()[0][0])
        timed.agree()
        found, peer = timed.answers[0], "DuckDB"
        note = f"in one process, {threads()} threads; {found:,} positions match"
        yield timed.row("sql, a stored condition over a scan: count", peer, 0.67, note=note)
        timed = pair(
            plan,
            lambda: setwise.find(STORED, folder, columns=["game", "ply"], threads=threads()).num_rows,
            lambda: database.sql("select game, ply " + matches).to_arrow_table().num_rows,
        )
        timed.agree()
        yield timed.row("find, a stored condition over a scan: game and ply", peer, 0.67, note=note)


@topic("scan")
def computed_conditions(plan: Plan) -> Iterator[Row]:
    """A condition of which something is computed, asked of the scan and of the games that it was written from."""
    games = collection(plan).path
    with tempfile.TemporaryDirectory(prefix="setwise-bench-") as folder:
        scanned(games, CORES, Path(folder))
        for where in ("is_check", "ply = 20 and white_hanging <> 0"):

            def matches(source: Path, where: str = where) -> int:
                return setwise.find(where, source, columns=["game", "ply"], threads=threads()).num_rows

            timed = pair(plan, partial(matches, Path(folder)), partial(matches, games))
            timed.agree()
            note = f"in one process, {threads()} threads; {timed.answers[0]:,} positions match"
            yield timed.row(f"find over a scan: {where}", "the same games as PGN", 1.0, note=note)
