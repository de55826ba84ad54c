"""The decorators of definitions: entries that Python calls, patterns for ints, arrays and compiled code.

Nothing compiles at import. A pattern or an entry is compiled for one pinned signature when it is first used (without
one, Numba would compile a *signed* version for a Python int, with wrong results), and the machine code is kept on disk.
A definition does not import the module that compiles it: it gets its code from ``MADE.targets``, which the package
sets. Machine code checks the arguments where that is cheap; Python checks them in full only if machine code refuses
them, because a pattern takes less time than a check in Python. `Pattern.for_black` turns arguments and result by their
kinds. `plain` returns any definition as Python code that NumPy evaluates; tables are built with it at import.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
from numpy import ndarray

from setwise.compiler.kinds import (
    MADE,
    Arguments,
    Kind,
    Signature,
    Type,
    Value_co,
    Word_co,
    admitted,
    described,
    explained,
    kinds_of,
    mismatch,
    uint64,
)
from setwise.compiler.words import IN_NUMPY, Embedded, InCompiledCode

if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    from numpy.typing import NDArray

    from setwise.compiler.kinds import Item_co, Result_co, Word

    class Viewable(Protocol):
        """A value that NumPy can view as an array: a NumPy array, a Series of Polars or pandas, a column of Arrow."""

        def __array__(self) -> NDArray[Any]: ...

    Numbers: TypeAlias = int | Viewable | Sequence[int]
    #: The types of arguments that Python passes to an entry.
    Argument: TypeAlias = int | float | bytes | NDArray[Any] | tuple[Any, ...]


Function = TypeVar("Function", bound=Callable[..., Any])


# ------------------------------------------------------------------------------------------------- compiled functions


class Routine(InCompiledCode):
    """A helper that only compiled code calls: no wrappers, no machine code of its own."""

    def __init__(self, function: Any, *, inlined: bool) -> None:
        self.function: Callable[..., Any] = function.function if isinstance(function, Routine) else function
        self.inlined = inlined
        functools.update_wrapper(self, self.function)
        self.name = self.function.__qualname__


def routine(function: Function) -> Function:
    """Mark a helper for compiled code only.

    It is compiled into its callers, for the types in the callers: boards of ten words then stay in registers, while a
    call would pass them through memory (which took half of perft's time when it was measured).
    """
    marked: Any = Routine(function, inlined=True)
    return marked


def subroutine(function: Function) -> Function:
    """Mark a helper for compiled code only, which is not always inlined because it is long or has many callers."""
    marked: Any = Routine(function, inlined=False)
    return marked


class ByProcessor(InCompiledCode):
    """One of two routines with the same answers: for processors that have a feature, and for all others."""

    def __init__(self, feature: str, routine: Any, otherwise: Any) -> None:
        self.feature, self.routine, self.otherwise = feature, routine, otherwise
        self.name = otherwise.name


def by_processor(feature: str, routine: Function, otherwise: Function) -> Function:
    """Return one of two routines, chosen when code is compiled: by LLVM's name of a processor's feature."""
    decided: Any = ByProcessor(feature, routine, otherwise)
    return decided


def plain(function: Any) -> FunctionType:
    """Return a definition, and the compiled functions that it names, as plain Python that NumPy can evaluate."""
    match function:
        case ByProcessor():
            return plain(function.otherwise)
        case Routine() | Entry():
            return plain(function.function)
    scope = function.__globals__
    used = {name: scope[name] for name in function.__code__.co_names if name in scope}
    cells = tuple(CellType(_plain_value(cell.cell_contents)) for cell in function.__closure__ or ())
    plain_scope = scope | {name: _plain_value(thing) for name, thing in used.items()}
    return FunctionType(function.__code__, plain_scope, closure=cells or None)


def _plain_value(thing: Any) -> Any:
    """A value that a definition names, in the form that NumPy needs."""
    if isinstance(thing, Routine | Entry | ByProcessor):
        return plain(thing)
    if isinstance(thing, Embedded):
        return lambda index: thing.table[index]
    return next((numpy for word, numpy in IN_NUMPY if thing is word), thing)


class Entry(Generic[Arguments, Value_co]):
    """A compiled function with a pinned signature, compiled when it is first called (from Python or compiled code)."""

    #: Whether the body is inlined into callers in compiled code; a recursive function cannot be.
    inlined = False
    #: Whether it computes only with sets, so that a signed number in it is a mistake.
    of_sets = False

    def __init__(self, function: Callable[..., Any], signature: Signature) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.signature = signature
        #: The machine code itself, which checks nothing; but the machine code of a pattern accepts only ints in range,
        #: and returns None for all other arguments. A plain attribute, as reading a property takes ten times as long.
        self.raw: Callable[..., Any] = self._first_call

    def __reduce__(self) -> str:
        return self.function.__qualname__  # pickled by name, as functions are

    @functools.cached_property
    def name(self) -> str:
        """The name of the definition, and of its file in the cache: ``knight.attacks``, ``rules.perft.nodes``.

        The name consists of the module and the function. For a pattern the module is its topic, even if the topic is a
        folder of several files; the name of a definition in a notebook or a script has no module.
        """
        path = self.__module__.split(".")
        if path[:2] == ["setwise", "patterns"]:
            path = path[2:3]
        elif path == ["__main__"]:
            path = []
        return ".".join([*path, self.function.__qualname__]).removeprefix("setwise.")

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, compiled (or loaded) for one signature; it refuses all others."""
        return MADE.targets.dispatcher_of(self)

    @property
    def _numba_type_(self) -> Any:
        return MADE.targets.type_of(self)

    def _first_call(self, *args: Any) -> Any:
        """Compile, or load from the cache, and replace ``raw`` with the machine code."""
        self.raw = MADE.targets.machine_code(self)
        return self.raw(*args)

    def warmup(self) -> None:
        """Compile, or load, everything that a first call would compile or load."""
        self.raw = MADE.targets.machine_code(self)

    def cached(self) -> bool:
        """Return whether a first call would compile nothing."""
        return MADE.targets.has_code(self)

    @overload  # in compiled code
    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Value_co: ...

    @overload
    def __call__(self, *args: Argument) -> Any: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the compiled function with arguments of its signature; raise ``TypeError`` for others."""
        if (wrong := mismatch(self.signature, args)) or kwargs:
            raise TypeError(f"{self.name} {wrong or 'takes no arguments by name'}")
        return self.raw(*args)


def entry(returns: Type, *arguments: Type) -> Callable[[Callable[Arguments, Value_co]], Entry[Arguments, Value_co]]:
    """Mark a compiled function that Python calls: the types of the result and of each argument."""
    mark: Any = lambda function: Entry(function, Signature(returns, arguments))  # noqa: E731
    return mark


# ------------------------------------------------------------------------------------------------------------ patterns


class _Explained:
    """The docstring of a class; for a pattern, the docstring of its definition, built when it is read."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __get__(self, pattern: Pattern | None, kind: type) -> str | None:
        return self.text if pattern is None else explained(pattern.function)


class Pattern(Entry[Arguments, np.uint64 | Word_co], Generic[Arguments, Word_co]):
    """A set-wise pattern: one definition, called with ints, with arrays, or by name inside compiled code.

    With ints (0 to 2**64-1) the result is a ``Bitboard`` for a set, an int for a count or a fileset. With arrays, or
    anything that NumPy can view as unsigned integers, the result is an array: sets as uint64, squares and filesets as
    uint8, counts as int16, flags as bool; ints among the arguments broadcast, and ``out=`` takes an array for the
    result. A signed 64-bit array is read as the same bits, because Arrow, Parquet and SQL hold sets in this form.
    Arrays of booleans are flags, not sets.

    Raises ``TypeError`` for floats and other wrong types, ``ValueError`` for numbers out of range (a negative int, more
    than 64 bits, a square above 63) and for shapes that do not broadcast; each names the argument.
    """

    __doc__ = _Explained(__doc__)

    inlined = True
    of_sets = True

    #: The two stages of a function that examines only candidates more closely (see `llvm.loops.lowered`).
    stages: tuple[Any, Any] | None = None

    def __init__(self, function: Callable[..., Any]) -> None:
        kinds = kinds_of(function)
        self.returns: Kind = kinds.pop("return")
        self.kinds: dict[str, Kind] = kinds
        #: For each argument the type of arrays whose items are all admitted, or None; the last is the result's type.
        admitted_ones = (kind.dtype if kind.takes_every_item else None for kind in kinds.values())
        self._dtypes = (*admitted_ones, self.returns.dtype)
        super().__init__(function, Signature(uint64, (uint64,) * len(kinds)))

    def __repr__(self) -> str:
        return f"<pattern {self.name}({', '.join(self.kinds)})>"

    @functools.cached_property
    def plain(self) -> Callable[..., Any]:
        """The same definition for arrays of uint64, evaluated without compiling; it builds tables at import."""
        return plain(self.function)

    @functools.cached_property
    def ufunc(self) -> np.ufunc:
        """The same definition as a NumPy ufunc: the loop over arrays without the checks of arguments."""
        return MADE.targets.ufunc_of(self)

    def warmup(self) -> None:
        """Compile, or load from the cache, both the function and its loop over arrays."""
        super().warmup()
        self.ufunc  # noqa: B018

    @overload  # type: ignore[override]  # in a definition
    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> np.uint64 | Word_co: ...

    @overload  # with an array among them, the next
    def __call__(self: Pattern[..., Word[Result_co, Item_co]], *args: int) -> Result_co: ...  # type: ignore[overload-overlap]

    @overload
    def __call__(
        self: Pattern[..., Word[Result_co, Item_co]], *args: Numbers, out: NDArray[Item_co] | None = None
    ) -> NDArray[Item_co]: ...

    def __call__(self, *args: Any, out: np.ndarray | None = None) -> Any:  # type: ignore[misc]
        """Check the arguments and call the function for ints, or its loop for arrays."""
        # The usual arguments need few checks: ints in range, which machine code checks, or arrays whose items are all
        # admitted. A loop that counts is faster here than `zip`, which took a third of a call for a short array.
        if out is None:
            answer = self.raw(*args)
            if answer is not None:
                return answer
        if len(args) == len(self.kinds) and (out is None or (type(out) is ndarray and out.dtype is self._dtypes[-1])):
            at = 0
            for value in args:
                if type(value) is not ndarray or value.dtype is not self._dtypes[at] or not value.ndim:
                    break
                at += 1  # noqa: SIM113
            else:
                try:
                    return self.ufunc(*args) if out is None else self.ufunc(*args, out)
                except ValueError:  # the shapes do not fit, or `out` is read-only: reported below
                    pass
        return self._checked(args, out)

    def _first_call(self, *args: Any) -> Any:
        return super()._first_call(*args) if self.takes(args) else None

    def takes(self, values: tuple[Any, ...]) -> bool:
        """Return whether machine code accepts these values: ints in the ranges of the arguments."""
        kinds = self.kinds.values()
        return len(values) == len(kinds) and all(kind.takes(value) for value, kind in zip(values, kinds, strict=True))

    def _checked(self, args: tuple[Any, ...], out: np.ndarray | None) -> Any:
        """The result for arguments of any type; each argument is checked."""
        if len(args) != len(self.kinds):
            takes = f"{len(self.kinds)} argument{'s'[: len(self.kinds) > 1]} ({', '.join(self.kinds)})"
            raise TypeError(f"{self.name} takes {takes}, not {len(args)}")
        if any(hasattr(value, "__cuda_array_interface__") for value in args):
            return MADE.targets.answered_on_card(self, args, out)
        checked = [
            value if kind.takes(value) else admitted(self.name, name, kind, value)
            for (name, kind), value in zip(self.kinds.items(), args, strict=True)
        ]
        if out is None and not any(isinstance(value, np.ndarray) for value in checked):
            return self.raw(*checked)
        arrays = [
            value if isinstance(value, np.ndarray) else kind.dtype.type(value)
            for kind, value in zip(self.kinds.values(), checked, strict=True)
        ]
        if out is not None and (not isinstance(out, np.ndarray) or out.dtype != self.returns.dtype):
            raise TypeError(f"out= of {self.name} is an array of {self.returns.dtype}, not {described(out)}")
        if out is not None and not out.flags.writeable:
            raise ValueError(f"out= of {self.name} is an array to write to, and this one is read-only")
        try:
            return self.ufunc(*arrays) if out is None else self.ufunc(*arrays, out=out)
        except ValueError as error:
            shapes = ", ".join(f"{name} {np.shape(a)}" for name, a in zip(self.kinds, arrays, strict=True))
            shapes += f", out {out.shape}" if out is not None else ""
            raise ValueError(f"the shapes of {self.name} do not broadcast: {shapes}") from error

    @overload
    def for_black(self: Pattern[..., Word[Result_co, Item_co]], *args: int) -> Result_co: ...  # type: ignore[overload-overlap]

    @overload
    def for_black(self: Pattern[..., Word[Result_co, Item_co]], *args: Numbers) -> NDArray[Item_co]: ...

    def for_black(self, *args: Any) -> Any:
        """Call the pattern for the side that moves down the board, whose pieces are now "ours".

        The arguments are turned, and the result is turned back, each as its kind says: sets and squares are mirrored,
        directions exchange the diagonals, numbers stay as they are. Arrays on a graphics card are flipped by
        ``compass.flip_vertical`` instead.
        """
        if any(hasattr(value, "__cuda_array_interface__") for value in args):
            raise TypeError(
                f"{self.name}.for_black takes no arrays on a card: flip sets there by compass.flip_vertical"
            )
        turned = [
            kind.turned(admitted(self.name, name, kind, value))
            for (name, kind), value in zip(self.kinds.items(), args, strict=False)
        ]
        return self.returns.turned(self(*turned, *args[len(turned) :]))  # type: ignore[call-arg]


#: Every pattern that is defined, by its name.
PATTERNS: dict[str, Pattern] = {}


def pattern(function: Callable[Arguments, np.uint64 | Word_co]) -> Pattern[Arguments, Word_co]:
    """Turn a definition whose arguments and result are annotated with kinds (``Set``, ``Square`` …) into a Pattern."""
    defined: Pattern[Arguments, Word_co] = Pattern(function)
    del defined.__doc__
    PATTERNS[defined.name] = defined
    return defined
