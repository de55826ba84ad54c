"""An index as a source: positions found by key, games chosen by bitmaps, trees from stored sums.

Three things shorten a search. The runs hold every position sorted by its key, so a key leads to the games that reach
it; the limits of row groups say which group to read. Bitmaps say in which games a column has a value at all. Both
choose games, which are then read whole and searched as PGN is, so the answer is the same. Sums over the games of
frequent positions answer a tree without reading games. An index that lacks something says so (``why_not``), and
everything is read. All bytes that are used are compared with the checksums of the manifest.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, OF_TAGS
from setwise.corpus.columns.registry import numbers as numbers_of
from setwise.corpus.columns.registry import plain_type
from setwise.corpus.sources.game_tables import POSITIONS, GameRows, GamesJob, GameTable
from setwise.corpus.sources.jobs import Job, Plan, Question, SourceOfGames
from setwise.corpus.sources.rows import RowGroup
from setwise.corpus.sources.scans import ScanFile, ScanSource, check_size, known_contents, reading, tables_of
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import OUTCOMES, ROWS, SETUP, SUMS, added, is_packed, sums_of, version_of
from setwise.corpus.storage.layout import (
    AllOf,
    AnyOf,
    FileSum,
    HasValue,
    Keys,
    Need,
    all_of,
    any_of,
    columns_in,
    keys_in,
)
from setwise.corpus.storage.log import TABLES, Contents, KnownSource, Part, snapshot_of
from setwise.system.packages import pq

# ---------------------------------------------------------------------------------------- the Parquet files of an index


class IndexFile(ScanFile):
    """A file of an index. A name means the column of the file, even if the name has another meaning in conditions."""

    command = "index"

    def type_of(self, name: str) -> pa.DataType:
        """The type of a column."""
        return self.schema.field(name).type

    @functools.cached_property
    def limits(self) -> np.ndarray:
        """The least and the greatest key of each row group: (n, 2) uint64."""
        with self.reading():
            groups = map(self.metadata.row_group, range(self.metadata.num_row_groups))
            statistics = [group.column(0).statistics for group in groups]
            return np.array([(it.min, it.max) for it in statistics], np.uint64).reshape(-1, 2)

    @functools.cached_property
    def places(self) -> list[tuple[int, int, int]]:
        """For each row group the rows before it and up to its end, and the positions of a game: two bytes a move."""
        groups = [self.metadata.row_group(number) for number in range(self.metadata.num_row_groups)]
        ends = np.cumsum([0, *(group.num_rows for group in groups)]).tolist()
        moves = [at for at, name in enumerate(self._name_of_chunk) if name == "moves"]
        sizes = (sum(group.column(at).total_uncompressed_size for at in moves) for group in groups)
        each = [size // 2 // max(group.num_rows, 1) + 1 for size, group in zip(sizes, groups, strict=True)]
        return list(zip(ends, ends[1:], each, strict=False))

    def group(self, number: int, asked: dict[str, None] | None = None) -> RowGroup:
        """Return a row group: with the first column, all columns are read that were needed from other groups."""
        return _IndexGroup(self, number, {} if asked is None else asked)

    def numbers(self, groups: range, name: str) -> np.ndarray:
        """Return a column without nulls of some row groups."""
        column = self.column(groups, name)
        with self.reading():
            return column.to_numpy()


class _IndexGroup(RowGroup):
    """A row group of a file of an index; ``asked`` are the columns that were needed, also from other groups."""

    def __init__(self, file: IndexFile, number: int, asked: dict[str, None]) -> None:
        groups = range(number, number + 1)
        super().__init__(file.schema, file.metadata.row_group(number).num_rows, functools.partial(file.column, groups))
        self._file, self._groups, self._asked = file, groups, asked

    def column(self, name: str) -> pa.Array:
        self._asked.setdefault(name)
        self.read([it for it in list(self._asked) if it in self.schema.names])  # other threads may add to it
        return super().column(name)

    def columns(self, names: list[str]) -> Iterator[pa.Array]:
        return (column.combine_chunks() for column in self._file.columns(self._groups, names))


def opened_file(path: Path, expected: FileSum) -> IndexFile:
    """Return a file of an index; its end is read once for each state of the file.

    Raises:
        SourceError: when it is missing or damaged.
    """
    try:
        state = (*layout.state_of(path), expected.size, expected.sums[-1])
    except OSError:
        return IndexFile(path, expected)  # which raises the error
    if state not in _opened:
        if len(_opened) >= _MOST:
            _opened.clear()
        _opened[state] = IndexFile(path, expected)
    return _opened[state]


#: The files that this process has opened, by path and state; their footers take a few kilobytes each.
_opened: dict[tuple[object, ...], IndexFile] = {}
_MOST = 4096
#: How many row groups of outcomes a run keeps in memory, 256 KB each.
_KEPT = 256


# --------------------------------------------------------------------------------------------------------------- games


class IndexedGames(GameTable):
    """The packed games of a part, whose bytes are compared with the manifest.

    Args:
        file: the file.
        name: the name of the source.
        asked: the columns that will be needed, or were so far, also from other parts: a group's are read together.
    """

    def __init__(self, file: IndexFile, name: str, asked: dict[str, None]) -> None:
        super().__init__(str(file.path), name, lambda: pq.ParquetFile(file.path), file.metadata, file.schema)
        self._file, self._asked = file, asked

    def group(self, number: int) -> RowGroup:
        """Return a group of rows."""
        return self._file.group(number, self._asked)

    def places(self) -> list[tuple[int, int, int]]:
        """Return for each row group the rows before it and up to its end, and about how many positions a game has."""
        return self._file.places

    def kept(self, number: int) -> RowGroup:
        """Return a group of rows, which stays in memory for the next searches, as long as there is room."""
        return _kept(self._file, number, self.group)


#: The row groups that searches by key or by bitmap have used, the last used last; their bytes are limited.
_groups: dict[tuple[IndexFile, int], RowGroup] = {}
_MOST_BYTES, _keeping = 64 << 20, Lock()


def _kept(file: IndexFile, number: int, read: Callable[[int], RowGroup]) -> RowGroup:
    """Return a row group of a file, from memory if it was used before."""
    with _keeping:
        known = _groups.pop((file, number)) if (file, number) in _groups else None
        group = _groups[file, number] = known or read(number)
    return group


def _drop_groups() -> None:
    """Drop the row groups that were not used for the longest time, so that the others fit the limit."""
    with _keeping:
        left = _MOST_BYTES - sum(group.nbytes for group in _groups.values())
        for key in list(_groups) if left < 0 else ():
            left += _groups.pop(key).nbytes
            if left >= 0:
                break


def games_of(
    at: Callable[[str], Path], files: Mapping[str, FileSum], name: str, asked: dict[str, None] | None = None
) -> IndexedGames:
    """Return the packed games of a part.

    Args:
        at: returns where a file is, by its path in the store.
        files: the files of the part.
        name: the name of the source.
        asked: the columns that were needed from other parts.

    Raises:
        SourceError: when the file is missing or damaged, or of another version.
    """
    [(path, expected)] = [(path, held) for path, held in files.items() if layout.place_of(path) == layout.PACKED]
    file = opened_file(at(path), expected)
    with file.reading():
        if not is_packed(file.metadata.metadata, str(file.path)):
            raise ValueError("it has no packed games")
    return IndexedGames(file, name, {} if asked is None else asked)


# ---------------------------------------------------------------------------------------------------------------- runs


class Occurrences(NamedTuple):
    """Positions with some keys: for each, the number of its key, its source, its game, its ply, and the move played."""

    which: np.ndarray
    source: np.ndarray
    game: np.ndarray
    ply: np.ndarray
    code: np.ndarray


class PositionRun:
    """A sorted run: the positions of some parts by their keys.

    Args:
        at: returns where a file is, by its path in the store.
        files: the files of the run, by their paths in the store.
        games: for each part whose positions it has, the number of the source, the number of the first game, and how
            many games there are.
    """

    def __init__(
        self, at: Callable[[str], Path], files: Mapping[str, FileSum], games: list[tuple[int, int, int]]
    ) -> None:
        self.paths, self.games, self._at = [*files], games, at
        self._files = {layout.place_of(path).rpartition("/")[2]: (path, held) for path, held in files.items()}
        self._kept: dict[int, np.ndarray] = {}

    @property
    def rows(self) -> int:
        """How many positions there are."""
        return self._files[layout.POSITIONS][1].rows

    def file(self, place: str) -> IndexFile:
        """Return one of the files, by the name of its folder."""
        path, expected = self._files[place]
        return opened_file(self._at(path), expected)

    def find(self, keys: np.ndarray, names: Collection[str] = ROWS.names[1:]) -> Occurrences:
        """Return the positions that have one of some keys; columns besides ``names`` are empty."""
        file, parts = self.file(layout.POSITIONS), list[Occurrences]()
        order = np.argsort(keys)
        wanted = keys[order]
        for group in np.flatnonzero(
            np.searchsorted(wanted, file.limits[:, 0]) < np.searchsorted(wanted, file.limits[:, 1], side="right")
        ).tolist():
            kept = _kept(file, group, file.group)
            stored = kept.column("key").to_numpy()
            first, last = np.searchsorted(stored, wanted), np.searchsorted(stored, wanted, side="right")
            counts = last - first
            if not counts.any():
                continue
            rows = np.concatenate([np.arange(*it) for it in zip(first, last, strict=True)])
            columns = (
                kept.column(name).to_numpy()[rows] if name in names else np.zeros(0, np.int64)
                for name in ROWS.names[1:]
            )
            parts.append(Occurrences(np.repeat(order, counts), *columns))
        if not parts:
            return Occurrences(*(np.zeros(0, np.int64) for _ in Occurrences._fields))
        return Occurrences(*map(np.concatenate, zip(*parts, strict=True)))

    def frequent(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the stored sums of frequent positions that have one of some keys: number of the key, move, sums.

        The move is -1 for the sums over all games with the position.
        """
        if layout.TREE not in self._files:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, len(SUMS)), np.int64)
        file = self.file(layout.TREE)
        every = range(file.metadata.num_row_groups)
        stored = file.numbers(every, "key")
        order = np.argsort(keys)
        at = np.minimum(np.searchsorted(keys[order], stored), len(keys) - 1)
        rows = np.flatnonzero(keys[order][at] == stored)
        codes = file.column(every, "code").cast(pa.int64()).fill_null(-1).to_numpy()[rows]
        sums = [file.numbers(every, name)[rows] for name in SUMS] if len(rows) else []
        return order[at[rows]], codes, np.stack(sums, 1) if sums else np.zeros((0, len(SUMS)), np.int64)

    def outcomes(self, source: np.ndarray, game: np.ndarray) -> np.ndarray:
        """Return the outcomes of games, a row of ``OUTCOMES`` each: (n, 4) int16."""
        file = self.file(layout.OUTCOMES)
        places = sorted((number, first, at) for (number, first, _), at in zip(self.games, self._starts, strict=True))
        begins = np.array([number << 32 | first for number, first, _ in places], np.int64)
        wanted = source.astype(np.int64) << 32 | game.astype(np.int64)
        at = np.searchsorted(begins, wanted, side="right") - 1
        rows = np.array([place for *_, place in places], np.int64)[at] + wanted - begins[at]
        out = np.empty((len(rows), len(OUTCOMES)), np.int16)
        size = max(file.metadata.row_group(0).num_rows, 1) if file.metadata.num_row_groups else 1
        groups, within = np.divmod(rows, size)
        for group in np.flatnonzero(np.bincount(groups)).tolist():
            chosen = groups == group
            out[chosen] = self._outcomes_of(group)[within[chosen]]
        return out

    def _outcomes_of(self, group: int) -> np.ndarray:
        """The outcomes of the games of a row group; the groups read last are kept in memory."""
        known = self._kept.get(group)
        if known is None:
            file = self.file(layout.OUTCOMES)
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            known = np.stack([file.numbers(range(group, group + 1), name) for name in OUTCOMES.names], 1)
            # Ratings of 0, which former versions stored, are read as null.
            self._kept[group] = known = np.nan_to_num(known, nan=-1).astype(np.int16)
        return known

    @property
    def _starts(self) -> list[int]:
        """The row of the first game of each part in the outcomes."""
        return np.cumsum([0, *(count for _, _, count in self.games)])[:-1].tolist()


