"""Scans as sources: their positions with their games, read group of rows by group, and only the columns that are used.

A scan is a folder with a manifest, ``NAME.parquet`` with ``NAME.games.parquet`` beside it, or a part of either. Each
batch holds whole games; what stands in the place of ``Games`` answers from the table of games.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from setwise.corpus import layout
from setwise.corpus.checksums import FileSum, check_chunk, chunks, rest_of
from setwise.corpus.columns import COLUMNS, GAME_TAGS, GAMES, SIDED_TAGS
from setwise.corpus.holdings import LOOKS, Holdings, of_games, of_table
from setwise.corpus.jobs import Batch, Job
from setwise.corpus.manifest import sources_in
from setwise.corpus.records import Records
from setwise.errors import SetwiseError, SourceError
from setwise.game.batch import say_chess960
from setwise.game.game import Game
from setwise.position.move import Move
from setwise.position.positions import Positions

__all__ = ["Scan", "ScannedGames", "part_of_scan", "scan_in"]

#: Rows that are searched at once.
_ROWS = 1 << 16
#: The column of plies goes so far.
_MOST_PLIES = 2**15 - 1
#: What makes a Parquet file one of positions of a scan.
_PLACE = frozenset(("source", "game", "ply", "white_to_move", "white_pawns", "move"))
_SIDES = ("white", "black")
#: The columns of a scan that make a position, besides its pieces.
_SITUATION = ("white_to_move", "castling_rights", "en_passant", "halfmove_clock", "fullmove_number")
_BOARD = (
    *_SITUATION,
    *(f"{side}_{men}" for side in _SIDES for men in ("pawns", "knights", "bishops", "rooks", "queens", "king")),
)  # fmt: skip
#: The columns of notes that a scan may hold, and what games call them.
_NOTES = {"clock": "clocks", "elapsed": "elapsed", "evaluation": "evaluations", "nags": "nags", "comment": "comments"}
#: The columns of games by the tags that they hold.
_TAGS = {tag: name for name, tag in GAME_TAGS.items()} | {
    f"{side.title()}{behind}": f"{side}_{stem}" for stem, (behind, _) in SIDED_TAGS.items() for side in _SIDES
}


# --------------------------------------------------------------------------------------------------------------- files


class _File:
    """A Parquet file whose columns are read group by group, checked against what has been written."""

    def __init__(self, path: Path, expected: FileSum | None, told: Mapping[str, str | None] | None = None) -> None:
        self.path, self.expected = path, expected
        #: The values that the folders of the file tell, which have no column in it.
        self.told = told or {}
        #: What sources are called instead, where another source of the question has their names.
        self.source_names: Mapping[str, str] = {}
        with self.reading():
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if expected is not None and size != expected.size:
                    raise ValueError(f"it has {size:,} bytes instead of {expected.size:,}")
                if expected is not None and rest_of(file, size) != expected.sums[-1]:
                    raise ValueError("its end is not what has been written")
                self.metadata = pq.read_metadata(file)
                self.chunks = [] if expected is None else chunks(self.metadata)
                if expected is not None and (
                    len(self.chunks) != len(expected.sums) - 1 or self.metadata.num_rows != expected.rows
                ):
                    raise ValueError("the manifest is of another file")
            self.schema = self.metadata.schema.to_arrow_schema()
        self.rows = self.metadata.num_rows
        self.names = frozenset((*self.schema.names, *self.told))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Tell of damage in one sentence with the name of the file."""
        try:
            yield
        except SetwiseError:
            raise
        except FileNotFoundError:
            raise SourceError(f"{self.path} is missing: scan the same sources again to make it anew") from None
        except (OSError, pa.ArrowException, ValueError, KeyError) as error:
            why = " ".join(str(error).split())
            raise SourceError(f"{self.path} is damaged: {why}; scan the same sources again to make it anew") from None

    def type_of(self, name: str) -> pa.DataType:
        """The type of a column: what conditions know under this name, else what the file has."""
        if name in COLUMNS:
            return COLUMNS[name].type
        return self.schema.field(name).type

    def column(self, groups: range, name: str) -> pa.ChunkedArray:
        """Read a column of some groups of rows."""
        with self.reading():
            rows = sum(self.metadata.row_group(group).num_rows for group in groups)
            if name in self.told:
                value = pa.scalar(self.told[name], pa.string()).cast(_plain(self.type_of(name)))
                return _conformed(pa.chunked_array([pa.repeat(value, rows)]), self.type_of(name))
            self._check(groups, name)
            stored, wanted = self.schema.field(name).type, self.type_of(name)
            texts = [name] if pa.types.is_dictionary(wanted) and pa.types.is_string(stored) else None
            with pq.ParquetFile(
                self.path, metadata=self.metadata, read_dictionary=texts, page_checksum_verification=True
            ) as file:
                found = file.read_row_groups(list(groups), [name]).column(name)
            if len(found) != rows:
                raise ValueError(f"its column {name} has {len(found):,} values instead of {rows:,}")
            if self.expected is None:  # checksums of pages leave out their headers
                found.validate(full=True)
            found = _conformed(found, wanted)
            return _renamed(found, self.source_names) if name == "source" and self.source_names else found

    def _check(self, groups: range, name: str) -> None:
        if self.expected is None:
            return
        count = self.metadata.num_columns
        at = [k for k in range(count) if self.metadata.schema.column(k).path.partition(".")[0] == name]
        with self.path.open("rb") as file:
            for number in (group * count + k for group in groups for k in at):
                check_chunk(file, self.chunks[number], self.expected.sums[number])


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _conformed(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """A column as conditions know it: sets of older scans are signed, the same bits."""
    if column.type == kind:
        return column
    if column.type == pa.int64() and kind == pa.uint64():
        return pa.chunked_array([chunk.view(kind) for chunk in column.chunks], kind)
    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        column = column.cast(kind.value_type).dictionary_encode()
    return column if column.type == kind else column.cast(kind)


def _renamed(column: pa.ChunkedArray, names: Mapping[str, str]) -> pa.ChunkedArray:
    """A column of texts in a dictionary, with other texts in their place."""
    chunks = (
        pa.DictionaryArray.from_arrays(
            chunk.indices, pa.array([names.get(it, it) for it in chunk.dictionary.to_pylist()])
        )
        for chunk in column.chunks
    )
    return pa.chunked_array(chunks, column.type)


class _Group:
    """Groups of rows that hold whole games: each column is read once, by whichever batch of them needs it first."""

    def __init__(self, file: _File, groups: range) -> None:
        self.file, self.groups = file, groups
        self._columns: dict[str, pa.ChunkedArray] = {}
        self._lock = Lock()

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        with self._lock:
            if name not in self._columns:
                self._columns[name] = self.file.column(self.groups, name)
            return self._columns[name]

    def numbers(self, name: str) -> np.ndarray:
        """Return a column that has a value in every row as an array."""
        with self.file.reading():
            return self.column(name).to_numpy()


class _Rows:
    """Rows of a group, as columns that are read when they are used: what a table is to other sources."""

    def __init__(self, group: _Group, start: int, stop: int) -> None:
        self.group, self.start, self.stop = group, start, stop
        self.column_names = group.file.names
        self._beside: Mapping[str, pa.ChunkedArray] = {}

    @property
    def schema(self) -> pa.Schema:
        """The names and types of the columns."""
        beside = {name: column.type for name, column in self._beside.items()}
        return pa.schema(
            [(name, beside.get(name) or self.group.file.type_of(name)) for name in sorted(self.column_names)]
        )

    def beside(self, columns: Mapping[str, pa.ChunkedArray]) -> _Rows:
        """Return the same rows with columns beside theirs, or in place of them."""
        rows = _Rows(self.group, self.start, self.stop)
        rows._beside, rows.column_names = columns, self.column_names | columns.keys()
        return rows

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""
        return self._beside[name] if name in self._beside else self.stored(name)

    def stored(self, name: str) -> pa.ChunkedArray:
        """Return a column of the file."""
        return self.group.column(name).slice(self.start, self.stop - self.start)


# ----------------------------------------------------------------------------------------------------------- positions


class _Stored(Positions):
    """Positions of a scan, whose boards and moves are read from the file at their first use."""

    def __init__(self, rows: _Rows, row: np.ndarray, game: np.ndarray, games: ScannedGames) -> None:
        self.others: Any = rows
        self.row, self.game, self.games = row, game, games
        self._views = {}

    def __len__(self) -> int:
        return len(self.row)

    def _picked(self, name: str) -> pa.ChunkedArray:
        column = self.others.stored(name)
        whole = len(self.row) == len(column) and (not len(column) or self.row[0] == 0)
        return column if whole else column.take(pa.array(self.row))

    @functools.cached_property
    def _board(self) -> Positions:
        with self.others.group.file.reading():
            return Positions.from_arrow(pa.table({name: self._picked(name) for name in _BOARD}))

    @property
    def sets(self) -> np.ndarray:  # type: ignore[override]
        return self._board.sets

    @property
    def white_to_move(self) -> np.ndarray:  # type: ignore[override]
        return self._board.white_to_move

    @property
    def halfmove_clock(self) -> np.ndarray:  # type: ignore[override]
        return self._board.halfmove_clock

    @property
    def fullmove_number(self) -> np.ndarray:  # type: ignore[override]
        return self._board.fullmove_number

    @functools.cached_property
    def moves(self) -> np.ndarray:
        with self.others.group.file.reading():
            return self._read_moves(self._picked("move"))

    @functools.cached_property
    def ply(self) -> np.ndarray:
        return self.games.ply_of(self.row, self.game)

    def __getitem__(self, which: Any) -> Any:
        if hasattr(which, "__index__") and not isinstance(which, np.ndarray):
            return super().__getitem__(which)
        return _Stored(self.others, self.row[which], self.game[which], self.games)


# --------------------------------------------------------------------------------------------------------------- games


class _Held:
    """The games of a part, of which batches take theirs."""

    def __init__(self, file: _File) -> None:
        self.file = file
        self._group = _Group(file, range(file.metadata.num_row_groups))

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column of all games of the part."""
        return self._group.column(name)

    @functools.cached_property
    def _rows(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """For each source the numbers of its games in order, and their rows."""
        sources = self.column("source").dictionary_encode().combine_chunks()
        numbers, codes = self._group.numbers("game"), sources.indices.to_numpy()
        found = {}
        for code, name in enumerate(sources.dictionary.to_pylist()):
            rows = np.flatnonzero(codes == code)
            rows = rows[np.argsort(numbers[rows], kind="stable")]
            found[name] = numbers[rows], rows
        return found

    def rows_of(self, source: str, numbers: np.ndarray) -> np.ndarray:
        """Return the rows of games of a source.

        Raises:
            SourceError: when one is not there.
        """
        known, rows = self._rows.get(source, (np.zeros(0, np.int32), np.zeros(0, np.int64)))
        at = np.searchsorted(known, numbers)
        there = (at < len(known)) & (known[np.minimum(at, max(len(known) - 1, 0))] == numbers if len(known) else False)
        if not there.all():
            missing = int(numbers[~there][0])
            raise SourceError(f"{self.file.path} is damaged: it lacks game {missing} of {source}")
        return rows[at]


class ScannedGames(Records):
    """The games of a batch of a scan, answered from its table of games."""

    is_of_games = True

    def __init__(self, rows: _Rows, held: _Held) -> None:
        self._stored, self._games = rows, held
        with rows.group.file.reading():
            game = rows.column("game").to_numpy()
            source = rows.column("source").combine_chunks()
        codes = source.indices.to_numpy() if pa.types.is_dictionary(source.type) else np.zeros(len(game), np.int32)
        begins = np.flatnonzero(np.r_[True, (game[1:] != game[:-1]) | (codes[1:] != codes[:-1])])
        self._begins, self._count = begins, len(game)
        #: The numbers of the games in their sources.
        self.numbers = game[begins]
        self._check_whole(rows)
        self._sources = source.take(pa.array(begins)).cast(pa.string())
        name = self._sources[0].as_py() if len(begins) else ""
        super().__init__(name, int(self.numbers[0]) if len(begins) else 1, len(begins))

    def _check_whole(self, rows: _Rows) -> None:
        """Refuse rows that are not the positions of whole games, from the first to the last."""
        file = rows.group.file
        with file.reading():
            ply = rows.column("ply").to_numpy()
        last = np.r_[self._begins[1:], self._count] - 1
        whole = (ply[self._begins] == 0) & (ply[last] == np.minimum(last - self._begins, _MOST_PLIES))
        if not whole.all():
            game = int(self.numbers[~whole][0])
            raise SourceError(f"{file.path} is not a scan: it lacks positions of game {game}, or has them out of order")

    @property
    def row_of(self) -> np.ndarray:
        """The row of the game of each position."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(np.r_[self._begins, self._count]))

    def ply_of(self, rows: np.ndarray, game: np.ndarray) -> np.ndarray:
        """Return how many moves stand before positions of games."""
        return (rows - self._begins[game]).astype(np.int32)

    def positions(self) -> Positions:
        """Return the positions of the games."""
        return _Stored(self._stored, np.arange(self._count, dtype=np.int32), self.row_of, self)

    @functools.cached_property
    def _rows(self) -> np.ndarray:
        """The rows of the games in the table."""
        found = np.zeros(len(self), np.int64)
        sources = self._sources.dictionary_encode()
        codes = sources.indices.to_numpy()
        for code, name in enumerate(sources.dictionary.to_pylist()):
            found[codes == code] = self._games.rows_of(name, self.numbers[codes == code])
        self._check_plies(found)
        return found

    def _check_plies(self, rows: np.ndarray) -> None:
        """Refuse games that have other numbers of moves than their table says."""
        if "plies" in self._games.file.names:
            plies = self._games.column("plies").to_numpy()[rows]
            wrong = np.flatnonzero(plies != np.minimum(np.diff(self.move_offsets), _MOST_PLIES))
            if len(wrong):
                path, game = self._stored.group.file.path, self.numbers[wrong[0]]
                raise SourceError(f"{path} is not the scan that {self._games.file.path} is of: game {game} differs")

    def held(self, name: str) -> pa.Array:
        """Return a column of the table of games; what older scans lack there is computed from what they have."""
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
        """Where the moves of each game begin among all."""
        return np.r_[0, np.cumsum(np.diff(np.r_[self._begins, self._count]) - 1)]

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether each game says that it is Chess960."""
        if "variant" not in self._games.file.names:
            return super().chess960
        return say_chess960(self.held("variant"))

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game: those that the table of games has, or the scan a column of."""
        if f"tag:{name}" in self._stored.column_names:
            return self._stored.column(f"tag:{name}").take(pa.array(self._begins)).combine_chunks().cast(pa.string())
        if _TAGS.get(name) not in self._games.file.names:
            return super().tag(name)
        return self.held(_TAGS[name]).cast(pa.string())

    def __getitem__(self, row: int) -> Game:
        """Return one game, with the tags that the table of games has."""
        start, stop = (int(it) for it in np.r_[self._begins, self._count][row : row + 2])
        positions = cast("Positions", self.positions()[np.arange(start, stop)])
        tags = {tag: self._games.column(name)[int(self._rows[row])].as_py() for tag, name in _TAGS.items()}
        result = self._games.column("result")[int(self._rows[row])].as_py()
        tags = {tag: value for tag, value in tags.items() if value is not None}
        return Game(tags, map(Move, positions.moves[:-1].tolist()), positions[0], result)

    def _note(self, name: str) -> pa.Array:
        """A column of notes as games have it: a value for each move."""
        column = self._stored.column(name)
        last = np.zeros(self._count, np.bool_)
        last[np.r_[self._begins[1:], self._count] - 1] = True
        return column.filter(pa.array(~last)).combine_chunks()


def _noting(name: str) -> Callable[[ScannedGames], pa.Array]:
    def note(self: ScannedGames) -> pa.Array:
        return self._note(name)

    note.__doc__ = f"Return the column {name} that the scan holds, a value for each move."
    return note


for _name, _method in _NOTES.items():
    setattr(ScannedGames, _method, _noting(_name))


# ------------------------------------------------------------------------------------------------------------ the scan


class _RowsJob(Job):
    """Rows of a group that hold whole games."""

    def __init__(self, group: _Group, held: _Held, start: int, stop: int) -> None:
        self.group, self.held, self.start, self.stop = group, held, start, stop

    def run(self) -> Batch:
        games = ScannedGames(_Rows(self.group, self.start, self.stop), self.held)
        return Batch(games, None, [], 0)


class Scan:
    """A scan, or a part of one.

    Args:
        name: what messages call it.
        parts: the files of positions, each with the table of its games.
        place: the folder that it lies in, of which it may be a part; else its file.
    """

    is_pgn = False

    def __init__(self, name: str, parts: list[tuple[_File, _Held]], place: Path) -> None:
        self.name, self.parts, self.place = name, parts, place.resolve()
        names = frozenset.intersection(*(file.names for file, _ in parts)) if parts else frozenset[str]()
        self.others: Mapping[str, pa.DataType] = {
            field.name: field.type for field in (parts[0][0].schema if parts else ()) if field.name not in COLUMNS
        }
        games = frozenset.intersection(*(held.file.names for _, held in parts)) if parts else frozenset[str]()
        basis = names & {*_NOTES, "source", "game", "ply", "move"} | of_games(games) | {LOOKS}
        advice = "scan with --features {name}, or ask the PGN"
        self.holdings = Holdings("the scan", advice, names, basis) if parts else Holdings()
        if any(file.rows and not held.file.rows for file, held in parts):  # a list of positions has been scanned
            self.holdings = of_table(names - {"ply", "move"}, ())

    @property
    def files(self) -> list[Path]:
        """The files of positions."""
        return [file.path.resolve() for file, _ in self.parts]

    def sources(self) -> Iterator[str]:
        """Yield the names of the sources that were scanned, often one twice."""
        for positions, games in self.parts:
            file = games.file if games.file.rows else positions  # of a list of positions there are no games
            yield from file.column(range(file.metadata.num_row_groups), "source").unique().to_pylist()

    def name_sources(self, names: Mapping[str, str]) -> None:
        """Call the sources that were scanned by other names, before any of them is read."""
        names = {name: own for name, own in names.items() if name != own}
        for positions, games in self.parts:
            positions.source_names = games.file.source_names = names

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield batches of whole games."""
        for file, held in self.parts:
            for group, game in _groups(file):
                ends = np.r_[np.flatnonzero(game[1:] != game[:-1]) + 1, len(game)]
                start = 0
                while start < len(game):
                    stop = int(ends[min(np.searchsorted(ends, start + _ROWS), len(ends) - 1)])
                    yield _RowsJob(group, held, start, stop)
                    start = stop


def _groups(file: _File) -> Iterator[tuple[_Group, np.ndarray]]:
    """Groups of rows that begin and end with a game, and the numbers of the games in them."""
    count, first = file.metadata.num_row_groups, 0
    while first < count:
        last = first + 1
        group = _Group(file, range(first, last))
        while last < count and not _begins_a_game(file, last):
            last += 1
            group = _Group(file, range(first, last))
        game = group.numbers("game")
        if len(game):
            yield group, game
        first = last


def _begins_a_game(file: _File, group: int) -> bool:
    """Whether a group of rows begins with the first position of a game."""
    if not file.metadata.row_group(group).num_rows:
        return False
    return bool(file.column(range(group, group + 1), "ply")[0].as_py() == 0)


def scan_in(folder: str) -> Scan:
    """Return the scan in a folder with a manifest.

    Raises:
        SourceError: when a file is missing or damaged, as far as sizes, rows and the ends of the files tell.
    """
    place = Path(folder)
    _, sources = sources_in(place)
    there = layout.files_in(place)
    parts: list[tuple[_File, _Held]] = []
    for source in sources:
        for number, part in sorted(source.parts.items()):
            files = part.files or dict.fromkeys(there.get(layout.part_name(source.number, number), ()))
            opened = {name: _File(place / name, held, layout.told(place / name)) for name, held in files.items()}
            positions, games = _divided(opened)
            rows = sum(file.rows for file in positions)
            if rows != part.positions or (games is None) or games.rows != part.games:
                name = layout.part_name(source.number, number)
                raise SourceError(
                    f"{place} is damaged: its files {name} have {rows:,} positions of "
                    f"{games.rows if games else 0:,} games instead of {part.positions:,} of {part.games:,}; "
                    "scan the same sources again to make them anew"
                )
            held = _Held(games)
            parts += [(file, held) for file in positions]
    return Scan(folder, parts, place)


def _divided(files: Mapping[str, _File]) -> tuple[list[_File], _File | None]:
    """The files of the positions of a part, and that of its games."""
    games = next((file for name, file in files.items() if name.startswith(f"{layout.GAMES}/")), None)
    return [file for name, file in sorted(files.items()) if name.startswith(f"{layout.POSITIONS}/")], games


def part_of_scan(path: str) -> Scan | None:
    """Return a file of positions of a scan with its games: a part, or ``NAME.parquet`` beside ``NAME.games.parquet``.

    None is returned for another file of Parquet, and for one whose games are not there.

    Raises:
        SourceError: when it is damaged, or its games are.
    """
    place = Path(path)
    told = layout.told(place)
    folder = layout.folder_of(place)
    known: Mapping[str, FileSum] = {}
    games = place.with_suffix(".games.parquet")
    if folder is not None:
        games = folder / layout.GAMES / place.name
        if Path(folder, layout.MANIFEST).is_file():
            _, sources = sources_in(folder)
            known = {
                name: held for source in sources for part in source.parts.values() for name, held in part.files.items()
            }
    if not games.is_file():
        return None

    def opened(file: Path) -> _File:
        name = file.relative_to(folder).as_posix() if folder is not None else ""
        return _File(file, known.get(name), told if file == place else None)

    file = opened(place)
    return Scan(path, [(file, _Held(opened(games)))], folder or place) if file.names >= _PLACE else None
