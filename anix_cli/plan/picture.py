"""Sides of the picture and of the stage, and the camera itself, as places of the stage that can be gone to.

The audience sits where the camera stands. Stage left is the left of somebody who faces it, so it is the right
of the picture; downstage is nearer to the camera, upstage further away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.plan import Beat
from ..core.screenplay import AnchorSpec, CameraSpec
from .marks import Mark
from .remarks import is_camera
from .trouble import Trouble

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]

_RIGHT, _LEFT, _NEARER, _FURTHER = (1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0)
_WAYS = {
    "screen_right": (_RIGHT,), "camera_right": (_RIGHT,), "stage_left": (_RIGHT,),
    "screen_left": (_LEFT,), "camera_left": (_LEFT,), "stage_right": (_LEFT,),
    "downstage": (_NEARER,), "upstage": (_FURTHER,),
    "downstage_left": (_NEARER, _RIGHT), "downstage_right": (_NEARER, _LEFT),
    "upstage_left": (_FURTHER, _RIGHT), "upstage_right": (_FURTHER, _LEFT),
}  # fmt: skip
"""Ways along the x and z axes of an OpenCV camera, as they are on the ground; two of them go half each."""
SIDES = frozenset(_WAYS)
FAR_M = 1e4
"""A side lies so far away that the way to it is the same from everywhere."""
_LEVEL = 0.2
"""An axis of the camera that is steeper than this, as the share of it along the ground, leads nowhere."""


def lens_of(target: str | None) -> str:
    """Under this name, too, a place is found that is the camera itself, not an anchor that is called so."""
    return f"lens of {target}"


def asks(beats: Sequence[Beat]) -> bool:
    """Whether a character goes or turns to a side of the picture, or to the camera."""
    return any(
        beat.category == "locomotion" and (beat.direction in SIDES or is_camera(beat.target))
        for beat in beats
    )


def not_placed(spec: CameraSpec) -> bool:
    """Whether nothing says where a camera is."""
    return spec.placement is None and spec.path is None and not spec.keys


def held(spec: CameraSpec) -> CameraSpec:
    """The same camera before it moves."""
    return replace(
        spec, move="stationary", length=None, degrees=None, direction=None, up_m=None, metres=None,
        times=None, to_lens_mm=None,
    )  # fmt: skip


def marks_in(
    pose: F64, beats: Sequence[Beat], known: Mapping[str, AnchorSpec]
) -> tuple[dict[str, Mark], list[Trouble]]:
    """The places that beats name of a picture; E206 where its camera looks so that it has no such side.

    Args:
        pose: [4, 4] world from camera, OpenCV axes.
        known: anchors, which go before the camera where they are called like it.
    """
    found: dict[str, Mark] = {}
    troubles: list[Trouble] = []
    x, z = float(pose[0, 3]), float(pose[2, 3])
    for beat in beats:
        if beat.category != "locomotion":
            continue
        if beat.target is not None and beat.target not in known and is_camera(beat.target):
            found[beat.target] = found[lens_of(beat.target)] = Mark((x, z))
        if beat.direction not in SIDES or beat.direction in found:
            continue
        along = _on_ground(pose, _WAYS[beat.direction])
        if along is None:
            side = beat.direction.replace("_", " ")
            text = (
                f"“{side}” is no way to go while the camera looks straight up or down, or lies on its side."
            )
            troubles.append(
                Trouble("E206", text, "Say left or right, forward or backward, or name an anchor.")
            )
            continue
        found[beat.direction] = Mark((x + FAR_M * along[0], z + FAR_M * along[1]))
    return found, troubles


def _on_ground(pose: F64, ways: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The unit vector (x, z) of the stage that leads these ways of the camera; None where one is steep."""
    east = north = 0.0
    for across, along in ways:
        x, z = (across * float(pose[row, 0]) + along * float(pose[row, 2]) for row in (0, 2))
        length = math.hypot(x, z)
        if length < _LEVEL:
            return None
        east, north = east + x / length, north + z / length
    length = math.hypot(east, north)
    return (east / length, north / length) if length > _LEVEL else None
