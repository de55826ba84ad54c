"""Exercises verified by a chess engine, at a fixed depth."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from setwise.errors import SetwiseError
from setwise.exercises.exercise import Exercise

if TYPE_CHECKING:
    import chess.engine

__all__ = ["LEAST_LOSS", "verified"]

#: The centipawns that an exercise must cost at least, and what evaluations and mates count at most, as on Lichess.
LEAST_LOSS, _CEILING = 100, 1000
#: Where Debian installs engines, which is not in the path of all users.
_GAMES = "/usr/games"
#: So many candidates are evaluated for each exercise that is wanted.
_CANDIDATES = 3


def verified(
    exercises: Sequence[Exercise],
    engine: str,
    depth: int,
    n: int,
    on_progress: Callable[[int, int], Any] = lambda *_: None,
) -> list[Exercise]:
    """Return the exercises that the engine agrees with, those that cost most first; ``loss`` is by the engine.

    The engine agrees if its best move is a pawn better than the move played, and the solution nearly as good as the
    best move: it loses less than half of that pawn.

    Args:
        exercises: the candidates, in the order in which they are tried.
        engine: the program, a name or a path.
        depth: the depth of each search.
        n: how many are wanted; three times as many are tried at most.
        on_progress: called with the number of exercises tried, and of those to try.

    Raises:
        SetwiseError: the program is missing, or not an engine, or ends; python-chess is missing.
    """
    tried = exercises[: _CANDIDATES * n]
    kept = []
    with _opened(engine) as (running, limit):
        for number, exercise in enumerate(tried):
            on_progress(number, len(tried))
            loss = _loss(running, limit(depth=depth), exercise)
            if loss is not None:
                kept.append(exercise._replace(loss=loss))
    return sorted(kept, key=lambda it: -it.cost)[:n]


@contextlib.contextmanager
def _opened(engine: str) -> Iterator[tuple[chess.engine.SimpleEngine, Any]]:
    """Yield the running engine, and python-chess's class of limits; its errors become one sentence."""
    try:
        import chess.engine
    except ImportError:
        raise SetwiseError("engines need python-chess: pip install 'setwise[engine]'") from None
    try:
        path = shutil.which(engine) or shutil.which(engine, path=_GAMES) or engine
        running = chess.engine.SimpleEngine.popen_uci(path)
    except OSError as error:
        raise SetwiseError(
            f"the engine {engine} cannot be started ({error.strerror}): install it, or give its path"
        ) from None
    except (chess.engine.EngineError, TimeoutError):
        raise SetwiseError(f"{engine} does not answer as an engine does, by the protocol UCI") from None
    try:
        yield running, chess.engine.Limit
    except chess.engine.EngineError as error:
        raise SetwiseError(f"the engine {engine} has ended ({error}): try another depth or another engine") from None
    finally:
        with contextlib.suppress(chess.engine.EngineError, TimeoutError):
            running.quit()


def _loss(running: chess.engine.SimpleEngine, limit: chess.engine.Limit, exercise: Exercise) -> int | None:
    """What the move played lost, in centipawns; None if the engine does not agree with the exercise."""
    import chess

    board = chess.Board(exercise.fen)

    def value(*moves: chess.Move) -> int:
        """The evaluation for the mover, of the position, or of the position after a move."""
        score = running.analyse(board, limit, root_moves=list(moves) or None)["score"].pov(board.turn)
        return max(-_CEILING, min(_CEILING, score.score(mate_score=100 * _CEILING)))

    if exercise.played is None:
        return None
    best = value()
    lost, given = best - value(board.parse_san(exercise.played)), best - value(chess.Move.from_uci(exercise.move))
    return lost if lost >= LEAST_LOSS and given < LEAST_LOSS // 2 else None
