"""What the models of the Wan family share in diffusers: VAE, tokenizer, noise levels.

What diffusers 0.42 does in silence is guarded here: pickles are never loaded, and the VAE is float32.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anix_cli.core.clip import BadFrames, Frames

from . import modelbackend
from .holding import hush, levels
from .ladder import Rung
from .making import OnRung

EXTRAS = modelbackend.EXTRAS
TOKENS = 512
"""That the text encoder (UMT5) is trained with, and diffusers cuts at."""


def load_pipeline(kind: Any, folder: Path, rung: Rung) -> Any:
    """A pipeline of a class of diffusers from a whole local folder, not yet anywhere."""
    import torch
    from diffusers import AutoencoderKLWan

    hush()
    vae = AutoencoderKLWan.from_pretrained(
        folder, subfolder="vae", dtype=torch.float32, use_safetensors=True, local_files_only=True
    )
    pipe = kind.from_pretrained(
        folder, vae=vae, dtype=getattr(torch, rung.dtype), use_safetensors=True, local_files_only=True
    )
    pipe.set_progress_bar_config(disable=True)
    return pipe


def count_tokens(pipe: Any, text: str) -> int:
    """Tokens of a text, its end included, as they are sent."""
    from diffusers.pipelines.wan.pipeline_wan import prompt_clean

    return len(pipe.tokenizer(prompt_clean(text)).input_ids)


def unipc(now: Any, shift: float, **more: Any) -> Any:
    """UniPC with a flow shift, otherwise as the checkpoint has it."""
    from diffusers import UniPCMultistepScheduler

    return UniPCMultistepScheduler.from_config(now.config, flow_shift=shift, **more)


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


def decode(held: OnRung, latents: Any, *, tiled: bool) -> Frames:
    """Frames [N, H, W, 3] uint8 of denoised latents [1, C, N', H', W'] as the transformer has them.

    Raises:
        BadFrames: a frame is not finite.
    """
    import torch

    pipe, vae = held.pipe, held.pipe.vae
    if tiled or held.rung.tiled:
        vae.enable_tiling()
    else:
        vae.disable_tiling()  # another clip may have needed it
    device = pipe._execution_device if held.rung.offload != "group" else torch.device(held.rung.device)
    shape = (1, vae.config.z_dim, 1, 1, 1)
    mean = torch.tensor(vae.config.latents_mean, dtype=vae.dtype).view(shape)
    std = torch.tensor(vae.config.latents_std, dtype=vae.dtype).view(shape)
    with torch.no_grad():
        video = vae.decode((latents.to(vae.dtype) * std + mean).to(device), return_dict=False)[0]
    getattr(pipe, "maybe_free_model_hooks", lambda: None)()  # modular pipelines have none
    return levels(video[0].permute(1, 2, 3, 0).float().cpu().numpy())
