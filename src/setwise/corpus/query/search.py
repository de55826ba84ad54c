"""The search pipeline: sources -> batches -> positions -> the rows that match, on all cores, in order.

A query becomes a question to each source. The source explains which of its batches answer the question: only the games
that an index finds, only the rows that DuckDB finds in the files of a scan, or all. ``search`` evaluates the conditions
that are left on these batches, and nothing else does: at most two batches for each thread are in progress, and results
come in the order of the sources. A caller's function that computes something from a batch, such as a table, also runs
in the worker thread (``Question.compute``). Suggestions for names of players and the hints after a search without
matches are in this module because they read the same batches.
"""

from __future__ import annotations

import functools
import heapq
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
import pyarrow as pa

from setwise.corpus import language
from setwise.corpus.columns import (
    COLUMNS,
    MATCH_COLUMNS,
    OF_TABLES,
    checked,
    need_notes,
    schema_of,
    table_of,
    values_of,
)
from setwise.corpus.columns.registry import TAG
from setwise.corpus.language.checks import Comparison
from setwise.corpus.language.names import Files, Repertoires
from setwise.corpus.sources.jobs import (
    EVERYTHING,
    LOOKS,
    Batch,
    Condition,
    Divided,
    Holdings,
    Job,
    Question,
    Records,
    Source,
)
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.sources.places import Sources
from setwise.errors import QueryError, SetwiseError, shortened
from setwise.features import COLOURS
from setwise.game.batch import GamePositions
from setwise.game.games import Fault, Games
from setwise.system.packages import pc
from setwise.system.processes import at_work, processors

if TYPE_CHECKING:
    from setwise.corpus.language.condition import Condition as SqlCondition
    from setwise.corpus.language.plain import PlainCondition
    from setwise.corpus.query.ordering import ComputedColumn, Ordering


# ------------------------------------------------- suggestions for player names that are in a query but not in any game


#: The largest number of different names that are kept, and the number of names that are suggested.
_MOST, _SHOWN = 1 << 15, 3
#: The similarity, from 0 to 1, from which two names count as near.
_NEAR = 0.66
_WORD = re.compile(r"\w{3,}")


