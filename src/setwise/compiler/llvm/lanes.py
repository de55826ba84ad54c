"""The operations of ``compiler.lanes``, as Numba compiles them: on vectors, which LLVM splits where it must."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from setwise.compiler.lanes import LANES

__all__ = [
    "broadcast", "intersect", "lane", "lanes_hit", "masked", "mirrored_lanes", "mixed", "octet", "outermost",
    "packed", "permuted", "rotated", "row_of", "total", "union", "unpacked",
]  # fmt: skip

_VECTOR = ir.VectorType(ir.IntType(64), LANES)
_ALL = 0xFFFF_FFFF_FFFF_FFFF


class OctetType(types.Type):
    """Numba's type of eight 64-bit lanes."""

    def __init__(self) -> None:
        super().__init__(name="Octet")


octet = OctetType()


@register_model(OctetType)
class _OctetModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _vector(values: Iterable[Any]) -> ir.Constant:
    return ir.Constant(_VECTOR, [int(value) & _ALL for value in values])


def _call(builder: Any, name: str, returns: Any, *args: Any) -> Any:
    """Call one of LLVM's own functions."""
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(returns, [arg.type for arg in args]), name)
    return builder.call(function, args)


def _operation(build: Callable[..., Any], returns: Any, *arguments: Any) -> Any:
    """An intrinsic from a function that builds its instructions from a builder and the arguments."""
    signature = returns(*arguments)
    codegen = lambda context, builder, signature, args: build(builder, *args)  # noqa: E731
    if len(arguments) == 1:
        return intrinsic(lambda typingctx, a: (signature, codegen))
    return intrinsic(lambda typingctx, a, b: (signature, codegen))


def _shuffled(builder: Any, sets: Any, lanes: Any) -> Any:
    order = ir.Constant(ir.VectorType(ir.IntType(32), LANES), list(lanes))
    return builder.shuffle_vector(sets, ir.Constant(_VECTOR, ir.Undefined), order)


def _broadcast(builder: Any, word: Any) -> Any:
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.IntType(32)(0))
    return _shuffled(builder, first, [0] * LANES)


def _mixed(builder: Any, even: Any, odd: Any) -> Any:
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [k if k % 2 == 0 else LANES + k for k in range(LANES)])
    return builder.shuffle_vector(_broadcast(builder, even), _broadcast(builder, odd), lanes)


def _total(builder: Any, sets: Any) -> Any:
    return _call(
        builder, "llvm.vector.reduce.add.v8i64", ir.IntType(64), _call(builder, "llvm.ctpop.v8i64", _VECTOR, sets)
    )


def _lanes_hit(builder: Any, sets: Any, hits: Any) -> Any:
    return builder.select(builder.icmp_unsigned("!=", hits, _vector([0] * LANES)), sets, _vector([0] * LANES))


def _intersect(builder: Any, a: Any, b: Any) -> Any:
    lanes = builder.icmp_unsigned("!=", builder.and_(a, b), _vector([0] * LANES))
    return builder.icmp_unsigned("!=", builder.bitcast(lanes, ir.IntType(LANES)), ir.IntType(LANES)(0))


# ------------------------------------------------------------------------------ operations with constants for each lane


def permuted(*lanes: int) -> Any:
    """An intrinsic that permutes the lanes of an octet: its k-th lane is the one with the k-th of these numbers."""
    return _operation(lambda builder, sets: _shuffled(builder, sets, lanes), octet, octet)


def rotated(*distances: int) -> Any:
    """An intrinsic that rotates the bits of each lane upwards by its own distance, downwards by a negative one."""
    by = _vector(distance % 64 for distance in distances)
    return _operation(lambda builder, sets: _call(builder, "llvm.fshl.v8i64", _VECTOR, sets, sets, by), octet, octet)


def masked(*masks: Any) -> Any:
    """An intrinsic that intersects each lane with its own mask."""
    return _operation(lambda builder, sets: builder.and_(sets, _vector(masks)), octet, octet)


def outermost(*upwards: bool) -> Any:
    """An intrinsic that keeps one bit of each lane: the lowest where ``upwards`` is true for it, else the highest."""

    def build(builder: Any, sets: Any) -> Any:
        lowest = builder.and_(sets, builder.sub(_vector([0] * LANES), sets))
        above = _call(builder, "llvm.ctlz.v8i64", _VECTOR, builder.or_(sets, _vector([1] * LANES)), ir.IntType(1)(0))
        highest = builder.and_(sets, builder.lshr(_vector([1 << 63] * LANES), above))
        flags = ir.Constant(ir.VectorType(ir.IntType(1), LANES), [int(flag) for flag in upwards])
        return builder.select(flags, lowest, highest)

    return _operation(build, octet, octet)


# ---------------------------------------------------------------------------------------------------- other operations

_word = types.uint64
#: The same word in all lanes; one word in the even lanes and another in the odd ones.
broadcast = _operation(_broadcast, octet, _word)
mixed = _operation(_mixed, octet, _word, _word)
#: All lanes in one word; how many bits the lanes have together.
union = _operation(
    lambda builder, sets: _call(builder, "llvm.vector.reduce.or.v8i64", ir.IntType(64), sets), _word, octet
)
total = _operation(_total, _word, octet)
#: The lanes of one octet in which another is not empty; whether two octets have a bit in common in any lane.
lanes_hit = _operation(_lanes_hit, octet, octet, octet)
intersect = _operation(_intersect, types.boolean, octet, octet)
#: Every lane with its bytes reversed.
mirrored_lanes = _operation(lambda builder, sets: _call(builder, "llvm.bswap.v8i64", _VECTOR, sets), octet, octet)
_and = _operation(lambda builder, a, b: builder.and_(a, b), octet, octet, octet)
_or = _operation(lambda builder, a, b: builder.or_(a, b), octet, octet, octet)
_xor = _operation(lambda builder, a, b: builder.xor(a, b), octet, octet, octet)


@intrinsic
def packed(typingctx: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> Any:
    """Eight words as the lanes of an octet."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        sets = ir.Constant(_VECTOR, ir.Undefined)
        for lane, word in enumerate(args):
            sets = builder.insert_element(sets, word, ir.IntType(32)(lane))
        return sets

    return octet(*[_word] * LANES), codegen


@intrinsic
def unpacked(typingctx: Any, sets: Any) -> Any:
    """The lanes of an octet as a tuple of eight words."""
    result = types.UniTuple(_word, LANES)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = [builder.extract_element(args[0], ir.IntType(32)(lane)) for lane in range(LANES)]
        return context.make_tuple(builder, result, lanes)

    return result(octet), codegen


@intrinsic
def lane(typingctx: Any, sets: Any, number: Any) -> Any:
    """One lane; its number need not be a constant."""
    return _word(sets, _word), lambda context, builder, signature, args: builder.extract_element(*args)


@intrinsic
def row_of(typingctx: Any, table: Any, index: Any) -> Any:
    """A row of a table of eight words a row, as an octet."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(builder.bitcast(words, _VECTOR.as_pointer()), [args[1]]), align=8)

    return octet(table, _word), codegen


def _between_octets(operation: Any) -> Any:
    """What Numba compiles for an operator: the operation, if both operands are octets."""
    return lambda a, b: (lambda a, b: operation(a, b)) if a == octet and b == octet else None


overload(operator.and_)(_between_octets(_and))
overload(operator.or_)(_between_octets(_or))
overload(operator.xor)(_between_octets(_xor))
