"""Films a shot: its camera moves one after the other, each joined to what was before.

Each move is a rule (:mod:`.moves`, :mod:`.free_moves`). Joining is done in one place (:mod:`.joining`), so
that nothing jumps where the parts of a take meet. A camera at rest starts the next part exactly where it
stands.

With a named camera, the first part of a take begins exactly there. In the middle of a take the camera travels
there: for the whole part if it is to stand there, else for the first half of it, and moves on in the second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from ..core.optics import Optics
from .focus import focused
from .free_moves import FREE, hold
from .handheld import shaken
from .joining import BLEND_S, CameraState, join
from .lead import lead_of
from .motion import fade_out
from .moves import RULES, stand
from .rigs import (
    AZIMUTH,
    CLEARANCE,
    ELEVATION,
    LEAST_CLEARANCE_M,
    eyes_of,
    offset_of,
    poses_of,
    rigs_at,
    rigs_from_poses,
    turned,
)
from .sights import Part, Placed, Setup, Shift, Sight, Start, looked_at
from .wanted import Wanted

F64 = NDArray[np.float64]

LOOK_RATE = math.radians(75)
SHORTEST_S = 0.25
TURNS = frozenset({"pan", "tilt", "whip"})
"""What these are to look at is what they end with."""
_AIM_M = 3.0
"""So far before a camera on a path lies the aim of its rig."""


@dataclass(frozen=True)
class Filmed:
    """A shot's camera: world_from_camera [F, 4, 4], intrinsics [F, 3, 3], and the state in which it ends."""

    world_from_camera: F64
    intrinsics: F64
    end: CameraState
    optics: Optics | None = None


@dataclass(frozen=True)
class Chance:
    """Where a take's chance comes from, if one begins: the film's seed and the shot's name."""

    film: int = 0
    shot: str = ""

    @property
    def seed(self) -> str:
        return f"anix-camera/1\0{self.film}\0{self.shot}"


def film(
    parts: Sequence[Part],
    sight: Sight,
    size_px: tuple[int, int],
    fps: float,
    before: CameraState | None,
    wanted: Wanted | None = None,
    *,
    chance: Chance | None = None,
    shift: Shift | None = None,
) -> Filmed:
    """Films one shot.

    Args:
        parts: its moves in order; their frames add up to those of the shot.
        before: how the shot before in the take ended; None at the start of a take, where the camera begins
            exactly as composed.
        wanted: where the body is to be in the picture at the start of a take, unless a named camera says.
        shift: by how much the camera is to stand otherwise than composed.
    """
    poses, lenses, focus, start = list[F64](), list[F64](), list[F64](), 0
    state = before
    for part in parts:
        stop = start + part.frames
        asked = wanted if state is None and part.placed is None else None
        setup = _setup(part, sight, size_px, fps, state, (start, stop + 1), asked, shift or Shift())
        rig, after = _film(setup)
        pose, lens = poses_of(rig, sight.ground, size_px)
        seed = (chance or Chance()).seed if state is None else state.seed
        after = replace(after, seed=seed, frames=part.frames + (state.frames if state else 0))
        plane, after = focused(part, setup, pose, after, (start, stop + 1))
        pose, after = shaken(pose, setup, after)
        poses.append(pose[:-1])
        lenses.append(lens[:-1])
        focus.append(plane[:-1])
        state, start = after, stop
    if state is None:
        raise ValueError("a shot has at least one camera")
    f_number = state.f_number
    sharp = np.concatenate(focus)
    optics = None if f_number is None else Optics(f_number, tuple(sharp.tolist()))
    return Filmed(np.concatenate(poses), np.concatenate(lenses), state, optics)


def _setup(
    part: Part,
    sight: Sight,
    size_px: tuple[int, int],
    fps: float,
    before: CameraState | None,
    frames: tuple[int, int],
    wanted: Wanted | None,
    shift: Shift,
) -> Setup:
    """All that a rule looks at; ``frames``: those of the part in its shot, with the one after it."""
    placed = part.placed
    if placed is not None and placed.look is not None:
        placed = replace(placed, look=placed.look[slice(*frames)])
    target, sight = part.target, sight.since(*frames)
    if target is not None:
        target = target.since(*frames)
    about = target if part.spec.move not in TURNS | {"follow"} else None
    return Setup(
        part.spec,
        sight if about is None else about.sight,
        size_px,
        fps,
        before,
        placed,
        wanted,
        auto=part.auto,
        about="" if about is None else about.name,
        target=target,
        way=part.way,
        shift=shift,
    )


