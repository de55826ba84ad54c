"""What a process may have: the processors of its container, and no others; address space; an end when it is told."""

from __future__ import annotations

import contextlib
import copy
import errno
import gc
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.processes import python
from setwise.compiler.definitions import Entry
from setwise.errors import SetwiseError
from setwise.features import FEATURES
from setwise.position.compiled import read_position
from setwise.system import processes

MINE = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("200000 100000\n", 2),
        ("250000 100000\n", 2),
        ("50000 100000\n", 1),
        ("6400000 100000\n", 16),
        ("max 100000\n", 16),
        ("", 16),
        ("nonsense", 16),
        ("1 0", 16),
        (None, 16),
    ],
)
def test_a_container_has_no_more_processors_than_its_share_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str | None, expected: int
) -> None:
    share = tmp_path / "cpu.max"
    if told is not None:
        share.write_text(told, "ascii")
    monkeypatch.setattr(processes, "_SHARE", share)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(16)), raising=False)
    assert processes.processors() == expected


def test_nobody_has_more_processors_than_there_are() -> None:
    assert 1 <= processes.processors() <= MINE


# ------------------------------------------------------------------------------------------------------- address space

LIMITED = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone counts address space as it is measured here")
MB = 10**6
#: The command with a limit of address space, as ``ulimit -v`` sets it.
IN_LITTLE_SPACE = """
import resource, runpy, sys
most = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_AS, (most, most))
runpy.run_module("setwise", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def twenty_megabytes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "games.pgn"
    text = FAMOUS_GAMES.read_bytes()
    path.write_bytes(text * (20 * MB // len(text) + 1))
    return path


def within(space: int, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", IN_LITTLE_SPACE, str(space), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


@pytest.mark.slow
@LIMITED
@pytest.mark.parametrize(("space", "threads"), [(1500 * MB, []), (1000 * MB, ["--threads", "2"])])
def test_a_gigabyte_of_address_space_is_enough(
    twenty_megabytes: Path, tmp_path: Path, space: int, threads: list[str]
) -> None:
    copies = twenty_megabytes.stat().st_size // FAMOUS_GAMES.stat().st_size
    games = FAMOUS_GAMES.read_text().count("[Event ") * copies
    ran = within(space, "find", "ply = 0 and not is_check", twenty_megabytes, "--count", *threads)
    assert (ran.returncode, ran.stdout) == (0, f"{games}\n"), ran.stderr
    joined = "select count(*) n from positions join games using (source, game) where ply = 1"
    ran = within(space, "sql", joined, twenty_megabytes, "--format", "csv", *threads)
    assert (ran.returncode, ran.stdout) == (0, f'"n"\n{games}\n'), ran.stderr
    if space < 1500 * MB:
        ran = within(space, "scan", twenty_megabytes, "-o", tmp_path / "scan", "--features", "pawn_islands", *threads)
        assert ran.returncode == 0, ran.stderr
        assert f" of {games:,} games in " in ran.stderr


@pytest.mark.slow
@LIMITED
def test_too_little_address_space_is_said_in_a_sentence_and_enough_is_answered() -> None:
    checks = setwise.find("is_check", FAMOUS_GAMES).num_rows
    asked = {
        ("find", "is_check", "--count"): f"{checks}\n",
        ("sql", "select count(*) n from positions join games using (game)", "--format=csv"): '"n"\n2512\n',
    }
    refused = set[tuple[int, str]]()
    for space in (200, 300, 450, 1500):
        for arguments, answer in asked.items():
            ran = within(space * MB, *arguments, FAMOUS_GAMES)
            if ran.returncode == 0:
                assert ran.stdout == answer
                continue
            assert ran.returncode == 2, ran.stderr
            [line] = [line for line in ran.stderr.splitlines() if "compiling" not in line]
            assert line.startswith("setwise: there is not enough memory: this process may have")
            assert "ulimit -v" in line
            refused.add((space, arguments[0]))
    assert refused >= {(200, "find"), (200, "sql")}
    assert not {(1500, "find"), (1500, "sql")} & refused


def no_memory_anywhere() -> dict[str, Exception]:
    """What the libraries say that get no memory."""
    import duckdb
    import pyarrow as pa

    return {
        "Python": MemoryError(),
        "the system": OSError(errno.ENOMEM, "Cannot allocate memory"),
        "a thread": RuntimeError("can't start new thread"),
        "a library": ImportError("libx.so: failed to map segment from shared object"),
        "Arrow": pa.ArrowMemoryError("malloc of size 64 failed"),
        "DuckDB": duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block"),
    }


@pytest.mark.parametrize("what", ["Python", "the system", "a thread", "a library", "Arrow", "DuckDB"])
def test_whatever_runs_out_of_memory_says_so(what: str, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    from setwise.cli import main
    from setwise.corpus.query import search

    def fails(*_: object, **__: object) -> None:
        raise no_memory_anywhere()[what]

    assert setwise.find  # its module is imported now, so that it keeps the function that is replaced
    monkeypatch.setattr(search, "planned", fails)
    with pytest.raises(SystemExit) as leaving:
        main(["find", "is_check", str(FAMOUS_GAMES)])
    assert leaving.value.code == 2
    assert capsys.readouterr().err == "setwise: there is not enough memory: --threads 1 takes least\n"


def test_a_condition_is_not_blamed_for_missing_memory() -> None:
    import duckdb

    from setwise.corpus.language.condition import reason

    for told in ("Out of Memory Error: Allocation failure", "std::bad_alloc", "Failed to allocate"):
        with pytest.raises(MemoryError):
            reason(duckdb.Error(told))


def test_work_that_is_interruptible_gives_its_answer_and_its_error() -> None:
    names = []
    assert processes.interruptible(lambda: names.append(threading.current_thread()) or 7, lambda: None) == 7
    assert names != [threading.main_thread()]
    with pytest.raises(ZeroDivisionError):
        processes.interruptible(lambda: 1 // 0, lambda: None)


#: Threads have searched and still wait when the process forks, as Spark and multiprocessing do.
FORK_BESIDE_THREADS = """
import os, sys, threading
import setwise

