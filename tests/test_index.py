"""Indexes: the answers are those of the sources; every position by python-chess; merging, damage, kills."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.manifests import rewrite
from helpers.programs import needed
from helpers.python_chess import games_of
from setwise.cli.app import run
from setwise.corpus.dataset import runs as run_merging
from setwise.corpus.language import condition_of
from setwise.corpus.query.move_tree import Tally, position_of
from setwise.corpus.sources import pgn
from setwise.corpus.sources.indexes import IndexSource, index_in
from setwise.corpus.sources.jobs import Question
from setwise.corpus.storage.encodings import SUMS, in_order
from setwise.errors import OutputError, SourceError

KILLS = 6
FOUR_KNIGHTS = "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 4 4"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
#: A pawn on h5 that cannot be taken in passing: its FEN does not name the square, but its key does.
PINNED = """[SetUp "1"]
[FEN "6k1/1p2p1rp/rP1pR3/2pP1pP1/p1P2P1P/R5K1/8/8 b - - 0 1"]

1... h5 2. Rh6 Rh7 *
"""


def text() -> str:
    return FAMOUS_GAMES.read_text("utf-8")


def single_games() -> list[str]:
    """The text of each of the famous games."""
    return [str(game) + "\n" for game in games_of(text())]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The famous games, a file each."""
    places = [tmp_path / f"{number:02}.pgn" for number in range(len(single_games()))]
    for place, game in zip(places, single_games(), strict=True):
        place.write_text(game, "utf-8")
    return places


@pytest.fixture(scope="module")
def famous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the famous games, which tests read and leave as it is."""
    place = tmp_path_factory.mktemp("famous") / "x.index"
    setwise.index(FAMOUS_GAMES, place)
    return place


@pytest.fixture(scope="module")
def with_pinned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two sources, which tests read and leave as it is."""
    place = tmp_path_factory.mktemp("pinned") / "x.index"
    setwise.index([FAMOUS_GAMES, PINNED.encode()], place)
    return place


def opened(place: Path) -> IndexSource:
    index = index_in(str(place))
    assert index is not None
    return index


def positions(games: str) -> dict[int, list[tuple[int, int, str]]]:
    """By python-chess: for each key the games and plies that have it, and the moves played there."""
    found = defaultdict(list)
    for number, game in enumerate(games_of(games), start=1):
        board = game.board()
        for ply, move in enumerate([*game.mainline_moves(), None]):
            found[chess.polyglot.zobrist_hash(board)].append((number, ply, "" if move is None else move.uci()))
            if move is not None:
                board.push(move)
    return found


def assert_finds(index: IndexSource, expected: dict[int, list[tuple[int, int, str]]]) -> None:
    """Assert that the runs have every position, and no others."""
    keys = np.array(sorted(expected), np.uint64)
    rows = defaultdict(list)
    for it in index.runs:
        for which, game, ply, code in zip(*(it.find(keys)[at].tolist() for at in (0, 2, 3, 4)), strict=True):
            squares = f"{chess.square_name(code & 63)}{chess.square_name(code >> 6 & 63)}" if code else ""
            rows[int(keys[which])].append((game, ply, squares))
    # Promotions name their piece in UCI, and castling is the king's move there.
    assert {key: sorted(row[:2] for row in its) for key, its in rows.items()} == {
        key: sorted(row[:2] for row in its) for key, its in expected.items()
    }
    for key, its in expected.items():
        for mine, theirs in zip(sorted(rows[key]), sorted(its), strict=True):
            assert mine[2][:2] == theirs[2][:2]
    assert sum(it.rows for it in index.runs) == sum(map(len, expected.values()))
    absent = np.array([1, 2, 1 << 63], np.uint64)
    assert not any(len(it.find(absent).which) for it in index.runs)


def test_every_position_of_the_famous_games_by_python_chess(famous: Path) -> None:
    assert_finds(opened(famous), positions(text()))


