"""The operations of ``compiler.memory``, as Numba compiles them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from setwise.compiler.llvm.private_names.attributes import use_widest_vectors
from setwise.compiler.llvm.tables import LARGE, shared
from setwise.compiler.memory import LINE

__all__ = [
    "borrowed", "clear_line", "constant_array", "embedded", "get_columns", "make_columns", "places_at", "places_in",
    "put_columns", "scratch", "word_at",
]  # fmt: skip

_BYTES = ir.VectorType(ir.IntType(8), LINE)


def _on_the_stack(builder: Any, item: ir.Type, size: int) -> Any:
    """A pointer to uninitialised items on the stack, aligned to a cache line."""
    with builder.goto_entry_block():
        memory = builder.alloca(item, ir.Constant(ir.IntType(32), size))
        memory.align = LINE
    use_widest_vectors(builder.function)
    return memory


def scratch(size: int) -> Any:
    """An intrinsic that returns a pointer to ``size`` items of a Numba type on the stack, aligned to a cache line."""

    @intrinsic
    def items(typingctx: Any, like: Any) -> Any:
        result = types.CPointer(like.dtype)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            memory = _on_the_stack(builder, context.get_data_type(like.dtype), size)
            return builder.bitcast(memory, context.get_value_type(result))

        return result(like), codegen

    return items


_COLUMN = types.CPointer(types.uint64)


def _tuple_type(words: Any) -> Any:
    return types.NamedUniTuple(types.uint64, len(words._fields), words)


def _places(builder: Any, first: Any, k: Any, fields: int, room: int) -> list[Any]:
    """The pointers to the fields of the k-th tuple."""
    word = ir.IntType(64)
    starts = [builder.gep(first, [word(field * room)], inbounds=True) for field in range(fields)]
    return [builder.gep(start, [k], inbounds=True) for start in starts]


def make_columns(words: Any, room: int) -> Any:
    """An intrinsic that returns a pointer to columns for ``room`` named tuples of words."""
    size = len(words._fields) * room

    @intrinsic
    def make(typingctx: Any) -> Any:
        return _COLUMN(), lambda context, builder, signature, args: _on_the_stack(builder, ir.IntType(64), size)

    return make


def get_columns(words: Any, room: int) -> Any:
    """An intrinsic that returns the k-th tuple."""
    kind = _tuple_type(words)

    @intrinsic
    def get(typingctx: Any, first: Any, k: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first, k = args
            places = _places(builder, first, k, len(kind), room)
            return context.make_tuple(builder, kind, [builder.load(place) for place in places])

        return kind(_COLUMN, types.int64), codegen

    return get


def put_columns(words: Any, room: int) -> Any:
    """An intrinsic that writes the k-th tuple."""
    kind = _tuple_type(words)

    @intrinsic
    def put(typingctx: Any, first: Any, k: Any, values: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
            first, k, values = args
            for field, place in enumerate(_places(builder, first, k, len(kind), room)):
                builder.store(builder.extract_value(values, field), place)

        return types.void(_COLUMN, types.int64, kind), codegen

    return put


@intrinsic
def borrowed(typingctx: Any, array: Any) -> Any:
    """The same array without its owner, so that calls do not count references to it, which can double their time.

    A pointer is returned as it is.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(array, types.CPointer):
            return args[0]
        view = context.make_array(array)(context, builder, args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()  # noqa: SLF001  (as Numba documents it)

    return array(array), codegen


# --------------------------------------------------------------------------------------------------------------- bytes


def _read(context: Any, builder: Any, kind: Any, text: Any, at: Any, item: ir.Type) -> Any:
    """The item at an offset of an array of bytes, read as a larger type."""
    place = builder.gep(context.make_array(kind)(context, builder, text).data, [at])
    return builder.load(builder.bitcast(place, item.as_pointer()), align=1)


def _matches(builder: Any, line: Any, byte: Any) -> Any:
    """Where a byte occurs among 64, a bit for each."""
    undefined = ir.Constant(_BYTES, ir.Undefined)
    first = builder.insert_element(undefined, byte, ir.IntType(32)(0))
    everywhere = builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LINE), [0] * LINE))
    return builder.bitcast(builder.icmp_unsigned("==", line, everywhere), ir.IntType(64))


@intrinsic
def word_at(typingctx: Any, text: Any, at: Any) -> Any:
    """Eight bytes of a text as a 64-bit word, the first one lowest."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        text, at = args
        return _read(context, builder, signature.args[0], text, at, ir.IntType(64))

    return types.uint64(text, types.int64), codegen


@intrinsic
def places_at(typingctx: Any, text: Any, at: Any, byte: Any) -> Any:
    """Where a byte occurs in the 64 bytes of a text that begin at an offset: a bit for each."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        text, at, byte = args
        return _matches(builder, _read(context, builder, signature.args[0], text, at, _BYTES), byte)

    return types.uint64(text, types.int64, types.uint8), codegen


@intrinsic
def places_in(typingctx: Any, line: Any, byte: Any) -> Any:
    """The same for a line of scratch memory, by its pointer."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, byte = args
        return _matches(builder, builder.load(builder.bitcast(pointer, _BYTES.as_pointer()), align=LINE), byte)

    return types.uint64(types.CPointer(types.uint8), types.uint8), codegen


@intrinsic
def clear_line(typingctx: Any, line: Any) -> Any:
    """Fill a line of scratch memory with zeros."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        builder.store(ir.Constant(_BYTES, [0] * LINE), builder.bitcast(args[0], _BYTES.as_pointer()), align=LINE)

    return types.void(types.CPointer(types.uint8)), codegen


# -------------------------------------------------------------------------------------------------------------- tables


def _table(module: Any, contents: bytes) -> Any:
    """The declaration of a table."""
    name = shared(contents)
    table = module.globals.get(name)
    if table is None:
        table = ir.GlobalVariable(module, ir.ArrayType(ir.IntType(8), len(contents)), name)
        table.global_constant, table.align = True, LINE
    return table


def constant_array(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """A global array as compiled code sees it; a large one is a table."""
    if array.nbytes < LARGE or kind.layout != "C":
        return type(context).make_constant_array(context, builder, kind, array)
    made, number = context.make_array(kind)(context, builder), context.get_value_type(types.intp)
    lengths = (
        cgutils.create_constant_array(number, [context.get_constant(types.intp, length) for length in items])
        for items in (array.shape, array.strides)
    )
    arrayobj.populate_array(
        made,
        data=builder.bitcast(_table(builder.module, array.tobytes()), made.data.type),
        shape=next(lengths),
        strides=next(lengths),
        itemsize=context.get_constant(types.intp, array.dtype.itemsize),
        meminfo=None,
    )
    return made._getvalue()  # noqa: SLF001  (as Numba documents it)


def embedded(name: str, contents: Callable[[], bytes]) -> Any:
    """An intrinsic that returns an item of a table of 16-bit numbers, built when a function that uses it is lowered."""
    made = functools.cache(contents)

    @intrinsic
    def item(typingctx: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            words = builder.bitcast(_table(builder.module, bytes(made())), ir.IntType(16).as_pointer())
            return builder.zext(builder.load(builder.gep(words, [args[0]]), align=2), ir.IntType(64))

        return types.uint64(types.uint64), codegen

    return item
