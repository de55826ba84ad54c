"""Where compiled code comes from: definitions need no compiler to be there."""

from __future__ import annotations

from helpers.processes import python

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
