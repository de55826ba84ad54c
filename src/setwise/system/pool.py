"""Memory for large arrays that comes back when the last of them is gone, and is lent again.

A batch of games takes tens of megabytes for a few milliseconds. To get them from the system and give them back, page by
page, each time anew, took a tenth to a fifth of a search.
"""

from __future__ import annotations

import math
import threading

import numpy as np
import numpy.typing as npt

__all__ = ["lent"]

#: Smaller arrays are left to NumPy, whose memory of that size comes from what is at hand.
_LARGE = 1 << 20
#: So many bytes are kept for the next ones.
_KEPT = 128 << 20


class _Lender:
    """Who keeps the memory that nobody uses now, up to so many bytes."""

    def __init__(self, most: int) -> None:
        #: Here and no global name, of which none is left when the last arrays of a program die.
        self.most = most
        self.memory: list[np.ndarray] = []
        #: Taken twice by one thread where an array dies, of which memory comes back, while it borrows some.
        self.lock = threading.RLock()

    def lend(self, size: int) -> np.ndarray:
        """So many bytes or more: the smallest that fit without much waste."""
        with self.lock:
            fitting = [memory for memory in self.memory if size <= memory.nbytes <= 2 * size]
            if not fitting:
                return np.empty(size + size // 8, np.uint8)  # the next text is a little longer
            found = min(fitting, key=lambda memory: memory.nbytes)
            self.memory = [memory for memory in self.memory if memory is not found]
            return found

    def take_back(self, memory: np.ndarray) -> None:
        """Keep it, unless there is enough."""
        with self.lock:
            if sum(kept.nbytes for kept in self.memory) + memory.nbytes <= self.most:
                self.memory = [*self.memory, memory]


class _Loan:
    """What arrays of lent memory refer to: as long as one is left, so is this."""

    def __init__(self, lender: _Lender, memory: np.ndarray) -> None:
        self.lender, self.memory, self.__array_interface__ = lender, memory, memory.__array_interface__

    def __del__(self) -> None:
        self.lender.take_back(self.memory)


_lender = _Lender(_KEPT)


def lent(shape: tuple[int, ...], dtype: npt.DTypeLike) -> np.ndarray:
    """Return an array as ``np.empty`` does, in memory that has been used before where there is some."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < _LARGE:
        return np.empty(shape, dtype)
    return np.asarray(_Loan(_lender, _lender.lend(size)))[:size].view(dtype).reshape(shape)
