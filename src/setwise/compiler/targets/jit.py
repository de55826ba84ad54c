"""Code that Numba compiles where it runs, and the cache keeps.

Descriptions become Numba's own objects here: types, intrinsics, dispatchers.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from numba import types
from numba.core import caching, registry
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys

from setwise.compiler import cache
from setwise.compiler.cache import CodeFile
from setwise.compiler.definitions import ByProcessor, Entry, Pattern, Routine
from setwise.compiler.keys import kept_under
from setwise.compiler.llvm import OPTIONS, loops
from setwise.compiler.llvm.private_names.calls import called_by_python
from setwise.compiler.llvm.private_names.for_callers import for_callers
from setwise.compiler.llvm.private_names.loops import ufunc_of as made_ufunc
from setwise.compiler.llvm.private_names.stored_code import bytes_of, code_in, keep_in
from setwise.compiler.llvm.runtime import BITBOARD, NEW_INT
from setwise.compiler.operations import InCompiledCode, Operation
from setwise.compiler.python_objects import MEMORY, PYTHON_OBJECT
from setwise.compiler.signatures import Array, Named, Number, Signature, Special, Tuple, Type
from setwise.compiler.targets.addresses import function_at, object_at
from setwise.compiler.targets.levels import SLOW_WITH_MASKS
from setwise.errors import DefinitionError

__all__ = [
    "dispatcher_of",
    "has",
    "loop_of",
    "machine_code",
    "overload_of",
    "processor",
    "type_of",
    "ufunc_of",
]

for _name in (BITBOARD, NEW_INT):
    llvmlite.binding.add_symbol(_name, object_at(_name))


# -------------------------------------------------------------------------------------------------------- the processor


def has(feature: str) -> bool:
    """Return whether the processor that code is compiled for has a feature of LLVM's name, and is quick with it."""
    name: str
    features: str
    _, name, features = registry.cpu_target.target_context.codegen().magic_tuple()
    if feature == "bmi2" and name in SLOW_WITH_MASKS:
        return False
    return f"+{feature}" in features.split(",")


def processor() -> str:
    """Return the target of compilation: LLVM's name of the processor, and which fast instructions it has."""
    known = llvmlite.binding.get_host_cpu_features()
    quick = [name for name in ("bmi2", "avx2", "avx512f", "neon") if known.get(name)]
    return " ".join([numba.core.config.CPU_NAME or llvmlite.binding.get_host_cpu_name(), *quick])


# ---------------------------------------------------------------------------------------------------------------- types


def _place(name: str) -> Any:
    """A thing in ``llvm`` by its module and name."""
    module, name = name.split(".")
    return getattr(importlib.import_module(f"setwise.compiler.llvm.{module}"), name)


@functools.singledispatch
def _type(described: Any) -> Any:
    """Numba's type for a description; types of Numba's own stay as they are."""
    return described


@_type.register
def _(described: Number) -> Any:
    return getattr(types, described.name)


@_type.register
def _(described: Array) -> Any:
    return types.Array(_type(described.item), described.dimensions, described.layout, readonly=described.readonly)


@_type.register
def _(described: Tuple) -> Any:
    return types.Tuple([_type(item) for item in described.items])


@_type.register
def _(described: Named) -> Any:
    return types.NamedUniTuple(types.uint64, len(getattr(described.words, "_fields")), described.words)  # noqa: B009


@_type.register
def _(described: Special) -> Any:
    return _place(described.name)


def _signature(described: Signature) -> Any:
    return _type(described.returns)(*map(_type, described.arguments))


def type_of(thing: Type | InCompiledCode | Entry) -> Any:
    """Return the Numba type of what stands for itself in compiled code: a type, an operation, a function."""
    match thing:
        case Number():
            return types.NumberClass(_type(thing))
        case Operation():
            return registry.cpu_target.typing_context.resolve_value_type(_intrinsic(thing))
        case ByProcessor():
            return type_of(thing.routine if has(thing.feature) else thing.otherwise)
        case _:
            return types.Dispatcher(dispatcher_of(thing))


def _intrinsic(operation: Operation) -> Any:
    with global_compiler_lock:
        if "intrinsic" not in vars(operation):
            intrinsic = _place(operation.name)
            vars(operation)["intrinsic"] = intrinsic(*operation.parameters) if operation.parameters else intrinsic
            registry.cpu_target.typing_context.refresh()
        return vars(operation)["intrinsic"]


# ------------------------------------------------------------------------------------------------------------ functions


