"""How deep a body is behind each point of its front silhouette.

The side silhouette says how deep a row is, not which part of the row is that deep. Round parts are as deep
as they are wide; what the side views show standing out (a bag, a quiver) belongs where the front or the back
view shows its colour, and an arm hangs at the depth at which the side view shows its colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from anix_cli.core.easing import smoothstep

from .shape import Shape, thickness_m

F32 = NDArray[np.float32]

_TRUNK = (0.12, 0.80)
"""Heights, as shares, between which a short protrusion is carried and not a foot, a chin or a cap."""

_SHORT = 0.20
"""What stands out over less than this share of the height is carried."""

_RIDGE = 0.5
"""Cells by which what fills its row reaches beyond the depth that its row has: Gaussians are set in, and a
ridge seen from the side would be drawn short by as much."""

_ALIKE = (0.16, 0.34)
"""Distance of two sRGB colours, 0 … √3, up to which they are one thing, and from which they are not."""


_TELLING = (0.08, 0.16)
"""By how much a colour must fit better elsewhere to move an arm; shading alone differs by less."""


@dataclass(frozen=True)
class Interval:
    """First and last depth, [ny] or [ny, nx] metres."""

    low: F32
    high: F32


@dataclass(frozen=True)
class Depth:
    """What lies behind the front silhouette.

    Attributes:
        half, centre, radius: [ny, nx] half-depth, middle depth and local thickness in metres.
        trunk: [ny, nx] 1 on and close to what fills its row, 0 on arms.
        arm_rgb: by side view, [ny, 3] the colour of the arm in front of the trunk there, NaN without one.
    """

    half: F32
    centre: F32
    radius: F32
    trunk: F32
    arm_rgb: Mapping[str, F32]


def depth_profile(shape: Shape) -> Depth:
    """Depth of the body behind each point of its front silhouette."""
    cell = shape.rows.cell_m
    distance = np.maximum(shape.front, 0)
    radius = thickness_m(shape.front, cell)
    # The middle of a limb falls between cells, so that its radius is found a fraction of a cell short.
    missed = np.float32(0.4 * cell) * (distance > 0)
    deep, full = distance + missed, radius + missed
    round_half = np.sqrt(np.maximum(deep * (2 * full - deep), 0))
    # Of one row, parts that are much thinner than the thickest (arms beside a torso) keep their roundness.
    filling = smoothstep(radius / np.maximum(radius.max(axis=1, keepdims=True), 1e-6), 0.45, 0.72)
    bare, carried, share = _interval_of_columns(shape)
    filling = _blurred_inside(filling, distance > 0, 0.012 * shape.rows.count)
    filling = np.maximum(filling, share * smoothstep(filling, 0.05, 0.3))
    middle, reach = (carried.low + carried.high) / 2, (carried.high - carried.low) / 2
    peak = _component_peaks(round_half * (filling > 0.5))
    stretch = reach / np.maximum(peak, 0.5 * cell)
    half = round_half * (1 + filling * (stretch - 1))
    # A carried thing is a box more than a lens: it is near its full depth soon behind its edge.
    edge = np.clip(1 - distance / (0.02 * cell * shape.rows.count), 0, 1)
    half = np.maximum(half, share * filling * reach * np.sqrt(1 - edge**2))
    # What stands out furthest in its row is a ridge that the side silhouette alone sees and bounds.
    half = np.minimum(half, reach) + np.float32(_RIDGE * cell) * filling * (half > 0)
    torso = ndimage.gaussian_filter1d((bare.low + bare.high) / 2, 0.06 * shape.rows.count, mode="nearest")
    arms = np.broadcast_to(torso[:, None], middle.shape).copy()
    colours = {}
    for side, name in ((1.0, "left"), (-1.0, "right")):
        own = side * shape.across.centres_m() > 0
        weight = radius * ((filling < 0.3) & own)
        front, back = (_row_colours(shape, view, weight) for view in ("front", "back"))
        arms[:, own] = _arm_depth(shape, name, (front, back), weight, torso)[:, None]
        colours[name] = np.asarray((front + back) / 2, dtype=np.float32)
    centre = filling * middle + (1 - filling) * arms
    trunk = ndimage.maximum_filter(filling, (3, 9))
    return Depth(half.astype(np.float32), centre.astype(np.float32), radius, trunk, colours)


def _blurred_inside(values: F32, inside: NDArray[np.bool_], sigma: float) -> F32:
    weight = ndimage.gaussian_filter(inside.astype(np.float32), sigma)
    return np.asarray(ndimage.gaussian_filter(values * inside, sigma) / np.maximum(weight, 1e-6))


def _interval_of_columns(shape: Shape) -> tuple[Interval, Interval, F32]:
    """The depth of each row without what is carried, of each point with it, and where that is (0 … 1)."""
    full = _side_interval(shape)
    count = shape.rows.count
    window = max(3, round(_SHORT * count))
    height = np.linspace(0, 1, count)
    trunk = (height > _TRUNK[0]) & (height < _TRUNK[1])
    # Opening takes off what is short along the body.
    high = np.where(trunk, np.minimum(ndimage.grey_opening(full.high, window), full.high), full.high)
    low = np.where(trunk, np.maximum(ndimage.grey_closing(full.low, window), full.low), full.low)
    least = 1.5 * shape.along.cell_m
    high = np.where(full.high - high > least, high, full.high)
    low = np.where(low - full.low > least, low, full.low)
    z = shape.along.centres_m()[None]
    ahead = _belongs(shape, "front", (z > high[:, None]) & (z < full.high[:, None]) & (shape.side > 0))
    astern = _belongs(shape, "back", (z < low[:, None]) & (z > full.low[:, None]) & (shape.side > 0))
    carried = Interval(
        low[:, None] + astern * (full.low - low)[:, None], high[:, None] + ahead * (full.high - high)[:, None]
    )
    share = np.maximum(
        ahead * ((full.high > high) * _sets_apart(shape, ahead))[:, None],
        astern * ((full.low < low) * _sets_apart(shape, astern))[:, None],
    )
    return Interval(low, high), carried, np.asarray(share, dtype=np.float32)


def _sets_apart(shape: Shape, belongs: F32) -> F32:
    """[ny] 1 where a colour marks a part of the row, 0 where the whole row has it (a hood on its jacket)."""
    inside = shape.front > 0
    common = (belongs * inside).sum(axis=1) / np.maximum(inside.sum(axis=1), 1)
    return 1 - smoothstep(common, 0.35, 0.6)


def _belongs(shape: Shape, name: str, beyond: NDArray[np.bool_]) -> F32:
    """How far each point of a view has the colour of what stands out in its row; 1 where nothing has it.

    Args:
        beyond: [ny, nz] what stands out of the side silhouette.
    """
    rgb = shape.panels[name].cell_rgb()
    weight = beyond.sum(axis=1)
    result = np.zeros((rgb.shape[:2]), dtype=np.float32)
    for side in ("left", "right"):
        sums = (shape.panels[side].cell_rgb() * beyond[..., None]).sum(axis=1)
        mean = sums / np.maximum(weight, 1)[:, None]
        apart = np.linalg.norm(rgb - mean[:, None], axis=2)
        result = np.maximum(result, 1 - smoothstep(apart, *_ALIKE))
    result *= shape.front > 0
    unknown = result.max(axis=1) < 0.5
    result[unknown | (weight == 0)] = 1
    return np.asarray(ndimage.gaussian_filter(result, 1.0), dtype=np.float32)


def _row_colours(shape: Shape, view: str, weight: F32) -> F32:
    """[ny, 3] mean colour of a view in each row, NaN where nothing has weight."""
    total = weight.sum(axis=1)[:, None]
    sums = (shape.panels[view].cell_rgb() * weight[..., None]).sum(axis=1)
    return np.asarray(np.where(total > 0, sums / np.maximum(total, 1e-9), np.nan), dtype=np.float32)


def _arm_depth(shape: Shape, name: str, colours: tuple[F32, F32], weight: F32, torso: F32) -> F32:
    """Depth [ny] of an arm's axis: where its side view shows the colours that front and back show of it.

    Where colours do not tell (a sleeve before a jacket of the same cloth), it is the torso's middle.
    """
    count, cell = shape.rows.count, shape.rows.cell_m
    found = weight.sum(axis=1) > 0
    if not found.any():
        return torso
    side = shape.panels[name].cell_rgb()
    apart = np.minimum(*(np.linalg.norm(side - colour[:, None], axis=2) for colour in colours))
    apart[~found] = 0
    width = float(weight[weight > 0].mean()) / cell
    cost = ndimage.uniform_filter1d(np.minimum(apart, 0.5), max(1, round(1.6 * width)), axis=1)
    z = shape.along.centres_m()[None]
    away = (z - torso[:, None]) / (0.05 * count * cell)
    cost = cost + np.where(shape.side > 0, 0.0, 0.3) + 0.05 * away**2
    seen = found.astype(np.float64)
    smooth = ndimage.gaussian_filter1d(cost * seen[:, None], 0.02 * count, axis=0)
    best = shape.along.centres_m()[smooth.argmin(axis=1)]
    hung = np.clip(np.rint((torso - shape.along.start_m) / cell).astype(int), 0, shape.along.count - 1)
    gain = np.take_along_axis(smooth, hung[:, None], axis=1)[:, 0] - smooth.min(axis=1)
    offset = (best - torso) * seen * smoothstep(gain, *_TELLING)
    sigma = 0.03 * count
    spread = np.maximum(ndimage.gaussian_filter1d(seen, sigma), 1e-3)
    return np.asarray(torso + ndimage.gaussian_filter1d(offset * seen, sigma) / spread, dtype=np.float32)


def _side_interval(shape: Shape) -> Interval:
    """First and last depth of the side silhouette in each row; rows without one take their neighbour's."""
    z = shape.along.centres_m().astype(np.float32)
    inside = shape.side > 0
    filled = inside.any(axis=1)
    first = inside.argmax(axis=1)
    last = inside.shape[1] - 1 - inside[:, ::-1].argmax(axis=1)
    index = ndimage.distance_transform_edt(~filled, return_distances=False, return_indices=True)[0]
    half = np.float32(shape.along.cell_m / 2)
    return Interval((z[first] - half)[index], (z[last] + half)[index])


def _component_peaks(half: F32) -> F32:
    """For each point, the largest half-depth in its connected run of its row."""
    across = np.zeros((3, 3), dtype=bool)
    across[1] = True
    labels, count = ndimage.label(half > 0, structure=across)
    peaks = ndimage.maximum(half, labels, index=np.arange(count + 1)) if count else np.zeros(1)
    peaks = np.asarray(peaks, dtype=np.float32)
    peaks[0] = 0
    runs = peaks[labels]
    # Points of thin parts take the peak of the nearest run, so that blending has no jump.
    index = ndimage.distance_transform_edt(labels == 0, return_distances=False, return_indices=True)
    return np.asarray(runs[tuple(index)], dtype=np.float32)
