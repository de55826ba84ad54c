"""Expressions over the columns of positions: checked before anything is read, evaluated batch by batch."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from setwise.compiler import Pattern
from setwise.corpus.columns import COLUMNS, checked
from setwise.corpus.columns.registry import TAG
from setwise.corpus.language import sequences
from setwise.corpus.language.answers import answer
from setwise.corpus.language.database import database
from setwise.corpus.language.functions import SEQUENCES, expanded
from setwise.corpus.language.hints import unknown_column
from setwise.corpus.language.tree import (
    Node,
    arguments_of,
    children,
    column_named,
    constant_of,
    cut,
    name_of,
    rewritten,
    text_of,
)
from setwise.errors import QueryError

__all__ = ["GAME", "ROW", "Expressions", "holds"]

#: Columns of every batch: the number of the row, and of its game.
ROW, GAME = "_row_of_batch", "_game_of_batch"

#: Functions that are refused: they read or change settings of the database, or evaluate texts as SQL.
_FORBIDDEN = frozenset(
    {"current_setting", "getvariable", "getenv", "query", "query_table", "set_config", "setseed", "write_log"}
)


class Derived(NamedTuple):
    """A column computed from others: the result of a pattern, or of a sequence function such as ``next``."""

    name: str
    #: Takes the number of each row's game and the columns of the arguments, and returns the values.
    function: Callable[..., pa.Array]
    #: The arguments as SQL; and for each the column that it is, or None if DuckDB must evaluate it.
    arguments: list[str]
    column_names: list[str | None]
    #: The names of all columns in the arguments.
    names: frozenset[str]


def _spelled_references(node: Any) -> Iterator[str]:
    """The names of the columns in a tree as they are spelled there, without the parameters of lambdas."""
    if isinstance(node, dict) and node.get("class") == "COLUMN_REF":
        yield node["column_names"][-1]
        return
    parameters = set(_references(node["lhs"])) if isinstance(node, dict) and node.get("class") == "LAMBDA" else set()
    for child in children(node):
        yield from (name for name in _spelled_references(child) if name.lower() not in parameters)


def _references(node: Any) -> Iterator[str]:
    """The names of the columns in a tree in lower case, except those of tags."""
    return (name if name.startswith(TAG) else name.lower() for name in _spelled_references(node))


def _parameters(node: Any) -> Iterator[str]:
    """The parameters of the lambdas in a tree."""
    if isinstance(node, dict) and node.get("class") == "LAMBDA":
        yield from _references(node["lhs"])
    for child in children(node):
        yield from _parameters(child)


def holds(node: Any, what: Callable[[Node], bool]) -> bool:
    """Return whether ``what`` is true of any node in a tree."""
    return (isinstance(node, dict) and what(node)) or any(holds(child, what) for child in children(node))


class Expressions:
    """The expressions of one text: what they name, and the derived columns that they need.

    DuckDB evaluates the expressions only after the derived columns have been computed.

    Args:
        others: the types of the columns that the source has in addition to those of every position.
    """

    def __init__(self, others: Mapping[str, pa.DataType] | None = None) -> None:
        self.others = dict(others or {})
        self.named: dict[str, Pattern] = {}
        self.derived: list[Derived] = []
        #: The calls that derived columns replace, as they were written.
        self._calls: dict[str, Node] = {}
        #: Whether one of the derived columns is computed by a sequence function.
        self.uses_sequences = False

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column."""
        return self.others[name] if name in self.others else COLUMNS[name].type

    def expanded(self, node: Node) -> Node:
        """Return the expression that a call of a function of the language stands for; other nodes unchanged."""
        if node.get("class") not in {"FUNCTION", "WINDOW"} or node.get("is_operator"):
            return node
        name = name_of(node)
        if name in _FORBIDDEN:
            raise QueryError(f"{name} is not a function of conditions")
        expression = expanded(node, self.named) if node["class"] == "FUNCTION" else node
        return {**expression, "alias": node.get("alias", "")}

    def columns_in(self, tree: Node) -> list[str]:
        """The columns that a tree names, in order; columns of the source itself in its own spelling."""
        names = dict.fromkeys(name for name in _spelled_references(tree) if name.lower() not in {ROW, GAME})
        for name in names:
            try:
                checked([name], self.others)
            except QueryError:
                raise QueryError(unknown_column(name, tree, [*self.others, *COLUMNS])) from None
        return checked(names, self.others)

    def with_calls_derived(self, tree: Node) -> Node:
        """Return the tree with derived columns for calls of patterns and sequence functions, inner calls first."""
        bound = set(_parameters(tree))

        def change(node: Node) -> Node:
            if node.get("class") != "FUNCTION" or node.get("is_operator"):
                return node
            if name_of(node) in SEQUENCES:
                return self._derive_sequence(node)
            if name_of(node) in self.named and bound.isdisjoint(_references(node)):
                return self._derive(functools.partial(_applied, self.named[name_of(node)]), arguments_of(node), node)
            return node

        return rewritten(tree, change)

    @staticmethod
    def is_sequence(node: Node) -> bool:
        """Return whether a node is a call of a sequence function."""
        return node.get("class") == "FUNCTION" and not node.get("is_operator") and name_of(node) in SEQUENCES

    def with_sequences_derived(self, tree: Any) -> Any:
        """Return the tree with a derived column in place of every call of a sequence function."""
        return rewritten(tree, lambda node: self._derive_sequence(node) if self.is_sequence(node) else node)

    def _column_of(self, node: Node) -> str | None:
        """The name of the column that an expression is; None if it is anything else."""
        if node.get("class") != "COLUMN_REF":
            return None
        [name] = _references(node)
        return self._spelled(name)

    def _spelled(self, name: str) -> str:
        """The name of a column in the spelling of its source."""
        return name if name in self._calls else checked([name], self.others)[0]

    def _derive(self, function: Callable[..., pa.Array], arguments: list[Node], call: Node) -> Node:
        """Define a derived column for a call, and return a reference to it."""
        texts = [text_of(node) for node in arguments]
        column_names = [self._column_of(node) for node in arguments]
        name = next(name for number in itertools.count() if (name := f"_{number}") not in {*self._calls, *self.others})
        self.derived.append(
            Derived(
                name, function, texts, column_names, frozenset(self._spelled(name) for name in _references(arguments))
            )
        )
        self._calls[name] = self._original(call)
        return {**column_named(name), "alias": call.get("alias", "")}

    def _original(self, node: Node) -> Node:
        """An expression as it was before derived columns replaced its calls."""

        def restored(part: Node) -> Node:
            return self._calls.get(part["column_names"][-1], part) if part.get("class") == "COLUMN_REF" else part

        original: Node = rewritten(node, restored)
        return original

    def _derive_sequence(self, call: Node) -> Node:
        self.uses_sequences = True
        function, arguments = name_of(call), arguments_of(call)
        shifts = function in {"next", "previous"}
        if not 1 <= len(arguments) <= 1 + shifts:
            takes = "a value and how many plies, as next(x, 2)" if shifts else "one condition"
            raise QueryError(f"{function} takes {takes}, not {len(arguments)} arguments")
        plies = constant_of(arguments[1]) if len(arguments) == 2 else 1
        if not isinstance(plies, int) or plies < 1:
            number = cut(text_of(arguments[1]))
            raise QueryError(f"{function} takes a number of plies, 1 or more, not {number}")
        if shifts:
            shift = functools.partial(_shifted, plies if function == "next" else -plies)
            return self._derive(shift, arguments[:1], call)
        return self._derive(functools.partial(_any_ply, function, self._original(arguments[0])), arguments, call)

    def database(self) -> duckdb.DuckDBPyConnection:
        """Return a database with the patterns that the expressions name."""
        return database.with_functions(self.named)

    def types_of_derived(self) -> dict[str, pa.DataType]:
        """Return the types of the derived columns, by computing them for one row of nulls.

        Raises ``duckdb.Error`` or ``ValueError`` where a function or type is wrong.
        """
        names = set().union(*(column.names for column in self.derived)) if self.derived else set()
        row = {name: pa.nulls(1, self.type_of(name)) for name in names if name not in self._calls}
        row |= {ROW: pa.array([0], pa.int32()), GAME: pa.array([0], pa.int32())}
        self.extend(row, np.zeros(1, np.int32))
        return {column.name: row[column.name].type for column in self.derived}

    def based_on(self, names: Iterable[str]) -> list[str]:
        """Return the columns of positions that these columns are, or are computed from."""
        return [name for name in self._needed(names) if name not in self._calls]

    def extend(self, columns: dict[str, pa.Array], game: np.ndarray, wanted: Iterable[str] | None = None) -> None:
        """Add derived columns to ``columns``: all of them, or the wanted ones and those that they depend on."""
        names = None if wanted is None else self._needed(wanted)
        connection = self.database()
        for column in self.derived:
            if names is None or column.name in names:
                columns[column.name] = column.function(game, *_arguments(connection, column, columns))

    def _needed(self, wanted: Iterable[str]) -> set[str]:
        names = set(wanted)
        for column in reversed(self.derived):
            if column.name in names:
                names |= column.names
        return names


