"""What PGN notes behind moves, read by one compiled kernel: comments, NAGs, and what programs write into comments.

A span is the text from a move's first letter to the end of all that is noted behind it. Of a variation nothing counts.
Commands in comments are ``[%clk 1:02:03]`` for the clock, ``[%emt 0:00:07.5]`` for the time spent and ``[%eval 0.17]``,
``[%eval -0.53,21]`` or ``[%eval #-4]`` for an engine's evaluation; of several the first that can be read counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from setwise.compiler import entry, routine, subroutine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import boolean, float64, int32, int64, reads, uint8, void, writes
from setwise.notation.pgn.tokens import (
    BRACKET,
    CARRIAGE_RETURN,
    CLOSE_BRACE,
    CLOSE_PARENTHESIS,
    DASH,
    DIGIT_0,
    DOLLAR,
    DOT,
    END_BRACKET,
    EVENT,
    NEWLINE,
    OPEN_BRACE,
    OPEN_PARENTHESIS,
    PERCENT,
    SEMICOLON,
    SPACE,
    at_line_start,
    starts_with,
)
from setwise.notation.scanning import TEXT

__all__ = ["MATE", "NO_EVALUATION", "Notes", "is_utf8", "notes_in_comments", "read_notes"]

#: What a mate in 0 counts, in centipawns; a mate in n counts n less.
MATE = 32_000
#: Stands in a column where no evaluation does.
NO_EVALUATION = -(2**31)
_MOST = 2**31 - 1

_TAB, _NINE, _GOOD, _BAD, _COLON, _COMMA, _HASH, _PLUS = (np.uint8(byte) for byte in b"\t9!?:,#+")
_CLOCK, _ELAPSED, _EVALUATION = (np.frombuffer(name, np.uint8).copy() for name in (b"%clk", b"%emt", b"%eval"))

#: What a byte means inside a comment: most are copied as they are.
_ODD, _COMMAND, _LAST = np.uint8(1), np.uint8(2), np.uint8(4)
_MEANING = np.zeros(256, np.uint8)
_MEANING[:32], _MEANING[128:], _MEANING[BRACKET], _MEANING[CLOSE_BRACE] = _ODD, _ODD, _COMMAND, _LAST

# -------------------------------------------------------------------------------------------------------------- numbers


@routine
def _number(text, at, stop):
    """The number that stands here and where it ends; it ends where it starts if there is none, or above nine digits."""
    start, value = at, 0
    while at < stop and DIGIT_0 <= text[at] <= _NINE:
        value = value * 10 + np.int64(text[at] - DIGIT_0)
        at += 1
    return (value, at) if at - start < 10 else (0, start)


@routine
def _seconds(text, at, stop):
    """The seconds of ``h:m:s]`` or ``h:m:s.d]``, to the microsecond; NaN if something else stands here."""
    hours, first = _number(text, at, stop)
    if first == at or first >= stop or text[first] != _COLON:
        return np.nan
    minutes, second = _number(text, first + 1, stop)
    if second == first + 1 or second >= stop or text[second] != _COLON:
        return np.nan
    value, at = _number(text, second + 1, stop)
    if at == second + 1:
        return np.nan
    scale = 1
    if at < stop and text[at] == DOT:
        at += 1
        while at < stop and DIGIT_0 <= text[at] <= _NINE:
            if scale < 1_000_000:
                value, scale = value * 10 + np.int64(text[at] - DIGIT_0), scale * 10
            at += 1
    if at >= stop or text[at] != END_BRACKET:
        return np.nan
    return np.float64(hours * 3600 + minutes * 60) + np.float64(value) / np.float64(scale)


@routine
def _evaluation(text, at, stop, white):
    """Centipawns from White's side; of a mate in 0 the mover, of whom ``white`` tells, is the one who gave it."""
    mate = at < stop and text[at] == _HASH
    at += mate
    sign = -1 if at < stop and text[at] == DASH else 1
    at += at < stop and (text[at] == DASH or text[at] == _PLUS)
    value, end = _number(text, at, stop)
    digits = end - at
    if not mate:
        value *= 100
        if end < stop and text[end] == DOT:
            cents, after = _number(text, end + 1, stop)
            places = after - end - 1
            if places > 2:
                return NO_EVALUATION
            value += cents * 10 if places == 1 else cents
            digits, end = digits + places, after
    if digits and end < stop and text[end] == _COMMA:
        _, after = _number(text, end + 1, stop)
        digits, end = digits if after > end + 1 else 0, after
    if digits == 0 or end >= stop or text[end] != END_BRACKET or value > _MOST:
        return NO_EVALUATION
    value *= sign
    if not mate:
        return value
    return MATE - value if value > 0 or (value == 0 and white) else -MATE - value


