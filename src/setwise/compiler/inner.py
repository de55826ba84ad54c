"""Compiling what compiled code alone calls: optimised and linked into its callers, never machine code by itself."""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

__all__ = ["ForCallers"]


class _Linked(JITCodeLibrary):
    """Code to link from, which the processor's compiler never sees."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    _name = "lowering_for_callers"

    def run_pass(self, state: Any) -> bool:
        """Lower a function into code to link from, under a name that stands for its address."""
        state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"] = state["cr"]._replace(cfunc=object())
        state.targetctx.insert_user_function(lowered.cfunc, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        return True


class ForCallers(CompilerBase):
    """Numba's own way to compile, but for the last step, which is a fifth of the time that the PGN reader takes."""

    def define_pipelines(self) -> list[Any]:
        """Return the one way there is."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_Lowering if step is NativeLowering else step, told) for step, told in passes.passes]
        passes._finalized = False
        passes.finalize()
        return [passes]
