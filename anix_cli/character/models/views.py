"""Pictures of a model from all sides: parallel projection, even light, sharp edges, alpha."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .figure import Figure, skinned, stand
from .materials import srgb
from .model import F32, F64, Piece, Pose
from .pose import bone_matrices
from .read import read_model
from .wear import SHEEN, Wardrobe

ANGLES_DEG = {"front": 0.0, "left": 90.0, "right": 270.0, "back": 180.0}
"""Where the camera of each view stands, from straight ahead of the character to its own left."""

_FILLED = 0.92
_FINER = 3
_WRAPS = {"repeat": 0, "clamp": 1, "mirror": 2}
_ALPHAS = {"OPAQUE": 0, "MASK": 1, "BLEND": 2}
_GAMMA = 2.2


def views_of(file: Path, *, size_px: int = 1024, height_m: float = 1.7) -> dict[str, NDArray[np.uint8]]:
    """The four views of a model in its neutral pose, [size, size, 4] uint8 sRGB with straight alpha.

    All share one scale and one line of the feet; the left view shows the character's own left side.

    Raises:
        AnixError: E351 … E356, see :func:`anix_cli.character.models.read.read_model`.
    """
    figure = stand(read_model(file), height_m)
    return dict(zip(ANGLES_DEG, pictures(figure, list(ANGLES_DEG.values()), size_px=size_px), strict=True))


def turntable(figure: Figure, count: int, *, size_px: int) -> dict[str, NDArray[np.uint8]]:
    """``count`` views all round, by the degrees that the camera stands to the character's left: 000, 045 …"""
    angles = [360.0 * index / count for index in range(count)]
    found = pictures(figure, angles, size_px=size_px)
    return {f"{round(angle):03d}": picture for angle, picture in zip(angles, found, strict=True)}


def pictures(
    figure: Figure, angles_deg: Sequence[float], *, size_px: int, pose: Pose | None = None
) -> list[NDArray[np.uint8]]:
    """Pictures of a posed figure from around it, all in one frame that holds it from every side."""
    importlib.import_module(".raster", __package__)  # compiled here: threads must not do that at a time

    pose = pose or figure.neutral
    bones = bone_matrices(figure.model, pose, figure.stage_from_model)
    worn = [_Worn(piece, figure, bones, pose) for piece in figure.pieces]
    # What blends comes last, over all that is solid.
    worn.sort(key=lambda each: each.alpha == _ALPHAS["BLEND"])
    wardrobe = Wardrobe(figure.model)
    points = np.concatenate([each.points for each in worn])
    round_m = 2 * float(np.hypot(points[:, 0], points[:, 2]).max())
    low, high = float(points[:, 1].min()), float(points[:, 1].max())
    scale = _FILLED * size_px / max(high - low, round_m)
    foot = size_px / 2 + 0.5 * (high - low) * scale  # row of the lowest point
    for each in worn:  # unpacked once, before several pictures are drawn at a time
        if each.textured and each.look.picture is not None:
            wardrobe.light(each.look.picture)

    def picture(angle: float) -> NDArray[np.uint8]:
        return _picture(
            worn, wardrobe, float(np.radians(angle)), size_px=size_px, scale=scale, foot_px=foot + low * scale
        )

    with ThreadPoolExecutor(min(len(angles_deg), os.cpu_count() or 1)) as pool:
        return list(pool.map(picture, angles_deg))


class _Worn:
    """A posed piece with all that does not depend on where it is seen from."""

    def __init__(self, piece: Piece, figure: Figure, bones: F64, pose: Pose) -> None:
        look = figure.model.materials[piece.material]
        self.look = look
        self.points = skinned(piece, bones, pose)
        self.triangles = np.ascontiguousarray(piece.triangles)
        count = len(piece.points)
        rgba = np.tile(np.array(look.rgba, np.float32), (count, 1))
        self.rgba = rgba if piece.colours is None else rgba * piece.colours
        self.textured = look.picture is not None and piece.uv is not None
        uv = np.zeros((count, 2), np.float32)
        if self.textured and piece.uv is not None:
            uv = (piece.uv.astype(np.float64) @ look.uv_from_uv[:, :2].T + look.uv_from_uv[:, 2]).astype(
                np.float32
            )
        self.uv = np.ascontiguousarray(uv)
        self.alpha = _ALPHAS[look.alpha]
        self.light = _light(self.points, self.triangles)


def _light(points: F32, triangles: NDArray[np.int32]) -> F32:
    """[V] even light from above and below, by smooth normals."""
    a, b, c = (points[triangles[:, corner]].astype(np.float64) for corner in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros((len(points), 3))
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], faces)
    up = normals[:, 1] / np.maximum(np.linalg.norm(normals, axis=1), 1e-30)
    return np.asarray((0.86 + 0.14 * up) ** _GAMMA, dtype=np.float32)


def _picture(
    worn: Sequence[_Worn],
    wardrobe: Wardrobe,
    angle: float,
    *,
    size_px: int,
    scale: float,
    foot_px: float,
) -> NDArray[np.uint8]:
    """One view from ``angle`` radians to the character's left; ``foot_px``: row of height 0."""
    from .raster import draw

    side = size_px * _FINER
    depth = np.full((side, side), -np.inf, np.float32)
    colour = np.zeros((side, side, 3), np.float32)
    blends = any(each.alpha == _ALPHAS["BLEND"] for each in worn)
    veil = np.zeros((side, side, 4) if blends else (1, 1, 4), np.float32)
    plain = np.ones((1, 1, 4), np.float32)
    fine = scale * _FINER
    right, towards = (np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))
    for each in worn:
        p = each.points.astype(np.float64)
        spots = np.stack(
            [
                side / 2 + fine * (p[:, 0] * right[0] + p[:, 2] * right[1]),
                foot_px * _FINER - fine * p[:, 1],
                p[:, 0] * towards[0] + p[:, 2] * towards[1],
            ],
            axis=1,
        )
        look = each.look
        sheen = 0.0 if look.unlit else SHEEN * (1 - look.metallic)
        pixels = wardrobe.light(look.picture) if each.textured and look.picture is not None else plain
        draw(
            np.ascontiguousarray(spots), each.triangles, each.uv, np.ascontiguousarray(each.rgba), each.light,
            pixels, np.array([look.cutoff, sheen, *look.glow]), each.alpha,
            _WRAPS[look.wrap[0]], _WRAPS[look.wrap[1]], each.textured, depth, colour, veil,
            np.empty(4),
        )  # fmt: skip
    solid = (depth > -np.inf).astype(np.float32)
    if blends:
        colour = colour * (1 - veil[..., 3:]) + veil[..., :3]
        solid = solid * (1 - veil[..., 3]) + veil[..., 3]
    return _smaller(colour, solid)


def _smaller(colour: F32, alpha: F32) -> NDArray[np.uint8]:
    """Averages linear colours, premultiplied, over blocks of pixels."""
    parts = [(slice(row, None, _FINER), slice(column, None, _FINER)) for row in range(_FINER) for column in
             range(_FINER)]  # fmt: skip
    light: F32 = np.asarray(np.mean([colour[part] for part in parts], axis=0), dtype=np.float32)
    cover: F32 = np.asarray(np.mean([alpha[part] for part in parts], axis=0), dtype=np.float32)
    rgb = srgb(np.asarray(light / np.maximum(cover, 1e-6)[..., None], dtype=np.float32))
    rgba = np.concatenate([rgb, cover[..., None]], axis=2)
    rgba[cover < 0.5 / 255] = 0
    return np.asarray(np.floor(rgba * 255 + 0.5), dtype=np.uint8)
