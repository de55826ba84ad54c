"""Ctrl-C and the signal to end, at any moment: one line, the exit code of shells, nothing lost, no traceback."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers.data import FAMOUS_GAMES
from helpers.depth import depth

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no interrupts of this kind on Windows"),
]

GAMES = str(FAMOUS_GAMES)
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
LAST = {signal.SIGINT: "setwise: interrupted", signal.SIGTERM: "setwise: terminated"}

#: The command, interrupted when a module is about to be imported.
AT_AN_IMPORT = """
import os, runpy, signal, sys
name = sys.argv.pop(1)
class Interrupts:
    @staticmethod
    def find_spec(asked, *_):
        if asked == name:
            sys.meta_path.remove(Interrupts)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupts)
runpy.run_module("setwise", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    "module",
    [
        "setwise.bitboard",
        "setwise.cli.app",
        "click",
        "numpy",
        "pyarrow.lib",
        "numba",
        "setwise.corpus.query.search",
        "_duckdb",
    ],
)
def test_an_interrupt_during_imports_is_one_line(module: str) -> None:
    if module == "numba":
        pytest.importorskip(module, reason="Numba is not installed (the extra jit)")
    command = [sys.executable, "-c", AT_AN_IMPORT, module, "find", "next(is_check)", GAMES, "--count"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    said = ran.stderr.removeprefix("setwise: no matches counted before\n")  # a search may have begun
    assert (ran.returncode, ran.stdout, said) == (130, "", "setwise: interrupted\n")


@contextmanager
def running(*arguments: str, terminal: bool, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command that reads from a pipe that stays open, and says what it says in a pipe or on a terminal."""
    ours, its = os.openpty() if terminal else os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "setwise", *arguments], stdin=subprocess.PIPE, stdout=its, stderr=its,
        env=os.environ | environment, start_new_session=True,
    ) as process:  # fmt: skip
        os.close(its)
        process.said = []
        reading = threading.Thread(target=_read, args=(ours, process.said))
        reading.start()  # a terminal that nobody reads stops what writes to it
        process.reading = reading
        try:
            yield process
        finally:
            process.kill()
            reading.join(60)
            os.close(ours)


def _read(end: int, said: list[bytes]) -> None:
    with contextlib.suppress(OSError):  # how the end of a terminal is told
        while chunk := os.read(end, 1 << 16):
            said.append(chunk)


def ended(process: subprocess.Popen[bytes], by: int, *, whole_group: bool = True) -> list[str]:
    """The lines that a process leaves behind when it gets a signal, while standard input stays open."""
    (os.killpg if whole_group else os.kill)(process.pid, by)
    assert process.wait(60) == CODES[by]
    process.reading.join(60)
    text = b"".join(process.said).decode().replace("\r\n", "\n")
    text = re.sub(r"\r\x1b\[K(setwise: [^\n]*(?=\r\x1b\[K))?", "", text)
    assert "Traceback" not in text
    assert "Exception" not in text
    return text.splitlines()


LONG = {
    "find": ["find", "is_check", "-", "-o", "{new}.csv"],
    "count": ["find", "is_check", "-", "--count"],
    "sql": ["sql", "select count(*) from positions", "-"],
    "twice": ["sql", "select count(*) from positions join games using (game)", "-"],
    "scan": ["scan", "-", "-o", "{new}"],
    "dedupe": ["dedupe", "-", "-o", "{new}.pgn"],
    "sort": ["sort", "-", "--by", "date", "-o", "{new}.pgn"],
}


#: By night each in a pipe and on a terminal, by either signal; before that each in one way, and find in all four.
WAYS = [
    (name, terminal, by)
    for at, name in enumerate(LONG)
    for terminal in (False, True)
    for by in CODES
    if name == "find" or depth((at % 2, at // 2 % 2) == (terminal, by == signal.SIGINT), night=True)
]


@pytest.mark.parametrize(("name", "terminal", "by"), WAYS)
def test_what_reads_from_an_open_pipe_hears_an_interrupt(tmp_path: Path, name: str, terminal: bool, by: int) -> None:
    arguments = [it.format(new=tmp_path / "new") for it in LONG[name]]
    with running(*arguments, terminal=terminal) as process:
        text = FAMOUS_GAMES.read_bytes()
        for _ in range(3000 if name in {"find", "count"} else 40):  # until what is read next comes slowly
            process.stdin.write(text)
        process.stdin.flush()
        lines = ended(process, by)
    assert lines[-1] == LAST[by]
    kept = sorted(path.name for path in tmp_path.iterdir())
    if name == "find":
        found = (tmp_path / "new.csv.part").read_text().splitlines()[1:]
        assert kept == ["new.csv.part"]
        assert any(f"setwise: {len(found):,} matches in " in line and "new.csv.part" in line for line in lines)
    elif name == "count":
        assert any("counted before" in line for line in lines)
    elif name == "scan":
        assert any("the same command continues the scan" in line for line in lines)
    else:
        assert kept == []


HALF_MADE = """
from setwise.cli import app
class Half:
    def __del__(self): self.what_its_constructor_sets
try: app._interrupt()
except KeyboardInterrupt: app.signal.setitimer(app.signal.ITIMER_REAL, 0)
Half()
print("done")
"""


def test_what_an_interrupt_leaves_half_made_is_not_printed() -> None:
    ran = subprocess.run([sys.executable, "-c", HALF_MADE], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("done\n", "")


@pytest.mark.parametrize(
    "statement", [["find", "is_check"], ["sql", "select count(*) from positions where is_check"]][: depth(1, 2)]
)
def test_a_first_compilation_hears_an_interrupt(tmp_path: Path, statement: list[str]) -> None:
    with running(*statement, GAMES, terminal=False, SETWISE_CACHE_DIR=str(tmp_path)) as process:
        while b"compiling" not in b"".join(process.said):
            assert process.poll() is None
            time.sleep(0.01)
        assert ended(process, signal.SIGINT)[-1] == "setwise: interrupted"