@routine
def _value(text, at, stop):
    """Where the value of a command begins whose name ends here; the end if no blank is between."""
    start = at
    while at < stop and (text[at] == SPACE or _TAB <= text[at] <= CARRIAGE_RETURN):
        at += 1
    return at if at > start else stop


@subroutine
def _read_command(text, at, stop, white, row, clocks, elapsed, evaluations):
    """Read what stands behind a bracket, if it is a command that is known here and the first of its kind."""
    if np.isnan(clocks[row]) and starts_with(text, at, stop, _CLOCK):
        clocks[row] = _seconds(text, _value(text, at + _CLOCK.size, stop), stop)
    elif np.isnan(elapsed[row]) and starts_with(text, at, stop, _ELAPSED):
        elapsed[row] = _seconds(text, _value(text, at + _ELAPSED.size, stop), stop)
    elif evaluations[row] == NO_EVALUATION and starts_with(text, at, stop, _EVALUATION):
        evaluations[row] = _evaluation(text, _value(text, at + _EVALUATION.size, stop), stop, white)


@routine
def _read_glyph(text, at, stop):
    """The NAG that stands here, 0 for none that a byte holds, and where it ends: ``$6`` or a suffix such as ``?!``."""
    byte = text[at]
    at += 1
    if byte == DOLLAR:
        nag, at = _number(text, at, stop)
        return nag if nag < 256 else 0, at
    nag = 1 if byte == _GOOD else 2
    if at < stop and (text[at] == _GOOD or text[at] == _BAD):
        nag += 2 if text[at] == byte else 4
        at += 1
    return nag, at


# ------------------------------------------------------------------------------------------------------------- comments


@subroutine
def is_utf8(text, start, stop):
    """Whether bytes are well-formed UTF-8 (shortest forms, no surrogates, nothing above U+10FFFF)."""
    at = start
    while at < stop:
        byte = np.int64(text[at])
        length = 1 if byte < 0x80 else 2 if byte >> 5 == 6 else 3 if byte >> 4 == 14 else 4 if byte >> 3 == 30 else 0
        if length == 0 or at + length > stop:
            return False
        code = byte if length == 1 else byte & (0xFF >> (length + 1))
        for k in range(1, length):
            tail = np.int64(text[at + k])
            if tail >> 6 != 2:
                return False
            code = code << 6 | tail & 0x3F
        shortest = (0, 0, 0x80, 0x800, 0x10000)[length]
        if code < shortest or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            return False
        at += length
    return True


@subroutine
def _blank(text, at, stop, latin):
    """The bytes of the blank that stands here, one of those that ``str.strip`` takes away; 0 if it is none."""
    byte = np.int64(text[at])
    if byte < 0x80:
        return 1 if byte == 0x20 or 0x09 <= byte <= 0x0D or 0x1C <= byte <= 0x1F else 0
    if latin:
        return 1 if byte == 0x85 or byte == 0xA0 else 0
    if byte == 0xC2:
        return 2 if at + 1 < stop and (text[at + 1] == 0x85 or text[at + 1] == 0xA0) else 0
    if at + 2 >= stop or not 0xE1 <= byte <= 0xE3:
        return 0
    code = (byte & 15) << 12 | (np.int64(text[at + 1]) & 63) << 6 | np.int64(text[at + 2]) & 63
    spaces = 0x2000 <= code <= 0x200A or code == 0x1680 or code == 0x202F or code == 0x205F or code == 0x3000
    return 3 if spaces or code == 0x2028 or code == 0x2029 else 0


