"""``index``: packed games with all their positions sorted by key, written in parts and merged in runs.

Each part of a source becomes packed games, a sorted run of its positions, and bitmaps of columns. A search reads every
run, so runs are merged when there are many. A run that is more than twice as large as all later runs together is not
merged, so each position is written only a few times. While runs are merged, sums over the games of frequent positions
are stored for ``tree``. Runs and bitmaps can be made again from the packed games; packed games need their source.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from setwise.corpus.dataset.folder import Dataset, Made, Stopped, Work, damaged_parts, damaged_runs
from setwise.corpus.dataset.scan import feature_columns
from setwise.corpus.pgnfiles.packing import rows_of, tags_of
from setwise.corpus.query.search import usable_threads
from setwise.corpus.sources.indexes import IndexSource, PositionRun, games_of, runs_of
from setwise.corpus.sources.jobs import Batch, Job, Source
from setwise.corpus.sources.places import Sources
from setwise.corpus.storage import encodings, layout
from setwise.corpus.storage.encodings import (
    FREQUENT,
    OUTCOMES,
    ROWS,
    TREE,
    has_bitmap,
    in_order,
    schema_of,
    sums_of,
    version_of,
    without_movers,
)
from setwise.corpus.storage.layout import KnownSource, Part, Run, Seen, contents_of, measured
from setwise.errors import OutputError, QueryError, SourceError
from setwise.game.games import Fault, Games
from setwise.system.files import in_utf8, settle
from setwise.version import __version__

# --------------------------------------------- the parts of an index: packed games, and a sorted run of their positions


#: Positions in a row group of packed games: to read one game, the columns of its whole row group are decompressed.
_GROUP = 1 << 16
#: Games in a row group of outcomes.
_OUTCOMES = 1 << 15


class IndexWork(Work):
    """How the parts of an index are written."""

    #: The columns with bitmaps, by the number of the list that they belong to.
    lists: Mapping[int, list[str]] = MappingProxyType({})

    def _written(self, aside: Path, name: str, jobs: list[Job]) -> Made:
        aside.mkdir(parents=True)
        run, faults, first, count, read = _Run(layout.source_of(Path(name))), list[Fault](), None, 0, 0
        making: list[_Run | _Bits] = [run, *self._bits()]
        waiting, size = list[pa.Table](), 0
        with encodings.packed_writer(aside / layout.GAMES, self.schema) as file:
            for batch in self._batches(jobs):
                games = cast("Games", batch.games)  # sources without texts are refused
                waiting.append(rows_of(games, batch.faults, self.schema))
                for it in making:
                    it.add(batch)
                first = batch.games.first if first is None else first
                count, read, faults = count + len(batch.games), read + batch.size, faults + batch.faults
                size += len(batch.positions)
                if size >= _GROUP:
                    file.write_table(pa.concat_tables(waiting), row_group_size=1 << 30)
                    waiting, size = [], 0
            if waiting:
                file.write_table(pa.concat_tables(waiting), row_group_size=1 << 30)
        files = {aside / layout.GAMES: self.folder / layout.GAMES / name} | self._files(making, aside, name)
        return Made(Part(first or 1, count, run.rows, read=read, files=self._sums(files)), faults, aside, files)

    def again(self, name: str, part: Part, jobs: Iterable[Job], *, has_run: bool) -> Made:
        """Write the missing files of a part from its packed games: bitmaps, and a run if no run contains the part."""
        aside = self.folder / layout.UNFINISHED / name
        aside.mkdir(parents=True)
        run = [] if has_run else [_Run(layout.source_of(Path(name)))]
        making: list[_Run | _Bits] = [*run, *self._bits()]
        for job in jobs:
            if self.stop.is_set():
                raise Stopped("the index is given up")
            batch = job.run()
            for it in making:
                it.add(batch)
            self.on_batch(batch.game_count, len(batch.positions), 0)
        files = self._files(making, aside, name)
        return Made(part._replace(files={**part.files, **self._sums(files)}), [], aside, files)

    def _files(self, making: Iterable[_Run | _Bits], aside: Path, name: str) -> dict[Path, Path]:
        """Write the files of runs and bitmaps, and return their final places."""
        return {file: place for it in making for file, place in it.written(aside, self.folder, name).items()}

    def _bits(self) -> list[_Bits]:
        return [_Bits(number, columns) for number, columns in self.lists.items()]

    def _batches(self, jobs: list[Job]) -> Iterator[Batch]:
        while jobs:
            if self.stop.is_set():
                raise Stopped("the index is given up")
            batch = jobs[-1].run()
            jobs.pop()
            yield batch
            self.on_batch(batch.game_count, len(batch.positions), batch.size)


class _Run:
    """The positions of some games, and the outcomes of these games."""

    def __init__(self, source: int) -> None:
        self.source, self.rows = source, 0
        self.columns: list[list[np.ndarray]] = []
        self.outcomes: list[np.ndarray] = []

    def add(self, batch: Batch) -> None:
        """Add the positions of a batch."""
        positions = batch.positions
        numbers = batch.games.numbers[positions.game]
        self.columns.append([positions.keys(), numbers, positions.ply, np.asarray(positions.moves, np.uint16)])
        self.outcomes.append(encodings.outcomes_of(batch.games))
        self.rows += len(positions)

    def written(self, aside: Path, folder: Path, name: str) -> dict[Path, Path]:
        """Write the files of the run, and return their final places."""
        keys, games, plies, codes = (
            (np.concatenate(column) for column in zip(*self.columns, strict=True))
            if self.columns else (np.zeros(0, kind) for kind in (np.uint64, np.int32, np.int32, np.uint16))
        )  # fmt: skip
        keys, order = in_order(keys)
        numbers = np.full(len(keys), self.source, np.uint32)
        columns = [keys, numbers, games[order], plies[order], codes[order]]
        with encodings.runs_writer(aside / layout.POSITIONS, ROWS) as file:
            table = pa.table([pa.array(it) for it in columns], schema=ROWS)
            file.write_table(table, row_group_size=encodings.group_size(len(keys)))
        outcomes = np.concatenate(self.outcomes) if self.outcomes else np.zeros((0, len(OUTCOMES)), np.int16)
        of_games = [pa.array(column).cast(field.type) for column, field in zip(outcomes.T, OUTCOMES, strict=True)]
        write_outcomes(aside / layout.OUTCOMES, pa.table(of_games, schema=OUTCOMES))
        return {aside / place: folder / place / name for place in (layout.POSITIONS, layout.OUTCOMES)}


class _Bits:
    """The bitmaps of some columns over some games."""

    def __init__(self, number: int, columns: list[str]) -> None:
        self.number, self.columns = number, columns
        self.games: list[np.ndarray] = []
        self.bits: dict[str, list[np.ndarray]] = {name: [] for name in columns}

    def add(self, batch: Batch) -> None:
        """Add the games of a batch."""
        self.games.append(batch.games.numbers)
        for name, bits in self.bits.items():
            bits.append(encodings.bitmap(batch.positions, name))

    def written(self, aside: Path, folder: Path, name: str) -> dict[Path, Path]:
        """Write the file, and return its final place."""
        file = aside / f"{layout.FEATURES}-{self.number}"
        nothing = np.zeros(0, np.bool_)
        bits = {name: pa.array(np.concatenate([nothing, *its])) for name, its in self.bits.items()}
        games = np.concatenate([np.zeros(0, np.int32), *self.games])
        encodings.write(file, pa.table({encodings.GAME: pa.array(games), **bits}))
        return {file: folder / layout.bitmaps_name(self.number, name)}


def write_outcomes(place: Path, table: pa.Table) -> None:
    """Write the outcomes of the games of a run."""
    with encodings.runs_writer(place, OUTCOMES) as file:
        file.write_table(table, row_group_size=_OUTCOMES)


# ----------------------------------------------------------- merges sorted runs of an index into one, in bounded memory


#: The number of rows that are sorted at once.
_ROWS = 1 << 21
#: The largest number of runs that are merged at once; how many times larger than all later runs together a run may be.
_MOST, _LARGER = 32, 2


def to_merge(sizes: list[int], *, at_end: bool) -> slice | None:
    """Return which runs, by their numbers of positions, should be merged; None if no run should be.

    A run that is more than twice as large as all later runs together is not merged, so that a position is written again
    only when its run grows to one and a half times its size. So there are few runs, and each position is written a few
    times.

    >>> to_merge([1000, 60, 40], at_end=True), to_merge([100, 30, 10], at_end=True)
    (slice(1, 3, None), None)

    Args:
        sizes: the numbers of positions, in the order in which the runs were written.
        at_end: whether all sources have been read; before that, runs are merged only when there are many.
    """
    if len(sizes) < 2 or (not at_end and len(sizes) < _MOST):
        return None
    if len(sizes) > _MOST:
        return slice(len(sizes) - _MOST, len(sizes))
    for first in range(len(sizes) - 1):
        if sizes[first] <= _LARGER * sum(sizes[first + 1 :]):
            return slice(first, len(sizes))
    return None


def merged(runs: list[PositionRun], aside: Path, threads: int) -> dict[str, Path]:
    """Merge runs into one, write its files, and return the files by the names of their folders.

    Args:
        runs: the runs; the merged run has their games in the same order.
        aside: an empty folder for the files.
        threads: the number of threads.

    Raises:
        SourceError: a run is damaged.
    """
    files = {place: aside / place for place in (layout.POSITIONS, layout.OUTCOMES, layout.TREE)}
    outcomes = [pa.concat_tables([_outcomes_of(run) for run in runs])]
    write_outcomes(files[layout.OUTCOMES], outcomes[0])
    sums, frequent = _Sums(runs), list[pa.Table]()
    size = encodings.group_size(sum(run.rows for run in runs))
    with encodings.runs_writer(files[layout.POSITIONS], ROWS) as file:
        for rows, tables in _in_order(runs, sums, threads):
            frequent += tables
            file.write_table(pa.table([pa.array(it) for it in rows], schema=ROWS), row_group_size=size)
    with encodings.runs_writer(files[layout.TREE], TREE) as file:
        file.write_table(pa.concat_tables(frequent) if frequent else TREE.empty_table())
    return files


def _outcomes_of(run: PositionRun) -> pa.Table:
    file = run.file(layout.OUTCOMES)
    every = range(file.metadata.num_row_groups)
    if not every:
        return OUTCOMES.empty_table()
    return pa.table([file.column(every, name) for name in OUTCOMES.names], schema=OUTCOMES)


# ---------------------------------------------------------------------------------------------------------------- rows


class _PositionRows(NamedTuple):
    """Columns of rows, in the order of ``ROWS``."""

    key: np.ndarray
    source_number: np.ndarray
    game: np.ndarray
    ply: np.ndarray
    code: np.ndarray


def _in_order(runs: list[PositionRun], sums: _Sums, threads: int) -> Iterator[tuple[_PositionRows, list[pa.Table]]]:
    """Yield all rows sorted by key, range by range, with the sums of frequent positions; threads share the ranges."""

    def of_range(low: int, high: int) -> tuple[_PositionRows, list[pa.Table]]:
        rows = _sorted(runs, low, high)
        return rows, sums.of(rows)

    with ThreadPoolExecutor(threads) as pool:
        under_way = deque[Future[tuple[_PositionRows, list[pa.Table]]]]()
        try:
            for low, high in _ranges(runs):
                under_way.append(pool.submit(of_range, low, high))
                if len(under_way) > threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for it in under_way:
                it.cancel()


def _ranges(runs: list[PositionRun]) -> Iterator[tuple[int, int]]:
    """Yield ranges of keys with about ``_ROWS`` rows each: the first key, and the key after the last."""
    groups = [
        (int(low), file.metadata.row_group(group).num_rows)
        for run in runs
        for file in [run.file(layout.POSITIONS)]
        for group, low in enumerate(file.limits[:, 0])
    ]
    low, rows = 0, 0
    for key, count in sorted(groups):
        if rows >= _ROWS and key > low:
            yield low, key
            low, rows = key, 0
        rows += count
    yield low, 1 << 64


def _sorted(runs: list[PositionRun], low: int, high: int) -> _PositionRows:
    """Return the rows of all runs with keys in a range, sorted by key; equal keys stay in the order of the runs."""
    parts = [_of_range(run, low, high) for run in runs]
    keys, *others = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    keys, order = in_order(keys)
    return _PositionRows(keys, *(column[order] for column in others))


def _of_range(run: PositionRun, low: int, high: int) -> _PositionRows:
    file = run.file(layout.POSITIONS)
    first = int(np.searchsorted(file.limits[:, 1], np.uint64(low)))
    last = len(file.limits) if high >> 64 else int(np.searchsorted(file.limits[:, 0], np.uint64(high)))
    groups = range(first, max(first, last))
    if not groups:
        return _PositionRows(*(np.zeros(0, field.type.to_pandas_dtype()) for field in ROWS))
    columns = [file.numbers(groups, name) for name in ROWS.names]
    begin = int(np.searchsorted(columns[0], np.uint64(low)))
    end = len(columns[0]) if high >> 64 else int(np.searchsorted(columns[0], np.uint64(high)))
    return _PositionRows(*(column[begin:end] for column in columns))


# ---------------------------------------------------------------------------------------------------------------- sums


class _Sums:
    """The sums over the games of positions that occur often."""

    def __init__(self, runs: list[PositionRun]) -> None:
        self.runs = runs

    def of(self, rows: _PositionRows) -> list[pa.Table]:
        """Return the sums of the frequent positions; ``rows`` are all rows with some keys, sorted by key."""
        begins = np.flatnonzero(np.r_[True, rows.key[1:] != rows.key[:-1]]) if len(rows.key) else np.zeros(0, np.int64)
        ends = np.r_[begins[1:], len(rows.key)] if len(begins) else begins
        frequent = np.flatnonzero(ends - begins >= FREQUENT).tolist()
        return [
            self._of_position(_PositionRows(*(column[begins[at] : ends[at]] for column in rows))) for at in frequent
        ]

    def _of_position(self, rows: _PositionRows) -> pa.Table:
        """Return the sums of the position with these rows."""
        games = rows.source_number.astype(np.int64) << 32 | rows.game
        if (games[1:] < games[:-1]).any():
            order = np.argsort(games, kind="stable")
            games, rows = games[order], _PositionRows(*(column[order] for column in rows))
        is_first = np.r_[True, games[1:] != games[:-1]]
        outcomes = self._outcomes(rows.source_number[is_first], rows.game[is_first])
        codes = np.flatnonzero(np.bincount(rows.code))
        numbers, which = np.searchsorted(codes, rows.code), np.cumsum(is_first) - 1
        once = np.unique(numbers * len(outcomes) + which)
        sums = np.vstack(
            [
                sums_of(outcomes, np.zeros(len(outcomes), np.int64), 1),
                sums_of(outcomes[once % len(outcomes)], once // len(outcomes), len(codes)),
            ]
        )
        columns = [
            np.full(len(sums), rows.key[0]), pa.array([None, *codes.tolist()], pa.uint16()), *sums.T,
        ]  # fmt: skip
        return pa.table([pa.array(it) for it in columns], schema=TREE)

    def _outcomes(self, source: np.ndarray, game: np.ndarray) -> np.ndarray:
        """Return the outcomes of games, which may belong to any of the runs."""
        out = np.empty((len(game), len(OUTCOMES)), np.int16)
        for run in self.runs:
            own = np.zeros(len(game), np.bool_)
            for number, first, count in run.games:
                own |= (source == number) & (game >= first) & (game < first + count)
            if own.any():
                out[own] = run.outcomes(source[own], game[own])
        return out


# ------------------------------------------------------------------------------------------------- an index as a folder


class IndexFolder(Dataset):
    """The index in a folder.

    Args:
        folder: the folder, which need not exist.
        columns: the columns that get bitmaps, in addition to the columns that have bitmaps already.
        threads: the number of threads.
        force: whether another dataset in the folder is replaced.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources.
        on_fault: called for every game that breaks off.
    """

    def __init__(
        self,
        folder: Path,
        columns: Iterable[str] = (),
        *,
        threads: int,
        force: bool = False,
        on_batch: Callable[[int, int, int], Any] | None = None,
        on_fault: Callable[[Fault], Any] | None = None,
    ) -> None:
        super().__init__(folder, [], [], threads=threads, on_batch=on_batch, on_fault=on_fault)
        self.force, self.columns = force, list(columns)
        self.arguments = {"version": version_of(), "columns": ROWS.names, "partitioning": []}

    def _check_kind(self) -> None:
        if self.force or not (self.folder / layout.MANIFEST).is_file():
            return
        try:
            version = contents_of(self.folder).arguments.get("version", "")
        except SourceError:
            return  # reported when it is opened for writing
        if not version.startswith("index "):
            raise OutputError(
                f"{self.folder} holds a scan, not an index: name another folder, or replace it by --force"
            )
        if version != version_of():
            raise OutputError(
                f"{self.folder} holds an index of version {version.removeprefix('index '):.20}, and this setwise "
                f"writes version {version_of().removeprefix('index ')}: --force (in Python force=True) begins it anew"
            )

    # ------------------------------------------------------------------------------------------------------- the parts

    def _work_on(self, opened: Source) -> tuple[Work, bool]:
        if not opened.has_texts or isinstance(opened, IndexSource):
            raise SourceError(f"{opened.name} has no games to index: an index takes PGN and tables of games")
        return self._work_with(schema_of(tags_of([opened])), self._lists()), False

    def _work(self, todo: list[tuple[Any, Seen, KnownSource | None]]) -> None:
        self._enter_columns()
        super()._work(todo)

    def _enter_columns(self) -> None:
        """Record the columns that need bitmaps; bitmaps from another version of setwise are computed again."""
        lists = self.manifest.contents.bitmaps
        current = {name for number in self._lists() for name in lists[number].columns}
        outdated = (name for it in lists.values() for name in it.columns if has_bitmap(name))
        if new := [name for name in dict.fromkeys([*self.columns, *outdated]) if name not in current]:
            self.manifest.bitmaps(new, __version__)

    def _lists(self) -> list[int]:
        """Return the numbers of the lists of columns that this version of setwise computes."""
        return [number for number, it in self.manifest.contents.bitmaps.items() if it.version == __version__]

    def _work_with(self, schema: Any, lists: Iterable[int]) -> IndexWork:
        work = IndexWork(self.folder, [], [], schema, {}, self.stop, self._report_batch)
        work.lists = {number: self.manifest.contents.bitmaps[number].columns for number in lists}
        return work

    def _take_changed(self, source: Any, known: KnownSource) -> None:
        known.is_done = False  # then it is read anew, and its record replaced

    def _drop_damaged(self) -> None:
        """Forget parts with damaged games, and damaged bitmaps and runs, which are made again from the games."""
        self.damaged = {}
        for known, number, damage in list(damaged_parts(self.folder, self.manifest.sources)):
            if number in known.parts and damage.path.is_relative_to(self.folder / layout.GAMES):
                for run in [it for it in self.manifest.contents.runs.values() if (known.number, number) in it.parts]:
                    self.manifest.run(Run(run.number, [], {}))
                known.parts.pop(number)
                known.is_done = False
                self.damaged[known.number] = known, damage
            elif number in known.parts and damage.path.is_relative_to(self.folder / layout.FEATURES):
                name = damage.path.relative_to(self.folder).as_posix()
                part = known.parts[number]
                known.parts[number] = part._replace(files={it: part.files[it] for it in part.files if it != name})
            elif number in known.parts:
                known.parts[number] = known.parts[number].without_run()
        for run, _ in damaged_runs(self.folder, self.manifest.contents.runs):
            self.manifest.run(Run(run.number, [], {}))
        self._remove_others()

    # -------------------------------------------------------------------------------------------------------- the runs

    def _enter_next(self) -> None:
        super()._enter_next()
        self._merge(at_end=False)

    def _finish(self) -> None:
        """Write the runs and bitmaps that are missing, and merge runs."""
        self.stop.clear()  # it was set at the end of the sources
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                making = [(it, pool.submit(self._again, *it)) for it in list(self._lacking())]
                for (known, number, *_), it in making:
                    made = it.result()
                    made.name()
                    self.manifest.part(known, number, made.part)
            finally:
                self.stop.set()
                pool.shutdown(cancel_futures=True)
        self._merge(at_end=True)
        self._remove_others()

    def _lacking(self) -> Iterator[tuple[KnownSource, int, Part, list[int], bool]]:
        """Yield the parts without a run or some bitmaps: the numbers of the missing bitmaps, and whether a run exists.

        The parts are yielded without the bitmaps that another version of setwise has computed.
        """
        lists = self._lists()
        covered = {part for run in self.manifest.contents.runs.values() for part in run.parts}
        for known in self.manifest.sources:
            for number, part in known.parts.items():
                has_run = any(map(layout.is_of_run, part.files)) or (known.number, number) in covered
                names = {it: layout.bitmaps_name(it, layout.part_name(known.number, number)) for it in lists}
                missing = [it for it, name in names.items() if name not in part.files]
                if missing or not has_run:
                    outdated = {it for it in part.files if it.startswith(f"{layout.FEATURES}/")} - {*names.values()}
                    files = {name: held for name, held in part.files.items() if name not in outdated}
                    yield known, number, part._replace(files=files), missing, has_run

    def _again(self, known: KnownSource, number: int, part: Part, lists: list[int], has_run: bool) -> Made:
        games = games_of(self.folder, part.files, known.name)
        jobs = games.jobs_from(part.first, notes=False)
        work = self._work_with(games.schema, lists)
        return work.again(layout.part_name(known.number, number), part, jobs, has_run=has_run)

    def _merge(self, *, at_end: bool) -> None:
        """Merge runs until no more should be merged."""
        while True:
            runs = list(self._runs())
            which = to_merge([run.rows for _, run in runs], at_end=at_end)
            if which is None:
                return
            parts = [part for of, _ in runs[which] for part in of]
            number = self.manifest.contents.last_run + 1
            self._write_run(number, parts, [run for _, run in runs[which]])

    def _runs(self) -> Iterator[tuple[list[tuple[int, int]], PositionRun]]:
        """Yield all runs with their parts, merged runs first."""
        contents = self.manifest.contents
        by_part = {
            (known.number, part.first): (known.number, number)
            for known in contents.sources
            for number, part in known.parts.items()
        }
        for run in runs_of(self.folder, contents):
            yield [by_part[source, first] for source, first, _ in run.games], run

    def _write_run(self, number: int, parts: list[tuple[int, int]], runs: list[PositionRun]) -> None:
        name = layout.run_name(number)
        aside = self.folder / layout.UNFINISHED / name
        aside.mkdir(parents=True)
        files = merged(runs, aside, self.threads)
        sums = {f"{place}/{name}": measured(file) for place, file in files.items()}
        for place, file in files.items():
            settle(file)
            (self.folder / place).mkdir(exist_ok=True)
            file.replace(self.folder / place / name)
            settle(self.folder / place)
        shutil.rmtree(aside, ignore_errors=True)
        self.manifest.run(Run(number, parts, sums))
        self._remove_others()

    def _remove_others(self) -> None:
        """Remove the files of merged or dropped runs and parts; damaged games stay until they are made again."""
        self.manifest.remove_unnamed((*layout.OF_RUNS, layout.FEATURES))


# ---------------------------------------------------------------------------------------------------------------- index


class Indexed(NamedTuple):
    """The result of ``index``: the numbers of games and positions, the folder, and its former number of positions."""

    games: int
    positions: int
    path: Path
    kept: int = 0


def index(
    sources: Sources,
    output: str | os.PathLike[str],
    *,
    features: str | Iterable[str] = (),
    threads: int | None = None,
    force: bool = False,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Indexed:
    """Write an index of games: a folder in which a position is found at once.

    An index is a source like the PGN that it was made from, and gives the same rows for every query: it contains the
    games, packed. A condition that needs a position (``key = …``, ``fen = …`` or ``key = position_key('…')``, alone or
    joined to others by ``and``) reads only the games that reach this position; ``tree`` adds up stored counts. A
    condition that needs a value of a column with a bitmap, such as ``white_pinned <> 0``, reads only the games with
    such a value.

    Another call with the same folder adds new sources: sources that have not changed are skipped, changed sources are
    read again, and damaged files are made again. After any interruption the same call continues.

    Args:
        sources: PGN and tables of games, as for ``pack``.
        output: the folder.
        features: features (both sides), columns, or ``"all"``, one or several: these get bitmaps, which record the
            games in which they have a value. An index keeps the bitmaps that it has; new ones are added from its games.
        threads: the number of threads, by default one per processor.
        force: whether to replace the contents of the folder.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources.
        on_fault: called for every game that breaks off.

    Returns:
        The numbers of games and positions, the folder, and its former number of positions.

    Raises:
        QueryError: an unknown feature, or a column that cannot have a bitmap.
        SourceError: a source is missing, has no games, or cannot be read; all other sources are in the index.
        OutputError: the folder cannot be written, or contains something else.

    Example:
        >>> import setwise, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> setwise.index(b'[Event "a"] 1. e4 e5 2. Nf3 * [Event "b"] 1. Nf3 e5 2. e4 *', folder).positions
        8
        >>> key = setwise.Position("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2").key
        >>> setwise.find(f"key = {key}", folder, columns=["game", "ply"]).to_pylist()
        [{'game': 1, 'ply': 3}, {'game': 2, 'ply': 3}]
    """
    place = Path(in_utf8(output))
    if place.suffix.lower() in {".parquet", ".pgn"} or place.is_file():
        raise OutputError(f"{place} cannot be the index: an index is a folder, such as games.index")
    columns = _bitmaps_of(features)
    folder = IndexFolder(
        place, columns, threads=usable_threads(threads), force=force, on_batch=on_batch, on_fault=on_fault
    )  # fmt: skip
    parts, before = folder.write(sources, force=force)
    return Indexed(sum(part.games for part in parts), sum(part.positions for part in parts), place, before)


def _bitmaps_of(features: str | Iterable[str]) -> list[str]:
    """Return the columns with bitmaps for features and columns; for ``all``, all columns that can have bitmaps."""
    columns = list[str]()
    for name in [features] if isinstance(features, str) else features:
        named = [it for column in feature_columns(name) for it in without_movers(column)]
        possible = [it for it in named if has_bitmap(it)]
        if len(possible) < len(named) and name != "all":
            raise QueryError(
                f"an index has no bitmap of {name}: it can have those of setwise's own features, and of columns of the "
                "board and the move that are numbers or truths"
            )
        columns += possible
    return list(dict.fromkeys(columns))
