"""The keys of machine code: they change with all that a definition reaches, and with nothing else."""

from __future__ import annotations

import ast
import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from setwise.catalogue.warmup import entries
from setwise.compiler import PATTERNS, Entry, keys
from setwise.compiler.cache import CodeFile
from setwise.errors import DefinitionError

#: A definition that reaches a thing of every kind, directly or by others.
MODULE = '''
"""A module."""
from __future__ import annotations

import enum
import functools
import math
from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Count, Set, by_processor, entry, pattern, popcount, routine, subroutine, words
from setwise.compiler.words import embedded, scratch
from setwise.compiler.kinds import named, reads, tuple_of, uint8, uint64
from setwise.patterns import bits

NUMBER = np.uint64(3)
FLOAT = 0.25
TABLE = np.arange(8, dtype=np.uint64)
PLACES = (1, (2, "three"))
SIZE = np.dtype(np.uint16)


class Pair(NamedTuple):
    first: Any
    second: Any = 7


class Level(enum.Enum):
    LOW = 1


PAIR = Pair(4, 5)
POINT = Level.LOW


def _part(number):
    return bytes([number, 17])


@functools.cache
def _contents():
    return b"".join(_part(number) for number in range(9))


item = embedded("an.item", _contents)
room = scratch(8)
moved = words.rotated(1, 2, 3, 4, 5, 6, 7, 8)


def adder(by):
    @routine
    def add(squares: Set) -> Set:
        return squares + by

    return add


plus = adder(np.uint64(19))


@routine
def quick(squares: Set) -> Set:
    return squares << np.uint64(1)


@subroutine
def slow(squares: Set) -> Set:
    """Shift."""
    # upwards
    return squares << np.uint64(2)


either = by_processor("bmi2", quick, slow)


@subroutine
def down(depth):
    return depth if depth == 0 else up(depth - 1)


@subroutine
def up(depth):
    return down(depth) + 100


@pattern
def bare(squares: Set) -> Count:
    """Return a number."""
    return popcount(squares & bits.FILE_A)


@entry(tuple_of(uint64, uint64), reads(uint8), uint64, named(Pair))
def root(text: Any, squares: Any, pair: Any, more: int = 23, *, last: int = 29) -> Any:
    """Return something."""
    count = 0  # of squares
    total: int = squares + NUMBER + more + last
    for number in range(31):
        count += [it + 37 for it in (number, TABLE[number])][0]
    longest = max(count, total, key=lambda it: it + 41)
    if pair.first < PLACES[0] or math.sqrt(FLOAT) == PAIR.first or SIZE.itemsize == POINT:
        raise ValueError("wrong")
    result = Pair(bare(either(squares)), plus(longest)), moved(item(count)), room(uint64), Level, down(count)
    return result[0].first, bits.lowest(squares)
'''

CHANGES = {
    "an instruction": ("squares + NUMBER + more", "squares - NUMBER + more"),
    "a constant": ("range(31)", "range(32)"),
    "a text": ('ValueError("wrong")', 'ValueError("wrung")'),
    "a comprehension": ("it + 37", "it + 38"),
    "a lambda": ("it + 41", "it + 42"),
    "an attribute": ("SIZE.itemsize", "SIZE.alignment"),
    "the name of an argument": ("def root(text: Any", "def root(line: Any"),
    "a default": ("more: int = 23", "more: int = 24"),
    "a default by name": ("last: int = 29", "last: int = 30"),
    "a number of NumPy's": ("NUMBER = np.uint64(3)", "NUMBER = np.uint64(4)"),
    "the type of a number": ("NUMBER = np.uint64(3)", "NUMBER = np.int64(3)"),
    "a type of Python's": ("NUMBER = np.uint64(3)", "NUMBER = 3"),
    "a float": ("FLOAT = 0.25", "FLOAT = 0.5"),
    "the items of a table": ("TABLE = np.arange(8", "TABLE = -np.arange(8"),
    "the type of a table": ("TABLE = np.arange(8, dtype=np.uint64", "TABLE = np.arange(8, dtype=np.int64"),
    "the shape of a table": ("dtype=np.uint64)\n", "dtype=np.uint64).reshape(2, 4)\n"),
    "the layout of a table": ("dtype=np.uint64)\n", "dtype=np.uint64)[::2]\n"),
    "a tuple in a tuple": ('"three"', '"four"'),
    "a type of NumPy's": ("SIZE = np.dtype(np.uint16)", "SIZE = np.dtype(np.uint32)"),
    "a field of a named tuple": ("    second: Any = 7", "    other: Any = 7"),
    "a default of a named tuple": ("    second: Any = 7", "    second: Any = 8"),
    "a named tuple": ("PAIR = Pair(4, 5)", "PAIR = Pair(4, 6)"),
    "an enumeration": ("LOW = 1", "LOW = 2"),
    "another member": ("LOW = 1", "LOW = 1\n    HIGH = 2"),
    "the name of an operation's table": ("an.item", "no.item"),
    "what makes a table": ("range(9)", "range(10)"),
    "what it calls": ("[number, 17]", "[number, 18]"),
    "a parameter of an operation": ("scratch(8)", "scratch(9)"),
    "parameters of an operation": ("rotated(1, 2, 3", "rotated(1, 3, 3"),
    "a closure": ("adder(np.uint64(19))", "adder(np.uint64(20))"),
    "a function in a closure": ("squares + by", "squares | by"),
    "a function of Python's": ("math.sqrt", "math.exp"),
    "the routine of a processor": ("squares << np.uint64(1)", "squares << np.uint64(3)"),
    "the routine of all others": ("squares << np.uint64(2)", "squares << np.uint64(3)"),
    "a processor's feature": ('"bmi2"', '"avx2"'),
    "whether it is inlined": ("@routine\ndef quick", "@subroutine\ndef quick"),
    "a pattern": ("bits.FILE_A", "bits.FILE_B"),
    "an operation": ("popcount(squares & bits.FILE_A)", "trailing_zeros(squares & bits.FILE_A)"),
    "a function of another module": ("bits.lowest(squares)", "bits.only_lowest(squares)"),
    "one of two that call each other": ("up(depth - 1)", "up(depth - 2)"),
    "the other one": ("down(depth) + 100", "down(depth) + 101"),
    "a result": ("tuple_of(uint64, uint64)", "tuple_of(uint64, uint8)"),
    "an argument": ("reads(uint8)", "reads(uint8, 2)"),
    "what a name is bound to": ('"bmi2", quick, slow', '"bmi2", quick, quick'),
    "what a builtin's name is bound to": ("NUMBER = np.uint64(3)", "NUMBER = np.uint64(3)\nrange = min"),
}

