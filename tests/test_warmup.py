"""Warming up compiles what is lacking, keeps what is there, and can be stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.data import FAMOUS_GAMES
from helpers.web import eventually
from setwise.catalogue.warmup import entries
from setwise.compiler import Pattern
from setwise.compiler.cache import cache_directory

pytestmark = pytest.mark.slow

WARM_THREE = """
from setwise.catalogue import warmup

if __name__ == "__main__":
    every = warmup.entries()
    chosen = "knight.attacks", "king.attacks", "rules.generate.standard"
    warmup.entries = lambda: {name: every[name] for name in chosen}
    done = warmup.warmup(processes=2)
    print(done.compiled, done.kept)
"""


def is_running(group: int) -> bool:
    """Whether any process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def environment(folder: Path) -> dict[str, str]:
    return os.environ | {"SETWISE_CACHE_DIR": str(folder)}


def lacking(folder: Path, *names: str) -> dict[str, str]:
    """An environment whose cache has all code that is at hand here but that of some entries."""
    here = cache_directory()
    assert here is not None
    shutil.copytree(here, folder / here.name, ignore=shutil.ignore_patterns(*(f"{name}.*" for name in names)))
    return environment(folder)


def test_everything_that_compiles_on_its_own_is_found() -> None:
    found = entries()
    assert {
        "knight.attacks",
        "features.pawns.pawn_islands",
        "notation.pgn.reader.parse",
        "rules.generate.nodes",
    } <= found.keys()
    assert sum(isinstance(entry, Pattern) for entry in found.values()) > 100


def test_what_is_there_is_not_compiled_again(tmp_path: Path) -> None:
    script = tmp_path / "warm.py"
    script.write_text(WARM_THREE)
    for expected in ("3 0", "0 3"):
        done = subprocess.run(
            [sys.executable, script],
            env=environment(tmp_path / "cache"),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert (done.stdout.strip(), done.stderr) == (expected, "")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups to interrupt")
def test_an_interrupt_keeps_what_was_done(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "setwise", "warmup"],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not list(tmp_path.rglob("*.nbc")):
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    printed, complained = process.communicate()
    assert (process.returncode, printed) == (130, "")
    assert "interrupted" in complained
    assert "Traceback" not in complained
    assert list(tmp_path.rglob("*.nbc"))
    assert eventually(lambda: not is_running(process.pid)), "a worker is left behind"


def test_another_process_compiles_what_a_search_needs_but_the_reader(tmp_path: Path) -> None:
    code = """
from setwise.corpus.query.finding import compile_search
from setwise.features import FEATURES
from setwise.notation.pgn import reader
condition = "white_pawn_islands > 1 and own_clock < 60 and white_name <> 'x' and next(is_check)"
compile_search(condition, ["ply", "result"], [])
print(FEATURES["pawn_islands"].cached(), reader.replay.cached(), reader.parse.cached())
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=lacking(tmp_path, "features.pawns.pawn_islands", "notation.pgn.reader.*"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("True True False\n", "")


def test_a_first_search_answers_as_a_later_one(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "setwise", "find", "--count", "white_pawn_islands > 2", str(FAMOUS_GAMES)]
    without = lacking(tmp_path, "features.pawns.pawn_islands")
    runs = [subprocess.run(command, env=without, capture_output=True, text=True, check=False) for _ in range(2)]
    assert runs[0].returncode == runs[1].returncode == 0
    assert runs[0].stdout == runs[1].stdout != ""
    assert "compiling" in runs[0].stderr
    assert "compiling" not in runs[1].stderr
