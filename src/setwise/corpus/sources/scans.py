"""Scans as sources: positions with their games, read one row group after another, and only the columns that are used.

A scan is a folder with a manifest, ``NAME.parquet`` with ``NAME.games.parquet`` beside it, or a part of either. Each
batch has whole games. ``ScannedGames`` replaces ``Games``, and reads from the table of games. If all games of a row
group begin at the usual position, boards are replayed from the moves, which needs one column in place of seventeen;
else the columns of the board are read. Bytes are compared with the checksums of the manifest before they are used, and
damage is reported in one sentence, which names the file and says what to do.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, EVALUATED, GAMES, OF_TAGS, PAST, PLACE
from setwise.corpus.columns.registry import RATINGS, known_ratings, plain_type
from setwise.corpus.sources.jobs import (
    LOOKS,
    Batch,
    Holdings,
    Job,
    Plan,
    Question,
    Records,
    Source,
    StoredCondition,
    StoredFiles,
    of_games,
    of_table,
)
from setwise.corpus.sources.places import Beginning, is_file
from setwise.corpus.sources.rows import RowGroup, StoredRows
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import outdated_in, usual_starts
from setwise.corpus.storage.layout import Chunk, FileSum, check_chunk, chunks, rest_of
from setwise.corpus.storage.log import Contents, contents_of, snapshot_of
from setwise.errors import SetwiseError, SourceError
from setwise.features import COLOURS
from setwise.game.batch import GamePositions, identities_of, say_chess960
from setwise.game.game import Game
from setwise.game.games import stored_game
from setwise.notation.moves import numbers_of
from setwise.notation.pgn.reader import replay_rows
from setwise.position import positions as arrow_tables
from setwise.position.history import Identities
from setwise.position.move import Move
from setwise.position.positions import Positions, read_moves
from setwise.rules.board import SETS
from setwise.system.packages import pq
from setwise.system.pool import pooled

# ------------------------------------------------------------------------------------------ the Parquet files of a scan


#: Files whose metadata are kept between searches.
_FOOTERS = 1 << 9


@contextmanager
def reading(path: Callable[[], Path], command: str) -> Iterator[None]:
    """Raise errors about a file of a store as one sentence, with where it is now and the command that makes it."""
    try:
        yield
    except SetwiseError:
        raise
    except (OSError, pa.ArrowException, ValueError, KeyError) as error:
        why = "missing:" if isinstance(error, FileNotFoundError) else f"damaged: {' '.join(str(error).split())};"
        raise SourceError(f"{path()} is {why} {command} the same sources again to make it anew") from None


def check_size(size: int, expected: int) -> None:
    """Raise ``ValueError`` for a file of another size."""
    if size != expected:
        raise ValueError(f"it has {size:,} bytes instead of {expected:,}")


class ScanFile:
    """A Parquet file whose columns are read group by group, and compared with the checksums of their writing."""

    #: The command that makes such files.
    command: ClassVar[str] = "scan"

    def __init__(
        self, path: Path, expected: FileSum | None, divided: Mapping[str, str | None] = {}, folder: Path | None = None
    ) -> None:
        #: The path of the file, and the folder of its store, in which a writing may replace the file.
        self._path, self._folder, self.expected = path, folder, expected
        #: The values in the names of the file's folders; the columns of these values are not in the file.
        self.divided = divided
        #: New names of sources, if another source of the query has sources with the same names.
        self.source_names: Mapping[str, str] = {}
        with self.reading():
            state = layout.state_of(self.path.absolute())
            check_size(state[1], state[1] if expected is None else expected.size)
            self.metadata, self.schema, self.chunks = _footer(state, None if expected is None else expected.sums[-1])
            counts = len(self.chunks) + 1, self.metadata.num_rows
            if expected is not None and counts != (len(expected.sums), expected.rows):
                raise ValueError("the manifest is of another file")
        self.rows = self.metadata.num_rows
        #: The columns that are read; those that were defined anew since the writing are computed, like missing ones.
        self.names = frozenset(names := (*self.schema.names, *self.divided)) - {*outdated_in(self.metadata, names)}
        #: For each group of rows, whether all games begin at the usual position; empty for files without checksums.
        self.usual_starts = usual_starts(self.metadata) if expected is not None else []

    @property
    def path(self) -> Path:
        """Where the file is now."""
        if self._folder is None or self._path.exists():
            return self._path
        return layout.located(self._folder, self._path.relative_to(self._folder).as_posix())

    def reading(self) -> AbstractContextManager[None]:
        """Return a context that raises errors about damage as one sentence with the name of the file."""
        return reading(lambda: self.path, self.command)

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column: the type that the name has in conditions, or else the type in the file."""
        column = COLUMNS.get(name)
        return self.schema.field(name).type if column is None else column.type

    @functools.cached_property
    def kinds(self) -> pa.Schema:
        """The names of the columns, with the types that they have in conditions."""
        return pa.schema([(name, self.type_of(name)) for name in sorted(self.names)])

    def holds(self, name: str) -> bool:
        """Return whether the file has a column with the values that this name means in conditions."""
        if name not in self.names or name in self.divided or self.expected is None or self.source_names:
            return False
        return self.schema.field(name).type == plain_type(self.type_of(name))

    def check(self, names: Iterable[str]) -> None:
        """Raise an error for columns with changed bytes. It takes long: once for each state of a file."""
        with self.reading():
            state = layout.state_of(self.path)
            for name in names:
                if (state, name) not in _checked:
                    self._check(range(self.metadata.num_row_groups), [name])
                    _checked.add((state, name))

    def column(self, groups: range, name: str) -> pa.ChunkedArray:
        """Read a column of some row groups."""
        [column] = self.columns(groups, [name])
        return column

    def columns(self, groups: range, names: Sequence[str]) -> list[pa.ChunkedArray]:
        """Read columns of some row groups."""
        with self.reading():
            rows = sum(self.metadata.row_group(group).num_rows for group in groups)
            stored = [name for name in names if name not in self.divided]
            self._check(groups, stored)
            kinds = [(name, self.schema.field(name).type, self.type_of(name)) for name in stored]
            texts = [name for name, kind, to in kinds if pa.types.is_dictionary(to) and pa.types.is_string(kind)]
            with pq.ParquetFile(
                self.path,
                metadata=self.metadata,
                read_dictionary=texts or None,
                page_checksum_verification=self.expected is None,  # else whole columns have been checked
            ) as file:
                read = file.read_row_groups(list(groups), stored, use_threads=False) if stored else {}
            return [self._conformed(name, rows, None if name in self.divided else read[name]) for name in names]

    @functools.cached_property
    def _name_of_chunk(self) -> list[str]:
        """The name of the column of each chunk of a row group."""
        schema = self.metadata.schema
        return [schema.column(k).path.partition(".")[0] for k in range(self.metadata.num_columns)]

    def _conformed(self, name: str, rows: int, column: pa.ChunkedArray | None) -> pa.ChunkedArray:
        """Return a column as conditions expect it; None stands for a column in the names of the folders."""
        wanted = self.type_of(name)
        if column is None:
            value = pa.scalar(self.divided[name], pa.string()).cast(plain_type(wanted))
            return _conformed(pa.chunked_array([pa.repeat(value, rows)]), wanted)
        if len(column) != rows:
            raise ValueError(f"its column {name} has {len(column):,} values instead of {rows:,}")
        if self.expected is None:  # checksums of pages leave out their headers
            column.validate(full=True)
        column = _conformed(column, wanted)
        column = known_ratings(column) if name in RATINGS else column
        return _renamed(column, self.source_names) if name == "source" and self.source_names else column

    def _check(self, groups: range, names: Sequence[str]) -> None:
        if self.expected is None or not names:
            return
        count = self.metadata.num_columns
        at = [k for k, name in enumerate(self._name_of_chunk) if name in names]
        with self.path.open("rb") as file:
            for number in (group * count + k for group in groups for k in at):
                check_chunk(file, self.chunks[number], self.expected.sums[number])


