"""The tests' variant of ``wan-animate``: the whole chain on tiny random weights. Its films are noise.

It exists only where the environment variable ``ANIX_TEST_NOISE`` is 1, as ``wan-animate-noise``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..diffusion import noise
from ..diffusion.holding import hush
from ..diffusion.noise import OnNoise
from ..noise import NoiseOf
from .backend import WanAnimateBackend

if TYPE_CHECKING:
    from ..diffusion.ladder import Rung


class WanAnimateNoise(OnNoise, WanAnimateBackend):
    """As ``wan-animate``, on the CPU and with nothing learnt."""

    name = "wan-animate-noise"
    capabilities: ClassVar[Any] = NoiseOf(WanAnimateBackend, 25)

    def tiny(self, name: str) -> Path:
        return tiny_weights()

    def sparing(self, plain: Rung) -> Rung:
        return replace(plain, name="cpu tiled", tiled=True)


TINY = {
    "num_attention_heads": 2, "attention_head_dim": 12, "text_dim": 32, "freq_dim": 16, "ffn_dim": 32,
    "num_layers": 2, "image_dim": 8, "added_kv_proj_dim": 24, "rope_max_seq_len": 64,
    "motion_encoder_channel_sizes": {"4": 8, "8": 8, "16": 8}, "motion_encoder_size": 16,
    "motion_style_dim": 8, "motion_dim": 4, "motion_encoder_dim": 8, "face_encoder_hidden_dim": 8,
    "face_encoder_num_heads": 2, "inject_face_latents_blocks": 1,
}  # fmt: skip


@cache
def tiny_weights() -> Path:
    """A folder with random weights in the layout of the published ones, the same on every machine."""
    folder = noise.folder()
    write_pipeline(folder)
    return folder


def write_pipeline(folder: Path) -> None:
    """A whole pipeline of the published classes, some ten thousand weights each."""
    import torch
    from diffusers import WanAnimatePipeline, WanAnimateTransformer3DModel
    from transformers import CLIPImageProcessor, CLIPVisionConfig, CLIPVisionModel

    hush()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        transformer = WanAnimateTransformer3DModel(**TINY)
        vae, encoder = noise.vae(), noise.text_encoder()
        eye = CLIPVisionModel(
            CLIPVisionConfig(hidden_size=8, intermediate_size=16, projection_dim=8, num_hidden_layers=2,
                             num_attention_heads=2, image_size=8, patch_size=4)
        )  # fmt: skip
    WanAnimatePipeline(
        tokenizer=noise.byte_tokenizer(),
        text_encoder=encoder,
        vae=vae,
        scheduler=noise.unipc(5.0),
        image_processor=CLIPImageProcessor(crop_size=8, size=8),
        image_encoder=eye,
        transformer=transformer,
    ).save_pretrained(folder, safe_serialization=True)
