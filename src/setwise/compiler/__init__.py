"""The only package that compiles. It describes definitions; importing its modules needs no compiler.

A definition is a few lines of Python on ``np.uint64`` values. Its decorator says what it becomes:

* ``@pattern``: a public `Pattern`, called with ints, with arrays, or by its name inside compiled code;
* ``@entry(returns, *arguments)``: a compiled function that Python calls with arrays and numbers;
* ``@routine``: a helper that only compiled code calls, inlined into its callers;
* ``@subroutine``: a helper that only compiled code calls, and that is not inlined.

Patterns are annotated with kinds (``Set``, ``Square`` …), entries have signatures (``uint64``, ``reads(…)`` …); both
are in ``kinds``. Operations on a word, on eight words at once, on bytes and arrays, and on objects are in ``words``;
their instructions are in ``llvm.lowering``. ``targets`` decides where the code of a definition comes from.
"""

from setwise.compiler import targets
from setwise.compiler.cache import cache_directory
from setwise.compiler.definitions import (
    PATTERNS,
    Entry,
    Pattern,
    by_processor,
    entry,
    pattern,
    plain,
    routine,
    subroutine,
)
from setwise.compiler.kinds import MADE, Count, Directions, Fileset, Flag, Kind, Move, Set, Square, Steps, Width
from setwise.compiler.words import bitreverse, byteswap, popcount, scratch, trailing_zeros

__all__ = [
    "PATTERNS", "Count", "Directions", "Entry", "Fileset", "Flag", "Kind", "Move", "Pattern", "Set", "Square", "Steps",
    "Width", "bitreverse", "by_processor", "byteswap", "cache_directory", "entry", "pattern", "plain", "popcount",
    "routine", "scratch", "subroutine", "trailing_zeros",
]  # fmt: skip

MADE.targets = targets
