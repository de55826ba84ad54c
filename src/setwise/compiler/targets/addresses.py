"""Functions of Python's and of NumPy's made of the addresses of machine code, wherever that was loaded from."""

from __future__ import annotations

import builtins
import ctypes
import functools
from typing import Any

import numpy as np

from setwise.compiler.definitions import Entry, Pattern

__all__ = ["function_at", "object_at", "ufunc_at"]


class _Method(ctypes.Structure):
    """What Python calls a function of C by."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


_ARGUMENTS_AND_KEYWORDS = 3  # flags: how compiled wrappers are called
_NO_IDENTITY = -1
_MAKE_UFUNC = 1  # the place in NumPy's table of functions for ufuncs

#: What functions point to: Python and NumPy keep the addresses only.
_kept: list[Any] = []


def object_at(name: str) -> int | None:
    """Return the address of a function or an object of Python's by its name in C, or of NumPy's class of arrays."""
    if name == "ndarray":
        return id(np.ndarray)
    if name == "_Py_NoneStruct":
        return id(None)
    if name.startswith("PyExc_"):
        return id(getattr(builtins, name.removeprefix("PyExc_")))
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


def function_at(address: int, entry: Entry) -> Any:
    """Return an entry's machine code, a function of Python's that checks nothing."""
    method = _Method(entry.function.__name__.encode(), address, _ARGUMENTS_AND_KEYWORDS, None)
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
