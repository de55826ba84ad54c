"""Conditions that need no database: comparisons of columns, also with lists after IN, joined by AND, OR and NOT.

Most conditions are of this kind. They are read here into the same tree that DuckDB would make, checked like all
conditions, and evaluated by NumPy, or by Arrow if a column has nulls. DuckDB reads everything else, also conditions
with errors: it knows all of SQL, and so errors are explained in one place. This parser, written by hand, is worth it
because importing DuckDB takes longer than most answers; the tests compare both on random conditions.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import numpy as np
import pyarrow as pa

from setwise.bitboard import parse_square
from setwise.corpus.columns import COLUMNS, values_of
from setwise.corpus.columns.registry import numbers
from setwise.corpus.language.checks import check, column_named_in, comparisons_in, is_of_texts, names_of_players
from setwise.corpus.language.names import KEY, SETS_BY_NAME, counted, material_name, within_name
from setwise.corpus.language.needs import Marks, needs_of
from setwise.corpus.language.symmetry import SYMMETRIES, forms
from setwise.corpus.language.tree import Node, arguments_of, constant_of, identifier, name_of
from setwise.errors import QueryError, SetwiseError
from setwise.features import COLOURS
from setwise.position.position import Position
from setwise.position.positions import Positions
from setwise.rules.board import CASTLING
from setwise.system.packages import pc

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d{1,20})(?![\w.])|(?P<name>[a-z_]\w*)|'(?P<text>[^']*)'|(?P<sign><>|!=|<=|>=|[=<>&|(),]))\s*",
    re.ASCII | re.IGNORECASE,
)
#: DuckDB's names of comparisons.
_COMPARISONS = {
    "=": "COMPARE_EQUAL", "<>": "COMPARE_NOTEQUAL", "!=": "COMPARE_NOTEQUAL", "<": "COMPARE_LESSTHAN",
    ">": "COMPARE_GREATERTHAN", "<=": "COMPARE_LESSTHANOREQUALTO", ">=": "COMPARE_GREATERTHANOREQUALTO",
}  # fmt: skip
_SIGNS = {kind: f" {sign} " for sign, kind in _COMPARISONS.items()}
#: The conditions that are the same for all positions, with their values.
_TRUTHS = {"true": True, "false": False}
_OF_SETS = frozenset({"COMPARE_EQUAL", "COMPARE_NOTEQUAL"})
#: Whole numbers up to this one are exact in every type that columns have.
_MOST = 1 << 15
_DEEPEST = 50
#: The longest list after IN: each of its values is compared with the whole column. DuckDB looks up longer lists.
_LONGEST = 32


class _NotPlain(Exception):
    """The condition must be read by DuckDB."""


def plain(text: str, source_columns: Mapping[str, pa.DataType] | None = None) -> PlainCondition | None:
    """Return a condition that needs no database; None if it needs one, or is wrong.

    >>> plain("white_passed_pawns & black_attacks = 0 and ply >= 10").columns
    ['white_passed_pawns', 'black_attacks', 'ply']
    >>> plain("next(is_check)"), plain("white_passed_pawns > 3")
    (None, None)

    Args:
        text: an expression over the columns.
        source_columns: the types of the columns that the source has in addition to the columns of every position.
    """
    source_columns = source_columns or {}
    own = {name.lower() for name in source_columns}
    try:
        tree = _Parser(text, own).condition()
        if _kind(tree, own) != "truth":
            return None
        check(tree, column_named_in(source_columns))
    except (_NotPlain, QueryError):
        return None
    return PlainCondition(tree, text, source_columns)


class PlainCondition:
    """Like `Condition`: which columns it names, and which positions of a batch match."""

    #: Whether other positions of the game are read.
    reads_other_rows = False

    def __init__(self, tree: Node, text: str, source_columns: Mapping[str, pa.DataType]) -> None:
        self.columns = list(dict.fromkeys(_columns_in(tree)))
        self.tree, self.text, self.source_columns = tree, text, source_columns
        #: The needs that every game with a match meets; None if none are known.
        self.needs = needs_of(tree)
        #: The texts that player names are compared with; the comparisons of columns with texts that may be anything.
        self.names, self.comparisons = list(names_of_players(tree)), list(comparisons_in(tree, {}))
        self.marks = Marks(tree, _columns_in, _rows)

    def check_variations(self) -> None:
        """Accept games with variations: the condition reads each position on its own."""

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match, ascending."""
        return _rows(self.tree, positions)

    def parts(self) -> list[PlainCondition]:
        """Return the conditions that AND joins in this one."""
        if self.tree.get("type") != "CONJUNCTION_AND":
            return [self]
        return [PlainCondition(it, sql_of(it), self.source_columns) for it in self.tree["children"]]

    @functools.cached_property
    def where(self) -> str:
        """The condition as SQL over columns."""
        return sql_of(self.tree)


