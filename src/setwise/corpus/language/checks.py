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

from setwise.bitboard import FILE_NAMES, RANK_NAMES, SQUARE_NAMES, Bitboard
from setwise.corpus.columns import COLUMNS, Column
from setwise.corpus.columns.domains import Domain, domain_of
from setwise.corpus.columns.registry import lowered
from setwise.corpus.language.each import EACH
from setwise.corpus.language.kinds import LIST, NUMBER, SET, TEXT, TRUTH, Kinds, Known
from setwise.corpus.language.set_names import SETS_BY_NAME
from setwise.corpus.language.tree import (
    Node,
    arguments_of,
    children,
    constant_of,
    cut,
    expression,
    name_of,
    number_of,
    rewritten,
    text_of,
)
from setwise.errors import QueryError

__all__ = ["check", "check_ordered", "check_truth", "column_named_in"]

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
#: Operators that compare a text with a pattern, as messages write them.
_LIKES = {"~~": "like", "!~~": "not like", "~~*": "ilike", "!~~*": "not ilike", "~~~": "glob"}
_IN_LISTS = frozenset({"contains", "list_contains", "list_has", "array_contains", "array_has", "list_position"})
#: Operators of bits with two operands, and functions that take their arguments as numbers.
_OF_SETS = frozenset({"&", "|", "xor"})
_OF_NUMBERS = frozenset({"+", "-", "*", "/", "//", "%", "**", "^"})
_TAKE_NUMBERS = _OF_NUMBERS | frozenset(
    """greatest least abs sign sqrt cbrt exp ln log log2 log10 pow power round floor ceil ceiling trunc mod fmod gcd lcm
    add subtract multiply divide even factorial sum avg mean median min max product stddev stddev_pop stddev_samp
    variance var_pop var_samp quantile quantile_cont quantile_disc approx_quantile mad skewness kurtosis fsum kahan_sum
    sumkahan favg corr covar_pop covar_samp width_bucket range generate_series""".split()
)
#: Aggregates that order by their second argument.
_ORDER_BY_SECOND = frozenset({"arg_min", "arg_max", "min_by", "max_by", "argmin", "argmax"})
#: What is meant by a sum and a difference of sets.
_OF_SQUARES = {"+": "{} | {} has the squares of both", "-": "{} & ~{} has the squares of one that are not in the other"}
#: How long an expression may be that a message says to write.
_LONGEST = 200
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
        for order in node.get("orders") or ():
            check_ordered(order["expression"], known)
        if node.get("class") == "LAMBDA":
            check(node["expr"], _within(node, known, None), queries)
            return
        _NodeCheck(known).node(node)
        if node.get("class") == "FUNCTION" and any(map(_is_each, arguments_of(node))):
            for argument in arguments_of(node):
                is_lambda = argument.get("class") == "LAMBDA"
                inner = _within(argument, known, COLUMNS["occupied"]) if is_lambda else known
                check(argument["expr"] if is_lambda else argument, inner, queries)
            return
    for child in children(node):
        check(child, known, queries)


def check_truth(node: Node, known: Known) -> None:
    """Raise ``QueryError`` if an expression that must be true or false is a column of texts or lists."""
    column = Kinds(known).column_of(node)
    if column is not None and (kind := Kinds(known).of(node)) in {TEXT, LIST}:
        name = _text(node)
        raise QueryError(f"{name} is {kind}, not true or false: write {name} is not null, or {name} is null")


def check_ordered(node: Node, known: Known) -> None:
    """Raise ``QueryError`` if an expression by which rows are ordered is a set of squares."""
    if Kinds(known).is_set(node):
        raise _not_a_number(f"an order by {_text(node)}", node, [node])


def _within(function: Node, known: Known, column: Column | None) -> Known:
    """What references inside a lambda name: its parameters have the values of ``column``, or any values for None."""
    bound = {name.lower() for part in _references(function["lhs"]) for name in part["column_names"]}
    return lambda names: column if names[0].lower() in bound else known(names)


def _is_each(node: Node) -> bool:
    return node.get("class") == "FUNCTION" and name_of(node) == EACH


def _references(node: Any) -> Iterator[Node]:
    if isinstance(node, dict) and node.get("class") == "COLUMN_REF":
        yield node
    for child in children(node):
        yield from _references(child)


