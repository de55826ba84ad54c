"""One definition, several targets: the only place where anything is compiled.

Three decorators cover the whole package:

* ``@pattern`` turns a few lines on ``np.uint64`` values into a public :class:`Pattern`: callable on ints (a
  ``Bitboard`` comes out), on anything that NumPy can view as unsigned integers (an array comes out), and by its name
  inside other compiled code.
* ``@entry("signature")`` marks a compiled function that Python calls with arrays and numbers.
* ``@routine`` marks a helper that only compiled code calls, and ``@subroutine`` one that is too long to inline.

Nothing compiles at import. A pattern and an entry are compiled for one pinned signature when they are first used
(an unpinned Numba function called with a Python int would compile a *signed* version and answer wrongly), and the
machine code is kept on disk under a key made of the sources that it depends on, the processor and the compiler.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import caching, cgutils, compiler, serialize
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic
from numba.np.ufunc import _internal as ufunc_internal

from setwise.bitboard import Bitboard

__all__ = [
    "Count",
    "Entry",
    "Fileset",
    "Flag",
    "Kind",
    "Pattern",
    "Set",
    "Square",
    "cache_directory",
    "entry",
    "pattern",
    "routine",
    "scratch",
    "subroutine",
]


#: Whether this processor has BMI2, whose ``pext`` makes the fastest slider tables (executing it elsewhere aborts).
HAS_PEXT = numba.core.config.CPU_NAME in (None, "", "host") and bool(
    llvmlite.binding.get_host_cpu_features().get("bmi2")
)


# ---------------------------------------------------------------- the kinds of values that patterns take and return


class Kind(NamedTuple):
    """What a value is at the door: how large it may be, how arrays of it are stored, how Python sees it."""

    name: str
    dtype: np.dtype[Any]
    largest: int
    python: Callable[[int], Any]


Set = Annotated[np.uint64, Kind("set of squares", np.dtype(np.uint64), 2**64 - 1, Bitboard)]
Square = Annotated[np.uint64, Kind("square", np.dtype(np.uint8), 63, int)]
Fileset = Annotated[np.uint64, Kind("fileset", np.dtype(np.uint8), 255, int)]
Count = Annotated[np.uint64, Kind("count", np.dtype(np.uint8), 255, int)]
Flag = Annotated[np.uint64, Kind("flag", np.dtype(np.bool_), 1, bool)]


# ------------------------------------------------------------------------------------------ the cache of machine code

#: Called with a name just before something is compiled rather than loaded; a face may show it to the user.
announce: Callable[[str], None] | None = None


def _candidates() -> Iterator[Path]:
    if chosen := os.environ.get("SETWISE_CACHE_DIR"):
        yield Path(chosen)
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser() / "setwise"
    elif sys.platform == "darwin":
        yield Path("~/Library/Caches/setwise").expanduser()
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "setwise"
    yield Path(tempfile.gettempdir()) / f"setwise-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def _environment() -> str:
    """A digest of all but sources that machine code depends on: versions, processor, compiler switches."""
    codegen = numba.core.registry.cpu_target.target_context.codegen()
    switches = (numba.config.BOUNDSCHECK, numba.config.OPT, numba.config.DEBUGINFO_DEFAULT)
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    return hashlib.sha256(repr((codegen.magic_tuple(), switches, versions)).encode()).hexdigest()[:20]


@functools.cache
def cache_directory() -> Path | None:
    """Return the folder that holds machine code for this environment, or None where no folder can be written.

    ``SETWISE_CACHE_DIR`` comes first, then the user's cache folder, then the folder for temporary files. What nothing
    has touched for a month is removed.
    """
    key = _environment()
    for root in _candidates():
        folder = root / key
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
                continue
            os.utime(folder)
            for other in root.iterdir():
                if _is_old(other) and len(other.name) == len(key):
                    shutil.rmtree(other, ignore_errors=True)
        except OSError:
            continue
        return folder
    return None


def _is_old(path: Path) -> bool:
    return path.stat().st_mtime < time.time() - 30 * 86400


_PACKAGE = Path(__file__).parent
_IMPORTS = re.compile(
    r"^[ \t]*(?:from[ \t]+(setwise[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+(setwise[\w.]*))", re.MULTILINE
)


@functools.cache
def _source(module: str) -> str | None:
    """The text of a module of this package, or None for a name that is no module."""
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    for file in (place / "__init__.py", place.with_suffix(".py")):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    return None


@functools.cache
def _imports(module: str) -> frozenset[str]:
    """The modules of this package that a module imports, wherever in its text."""
    found = set()
    for parent, names, plain in _IMPORTS.findall(_source(module) or ""):
        found.add(parent or plain)
        found.update(f"{parent}.{name}" for name in re.findall(r"\w+", names))
    return frozenset(name for name in found if name != "setwise" and _source(name) is not None)


@functools.cache
def _sources(module: str) -> str:
    """A digest of the sources of a module, of all that it imports, and so on, within this package."""
    reached, todo = {__name__}, [module]
    while todo:
        name = todo.pop()
        reached.add(name)
        todo += _imports(name) - reached
    digest = hashlib.sha256()
    for name in sorted(reached):
        digest.update(f"{name}\0{_source(name)}\0".encode())
    return digest.hexdigest()[:16]


class _DiskCache(caching.NullCache):
    """Machine code of one function in one file; written aside and renamed, so that two processes never clash.

    Numba's own cache looks at the time stamp of one source file and would serve stale code when a callee in another
    file changed. Here the file's name answers for the sources of everything that the function's module imports.
    """

    def __init__(self, name: str, module: str) -> None:
        ours = module.startswith("setwise.")  # nothing is known of anyone else's sources
        folder = cache_directory() if ours else None
        self.name = name
        self.path = folder / f"{name}.{_sources(module)}.nbc" if folder else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        if self.path is not None and self.path.exists():
            try:
                return compiler.CompileResult._rebuild(target_context, *pickle.loads(self.path.read_bytes()))
            except Exception:  # noqa: BLE001, S110  (whatever is wrong with the file, compiling mends it)
                pass
        if announce is not None:
            announce(self.name)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if self.path is None:
            return
        code = serialize.dumps(data._reduce())
        try:
            with tempfile.NamedTemporaryFile(dir=self.path.parent, delete=False) as file:
                file.write(code)
            os.replace(file.name, self.path)  # noqa: PTH105
            for other in self.path.parent.glob(f"{self.name}.*.nbc"):
                if _is_old(other):
                    other.unlink(missing_ok=True)
        except OSError:  # a full disk costs a compilation next time, nothing else
            self.path = None


# ------------------------------------------------------------------------------------------------- compiled functions

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

#: Helpers for compiled code only. They are compiled into their callers, for the callers' types: boards of ten words
#: stay in registers, where a call would pass them through memory (half of perft's time, when measured).
routine = numba.njit(**_OPTIONS, forceinline=True)

#: The same without the order to inline, for helpers that are long or called from many places.
subroutine = numba.njit(**_OPTIONS)


class Entry:
    """A compiled function with a pinned signature, compiled when it is first called (from Python or compiled code)."""

    #: Whether callers in compiled code take in the body; a recursive function cannot be.
    inlined = False

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.signature = signature
        self._unfinished: Any = None

    @functools.cached_property
    def name(self) -> str:
        """The module, without the package, and the function: ``knight.attacks``."""
        return f"{self.function.__module__.removeprefix('setwise.')}.{self.function.__qualname__}"

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher, compiled (or loaded) for the one signature and refusing every other."""
        with global_compiler_lock:
            if "dispatcher" in self.__dict__:
                return self.__dict__["dispatcher"]
            self._unfinished = numba.njit(**_OPTIONS, forceinline=self.inlined)(self.function)
            self._unfinished._cache = _DiskCache(self.name, self.function.__module__)
            try:
                self._unfinished.compile(self.signature)
                self._unfinished.disable_compile()
                return self._unfinished
            finally:
                self._unfinished = None

    def warmup(self) -> None:
        """Compile, or load from the cache, everything that a first call would."""
        self.dispatcher  # noqa: B018

    def cached(self) -> bool:
        """Return whether the cache holds all of that."""
        return self._is_cached(self.name)

    def _is_cached(self, name: str) -> bool:
        path = _DiskCache(name, self.function.__module__).path
        return path is not None and path.exists()

    @property
    def _numba_type_(self) -> Any:
        """What the name stands for in compiled code; inside its own body, the function that is being compiled."""
        with global_compiler_lock:
            return types.Dispatcher(self._unfinished or self.dispatcher)

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function with arguments of its signature."""
        return self.dispatcher(*args)


def entry(returns: Any, *arguments: Any) -> Callable[[Callable[..., Any]], Entry]:
    """Mark a compiled function that Python calls: Numba types of the result and of each argument."""
    return lambda function: Entry(function, returns(*arguments))


# ----------------------------------------------------------------------------------- patterns on arrays: the ufunc loop
#
# NumPy calls the loop with raw pointers, a length and strides. It works in tiles that stay in the first-level cache:
# strided inputs are gathered into a tile, one vectorised loop computes a tile of results, and the tile is written out.
# Results much larger than the cache are written past it ("non-temporal"), as a large memcpy does; ordinary stores
# would read every line before overwriting it, half as much memory traffic again.

_TILE = 512
_BLOCK = 32
_AHEAD = 4096
_STREAM_FROM = 1 << 23  # bytes of output; results that fit the last-level cache had better stay there


@intrinsic
def _pointer(typingctx: Any, address: Any, like: Any) -> Any:
    """The pointer to ``like``-typed items at an address."""
    result = types.CPointer(like.dtype)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(result))

    return result(types.uintp, like), codegen


def scratch(size: int) -> Any:
    """An intrinsic that gives a pointer to ``size`` items of a Numba type on the stack, aligned to a cache line."""

    @intrinsic
    def items(typingctx: Any, like: Any) -> Any:
        result = types.CPointer(like.dtype)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            with builder.goto_entry_block():
                memory = builder.alloca(context.get_data_type(like.dtype), ir.Constant(ir.IntType(32), size))
                memory.align = 64
            # The widest vectors there are: llvmlite's own list of attributes knows no key="value" pairs.
            set.add(builder.function.attributes, '"prefer-vector-width"="512"')
            return builder.bitcast(memory, context.get_value_type(result))

        return result(like), codegen

    return items


_tile, _block = scratch(_TILE), scratch(_BLOCK)


@intrinsic
def _stream(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy ``count`` 64-bit words, in lines of eight, past the cache; both ends are aligned to a line."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        line = ir.VectorType(ir.IntType(64), 8)
        to, origin = (builder.bitcast(pointer, line.as_pointer()) for pointer in args[:2])
        hint = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
        with cgutils.for_range(builder, builder.lshr(args[2], ir.Constant(args[2].type, 3))) as loop:
            words = builder.load(builder.gep(origin, [loop.index]), align=64)
            store = builder.store(words, builder.gep(to, [loop.index]), align=64)
            store.set_metadata("nontemporal", hint)

    return types.void(target, source, types.intp), codegen


@intrinsic
def _prefetch(typingctx: Any, address: Any, count: Any) -> Any:
    """Ask for the ``count`` bytes at an address (which need not exist)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        i32, line = ir.IntType(32), ir.ArrayType(ir.IntType(8), 64).as_pointer()
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer(), i32, i32, i32]),
            "llvm.prefetch.p0",
        )
        base = builder.inttoptr(args[0], line)
        with cgutils.for_range(builder, builder.lshr(args[1], ir.Constant(args[1].type, 6))) as loop:
            where = builder.bitcast(builder.gep(base, [loop.index]), ir.IntType(8).as_pointer())
            builder.call(function, [where, i32(0), i32(3), i32(1)])

    return types.void(types.uintp, types.intp), codegen


