"""Code that Numba compiles for this processor, and that the cache keeps.

Descriptions become Numba's own objects here: types, intrinsics, dispatchers.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any, NamedTuple

import llvmlite.binding
import numba
import numpy as np
from numba import types
from numba.core import registry
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys

from setwise.compiler import cache
from setwise.compiler.cache import CodeFile, MachineCode
from setwise.compiler.definitions import ByProcessor, Entry, Pattern, Routine
from setwise.compiler.keys import kept_under
from setwise.compiler.kinds import MADE, Array, Named, Number, Signature, Special, Tuple, Type
from setwise.compiler.llvm import OPTIONS, loops, private_names
from setwise.compiler.llvm.private_names import Whole, called, for_callers, symbol_of
from setwise.compiler.llvm.runtime import BITBOARD, NEW_INT, OWN
from setwise.compiler.llvm.tables import PREFIX, contents_of
from setwise.compiler.targets.levels import SLOW_WITH_MASKS
from setwise.compiler.targets.shipped import function_at, object_at, ufunc_at
from setwise.compiler.words import MEMORY, PYTHON_OBJECT, InCompiledCode, Operation
from setwise.errors import DefinitionError

for _name in (BITBOARD, NEW_INT):
    llvmlite.binding.add_symbol(_name, object_at(_name))


# -------------------------------------------------------------------------------------------------------- the processor


def has(feature: str) -> bool:
    """Return whether the processor that code is compiled for has a feature, by LLVM's name, and is fast with it."""
    name: str
    features: str
    _, name, features = registry.cpu_target.target_context.codegen().magic_tuple()
    if feature == "bmi2" and name in SLOW_WITH_MASKS:
        return False
    return f"+{feature}" in features.split(",")


def processor() -> str:
    """Return the target of compilation: LLVM's name of the processor, and the fast instructions that it has."""
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
    """Numba's type for a description; Numba's own types are returned unchanged."""
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
    """Return Numba's type of an object that compiled code names: a type, an operation, a function."""
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
    """Return Numba's dispatcher of a routine or an entry, by which compiled code calls it.

    The dispatcher of an entry has only the signature of the entry. Patterns are inlined; other entries of this package
    are called by a symbol.
    """
    with global_compiler_lock:
        if "numba_dispatcher" not in vars(thing):
            if isinstance(thing, Routine):
                inlined: dict[str, Any] = {"forceinline": True} if thing.inlined else {}
                vars(thing)["numba_dispatcher"] = for_callers(thing.function, **OPTIONS, **inlined)
            elif symbol := _symbol(thing):
                signature = _signature(thing.signature)
                vars(thing)["numba_dispatcher"] = called(
                    thing.function, symbol, signature, thing, functools.partial(MADE.targets.resolve, thing, symbol)
                )
            else:
                lowered(thing)
        return vars(thing)["numba_dispatcher"]


def _symbol(entry: Entry) -> str:
    """The symbol by which compiled code calls an entry of this package; empty if its module does not have its name.

    It is also empty for a user's entry, because a name may be bound anew within a process.
    """
    module = sys.modules.get(entry.__module__)
    is_found = getattr(module, entry.function.__name__, None) is entry and entry.__module__.startswith("setwise.")
    return symbol_of(f"setwise.{entry.name}") if is_found and not entry.inlined else ""


def lowered(entry: Entry) -> Any:
    """Return Numba's result of lowering an entry; in its own body its name means the function that is being lowered."""
    with global_compiler_lock:
        if "numba_lowered" not in vars(entry):
            signature, symbol = _signature(entry.signature), _symbol(entry)
            dispatcher = for_callers(entry.function, symbol=symbol, **OPTIONS, forceinline=entry.inlined)
            if not symbol:
                vars(entry)["numba_dispatcher"] = dispatcher
            try:
                dispatcher.compile(signature)
                dispatcher.disable_compile()
                result = dispatcher.overloads[signature.args]
                _check_numbers(entry, result)
            except BaseException:
                vars(entry).pop("numba_dispatcher", None)
                raise
            vars(entry)["numba_lowered"] = result
        return vars(entry)["numba_lowered"]


def wrap(entry: Entry, library: Any) -> tuple[str, str]:
    """Add the function that Python calls to a library, and for a pattern NumPy's loop; return their names there."""
    releases = not _is_short(entry)
    if not isinstance(entry, Pattern):
        return private_names.for_python(library, lowered(entry), releases=releases), ""
    return private_names.for_ints(library, lowered(entry), entry, releases=releases), private_names.for_c(
        library, _loop(entry)
    )