searched, forked = threading.Barrier(3, timeout=60), threading.Event()

def search():
    list(setwise.find("result like '%1%' and ply = 10", sys.argv[1]))
    searched.wait()
    forked.wait(60)

threads = [threading.Thread(target=search) for _ in range(2)]
for thread in threads:
    thread.start()
searched.wait()
child = os.fork()
if child == 0:
    os._exit(len(list(setwise.find("ply = 10", sys.argv[1]))))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
forked.set()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_process_can_fork_beside_threads_that_have_searched() -> None:
    assert python("-c", FORK_BESIDE_THREADS, FAMOUS_GAMES) == "7\n"  # a match in each game


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("is_searching", [True, False])
def test_a_process_forked_during_a_search_refuses_to_search_instead_of_waiting_for_ever(is_searching: bool) -> None:
    def ask() -> bytes:
        try:
            return b"%d" % setwise.find("is_checkmate", FAMOUS_GAMES, columns=["ply"]).num_rows
        except SetwiseError as error:
            return str(error).encode()

    found = ask()
    gc.collect()  # a search that an earlier test has begun and left ends with its generator
    begun = processes.at_work() if is_searching else contextlib.nullcontext()
    reading, writing = os.pipe()
    with begun:
        child = os.fork()
        if not child:
            os.write(writing, ask())
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read()
    assert said.startswith(b"this process was forked while its parent searched") if is_searching else said == found
    assert ask() == found


def test_patterns_features_and_compiled_functions_are_pickled_and_copied_by_name() -> None:
    named = [*vars(setwise.knight).values(), *vars(setwise.pawns).values(), *FEATURES.values(), read_position]
    tried = [it for it in named if isinstance(it, Entry)]
    for it in tried:
        assert pickle.loads(pickle.dumps(it)) is copy.copy(it) is copy.deepcopy(it) is it
    assert len(tried) > 50
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(setwise.knight.attacks, 1).result() == setwise.knight.attacks(1)


def test_threads_share_one_temporary_folder() -> None:
    made = python(
        "-c",
        "from concurrent.futures import ThreadPoolExecutor as Pool\n"
        "from threading import Barrier\n"
        "from setwise.system.files import own_folder, remove_own_folder\n"
        "together = Barrier(16)\n"
        "with Pool(16) as pool:\n"
        "    names = {*pool.map(lambda _: (together.wait(), own_folder().name)[1], range(16))}\n"
        "remove_own_folder()\n"
        "print(len(names))",
    )
    assert made == "1\n"
