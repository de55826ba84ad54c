"""What is noted beside the moves: clocks, evaluations, glyphs, comments.

A note speaks of the position that its move has made. ``clock``, ``elapsed`` and ``evaluation`` stand beside the
position in which the move was played, so they tell what came of it; ``clock_before`` and ``evaluation_before`` tell
what stood on the clock and on the board when the player thought. Train on the latter. The columns of a side,
``own_clock`` and ``own_evaluation`` among them, speak of the position itself, too. ``loss`` and ``win_chance`` are what
Lichess makes of evaluations.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.corpus.columns.domains import Domain, between
from setwise.corpus.columns.registry import chosen, column, games_of, sided_column
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


def _column(
    name: str, kind: pa.DataType, method: str, meaning: str, before: int = 0, domain: Domain | None = None
) -> None:
    needs = name.removesuffix("_before")
    column(name, kind, f"{meaning}; null where there is none", needs_notes=True, needs=needs, domain=domain)(
        lambda positions: _note(positions, method, before)
    )


_CENTIPAWNS = "centipawns for White; a mate in n is 32000 - n for White, n - 32000 for Black"
_SECONDS = between(0)
_column(
    "clock",
    pa.float64(),
    "clocks",
    "the seconds on the mover's clock after the move played in this position",
    domain=_SECONDS,
)
_column(
    "clock_before",
    pa.float64(),
    "clocks",
    "the seconds on the mover's clock in this position, when it thinks",
    _MINE,
    _SECONDS,
)
_column("elapsed", pa.float64(), "elapsed", "the seconds spent on the move played in this position", domain=_SECONDS)
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
    domain=_SECONDS,
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


# ---------------------------------------------------------------------------------------------- as Lichess counts them

#: Lichess takes no evaluation for more than so many centipawns, and a mate for as many.
_CEILING = 1000
#: How fast the chance to win grows with the evaluation; Lichess fitted it to its games of players rated 2300.
_SLOPE = 0.00368208


def _capped(positions: Positions, before: int = 0) -> pa.Array:
    """The evaluation for White after the move played in each position, or of the position itself, at most 1,000."""
    values = _note(positions, "evaluations", before)
    return pc.min_element_wise(
        pc.max_element_wise(values, -_CEILING, skip_nulls=False), _CEILING, skip_nulls=False
    ).cast(pa.int32())


@column(
    "loss",
    pa.int16(),
    "the centipawns that the move played lost for the mover, 0 or more; as for Lichess, evaluations and mates count as "
    "1000 at most; null where the evaluation before or after the move is missing",
    needs_notes=True,
    needs="evaluation",
    domain=between(0, 2 * _CEILING),
)
def _loss(positions: Positions) -> pa.Array:
    gained = pc.subtract(_capped(positions), _capped(positions, _LAST))
    for_mover = pc.if_else(pa.array(positions.white_to_move), gained, pc.negate(gained))
    return pc.max_element_wise(pc.negate(for_mover), 0, skip_nulls=False).cast(pa.int16())


def _chance(white: pa.Array) -> pa.Array:
    """White's chance to win by Lichess's curve, 0 to 1; null for null."""
    return pc.divide(1.0, pc.add(1.0, pc.exp(pc.multiply(-_SLOPE, white.cast(pa.float64())))))


#: The least and the greatest chance.
_SHARE = between(0, 1)


@sided_column(
    "win_chance",
    pa.float64(),
    "the chance of {side} to win from this position, 0 to 1, by Lichess's curve, 1 / (1 + exp(-0.00368208 cp)), "
    "where evaluations and mates count as 1000 at most; null where no evaluation is noted",
    needs_notes=True,
    needs="evaluation",
    domain=_SHARE,
)
def _sided_win_chance(positions: Positions, side: str) -> pa.Array:
    white = _capped(positions, _LAST)
    return chosen(positions, side, _chance(white), _chance(pc.negate(white)), np.arange(len(positions), dtype=np.int32))


@column(
    "win_chance",
    pa.float64(),
    "the chance of the side to move to win from this position, as own_win_chance",
    needs_notes=True,
    needs="evaluation",
    domain=_SHARE,
)
def _win_chance(positions: Positions) -> pa.Array:
    return _sided_win_chance(positions, "own")
