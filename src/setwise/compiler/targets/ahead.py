"""Machine code made ahead: libraries of wheels, and WebAssembly.

Numba compiles every function once for the levels that have the same features, and LLVM optimises it for each of them.
The functions are linked with a small runtime that reaches Python by a table of addresses, which `shipped` fills. So a
library depends on no other one, and the same library serves every Python.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core import registry
from numba.core.compiler_lock import global_compiler_lock

from setwise.compiler import cache
from setwise.compiler.definitions import Entry
from setwise.compiler.llvm.private_names import Optimizer, compile_for, hide, tables_in
from setwise.compiler.llvm.runtime import CALLED, OBJECT, OWN
from setwise.compiler.targets import jit
from setwise.compiler.targets.levels import symbol

# ---------------------------------------------------------------------- code that is compiled when the package is built


def machine_for(triple: str, processor: str = "", features: str = "") -> Any:
    """Return LLVM's target machine; the code that it makes can lie anywhere in memory."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(processor, features, opt=3, reloc="pic", codemodel="default")


def assembly(name: str, /, **values: object) -> str:
    """Return a text of LLVM's assembly from the folder beside this module, with values for its ``$names``."""
    text = Path(__file__).with_name("assembly").joinpath(f"{name}.ll").read_text("ascii")
    return Template(text).substitute(values) if values else text


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


class CompiledAhead:
    """Entries as Numba compiles them for levels of processors that have the same features.

    A process can make only one: Numba would reuse the code that it compiled before, which is for another processor.
    """

    def __init__(self, entries: Iterable[Entry], triple: str, features: str) -> None:
        cache.keeps = False
        self.triple, self.features = triple, features
        compile_for(machine_for(triple, "", features), features)
        with global_compiler_lock:
            self._library, self._exported = _wrapped(entries)

    def object_for(self, processor: str, texts: str, keys: str) -> bytes:
        """Return a relocatable object with the code for a processor, by LLVM's name for it, and with the two texts."""
        with global_compiler_lock:
            optimizer = Optimizer(machine_for(self.triple, processor, self.features), self.features)
            return _object(self._library, self._exported, optimizer, {"setwise_texts": texts, "setwise_keys": keys})


def _library(entry: Entry) -> Any:
    """Numba's library of an entry."""
    return jit.lowered(entry).library


def _wrapped(entries: Iterable[Entry]) -> tuple[Any, dict[str, str]]:
    """Numba's library of entries and loops in wrappers, and the names to export by the names in the library."""
    library = registry.cpu_target.target_context.codegen().create_library("shipped")
    exported = {}
    for entry in entries:
        function, loop = jit.wrap(entry, library)
        exported[function] = symbol(entry.name)
        if loop:
            exported[loop] = symbol(f"{entry.name}.ufunc")
    return library, exported


def _object(library: Any, exported: dict[str, str], optimizer: Optimizer, texts: dict[str, str]) -> bytes:
    """The object of all functions and the runtime."""
    machine = optimizer.machine
    linked = optimizer.linked([library], _library)
    linked.link_in(llvm.parse_assembly(_runtime(linked, texts)))
    for name, exported_name in exported.items():
        linked.get_function(name).name = exported_name
    shown = {*exported.values(), *_TABLES}
    keep_only(linked, shown, machine)
    optimizer.optimize(linked)
    keep_only(linked, shown, machine)
    if missing := [it.name for it in linked.functions if it.is_declaration and it.name.startswith("NRT_")]:
        raise ValueError(f"code to ship cannot allocate memory, but some of it calls {', '.join(missing)}")
    code: bytes = machine.emit_object(linked)
    return code


# ------------------------------------------------------------------------------------------------------------- runtime

#: The symbols that `shipped` reads from a library: the digests of modules, the keys of entries, the names of objects of
#: Python, and the places for their addresses.
_TABLES = ("setwise_texts", "setwise_keys", "setwise_names", "setwise_places")

