"""After any fault while a command writes, every question is answered rightly or refused, and the command can go on.

The faults: the process is killed at one of its calls, the disk is full or broken at one of its calls, and the power
fails, so that bytes that were not synced are gone or zero, and names that were not synced are gone. By day a few
faults of one command are tried, before a change lands a few of one kind of each command, by night many of all.
"""

from __future__ import annotations

import re
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import setwise
from helpers.data import ROOT
from helpers.depth import depth
from helpers.faults import Call, CannotTrace, Ended, Runner, disks, lay
from helpers.programs import needed
from setwise.errors import SetwiseError, SourceError
from setwise.tablebases.files import table
from setwise.tablebases.solving import MATERIALS

#: How many faults of each kind are tried for each command.
SOME = depth(2, 100)
#: Kinds of faults: kills, calls that fail, losses of power.
KINDS = 3
#: The commands that are tried by day; the others are slow.
BY_DAY = ("scan grown",)
#: A sentence about an error; more lines name other sources.
SENTENCE = re.compile(r"^(setwise|Warning|Error|Usage|Try|warning)\b", re.MULTILINE)
#: The answer of a question that is refused by name.
REFUSED = object()


class Job(NamedTuple):
    """A command that writes: what runs before it, its arguments, its output, and the questions about the output."""

    before: list[list[str]]
    arguments: list[str]
    output: str
    questions: list[Callable[[Path], Any]]


def _find(where: str, **options: Any) -> Callable[[Path], Any]:
    return lambda place: setwise.find(where, str(place), **options).to_pylist()


def _sql(statement: str) -> Callable[[Path], Any]:
    return lambda place: setwise.sql(statement, str(place)).to_pylist()


KEY = "key = position_key('rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2')"
STORE = [
    _find("halfmove_clock = 0 and ply > 20", columns=["source", "game", "ply"]),
    _find("is_check", columns=["source", "game", "ply", "fen", "san"]),
    _find("white_pinned <> 0", columns=["source", "game", "ply", "white_pinned"]),
    _find("white_name like '%a%'", columns=["game", "ply"], per_game=2),
    _find("ply = 10", columns=["white_name", "black_name", "year", "result", "eco"]),
    _find(KEY),
    _find(KEY, columns=["game", "ply", "san"]),
    _find("material_key in ('KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP')", columns=["game", "ply"]),
    _find("san = 'e4'", columns=["game", "ply", "move"]),
    _find("ply > 60 or halfmove_clock > 10", columns=["game", "ply", "halfmove_clock"]),
    _find("is_check", columns=["game", "ply", "eco"], order_by="ply desc, game"),
    _find("lag(san) over (partition by game order by ply) = 'e4'", columns=["game", "ply"]),
    _find("true", columns=["game", "ply", "key"]),
    _sql("select count(*), sum(ply), min(game), max(halfmove_clock) from positions"),
    _sql("select source, count(*) from positions group by 1 order by 1"),
    _sql("select count(*), count(distinct white_name) from games"),
    _sql("select result, count(*) from games group by 1 order by 1"),
    _sql("select san, count(*) from positions where ply < 4 group by 1 order by 2 desc, 1"),
    lambda place: setwise.tree(setwise.Position(), str(place)).to_pylist(),
    lambda place: setwise.tree("e4 e5", str(place)).to_pylist(),
][:: depth(2, 1)]  # fmt: skip
GAMES = [
    lambda place: place.read_bytes() if place.is_file() else _absent(place),
    _find("true", columns=["game", "ply", "key", "white_name", "comment"]),
    _sql("select count(*), count(distinct white_name) from games"),
]
BYTES = GAMES[:1]
FOLDER = [
    _find("ply >= 0", columns=["source", "game", "ply", "key"]),
    _sql("select source, count(*) from games group by 1 order by 1"),
    lambda place: {it.name: it.read_bytes() for it in sorted(place.iterdir())} if place.is_dir() else _absent(place),
]
TABLES = [lambda place: table(place, MATERIALS["KQK"]).tobytes()]


def _absent(place: Path) -> Any:
    raise SourceError(f"there is no {place}")


