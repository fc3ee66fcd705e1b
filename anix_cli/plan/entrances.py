"""Who acts in a shot, where they come in, and whether they stay within the scene."""

from __future__ import annotations

import math

from ..core.stage import Stage
from .blocking import Blocked
from .legs import Standing, bearing
from .shooting import Film, Shooting
from .trouble import Trouble

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


def entrance(film: Film, index: int, name: str, now: Shooting) -> Standing:
    """Where a character is when a shot starts: at its anchor, else where it was, else the stage's origin.

    Says where one that comes in only now does so outside the scene (E214), far from the ground (W209) or
    within another (W206).
    """
    shot = film.screenplay.shots[index]
    standing = now.standing.get(name, Standing((0.0, 0.0)))
    if shot.anchor is not None:
        standing = _at_anchor(film, shot.anchor, standing)
        now.outside.discard(name)
    elif name in now.on_stage:
        return standing
    key = "anchor" if shot.anchor is not None else "command"
    if name not in now.outside and not _within(film.stage, *standing.xz):
        film.note(index, key, _outside(film, shot.anchor, name, standing))
        now.outside.add(name)
    elif shot.anchor is not None and (trouble := _height(film, shot.anchor, name, standing)):
        film.note(index, key, trouble)
    for other in now.on_stage:
        if other != name and math.dist(now.standing[other].xz, standing.xz) < TOO_NEAR_M:
            hint = "Write anchor: in the shot in which one of them first appears."
            there = f"{name} appears where {other} stands, so that one stands in the other."
            film.note(index, key, Trouble("W206", there, hint))
    return standing


def _at_anchor(film: Film, name: str, before: Standing) -> Standing:
    """Standing at an anchor, facing as it says, else as before."""
    anchor = film.screenplay.anchors[name]
    xz = film.places[name]
    lift = anchor.at[1] - float(film.stage.ground.at(xz)) if len(anchor.at) == 3 else 0.0
    yaw = before.yaw_rad
    if isinstance(anchor.face, str):
        facing = film.places.get(anchor.face)
        yaw = bearing(xz, facing) if facing is not None and math.dist(xz, facing) > 1e-6 else yaw
    elif anchor.face is not None:
        yaw = math.radians(anchor.face)
    return Standing(xz, yaw, lift_m=lift)


def _height(film: Film, anchor: str, name: str, standing: Standing) -> Trouble | None:
    """What is wrong with an exact anchor's height: beyond the scene (E214), far from the ground (W209)."""
    if len(film.screenplay.anchors[anchor].at) < 3:
        return None
    height, ground = film.extents[name].height_m, float(film.stage.ground.at(standing.xz))
    y, (low, high) = ground + standing.lift_m, film.stage.bounds_m[:, 1].tolist()
    hint = f"Give the anchor another height, or only x and z, to stand on the ground (y {ground:.1f})."
    if not low - height <= y <= high + height:
        reach = f"the scene reaches from y {low:.1f} to {high:.1f} m"
        return Trouble("E214", f"The anchor “{anchor}” lies outside the scene, at y {y:.1f}; {reach}.", hint)
    if abs(standing.lift_m) > HIGH * height:
        where = f"{abs(standing.lift_m):.1f} m {'above' if standing.lift_m > 0 else 'below'} the ground"
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
    inside = [_within(film.stage, x, z) for x, _, z in blocked.root.tolist()]
    if name in now.outside:
        if inside[-1]:
            now.outside.discard(name)
        return
    if all(inside):
        return
    now.outside.add(name)
    at = inside.index(False)
    x, _, z = blocked.root[at]
    when = f"after {float(at / film.recipe.fps):.1f} s" if at else "as the shot begins"
    message = f"{name} leaves the scene {when}, at x {x:.1f}, z {z:.1f}; the scene {_reach(film.stage)}."
    hint = "Make the shot shorter, turn the character another way, or start from another anchor."
    film.note(index, "command", Trouble("E213", message, hint))


def _within(stage: Stage, x: float, z: float) -> bool:
    low, high = stage.bounds_m
    return bool(low[0] - EDGE_M <= x <= high[0] + EDGE_M and low[2] - EDGE_M <= z <= high[2] + EDGE_M)


def _reach(stage: Stage) -> str:
    low, high = stage.bounds_m
    return f"reaches from x {low[0]:.1f} to {high[0]:.1f} and from z {low[2]:.1f} to {high[2]:.1f} m"
