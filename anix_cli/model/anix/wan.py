"""AniX on Wan: the same conditions and the same adapter as on HunyuanVideo. Imports torch and diffusers.

Wan knows a time for each token (its 5 B model was trained so): what is clean, memory, preceding clip and
views, stands at 0.
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from diffusers import ModelMixin, WanTransformer3DModel
from diffusers.configuration_utils import register_to_config
from diffusers.models.modeling_outputs import Transformer2DModelOutput
from diffusers.utils import apply_lora_scale
from torch import Tensor

from .packing import Conditions, Shift, add_projector, angles, pack, unpatched, with_scene

_THETA = 10000.0

__all__ = ["AniXWanTransformer3DModel", "ModelMixin"]
"""A saved pipeline is loaded by diffusers only where the class's module names ``ModelMixin`` as well."""


class AniXWanTransformer3DModel(WanTransformer3DModel):
    """Wan's transformer with AniX's conditions; without any it is Wan, to the last bit.

    Args:
        characters, view_shift: as of the class on HunyuanVideo.
        others: those of ``WanTransformer3DModel``.
    """

    _skip_layerwise_casting_patterns: ClassVar[list[str]] = [
        *WanTransformer3DModel._skip_layerwise_casting_patterns, "bg_",
    ]  # fmt: skip

    ignore_for_config: ClassVar[list[str]] = ["added_kv_proj_dim", "image_dim", "pos_embed_seq_len"]

    @register_to_config
    def __init__(
        self,
        patch_size: tuple[int, ...] = (1, 2, 2),
        num_attention_heads: int = 40,
        attention_head_dim: int = 128,
        in_channels: int = 16,
        out_channels: int = 16,
        text_dim: int = 4096,
        freq_dim: int = 256,
        ffn_dim: int = 13824,
        num_layers: int = 40,
        cross_attn_norm: bool = True,
        qk_norm: str | None = "rms_norm_across_heads",
        eps: float = 1e-6,
        rope_max_seq_len: int = 1024,
        characters: int = 1,
        view_shift: Shift = "both",
    ) -> None:
        super().__init__(
            patch_size=patch_size,
            num_attention_heads=num_attention_heads,
            attention_head_dim=attention_head_dim,
            in_channels=in_channels,
            out_channels=out_channels,
            text_dim=text_dim,
            freq_dim=freq_dim,
            ffn_dim=ffn_dim,
            num_layers=num_layers,
            cross_attn_norm=cross_attn_norm,
            qk_norm=qk_norm,
            eps=eps,
            rope_max_seq_len=rope_max_seq_len,
        )
        inner = num_attention_heads * attention_head_dim
        deep, high, wide = patch_size
        add_projector(self, in_channels, inner, (deep, high, wide), characters)

    @apply_lora_scale("attention_kwargs")
    def forward(
        self,
        hidden_states: Tensor,
        timestep: Tensor,
        encoder_hidden_states: Tensor,
        conditions: Conditions | None = None,
        attention_kwargs: dict[str, Any] | None = None,
        return_dict: bool = True,
    ) -> Any:
        """The target's velocity [B, C, F, h, w].

        Args:
            hidden_states: [B, C, F, h, w], the noisy target.
            timestep: [B], 0 … 1000.
            encoder_hidden_states: [B, L, text_dim], the text without RoPE.
        """
        given = conditions or Conditions()
        deep, high, wide = self.config.patch_size
        patch = (deep, high, wide)
        size = tuple(whole // part for whole, part in zip(hidden_states.shape[2:], patch, strict=True))

        target = with_scene(self, self._patches(hidden_states), given)
        packed = pack(self._patches, target, size, given, patch, self.config.view_shift)
        rope = self._angles(packed.places)
        temb, modulation, text, _ = self._times(timestep, encoder_hidden_states, packed)

        tokens = packed.tokens
        for block in self.blocks:
            if torch.is_grad_enabled() and self.gradient_checkpointing:
                tokens = self._gradient_checkpointing_func(block, tokens, text, modulation, rope)
            else:
                tokens = block(tokens, text, modulation, rope)

        tokens = tokens[:, -packed.target :]
        shift, scale = (self.scale_shift_table.to(temb.device) + temb[:, None]).chunk(2, dim=1)
        tokens = (self.norm_out(tokens.float()) * (1 + scale) + shift).type_as(tokens)
        output = unpatched(self.proj_out(tokens), size, patch, last=True)
        return Transformer2DModelOutput(sample=output) if return_dict else (output,)

    def _patches(self, latents: Tensor) -> Tensor:
        return self.patch_embedding(latents).flatten(2).transpose(1, 2).contiguous()

    def _angles(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Of RoPE, [1, N, 1, head] each. The base's table has no negative places."""
        dtype = torch.float32 if places.device.type == "mps" else torch.float64
        sizes = (self.rope.t_dim, self.rope.h_dim, self.rope.w_dim)
        cos, sin = angles(places, sizes, _THETA, dtype)
        return cos[None, :, None], sin[None, :, None]

    def _times(self, timestep: Tensor, text: Tensor, packed: Any) -> tuple[Tensor, Tensor, Tensor, Any]:
        """The target's time [B, D], each token's modulation ([B, 6, D], or [B, N, 6, D] where some tokens are
        clean), and the text's tokens."""
        clean = packed.past + packed.views
        if not clean:
            temb, modulation, text, image = self.condition_embedder(timestep, text, None)
            return temb, modulation.unflatten(1, (6, -1)), text, image
        both = torch.stack([torch.zeros_like(timestep), timestep], dim=1)  # [B, 2]
        temb, modulation, text, image = self.condition_embedder(
            both.flatten(), text, None, timestep_seq_len=2
        )
        modulation = modulation.unflatten(2, (6, -1))
        each = torch.cat(
            [
                modulation[:, :1].expand(-1, clean, -1, -1),
                modulation[:, 1:].expand(-1, packed.target, -1, -1),
            ],
            dim=1,
        )
        return temb[:, 1], each, text, image