def test_every_position_is_found_in_its_game_however_many_games_are_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pgn, "_SEARCHED", 3000)
    setwise.index(FAMOUS_GAMES, tmp_path / "x.index")
    assert_finds(opened(tmp_path / "x.index"), positions(text()))
    where, columns = f"key = position_key('{AFTER_E4}')", ["game", "ply"]
    found, expected = (setwise.find(where, it, columns=columns) for it in (tmp_path / "x.index", FAMOUS_GAMES))
    assert found.to_pylist() == expected.to_pylist()


def test_every_position_of_some_hundred_games_by_python_chess(shared_data: Path, tmp_path: Path) -> None:
    games = (shared_data / "pgn" / "twic1599.pgn").read_text("latin-1")
    games = games[: games.index("[Event ", 260_000)]
    setwise.index(games.encode(), tmp_path / "x.index")
    assert_finds(opened(tmp_path / "x.index"), positions(games))


CONDITIONS = (
    f"key = position_key('{FOUR_KNIGHTS}')",
    f"fen = '{AFTER_E4}'",
    f"key = position_key('{AFTER_E4}') and white_name = 'Adolf Anderssen'",
    f"key = position_key('{AFTER_E4}') and later(is_checkmate)",
    f"position_key('{AFTER_E4}') = key and ply < 60 and not is_check",
    f"key in ({setwise.Position(AFTER_E4).key}, 5) or fen = '{FOUR_KNIGHTS}'",
    "key = 5",
    "is_checkmate",
    "next(is_check) and ply > 40",
)


@pytest.mark.parametrize("where", CONDITIONS)
def test_answers_are_those_of_the_source_in_the_same_order(where: str, with_pinned: Path) -> None:
    for options in ({}, {"per_game": 1, "player": "Morphy"}, {"order_by": "ply desc", "limit": 5}):
        answer = setwise.find(where, with_pinned, **options)
        expected = setwise.find(where, [FAMOUS_GAMES, PINNED.encode()], **options)
        assert answer.to_pylist() == expected.to_pylist(), options
        assert answer.schema.equals(expected.schema)


def test_a_square_that_no_pawn_can_be_taken_on_is_in_the_key_and_not_in_the_fen(tmp_path: Path) -> None:
    setwise.index(PINNED.encode(), tmp_path / "x.index")
    every = setwise.find("true", PINNED.encode(), columns=["fen", "key"])
    for fen, key in zip(*(every[name].to_pylist() for name in ("fen", "key")), strict=True):
        assert key in condition_of(f"fen = '{fen}'").needs.keys
        assert len(setwise.find(f"fen = '{fen}'", tmp_path / "x.index")) == 1


def test_only_games_with_the_position_are_read(famous: Path) -> None:
    key = setwise.Position(FOUR_KNIGHTS).key
    plan = opened(famous).explain(Question(keys=frozenset([key])))
    games = {number for number, _, _ in positions(text())[key]}
    assert {int(number) for job in plan.jobs() for number in job.run().games.numbers} == games
    assert plan.way == f"the index finds the key in {len(games)} of 41 games, and only these are read"


def test_games_whose_positions_are_not_in_the_index_are_read(famous: Path) -> None:
    """As when a run was damaged, and the process that made it anew was killed."""
    index = opened(famous)
    index.runs = []
    plan = index.explain(Question(keys=frozenset([setwise.Position(FOUR_KNIGHTS).key])))
    assert plan.way.startswith("the index finds the key in 41 of 41 games")
    assert sum(len(job.run().games) for job in plan.jobs()) == 41