UNCHANGED = {
    "a comment": ("# of squares", "# of other squares"),
    "a comment on a line of its own": ("    # upwards\n", "    # downwards\n    # and more\n"),
    "a docstring": ('"""Return something."""', '"""Return\n\n    something else."""'),
    "no docstring": ('    """Return something."""\n', ""),
    "a docstring of what it calls": ('"""Shift."""', '"""Shift again."""'),
    "a new docstring": ("    return depth if", '    """Fall."""\n    return depth if'),
    "the docstring of the module": ('"""A module."""', '"""Another.\n\nModule."""'),
    "an annotation": ("def slow(squares: Set) -> Set", "def slow(squares: Count) -> Count"),
    "no annotation": ("root(text: Any, squares: Any", "root(text, squares"),
    "the annotation of a variable": ("total: int =", "total: float ="),
    "lines": ("\n\nNUMBER", "\n\n\n\nNUMBER"),
    "lines inside": ("    count = 0", "\n\n    count = 0"),
    "parentheses": ("squares + NUMBER + more + last", "(squares + NUMBER + more\n        + last)"),
    "what it does not name": ("NUMBER = ", "OTHER = 5\nNUMBER = "),
    "an import": ("import math", "import math, re"),
    "the order of definitions": ("PAIR = Pair(4, 5)\nPOINT = Level.LOW", "POINT = Level.LOW\nPAIR = Pair(4, 5)"),
}

_number = itertools.count()