# -------------------------------------------------------------------------------------------------------------- reading


class _Parser:
    """Reads a text into a tree, with the precedence of operators that SQL has."""

    def __init__(self, text: str, source_columns: set[str]) -> None:
        self.source_columns = source_columns
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise _NotPlain
            kind = token.lastgroup or ""
            if kind == "text" and self.tokens and self.tokens[-1][0] == kind:  # a doubled quote inside one text
                raise _NotPlain
            self.tokens.append((kind, token[kind] if kind == "text" else token[kind].lower()))
            at = token.end()
        self.at = self.depth = 0
        #: Whether the parser is inside ``anywhere``.
        self.shifts = False

    def condition(self) -> Node:
        tree = self.truth(self.any_of())
        if self.at < len(self.tokens):
            raise _NotPlain
        return tree

    def takes(self, *words: str) -> str:
        """Skip the next token if it is one of these words or signs, and return it."""
        kind, word = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        if kind not in {"name", "sign"} or word not in words:
            return ""
        self.at += 1
        return word

    def needs(self, *words: str) -> str:
        """Skip the next token, which must be one of these words or signs, and return it."""
        word = self.takes(*words)
        if not word:
            raise _NotPlain
        return word

    def take(self, kind: str) -> str:
        """Skip the next token, which must be of this kind, and return it."""
        if self.at == len(self.tokens) or self.tokens[self.at][0] != kind:
            raise _NotPlain
        self.at += 1
        return self.tokens[self.at - 1][1]

    def any_of(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _NotPlain
        parts = [self.all_of()]
        while self.takes("or"):
            parts.append(self.all_of())
        self.depth -= 1
        return _joined("CONJUNCTION_OR", self.truths(parts))

    def all_of(self) -> Node:
        parts = [self.negated()]
        while self.takes("and"):
            parts.append(self.negated())
        return _joined("CONJUNCTION_AND", self.truths(parts))

    def truths(self, parts: list[Node]) -> list[Node]:
        """Return conditions; of several, each set asks whether it has any squares."""
        return list(map(self.truth, parts)) if len(parts) > 1 else parts

    def truth(self, tree: Node) -> Node:
        return _comparison("<>", tree, _number("0")) if _kind(tree, self.source_columns) == "set" else tree

    def negated(self) -> Node:
        signs = 0
        while self.takes("not"):
            signs += 1
        tree = self.comparison()
        for _ in range(signs):
            tree = {"class": "OPERATOR", "type": "OPERATOR_NOT", "children": [self.truth(tree)]}
        return tree

    def comparison(self) -> Node:
        left = self.operation()
        if sign := self.takes(*_COMPARISONS):
            return self.of_material(_comparison(sign, left, self.value()))
        is_negated = bool(self.takes("not"))
        if not (self.needs("in") if is_negated else self.takes("in")):
            return left
        self.needs("(")
        values = [self.value()]
        while self.takes(","):
            values.append(self.value())
        self.needs(")")
        is_in = self.of_material({"class": "OPERATOR", "type": "COMPARE_IN", "children": [left, *values]})
        return {"class": "OPERATOR", "type": "OPERATOR_NOT", "children": [is_in]} if is_negated else is_in

    def value(self) -> Node:
        """Return a text, or an operation."""
        is_text = self.at < len(self.tokens) and self.tokens[self.at][0] == "text"
        return _text(self.take("text")) if is_text else self.operation()

    def of_material(self, tree: Node) -> Node:
        """Return a comparison of the material's key with keys as comparisons of counts; other trees unchanged."""
        return tree if KEY in self.source_columns else counted(tree)

    def operation(self) -> Node:
        tree = self.operand()
        while sign := self.takes("&", "|"):
            tree = _call(sign, tree, self.operand(), is_operator=True)
        return tree

    def operand(self) -> Node:
        if self.takes("("):
            tree = self.any_of()
            self.needs(")")
            return tree
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "number":
            return _number(self.take("number"))
        name = self.take("name")
        if name in _TRUTHS and name not in self.source_columns:
            return {"class": "CONSTANT", "literal": {"kind": "BOOLEAN", "text": name}}
        return self.call(name) if self.takes("(") else {"class": "COLUMN_REF", "column_names": [name]}

    def call(self, name: str) -> Node:
        if name in SETS_BY_NAME:
            tree = _set(SETS_BY_NAME[name], self.take("text"))
        elif name == "bit_count":
            tree = _call(name, self.operation())
        elif name == "has":
            those = self.operation()
            self.needs(",")
            wanted = _set(SETS_BY_NAME["squares"], self.take("text"))
            tree = _comparison("=", _call("&", those, wanted, is_operator=True), wanted)
        elif name == "material":
            text, colour = self.take("text"), self.take("text") if self.takes(",") else ""
            if colour not in {"", *COLOURS}:
                raise _NotPlain
            tree = {"class": "COLUMN_REF", "column_names": [material_name(text, colour)]}
        elif name == "position_key":
            tree = _key(self.take("text"))
        elif name == "within":
            file = self.take("text")
            if self.tokens[self.at : self.at + 1] != [("sign", ")")]:  # else a wrong file could be opened
                raise _NotPlain
            tree = {"class": "COLUMN_REF", "column_names": [within_name(file)]}
        elif name in SYMMETRIES:
            if self.shifts:  # the squares are shifted as written, before they are mirrored
                raise _NotPlain
            self.shifts = name == "anywhere"
            tree = _joined("CONJUNCTION_OR", forms(name, self.truth(self.any_of())))
            self.shifts = False
        else:
            raise _NotPlain
        self.needs(")")
        return tree


def _joined(how: str, parts: list[Node]) -> Node:
    return {"class": "CONJUNCTION", "type": how, "children": parts} if len(parts) > 1 else parts[0]


def _comparison(sign: str, left: Node, right: Node) -> Node:
    return {"class": "COMPARISON", "type": _COMPARISONS[sign], "left": left, "right": right}


def _call(name: str, *arguments: Node, is_operator: bool = False) -> Node:
    listed = [{"expression": argument} for argument in arguments]
    return {
        "class": "FUNCTION", "is_operator": is_operator, "arguments": listed, "qualified_name": {"path": [name]}
    }  # fmt: skip


def _number(digits: str) -> Node:
    return {"class": "CONSTANT", "literal": {"kind": "INTEGER", "text": digits}}


def _text(text: str) -> Node:
    return {"class": "CONSTANT", "literal": {"kind": "STRING", "text": text}}


def _set(function: Callable[[str], int], names: str) -> Node:
    try:
        word = function(names)
    except ValueError:
        raise _NotPlain from None
    return {"class": "CAST", "child": _number(str(word)), "type_expr": {"qualified_name": {"path": ["ubigint"]}}}


def _key(fen: str) -> Node:
    try:
        return _number(str(Position(fen, strict=False).key))
    except SetwiseError:
        raise _NotPlain from None


def sql_of(node: Node) -> str:
    """Return the tree of a plain condition as SQL over columns.

    >>> sql_of(plain("not ply in (3, 8) or has(white_king, 'g1')").tree)
    '((not ("ply" in (3, 8))) or (("white_king" & 64::ubigint) = 64::ubigint))'
    """
    parts = [sql_of(part) for part in _parts(node)]
    match node["class"]:
        case "COLUMN_REF":
            return identifier(node["column_names"][0])
        case "CONSTANT":
            text = node["literal"]["text"]
            return f"'{text}'" if node["literal"]["kind"] == "STRING" else str(text)
        case "CAST":
            return f"{sql_of(node['child'])}::ubigint"
        case "COMPARISON":
            return f"({_SIGNS[node['type']].join(parts)})"
        case "CONJUNCTION":
            return f"({(' and ' if node['type'] == 'CONJUNCTION_AND' else ' or ').join(parts)})"
        case "OPERATOR" if node["type"] == "COMPARE_IN":
            return f"({parts[0]} in ({', '.join(parts[1:])}))"
        case "OPERATOR":
            return f"(not {parts[0]})"
    return f"({f' {name_of(node)} '.join(parts)})" if node["is_operator"] else f"{name_of(node)}({parts[0]})"


def _columns_in(node: Node) -> Iterable[str]:
    if node["class"] == "COLUMN_REF":
        yield from node["column_names"]
    for part in _parts(node):
        yield from _columns_in(part)


def _parts(node: Node) -> list[Node]:
    match node["class"]:
        case "COMPARISON":
            return [node["left"], node["right"]]
        case "FUNCTION":
            return arguments_of(node)
        case _:
            return list(node.get("children", ()))


# ---------------------------------------------------------------------------------------------------------------- kinds


def _kind(node: Node, source_columns: set[str]) -> str:
    """Return the kind of an expression: a ``truth``, ``set``, ``number`` or ``fraction`` of each position.

    An expression that is the same for all positions is ``squares``, if it names squares, or else a ``constant``.
    """
    kinds = [_kind(part, source_columns) for part in _parts(node)]
    match node["class"], kinds:
        case "COLUMN_REF", []:
            return _kind_of_column(node["column_names"][0], source_columns)
        case "CONSTANT", []:
            return {"STRING": "text constant", "BOOLEAN": "truth"}.get(node["literal"]["kind"], "constant")
        case "CAST", []:
            return "squares"
        case "FUNCTION", ["set", "set" | "squares"] | ["squares", "set"]:
            return "set"
        case "FUNCTION", ["set"]:
            return "number"
        case "COMPARISON", ["set", "set" | "squares"] | ["squares", "set"] if node["type"] in _OF_SETS:
            return "truth"
        case "COMPARISON", ["set", "constant"] if node["type"] in _OF_SETS and node["right"]["literal"]["text"] == "0":
            return "truth"
        case "COMPARISON", ["key", "constant"] if node["type"] in _OF_SETS and _is_key(node["right"]):
            return "truth"
        case "COMPARISON", ["number", "number"]:
            return "truth"
        case "COMPARISON", ["number" | "fraction", "constant"] if int(node["right"]["literal"]["text"]) < _MOST:
            return "truth"
        case "COMPARISON", ["text", "text constant"] if node["type"] in _OF_SETS:
            return "truth"
        case "OPERATOR", [_, *others] if node["type"] == "COMPARE_IN":
            if len(others) <= _LONGEST and {*others} <= {"constant", "text constant"}:
                return min(_kind(it, source_columns) for it in _equals(node))
        case ("CONJUNCTION" | "OPERATOR", _) if set(kinds) == {"truth"}:
            return "truth"
    raise _NotPlain


def _equals(node: Node) -> Iterable[Node]:
    """The comparisons of which one must be true, for an operand in a list."""
    one, *others = node["children"]
    return (_comparison("=", one, it) for it in others)


def _kind_of_column(name: str, source_columns: set[str]) -> str:
    if name in source_columns or name not in COLUMNS:
        raise _NotPlain
    column = COLUMNS[name]
    if column.is_set or name == "key":
        return "key" if name == "key" else "set"
    for kind, is_of_kind in _KINDS.items():
        if is_of_kind(column.type):
            return kind
    raise _NotPlain


_KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "truth": pa.types.is_boolean, "number": pa.types.is_signed_integer, "fraction": pa.types.is_floating,
    "text": is_of_texts,
}  # fmt: skip


