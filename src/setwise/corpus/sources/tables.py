"""Tables and lists as sources: a column of FENs, with moves behind them or not, columns of a scan, lines of FENs."""

from __future__ import annotations

import codecs
import io
import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from setwise.archives.opening import Chunks, opened
from setwise.archives.opening import Source as Text
from setwise.corpus.columns import COLUMNS
from setwise.corpus.sources.holdings import GAMES_TABLE, LOOKS, of_table
from setwise.corpus.sources.jobs import Batch, Job, OneName, Opened
from setwise.corpus.sources.records import Records
from setwise.corpus.storage import layout
from setwise.errors import InvalidFen, SetwiseError, SourceError, shortened
from setwise.game.blocks import Block
from setwise.game.games import Fault, parse_block
from setwise.position.positions import Positions

__all__ = ["FenList", "csv_rows", "fen_name", "json_lines", "json_names", "parquet", "table"]

#: Rows of a table, and lines of a list, that are searched at once.
_ROWS = 1 << 16
#: Bytes of lines that are read at once.
_TEXT = 1 << 23

#: Letters of a reason that a message may have.
_LONGEST_REASON = 300

_LIST_LINE = re.compile(r"\s*(\S+(?:\s+[wb](?:\s+\S+(?:\s+[a-h1-8-]+(?:\s+\d+(?:\s+\d+)?)?)?)?)?)\s*;?(.*)", re.DOTALL)
_FEN_LETTERS, _MOVE_LETTERS = re.compile(r"[\w/ -]+"), re.compile(r"[a-h0-8nbrqNBRQ ]*")


# -------------------------------------------------------------------------------------------------------------- tables


@dataclass(frozen=True)
class _TableJob(Job):
    """Rows of a table whose FENs, or whose columns, are positions; with moves behind the FENs they are games."""

    name: str
    first: int
    others: pa.Table
    fens: pa.ChunkedArray | None
    moves: pa.ChunkedArray | None
    #: The lines of the rows, where each has one.
    lines: list[int] | None = None

    def run(self) -> Batch:
        with reading(self.name):
            if self.fens is not None and self.moves is not None:
                return self._games(self.fens, self.moves)
            return self._positions()

    def _positions(self) -> Batch:
        table = unsigned(self.others)
        wrong: dict[int, InvalidFen] = {}
        if self.fens is None:
            positions, rows = _of_columns(table, self.name), np.arange(table.num_rows, dtype=np.int32)
        else:
            positions, rows, wrong = Positions.sound_fens(self.fens, chess960=True)
        positions.others, positions.row = table, rows
        positions.game, positions.ply = _games_in(table, rows)
        positions.moves = np.zeros(len(rows), np.uint16) if positions.moves is None else positions.moves
        positions.games = records = Records(self.name, self.first, table.num_rows)
        lines = self.lines or [0] * table.num_rows
        faults = [Fault(self.name, lines[row], self.first + row, "", str(error)) for row, error in wrong.items()]
        return Batch(records, positions, faults, table.nbytes)

    def _games(self, fens: pa.ChunkedArray, moves: pa.ChunkedArray) -> Batch:
        """The same as games: the reader of PGN takes moves in UCI, too."""
        lines = zip(fens.to_pylist(), moves.to_pylist(), strict=True)
        texts = (f'[FEN "{_only(_FEN_LETTERS, fen)}"]\n\n{_only(_MOVE_LETTERS, line)} *\n\n' for fen, line in lines)
        games = parse_block(Block("".join(texts).encode(), self.name, 0, 1))
        games.first = self.first
        positions = games.positions()
        positions.others, positions.row = unsigned(self.others), positions.game
        faults = [fault._replace(line=0) for fault in games.faults()]
        return Batch(games, positions, faults, self.others.nbytes)


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
        return rows.astype(np.int32), np.zeros(len(rows), np.int32)
    ply = table.column("ply").to_numpy()[rows].astype(np.int32)
    if not len(rows):
        return rows.astype(np.int32), ply
    return np.cumsum(np.r_[0, _changes(table.take(pa.array(rows)))]).astype(np.int32), ply