@pytest.fixture
def defined(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Import a text as a module, and return what it defines under a name."""
    names = []

    def imported(text: str, name: str = "root", *, package: str = "") -> Any:
        module = f"{package}defined_{next(_number)}"
        file = tmp_path / f"{module}.py"
        file.write_text(text, "utf-8")
        spec = importlib.util.spec_from_file_location(module, file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[module] = made = importlib.util.module_from_spec(spec)
        names.append(module)
        spec.loader.exec_module(made)
        return getattr(made, name)

    yield imported
    for name in names:
        del sys.modules[name]


def keys_of(entry: Entry) -> tuple[str | None, str]:
    return keys.kept_under(entry), keys.shipped_under(entry)


def changed(before: str, after: str) -> str:
    assert before in MODULE
    return MODULE.replace(before, after)


@pytest.mark.parametrize("change", CHANGES)
def test_a_key_changes_with_what_a_definition_reaches(change: str, defined: Callable[..., Any]) -> None:
    before, after = keys_of(defined(MODULE)), keys_of(defined(changed(*CHANGES[change])))
    assert None not in before + after
    assert before[0] != after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize("change", UNCHANGED)
def test_a_key_does_not_change_with_what_no_code_is_made_of(change: str, defined: Callable[..., Any]) -> None:
    before = keys_of(defined(MODULE))
    assert None not in before
    assert keys_of(defined(changed(*UNCHANGED[change]))) == before


def test_the_key_in_a_wheel_is_the_same_in_every_version_of_python(defined: Callable[..., Any]) -> None:
    """Without the part of lowering; an edit of `MODULE`, `embedded` or `bits.lowest` may need another number here."""
    assert keys._digest(defined(MODULE), "", lambda it: keys._syntax(it.function.__code__)) == "8c8c87fcfa8842b2"


def test_the_kinds_of_a_pattern_are_part_of_its_key(defined: Callable[..., Any]) -> None:
    text = MODULE.replace("def bare(squares: Set) -> Count", "def bare(squares: Set) -> Set")
    assert keys_of(defined(MODULE)) == keys_of(defined(text))
    assert not set(keys_of(defined(MODULE, "bare"))) & set(keys_of(defined(text, "bare")))


@pytest.mark.parametrize(
    ("value", "use", "fault"),
    [
        ("{}", "THING[squares]", "THING in .*root is dict"),
        ("object()", "THING", "is object"),
        ("np.empty(3, object)", "THING[0]", "is ndarray"),
        ("np.zeros(3, [('a', int)])", "THING[0]", "is ndarray"),
        ("functools.partial(max, 1)", "THING(squares)", "is partial"),
        ("lambda it: it", "THING(squares)", "is function"),
        ("np.frompyfunc(max, 2, 1)", "THING(squares)", "is ufunc"),
        ("bits", "getattr(THING, 'ONE')", "names the module THING without an attribute"),
        ("0", "__import__('re') and THING", None),
    ],
)
def test_an_unknown_kind_of_thing_is_an_error(value: str, use: str, fault: str | None, defined: Any) -> None:
    text = changed("FLOAT = 0.25", f"THING = {value}\nFLOAT = 0.25").replace("count = 0 ", f"count = {use} ")
    ours = defined(text, package="setwise.")
    if fault is None:
        assert keys.kept_under(ours)
        return
    for key_of in (keys.kept_under, keys.shipped_under):
        with pytest.raises(DefinitionError, match=fault):
            key_of(ours)
    assert keys.kept_under(defined(text)) is None


def test_an_import_inside_a_definition_is_an_error(defined: Callable[..., Any]) -> None:
    text = changed("    count = 0 ", "    from setwise.patterns.bits import ONE as count ")
    with pytest.raises(DefinitionError, match="import at the head"):
        keys.kept_under(defined(text, package="setwise."))


def test_a_name_that_is_bound_anew_costs_a_users_definition_its_key(defined: Callable[..., Any]) -> None:
    """The compiler freezes what a name is bound to, when it first compiles a function; another caller cannot know."""
    root = defined(MODULE)
    assert keys.kept_under(root)
    sys.modules[root.__module__].NUMBER = 5
    assert keys.kept_under(root) is None


def test_without_sources_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    attacks = PATTERNS["knight.attacks"]
    with monkeypatch.context() as patch:
        patch.setattr(keys, "_source_of", lambda module: (tmp_path / module).read_bytes())
        keys._room.cache_clear()
        assert keys.kept_under(attacks) is None
    assert keys.kept_under(attacks)


def test_every_entry_has_keys_of_its_own() -> None:
    """Different entries can share a key only if the same code answers for both; then names keep them apart."""
    every = entries()
    assert len(every) > 300
    for form in (keys.kept_under, keys.shipped_under):
        found = {name: form(entry) for name, entry in every.items()}
        assert all(found.values())
        assert len(set(found.values())) > 0.9 * len(every)


def test_everything_that_lowering_reads_is_part_of_all_keys() -> None:
    """Modules of the room import each other, and descriptions whose values are part of every key by themselves."""
    described = {"setwise.bitboard", "setwise.compiler", "setwise.compiler.targets.shipped", "setwise.errors"} | {
        f"setwise.compiler.{name}" for name in ("cache", "definitions", "keys", "kinds")
    }
    room = {name.removesuffix(".__init__") for name in keys.ROOM}
    assert len(room) > 8
    for name in room:
        tree = ast.parse(keys._source_of(name))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("setwise"):
                assert node.module in room | described, f"{name} imports {node.module}"


# ----------------------------------------------------------------------------------------------------------- the file


@pytest.mark.parametrize("at", [0, 31, 32, 40, -1])
def test_a_file_that_is_damaged_is_not_run(tmp_path: Path, at: int) -> None:
    """What is damaged could end the process: it is compiled anew."""
    file = CodeFile("knight.attacks", None)
    assert file.read() is None
    file.path = tmp_path / "knight.attacks.key.nbc"
    file.write(bytes(range(50)))
    assert file.read() == bytes(range(50))
    harmed = bytearray(file.path.read_bytes())
    harmed[at] ^= 4
    file.path.write_bytes(harmed)
    assert file.read() is None
    file.path.write_bytes(harmed[:at])
    assert file.read() is None
