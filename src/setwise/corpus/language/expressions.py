"""Expressions over the columns of positions: checked before anything is read, evaluated batch by batch."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from setwise.compiler import Pattern
from setwise.corpus.columns import COLUMNS, checked
from setwise.corpus.columns.registry import lowered
from setwise.corpus.language.answers import answer
from setwise.corpus.language.database import database
from setwise.corpus.language.derived import GAME, HERE, LINE, ROW, Compute, Derived, Joined, Rowwise, of_rows, with_rows
from setwise.corpus.language.each import EACH, squares_of_each
from setwise.corpus.language.functions import expanded
from setwise.corpus.language.hints import unknown_column
from setwise.corpus.language.sequence_calls import NOW, is_sequence, sequence_call, with_keywords
from setwise.corpus.language.tree import (
    Node,
    arguments_of,
    children,
    column_named,
    expression,
    name_of,
    rewritten,
)
from setwise.errors import QueryError

__all__ = ["GAME", "LINE", "ROW", "Expressions", "holds", "is_wider"]

#: Functions that are refused: they read or change settings of the database, evaluate texts as SQL, or sleep.
_FORBIDDEN = frozenset(
    {
        "current_setting",
        "getvariable",
        "getenv",
        "json_serialize_plan",
        "pg_sleep",
        "query",
        "query_table",
        "set_config",
        "setseed",
        "sleep_ms",
        "write_log",
    }
)


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
    return map(lowered, _spelled_references(node))


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
        if is_sequence(node):
            return with_keywords(node)
        expression = expanded(node, self.named) if node["class"] == "FUNCTION" else node
        return {**expression, "alias": node.get("alias", "")}

    def columns_in(self, tree: Node) -> list[str]:
        """The columns that a tree names, in order; columns of the source itself in its own spelling."""
        names = dict.fromkeys(name for name in _spelled_references(tree) if name.lower() not in {ROW, GAME, LINE})
        for name in names:
            try:
                checked([name], self.others)
            except QueryError:
                raise QueryError(unknown_column(name, tree, [*self.others, *COLUMNS])) from None
        return checked(names, self.others)

    def with_calls_derived(self, tree: Node) -> Node:
        """Return the tree with derived columns for calls of patterns and sequence functions, inner calls first.

        Windows inside windows are derived, too, because DuckDB does not nest them.
        """
        bound = set(_parameters(tree))

        def change(node: Node) -> Node:
            if _is_window(node):
                return dict(zip(node, rewritten(list(node.values()), self._without_window), strict=True))
            if node.get("class") != "FUNCTION" or node.get("is_operator"):
                return node
            if is_sequence(node):
                return self._derive_sequence(node, bound)
            if name_of(node) == EACH and bound.isdisjoint(_references(node)) and not holds(node, _is_now):
                return self._derive(self._rowwise(_squares, arguments_of(node)), arguments_of(node), node)
            if name_of(node) in self.named and bound.isdisjoint(_references(node)) and not holds(node, _is_now):
                pattern = functools.partial(_applied, self.named[name_of(node)])
                return self._derive(self._rowwise(pattern, arguments_of(node)), arguments_of(node), node)
            return node

        return self._without_now(rewritten(tree, change))

    def with_sequences_derived(self, tree: Any) -> Any:
        """Return the tree with a derived column in place of every call of a sequence function."""
        bound = set(_parameters(tree))
        derived = rewritten(tree, lambda node: self._derive_sequence(node, bound) if is_sequence(node) else node)
        return self._without_now(derived)

    @staticmethod
    def _without_now(tree: Any) -> Any:
        if holds(tree, _is_now):
            raise QueryError(
                "now(x) is the value of x in the row from which next, previous, later, earlier, streak, lasts or until "
                "looks: write it inside one of these"
            )
        return tree

    def _column_of(self, node: Node) -> str | None:
        """The name of the column that an expression is; None if it is anything else."""
        if node.get("class") != "COLUMN_REF":
            return None
        [name] = _references(node)
        return self._spelled(name)

    def _spelled(self, name: str) -> str:
        """The name of a column in the spelling of its source."""
        return name if name in self._calls else checked([name], self.others)[0]

    def _derive(self, compute: Compute, arguments: list[Node], call: Node) -> Node:
        """Define a derived column for a call, and return a reference to it."""
        name = next(name for number in itertools.count() if (name := f"_{number}") not in {*self._calls, *self.others})
        names = (self._spelled(name) for name in _references(arguments) if name not in {ROW, GAME, LINE})
        self.derived.append(Derived(name, compute, frozenset(names)))
        self._calls[name] = self._original(call)
        return {**column_named(name), "alias": call.get("alias", "")}

    def _rowwise(self, function: Callable[..., pa.Array], arguments: list[Node]) -> Rowwise:
        windowed = holds(arguments, _is_window)
        if windowed:
            self.uses_sequences = True
        return Rowwise(function, arguments, list(map(self._column_of, arguments)), windowed=windowed)

    def _derive_value(self, node: Node) -> Node:
        """Return a reference to the column that an expression is, or to a derived one with its values."""
        if self._column_of(node) is not None:
            return node
        return self._derive(self._rowwise(lambda _, values: values, [node]), [node], node)

    def _without_window(self, node: Node) -> Node:
        return self._derive_value(node) if _is_window(node) else node

    def _original(self, node: Node) -> Node:
        """An expression as it was before derived columns replaced its calls."""

        def restored(part: Node) -> Node:
            if part.get("class") != "COLUMN_REF":
                return part
            original = self._calls.get(part["column_names"][-1], {**part, "column_names": part["column_names"][-1:]})
            return expression(f"{NOW}(x)", x=original) if _is_now(part) else original

        original: Node = rewritten(node, restored)
        return original

    def _derive_sequence(self, node: Node, bound: set[str]) -> Node:
        self.uses_sequences = True
        call = sequence_call(node)
        originals = list(map(self._original, call.values))
        looks_back = holds(call.values, _is_now)
        if call.name == NOW:
            if looks_back:
                raise QueryError("now inside now has no row of its own: write now(x) of a column")
            [name] = self._derive_value(call.values[0])["column_names"][-1:]
            return {**column_named(name), "column_names": [HERE, name]}
        if looks_back and holds(call.values, _is_window):
            raise QueryError(f"{call.name} cannot read a window and now(x) at once")
        if holds(call.values, is_wider):
            raise QueryError(f"{call.name} reads one game, and a window in it is wider: write `over game`")
        compute = Joined(call, originals, bound) if looks_back else self._rowwise(of_rows(call, originals), call.values)
        return self._derive(compute, call.values, node)

    def database(self) -> duckdb.DuckDBPyConnection:
        """Return a database with the patterns that the expressions name."""
        return database.with_functions(self.named)

    def types_of_derived(self) -> dict[str, pa.DataType]:
        """Return the types of the derived columns, by computing them for one row of nulls.

        Raises ``duckdb.Error`` or ``ValueError`` where a function or type is wrong.
        """
        names = set().union(*(column.names for column in self.derived)) if self.derived else set()
        row = {name: pa.nulls(1, self.type_of(name)) for name in names if name not in self._calls}
        row |= {name: pa.array([0], pa.int32()) for name in (ROW, GAME, LINE)}
        self.extend(row, np.zeros(1, np.int32))
        return {column.name: row[column.name].type for column in self.derived}

    def based_on(self, names: Iterable[str]) -> list[str]:
        """Return the columns of positions that these columns are, or are computed from."""
        return [name for name in self._needed(names) if name not in self._calls]

    def extend(self, columns: dict[str, pa.Array], game: np.ndarray, wanted: Iterable[str] | None = None) -> None:
        """Add derived columns to ``columns``: all of them, or the wanted ones and those that they depend on."""
        names = None if wanted is None else self._needed(wanted)
        wanted_here = [column for column in self.derived if names is None or column.name in names]
        if not wanted_here:
            return
        connection, table = self.database(), with_rows(columns, game)
        for column in wanted_here:
            table[column.name] = columns[column.name] = column.compute(connection, table, game)

    def _needed(self, wanted: Iterable[str]) -> set[str]:
        names = set(wanted)
        for column in reversed(self.derived):
            if column.name in names:
                names |= column.names
        return names


def _applied(pattern: Pattern, game: np.ndarray, *columns: pa.Array) -> pa.Array:
    return answer(pattern, columns)


def _squares(game: np.ndarray, sets: pa.Array) -> pa.Array:
    return squares_of_each(sets)


def _is_window(node: Node) -> bool:
    return node.get("class") == "WINDOW"


def is_wider(part: Node) -> bool:
    """Return whether a part is a window over several games. Its result would depend on which games are in a batch."""
    if part.get("class") != "WINDOW":
        return False
    by = (by["column_names"][-1].lower() for by in part["partitions"] if by.get("class") == "COLUMN_REF")
    return not {GAME, "game"} & {*by}


def _is_now(node: Node) -> bool:
    """Whether a node is a reference to the row from which a sequence function looks."""
    return node.get("class") == "COLUMN_REF" and node["column_names"][0] == HERE
