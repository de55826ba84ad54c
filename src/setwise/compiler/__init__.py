"""The only room that knows the compiler: all that the package says to Numba and LLVM goes through here.

A definition is a few lines of Python on ``np.uint64`` values. What it becomes says its decorator:

* ``@pattern``: a public `Pattern`, called with ints, with arrays, or by its name inside compiled code;
* ``@entry(returns, *arguments)``: a compiled function that Python calls with arrays and numbers;
* ``@routine``: a helper that only compiled code calls, taken into its callers; ``@subroutine``: one that is called.

The kinds (``Set``, ``Square`` …) annotate patterns, the signatures (``uint64``, ``reads(…)`` …) entries. What a single
word can do is in ``words``, eight words at once in ``lanes``, bytes and arrays in ``memory``, what Python takes and
gives without a copy in ``python_objects``. A new release of Numba, or a second target, begins and ends in this folder.
"""

from setwise.compiler.cache import cache_directory
from setwise.compiler.definitions import PATTERNS, Entry, Pattern, entry, pattern, plain, routine, subroutine
from setwise.compiler.kinds import (
    Count,
    Fileset,
    Flag,
    Kind,
    Set,
    Square,
    Steps,
    Width,
)
from setwise.compiler.memory import scratch
from setwise.compiler.words import HAS_PEXT, bitreverse, byteswap, popcount, processor, trailing_zeros

__all__ = [
    "HAS_PEXT", "PATTERNS", "Count", "Entry", "Fileset", "Flag", "Kind", "Pattern", "Set", "Square", "Steps",
    "Width", "bitreverse", "byteswap", "cache_directory", "entry", "pattern", "plain", "popcount", "processor",
    "routine", "scratch", "subroutine", "trailing_zeros",
]  # fmt: skip
