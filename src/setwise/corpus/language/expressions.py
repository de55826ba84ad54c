"""Expressions over the columns of positions: understood before anything is read, computed batch by batch."""

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

#: What must not be asked: what the database is told, and text that becomes SQL.
_FORBIDDEN = frozenset(
    {"current_setting", "getvariable", "getenv", "query", "query_table", "set_config", "setseed", "write_log"}
)


class Derived(NamedTuple):
    """A column that comes of others: a pattern's answer, or what stands elsewhere in the game."""

    name: str
    #: From the arguments' columns and the numbers of the games to the values.
    function: Callable[..., pa.Array]
    #: The arguments as SQL, and which of them are columns as they stand.
    arguments: list[str]
    plain: list[str | None]
    #: The names of all columns in the arguments.
    names: frozenset[str]


def _written(node: Any) -> Iterator[str]:
    """The names of the columns in a tree as they are written, without the parameters of lambdas."""
    if isinstance(node, dict) and node.get("class") == "COLUMN_REF":
        yield node["column_names"][-1]
        return
    parameters = set(_references(node["lhs"])) if isinstance(node, dict) and node.get("class") == "LAMBDA" else set()
    for child in children(node):
        yield from (name for name in _written(child) if name.lower() not in parameters)


def _references(node: Any) -> Iterator[str]:
    """The same in small letters, but for tags."""
    return (name if name.startswith(TAG) else name.lower() for name in _written(node))


def _parameters(node: Any) -> Iterator[str]:
    """The parameters of the lambdas in a tree."""
    if isinstance(node, dict) and node.get("class") == "LAMBDA":
        yield from _references(node["lhs"])
    for child in children(node):
        yield from _parameters(child)


def holds(node: Any, what: Callable[[Node], bool]) -> bool:
    """Return whether a part of a tree is such."""
    return (isinstance(node, dict) and what(node)) or any(holds(child, what) for child in children(node))


