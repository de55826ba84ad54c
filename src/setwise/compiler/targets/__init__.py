"""Where the code of a definition comes from; other packages need not know which of these modules provides it.

The first source is code that was shipped with the package for this processor (``shipped``, made by ``ahead``). Then
comes code from the cache (``kept``), or code that Numba compiles (``jit``). Without Numba, NumPy evaluates the
definition itself (``evaluated``). For arrays on a graphics card, the card computes the result (``cuda``).
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from setwise.compiler.definitions import Entry, Pattern

__all__ = [
    "answered_on_card", "computed_on_card", "dispatcher_of", "environment", "has_code", "has_compiler", "machine_code",
    "resolve", "type_of", "ufunc_of",
]  # fmt: skip


@functools.cache
def has_compiler() -> bool:
    """Return whether Numba is installed."""
    return importlib.util.find_spec("numba") is not None


def environment() -> str:
    """Return everything that kept machine code depends on, except sources."""
    from setwise.compiler.targets import kept

    return kept.environment()


def type_of(thing: Any) -> Any:
    """Return Numba's type of a type, an operation or a function that compiled code names."""
    from setwise.compiler.targets import jit

    return jit.type_of(thing)


def dispatcher_of(thing: Any) -> Any:
    """Return Numba's dispatcher of a definition, by which compiled code calls it."""
    from setwise.compiler.targets import jit

    return jit.dispatcher_of(thing)


def machine_code(entry: Entry) -> Any:
    """Return the code of an entry: a Python function that checks nothing."""
    for target in _made_before():
        if (code := target.machine_code(entry)) is not None:
            return code
    return _made_here().machine_code(entry)


def ufunc_of(pattern: Pattern) -> np.ufunc:
    """Return the ufunc of a pattern, or a function that is called in the same way."""
    ufunc: np.ufunc | None
    for target in _made_before():
        if (ufunc := target.ufunc_of(pattern)) is not None:
            return ufunc
    ufunc = _made_here().ufunc_of(pattern)
    return ufunc


def answered_on_card(pattern: Pattern, values: tuple[Any, ...], out: Any) -> Any:
    """Return a pattern's result for arrays on a graphics card, as an array on the card."""
    from setwise.compiler.targets import cuda

    return cuda.answered(pattern, values, out)


def computed_on_card(pattern: Pattern, values: list[Any]) -> np.ndarray:
    """Return a pattern's result for arrays in the computer's memory, computed on a graphics card."""
    from setwise.compiler.targets import cuda

    return cuda.computed(pattern, values)


@functools.cache
def resolve(entry: Entry, symbol: str) -> None:
    """Give LLVM the address of an entry's code, which other compiled code calls by its symbol."""
    import llvmlite.binding as llvm

    from setwise.compiler.targets import kept

    llvm.add_symbol(symbol, kept.address_of(entry) or _made_here().address_of(entry, symbol))


def has_code(entry: Entry) -> bool:
    """Return whether the code of an entry was shipped or is kept in the cache."""
    return any(target.has(entry) for target in _made_before())


def _made_before() -> Iterator[Any]:
    from setwise.compiler.targets import shipped

    yield shipped
    if has_compiler():
        from setwise.compiler.targets import kept

        yield kept


def _made_here() -> Any:
    if has_compiler():
        from setwise.compiler.targets import jit

        return jit
    from setwise.compiler.targets import evaluated

    return evaluated
