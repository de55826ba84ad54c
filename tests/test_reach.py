"""A condition, an order, a list of columns and a statement reach no file but their sources, no setting and no network.

A child process asks through every door while ``strace`` writes down each name that it gives to the system.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import setwise
from helpers.data import FAMOUS_GAMES
from setwise.compiler import cache_directory

#: A file that no question may open, and what it says.
HIDDEN, CANARY = "hidden.pgn", "canary"
PLACES = (
    HIDDEN, "./hidden.pgn", "../outside/hidden.pgn", "{folder}/outside/hidden.pgn", "{folder}/outside", "pipe.pgn",
    "*.pgn", "/etc/passwd", "/proc/self/environ", "/dev/zero", "/dev/stdin", "~/.profile", "file:///etc/passwd",
    "s3://bucket/games.pgn", "https://example.com/games.pgn", "//example.com/games.pgn", "games.pgn/../hidden.pgn",
)  # fmt: skip
#: Calls and columns by which a condition could name a file.
CONDITIONS = (
    *(f"{call}" for place in PLACES for call in (f"within('{place}')", f"ply = 3 and not leaves('{place}')")),
    f"can(within('{HIDDEN}'))", f"later(within('{HIDDEN}'))", f"any_of(own_pieces, lambda s: within('{HIDDEN}'))",
    f"\"within('{HIDDEN}')\"", f"\"can(within('{HIDDEN}'))\"", f"within('{HIDDEN}') over game",
    f"getenv('{CANARY}') is null", "current_setting('temp_directory') <> ''", "getvariable('x') is null",
    f"read_text('{HIDDEN}') is null", f"exists (from read_text('{HIDDEN}'))", f"ply in (from '{HIDDEN}')",
    f"(select count(*) from read_csv('{HIDDEN}')) > 0", "json_serialize_plan('select 1') <> ''",
    f"query('from read_text(''{HIDDEN}'')') is null", "write_log('x') is null", f"ply = 1) or ('{HIDDEN}' = '')",
    f"tag('{HIDDEN}') is null", f"regexp_matches(fen, '{HIDDEN}')", f"material('{HIDDEN}')", f"fen = '{HIDDEN}'",
)  # fmt: skip
READERS = (
    "read_text", "read_blob", "read_csv", "read_csv_auto", "read_json", "read_json_auto", "read_ndjson", "read_parquet",
    "parquet_scan", "parquet_metadata", "parquet_schema", "parquet_kv_metadata", "parquet_file_metadata", "sniff_csv",
    "read_duckdb", "glob", "query", "query_table",
)  # fmt: skip
STATEMENTS = (
    *(f"select * from {reader}('{HIDDEN}')" for reader in READERS),
    *(f"select * from '{place}'" for place in (HIDDEN, "/etc/passwd", "s3://bucket/x.parquet", "https://a.b/x.csv")),
    f"select (select content from read_text('{HIDDEN}'))", f"with x as (from '{HIDDEN}') from x",
    f"select * from (with \"{HIDDEN}\" as (select 1) from \"{HIDDEN}\"), '{HIDDEN}'",
    f"describe '{HIDDEN}'", f"summarize '{HIDDEN}'", f"select * from positions, lateral (from read_text('{HIDDEN}'))",
    f"from json_execute_serialized_sql(json_serialize_sql('from read_text(''{HIDDEN}'')'))",
    f"select json_serialize_plan('from read_text(''{HIDDEN}'')')", f"select getenv('{CANARY}')",
    f"copy (select 1) to '{HIDDEN}'", f"copy positions from '{HIDDEN}'", f"attach '{HIDDEN}' as other",
    "export database 'exported'", f"import database '{HIDDEN}'", "install httpfs", "load httpfs", f"load '{HIDDEN}'",
    "set threads = 1", "set enable_external_access = true", "set lock_configuration = false", "reset threads",
    "pragma enable_profiling", "pragma version", "set profiling_output = 'written'", "call enable_logging()",
    "call enable_logging(storage = 'file', storage_path = 'written')", "create persistent secret s (type s3)",
    "select current_setting('temp_directory')", "select 'temp_directory'.current_setting()",
    "select list_transform(['temp_directory'], lambda x: current_setting(x))", "from duckdb_settings()",
    "from pg_catalog.pg_settings", "with pg_settings as (select 1) from pg_catalog.pg_settings",
    "select * from (with duckdb_databases as (select 1) from duckdb_databases), duckdb_databases",
    "with duckdb_views as (from duckdb_views) from duckdb_views", "show pg_settings", "show all tables",
    "from information_schema.tables", "from sqlite_master", "from duckdb_extensions()", "from duckdb_logs()",
    "from which_secret('s3://x', 's3')", "select write_log('x')", "select sleep_ms(1)",
    "from pragma_database_list", "checkpoint",
    f"select within('{HIDDEN}') from positions", f"select leaves('{HIDDEN}') from positions",
    "select 1; select 2", f"select * from positions where \"within('{HIDDEN}')\"",
)  # fmt: skip
#: The calls of the system that open, create, change or remove a file, start a program or reach the network.
CALLS = (
    "?open", "openat", "?openat2", "?creat", "execve", "execveat", "truncate", "fchmodat", "?mkdir", "mkdirat",
    "?mknod", "mknodat", "?rename", "?renameat", "renameat2", "?link", "linkat", "?symlink", "symlinkat", "?unlink",
    "unlinkat", "?rmdir", "%network",
)  # fmt: skip

CHILD = """
import itertools, sys, warnings
from pathlib import Path
import setwise
from setwise.corpus.language.condition import Values
import test_reach
warnings.simplefilter("ignore")
games, folder = sys.argv[1:3]
opened = set()

