"""Characters of files: UTF-8, or Latin-1 where bytes are not UTF-8, as in old files; written as UTF-8."""

from __future__ import annotations

import numpy as np

from setwise.compiler import routine, subroutine
from setwise.patterns.bits import as_int

__all__ = ["MOST_BYTES", "is_utf8", "letter_at", "write_byte"]

#: How many bytes of UTF-8 one byte of a file may become.
MOST_BYTES = 2


@routine
def letter_at(text: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """Return the code point and the length in bytes of the UTF-8 character here; length 0 if it is not well-formed.

    A well-formed character has its shortest form, is not a surrogate, and is not above U+10FFFF.
    """
    byte = as_int(text[at])
    length = 1 if byte < 0x80 else 2 if byte >> 5 == 6 else 3 if byte >> 4 == 14 else 4 if byte >> 3 == 30 else 0
    if length == 0 or at + length > stop:
        return byte, 0
    code = byte if length == 1 else byte & (0xFF >> (length + 1))
    for k in range(1, length):
        tail = as_int(text[at + k])
        if tail >> 6 != 2:
            return byte, 0
        code = code << 6 | tail & 0x3F
    shortest = (0, 0, 0x80, 0x800, 0x10000)[length]
    if code < shortest or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return byte, 0
    return code, length


@subroutine
def is_utf8(text: np.ndarray, start: int, stop: int) -> bool:
    """Whether bytes are well-formed UTF-8."""
    at = start
    while at < stop:
        _, length = letter_at(text, at, stop)
        if length == 0:
            return False
        at += length
    return True


@routine
def write_byte(byte: np.uint8, latin: bool, out: np.ndarray, at: int) -> int:
    """Write a byte of UTF-8, or of Latin-1, where 0x80 and above become two bytes; return where it ends."""
    if latin and byte >= 0x80:
        out[at], out[at + 1] = 0xC0 | byte >> 6, 0x80 | byte & 0x3F
        return at + 2
    out[at] = byte
    return at + 1
