"""Conditions: SQL over the columns and the functions of the language, answered by DuckDB on one batch after another."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from setwise.compiler import Pattern
from setwise.corpus.columns import COLUMNS, checked, values_of
from setwise.corpus.columns.registry import TAG
from setwise.corpus.language import sequences
from setwise.corpus.language.functions import SEQUENCES, answer, expanded, function_names, register
from setwise.corpus.language.hints import check_sets
from setwise.corpus.language.tree import (
    Node,
    arguments_of,
    children,
    column_named,
    constant_of,
    name_of,
    open_database,
    parsed,
    quoted,
    rewritten,
    text_of,
    to_sql,
)
from setwise.errors import QueryError, did_you_mean
from setwise.position.positions import Positions

__all__ = ["Condition"]

#: Windows over the plies of a game: all of it, or up to here.
_WINDOWS = (
    "window game as (partition by _game order by _row rows between unbounded preceding and unbounded following), "
    "so_far as (partition by _game order by _row)"
)
#: Columns of every batch: the number of the row, and of its game.
_ROW, _GAME = "_row", "_game"

#: What must not be asked: what the database is told, and text that becomes SQL.
_FORBIDDEN = frozenset({"current_setting", "getvariable", "getenv", "query", "query_table", "set_config"})


class Derived(NamedTuple):
    """A column that comes of others: a pattern's answer, or what stands elsewhere in the game."""

    name: str
    #: From the arguments' columns and the numbers of the games to the values.
    function: Callable[..., pa.Array]
    #: The arguments as SQL, and which of them are columns as they stand.
    arguments: list[str]
    plain: list[str | None]


class _Database(threading.local):
    """A thread's own database, with the functions that it has been asked for."""

    def __init__(self) -> None:
        self.connection = open_database()
        self.functions: dict[str, Pattern] = {}

    def with_functions(self, named: Mapping[str, Pattern]) -> duckdb.DuckDBPyConnection:
        for name, found in named.items():
            if self.functions.get(name) is not found:
                if name in self.functions:
                    self.connection.remove_function(name)
                register(self.connection, found)
                self.functions[name] = found
        return self.connection


_database = _Database()


def _references(node: Any) -> Iterator[str]:
    """The names of the columns in a tree, in small letters but for tags, without the parameters of lambdas."""
    if isinstance(node, dict) and node.get("class") == "COLUMN_REF":
        name = node["column_names"][-1]
        yield name if name.startswith(TAG) else name.lower()
        return
    parameters = set(_references(node["lhs"])) if isinstance(node, dict) and node.get("class") == "LAMBDA" else set()
    for child in children(node):
        yield from (name for name in _references(child) if name not in parameters)


def _parameters(node: Any) -> Iterator[str]:
    """The parameters of the lambdas in a tree."""
    if isinstance(node, dict) and node.get("class") == "LAMBDA":
        yield from _references(node["lhs"])
    for child in children(node):
        yield from _parameters(child)


def _holds(node: Any, what: Callable[[Node], bool]) -> bool:
    return (isinstance(node, dict) and what(node)) or any(_holds(child, what) for child in children(node))


