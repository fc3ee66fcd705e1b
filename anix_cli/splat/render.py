"""The one function contract of all rasterisers, and the CPU's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.gaussians import Gaussians

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
T = TypeVar("T")

# Units of work: Gaussians, and pixel rows (whole tiles). Results depend neither on them nor on the threads.
_CHUNK = 8192
_BAND_PX = 64


@dataclass(frozen=True)
class Rendered:
    """A picture.

    Attributes:
        rgb: [H, W, 3] float32 in [0, 1], sRGB as stored in the Gaussians, composited on the background.
        depth: [H, W] float32, expected distance along the camera's z, +inf where alpha < 1/255.
        alpha: [H, W] float32 in [0, 1].
    """

    rgb: F32
    depth: F32
    alpha: F32


def render(
    parts: Sequence[Gaussians] | Gaussians,
    world_from_camera: ArrayLike,
    intrinsics: ArrayLike,
    size_px: tuple[int, int],
    *,
    near: float,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    eps2d: float = 0.3,
    threads: int | None = None,
) -> Rendered:
    """Draws Gaussians on the CPU.

    Rules, those of gsplat 1.5.3 and so of Kerbl et al. 2023:

    - Dropped: camera z < ``near`` (or ≤ 0), and opacity < 1/255.
    - Σ′ = J·W·Σ·Wᵀ·Jᵀ + ``eps2d``·I. In J alone x/z is limited to [−c_x/f_x − m, (w − c_x)/f_x + m] with
      m = 0.3 · w / (2·f_x), and y/z likewise: for a centred principal point that is ±1.3·tan(fov/2).
    - ``antialiased`` parts: opacity · √(det(Σ′ − eps2d·I) / det Σ′).
    - colour = max(0, 0.5 + Σ_k Y_k(d)·sh_k) with d the unit vector from the camera's centre to the mean.
    - Order: camera z rounded to float32; ties by index in the concatenated parts.
    - At pixel centres (+0.5): alpha = min(0.999, opacity·exp(−½ dᵀ Σ′⁻¹ d)), skipped below 1/255; a pixel is
      finished before the Gaussian that would bring its transmittance to ≤ 1e-4.
    - rgb = Σ c·alpha·T + T·background, clamped to [0, 1] at the end; depth = Σ z·alpha·T / alpha_total.

    Args:
        parts: sets that are drawn together as if concatenated, without copying them.
        world_from_camera: [4, 4] rigid, OpenCV axes.
        intrinsics: [3, 3] pinhole, pixels, no skew.
        size_px: (width, height).
        near: in units of the means; a small fraction of the scene's extent.
        eps2d: variance in px² added on the picture.
        threads: most threads to use, None for all cores. The same bytes come out whatever it is.

    Raises:
        ValueError: a size below 1, or a camera with numbers that are not finite.
    """
    from .blend import blend_band
    from .order import by_depth
    from .project import RECORD_BYTES, project

    sets = (parts,) if isinstance(parts, Gaussians) else tuple(parts)
    width, height = int(size_px[0]), int(size_px[1])
    if width < 1 or height < 1:
        raise ValueError(f"a picture of {width} x {height} pixels")
    camera = _camera_vector(world_from_camera, intrinsics, (width, height), near, eps2d)
    total = sum(len(part) for part in sets)
    records = _cache_lines(total, RECORD_BYTES)
    shape, paint = records.view(np.float64), records.view(np.float32)
    box = np.empty((total, 4), np.int32)

    def project_chunk(job: tuple[tuple[Any, ...], int, int, int]) -> tuple[int, int]:
        arrays, start, stop, at = job
        return at, at + project(*arrays, start, stop, camera, width, height, shape, paint, box, at)

    spans = np.array(_in_threads(project_chunk, _chunks(sets), threads), np.int64).reshape(-1, 2)
    order = by_depth(paint, spans, int((spans[:, 1] - spans[:, 0]).sum()))

    picture = Rendered(
        np.empty((height, width, 3), np.float32),
        np.empty((height, width), np.float32),
        np.empty((height, width), np.float32),
    )
    colour = np.array(background, np.float32)

    ordered_box = box[order]

    def draw(top: int) -> None:
        bottom = min(top + _BAND_PX, height)
        blend_band(
            order, shape, paint, ordered_box, top, bottom, colour, picture.rgb, picture.depth, picture.alpha
        )  # fmt: skip

    _in_threads(draw, range(0, height, _BAND_PX), threads)
    return picture


def _camera_vector(
    world_from_camera: ArrayLike, intrinsics: ArrayLike, size_px: tuple[int, int], near: float, eps2d: float
) -> F64:
    """The camera in the layout of ``project.CAMERA``: [25] float64."""
    pose, k = np.asarray(world_from_camera, np.float64), np.asarray(intrinsics, np.float64)
    rotation, centre = pose[:3, :3].T, pose[:3, 3]
    focal, point, size = np.array([k[0, 0], k[1, 1]]), np.array([k[0, 2], k[1, 2]]), np.array(size_px)
    margin = 0.3 * 0.5 * size / focal
    low, high = -point / focal - margin, (size - point) / focal + margin
    values = np.concatenate([
        rotation.ravel(), -rotation @ centre, centre, focal, point, [near, eps2d],
        [low[0], high[0], low[1], high[1]],
    ])  # fmt: skip
    if not np.isfinite(values).all():
        raise ValueError("the camera's pose, intrinsics, near plane or dilation is not finite")
    return values


def _chunks(sets: Iterable[Gaussians]) -> list[tuple[tuple[Any, ...], int, int, int]]:
    """Work for ``project``: (arrays of a part, first row, end row, row in the concatenation)."""
    jobs, offset = [], 0
    for part in sets:
        columns = (part.means, part.quats, part.scales, part.opacities, part.sh)
        arrays = (*(np.ascontiguousarray(column, np.float32) for column in columns), bool(part.antialiased))
        for start in range(0, len(part), _CHUNK):
            jobs.append((arrays, start, min(start + _CHUNK, len(part)), offset + start))
        offset += len(part)
    return jobs


def _cache_lines(count: int, size: int) -> NDArray[np.uint8]:
    """[count, size] uninitialised bytes whose rows start at multiples of ``size``."""
    buffer = np.empty((count + 1) * size, np.uint8)
    start = -buffer.ctypes.data % size
    return buffer[start : start + count * size].reshape(count, size)


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def _in_threads(work: Callable[[Any], T], jobs: Sequence[Any], threads: int | None) -> list[T]:
    """Results of ``work`` for each job, in order. The kernels release the GIL, so plain threads do."""
    count = min(threads or _cores(), len(jobs))
    if count <= 1:
        return [work(job) for job in jobs]
    key = (os.getpid(), count)  # a forked child inherits the pool but not its threads
    pool = _pools.get(key)
    if pool is None:
        pool = _pools[key] = ThreadPoolExecutor(count, thread_name_prefix="anix-splat")
    return list(pool.map(work, jobs))