ABC = ["a.pgn", "b.pgn", "c.pgn"]
ONE = ["--threads", "1"]
JOBS = {
    "scan": Job([], ["scan", *ABC, "-o", "out", *ONE], "out", STORE),
    "scan with features": Job([], ["scan", "a.pgn", "-o", "out", "--features", "pinned", *ONE], "out", STORE),
    "scan grown": Job([["scan", "a.pgn", "-o", "out", *ONE]], ["scan", *ABC, "-o", "out", *ONE], "out", STORE),
    "scan into one file": Job([], ["scan", *ABC, "-o", "out.parquet", *ONE], "out.parquet", STORE),
    "index": Job([], ["index", *ABC, "-o", "out", *ONE], "out", STORE),
    "index grown": Job([["index", "a.pgn", "-o", "out", *ONE]], ["index", *ABC, "-o", "out", *ONE], "out", STORE),
    "index with features": Job(
        [["index", *ABC, "-o", "out", *ONE]], ["index", *ABC, "-o", "out", "--features", "pinned", *ONE], "out", STORE
    ),
    "scan and index": Job([], ["scan", *ABC, "--index", "-o", "out", *ONE], "out", STORE),
    "scan of an index": Job([["index", *ABC, "-o", "out", *ONE]], ["scan", "-o", "out", *ONE], "out", STORE),
    "index of a scan": Job([["scan", *ABC, "-o", "out", *ONE]], ["index", *ABC, "-o", "out", *ONE], "out", STORE),
    "scan begun anew": Job(
        [["scan", *ABC, "--index", "-o", "out", *ONE]], ["scan", *ABC, "-o", "out", "--force", *ONE], "out", STORE
    ),
    "pack": Job([], ["pack", *ABC, "-o", "out.parquet", *ONE], "out.parquet", GAMES),
    "unpack": Job([["pack", *ABC, "-o", "p.parquet"]], ["unpack", "p.parquet", "-o", "out.pgn"], "out.pgn", GAMES),
    "sort": Job([], ["sort", *ABC, "--by", "white_name", "-o", "out.pgn"], "out.pgn", GAMES),
    "dedupe": Job([], ["dedupe", *ABC, "a.pgn", "-o", "out.pgn"], "out.pgn", GAMES),
    "merge": Job([], ["merge", *ABC, "-o", "out.pgn"], "out.pgn", GAMES),
    "split": Job([], ["split", *ABC, "--every", "2", "-o", "out"], "out", FOLDER),
    "export of rows": Job([], ["find", "is_check", *ABC, "-o", "out.parquet", *ONE], "out.parquet", BYTES),
    "export of lines": Job(
        [["find", "ply = 1", *ABC, "-o", "out.csv", *ONE]], ["find", "is_check", *ABC, "-o", "out.csv", *ONE],
        "out.csv", BYTES,
    ),
    "export of games": Job([], ["find", "is_check", *ABC, "-o", "out.pgn", *ONE], "out.pgn", GAMES),
    "tables of endings": Job([], ["tablebase", "build", "KQK", "--folder", "out", *ONE], "out", TABLES),
}  # fmt: skip


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    folder = tmp_path_factory.mktemp("faults")
    with Runner(needed("strace"), folder) as runner:
        try:
            runner.run(["--version"], folder, "-e", "trace=write")
        except CannotTrace as error:
            pytest.skip(str(error))
        yield runner


def jobs(kind: int) -> Any:
    """The commands for a kind of fault: by night and of ``BY_DAY`` all, else one kind each, in turn."""
    chosen = [it for at, it in enumerate(JOBS) if it in BY_DAY or depth(at % KINDS == kind, night=True)]
    params = [it if it in BY_DAY else pytest.param(it, marks=pytest.mark.slow) for it in chosen]
    return pytest.mark.parametrize("trials", params, indirect=True)