class Condition:
    """A ``WHERE``: which columns it names, and which positions of a batch match.

    >>> Condition("white_royal_fork_squares <> 0 and next(black_pawn_islands, 2) >= 3").columns
    ['white_royal_fork_squares', 'black_pawn_islands']

    Args:
        where: an expression over the columns.
        others: the types of columns that the source itself has, beside those that every position has.

    Raises:
        QueryError: for broken SQL, unknown columns and functions, with the nearest names, and for what cannot mean
            anything.
    """

    def __init__(self, where: str, others: Mapping[str, pa.DataType] | None = None) -> None:
        if not isinstance(where, str):
            raise QueryError(f"a condition is a text, such as 'white_passed_pawns <> 0', not {type(where).__name__}")
        self.where = where.strip() or "true"
        self._types = dict(others or {})
        self._named: dict[str, Pattern] = {}
        self._derived: list[Derived] = []
        tree = self._understood()
        self._sql = to_sql(tree)
        self._try()

    def _understood(self) -> Node:
        """The tree of the statement that answers the condition."""
        tree = parsed(
            f"select {_ROW} from positions {_WINDOWS} qualify (\n{self.where}\n)", f"condition {quoted(self.where)}"
        )
        node = tree["statements"][0]["node"]
        if node["type"] != "SELECT_NODE" or _holds(node["qualify"], lambda part: part.get("class") == "SUBQUERY"):
            raise QueryError(f"the condition {quoted(self.where)} is more than one expression over the columns")
        asked = rewritten(node["qualify"], self._expanded)
        self.columns = [name for name in self._checked(asked) if not name.startswith("_")]
        check_sets(asked)
        node["qualify"] = self._computed(asked)
        if not _holds(node["qualify"], lambda part: part.get("class") == "WINDOW"):
            node["where_clause"], node["qualify"] = node["qualify"], None
        return tree

    def _expanded(self, node: Node) -> Node:
        if node.get("class") not in {"FUNCTION", "WINDOW"} or node.get("is_operator"):
            return node
        name = name_of(node)
        if name in _FORBIDDEN:
            raise QueryError(f"{name} is no function of conditions")
        return expanded(node, self._named) if node["class"] == "FUNCTION" else node

    def _checked(self, asked: Node) -> list[str]:
        """The columns that a tree names, in order; as they are written in the source, where they are its own."""
        names = [name for name in _references(asked) if name not in {_ROW, _GAME}]
        return checked(names, self._types)

    def _computed(self, asked: Node) -> Node:
        """The tree with a column in place of every look along the game, the inner ones first."""
        bound = set(_parameters(asked))

        def change(node: Node) -> Node:
            if node.get("class") != "FUNCTION" or node.get("is_operator"):
                return node
            if name_of(node) in SEQUENCES:
                return self._look(node)
            if name_of(node) in self._named and bound.isdisjoint(_references(node)):
                return self._derive(functools.partial(_answers, self._named[name_of(node)]), arguments_of(node))
            return node

        return rewritten(asked, change)

    def _plain(self, node: Node) -> str | None:
        """The column that an expression is, if it is one as it stands."""
        if node.get("class") != "COLUMN_REF":
            return None
        [name] = _references(node)
        return name if name.startswith("_") else checked([name], self._types)[0]

    def _derive(self, function: Callable[..., pa.Array], given: list[Node]) -> Node:
        """A column in place of a call."""
        texts = [text_of(node) for node in given]
        plain = [self._plain(node) for node in given]
        name = f"_{len(self._derived)}"
        self._derived.append(Derived(name, function, texts, plain))
        return column_named(name)

    def _look(self, call: Node) -> Node:
        function, given = name_of(call), arguments_of(call)
        shifts = function in {"next", "previous"}
        if not 1 <= len(given) <= 1 + shifts:
            takes = "a value and how many plies, as next(x, 2)" if shifts else "one condition"
            raise QueryError(f"{function} takes {takes}, not {len(given)} arguments")
        plies = constant_of(given[1]) if len(given) == 2 else 1
        if not isinstance(plies, int) or plies < 1:
            raise QueryError(f"{function} looks a number of plies ahead or back, 1 or more, not {text_of(given[1])}")
        if shifts:
            return self._derive(functools.partial(_shifted, plies if function == "next" else -plies), given[:1])
        return self._derive(functools.partial(_ever, getattr(sequences, function)), given)

    def _try(self) -> None:
        """Ask one row of nothing, so that a wrong type or function shows before any file is read."""
        row = {name: pa.nulls(1, self._type(name)) for name in self.columns}
        self._rows(row, np.zeros(1, np.int32))

    def _type(self, name: str) -> pa.DataType:
        return self._types[name] if name in self._types else COLUMNS[name].type

    def _rows(self, columns: dict[str, pa.Array], game: np.ndarray) -> np.ndarray:
        database = _database.with_functions(self._named)
        columns = {_ROW: pa.array(np.arange(len(game), dtype=np.int32)), _GAME: pa.array(game), **columns}
        try:
            for made in self._derived:
                columns[made.name] = made.function(game, *_arguments(database, made, columns))
            database.register("positions", pa.table(columns))
            return database.execute(self._sql).fetchnumpy()[_ROW]
        except duckdb.Error as error:
            raise QueryError(f"the condition {quoted(self.where)} cannot be answered: {_reason(error)}") from None
        except ValueError as error:  # a pattern refuses what it is given
            raise QueryError(f"the condition {quoted(self.where)} cannot be answered: {error}") from None

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match, ascending."""
        columns = {name: values_of(positions, name) for name in self.columns}
        game = np.arange(len(positions), dtype=np.int32) if positions.game is None else positions.game
        rows = self._rows(columns, game)
        return np.sort(rows)


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


def _ever(look: Callable[[np.ndarray, np.ndarray], np.ndarray], game: np.ndarray, condition: pa.Array) -> pa.Array:
    return pa.array(look(condition.cast(pa.bool_()).fill_null(False).to_numpy(zero_copy_only=False), game))


def _reason(error: duckdb.Error) -> str:
    """What DuckDB says of a condition, in one sentence."""
    reason = str(error).split("\n")[0].split("Error: ")[-1]
    if unknown := re.match(r"Scalar Function with name (\S+) does not exist", reason):
        return f"there is no function {unknown[1]}{did_you_mean(unknown[1], function_names())}"
    return reason
