"""The stage: the metric 3D world of a film, as far as planning needs to know it.

Right-handed, +Y up, metres (glTF's frame); a character at rest faces +Z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import Diagnostic

F64 = NDArray[np.float64]


@dataclass(frozen=True)
class HeightMap:
    """Ground height over a grid on the stage's xz plane.

    Attributes:
        origin_m: (x, z) of the centre of cell [0, 0].
        cell_m: side of a cell.
        heights_m: [nz, nx] float64; row = z, column = x. A single cell is a level plane.
    """

    origin_m: tuple[float, float]
    cell_m: float
    heights_m: F64

    @staticmethod
    def level(height_m: float = 0.0) -> HeightMap:
        return HeightMap((0.0, 0.0), 1.0, np.full((1, 1), float(height_m)))

    def at(self, xz: ArrayLike) -> F64:
        """Ground height [...] under points [..., 2]; bilinear, constant beyond the border."""
        points = np.asarray(xz, dtype=np.float64)
        rows, columns = self.heights_m.shape
        u = np.minimum(np.maximum((points[..., 0] - self.origin_m[0]) / self.cell_m, 0), columns - 1)
        v = np.minimum(np.maximum((points[..., 1] - self.origin_m[1]) / self.cell_m, 0), rows - 1)
        left = np.minimum(u.astype(int), max(columns - 2, 0))
        low = np.minimum(v.astype(int), max(rows - 2, 0))
        fu, fv = u - left, v - low
        heights, cell = self.heights_m.ravel(), low * columns + left
        right, up = min(1, columns - 1), columns * min(1, rows - 1)
        near = heights[cell] * (1 - fu) + heights[cell + right] * fu
        far = heights[cell + up] * (1 - fu) + heights[cell + up + right] * fu
        return np.asarray(near * (1 - fv) + far * fv)


@dataclass(frozen=True)
class Stage:
    """What planning knows of a scene.

    Attributes:
        key: fingerprint of the scene's content and placement (file bytes, up, scale, origin).
        stage_from_file: [4, 4] float64 similarity that places the file's coordinates on the stage.
        bounds_m: [2, 3] float64, robust lower and upper corner of what is visible.
        ground: height under every (x, z).
        notes: what was assumed, as warnings.
    """

    key: str
    stage_from_file: F64
    bounds_m: F64
    ground: HeightMap
    notes: tuple[Diagnostic, ...] = ()
