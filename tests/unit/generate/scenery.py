"""Requests made by hand: a checkered floor and boxes of splats, seen by a pinhole camera."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

from anix_cli.core.camera import intrinsics_from_fov_y, look_at
from anix_cli.core.clip import Cast, ClipRequest
from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.core.plan import Subject
from anix_cli.splat import render

_spec = importlib.util.spec_from_file_location(
    "figure", Path(__file__).parents[1] / "character" / "figure.py"
)
figure = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(figure)

SIZE_PX = (200, 160)
K = intrinsics_from_fov_y(40, SIZE_PX)
FRONT_CAMERA = look_at((0, 1.2, 4.0), (0, 0.8, 0))
NEAR_M = 0.05
BACKGROUND = (0.0, 0.0, 0.0)


@cache
def views():
    """The figure's four views, drawn once."""
    return figure.views()


def splats(points, colours, sigma_m) -> Gaussians:
    """Opaque splats at points [N, 3] with sRGB colours [N, 3] in 0 … 1 and sigmas [3] or [N, 3]."""
    count = len(points)
    quats = np.tile(np.float32([1, 0, 0, 0]), (count, 1))
    scales = np.broadcast_to(np.asarray(sigma_m, dtype=np.float32), (count, 3)).copy()
    sh = ((np.asarray(colours) - 0.5) / 0.28209479177387814).astype(np.float32)[:, None, :]
    opacities = np.full(count, 0.99, dtype=np.float32)
    return Gaussians(np.asarray(points, dtype=np.float32), quats, scales, opacities, sh)


def floor(*, cell_m: float = 0.07, thick_m: float = 0.004, height_m: float = 0.0) -> Gaussians:
    """A level floor of 9 by 9 metres in squares of one metre."""
    x, z = (axis.ravel() for axis in np.meshgrid(*[np.arange(-4.5, 4.5, cell_m)] * 2))
    check = (np.floor(x) + np.floor(z)) % 2
    grey = np.repeat((0.58 + 0.16 * check)[:, None], 3, axis=1)
    points = np.stack([x, np.full_like(x, height_m), z], axis=1)
    return splats(points, grey, (0.6 * cell_m, thick_m, 0.6 * cell_m))


def box(low, high, colour, *, cell_m: float = 0.04) -> Gaussians:
    """The surface of an upright box, colour in 0 … 255."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    parts = []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        grids = [np.arange(low[k] + cell_m / 2, high[k], cell_m) for k in others]
        a, b = (grid.ravel() for grid in np.meshgrid(*grids))
        for side in (low[axis], high[axis]):
            points = np.empty((len(a), 3))
            points[:, others[0]], points[:, others[1]], points[:, axis] = a, b, side
            sigma = np.full(3, 0.6 * cell_m)
            sigma[axis] = 0.004
            parts.append(splats(points, np.tile(np.array(colour) / 255, (len(a), 1)), sigma))
    return concatenate(parts)


def subject(root, yaw=0.0, speed=0.0, phase=0.0, name="mira") -> Subject:
    """A subject over as many frames as ``root`` [F, 3] has."""
    count = len(root)
    per_frame = [np.broadcast_to(np.asarray(value, dtype=float), (count,)) for value in (yaw, speed, phase)]
    return Subject(
        name, np.asarray(root, float), *per_frame, np.zeros((count, 4)), np.ones(count, bool), np.zeros(count)
    )


def request(subjects, poses, *, scene=None, boxes=(), tail: int = 0, size_px=SIZE_PX, intrinsics=K):
    """A request over ``poses`` [T + F], of which the first ``tail`` are the clip before's.

    The guide is the scene (a floor, unless given, and boxes) as the guide stage renders it.
    """
    world = concatenate([scene if scene is not None else floor(), *(box(*each) for each in boxes)])
    drawn = [render(world, pose, intrinsics, size_px, near=NEAR_M, background=BACKGROUND) for pose in poses]
    rgb = np.stack([np.floor(picture.rgb * 255 + 0.5).astype(np.uint8) for picture in drawn])
    depth = np.stack([np.where(p.alpha >= 0.5, p.depth, np.float32(np.inf)) for p in drawn])
    return ClipRequest(
        prompt="a person",
        negative="",
        size_px=size_px,
        frames=len(poses) - tail,
        fps=Fraction(16),
        seed=7,
        guide=rgb,
        depth=depth,
        anchor=np.ones(depth.shape, dtype=bool),
        tail=rgb[:tail],
        cast={s.character: Cast(views(), figure.HEIGHT_M, "", s.character) for s in subjects},
        blocking=tuple(subjects),
        world_from_camera=np.stack(poses),
        intrinsics=np.stack([intrinsics] * len(poses)),
        options={},
        scene=lambda: world,
        near_m=NEAR_M,
    )