def runs_of(folder: Path, contents: Contents) -> Iterator[PositionRun]:
    """Yield the runs of an index: the merged runs, then the runs of parts that are not merged yet."""
    at = functools.partial(contents.located, folder)

    def games(source: int, part: int) -> tuple[int, int, int]:
        it = contents.sources[source - 1].parts[part]
        return source, it.first, it.games

    for run in contents.runs.values():
        yield PositionRun(at, run.files, [games(*part) for part in run.parts])
    for source, number, part in contents.parts():
        if files := {path: held for path, held in part.files.items() if layout.is_of_run(path)}:
            yield PositionRun(at, files, [games(source.number, number)])


# ------------------------------------------------ some of the games of a table of packed games, wherever they are in it


#: The most row groups that one batch picks games from, so that every thread gets some games.
_GROUPS = 32


class _PickedRows(GameRows):
    """Some rows of some groups of tables with the same columns, one group after the other."""

    def __init__(self, picks: list[tuple[RowGroup, pa.Array]]) -> None:
        super().__init__(picks[0][0], 0, sum(len(rows) for _, rows in picks))
        self.picks = picks

    def column(self, name: str) -> pa.Array:
        """Return a column; a column of texts stored as a dictionary is converted to plain texts."""
        column = pa.concat_arrays([group.column(name).take(rows) for group, rows in self.picks])
        return column.cast(plain_type(column.type))


