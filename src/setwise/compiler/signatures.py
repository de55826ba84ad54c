"""The types of entries: the arguments that Python passes to compiled code, and the results.

    @entry(void, reads(uint64, 2), writes(uint16))

takes a two-dimensional array of words that it only reads, and a row of 16-bit numbers that it writes. Rows lie one
after the other in memory unless a layout says otherwise (``"A"``: any). The types are descriptions; the compiler turns
them into its own.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "MADE", "Array", "Named", "Number", "Signature", "Special", "Tuple", "Type", "boolean", "float64", "int8", "int16",
    "int32", "int64", "intp", "mismatch", "named", "reads", "tuple_of", "uint8", "uint16", "uint64", "void", "writes",
]  # fmt: skip


class Signature(NamedTuple):
    """The type of a result, and those of the arguments."""

    returns: Type
    arguments: tuple[Type, ...]


class _Made:
    """Where the code of definitions comes from: ``targets`` knows them, they do not know it; the package sets it."""

    targets: Any


MADE = _Made()


class Type:
    """A type of values in compiled code."""

    @property
    def _numba_type_(self) -> Any:
        return MADE.targets.type_of(self)


@dataclass(frozen=True)
class Number(Type):
    """A number (or nothing), by NumPy's name; in compiled code, the name stands for the type."""

    name: str

    @functools.cached_property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's type of such a number."""
        return np.dtype(np.bool_ if self.name == "boolean" else self.name)


@dataclass(frozen=True)
class Array(Type):
    """An array of numbers; of several dimensions in the order of C, unless its layout is any."""

    item: Number
    dimensions: int = 1
    layout: str = "C"
    readonly: bool = False

    def __str__(self) -> str:
        layout, use = " in rows" if self.layout == "C" else "", "" if self.readonly else " to write to"
        return f"an array of {self.item.dtype} in {self.dimensions} dimensions{layout}{use}"


@dataclass(frozen=True)
class Tuple(Type):
    """Several values."""

    items: tuple[Type, ...]


@dataclass(frozen=True)
class Named(Type):
    """A ``NamedTuple`` of words."""

    words: type


@dataclass(frozen=True)
class Special(Type):
    """A type of the package's own, by its place in ``llvm``."""

    name: str


void, boolean, float64, intp = Number("void"), Number("boolean"), Number("float64"), Number("intp")
uint8, uint16, uint64 = Number("uint8"), Number("uint16"), Number("uint64")
int8, int16, int32, int64 = Number("int8"), Number("int16"), Number("int32"), Number("int64")


def reads(item: Number, dimensions: int = 1, layout: str = "C") -> Array:
    """An array that is only read."""
    return Array(item, dimensions, layout, readonly=True)


def writes(item: Number, dimensions: int = 1, layout: str = "C") -> Array:
    """An array that is written."""
    return Array(item, dimensions, layout)


def tuple_of(*items: Type) -> Tuple:
    """Several values."""
    return Tuple(items)


def named(words: type) -> Named:
    """A ``NamedTuple`` of words."""
    return Named(words)


def mismatch(signature: Signature, arguments: tuple[Any, ...]) -> str | None:
    """Return what is wrong with the arguments of a call, or None: their number, an array of another kind.

    Compiled code reads memory as its signature says, whatever it is passed.
    """
    if len(arguments) != len(signature.arguments):
        return f"takes {len(signature.arguments)} arguments, not {len(arguments)}"
    for place, (kind, value) in enumerate(zip(signature.arguments, arguments, strict=True), 1):
        if isinstance(kind, Array) and not _fits(kind, value):
            return f"takes {kind} as argument {place}, not {_described(value)}"
    return None


def _fits(kind: Array, value: Any) -> bool:
    if not isinstance(value, np.ndarray) or value.dtype != kind.item.dtype or value.ndim != kind.dimensions:
        return False
    flags = value.flags
    return flags.aligned and (flags.c_contiguous or kind.layout != "C") and (flags.writeable or kind.readonly)


def _described(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    flags = [name for name in ("c_contiguous", "aligned", "writeable") if not getattr(value.flags, name)]
    return " ".join([f"an array of {value.dtype} in {value.ndim} dimensions", *(f"not {name}" for name in flags)])
