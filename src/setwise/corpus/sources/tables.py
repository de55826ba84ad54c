"""Tables as sources: a column of FENs, perhaps with a column of moves, or the columns of a scan.

A table comes from Arrow, Parquet, CSV or JSON lines, as batches of rows. If it has FENs, each row is a position, or a
game if there is also a column ``moves``. If it has the columns of a scan, its rows are positions; with the columns
``game`` and ``ply`` they belong to games, and a batch has only whole games. Columns of Parquet are read at their first
use (``rows``). The other columns of the table keep their own names; they come before columns of the same names
that setwise would compute. Positions in memory are here, too: they are a table that needs no reading.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import IO, Any, TypeAlias, TypeVar, cast

import numpy as np
import pyarrow as pa

from setwise.archives import is_stream, opened, unreadable
from setwise.corpus.columns import COLUMNS, EVALUATED, PAST
from setwise.corpus.columns.registry import lowered
from setwise.corpus.sources.jobs import GAMES_TABLE, LOOKS, Batch, Holdings, Job, Question, Records, Source, of_table
from setwise.corpus.sources.places import Beginning
from setwise.corpus.sources.rows import StoredRows
from setwise.errors import InvalidFen, QueryError, SetwiseError, SourceError, shortened
from setwise.game.batch import Block, GamePositions, Repair, nul_bytes
from setwise.game.games import Fault, Games
from setwise.notation.text import decoded
from setwise.position.positions import Positions
from setwise.system.packages import pc, pq

#: Opens a Parquet file.
OpenParquet: TypeAlias = "Callable[[], AbstractContextManager[pq.ParquetFile]]"


def parquet_file(beginning: Beginning) -> OpenParquet:
    """Return the function that opens a Parquet file in place; a packed file or a stream is read into memory here.

    The end of a Parquet file is read first, which is impossible in a stream.
    """
    source = beginning.source
    if isinstance(source, str | os.PathLike) and not is_stream(source):
        with open(source, "rb") as file:  # noqa: PTH123  (the name of a stream that is kept is a text)
            is_plain = file.read(len(PARQUET)) == PARQUET
        if is_plain:
            return lambda: pq.ParquetFile(os.fspath(source), page_checksum_verification=True)
    with opened(source) as (stream, _):
        beginning.source = held = stream.read()  # the next kind that is tried cannot read the stream again
    return lambda: pq.ParquetFile(pa.BufferReader(held), page_checksum_verification=True)


# ---------------------------------------------------------------------------------------------------- tables as sources


#: How a Parquet file begins.
PARQUET = b"PAR1"
#: How many rows of a table, or lines of a list, are searched at once.
ROWS = 1 << 16
#: The most letters of a reason in a message.
_LONGEST_REASON = 300

_FEN_LETTERS, _MOVE_LETTERS = re.compile(r"[\w/ -]+"), re.compile(r"[a-h0-8nbrqNBRQ ]*")


# -------------------------------------------------------------------------------------------------------------- tables


@dataclass(frozen=True)
class TableJob(Job):
    """Rows of a table with positions as FENs or as columns; if there are moves after the FENs, the rows are games."""

    name: str
    first: int
    source_columns: pa.Table | StoredRows
    fens: pa.ChunkedArray | None
    moves: pa.ChunkedArray | None
    #: The lines of the rows in the text, if each row has a line.
    lines: list[int] | None = None

    def run(self) -> Batch:
        """Return the positions of the rows; if the rows are games, the positions of these games."""
        with reading(self.name):
            if self.fens is not None and self.moves is not None:
                return self._games(self.fens, self.moves)
            return self._positions()

    def _positions(self) -> Batch:
        table = unsigned(self.source_columns)
        wrong, mended = dict[int, InvalidFen](), dict[int, str]()
        if self.fens is None:
            positions, rows = _of_columns(table, self.name), np.arange(table.num_rows, dtype=np.int32)
        else:
            positions, rows, wrong = Positions.sound_fens(self.fens, chess960=None, mended=mended)
        records = Records(self.name, self.first, table.num_rows)
        game, ply = _games_in(table, rows)
        moves = np.zeros(len(rows), np.uint16) if positions.moves is None else positions.moves
        placed = GamePositions.of(positions, records, moves=moves, game=game, ply=ply, source_columns=table, row=rows)
        lines = self.lines or [0] * table.num_rows
        faults = [Fault(self.name, lines[row], self.first + row, "", str(error)) for row, error in wrong.items()]
        for row, fen in mended.items():
            old = str(cast("pa.ChunkedArray", self.fens)[row])
            faults.append(Repair(self.name, lines[row], self.first + row, old, f"is read as {fen}"))
        return Batch(records, placed, faults, table.nbytes)

    def _games(self, fens: pa.ChunkedArray, moves: pa.ChunkedArray) -> Batch:
        """Return the rows as games: the reader of PGN reads moves in UCI, too."""
        lines = zip(fens.to_pylist(), moves.to_pylist(), strict=True)
        texts = (f'[FEN "{_only(_FEN_LETTERS, fen)}"]\n\n{_only(_MOVE_LETTERS, line)} *\n\n' for fen, line in lines)
        games = Games.parsed(Block("".join(texts).encode(), self.name, 0, 1))
        games.first = self.first
        positions = games.positions()
        positions = positions.with_source_columns(unsigned(self.source_columns), positions.game)
        faults = [fault._replace(line=0) for fault in (*games.faults(), *games.repairs())]
        return Batch(games, positions, faults, self.source_columns.nbytes)


def _only(letters: re.Pattern[str], text: str | None) -> str:
    """Return a text if it has only these letters, else a text that is neither a FEN nor a move."""
    return text if text is not None and letters.fullmatch(text) else "-"


def unsigned(table: pa.Table | StoredRows) -> pa.Table | StoredRows:
    """Return the same table with sets as unsigned numbers; older scans store the same bits as signed numbers."""
    if isinstance(table, StoredRows):  # its columns are unsigned already
        return table
    for at, name in enumerate(table.column_names):
        known = COLUMNS.get(name.lower())
        if known is not None and known.type == pa.uint64() and table.field(at).type == pa.int64():
            chunks = [chunk.view(pa.uint64()) for chunk in table.column(at).chunks]
            table = table.set_column(at, name, pa.chunked_array(chunks, pa.uint64()))
    return table


def _of_columns(table: pa.Table, name: str) -> Positions:
    try:
        return Positions.from_arrow(table)
    except ValueError as error:
        raise SourceError(f"{name}: {error}") from None


def _games_in(table: pa.Table | StoredRows, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the game numbers and the plies of rows; in a table without these columns, each row is a game."""
    table = table.read(("source", "game", "ply")) if isinstance(table, StoredRows) else table
    if not {"game", "ply"} <= set(table.column_names):
        return rows.astype(np.int32), np.zeros(len(rows), np.int32)
    ply = table.column("ply").to_numpy()[rows].astype(np.int32)
    if not len(rows):
        return rows.astype(np.int32), ply
    return np.cumsum(np.r_[0, _changes(table.take(pa.array(rows)))]).astype(np.int32), ply


