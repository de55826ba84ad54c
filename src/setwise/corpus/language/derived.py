"""Columns that are computed from others before DuckDB evaluates an expression: patterns and sequence functions.

A call that compares with ``now(x)`` reads two rows at once: DuckDB joins the positions of each game with those that the
function reads from them, by a hash of the game and of what the condition says is equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import duckdb
import numpy as np
import pyarrow as pa

from setwise.corpus.language import sequences
from setwise.corpus.language.sequence_calls import SequenceCall
from setwise.corpus.language.tree import Node, cut, rewritten, text_of
from setwise.errors import QueryError

__all__ = ["GAME", "HERE", "LINE", "ROW", "Derived", "Joined", "Rowwise", "of_rows", "with_rows"]

#: Columns of every batch: the number of the row, of its game, and of its line of variation.
ROW, GAME, LINE = "_row_of_batch", "_game_of_batch", "_line_of_batch"
#: The names of the positions in a join: those that look, and those that they look at.
HERE, THERE = "_here", "_there"

Columns = dict[str, pa.Array]


class Compute(Protocol):
    """Computes a column of a batch from its other columns, ``ROW`` and ``GAME`` among them."""

    def __call__(self, database: duckdb.DuckDBPyConnection, columns: Columns, game: np.ndarray) -> pa.Array: ...


class Derived(NamedTuple):
    """A column computed from others."""

    name: str
    compute: Compute
    #: The names of all columns that it is computed from.
    names: frozenset[str]


def with_rows(columns: Columns, game: np.ndarray) -> Columns:
    """Return the columns, and the numbers of the row and the game before them."""
    return {ROW: pa.array(np.arange(len(game), dtype=np.int32)), GAME: pa.array(game, pa.int32()), **columns}


class Rowwise:
    """Applies a function to the values of expressions.

    Args:
        function: takes the number of each row's game and the values of the arguments.
        arguments: the expressions.
        names: for each the column that it is, or None if DuckDB must evaluate it.
        windowed: whether an expression is a window.
    """

    def __init__(
        self,
        function: Callable[..., pa.Array],
        arguments: Sequence[Node],
        names: Sequence[str | None],
        *,
        windowed: bool = False,
    ) -> None:
        self.function, self.names = function, names
        texts = [text_of(node) for node, name in zip(arguments, names, strict=True) if name is None]
        order = f" order by {ROW}" if windowed else ""  # windows return rows in another order
        self.sql = f"select {', '.join(texts)} from positions{order}" if texts else ""

    def __call__(self, database: duckdb.DuckDBPyConnection, columns: Columns, game: np.ndarray) -> pa.Array:
        """Return the values of the function."""
        evaluated: Iterator[pa.ChunkedArray] = iter(())
        if self.sql:
            database.register("positions", pa.table(columns))
            evaluated = iter(database.sql(self.sql).to_arrow_table().columns)
        values = [columns[name] if name else next(evaluated).combine_chunks() for name in self.names]
        return self.function(game, *values)


# ----------------------------------------------------------------------------------------------- conditions on one row


def of_rows(call: SequenceCall, originals: Sequence[Node]) -> Callable[..., pa.Array]:
    """Return the function of a sequence call whose values are those of single rows.

    Args:
        call: the call.
        originals: its values as the user has written them, for messages.
    """
    if call.name in {"next", "previous"}:
        plies = call.plies if call.name == "next" else -call.plies
        return lambda game, values: sequences.shifted(values, game, plies)
    function = _OF_CONDITIONS[call.name]

    def applied(game: np.ndarray, *conditions: pa.Array) -> pa.Array:
        for condition, original in zip(conditions, originals, strict=True):
            _check_condition(call.name, condition.type, original)
        return pa.array(function(call, game, *map(_flags, conditions)))

    return applied


_OF_CONDITIONS: dict[str, Callable[..., np.ndarray]] = {
    "later": lambda _, game, holds: sequences.later(holds, game),
    "earlier": lambda _, game, holds: sequences.earlier(holds, game),
    "streak": lambda call, game, holds: sequences.streak(holds, game, call.step),
    "lasts": lambda call, game, holds: sequences.lasts(holds, game, call.plies, call.step),
    "until": lambda _, game, holds, reached: sequences.until(holds, reached, game),
}


def _flags(condition: pa.Array) -> np.ndarray:
    flags: np.ndarray = condition.cast(pa.bool_()).fill_null(False).to_numpy(zero_copy_only=False)
    return flags


def _check_condition(name: str, kind: pa.DataType, argument: Node) -> None:
    if not pa.types.is_boolean(kind):
        text = cut(text_of(argument).replace('"', ""))
        takes = "two conditions" if name == "until" else "a condition"
        instead = ": next(x, n) gives a value n plies later, previous(x, n) one n plies earlier"
        raise QueryError(
            f"{name} takes {takes}, and {text} is a value{instead if name in {'later', 'earlier'} else ''}"
        )


# ----------------------------------------------------------------------------------------------------- pairs of rows

_AT, _FROM = f"{THERE}.{ROW}", f"{HERE}.{ROW}"
#: The first, and the last, of these rows at which a condition fails, and the first one later at which it holds.
_FIRST_FAULT = f"min({_AT}) filter (where not coalesce(({{0}}), false))"
_LAST_FAULT = f"max({_AT}) filter (where not coalesce(({{0}}), false))"
_REACHED = f"min({_AT}) filter (where ({{1}}) and {_AT} > {_FROM})"


class _Look(NamedTuple):
    """Which rows a row reads, and what becomes of them; an empty result: whether the condition holds at any."""

    rows: str
    result: str = ""


_LOOKS = {
    "next": _Look(f"{_AT} = {_FROM} + {{plies}}", "first({0})"),
    "previous": _Look(f"{_AT} = {_FROM} - {{plies}}", "first({0})"),
    "later": _Look(f"{_AT} > {_FROM}"),
    "earlier": _Look(f"{_AT} < {_FROM}"),
    "streak": _Look(
        f"{_AT} <= {_FROM} and ({_FROM} - {_AT}) % {{step}} = 0",
        f"coalesce(({_FROM} - {_LAST_FAULT}) // {{step}}, count(*))",
    ),
    "lasts": _Look(
        f"{_AT} >= {_FROM} and {_AT} < {_FROM} + {{step}}::bigint * {{plies}} and ({_AT} - {_FROM}) % {{step}} = 0",
        "count(*) filter (where {0}) = {plies}",
    ),
    "until": _Look(
        f"{_AT} >= {_FROM}", f"coalesce({_REACHED} <= coalesce({_FIRST_FAULT}, {1 << 31}), false)"
    ),
}  # fmt: skip


class Joined:
    """Computes a sequence call some of whose values name ``now(x)``, the row from which it looks.

    Args:
        call: the call; references of the table ``HERE`` are to the row that looks.
        originals: its values as the user has written them, for messages.
        bound: parameters of lambdas, which are no columns.
    """

    def __init__(self, call: SequenceCall, originals: Sequence[Node], bound: set[str]) -> None:
        self.call, self.originals = call, originals

        def qualified(node: Node) -> Node:
            names = node.get("column_names", ())
            is_row = node.get("class") == "COLUMN_REF" and names[0] != HERE and names[0].lower() not in bound
            return {**node, "column_names": [THERE, names[-1]]} if is_row else node

        self.texts = [text_of(rewritten(node, qualified)) for node in call.values]
        look = _LOOKS[call.name]
        self.same = f"{THERE}.{GAME} = {HERE}.{GAME} and {look.rows.format(plies=call.plies, step=call.step)}"
        self.result = look.result.format(*self.texts, plies=call.plies, step=call.step)

    def __call__(self, database: duckdb.DuckDBPyConnection, columns: Columns, game: np.ndarray) -> pa.Array:
        """Return the values of the call."""
        database.register("positions", pa.table(columns))
        values = ", ".join(self.texts)
        types = database.sql(
            f"select {values} from positions {THERE} join positions {HERE} on {THERE}.{ROW} = {HERE}.{ROW} limit 0"
        ).to_arrow_table()
        if self.call.name not in {"next", "previous"}:
            for kind, original in zip(types.schema.types, self.originals, strict=True):
                _check_condition(self.call.name, kind, original)
        if not self.result:
            return self._any(database, len(game))
        table = database.sql(
            f"select {HERE}.{ROW}, {self.result} from positions {THERE} join positions {HERE} on {self.same} group by 1"
        ).to_arrow_table()
        rows = np.full(len(game), -1, np.int64)
        rows[table.column(0).to_numpy()] = np.arange(len(table))
        found = table.column(1).combine_chunks().take(pa.array(rows, mask=rows < 0))
        return found.cast(pa.int32()) if self.call.name == "streak" else self._known(found)

    def _any(self, database: duckdb.DuckDBPyConnection, count: int) -> pa.Array:
        joined = f"positions {HERE} semi join positions {THERE} on {self.same} and ({self.texts[0]})"
        flags = np.zeros(count, np.bool_)
        flags[database.sql(f"select {_FROM} from {joined}").fetchnumpy()[ROW]] = True
        return pa.array(flags)

    def _known(self, found: pa.Array) -> pa.Array:
        """The values, with false for a condition of which nothing is known."""
        return found if self.call.name in {"next", "previous"} else found.fill_null(False)
