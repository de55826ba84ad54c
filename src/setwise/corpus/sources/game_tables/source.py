"""Tables of games in Parquet as sources: packed games, and tables that have their moves as text, such as Lichess's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from setwise.archives.opening import Source as Text
from setwise.archives.opening import is_stream, opened
from setwise.corpus.sources import tables
from setwise.corpus.sources.beginning import Beginning
from setwise.corpus.sources.game_tables.games import TableGames
from setwise.corpus.sources.game_tables.rows import OWN, GameRows, as_texts
from setwise.corpus.sources.holdings import EVERYTHING, WITHOUT_VARIATIONS
from setwise.corpus.sources.jobs import Batch, Job, Opened
from setwise.corpus.sources.row_groups import RowGroup
from setwise.corpus.storage import layout
from setwise.corpus.storage.packed_games import COLUMNS, is_packed
from setwise.errors import SourceError, shortened
from setwise.system.arrow import pc, pq

__all__ = ["POSITIONS", "GameTable", "RowsOfGames", "part_of", "recognised"]

_MAGIC = b"PAR1"
#: Positions that are searched at once.
POSITIONS = 1 << 16
#: Letters of a move as text, with its number.
_LETTERS = 6
#: The bytes of PGN that a byte of a table stands for, about.
_UNPACKED = 3


def recognised(beginning: Beginning) -> Opened | None:
    """Return the table of games that a Parquet file is."""
    if not beginning.head.startswith(_MAGIC):
        return None
    with tables.reading(beginning.name):
        file = _file_of(beginning)
        with file() as parquet:
            metadata, schema = parquet.metadata, parquet.schema_arrow
    if not is_packed(metadata.metadata, beginning.name) and not _has_movetexts(schema):
        return None
    return GameTable(beginning.source, beginning.name, file, metadata, schema)


def _has_movetexts(schema: pa.Schema) -> bool:
    """Whether a table has the moves of games as text."""
    at = schema.get_field_index("movetext")
    if at < 0 or tables.fen_name(name for name in schema.names if name != "FEN"):
        return False
    kind = schema.field(at).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


class RowsOfGames(NamedTuple):
    """A group of rows of a file of games; a source of games."""

    path: str
    group: int
    #: The number of its first game.
    game: int
    #: About how many bytes of text it would have.
    size: int


def part_of(part: RowsOfGames) -> Opened:
    """Return the source that a group of rows is."""
    table = recognised(Beginning.of(part.path))
    if not isinstance(table, GameTable):
        raise SourceError(f"{part.path} has changed since it was opened: it has no packed games")
    table.part = part
    return table


class GameTable(Opened):
    """A table of games in Parquet."""

    holdings = WITHOUT_VARIATIONS
    variations = False
    has_texts = parses_moves = True
    #: The only group of rows that is read; None for all.
    part: RowsOfGames | None = None

    def __init__(
        self,
        source: Text,
        name: str,
        file: Callable[[], AbstractContextManager[pq.ParquetFile]],
        metadata: pq.FileMetaData,
        schema: pa.Schema,
    ) -> None:
        if twice := next((it for it in schema.names if schema.names.count(it) > 1), None):
            raise SourceError(f"{name} has more than one column {shortened(twice)}: rename one of them")
        self.source, self.name, self.file, self.metadata, self.schema = source, name, file, metadata, schema

    def read_variations(self) -> None:
        """Give the lines of variations, too, from now on."""
        self.variations, self.holdings = True, EVERYTHING

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield batches of whole games."""
        yield from self.jobs_from(1, notes=notes)

    def jobs_from(self, number: int, *, notes: bool) -> Iterator[Job]:
        """Yield the same batches; the first game of the table has a number."""
        for part in self.divided(0) if self.part is None else [self.part]:
            group, first = self.group(part.group), part.game + number - 1
            for start, stop in self._batches(group):
                yield _RowsJob(GameRows(group, start, stop), self.name, first + start, notes, self.variations)

    def divided(self, size: int, *, numbered_by: int | None = None) -> Iterator[RowsOfGames]:
        """Yield the groups of rows of the file, with the numbers of their first games."""
        first = 1
        for number in range(self.metadata.num_row_groups):
            group = self.metadata.row_group(number)
            yield RowsOfGames(self.name, number, first, _UNPACKED * group.total_byte_size)
            first += group.num_rows

    def group(self, number: int) -> RowGroup:
        """Return a group of rows, whose columns are read at their first use."""

        def read(name: str) -> pa.ChunkedArray:
            with tables.reading(f"{self.name}, row group {number + 1} of {self.metadata.num_row_groups},"):
                with self.file() as parquet:
                    column = parquet.read_row_group(number, [name]).column(name)
                if len(column) != count:
                    raise ValueError(f"its column {name} has {len(column):,} values instead of {count:,}")
                column.validate(full=True)
                if name in OWN:  # another program may have written them in other types
                    known = COLUMNS.get_field_index(name)
                    return column.cast(COLUMNS.field(known).type) if known >= 0 else column
                return as_texts(column, name)

        count = self.metadata.row_group(number).num_rows
        folders = layout.hive_values(Path(self.source)) if isinstance(self.source, str) else {}
        return RowGroup(self.schema, count, read, {name: pa.scalar(it, pa.string()) for name, it in folders.items()})

    def _batches(self, group: RowGroup) -> Iterator[tuple[int, int]]:
        """Where batches of about as many positions as are searched at once begin and end."""
        with tables.reading(self.name):
            is_packed = "moves" in group.schema.names
            column = group.column("moves" if is_packed else "movetext")
            lengths = pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False)
            ends = np.cumsum(lengths // (2 if is_packed else _LETTERS) + 1)
        start = 0
        while start < group.count:
            before = ends[start - 1] if start else 0
            stop = max(int(np.searchsorted(ends, before + POSITIONS)), start + 1)
            yield start, min(stop, group.count)
            start = stop


class _RowsJob(Job):
    """Some rows of a table, each a game."""

    def __init__(self, rows: GameRows, name: str, first: int, notes: bool, variations: bool) -> None:
        self.rows, self.name, self.first, self.notes, self.variations = rows, name, first, notes, variations

    def run(self) -> Batch:
        games = TableGames.of(self.rows, self.name, self.first, notes=self.notes, variations=self.variations)
        return Batch(games, None, list(games.faults()), 2 * len(games.moves))


def _file_of(beginning: Beginning) -> Callable[[], AbstractContextManager[pq.ParquetFile]]:
    """Return what opens a Parquet file for a column, where it lies; one that is compressed or a stream is kept."""
    source = beginning.source
    if isinstance(source, str | os.PathLike) and not is_stream(source):
        with open(source, "rb") as file:  # noqa: PTH123  (the name of a stream that is kept is a text)
            is_plain = file.read(len(_MAGIC)) == _MAGIC
        if is_plain:
            return lambda: pq.ParquetFile(os.fspath(source), page_checksum_verification=True)
    with opened(source) as (stream, _):
        beginning.source = held = stream.read()  # a stream cannot be read again by the next kind that is tried
    return lambda: pq.ParquetFile(pa.BufferReader(held), page_checksum_verification=True)
