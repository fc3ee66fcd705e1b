"""Who acts in a shot, where they come in, and whether they stay within the scene."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.camera import look_at
from ..core.screenplay import LAST_SHOT, AnchorSpec, CameraSpec
from ..core.stage import Stage
from .blocking import Blocked
from .marks import Mark
from .placements import AT_ITSELF_M, eye_of, focal_px_of, still_look
from .remarks import no_place
from .shooting import Film, Shooting
from .standing import Standing, bearing
from .trouble import Trouble
from .wanted import Shown, Wanted, stand_in

EDGE_M = 0.05
"""How far beyond the stage's bounds a character may step before that is an error."""
HIGH = 5.0
"""An exact anchor further above or below the ground than this, in body heights, is told of."""
TOO_NEAR_M = 0.3
"""Two who stand nearer to each other than this stand in each other."""


def acting(film: Film, index: int) -> str | None:
    """The character of a shot: the one written, or the only one there is. E215 where there is none."""
    shot = film.screenplay.shots[index]
    name = shot.character or (next(iter(film.extents)) if len(film.extents) == 1 else None)
    if name in film.extents:
        return name
    names = ", ".join(film.extents) or "none"
    asked = f"There is no character “{name}”" if name else "It is not said which character the shot shows"
    hint = "Write character: in the shot, or under defaults:."
    film.note(index, "character", Trouble("E215", f"{asked} (there are: {names}).", hint))
    return None


def entrance(film: Film, index: int, name: str, now: Shooting, camera: CameraSpec) -> Standing | None:
    """Where a character is when a shot starts: at its anchor, else where it was, else the stage's origin.

    Says where one that comes in only now does so outside the scene (E214), far from the ground (W209) or
    within another (W206). None, with what is wrong (E144, E148, E216), where its anchor is no place.

    Args:
        camera: the shot's first.
    """
    shot = film.screenplay.shots[index]
    standing = now.standing.get(name, Standing((0.0, 0.0)))
    anchor = shot.anchor
    if anchor is not None:
        there = _at_anchor(film, index, anchor, name, now, camera)
        if there is None:
            return None
        standing = there
        now.outside.discard(name)
    elif name in now.on_stage:
        return standing
    key = "anchor" if anchor is not None else "command"
    named = anchor if anchor is not None and film.screenplay.anchors[anchor].box is None else None
    if name not in now.outside and not _within(film.stage, *standing.xz):
        film.note(index, key, _outside(film, named, name, standing))
        now.outside.add(name)
    elif named is not None and (trouble := _height(film, named, name, now.marks[named])):
        film.note(index, key, trouble)
    for other in now.on_stage:
        if other != name and math.dist(now.standing[other].xz, standing.xz) < TOO_NEAR_M:
            hint = "Write anchor: in the shot in which one of them first appears."
            there_is = f"{name} appears where {other} stands, so that one stands in the other."
            film.note(index, key, Trouble("W206", there_is, hint))
    return standing


def _at_anchor(
    film: Film, index: int, anchor: str, name: str, now: Shooting, camera: CameraSpec
) -> Standing | None:
    """Standing at an anchor, facing as it says, else as before."""
    before = now.standing.get(name, Standing((0.0, 0.0)))
    spec = film.screenplay.anchors[anchor]
    if spec.box is not None:
        return _in_box(film, index, name, now, camera)
    mark = now.marks.get(anchor)
    missing = anchor if mark is None else spec.face if isinstance(spec.face, str) else None
    if mark is None or (missing is not None and not _has_place(missing, now)):
        film.note(index, "anchor", no_place(film.screenplay.anchors, missing or anchor))
        return None
    yaw = before.yaw_rad if mark.yaw_rad is None else mark.yaw_rad
    return Standing(mark.xz, yaw, lift_m=mark.lift_m(film.stage.ground))


def _has_place(name: str, now: Shooting) -> bool:
    return name in now.marks or (name == LAST_SHOT and now.last is not None)


def _in_box(film: Film, index: int, name: str, now: Shooting, camera: CameraSpec) -> Standing | None:
    """Standing where a box of the picture shows the character, if a named camera takes that picture; else
    where it stands anyway, for the camera to be composed."""
    shot = film.screenplay.shots[index]
    anchor = film.screenplay.anchors[shot.anchor or ""]
    before = now.standing.get(name, Standing((0.0, 0.0)))

    def yaw_at(xz: np.ndarray) -> float:
        return _facing(anchor, (float(xz[0]), float(xz[1])), before.yaw_rad, now)

    if isinstance(anchor.face, str) and not _has_place(anchor.face, now):
        film.note(index, "anchor", no_place(film.screenplay.anchors, anchor.face))
        return None
    if camera.placement is None or now.camera is not None:
        return Standing(before.xz, yaw_at(np.array(before.xz)), lift_m=before.lift_m)
    shown = _shown(film, camera, now)
    if shown is None or anchor.box is None:
        text = (
            f"The camera “{camera.placement}” looks at {name}, wherever that is, so that the box "
            f"“{shot.anchor}” says no place."
        )
        film.note(
            index, "anchor", Trouble("E216", text, "Give the camera look_at: with a point or an anchor.")
        )
        return None
    wanted = Wanted.of(anchor.box, film.recipe.size_px, film.extents[name])
    found = stand_in(wanted, shown, yaw_at, ground=film.stage.ground, bounds_m=film.stage.bounds_m)
    if found is None:
        text = (
            f"The box “{shot.anchor}” shows no place in the scene where {name} could stand, seen from the "
            f"camera “{camera.placement}”."
        )
        hint = "Move the box down to where the ground is, make it larger, or turn the camera (look_at:)."
        film.note(index, "anchor", Trouble("E216", text, hint))
        return None
    return Standing((float(found[0]), float(found[1])), yaw_at(found))