def by_conditions():
    for where in test_reach.conditions(folder):
        yield lambda: setwise.find(where, games)
        yield lambda: setwise.find(f"ply = 1 and ({where})", games, files="book.pgn")
        yield lambda: setwise.find("true", games, order_by=where, limit=1)
        yield lambda: setwise.find("true", games, columns=[where], limit=1)
        yield lambda: setwise.tree("", games, where=where)
        yield lambda: setwise.similar("e4", games, where=where)
        yield lambda: list(setwise.batches(games, "ply", where=where))
        yield lambda: list(setwise.batches(games, where))
        yield lambda: setwise.sql(f"select count(*) from positions where {where}", games)
        yield lambda: Values(where)
    for statement in test_reach.STATEMENTS:
        yield lambda: database.sql(statement).fetchall()

def by_statements():
    for statement in test_reach.STATEMENTS:
        yield lambda: setwise.sql(statement, games)

def ask(doors, what):
    for door in doors:
        try:
            print(what, "answers", repr(door()))
        except Exception as error:
            print(what, type(error).__name__, error)

def listen(event, arguments):
    if event == "open" or event.startswith(("socket.connect", "subprocess", "os.system", "os.exec")):
        opened.add(str(arguments[0]))

database = setwise.connect(games)
ask(itertools.islice(by_conditions(), 0, None, 11), "first")  # what this needs of Python is loaded by then
Path("begin").touch()
sys.addaudithook(listen)
ask(by_conditions(), "condition")
ask(by_statements(), "statement")
Path("end").touch()
print(*opened, sep="\\n", file=sys.stderr)
"""


def conditions(folder: str) -> Iterator[str]:
    yield from (text.replace("{folder}", folder) for text in CONDITIONS)


def test_nothing_but_the_sources_is_opened(tmp_path: Path) -> None:
    """Nor created, changed or removed, nor reached through a socket; DuckDB follows a link before it refuses a name."""
    assert len(CONDITIONS) + len(STATEMENTS) >= 100
    here, outside, games, log = (tmp_path / name for name in ("here", "outside", "games.pgn", "log"))
    here.mkdir()
    outside.mkdir()
    for place in (here / HIDDEN, outside / HIDDEN):
        place.write_text(f'[White "{CANARY}"]\n\n1. e4 e5 *\n')
    (here / "book.pgn").write_text("1. e4 e5 2. Nf3 *\n")
    if hasattr(os, "mkfifo"):
        os.mkfifo(here / "pipe.pgn")
    games.write_bytes(FAMOUS_GAMES.read_bytes()[:2000])
    strace = shutil.which("strace")  # elsewhere Python's own calls are read alone
    tracing = [strace, "-f", "--seccomp-bpf", "-qq", "-o", log, "-e", f"trace={','.join(CALLS)}", "-s", "300"]
    ran = subprocess.run(
        [*(tracing if strace else ()), sys.executable, "-c", CHILD, games, tmp_path],
        cwd=here, text=True, capture_output=True, timeout=300, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), CANARY: CANARY, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert CANARY not in ran.stdout.replace(f"getenv('{CANARY}')", "")
    assert ran.stdout.count("not among the repertoires") > 10 * len(PLACES)
    refused = re.findall("^statement (?:QueryError|SourceError) .*$", ran.stdout, re.MULTILINE)
    assert len(refused) == len(STATEMENTS), set(re.findall("^statement .*$", ran.stdout, re.MULTILINE)) - {*refused}
    allowed = (
        str(games), str(here / "book.pgn"), str(here / "end"), str(tmp_path / "setwise-"),
        str(cache_directory()), sys.prefix, sys.base_prefix, str(Path(setwise.__file__).parent),  # what is loaded late
        "/proc/self/status", "/proc/self/cgroup", "/sys/fs/cgroup/", "/sys/devices/system/cpu/",  # how much there is
    )  # fmt: skip
    assert [name for name in ran.stderr.splitlines() if not os.path.normpath(here / name).startswith(allowed)] == []
    if strace:
        begun = log.read_text().partition('"begin"')[2].partition("\n")[2]
        calls = [call.partition("(") for call in re.findall(r"^\d+ +(\w+\(.*)$", begun, re.MULTILINE)]
        assert len(calls) > 100
        assert [call for call in calls if not is_allowed(call[2], here, allowed)] == []


def is_allowed(arguments: str, here: Path, names: tuple[str, ...]) -> bool:
    """Whether a call of the system from a folder names these files alone."""
    named = re.findall(r'"((?:[^"\\]|\\.)*)"', arguments)
    return bool(named) and all(os.path.normpath(here / name).startswith(names) for name in named)
