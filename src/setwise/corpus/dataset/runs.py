"""Merges sorted runs of positions into one, in bounded memory.

A search by key reads every run, so runs are merged when there are many. A run that is more than twice as large as all
later runs together is not merged, so each position is written only a few times. While runs are merged, sums over the
games of frequent positions are stored for ``tree``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.dataset.parts import write_outcomes
from setwise.corpus.query.search import in_turn
from setwise.corpus.sources.indexes import PositionRun
from setwise.corpus.storage import encodings, layout
from setwise.corpus.storage.encodings import FREQUENT, OUTCOMES, ROWS, TREE, in_order, sums_of

#: The number of rows that are sorted at once.
_ROWS = 1 << 20
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


def merged(runs: list[PositionRun], aside: Path, threads: int, footer: Mapping[str, str]) -> dict[str, Path]:
    """Merge runs into one, write its files, and return the files by the names of their folders in the store.

    Args:
        runs: the runs; the merged run has their games in the same order.
        aside: an empty folder for the files.
        threads: the number of threads.
        footer: texts for the footers of the files.

    Raises:
        SourceError: a run is damaged.
    """
    rows_file, outcomes_file, tree_file = (aside / place for place in (layout.POSITIONS, layout.OUTCOMES, layout.TREE))
    write_outcomes(outcomes_file, pa.concat_tables([_outcomes_of(run) for run in runs]), footer)
    sums, frequent = _Sums(runs), list[pa.Table]()
    size = encodings.group_size(sum(run.rows for run in runs))
    with encodings.runs_writer(rows_file, ROWS) as file:
        for rows, tables in _in_order(runs, sums, threads):
            frequent += tables
            file.write_table(pa.table([pa.array(it) for it in rows], schema=ROWS), row_group_size=size)
        file.add_key_value_metadata(footer)
    with encodings.runs_writer(tree_file, TREE) as file:
        file.write_table(pa.concat_tables(frequent) if frequent else TREE.empty_table())
        file.add_key_value_metadata(footer)
    return dict(zip(layout.OF_RUNS, (rows_file, outcomes_file, tree_file), strict=True))


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

    return in_turn(threads, (partial(of_range, *ends) for ends in _ranges(runs)), threads)


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
    columns = [np.concatenate(its) for its in zip(*parts, strict=True)]
    del parts  # the largest arrays are dropped as soon as they are not needed
    columns[0], order = in_order(columns[0])
    for at, column in enumerate(columns[1:], start=1):
        columns[at] = column[order]
    return _PositionRows(*columns)


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
        frequent = np.flatnonzero(ends - begins >= FREQUENT)
        places = map(slice, begins[frequent], ends[frequent])
        return [self._of_position(_PositionRows(*(column[at] for column in rows))) for at in places]

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
        of_all = sums_of(outcomes, np.zeros(len(outcomes), np.int64), 1)
        sums = np.vstack([of_all, sums_of(outcomes[once % len(outcomes)], once // len(outcomes), len(codes))])
        columns = [np.full(len(sums), rows.key[0]), pa.array([None, *codes.tolist()], pa.uint16()), *sums.T]
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
