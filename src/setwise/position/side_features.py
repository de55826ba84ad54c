"""Features of one side: methods of ``Position``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setwise.bitboard import Bitboard
from setwise.features import COLOURS, FEATURES, one_sided
from setwise.position.fields import TURN, flipped, flipped_sets, sets_of

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = ["feature", "features"]


def feature(position: Position, name: str) -> Bitboard | int | bool:
    """Return a feature of one side; a set is a ``Bitboard``.

    Args:
        name: ``white_NAME``, ``black_NAME``, ``own_NAME`` (of the side to move) or ``enemy_NAME``.

    Raises:
        QueryError: for an unknown name, with the nearest ones.

    Example:
        >>> from setwise import Position
        >>> Position("r3k2q/8/8/3N4/8/8/8/4K3 w - - 0 1").feature("white_fork_squares")
        Bitboard('c7')
    """
    definition, side = one_sided(name)
    state = position._state
    white_to_move = state[TURN] == 1
    if side == "white" or (side != "black" and (side == "own") == white_to_move):
        return definition.raw(*sets_of(state), white_to_move)
    value = definition.on_mirrored.raw(*flipped_sets(state), not white_to_move)
    return flipped(value) if isinstance(value, Bitboard) else value


def features(position: Position) -> dict[str, Bitboard | int | bool]:
    """Return every feature of both sides by the names of their columns."""
    return {f"{side}_{name}": position.feature(f"{side}_{name}") for name in FEATURES for side in COLOURS}
