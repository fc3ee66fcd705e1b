"""A model acts: its own clips where it has them, else a person's gaits and gestures, else it hops along."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.easing import smoothstep
from anix_cli.core.gait import Steps

from ..course import Course
from ..families import AT_REST
from ..gestures import ACTIONS, Act, posture
from ..moment import Moment
from ..pose import gait
from .clips import Track
from .dressed import Dressed
from .figure import Figure, at_ease
from .footing import Footing, Stance, footing
from .legs import Feet, Wanted
from .model import F64, Clip, Pose
from .moves import bob, gait_turns, gesture_turns, leg_m, moved, sway, with_trunk
from .pose import blended
from .repertoire import IDLE, RUN, WALK, clip_for, motion_for
from .sample import Skin
from .stride import Gaitway, as_performed, even, feet_rows, measure, neutral_places

_EASE_S = 0.3
_GOING = (0.0, 0.45)
"""Speeds between which a body goes over from standing to walking, m/s at 1.7 m."""
_HANG_RAD = math.radians(7)
_WALK_SHARE, _RUN_SHARE = 0.8, 1.36
"""Lengths of a step, in lengths of a leg: 0.7 and 1.2 m at 0.88 m."""
_MEASURED_BY = 4000
_HURRIED = 1.25
_LEAPS_HZ, _ROLLS = 30.0, 0.02
"""A body that is less than this share of its height off the ground only rolls on its feet."""
_HOPS = 0.04
"""Of the height: a clip that lifts both feet further is no walk, whatever it is called."""
_STANDING = frozenset(
    {
        "wave",
        "cheer",
        "clap",
        "nod",
        "shake_head",
        "point",
        "salute",
        "shrug",
        "talk",
        "bow",
        "throw",
        "punch",
    }
)
"""Gestures in which feet stay where they are, whatever a clip of them does."""
_GESTURES = ("left_upper_arm", "spine", "chest")
"""Any one of these parts, and gestures without a clip can be seen."""


class Actor:
    """A figure that acts; its gaits are measured on a coarse copy.

    Args:
        motions: clips from outside, by the name that the screenplay gives them; they come before its own.
        coarse: the coarse copy, where it cannot be made of the figure's surface.
        ease: how it stands; None: as at rest, with hanging arms.
    """

    def __init__(
        self,
        figure: Figure,
        motions: Mapping[str, Clip] | None = None,
        *,
        coarse: Dressed | None = None,
        ease: Pose | None = None,
    ) -> None:
        self.figure = figure
        self.motions = dict(motions or {})
        self._given = coarse, ease
        self._rest = figure.model.nodes.rest
        self._tracks: dict[int, Track] = {}
        self._airs: dict[int, F64] = {}
        self._gaits: dict[str, Gaitway] = {}
        self._clips: dict[str, Clip | None] = {}

    @cached_property
    def _coarse(self) -> Dressed:
        return self._given[0] or Dressed(self.figure, _MEASURED_BY, plain=True)

    @cached_property
    def _ease(self) -> Pose:
        return self._given[1] or at_ease(self.figure, _HANG_RAD)

    @cached_property
    def _leg_m(self) -> float | None:
        return leg_m(self.figure, self._ease)

    @cached_property
    def _places(self) -> F64:
        """[2, 2] (x, z) of its feet at rest."""
        rows = feet_rows(self._coarse)
        return np.zeros((2, 2)) if rows is None else neutral_places(self._coarse, rows)

    @cached_property
    def _feet(self) -> Feet | None:
        rows = feet_rows(self._coarse)
        return None if rows is None or self.moves() == "rigid" else Feet(self._coarse, rows)

    @cached_property
    def _legs(self) -> list[int]:
        """The nodes of both legs."""
        nodes, roles = self.figure.model.nodes, self.figure.roles
        tops = [roles[f"{side}_upper_leg"] for side in ("left", "right") if f"{side}_upper_leg" in roles]
        return [node for top in tops for node in nodes.below(top)]

    def _clip(self, action: str) -> Clip | None:
        """The clip for an action, looked up once."""
        if action not in self._clips:
            given = motion_for(action, self.motions)
            own = clip_for(action, self.figure.model.clips)
            self._clips[action] = own if given is None else self.motions[given]
        return self._clips[action]

    def from_outside(self, action: str) -> bool:
        """Whether an action is shown by one of the screenplay's motions."""
        return motion_for(action, self.motions) is not None

    @cached_property
    def _lower(self) -> F64:
        """[J] 1 for what walks: hips and legs, and all that the upper body does not carry."""
        nodes, roles = self.figure.model.nodes, self.figure.roles
        top = roles.get("spine", roles.get("chest"))
        lower = np.ones(len(nodes.names))
        if top is not None:
            lower[nodes.below(top)] = 0
            for side in ("left", "right"):
                if f"{side}_upper_leg" in roles:
                    lower[nodes.below(roles[f"{side}_upper_leg"])] = 1
        else:
            lower[:] = 0
        return lower

    @cached_property
    def walk(self) -> Gaitway | None:
        return self._gaitway(WALK, _WALK_SHARE, 1.4)

    @cached_property
    def run(self) -> Gaitway | None:
        return self._gaitway(RUN, _RUN_SHARE, 4.0)

    @cached_property
    def idle(self) -> Track | None:
        clip = self._clip(IDLE)
        return None if clip is None else self._track(clip)

    @cached_property
    def steps(self) -> Steps:
        """How long its steps are, walking and running."""
        leg = self._leg_m or 0.5 * self.figure.height_m
        walk, run = self.walk or self.run, self.run or self.walk
        if walk is None or run is None:
            return Steps(_WALK_SHARE * leg, _RUN_SHARE * leg, leg)
        return Steps(walk.stride.length_m / 2, run.stride.length_m / 2, leg)

    def moves(self) -> str:
        """How it walks: "clips", "bones" or "rigid"."""
        if self.walk or self.run:
            return "clips"
        return "bones" if self._leg_m is not None else "rigid"

    def pose(self, now: Moment) -> tuple[Pose, F64, float]:
        """The pose of a moment; what moves the whole body, [4, 4]; how far its lowest point is off the
        ground."""
        going = self._going(now.speed_mps)
        pose, air, shift = self._standing(now), 0.0, np.eye(4)
        if going > 0:
            walking, air, shift = self._walking(now)
            pose = blended(pose, walking, going)
            air *= going
        for act in now.acts:
            pose = self._acting(pose, act, going, now)
            air = max(air, self._leap(act) if now.lift_m <= 0 else 0.0)
        pose = self._gesturing(pose, now)
        if now.course is not None and self._feet is not None:
            pose, rise = self._stood(pose, now, now.course, shift)
            air = max(air, rise)
        return pose, shift, air

    def soles(self, skin: Skin) -> NDArray[np.bool_]:
        """Which Gaussians stand on the ground where feet do; none where there are no feet."""
        if self._feet is None:
            return np.zeros(len(skin), dtype=bool)
        return np.isin(self.figure.model.bones[skin.bones[:, 0]], self._feet.nodes)

    def shows(self, action: str) -> bool:
        """Whether a gesture can be seen on it: it has a clip for it, or a person's bones to do it with. What
        is only in the face is seen on a body that stands."""
        if action in AT_REST or self._clip(action) is not None:
            return True
        return action in ACTIONS and not self.figure.roles.keys().isdisjoint(_GESTURES)

    def on_its_feet(self, now: Moment) -> bool:
        """Whether its feet carry it: not in a gesture that has the legs for itself."""
        return max((self._lets_go(act) for act in now.acts), default=0.0) < 0.5

    def _going(self, speed_mps: float) -> float:
        """0 … 1: how far a body has gone over from standing to going."""
        return float(smoothstep(speed_mps / math.sqrt(self.figure.height_m / 1.7), *_GOING))

    def _stood(self, pose: Pose, now: Moment, course: Course, shift: F64) -> tuple[Pose, float]:
        """The pose with its feet where they stand on the ground; how far both are off it at least."""
        firmness = 1 - max((self._lets_go(act) for act in now.acts), default=0.0)
        firmness *= 1 - float(smoothstep(now.lift_m, 0.0, 0.04))
        if firmness <= 0 or self._feet is None:
            return pose, 0.0
        if id(self) not in course.known:
            course.known[id(self)] = footing(course, self._stance, self.steps, self.figure.height_m)
        ways: Footing = course.known[id(self)]
        places, yaws, rises, planted, flat, carries = ways.time(now.time_s * course.fps)
        root = np.asarray(now.root, dtype=np.float64)[[0, 2]]
        c, s = math.cos(now.yaw_rad), math.sin(now.yaw_rad)
        local = (places - root) @ np.array([[c, s], [-s, c]]) - shift[[0, 2], 3]
        wanted = [
            Wanted(
                (float(local[side, 0]), float(local[side, 1])),
                math.remainder(float(yaws[side]) - now.yaw_rad, 2 * math.pi),
                float(rises[side]),
                bool(planted[side]),
                float(flat[side]),
                float(carries[side]),
            )
            for side in (0, 1)
        ]
        rise = 0.0 if planted.any() else firmness * float(rises.min())
        return self._feet.placed(pose, wanted, firmness), rise

    def _lets_go(self, act: Act) -> float:
        """0 … 1: how far a gesture has the legs for itself."""
        ease = min(_EASE_S, act.duration_s / 2)
        held = float(smoothstep(min(act.elapsed_s, act.duration_s - act.elapsed_s), 0, max(ease, 1e-6)))
        clip = self._clip(act.action)
        if clip is None:
            return max(leg.hold for leg in posture([act]).legs)
        if clip.rhythm is not None:
            return 0.0
        return held if self._track(clip).moved[self._legs].any() and act.action not in _STANDING else 0.0

    def _stance(self, speed_mps: float) -> Stance:
        """How it steps at a speed; backwards a round is gone through the other way."""
        going, share = self._going(abs(speed_mps)), float(self.steps.running(abs(speed_mps)))
        walk, run = self.walk or self.run, self.run or self.walk
        strikes, spans, places = np.array([0.0, 1.0]), np.full(2, 1.0 - 0.4 * share), self._places
        if walk is not None and run is not None:
            a, b = walk.stride, run.stride
            apart = np.remainder(b.strikes - a.strikes + 1, 2) - 1
            strikes = np.remainder(a.strikes + share * apart, 2)
            spans = a.spans + share * (b.spans - a.spans)
            places = a.places + share * (b.places - a.places)
        if walk is None or walk.stride.air_m.max() < _HOPS * self.figure.height_m:
            # One who walks and does not hop is never off the ground with both feet.
            apart = np.remainder(strikes[::-1] - strikes, 2)  # until the other one strikes
            spans = np.maximum(spans, (1 - 0.6 * share) * apart + 0.02)
        if speed_mps < 0:
            strikes = np.remainder(-strikes - spans, 2)
        return Stance(self._places + going * (places - self._places), strikes, spans, going)

    def _standing(self, now: Moment) -> Pose:
        if self.idle is None:
            return self._ease
        return self.idle.at(now.time_s % max(self.idle.duration_s, 1e-3))

    def _walking(self, now: Moment) -> tuple[Pose, float, F64]:
        """(pose, height in the air, what moves the whole) of a body that goes."""
        phase = now.phase
        share = float(self.steps.running(now.speed_mps))
        walk, run = self.walk or self.run, self.run or self.walk
        if walk is not None and run is not None:
            pose, air = walk.at(phase), walk.air(phase)
            if share > 0 and run is not walk:
                pose = blended(pose, run.at(phase), share)
                air += share * (run.air(phase) - air)
            return pose, air, np.eye(4)
        if self._leg_m is None:
            tilt, rise = bob(now.speed_mps, phase, self.figure.height_m)
            shift = np.eye(4)
            c, s = math.cos(tilt), math.sin(tilt)
            shift[:2, :2] = [[c, -s], [s, c]]
            return self._ease if self.idle is None else self._standing(now), rise, shift
        angles = gait(
            now.speed_mps,
            phase,
            height_m=self.figure.height_m,
            reach_m=(float(self.steps.at(now.speed_mps)), self._leg_m),
        )
        aside, up = sway(angles)
        shift = np.eye(4)
        shift[0, 3] = aside
        turns = with_trunk(self.figure, gait_turns(angles))
        return moved(self.figure, self._ease, turns), up, shift

    def _acting(self, pose: Pose, act: Act, going: float, now: Moment) -> Pose:
        """A gesture for which there is a clip, laid over the pose; or another way of going."""
        clip = self._clip(act.action)
        if clip is None or not 0 <= act.elapsed_s <= act.duration_s:
            return pose
        track = self._track(clip)
        ease = min(_EASE_S, act.duration_s / 2)
        share = float(smoothstep(min(act.elapsed_s, act.duration_s - act.elapsed_s), 0, max(ease, 1e-6)))
        if clip.rhythm is not None:
            return blended(pose, self._gait_by(clip, self.steps.leg_m).at(now.phase), share * going)
        target = track.at(self._time(clip, act))
        return blended(pose, target, share * (1 - going * self._lower))

    def _time(self, clip: Clip, act: Act) -> float:
        track, length = self._track(clip), act.duration_s
        own = track.duration_s
        if clip is self.motions.get(clip.name) and own >= length:  # as fast as it was, or nearly so
            return act.elapsed_s * min(own / max(length, 1e-3), _HURRIED)
        return _time_in(track, act.elapsed_s, length)

    def _leap(self, act: Act) -> float:
        """How far a motion from outside lifts all of the body off the ground."""
        clip = self._clip(act.action)
        if clip is None or not self.from_outside(act.action):
            return 0.0
        share = self._lets_go(act)
        if share <= 0:
            return 0.0
        track = self._track(clip)
        if id(clip) not in self._airs:
            times = np.linspace(0, track.duration_s, max(2, round(track.duration_s * _LEAPS_HZ)))
            rows = self._coarse.skin.body
            low = np.array([self._coarse.means(track.at(float(at)))[rows, 1].min() for at in times])
            self._airs[id(clip)] = np.maximum(low - np.percentile(low, 10) - _ROLLS * self.figure.height_m, 0)
        airs = self._airs[id(clip)]
        place = self._time(clip, act) / max(track.duration_s, 1e-3) * (len(airs) - 1)
        return share * float(np.interp(place, np.arange(len(airs)), airs))

    def _gesturing(self, pose: Pose, now: Moment) -> Pose:
        """Gestures for which there is no clip, with a person's bones."""
        roles = self.figure.roles
        acts = [act for act in now.acts if self._clip(act.action) is None]
        if not acts or roles.keys().isdisjoint(_GESTURES):
            return pose
        turns, hold = gesture_turns(posture(acts))
        limbs = {role: quat for role, quat in turns.items() if role in hold}
        trunk = with_trunk(self.figure, {role: quat for role, quat in turns.items() if role not in hold})
        if limbs:
            shares = np.zeros(len(self._rest.turn))
            for role, share in hold.items():
                if role in roles:
                    shares[roles[role]] = share
            pose = blended(pose, moved(self.figure, self._ease, limbs), shares)
        return moved(self.figure, pose, trunk)

    def _gaitway(self, action: str, share: float, speed_mps: float) -> Gaitway | None:
        clip = self._clip(action)
        if clip is None:
            return None
        track, leg = self._track(clip), self._leg_m or 0.5 * self.figure.height_m
        if clip.rhythm is not None:
            return self._gait_by(clip, leg, runs=action == RUN)
        stride = measure(self._coarse, track) or even(track, 2 * share * leg, self._places)
        return Gaitway(track, stride)

    def _gait_by(self, clip: Clip, leg_m: float, *, runs: bool = False) -> Gaitway:
        """The gait of a clip from outside that goes."""
        if clip.name not in self._gaits:
            track = self._track(clip)
            stride = as_performed(self._coarse, track, clip.rhythm, self._places, leg_m=leg_m, runs=runs)
            self._gaits[clip.name] = Gaitway(track, stride)
        return self._gaits[clip.name]

    def _track(self, clip: Clip) -> Track:
        if id(clip) not in self._tracks:
            self._tracks[id(clip)] = Track(clip, self._rest)
        return self._tracks[id(clip)]


def _time_in(track: Track, elapsed_s: float, length_s: float) -> float:
    """The time of a clip in a gesture: hurried to fit in; a clip that ends as it began goes round."""
    own = max(track.duration_s, 1e-3)
    if own >= length_s:
        return elapsed_s * min(own / max(length_s, 1e-3), 2.0)
    if track.closes():
        rounds = max(1, round(length_s / own))
        return (elapsed_s / length_s * rounds % 1.0) * own
    return min(elapsed_s, own)
