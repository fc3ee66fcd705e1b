"""A shot's camera: its moves shared out, its named cameras placed, filmed, and what is to be told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..core.screenplay import CameraSpec
from .blocking import Blocked
from .boxes import room_of
from .cameras import Filmed, film
from .entrances import acting
from .parts import frames_of_parts
from .placements import place
from .shooting import Film, Shooting
from .sights import Part, Sight
from .surroundings import far_away
from .trouble import Trouble
from .wanted import Shown, Wanted, misfit

FAST_CAMERA_MPS = 12.0
"""A camera that is planned to move faster than this is told of: scenes blur, and hold few guides."""


def film_shot(
    whole: Film,
    index: int,
    cameras: Sequence[CameraSpec],
    blocked: Mapping[str, Blocked],
    now: Shooting,
) -> tuple[Filmed, str]:
    """Films shot number ``index``, and goes on from there; with its moves in words.

    Args:
        blocked: all who are in the shot, the one who acts first.
    """
    name, acted = next(iter(blocked.items()))
    size_px, fps = whole.recipe.size_px, whole.recipe.fps
    counts, trouble = frames_of_parts(cameras, len(acted.root), fps)
    if trouble is not None:
        whole.note(index, "camera", trouble)
    parts = [
        Part(spec, count, place(whole, now, index, spec, blocked))
        for spec, count in zip(cameras, counts, strict=False)
    ]
    anchor = whole.screenplay.shots[index].anchor
    box = None if anchor is None else whole.screenplay.anchors[anchor].box
    wanted = None if box is None else Wanted.of(box, size_px, whole.extents[name])
    filmed = film(parts, _sight(whole, name, acted), size_px, float(fps), now.camera, wanted)
    now.camera = filmed.end
    _check_pace(whole, index, filmed)
    if anchor is not None and wanted is not None:
        _check_box(whole, index, anchor, wanted, acted, filmed)
    return filmed, ", ".join(part.spec.move for part in parts)


def _check_box(whole: Film, index: int, anchor: str, wanted: Wanted, acted: Blocked, filmed: Filmed) -> None:
    """W212 where the body shows otherwise than its box says, W214 where the camera had to go far away."""
    name, size_px = acting(whole, index) or "", whole.recipe.size_px
    shown = Shown(filmed.world_from_camera[0], filmed.intrinsics[0], size_px)
    box_px = shown.box(acted.root[0], float(acted.yaw_rad[0]), wanted.room)
    if (trouble := misfit(anchor, name, wanted, box_px, size_px)) is not None:
        whole.note(index, "anchor", trouble)
    elif (away := far_away(shown.eye, whole.stage)) is not None:
        text = f"For the box “{anchor}” the camera is {away:.0f} m away from the scene."
        whole.note(index, "anchor", Trouble("W214", text, "Make the box larger, or the lens shorter."))


def _sight(whole: Film, name: str, blocked: Blocked) -> Sight:
    """What the camera films: the blocking with the frame after the shot."""
    end, ground, extent = blocked.end, whole.stage.ground, whole.extents[name]
    last = [[end.xz[0], float(ground.at(end.xz)) + end.lift_m, end.xz[1]]]
    speed, lift = np.append(blocked.speed_mps, end.speed_mps), np.append(blocked.lift_m, 0.0)
    return Sight(
        np.concatenate([blocked.root, last]),
        np.append(blocked.yaw_rad, end.yaw_rad),
        room_of(extent, speed, lift, blocked.gestures),
        extent.height_m,
        ground,
    )


def _check_pace(whole: Film, index: int, filmed: Filmed) -> None:
    """W207 where the camera races, as an orbit far away does that has to be round in a moment."""
    eyes = filmed.world_from_camera[:, :3, 3]
    moves = np.linalg.norm(eyes[1:] - eyes[:-1], axis=1)
    fastest = float(moves.max(initial=0.0)) * float(whole.recipe.fps)
    if fastest > FAST_CAMERA_MPS:
        shot = whole.screenplay.shots[index].id
        hint = "Make the shot longer, bring the camera nearer (distance:, frame:), or cut before it."
        racing = Trouble("W207", f"The camera moves at {fastest:.0f} m/s in shot {shot}.", hint)
        whole.note(index, "camera", racing)
