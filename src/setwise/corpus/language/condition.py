"""Conditions and values: an expression over the columns of positions, answered by DuckDB on one batch after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.corpus.columns import values_of
from setwise.corpus.language.checks import check, column_named_in
from setwise.corpus.language.database import reason
from setwise.corpus.language.expressions import GAME, ROW, Expressions, holds
from setwise.corpus.language.hints import names_of_players
from setwise.corpus.language.sequences import check_plies
from setwise.corpus.language.tree import Node, parsed, quoted, rewritten, to_sql
from setwise.errors import QueryError
from setwise.position.positions import Positions

__all__ = ["Condition", "Values"]

#: Windows over the plies of a game: all of it, or up to here.
_WINDOWS = (
    f"window game as (partition by {GAME} order by {ROW} rows between unbounded preceding and unbounded following), "
    f"so_far as (partition by {GAME} order by {ROW})"
)


#: What stands before a condition in the statement that answers it.
_BEFORE = f"select {ROW} from positions {_WINDOWS} qualify "


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


class _Asked:
    """One expression over the columns, understood: which columns it names, and the statement that answers it."""

    #: What messages call it, and what it is when nothing is written.
    what, usual = "expression", "null"

    def __init__(self, text: str, others: Mapping[str, pa.DataType] | None = None) -> None:
        if not isinstance(text, str):
            raise QueryError(
                f"{self.what.title()}s are texts, such as 'white_passed_pawns <> 0', not {type(text).__name__}"
            )
        self.text = text.strip() or self.usual
        self._said = f"{self.what} {quoted(self.text)}"
        self._expressions = Expressions(others)
        self._sql = to_sql(self._understood())
        self._try()

    def _understood(self) -> Node:
        """The tree of the statement that answers."""
        tree = parsed(f"{_BEFORE}(\n{self.text}\n)", self._said, closed=True)
        # Within parentheses stands no limit and no second statement; without them the text cannot close ours.
        parsed(f"{_BEFORE}{self.text}", self._said)
        node = tree["statements"][0]["node"]
        if holds(node["qualify"], _is_more):
            raise QueryError(f"the {self._said} is more than one expression over the columns")
        if holds(node["qualify"], _is_ours):
            raise QueryError(f"the {self._said} names a column that there is not: {ROW} or {GAME}")
        if holds(node["qualify"], _is_wider):
            raise QueryError(
                f"the {self._said} looks at several games at once: write `over game`, or `partition by game`"
            )
        asked = rewritten(node["qualify"], self._expressions.expanded)
        #: Whether it looks at other positions of the game.
        self.looks = holds(asked, lambda part: part.get("class") == "WINDOW" or self._expressions.is_look(part))
        self.columns = self._expressions.columns_in(asked)
        #: The texts that names of players are compared with.
        self.names = list(names_of_players(asked, self._expressions.others))
        check(asked, column_named_in(self._expressions.others))
        self._place(node, asked)
        return tree

    def _place(self, node: Node, asked: Node) -> None:
        """Put the expression where the statement needs it."""
        raise NotImplementedError

    def _try(self) -> None:
        """Ask one row of nothing, so that a wrong type or function shows before any file is read."""
        row = {name: pa.nulls(1, self._expressions.type_of(name)) for name in self.columns}
        self._answer(row, np.zeros(1, np.int32))

    def _fetched(self, database: duckdb.DuckDBPyConnection) -> Any:
        """What is wanted of the answer."""
        raise NotImplementedError

    def _answer(self, columns: dict[str, pa.Array], game: np.ndarray) -> Any:
        columns = {ROW: pa.array(np.arange(len(game), dtype=np.int32)), GAME: pa.array(game), **columns}
        try:
            self._expressions.extend(columns, game)
            database = self._expressions.database()
            database.register("positions", pa.table(columns))
            return self._fetched(database)
        except duckdb.Error as error:
            raise QueryError(f"the {self._said} cannot be answered: {reason(error)}") from None
        except ValueError as error:  # a pattern refuses what it is given
            raise QueryError(f"the {self._said} cannot be answered: {error}") from None

    def _asked_of(self, positions: Positions) -> Any:
        columns = {name: values_of(positions, name) for name in self.columns}
        game = np.arange(len(positions), dtype=np.int32) if positions.game is None else positions.game
        if self.looks and positions.ply is not None:
            check_plies(game, positions.ply)
        return self._answer(columns, game)


class Condition(_Asked):
    """A ``WHERE``: which columns it names, and which positions of a batch match.

    >>> Condition("white_royal_fork_squares <> 0 and next(black_pawn_islands, 2) >= 3").columns
    ['white_royal_fork_squares', 'black_pawn_islands']

    Args:
        text: an expression over the columns.
        others: the types of columns that the source itself has, beside those that every position has.

    Raises:
        QueryError: for broken SQL, unknown columns and functions, with the nearest names, and for what cannot mean
            anything.
    """

    what, usual = "condition", "true"

    def _place(self, node: Node, asked: Node) -> None:
        node["qualify"] = self._expressions.computed(asked)
        if not holds(node["qualify"], lambda part: part.get("class") == "WINDOW"):
            node["where_clause"], node["qualify"] = node["qualify"], None

    def _fetched(self, database: duckdb.DuckDBPyConnection) -> np.ndarray:
        return database.execute(self._sql).fetchnumpy()[ROW]

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match, ascending."""
        return np.sort(self._asked_of(positions))


class Values(_Asked):
    """What an expression says of each position of a batch.

    >>> from setwise import Position, Positions
    >>> forks = Values("knight.fork_targets(black_rooks | black_king) & black_pieces")
    >>> [Bitboard(word) for word in forks.of(Positions.from_positions([Position()])).to_pylist()]
    [Bitboard('c7')]

    Args:
        text: an expression over the columns.
        others: as for ``Condition``.

    Raises:
        QueryError: as ``Condition``.
    """

    def _place(self, node: Node, asked: Node) -> None:
        node["select_list"].append(self._expressions.computed(asked))
        node["qualify"] = None

    def _fetched(self, database: duckdb.DuckDBPyConnection) -> pa.Table:
        return database.sql(self._sql).to_arrow_table()

    def of(self, positions: Positions) -> pa.Array:
        """Return the value of each position, in order."""
        table: pa.Table = self._asked_of(positions)
        return table.take(pc.sort_indices(table.column(0))).column(1).combine_chunks()
