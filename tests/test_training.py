"""Batches for training: labels judged by python-chess; every position once; the same for the same seed."""

from __future__ import annotations

import io
import itertools
import re
import threading
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.depth import depth
from helpers.python_chess import games_of
from setwise import Move, Position, Positions
from setwise.archives import zstd
from setwise.corpus.sources import pgn
from setwise.errors import QueryError, SourceError
from setwise.game.batch import LONGEST_GAME
from setwise.position.move import MOVE_TABLES
from setwise.position.positions import NETWORK_INPUTS

NOTED = """
[Event "clocks and evaluations"]
[WhiteElo "2500"]
[Result "1-0"]

1. e4 { [%clk 0:10:00] [%eval 0.3] } f5 { [%clk 0:09:50] } 2. exf5 { [%eval 0.5] [%clk 0:09:55] } e5
3. fxe6 { [%eval -0.25] } Nf6 { [%eval #3] } 4. exd7+ { [%eval #-2] } Kxd7 1-0

[Event "Black begins"]
[FEN "8/P6k/8/8/8/8/5p1K/8 b - - 7 1"]
[Result "0-1"]

1... f1=N+ { [%eval -1.5] } 2. Kg2 Ne3+ 3. Kf3 Nd5 { [%eval 4] } 4. a8=Q 0-1

[Event "Chess960"]
[Variant "Chess960"]
[FEN "rbknnbrq/pppppppp/8/8/8/8/PPPPPPPP/RBKNNBRQ w KQkq - 0 1"]
[Result "1/2-1/2"]

1. e4 e5 2. Be2 Be7 3. Nf3 Nf6 4. Ne3 Ne6 5. O-O O-O 1/2-1/2

[Event "no result"]

1. d4 { [%eval 0.1] } d5 *

[Event "no moves"]
[Result "1-0"]

1-0
"""
TEXT = FAMOUS_GAMES.read_text() + NOTED
MANY = TEXT.encode() * 60
WHERE = "own_fork_squares <> 0"
PLACE = ("game", "ply")


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> Iterator[None]:
    """Many blocks, so that threads and parts have something to do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgn, "_SEARCHED", 1 << 16)
        yield


def joined(batches: Any) -> dict[str, np.ndarray]:
    found = list(batches)
    return {name: np.concatenate([batch[name] for batch in found]) for name in found[0]}


def places(batches: Any) -> list[tuple[int, int]]:
    return [place for batch in batches for place in zip(batch["game"].tolist(), batch["ply"].tolist(), strict=True)]


# -------------------------------------------------------------------------------------------------------------- labels


def labels_of(node: chess.pgn.GameNode, result: str) -> tuple[float | None, float | None, float | None]:
    """The evaluation of a node's position, the points and the clock, all of the side to move there."""
    turn, score = node.board().turn, node.eval()
    evaluation = None if score is None else score.pov(turn).score(mate_score=32000)
    points = {"1-0": float(turn), "0-1": float(not turn), "1/2-1/2": 0.5}.get(result)
    clock = node.parent.clock() if node.parent is not None else None  # noted behind the mover's last move
    return evaluation, points, clock


def played_in(board: chess.Board, index: int) -> chess.Move | None:
    """The legal move of an index, as it is told by ``Positions.moves_at``."""
    move = int(Positions.from_boards([board]).moves_at([index])[0])
    return Move(move).to_chess(board.chess960) if move else None


def test_labels_are_those_of_python_chess() -> None:
    fields = ("planes", "sets", "moves_mask", "own_evaluation", "own_points", "own_clock", "move_index", "own_elo")
    found = joined(setwise.batches(TEXT.encode(), fields, shuffle=0, size=100))
    row, seen = 0, Counter[str]()
    for game in games_of(TEXT):
        elos = [game.headers.get(f"{side}Elo") for side in ("Black", "White")]
        for node in (game, *game.mainline()):
            board, after = node.board(), node.next()
            expected = labels_of(node, game.headers["Result"])
            for name, value in zip(("own_evaluation", "own_points", "own_clock"), expected, strict=True):
                ours = found[name][row]
                assert (np.isnan(ours) and value is None) or ours == np.float32(value), (name, board)
                seen[name] += value is not None
            assert np.isnan(found["own_elo"][row]) == (elos[board.turn] is None)
            index = int(found["move_index"][row])
            assert played_in(board, index) == (None if after is None else after.move) if index >= 0 else after is None
            assert found["moves_mask"][row].sum() == board.legal_moves.count()
            row += 1
    assert row == len(found["planes"])
    assert seen["own_evaluation"] == 8
    assert seen["own_clock"] == 3
    assert found["own_elo"].dtype == found["own_evaluation"].dtype == np.float32
    assert found["move_index"].dtype == np.int64


