"""What definitions are made of: kinds of values, types in compiled code, checks of arguments, docstrings.

A kind says how a value that comes from outside is checked, how arrays hold it, how the result looks in Python, and how
it changes when the other side looks at it: a set reverses its ranks, directions exchange the diagonals, a count stays
the same. To a type checker each kind is a type of its own, so it reports a square that is passed as a set. In compiled
code the values of all kinds are words of 64 bits. A type describes an argument of compiled code by name; Numba's own
type for it is made in ``targets.jit``, so that this file imports no compiler. The sections of docstrings are read here,
too: a pattern that explains no arguments takes the explanations from its section of the file.
"""

from __future__ import annotations

import ast
import functools
import inspect
import operator
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import numpy as np

from setwise.bitboard import Bitboard, hexadecimal
from setwise.errors import DefinitionError

# -------------------------------------------------------------------- the kinds of values that patterns take and return


#: The flags of a function with ``*args`` or ``**kwargs``.
_MORE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class Kind(NamedTuple):
    """A kind of value: the largest value, the types in arrays and in Python, and how the other side sees a value."""

    name: str
    dtype: np.dtype[Any]
    largest: int
    python: Callable[[int], Any]
    #: Returns a value, or an array of them, as the other side sees it; a number is the same for both sides.
    turned: Callable[[Any], Any] = lambda value: value

    @property
    def is_set(self) -> bool:
        """Whether it is a set of squares."""
        return self.python is Bitboard

    def takes(self, value: Any) -> bool:
        """Whether a value needs no conversion: an int in range, for sets a Bitboard, too, which is no number."""
        return type(value) in (INTS if self.is_set else NUMBERS) and 0 <= value <= self.largest

    def is_no_set_as(self, value: Any) -> bool:
        """Whether a value is a Bitboard, and this kind is a number."""
        return isinstance(value, Bitboard) and not self.is_set

    @property
    def takes_every_item(self) -> bool:
        """Whether every number that an array of its type can hold is one of its values."""
        return self.dtype.kind == "u" and self.largest >= np.iinfo(self.dtype).max


_from_bytes = int.from_bytes


def flipped(squares: Any) -> Any:
    """Return a set, or an array of sets, with its ranks reversed."""
    if isinstance(squares, int):
        return int.__new__(Bitboard, _from_bytes(squares.to_bytes(8), "little"))
    return squares.byteswap()


def _diagonals_exchanged(lines: Any) -> Any:
    return lines & 3 | (lines & 4) << 1 | (lines & 8) >> 1


def _steps(word: int) -> int:
    """A word as a number of steps; 64 set bits are -1."""
    return word - (word >> 63 << 64)


if TYPE_CHECKING:
    from setwise.compiler.word_types import *  # noqa: F403  (a type checker sees these types under the names below)
else:
    from typing import ParamSpec, TypeVar

    Arguments, Value_co, Word_co = ParamSpec("Arguments"), TypeVar("Value_co"), TypeVar("Word_co")
    Set = Annotated[np.uint64, Kind("set of squares", np.dtype(np.uint64), 2**64 - 1, Bitboard, flipped)]
    Square = Annotated[np.uint64, Kind("square", np.dtype(np.uint8), 63, int, lambda square: square ^ 56)]
    Fileset = Annotated[np.uint64, Kind("fileset", np.dtype(np.uint8), 255, int)]
    #: A count. Signed in arrays, so that differences are right; wide enough for 64 queens, worth 576 pawns.
    Count = Annotated[np.uint64, Kind("count", np.dtype(np.int16), 2**15 - 1, int)]
    Flag = Annotated[np.uint64, Kind("flag", np.dtype(np.bool_), 1, bool)]
    #: A number of steps, -1 where there is no way: int8 in arrays, in compiled code a word of 64 set bits.
    Steps = Annotated[np.uint64, Kind("number of steps", np.dtype(np.int8), 127, _steps)]
    #: How many files wide an island is.
    Width = Annotated[np.uint64, Kind("width in files", np.dtype(np.uint8), 8, int)]
    #: A set of directions of lines, as a sum: 1 for ranks, 2 for files, 4 for diagonals, 8 for antidiagonals.
    Directions = Annotated[np.uint64, Kind("set of directions", np.dtype(np.int16), 15, int, _diagonals_exchanged)]
    #: A move in 16 bits, as `rules.moves` packs it.
    Move = Annotated[np.uint64, Kind("move", np.dtype(np.uint16), 0xFFFF, int)]
    #: A number of leaves of a tree of moves, wider than a count.
    Leaves = Annotated[np.uint64, Kind("number of leaves", np.dtype(np.uint64), 2**64 - 1, int)]
    #: A piece of one colour: P N B R Q K are 1 to 6, plus 8 for White; 0 is none.
    Piece = Annotated[np.uint64, Kind("piece", np.dtype(np.uint8), 15, int)]
    #: A key of a position.
    Key = Annotated[np.uint64, Kind("key", np.dtype(np.uint64), 2**64 - 1, int)]


