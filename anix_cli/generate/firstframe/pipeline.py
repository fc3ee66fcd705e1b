"""The calls of diffusers: load on a rung of the ladder, sample to latents, decode. Imports torch.

Pickles are never loaded; the picture goes in as one (PIL), of just the size that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from anix_cli.core.clip import Frames

from ..diffusion.crew import Crew
from ..diffusion.holding import finite, frames_of, hush, place
from ..diffusion.ladder import Rung
from ..diffusion.levers import OFF, Levers, after_placing, before_placing, fresh, rung_with
from .families import FAMILIES, Family
from .models import Sampling


@dataclass
class Loaded:
    """A pipeline on its rung. ``crew``: the other GPUs' processes, None where one GPU works alone."""

    pipe: Any
    rung: Rung
    family: Family
    crew: Crew | None = None

    def close(self) -> None:
        """Lets the other processes end."""
        if self.crew is not None:
            self.crew.close()

    def count(self, text: str) -> int:
        """Tokens of a text, its end included, as they are sent."""
        if self.family.pipeline == "WanImageToVideoPipeline":
            from diffusers.pipelines.wan.pipeline_wan_i2v import prompt_clean

            text = prompt_clean(text)
        return len(self.pipe.tokenizer(text).input_ids)


def load(folder: Path, rung: Rung, family: Family, asked: Levers = OFF) -> Loaded:
    """A pipeline from a whole local folder.

    Raises:
        AnixError: E471, a package for what is asked for is not installed.
    """
    import diffusers
    import torch

    hush()
    dtype = getattr(torch, rung.dtype)
    vae = getattr(diffusers, family.vae).from_pretrained(
        folder, subfolder="vae", dtype=torch.float32 if family.vae_float32 else dtype,
        use_safetensors=True, local_files_only=True,
    )  # fmt: skip
    pipe = getattr(diffusers, family.pipeline).from_pretrained(
        folder, vae=vae, dtype=dtype, use_safetensors=True, local_files_only=True
    )
    pipe.set_progress_bar_config(disable=True)
    rung = rung_with(rung, asked)
    before_placing(pipe, asked)
    place(pipe, rung)
    after_placing(pipe, asked)
    return Loaded(pipe, rung, family)


def load_shared(
    folder: Path,
    rung: Rung,
    family: str,
    asked: Levers,
    gpus: int,
    before: Callable[[], None] | None = None,
) -> Loaded:
    """The same on several GPUs, one process each, this one being the first."""
    load_here = partial(_load_on, folder, rung, family, asked)
    crew = Crew(gpus, load_here, device=rung.device, before=before)
    held: Loaded = crew.held
    held.crew = crew
    return held


def _load_on(folder: Path, rung: Rung, family: str, asked: Levers, device: str) -> Loaded:
    return load(folder, replace(rung, device=device), FAMILIES[family], asked)


def _sample_with(loaded: Loaded, **given: Any) -> None:
    """What another GPU's process does: the same, and nobody looks at it."""
    sample(loaded, **given, step=lambda done: None)


def sample(
    loaded: Loaded,
    picture: Frames,
    prompt: str,
    negative: str,
    *,
    frames: int,
    settings: Sampling,
    seed: int,
    step: Callable[[int], None],
) -> Any:
    """Denoised latents, float32 on the CPU, laid out as the family has them.

    Args:
        picture: [H, W, 3] uint8, the first frame.
        frames: of the call, on the model's grid.
        step: called with the number of steps done.

    Raises:
        BadFrames: the latents are not finite.
    """
    import torch
    from PIL import Image

    pipe, family = loaded.pipe, loaded.family
    fresh(pipe)
    if settings.shift is not None:
        shift = {"flow_shift" if "flow_shift" in pipe.scheduler.config else "shift": settings.shift}
        pipe.scheduler = pipe.scheduler.from_config(pipe.scheduler.config, **shift)
    height, width = picture.shape[:2]

    def done(_: Any, index: int, __: Any, kept: dict[str, Any]) -> dict[str, Any]:
        step(index + 1)
        return kept

    if loaded.crew is not None:
        given = {"picture": picture, "prompt": prompt, "negative": negative, "frames": frames}
        loaded.crew.begin(_sample_with, {**given, "settings": settings, "seed": seed})
    made = pipe(
        image=Image.fromarray(picture),
        prompt=prompt,
        height=height,
        width=width,
        num_frames=frames,
        num_inference_steps=settings.steps,
        generator=torch.Generator("cpu").manual_seed(seed),
        output_type="latent",
        callback_on_step_end=done,
        **family.more(settings, negative),
    )
    if loaded.crew is not None:
        loaded.crew.end()
    return finite(made.frames)


def decode(loaded: Loaded, latents: Any, *, tiled: bool) -> Frames:
    """Frames [N, H, W, 3] uint8 of latents as :func:`sample` gives them.

    Raises:
        BadFrames: a frame is not finite.
    """
    pipe, family = loaded.pipe, loaded.family

    def video(vae: Any, device: Any) -> Any:
        return vae.decode(family.video(pipe, latents).to(device, vae.dtype), return_dict=False)[0]

    return frames_of(loaded, video, tiled=tiled)