def _is_key(constant: Node) -> bool:
    return constant["literal"]["kind"] == "INTEGER" and int(constant["literal"]["text"]) < 1 << 64


# --------------------------------------------------------------------------------------------------------------- values


def _rows(tree: Node, positions: Positions) -> np.ndarray:
    """Return the rows where a condition is true; Arrow, which takes long to import, is used only if there are nulls."""
    columns = {
        name: _sans(positions, {*_texts_beside(tree, name)}) if name == "san" else values_of(positions, name)
        for name in dict.fromkeys(_columns_in(tree))
    }
    if any(column.null_count for column in columns.values()):
        return np.flatnonzero(_values(tree, columns, _by_arrow()).fill_null(False).to_numpy(zero_copy_only=False))
    arrays = {name: it if is_of_texts(it.type) else it.to_numpy(zero_copy_only=False) for name, it in columns.items()}
    return np.flatnonzero(np.broadcast_to(_values(tree, arrays, _BY_NUMPY), len(positions)))


#: A move in SAN; the group is the square that it ends on, or nothing for castling.
_SAN = re.compile(r"(?:O-O(?:-O)?|\w*([a-h][1-8])(?:=[NBRQ])?)[+#]?", re.ASCII)


def _texts_beside(node: Node, name: str) -> Iterable[str]:
    """The texts that a column is compared with."""
    parts = _parts(node)
    if parts and parts[0].get("column_names") == [name]:
        yield from map(constant_of, parts[1:])
    for part in parts:
        yield from _texts_beside(part, name)


