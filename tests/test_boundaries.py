"""Where batches are cut makes no difference: rows by ones, twos, threes and sevens are what they are at once.

What is read in one piece is compared with python-chess elsewhere; here the same questions come over batches of a few
rows, in which each game, each run and each file begins and ends at a cut in its turn.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.depth import depth
from setwise import Positions
from setwise.corpus.dataset import parts
from setwise.corpus.pgnfiles import duplicates
from setwise.corpus.sources import pgn, tables
from setwise.corpus.sources import scans as scanned
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import resolved
from setwise.system import sorted_runs as runs

FEW = (1, 2, 3, 7)

_LINES = ("e4 e5 Nf3 Nc6", "d4 d5", "f3 e5 g4 Qh4#", "", "e4 e5", "c4 e5 Nc3 Nf6 g3 d5 cxd5 Nxd5 Bg2", "e4 e5 Nf3 Nc6")
_PLAYERS = (("Anderssen", "Kieseritzky"), ("Morphy", "Isouard"), ("Morphy", "Isouard"))
#: Bytes of a game: all have as many, so that a block of so many times as much holds so many games.
_SIZE = 260
GAMES = 13


def _game(number: int) -> str:
    white, black = _PLAYERS[number % len(_PLAYERS)]
    line = _LINES[number * 3 % len(_LINES)]
    text = (
        f'[Event "boundaries"]\n[White "{white}"]\n[Black "{black}"]\n[Date "18{50 + number * 7 % 20}.01.01"]\n'
        f'[WhiteElo "{2000 + number * 37 % 50}"]\n[Result "1-0"]\n[Annotator "{{}}"]\n\n{line} 1-0\n\n'
    )
    return text.format("x" * (_SIZE - len(text) + len("{}")))


PGN = "".join(map(_game, range(GAMES))).encode()


def test_the_games_are_of_one_size() -> None:
    assert len(PGN) == GAMES * _SIZE
    assert len(setwise.find("ply = 0", PGN)) == GAMES


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Have everything read and put in order by so many games or rows."""

    def cutting(rows: int) -> None:
        monkeypatch.setattr(pgn, "_SEARCHED", rows * _SIZE)
        monkeypatch.setattr(pgn.PgnSource, "_size", lambda _: rows * _SIZE)
        monkeypatch.setattr(tables, "ROWS", rows)
        monkeypatch.setattr(scanned, "_ROWS", rows)
        monkeypatch.setattr(tables, "TEXT", 64 * rows)
        monkeypatch.setattr(parts, "ROWS", rows)
        monkeypatch.setattr(runs, "_RUN", 1000 * rows)  # bytes: some batches each
        monkeypatch.setattr(runs, "_cut", lambda table: _pieces(table, rows))

    return cutting


def _pieces(table: pa.Table, rows: int) -> Iterator[pa.Table]:
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)


# ------------------------------------------------------------------------------------------------------------- texts


def _written(write: Callable[..., Any], *arguments: Any, **more: Any) -> tuple[Any, bytes]:
    file = io.BytesIO()
    return write(PGN, file, *arguments, threads=1, **more), file.getvalue()


