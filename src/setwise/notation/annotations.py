"""What programs write into comments: clocks ``[%clk 1:02:03]``, times spent ``[%emt …]``, evaluations ``[%eval …]``."""

from __future__ import annotations

import re

__all__ = ["MATE", "clock", "elapsed", "evaluation"]

#: What a mate in 0 counts, in centipawns; a mate in n counts n less.
MATE = 32_000

_TIME = r"\[%{}\s+(\d{{1,9}}):(\d{{1,9}}):(\d{{1,9}}(?:\.\d*)?)\]"
_CLOCK, _ELAPSED = (re.compile(_TIME.format(name), re.ASCII) for name in ("clk", "emt"))
_EVALUATION = re.compile(
    r"\[%eval\s+(?:#([+-]?\d{1,9})|([+-]?(?:\d{0,10}\.\d{1,2}|\d{1,10}\.?)))(?:,\d+)?\]", re.ASCII
)  # fmt: skip


def _seconds(found: re.Match[str] | None) -> float | None:
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3]) if found else None


def clock(comment: str) -> float | None:
    """Return the seconds left on the mover's clock, or None where the comment does not say."""
    return _seconds(_CLOCK.search(comment))


def elapsed(comment: str) -> float | None:
    """Return the seconds spent on the move, or None."""
    return _seconds(_ELAPSED.search(comment))


def evaluation(comment: str, *, white: bool = True) -> int | None:
    """Return an engine's evaluation in centipawns from White's side, or None; a mate in n is ``MATE - n``.

    Args:
        comment: the comment behind a move.
        white: whether White made the move; who moves to a mate in 0 has mated.

    Example:
        >>> from setwise.notation.annotations import evaluation
        >>> evaluation("[%eval -0.53,21] solid"), evaluation("[%eval #-4]"), evaluation("good")
        (-53, -31996, None)
    """
    found = _EVALUATION.search(comment)
    if found is None:
        return None
    if found[1] is None:
        return round(float(found[2]) * 100)
    moves = int(found[1])
    return MATE - moves if moves > 0 or (moves == 0 and white) else -MATE - moves
