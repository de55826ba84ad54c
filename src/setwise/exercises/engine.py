"""Exercises verified by a chess engine, at a fixed depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from setwise.corpus.query.engines import opened_engine
from setwise.exercises.exercise import Exercise

if TYPE_CHECKING:
    import chess

    from setwise.corpus.query.engines import Engine

__all__ = ["LEAST_LOSS", "verified"]

#: The centipawns that an exercise must cost at least, and what evaluations and mates count at most, as on Lichess.
LEAST_LOSS, _CEILING = 100, 1000
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
    with opened_engine(engine, depth) as running:
        for number, exercise in enumerate(tried):
            on_progress(number, len(tried))
            loss = _loss(running, exercise)
            if loss is not None:
                kept.append(exercise._replace(loss=loss))
    return sorted(kept, key=lambda it: -it.cost)[:n]


def _loss(running: Engine, exercise: Exercise) -> int | None:
    """What the move played lost, in centipawns; None if the engine does not agree with the exercise."""
    import chess

    board = chess.Board(exercise.fen)

    def value(*moves: chess.Move) -> int:
        """The evaluation for the mover, of the position, or of the position after a move."""
        return max(-_CEILING, min(_CEILING, running.score(board, *moves, mate_score=100 * _CEILING)))

    if exercise.played is None:
        return None
    best = value()
    lost, given = best - value(board.parse_san(exercise.played)), best - value(chess.Move.from_uci(exercise.move))
    return lost if lost >= LEAST_LOSS and given < LEAST_LOSS // 2 else None
