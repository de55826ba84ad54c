"""The functions of the language: every pattern under its Python name, and what chess needs beside SQL's own."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import duckdb
import numpy as np
import pyarrow as pa

from setwise import patterns
from setwise.bitboard import FILE_NAMES, RANK_NAMES, Bitboard
from setwise.compiler import PATTERNS, Pattern
from setwise.corpus.columns.registry import COLUMNS, TAG, type_of
from setwise.corpus.language.answers import answer
from setwise.corpus.language.tree import Node, arguments_of, cast, column_named, constant_of, cut, expression, name_of
from setwise.errors import QueryError, SetwiseError, did_you_mean, shortened
from setwise.patterns.bits import FILES, RANKS
from setwise.position.position import Position

__all__ = [
    "SEQUENCES", "define_macros", "expanded", "function_names", "known_patterns", "pattern_named", "register",
]  # fmt: skip

#: The functions that look along a game.
SEQUENCES = ("next", "previous", "later", "earlier")

_MEN = ("pawns", "knights", "bishops", "rooks", "queens", "kings")
_TYPES = {
    pa.uint64(): "UBIGINT", pa.uint8(): "UTINYINT", pa.int32(): "INTEGER", pa.int16(): "SMALLINT", pa.bool_(): "BOOLEAN"
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- patterns


def known_patterns() -> dict[str, Pattern]:
    """Return all patterns by name: those of the catalogue, and whatever has been defined elsewhere."""
    return {
        name: found for name, found in (_of_topics() | PATTERNS).items() if not name.rpartition(".")[2].startswith("_")
    }


@functools.cache
def _of_topics() -> dict[str, Pattern]:
    """The patterns of the catalogue, whatever kind of pattern they are."""
    modules = (
        importlib.import_module(f"{patterns.__name__}.{it.name}") for it in pkgutil.iter_modules(patterns.__path__)
    )
    found = (value for module in modules for value in vars(module).values())
    return {value.name: value for value in found if isinstance(value, Pattern)}


def pattern_named(name: str) -> Pattern | None:
    """Return the pattern that a function's name means, if any."""
    return known_patterns().get(name)


def function_names() -> list[str]:
    """Return the names of all functions but SQL's own."""
    return [*_MACROS, *SEQUENCES, *known_patterns()]


def register(database: duckdb.DuckDBPyConnection, found: Pattern) -> None:
    """Make a pattern a function of a database, under its Python name."""

    def call(*columns: pa.ChunkedArray) -> pa.Array:
        return answer(found, columns)

    # DuckDB asks a function how many arguments it takes. Of any type: a square is a number or a set.
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in found.kinds]
    )
    returns = _TYPES[type_of(found.returns)]
    database.create_function(found.name, call, None, returns, type="arrow", null_handling="special")  # type: ignore[call-overload]


# --------------------------------------------------------------------------------------------------------------- macros


def _refused(call: Node, expected: str, example: str) -> NoReturn:
    """Say what a call takes; where an argument depends on the row, how that is written."""
    around = ""
    if any(map(_is_computed_text, arguments_of(call))):
        around = f"; what depends on the row stands around it: case when white_to_move then {example} else … end"
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


#: The functions from names to a set.
_NAMED = {"squares": squares, "files": files, "ranks": ranks}


#: How they are called.
_EXAMPLES = {"squares": "squares('e4 d5')", "files": "files('a h')", "ranks": "ranks('7 8')"}


def _set_of(call: Node) -> Node:
    name = name_of(call)
    return cast(_word(call, _NAMED[name], _text(call, "names in one literal", _EXAMPLES[name])))


def _word(call: Node, function: Callable[[str], int], names: str) -> int:
    try:
        return function(names)
    except ValueError as error:
        raise QueryError(f"{name_of(call)}({shortened(names, 30)}): {error}") from None


def _has(call: Node) -> Node:
    arguments = arguments_of(call)
    if len(arguments) != 2 or _is_computed_text(arguments[1]):
        _refused(call, "a set and the squares to be in it as a literal", "has(white_king, 'g1')")
    names = constant_of(arguments[1])
    wanted = cast(_word(call, squares, names)) if isinstance(names, str) else arguments[1]
    return expression("(those & wanted) = wanted", those=arguments[0], wanted=wanted)


