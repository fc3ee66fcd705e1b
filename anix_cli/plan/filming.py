"""A shot's camera: its moves shared out, its named cameras placed, filmed, and what is to be told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..core.screenplay import CameraSpec
from .blocking import Blocked
from .cameras import Chance, Filmed, film
from .clearing import cleared, movable
from .cutting import View, shift_at_cut
from .entrances import acting
from .focus import out_of_focus
from .framing import MIDDLE
from .parts import frames_of_parts
from .placements import place
from .shooting import Film, Shooting
from .sights import Part, Shift, Target, Way
from .surroundings import far_away
from .targets import sight_of, target_of, unseen
from .trouble import Trouble
from .wanted import Shown, Wanted, misfit
from .ways import unseeing, way_of_file, way_of_keys

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
    parts = _parts(whole, index, cameras, counts, blocked, now)
    anchor = whole.screenplay.shots[index].anchor
    box = None if anchor is None else whole.screenplay.anchors[anchor].box
    wanted = None if box is None else Wanted.of(box, size_px, whole.extents[name])
    chance = Chance(whole.screenplay.film.seed, whole.screenplay.shots[index].id)
    sight = sight_of(whole, name, acted)
    auto = now.camera is None and parts[0].auto and wanted is None and parts[0].placed is None
    base = (
        shift_at_cut(now.view, name, parts[0].spec, acted.yaw_rad)
        if auto and parts[0].spec.side is None
        else Shift()
    )

    def take(shift: Shift) -> Filmed:
        return film(parts, sight, size_px, float(fps), now.camera, wanted, chance=chance, shift=shift)

    if whole.space is None:
        filmed = take(base)
    else:
        seconds = float(len(acted.root) / fps)
        filmed, moved = cleared(
            take, parts, sight, whole.space, base=base, seconds=seconds, name=name,
            movable=movable(parts, wanted),
        )  # fmt: skip
        if moved is not None:
            whole.note(index, "camera", moved)
    now.camera, now.view = filmed.end, View.of(name, filmed, sight)
    _check_pace(whole, index, filmed)
    behind = out_of_focus(parts, filmed.world_from_camera, whole.screenplay.shots[index].id)
    if behind is not None:
        whole.note(index, "camera", behind)
    if anchor is not None and wanted is not None:
        _check_box(whole, index, anchor, wanted, acted, filmed)
    return filmed, ", ".join(part.spec.move for part in parts)


def _parts(
    whole: Film,
    index: int,
    cameras: Sequence[CameraSpec],
    counts: Sequence[int],
    blocked: Mapping[str, Blocked],
    now: Shooting,
) -> list[Part]:
    """The moves of a shot with all that they name."""
    written = whole.screenplay.shots[index].cameras
    going = any(beat.category == "locomotion" for beat in blocked[next(iter(blocked))].beats)
    focus: str | float | None = None if now.camera is None else now.camera.focused
    parts: list[Part] = []
    start = 0
    for number, (spec, count) in enumerate(zip(cameras, counts, strict=False)):
        auto = len(written) == len(cameras) and written[number].move == "auto"
        if spec.move == "handheld":
            carried = 1.0 if spec.handheld is None else spec.handheld
            spec = replace(spec, move="follow" if going else "stationary", handheld=carried)  # noqa: PLW2901
        placed = place(whole, now, index, spec, blocked)
        target = None
        if spec.look_at is not None:
            target = target_of(whole, now, spec.look_at, blocked)
            if (trouble := unseen(whole, now, spec.look_at, blocked)) is not None:
                whole.note(index, "camera", trouble)
        if placed is not None and target is not None:
            placed, target = replace(placed, look=target.points), None
        focus = focus if spec.focus is None else spec.focus
        sharp: Target | float | None = focus if isinstance(focus, float) else None
        if isinstance(focus, str):
            sharp = target_of(whole, now, focus, blocked)
        auto = len(written) == len(cameras) and written[number].move == "auto"
        way = _way(whole, now, index, spec, (start, start + count), blocked)
        parts.append(Part(spec, count, placed, auto, target, sharp, way))
        start += count
    return parts


def _way(
    whole: Film,
    now: Shooting,
    index: int,
    spec: CameraSpec,
    frames: tuple[int, int],
    blocked: Mapping[str, Blocked],
) -> Way | None:
    """The path of a part, None where it is no path. ``frames``: where it begins and ends in its shot."""
    size_px, (start, stop) = whole.recipe.size_px, frames
    if spec.keys:
        acting = next(iter(blocked))
        body = sight_of(whole, acting, blocked[acting])
        own = body.root + np.array([0.0, MIDDLE * body.height_m, 0.0])
        looks = []
        for key in spec.keys:
            target = None
            if key.look_at is not None:
                target = target_of(whole, now, key.look_at, blocked)
                if (trouble := unseen(whole, now, key.look_at, blocked)) is not None:
                    whole.note(index, "camera", trouble)
            looks.append((own if target is None else target.points)[start : stop + 1])
        return way_of_keys(spec, looks, stop - start, whole.recipe.fps, whole.stage.ground, size_px)
    path = None if spec.path is None else whole.paths.get(spec.path)
    if spec.path is None or path is None:
        return None
    way = way_of_file(path, spec, stop - start, whole.stage, size_px)
    if (trouble := unseeing(spec.path.name, way, spec, whole.stage, size_px)) is not None:
        whole.note(index, "camera", trouble)
    return way


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
