"""The tokens of PGN that are no moves: tags, comments, variations, numbers, results; where games begin.

Two rules decide where games begin, and hold everywhere, inside an unclosed comment or variation too, so that one broken
game never swallows the next: a line that starts with ``[Event "``, and a tag line after an empty line.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import subroutine
from setwise.notation.scanning import find

#: Results of games as they are stored.
UNKNOWN, WHITE_WON, BLACK_WON, DRAWN = range(4)
RESULTS = ("*", "1-0", "0-1", "1/2-1/2")

#: What a byte is.
BLANK, DIGIT, LETTER, NOISE = (np.uint8(kind) for kind in (1, 2, 3, 4))
CLASS = np.full(256, NOISE, np.uint8)
CLASS[list(b" \t\r\n\v\f\0")] = BLANK
CLASS[list(b"0123456789")] = DIGIT
CLASS[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] = LETTER

(
    NEWLINE, CARRIAGE_RETURN, SPACE, QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_PARENTHESIS, CLOSE_PARENTHESIS,
    SEMICOLON, DOLLAR, STAR, PERCENT, BRACKET, END_BRACKET, DASH, SLASH, DOT, DIGIT_0, DIGIT_1, DIGIT_2, LOWER_E,
    LOWER_P,
) = (np.uint8(byte) for byte in b'\n\r "\\{}();$*%[]-/.012ep')  # fmt: skip

EVENT = np.frombuffer(b'[Event "', np.uint8).copy()
FEN, VARIANT = np.frombuffer(b"FEN", np.uint8).copy(), np.frombuffer(b"Variant", np.uint8).copy()
#: How values of the tag ``Variant`` begin, in small letters, whose rules are known here.
KNOWN_VARIANTS = tuple(
    np.frombuffer(name, np.uint8).copy()
    for name in (
        b"standard", b"chess", b"normal", b"from position", b"chess960", b"chess 960", b"fischer", b"freestyle", b"?",
    )
)  # fmt: skip


@subroutine
def starts_with(text, at, stop, word):
    """Whether a word stands at a place, and ends before ``stop``."""
    if at + word.size > stop:
        return False
    for k in range(word.size):
        if text[at + k] != word[k]:
            return False
    return True


@subroutine
def is_word(text, start, stop, word):
    """Whether a word stands in a span, and nothing else."""
    return stop - start == word.size and starts_with(text, start, stop, word)


@subroutine
def _lower(byte):
    return byte | np.uint8(32) if CLASS[byte] == LETTER else byte


@subroutine
def _begins_ignoring_case(text, start, stop, word):
    if stop - start < word.size:
        return False
    for k in range(word.size):
        if _lower(text[start + k]) != word[k]:
            return False
    return True


@subroutine
def same_name(text, at, start, stop):
    """Whether the name of the tag here is that of another, whose name has a span."""
    for k in range(stop - start):
        if at + k >= text.size or text[at + k] != text[start + k]:
            return False
    at += stop - start
    return at >= text.size or CLASS[text[at]] != LETTER


@subroutine
def known_variant(text, start, stop):
    """Whether a span, the value of a tag ``Variant``, names rules that are known here."""
    if start == stop:
        return True
    for word in KNOWN_VARIANTS:
        if _begins_ignoring_case(text, start, stop, word):
            return True
    return False


@subroutine
def line_end(text, at):
    """The end of the line that goes on here."""
    return find(text, at, NEWLINE, NEWLINE)


@subroutine
def at_line_start(text, at):
    """Whether nothing but blanks stands before a place in its line."""
    while at > 0 and (text[at - 1] == SPACE or text[at - 1] == CARRIAGE_RETURN):
        at -= 1
    return at == 0 or text[at - 1] == NEWLINE


@subroutine
def game_begins(text, at):
    """Whether a line that starts here opens a game whatever went before: an Event tag, or a tag after an empty line."""
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
def comment_end(text, at):
    """The place of the ``}`` that ends a comment, or of the game that begins before it, or the end of the text."""
    at = find(text, at, CLOSE_BRACE, NEWLINE)
    while at < text.size and text[at] == NEWLINE:
        at += 1
        if at < text.size and game_begins(text, at):
            return at
        at = find(text, at, CLOSE_BRACE, NEWLINE)
    return at


@subroutine
def variation_end(text, at):
    """The place behind the ``)`` that ends a variation opened before ``at``, however deeply others nest in it."""
    depth = 1
    while at < text.size:
        byte = text[at]
        if byte == OPEN_BRACE:
            at = comment_end(text, at + 1)
            if at < text.size and text[at] != CLOSE_BRACE:
                return at, False
        elif byte == SEMICOLON:
            at = line_end(text, at)
        elif byte == OPEN_PARENTHESIS:
            depth += 1
        elif byte == CLOSE_PARENTHESIS:
            depth -= 1
            if depth == 0:
                return at + 1, True
        if at < text.size and text[at] == NEWLINE and at + 1 < text.size and game_begins(text, at + 1):
            return at + 1, False
        at += 1
    return text.size, False


@subroutine
def number_end(text, start):
    """Where the number of a move and its dots end; castling or a result may follow at once (``4.0-0``, ``5.1-0``)."""
    at = start + 1
    while at < text.size and (CLASS[text[at]] == DIGIT or text[at] == DOT):
        at += 1
    glued = at - start > 2 and at < text.size and text[at] == DASH and text[at - 2] == DOT
    return at - glued


@subroutine
def result_at(text, at):
    """The result that stands here and its length; length 0 when there is none."""
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


@subroutine
def tag_at(text, at):
    """The spans of a tag's name and value, and where the line goes on; the last is -1 when the text breaks off."""
    start = at + 1
    stop = start
    while stop < text.size and text[stop] != SPACE and text[stop] != QUOTE and text[stop] != END_BRACKET:
        if text[stop] == NEWLINE:
            return start, stop, stop, stop, stop
        stop += 1
    value = stop
    while value < text.size and text[value] != QUOTE and text[value] != END_BRACKET and text[value] != NEWLINE:
        value += 1
    if value >= text.size:
        return start, stop, value, value, -1
    if text[value] != QUOTE:
        return start, stop, value, value, line_end(text, value)
    end = find(text, value + 1, QUOTE, NEWLINE)
    if end + 1 < text.size and text[end] == QUOTE and text[end + 1] == END_BRACKET and text[end - 1] != BACKSLASH:
        return start, stop, value + 1, end, end + 2
    # A quote inside a value that nobody escaped: the value ends at the last quote before the bracket at the end.
    value += 1
    end, quote = value, -1
    while end < text.size and text[end] != NEWLINE:
        if text[end] == BACKSLASH and end + 1 < text.size and text[end + 1] != NEWLINE:
            end += 2
            continue
        if text[end] == QUOTE:
            quote = end
            after = end + 1
            while after < text.size and (text[after] == SPACE or text[after] == CARRIAGE_RETURN):
                after += 1
            if after < text.size and text[after] == END_BRACKET:
                return start, stop, value, end, after + 1
        end += 1
    if quote < 0:
        return start, stop, value, end, -1 if end >= text.size else end
    return start, stop, value, quote, end
