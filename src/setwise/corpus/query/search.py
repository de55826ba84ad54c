"""The search pipeline: sources -> batches -> positions -> the rows that match, on all cores, in order."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus import language
from setwise.corpus.columns import MATCH_COLUMNS, checked, need_notes, schema_of, table_of, values_of
from setwise.corpus.language.repertoires import Files, Repertoires
from setwise.corpus.query.names import PlayerNames
from setwise.corpus.sources.expansion import Source
from setwise.corpus.sources.holdings import EVERYTHING, LOOKS, Holdings
from setwise.corpus.sources.jobs import Batch, Job, Opened, Readable
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.sources.records import Records
from setwise.corpus.storage.needs import Keys, Need, all_of
from setwise.errors import QueryError
from setwise.features import COLOURS
from setwise.game.games import Games
from setwise.game.provenance import GamePositions
from setwise.system.arrow import pc
from setwise.system.processes import at_work, processors

if TYPE_CHECKING:
    from setwise.corpus.language.condition import Condition
    from setwise.corpus.language.plain import PlainCondition
    from setwise.corpus.query.ordering import Ordering
    from setwise.corpus.query.stages import Stages

__all__ = ["BatchResult", "Plan", "Query", "planned", "search", "usable_threads"]


class Query:
    """A query over sources: which positions, and which of their columns.

    Args:
        where: SQL over the columns; all positions if left out.
        columns: the columns of the result; by default the usual ones and those of the condition.
        notes: whether to read the annotations of the moves even if no column needs them.
        player: only games in which a player's name contains this text, ignoring case.
        side: ``"white"`` or ``"black"``: only games in which that player has this side; by default either.
        per_game: the largest number of matches of one game; the first ones are kept, or the best ones by ``order_by``.
        order_by: expressions that the matches are ordered by; each result then has their values as ``keys``.
        most: the largest number of matches that are wanted in that order.
        lenient: columns that are null for a source that does not have them, instead of an error.
        variations: whether the lines of variations are searched, too.
        keys: only games that reach a position with one of these keys are wanted; other games may be read, too.
        files: the repertoires that ``within`` and ``leaves`` may name.

    Raises:
        QueryError: for a side that is none, or of no player; for an invalid condition or an unknown column ``on``
            raises it.
    """

    def __init__(
        self,
        where: str | None = None,
        columns: Iterable[str] | None = None,
        *,
        notes: bool = False,
        player: str | None = None,
        side: str | None = None,
        per_game: int | None = None,
        order_by: str | None = None,
        most: int | None = None,
        lenient: Iterable[str] = (),
        variations: bool = False,
        keys: frozenset[int] | None = None,
        files: Files = (),
    ) -> None:
        if side not in {None, *COLOURS}:
            raise QueryError(f"the side of a player is white or black, not {side!r:.40}")
        if side is not None and player is None:
            raise QueryError(f"whose side is {side}? Name the player, too")
        self.repertoires = Repertoires(files)
        self.variations, self.keys = variations, keys
        self.lenient = frozenset(lenient)
        self.where, self.columns = where, None if columns is None else list(columns)
        self.notes, self.player, self.side, self.per_game = notes, player, side, per_game
        self.order_by, self.most = order_by, most
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
            with self.repertoires.named():
                self._planned[key] = self._plan(others, holdings, source)
        return self._planned[key]

    def _plan(self, others: Mapping[str, pa.DataType], holdings: Holdings, source: str) -> Plan:
        condition = None if self.where is None else language.condition_of(self.where, others)
        order = self._order(others)
        if self.variations:
            for it in (condition, order):
                if it is not None:
                    it.check_variations()
        self.names.add([*(condition.names if condition else ()), *(order.names if order else ())])
        named = list(dict.fromkeys([*(condition.columns if condition else ()), *(order.columns if order else ())]))
        usual = (*holdings.known(MATCH_COLUMNS), *others)
        named_here = [it if it in others else self.repertoires.spelled(it) for it in self.columns or ()]
        requested = checked(named_here, others)
        holdings.check([name for name in [*named, *requested] if name not in self.lenient], source)
        holdings.check(self._needed_besides_columns(condition, order), source)
        if self.player is not None:
            holdings.check(("white_name", "black_name"), source, needed_by="player")
        names = checked(requested if self.columns is not None else (*usual, *named), others)
        shown = names if self.columns is not None else named
        notes = self.notes or need_notes([*names, *named])
        return Plan(condition, notes, names, shown, schema_of(names, others), None, self._select, order)

    def _order(self, others: Mapping[str, pa.DataType]) -> Ordering | None:
        if self.order_by is None:
            return None
        from setwise.corpus.query.ordering import Ordering

        return Ordering(self.order_by, others, per_game=self.per_game, most=self.most)

    def _needed_besides_columns(
        self, condition: PlainCondition | Condition | None, order: Ordering | None
    ) -> Iterator[str]:
        """What the query needs of a source besides the columns that it names."""
        if any(it is not None and it.reads_other_rows for it in (condition, order)):
            yield LOOKS
        if self.per_game is not None:
            yield LOOKS

    def _select(self, positions: GamePositions, rows: np.ndarray | None) -> np.ndarray | None:
        """Of the rows that match, those that ``player`` and ``per_game`` leave."""
        per_game = self.per_game if self.order_by is None else None  # an order chooses among the matches of a game
        if self.player is None and per_game is None:
            return rows
        rows = np.arange(len(positions)) if rows is None else rows
        if self.player is not None:
            rows = rows[_plays(positions, self.player, COLOURS if self.side is None else (self.side,))[rows]]
        if per_game is not None:
            game = positions.game[rows]
            begins = np.flatnonzero(np.r_[True, game[1:] != game[:-1]]) if len(game) else game
            counts = np.arange(len(game)) - np.repeat(begins, np.diff(np.r_[begins, len(game)]))
            rows = rows[counts < per_game]
        return rows


def _plays(positions: GamePositions, name: str, sides: Iterable[str]) -> np.ndarray:
    """For each position, whether the name of a player of its game who has one of the sides contains ``name``."""
    plays = np.zeros(len(positions), np.bool_)
    rows: np.ndarray | slice
    for side in sides:
        if positions.others is not None and f"{side}_name" in positions.others.column_names:
            names, rows = values_of(positions, f"{side}_name").cast(pa.string()), slice(None)
        else:
            names, rows = positions.games.tag(side.title()), positions.game
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
    #: What the matches are ordered by.
    order: Ordering | None = None
    #: The condition in stages, if the source stores a part of it.
    stages: Stages | None = None
    #: The jobs with the rows that match, if the source finds these itself, on a number of threads.
    found: Callable[[int], Iterator[Job]] | None = None
    #: Returns the table of all matches, on a number of threads, if the source stores all that it needs.
    table: Callable[[int], pa.Table] | None = None
    #: How the source is read, in words.
    way: str = ""


class BatchResult(NamedTuple):
    """The result for one batch: the rows that match (None: all), and what ``plan.compute`` returned."""

    batch: Batch
    rows: np.ndarray | None
    plan: Plan
    computed: Any = None
    #: For each match the values that it is ordered by; None without an order.
    keys: pa.Table | None = None
    #: Columns of the matches alone, a value for each match; None if there are none.
    beside: Mapping[str, pa.ChunkedArray] | None = None

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
        return self.narrowed(np.arange(limit))

    def narrowed(self, which: np.ndarray) -> BatchResult:
        """Return this result with only some of its matches, by their numbers."""
        keys = None if self.keys is None else self.keys.take(pa.array(which))
        beside = None
        if self.beside is not None:
            beside = {name: values.take(pa.array(which)) for name, values in self.beside.items()}
        return self._replace(rows=which if self.rows is None else self.rows[which], keys=keys, beside=beside)

    def matches(self) -> GamePositions:
        """Return the positions that match."""
        matches = self.positions if self.rows is None else self.positions[self.rows]
        return matches if self.beside is None else matches.beside(self.beside)

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
    rows = batch.matches
    if rows is None and plan.condition is not None:
        rows = (plan.stages or plan.condition).matches(batch.positions)
    rows = rows if plan.select is None else plan.select(batch.positions, rows)
    keys = None
    if plan.order is not None:
        rows, keys = plan.order.of(batch.positions, rows)
    result = BatchResult(batch, rows, plan, keys=keys)
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
        if query.variations:
            source.read_variations()
        try:
            plan = query.on(source.others, source.holdings, source.name)
            with query.repertoires.named():
                plan = _by_index(source, plan, query) or _by_files(source, plan, query)
            yield source, plan
        except QueryError as error:
            needs_name = source.others and source.name not in str(error)
            raise QueryError(f"{error} (asked of {source.name})" if needs_name else str(error)) from None


def _by_index(source: Opened, plan: Plan, query: Query) -> Plan | None:
    """The plan for reading only the games that can have a match; None if the source has no index of these.

    The games are read whole, so the condition has the same answer as over all games.
    """
    need = _need(plan, query)
    # The positions of variations are in no index.
    found = None if need is None or query.variations else source.holding(need, notes=plan.notes)
    if found is None:
        return None
    jobs, way = found
    query.names.are_all_read = False
    return plan._replace(found=lambda _: jobs, way=way)


def _need(plan: Plan, query: Query) -> Need | None:
    """What every game with a match has, as far as that is known."""
    return all_of(
        None if query.keys is None else Keys(query.keys), None if plan.condition is None else plan.condition.needs
    )


def _by_files(source: Opened, plan: Plan, query: Query) -> Plan:
    """The plan for reading what DuckDB finds in the files of the source, or all of it."""
    found = _found(source, plan, query)
    if found is not None:
        return found
    stages = _stages(source, plan, query)
    if stages is not None:
        return plan._replace(stages=stages, way="what its files store of the condition narrows the rows first")
    why = source.why_not(plan.condition is not None, query.variations, _need(plan, query))
    return plan._replace(way=f"read from the beginning to the end: {why}")


def _found(source: Opened, plan: Plan, query: Query) -> Plan | None:
    """The plan for what DuckDB finds in the files of the source; None if it has to be read."""
    condition = plan.condition
    if condition is None or not condition.columns or condition.reads_other_rows or query.names:
        return None
    files = source.stored(condition.columns)
    if not files:
        return None
    from setwise.corpus.query.stored import StoredCondition

    stored = StoredCondition.of(query.where or "", source.others)
    if stored is None:
        return None
    way = "DuckDB finds the matches in its files, and only these are read"
    plan = plan._replace(found=functools.partial(stored.jobs, source, files), way=way)
    takes_all = (query.player, query.per_game, query.order_by) == (None, None, None)
    wanted = source.stored({**dict.fromkeys(condition.columns), **dict.fromkeys(plan.columns)}) if takes_all else None
    return plan._replace(table=functools.partial(stored.table, wanted, plan.schema)) if wanted else plan


def _stages(source: Opened, plan: Plan, query: Query) -> Stages | None:
    """The stages of a condition of which the source stores a part; None if there is nothing to evaluate first."""
    if plan.condition is None or not source.stored([]):
        return None
    from setwise.corpus.query.stages import stages

    return stages(query.where or "", source.others, plan.condition, lambda names: bool(source.stored(names)))


def search(plans: Iterable[tuple[Readable, Plan]], *, threads: int | None = None) -> Iterator[BatchResult]:
    """Yield the result of every batch of every source, in order; several threads work on batches at once.

    At most two batches per thread are in progress, so memory use does not grow with the size of the sources.

    Raises ``SourceError`` for a source that cannot be read or is not PGN, after yielding the results before it.
    """
    count = usable_threads(threads)
    with at_work(), ThreadPoolExecutor(count) as pool:
        under_way: deque[tuple[Future[BatchResult], Job]] = deque()
        try:
            for source, plan in plans:
                jobs = source.jobs(notes=plan.notes) if plan.found is None else plan.found(count)
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
