"""Checks of comparisons before anything is read, so that those that cannot be meant raise an error.

A condition that compares a column with a value that the column never holds would match nothing in any source, and a set
of squares is not a number. ``Column.domain`` defines which values a column can hold.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.corpus.columns import COLUMNS, Column
from setwise.corpus.columns.domains import Domain, domain_of
from setwise.corpus.columns.registry import lowered
from setwise.corpus.language.functions import pattern_named
from setwise.corpus.language.tree import Node, arguments_of, children, constant_of, cut, name_of, number_of, text_of
from setwise.errors import QueryError

__all__ = ["Known", "check", "check_ordered", "column_named_in"]

#: Maps the parts of a reference's name to its column; None if the reference names something else.
Known = Callable[[list[str]], Column | None]

_SIGNS = {
    "COMPARE_EQUAL": "=", "COMPARE_NOTEQUAL": "<>", "COMPARE_LESSTHAN": "<", "COMPARE_GREATERTHAN": ">",
    "COMPARE_LESSTHANOREQUALTO": "<=", "COMPARE_GREATERTHANOREQUALTO": ">=", "COMPARE_DISTINCT_FROM": "<>",
    "COMPARE_NOT_DISTINCT_FROM": "=",
}  # fmt: skip
_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_LIKE = {"~~": "=", "!~~": "<>"}
_IN_LISTS = frozenset({"contains", "list_contains", "list_has", "array_contains", "array_has", "list_position"})
#: Functions that return a value of their first argument, with the largest number of arguments for which they do.
_RETURN_FIRST_ARGUMENT = {
    "next": 2, "previous": 2, "now": 1, "lag": 2, "lead": 2, "nth_value": 2, "first_value": 1, "last_value": 1,
    "any_value": 1, "first": 1, "last": 1, "min": 1, "max": 1, "mode": 1, "arg_max": 2, "arg_min": 2,
    "max_by": 2, "min_by": 2,
}  # fmt: skip
_OF_SETS = frozenset({"&", "|", "xor", "~", "<<", ">>"})
_OF_NUMBERS = frozenset({"+", "-", "*", "/", "//", "%", "**", "^"})
_POWERS = frozenset({"**", "^"})


def column_named_in(others: Iterable[str]) -> Known:
    """Return a function from references in a condition to columns; ``others`` are columns of the source itself."""
    own = {name.lower() for name in others}

    def known(names: list[str]) -> Column | None:
        name = lowered(names[-1])
        return None if name.lower() in own else COLUMNS.get(name)

    return known


def check(node: Any, known: Known, queries: Callable[[Node], Any] | None = None) -> None:
    """Raise ``QueryError`` for comparisons in a tree that cannot be meant.

    Args:
        node: an expression, or a part of one.
        known: the columns that its references name.
        queries: called for each query inside the expression, to check it.
    """
    if isinstance(node, dict):
        if str(node.get("type")).endswith("_NODE") and queries is not None:
            queries(node)
            return
        if node.get("class") == "LAMBDA":
            bound = {name.lower() for part in _references(node["lhs"]) for name in part["column_names"]}
            check(node["expr"], lambda names: None if names[0].lower() in bound else known(names), queries)
            return
        _NodeCheck(known).node(node)
    for child in children(node):
        check(child, known, queries)


def check_ordered(node: Node, known: Known) -> None:
    """Raise ``QueryError`` if an expression by which rows are ordered is a set of squares."""
    if _NodeCheck(known).is_set(node):
        raise _not_a_number(node, f"an order by {_text(node)}")


def _references(node: Any) -> Iterator[Node]:
    if isinstance(node, dict) and node.get("class") == "COLUMN_REF":
        yield node
    for child in children(node):
        yield from _references(child)


class _NodeCheck:
    """The checks of one node."""

    def __init__(self, known: Known) -> None:
        self.known = known

    def node(self, node: Node) -> None:
        kind = node.get("class")
        if kind == "COMPARISON":
            sign = _SIGNS.get(node["type"], "")
            self.check_comparison(node["left"], sign, node["right"], node)
            self.check_comparison(node["right"], _MIRRORED.get(sign, sign), node["left"], node)
        elif kind == "OPERATOR" and node.get("type") == "COMPARE_IN":
            first, *values = node["children"]
            for value in values:
                self.check_comparison(first, "=", value, node)
        elif kind == "BETWEEN":
            if self.is_set(node["input"]):
                raise _not_a_number(node["input"], "between")
            self.check_comparison(node["input"], ">=", node["lower"], node)
            self.check_comparison(node["input"], "<=", node["upper"], node)
        elif kind == "FUNCTION":
            self.function(node)

    def function(self, node: Node) -> None:
        name, arguments = name_of(node), arguments_of(node)
        if name in _LIKE and len(arguments) == 2:
            text = constant_of(arguments[1])
            if isinstance(text, str) and not {"%", "_", "\\"} & {*text}:
                self.check_comparison(arguments[0], _LIKE[name], arguments[1], node)
        elif name in _IN_LISTS and len(arguments) == 2:
            self.check_element(arguments[0], arguments[1])
        elif name in _OF_NUMBERS:
            sets = [argument for argument in arguments if self.is_set(argument)]
            numbers = [constant_of(argument) for argument in arguments if isinstance(constant_of(argument), int)]
            # set & (set - 1) <> 0 is the usual test for more than one square.
            if sets and numbers and not (name == "-" and numbers == [1]):
                raise _not_a_number(sets[0], text_of(node))
            if sets and name in _POWERS:
                raise QueryError(f"{name} is a power: the squares that are in exactly one of two sets are xor(a, b)")

    def column_of(self, node: Node) -> Column | None:
        """The column whose values an expression has; None if there is no such column."""
        if node.get("class") == "COLUMN_REF":
            return self.known(node["column_names"])
        if node.get("class") in {"FUNCTION", "WINDOW"} and not node.get("is_operator"):
            arguments = arguments_of(node)
            if 1 <= len(arguments) <= _RETURN_FIRST_ARGUMENT.get(name_of(node), 0):
                return self.column_of(arguments[0])
        return None

    def is_set(self, node: Node) -> bool:
        """Whether an expression is a set of squares, as far as its outermost operation shows."""
        column = self.column_of(node)
        if column is not None:
            return column.is_set
        if node.get("class") != "FUNCTION":
            return False
        if name_of(node) in _OF_SETS:
            return self.is_set(arguments_of(node)[0])
        pattern = pattern_named(name_of(node))
        return pattern is not None and pattern.returns.is_set

    def check_element(self, listed: Node, value: Node) -> None:
        """Check that a literal can be in a list."""
        column = self.column_of(listed)
        if column is not None and column.domain is not None and pa.types.is_list(column.type):
            _check_value(column.domain, "=", _literal(value), f"{_text(value)} in {_text(listed)}")

    def check_comparison(self, one: Node, sign: str, other: Node, node: Node) -> None:
        """Check the comparison of an expression with a literal."""
        value = _literal(other)
        if value is _UNKNOWN or not sign:
            return
        if self.is_set(one):
            self.check_set_comparison(one, sign, value, node)
        column = self.column_of(one)
        if column is None:
            return
        if value is None:
            if "DISTINCT" not in str(node.get("type")) and node.get("class") == "COMPARISON":
                name = _text(one)
                raise QueryError(f"{name} {sign} null is never true: write {name} is null, or {name} is not null")
            return
        domain = column.domain if column.domain is not None else domain_of(column.type)
        if column.is_set and (
            sign == "<>" or isinstance(value, str)
        ):  # set <> 0 is the usual test for a set with squares
            return
        if domain is not None and not pa.types.is_list(column.type):
            _check_value(domain, sign, value, f"{_text(one)} {sign} {_text(other)}")

    def check_set_comparison(self, one: Node, sign: str, value: Any, node: Node) -> None:
        if sign in _ORDERED and isinstance(value, int) and not isinstance(value, bool) and (sign, value) != (">", 0):
            raise _not_a_number(one, _text(node))
        if isinstance(value, bool):
            raise _not_a_number(one, _text(node))
        if isinstance(value, str) and not value.strip().isdigit():
            names = cut(value) if {*value.split()} <= {*SQUARE_NAMES} else "e4"
            raise QueryError(
                f"{_text(node)} compares a set of squares with a text: {_text(one)} = squares('{names}') asks for this "
                f"very set, has({_text(one)}, '{names}') whether the squares are in it"
            )


def _check_value(domain: Domain, sign: str, value: Any, comparison: str) -> None:
    if value is _UNKNOWN or value is None:
        return
    values = domain.values
    if values and isinstance(values[0], float) and isinstance(value, str):
        value = float(value) if re.fullmatch(r"\s*[\d.]+\s*", value) else value
    if values and isinstance(values[0], str) and not isinstance(value, str):
        return  # DuckDB refuses to compare a text with another type
    if sign in {"=", "<>"}:
        if not domain.admits(value):
            always = "never matches" if sign == "=" else "excludes nothing"
            raise QueryError(f"{comparison} {always}: {domain.describe(value)}")
        return
    candidates = [it for it in values or domain.ends if isinstance(it, str) is isinstance(value, str)]
    if candidates and not any(_ORDERED[sign](it, value) for it in candidates):
        raise QueryError(f"{comparison} never matches: {domain.describe(value)}")


class _Unknown:
    """Stands for the value of an expression that is not a literal."""


_UNKNOWN = _Unknown()


def _literal(node: Node) -> Any:
    """The value of a literal: a text, number, boolean or set, None for null; _UNKNOWN for other expressions."""
    if node.get("class") == "CAST":
        value = _literal(node["child"])
        return value if isinstance(value, int) and name_of(node["type_expr"]) == "ubigint" else _UNKNOWN
    if node.get("class") != "CONSTANT":
        return _UNKNOWN
    literal = node["literal"]
    kind, text = literal["kind"], literal.get("text")
    if kind == "NULL_LITERAL":
        return None
    if kind == "STRING":
        return text
    if kind == "BOOLEAN":
        return text == "true"
    if kind == "INTEGER":
        return number_of(text)
    return float(text) if kind == "NUMERIC" else _UNKNOWN


def _text(node: Node) -> str:
    """An expression as messages show it."""
    if node.get("class") == "WINDOW":
        return f"{name_of(node)}({', '.join(map(_text, arguments_of(node)))}) over …"
    if node.get("class") == "COLUMN_REF":
        return str(node["column_names"][-1])
    value = _literal(node)
    if node.get("class") == "CONSTANT" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if node.get("class") == "CAST" and isinstance(value, int) and 0 <= value < 1 << 64:
        return f"squares('{' '.join(Bitboard(value).names())}')"
    text = text_of(node).replace('"', "")
    return cut(text[1:-1] if text.startswith("(") and text.endswith(")") else text)


def _not_a_number(node: Node, written: str) -> QueryError:
    text, written = (cut(it.replace('"', "")) for it in (text_of(node), written))
    return QueryError(
        f"{written} means nothing, since {text} is a set of squares: bit_count({text}) counts them, {text} <> 0 asks "
        "whether there are any"
    )
