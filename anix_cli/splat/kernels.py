"""How kernels are compiled: ahead of use, without the GIL, kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

# Sums may be fused with products and divisions by one number shared; NaN and infinity keep their meaning.
# Kernels make no arrays of their own, so nothing is reference-counted: counting is atomic, and took half
# of the time.
_OPTIONS: dict[str, Any] = {
    "nogil": True, "error_model": "numpy", "fastmath": {"contract", "arcp", "nsz"}, "_nrt": False,
}  # fmt: skip

helper = numba.njit(forceinline=True, **_OPTIONS)
"""A function that kernels of the same module call; compiled into them. It lives beside its kernel, because
numba's cache does not notice changes in other modules."""


def kernel(*signature: Any, returns: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compiles a function for exactly these argument types, releasing the GIL while it runs.

    Machine code is kept in numba's cache. Where no cache directory can be written (a read-only installation
    without a home directory), or where the cache is damaged, the function is compiled anew in each process.
    """

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        machine_code: Callable[..., Any]
        try:
            machine_code = numba.njit(returns(*signature), cache=True, **_OPTIONS)(function)
        except Exception:  # RuntimeError, OSError, unpickling errors…; a fault of the code itself recurs
            machine_code = numba.njit(returns(*signature), **_OPTIONS)(function)
        return machine_code

    return compiled


def read(dtype: Any, dimensions: int) -> Any:
    """The type of a C-contiguous array that a kernel only reads (a read-only array fits it too)."""
    return types.Array(dtype, dimensions, "C", readonly=True)


def write(dtype: Any, dimensions: int) -> Any:
    """The type of a C-contiguous array that a kernel fills."""
    return types.Array(dtype, dimensions, "C")


@intrinsic
def trailing_zeros(context, bits):  # type: ignore[no-untyped-def]  # numba calls it with its own types
    """The place of the lowest set bit of a uint32 that is not zero, as int64."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        undefined_at_zero = ir.Constant(ir.IntType(1), 1)
        return builder.zext(builder.cttz(arguments[0], undefined_at_zero), ir.IntType(64))

    return types.int64(types.uint32), generate
