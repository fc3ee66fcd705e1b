"""Tiny transformers of both bases with random weights, and what they are asked."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

HUNYUAN: dict[str, Any] = {
    "num_attention_heads": 2, "attention_head_dim": 16, "num_layers": 2, "num_single_layers": 2,
    "num_refiner_layers": 1, "text_embed_dim": 24, "pooled_projection_dim": 12, "rope_axes_dim": (4, 6, 6),
    "guidance_embeds": False,
}  # fmt: skip
WAN: dict[str, Any] = {
    "num_attention_heads": 2, "attention_head_dim": 12, "text_dim": 24, "freq_dim": 16, "ffn_dim": 32,
    "num_layers": 2,
}  # fmt: skip
FRAMES, HIGH, WIDE = 3, 8, 12
BASES = ("hunyuan", "wan")


def base(kind: str, **more: Any) -> Any:
    """The stock transformer."""
    from diffusers import HunyuanVideoTransformer3DModel, WanTransformer3DModel

    torch.manual_seed(1)
    if kind == "hunyuan":
        return HunyuanVideoTransformer3DModel(**{**HUNYUAN, **more}).eval()
    return WanTransformer3DModel(**{**WAN, **more}).eval()


def anix(kind: str, *, trained: bool = True, **more: Any) -> Any:
    """Ours. ``trained``: with a projector that is not zero any more."""
    from anix_cli.model.anix.hunyuan import AniXHunyuanVideoTransformer3DModel
    from anix_cli.model.anix.wan import AniXWanTransformer3DModel

    torch.manual_seed(1)
    if kind == "hunyuan":
        made: Any = AniXHunyuanVideoTransformer3DModel(**{**HUNYUAN, **more})
    else:
        made = AniXWanTransformer3DModel(**{**WAN, **more})
    if trained:
        torch.nn.init.normal_(made.bg_proj.weight, std=0.1)
        torch.nn.init.normal_(made.bg_proj.bias, std=0.1)
    return made.eval()


def latents(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def asked(kind: str, batch: int = 1, seed: int = 5) -> dict[str, Tensor]:
    """The arguments without conditions."""
    found = {
        "hidden_states": latents(seed, batch, 16, FRAMES, HIGH, WIDE),
        "timestep": torch.tensor([300.0, 700.0][:batch]),
        "encoder_hidden_states": latents(seed + 1, batch, 7, 24),
    }
    if kind == "hunyuan":
        found["encoder_attention_mask"] = torch.ones(batch, 7, dtype=torch.long)
        found["pooled_projections"] = latents(seed + 2, batch, 12)
    return found


def given(batch: int = 1, **without: None) -> Any:
    """All conditions; ``without`` sets some to None."""
    from anix_cli.model.anix.packing import Conditions

    every = {
        "scene": latents(10, batch, 16, FRAMES, HIGH, WIDE),
        "masks": latents(11, batch, 16, FRAMES, HIGH, WIDE),
        "views": latents(12, batch, 4, 16, HIGH, WIDE),
        "preceding": latents(13, batch, 16, 2, HIGH, WIDE),
        "memory": latents(14, batch, 16, 1, HIGH, WIDE),
    }
    return Conditions(**{**every, **without})


@torch.no_grad()
def velocity(model: Any, call: dict[str, Tensor], conditions: Any = None) -> Tensor:
    more = {} if conditions is None else {"conditions": conditions}
    return model(**call, **more).sample
