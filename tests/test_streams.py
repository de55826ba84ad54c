"""Sources that can be read only once, and names that tell sources apart."""

from __future__ import annotations

import gc
import gzip
import io
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from setwise import archives
from setwise.archives import Stream, zstd
from setwise.cli.app import run
from setwise.corpus.sources import kinds, tables
from setwise.corpus.sources.jobs import Question, Source
from setwise.corpus.sources.kinds import recognised
from setwise.corpus.sources.places import Beginning, OwnNames
from setwise.errors import SourceError
from setwise.system.files import own_folder

GAMES = FAMOUS_GAMES.read_bytes()
SHORT, LONG = b"1. e4 e5 *", b"1. d4 d5 2. c4 *"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SETWISE = [sys.executable, "-m", "setwise"]

#: Statements that read a source more than once, or might.
OFTEN = [
    "select count(*), max(ply) from positions p join games g using (source, game)",
    "select (select count(*) from games), (select count(*) from positions)",
    "select count(*) from (select ply from positions union all select plies from games)",
    "with long as (select * from games where plies > 60) select count(*) from long a, long b where a.game = b.game",
    "with recursive t(n) as (select 1 union all select n + 1 from t, games where n < 3 and game = 1) select * from t",
    "select count(*) from positions where ply > (select avg(ply) from positions)",
]


# ------------------------------------------------------------------------------------------------------------ read once


@pytest.mark.parametrize("statement", OFTEN)
@pytest.mark.parametrize("opened", [io.BytesIO, lambda text: io.BytesIO(zstd.compress(text))])
def test_a_stream_answers_as_its_file_does(statement: str, opened: Callable[[bytes], Any]) -> None:
    assert setwise.sql(statement, opened(GAMES)) == setwise.sql(statement, FAMOUS_GAMES)


def test_a_connection_to_a_stream_answers_again_and_leaves_nothing() -> None:
    before = set(Path(own_folder().name).iterdir())
    with FAMOUS_GAMES.open("rb") as file, setwise.connect([file, SHORT]) as database:
        for _ in range(2):
            assert database.sql("select count(*) from games").fetchall() == [(42,)]
            assert database.sql("select count(*) from positions join games using (source, game)").fetchall() == [
                (2515,)
            ]
        assert database.sql("select distinct source from games order by all").fetchall() == [
            (name,) for name in sorted([str(FAMOUS_GAMES), "<bytes>"])
        ]
    del database
    gc.collect()
    assert set(Path(own_folder().name).iterdir()) <= before


