"""A pool of memory for large arrays: memory returns to the pool when the last array that uses it is freed.

A batch of games takes tens of megabytes for a few milliseconds. Without the pool, a search spent a tenth to a fifth of
its time getting this memory from the system and returning it, page by page, for each batch. Smaller arrays are left to
the C library; two settings below make the library keep their memory, too.
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
#: The most bytes that are kept for later arrays.
_KEPT = 128 << 20

#: The numbers of two settings of the GNU C library: the size from which on memory is returned as soon as it is freed,
#: and how much free memory is kept. Without these settings the library adapts both to the sizes that were freed before,
#: and reading PGN may take a fifth longer.
_RETURNED_FROM, _KEPT_FREE = -3, -1

with contextlib.suppress(OSError, AttributeError, TypeError):  # raised if the C library is another one
    _settings = ctypes.CDLL(None).mallopt
    _settings(_RETURNED_FROM, 2 * _LARGE)
    _settings(_KEPT_FREE, 4 * _LARGE)


class _Pool:
    """Memory that no array uses at the moment, up to ``most`` bytes."""

    def __init__(self, most: int) -> None:
        #: This is an attribute because global names may be gone when the last arrays of a program are freed.
        self.most = most
        self.memory: list[np.ndarray] = []
        #: Reentrant: while a thread takes memory, an array may be freed in the same thread, and returns its memory.
        self.lock = threading.RLock()

    def take(self, size: int) -> np.ndarray:
        """Return memory of at least ``size`` bytes: the smallest block that fits, if not more than half is wasted."""
        with self.lock:
            fitting = [memory for memory in self.memory if size <= memory.nbytes <= 2 * size]
            if not fitting:
                return np.empty(size + size // 8, np.uint8)  # some spare: the next text may be a little longer
            fit = min(fitting, key=lambda memory: memory.nbytes)
            self.memory = [memory for memory in self.memory if memory is not fit]
            return fit

    def take_back(self, memory: np.ndarray) -> None:
        """Keep memory for later, unless the pool is full."""
        with self.lock:
            if sum(kept.nbytes for kept in self.memory) + memory.nbytes <= self.most:
                self.memory = [*self.memory, memory]


class _Pooled:
    """The owner of the memory of arrays: when the last of them is freed, it returns the memory to the pool."""

    def __init__(self, pool: _Pool, memory: np.ndarray) -> None:
        self.pool, self.memory, self.__array_interface__ = pool, memory, memory.__array_interface__

    def __del__(self) -> None:
        self.pool.take_back(self.memory)


_pool = _Pool(_KEPT)


def pooled(shape: tuple[int, ...], dtype: npt.DTypeLike) -> np.ndarray:
    """Return an array as ``np.empty`` does; a large array is in pooled memory."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < _LARGE:
        return np.empty(shape, dtype)
    return np.asarray(_Pooled(_pool, _pool.take(size)))[:size].view(dtype).reshape(shape)
