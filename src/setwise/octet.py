"""Eight sets at once, one for each direction of the compass: the fastest way to look along all lines of one board.

An ``Octet`` lives in compiled code only, in one 512-bit register where the processor has such (LLVM splits it where
not). The lanes are the directions north, north-east, east, … clockwise; even lanes are a rook's, odd ones a bishop's.
Filling the rays of every slider of a side takes about a dozen instructions and no branch.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from operator import index
from typing import Any, SupportsIndex

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from setwise.bits import EMPTY, FILE_A, FILE_H, NOT_FILES_AB, NOT_FILES_GH, RANK_1, RANK_2, RANK_7, RANK_8
from setwise.geometry import walk
from setwise.kernel import routine

__all__ = [
    "RAYS", "arranged", "downwards", "jumps", "lane", "lanes_hit", "meets", "mirrored_lanes", "mixed",
    "nearest", "octet", "packed", "rays", "row_of", "spread", "steps", "total", "union", "unpacked",
]  # fmt: skip

_LANES = 8
_VECTOR = ir.VectorType(ir.IntType(64), _LANES)
_ALL = 0xFFFF_FFFF_FFFF_FFFF

_STEPS = (8, 9, 1, -7, -8, -9, -1, 7)
_DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
#: The rays from each square on an empty board, a row of eight lanes for each of the 64 squares.
RAYS = np.stack([walk(np.arange(64), EMPTY, direction) for direction in _DIRECTIONS], axis=1)
_EDGES = (RANK_1, RANK_1 | FILE_A, FILE_A, RANK_8 | FILE_A, RANK_8, RANK_8 | FILE_H, FILE_H, RANK_1 | FILE_H)
#: The knight's jumps, clockwise from north-north-east, and the squares where none of them can land.
_JUMPS = (17, 10, -6, -15, -17, -10, 6, 15)
_UPPER, _LOWER = RANK_8 | RANK_7, RANK_1 | RANK_2
_SHORT_OF = (
    _LOWER | FILE_A, RANK_1 | ~NOT_FILES_AB, RANK_8 | ~NOT_FILES_AB, _UPPER | FILE_A,
    _UPPER | FILE_H, RANK_8 | ~NOT_FILES_GH, RANK_1 | ~NOT_FILES_GH, _LOWER | FILE_H,
)  # fmt: skip


class OctetType(types.Type):
    """Numba's type of eight 64-bit lanes."""

    def __init__(self) -> None:
        super().__init__(name="Octet")


octet = OctetType()


@register_model(OctetType)
class _OctetModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _vector(values: Any) -> ir.Constant:
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
    order = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), list(lanes))
    return builder.shuffle_vector(sets, ir.Constant(_VECTOR, ir.Undefined), order)


def _spread(builder: Any, word: Any) -> Any:
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.IntType(32)(0))
    return _shuffled(builder, first, [0] * _LANES)


def _mixed(builder: Any, straight: Any, diagonal: Any) -> Any:
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [k if k % 2 == 0 else _LANES + k for k in range(_LANES)])
    return builder.shuffle_vector(_spread(builder, straight), _spread(builder, diagonal), lanes)


def _turned(distances: Any) -> Callable[..., Any]:
    return lambda builder, sets: _call(
        builder, "llvm.fshl.v8i64", _VECTOR, sets, sets, _vector(distance % 64 for distance in distances)
    )


def _without(edges: Any) -> Callable[..., Any]:
    return lambda builder, sets: builder.and_(sets, _vector(~int(edge) for edge in edges))


def _total(builder: Any, sets: Any) -> Any:
    return _call(
        builder, "llvm.vector.reduce.add.v8i64", ir.IntType(64), _call(builder, "llvm.ctpop.v8i64", _VECTOR, sets)
    )


def _lanes_hit(builder: Any, sets: Any, hits: Any) -> Any:
    return builder.select(builder.icmp_unsigned("!=", hits, _vector([0] * _LANES)), sets, _vector([0] * _LANES))


def _meets(builder: Any, a: Any, b: Any) -> Any:
    lanes = builder.icmp_unsigned("!=", builder.and_(a, b), _vector([0] * _LANES))
    return builder.icmp_unsigned("!=", builder.bitcast(lanes, ir.IntType(_LANES)), ir.IntType(_LANES)(0))