def _changes(table: pa.Table) -> np.ndarray:
    """Whether each row but the first is of another game than the row before: its number or its source differs."""
    game = table.column("game").to_numpy()
    changes: np.ndarray = game[1:] != game[:-1]
    if "source" in table.column_names and pa.types.is_dictionary(table.schema.field("source").type):
        codes = table.column("source").unify_dictionaries().combine_chunks().indices.to_numpy(zero_copy_only=False)
        changes |= codes[1:] != codes[:-1]
    elif "source" in table.column_names:
        source = table.column("source")
        differs = pc.fill_null(pc.not_equal(source.slice(1), source.slice(0, len(source) - 1)), fill_value=False)
        changes |= differs.to_numpy()
    return changes


def fen_name(names: Iterable[str]) -> str | None:
    """Return the name among others of the column of FENs."""
    return next((name for name in names if name.lower() == "fen"), None)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Tell of a table that cannot be read in one sentence with its name.

    Raises:
        SourceError: in place of whatever Arrow and Python say of damaged tables.
    """
    try:
        yield
    except SetwiseError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise SourceError(f"{name} cannot be read as a table: {why[:_LONGEST_REASON]}") from None


class _Table(OneName):
    """A table with a column of FENs, or with the columns of a scan, however it is read."""

    def __init__(self, name: str, schema: pa.Schema, batches: Callable[[], Iterator[pa.Table]]) -> None:
        self.name, self.batches = name, batches
        if twice := next((it for it in schema.names if schema.names.count(it) > 1), None):
            raise SourceError(f"{name} has more than one column {shortened(twice)}: rename one of them")
        self.fen = fen_name(schema.names)
        if self.fen is None and not {"white_to_move", "white_pawns"} <= set(schema.names):
            raise SourceError(
                f"{name} has no column 'fen', and none of a scan: it has {shortened(', '.join(schema.names), 200)}"
            )
        self.moves = next((name for name in schema.names if name.lower() == "moves"), None) if self.fen else None
        self.is_pgn = self.moves is not None
        self.holdings = of_table(schema.names, self._basis(frozenset(schema.names)))
        self.others = {
            field.name: pa.uint64() if field.type == pa.int64() and _is_word(field.name) else field.type
            for field in schema
            if field.name != self.fen
        }

    def _basis(self, names: frozenset[str]) -> Iterator[str]:
        """What is computed from, besides boards: moves that are read, and places in games."""
        if self.moves is not None:
            yield from ("move", "ply", "plies", "fault", LOOKS, GAMES_TABLE)
        elif {"game", "ply"} <= names:
            yield LOOKS
        if self.fen is None:
            yield from names & {"move"}

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        first, batches = 1, self.batches()
        while True:
            with reading(self.name):
                table = next(batches, None)
            if table is None:
                return
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
    changes = np.flatnonzero(_changes(table))
    return int(changes[-1]) + 1 if len(changes) else 0


# --------------------------------------------------------------------------------------------------------------- lists


class FenList(OneName):
    """Lines that begin with a FEN, or with its first four fields as EPD has them."""

    is_pgn = False

    def __init__(self, source: Text, name: str) -> None:
        self.source, self.name = source, name
        self.others: Mapping[str, pa.DataType] = {"operations": pa.string()}
        self.holdings = of_table(self.others, ())

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield so many lines at once."""
        with opened(self.source) as (stream, _):
            texts = (io.StringIO(text.decode(), newline=None) for text in _lines_in(stream))
            first, fens, operations, lines = 1, list[str](), list[str](), list[int]()
            for number, line in enumerate(itertools.chain.from_iterable(texts), start=1):
                if not line.strip() or line.startswith("#"):
                    continue
                found = _LIST_LINE.match(line)
                fens.append(found[1] if found else line)
                operations.append(found[2].strip() if found else "")
                lines.append(number)
                if len(fens) == _ROWS:
                    yield self._job(first, fens, operations, lines)
                    first, fens, operations, lines = first + len(fens), [], [], []
            if fens:
                yield self._job(first, fens, operations, lines)

    def _job(self, first: int, fens: list[str], operations: list[str], lines: list[int]) -> Job:
        table, column = pa.table({"operations": operations}), pa.chunked_array([fens], pa.string())
        return _TableJob(self.name, first, table, column, None, lines)


