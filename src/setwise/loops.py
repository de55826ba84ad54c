"""The loop that applies a pattern to arrays, as NumPy's ufuncs run it.

NumPy calls the loop with raw pointers, a length and strides. It works in tiles that stay in the first-level cache:
strided inputs are gathered into a tile, one vectorised loop computes a tile of results, and the tile is written out.
Results much larger than the cache are written past it ("non-temporal"), as a large memcpy does; ordinary stores
would read every line before overwriting it, half as much memory traffic again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.extending import intrinsic
from numba.np.ufunc import _internal as ufunc_internal

from setwise.machinecode import OPTIONS, DiskCache

_TILE = 512
_BLOCK = 32
_AHEAD = 4096
_STREAM_FROM = 1 << 23  # bytes of output; results that fit the last-level cache had better stay there


@intrinsic
def _pointer(typingctx: Any, address: Any, like: Any) -> Any:
    """The pointer to ``like``-typed items at an address."""
    result = types.CPointer(like.dtype)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(result))

    return result(types.uintp, like), codegen


def scratch(size: int) -> Any:
    """An intrinsic that gives a pointer to ``size`` items of a Numba type on the stack, aligned to a cache line."""

    @intrinsic
    def items(typingctx: Any, like: Any) -> Any:
        result = types.CPointer(like.dtype)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            with builder.goto_entry_block():
                memory = builder.alloca(context.get_data_type(like.dtype), ir.Constant(ir.IntType(32), size))
                memory.align = 64
            # The widest vectors there are: llvmlite's own list of attributes knows no key="value" pairs.
            set.add(builder.function.attributes, '"prefer-vector-width"="512"')
            return builder.bitcast(memory, context.get_value_type(result))

        return result(like), codegen

    return items


_tile, _block = scratch(_TILE), scratch(_BLOCK)
_inlined = numba.njit(**OPTIONS, forceinline=True)


@intrinsic
def _stream(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy ``count`` 64-bit words, in lines of eight, past the cache; both ends are aligned to a line."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        line = ir.VectorType(ir.IntType(64), 8)
        to, origin = (builder.bitcast(pointer, line.as_pointer()) for pointer in args[:2])
        hint = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
        with cgutils.for_range(builder, builder.lshr(args[2], ir.Constant(args[2].type, 3))) as loop:
            words = builder.load(builder.gep(origin, [loop.index]), align=64)
            store = builder.store(words, builder.gep(to, [loop.index]), align=64)
            store.set_metadata("nontemporal", hint)

    return types.void(target, source, types.intp), codegen


@intrinsic
def _prefetch(typingctx: Any, address: Any, count: Any) -> Any:
    """Ask for the ``count`` bytes at an address (which need not exist)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        i32, line = ir.IntType(32), ir.ArrayType(ir.IntType(8), 64).as_pointer()
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer(), i32, i32, i32]),
            "llvm.prefetch.p0",
        )
        base = builder.inttoptr(args[0], line)
        with cgutils.for_range(builder, builder.lshr(args[1], ir.Constant(args[1].type, 6))) as loop:
            where = builder.bitcast(builder.gep(base, [loop.index]), ir.IntType(8).as_pointer())
            builder.call(function, [where, i32(0), i32(3), i32(1)])

    return types.void(types.uintp, types.intp), codegen


@intrinsic
def _fence(typingctx: Any) -> Any:
    """Order the streamed stores before whatever follows."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        builder.fence("seq_cst")

    return types.void(), codegen


@_inlined
def _gather(address: Any, step: Any, count: Any, tile: Any) -> Any:
    """Return a pointer to ``count`` items in a row: where they are, or copied into the tile."""
    if step == _item_size(tile):
        return _pointer(address, tile)
    for i in range(count):
        tile[i] = _pointer(address + np.uintp(i * step), tile)[0]
    return tile


@intrinsic
def _item_size(typingctx: Any, tile: Any) -> Any:
    """The bytes of one item."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(64), context.get_abi_sizeof(context.get_data_type(tile.dtype)))

    return types.int64(tile), codegen


@_inlined
def _scatter(tile: Any, count: Any, address: Any, step: Any) -> None:
    """Write a tile of results to where NumPy wants them."""
    out = _pointer(address, tile)
    if step == _item_size(tile):
        for i in range(count):
            out[i] = tile[i]
    else:
        for i in range(count):
            _pointer(address + np.uintp(i * step), tile)[0] = tile[i]