def _nearest(builder: Any, men: Any) -> Any:
    lowest = builder.and_(men, builder.sub(_vector([0] * _LANES), men))
    above = _call(builder, "llvm.ctlz.v8i64", _VECTOR, builder.or_(men, _vector([1] * _LANES)), ir.IntType(1)(0))
    highest = builder.and_(men, builder.lshr(_vector([1 << 63] * _LANES), above))
    upwards = ir.Constant(ir.VectorType(ir.IntType(1), _LANES), [int(step > 0) for step in _STEPS])
    return builder.select(upwards, lowest, highest)


def arranged(*lanes: SupportsIndex) -> Any:
    """An intrinsic that gives an octet whose lanes are those of another with these numbers."""
    return _operation(lambda builder, sets: _shuffled(builder, sets, map(index, lanes)), octet, octet)


_word = types.uint64
#: The same set in all lanes; one set in a rook's lanes and another in a bishop's.
spread = _operation(_spread, octet, _word)
mixed = _operation(_mixed, octet, _word, _word)
#: All lanes in one set; how many members the lanes have together.
union = _operation(
    lambda builder, sets: _call(builder, "llvm.vector.reduce.or.v8i64", ir.IntType(64), sets), _word, octet
)
total = _operation(_total, _word, octet)
#: The lanes of one octet in which another is not empty; whether two octets have a member in common in any lane.
lanes_hit = _operation(_lanes_hit, octet, octet, octet)
meets = _operation(_meets, types.boolean, octet, octet)
#: Of the men on the rays from a square the nearest one of each ray.
nearest = _operation(_nearest, octet, octet)

_one_step, _two_steps, _four_steps = (
    _operation(_turned([step * scale for step in _STEPS]), octet, octet) for scale in (1, 2, 4)
)
_inside = _operation(_without(_EDGES), octet, octet)
_jump, _landed = _operation(_turned(_JUMPS), octet, octet), _operation(_without(_SHORT_OF), octet, octet)
#: A set in the lanes south-east and south-west only, where pawns of the side above capture.
downwards = _operation(
    lambda builder, word: builder.and_(_spread(builder, word), _vector(_ALL * (step in (-7, -9)) for step in _STEPS)),
    octet, _word,
)  # fmt: skip
#: Every lane with its bytes reversed: the eight sets of a board, mirrored.
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

    return octet(*[_word] * _LANES), codegen


@intrinsic
def unpacked(typingctx: Any, sets: Any) -> Any:
    """The lanes of an octet as a tuple of eight words."""
    result = types.UniTuple(_word, _LANES)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = [builder.extract_element(args[0], ir.IntType(32)(lane)) for lane in range(_LANES)]
        return context.make_tuple(builder, result, lanes)

    return result(octet), codegen


@intrinsic
def lane(typingctx: Any, sets: Any, number: Any) -> Any:
    """One lane; its number need not be known beforehand."""
    return _word(sets, _word), lambda context, builder, signature, args: builder.extract_element(*args)


@intrinsic
def row_of(typingctx: Any, table: Any, index: Any) -> Any:
    """A row of a table of eight words a row, as an octet."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(builder.bitcast(words, _VECTOR.as_pointer()), [args[1]]), align=8)

    return octet(table, _word), codegen


# The operators need no annotations: Numba compares the two signatures literally.
@overload(operator.and_)
def _intersection(a, b):
    if a == octet and b == octet:
        return lambda a, b: _and(a, b)
    return None


@overload(operator.or_)
def _union(a, b):
    if a == octet and b == octet:
        return lambda a, b: _or(a, b)
    return None


@overload(operator.xor)
def _difference(a, b):
    if a == octet and b == octet:
        return lambda a, b: _xor(a, b)
    return None


@routine
def steps(sets):
    """Every lane one step in its own direction, off the board at the edges."""
    return _inside(_one_step(sets))


@routine
def jumps(knights):
    """Every lane one knight's jump in its own direction."""
    return _landed(_jump(knights))


@routine
def rays(sliders, empty):
    """What the sliders of each lane attack in its direction: over empty squares, up to the first man (Kogge-Stone)."""
    way = _inside(spread(empty))
    reached = sliders | (way & _one_step(sliders))
    way = way & _one_step(way)
    reached = reached | (way & _two_steps(reached))
    way = way & _two_steps(way)
    reached = reached | (way & _four_steps(reached))
    return _inside(_one_step(reached))
