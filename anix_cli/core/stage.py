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
        rows, columns = self.heights_m.shape
        at = (np.asarray(xz, dtype=np.float64) - self.origin_m) / self.cell_m
        at = np.minimum(np.maximum(at, 0.0), (columns - 1, rows - 1))
        low = np.minimum(at.astype(np.int64), (max(columns - 2, 0), max(rows - 2, 0)))
        part = at - low
        heights, cell = self.heights_m.ravel(), low[..., 1] * columns + low[..., 0]
        right, up = min(1, columns - 1), columns * min(1, rows - 1)
        u, v = part[..., 0], part[..., 1]
        near, far = heights.take(cell), heights.take(cell + up)
        near = near + (heights.take(cell + right) - near) * u
        far = far + (heights.take(cell + up + right) - far) * u
        return np.asarray(near + (far - near) * v)


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
