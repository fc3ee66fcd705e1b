"""Numba's compiler, cut down to the steps that kernels need.

Numba's standard pipeline looks for closures, generators, expressions of arrays and so on, and brings every
function that another calls to machine code of its own. Kernels have none of these, and their helpers are only
ever inlined.
"""

# Numba calls these with its own types.
# mypy: ignore-errors

from __future__ import annotations

import operator

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
from numba.core.typing import arraydecl, builtins
from numba.core.typing.templates import infer_global
from numba.core.untyped_passes import FixupArgs, IRProcessing, ReconstructSSA, TranslateByteCode

_PASSES = (
    TranslateByteCode, FixupArgs, IRProcessing, ReconstructSSA, NopythonTypeInference, PreLowerStripPhis,
    IRLegalization, AnnotateTypes,
)  # fmt: skip

for _function, _rule in (
    (operator.getitem, arraydecl.GetItemBuffer),
    (operator.setitem, arraydecl.SetItemBuffer),
    (bool, builtins.Bool),
):
    # Numba's own rules for arrays, tried before those that it has for strings, lists, sets and so on.
    infer_global(_function)(type(f"First{_rule.__name__}", (_rule,), {"metadata": {"target": "cpu"}}))


class _Inlined(JITCodeLibrary):
    """LLVM code that is linked into other code and optimised there, never run by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


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

    lowering = NativeLowering

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("kernel")
        for each in (*_PASSES, self.lowering, NoPythonBackend):
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]


class HelperCompiler(KernelCompiler):
    """Compiles what kernels call."""

    lowering = InlinedLowering
