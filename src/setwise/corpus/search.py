"""The main line: bytes -> games -> positions -> the rows that match, block by block, over all cores, in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import checked, need_notes, schema_of, table_of
from setwise.corpus.query import Condition
from setwise.game.games import Fault, Games, parse_block
from setwise.game.recognition import pgn_blocks
from setwise.game.sources import BLOCK, BYTES, Block, Source
from setwise.position.positions import Positions

__all__ = ["DEFAULT_COLUMNS", "Found", "as_sources", "find", "search", "usable_threads"]

#: What a found position shows when nothing else is asked for, besides the columns of the condition.
DEFAULT_COLUMNS = ("source", "game", "ply", "white_name", "black_name", "san", "fen")

#: Bytes of text that are searched at once: a query takes DuckDB a millisecond, however few rows there are.
_SEARCHED = 2 * BLOCK


class Found(NamedTuple):
    """What came of one block: its games, their positions, the rows that match (None: all), and what was wrong."""

    games: Games
    positions: Positions
    rows: np.ndarray | None
    faults: list[Fault]
    text_bytes: int

    @property
    def searched(self) -> int:
        """How many positions the games hold."""
        return len(self.positions)

    @property
    def matched(self) -> int:
        """How many of them match."""
        return len(self.positions) if self.rows is None else len(self.rows)

    def matches(self, limit: int | None = None) -> Positions:
        """Return the positions that match, or the first of them."""
        if self.rows is None:
            return self.positions if limit is None else self.positions[:limit]
        return self.positions[self.rows[:limit]]


def usable_threads(threads: int | None) -> int:
    """Return how many threads are asked for, by default one a processor; ``ValueError`` if that is none."""
    if threads is not None:
        if threads < 1:
            raise ValueError(f"the number of threads is 1 or more, not {threads}")
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work(block: Block, first: Future[int], next_first: Future[int], condition: Condition | None, notes: bool) -> Found:
    try:
        games = parse_block(block, notes=notes)
        games.first = first.result()
        next_first.set_result(games.first + len(games))
    except BaseException as error:
        next_first.set_exception(error)
        raise
    positions = games.positions()
    rows = None if condition is None else condition.matches(positions)
    return Found(games, positions, rows, list(games.faults()), len(block.text))


def search(
    sources: Iterable[Source],
    condition: Condition | None = None,
    *,
    columns: Iterable[str] = (),
    threads: int | None = None,
) -> Iterator[Found]:
    """Yield what came of every block of every source, in order; blocks are worked on by several threads at once.

    No more than two blocks a thread are under way, so memory is bounded whatever the files' size. The number of a game
    is known once the blocks before it are parsed; each block waits for the one before, which has started earlier.
    Whatever is noted beside the moves is read only if the condition or ``columns``, those that will be asked of the
    positions, need it.

    Raises ``SourceError`` for a source that cannot be read or is no PGN; what came before it has been yielded.
    """
    count = usable_threads(threads)
    notes = need_notes([*columns, *(condition.columns if condition else ())])
    with ThreadPoolExecutor(count) as pool:
        under_way: deque[tuple[Future[Found], Future[int]]] = deque()
        try:
            for source in sources:
                first: Future[int] = Future()
                first.set_result(1)
                reading = pgn_blocks(source, _SEARCHED)
                while True:
                    try:
                        block = next(reading, None)
                    except Exception:
                        while under_way:
                            yield under_way.popleft()[0].result()
                        raise
                    if block is None:
                        break
                    following: Future[int] = Future()
                    task = pool.submit(_work, block, first, following, condition, notes)
                    under_way.append((task, following))
                    first = following
                    if len(under_way) >= 2 * count:
                        yield under_way.popleft()[0].result()
            while under_way:
                yield under_way.popleft()[0].result()
        finally:
            for task, following in under_way:
                if task.cancel():  # a later block may be at work already and wait for this one's number
                    following.set_exception(CancelledError())


def find(
    where: str,
    sources: Source | Iterable[Source],
    *,
    columns: str | Iterable[str] | None = None,
    limit: int | None = None,
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> pa.Table:
    """Return the positions of games that match a condition, as an Arrow table.

    Args:
        where: SQL over the columns (``setwise.columns()`` lists them), for example
            ``"white_royal_fork_squares <> 0 and black_pawn_islands >= 3"``. Sets are signed 64-bit integers.
        sources: one source or several: paths, bytes, open files, ``"-"``.
        columns: the columns of the result, or one; else the place, the players, the move, the FEN and the condition's
            columns.
        limit: how many rows at the most; reading stops there.
        threads: how many, else as many as there are processors.
        on_fault: called with a :class:`Fault` for every game that breaks off.

    Raises:
        QueryError: the condition is not SQL over the columns, or a column is unknown.
        SourceError: a source is missing, cannot be read, or is no PGN.
        ValueError: ``limit`` is negative, or ``threads`` less than 1.

    Example:
        >>> import setwise
        >>> found = setwise.find("black_pawn_islands = 2", b"1. e4 d5 2. exd5 c6 3. dxc6 *", columns=["ply", "san"])
        >>> found.to_pylist()
        [{'ply': 3, 'san': 'c6'}, {'ply': 4, 'san': 'dxc6'}, {'ply': 5, 'san': None}]
    """
    if limit is not None and limit < 0:
        raise ValueError(f"the limit is a number of rows, 0 or more, not {limit}")
    condition = Condition(where)
    columns = [columns] if isinstance(columns, str) else columns
    names = checked(columns if columns is not None else (*DEFAULT_COLUMNS, *condition.columns))
    tables, rows = [], 0
    for found in search(as_sources(sources), condition, columns=names, threads=threads):
        if on_fault is not None:
            for fault in found.faults:
                on_fault(fault)
        if found.matched:
            tables.append(table_of(found.matches(None if limit is None else limit - rows), names))
            rows += len(tables[-1])
        if limit is not None and rows >= limit:
            break
    return pa.concat_tables([schema_of(names).empty_table(), *tables]).unify_dictionaries()


def as_sources(sources: Source | Iterable[Source]) -> Iterable[Source]:
    """One source or several, as several."""
    if isinstance(sources, (str, os.PathLike, *BYTES)) or hasattr(sources, "read"):
        return [sources]  # type: ignore[list-item]
    return sources
