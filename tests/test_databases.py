"""Database files of SQLite and DuckDB answer as their games do; a new kind of source is one class with one method."""

from __future__ import annotations

import itertools
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from setwise.corpus.sources import databases
from setwise.corpus.sources.jobs import Batch, Job, Question, Records, Source, of_table
from setwise.corpus.sources.kinds import recognised
from setwise.errors import SourceError
from setwise.game.batch import GamePositions

#: Of each question: what is counted, and whether lone positions can answer it.
QUESTIONS = {
    "is_check": True, "white_pawn_islands > 2 and not is_check": True, "next(is_check) and ply > 20": False,
    "san = 'Nf3'": False, "knight.attacks(white_knights) & black_king <> 0": True,
}  # fmt: skip
TAGS = ("White", "Black", "Result", "Date", "Event")


def in_sqlite(path: Path, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    database = sqlite3.connect(path)
    database.execute(f"create table {table} ({columns})")
    rows = list(rows)
    database.executemany(f"insert into {table} values ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608
    database.commit()
    database.close()


def in_duckdb(path: Path, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    rows = list(rows)
    those = pa.table(
        [pa.array(column) for column in zip(*rows, strict=True)], names=list(map(str, range(len(rows[0]))))
    )
    with duckdb.connect(path) as database:
        database.execute(f"create table {table} ({columns})")
        database.register("those_rows", those)  # row by row it would take seconds
        database.execute(f"insert into {table} select * from those_rows")  # noqa: S608


WRITERS = {"SQLite": in_sqlite, "DuckDB": in_duckdb}


def games() -> list[Any]:
    return [game for batch in setwise.read_pgn(FAMOUS_GAMES) for game in batch]


def rows_of(kind: str) -> tuple[str, list[tuple[Any, ...]]]:
    """The columns of a table, and its rows: positions, games as PGN, and games as moves with tags."""
    if kind == "fen":
        table = setwise.find("true", FAMOUS_GAMES, columns=["fen", "game", "white_elo"])
        return "fen varchar, number integer, rating integer", [tuple(row.values()) for row in table.to_pylist()]
    if kind == "pgn":
        return "id integer, PGN varchar", [(number, str(game)) for number, game in enumerate(games())]
    rows = [(*(game.tags.get(tag) for tag in TAGS), " ".join(it.uci() for it in game.moves)) for game in games()]
    return f"{', '.join(f'{tag.lower()} varchar' for tag in TAGS)}, moves varchar", rows


#: By day each kind of table is written by one program, and each program writes one.
PAIRS = list(itertools.product(WRITERS, ("fen", "pgn", "moves")))


@pytest.mark.parametrize(("program", "kind"), PAIRS[:: depth(2, 1)])
def test_a_table_answers_as_the_games_that_it_has(program: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"  # the name plays no part
    WRITERS[program](path, "those", *rows_of(kind))
    for where, is_of_positions in QUESTIONS.items():
        if kind != "fen" or is_of_positions:
            columns = ["fen"] if kind == "fen" else ["game", "ply", "fen", "san", "white_name", "result", "year"]
            found, expected = (setwise.find(where, it, columns=columns) for it in (path, FAMOUS_GAMES))
            assert found.to_pylist() == expected.to_pylist() != [], where
    count = "select count(*) n, sum(bit_count(white_pawns)) pawns from positions"
    assert setwise.sql(count, path).equals(setwise.sql(count, FAMOUS_GAMES))
    with setwise.connect(path) as database:
        assert database.sql(count).to_arrow_table().to_pylist() == setwise.sql(count, FAMOUS_GAMES).to_pylist()
    if kind != "fen":
        assert (
            setwise.tree("1. e4", path).to_pylist()[0]["games"]
            == setwise.tree("1. e4", FAMOUS_GAMES)["games"][0].as_py()
        )
        setwise.scan(path, tmp_path / "scanned")
        setwise.index(path, tmp_path / "indexed")
        for place in ("scanned", "indexed"):
            found, expected = (setwise.find("is_checkmate", it) for it in (tmp_path / place, FAMOUS_GAMES))
            assert found.drop_columns("source").equals(expected.drop_columns("source"))
    else:
        assert (
            setwise.find("number = 3 and rating is null", path).num_rows
            == setwise.find("game = 3", FAMOUS_GAMES).num_rows
        )


@pytest.mark.parametrize("program", WRITERS)
def test_texts_that_are_stored_as_bytes_are_texts(program: str, tmp_path: Path) -> None:
    texts = ['[White "Müller"]\n\n1. e4 e5 *', '[White "Žižka"]\n\n1. d4 *']
    rows = [(texts[0].encode(),), (texts[1].encode("cp1252"),)]
    WRITERS[program](tmp_path / "games.db", "games", "pgn blob", rows)
    found = setwise.find("ply = 1", tmp_path / "games.db", columns=["game", "white_name"]).to_pylist()
    assert found == [{"game": 1, "white_name": "Müller"}, {"game": 2, "white_name": "Žižka"}]


@pytest.mark.parametrize("program", WRITERS)
def test_of_several_tables_one_must_be_named(program: str, tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    WRITERS[program](path, "players", "a integer", [(1,)])
    with pytest.raises(
        SourceError, match=r"games.db has no table with a column fen, pgn, moves or movetext; .* players"
    ):
        setwise.find("true", path)
    WRITERS[program](path, "one", "fen varchar", [("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",)])
    assert setwise.find("true", path, columns=["source"])["source"].to_pylist() == [str(path)]
    WRITERS[program](path, "other", "moves varchar", [("1. e4 e5 2. Nf3",), ("e2e4 e7e5",)])
    with pytest.raises(
        SourceError, match=r"several tables with positions or games: one, other; name one, as games.db#one"
    ):
        setwise.find("true", path)
    found = setwise.find("ply = 2", f"{path}#other", columns=["source", "game", "san"])
    assert found.to_pylist() == [
        {"source": f"{path}#other", "game": 1, "san": "Nf3"}, {"source": f"{path}#other", "game": 2, "san": None}
    ]  # fmt: skip
    both = setwise.find("fullmove_number = 1", [f"{path}#one", f"{path}#other"], columns=["source"])
    assert both["source"].to_pylist() == [f"{path}#one", *[f"{path}#other"] * 4]
    setwise.scan(f"{path}#other", tmp_path / "scanned")
    assert setwise.scan(f"{path}#other", tmp_path / "scanned").kept == 7
    with pytest.raises(SourceError, match=r"no table 'players' has positions or games; tables that have: one, other"):
        setwise.find("true", f"{path}#players")
    with pytest.raises(SourceError, match=r"there is no file"):
        setwise.find("true", f"{FAMOUS_GAMES}#moves")


def test_what_cannot_be_opened_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    in_sqlite(path, "those", "fen text", [("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",)])
    writer = sqlite3.connect(path)
    writer.execute("begin exclusive")
    with pytest.raises(
        SourceError, match=r"games.sqlite cannot be read as a database of SQLite: database is locked; close"
    ):
        setwise.find("true", path)
    writer.close()
    assert setwise.find("true", path).num_rows == 1
    newer = bytearray(path.read_bytes())
    newer[18:20] = b"\x09\x09"
    path.write_bytes(newer)
    with pytest.raises(SourceError, match=r"games.sqlite cannot be read as a database of SQLite: "):
        setwise.find("true", path)
    with pytest.raises(SourceError, match=r"<bytes> is a database of SQLite, which is read in place: name its file"):
        setwise.find("true", bytes(newer))
    path.write_bytes(bytes(range(1, 255)) * 40)  # as an encrypted file, which nothing tells from noise
    with pytest.raises(SourceError, match=r"is not PGN"):
        setwise.find("true", path)


def newer_duckdb(file: bytes) -> bytes:
    """A database file of DuckDB with a greater number of its version, and the checksum that belongs to it."""
    words = np.frombuffer(file, "<u8").copy()
    before = int(words[1])
    words[1] += np.uint64(1 << 50)
    factor, mask = 0xBF58476D1CE4E5B9, (1 << 64) - 1
    words[0] ^= np.uint64((before * factor & mask) ^ (int(words[1]) * factor & mask))
    return words.tobytes()


def test_a_database_of_duckdb_that_is_locked_or_newer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.duckdb"
    in_duckdb(path, "those", "fen varchar", [("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",)])
    write = "import duckdb, sys; d = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", write, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        with pytest.raises(
            SourceError, match=r"games.duckdb cannot be read as a database of DuckDB: Could not set lock"
        ):
            setwise.find("true", path)
        assert writer.stdin is not None
        writer.stdin.close()
    assert setwise.find("true", path).num_rows == 1
    path.write_bytes(newer_duckdb(path.read_bytes()))
    with pytest.raises(SourceError, match=r"games.duckdb cannot be read as a database of DuckDB: .*version"):
        setwise.find("true", path)


def test_a_database_is_never_changed_and_its_views_read_no_files(tmp_path: Path) -> None:
    path, other = tmp_path / "games.duckdb", tmp_path / "secret.csv"
    other.write_text("fen\n8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n")
    with duckdb.connect(path) as database:
        database.execute(f"create view those as select * from read_csv('{other}')")  # noqa: S608
    before = path.read_bytes()
    with pytest.raises(SourceError, match=r"cannot be read as a database of DuckDB"):
        setwise.find("true", path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("program", WRITERS)
def test_rows_are_read_as_they_are_needed(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, count = tmp_path / "games.db", 40_000
    WRITERS[program](path, "those", "moves varchar", [("1. e4 e5",)])
    if program == "SQLite":
        with sqlite3.connect(path) as database:
            database.executemany("insert into those values ('1. d4 d5')", [()] * count)
        database.close()
    else:
        with duckdb.connect(path) as opened:
            opened.execute(f"insert into those select '1. d4 d5' from range({count})")  # noqa: S608
    read: list[int] = []
    kind = databases._KINDS[program]
    plain: Callable[..., Iterator[Any]] = kind.batches  # type: ignore[attr-defined]

    def counted(self: Any, table: Any) -> Iterator[Any]:
        for batch in plain(self, table):
            read.append(len(batch))
            yield batch

    monkeypatch.setattr(kind, "batches", counted)
    assert setwise.find("ply = 0", path, limit=5, threads=1).num_rows == 5
    assert sum(read) < count // 4
    assert setwise.find("ply = 0", path).num_rows == count + 1


class Kings(Source, Job):
    """Positions with two kings: a kind of source that setwise does not have."""

    name = "kings"
    holdings = of_table((), ())

    def scan(self, question: Question) -> Iterator[Job]:
        yield self

    def run(self) -> Batch:
        fens = [f"4k3/8/8/8/8/8/8/{file}K{7 - file} w - - 0 1" for file in range(1, 7)]
        positions = setwise.Positions.from_fens(fens)
        records, rows = Records(self.name, 1, len(fens)), np.arange(len(fens), dtype=np.int32)
        moves, ply = np.zeros(len(fens), np.uint16), np.zeros(len(fens), np.int32)
        return Batch(records, GamePositions.of(positions, records, moves=moves, game=rows, ply=ply, row=rows), [], 0)


def test_a_new_kind_of_source_is_one_class_with_one_method() -> None:
    source = Kings()
    assert recognised(source) is source
    found = setwise.find("white_king & files('e') <> 0", [source], columns=["source", "game", "fen"])
    assert found.to_pylist() == [{"source": "kings", "game": 4, "fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1"}]
    assert setwise.sql("select count(*) n from positions where not is_check", [Kings()])["n"].to_pylist() == [6]
    with setwise.connect([Kings()]) as database:
        assert database.sql("select max(game) from positions").fetchall() == [(6,)]
    assert setwise.similar("4k3/8/8/8/8/8/8/4K3 w - - 0 1", [Kings()], n=1)["distance"].to_pylist() == [0]
    batches = list(setwise.batches([Kings()], "planes", shuffle=0))
    assert sum(len(batch["planes"]) for batch in batches) == 6