def picked(parts: Iterable[tuple[IndexedGames, int, np.ndarray]], question: Question) -> Iterator[Job]:
    """Yield batches of some games of tables.

    Args:
        parts: tables, each with the number of its first game, and the numbers of the games that are read, ascending.
        question: says whether annotations and variations are read.
    """
    picks, chosen, size = list[tuple[RowGroup, pa.Array]](), list[np.ndarray](), 0
    last: IndexedGames | None = None

    def job(table: IndexedGames) -> Job:
        return GamesJob(_PickedRows(picks), table.name, np.concatenate(chosen), question)

    for table, first, numbers in parts:
        if picks and last is not None and not (last.name == table.name and last.schema.equals(table.schema)):
            yield job(last)
            picks, chosen, size = [], [], 0
        last = table
        for number, (begin, end, each) in enumerate(table.places()):
            rows = numbers[slice(*np.searchsorted(numbers, (first + begin, first + end)))]
            if not len(rows):
                continue
            group, pieces = table.kept(number), len(rows) * each // POSITIONS + 1
            for some in np.array_split(rows, pieces) if pieces > 1 else [rows]:
                picks, chosen = [*picks, (group, numbers_of(some - (first + begin), pa.int64()))], [*chosen, some]
                size += len(some) * each
                if size >= POSITIONS or len(picks) == _GROUPS:
                    yield job(table)
                    picks, chosen, size = [], [], 0
    if picks and last is not None:
        yield job(last)
    _drop_groups()


