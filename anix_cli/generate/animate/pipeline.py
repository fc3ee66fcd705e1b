"""The calls of diffusers: load on a rung of the ladder, sample to latents, decode. Imports torch.

``WanAnimatePipeline`` decodes before it gives anything back, even latents, and chains segments only inside of
one call. Here each clip is one segment, the tail stands in its background with mask 0, which is what the
pipeline itself does with a segment's last frames; and sampling is left at its last step, so that latents are
kept before they are decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anix_cli.core.clip import Frames

from ..diffusion import wan
from ..diffusion.holding import finite, place
from ..diffusion.ladder import Rung
from ..diffusion.levers import OFF, Levers, after_placing, before_placing, fresh, rung_with
from ..diffusion.making import sigmas_of
from ..diffusion.words import Words
from .conditions import Conditions
from .models import Sampling


@dataclass
class Loaded:
    """A pipeline on its rung."""

    pipe: Any
    rung: Rung

    def count(self, text: str) -> int:
        """Tokens of a text, its end included, as they are sent."""
        return wan.count_tokens(self.pipe, text)

    @property
    def face_px(self) -> int:
        """Side of the face pictures that the model takes."""
        return int(self.pipe.transformer.config.motion_encoder_size)


class _Sampled(Exception):  # noqa: N818  (nothing went wrong: this is the way out)
    def __init__(self, latents: Any) -> None:
        super().__init__()
        self.latents = latents


def load(folder: Path, rung: Rung, asked: Levers = OFF) -> Loaded:
    """A pipeline from a whole local folder.

    Raises:
        AnixError: E471, a package for what is asked for is not installed.
    """
    from diffusers import WanAnimatePipeline

    pipe = wan.load_pipeline(WanAnimatePipeline, folder, rung)
    rung = rung_with(rung, asked)
    before_placing(pipe, asked)
    place(pipe, rung)
    after_placing(pipe, asked)
    return Loaded(pipe, rung)


def sample(
    loaded: Loaded,
    made: Conditions,
    told: Words,
    image: Frames,
    face: Frames,
    *,
    settings: Sampling,
    seed: int,
    step: Callable[[int], None],
) -> tuple[Any, list[float]]:
    """Denoised latents [1, C, N', H', W'] float32 on the CPU, without that of the reference, and the noise
    levels that were gone through.

    Args:
        image: [H, W, 3], the character; face: [S, S, 3].
        step: called with the number of steps done.

    Raises:
        BadFrames: the latents are not finite.
    """
    import torch
    from PIL import Image

    pipe = loaded.pipe
    fresh(pipe)
    pipe.scheduler = wan.unipc(pipe.scheduler, settings.shift)
    count, height, width = made.mask.shape

    def done(_: Any, index: int, __: Any, kept: dict[str, Any]) -> dict[str, Any]:
        step(index + 1)
        if index + 1 == len(pipe.scheduler.timesteps):
            raise _Sampled(kept["latents"])
        return kept

    try:
        pipe(
            image=Image.fromarray(image),
            pose_video=_pictures(made.pose),
            face_video=[Image.fromarray(face)] * count,
            background_video=_pictures(made.background),
            mask_video=_pictures(made.mask),
            prompt=told.prompt,
            negative_prompt=told.negative,
            height=height,
            width=width,
            segment_frame_length=count,
            num_inference_steps=settings.steps,
            mode="replace",
            prev_segment_conditioning_frames=1,  # of segments inside of the call, of which there is one
            guidance_scale=settings.guidance,
            generator=torch.Generator("cpu").manual_seed(seed),
            output_type="latent",
            callback_on_step_end=done,
            max_sequence_length=wan.TOKENS,
        )
    except _Sampled as way_out:
        latents = way_out.latents[:, :, 1:]
    pipe.maybe_free_model_hooks()
    return finite(latents), sigmas_of(pipe.scheduler)


def decode(loaded: Loaded, latents: Any, *, tiled: bool) -> Frames:
    """Frames [N, H, W, 3] uint8 of latents as :func:`sample` gives them."""
    return wan.decode(loaded, latents, tiled=tiled)


def _pictures(frames: Frames) -> list[Any]:
    from PIL import Image

    return [Image.fromarray(frame) for frame in frames]
