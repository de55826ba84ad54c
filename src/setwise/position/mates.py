"""The names of mates in many positions, computed only for those that are mate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from setwise.features.mate_names import NAMES, write_names

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["all_names", "first_names", "names_of"]


def _words(sets: np.ndarray, white_to_move: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The names of the mates in some rows, a bit for each."""
    words = np.empty(len(rows), np.uint64)
    if len(rows):
        write_names(sets, white_to_move, rows, words)
    return words


def names_of(sets: np.ndarray, white_to_move: np.ndarray) -> tuple[str, ...]:
    """Return the names of one mate, the most particular first."""
    [word] = _words(sets, white_to_move, np.zeros(1, np.int64)).tolist()
    return tuple(name for k, name in enumerate(NAMES) if word >> k & 1)


def first_names(sets: np.ndarray, white_to_move: np.ndarray, is_mate: np.ndarray) -> pa.DictionaryArray:
    """Return the most particular name of each mate; null where there is none."""
    import pyarrow as pa

    rows = np.flatnonzero(is_mate)
    words = _words(sets, white_to_move, rows)
    first, named = np.zeros(len(is_mate), np.int32), np.zeros(len(is_mate), np.bool_)
    named[rows] = words != 0
    # The number of bits below the lowest one is the index of the first name.
    first[rows] = np.bitwise_count((words & -words) - np.uint64(1))
    return pa.DictionaryArray.from_arrays(pa.array(first, mask=~named), pa.array(NAMES))


def all_names(sets: np.ndarray, white_to_move: np.ndarray, is_mate: np.ndarray) -> pa.ListArray:
    """Return all names of each mate, the most particular first; null where there is no mate."""
    import pyarrow as pa

    rows = np.flatnonzero(is_mate)
    words = _words(sets, white_to_move, rows)
    bits = words[:, None] >> np.arange(len(NAMES), dtype=np.uint64) & np.uint64(1)
    counts = np.zeros(len(is_mate) + 1, np.int32)
    counts[rows + 1] = np.bitwise_count(words)
    offsets = pa.array(np.cumsum(counts, dtype=np.int32))
    names = pa.array(NAMES).take(pa.array(np.nonzero(bits)[1]))
    return pa.ListArray.from_arrays(offsets, names, mask=pa.array(~is_mate))
