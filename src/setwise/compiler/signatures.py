"""The types of entries: the arguments that Python passes to compiled code, and the results.

    @entry(void, reads(uint64, 2), writes(uint16))

takes a two-dimensional array of words that it only reads, and a row of 16-bit numbers that it writes. Rows lie one
after the other in memory unless a layout says otherwise (``"A"``: any).
"""

from __future__ import annotations

from typing import Any

from numba import types

__all__ = [
    "boolean", "float64", "int8", "int16", "int32", "int64", "intp", "named", "reads", "tuple_of", "uint8", "uint16",
    "uint64", "void", "writes",
]  # fmt: skip

void, boolean, float64 = types.void, types.boolean, types.float64
uint8, uint16, uint64, int8, int16, int32, int64, intp = (
    types.uint8, types.uint16, types.uint64, types.int8, types.int16, types.int32, types.int64, types.intp,
)  # fmt: skip


def reads(item: Any, dimensions: int = 1, layout: str = "C") -> Any:
    """An array that is only read."""
    return types.Array(item, dimensions, layout, readonly=True)


def writes(item: Any, dimensions: int = 1, layout: str = "C") -> Any:
    """An array that is written."""
    return types.Array(item, dimensions, layout)


def tuple_of(*items: Any) -> Any:
    """Several values."""
    return types.Tuple(items)


def named(words: type) -> Any:
    """A ``NamedTuple`` of words."""
    return types.NamedUniTuple(types.uint64, len(words._fields), words)  # type: ignore[attr-defined]
