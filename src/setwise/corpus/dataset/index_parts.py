"""The parts of an index: packed games, and a sorted run of their positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.dataset.part_files import Made, Stopped, Work
from setwise.corpus.pgnfiles.packed_rows import rows_of
from setwise.corpus.sources.jobs import Batch, Job
from setwise.corpus.storage import bitmaps, layout, packed_games, position_runs
from setwise.corpus.storage.checksums import FileSum, measured
from setwise.corpus.storage.manifest import Part
from setwise.corpus.storage.position_runs import OUTCOMES, ROWS
from setwise.corpus.storage.sorting import in_order
from setwise.game.games import Fault, Games

__all__ = ["IndexWork", "table_of_outcomes", "write_outcomes"]

#: Positions in a row group of packed games, whose columns are decompressed for a game of it.
_GROUP = 1 << 16
#: Games in a row group of outcomes.
_OUTCOMES = 1 << 15


class IndexWork(Work):
    """How the parts of an index are written."""

    #: The columns that the index has bitmaps of, by the number of their list.
    lists: Mapping[int, list[str]] = MappingProxyType({})

    def _written(self, aside: Path, name: str, jobs: list[Job]) -> Made:
        aside.mkdir(parents=True)
        run, faults, first, count, read = _Run(layout.source_of(Path(name))), list[Fault](), None, 0, 0
        making: list[_Run | _Bits] = [run, *self._bits()]
        waiting, size = list[pa.Table](), 0
        with packed_games.writer(aside / layout.GAMES, self.schema) as file:
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
        files = {aside / layout.GAMES: self.folder / layout.GAMES / name}
        for it in making:
            files |= it.written(aside, self.folder, name)
        return Made(Part(first or 1, count, run.rows, read=read, files=self._sums(files)), faults, aside, files)

    def again(self, name: str, part: Part, jobs: Iterable[Job], *, has_run: bool) -> Made:
        """Write what a part lacks from its packed games: bitmaps, and its run if it is in none."""
        aside = self.folder / layout.UNFINISHED / name
        aside.mkdir(parents=True)
        making: list[_Run | _Bits] = [] if has_run else [_Run(layout.source_of(Path(name)))]
        making += self._bits()
        for job in jobs:
            if self.stop.is_set():
                raise Stopped("the index is given up")
            batch = job.run()
            for it in making:
                it.add(batch)
            self.on_batch(batch.game_count, len(batch.positions), 0)
        files = dict[Path, Path]()
        for it in making:
            files |= it.written(aside, self.folder, name)
        return Made(part._replace(files={**part.files, **self._sums(files)}), [], aside, files)

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

    def _sums(self, files: dict[Path, Path]) -> dict[str, FileSum]:
        return {place.relative_to(self.folder).as_posix(): measured(file) for file, place in files.items()}


class _Run:
    """The positions of some games, and the outcomes of these."""

    def __init__(self, source: int) -> None:
        self.source, self.rows = source, 0
        self.columns: list[list[np.ndarray]] = []
        self.outcomes: list[np.ndarray] = []

    def add(self, batch: Batch) -> None:
        """Add the positions of a batch."""
        positions = batch.positions
        numbers = batch.games.numbers[positions.game]
        self.columns.append([positions.keys(), numbers, positions.ply, np.asarray(positions.moves, np.uint16)])
        self.outcomes.append(position_runs.outcomes_of(batch.games))
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
        with position_runs.writer(aside / layout.POSITIONS, ROWS) as file:
            table = pa.table([pa.array(it) for it in columns], schema=ROWS)
            file.write_table(table, row_group_size=position_runs.group_size(len(keys)))
        outcomes = np.concatenate(self.outcomes) if self.outcomes else np.zeros((0, len(OUTCOMES)), np.int16)
        write_outcomes(aside / layout.OUTCOMES, table_of_outcomes(outcomes))
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
            bits.append(bitmaps.bitmap(batch.positions, name))

    def written(self, aside: Path, folder: Path, name: str) -> dict[Path, Path]:
        """Write the file, and return its final place."""
        file = aside / f"{layout.FEATURES}-{self.number}"
        nothing = np.zeros(0, np.bool_)
        bits = {name: pa.array(np.concatenate([nothing, *its])) for name, its in self.bits.items()}
        games = np.concatenate([np.zeros(0, np.int32), *self.games])
        bitmaps.write(file, pa.table({bitmaps.GAME: pa.array(games), **bits}))
        return {file: folder / layout.bitmaps_name(self.number, name)}


def table_of_outcomes(outcomes: np.ndarray) -> pa.Table:
    """Return the outcomes of games as a table."""
    columns = [pa.array(column).cast(field.type) for column, field in zip(outcomes.T, OUTCOMES, strict=True)]
    return pa.table(columns, schema=OUTCOMES)


def write_outcomes(place: Path, table: pa.Table) -> None:
    """Write the outcomes of the games of a run."""
    with position_runs.writer(place, OUTCOMES) as file:
        file.write_table(table, row_group_size=_OUTCOMES)
