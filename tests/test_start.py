"""What a command imports before it answers: what its answer needs, so that it starts at once."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from helpers.data import FAMOUS_GAMES, ROOT
from helpers.processes import run
from setwise import index, scan
from setwise.cli.app import app
from setwise.cli.command import COMMANDS

#: Commands, and the most modules of this package, those that compile left out, that each may import.
MOST = {
    "--version": 19,
    "--help": 33,
    "find --help": 27,
    "columns --help": 27,
    "find --count 'white_isolated_pawns <> 0' {games}": 111,
    "sql 'SELECT count(*) FROM positions' {games}": 118,
    "show startpos": 59,
    "perft 2": 60,
    "explain knight.attacks": 44,
    "questions fork": 43,
}
#: Runs a command, and prints at its end what is imported.
SCRIPT = """
import os, sys
leave = os._exit

def told(code):
    print(*sys.modules, sep="\\n", file=sys.stderr, flush=True)
    leave(code)

os._exit = told
from setwise.cli import main
main()
"""


def imported(command: str) -> set[str]:
    """The modules that a command imports; where it compiles, those of the next time."""
    words = shlex.split(command.format(games=FAMOUS_GAMES))
    modules = run(sys.executable, "-c", SCRIPT, *words).stderr.splitlines()
    return set(run(sys.executable, "-c", SCRIPT, *words).stderr.splitlines() if "numba" in modules else modules)


@pytest.mark.slow
@pytest.mark.parametrize("command", MOST)
def test_a_command_imports_no_more_modules_than_it_did(command: str) -> None:
    own = [name for name in imported(command) if re.match(r"setwise(?!\.compiler)", name)]
    assert 0 < len(own) <= MOST[command]


def test_a_count_imports_nothing_that_it_does_not_need() -> None:
    modules = imported("find --count 'white_isolated_pawns <> 0' {games}")
    needed = {"mate_names", "own", "pawns", "registry"}
    assert {
        name.removeprefix("setwise.features.") for name in modules if name.startswith("setwise.features.")
    } == needed
    assert "setwise.cli.find" in modules
    for name in ("asyncio", "backports.zstd", "compression.zstd", "duckdb", "multiprocessing", "numpy.ma",
                 "pyarrow.compute", "pyarrow.dataset", "pyarrow.fs", "pyarrow.parquet", "setwise.cli.sql",
                 "setwise.corpus.sources.scans", "setwise.proofs", "setwise.tablebases", "z3"):  # fmt: skip
        assert name not in modules, name


def test_a_lookup_in_an_index_needs_no_database_and_no_masked_arrays(tmp_path: Path) -> None:
    index(FAMOUS_GAMES, tmp_path / "games")
    for where in ("key = 5060803636482931868", "key in (5060803636482931868, 5) and result = ''1-0''"):
        modules = imported(f"find --count '{where}' {shlex.quote(str(tmp_path / 'games'))}".replace("''", "'\"'\"'"))
        assert "setwise.corpus.sources.indexes" in modules
        for name in ("duckdb", "multiprocessing", "numpy.ma", "pyarrow.dataset"):
            assert name not in modules, name


def test_a_statement_over_a_scan_is_left_to_duckdb(tmp_path: Path) -> None:
    scan(FAMOUS_GAMES, tmp_path / "games")
    modules = imported("sql 'SELECT max(ply) FROM positions' " + shlex.quote(str(tmp_path / "games")))  # noqa: S608
    assert "setwise.corpus.query.sql" in modules
    for name in ("multiprocessing", "numpy.ma", "pyarrow.dataset", "setwise.corpus.query.streams"):
        assert name not in modules, name


def test_parts_of_arrow_are_imported_in_one_place() -> None:
    """Where they are imported when they are used first: most commands use none."""
    place = ROOT / "src" / "setwise"
    texts = {path.relative_to(place).as_posix(): path.read_text("utf-8") for path in place.rglob("*.py")}
    parts = re.compile(
        r"^(import pyarrow\.(compute|fs|parquet)|from pyarrow import (compute|fs|parquet))\b", re.MULTILINE
    )
    assert {path for path, text in texts.items() if parts.search(text) and not path.startswith("spark/")} == set()


def test_every_command_is_where_the_list_says() -> None:
    for name, command in app.commands.items():
        assert COMMANDS[name] is command
        assert command.name == name
    for path in Path(ROOT, "src", "setwise", "cli").glob("*.py"):
        if path.stem != "app":
            __import__(f"setwise.cli.{path.stem}")
    assert COMMANDS.keys() == app.commands.keys()
