"""Holding a pipeline of diffusers: where its parts lie, and what running out of memory looks like."""

from __future__ import annotations

from collections.abc import Callable
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


def finite(latents: Any) -> Any:
    """Latents as float32 on the CPU.

    Raises:
        BadFrames: they are not finite.
    """
    import torch

    latents = latents.detach().to("cpu", torch.float32).contiguous()
    if not bool(torch.isfinite(latents).all()):
        raise BadFrames("its latents are not finite")
    return latents


def frames_of(held: Any, decode: Callable[[Any, Any], Any], *, tiled: bool) -> Frames:
    """Frames [N, H, W, 3] uint8.

    Args:
        held: a pipeline and its rung.
        decode: (VAE, device) → the video [1, 3, N, H, W] in −1 … 1.

    Raises:
        BadFrames: a frame is not finite.
    """
    import torch

    pipe, vae, rung = held.pipe, held.pipe.vae, held.rung
    if tiled or rung.tiled:
        vae.enable_tiling()
    else:
        vae.disable_tiling()  # another clip may have needed it
    device = pipe._execution_device if rung.offload != "group" else torch.device(rung.device)
    with torch.no_grad():
        video = decode(vae, device)
    getattr(pipe, "maybe_free_model_hooks", lambda: None)()  # modular pipelines have none
    return levels(video[0].permute(1, 2, 3, 0).float().cpu().numpy())


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
