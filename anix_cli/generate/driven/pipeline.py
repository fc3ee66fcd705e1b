"""The calls of diffusers: load on a rung of the ladder, sample to latents, decode. Imports torch.

The pipeline is of diffusers' modular kind, and two of its blocks are replaced: the one that takes the frames
to go on from begins with the clip before, which the pipeline itself does from its second segment on only; and
the one that decodes hands the latents out, so that they are kept before they are decoded. Parts are read from
the local folder one by one: the published index of the pipeline names places on the hub.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anix_cli.core.clip import Frames

from ..diffusion import wan
from ..diffusion.holding import finite, hush, place
from ..diffusion.ladder import Rung
from ..diffusion.words import Words
from .models import Sampling

_HAIR = 1e-3
"""Added to a width in pixels: the pipeline takes the root of an area, and rounds down to a multiple."""


@dataclass
class Relay:
    """What goes in and out of the replaced blocks: ``tail`` [1, 3, T, H, W] in −1 … 1, and latents."""

    tail: Any = None
    latents: Any = None


@dataclass
class Loaded:
    """A pipeline on its rung."""

    pipe: Any
    rung: Rung
    relay: Relay

    def count(self, text: str) -> int:
        """Tokens of a text, its end included, as they are sent."""
        return wan.count_tokens(self.pipe, text)


def load(folder: Path, rung: Rung) -> Loaded:
    """A pipeline from a whole local folder."""
    import diffusers
    import torch
    from transformers import AutoTokenizer, CLIPVisionModel, UMT5EncoderModel

    hush()
    relay = Relay()
    pipe = blocks(relay).init_pipeline()
    dtype = getattr(torch, rung.dtype)
    own: dict[str, Any] = {"local_files_only": True}
    weights = {**own, "use_safetensors": True}
    kind = json.loads((folder / "scheduler" / "scheduler_config.json").read_text(encoding="utf-8"))
    pipe.update_components(
        transformer=diffusers.WanAnimate2Transformer3DModel.from_pretrained(
            folder, subfolder="transformer", dtype=dtype, **weights
        ),
        vae=diffusers.AutoencoderKLWan.from_pretrained(
            folder, subfolder="vae", dtype=torch.float32, **weights
        ),
        text_encoder=UMT5EncoderModel.from_pretrained(
            folder, subfolder="text_encoder", dtype=dtype, **weights
        ),
        image_encoder=CLIPVisionModel.from_pretrained(
            folder, subfolder="image_encoder", dtype=dtype, **weights
        ),
        tokenizer=AutoTokenizer.from_pretrained(folder, subfolder="tokenizer", **own),
        scheduler=getattr(diffusers, kind["_class_name"]).from_pretrained(
            folder, subfolder="scheduler", **own
        ),
    )
    place(pipe, rung)
    if rung.device.startswith("cuda"):
        pipe.transformer.compile_repeated_blocks()  # its attention is meant to run compiled only
    return Loaded(pipe, rung, relay)


def blocks(relay: Relay) -> Any:
    """The pipeline's blocks, two of them exchanged."""
    from diffusers import WanAnimate2Blocks
    from diffusers.modular_pipelines.wan_animate_2 import denoise
    from tqdm import tqdm

    class GoOn(denoise.WanAnimate2SegmentPrevFramesStep):  # type: ignore[misc]
        def __call__(self, components: Any, block_state: Any, k: int) -> Any:
            if relay.tail is None:
                return super().__call__(components, block_state, k)
            block_state.out_frames = relay.tail.to(components._execution_device)
            return super().__call__(components, block_state, k + 1)

    class HandOut(denoise.WanAnimate2SegmentDecodeStep):  # type: ignore[misc]
        def __call__(self, components: Any, block_state: Any, k: int) -> Any:
            relay.latents = block_state.latents[None, :, 1:]  # the first one is the reference's
            block_state.kv_cache.clear()
            block_state.kv_cache = block_state.latents = None
            return components, block_state

    made = deepcopy(WanAnimate2Blocks())
    del made.sub_blocks["decode"]  # puts decoded segments together
    loop = next(
        block for block in made.sub_blocks["denoise"].sub_blocks.values()
        if isinstance(block, denoise.WanAnimate2SegmentLoopWrapper)
    )  # fmt: skip
    loop.sub_blocks["prev_frames"] = GoOn()
    loop.sub_blocks["decode"] = HandOut()
    denoise.tqdm = partial(tqdm, disable=True)  # the one bar that no setting of diffusers turns off
    return made


def sample(
    loaded: Loaded,
    image: Frames,
    driving: Frames,
    tail: Frames,
    told: Words,
    *,
    settings: Sampling,
    seed: int,
    step: Callable[[int], None],
) -> Any:
    """Denoised latents [1, C, N', H', W'] float32 on the CPU, without that of the reference.

    Args:
        image: [H, W, 3], who and where. driving: [N, H, W, 3], on the model's grid.
        tail: [T, H, W, 3], frames to go on from; T may be 0.
        step: called with the number of steps done.

    Raises:
        BadFrames: the latents are not finite.
    """
    import torch
    from diffusers import ClassifierFreeGuidance
    from PIL import Image

    pipe, relay = loaded.pipe, loaded.relay
    count, height, width = driving.shape[:3]
    pipe.update_components(guider=ClassifierFreeGuidance(guidance_scale=settings.guidance))
    relay.tail = _video(tail) if len(tail) else None
    with _counted(pipe.scheduler, step):
        pipe(
            image=Image.fromarray(image),
            driving_video=[Image.fromarray(frame) for frame in driving],
            prompt=told.prompt,
            negative_prompt=told.negative,
            height=height,
            width=width + _HAIR,
            segment_frame_length=count,
            prev_segment_conditioning_frames=max(1, len(tail)),
            num_inference_steps=settings.steps,
            generator=torch.Generator("cpu").manual_seed(seed),
            max_sequence_length=wan.TOKENS,
        )
    latents, relay.latents = relay.latents, None
    return finite(latents)


def decode(loaded: Loaded, latents: Any, *, tiled: bool) -> Frames:
    """Frames [N, H, W, 3] uint8 of latents as :func:`sample` gives them."""
    return wan.decode(loaded, latents, tiled=tiled)


def _video(frames: Frames) -> Any:
    """[1, 3, T, H, W] in −1 … 1."""
    import torch

    values = torch.from_numpy(np.ascontiguousarray(frames)).float() / 127.5 - 1
    return values.permute(3, 0, 1, 2)[None]


class _counted:  # noqa: N801  (it is used as a word)
    """Tells of each step of a scheduler: the pipeline itself has nobody to tell."""

    def __init__(self, scheduler: Any, step: Callable[[int], None]) -> None:
        self.scheduler, self.step, self.done = scheduler, step, 0

    def __enter__(self) -> None:
        real = self.scheduler.step

        def noted(*given: Any, **named: Any) -> Any:
            made = real(*given, **named)
            self.done += 1
            self.step(self.done)
            return made

        self.scheduler.step = noted

    def __exit__(self, *_: object) -> None:
        del self.scheduler.step


def latent_shape(loaded: Loaded, frames: int, size_px: Sequence[int]) -> tuple[int, ...]:
    """Of the latents of so many frames of a size."""
    width, height = size_px
    return (1, loaded.pipe.vae.config.z_dim, (frames - 1) // 4 + 1, height // 8, width // 8)
