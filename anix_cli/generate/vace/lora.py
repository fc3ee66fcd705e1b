"""The four-step LoRA: loaded from safetensors only, and held to match the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anix_cli.core.errors import fail
from anix_cli.model.whole import header


def apply_lora(pipe: Any, path: Path) -> float:
    """Fuses a LoRA into a pipeline's transformer; the share of the LoRA's modules that it has.

    Raises:
        AnixError: E557, it matches nothing or is none. diffusers only warns, and samples without it.
    """
    try:
        wanted = modules_of(header(path))
        pipe.load_lora_weights(
            path.parent, weight_name=path.name, adapter_name="distilled", use_safetensors=True,
            local_files_only=True,
        )  # fmt: skip
    except (ValueError, KeyError, RuntimeError) as error:
        raise _unfit(path, f"{error}".strip().splitlines()[0]) from error
    held = adapted(pipe.transformer)
    if not wanted or not held:
        raise _unfit(path, "none of its layers is one of the model's")
    pipe.fuse_lora(components=["transformer"])
    pipe.unload_lora_weights()
    return round(min(1.0, held / len(wanted)), 4)


def left_out(tensors: dict[str, Any]) -> list[str]:
    """Those of a LoRA's tensors that diffusers has no place for: changes of norms, of modulations and of the
    patch embedding, beside the layers' own."""
    ends = (".diff", ".diff_m")
    return sorted(
        name
        for name in tensors
        if name.endswith(ends) or (name.endswith(".diff_b") and ("norm" in name or "patch_embedding" in name))
    )


def modules_of(tensors: dict[str, Any]) -> set[str]:
    """Names of the layers that a LoRA's tensors belong to: each has a matrix down to the rank."""
    ends = (".lora_down.weight", ".lora_A.weight", ".lora_A.default.weight")
    return {name.removesuffix(end) for name in tensors for end in ends if name.endswith(end)}


def adapted(transformer: Any) -> int:
    """How many layers of a model carry an adapter."""
    return sum(bool(getattr(module, "lora_A", None)) for _, module in transformer.named_modules())


def _unfit(path: Path, why: str) -> Exception:
    return fail(
        "E557",
        f"the LoRA {path.name} does not fit the model: {why}",
        file=path,
        hint="`anix models verify wan2.1-distill-lora --deep` tells whether it is the published file",
    )