def _loop(pattern: Pattern) -> Any:
    dtypes = [kind.dtype for kind in pattern.kinds.values()]
    return loops.lowered(pattern, dtypes, pattern.returns.dtype, pattern.stages)


class Compiled(NamedTuple):
    """The machine code of an entry: the function that Python calls, and the address of a pattern's loop."""

    library: Whole
    function: Any
    loop: int


def compiled(entry: Entry) -> Compiled:
    """Return the machine code of an entry, compiled and kept."""
    with global_compiler_lock:
        if "numba_compiled" not in vars(entry):
            vars(entry)["numba_compiled"] = _compiled(entry)
        return vars(entry)["numba_compiled"]


def _compiled(entry: Entry) -> Compiled:
    if cache.announce is not None:
        cache.announce(entry.name)
    rtsys.initialize(registry.cpu_target.target_context)
    library = Whole(registry.cpu_target.target_context.codegen(), entry.name)
    function, loop = wrap(entry, library)
    symbol, names = _symbol(entry), lowered(entry).fndesc
    environment = "" if loop else names.env_name
    library.shown.update(filter(None, (function, loop, symbol, environment)))
    library.finalize()
    file = CodeFile(entry.name, kept_under(entry))
    if file.path is not None and all(f"@{name}(" in OWN for name in library.runtime):
        symbols = [(it.symbol, it.of.__module__, it.of.function.__name__) for it in library.calls]
        for name in library.tables:
            table = CodeFile("table", name.removeprefix(PREFIX))
            if table.read() != contents_of(name):  # the file is missing or damaged
                table.write(contents_of(name))
        code = MachineCode(library.code, function, loop, symbol, environment, symbols, library.tables)
        file.write(code.to_bytes())
    if loop:
        of_python = function_at(library.get_pointer_to_function(function), entry)
    else:
        of_python = registry.cpu_target.target_context.get_executable(library, names, lowered(entry).environment)
    return Compiled(library, of_python, library.get_pointer_to_function(loop) if loop else 0)


def _is_short(entry: Entry) -> bool:
    """Whether a function takes less than a microsecond, so that it keeps the GIL, and no other thread runs.

    Releasing the GIL and taking it again would add 60 to 90 ns, and a thread that releases it then waits until no other
    thread wants it. Functions that take or return Python objects are short, and so are this package's patterns without
    a search. A user's pattern is not, because it might never end.
    """
    if isinstance(entry, Pattern):
        is_searching = entry.stages is not None and entry.__module__.startswith("setwise.features.")
        return entry.__module__.startswith("setwise.") and not is_searching
    signature = entry.signature
    returns = signature.returns.items if isinstance(signature.returns, Tuple) else (signature.returns,)
    return any(kind in {MEMORY, PYTHON_OBJECT} for kind in (*signature.arguments, *returns))


def _check_numbers(entry: Entry, result: Any) -> None:
    """Refuse a user's definition that computes with signed numbers or floats, because it would return wrong sets."""
    if not entry.of_sets or entry.__module__.startswith("setwise."):
        return
    for variable, kind in result.type_annotation.typemap.items():
        signed = isinstance(kind, types.Integer) and kind.signed and not isinstance(kind, types.IntegerLiteral)
        if signed or isinstance(kind, types.Float):
            name_of_value = variable.partition(".")[0]
            where = f"{name_of_value!r}" if name_of_value.isidentifier() else "a part of it"
            raise DefinitionError(
                f"{entry.name} computes {where} as {kind}, where sets need unsigned 64-bit numbers: write every number "
                "as a constant, np.uint64(8) or ONE of setwise.patterns.bits, and divide by `//` or shifts"
            )


def machine_code(entry: Entry) -> Any:
    """Return an entry's machine code as a Python function; see `Entry.raw` and `Pattern.raw`."""
    return compiled(entry).function


def ufunc_of(pattern: Pattern) -> np.ufunc:
    """Return the ufunc of a pattern, whose loop is compiled."""
    return ufunc_at(compiled(pattern).loop, pattern)


def address_of(entry: Entry, symbol: str) -> int:
    """Return the address of the function of an entry that compiled code calls."""
    address: int = compiled(entry).library.get_pointer_to_function(symbol)
    return address
