"""What may make a model quicker, each by a call of diffusers. All are off unless a screenplay asks for one.

None was measured on a GPU by this project, so that no preset turns one on. Each changes what a seed gives, at
least in the last digits, and each is an option, which is part of a clip's key.

A cache leaves out work whose result is guessed from the steps before. The first-block cache counts VACE's
hints twice, and is not offered there; HunyuanVideo's pipeline of image to video has no place for a cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from anix_cli.core.capabilities import Option
from anix_cli.core.errors import fail

from .holding import parts
from .ladder import Rung

CACHES = ("taylorseer", "first-block")
ATTENTION = ("auto", "native", "flash", "sage", "xformers")
STORAGE = ("auto", "fp8", "int8")
_PACKAGES = {"flash": "flash-attn", "sage": "sageattention", "xformers": "xformers"}
_WARM_UP = 3
"""Steps that are always computed: a guess needs some to go by."""


@dataclass(frozen=True)
class Levers:
    """What is asked for.

    Attributes:
        cache: "none", "taylorseer" (arXiv 2503.06923) or "first-block".
        compile: the transformer's repeated blocks by torch.compile.
        attention: the library's kernel; "auto" leaves it to PyTorch.
        storage: of the transformer's weights: "fp8" in 8 bits, cast layer by layer; "int8" by torchao;
            "auto" as the memory ladder says.
    """

    cache: str = "none"
    compile: bool = False
    attention: str = "auto"
    storage: str = "auto"

    @property
    def named(self) -> dict[str, Any]:
        """Those that are on, for a record."""
        return {name: value for name, value in vars(self).items() if value not in ("none", "auto", False)}


OFF = Levers()


def options(*caches: str, compiles: bool = True, attention: tuple[str, ...] = ATTENTION) -> dict[str, Option]:
    """The settings that a screenplay may give a backend.

    Args:
        caches: that its pipeline works with.
        compiles: whether diffusers knows the repeated blocks of its transformer.
        attention: kernels that can do what it asks of them.
    """
    found = {
        "attention": Option("string", "auto", "Which attention kernel.", attention),
        "storage": Option("string", "auto", "How the transformer's weights are stored.", STORAGE),
    }
    if compiles:
        told = "Compile the transformer's blocks: slow to begin, then quicker."
        found["compile"] = Option("boolean", False, told)
    if caches:
        told = "Leave out work that can be guessed from the steps before."
        found["cache"] = Option("string", "none", told, ("none", *caches))
    return found


def levers(chosen: Mapping[str, Any]) -> Levers:
    """Those of a clip's options."""
    return Levers(
        cache=str(chosen.get("cache", "none")),
        compile=bool(chosen.get("compile", False)),
        attention=str(chosen.get("attention", "auto")),
        storage=str(chosen.get("storage", "auto")),
    )


def rung_with(rung: Rung, asked: Levers) -> Rung:
    """The rung, with weights in 8 bits where that is asked for."""
    return (
        replace(rung, name=f"{rung.name}, fp8", fp8=True) if asked.storage == "fp8" and not rung.fp8 else rung
    )


def before_placing(pipe: Any, asked: Levers) -> None:
    """Sets what has to be set before a pipeline's parts are put on their devices.

    Raises:
        AnixError: E471, a package for it is not installed.
    """
    for part in parts(pipe, "transformer", "transformer_2"):
        if asked.storage == "int8":
            _eight_bits(part)
        if asked.attention != "auto":
            _attend(part, asked.attention)
        if asked.cache != "none":
            part.enable_cache(_cache(asked.cache))


def after_placing(pipe: Any, asked: Levers) -> None:
    """Compiles what is compiled where it will run."""
    if asked.compile:
        for part in parts(pipe, "transformer", "transformer_2"):
            part.compile_repeated_blocks()


def fresh(pipe: Any) -> None:
    """Forgets what caches hold of the clip before."""
    for part in parts(pipe, "transformer", "transformer_2"):
        if getattr(part, "is_cache_enabled", False):
            part._reset_stateful_cache()


def _cache(name: str) -> Any:
    from diffusers import FirstBlockCacheConfig, TaylorSeerCacheConfig

    if name == "first-block":
        return FirstBlockCacheConfig()
    # Lite mode: Wan's block names are not among those that the full one knows.
    return TaylorSeerCacheConfig(use_lite_mode=True, disable_cache_before_step=_WARM_UP)


def _attend(part: Any, kernel: str) -> None:
    try:
        part.set_attention_backend(kernel)
    except (RuntimeError, ImportError, ValueError) as error:
        raise fail(
            "E471",
            f"attention: {kernel} cannot be used ({f'{error}'.strip().splitlines()[0]})",
            hint=f"pip install {_PACKAGES[kernel]}, or leave the option attention out"
            if kernel in _PACKAGES
            else "leave the option attention out",
        ) from error


def _eight_bits(part: Any) -> None:
    try:
        from torchao.quantization import Int8WeightOnlyConfig, quantize_
    except ImportError as error:
        raise fail(
            "E471",
            "storage: int8 needs the Python package torchao, which is not installed",
            hint="pip install torchao, or leave the option storage out",
        ) from error
    quantize_(part, Int8WeightOnlyConfig())
