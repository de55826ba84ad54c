"""The tokens of PGN: which token begins at a place, where it ends, and where games begin.

Two rules decide where games begin, and hold everywhere, inside an unclosed comment or variation too, so that one broken
game never swallows the next: a line that starts with ``[Event "``, and a tag line after an empty line.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import routine, subroutine
from setwise.notation.characters import (
    AT,
    BLANK,
    BRACKET,
    CARRIAGE_RETURN,
    CLASS,
    CLOSE_BRACE,
    CLOSE_PARENTHESIS,
    DASH,
    DIGIT,
    DIGIT_0,
    DIGIT_1,
    DIGIT_2,
    DOLLAR,
    DOT,
    LESS,
    LETTER,
    LOWER_E,
    LOWER_P,
    NEWLINE,
    OPEN_BRACE,
    OPEN_PARENTHESIS,
    PERCENT,
    QUOTE,
    SEMICOLON,
    SLASH,
    SPACE,
    STAR,
    UPPER_Z,
    word,
)
from setwise.notation.nulls import null_end
from setwise.notation.scanning import find

#: Results of games as they are stored.
UNKNOWN, WHITE_WON, BLACK_WON, DRAWN = range(4)
RESULTS = ("*", "1-0", "0-1", "1/2-1/2")

#: The kinds of tokens. Those from ``TAG`` on begin a game, those from ``COMMENT`` on begin its moves.
(NOISE, REST_OF_LINE, ESCAPED_LINE, NAG, VARIATION, END,
 TAG, RESULT, COMMENT, NUMBER, MOVE, PASS) = (np.uint8(kind) for kind in range(12))  # fmt: skip
_BEGINNINGS = np.full(256, NOISE, np.uint8)
_BEGINNINGS[CLASS == DIGIT], _BEGINNINGS[CLASS == LETTER] = NUMBER, MOVE
for _byte, _kind in (
    (BRACKET, TAG), (STAR, RESULT), (OPEN_BRACE, COMMENT), (SEMICOLON, REST_OF_LINE), (PERCENT, ESCAPED_LINE),
    (OPEN_PARENTHESIS, VARIATION), (DOLLAR, NAG), (DASH, PASS), (UPPER_Z, PASS), (LESS, PASS),
    (AT, PASS),
):  # fmt: skip
    _BEGINNINGS[_byte] = _kind

EVENT = word(b'[Event "')


@routine
def token_at(text: np.ndarray, at: int) -> np.uint8:
    """Return the kind of the token at a place without a blank: ``END`` after the text, ``NOISE`` for a lone sign."""
    if at >= text.size:
        return END
    kind = _BEGINNINGS[text[at]]
    second = text[at + 1] if at + 1 < text.size else SPACE
    if kind == NUMBER:
        if result_at(text, at)[1]:
            return RESULT
        if text[at] == DIGIT_0 and null_end(text, at, text.size) > at:
            return PASS
        zeros = text[at] == DIGIT_0 and second == DASH and at + 2 < text.size and text[at + 2] == DIGIT_0
        return MOVE if zeros else NUMBER  # castling with zeros
    if kind == TAG:
        return TAG if CLASS[second] == LETTER else NOISE
    if kind == ESCAPED_LINE:
        return REST_OF_LINE if at_line_start(text, at) else NOISE
    if kind == PASS and null_end(text, at, text.size) == at:
        is_word = text[at] == UPPER_Z or (text[at] == DASH and second == DASH)
        return MOVE if is_word else NOISE  # refused as a move that cannot be read
    return kind


# --------------------------------------------------------------------------------------------------- words and numbers


@subroutine
def starts_with(text: np.ndarray, at: int, stop: int, word: np.ndarray) -> bool:
    """Whether a word is at a place and ends by ``stop``."""
    if at + word.size > stop:
        return False
    for k in range(word.size):
        if text[at + k] != word[k]:
            return False
    return True


@routine
def blanks_end(text: np.ndarray, at: int) -> int:
    """Return where the next token begins."""
    while at < text.size and CLASS[text[at]] == BLANK:
        at += 1
    return at


@routine
def word_end(text: np.ndarray, at: int) -> int:
    """Return the end of a word that is in the place of a move."""
    while at < text.size and CLASS[text[at]] != BLANK and text[at] != OPEN_BRACE and text[at] != OPEN_PARENTHESIS:
        at += 1
    return at


@routine
def en_passant_end(text: np.ndarray, at: int) -> int:
    """Return the end of ``e.p.`` or ``ep`` if it begins here, else ``at``."""
    if text[at] != LOWER_E or at + 1 >= text.size or (text[at + 1] != DOT and text[at + 1] != LOWER_P):
        return at
    at += 2
    while at < text.size and (text[at] == LOWER_P or text[at] == DOT):
        at += 1
    return at


@routine
def digits_end(text: np.ndarray, at: int) -> int:
    """Return where the digits end."""
    while at < text.size and CLASS[text[at]] == DIGIT:
        at += 1
    return at


@subroutine
def number_end(text: np.ndarray, start: int) -> int:
    """Return the end of a move number and its dots; castling or a result may follow at once (``4.0-0``, ``5.1-0``)."""
    at = start + 1
    while at < text.size and (CLASS[text[at]] == DIGIT or text[at] == DOT):
        at += 1
    glued = at - start > 2 and at < text.size and text[at] == DASH and text[at - 2] == DOT
    return at - glued


@subroutine
def result_at(text: np.ndarray, at: int) -> tuple[int, int]:
    """Return the result at this place and its length; length 0 if there is none."""
    byte, rest = text[at], text.size - at
    if byte == STAR:
        return UNKNOWN, 1
    if rest >= 3 and text[at + 1] == DASH:
        if byte == DIGIT_1 and text[at + 2] == DIGIT_0:
            return WHITE_WON, 3
        if byte == DIGIT_0 and text[at + 2] == DIGIT_1:
            return BLACK_WON, 3
    if rest >= 3 and byte == DIGIT_1 and text[at + 1] == SLASH and text[at + 2] == DIGIT_2:
        long = rest >= 7 and text[at + 3] == DASH and text[at + 4] == DIGIT_1 and text[at + 5] == SLASH
        return DRAWN, 7 if long and text[at + 6] == DIGIT_2 else 3
    return UNKNOWN, 0


# -------------------------------------------------------------------------------------------- lines, games, nesting


@subroutine
def line_end(text: np.ndarray, at: int) -> int:
    """Return the end of the line that contains this place."""
    return find(text, at, NEWLINE, NEWLINE)


@subroutine
def at_line_start(text: np.ndarray, at: int) -> bool:
    """Whether only blanks precede a place in its line."""
    while at > 0 and CLASS[text[at - 1]] == BLANK and text[at - 1] != NEWLINE:
        at -= 1
    return at == 0 or text[at - 1] == NEWLINE


@subroutine
def game_begins(text: np.ndarray, at: int) -> bool:
    """Whether a line begins a game regardless of what precedes it: an Event tag, or a tag after an empty line."""
    if text[at] != BRACKET or at + 1 >= text.size or CLASS[text[at + 1]] != LETTER:
        return False
    if starts_with(text, at, text.size, EVENT):
        return True
    before = at - 1
    while before >= 0 and text[before] == CARRIAGE_RETURN:
        before -= 1
    if before < 0 or text[before] != NEWLINE:
        return False
    before -= 1
    while before >= 0 and text[before] == CARRIAGE_RETURN:
        before -= 1
    if before >= 0 and text[before] != NEWLINE:
        return False
    quote = at + 1
    while quote < text.size and CLASS[text[quote]] == LETTER:
        quote += 1
    return quote + 1 < text.size and text[quote] == SPACE and text[quote + 1] == QUOTE


@subroutine
def comment_end(text: np.ndarray, at: int) -> tuple[int, bool]:
    """Return the place after a comment's ``}``, and True; else where a game begins before it, or the text ends."""
    while True:
        at = find(text, at, CLOSE_BRACE, NEWLINE)
        if at >= text.size:
            return text.size, False
        at += 1
        if text[at - 1] == CLOSE_BRACE:
            return at, True
        if at < text.size and game_begins(text, at):
            return at, False


@subroutine
def variation_end(text: np.ndarray, at: int) -> tuple[int, bool]:
    """Return the same for the ``)`` of a variation opened before ``at``; nested variations are part of it."""
    depth = 1
    while at < text.size:
        byte = text[at]
        at += 1
        if byte == OPEN_BRACE:
            at, closed = comment_end(text, at)
            if not closed:
                return at, False
        elif byte == SEMICOLON:
            at = line_end(text, at)
        elif byte == OPEN_PARENTHESIS:
            depth += 1
        elif byte == CLOSE_PARENTHESIS:
            depth -= 1
            if depth == 0:
                return at, True
        elif byte == NEWLINE and at < text.size and game_begins(text, at):
            return at, False
    return text.size, False
