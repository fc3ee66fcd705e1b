"""How kernels are compiled: ahead of use, without the GIL, kept on disk where that is possible."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba import types

from . import lanes  # noqa: F401 (vectors have their rules before numbers and arrays)
from .rules import KNOWN, try_first

# Sums may be fused with products and divisions by one number shared; NaN and infinity keep their meaning.
# Kernels make no arrays of their own, so nothing is reference-counted: counting is atomic, and took half
# of the time.
_OPTIONS: dict[str, Any] = {
    "nogil": True, "error_model": "numpy", "fastmath": {"contract", "arcp", "nsz"}, "_nrt": False,
    "no_cfunc_wrapper": True,
}  # fmt: skip

_INLINED: dict[str, Any] = {**_OPTIONS, "forceinline": True, "no_cpython_wrapper": True}

_KERNEL: dict[str, Any] = dict(_OPTIONS)
if KNOWN:
    from .pipeline import HelperCompiler, KernelCompiler

    _KERNEL["pipeline_class"], _INLINED["pipeline_class"] = KernelCompiler, HelperCompiler

try_first()

helper = numba.njit(**_INLINED)
"""A function that kernels call; always compiled into them, and never called from Python."""


def kernel(*signature: Any, returns: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compiles a function for exactly these argument types, releasing the GIL while it runs.

    Machine code is kept in numba's cache. Where no cache directory can be written (a read-only installation
    without a home directory), or where the cache is damaged, the function is compiled anew in each process.
    """

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        with _no_collection():
            try:
                dispatcher = numba.njit(**_KERNEL)(function)
                dispatcher.enable_caching()
                _stamp(dispatcher)
                dispatcher.compile(returns(*signature))
            except Exception:  # RuntimeError, OSError, unpickling errors…; a fault of the code itself recurs
                dispatcher = numba.njit(**_KERNEL)(function)
                dispatcher.compile(returns(*signature))
        dispatcher.disable_compile()
        machine_code: Callable[..., Any] = dispatcher
        return machine_code

    return compiled


@contextmanager
def _no_collection() -> Iterator[None]:
    """Compiling makes a great many objects, nearly all of which live on: looking for dead ones takes long."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _stamp(dispatcher: Any) -> None:
    """Makes the cache notice changes of all modules here: by itself numba looks at the kernel's own only.

    By the insides of numba's cache, for want of another way: where these have changed, numba's rule remains.
    """
    file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, _sources())


@cache
def _sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read(dtype: Any, dimensions: int) -> Any:
    """The type of a C-contiguous array that a kernel only reads (a read-only array fits it too)."""
    return types.Array(dtype, dimensions, "C", readonly=True)


def write(dtype: Any, dimensions: int) -> Any:
    """The type of a C-contiguous array that a kernel fills."""
    return types.Array(dtype, dimensions, "C")
