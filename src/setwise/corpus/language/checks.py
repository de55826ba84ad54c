"""Errors in conditions: wrong kinds of values, unknown names, comparisons that never match; and what to write instead.

A condition that compares a column with a value that the column never holds would match nothing in any source, and a set
of squares is not a number. ``Column.domain`` defines which values a column can hold, and ``Kinds`` finds whether an
expression is a set, a number, a text or a truth, as far as its tree shows. Every error is one sentence that names the
wrong part and says what to write. Expressions of unknown kind are accepted here: DuckDB checks their types.

    white_pawns > 3  ->  white_pawns > 3 means nothing, since white_pawns is a set of squares: bit_count(white_pawns)
                         > 3 takes the numbers of squares, white_pawns <> 0 asks whether there are any

The last sections find the columns that a statement names in its subqueries, and the texts that a condition compares
columns with. If nothing matches, hints are made from these texts.
"""

from __future__ import annotations

import functools
import itertools
import operator
import re
from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow as pa

from setwise.bitboard import FILE_NAMES, RANK_NAMES, SQUARE_NAMES, Bitboard
from setwise.corpus.columns import COLUMNS, GAMES, Column
from setwise.corpus.columns.registry import Domain, domain_of, lowered, plain_type
from setwise.corpus.language.functions import pattern_named
from setwise.corpus.language.names import EACH, SETS_BY_NAME
from setwise.corpus.language.tree import (
    Node,
    arguments_of,
    called,
    children,
    column_in,
    constant_of,
    cut,
    expression,
    name_of,
    nodes,
    number_of,
    parameters_of,
    rewritten,
    text_of,
    texts_where,
)
from setwise.errors import QueryError, did_you_mean, shortened
from setwise.features import SIDES
from setwise.system.packages import pc

# ------------------------------------------------------------------ the kind of an expression, as far as its tree shows


#: The kinds, in the words of messages; the empty text is an unknown kind.
SET, NUMBER, TEXT, TRUTH, LIST = "a set of squares", "a number", "a text", "true or false", "a list"

#: Maps the parts of a reference's name to its column; None if the reference names something else.
Known = Callable[[list[str]], Column | None]

#: Functions that return a value of their first argument, with the largest number of arguments for which this is true.
_RETURN_FIRST_ARGUMENT = {
    "next": 2, "previous": 2, "now": 1, "lag": 2, "lead": 2, "nth_value": 2, "first_value": 1, "last_value": 1,
    "any_value": 1, "first": 1, "last": 1, "min": 1, "max": 1, "mode": 1, "arg_max": 2, "arg_min": 2,
    "max_by": 2, "min_by": 2,
}  # fmt: skip
#: Functions whose result has the kind of the arguments from this one on.
_RETURN_AN_ARGUMENT = {"ifnull": 0, "nullif": 0, "if": 1, "bit_and": 0, "bit_or": 0, "bit_xor": 0}
#: Functions that return one of their arguments, and that treat sets in their arguments as numbers.
_TAKE_NUMBERS = frozenset({"greatest", "least", "abs", "min", "max"})
_OF_BITS = frozenset({"&", "|", "xor", "~", "<<", ">>"})
_OF_NUMBERS = frozenset({"+", "-", "*", "/", "//", "%", "**", "^"})
_COUNTS = frozenset({"bit_count", "count", "count_star", "count_if", "len", "length", "streak", "count_of"})
_TRUTHS = frozenset(
    """~~ !~~ ~~* !~~* ~~~ contains starts_with ends_with regexp_matches regexp_full_match list_contains later earlier
    lasts until bool_or bool_and""".split()
)
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
                if node["type"] == "OPERATOR_COALESCE":
                    return self._first(node["children"])
                return TRUTH if node["type"].startswith(("OPERATOR_NOT", "OPERATOR_IS", "COMPARE")) else ""
            case "CASE":
                return self._first([*(it["then_expr"] for it in node["case_checks"]), node["else_expr"]])
            case "FUNCTION" | "WINDOW":
                return self._of_call(name_of(node), arguments_of(node))
        return ""

    def value_of(self, node: Node) -> Column | None:
        """Return the column whose values an expression has; for any other set, some column of sets."""
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
        """Return ``SET`` if any of the nodes is a set, or else the kind of the first node whose kind is known."""
        kinds = list(filter(None, map(self.of, nodes)))
        return SET if SET in kinds else kinds[0] if kinds else ""


