"""Machine code for wheels: what ``hatch_build.py`` runs for each group of levels that have the same features.

    python hatch_code.py SYSTEM FOLDER LEVEL ...

The functions are linked with a small runtime that reaches Python by a table of addresses, which
``setwise.compiler.targets.shipped`` fills. So a library depends on no other one, and the same library serves every
Python.
"""

from __future__ import annotations

import multiprocessing
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core import registry
from numba.core.compiler_lock import global_compiler_lock

from setwise.catalogue.warmup import entries
from setwise.compiler import cache
from setwise.compiler.definitions import Entry
from setwise.compiler.keys import ROOM, shipped_under, text_of
from setwise.compiler.llvm.private_names import Optimizer, compile_for
from setwise.compiler.llvm.runtime import CALLED, OBJECT, OWN
from setwise.compiler.targets import jit
from setwise.compiler.targets.ahead import keep_only, machine_for
from setwise.compiler.targets.levels import LEVELS, SYSTEMS, System, checksum_beside, checksum_of, symbol


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


# ---------------------------------------------------------------- the libraries of levels that have the same features


def ship(system: str, folder: Path, names: list[str]) -> int:
    """Write the libraries of levels with the same features into a folder, and a checksum beside each.

    This can be called once in a process. It returns an exit code, 1 when code cannot be generated or linked.
    """
    target, every = SYSTEMS[system], sorted(entries().items())
    texts = "\n".join(f"{name} {text_of(name)}" for name in sorted({*ROOM, *_reached(entry for _, entry in every)}))
    keys = "\n".join(f"{name} {shipped_under(entry)}" for name, entry in every)
    [features] = {LEVELS[name].features for name in names}
    compiled = CompiledAhead([entry for _, entry in every], target.triple, features)

    def write(name: str) -> None:
        link(compiled.object_for(LEVELS[name].processor, texts, keys), folder / f"{name}.{target.suffix}", target)

    forked = multiprocessing.get_context("fork")  # what Numba has compiled is in memory
    writers = [forked.Process(target=write, args=(name,)) for name in names]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    return int(any(writer.exitcode for writer in writers))


def _reached(every: Iterable[Entry]) -> list[str]:
    """The modules of this package that the modules of entries import: these decide what the names in the code mean."""
    modules = sorted({entry.__module__ for entry in every})
    command = [sys.executable, "-c", f"import sys, {', '.join(modules)}\nprint(*sys.modules)"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return [name for name in ran.stdout.split() if name.startswith("setwise.")]


def link(code: bytes, library: Path, target: System) -> None:
    """Make a library of an object."""
    relocatable = library.with_suffix(".o")
    relocatable.write_bytes(code)
    command = ["-shared", "-s", "-target", target.linked_as, "-o", str(library), str(relocatable)]
    subprocess.run([sys.executable, "-m", "ziglang", "cc", *command], check=True)  # noqa: S603
    relocatable.unlink()
    checksum_beside(library).write_text(checksum_of(library), encoding="ascii")


if __name__ == "__main__":
    sys.exit(ship(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
