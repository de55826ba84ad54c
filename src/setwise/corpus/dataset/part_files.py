"""Part files of a scan: some batches of one source become files of positions and one of games, all or none of them.

One thread writes a part from beginning to end, so that all cores encode. It parses its games first; then the next part,
which another thread writes, knows the number of its first game.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import GAMES, table_of
from setwise.corpus.sources.jobs import Batch, Job
from setwise.corpus.storage import layout
from setwise.corpus.storage.checksums import measured
from setwise.corpus.storage.encodings import packed_schema, with_usual_starts, writer
from setwise.corpus.storage.manifest import Part
from setwise.errors import OutputError, QueryError, SetwiseError, SourceError
from setwise.game.games import Fault
from setwise.position.arrow_tables import PLAIN_COLUMNS
from setwise.rules.state import USUAL_START
from setwise.system.arrow import pc
from setwise.system.files import reason_of, settle

__all__ = ["ROWS", "Made", "Stopped", "Work", "parts_of"]

#: Batches in a part: few at first, so that small sources keep all cores busy, then more, for fewer files. The last
#: batches of a source are divided into parts of a quarter of that size.
_FEW, _MANY, _WITH_FEW = 8, 32, 32
#: Rows in a row group, whose columns are all in memory while it is written.
ROWS = 1 << 18
#: The largest number of folders that a part is divided into.
_MOST_FOLDERS = 2_000


class Stopped(SetwiseError):
    """Raised in worker threads when the scan is given up."""


class Made(NamedTuple):
    """A part that has been written to temporary files, and the faults of its games."""

    part: Part
    faults: list[Fault]
    aside: Path
    #: The temporary files with their final paths. Games come first, so that no position lacks its game.
    files: dict[Path, Path]

    def name(self) -> None:
        """Rename the files to their final paths after they are on the disk; worker threads do not wait for that."""
        for file, place in self.files.items():
            if file.exists():  # else it was renamed before an interrupt
                settle(file)
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)
            settle(place.parent)
        shutil.rmtree(self.aside, ignore_errors=True)


def parts_of(jobs: Iterator[Job], *, grow: bool) -> Iterator[tuple[list[Job], bool]]:
    """Yield the jobs of each part, the same ones whenever a source is read, and whether the part is complete.

    A part is incomplete if the source cannot be read to its end; then the error follows. With ``grow``, parts become
    larger; batches of tables are large already. At the end parts are small, so that all threads finish together.
    """
    number, waiting = 1, list[Job]()
    size = _FEW
    try:
        for job in jobs:
            waiting.append(job)
            size = _MANY if grow and number > _WITH_FEW else _FEW
            if len(waiting) == size + size // 2:
                yield waiting[:size], True
                number, waiting = number + 1, waiting[size:]
    except SourceError:
        if waiting:
            yield waiting, False
        raise
    for start in range(0, len(waiting), size // 4):
        yield waiting[start : start + size // 4], True


class Work(NamedTuple):
    """How the parts of a source are written."""

    folder: Path
    #: The columns of the positions, those of them that divide the rows into folders, and the schema of all.
    columns: list[str]
    partition_by: list[str]
    schema: pa.Schema
    #: Columns of the source itself.
    others: Any
    #: Set when the scan is given up.
    stop: Event
    #: Called after each batch with its numbers of games, positions and bytes of the source.
    on_batch: Callable[[int, int, int], Any]

    def make(self, name: str, jobs: list[Job]) -> Made:
        """Write the temporary files of a part.

        Raises:
            OutputError: if they cannot be written. Stopped: if the scan is given up meanwhile.
        """
        aside = self.folder / layout.UNFINISHED / name
        jobs.reverse()  # finished jobs are removed from the end, which frees their texts
        try:
            for job in reversed(jobs):
                job.prepare()
            for job in reversed(jobs):
                job.settle()
            with ExitStack() as undo:
                undo.callback(shutil.rmtree, aside, ignore_errors=True)
                made = self._written(aside, name, jobs)
                undo.pop_all()
                return made
        except (OSError, pa.ArrowException) as error:
            raise OutputError(f"{self.folder} cannot be written: {reason_of(error)}") from None
        finally:
            for job in jobs:
                job.abandon()

    def _written(self, aside: Path, name: str, jobs: list[Job]) -> Made:
        aside.mkdir(parents=True)
        first, positions, read, tables, faults = None, 0, 0, list[pa.Table](), list[Fault]()
        with ExitStack() as stack:
            files = _Files(stack, aside, self)
            while jobs:
                if self.stop.is_set():
                    raise Stopped("the scan is given up")
                batch = jobs[-1].run()
                jobs.pop()
                tables.append(batch.games_table())
                files.add(batch)
                first = batch.games.first if first is None else first
                positions, read, faults = positions + len(batch.positions), read + batch.size, faults + batch.faults
                self.on_batch(batch.game_count, len(batch.positions), batch.size)
            files.close()
        games = pa.concat_tables(tables)
        with writer(aside / "games", GAMES) as file:
            file.write_table(games)
        named = {aside / "games": self.folder / layout.GAMES / name}
        for branch, place in files.places.items():
            named[place] = self.folder / layout.POSITIONS / branch / name
        sums = {place.relative_to(self.folder).as_posix(): measured(file) for file, place in named.items()}
        return Made(Part(first or 1, games.num_rows, positions, read=read, files=sums), faults, aside, named)


class _Files:
    """The files of positions of a part: one, or one in each folder."""

    def __init__(self, stack: ExitStack, aside: Path, work: Work) -> None:
        self.stack, self.aside, self.work = stack, aside, work
        self.columns = [name for name in work.columns if name not in work.partition_by]
        self.schema = packed_schema(pa.schema([work.schema.field(name) for name in self.columns]), work.others)
        #: By folder: the temporary file, its writer, and the tables to write next.
        self.places: dict[str, Path] = {}
        self.writers: dict[str, Any] = {}
        self.waiting: dict[str, list[pa.Table]] = {}
        self.rows = 0
        #: Whether all games of the waiting rows begin at the usual position; by folder, the same of the written groups.
        self.begin_as_usual = True
        self.usual_starts: dict[str, list[bool]] = {}
        if not work.partition_by:
            self._opened("")

    def _opened(self, branch: str) -> Any:
        if branch not in self.writers:
            if len(self.writers) == _MOST_FOLDERS:
                names = " and ".join(self.work.partition_by)
                raise QueryError(f"{names} divide the positions into more than {_MOST_FOLDERS:,} folders")
            self.places[branch] = self.aside / f"positions-{len(self.places)}"
            self.writers[branch] = self.stack.enter_context(writer(self.places[branch], self.schema))
        return self.writers[branch]

    def add(self, batch: Batch) -> None:
        """Add the positions of a batch; write all waiting rows when they make a row group."""
        table = table_of(batch.positions, self.columns).cast(self.schema)
        for branch, rows in self._branches(batch):
            self.waiting.setdefault(branch, []).append(table if rows is None else table.take(rows))
        self.rows += table.num_rows
        self.begin_as_usual &= _begin_as_usual(batch)
        if self.rows >= ROWS:
            self.flush()

    def _branches(self, batch: Batch) -> Iterator[tuple[str, pa.Array | None]]:
        """The folders that the rows of a batch belong to."""
        names = self.work.partition_by
        if not names:
            yield "", None
            return
        values = table_of(batch.positions, names)
        texts = [column.cast(pa.string()).fill_null("") for column in values.columns]
        numbered = pc.dictionary_encode(pc.binary_join_element_wise(*texts, "\0")).combine_chunks()
        codes = numbered.indices.to_numpy()
        for code, text in enumerate(numbered.dictionary.to_pylist()):
            yield layout.branch(names, tuple(text.split("\0"))), pa.array(np.flatnonzero(codes == code))

    def flush(self) -> None:
        """Write the waiting rows, folder by folder."""
        for branch, tables in self.waiting.items():
            table = pa.concat_tables(tables).unify_dictionaries()
            self._opened(branch).write_table(table, row_group_size=max(table.num_rows, 1))
            self.usual_starts.setdefault(branch, []).append(self.begin_as_usual)
        self.waiting, self.rows, self.begin_as_usual = {}, 0, True

    def close(self) -> None:
        """Write the waiting rows, and into each file what is known of its games."""
        self.flush()
        for branch, flags in self.usual_starts.items():
            with_usual_starts(self.writers[branch], flags)


def _begin_as_usual(batch: Batch) -> bool:
    """Whether all games of a batch begin at the usual position."""
    positions = batch.positions
    if not batch.is_of_games or positions.ply is None:
        return False
    first = np.flatnonzero(positions.ply == 0)
    columns = (*positions.sets[:, first], *(getattr(positions, name)[first] for name in PLAIN_COLUMNS))
    return all((column == word).all() for column, word in zip(columns, USUAL_START, strict=True))
