"""Conditions and values: expressions over the columns of positions, evaluated by DuckDB batch by batch."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from setwise.corpus.columns import values_of
from setwise.corpus.columns.variations import taken, tree_of_all
from setwise.corpus.language.checks import check, check_truth, column_named_in
from setwise.corpus.language.database import reason
from setwise.corpus.language.expressions import GAME, LINE, ROW, Expressions, holds, is_wider
from setwise.corpus.language.hints import comparisons_in, names_of_players
from setwise.corpus.language.macros import deferred
from setwise.corpus.language.marks import Marks
from setwise.corpus.language.materials import KEY, counted
from setwise.corpus.language.narrowing import needs_of
from setwise.corpus.language.sequence_calls import is_sequence
from setwise.corpus.language.sequences import check_plies
from setwise.corpus.language.tree import (
    Node,
    column_named,
    parsed,
    quoted,
    refusing_deep_trees,
    rewritten,
    text_of,
    to_sql,
)  # fmt: skip
from setwise.errors import QueryError
from setwise.notation.pgn.line_positions import Paths, paths_of
from setwise.position.positions import Positions
from setwise.system.arrow import pc

__all__ = ["Condition", "Values"]

#: Windows over the plies of a game: all of it, those of one line, or up to here.
_WINDOWS = (
    f"window game as (partition by {GAME} order by {ROW} rows between unbounded preceding and unbounded following), "
    f"line as (partition by {GAME}, {LINE} order by {ROW} rows between unbounded preceding and unbounded following), "
    f"so_far as (partition by {GAME} order by {ROW})"
)


_OVER_GAME = re.compile(r"\bover\s+game\b(?=(?:[^']*'[^']*')*[^']*\Z)", re.IGNORECASE)

#: The beginning of the statement that evaluates a condition.
_BEFORE = f"select {ROW} from positions {_WINDOWS} qualify "


def _is_more(part: Node) -> bool:
    """Whether a part of a condition reads rows or columns that it does not name."""
    return part.get("class") in {"SUBQUERY", "STAR"}


def _is_internal(part: Node) -> bool:
    """Whether a part written by the user names one of the columns that only the windows use."""
    if part.get("class") != "COLUMN_REF" or part["query_location"] < len(_BEFORE):
        return False
    return part["column_names"][-1].lower() in {ROW, GAME, LINE}


class _Expression:
    """A checked expression over the columns: which columns it names, and the statement that evaluates it."""

    #: What messages call the expression, and the expression that an empty text stands for.
    what, default = "expression", "null"

    def __init__(self, text: str, others: Mapping[str, pa.DataType] | None = None) -> None:
        if not isinstance(text, str):
            raise QueryError(
                f"{self.what.title()}s are texts, such as 'white_passed_pawns <> 0', not {type(text).__name__}"
            )
        self.text = text.strip() or self.default
        self._title = f"{self.what} {quoted(self.text)}"
        self._expressions = Expressions(others)
        with refusing_deep_trees(self._title):
            self._sql = to_sql(self._parsed())
        self._check_types()

    def _parsed(self) -> Node:
        """The tree of the statement that evaluates the expression."""
        tree = parsed(f"{_BEFORE}(\n{self.text}\n)", self._title, closed=True)
        # The parentheses exclude a LIMIT and a second statement; parsing without them shows that the text closes none.
        parsed(f"{_BEFORE}{self.text}", self._title)
        node = tree["statements"][0]["node"]
        if holds(node["qualify"], _is_more):
            raise QueryError(f"the {self._title} is more than one expression over the columns")
        if holds(node["qualify"], _is_internal):
            raise QueryError(f"the {self._title} names an internal column: {ROW}, {GAME} or {LINE}")
        if holds(node["qualify"], is_wider):
            raise QueryError(
                f"the {self._title} is a window over several games: write `over game`, or `partition by game`"
            )
        expression = rewritten(deferred(node["qualify"]), self._expanded)
        #: Whether the expression reads other positions of the game.
        self.reads_other_rows = holds(expression, lambda part: part.get("class") == "WINDOW" or is_sequence(part))
        check(expression, column_named_in(self._expressions.others))
        self.columns = self._expressions.columns_in(expression)
        self._tree = expression
        #: What every game has with a row in which the expression is true; None if the expression does not say.
        self.needs = needs_of(expression, self._expressions.others)
        #: The texts that player names are compared with.
        self.names = list(names_of_players(expression, self._expressions.others))
        #: The comparisons of columns with texts that may be anything.
        self.comparisons = list(comparisons_in(expression, self._expressions.others))
        self._insert(node, expression)
        return tree

    def _expanded(self, node: Node) -> Node:
        """The expression that a call stands for; what names the pieces is counted, which is quicker than their text."""
        if KEY in map(str.lower, self._expressions.others):
            return self._expressions.expanded(node)
        return self._expressions.expanded(counted(node))

    def _insert(self, node: Node, expression: Node) -> None:
        """Put the expression into the SELECT."""
        raise NotImplementedError

    def _check_types(self) -> None:
        """Evaluate one row of nulls, so that type errors are raised before any file is read."""
        row = {name: pa.nulls(1, self._expressions.type_of(name)) for name in self.columns}
        self._evaluate(row, np.zeros(1, np.int32))

    def check_variations(self) -> None:
        """Raise ``QueryError`` if the expression does not say which line of a game with variations it means."""
        if _OVER_GAME.search(self.text):
            raise QueryError(
                f"the {self._title} is over game, and a game with variations has many lines: write `over line` for the "
                "line of a position, `over so_far` for the way to it"
            )

    def _run(self, database: duckdb.DuckDBPyConnection) -> Any:
        """Run the statement and return what the subclass needs of the result."""
        raise NotImplementedError

    def _own(self, found: Any, paths: Paths) -> Any:
        """Return of a result along paths what belongs to the rows of the tree, each once."""
        raise NotImplementedError

    def _joined(self, parts: list[Any]) -> Any:
        """Join such results."""
        raise NotImplementedError

    def _evaluate(self, columns: dict[str, pa.Array], game: np.ndarray, line: np.ndarray | None = None) -> Any:
        rows, lines = pa.array(np.arange(len(game), dtype=np.int32)), pa.array(game if line is None else line)
        columns = {ROW: rows, GAME: pa.array(game), LINE: lines, **columns}
        try:
            self._expressions.extend(columns, game)
            database = self._expressions.database()
            database.register("positions", pa.table(columns))
            return self._run(database)
        except duckdb.Error as error:
            raise QueryError(f"the {self._title} cannot be answered: {reason(error)}") from None
        except ValueError as error:  # a pattern refuses its arguments
            raise QueryError(f"the {self._title} cannot be answered: {error}") from None

    def _evaluated(self, positions: Positions) -> Any:
        columns = {name: values_of(positions, name) for name in self.columns}
        game = np.arange(len(positions), dtype=np.int32) if positions.game is None else positions.game
        if self.reads_other_rows and (tree := tree_of_all(positions)) is not None:
            parts = (
                self._own(self._evaluate(taken(columns, paths.rows), paths.path, paths.segment), paths)
                for paths in paths_of(tree)
            )
            return self._joined(list(parts))
        if self.reads_other_rows and positions.ply is not None:
            check_plies(game, positions.ply)
        return self._evaluate(columns, game)


def _is_ascending(rows: np.ndarray) -> bool:
    return bool((rows[1:] > rows[:-1]).all())


class Condition(_Expression):
    """A condition, as in ``WHERE``: which columns it names, and which positions of a batch match.

    >>> Condition("white_royal_fork_squares <> 0 and next(black_pawn_islands, 2) >= 3").columns
    ['white_royal_fork_squares', 'black_pawn_islands']

    Args:
        text: an expression over the columns.
        others: the types of the columns that the source has in addition to those of every position.

    Raises:
        QueryError: for invalid SQL, for unknown columns and functions, with the nearest names, and for comparisons that
            cannot be meant.
    """

    what, default = "condition", "true"

    @property
    def is_of_columns(self) -> bool:
        """Whether the condition can be evaluated on stored columns, row by row: nothing is computed beside SQL."""
        return not self.reads_other_rows and not self._expressions.derived

    def matches_in(self, database: duckdb.DuckDBPyConnection) -> np.ndarray:
        """Return the matching values of ``ROW`` in the view ``positions`` of a database, ascending."""
        with self._explaining():
            rows = database.sql(self._sql).to_arrow_table().column(ROW).to_numpy()
        return rows if _is_ascending(rows) else np.sort(rows)

    def table_of_matches(
        self, database: duckdb.DuckDBPyConnection, names: Iterable[str], *, in_order: bool
    ) -> pa.Table:
        """Return columns of the matches in the view ``positions`` of a database, in the order of ``ROW``.

        Args:
            database: the database.
            names: the columns.
            in_order: whether the database keeps that order by itself.
        """
        tree = parsed(self._sql)
        order = [] if in_order else [ROW]
        tree["statements"][0]["node"]["select_list"] = list(map(column_named, [*order, *names]))
        with self._explaining():
            table = database.sql(to_sql(tree)).to_arrow_table()
        if in_order:
            return table
        rows = table.column(ROW).to_numpy()
        return (table if _is_ascending(rows) else table.take(pa.array(np.argsort(rows)))).drop_columns([ROW])

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Say which condition a database cannot answer, and why; files that it cannot read are the caller's."""
        try:
            yield
        except duckdb.IOException:
            raise
        except duckdb.Error as error:
            raise QueryError(f"the {self._title} cannot be answered: {reason(error)}") from None

    def _insert(self, node: Node, expression: Node) -> None:
        check_truth(expression, column_named_in(self._expressions.others))
        node["qualify"] = self._expressions.with_calls_derived(expression)
        if not holds(node["qualify"], lambda part: part.get("class") == "WINDOW"):
            node["where_clause"], node["qualify"] = node["qualify"], None

    def _run(self, database: duckdb.DuckDBPyConnection) -> np.ndarray:
        return database.execute(self._sql).fetchnumpy()[ROW]

    def _own(self, found: np.ndarray, paths: Paths) -> np.ndarray:
        is_own = np.zeros(len(paths.rows), np.bool_)
        is_own[paths.own] = True
        return paths.rows[found[is_own[found]]]

    def _joined(self, parts: list[np.ndarray]) -> np.ndarray:
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match, ascending."""
        return np.sort(self._evaluated(positions))

    @functools.cached_property
    def marks(self) -> Marks:
        """Which of its columns each match is shown with."""
        others = self._expressions.others

        def rows(part: Node, positions: Positions) -> np.ndarray:
            return Condition(text_of(part), others).matches(positions)

        return Marks(self._tree, self._expressions.columns_in, rows)


class Values(_Expression):
    """The values of an expression for each position of a batch.

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

    def _insert(self, node: Node, expression: Node) -> None:
        node["select_list"].append(self._expressions.with_calls_derived(expression))
        node["qualify"] = None

    def _run(self, database: duckdb.DuckDBPyConnection) -> pa.Array:
        table = database.sql(self._sql).to_arrow_table()
        return table.take(pc.sort_indices(table.column(0))).column(1).combine_chunks()

    def _own(self, found: pa.Array, paths: Paths) -> pa.Array:
        return found.take(pa.array(paths.own))

    def _joined(self, parts: list[pa.Array]) -> pa.Array:
        return pa.concat_arrays(parts)

    def of(self, positions: Positions) -> pa.Array:
        """Return the value of each position, in order."""
        values: pa.Array = self._evaluated(positions)
        return values
