"""The types and operations of ``compiler.python_objects``, as Numba compiles them."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, box, intrinsic, models, register_model, unbox

__all__ = ["MEMORY", "PYTHON_OBJECT", "bytes_of", "letters_of", "list_of", "text_of", "words_of"]


class Memory(types.Type):
    """Numba's type of a bytes object's contents, which the caller keeps alive: a pointer, no copy and no length."""

    def __init__(self) -> None:
        super().__init__(name="Memory")


class PythonObject(types.Type):
    """Numba's type of a Python object that compiled code has built: it can only be returned."""

    def __init__(self) -> None:
        super().__init__(name="PythonObject")


MEMORY, PYTHON_OBJECT = Memory(), PythonObject()
register_model(Memory)(models.OpaqueModel)
register_model(PythonObject)(models.OpaqueModel)


@unbox(Memory)
def _unbox_memory(kind: Any, value: Any, c: Any) -> Any:
    start = c.pyapi.bytes_as_string(value)
    return NativeValue(start, is_error=cgutils.is_null(c.builder, start))


@box(PythonObject)
def _box_object(kind: Any, value: Any, c: Any) -> Any:
    return value


def _pointer_to(item: Any) -> Any:
    """An intrinsic that returns a pointer to the items of a memory."""

    @intrinsic
    def pointer(typingctx: Any, memory: Any) -> Any:
        result = types.CPointer(item)
        codegen = lambda context, builder, _, args: builder.bitcast(args[0], context.get_value_type(result))  # noqa: E731
        return result(MEMORY), codegen

    return pointer


#: The contents of a memory as 64-bit words, and as bytes.
words_of, letters_of = _pointer_to(types.uint64), _pointer_to(types.uint8)


def _finished(make: Callable[..., Any]) -> Any:
    """An intrinsic that builds an object from ``size`` bytes at a pointer."""

    @intrinsic
    def made(typingctx: Any, pointer: Any, size: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            python = context.get_python_api(builder)
            return make(python, builder.bitcast(args[0], python.cstring), args[1])

        return PYTHON_OBJECT(pointer, types.intp), codegen

    return made


#: The str of the ASCII letters (one byte each), and the bytes, at a pointer.
text_of = _finished(lambda python, start, size: python.string_from_kind_and_data(ir.IntType(32)(1), start, size))
bytes_of = _finished(lambda python, start, size: python.bytes_from_string_and_size(start, size))


#: The offset in a list of the address of its items. Items are stored there directly: the checks of PyList_SetItem for
#: each item would take a fifth of the time of listing the moves of a position.
_HEADER = tuple.__basicsize__

#: Whether this is a free-threaded Python, where reference counts are per thread and only its own function changes them.
_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def _add_reference(python: Any, item: Any) -> None:
    """Add a reference to an object (never an immortal one) without a call, which would take a tenth of the time."""
    if _FREE_THREADED:
        python.incref(item)
        return
    builder, number = python.builder, ir.IntType(64)
    count = builder.bitcast(item, number.as_pointer())
    builder.store(builder.add(builder.load(count), number(1)), count)


@intrinsic
def list_of(typingctx: Any, numbers: Any, count: Any, table: Any) -> Any:
    """The list of ``table[number]`` for the numbers at a pointer; the table is the address of an object array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        items, size, address = args
        python = context.get_python_api(builder)
        objects = builder.inttoptr(address, python.pyobj.as_pointer())
        made = python.list_new(size)
        with builder.if_then(cgutils.is_not_null(builder, made)):
            room = builder.load(cgutils.pointer_add(builder, made, _HEADER, objects.type.as_pointer()))
            with cgutils.for_range(builder, size) as loop:
                number = builder.zext(builder.load(builder.gep(items, [loop.index])), ir.IntType(64))
                item = builder.load(builder.gep(objects, [number]))
                _add_reference(python, item)
                builder.store(item, builder.gep(room, [loop.index]))
        return made

    return PYTHON_OBJECT(numbers, types.intp, types.uint64), codegen
