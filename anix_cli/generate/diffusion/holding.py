"""Holding a pipeline of diffusers: where its parts lie, and what running out of memory looks like."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import BadFrames, Frames

from .ladder import Rung


def hush() -> None:
    """Progress is told as events; bars of libraries, and their advice to programmers, would fill logs."""
    from diffusers.utils import logging as of_diffusers
    from transformers.utils import logging as of_transformers

    of_diffusers.disable_progress_bar()
    of_transformers.disable_progress_bar()
    of_transformers.set_verbosity_error()


def parts(pipe: Any, *names: str) -> list[Any]:
    """Those of a pipeline's parts that it has."""
    found = [getattr(pipe, name, None) for name in names]
    return [part for part in found if part is not None]


def place(pipe: Any, rung: Rung) -> None:
    """Holds the pipeline's parts where the rung says."""
    import torch

    transformers = parts(pipe, "transformer", "transformer_2")
    if rung.fp8:
        for part in transformers:
            part.enable_layerwise_casting(
                storage_dtype=torch.float8_e4m3fn, compute_dtype=getattr(torch, rung.dtype)
            )
    if rung.tiled:
        pipe.vae.enable_tiling()
    if rung.offload == "model":
        pipe.enable_model_cpu_offload(device=rung.device)
    elif rung.offload == "group":
        for part in (*transformers, *parts(pipe, "text_encoder", "text_encoder_2", "image_encoder")):
            _offload_groups(part, rung.device)
        pipe.vae.to(rung.device)
    else:
        pipe.to(rung.device)


def _offload_groups(part: Any, device: str) -> None:
    import torch
    from diffusers.hooks import apply_group_offloading

    apply_group_offloading(
        part,
        onload_device=torch.device(device),
        offload_device=torch.device("cpu"),
        offload_type="leaf_level",
        use_stream=device.startswith("cuda"),
    )


def levels(video: NDArray[np.float32]) -> Frames:
    """[N, H, W, 3] in −1 … 1 to uint8, rounded; values that are no number are a finding."""
    for index, frame in enumerate(video):
        if not np.isfinite(frame).all():
            raise BadFrames(f"frame {index} is not finite")
    made: Frames = np.floor(np.clip((video + 1) * 127.5, 0, 255) + 0.5).astype(np.uint8)
    return made


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, of the GPU or of the machine."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    told = "out of memory" in str(error).lower() and isinstance(error, RuntimeError)
    return "OutOfMemoryError" in kinds or "MemoryError" in kinds or told


def release() -> None:
    """Hands the GPU's memory back after a pipeline was dropped."""
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
