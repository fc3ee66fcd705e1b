"""The tests' variant of ``wan-animate-2``: the whole chain on tiny random weights. Its films are noise.

It exists only where the environment variable ``ANIX_TEST_NOISE`` is 1, as ``wan-animate-2-noise``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..diffusion import noise
from ..diffusion.noise import OnNoise
from ..noise import NoiseOf
from .backend import WanAnimate2Backend

if TYPE_CHECKING:
    from ..diffusion.ladder import Rung


class WanAnimate2Noise(OnNoise, WanAnimate2Backend):
    """As ``wan-animate-2``, on the CPU and with nothing learnt."""

    name = "wan-animate-2-noise"
    capabilities: ClassVar[Any] = NoiseOf(WanAnimate2Backend, 17)

    def few(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {**super().few(options), "guidance": options.get("guidance") or 1.5}

    def tiny(self, name: str) -> Path:
        return tiny_weights()

    def sparing(self, plain: Rung) -> Rung:
        return replace(plain, name="cpu tiled", tiled=True)


@cache
def tiny_weights() -> Path:
    """A folder with random weights in the layout of the published ones, the same on every machine."""
    import torch
    import transformers
    from diffusers import FlowMatchEulerDiscreteScheduler, WanAnimate2Transformer3DModel
    from transformers import CLIPVisionConfig, CLIPVisionModel

    transformers.utils.logging.disable_progress_bar()
    folder = noise.folder()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        parts = {
            "transformer": WanAnimate2Transformer3DModel(
                dim=24, ffn_dim=32, freq_dim=16, text_dim=32, num_heads=2, num_layers=1
            ),
            "vae": noise.vae(),
            "text_encoder": noise.text_encoder(),
            "image_encoder": CLIPVisionModel(
                CLIPVisionConfig(hidden_size=1280, intermediate_size=8, projection_dim=8, num_hidden_layers=1,
                                 num_attention_heads=2, image_size=224, patch_size=56)
            ),
        }  # fmt: skip
    for name, part in parts.items():
        part.save_pretrained(folder / name, safe_serialization=True)
    index = {
        name: [type(part).__module__.partition(".")[0], type(part).__name__] for name, part in parts.items()
    }
    (folder / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
    noise.byte_tokenizer().save_pretrained(folder / "tokenizer")
    FlowMatchEulerDiscreteScheduler(shift=5.0).save_pretrained(folder / "scheduler")
    return folder