def test_boards_are_those_that_the_mover_sees() -> None:
    [games] = setwise.read_pgn(TEXT.encode(), batch_bytes=LONGEST_GAME)
    positions = games.positions()
    found = joined(setwise.batches(TEXT.encode(), ("planes", "sets", "moves_mask"), shuffle=0, size=77))
    assert np.array_equal(found["planes"], positions.planes(from_mover=True))
    assert np.array_equal(found["moves_mask"], positions.moves_mask())
    assert found["sets"].dtype == np.uint64
    spread = np.unpackbits(found["sets"].astype("<u8").view(np.uint8).reshape(-1, 14, 8), axis=2, bitorder="little")
    spread = spread.reshape(-1, 14, 8, 8)
    assert np.array_equal(spread[:, :12], found["planes"][:, :12])
    assert np.array_equal(spread[:, 13], found["planes"][:, 17])
    rooks = (spread[:, 12].sum(axis=(1, 2)), found["planes"][:, 13:17, 0, 0].sum(axis=1))
    assert np.array_equal(*rooks)


@pytest.mark.parametrize("kind", NETWORK_INPUTS)
def test_inputs_of_networks_come_with_the_offsets_of_their_batch(kind: str) -> None:
    [games] = setwise.read_pgn(TEXT.encode(), batch_bytes=LONGEST_GAME)
    own, enemy, offsets = games.positions().network_inputs(kind)
    row = 0
    for batch in setwise.batches(TEXT.encode(), (kind, "ply"), shuffle=0, size=77):
        assert set(batch) == {f"own_{kind}", f"enemy_{kind}", f"{kind}_offsets", "ply"}
        last = row + len(batch["ply"])
        part = slice(offsets[row], offsets[last])
        assert np.array_equal(batch[f"own_{kind}"], own[part])
        assert np.array_equal(batch[f"enemy_{kind}"], enemy[part])
        assert np.array_equal(batch[f"{kind}_offsets"], offsets[row : last + 1] - offsets[row])
        row = last
    assert row == len(offsets) - 1


@pytest.mark.parametrize("blend", [0, 0.25, 1])
def test_a_target_blends_the_result_and_the_evaluation(blend: float) -> None:
    found = joined(setwise.batches(TEXT.encode(), ("target", "own_evaluation", "own_points"), blend=blend, shuffle=0))
    points = found["own_points"].astype(float)
    chance = 1 / (1 + np.exp(-0.00368208 * np.clip(found["own_evaluation"].astype(float), -1000, 1000)))
    both = blend * chance + (1 - blend) * points
    expected = both if 0 < blend < 1 else points if blend == 0 else chance
    if 0 < blend < 1:
        expected = np.where(np.isnan(points), chance, np.where(np.isnan(chance), points, both))
        assert np.isnan(points).any()
        assert np.isnan(both).any()
    assert found["target"].dtype == np.float32
    assert np.allclose(found["target"], expected, atol=1e-6, equal_nan=True)
    assert not np.isnan(found["target"]).all()


