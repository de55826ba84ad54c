"""Expressions in results: columns that are computed for the matches, and the order of the matches.

An order puts the best matches first, independent of their order in the sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, OF_SETS
from setwise.corpus.columns.registry import MADE, plain_type
from setwise.corpus.language.checks import Kinds, check_ordered, column_named_in
from setwise.corpus.language.condition import Values
from setwise.corpus.language.tree import Node, quoted
from setwise.errors import QueryError
from setwise.game.batch import GamePositions
from setwise.position.positions import Positions
from setwise.system.packages import pc

if TYPE_CHECKING:
    import duckdb


#: The column after the keys: the number of a match in the order of the sources. It decides between equal keys.
PLACE_IN_ORDER = "_place"

#: The name of an expression, after it: ``own_material - enemy_material as ahead``.
_NAME = re.compile(r"\s+as\s+(?P<name>\w+|\"[^\"]+\")\s*$", re.IGNORECASE)
_ENDS = re.compile(r"\s+(?P<way>asc|desc)?(?:\s*\bnulls\s+(?P<nulls>first|last))?\s*$", re.IGNORECASE)
_OPEN, _CLOSED, _QUOTES = "([{", ")]}", "'\""


def parts(text: str) -> Iterator[str]:
    """Yield the expressions of a list: the text, cut at commas outside parentheses and quotes."""
    depth, quote, start = 0, "", 0
    for at, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        elif letter == "," and depth == 0:
            yield text[start:at]
            start = at + 1
        else:
            depth += (letter in _OPEN) - (letter in _CLOSED)
    yield text[start:]


class ComputedColumn(Values):
    """A column of the result that an expression over the columns computes for each match.

    >>> it = ComputedColumn("own_material - enemy_material as ahead", {})
    >>> it.field, it.columns
    (pyarrow.Field<ahead: int16>, ['own_material', 'enemy_material'])

    Args:
        text: an expression, with ``as`` and a name if the column has one; by default it is called as the expression.
        source_columns: the types of the columns that the source has in addition to the columns of every position.

    Raises:
        QueryError: as ``Values``, and for the name of another column.
    """

    what = "column"

    def __init__(self, text: str, source_columns: Mapping[str, pa.DataType]) -> None:
        named = _NAME.search(text)
        self._kind: pa.DataType = pa.null()
        super().__init__(text[: named.start()] if named else text, source_columns)
        name = named["name"].strip('"') if named else self.text
        if named and (name.lower() in COLUMNS or name in source_columns):
            raise QueryError(f"{name} is a column: give {quoted(self.text)} another name")
        #: The name, the type, and whether the values are sets.
        self.field = pa.field(f"({name})" if name.startswith(MADE) else name, self._kind)
        if Kinds(column_named_in(source_columns)).is_set(self._tree):
            self.field = self.field.with_metadata(OF_SETS)

    def _check_types(self) -> None:
        row = {name: pa.nulls(1, self._expressions.type_of(name)) for name in self.columns}
        self._kind = plain_type(self._evaluate(row, np.zeros(1, np.int32)).type)

    def among(self, positions: Positions, rows: np.ndarray | None) -> pa.ChunkedArray:
        """Return the value of each of these rows, or of all positions for None."""
        return pa.chunked_array([super().among(positions, rows).cast(self._kind)])


class _Key(Values):
    """One expression of an order."""

    what = "order"

    def _insert(self, node: Node, expression: Node) -> None:
        if not self.columns:
            raise QueryError(f"the {self._title} names no column, so it is the same for all matches")
        check_ordered(expression, column_named_in(self._expressions.source_columns))
        super()._insert(node, expression)

    def _run(self, database: duckdb.DuckDBPyConnection) -> pa.Array:
        values = super()._run(database)
        kind = values.type
        if pa.types.is_nested(kind) or pa.types.is_binary(kind):
            raise QueryError(f"values of the type {kind} come in no order")
        return values


class Ordering:
    """The order of the matches.

    Args:
        text: expressions over the columns, separated by commas; after an expression, ``desc`` puts the largest first.
        source_columns: the types of the columns that the source has in addition to the columns of every position.
        per_game: the largest number of matches of one game; the best matches are kept.
        most: the largest number of matches that are wanted; each batch keeps at most this number.

    Raises:
        QueryError: for a text that is not an order.
    """

    def __init__(
        self,
        text: str,
        source_columns: Mapping[str, pa.DataType],
        *,
        per_game: int | None = None,
        most: int | None = None,
    ) -> None:
        if not isinstance(text, str) or not text.strip():
            raise QueryError(
                "an order says what comes first, such as 'bit_count(own_hanging) desc, ply'"
                + ("" if isinstance(text, str) else f", and is a text, not {type(text).__name__}")
            )
        self.per_game, self.most = per_game, most
        self._keys: list[_Key] = []
        #: The names of the columns with the keys, each with ``ascending`` or ``descending``.
        self.by: list[tuple[str, str]] = []
        for number, part in enumerate(parts(text)):
            ends = _ENDS.search(f" {part} ")
            expression = f" {part} "[: ends.start()] if ends else part
            if not expression.strip():
                raise QueryError(f"the order {quoted(text)} has a comma too many, or desc without what it belongs to")
            if ends and (ends["nulls"] or "").lower() == "first":
                raise QueryError("null comes last in every order: leave out nulls first")
            self._keys.append(_Key(expression, source_columns))
            falls = ends is not None and (ends["way"] or "").lower() == "desc"
            self.by.append((f"_key_{number}", "descending" if falls else "ascending"))
        self.columns = list(dict.fromkeys(name for key in self._keys for name in key.columns))
        self.names = [name for key in self._keys for name in key.names]
        self.reads_other_rows = any(key.reads_other_rows for key in self._keys)

    def check_variations(self) -> None:
        """Raise ``QueryError`` if an expression does not say which line of a game with variations it means."""
        for key in self._keys:
            key.check_variations()

    def of(self, positions: GamePositions, rows: np.ndarray | None) -> tuple[np.ndarray, pa.Table]:
        """Return the matching rows that can be among the best, in the order of the source, and the keys of the rows."""
        rows = np.arange(len(positions)) if rows is None else rows
        values = (key.among(positions, rows) for key in self._keys)
        keys = pa.table({name: _sortable(value) for (name, _), value in zip(self.by, values, strict=True)})
        kept = np.arange(len(rows))
        if self.per_game is not None:
            kept = self._best_of_games(keys, positions.game[rows], self.per_game)
        if self.most is not None and len(kept) > self.most:
            kept = kept[np.sort(self.ranked(keys.take(pa.array(kept)))[: self.most])]
        return rows[kept], keys.take(pa.array(kept))

    def ranked(self, keys: pa.Table) -> np.ndarray:
        """Return the numbers of the rows, best first; rows with equal keys stay in their order."""
        place = pa.array(np.arange(len(keys)))
        table = keys.append_column(PLACE_IN_ORDER, place)
        return np.asarray(pc.sort_indices(table, sort_keys=[*self.by, (PLACE_IN_ORDER, "ascending")]))

    def _best_of_games(self, keys: pa.Table, game: np.ndarray, count: int) -> np.ndarray:
        order = self.ranked(keys)
        by_game = order[np.argsort(game[order], kind="stable")]
        games = game[by_game]
        begins = np.flatnonzero(np.r_[True, games[1:] != games[:-1]]) if len(games) else games
        turns = np.arange(len(games)) - np.repeat(begins, np.diff(np.r_[begins, len(games)]))
        return np.sort(by_game[turns < count])


def _sortable(values: pa.Array) -> pa.Array:
    return values.cast(pa.int8() if pa.types.is_null(values.type) else plain_type(values.type))


class Best:
    """The best matches of a search; only these are kept in memory.

    Args:
        ordering: the order of the matches.
        count: how many matches to keep.
        narrowed: takes rows that were added, and numbers; returns the rows with these numbers.
    """

    def __init__(self, ordering: Ordering, count: int, narrowed: Callable[[Any, np.ndarray], Any]) -> None:
        self.ordering, self.count, self._narrowed = ordering, count, narrowed
        self._kept: list[tuple[pa.Table, Any]] = []
        self._waiting = 0
        #: Whether there were more matches than are kept.
        self.has_more = False

    def add(self, keys: pa.Table, rows: Any) -> None:
        """Add matches with their keys."""
        if len(keys):
            self._kept.append((keys, rows))
            self._waiting += len(keys)
            if self._waiting > 2 * self.count:
                self._cut()

    def drawn(self) -> Iterator[tuple[pa.Table, Any]]:
        """Yield the kept matches, in the order of the sources."""
        self._cut()
        yield from self._kept

    def _cut(self) -> None:
        if self._waiting <= self.count:
            return
        self.has_more = True
        best = np.sort(self.ordering.ranked(pa.concat_tables(keys for keys, _ in self._kept))[: self.count])
        kept, self._kept, start = self._kept, [], 0
        for keys, rows in kept:
            wanted = best[(best >= start) & (best < start + len(keys))] - start
            start += len(keys)
            if len(wanted):
                self._kept.append((keys.take(pa.array(wanted)), self._narrowed(rows, wanted)))
        self._waiting = len(best)
