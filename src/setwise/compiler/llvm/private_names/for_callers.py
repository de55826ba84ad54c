"""Compiling functions that only compiled code calls: linked into callers and optimised there, never machine code alone.

Machine code is made of a whole: a function, what it links, and its wrappers. LLVM optimises each whole once. What is a
whole of its own is called by its symbol, and is not linked into callers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterator
from types import SimpleNamespace
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core import itanium_mangler, registry, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.typed_passes import NativeLowering

from setwise.compiler.llvm.memory import constant_array
from setwise.compiler.llvm.tables import PREFIX

__all__ = ["Called", "Linked", "Whole", "called", "closure", "for_callers", "hide", "symbol_of", "tables_in"]


class Linked(JITCodeLibrary):
    """Code that other libraries link with what it links itself, for which no machine code is generated."""

    _shared_module: Any

    def finalize(self) -> None:
        """Let nothing be added any more; it is optimised where it is linked."""
        self._raise_if_finalized()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """For code of other packages, which Numba compiles as usual: all that is linked, in one module."""
        if self._shared_module is None:
            shared = self._final_module.clone()
            for part in closure(self):
                if isinstance(part, Called):
                    part.resolve()
                elif part is not self:
                    shared.link_in(_module_of(part), preserve=True)
            hide(shared, (), "linkonce_odr")
            self._shared_module = shared
        return self._shared_module


class Called(Linked):
    """What stands in callers for a whole that is called by its symbol."""

    def __init__(self, codegen: Any, symbol: str, of: Any, resolve: Callable[[], None]) -> None:
        super().__init__(codegen, symbol)
        self.symbol, self.of, self.resolve = symbol, of, resolve


def closure(*libraries: Any) -> Iterator[Any]:
    """Yield libraries and all that they link, each once, after one that calls it.

    Those of Numba's own come last: LLVM takes from them only the functions that are called by then.
    """
    seen: dict[Any, None] = {}
    todo = list(reversed(libraries))
    while todo:
        library = todo.pop()
        if library not in seen:
            seen[library] = None
            library._ensure_finalized()
            if isinstance(library, Linked):
                yield library
                todo += reversed(library._linking_libraries)
    yield from (library for library in seen if not isinstance(library, Linked))


def _module_of(part: Any) -> Any:
    return part._final_module if isinstance(part, Linked) else part._get_module_for_linking()


_INTERNAL = {Linkage.internal, Linkage.private}


def hide(module: Any, shown: Container[str], linkage: str = "internal") -> None:
    """Make all functions and variables of a module internal except some; or such that callers may have their own.

    What is internal stays so: Numba names constants of different contents alike.
    """
    for thing in (*module.functions, *module.global_variables):
        is_internal = thing.linkage in _INTERNAL
        if not (is_internal or thing.is_declaration or thing.name in shown):
            thing.linkage = linkage


def tables_in(module: Any) -> list[str]:
    """Return the names of the tables that a module reads."""
    return [it.name for it in module.global_variables if it.name.startswith(PREFIX)]


class Whole(JITCodeLibrary):
    """Code of which machine code is made; only some of its functions have names outside."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.shown: set[str] = set()
        self.calls: list[Called] = []
        self.tables: list[str] = []
        #: What it calls of Numba's runtime.
        self.runtime: list[str] = []
        self.enable_object_caching()

    def finalize(self) -> None:
        """Link, optimise, generate machine code, and load it."""
        self._raise_if_finalized()
        for part in closure(*self._linking_libraries):
            if not isinstance(part, Called):
                self._final_module.link_in(_module_of(part), preserve=True)
            elif part.symbol not in self.shown:
                self.calls.append(part)
        hide(self._final_module, self.shown, "linkonce_odr")
        self._optimize_final_module()
        hide(self._final_module, self.shown)
        self._final_module.verify()
        self.tables = tables_in(self._final_module)
        self.runtime = [
            it.name for it in self._final_module.functions if it.is_declaration and it.name.startswith(_RUNTIME)
        ]
        for part in self.calls:
            part.resolve()
        self._finalize_final_module()

    @property
    def code(self) -> bytes:
        """The relocatable object."""
        code: bytes = self._get_compiled_object()
        return code


#: How the names of functions of Numba's runtime begin.
_RUNTIME = ("NRT_", "numba_")

#: The symbols of functions that have one which is the same in every process.
_symbols: dict[Callable[..., Any], str] = {}


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    _name = "lowering_for_callers"

    def run_pass(self, state: Any) -> bool:
        """Lower a function into code that its callers link, with a placeholder for its address."""
        target, codegen = state.targetctx, state.targetctx.codegen()
        state.flags.no_compile = True
        state.targetctx = target.subtarget()
        state.targetctx.make_constant_array = functools.partial(constant_array, target)
        if symbol := _symbols.get(state.func_id.func):
            state.targetctx.mangler = _mangler(state.func_id.unique_id, symbol)
        kind = codegen._library_class if issubclass(codegen._library_class, Linked) else Linked
        state.library = kind(codegen, state.func_id.func_qualname)
        super().run_pass(state)
        state.targetctx = target
        lowered = state["cr"] = state["cr"]._replace(cfunc=object())
        target.insert_user_function(lowered.cfunc, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        return True


def _mangler(number: int, symbol: str) -> Callable[..., str]:
    """What names the function of a number by its symbol, and all others as usual."""

    def mangled(name: str, kinds: Any, *, abi_tags: Any = (), uid: int | None = None) -> str:
        if uid == number and not name.startswith("."):
            return symbol
        usual: str = itanium_mangler.mangle(name, kinds, abi_tags=abi_tags, uid=uid)
        return usual

    return mangled


class _ForCallers(CompilerBase):
    """Numba's compiler without its last step, which takes a fifth of the time of compiling the PGN reader."""

    def define_pipelines(self) -> list[Any]:
        """Return the nopython pipeline with its lowering pass replaced."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_Lowering if step is NativeLowering else step, text) for step, text in passes.passes]
        passes._finalized = False
        passes.finalize()
        return [passes]


def for_callers(function: Callable[..., Any], *, symbol: str = "", **options: Any) -> Any:
    """Return the dispatcher of a function for compiled code only; what it is passed is not compiled for as a literal.

    A ``symbol`` is its name in machine code; without one, Numba makes up another name in each process.
    """
    if symbol:
        _symbols[function] = symbol
    compiled = numba.njit(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_ForCallers)
    dispatcher = compiled(function)
    dispatcher._insert = lambda *_: None  # it lists what Python can call; there is nothing
    usual = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: usual(
        tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()}
    )
    return dispatcher


def symbol_of(name: str) -> str:
    """Return the symbol of a function by its name with dots, in the form that Numba's wrappers need."""
    symbol: str = itanium_mangler.mangle(name, ())
    return symbol


def called(function: Callable[..., Any], symbol: str, signature: Any, of: Any, resolve: Callable[[], None]) -> Any:
    """Return the dispatcher of a function of one signature that callers do not link: they call it by its symbol.

    ``resolve`` is called before machine code of a caller is loaded, for LLVM to know the symbol.
    """
    target = registry.cpu_target.target_context
    dispatcher, address = numba.njit(function), object()
    dispatcher.overloads[signature.args] = SimpleNamespace(signature=signature, entry_point=address, objectmode=False)
    dispatcher.disable_compile()
    descriptor = ExternalFunctionDescriptor(symbol, signature.return_type, signature.args)
    target.insert_user_function(address, descriptor, [Called(target.codegen(), symbol, of, resolve)])
    return dispatcher
