"""Eight or sixty-four bytes of a text at once: where a word begins and ends, where a byte occurs next."""

from __future__ import annotations

import numpy as np

from setwise.compiler import routine, trailing_zeros
from setwise.compiler.memory import LINE, places_at
from setwise.compiler.signatures import reads, uint8
from setwise.patterns.bits import EMPTY, as_int

__all__ = ["TEXT", "blanks_in", "find", "others_than_digits"]

#: The type of texts: read-only bytes. A kernel reads these bytes and none beyond them: there is no padding.
TEXT = reads(uint8)

_EACH = np.uint64(0x0101_0101_0101_0101)
_HIGH, _LOW = _EACH << np.uint64(7), _EACH * np.uint64(0x7F)
_ABOVE_BLANKS, _ZEROS, _UP_TO_NINE = _EACH * np.uint64(0x21), _EACH * np.uint64(ord("0")), _EACH * np.uint64(0x80 - 10)


@routine
def find(text: np.ndarray, at: int, byte: np.uint8, other: np.uint8) -> int:
    """Return the next place of either of two bytes, or the end of the text."""
    while at + LINE <= text.size:
        places = places_at(text, at, byte) | places_at(text, at, other)
        if places != EMPTY:
            return at + as_int(trailing_zeros(places))
        at += LINE
    while at < text.size and text[at] != byte and text[at] != other:
        at += 1
    return at


@routine
def blanks_in(word: np.uint64) -> np.uint64:
    """Mark each blank or other control character by its high bit; bits above the first mark may be wrong."""
    return (word - _ABOVE_BLANKS) & ~word & _HIGH


@routine
def others_than_digits(word: np.uint64) -> np.uint64:
    """Mark each byte that is not a digit by its high bit."""
    digits = word ^ _ZEROS
    return ((digits & _LOW) + _UP_TO_NINE | digits) & _HIGH
