"""A collider: the mesh beside the splats that says where the ground and the walls really are.

Its triangles become flat Gaussians, so that all that looks at splats looks at it in the same way.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import fail
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.keys import file_digest, fingerprint

from .bounds import robust_bounds
from .formats.gltf_structure import buffer_files
from .formats.mesh import read_triangles
from .formats.mesh_structure import walk_mesh
from .info import SplatFile
from .placement import similarity

F64 = NDArray[np.float64]

AS_FILE, AS_GLTF, APART = "file", "gltf", "apart"
"""In whose frame a collider lies: the splat file's, glTF's own (+Y up), or in none in which both fit."""

_POINTS = 300_000
_ASKED, _NEAR, _FIT = 2_000, 0.02, 0.25
_WIDE, _THIN = 0.6, 0.02
_LARGEST = 1e15


def collider_digest(path: Path) -> str:
    """SHA-256 of a mesh and of the files that hold its numbers, hexadecimal.

    Raises:
        AnixError: as ``walk_mesh``.
    """
    walk_mesh(path)
    return fingerprint({"collider files": [file_digest(file) for file in (path, *buffer_files(path))]})


def collider_frame(path: Path, splats: SplatFile, up: str) -> str:
    """Which of the frames lays the mesh onto the splats: where most of them have a triangle nearby.

    Args:
        up: the axis of the splat file that points up.

    Raises:
        AnixError: as ``read_collider``.
    """
    from scipy.spatial import cKDTree

    triangles = _sheets(path)
    bounds = robust_bounds(splats.gaussians)
    means = splats.gaussians.means[splats.gaussians.opacities > 0.5]
    means = means[((means >= bounds[0]) & (means <= bounds[1])).all(axis=1)]
    asked = means[:: max(1, len(means) // _ASKED)]
    reach = _NEAR * float((bounds[1] - bounds[0]).max())
    fits = {}
    for frame in (AS_FILE, AS_GLTF):
        solid = solid_of(_laid(triangles, frame, up, splats.info.unit, splats.offset))
        if len(solid) and len(asked):
            away = cKDTree(solid.means).query(asked, distance_upper_bound=reach)[0]
            fits[frame] = float(np.isfinite(away).mean())
    best = max(fits, key=lambda frame: fits[frame], default=APART)
    return best if fits.get(best, 0.0) >= _FIT else APART


def read_collider(
    path: Path, frame: str, up: str, unit: float, offset: tuple[float, float, float]
) -> Gaussians:
    """The collider's surface as flat Gaussians, in the frame and unit of the decoded splats.

    Args:
        frame: ``AS_FILE`` or ``AS_GLTF``.
        unit, offset: of the splats, as ``SplatInfo.unit`` and ``SplatFile.offset``.

    Raises:
        AnixError: as ``read_triangles``; E317, no triangle has an area.
    """
    return solid_of(_laid(_sheets(path), frame, up, unit, offset))


def _sheets(path: Path) -> F64:
    """The triangles [t, 3, 3] of a mesh that have an area, less those that lie beyond all measure."""
    triangles = read_triangles(path)
    usable = triangles[(np.abs(triangles) < _LARGEST).all(axis=(1, 2))]
    usable = usable[np.linalg.norm(_across(usable), axis=1) > 0]
    if not len(usable):
        text = f"{path.name} holds no surface: not one of its triangles has an area"
        hint = "Its corners are one point, lie in a row, or are not numbers: export the mesh again."
        raise fail("E317", text, file=path, hint=hint)
    return np.asarray(usable)


def _across(triangles: F64) -> F64:
    """[t, 3] normals of triangles, twice as long as their areas."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    return np.asarray(np.cross(b - a, c - a))


def _laid(triangles: F64, frame: str, up: str, unit: float, offset: tuple[float, float, float]) -> F64:
    """Triangles [t, 3, 3] in the frame of the decoded splats."""
    turned = triangles @ similarity(up, 1.0)[:3, :3] if frame == AS_GLTF else triangles
    return np.asarray(turned * unit - np.array(offset))


def solid_of(triangles: F64, points: int = _POINTS) -> Gaussians:
    """Flat Gaussians spread over triangles [t, 3, 3] by area; the same ones each time.

    Args:
        points: about how many.
    """
    a, b, c = np.moveaxis(triangles, 1, 0)
    normal = _across(triangles)
    length = np.linalg.norm(normal, axis=1)
    keep = length > 0
    a, b, c, normal, length = (array[keep] for array in (a, b, c, normal, length))
    normal = normal / length[:, None]
    area = length / 2
    spacing = float(np.sqrt(max(float(area.sum()), 1e-300) / points))
    count = np.ceil(area / spacing**2).astype(np.int64)
    of = np.repeat(np.arange(len(area)), count)
    rank = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count)
    # The R2 sequence (Roberts 2018) over a square, folded onto the triangle.
    u, v = (0.5 + rank * 0.7548776662466927) % 1, (0.5 + rank * 0.5698402909980532) % 1
    fold = u + v > 1
    u, v = np.where(fold, 1 - u, u)[:, None], np.where(fold, 1 - v, v)[:, None]
    means = a[of] + u * (b - a)[of] + v * (c - a)[of]
    wide = _WIDE * np.minimum(spacing, np.sqrt(area))[of]
    scales = np.stack([wide, np.full(len(of), _THIN * spacing), wide], axis=1)
    total = len(of)
    return Gaussians(
        means.astype(np.float32),
        _facing(normal)[of].astype(np.float32),
        scales.astype(np.float32),
        np.ones(total, np.float32),
        np.zeros((total, 1, 3), np.float32),
    )


def _facing(normal: F64) -> F64:
    """[t, 4] quaternions wxyz that turn +Y to the normals (or to their opposites, which face alike)."""
    x, y, z = (normal * np.where(normal[:, 1:2] < 0, -1, 1)).T
    quats = np.stack([1 + y, z, 0 * x, -x], axis=1)
    return np.asarray(quats / np.linalg.norm(quats, axis=1, keepdims=True))
