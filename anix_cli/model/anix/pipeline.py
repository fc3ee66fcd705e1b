"""What the pipelines of both bases share: conditions encoded, denoised with guidance, decoded with the past.

Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .packing import Conditions
from .pictures import Shown, as_video, conditions, latent_frames, target_latents
from .sampling import Step, Velocity, euler, few_steps, guided, shift_of


def silent(done: int, latents: Tensor) -> None:
    """Nobody listens."""


class ShotPipeline:
    """A mixin for pipelines of diffusers that hold ``transformer``, ``vae`` and ``scheduler``."""

    vae: Any
    transformer: Any
    scheduler: Any
    _execution_device: Any
    vae_scale_factor_spatial: int
    levels: list[float]
    """Of noise, gone through in the last call."""

    def scaled(self, latents: Tensor) -> Tensor:
        """The VAE's latents as the transformer has them."""
        raise NotImplementedError

    def unscaled(self, latents: Tensor) -> Tensor:
        """The transformer's latents as the VAE has them."""
        raise NotImplementedError

    @torch.no_grad()
    def conditioned(self, shown: Shown) -> Conditions:
        """A clip's conditions as latents, where the transformer takes them: made once a clip."""
        return conditions(shown, self._encoded).to(self._execution_device, self.transformer.dtype)

    @torch.no_grad()
    def decoded(self, latents: Tensor, preceding: NDArray[np.uint8] | None = None) -> Tensor:
        """New frames [1, 3, F, H, W] in −1 … 1 of what a call gives.

        Args:
            latents: [1, C, n, h, w], as the VAE has them.
            preceding: [P, H, W, 3] uint8, decoded before them and cut off, so that both are one video.
        """
        latents = latents.to(self._execution_device, self.vae.dtype)
        if preceding is None:
            return self.vae.decode(latents, return_dict=False)[0]
        past = self.unscaled(self._encoded(as_video(preceding)))
        video = self.vae.decode(torch.cat([past, latents], dim=2), return_dict=False)[0]
        return video[:, :, len(preceding) :]

    def _encoded(self, video: Tensor) -> Tensor:
        found = self.vae.encode(video.to(self._execution_device, self.vae.dtype)).latent_dist.mode()
        if found.shape[2] != latent_frames(video.shape[2]):
            raise ValueError(f"the VAE made {found.shape[2]} latents of {video.shape[2]} frames")
        return self.scaled(found)

    def _velocity(self, branch: str, given: Conditions, words: dict[str, Any]) -> Velocity:
        model = self.transformer

        def velocity(latents: Tensor, time: Tensor) -> Tensor:
            with model.cache_context(branch):
                made = model(
                    hidden_states=latents.to(model.dtype), timestep=time, conditions=given, return_dict=False,
                    **words,
                )[0]  # fmt: skip
            return made.float()

        return velocity

    def _denoised(
        self,
        shown: Shown,
        words: Callable[[str], dict[str, Any]],
        prompts: tuple[str, str],
        guidance_scale: float,
        steps: int,
        sigmas: Sequence[float] | None,
        flow_shift: float | None,
        generator: torch.Generator | None,
        step: Step,
    ) -> Tensor:
        """Latents [1, C, F, h, w] float32, as the VAE has them.

        Args:
            words: what the transformer takes of a prompt.
            prompts: told, and to be kept away from.
        """
        generator = generator or torch.Generator("cpu").manual_seed(0)
        told, untold = words(prompts[0]), words(prompts[1]) if guidance_scale != 1.0 else {}
        given = self.conditioned(shown)
        velocity = guided(
            guidance_scale, self._velocity("cond", given, told), self._velocity("uncond", given, untold)
        )
        height, width = (side // self.vae_scale_factor_spatial for side in shown.guide.shape[1:3])
        shape = (1, self.transformer.config.in_channels, target_latents(shown), height, width)
        noise = torch.randn(shape, generator=generator, dtype=torch.float32).to(self._execution_device)
        if sigmas is None:
            shift = flow_shift or shift_of(self.scheduler)
            latents, self.levels = euler(noise, velocity, steps, shift, step)
        else:
            latents, self.levels = few_steps(noise, velocity, sigmas, generator, step), [*sigmas]
        return self.unscaled(latents)
