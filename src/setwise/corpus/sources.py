"""What can be searched: files of games, lists of FENs and EPDs, tables, folders, positions in memory.

The kind of a file is told by its beginning, not by its name. Whatever it is, it becomes jobs, each of which gives a
batch of positions; the jobs of one source may run at the same time.
"""

from __future__ import annotations

import codecs
import csv
import functools
import glob
import io
import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from setwise.corpus.columns import COLUMNS
from setwise.corpus.records import Records
from setwise.errors import InvalidFen, SourceError, shortened
from setwise.game.games import Fault, Games, parse_block
from setwise.game.recognition import pgn_blocks
from setwise.game.sources import BLOCK, BYTES, Block, opened
from setwise.game.sources import Source as Text
from setwise.position.position import Position
from setwise.position.positions import Positions

__all__ = ["Batch", "Job", "Opened", "Source", "resolved"]

#: What may be searched.
Source: TypeAlias = Text | Positions | Position | pa.Table

#: Bytes of text that are searched at once: a query takes DuckDB a millisecond, however few rows there are.
_SEARCHED = 2 * BLOCK
#: Rows of a table, and lines of a list, that are searched at once.
_ROWS = 1 << 16
#: Bytes by which a text shows its kind.
_HEAD = 1 << 14

_PGN_NAME = re.compile(r"\.pgn(\.(zst|gz|bz2|xz))?\Z", re.IGNORECASE)
_RANK = r"[pnbrqkPNBRQK1-8~]+"
_FEN_LINE = re.compile(rf"{_RANK}(/{_RANK}){{7}}(\s|\Z)")
_LIST_LINE = re.compile(r"\s*(\S+(?:\s+[wb](?:\s+\S+(?:\s+[a-h1-8-]+(?:\s+\d+(?:\s+\d+)?)?)?)?)?)\s*;?(.*)", re.DOTALL)
_FEN_LETTERS, _MOVE_LETTERS = re.compile(r"[\w/ -]+"), re.compile(r"[a-h1-8nbrqNBRQ ]*")
_GLOB = re.compile(r"[*?\[]")


class Batch:
    """What one job gives: positions and where they come from, what was wrong, how much text that was."""

    def __init__(self, games: Games | Records, positions: Positions | None, faults: list[Fault], size: int) -> None:
        self.games, self.faults, self.size = games, faults, size
        if positions is not None:
            self.positions = positions

    @functools.cached_property
    def positions(self) -> Positions:
        """The positions; games are replayed when somebody asks for them."""
        return self.games.positions()  # type: ignore[union-attr]


class Job(Protocol):
    """One batch to be made, by any thread."""

    def run(self) -> Batch:
        """Make it."""

    def abandon(self) -> None:
        """Say that it will never be made, so that nobody waits for it."""


class Opened(Protocol):
    """A source that has told what it is."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def others(self) -> Mapping[str, pa.DataType]:
        """The columns that it has itself, beside those of every position."""

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield its batches to be made, in order. Raises ``SourceError`` where it cannot be read."""


# --------------------------------------------------------------------------------------------------------------- games


class _ParseJob:
    """A block of games; its games are numbered once the block before it is parsed, which has started earlier."""

    def __init__(self, block: Block, first: Future[int], notes: bool) -> None:
        self.block, self.first, self.notes = block, first, notes
        self.following: Future[int] = Future()

    def run(self) -> Batch:
        try:
            games = parse_block(self.block, notes=self.notes)
            games.first = self.first.result()
            self.following.set_result(games.first + len(games))
        except BaseException as error:
            self.following.set_exception(error)
            raise
        return Batch(games, None, list(games.faults()), len(self.block.text))

    def abandon(self) -> None:
        self.following.set_exception(CancelledError())


class _Pgn:
    others: Mapping[str, pa.DataType] = {}

    def __init__(self, source: Text, name: str) -> None:
        self.source, self.name = source, name

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        first: Future[int] = Future()
        first.set_result(1)
        for block in pgn_blocks(self.source, _SEARCHED):
            job = _ParseJob(block, first, notes)
            first = job.following
            yield job


# -------------------------------------------------------------------------------------------------------------- tables