_SIGNATURE = types.void(
    types.CPointer(types.uintp), types.CPointer(types.intp), types.CPointer(types.intp), types.voidptr
)

_LOOP = """
def loop(addresses, dimensions, steps, data):
    n, out, step = dimensions[0], addresses[{arity}], steps[{arity}]
    {tiles}
    results = _tile({returns})
    block = _block({returns})
    large = n * step >= _STREAM_FROM and step == 8 and _item_size(results) == 8 and {contiguous}
    start = 0
    while start < n:
        if large and out % 64 == 0 and n - start >= _BLOCK:
            {starts}
            for _ in range((n - start) // _BLOCK):
                {prefetches}
                for i in range(_BLOCK):
                    block[i] = function({items})
                _stream(_pointer(out, results), block, _BLOCK)
                {advances}
                out += np.uintp(_BLOCK * 8)
                start += _BLOCK
            _fence()
            continue
        count = min(n - start, _TILE)
        if large and out % 64:
            count = min(count, (64 - int(out % 64)) // 8)
        {gathers}
        for i in range(count):
            results[i] = function({items})
        _scatter(results, count, out, step)
        out += np.uintp(count * step)
        start += count
"""

# Streaming gains little where many columns are read for the one that is written, and its code would double the time
# that the loop takes to compile.
_FEW = 8
_PLAIN_LOOP = """
def loop(addresses, dimensions, steps, data):
    n = dimensions[0]
    {tiles}
    results = _tile({returns})
    for start in range(0, n, _TILE):
        count = min(n - start, _TILE)
        {gathers}
        for i in range(count):
            results[i] = function({items})
        _scatter(results, count, addresses[{arity}] + np.uintp(start * steps[{arity}]), steps[{arity}])
"""


def _loop(function: Any, arguments: list[np.dtype[Any]], returns: np.dtype[Any]) -> Callable[..., Any]:
    """The Python source of a NumPy loop over a compiled function, for its number of arguments."""
    numbers = range(len(arguments))
    # Flags are stored as bytes of 0 and 1: Numba's booleans have no pointers.
    stored = [np.dtype(np.uint8) if dtype == np.bool_ else dtype for dtype in (*arguments, returns)]
    names = {f"_type{k}": numba.from_dtype(dtype) for k, dtype in enumerate(stored)}
    template = _LOOP if len(arguments) <= _FEW else _PLAIN_LOOP
    source = template.format(
        arity=len(arguments),
        returns=f"_type{len(arguments)}",
        tiles="; ".join(f"tile{k} = _tile(_type{k})" for k in numbers),
        contiguous=" and ".join(f"steps[{k}] == _item_size(tile{k})" for k in numbers),
        starts="; ".join(f"at{k} = addresses[{k}] + np.uintp(start * steps[{k}])" for k in numbers),
        prefetches="; ".join(
            f"in{k} = _pointer(at{k}, tile{k}); _prefetch(at{k} + np.uintp(_AHEAD), _BLOCK * 8)" for k in numbers
        ),
        advances="; ".join(f"at{k} += np.uintp(_BLOCK * steps[{k}])" for k in numbers),
        gathers="; ".join(
            f"in{k} = _gather(addresses[{k}] + np.uintp(start * steps[{k}]), steps[{k}], count, tile{k})"
            for k in numbers
        ),
        items=", ".join(f"np.uint64(in{k}[i])" for k in numbers),
    )
    scope = globals() | names | {"function": function}
    exec(source, scope)  # noqa: S102  (the template above; nothing of the user's reaches it)
    return scope["loop"]


def ufunc(function: Any, arguments: list[np.dtype[Any]], returns: np.dtype[Any], cache: DiskCache) -> np.ufunc:
    """Make the NumPy ufunc of a compiled function, from the cache where that holds its loop."""
    compiled = cache.load_overload(_SIGNATURE, numba.core.registry.cpu_target.target_context)
    if compiled is None:
        compiled = CFunc(
            _loop(function, arguments, returns), (_SIGNATURE.args, types.void), {}, {"nopython": True} | OPTIONS
        )._compile_uncached()
        cache.save_overload(_SIGNATURE, compiled)
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
    return ufunc_internal.fromfunc(
        function.__name__,
        function.__doc__,
        [address],
        [[dtype.num for dtype in (*arguments, returns)]],
        len(arguments),
        1,
        [None],
        [compiled.library],
        ufunc_internal.PyUFunc_None,
    )