@intrinsic
def _fence(typingctx: Any) -> Any:
    """Order the streamed stores before whatever follows."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        builder.fence("seq_cst")

    return types.void(), codegen


@routine
def _gather(address, step, count, tile):
    """Return a pointer to ``count`` items in a row: where they are, or copied into the tile."""
    if step == tile_size(tile):
        return _pointer(address, tile)
    for i in range(count):
        tile[i] = _pointer(address + np.uintp(i * step), tile)[0]
    return tile


@intrinsic
def tile_size(typingctx: Any, tile: Any) -> Any:
    """The bytes of one item."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(64), context.get_abi_sizeof(context.get_data_type(tile.dtype)))

    return types.int64(tile), codegen


@routine
def _scatter(tile, count, address, step):
    """Write a tile of results to where NumPy wants them."""
    out = _pointer(address, tile)
    if step == tile_size(tile):
        for i in range(count):
            out[i] = tile[i]
    else:
        for i in range(count):
            _pointer(address + np.uintp(i * step), tile)[0] = tile[i]


_LOOP_SIGNATURE = types.void(
    types.CPointer(types.uintp), types.CPointer(types.intp), types.CPointer(types.intp), types.voidptr
)

_LOOP = """
def loop(addresses, dimensions, steps, data):
    n, out, step = dimensions[0], addresses[{arity}], steps[{arity}]
    {tiles}
    results = _tile({returns})
    block = _block({returns})
    large = n * step >= _STREAM_FROM and step == 8 and tile_size(results) == 8 and {contiguous}
    start = 0
    while start < n:
        if large and out % 64 == 0 and n - start >= _BLOCK:
            {starts}
            for _ in range((n - start) // _BLOCK):
                {prefetches}
                for i in range(_BLOCK):
                    block[i] = function({items})
                _stream(_pointer(out, results), block, _BLOCK)
                {advances}
                out += np.uintp(_BLOCK * 8)
                start += _BLOCK
            _fence()
            continue
        count = min(n - start, _TILE)
        if large and out % 64:
            count = min(count, (64 - int(out % 64)) // 8)
        {gathers}
        for i in range(count):
            results[i] = function({items})
        _scatter(results, count, out, step)
        out += np.uintp(count * step)
        start += count
"""

