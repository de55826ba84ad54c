"""The loop that applies a pattern to arrays, as NumPy's ufuncs run it.

NumPy calls the loop with raw addresses, a length and strides. Contiguous columns are read in place; other columns are
copied into tiles that stay in the first-level cache. Results much larger than the cache are written past it
("non-temporal"), as a large memcpy does: ordinary stores would read every line before overwriting it. On arrays of
160 MB the loop is 1.4 times as fast as the ufunc that ``numba.vectorize`` makes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from setwise.compiler.llvm import OPTIONS
from setwise.compiler.llvm.lowering import scratch
from setwise.compiler.llvm.private_names import for_callers
from setwise.compiler.words import LINE

_TILE = 512  # the number of items that are copied at once
_SEEN = 2048  # the number of items whose results are remembered
_BLOCK = 32  # the number of items that are streamed at once
_AHEAD = 4096  # how many bytes ahead are prefetched
_STREAM_FROM = 1 << 23  # bytes of output from which results are streamed; smaller ones should stay in the cache
_FEW = 8  # with more columns of arguments than this, streaming gains little

_SIGNATURE = types.void(
    types.CPointer(types.uintp), types.CPointer(types.intp), types.CPointer(types.intp), types.voidptr
)
_WORD, _BYTE = ir.IntType(64), ir.IntType(8)


def _stored(dtype: np.dtype[Any]) -> ir.IntType:
    """LLVM's type of an item; flags are bytes of 0 and 1."""
    return ir.IntType(8 * dtype.itemsize)


def _addresses(arguments: list[np.dtype[Any]]) -> Any:
    """Numba's type of the addresses of a row of each argument."""
    return types.UniTuple(types.uintp, len(arguments))


def _alias_scope(builder: Any) -> Any:
    """The alias scope of results: a column of arguments is the same array as the results, or does not overlap them."""
    module = builder.module
    domain = module.add_metadata([ir.MetaDataString(module, "setwise.ufunc")])
    return module.add_metadata([module.add_metadata([ir.MetaDataString(module, "results"), domain])])


def _item(builder: Any, address: Any, index: Any, kind: ir.IntType) -> Any:
    """The pointer to an item of a row that begins at an address, by the item's index."""
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


def _copied(builder: Any, count: Any, kind: ir.IntType, origin: Any, step: Any, target: Any, advance: Any) -> None:
    """Copy items between a contiguous row and a column with a step; all loops share the function for this."""
    name = f"setwise.{'gathered' if isinstance(advance, ir.Constant) else 'scattered'}.{kind}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [_WORD] * 5), name)
    if function.is_declaration:
        function.linkage = "linkonce_odr"
        function.attributes.add("noinline")
        inside = ir.IRBuilder(function.append_basic_block())
        number, source, stride, place, pace = function.args
        stride, pace = (step, pace) if isinstance(step, ir.Constant) else (stride, advance)
        with cgutils.for_range(inside, number) as loop:
            start = inside.add(source, inside.mul(loop.index, stride))
            end = inside.add(place, inside.mul(loop.index, pace))
            item = inside.load(inside.inttoptr(start, kind.as_pointer()))
            inside.store(item, inside.inttoptr(end, kind.as_pointer()), align=1)
        inside.ret_void()
    builder.call(function, [count, origin, step, target, advance])


def _first(arity: int) -> Any:
    """An intrinsic that returns as many numbers from a pointer as there are arguments."""

    @intrinsic
    def first(typingctx: Any, row: Any) -> Any:
        numbers = types.UniTuple(row.dtype, arity)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            values = [builder.load(builder.gep(args[0], [_WORD(k)])) for k in range(arity)]
            return context.make_tuple(builder, numbers, values)

        return numbers(row), codegen

    return first