def _kind_of(column: Column) -> str:
    kind = plain_type(column.type)
    if column.is_set or pa.types.is_boolean(kind):
        return SET if column.is_set else TRUTH
    if kind == pa.uint64():  # keys of positions, which like sets are compared with constants of this type
        return ""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return NUMBER
    return TEXT if is_of_texts(kind) else LIST if pa.types.is_list(kind) else ""


#: The places of the arguments of functions that are conditions, or lambdas with a condition.
_CONDITIONS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("later earlier streak lasts can count_if countif bool_or bool_and".split(), (0,)),
    **dict.fromkeys("either_colour either_color either_wing any_symmetry anywhere".split(), (0,)),
    **dict.fromkeys(("any_of", "all_of", "count_of"), (1,)), "until": (0, 1),
}  # fmt: skip


def with_sets_as_conditions(call: Node, known: Known) -> Node:
    """Return a call in which each set that stands for a condition asks whether it has any squares.

    >>> from setwise.corpus.language.tree import expression, text_of
    >>> text_of(with_sets_as_conditions(expression("later(white_queens)"), column_named_in([])))
    'later((white_queens != 0))'
    """
    places = _CONDITIONS.get(name_of(call).rpartition(" ")[2], ())  # deferred symmetries have words before their names
    arguments = [
        {**it, "expression": _as_condition(it["expression"], known)} if at in places else it
        for at, it in enumerate(call["arguments"])
    ]
    return {**call, "arguments": arguments} if places else call


def _as_condition(node: Node, known: Known) -> Node:
    if node.get("class") == "LAMBDA":
        return {**node, "expr": _as_condition(node["expr"], _within(node, known, COLUMNS["occupied"]))}
    return expression("x <> 0", x=node) if Kinds(known).is_set(node) else node


# ------------------------------------------------------------------------ checks of comparisons before anything is read