@routine
def _write_comment(text, start, stop, seen, first, out, at):
    """Write a comment as ``clean_comment`` leaves it, in UTF-8, behind those of its move from ``first`` on."""
    if seen & _ODD:
        return _write_odd_comment(text, start, stop, first, out, at)
    while start < stop and text[start] == SPACE:
        start += 1
    while start < stop and text[stop - 1] == SPACE:
        stop -= 1
    if start < stop and at > first:
        out[at] = SPACE
        at += 1
    for k in range(stop - start):
        out[at + k] = text[start + k]
    return at + stop - start


@subroutine
def _write_odd_comment(text, start, stop, first, out, at):
    """The same for any bytes."""
    latin = not is_utf8(text, start, stop)
    blank = 1
    while start < stop and blank:
        blank = _blank(text, start, stop, latin)
        start += blank
    blank = 1
    while start < stop and blank:
        blank = 0
        for length in range(1, 4):
            if stop - length >= start and _blank(text, stop - length, stop, latin) == length:
                blank = length
        stop -= blank
    if start < stop and at > first:
        out[at] = SPACE
        at += 1
    lines = 0  # line breaks just before
    for k in range(start, stop):
        byte = text[k]
        if byte == CARRIAGE_RETURN or byte == NEWLINE:
            if byte == CARRIAGE_RETURN and text[k + 1] == NEWLINE:
                continue
            out[at] = NEWLINE
            at += 1
            lines += 1
            continue
        if byte == BRACKET and (lines > 1 or (lines == 1 and starts_with(text, k, stop, EVENT))):
            out[at] = SPACE
            at += 1
        lines = 0
        if latin and byte >= 0x80:
            out[at], out[at + 1] = 0xC0 | byte >> 6, 0x80 | byte & 0x3F
            at += 2
        else:
            out[at] = byte
            at += 1
    return at


# ----------------------------------------------------------------------------------------------------------- the kernel


@subroutine
def _end(text, at, stop, byte):
    """The next place of a byte, or the end."""
    while at < stop and text[at] != byte:
        at += 1
    return at


@routine
def _insert(nags, first, end, nag):
    """Put a NAG among those of its move, which ascend without repetition, and return where they end."""
    at = end
    while at > first and nags[at - 1] > nag:
        at -= 1
    if at > first and nags[at - 1] == nag:
        return end
    for k in range(end, at, -1):
        nags[k] = nags[k - 1]
    nags[at] = nag
    return end + 1


_OFFSETS = writes(int32)
_OUT = writes(uint8)