def dispatcher_of(thing: Any) -> Any:
    """Return Numba's dispatcher of a routine or an entry; an entry's is compiled, or loaded, for its one signature."""
    with global_compiler_lock:
        if "numba_dispatcher" not in vars(thing):
            if isinstance(thing, Routine):
                inlined = {"forceinline": True} if thing.inlined else {}
                vars(thing)["numba_dispatcher"] = for_callers(thing.function, **OPTIONS, **inlined)
            else:
                _compile(thing)
        return vars(thing)["numba_dispatcher"]


def _compile(entry: Entry) -> None:
    """Compile an entry; in its own body its name stands for the dispatcher that is being compiled."""
    signature = _signature(entry.signature)
    options = OPTIONS | {"nogil": not _is_short(entry), "forceinline": entry.inlined}
    if isinstance(entry, Pattern):
        dispatcher = called_by_python(entry, **options)
    else:
        dispatcher = numba.njit(**options)(entry.function)
    keep_in(DiskCache(entry, entry.name), dispatcher)
    vars(entry)["numba_dispatcher"] = dispatcher
    try:
        dispatcher.compile(signature)
        dispatcher.disable_compile()
    except BaseException:
        del vars(entry)["numba_dispatcher"]
        raise


def _is_short(entry: Entry) -> bool:
    """Whether a function keeps the GIL, so that no other thread runs: it takes less than a microsecond.

    To release the GIL and take it again would add 60 to 90 ns, and a thread that releases it waits until no other
    thread wants it. Short are functions that take or return Python objects, and this package's patterns without a
    search; a user's might not come to an end.
    """
    if isinstance(entry, Pattern):
        return entry.stages is None and entry.__module__.startswith("setwise.")
    signature = entry.signature
    returns = signature.returns.items if isinstance(signature.returns, Tuple) else (signature.returns,)
    return any(kind in {MEMORY, PYTHON_OBJECT} for kind in (*signature.arguments, *returns))


def _check_numbers(entry: Entry, compiled: Any) -> None:
    """Refuse a user's definition that computes with signed numbers or floats: it would return wrong sets."""
    if not entry.of_sets or entry.__module__.startswith("setwise."):
        return
    for variable, kind in compiled.type_annotation.typemap.items():
        signed = isinstance(kind, types.Integer) and kind.signed and not isinstance(kind, types.IntegerLiteral)
        if signed or isinstance(kind, types.Float):
            name_of_value = variable.partition(".")[0]
            where = f"{name_of_value!r}" if name_of_value.isidentifier() else "a part of it"
            raise DefinitionError(
                f"{entry.name} computes {where} as {kind}, where sets need unsigned 64-bit numbers: write every number "
                "as a constant, np.uint64(8) or ONE of setwise.patterns.bits, and divide by `//` or shifts"
            )


def overload_of(entry: Entry) -> Any:
    """Return Numba's result of compiling, or loading, an entry."""
    return dispatcher_of(entry).overloads[_signature(entry.signature).args]


def machine_code(entry: Entry) -> Any:
    """Return an entry's machine code, a function of Python's."""
    overload = overload_of(entry)
    if not isinstance(entry, Pattern):
        return overload.entry_point
    return function_at(overload.library.get_pointer_to_function(overload.fndesc.llvm_cpython_wrapper_name), entry)


def loop_of(pattern: Pattern) -> Any:
    """Return Numba's result of compiling, or loading, the loop of a pattern."""
    dtypes = [kind.dtype for kind in pattern.kinds.values()]
    with global_compiler_lock:
        kept = DiskCache(pattern, f"{pattern.name}.ufunc")
        return loops.compiled(pattern, dtypes, pattern.returns.dtype, kept, pattern.stages)


def ufunc_of(pattern: Pattern) -> np.ufunc:
    """Return the ufunc of a pattern, whose loop is compiled, or loaded."""
    dtypes = [kind.dtype for kind in (*pattern.kinds.values(), pattern.returns)]
    with global_compiler_lock:
        return made_ufunc(loop_of(pattern), pattern, dtypes)


class DiskCache(caching.NullCache):
    """A file of machine code, as Numba's dispatchers use a cache."""

    def __init__(self, entry: Entry, name: str) -> None:
        self.entry, self.file = entry, CodeFile(name, kept_under(entry))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code in the file, else announce that it must be compiled and return None."""
        # Numba's cache refreshes the whole context here, which only compiling needs (and does): 0.2 s at every start.
        rtsys.initialize(target_context)
        if (code := self.file.read()) is not None:
            try:
                return code_in(code, target_context)
            except Exception:  # noqa: BLE001, S110  (compiling replaces a broken file)
                pass
        if cache.announce is not None:
            cache.announce(self.file.name)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the file, unless a user's definition is refused."""
        if self.file.name == self.entry.name:
            _check_numbers(self.entry, data)
        if self.file.path is not None:
            self.file.write(bytes_of(data))
