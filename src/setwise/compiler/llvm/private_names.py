"""Private names of Numba and llvmlite that setwise needs, in a section for each need.

``tests/test_private_names.py`` fails with a sentence when a release makes one of these needs superfluous. The first
need is speed of compiling: a routine is lowered once in a process and linked into its callers, where LLVM optimises it,
and an entry is called by its symbol, so that its code exists once. The second need is to compile for another processor,
for wheels and the web. The third need is Python's call of a pattern: it accepts ints or refuses, without Numba's
wrapper. To support a new release of Numba, only this file must change.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from llvmlite.binding import Linkage
from numba.core import cgutils, itanium_mangler, registry, types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.funcdesc import ExternalFunctionDescriptor
from numba.core.pythonapi import PythonAPI
from numba.core.typed_passes import NativeLowering

from setwise.bitboard import Bitboard
from setwise.compiler.llvm.lowering import constant_array
from setwise.compiler.llvm.runtime import BITBOARD, NEW_INT, OBJECT
from setwise.compiler.llvm.tables import PREFIX, definition

if TYPE_CHECKING:
    from setwise.compiler.definitions import Pattern
    from setwise.compiler.kinds import Kind


# -------------------------------------------------------------------- compiling functions that only compiled code calls


class Linked(JITCodeLibrary):
    """Code that other libraries link, together with the code that it links; no machine code is made from it alone."""

    _shared_module: Any

    def finalize(self) -> None:
        """Allow no more additions; the code is optimised in the libraries that link it."""
        self._raise_if_finalized()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return all linked code in one module, for code of other packages, which Numba compiles as usual."""
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
    """A placeholder, in callers, for code that is called by its symbol."""

    def __init__(self, codegen: Any, symbol: str, of: Any, resolve: Callable[[], None]) -> None:
        super().__init__(codegen, symbol)
        self.symbol, self.of, self.resolve = symbol, of, resolve


def closure(*libraries: Any) -> Iterator[Any]:
    """Yield libraries and all libraries that they link, each once, after a library that calls it.

    Numba's own libraries come last: LLVM takes from them only functions that the earlier libraries call.
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
    """Make all functions and variables of a module internal except some; ``linkage`` may allow callers to have copies.

    Internal ones stay internal, because Numba gives the same name to constants with different contents.
    """
    for thing in (*module.functions, *module.global_variables):
        is_internal = thing.linkage in _INTERNAL
        if not (is_internal or thing.is_declaration or thing.name in shown):
            thing.linkage = linkage


def tables_in(module: Any) -> list[str]:
    """Return the names of the tables that a module reads."""
    return [it.name for it in module.global_variables if it.name.startswith(PREFIX)]


class Whole(JITCodeLibrary):
    """Code from which machine code is made; only some of its functions have names for the outside."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.shown: set[str] = set()
        self.calls: list[Called] = []
        self.tables: list[str] = []
        #: The functions of Numba's runtime that it calls.
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


#: The beginnings of the names of functions of Numba's runtime.
_RUNTIME = ("NRT_", "numba_")

#: The symbols of functions, for functions whose symbol is the same in every process.
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
    """A mangler that gives its symbol to the function with a number, and the usual names to all others."""

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
    """Return the dispatcher of a function for compiled code only; it is never compiled for a literal argument.

    ``symbol`` is the name of the function in machine code; without it, Numba makes up a different name in each process.
    """
    if symbol:
        _symbols[function] = symbol
    compiled = numba.njit(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_ForCallers)
    dispatcher = compiled(function)
    dispatcher._insert = lambda *_: None  # it would list functions that Python can call, and there are none
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
    """Return the dispatcher of a function of one signature; callers do not link the function, but call its symbol.

    ``resolve`` is called before the machine code of a caller is loaded, so that LLVM knows the symbol.
    """
    target = registry.cpu_target.target_context
    dispatcher, address = numba.njit(function), object()
    dispatcher.overloads[signature.args] = SimpleNamespace(signature=signature, entry_point=address, objectmode=False)
    dispatcher.disable_compile()
    descriptor = ExternalFunctionDescriptor(symbol, signature.return_type, signature.args)
    target.insert_user_function(address, descriptor, [Called(target.codegen(), symbol, of, resolve)])
    return dispatcher


# ------------------------------------------------------------------- compiling for processors that need not be this one


