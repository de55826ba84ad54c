"""The kinds of values that patterns take and return: how arguments are checked, how arrays hold them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, TypeAlias, get_type_hints

import numpy as np

from setwise.bitboard import Bitboard
from setwise.errors import DefinitionError

__all__ = ["Count", "Fileset", "Flag", "Kind", "Move", "Set", "Square", "Steps", "Width", "kinds_of"]


#: The flags of a function with ``*args`` or ``**kwargs``.
_MORE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


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

    @property
    def takes_every_item(self) -> bool:
        """Whether every number that an array of its type can hold is one of its values."""
        return self.dtype.kind == "u" and self.largest >= np.iinfo(self.dtype).max

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
    from typing import Self

    from typing_extensions import ParamSpec, TypeVar

    #: The arguments of a definition, as compiled code passes them; its result; a pattern's result, not a plain word.
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

    class SetWord(BitsWord[Bitboard, np.uint64]): ...

    class SquareWord(NumberWord[int, np.uint8]): ...

    class FilesetWord(BitsWord[int, np.uint8]): ...

    class CountWord(NumberWord[int, np.int16]): ...

    class FlagWord(NumberWord[bool, np.bool]): ...

    class StepsWord(NumberWord[int, np.int8]): ...

    class WidthWord(NumberWord[int, np.uint8]): ...

    class MoveWord(NumberWord[int, np.uint16]): ...

    Set: TypeAlias = np.uint64 | SetWord
    Square: TypeAlias = np.uint64 | SquareWord
    Fileset: TypeAlias = np.uint64 | FilesetWord
    Count: TypeAlias = np.uint64 | CountWord
    Flag: TypeAlias = np.uint64 | FlagWord
    Steps: TypeAlias = np.uint64 | StepsWord
    Width: TypeAlias = np.uint64 | WidthWord
    Move: TypeAlias = np.uint64 | MoveWord
else:
    from typing import ParamSpec, TypeVar

    Arguments, Value_co, Word_co = ParamSpec("Arguments"), TypeVar("Value_co"), TypeVar("Word_co")
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
    #: A move in 16 bits, as `rules.moves` packs it.
    Move = Annotated[np.uint64, Kind("move", np.dtype(np.uint16), 0xFFFF, int)]


def _kinds_by_name(function: Callable[..., Any]) -> dict[str, Kind] | None:
    """The kinds of a plain function whose annotations are names of kinds; reading others takes many times as long."""
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
