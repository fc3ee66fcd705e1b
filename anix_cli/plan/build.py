"""Screenplay + stage → Plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

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
from ..core.screenplay import LAST_SHOT, CameraSpec, FilmSpec, Screenplay, ShotSpec
from ..core.stage import Stage
from ..media.camerapaths import CameraPath
from ..scene.standing import StandingRoom
from .blocking import Blocked
from .boxes import Extent, project_boxes, room_of
from .cameras import Filmed
from .camerawords import camera_words
from .clearing import Space
from .clips import Recipe, guide_key, plan_clips, spans_of
from .commands import DEFAULT_FPS, frames_of, read_command, reading_of_shot
from .ensemble import block_all, come_in
from .entrances import acting, entrance
from .filming import film_shot
from .fixing import fixed, leaves_box
from .marks import Mark, marks_of, moving
from .parts import dissolve_frames, transition_of, transition_trouble
from .picture import asks, held, marks_in, not_placed
from .presence import absent
from .remarks import no_place
from .roles import roles_of
from .routes import Routes
from .shooting import Film, Shooting
from .surroundings import remarks
from .telling import asked_of


def build(
    screenplay: Screenplay,
    stage: Stage,
    *,
    capabilities: Capabilities,
    backend: str,
    cast: tuple[PlannedCharacter, ...],
    extents: Mapping[str, Extent],
    scene: ScenePlacement,
    store: Path,
    paths: Mapping[Path, CameraPath] = MappingProxyType({}),
    space: Space | None = None,
    room: StandingRoom | None = None,
) -> Plan:
    """Resolves a film to frames. Touches no file.

    Args:
        extents: each character's size, by name.
        scene: copied into the plan; its key is part of every guide's key.
        paths: what the files hold that ``camera:`` names, by file.
        space: what of the scene is taken, so that cameras stand free.
        room: where a body can stand, so that characters go round what is in the way.

    Returns:
        A plan that does not know yet what the store holds (``stale_because`` None): the run layer looks into
        the store and says which are.

    Raises:
        AnixError: all problems (E128 … E222) that were found, each at its place in the screenplay.
    """
    fps = screenplay.film.fps or capabilities.fps or DEFAULT_FPS
    recipe = Recipe(
        backend,
        capabilities,
        screenplay.film.size_px,
        fps,
        cast,
        scene.background_rgb,
    )
    anchors = screenplay.anchors
    marks = marks_of(anchors, stage.ground)
    routes = None if room is None else Routes(room, stage.ground)
    whole = Film(screenplay, stage, extents, scene, recipe, marks, moving(anchors), [], paths, space, routes)
    spoken: set[str] = set()
    takes = _takes(whole, spoken)
    whole.found.extend(remarks(whole, spoken))
    if any(found.severity == "error" for found in whole.found):
        raise AnixError(whole.found)
    return Plan(
        title=screenplay.title,
        size_px=recipe.size_px,
        fps=fps,
        seed=screenplay.film.seed,
        backend=backend,
        scene=scene,
        cast=cast,
        takes=takes,
        estimate=_estimate([shot for take in takes for shot in take.shots]),
        store=store,
        screenplay=None if str(screenplay.path) == "-" else screenplay.path,
        notes=tuple(whole.found),
        output=_output(screenplay.film, takes, fps),
    )


def _output(film: FilmSpec, takes: Sequence[Take], fps: Fraction) -> FilmOutput:
    """All but the files, which the run layer identifies by their content."""
    frames = max((shot.start + shot.frames for take in takes for shot in take.shots), default=1)
    poster = frames // 2 if film.poster is None else film.poster.frames(fps)
    return FilmOutput(
        film.codec,
        film.quality,
        loudness_lufs=film.loudness_lufs,
        captions=film.captions,
        also=film.also,
        poster_frame=min(poster, frames - 1),
    )


def _takes(whole: Film, spoken: set[str]) -> tuple[Take, ...]:
    """Plans all shots; ``spoken`` gets the anchors that commands name."""
    now = Shooting(marks=whole.marks)
    takes: list[list[PlannedShot]] = []
    for index, shot in enumerate(whole.screenplay.shots):
        if index == 0 or shot.cut:
            takes.append([])
            now.cut()
        if index:
            now.start -= dissolve_frames(whole.screenplay, index, whole.recipe.fps)
        planned = _plan_shot(whole, index, now, spoken)
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


def _plan_shot(whole: Film, index: int, now: Shooting, spoken: set[str]) -> PlannedShot | None:
    """One shot; None where a problem keeps it from being planned."""
    shot = whole.screenplay.shots[index]
    fps = whole.recipe.fps
    beats, cameras, found = read_command(whole.screenplay, index)
    whole.found.extend(found)
    spoken.update(beat.target for beat in beats if beat.target is not None)
    frames, short = frames_of(whole.screenplay, index, fps)
    whole.found.extend(short)
    name = acting(whole, index)
    if name is None or frames < 1:
        return None
    if (trouble := transition_trouble(whole.screenplay, index, fps)) is not None:
        whole.note(index, "transition", trouble)
    if whole.moving:
        last = {} if now.last is None else {LAST_SHOT: now.last}
        now.marks = marks_of(whole.moving, whole.stage.ground, {**whole.marks, **last})
    standing = entrance(whole, index, name, now, cameras[0])
    if standing is None:
        return None
    now.standing[name] = standing
    if name not in now.on_stage:
        now.on_stage.append(name)
    seen = camera_words(cameras, beats)
    understood = not any(item.severity == "error" for item in found)
    beats = beats if understood and _places_known(whole, index, beats, now) else ()
    roles = roles_of(whole.screenplay, shot, reading_of_shot(whole.screenplay, shot), name) if beats else ()
    if not come_in(whole, index, name, beats, roles, now):
        beats, roles = (), ()
    if asks(beats):
        beats = beats if _sides_known(whole, index, name, beats, cameras, frames, now) else ()
        roles = roles if beats else ()
    blocked = block_all(whole, index, name, beats, roles, frames=frames, now=now)
    end = blocked[name].end
    y = float(whole.stage.ground.at(end.xz)) + end.lift_m if end.lift_m else None
    now.last = Mark(end.xz, end.yaw_rad, y)
    filmed, camera = film_shot(whole, index, cameras, blocked, now)
    planned = _planned(whole, shot, camera, seen, blocked=blocked, filmed=filmed, now=now)
    projected = shot.anchor_box != "fixed"
    if projected and (trouble := absent(planned.subjects[0], shot.id, whole.recipe.size_px, fps)) is not None:
        whole.note(index, "camera", trouble)
    return planned


def _places_known(whole: Film, index: int, beats: Sequence[Beat], now: Shooting) -> bool:
    """Whether the anchors that a command names have a place in this shot; else E144, E148."""
    named = {beat.target for beat in beats if beat.target in whole.screenplay.anchors}
    missing = sorted(name for name in named if name is not None and name not in now.marks)
    for name in missing:
        whole.note(index, "command", no_place(whole.screenplay.anchors, name))
    return not missing


def _sides_known(
    whole: Film,
    index: int,
    name: str,
    beats: Sequence[Beat],
    cameras: Sequence[CameraSpec],
    frames: int,
    now: Shooting,
) -> bool:
    """Places the sides of the picture that a command names as they are when the shot begins; else E206.

    A new take whose camera is free begins with the view of everybody standing still: where it would stand
    otherwise depends on the way, and the way on where it stands.
    """
    aside, apart = now.copy(), replace(whole, found=[])
    still = block_all(apart, index, name, (), (), frames=frames, now=aside)
    free = now.camera is None and not_placed(cameras[0])
    filmed, _ = film_shot(apart, index, [held(cameras[0])] if free else cameras, still, aside)
    if free:
        now.camera = None if aside.camera is None else replace(aside.camera, frames=0)
    found, troubles = marks_in(filmed.world_from_camera[0], beats, whole.screenplay.anchors)
    now.marks = {**now.marks, **found}
    for trouble in troubles:
        whole.note(index, "command", trouble)
    return not troubles


def _planned(
    whole: Film,
    shot: ShotSpec,
    camera: str,
    seen: str,
    *,
    blocked: Mapping[str, Blocked],
    filmed: Filmed,
    now: Shooting,
) -> PlannedShot:
    """Projects the boxes, cuts the clips, and moves everything on. ``blocked``: the one who acts first;
    ``seen``: what is told of the camera."""
    name, acted = next(iter(blocked.items()))
    frames = len(acted.root)
    planned = PlannedShot(
        id=shot.id,
        command=shot.command,
        camera=camera,
        start=now.start,
        frames=frames,
        beats=acted.beats,
        clips=(),
        world_from_camera=filmed.world_from_camera,
        intrinsics=filmed.intrinsics,
        optics=filmed.optics,
        subjects=_subjects(whole, shot, blocked, filmed),
        guide_key="",
        caption=shot.caption,
        transition=transition_of(shot, whole.recipe.fps),
    )
    recipe = whole.recipe
    planned = replace(planned, guide_key=guide_key(planned, whole.scene, recipe.size_px, recipe.fps))
    spans = spans_of(frames, acted.beats, recipe.capabilities, now.last_frames)
    asked = asked_of(whole, name, shot, planned, [span.start for span in spans], seen)
    clips = plan_clips(planned, spans, recipe, asked, now.last_key, now.past)
    now.start += frames
    now.last_key, now.last_frames = clips[-1].recipe_key, clips[-1].frames
    planned = replace(planned, clips=clips)
    now.past.shots.append(planned)
    return planned


def _subjects(
    whole: Film, shot: ShotSpec, blocked: Mapping[str, Blocked], filmed: Filmed
) -> tuple[Subject, ...]:
    """All who are in a shot. Boxes that are fixed are those of the first frame, wherever the bodies go."""
    found = tuple(_subject(whole, who, one, filmed) for who, one in blocked.items())
    if shot.anchor_box != "fixed":
        return found
    index = whole.screenplay.shots.index(shot)
    if (trouble := leaves_box(found[0])) is not None:
        whole.note(index, "anchor_box", trouble)
    return tuple(fixed(subject) for subject in found)


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
