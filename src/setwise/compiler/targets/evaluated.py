"""Definitions evaluated by NumPy, if there is no shipped code and no compiler: the same results, many times slower."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from setwise.compiler.definitions import Entry, Pattern
from setwise.compiler.targets import shipped
from setwise.errors import CompilerMissing

_INSTALL = "pip install 'setwise[jit]' installs a compiler"


@functools.cache
def _say_so(name: str) -> None:
    """Warn the user once that a definition is slow."""
    warnings.warn(f"{name} is evaluated by NumPy, slowly: {_INSTALL}", stacklevel=2)


def _definition(entry: Entry) -> Callable[..., Any]:
    if not isinstance(entry, Pattern):
        why = shipped.library().why or "setwise was shipped without code of this definition"
        raise CompilerMissing(f"{entry.name} needs machine code ({why}): {_INSTALL}")
    _say_so(entry.name)
    return entry.plain


def machine_code(entry: Entry) -> Any:
    """Return a pattern as a function of ints; it returns None for other arguments, see `Pattern.raw`.

    Raises:
        CompilerMissing: for any other entry.
    """
    definition = _definition(entry)
    assert isinstance(entry, Pattern)  # noqa: S101  (nothing else has a definition for NumPy)
    pattern = entry

    def evaluated(*words: Any) -> Any:
        if not pattern.takes(words):
            return None
        with np.errstate(all="ignore"):
            return pattern.returns.python(int(definition(*map(np.uint64, words))))

    return evaluated


def ufunc_of(pattern: Pattern) -> Any:
    """Return a pattern as a function of arrays, called like its ufunc; definitions with branches run item by item."""
    definition, dtype = _definition(pattern), pattern.returns.dtype

    def evaluated(*values: Any, out: np.ndarray | None = None) -> Any:
        words = [np.asarray(value).astype(np.uint64) for value in values]
        shape = np.broadcast_shapes(*(word.shape for word in words))
        with np.errstate(all="ignore"):
            try:
                result = np.broadcast_to(np.asarray(definition(*words)), shape)
            except (TypeError, ValueError):  # arrays have no truth value: the definition branches
                result = np.frompyfunc(lambda *word: int(definition(*map(np.uint64, word))), len(words), 1)(*words)
                result = np.asarray(result).astype(np.uint64)
        if out is None:
            return result.astype(dtype)
        out[...] = result.astype(dtype)
        return out

    return evaluated