@pytest.fixture(scope="module")
def trials(request: pytest.FixtureRequest, runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Trials:
    return Trials(JOBS[request.param], runner, tmp_path_factory.mktemp("job"))


class Trials:
    """A command, the calls that it makes, and what may be answered after a fault."""

    def __init__(self, job: Job, runner: Runner, folder: Path) -> None:
        self.job, self.runner = job, runner
        self.ready, self.folder = folder / "ready", folder / "work"
        self.ready.mkdir()
        games = (ROOT / "examples" / "famous_games.pgn").read_text("utf-8").split("\n\n[Event ")
        for number, name in enumerate(ABC):
            own = games[3 * number : 3 * number + 3]
            text = "\n\n".join(it if it.startswith("[Event ") else f"[Event {it}" for it in own)
            (self.ready / name).write_text(f"{text.strip()}\n", "utf-8")
        self.begin_at(self.ready)
        for arguments in job.before:
            ended = runner.run(arguments, self.folder)
            assert ended.status == 0, ended.said
        shutil.rmtree(self.ready)
        self.folder.rename(self.ready)
        self.begin()
        self.former = self.answers()
        self.calls = runner.calls(job.arguments, self.folder)
        self.whole = self.answers()
        assert not any(it is REFUSED for it in self.whole), self.refusal
        assert self.calls

    def begin_at(self, state: Path) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(state, self.folder)

    def begin(self) -> None:
        self.begin_at(self.ready)

    def run_with(self, what: str, at: tuple[str, str, int], on: str = "") -> Ended:
        """Run the command with an injected fault at a call, or with ``+`` at all of these calls from it on."""
        name, path, number = at
        return self.runner.run(
            self.job.arguments,
            self.folder,
            "-P",
            path,
            "-e",
            f"trace={name}",
            "-e",
            f"inject={name}:{what}:when={number}{on}",
        )

    def said(self, at: tuple[str, str, int]) -> str:
        name, path, number = at
        return f"{name} {number} of {Path(path).relative_to(self.folder)}"

    def answers(self) -> list[Any]:
        """The answers of all questions; ``REFUSED`` where a sentence says why there is none."""
        answers = []
        for question in self.job.questions:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    answers.append(question(self.folder / self.job.output))
            except SetwiseError as error:
                self.refusal = str(error)
                answers.append(REFUSED)
        return answers

    def check(self, fault: str, *, is_done: bool = False) -> None:
        """Check the answers after a fault: right, or refused; if the command said that it was done, right."""
        for number, (now, former, whole) in enumerate(zip(self.answers(), self.former, self.whole, strict=True)):
            if now is not REFUSED:
                assert now in (former, whole), f"{fault}: question {number} has another answer: {now!r:.300}"
            assert not is_done or now == whole, f"{fault}: question {number}, though the command ended well"

    def check_goes_on(self, fault: str, *, may_keep: bool = False) -> None:
        """Check that the same command completes the work; only after a reported error, ``NAME.part`` may stay."""
        ended = self.runner.run(self.job.arguments, self.folder)
        if ended.status and "--force" in ended.said:
            ended = self.runner.run([*self.job.arguments, "--force"], self.folder)
        assert self.answers() == self.whole, f"{fault}, then: {ended.said}"
        assert ended.status == 0 or "is there already" in ended.said, f"{fault}, then: {ended.said}"
        left = [it.name for it in self.folder.rglob("*") if it.name.endswith((".part", ".unfinished"))]
        assert may_keep or not left, f"{fault}: {left}"


def places(calls: list[Call], folder: Path) -> list[tuple[str, str, int]]:
    """Return each call by its name, its path, and its number among the calls with this name and path."""
    counts = Counter[tuple[str, str]]()
    numbered = []
    for call in calls:
        path = next(it for it in call.paths if it.startswith(str(folder)))
        counts[call.name, path] += 1
        numbered.append((call.name, path, counts[call.name, path]))
    return numbered


def some(things: list[Any], seed: int) -> list[Any]:
    """Return some of the things, in order; by night most."""
    chosen = np.random.default_rng(seed).permutation(len(things))[:SOME]
    return [things[number] for number in sorted(chosen)]


def each(trials: Trials, faults: list[Any], seed: int, fail: Callable[[Any], tuple[str, Ended | None]]) -> None:
    """Try some faults: each begins anew; ``fail`` says what it did, and how the command ended if that was reported."""
    wrong = []
    for fault in some(faults, seed):
        trials.begin()
        name, ended = fail(fault)
        try:
            if ended is not None:
                assert "Traceback" not in ended.said, f"{name}: {ended.said}"
                assert ended.status == 0 or SENTENCE.search(ended.said), f"{name}: {ended}"
            trials.check(name, is_done=ended is not None and ended.status == 0)
            trials.check_goes_on(name, may_keep=ended is not None and ended.status > 0)
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


@jobs(0)
def test_a_command_that_is_killed_leaves_right_answers(trials: Trials) -> None:
    def kill(at: tuple[str, str, int]) -> tuple[str, None]:
        trials.run_with("signal=KILL", at)
        return f"killed at {trials.said(at)}", None

    each(trials, places(trials.calls, trials.folder), 1, kill)


@jobs(1)
def test_a_call_that_fails_is_reported_and_leaves_right_answers(trials: Trials) -> None:
    def fail(way: tuple[tuple[str, str, int], str, str]) -> tuple[str, Ended]:
        at, error, on = way
        return f"{error} at {trials.said(at)}{on}", trials.run_with(f"error={error}", at, on)

    each(trials, list(product(places(trials.calls, trials.folder), ("ENOSPC", "EIO"), ("", "+"))), 2, fail)


@jobs(2)
def test_a_loss_of_power_leaves_right_answers(trials: Trials) -> None:
    def lose(state: tuple[str, dict[str, bytes | None]]) -> tuple[str, None]:
        lay(trials.folder, state[1])
        return state[0], None

    trials.begin()
    each(trials, list(disks(trials.folder, trials.calls)), 3, lose)
