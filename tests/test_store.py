"""A store: tables and an index in one folder, filled in any order, with the same files in the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from setwise.corpus.dataset import folder
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