def _kinds_by_name(function: Callable[..., Any]) -> dict[str, Kind] | None:
    """The kinds of a plain function whose annotations are names of kinds; others take much longer to read."""
    if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__") or function.__code__.co_flags & _MORE:
        return None
    code, written = function.__code__, function.__annotations__
    names = (*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], "return")
    kinds: dict[str, Any] = {}
    for name in names:
        hint = written.get(name)
        kind = function.__globals__.get(hint) if isinstance(hint, str) else hint
        kinds[name] = getattr(kind, "__metadata__", (None,))[0]
    return kinds if all(isinstance(kind, Kind) for kind in kinds.values()) else None


def kinds_of(function: Callable[..., Any]) -> dict[str, Kind]:
    """Return the kinds of a definition's arguments, and of its result under ``return``."""
    named = _kinds_by_name(function)
    if named is not None:
        return named
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise DefinitionError(f"the annotations of the pattern {function.__name__} cannot be read: {error}") from None
    names = [*inspect.signature(function).parameters, "return"]
    for name in names:
        if not isinstance(getattr(hints.get(name), "__metadata__", (None,))[0], Kind):
            what = "the result" if name == "return" else f"the argument {name!r}"
            raise DefinitionError(
                f"{what} of the pattern {function.__name__} needs a kind: Set, Square, Fileset, Count, Flag …, "
                f"as in `def {function.__name__}(squares: Set) -> Set`"
            )
    return {name: hints[name].__metadata__[0] for name in names}


# ------------------------------------------------------------------------------------------------- the types of entries


class Signature(NamedTuple):
    """The types of the result and of the arguments."""

    returns: Type
    arguments: tuple[Type, ...]


class _Made:
    """The module that compiles definitions. The package sets it here, so that definitions need not import it."""

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
        """NumPy's type of this number."""
        return np.dtype(np.bool_ if self.name == "boolean" else self.name)


@dataclass(frozen=True)
class Array(Type):
    """An array of numbers. Several dimensions are in the order of C, unless ``layout`` is "A", for any order."""

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
    """A type that this package defines, by its place in ``llvm``."""

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
    """Return a description of the fault in the arguments of a call, a wrong number or a wrong array; None without one.

    Compiled code reads memory as its signature says, without checking the arguments that it gets.
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


# -------------------------------------------------------------------------------------------- docstrings of definitions


_ARGS = re.compile(r"^Args:\n((?: {4}.*\n?)+)", re.MULTILINE)
_ENTRY = re.compile(r"^ {4}(\w+): .*(?:\n {8}.*)*", re.MULTILINE)
_SECTION = re.compile(r"^(?=\w+:$)", re.MULTILINE)


def explained(function: Callable[..., Any]) -> str | None:
    """Return the docstring of a definition; if it explains no arguments, with the explanations of its section."""
    meanings = _meanings(of_section(function))
    docstring = inspect.getdoc(function) if meanings else None
    if docstring is None or _ARGS.search(docstring):
        return function.__doc__
    entries = [meanings[name] for name in inspect.signature(function).parameters if name in meanings]
    before, *sections = _SECTION.split(docstring)
    return "".join([before, *(["Args:\n", "\n".join(entries), "\n\n"] if entries else []), *sections])


def of_section(function: Callable[..., Any]) -> str:
    """Return the text that begins the section of a definition, or the docstring of a file without sections."""
    module, first = sys.modules.get(function.__module__), function.__code__.co_firstlineno
    return next((text for line, text in reversed(_texts(module)) if line < first), "") if module else ""


@functools.cache
def _texts(module: ModuleType) -> list[tuple[int, str]]:
    """The texts of a file that are statements, with their lines."""
    try:
        body = ast.parse(inspect.getsource(module)).body
    except (OSError, TypeError, SyntaxError):  # as in a notebook
        return [(0, module.__doc__ or "")]
    alone = ((statement.lineno, statement.value) for statement in body if isinstance(statement, ast.Expr))
    return [(line, it.value) for line, it in alone if isinstance(it, ast.Constant) and isinstance(it.value, str)]


@functools.cache
def _meanings(docstring: str) -> dict[str, str]:
    """The entries of the arguments that a module explains."""
    section = _ARGS.search(inspect.cleandoc(docstring)) if "Args:" in docstring else None
    return {entry[1]: entry[0] for entry in _ENTRY.finditer(section[1])} if section else {}


# ------------------------------------------------------------------------- the arguments that Python passes to patterns


#: The types whose values in range need no conversion.
NUMBERS = frozenset({int, bool})
INTS = NUMBERS | {Bitboard}


def admitted(pattern: str, name: str, kind: Kind, value: Any) -> Any:
    """Return an argument that is not a plain int in range as an int or an array, or raise."""
    if kind.is_no_set_as(value):
        raise TypeError(
            f"{name} of {pattern} is a {kind.name}, 0 to {kind.largest:#x}, and {value!r} is a set of squares"
        )
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
    """The int that Python or NumPy makes of a value; None if neither makes one."""
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
