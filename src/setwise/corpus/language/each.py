"""``each``: the squares of a set one by one, so that a condition can ask of one piece at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

__all__ = ["EACH", "squares_of_each"]

#: The name of the function.
EACH = "each"

_ONE = np.uint64(1)


def squares_of_each(sets: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return for each set the list of its squares, each a set of one square, from a1 on; null for null.

    >>> squares_of_each(pa.array([6, 0, None], pa.uint64())).to_pylist()
    [[2, 4], [], None]

    Args:
        sets: sets as unsigned numbers.
    """
    if isinstance(sets, pa.ChunkedArray):
        sets = sets.combine_chunks()
    words = sets.cast(pa.uint64()).fill_null(0).to_numpy()
    counts = np.bitwise_count(words).astype(np.int64)
    offsets = np.zeros(len(words) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    squares = np.empty(offsets[-1], np.uint64)
    rows = np.flatnonzero(words)
    left, places = words[rows], offsets[rows]
    while len(rows):
        squares[places] = left & -left
        left &= left - _ONE
        rows = np.flatnonzero(left)
        left, places = left[rows], places[rows] + 1
    return pa.ListArray.from_arrays(
        pa.array(offsets), pa.array(squares), mask=sets.is_null() if sets.null_count else None
    )
