"""Conditions: SQL over the columns, answered by DuckDB on one batch after another."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, checked, schema_of
from setwise.errors import QueryError, shortened
from setwise.position.positions import Positions

__all__ = ["Condition"]

_threads = threading.local()


def _connection() -> duckdb.DuckDBPyConnection:
    """A thread's own database: in memory, on one core, without any way out to files."""
    if not hasattr(_threads, "connection"):
        _threads.connection = duckdb.connect(
            ":memory:",
            config={"threads": 1, "enable_external_access": "false", "autoload_known_extensions": "false"},
        )
    return _threads.connection


def _references(node: Any) -> Iterator[list[str]]:
    """The names in a statement that DuckDB has parsed, part by part, but for the parameters of lambdas."""
    if isinstance(node, list):
        for child in node:
            yield from _references(child)
    elif isinstance(node, dict):
        if node.get("class") == "COLUMN_REF":
            yield [part.lower() for part in node["column_names"]]
        parameters = (
            [part for name in _references(node["lhs"]) for part in name] if node.get("class") == "LAMBDA" else []
        )
        for child in node.values():
            yield from (name for name in _references(child) if name[0] not in parameters)


class Condition:
    """A ``WHERE``: which columns it names, and which positions of a batch match.

    >>> Condition("white_royal_fork_squares <> 0 and black_pawn_islands >= 3").columns
    ['white_royal_fork_squares', 'black_pawn_islands']

    Raises ``QueryError`` for broken SQL and for unknown columns, with the nearest names.
    """

    def __init__(self, where: str) -> None:
        if not isinstance(where, str):
            raise QueryError(f"a condition is a text, such as 'white_passed_pawns <> 0', not {type(where).__name__}")
        self.where = where.strip() or "true"
        self.columns = checked(self._names())
        self._try()

    def _names(self) -> list[str]:
        sql = f"select 1 from positions where ({self.where}\n)"
        [(answer,)] = _connection().execute("select json_serialize_sql(?::varchar)", [sql]).fetchall()
        parsed = json.loads(answer)
        if parsed["error"] or len(parsed["statements"]) != 1:
            reason = parsed.get("error_message", "a condition is one expression").split("\n")[0]
            raise QueryError(f"the condition {shortened(self.where, 80)} is not SQL: {reason}")
        node = parsed["statements"][0]["node"]
        if node.get("type") != "SELECT_NODE" or "SUBQUERY" in answer:
            raise QueryError(f"the condition {shortened(self.where, 80)} is more than one expression over the columns")
        return [name[-1] for name in _references(node["where_clause"])]

    def _try(self) -> None:
        """Ask one row of nothing, so that a wrong type or function shows before any file is read."""
        self._rows({field.name: pa.nulls(1, field.type) for field in schema_of(self.columns)}, 1)

    def _rows(self, columns: dict[str, pa.Array], count: int) -> np.ndarray:
        connection = _connection()
        connection.register("positions", pa.table({"_row": np.arange(count, dtype=np.int32), **columns}))
        try:
            return connection.execute(f"select _row from positions where ({self.where}\n)").fetchnumpy()["_row"]
        except duckdb.Error as error:
            reason = str(error).split("\n")[0].split("Error: ")[-1]
            raise QueryError(f"the condition {shortened(self.where, 80)} cannot be answered: {reason}") from None

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match, ascending."""
        return self._rows({name: COLUMNS[name].compute(positions) for name in self.columns}, len(positions))
