"""AniX on Wan as a pipeline of diffusers. Imports torch and diffusers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from diffusers import WanPipeline
from torch import Tensor

from .pictures import Shown
from .pipeline import ShotPipeline, silent
from .sampling import Step


class AniXWanPipeline(ShotPipeline, WanPipeline):
    """Scene, characters, past and words → the new frames of a clip. The words are UMT5's."""

    @torch.no_grad()
    def __call__(
        self,
        prompt: str,
        shown: Shown,
        *,
        negative_prompt: str = "",
        descriptions: Sequence[str] = (),
        num_inference_steps: int = 30,
        sigmas: Sequence[float] | None = None,
        flow_shift: float | None = None,
        guidance_scale: float = 5.0,
        generator: torch.Generator | None = None,
        step: Step = silent,
    ) -> Tensor:
        """As of the pipeline on HunyuanVideo. Descriptions follow the prompt."""
        device, dtype = self._execution_device, self.transformer.dtype

        def words(told: str) -> dict[str, Any]:
            embeds, _ = self.encode_prompt(told, do_classifier_free_guidance=False, device=device)
            return {"encoder_hidden_states": embeds.to(dtype)}

        told = "; ".join([prompt, *(one for one in descriptions if one and one not in prompt)])
        latents = self._denoised(
            shown, words, (told, negative_prompt), guidance_scale, num_inference_steps, sigmas, flow_shift,
            generator, step,
        )  # fmt: skip
        self.maybe_free_model_hooks()
        return latents

    def scaled(self, latents: Tensor) -> Tensor:
        mean, std = self._levels(latents)
        return (latents - mean) / std

    def unscaled(self, latents: Tensor) -> Tensor:
        mean, std = self._levels(latents)
        return latents * std + mean

    def _levels(self, latents: Tensor) -> tuple[Tensor, Tensor]:
        made = (
            torch.tensor(one).view(1, -1, 1, 1, 1).to(latents)
            for one in (self.vae.config.latents_mean, self.vae.config.latents_std)
        )
        mean, std = made
        return mean, std
