"""Code that came with the package: a library for each level of processors, made by `ahead` when a wheel is built.

Nothing here needs a compiler. A library contains digests of the texts of the modules that it was made from, and the key
of each entry (see `keys`). If the loaded modules have the same texts, all functions of the library are used; after an
edit, only the functions of entries that still have the same key are used.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import functools
import os
import platform
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from setwise.bitboard import Bitboard
from setwise.compiler.definitions import Entry, Pattern
from setwise.compiler.keys import ROOM, shipped_under, text_of
from setwise.compiler.llvm.runtime import BITBOARD, NEW_INT
from setwise.compiler.targets.levels import FOLDER, LEVELS, Level, checksum_beside, checksum_of, symbol
from setwise.errors import DefinitionError, SetwiseError

# ------------------------------------------- functions of Python's and of NumPy's made of the addresses of machine code


class _Method(ctypes.Structure):
    """The structure in C through which Python calls a function."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


#: Python's flags for calls: an entry is called with a tuple and keywords, a pattern with an array of arguments.
_ARGUMENTS_AND_KEYWORDS, _ROW = 3, 0x80
_TP_NEW = 65  # the number of the function that makes objects of a type
_NO_IDENTITY = -1
_MAKE_UFUNC = 1  # the place in NumPy's table of functions for ufuncs

#: The objects that functions point to; they are kept here, because Python and NumPy store only their addresses.
_kept: list[Any] = []


def object_at(name: str) -> int | None:
    """Return the address of a function or an object of Python by its name in C.

    Machine code also needs NumPy's class of arrays, and the class and the function that create a `Bitboard`.
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
    """Return an entry's machine code as a Python function; see `Entry.raw` and `Pattern.raw`."""
    how = _ROW if isinstance(entry, Pattern) else _ARGUMENTS_AND_KEYWORDS
    method = _Method(entry.function.__name__.encode(), address, how, None)
    _kept.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_Method), ctypes.c_void_p, ctypes.c_void_p]
    return make(method, None, None)


@functools.cache
def _make_ufunc() -> Any:
    """NumPy's C function that makes a ufunc from a loop."""
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


# -------------------------------------------------------------------------------------- code that came with the package


class Library(NamedTuple):
    """A library for the level of this processor, or the reason why there is none."""

    level: str
    code: ctypes.CDLL | None
    why: str = ""
    #: The digests of the texts of modules, and the keys of entries.
    texts: dict[str, str] = {}  # noqa: RUF012  (never changed)
    keys: dict[str, str] = {}  # noqa: RUF012


@functools.cache
def library() -> Library:
    """Return the library for this processor.

    ``SETWISE_CPU`` forces a level; with the value ``jit`` no library is used.

    Raises:
        SetwiseError: when ``SETWISE_CPU`` is not the name of a level, or this processor cannot run the level.
    """
    possible, forced = _levels(), os.environ.get("SETWISE_CPU", "")
    if forced == "jit":
        return Library("", None, "SETWISE_CPU asks for code that is compiled here")
    if forced and forced not in possible:
        known = " ".join(possible) or "none"
        raise SetwiseError(f"SETWISE_CPU={forced} is not a level that this processor runs ({known}), nor jit")
    if "free-threading" in sys.version:
        return Library("", None, "there is none for free-threaded Python")
    for level in [forced] if forced else possible:
        if (file := FOLDER / f"{level}.{_SUFFIX}").is_file():
            return _loaded(level, file)
    return Library("", None, f"there is none {'in this installation' if possible else 'for this kind of processor'}")


_SUFFIX = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")


def _levels() -> list[str]:
    """The levels whose code this processor can run, the best level first."""
    if platform.machine().lower() in {"aarch64", "arm64"}:
        return ["aarch64"]
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return []
    return [name for name, level in LEVELS.items() if level.needs and _runs(level)]


def _runs(level: Level) -> bool:
    """Whether this x86-64 processor has the features of a level, as reported by the operating system."""
    if sys.platform == "win32":
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(level.in_windows))
    if sys.platform == "darwin":
        value, size = ctypes.c_int(0), ctypes.c_size_t(ctypes.sizeof(ctypes.c_int))
        said = ctypes.CDLL(None).sysctlbyname(
            level.in_macos.encode(), ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0)
        )
        return said == 0 and value.value == 1
    return level.needs <= _flags()


@functools.cache
def _flags() -> set[str]:
    """The features of this processor, as Linux names them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return set()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return set(line.partition(":")[2].split())


def _loaded(level: str, file: Path) -> Library:
    try:
        if checksum_of(file) != checksum_beside(file).read_text(encoding="ascii"):
            return Library(level, None, f"{file} is damaged; install setwise again")
        code = ctypes.CDLL(str(file))
        texts, keys = (_lines(_text(code, f"setwise_{name}")) for name in ("texts", "keys"))
        names = _text(code, "setwise_names").split("\n")
        places = (ctypes.c_void_p * len(names)).in_dll(code, "setwise_places")
    except (OSError, ValueError) as error:
        return Library(level, None, f"{file} cannot be loaded: {error}")
    for name, place in zip(names, places, strict=True):
        ctypes.c_void_p.from_address(place).value = object_at(name)
    return Library(level, code, "", texts, keys)


def _text(code: ctypes.CDLL, name: str) -> str:
    return ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(code, name))).decode()


def _lines(text: str) -> dict[str, str]:
    return dict(line.split() for line in text.splitlines())


@functools.cache
def _has_text(module: str, digest: str) -> bool:
    """Whether the source of a module has this digest; False if there is no source."""
    with contextlib.suppress(OSError):
        return text_of(module) == digest
    return False


def _is_unchanged(entry: Entry) -> bool:
    """Whether the library was made from the definitions that an entry reaches now."""
    here = library()
    if all(_has_text(name, here.texts[name]) for name in here.texts.keys() & {*sys.modules, *ROOM}):
        return True
    try:
        return here.keys.get(entry.name) == shipped_under(entry)
    except (DefinitionError, OSError):  # the package has no sources
        return False


@functools.cache
def _address_in_library(name: str) -> int | None:
    code = library().code
    function = getattr(code, symbol(name), None) if code else None
    return ctypes.cast(function, ctypes.c_void_p).value if function else None


def has(entry: Entry) -> bool:
    """Return whether the library has the code of an entry."""
    return _address_of(entry.name, entry) is not None


def machine_code(entry: Entry) -> Any:
    """Return an entry's shipped code, a Python function that checks nothing; None if there is no such code."""
    address = _address_of(entry.name, entry)
    return None if address is None else function_at(address, entry)


def ufunc_of(pattern: Pattern) -> np.ufunc | None:
    """Return the ufunc of a pattern with its shipped loop; None if there is no such loop."""
    address = _address_of(f"{pattern.name}.ufunc", pattern)
    return None if address is None else ufunc_at(address, pattern)


def _address_of(name: str, entry: Entry) -> int | None:
    """The address of a function; None for a user's entry, although it can have the name of a shipped one."""
    is_ours = entry.function.__module__.startswith("setwise.")
    address = _address_in_library(name) if is_ours else None
    return address if address is not None and _is_unchanged(entry) else None
