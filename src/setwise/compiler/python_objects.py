"""Python objects at the border of compiled code: bytes come in as they are; texts, bytes, lists go out finished.

A number costs some 20 ns on its way in or out. A position of thirteen, or a list of forty moves, would spend more time
at the border than behind it; as one object it costs as much as a number.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, box, intrinsic, models, register_model, unbox

__all__ = ["MEMORY", "PYTHON_OBJECT", "bytes_of", "letters_of", "list_of", "meets_python", "text_of", "words_of"]


class Memory(types.Type):
    """Numba's type of a bytes object's contents, which the caller keeps alive: a pointer, no copy and no length."""

    def __init__(self) -> None:
        super().__init__(name="Memory")


class PythonObject(types.Type):
    """Numba's type of a finished Python object on its way out: nothing can be done with it but return it."""

    def __init__(self) -> None:
        super().__init__(name="PythonObject")


def meets_python(signature: Any) -> bool:
    """Return whether Python's objects go in or come out as they are: then nobody else may touch them meanwhile.

    Such a function keeps Python's lock. It is done in less than a microsecond, of which giving the lock away and taking
    it back would be 60 to 90 ns; and whoever gives it away waits until no other thread wants it.
    """
    kinds = [*signature.args, *getattr(signature.return_type, "types", [signature.return_type])]
    return any(isinstance(kind, Memory | PythonObject) for kind in kinds)


MEMORY, PYTHON_OBJECT = Memory(), PythonObject()
register_model(Memory)(models.OpaqueModel)
register_model(PythonObject)(models.OpaqueModel)


@unbox(Memory)
def _look_into(kind: Any, value: Any, c: Any) -> Any:
    start = c.pyapi.bytes_as_string(value)
    return NativeValue(start, is_error=cgutils.is_null(c.builder, start))


@box(PythonObject)
def _hand_over(kind: Any, value: Any, c: Any) -> Any:
    return value


def _contents(item: Any) -> Any:
    """An intrinsic that gives a pointer to the items of a memory."""

    @intrinsic
    def pointer(typingctx: Any, memory: Any) -> Any:
        result = types.CPointer(item)
        codegen = lambda context, builder, _, args: builder.bitcast(args[0], context.get_value_type(result))  # noqa: E731
        return result(MEMORY), codegen

    return pointer


#: The contents of a memory as 64-bit words, and as bytes.
words_of, letters_of = _contents(types.uint64), _contents(types.uint8)


def _finished(make: Callable[..., Any]) -> Any:
    """An intrinsic that makes an object of ``size`` bytes behind a pointer."""

    @intrinsic
    def made(typingctx: Any, pointer: Any, size: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            python = context.get_python_api(builder)
            return make(python, builder.bitcast(args[0], python.cstring), args[1])

        return PYTHON_OBJECT(pointer, types.intp), codegen

    return made


#: The str of ASCII letters (one byte each), and the bytes, behind a pointer.
text_of = _finished(lambda python, start, size: python.string_from_kind_and_data(ir.IntType(32)(1), start, size))
bytes_of = _finished(lambda python, start, size: python.bytes_from_string_and_size(start, size))


#: Behind so many bytes a list keeps the address of its items, which a new one may be given directly: what the function
#: of Python's that does it checks for each of them is a fifth of the time that the moves of a position take.
_HEADER = tuple.__basicsize__

#: Whether threads count the holders of an object each in a way of its own, which only Python's function knows.
_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def _hold(python: Any, item: Any) -> None:
    """Count one more holder of an object of ours (none is immortal) right there: a call each is a tenth of a list."""
    if _FREE_THREADED:
        python.incref(item)
        return
    builder, number = python.builder, ir.IntType(64)
    holders = builder.bitcast(item, number.as_pointer())
    builder.store(builder.add(builder.load(holders), number(1)), holders)


@intrinsic
def list_of(typingctx: Any, numbers: Any, count: Any, table: Any) -> Any:
    """The list of ``table[number]`` for the numbers behind a pointer; the table is the address of an object array."""

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
                _hold(python, item)
                builder.store(item, builder.gep(room, [loop.index]))
        return made

    return PYTHON_OBJECT(numbers, types.intp, types.uint64), codegen
