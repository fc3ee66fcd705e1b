"""Pictures into latents: guide, masks, views and the clip before, as the VAE encodes them. Imports torch.

A VAE of these bases makes 1 + n/4 latent frames of 1 + n frames. A clip that goes on from P = 4a + 1 frames
has F = 4b new ones: guide and masks are encoded over all P + F, and the last b latents kept; the F alone
would give b latents, too, but decode to 4b − 3 frames. The P are encoded by themselves, since the latents of
the first P of P + F frames are others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .packing import Conditions, view_times

STEP = 4
"""Frames of a latent frame, but for the first."""
Encode = Callable[[Tensor], Tensor]
"""Frames [1, 3, N, H, W] in −1 … 1 → scaled latents [1, C, n, h, w]."""


@dataclass(frozen=True)
class View:
    """One picture of a character: [h, w, 3] uint8 sRGB. ``name``: front, left, right or back."""

    name: str
    picture: NDArray[np.uint8]
    character: int = 0


@dataclass(frozen=True)
class Shown:
    """What a clip is to show. P preceding and F new frames of H × W.

    Attributes:
        guide: [P+F, H, W, 3] uint8, the scene alone.
        masks: [G, P+F, H, W] bool, where each of the characters may be.
        preceding: [P, H, W, 3] uint8; P is 0 or 4a + 1.
        memory: clips [M, H, W, 3] uint8 of the same place, M = 4m + 1 each.
    """

    guide: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    views: Sequence[View] = ()
    preceding: NDArray[np.uint8] | None = None
    memory: Sequence[NDArray[np.uint8]] = field(default=())

    @property
    def past(self) -> int:
        """P."""
        return 0 if self.preceding is None else len(self.preceding)


def latent_frames(frames: int) -> int:
    """Of 4n + 1 frames. Raises ValueError: another number, which the VAE would cut in silence."""
    if frames < 1 or (frames - 1) % STEP:
        raise ValueError(f"{frames} frames are not 4n + 1")
    return (frames - 1) // STEP + 1


def target_latents(shown: Shown) -> int:
    """Latent frames of the new frames alone."""
    whole = latent_frames(len(shown.guide))
    return whole - (latent_frames(shown.past) if shown.past else 0)


def conditions(shown: Shown, encode: Encode) -> Conditions:
    """All of a clip's conditions as latents.

    Raises:
        ValueError: sizes or numbers of frames that don't belong together.
    """
    _check(shown)
    size, new = shown.guide.shape[1:3], target_latents(shown)
    with torch.no_grad():
        scene = encode(as_video(shown.guide))[:, :, -new:]
        masks = [encode(as_video(_picture(mask)))[:, :, -new:] for mask in shown.masks]
        views = [encode(as_video(fitted(one.picture, size)[None])) for one in shown.views]
        preceding = encode(as_video(shown.preceding)) if shown.preceding is not None else None
        memory = [encode(as_video(clip)) for clip in shown.memory]
    return Conditions(
        scene=scene,
        masks=torch.cat(masks, dim=1) if masks else None,
        views=torch.stack([one[:, :, 0] for one in views], dim=1) if views else None,
        view_times=tuple(time for one in shown.views for time in view_times([one.name], one.character)),
        preceding=preceding,
        memory=torch.cat(memory, dim=2) if memory else None,
    )


def as_video(frames: NDArray[np.uint8]) -> Tensor:
    """[N, H, W, 3] uint8 → [1, 3, N, H, W] float32 in −1 … 1."""
    return torch.from_numpy(frames).permute(3, 0, 1, 2)[None].float() / 127.5 - 1.0


def fitted(picture: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """A view [h, w, 3] in the middle of a white picture of a size (height, width), as large as it fits."""
    from PIL import Image

    height, width = size
    scale = min(height / picture.shape[0], width / picture.shape[1])
    high, wide = (max(1, round(side * scale)) for side in picture.shape[:2])
    small = np.asarray(Image.fromarray(picture).resize((wide, high), Image.Resampling.LANCZOS))
    canvas = np.full((height, width, 3), 255, dtype=np.uint8)
    top, left = (height - high) // 2, (width - wide) // 2
    canvas[top : top + high, left : left + wide] = small
    return canvas


def _picture(mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """A mask [N, H, W] as the model sees it: white where it is, black elsewhere."""
    return np.repeat(mask[..., None].astype(np.uint8) * 255, 3, axis=-1)


def _check(shown: Shown) -> None:
    count, height, width = shown.guide.shape[:3]
    latent_frames(count)
    if shown.masks.shape[1:] != (count, height, width):
        raise ValueError(f"masks are {shown.masks.shape[1:]}, the guide is {(count, height, width)}")
    for clip in [*([shown.preceding] if shown.preceding is not None else []), *shown.memory]:
        latent_frames(len(clip))
        if clip.shape[1:3] != (height, width):
            raise ValueError(f"a clip before is {clip.shape[1:3]}, the guide is {(height, width)}")
    if shown.past >= count:
        raise ValueError(f"{shown.past} frames before leave none of {count} to make")
