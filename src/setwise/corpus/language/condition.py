"""Conditions: an expression over the columns of positions, answered by DuckDB on one batch after another."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import numpy as np
import pyarrow as pa

from setwise.corpus.columns import values_of
from setwise.corpus.language.database import reason
from setwise.corpus.language.expressions import GAME, ROW, Expressions, holds
from setwise.corpus.language.hints import check_sets
from setwise.corpus.language.tree import Node, parsed, quoted, rewritten, to_sql
from setwise.errors import QueryError
from setwise.position.positions import Positions

__all__ = ["Condition"]

#: Windows over the plies of a game: all of it, or up to here.
_WINDOWS = (
    f"window game as (partition by {GAME} order by {ROW} rows between unbounded preceding and unbounded following), "
    f"so_far as (partition by {GAME} order by {ROW})"
)


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
        self._expressions = Expressions(others)
        self._sql = to_sql(self._understood())
        self._try()

    def _understood(self) -> Node:
        """The tree of the statement that answers the condition."""
        what = f"condition {quoted(self.where)}"
        tree = parsed(f"select {ROW} from positions {_WINDOWS} qualify (\n{self.where}\n)", what)
        node = tree["statements"][0]["node"]
        if node["type"] != "SELECT_NODE" or holds(node["qualify"], lambda part: part.get("class") == "SUBQUERY"):
            raise QueryError(f"the {what} is more than one expression over the columns")
        asked = rewritten(node["qualify"], self._expressions.expanded)
        self.columns = self._expressions.columns_in(asked)
        check_sets(asked)
        node["qualify"] = self._expressions.computed(asked)
        if not holds(node["qualify"], lambda part: part.get("class") == "WINDOW"):
            node["where_clause"], node["qualify"] = node["qualify"], None
        return tree

    def _try(self) -> None:
        """Ask one row of nothing, so that a wrong type or function shows before any file is read."""
        row = {name: pa.nulls(1, self._expressions.type_of(name)) for name in self.columns}
        self._rows(row, np.zeros(1, np.int32))

    def _rows(self, columns: dict[str, pa.Array], game: np.ndarray) -> np.ndarray:
        columns = {ROW: pa.array(np.arange(len(game), dtype=np.int32)), GAME: pa.array(game), **columns}
        try:
            self._expressions.extend(columns, game)
            database = self._expressions.database()
            database.register("positions", pa.table(columns))
            return database.execute(self._sql).fetchnumpy()[ROW]
        except duckdb.Error as error:
            raise QueryError(f"the condition {quoted(self.where)} cannot be answered: {reason(error)}") from None
        except ValueError as error:  # a pattern refuses what it is given
            raise QueryError(f"the condition {quoted(self.where)} cannot be answered: {error}") from None

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match, ascending."""
        columns = {name: values_of(positions, name) for name in self.columns}
        game = np.arange(len(positions), dtype=np.int32) if positions.game is None else positions.game
        return np.sort(self._rows(columns, game))
