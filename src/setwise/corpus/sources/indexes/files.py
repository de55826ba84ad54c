"""The Parquet files of an index: packed games, and sorted runs in which a key is found by the limits of row groups."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.sources.game_tables.source import GameTable
from setwise.corpus.sources.row_groups import RowGroup
from setwise.corpus.sources.scans.files import ScanFile
from setwise.corpus.storage import layout
from setwise.corpus.storage.checksums import FileSum
from setwise.corpus.storage.manifest import Contents
from setwise.corpus.storage.packed_games import is_packed
from setwise.corpus.storage.position_runs import OUTCOMES, ROWS, SUMS
from setwise.errors import SourceError
from setwise.system.arrow import pq

__all__ = ["Found", "IndexFile", "IndexedGames", "PositionRun", "games_of", "opened_file", "runs_of"]


class IndexFile(ScanFile):
    """A file of an index: its columns are those of the file, whatever conditions know under their names."""

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

    def numbers(self, groups: range, name: str) -> np.ndarray:
        """Return a column without nulls of some row groups."""
        column = self.column(groups, name)
        with self.reading():
            return column.to_numpy()


def opened_file(path: Path, expected: FileSum) -> IndexFile:
    """Return a file of an index; its end is read once for each state of the file.

    Raises:
        SourceError: when it is missing or damaged.
    """
    try:
        stat = path.stat()
    except OSError:
        return IndexFile(path, expected)  # which raises the error
    state = (str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino, expected.size, expected.sums[-1])
    if state not in _opened:
        if len(_opened) >= _MOST:
            _opened.clear()
        _opened[state] = IndexFile(path, expected)
    return _opened[state]


#: The files that this process has opened, by path and state; their footers take a few kilobytes each.
_opened: dict[tuple[object, ...], IndexFile] = {}
_MOST = 4096
#: How many row groups of outcomes a run keeps, 256 KB each.
_KEPT = 256


# --------------------------------------------------------------------------------------------------------------- games


class IndexedGames(GameTable):
    """The packed games of a part, whose bytes are compared with the manifest.

    Args:
        file: the file.
        name: the name of the source.
        asked: the columns that groups were asked for, of other parts, too: those of the next group are read at once, at
            half the cost.
    """

    def __init__(self, file: IndexFile, name: str, asked: list[str]) -> None:
        super().__init__(str(file.path), name, lambda: pq.ParquetFile(file.path), file.metadata, file.schema)
        self._file, self._asked = file, asked

    def group(self, number: int) -> RowGroup:
        """Return a group of rows."""
        groups, read = range(number, number + 1), dict[str, pa.ChunkedArray]()

        def column(name: str) -> pa.ChunkedArray:
            if name not in self._asked:
                self._asked.append(name)
                return self._file.column(groups, name)
            if not read:
                names = [it for it in dict.fromkeys(self._asked) if it in self.schema.names]
                read.update(zip(names, self._file.columns(groups, names), strict=True))
            return read.pop(name) if name in read else self._file.column(groups, name)

        return RowGroup(self.schema, self.metadata.row_group(number).num_rows, column, {})


def games_of(folder: Path, files: Mapping[str, FileSum], name: str, asked: list[str] | None = None) -> IndexedGames:
    """Return the packed games of a part; with ``asked``, the columns that other parts were asked for.

    Raises:
        SourceError: when the file is missing or damaged, or of another version.
    """
    [(path, expected)] = [(path, held) for path, held in files.items() if path.startswith(f"{layout.GAMES}/")]
    file = opened_file(folder / path, expected)
    if not is_packed(file.metadata.metadata, str(file.path)):
        raise SourceError(f"{file.path} is damaged: it has no packed games; index the same sources again")
    return IndexedGames(file, name, [] if asked is None else asked)


# ---------------------------------------------------------------------------------------------------------------- runs


class Found(NamedTuple):
    """Positions with some keys: the number of the key of each, its source, game and ply, and the move played."""

    which: np.ndarray
    source: np.ndarray
    game: np.ndarray
    ply: np.ndarray
    code: np.ndarray


class PositionRun:
    """A sorted run: the positions of some parts by their keys.

    Args:
        folder: the folder of the index.
        files: the files of the run, by their paths in the folder.
        games: for each part whose positions it has, the number of the source, of the first game, and of all games.
    """

    def __init__(self, folder: Path, files: Mapping[str, FileSum], games: list[tuple[int, int, int]]) -> None:
        self.folder, self.games = folder, games
        self._paths = {path.partition("/")[0]: (folder / path, held) for path, held in files.items()}
        self._kept: dict[int, np.ndarray] = {}

    @property
    def rows(self) -> int:
        """How many positions there are."""
        return self._paths[layout.POSITIONS][1].rows

    def file(self, place: str) -> IndexFile:
        """Return one of the files, by the name of its folder."""
        return opened_file(*self._paths[place])

    def find(self, keys: np.ndarray, names: Collection[str] = ROWS.names[1:]) -> Found:
        """Return the positions that have one of some keys; columns besides ``names`` are empty."""
        file, parts = self.file(layout.POSITIONS), list[Found]()
        order = np.argsort(keys)
        wanted = keys[order]
        for group in np.flatnonzero(
            np.searchsorted(wanted, file.limits[:, 0]) < np.searchsorted(wanted, file.limits[:, 1], side="right")
        ).tolist():
            groups = range(group, group + 1)
            stored = file.numbers(groups, "key")
            first, last = np.searchsorted(stored, wanted), np.searchsorted(stored, wanted, side="right")
            counts = last - first
            if not counts.any():
                continue
            rows = np.concatenate([np.arange(*it) for it in zip(first, last, strict=True)])
            read = dict(zip(names, file.columns(groups, [*names]), strict=True))
            columns = (
                read[name].to_numpy()[rows] if name in read else np.zeros(0, np.int64) for name in ROWS.names[1:]
            )
            parts.append(Found(np.repeat(order, counts), *columns))
        if not parts:
            return Found(*(np.zeros(0, np.int64) for _ in Found._fields))
        return Found(*map(np.concatenate, zip(*parts, strict=True)))

    def frequent(self, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the stored sums of frequent positions that have one of some keys: number of the key, move, sums.

        The move is -1 for the sums over all games with the position.
        """
        if layout.TREE not in self._paths:
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
        """The outcomes of the games of a row group; the last ones are kept."""
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
    """Yield the runs of an index: the merged ones, and those of parts that are not merged yet."""

    def games(source: int, part: int) -> tuple[int, int, int]:
        it = contents.sources[source - 1].parts[part]
        return source, it.first, it.games

    for run in contents.runs.values():
        yield PositionRun(folder, run.files, [games(*part) for part in run.parts])
    for source in contents.sources:
        for number, part in sorted(source.parts.items()):
            files = {path: held for path, held in part.files.items() if layout.is_of_run(path)}
            if files:
                yield PositionRun(folder, files, [games(source.number, number)])
