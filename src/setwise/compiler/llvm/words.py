"""The operations of ``compiler.words``, as Numba compiles them: each is one instruction of LLVM's."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["bitreverse", "byteswap", "leading_zeros", "pdep", "pext", "popcount", "trailing_zeros"]


def _unary(instruction: str) -> Any:
    """An intrinsic on one word, by LLVM's name for the instruction."""

    @intrinsic
    def operation(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = context.cast(builder, args[0], signature.args[0], types.uint64)
            defined_for_zero = [ir.IntType(1)(0)] if instruction in ("cttz", "ctlz") else []
            return getattr(builder, instruction)(value, *defined_for_zero)

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


popcount, trailing_zeros, leading_zeros = _unary("ctpop"), _unary("cttz"), _unary("ctlz")
byteswap, bitreverse = _unary("bswap"), _unary("bitreverse")
pext, pdep = _binary("llvm.x86.bmi.pext.64"), _binary("llvm.x86.bmi.pdep.64")