class PlayerNames:
    """Count the player names in the games that are read, until every name in the query has occurred.

    The object is false if no name is missing, as in a query that mentions no player; then ``read`` costs nothing.

    >>> import setwise
    >>> names = PlayerNames(["carlsen, magnus"])
    >>> for games in setwise.read_pgn(b'[White "Carlsen, Magnus"] 1. e4 * [Black "Carlsen, Magnus"] 1. e4 *'):
    ...     names.read(games)
    >>> names.missing()
    ["no game of 'carlsen, magnus'; did you mean 'Carlsen, Magnus' (2)?"]

    Args:
        names: texts in the query that are compared with the name of White or Black.
        part: a text that a player's name must contain, ignoring case (``--player``).
    """

    def __init__(self, names: Iterable[str] = (), part: str | None = None) -> None:
        self._wanted, self._part = dict.fromkeys(names), part
        self._games: Counter[str] = Counter()

    def add(self, names: Iterable[str]) -> None:
        """Add names that the query mentions, before any game is read."""
        self._wanted.update(dict.fromkeys(names))

    def __bool__(self) -> bool:
        return bool(self._wanted) or self._part is not None

    def read(self, games: Any) -> None:
        """Count the names in a batch of games. Call this in the order of reading, from one thread at a time."""
        if not self:
            return
        for tag in ("White", "Black"):
            counted = games.tag(tag).value_counts()
            names, counts = counted.field("values"), counted.field("counts")
            if self._part is not None and pc.any(pc.match_substring(names, self._part, ignore_case=True)).as_py():
                self._part = None
            for name, count in zip(names.to_pylist(), counts.to_pylist(), strict=True):
                self._wanted.pop(name, None)
                if name:
                    self._games[name] += count
        if not self:
            self._games.clear()
        elif len(self._games) > _MOST:
            ratios = {name: max(similarity(wanted, name) for wanted in self._missing()) for name in self._games}
            nearest = heapq.nlargest(_MOST // 2, self._games, key=ratios.__getitem__)
            self._games = Counter({name: self._games[name] for name in nearest if ratios[name]})

    def missing(self) -> list[str]:
        """Return a sentence for each name that no game has; an empty list if the games have no names of players."""
        missing = self._missing() if self._games else ()
        return [f"no game of {wanted!r:.60}{self._suggestion(wanted)}" for wanted in missing]

    def _missing(self) -> list[str]:
        return [*self._wanted, *([] if self._part is None else [self._part])]

    def _suggestion(self, wanted: str) -> str:
        near = ((ratio, self._games[name], name) for name in self._games if (ratio := similarity(wanted, name)))
        shown = [f"{name!r:.60} ({count:,})" for _, count, name in heapq.nlargest(_SHOWN, near)]
        return f"; did you mean {' or '.join(shown)}?" if shown else ""


def similarity(wanted: str, name: str) -> float:
    """Return the similarity of ``wanted`` to a name or to its most similar word, ignoring case; 0 if it is not near."""
    wanted, name = wanted.casefold(), name.casefold()
    if wanted == name or (len(wanted) > 2 and wanted in name):
        return 3.0 if wanted == name else 2.0
    from difflib import SequenceMatcher

    matcher, best = SequenceMatcher(None, "", wanted, autojunk=False), 0.0
    for part in (name, *_WORD.findall(name)):
        matcher.set_seq1(part)
        if matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR:
            best = max(best, matcher.ratio())
    return best if best >= _NEAR else 0.0


# -------------------------------------------------------------------------------------------------- the search pipeline


#: What can only be the name of a column, and not an expression.
_NAME_OF_COLUMN = re.compile(r"\w*|tag\('[^']*'\)", re.IGNORECASE)


class Query:
    """A query over sources: it selects positions, and columns of these positions.

    Args:
        where: SQL over the columns; without it, all positions match.
        columns: the columns of the result, names or expressions over the columns; by default the usual columns and the
            columns of the condition.
        notes: whether to read the annotations of the moves even if no column needs them.
        player: only games in which a player's name contains this text, ignoring case.
        side: ``"white"`` or ``"black"``: only games in which that player has this side; by default either.
        per_game: the largest number of matches of one game; the first ones are kept, or the best ones by ``order_by``.
        order_by: expressions that the matches are ordered by; each result then has their values as ``keys``.
        most: the largest number of matches that are wanted in this order.
        lenient: columns that are null, and raise no error, for a source that does not have them.
        variations: whether the lines of variations are searched, too.
        keys: only games that reach a position with one of these keys are wanted; other games may be read, too.
        tree: the keys and the moves of a tree, as ``Question.tree``.
        files: the repertoires that ``within`` and ``leaves`` may name.

    Raises:
        QueryError: for a side other than white and black, or a side without a player. ``on`` raises it for an invalid
            condition or an unknown column.
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
        tree: tuple[np.ndarray, np.ndarray | None] | None = None,
        files: Files = (),
    ) -> None:
        if side not in {None, *COLOURS}:
            raise QueryError(f"the side of a player is white or black, not {side!r:.40}")
        if side is not None and player is None:
            raise QueryError(f"whose side is {side}? Name the player, too")
        self.repertoires = Repertoires(files)
        self.variations, self.keys, self.tree = variations, keys, tree
        self.lenient = frozenset(lenient)
        self.where, self.columns = where, None if columns is None else list(columns)
        self.notes, self.player, self.side, self.per_game = notes, player, side, per_game
        self.order_by, self.most = order_by, most
        self._questions: dict[tuple[str | Holdings, ...], Question] = {}
        #: The player names in the query that no game read so far has.
        self.names = PlayerNames(part=player)

    def on(self, source: Source) -> Question:
        """Return the question to a source.

        Raises:
            QueryError: if the query is invalid for the source, or the source cannot answer it.
        """
        holdings = source.answers(variations=self.variations)
        return self.of(source.source_columns, holdings, source.name)

    def of(
        self, source_columns: Mapping[str, pa.DataType], holdings: Holdings = EVERYTHING, source: str = ""
    ) -> Question:
        """Return the question to a source with these columns of its own; without any, to games.

        Args:
            source_columns: the columns that the source has in addition to the columns of every position.
            holdings: what the source can answer.
            source: the name of the source.
        """
        key: tuple[str | Holdings, ...] = (*(f"{name} {kind}" for name, kind in source_columns.items()), holdings)
        if key not in self._questions:
            with self.repertoires.named():
                self._questions[key] = self._question(source_columns, holdings, source)
        return self._questions[key]

    def _question(self, source_columns: Mapping[str, pa.DataType], holdings: Holdings, source: str) -> Question:
        condition = None if self.where is None else language.condition_of(self.where, source_columns)
        order = self._order(source_columns)
        if self.variations:
            for it in (condition, order):
                if it is not None:
                    it.check_variations()
        self.names.add([*(condition.names if condition else ()), *(order.names if order else ())])
        named = list(dict.fromkeys([*(condition.columns if condition else ()), *(order.columns if order else ())]))
        usual = (*holdings.known(MATCH_COLUMNS), *source_columns)
        requested, computed = self._requested(source_columns)
        of_source = [name for name in requested if name not in computed]
        needed = [*named, *of_source, *(name for it in computed.values() for name in it.columns)]
        holdings.check([name for name in needed if name not in self.lenient], source)
        holdings.check(self._needed_besides_columns(condition, order, *computed.values()), source)
        if self.player is not None:
            holdings.check(("white_name", "black_name"), source, needed_by="player")
        names = requested if self.columns is not None else checked((*usual, *named), source_columns)
        types = {**source_columns, **{name: it.field.type for name, it in computed.items()}}
        schema = schema_of(names, types)
        for name, expression in computed.items():
            schema = schema.set(schema.get_field_index(name), expression.field)
        return Question(
            condition, self.notes or need_notes([*names, *needed]), names,
            names if self.columns is not None else named, schema, None, order,
            None if condition is None else functools.partial(self._divided, condition),
            self.per_game, self.player, self.side, self.variations, self.keys, self.tree, bool(self.names),
            computed=computed,
        )  # fmt: skip

    def _divided(
        self, condition: PlainCondition | SqlCondition, are_stored: Callable[[Iterable[str]], bool]
    ) -> Divided:
        with self.repertoires.named():
            return language.divided(condition, are_stored)

    def _order(self, source_columns: Mapping[str, pa.DataType]) -> Ordering | None:
        if self.order_by is None:
            return None
        from setwise.corpus.query.ordering import Ordering

        return Ordering(self.order_by, source_columns, per_game=self.per_game, most=self.most)

    def _requested(self, source_columns: Mapping[str, pa.DataType]) -> tuple[list[str], dict[str, ComputedColumn]]:
        """Return the names of the columns requested, and those among them that are expressions."""
        names: list[str] = []
        computed: dict[str, ComputedColumn] = {}
        for it in self.columns or ():
            try:
                names += checked([it if it in source_columns else self.repertoires.spelled(it)], source_columns)
            except QueryError:
                if all(map(_NAME_OF_COLUMN.fullmatch, map(str.strip, it.split(",")))):
                    from setwise.corpus.lexicon import way_of

                    if "," not in it and (way := way_of(it, misspelt=False)):
                        raise QueryError(f"there is no column {shortened(it)}{way}") from None
                    raise
                from setwise.corpus.query import ordering

                column = ordering.ComputedColumn(it, source_columns)
                names.append(column.field.name)
                computed[column.field.name] = column
                if self.variations:
                    column.check_variations()
        return list(dict.fromkeys(names)), computed

    def _needed_besides_columns(self, *read: Condition | Ordering | ComputedColumn | None) -> Iterator[str]:
        """Yield ``LOOKS`` if the query needs all positions of a game in order."""
        if self.per_game is not None or any(it is not None and it.reads_other_rows for it in read):
            yield LOOKS


def _selected(question: Question, positions: GamePositions, rows: np.ndarray | None) -> np.ndarray | None:
    """Return the rows that match, without the rows that ``player`` and ``per_game`` exclude."""
    per_game = question.per_game if question.order is None else None  # with an order, the order chooses the matches
    if question.player is None and per_game is None:
        return rows
    rows = np.arange(len(positions)) if rows is None else rows
    if question.player is not None:
        sides = COLOURS if question.side is None else (question.side,)
        rows = rows[_plays(positions, question.player, sides)[rows]]
    if per_game is not None:
        game = positions.game[rows]
        begins = np.flatnonzero(np.r_[True, game[1:] != game[:-1]]) if len(game) else game
        counts = np.arange(len(game)) - np.repeat(begins, np.diff(np.r_[begins, len(game)]))
        rows = rows[counts < per_game]
    return rows


def _plays(positions: GamePositions, name: str, sides: Iterable[str]) -> np.ndarray:
    """Return for each position whether a player with one of these sides in its game has a name with ``name`` in it."""
    plays = np.zeros(len(positions), np.bool_)
    rows: np.ndarray | slice
    for side in sides:
        if positions.source_columns is not None and f"{side}_name" in positions.source_columns.column_names:
            names, rows = values_of(positions, f"{side}_name").cast(pa.string()), slice(None)
        else:
            names, rows = positions.games.tag(side.title()), positions.game
        flags = pc.match_substring(names, name, ignore_case=True).fill_null(False)
        plays |= flags.to_numpy(zero_copy_only=False)[rows]
    return plays


class BatchResult(NamedTuple):
    """The result for one batch: the rows that match (None: all), and the result of ``question.compute``."""

    batch: Batch
    rows: np.ndarray | None
    question: Question
    computed: Any = None
    #: For each match, the values of the expressions of the order; None without an order.
    keys: pa.Table | None = None
    #: Columns that were computed only for the matches, with a value for each match; None if there are none.
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

    @property
    def matched_games(self) -> int:
        """The number of games with a match; 0 for positions that do not come from games."""
        if not self.batch.is_of_games or not self.matched:
            return 0
        game = self.positions.game if self.rows is None else self.positions.game[self.rows]
        first = np.r_[True, game[1:] != game[:-1]]  # the matches of a game are neighbours, unless they were ordered
        return len(set(game[first].tolist()))

    def first(self, limit: int | None) -> BatchResult:
        """Return this result with only the first ``limit`` rows that match."""
        if limit is None or self.matched <= limit:
            return self
        return self.narrowed(np.arange(limit))

    def narrowed(self, which: np.ndarray) -> BatchResult:
        """Return this result with only the matches that have these numbers."""
        at = pa.array(which)
        keys = None if self.keys is None else self.keys.take(at)
        beside = self.beside and {name: values.take(at) for name, values in self.beside.items()}
        return self._replace(rows=which if self.rows is None else self.rows[which], keys=keys, beside=beside)

    def matches(self) -> GamePositions:
        """Return the positions that match."""
        matches = self.positions if self.rows is None else self.positions[self.rows]
        return matches if self.beside is None else matches.beside(self.beside)

    def table(self) -> pa.Table:
        """Return the columns of the positions that match."""
        return table_of(self.matches(), self.question.columns)


def usable_threads(threads: int | None) -> int:
    """Return the number of threads, by default one per processor; raise ``ValueError`` for less than 1."""
    if threads is not None and threads < 1:
        raise ValueError(f"the number of threads is 1 or more, not {threads}")
    return processors() if threads is None else threads


def _work(job: Job, question: Question, left: Sequence[Condition]) -> BatchResult:
    batch = job.run()
    rows = functools.reduce(functools.partial(_narrowed, batch.positions), left, batch.matches)
    rows, keys = _selected(question, batch.positions, rows), None
    if question.order is not None:
        rows, keys = question.order.of(batch.positions, rows)
    beside = {name: it.among(batch.positions, rows) for name, it in question.computed.items()} or None
    result = BatchResult(batch, rows, question, keys=keys, beside=beside)
    return result if question.compute is None else result._replace(computed=question.compute(result))


#: Rows are chosen before a condition is evaluated if at most one row in ``_FEW`` is left: choosing rows copies boards.
_FEW = 8


def _narrowed(positions: GamePositions, rows: np.ndarray | None, condition: Condition) -> np.ndarray:
    """Return the rows, out of these or of all for None, that match a condition, ascending."""
    if rows is None:
        return condition.matches(positions)
    if not len(rows):
        return rows
    if condition.reads_other_rows or len(rows) > len(positions) // _FEW:
        is_left = np.zeros(len(positions), np.bool_)
        is_left[rows] = True
        matches = condition.matches(positions)
        return matches[is_left[matches]]
    return rows[condition.matches(cast("GamePositions", positions[rows]))]


def planned(sources: Sources, query: Query) -> Iterable[tuple[Source, Question]]:
    """Return every source with the question to it. All are checked before reading, unless the sources are an iterator.

    Raises:
        SourceError: for a source that is missing or has no known format.
        QueryError: if the query is invalid for a source.
    """
    questions = _each(sources, query)
    return questions if isinstance(sources, Iterator) and not hasattr(sources, "read") else list(questions)


def _each(sources: Sources, query: Query) -> Iterator[tuple[Source, Question]]:
    for source in resolved(sources):
        try:
            yield source, query.on(source)
        except QueryError as error:
            needs_name = source.source_columns and source.name not in str(error)
            raise QueryError(f"{error} (asked of {source.name})" if needs_name else str(error)) from None


_T = TypeVar("_T")


def in_turn(
    threads: int, tasks: Iterable[Callable[[], _T]], most: int, give_up: Callable[[Any], Any] = lambda _: None
) -> Iterator[_T]:
    """Yield what tasks return, in order; several threads work on them, on at most ``most`` at once.

    ``give_up`` is called for each task that was cancelled because its result is not wanted any more.
    """
    with ThreadPoolExecutor(threads) as pool:
        under_way: deque[tuple[Future[_T], Callable[[], _T]]] = deque()
        try:
            for task in tasks:
                under_way.append((pool.submit(task), task))
                if len(under_way) >= most:
                    yield under_way.popleft()[0].result()
            while under_way:
                yield under_way.popleft()[0].result()
        finally:
            for future, task in under_way:
                if future.cancel():  # a later task may already be running, and may wait for this one
                    give_up(task)


class _Broken(Job):
    """An error of a source in the place of its next job, so that the results before it are yielded first."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def run(self) -> Batch:
        raise self.error


def search(
    questions: Iterable[tuple[Source, Question]],
    *,
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Iterator[BatchResult]:
    """Yield the result of every batch of every source, in order; several threads work on batches at once.

    At most two batches per thread are in progress, so memory use does not grow with the size of the sources. The faults
    of a batch are passed to ``on_fault`` before its result is yielded.

    Raises ``SourceError`` for a source that cannot be read or is not PGN, after yielding the results before it.
    """
    for result in _results(questions, threads):
        for fault in result.batch.faults if on_fault is not None else ():
            on_fault(fault)  # type: ignore[misc]
        yield result


def _results(questions: Iterable[tuple[Source, Question]], threads: int | None) -> Iterator[BatchResult]:
    count = usable_threads(threads)

    def tasks() -> Iterator[functools.partial[BatchResult]]:
        for source, question in questions:
            try:
                plan = source.explain(question._replace(threads=count))
                yield from (functools.partial(_work, job, question, plan.left) for job in plan.jobs())
            except Exception as error:  # noqa: BLE001  (it is raised in its turn)
                yield functools.partial(_work, _Broken(error), question, ())
                return

    with at_work():
        yield from in_turn(count, tasks(), 2 * count, lambda task: task.args[0].abandon())


# ------------------------------------------------------------------------------------ hints for a query without matches


#: Limits of the second reading: how many positions are read, for how many seconds, how many different texts of a column
#: are kept, and how many texts are suggested.
_MOST_HINTS, _SECONDS, _TEXTS, _SHOWN_HINTS = 1 << 18, 2.0, 1 << 15, 3


def hints(questions: Iterable[tuple[Source, Question]], query: Query) -> list[str]:
    """Return sentences about a query without matches: they name players, columns and texts that no source has."""
    columns, comparisons, sources, reads_all = dict[str, None](), dict[Comparison, None](), list[Source](), True
    for source, question in questions:
        sources.append(source)
        for it in filter(None, (question.condition, question.order)):
            columns |= dict.fromkeys(it.columns)
        if question.condition is not None:
            comparisons |= dict.fromkeys(question.condition.comparisons)
        if question.counts_names:  # an index skips games, and the skipped games can have the player, too
            reads_all &= source.explain(question).reads_all
    missing = query.names.missing() if reads_all else []
    return [*missing, *hints_of(sources, columns, comparisons, variations=query.variations)]


def hints_of(
    sources: Iterable[Source], columns: Iterable[str], comparisons: Iterable[Comparison], *, variations: bool
) -> list[str]:
    """Return a sentence about the columns that are null in every row, and a sentence for each text that no row has.

    Args:
        sources: the sources; sources that can be read only once are skipped.
        columns: the names of columns.
        comparisons: comparisons of columns with texts.
        variations: whether the lines of variations are searched, too.
    """
    beginning, began = _Beginning(columns, comparisons), time.monotonic()
    try:
        question = Question(None, need_notes(beginning.names), beginning.names, variations=variations)
        for positions in _positions(sources, question):
            beginning.read(positions)
            if beginning.is_known or beginning.count >= _MOST_HINTS or time.monotonic() - began > _SECONDS:
                break
        else:
            beginning.is_whole = True
    except SetwiseError:  # a stream, which has been read
        return []
    return list(beginning.sentences())


def _positions(sources: Iterable[Source], question: Question) -> Iterator[GamePositions]:
    for source in sources if question.columns else ():
        for job in source.scan(question):
            yield job.run().positions


class _Beginning:
    """The values of some columns in the first positions of the sources."""

    def __init__(self, columns: Iterable[str], comparisons: Iterable[Comparison]) -> None:
        #: The columns that have been null so far; then the comparisons that have been false, with their columns' texts.
        self.null = [name for name in columns if not _is_never_null(name)]
        self.false = list(dict.fromkeys(comparisons))
        self.texts: dict[str, dict[str, None]] = {name: {} for it in self.false for name in it.columns}
        self.count, self.is_whole = 0, False

    @property
    def names(self) -> list[str]:
        """The columns that are still of interest."""
        return [*dict.fromkeys([*self.null, *(name for it in self.false for name in it.columns)])]

    @property
    def is_known(self) -> bool:
        """Whether there is nothing left to report."""
        return not self.null and not self.false

    def read(self, positions: GamePositions) -> None:
        """Read the columns of a batch."""
        self.count += len(positions)
        columns = {name: values_of(positions, name) for name in self.names}
        self.null = [name for name in self.null if columns[name].null_count == len(positions)]
        texts = {name: _different(columns[name]) for name in self.texts if name in columns}
        self.false = [it for it in self.false if not any(len(it.among(texts[name])) for name in it.columns)]
        for name, different in texts.items():
            if len(self.texts[name]) < _TEXTS:
                self.texts[name] |= dict.fromkeys(different.to_pylist())

    def sentences(self) -> Iterator[str]:
        """Yield the sentences of the hints."""
        if not self.count:
            return
        read = f"{'' if self.is_whole else 'the first '}{self.count:,} position{'' if self.count == 1 else 's'}"
        if self.null:
            are = f"{' and '.join(map(_written, self.null))} {'is' if len(self.null) == 1 else 'are'} null"
            yield f"{are} in all of {read}, and null matches no comparison"
        for it in self.false:
            what = it.in_words(" or ".join(map(_written, it.columns)))
            if texts := list(dict.fromkeys(text for name in it.columns for text in self.texts[name] if text)):
                yield f"{what} in none of {read}{_suggestion(it, texts)}"


def _written(name: str) -> str:
    """Return the name of a column as it is written in conditions."""
    return f"tag('{name.removeprefix(TAG)}')" if name.startswith(TAG) else name


def _is_never_null(name: str) -> bool:
    """Whether a column has a value for every position: if it is read from the board, or computed from its name."""
    return "(" in name or (name in COLUMNS and COLUMNS[name].of_boards and name not in OF_TABLES)


def _different(column: pa.Array) -> pa.Array:
    """Return the different texts of a column."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary
    return pc.unique(column.cast(pa.string())).drop_null()


def _suggestion(wanted: Comparison, texts: list[str]) -> str:
    """Return the texts that differ from the wanted text only in case, or else the texts nearest to it."""
    alike = wanted._replace(ignores_case=True).among(pa.array(texts, pa.string())).to_pylist()
    if alike and not wanted.ignores_case:
        differ = "differ" if len(alike) > 1 else "differs"
        return f"; {' and '.join(map(shortened, alike[:_SHOWN_HINTS]))} {differ} only in upper and lower case"
    parts = re.split(r"[%_]+", wanted.text) if wanted.sign == "is like" else [wanted.text]
    core = max(parts, key=len)
    near = ((ratio, text) for text in dict.fromkeys(texts) if (ratio := similarity(core, text)))
    shown = [shortened(text) for _, text in heapq.nlargest(_SHOWN_HINTS, near)]
    return f"; did you mean {' or '.join(shown)}?" if shown else ""
