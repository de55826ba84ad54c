"""The needs of a condition: facts about a game that every game with a match has, and that an index can look up.

A condition whose parts are joined by AND is true in a row only if each part is, so the game must have whatever each
part needs, in any of its rows. A negated part, or one that is computed in another way, needs nothing. If nothing is
needed, every game may have a match.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS
from setwise.corpus.columns.registry import lowered
from setwise.corpus.language.names import keys_of_comparison
from setwise.corpus.language.sequences import NOW, is_sequence, sequence_call
from setwise.corpus.language.tree import Node, arguments_of, name_of
from setwise.corpus.storage.encodings import has_bitmap, without_movers
from setwise.corpus.storage.layout import HasValue, Keys, Need, all_of, any_of
from setwise.position.positions import Positions

# ------------------------------------------------------------------------------------- what a condition needs of a game


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "COMPARE_EQUAL": operator.eq, "COMPARE_NOTEQUAL": operator.ne,
    "COMPARE_LESSTHAN": operator.lt, "COMPARE_GREATERTHAN": operator.gt,
    "COMPARE_LESSTHANOREQUALTO": operator.le, "COMPARE_GREATERTHANOREQUALTO": operator.ge,
}  # fmt: skip
#: Functions whose value is 0 if the first argument is 0; if all arguments are 0; and if one of the arguments is 0.
_OF_FIRST = frozenset({"bit_count", "abs", "<<", ">>"})
_OF_ANY, _OF_ALL = frozenset({"|", "+", "-", "xor", "greatest", "least"}), frozenset({"&", "*"})
#: Sequence functions: each is true only if its condition is true at some ply, or returns its argument's value there.
_SOMEWHERE = frozenset({"next", "previous", "later", "earlier", "streak", "lasts", NOW})
_NUMBERS = frozenset("tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint".split())

#: The digits of the largest whole number of SQL.
_DIGITS = 39


def needs_of(node: Node, source_columns: Iterable[str] = ()) -> Need | None:
    """Return the needs of a condition, which every game with a match has; None if the condition needs nothing.

    >>> from setwise.corpus.language import condition_of
    >>> str(condition_of("own_pinned & squares('e4') <> 0 and later(key = 3) and not is_check").needs)
    '(white_pinned or black_pinned) and the key'
    >>> condition_of("is_check or not is_castling").needs

    Args:
        node: the tree of the condition, with its functions expanded.
        source_columns: columns that the source has itself, which may have any values.
    """
    return _Needs({name.lower() for name in source_columns}).where_true(node)


class _Needs:
    """Finds what a tree needs.

    Args:
        source_columns: the names of columns of which nothing is known.
    """

    def __init__(self, source_columns: set[str]) -> None:
        self.source_columns = source_columns

    def where_true(self, node: Node) -> Need | None:
        """The needs of a condition that is true in some row."""
        match node.get("class"), node.get("type"):
            case "CONJUNCTION", "CONJUNCTION_AND":
                return all_of(*map(self.where_true, node["children"]))
            case "CONJUNCTION", "CONJUNCTION_OR":
                return any_of(*map(self.where_true, node["children"]))
            case "COMPARISON", _:
                return self._where_compared(node, [(node["left"], node["right"]), (node["right"], node["left"])])
            case "OPERATOR", "COMPARE_IN":
                one, *values = node["children"]
                equal = [{"class": "COMPARISON", "type": "COMPARE_EQUAL", "left": one, "right": it} for it in values]
                return self._keys(node) or any_of(*map(self.where_true, equal))
            case "OPERATOR", "OPERATOR_IS_NOT_NULL":
                return self._text(node["children"][0])
        return self.where_something(node)

    def _where_compared(self, node: Node, sides: list[tuple[Node, Node]]) -> Need | None:
        if (keys := self._keys(node)) is not None:
            return keys
        if node["type"] not in _COMPARE:  # null may be distinct from a value
            return None
        needs = [self._text(one) for one, _ in sides]
        holds = _COMPARE[node["type"]]
        for (one, other), is_turned in zip(sides, (False, True), strict=True):
            value = _number_in(other)
            if value is not None and not (holds(value, 0) if is_turned else holds(0, value)):
                needs.append(self.where_something(one))
        return all_of(*needs)

    def where_something(self, node: Node) -> Need | None:
        """The needs of an expression that is neither 0 nor false nor null in some row."""
        if node.get("class") == "COLUMN_REF":
            return self._column(node, is_text=False)
        if node.get("class") == "CAST":
            return self.where_something(node["child"]) if _type_in(node) in {*_NUMBERS, "boolean"} else None
        if node.get("class") in {"COMPARISON", "CONJUNCTION"}:
            return self.where_true(node)
        if node.get("class") != "FUNCTION":
            return None
        if is_sequence(node):
            call = sequence_call(node)
            return self.where_true(call.values[-1]) if call.name in {*_SOMEWHERE, "until"} else None
        name, arguments = name_of(node), arguments_of(node)
        if name in _OF_FIRST and arguments:
            return self.where_something(arguments[0])
        if name in _OF_ALL:
            return all_of(*map(self.where_something, arguments))
        return any_of(*map(self.where_something, arguments)) if name in _OF_ANY else None

    def _keys(self, node: Node) -> Need | None:
        keys = None if self.source_columns & {"key", "fen"} else keys_of_comparison(node)
        return None if keys is None else Keys(keys)

    def _text(self, node: Node) -> Need | None:
        """The needs of an expression that is not null in some row: for texts, whose only empty value is null."""
        return self._column(node, is_text=True) if node.get("class") == "COLUMN_REF" else None

    def _column(self, node: Node, *, is_text: bool) -> Need | None:
        name = lowered(node["column_names"][-1])
        if len(node["column_names"]) > 1 or name in self.source_columns or name not in COLUMNS:
            return None
        names = without_movers(name)
        if not all(map(has_bitmap, names)) or (pa.types.is_dictionary(COLUMNS[name].type) != is_text):
            return None
        return HasValue(names)


def _type_in(node: Node) -> str:
    """The type that a value is cast to."""
    return str(node["type_expr"]["qualified_name"]["path"][-1]).lower()


def _number_in(node: Node) -> int | None:
    """The value of a constant that is a number or a truth value; None for anything else, and for numbers below 0."""
    if node.get("class") == "CAST" and _type_in(node) in _NUMBERS:
        return _number_in(node["child"])
    literal = node.get("literal", {}) if node.get("class") == "CONSTANT" else {}
    text = literal.get("text", "")
    if literal.get("kind") == "BOOLEAN":
        return int(text.lower() == "true")
    is_number = literal.get("kind") == "INTEGER" and text.isdecimal() and len(text) <= _DIGITS
    return int(text) if is_number else None


# ----------------------------------------------------- which columns of a condition with alternatives belong to a match


#: Alternatives of ORs inside each other: a part inside them matters only where all of them hold.
_Nested = tuple[int, ...]


class Marks:
    """For a condition whose parts are joined by OR: the columns of the condition that are shown for each match.

    ``a <> 0 and (b <> 0 or c <> 0)`` shows ``a`` always, and ``b`` and ``c`` where they are not empty. A symmetry is an
    OR of its forms.

    Args:
        tree: the condition, with the functions of the language replaced.
        columns_in: returns the columns that a part names.
        rows_of: returns the rows where a part is true.
    """

    def __init__(
        self, tree: Node, columns_in: Callable[[Node], Iterable[str]], rows_of: Callable[[Node, Positions], np.ndarray]
    ) -> None:
        self._rows_of = rows_of
        self._alternatives: list[Node] = []
        self._where: dict[str, set[_Nested]] = {}
        for part, within in self._parts(tree, ()):
            for name in columns_in(part):
                self._where.setdefault(name, set()).add(within)

    def _parts(self, node: Node, within: _Nested) -> Iterator[tuple[Node, _Nested]]:
        """The parts that are neither AND nor OR, each with the alternatives that it is in."""
        if node.get("class") != "CONJUNCTION":
            yield node, within
            return
        for child in node["children"]:
            if node["type"] == "CONJUNCTION_AND":
                yield from self._parts(child, within)
            else:
                self._alternatives.append(child)
                yield from self._parts(child, (*within, len(self._alternatives) - 1))

    def of(self, positions: Positions) -> dict[str, np.ndarray]:
        """Return the positions where a column is shown, for each column that is not shown for all matches."""
        held: dict[int, np.ndarray] = {}

        def holds(number: int) -> np.ndarray:
            if number not in held:
                held[number] = np.zeros(len(positions), np.bool_)
                held[number][self._rows_of(self._alternatives[number], positions)] = True
            return held[number]

        return {
            name: np.any([np.all([holds(number) for number in within], axis=0) for within in places], axis=0)
            for name, places in self._where.items()
            if () not in places
        }
