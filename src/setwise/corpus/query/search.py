"""The main line: sources -> batches -> positions -> the rows that match, over all cores, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.corpus.columns import MADE_HERE, checked, need_notes, schema_of, table_of, values_of
from setwise.corpus.query.names import Names
from setwise.corpus.sources.expansion import Source
from setwise.corpus.sources.holdings import EVERYTHING, LOOKS, Holdings
from setwise.corpus.sources.jobs import Batch, Job, Opened, Readable
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.sources.records import Records
from setwise.errors import QueryError
from setwise.game.games import Fault, Games
from setwise.position.positions import Positions
from setwise.system.processes import processors

if TYPE_CHECKING:
    from setwise.corpus.language import Condition

__all__ = ["Found", "Plan", "Query", "find", "planned", "search", "usable_threads"]

#: What a found position shows when nothing else is asked for, besides the columns of the condition.
_OF_GAMES = ("source", "game", "ply", "white_name", "black_name", "san", "fen")


class Query:
    """What is asked of sources: which positions, and which columns of them.

    Args:
        where: SQL over the columns; all positions if left out.
        columns: the columns that will be asked of the positions found; else the usual ones and those of the condition.
        notes: whether what is noted beside the moves is wanted, whatever the columns need.
        player: only games of somebody whose name holds this, in capitals or not.
        per_game: how many matches of a game at the most, the first ones.
        lenient: columns that have no value where a source cannot answer them.

    Raises:
        QueryError: for a condition that is none, and for unknown columns; about a source, as soon as that is seen.
    """

    def __init__(
        self,
        where: str | None = None,
        columns: Iterable[str] | None = None,
        *,
        notes: bool = False,
        player: str | None = None,
        per_game: int | None = None,
        lenient: Iterable[str] = (),
    ) -> None:
        self.lenient = frozenset(lenient)
        self.where, self.columns = where, None if columns is None else list(columns)
        self.notes, self.player, self.per_game = notes, player, per_game
        self._planned: dict[tuple[str | Holdings, ...], Plan] = {}
        #: The names of players that the query asks for, so far as no game that was read has them.
        self.names = Names(part=player)

    def on(self, others: Mapping[str, pa.DataType], holdings: Holdings = EVERYTHING, source: str = "") -> Plan:
        """Return the query as a source understands it.

        Args:
            others: the columns that it has besides those of every position.
            holdings: what it can answer.
            source: its name.

        Raises:
            QueryError: for a query that makes no sense there, and for one that it cannot answer.
        """
        key: tuple[str | Holdings, ...] = (*(f"{name} {kind}" for name, kind in others.items()), holdings)
        if key not in self._planned:
            self._planned[key] = self._plan(others, holdings, source)
        return self._planned[key]

    def _plan(self, others: Mapping[str, pa.DataType], holdings: Holdings, source: str) -> Plan:
        condition = None if self.where is None else _condition(self.where, others)
        self.names.ask(condition.names if condition else [])
        named = condition.columns if condition else []
        usual = (*holdings.known(_OF_GAMES), *others)
        asked = checked(self.columns, others) if self.columns is not None else []
        holdings.check([name for name in [*named, *asked] if name not in self.lenient], source)
        holdings.check(self._beside(condition), source)
        names = checked(asked if self.columns is not None else (*usual, *named), others)
        shown = names if self.columns is not None else named
        notes = self.notes or need_notes([*names, *named])
        return Plan(condition, notes, names, shown, schema_of(names, others), None, self._chosen)

    def _beside(self, condition: Condition | None) -> Iterator[str]:
        """What is wanted of a source besides columns."""
        if condition is not None and condition.looks:
            yield LOOKS
        if self.player is not None:
            yield from ("white_name", "black_name")
        if self.per_game is not None:
            yield LOOKS

    def _chosen(self, positions: Positions, rows: np.ndarray | None) -> np.ndarray | None:
        """Those of the rows that match which are wanted."""
        if self.player is None and self.per_game is None:
            return rows
        rows = np.arange(len(positions)) if rows is None else rows
        if self.player is not None:
            rows = rows[_plays(positions, self.player)[rows]]
        if self.per_game is not None:
            game = positions.game[rows]
            begins = np.flatnonzero(np.r_[True, game[1:] != game[:-1]]) if len(game) else game
            counts = np.arange(len(game)) - np.repeat(begins, np.diff(np.r_[begins, len(game)]))
            rows = rows[counts < self.per_game]
        return rows


def _condition(where: str, others: Mapping[str, pa.DataType]) -> Condition:
    """The condition of a text; what asks for none, as a scan, need not wait until DuckDB is there."""
    from setwise.corpus.language import Condition

    return Condition(where, others)


def _plays(positions: Positions, name: str) -> np.ndarray:
    """Whether a player with this name plays in the game of each position."""
    found = np.zeros(len(positions), np.bool_)
    for side, tag in (("white_name", "White"), ("black_name", "Black")):
        if positions.others is not None and side in positions.others.column_names:
            names, rows = values_of(positions, side).cast(pa.string()), slice(None)
        else:
            names, rows = positions.games.tag(tag), positions.game
        flags = pc.match_substring(names, name, ignore_case=True).fill_null(False)
        found |= flags.to_numpy(zero_copy_only=False)[rows]
    return found


class Plan(NamedTuple):
    """What a query asks of one source."""

    condition: Condition | None
    #: Whether what is noted beside the moves must be read.
    notes: bool
    #: The columns of the result, those of them worth drawing, and the types.
    columns: list[str]
    shown: list[str]
    schema: pa.Schema
    #: What whoever works on a batch computes of it at once, when it knows the rows that match.
    compute: Callable[[Found], Any] | None = None
    #: Those of the rows that match which are wanted.
    chosen: Callable[[Positions, np.ndarray | None], np.ndarray | None] | None = None


class Found(NamedTuple):
    """What came of one batch, the rows that match (None: all), and what the plan wanted computed."""

    batch: Batch
    rows: np.ndarray | None
    plan: Plan
    computed: Any = None

    @property
    def games(self) -> Games | Records:
        """Where the positions come from."""
        return self.batch.games

    @property
    def positions(self) -> Positions:
        """All positions, those that do not match too."""
        return self.batch.positions

    @property
    def searched(self) -> int:
        """How many positions there are."""
        return len(self.positions)

    @property
    def matched(self) -> int:
        """How many of them match."""
        return len(self.positions) if self.rows is None else len(self.rows)

    def first(self, limit: int | None) -> Found:
        """Return the same with no more than so many rows that match."""
        if limit is None or self.matched <= limit:
            return self
        return self._replace(rows=np.arange(limit) if self.rows is None else self.rows[:limit])

    def matches(self) -> Positions:
        """Return the positions that match."""
        return self.positions if self.rows is None else self.positions[self.rows]

    def table(self) -> pa.Table:
        """Return the columns of the positions that match."""
        return table_of(self.matches(), self.plan.columns)


def usable_threads(threads: int | None) -> int:
    """Return how many threads are asked for, by default one a processor; ``ValueError`` if that is none."""
    if threads is not None:
        if threads < 1:
            raise ValueError(f"the number of threads is 1 or more, not {threads}")
        return threads
    return processors()


def _work(job: Job, plan: Plan) -> Found:
    batch = job.run()
    rows = None if plan.condition is None else plan.condition.matches(batch.positions)
    rows = rows if plan.chosen is None else plan.chosen(batch.positions, rows)
    found = Found(batch, rows, plan)
    return found if plan.compute is None else found._replace(computed=plan.compute(found))


def planned(sources: Source | Iterable[Source], query: Query) -> Iterable[tuple[Opened, Plan]]:
    """Return every source with what a query asks of it: all before the first is read, unless they come one by one.

    Raises:
        SourceError: for a source that is missing or none.
        QueryError: for a query that makes no sense there.
    """
    plans = _each(sources, query)
    return plans if isinstance(sources, Iterator) and not hasattr(sources, "read") else list(plans)


def _each(sources: Source | Iterable[Source], query: Query) -> Iterator[tuple[Opened, Plan]]:
    for source in resolved(sources):
        try:
            yield source, query.on(source.others, source.holdings, source.name)
        except QueryError as error:
            asked = source.others and source.name not in str(error)
            raise QueryError(f"{error} (asked of {source.name})" if asked else str(error)) from None


def search(plans: Iterable[tuple[Readable, Plan]], *, threads: int | None = None) -> Iterator[Found]:
    """Yield what came of every batch of every source, in order; batches are worked on by several threads at once.

    No more than two batches a thread are under way, so memory is bounded whatever the sources' size.

    Raises ``SourceError`` for a source that cannot be read or is no PGN; what came before it has been yielded.
    """
    count = usable_threads(threads)
    with ThreadPoolExecutor(count) as pool:
        under_way: deque[tuple[Future[Found], Job]] = deque()
        try:
            for source, plan in plans:
                jobs = source.jobs(notes=plan.notes)
                while True:
                    try:
                        job = next(jobs, None)
                    except Exception:
                        while under_way:
                            yield under_way.popleft()[0].result()
                        raise
                    if job is None:
                        break
                    under_way.append((pool.submit(_work, job, plan), job))
                    if len(under_way) >= 2 * count:
                        yield under_way.popleft()[0].result()
            while under_way:
                yield under_way.popleft()[0].result()
        finally:
            for task, job in under_way:
                if task.cancel():  # a later one may be at work already and wait for this one
                    job.abandon()


def find(
    where: str,
    sources: Source | Iterable[Source],
    *,
    columns: str | Iterable[str] | None = None,
    limit: int | None = None,
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
    on_hint: Callable[[str], Any] | None = None,
) -> pa.Table:
    """Return the positions that match a condition, as an Arrow table.

    Args:
        where: SQL over the columns (``setwise.columns()`` lists them) and functions, for example
            ``"own_safe_fork_squares <> 0 and next(is_check)"``.
        sources: one source or several: PGN (paths, folders, patterns of names, bytes, open files, ``"-"``), lists of
            FENs or EPDs, CSV, JSON lines, Parquet and Arrow tables with a column ``fen``, scans, ``Positions``,
            ``Position``.
        columns: the columns of the result, or one; else the place, the players, the move, the FEN and the condition's
            columns.
        limit: how many rows at the most; reading stops there.
        threads: how many, else as many as there are processors.
        on_fault: called with a :class:`Fault` for every game that breaks off, and every record that is no position.
        on_hint: called at the end with a sentence for each name of a player that the condition names and no game has,
            if nothing matched: ``no game of 'pupil2012'; did you mean 'Pupil2012' (438)?``

    Raises:
        QueryError: the condition is not SQL over the columns, a column is unknown, or a source lacks it, as a list
            of FENs has no results.
        SourceError: a source is missing, is none, or cannot be read.
        ValueError: ``limit`` is negative, or ``threads`` less than 1.

    Example:
        >>> import setwise
        >>> found = setwise.find("black_pawn_islands = 2", b"1. e4 d5 2. exd5 c6 3. dxc6 *", columns=["ply", "san"])
        >>> found.to_pylist()
        [{'ply': 3, 'san': 'c6'}, {'ply': 4, 'san': 'dxc6'}, {'ply': 5, 'san': None}]
    """
    if limit is not None and limit < 0:
        raise ValueError(f"the limit is a number of rows, 0 or more, not {limit}")
    if not isinstance(where, str):
        raise QueryError(f"a condition is a text, such as 'white_passed_pawns <> 0', not {type(where).__name__}")
    query = Query(where, [columns] if isinstance(columns, str) else columns)
    plans = planned(sources, query)
    tables, rows = [plan.schema.empty_table() for _, plan in plans] if isinstance(plans, list) else [], 0
    for found in search(plans, threads=threads):
        tables = tables or [found.plan.schema.empty_table()]
        if on_fault is not None:
            for fault in found.batch.faults:
                on_fault(fault)
        if on_hint is not None:
            query.names.read(found.games)
        if found.matched:
            tables.append(found.first(None if limit is None else limit - rows).table())
            rows += len(tables[-1])
        if limit is not None and rows >= limit:
            break
    if on_hint is not None and not rows:
        for hint in query.names.missing():
            on_hint(hint)
    tables = tables or [query.on({}).schema.empty_table()]
    joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
    return joined.replace_schema_metadata(MADE_HERE)