def _changes(table: pa.Table) -> np.ndarray:
    """Whether each row after the first belongs to another game than the row before: its number or source differs."""
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
    """Return the name of the column of FENs among the names of columns."""
    return next((name for name in names if name.lower() == "fen"), None)


_Rows = TypeVar("_Rows")


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise errors about an unreadable table as one sentence with the name of the table.

    Raises:
        SourceError: in place of the errors of Arrow and Python for damaged tables.
    """
    try:
        yield
    except SetwiseError:
        raise
    except (pa.ArrowException, *unreadable(), TypeError, LookupError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise SourceError(f"{name} cannot be read as a table: {why[:_LONGEST_REASON]}") from None


def each(batches: Iterator[_Rows], name: str) -> Iterator[_Rows]:
    """Yield batches of rows; an error of reading them names the table."""
    while True:
        with reading(name):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def check_names(name: str, names: list[str]) -> None:
    """Raise ``SourceError`` if two columns of a table have the same name, or names that differ only in case."""
    small = list(map(lowered, names))
    if twice := next((it for it in small if small.count(it) > 1), None):
        named = sorted({it for it in names if lowered(it) == twice})
        both = f"columns {shortened(named[0])} and {shortened(named[-1])}, which differ only in case"
        has = both if len(named) > 1 else f"more than one column {shortened(named[0])}"
        raise SourceError(f"{name} has {has}: rename one of them")


class TableSource(Source):
    """A table with a column of FENs, or with the columns of a scan, from any kind of file."""

    def __init__(self, name: str, schema: pa.Schema, batches: Callable[[], Iterator[pa.Table | StoredRows]]) -> None:
        self.name, self.batches = name, batches
        check_names(name, schema.names)
        self.fen = fen_name(schema.names)
        if self.fen is None and not {"white_to_move", "white_pawns"} <= set(schema.names):
            raise SourceError(
                f"{name} has no column 'fen', and none of a scan: it has {shortened(', '.join(schema.names), 200)}"
            )
        if self.fen is None:
            _of_columns(unsigned(schema.empty_table()), name)
        elif not re.search("string|null", kind := str(schema.field(self.fen).type)):
            raise SourceError(f"{name} has no texts in its column {self.fen}: its type is {kind}")
        self.moves = next((name for name in schema.names if name.lower() == "moves"), None) if self.fen else None
        self.parses_moves = self.moves is not None
        self.holdings = of_table(schema.names, self._basis(frozenset(schema.names)))
        self.source_columns = {
            field.name: pa.uint64() if field.type == pa.int64() and _is_word(field.name) else field.type
            for field in schema
            if field.name != self.fen
        }

    def _basis(self, names: frozenset[str]) -> Iterator[str]:
        """Yield the names of the basis in addition to boards: moves that are read, and places in games."""
        if self.moves is not None:
            yield from ("move", "ply", "plies", "white_checks_given", "black_checks_given", "fault", LOOKS, GAMES_TABLE)
            yield from (PAST, EVALUATED)  # its games have none of these
        elif {"game", "ply"} <= names:
            yield LOOKS
        if self.fen is None:
            yield from names & {"move"}

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield the batches of the table."""
        first, seen = 1, set[tuple[Any, ...]]()
        for table in each(self.batches(), self.name):
            if question.per_game is not None and {"game", "ply"} <= set(table.column_names):
                self._check_together(table, seen)
            source_columns = table if self.fen is None else table.drop_columns([self.fen])
            columns = (None if name is None else table.column(name) for name in (self.fen, self.moves))
            yield TableJob(self.name, first, source_columns, *columns)
            first += table.num_rows

    def _check_together(self, table: pa.Table, seen: set[tuple[Any, ...]]) -> None:
        """Raise ``QueryError`` if a game comes back after another one; ``seen`` are the games of the tables before."""
        begins = pa.array(np.r_[0, np.flatnonzero(_changes(table)) + 1][: table.num_rows])
        names = [name for name in ("source", "game") if name in table.column_names]
        for game in zip(*(table.column(name).take(begins).to_pylist() for name in names), strict=True):
            if game in seen:
                raise QueryError(
                    f"per game needs the positions of a game side by side, and in {self.name} game {game[-1]} comes "
                    "back after another one: order its rows by source, game and ply"
                )
            seen.add(game)


