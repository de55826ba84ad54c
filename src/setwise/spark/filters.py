"""Filters of Spark's as conditions, so that rows that fail do not leave the workers."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import datasource
from pyspark.sql.datasource import EqualTo, Filter, In, IsNotNull, IsNull, Not

from setwise.corpus.columns import COLUMNS
from setwise.errors import QueryError

__all__ = ["condition_of"]

_ORDERED = {
    datasource.LessThan: "<",
    datasource.LessThanOrEqual: "<=",
    datasource.GreaterThan: ">",
    datasource.GreaterThanOrEqual: ">=",
}


def condition_of(filtered: Filter) -> str | None:
    """Return the condition that keeps the rows that a filter keeps; None for a filter that Spark has to evaluate.

    Sets, which are signed numbers in Spark, are compared by equality alone.

    Example:
        >>> from pyspark.sql.datasource import EqualTo, GreaterThan, In, Not
        >>> condition_of(EqualTo(("white_king",), -(2**63))), condition_of(Not(In(("result",), ("1-0", "0-1"))))
        ('white_king = 9223372036854775808::ubigint', "result not in ('1-0', '0-1')")
        >>> condition_of(GreaterThan(("ply",), 20)), condition_of(GreaterThan(("white_king",), 0))
        ('ply > 20', None)
    """
    negated = isinstance(filtered, Not)
    inner: Any = filtered.child if isinstance(filtered, Not) else filtered
    path: tuple[str, ...] = getattr(inner, "attribute", ())
    if len(path) != 1 or path[0] not in COLUMNS or not path[0].isidentifier():
        return None
    name, kind = path[0], _plain(COLUMNS[path[0]].type)
    try:
        if isinstance(inner, IsNull | IsNotNull):
            return f"{name} is {'not ' if negated != isinstance(inner, IsNotNull) else ''}null"
        if isinstance(inner, EqualTo):
            return f"{name} {'<>' if negated else '='} {_literal(inner.value, kind)}"
        if isinstance(inner, In) and inner.value:
            values = ", ".join(_literal(value, kind) for value in inner.value)
            return f"{name} {'not ' if negated else ''}in ({values})"
        if type(inner) in _ORDERED and not negated and pa.types.is_signed_integer(kind):
            return f"{name} {_ORDERED[type(inner)]} {_literal(inner.value, kind)}"
    except QueryError:
        return None
    return None


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _literal(value: Any, kind: pa.DataType) -> str:
    """A value as SQL; raises ``QueryError`` for one that a column of this type cannot be compared with."""
    if isinstance(value, bool) and pa.types.is_boolean(kind):
        return str(value).lower()
    if isinstance(value, str) and pa.types.is_string(kind):
        return "'" + value.replace("'", "''") + "'"
    if type(value) is int and pa.types.is_integer(kind):
        return f"{value % 2**64}::ubigint" if kind == pa.uint64() else str(value)  # a set, not a number
    raise QueryError(f"{value!r:.60} is not a value of {kind}")
