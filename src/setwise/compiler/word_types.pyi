"""The kinds of values as a type checker sees them; ``kinds`` has what they are in running code."""

from typing import Any, Generic, Self, TypeAlias

import numpy as np
from typing_extensions import ParamSpec, TypeVar

from setwise.bitboard import Bitboard

#: The arguments of a definition, as compiled code passes them; its result; a pattern's result, which has a kind.
Arguments = ParamSpec("Arguments", default=...)
Value_co = TypeVar("Value_co", default=Any, covariant=True)
Word_co = TypeVar("Word_co", default=Any, covariant=True)

#: The Python type of a value, and the NumPy type of an array's items.
Result_co = TypeVar("Result_co", default=Any, covariant=True)
Item_co = TypeVar("Item_co", bound=np.generic, default=Any, covariant=True)

# To a type checker, values of two kinds have two types, and neither type accepts the other. A plain ``np.uint64``
# fits every kind: constants are plain words, an operation on a plain word and a value of some kind, in this order,
# returns a plain word, and ``np.uint64(value)`` says that a value changes its kind.

class Word(Generic[Result_co, Item_co]):
    """A value of one kind in a definition."""

    def __index__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __lt__(self, other: np.uint64 | Self, /) -> bool: ...
    def __le__(self, other: np.uint64 | Self, /) -> bool: ...
    def __gt__(self, other: np.uint64 | Self, /) -> bool: ...
    def __ge__(self, other: np.uint64 | Self, /) -> bool: ...
    def __rand__(self, other: np.uint64, /) -> np.uint64: ...
    def __ror__(self, other: np.uint64, /) -> np.uint64: ...
    def __rxor__(self, other: np.uint64, /) -> np.uint64: ...
    def __radd__(self, other: np.uint64, /) -> np.uint64: ...
    def __rsub__(self, other: np.uint64, /) -> np.uint64: ...
    def __rmul__(self, other: np.uint64, /) -> np.uint64: ...

class BitsWord(Word[Result_co, Item_co]):
    """A value whose bits are members: its operations, and shifts by numbers, return the same kind."""

    def __and__(self, other: np.uint64 | Self, /) -> Self: ...
    def __or__(self, other: np.uint64 | Self, /) -> Self: ...
    def __xor__(self, other: np.uint64 | Self, /) -> Self: ...
    def __invert__(self) -> Self: ...
    def __lshift__(self, other: np.uint64 | NumberWord, /) -> Self: ...
    def __rshift__(self, other: np.uint64 | NumberWord, /) -> Self: ...
    def __add__(self, other: np.uint64 | Self, /) -> Self: ...
    def __sub__(self, other: np.uint64 | Self, /) -> Self: ...
    def __mul__(self, other: np.uint64, /) -> np.uint64: ...

class NumberWord(Word[Result_co, Item_co]):
    """A value that is a number: sums and differences return the same kind, other operations a plain word."""

    def __add__(self, other: np.uint64 | Self, /) -> Self: ...
    def __sub__(self, other: np.uint64 | Self, /) -> Self: ...
    def __xor__(self, other: np.uint64 | Self, /) -> Self: ...
    def __and__(self, other: np.uint64 | Self, /) -> np.uint64: ...
    def __or__(self, other: np.uint64 | NumberWord, /) -> np.uint64: ...
    def __mul__(self, other: np.uint64 | NumberWord, /) -> np.uint64: ...
    def __floordiv__(self, other: np.uint64 | NumberWord, /) -> np.uint64: ...
    def __mod__(self, other: np.uint64 | NumberWord, /) -> np.uint64: ...
    def __lshift__(self, other: np.uint64 | NumberWord, /) -> np.uint64: ...
    def __rlshift__(self, other: np.uint64, /) -> np.uint64: ...
    def __rshift__(self, other: np.uint64 | NumberWord, /) -> np.uint64: ...
    def __rrshift__(self, other: np.uint64, /) -> np.uint64: ...

class SetWord(BitsWord[Bitboard, np.uint64]):
    """A set of squares."""

class SquareWord(NumberWord[int, np.uint8]):
    """A square."""

class FilesetWord(BitsWord[int, np.uint8]):
    """A set of files."""

class CountWord(NumberWord[int, np.int16]):
    """A count."""

class FlagWord(NumberWord[bool, np.bool]):
    """A truth value."""

class StepsWord(NumberWord[int, np.int8]):
    """A number of steps."""

class WidthWord(NumberWord[int, np.uint8]):
    """A width in files."""

class DirectionsWord(BitsWord[int, np.int16]):
    """A set of directions of lines."""

class MoveWord(NumberWord[int, np.uint16]):
    """A move in 16 bits."""

class LeavesWord(NumberWord[int, np.uint64]):
    """A number of leaves of a tree."""

class PieceWord(NumberWord[int, np.uint8]):
    """A piece of one colour."""

class KeyWord(NumberWord[int, np.uint64]):
    """A key of a position."""

Set: TypeAlias = np.uint64 | SetWord
Square: TypeAlias = np.uint64 | SquareWord
Fileset: TypeAlias = np.uint64 | FilesetWord
Count: TypeAlias = np.uint64 | CountWord
Flag: TypeAlias = np.uint64 | FlagWord
Steps: TypeAlias = np.uint64 | StepsWord
Width: TypeAlias = np.uint64 | WidthWord
Directions: TypeAlias = np.uint64 | DirectionsWord
Move: TypeAlias = np.uint64 | MoveWord
Leaves: TypeAlias = np.uint64 | LeavesWord
Piece: TypeAlias = np.uint64 | PieceWord
Key: TypeAlias = np.uint64 | KeyWord
