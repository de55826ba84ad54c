"""Patterns of arrays that are on a graphics card; the result stays on the card.

Every object with ``__cuda_array_interface__`` is such an array. Results are arrays of CuPy or Numba; for arrays of
other packages, ``out=`` is required.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from setwise.compiler.definitions import Pattern
from setwise.compiler.kinds import Kind, admitted, described
from setwise.errors import CompilerMissing

_BLOCK, _MOST_BLOCKS = 256, 1 << 16
_INSTALL = "pip install 'setwise[cuda]' installs what drives it"
#: Bytes of stack for each thread of a kernel whose functions call themselves: the driver cannot know how deep the calls
#: go, and reserves only 1,024. An exchange calls itself once for each piece that attacks a square, at most 36 times,
#: and takes 1,208 bytes each time (compiled for sm_90); the search that calls it takes 20,000.
_STACK = 1 << 16

#: For each package of arrays, the function that makes an array on the card with a shape and a type.
_MAKERS: dict[str, Callable[[], Callable[..., Any]]] = {
    "cupy": lambda: __import__("cupy").empty,
    "numba": lambda: __import__("numba.cuda").cuda.device_array,
}


def lies_on_card(value: Any) -> bool:
    """Return whether a value is an array on a graphics card."""
    return hasattr(value, "__cuda_array_interface__")


class CardColumn(NamedTuple):
    """An array on the card: the address of its first item, the bytes from one item to the next, its shape."""

    address: int
    steps: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    stream: int | None
    writeable: bool

    def step_for(self, shape: tuple[int, ...]) -> int | None:
        """The bytes from one item to the next in a broadcast shape; None if the steps are not all equal."""
        missing = len(shape) - len(self.shape)
        steps = [0] * missing + [0 if mine == 1 else step for mine, step in zip(self.shape, self.steps, strict=True)]
        kept = [(length, step) for length, step in zip(shape, steps, strict=True) if length != 1]
        if any(step != below * length for (_, step), (length, below) in itertools.pairwise(kept)):
            return None
        return kept[-1][1] if kept else 0


def _column(what: str, value: Any) -> CardColumn:
    interface = value.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise TypeError(f"{what} has a mask, which patterns do not read: fill it first")
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    steps = interface.get("strides") or [dtype.itemsize * math.prod(shape[at + 1 :]) for at in range(len(shape))]
    address, readonly = interface["data"]
    if any(number % dtype.itemsize for number in (address, *steps)):
        raise ValueError(f"{what} has items that do not begin at multiples of their size: copy it")
    return CardColumn(address, tuple(steps), shape, dtype, interface.get("stream"), not readonly)


def answered(pattern: Pattern, values: Sequence[Any], out: Any) -> Any:
    """Return a pattern's result for arrays on a card and perhaps ints; ``out`` takes the result if it is given.

    The kernel is launched on the stream of the first array that has one, after the work in the other arrays' streams.

    Raises:
        TypeError: for arrays of other types, and for arrays in the computer's memory.
        ValueError: for shapes that do not broadcast, or whose items do not follow each other by equal steps.
        CompilerMissing: without the packages that drive a card.
    """
    columns = [
        _argument(pattern, name, kind, it) for (name, kind), it in zip(pattern.kinds.items(), values, strict=True)
    ]
    arrays = [column for column in columns if isinstance(column, CardColumn)]
    result = _result(pattern, out) if out is not None else None
    try:
        shape = np.broadcast_shapes(*(column.shape for column in arrays))
    except ValueError:
        raise ValueError(f"the shapes of {pattern.name} do not broadcast: {_shapes(pattern, columns)}") from None
    if result is None:
        out = _made(pattern, next(filter(lies_on_card, values)), shape)
        result = _result(pattern, out)
    if result.shape != shape:
        raise ValueError(f"out= of {pattern.name} has the shape {result.shape}, and the answer {shape}")
    words: list[Any] = []
    for name, column in (("out=", result), *zip(pattern.kinds, columns, strict=True)):
        words += _words(pattern, name, column, shape)
    if count := math.prod(shape):
        streams = [array.stream for array in (*arrays, result) if array.stream is not None]
        _driver().launch(pattern, [np.int64(count), *words[:2], *words[3:]], streams)
    return out


def computed(pattern: Pattern, values: Sequence[Any]) -> np.ndarray:
    """Return a pattern's result for arrays of NumPy and ints: the arrays are copied to the card, the result back.

    Raises:
        CompilerMissing: without the packages that drive a card, and without a card.
    """
    driver = _driver()
    held = [driver.put(value) if isinstance(value, np.ndarray) else value for value in values]
    shape = np.broadcast_shapes(*(value.shape for value in values if isinstance(value, np.ndarray)))
    result = np.empty(shape, pattern.returns.dtype)
    driver.get(answered(pattern, held, driver.put(result)), result)
    return result


def _words(pattern: Pattern, name: str, column: CardColumn | int, shape: tuple[int, ...]) -> list[Any]:
    """The parameters of a kernel for an argument: address and step of its items, or one number for all items."""
    if not isinstance(column, CardColumn):
        return [0, np.int64(0), np.uint64(column)]
    step = column.step_for(shape)
    if step is None:
        raise ValueError(
            f"{name} of {pattern.name} does not lie in a row on the graphics card: make it contiguous there, "
            "or broadcast it first"
        )
    return [column.address, np.int64(step), np.uint64(0)]


def _argument(pattern: Pattern, name: str, kind: Kind, value: Any) -> CardColumn | int:
    """An argument as a column on the card, or as a number."""
    if not lies_on_card(value):
        number = admitted(pattern.name, name, kind, value)
        if isinstance(number, np.ndarray):
            raise TypeError(
                f"{name} of {pattern.name} lies in the computer's memory and other arguments on the graphics card: "
                "bring all of them to one place (cupy.asarray)"
            )
        return int(number)
    column = _column(f"{name} of {pattern.name}", value)
    same_bits = column.dtype == np.int64 and kind.dtype == np.uint64
    if column.dtype != kind.dtype and not same_bits:
        raise TypeError(f"{name} of {pattern.name} is an array of {kind.dtype} on the card, not of {column.dtype}")
    if not kind.takes_every_item and kind.dtype != np.bool_ and 0 not in column.shape:
        _check_range(pattern, name, kind, value)
    return column


def _check_range(pattern: Pattern, name: str, kind: Kind, value: Any) -> None:
    """Refuse items that are not values of their kind; the card computes the largest and the smallest item."""
    if not hasattr(value, "max"):
        raise TypeError(f"{name} of {pattern.name} is a {kind.name}, whose items CuPy's arrays can check: cupy.asarray")
    if int(value.max()) > kind.largest or int(value.min()) < 0:
        raise ValueError(f"{name} of {pattern.name} is a {kind.name}, 0 to {kind.largest:#x}; the array goes beyond")


def _result(pattern: Pattern, out: Any) -> CardColumn:
    if not lies_on_card(out):
        raise TypeError(f"out= of {pattern.name} lies on the graphics card where arguments do, not {described(out)}")
    column = _column(f"out= of {pattern.name}", out)
    if column.dtype != pattern.returns.dtype:
        raise TypeError(f"out= of {pattern.name} is an array of {pattern.returns.dtype}, not of {column.dtype}")
    if not column.writeable:
        raise ValueError(f"out= of {pattern.name} is an array to write to, and this one is read-only")
    return column


def _made(pattern: Pattern, like: Any, shape: tuple[int, ...]) -> Any:
    """A new array of the same package as another array."""
    package = type(like).__module__.partition(".")[0]
    if package not in _MAKERS:
        raise TypeError(
            f"{pattern.name} cannot make an array of {package}: give out=, one of {pattern.returns.dtype} on the card"
        )
    return _MAKERS[package]()(shape, pattern.returns.dtype)


def _shapes(pattern: Pattern, columns: Iterable[CardColumn | int]) -> str:
    shapes = (column.shape if isinstance(column, CardColumn) else () for column in columns)
    return ", ".join(f"{name} {shape}" for name, shape in zip(pattern.kinds, shapes, strict=True))


class CardArray:
    """An array in the card's memory, which is freed with this object.

    Args:
        array: the array of NumPy that is copied there.
        driver: NVIDIA's bindings.
    """

    def __init__(self, array: np.ndarray, driver: Any) -> None:
        self._free = driver.cuMemFree
        error, address = driver.cuMemAlloc(max(array.nbytes, 1))
        if error != driver.CUresult.CUDA_SUCCESS:
            raise MemoryError(f"the graphics card has no {array.nbytes:,} bytes left")
        self.address = int(address)
        driver.cuMemcpyHtoD(self.address, array.ctypes.data, array.nbytes)
        data, shape = (self.address, False), array.shape
        self.__cuda_array_interface__ = {"shape": shape, "typestr": array.dtype.str, "data": data, "version": 3}

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self._free(self.address)


class Driver:
    """NVIDIA's driver: it loads kernels into the current card, and launches them."""

    def __init__(self) -> None:
        try:
            from cuda import core
        except ImportError:
            raise CompilerMissing(f"arrays on a graphics card need NVIDIA's driver for Python: {_INSTALL}") from None
        self._core = core

    def _device(self) -> Any:
        """The card, which is current in this thread from now on."""
        try:
            device = self._core.Device()
            device.set_current()
        except Exception as error:  # noqa: BLE001  (without a card the packages raise errors of several kinds)
            raise CompilerMissing(f"there is no graphics card that NVIDIA's driver can use: {error}") from None
        return device

    def put(self, array: np.ndarray) -> CardArray:
        """Copy an array to the card."""
        self._device()
        from cuda.bindings import driver

        return CardArray(array, driver)

    def get(self, held: CardArray, out: np.ndarray) -> None:
        """Copy an array from the card, when the work on it is done."""
        from cuda.bindings import driver

        if (error := driver.cuMemcpyDtoH(out.ctypes.data, held.address, out.nbytes)[0]) != 0:
            raise RuntimeError(f"the graphics card gave up: {error!r}")

    def launch(self, pattern: Pattern, words: list[Any], streams: list[int]) -> None:
        """Run a pattern's kernel on the card with its words, on the first stream, after the work in the others."""
        device = self._device()
        stream, *others = map(self._stream, dict.fromkeys(streams or [1]))
        for other in others:
            stream.wait(other)
        blocks = min(-(-int(words[0]) // _BLOCK), _MOST_BLOCKS)
        config = self._core.LaunchConfig(grid=blocks, block=_BLOCK)
        self._core.launch(stream, config, self._kernel(pattern, device.device_id), *words)

    @functools.cache  # noqa: B019  (there is one driver)
    def _kernel(self, pattern: Pattern, _: int) -> Any:
        from setwise.compiler.targets import ptx

        text = ptx.kernel_of(pattern)
        if ptx.calls_itself(text):
            self._deepen(pattern)
        return self._core.ObjectCode.from_ptx(text).get_kernel(ptx.KERNEL)

    @staticmethod
    def _deepen(pattern: Pattern) -> None:
        """Give each thread on the card the stack that the search of a pattern needs."""
        from cuda.bindings import driver

        limit = driver.CUlimit.CU_LIMIT_STACK_SIZE
        _, size = driver.cuCtxGetLimit(limit)
        if size < _STACK and driver.cuCtxSetLimit(limit, _STACK)[0] != driver.CUresult.CUDA_SUCCESS:
            raise MemoryError(
                f"{pattern.name} searches, which takes a stack of {_STACK:,} bytes for each thread of the graphics "
                "card, and its memory is too small or too full: free some, or call it with arrays of NumPy"
            )

    def _stream(self, handle: int) -> Any:
        """A stream by its number in the interface of arrays: 1 and 2 are the two default streams."""
        usual = {1: self._core.LEGACY_DEFAULT_STREAM, 2: self._core.PER_THREAD_DEFAULT_STREAM}
        return usual[handle] if handle in usual else self._core.Stream.from_handle(handle)


@functools.cache
def _driver() -> Driver:
    return Driver()
