"""What a screenplay places on the stage, used or not: is it in the scene, and above the ground?"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from ..core.errors import Diagnostic
from ..core.screenplay import Screenplay
from ..core.stage import Stage
from .marks import Mark
from .placements import AT_ITSELF_M, eye_of, fixed_look
from .shooting import Film

F64 = NDArray[np.float64]

IN_THE_GROUND_M = 0.05
"""A camera lower than this above the ground is told of."""
FAR_M = 8.5
"""An anchor further above or below the ground than this is told of: five bodies."""


def remarks(film: Film, spoken: Collection[str]) -> Iterator[Diagnostic]:
    """Warnings about anchors that no shot uses and about named cameras; E129 about anchors that face nothing.

    Args:
        spoken: names of the anchors that commands send someone to.
    """
    play, marks = film.screenplay, film.marks
    used = _used(play) | set(spoken)
    for name, mark in marks.items():
        where = ("anchors", name)
        if name not in used and (found := _anchor(name, mark, film.stage)) is not None:
            yield play.diagnostic((*where, "at"), "W213", *found)
        face = play.anchors[name].face
        there = marks.get(face) if isinstance(face, str) else None
        if there is not None and math.dist(mark.xz, there.xz) < 1e-6:
            text = f"The anchor “{name}” faces “{face}”, which is at the same place: that is no direction."
            yield play.diagnostic(
                (*where, "face"), "E129", text, hint="Face another anchor, or give degrees."
            )
    for name in play.cameras:
        yield from _camera(film, name)


def _used(play: Screenplay) -> set[str]:
    """Anchors that a shot, another anchor or a camera names: these are looked at where they matter."""
    used = {shot.anchor for shot in play.shots}
    for anchor in play.anchors.values():
        used |= {anchor.base, anchor.face if isinstance(anchor.face, str) else None}
    used |= {camera.look_at for camera in play.cameras.values() if isinstance(camera.look_at, str)}
    return {name for name in used if name is not None}


def _anchor(name: str, mark: Mark, stage: Stage) -> tuple[str] | None:
    low, high = stage.bounds_m
    x, z = mark.xz
    if not (low[0] <= x <= high[0] and low[2] <= z <= high[2]):
        return (f"The anchor “{name}” lies outside the scene, at x {x:.1f}, z {z:.1f}; no shot uses it.",)
    lift = mark.lift_m(stage.ground)
    if abs(lift) > FAR_M:
        side = "above" if lift > 0 else "below"
        return (f"The anchor “{name}” lies {abs(lift):.1f} m {side} the ground; no shot uses it.",)
    return None


def far_away(eye: F64, stage: Stage) -> float | None:
    """How far a camera is from the scene, where that is further than the scene is large; metres."""
    low, high = stage.bounds_m
    away = float(np.linalg.norm(np.maximum(np.maximum(low - eye, eye - high), 0.0)))
    return away if away > float(np.linalg.norm(high - low)) else None


def _camera(film: Film, name: str) -> Iterator[Diagnostic]:
    """W211 in the ground, W214 far from the scene, E129 looking at itself."""
    play, stage = film.screenplay, film.stage
    eye = eye_of(play.cameras[name], stage.ground)
    where = ("cameras", name, "at")
    look = fixed_look(play.cameras[name], film.marks, stage.ground)
    if look is not None and float(np.linalg.norm(look - eye)) < AT_ITSELF_M:
        text = f"The camera “{name}” looks at its own place, which is no direction."
        yield play.diagnostic((*where[:2], "look_at"), "E129", text, hint="Let it look at another place.")
        return
    if (away := far_away(eye, stage)) is not None:
        text = f"The camera “{name}” is {away:.0f} m away from the scene, further than the scene is large."
        yield play.diagnostic(where, "W214", text, hint="Check the scene's scale and origin, or move it.")
        return
    ground = float(stage.ground.at(eye[[0, 2]]))
    if eye[1] < ground + IN_THE_GROUND_M:
        below = ground - float(eye[1])
        depth = f"{below:.1f} m below the ground" if below > IN_THE_GROUND_M else "in the ground"
        hint = f"The ground is at y {ground:.2f} there; with x and z alone it stands {1.5} m above it."
        yield play.diagnostic(where, "W211", f"The camera “{name}” is {depth}.", hint=hint)