# ------------------------------------------------------------------------------------------------- an index as a source


#: The length to which the description of a need is cut in a message.
_LONGEST = 120


class _PartOfIndex(NamedTuple):
    """A part of an index: games of one source that follow one another."""

    known: KnownSource
    number: int
    part: Part

    @property
    def source(self) -> str:
        """The name of the source."""
        return self.known.names.get(self.known.name, self.known.name)


class IndexSource(SourceOfGames):
    """The packed games of an index, and the runs in which their positions are found by key.

    Args:
        folder: the folder of the index.
        contents: the contents of its manifest.
        tables: returns the tables of the same positions; None if the store has none.
    """

    def __init__(self, folder: str, contents: Contents, tables: Callable[[], ScanSource] | None = None) -> None:
        self.name, self._read_tables, self._at = folder, tables, functools.partial(contents.located, Path(folder))
        self.parts = [_PartOfIndex(*it) for it in contents.parts()]
        self.runs = list(runs_of(Path(folder), contents))
        #: The columns with bitmaps, each with the number of the list that it is in.
        self._lists = {
            name: number
            for number, it in contents.bitmaps.items() if it.version == version_of(it.columns)
            for name in it.columns
        }  # fmt: skip
        self._names: Mapping[str, str] = {}
        #: The columns of games that have been asked for; the need whose games were found last, and these games.
        self._asked: dict[str, None] = {}
        self._found: dict[str, list[tuple[_PartOfIndex, np.ndarray]]] = {}
        for path, held in contents.files().items():
            with reading(functools.partial(self._at, path), IndexFile.command):
                check_size(self._at(path).stat().st_size, held.size)

    @functools.cached_property
    def tables(self) -> ScanSource | None:
        """The tables of the same positions in the same order, if the store has them: DuckDB may answer from these."""
        if self._read_tables is None:
            return None
        tables = self._read_tables()
        tables.name_sources(self._names)
        return None if any(file.divided for file, _ in tables.parts) else tables

    @functools.cached_property
    def games(self) -> int:
        """How many games there are."""
        return sum(it.part.games for it in self.parts)

    @property
    def schema(self) -> object:
        """The columns of the first part: its tags, and the columns of packed games."""
        return self._table(self.parts[0]).schema if self.parts else None

    def sources(self) -> Iterator[str]:
        """Yield the names of the sources that were indexed."""
        for it in self.parts:
            yield it.source

    def name_sources(self, names: Mapping[str, str]) -> None:
        """Call these sources by other names."""
        self._names = names

    def _table(self, it: _PartOfIndex) -> IndexedGames:
        return games_of(self._at, it.part.files, self._names.get(it.source, it.source), self._asked)

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield batches of whole games, part by part."""
        for it in self.parts:
            yield from self._table(it).scan(question, it.part.first)

    # ------------------------------------------------------------------------------------------------------- the index

    def explain(self, question: Question) -> Plan:
        """Return how a question is answered: only games are read that can have a match, or none if sums are stored."""
        need = question.needs
        known = None if need is None or question.variations else self._known(need)
        plan = self.read_whole(question, self._why_not(question))
        if question.tree is not None:
            plan = plan._replace(sums=self.sums(*question.tree))
        if known is None and self.tables is not None and not question.variations:
            of_tables = self.tables.explain(question)
            plan = plan._replace(files=of_tables.files, table=of_tables.table)
        if known is None:
            return plan
        chosen = self._chosen(known)
        count = sum(len(games) for _, games in chosen)
        what = str(known) if len(str(known)) <= _LONGEST else f"{str(known)[: _LONGEST - 2]} …"
        way = f"the index finds {what} in {count:,} of {self.games:,} games, and only these are read"
        return plan._replace(way=way, jobs=functools.partial(self._picked, chosen, question), reads_all=False)

    def _chosen(self, known: Need) -> list[tuple[_PartOfIndex, np.ndarray]]:
        """Return for each part the games that may meet a need, by their places in the part."""
        if (key := repr(known)) not in self._found:
            reached = {keys: self._reached(keys) for keys in keys_in(known)}
            chosen = [(it, np.flatnonzero(self._flags(known, it, reached))) for it in self.parts]
            self._found = {key: chosen}
        return self._found[key]

    def _known(self, need: Need) -> Need | None:
        """What the index knows of a need; None if it knows nothing."""
        match need:
            case HasValue(columns):
                return need if self._lists.keys() >= {*columns} else None
            case AllOf(parts):
                return all_of(*map(self._known, parts))
            case AnyOf(parts):
                return any_of(*map(self._known, parts))
        return need

    def _reached(self, keys: frozenset[int]) -> np.ndarray:
        """The games that reach a position with one of some keys: numbers of sources and games, ascending."""
        wanted = np.array(sorted(keys), np.uint64)
        positions = [run.find(wanted, ("source_number", "game")) for run in self.runs]
        games = [it.source.astype(np.int64) << 32 | it.game.astype(np.int64) for it in positions]
        every = np.sort(np.concatenate([np.full(1, -1), *games]))  # np.unique would import numpy.ma, which takes long
        return every[1:][np.diff(every) > 0]

    def _flags(self, need: Need, it: _PartOfIndex, reached: Mapping[frozenset[int], np.ndarray]) -> np.ndarray:
        """For each game of a part whether it may meet a need."""
        match need:
            case AllOf(parts):
                return np.logical_and.reduce([self._flags(part, it, reached) for part in parts])
            case AnyOf(parts):
                return np.logical_or.reduce([self._flags(part, it, reached) for part in parts])
            case Keys(keys) if self._is_indexed(it):
                begin = it.known.number << 32 | it.part.first
                flags = np.zeros(it.part.games, np.bool_)
                first, last = np.searchsorted(reached[keys], (begin, begin + it.part.games))
                flags[reached[keys][first:last] - begin] = True
                return flags
            case HasValue(columns):
                return np.logical_or.reduce([self._bitmap(name, it) for name in columns])
        return np.ones(it.part.games, np.bool_)

    def _bitmap(self, name: str, it: _PartOfIndex) -> np.ndarray:
        """For each game of a part whether a column has a value in it; true for all if the part has no bitmap yet."""
        path = layout.bitmaps_name(self._lists[name], it.known.name_of(it.number))
        if path not in it.part.files:
            return np.ones(it.part.games, np.bool_)
        file = opened_file(self._at(path), it.part.files[path])
        flags = file.numbers(range(file.metadata.num_row_groups), name)
        with file.reading():
            if len(flags) != it.part.games:
                raise ValueError(f"it has {len(flags):,} games instead of {it.part.games:,}")
        return flags

    def _picked(self, chosen: list[tuple[_PartOfIndex, np.ndarray]], question: Question) -> Iterator[Job]:
        self._asked.update(dict.fromkeys(_needed(question)))
        for is_whole, some in itertools.groupby(chosen, lambda part: len(part[1]) == part[0].part.games):
            if is_whole:
                for it, _ in some:
                    yield from self._table(it).scan(question, it.part.first)
            else:
                tables = ((self._table(it), it.part.first, games + it.part.first) for it, games in some if len(games))
                yield from picked(tables, question)

    def _why_not(self, question: Question) -> str:
        """Return why the index is not used."""
        if question.variations:
            return "the index has no positions of variations"
        if question.condition is None:
            return "no position is named"
        need = question.needs
        lacking = [name for name in columns_in(need) if name not in self._lists] if need else []
        if not lacking:
            return (
                "the condition requires neither a certain position (key = …, fen = … or key = position_key('…')) nor a "
                "value of a certain feature"
            )
        return f"the index has no bitmap of {' and '.join(lacking)} (setwise index --features adds some)"

    @functools.cached_property
    def _indexed(self) -> set[tuple[int, int]]:
        """The parts with positions in a run, by the numbers of their source and their first game."""
        return {(source, first) for run in self.runs for source, first, _ in run.games}

    def _is_indexed(self, it: _PartOfIndex) -> bool:
        return (it.known.number, it.part.first) in self._indexed

    def sums(self, keys: np.ndarray, moves: np.ndarray | None) -> np.ndarray | None:
        """Return the sums over the games that reach each position, or that play each move in one position.

        Args:
            keys: the keys of positions; only one key if there are moves.
            moves: the moves to count; None to count the games with each position.

        Returns:
            The sums ``SUMS`` for each move, or each key: (n, 15) int64; None if some positions are in no run.
        """
        if not all(map(self._is_indexed, self.parts)):
            return None
        total = np.zeros((len(keys) if moves is None else len(moves), len(SUMS)), np.int64)
        total[:, -1] = -1
        for run in self.runs:
            which, codes, sums = run.frequent(keys)
            at = np.where(codes < 0, which, -1) if moves is None else _numbers_in(moves, codes)
            for number, more in zip(at[at >= 0].tolist(), sums[at >= 0], strict=True):
                total[number] = added(total[number], more)
            rare = np.setdiff1d(np.arange(len(keys)), which)
            if len(rare):
                positions = run.find(keys[rare], ("source_number", "game", *(("code",) if moves is not None else ())))
                number = rare[positions.which] if moves is None else _numbers_in(moves, positions.code.astype(np.int64))
                total = added(total, _sums_of(run, positions, number, len(total)))
        return total


def _needed(question: Question) -> Iterator[str]:
    """Yield the columns of packed games that a question needs: the moves, and the tags of the columns that it names."""
    yield from ("moves", "ends", "fault", *SETUP)
    read = question.condition, question.order, *question.computed.values()
    named = itertools.chain(question.columns, *(it.columns for it in read if it))
    needs = {need for name in named if name in COLUMNS for need in COLUMNS[name].needs or (name,)}
    yield from (tag for tag, name in OF_TAGS.items() if name in needs)


def _sums_of(run: PositionRun, positions: Occurrences, number: np.ndarray, count: int) -> np.ndarray:
    """The sums over the games of positions found in a run, by ``number``; a game counts once for each number."""
    known = number >= 0
    games = np.stack([number, positions.source.astype(np.int64), positions.game.astype(np.int64)], 1)[known]
    games = np.unique(games, axis=0)
    return sums_of(run.outcomes(games[:, 1], games[:, 2]), games[:, 0], count)


def _numbers_in(moves: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The index of each code in ``moves``; -1 for a code that is not among them."""
    table = np.full(1 << 16, -1, np.int64)
    table[moves] = np.arange(len(moves))
    return np.where(codes < 0, -1, table[codes])


def index_in(folder: str, *, partial: bool = False) -> IndexSource | None:
    """Return the index in a folder with a manifest; None for a store that has only tables of some of its games.

    With ``partial``, an unfinished index is returned, too.

    Raises:
        SourceError: when it is unfinished, a file is missing or cut off, or the index is of a version that cannot be
            read.
    """
    contents = known_contents(Path(folder))
    if layout.KEYS in contents.layers:
        contents = snapshot_of(Path(folder), contents, partial=partial)
    if layout.KEYS not in contents.layers or not all(part.is_packed for *_, part in contents.parts()):
        return None
    has_tables = TABLES in contents.layers and not partial
    return IndexSource(folder, contents, functools.partial(tables_of, folder, contents) if has_tables else None)
