"""The kinds of values that patterns take and return: what is checked at the door, how arrays hold them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from setwise.bitboard import Bitboard

__all__ = ["Count", "Fileset", "Flag", "Kind", "Moves", "Set", "Square", "Steps", "Width"]


class Kind(NamedTuple):
    """What a value is at the door: how large it may be, how arrays of it are stored, how Python sees it."""

    name: str
    dtype: np.dtype[Any]
    largest: int
    python: Callable[[int], Any]

    @property
    def is_set(self) -> bool:
        """Whether it is a set of squares."""
        return self.python is Bitboard


def _steps(word: int) -> int:
    """A word as a number of steps; 64 set bits are -1."""
    return word - (word >> 63 << 64)


Set = Annotated[np.uint64, Kind("set of squares", np.dtype(np.uint64), 2**64 - 1, Bitboard)]
Square = Annotated[np.uint64, Kind("square", np.dtype(np.uint8), 63, int)]
Fileset = Annotated[np.uint64, Kind("fileset", np.dtype(np.uint8), 255, int)]
Count = Annotated[np.uint64, Kind("count", np.dtype(np.uint8), 255, int)]
Flag = Annotated[np.uint64, Kind("flag", np.dtype(np.bool_), 1, bool)]
#: A number of steps, -1 where there is no way: int8 in arrays, in compiled code a word of 64 set bits.
Steps = Annotated[np.uint64, Kind("number of steps", np.dtype(np.int8), 127, _steps)]
#: How many files wide an island is.
Width = Annotated[np.uint64, Kind("width in files", np.dtype(np.uint8), 8, int)]
#: How many moves; in constructed positions there can be more than 255.
Moves = Annotated[np.uint64, Kind("number of moves", np.dtype(np.uint16), 2**16 - 1, int)]
