"""Assembles what a backend is asked: a clip's frames with the tail before them, across shots of a take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.clip import Cast, ClipRequest, Frames
from ..core.guide import Guide, concatenate_guides
from ..core.optics import Exposure
from ..core.plan import Gesture, Plan, PlannedClip, PlannedShot, Subject, Take
from ..guide.read import read_guide
from ..splat.exposure import expose
from .scenes import SceneOnStage


@dataclass(frozen=True)
class _Piece:
    """Frames start … stop − 1 of one shot."""

    shot: PlannedShot
    start: int
    stop: int


def clip_request(
    plan: Plan,
    take: Take,
    shot: PlannedShot,
    clip: PlannedClip,
    *,
    guides: Mapping[str, Path],
    cast: Mapping[str, Cast],
    tail: Frames,
    scene: SceneOnStage,
) -> ClipRequest:
    """The request for one clip.

    Where the backend's grid asks for more frames than the clip keeps, the last kept frame's guide, camera
    and blocking stand still for them; what is generated there is trimmed.

    Args:
        guides: shot id → folder of its guide.
        tail: [T, H, W, 3], the last kept frames of the clip before; T = ``clip.tail``.
    """
    pieces = list(_pieces(take, shot, clip))
    extra = clip.generated - clip.frames
    guide = concatenate_guides([read_guide(guides[p.shot.id], p.start, p.stop) for p in pieces])
    poses = np.concatenate([p.shot.world_from_camera[p.start : p.stop] for p in pieces])
    intrinsics = np.concatenate([p.shot.intrinsics[p.start : p.stop] for p in pieces])
    hold = np.minimum(np.arange(len(poses) + extra), len(poses) - 1)
    if extra:
        guide = Guide(guide.rgb[hold], guide.depth[hold], guide.anchor[hold])
    return ClipRequest(
        prompt=clip.prompt,
        prompts=clip.prompts,
        negative=clip.negative,
        size_px=plan.size_px,
        frames=clip.generated,
        fps=plan.fps,
        seed=clip.seed,
        guide=guide.rgb,
        depth=guide.depth,
        anchor=guide.anchor,
        tail=tail,
        cast=cast,
        blocking=tuple(_subjects(shot, pieces, extra)),
        world_from_camera=poses[hold],
        intrinsics=intrinsics[hold],
        options=clip.options,
        scene=scene,
        near_m=plan.scene.near_m,
        background_rgb=plan.scene.background_rgb,
        start=_frames_before(take, shot) + clip.start - clip.tail,
        course=tuple(_subjects(shot, _since_the_take_began(take, shot, clip), extra)),
        drawn_scene=scene.drawn,
        exposures=_exposures(pieces, hold, plan.size_px),
    )


def frame_request(
    plan: Plan,
    take: Take,
    shot: PlannedShot,
    frame: int,
    *,
    guide: Guide,
    cast: Mapping[str, Cast],
    scene: SceneOnStage,
) -> ClipRequest:
    """The request for one frame of a shot by itself, for a backend that needs nothing of those before it.

    Args:
        guide: of that frame alone.
    """
    pieces = [_Piece(shot, frame, frame + 1)]
    clip = next(clip for clip in shot.clips if clip.start <= frame < clip.start + clip.frames)
    at = next(index for index, other in enumerate(take.shots) if other.id == shot.id)
    since = [*(_Piece(other, 0, other.frames) for other in take.shots[:at]), _Piece(shot, 0, frame + 1)]
    width, height = plan.size_px
    return ClipRequest(
        prompt=clip.prompt,
        prompts=clip.prompts,
        negative=clip.negative,
        size_px=plan.size_px,
        frames=1,
        fps=plan.fps,
        seed=clip.seed,
        guide=guide.rgb,
        depth=guide.depth,
        anchor=guide.anchor,
        tail=np.empty((0, height, width, 3), dtype=np.uint8),
        cast=cast,
        blocking=tuple(_subjects(shot, pieces, 0)),
        world_from_camera=shot.world_from_camera[frame : frame + 1],
        intrinsics=shot.intrinsics[frame : frame + 1],
        options=clip.options,
        scene=scene,
        near_m=plan.scene.near_m,
        background_rgb=plan.scene.background_rgb,
        start=_frames_before(take, shot) + frame,
        course=tuple(_subjects(shot, since, 0)),
        drawn_scene=scene.drawn,
        exposures=_exposures(pieces, np.arange(1), plan.size_px),
    )


def _exposures(
    pieces: Sequence[_Piece], hold: NDArray[np.integer], size_px: tuple[int, int]
) -> tuple[Exposure, ...] | None:
    """The cameras of each frame, from the whole of its shot as for its guide; None where nothing blurs."""
    if not any(piece.shot.optics is not None and piece.shot.optics.blurs for piece in pieces):
        return None
    each = [
        expose(piece.shot.world_from_camera, piece.shot.intrinsics, frame, piece.shot.optics, size_px)
        for piece in pieces
        for frame in range(piece.start, piece.stop)
    ]
    return tuple(each[index] for index in hold)


def _since_the_take_began(take: Take, shot: PlannedShot, clip: PlannedClip) -> list[_Piece]:
    """All frames of a take through the last one of a clip."""
    at = next(index for index, other in enumerate(take.shots) if other.id == shot.id)
    whole = [_Piece(other, 0, other.frames) for other in take.shots[:at]]
    return [*whole, _Piece(shot, 0, clip.start + clip.frames)]


def _frames_before(take: Take, shot: PlannedShot) -> int:
    """Frames of a take before one of its shots."""
    at = next(index for index, other in enumerate(take.shots) if other.id == shot.id)
    return sum(other.frames for other in take.shots[:at])


def _pieces(take: Take, shot: PlannedShot, clip: PlannedClip) -> Iterator[_Piece]:
    """The frames of a clip and of the tail before it, which may lie in earlier shots of the take."""
    at = next(index for index, other in enumerate(take.shots) if other.id == shot.id)
    pieces = [_Piece(shot, max(0, clip.start - clip.tail), clip.start + clip.frames)]
    missing = clip.tail - clip.start
    while missing > 0:
        at -= 1
        before = take.shots[at]
        pieces.insert(0, _Piece(before, max(0, before.frames - missing), before.frames))
        missing -= before.frames
    yield from pieces


def _subjects(shot: PlannedShot, pieces: Sequence[_Piece], extra: int) -> Iterator[Subject]:
    """Each subject of the shot over all pieces; one that the shot before lacks stands where it starts."""
    for subject in shot.subjects:
        parts = []
        for piece in pieces:
            known = {other.character: other for other in piece.shot.subjects}
            if subject.character in known:
                parts.append(known[subject.character].frames(piece.start, piece.stop))
            else:
                parts.extend([subject.frames(0, 1)] * (piece.stop - piece.start))
        parts.extend([parts[-1].frames(len(parts[-1].root) - 1, len(parts[-1].root))] * extra)
        yield Subject(
            subject.character,
            np.concatenate([part.root for part in parts]),
            np.concatenate([part.yaw_rad for part in parts]),
            np.concatenate([part.speed_mps for part in parts]),
            np.concatenate([part.gait_phase for part in parts]),
            np.concatenate([part.box_px for part in parts]),
            np.concatenate([part.visible for part in parts]),
            np.concatenate([part.lift_m for part in parts]),
            tuple(_gestures(parts)),
        )


def _gestures(parts: Sequence[Subject]) -> Iterator[Gesture]:
    """Gestures of consecutive parts, counted from the first; one that goes on over a seam is one gesture."""
    at = 0
    seen: set[Gesture] = set()
    for part in parts:
        for gesture in part.gestures:
            shifted = replace(gesture, start=gesture.start + at)
            if shifted not in seen:
                seen.add(shifted)
                yield shifted
        at += len(part.root)