def _lines_in(stream: IO[bytes]) -> Iterator[bytes]:
    """Many whole lines of a text at once, in UTF-8; those that are not are read as Latin-1, as tags of games are."""
    held, mark = list[bytes](), codecs.BOM_UTF8
    while chunk := stream.read(_TEXT):
        if end := chunk.rfind(b"\n") + 1:
            yield _in_utf8(b"".join((*held, memoryview(chunk)[:end])).removeprefix(mark))
            held, mark = [], b""
        held.append(chunk[end:])
    if any(held):
        yield _in_utf8(b"".join(held).removeprefix(mark))


def _in_utf8(text: bytes) -> bytes:
    try:
        pa.array([text], pa.binary()).cast(pa.string())  # several times as quick as Python's own look
    except pa.ArrowInvalid:
        return b"\n".join(map(_line_in_utf8, text.split(b"\n")))
    return text


def _line_in_utf8(line: bytes) -> bytes:
    try:
        line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1").encode()
    return line


# ------------------------------------------------------------------------------------------------------------- readers


def table(held: pa.Table) -> Opened:
    """Return the source that a table in memory is."""
    return _Table("<table>", held.schema, lambda: _cut(held.to_batches()))


def _begins_with(path: str | os.PathLike[str], magic: bytes) -> bool:
    with Path(path).open("rb") as file:
        return file.read(len(magic)) == magic


def parquet(source: Text, name: str) -> Opened:
    """A Parquet file where it lies; one that is packed, or comes by a pipe, in memory, as its end is read first."""
    with reading(name):
        if isinstance(source, str | os.PathLike) and _begins_with(source, b"PAR1"):
            file = pyarrow.parquet.ParquetFile(os.fspath(source), page_checksum_verification=True)
        else:
            with opened(source) as (stream, _):
                file = pyarrow.parquet.ParquetFile(pa.BufferReader(stream.read()), page_checksum_verification=True)
        told = layout.told(Path(source)) if isinstance(source, str) else {}
        schema = pa.schema([*file.schema_arrow, *((name, _kind_of(name)) for name in told)])

    def groups() -> Iterator[pa.RecordBatch]:
        for group in range(file.num_row_groups):
            with reading(f"{name}, row group {group + 1} of {file.num_row_groups},"):
                yield from file.iter_batches(_ROWS, row_groups=[group])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in groups():
            columns = (pa.repeat(pa.scalar(value).cast(_kind_of(name)), len(batch)) for name, value in told.items())
            yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    return _Table(name, schema, lambda: _cut(batches()))


def _kind_of(name: str) -> pa.DataType:
    """The type of a column that a scan is divided by, whose values its folders tell as texts."""
    kind = COLUMNS[name].type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def csv_rows(source: Text, name: str, delimiter: str) -> Opened:
    """Return the source that a text of rows is, packed or not."""
    options = {
        "read_options": pyarrow.csv.ReadOptions(block_size=_TEXT),
        "parse_options": pyarrow.csv.ParseOptions(delimiter=delimiter),
    }

    def read() -> Iterator[pa.RecordBatch]:
        with opened(source) as (stream, _):
            yield from pyarrow.csv.open_csv(pa.PythonFile(Chunks(_lines_in(stream)), "r"), **options)

    return _told_by_first(name, read)


def json_names(line: str) -> list[str] | None:
    """The names in a line that is a JSON object; a comment of PGN begins with a brace, too."""
    try:
        found = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return list(found) if isinstance(found, dict) else None


def json_lines(source: Text, name: str, names: list[str]) -> Opened:
    """Return the source that JSON lines are, of whose first object the names are known."""
    if not fen_name(names):
        raise SourceError(f"{name} begins like JSON lines, but its first line has no 'fen'")

    def read() -> Iterator[pa.RecordBatch]:
        with opened(source) as (stream, _):
            for text in _lines_in(stream):
                if text.strip():
                    yield from pyarrow.json.read_json(io.BytesIO(text)).to_batches()

    return _told_by_first(name, read)


def _told_by_first(name: str, read: Callable[[], Iterator[pa.RecordBatch]]) -> Opened:
    """A table whose schema its first batch tells."""
    begin = read()
    with reading(name):
        first = next(begin, None)
    if first is None:
        raise SourceError(f"{name} is a table without rows")

    begun = [itertools.chain([first], begin)]

    def batches() -> Iterator[pa.Table]:
        return _cut(batch.cast(first.schema) for batch in (begun.pop() if begun else read()))

    return _Table(name, first.schema, batches)