class Expressions:
    """What the expressions of one text name, and the columns that must be computed before SQL can answer.

    Args:
        others: the types of columns that the source itself has, beside those that every position has.
    """

    def __init__(self, others: Mapping[str, pa.DataType] | None = None) -> None:
        self.others = dict(others or {})
        self.named: dict[str, Pattern] = {}
        self.derived: list[Derived] = []
        #: The calls that derived columns stand for, as they are written.
        self._calls: dict[str, Node] = {}
        #: Whether a function that looks along the game is among them.
        self.looks_along = False

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column."""
        return self.others[name] if name in self.others else COLUMNS[name].type

    def expanded(self, node: Node) -> Node:
        """Return what a node stands for, if it is a call of a function of the language."""
        if node.get("class") not in {"FUNCTION", "WINDOW"} or node.get("is_operator"):
            return node
        name = name_of(node)
        if name in _FORBIDDEN:
            raise QueryError(f"{name} is no function of conditions")
        found = expanded(node, self.named) if node["class"] == "FUNCTION" else node
        return {**found, "alias": node.get("alias", "")}

    def columns_in(self, asked: Node) -> list[str]:
        """The columns that a tree names, in order; as they are written in the source, where they are its own."""
        names = dict.fromkeys(name for name in _written(asked) if name.lower() not in {ROW, GAME})
        for name in names:
            try:
                checked([name], self.others)
            except QueryError:
                raise QueryError(unknown_column(name, asked, [*self.others, *COLUMNS])) from None
        return checked(names, self.others)

    def computed(self, asked: Node) -> Node:
        """Return the tree with a column in place of every pattern and look along the game, the inner ones first."""
        bound = set(_parameters(asked))

        def change(node: Node) -> Node:
            if node.get("class") != "FUNCTION" or node.get("is_operator"):
                return node
            if name_of(node) in SEQUENCES:
                return self._look(node)
            if name_of(node) in self.named and bound.isdisjoint(_references(node)):
                return self._derive(functools.partial(_answers, self.named[name_of(node)]), arguments_of(node), node)
            return node

        return rewritten(asked, change)

    @staticmethod
    def is_look(node: Node) -> bool:
        """Return whether a node is a call of a function that looks along the game."""
        return node.get("class") == "FUNCTION" and not node.get("is_operator") and name_of(node) in SEQUENCES

    def looks(self, asked: Any) -> Any:
        """Return the tree with a column in place of every look along the game."""
        return rewritten(asked, lambda node: self._look(node) if self.is_look(node) else node)

    def _plain(self, node: Node) -> str | None:
        """The column that an expression is, if it is one as it stands."""
        if node.get("class") != "COLUMN_REF":
            return None
        [name] = _references(node)
        return self._spelled(name)

    def _spelled(self, name: str) -> str:
        """The name of a column as its source writes it."""
        return name if name in self._calls else checked([name], self.others)[0]

    def _derive(self, function: Callable[..., pa.Array], given: list[Node], call: Node) -> Node:
        """A column in place of a call."""
        texts = [text_of(node) for node in given]
        plain = [self._plain(node) for node in given]
        name = next(name for number in itertools.count() if (name := f"_{number}") not in {*self._calls, *self.others})
        self.derived.append(
            Derived(name, function, texts, plain, frozenset(self._spelled(name) for name in _references(given)))
        )
        self._calls[name] = self._original(call)
        return {**column_named(name), "alias": call.get("alias", "")}

    def _original(self, node: Node) -> Node:
        """An expression as it was before derived columns took the place of calls."""

        def restored(part: Node) -> Node:
            return self._calls.get(part["column_names"][-1], part) if part.get("class") == "COLUMN_REF" else part

        original: Node = rewritten(node, restored)
        return original

    def _look(self, call: Node) -> Node:
        self.looks_along = True
        function, given = name_of(call), arguments_of(call)
        shifts = function in {"next", "previous"}
        if not 1 <= len(given) <= 1 + shifts:
            takes = "a value and how many plies, as next(x, 2)" if shifts else "one condition"
            raise QueryError(f"{function} takes {takes}, not {len(given)} arguments")
        plies = constant_of(given[1]) if len(given) == 2 else 1
        if not isinstance(plies, int) or plies < 1:
            number = cut(text_of(given[1]))
            raise QueryError(f"{function} looks a number of plies ahead or back, 1 or more, not {number}")
        if shifts:
            return self._derive(functools.partial(_shifted, plies if function == "next" else -plies), given[:1], call)
        return self._derive(functools.partial(_ever, function, self._original(given[0])), given, call)

    def database(self) -> duckdb.DuckDBPyConnection:
        """Return a database that knows the functions that have been named."""
        return database.with_functions(self.named)

    def types_of_derived(self) -> dict[str, pa.DataType]:
        """Return the types of the computed columns, found out on one row of nothing.

        Raises ``duckdb.Error`` or ``ValueError`` where a function or type is wrong.
        """
        names = set().union(*(made.names for made in self.derived)) if self.derived else set()
        row = {name: pa.nulls(1, self.type_of(name)) for name in names if name not in self._calls}
        row |= {ROW: pa.array([0], pa.int32()), GAME: pa.array([0], pa.int32())}
        self.extend(row, np.zeros(1, np.int32))
        return {made.name: row[made.name].type for made in self.derived}

    def based_on(self, names: Iterable[str]) -> list[str]:
        """Return the columns of positions that some columns are, or are computed from."""
        return [name for name in self._needed(names) if name not in self._calls]

    def extend(self, columns: dict[str, pa.Array], game: np.ndarray, wanted: Iterable[str] | None = None) -> None:
        """Add the computed columns to others; all of them, or the wanted ones and those that they rest on."""
        names = None if wanted is None else self._needed(wanted)
        connection = self.database()
        for made in self.derived:
            if names is None or made.name in names:
                columns[made.name] = made.function(game, *_arguments(connection, made, columns))

    def _needed(self, wanted: Iterable[str]) -> set[str]:
        names = set(wanted)
        for made in reversed(self.derived):
            if made.name in names:
                names |= made.names
        return names


def _arguments(database: duckdb.DuckDBPyConnection, made: Derived, columns: dict[str, pa.Array]) -> list[pa.Array]:
    """The values of the arguments; only what is no column as it stands is asked of DuckDB."""
    asked = [text for text, column in zip(made.arguments, made.plain, strict=True) if column is None]
    answers: Iterator[pa.ChunkedArray] = iter(())
    if asked:
        database.register("positions", pa.table(columns))
        answers = iter(database.sql(f"select {', '.join(asked)} from positions").to_arrow_table().columns)
    return [columns[column] if column else next(answers).combine_chunks() for column in made.plain]


def _answers(found: Pattern, game: np.ndarray, *columns: pa.Array) -> pa.Array:
    return answer(found, columns)


def _shifted(plies: int, game: np.ndarray, values: pa.Array) -> pa.Array:
    return sequences.shifted(values, game, plies)


def _ever(name: str, given: Node, game: np.ndarray, condition: pa.Array) -> pa.Array:
    if not pa.types.is_boolean(condition.type):
        text = cut(text_of(given).replace('"', ""))
        raise QueryError(
            f"{name} takes a condition, and {text} is a value: next(x, n) gives a value n plies later, previous(x, n) "
            "one n plies earlier"
        )
    look = {"later": sequences.later, "earlier": sequences.earlier}[name]
    return pa.array(look(condition.cast(pa.bool_()).fill_null(False).to_numpy(zero_copy_only=False), game))
