"""Code that the cache keeps, loaded by LLVM alone: to import Numba takes longer than most answers."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import io
import os
import sys
from pathlib import Path
from threading import Lock
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from setwise.compiler.cache import CodeFile, MachineCode
from setwise.compiler.definitions import Entry, Pattern
from setwise.compiler.keys import kept_under
from setwise.compiler.llvm.runtime import BITBOARD, CALLED, NEW_INT, OBJECT, OWN
from setwise.compiler.targets.addresses import function_at, object_at, ufunc_at

__all__ = ["environment", "has", "machine_code", "ufunc_of"]

#: Numba's switches that change machine code.
_SWITCHES = ("BOUNDSCHECK", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO", "ENABLE_AVX", "OPT")
#: Where Numba finds switches, too.
_SETTINGS = Path(".numba_config.yaml")

_lock = Lock()
#: What loaded code lies in. Each function has an engine of its own: names that Numba makes up in several processes can
#: be the same.
_engines: list[llvm.ExecutionEngine] = []


def environment() -> str:
    """Return everything except sources that machine code depends on: versions, processor, compiler switches."""
    numba = importlib.util.find_spec("numba")
    assert numba is not None  # noqa: S101  (asked before)
    version = Path(numba.origin or "").with_name("_version.py").read_text("utf-8")
    processor = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    switches = [os.environ.get(f"NUMBA_{name}") for name in _SWITCHES]
    settings = _SETTINGS.read_text("utf-8") if _SETTINGS.is_file() else None
    return repr((processor, switches, settings, sys.version, version, llvmlite.__version__, np.__version__))


def has(entry: Entry, name: str) -> bool:
    """Return whether the cache has code of an entry under a name."""
    return CodeFile(name, kept_under(entry)).exists()


def machine_code(entry: Entry) -> Any:
    """Return an entry's kept code, a function of Python's that checks nothing; None where there is none."""
    code = _code(entry.name, entry)
    return None if code is None else function_at(_address(code, code.function), entry)


def ufunc_of(pattern: Pattern) -> np.ufunc | None:
    """Return the ufunc of a pattern with its kept loop; None where there is none."""
    code = _code(f"{pattern.name}.ufunc", pattern)
    return None if code is None else ufunc_at(_address(code, code.loop), pattern)


def _code(name: str, entry: Entry) -> MachineCode | None:
    """What the cache keeps under a name; None for what only Numba loads, and for code whose errors are Numba's."""
    kept = CodeFile(name, kept_under(entry)).read()
    if kept is None or os.environ.get("NUMBA_BOUNDSCHECK") or _SETTINGS.is_file():
        return None
    return MachineCode.read(io.BytesIO(kept))


def _address(code: MachineCode, name: str) -> int:
    """Load code, and return the address of a function in it."""
    with _lock:
        engine = _engine()
        for part in (_runtime(), code.code):
            engine.add_object_file(llvm.ObjectFileRef.from_data(part))
        engine.finalize_object()
        for variable in code.environments:
            place = ctypes.c_void_p.from_address(engine.get_global_value_address(variable))
            place.value = id(None)  # Numba's wrappers refuse to run without one, and use none
        _engines.append(engine)
        address: int = engine.get_function_address(name)
        return address


def _machine() -> llvm.TargetMachine:
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(jit=True, codemodel="jitdefault")


def _engine() -> llvm.ExecutionEngine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in (BITBOARD, NEW_INT):
        llvm.add_symbol(name, object_at(name))
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())


@functools.cache
def _runtime() -> bytes:
    """The object of what kept code needs of Numba's runtime."""
    objects = (
        f"@{OBJECT}{name} = constant ptr inttoptr (i64 {object_at(name)} to ptr)"
        for name in ("ndarray", "PyExc_SystemError")
    )
    code: bytes = _machine().emit_object(llvm.parse_assembly("\n".join([*objects, OWN, CALLED])))
    return code
