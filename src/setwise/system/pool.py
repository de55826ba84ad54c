"""A pool of memory for large arrays: it returns to the pool when the last array of it is freed.

A batch of games takes tens of megabytes for a few milliseconds. To get them from the system and return them, page by
page, for each batch, took a tenth to a fifth of a search. Smaller arrays are left to the C library, whose settings here
let it keep their memory, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


#: The size of arrays that are pooled.
_LARGE = 1 << 20
#: How many bytes are kept for later arrays.
_KEPT = 128 << 20

#: The numbers of two settings of the GNU C library: from which size on memory is returned as soon as it is freed, and
#: how much free memory is kept. By itself it takes them from what was freed before, and PGN may take a fifth longer.
_RETURNED_FROM, _KEPT_FREE = -3, -1

with contextlib.suppress(OSError, AttributeError, TypeError):  # another C library
    _settings = ctypes.CDLL(None).mallopt
    _settings(_RETURNED_FROM, 2 * _LARGE)
    _settings(_KEPT_FREE, 4 * _LARGE)


class _Pool:
    """Memory that is not in use, up to ``most`` bytes."""

    def __init__(self, most: int) -> None:
        #: An attribute, because global names may be gone when the last arrays of a program are freed.
        self.most = most
        self.memory: list[np.ndarray] = []
        #: Reentrant: while a thread takes memory, an array may be freed, which returns its memory.
        self.lock = threading.RLock()

    def take(self, size: int) -> np.ndarray:
        """Return ``size`` bytes or more: the smallest memory that fits without much waste."""
        with self.lock:
            fitting = [memory for memory in self.memory if size <= memory.nbytes <= 2 * size]
            if not fitting:
                return np.empty(size + size // 8, np.uint8)  # the next text is a little longer
            fit = min(fitting, key=lambda memory: memory.nbytes)
            self.memory = [memory for memory in self.memory if memory is not fit]
            return fit

    def take_back(self, memory: np.ndarray) -> None:
        """Keep memory for later, unless the pool is full."""
        with self.lock:
            if sum(kept.nbytes for kept in self.memory) + memory.nbytes <= self.most:
                self.memory = [*self.memory, memory]


class _Pooled:
    """The owner of an array's memory: it is freed with the last array, and then returns the memory to the pool."""

    def __init__(self, pool: _Pool, memory: np.ndarray) -> None:
        self.pool, self.memory, self.__array_interface__ = pool, memory, memory.__array_interface__

    def __del__(self) -> None:
        self.pool.take_back(self.memory)


_pool = _Pool(_KEPT)


def pooled(shape: tuple[int, ...], dtype: npt.DTypeLike) -> np.ndarray:
    """Return an array as ``np.empty`` does, in pooled memory if it is large."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < _LARGE:
        return np.empty(shape, dtype)
    return np.asarray(_Pooled(_pool, _pool.take(size)))[:size].view(dtype).reshape(shape)
