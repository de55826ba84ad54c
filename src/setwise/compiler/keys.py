"""The keys of machine code: a digest of everything that a definition reaches.

Machine code is loaded only under the key that it was stored under, so a key must change with everything that changes
the code: the instructions and constants of a definition, its defaults and closures, the values of its global names, and
the same of every definition that it calls. Comments, docstrings, annotations and line numbers are not part of a key. An
object of an unknown kind is an error: if it were left out, old code could be loaded without notice.

The code of functions is read in two ways. A cache is for one version of Python, so `kept_under` reads the instructions
of the functions in memory, within milliseconds. A wheel is for all versions, whose instructions differ, so
`shipped_under` reads the syntax trees of the sources.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dataclasses
import dis
import enum
import functools
import hashlib
import inspect
import itertools
import math
import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from setwise.compiler.cache import MachineCode, cache_directory
from setwise.compiler.definitions import ByProcessor, Entry, Pattern, Routine
from setwise.compiler.kinds import Type
from setwise.compiler.words import Operation
from setwise.errors import DefinitionError

_HERE = Path(__file__).parent

#: The modules that decide how definitions become machine code: they lower definitions and call Numba, or have constants
#: for that.
ROOM = tuple(
    ".".join(("setwise.compiler", *file.relative_to(_HERE).with_suffix("").parts))
    for file in (
        *sorted(_HERE.joinpath("llvm").rglob("*.py")),
        *(_HERE / f"{name}.py" for name in ("words", "targets/jit", "targets/levels")),
    )
)

#: Modules whose functions and classes are identified by name, because a folder of the cache is for one version of them.
_BY_NAME = (builtins, functools, math, operator, np)

#: How many hexadecimal digits a key has.
_LENGTH = 16

_LITERALS = (bool, bytes, complex, float, int, str, type(None), type(...))


class _Function(NamedTuple):
    """A function that a definition reaches: in compiled code, or as a function that Python runs to build a table."""

    function: Any
    is_compiled: bool


#: A text, a function whose own pieces follow, or an error. An error does not stop reading, so that names that are bound
#: anew are found.
_Piece: TypeAlias = str | _Function | DefinitionError

#: For each function that was read, its instructions and the pieces that it names.
_read: dict[_Function, tuple[str, tuple[_Piece, ...]]] = {}


def kept_under(entry: Entry, *more: str) -> str | None:
    """Return the key of an entry in the cache; None if its code must not be kept.

    It is None for a user's definition that reaches an object of an unknown kind, and in a package without sources.

    Args:
        entry: an entry or a pattern.
        more: texts that its code depends on, besides.

    Raises:
        DefinitionError: when a definition of this package reaches an object of an unknown kind.
    """
    try:
        how = _room(), MachineCode._fields, *more
        return _digest(entry, repr(how), lambda it: _read_of(it)[0])
    except DefinitionError:
        if entry.__module__.startswith("setwise."):
            raise
    except OSError:
        pass
    return None


def shipped_under(entry: Entry) -> str:
    """Return the key of an entry in a wheel, the same in every version of Python.

    Raises:
        DefinitionError: when it reaches an object of an unknown kind, or a function without a source file.
    """
    return _digest(entry, _room(), lambda it: _syntax(it.function.__code__))


def _digest(entry: Entry, room: str, code_of: Callable[[_Function], str]) -> str:
    """A digest of an entry and of everything that it reaches; a function is added once, then only its number."""
    digest, numbers, errors = hashlib.sha256(room.encode()), dict[_Function, int](), list[DefinitionError]()

    def add(pieces: Iterable[_Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, str):
                digest.update(f"{piece}\0".encode())
            elif isinstance(piece, DefinitionError):
                errors.append(piece)
            elif piece in numbers:
                digest.update(f"function {numbers[piece]}\0".encode())
            else:
                numbers[piece] = len(numbers)
                digest.update(f"{code_of(piece)}\0".encode())
                add(_read_of(piece)[1])

    add(_value(entry))
    if isinstance(entry, Pattern):  # for the code of calls from Python, which may release the GIL, and for the loop
        kinds = (*entry.kinds.values(), entry.returns)
        add(_value([(kind.dtype, kind.largest, kind.python.__name__) for kind in kinds]))
        add(_value((entry.stages, entry.__module__.startswith("setwise."))))
    for error in errors:
        raise error
    return _short(digest)


def _short(digest: Any) -> str:
    text: str = digest.hexdigest()[:_LENGTH]
    return text


def _read_of(it: _Function) -> tuple[str, tuple[_Piece, ...]]:
    """The instructions of a function, and the pieces that it names.

    Raises:
        DefinitionError: when a name in a user's function was bound anew since the function was read: compiled code may
            have the old or the new value.
    """
    known = _read.get(it)
    if known is not None and it.function.__module__.startswith("setwise."):
        return known
    found = _instructions(it.function.__code__), tuple(_joined(_named_by(it)))
    if _read.setdefault(it, found) != found:
        raise DefinitionError(f"a name in {it.function.__qualname__} was bound anew")
    return found


def _joined(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """The same pieces, with consecutive texts joined."""
    for are_texts, group in itertools.groupby(pieces, lambda piece: isinstance(piece, str)):
        them = [*group]
        yield from ["\0".join(map(str, them))] if are_texts else them


# ------------------------------------------------------------------------------------------------- the code in memory

_CONSTANTS, _WIDER, _CACHE = frozenset(dis.hasconst), dis.EXTENDED_ARG, 0
_GLOBAL, _IMPORT = dis.opmap["LOAD_GLOBAL"], dis.opmap["IMPORT_NAME"]
_ATTRIBUTE = {dis.opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in dis.opmap}
#: How many bits of the number of an attribute are flags.
_FLAGS = int(sys.version_info >= (3, 12))


#: The instructions whose arguments are read here.
_ARE_READ = {*_CONSTANTS, *_ATTRIBUTE, _GLOBAL, _IMPORT}


def _numbered(code: CodeType) -> Iterator[tuple[int, int, int]]:
    """The place of each instruction that is read, the instruction, and its argument."""
    raw = code.co_code
    for at in [at for at in range(0, len(raw), 2) if raw[at] in _ARE_READ]:
        argument, before, bits = raw[at + 1], at - 2, 8
        while before >= 0 and raw[before] == _WIDER:
            argument, before, bits = argument | raw[before + 1] << bits, before - 2, bits + 8
        yield at, raw[at], argument


def _instructions(code: CodeType) -> str:
    """A digest of instructions, with constants instead of their numbers, which change when a docstring is added."""
    raw, constants = bytearray(code.co_code), []
    for at, instruction, argument in _numbered(code):
        if instruction in _CONSTANTS:
            raw[at + 1] = 0
            constants.append(_constant(code.co_consts[argument]))
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & 0xFF
    names = code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars
    return _short(hashlib.sha256(repr((bytes(raw), constants, counts, names, code.co_exceptiontable)).encode()))


def _constant(value: Any) -> str:
    match value:
        case CodeType():
            return _instructions(value)
        case tuple() | frozenset():
            items = map(_constant, value)
            return f"{type(value).__name__}({', '.join(items if isinstance(value, tuple) else sorted(items))})"
    return repr(value)


# ---------------------------------------------------------------------------------------------- what a function reaches


def _named_by(it: _Function) -> Iterator[_Piece]:
    """The pieces that a function names, in an order that is the same in all versions of Python."""
    function = it.function
    named: dict[str, Any] = {"defaults": function.__defaults__}
    named |= {f"default {name}": value for name, value in (function.__kwdefaults__ or {}).items()}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # the name has no value yet
            named[f"closure {name}"] = cell.cell_contents
    try:
        named |= dict(_globals(function.__code__, function.__globals__))
    except DefinitionError as error:
        yield error
    for name, value in sorted(named.items(), key=lambda item: item[0]):
        yield name
        try:
            yield from _value(value, is_compiled=it.is_compiled)
        except DefinitionError as error:
            yield DefinitionError(f"{name} in {function.__module__}.{function.__qualname__} {error}")


def _globals(code: CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The global names in code with their values; for modules, the attributes that are used, such as ``bits.ONE``."""
    module, path = None, ""
    for at, instruction, argument in _numbered(code):
        if instruction == _IMPORT:
            raise DefinitionError(f"{code.co_name} imports: a definition must import at the head of its module")
        if instruction == _GLOBAL:
            path = code.co_names[argument >> 1]
            value = scope.get(path, getattr(builtins, path, None))
        elif module is not None and instruction in _ATTRIBUTE:
            name = code.co_names[argument >> _FLAGS]
            path, value = f"{path}.{name}", getattr(module, name, None)
        else:
            continue
        module = value if isinstance(value, ModuleType) else None
        if module is None:
            yield path, value
        elif next(byte for byte in code.co_code[at + 2 :: 2] if byte not in {_CACHE, _WIDER}) not in _ATTRIBUTE:
            raise DefinitionError(f"{code.co_name} names the module {path} without an attribute")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals(constant, scope)


