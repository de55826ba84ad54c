"""From PGN to legality-checked positions, and to those that match a condition."""

from __future__ import annotations

import io
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from games import FAMOUS, collection, packed_with_clocks
from harness import Plan, Row, ascending, clocked, first, listed, pair, rate, rounds, topic
from peers import built, library, processor_seconds, program, python_chess, run_setwise, said, threads

import setwise
from setwise.corpus.columns import COLUMNS
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import recognised
from setwise.features import FEATURES

FORKS = "white_royal_fork_squares <> 0"


def positions_of(source: Any) -> int:
    """Replay all games with setwise, one thread; how many positions there were."""
    return sum(len(games.positions()) for games in setwise.read_pgn(source))


# --------------------------------------------------------------------------------------------------------- python-chess


def games_of(text: str) -> Iterator[Any]:
    stream, chess = io.StringIO(text), python_chess()
    while (game := chess.pgn.read_game(stream)) is not None:
        yield game


def read(text: str) -> int:
    """Read games with python-chess; how many positions they hold."""
    return sum(1 + game.end().ply() - game.ply() for game in games_of(text))


def replayed(text: str) -> int:
    """Read games and replay the main lines, as its documentation shows."""
    count = 0
    for game in games_of(text):
        board = game.board()
        count += 1
        for move in game.mainline_moves():
            board.push(move)
            count += 1
    return count


def visited(text: str) -> int:
    """Visit every position while reading, without objects for games: python-chess's fastest road."""
    chess = python_chess()

    class Visitor(chess.pgn.BaseVisitor):
        count = 0

        def visit_board(self, board: Any) -> None:
            Visitor.count += 1

        def begin_variation(self) -> Any:
            return chess.pgn.SKIP

        def result(self) -> bool:
            return True

    stream = io.StringIO(text)
    while chess.pgn.read_game(stream, Visitor=Visitor):
        pass
    return Visitor.count


@topic("pgn")
def beside_python_chess(plan: Plan) -> Iterator[Row]:
    games = collection(plan)
    text = games.sample(plan.size(1_000_000, 20_000))
    for name, road, target in (
        ("python-chess", replayed, 300),
        ("python-chess with a visitor", visited, None),
    ):
        timed = pair(plan, lambda: positions_of(games.path), lambda road=road: road(text))
        ours, theirs = timed.answers
        speed = ours / statistics.median(timed.ours) / 1e6
        note = f"{speed:.1f} million positions/s; {name} on the first {len(text):,} bytes"
        here = positions_of(text.encode("latin-1"))
        if here != theirs:
            note += f", where it finds {theirs:,} positions and setwise {here:,}"
        yield timed.row("PGN to checked positions", name, target, scale=ours / theirs, note=note)


# ------------------------------------------------------------------------------------------------------- without peers


@topic("pgn")
def one_pass(plan: Plan) -> Iterator[Row]:
    """Games alone, and games with every position of theirs, from the same text."""
    text = collection(plan).path.read_bytes()
    positions = positions_of(text)
    parsed, written = rounds(plan, lambda: [len(games) for games in setwise.read_pgn(text)], lambda: positions_of(text))
    share = statistics.median(parsed) / statistics.median(written)
    note = f"{share:.0%} of the time is that of games without positions"
    yield rate("PGN to checked positions, one thread", positions / 1e6, "million positions/s", written, 30, note=note)


def boards_of(path: Path) -> int:
    """Replay all packed games, one thread; how many positions there were."""
    return sum(len(job.run().positions) for job in recognised(path).scan(Question()))


@topic("pgn")
def packed_games(plan: Plan) -> Iterator[Row]:
    """Games as ``setwise pack`` writes them, from the file to all boards."""
    path = collection(plan).path
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "games.parquet")
        setwise.pack(path, place)
        positions, size = boards_of(place), place.stat().st_size
        [seconds] = rounds(plan, lambda: boards_of(place))
    work = "packed games to boards, one thread"
    yield rate(work, positions / 1e6, "million positions/s", seconds, 40)
    yield Row("packed games with their tags", size / positions, "bytes a position", "", 1.4, at_most=True)


# -------------------------------------------------------------------------------------------------------- other readers


@topic("pgn")
def beside_pgn_extract(plan: Plan) -> Iterator[Row]:
    path = collection(plan).path
    command = [program("pgn-extract"), "-r", "-s", str(path)]

    def theirs() -> None:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # noqa: S603

    timed = pair(plan, lambda: positions_of(path), theirs)
    yield timed.row("PGN to checked positions", "pgn-extract -r", 10)


def beside_tokens(plan: Plan, peer: str, boards: float | None, games: float | None) -> Iterator[Row]:
    """Reading games beside a program that only finds tokens: it neither knows what a move means nor checks it."""
    path, reader = collection(plan).path, built(peer)
    for work, ours, target in (
        ("PGN to checked positions", lambda: positions_of(path), boards),
        ("PGN to games", lambda: sum(map(len, setwise.read_pgn(path))), games),
    ):
        timed = pair(plan, ours, lambda: said([reader, path]), clock=processor_seconds)
        yield timed.row(work, f"{peer}, tokens alone", target)


@topic("pgn")
def beside_pgn_reader(plan: Plan) -> Iterator[Row]:
    yield from beside_tokens(plan, "pgn-reader", 1, 1.1)


