"""What setwise is measured against: programs and libraries that may or may not be here."""

from __future__ import annotations

import functools
import importlib
import json
import logging
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
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


# ------------------------------------------------------------------------------------------------- peers from sources


class Recipe(NamedTuple):
    """How to build a peer: its repository on GitHub, a file that its folder must have, and a command of the shell."""

    repository: str
    needs: str
    command: str

    @property
    def folder(self) -> Path:
        """The folder of the sources, which has the repository's name, in the folder that ``BENCH_PEERS`` names."""
        if not (peers := os.environ.get("BENCH_PEERS")):
            raise Missing(f"BENCH_PEERS does not name a folder with the sources of github.com/{self.repository}")
        folder = Path(peers, self.repository.partition("/")[2]).absolute()
        if not (folder / self.needs).is_file():
            raise Missing(f"{folder / self.needs} is not here; it is a file of github.com/{self.repository}")
        return folder


#: Peers of which we have no package. ``docs/speed.md`` repeats these recipes.
RECIPES = {
    "mindchess": Recipe(
        "vtlmks/mindchess", "main.c",
        "cc -std=gnu99 -O3 -march=x86-64-v3 -mtune=native -flto=auto -fno-inline-functions-called-once -fwrapv "
        "-fno-plt -fno-stack-protector -fno-PIE -no-pie -fcf-protection=none main.c -o {program}",
    ),
    "Gigantua": Recipe(
        "Gigantua/Gigantua", "Gigantua/Movemap.hpp",
        "g++ -std=c++20 -O3 -march=native Gigantua/Gigantua.cpp -o {program}",
    ),
    "chess-library": Recipe(
        "Disservin/chess-library", "benchmarks/pgn_benchmark.cpp",
        "g++ -std=c++17 -O3 -march=native -DNDEBUG benchmarks/pgn_benchmark.cpp -o {program}",
    ),
    "pgn-reader": Recipe(
        "niklasf/shakmaty", "pgn-reader/examples/stats.rs",
        "RUSTFLAGS='-C target-cpu=native' cargo build --release --package pgn-reader --example stats && "
        "cp target/release/examples/stats {program}",
    ),
}  # fmt: skip


@functools.cache
def built(name: str) -> Path:
    """The program of a peer, built once from its sources into the folder ``built`` beside them."""
    recipe = RECIPES[name]
    folder = recipe.folder
    path = folder.parent / "built" / name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        partial = path.with_suffix(".partial")
        command = ["sh", "-c", recipe.command.format(program=shlex.quote(str(partial)))]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            lines = re.findall(r".*\berror: .*", done.stderr) or [f"status {done.returncode}"]
            raise Missing(f"{name} cannot be built: {lines[0].strip()}")
        partial.replace(path)
    return path


def said(command: Sequence[str | Path]) -> str:
    """What a peer prints."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout  # noqa: S603


def mindchess(fen: str, depth: int) -> int:
    """Count leaves with mindchess."""
    return int(re.findall(rf"perft\({depth}\): (\d+)", said([built("mindchess"), "perft", fen, str(depth)]))[0])


def gigantua(fen: str, depth: int) -> int:
    """Count leaves with Gigantua, which counts every smaller depth before: those take it a few hundredths more."""
    return int(re.findall(rf"Perft {depth}: (\d+) ", said([built("Gigantua"), fen, str(depth)]))[0])


def processor_seconds(action: Callable[[], Any]) -> float:
    """The seconds that processors work for an action, here and in the processes that it starts and waits for."""
    try:
        import resource
    except ImportError:
        raise Missing("this system does not count the seconds of processors") from None

    def used() -> float:
        both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(it.ru_utime + it.ru_stime for it in both)

    start = used()
    action()
    return used() - start


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
