"""Point clouds as Gaussians: round, opaque, as large as the way to the next points."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..info import SplatFile, SplatInfo
from .clean import assemble, centred, dropped_note, precision_note
from .codebook import distinct_rows
from .ply_compressed import SH_C0

F32 = NDArray[np.float32]

_NEIGHBOURS = 3
_SIZE = 0.5
"""Standard deviation in distances to the neighbours: on a grid the gaps' middles are still 84 % covered."""
_BYTE, _BRIGHT = 255.0, 2.0
"""Colours up to the second are shares of one, some of them a little too bright."""
_SMALLEST, _LARGEST = 0.1, 8.0
"""Limits of the size, in medians: doubled points keep some size, strays do not become fog."""


def points_as_gaussians(
    path: Path, info: SplatInfo, points: NDArray[np.floating], colours: NDArray[np.generic] | None
) -> SplatFile:
    """Gaussians of a point cloud.

    Args:
        points: [N, 3] float.
        colours: [N, 3], bytes, 16-bit numbers, or floats in 0…1 or 0…255; mid grey where None.

    Raises:
        AnixError: E309, no point is a number.
    """
    means, offset = centred(points)
    usable = np.isfinite(means).all(axis=1)
    radii = np.ones(len(means), np.float32)
    radii[usable] = _radii(means[usable])
    sh = np.zeros((len(means), 1, 3), np.float32)
    if colours is not None:
        sh[:, 0] = (_shares(colours) - 0.5) / SH_C0
    quats = np.zeros((len(means), 4), np.float32)
    quats[:, 0] = 1
    gaussians, dropped = assemble(
        path,
        means=means,
        quats=quats,
        scales=np.repeat(radii[:, None], 3, axis=1),
        opacities=np.ones(len(means), np.float32),
        sh=sh,
        antialiased=False,
    )
    far = () if any(offset) else precision_note(path, gaussians.means)
    notes = (*info.notes, *dropped_note(path, dropped, info.count), *far)
    return SplatFile(gaussians, info, dropped.total, offset, notes)


def _radii(means: F32) -> F32:
    """[N] standard deviations: half the mean distance to the three nearest, kept near the median.

    Points in one place count as one: as neighbours of each other they would come to nothing, and a tree of
    them could not be searched in less than the square of their number.
    """
    from scipy.spatial import cKDTree

    first, which = distinct_rows(means)
    places = means[first]
    if len(places) < 2:
        return np.ones(len(means), np.float32)
    count = min(_NEIGHBOURS + 1, len(places))
    distances, _ = cKDTree(places).query(places, k=count, workers=-1)
    radii = _SIZE * distances[:, 1:].mean(axis=1)
    median = float(np.median(radii[radii > 0])) if (radii > 0).any() else 1.0
    near = np.clip(radii, _SMALLEST * median, _LARGEST * median)
    return np.asarray(near[which], dtype=np.float32)


def _shares(colours: NDArray[np.generic]) -> F32:
    """[N, 3] float32 in 0…1: of what they are a share, their type and their largest tell."""
    values = colours.astype(np.float32)
    with np.errstate(invalid="ignore"):
        largest = float(np.nanmax(values, initial=0.0))
    if colours.dtype.kind in "ui":
        top = 65535.0 if colours.dtype.itemsize == 2 and largest > _BYTE else _BYTE
    else:
        top = _BYTE if largest > _BRIGHT else 1.0
    return np.asarray(np.clip(np.nan_to_num(values / np.float32(top), nan=0.5), 0, 1), dtype=np.float32)
