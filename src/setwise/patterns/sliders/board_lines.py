"""The rank, the file and the two diagonals through each square."""

from __future__ import annotations

import numpy as np

from setwise.patterns.bits import EMPTY
from setwise.patterns.geometry import SQUARES, walk

__all__ = ["ANTIDIAGONALS", "BISHOP_LINES", "DIAGONALS", "FILE_LINES", "KING_BITS", "RANK_LINES", "ROOK_LINES"]


def _lines(files: int, ranks: int) -> np.ndarray:
    """The line through each square that runs in a direction and the opposite one, without the square."""
    squares = np.arange(64)
    return walk(squares, EMPTY, (files, ranks)) | walk(squares, EMPTY, (-files, -ranks))


#: The rank of each square, without the square.
RANK_LINES = _lines(1, 0)

#: The file of each square, without the square.
FILE_LINES = _lines(0, 1)

#: The diagonal of each square, parallel to a1–h8, without the square.
DIAGONALS = _lines(1, 1)

#: The antidiagonal of each square, parallel to h1–a8, without the square.
ANTIDIAGONALS = _lines(1, -1)

#: The rank and file of each square, without the square: what a rook attacks on the empty board.
ROOK_LINES = RANK_LINES | FILE_LINES

#: The two diagonals of each square, without the square: what a bishop attacks on the empty board.
BISHOP_LINES = DIAGONALS | ANTIDIAGONALS

#: The rank, file, diagonal and antidiagonal of each square, the square included: [4, 64]. A pattern of king and escapes
#: lies on one line where ``pattern & KING_BITS[line, square] == pattern``.
KING_BITS = np.stack([RANK_LINES, FILE_LINES, DIAGONALS, ANTIDIAGONALS]) | SQUARES