def _film(setup: Setup) -> tuple[F64, CameraState]:
    """The rig [F + 1, 9] of one part, and how it ends."""
    placed, before, move = setup.placed, setup.before, setup.spec.move
    still = move in {"stationary", "rack_focus"}
    stands = placed is not None and still
    holds = still and not stands and _holds(setup)
    free = move in FREE or setup.way is not None or holds
    turn = np.zeros(2)
    if free:
        rule = _way(setup) if setup.way is not None else hold(setup) if holds else FREE[move](setup)
        if move != "truck":
            rule[:, CLEARANCE] = np.minimum(rule[:, CLEARANCE], _unlifted(eyes_of(rule), setup))
    elif stands:
        rule = stand(setup)
    else:
        rule, start = RULES[move](setup)
        rule = _look_past(rule, start, setup)
        turn = np.array(start.turn) if start.keeps else turn
        rule, led = lead_of(rule, setup)
        turn = turn + led
    elsewhere = free or (stands and placed is not None and placed.look is not None)
    if before is not None:
        stays = before.placed and placed is None and still
        other = before.target != setup.about
        by_eye = elsewhere or before.elsewhere or stays or other
        travel_s = _travel_s(setup, stands=stands)
        rule = join(rule, before, setup.fps, by_eye=by_eye, travel_s=travel_s)
        if stands and by_eye and travel_s is not None:
            rule = _looking_on(rule, before, setup, travel_s)
    floor = float(setup.sight.root[-1, 1])
    end = CameraState(
        rule[-2:],
        floor,
        placed=stands or free,
        elsewhere=elsewhere,
        turn=(float(turn[0]), float(turn[1])),
        target=setup.about,
        turned_away=free,
    )
    return rule, end


def _looking_on(rig: F64, before: CameraState, setup: Setup, travel_s: float) -> F64:
    """A camera on its way to a named one, turned soon to what that looks at, and then kept on it: turning as
    evenly as it travels, it would look past everybody in between."""
    placed = setup.placed
    if placed is None:
        raise ValueError("only a named camera is travelled to")
    toward = rigs_at(eyes_of(rig), looked_at(setup, placed), 1.0, 0.0)
    offset, rate = offset_of(before.rigs[1], toward[0]), offset_of(before.rigs[1], before.rigs[0])
    rate = (rate - offset_of(toward[1], toward[0])) * setup.fps
    angles = [AZIMUTH, ELEVATION]
    length = min(max(BLEND_S, 1.875 * float(np.abs(offset[angles]).max()) / LOOK_RATE), travel_s)
    times = np.arange(len(rig)) / setup.fps
    looks = toward[:, angles] + fade_out(offset[angles], rate[angles], times, length)
    return turned(rig, looks - rig[:, angles])


def _holds(setup: Setup) -> bool:
    """Whether a camera that is told to stand still keeps the view to which a move of its own has led."""
    spec, before = setup.spec, setup.before
    composed = (spec.frame, spec.side, spec.distance_m, spec.height_m, spec.look_at) != (None,) * 5
    away = before is not None and before.turned_away
    return away and not setup.auto and not composed and setup.placed is None


def _way(setup: Setup) -> F64:
    """The rig of a path, which is gone exactly."""
    way = setup.way
    if way is None:
        raise ValueError("there is no path")
    return rigs_from_poses(way.poses, way.focal_px, LEAST_CLEARANCE_M, math.log(_AIM_M))


def _unlifted(eye: F64, setup: Setup) -> float:
    """How near to the ground a camera may come so that it is not lifted at all on its way [F, 3]."""
    above = eye[:, 1] - setup.sight.ground.at(eye[:, [0, 2]])
    return Placed(eye[0], None, 1.0, float(above.min())).clearance_m


def _travel_s(setup: Setup, *, stands: bool) -> float | None:
    """How long the camera takes to get to a named one; None where it is there, or there is none."""
    if setup.placed is None or setup.is_there:
        return None
    frames = len(setup.sight.root) - 2 if stands else setup.arrives
    return max(frames / setup.fps, SHORTEST_S)


def _look_past(rule: F64, start: Start, setup: Setup) -> F64:
    """The rule with the view turned past the character; and with what a low named camera may do."""
    turn, placed, arrives = np.array(start.turn), setup.placed, setup.arrives
    since = np.maximum(np.arange(len(rule)) - arrives, 0) / setup.fps
    if placed is not None:
        least = min(LEAST_CLEARANCE_M, placed.above_m / 2)
        more = (least - placed.clearance_m) * smoothstep(since / BLEND_S)
        rule[:, CLEARANCE] = placed.clearance_m + more
    if not turn.any():
        return rule
    if start.keeps:
        return turned(rule, turn)
    rest = max((len(rule) - 2 - arrives) / setup.fps, SHORTEST_S)
    length = min(max(BLEND_S, 1.875 * float(np.abs(turn).max()) / LOOK_RATE), rest)
    return turned(rule, fade_out(turn, 0.0 * turn, since, length))
