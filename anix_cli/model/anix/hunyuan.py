"""AniX on HunyuanVideo. Imports torch and diffusers."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from diffusers import HunyuanVideoTransformer3DModel, ModelMixin
from diffusers.configuration_utils import register_to_config
from diffusers.models.modeling_outputs import Transformer2DModelOutput
from diffusers.utils import apply_lora_scale
from torch import Tensor

from .packing import Conditions, Shift, add_projector, angles, pack, unpatched, with_scene

__all__ = ["AniXHunyuanVideoTransformer3DModel", "ModelMixin"]
"""A saved pipeline is loaded by diffusers only where the class's module names ``ModelMixin`` as well."""


class AniXHunyuanVideoTransformer3DModel(HunyuanVideoTransformer3DModel):
    """HunyuanVideo's transformer with AniX's conditions; without any it is HunyuanVideo, to the last bit.

    ``bg_in`` and ``bg_proj`` are named and shaped as in HunyuanCustom's editing checkpoint. All weights of
    the base keep their names. Memory and preceding tokens are modulated at t = 0 (the base's
    ``token_replace``), all others at the step's t.

    Args:
        characters: how many have mask channels of their own.
        view_shift: of the views' places in RoPE: "both" axes as in the paper, "width" as HunyuanCustom.
        others: those of ``HunyuanVideoTransformer3DModel``; HunyuanCustom has no ``guidance_embeds``.
    """

    _skip_layerwise_casting_patterns: ClassVar[list[str]] = [
        *HunyuanVideoTransformer3DModel._skip_layerwise_casting_patterns, "bg_",
    ]  # fmt: skip
    _repeated_blocks: ClassVar[list[str]] = [
        "HunyuanVideoTokenReplaceTransformerBlock", "HunyuanVideoTokenReplaceSingleTransformerBlock",
    ]  # fmt: skip

    ignore_for_config: ClassVar[list[str]] = ["image_condition_type"]  # always token_replace

    @register_to_config
    def __init__(
        self,
        in_channels: int = 16,
        out_channels: int = 16,
        num_attention_heads: int = 24,
        attention_head_dim: int = 128,
        num_layers: int = 20,
        num_single_layers: int = 40,
        num_refiner_layers: int = 2,
        mlp_ratio: float = 4.0,
        patch_size: int = 2,
        patch_size_t: int = 1,
        qk_norm: str = "rms_norm",
        guidance_embeds: bool = False,
        text_embed_dim: int = 4096,
        pooled_projection_dim: int = 768,
        rope_theta: float = 256.0,
        rope_axes_dim: tuple[int, ...] = (16, 56, 56),
        characters: int = 1,
        view_shift: Shift = "both",
    ) -> None:
        super().__init__(
            in_channels=in_channels,
            out_channels=out_channels,
            num_attention_heads=num_attention_heads,
            attention_head_dim=attention_head_dim,
            num_layers=num_layers,
            num_single_layers=num_single_layers,
            num_refiner_layers=num_refiner_layers,
            mlp_ratio=mlp_ratio,
            patch_size=patch_size,
            patch_size_t=patch_size_t,
            qk_norm=qk_norm,
            guidance_embeds=guidance_embeds,
            text_embed_dim=text_embed_dim,
            pooled_projection_dim=pooled_projection_dim,
            rope_theta=rope_theta,
            rope_axes_dim=rope_axes_dim,
            image_condition_type="token_replace",
        )
        inner = num_attention_heads * attention_head_dim
        add_projector(self, in_channels, inner, (patch_size_t, patch_size, patch_size), characters)

    @apply_lora_scale("attention_kwargs")
    def forward(
        self,
        hidden_states: Tensor,
        timestep: Tensor,
        encoder_hidden_states: Tensor,
        encoder_attention_mask: Tensor,
        pooled_projections: Tensor,
        guidance: Tensor | None = None,
        conditions: Conditions | None = None,
        attention_kwargs: dict[str, Any] | None = None,
        return_dict: bool = True,
    ) -> Any:
        """The target's velocity [B, C, F, h, w].

        Args:
            hidden_states: [B, C, F, h, w], the noisy target.
            timestep: [B], 0 … 1000.
            encoder_hidden_states: [B, L, text_embed_dim]; encoder_attention_mask: [B, L].
            pooled_projections: [B, pooled_projection_dim].
            guidance: [B], the embedded guidance × 1000, of bases with ``guidance_embeds``.
        """
        given = conditions or Conditions()
        deep, side = self.config.patch_size_t, self.config.patch_size
        patch = (deep, side, side)
        frames, high, wide = hidden_states.shape[2:]
        size = (frames // deep, high // side, wide // side)

        temb, past_emb = self.time_text_embed(timestep, pooled_projections, guidance)
        target = with_scene(self, self.x_embedder(hidden_states), given)
        packed = pack(self.x_embedder, target, size, given, patch, self.config.view_shift)
        text = self.context_embedder(encoder_hidden_states, timestep, encoder_attention_mask)
        rope = angles(packed.places, self.config.rope_axes_dim, self.config.rope_theta, torch.float32)

        tokens = packed.tokens
        mask: Tensor | None = self._mask(tokens.shape[1], encoder_attention_mask)
        if self._takes_no_mask() and len(tokens) == 1:
            text, mask = text[:, : int(encoder_attention_mask.sum())], None
        for block in [*self.transformer_blocks, *self.single_transformer_blocks]:
            if torch.is_grad_enabled() and self.gradient_checkpointing:
                tokens, text = self._gradient_checkpointing_func(
                    block, tokens, text, temb, mask, rope, past_emb, packed.past
                )
            else:
                tokens, text = block(tokens, text, temb, mask, rope, past_emb, packed.past)

        tokens = self.proj_out(self.norm_out(tokens[:, -packed.target :], temb))
        output = unpatched(tokens, size, patch, last=False)
        return Transformer2DModelOutput(sample=output) if return_dict else (output,)

    def _takes_no_mask(self) -> bool:
        """Whether attention is by a kernel that refuses masks (flash, sage): a text is cut instead."""
        kernel = getattr(self.transformer_blocks[0].attn.processor, "_attention_backend", None)
        return kernel is not None and "native" not in str(kernel).lower()

    def _mask(self, length: int, text: Tensor) -> Tensor:
        """[B, 1, 1, N + L] bool: all tokens of pictures, and those of a text's own length."""
        whole = length + text.shape[1]
        ends = length + text.sum(dim=1, dtype=torch.int)
        kept = torch.arange(whole, device=text.device)[None] < ends[:, None]
        return kept[:, None, None]