def _arguments(database: duckdb.DuckDBPyConnection, derived: Derived, columns: dict[str, pa.Array]) -> list[pa.Array]:
    """The values of the arguments of a derived column. DuckDB evaluates only those that are not columns."""
    expressions = [text for text, column in zip(derived.arguments, derived.column_names, strict=True) if column is None]
    evaluated: Iterator[pa.ChunkedArray] = iter(())
    if expressions:
        database.register("positions", pa.table(columns))
        evaluated = iter(database.sql(f"select {', '.join(expressions)} from positions").to_arrow_table().columns)
    return [columns[column] if column else next(evaluated).combine_chunks() for column in derived.column_names]


def _applied(pattern: Pattern, game: np.ndarray, *columns: pa.Array) -> pa.Array:
    return answer(pattern, columns)


def _shifted(plies: int, game: np.ndarray, values: pa.Array) -> pa.Array:
    return sequences.shifted(values, game, plies)


def _any_ply(name: str, argument: Node, game: np.ndarray, condition: pa.Array) -> pa.Array:
    if not pa.types.is_boolean(condition.type):
        text = cut(text_of(argument).replace('"', ""))
        raise QueryError(
            f"{name} takes a condition, and {text} is a value: next(x, n) gives a value n plies later, previous(x, n) "
            "one n plies earlier"
        )
    function = {"later": sequences.later, "earlier": sequences.earlier}[name]
    return pa.array(function(condition.cast(pa.bool_()).fill_null(False).to_numpy(zero_copy_only=False), game))
