"""What the two bases share: which tokens there are besides those of the target, and where each one stands.

The sequence is [memory | preceding | views | target]. Only the target's tokens are denoised and decoded. A
token's place is (t, y, x) on the grid of patches, which 3D RoPE turns into angles:

=========  ================================  ===========================
tokens     t                                 y, x
=========  ================================  ===========================
memory     before all views, one a latent    the picture's own
preceding  0 … P−1                           the picture's own
views      −1 front, −2 left, −3 right,      shifted by the picture's
           −4 back; the next character's     height and width, so that no
           four follow                       view lies over the picture
target     P … P+F−1                         the picture's own
=========  ================================  ===========================

Source: arXiv 2512.17796 for views, scene and preceding clip; memory and further characters are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

VIEWS = ("front", "left", "right", "back")
"""In the order of their places in time, −1 … −4."""
Shift = Literal["both", "width"]
"""Of the views' places: by (h, w) as in the paper, or by the width alone as HunyuanCustom does."""


@dataclass(eq=False)
class Conditions:
    """Latents of a batch of B clips, as the VAE gives them and scaled as the target's; None where there is
    none. C channels, F latent frames of the target, h × w latents a frame.

    Attributes:
        scene: [B, C, F, h, w], the guide.
        masks: [B, G·C, F, h, w], the anchor videos of G characters, encoded as pictures.
        scene_kept: [B] bool, False where scene and masks are dropped (training); None keeps all.
        views: [B, V, C, h', w'], pictures of who is to be seen.
        view_times: the V views' places in time; () for −1, −2, … as they come.
        preceding: [B, C, P, h, w], the clip before, encoded by itself.
        memory: [B, C, M, h, w], other clips of the same place.
    """

    scene: Tensor | None = None
    masks: Tensor | None = None
    scene_kept: Tensor | None = None
    views: Tensor | None = None
    view_times: Sequence[int] = ()
    preceding: Tensor | None = None
    memory: Tensor | None = None

    def to(self, device: Any, dtype: Any) -> Conditions:
        """The same elsewhere, in another precision."""
        moved = {
            name: one.to(device, dtype) if isinstance(one, Tensor) and one.is_floating_point() else one
            for name, one in vars(self).items()
        }
        return Conditions(**moved)


@dataclass(eq=False)
class Packed:
    """A sequence of N tokens.

    Attributes:
        tokens: [B, N, D].
        places: [N, 3] float32, (t, y, x).
        past: how many tokens at the beginning are clean: memory and preceding.
        views: how many of the views follow them.
        target: how many are at the end.
    """

    tokens: Tensor
    places: Tensor
    past: int
    views: int
    target: int


def view_times(names: Sequence[str], character: int = 0) -> tuple[int, ...]:
    """Places in time of one character's views, by their names."""
    return tuple(-1 - VIEWS.index(name) - len(VIEWS) * character for name in names)


def grid(frames: int, rows: int, columns: int, start: tuple[int, int, int] = (0, 0, 0)) -> Tensor:
    """Places [frames·rows·columns, 3] float32 of patches, in the order in which they are flattened."""
    axes = [
        torch.arange(first, first + count, dtype=torch.float32)
        for first, count in zip(start, (frames, rows, columns), strict=True)
    ]
    return torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1).reshape(-1, 3)


def angles(places: Tensor, sizes: Sequence[int], theta: float, dtype: Any) -> tuple[Tensor, Tensor]:
    """Cosines and sines [N, sum(sizes)] float32 of 3D RoPE at any places, negative ones too.

    Args:
        places: [N, 3].
        sizes: even numbers of channels for t, y, x.
        dtype: the angles are computed in, as the base computes its own.
    """
    from diffusers.models.embeddings import get_1d_rotary_pos_embed

    made = [
        get_1d_rotary_pos_embed(size, places[:, axis], theta, use_real=True, freqs_dtype=dtype)
        for axis, size in enumerate(sizes)
    ]
    return torch.cat([cos for cos, _ in made], dim=1), torch.cat([sin for _, sin in made], dim=1)