def _sans(positions: Positions, texts: set[str]) -> pa.Array:
    """Return the moves in SAN that may be one of some texts, by where they end; other moves are empty texts."""
    ends = [it[1] for it in map(_SAN.fullmatch, texts) if it]
    if len(ends) < len(texts) or positions.moves is None or getattr(positions, "source_columns", None) is not None:
        return values_of(positions, "san")
    moves, is_end = positions.moves, np.zeros(65, np.bool_)
    is_end[[64 if it is None else parse_square(it) for it in ends]] = True
    rows = np.flatnonzero(is_end[np.where(moves >> 12 == CASTLING, 64, moves >> 6 & 63)] & (moves != 0))
    numbers_of = np.zeros(len(moves), np.int32)
    numbers_of[rows] = np.arange(1, len(rows) + 1)
    sans = pa.concat_arrays([pa.array([""]), cast("Positions", positions[rows]).san()])
    return pa.DictionaryArray.from_arrays(numbers(numbers_of, pa.int32(), moves != 0), sans)


#: Functions by DuckDB's names; ``constant`` converts a number to the type of the column that it is compared with.
_Functions = Mapping[str, Callable[..., Any]]
_BY_NUMPY: _Functions = {
    "COMPARE_EQUAL": np.equal, "COMPARE_NOTEQUAL": np.not_equal,
    "COMPARE_LESSTHAN": np.less, "COMPARE_GREATERTHAN": np.greater,
    "COMPARE_LESSTHANOREQUALTO": np.less_equal, "COMPARE_GREATERTHANOREQUALTO": np.greater_equal,
    "CONJUNCTION_AND": np.logical_and, "CONJUNCTION_OR": np.logical_or, "NOT": np.logical_not,
    "&": np.bitwise_and, "|": np.bitwise_or, "bit_count": lambda sets: np.bitwise_count(sets).astype(np.int16),
    "set": np.uint64, "constant": lambda value, _: value,
    "texts": lambda column, texts: _is_one_of(column, texts).to_numpy(zero_copy_only=False),
}  # fmt: skip


