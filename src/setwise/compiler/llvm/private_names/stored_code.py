"""Machine code as bytes, and a cache of one's own for what Numba compiles: it offers only its own cache."""

from __future__ import annotations

import pickle
from typing import Any

from numba.core import serialize
from numba.core.compiler import CompileResult

__all__ = ["bytes_of", "code_in", "keep_in"]


def keep_in(cache: Any, compiled: Any) -> None:
    """Let a dispatcher read its machine code from a cache, and write it there."""
    compiled._cache = cache


def bytes_of(compiled: Any) -> bytes:
    """Return the result of a compilation as bytes."""
    return serialize.dumps(compiled._reduce())


def code_in(code: bytes, target_context: Any) -> Any:
    """Return the result of a compilation from its bytes."""
    return CompileResult._rebuild(target_context, *pickle.loads(code))