def _shown(film: Film, camera: CameraSpec, now: Shooting) -> Shown | None:
    """A named camera as a take begins with it; None where it looks at the one who acts."""
    placement = film.screenplay.cameras[camera.placement or ""]
    look = still_look(film, now, placement)
    eye = eye_of(placement, film.stage.ground)
    if look is None or float(np.linalg.norm(look - eye)) < AT_ITSELF_M:
        return None
    size_px = film.recipe.size_px
    focal = focal_px_of(camera, placement, size_px)
    lens = np.array([[focal, 0, size_px[0] / 2], [0, focal, size_px[1] / 2], [0, 0, 1]])
    return Shown(look_at(eye, look), lens, size_px)


def _facing(anchor: AnchorSpec, xz: tuple[float, float], before: float, now: Shooting) -> float:
    """How one who stands in a box faces."""
    if isinstance(anchor.face, str):
        there = (now.last if anchor.face == LAST_SHOT and now.last else now.marks[anchor.face]).xz
        return bearing(xz, there) if math.dist(xz, there) > 1e-6 else before
    return before if anchor.face is None else math.radians(anchor.face)


def _height(film: Film, anchor: str, name: str, mark: Mark) -> Trouble | None:
    """What is wrong with an exact anchor's height: beyond the scene (E214), far from the ground (W209)."""
    if mark.y_m is None:
        return None
    height, lift = film.extents[name].height_m, mark.lift_m(film.stage.ground)
    y, (low, high) = mark.y_m, film.stage.bounds_m[:, 1].tolist()
    hint = f"Give the anchor another height, or none, to stand on the ground (y {y - lift:.1f})."
    if not low - height <= y <= high + height:
        reach = f"the scene reaches from y {low:.1f} to {high:.1f} m"
        return Trouble("E214", f"The anchor “{anchor}” lies outside the scene, at y {y:.1f}; {reach}.", hint)
    if abs(lift) > HIGH * height:
        where = f"{abs(lift):.1f} m {'above' if lift > 0 else 'below'} the ground"
        return Trouble("W209", f"The anchor “{anchor}” lies {where}: {name} stands there on nothing.", hint)
    return None


def _outside(film: Film, anchor: str | None, name: str, standing: Standing) -> Trouble:
    if anchor is not None:
        outside = f"The anchor “{anchor}” lies outside the scene, which {_reach(film.stage)}."
        return Trouble("E214", outside, "Move the anchor, or set the scene's scale and origin.")
    x, z = standing.xz
    outside = (
        f"No anchor says where {name} starts, and the place taken for it, x {x:.1f}, z {z:.1f}, lies outside "
        f"the scene, which {_reach(film.stage)}."
    )
    return Trouble("E214", outside, "Write anchor: in this shot, or set the scene's origin.")


def check_bounds(film: Film, index: int, name: str, blocked: Blocked, now: Shooting) -> None:
    """E213 where a character leaves the scene. One that is outside already has been told so."""
    inside = _within(film.stage, blocked.root[:, 0], blocked.root[:, 2])
    if name in now.outside:
        if inside[-1]:
            now.outside.discard(name)
        return
    if inside.all():
        return
    now.outside.add(name)
    at = int(inside.argmin())
    x, _, z = blocked.root[at]
    when = f"after {float(at / film.recipe.fps):.1f} s" if at else "as the shot begins"
    message = f"{name} leaves the scene {when}, at x {x:.1f}, z {z:.1f}; the scene {_reach(film.stage)}."
    hint = "Make the shot shorter, turn the character another way, or start from another anchor."
    film.note(index, "command", Trouble("E213", message, hint))


def _within(stage: Stage, x: ArrayLike, z: ArrayLike) -> NDArray[np.bool_]:
    """[...] whether points are inside the stage's bounds, seen from above."""
    low, high = stage.bounds_m[0] - EDGE_M, stage.bounds_m[1] + EDGE_M
    return np.asarray((low[0] <= x) & (x <= high[0]) & (low[2] <= z) & (z <= high[2]))


def _reach(stage: Stage) -> str:
    low, high = stage.bounds_m
    return f"reaches from x {low[0]:.1f} to {high[0]:.1f} and from z {low[2]:.1f} to {high[2]:.1f} m"
