"""The functions of the language: every pattern under its Python name, and others for chess that SQL lacks."""

from __future__ import annotations

import functools
import importlib
import inspect
import warnings
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from setwise import patterns
from setwise.compiler import PATTERNS, Pattern
from setwise.corpus.columns import COLUMNS
from setwise.corpus.columns.registry import lowered, type_of
from setwise.corpus.language.answers import answer
from setwise.corpus.language.each import EACH, squares_of_each
from setwise.corpus.language.macros import MACROS
from setwise.corpus.language.repertoires import Repertoires
from setwise.corpus.language.sequence_calls import NOW, SEQUENCES
from setwise.corpus.language.set_names import SETS_BY_NAME
from setwise.corpus.language.tree import Node, arguments_of, cut, name_of, rewritten, text_of
from setwise.errors import QueryError, did_you_mean
from setwise.patterns.moves import FORMER
from setwise.system.arrow import pc

if TYPE_CHECKING:
    import duckdb

__all__ = ["define_each", "define_macros", "expanded", "function_names", "known_patterns", "pattern_named", "register"]

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
    import pkgutil

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
    return [*MACROS, EACH, *SEQUENCES, *known_patterns()]


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


def _is_call(node: Node) -> bool:
    """Whether a node calls a pattern by its full name, as macros do."""
    return node.get("class") == "FUNCTION" and "." in name_of(node)


def expanded(call: Node, named: dict[str, Pattern]) -> Node:
    """Return the expression that a call stands for; if it calls a pattern, the pattern is added to ``named``."""
    name = name_of(call)
    if name in MACROS:
        replaced: Node = rewritten(MACROS[name](call), lambda node: expanded(node, named) if _is_call(node) else node)
        return replaced
    pattern = pattern_named(name)
    if pattern is None:
        if "." in name:
            _refuse_methods(call)
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


def _refuse_methods(call: Node) -> None:
    """Raise an error for a call that is written as a method of a column: ``own_pawns.count()``."""
    *_, written, method = call["qualified_name"]["path"]
    column = COLUMNS.get(lowered(written))
    if column is None:
        return
    name = method.lower().removesuffix("_star")
    arguments = "".join(f", {text_of(argument)}" for argument in arguments_of(call))
    instead = f"{name}({written}{arguments})"
    if column.is_set:
        counts = name in {"count", "len", "length", "size", "bit_count", "popcount"}
        instead = f"bit_count({written})" if counts else f"has({written}, 'e4')" if name == "contains" else instead
    raise QueryError(f"{written}.{name}(…) is not SQL: a function stands before what it takes, as in {cut(instead)}")


#: The function behind ``within`` of a connection, which takes the key of a position, too.
_WITHIN = "_within"
#: The functions that are replaced by expressions over more columns or rows than they name, or that take lambdas.
_REWRITTEN = (*(name for name in MACROS if name not in {*SETS_BY_NAME, "has"}), *SEQUENCES)


def define_each(database: duckdb.DuckDBPyConnection) -> None:
    """Define ``each`` as a function of a database."""
    database.create_function(EACH, squares_of_each, ["UBIGINT"], "UBIGINT[]", type="arrow", null_handling="special")  # type: ignore[call-overload]


def define_macros(database: duckdb.DuckDBPyConnection, repertoires: Repertoires) -> None:
    """Define the functions that need one row only as functions of a database that users query themselves.

    Args:
        database: the database.
        repertoires: those that ``within('…', key)`` may name; they are read now.
    """
    loaded = {file: repertoires.load(file).repertoire for file in repertoires.files}

    def within(names: pa.ChunkedArray, keys: pa.ChunkedArray) -> pa.Array:
        keys, flags = keys.to_numpy(), np.zeros(len(keys), np.bool_)
        for name in pc.unique(names).to_pylist():
            rows = pc.equal(names, name).to_numpy()
            flags[rows] = loaded[repertoires.path_of(name)].has(keys[rows])
        return pa.array(flags)

    database.create_function(_WITHIN, within, ["VARCHAR", "UBIGINT"], "BOOLEAN", type="arrow")  # type: ignore[call-overload]
    for name, function in SETS_BY_NAME.items():
        database.create_function(name, function, ["VARCHAR"], "UBIGINT")
    database.execute("create macro has(those, names) as (those & squares(names)) = squares(names)").fetchall()
    for name in _REWRITTEN:
        why = f"{name} is for setwise.sql and setwise.find, which rewrite it; a connection has the functions of one row"
        forms = [f"({', '.join(f'_{at}' for at in range(count))}) as error('{why}')" for count in (1, 2, 3)]
        clock = ["() as system.main.now()"] if name == NOW else []
        if name == "within":
            why = "a connection reads rows alone: write within(''white.pgn'', key)"
            forms = [f"(file) as error('{why}')", f"(file, key) as {_WITHIN}(file, key)"]
        database.execute(f"create macro {name}{', '.join([*clock, *forms])}").fetchall()
    for name, pattern in (FORMER | known_patterns()).items():
        topic, _, bare = name.rpartition(".")
        if topic:
            parameters = ", ".join(f"_{number}" for number in range(len(pattern.kinds)))
            database.execute(f'create schema if not exists "{topic}"').fetchall()
            database.execute(
                f'create macro "{topic}"."{bare}"({parameters}) as "{pattern.name}"({parameters})'
            ).fetchall()
