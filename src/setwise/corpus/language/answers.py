"""Patterns applied to columns, with SQL's nulls and with sets passed as squares."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from setwise.bitboard import Bitboard
from setwise.compiler import Kind, Pattern
from setwise.corpus.columns.registry import type_of
from setwise.errors import QueryError

__all__ = ["answer"]

_ONE = np.uint64(1)


def answer(pattern: Pattern, columns: Sequence[pa.Array | pa.ChunkedArray]) -> pa.Array:
    """Return the results of a pattern for each row of some columns; null if an argument is null.

    An argument that is a square can be a number, 0 to 63, or a set (uint64). A set of one square stands for that
    square; for the empty set the result is null. For a set of several squares, a pattern that returns a set returns the
    union of its results for each square; other patterns raise an error. If a pattern returns a square, "no square" is
    null.

    Args:
        pattern: the pattern.
        columns: one column per argument, of integers, or of booleans for flags.

    Raises:
        QueryError: a column has another type, or a row has several squares and the pattern needs one.
        ValueError: a number is out of the argument's range.
    """
    missing: np.ndarray | None = None
    values, set_arguments = [], []
    for at, ((name, kind), column) in enumerate(zip(pattern.kinds.items(), columns, strict=True)):
        array, nulls = _array(pattern, name, kind, column)
        if kind.name == "square" and array.dtype == np.uint64:
            set_arguments.append(at)
            empty = array == 0
            nulls = empty if nulls is None else nulls | empty
        missing = nulls if missing is None else missing if nulls is None else missing | nulls
        values.append(array)
    answers = _of_sets_as_squares(pattern, values, set_arguments, missing) if set_arguments else pattern(*values)
    if pattern.returns.name == "square":
        beyond = answers > pattern.returns.largest
        missing = beyond if missing is None else missing | beyond
    return pa.array(answers, mask=missing).cast(type_of(pattern.returns))


def _array(
    pattern: Pattern, name: str, kind: Kind, column: pa.Array | pa.ChunkedArray
) -> tuple[np.ndarray, np.ndarray | None]:
    """A column as an array with 0 for null, and the mask of the nulls; None if there are none."""
    if pa.types.is_decimal(column.type):  # the type that SQL gives to numbers above 2**63
        column = column.cast(pa.uint64())
    elif pa.types.is_null(column.type):
        column = column.cast(pa.from_numpy_dtype(kind.dtype))
    elif not pa.types.is_integer(column.type) and not pa.types.is_boolean(column.type):
        what = "a text" if pa.types.is_string(_plain(column.type)) else f"of the type {column.type}"
        raise QueryError(f"{name} of {pattern.name} is a {kind.name}, and a value here is {what}")
    nulls = None
    if column.null_count:
        nulls = _numpy(column.is_null())
        column = column.fill_null(pa.scalar(0).cast(column.type))
    return _numpy(column), nulls


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _numpy(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column.to_numpy()


def _of_sets_as_squares(
    pattern: Pattern, values: list[np.ndarray], set_arguments: list[int], missing: np.ndarray | None
) -> np.ndarray:
    """The results if the arguments at the indices ``set_arguments`` are sets passed as squares."""
    several = functools.reduce(np.logical_or, (_are_several(values[at]) for at in set_arguments))
    if missing is not None:
        several &= ~missing
    rows = np.flatnonzero(several)
    if len(rows) and not pattern.returns.is_set:
        at = next(at for at in set_arguments if _are_several(values[at][rows[:1]])[0])
        names = " ".join(Bitboard(int(values[at][rows[0]])).names())
        raise QueryError(
            f"{list(pattern.kinds)[at]} of {pattern.name} is one square, and a row has the set {names!r}: "
            "bits.lowest(set) is its first square"
        )
    answers = pattern(*(_lowest(value) if at in set_arguments else value for at, value in enumerate(values)))
    if len(rows):
        answers[rows] = _union(pattern, [value[rows] for value in values], set_arguments)
    return answers


def _are_several(sets: np.ndarray) -> np.ndarray:
    return (sets & (sets - _ONE)) != 0


def _lowest(sets: np.ndarray) -> np.ndarray:
    """The number of each set's lowest square; 0 for the empty set."""
    return np.bitwise_count((sets & -sets) - _ONE) & np.uint8(63)


def _union(pattern: Pattern, values: list[np.ndarray], set_arguments: list[int]) -> np.ndarray:
    """The union of the results for each square of the sets, one square of each row at a time."""
    if not set_arguments:
        return pattern(*values)
    [at, *others] = set_arguments
    union, left = np.zeros(len(values[at]), np.uint64), values[at]
    rows = np.arange(len(left))
    while len(rows):
        arguments = [value[rows] for value in values]
        arguments[at] = _lowest(left[rows])
        union[rows] |= _union(pattern, arguments, others)
        left = left & (left - _ONE)
        rows = np.flatnonzero(left)
    return union