def _is_word(name: str) -> bool:
    column = COLUMNS.get(name.lower())
    return column is not None and column.type == pa.uint64()


def whole_games(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield tables with about ``ROWS`` rows each; if the rows belong to games, only whole games."""
    held: list[pa.Table] = []
    count = 0
    for batch in batches:
        held.append(pa.Table.from_batches([batch]))
        count += batch.num_rows
        if count >= ROWS:
            table = pa.concat_tables(held)
            end = _last_game(table)
            if end:
                yield table.slice(0, end)
            held, count = [table.slice(end)], table.num_rows - end
    if count:
        yield pa.concat_tables(held)


def _last_game(table: pa.Table) -> int:
    """Return the first row of the last game, which may continue in the next rows; without games, the number of rows."""
    if not {"game", "ply"} <= set(table.column_names):
        return table.num_rows
    changes = np.flatnonzero(_changes(table))
    return int(changes[-1]) + 1 if len(changes) else 0


def table(held: pa.Table) -> Source:
    """Return a table in memory as a source."""
    return TableSource("<table>", held.schema, lambda: whole_games(held.to_batches()))


# -------------------------------------------------------------------------------------- lines of text sources, in UTF-8


#: How many bytes of lines are read at once.
TEXT = 1 << 23


def lines_in(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield blocks of whole lines in UTF-8; lines that are not UTF-8 are read as Windows-1252, like the tags of games.

    Raises:
        SourceError: for a text that has NUL bytes, or cannot be read to its end.
    """
    held, mark = list[bytes](), codecs.BOM_UTF8
    for chunk in _chunks(stream, name):
        if end := chunk.rfind(b"\n") + 1:
            yield _in_utf8(b"".join((*held, memoryview(chunk)[:end])).removeprefix(mark))
            held, mark = [], b""
        held.append(chunk[end:])
    if any(held):
        yield _in_utf8(b"".join(held).removeprefix(mark))


def _chunks(stream: IO[bytes], name: str) -> Iterator[bytes]:
    read = 0
    try:
        while chunk := stream.read(TEXT):
            if (hole := chunk.find(0)) >= 0:
                raise SourceError(nul_bytes(name, read + hole))
            yield chunk
            read += len(chunk)
    except SetwiseError:
        raise
    except unreadable() as error:
        raise SourceError(f"{name} cannot be read beyond byte {read:,} of its text: {error}") from None


def _in_utf8(text: bytes) -> bytes:
    try:
        pa.array([text], pa.binary()).cast(pa.string())  # several times faster than Python's decode
    except pa.ArrowInvalid:
        return b"\n".join(decoded(line).encode() for line in text.split(b"\n"))
    return text


# -------------------------------------------------------------------------------------- Positions in memory as a source


class PositionsInMemory(Source, Job):
    """Positions without games."""

    name = "<positions>"

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.holdings = of_table((), {"ply", "move", LOOKS} - _lacking(positions))

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield the only batch."""
        yield self

    def run(self) -> Batch:
        """Return the positions, each with its source and number."""
        positions, count = self.positions, len(self.positions)
        records, rows = Records(self.name, 1, count), np.arange(count, dtype=np.int32)
        columns: dict[str, Any] = {"row": rows}
        if positions.moves is None:
            columns["moves"] = np.zeros(count, np.uint16)
        if positions.game is None:
            columns |= {"game": rows, "ply": np.zeros(count, np.int32)}
        return Batch(records, GamePositions.of(positions, records, **columns), [], 0)


class GamePositionsInMemory(Source, Job):
    """Positions with their games."""

    def __init__(self, positions: GamePositions) -> None:
        self.positions, self.name = positions, positions.games.source
        self.holdings = Holdings("the positions of", "they come without it; ask the PGN", without=_lacking(positions))

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield the only batch."""
        yield self

    def run(self) -> Batch:
        """Return the positions, with the name of this source in their games."""
        positions, games = self.positions, cast("Games | Records", self.positions.games.called(self.name))
        return Batch(games, GamePositions.of(positions, games, source_columns=positions.source_columns), [], 0)

    def whole(self, read: dict[str, tuple[Hashable, int]]) -> Hashable:
        """Return a key of the file or other whole that the games were read from.

        Several files can have the same name, and positions do not record from which of these their games were read. If
        the games have higher numbers than the games before, they count as games of the same file: batches are read in
        order.
        """
        games = self.positions.games
        whole, end = read.get(games.source, (object(), 0))
        whole = whole if games.first >= end else object()
        read[games.source] = whole, games.first + len(games)
        return whole


def _lacking(positions: Positions) -> frozenset[str]:
    """Return the columns that positions in memory do not have: some have no moves or places in games."""
    without = {name for name, there in (("ply", positions.ply), ("move", positions.moves)) if there is None}
    if positions.ply is None or positions.game is None:
        without.add(LOOKS)
    return frozenset(without)
