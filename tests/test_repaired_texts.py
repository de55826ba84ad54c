"""``setwise repair`` writes games in the words of PGN; ``--notes`` and the column ``repairs`` list what was read so."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

import setwise
from helpers.processes import run
from setwise.errors import OutputError, SourceError
from setwise.game.games import repair_pgn

MESSY = """[Event “Club”]
[White O’Kelly]

1. ♘f3 d5 {“Best”} 2. g3± ½–½

[Event "broken"]

1. e4 e9 2. Nf3 *

[Event "plain"]

1. e4 {as it   is} e5 ( 1... c5) *
"""
CLEAN = """[Event "Club"]
[White "O’Kelly"]

1. Nf3 d5 {“Best”} 2. g3 $16  1/2-1/2

[Event "broken"]

1. e4 e9 2. Nf3 *

[Event "plain"]

1. e4 {as it   is} e5 ( 1... c5) *

"""
TOLD = ["1: '“Club”]': is", "2: 'O’Kelly]': is", "4: '♘f3': is", "4: 'g3±': is", "8: 'e9': this"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_games_are_written_in_the_words_of_pgn_and_the_rest_stays(encoding: str, tmp_path: Path) -> None:
    source, target = tmp_path / "in.pgn", tmp_path / "out.pgn"
    source.write_bytes(MESSY.encode(encoding))
    before, told = source.read_bytes(), list[str]()
    assert repair_pgn(source, target, on_fault=lambda it: told.append(f"{it.line}: '{it.token}': {it.reason}")) == 4
    assert target.read_text("utf-8") == CLEAN
    assert source.read_bytes() == before
    assert [line.split(" ")[:3] for line in told] == [line.split(" ")[:3] for line in TOLD]
    file = io.BytesIO()
    assert repair_pgn(target, file) == 0
    assert file.getvalue() == target.read_bytes()
    for columns in (["game", "ply", "move", "result", "white_name", "event"], ["nags"]):
        found, expected = (setwise.find("true", it, columns=columns).to_pylist() for it in (source, target))
        assert found == expected


def test_what_is_windows_1252_becomes_utf_8() -> None:
    file = io.BytesIO()
    repair_pgn(['[White "O’Kelly"]\n\n1. e4 {“Best” – €5} *'.encode("cp1252"), b"1. d4 *"], file)
    assert file.getvalue().decode() == '[White "O’Kelly"]\n\n1. e4 {“Best” – €5} *\n\n1. d4 *\n\n'


def test_the_command_sees_what_it_gets(tmp_path: Path) -> None:
    source, target = tmp_path / "in.pgn", tmp_path / "out.pgn"
    source.write_text(MESSY, "utf-8")
    command = (sys.executable, "-m", "setwise", "repair")
    process = run(*command, source, "-o", target)
    assert target.read_text("utf-8") == CLEAN
    assert [line.count("in.pgn, line") for line in process.stderr.splitlines()] == [1, 1, 1, 1, 1, 0]
    assert process.stderr.endswith("4 passages have words that PGN does not have\n")
    assert run(*command, source).stdout == CLEAN
    setwise.scan(target, tmp_path / "scan")
    assert "is whole" in run(*command, tmp_path / "scan").stdout
    assert "in its place" in run(*command, tmp_path / "scan", "-o", target, status=2).stderr
    assert "either folders or files" in run(*command, tmp_path / "scan", source, status=2).stderr
    with pytest.raises(SourceError, match="there is no file"):
        repair_pgn(tmp_path / "none.pgn", io.BytesIO())
    with pytest.raises(OutputError):
        repair_pgn(source, tmp_path / "no" / "out.pgn")


def test_repairs_are_a_column_and_a_list(tmp_path: Path) -> None:
    source = tmp_path / "in.pgn"
    source.write_text(MESSY, "utf-8")
    found = setwise.find("ply = 0", source, columns=["game", "repairs"]).to_pylist()
    assert [(row["game"], row["repairs"] is None) for row in found] == [(1, False), (2, True), (3, True)]
    assert "♘f3 is read as Nf3; " in found[0]["repairs"]
    assert setwise.sql("select count(repairs) n from games", source)["n"].to_pylist() == [1]
    command = (sys.executable, "-m", "setwise", "find", "ply = 0", source, "--count")
    assert "the first 3 are shown" in run(*command).stderr
    listed = run(*command, "--notes").stderr.splitlines()
    assert sum("is read as" in line for line in listed) == 4