class _NodeCheck(Kinds):
    """The checks of one node."""

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
        elif kind == "CONJUNCTION" or node.get("type") == "OPERATOR_NOT":
            for child in node["children"]:
                check_truth(child, self.known)
        elif kind == "BETWEEN":
            bounds = node["lower"], node["upper"]
            self.check_numbers(node, [node["input"], *bounds])
            self.check_comparison(node["input"], ">=", bounds[0], node)
            self.check_comparison(node["input"], "<=", bounds[1], node)
        elif kind in {"FUNCTION", "WINDOW"}:
            self.function(node)

    def function(self, node: Node) -> None:
        name, arguments = name_of(node), arguments_of(node)
        if name in _LIKE and len(arguments) == 2:
            text = constant_of(arguments[1])
            if isinstance(text, str) and not {"%", "_", "\\"} & {*text}:
                self.check_comparison(arguments[0], _LIKE[name], arguments[1], node)
        if name in _LIKES:
            self.check_texts(node, arguments)
        elif name in _IN_LISTS and len(arguments) == 2:
            self.check_element(arguments[0], arguments[1])
        elif name in _OF_SETS:
            self.check_sets(node, arguments)
        elif name == "bit_count" and arguments:
            self.check_counted(arguments[0])
        elif name in {"||", "!"}:
            self.check_sign(name, arguments)
        elif name in _ORDER_BY_SECOND:
            self.check_numbers(node, arguments[1:])
        elif name in _TAKE_NUMBERS:
            if name in _POWERS and any(map(self.is_set, arguments)):
                raise QueryError(f"{name} is a power: the squares that are in exactly one of two sets are xor(a, b)")
            # set & (set - 1) <> 0 is the usual test for more than one square.
            if name != "-" or [constant_of(it) for it in arguments[1:]] != [1]:
                self.check_numbers(node, arguments)

    def check_numbers(self, node: Node, parts: list[Node]) -> None:
        """Raise an error if one of the parts, which an expression takes as numbers, is a set."""
        if sets := list(filter(self.is_set, parts)):
            raise _not_a_number(_text(node), node, sets)

    def check_sets(self, node: Node, parts: list[Node]) -> None:
        """Raise an error if an operation of sets has an operand that cannot be one."""
        for part in parts:
            kind, value = self.of(part), constant_of(part)
            if kind == TEXT:
                instead = f"write squares('{_squares_in(value)}')" if isinstance(value, str) else "squares('e4') is one"
                raise QueryError(f"{_text(node)} has a text where a set of squares belongs: {instead}")
            if kind == NUMBER and self.column_of(part) is not None and any(map(self.is_set, parts)):
                raise QueryError(f"{_text(part)} is a number, not a set of squares: {_text(node)} means nothing")

    def check_counted(self, part: Node) -> None:
        """Raise an error if what ``bit_count`` counts is no set."""
        kind, value = self.of(part), constant_of(part)
        if kind not in {"", SET} and (kind != NUMBER or self.column_of(part) is not None):
            instead = {
                TEXT: f"bit_count(squares('{_squares_in(value)}'))" if isinstance(value, str) else "",
                LIST: f"len({_text(part)}) is the length of a list",
            }
            advice = f": {instead[kind]}" if instead.get(kind) else ""
            raise QueryError(f"bit_count counts the squares of a set, and {_text(part)} is {kind}{advice}")

    def check_sign(self, name: str, parts: list[Node]) -> None:
        """Raise an error for a sign of other languages."""
        texts, kinds = [*map(_text, parts)], [*map(self.of, parts)]
        if name == "!":
            negated = f"~{texts[0]} is the complement of a set" if kinds == [SET] else f"write not {texts[0]}"
            raise QueryError(f"there is no !: {negated}")
        if SET in kinds:
            raise QueryError(f"|| joins texts: the squares of both sets are {' | '.join(texts)}")
        if TRUTH in kinds:
            raise QueryError(f"|| joins texts: write {' or '.join(texts)}")

    def check_texts(self, node: Node, parts: list[Node]) -> None:
        """Raise an error if a comparison with a pattern has anything but texts."""
        sign = _LIKES[name_of(node)]
        for part in parts:
            kind = self.of(part)
            if kind in {"", TEXT}:
                continue
            texts = {
                LIST: f"list_contains({_text(part)}, …) asks for an element",
                SET: f"has({_text(part)}, 'e4') asks for squares",
                NUMBER: f"write '{_text(part)}'" if self.column_of(part) is None else "",
            }
            advice = f": {texts[kind]}" if texts.get(kind) else ""
            raise QueryError(f"{sign} compares texts, and {_text(part)} is {kind}{advice}")

    def check_element(self, listed: Node, value: Node) -> None:
        """Check that a literal can be in a list."""
        if self.is_set(listed):
            text, squares = _text(listed), constant_of(value)
            asks = f"{_text(value)} & {text} <> 0 asks whether two sets have a common square"
            if isinstance(squares, str):
                asks = f"write has({text}, '{_squares_in(squares)}')"
            raise QueryError(f"in looks into lists and texts, and {text} is a set of squares: {asks}")
        column = self.column_of(listed)
        if column is not None and column.domain is not None and pa.types.is_list(column.type):
            _check_value(column.domain, "=", _literal(value), f"{_text(value)} in {_text(listed)}")

    def check_comparison(self, one: Node, sign: str, other: Node, node: Node) -> None:
        """Check the comparison of an expression with a literal."""
        value = _literal(other)
        if not sign:
            return
        if self.is_set(one):
            self.check_set_comparison(one, sign, other, node)
        column = self.column_of(one)
        if column is not None and value is not _UNKNOWN:
            self.check_value(column, one, sign, other, node)
        self.check_kinds(one, other, node)

    def check_value(self, column: Column, one: Node, sign: str, other: Node, node: Node) -> None:
        """Check the comparison of the values of a column with a literal."""
        value = _literal(other)
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

    def check_set_comparison(self, one: Node, sign: str, other: Node, node: Node) -> None:
        """Check that a set is compared with another one for equality, or with 0."""
        value, kind = _literal(other), self.of(other)
        if isinstance(value, str) and not value.strip().isdigit():
            names = _squares_in(value)
            raise QueryError(
                f"{_text(node)} compares a set of squares with a text: {_text(one)} = squares('{names}') asks for this "
                f"very set, has({_text(one)}, '{names}') whether the squares are in it"
            )
        if kind == TRUTH:
            raise QueryError(
                f"{_text(node)} means nothing, since {_text(one)} is a set of squares: {_text(one)} <> 0 asks whether "
                "there are any"
            )
        column = self.column_of(one)
        is_of_one = column is not None and column.domain is not None  # whose domain says that it is one square
        is_ordered = sign in _ORDERED and (sign, value) != (">", 0) and value is not None
        if is_ordered or (kind == NUMBER and value != 0 and not (is_of_one and value is not _UNKNOWN)):
            raise _not_a_number(_text(node), node, list(filter(self.is_set, (one, other))))

    def check_kinds(self, one: Node, other: Node, node: Node) -> None:
        """Check that values of two kinds can be compared."""
        kind, beside, value = self.of(one), self.of(other), _literal(other)
        if not kind or not beside or kind == beside or SET in {kind, beside}:
            return
        text, other_text = _text(one), _text(other)
        if kind == LIST:
            raise QueryError(f"{text} is a list: list_contains({text}, {other_text}) asks whether a value is in it")
        if kind == NUMBER and isinstance(value, bool):
            raise QueryError(f"{text} is a number, not true or false: write {text} > 0, or {text} = 0")
        if kind == NUMBER and isinstance(value, str) and not any(map(str.isdigit, value)):
            raise QueryError(f"{text} is a number, and {other_text} is a text")
        if kind == TEXT and (column := self.column_of(one)) is not None:
            if beside == TRUTH:
                check_truth(one, self.known)
            if text.endswith("date"):
                instead = "year is the year of a game as a number"
            elif column.domain is not None:
                instead = f"{column.domain.describe(value)}; texts are written in single quotes"
            else:
                instead = f"texts are written in single quotes, as '{other_text}'"
            raise QueryError(f"{text} is a text, not {beside}: {instead}")


