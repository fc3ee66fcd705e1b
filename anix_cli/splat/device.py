"""Gaussians and pictures on a GPU, as the gsplat rasteriser holds them. Tensors are PyTorch's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .render import Rendered

Tensor = Any
_LEAST_Z = 1e-12


@dataclass(frozen=True)
class DeviceScene:
    """Gaussians on the device: means [N, 3], quats [N, 4], scales [N, 3], opacities [N], float32; the lowest
    harmonic [N, 1, 3] float32 and the higher ones [N, K − 1, 3] float16. ``plain``: rows that are not to be
    compensated although the others are."""

    means: Tensor
    quats: Tensor
    scales: Tensor
    opacities: Tensor
    lowest: Tensor
    higher: Tensor
    antialiased: bool
    plain: tuple[slice, ...] = ()

    def __len__(self) -> int:
        return int(self.means.shape[0])


@dataclass(frozen=True)
class DeviceFrames:
    """C pictures left on the device.

    Attributes:
        rgb: [C, H, W, 3] in [0, 1], float32 or float16.
        depth: [C, H, W] float32, +inf where alpha < 1/255.
        alpha: [C, H, W] float32.
    """

    rgb: Tensor
    depth: Tensor
    alpha: Tensor

    def __len__(self) -> int:
        return int(self.rgb.shape[0])

    def host(self) -> list[Rendered]:
        """As numpy arrays, float32."""
        rgb, depth, alpha = (each.float().cpu().numpy() for each in (self.rgb, self.depth, self.alpha))
        return [Rendered(*each) for each in zip(rgb, depth, alpha, strict=True)]


def merged(sets: Sequence[DeviceScene]) -> DeviceScene:
    """All sets as one, in order; there is at least one. Lower degrees of harmonics are padded with zeros."""
    import torch

    if len(sets) == 1:
        return sets[0]
    wide = max(part.higher.shape[1] for part in sets)
    higher = [torch.nn.functional.pad(part.higher, (0, 0, 0, wide - part.higher.shape[1])) for part in sets]
    columns = ("means", "quats", "scales", "opacities", "lowest")
    means, quats, scales, opacities, lowest = (
        torch.cat([getattr(part, name) for part in sets]) for name in columns
    )
    mixed = len({part.antialiased for part in sets}) > 1
    ends = np.cumsum([len(part) for part in sets]).tolist()
    plain = tuple(
        slice(end - len(part), end)
        for part, end in zip(sets, ends, strict=True)
        if mixed and not part.antialiased
    )
    antialiased = any(part.antialiased for part in sets)
    return DeviceScene(means, quats, scales, opacities, lowest, torch.cat(higher), antialiased, plain)


def joined(frames: Sequence[DeviceFrames]) -> DeviceFrames:
    """Pictures one after the other."""
    import torch

    rgb, depth, alpha = (
        torch.cat([getattr(one, name) for one in frames]) for name in ("rgb", "depth", "alpha")
    )
    return DeviceFrames(rgb, depth, alpha)


def compensation(
    scene: DeviceScene, rows: slice, view: Tensor, lens: Tensor, size_px: tuple[int, int], eps2d: float
) -> Tensor:
    """[N] √(det Σ′ / det(Σ′ + eps2d·I)) of some rows, by which the antialiased mode multiplies opacities.

    Args:
        view: [4, 4] camera_from_world; lens: [3, 3].
    """
    import torch

    camera = scene.means[rows] @ view[:3, :3].T + view[:3, 3]
    z = camera[:, 2].clamp(min=_LEAST_Z)
    quats = scene.quats[rows]
    w, x, y, q = (quats / quats.norm(dim=1, keepdim=True)).unbind(1)
    turn = torch.stack([
        1 - 2 * (y * y + q * q), 2 * (x * y - w * q), 2 * (x * q + w * y),
        2 * (x * y + w * q), 1 - 2 * (x * x + q * q), 2 * (y * q - w * x),
        2 * (x * q - w * y), 2 * (y * q + w * x), 1 - 2 * (x * x + y * y),
    ], dim=1).reshape(-1, 3, 3)  # fmt: skip
    axes = view[:3, :3] @ (turn * scene.scales[rows][:, None, :])
    flat = []
    for axis in range(2):
        focal, point, size = lens[axis, axis], lens[axis, 2], size_px[axis]
        margin = 0.15 * size / focal
        slope = (camera[:, axis] / z).clamp(-point / focal - margin, (size - point) / focal + margin)
        flat.append((focal / z)[:, None] * (axes[:, axis] - slope[:, None] * axes[:, 2]))
    spread = (flat[0] ** 2 + flat[1] ** 2).sum(1)
    sharp = torch.linalg.cross(flat[0], flat[1]).square().sum(1)
    return torch.sqrt(sharp / (sharp + eps2d * (spread + eps2d)))
