"""The calls of diffusers: load on a rung of the ladder, sample to latents, decode. Imports torch.

What diffusers 0.42 does in silence is guarded here: uint8 arrays go in as pictures (PIL; arrays are taken at
the wrong range), and references go in reversed (it prepends them one by one).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anix_cli.core.clip import Frames
from anix_cli.model.whole import header

from ..diffusion import wan
from ..diffusion.holding import finite, place
from ..diffusion.ladder import Rung
from ..diffusion.levers import OFF, Levers, after_placing, before_placing, fresh, rung_with
from ..diffusion.making import sigmas_of
from ..diffusion.views import Reference
from ..diffusion.words import Words
from .conditions import Conditions
from .lora import apply_lora, left_out
from .models import Sampling


@dataclass
class Loaded:
    """A pipeline on its rung.

    Attributes:
        lora_share: of the LoRA's layers that are the model's, None without one.
        lora_left_out: tensors of the LoRA that diffusers has no place for.
    """

    pipe: Any
    rung: Rung
    lora_share: float | None
    lora_left_out: int = 0

    def count(self, text: str) -> int:
        """Tokens of a text, its end included, as they are sent."""
        return wan.count_tokens(self.pipe, text)


def load(folder: Path, rung: Rung, lora: Path | None, asked: Levers = OFF) -> Loaded:
    """A pipeline from a whole local folder.

    Args:
        lora: of the four-step recipe: fused into the weights, so that it costs nothing at work.

    Raises:
        AnixError: E557, the LoRA does not fit; E471, a package for what is asked for is not installed.
    """
    from diffusers import WanVACEPipeline

    pipe = wan.load_pipeline(WanVACEPipeline, folder, rung)
    share = apply_lora(pipe, lora) if lora else None
    rung = rung_with(rung, asked)
    before_placing(pipe, asked)
    place(pipe, rung)
    after_placing(pipe, asked)
    return Loaded(pipe, rung, share, len(left_out(header(lora))) if lora else 0)


def sample(
    loaded: Loaded,
    made: Conditions,
    told: Words,
    shown: Sequence[Reference],
    *,
    settings: Sampling,
    seed: int,
    step: Callable[[int], None],
) -> tuple[Any, list[float]]:
    """Denoised latents [1, C, N', H', W'] float32 on the CPU, without those of references, and the noise
    levels that were gone through.

    Args:
        shown: nearest to the camera's side first.
        step: called with the number of steps done.

    Raises:
        BadFrames: the latents are not finite.
    """
    import torch
    from PIL import Image

    pipe = loaded.pipe
    fresh(pipe)
    pipe.scheduler = scheduler(pipe.scheduler, settings)
    height, width = made.video.shape[1:3]

    def done(_: Any, index: int, __: Any, kept: dict[str, Any]) -> dict[str, Any]:
        step(index + 1)
        return kept

    latents = pipe(
        prompt=told.prompt,
        negative_prompt=told.negative,
        video=[Image.fromarray(frame) for frame in made.video],
        mask=[Image.fromarray(frame) for frame in made.mask],
        reference_images=[Image.fromarray(one.picture) for one in reversed(shown)] or None,
        conditioning_scale=settings.conditioning,
        height=height,
        width=width,
        num_frames=len(made.video),
        num_inference_steps=settings.steps,
        guidance_scale=settings.guidance,
        generator=torch.Generator("cpu").manual_seed(seed),
        output_type="latent",
        max_sequence_length=wan.TOKENS,
        callback_on_step_end=done,
    ).frames[:, :, len(shown) :]
    return finite(latents), sigmas_of(pipe.scheduler)


def scheduler(now: Any, settings: Sampling) -> Any:
    """UniPC with the recipe's shift. For the distilled model it is of first order and without corrector: that
    is Euler on the levels it was distilled for, which FlowMatchEulerDiscreteScheduler does not give."""
    more = {"solver_order": 1, "disable_corrector": list(range(settings.steps))} if settings.distilled else {}
    return wan.unipc(now, settings.shift, **more)


def decode(loaded: Loaded, latents: Any, *, tiled: bool) -> Frames:
    """Frames [N, H, W, 3] uint8 of latents as :func:`sample` gives them."""
    return wan.decode(loaded, latents, tiled=tiled)
