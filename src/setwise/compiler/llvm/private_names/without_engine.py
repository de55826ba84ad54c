"""Compiling for processors that need not be this one: Numba's compiler for one's own processor loads all its code.

Most of the time goes into what does not depend on the processor: Numba writes each of LLVM's modules once, and LLVM
optimises them for every processor afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import llvmlite.binding as llvm
from numba.core import registry
from numba.core.codegen import JITCPUCodegen
from numba.core.pythonapi import PythonAPI

from setwise.compiler.llvm.private_names.for_callers import Called, Linked, closure, tables_in
from setwise.compiler.llvm.runtime import OBJECT
from setwise.compiler.llvm.tables import definition

__all__ = ["Optimizer", "compile_for"]


class _Written(Linked):
    """Code as Numba writes it: neither optimised nor linked."""

    def __init__(self, codegen: _Codegen, name: str) -> None:
        super().__init__(codegen, name)
        self.modules: list[bytes] = []

    def add_llvm_module(self, ll_module: Any) -> None:
        """Keep a module as it is."""
        self.modules.append(ll_module.as_bitcode())

    def get_pointer_to_function(self, name: str) -> int:
        """Return a number that is not zero; it is never called."""
        return 1


class _Codegen(JITCPUCodegen):
    """Numba's code generator with another target machine, and without the engine that loads what it generates."""

    _library_class = _Written

    def __init__(self, machine: Any, features: str) -> None:
        self._machine, self._features = machine, features
        super().__init__("setwise")

    def _init(self, llvm_module: Any) -> None:
        self._tm, self._tm_features = self._machine, self._features
        self._target_data = self._machine.target_data
        self._data_layout = str(self._target_data)
        self._loopvect, self._opt_level = False, 0

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = self._machine.triple
        return module

    def set_env(self, env_name: str, env: Any) -> None:
        """Leave the variable of a function's environment as it is."""


def compile_for(machine: Any, features: str) -> None:
    """Let Numba compile everything from now on for a target machine, as position-independent code without addresses.

    What it compiles is to be optimised: see `Optimizer`.
    """
    registry.cpu_target.target_context._internal_codegen = _Codegen(machine, features)
    PythonAPI.get_c_object = _object


def _object(python: Any, name: str) -> Any:
    """An object of Python's by its name in C, loaded from a variable: its address is known when the code runs."""
    return python.builder.load(python.context.get_c_value(python.builder, python.pyobj, OBJECT + name))


class Optimizer:
    """LLVM's work for one target machine on what Numba has compiled; its features are those that Numba compiled for."""

    def __init__(self, machine: Any, features: str) -> None:
        self.machine, self._codegen = machine, _Codegen(machine, features)

    def linked(self, libraries: Iterable[Any], lowered: Callable[[Any], Any]) -> Any:
        """Return LLVM's module of libraries and all that they link and call, not optimised as a whole.

        ``lowered`` returns the library of what is called by its symbol.
        """
        modules, todo, seen = list[Any](), list(libraries), set()
        while todo:
            for part in closure(todo.pop()):
                if part in seen:
                    continue
                seen.add(part)
                if isinstance(part, Called):
                    todo.append(lowered(part.of))
                else:
                    modules += map(llvm.parse_bitcode, part.modules)
        # In pairs: when LLVM links one module into another, it looks at all that the other has.
        while len(modules) > 1:
            for module, other in zip(modules[::2], modules[1::2], strict=False):
                module.link_in(other)
            modules = modules[::2]
        [whole] = modules
        for name in tables_in(whole):
            whole.link_in(llvm.parse_assembly(definition(name)))
        return whole

    def optimize(self, module: Any) -> None:
        """Optimise a module as Numba does for the processor that it runs on."""
        whole = Linked(self._codegen, "whole")
        whole._final_module = module
        whole._optimize_final_module()