_SIGNS_OF_CALLS = {
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
#: Functions that change the case of letters, with the method of Python that does the same, and the letters in words.
_CASES = {"lower": (str.lower, "small"), "upper": (str.upper, "capital")}
_IN_LISTS = frozenset({"contains", "list_contains", "list_has", "array_contains", "array_has", "list_position"})
#: Bit operators with two operands, and functions that take their arguments as numbers.
_OF_SETS = frozenset({"&", "|", "xor"})
_NUMBERS_ONLY = _OF_NUMBERS | frozenset(
    """greatest least abs sign sqrt cbrt exp ln log log2 log10 pow power round floor ceil ceiling trunc mod fmod gcd lcm
    add subtract multiply divide even factorial sum avg mean median min max product stddev stddev_pop stddev_samp
    variance var_pop var_samp quantile quantile_cont quantile_disc approx_quantile mad skewness kurtosis fsum kahan_sum
    sumkahan favg corr covar_pop covar_samp width_bucket range generate_series""".split()
)
#: Aggregates that order by their second argument.
_ORDER_BY_SECOND = frozenset({"arg_min", "arg_max", "min_by", "max_by", "argmin", "argmax"})
#: What to write in place of a sum and a difference of sets.
_OF_SQUARES = {"+": "{} | {} has the squares of both", "-": "{} & ~{} has the squares of one that are not in the other"}
#: The longest expression that a message suggests.
_LONGEST = 200
_POWERS = frozenset({"**", "^"})


def column_named_in(source_columns: Iterable[str]) -> Known:
    """Return a function that maps references in a condition to columns, except columns of the source itself."""
    own = {name.lower() for name in source_columns}

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
        if called(node) and any(called(it) == EACH for it in arguments_of(node)):
            for argument in arguments_of(node):
                is_lambda = argument.get("class") == "LAMBDA"
                inner = _within(argument, known, COLUMNS["occupied"]) if is_lambda else known
                check(argument["expr"] if is_lambda else argument, inner, queries)
            return
    for child in children(node):
        check(child, known, queries)


def check_truth(node: Node, known: Known) -> None:
    """Raise ``QueryError`` if an expression that must be true or false is null, a number, or a column of texts."""
    if _literal(node) is None:
        raise QueryError("null is never true: a value is compared with it by is null, or is not null")
    column = Kinds(known).column_of(node)
    if column is not None and (kind := Kinds(known).of(node)) in {TEXT, LIST}:
        name = _text(node)
        raise QueryError(f"{name} is {kind}, not true or false: write {name} is not null, or {name} is null")
    if Kinds(known).of(node) == NUMBER:
        name = _text(node)
        raise QueryError(f"{name} is a number, not true or false: compare it, as in {name} > 0")


def check_ordered(node: Node, known: Known) -> None:
    """Raise ``QueryError`` if an expression by which rows are ordered is a set of squares."""
    if Kinds(known).is_set(node):
        raise _not_a_number(f"an order by {_text(node)}", node, [node])


def _within(function: Node, known: Known, column: Column | None) -> Known:
    """Return ``Known`` for the inside of a lambda: its parameters have the values of ``column``, or any for None."""
    bound = parameters_of(function)
    return lambda names: column if names[0].lower() in bound else known(names)


class _NodeCheck(Kinds):
    """The checks of one node."""

    def node(self, node: Node) -> None:
        kind = node.get("class")
        if kind == "COLUMN_REF" and len(node["column_names"]) > 1:
            self.check_member(node["column_names"])
        elif kind == "COMPARISON":
            sign = _SIGNS_OF_CALLS.get(node["type"], "")
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

    def check_member(self, names: list[str]) -> None:
        """Raise an error for a member of a column: ``own_pawns.length``."""
        column = self.known(names[-2:-1])
        if column is not None:
            instead = f"bit_count({names[-2]}) is the number of squares" if column.is_set else "write the column alone"
            raise QueryError(f"{'.'.join(names[-2:])} is not SQL, since columns have no members: {instead}")

    def function(self, node: Node) -> None:
        name, arguments = name_of(node), arguments_of(node)
        if name in _LIKE and len(arguments) == 2:
            text = constant_of(arguments[1])
            if isinstance(text, str) and not {"%", "_", "\\"} & {*text}:
                self.check_comparison(arguments[0], _LIKE[name], arguments[1], node)
        if name in _LIKES or name in _OF_TEXTS or name == "contains":
            self.check_case(arguments[0], arguments[-1], node)
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
        elif name in _NUMBERS_ONLY:
            if name in _POWERS and any(map(self.is_set, arguments)):
                raise QueryError(f"{name} is a power: the squares that are in exactly one of two sets are xor(a, b)")
            # set & (set - 1) <> 0 is the usual test for more than one square.
            if name != "-" or [constant_of(it) for it in arguments[1:]] != [1]:
                self.check_numbers(node, arguments)

    def check_numbers(self, node: Node, parts: list[Node]) -> None:
        """Raise an error if an expression treats its parts as numbers and one of them is a set."""
        if sets := list(filter(self.is_set, parts)):
            raise _not_a_number(_text(node), node, sets)

    def check_sets(self, node: Node, parts: list[Node]) -> None:
        """Raise an error if an operation on sets has an operand that cannot be a set."""
        for part in parts:
            kind, value = self.of(part), constant_of(part)
            if kind == TEXT and str(value).lower() in COLUMNS:
                raise QueryError(f"{value} is a column: write it without quotes")
            if kind == TEXT:
                instead = f"write squares('{_squares_in(value)}')" if isinstance(value, str) else "squares('e4') is one"
                raise QueryError(f"{_text(node)} has a text where a set of squares belongs: {instead}")
            if kind == NUMBER and self.column_of(part) is not None and any(map(self.is_set, parts)):
                raise QueryError(f"{_text(part)} is a number, not a set of squares: {_text(node)} means nothing")

    def check_counted(self, part: Node) -> None:
        """Raise an error if the argument of ``bit_count`` is not a set."""
        kind, value = self.of(part), constant_of(part)
        if kind not in {"", SET} and (kind != NUMBER or self.column_of(part) is not None):
            instead = {
                TEXT: f"bit_count(squares('{_squares_in(value)}'))" if isinstance(value, str) else "",
                LIST: f"len({_text(part)}) is the length of a list",
            }
            advice = f": {instead[kind]}" if instead.get(kind) else ""
            raise QueryError(f"bit_count counts the squares of a set, and {_text(part)} is {kind}{advice}")

    def check_sign(self, name: str, parts: list[Node]) -> None:
        """Raise an error for an operator of other languages."""
        texts, kinds = [*map(_text, parts)], [*map(self.of, parts)]
        if name == "!":
            negated = f"~{texts[0]} is the complement of a set" if kinds == [SET] else f"write not {texts[0]}"
            raise QueryError(f"there is no !: {negated}")
        if SET in kinds:
            raise QueryError(f"|| joins texts: the squares of both sets are {' | '.join(texts)}")
        if TRUTH in kinds:
            raise QueryError(f"|| joins texts: write {' or '.join(texts)}")

    def check_texts(self, node: Node, parts: list[Node]) -> None:
        """Raise an error if a comparison with a pattern has an operand that is not a text."""
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
        self.check_case(one, other, node)
        self.check_kinds(one, other, node)

    def check_case(self, one: Node, other: Node, node: Node) -> None:
        """Raise an error if a text in small letters is compared with a literal that has capitals, or the reverse."""
        text = constant_of(other)
        if called(one) in _CASES and isinstance(text, str):
            change, letters = _CASES[name_of(one)]
            never = node.get("type") != "COMPARE_NOTEQUAL" and not called(node).startswith(("!", "regexp"))
            if change(text) != text and never and not called(node).endswith("~~*"):
                wanted = "'" + change(text).replace("'", "''") + "'"
                raise QueryError(
                    f"{_text(node)} never matches: {name_of(one)} returns {letters} letters: write {cut(wanted)}"
                )

    def check_value(self, column: Column, one: Node, sign: str, other: Node, node: Node) -> None:
        """Check the comparison of the values of a column with a literal."""
        value = _literal(other)
        if value is None:
            if "DISTINCT" not in str(node.get("type")) and node.get("class") == "COMPARISON":
                name = _text(one)
                raise QueryError(f"{name} {sign} null is never true: write {name} is null, or {name} is not null")
            return
        domain = column.domain if column.domain is not None else domain_of(column.type)
        is_usual = column.is_set and (sign == "<>" or isinstance(value, str))  # set <> 0 asks whether there are any
        if domain is not None and not is_usual and not pa.types.is_list(column.type):
            _check_value(domain, sign, value, f"{_text(one)} {sign} {_text(other)}")

    def check_set_comparison(self, one: Node, sign: str, other: Node, node: Node) -> None:
        """Check that a set is compared with 0, or is compared with another set for equality."""
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
        is_of_one = column is not None and column.domain is not None  # the domain of one square
        is_ordered = sign in _ORDERED and (sign, value) != (">", 0) and value is not None
        if is_ordered or (kind == NUMBER and value != 0 and not (is_of_one and value is not _UNKNOWN)):
            raise _not_a_number(_text(node), node, list(filter(self.is_set, (one, other))))

    def check_kinds(self, one: Node, other: Node, node: Node) -> None:
        """Check that the kinds of two expressions can be compared."""
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
    """Return a text if it names squares, or else an example."""
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


#: Stands for the value of an expression that is not a literal.
_UNKNOWN = object()


def _literal(node: Node) -> Any:
    """Return the value of a literal: a text, number, boolean or set, None for null; _UNKNOWN for other expressions."""
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
    """Return an expression as messages show it."""
    if node.get("class") == "WINDOW":
        return f"{name_of(node)}({', '.join(map(_text, arguments_of(node)))}) over …"
    if name := column_in(node):
        return name
    value = _literal(node)
    if node.get("class") == "CONSTANT" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return cut("'" + value.replace("'", "''") + "'")
    if node.get("class") == "CAST" and isinstance(value, int) and 0 <= value < 1 << 64:
        return _set_named(value)
    return cut(_written(node))


def _set_named(word: int) -> str:
    """Return a set as it is written in a condition: by its files, its ranks or its squares."""
    for function, names in (("files", FILE_NAMES), ("ranks", RANK_NAMES)):
        of = SETS_BY_NAME[function]
        whole = " ".join(name for name in names if of(name) & ~word == 0)
        if whole and of(whole) == word:
            return f"{function}('{whole}')"
    return f"squares('{' '.join(Bitboard(word).names())}')"


def _written(node: Node) -> str:
    """Return an expression as a user would write it."""
    text = _KEYWORDS.sub(lambda word: word[0].lower(), text_of(rewritten(node, _readable)).replace('"', ""))
    text = text.replace(" != ", " <> ").replace(" ~~ ", " like ").replace(" !~~ ", " not like ")
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


_KEYWORDS = re.compile(r"\b(?:AND|BETWEEN|CASE|COALESCE|ELSE|END|IN|IS|NOT|NULL|OR|THEN|WHEN)\b")


def _readable(node: Node) -> Node:
    """Return a node with the SQL that a user would write: sets by their squares, windows without their frames."""
    if node.get("class") == "WINDOW" or (node.get("class") == "CAST" and isinstance(_literal(node), int)):
        return {**expression("name"), "column_names": [_text(node)]}
    return node


def _not_a_number(written: str, node: Node, sets: list[Node]) -> QueryError:
    """Return the error for an expression with sets as numbers; it shows the expression with numbers of squares."""

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


# --------------------------------------------------------------------------------- what to write in place of bad syntax


_QUOTED = re.compile(r"'(?:[^']|'')*'")
_NEAR = re.compile(r'syntax error at or near "(?P<word>.*)"')
_TWO_WORDS = re.compile(r"(?<![\w.])(?=([a-z]+) ([a-z]\w*))", re.IGNORECASE)


@functools.cache
def _advice() -> dict[str, dict[str, str]]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("advice.toml").read_text("utf-8"))


