"""The search pipeline: sources -> batches -> positions -> the rows that match, on all cores, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.corpus import language
from setwise.corpus.columns import MADE_HERE, MATCH_COLUMNS, checked, need_notes, schema_of, table_of, values_of
from setwise.corpus.query.names import PlayerNames
from setwise.corpus.sources.expansion import Source
from setwise.corpus.sources.holdings import EVERYTHING, LOOKS, Holdings
from setwise.corpus.sources.jobs import Batch, Job, Opened, Readable
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.sources.records import Records
from setwise.errors import QueryError
from setwise.game.games import Fault, Games
from setwise.game.provenance import GamePositions
from setwise.system.processes import processors

if TYPE_CHECKING:
    from setwise.corpus.language.condition import Condition
    from setwise.corpus.language.plain import PlainCondition

__all__ = ["BatchResult", "Plan", "Query", "find", "planned", "search", "usable_threads"]


class Query:
    """A query over sources: which positions, and which of their columns.

    Args:
        where: SQL over the columns; all positions if left out.
        columns: the columns of the result; by default the usual ones and those of the condition.
        notes: whether to read the annotations of the moves even if no column needs them.
        player: only games in which a player's name contains this text, ignoring case.
        per_game: the largest number of matches of one game; the first ones are kept.
        lenient: columns that are null for a source that does not have them, instead of an error.

    Raises:
        QueryError: for an invalid condition or an unknown column; ``on`` raises it.
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
        #: The player names in the query that no game read so far has.
        self.names = PlayerNames(part=player)

    def on(self, others: Mapping[str, pa.DataType], holdings: Holdings = EVERYTHING, source: str = "") -> Plan:
        """Return the plan for running the query on a source.

        Args:
            others: the columns that the source has in addition to those of every position.
            holdings: what the source can answer.
            source: the name of the source.

        Raises:
            QueryError: if the query is invalid for the source, or the source cannot answer it.
        """
        key: tuple[str | Holdings, ...] = (*(f"{name} {kind}" for name, kind in others.items()), holdings)
        if key not in self._planned:
            self._planned[key] = self._plan(others, holdings, source)
        return self._planned[key]

    def _plan(self, others: Mapping[str, pa.DataType], holdings: Holdings, source: str) -> Plan:
        condition = None if self.where is None else language.condition_of(self.where, others)
        self.names.add(condition.names if condition else [])
        named = condition.columns if condition else []
        usual = (*holdings.known(MATCH_COLUMNS), *others)
        requested = checked(self.columns, others) if self.columns is not None else []
        holdings.check([name for name in [*named, *requested] if name not in self.lenient], source)
        holdings.check(self._needed_besides_columns(condition), source)
        names = checked(requested if self.columns is not None else (*usual, *named), others)
        shown = names if self.columns is not None else named
        notes = self.notes or need_notes([*names, *named])
        return Plan(condition, notes, names, shown, schema_of(names, others), None, self._select)

    def _needed_besides_columns(self, condition: PlainCondition | Condition | None) -> Iterator[str]:
        """What the query needs of a source besides the columns that it names."""
        if condition is not None and condition.reads_other_rows:
            yield LOOKS
        if self.player is not None:
            yield from ("white_name", "black_name")
        if self.per_game is not None:
            yield LOOKS

    def _select(self, positions: GamePositions, rows: np.ndarray | None) -> np.ndarray | None:
        """Of the rows that match, those that ``player`` and ``per_game`` leave."""
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


def _plays(positions: GamePositions, name: str) -> np.ndarray:
    """For each position, whether the name of a player of its game contains ``name``."""
    plays = np.zeros(len(positions), np.bool_)
    rows: np.ndarray | slice
    for side, tag in (("white_name", "White"), ("black_name", "Black")):
        if positions.others is not None and side in positions.others.column_names:
            names, rows = values_of(positions, side).cast(pa.string()), slice(None)
        else:
            names, rows = positions.games.tag(tag), positions.game
        flags = pc.match_substring(names, name, ignore_case=True).fill_null(False)
        plays |= flags.to_numpy(zero_copy_only=False)[rows]
    return plays


class Plan(NamedTuple):
    """A query, prepared for one source."""

    condition: PlainCondition | Condition | None
    #: Whether the annotations of the moves must be read.
    notes: bool
    #: The columns of the result, those that outputs show beside the usual ones, and the schema of the result.
    columns: list[str]
    shown: list[str]
    schema: pa.Schema
    #: Callback per batch, run in the worker thread after filtering; its result becomes ``BatchResult.computed``.
    compute: Callable[[BatchResult], Any] | None = None
    #: Callback per batch that narrows the rows that match down to those wanted.
    select: Callable[[GamePositions, np.ndarray | None], np.ndarray | None] | None = None


