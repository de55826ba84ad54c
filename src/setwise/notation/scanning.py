"""Eight or sixty-four bytes of a text at once: where a word begins and ends, where a byte occurs next."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from setwise.bits import EMPTY, trailing_zeros
from setwise.kernel import routine

__all__ = ["LINE", "TEXT", "blanks_in", "borrowed", "find", "others_than_digits", "places", "word_at"]

#: The type of texts: bytes that nobody writes to.
TEXT = types.Array(types.uint8, 1, "C", readonly=True)

_LINE = 64
#: LLVM's type of sixty-four bytes.
LINE = ir.VectorType(ir.IntType(8), _LINE)

_EACH = np.uint64(0x0101_0101_0101_0101)
_HIGH, _LOW = _EACH << np.uint64(7), _EACH * np.uint64(0x7F)
_ABOVE_BLANKS, _ZEROS, _UP_TO_NINE = _EACH * np.uint64(0x21), _EACH * np.uint64(ord("0")), _EACH * np.uint64(0x80 - 10)


@intrinsic
def borrowed(typingctx: Any, array: Any) -> Any:
    """The same array without its owner: no call counts references to it, which can take as long as all the rest."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(array)(context, builder, args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()  # noqa: SLF001  (Numba's own way)

    return array(array), codegen


def _data(context: Any, builder: Any, kind: Any, text: Any, at: Any, item: ir.Type) -> Any:
    """What lies at a place of an array of bytes, read as something larger."""
    place = builder.gep(context.make_array(kind)(context, builder, text).data, [at])
    return builder.load(builder.bitcast(place, item.as_pointer()), align=1)


@intrinsic
def word_at(typingctx: Any, text: Any, at: Any) -> Any:
    """Eight bytes of a text as a 64-bit word, the first one lowest."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        text, at = args
        return _data(context, builder, signature.args[0], text, at, ir.IntType(64))

    return types.uint64(text, types.int64), codegen


def places(builder: Any, line: Any, byte: Any) -> Any:
    """Instructions that tell where a byte occurs among 64, a bit for each."""
    undefined = ir.Constant(LINE, ir.Undefined)
    first = builder.insert_element(undefined, byte, ir.IntType(32)(0))
    everywhere = builder.shuffle_vector(
        first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), _LINE), [0] * _LINE)
    )
    return builder.bitcast(builder.icmp_unsigned("==", line, everywhere), ir.IntType(64))


@intrinsic
def _places(typingctx: Any, text: Any, at: Any, byte: Any) -> Any:
    """Where a byte occurs in the 64 bytes from a place on: a bit for each."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        text, at, byte = args
        return places(builder, _data(context, builder, signature.args[0], text, at, LINE), byte)

    return types.uint64(text, types.int64, types.uint8), codegen


@routine
def find(text, at, byte, other):
    """The next place of either of two bytes, or the end of the text."""
    while at + _LINE <= text.size:
        places = _places(text, at, byte) | _places(text, at, other)
        if places != EMPTY:
            return at + np.int64(trailing_zeros(places))
        at += _LINE
    while at < text.size and text[at] != byte and text[at] != other:
        at += 1
    return at


@routine
def blanks_in(word):
    """The high bits of the bytes that are blanks or other control characters; above the first one they may err."""
    return (word - _ABOVE_BLANKS) & ~word & _HIGH


@routine
def others_than_digits(word):
    """The high bits of the bytes that are no digits."""
    figures = word ^ _ZEROS
    return ((figures & _LOW) + _UP_TO_NINE | figures) & _HIGH
