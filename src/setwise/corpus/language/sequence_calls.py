"""Calls of the sequence functions: what each takes, and how messages say so."""

from __future__ import annotations

from typing import NamedTuple

from setwise.corpus.language.tree import Node, arguments_of, constant_of, cut, expression, name_of, text_of
from setwise.errors import QueryError

__all__ = ["EVERY_OTHER", "NOW", "SEQUENCES", "SequenceCall", "is_sequence", "sequence_call", "with_keywords"]

#: The word for the mover's plies alone, and the function that reads the row from which another looks.
EVERY_OTHER, NOW = "every_other", "now"
#: The largest number of plies that a call can mean; no game is as long.
_MOST = 1 << 30


class _Takes(NamedTuple):
    """The arguments of a function: values or conditions, then how many plies, then ``every_other``."""

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
    """A call: its function, the values or conditions that it reads along the game, how many plies, and their step."""

    name: str
    values: list[Node]
    plies: int = 1
    step: int = 1


def is_sequence(node: Node) -> bool:
    """Return whether a node is a call of a sequence function; ``now()`` without a value is the time, as in SQL."""
    if node.get("class") != "FUNCTION" or node.get("is_operator") or name_of(node) not in SEQUENCES:
        return False
    return name_of(node) != NOW or bool(node["arguments"])


def with_keywords(call: Node) -> Node:
    """Return a call with ``every_other`` as a text, which no column is looked up for."""

    def read(argument: Node) -> Node:
        node = argument["expression"]
        if node.get("class") != "COLUMN_REF" or [name.lower() for name in node["column_names"]] != [EVERY_OTHER]:
            return argument
        return {**argument, "expression": expression(f"'{EVERY_OTHER}'")}

    return {**call, "arguments": [read(argument) for argument in call["arguments"]]}


def sequence_call(call: Node) -> SequenceCall:
    """Return what a call of a sequence function says.

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
    return SequenceCall(name, arguments[: takes.values], min(number, _MOST), step)
