"""A store: tables and an index in one folder, filled in any order, with the same files in the end."""

from __future__ import annotations

import functools
import itertools
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow.parquet as pq
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.manifests import make_former
from setwise.cli.app import run
from setwise.corpus.dataset import folder
from setwise.corpus.dataset.folder import locked
from setwise.corpus.query.move_tree import Tally, position_of
from setwise.corpus.query.search import Query, search
from setwise.corpus.sources.indexes import index_in
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.sources.scans import scan_in
from setwise.corpus.storage.log import contents_of, snapshot_of, write_contents
from setwise.errors import OutputError, QueryError, SourceError

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
FEATURES = ["pinned", "is_check"]
WHERE = ("is_checkmate", "white_pinned <> 0 and ply > 30", f"fen = '{AFTER_E4}'", "result = '1-0' and ply = 9")


def tables_in(place: Path) -> dict[str, Any]:
    """The content of every part file and run, by path."""
    files = (path for path in place.rglob("*.parquet") if ".replaced" not in path.parts)
    return {path.relative_to(place).as_posix(): pq.read_table(path) for path in files}


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    """Two files of games, with annotations and a variation."""
    text = FAMOUS_GAMES.read_text("utf-8")
    middle = text.index("[Event ", len(text) // 2)
    files = [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    for file, half in zip(files, (text[:middle], text[middle:]), strict=True):
        file.write_text(half + '\n[White "x"]\n\n1. e4 {[%clk 0:01:00] hm} e5 (1... c5) 2. Nf3 *\n', "utf-8")
    return files


def scanned(sources: Any, place: Path, **more: Any) -> None:
    setwise.scan(sources, place, features=[*FEATURES, "comment"], **more)


def indexed(sources: Any, place: Path) -> None:
    setwise.index(sources, place, features=FEATURES)


def test_in_any_order_the_files_are_the_same(sources: list[Path], tmp_path: Path) -> None:
    ways: dict[str, list[Any]] = {
        "scan, then index": [lambda it: scanned(sources, it), lambda it: indexed(sources, it)],
        "scan, then index of its sources": [lambda it: scanned(sources, it), lambda it: indexed([], it)],
        "index, then scan": [lambda it: indexed(sources, it), lambda it: scanned(sources, it)],
        "index, then scan of its games": [lambda it: indexed(sources, it), lambda it: scanned([], it)],
        "at once, then features": [lambda it: scanned(sources, it, index=True), lambda it: indexed([], it)],
        "file by file": [lambda it: scanned(sources[:1], it, index=True), lambda it: indexed(sources, it)],
    }
    expected = None
    for name, steps in ways.items():
        place = tmp_path / name
        for step in steps:
            step(place)
        assert setwise.verify_scan(place) == []
        found = tables_in(place)
        found = {path: table for path, table in found.items() if "keys/" not in path}  # runs are merged by and by
        expected = expected or found
        assert found.keys() == expected.keys(), name
        assert all(found[path].equals(expected[path]) for path in found), name
        for where in WHERE:
            answer, of_games = (setwise.find(where, it).to_pylist() for it in (place, sources))
            assert answer == of_games, (name, where)
        tree, expected_tree = (setwise.tree("e4", it).to_pylist() for it in (place, sources))
        assert tree == expected_tree


def test_the_games_of_an_index_are_scanned_without_their_sources(sources: list[Path], tmp_path: Path) -> None:
    indexed(sources, tmp_path / "x")
    expected = setwise.find("true", sources, columns=["source", "game", "ply", "comment", "san"]).to_pylist()
    for source in sources:
        source.unlink()
    scanned([], tmp_path / "x")
    rows = setwise.find("true", tmp_path / "x" / "positions", columns=["source", "game", "ply", "comment", "san"])
    assert rows.to_pylist() == expected
    assert setwise.verify_scan(tmp_path / "x") == []


def test_an_index_of_a_scan_needs_the_sources_as_they_were(sources: list[Path], tmp_path: Path) -> None:
    scanned(sources, tmp_path / "x")
    sources[1].unlink()
    before = tables_in(tmp_path / "x")
    for named in ([], sources[:1]):
        with pytest.raises(
            SourceError, match=r"would lack some files of .*b\.pgn, and these are made from it: name it"
        ):
            indexed(named, tmp_path / "x")
    assert tables_in(tmp_path / "x").keys() == before.keys()
    assert setwise.find("is_checkmate", tmp_path / "x").num_rows == 8


def test_what_is_new_gets_all_layers(sources: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, read = tmp_path / "x", list[str]()
    scanned(sources[:1], place, index=True)
    really = folder.recognised
    monkeypatch.setattr(folder, "recognised", lambda it: read.append(str(it)) or really(it))
    scanned(sources, place)
    assert read == [str(sources[1])]
    assert len(list((place / "packed").iterdir())) == len(list((place / "positions").iterdir())) == 2
    sources[0].write_bytes(b"1. d4 d5 *\n")
    with pytest.raises(OutputError, match="has changed since it was scanned"):
        scanned(sources, place)
    indexed(sources, place)  # which reads a changed file again
    assert setwise.sql("select count(*) n from positions", place).to_pylist() == [
        {"n": setwise.find("true", sources).num_rows}
    ]
    assert setwise.verify_scan(place) == []


@pytest.mark.parametrize("path", ["games", "positions", "packed", "keys/positions", "features/1"])
def test_a_damaged_file_of_any_layer_is_made_again_and_nothing_else(
    path: str, sources: list[Path], tmp_path: Path
) -> None:
    place = tmp_path / "x"
    scanned(sources, place)
    indexed(sources, place)
    whole, tree = tables_in(place), setwise.tree("e4", sources)
    file = min((place / path).iterdir())
    file.write_bytes(file.read_bytes()[:-9])
    [damage] = setwise.verify_scan(place)
    assert damage.path == file
    for source in sources if path != "packed" else ():
        source.unlink()  # packed games are made from them, and all else from packed games
    indexed([], place)
    assert setwise.verify_scan(place) == []
    found = tables_in(place)
    for name in whole:
        assert path == "keys/positions" or found[name].equals(whole[name])
    assert setwise.tree("e4", place).equals(tree)


@pytest.mark.parametrize("layer", ["index of a scan", "scan of an index"])
@pytest.mark.parametrize("count", range(3))
def test_a_store_that_has_half_of_a_layer_is_unfinished_and_answers_from_the_other(
    layer: str, count: int, sources: list[Path], tmp_path: Path
) -> None:
    place = tmp_path / "x"
    first, second = (scanned, indexed) if layer == "index of a scan" else (indexed, scanned)
    first(sources, place)
    before = (place / "manifest.jsonl").read_bytes()
    second(sources, place)
    added = (place / "manifest.jsonl").read_bytes().removeprefix(before).splitlines(keepends=True)
    parts = [at for at, line in enumerate(added) if b'"part"' in line]
    (place / "manifest.jsonl").write_bytes(before + b"".join(added[: parts[0] + count]))
    with pytest.raises(SourceError, match="is unfinished: 2 of its sources, and the run that wrote them was ended"):
        setwise.find("is_check", place)
    with pytest.warns(UserWarning, match="is unfinished"):
        found = setwise.find("is_check", place, partial=True)
    assert found.to_pylist() == setwise.find("is_check", sources).to_pylist()
    second([], place)
    assert setwise.find("is_check", place).to_pylist() == found.to_pylist()
    assert setwise.verify(place) == ([], None, [])


def test_variations_and_an_index_do_not_share_a_folder(sources: list[Path], tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="cannot hold variations and an index"):
        setwise.scan(sources, tmp_path / "x", variations=True, index=True)
    with pytest.raises(QueryError, match="a scan is indexed in a directory, not in one file"):
        setwise.scan(sources, tmp_path / "x.parquet", index=True)
    setwise.scan(sources, tmp_path / "y", variations=True)
    with pytest.raises(QueryError, match="cannot hold variations and an index"):
        setwise.index(sources, tmp_path / "y")


def test_other_columns_are_refused_in_an_index_too(sources: list[Path], tmp_path: Path) -> None:
    indexed(sources, tmp_path / "x")
    scanned([], tmp_path / "x")
    for features in ("pinned", ["pinned", "is_check", "comment", "clock"]):
        with pytest.raises(OutputError, match="holds a scan with other columns; --force"):
            setwise.scan([], tmp_path / "x", features=features)
    assert setwise.verify_scan(tmp_path / "x") == []


# ------------------------------------------------------------------------------------------ verify, repair and upgrade


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


LOG = "manifest.jsonl"
DAMAGES: dict[str, Callable[[Path], object]] = {
    "the log is deleted": lambda it: (it / LOG).unlink(),
    "the log is emptied": lambda it: (it / LOG).write_bytes(b""),
    "the log is zeroed": lambda it: (it / LOG).write_bytes(bytes(999)),
    "the log is cut after two lines": lambda it: (it / LOG).write_bytes(
        b"".join((it / LOG).read_bytes().splitlines(keepends=True)[:2])
    ),
    "the log has a changed byte": lambda it: flip(it / LOG),
    "the log is of an earlier time": lambda it: (it / LOG).write_bytes((it / "earlier").read_bytes()),
    **{
        f"a file of {place} is {how}": lambda it, place=place, way=way: way(min((it / place).iterdir()))
        for place in ("games", "positions", "packed", "keys/positions", "keys/outcomes", "keys/tree", "features/1")
        for how, way in (("deleted", Path.unlink), ("changed", flip))
    },
    **{
        f"the log and a file of {place} are lost": lambda it, place=place: [
            (it / LOG).unlink(), min((it / place).iterdir()).unlink()
        ]
        for place in ("packed", "positions", "keys/outcomes")
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two sources and a store of them, which tests copy: scanned, indexed, and grown."""
    place = tmp_path_factory.mktemp("stored")
    text = FAMOUS_GAMES.read_text("utf-8")
    middle = text.index("[Event ", len(text) // 3)
    for name, half in (("a.pgn", text[:middle]), ("b.pgn", text[middle:])):
        (place / name).write_text(half, "utf-8")
    scanned([place / "a.pgn"], place / "store", index=True)
    shutil.copy(place / "store" / LOG, place / "store" / "earlier")
    indexed([place / "a.pgn", place / "b.pgn"], place / "store")
    return place


@functools.cache
def answers_of(place: Path) -> dict[str, list[dict[str, Any]]]:
    return {where: setwise.find(where, place).to_pylist() for where in WHERE}


def test_what_is_whole_is_found_whole(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(stored / "store")]) == 0
    assert capsys.readouterr().out == f"{stored / 'store'} is whole\n"


@pytest.mark.parametrize("how", [*DAMAGES][:: depth(2, 1)])
def test_what_is_damaged_is_found_and_repaired(
    how: str, stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "store"
    shutil.copytree(stored / "store", place)
    DAMAGES[how](place)
    if (place / LOG).exists():
        assert run(["verify", str(place)]) == 3
        assert str(place) in capsys.readouterr().out
        assert not setwise.verify(place).is_whole
    assert run(["repair", str(place)]) == 0
    assert capsys.readouterr().out == f"{place} is whole\n"
    assert run(["verify", str(place)]) == 0
    assert capsys.readouterr().err == ""
    for where in WHERE:
        assert setwise.find(where, place).to_pylist() == answers_of(stored / "store")[where]
    assert setwise.tree("e4", place).equals(setwise.tree("e4", stored / "store"))
    whole, found = tables_in(stored / "store"), tables_in(place)
    assert all(found[path].equals(whole[path]) for path in whole if "keys/" not in path)


def test_a_store_without_its_log_is_refused_with_what_to_do(stored: Path, tmp_path: Path) -> None:
    place = tmp_path / "store"
    shutil.copytree(stored / "store", place)
    (place / "manifest.jsonl").unlink()
    for asks in (lambda: setwise.find("is_check", place), lambda: setwise.sql("select 1 from positions", place)):
        with pytest.raises(SourceError, match=re.escape(f"setwise repair {place}")):
            asks()
    with pytest.raises(SourceError, match=re.escape(f"setwise repair {place}")):
        setwise.verify(place)


def test_without_sources_nothing_is_begun(tmp_path: Path) -> None:
    for write in (setwise.scan, setwise.index):
        with pytest.raises(SourceError, match="name the sources"):
            write([], tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_what_cannot_be_repaired_is_named(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(stored, tmp_path / "x")
    files, place = [tmp_path / "x" / name for name in ("a.pgn", "b.pgn")], tmp_path / "x" / "store"
    setwise.scan(files, place, force=True)
    [lost, _] = sorted((place / "games").iterdir())
    lost.unlink()
    files[0].write_bytes(b"1. d4 *\n")
    assert run(["repair", str(place)]) == 3
    assert capsys.readouterr().out == f"{lost} is missing\n"
    (place / LOG).unlink()
    assert run(["repair", str(place)]) == 2
    assert capsys.readouterr().out.startswith(f"{place} is unfinished: 0 parts of {files[0]} (0 games)\n")
    with pytest.raises(SourceError, match="is unfinished"):
        setwise.find("true", place)
    (place / LOG).unlink()
    for path in place.rglob(f"positions/{lost.name}"):
        path.unlink()
    assert run(["repair", str(place)]) == 2
    assert capsys.readouterr().out.startswith(f"{place} is unfinished: 0 parts of source 1 (0 games)\n")
    for path in place.rglob("*.parquet"):
        table = pq.read_table(path).replace_schema_metadata(None)
        pq.write_table(table, path)  # as another program writes it, without the footer
    (place / LOG).unlink()
    assert run(["repair", str(place)]) == 2
    assert "neither its manifest nor its files say which parts they are" in capsys.readouterr().err
    assert run(["verify", str(tmp_path)]) == run(["repair", str(tmp_path)]) == run(["upgrade", str(tmp_path)]) == 2
    assert "there is no scan" in capsys.readouterr().err


def test_an_unfinished_store_is_told_from_a_damaged_one(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(stored, tmp_path / "x")
    place = tmp_path / "x" / "store"
    lines = (place / LOG).read_bytes().splitlines(keepends=True)
    [at] = [at for at, line in enumerate(lines) if json.loads(line).get("source") == 2 and b'"path"' in line]
    (place / LOG).write_bytes(b"".join(lines[: at + 1]))
    assert run(["verify", str(place)]) == 2
    told = capsys.readouterr()
    assert told.out.startswith(f"{place} is unfinished: 0 parts of ")
    assert "left over, which the next writing removes" in told.err
    assert run(["repair", str(place)]) == 0
    assert setwise.verify(place) == ([], None, [])


def test_a_former_index_is_read_and_converted_and_a_kill_at_any_rename_harms_nothing(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files, former = [stored / "a.pgn", stored / "b.pgn"], tmp_path / "former"
    for some in (files[:1], files):
        indexed(some, former)
    expected = {where: setwise.find(where, former).to_pylist() for where in WHERE}
    make_former(former)
    assert not (former / "packed").exists()
    really, steps = Path.replace, itertools.count()
    for step in steps:
        place = tmp_path / str(step)
        shutil.copytree(former, place)
        assert setwise.verify(place) == ([], None, [])
        with pytest.raises(OutputError, match=f"in its first form: `setwise upgrade {place}` converts it"):
            indexed(files, place)
        with pytest.raises(OutputError, match="in its first form"):
            scanned([], place)
        left = iter(range(step))

        def replace(path: Path, target: Path, left: Iterator[int] = left) -> Path:
            if next(left, None) is None:
                raise KeyboardInterrupt
            return really(path, target)

        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            patched.setattr(Path, "replace", replace)
            setwise.upgrade(place)
        for where in WHERE:
            assert setwise.find(where, place).to_pylist() == expected[where], step
        assert setwise.verify(place).is_whole
        if not json.loads((place / LOG).read_text().splitlines()[0])["version"].startswith("index"):
            break
    assert step > 5
    assert run(["upgrade", str(former), str(former)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"setwise: {former} is converted", f"setwise: {former} is in the present form already"
    ]  # fmt: skip
    assert {path.name for path in former.iterdir() if path.name[0] != "."} == {LOG, "packed", "keys", "features"}
    scanned([], former)
    assert setwise.verify(former) == ([], None, [])


# ------------------------------------------------------------------------------------------------------------ snapshots


def test_readers_finish_on_their_snapshot_while_a_writer_grows_merges_and_begins_anew(
    stored: Path, tmp_path: Path
) -> None:
    """Each step of a writer comes between the opening of a source and its reading."""
    files, place = [stored / "a.pgn", stored / "b.pgn"], tmp_path / "x"
    changed = tmp_path / "b.pgn"
    columns = ["source", "game", "ply", "move", "white_pinned", "white_name"]
    steps: dict[str, Callable[[], object]] = {
        "grow": lambda: indexed(files, place),
        "replace": lambda: [
            changed.write_text(files[1].read_text("utf-8") + "\n1. d4 *\n", "utf-8"), indexed([changed], place)
        ],
        "begin anew": lambda: scanned(files[:1], place, index=True, force=True),
        "begin anew as a scan": lambda: scanned(files[1:], place, force=True),
    }  # fmt: skip
    shutil.copy(files[1], changed)
    scanned(files[:1], place, index=True)
    indexed([files[0], changed], place)
    for name, step in steps.items():
        opened = [scan_in(str(place)), index_in(str(place))]
        before = setwise.find("true", place, columns=columns).to_pylist()
        tree = setwise.tree("e4", place).to_pylist()
        step()
        for source in filter(None, opened):
            question = Query(columns=columns).on(source)
            rows = [row for result in search([(source, question)], threads=2) for row in result.table().to_pylist()]
            assert rows == before, name
        tally = Tally(position_of("e4"), "move")
        assert tally.add_stored(opened[1], tally.query(None, None).on(opened[1]))
        assert tally.table().to_pylist() == tree, name
        assert setwise.verify(place) == ([], None, []), name


@pytest.mark.parametrize("seconds", depth([4], [60]))
def test_two_readers_and_a_writer_at_once_see_whole_snapshots(seconds: int, stored: Path, tmp_path: Path) -> None:
    files, place = [stored / "a.pgn", stored / "b.pgn"], tmp_path / "x"
    scanned(files[:1], place, index=True)
    wholes = [setwise.find("ply >= 0", it, columns=["game", "ply", "move"]).to_pylist() for it in (files[:1], files)]
    said, answers, is_over = list[str](), list[int](), Event()

    def read() -> None:
        while not is_over.is_set():
            try:
                rows = setwise.find("ply >= 0", place, columns=["game", "ply", "move"]).to_pylist()
            except SourceError as error:
                said.append(str(error))
            else:
                answers.append(wholes.index(rows))  # which raises an error for any other answer

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        began = time.monotonic()
        # On a machine that is busy it goes on until both have been seen.
        while (spent := time.monotonic() - began) < seconds or (spent < 120 and {*answers} != {0, 1}):
            for force, some in ((False, files), (True, files[:1])):
                scanned(some, place, index=True, force=force)
        is_over.set()
        assert [reader.result() for reader in readers] == [None, None]
    assert {*answers} == {0, 1}
    assert all(re.search("is unfinished: |is missing|is damaged", it) for it in said)


def test_the_tables_of_a_store_answer_what_its_keys_do_not(sources: list[Path], tmp_path: Path) -> None:
    place = tmp_path / "store"
    scanned(sources, place, index=True)
    [source] = resolved(place)
    for where, columns, is_of_tables in (
        ("ply = 9 and result = '1-0'", ["game", "ply"], True), ("ply = 9", ["game", "san"], False),
        ("ply = 9 and is_castling", ["game", "ply"], False), (f"fen = '{AFTER_E4}'", ["game", "ply"], False),
    ):  # fmt: skip
        assert (source.explain(Query(where, columns).on(source)).table is not None) == is_of_tables
        for columns_too in (columns, ["source", *columns]):
            found, expected = (setwise.find(where, it, columns=columns_too) for it in (place, sources))
            assert found.to_pylist() == expected.to_pylist()
    assert source.explain(Question(columns=["ply", "white_pawns"])).files is not None
    count = "select source, count(*) n, sum(ply) p from positions where white_queens = 0 group by all order by all"
    assert setwise.sql(count, place).equals(setwise.sql(count, sources))
    both = setwise.find("ply = 9", [place, *sources], columns=["source", "game"])
    assert len(set(both["source"].to_pylist())) == 4


def test_while_a_writer_grows_a_store_readers_get_it_as_it_was(stored: Path, tmp_path: Path) -> None:
    files, place = [stored / "a.pgn", stored / "b.pgn"], tmp_path / "x"
    scanned(files[:1], place, index=True)
    before, tree = setwise.find("true", place).to_pylist(), setwise.tree("e4", place).to_pylist()
    begun = (place / LOG).read_bytes().count(b"\n") + 1
    scanned(files, place)
    lines = (place / LOG).read_bytes().splitlines(keepends=True)
    for count in range(begun, len(lines)):
        (place / LOG).write_bytes(b"".join(lines[:count]))
        with locked(place):
            assert setwise.find("true", place).to_pylist() == before, count
            assert setwise.find("ply = 0", place / "positions").num_rows > 0
            assert setwise.tree("e4", place).to_pylist() == tree, count
            with pytest.warns(UserWarning, match="is unfinished"):
                setwise.find("true", place, partial=True)
        with pytest.raises(SourceError, match="is unfinished"):
            setwise.find("true", place)
    (place / LOG).write_bytes(b"".join(lines))
    assert len(setwise.find("true", place)) > len(before)
    scanned(files, place, index=True, force=True)
    anew = (place / LOG).read_bytes().splitlines(keepends=True)
    (place / LOG).write_bytes(b"".join(anew[:-1]))
    with locked(place), pytest.raises(SourceError, match="is unfinished"):  # of the former store is nothing in the log
        setwise.find("true", place)


def test_a_reader_that_has_read_the_log_before_files_were_added_reads_it_again(stored: Path, tmp_path: Path) -> None:
    place = tmp_path / "x"
    scanned([stored / "a.pgn"], place)
    before = contents_of(place)
    scanned([stored / "a.pgn", stored / "b.pgn"], place)
    assert snapshot_of(place, before, partial=False) == contents_of(place)
    write_contents(place, before)  # the same files, and a log that has lost their lines
    with pytest.raises(SourceError, match=r"is damaged: no line of manifest\.jsonl names games/part-00002-00001"):
        snapshot_of(place, before, partial=False)


def test_a_lost_log_and_a_lost_file_of_a_divided_scan_are_made_again(tmp_path: Path) -> None:
    place = tmp_path / "scanned"
    setwise.scan(FAMOUS_GAMES, place, partition_by="result")
    every = sorted((place / "positions").rglob("*.parquet"))
    assert len(every) > 2
    every[1].unlink()
    (place / "manifest.jsonl").unlink()
    assert str(setwise.repair(place)) == "whole"
    for where in ("result = '0-1'", "result = '1-0'", "result = '1/2-1/2'", "true"):
        assert setwise.find(where, place).num_rows == setwise.find(where, FAMOUS_GAMES).num_rows > 0