def _split(folder: Path, **by: Any) -> tuple[Any, dict[str, bytes]]:
    done = setwise.split(PGN, folder, threads=1, **by)
    return done, {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("rows", depth(FEW[::2], FEW))
def test_games_are_merged_sorted_split_and_compared_alike_however_few_at_once(
    cut: Callable[[int], None], rows: int, tmp_path: Path
) -> None:
    def answers(place: Path) -> list[Any]:
        found: list[Any] = [_written(setwise.merge), _written(setwise.merge, without=["tags"])]
        found += [_written(setwise.sort, by) for by in ("date", "white_elo desc", ["white_name", "plies desc"])]
        for by, keep in itertools.product(
            ("moves", "players", ["players", "date"]), ("first", "longest", "best-annotated")
        ):
            found.append(_written(setwise.dedupe, by=by, keep=keep))
            found.append(setwise.duplicates(PGN, by=by, keep=keep, threads=1).to_pylist())
        found += [_split(place / name, **{name: value}) for name, value in (("every", 4), ("by", "date"))]
        return found

    whole = answers(tmp_path / "whole")
    assert whole[5][0].duplicates > 4, "by moves alone most games are there more than once"
    cut(rows)
    for one, other in zip(answers(tmp_path / "few"), whole, strict=True):
        assert one == other


def test_equal_games_are_found_by_hand(cut: Callable[[int], None]) -> None:
    """The first reading's rows stand in order, a few in a table: the first of a table may equal the last before it."""
    lines = [_LINES[number * 3 % len(_LINES)] for number in range(GAMES)]
    expected = [(k + 1, lines.index(line) + 1) for k, line in enumerate(lines) if line and lines.index(line) < k]
    empty = {k + 1 for k, line in enumerate(lines) if not line}  # compared by their whole texts
    for rows in FEW:
        cut(rows)
        found = setwise.duplicates(PGN, by="moves", threads=1).to_pylist()
        assert [(row["game"], row["kept_game"]) for row in found if row["game"] not in empty] == expected


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(1, 4), max_size=12))
def test_rows_in_order_are_equal_to_the_first_of_their_kind_in_whatever_tables_they_come(
    kinds: list[int], sizes: list[int]
) -> None:
    kinds.sort()
    rows = pa.table(
        {
            "key": pa.array([kind // 2 for kind in kinds], pa.uint64()),
            "key_too": pa.array([0] * len(kinds), pa.uint64()),
            "rest": pa.array(["ab"[kind % 2] for kind in kinds], pa.string()),
            "place": pa.array(range(len(kinds)), pa.int64()),
        }
    )
    cuts = [0, *(at for at in itertools.accumulate(sizes) if at < len(kinds)), len(kinds)]
    given_ = [rows.slice(start, stop - start) for start, stop in itertools.pairwise(cuts) if stop > start]
    found = [
        pair for places, kept in duplicates._equal(given_) for pair in zip(places.tolist(), kept.tolist(), strict=True)
    ]
    assert found == [(place, kinds.index(kind)) for place, kind in enumerate(kinds)]


# ----------------------------------------------------------------------------------------------------------- questions

CONDITIONS = (
    "true", "next(is_check, 2)", "previous(san) = 'e4'", "previous(san, 3) is null",
    "later(is_checkmate)", "earlier(captured is not null)", "count(*) over game = 5",
    "row_number() over so_far = 2", "later(ply = 2 and next(ply) = 3)", "first_value(san) over game = 'f3'",
)  # fmt: skip
STATEMENTS = (
    "select count(*), sum(ply), count(distinct (source, game)) from positions",
    "select ply, count(*) from positions where later(is_checkmate) group by ply order by ply",
    "select game, max(ply) over game from positions qualify row_number() over so_far = 1 order by game",
)


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same games as every kind of source that is cut: with games in them, and with lone positions."""
    folder = tmp_path_factory.mktemp("kinds")
    setwise.scan(PGN, folder / "scan.parquet", threads=1)
    scan = pyarrow.parquet.read_table(folder / "scan.parquet")
    rows = setwise.find("true", PGN, columns=["ply", "fen", "san", "white_elo"])
    lines = [f"{row['fen']},{row['ply']},{row['san'] or ''}" for row in rows.to_pylist()]
    starts = setwise.find("ply = 0", PGN, columns=["fen"])["fen"].to_pylist()
    uci = [" ".join(move.uci() for move in game.moves) for games in setwise.read_pgn(PGN) for game in games]
    pyarrow.parquet.write_table(pa.table({"fen": starts, "moves": uci}), folder / "moves.parquet", row_group_size=5)
    return {
        "pgn": PGN,
        "scan": folder / "scan.parquet",
        "scan in memory": pa.concat_tables(scan.slice(at, 4) for at in range(0, len(scan), 4)),
        "moves": folder / "moves.parquet",
        "csv": "\n".join(["fen,number,played", *lines]).encode(),
        "csv with moves": "\n".join(["fen,moves", *map(",".join, zip(starts, uci, strict=True))]).encode(),
        "json": "\n".join(
            f'{{"fen": "{fen}", "number": {k}}}' for k, fen in enumerate(rows["fen"].to_pylist())
        ).encode(),
        "list": "\n".join(rows["fen"].to_pylist()).encode(),
    }


def _asked(source: Any, conditions: Iterable[str], statements: Iterable[str], columns: list[str]) -> list[Any]:
    found = [setwise.find(where, source, columns=columns, threads=1).to_pylist() for where in conditions]
    return [*found, *(setwise.sql(statement, source, threads=1).to_pylist() for statement in statements)]


def _answers(source: Any, some: slice = slice(None)) -> list[Any]:
    return _asked(source, CONDITIONS[some], STATEMENTS[some], ["game", "ply", "fen"])


@pytest.fixture(scope="module")
def of_pgn() -> list[Any]:
    return _answers(PGN)


def _batches(source: Any) -> int:
    jobs = [job for opened in resolved(source) for job in opened.scan(Question())]
    for job in jobs:
        job.abandon()
    return len(jobs)


@pytest.mark.parametrize(
    "kind",
    depth(
        ["pgn", "scan", "scan in memory", "csv with moves"],
        ["pgn", "scan", "scan in memory", "moves", "csv with moves"],
    ),
)
def test_games_are_whole_in_every_batch(
    cut: Callable[[int], None], kinds: dict[str, Any], of_pgn: list[Any], kind: str
) -> None:
    whole = of_pgn if kind == "pgn" else _answers(kinds[kind])
    assert whole[4], "mates in games are announced before"
    assert whole[1 : len(CONDITIONS)] == of_pgn[1 : len(CONDITIONS)]
    for turn, rows in enumerate(FEW):
        cut(rows)
        assert _batches(kinds[kind]) > GAMES // rows - 3, "batches are small"
        # Each size has questions of its own: to ask all of each takes a minute.
        some = slice(turn, None, len(FEW))
        assert _answers(kinds[kind], some) == [*whole[: len(CONDITIONS)][some], *whole[len(CONDITIONS) :][some]]


@pytest.mark.parametrize("kind", ["csv", "json", "list"])
def test_lone_positions_are_the_same_rows_in_batches_of_any_size(
    cut: Callable[[int], None], kinds: dict[str, Any], kind: str
) -> None:
    def answers() -> list[Any]:
        statement = "select count(*), count(distinct fen), sum(bit_count(white_pawns)) from positions"
        return _asked(kinds[kind], ["true", "not white_to_move"], [statement], ["game", "fen"])

    whole = answers()
    for rows in depth(FEW[::2], FEW):
        cut(rows)
        assert _batches(kinds[kind]) > len(whole[0]) // rows // 3, "batches are small"
        assert answers() == whole


@pytest.mark.parametrize("rows", depth(FEW[::2], FEW))
def test_a_scan_is_the_same_however_few_rows_are_written_at_once(
    cut: Callable[[int], None], rows: int, tmp_path: Path
) -> None:
    def written(folder: Path) -> list[Any]:
        setwise.scan(PGN, folder / "all", features="pawn_islands", threads=1)
        setwise.scan(PGN, folder / "one.parquet", features="pawn_islands", threads=1)
        setwise.scan(PGN, folder / "years", partition_by="year", threads=1)
        found = []
        for place in (
            "all/games",
            "all/positions",
            "one.parquet",
            "one.games.parquet",
            "years/games",
            "years/positions",
        ):
            files = sorted((folder / place).rglob("*.parquet")) or [folder / place]
            rows = [row for file in files for row in pyarrow.parquet.read_table(file).to_pylist()]
            found.append(sorted(rows, key=lambda row: (row["game"], row.get("ply"))))
            assert found[-1]
        return found

    (tmp_path / "source.pgn").write_bytes(PGN)
    whole = written(tmp_path / "whole")
    cut(rows)
    assert written(tmp_path / "few") == whole


# ----------------------------------------------------------------------------------------------------------- positions


@pytest.mark.parametrize("rows", depth(FEW[::2], FEW))
def test_slices_of_positions_are_what_they_are_together(rows: int) -> None:
    [games] = setwise.read_pgn(PGN)
    whole = games.positions()
    slices = [whole[start : start + rows] for start in range(0, len(whole), rows)]
    asked: tuple[Callable[[Positions], Any], ...] = (
        Positions.keys, lambda some: some.fens().to_pylist(), lambda some: some.san().to_pylist(),
        lambda some: some.uci().to_pylist(), lambda some: some.legal_move_counts(), lambda some: some.is_checkmate(),
        lambda some: some.feature("white_pawn_islands"), lambda some: some.feature("own_safe_fork_squares"),
        lambda some: some.planes(), lambda some: some.moves_mask(), lambda some: some.move_indices(),
    )  # fmt: skip
    for ask in asked:
        assert np.array_equal(np.concatenate([np.asarray(ask(some)) for some in slices]), np.asarray(ask(whole)))
    again = pa.concat_tables(some.to_arrow() for some in slices)
    assert again.equals(whole.to_arrow())


@pytest.mark.parametrize("rows", depth(FEW[::2], FEW))
def test_batches_for_training_are_the_same_rows(cut: Callable[[int], None], rows: int) -> None:
    fields = ["sets", "planes", "move_index", "own_points", "ply", "game"]
    [whole] = setwise.batches(PGN, fields, shuffle=0, threads=1, size=1000)
    for by, blocks in itertools.product(FEW, (False, True)):
        if blocks:
            cut(rows)
        found = list(setwise.batches(PGN, fields, shuffle=0, threads=1, size=by))
        assert {len(some["ply"]) for some in found[:-1]} <= {by}
        for name, values in whole.items():
            assert np.array_equal(
                np.concatenate([some[name] for some in found]), values, equal_nan=name == "own_points"
            )
        drawn = list(setwise.batches(PGN, ["game", "ply"], shuffle=5, seed=1, threads=1, size=by))
        places = np.concatenate([np.stack([some["game"], some["ply"]], axis=1) for some in drawn])
        assert sorted(map(tuple, places.tolist())) == list(
            zip(whole["game"].tolist(), whole["ply"].tolist(), strict=True)
        )


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_games_of_one_number_in_two_sources_are_two_games(kind: pa.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = setwise.find("true", [b"1. e4 e5 *", b"1. d4 *"], columns=["source", "game", "ply", "fen"])
    rows = rows.set_column(0, "source", rows["source"].cast(pa.string()).cast(kind))
    plies = [(0, 1), (1, 2), (2, None), (0, 1), (1, None)]
    for size in (1, 2, 1 << 16):
        monkeypatch.setattr(tables, "ROWS", size)
        statement = "select ply, next(ply) after, count(*) over game plies from positions order by source, ply"
        answer = setwise.sql(statement, rows)
        assert [(row["ply"], row["after"]) for row in answer.to_pylist()] == plies
        assert answer["plies"].to_pylist() == [3, 3, 3, 2, 2]
