"""Requests made by hand: a checkered floor and boxes seen by a pinhole camera, with their true depth."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path

import numpy as np

from anix_cli.core.camera import intrinsics_from_fov_y, look_at
from anix_cli.core.clip import Cast, ClipRequest
from anix_cli.core.plan import Subject

_spec = importlib.util.spec_from_file_location(
    "figure", Path(__file__).parents[1] / "character" / "figure.py"
)
figure = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(figure)

SIZE_PX = (200, 160)
K = intrinsics_from_fov_y(40, SIZE_PX)
FRONT_CAMERA = look_at((0, 1.2, 4.0), (0, 0.8, 0))


def guide(pose, boxes=(), size_px=SIZE_PX, intrinsics=K):
    """rgb [H, W, 3] uint8 and depth [H, W] float32 of a floor at y = 0 and boxes (low, high, colour)."""
    width, height = size_px
    u = (np.arange(width) + 0.5 - intrinsics[0, 2]) / intrinsics[0, 0]
    v = (np.arange(height) + 0.5 - intrinsics[1, 2]) / intrinsics[1, 1]
    rays = pose[:3, 2] + u[None, :, None] * pose[:3, 0] + v[:, None, None] * pose[:3, 1]
    eye = pose[:3, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = np.where(rays[..., 1] < 0, -eye[1] / rays[..., 1], np.inf)
        floor = eye + rays * np.where(np.isfinite(depth), depth, 0)[..., None]
        check = (np.floor(floor[..., 0]) + np.floor(floor[..., 2])) % 2
        rgb = np.where(np.isfinite(depth)[..., None], (150 + 40 * check)[..., None], (170, 200, 235))
        for low, high, colour in boxes:
            near, far = (np.array(low) - eye) / rays, (np.array(high) - eye) / rays
            first, last = np.minimum(near, far).max(axis=-1), np.maximum(near, far).min(axis=-1)
            hit = (first < last) & (first > 0) & (first < depth)
            depth = np.where(hit, first, depth)
            rgb = np.where(hit[..., None], colour, rgb)
    return rgb.astype(np.uint8), depth.astype(np.float32)


def subject(root, yaw=0.0, speed=0.0, phase=0.0, name="mira") -> Subject:
    """A subject over as many frames as ``root`` [F, 3] has."""
    count = len(root)
    per_frame = [np.broadcast_to(np.asarray(value, dtype=float), (count,)) for value in (yaw, speed, phase)]
    return Subject(name, np.asarray(root, float), *per_frame, np.zeros((count, 4)), np.ones(count, bool))


def request(subjects, poses, *, boxes=(), tail: int = 0, views=None, size_px=SIZE_PX) -> ClipRequest:
    """A request over ``poses`` [T + F], of which the first ``tail`` are the clip before's."""
    pictures = [guide(pose, boxes, size_px) for pose in poses]
    rgb, depth = (np.stack(layer) for layer in zip(*pictures, strict=True))
    drawn = views if views is not None else figure.views()
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
        cast={s.character: Cast(drawn, figure.HEIGHT_M, "", s.character) for s in subjects},
        blocking=tuple(subjects),
        world_from_camera=np.stack(poses),
        intrinsics=np.stack([K] * len(poses)),
        options={},
    )
