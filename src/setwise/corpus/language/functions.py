"""The functions of the language: every pattern under its Python name, and others for chess that SQL lacks."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pyarrow as pa

from setwise import patterns
from setwise.bitboard import FILE_NAMES, RANK_NAMES, Bitboard
from setwise.compiler import PATTERNS, Pattern
from setwise.corpus.columns.registry import COLUMNS, TAG, type_of
from setwise.corpus.language.answers import answer
from setwise.corpus.language.sequence_calls import NOW, SEQUENCES
from setwise.corpus.language.tree import Node, arguments_of, cast, column_named, constant_of, cut, expression, name_of
from setwise.errors import QueryError, SetwiseError, did_you_mean, shortened
from setwise.patterns.bits import FILES, RANKS
from setwise.patterns.moves import FORMER
from setwise.position.position import Position

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "SETS_BY_NAME", "define_macros", "expanded", "function_names", "known_patterns", "pattern_named",
    "register",
]  # fmt: skip

_PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "kings")
_TYPES = {
    pa.uint64(): "UBIGINT", pa.uint8(): "UTINYINT", pa.int32(): "INTEGER", pa.int16(): "SMALLINT", pa.bool_(): "BOOLEAN"
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- patterns


def known_patterns() -> dict[str, Pattern]:
    """Return all patterns by name: those of the catalogue, and those that the user has defined."""
    return {
        name: pattern
        for name, pattern in (_catalogue_patterns() | PATTERNS).items()
        if not name.rpartition(".")[2].startswith("_")
    }


@functools.cache
def _catalogue_patterns() -> dict[str, Pattern]:
    """The patterns of the catalogue, of every kind."""
    modules = (
        importlib.import_module(f"{patterns.__name__}.{it.name}") for it in pkgutil.iter_modules(patterns.__path__)
    )
    values = (value for module in modules for value in vars(module).values())
    return {value.name: value for value in values if isinstance(value, Pattern)}


def pattern_named(name: str) -> Pattern | None:
    """Return the pattern of this name, of today or before, or None."""
    return known_patterns().get(name) or FORMER.get(name)


def function_names() -> list[str]:
    """Return the names of all functions of the language, without those of SQL."""
    return [*_MACROS, *SEQUENCES, *known_patterns()]


def register(database: duckdb.DuckDBPyConnection, pattern: Pattern) -> None:
    """Define a pattern as a function of a database, under its Python name."""

    def call(*columns: pa.ChunkedArray) -> pa.Array:
        return answer(pattern, columns)

    # DuckDB reads the number of arguments from the signature; they are untyped: a square is a number or a set.
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in pattern.kinds]
    )
    returns = _TYPES[type_of(pattern.returns)]
    database.create_function(pattern.name, call, None, returns, type="arrow", null_handling="special")  # type: ignore[call-overload]


# --------------------------------------------------------------------------------------------------------------- macros


def _refused(call: Node, expected: str, example: str) -> NoReturn:
    """Raise an error that says what a call takes and, if an argument depends on the row, how to write that."""
    around = ""
    if any(map(_is_computed_text, arguments_of(call))):
        condition = f"case when white_to_move then {example} else … end"
        around = f"; if the text depends on the row, write the case around the call: {condition}"
    raise QueryError(f"{name_of(call)} takes {expected}, as {example}{around}")


def _text(call: Node, expected: str, example: str) -> str:
    """The literal that is the only argument of a call."""
    arguments = arguments_of(call)
    text = constant_of(arguments[0]) if len(arguments) == 1 else None
    if not isinstance(text, str):
        _refused(call, expected, example)
    return text


def squares(names: str) -> int:
    """Return the set of squares with these names."""
    return int(Bitboard(names))


def files(names: str) -> int:
    """Return the squares of the files with these names."""
    return _lines(names, FILE_NAMES, FILES, "files")


def ranks(names: str) -> int:
    """Return the squares of the ranks with these names."""
    return _lines(names, RANK_NAMES, RANKS, "ranks")


def _lines(names: str, known: str, lines: Sequence[np.uint64], what: str) -> int:
    word = 0
    for name in names.split():
        if name not in known or len(name) != 1:
            raise ValueError(f"{what} are named {known[0]} to {known[-1]}, not {shortened(name, 20)}")
        word |= int(lines[known.index(name)])
    return word


#: The functions that return a set for the names of its squares, files or ranks.
SETS_BY_NAME = {"squares": squares, "files": files, "ranks": ranks}


#: An example of a call of each.
_EXAMPLES = {"squares": "squares('e4 d5')", "files": "files('a h')", "ranks": "ranks('7 8')"}


def _set_of(call: Node) -> Node:
    name = name_of(call)
    return cast(_set_by_name(call, SETS_BY_NAME[name], _text(call, "names in one literal", _EXAMPLES[name])))


def _set_by_name(call: Node, function: Callable[[str], int], names: str) -> int:
    try:
        return function(names)
    except ValueError as error:
        raise QueryError(f"{name_of(call)}({shortened(names, 30)}): {error}") from None


def _has(call: Node) -> Node:
    arguments = arguments_of(call)
    if len(arguments) != 2 or _is_computed_text(arguments[1]):
        _refused(call, "a set and the squares to be in it as a literal", "has(white_king, 'g1')")
    names = constant_of(arguments[1])
    wanted = cast(_set_by_name(call, squares, names)) if isinstance(names, str) else arguments[1]
    return expression("(those & wanted) = wanted", those=arguments[0], wanted=wanted)


def _is_computed_text(node: Node) -> bool:
    """Whether an expression is a text that differs from row to row."""
    if node.get("class") == "CASE":
        results = [node["else_expr"], *(check["then_expr"] for check in node["case_checks"])]
        return any(isinstance(constant_of(result), str) or _is_computed_text(result) for result in results)
    if node.get("class") == "COLUMN_REF":
        column = COLUMNS.get(node["column_names"][-1].lower())
        return column is not None and pa.types.is_string(getattr(column.type, "value_type", column.type))
    return node.get("class") == "FUNCTION" and name_of(node) in {"||", "concat", "lower", "upper", "replace", "substr"}


def _sub_fen(call: Node) -> Node:
    texts: list[Any] = []
    for argument in arguments_of(call):
        inner = (
            arguments_of(argument)
            if argument.get("class") == "FUNCTION" and name_of(argument) == "list_value"
            else [argument]
        )
        texts += map(constant_of, inner)
    if not texts or not all(isinstance(text, str) for text in texts):
        expected = "one literal or several, each the first field of a FEN"
        _refused(call, expected, "sub_fen('8/8/8/8/8/8/6PP/6K1')")
    return _any([_has_pieces(text) for text in texts])


def _has_pieces(text: str) -> Node:
    """The condition that at least the pieces of the first field of a FEN are on the board."""
    try:
        position = Position(text.strip().split()[0] if text.strip() else text, strict=False)
    except SetwiseError as error:
        raise QueryError(f"sub_fen: {error}") from None
    conditions = []
    for pieces in _PIECES:
        for side in ("white", "black"):
            word = getattr(position, pieces) & getattr(position, f"{side}_pieces")
            if word:
                column = column_named(f"{side}_{'king' if pieces == 'kings' else pieces}")
                conditions.append(expression("(those & wanted) = wanted", those=column, wanted=cast(int(word))))
    return _all(conditions) if conditions else expression("true")


def _all(conditions: list[Node]) -> Node:
    joined = conditions[0]
    for condition in conditions[1:]:
        joined = expression("a and b", a=joined, b=condition)
    return joined


def _any(conditions: list[Node]) -> Node:
    joined = conditions[0]
    for condition in conditions[1:]:
        joined = expression("a or b", a=joined, b=condition)
    return joined


def _tag(call: Node) -> Node:
    return column_named(TAG + _text(call, "the name of a tag as a literal", "tag('WhiteRatingDiff')"))


#: The functions that are replaced by other expressions before anything is read.
_MACROS: dict[str, Callable[[Node], Node]] = {
    **dict.fromkeys(SETS_BY_NAME, _set_of),
    "has": _has,
    "sub_fen": _sub_fen,
    "tag": _tag,
}


def expanded(call: Node, named: dict[str, Pattern]) -> Node:
    """Return the expression that a call stands for; if it calls a pattern, the pattern is added to ``named``."""
    name = name_of(call)
    if name in _MACROS:
        return _MACROS[name](call)
    pattern = pattern_named(name)
    if pattern is None:
        if "." in name:
            raise QueryError(f"there is no function {cut(name)}{did_you_mean(name, function_names())}")
        return call
    if name != pattern.name:
        warnings.warn(f"{name} is now called {pattern.name}", DeprecationWarning, stacklevel=2)
        name = pattern.name
    count = len(arguments_of(call))
    if count != len(pattern.kinds):
        arguments = "1 argument" if len(pattern.kinds) == 1 else f"{len(pattern.kinds)} arguments"
        raise QueryError(f"{name} takes {arguments} ({', '.join(pattern.kinds)}), not {count}")
    named[name] = pattern
    return {**call, "function_name": name, "schema": "", "catalog": "", "qualified_name": {"path": [name]}}


#: The functions that are replaced by expressions over more columns or rows than they name.
_REWRITTEN = ("sub_fen", "tag", *SEQUENCES)


def define_macros(database: duckdb.DuckDBPyConnection) -> None:
    """Define the functions that need one row only as functions of a database that users query themselves."""
    for name, function in SETS_BY_NAME.items():
        database.create_function(name, function, ["VARCHAR"], "UBIGINT")
    database.execute("create macro has(those, names) as (those & squares(names)) = squares(names)").fetchall()
    for name in _REWRITTEN:
        why = f"{name} is for setwise.sql and setwise.find, which rewrite it; a connection has the functions of one row"
        forms = [f"({', '.join(f'_{at}' for at in range(count))}) as error('{why}')" for count in (1, 2, 3)]
        clock = ["() as system.main.now()"] if name == NOW else []
        database.execute(f"create macro {name}{', '.join([*clock, *forms])}").fetchall()
    for name, pattern in (FORMER | known_patterns()).items():
        topic, _, bare = name.rpartition(".")
        if topic:
            parameters = ", ".join(f"_{number}" for number in range(len(pattern.kinds)))
            database.execute(f'create schema if not exists "{topic}"').fetchall()
            database.execute(
                f'create macro "{topic}"."{bare}"({parameters}) as "{pattern.name}"({parameters})'
            ).fetchall()
