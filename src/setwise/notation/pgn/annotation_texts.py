"""The texts between the moves of games: annotations as they stand, without the moves and their numbers."""

from __future__ import annotations

import numpy as np

from setwise.compiler import entry, routine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import int64, reads, uint8, void, writes
from setwise.notation.characters import (
    BAD,
    BLANK,
    CLASS,
    DIGIT,
    DOLLAR,
    DOT,
    GOOD,
    LETTER,
    NEWLINE,
    PERCENT,
    SEMICOLON,
    SPACE,
)
from setwise.notation.pgn.parentheses import word_end
from setwise.notation.scanning import TEXT
from setwise.patterns.bits import as_int

__all__ = ["annotation_texts"]


@routine
def _begins_after(text: np.ndarray, start: int, stop: int) -> int:
    """Return where the annotations of the move at ``start`` begin: behind its letters, before ``!`` and ``?``."""
    end, at = min(word_end(text, start), stop), start
    while at < end and text[at] != GOOD and text[at] != BAD:
        at += 1
    return at


@routine
def _holds_lines(text: np.ndarray, start: int, stop: int) -> bool:
    """Whether a text may have a comment to the end of its line, or a line that is left out: its lines are kept then."""
    for at in range(start, stop):
        if text[at] == SEMICOLON or (text[at] == PERCENT and at > 0 and text[at - 1] == NEWLINE):
            return True
    return False


@routine
def _blanks_begin(text: np.ndarray, start: int, stop: int) -> int:
    """Return where a text ends without the blanks at its end."""
    while stop > start and CLASS[text[stop - 1]] == BLANK:
        stop -= 1
    return stop


@routine
def _without_number(text: np.ndarray, start: int, stop: int) -> int:
    """Return where a text ends without the number of the next move and the blanks around it."""
    end = stop
    while end > start and (CLASS[text[end - 1]] == BLANK or text[end - 1] == DOT):
        end -= 1
    has_dot = False
    for at in range(end, stop):
        has_dot |= text[at] == DOT
    digits = end
    while digits > start and CLASS[text[digits - 1]] == DIGIT:
        digits -= 1
    is_number = has_dot and digits < end
    if digits > start and (text[digits - 1] == DOLLAR or CLASS[text[digits - 1]] == LETTER):
        is_number = False
    return _blanks_begin(text, start, digits if is_number else stop)


@entry(void, TEXT, reads(int64), reads(int64), reads(uint8), writes(int64), writes(uint8))
def _write(
    text: np.ndarray, starts: np.ndarray, stops: np.ndarray, kinds: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    text, out = borrowed(text), borrowed(out)
    end = 0
    for k in range(starts.size):
        offsets[k] = end
        start, stop = as_int(starts[k]), as_int(stops[k])
        if kinds[k] & 1:
            start = _begins_after(text, start, stop)
        holds_lines = _holds_lines(text, start, stop)
        while start < stop and (text[start] == SPACE or (not holds_lines and CLASS[text[start]] == BLANK)):
            start += 1
        stop = _blanks_begin(text, start, stop) if kinds[k] & 2 or holds_lines else _without_number(text, start, stop)
        for at in range(start, stop):
            out[end] = text[at]
            end += 1
        if holds_lines:
            out[end] = NEWLINE
            end += 1
    offsets[starts.size] = end


def annotation_texts(
    text: np.ndarray, starts: np.ndarray, stops: np.ndarray, *, of_moves: np.ndarray, numbered: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the annotations in spans of a text, concatenated, and where each begins and the last one ends.

    Args:
        text: bytes, uint8.
        starts: int64, where each span begins.
        stops: int64, where each ends: before the next move, whose number is left out.
        of_moves: whether a span begins with a move, which is left out.
        numbered: whether a number at its end is kept.
    """
    kinds = of_moves.astype(np.uint8) | numbered.astype(np.uint8) << 1
    offsets = np.empty(len(starts) + 1, np.int64)
    out = np.empty(int((stops - starts).sum()) + len(starts), np.uint8)
    _write(text, starts.astype(np.int64), stops.astype(np.int64), kinds, offsets, out)
    return out[: offsets[-1]], offsets