def advice_on(text: str, *tables: str) -> str | None:
    """Return the advice of the first form in some tables of ``advice.toml`` that a text has; None if it has none."""
    for form, advice in itertools.chain.from_iterable(_advice()[table].items() for table in tables):
        if found := re.search(form, text, re.IGNORECASE):
            return advice.format(**{name: _IN_WORDS.get(name, str)(it) for name, it in found.groupdict().items()})
    return None


def _types_in_words(types: str) -> str:
    """Return types of DuckDB in the words of messages: ``a text and a number``."""
    return " and ".join(map(_type_in_words, types.split(", "))) if types else "nothing"


def _type_in_words(name: str) -> str:
    bare = name.removesuffix("_LITERAL").partition("(")[0]
    if re.match(r"U?(TINY|SMALL|BIG|HUGE)?INT|DOUBLE|FLOAT|DECIMAL|INTEGER", bare) and bare not in _KINDS_OF_TYPES:
        bare = "INTEGER"
    return LIST if name.endswith("[]") else _KINDS_OF_TYPES.get(bare, bare.lower())


_KINDS_OF_TYPES = {
    "VARCHAR": TEXT, "STRING": TEXT, "UBIGINT": SET, "UINT64": SET, "BOOLEAN": TRUTH, "BOOL": TRUTH, "INTEGER": NUMBER
}  # fmt: skip
#: How the groups of forms are written, except those that are written as they are.
_IN_WORDS: dict[str, Callable[[str], str]] = {
    "one": _types_in_words, "other": _types_in_words, "text": cut, "sign": lambda name: _LIKES.get(name, name)
}  # fmt: skip


