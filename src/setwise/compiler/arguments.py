"""The arguments that Python passes to patterns: what is read as a number, what as an array, what is refused."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from setwise.bitboard import Bitboard, hexadecimal
from setwise.compiler.kinds import Kind

__all__ = ["INTS", "admitted", "described"]

#: The types whose values in range need no conversion.
INTS = frozenset({int, Bitboard, bool})


def admitted(pattern: str, name: str, kind: Kind, value: Any) -> Any:
    """Return an argument that is not a plain int in range as an int or an array, or raise."""
    number = _number(value)
    if number is not None:
        if not 0 <= number <= kind.largest:
            fault = f"{hexadecimal(number)} is out of range"
            if number < 0:
                fault += " (a negative number is not a set; mask with 0xffff_ffff_ffff_ffff)"
            raise ValueError(f"{name} of {pattern} is a {kind.name}, 0 to {kind.largest:#x}; {fault}")
        return number
    array, fault = _listed(value) if isinstance(value, list | tuple) else _viewed(value, kind)
    if fault:
        raise TypeError(f"{name} of {pattern} is a {kind.name}: an int or an array of {kind.dtype}, not {fault}")
    if array.dtype == kind.dtype and kind.takes_every_item:
        return array
    if array.dtype.newbyteorder("=") == np.int64 and kind.dtype == np.uint64:
        return array.astype(np.int64, copy=False).view(np.uint64)
    if array.size and (int(array.max()) > kind.largest or int(array.min()) < 0):
        raise ValueError(f"{name} of {pattern} is a {kind.name}, 0 to {kind.largest:#x}; the array goes beyond")
    return array.astype(kind.dtype)


def _number(value: Any) -> int | None:
    """The int that Python or NumPy reads a value as; None for all others."""
    if isinstance(value, np.ndarray | np.generic):
        return int(value) if value.ndim == 0 and value.dtype.kind in "bui" else None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _listed(value: list[Any] | tuple[Any, ...]) -> tuple[np.ndarray, str]:
    """A list of numbers, of lists of numbers and so on as an array; and a description if it holds anything else."""
    try:
        items = np.array(value, dtype=object)
    except ValueError:  # arrays of several shapes
        return np.empty(0), f"{type(value).__name__} of something else"
    numbers = [_number(item) for item in items.flat]
    if None in numbers:
        wrong = items.flat[numbers.index(None)]
        return items, f"{type(value).__name__} of {type(wrong).__name__}"
    return np.array(numbers, dtype=object).reshape(items.shape), ""


def _viewed(value: Any, kind: Kind) -> tuple[np.ndarray, str]:
    """A value as an array of integers (for flags, of booleans, too); and a description if NumPy cannot view it so."""
    array = np.asarray(value)
    if array.ndim and (array.dtype.kind in "ui" or array.dtype.kind == kind.dtype.kind):
        return array, ""
    description = described(value)
    if hasattr(value, "__array__") and str(array.dtype) not in description.lower():
        description += f" ({array.dtype} to NumPy: are values missing?)"
    return array, description


def described(value: Any) -> str:
    """Return the type of a value in words, for messages."""
    dtype = None if isinstance(value, np.generic) else getattr(value, "dtype", None)
    return f"{type(value).__name__}" + (f" of {dtype}" if dtype is not None else "")