@entry(
    void, TEXT, reads(int32, 2),
    reads(int64), reads(boolean),
    writes(float64), writes(float64), writes(int32),
    _OFFSETS, _OUT, _OFFSETS, _OUT,
)  # fmt: skip
def _read(text, spans, games, white, clocks, elapsed, evaluations, nag_offsets, nags, comment_offsets, comments):
    """Read the spans of games' moves; ``games`` says where each game's begin, ``white`` whether White begins it."""
    text, nags, comments = borrowed(text), borrowed(nags), borrowed(comments)
    clocks, elapsed, evaluations = borrowed(clocks), borrowed(elapsed), borrowed(evaluations)
    nag, out = 0, 0
    for game in range(games.size - 1):
        by_white = white[game]
        for move in range(games[game], games[game + 1]):
            clocks[move] = elapsed[move] = np.nan
            evaluations[move] = NO_EVALUATION
            first_nag, first = nag, out
            nag_offsets[move], comment_offsets[move] = first_nag, first
            at, stop = np.int64(spans[move, 0]), np.int64(spans[move, 1])
            depth = 0
            while at < stop:
                byte = text[at]
                at += 1
                if byte == OPEN_BRACE:
                    start, seen = at, np.uint8(0)
                    while at < stop:
                        meaning = _MEANING[text[at]]
                        if meaning == _LAST:
                            break
                        seen |= meaning
                        at += 1
                        if meaning == _COMMAND and depth == 0:
                            _read_command(text, at, stop, by_white, move, clocks, elapsed, evaluations)
                    if depth == 0:
                        out = _write_comment(text, start, at, seen, first, comments, out)
                    at += 1
                elif byte == OPEN_PARENTHESIS:
                    depth += 1
                elif byte == CLOSE_PARENTHESIS:
                    depth = max(depth - 1, 0)
                elif byte == SEMICOLON:
                    at = _end(text, at, stop, NEWLINE)
                elif depth > 0:
                    pass
                elif byte == _GOOD or byte == _BAD or byte == DOLLAR:
                    glyph, at = _read_glyph(text, at - 1, stop)
                    if glyph:
                        nag = _insert(nags, first_nag, nag, glyph)
                elif byte == PERCENT and at_line_start(text, at - 1):
                    at = _end(text, at, stop, NEWLINE)
            by_white = not by_white
    nag_offsets[spans.shape[0]], comment_offsets[spans.shape[0]] = nag, out


class Notes(NamedTuple):
    """What is noted behind moves, a value a move; NAGs and comments stand one after the other, between offsets."""

    #: Seconds, NaN where none are told.
    clocks: np.ndarray
    elapsed: np.ndarray
    #: Centipawns from White's side, ``NO_EVALUATION`` where none is told.
    evaluations: np.ndarray
    nag_offsets: np.ndarray
    #: Ascending for each move; suffixes count as NAGs 1 to 6, and what no byte holds, and 0, which says nothing, goes.
    nags: np.ndarray
    comment_offsets: np.ndarray
    #: UTF-8, as ``clean_comment`` leaves it, several joined by a blank.
    comments: np.ndarray


def read_notes(text: np.ndarray, spans: np.ndarray, games: np.ndarray, white: np.ndarray) -> Notes:
    """Return what stands in spans of a text.

    Args:
        text: bytes, uint8.
        spans: int32, where the span of each move starts and stops.
        games: int64, which spans begin a game, and their number.
        white: whether White makes the first move of each game.
    """
    count, room = len(spans), int((spans[:, 1] - spans[:, 0]).sum())
    seconds, evaluations = np.empty((2, count)), np.empty(count, np.int32)
    nag_offsets, comment_offsets = np.empty((2, count + 1), np.int32)
    nags, comments = np.empty(room, np.uint8), np.empty(2 * room, np.uint8)  # Latin-1 may double
    _read(
        text, spans, games, white, seconds[0], seconds[1], evaluations, nag_offsets, nags, comment_offsets, comments
    )  # fmt: skip
    return Notes(
        seconds[0], seconds[1], evaluations, nag_offsets, nags[: nag_offsets[-1]], comment_offsets,
        comments[: comment_offsets[-1]],
    )  # fmt: skip


def notes_in_comments(comments: Iterable[str], *, white: bool) -> Notes:
    """Return what stands in the comments of one game, one a move and clean.

    Example:
        >>> from setwise.notation.pgn.annotations import notes_in_comments
        >>> notes = notes_in_comments(["[%eval -0.53,21] solid", "[%clk 0:01:30.5] [%eval #-4]"], white=True)
        >>> notes.evaluations, notes.clocks
        (array([   -53, -31996], dtype=int32), array([ nan, 90.5]))
    """
    pieces = [b"{%b}" % comment.encode() for comment in comments]
    stops = np.cumsum([0, *map(len, pieces)], dtype=np.int32)
    spans = np.stack([stops[:-1], stops[1:]], axis=1)
    text = np.frombuffer(b"".join(pieces), np.uint8)
    return read_notes(text, spans, np.array([0, len(pieces)]), np.array([white]))
