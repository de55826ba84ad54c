"""Machine code made for other processors: for wheels, graphics cards and WebAssembly.

A process that compiles for another processor compiles for nothing else. Entries that other entries call are units: each
is optimised once, alone, and linked into everything that calls it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path
from string import Template
from typing import Any

import llvmlite.binding as llvm
from numba.core import registry

from setwise.compiler.definitions import Entry
from setwise.compiler.llvm.private_names import Optimizer, hide, tables_in
from setwise.compiler.targets import jit

# ---------------------------------------------------------------------- code that is compiled when the package is built


def machine_for(triple: str, processor: str = "", features: str = "") -> Any:
    """Return LLVM's target machine; the code that it makes can lie anywhere in memory."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(processor, features, opt=3, reloc="pic", codemodel="default")


def assembly(text: Path, /, **values: object) -> str:
    """Return a file of LLVM's assembly, with values for its ``$names``."""
    return Template(text.read_text("ascii")).substitute(values)


def keep_only(linked: Any, kept: Container[str], machine: Any) -> None:
    """Hide all functions and variables of a module except some, and remove those that are then not used."""
    hide(linked, kept)
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_constant_merge_pass()
    passes.run(linked, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1)))
    linked.verify()


class Units:
    """Entries that other entries call by their symbols; each is optimised once, alone, for all of its callers."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self._units: dict[Entry, tuple[bytes, list[Entry]]] = {}

    def linked(self, libraries: Iterable[Any]) -> tuple[Any, list[Entry]]:
        """Return LLVM's module of libraries and of everything that they link, and the entries that they call."""
        nothing = registry.cpu_target.target_context.codegen().create_library("nothing")
        calls: list[Entry] = []

        def noted(entry: Entry) -> Any:
            calls.append(entry)
            return nothing

        return self.optimizer.linked(libraries, noted), calls

    def optimize(self, module: Any, kept: set[str]) -> None:
        """Optimise a module; its tables keep their names, too, because other units have the same tables."""
        machine = self.optimizer.machine
        keep_only(module, {*kept, *tables_in(module)}, machine)
        self.optimizer.optimize(module)

    def link(self, module: Any, calls: list[Entry]) -> None:
        """Link entries, and all entries that these call, into a module."""
        present = set()
        while calls:
            entry = calls.pop()
            if entry not in present:
                present.add(entry)
                code, others = self._unit(entry)
                module.link_in(llvm.parse_bitcode(code))
                calls += others

    def _unit(self, entry: Entry) -> tuple[bytes, list[Entry]]:
        if entry not in self._units:
            lowered = jit.lowered(entry)
            module, calls = self.linked([lowered.library])
            self.optimize(module, {lowered.fndesc.llvm_func_name})
            self._units[entry] = module.as_bitcode(), calls
        return self._units[entry]


def wrapped(units: Units, functions: Iterable[tuple[Entry, str]], kept: set[str], more: str = "") -> Any:
    """Return LLVM's module of entries inside wrappers, optimised with all that they link.

    Args:
        units: the units that the entries call, for the machine that Numba compiles for.
        functions: entries, and the assembly of the wrapper of each; there ``@compiled`` stands for Numba's function.
        kept: the names that stay visible.
        more: further assembly.
    """
    machine = units.optimizer.machine
    module = llvm.parse_assembly(
        f'target triple = "{machine.triple}"\ntarget datalayout = "{machine.target_data}"\n{more}'
    )
    wrappers = [(function, jit.lowered(function), wrapper) for function, wrapper in functions]
    linked, calls = units.linked([lowered.library for _, lowered, _ in wrappers])
    module.link_in(linked, preserve=True)
    for function, lowered, wrapper in wrappers:
        words = ", i64" * len(function.signature.arguments)
        name = f'@"{lowered.fndesc.llvm_func_name}"'
        module.link_in(
            llvm.parse_assembly(f"declare i32 {name}(ptr, ptr{words})\n{wrapper.replace('@compiled', name)}")
        )
    units.optimize(module, kept)
    units.link(module, calls)
    keep_only(module, kept, machine)
    return module
