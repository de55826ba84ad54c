"""What is noted beside the moves: clocks, evaluations, glyphs, comments.

A note speaks of the position that its move has made. ``clock``, ``elapsed`` and ``evaluation`` stand beside the
position in which the move was played, so they tell what came of it; ``clock_before`` and ``evaluation_before`` tell
what stood on the clock and on the board when the player thought. Train on the latter. The columns of a side,
``own_clock`` and ``own_evaluation`` among them, speak of the position itself, too.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.corpus.columns.place import chosen
from setwise.corpus.columns.registry import column, games_of, sided_column
from setwise.position.positions import Positions

__all__: list[str] = []

#: Plies between a move and the move before it: of either player, of the same player.
_LAST, _MINE = 1, 2


def _note(positions: Positions, name: str, before: int = 0) -> pa.Array:
    """A note of the move played in each position, or of one so many plies before; null where there is no such move."""
    games = games_of(positions)
    move = games.move_offsets[positions.game] + positions.ply - before
    missing = (positions.ply < before) | (move >= games.move_offsets[positions.game + 1])
    return getattr(games, name)().take(pa.array(move, mask=missing))


def _column(name: str, kind: pa.DataType, method: str, meaning: str, before: int = 0) -> None:
    needs = name.removesuffix("_before")
    column(name, kind, f"{meaning}; null where there is none", needs_notes=True, needs=needs)(
        lambda positions: _note(positions, method, before)
    )


_CENTIPAWNS = "centipawns for White; a mate in n is 32000 - n for White, n - 32000 for Black"
_column("clock", pa.float64(), "clocks", "the seconds on the mover's clock after the move played in this position")
_column(
    "clock_before", pa.float64(), "clocks", "the seconds on the mover's clock in this position, when it thinks", _MINE
)
_column("elapsed", pa.float64(), "elapsed", "the seconds spent on the move played in this position")
_column(
    "evaluation", pa.int32(), "evaluations", f"the evaluation after the move played in this position, {_CENTIPAWNS}"
)
_column("evaluation_before", pa.int32(), "evaluations", f"the evaluation of this position, {_CENTIPAWNS}", _LAST)
_column("nags", pa.list_(pa.uint8()), "nags", "the glyphs of the move, a list of NAGs: 1 to 6 are ! ? !! ?? !? ?!")
_column("comment", pa.string(), "comments", "the comment on the move")


@sided_column(
    "clock",
    pa.float64(),
    "the seconds on the clock of {side} in this position; null where none is told",
    needs_notes=True,
    needs="clock",
)
def _sided_clock(positions: Positions, side: str) -> pa.Array:
    mine, theirs = _note(positions, "clocks", _MINE), _note(positions, "clocks", _LAST)
    here = np.arange(len(positions), dtype=np.int32)
    if side in {"own", "enemy"}:
        return mine if side == "own" else theirs
    return chosen(positions, "own" if side == "white" else "enemy", mine, theirs, here)


@sided_column(
    "evaluation",
    pa.int32(),
    "the evaluation of this position for {side}, centipawns; mate in n is 32000 - n, or n - 32000 for the other side; "
    "null where none is told",
    needs_notes=True,
    needs="evaluation",
)
def _sided_evaluation(positions: Positions, side: str) -> pa.Array:
    white = _note(positions, "evaluations", _LAST)
    return chosen(positions, side, white, pc.negate(white), np.arange(len(positions), dtype=np.int32))
