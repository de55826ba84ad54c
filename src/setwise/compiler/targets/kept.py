"""Code that the cache keeps, loaded by LLVM without Numba, because importing Numba takes longer than most calls."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import sys
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from setwise.compiler.cache import CodeFile, MachineCode
from setwise.compiler.definitions import Entry, Pattern
from setwise.compiler.keys import kept_under
from setwise.compiler.kinds import MADE
from setwise.compiler.llvm.runtime import BITBOARD, CALLED, NEW_INT, OBJECT, OWN
from setwise.compiler.llvm.tables import PREFIX, shared
from setwise.compiler.targets.shipped import function_at, object_at, ufunc_at

#: Numba's switches that change machine code.
_SWITCHES = ("BOUNDSCHECK", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO", "ENABLE_AVX", "OPT")
#: A file from which Numba also reads switches.
_SETTINGS = Path(".numba_config.yaml")

_lock = Lock()
#: The loaded code. Each entry has its own engine, because names that Numba makes up in several processes can be equal.
_kept: dict[Entry, Loaded] = {}


def environment() -> str:
    """Return everything that machine code depends on, except sources: versions, processor, compiler switches."""
    numba = importlib.util.find_spec("numba")
    assert numba is not None  # noqa: S101  (the caller has checked it)
    version = Path(numba.origin or "").with_name("_version.py").read_text("utf-8")
    processor = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    switches = [os.environ.get(f"NUMBA_{name}") for name in _SWITCHES]
    settings = _SETTINGS.read_text("utf-8") if _SETTINGS.is_file() else None
    return repr((processor, switches, settings, sys.version, version, llvmlite.__version__, np.__version__))


class Loaded(NamedTuple):
    """The loaded code of an entry."""

    code: MachineCode
    engine: llvm.ExecutionEngine

    def address_of(self, name: str) -> int:
        """Return the address of a function in the code."""
        address: int = self.engine.get_function_address(name)
        return address


def has(entry: Entry) -> bool:
    """Return whether the cache has code of an entry."""
    return CodeFile(entry.name, kept_under(entry)).exists()


def machine_code(entry: Entry) -> Any:
    """Return an entry's kept code, a Python function that checks nothing; None if none is kept."""
    loaded = _loaded(entry)
    return None if loaded is None else function_at(loaded.address_of(loaded.code.function), entry)


def ufunc_of(pattern: Pattern) -> np.ufunc | None:
    """Return the ufunc of a pattern with its kept loop; None if none is kept."""
    loaded = _loaded(pattern)
    return None if loaded is None else ufunc_at(loaded.address_of(loaded.code.loop), pattern)


def address_of(entry: Entry) -> int | None:
    """Return the address of the function of an entry that other machine code calls; None if none is kept."""
    loaded = _loaded(entry)
    return None if loaded is None else loaded.address_of(loaded.code.symbol)


def _loaded(entry: Entry) -> Loaded | None:
    """The code of an entry from the cache, loaded once; None if none is kept, or if Numba must report its errors."""
    if entry not in _kept:
        kept = CodeFile(entry.name, kept_under(entry)).read()
        if kept is None or os.environ.get("NUMBA_BOUNDSCHECK") or _SETTINGS.is_file():
            return None
        code = MachineCode.read(kept)
        if not all(map(_is_shared, code.tables)):
            return None
        for symbol, module, name in code.calls:  # this may compile, so it happens without the lock
            MADE.targets.resolve(getattr(importlib.import_module(module), name), symbol)
        with _lock:
            if entry not in _kept:
                _kept[entry] = _load(code)
    return _kept[entry]


@functools.cache
def _is_shared(name: str) -> bool:
    """Whether the cache has a table; if so, LLVM now knows its address."""
    contents = CodeFile("table", name.removeprefix(PREFIX)).read()
    return contents is not None and shared(contents) == name


def _load(code: MachineCode) -> Loaded:
    engine = _engine()
    for part in (_runtime(), code.code):
        engine.add_object_file(llvm.ObjectFileRef.from_data(part))
    engine.finalize_object()
    if code.environment:
        place = ctypes.c_void_p.from_address(engine.get_global_value_address(code.environment))
        place.value = id(None)  # Numba's wrappers refuse to run if it is null, but do not use it
    return Loaded(code, engine)


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
    """The object with the functions of Numba's runtime that kept code needs."""
    objects = (
        f"@{OBJECT}{name} = constant ptr inttoptr (i64 {object_at(name)} to ptr)"
        for name in ("ndarray", "PyExc_SystemError")
    )
    code: bytes = _machine().emit_object(llvm.parse_assembly("\n".join([*objects, OWN, CALLED])))
    return code
