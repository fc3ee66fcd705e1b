"""Where a model draws: in whole patches, around one character at a time, not where the scene is before it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.camera import project
from anix_cli.core.clip import ClipRequest
from anix_cli.core.plan import Subject

Bools = NDArray[np.bool_]

GREY = 128
PATCH_PX = 16
"""Side of the model's tokens: VAE 8, patches 2. Masks grow to whole ones."""
GRID = 4
"""A call's frame count is 4n + 1."""
_MARGIN, _FOOT_MARGIN = 0.06, 0.10
"""As of the guide's masks: shares of a box's height around it, and below for feet and shadow."""
_REACH_M, _OFF = 0.8, 0.02
"""How far before its root a body reaches, and by which share of its distance a scan's depth is off."""


def whole_patches(region: Bools) -> Bools:
    """[N, H, W]: every patch of the model that the region touches."""
    return _by_patch(region, np.any)


def covered(request: ClipRequest, subject: Subject) -> Bools:
    """[N, H, W]: patches in which all of the scene is nearer than the subject's body can be. What hides the
    subject there is the scene's own, and stays."""
    count = len(subject.root)
    height_m = request.cast[subject.character].height_m
    ends = np.stack([subject.root, subject.root + np.array([0, height_m, 0])], axis=1)
    nearest = np.empty(count)
    for at in range(count):
        _, away = project(ends[at], request.world_from_camera[at], request.intrinsics[at])
        nearest[at] = (1 - _OFF) * float(away.min()) - _REACH_M
    return _by_patch(request.depth < nearest[:, None, None], np.all)


def passes(request: ClipRequest) -> list[tuple[Subject | None, Bools]]:
    """Who is drawn in which region, one call after the other: those far from the camera first.

    One call takes few reference pictures, so that each of several characters gets a call of its own.
    """
    start = len(request.tail)
    shown = [subject for subject in request.blocking if subject.visible[start:].any()]
    if not shown:
        return [(None, request.anchor)]
    if len(shown) == 1:
        return [(shown[0], request.anchor & ~covered(request, shown[0]))]
    far_first = sorted(shown, key=lambda subject: -_distance(request, subject))
    shape = request.anchor.shape
    calls: list[tuple[Subject | None, Bools]] = [
        (subject, request.anchor & box_region(subject, shape) & ~covered(request, subject))
        for subject in far_first
    ]
    return [call for call in calls if call[1][start:].any()] or calls[-1:]


def box_region(subject: Subject, shape: Sequence[int]) -> Bools:
    """[N, H, W]: a subject's boxes with room around them."""
    count, height, width = shape
    region = np.zeros((count, height, width), dtype=bool)
    for frame in np.flatnonzero(subject.visible):
        x0, y0, x1, y1 = subject.box_px[frame]
        margin, below = _MARGIN * (y1 - y0), _FOOT_MARGIN * (y1 - y0)
        left, right = max(0, math.floor(x0 - margin)), min(width, math.ceil(x1 + margin))
        top, bottom = max(0, math.floor(y0 - margin)), min(height, math.ceil(y1 + below))
        region[frame, top : max(bottom, top), left : max(right, left)] = True
    return region


def held_to_grid(count: int, least: int = 1) -> NDArray[np.intp]:
    """Frames of a call of 4n + 1 frames, the last of ``count`` standing still for those that are too many."""
    return np.minimum(np.arange(-(-(max(count, least) - 1) // GRID) * GRID + 1), count - 1)


def _by_patch(region: Bools, of: object) -> Bools:
    count, height, width = region.shape
    cells = region.reshape(count, height // PATCH_PX, PATCH_PX, width // PATCH_PX, PATCH_PX)
    found = of(cells, axis=(2, 4))  # type: ignore[operator]
    return np.asarray(found.repeat(PATCH_PX, axis=1).repeat(PATCH_PX, axis=2))


def _distance(request: ClipRequest, subject: Subject) -> float:
    start = len(request.tail)
    away = subject.root[start:] - request.world_from_camera[start:, :3, 3]
    return float(np.linalg.norm(away, axis=1).mean())
