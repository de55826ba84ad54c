"""What Numba, llvmlite and multiprocessing still lack; a failure says which file of the package may go."""

from __future__ import annotations

import sys
from multiprocessing import spawn
from types import ModuleType

import numba
import numpy as np
import pytest
from llvmlite import ir
from numba.core import registry

from setwise.compiler import Set, entry, routine
from setwise.compiler.kinds import int64, uint64
from setwise.compiler.llvm import lowering, private_names
from setwise.compiler.targets import jit
from setwise.patterns import knight
from setwise.rules.board import Board
from setwise.rules.search import has_mate
from setwise.system.processes import hidden_main


def public(thing: object, word: str) -> list[str]:
    """The public names of a thing that have a word in them."""
    return [name for name in dir(thing) if word in name and not name.startswith("_")]


def test_llvmlite_knows_no_attributes_with_values() -> None:
    function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "empty")
    try:
        function.attributes.add(lowering.WIDEST)
    except ValueError:
        lowering.use_widest_vectors(function)
        assert lowering.WIDEST in str(function)
    else:
        pytest.fail("llvmlite accepts attributes with values: the part of lowering.py that adds them may go")


@routine
def _same(word: Set) -> Set:
    return word


@entry(uint64, uint64)
def _calls_it(word: Set) -> Set:
    return _same(word)


def test_numba_has_no_option_to_leave_machine_code_out() -> None:
    assert _calls_it(7) == 7
    jit.lowered(_calls_it)  # the call may have been answered by the cache
    [inner] = jit.dispatcher_of(_same).overloads.values()
    assert isinstance(inner.library, private_names.Linked)
    with pytest.raises(TypeError, match="is for compiled code"):
        _same(7)
    assert not hasattr(registry.cpu_target.options, "no_compile"), (
        "Numba has an option to leave machine code out: the part of private_names.py for callers may go"
    )


@routine
def _sum(words: np.ndarray, first: int, word: Set) -> Set:
    return word + words[first]


WORDS = np.arange(300, dtype=np.uint64)


@entry(uint64, uint64, int64)
def _sum_of_two(word: Set, number: int) -> Set:
    return _sum(WORDS, 7, word) + _sum(WORDS, number, word)


@entry(uint64, int64)
def _one(number: int) -> Set:
    return WORDS[number]


def test_a_routine_is_not_compiled_again_for_a_literal() -> None:
    assert _sum_of_two(100, 299) == 506
    jit.lowered(_sum_of_two)  # the call may have been answered by the cache
    assert len(jit.dispatcher_of(_sum).overloads) == 1


def test_machine_code_shares_a_table() -> None:
    assert (_sum_of_two(0, 0), _one(299)) == (7, 299)
    [table] = jit.compiled(_one).library.tables
    assert jit.compiled(_sum_of_two).library.tables == [table]
    assert WORDS.tobytes() not in jit.compiled(_one).library.code


def test_code_that_numba_compiles_calls_entries_and_patterns() -> None:
    """A function of another package links patterns with all that they call."""

    @numba.njit
    def called(word):
        return knight.attacks(knight.attacks(word)), has_mate(
            Board(word, word, word, word, word, word, word, word, word, word)
        )

    assert called(np.uint64(1))[0] == int(knight.attacks(knight.attacks(1)))


def of_main() -> list[str]:
    """What multiprocessing tells a child process to import as ``__main__``."""
    return [name for name in spawn.get_preparation_data("child") if name.startswith("init_main")]


def test_multiprocessing_imports_the_main_module_in_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    main = ModuleType("__main__")
    main.__file__ = "main.py"  # that of a test runner's worker has no file
    monkeypatch.setitem(sys.modules, "__main__", main)
    with hidden_main():
        assert of_main() == []
    assert of_main() != [], "child processes do not import __main__ any more: hidden_main may go"