@functools.lru_cache(_FOOTERS)
def _footer(state: tuple[str, int, int, int], expected: int | None) -> tuple[pq.FileMetaData, pa.Schema, list[Chunk]]:
    """Return the metadata of a file, its schema and its chunks, once for each state of the file.

    Args:
        state: the path, size, time of the last change and inode number of the file.
        expected: the checksum of the end of the file; None if it is not known.
    """
    path, size, *_ = state
    with Path(path).open("rb") as file:
        if expected is not None and rest_of(file, size) != expected:
            raise ValueError("its end has changed since it was written")
        metadata = pq.read_metadata(file)
    return metadata, metadata.schema.to_arrow_schema(), chunks(metadata)


#: The files and columns whose bytes this process has compared with their checksums.
_checked: set[tuple[tuple[str, int, int, int], str]] = set()


def _conformed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Return a column as conditions expect it; sets of older scans are signed numbers with the same bits."""
    if column.type == kind:
        return column
    if column.type == pa.int64() and kind == pa.uint64():
        return pa.chunked_array([chunk.view(kind) for chunk in column.chunks], kind)
    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        column = column.cast(kind.value_type).dictionary_encode()
    return column if column.type == kind else column.cast(kind)


def _renamed(column: pa.ChunkedArray, names: Mapping[str, str]) -> pa.ChunkedArray:
    """Return a column of texts in a dictionary, with some texts replaced."""
    texts = (pa.array([names.get(it, it) for it in chunk.dictionary.to_pylist()]) for chunk in column.chunks)
    pairs = zip(column.chunks, texts, strict=True)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(it.indices, text) for it, text in pairs], column.type)


class ScanGroup(RowGroup):
    """Row groups with whole games."""

    def __init__(self, file: ScanFile, groups: range) -> None:
        counts = [file.metadata.row_group(group).num_rows for group in range(groups.stop)]
        super().__init__(file.kinds, sum(counts[groups.start :]), functools.partial(file.column, groups))
        self.file, self.groups, self.first = file, groups, sum(counts[: groups.start])

    @property
    def begin_as_usual(self) -> bool:
        """Whether all games in the groups are known to begin at the usual position."""
        usual = self.file.usual_starts
        return len(usual) == self.file.metadata.num_row_groups and all(usual[group] for group in self.groups)

    def columns(self, names: list[str]) -> list[pa.ChunkedArray]:
        """Read columns from the file."""
        return self.file.columns(self.groups, names)

    def numbers(self, name: str) -> np.ndarray:
        """Return a column without nulls as an array."""
        with self.file.reading():
            return self.column(name).to_numpy()


class ScanRows(StoredRows):
    """Rows of row groups of a scan."""

    group: ScanGroup


# ------------------------------------------------------------------------------------- the boards of a scan's positions


#: The columns of a scan that define a position, in addition to the pieces.
_SITUATION = ("white_to_move", "castling_rights", "en_passant", "halfmove_clock", "fullmove_number")
_BOARD = (
    *_SITUATION,
    *(f"{side}_{piece}" for side in COLOURS for piece in ("pawns", "knights", "bishops", "rooks", "queens", "king")),
)  # fmt: skip


def replayed(rows: ScanRows, begins: np.ndarray, which: np.ndarray | None) -> Positions | None:
    """Return the positions of some rows, or of all for None, with their moves; ``begins`` are the games' first rows.

    Return None if the file does not say that all games begin at the usual position, or if a move is not two squares.
    """
    if not rows.group.begin_as_usual:
        return None
    with rows.group.file.reading():
        moves = rows.stored("move").unify_dictionaries().combine_chunks()
    return played(moves, begins, which)


def played(moves: pa.DictionaryArray, begins: np.ndarray, which: np.ndarray | None = None) -> Positions | None:
    """Return positions with their moves, of games that begin at the usual position; ``begins`` are their first rows.

    Return None if a move is not two squares, or if a move is missing before the last position of a game.
    """
    known = numbers_of(moves.dictionary)
    last = moves.take(pa.array(np.append(begins[1:], len(moves)) - 1))
    if known is None or not last.null_count == moves.null_count == len(begins):
        return None
    which = np.arange(len(moves)) if which is None else which
    is_ordered = bool((which[1:] > which[:-1]).all())
    wanted = which if is_ordered else np.unique(which)
    sets, white_to_move = pooled((len(SETS), len(wanted)), np.uint64), np.empty(len(wanted), np.bool_)
    clocks = np.empty((3, len(wanted)), np.uint16)
    indices = moves.indices
    numbers = np.frombuffer(indices.buffers()[1], np.int32)[indices.offset :][: len(moves)]
    ends = np.append(begins, len(moves)).astype(np.int64)
    replay_rows(ends, wanted.astype(np.int64), numbers, known, sets, white_to_move, clocks)
    positions = Positions(sets, white_to_move, clocks[0], clocks[1], moves=clocks[2])
    return positions if is_ordered else cast("Positions", positions[np.searchsorted(wanted, which)])


def of_columns(rows: ScanRows, which: np.ndarray | None) -> Positions:
    """Return the positions of some rows, or all of them for None, read from the columns of the pieces.

    Raises:
        SourceError: if the rows are not valid positions. Files with checksums were written by a scan: not checked.
    """
    file = rows.group.file
    with file.reading():
        rows.group.read(_BOARD)
        columns = {name: rows.stored(name) for name in _BOARD}
        table = pa.table(columns if which is None else {name: it.take(pa.array(which)) for name, it in columns.items()})
        return Positions.from_arrow(table) if file.expected is None else Positions(*arrow_tables.columns_of(table)[0])


# --------------------------------------------------------------------- the positions and the games of a batch of a scan


#: The largest value of the column ``ply``.
_MOST_PLIES = 2**15 - 1
#: The columns of boards in ``Positions``.
_BOARD_COLUMNS = frozenset({"sets", "white_to_move", "halfmove_clock", "fullmove_number"})
#: The columns of annotations that a scan may hold, and their names in games.
NOTES = {"clock": "clocks", "elapsed": "elapsed", "evaluation": "evaluations", "nags": "nags", "comment": "comments"}


# ----------------------------------------------------------------------------------------------------------- positions


class _Stored(GamePositions):
    """Positions of a scan; boards and moves are read from the file at their first use."""

    source_columns: ScanRows
    games: ScannedGames

    def __init__(
        self, rows: ScanRows, games: ScannedGames, row: np.ndarray | None = None, whole: _Stored | None = None
    ) -> None:
        self.source_columns, self.games, self.node = rows, games, None
        if row is not None:
            self.row = row
        #: The positions of all rows, from which these were chosen; None if these are the positions of all rows.
        self._whole = whole
        self._views = {}

    def __getattr__(self, name: str) -> np.ndarray:
        if name in _BOARD_COLUMNS:
            return getattr(self.board, name)
        return super().__getattr__(name)

    def __len__(self) -> int:
        return self.source_columns.num_rows if self._whole is None else len(self.row)

    @functools.cached_property
    def row(self) -> np.ndarray:
        return np.arange(len(self), dtype=np.int32)

    @functools.cached_property
    def game(self) -> np.ndarray:  # type: ignore[override]
        if self._whole is None:
            return self.games.row_of
        return (np.searchsorted(self.games.begins, self.row, side="right") - 1).astype(np.int32)

    @functools.cached_property
    def replayed(self) -> Positions | None:
        """The same positions with their moves, replayed; None if this is not possible."""
        if self._whole is not None and "replayed" in self._whole.__dict__:
            whole = self._whole.replayed
            return None if whole is None else cast("Positions", whole[self.row])
        return replayed(self.source_columns, self.games.begins, None if self._whole is None else self.row)

    @functools.cached_property
    def board(self) -> Positions:
        """The columns of the boards."""
        if self.replayed is not None:
            return self.replayed
        if self._whole is not None and "board" in self._whole.__dict__:
            return cast("Positions", self._whole.board[self.row])
        return of_columns(self.source_columns, None if self._whole is None else self.row)

    @functools.cached_property
    def moves(self) -> np.ndarray:
        if self.replayed is not None:
            return self.replayed.moves
        with self.source_columns.group.file.reading():
            column = self.source_columns.stored("move")
            return read_moves(self, column if self._whole is None else column.take(pa.array(self.row)))

    @functools.cached_property
    def ply(self) -> np.ndarray:
        return (self.row - self.games.begins[self.game]).astype(np.int32)

    def beside(self, columns: Mapping[str, pa.ChunkedArray]) -> Self:
        if self._whole is not None:  # columns of a source have a value for each of its rows
            at, is_missing = np.zeros(len(self._whole), np.int64), np.ones(len(self._whole), np.bool_)
            at[self.row], is_missing[self.row] = np.arange(len(self.row)), False
            where = pa.array(at, mask=is_missing)
            columns = {name: values.take(where) for name, values in columns.items()}
        return self.with_source_columns(self.source_columns.beside(columns), self.row)

    def __getitem__(self, which: Any) -> Any:
        if hasattr(which, "__index__") and not isinstance(which, np.ndarray):
            return super().__getitem__(which)
        is_plain = isinstance(which, np.ndarray) and which.dtype.kind == "i" and (not len(which) or which.min() >= 0)
        if self._whole is None and is_plain and (not len(which) or which.max() < len(self)):  # rows equal numbers
            return _Stored(self.source_columns, self.games, which.astype(np.int32), self)
        return _Stored(self.source_columns, self.games, self.row[which], self if self._whole is None else self._whole)


# --------------------------------------------------------------------------------------------------------------- games


class _GamesInOrder(NamedTuple):
    """The games of one source, in the order of their positions: first rows and the end, game numbers, sources."""

    begins: np.ndarray
    numbers: np.ndarray
    sources: pa.Array


class HeldGames:
    """The games of a part file, shared by its batches."""

    def __init__(self, file: ScanFile) -> None:
        self.file = file
        self._group = ScanGroup(file, range(file.metadata.num_row_groups))
        self._in_order: dict[ScanFile, _GamesInOrder | None] = {}

    def in_order(self, file: ScanFile) -> _GamesInOrder | None:
        """Return the places of the games among the positions of a file; None if these must be read from the positions.

        The games of a part have the same order as their positions, unless folders divide the positions.
        """
        if file not in self._in_order:  # two threads may compute the same
            self._in_order[file] = self._places_in(file)
        return self._in_order[file]

    def _places_in(self, file: ScanFile) -> _GamesInOrder | None:
        if not file.usual_starts or file.divided or "line" in file.names or "plies" not in self.file.names:
            return None
        self._group.read(["game", "source", "plies"])
        plies = self._group.numbers("plies")
        begins = np.append(0, np.cumsum(plies, dtype=np.int64) + np.arange(1, len(plies) + 1))
        if begins[-1] != file.rows or (len(plies) and plies.max() >= _MOST_PLIES):
            return None
        numbers, sources = self._group.numbers("game"), self.column("source").combine_chunks()
        if not (np.diff(numbers) == 1).all() or len(sources.unique()) > 1:
            return None
        return _GamesInOrder(begins, numbers, sources)

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column of all games of the part file."""
        return self._group.column(name)

    @functools.cached_property
    def _rows(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """For each source, the numbers of its games in ascending order, and the rows of the games."""
        sources = self.column("source").dictionary_encode().combine_chunks()
        numbers, codes = self._group.numbers("game"), sources.indices.to_numpy()
        rows_by_source = {}
        for code, name in enumerate(sources.dictionary.to_pylist()):
            rows = np.flatnonzero(codes == code)
            rows = rows[np.argsort(numbers[rows], kind="stable")]
            rows_by_source[name] = numbers[rows], rows
        return rows_by_source

    def rows_of(self, source: str, numbers: np.ndarray) -> np.ndarray:
        """Return the rows of games of a source.

        Raises:
            SourceError: for a game that is missing from the part file.
        """
        known, rows = self._rows.get(source, (np.zeros(0, np.int32), np.zeros(0, np.int64)))
        at = np.searchsorted(known, numbers)
        is_present = at < len(known)
        is_present[is_present] = known[at[is_present]] == numbers[is_present]
        if not is_present.all():
            missing = int(numbers[~is_present][0])
            raise SourceError(f"{self.file.path} is damaged: it lacks game {missing} of {source}")
        return rows[at]


class ScannedGames(Records):
    """The games of a batch of a scan, read from the scan's table of games."""

    def __init__(self, rows: ScanRows, held: HeldGames) -> None:
        self._stored, self._games = rows, held
        self.are_games = held.file.rows > 0  # a scanned list of positions has no games
        self._count = rows.num_rows
        places = held.in_order(rows.group.file)
        if places is None:
            self._read_places(rows)
        else:
            self._take_places(rows, places)
        name = self._sources[0].as_py() if len(self.begins) else ""
        super().__init__(name, int(self.numbers[0]) if len(self.begins) else 1, len(self.begins))

    def _take_places(self, rows: ScanRows, places: _GamesInOrder) -> None:
        """Set the first row, the number and the source of each game from the table of games."""
        first = rows.group.first + rows.start
        low, high = np.searchsorted(places.begins, (first, first + self._count))
        if places.begins[low] != first or places.begins[high] != first + self._count:
            raise SourceError(f"{rows.group.file.path} and {self._games.file.path} belong to different scans")
        self.begins = places.begins[low:high] - first
        self.numbers, self._sources = places.numbers[low:high], places.sources.slice(low, high - low).cast(pa.string())
        self._rows = np.arange(low, high)
        self._stored = rows.drop_columns(PLACE)  # places are computed from the games, for the used rows

    def _read_places(self, rows: ScanRows) -> None:
        """Set the first row, the number and the source of each game from the columns of the positions."""
        with rows.group.file.reading():
            rows.group.read(PLACE)
            game = rows.column("game").to_numpy()
            source = rows.column("source").combine_chunks()
        codes = source.indices.to_numpy() if pa.types.is_dictionary(source.type) else np.zeros(len(game), np.int32)
        self.begins = np.flatnonzero(np.r_[True, (game[1:] != game[:-1]) | (codes[1:] != codes[:-1])])
        #: The numbers of the games in their sources.
        self.numbers = game[self.begins]
        self._check_whole(rows)
        self._sources = source.take(pa.array(self.begins)).cast(pa.string())

    def _check_whole(self, rows: ScanRows) -> None:
        """Raise an error if the rows are not the positions of whole games, from the first to the last."""
        file = rows.group.file
        if "line" in file.names:
            raise SourceError(
                f"{file.path} has the lines of variations, which searches of scans do not read: search the PGN with "
                "--variations, or read the Parquet files as tables"
            )
        with file.reading():
            ply = rows.column("ply").to_numpy()
        last = np.r_[self.begins[1:], self._count] - 1
        whole = (ply[self.begins] == 0) & (ply[last] == np.minimum(last - self.begins, _MOST_PLIES))
        if not whole.all():
            game = int(self.numbers[~whole][0])
            raise SourceError(f"{file.path} is not a scan: it lacks positions of game {game}, or has them out of order")

    @property
    def row_of(self) -> np.ndarray:
        """The row of the game of each position."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(np.r_[self.begins, self._count]))

    def positions(self) -> GamePositions:
        """Return the positions of the games."""
        return _Stored(self._stored, self)

    @functools.cached_property
    def _rows(self) -> np.ndarray:
        """The rows of the games in the table."""
        rows = np.zeros(len(self), np.int64)
        sources = self._sources.dictionary_encode()
        codes = sources.indices.to_numpy()
        for code, name in enumerate(sources.dictionary.to_pylist()):
            rows[codes == code] = self._games.rows_of(name, self.numbers[codes == code])
        self._check_plies(rows)
        return rows

    def _check_plies(self, rows: np.ndarray) -> None:
        """Raise an error if the number of moves of a game differs from the table of games."""
        if "plies" in self._games.file.names:
            plies = self._games.column("plies").to_numpy()[rows]
            wrong = np.flatnonzero(plies != np.minimum(np.diff(self.move_offsets), _MOST_PLIES))
            if len(wrong):
                path, game = self._stored.group.file.path, self.numbers[wrong[0]]
                raise SourceError(f"{path} and {self._games.file.path} belong to different scans: game {game} differs")

    @functools.cached_property
    def identities(self) -> Identities:
        """The identities of the pieces that move, for the positions of ``positions()``."""
        return identities_of(self.positions())

    @property
    def notes(self) -> pa.Array | None:
        """The evaluations, if the scan stores them."""
        return self.note("evaluation") if "evaluation" in self._stored.column_names else None

    def held(self, name: str) -> pa.Array:
        """Return a column of the table of games; if an older scan has no such column, it is computed from others."""
        of_games = COLUMNS[name].of_games if name in COLUMNS else None
        if of_games is not None and name not in self._games.file.names:
            return of_games(self)
        column = self._games.column(name).take(pa.array(self._rows)).combine_chunks()
        return column.cast(GAMES.field(name).type)

    @property
    def results(self) -> list[str]:
        """The results of the games."""
        return self.held("result").to_pylist()

    @property
    def move_offsets(self) -> np.ndarray:
        """The index of the first move of each game among all moves."""
        return np.r_[0, np.cumsum(np.diff(np.r_[self.begins, self._count]) - 1)]

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether each game is Chess960, according to its tag ``Variant`` or its first castling rights."""
        known = "variant" in self._games.file.names
        said = say_chess960(self.held("variant")) if known else super().chess960
        if self._stored.group.begin_as_usual:
            return said
        return said | of_columns(self._stored, self.begins).chess960

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game; null if the scan does not store the tag."""
        if f"tag:{name}" in self._stored.column_names:
            return self._stored.column(f"tag:{name}").take(pa.array(self.begins)).combine_chunks().cast(pa.string())
        if OF_TAGS.get(name) not in self._games.file.names:
            return super().tag(name)
        return self.held(OF_TAGS[name]).cast(pa.string())

    def __getitem__(self, row: int) -> Game:
        """Return one game, with the tags that the table of games has."""
        start, stop = (int(it) for it in np.r_[self.begins, self._count][row : row + 2])
        positions = cast("Positions", self.positions()[np.arange(start, stop)])
        tags = {tag: self._games.column(name)[int(self._rows[row])].as_py() for tag, name in OF_TAGS.items()}
        result = self._games.column("result")[int(self._rows[row])].as_py()
        tags = {tag: value for tag, value in tags.items() if value is not None}
        return stored_game(tags, map(Move, positions.moves[:-1].tolist()), positions[0], result)

    def note(self, name: str) -> pa.Array:
        """Return a column of annotations in the form of games: a value for each move."""
        column = self._stored.column(name)
        last = np.zeros(self._count, np.bool_)
        last[np.r_[self.begins[1:], self._count] - 1] = True
        return column.filter(pa.array(~last)).combine_chunks()


for _name, _method in NOTES.items():
    setattr(ScannedGames, _method, functools.partialmethod(ScannedGames.note, _name))


# --------------------------------------------------------------------------------------------------- A scan as a source


#: The number of rows that are searched at once: more than a row group, as threads take turns to read the same group.
_ROWS = 1 << 19
#: The columns by which a Parquet file is recognised as positions of a scan.
_OF_SCANS = frozenset((*PLACE, "white_to_move", "white_pawns", "move"))


class _RowsJob(Job):
    """Rows of a row group, which are whole games."""

    def __init__(
        self, group: ScanGroup, held: HeldGames, start: int, stop: int, matches: np.ndarray | None = None
    ) -> None:
        self.group, self.held, self.start, self.stop, self.matches = group, held, start, stop, matches

    def run(self) -> Batch:
        games = ScannedGames(ScanRows(self.group, self.start, self.stop), self.held)
        batch = Batch(games, None, [], 0)
        batch.matches = self.matches
        return batch


class ScanSource(Source):
    """A scan, or a part of one.

    Args:
        name: the name of the scan in messages.
        parts: the files of positions, each with the table of its games.
    """

    def __init__(self, name: str, parts: list[tuple[ScanFile, HeldGames]]) -> None:
        self.name, self.parts = name, parts
        names = frozenset.intersection(*(file.names for file, _ in parts)) if parts else frozenset[str]()
        fields = parts[0][0].schema if parts else ()
        self.source_columns = {field.name: field.type for field in fields if field.name not in COLUMNS}
        games = frozenset.intersection(*(held.file.names for _, held in parts)) if parts else frozenset[str]()
        basis = names & {*NOTES, *PLACE, "move"} | of_games(games) | {LOOKS}
        basis |= {word for word, column in ((PAST, "move"), (EVALUATED, "evaluation")) if column in names}
        advice = "scan with --features {name}, or ask the PGN"
        self.holdings = Holdings("the scan", advice, names, basis) if parts else Holdings()
        if any(file.rows and not held.file.rows for file, held in parts):  # a list of positions has been scanned
            self.holdings = of_table(names - {"ply", "move"}, ())

    def sources(self) -> Iterator[str]:
        """Yield the names of the sources that were scanned; a name may come more than once."""
        for positions, games in self.parts:
            file = games.file if games.file.rows else positions  # a list of positions has no games
            yield from file.column(range(file.metadata.num_row_groups), "source").unique().to_pylist()

    def name_sources(self, names: Mapping[str, str]) -> None:
        """Give the scanned sources other names, before anything is read."""
        names = {name: own for name, own in names.items() if name != own}
        for positions, games in self.parts:
            positions.source_names = games.file.source_names = names

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield batches of whole games."""
        for file, held in self.parts:
            for group, _ in _groups(file):
                for start, stop in _batches(group):
                    yield _RowsJob(group, held, start, stop)

    def explain(self, question: Question) -> Plan:
        """Return how a question is answered: DuckDB finds the rows for the part of the condition that is stored."""
        plan = super().explain(question)
        if question.divide is None:
            return plan._replace(files=self._files(question.columns))
        stored, found, left = question.divide(lambda names: bool(self._files(names)))
        if stored is None or (question.counts_names and not left):
            return plan
        if left:
            plan = plan._replace(way="what its files store of the condition narrows the rows first")
        else:
            plan = plan._replace(way="DuckDB finds the matches in its files, and only these are read")
        if question.counts_names:
            return plan._replace(left=[*found, *left])
        named = list(dict.fromkeys(name for it in found for name in it.columns))
        jobs = functools.partial(self._matching, stored, named, question.threads)
        plan = plan._replace(jobs=jobs, left=left, reads_all=False)
        if left or not question.takes_all:
            return plan
        files = self._files(dict.fromkeys([*named, *question.columns]))
        if not files:
            return plan
        table = functools.partial(stored.table, files, question.schema, question.threads)
        return plan._replace(files=files, table=table)

    def _files(self, names: Iterable[str]) -> list[StoredFiles] | None:
        """Return the part files if they store all of these columns with checksums."""
        names, every = list(names), []
        for file, held in self.parts:
            stored = _stored(file, held.file, names)
            if stored is None:
                return None
            own, of_games, joining = stored
            check = functools.partial(_check, file, [*own, *joining], held.file, [*of_games, *joining])
            every.append(StoredFiles(str(file.path), str(held.file.path), own, of_games, check, file.rows))
        return every

    def _matching(self, condition: StoredCondition, names: list[str], threads: int) -> Iterator[Job]:
        """Yield batches of whole games with the rows that match; row groups without matches are not read."""
        files = self._files(names) or []
        for (file, held), rows in zip(self.parts, condition.rows(files, threads), strict=True):
            for group, first in _groups(file, rows):
                for start, stop in _batches(group):
                    low, high = np.searchsorted(rows, (first + start, first + stop))
                    if low < high:
                        yield _RowsJob(group, held, start, stop, rows[low:high] - (first + start))


def _stored(file: ScanFile, games: ScanFile, names: list[str]) -> tuple[list[str], list[str], list[str]] | None:
    """Return the columns that a file of positions stores, those that only the file of its games does, and how to join.

    Return None if a column is in neither file.
    """
    own = [name for name in names if file.holds(name)]
    of_games = [name for name in names if name not in file.names and name in GAMES.names]
    joining = ["source", "game"] if of_games else []
    held_too = all(map(games.holds, (*of_games, *joining))) and all(map(file.holds, joining))
    if {*own, *of_games} != {*names} or not held_too or "line" in file.names:  # reading lines is an error
        return None
    return own, of_games, joining


def _check(file: ScanFile, names: list[str], games: ScanFile, of_games: list[str]) -> None:
    """Compare the bytes of columns of two files with their checksums."""
    file.check(names)
    games.check(of_games)


def _batches(group: ScanGroup) -> Iterator[tuple[int, int]]:
    """Yield the first row of each batch, and the row after its last; batches have whole games."""
    if group.count <= _ROWS:
        yield 0, group.count
        return
    game = group.numbers("game")
    ends = np.r_[np.flatnonzero(game[1:] != game[:-1]) + 1, len(game)]
    start = 0
    while start < len(game):
        stop = int(ends[min(np.searchsorted(ends, start + _ROWS), len(ends) - 1)])
        yield start, stop
        start = stop


def _groups(file: ScanFile, rows: np.ndarray | None = None) -> Iterator[tuple[ScanGroup, int]]:
    """Yield row groups that together begin and end with a game, and the number of their first row.

    With ``rows``, in ascending order, yield only the groups that contain at least one of these rows.
    """
    count = file.metadata.num_row_groups
    ends = np.cumsum([file.metadata.row_group(group).num_rows for group in range(count)], dtype=np.int64)
    wanted = range(count) if rows is None else np.unique(np.searchsorted(ends, rows, side="right")).tolist()
    done = 0
    for group in wanted:
        if group < done:
            continue
        first, last = group, group + 1
        while first > done and not _begins_a_game(file, first):
            first -= 1
        while last < count and not _begins_a_game(file, last):
            last += 1
        groups = ScanGroup(file, range(first, last))
        if groups.count:
            yield groups, int(ends[first - 1]) if first else 0
        done = last


def _begins_a_game(file: ScanFile, group: int) -> bool:
    """Whether a row group begins with the first position of a game; groups with known starts always do."""
    if not file.metadata.row_group(group).num_rows:
        return False
    return bool(file.usual_starts) or bool(file.column(range(group, group + 1), "ply")[0].as_py() == 0)


def scan_in(folder: str, *, partial: bool = False) -> ScanSource:
    """Return the scan in a folder with a manifest; with ``partial``, also an unfinished scan.

    Raises:
        SourceError: if the scan is unfinished, or as ``tables_of`` does.
    """
    contents = snapshot_of(Path(folder), known_contents(Path(folder)), partial=partial)
    return tables_of(folder, contents)


def known_contents(folder: Path) -> Contents:
    """Return what the log of a store says; it is read once for each of its states."""
    return _read(folder, layout.state_of(folder / layout.MANIFEST))


@functools.lru_cache(maxsize=8)
def _read(folder: Path, _: object) -> Contents:
    return contents_of(folder)


def tables_of(folder: str, contents: Contents) -> ScanSource:
    """Return the tables of a store as its log describes them.

    Raises:
        SourceError: if the sizes, row counts or ends of the files show that a file is missing or damaged.
    """
    place = Path(folder)
    parts: list[tuple[ScanFile, HeldGames]] = []
    for source, number, part in contents.parts():
        opened = {
            name: ScanFile(path := place / name, held, layout.folder_values(path), place)
            for name, held in part.files.items()
            if layout.place_of(name) in {layout.POSITIONS, layout.GAMES}
        }
        positions = [file for name, file in sorted(opened.items()) if name.startswith(f"{layout.POSITIONS}/")]
        games = next((file for name, file in opened.items() if name.startswith(f"{layout.GAMES}/")), None)
        rows = sum(file.rows for file in positions)
        if rows != part.positions or (games is None) or games.rows != part.games:
            raise SourceError(
                f"{place} is damaged: its files {source.name_of(number)} have {rows:,} positions of "
                f"{games.rows if games else 0:,} games instead of {part.positions:,} of {part.games:,}; "
                "scan the same sources again to make them anew"
            )
        held = HeldGames(games)
        parts += [(file, held) for file in positions]
    return ScanSource(folder, parts)


def recognised(beginning: Beginning) -> Source | None:
    """Return a file of positions of a scan with its games: a part, or ``NAME.parquet`` beside ``NAME.games.parquet``.

    Return None for another file, and for a part whose games are missing.

    Raises:
        SourceError: if the file or the file of its games is damaged.
    """
    if not is_file(beginning.source) or not beginning.head.startswith(b"PAR1"):
        return None
    path = os.fsdecode(cast("str", beginning.source))
    place = Path(path)
    divided = layout.folder_values(place)
    folder = layout.folder_of(place)
    known: Mapping[str, FileSum] = {}
    games = place.with_suffix(".games.parquet")
    if folder is not None:
        games = folder / layout.GAMES / place.name
        if Path(folder, layout.MANIFEST).is_file():
            known = contents_of(folder).files()
    if not games.is_file():
        return None

    def opened(file: Path) -> ScanFile:
        name = file.relative_to(folder).as_posix() if folder is not None else ""
        return ScanFile(file, known.get(name), divided if file == place else {})

    file = opened(place)
    return ScanSource(path, [(file, HeldGames(opened(games)))]) if file.names >= _OF_SCANS else None
