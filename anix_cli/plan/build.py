"""Screenplay + stage → Plan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..core.clip import Capabilities
from ..core.errors import AnixError, Diagnostic
from ..core.plan import Beat, Estimate, Plan, PlannedCharacter, PlannedShot, ScenePlacement, Subject, Take
from ..core.screenplay import CameraSpec, Screenplay, ShotSpec
from ..core.stage import Stage
from ..core.time import frames_from_seconds
from .blocking import Blocked, block
from .boxes import Extent, project_boxes
from .cameras import CameraState, Filmed, Sight, film
from .clips import Recipe, guide_key, plan_clips, spans_of
from .commands import read_command
from .legs import Standing, Trouble, bearing

DEFAULT_FPS = Fraction(16)
EDGE_M = 0.05
"""How far beyond the stage's bounds a character may step before that is an error."""


@dataclass
class _Shooting:
    """What goes on from shot to shot while a film is planned."""

    standing: dict[str, Standing] = field(default_factory=dict)
    on_stage: list[str] = field(default_factory=list)
    camera: CameraState | None = None
    last_key: str | None = None
    last_frames: int | None = None
    start: int = 0


@dataclass(frozen=True)
class _Film:
    """What stays the same."""

    screenplay: Screenplay
    stage: Stage
    extents: Mapping[str, Extent]
    scene: ScenePlacement
    recipe: Recipe
    places: Mapping[str, tuple[float, float]]
    found: list[Diagnostic]

    def note(self, index: int, key: str, trouble: Trouble) -> None:
        """Records a problem at a value of shot number ``index``."""
        where = ("shots", index, key)
        self.found.append(self.screenplay.diagnostic(where, trouble.code, trouble.message, hint=trouble.hint))


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
    recipe = Recipe(backend, capabilities, options, screenplay.film.size_px, fps, screenplay.film.seed, cast)
    places = {name: (anchor.at[0], anchor.at[-1]) for name, anchor in screenplay.anchors.items()}
    whole = _Film(screenplay, stage, extents, scene, recipe, places, [])
    now = _Shooting()
    takes: list[list[PlannedShot]] = []
    for index, shot in enumerate(screenplay.shots):
        if index == 0 or shot.cut:
            takes.append([])
            now.on_stage, now.camera, now.last_key, now.last_frames = [], None, None, None
            now.standing = {
                name: replace(standing, speed_mps=0.0, slip_rad=0.0, phase=0.0)
                for name, standing in now.standing.items()
            }
        planned = _plan_shot(whole, index, now)
        if planned:
            takes[-1].append(planned)
    errors = [found for found in whole.found if found.severity == "error"]
    if errors:
        raise AnixError(whole.found)
    shots = [shot for take in takes for shot in take]
    return Plan(
        title=screenplay.title,
        size_px=screenplay.film.size_px,
        fps=fps,
        seed=screenplay.film.seed,
        backend=backend,
        options=options,
        scene=scene,
        cast=cast,
        takes=tuple(Take(tuple(take)) for take in takes),
        estimate=_estimate(shots),
        store=store,
        screenplay=None if str(screenplay.path) == "-" else screenplay.path,
        notes=tuple(whole.found),
    )


def _estimate(shots: list[PlannedShot]) -> Estimate:
    clips = [clip for shot in shots for clip in shot.clips]
    return Estimate(
        frames=sum(shot.frames for shot in shots),
        clips=len(clips),
        stale_clips=len(clips),
        stale_guides=len(shots),
        generated_frames=sum(clip.generated for clip in clips),
    )


def _plan_shot(whole: _Film, index: int, now: _Shooting) -> PlannedShot | None:
    """One shot; None where a problem keeps it from being planned."""
    shot = whole.screenplay.shots[index]
    fps = whole.recipe.fps
    beats, camera, found = read_command(whole.screenplay, index)
    whole.found.extend(found)
    frames = frames_from_seconds(shot.duration_s, fps)
    if frames < 1:
        short = f"{float(shot.duration_s):g} s is less than one frame at {float(fps):g} fps."
        hint = f"Give it at least {float(1 / fps):.3f} s."
        whole.note(index, "duration", Trouble("E210", short, hint))
    name = _acting(whole, index)
    if name is None or frames < 1:
        return None
    standing = _starting(whole, index, name, now)
    beats = beats if not any(item.severity == "error" for item in found) else ()
    blocked = block(beats, frames, fps, start=standing, ground=whole.stage.ground, places=whole.places)
    for trouble in blocked.troubles:
        whole.note(index, "command", trouble)
    _check_bounds(whole, index, blocked)
    return _filmed(whole, shot, name, camera=camera, blocked=blocked, now=now)


