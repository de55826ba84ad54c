"""What Numba, llvmlite and multiprocessing still lack; a failure says which file of the package may go."""

from __future__ import annotations

import sys
from multiprocessing import spawn
from types import ModuleType

import pytest
from llvmlite import ir
from numba.core import registry

from setwise.compiler import Set, entry, routine
from setwise.compiler.llvm.private_names import attributes, for_callers
from setwise.compiler.signatures import uint64
from setwise.compiler.targets import jit
from setwise.system.hidden_main import hidden_main


def public(thing: object, word: str) -> list[str]:
    """The public names of a thing that have a word in them."""
    return [name for name in dir(thing) if word in name and not name.startswith("_")]


def test_llvmlite_knows_no_attributes_with_values() -> None:
    function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "empty")
    try:
        function.attributes.add(attributes.WIDEST)
    except ValueError:
        attributes.use_widest_vectors(function)
        assert attributes.WIDEST in str(function)
    else:
        pytest.fail("llvmlite accepts attributes with values: attributes.py may go, `attributes.add` does it")


@routine
def _same(word: Set) -> Set:
    return word


@entry(uint64, uint64)
def _calls_it(word: Set) -> Set:
    return _same(word)


def test_numba_has_no_option_to_leave_machine_code_out() -> None:
    assert _calls_it(7) == 7
    [inner] = jit.dispatcher_of(_same).overloads.values()
    assert isinstance(inner.library, for_callers.Linked)
    with pytest.raises(TypeError, match="is for compiled code"):
        _same(7)
    assert not hasattr(registry.cpu_target.options, "no_compile"), (
        "Numba has an option to leave machine code out: for_callers.py may go"
    )


def of_main() -> list[str]:
    """What multiprocessing tells a child process to import as ``__main__``."""
    return [name for name in spawn.get_preparation_data("child") if name.startswith("init_main")]


def test_multiprocessing_imports_the_main_module_in_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    main = ModuleType("__main__")
    main.__file__ = "main.py"  # that of a test runner's worker has no file
    monkeypatch.setitem(sys.modules, "__main__", main)
    with hidden_main():
        assert of_main() == []
    assert of_main() != [], "child processes do not import __main__ any more: system/hidden_main.py may go"
