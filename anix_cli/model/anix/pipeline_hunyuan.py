"""AniX on HunyuanVideo as a pipeline of diffusers. Imports torch and diffusers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from diffusers import HunyuanVideoPipeline
from diffusers.pipelines.hunyuan_video.pipeline_hunyuan_video import DEFAULT_PROMPT_TEMPLATE
from torch import Tensor

from . import text
from .pictures import Shown
from .pipeline import ShotPipeline, silent
from .sampling import Step


class AniXHunyuanVideoPipeline(ShotPipeline, HunyuanVideoPipeline):
    """Scene, characters, past and words → the new frames of a clip.

    Built, saved, offloaded and given LoRAs as any pipeline of diffusers. With a LLaVA text encoder and its
    ``image_processor`` (HunyuanCustom) the words come with the views; with Llama alone (HunyuanVideo) they
    are words.
    """

    _optional_components: ClassVar[list[str]] = ["image_processor"]

    def __init__(
        self,
        text_encoder: Any,
        tokenizer: Any,
        transformer: Any,
        vae: Any,
        scheduler: Any,
        text_encoder_2: Any,
        tokenizer_2: Any,
        image_processor: Any = None,
    ) -> None:
        super().__init__(text_encoder, tokenizer, transformer, vae, scheduler, text_encoder_2, tokenizer_2)
        self.register_modules(image_processor=image_processor)

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
        guidance_scale: float = 7.5,
        embedded_guidance_scale: float = 6.0,
        generator: torch.Generator | None = None,
        step: Step = silent,
    ) -> Tensor:
        """Denoised latents [1, C, F, h, w] float32 of the new frames, as the VAE has them.

        Args:
            descriptions: of the characters, in the order of their masks.
            sigmas: levels of a distilled student, shifted already; None samples by Euler steps.
            flow_shift: of a teacher's levels; None takes the scheduler's.
            guidance_scale: classifier-free, over the words; 1 is none.
            embedded_guidance_scale: of bases that have it embedded (HunyuanVideo, not HunyuanCustom).
            generator: on the CPU.
            step: called with the number of steps done and the latents.
        """
        guidance = None
        if self.transformer.config.guidance_embeds:
            scale = torch.full((1,), 1000.0 * embedded_guidance_scale)
            guidance = scale.to(self._execution_device, self.transformer.dtype)

        def words(told: str) -> dict[str, Any]:
            return {**self._words(told, descriptions, shown), "guidance": guidance}

        latents = self._denoised(
            shown, words, (prompt, negative_prompt), guidance_scale, num_inference_steps, sigmas, flow_shift,
            generator, step,
        )  # fmt: skip
        self.maybe_free_model_hooks()
        return latents

    def scaled(self, latents: Tensor) -> Tensor:
        return latents * self.vae.config.scaling_factor

    def unscaled(self, latents: Tensor) -> Tensor:
        return latents / self.vae.config.scaling_factor

    def _words(self, prompt: str, descriptions: Sequence[str], shown: Shown) -> dict[str, Tensor]:
        """Of one prompt: embeddings, their mask, and CLIP's pooled ones."""
        device, dtype = self._execution_device, self.transformer.dtype
        if self.image_processor is None:
            embeds, mask = self._get_llama_prompt_embeds(prompt, DEFAULT_PROMPT_TEMPLATE, device=device)
        else:
            pictures = text.pictures_of(shown.views)
            embeds, mask = text.encode(
                self.tokenizer, self.text_encoder, self.image_processor,
                text.prompt_with(prompt, descriptions, [len(one) for one in pictures]),
                [picture for one in pictures for picture in one], DEFAULT_PROMPT_TEMPLATE["template"],
            )  # fmt: skip
        pooled = self._get_clip_prompt_embeds(prompt, 1, device)
        return {
            "encoder_hidden_states": embeds.to(device, dtype),
            "encoder_attention_mask": mask.to(device, dtype),
            "pooled_projections": pooled.to(device, dtype),
        }