def add_projector(
    model: nn.Module, channels: int, inner: int, patch: tuple[int, int, int], characters: int
) -> None:
    """Gives a transformer ``bg_in`` and ``bg_proj``, named and shaped as in HunyuanCustom's editing
    checkpoint: patches of scene and masks, and a linear layer that is zero at first."""
    from diffusers.models.transformers.transformer_hunyuan_video import HunyuanVideoPatchEmbed

    model.bg_in = HunyuanVideoPatchEmbed(patch, channels * (1 + characters), inner)
    model.bg_proj = nn.Linear(inner, inner)
    nn.init.zeros_(model.bg_proj.weight)
    nn.init.zeros_(model.bg_proj.bias)


def with_scene(model: Any, tokens: Tensor, given: Conditions) -> Tensor:
    """The target's tokens [B, N, D] with what the projector makes of scene and masks added.

    Raises:
        ValueError: masks of more characters than the projector has channels for.
    """
    if given.scene is None:
        return tokens
    scene = given.scene
    room = model.bg_in.proj.in_channels - scene.shape[1]
    masks = given.masks if given.masks is not None else scene[:, :0]
    if masks.shape[1] > room:
        raise ValueError(f"masks have {masks.shape[1]} channels; this model has room for {room}")
    nobody = scene.new_zeros(scene.shape[0], room - masks.shape[1], *scene.shape[2:])
    added = model.bg_proj(model.bg_in(torch.cat([scene, masks, nobody], dim=1)))
    if given.scene_kept is not None:
        added = added * given.scene_kept.to(added)[:, None, None]
    return tokens + added


def pack(
    embed: Callable[[Tensor], Tensor],
    target: Tensor,
    size: tuple[int, int, int],
    given: Conditions,
    patch: tuple[int, int, int],
    shift: Shift,
) -> Packed:
    """All tokens of a clip.

    Args:
        embed: latents [B, C, f, h, w] → tokens [B, n, D], by the base's own patches.
        target: [B, n, D], with the scene added.
        size: of the target, (frames, rows, columns) of patches.
    """
    frames, rows, columns = size
    parts, places = [], []
    views = 0 if given.views is None else given.views.shape[1]
    times = tuple(given.view_times) or tuple(range(-1, -1 - views, -1))
    if given.memory is not None:
        count = given.memory.shape[2] // patch[0]
        parts.append(embed(given.memory))
        places.append(grid(count, rows, columns, (_before(times) - count, 0, 0)))
    first = 0
    if given.preceding is not None:
        first = given.preceding.shape[2] // patch[0]
        parts.append(embed(given.preceding))
        places.append(grid(first, rows, columns))
    past = sum(part.shape[1] for part in parts)
    if given.views is not None:
        high, wide = given.views.shape[3] // patch[1], given.views.shape[4] // patch[2]
        for index, time in enumerate(times):
            parts.append(embed(given.views[:, index].unsqueeze(2)))
            places.append(grid(1, high, wide, (time, rows if shift == "both" else 0, columns)))
    shown = sum(part.shape[1] for part in parts) - past
    parts.append(target)
    places.append(grid(frames, rows, columns, (first, 0, 0)))
    return Packed(torch.cat(parts, dim=1), torch.cat(places).to(target.device), past, shown, target.shape[1])


def _before(times: Sequence[int]) -> int:
    """The first place in time before those of all views of the characters that these belong to."""
    last = max((-time for time in times), default=0)
    return -len(VIEWS) * max(1, -(-last // len(VIEWS)))


def unpatched(
    tokens: Tensor, size: tuple[int, int, int], patch: tuple[int, int, int], *, last: bool
) -> Tensor:
    """Tokens [B, n, P] of patches as latents [B, C, f, h, w].

    Args:
        size: (frames, rows, columns) of patches.
        last: whether a patch lists its channels last (Wan), or first (HunyuanVideo).
    """
    frames, rows, columns = size
    deep, high, wide = patch
    batch = tokens.shape[0]
    if last:
        tokens = tokens.reshape(batch, frames, rows, columns, deep, high, wide, -1)
        tokens = tokens.permute(0, 7, 1, 4, 2, 5, 3, 6)
    else:
        tokens = tokens.reshape(batch, frames, rows, columns, -1, deep, high, wide)
        tokens = tokens.permute(0, 4, 1, 5, 2, 6, 3, 7)
    return tokens.flatten(6, 7).flatten(4, 5).flatten(2, 3)
