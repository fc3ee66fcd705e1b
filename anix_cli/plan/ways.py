"""Paths of cameras, by keys or from a file, resolved to frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..core.camera import intrinsics_from_fov_y, intrinsics_from_lens
from ..core.easing import smoothstep
from ..core.screenplay import CameraSpec
from ..core.stage import HeightMap, Stage
from ..media.camerapaths import CameraPath
from .framing import LENS_MM, written_focal_px
from .motion import steady
from .placements import eye_of
from .progress import eased
from .rigs import AZIMUTH, ELEVATION, LEAST_CLEARANCE_M, ROLL, poses_of, rigs_at, turned
from .sights import Way
from .splines import even, hermite, quats_of, turns_of
from .trouble import Trouble

F64 = NDArray[np.float64]
Size = tuple[int, int]

PAN_S, PAN_RATE = 0.15, math.radians(200)
"""A camera that would turn faster than this, as one that passes right over what it looks at, is smoothed."""
_GRID = 7
"""The scene's box is looked for at so many points along each side."""
SEEN = 0.1
"""A path is told of of which a smaller share sees the scene."""


def way_of_keys(
    spec: CameraSpec, looks: Sequence[F64], frames: int, fps: Fraction, ground: HeightMap, size_px: Size
) -> Way:
    """The path through keys.

    Without times it is gone at an even speed, soft where ``ease`` says so; with times the camera is at each
    key when that says.

    Args:
        looks: what the camera looks at by each key, [F + 1, 3].
    """
    keys = spec.keys
    points = np.stack([eye_of(key, ground) for key in keys])
    times = [None if key.time is None else float(key.time.seconds(fps) * fps) for key in keys]
    samples = np.arange(frames + 1, dtype=np.float64)
    if any(time is not None for time in times):
        knots = np.array([time or 0.0 for time in times])
        at = samples
        rests = (spec.ease in {None, "both", "in"}, spec.ease in {None, "both", "out"})
    else:
        turns = _turns([points[i] for i in range(len(keys))], [look[0] for look in looks])
        knots, fine, way = even(points, turns)
        at = np.interp(eased(samples / max(frames - 1, 1), spec.ease), way, fine)
        rests = (False, False)
    eye = hermite(knots, points, at, rests=rests)
    focal = _focal(spec, size_px)
    others = np.column_stack([np.log(focal), [math.radians(key.roll_deg) for key in keys]])
    lens, roll = hermite(knots, others, at, rests=(True, True)).T
    rig = rigs_at(eye, eye + _views(eye, looks, knots, at), 1.0, LEAST_CLEARANCE_M)
    angles = rig[:, [AZIMUTH, ELEVATION]]
    if np.abs(np.diff(angles, axis=0)).max(initial=0.0) * float(fps) > PAN_RATE:
        rig = turned(rig, steady(angles, float(fps), PAN_S, PAN_RATE) - angles)
    rig[:, ROLL] = roll
    poses, _ = poses_of(rig, _ABYSS, size_px)
    return Way(poses, np.exp(lens))


_ABYSS = HeightMap.level(-1e6)
"""No ground that a camera could be lifted from."""


def _focal(spec: CameraSpec, size_px: Size) -> list[float]:
    """Focal lengths by key: that of the key before where none is written."""
    focal, found = float(intrinsics_from_lens(LENS_MM, size_px)[0, 0]), list[float]()
    for key in spec.keys:
        focal = written_focal_px(key, size_px) or focal
        found.append(focal)
    return found


def _turns(points: Sequence[F64], looks: Sequence[F64]) -> F64:
    """Angles between the views of keys, [N - 1], radians."""
    views = [(look - point) / max(float(np.linalg.norm(look - point)), 1e-9)
             for point, look in zip(points, looks, strict=True)]  # fmt: skip
    dots = [float(a @ b) for a, b in pairwise(views)]
    return np.asarray(np.arccos(np.clip(dots, -1, 1)))


def _views(eye: F64, looks: Sequence[F64], knots: F64, at: F64) -> F64:
    """Unit vectors [F + 1, 3]: from what one key looks at to what the next does, the short way round."""
    piece = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(knots) - 2)
    share = smoothstep(np.clip((at - knots[piece]) / np.diff(knots)[piece], 0, 1))
    frames = np.arange(len(eye))
    every = np.stack(looks)
    one, other = (_unit(every[piece + step, frames] - eye) for step in (0, 1))
    angle = np.arccos(np.clip((one * other).sum(axis=1), -1, 1))
    same = angle < 1e-6
    sine = np.where(same, 1.0, np.sin(angle))
    opposite = angle > math.pi - 1e-6
    if opposite.any():  # any way is as short; the level one is taken
        aside = np.stack([one[:, 2], 0 * one[:, 0], -one[:, 0]], axis=1)
        aside[:, 0] += np.where(np.linalg.norm(aside, axis=1) < 1e-6, 1.0, 0.0)
        turn = np.outer(np.cos(share * math.pi), [1, 1, 1]) * one
        turn += np.outer(np.sin(share * math.pi), [1, 1, 1]) * _unit(aside)
    weights = np.where(same, 1 - share, np.sin((1 - share) * angle) / sine)
    rest = np.where(same, share, np.sin(share * angle) / sine)
    mixed = weights[:, None] * one + rest[:, None] * other
    return _unit(np.where(opposite[:, None], turn, mixed) if opposite.any() else mixed)


