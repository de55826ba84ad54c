"""Texts in compiled code: letters of UTF-8 and Windows-1252, squares, numbers, 64 bytes at a time."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Square, routine, subroutine, trailing_zeros
from setwise.compiler.kinds import reads, uint8
from setwise.compiler.words import LINE, places_at
from setwise.patterns.bits import EIGHT, EMPTY, SEVEN, THREE, ZERO, as_int

# -------------------------------------------------------------------------------------------------- characters of files


#: The most bytes of UTF-8 that one byte of a file becomes.
MOST_BYTES = 3


@routine
def letter_at(text: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """Return the code point and the length in bytes of the UTF-8 character here; length 0 if it is not well-formed.

    A well-formed character has its shortest encoding, is not a surrogate, and is not above U+10FFFF.
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


#: The characters of the bytes from 0x80 to 0x9F in Windows-1252, which is what is called Latin-1.
_WINDOWS = {byte: ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte)) for byte in range(0x80, 0xA0)}
WINDOWS_CODES = np.array([*range(0x80), *_WINDOWS.values(), *range(0xA0, 0x100)], np.int64)


@routine
def write_byte(byte: np.uint8, latin: bool, out: np.ndarray, at: int) -> int:
    """Write a byte of UTF-8, or of Windows-1252, whose bytes from 0x80 become two or three; return where it ends."""
    if not latin or byte < 0x80:
        out[at] = byte
        return at + 1
    code = WINDOWS_CODES[byte]
    if code < 0x800:
        out[at], out[at + 1] = np.uint8(0xC0 | code >> 6), np.uint8(0x80 | code & 0x3F)
        return at + 2
    out[at], out[at + 1] = np.uint8(0xE0 | code >> 12), np.uint8(0x80 | code >> 6 & 0x3F)
    out[at + 2] = np.uint8(0x80 | code & 0x3F)
    return at + 3


def decoded(raw: bytes) -> str:
    r"""Return bytes as text: in UTF-8, or where they are not, in Windows-1252.

    Example:
        >>> decoded("naïve".encode()), decoded(b"na\xefve \x93\x81\x94")
        ('naïve', 'naïve “\x81”')
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1").translate(_WINDOWS)


# --------------------------------------------------------------------------------- the bytes that notations are made of


(NEWLINE, CARRIAGE_RETURN, TAB, SPACE, QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_PARENTHESIS, CLOSE_PARENTHESIS,
 BRACKET, END_BRACKET) = (np.uint8(byte) for byte in b'\n\r\t "\\{}()[]')  # fmt: skip
SEMICOLON, COLON, COMMA, DOT, DOLLAR, STAR, PERCENT, HASH = (np.uint8(byte) for byte in b";:,.$*%#")
PLUS, DASH, SLASH, EQUALS, GOOD, BAD, LESS, GREATER, AT = (np.uint8(byte) for byte in b"+-/=!?<>@")
DIGIT_0, DIGIT_1, DIGIT_2, DIGIT_9 = (np.uint8(byte) for byte in b"0129")
UPPER_A, UPPER_M, UPPER_O, UPPER_Z = (np.uint8(byte) for byte in b"AMOZ")
(LOWER_A, LOWER_B, LOWER_D, LOWER_E, LOWER_L, LOWER_M, LOWER_N, LOWER_O, LOWER_P, LOWER_S, LOWER_T, LOWER_V, LOWER_W,
 LOWER_X, LOWER_Z) = (np.uint8(byte) for byte in b"abdelmnopstvwxz")  # fmt: skip

#: The class of a byte. PGN does not allow control characters; if they occur, they separate words, as blanks do.
BLANK, DIGIT, LETTER, OTHER = (np.uint8(kind) for kind in (1, 2, 3, 4))
BLANKS = bytes([*range(SPACE + 1), 127])
CLASS = np.full(256, OTHER, np.uint8)
CLASS[list(BLANKS)] = BLANK
CLASS[list(b"0123456789")] = DIGIT
CLASS[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] = LETTER


def word(text: bytes) -> np.ndarray:
    """Return bytes in the form in which compiled code compares them."""
    return np.frombuffer(text, np.uint8).copy()


# -------------------------------------------------------------------------- eight or sixty-four bytes of a text at once


#: The type of texts: read-only bytes. A kernel must not read beyond these bytes, because there is no padding.
TEXT = reads(uint8)

_EACH = np.uint64(0x0101_0101_0101_0101)
_HIGH, _LOW = _EACH << np.uint64(7), _EACH * np.uint64(0x7F)
_ABOVE_BLANKS, _ZEROS, _UP_TO_NINE = _EACH * np.uint64(0x21), _EACH * np.uint64(ord("0")), _EACH * np.uint64(0x80 - 10)


@routine
def find(text: np.ndarray, at: int, byte: np.uint8, other: np.uint8) -> int:
    """Return where the next of two bytes is, or the end of the text."""
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


# --------------------------------------------- the words for a null move, which passes the turn: --, Z0, <>, 0000, @@@@


#: Bytes that end a word.
_ENDS = np.zeros(256, np.bool_)
_ENDS[list(BLANKS + b"+#!?$;{()")] = True


@subroutine
def null_end(text: np.ndarray, at: int, stop: int) -> int:
    """Return where a null move at this place ends; ``at`` itself if there is none."""
    if at + 2 > stop:
        return at
    first, second, end = text[at], text[at + 1], at
    two = first == DASH and second == DASH
    if two or (first == UPPER_Z and second == DIGIT_0) or (first == LESS and second == GREATER):
        end = at + 2
    elif at + 4 <= stop and (first == DIGIT_0 or first == AT):
        end = at + 4 if second == first and text[at + 2] == first and text[at + 3] == first else at
    return end if end == stop or _ENDS[text[end]] else at


# ---------------------------------------------------------------- squares and numbers as bytes, shared by all notations


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
