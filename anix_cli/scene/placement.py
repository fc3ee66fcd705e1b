"""From the file's axes and unit to the stage: +Y up, metres."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import fail
from anix_cli.core.gaussians import Gaussians

from .harmonics import sh_rotation
from .info import SplatFile

F64 = NDArray[np.float64]
Crop = tuple[tuple[float, float] | None, ...]

_LEAST_M, _MOST_M, _FURTHEST_M = 1e-12, 1e15, 1e18
"""Squares of what is smaller or larger are beyond float32, in which splats are drawn."""
_STEPS, _COARSER = 1_000, 4.0
"""So many places are to be told apart across a scene, unless the file itself is nearly as coarse."""

_ROTATIONS = {
    "+y": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "-y": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),  # half a turn about X
    "+z": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),  # −90° about X
    "-z": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),  # +90° about X
    "+x": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),  # +90° about Z
    "-x": ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),  # −90° about Z
}
"""stage_from_file rotations that bring each axis of the file to +Y; all proper, the shortest turn of each."""


def similarity(up: str, scale: float, origin: Sequence[float] | None = None) -> F64:
    """stage_from_file [4, 4] float64: ``stage = scale · R · (file − origin)``.

    Args:
        up: the file's axis that points up: "+x", "-x", "+y", … ("y" is "+y").
        scale: metres per unit of the file.
        origin: the point of the file that becomes the stage's origin; (0, 0, 0) where None.

    Raises:
        AnixError: E313, ``up`` is no axis, or ``scale`` or ``origin`` is not a usable number.
    """
    axis = up if up[:1] in {"+", "-"} else f"+{up}"
    if axis.lower() not in _ROTATIONS:
        raise fail("E313", f"up: {up} is no axis; expected auto, +x, -x, +y, -y, +z or -z")
    point = np.zeros(3) if origin is None else np.asarray(origin, dtype=np.float64)
    if not (math.isfinite(scale) and scale > 0):
        raise fail("E313", f"scale: {scale} is no size; expected metres per unit of the file, more than 0")
    if point.shape != (3,) or not np.isfinite(point).all():
        raise fail("E313", "origin: expected three numbers, the x, y and z of a point of the file")
    matrix = np.eye(4)
    matrix[:3, :3] = scale * np.array(_ROTATIONS[axis.lower()], dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        matrix[:3, 3] = -matrix[:3, :3] @ point
    return matrix + 0.0


def transform(gaussians: Gaussians, similarity: F64) -> Gaussians:
    """Gaussians moved, turned and scaled as one; their colours turn with them.

    Args:
        similarity: [4, 4] float64, target frame from the frame of ``gaussians``: rotation times a factor,
            then a shift. A mirror is refused. Where the scene lands is not: see ``check_place``.
    """
    if np.array_equal(similarity, np.eye(4)):
        return gaussians
    linear = np.asarray(similarity, dtype=np.float64)[:3, :3]
    size = math.hypot(*linear[:, 0])
    determinant = float(np.linalg.det(linear / size)) if size > 0 else 0.0
    if not determinant > 0:
        raise ValueError("a similarity must not mirror: its determinant is not positive")
    factor = size * determinant ** (1 / 3)
    rotation = linear / factor
    if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6):
        raise ValueError("not a similarity: its axes are skewed or scaled differently")
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        means = (gaussians.means.astype(np.float64) @ linear.T + similarity[:3, 3]).astype(np.float32)
        scales = gaussians.scales if factor == 1 else (gaussians.scales * factor).astype(np.float32)
    quats, sh = gaussians.quats, gaussians.sh
    if not np.array_equal(rotation, np.eye(3)):
        quats = (gaussians.quats @ _left_product(_quat_from_matrix(rotation)).T).astype(np.float32)
        sh = _turn_sh(gaussians.sh, rotation)
    return Gaussians(means, quats, scales, gaussians.opacities, sh, gaussians.antialiased)


def _turn_sh(sh: NDArray[np.float32], rotation: F64) -> NDArray[np.float32]:
    """All coefficients at once: one product with D ⊗ 1₃ over the flattened [N, K·3] rows."""
    width = sh.shape[1]
    if width == 1:
        return sh
    turn = np.kron(sh_rotation(rotation, width), np.eye(3)).T.astype(np.float32)
    return np.asarray((sh.reshape(len(sh), -1) @ turn).reshape(sh.shape))


def _quat_from_matrix(rotation: F64) -> F64:
    """wxyz of a rotation [3, 3], by the largest component (Shepperd 1978)."""
    r, trace = rotation, float(np.trace(rotation))
    squares = np.array([trace, r[0, 0], r[1, 1], r[2, 2]])
    i = int(np.argmax(squares))
    if i == 0:
        quat = np.array([1 + trace, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    else:
        a, b, c = i - 1, i % 3, (i + 1) % 3
        quat = np.empty(4)
        quat[0] = r[c, b] - r[b, c]
        quat[1 + a] = 1 + r[a, a] - r[b, b] - r[c, c]
        quat[1 + b] = r[b, a] + r[a, b]
        quat[1 + c] = r[c, a] + r[a, c]
    return np.asarray(quat / np.linalg.norm(quat))


def _left_product(quat: F64) -> F64:
    """[4, 4] matrix of ``p ↦ quat · p`` for quaternions wxyz."""
    w, x, y, z = quat
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def place(splats: SplatFile, stage_from_file: F64) -> Gaussians:
    """The Gaussians of a file on the stage; what was taken off far-away means is put back in float64.

    Args:
        stage_from_file: [4, 4] similarity, as ``Stage.stage_from_file``.
    """
    return put(splats.gaussians, stage_from_file, splats.offset)


def put(gaussians: Gaussians, stage_from_file: F64, offset: tuple[float, float, float]) -> Gaussians:
    """The same of Gaussians off whose means ``offset`` was taken."""
    shifted = np.array(stage_from_file, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        shifted[:3, 3] += shifted[:3, :3] @ np.array(offset)
    return transform(gaussians, shifted)


def check_place(
    splats: SplatFile, stage_from_file: F64, *, scale: float, origin: Sequence[float] | None
) -> None:
    """Refuses a stage on which the scene's float32 positions would no longer be what they are in the file.

    Args:
        stage_from_file: [4, 4] similarity.
        scale: metres per unit of the file, as it was written.
        origin: as it was written, None where it was not.

    Raises:
        AnixError: E313, about ``scale:`` or ``origin:``.
    """
    means = splats.gaussians.means
    low, high = np.percentile(means, (1, 99), axis=0).astype(np.float64)
    factor = math.hypot(*stage_from_file[:3, 0])
    middle = (low + high) / 2 + splats.offset
    with np.errstate(over="ignore", invalid="ignore"):
        size = factor * max(float((high - low).max()), float(np.median(splats.gaussians.scales)))
        reach = factor * float(max(np.abs(means).max(), splats.gaussians.scales.max()))
        away = float(np.abs(stage_from_file[:3, :3] @ middle + stage_from_file[:3, 3]).max())
        step = _step(away + size)
        in_file = factor * _step(float(np.abs([low, high]).max()))
    usable = _LEAST_M < size < _MOST_M and reach < _FURTHEST_M
    if not usable or (origin is None and not away < _MOST_M):
        text = f"scale: {scale:g} makes the scene {size:.3g} m wide"
        text += f", and its farthest Gaussian lies {reach:.3g} m off" if usable or size < _MOST_M else ""
        hint = "Write how many metres a unit of the file is: a place is some 10 to 1000 m wide."
        raise fail("E313", text, hint=hint)
    if origin is not None and step > max(size / _STEPS, _COARSER * in_file):
        said = ", ".join(f"{value:g}" for value in origin)
        text = (
            f"origin: [{said}] lies {away:.3g} m from the scene, which is {size:.3g} m wide: that far off "
            "its positions could no longer be told apart"
        )
        raise fail("E313", text, hint="Write a point in the scene or beside it, in the file's coordinates.")


def _step(value: float) -> float:
    """From a number to the next that float32 has; inf where it has none."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.spacing(np.float32(min(value, 3e38)))) if math.isfinite(value) else math.inf


def cropped(gaussians: Gaussians, crop_m: Crop | None) -> Gaussians:
    """The Gaussians whose means lie between the limits (both included), the rest left out.

    Args:
        gaussians: stage frame.
        crop_m: low and high along x, y and z, metres; None is open.
    """
    keep = np.ones(len(gaussians), dtype=bool)
    for axis, limits in enumerate(crop_m or ()):
        if limits is not None:
            means = gaussians.means[:, axis]
            keep &= (means >= limits[0]) & (means <= limits[1])
    return gaussians if keep.all() else gaussians.take(keep)