@pytest.mark.parametrize(
    ("where", "options", "said"),
    [
        (CONDITIONS[0], [], "the index finds the key in"),
        ("not is_check", [], "read from the beginning to the end: the condition requires neither a certain position"),
        (f"{CONDITIONS[0]} or not is_check", [], "the condition requires neither a certain position"),
        (
            f"{CONDITIONS[0]} or is_check",
            [],
            "the index has no bitmap of is_check (setwise index --features adds some)",
        ),
        (f"{CONDITIONS[0]} and is_check", [], "the index finds the key in"),
        (CONDITIONS[0], ["--variations"], "the index has no positions of variations"),
    ],
)
def test_explain_says_whether_the_index_is_used(
    where: str, options: list[str], said: str, famous: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.pgn").write_text("1. e4 e5 *\n")
    assert run(["find", where, str(famous), str(tmp_path / "x.pgn"), "--explain", *options]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{famous}: ")
    assert said in first
    assert (
        second
        == f"{tmp_path / 'x.pgn'}: read from the beginning to the end: it is not an index (setwise index writes one)"
    )


# ---------------------------------------------------------------------------------------------------------------- tree


@pytest.mark.parametrize("frequent", depth([5], [1, 5, 4096]))
def test_trees_of_every_position_are_those_of_the_games(
    frequent: int, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_merging, "FREQUENT", frequent)
    monkeypatch.setattr(run_merging, "_MOST", 8)  # runs are merged, and merged runs again
    setwise.index(files[:-2], tmp_path / "x.index")
    setwise.index(files, tmp_path / "x.index")
    index = opened(tmp_path / "x.index")
    assert len(index.runs) > 1
    fens: dict[int, str] = {}
    for game in games_of(text()):
        board = game.board()
        for move in game.mainline_moves():
            fens.setdefault(chess.polyglot.zobrist_hash(board), board.fen())
            board.push(move)
    chosen = random.Random(frequent).sample(sorted(fens), depth(12, 200))  # noqa: S311
    for fen in [AFTER_E4, FOUR_KNIGHTS, *map(fens.__getitem__, chosen)]:
        for by in ("move", "position"):
            stored, read = Tally(position_of(fen), by), setwise.tree(fen, FAMOUS_GAMES, by=by)
            assert stored.add_stored(index, stored.query(None, None).on(index))
            assert stored.table().to_pylist() == read.to_pylist()


@pytest.mark.parametrize("options", [{"where": "year < 1900"}, {"player": "morphy"}, {"where": "own_points = 1"}])
def test_filtered_trees_are_those_of_the_games(options: dict, famous: Path) -> None:
    for position in ("", "e4 e5", FOUR_KNIGHTS):
        for by in ("move", "position"):
            tree = setwise.tree(position, famous, by=by, **options)
            assert tree.to_pylist() == setwise.tree(position, FAMOUS_GAMES, by=by, **options).to_pylist()


# -------------------------------------------------------------------------------------------------------------- growing


def found_in(place: Path) -> dict[int, list[tuple[int, int, int]]]:
    """Every row of the runs of an index, by key, as DuckDB reads them."""
    rows = duckdb.sql(f"select * from read_parquet('{place}/keys/positions/*.parquet')").fetchall()  # noqa: S608
    found = defaultdict(list)
    for key, *row in rows:
        found[key].append(tuple(row))
    return {key: sorted(its) for key, its in found.items()}


def test_an_index_grows_and_reads_only_what_is_new(files: list[Path], tmp_path: Path) -> None:
    place, whole = tmp_path / "x.index", tmp_path / "whole.index"
    before = 0
    for count in (3, 10, 11, len(files)):
        done = setwise.index(files[:count], place)
        assert (done.games, done.kept) == (count, before)
        before = done.positions
    setwise.index(files, whole)
    assert found_in(place) == found_in(whole)
    assert setwise.find("is_check", place).to_pylist() == setwise.find("is_check", files).to_pylist()


def test_a_changed_source_is_read_anew(files: list[Path], tmp_path: Path) -> None:
    place = tmp_path / "x.index"
    setwise.index(files, place)
    files[3].write_text(single_games()[5] + "\n" + single_games()[6], "utf-8")
    assert setwise.index(files, place).games == len(files) + 1
    where = f"key = position_key('{AFTER_E4}')"
    assert setwise.find(where, place).to_pylist() == setwise.find(where, files).to_pylist()
    tree, expected = setwise.tree("e4", place), setwise.tree("e4", files)
    assert tree.to_pylist() == expected.to_pylist()
    assert setwise.verify_scan(place) == []


def test_runs_are_merged_so_that_few_are_left(files: list[Path], tmp_path: Path) -> None:
    place = tmp_path / "x.index"
    for count in range(1, depth(9, 16)):
        setwise.index(files[:count], place)
    assert len(opened(place).runs) <= 4
    kept = {path.name for path in (place / "keys/positions").iterdir()}
    assert kept == {path.name for path in (place / "keys/outcomes").iterdir()}
    index = opened(place)
    assert sum(it.rows for it in index.runs) == sum(it.part.positions for it in index.parts)


def test_sizes_fall_from_run_to_run() -> None:
    dice = random.Random(1)  # noqa: S311
    sizes: list[int] = []
    for _ in range(300):
        sizes.append(dice.randrange(1, 100))
        while (which := run_merging.to_merge(sizes, at_end=True)) is not None:
            sizes[which] = [sum(sizes[which])]
        assert all(size > sum(sizes[at + 1 :]) for at, size in enumerate(sizes[:-1]))


# --------------------------------------------------------------------------------------------------------------- damage


DAMAGES = {
    "deleted": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "one bit": lambda path: path.write_bytes(_flipped(path.read_bytes())),
    "another file": lambda path: pq.write_table(pa.table({"key": pa.array([1], pa.uint64())}), path),
}


def _flipped(data: bytes) -> bytes:
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 16]) + data[len(data) // 2 + 1 :]


HOWS, KINDS = [*DAMAGES, "of other sources"], ["packed", "keys/positions", "keys/outcomes", "keys/tree", "features/1"]


@pytest.mark.parametrize(
    ("how", "kind"),
    depth([(how, KINDS[at % len(KINDS)]) for at, how in enumerate(HOWS)], [*itertools.product(HOWS, KINDS)]),
)
def test_a_damaged_file_is_refused_by_name_and_made_anew(
    how: str, kind: str, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_merging, "FREQUENT", 2)
    others, files, place = [FAMOUS_GAMES], files[:5], tmp_path / "x.index"
    for some, of_some in ((others, tmp_path / "y.index"), (files, place)):
        setwise.index(some, of_some, features="pinned")
    path = min((place / kind).iterdir())
    whole = found_in(place)
    if how == "of other sources":
        shutil.copy(min((tmp_path / "y.index" / kind.replace("tree", "outcomes")).iterdir()), path)
    else:
        DAMAGES[how](path)
    if how != "one bit":
        with pytest.raises(SourceError, match=f"^{path} is (missing|damaged).*index the same sources again"):
            setwise.find("white_pinned <> 0", place) if kind == "features/1" else setwise.tree("", place)
    else:  # which is found where it is read
        assert [damage.path for damage in setwise.verify_scan(place)] == [path]
    setwise.index(files, place)
    assert setwise.verify_scan(place) == []
    assert found_in(place) == whole
    assert setwise.tree("e4", place).to_pylist() == setwise.tree("e4", files).to_pylist()
    where = "white_pinned <> 0"
    assert setwise.find(where, place).to_pylist() == setwise.find(where, files).to_pylist()


@pytest.mark.parametrize("kind", ["keys/tree", "features/1"])
def test_a_changed_bit_is_refused_by_name_where_it_is_read(
    kind: str, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_merging, "FREQUENT", 2)
    place = tmp_path / "x.index"
    setwise.index(files[:5], place, features="is_check")
    path = min((place / kind).iterdir())
    whole = path.read_bytes()
    chunk = pq.read_metadata(path).row_group(0).column(1 if kind == "features/1" else 0)
    at = chunk.data_page_offset + chunk.total_compressed_size - 1
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    with pytest.raises(SourceError, match=f"^{path} is damaged: .*; index the same sources again to make it anew$"):
        setwise.tree("e4", place) if kind == "keys/tree" else setwise.find("is_check", place)


def test_other_versions_and_other_folders_are_refused_in_a_sentence(tmp_path: Path) -> None:
    place = tmp_path / "x.index"
    setwise.index(FAMOUS_GAMES, place)
    with pytest.raises(OutputError, match="an index is a folder"):
        setwise.index(FAMOUS_GAMES, tmp_path / "x.parquet")
    with pytest.raises(SourceError, match="has no games to index"):
        setwise.index([b"4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"], tmp_path / "y.index")
    with pytest.raises(SourceError, match="has no games to index"):
        setwise.index(place, tmp_path / "y.index")
    manifest = place / "manifest.jsonl"
    rewrite(manifest, lambda line: {name: "store 99" if it == "store 1" else it for name, it in line.items()})
    with pytest.raises(SourceError, match="it is of version 'store 99', and this setwise reads 'store 1'"):
        setwise.find("true", place)
    with pytest.raises(OutputError, match=r"it is of version 'store 99', .*; --force begins the scan anew"):
        setwise.index(FAMOUS_GAMES, place)
    assert setwise.index(FAMOUS_GAMES, place, force=True).games == 41


def test_other_tools_read_the_files(famous: Path) -> None:
    pd = pytest.importorskip("pandas")
    key = setwise.Position(AFTER_E4).key
    [path] = (famous / "keys/positions").iterdir()
    expected = [(game, ply) for game, ply, _ in positions(text())[key]]
    rows = duckdb.sql(f"select game, ply from '{path}' where key = {key} order by all").fetchall()  # noqa: S608
    assert rows == expected
    assert pl.read_parquet(path).filter(pl.col("key") == key).select("game", "ply").rows() == expected
    frame = pd.read_parquet(path)
    assert list(frame[frame["key"] == key][["game", "ply"]].itertuples(index=False, name=None)) == expected
    assert pq.read_schema(path).names == ["key", "source_number", "game", "ply", "code"]
    assert len(SUMS) == 15


# ---------------------------------------------------------------------------------------------------------------- kills


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills groups of processes")
def test_killed_indexes_go_on_to_the_same_rows(files: list[Path], tmp_path: Path) -> None:
    for place in files:
        place.write_text((place.read_text("utf-8") + "\n") * 200, "utf-8")
    whole, place = tmp_path / "whole.index", tmp_path / "x.index"
    began = time.monotonic()
    command = [sys.executable, "-m", "setwise", "index", *map(str, files), "--features", "pinned,is_checkmate", "-o"]
    subprocess.run([*command, str(whole)], check=True, capture_output=True)
    long, expected = time.monotonic() - began, found_in(whole)
    dice = random.Random(KILLS)  # noqa: S311
    for kill in range(KILLS):
        if kill % 3 == 0:
            shutil.rmtree(place, ignore_errors=True)
        with subprocess.Popen([*command, str(place)], start_new_session=True, stderr=subprocess.DEVNULL) as running:
            try:
                running.wait(dice.uniform(0.3, 1) * long)
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGKILL)
        if (place / "manifest.jsonl").exists() and (place / "manifest.jsonl").read_bytes().count(b"\n"):
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # that it is unfinished
                kept = setwise.find(
                    f"key = position_key('{AFTER_E4}')", place, columns=["source", "game", "ply"], partial=True
                ).to_pylist()
            given = {row["source"] for row in kept}
            every = setwise.find(f"fen = '{AFTER_E4}'", files, columns=["source", "game", "ply"]).to_pylist()
            assert [row for row in every if row["source"] in given][: len(kept)] == kept
    setwise.index(files, place)
    assert found_in(place) == expected
    assert setwise.verify_scan(place) == []
    names = {path.name for path in place.iterdir()}
    assert names <= {".lock", ".replaced", "packed", "manifest.jsonl", "keys", "features"}
    for path in (place / "features" / "1").iterdir():
        assert pq.read_table(path).equals(pq.read_table(whole / "features" / "1" / path.name))
    assert {path.name for path in (place / "features" / "1").iterdir()} == {
        path.name for path in (place / "packed").iterdir()
    }
    assert all(json.loads(line) for line in (place / "manifest.jsonl").read_text().splitlines())


