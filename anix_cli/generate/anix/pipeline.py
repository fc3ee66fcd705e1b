"""The calls of the model: load on a rung of the ladder, sample to latents, decode. Imports torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anix_cli.core.clip import Frames
from anix_cli.core.errors import fail
from anix_cli.model.anix.adapter import Adapter, UnfitError, apply
from anix_cli.model.anix.adapter import load as read_adapter
from anix_cli.model.anix.pictures import Shown

from ..diffusion.holding import finite, frames_of, hush, place
from ..diffusion.ladder import Rung
from ..diffusion.levers import OFF, Levers, after_placing, before_placing, fresh, rung_with
from .models import Base, Sampling


@dataclass
class Loaded:
    """A pipeline on its rung. ``characters``: with mask channels of their own."""

    pipe: Any
    rung: Rung
    characters: int

    def count(self, text: str) -> int:
        """Tokens of a text, its end included."""
        return len(self.pipe.tokenizer(text).input_ids)


def adapter_of(path: Path) -> Adapter:
    """An adapter. Raises AnixError: E557, it is none."""
    try:
        return read_adapter(path)
    except UnfitError as error:
        raise unfit(path, str(error)) from error


def load(folder: Path, rung: Rung, base: Base, adapter: Path | None, asked: Levers = OFF) -> Loaded:
    """A pipeline from a whole local folder, with an adapter.

    Raises:
        AnixError: E557, the adapter does not fit; E471, a package for what is asked for is not installed.
    """
    import torch

    from anix_cli.model.anix import checkpoints

    hush()
    dtype = getattr(torch, rung.dtype)
    held = adapter_of(adapter) if adapter is not None else None
    config, state = checkpoints.read(folder / "transformer")
    if held is not None:
        config |= {"characters": held.story.characters, "view_shift": held.story.view_shift}
    try:
        transformer, _ = checkpoints.build(base.kind, config, state, dtype=dtype)
        if held is not None:
            apply(transformer, held)
    except UnfitError as error:
        raise unfit(adapter, str(error)) from error
    pipe = _kind(base).from_pretrained(
        folder, transformer=transformer, vae=_vae(base, folder), dtype=dtype, use_safetensors=True,
        local_files_only=True,
    )  # fmt: skip
    pipe.set_progress_bar_config(disable=True)
    rung = rung_with(rung, asked)
    before_placing(pipe, asked)
    place(pipe, rung)
    after_placing(pipe, asked)
    return Loaded(pipe, rung, int(transformer.config.characters))


def sample(
    loaded: Loaded,
    shown: Shown,
    prompt: str,
    negative: str,
    descriptions: list[str],
    *,
    settings: Sampling,
    seed: int,
    step: Callable[[int], None],
) -> tuple[Any, list[float]]:
    """Denoised latents [1, C, F, h, w] float32 on the CPU, as the VAE has them, and the noise levels.

    Raises:
        BadFrames: the latents are not finite.
    """
    import torch

    pipe = loaded.pipe
    fresh(pipe)
    latents = pipe(
        prompt,
        shown,
        negative_prompt=negative,
        descriptions=descriptions,
        num_inference_steps=settings.steps,
        sigmas=settings.sigmas,
        flow_shift=settings.shift,
        guidance_scale=settings.guidance,
        generator=torch.Generator("cpu").manual_seed(seed),
        step=lambda done, _: step(done),
    )
    return finite(latents), [round(float(level), 4) for level in pipe.levels]


def decode(loaded: Loaded, latents: Any, shown: Shown, *, tiled: bool) -> Frames:
    """New frames [F, H, W, 3] uint8 of latents as :func:`sample` gives them.

    Raises:
        BadFrames: a frame is not finite.
    """
    pipe = loaded.pipe
    return frames_of(loaded, lambda vae, device: pipe.decoded(latents, shown.preceding), tiled=tiled)


def unfit(path: Path | None, why: str) -> Exception:
    """E557: the adapter can't be put on the base."""
    name = path.name if path is not None else "the adapter"
    return fail(
        "E557",
        f"the adapter {name} does not fit the model: {why}",
        file=path,
        hint="`anix lora show FILE` tells what an adapter is made for; the option `base` chooses the base",
    )


def _kind(base: Base) -> Any:
    if base.kind == "wan":
        from anix_cli.model.anix.pipeline_wan import AniXWanPipeline

        return AniXWanPipeline
    from anix_cli.model.anix.pipeline_hunyuan import AniXHunyuanVideoPipeline

    return AniXHunyuanVideoPipeline


def _vae(base: Base, folder: Path) -> Any:
    """In float32, which decides how clean the picture is and costs little."""
    import diffusers
    import torch

    kind = diffusers.AutoencoderKLWan if base.kind == "wan" else diffusers.AutoencoderKLHunyuanVideo
    return kind.from_pretrained(
        folder, subfolder="vae", dtype=torch.float32, use_safetensors=True, local_files_only=True
    )
