"""Named cameras in a shot: where they stand, what they look at, and through which lens."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..core.camera import intrinsics_from_lens
from ..core.screenplay import CameraSpec, KeySpec, PlacementSpec
from ..core.stage import HeightMap
from .blocking import Blocked
from .framing import LENS_MM, MIDDLE, written_focal_px
from .marks import MIDDLE_M, Mark
from .shooting import Film, Shooting
from .sights import Placed
from .standing import Standing
from .trouble import Trouble

F64 = NDArray[np.float64]

AT_ITSELF_M = 1e-3
"""A camera that looks at something nearer than this looks nowhere."""
EYE_HEIGHT_M = 1.5
"""Height above the ground of a camera that is placed by x and z alone."""


def eye_of(placement: PlacementSpec | KeySpec, ground: HeightMap) -> F64:
    """Where a named camera, or a key of a path, is, [3]."""
    x, z = placement.at[0], placement.at[-1]
    exact = len(placement.at) == 3
    return np.array([x, placement.at[1] if exact else float(ground.at((x, z))) + EYE_HEIGHT_M, z])


def focal_px_of(spec: CameraSpec, placement: PlacementSpec, size_px: tuple[int, int]) -> float:
    """The lens that the shot is written with, else the named camera's, else 35 mm."""
    for written in (spec, placement):
        if (focal := written_focal_px(written, size_px)) is not None:
            return focal
    return float(intrinsics_from_lens(LENS_MM, size_px)[0, 0])


def fixed_look(placement: PlacementSpec, marks: Mapping[str, Mark], ground: HeightMap) -> F64 | None:
    """The point, [3], that a named camera looks at; None where that is a character, or nothing is written."""
    look = placement.look_at
    if look is None:
        return None
    if not isinstance(look, str):
        return np.array(look, dtype=np.float64)
    mark = marks.get(look)
    return None if mark is None else np.array([mark.xz[0], mark.height_m(ground) + MIDDLE_M, mark.xz[1]])


def still_look(film: Film, now: Shooting, placement: PlacementSpec) -> F64 | None:
    """The point, [3], that a named camera looks at as a shot begins; None where that is the one who acts.

    A character that has not appeared yet, and an anchor that has no place yet, are not looked at either.
    """
    look, ground = placement.look_at, film.stage.ground
    fixed = fixed_look(placement, now.marks, ground)
    if fixed is not None or not isinstance(look, str) or look not in now.on_stage:
        return fixed
    return _middle(now.standing[look], film.extents[look].height_m, ground)


def _middle(standing: Standing, height_m: float, ground: HeightMap) -> F64:
    x, z = standing.xz
    return np.array([x, float(ground.at((x, z))) + standing.lift_m + MIDDLE * height_m, z])


def place(
    film: Film, now: Shooting, index: int, spec: CameraSpec, blocked: Mapping[str, Blocked]
) -> Placed | None:
    """The named camera of a part of a shot, None where it has none.

    Args:
        blocked: all who are in the shot, the one who acts first.
    """
    if spec.placement is None:
        return None
    placement = film.screenplay.cameras[spec.placement]
    ground, acting = film.stage.ground, next(iter(blocked))
    eye = eye_of(placement, ground)
    focal = focal_px_of(spec, placement, film.recipe.size_px)
    above = float(eye[1] - ground.at(eye[[0, 2]]))
    name = placement.look_at
    if name == acting and name not in now.marks:
        return Placed(eye, None, focal, above)
    look = still_look(film, now, placement)
    samples = len(blocked[acting].root) + 1
    if look is None:
        if name is not None:
            film.note(index, "camera", _unseen(spec.placement, str(name), acting))
        return Placed(eye, None, focal, above)
    path = np.repeat(look[None], samples, axis=0)
    if isinstance(name, str) and name not in now.marks:
        moved = blocked[name]
        last = _middle(moved.end, film.extents[name].height_m, ground)
        path[:-1] = moved.root
        path[:-1, 1] += MIDDLE * film.extents[name].height_m
        path[-1] = last
    return Placed(eye, path, focal, above)


def _unseen(camera: str, name: str, acting: str) -> Trouble:
    text = f"The camera “{camera}” looks at {name}, who is not in this take yet: {acting} is shown."
    return Trouble("W215", text, f"Let {name} act earlier in the take, or give the camera another look_at.")
