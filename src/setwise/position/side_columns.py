"""Many positions as one side sees them, and features of that side: methods of ``Positions``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from setwise import features
from setwise.rules import checks
from setwise.system.pool import pooled

if TYPE_CHECKING:
    from setwise.position.positions import Positions

__all__ = ["feature", "seen_by"]


def seen_by(positions: Positions, side: str) -> np.ndarray:
    """Return the ten rows of sets as one side sees them, playing up the board: its own pieces first.

    Args:
        side: ``"white"``, ``"black"``, ``"own"`` (the side to move) or ``"enemy"``.
    """
    if side == "white":
        return positions.sets
    if side not in positions._views:
        positions._views[side] = _flipped(positions) if side == "black" else pooled(positions.sets.shape, np.uint64)
        if side != "black":
            checks.turn_boards(positions._rows, _upright(positions, side), positions._views[side])
    return positions._views[side]


def _flipped(positions: Positions) -> np.ndarray:
    """All boards from Black's side: copied as words of the other byte order, which flips them."""
    flipped = pooled(positions.sets.shape, positions.sets.dtype.newbyteorder())
    flipped[:2], flipped[2:] = positions.sets[1::-1], positions.sets[2:]
    return flipped.view(np.uint64)


def _moves_next(positions: Positions, side: str) -> np.ndarray:
    """Whether a side is to move, for each position."""
    if side in features.COLOURS:
        return positions.white_to_move if side == "white" else ~positions.white_to_move
    return np.full(len(positions), side == "own")


def _upright(positions: Positions, side: str) -> np.ndarray:
    """Whether a side is White, for each position."""
    if side in features.COLOURS:
        return np.full(len(positions), side == "white")
    return positions.white_to_move if side == "own" else ~positions.white_to_move


def _column(definition: features.Feature, arguments: tuple[np.ndarray, ...]) -> np.ndarray:
    """A feature for each position, in pooled memory: pages from the system cost more than a cheap feature."""
    return definition.ufunc(*arguments, pooled(arguments[0].shape, definition.returns.dtype))


def feature(positions: Positions, name: str) -> np.ndarray:
    """Return a feature's column: sets as uint64, counts and filesets as uint8.

    Convert counts by ``astype(int)`` before you subtract them: as uint8, 1 less 3 is 254.

    Args:
        name: ``white_NAME``, ``black_NAME``, ``own_NAME`` (the mover's) or ``enemy_NAME``.

    Raises:
        QueryError: for an unknown name, with the nearest ones.
    """
    definition, side = features.one_sided(name)
    arguments = *map(np.ascontiguousarray, positions.seen_by(side)), _moves_next(positions, side)
    values = _column(definition, arguments)
    if side == "white":
        return values
    flipped = values if definition.on_mirrored is definition else _column(definition.on_mirrored, arguments)
    flipped = flipped.byteswap(inplace=side == "black") if definition.returns.is_set else flipped
    return flipped if side == "black" else np.where(_upright(positions, side), values, flipped)