def _filmed(
    whole: _Film, shot: ShotSpec, name: str, *, camera: CameraSpec, blocked: Blocked, now: _Shooting
) -> PlannedShot:
    """Points the camera, projects the boxes, cuts the clips, and moves everything on."""
    fps, size = whole.recipe.fps, whole.recipe.size_px
    frames = len(blocked.root)
    end, ground = blocked.end, whole.stage.ground
    last = [[end.xz[0], float(ground.at(end.xz)) + end.lift_m, end.xz[1]]]
    sight = Sight(
        np.concatenate([blocked.root, last]),
        np.append(blocked.yaw_rad, end.yaw_rad),
        whole.extents[name],
        ground,
    )
    filmed = film(camera, sight, size, float(fps), now.camera)
    now.standing[name] = blocked.end
    subjects = [_subject(whole, name, blocked, filmed)]
    for other in now.on_stage:
        if other != name:
            waiting = block(
                (), frames, fps, start=now.standing[other], ground=whole.stage.ground, places=whole.places
            )
            now.standing[other] = waiting.end
            subjects.append(_subject(whole, other, waiting, filmed))
    if name not in now.on_stage:
        now.on_stage.append(name)
    planned = PlannedShot(
        id=shot.id,
        command=shot.command,
        camera=camera.move,
        start=now.start,
        frames=frames,
        beats=blocked.beats,
        clips=(),
        world_from_camera=filmed.world_from_camera,
        intrinsics=filmed.intrinsics,
        subjects=tuple(subjects),
        guide_key="",
        fade_s=shot.fade_s,
    )
    planned = replace(planned, guide_key=guide_key(planned, whole.scene, size, fps))
    spans = spans_of(frames, blocked.beats, whole.recipe.capabilities, now.last_frames)
    clips = plan_clips(planned, spans, whole.recipe, _prompt(whole, name, shot, blocked.beats), now.last_key)
    now.camera, now.start = filmed.end, now.start + frames
    now.last_key, now.last_frames = clips[-1].recipe_key, clips[-1].frames
    return replace(planned, clips=clips)


def _subject(whole: _Film, name: str, blocked: Blocked, filmed: Filmed) -> Subject:
    box, visible = project_boxes(
        blocked.root,
        blocked.yaw_rad,
        whole.extents[name],
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
        np.zeros(len(blocked.root)),
    )


def _prompt(whole: _Film, name: str, shot: ShotSpec, beats: tuple[Beat, ...]) -> str:
    """What the backend is told: who, and what happens."""
    member = next(member for member in whole.recipe.cast if member.name == name)
    action = shot.command.strip().rstrip(".") if beats else "stands still"
    return f"{member.description or name}; {action}"


def _acting(whole: _Film, index: int) -> str | None:
    """The character of a shot: the one written, or the only one there is."""
    shot = whole.screenplay.shots[index]
    name = shot.character or (next(iter(whole.extents)) if len(whole.extents) == 1 else None)
    if name in whole.extents:
        return name
    names = ", ".join(whole.extents) or "none"
    asked = f"There is no character “{name}”" if name else "It is not said which character the shot shows"
    hint = "Write character: in the shot, or under defaults:."
    whole.note(index, "character", Trouble("E215", f"{asked} (there are: {names}).", hint))
    return None


def _starting(whole: _Film, index: int, name: str, now: _Shooting) -> Standing:
    """Where the character is when the shot starts: at its anchor, else where it was, else the origin."""
    shot = whole.screenplay.shots[index]
    standing = now.standing.get(name, Standing((0.0, 0.0)))
    if shot.anchor is None:
        return standing
    anchor = whole.screenplay.anchors[shot.anchor]
    xz = whole.places[shot.anchor]
    lift = anchor.at[1] - float(whole.stage.ground.at(xz)) if len(anchor.at) == 3 else 0.0
    yaw = standing.yaw_rad
    if isinstance(anchor.face, str):
        facing = whole.places.get(anchor.face)
        yaw = bearing(xz, facing) if facing is not None and math.dist(xz, facing) > 1e-6 else yaw
    elif anchor.face is not None:
        yaw = math.radians(anchor.face)
    if not _within(whole.stage, *xz):
        outside = f"The anchor “{shot.anchor}” lies outside the scene, which {_reach(whole.stage)}."
        hint = "Move the anchor, or set the scene's scale and origin."
        whole.note(index, "anchor", Trouble("E214", outside, hint))
    return Standing(xz, yaw, lift_m=lift)


def _within(stage: Stage, x: float, z: float) -> bool:
    low, high = stage.bounds_m
    return bool(low[0] - EDGE_M <= x <= high[0] + EDGE_M and low[2] - EDGE_M <= z <= high[2] + EDGE_M)


def _reach(stage: Stage) -> str:
    low, high = stage.bounds_m
    return f"reaches from x {low[0]:.1f} to {high[0]:.1f} and from z {low[2]:.1f} to {high[2]:.1f} m"


def _check_bounds(whole: _Film, index: int, blocked: Blocked) -> None:
    """E213 where the character walks out of the scene. One that starts outside has been told so already."""
    inside = [_within(whole.stage, x, z) for x, _, z in blocked.root.tolist()]
    if all(inside) or not inside[0]:
        return
    at = inside.index(False)
    x, _, z = blocked.root[at]
    when = float(at / whole.recipe.fps)
    message = f"The character leaves the scene after {when:.1f} s, at x {x:.1f}, z {z:.1f}; the scene "
    hint = "Make the shot shorter, turn the character another way, or start from another anchor."
    whole.note(index, "command", Trouble("E213", message + _reach(whole.stage) + ".", hint))
