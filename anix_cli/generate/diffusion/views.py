"""The pictures that say who is to be drawn: those of a character's views that the camera sees most of."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import Cast, ClipRequest, Frames
from anix_cli.core.plan import Subject

F64 = NDArray[np.float64]

TOWARDS_RAD = {"front": 0.0, "left": math.pi / 2, "back": math.pi, "right": -math.pi / 2}
"""From where each view was taken: the angle from the character's facing to its own left."""
_MARGIN = 0.05
_WHITE = 255.0


@dataclass(frozen=True)
class Reference:
    """One picture: [h, w, 3] uint8 sRGB on white."""

    character: str
    view: str
    picture: Frames


def references(request: ClipRequest, subject: Subject, most: int) -> list[Reference]:
    """A subject's views, nearest to the camera's side of it first, at most ``most``."""
    cast = request.cast[subject.character]
    return [
        Reference(subject.character, name, on_white(cast.views[name]))
        for name in by_camera(request, subject, cast)[:most]
    ]


def by_camera(request: ClipRequest, subject: Subject, cast: Cast) -> list[str]:
    """Names of a character's views, first the one nearest to what the camera sees in the new frames."""
    start = len(request.tail)
    seen = subject.visible[start:]
    use = seen if seen.any() else np.ones_like(seen)
    angles = camera_side(subject.root[start:], subject.yaw_rad[start:], request.world_from_camera[start:])[
        use
    ]
    agree = {name: float(np.cos(angles - angle).mean()) for name, angle in TOWARDS_RAD.items()}
    known = [name for name in TOWARDS_RAD if name in cast.views]
    return sorted(known, key=lambda name: -round(agree[name], 6))


def camera_side(root: F64, yaw_rad: F64, world_from_camera: F64) -> F64:
    """[F] the camera's direction as a character sees it: 0 before it, π/2 on its own left.

    Args:
        root: [F, 3] stage; yaw_rad: [F], 0 faces +Z; world_from_camera: [F, 4, 4].
    """
    to_camera = world_from_camera[:, :3, 3] - root
    return np.asarray(np.arctan2(to_camera[:, 0], to_camera[:, 2]) - yaw_rad)


def on_white(view: Frames) -> Frames:
    """A view [h, w, 4] with straight alpha: cut to the figure with a small margin, on white, [h, w, 3]."""
    alpha = view[..., 3:].astype(np.float64) / 255
    rgb = view[..., :3] * alpha + _WHITE * (1 - alpha)
    shown = np.argwhere(view[..., 3] > 8)
    picture = np.floor(rgb + 0.5).astype(np.uint8)
    if not len(shown):
        return picture
    margin = math.ceil(_MARGIN * max(view.shape[:2]))
    (y0, x0), (y1, x1) = np.maximum(shown.min(axis=0) - margin, 0), shown.max(axis=0) + margin + 1
    return picture[y0:y1, x0:x1]
