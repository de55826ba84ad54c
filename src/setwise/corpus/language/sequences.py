"""Functions that read along a game: ``next``, ``later``, ``until``, ``over game``, and the columns that they return."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.language.tree import Node, arguments_of, called, constant_of, cut, expression, name_of, text_of
from setwise.errors import QueryError

__all__ = [
    "check_plies",
    "earlier",
    "lasts",
    "later",
    "shifted",
    "streak",
    "until",
    "EVERY_OTHER",
    "NOW",
    "SEQUENCES",
    "SequenceCall",
    "is_sequence",
    "sequence_call",
    "with_keywords",
]


# --------------------------------------------------------------------------------------------------- sequence functions


#: The largest value of the column ``ply``; later plies have this value, too.
_MOST_ROWS = 2**15 - 1


def check_plies(game: np.ndarray, ply: np.ndarray) -> None:
    """Raise an error if a game has gaps between its positions, because the next positions would be unknown.

    Args:
        game: the number of each position's game; the positions of a game are adjacent.
        ply: the number of moves before each position.

    Raises:
        QueryError: for the first game with a gap.
    """
    gaps = np.flatnonzero((game[1:] == game[:-1]) & (ply[1:] != ply[:-1] + 1) & (ply[1:] != _MOST_ROWS))
    if len(gaps):
        before, after = ply[gaps[0]], ply[gaps[0] + 1]
        raise QueryError(
            f"looks along games need all positions of a game, and after ply {before} comes ply {after}: search the "
            "whole games"
        )


def shifted(values: pa.Array, game: np.ndarray, plies: int) -> pa.Array:
    """Return for each position the value some plies later in the same game; null beyond the ends of the game.

    Args:
        values: one for each position.
        game: the number of each position's game; the positions of a game are adjacent, in the order of the plies.
        plies: the number of plies; negative for earlier values.
    """
    rows = np.arange(len(game)) + plies
    inside = (rows >= 0) & (rows < len(game))
    rows = np.where(inside, rows, 0)
    inside &= game[rows] == game
    return values.take(pa.array(rows, mask=~inside))


def _starts(game: np.ndarray) -> np.ndarray:
    """Return the row at which each game begins."""
    return np.flatnonzero(np.r_[True, game[1:] != game[:-1]]) if len(game) else np.zeros(0, np.int64)


def _repeated(values: np.ndarray, starts: np.ndarray, count: int) -> np.ndarray:
    """Return the values of games, repeated for each of their positions."""
    return np.repeat(values, np.diff(np.r_[starts, count]))


def _furthest(furthest: np.ufunc, holds: np.ndarray, game: np.ndarray, nothing: int) -> np.ndarray:
    """Return for each position the first or the last row of its game at which a condition holds."""
    starts, rows = _starts(game), np.where(holds, np.arange(len(game)), nothing)
    return _repeated(furthest.reduceat(rows, starts), starts, len(game)) if len(game) else rows


def later(holds: np.ndarray, game: np.ndarray) -> np.ndarray:
    """Return for each position whether a condition holds at a later ply of its game."""
    return np.arange(len(game)) < _furthest(np.maximum, holds, game, -1)


def earlier(holds: np.ndarray, game: np.ndarray) -> np.ndarray:
    """Return for each position whether a condition holds at an earlier ply of its game."""
    return np.arange(len(game)) > _furthest(np.minimum, holds, game, len(game))


def streak(holds: np.ndarray, game: np.ndarray, step: int = 1) -> np.ndarray:
    """Return for each position how many plies in a row, its own ply the last of them, a condition holds; int32.

    Args:
        holds: whether the condition holds, for each position.
        game: the number of each position's game.
        step: 1 for all plies; 2 for every other ply, which are the plies of the same side.
    """
    here, starts = np.arange(len(game)), _starts(game)
    first = _repeated(starts, starts, len(game))
    lengths = np.zeros(len(game), np.int32)
    for turn in range(step):
        rows = np.flatnonzero((here - first) % step == turn)
        # For each item of ``rows``, the index of the last item up to it at which the streak breaks, or the game starts.
        places = np.arange(len(rows))
        begins = np.r_[True, game[rows[1:]] != game[rows[:-1]]] if len(rows) else np.zeros(0, np.bool_)
        broken = np.where(holds[rows], np.where(begins, places - 1, -1), places)
        lengths[rows] = places - np.maximum.accumulate(broken) if len(rows) else 0
    return lengths


def lasts(holds: np.ndarray, game: np.ndarray, plies: int, step: int = 1) -> np.ndarray:
    """Return for each position whether a condition holds there and at the next plies of its game, ``plies`` in all."""
    ends = np.arange(len(game)) + (plies - 1) * step
    inside = ends < len(game)
    ends = np.where(inside, ends, 0)
    return inside & (game[ends] == game) & (streak(holds, game, step)[ends] >= plies)


def until(holds: np.ndarray, reached: np.ndarray, game: np.ndarray) -> np.ndarray:
    """Return for each position whether ``reached`` is true at a later ply, and ``holds`` at every ply before it."""
    here, starts = np.arange(len(game)), _starts(game)
    ends = _repeated(np.r_[starts, len(game)][1:], starts, len(game))
    fails = _first_from(~holds, here)
    reaches = np.r_[_first_from(reached, here)[1:], len(game)][: len(game)]
    return (reaches < ends) & (reaches <= fails)


def _first_from(flags: np.ndarray, here: np.ndarray) -> np.ndarray:
    """Return for each row the first row with a flag, itself or later; the number of rows if no such row exists."""
    return np.minimum.accumulate(np.where(flags, here, len(here))[::-1])[::-1]


# -------------------------------------------- calls of the sequence functions: what each takes, and how messages say so


#: The word that limits a call to the mover's plies; the function that reads the row of the enclosing call.
EVERY_OTHER, NOW = "every_other", "now"
#: The largest number of plies that a call can mean; no game is this long.
_MOST_PLIES = 1 << 30


class _Takes(NamedTuple):
    """The arguments of a function: values or conditions, then the number of plies, then ``every_other``."""

    words: str
    values: int = 1
    #: Whether a number of plies may follow, and whether it must.
    may_count: bool = False
    must_count: bool = False
    #: Whether ``every_other`` may follow.
    by_turns: bool = False


_TAKES = {
    "next": _Takes("a value and how many plies, as next(x, 2)", may_count=True),
    "previous": _Takes("a value and how many plies, as previous(x, 2)", may_count=True),
    "later": _Takes("one condition"),
    "earlier": _Takes("one condition"),
    "streak": _Takes("one condition, and every_other for the mover's plies alone", by_turns=True),
    "lasts": _Takes(
        "a condition and how many plies, as lasts(is_check, 3), and every_other for the mover's plies alone",
        may_count=True, must_count=True, by_turns=True,
    ),
    "until": _Takes("two conditions, as until(c, d)", values=2),
    NOW: _Takes("one value"),
}  # fmt: skip
#: The sequence functions: they read other positions of the same game.
SEQUENCES = tuple(_TAKES)


class SequenceCall(NamedTuple):
    """A call: its function, the values or conditions read along the game, the number of plies, and the step."""

    name: str
    values: list[Node]
    plies: int = 1
    step: int = 1


def is_sequence(node: Node) -> bool:
    """Return whether a node is a call of a sequence function; ``now()`` without a value is the time, as in SQL."""
    is_call = called(node) in SEQUENCES and not node.get("is_operator")
    return is_call and (name_of(node) != NOW or bool(node["arguments"]))


def with_keywords(call: Node) -> Node:
    """Return a call with ``every_other`` as a text, so that it is not read as a column."""

    def read(argument: Node) -> Node:
        node = argument["expression"]
        if node.get("class") != "COLUMN_REF" or [name.lower() for name in node["column_names"]] != [EVERY_OTHER]:
            return argument
        return {**argument, "expression": expression(f"'{EVERY_OTHER}'")}

    return {**call, "arguments": [read(argument) for argument in call["arguments"]]}


def sequence_call(call: Node) -> SequenceCall:
    """Return the parts of a call of a sequence function.

    Raises:
        QueryError: for a wrong number of arguments, or a number of plies below 1.
    """
    name, arguments = name_of(call), arguments_of(call)
    takes, count = _TAKES[name], len(arguments)
    step = 1
    if takes.by_turns and count > 1 and constant_of(arguments[-1]) == EVERY_OTHER:
        arguments, step = arguments[:-1], 2
    plies = arguments[takes.values :]
    if len(arguments) < takes.values + takes.must_count or len(plies) > takes.may_count:
        raise QueryError(f"{name} takes {takes.words}, not {count} argument{'s' * (count != 1)}")
    number = constant_of(plies[0]) if plies else 1
    if not isinstance(number, int) or number < 1:
        raise QueryError(f"{name} takes a number of plies, 1 or more, not {cut(text_of(plies[0]))}")
    return SequenceCall(name, arguments[: takes.values], min(number, _MOST_PLIES), step)
