"""Commands that programs write into comments: clocks, times and evaluations, in brackets.

``[%clk 1:02:03]`` is the clock, ``[%emt 0:00:07.5]`` the time spent, ``[%eval 0.17]``, ``[%eval -0.53,21]`` or
``[%eval #-4]`` an engine's evaluation. If a command is repeated, the first readable one counts.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import routine, subroutine
from setwise.notation.characters import (
    CARRIAGE_RETURN,
    COLON,
    COMMA,
    DASH,
    DIGIT_0,
    DIGIT_9,
    DOT,
    END_BRACKET,
    HASH,
    PLUS,
    SPACE,
    TAB,
    word,
)
from setwise.notation.pgn.tokens import starts_with
from setwise.patterns.bits import as_int

__all__ = ["MATE", "NO_EVALUATION", "number_at", "read_command"]

#: The value of a mate in 0, in centipawns; the value of a mate in n is n less.
MATE = 32_000
#: Marks a missing evaluation in a column.
NO_EVALUATION = -(2**31)
_MOST = 2**31 - 1

_CLOCK, _ELAPSED, _EVALUATION = word(b"%clk"), word(b"%emt"), word(b"%eval")


@routine
def number_at(text: np.ndarray, at: int, stop: int) -> tuple[int, int]:
    """Return the number here and its end; the end is ``at`` if there is no number, or one of over nine digits."""
    start = at
    value = 0
    while at < stop and DIGIT_0 <= text[at] <= DIGIT_9:
        value = value * 10 + as_int(text[at] - DIGIT_0)
        at += 1
    return (value, at) if at - start < 10 else (0, start)


@routine
def _seconds(text: np.ndarray, at: int, stop: int) -> float:
    """Return the seconds of ``h:m:s]`` or ``h:m:s.d]``, to the microsecond; NaN for any other text."""
    hours, first = number_at(text, at, stop)
    if first == at or first >= stop or text[first] != COLON:
        return np.nan
    minutes, second = number_at(text, first + 1, stop)
    if second == first + 1 or second >= stop or text[second] != COLON:
        return np.nan
    value, at = number_at(text, second + 1, stop)
    if at == second + 1:
        return np.nan
    scale = 1
    if at < stop and text[at] == DOT:
        at += 1
        while at < stop and DIGIT_0 <= text[at] <= DIGIT_9:
            if scale < 1_000_000:
                value, scale = value * 10 + as_int(text[at] - DIGIT_0), scale * 10
            at += 1
    if at >= stop or text[at] != END_BRACKET:
        return np.nan
    return np.float64(hours * 3600 + minutes * 60) + np.float64(value) / np.float64(scale)


@routine
def _centipawns(text: np.ndarray, at: int, stop: int, white: bool) -> int:
    """Return centipawns from White's side; ``white`` is whether White moved, which decides who gave a mate in 0."""
    mate = at < stop and text[at] == HASH
    at += mate
    sign = -1 if at < stop and text[at] == DASH else 1
    at += at < stop and (text[at] == DASH or text[at] == PLUS)
    value, end = number_at(text, at, stop)
    digits = end - at
    if not mate:
        value *= 100
        if end < stop and text[end] == DOT:
            cents, after = number_at(text, end + 1, stop)
            places = after - end - 1
            if places > 2:
                return NO_EVALUATION
            value += cents * 10 if places == 1 else cents
            digits, end = digits + places, after
    if digits and end < stop and text[end] == COMMA:
        _, after = number_at(text, end + 1, stop)
        digits, end = digits if after > end + 1 else 0, after
    if digits == 0 or end >= stop or text[end] != END_BRACKET or value > _MOST:
        return NO_EVALUATION
    value *= sign
    if not mate:
        return value
    return MATE - value if value > 0 or (value == 0 and white) else -MATE - value


@routine
def _value(text: np.ndarray, at: int, stop: int) -> int:
    """Return where the value of a command begins whose name ends here; ``stop`` if no blank separates them."""
    start = at
    while at < stop and (text[at] == SPACE or TAB <= text[at] <= CARRIAGE_RETURN):
        at += 1
    return at if at > start else stop


@subroutine
def read_command(
    text: np.ndarray,
    at: int,
    stop: int,
    white: bool,
    row: int,
    clocks: np.ndarray,
    elapsed: np.ndarray,
    evaluations: np.ndarray,
) -> None:
    """Read the command after a bracket, if it is a known one and the first readable of its kind."""
    if np.isnan(clocks[row]) and starts_with(text, at, stop, _CLOCK):
        clocks[row] = _seconds(text, _value(text, at + _CLOCK.size, stop), stop)
    elif np.isnan(elapsed[row]) and starts_with(text, at, stop, _ELAPSED):
        elapsed[row] = _seconds(text, _value(text, at + _ELAPSED.size, stop), stop)
    elif evaluations[row] == NO_EVALUATION and starts_with(text, at, stop, _EVALUATION):
        evaluations[row] = _centipawns(text, _value(text, at + _EVALUATION.size, stop), stop, white)
