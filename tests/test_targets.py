"""Where compiled code comes from: definitions need no compiler to be there."""

from __future__ import annotations

import ast
from pathlib import Path

from helpers.processes import python

SOURCES = Path(__file__).resolve().parents[1] / "src" / "setwise"
#: The decorators of functions that are compiled.
COMPILED = {"entry", "routine", "subroutine", "pattern", "feature"}

#: Imports every module, but for those that compile, where neither Numba nor LLVM is installed.
WITHOUT_A_COMPILER = """
import importlib, pkgutil, sys
sys.modules["numba"] = sys.modules["llvmlite"] = None
import setwise
for module in pkgutil.walk_packages(setwise.__path__, "setwise."):
    if not module.name.startswith(("setwise.compiler.llvm.", "setwise.spark", "setwise.web.preload")):
        if module.name.rpartition(".")[2] not in ("jit", "ahead", "ptx", "webassembly", "__main__"):
            importlib.import_module(module.name)
import numpy as np
from setwise.patterns import knight
print(knight.attacks.plain(np.uint64(1)))
"""


def test_no_module_needs_a_compiler_to_be_imported() -> None:
    assert python("-c", WITHOUT_A_COMPILER) == "132096\n"  # b3, c2


def decorators(function: ast.FunctionDef) -> set[str]:
    called = (it.func if isinstance(it, ast.Call) else it for it in function.decorator_list)
    return {it.id for it in called if isinstance(it, ast.Name)}


def test_no_kernel_assigns_to_a_slice() -> None:
    """Numba allocates memory for that, which code in a wheel cannot."""
    compiled, slices = 0, []
    for path in SOURCES.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef) and decorators(function) & COMPILED:
                compiled += 1
                targets = (
                    target
                    for node in ast.walk(function)
                    if isinstance(node, (ast.Assign, ast.AugAssign))
                    for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
                )
                if any(isinstance(part, ast.Slice) for target in targets for part in ast.walk(target)):
                    slices.append(f"{path.relative_to(SOURCES)}: {function.name}")
    assert compiled > 500
    assert slices == []