def _squares_in(text: str) -> str:
    """A text if it names squares, else an example."""
    return cut(text) if text.split() and {*text.split()} <= {*SQUARE_NAMES} else "e4"


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
        return _set_named(value)
    return cut(_written(node))


def _set_named(word: int) -> str:
    """A set as it is written: by its files, its ranks or its squares."""
    for function, names in (("files", FILE_NAMES), ("ranks", RANK_NAMES)):
        of = SETS_BY_NAME[function]
        whole = " ".join(name for name in names if of(name) & ~word == 0)
        if whole and of(whole) == word:
            return f"{function}('{whole}')"
    return f"squares('{' '.join(Bitboard(word).names())}')"


def _written(node: Node) -> str:
    """An expression as its user would write it."""
    text = _KEYWORDS.sub(lambda word: word[0].lower(), text_of(rewritten(node, _readable)).replace('"', ""))
    text = text.replace(" != ", " <> ")
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


_KEYWORDS = re.compile(r"\b(?:AND|BETWEEN|CASE|COALESCE|ELSE|END|IN|IS|NOT|NULL|OR|THEN|WHEN)\b")


def _readable(node: Node) -> Node:
    """A node whose SQL a reader would write: sets by their squares, windows without their frames."""
    if node.get("class") == "WINDOW" or (node.get("class") == "CAST" and isinstance(_literal(node), int)):
        return {**expression("name"), "column_names": [_text(node)]}
    return node


def _not_a_number(written: str, node: Node, sets: list[Node]) -> QueryError:
    """An error for an expression that takes sets as numbers: how it is written with the numbers of their squares."""

    def counted(part: Node) -> Node:
        return expression("bit_count(x)", x=part) if part in sets else part

    first, *others = dict.fromkeys(map(_text, sets))
    are = f"and {others[0]} are sets" if others else "is a set"
    instead = f"{first} <> 0 asks whether there are any"
    if node.get("class") == "FUNCTION" and others:
        instead = _OF_SQUARES.get(name_of(node), instead).format(first, others[0])
    elif node.get("type") in {"COMPARE_EQUAL", "COMPARE_NOTEQUAL"}:
        instead = f"{first} = squares('e4') asks for this very set"
    return QueryError(
        f"{cut(written)} means nothing, since {first} {are} of squares: "
        f"{cut(_written(rewritten(node, counted)), _LONGEST)} takes the numbers of squares, {instead}"
    )
