"""Machine code as bytes, and a cache of one's own for what Numba compiles: it offers only its own cache."""

from __future__ import annotations

import io
import pickle
from typing import Any

from numba.core import serialize
from numba.core.compiler import CompileResult

from setwise.compiler.cache import MachineCode

__all__ = ["bytes_of", "code_in", "keep_in"]


def keep_in(cache: Any, compiled: Any) -> None:
    """Let a dispatcher read its machine code from a cache, and write it there."""
    compiled._cache = cache


def bytes_of(compiled: Any) -> bytes:
    """Return the result of a compilation as bytes: what runs, and after it what else Numba knows."""
    (name, kind, (code, linked)), *others = compiled._reduce()
    names = compiled.fndesc
    runs = MachineCode(
        code,
        names.llvm_cpython_wrapper_name,
        names.llvm_cfunc_wrapper_name,
        [it.name for it in compiled.library._final_module.global_variables if it.name.startswith("_ZN08NumbaEnv")],
    )
    return runs.to_bytes() + serialize.dumps((name, kind, linked, *others))


def code_in(code: bytes, target_context: Any) -> Any:
    """Return the result of a compilation from its bytes."""
    file = io.BytesIO(code)
    runs = MachineCode.read(file)
    name, kind, linked, *others = pickle.load(file)
    return CompileResult._rebuild(target_context, (name, kind, (runs.code, linked)), *others)
