"""Comments as they may stand between braces: ``clean`` in Python for one, ``write_comment`` in compiled code for many.

Both are the same rule, and a test holds them together on any text: outer blanks go, every line break becomes a single
newline, and a line that would begin a game for readers that recover from comments nobody closed gets a blank first. The
first works on letters; the other on the bytes of a file, which hold no closing brace and may be Latin-1.
"""

from __future__ import annotations

import re

import numpy as np

from setwise.compiler import routine, subroutine
from setwise.notation.characters import BRACKET, CARRIAGE_RETURN, CLOSE_BRACE, NEWLINE, SPACE
from setwise.notation.letters import is_utf8, letter_at, write_byte
from setwise.notation.pgn.tokens import EVENT, starts_with

__all__ = ["COMMAND", "LAST", "LINE_BREAK", "MEANING", "PLAIN", "clean_comment", "write_comment"]

LINE_BREAK = re.compile(r"\r\n?|\n")
_GAME_BEGINS = re.compile(r'\n(?=\[Event ")|(?<=\n)\n(?=\[)')


def clean_comment(text: str) -> str:
    """Return a comment as it can stand between braces and be read again: without ``}`` and outer blanks.

    PGN cannot escape a closing brace. A line that looks like the start of a game gets a blank before it.
    """
    return _GAME_BEGINS.sub("\n ", LINE_BREAK.sub("\n", text.replace("}", "")).strip())


#: What a byte means inside a comment: most are copied as they are; some make the whole one odd; a bracket may begin a
#: command; the closing brace is the last.
PLAIN, _ODD, COMMAND, LAST = (np.uint8(meaning) for meaning in (0, 1, 2, 4))
MEANING = np.full(256, PLAIN, np.uint8)
MEANING[:SPACE], MEANING[128:], MEANING[BRACKET], MEANING[CLOSE_BRACE] = _ODD, _ODD, COMMAND, LAST

#: What ``str.strip`` takes away, by code points.
_BLANKS = np.array([code for code in range(0x3001) if chr(code).isspace()], np.int64)


@routine
def write_comment(text, start, stop, seen, first, out, at):
    """Write a comment as ``clean_comment`` leaves it, in UTF-8, behind those of its move from ``first`` on.

    ``seen`` holds the bits of all meanings among its bytes. Where it ends is returned.
    """
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
def _blank_bytes(text, at, stop, latin):
    """The bytes of the blank that stands here; 0 if it is none."""
    code, length = (np.int64(text[at]), 1) if latin else letter_at(text, at, stop)
    for blank in _BLANKS:
        if code == blank:
            return length
    return 0


@subroutine
def _stripped(text, start, stop, latin):
    """The span without the blanks at both ends."""
    blank = 1
    while start < stop and blank:
        blank = _blank_bytes(text, start, stop, latin)
        start += blank
    while start < stop:
        last = stop - 1
        while not latin and text[last] >> 6 == 2:  # bytes behind a letter's first
            last -= 1
        blank = _blank_bytes(text, last, stop, latin)
        if not blank:
            break
        stop = last
    return start, stop


@subroutine
def _write_odd_comment(text, start, stop, first, out, at):
    """The same for any bytes."""
    latin = not is_utf8(text, start, stop)
    start, stop = _stripped(text, start, stop, latin)
    if start < stop and at > first:
        out[at] = SPACE
        at += 1
    breaks = 0  # line breaks just before
    for k in range(start, stop):
        byte = text[k]
        if byte == NEWLINE or byte == CARRIAGE_RETURN:
            if byte == NEWLINE or text[k + 1] != NEWLINE:
                out[at] = NEWLINE
                at += 1
                breaks += 1
            continue
        if byte == BRACKET and (breaks > 1 or (breaks == 1 and starts_with(text, k, stop, EVENT))):
            out[at] = SPACE
            at += 1
        breaks = 0
        at = write_byte(byte, latin, out, at)
    return at
