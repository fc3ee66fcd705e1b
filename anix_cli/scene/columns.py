"""Level surface, sorted into the columns above the cells of a scene's plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

from .surface import facing

F64 = NDArray[np.float64]

_COS_TILT = float(np.cos(np.radians(35)))
_ROUND_COUNTS = 0.2
_LARGEST = 1 / 80
"""Of the scene's width: a footprint larger than this says no more about the ground."""
_TOP_SIGMAS = 0.5


@dataclass(frozen=True)
class Level:
    """Near-level Gaussians: xz [n, 2], height [n] of their upper side, weight [n] (opacity² × area)."""

    xz: F64
    height: F64
    weight: F64


def level_surface(gaussians: Gaussians, extent: float) -> Level:
    """The Gaussians that face up or down; round ones, which face nowhere, count for little.

    Args:
        extent: the scene's width.
    """
    normals, flat = facing(gaussians)
    sigmas = np.sort(gaussians.scales.astype(np.float64), axis=1) / (_LARGEST * extent)
    # Opacity counts twice: what is half transparent is rarely a surface.
    weight = gaussians.opacities.astype(np.float64) ** 2 * np.where(flat, 1.0, _ROUND_COUNTS)
    weight = weight * np.minimum(sigmas[:, 1:], 1).prod(axis=1)
    keep = np.flatnonzero(((np.abs(normals[:, 1]) > _COS_TILT) | ~flat) & (sigmas[:, 0] < 1))
    means = gaussians.means[keep].astype(np.float64)
    top = means[:, 1] + _TOP_SIGMAS * _LARGEST * extent * sigmas[keep, 0]
    return Level(means[:, [0, 2]], top, weight[keep] + 1e-30)


@dataclass(frozen=True)
class Plan:
    """Square cells over the xz plane; row = z, column = x.

    Attributes:
        low: (x, z) of the outer corner of cell 0.
    """

    low: F64
    cell: float
    rows: int
    columns: int

    @staticmethod
    def squares(bounds_m: F64, cell: float) -> Plan:
        """Cells over a box [2, 3]."""
        columns, rows = (max(1, int(np.ceil((bounds_m[1, i] - bounds_m[0, i]) / cell))) for i in (0, 2))
        return Plan(bounds_m[0, [0, 2]], cell, rows, columns)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    @property
    def count(self) -> int:
        return self.rows * self.columns

    @property
    def centre(self) -> tuple[float, float]:
        """(x, z) of the centre of cell 0."""
        x, z = self.low + self.cell / 2
        return float(x), float(z)

    def cell_of(self, xz: F64) -> NDArray[np.intp]:
        """[n] numbers of the cells of points [n, 2]; what is outside counts to the border."""
        index = np.clip((xz - self.low) / self.cell, 0, (self.columns - 1, self.rows - 1)).astype(np.intp)
        return np.asarray(index[:, 1] * self.columns + index[:, 0])

    def centres(self) -> F64:
        """[count, 2] (x, z) of the cells' centres."""
        z, x = np.indices(self.shape)
        return np.asarray(self.low + (np.stack([x.ravel(), z.ravel()], axis=1) + 0.5) * self.cell)


@dataclass(frozen=True)
class Columns:
    """A surface sorted by cell and then by height, so that a cell's quantile in a band is three look-ups."""

    key: F64
    height: F64
    total: F64
    bottom: float
    span: float

    @staticmethod
    def build(cell: NDArray[np.intp], surface: Level) -> Columns:
        bottom = float(surface.height.min())
        span = 3.0 * float(np.ptp(surface.height)) or 1.0
        key = cell * span + (surface.height - bottom)
        order = np.argsort(key, kind="stable")
        total = np.concatenate([[0.0], np.cumsum(surface.weight[order])])
        return Columns(key[order], surface.height[order], total, bottom, span)

    def heights(self, around: F64, step: float, quantile: float) -> F64:
        """[cells] quantile of each cell's surface within ``around ± step``; NaN where nothing is there."""
        reach = self.span / 3
        base = np.arange(len(around)) * self.span
        middle = np.nan_to_num(around, nan=self.bottom) - self.bottom
        first = np.searchsorted(self.key, base + np.clip(middle - step, -reach, reach))
        last = np.searchsorted(self.key, base + np.clip(middle + step, -reach, reach), side="right")
        weight = self.total[last] - self.total[first]
        enough = np.isfinite(around) & (weight > 0) & (last > first)
        at = np.searchsorted(self.total, self.total[first] + quantile * weight, side="left") - 1
        at = np.clip(at, first, np.maximum(last - 1, first)).clip(0, len(self.height) - 1)
        return np.where(enough, self.height[at], np.nan)
