"""Patterns as a module of WebAssembly: functions of 64-bit words that import nothing."""

from __future__ import annotations

from collections.abc import Mapping

import llvmlite.binding as llvm
from numba.core.compiler_lock import global_compiler_lock

from setwise.compiler import cache
from setwise.compiler.definitions import Pattern
from setwise.compiler.llvm.private_names.without_engine import Optimizer, compile_for
from setwise.compiler.targets import jit
from setwise.compiler.targets.ahead import keep_only, machine_for

__all__ = ["object_of"]

_TRIPLE = "wasm32-unknown-unknown"

#: A function of words around Numba's, which returns its result and an error by pointers; no pattern raises an error.
_EXPORTED = """
declare i32 @"{compiled}"(ptr, ptr{types})
define i64 @"{name}"({parameters}) {{
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @"{compiled}"(ptr %result, ptr %error{arguments})
  %word = load i64, ptr %result
  ret i64 %word
}}
"""


def object_of(patterns: Mapping[str, Pattern]) -> bytes:
    """Return a relocatable object with patterns as functions of words, under these names.

    It can be called once in a process: what Numba has compiled before is for another processor.
    """
    cache.keeps = False
    machine = machine_for(_TRIPLE)
    compile_for(machine, "")
    optimizer = Optimizer(machine, "")
    with global_compiler_lock:
        linked = llvm.parse_assembly(f'target triple = "{_TRIPLE}"\ntarget datalayout = "{machine.target_data}"')
        for name, pattern in patterns.items():
            overload = jit.overload_of(pattern)
            linked.link_in(optimizer.module_of(overload.library), preserve=True)
            linked.link_in(llvm.parse_assembly(_exported(name, overload.fndesc.llvm_func_name, len(pattern.kinds))))
        keep_only(linked, patterns, machine)
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(3))
        builder.getModulePassManager().run(linked, builder)
        keep_only(linked, patterns, machine)
        code: bytes = machine.emit_object(linked)
        return code


def _exported(name: str, compiled: str, count: int) -> str:
    words = [f"i64 %word{number}" for number in range(count)]
    arguments = "".join(f", {word}" for word in words)
    types = ", i64" * count
    return _EXPORTED.format(name=name, compiled=compiled, types=types, parameters=", ".join(words), arguments=arguments)
