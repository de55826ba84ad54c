"""Conditions: an expression over the columns of positions, answered by DuckDB on one batch after another."""

from __future__ import annotations

import functools
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


#: What stands before a condition in the statement that answers it.
_BEFORE = f"select {ROW} from positions {_WINDOWS} qualify (\n"


def _around(tree: Node) -> Node:
    """What is in the tree of such a statement beside the condition."""
    return {name: part for name, part in tree["statements"][0]["node"].items() if name != "qualify"}


@functools.cache
def _nothing_around() -> Node:
    return _around(parsed(f"{_BEFORE}true\n)"))


def _is_more(part: Node) -> bool:
    """Whether a part of a condition speaks of other rows or columns than it names."""
    return part.get("class") in {"SUBQUERY", "STAR"}


def _is_wider(part: Node) -> bool:
    """Whether a part is a window over several games, of which a batch holds now these, now those."""
    if part.get("class") != "WINDOW":
        return False
    by = (by["column_names"][-1].lower() for by in part["partitions"] if by.get("class") == "COLUMN_REF")
    return not {GAME, "game"} & {*by}


def _is_ours(part: Node) -> bool:
    """Whether somebody names a column that only the windows know."""
    if part.get("class") != "COLUMN_REF" or part["query_location"] < len(_BEFORE):
        return False
    return part["column_names"][-1].lower() in {ROW, GAME}


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
        tree = parsed(f"{_BEFORE}{self.where}\n)", what)
        node = tree["statements"][0]["node"]
        # A parenthesis may close the condition, and behind it may stand a limit, a sample, another SELECT.
        if _around(tree) != _nothing_around() or holds(node["qualify"], _is_more):
            raise QueryError(f"the {what} is more than one expression over the columns")
        if holds(node["qualify"], _is_ours):
            raise QueryError(f"the {what} names a column that there is not: {ROW} or {GAME}")
        if holds(node["qualify"], _is_wider):
            raise QueryError(f"the {what} looks at several games at once: write `over game`, or `partition by game`")
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
