"""The same games as every kind of source, made by python-chess, and what each of them can hold."""

from __future__ import annotations

import bz2
import functools
import gzip
import json
import lzma
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import chess
import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import setwise
from doors import oracle
from doors.oracle import At, Game
from doors.questions import CHANCES, MOVES, NOTES, PAST, PLACE, QUESTIONS, TAG, TAGS, WAYS, Find, Sql
from helpers.depth import NIGHT
from setwise.archives import zstd

#: What is held by games as PGN has them; by what ``scan`` writes of them unless it is told more; by moves behind FENs,
#: and by lone positions.
OF_PGN = frozenset({MOVES, PLACE, TAGS, TAG, NOTES, PAST, WAYS, CHANCES})
OF_SCANS = frozenset({MOVES, PLACE, TAGS, WAYS})
OF_MOVES = frozenset({MOVES, PLACE, PAST, WAYS, CHANCES})
OF_POSITIONS: frozenset[str] = frozenset()

T = TypeVar("T", bound=Find | Sql)


@dataclass(frozen=True)
class Source:
    """A source: what Python is given, what it holds, and the games that it holds by python-chess."""

    name: str
    given: Any
    holds: frozenset[str]
    games: Callable[[], list[Game]]
    #: What the column ``source`` says, and the name of the file that is meant.
    names: Mapping[str, str] = field(default_factory=dict)
    #: The file that comes by standard input.
    piped: str | None = None

    @property
    def is_named(self) -> bool:
        """Whether it is files, which commands can be given by name."""
        return isinstance(self.given, str) or (isinstance(self.given, list) and isinstance(self.given[0], str))


#: All kinds of sources.
NAMES = [
    "pgn", "zst", "gz", "bz2", "xz", "bytes", "folder", "glob", "list",
    "packed", "index", "scan", "scan of a folder", "scan by result and year", "scan of one file",
    "csv with moves", "jsonl with moves", "parquet with moves", "db with moves", "duckdb with moves",
    "arrow with moves",
    "csv of positions", "jsonl of positions", "parquet of positions", "db of positions", "duckdb of positions",
    "arrow of positions",
    "list of FENs", "list of EPDs", "FENs in memory",
]  # fmt: skip

#: By day each question goes to every ninth source: one of texts of games, one of packed games, scans or moves behind
#: FENs, and one of positions. Ways that have much in common with another divide the sources further.
_STEP = 9
_NUMBERS = {question: number for number, question in enumerate(QUESTIONS)}


def share(questions: Sequence[T], name: str, among: Sequence[str] = (), step: int = _STEP) -> list[T]:
    """The questions that a source is asked: by night all, by day its share, which others may divide ``among`` them."""
    if NIGHT:
        return list(questions)
    if among:
        return list(questions[among.index(name) :: len(among)])
    return [it for it in questions if (_NUMBERS[it] - NAMES.index(name)) % step == 0]


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "zst": zstd.compress, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
}  # fmt: skip


# ----------------------------------------------------------------------------------------------- the games, told anew


@functools.cache
def in_tables() -> list[Game]:
    """The games that moves in UCI can tell: a null move has no such name, and what breaks off ends before."""
    games = [game for game in oracle.all_games() if all(at.move is None or at.move for at in game.at)]
    return [_renamed(game, number, {}) for number, game in enumerate(games, start=1)]


@functools.cache
def without_counters() -> list[Game]:
    """Lone positions, without the numbers of moves."""
    games = []
    for game in oracle.lone_positions():
        board = game.at[0].board.copy()
        board.halfmove_clock, board.fullmove_number = 0, 1
        lone = Game(game.source, game.number, {}, "*", breaks_off=False)
        lone.at.append(At(lone, 0, board, None))
        games.append(lone)
    return games


@functools.cache
def by_folder() -> list[Game]:
    """The games as a scan by result and year has them: in the order of its folders."""

    def folders(game: Game) -> tuple[str, str]:
        year = game.year()
        return quote(game.result, safe=""), "__HIVE_DEFAULT_PARTITION__" if year is None else str(year)

    return sorted(oracle.all_games(), key=folders)


def _renamed(game: Game, number: int, tags: dict[str, str]) -> Game:
    found = Game(game.source, number, tags, "*", breaks_off=False, has_notes=False)
    found.at.extend(At(found, at.ply, at.board, at.node) for at in game.at)
    return found


def in_full(board: chess.Board) -> str:
    """A FEN that tells of the square behind a pawn's double step, whether it can be captured there or not."""
    return board.fen(en_passant="fen")


def _games_as_rows() -> list[dict[str, str]]:
    return [
        {
            "fen": in_full(game.at[0].board),
            "moves": " ".join(at.board.uci(at.move) for at in game.at if at.move),
        }
        for game in in_tables()
    ]


def _positions_as_rows() -> list[dict[str, str]]:
    return [{"fen": in_full(game.at[0].board), "note": f"row {game.number}"} for game in oracle.lone_positions()]


