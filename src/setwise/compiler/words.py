"""Operations of the processor on one 64-bit word: count, find the lowest and highest bit, reverse, pack and unpack.

Each is one instruction of LLVM's, for processors as for graphics cards. ``pext`` and ``pdep`` belong to the instruction
set BMI2, and executing them on a processor without it aborts the process: see ``by_processor``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from setwise.compiler.kinds import Count, Fileset, Set, Square
from setwise.compiler.operations import Operation

__all__ = ["IN_NUMPY", "bitreverse", "byteswap", "leading_zeros", "pdep", "pext", "popcount", "trailing_zeros"]

#: The number of bits, of zeros below the lowest bit, of zeros above the highest (64 when empty); bytes, bits reversed.
popcount: Callable[[Set | Fileset], Count] = Operation("words.popcount")
trailing_zeros: Callable[[Set], Square] = Operation("words.trailing_zeros")
leading_zeros: Callable[[Set], Count] = Operation("words.leading_zeros")
byteswap: Callable[[Set], Set] = Operation("words.byteswap")
bitreverse: Callable[[Set], Set] = Operation("words.bitreverse")

#: The bits of a word under a mask, packed; packed bits, unpacked to the places of a mask.
pext: Callable[[Set, Set], np.uint64] = Operation("words.pext")
pdep: Callable[[np.uint64, Set], Set] = Operation("words.pdep")


def _popcount(word: Any) -> Any:
    return np.bitwise_count(word).astype(np.uint64)


def _trailing_zeros(word: Any) -> Any:
    return _popcount(~word & (word - np.uint64(1)))


def _leading_zeros(word: Any) -> Any:
    return _trailing_zeros(_bitreverse(word))


def _byteswap(word: Any) -> Any:
    return word.byteswap()


def _bitreverse(word: Any) -> Any:
    """Halves of each byte change places, then pairs of bits, then bits; and all bytes."""
    for shift, lower in ((4, 0x0F0F_0F0F_0F0F_0F0F), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)):
        by, mask = np.uint64(shift), np.uint64(lower)
        word = (word & mask) << by | word >> by & mask
    return _byteswap(word)


#: Each of them with its equivalent in NumPy, for definitions that are evaluated without compiling.
IN_NUMPY = (
    (popcount, _popcount),
    (trailing_zeros, _trailing_zeros),
    (leading_zeros, _leading_zeros),
    (byteswap, _byteswap),
    (bitreverse, _bitreverse),
)