def _gathered(arguments: list[np.dtype[Any]]) -> Any:
    """An intrinsic that returns the addresses of ``count`` contiguous items from ``start`` on, one for each argument.

    The items are in the column itself, or are copies in a tile if the column is not contiguous.
    """
    addresses, steps = _addresses(arguments), types.UniTuple(types.intp, len(arguments))

    @intrinsic
    def gathered(typingctx: Any, starts: Any, strides: Any, start: Any, count: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            starts, strides = (cgutils.unpack_tuple(builder, values) for values in args[:2])
            rows = []
            for dtype, base, step in zip(arguments, starts, strides, strict=True):
                kind, size = _stored(dtype), _WORD(dtype.itemsize)
                with builder.goto_entry_block():
                    tile = builder.alloca(kind, ir.Constant(ir.IntType(32), _TILE))
                    tile.align = LINE
                tiled = builder.ptrtoint(tile, _WORD)
                here = builder.add(base, builder.mul(args[2], step))
                in_a_row = builder.icmp_signed("==", step, size)
                with builder.if_then(builder.not_(in_a_row)):
                    _copied(builder, args[3], kind, here, step, tiled, size)
                rows.append(builder.select(in_a_row, here, tiled))
            return context.make_tuple(builder, addresses, rows)

        return addresses(addresses, steps, types.intp, types.intp), codegen

    return gathered


def _items(arguments: list[np.dtype[Any]]) -> Any:
    """An intrinsic that returns the item of each row at an index, as words."""
    addresses, words = _addresses(arguments), types.UniTuple(types.uint64, len(arguments))

    @intrinsic
    def items(typingctx: Any, rows: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            scope, values = _alias_scope(builder), []
            for dtype, row in zip(arguments, cgutils.unpack_tuple(builder, args[0]), strict=True):
                item = builder.load(_item(builder, row, args[1], _stored(dtype)))
                item.set_metadata("noalias", scope)
                values.append(item if dtype.itemsize == 8 else builder.zext(item, _WORD))
            return context.make_tuple(builder, words, values)

        return words(addresses, types.intp), codegen

    return items


def _prefetched(arguments: list[np.dtype[Any]]) -> Any:
    """An intrinsic that prefetches the memory ahead of an item in every row; the address need not be valid."""
    addresses = _addresses(arguments)

    @intrinsic
    def prefetched(typingctx: Any, rows: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
            i32, pointer = ir.IntType(32), _BYTE.as_pointer()
            prefetch = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(ir.VoidType(), [pointer, i32, i32, i32]), "llvm.prefetch.p0"
            )
            for dtype, row in zip(arguments, cgutils.unpack_tuple(builder, args[0]), strict=True):
                place = builder.bitcast(_item(builder, row, args[1], _stored(dtype)), pointer)
                for line in range(0, _BLOCK * dtype.itemsize, LINE):
                    builder.call(prefetch, [builder.gep(place, [_WORD(_AHEAD + line)]), i32(0), i32(3), i32(1)])

        return types.void(addresses, types.intp), codegen

    return prefetched


def _results(returns: np.dtype[Any]) -> tuple[Any, Any]:
    """Intrinsics on the column of results: write one item of a row, and copy a row to the array that NumPy passes.

    NumPy copies arguments that are not aligned to their items, but passes an unaligned ``out`` unchanged.
    """
    kind = _stored(returns)

    @intrinsic
    def put(typingctx: Any, row: Any, index: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
            row, index, word = args
            item = word if kind == _WORD else builder.trunc(word, kind)
            store = builder.store(item, _item(builder, row, index, kind), align=1)
            store.set_metadata("alias.scope", _alias_scope(builder))

        return types.void(types.uintp, types.intp, types.uint64), codegen

    @intrinsic
    def scattered(typingctx: Any, row: Any, count: Any, address: Any, step: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
            row, count, address, step = args
            _copied(builder, count, kind, row, _WORD(returns.itemsize), address, step)

        return types.void(types.uintp, types.intp, types.uintp, types.intp), codegen

    return put, scattered


@intrinsic
def _address(typingctx: Any, pointer: Any) -> Any:
    """A pointer as a number."""
    return types.uintp(pointer), lambda context, builder, signature, args: builder.ptrtoint(args[0], _WORD)


@intrinsic
def _stream(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy ``count`` words, in lines of eight, past the cache; both ends are aligned to a line."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        line = ir.VectorType(_WORD, 8).as_pointer()
        to, origin = (builder.inttoptr(address, line) for address in args[:2])
        hint = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
        with cgutils.for_range(builder, builder.lshr(args[2], _WORD(3))) as loop:
            words = builder.load(builder.gep(origin, [loop.index]), align=LINE)
            store = builder.store(words, builder.gep(to, [loop.index]), align=LINE)
            store.set_metadata("nontemporal", hint)

    return types.void(types.uintp, types.uintp, types.intp), codegen


@intrinsic
def _fence(typingctx: Any) -> Any:
    """Complete the streamed stores before any later store."""
    return types.void(), lambda context, builder, signature, args: builder.fence("seq_cst")


def _each_item(function: Any, items: Any, put: Any) -> Any:
    """A function that computes all items of rows in one loop, which LLVM can vectorise."""

    def fill(rows: Any, row: Any, start: Any, count: Any) -> None:
        for i in range(count):
            put(row, i, function(*items(rows, start + i)))

    return _inlined(fill)


def _each_mark(marks: Any, function: Any, items: Any, put: Any) -> Any:
    """A function that first computes the marks of all items, vectorised, and then the results of items with marks.

    The results of features, which have many arguments, are remembered: a position in five of many games is an opening
    that another game had before. Nothing is remembered where the results overwrite the arguments.
    """
    put_mark, tile, memory = _results(np.dtype(np.uint64))[0], scratch(_TILE), scratch(4 * _SEEN)
    multiplier, shift = np.uint64(0x9E3779B97F4A7C15), np.uint64(63 - _SEEN.bit_length())

    def fill(rows: Any, row: Any, start: Any, count: Any) -> None:
        marked, seen = tile(types.uint64), memory(types.uint64)
        address, remembers = _address(marked), count > _TILE and len(rows) > _FEW
        for place in rows:
            remembers = remembers and place != row
        for k in range(0, 4 * _SEEN if remembers else 0, 4):
            seen[k + 1] = 0
        for base in range(0, count, _TILE):
            size = min(count - base, _TILE)
            for i in range(size):
                put_mark(address, i, marks(*items(rows, start + base + i)))
            for i in range(size):
                result = marked[i]
                if result != 0:
                    item, key = items(rows, start + base + i), np.uint64(0)
                    for word in item[:5]:
                        key = (key + word) * multiplier
                    slot = np.int64(key >> shift) & -4
                    before = np.int64(seen[slot + 1]) if remembers and seen[slot] == key else 0
                    if before != 0 and items(rows, start + before - 1) == item:
                        result = seen[slot + 2]
                    else:
                        result = function(*((*item, result)))
                        seen[slot], seen[slot + 1], seen[slot + 2] = key, np.uint64(base + i + 1), result
                put(row, base + i, result)

    return _inlined(fill)


def _inlined(function: Callable[..., Any]) -> Any:
    return for_callers(function, **OPTIONS, forceinline=True)


def _loop(
    function: Any, arguments: list[np.dtype[Any]], returns: np.dtype[Any], stages: tuple[Any, Any] | None
) -> Callable[..., Any]:
    """NumPy's loop over a compiled function."""
    arity, size, sizes = len(arguments), returns.itemsize, tuple(dtype.itemsize for dtype in arguments)
    first, gathered, items = _first(arity), _gathered(arguments), _items(arguments)
    prefetched = _prefetched(arguments)
    put, scattered = _results(returns)
    tile = scratch(_TILE * size // 8)
    fill = _each_mark(*stages, items, put) if stages else _each_item(function, items, put)
    streams = not stages and arity <= _FEW and size == 8 and all(dtype.itemsize == 8 for dtype in arguments)

    def loop(addresses: Any, dimensions: Any, steps: Any, data: Any) -> None:
        n, starts, strides = dimensions[0], first(addresses), first(steps)
        out, step = addresses[arity], steps[arity]
        tiled = _address(tile(types.uint64))
        in_rows = step == size
        for stride, itemsize in zip(strides, sizes):  # noqa: B905  (compiled code does not support strict=)
            in_rows = in_rows and stride == itemsize
        start, stop = 0, n
        if streams and in_rows and n * size >= _STREAM_FROM and out % size == 0:
            stop = int(-out % LINE) // size  # first up to a whole line, then past the cache, then the rest
        while True:
            while start < stop:
                count = stop - start if in_rows else min(stop - start, _TILE)
                rows = gathered(starts, strides, start, count)
                row = out + np.uintp(start * step) if step == size else tiled
                fill(rows, row, 0, count)
                if step != size:
                    scattered(row, count, out + np.uintp(start * step), step)
                start += count
            if not streams or stop == n:
                break
            rows = gathered(starts, strides, 0, 0)
            while n - start >= _BLOCK:
                prefetched(rows, start)
                fill(rows, tiled, start, _BLOCK)
                _stream(out + np.uintp(start * size), tiled, _BLOCK)
                start += _BLOCK
            _fence()
            stop = n

    return loop


def lowered(
    function: Any, arguments: list[np.dtype[Any]], returns: np.dtype[Any], stages: tuple[Any, Any] | None = None
) -> Any:
    """Return Numba's result of lowering NumPy's loop over a compiled function.

    A function in two stages first computes marks, without a branch. For an item without marks the result is 0; for
    other items the second stage gets the marks as an additional argument.
    """
    loop = for_callers(_loop(function, arguments, returns, stages), **OPTIONS)
    loop.compile(_SIGNATURE)
    [result] = loop.overloads.values()
    return result
