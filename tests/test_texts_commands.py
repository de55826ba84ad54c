"""The commands on texts of games: what they write, say and refuse."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import setwise
from helpers.data import DATA, FAMOUS_GAMES
from helpers.game_texts import GAMES, merged, texts_in
from setwise.cli import main
from setwise.corpus.pgnfiles.duplicates import LISTED
from setwise.errors import OutputError, SourceError
from setwise.system.files import written


@pytest.fixture
def run(capsysbinary):
    def running(*arguments: object) -> tuple[object, bytes, str]:
        with pytest.raises(SystemExit) as leaving:
            main([str(it) for it in arguments])
        out, err = capsysbinary.readouterr()
        return leaving.value.code, out, err.decode()

    return running


def test_dedupe_writes_and_tells(run, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    code, printed, told = run("dedupe", FAMOUS_GAMES, FAMOUS_GAMES, "-o", out)
    assert (code, printed) == (0, b"")
    assert out.read_bytes().rstrip() == GAMES.rstrip()
    assert re.search(r"82 games read, 41 kept, 41 duplicates left out, written to .*out\.pgn, in \d", told)
    assert run("dedupe", FAMOUS_GAMES, FAMOUS_GAMES)[:2] == (0, out.read_bytes())


def test_dedupe_lists(run, tmp_path: Path) -> None:
    code, out, told = run("dedupe", FAMOUS_GAMES, FAMOUS_GAMES, "--list", "--format", "csv")
    head, *rows = out.decode().splitlines()
    assert code == 0
    assert head.split(",") == [f'"{name}"' for name in LISTED.names]
    assert len(rows) == 41
    assert "41 duplicates" in told
    assert run("dedupe", FAMOUS_GAMES, "--list", "-o", tmp_path / "x.csv")[0] == 1
    assert (tmp_path / "x.csv").read_text().count("\n") == 1


def test_sort_split_and_merge_write(run, tmp_path: Path) -> None:
    code, out, told = run("sort", FAMOUS_GAMES, "--by", "date desc, white_name")
    dates = re.findall(rb'\[Date "(.*?)"', out)
    assert (code, dates) == (0, sorted(dates, reverse=True))
    assert "41 games read and sorted, in" in told
    code, _, told = run("split", FAMOUS_GAMES, "--every", 10, "-o", tmp_path / "parts")
    assert code == 0
    assert "split into 5 files" in told
    assert run("merge", tmp_path / "parts", "-o", tmp_path / "one.pgn")[0] == 0
    assert (tmp_path / "one.pgn").read_bytes().rstrip() == GAMES.rstrip()


def test_broken_games_are_kept_and_told(run, tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text('[Event "x"]\n\n1. e4 e5 2. Ke3 *\n\n[Event "y"]\n\n1. d4 *\n')
    code, out, told = run("merge", path)
    assert (code, out.rstrip()) == (0, path.read_bytes().rstrip())
    assert "Ke3" in told
    assert "1 break off and are kept as they are" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ("dedupe", FAMOUS_GAMES, "--by", ""), ("dedupe", FAMOUS_GAMES, "--by", ","),
        ("dedupe", FAMOUS_GAMES, "--list", "--by", ""), ("dedupe", FAMOUS_GAMES, "--list", "--without", "comments"),
        ("dedupe", FAMOUS_GAMES, "--list", "--without", "nonsense"),
        ("dedupe", FAMOUS_GAMES, "--keep", "best"), ("dedupe", FAMOUS_GAMES, "--format", "csv"), ("sort", FAMOUS_GAMES),
        ("sort", FAMOUS_GAMES, "--by", "elo"), ("split", FAMOUS_GAMES, "-o", "x"), ("split", FAMOUS_GAMES),
        ("merge", FAMOUS_GAMES, "--without", "moves"), ("find", "ply = 0", FAMOUS_GAMES, "--without", "moves"),
    ],
)  # fmt: skip
def test_wrong_options_get_one_sentence(run, arguments: tuple[object, ...]) -> None:
    code, out, told = run(*arguments)
    assert (code, out) == (2, b"")
    assert len(told.splitlines()) == 1


def test_find_copies_games_as_they_are(run, tmp_path: Path) -> None:
    out = tmp_path / "x.pgn"
    assert run("find", "true", FAMOUS_GAMES, "--without", "marks", "-o", out)[0] == 0
    assert out.read_bytes() == merged(GAMES)
    assert run("find", "true", FAMOUS_GAMES, "--without", "comments,nags", "-o", out)[0] == 0
    assert out.read_bytes() == merged(GAMES, without=["comments", "nags"])
    assert run("find", "ply = 60", DATA / "latin1.pgn", FAMOUS_GAMES, "--without", "marks", "-o", out)[0] == 0
    assert {bytes(it) for it in texts_in(out.read_bytes())} < set(texts_in(GAMES))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no interrupts on Windows")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_leaves_nothing_half(tmp_path: Path, number: int) -> None:
    out = tmp_path / "out.pgn"
    out.write_bytes(b"older")
    command = [sys.executable, "-m", "setwise", "merge", "-", "-o", str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(GAMES * 2000)  # and no end
        while not (tmp_path / "out.pgn.part").exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode in {130, 143}
    assert out.read_bytes() == b"older"
    assert [path.name for path in tmp_path.iterdir()] == ["out.pgn"]


def test_find_writes_no_file_of_the_folder_that_it_searches(run, tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_bytes(GAMES)
    (tmp_path / "b.pgn").write_bytes(GAMES)
    out = tmp_path / "found.pgn"
    assert run("find", "ply = 0", tmp_path, "-o", out)[0] == 0
    held = out.read_bytes()
    code, _, told = run("find", "ply = 0", tmp_path, "-o", out)
    assert (code, out.read_bytes()) == (2, held)
    assert "found.pgn is a source, and would be written at the same time: name another output" in told
    assert run("find", "ply = 0", out, "-o", out)[0] == 2
    assert out.read_bytes() == held


@pytest.mark.parametrize("is_there", [False, True])
def test_a_folder_of_a_split_that_was_killed_is_refused_and_removed_by_the_next(is_there: bool, tmp_path: Path) -> None:
    source, place = tmp_path / "source.pgn", tmp_path / "parts" / "out"
    source.write_bytes(GAMES)
    program = (
        "import os, sys, setwise; from pathlib import Path; from setwise.corpus.pgnfiles import texts\n"
        "def killing(*names): os.kill(os.getpid(), 9)\n"
        "Path.rename = killing\n"
        "setwise.split(sys.argv[1], sys.argv[2], every=20)\n"
    )
    (place if is_there else place.parent).mkdir(parents=True)
    subprocess.run([sys.executable, "-c", program, source, place], check=False)
    left = place / "games.part" if is_there else place.with_name("out.part")
    assert len(list(left.glob("*.pgn"))) == 3
    for folder in {place.parent, left.parent, left}:
        with pytest.raises(SourceError, match=r"is unfinished: a command writes the files in .*part, or was killed"):
            setwise.find("ply = 0", folder)
    if is_there:
        with pytest.raises(OutputError, match="is there already; name a folder that is new or empty"):
            setwise.split(source, place, every=20)
    else:
        with pytest.warns(UserWarning, match=r"out\.part was left by a run that was killed, and is removed"):
            assert setwise.split(source, place, every=20) == (41, 3)
        assert [it.name for it in place.parent.iterdir()] == ["out"]
        assert setwise.find("ply = 0", place.parent).num_rows == 41


def test_what_killed_processes_have_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "x.pgn"
    program = (
        "import os, sys; from setwise.system.files import PartFile; from pathlib import Path; "
        "kept = [PartFile(Path(sys.argv[1])) for _ in range(2)]; os.kill(os.getpid(), 9)"
    )
    (tmp_path / "x.pgn.part").write_text("of a browser")
    with written(place) as living:
        subprocess.run([sys.executable, "-c", program, place], check=False)
        names = {"x.pgn.part", "x.pgn~2.part", "x.pgn~3.part", "x.pgn~4.part"}
        assert {it.name for it in tmp_path.glob("*.part")} == names
        with pytest.warns(UserWarning, match=r"x\.pgn~[34]\.part was left by a run that was killed, and is removed"):
            setwise.merge(b"1. e4 *", place)
        assert {it.name for it in tmp_path.iterdir()} == {"x.pgn", "x.pgn.part", "x.pgn~2.part", ".x.pgn~2.part.lock"}
        assert living.write(b"1. d4 *") == 7
    assert place.read_bytes() == b"1. d4 *"
    assert {it.name for it in tmp_path.iterdir()} == {"x.pgn", "x.pgn.part"}


def test_a_file_that_another_process_completes_meanwhile_was_not_left(tmp_path: Path) -> None:
    """The other process has given the file its name, and not yet removed the lock."""
    (tmp_path / ".x.pgn.part.lock").touch()
    with warnings.catch_warnings(action="error"):
        setwise.merge(b"1. e4 *", tmp_path / "x.pgn")
    assert [it.name for it in tmp_path.iterdir()] == ["x.pgn"]
