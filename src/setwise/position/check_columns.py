"""Checks and mates of many positions: methods of ``Positions``."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from setwise.position import mates

if TYPE_CHECKING:
    import pyarrow as pa

    from setwise.position.positions import Positions

__all__ = ["is_check", "is_checkmate", "is_stalemate", "mate_pattern", "mate_patterns"]


def is_check(positions: Positions) -> np.ndarray:
    """Return whether the side to move is in check, bool."""
    return positions._checks


def is_checkmate(positions: Positions) -> np.ndarray:
    """Return whether the side to move is mated, bool: moves are counted only where there is a check."""
    mates = positions.is_check().copy()
    rows = np.flatnonzero(mates)
    mates[rows] = cast("Positions", positions[rows]).legal_move_counts() == 0
    return mates


def is_stalemate(positions: Positions) -> np.ndarray:
    """Return whether the side to move has no legal move and is not in check, bool."""
    counts, checks = positions._moves_and_checks
    return ~checks & (counts == 0)


def mate_pattern(positions: Positions) -> pa.DictionaryArray:
    """Return the most particular name of each mate, as ``Position.mate_pattern`` does; null where there is none.

    Example:
        >>> from setwise import Positions
        >>> Positions.from_fens(["6rk/5Npp/8/8/8/8/8/6K1 b", "8/8/8/8/8/8/8/k1K5 b"]).mate_pattern().to_pylist()
        ['smothered', None]
    """
    return mates.first_names(positions._rows, positions.white_to_move, positions.is_checkmate())


def mate_patterns(positions: Positions) -> pa.ListArray:
    """Return all names of each mate, the most particular first; null where there is no mate.

    Example:
        >>> from setwise import Positions
        >>> Positions.from_fens(["1R4k1/R7/8/8/8/8/8/6K1 b", "8/8/8/8/8/8/8/k1K5 b"]).mate_patterns().to_pylist()
        [['two_rooks', 'ladder', 'corridor'], None]
    """
    return mates.all_names(positions._rows, positions.white_to_move, positions.is_checkmate())