@pytest.mark.parametrize("kind", ["fen", "csv", "jsonl", "parquet"])
def test_other_streams_than_games_are_read_again(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{kind}"
    if kind == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(pa.table({"fen": [START] * 3}), path)
    else:
        line = {"fen": START, "csv": f"{START},1", "jsonl": f'{{"fen": "{START}"}}'}[kind]
        path.write_text("\n".join([*(["fen,id"] if kind == "csv" else []), *[line] * 3, ""]))
    statement = "select count(*) from positions a join positions b using (game)"
    for source in (path, io.BytesIO(path.read_bytes())):
        assert setwise.sql(statement, source).column(0).to_pylist() == [3]


def test_a_long_table_is_read_again_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    count = (1 << 23) // len(START) + 1000  # more than is read at once
    path.write_text("fen,id\n" + f"{START},1\n" * count)
    answer = setwise.sql("select (select count(*) from positions), (select count(game) from positions)", path)
    assert list(answer.to_pylist()[0].values()) == [count, count]


def test_one_pass_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setwise.corpus.sources.places._Kept.of", lambda source: pytest.fail("it is kept"))
    assert setwise.sql("select count(*) from positions", io.BytesIO(GAMES)).column(0).to_pylist() == [2512]


@pytest.mark.parametrize("text", [GAMES, f"{START}\n".encode(), f"fen,x\n{START},1\n".encode()])
def test_what_can_be_read_once_alone_refuses_to_be_read_again(text: bytes) -> None:
    source = recognised(io.BytesIO(text))
    assert [job.run().games for job in source.scan(Question())]
    with pytest.raises(SourceError, match="<file> can be read only once, and is read again"):
        list(source.scan(Question()))


def test_a_stream_gives_its_beginning_again_and_the_rest_behind_it() -> None:
    stream = Stream(io.BytesIO(GAMES))
    beginning = stream.read(100) + stream.read(50)
    assert len(beginning) > 50
    assert GAMES.startswith(beginning)
    assert stream.taken().read() == GAMES


@pytest.mark.parametrize("ask", [setwise.find, lambda where, sources: list(setwise.batches(sources))])
def test_a_stream_that_is_named_twice_is_refused(ask: Callable[..., Any]) -> None:
    file = io.BytesIO(GAMES)
    for sources in (["-", FAMOUS_GAMES, "-"], [file, file], iter([file, file])):
        with pytest.raises(SourceError, match="can be read only once, and is named twice"):
            ask("true", sources)
    assert setwise.find("ply = 0", [io.BytesIO(GAMES), io.BytesIO(GAMES)]).num_rows == 82


@pytest.mark.slow
def test_standard_input_answers_as_its_file_does() -> None:
    for statement in OFTEN[:2]:
        ran = [
            subprocess.run([*SETWISE, "sql", statement, *source], input=GAMES, capture_output=True, check=True).stdout
            for source in (["-"], [str(FAMOUS_GAMES)])
        ]
        assert ran[0] == ran[1]
    ran = subprocess.run([*SETWISE, "find", "true", "-", "-"], input=GAMES, capture_output=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == b"setwise: standard input can be read only once, and is named twice\n"


# ---------------------------------------------------------------------------------------------------------------- pipes


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """A pipe with a name, into which somebody writes the games once."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no pipes with names on this system")
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(GAMES,), daemon=True)
    writer.start()
    yield path
    writer.join(60)
    assert not writer.is_alive()


@pytest.mark.parametrize("statement", ["select count(*) from positions", *OFTEN[:2]])
def test_a_pipe_is_opened_once(pipe: Path, statement: str) -> None:
    assert setwise.sql(statement, pipe) == setwise.sql(statement, FAMOUS_GAMES)


def test_a_pipe_is_searched(pipe: Path) -> None:
    found = setwise.find("ply = 0", str(pipe), columns=["source", "game"])
    assert found.to_pylist() == [{"source": str(pipe), "game": game} for game in range(1, 42)]


def test_a_pipe_is_read_game_by_game(pipe: Path) -> None:
    assert sum(map(len, setwise.read_pgn(pipe))) == 41


def test_a_pipe_is_merged_and_split(pipe: Path, tmp_path: Path) -> None:
    assert setwise.merge(pipe, tmp_path / "x.pgn") == 41
    assert (tmp_path / "x.pgn").read_bytes().strip() == GAMES.strip()


def test_a_pipe_is_deduped_though_that_reads_twice(pipe: Path) -> None:
    file = io.BytesIO()
    assert setwise.dedupe(pipe, file) == (41, 41)


def test_a_pipe_is_scanned(pipe: Path, tmp_path: Path) -> None:
    assert setwise.scan(pipe, tmp_path / "scan").positions == 2512


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="no bash, which has processes for files")
def test_a_process_stands_for_a_file() -> None:
    command = (
        f"{' '.join(SETWISE)} merge <(cat {FAMOUS_GAMES}) <(zstd -qc {FAMOUS_GAMES} 2>/dev/null || cat {FAMOUS_GAMES})"
    )
    ran = subprocess.run(["/bin/bash", "-c", command], capture_output=True, check=True)
    assert ran.stdout.count(b"[Event ") == 82


# ----------------------------------------------------------------------------------------------------- tables and lists


def told_of(sources: Any, **asked: Any) -> list[str]:
    faults: list[Any] = []
    setwise.find("true", sources, on_fault=faults.append, **asked)
    return [str(fault) for fault in faults]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_list_begins_with_its_first_line_and_names_the_others(mark: str, end: str) -> None:
    lines = ["# positions", "", START, "nonsense", "", f"{START} ; \x0bc0 \u2028;", "x/8"]
    text = (mark + end.join(lines)).encode()
    assert setwise.find("true", text, columns="game").column(0).to_pylist() == [1, 3]
    assert [line.partition(": ")[0] for line in told_of(text)] == [
        "<bytes>, line 4, game 2", "<bytes>, line 7, game 4",
    ]  # fmt: skip


def test_lines_are_counted_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from setwise.corpus.sources import tables as lines

    monkeypatch.setattr(tables, "ROWS", 7)
    monkeypatch.setattr(lines, "TEXT", 100)
    lines = [START if number % 3 else "" if number % 2 else "nonsense" for number in range(1, 100)]
    expected = [number for number, line in enumerate(lines, 1) if line == "nonsense"]
    faults: list[Any] = []
    found = setwise.find("true", "\n".join(lines).encode(), columns="game", on_fault=faults.append)
    assert [fault.line for fault in faults] == expected
    numbers = dict(enumerate(filter(None, lines), 1))
    assert found["game"].to_pylist() == [number for number, line in numbers.items() if line == START]
    assert [fault.game for fault in faults] == [number for number, line in numbers.items() if line == "nonsense"]


@pytest.mark.parametrize(
    "text",
    [
        f"fen,x\n{START},1\nnonsense,2\n",
        f'{{"fen": "{START}"}}\n{{"fen": "nonsense"}}\n',
        f"fen,moves\n{START},e2e4\n{START},e2e5\n",
    ],
)
def test_a_table_has_rows(text: str) -> None:
    for mark in ("", "\ufeff"):
        [told] = told_of((mark + text).encode())
        assert told.startswith("<bytes>, row 2: ")
        assert "''" not in told


@pytest.mark.parametrize(
    ("ending", "columns"),
    [*itertools.product(("csv", "tsv", "jsonl", "parquet"), ("fen", "fen,game")), ("fen", None), ("epd", None)],
)
def test_what_find_writes_is_a_source(ending: str, columns: str | None, tmp_path: Path) -> None:
    path, chosen = tmp_path / f"x.{ending}", ["--columns", columns] if columns is not None else []
    assert run(["find", "ply < 3", str(FAMOUS_GAMES), *chosen, "-o", str(path)]) == 0
    assert setwise.find("true", path).num_rows == 3 * 41
    assert told_of(path) == []


@pytest.mark.parametrize(
    "text", ["fen,name\n{0},Jörg\n{0},Søren\n", '{{"fen": "{0}", "name": "Jörg"}}\n{{"fen": "{0}", "name": "Søren"}}\n']
)
def test_a_table_in_latin_1_has_names(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from setwise.corpus.sources import tables as text_lines

    written = text.format(START)
    lines = written.splitlines(keepends=True)
    mixed = b"".join(line.encode("latin-1" if number % 2 else "utf-8") for number, line in enumerate(lines))
    for size in (1 << 23, 70):
        monkeypatch.setattr(text_lines, "TEXT", size)
        for encoded in (written.encode(), written.encode("latin-1"), mixed):
            assert setwise.find("true", encoded, columns="name").column(0).to_pylist() == ["Jörg", "Søren"]


#: Names that a table may give its columns: with blanks and quotes, of other letters, beginnings of others, SQL's words,
#: names that positions or the database have, too.
NAMES = [
    "my rating", "my", "rating", "My Rating 2", 'q"uo"te', "it's", " lead", "Élő", "weiß", "名前", "select", "where",
    "and", "rat", "a.b", "a", "x[0]", "3", "Ply", "PIECE", "Key", "tag('x')", "tag:y", "_0", "_row", "-1", "(", "%",
    "null", "true",
]  # fmt: skip
assert len({name.lower() for name in NAMES}) == len(NAMES)


@pytest.fixture(scope="module")
def odd_names() -> pa.Table:
    """A row a position; the column at place n has n, or n + 100 in the second row."""
    columns = {name: [place, place + 100] for place, name in enumerate(NAMES)}
    return pa.table({"fen": [START, START.replace(" w ", " b ")], **columns})


@pytest.fixture(scope="module")
def odd_database(odd_names: pa.Table) -> Iterator[Any]:
    with setwise.connect(odd_names) as database:
        yield database


@pytest.mark.parametrize("name", NAMES[:: depth(2, 1)])
def test_a_column_of_any_name_is_found_by_its_values(odd_names: pa.Table, odd_database: Any, name: str) -> None:
    place, before = NAMES.index(name), NAMES[NAMES.index(name) - 1]
    written, other = (f'"{it.replace(chr(34), chr(34) * 2)}"' for it in (name, before))
    where = f"{written} > 50 and {written} = {place} + 100 and {other} > 50"
    assert setwise.find(f"{where} and bits.count(white_king) = 1", odd_names, columns=[name])[name].to_pylist() == [
        place + 100
    ]
    statement = f"select p.{written} from positions p where not white_to_move and p.{where}"
    assert setwise.sql(statement, odd_names).to_pylist() == [{name: place + 100}]
    assert odd_database.sql(statement).fetchall() == [(place + 100,)]
    only_named_by_the_filter = f"select count(*) from positions where {where}"
    assert setwise.sql(only_named_by_the_filter, odd_names).column(0).to_pylist() == [1]
    assert odd_database.sql(only_named_by_the_filter).fetchall() == [(1,)]


@pytest.mark.slow
def test_sql_tells_each_fault_once(tmp_path: Path) -> None:
    broken = b'[Event "x"]\n\n1. e4 e5 2. Ke3 *\n\n' * 3
    for statement in ("select count(*) from positions", *OFTEN):
        faults: list[Any] = []
        table = f"fen,moves\n{START},e2e4\nnonsense,e2e4\n".encode()
        setwise.sql(statement, [broken, table], on_fault=faults.append)
        assert [(fault.source, fault.game) for fault in faults] == [
            ("<bytes>", 1),
            ("<bytes>", 2),
            ("<bytes>", 3),
            ("<bytes> 2", 2),
        ]
    path = tmp_path / "x.pgn"
    path.write_bytes(broken)
    said = [
        subprocess.run([*SETWISE, *command, path], capture_output=True, check=True).stderr.decode().splitlines()[:3]
        for command in (["find", "true"], ["sql", "select * from games"])
    ]
    assert said[0] == said[1]
    assert "Ke3" in said[1][2]


def test_a_game_of_more_moves_than_columns_count_is_a_game(tmp_path: Path) -> None:
    path = tmp_path / "long.pgn"
    moves = " ".join(itertools.islice(itertools.cycle(["Nf3", "Nf6", "Ng1", "Ng8"]), 40_000))
    path.write_text(f'[White "A"]\n\n{moves} *\n\n' * 2)
    assert setwise.sql("select plies from games", path).column(0).to_pylist() == [32767] * 2
    assert setwise.duplicates(path).column("plies").to_pylist() == [32767]
    assert setwise.sort(path, tmp_path / "x.pgn", by="plies") == 2
    assert setwise.scan(path, tmp_path / "scan").positions == 80_002


def test_a_scan_of_which_nothing_is_written_is_unfinished(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_bytes(b"")
    ran = subprocess.run([*SETWISE, "find", "true", tmp_path, "--count"], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"is unfinished: nothing is written yet" in ran.stderr


# ---------------------------------------------------------------------------------------------------------------- names


def test_games_of_sources_with_one_name_stay_apart() -> None:
    count = "select distinct source, count(*) over game n from positions order by all"
    assert setwise.sql(count, [SHORT, LONG]).to_pylist() == [
        {"source": "<bytes>", "n": 3},
        {"source": "<bytes> 2", "n": 4},
    ]
    for sources in (
        [SHORT, LONG, SHORT],
        [FAMOUS_GAMES, FAMOUS_GAMES],
        [pa.table({"fen": [START], "moves": ["e2e4"]})] * 2,
    ):
        joined = setwise.sql("select count(*) from positions join games using (source, game)", sources)
        assert joined.column(0).to_pylist() == [setwise.find("true", sources).num_rows]


def test_a_name_that_another_source_has_is_not_given_again() -> None:
    names = OwnNames()
    given = [names.of(whole, [name])[name] for whole, name in enumerate(["a", "a 2", "a", "b", "a", "b"])]
    assert given == ["a", "a 2", "a 3", "b", "a 4", "b 2"]


def test_every_source_has_a_name_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "a 2"):
        Path(name).write_bytes(SHORT)
    found = setwise.find("ply = 0", ["a", "a", "a 2", "a", *[SHORT] * 1000], columns="source").column(0).to_pylist()
    assert found[:4] == ["a", "a 2", "a 2 2", "a 3"]
    assert len(set(found)) == len(found) == 1004


def test_slices_of_games_in_memory_are_sources_of_their_own() -> None:
    """Each brings the table of its games: under one name the games would be there twice."""
    [games] = setwise.read_pgn(SHORT + b"\n\n" + LONG)
    positions = games.positions()
    slices = [positions[:3], positions[3:]]
    count = "select source, game, count(*) as n from positions group by all order by game"
    assert setwise.sql(count, slices).to_pylist() == [
        {"source": "<bytes>", "game": 1, "n": 3},
        {"source": "<bytes> 2", "game": 2, "n": 4},
    ]
    joined = setwise.sql("select count(*) as n from positions join games using (source, game)", slices)
    assert joined.to_pylist() == [{"n": 7}]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="names are Unicode on this system")
def test_names_that_are_no_utf8_are_told_as_far_as_they_are(tmp_path: Path) -> None:
    paths = [Path(os.fsdecode(os.fsencode(tmp_path) + ending)) for ending in (b"/g\xff.pgn", b"/g\xfe.pgn")]
    for path in paths:
        path.write_bytes(GAMES)
    name = f"{tmp_path}/g\N{REPLACEMENT CHARACTER}.pgn"
    found = setwise.find("ply = 0", paths, columns=["source"]).column(0).to_pylist()
    assert found == [name] * 41 + [f"{name} 2"] * 41
    assert (
        setwise.sql("select count(*) from positions join games using (source, game)", paths[0]).column(0)[0].as_py()
        == 2512
    )
    assert set(setwise.duplicates(paths).column("kept_source").to_pylist()) == {name}
    assert setwise.split(paths, tmp_path / "split", by="source") == (82, 2)
    assert setwise.scan(paths, tmp_path / "scan", features="source").games == 82
    for command in (["find", "ply = 0", "--format", "epd"], ["find", "ply = 0", "-o", tmp_path / "x.html"], ["merge"]):
        subprocess.run([*SETWISE, *command, *paths], check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="names are Unicode on this system")
@pytest.mark.parametrize("command", [["find", "ply = 0"], ["scan"]])
@pytest.mark.parametrize("ending", [b"x\xff.parquet", b"x\xff.arrow", b"x\xff"])
def test_outputs_that_arrow_cannot_name_are_refused(command: list[str], ending: bytes, tmp_path: Path) -> None:
    if command == ["find", "ply = 0"] and not ending.endswith((b"arrow", b"parquet")):
        command = [*command, "--format", "csv"]  # which needs no Arrow
    output = os.fsencode(tmp_path) + b"/" + ending
    ran = subprocess.run([*SETWISE, *command, FAMOUS_GAMES, "-o", output], capture_output=True, check=False)
    if "csv" in command:
        assert ran.returncode == 0
        return
    assert ran.returncode == 2
    assert ran.stderr.decode().endswith("cannot be written: Arrow and Parquet take only names in UTF-8\n")
    assert list(tmp_path.iterdir()) == []


def test_a_new_format_of_sources_is_one_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields of FENs without the turn, one a line, behind a line that says so: White moves."""

    def boards(beginning: Beginning) -> Source | None:
        if beginning.line != "boards":
            return None
        with archives.opened(beginning.source) as (file, _):
            rows = [f"{line} w - - 0 1" for line in file.read().decode().split()[1:]]
        held = pa.table({"fen": rows})
        return tables.TableSource(beginning.name, held.schema, lambda: iter([held]))

    monkeypatch.setitem(sys.modules, f"{kinds.__package__}.boards", ModuleType("boards"))
    monkeypatch.setattr(sys.modules[f"{kinds.__package__}.boards"], "recognised", boards, raising=False)
    monkeypatch.setattr(kinds, "FORMATS", ("boards", *kinds.FORMATS))
    path = tmp_path / "some.boards"
    path.write_text("boards\n4k3/8/8/8/8/8/4P3/4K3\n4k3/8/8/8/8/8/8/4K2R\n")
    packed = gzip.compress(path.read_bytes())
    for source in (path, packed, io.BytesIO(packed)):
        found = setwise.find("white_pawns <> 0", source, columns=["fen"])
        assert found.to_pylist() == [{"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"}]
    assert setwise.sql("select count(*) as n from positions", str(path)).to_pylist() == [{"n": 2}]