@functools.cache
def _by_arrow() -> _Functions:
    return {
        "COMPARE_EQUAL": pc.equal, "COMPARE_NOTEQUAL": pc.not_equal,
        "COMPARE_LESSTHAN": pc.less, "COMPARE_GREATERTHAN": pc.greater,
        "COMPARE_LESSTHANOREQUALTO": pc.less_equal, "COMPARE_GREATERTHANOREQUALTO": pc.greater_equal,
        "CONJUNCTION_AND": pc.and_kleene, "CONJUNCTION_OR": pc.or_kleene, "NOT": pc.invert,
        "&": pc.bit_wise_and, "|": pc.bit_wise_or, "bit_count": _counts,
        "set": lambda word: pa.scalar(word, pa.uint64()), "constant": _scalar, "texts": _is_one_of,
    }  # fmt: skip


def _values(node: Node, columns: Mapping[str, Any], functions: _Functions) -> Any:
    """Return the values of an expression."""
    match node["class"]:
        case "COLUMN_REF":
            return columns[node["column_names"][0]]
        case "CONSTANT":
            return _TRUTHS[node["literal"]["text"]]
        case "CAST":
            return functions["set"](int(node["child"]["literal"]["text"]))
        case "COMPARISON" if isinstance(constant_of(node["right"]), str):
            is_equal = functions["texts"](_values(node["left"], columns, functions), [constant_of(node["right"])])
            return is_equal if node["type"] == "COMPARE_EQUAL" else functions["NOT"](is_equal)
        case "OPERATOR" if node["type"] == "COMPARE_IN":
            texts = [constant_of(it) for it in node["children"][1:]]
            if all(isinstance(it, str) for it in texts):
                return functions["texts"](_values(node["children"][0], columns, functions), texts)
            equal = (_values(it, columns, functions) for it in _equals(node))
            return functools.reduce(functions["CONJUNCTION_OR"], equal)
        case "COMPARISON" if node["right"]["class"] == "CONSTANT":
            left = _values(node["left"], columns, functions)
            return functions[node["type"]](left, functions["constant"](int(node["right"]["literal"]["text"]), left))
    values = [_values(part, columns, functions) for part in _parts(node)]
    match node["class"]:
        case "OPERATOR":
            return functions["NOT"](*values)
        case "CONJUNCTION":
            return functools.reduce(functions[node["type"]], values)
        case "COMPARISON":
            return functions[node["type"]](*values)
    return functions[name_of(node)](*values)


def _is_one_of(column: pa.Array, texts: list[str]) -> pa.BooleanArray:
    """Return whether each text of a column is one of these texts; null for null."""
    if pa.types.is_dictionary(column.type):
        found = _is_one_of(column.dictionary, texts)
        if len(places := np.flatnonzero(found)) == 1:
            return pc.equal(column.indices, pa.scalar(int(places[0]), column.indices.type))
        return found.take(column.indices)
    return pc.if_else(column.is_valid(), pc.is_in(column, value_set=pa.array(texts, column.type)), None)


def _scalar(value: int, compared: pa.Array) -> pa.Scalar:
    kind = compared.type
    return pa.scalar(value, kind) if pa.types.is_integer(kind) else pa.scalar(value).cast(kind)


def _counts(sets: pa.Array) -> pa.Array:
    """Return the number of squares of each set; null for null."""
    counts = np.bitwise_count(sets.fill_null(0).to_numpy())
    return pa.array(counts.astype(np.int16), mask=sets.is_null().to_numpy(zero_copy_only=False))
