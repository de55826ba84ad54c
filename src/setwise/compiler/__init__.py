"""The only package that imports Numba and LLVM.

A definition is a few lines of Python on ``np.uint64`` values. Its decorator says what it becomes:

* ``@pattern``: a public `Pattern`, called with ints, with arrays, or by its name inside compiled code;
* ``@entry(returns, *arguments)``: a compiled function that Python calls with arrays and numbers;
* ``@routine``: a helper that only compiled code calls, inlined into its callers; ``@subroutine``: one that is called.

The kinds (``Set``, ``Square`` …) annotate patterns, the signatures (``uint64``, ``reads(…)`` …) entries. Operations on
a single word are in ``words``, on eight words at once in ``lanes``, on bytes and arrays in ``memory``, on objects in
``python_objects``; Numba's private names are used in ``private_names`` only. A new release of Numba, or a second
target, changes nothing outside this folder.
"""

from setwise.compiler.cache import cache_directory
from setwise.compiler.definitions import PATTERNS, Entry, Pattern, entry, pattern, plain, routine, subroutine
from setwise.compiler.kinds import (
    Count,
    Fileset,
    Flag,
    Kind,
    Move,
    Set,
    Square,
    Steps,
    Width,
)
from setwise.compiler.memory import scratch
from setwise.compiler.words import HAS_PEXT, bitreverse, byteswap, popcount, processor, trailing_zeros

__all__ = [
    "HAS_PEXT", "PATTERNS", "Count", "Entry", "Fileset", "Flag", "Kind", "Move", "Pattern", "Set", "Square", "Steps",
    "Width", "bitreverse", "byteswap", "cache_directory", "entry", "pattern", "plain", "popcount", "processor",
    "routine", "scratch", "subroutine", "trailing_zeros",
]  # fmt: skip
