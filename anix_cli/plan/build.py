"""Screenplay + stage → Plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.clip import Capabilities
from ..core.errors import AnixError
from ..core.plan import (
    Beat,
    Estimate,
    FilmOutput,
    Plan,
    PlannedCharacter,
    PlannedShot,
    ScenePlacement,
    Subject,
    Take,
)
from ..core.screenplay import CameraSpec, Screenplay, ShotSpec
from ..core.stage import Stage
from .blocking import Blocked, block
from .boxes import Extent, project_boxes, room_of
from .cameras import Filmed, Sight, film
from .clips import Recipe, guide_key, plan_clips, spans_of
from .commands import DEFAULT_FPS, frames_of, read_command
from .entrances import acting, check_bounds, entrance
from .presence import absent
from .shooting import Film, Shooting
from .trouble import Trouble

FAST_CAMERA_MPS = 12.0
"""A camera that is planned to move faster than this is told of: scenes blur, and hold few guides."""


def build(
    screenplay: Screenplay,
    stage: Stage,
    *,
    capabilities: Capabilities,
    backend: str,
    options: Mapping[str, Any],
    cast: tuple[PlannedCharacter, ...],
    extents: Mapping[str, Extent],
    scene: ScenePlacement,
    store: Path,
) -> Plan:
    """Resolves a film to frames. Touches no file.

    Args:
        extents: each character's size, by name.
        scene: copied into the plan; its key is part of every guide's key.

    Returns:
        A plan that does not know yet what the store holds (``stale_because`` None): the run layer looks into
        the store and says which are.

    Raises:
        AnixError: all problems (E201 … E215) that were found, each at its place in the screenplay.
    """
    fps = screenplay.film.fps or capabilities.fps or DEFAULT_FPS
    recipe = Recipe(
        backend,
        capabilities,
        options,
        screenplay.film.size_px,
        fps,
        screenplay.film.seed,
        cast,
        scene.background_rgb,
    )
    places = {name: (anchor.at[0], anchor.at[-1]) for name, anchor in screenplay.anchors.items()}
    whole = Film(screenplay, stage, extents, scene, recipe, places, [])
    takes = _takes(whole)
    if any(found.severity == "error" for found in whole.found):
        raise AnixError(whole.found)
    return Plan(
        title=screenplay.title,
        size_px=recipe.size_px,
        fps=fps,
        seed=recipe.seed,
        backend=backend,
        options=options,
        scene=scene,
        cast=cast,
        takes=takes,
        estimate=_estimate([shot for take in takes for shot in take.shots]),
        store=store,
        screenplay=None if str(screenplay.path) == "-" else screenplay.path,
        notes=tuple(whole.found),
        output=FilmOutput(screenplay.film.codec, screenplay.film.quality),
    )


def _takes(whole: Film) -> tuple[Take, ...]:
    now = Shooting()
    takes: list[list[PlannedShot]] = []
    for index, shot in enumerate(whole.screenplay.shots):
        if index == 0 or shot.cut:
            takes.append([])
            now.cut()
        planned = _plan_shot(whole, index, now)
        if planned:
            takes[-1].append(planned)
    return tuple(Take(tuple(shots)) for shots in takes)


def _estimate(shots: Sequence[PlannedShot]) -> Estimate:
    clips = [clip for shot in shots for clip in shot.clips]
    return Estimate(
        frames=sum(shot.frames for shot in shots),
        clips=len(clips),
        stale_clips=len(clips),
        stale_guides=len(shots),
        generated_frames=sum(clip.generated for clip in clips),
    )


def _plan_shot(whole: Film, index: int, now: Shooting) -> PlannedShot | None:
    """One shot; None where a problem keeps it from being planned."""
    shot = whole.screenplay.shots[index]
    fps = whole.recipe.fps
    beats, camera, found = read_command(whole.screenplay, index)
    whole.found.extend(found)
    frames, short = frames_of(whole.screenplay, index, fps)
    whole.found.extend(short)
    name = acting(whole, index)
    if name is None or frames < 1:
        return None
    now.standing[name] = entrance(whole, index, name, now)
    if name not in now.on_stage:
        now.on_stage.append(name)
    beats = beats if not any(item.severity == "error" for item in found) else ()
    blocked = {name: _block(whole, index, name, beats, frames=frames, now=now)}
    for other in now.on_stage:
        if other != name:
            blocked[other] = _block(whole, index, other, (), frames=frames, now=now)
    filmed = film(camera, _sight(whole, name, blocked[name]), whole.recipe.size_px, float(fps), now.camera)
    now.camera = filmed.end
    _check_pace(whole, index, filmed)
    planned = _planned(whole, shot, camera, blocked=blocked, filmed=filmed, now=now)
    if (trouble := absent(planned.subjects[0], shot.id, whole.recipe.size_px, fps)) is not None:
        whole.note(index, "camera", trouble)
    return planned


def _block(
    whole: Film, index: int, name: str, beats: tuple[Beat, ...], *, frames: int, now: Shooting
) -> Blocked:
    """One character through the shot: the one who acts, or (no beats) one who waits."""
    ground, places = whole.stage.ground, whole.places
    blocked = block(beats, frames, whole.recipe.fps, start=now.standing[name], ground=ground, places=places)
    now.standing[name] = blocked.end
    for trouble in blocked.troubles:
        whole.note(index, "command", trouble)
    check_bounds(whole, index, name, blocked, now)
    return blocked


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
    moves = np.linalg.norm(np.diff(filmed.world_from_camera[:, :3, 3], axis=0), axis=1)
    fastest = float(moves.max(initial=0.0) * whole.recipe.fps)
    if fastest > FAST_CAMERA_MPS:
        shot = whole.screenplay.shots[index].id
        hint = "Make the shot longer, bring the camera nearer (distance:, frame:), or cut before it."
        racing = Trouble("W207", f"The camera moves at {fastest:.0f} m/s in shot {shot}.", hint)
        whole.note(index, "camera", racing)


def _planned(
    whole: Film,
    shot: ShotSpec,
    camera: CameraSpec,
    *,
    blocked: Mapping[str, Blocked],
    filmed: Filmed,
    now: Shooting,
) -> PlannedShot:
    """Projects the boxes, cuts the clips, and moves everything on. ``blocked``: the one who acts first."""
    name, acted = next(iter(blocked.items()))
    frames = len(acted.root)
    planned = PlannedShot(
        id=shot.id,
        command=shot.command,
        camera=camera.move,
        start=now.start,
        frames=frames,
        beats=acted.beats,
        clips=(),
        world_from_camera=filmed.world_from_camera,
        intrinsics=filmed.intrinsics,
        subjects=tuple(_subject(whole, who, one, filmed) for who, one in blocked.items()),
        guide_key="",
        caption=shot.caption,
        fade_s=shot.fade_s,
    )
    recipe = whole.recipe
    planned = replace(planned, guide_key=guide_key(planned, whole.scene, recipe.size_px, recipe.fps))
    spans = spans_of(frames, acted.beats, recipe.capabilities, now.last_frames)
    clips = plan_clips(planned, spans, recipe, _prompt(whole, name, shot, acted.beats), now.last_key)
    now.start += frames
    now.last_key, now.last_frames = clips[-1].recipe_key, clips[-1].frames
    return replace(planned, clips=clips)


def _subject(whole: Film, name: str, blocked: Blocked, filmed: Filmed) -> Subject:
    box, visible = project_boxes(
        blocked.root,
        blocked.yaw_rad,
        room_of(whole.extents[name], blocked.speed_mps, blocked.lift_m, blocked.gestures),
        world_from_camera=filmed.world_from_camera,
        intrinsics=filmed.intrinsics,
        size_px=whole.recipe.size_px,
    )
    return Subject(
        name,
        blocked.root,
        blocked.yaw_rad,
        blocked.speed_mps,
        blocked.gait_phase,
        box,
        visible,
        blocked.lift_m,
        blocked.gestures,
    )


def _prompt(whole: Film, name: str, shot: ShotSpec, beats: tuple[Beat, ...]) -> str:
    """What the backend is told: who, and what happens."""
    member = next(member for member in whole.recipe.cast if member.name == name)
    action = shot.command.strip().rstrip(".") if beats else "stands still"
    return f"{member.description or name}; {action}"
