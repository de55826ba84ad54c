"""Compiling functions that only compiled code calls: optimised and linked into callers, never machine code alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

__all__ = ["Linked", "Lowered", "for_callers"]


class Linked(JITCodeLibrary):
    """Code that other libraries link, for which no machine code is generated."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    _name = "lowering_for_callers"

    def run_pass(self, state: Any) -> bool:
        """Lower a function into code that its callers link, with a placeholder for its address."""
        codegen = state.targetctx.codegen()
        kind = codegen._library_class if issubclass(codegen._library_class, Linked) else Linked
        state.library = kind(codegen, state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"] = state["cr"]._replace(cfunc=object())
        state.targetctx.insert_user_function(lowered.cfunc, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        return True


class Lowered(CompilerBase):
    """Numba's compiler with another lowering pass."""

    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        """Return the nopython pipeline with its lowering pass replaced."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if step is NativeLowering else step, text) for step, text in passes.passes]
        passes._finalized = False
        passes.finalize()
        return [passes]


class _ForCallers(Lowered):
    """Numba's compiler without its last step, which takes a fifth of the time of compiling the PGN reader."""

    lowering = _Lowering


def for_callers(function: Callable[..., Any], **options: Any) -> Any:
    """Return the dispatcher of a function for compiled code only."""
    compiled = numba.njit(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_ForCallers)
    dispatcher = compiled(function)
    dispatcher._insert = lambda *_: None  # it lists what Python can call; there is nothing
    return dispatcher
