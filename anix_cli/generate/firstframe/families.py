"""What differs between the pipelines of diffusers: classes, arguments, layout and scale of latents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .models import Sampling


@dataclass(frozen=True)
class Family:
    """One pipeline.

    Attributes:
        pipeline, vae: classes of diffusers.
        transformer: likewise, which says whether several GPUs can share it.
        vae_float32: whether the VAE is float32 beside a bfloat16 transformer, as the pipeline allows.
        tokens: of a prompt that reach the text encoder.
        clean: how the pipeline cleans a text before it is counted.
        more: arguments of a call beside those that all have.
        latents: (pipe, frames, height, width) → shape of the latents that a call returns.
        video: (pipe, latents) → what the VAE decodes, [1, C, N′, H′, W′] at its own scale.
    """

    pipeline: str
    vae: str
    transformer: str
    vae_float32: bool
    tokens: int
    more: Callable[[Sampling, str], Mapping[str, Any]]
    latents: Callable[[Any, int, int, int], tuple[int, ...]]
    video: Callable[[Any, Any], Any]


def _guided(settings: Sampling, negative: str) -> Mapping[str, Any]:
    return {"negative_prompt": negative, "guidance_scale": settings.guidance}


def _channels_first(pipe: Any, frames: int, height: int, width: int) -> tuple[int, ...]:
    time, space = pipe.vae_scale_factor_temporal, pipe.vae_scale_factor_spatial
    channels = getattr(pipe.vae.config, "z_dim", None) or pipe.vae.config.latent_channels
    return (1, channels, (frames - 1) // time + 1, height // space, width // space)


def _frames_first(pipe: Any, frames: int, height: int, width: int) -> tuple[int, ...]:
    one, channels, *rest = _channels_first(pipe, frames, height, width)
    return (one, rest[0], channels, *rest[1:])


def _wan(pipe: Any, latents: Any) -> Any:
    import torch

    shape = (1, pipe.vae.config.z_dim, 1, 1, 1)
    mean = torch.tensor(pipe.vae.config.latents_mean).view(shape)
    std = torch.tensor(pipe.vae.config.latents_std).view(shape)
    return latents * std + mean


FAMILIES: Mapping[str, Family] = {
    "cogvideox": Family(
        "CogVideoXImageToVideoPipeline",
        "AutoencoderKLCogVideoX",
        "CogVideoXTransformer3DModel",
        vae_float32=False,  # the pipeline hands the picture to it in the text encoder's precision
        tokens=226,
        more=_guided,
        latents=_frames_first,
        video=lambda pipe, latents: latents.permute(0, 2, 1, 3, 4) / pipe.vae_scaling_factor_image,
    ),
    "hunyuan-video": Family(
        "HunyuanVideoImageToVideoPipeline",
        "AutoencoderKLHunyuanVideo",
        "HunyuanVideoTransformer3DModel",
        vae_float32=True,
        tokens=240,  # of 256; the template's end takes some
        more=lambda settings, negative: {"guidance_scale": settings.guidance},  # distilled: no negative
        latents=_channels_first,
        video=lambda pipe, latents: latents / pipe.vae_scaling_factor,
    ),
    "wan-i2v": Family(
        "WanImageToVideoPipeline",
        "AutoencoderKLWan",
        "WanTransformer3DModel",
        vae_float32=True,
        tokens=512,
        more=_guided,
        latents=_channels_first,
        video=_wan,
    ),
}