def why_not_sql(text: str, reason: str, *, is_condition: bool = True) -> str:
    """Return why a text is not SQL, and what to write instead.

    >>> why_not_sql("is_check limit 5", 'syntax error at or near "limit"')
    'the number of matches is --limit, or limit= in Python'

    Args:
        text: the condition or statement.
        reason: DuckDB's reason.
        is_condition: whether the text is a condition, or another expression.
    """
    bare = _QUOTED.sub("''", text)
    for one, other in _TWO_WORDS.findall(bare):
        if f"{one}_{other}".lower() in COLUMNS:
            return f"{one} {other} is a column in one word: {one}_{other}".lower()
    if advice := advice_on(bare, *(["outside"] if is_condition else []), "syntax"):
        return advice
    phrase = None if is_condition else re.search(r"\bwhere\s+([a-z][\w' -]*)$", bare.strip(), re.IGNORECASE)
    if near := _NEAR.search(reason):
        from setwise.corpus.lexicon import way_of

        if phrase and (way := way_of(phrase[1], misspelt=False)):
            return f"{shortened(phrase[1])} is no column{way}"
        word = shortened(near["word"], 30)
        return f"{word} cannot stand there: conditions are joined by and, or or, values by operators"
    return reason


# ------------------------------------------------------------------------------------- hints about names in a condition


_NAMES = frozenset(f"{side}_name" for side in SIDES)
_EQUAL = frozenset({"COMPARE_EQUAL", "COMPARE_NOT_DISTINCT_FROM"})

#: The form of all names of columns, except tags.
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")


def unknown_column(name: str, tree: Any, known: Iterable[str]) -> str:
    """Return the message about an unknown name; if the user may mean a text, it says how texts are written.

    Args:
        name: the name as it is written.
        tree: the condition or statement that contains it.
        known: the names of the columns.
    """
    from setwise.corpus.lexicon import has_word, is_like, way_of

    is_name = len(name) > 2 and _PLAIN_NAME.fullmatch(name.lower())
    near = did_you_mean(name.lower()[:60], known) if is_name and is_like(name.lower()[:60], known, 0.7) else ""
    odd = name in SQUARE_NAMES or (not near and not _PLAIN_NAME.fullmatch(name))
    advice, beside = "", _stands_beside_text(name, tree)
    if has_word(name) and not beside and name not in SQUARE_NAMES:
        return f"there is no column {shortened(name)}{way_of(name)}"
    if beside == "literal" and is_name and (way := way_of(name, misspelt=False)):  # winner = 'white'
        return f"there is no column {shortened(name)}{way}"
    if odd or beside:
        text = name[:40].replace("'", "''")
        advice = f"; texts are written in single quotes: '{text}'"
        near = "" if beside == "column" and not is_like(name.lower()[:60], known) else near
    way = way_of(name) if is_name and not advice and not is_like(name.lower()[:60], known) else ""
    return f"there is no column {shortened(name)}{advice}{way or near}"


