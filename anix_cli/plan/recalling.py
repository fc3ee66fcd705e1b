"""Which earlier clips a coming one is shown besides the one just before it: those that saw the same place.

How much two cameras share is measured by points in the coming clip's frustum, at several depths: the share of
them that the earlier camera has in its picture. That knows nothing of walls, and needs no scene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..core.camera import project
from ..core.plan import PlannedClip, PlannedShot, Recalled

F64 = NDArray[np.float64]

LONGEST = 33
"""Frames of an earlier clip that are shown: as many as of the one just before."""
LEAST = 0.25
"""Share of the frustum below which it is another place."""
_DEPTHS_M = (1.5, 3.0, 6.0, 12.0)
_ACROSS, _DOWN = 5, 4
_LOOKS, _STEP = 3, 8
_FAR_M = 15.0


@dataclass
class Past:
    """What has been planned so far, across cuts."""

    shots: list[PlannedShot] = field(default_factory=list)

    def recall(
        self, shot: PlannedShot, clip: PlannedClip, most: int, size_px: tuple[int, int]
    ) -> tuple[Recalled, ...]:
        """At most so many parts of clips of earlier shots, the one that shares most first.

        The clip that the coming one goes on from is not among them, nor are those of its own shot.
        """
        if most < 1:
            return ()
        points = _frustum(shot, clip, size_px)
        found: list[tuple[float, int, Recalled]] = []
        before = self.shots[-1].clips[-1] if self.shots and clip.tail and not clip.index else None
        for order, (other, held) in enumerate((one, each) for one in self.shots for each in one.clips):
            if held is before:
                continue
            share, frame = _best(other, held, points, size_px)
            if share >= LEAST:
                found.append((-share, -order, _around(other, held, frame)))
        return tuple(part for _, _, part in sorted(found, key=lambda one: one[:2])[:most])


def _frustum(shot: PlannedShot, clip: PlannedClip, size_px: tuple[int, int]) -> F64:
    """Points [N, 3] that a clip's cameras see, at its beginning, middle and end."""
    width, height = size_px
    pixels = np.stack(
        np.meshgrid((np.arange(_ACROSS) + 0.5) / _ACROSS * width, (np.arange(_DOWN) + 0.5) / _DOWN * height),
        axis=-1,
    ).reshape(-1, 2)
    points = []
    for frame in np.linspace(clip.start, clip.start + clip.frames - 1, _LOOKS).round().astype(int):
        pose, intrinsics = shot.world_from_camera[frame], shot.intrinsics[frame]
        rays = (pixels - intrinsics[:2, 2]) / np.array([intrinsics[0, 0], intrinsics[1, 1]])
        rays = np.concatenate([rays, np.ones((len(rays), 1))], axis=1)
        local = rays[None] * np.array(_DEPTHS_M)[:, None, None]
        points.append(local.reshape(-1, 3) @ pose[:3, :3].T + pose[:3, 3])
    return np.concatenate(points)


def _best(shot: PlannedShot, clip: PlannedClip, points: F64, size_px: tuple[int, int]) -> tuple[float, int]:
    """The largest share of the points that a clip's frames see, and which frame that is."""
    shares = []
    frames = range(clip.start, clip.start + clip.frames, _STEP)
    for frame in frames:
        pixels, depth = project(points, shot.world_from_camera[frame], shot.intrinsics[frame])
        inside = (pixels >= 0).all(axis=-1) & (pixels < np.array(size_px)).all(axis=-1)
        shares.append(float((inside & (depth > 0) & (depth < _FAR_M)).mean()))
    at = int(np.argmax(shares))
    return shares[at], frames[at]


def _around(shot: PlannedShot, clip: PlannedClip, frame: int) -> Recalled:
    """The part of a clip around a frame, 4n + 1 frames."""
    count = (min(clip.frames, LONGEST) - 1) // 4 * 4 + 1
    start = min(max(frame - clip.start - count // 2, 0), clip.frames - count)
    return Recalled(shot.id, clip.index, start, count, clip.recipe_key)


def unknown(shots: Sequence[PlannedShot], clip: PlannedClip) -> bool:
    """Whether a clip recalls one that is not planned before it as it says."""
    keys = {(one.id, each.index): each.recipe_key for one in shots for each in one.clips}
    return any(keys.get((part.shot_id, part.index)) != part.key for part in clip.memory)