def _value(value: Any, *, is_compiled: bool = True) -> Iterator[_Piece]:
    """A value as texts, and functions, whose own pieces follow."""
    items: Iterable[Any] = ()
    match value:
        case _ if text := _datum(value):
            yield text
        case tuple() | list():
            yield f"{type(value).__name__} of {len(value)} {getattr(value, '_fields', '')}"
            items = value
        case Entry() | Routine():
            yield f"{'entry' if isinstance(value, Entry) else 'routine'} {value.inlined}"
            yield from _value(getattr(value, "signature", None))
            yield _Function(value.function, is_compiled=True)
        case ByProcessor():
            yield f"by processor {value.feature}"
            items = value.routine, value.otherwise
        case Operation():
            yield f"operation {value.name}"
            items, is_compiled = value.parameters, False
        case Type():
            yield f"type {type(value).__name__}"
            items = [getattr(value, field.name) for field in dataclasses.fields(value)]  # type: ignore[arg-type]
        case enum.Enum():
            yield f"member {value.name}"
            items = [value.value]
        case type() if hasattr(value, "_field_defaults"):
            yield f"named tuple {getattr(value, '_fields', '')}"
            items = getattr(value, "_field_defaults", {}).items()
        case enum.EnumMeta():
            yield "enumeration"
            items = value
        case _ if name := _well_known(value):
            yield name
        case _ if not is_compiled and isinstance(function := inspect.unwrap(value), FunctionType):
            yield _Function(function, is_compiled=False)
        case _:
            raise DefinitionError(f"is {type(value).__name__} {value!r:.60}, for which machine code has no key")
    for item in items:
        yield from _value(item, is_compiled=is_compiled)