def _stands_beside_text(name: str, node: Any) -> str:
    """Return what a name is compared with, or passed to a function together with: a ``column`` of texts, a ``literal``.

    It is empty for anything else.
    """
    if isinstance(node, dict) and node.get("class") not in {None, "CONJUNCTION"}:
        parts = list(_parts(node))
        if name in map(column_in, parts):
            texts = [bool(column_in(part)) for part in parts if _is_text(part)]
            if texts:
                return "column" if any(texts) else "literal"
    return next(filter(None, (_stands_beside_text(name, child) for child in children(node))), "")


def _parts(node: Node) -> Iterator[Node]:
    """Yield the direct subexpressions of an expression."""
    for child in children(node):
        if isinstance(child, dict) and child.get("class"):
            yield child
        else:
            yield from _parts(child)


def _is_text(node: Node) -> bool:
    if name := column_in(node):
        column = COLUMNS.get(lowered(name))
        return column is not None and is_of_texts(column.type)
    return isinstance(constant_of(node), str)


def names_of_players(tree: Any, source_columns: Container[str] = ()) -> Iterator[str]:
    """Yield the texts that names of players are compared with for equality.

    Args:
        tree: the tree of a condition or a statement.
        source_columns: the columns of the source itself; these columns never count as names of players.
    """
    for node in nodes(tree):
        columns = {column_in(part).lower() for part in _parts(node)}
        if _compares(node) and any(name not in source_columns for name in columns & _NAMES):
            yield from (text for text in map(constant_of, _parts(node)) if isinstance(text, str) and text)


class Comparison(NamedTuple):
    """A comparison with a text: of one column, or of the two columns of both sides."""

    columns: tuple[str, ...]
    #: ``is``, ``is like`` or ``contains``; for any other comparison, the comparison as it is written.
    sign: str
    text: str
    ignores_case: bool = False
    #: The comparison as SQL over a column ``_text``, if it is another one; and the same without regard to case.
    sql: tuple[str, str] | None = None

    def in_words(self, columns: str) -> str:
        """Return the comparison as the beginning of a sentence; ``columns`` are its columns, as conditions write them.

        >>> Comparison(("event",), "is", "Blitz").in_words("event")
        "event is 'Blitz'"
        """
        if self.sql is not None:
            return f"{self.sign} is true"
        return f"{'the name of a player' if self.is_of_players else columns} {self.sign} {shortened(self.text)}"

    @property
    def is_of_players(self) -> bool:
        """Whether the columns hold the names of players."""
        return _NAMES.issuperset(self.columns)

    def among(self, texts: pa.Array) -> pa.Array:
        """Return the texts for which the comparison is true."""
        if self.sql is not None:
            return texts_where(self.sql[self.ignores_case], texts)
        if self.sign == "is like":
            return texts.filter(pc.match_like(texts, self.text, ignore_case=self.ignores_case))
        if self.sign == "contains":
            return texts.filter(pc.match_substring(texts, self.text, ignore_case=self.ignores_case))
        small = pc.utf8_lower(texts) if self.ignores_case else texts
        return texts.filter(pc.equal(small, self.text.lower() if self.ignores_case else self.text))


_SIGN_WORDS = {"~~": "is like", "~~*": "is like", "contains": "contains"}
#: Functions of a text and a constant that are true or false.
_OF_TEXTS = frozenset({"~~~", "starts_with", "ends_with", "prefix", "suffix", "regexp_matches", "regexp_full_match"})


def comparisons_in(tree: Any, source_columns: Mapping[str, pa.DataType]) -> Iterator[Comparison]:
    """Yield the comparisons of texts with columns of free text, except equality of players' names with a text.

    Args:
        tree: the tree of a condition or a statement.
        source_columns: the types of the columns of the source itself.
    """
    for node in nodes(tree):
        parts = list(_parts(node))
        sign = _SIGN_WORDS.get(called(node), "is" if _compares(node) and not called(node) else "")
        columns = next(filter(None, (_columns_of(part, source_columns) for part in parts)), ()) if sign else ()
        if not columns:
            yield from _other_comparison(node, source_columns)
        folds = any(called(part) in _CASES for part in parts) or called(node) == "~~*"
        is_name = _compares(node) and _NAMES.issuperset(columns) and not folds
        for text in map(constant_of, parts) if columns and not is_name else ():
            if isinstance(text, str) and text:
                yield Comparison(columns, sign, text, folds)


