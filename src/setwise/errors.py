"""Errors of wrong input: each is a ``ValueError`` that says where the input is wrong, what it is, what was expected."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = [
    "AmbiguousMove", "DefinitionError", "IllegalMove", "ImpossiblePosition", "InvalidEpd", "InvalidFen",
    "InvalidGame", "InvalidMove", "LimitExceeded", "OutputError", "QueryError", "SetwiseError", "SourceError",
    "did_you_mean", "shortened",
]  # fmt: skip

#: Exit codes: an error of any kind, as grep has it; an interrupted and a terminated process, as shells expect them.
FAILED, INTERRUPTED, TERMINATED = 2, 130, 143


class SetwiseError(ValueError):
    """An input of setwise is wrong."""


class InvalidFen(SetwiseError):
    """A text is not a FEN, or describes a position that no game can reach."""


class InvalidEpd(SetwiseError):
    """A text is not an EPD record."""


class ImpossiblePosition(SetwiseError):
    """Moves are undefined in this position, which has faults (it was read with ``strict=False``)."""


class InvalidGame(SetwiseError):
    """Tags, a result or annotations of a game cannot be written to PGN."""


class InvalidMove(SetwiseError):
    """A text is not a move in the expected notation."""


class IllegalMove(SetwiseError):
    """A move is not legal in the position."""


class AmbiguousMove(IllegalMove):
    """A text means more than one legal move."""


class SourceError(SetwiseError):
    """A file of games is missing, is not a file of games, or cannot be read to its end."""


class OutputError(SetwiseError):
    """Results cannot be written to the requested place."""


class DefinitionError(SetwiseError):
    """A user's pattern or feature is defined wrongly."""


class CompilerMissing(SetwiseError):
    """A function needs machine code, but this installation was shipped without it, and there is no compiler."""


class LimitExceeded(SetwiseError):
    """A question took more time or memory than ``setwise.limits`` allows."""


class QueryError(SetwiseError):
    """A condition or a column does not make sense."""


def shortened(text: object, most: int = 60) -> str:
    """Return a text for a message: in quotes, with its middle left out if the text is long."""
    text = text if isinstance(text, str) else str(text)
    if len(text) > most:
        text = f"{text[: most - 20]} … {text[-12:]}"
    return repr(text)


def did_you_mean(name: str, known: Iterable[str], *, in_list: bool = False) -> str:
    """Return the end of a sentence about an unknown name: the most similar known names, if any are similar.

    Args:
        name: the unknown name.
        known: the known names.
        in_list: whether the name is from a list; a name with commas was then meant as several names.

    Example:
        >>> did_you_mean("clok", ["clock", "evaluation"])
        '; did you mean clock?'
        >>> did_you_mean("clock,evaluation", ["clock", "evaluation"], in_list=True)
        "; give several names as a list: ['clock', 'evaluation']"
    """
    import difflib

    if in_list and "," in name:
        return f"; give several names as a list: {[it.strip() for it in name.split(',')]!r:.200}"
    near = difflib.get_close_matches(name, dict.fromkeys(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else ""
