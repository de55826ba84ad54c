"""Parts of a scan: some batches of one source that become a file of positions and one of games, whole or not at all.

A part is made by one thread from beginning to end, so that all cores encode. It parses its games first: then the part
behind it, which another thread makes, knows the number of its first game.
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
import pyarrow.compute as pc

from setwise.corpus.columns import GAMES, table_of
from setwise.corpus.sources.jobs import Batch, Job
from setwise.corpus.storage import layout
from setwise.corpus.storage.checksums import measured
from setwise.corpus.storage.encodings import packed_schema, writer
from setwise.corpus.storage.manifest import Part
from setwise.errors import OutputError, QueryError, SetwiseError, SourceError
from setwise.game.games import Fault
from setwise.system.files import reason_of, settle

__all__ = ["Made", "Stopped", "Work", "parts_of"]

#: Batches in a part: few at first, so that small sources keep all cores at work, then more, for fewer files. The last
#: ones of a source are divided into quarters of a part.
_FEW, _MANY, _WITH_FEW = 8, 32, 32
#: Rows that are packed together: the columns of so many are in memory at once.
_ROWS = 1 << 18
#: A part goes into so many folders at the most.
_MOST_FOLDERS = 2_000


class Stopped(SetwiseError):
    """A part is given up because the scan is."""


class Made(NamedTuple):
    """A part that has been made and what was wrong with its games; its files lie aside, each with its place to be."""

    part: Part
    faults: list[Fault]
    aside: Path
    #: Games come first, so that no position lacks its game.
    files: dict[Path, Path]

    def name(self) -> None:
        """Give the files their names, when they are on the disk: nobody who makes parts waits for that."""
        for file, place in self.files.items():
            if file.exists():  # else it has its name, and then came an interrupt
                settle(file)
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)
            settle(place.parent)
        shutil.rmtree(self.aside, ignore_errors=True)


def parts_of(jobs: Iterator[Job], *, grow: bool) -> Iterator[tuple[list[Job], bool]]:
    """Yield the jobs of each part, the same ones whenever a source is read, and whether they are all of them.

    They are not where a source cannot be read to its end; then its error follows. Parts grow unless what they are made
    of is large: batches of tables are. At the end they are small again: the last ones are done at about the same time.
    """
    number, held = 1, list[Job]()
    size = _FEW
    try:
        for job in jobs:
            held.append(job)
            size = _MANY if grow and number > _WITH_FEW else _FEW
            if len(held) == size + size // 2:
                yield held[:size], True
                number, held = number + 1, held[size:]
    except SourceError:
        if held:
            yield held, False
        raise
    for start in range(0, len(held), size // 4):
        yield held[start : start + size // 4], True


class Work(NamedTuple):
    """What is to be made of every part of a source."""

    folder: Path
    #: The columns of the positions, those among them that divide the rows into folders, and the types of them all.
    columns: list[str]
    partition_by: list[str]
    schema: pa.Schema
    #: Columns that the source has itself.
    others: Any
    #: Set when the scan is given up.
    stop: Event
    #: Told of every batch: games, positions, bytes of the source.
    on_batch: Callable[[int, int, int], Any]

    def make(self, name: str, jobs: list[Job]) -> Made:
        """Write the files of a part, aside.

        Raises:
            OutputError: when they cannot be written. Stopped: when the scan is given up meanwhile.
        """
        aside = self.folder / layout.UNFINISHED / name
        jobs.reverse()  # what has been made is taken off the end, and its text let go
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
        first, positions, tables, faults = None, 0, list[pa.Table](), list[Fault]()
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
                positions, faults = positions + len(batch.positions), faults + batch.faults
                self.on_batch(batch.game_count, len(batch.positions), batch.size)
            files.flush()
        games = pa.concat_tables(tables)
        with writer(aside / "games", GAMES) as file:
            file.write_table(games)
        named = {aside / "games": self.folder / layout.GAMES / name}
        for branch, place in files.places.items():
            named[place] = self.folder / layout.POSITIONS / branch / name
        sums = {place.relative_to(self.folder).as_posix(): measured(file) for file, place in named.items()}
        return Made(Part(first or 1, games.num_rows, positions, files=sums), faults, aside, named)


class _Files:
    """The files of positions of a part: one, or one in each folder."""

    def __init__(self, stack: ExitStack, aside: Path, work: Work) -> None:
        self.stack, self.aside, self.work = stack, aside, work
        self.columns = [name for name in work.columns if name not in work.partition_by]
        self.schema = packed_schema(pa.schema([work.schema.field(name) for name in self.columns]), work.others)
        #: Where the rows of each folder are written, and what is to be written there next.
        self.places: dict[str, Path] = {}
        self.writers: dict[str, Any] = {}
        self.waiting: dict[str, list[pa.Table]] = {}
        self.rows = 0
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
        """Take the positions of a batch."""
        table = table_of(batch.positions, self.columns).cast(self.schema)
        for branch, rows in self._branches(batch):
            self.waiting.setdefault(branch, []).append(table if rows is None else table.take(rows))
        self.rows += table.num_rows
        if self.rows >= _ROWS:
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
        for code, told in enumerate(numbered.dictionary.to_pylist()):
            yield layout.branch(names, tuple(told.split("\0"))), pa.array(np.flatnonzero(codes == code))

    def flush(self) -> None:
        """Write what waits, folder by folder."""
        for branch, held in self.waiting.items():
            table = pa.concat_tables(held).unify_dictionaries()
            self._opened(branch).write_table(table, row_group_size=max(table.num_rows, 1))
        self.waiting, self.rows = {}, 0