# Streaming gains little where many columns are read for the one that is written, and its code would double the time
# that the loop takes to compile.
_FEW = 8
_PLAIN_LOOP = """
def loop(addresses, dimensions, steps, data):
    n = dimensions[0]
    {tiles}
    results = _tile({returns})
    for start in range(0, n, _TILE):
        count = min(n - start, _TILE)
        {gathers}
        for i in range(count):
            results[i] = function({items})
        _scatter(results, count, addresses[{arity}] + np.uintp(start * steps[{arity}]), steps[{arity}])
"""


def _loop(function: Any, arguments: list[Kind], returns: Kind) -> Callable[..., Any]:
    """The Python source of a NumPy loop over a compiled function, for its number of arguments."""
    numbers = range(len(arguments))
    # Flags are stored as bytes of 0 and 1: Numba's booleans have no pointers.
    stored = [np.dtype(np.uint8) if kind.dtype == np.bool_ else kind.dtype for kind in (*arguments, returns)]
    names = {f"_type{k}": numba.from_dtype(dtype) for k, dtype in enumerate(stored)}
    template = _LOOP if len(arguments) <= _FEW else _PLAIN_LOOP
    source = template.format(
        arity=len(arguments),
        returns=f"_type{len(arguments)}",
        tiles="; ".join(f"tile{k} = _tile(_type{k})" for k in numbers),
        contiguous=" and ".join(f"steps[{k}] == tile_size(tile{k})" for k in numbers),
        starts="; ".join(f"at{k} = addresses[{k}] + np.uintp(start * steps[{k}])" for k in numbers),
        prefetches="; ".join(
            f"in{k} = _pointer(at{k}, tile{k}); _prefetch(at{k} + np.uintp(_AHEAD), _BLOCK * 8)" for k in numbers
        ),
        advances="; ".join(f"at{k} += np.uintp(_BLOCK * steps[{k}])" for k in numbers),
        gathers="; ".join(
            f"in{k} = _gather(addresses[{k}] + np.uintp(start * steps[{k}]), steps[{k}], count, tile{k})"
            for k in numbers
        ),
        items=", ".join(f"np.uint64(in{k}[i])" for k in numbers),
    )
    scope = globals() | names | {"function": function}
    exec(source, scope)  # noqa: S102  (the template above; nothing of the user's reaches it)
    return scope["loop"]


