"""The positions and the games of a batch of a scan, read from its files at their first use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, NamedTuple, Self, cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, GAMES, OF_TAGS, PLACE
from setwise.corpus.sources.records import Records
from setwise.corpus.sources.scans import boards
from setwise.corpus.sources.scans.files import RowGroups, Rows, ScanFile
from setwise.errors import SourceError
from setwise.game.batch import identities_of, say_chess960
from setwise.game.game import Game
from setwise.game.marked import stored_game
from setwise.game.provenance import GamePositions
from setwise.position.identity import Identities
from setwise.position.move import Move
from setwise.position.positions import Positions
from setwise.position.text_columns import read_moves

__all__ = ["NOTES", "HeldGames", "ScannedGames"]

#: The largest value of the column ``ply``.
_MOST_PLIES = 2**15 - 1
#: The columns of boards, as ``Positions`` has them.
_BOARD_COLUMNS = frozenset({"sets", "white_to_move", "halfmove_clock", "fullmove_number"})
#: The columns of annotations that a scan may hold, and their names in games.
NOTES = {"clock": "clocks", "elapsed": "elapsed", "evaluation": "evaluations", "nags": "nags", "comment": "comments"}


# ----------------------------------------------------------------------------------------------------------- positions


class _Stored(GamePositions):
    """Positions of a scan, whose boards and moves are read from the file at their first use."""

    others: Rows
    games: ScannedGames

    def __init__(
        self, rows: Rows, games: ScannedGames, row: np.ndarray | None = None, whole: _Stored | None = None
    ) -> None:
        self.others, self.games, self.node = rows, games, None
        if row is not None:
            self.row = row
        #: The positions that these were chosen from, all those of the rows; None if these are all.
        self._whole = whole
        self._views = {}

    def __getattr__(self, name: str) -> np.ndarray:
        if name in _BOARD_COLUMNS:
            return getattr(self.board, name)
        return super().__getattr__(name)

    def __len__(self) -> int:
        return self.others.stop - self.others.start if self._whole is None else len(self.row)

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
        """The same positions with their moves, replayed; None if they cannot be."""
        if self._whole is not None and "replayed" in self._whole.__dict__:
            whole = self._whole.replayed
            return None if whole is None else cast("Positions", whole[self.row])
        return boards.replayed(self.others, self.games.begins, None if self._whole is None else self.row)

    @functools.cached_property
    def board(self) -> Positions:
        """The columns of the boards."""
        if self.replayed is not None:
            return self.replayed
        if self._whole is not None and "board" in self._whole.__dict__:
            return cast("Positions", self._whole.board[self.row])
        return boards.of_columns(self.others, None if self._whole is None else self.row)

    @functools.cached_property
    def moves(self) -> np.ndarray:
        if self.replayed is not None:
            return self.replayed.moves
        with self.others.group.file.reading():
            column = self.others.stored("move")
            return read_moves(self, column if self._whole is None else column.take(pa.array(self.row)))

    @functools.cached_property
    def ply(self) -> np.ndarray:
        return self.games.ply_of(self.row, self.game)

    def beside(self, columns: Mapping[str, pa.ChunkedArray]) -> Self:
        if self._whole is not None:  # columns of a source have a value for each of its rows
            at, is_missing = np.zeros(len(self._whole), np.int64), np.ones(len(self._whole), np.bool_)
            at[self.row], is_missing[self.row] = np.arange(len(self.row)), False
            where = pa.array(at, mask=is_missing)
            columns = {name: values.take(where) for name, values in columns.items()}
        return self.with_others(self.others.beside(columns), self.row)

    def __getitem__(self, which: Any) -> Any:
        if hasattr(which, "__index__") and not isinstance(which, np.ndarray):
            return super().__getitem__(which)
        is_plain = isinstance(which, np.ndarray) and which.dtype.kind == "i" and (not len(which) or which.min() >= 0)
        if self._whole is None and is_plain and (not len(which) or which.max() < len(self)):
            return _Stored(self.others, self.games, which.astype(np.int32), self)  # the rows of all are their numbers
        return _Stored(self.others, self.games, self.row[which], self if self._whole is None else self._whole)


# --------------------------------------------------------------------------------------------------------------- games


class _InOrder(NamedTuple):
    """The games of one source in the order of their positions: their first rows, and the end; numbers and sources."""

    begins: np.ndarray
    numbers: np.ndarray
    sources: pa.Array


class HeldGames:
    """The games of a part file, shared by its batches."""

    def __init__(self, file: ScanFile) -> None:
        self.file = file
        self._group = RowGroups(file, range(file.metadata.num_row_groups))
        self._lock = Lock()
        self._in_order: dict[ScanFile, _InOrder | None] = {}

    def in_order(self, file: ScanFile) -> _InOrder | None:
        """Return the places of the games among the positions of a file; None if they have to be read from there.

        The games of a part stand in the order of their positions, unless folders divide the positions.
        """
        with self._lock:
            if file not in self._in_order:
                self._in_order[file] = self._places_in(file)
            return self._in_order[file]

    def _places_in(self, file: ScanFile) -> _InOrder | None:
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
        return _InOrder(begins, numbers, sources)

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column of all games of the part file."""
        return self._group.column(name)

    @functools.cached_property
    def _rows(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """For each source the numbers of its games in ascending order, and their rows."""
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
            SourceError: for a game that the part file lacks.
        """
        known, rows = self._rows.get(source, (np.zeros(0, np.int32), np.zeros(0, np.int64)))
        at = np.searchsorted(known, numbers)
        is_present = (at < len(known)) & (
            known[np.minimum(at, max(len(known) - 1, 0))] == numbers if len(known) else False
        )
        if not is_present.all():
            missing = int(numbers[~is_present][0])
            raise SourceError(f"{self.file.path} is damaged: it lacks game {missing} of {source}")
        return rows[at]


class ScannedGames(Records):
    """The games of a batch of a scan, answered from its table of games."""

    def __init__(self, rows: Rows, held: HeldGames) -> None:
        self._stored, self._games = rows, held
        self.are_games = held.file.rows > 0  # else a list of positions has been scanned
        self._count = rows.stop - rows.start
        places = held.in_order(rows.group.file)
        if places is None:
            self._read_places(rows)
        else:
            self._take_places(rows, places)
        name = self._sources[0].as_py() if len(self.begins) else ""
        super().__init__(name, int(self.numbers[0]) if len(self.begins) else 1, len(self.begins))

    def _take_places(self, rows: Rows, places: _InOrder) -> None:
        """Set the first row, the number and the source of each game, as the table of games has them."""
        first = rows.group.first + rows.start
        low, high = np.searchsorted(places.begins, (first, first + self._count))
        if places.begins[low] != first or places.begins[high] != first + self._count:
            raise SourceError(f"{rows.group.file.path} and {self._games.file.path} belong to different scans")
        self.begins = places.begins[low:high] - first
        self.numbers, self._sources = places.numbers[low:high], places.sources.slice(low, high - low).cast(pa.string())
        self._rows = np.arange(low, high)
        self._stored = rows.without(PLACE)  # which are computed from the games, for the rows that are used

    def _read_places(self, rows: Rows) -> None:
        """Set them as the columns of the positions have them."""
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

    def _check_whole(self, rows: Rows) -> None:
        """Refuse rows that are not the positions of whole games, from the first to the last."""
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

    def ply_of(self, rows: np.ndarray, game: np.ndarray) -> np.ndarray:
        """Return the ply of positions: how many moves precede each in its game."""
        return (rows - self.begins[game]).astype(np.int32)

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
        """Refuse games whose number of moves differs from the table of games."""
        if "plies" in self._games.file.names:
            plies = self._games.column("plies").to_numpy()[rows]
            wrong = np.flatnonzero(plies != np.minimum(np.diff(self.move_offsets), _MOST_PLIES))
            if len(wrong):
                path, game = self._stored.group.file.path, self.numbers[wrong[0]]
                raise SourceError(f"{path} and {self._games.file.path} belong to different scans: game {game} differs")

    @functools.cached_property
    def identities(self) -> Identities:
        """Which pieces move, for the positions of ``positions()``."""
        return identities_of(self.positions())

    @property
    def notes(self) -> pa.Array | None:
        """The evaluations, if the scan holds them."""
        return self._note("evaluation") if "evaluation" in self._stored.column_names else None

    def held(self, name: str) -> pa.Array:
        """Return a column of the table of games; a column that an older scan lacks is computed from the others."""
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
        return np.r_[0, np.cumsum(np.diff(np.r_[self.begins, self._count]) - 1)]

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether each game is of Chess960, by its tag ``Variant`` or the castling rights that it begins with."""
        known = "variant" in self._games.file.names
        said = say_chess960(self.held("variant")) if known else super().chess960
        if self._stored.group.begin_as_usual:
            return said
        return said | boards.of_columns(self._stored, self.begins).chess960

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game; null where the scan stores no such tag."""
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

    def _note(self, name: str) -> pa.Array:
        """A column of annotations as games have it: a value for each move."""
        column = self._stored.column(name)
        last = np.zeros(self._count, np.bool_)
        last[np.r_[self.begins[1:], self._count] - 1] = True
        return column.filter(pa.array(~last)).combine_chunks()


def _noting(name: str) -> Callable[[ScannedGames], pa.Array]:
    def note(self: ScannedGames) -> pa.Array:
        return self._note(name)

    note.__doc__ = f"Return the column {name} that the scan holds, a value for each move."
    return note


for _name, _method in NOTES.items():
    setattr(ScannedGames, _method, _noting(_name))
