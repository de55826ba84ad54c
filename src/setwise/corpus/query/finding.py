"""``find``: the rows that match as a table, samples of them, engines that judge them.

The functions here take results of a search and yield results: a sample of them, the first ones, the best ones, or all
of them with the evaluations of an engine. So the functions can be chained, and the engine comes last and evaluates only
the matches that are kept. A sample gives every match a random number, in the order of the matches, and keeps the
matches with the smallest numbers: it depends on the seed alone, not on blocks or threads. An engine runs in its own
process behind python-chess's protocol; how long it may be silent and how much it may write is limited. The last section
compiles the code of a search in a second process, while this process compiles the reader of PGN.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import logging
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.compiler import Entry, cache_directory
from setwise.corpus.columns import MADE_HERE
from setwise.corpus.language.names import Files
from setwise.corpus.query.limits import answer_within, are_set
from setwise.corpus.query.search import BatchResult, Query, hints, planned, search, usable_threads
from setwise.corpus.sources.places import Sources, partially
from setwise.errors import QueryError, SetwiseError, SourceError
from setwise.features.own import load
from setwise.game.batch import Block
from setwise.game.games import Fault, Games
from setwise.notation.pgn import reader, tokens
from setwise.rules.board import WORDS
from setwise.system.processes import processors, without_interrupts

if TYPE_CHECKING:
    import asyncio

    import chess
    import chess.engine

    from setwise.corpus.sources.jobs import Question, Source


# ------------------------------------------------------------------- A uniform random sample of the matches of a search


class Sample:
    """A uniform sample of matches, drawn in one pass over them.

    Every match gets a random number, in order; the matches with the smallest numbers are kept. So the sample is
    uniform, depends on the seed but not on blocks or threads, and needs memory for the sample only.

    Args:
        count: how many matches to draw.
        seed: the seed of the random numbers.
    """

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self._random = np.random.default_rng(seed)
        self._kept: list[tuple[np.ndarray, BatchResult]] = []
        self._limit = 1.0

    def add(self, result: BatchResult) -> None:
        """Let the matches of a batch take part in the draw."""
        numbers = self._random.random(result.matched)
        self._keep(numbers, result)
        if sum(len(numbers) for numbers, _ in self._kept) > 2 * self.count:
            self._cut()

    def drawn(self) -> Iterator[BatchResult]:
        """Yield the sample, in the order of the sources."""
        self._cut()
        for _, result in self._kept:
            yield result

    def _keep(self, numbers: np.ndarray, result: BatchResult) -> None:
        small = numbers < self._limit
        if small.any():
            self._kept.append((numbers[small], result.narrowed(np.flatnonzero(small))))
            result.batch.forget()

    def _cut(self) -> None:
        """Drop the matches with the largest numbers, down to the size of the sample."""
        kept, self._kept = self._kept, []
        numbers = np.concatenate([numbers for numbers, _ in kept]) if kept else np.empty(0)
        if len(numbers) > self.count:
            self._limit = float(np.partition(numbers, self.count)[self.count])
        for some, result in kept:
            self._keep(some, result)


# ----------------------------------------------------------------------------- what a chess engine says about positions


#: The folder where Debian installs engines; ``PATH`` does not contain it for all users.
_GAMES = "/usr/games"
#: The value of a mate in centipawns, as in the column ``evaluation``: a mate in n moves is worth this number minus n.
MATE_SCORE = 32_000

#: How long an engine may take to start and be silent in a search, in seconds; how many bytes it may write in each.
_START, _SILENCE, _MOST_BYTES = 10, 60, 1 << 24
#: The depth of the first search of a position that is searched deeper and deeper.
_FIRST_DEPTH = 8
#: The largest evaluation that is accepted.
_MOST_CENTIPAWNS = 1_000_000

#: The columns that an engine adds to matches.
ENGINE_COLUMNS = pa.schema([("engine_evaluation", pa.int32()), ("engine_best", pa.string())])


class Thought(NamedTuple):
    """What an engine thinks: its depth, the centipawns for White, the moves that it expects, in UCI."""

    depth: int
    evaluation: int
    moves: list[str]


class Engine:
    """A running engine that searches to a fixed depth."""

    def __init__(self, running: chess.engine.SimpleEngine, limit: chess.engine.Limit) -> None:
        self._running, self._limit = running, limit

    def _search(self, board: chess.Board, moves: Sequence[chess.Move] = ()) -> chess.engine.InfoDict:
        info = self._running.analyse(board, self._limit, root_moves=list(moves) or None)
        if "score" not in info:
            raise _engine_error("it gives no evaluation")
        if abs(info["score"].pov(board.turn).score(mate_score=MATE_SCORE)) > _MOST_CENTIPAWNS:
            raise _engine_error(f"it gives an evaluation of more than {_MOST_CENTIPAWNS:,} centipawns")
        return info

    def score(self, board: chess.Board, *moves: chess.Move, mate_score: int = MATE_SCORE) -> int:
        """Return the centipawns for the side to move, of a position or of the best of some moves."""
        return int(self._search(board, moves)["score"].pov(board.turn).score(mate_score=mate_score))

    def best(self, board: chess.Board) -> tuple[int | None, str | None]:
        """Return the centipawns for White and the best move in SAN; both are None where no move is legal."""
        if not board.is_valid() or not any(board.legal_moves):
            return None, None
        info = self._search(board)
        line = info.get("pv")
        return info["score"].white().score(mate_score=MATE_SCORE), board.san(line[0]) if line else None

    def deepening(self, fen: str, seconds: float, hash_size: int, *, chess960: bool = False) -> Iterator[Thought]:
        """Yield thoughts about a position, each deeper, until the depth of the engine or the time is reached.

        ``hash_size`` is the size of the engine's hash in megabytes.
        """
        import chess.engine

        if "Hash" in self._running.options:
            self._running.configure({"Hash": hash_size})
        board, deepest, until = chess.Board(fen, chess960=chess960), self._limit.depth or 1, time.monotonic() + seconds
        for depth in range(min(_FIRST_DEPTH, deepest), deepest + 1, 2):
            if (left := until - time.monotonic()) <= 0:
                return
            self._limit = chess.engine.Limit(depth=depth, time=left)
            info = self._search(board)
            score = info["score"].white().score(mate_score=MATE_SCORE)
            yield Thought(int(info.get("depth", depth)), int(score), [move.uci() for move in info.get("pv", ())])


def _engine_error(what: str) -> chess.engine.EngineError:
    import chess.engine

    return chess.engine.EngineError(what)


@functools.cache
def _protocol() -> type[chess.engine.UciProtocol]:
    """The protocol UCI of python-chess, which also ends an engine that is silent, or that writes without end."""
    import asyncio

    import chess.engine

    class Bounded(chess.engine.UciProtocol):
        written, heard, fault = 0, 0.0, ""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            self.failed = self.loop.create_future()
            self.loop.set_exception_handler(self.end)  # without it asyncio prints the error in a move, and goes on

        def end(self, _loop: Any, context: dict[str, Any]) -> None:
            self.fault = self.fault or str(context.get("exception") or context["message"])
            if self.transport is not None:
                self.transport.close()
            if not self.failed.done():
                self.failed.set_result(None)

        def pipe_data_received(self, fd: int, data: bytes | str) -> None:
            self.written, self.heard = self.written + len(data), self.loop.time()
            if self.written <= _MOST_BYTES:
                super().pipe_data_received(fd, data)
            else:
                self.end(self.loop, {"message": f"it wrote more than {_MOST_BYTES >> 20} MB without a move"})

        async def initialize(self) -> None:
            try:
                await asyncio.wait_for(super().initialize(), _START)
            except BaseException:
                self.end(self.loop, {"message": "it does not start"})
                await asyncio.wait([self.returncode], timeout=1)  # until the program has ended
                raise

        async def analyse(self, *position: Any, **options: Any) -> Any:
            self.written, self.heard = 0, self.loop.time()
            answer = asyncio.ensure_future(super().analyse(*position, **options))
            while not (answer.done() or self.failed.done()):
                if (left := self.heard + _SILENCE - self.loop.time()) <= 0:
                    self.end(self.loop, {"message": f"it was silent for {_SILENCE} seconds"})
                await asyncio.wait([answer, self.failed], timeout=max(left, 0), return_when=asyncio.FIRST_COMPLETED)
            if self.fault:
                raise _engine_error(self.fault)
            return answer.result()

    chess.engine.LOGGER.addHandler(logging.NullHandler())  # what an engine writes is not shown as warnings
    return Bounded


@contextlib.contextmanager
def opened_engine(name: str, depth: int) -> Iterator[Engine]:
    """Yield a running engine; whatever error it causes is raised as one sentence.

    Args:
        name: the program, a name or a path.
        depth: the depth of each search.

    Raises:
        SetwiseError: the program is missing, or not an engine, ends or does not answer; python-chess is missing.
    """
    try:
        import chess.engine
    except ImportError:
        raise SetwiseError("engines need python-chess: pip install 'setwise[engine]'") from None
    import shutil

    try:
        path = shutil.which(name) or shutil.which(name, path=_GAMES) or name
        running = chess.engine.SimpleEngine.popen(_protocol(), path, timeout=2 * _START)
    except (chess.engine.EngineError, TimeoutError):
        raise SetwiseError(f"{name} does not answer in the protocol UCI, as engines do") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", error)
        raise SetwiseError(f"the engine {name} cannot be started ({why}): install it, or give its path") from None
    try:
        yield Engine(running, chess.engine.Limit(depth=depth))
        with contextlib.suppress(chess.engine.EngineError, TimeoutError):
            running.quit()
    except chess.engine.EngineError as error:
        raise SetwiseError(f"the engine {name} has failed ({error}): try another depth or another engine") from None
    finally:
        running.close()  # this ends the program if it still runs
        concurrent.futures.wait([running.returncode], 1)


def with_engine(questions: Iterable[tuple[Source, Question]]) -> Iterable[tuple[Source, Question]]:
    """Return questions whose results also have the columns of an engine; for a list of questions, return a list."""
    changed = ((source, _with_engine(question)) for source, question in questions)
    return list(changed) if isinstance(questions, list) else changed


def _with_engine(question: Question) -> Question:
    names = ENGINE_COLUMNS.names
    return question._replace(
        columns=[*(it for it in question.columns if it not in names), *names],
        shown=[*(it for it in question.shown if it not in names), *names],
        schema=pa.schema([*(it for it in question.schema if it.name not in names), *ENGINE_COLUMNS]),
    )


def without_engine_columns(names: Iterable[str] | None) -> list[str] | None:
    """Return names of columns without the columns of an engine, which are added in any case."""
    return None if names is None else [it for it in names if it not in ENGINE_COLUMNS.names]


def best_of(results: Iterator[BatchResult], most: int | None) -> Iterator[BatchResult]:
    """Yield ordered results with only the best matches, so that only these are evaluated; for None, all matches."""
    from setwise.corpus.query.ordering import Best

    best: Best | None = None
    for result in results:
        if most is None or result.question.order is None or result.keys is None:
            yield result
        elif result.matched:
            best = best or Best(result.question.order, most, BatchResult.narrowed)
            best.add(result.keys, result)
            result.batch.forget()
    yield from (result for _, result in best.drawn()) if best is not None else ()


def evaluated(
    results: Iterator[BatchResult], engine: Engine, on_progress: Callable[[], Any] = lambda: None
) -> Iterator[BatchResult]:
    """Yield results, each with the matches of one game and the evaluations of the engine.

    Args:
        results: the matches, with a question that ``with_engine`` returned.
        engine: the running engine.
        on_progress: called after each position.
    """
    for result in results:
        rows = np.arange(result.searched) if result.rows is None else result.rows
        game = result.positions.game[rows]
        for which in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(game)) + 1):
            if len(which):
                yield from _evaluated(result.narrowed(which), engine, on_progress)


def _evaluated(result: BatchResult, engine: Engine, on_progress: Callable[[], Any]) -> Iterator[BatchResult]:
    """Yield the result with the columns of the engine; if the engine fails, yield what it evaluated, then raise."""
    positions, said = result.matches(), []
    try:
        for at in range(result.matched):
            said.append(engine.best(positions[at].to_board()))
            on_progress()
    except BaseException:
        if said:
            yield _with_said(result.narrowed(np.arange(len(said))), said)
        raise
    yield _with_said(result, said)


def _with_said(result: BatchResult, said: list[tuple[int | None, str | None]]) -> BatchResult:
    scores, moves = zip(*said, strict=True)
    values = [pa.chunked_array([pa.array(scores, pa.int32())]), pa.chunked_array([pa.array(moves, pa.string())])]
    return result._replace(beside={**(result.beside or {}), **dict(zip(ENGINE_COLUMNS.names, values, strict=True))})


# ----------------------------------------------------------------------------- find: the matches of a search as a table


def sampled(results: Iterator[BatchResult], count: int | None, seed: int) -> Iterator[BatchResult]:
    """Return the results with ``count`` matches, chosen at random; for None, return all matches."""
    if count is None:
        return results
    lot = Sample(count, seed)
    for result in results:
        lot.add(result)
    return lot.drawn()


def up_to(results: Iterator[BatchResult], limit: int | None) -> Iterator[BatchResult]:
    """Yield the results that have matches, up to ``limit`` matches; nothing is read after that."""
    left = limit
    if left == 0:
        return
    for result in results:
        if result.matched:
            wanted = result.first(left)
            yield wanted
            left = None if left is None else left - wanted.matched
        if left == 0:
            return


def find(
    where: str,
    sources: Sources,
    *,
    columns: str | Iterable[str] | None = None,
    order_by: str | None = None,
    limit: int | None = None,
    per_game: int | None = None,
    player: str | None = None,
    files: Files = (),
    sample: int | None = None,
    seed: int = 0,
    variations: bool = False,
    engine: str | None = None,
    depth: int = 14,
    partial: bool = False,
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
    on_hint: Callable[[str], Any] | None = None,
) -> pa.Table:
    """Return the positions that match a condition, as an Arrow table.

    Args:
        where: SQL over the columns (``setwise.columns()`` lists them) and functions, for example
            ``"own_safe_fork_squares <> 0 and next(is_check)"``.
        sources: one source or several: PGN (paths, folders, patterns of names, bytes, open files, ``"-"``), lists of
            FENs or EPDs, CSV, JSON lines, Parquet and Arrow tables with a column ``fen``, database files of SQLite and
            DuckDB with a column ``fen``, ``pgn`` or ``moves`` (``"games.db#table"`` names one of several tables),
            scans, ``Positions``, ``Position``.
        columns: the columns of the result, or one of them: names, or expressions with a name after ``as``, such as
            ``"own_material - enemy_material as ahead"``; by default the place, the players, the move, the FEN and the
            columns of the condition and of the order.
        order_by: what comes first, expressions with ``desc`` for the largest: ``"bit_count(own_hanging) desc, ply"``.
            Null comes last; equal matches stay in the order of the sources.
        limit: the largest number of rows; reading stops there, unless they are ordered.
        per_game: the largest number of rows of one game: its first ones, or its best ones if they are ordered.
        player: only games in which a player's name contains this text, ignoring case.
        files: the repertoires that ``within`` and ``leaves`` may name: paths of files. A condition reads no other file.
        sample: the number of matches to choose at random, all with the same probability, before they are ordered.
        seed: the seed of ``sample``.
        variations: whether the lines in parentheses of PGN are searched, too, with the columns ``line``, ``depth``,
            ``is_main_line``, ``parent_ply`` and ``last_move``. ``next`` goes forward along the line; ``previous`` goes
            back to the position where the line leaves the game, and from there to the start.
        engine: an engine, such as ``"stockfish"``, that evaluates the rows: the columns ``engine_evaluation``,
            centipawns for White as in ``evaluation``, and ``engine_best``, its best move in SAN. Both are null where
            no move is legal.
        depth: the depth of its searches.
        partial: whether unfinished scans and indexes are read as far as they are, with a warning.
        threads: the number of threads, by default one per processor.
        on_fault: called with a :class:`Fault` for every game that breaks off, and every record that is not a position.
        on_hint: called at the end if nothing matched, with a sentence for each name of a player and each other text
            that the condition names and no game has, and for columns that are null everywhere:
            ``no game of 'pupil2012'; did you mean 'Pupil2012' (438)?``

    Raises:
        QueryError: the condition is not SQL over the columns, a column is unknown, or a source does not have it: a
            list of FENs, for example, has no results of games.
        SourceError: a source is missing, has no known format, or cannot be read.
        SetwiseError: the engine is missing, or ends.
        ValueError: ``limit`` or ``seed`` is negative, or ``threads``, ``per_game``, ``sample`` or ``depth`` less
            than 1.

    Example:
        >>> import setwise
        >>> found = setwise.find("black_pawn_islands = 2", b"1. e4 d5 2. exd5 c6 3. dxc6 *", columns=["ply", "san"])
        >>> found.to_pylist()
        [{'ply': 3, 'san': 'c6'}, {'ply': 4, 'san': 'dxc6'}, {'ply': 5, 'san': None}]
    """
    if are_set():
        return answer_within(find, locals())
    _check_counts(limit=(limit, 0), per_game=(per_game, 1), sample=(sample, 1), seed=(seed, 0), depth=(depth, 1))
    if not isinstance(where, str):
        raise QueryError(f"a condition is a text, such as 'white_passed_pawns <> 0', not {type(where).__name__}")
    names = [columns] if isinstance(columns, str) else columns
    names = names if engine is None else without_engine_columns(names)
    most = limit if sample is None else None
    query = Query(
        where, names, player=player, per_game=per_game, order_by=order_by, most=most, variations=variations, files=files
    )  # fmt: skip
    questions = planned(partially(sources, partial=partial), query)
    if engine is not None:
        questions = with_engine(questions)
    listed = questions if isinstance(questions, list) else []
    tables = [question.schema.empty_table() for _, question in listed]
    whole = [] if (limit, sample, engine) != (None, None, None) else _whole_tables(listed, usable_threads(threads))
    with contextlib.suppress(SourceError):  # where a file was replaced since, the search below reads on or says so
        if whole:
            answer = _joined([table() for table in whole])
            for hint in hints(listed, query) if on_hint is not None and not len(answer) else ():
                on_hint(hint)  # type: ignore[misc]
            return answer

    def read() -> Iterator[BatchResult]:
        for result in search(questions, threads=threads, on_fault=on_fault):
            if not tables:
                tables.append(result.question.schema.empty_table())
            if on_hint is not None:
                query.names.read(result.games)
            yield result

    with ExitStack() as stack:
        results = sampled(read(), sample, seed)
        if engine is not None:
            running = stack.enter_context(opened_engine(engine, depth))
            wanted = up_to(results, limit) if order_by is None else best_of(results, limit)
            results = evaluated(wanted, running)
        matches = [it.table() for it in up_to(results, limit)] if order_by is None else _ordered(results, limit)
    if on_hint is not None and limit != 0 and not sum(map(len, matches)):
        for hint in hints(listed, query):
            on_hint(hint)
    tables = tables or [query.of({}).schema.empty_table()]  # for an iterator without sources
    return _joined([*tables, *matches])


def _whole_tables(questions: list[tuple[Source, Question]], threads: int) -> list[Callable[[], pa.Table]]:
    """Return for each source the function that returns its whole answer; an empty list if a source must be searched."""
    plans = (source.explain(question._replace(threads=threads)) for source, question in questions)
    tables = [plan.table for plan in plans]
    return [table for table in tables if table is not None] if all(tables) else []


def _joined(tables: list[pa.Table]) -> pa.Table:
    joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
    return joined.replace_schema_metadata(MADE_HERE)


def _check_counts(**counts: tuple[int | None, int]) -> None:
    for name, (count, least) in counts.items():
        if count is not None and count < least:
            of = "rows, " if name == "limit" else ""
            raise ValueError(f"{name} is a number of {of}{least} or more, not {count}")


def _ordered(results: Iterator[BatchResult], limit: int | None) -> list[pa.Table]:
    """The rows of the matches, best first, in one table; an empty list if nothing matches."""
    from setwise.corpus.query.ordering import Best

    best: Best | None = None
    for result in results:
        if result.question.order is not None and result.matched:
            if best is None:
                many = sys.maxsize if limit is None else limit
                best = Best(result.question.order, many, lambda table, rows: table.take(pa.array(rows)))
            best.add(result.keys, result.table())
    if best is None or limit == 0:
        return []
    keys, tables = zip(*best.drawn(), strict=True)
    rows = best.ordering.ranked(pa.concat_tables(keys))
    joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
    return [joined.take(pa.array(rows))]


# -------------------------------------------------------------------------------------- compilation in a second process


@contextlib.contextmanager
def compile_in_background(
    where: str, columns: Sequence[str] | None, own: Sequence[str], files: Sequence[str] = ()
) -> Iterator[None]:
    """Compile the code of a search of PGN in another process, while this process compiles the PGN parser.

    Does nothing if the parser is already compiled, or if there is only one processor.

    Args:
        where: the condition.
        columns: the columns of the result; the usual ones if None.
        own: the files and modules of the user's own patterns.
        files: the repertoires that the condition may name.
    """
    if reader.parse.cached() or cache_directory() is None or processors() < 2:
        yield
        return
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    other = context.Process(target=compile_search, args=(where, columns, own, files), daemon=True)
    with without_interrupts():
        other.start()
    try:
        yield
    finally:
        other.terminate()


def compile_search(where: str, columns: Sequence[str] | None, own: Sequence[str], files: Sequence[str] = ()) -> None:
    """Compile what a search needs by searching a game in memory. Errors are left for the search itself to raise."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles interrupts
    with contextlib.suppress(Exception):
        for name in own:
            load(name)
        usual = ["san", "fen"] if columns is None else columns
        find(where, _game().positions(), columns=usual, files=files, threads=1)
        for entry in (value for value in vars(tokens).values() if isinstance(value, Entry)):
            entry.warmup()


def _game() -> Games:
    """A game without moves, built without the PGN parser; every column can be computed for it."""
    rows = np.zeros((1, tokens.GAME_COLUMNS), np.int64)
    rows[0, tokens.BOARD], rows[0, tokens.FAULT] = -1, tokens.NO_FAULT
    spans, boards = np.empty((0, 4), np.int32), np.empty((0, WORDS), np.uint64)
    columns = tokens.ParsedGames(rows, np.empty(0, np.uint16), spans, boards, np.empty((0, 2), np.int32))
    return Games(Block(b"", "<nothing>", 0, 1), columns, first=1)
