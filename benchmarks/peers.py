"""What setwise is measured against: programs and libraries that may or may not be here."""

from __future__ import annotations

import functools
import importlib
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from harness import Missing

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # one place decides for tests and benchmarks
from helpers import programs


def program(name: str) -> str:
    """The path of a program that works."""
    try:
        return programs.program(name)
    except programs.MissingProgram as error:
        raise Missing(str(error)) from None


def library(name: str, distribution: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Missing(f"{distribution} is not installed (pip install {distribution})") from None


def python_chess() -> Any:
    """The module ``chess``, with ``chess.pgn``."""
    library("chess.pgn", "chess").LOGGER.setLevel(logging.CRITICAL)
    return library("chess", "chess")


class Stockfish:
    """A running Stockfish, so that its start is not part of what is timed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        names = [line for line in self.ask("uci", until="uciok") if line.startswith("id name ")]
        self.name = names[0].removeprefix("id name ")

    def ask(self, command: str, until: str) -> list[str]:
        """Send a command; the lines of the answer up to the one that begins with ``until``."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if line.startswith(until):
                return lines
        raise Missing(f"Stockfish ended instead of answering {command!r}")

    def perft(self, depth: int) -> int:
        """Count the leaves below the position that was set up."""
        return int(self.ask(f"go perft {depth}", until="Nodes searched")[-1].split()[-1])


@contextmanager
def stockfish() -> Iterator[Stockfish]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([program("stockfish")], **pipes)  # noqa: S603
    with process:
        try:
            yield Stockfish(process)
        finally:
            process.kill()


class Counted(NamedTuple):
    """Leaves, and the seconds that a program says it took for them."""

    leaves: int
    seconds: float


def gigantua(fen: str, depth: int) -> Counted:
    """Count with Gigantua (github.com/Gigantua/Gigantua), which has to be built by hand; it times itself."""
    if not (path := os.environ.get("GIGANTUA")):
        raise Missing("GIGANTUA does not name the program of github.com/Gigantua/Gigantua")
    command = [path, fen, str(depth)]
    output = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout  # noqa: S603
    found = re.search(rf"Perft {depth}: (\d+) .*?([\d.]+) MNodes/s", output)
    if found is None:
        raise Missing(f"{path} prints no line of perft {depth} that Gigantua prints")
    return Counted(int(found[1]), int(found[1]) / float(found[2]) / 1e6)


# ------------------------------------------------------------------------------------------- setwise as a whole process

# A process inherits the peak of whoever starts it, so a small one starts it and tells what it took.
_LAUNCHER = """
import json, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
try:
    import resource
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
except ImportError:  # Windows
    peak = 0
print(json.dumps([done.returncode, done.stdout, done.stderr, peak / 1e6]))
"""


class Finished(NamedTuple):
    """What it printed, and the memory that it held at most, where the system tells."""

    output: str
    peak_megabytes: float


def run_setwise(*arguments: str | Path) -> Finished:
    """Run the command ``setwise`` from start to end, as a shell would."""
    command = [sys.executable, "-I", "-S", "-c", _LAUNCHER, sys.executable, "-m", "setwise", *map(str, arguments)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout  # noqa: S603
    status, output, errors, peak = json.loads(answer)
    if status:
        raise RuntimeError(f"setwise {' '.join(map(str, arguments))} ended with status {status}:\n{errors}")
    return Finished(output, peak)


@functools.cache
def threads() -> int:
    """Two, where there are two processors."""
    return min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
