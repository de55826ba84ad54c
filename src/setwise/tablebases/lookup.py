"""The values of many positions, read from the tables of a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from setwise.patterns import king
from setwise.tablebases.files import table
from setwise.tablebases.materials import Piece, sorted_material
from setwise.tablebases.solving import DRAWN, ILLEGAL
from setwise.tablebases.symmetry import places

__all__ = ["values_of"]

_ONE = np.uint64(1)


def _lowest(words: np.ndarray) -> np.ndarray:
    """The lowest square of each set."""
    return np.bitwise_count((words & -words) - _ONE).astype(np.intp)


def values_of(
    folder: Path, white: np.ndarray, black: np.ndarray, kings: np.ndarray, kinds: list[np.ndarray],
    white_to_move: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return the values of positions of up to four pieces without castling and en passant: see ``solving``.

    Args:
        folder: the folder of the tables.
        white: White's pieces, a set a position.
        black: Black's pieces.
        kings: the kings.
        kinds: the pawns, knights, bishops, rooks and queens of both sides.
        white_to_move: whether White moves next.

    Raises:
        SourceError: if a table is missing or damaged.
    """
    out = np.empty(len(white), np.uint8)
    sides = white, black
    parts = [(Piece(kind, side), sets & sides[side]) for kind, sets in enumerate(kinds, 1) for side in (0, 1)]
    counts = np.stack([np.bitwise_count(sets) for _, sets in parts])
    for of_material in np.unique(counts, axis=1).T:
        rows = np.flatnonzero((counts == of_material[:, None]).all(axis=0))
        pieces, squares = list[Piece](), list[np.ndarray]()
        for (piece, sets), count in zip(parts, of_material, strict=True):
            left = sets[rows]
            for _ in range(count):
                pieces.append(piece)
                squares.append(_lowest(left))
                left = left & left - _ONE
        if not pieces:
            are_apart = king.attacks(kings[rows] & white[rows]) & black[rows] == 0
            out[rows] = np.where(are_apart, DRAWN, ILLEGAL)
            continue
        material, order, are_exchanged = sorted_material(tuple(pieces))
        is_white = white_to_move[rows]
        mirror = np.where(is_white, 0, 56)
        both = [_lowest(kings[rows] & side[rows]) ^ mirror for side in sides]
        own_kings, enemy_kings = np.where(is_white, both, both[::-1])
        views = (~is_white ^ are_exchanged).astype(np.intp)
        others = [enemy_kings, *(squares[k] ^ mirror for k in order)]
        out[rows] = table(folder, material)[places(material, views, own_kings, others)]
    return out
