"""The kinds of values that patterns take and return: how arguments are checked, how arrays hold them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, TypeAlias

import numpy as np

from setwise.bitboard import Bitboard

__all__ = ["Count", "Fileset", "Flag", "Kind", "Set", "Square", "Steps", "Width"]


class Kind(NamedTuple):
    """A kind of value: how large it may be, the type of arrays of it, the Python type of one."""

    name: str
    dtype: np.dtype[Any]
    largest: int
    python: Callable[[int], Any]

    @property
    def is_set(self) -> bool:
        """Whether it is a set of squares."""
        return self.python is Bitboard

    def turned(self, value: Any) -> Any:
        """The value as the other side sees it; numbers that are not squares are the same for both."""
        if self.is_set:
            array = isinstance(value, np.ndarray)
            return value.byteswap() if array else Bitboard(int.from_bytes(int(value).to_bytes(8, "little"), "big"))
        return value ^ 56 if self.name == "square" else value


def _steps(word: int) -> int:
    """A word as a number of steps; 64 set bits are -1."""
    return word - (word >> 63 << 64)


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    #: The Python type of a value, and the NumPy type of an array's items.
    Result_co = TypeVar("Result_co", default=Any, covariant=True)
    Item_co = TypeVar("Item_co", bound=np.generic, default=Any, covariant=True)

    class Word(Generic[Result_co, Item_co]):
        """A value in a definition, as a type checker sees it: it has the operations of a machine word."""

        def __and__(self, other: object, /) -> Any: ...
        def __rand__(self, other: object, /) -> Any: ...
        def __or__(self, other: object, /) -> Any: ...
        def __ror__(self, other: object, /) -> Any: ...
        def __xor__(self, other: object, /) -> Any: ...
        def __rxor__(self, other: object, /) -> Any: ...
        def __add__(self, other: object, /) -> Any: ...
        def __radd__(self, other: object, /) -> Any: ...
        def __sub__(self, other: object, /) -> Any: ...
        def __rsub__(self, other: object, /) -> Any: ...
        def __mul__(self, other: object, /) -> Any: ...
        def __rmul__(self, other: object, /) -> Any: ...
        def __floordiv__(self, other: object, /) -> Any: ...
        def __rfloordiv__(self, other: object, /) -> Any: ...
        def __mod__(self, other: object, /) -> Any: ...
        def __rmod__(self, other: object, /) -> Any: ...
        def __lshift__(self, other: object, /) -> Any: ...
        def __rlshift__(self, other: object, /) -> Any: ...
        def __rshift__(self, other: object, /) -> Any: ...
        def __rrshift__(self, other: object, /) -> Any: ...
        def __lt__(self, other: Any, /) -> bool: ...
        def __le__(self, other: Any, /) -> bool: ...
        def __gt__(self, other: Any, /) -> bool: ...
        def __ge__(self, other: Any, /) -> bool: ...
        def __invert__(self) -> Any: ...
        def __index__(self) -> int: ...

    Set: TypeAlias = np.uint64 | Word[Bitboard, np.uint64]
    Square: TypeAlias = np.uint64 | Word[int, np.uint8]
    Fileset: TypeAlias = np.uint64 | Word[int, np.uint8]
    Count: TypeAlias = np.uint64 | Word[int, np.int16]
    Flag: TypeAlias = np.uint64 | Word[bool, np.bool]
    Steps: TypeAlias = np.uint64 | Word[int, np.int8]
    Width: TypeAlias = np.uint64 | Word[int, np.uint8]
else:
    from typing import TypeVar

    Result_co, Item_co = TypeVar("Result_co"), TypeVar("Item_co")
    Set = Annotated[np.uint64, Kind("set of squares", np.dtype(np.uint64), 2**64 - 1, Bitboard)]
    Square = Annotated[np.uint64, Kind("square", np.dtype(np.uint8), 63, int)]
    Fileset = Annotated[np.uint64, Kind("fileset", np.dtype(np.uint8), 255, int)]
    #: A count. Signed in arrays, so that differences are right; wide enough for 64 queens, worth 576 pawns.
    Count = Annotated[np.uint64, Kind("count", np.dtype(np.int16), 2**15 - 1, int)]
    Flag = Annotated[np.uint64, Kind("flag", np.dtype(np.bool_), 1, bool)]
    #: A number of steps, -1 where there is no way: int8 in arrays, in compiled code a word of 64 set bits.
    Steps = Annotated[np.uint64, Kind("number of steps", np.dtype(np.int8), 127, _steps)]
    #: How many files wide an island is.
    Width = Annotated[np.uint64, Kind("width in files", np.dtype(np.uint8), 8, int)]