def _other_comparison(node: Node, source_columns: Mapping[str, pa.DataType]) -> Iterator[Comparison]:
    """Yield the comparison of any expression over one column of free text with constants."""
    is_function = called(node) in _OF_TEXTS
    is_comparison = node.get("class") == "COMPARISON" and node["type"] not in {*_EQUAL, "COMPARE_NOTEQUAL"}
    is_comparison |= _compares(node) and not any(map(column_in, _parts(node)))
    if not is_function and not is_comparison:
        return
    inner = [part for part in nodes(node) if part.get("class") in {"COLUMN_REF", "LAMBDA", "WINDOW"}]
    columns = _columns_of(inner[0], source_columns) if len(inner) == 1 else ()
    constants = [it for it in map(constant_of, nodes(node)) if isinstance(it, str)]
    if columns and constants:
        text = expression("_text")
        sql = text_of(rewritten(node, lambda part: text if column_in(part) else part))
        folded = text_of(rewritten(node, _without_case))
        yield Comparison(columns, _text(node), max(constants, key=len), sql=(sql, folded))


def _without_case(part: Node) -> Node:
    """Return a part of a comparison with its texts in small letters."""
    if column_in(part):
        return expression("lower(_text)")
    text = constant_of(part)
    return part if not isinstance(text, str) else {**part, "literal": {**part["literal"], "text": text.lower()}}


def _columns_of(node: Node, source_columns: Mapping[str, pa.DataType]) -> tuple[str, ...]:
    """Return the columns of free text that an expression names: one, or one for each colour; empty if none."""
    if called(node) in _CASES:
        return next(filter(None, (_columns_of(part, source_columns) for part in _parts(node))), ())
    name = column_in(node)
    own = {it.lower(): it for it in source_columns}
    if name.lower() in own:
        return (own[name.lower()],) if is_of_texts(source_columns[own[name.lower()]]) else ()
    column = COLUMNS.get(lowered(name))
    if column is None or column.domain is not None or not is_of_texts(column.type) or "(" in column.name:
        return ()
    side, _, stem = column.name.partition("_")
    if side in {"own", "enemy"} or (side in SIDES and stem == "name"):
        return (f"white_{stem}", f"black_{stem}")
    return (column.name,)