def test_the_result_alone_needs_no_evaluations(tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    setwise.scan(FAMOUS_GAMES, path, features=["own_points"])
    found = joined(setwise.batches(path, ("target", "own_points"), blend=0, shuffle=0))
    assert np.array_equal(found["target"], found["own_points"], equal_nan=True)
    with pytest.raises(QueryError, match="own_win_chance"):
        setwise.batches(path, "target")


def test_planes_are_of_the_type_that_is_asked_for() -> None:
    whole = joined(setwise.batches(TEXT.encode(), "planes", shuffle=0))["planes"]
    floats = joined(setwise.batches(TEXT.encode(), "planes", shuffle=0, dtype=np.float16))["planes"]
    assert (whole.dtype, floats.dtype) == (np.uint8, np.float16)
    assert np.array_equal(whole, floats)


def test_missing_values_are_told_by_the_type() -> None:
    fields = ["own_evaluation", "from_square", "gives_check", "move_index", "white_elo", "game", "own_pawn_islands"]
    last = joined(setwise.batches(b'[White "a"] 1. e4 *', fields, where="move is null"))
    assert {name: column.dtype.name for name, column in last.items()} == {
        "own_evaluation": "float32", "from_square": "uint64", "gives_check": "bool", "move_index": "int64",
        "white_elo": "float32", "game": "int32", "own_pawn_islands": "int16",
    }  # fmt: skip
    values = [column.tolist() for column in last.values()]
    assert np.isnan(values[0] + values[4]).all()
    assert values[1:4] + values[5:] == [[0], [False], [-1], [1], [1]]


# --------------------------------------------------------------------------------------------------- once, in any order


def found_places(source: Any, where: str) -> list[tuple[int, int]]:
    table = setwise.find(where, source, columns=PLACE)
    return list(zip(table["game"].to_pylist(), table["ply"].to_pylist(), strict=True))


@settings(max_examples=depth(12, 300))
@given(
    size=st.integers(1, 3000), shuffle=st.sampled_from([0, 1, 500, 5000, 1 << 19, "all"]), seed=st.integers(0, 2**32),
    threads=st.integers(1, 4), parts=st.integers(1, 4), where=st.sampled_from([WHERE, "result <> '*'", "ply > 9999"]),
)  # fmt: skip
def test_every_position_that_matches_comes_once(
    size: int, shuffle: int | str, seed: int, threads: int, parts: int, where: str
) -> None:
    source, found = MANY[: len(MANY) // 10], list[tuple[int, int]]()
    for part in range(parts):
        options: Any = {"size": size, "shuffle": shuffle, "seed": seed, "threads": threads, "part": (part, parts)}
        batches = list(setwise.batches(source, PLACE, where=where, **options))
        assert all(len(batch["game"]) == size for batch in batches[:-1])
        assert all(0 < len(batch["game"]) <= size for batch in batches)
        found += places(batches)
    assert sorted(found) == found_places(source, where)


def test_labels_stay_with_their_boards_when_shuffled() -> None:
    fields = (*PLACE, "sets", "own_points", "own_evaluation", "move_index")
    straight = joined(setwise.batches(MANY, fields, shuffle=0))
    mixed = joined(setwise.batches(MANY, fields, shuffle=20_000, seed=3))
    order = np.lexsort((mixed["ply"], mixed["game"]))
    assert not np.array_equal(order, np.arange(len(order)))
    for name in fields:
        assert np.array_equal(mixed[name][order], straight[name], equal_nan=name == "own_points" or "eval" in name)


@pytest.mark.parametrize("shuffle", [0, 30_000, "all"])
def test_the_same_seed_gives_the_same_batches_on_any_number_of_threads(shuffle: Any) -> None:
    runs = [
        list(setwise.batches(MANY, (*PLACE, "planes"), size=1000, shuffle=shuffle, seed=8, threads=threads))
        for threads in (1, 2, 5)
    ]
    assert len(runs[0]) > 100
    for one, *others in zip(*runs, strict=True):
        for other in others:
            assert all(np.array_equal(one[name], other[name]) for name in one)


def test_another_seed_gives_another_order() -> None:
    first, second = (places(setwise.batches(TEXT.encode(), PLACE, seed=seed)) for seed in (1, 2))
    assert first != second
    assert sorted(first) == sorted(second)
    unseeded = [places(setwise.batches(TEXT.encode(), PLACE, seed=None)) for _ in "ab"]
    assert unseeded[0] != unseeded[1]


def test_a_buffer_mixes_as_far_as_it_reaches() -> None:
    games = np.concatenate([batch["game"] for batch in setwise.batches(MANY, PLACE, shuffle=50_000, size=500)])
    first = np.unique(games[:500])
    assert len(first) > 200
    straight = np.concatenate([batch["game"] for batch in setwise.batches(MANY, PLACE, shuffle=0, size=500)])
    assert len(np.unique(straight[:500])) < 20


def test_all_mixes_the_whole_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each position of the source comes is spread evenly, also from runs on the disk."""
    monkeypatch.setattr("setwise.system.sorted_runs._RUN", 1 << 20)
    monkeypatch.setattr("setwise.system.sorted_runs._BATCH", 1 << 14)
    whole = places(setwise.batches(MANY, PLACE, shuffle=0))
    mixed = places(setwise.batches(MANY, PLACE, shuffle="all", seed=2))
    assert sorted(mixed) == whole
    came = {place: turn for turn, place in enumerate(mixed)}
    turns = np.array([came[place] for place in whole]) * 10 // len(whole)  # tenths of the order
    tenths = np.arange(len(whole)) * 10 // len(whole)
    counts = np.histogram2d(tenths, turns, bins=10)[0]
    expected = len(whole) / 100
    assert ((counts - expected) ** 2 / expected).sum() < 150  # chi squared of 81 degrees of freedom: one in 100,000


def test_memory_is_bounded_where_all_is_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setwise.system.sorted_runs._RUN", 4 << 20)
    monkeypatch.setattr("setwise.system.sorted_runs._BATCH", 1 << 16)

    def peak(times: int) -> int:
        before = pa.total_allocated_bytes()
        tracemalloc.start()
        most = 0
        for _ in setwise.batches(io.BytesIO(MANY * times), "sets", shuffle="all", threads=1):
            most = max(most, pa.total_allocated_bytes() - before)
        most += tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(6) < 1.5 * peak(2)


def test_no_batch_waits_for_the_end_of_the_source() -> None:
    class Endless(io.RawIOBase):
        """Games without an end."""

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            text = MANY[: len(buffer)].rpartition(b"\n\n[Event")[0] + b"\n\n"
            buffer[: len(text)] = text
            return len(text)

    batches = setwise.batches(Endless(), PLACE, shuffle=10_000, size=100)  # type: ignore[arg-type]
    assert len(list(itertools.islice(batches, 500))) == 500
    batches.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("threads", [1, 3])
def test_batches_that_nobody_wants_any_more_end_their_threads(threads: int) -> None:
    before = threading.active_count()
    batches = setwise.batches(MANY, shuffle=0, size=100, threads=threads)
    assert len(next(batches)["planes"]) == 100
    del batches
    assert threading.active_count() == before


def test_memory_is_bounded_by_the_buffer() -> None:
    def peak(times: int) -> int:
        tracemalloc.start()
        try:
            stream = io.BytesIO(MANY * times)
            before = tracemalloc.get_traced_memory()[0]
            assert sum(len(batch["sets"]) for batch in setwise.batches(stream, "sets", shuffle=20_000, threads=1))
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()

    peak(1)
    assert peak(6) < 1.5 * peak(2)


# ------------------------------------------------------------------------------------------------------------- sources


def test_games_are_numbered_as_in_the_whole_source() -> None:
    whole = places(setwise.batches(MANY, PLACE, shuffle=0))
    parts = [places(setwise.batches(MANY, PLACE, shuffle=0, part=(part, 3))) for part in range(3)]
    assert all(parts)
    assert sorted(itertools.chain(*parts)) == whole
    faults: list[Any] = []
    broken = MANY + b'\n\n[Event "x"]\n\n1. e4 e4 *\n\n'
    for part in range(3):
        list(setwise.batches(broken, "sets", part=(part, 3), on_fault=faults.append))
    assert [fault.game for fault in faults] == [whole[-1][0] + 1]


def test_parts_go_on_from_source_to_source(tmp_path: Path) -> None:
    """Many small files are dealt out like one large one."""
    for number in range(6):
        (tmp_path / f"{number}.pgn").write_text(f'[Event "a"]\n\n{"1. e4 e5 2. Nf3 Nc6"[: 7 + number]} *\n')
    parts = [joined(setwise.batches(tmp_path, "sets", part=(part, 3)))["sets"] for part in range(3)]
    assert all(len(part) >= 2 for part in parts)
    whole = joined(setwise.batches(tmp_path, "sets"))["sets"]
    assert sorted(map(tuple, np.concatenate(parts).tolist())) == sorted(map(tuple, whole.tolist()))


def test_a_cut_source_gives_what_it_has_and_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "cut.pgn.zst"
    frames = [zstd.compress(MANY[start : start + 30_000]) for start in range(0, len(MANY), 30_000)]
    path.write_bytes(b"".join(frames)[:-1000])
    batches, found = setwise.batches(path, PLACE, size=1000), list[dict[str, np.ndarray]]()
    with pytest.raises(SourceError, match="cannot be read beyond byte"):
        found.extend(batches)
    assert len(places(found)) > 100_000
    path.write_bytes(frames[0][:-1000])  # cut within what tells its kind
    with pytest.raises(SourceError, match="cannot be read beyond byte"):
        list(setwise.batches(path, PLACE))


def test_a_broken_game_gives_its_sound_positions_and_is_told() -> None:
    faults: list[Any] = []
    found = list(setwise.batches(b"1. e4 e5 2. Ke3 *", PLACE, shuffle=0, on_fault=faults.append))
    assert places(found) == [(1, 0), (1, 1), (1, 2)]
    assert [fault.token for fault in faults] == ["Ke3"]


def test_lists_tables_and_positions_are_sources() -> None:
    fens = ["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1"]
    table = pa.table({"fen": fens, "rating": [1500, None], "easy": [True, None]})
    [batch] = setwise.batches(table, ("rating", "easy", "sets"), shuffle=0)
    assert batch["rating"].dtype == np.float64
    assert batch["rating"][0] == 1500
    assert np.isnan(batch["rating"][1])
    assert batch["easy"].tolist() == [True, False]
    for label in ("move_index", "own_evaluation"):
        with pytest.raises(QueryError, match=f"`{label}` is not in the positions of <table>"):
            setwise.batches(table, label)
    for source in (Positions.from_fens(fens), [Position(fen) for fen in fens], "\n".join(fens).encode()):
        [other] = setwise.batches(source, "sets", shuffle=0)
        assert np.array_equal(other["sets"], batch["sets"])


def test_positions_of_games_keep_their_labels() -> None:
    [games] = setwise.read_pgn(TEXT.encode(), batch_bytes=LONGEST_GAME, notes=True)
    ours, theirs = (joined(setwise.batches(source, shuffle=0)) for source in (games.positions(), TEXT.encode()))
    for name in ours:
        assert np.array_equal(ours[name], theirs[name], equal_nan=ours[name].dtype.kind == "f")


def test_a_scan_gives_the_labels_that_it_holds(tmp_path: Path) -> None:
    path, fields = tmp_path / "noted.parquet", ("own_evaluation", "own_points", "move_index", "sets")
    (tmp_path / "noted.pgn").write_text(NOTED)
    standard = "own_elo is not null or ply < 9"
    setwise.scan(tmp_path / "noted.pgn", path, features=[*fields[:3], "own_elo", "castling_rights", "en_passant"])
    ours = joined(setwise.batches(path, fields, where=standard, shuffle=0))
    theirs = joined(setwise.batches(tmp_path / "noted.pgn", fields, where=standard, shuffle=0))
    for name in fields:
        assert ours[name].dtype == theirs[name].dtype
        assert np.array_equal(ours[name], theirs[name], equal_nan=ours[name].dtype.kind == "f"), name
    bare = setwise.find("own_evaluation is null", path, columns="ply")
    assert 0 < len(bare) < len(ours["sets"])


def test_nothing_that_matches_is_no_batch() -> None:
    assert list(setwise.batches(TEXT.encode(), where="ply > 1000")) == []
    assert list(setwise.batches(b"")) == []


def test_a_move_of_a_batch_can_be_played() -> None:
    [batch] = setwise.batches(b"1. e4 d5 2. exd5 *", ("game", "move_index"), shuffle=0)
    position = Position()
    for index in batch["move_index"].tolist()[:-1]:
        [move] = Positions.from_positions([position]).moves_at([index]).tolist()
        position = position.play(MOVE_TABLES[False].move(move))
    assert position.fen().startswith("rnbqkbnr/ppp1pppp/8/3P4")


# ---------------------------------------------------------------------------------------------------------------- door


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"size": 0}, ValueError, "a batch has 1 position or more and the buffer 0 or more, not 0 and 262144"),
        ({"shuffle": -1}, ValueError, "the buffer 0 or more, not 4096 and -1"),
        ({"shuffle": "al"}, ValueError, "shuffle is a number of positions, or 'all', not 'al'"),
        ({"blend": 1.5}, ValueError, "blend is the share of the evaluation in the target, 0 to 1, not 1.5"),
        ({"threads": 0}, ValueError, "the number of threads is 1 or more"),
        ({"seed": -1}, ValueError, "non-negative"),
        ({"part": (2, 2)}, ValueError, r"part is \(k, n\), the k-th of n parts with k from 0 to n - 1, not \(2, 2\)"),
        ({"size": 1.5}, TypeError, "integer"),
        ({"fields": ()}, QueryError, "a batch holds one field or more, such as planes, own_evaluation"),
        ({"fields": "own_poins"}, QueryError, "there is no column 'own_poins'; did you mean own_points"),
        ({"fields": "result"}, QueryError, "made of numbers, and the column result has dictionary"),
        ({"fields": ["planes", "fen"]}, QueryError, "made of numbers, and the column fen has string"),
        ({"where": "nonsense = 1"}, QueryError, "nonsense"),
    ],
)
def test_senseless_wishes_are_refused_at_once(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        setwise.batches(TEXT.encode(), **options)


def test_a_missing_source_is_told_at_once() -> None:
    with pytest.raises(SourceError, match="there is no file nowhere"):
        setwise.batches("nowhere.pgn")


def test_sources_that_differ_in_a_field_of_their_own_are_refused() -> None:
    fens = ["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"]
    tables = [pa.table({"fen": fens, "label": label}) for label in ([1], [True])]
    with pytest.raises(QueryError, match="do not agree on the types"):
        setwise.batches(tables, "label")


# --------------------------------------------------------------------------------------------------------------- torch


# Of torch: more workers than processors; of Python 3.12 and later: a process with threads that is forked.
pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning", "ignore:This process:Warning")


@pytest.fixture
def torch() -> Any:
    """torch, or a skipped test."""
    return pytest.importorskip("torch", reason="torch is not installed (the extra ml)")


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_workers_share_a_source_without_repeating_it(torch: Any, workers: int) -> None:
    path = ROOT / "examples"
    dataset = setwise.torch_dataset([path, MANY, FAMOUS_GAMES], (*PLACE, "planes"), where=WHERE, size=500)
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=workers)
    found = list(loader)
    assert found[0]["planes"].dtype == torch.uint8
    whole = [place for source in (path, MANY, FAMOUS_GAMES) for place in found_places(source, WHERE)]
    assert sorted(places(found)) == sorted(whole)


def test_torchs_seed_repeats_a_training_and_its_epochs_differ(torch: Any) -> None:
    runs = []
    for _ in range(2):
        torch.manual_seed(5)
        dataset = setwise.torch_dataset(MANY, PLACE, size=1000)
        loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2, persistent_workers=True)
        runs.append([places(loader) for _ in range(2)])
        del loader
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]
    assert sorted(runs[0][0]) == sorted(runs[0][1])


def test_a_dataset_goes_to_workers_that_start_anew(torch: Any) -> None:
    dataset = setwise.torch_dataset(FAMOUS_GAMES, PLACE, seed=1)
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=1, multiprocessing_context="spawn")
    assert places(loader) == places(dataset)


def test_processes_that_train_together_share_a_source(torch: Any) -> None:
    found = []
    for rank in range(2):
        dataset = setwise.torch_dataset(MANY, PLACE, part=(rank, 2))
        found += places(torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2))
    assert sorted(found) == found_places(MANY, "true")


def test_the_page_on_training_shows_torch_as_it_is(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "training.md").read_text("utf-8")
    [code] = re.findall(r"```python\n(import torch\n.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {"setwise": setwise}
    exec(compile(code, "training.md", "exec"), names)  # noqa: S102  (our own page)
    assert names["planes"].dtype == torch.float32
    assert len(names["planes"]) == len(names["points"]) > 0


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(ImportError, match=r"pip install 'setwise\[ml\]'"):
        setwise.torch_dataset(FAMOUS_GAMES)
