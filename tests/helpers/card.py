"""A graphics card that is none: arrays here that say they lie on a card, and what runs their kernels.

    python tests/helpers/card.py FOLDER

runs the kernel of every pattern and feature here, thread by thread, on the cases in ``FOLDER/cases.pickle``, and writes
``answers.pickle`` and each kernel in PTX beside it.
"""

from __future__ import annotations

import ctypes
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CardArray", "SimulatedDriver"]

_SEVERAL = 5


class CardArray:
    """An array that pretends to lie on a card."""

    def __init__(self, held: np.ndarray, stream: int | None = None, **more: Any) -> None:
        self.held, self.stream, self.more = held, stream, more

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.held.shape, "typestr": self.held.dtype.str, "strides": self.held.strides, "version": 3,
            "data": (self.held.ctypes.data, not self.held.flags.writeable), "stream": self.stream, **self.more,
        }  # fmt: skip

    def max(self) -> Any:
        return self.held.max()

    def min(self) -> Any:
        return self.held.min()


class SimulatedDriver:
    """Runs kernels by LLVM's compiler for this processor: each of a few threads from its beginning to its end."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        from setwise.compiler.targets.ptx import Kernels

        self._llvm, self.kernels = llvm, Kernels()
        llvm.initialize_native_asmprinter()
        self._thread = 0
        number = ctypes.CFUNCTYPE(ctypes.c_uint64)
        self._callbacks = [number(lambda: self._thread), number(lambda: _SEVERAL)]
        for name, callback in zip(("setwise_thread", "setwise_threads"), self._callbacks, strict=True):
            llvm.add_symbol(name, ctypes.cast(callback, ctypes.c_void_p).value)

    def launch(self, pattern: Any, words: list[Any], _: list[int]) -> None:
        llvm = self._llvm
        text = str(self.kernels.module_of(pattern, threads=""))
        text = re.sub(r"^target .*$", "", text, flags=re.MULTILINE).replace("ptx_kernel ", "")
        engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(text), llvm.Target.from_default_triple().create_target_machine()
        )
        engine.finalize_object()
        kernel = ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * len(words))(engine.get_function_address("setwise_kernel"))
        for self._thread in range(_SEVERAL):
            kernel(*(int(word) % (1 << 64) for word in words))


def _answers(folder: Path) -> None:
    from setwise.catalogue import pages
    from setwise.compiler.targets import cuda

    driver = SimulatedDriver()
    cuda._driver = lambda: driver
    cuda._MAKERS[CardArray.__module__] = lambda: lambda shape, dtype: CardArray(np.zeros(shape, dtype))
    every = pages()
    answers = {}
    for name, given in pickle.loads((folder / "cases.pickle").read_bytes()).items():
        arrays = [CardArray(it) if isinstance(it, np.ndarray) else it for it in given]
        answers[name] = every[name].thing(*arrays).held
        (folder / f"{name}.ptx").write_bytes(driver.kernels.ptx_of(every[name].thing))
    (folder / "answers.pickle").write_bytes(pickle.dumps(answers))


if __name__ == "__main__":
    _answers(Path(sys.argv[1]))