_DECLARED = re.compile(
    r"declare (?:noundef |zeroext |signext |noalias )*(\S+) @\"?([\w.]+)\"?\((.*?)\)[^()]*$", re.MULTILINE
)

#: Functions that the linker finds elsewhere, or that the code generator turns into instructions.
_KNOWN = re.compile(r"llvm\.|mem(cpy|set|move|cmp)$|bcmp$|numba_|NRT_")


def _runtime(linked: Any, texts: dict[str, str]) -> str:
    """LLVM's text of the functions and variables that linked code declares but does not define."""
    declared = {
        name: (returns, [word.split()[0] for word in arguments.split(", ") if word])
        for text in (CALLED, *(str(function) for function in linked.functions if function.is_declaration))
        for returns, name, arguments in _DECLARED.findall(text)
        if not _KNOWN.match(name)
    }
    variables = {it.name for it in linked.global_variables}
    objects = sorted(
        {f"{OBJECT}PyExc_SystemError", f"{OBJECT}ndarray", *(it for it in variables if it.startswith(OBJECT))}
    )
    lines = [OWN]
    for name, (returns, arguments) in declared.items():
        passed = ", ".join(f"{kind} %{k}" if kind != "..." else kind for k, kind in enumerate(arguments))
        call = f"{returns} ({', '.join(arguments)})" if "..." in arguments else returns
        result = "ret void" if returns == "void" else f"ret {returns} %result"
        lines += [
            f"@at_{name} = global ptr null",
            f"define {returns} @{name}({passed}) {{",
            f"  %function = load ptr, ptr @at_{name}",
            f"  {'' if returns == 'void' else '%result = '}musttail call {call} %function({passed})",
            f"  {result}",
            "}",
        ]
    lines += [f"@{name} = global ptr null" for name in objects]
    lines += [f"@{name} = global ptr @says" for name in sorted(variables) if name.startswith("_ZN08NumbaEnv")]
    places = [*(f"at_{name}" for name in declared), *objects]
    names = "\n".join([*declared, *(name.removeprefix(OBJECT) for name in objects)])
    lines += [
        f"@setwise_places = global [{len(places)} x ptr] [{', '.join(f'ptr @{place}' for place in places)}]",
        _text("setwise_names", names),
        *(_text(name, text) for name, text in texts.items()),
    ]
    return "\n".join(lines)


def _text(name: str, text: str) -> str:
    """A variable that holds a text as C does."""
    letters = "".join(letter if letter.isalnum() else f"\\{ord(letter):02X}" for letter in text)
    return f'@{name} = constant [{len(text) + 1} x i8] c"{letters}\\00"'


# ------------------------------------------ functions of 64-bit words as a module of WebAssembly, which imports nothing


_TRIPLE = "wasm32-unknown-unknown"

#: In compiled code: note a word under a number, and return the word.
RECORD = types.ExternalFunction("setwise_record", types.uint64(types.int64, types.uint64))

#: The functions that read what was noted.
_READERS = ("notes.forget", "notes.count", "notes.number", "notes.word")


def object_of(functions: Mapping[str, Entry], *, notes: bool = False) -> bytes:
    """Return a relocatable object with functions of words under these names; with ``notes``, they can note words.

    A process can call it only once: Numba would reuse the code that it compiled before, for another processor.
    """
    cache.keeps = False
    machine = machine_for(_TRIPLE)
    compile_for(machine, "")
    exported = ((function, _exported(name, len(function.signature.arguments))) for name, function in functions.items())
    with global_compiler_lock:
        module = wrapped(Units(Optimizer(machine, "")), exported, {*functions, *_READERS}, assembly("notes") * notes)
        code: bytes = machine.emit_object(module)
        return code


def _exported(name: str, count: int) -> str:
    words = [f"i64 %word{number}" for number in range(count)]
    arguments = "".join(f", {word}" for word in words)
    return assembly("exported", name=name, parameters=", ".join(words), arguments=arguments)
