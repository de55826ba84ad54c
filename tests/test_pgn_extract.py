"""The page for those who come from pgn-extract: each command runs, and both programs choose the same games."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.programs import needed
from setwise.cli import main

PAGE = (ROOT / "docs" / "pgn_extract.md").read_text("utf-8")
SAME = re.findall(r"^\| `(pgn-extract [^`]+)` \| `(setwise [^`]+)` \|$", PAGE, re.MULTILINE)
ALL = re.findall(r"`(setwise [^`]+)`", PAGE)

#: What the games of the examples lack: notes, a stalemate, an underpromotion.
MORE = b"""
[Event "x"]
[White "Morphy, Paul"]
[Black "NN"]
[Result "1/2-1/2"]
[Annotator "y"]
[ECO "C00"]

1. e3 $1 {first} a5 2. Qh5 Ra6 3. Qxa5 h5 (3... Rxa5 {no}) 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3
8. Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6 1/2-1/2

[Event "z"]
[White "Anderssen, Adolf"]
[Black "Anderssen, Adolf"]
[Result "*"]

1. a4 b5 2. axb5 a6 3. bxa6 Bb7 4. a7 e5 5. axb8=N e4 *
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("page")
    games = FAMOUS_GAMES.read_bytes()
    (place / "games.pgn").write_bytes(games + MORE + games[: len(games) // 3].rpartition(b"[Event")[0])
    (place / "out.pgn").write_bytes(MORE)
    return place


def run(capsysbinary: pytest.CaptureFixture[bytes], command: str) -> tuple[object, bytes, str]:
    with pytest.raises(SystemExit) as leaving:
        main(shlex.split(command)[1:])
    out, err = capsysbinary.readouterr()
    return leaving.value.code, out, err.decode()


def games_in(text: bytes) -> list[tuple[object, ...]]:
    """What both programs have to agree in: players and moves; tags, comments and NAGs where a command is about them."""
    return [
        (game.tags.get("White"), [move.uci() for move in game.moves], dict(game.nags), "Annotator" in game.tags)
        for batch in setwise.read_pgn(text, notes=True)
        for game in batch
    ]


@pytest.mark.parametrize(("theirs", "ours"), SAME)
def test_both_choose_the_same_games(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], theirs: str, ours: str
) -> None:
    monkeypatch.chdir(folder)
    command = [needed("pgn-extract"), "-s", *shlex.split(theirs)[1:]]
    expected = games_in(subprocess.run(command, capture_output=True, check=True).stdout)
    code, out, _ = run(capsysbinary, ours)
    assert code == 0
    assert games_in(out) == expected
    assert expected
    for part, option in ((b"{", "-C"), (b"(", "-V"), (b"$", "-N")):
        assert option not in theirs or part not in out


@pytest.mark.parametrize("command", [it for it in ALL if it not in dict(SAME).values()])
def test_every_command_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], command: str
) -> None:
    monkeypatch.chdir(folder)
    code, _, told = run(capsysbinary, command)
    assert code == 0 or (code == 1 and "no matches" in told) or command.startswith("setwise sql"), told


def test_the_page_has_both_tables() -> None:
    assert len(SAME) >= 15
    assert len(ALL) >= 35
