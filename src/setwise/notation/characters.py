"""The bytes that notations are made of, by their names, and what kind each of the 256 is."""

from __future__ import annotations

import numpy as np

(NEWLINE, CARRIAGE_RETURN, TAB, SPACE, QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_PARENTHESIS, CLOSE_PARENTHESIS,
 BRACKET, END_BRACKET) = (np.uint8(byte) for byte in b'\n\r\t "\\{}()[]')  # fmt: skip
SEMICOLON, COLON, COMMA, DOT, DOLLAR, STAR, PERCENT, HASH = (np.uint8(byte) for byte in b";:,.$*%#")
PLUS, DASH, SLASH, EQUALS, GOOD, BAD, LESS, GREATER, AT = (np.uint8(byte) for byte in b"+-/=!?<>@")
DIGIT_0, DIGIT_1, DIGIT_2, DIGIT_9 = (np.uint8(byte) for byte in b"0129")
UPPER_A, UPPER_O, UPPER_Z, LOWER_A, LOWER_B, LOWER_E, LOWER_O, LOWER_P, LOWER_X, LOWER_Z = (
    np.uint8(byte) for byte in b"AOZabeopxz"
)

#: The class of a byte. PGN does not allow control characters; where they occur, they separate words, as blanks do.
BLANK, DIGIT, LETTER, OTHER = (np.uint8(kind) for kind in (1, 2, 3, 4))
BLANKS = bytes([*range(SPACE + 1), 127])
CLASS = np.full(256, OTHER, np.uint8)
CLASS[list(BLANKS)] = BLANK
CLASS[list(b"0123456789")] = DIGIT
CLASS[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] = LETTER


def word(text: bytes) -> np.ndarray:
    """Return bytes as compiled code compares them."""
    return np.frombuffer(text, np.uint8).copy()
