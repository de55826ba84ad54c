"""The first field of a FEN, read without a branch for each letter."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import byteswap, routine, scratch
from setwise.compiler.memory import clear_line, places_in
from setwise.compiler.signatures import uint8
from setwise.patterns.bits import EMPTY, ONE, ZERO, as_int

__all__ = ["read_pieces"]

_WHITE, _BLACK = np.frombuffer(b"PNBRQK", np.uint8).copy(), np.frombuffer(b"pnbrqk", np.uint8).copy()

#: For each byte: bits 0 to 3, the squares to advance; bit 4, a digit; bit 5, the end of a rank; bit 6, another byte.
_ENDS_RANK, _NO_PIECE = np.uint8(32), np.uint8(64)
_STEPS = np.full(256, _NO_PIECE, np.uint8)
_STEPS[_WHITE] = _STEPS[_BLACK] = 1
_STEPS[list(b"12345678")] = np.arange(17, 25)
_STEPS[ord("/")] = _ENDS_RANK
_SQUARES, _RANKS, _NEVER_TWICE = np.uint64(15), np.uint64(5), np.uint64(16 | 32)

_SIXTY_THREE, _WHOLE_BOARD, _ENDS_OF_RANKS = np.uint64(63), np.uint64(64), np.uint64(0x0101_0101_0101_0100)
_letters = scratch(64)


@routine
def read_pieces(text: np.ndarray, at: int, stop: int, sets: Any) -> tuple[bool, int]:
    """Sort pieces into eight sets up to the first other byte; return whether they form a board, and that byte's place.

    The letters of a FEN are unpredictable, and a mispredicted branch costs more than all these lines, so no branch
    depends on a letter. Each letter is written to its square, in the order of the text from a8 to h1; then all squares
    are compared at once. Digits and slashes are written too; the next piece overwrites them, or they are ignored.
    """
    letters = _letters(uint8)
    clear_line(letters)
    place, last = np.uint64(at), np.uint64(stop)
    square = ends = twice = before = ZERO
    while place < last:
        letter = text[place]
        if _STEPS[letter] == _NO_PIECE:
            break
        step = np.uint64(_STEPS[letter])
        letters[square & _SIXTY_THREE] = letter
        ends |= (step >> _RANKS) << (square & _SIXTY_THREE)
        twice |= before & step
        before = step
        square += step & _SQUARES
        place += ONE
    white = black = EMPTY
    for piece in range(_WHITE.size):
        white_pieces, black_pieces = places_in(letters, _WHITE[piece]), places_in(letters, _BLACK[piece])
        white |= white_pieces
        black |= black_pieces
        sets[piece + 2] = byteswap(white_pieces | black_pieces)
    sets[0], sets[1] = byteswap(white), byteswap(black)
    return square == _WHOLE_BOARD and ends == _ENDS_OF_RANKS and twice & _NEVER_TWICE == ZERO, as_int(place)
