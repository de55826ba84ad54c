"""What a chess engine says about positions: the one place that runs engines, and the columns of ``find(engine=…)``."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from setwise.corpus.query.search import BatchResult, Plan
from setwise.errors import SetwiseError

if TYPE_CHECKING:
    import asyncio

    import chess
    import chess.engine

    from setwise.corpus.sources.jobs import Opened

__all__ = [
    "ENGINE_COLUMNS", "MATE_SCORE", "Engine", "best_of", "evaluated", "opened_engine", "with_engine",
    "without_engine_columns",
]  # fmt: skip

#: Where Debian installs engines, which is not in the path of all users.
_GAMES = "/usr/games"
#: What a mate counts in centipawns, as in the column ``evaluation``: a mate in n is this number less n.
MATE_SCORE = 32_000

#: Seconds that an engine may be silent, when it starts and in a search, and bytes that it may write in either.
_START, _SILENCE, _MOST_BYTES = 10, 60, 1 << 24
#: The largest evaluation that is one.
_MOST_CENTIPAWNS = 1_000_000

#: The columns that an engine adds to matches.
ENGINE_COLUMNS = pa.schema([("engine_evaluation", pa.int32()), ("engine_best", pa.string())])


class Engine:
    """A running engine that searches to a fixed depth."""

    def __init__(self, running: chess.engine.SimpleEngine, limit: chess.engine.Limit) -> None:
        self._running, self._limit = running, limit

    def _search(self, board: chess.Board, moves: Sequence[chess.Move] = ()) -> chess.engine.InfoDict:
        found = self._running.analyse(board, self._limit, root_moves=list(moves) or None)
        if "score" not in found:
            raise _engine_error("it gives no evaluation")
        if abs(found["score"].pov(board.turn).score(mate_score=MATE_SCORE)) > _MOST_CENTIPAWNS:
            raise _engine_error(f"it gives an evaluation of more than {_MOST_CENTIPAWNS:,} centipawns")
        return found

    def score(self, board: chess.Board, *moves: chess.Move, mate_score: int = MATE_SCORE) -> int:
        """Return the centipawns for the side to move, of a position or of the best of some moves."""
        return int(self._search(board, moves)["score"].pov(board.turn).score(mate_score=mate_score))

    def best(self, board: chess.Board) -> tuple[int | None, str | None]:
        """Return the centipawns for White and the best move in SAN; neither where there is no move to choose."""
        if not board.is_valid() or not any(board.legal_moves):
            return None, None
        found = self._search(board)
        line = found.get("pv")
        return found["score"].white().score(mate_score=MATE_SCORE), board.san(line[0]) if line else None


def _engine_error(what: str) -> chess.engine.EngineError:
    import chess.engine

    return chess.engine.EngineError(what)


@functools.cache
def _protocol() -> type[chess.engine.UciProtocol]:
    """The protocol UCI of python-chess, with an end to an engine that is silent, and to one that writes for ever."""
    import asyncio

    import chess.engine

    class Bounded(chess.engine.UciProtocol):
        written, heard, fault = 0, 0.0, ""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            self.failed = self.loop.create_future()
            self.loop.set_exception_handler(self.end)  # else asyncio prints what is wrong with a move, and goes on

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
                self.end(self.loop, {"message": f"it wrote more than {_MOST_BYTES >> 20} MB, and no move"})

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
    """Yield a running engine; what goes wrong with it becomes one sentence.

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
        raise SetwiseError(f"{name} does not answer as an engine does, by the protocol UCI") from None
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
        running.close()  # which ends the program, if it still runs
        concurrent.futures.wait([running.returncode], 1)


def with_engine(
    plans: Iterable[tuple[Opened, Plan]],
) -> Iterable[tuple[Opened, Plan]]:
    """Return plans whose results have the columns of an engine, too: a list for a list."""
    changed = ((source, _with_engine(plan)) for source, plan in plans)
    return list(changed) if isinstance(plans, list) else changed


def _with_engine(plan: Plan) -> Plan:
    names = ENGINE_COLUMNS.names
    return plan._replace(
        columns=[*(it for it in plan.columns if it not in names), *names],
        shown=[*(it for it in plan.shown if it not in names), *names],
        schema=pa.schema([*(it for it in plan.schema if it.name not in names), *ENGINE_COLUMNS]),
    )


def without_engine_columns(names: Iterable[str] | None) -> list[str] | None:
    """Return names of columns without those of an engine, which are there anyway."""
    return None if names is None else [it for it in names if it not in ENGINE_COLUMNS.names]


def best_of(results: Iterator[BatchResult], most: int | None) -> Iterator[BatchResult]:
    """Yield ordered results with the best matches alone, so that no others are evaluated; all of them for None."""
    from setwise.corpus.query.ordering import Best

    best: Best | None = None
    for result in results:
        if most is None or result.plan.order is None or result.keys is None:
            yield result
        elif result.matched:
            best = best or Best(result.plan.order, most, BatchResult.narrowed)
            best.add(result.keys, result)
            result.batch.forget()
    yield from (result for _, result in best.drawn()) if best is not None else ()


def evaluated(
    results: Iterator[BatchResult], engine: Engine, on_progress: Callable[[], Any] = lambda: None
) -> Iterator[BatchResult]:
    """Yield results, each with the matches of one game, and with what the engine says about them.

    Args:
        results: the matches, whose plan is one of ``with_engine``.
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
    """The result with the columns of the engine; if the engine ends, the matches evaluated before, then its error."""
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
    return result._replace(beside=dict(zip(ENGINE_COLUMNS.names, values, strict=True)))