class _Written(Linked):
    """Code as Numba writes it, not optimised and not linked."""

    def __init__(self, codegen: _Codegen, name: str) -> None:
        super().__init__(codegen, name)
        self.modules: list[bytes] = []

    def add_llvm_module(self, ll_module: Any) -> None:
        """Keep a module unchanged."""
        self.modules.append(ll_module.as_bitcode())

    def get_pointer_to_function(self, name: str) -> int:
        """Return a number that is not zero; it is never called."""
        return 1


class _Codegen(JITCPUCodegen):
    """Numba's code generator with another target machine, and without the engine that loads what it generates."""

    _library_class = _Written

    def __init__(self, machine: Any, features: str) -> None:
        self._machine, self._features = machine, features
        super().__init__("setwise")

    def _init(self, llvm_module: Any) -> None:
        self._tm, self._tm_features = self._machine, self._features
        self._target_data = self._machine.target_data
        self._data_layout = str(self._target_data)
        self._loopvect, self._opt_level = False, 0

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = self._machine.triple
        return module

    def set_env(self, env_name: str, env: Any) -> None:
        """Do not change the variable of a function's environment."""


def compile_for(machine: Any, features: str) -> None:
    """Make Numba compile everything from now on for a target machine, as position-independent code without addresses.

    Its output is not optimised yet: see `Optimizer`.
    """
    registry.cpu_target.target_context._internal_codegen = _Codegen(machine, features)
    PythonAPI.get_c_object = _object


def _object(python: Any, name: str) -> Any:
    """An object of Python by its name in C, loaded from a variable, as its address is known only when the code runs."""
    return python.builder.load(python.context.get_c_value(python.builder, python.pyobj, OBJECT + name))


class Optimizer:
    """LLVM's work, for one target machine, on the output of Numba; the features are the same as Numba compiled for."""

    def __init__(self, machine: Any, features: str) -> None:
        self.machine, self._codegen = machine, _Codegen(machine, features)

    def linked(self, libraries: Iterable[Any], lowered: Callable[[Any], Any]) -> Any:
        """Return LLVM's module of libraries and of everything that they link and call, not optimised as a whole.

        ``lowered`` returns the library of an entry that is called by its symbol.
        """
        modules, todo, seen = list[Any](), list(libraries), set()
        while todo:
            for part in closure(todo.pop()):
                if part in seen:
                    continue
                seen.add(part)
                if isinstance(part, Called):
                    todo.append(lowered(part.of))
                else:
                    modules += map(llvm.parse_bitcode, part.modules)
        # Modules are linked in pairs: when LLVM links one module into another, it reads the whole of the other.
        while len(modules) > 1:
            for module, other in zip(modules[::2], modules[1::2], strict=False):
                module.link_in(other)
            modules = modules[::2]
        [whole] = modules
        for name in tables_in(whole):
            whole.link_in(llvm.parse_assembly(definition(name)))
        return whole

    def optimize(self, module: Any) -> None:
        """Optimise a module as Numba does for the processor that it runs on."""
        whole = Linked(self._codegen, "whole")
        whole._final_module = module
        whole._optimize_final_module()


# ------------------------------------------------------------------------------------------- Python's calls of patterns


#: The offset in an object of the address of its type.
_TYPE_AT = object.__basicsize__ - tuple.__itemsize__
#: The types of ints; the last one is for sets only.
_TYPES = ("PyLong_Type", "PyBool_Type", BITBOARD)
_LARGEST = 2**64 - 1


