"""The kind of an expression, as far as its tree shows: a set of squares, a number, a text, a truth or a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

from setwise.corpus.columns import COLUMNS, Column
from setwise.corpus.language.functions import pattern_named
from setwise.corpus.language.tree import Node, arguments_of, name_of

__all__ = ["LIST", "NUMBER", "SET", "TEXT", "TRUTH", "Kinds", "Known"]

#: The kinds, in the words of messages; the empty text is an unknown kind.
SET, NUMBER, TEXT, TRUTH, LIST = "a set of squares", "a number", "a text", "true or false", "a list"

#: Maps the parts of a reference's name to its column; None if the reference names something else.
Known = Callable[[list[str]], Column | None]

#: Functions that return a value of their first argument, with the largest number of arguments for which they do.
_RETURN_FIRST_ARGUMENT = {
    "next": 2, "previous": 2, "now": 1, "lag": 2, "lead": 2, "nth_value": 2, "first_value": 1, "last_value": 1,
    "any_value": 1, "first": 1, "last": 1, "min": 1, "max": 1, "mode": 1, "arg_max": 2, "arg_min": 2,
    "max_by": 2, "min_by": 2,
}  # fmt: skip
#: Functions whose result has the kind of the arguments from this one on.
_RETURN_AN_ARGUMENT = {"ifnull": 0, "nullif": 0, "if": 1, "bit_and": 0, "bit_or": 0, "bit_xor": 0}
#: Functions that return one of their arguments, of which they take sets as numbers.
_TAKE_NUMBERS = frozenset({"greatest", "least", "abs", "min", "max"})
_OF_BITS = frozenset({"&", "|", "xor", "~", "<<", ">>"})
_OF_NUMBERS = frozenset({"+", "-", "*", "/", "//", "%", "**", "^"})
_COUNTS = frozenset({"bit_count", "count", "count_star", "count_if", "len", "length", "streak", "count_of"})
_TRUTHS = frozenset(
    {
        "~~", "!~~", "~~*", "!~~*", "~~~", "contains", "starts_with", "ends_with", "regexp_matches",
        "regexp_full_match", "list_contains", "later", "earlier", "lasts", "until", "bool_or", "bool_and",
    }
)  # fmt: skip
_LITERALS = {"STRING": TEXT, "BOOLEAN": TRUTH, "INTEGER": NUMBER, "NUMERIC": NUMBER}


class Kinds:
    """The kinds of expressions; ``known`` are the columns that their references name."""

    def __init__(self, known: Known) -> None:
        self.known = known

    def column_of(self, node: Node) -> Column | None:
        """Return the column whose values an expression has; None if there is no such column."""
        if node.get("class") == "COLUMN_REF":
            return self.known(node["column_names"])
        if node.get("class") in {"FUNCTION", "WINDOW"} and not node.get("is_operator"):
            arguments = arguments_of(node)
            if 1 <= len(arguments) <= _RETURN_FIRST_ARGUMENT.get(name_of(node), 0):
                return self.column_of(arguments[0])
        return None

    def of(self, node: Node) -> str:
        """Return the kind of an expression."""
        if node.get("class") in {"FUNCTION", "WINDOW"} and name_of(node) in _TAKE_NUMBERS:
            kind = self._first(arguments_of(node))
            return NUMBER if kind == SET else kind
        column = self.column_of(node)
        if column is not None:
            return _kind_of(column)
        match node.get("class"):
            case "CONSTANT":
                return _LITERALS.get(node["literal"]["kind"], "")
            case "CAST":
                constant = node["child"].get("class") == "CONSTANT"
                return SET if constant and name_of(node["type_expr"]) == "ubigint" else ""
            case "COMPARISON" | "CONJUNCTION" | "BETWEEN":
                return TRUTH
            case "OPERATOR":
                return self._first(node["children"]) if node["type"] == "OPERATOR_COALESCE" else _operator(node["type"])
            case "CASE":
                return self._first([*(it["then_expr"] for it in node["case_checks"]), node["else_expr"]])
            case "FUNCTION" | "WINDOW":
                return self._of_call(name_of(node), arguments_of(node))
        return ""

    def value_of(self, node: Node) -> Column | None:
        """Return the column that an expression has the values of, or any column of sets if it is a set."""
        column = self.column_of(node)
        return COLUMNS["occupied"] if column is None and self.is_set(node) else column

    def is_set(self, node: Node) -> bool:
        """Return whether an expression is a set of squares."""
        return self.of(node) == SET

    def _of_call(self, name: str, arguments: list[Node]) -> str:
        if name in _OF_BITS:
            kinds = [*map(self.of, arguments[: 1 if name in {"<<", ">>"} else None])]
            return SET if SET in kinds else kinds[0] if kinds else ""
        if name in _OF_NUMBERS or name in _COUNTS:
            return NUMBER
        if name in _TRUTHS:
            return TRUTH
        if name in _RETURN_AN_ARGUMENT:
            return self._first(arguments[_RETURN_AN_ARGUMENT[name] :])
        if name in _RETURN_FIRST_ARGUMENT and arguments:
            return self.of(arguments[0])
        pattern = pattern_named(name)
        if pattern is None:
            return ""
        return SET if pattern.returns.is_set else TRUTH if pattern.returns.python is bool else NUMBER

    def _first(self, nodes: Iterable[Node]) -> str:
        """The kind of the first node whose kind is known; a set if any of them is one."""
        kinds = list(filter(None, map(self.of, nodes)))
        return SET if SET in kinds else kinds[0] if kinds else ""


def _operator(kind: str) -> str:
    return TRUTH if kind.startswith(("OPERATOR_NOT", "OPERATOR_IS", "COMPARE")) else ""


def _kind_of(column: Column) -> str:
    kind: Any = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if column.is_set:
        return SET
    if pa.types.is_boolean(kind):
        return TRUTH
    if kind == pa.uint64():  # keys of positions, which are compared with constants of that type, as sets are
        return ""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return NUMBER
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return TEXT
    return LIST if pa.types.is_list(kind) else ""