def _datum(value: Any) -> str | None:
    """A number, a string, an array or a type of NumPy's as text."""
    if type(value) in _LITERALS:
        return f"{type(value).__name__} {value!r}"
    dtype = (
        value if isinstance(value, np.dtype) else value.dtype if isinstance(value, np.ndarray | np.generic) else None
    )
    if dtype is None or dtype.kind not in "biufc":
        return None
    if isinstance(value, np.dtype):
        return f"dtype {dtype.str}"
    layout = value.shape, value.flags.c_contiguous, value.flags.f_contiguous
    return f"{type(value).__name__} of {dtype.str} {layout} {hashlib.sha256(value.tobytes()).hexdigest()}"


def _well_known(value: Any) -> str | None:
    """The name of a function or a class of Python's or NumPy's."""
    name = getattr(value, "__name__", None)
    modules = (module.__name__ for module in _BY_NAME if isinstance(name, str) and getattr(module, name, None) is value)
    return next((f"{module} {name}" for module in modules), None)


# ---------------------------------------------------------------------------------------------------- the code in files

#: Fields that are left out of a form: annotations, and fields that only some versions of Python have.
_LEFT_OUT = {"annotation", "returns", "ctx", "kind", "type_comment", "type_params", "decorator_list"}


def _source_of(module: str) -> bytes:
    """Return the text of a module of this package; ``Path`` would take twice as long, and a start reads hundreds."""
    place = "/".join([str(_HERE.parent), *module.split(".")[1:]])
    with open(f"{place}/__init__.py" if os.path.isdir(place) else f"{place}.py", "rb") as file:  # noqa: PTH112, PTH123
        return file.read()


def text_of(*modules: str) -> str:
    """Return a digest of the texts of modules."""
    return _short(hashlib.sha256(b"\0".join(map(_source_of, modules))))


def form_of(*modules: str) -> str:
    """Return a digest of the code of modules, without comments, docstrings and annotations."""
    return _short(hashlib.sha256("".join(_form(ast.parse(_source_of(module))) for module in modules).encode()))


@functools.cache
def _room() -> str:
    """The form of `ROOM`; building it takes 20 ms, so the cache stores it under a digest of the texts."""
    folder = cache_directory()
    kept = folder / f"room.{text_of(*ROOM, __name__)}" if folder else None
    with contextlib.suppress(OSError, ValueError):
        if kept and len(form := kept.read_text("ascii")) == _LENGTH:
            return form
    form = form_of(*ROOM)
    with contextlib.suppress(OSError):
        if kept:
            kept.write_text(form, "ascii")
    return form


@functools.cache
def _trees(file: str) -> dict[tuple[str, int], list[str]]:
    """The forms of the functions in a file, by name and first line."""
    forms = dict[tuple[str, int], list[str]]()
    for node in ast.walk(ast.parse(Path(file).read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            name = getattr(node, "name", "<lambda>")
            line = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
            forms.setdefault((name, line), []).append(_form(node))
    return forms


def _syntax(code: CodeType) -> str:
    """The form of a function; for a lambda, the form of all lambdas that begin on its line."""
    try:
        return "".join(_trees(code.co_filename)[code.co_name, code.co_firstlineno])
    except (OSError, SyntaxError, KeyError):
        raise DefinitionError(f"the source of {code.co_qualname} is not at its place in {code.co_filename}") from None


def _form(node: Any) -> str:
    """The syntax tree of some code as text."""
    if isinstance(node, list):
        return f"[{' '.join(map(_form, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node):
        fields["body"] = fields["body"][1:]
    parts = (f"{name}={_form(value)}" for name, value in fields.items() if name not in _LEFT_OUT)
    return f"{type(node).__name__}({' '.join(parts)})"