def is_of_texts(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds texts, in a dictionary or not."""
    return plain_type(kind) in {pa.string(), pa.large_string()}


def _compares(node: Node) -> bool:
    """Whether an expression is true for equal texts only."""
    if called(node) == "~~":
        return not any(letter in str(constant_of(part)) for part in _parts(node) for letter in "%_")
    return node.get("type") in _EQUAL or node.get("type") == "COMPARE_IN"


# -------------------------------------------------- resolves the names in a statement to columns of positions and games


#: The columns of a table by name, with None for a column of any values; None in all for a table of unknown columns.
Columns = Mapping[str, Column | None] | None


def check_statement(tree: Node, source_columns: Iterable[str]) -> None:
    """Raise ``QueryError`` for comparisons in a statement that cannot be meant.

    Args:
        tree: the statement, before its functions are replaced.
        source_columns: columns of the source itself.
    """
    own = dict.fromkeys(name.lower() for name in source_columns)
    every: Columns = ChainMap[str, Any](own, cast("Any", COLUMNS))
    tables: dict[str, Columns] = {
        "positions": every,
        "moves": every,
        "games": {name: COLUMNS.get("ply" if name == "plies" else name) for name in GAMES.names},
    }
    for statement in tree["statements"]:
        _query(statement["node"], tables, lambda _: None)


class _Table(NamedTuple):
    """A table in a FROM clause."""

    alias: str
    columns: Columns


def _query(node: Node, tables: Mapping[str, Columns], outer: Known) -> Columns:
    """Check a query, and return the columns of its result."""
    tables = dict(tables)
    for entry in (node.get("cte_map") or {}).get("map", ()):
        query = entry["value"]["query_node"]
        if query.get("type") == "RECURSIVE_CTE_NODE":
            tables[entry["key"].lower()] = None
        columns = _query(query, tables, outer)
        named = entry["value"].get("aliases") or query.get("type") == "RECURSIVE_CTE_NODE"
        tables[entry["key"].lower()] = None if named else columns
    if node.get("type") != "SELECT_NODE":
        for key, part in node.items():
            if key != "cte_map":
                _expressions(part, tables, outer)
        return None
    sources = list(_tables(node["from_table"], tables, outer))
    scope = _Scope(sources, _computed(node["select_list"]), outer)
    for key, part in node.items():
        if key != "cte_map":
            _expressions(part, tables, scope.of_rows if key in _OF_ROWS else scope)
    for key in ("where_clause", "having", "qualify"):
        if node[key]:
            check_truth(node[key], scope.of_rows if key in _OF_ROWS else scope)
    for modifier in node["modifiers"]:
        for order in modifier.get("orders", ()):
            check_ordered(_of_select(order["expression"], node["select_list"]), scope)
    return _result_columns(node["select_list"], sources, scope)


def _expressions(node: Any, tables: Mapping[str, Columns], known: Known) -> None:
    """Check the expressions in a part of a query, and the queries in them."""
    check(node, known, lambda query: _query(query, tables, known))


def _tables(node: Node, tables: Mapping[str, Columns], outer: Known) -> Iterator[_Table]:
    kind, alias = node.get("type"), (node.get("alias") or "").lower()
    if kind == "JOIN":
        yield from _tables(node["left"], tables, outer)
        yield from _tables(node["right"], tables, outer)
    elif kind == "BASE_TABLE":
        name = node["table_name"].lower()
        yield _Table(alias or name, None if node.get("column_name_alias") else tables.get(name))
    elif kind == "SUBQUERY":
        columns = _query(node["subquery"]["node"], tables, outer)
        yield _Table(alias, None if node.get("column_name_alias") else columns)
    elif kind != "EMPTY":
        yield _Table(alias, None)


#: The parts of a SELECT that are computed from each row.
_OF_ROWS = ("select_list", "where_clause", "group_expressions")


class _Scope:
    """Resolves references in a SELECT: to columns of its tables, or else as the enclosing query resolves them."""

    def __init__(self, tables: list[_Table], computed: Mapping[str, Node], outer: Known) -> None:
        self.tables, self.computed, self.outer = tables, computed, outer

    def __call__(self, names: list[str]) -> Column | None:
        *table, name = map(lowered, names)
        candidates = [it.columns for it in self.tables if not table or it.alias == table[-1]]
        if not table and name in self.computed:  # its own references name columns of the tables
            return Kinds(_Scope(self.tables, {}, self.outer)).value_of(self.computed[name])
        for columns in candidates:
            if columns is None:
                return None
            if name in columns:
                return columns[name]
        return None if candidates and table else self.outer(names)

    @property
    def of_rows(self) -> _Scope:
        """The scope of what is computed from each row, where the column of a table goes before an alias of its name."""
        hidden = {name for it in self.tables for name in self.computed if name in (it.columns or ())}
        return _Scope(self.tables, {name: it for name, it in self.computed.items() if name not in hidden}, self.outer)


def _of_select(order: Node, items: list[Node]) -> Node:
    """Return the item of a SELECT that an order names by number or alias; any other expression unchanged."""
    number = constant_of(order)
    if isinstance(number, int) and 1 <= number <= len(items):
        return items[number - 1]
    names = order.get("column_names", ())
    return _computed(items).get(names[0].lower(), order) if len(names) == 1 else order


def _computed(items: list[Node]) -> dict[str, Node]:
    """Return the expressions with aliases in a SELECT, except columns whose alias equals the name of the column."""
    named = (((item.get("alias") or "").lower(), item) for item in items)
    return {alias: item for alias, item in named if alias not in {"", column_in(item).lower()}}


def _result_columns(items: list[Node], tables: list[_Table], known: Known) -> Columns:
    """Return the columns of the result of a SELECT."""
    columns: dict[str, Column | None] = {}
    for item in items:
        if item.get("class") == "STAR":
            if any(table.columns is None for table in tables) or _is_changed(item):
                return None
            for table in tables:
                columns |= table.columns or {}
        elif item.get("alias"):
            columns[item["alias"].lower()] = Kinds(known).value_of(item)
        elif name := column_in(item):
            columns[name.lower()] = known(item["column_names"])
    return columns


def _is_changed(star: Node) -> bool:
    """Whether a star excludes, replaces or renames columns."""
    return any(map(star.get, ("exclude_list", "replace_list", "rename_list", "columns", "expr", "relation_name")))