class _TableJob(NamedTuple):
    """Rows of a table whose FENs, or whose columns, are positions; with moves behind the FENs they are games."""

    name: str
    first: int
    others: pa.Table
    fens: pa.ChunkedArray | None
    moves: pa.ChunkedArray | None

    def run(self) -> Batch:
        if self.fens is not None and self.moves is not None:
            return self._games(self.fens, self.moves)
        table = unsigned(self.others)
        wrong: dict[int, InvalidFen] = {}
        if self.fens is None:
            positions, rows = _of_columns(table, self.name), np.arange(table.num_rows, dtype=np.int32)
        else:
            positions, rows, wrong = Positions.sound_fens(self.fens, chess960=True)
        positions.others, positions.row = table, rows
        positions.game, positions.ply = _games_in(table, rows)
        positions.moves = np.zeros(len(rows), np.uint16)
        positions.games = records = Records(self.name, self.first, table.num_rows)
        faults = [Fault(self.name, self.first + row, self.first + row, "", str(error)) for row, error in wrong.items()]
        return Batch(records, positions, faults, table.nbytes)

    def _games(self, fens: pa.ChunkedArray, moves: pa.ChunkedArray) -> Batch:
        """The same as games: the reader of PGN takes moves in UCI, too."""
        lines = zip(fens.to_pylist(), moves.to_pylist(), strict=True)
        texts = (f'[FEN "{_only(_FEN_LETTERS, fen)}"]\n\n{_only(_MOVE_LETTERS, line)} *\n\n' for fen, line in lines)
        games = parse_block(Block("".join(texts).encode(), self.name, 0, 1))
        games.first = self.first
        positions = games.positions()
        positions.others, positions.row = unsigned(self.others), positions.game
        faults = [fault._replace(line=fault.game) for fault in games.faults()]
        return Batch(games, positions, faults, self.others.nbytes)

    def abandon(self) -> None:
        pass


def _only(letters: re.Pattern[str], text: str | None) -> str:
    """A text if it holds nothing but these letters, else one that is no FEN and no move."""
    return text if text is not None and letters.fullmatch(text) else "-"


def unsigned(table: pa.Table) -> pa.Table:
    """The same table with sets as they are now: what older scans hold as signed numbers are the same bits."""
    for at, name in enumerate(table.column_names):
        known = COLUMNS.get(name.lower())
        if known is not None and known.type == pa.uint64() and table.field(at).type == pa.int64():
            table = table.set_column(
                at, name, pa.chunked_array([chunk.view(pa.uint64()) for chunk in table.column(at).chunks], pa.uint64())
            )
    return table


def _of_columns(table: pa.Table, name: str) -> Positions:
    try:
        return Positions.from_arrow(table)
    except ValueError as error:
        raise SourceError(f"{name}: {error}") from None


