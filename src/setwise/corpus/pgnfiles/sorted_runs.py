"""Rows put in order that are more than the memory holds: sorted runs on disk, merged (Knuth, volume 3, 5.4).

All runs lie in one file, in small batches. A merge holds a batch of each; together they are sorted, and all rows up to
the first one that is the last of its batch are next, whatever follows in that run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.errors import OutputError
from setwise.system.files import reason_of

__all__ = ["in_order"]

#: Bytes of a run, and of a batch of it; so many batches are merged without more than as much again.
_RUN, _BATCH = 96 << 20, 1 << 18
#: What a row's run is called.
_NUMBER = "run"

#: Names of columns, each with ``ascending`` or ``descending``.
Keys = list[tuple[str, str]]


def in_order(tables: Iterable[pa.Table], keys: Keys) -> Iterator[pa.Table]:
    """Yield the rows of tables in order, missing values last, some at a time.

    Args:
        tables: rows with the same columns.
        keys: the columns that they are put in order by.

    Raises:
        OutputError: when the disk is full.
    """
    with tempfile.TemporaryFile(prefix="setwise-") as file:
        runs = _Runs(file, keys)
        held: list[pa.Table] = []
        for table in tables:
            held.append(table)
            if sum(it.nbytes for it in held) >= _RUN:
                runs.add(_sorted(pa.concat_tables(held), keys))
                held = []
        last = _sorted(pa.concat_tables(held), keys) if held else None
        if not runs.places:
            yield from [] if last is None else _cut(last)
            return
        if last is not None:
            runs.add(last)
        yield from runs.merged()


def _sorted(table: pa.Table, keys: Keys) -> pa.Table:
    return table.take(pc.sort_indices(table, sort_keys=keys))  # missing values come last


def _cut(table: pa.Table) -> Iterator[pa.Table]:
    """A table in pieces of the size of a batch."""
    rows = max(1, table.num_rows * _BATCH // max(table.nbytes, 1))
    for start in range(0, table.num_rows, rows):
        yield table.slice(start, rows)


class _Runs:
    """Sorted tables in a file."""

    def __init__(self, file: IO[bytes], keys: Keys) -> None:
        self.file, self.keys = file, keys
        #: Where the batches of each run are, the last ones first, and their sizes.
        self.places: list[list[tuple[int, int]]] = []
        self.schema: pa.Schema | None = None

    def add(self, table: pa.Table) -> None:
        """Write a run."""
        self.schema = table.schema
        places = []
        try:
            self.file.seek(0, 2)
            for piece in _cut(table):
                [batch] = piece.combine_chunks().to_batches()
                packed = batch.serialize()
                places.append((self.file.tell(), packed.size))
                self.file.write(packed)
        except OSError as error:
            raise OutputError(
                f"there is no room on the disk for what does not fit the memory, in {tempfile.gettempdir()}: "
                f"{reason_of(error)}"
            ) from None
        self.places.append(places[::-1])

    def _next(self, run: int) -> list[pa.Table]:
        """The next batch of a run, if there is one."""
        if not self.places[run]:
            return []
        at, size = self.places[run].pop()
        self.file.seek(at)
        table = pa.Table.from_batches([pa.ipc.read_record_batch(pa.py_buffer(self.file.read(size)), self.schema)])
        return [table.append_column(_NUMBER, pa.array(np.full(table.num_rows, run, np.int32)))]

    def merged(self) -> Iterator[pa.Table]:
        """Yield all rows in order."""
        waiting = pa.concat_tables(table for run in range(len(self.places)) for table in self._next(run))
        while waiting.num_rows:
            waiting = _sorted(waiting, self.keys)
            runs = waiting.column(_NUMBER).to_numpy()
            ends = np.full(len(self.places), -1, np.int64)
            ends[runs] = np.arange(len(runs))  # of each run the last row counts
            go_on = np.array([bool(places) for places in self.places]) & (ends >= 0)
            if not go_on.any():
                yield from map(_without_number, _cut(waiting))
                return
            run = int(np.flatnonzero(go_on)[np.argmin(ends[go_on])])
            count = int(ends[run]) + 1
            yield _without_number(waiting.slice(0, count))
            waiting = pa.concat_tables([waiting.slice(count), *self._next(run)])


def _without_number(table: pa.Table) -> pa.Table:
    return table.drop_columns([_NUMBER])