def _written_as_tables(folder: Path, stem: str, rows: list[dict[str, str]]) -> dict[str, Any]:
    """The rows as CSV, JSON lines, Parquet, databases of SQLite and DuckDB, and an Arrow table."""
    table = pa.Table.from_pylist(rows)
    paths = {kind: str(folder / f"{stem}.{kind}") for kind in ("csv", "jsonl", "parquet", "db", "duckdb")}
    pyarrow.csv.write_csv(table, paths["csv"])
    Path(paths["jsonl"]).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    pyarrow.parquet.write_table(table, paths["parquet"])
    columns, marks = ", ".join(f"{name} varchar" for name in rows[0]), ", ".join("?" * len(rows[0]))
    for connect, kind in ((sqlite3.connect, "db"), (duckdb.connect, "duckdb")):
        database: Any = connect(paths[kind])
        database.execute(f"create table those ({columns})")
        database.executemany(f"insert into those values ({marks})", [[*row.values()] for row in rows])  # noqa: S608
        database.commit()
        database.close()
    return paths | {"arrow": table}


# ---------------------------------------------------------------------------------------------------------- all of them


def standard_input(plain: Source) -> Source:
    """A file as it comes by standard input."""
    return replace(plain, name="standard input", given="-", names={"<stdin>": "all"}, piped=plain.given)


def sources_of_pgn(folder: Path) -> dict[str, Source]:
    """Every kind of source that is PGN, made in a folder."""
    found: dict[str, Source] = {}

    def enter(name: str, given: Any, games: Callable[[], list[Game]], names: dict[str, str]) -> None:
        found[name] = Source(name, given, OF_PGN, games, names)

    text = oracle.one_text().encode()
    plain = folder / "all.pgn"
    plain.write_bytes(text)
    enter("pgn", str(plain), oracle.all_games, {str(plain): "all"})
    for suffix, pack in PACKERS.items():
        path = folder / f"all.pgn.{suffix}"
        path.write_bytes(pack(text))
        enter(suffix, str(path), oracle.all_games, {str(path): "all"})
    enter("bytes", text, oracle.all_games, {"<bytes>": "all"})

    several = folder / "games"
    (several / "packed").mkdir(parents=True)
    files = {
        "one.pgn": several / "one.pgn",
        "three.pgn": several / "packed" / "three.pgn.zst",
        "two.pgn": several / "two.pgn",
    }
    for path in oracle.FILES:
        place = files[path.name]
        place.write_bytes(zstd.compress(path.read_bytes()) if place.suffix == ".zst" else path.read_bytes())
    named = {str(place): name for name, place in files.items()}
    in_order = dict(sorted(named.items()))
    order = list(in_order.values())

    def as_folder() -> list[Game]:
        return [game for name in order for game in oracle.games_in_files()[name]]

    enter("folder", str(several), as_folder, in_order)
    enter("glob", str(several / "**" / "*.pgn*"), as_folder, in_order)
    enter("list", list(in_order), as_folder, in_order)
    games = folder / "packed.parquet"
    setwise.pack(plain, games)
    enter("packed", str(games), oracle.all_games, {str(games): "all"})
    setwise.index(str(games), folder / "games.index")
    enter("index", str(folder / "games.index"), oracle.all_games, {str(games): "all"})
    return found


def all_sources(folder: Path) -> dict[str, Source]:
    """Every kind of source, made in a folder."""
    found = sources_of_pgn(folder)
    plain, several = found["pgn"], found["folder"]
    for name, of, options in (
        ("scan", plain, {}),
        ("scan of a folder", several, {}),
        ("scan by result and year", plain, {"partition_by": ("result", "year")}),
        ("scan of one file", plain, {}),
    ):
        place = folder / ("scanned.parquet" if name == "scan of one file" else name.replace(" ", "_"))
        setwise.scan(of.given, place, **options)  # type: ignore[arg-type]
        games = by_folder if options else of.games
        found[name] = Source(name, str(place), OF_SCANS, games, of.names)

    for kind, given in _written_as_tables(folder, "moves", _games_as_rows()).items():
        place = given if isinstance(given, str) else "<table>"
        found[f"{kind} with moves"] = Source(f"{kind} with moves", given, OF_MOVES, in_tables, {place: "all"})
    return found | sources_of_positions(folder)


def sources_of_positions(folder: Path, most: int | None = None) -> dict[str, Source]:
    """Every kind of source of lone positions, of all or of so many."""

    def games() -> list[Game]:
        return oracle.lone_positions()[:most]

    def of_epd() -> list[Game]:
        return without_counters()[:most]

    boards = [game.at[0].board for game in games()]
    found: dict[str, Source] = {}
    for kind, given in _written_as_tables(folder, "fens", _positions_as_rows()[:most]).items():
        place = given if isinstance(given, str) else "<table>"
        found[f"{kind} of positions"] = Source(f"{kind} of positions", given, OF_POSITIONS, games, {place: "all"})
    fens, epd = folder / "list.fen", folder / "list.epd"
    fens.write_text("".join(f"{in_full(board)}\n" for board in boards))
    epd.write_text("".join(f'{board.epd(en_passant="fen")} id "{at}";\n' for at, board in enumerate(boards)))
    held = setwise.Positions.from_fens([in_full(board) for board in boards], chess960=True)
    for name, given, held_games, place in (
        ("list of FENs", str(fens), games, str(fens)),
        ("list of EPDs", str(epd), of_epd, str(epd)),
        ("FENs in memory", held, games, "<positions>"),
    ):
        found[name] = Source(name, given, OF_POSITIONS, held_games, {place: "all"})
    return found