def _games_in(table: pa.Table, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the games that rows belong to, and the plies; a table without these columns has a game a row."""
    if not {"game", "ply"} <= set(table.column_names):
        return np.arange(len(rows), dtype=np.int32), np.zeros(len(rows), np.int32)
    game, ply = (table.column(name).to_numpy()[rows] for name in ("game", "ply"))
    return (np.cumsum(np.r_[0, game[1:] != game[:-1]]) if len(game) else game).astype(np.int32), ply.astype(np.int32)


def _fen_name(names: Iterable[str]) -> str | None:
    return next((name for name in names if name.lower() == "fen"), None)


class _Table:
    """A table with a column of FENs, or with the columns of a scan, however it is read."""

    def __init__(self, name: str, schema: pa.Schema, batches: Callable[[], Iterator[pa.Table]]) -> None:
        self.name, self.batches = name, batches
        self.fen = _fen_name(schema.names)
        if self.fen is None and not {"white_to_move", "white_pawns"} <= set(schema.names):
            raise SourceError(
                f"{name} has no column 'fen', and none of a scan: it has {shortened(', '.join(schema.names), 200)}"
            )
        self.moves = next((name for name in schema.names if name.lower() == "moves"), None) if self.fen else None
        self.others = {
            field.name: pa.uint64() if field.type == pa.int64() and _is_word(field.name) else field.type
            for field in schema
            if field.name != self.fen
        }

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        first = 1
        for table in self.batches():
            others = table if self.fen is None else table.drop_columns([self.fen])
            columns = (None if name is None else table.column(name) for name in (self.fen, self.moves))
            yield _TableJob(self.name, first, others, *columns)
            first += table.num_rows


def _is_word(name: str) -> bool:
    column = COLUMNS.get(name.lower())
    return column is not None and column.type == pa.uint64()


def _cut(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Tables of as many rows as are searched at once; of a scan, whole games only."""
    held: list[pa.Table] = []
    count = 0
    for batch in batches:
        held.append(pa.Table.from_batches([batch]))
        count += batch.num_rows
        if count >= _ROWS:
            table = pa.concat_tables(held)
            end = _last_game(table)
            if end:
                yield table.slice(0, end)
            held, count = [table.slice(end)], table.num_rows - end
    if count:
        yield pa.concat_tables(held)


def _last_game(table: pa.Table) -> int:
    """Where the last game begins, which the next rows may go on with; the end of a table without games."""
    if not {"game", "ply"} <= set(table.column_names):
        return table.num_rows
    game = table.column("game").to_numpy()
    changes = np.flatnonzero(game[1:] != game[:-1])
    return int(changes[-1]) + 1 if len(changes) else 0


# --------------------------------------------------------------------------------------------------------------- lists


class _List:
    """Lines that begin with a FEN, or with its first four fields as EPD has them."""

    def __init__(self, source: Text, name: str) -> None:
        self.source, self.name = source, name
        self.others: Mapping[str, pa.DataType] = {"operations": pa.string()}

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        with opened(self.source) as (stream, _):
            lines = codecs.getreader("utf-8")(stream, "replace")
            number, fens, operations = 1, list[str](), list[str]()
            for line in lines:
                if not line.strip() or line.startswith("#"):
                    continue
                found = _LIST_LINE.match(line)
                fens.append(found[1] if found else line)
                operations.append(found[2].strip() if found else "")
                if len(fens) == _ROWS:
                    yield self._job(number, fens, operations)
                    number, fens, operations = number + len(fens), [], []
            if fens:
                yield self._job(number, fens, operations)

    def _job(self, number: int, fens: list[str], operations: list[str]) -> Job:
        return _TableJob(
            self.name, number, pa.table({"operations": operations}), pa.chunked_array([fens], pa.string()), None
        )


# -------------------------------------------------------------------------------------------------------------- memory


class _Held:
    """Positions in memory."""

    others: Mapping[str, pa.DataType] = {}

    def __init__(self, positions: Positions) -> None:
        self.positions, self.name = positions, "<positions>"

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        yield self

    def run(self) -> Batch:
        positions = self.positions
        if positions.games is not None:
            return Batch(positions.games, positions, [], 0)
        count = len(positions)
        records, rows = Records(self.name, 1, count), np.arange(count, dtype=np.int32)
        held = positions[:]
        held.games, held.row = records, rows
        held.moves = np.zeros(count, np.uint16) if held.moves is None else held.moves
        held.game, held.ply = (rows, np.zeros(count, np.int32)) if held.game is None else (held.game, held.ply)
        return Batch(records, held, [], 0)

    def abandon(self) -> None:
        pass


# ---------------------------------------------------------------------------------------------------- telling the kind


def resolved(sources: Source | Iterable[Source]) -> Iterator[Opened]:
    """Yield every source that is meant, folders and patterns of names taken apart, in order.

    Raises:
        SourceError: for one that is missing, or is none.
    """
    single = (str, os.PathLike, Positions, Position, pa.Table, *BYTES)
    several: Iterable[Any] = [sources] if isinstance(sources, single) or hasattr(sources, "read") else sources
    for in_memory, group in itertools.groupby(several, lambda source: isinstance(source, Position)):
        if in_memory:
            yield _Held(Positions.from_positions(group))
        else:
            for source in group:
                yield from _resolved(source)


def _resolved(source: Any) -> Iterator[Opened]:
    if isinstance(source, Positions):
        yield _Held(source)
    elif isinstance(source, pa.Table):
        yield _Table("<table>", source.schema, lambda: _cut(source.to_batches()))
    elif isinstance(source, str | os.PathLike) and source != "-":
        yield from _of_path(os.fspath(source))
    else:
        yield _of_text(source)


def _of_path(path: str | bytes) -> Iterator[Opened]:
    path = os.fsdecode(path)
    if Path(path).is_dir():
        names = sorted(str(file) for file in Path(path).rglob("*") if _PGN_NAME.search(file.name) and file.is_file())
        if not names and (scan := Path(path, "positions.parquet")).is_file():
            names = [str(scan)]
        if not names:
            raise SourceError(f"{path} holds no .pgn files, packed or not, and no scan")
    elif not Path(path).exists() and _GLOB.search(path):
        found = glob.glob(path, recursive=True)  # noqa: PTH207  (a pattern may begin anywhere)
        names = sorted(name for name in found if not Path(name).is_dir())
        if not names:
            raise SourceError(f"no file is named like {path}")
    else:
        names = [path]
    for name in names:
        yield _of_text(name)


def _of_text(source: Text) -> Opened:
    """The source of a file, bytes or a stream, by how it begins."""
    with opened(source) as (stream, name):
        head = _head_of(stream)
    if not isinstance(source, str | os.PathLike | bytes | bytearray | memoryview) or source == "-":
        source = cast("Text", _Rest(head, source, stream, name))  # what has been read of a stream cannot be read again
    if head.startswith(b"PAR1"):
        return _parquet(source, name)
    line = next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    text = line.decode("utf-8", "replace").lstrip("\ufeff").strip()
    if text.startswith("{"):
        return _json_lines(source, name, text)
    if _FEN_LINE.match(text):
        return _List(source, name)
    fields = next(csv.reader([text], delimiter=_delimiter(text)), [])
    if len(fields) > 1 and _fen_name(fields):
        return _csv(source, name, _delimiter(text))
    return _Pgn(source, name)


def _head_of(stream: IO[bytes]) -> bytes:
    head = b""
    while len(head) < _HEAD and (chunk := stream.read(_HEAD - len(head))):
        head += chunk
    return head


class _Rest(io.RawIOBase):
    """A stream whose beginning has been read already."""

    def __init__(self, head: bytes, source: Any, rest: IO[bytes], name: str) -> None:
        self.head, self.source, self.rest, self.name = head, source, rest, name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.head[: len(buffer)] or self.rest.read(len(buffer))
        self.head = self.head[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)


def _parquet(source: Text, name: str) -> Opened:
    if isinstance(source, str | os.PathLike):
        file = pyarrow.parquet.ParquetFile(os.fspath(source))
    else:
        with opened(source) as (stream, _):
            file = pyarrow.parquet.ParquetFile(pa.BufferReader(stream.read()))
    return _Table(name, file.schema_arrow, lambda: _cut(file.iter_batches(_ROWS)))


def _csv(source: Text, name: str, delimiter: str) -> Opened:
    options = {
        "read_options": pyarrow.csv.ReadOptions(block_size=1 << 23),
        "parse_options": pyarrow.csv.ParseOptions(delimiter=delimiter),
    }

    def read() -> Iterator[pa.RecordBatch]:
        with opened(source) as (stream, _):
            yield from pyarrow.csv.open_csv(pa.PythonFile(stream, "r"), **options)

    return _told_by_first(name, read)


def _json_lines(source: Text, name: str, line: str) -> Opened:
    try:
        names = list(json.loads(line))
    except (ValueError, TypeError):
        names = []
    if not _fen_name(names):
        raise SourceError(f"{name} begins like JSON lines, but its first line is no object with a 'fen'")

    def read() -> Iterator[pa.RecordBatch]:
        with opened(source) as (stream, _):
            held = b""
            while chunk := stream.read(1 << 23):
                text, newline, held = (held + chunk).rpartition(b"\n")
                if newline:
                    yield from pyarrow.json.read_json(io.BytesIO(text + newline)).to_batches()
            if held.strip():
                yield from pyarrow.json.read_json(io.BytesIO(held)).to_batches()

    return _told_by_first(name, read)


def _told_by_first(name: str, read: Callable[[], Iterator[pa.RecordBatch]]) -> Opened:
    """A table whose schema its first batch tells."""
    reading = read()
    try:
        first = next(reading, None)
    except (pa.ArrowException, ValueError) as error:
        raise SourceError(f"{name} cannot be read as a table: {error}") from None
    if first is None:
        raise SourceError(f"{name} is a table without rows")

    def batches() -> Iterator[pa.Table]:
        def each() -> Iterator[pa.RecordBatch]:
            yield first
            try:
                yield from (batch.cast(first.schema) for batch in reading)
            except (pa.ArrowException, ValueError) as error:
                raise SourceError(f"{name} cannot be read to its end as a table: {error}") from None

        return _cut(each())

    return _Table(name, first.schema, batches)
