"""Python objects that compiled code makes itself: a text, a list.

A compiled function returns numbers for some 30 ns each. A list of moves made of them in Python takes longer than
finding the moves; made here, it takes as long as copying as many pointers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import box, intrinsic, models, register_model

__all__ = ["PYTHON_OBJECT", "list_of", "text_of"]


class PythonObject(types.Type):
    """Numba's type of a finished Python object on its way out: nothing can be done with it but return it."""

    def __init__(self) -> None:
        super().__init__(name="PythonObject")


PYTHON_OBJECT = PythonObject()
register_model(PythonObject)(models.OpaqueModel)


@box(PythonObject)
def _hand_over(kind: Any, value: Any, c: Any) -> Any:
    return value


@intrinsic
def text_of(typingctx: Any, letters: Any, count: Any) -> Any:
    """The str of ``count`` ASCII bytes behind a pointer."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        python = context.get_python_api(builder)
        lock = python.gil_ensure()
        text = python.string_from_kind_and_data(ir.IntType(32)(1), *args)  # one byte a letter
        python.gil_release(lock)
        return text

    return PYTHON_OBJECT(letters, types.intp), codegen


@intrinsic
def list_of(typingctx: Any, numbers: Any, count: Any, table: Any) -> Any:
    """The list of ``table[number]`` for ``count`` numbers behind a pointer; the table is the address of an object array."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        items, size, address = args
        python = context.get_python_api(builder)
        objects = builder.inttoptr(address, python.pyobj.as_pointer())
        lock = python.gil_ensure()
        made = python.list_new(size)
        with builder.if_then(cgutils.is_not_null(builder, made)), cgutils.for_range(builder, size) as loop:
            number = builder.zext(builder.load(builder.gep(items, [loop.index])), ir.IntType(64))
            item = builder.load(builder.gep(objects, [number]))
            python.incref(item)
            python.list_setitem(made, loop.index, item)
        python.gil_release(lock)
        return made

    return PYTHON_OBJECT(numbers, types.intp, types.uint64), codegen
