"""What the models of the Wan family share in diffusers: VAE, tokenizer, noise levels.

What diffusers 0.42 does in silence is guarded here: pickles are never loaded, and the VAE is float32.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anix_cli.core.clip import Frames

from . import modelbackend
from .holding import frames_of, hush
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


def decode(held: OnRung, latents: Any, *, tiled: bool) -> Frames:
    """Frames [N, H, W, 3] uint8 of denoised latents [1, C, N', H', W'] as the transformer has them.

    Raises:
        BadFrames: a frame is not finite.
    """
    import torch

    def video(vae: Any, device: Any) -> Any:
        shape = (1, vae.config.z_dim, 1, 1, 1)
        mean = torch.tensor(vae.config.latents_mean, dtype=vae.dtype).view(shape)
        std = torch.tensor(vae.config.latents_std, dtype=vae.dtype).view(shape)
        return vae.decode((latents.to(vae.dtype) * std + mean).to(device), return_dict=False)[0]

    return frames_of(held, video, tiled=tiled)
