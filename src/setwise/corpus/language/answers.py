"""What a pattern answers for columns: nulls, sets in the place of squares, texts in the place of sets."""

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


def answer(found: Pattern, columns: Sequence[pa.Array | pa.ChunkedArray]) -> pa.Array:
    """Return a pattern's answers for the rows of columns; null where an argument is null.

    An argument that is a square takes numbers, 0 to 63, or sets (uint64). The set of one square stands for that square;
    the answer for the empty set is null. For a set of several squares a pattern that returns a set answers with the
    union of its answers for each square, and every other pattern refuses the row. A square that a pattern returns is
    null where there is none.

    Args:
        found: the pattern.
        columns: one for each argument, of integers; booleans for flags.

    Raises:
        QueryError: a column has another type, or a row has several squares where the pattern takes one.
        ValueError: a number is out of the argument's range.
    """
    missing: np.ndarray | None = None
    values, spots = [], []
    for at, ((name, kind), column) in enumerate(zip(found.kinds.items(), columns, strict=True)):
        array, nulls = _array(found, name, kind, column)
        if kind.name == "square" and array.dtype == np.uint64:
            spots.append(at)
            empty = array == 0
            nulls = empty if nulls is None else nulls | empty
        missing = nulls if missing is None else missing if nulls is None else missing | nulls
        values.append(array)
    answers = _of_squares(found, values, spots, missing) if spots else found(*values)
    if found.returns.name == "square":
        beyond = answers > found.returns.largest
        missing = beyond if missing is None else missing | beyond
    return pa.array(answers, mask=missing).cast(type_of(found.returns))


def _array(
    found: Pattern, name: str, kind: Kind, column: pa.Array | pa.ChunkedArray
) -> tuple[np.ndarray, np.ndarray | None]:
    """A column as an array, zero where it is null, and where that is."""
    if pa.types.is_decimal(column.type):  # what SQL makes of numbers above 2**63
        column = column.cast(pa.uint64())
    elif pa.types.is_null(column.type):
        column = column.cast(pa.from_numpy_dtype(kind.dtype))
    elif not pa.types.is_integer(column.type) and not pa.types.is_boolean(column.type):
        what = "a text" if pa.types.is_string(_plain(column.type)) else f"of the type {column.type}"
        raise QueryError(f"{name} of {found.name} is a {kind.name}, and a value here is {what}")
    nulls = None
    if column.null_count:
        nulls = _numpy(column.is_null())
        column = column.fill_null(pa.scalar(0).cast(column.type))
    return _numpy(column), nulls


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _numpy(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    return column.to_numpy(zero_copy_only=False) if isinstance(column, pa.Array) else column.to_numpy()


def _of_squares(found: Pattern, values: list[np.ndarray], spots: list[int], missing: np.ndarray | None) -> np.ndarray:
    """The answers where some arguments are sets in the place of squares."""
    several = functools.reduce(np.logical_or, (_are_several(values[at]) for at in spots))
    if missing is not None:
        several &= ~missing
    rows = np.flatnonzero(several)
    if len(rows) and not found.returns.is_set:
        at = next(at for at in spots if _are_several(values[at][rows[:1]])[0])
        names = " ".join(Bitboard(int(values[at][rows[0]])).names())
        raise QueryError(
            f"{list(found.kinds)[at]} of {found.name} is one square, and a row has the set {names!r}: "
            "bits.lowest(set) is its first square"
        )
    answers = found(*(_lowest(value) if at in spots else value for at, value in enumerate(values)))
    if len(rows):
        answers[rows] = _union(found, [value[rows] for value in values], spots)
    return answers


def _are_several(sets: np.ndarray) -> np.ndarray:
    return (sets & (sets - _ONE)) != 0


def _lowest(sets: np.ndarray) -> np.ndarray:
    """The number of each set's lowest square; 0 for the empty set."""
    return np.bitwise_count((sets & -sets) - _ONE) & np.uint8(63)


def _union(found: Pattern, values: list[np.ndarray], spots: list[int]) -> np.ndarray:
    """The union of the answers for each square of the sets: one square of each row at a time."""
    if not spots:
        return found(*values)
    [at, *others] = spots
    union, left = np.zeros(len(values[at]), np.uint64), values[at]
    rows = np.arange(len(left))
    while len(rows):
        given = [value[rows] for value in values]
        given[at] = _lowest(left[rows])
        union[rows] |= _union(found, given, others)
        left = left & (left - _ONE)
        rows = np.flatnonzero(left)
    return union
