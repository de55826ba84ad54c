"""The words for a null move, which passes the turn: ``--``, ``Z0``, ``<>``, ``0000``, ``@@@@``.

Other programs write them in PGN; setwise writes ``--`` in SAN and ``0000`` in UCI.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import subroutine
from setwise.notation.characters import AT, BLANKS, DASH, DIGIT_0, GREATER, LESS, UPPER_Z

__all__ = ["null_end"]

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
