"""The pieces by number, and the piece on a square: three sets hold the bits of the number of every square's piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from setwise.compiler import Set, Square, routine
from setwise.patterns.bits import ONE, TWO

if TYPE_CHECKING:
    from setwise.rules.board import Board

__all__ = ["BISHOP", "KING", "KNIGHT", "PAWN", "QUEEN", "ROOK", "piece_bits", "piece_on"]

#: The pieces by their usual numbers; 0 is none.
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = (np.uint64(piece) for piece in range(1, 7))


@routine
def piece_bits(board: Board) -> tuple[Set, Set, Set]:
    """Three sets whose bits make a piece's number."""
    return (
        board.pawns | board.bishops | board.queens,
        board.knights | board.bishops | board.kings,
        board.rooks | board.queens | board.kings,
    )


@routine
def piece_on(bits: tuple[Set, Set, Set], square: Square) -> np.uint64:
    """The number of the piece on a square, 0 when it is empty."""
    low, middle, high = bits
    return np.uint64(low >> square & ONE | (middle >> square & ONE) << ONE | (high >> square & ONE) << TWO)
