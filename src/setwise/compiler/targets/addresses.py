"""Functions of Python's and of NumPy's made of the addresses of machine code, wherever that was loaded from."""

from __future__ import annotations

import builtins
import ctypes
import functools
from typing import Any

import numpy as np

from setwise.bitboard import Bitboard
from setwise.compiler.definitions import Entry, Pattern
from setwise.compiler.llvm.runtime import BITBOARD, NEW_INT

__all__ = ["function_at", "object_at", "ufunc_at"]


class _Method(ctypes.Structure):
    """What Python calls a function of C by."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


#: Flags: how an entry is called, by a tuple and keywords, and how a pattern is, by a row of arguments.
_ARGUMENTS_AND_KEYWORDS, _ROW = 3, 0x80
_TP_NEW = 65  # the number of the function that makes objects of a type
_NO_IDENTITY = -1
_MAKE_UFUNC = 1  # the place in NumPy's table of functions for ufuncs

#: What functions point to: Python and NumPy keep the addresses only.
_kept: list[Any] = []


def object_at(name: str) -> int | None:
    """Return the address of a function or an object of Python's by its name in C, or of what machine code needs more.

    That is NumPy's class of arrays, and what makes a `Bitboard`.
    """
    if name == BITBOARD:
        return id(Bitboard)
    if name == NEW_INT:
        slot = ctypes.pythonapi.PyType_GetSlot
        slot.restype, slot.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
        return slot(int, _TP_NEW)
    if name == "ndarray":
        return id(np.ndarray)
    if name == "_Py_NoneStruct":
        return id(None)
    if name.startswith("PyExc_"):
        return id(getattr(builtins, name.removeprefix("PyExc_")))
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


def function_at(address: int, entry: Entry) -> Any:
    """Return an entry's machine code as a function of Python's; see `Entry.raw` and `Pattern.raw`."""
    how = _ROW if isinstance(entry, Pattern) else _ARGUMENTS_AND_KEYWORDS
    method = _Method(entry.function.__name__.encode(), address, how, None)
    _kept.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_Method), ctypes.c_void_p, ctypes.c_void_p]
    return make(method, None, None)


@functools.cache
def _make_ufunc() -> Any:
    """NumPy's function of C that makes a ufunc of a loop."""
    capsule = np._core._multiarray_umath._UFUNC_API  # type: ignore[attr-defined]  # noqa: SLF001
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    text, number, address = ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
    return ctypes.PYFUNCTYPE(
        ctypes.py_object, address, address, text, number, number, number, number, text, text, number
    )(table[_MAKE_UFUNC])


def ufunc_at(address: int, pattern: Pattern) -> np.ufunc:
    """Return the ufunc of a pattern whose loop is at an address."""
    kinds = bytes(kind.dtype.num for kind in (*pattern.kinds.values(), pattern.returns))
    name, text = pattern.function.__name__.encode(), (pattern.__doc__ or "").encode()
    loops, data = (ctypes.c_void_p * 1)(address), (ctypes.c_void_p * 1)(None)
    _kept.append((loops, data, kinds, name, text))
    made: np.ufunc = _make_ufunc()(loops, data, kinds, 1, len(pattern.kinds), 1, _NO_IDENTITY, name, text, 0)
    return made