class BatchResult(NamedTuple):
    """The result for one batch: the rows that match (None: all), and what ``plan.compute`` returned."""

    batch: Batch
    rows: np.ndarray | None
    plan: Plan
    computed: Any = None

    @property
    def games(self) -> Games | Records:
        """The games or records that the positions come from."""
        return self.batch.games

    @property
    def positions(self) -> GamePositions:
        """All positions of the batch, including those that do not match."""
        return self.batch.positions

    @property
    def searched(self) -> int:
        """The number of positions in the batch."""
        return len(self.positions)

    @property
    def matched(self) -> int:
        """The number of positions that match."""
        return len(self.positions) if self.rows is None else len(self.rows)

    def first(self, limit: int | None) -> BatchResult:
        """Return this result with only the first ``limit`` rows that match."""
        if limit is None or self.matched <= limit:
            return self
        return self._replace(rows=np.arange(limit) if self.rows is None else self.rows[:limit])

    def matches(self) -> GamePositions:
        """Return the positions that match."""
        return self.positions if self.rows is None else self.positions[self.rows]

    def table(self) -> pa.Table:
        """Return the columns of the positions that match."""
        return table_of(self.matches(), self.plan.columns)


def usable_threads(threads: int | None) -> int:
    """Return the number of threads, by default one per processor; raise ``ValueError`` for less than 1."""
    if threads is not None:
        if threads < 1:
            raise ValueError(f"the number of threads is 1 or more, not {threads}")
        return threads
    return processors()


def _work(job: Job, plan: Plan) -> BatchResult:
    batch = job.run()
    rows = None if plan.condition is None else plan.condition.matches(batch.positions)
    rows = rows if plan.select is None else plan.select(batch.positions, rows)
    result = BatchResult(batch, rows, plan)
    return result if plan.compute is None else result._replace(computed=plan.compute(result))


def planned(sources: Source | Iterable[Source], query: Query) -> Iterable[tuple[Opened, Plan]]:
    """Return every source with its plan. All plans are made before reading, unless the sources are an iterator.

    Raises:
        SourceError: for a source that is missing or is not one.
        QueryError: if the query is invalid for a source.
    """
    plans = _each(sources, query)
    return plans if isinstance(sources, Iterator) and not hasattr(sources, "read") else list(plans)


def _each(sources: Source | Iterable[Source], query: Query) -> Iterator[tuple[Opened, Plan]]:
    for source in resolved(sources):
        try:
            yield source, query.on(source.others, source.holdings, source.name)
        except QueryError as error:
            needs_name = source.others and source.name not in str(error)
            raise QueryError(f"{error} (asked of {source.name})" if needs_name else str(error)) from None


def search(plans: Iterable[tuple[Readable, Plan]], *, threads: int | None = None) -> Iterator[BatchResult]:
    """Yield the result of every batch of every source, in order; several threads work on batches at once.

    At most two batches per thread are in progress, so memory use does not grow with the size of the sources.

    Raises ``SourceError`` for a source that cannot be read or is not PGN, after yielding the results before it.
    """
    count = usable_threads(threads)
    with ThreadPoolExecutor(count) as pool:
        under_way: deque[tuple[Future[BatchResult], Job]] = deque()
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
                if task.cancel():  # a later job may already be running and waiting for this one
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
        columns: the columns of the result, or one of them; by default the place, the players, the move, the FEN and
            the columns of the condition.
        limit: the largest number of rows; reading stops there.
        threads: the number of threads, by default one per processor.
        on_fault: called with a :class:`Fault` for every game that breaks off, and every record that is not a position.
        on_hint: called at the end with a sentence for each name of a player that the condition names and no game has,
            if nothing matched: ``no game of 'pupil2012'; did you mean 'Pupil2012' (438)?``

    Raises:
        QueryError: the condition is not SQL over the columns, a column is unknown, or a source lacks it, as a list
            of FENs has no results.
        SourceError: a source is missing, is not one, or cannot be read.
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
    for result in search(plans, threads=threads):
        tables = tables or [result.plan.schema.empty_table()]
        if on_fault is not None:
            for fault in result.batch.faults:
                on_fault(fault)
        if on_hint is not None:
            query.names.read(result.games)
        if result.matched:
            tables.append(result.first(None if limit is None else limit - rows).table())
            rows += len(tables[-1])
        if limit is not None and rows >= limit:
            break
    if on_hint is not None and not rows:
        for hint in query.names.missing():
            on_hint(hint)
    tables = tables or [query.on({}).schema.empty_table()]
    joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
    return joined.replace_schema_metadata(MADE_HERE)
