"""Scans that several processes write, as Spark's tasks do: what ends a commit leaves the old scan or the new one."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import setwise
from helpers.depth import depth
from setwise.corpus.dataset.parts import PLACE_COLUMNS
from setwise.corpus.dataset.scan import RowParts

if sys.platform == "win32":
    pytest.skip("processes are forked to be killed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")

#: Names of files that hold parts of these games, a part each.
OLD, NEW = ("one.pgn", "two.pgn"), ("three.pgn", "four.pgn", "five.pgn")


@pytest.fixture
def games(tmp_path: Path) -> dict[str, Path]:
    moves = ("1. e4 *", "1. d4 d5 *", "1. c4 c5 2. Nc3 *", "1. Nf3 *", "1. f4 e5 *")
    texts = dict(zip((*OLD, *NEW), moves, strict=True))
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n")
    return {name: tmp_path / name for name in texts}


def _written(place: Path, games: dict[str, Path], names: tuple[str, ...], *, force: bool) -> Callable[[], None]:
    """Write parts that do not count yet, and return what makes them count."""
    tables = [setwise.find("true", games[name], columns=PLACE_COLUMNS) for name in names]
    parts = RowParts(place, tables[0].schema, force=force)
    made = [parts.write(table.to_batches()) for table in tables]
    return lambda: parts.commit(made)


def _rows(place: Path) -> list[dict[str, Any]]:
    return setwise.find("ply >= 0", place, columns=["source", "game", "ply", "move"]).to_pylist()


def _killed_at(step: int, work: Callable[[], None]) -> bool:
    """Run work in a process that is killed before its ``step``-th change of the disk; return whether it was."""
    child = os.fork()
    if child == 0:
        counts = iter(range(1, step + 1))

        def killing(change: Callable[..., Any]) -> Callable[..., Any]:
            def changed(*arguments: Any, **more: Any) -> Any:
                if next(counts, step) == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return change(*arguments, **more)

            return changed

        for name in ("fsync", "replace", "rename", "unlink", "rmdir", "mkdir"):
            setattr(os, name, killing(getattr(os, name)))
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


@pytest.mark.parametrize("force", [True, False])
def test_a_commit_that_is_killed_anywhere_leaves_the_old_scan_or_the_new_one(
    force: bool, tmp_path: Path, games: dict[str, Path]
) -> None:
    old = tmp_path / "old"
    _written(old, games, OLD, force=False)()
    before, seen = _rows(old), set[int]()
    for step in range(1, 200, depth(8, 1)):
        place = tmp_path / f"scanned{step}"
        shutil.copytree(old, place)
        is_killed = _killed_at(step, _written(place, games, NEW, force=force))
        found = _rows(place)
        if found != before:
            own = [row for row in found if row["source"].endswith(NEW)]
            assert own == [row for name in NEW for row in _rows_of(games[name])]
            assert found == (own if force else [*before, *own])
        seen.add(len(found))
        assert setwise.verify_scan(place) == []
        if force:  # the next commit removes what the killed one has left
            _written(place, games, OLD[:1], force=True)()
            assert _rows(place) == _rows_of(games[OLD[0]])
            assert len([*place.glob("positions/*")]) == len([*place.glob("games/*")]) == 1
        if not is_killed:
            break
    assert step > 10
    assert len(seen) == 2


def _rows_of(path: Path) -> list[dict[str, Any]]:
    rows = setwise.find("ply >= 0", path, columns=["source", "game", "ply", "move"])
    return rows.to_pylist()


def test_an_error_in_a_commit_leaves_no_file(
    tmp_path: Path, games: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "scanned"
    _written(place, games, OLD, force=False)()
    before = {path: path.read_bytes() for path in _files(place)}
    commit = _written(place, games, NEW, force=True)

    def fails(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("setwise.corpus.storage.log.Manifest.done", fails)
    with pytest.raises(setwise.errors.OutputError, match="No space left on device"):
        commit()
    kept = {path: path.read_bytes() for path in _files(place) if ".unfinished" not in path.parts}
    assert kept == before


def _files(place: Path) -> Iterator[Path]:
    return (path for path in place.rglob("*") if path.is_file())


#: What a process is told that writes when the others have been aborted.
ENDED = "new cannot be written: the writing has ended"


@pytest.mark.parametrize("read", [0, 1, 5])
def test_an_abort_in_the_middle_of_writing_leaves_no_folder(read: int, tmp_path: Path, games: dict[str, Path]) -> None:
    table = setwise.find("true", games["two.pgn"], columns=PLACE_COLUMNS)
    batches = table.combine_chunks().to_batches(max_chunksize=1)
    place = tmp_path / "new"
    parts = RowParts(place, table.schema)

    def aborted() -> Iterator[pa.RecordBatch]:
        yield from batches[:read]
        assert len([*place.rglob("positions")]) == 1
        parts.abort()
        assert not place.exists()
        yield from batches[read:]

    with pytest.raises(setwise.errors.OutputError, match=ENDED):
        parts.write(aborted())
    assert not place.exists()


def test_a_process_that_begins_during_or_after_an_abort_leaves_no_folder(
    tmp_path: Path, games: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = setwise.find("true", games["two.pgn"], columns=PLACE_COLUMNS)
    place = tmp_path / "new"
    parts = RowParts(place, table.schema)
    parts.write(table.to_batches())

    def late() -> None:
        with pytest.raises(setwise.errors.OutputError, match=ENDED):
            parts.write(table.to_batches())

    def removed(folder: Path, **more: Any) -> None:
        monkeypatch.undo()
        late()
        shutil.rmtree(folder, **more)
        late()

    monkeypatch.setattr(shutil, "rmtree", removed)
    parts.abort()
    assert not place.exists()
    late()
    assert not place.exists()


# --------------------------------------------------------------------------------------------------------------- rows


def test_sets_in_signed_columns_are_the_same_sets(tmp_path: Path, games: dict[str, Path]) -> None:
    """As Spark has them: with a piece on h8 such a number is negative."""
    table = setwise.find("true", games["three.pgn"], columns=PLACE_COLUMNS)
    signed = pa.table(
        {
            name: pa.chunked_array([chunk.view(pa.int64()) for chunk in column.chunks])
            if column.type == pa.uint64() else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )  # fmt: skip
    assert min(signed["black_rooks"].to_pylist()) < 0
    parts = RowParts(tmp_path / "scanned", signed.schema)
    parts.commit([parts.write(signed.to_batches())])
    found = setwise.find("ply >= 0", tmp_path / "scanned", columns=PLACE_COLUMNS)
    assert found.to_pylist() == table.to_pylist()


def test_rows_that_are_not_whole_games_in_order_are_refused_by_game_and_ply(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("1. e4 e5 2. Nf3 *\n\n1. d4 d5 2. c4 *\n")
    table = setwise.find("true", tmp_path / "a.pgn", columns=PLACE_COLUMNS)
    wrong = [
        ("game 1 of .* ply 2", [0, 2, 3]),  # a position is missing
        ("game 1 of .* ply 2", [0, 1, 2]),  # the end is missing
        ("game 2 of .* ply 2", [0, 1, 6, 7]),  # the end is that of another game
        ("game 1 of .* ply 1", [1, 0, 2, 3]),
    ]
    parts = RowParts(tmp_path / "scanned", table.schema)
    for said, rows in wrong:
        with pytest.raises(setwise.errors.QueryError, match=f"{said}; a part holds whole games"):
            parts.write(table.take(pa.array(rows)).to_batches())


def test_a_game_in_two_parts_is_refused(tmp_path: Path, games: dict[str, Path]) -> None:
    table = setwise.find("true", games["one.pgn"], columns=PLACE_COLUMNS)
    parts = RowParts(tmp_path / "scanned", table.schema)
    written = [parts.write(table.to_batches()) for _ in range(2)]
    with pytest.raises(setwise.errors.OutputError, match=r"game 1 of .*one\.pgn is in the rows twice"):
        parts.commit(written)
