"""Patterns as kernels for graphics cards, in PTX: the assembly language that NVIDIA's drivers compile for each card.

LLVM writes PTX from the code that Numba makes of the same definition. Compiling for another processor needs a separate
process: ``python -m setwise.compiler.targets.ptx MODULE NAME`` prints the kernel of a pattern.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core.compiler_lock import global_compiler_lock

from setwise.compiler import cache
from setwise.compiler.cache import CodeFile
from setwise.compiler.definitions import Pattern
from setwise.compiler.keys import form_of, kept_under
from setwise.compiler.llvm.private_names import Optimizer, compile_for
from setwise.compiler.targets.ahead import Units, assembly, wrapped
from setwise.errors import CompilerMissing

#: The name of every kernel.
KERNEL = "setwise_kernel"

#: The modules and the texts of assembly that turn lowered code into a kernel.
_SOURCES = "setwise.compiler.targets.ptx", "setwise.compiler.targets.ahead"
_THREADS, _LOOP, _LOAD = (Path(__file__).with_name("assembly") / f"{name}.ll" for name in ("threads", "loop", "load"))

#: The target: every card since 2017, and drivers since 2018.
_TRIPLE, _CARD, _VERSION = "nvptx64-nvidia-cuda", "sm_70", "+ptx64"


def calls_itself(kernel: bytes) -> bool:
    """Return whether a function of a kernel calls itself."""
    parts = re.split(rb"^(?:\.visible )?\.(?:func|entry)\s*(?:\([^)]*\)\s*)?(\w+)\(", kernel, flags=re.MULTILINE)
    return any(
        re.search(rb"\bcall[^;{]*\b%b\b" % name, body) for name, body in zip(parts[1::2], parts[2::2], strict=True)
    )


class Kernels:
    """Numba and LLVM, set to compile for cards: a process can make only one, and compiles nothing else."""

    def __init__(self) -> None:
        cache.keeps = False
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        self.machine = llvm.Target.from_triple(_TRIPLE).create_target_machine(_CARD, _VERSION, opt=3)
        compile_for(self.machine, "")
        self._units = Units(Optimizer(self.machine, ""))

    def module_of(self, pattern: Pattern) -> Any:
        """Return LLVM's module of a pattern's kernel."""
        with global_compiler_lock:
            return wrapped(self._units, [(pattern, _loop(pattern))], {KERNEL}, assembly(_THREADS))

    def ptx_of(self, pattern: Pattern) -> bytes:
        """Return a pattern's kernel."""
        text: str = self.machine.emit_assembly(self.module_of(pattern))
        return text.encode()


def _loop(pattern: Pattern) -> str:
    """The kernel of a pattern.

    Its parameters are the number of items, address and step of the results, and address, step and number of each
    argument.
    """
    arguments = [kind.dtype.itemsize for kind in pattern.kinds.values()]
    stored = pattern.returns.dtype.itemsize
    loads = (
        assembly(_LOAD, number=k, kind=_int(size), bytes=size, widened=_as("zext", size, f"%item{k}", 8))
        for k, size in enumerate(arguments)
    )
    return assembly(
        _LOOP, kind=_int(stored), bytes=stored, narrowed=_as("trunc", 8, "%word", stored), loads="".join(loads),
        parameters="".join(f", ptr %column{at}, i64 %step{at}, i64 %number{at}" for at in range(len(arguments))),
        words="".join(f", i64 %word{at}" for at in range(len(arguments))),
    )  # fmt: skip


def _int(size: int) -> str:
    """LLVM's type of a number of ``size`` bytes."""
    return f"i{8 * size}"


def _as(cast: str, size: int, value: str, other: int) -> str:
    """The instruction that converts a number of one size to another size, which may be the same."""
    return f"add i64 {value}, 0" if size == other else f"{cast} {_int(size)} {value} to {_int(other)}"


def kernel_of(pattern: Pattern) -> bytes:
    """Return a pattern's kernel, kept in the cache or compiled in another process.

    Raises:
        CompilerMissing: for a pattern of a script or a notebook, because another process cannot import it.
    """
    module = pattern.function.__module__
    if module == "__main__":
        raise CompilerMissing(
            f"{pattern.name} is defined in a script or a notebook: for a graphics card, put it into a module of its own"
        )
    is_own = not module.startswith("setwise.")  # the other process might read a later text of a user's module
    made_by = form_of(*_SOURCES), *(it.read_text("ascii") for it in (_THREADS, _LOOP, _LOAD))
    file = CodeFile(f"{pattern.name}.ptx", None if is_own else kept_under(pattern, *made_by))
    if (kept := file.read()) is None:
        kept = _compiled(module, pattern.function.__name__)
        file.write(kept)
    return kept


def _compiled(module: str, name: str) -> bytes:
    paths = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(  # noqa: S603  (a module of ours)
        [sys.executable, "-m", __name__, module, name],
        env=os.environ | {"PYTHONPATH": paths, "SETWISE_CPU": "jit"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout


def _named(module: str, name: str) -> Pattern:
    """The pattern, or the feature, of a module whose definition has a name."""
    things = vars(importlib.import_module(module)).values()
    return next(thing for thing in things if isinstance(thing, Pattern) and thing.function.__name__ == name)


if __name__ == "__main__":
    sys.stdout.buffer.write(Kernels().ptx_of(_named(*sys.argv[1:])))