def _is_computed_text(node: Node) -> bool:
    """Whether an expression gives a text that is known row by row."""
    if node.get("class") == "CASE":
        results = [node["else_expr"], *(check["then_expr"] for check in node["case_checks"])]
        return any(isinstance(constant_of(result), str) or _is_computed_text(result) for result in results)
    if node.get("class") == "COLUMN_REF":
        column = COLUMNS.get(node["column_names"][-1].lower())
        return column is not None and pa.types.is_string(getattr(column.type, "value_type", column.type))
    return node.get("class") == "FUNCTION" and name_of(node) in {"||", "concat", "lower", "upper", "replace", "substr"}


def _sub_fen(call: Node) -> Node:
    given: list[Any] = []
    for argument in arguments_of(call):
        inner = (
            arguments_of(argument)
            if argument.get("class") == "FUNCTION" and name_of(argument) == "list_value"
            else [argument]
        )
        given += map(constant_of, inner)
    if not given or not all(isinstance(text, str) for text in given):
        expected = "one literal or several, each the first field of a FEN"
        _refused(call, expected, "sub_fen('8/8/8/8/8/8/6PP/6K1')")
    return _any([_stands(text) for text in given])


def _stands(text: str) -> Node:
    """Whether at least the pieces of a FEN's first field stand on the board."""
    try:
        position = Position(text.strip().split()[0] if text.strip() else text, strict=False)
    except SetwiseError as error:
        raise QueryError(f"sub_fen: {error}") from None
    conditions = []
    for men in _MEN:
        for side in ("white", "black"):
            word = getattr(position, men) & getattr(position, f"{side}_pieces")
            if word:
                column = column_named(f"{side}_{'king' if men == 'kings' else men}")
                conditions.append(expression("(those & wanted) = wanted", those=column, wanted=cast(int(word))))
    return _all(conditions) if conditions else expression("true")


def _all(conditions: list[Node]) -> Node:
    found = conditions[0]
    for condition in conditions[1:]:
        found = expression("a and b", a=found, b=condition)
    return found


def _any(conditions: list[Node]) -> Node:
    found = conditions[0]
    for condition in conditions[1:]:
        found = expression("a or b", a=found, b=condition)
    return found


def _tag(call: Node) -> Node:
    return column_named(TAG + _text(call, "the name of a tag as a literal", "tag('WhiteRatingDiff')"))


#: What a call stands for, by its name; all of it is known before anything is read.
_MACROS: dict[str, Callable[[Node], Node]] = {
    **dict.fromkeys(_NAMED, _set_of),
    "has": _has,
    "sub_fen": _sub_fen,
    "tag": _tag,
}


def expanded(call: Node, named: dict[str, Pattern]) -> Node:
    """Return what a call of a function stands for; a pattern that it names is entered in ``named``."""
    name = name_of(call)
    if name in _MACROS:
        return _MACROS[name](call)
    found = pattern_named(name)
    if found is None:
        if "." in name:
            raise QueryError(f"there is no function {cut(name)}{did_you_mean(name, function_names())}")
        return call
    given = len(arguments_of(call))
    if given != len(found.kinds):
        arguments = "1 argument" if len(found.kinds) == 1 else f"{len(found.kinds)} arguments"
        raise QueryError(f"{name} takes {arguments} ({', '.join(found.kinds)}), not {given}")
    named[name] = found
    return {**call, "function_name": name, "schema": "", "catalog": "", "qualified_name": {"path": [name]}}


#: The functions that become other expressions over more columns or rows than they name.
_REWRITTEN = ("sub_fen", "tag", *SEQUENCES)


def define_macros(database: duckdb.DuckDBPyConnection) -> None:
    """Make the functions of one row functions of a database, for those who ask it themselves."""
    for name, function in _NAMED.items():
        database.create_function(name, function, ["VARCHAR"], "UBIGINT")
    database.execute("create macro has(those, names) as (those & squares(names)) = squares(names)").fetchall()
    for name in _REWRITTEN:
        why = f"{name} is for setwise.sql and setwise.find, which rewrite it; a connection has the functions of one row"
        database.execute(f"create macro {name}(_1) as error('{why}'), (_1, _2) as error('{why}')").fetchall()
    for name, found in known_patterns().items():
        topic, _, bare = name.rpartition(".")
        if topic:
            taken = ", ".join(f"_{number}" for number in range(len(found.kinds)))
            database.execute(f'create schema if not exists "{topic}"').fetchall()
            database.execute(f'create macro "{topic}"."{bare}"({taken}) as "{name}"({taken})').fetchall()
