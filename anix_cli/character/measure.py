"""How big a character is, where it stands in its views, and what identifies it. No scipy, no numba."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anix_cli.core.gait import Steps
from anix_cli.core.keys import fingerprint
from anix_cli.core.screenplay import VIEW_NAMES

from .views import OPAQUE, Rgba

_SIGN = {"front": 1.0, "back": -1.0, "left": -1.0, "right": 1.0}
"""Direction of a picture's columns: front +x, back −x (her own left is +x); right +z, left −z."""

_FOOT_ROWS = 0.05
"""The lowest part of the silhouette that is taken for the feet."""

VIEW_LINE = 0.03
"""Foot and head lines of views that differ by less than this share of the height are one line."""


@dataclass(frozen=True)
class Extent:
    """Size of a character at rest, of a box that stands symmetrically about its root, in metres.

    Attributes:
        steps: how long its own steps are; None: those of a person.
    """

    width_m: float
    depth_m: float
    height_m: float
    steps: Steps | None = None


@dataclass(frozen=True)
class ViewFrame:
    """Where a view lies in the character's frame, seen in parallel projection.

    A pixel (u, v), centres at +0.5, shows the height ``(foot_px − v)·metres_per_px`` and, across,
    ``sign·(u − axis_px)·metres_per_px``: x of the front and the back view, z of the sides.

    Attributes:
        box_px: u0, v0, u1, v1 of the silhouette.
    """

    name: str
    metres_per_px: float
    axis_px: float
    foot_px: float
    sign: float
    box_px: tuple[int, int, int, int]

    def across_m(self) -> tuple[float, float]:
        """The silhouette's reach to both sides of the axis, in the character's frame."""
        ends = [self.sign * (u - self.axis_px) * self.metres_per_px for u in self.box_px[::2]]
        return min(ends), max(ends)


def view_frames(views: Mapping[str, Rgba], height_m: float) -> dict[str, ViewFrame]:
    """The frame of each view: feet at height 0, the middle of the feet at 0 across.

    Views of one size whose feet and heads are on nearly the same lines share one scale; any other view
    is scaled so that its own silhouette is ``height_m`` high.
    """
    masks = {name: views[name][..., 3] >= OPAQUE for name in VIEW_NAMES if name in views}
    boxes = {name: silhouette_box(mask) for name, mask in masks.items()}
    shared = _share_lines(masks, boxes)
    frames = {}
    for name, mask in masks.items():
        u0, v0, u1, v1 = boxes[name]
        top, foot = shared if shared else (v0, v1)
        feet = np.flatnonzero(mask[v1 - max(2, round(_FOOT_ROWS * (v1 - v0))) : v1].any(axis=0))
        axis_px = (feet[0] + feet[-1] + 1) / 2
        scale = height_m / (foot - top)
        frames[name] = ViewFrame(name, scale, float(axis_px), float(foot), _SIGN[name], (u0, v0, u1, v1))
    return frames


def measure(views: Mapping[str, Rgba], height_m: float) -> Extent:
    """Width, depth and height of a character from its silhouettes; takes some milliseconds."""
    reach = {"front": 0.0, "left": 0.0}
    for name, frame in view_frames(views, height_m).items():
        kind = "front" if name in ("front", "back") else "left"
        reach[kind] = max(reach[kind], *(abs(end) for end in frame.across_m()))
    return Extent(2 * reach["front"], 2 * reach["left"], height_m)


def identity_key(views: Mapping[str, Rgba], height_m: float) -> str:
    """SHA-256 of what identifies a character: the pixels of its views and its height."""
    return fingerprint(
        {
            "version": 2,
            "views": {name: np.ascontiguousarray(image) for name, image in views.items()},
            "height_m": float(height_m),
        }
    )


def silhouette_box(mask: np.ndarray) -> tuple[int, int, int, int]:
    """u0, v0, u1, v1 of a mask, without stray specks of a pixel or two."""
    rows, columns = (np.count_nonzero(mask, axis=axis) for axis in (1, 0))
    least = 1 if min(rows.max(), columns.max()) < 32 else 2
    v, u = np.flatnonzero(rows >= least), np.flatnonzero(columns >= least)
    return int(u[0]), int(v[0]), int(u[-1]) + 1, int(v[-1]) + 1


def _share_lines(
    masks: Mapping[str, np.ndarray], boxes: Mapping[str, tuple[int, int, int, int]]
) -> tuple[float, float] | None:
    """Head and foot rows that all views share, None where they are framed differently."""
    tops = [box[1] for box in boxes.values()]
    feet = [box[3] for box in boxes.values()]
    allowed = VIEW_LINE * (max(feet) - min(tops))
    if len({mask.shape for mask in masks.values()}) > 1:
        return None
    if max(tops) - min(tops) > allowed or max(feet) - min(feet) > allowed:
        return None
    return float(min(tops)), float(max(feet))