@topic("pgn")
def beside_chess_library(plan: Plan) -> Iterator[Row]:
    yield from beside_tokens(plan, "chess-library", None, None)


@topic("pgn")
def beside_a_rust_reader(plan: Plan) -> Iterator[Row]:
    """Its games come as strings, so somebody has to cut the text up first; that is not timed."""
    rust = library("rust_pgn_reader_python_binding", "rust-pgn-reader-python-binding")
    text = collection(plan).sample(20_000_000)
    games = pa.chunked_array([["[Event " + game for game in text.split("[Event ")[1:]]])
    timed = pair(plan, lambda: positions_of(text.encode("latin-1")), lambda: rust.parse_games(games, num_threads=1))
    ours, parsed = timed.answers
    note = f"text cut into games beforehand, {len(text):,} bytes"
    yield timed.row("PGN to checked positions", "rust-pgn-reader", scale=ours / parsed.num_positions, note=note)


# ----------------------------------------------------------------------------------------------------------------- tree


def first_moves(text: str) -> dict[str, int]:
    """Read games with python-chess and count their first moves; games of other starts have none."""
    chess, counts = python_chess(), dict[str, int]()
    for game in games_of(text):
        if game.variations and game.board() == chess.Board():
            san = game.variations[0].san()
            counts[san] = counts.get(san, 0) + 1
    return counts


@topic("tree")
def start_position(plan: Plan) -> Iterator[Row]:
    """What was played from the start position, from the text of all games, as a whole process."""
    path = collection(plan).path
    text = collection(plan).sample(plan.size(1_000_000, 20_000))
    games = sum(map(len, setwise.read_pgn(path)))
    tree = setwise.tree("", text.encode("latin-1"))
    shown = dict(zip(tree["san"].to_pylist(), tree["games"].to_pylist(), strict=True))
    timed = pair(plan, lambda: run_setwise("tree", "", path, "--threads", str(threads())), lambda: first_moves(text))
    if shown != timed.answers[1]:
        raise ValueError(f"setwise counts {shown}, python-chess {timed.answers[1]}")
    work, seconds = f"tree of the start position, {threads()} threads", statistics.median(timed.ours)
    note = f"a whole process, {seconds:.2f} s for {games:,} games; python-chess on the first {len(text):,} bytes"
    scale = games / sum(timed.answers[1].values())
    yield timed.row(work, "python-chess", 60, scale=scale, note=note)
    yield Row(f"{work}: the whole process", seconds, "s", "", 2, at_most=True, seconds={"setwise": timed.ours})
    if timed.answers[0].peak_megabytes:
        yield Row(f"{work}: peak memory", timed.answers[0].peak_megabytes, "MB", "", 600, at_most=True)


# ----------------------------------------------------------------------------------------------------------------- find


def find_count(where: str, source: Path) -> Any:
    return run_setwise("find", "--count", where, source, "--threads", str(threads()))


@topic("find")
def royal_forks(plan: Plan) -> Iterator[Row]:
    path = collection(plan).path
    text = collection(plan).sample(plan.size(1_000_000, 20_000))
    total = positions_of(path)
    find_count(FORKS, FAMOUS)  # now it is compiled
    timed = pair(plan, lambda: find_count(FORKS, path), lambda: read(text))
    finished, positions = timed.answers
    note = f"a whole process; {int(finished.output):,} of {total:,} positions match"
    work = f"find --count, {threads()} threads"
    yield timed.row(work, "python-chess reading alone", 60, scale=total / positions, note=note)
    if finished.peak_megabytes:
        yield Row(f"{work}: peak memory", finished.peak_megabytes, "MB", "", 600, at_most=True)


@topic("find")
def packed_frames(plan: Plan) -> Iterator[Row]:
    path, size = packed_with_clocks(plan)
    find_count(FORKS, FAMOUS)  # now it is compiled
    peaks: list[float] = []

    def found() -> None:
        peaks.append(find_count(FORKS, path).peak_megabytes or 0)

    [seconds] = rounds(plan, found)
    work = f"find --count, {threads()} threads, Lichess's clocks in packed frames"
    note = f"a whole process; {size / 1e6:,.0f} MB of text in {path.stat().st_size / 1e6:,.0f}"
    yield rate(work, size / 1e6, "MB of text/s", seconds, 350, note=note)
    if max(peaks):
        yield Row(f"{work}: peak memory", max(peaks), "MB", "", 600, at_most=True)


@topic("find")
def single_features(plan: Plan) -> Iterator[Row]:
    """Every feature once, and the slowest again and again."""
    path = collection(plan).path
    total = positions_of(path)
    columns = [f"white_{name}" for name in FEATURES][: plan.size(len(FEATURES), 1)]
    where = {name: name if pa.types.is_boolean(COLUMNS[name].type) else f"{name} <> 0" for name in columns}
    find_count(" or ".join(where.values()), FAMOUS)  # now they are compiled
    seconds = {name: clocked(lambda name=name: find_count(where[name], path)) for name in columns}
    slowest = max(seconds, key=seconds.__getitem__)
    [again] = rounds(plan, lambda: find_count(where[slowest], path))
    rates = ascending({name: total / once / 1e6 for name, once in seconds.items()})
    yield rate(
        f"find, one feature, {threads()} threads: the slowest of {len(rates)}",
        total / 1e6, "million positions/s", again, 5, details=rates, note=listed(first(rates, 6), "{:.1f}"),
    )  # fmt: skip
