"""Squares and numbers as bytes, shared by all notations."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Square, routine
from setwise.patterns.bits import EIGHT, SEVEN, THREE, ZERO

__all__ = ["NO_SQUARE", "PIECES", "read_square", "write_number", "write_square"]

#: The letters of pieces by their numbers; a promotion's number is one less than its piece's.
PIECES = np.frombuffer(b".PNBRQK", np.uint8).copy()
NO_SQUARE = np.uint64(64)

_A, _DIGIT_0, _DIGIT_1 = (np.uint64(ord(letter)) for letter in "a01")
_TEN = np.uint64(10)


@routine
def read_square(text: np.ndarray, at: int) -> Square:
    """Return the square that two bytes name, or ``NO_SQUARE``."""
    file, rank = np.uint64(text[at]) - _A, np.uint64(text[at + 1]) - _DIGIT_1
    return rank << THREE | file if file < EIGHT and rank < EIGHT else NO_SQUARE


@routine
def write_square(square: Square, out: np.ndarray, at: int) -> int:
    """Write the name of a square; return where it ends."""
    out[at], out[at + 1] = np.uint8(_A + (square & SEVEN)), np.uint8(_DIGIT_1 + (square >> THREE))
    return at + 2


@routine
def write_number(number: np.uint64, out: np.ndarray, at: int) -> int:
    """Write a number in decimal digits; return where it ends."""
    size, rest = 1, number // _TEN
    while rest != ZERO:
        rest //= _TEN
        size += 1
    for place in range(at + size - 1, at - 1, -1):
        out[place] = np.uint8(_DIGIT_0 + number % _TEN)
        number //= _TEN
    return at + size