class _Call:
    """A C function, while it is built: Python calls a pattern through it."""

    def __init__(self, context: Any, module: Any, fndesc: Any) -> None:
        self.context, self.fndesc = context, fndesc
        self.object = context.get_argument_type(types.pyobject)
        self.number = ir.IntType(64)
        row = self.object.as_pointer()
        kind = ir.FunctionType(self.object, [self.object, row, self.number])
        self.function = ir.Function(module, kind, fndesc.llvm_cpython_wrapper_name)
        called = context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
        self.body = ir.Function(module, called, fndesc.llvm_func_name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("start"))
        self.python = context.get_python_api(self.builder)
        self.unusual = self.function.append_basic_block("unusual")
        with self.builder.goto_block(self.unusual):
            self.python.err_clear()
            self.builder.ret(self.python.make_none())

    def build(self, pattern: Pattern, *, releases: bool) -> None:
        """Build the function; it can release the GIL while the pattern computes."""
        builder, python = self.builder, self.python
        _, row, count = self.function.args
        self._need(builder.icmp_unsigned("==", count, self.number(len(pattern.kinds))))
        values = [builder.load(builder.gep(row, [self.number(k)])) for k in range(len(pattern.kinds))]
        words = [self._word(value, it) for value, it in zip(values, pattern.kinds.values(), strict=True)]
        state = python.save_thread() if releases else None
        call = self.context.call_conv
        status, word = call.call_function(builder, self.body, self.fndesc.restype, self.fndesc.argtypes, words)
        if releases:
            python.restore_thread(state)
        with builder.if_then(status.is_error, likely=False):
            call.raise_error(builder, python, status)
            builder.ret(python.get_null_object())
        builder.ret(self._result(word, pattern.returns.python))

    def _need(self, condition: Any) -> None:
        """Go on if a condition holds; otherwise return None, so that Python checks the arguments."""
        more = self.function.append_basic_block()
        self.builder.cbranch(condition, more, self.unusual)
        self.builder.position_at_end(more)

    def _word(self, value: Any, of: Kind) -> Any:
        """The word of an argument that has one of the types and is in range."""
        builder, python, largest = self.builder, self.python, of.largest
        kind = builder.load(cgutils.pointer_add(builder, value, _TYPE_AT, self.object.as_pointer()))
        names = _TYPES if of.is_set else _TYPES[:-1]
        same = [builder.icmp_unsigned("==", kind, python.get_c_object(name)) for name in names]
        self._need(functools.reduce(builder.or_, same))
        word = python.long_as_ulonglong(value)
        if largest < _LARGEST:
            self._need(builder.icmp_unsigned("<=", word, self.number(largest)))
        else:  # the largest number is also the result of an error
            with builder.if_then(builder.icmp_unsigned("==", word, self.number(_LARGEST)), likely=False):
                self._need(cgutils.is_null(builder, python.err_occurred()))
        return word

    def _result(self, word: Any, kind: Any) -> Any:
        """The Python object of a result."""
        builder, python = self.builder, self.python
        if kind is bool:
            return python.bool_from_long(builder.zext(builder.icmp_unsigned("!=", word, self.number(0)), python.long))
        if kind is int:
            return python.long_from_ulonglong(word)
        return self._set(word) if kind is Bitboard else python.long_from_longlong(word)

    def _set(self, word: Any) -> Any:
        """A Bitboard, made by the function that makes ints: calling the class would take twice as long as the rest."""
        builder, python = self.builder, self.python
        made = cgutils.alloca_once_value(builder, python.get_null_object())
        arguments = python.tuple_new(1)
        with builder.if_then(cgutils.is_not_null(builder, arguments), likely=True):
            python.tuple_setitem(arguments, 0, python.long_from_ulonglong(word))
            kind = ir.FunctionType(self.object, [self.object] * 3).as_pointer()
            new = builder.bitcast(python.get_c_object(NEW_INT), kind)
            null = python.get_null_object()
            builder.store(builder.call(new, [python.get_c_object(BITBOARD), arguments, null]), made)
            python.decref(arguments)
        return builder.load(made)


def _wrapped(library: Any, lowered: Any, add: Callable[..., None], **more: Any) -> None:
    """Add a function to a library; it calls the lowered function."""
    with lowered.target_context.push_code_library(library):
        library.add_linking_library(lowered.library)
        add(library, lowered.fndesc, lowered.environment, lowered.call_helper, **more)


def for_python(library: Any, lowered: Any, *, releases: bool) -> str:
    """Add the function that Python calls to a library; return its name."""
    _wrapped(library, lowered, lowered.target_context.create_cpython_wrapper, release_gil=releases)
    name: str = lowered.fndesc.llvm_cpython_wrapper_name
    return name


def for_ints(library: Any, lowered: Any, pattern: Pattern, *, releases: bool) -> str:
    """Add the function through which Python calls a pattern to a library; return its name."""
    context, names = lowered.target_context, lowered.fndesc

    def add(*_: Any) -> None:
        module = context.create_module("call")
        _Call(context, module, names).build(pattern, releases=releases)
        library.add_ir_module(module)

    _wrapped(library, lowered, add)
    name: str = names.llvm_cpython_wrapper_name
    return name


def for_c(library: Any, lowered: Any) -> str:
    """Add the function that C calls to a library; return its name."""
    _wrapped(library, lowered, lowered.target_context.create_cfunc_wrapper)
    name: str = lowered.fndesc.llvm_cfunc_wrapper_name
    return name
