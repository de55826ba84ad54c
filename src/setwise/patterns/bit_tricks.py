"""The published tricks on words of 64 bits: counting, scanning, exchanging, mapping squares, and mixing numbers.

Processors count and scan bits in one instruction, which `bits.count` and `bits.lowest` use. The tricks here need only
the operations of the language C; nothing in setwise calls them, so a wheel has no machine code of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["splitmix64"]


def splitmix64(places: npt.ArrayLike) -> np.ndarray:
    """Return numbers of 64 bits that look random, from their places in a fixed sequence, as a uint64 array.

    The same places give the same numbers in every run, and a place is computed without the places before it.

    Args:
        places: numbers from 0 to 2**64 - 1; a seed is added to them by the caller.

    Example:
        >>> [hex(number) for number in bit_tricks.splitmix64([0, 1])]
        ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']

    Why:
        The places, multiplied by an odd number near 2**64 divided by the golden ratio, are far apart. Then come two
        rounds: each folds the upper bits into the lower ones and multiplies, so every bit of the place changes half of
        the result.

    Names:
        SplitMix64, pseudorandom number generator, PRNG.

    Source:
        Guy Steele, Doug Lea, Christine Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
    """
    words = (np.asarray(places, np.uint64) + np.uint64(1)) * np.uint64(0x9E37_79B9_7F4A_7C15)
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58_476D_1CE4_E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D0_49BB_1331_11EB)
    return words ^ words >> np.uint64(31)
