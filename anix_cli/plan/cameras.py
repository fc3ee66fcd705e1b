"""Films a shot: its camera moves one after the other, each joined to what was before.

Each move is a rule (:mod:`.moves`). Joining is done in one place (:mod:`.joining`), so that nothing jumps
where the parts of a take meet. A camera at rest starts the next part exactly where it stands.

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
from .joining import BLEND_S, CameraState, join
from .motion import fade_out
from .moves import RULES, stand
from .rigs import CLEARANCE, LEAST_CLEARANCE_M, poses_of, turned
from .sights import Part, Setup, Sight, Start
from .wanted import Wanted

F64 = NDArray[np.float64]

LOOK_RATE = math.radians(75)
SHORTEST_S = 0.25


@dataclass(frozen=True)
class Filmed:
    """A shot's camera: world_from_camera [F, 4, 4], intrinsics [F, 3, 3], and the state in which it ends."""

    world_from_camera: F64
    intrinsics: F64
    end: CameraState


def film(
    parts: Sequence[Part],
    sight: Sight,
    size_px: tuple[int, int],
    fps: float,
    before: CameraState | None,
    wanted: Wanted | None = None,
) -> Filmed:
    """Films one shot.

    Args:
        parts: its moves in order; their frames add up to those of the shot.
        before: how the shot before in the take ended; None at the start of a take, where the camera begins
            exactly as composed.
        wanted: where the body is to be in the picture at the start of a take, unless a named camera says.
    """
    poses, lenses, start = list[F64](), list[F64](), 0
    state = before
    for part in parts:
        stop = start + part.frames
        placed = part.placed
        if placed is not None and placed.look is not None:
            placed = replace(placed, look=placed.look[start : stop + 1])
        asked = wanted if state is None and placed is None else None
        setup = Setup(part.spec, sight.since(start, stop + 1), size_px, fps, state, placed, asked)
        rig, state = _film(setup)
        pose, lens = poses_of(rig[:-1], sight.ground, size_px)
        poses.append(pose)
        lenses.append(lens)
        start = stop
    if state is None:
        raise ValueError("a shot has at least one camera")
    return Filmed(np.concatenate(poses), np.concatenate(lenses), state)


def _film(setup: Setup) -> tuple[F64, CameraState]:
    """The rig [F + 1, 8] of one part, and how it ends."""
    placed, before, move = setup.placed, setup.before, setup.spec.move
    stands = placed is not None and move == "stationary"
    turn = (0.0, 0.0)
    if stands:
        rule = stand(setup)
    else:
        rule, start = RULES[move](setup)
        rule = _look_past(rule, start, setup)
        turn = start.turn if start.keeps else turn
    elsewhere = stands and placed is not None and placed.look is not None
    if before is not None:
        stays = before.placed and placed is None and move == "stationary"
        by_eye = elsewhere or before.elsewhere or stays
        rule = join(rule, before, setup.fps, by_eye=by_eye, travel_s=_travel_s(setup, stands=stands))
    floor = float(setup.sight.root[-1, 1])
    return rule, CameraState(rule[-2:], floor, placed=stands, elsewhere=elsewhere, turn=turn)


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
