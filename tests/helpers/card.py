"""A graphics card that is none: arrays here that say they lie on a card, and what runs their kernels.

    python tests/helpers/card.py FOLDER

runs the kernel of every pattern and feature here, thread by thread, on the cases in ``FOLDER/cases.pickle``, and writes
``answers.pickle`` and each kernel in PTX beside it.
"""

from __future__ import annotations

import ctypes
import itertools
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CardArray", "SimulatedDriver"]

_BLOCKS, _THREADS = 2, 3


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
    """Runs kernels by LLVM's compiler for this processor: each of a few threads from its beginning to its end.

    Two blocks have three threads each; what tells a card's thread where it is is a function here.
    """

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        from setwise.compiler.targets.ptx import Kernels

        self._llvm, self.kernels, self.module = llvm, Kernels(), None
        llvm.initialize_native_asmprinter()
        self._block = self._thread = 0
        number = ctypes.CFUNCTYPE(ctypes.c_uint32)
        places = {
            "tid": lambda: self._thread, "ntid": lambda: _THREADS,
            "ctaid": lambda: self._block, "nctaid": lambda: _BLOCKS,
        }  # fmt: skip
        self._callbacks = {name: number(place) for name, place in places.items()}
        for name, callback in self._callbacks.items():
            llvm.add_symbol(f"card_{name}", ctypes.cast(callback, ctypes.c_void_p).value)

    def launch(self, pattern: Any, words: list[Any], _: list[int]) -> None:
        llvm = self._llvm
        self.module = self.kernels.module_of(pattern)
        text = re.sub(r"^target .*$", "", str(self.module), flags=re.MULTILINE).replace("ptx_kernel ", "")
        text = re.sub(r"@llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x", r"@card_\1", text)
        engine = llvm.create_mcjit_compiler(
            llvm.parse_assembly(text), llvm.Target.from_default_triple().create_target_machine()
        )
        engine.finalize_object()
        kernel = ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * len(words))(engine.get_function_address("setwise_kernel"))
        for self._block, self._thread in itertools.product(range(_BLOCKS), range(_THREADS)):
            kernel(*(int(word) % (1 << 64) for word in words))


def _answers(folder: Path) -> None:
    from setwise.catalogue import pages
    from setwise.compiler.targets import cuda
    from setwise.position.card import LEAVES

    driver = SimulatedDriver()
    cuda._driver = lambda: driver
    cuda._MAKERS[CardArray.__module__] = lambda: lambda shape, dtype: CardArray(np.zeros(shape, dtype))
    every = {name: page.thing for name, page in pages().items()} | {LEAVES.name: LEAVES}
    answers = {}
    for name, given in pickle.loads((folder / "cases.pickle").read_bytes()).items():
        arrays = [CardArray(it) if isinstance(it, np.ndarray) else it for it in given]
        answers[name] = every[name](*arrays).held
        (folder / f"{name}.ptx").write_text(driver.kernels.machine.emit_assembly(driver.module))
    (folder / "answers.pickle").write_bytes(pickle.dumps(answers))


if __name__ == "__main__":
    _answers(Path(sys.argv[1]))
