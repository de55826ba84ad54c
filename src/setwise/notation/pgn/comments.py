"""Comments as written between braces: ``clean_comment`` in Python for one, ``write_comment`` compiled for many.

Both follow the same rule, which a test compares on arbitrary texts: outer blanks are removed, every line break becomes
a single newline, and a line that readers recovering from an unclosed comment would take for a new game gets a blank
first. ``clean_comment`` works on characters; ``write_comment`` works on the bytes of a file, which contain no closing
brace and may be Latin-1.
"""

from __future__ import annotations

import re

import numpy as np

from setwise.compiler import routine, subroutine
from setwise.notation.characters import BRACKET, CARRIAGE_RETURN, CLOSE_BRACE, NEWLINE, SPACE
from setwise.notation.letters import is_utf8, letter_at, write_byte
from setwise.notation.pgn.tokens import EVENT, starts_with
from setwise.patterns.bits import as_int

__all__ = ["COMMAND", "LAST", "LINE_BREAK", "MEANING", "PLAIN", "clean_comment", "write_comment"]

LINE_BREAK = re.compile(r"\r\n?|\n")
_GAME_BEGINS = re.compile(r'\n(?=\[Event ")|(?<=\n)\n(?=\[)')


def clean_comment(text: str) -> str:
    """Return a comment in a form that can be written between braces and read again: without ``}`` and outer blanks.

    PGN cannot escape a closing brace. A line that looks like the start of a game gets a blank before it.
    """
    return _GAME_BEGINS.sub("\n ", LINE_BREAK.sub("\n", text.replace("}", "")).strip())


#: The meaning of a byte inside a comment: most are copied; some need the slow path; a bracket may begin a command; the
#: closing brace ends the comment.
PLAIN, _ODD, COMMAND, LAST = (np.uint8(meaning) for meaning in (0, 1, 2, 4))
MEANING = np.full(256, PLAIN, np.uint8)
MEANING[:SPACE], MEANING[128:], MEANING[BRACKET], MEANING[CLOSE_BRACE] = _ODD, _ODD, COMMAND, LAST

#: The code points that ``str.strip`` removes.
_BLANKS = np.array([ord(blank) for blank in re.findall(r"\s", "".join(map(chr, range(0x3001))))], np.int64)


@routine
def write_comment(text: np.ndarray, start: int, stop: int, seen: np.uint8, first: int, out: np.ndarray, at: int) -> int:
    """Write a comment as ``clean_comment`` returns it, in UTF-8, after those of its move, which begin at ``first``.

    ``seen`` holds the bits of all meanings among its bytes. Returns where the output ends.
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
def _blank_bytes(text: np.ndarray, at: int, stop: int, latin: bool) -> int:
    """Return the length in bytes of the blank here; 0 if it is not a blank."""
    code, length = (as_int(text[at]), 1) if latin else letter_at(text, at, stop)
    for blank in _BLANKS:
        if code == blank:
            return length
    return 0


@subroutine
def _stripped(text: np.ndarray, start: int, stop: int, latin: bool) -> tuple[int, int]:
    """Return the span without the blanks at both ends."""
    blank = 1
    while start < stop and blank:
        blank = _blank_bytes(text, start, stop, latin)
        start += blank
    while start < stop:
        last = stop - 1
        while not latin and text[last] >> 6 == 2:  # continuation bytes of a character
            last -= 1
        blank = _blank_bytes(text, last, stop, latin)
        if not blank:
            break
        stop = last
    return start, stop


@subroutine
def _write_odd_comment(text: np.ndarray, start: int, stop: int, first: int, out: np.ndarray, at: int) -> int:
    """Write a comment as ``write_comment`` does, for any bytes."""
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
