"""Which piece stands where: three sets hold the bits of the number of every square's piece."""

from __future__ import annotations

from setwise.compiler import routine
from setwise.patterns.bits import ONE, TWO

__all__ = ["piece_bits", "piece_on"]


@routine
def piece_bits(board):
    """Three sets whose bits make a piece's number: pawn 1, knight 2, bishop 3, rook 4, queen 5, king 6."""
    return (
        board.pawns | board.bishops | board.queens,
        board.knights | board.bishops | board.kings,
        board.rooks | board.queens | board.kings,
    )


@routine
def piece_on(bits, square):
    """The number of the piece on a square, 0 when it is empty."""
    low, middle, high = bits
    return low >> square & ONE | (middle >> square & ONE) << ONE | (high >> square & ONE) << TWO
