"""Numba's compiler, cut down to the steps that kernels need.

Numba's standard pipeline looks for closures, generators, expressions of arrays and so on, and brings every
function that another calls to machine code of its own. Kernels have none of these, and their helpers are only
ever inlined.
"""

# Numba calls these with its own types.
# mypy: ignore-errors

from __future__ import annotations

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, _LowerResult
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import FixupArgs, IRProcessing, ReconstructSSA, TranslateByteCode

_PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, ReconstructSSA, NopythonTypeInference, PreLowerStripPhis,
    IRLegalization, AnnotateTypes,
)  # fmt: skip


class _Kernel(JITCodeLibrary):
    """LLVM code of a kernel, optimised once, when all of it is there."""

    def _optimize_functions(self, ll_module) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        made = self._codegen._module_pass_manager()
        if isinstance(made, tuple):
            passes, builder = made
            passes.run(self._final_module, builder)
        else:  # numba with LLVM's older passes
            made.run(self._final_module)


class _Inlined(_Kernel):
    """LLVM code that is linked into a kernel's, never run by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """Lowers a kernel."""

    _name = "kernel_lowering"

    def run_pass(self, state) -> bool:
        state.library = _Kernel(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class InlinedLowering(NativeLowering):
    """Lowers a helper, and makes it known to its callers without machine code."""

    _name = "inlined_lowering"

    def run_pass(self, state) -> bool:
        state.library = _Inlined(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # Callers find a function by what Python would call; numba takes nothing but a builtin, here one of
        # an object that is nowhere else.
        key = object().__reduce__
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = _LowerResult(state.cr.fndesc, state.cr.call_helper, cfunc=key, env=state.cr.env)
        return True


class KernelCompiler(CompilerBase):
    """Compiles what Python calls."""

    lowering = KernelLowering

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("kernel")
        for each in (*_PASSES, self.lowering, NoPythonBackend):
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]


class HelperCompiler(KernelCompiler):
    """Compiles what kernels call."""

    lowering = InlinedLowering