def _unit(vectors: F64) -> F64:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def way_of_file(path: CameraPath, spec: CameraSpec, frames: int, stage: Stage, size_px: Size) -> Way:
    """The path of a file, placed on the stage, over so many frames.

    A path with a time of its own keeps its rhythm, stretched to the shot; photographs (COLMAP) are gone
    through at an even speed.
    """
    poses = on_stage(path, spec, stage)
    count = len(poses)
    focal = _focal_of_file(path, size_px)
    if count == 1:
        return Way(np.repeat(poses, frames + 1, axis=0), np.repeat(focal, frames + 1))
    samples = np.arange(frames + 1) / max(frames - 1, 1)
    points, quats = poses[:, :3, 3], quats_of(poses[:, :3, :3])
    if path.timed:
        knots = np.arange(count, dtype=np.float64)
        at = np.minimum(samples, 1.0) * (count - 1)
    else:
        angles = 2 * np.arccos(np.clip(np.abs((quats[1:] * quats[:-1]).sum(axis=1)), 0, 1))
        knots, fine, way = even(points, angles)
        at = np.interp(eased(samples, spec.ease), way, fine)
    found = np.tile(np.eye(4), (frames + 1, 1, 1))
    found[:, :3, 3] = hermite(knots, points, at)
    found[:, :3, :3] = turns_of(hermite(knots, quats, at))
    return Way(found, np.exp(hermite(knots, np.log(focal)[:, None], at)[:, 0]))


def on_stage(path: CameraPath, spec: CameraSpec, stage: Stage) -> F64:
    """The poses [N, 4, 4] of a file on the stage."""
    if spec.coordinates == "stage":
        return path.poses
    placed = stage.stage_from_file
    scale = float(np.cbrt(np.linalg.det(placed[:3, :3])))
    poses = placed @ path.poses
    poses[:, :3, :3] /= scale
    return np.asarray(poses)


def _focal_of_file(path: CameraPath, size_px: Size) -> F64:
    if path.fov_deg is None:
        return np.full(len(path.poses), float(intrinsics_from_lens(LENS_MM, size_px)[0, 0]))
    if path.across:
        return np.asarray(0.5 * size_px[0] / np.tan(np.radians(path.fov_deg) / 2))
    return np.array([float(intrinsics_from_fov_y(float(fov), size_px)[1, 1]) for fov in path.fov_deg])


def unseeing(name: str, way: Way, spec: CameraSpec, stage: Stage, size_px: Size) -> Trouble | None:
    """W222 where (nearly) no frame of a path sees the scene's box."""
    seen = sees(way.poses[:-1], way.focal_px[:-1], stage.bounds_m, size_px)
    count, frames = int(seen.sum()), len(seen)
    if count >= SEEN * frames:
        return None
    text = f"{count} of {frames} frames of the camera path {name} see the scene."
    back = way.poses[:-1] @ np.diag([1.0, -1.0, -1.0, 1.0])
    other = int(sees(back, way.focal_px[:-1], stage.bounds_m, size_px).sum())
    if other > frames / 2:
        hint = f"Seen the other way round, {other} frames would: the file's axes may be those of OpenGL."
    else:
        instead = "stage" if spec.coordinates == "scene" else "scene"
        hint = f"Check in which coordinates the file counts (coordinates: {instead}?), and the scene's scale."
    return Trouble("W222", text, hint)


def sees(poses: F64, focal_px: F64, bounds_m: F64, size_px: Size) -> NDArray[np.bool_]:
    """Whether cameras [F, 4, 4] have any part of a box [2, 3] in the picture, [F]."""
    low, high = bounds_m
    axes = [np.linspace(a, b, _GRID) for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    away = points[None] - poses[:, None, :3, 3]
    local = np.einsum("fpi,fij->fpj", away, poses[:, :3, :3])
    depth = np.maximum(local[..., 2], 1e-9)
    x, y = (np.abs(local[..., axis]) / depth * focal_px[:, None] for axis in (0, 1))
    shown = (local[..., 2] > 0) & (x < size_px[0] / 2) & (y < size_px[1] / 2)
    inside = ((poses[:, :3, 3] >= low) & (poses[:, :3, 3] <= high)).all(axis=1)
    return np.asarray(shown.any(axis=1) | inside)
