"""The tests' variant of ``wan-vace``: the whole chain on tiny random weights. Its films are noise.

It exists only where the environment variable ``ANIX_TEST_NOISE`` is 1, and its name, ``wan-vace-noise``,
stands in the plan, in every clip's record and in the film's manifest.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from ..diffusion import noise
from ..diffusion.noise import OnNoise, byte_tokenizer
from ..noise import NoiseOf
from .backend import WanVaceBackend


class WanVaceNoise(OnNoise, WanVaceBackend):
    """As ``wan-vace``, on the CPU and with nothing learnt."""

    name = "wan-vace-noise"
    capabilities: ClassVar[Any] = NoiseOf(WanVaceBackend, 25)

    def tiny(self, name: str) -> Path:
        return tiny_weights(name)


@cache
def tiny_weights(name: str) -> Path:
    """A folder with random weights in the layout of the published ones, the same on every machine."""
    folder = noise.folder()
    if name == "wan2.1-distill-lora":
        from anix_cli.model.registry import WEIGHTS

        write_lora(folder / str(WEIGHTS[name].file))
    else:
        write_pipeline(folder, experts=2 if name == "wan2.2-vace-fun" else 1)
    return folder


TINY = {
    "num_attention_heads": 2, "attention_head_dim": 12, "text_dim": 32, "freq_dim": 16, "ffn_dim": 32,
    "num_layers": 2, "vace_layers": [0], "rope_max_seq_len": 64,
}  # fmt: skip


def write_pipeline(folder: Path, *, experts: int = 1) -> None:
    """A whole pipeline of the published classes, some ten thousand weights each."""
    import torch
    import transformers
    from diffusers import WanVACEPipeline, WanVACETransformer3DModel

    transformers.utils.logging.disable_progress_bar()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        first, second = (WanVACETransformer3DModel(**TINY) if index < experts else None for index in range(2))
        vae, encoder = noise.vae(), noise.text_encoder()
    WanVACEPipeline(
        tokenizer=byte_tokenizer(),
        text_encoder=encoder,
        vae=vae,
        scheduler=noise.unipc(3.0),
        transformer=first,
        transformer_2=second,
        boundary_ratio=0.875 if experts == 2 else None,
    ).save_pretrained(folder, safe_serialization=True)


def write_lora(path: Path, rank: int = 2) -> None:
    """A LoRA for the tiny transformer's blocks, with names as the published one has them."""
    import torch
    from safetensors.torch import save_file

    width = TINY["num_attention_heads"] * TINY["attention_head_dim"]  # type: ignore[operator]
    ffn = TINY["ffn_dim"]
    shapes = {
        **{f"{kind}.{part}": (width, width) for kind in ("self_attn", "cross_attn") for part in "qkvo"},
        "ffn.0": (width, ffn),
        "ffn.2": (ffn, width),
    }
    drawn = torch.Generator().manual_seed(1)
    tensors = {}
    for block in range(int(TINY["num_layers"])):  # type: ignore[call-overload]
        for name, (wide, out) in shapes.items():
            stem = f"diffusion_model.blocks.{block}.{name}"
            tensors[f"{stem}.lora_down.weight"] = torch.randn(rank, wide, generator=drawn) * 0.1
            tensors[f"{stem}.lora_up.weight"] = torch.randn(out, rank, generator=drawn) * 0.1
            tensors[f"{stem}.alpha"] = torch.tensor(float(rank))
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path)
