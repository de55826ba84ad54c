"""Python's calls of patterns: Numba's own take a tuple, keywords and ints of any class, and return plain ints.

What is built here is called with a row of arguments. It answers if each is an int, a Bitboard or a bool in its kind's
range, as an object of the result's kind, and returns None for all others: `Pattern` checks these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba.core import cgutils, types

from setwise.bitboard import Bitboard
from setwise.compiler.llvm.runtime import BITBOARD, NEW_INT

if TYPE_CHECKING:
    from setwise.compiler.definitions import Pattern

__all__ = ["for_c", "for_ints", "for_python"]

#: The offset in an object of the address of its type.
_TYPE_AT = object.__basicsize__ - tuple.__itemsize__
_TYPES = ("PyLong_Type", BITBOARD, "PyBool_Type")
_LARGEST = 2**64 - 1


class _Call:
    """The function of C that Python calls a pattern by, while it is built."""

    def __init__(self, context: Any, module: Any, fndesc: Any) -> None:
        self.context, self.fndesc = context, fndesc
        self.object = context.get_argument_type(types.pyobject)
        self.number = ir.IntType(64)
        row = self.object.as_pointer()
        kind = ir.FunctionType(self.object, [self.object, row, self.number])
        self.function = ir.Function(module, kind, fndesc.llvm_cpython_wrapper_name)
        called = context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
        self.body = ir.Function(module, called, fndesc.llvm_func_name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("start"))
        self.python = context.get_python_api(self.builder)
        self.unusual = self.function.append_basic_block("unusual")
        with self.builder.goto_block(self.unusual):
            self.python.err_clear()
            self.builder.ret(self.python.make_none())

    def build(self, pattern: Pattern, *, releases: bool) -> None:
        """Build it; it can release the GIL while the pattern computes."""
        builder, python = self.builder, self.python
        _, row, count = self.function.args
        self._need(builder.icmp_unsigned("==", count, self.number(len(pattern.kinds))))
        values = [builder.load(builder.gep(row, [self.number(k)])) for k in range(len(pattern.kinds))]
        words = [self._word(value, it.largest) for value, it in zip(values, pattern.kinds.values(), strict=True)]
        state = python.save_thread() if releases else None
        call = self.context.call_conv
        status, word = call.call_function(builder, self.body, self.fndesc.restype, self.fndesc.argtypes, words)
        if releases:
            python.restore_thread(state)
        with builder.if_then(status.is_error, likely=False):
            call.raise_error(builder, python, status)
            builder.ret(python.get_null_object())
        builder.ret(self._result(word, pattern.returns.python))

    def _need(self, condition: Any) -> None:
        """Go on if a condition holds; leave the arguments to Python otherwise."""
        more = self.function.append_basic_block()
        self.builder.cbranch(condition, more, self.unusual)
        self.builder.position_at_end(more)

    def _word(self, value: Any, largest: int) -> Any:
        """The word of an argument of one of the types, in range."""
        builder, python = self.builder, self.python
        kind = builder.load(cgutils.pointer_add(builder, value, _TYPE_AT, self.object.as_pointer()))
        same = [builder.icmp_unsigned("==", kind, python.get_c_object(name)) for name in _TYPES]
        self._need(builder.or_(builder.or_(same[0], same[1]), same[2]))
        word = python.long_as_ulonglong(value)
        if largest < _LARGEST:
            self._need(builder.icmp_unsigned("<=", word, self.number(largest)))
        else:  # it is also what stands for an error
            with builder.if_then(builder.icmp_unsigned("==", word, self.number(_LARGEST)), likely=False):
                self._need(cgutils.is_null(builder, python.err_occurred()))
        return word

    def _result(self, word: Any, kind: Any) -> Any:
        """The object of a result."""
        builder, python = self.builder, self.python
        if kind is bool:
            return python.bool_from_long(builder.zext(builder.icmp_unsigned("!=", word, self.number(0)), python.long))
        if kind is int:
            return python.long_from_ulonglong(word)
        return self._set(word) if kind is Bitboard else python.long_from_longlong(word)

    def _set(self, word: Any) -> Any:
        """A Bitboard, made by what makes ints: to call the class takes twice as long as all the rest."""
        builder, python = self.builder, self.python
        made = cgutils.alloca_once_value(builder, python.get_null_object())
        arguments = python.tuple_new(1)
        with builder.if_then(cgutils.is_not_null(builder, arguments), likely=True):
            python.tuple_setitem(arguments, 0, python.long_from_ulonglong(word))
            kind = ir.FunctionType(self.object, [self.object] * 3).as_pointer()
            new = builder.bitcast(python.get_c_object(NEW_INT), kind)
            null = python.get_null_object()
            builder.store(builder.call(new, [python.get_c_object(BITBOARD), arguments, null]), made)
            python.decref(arguments)
        return builder.load(made)


def _wrapped(library: Any, lowered: Any, add: Callable[..., None], **more: Any) -> None:
    """Add a function to a library that calls what is lowered."""
    with lowered.target_context.push_code_library(library):
        library.add_linking_library(lowered.library)
        add(library, lowered.fndesc, lowered.environment, lowered.call_helper, **more)


def for_python(library: Any, lowered: Any, *, releases: bool) -> str:
    """Add what Python calls to a library; return its name."""
    _wrapped(library, lowered, lowered.target_context.create_cpython_wrapper, release_gil=releases)
    name: str = lowered.fndesc.llvm_cpython_wrapper_name
    return name


def for_ints(library: Any, lowered: Any, pattern: Pattern, *, releases: bool) -> str:
    """Add what Python calls of a pattern to a library; return its name."""
    context, names = lowered.target_context, lowered.fndesc

    def add(*_: Any) -> None:
        module = context.create_module("call")
        _Call(context, module, names).build(pattern, releases=releases)
        library.add_ir_module(module)

    _wrapped(library, lowered, add)
    name: str = names.llvm_cpython_wrapper_name
    return name


def for_c(library: Any, lowered: Any) -> str:
    """Add what C calls to a library; return its name."""
    _wrapped(library, lowered, lowered.target_context.create_cfunc_wrapper)
    name: str = lowered.fndesc.llvm_cfunc_wrapper_name
    return name