def test_the_command_says_what_it_has_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "x.index")
    assert run(["index", str(FAMOUS_GAMES), "-o", place]) == 0
    assert "2,512 positions of 41 games in" in capsys.readouterr().err
    assert run(["index", str(FAMOUS_GAMES), "-o", place]) == 0
    assert "2,512 of them from before" in capsys.readouterr().err
    assert run(["tree", "1. e4", place, "--format", "csv"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith('"san","move","games"')
    assert "6 moves; read from the index in" in shown.err


# ------------------------------------------------------------------------------------------------------------- a judge


def test_a_tree_has_the_moves_and_weights_of_a_polyglot_book(tmp_path: Path) -> None:
    """A move's weight in a book is two for a game that the mover won and one for a draw; without any it is left out."""
    plies, book = 40, tmp_path / "book.bin"
    command = [needed("polyglot"), "make-book", "-pgn", FAMOUS_GAMES, "-bin", book, "-max-ply", plies, "-min-game", 1]
    subprocess.run([str(word) for word in command], check=True, capture_output=True, cwd=tmp_path, timeout=60)
    setwise.index(FAMOUS_GAMES, tmp_path / "games.index")
    boards, twice = dict[int, chess.Board](), set[int]()
    for game in games_of(FAMOUS_GAMES.read_text("utf-8")):
        board, seen = game.board(), set[int]()
        for move in [*game.mainline_moves()][:plies]:
            key = chess.polyglot.zobrist_hash(board)
            twice |= {key} & seen  # a book counts the game twice, a tree once
            seen.add(key)
            boards.setdefault(key, board.copy(stack=False))
            board.push(move)
    assert len(boards) > 1000
    assert len(twice) < 10
    with chess.polyglot.open_reader(book) as reader:
        for key in sorted(boards.keys() - twice)[:: depth(9, 1)]:
            weights = {entry.move.uci(): entry.weight for entry in reader.find_all(boards[key])}
            side = "white" if boards[key].turn else "black"
            rows = setwise.tree(boards[key].fen(en_passant="fen"), tmp_path / "games.index").to_pylist()
            ours = {row["move"]: 2 * row[side] + row["draw"] for row in rows}
            assert {move: weight for move, weight in ours.items() if weight} == weights, boards[key].fen()


# ------------------------------------------------------------------------------------------------------------- sorting


@given(
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9) | st.integers(2**63, 2**63 + 9), max_size=300),
    st.integers(1, 50),
)
def test_keys_are_sorted_as_by_comparison_and_equal_ones_keep_their_order(some: list[int], times: int) -> None:
    keys = np.array(some * times, np.uint64)
    ordered, rows = in_order(keys)
    expected = np.argsort(keys, kind="stable")
    assert np.array_equal(rows, expected)
    assert np.array_equal(ordered, keys[expected])


#: Prints which of some modules a command has imported.
_IMPORTED = """
import sys
from setwise.cli import main
try: main(sys.argv[1:])
finally: print(*({"numba", "duckdb", "http.client", "pyarrow.dataset", "pandas", "rich"} & sys.modules.keys()))
"""


#: Ways to ask for a position.
ASKED = (
    ("find", "key = position_key('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1')"),
    ("find", f"key = {setwise.Position().key}", "--count"),
    ("tree", "1. e4 e5"),
)


@pytest.mark.parametrize("command", depth(ASKED[:1], ASKED))
def test_a_position_is_found_by_few_imports(famous: Path, command: tuple[str, ...]) -> None:
    """Neither the compiler, once its code is kept, nor a database: most of such a command's time would be these."""
    asked = [command[0], command[1], str(famous), *command[2:]]
    for _ in "ab":  # the first one may compile
        ran = subprocess.run([sys.executable, "-c", _IMPORTED, *asked], capture_output=True, text=True, check=True)
        *answer, imported = ran.stdout.splitlines()
        if imported == "":
            break
    assert answer
    assert imported == ""
