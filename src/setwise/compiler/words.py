"""Operations of the processor on one 64-bit word: count, find the lowest bit, reverse, pack and unpack.

Each is one instruction of LLVM's, for processors as for graphics cards. ``pext`` and ``pdep`` belong to the instruction
set BMI2, and executing them on a processor without it aborts the process: they exist only where ``HAS_PEXT`` is true.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from setwise.compiler.kinds import Count, Fileset, Set, Square

__all__ = ["HAS_PEXT", "IN_NUMPY", "bitreverse", "byteswap", "popcount", "processor", "trailing_zeros"]

#: Whether code is compiled for this processor, and it has BMI2, whose ``pext`` allows the fastest slider tables.
HAS_PEXT = numba.core.config.CPU_NAME in (None, "", "host") and bool(
    llvmlite.binding.get_host_cpu_features().get("bmi2")
)


def processor() -> str:
    """Return the target of compilation: LLVM's name of the processor, and which fast instructions it has."""
    known = llvmlite.binding.get_host_cpu_features()
    quick = [name for name in ("bmi2", "avx2", "avx512f", "neon") if known.get(name)]
    return " ".join([numba.core.config.CPU_NAME or llvmlite.binding.get_host_cpu_name(), *quick])


def _unary(instruction: str) -> Any:
    """An intrinsic on one word, by LLVM's name for the instruction."""

    @intrinsic
    def operation(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = context.cast(builder, args[0], signature.args[0], types.uint64)
            return getattr(builder, instruction)(*([value, ir.IntType(1)(0)] if instruction == "cttz" else [value]))

        return types.uint64(types.uint64), codegen

    return operation


def _binary(name: str) -> Any:
    """An intrinsic on a word and a mask, by the full name of LLVM's function."""

    @intrinsic
    def operation(typingctx: Any, word: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            i64 = ir.IntType(64)
            function = builder.module.globals.get(name) or ir.Function(
                builder.module, ir.FunctionType(i64, [i64, i64]), name
            )
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), codegen

    return operation


#: The number of bits, the number of zeros below the lowest bit (64 when empty), the bytes reversed, the bits reversed.
popcount: Callable[[Set | Fileset], Count] = _unary("ctpop")
trailing_zeros: Callable[[Set], Square] = _unary("cttz")
byteswap: Callable[[Set], Set] = _unary("bswap")
bitreverse: Callable[[Set], Set] = _unary("bitreverse")


def _popcount(word: Any) -> Any:
    return np.bitwise_count(word).astype(np.uint64)


def _trailing_zeros(word: Any) -> Any:
    return _popcount(~word & (word - np.uint64(1)))


def _byteswap(word: Any) -> Any:
    return word.byteswap()


def _bitreverse(word: Any) -> Any:
    """Halves of each byte change places, then pairs of bits, then bits; and all bytes."""
    for shift, lower in ((4, 0x0F0F_0F0F_0F0F_0F0F), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)):
        by, mask = np.uint64(shift), np.uint64(lower)
        word = (word & mask) << by | word >> by & mask
    return _byteswap(word)


#: Each of them with its equivalent in NumPy, for definitions that are evaluated without compiling.
IN_NUMPY = (
    (popcount, _popcount),
    (trailing_zeros, _trailing_zeros),
    (byteswap, _byteswap),
    (bitreverse, _bitreverse),
)

if HAS_PEXT:
    pext: Callable[[Set, Set], np.uint64] = _binary("llvm.x86.bmi.pext.64")
    pdep: Callable[[np.uint64, Set], Set] = _binary("llvm.x86.bmi.pdep.64")