# ------------------------------------------------------------------------------------------------------------ patterns


class Pattern(Entry):
    """A set-wise pattern: one definition, called with ints, with arrays, or by name inside compiled code.

    With ints (0 to 2**64-1) a set comes out as a ``Bitboard``, a count or a fileset as an int. With arrays, or anything
    that NumPy can view as unsigned integers, arrays come out: sets as uint64, squares, filesets and counts as uint8,
    flags as bool; ints among the arguments broadcast, and ``out=`` takes the result's array. A signed 64-bit array is
    read as the same bits, the form in which Arrow, Parquet and SQL hold sets.

    Raises ``TypeError`` for floats and other wrong types, ``ValueError`` for numbers out of range (a negative int, more
    than 64 bits, a square above 63) and for shapes that do not broadcast; each names the argument.
    """

    inlined = True

    def __init__(self, function: Callable[..., Any]) -> None:
        kinds = {name: hint.__metadata__[0] for name, hint in get_type_hints(function, include_extras=True).items()}
        self.returns: Kind = kinds.pop("return")
        self.kinds: dict[str, Kind] = kinds
        super().__init__(function, types.uint64(*[types.uint64] * len(kinds)))

    def __repr__(self) -> str:
        return f"<pattern {self.name}({', '.join(self.kinds)})>"

    @functools.cached_property
    def _call(self) -> Callable[..., int]:
        return self.dispatcher.overloads[self.signature.args].entry_point

    @functools.cached_property
    def ufunc(self) -> np.ufunc:
        """The same definition as a NumPy ufunc, for those who want its loop without the checks at the door."""
        with global_compiler_lock:
            return self.__dict__.get("ufunc") or self._build_ufunc()

    def _build_ufunc(self) -> np.ufunc:
        kinds = list(self.kinds.values())
        cache = _DiskCache(f"{self.name}.ufunc", self.function.__module__)
        compiled = cache.load_overload(_LOOP_SIGNATURE, numba.core.registry.cpu_target.target_context)
        if compiled is None:
            loop = _loop(self.dispatcher, kinds, self.returns)
            compiled = CFunc(
                loop, (_LOOP_SIGNATURE.args, types.void), {}, {"nopython": True} | _OPTIONS
            )._compile_uncached()
            cache.save_overload(_LOOP_SIGNATURE, compiled)
        address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
        numbers = [kind.dtype.num for kind in (*kinds, self.returns)]
        return ufunc_internal.fromfunc(
            self.function.__name__,
            self.__doc__,
            [address],
            [numbers],
            len(kinds),
            1,
            [None],
            [compiled.library],
            ufunc_internal.PyUFunc_None,
        )

    def warmup(self) -> None:
        """Compile, or load from the cache, both the function and its loop over arrays."""
        self._call  # noqa: B018
        self.ufunc  # noqa: B018

    def cached(self) -> bool:
        """Return whether the cache holds both."""
        return super().cached() and self._is_cached(f"{self.name}.ufunc")

    def __call__(self, *args: Any, out: np.ndarray | None = None) -> Any:
        """Check the arguments and call the function for ints, or its loop for arrays."""
        if len(args) != len(self.kinds):
            raise TypeError(f"{self.name} takes {len(self.kinds)} arguments ({', '.join(self.kinds)}), not {len(args)}")
        checked = [
            value if type(value) in _INTS and 0 <= value <= kind.largest else self._admit(name, kind, value)
            for (name, kind), value in zip(self.kinds.items(), args, strict=True)
        ]
        if out is None and not any(isinstance(value, np.ndarray) for value in checked):
            return self.returns.python(self._call(*checked))
        arrays = [
            value if isinstance(value, np.ndarray) else kind.dtype.type(value)
            for kind, value in zip(self.kinds.values(), checked, strict=True)
        ]
        if out is not None and (not isinstance(out, np.ndarray) or out.dtype != self.returns.dtype):
            raise TypeError(f"out= of {self.name} is an array of {self.returns.dtype}, not {_describe(out)}")
        try:
            return self.ufunc(*arrays) if out is None else self.ufunc(*arrays, out=out)
        except ValueError as error:
            shapes = ", ".join(f"{name} {np.shape(a)}" for name, a in zip(self.kinds, arrays, strict=True))
            shapes += f", out {out.shape}" if out is not None else ""
            raise ValueError(f"the shapes of {self.name} do not broadcast: {shapes}") from error

    def _admit(self, name: str, kind: Kind, value: Any) -> Any:
        """The slow way through the door: whatever is not a plain int in range."""
        if isinstance(value, (int, np.integer)) or (not isinstance(value, np.ndarray) and hasattr(value, "__index__")):
            number = value.__index__()
            if not 0 <= number <= kind.largest:
                raise ValueError(
                    f"{name} of {self.name} is a {kind.name}, 0 to {kind.largest:#x}; {number:#x} is out of range"
                    + (" (a negative number is no set; mask with 0xffff_ffff_ffff_ffff)" if number < 0 else "")
                )
            return number
        if isinstance(value, list | tuple):
            array = np.array(value, dtype=object)
            if not all(isinstance(item, int | np.integer) for item in array.flat):
                raise TypeError(
                    f"{name} of {self.name} is a {kind.name}: ints, not {_describe(value)} of something else"
                )
        else:
            array = np.asarray(value)
            if array.dtype.kind not in "bui" or array.ndim == 0:
                raise TypeError(
                    f"{name} of {self.name} is a {kind.name}: an int or an array of {kind.dtype}, "
                    f"not {_describe(value)}"
                )
        if array.dtype == kind.dtype and kind.largest >= 255:
            return array
        if array.dtype == np.int64 and kind.dtype == np.uint64:
            return array.view(np.uint64)
        if array.size and (int(array.max()) > kind.largest or int(array.min()) < 0):
            raise ValueError(f"{name} of {self.name} is a {kind.name}, 0 to {kind.largest:#x}; the array goes beyond")
        return array.astype(kind.dtype)


_INTS = frozenset({int, Bitboard, bool})


def _describe(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return f"{type(value).__name__}" + (f" of {dtype}" if dtype is not None else "")


def pattern(function: Callable[..., Any]) -> Pattern:
    """Turn a definition whose arguments and result are annotated with kinds (``Set``, ``Square`` …) into a Pattern."""
    return Pattern(function)
