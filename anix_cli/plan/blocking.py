"""Blocking: where the character is and which way it faces, frame by frame.

Motion is worked out on a grid of ``SUBSTEPS`` steps a frame and sampled at the frames; what holds at the end
of a shot is the state in which the next shot of the take begins, so that nothing jumps where shots meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..core.gait import Steps
from ..core.plan import Beat, Gesture
from ..core.stage import HeightMap
from ..core.time import frames_from_seconds
from .around import Around
from .legs import leg_of
from .pace import nominal_speed, stride_m
from .postures import gestures_of
from .routes import Routes
from .schedule import Group, groups_of, schedule
from .standing import XZ, Leg, Standing
from .trouble import Trouble

F64 = NDArray[np.float64]

SUBSTEPS = 8


@dataclass(frozen=True)
class Blocked:
    """A shot's blocking. Arrays as in :class:`anix_cli.core.plan.Subject`; ``end`` begins the next shot."""

    beats: tuple[Beat, ...]
    root: F64
    yaw_rad: F64
    speed_mps: F64
    gait_phase: F64
    lift_m: F64
    gestures: tuple[Gesture, ...]
    end: Standing
    troubles: tuple[Trouble, ...]


@dataclass(frozen=True)
class Part:
    """What one of several characters does of a shot's beats.

    Attributes:
        beats: their numbers.
        reach_m: for each beat of the shot, about how far whoever does it has to go to its place.
        wait: so many frames it stands still before it first goes anywhere.
    """

    beats: tuple[int, ...]
    reach_m: tuple[float | None, ...]
    wait: int = 0


LONGEST_S = 3600
"""The longest shot that can be written."""


def block(
    beats: Sequence[Beat],
    frames: int,
    fps: Fraction,
    *,
    start: Standing,
    ground: HeightMap,
    around: Around,
    steps: Steps | None = None,
    part: Part | None = None,
    motions: Collection[str] = (),
) -> Blocked:
    """Blocks one shot.

    Args:
        beats: as read from the command; none is a hold.
        around: where it goes.
        steps: how long the character's own steps are; None: those of a person.
        part: which of the beats are this character's; None: all.
        motions: names of the motions that the screenplay gives it.

    Returns:
        The blocking; its troubles say what does not fit in (E211, E212) or only just (W203), is done
        already (W210), or leads nowhere (E221). The duration that E212 names has been tried.
    """
    done = _block(beats, frames, fps, start, ground, around, steps, part, motions)
    if not _too_fast(done):
        return done

    def fits(tenths: int) -> bool:
        length = frames_from_seconds(Fraction(tenths, 10), fps)
        return length >= frames and not _too_fast(
            _block(beats, length, fps, start, ground, around, steps, part, motions)
        )

    short, enough = 0, max(1, math.ceil(10 * frames / fps))
    while not fits(enough) and enough < 10 * LONGEST_S:
        short, enough = enough, min(2 * enough, 10 * LONGEST_S)
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if fits(middle) else (middle, enough)
    seconds = enough / 10 if fits(enough) else None
    return replace(done, troubles=tuple(_needing(trouble, seconds) for trouble in done.troubles))


def _too_fast(blocked: Blocked) -> bool:
    return any(trouble.code == "E212" for trouble in blocked.troubles)


def _needing(trouble: Trouble, seconds: float | None) -> Trouble:
    """E212 with the duration that the shot needs, as it is to be written."""
    if trouble.code != "E212":
        return trouble
    if seconds is None:
        never = f"{trouble.message}; no shot is long enough for it."
        return replace(trouble, message=never, hint="Say a smaller distance or number.")
    return replace(
        trouble, message=f"{trouble.message}: all that the shot holds needs at least {seconds:g} s.",
        hint=f"Write duration: {seconds:g}s, {trouble.hint}.",
    )  # fmt: skip


def _block(
    beats: Sequence[Beat],
    frames: int,
    fps: Fraction,
    start: Standing,
    ground: HeightMap,
    around: Around,
    steps: Steps | None,
    part: Part | None,
    motions: Collection[str],
) -> Blocked:
    """Blocks a shot of just so many frames."""
    troubles: list[Trouble] = []
    groups = groups_of(beats)
    if len(groups) > frames:
        troubles.append(Trouble("E211", f"{len(groups)} actions do not fit into {frames} frames.",
                                "Make the shot longer or split it."))  # fmt: skip
        beats, groups = (), []
    reach = reaches(beats, start, around) if part is None else part.reach_m[: len(beats)]
    placed, ease_of = schedule(beats, reach, frames, fps)
    step_s = 1.0 / (float(fps) * SUBSTEPS)
    mine = range(len(beats)) if part is None else part.beats
    spans = _spans(placed, groups, mine, frames, 0 if part is None else part.wait)
    legs: list[Leg] = []
    now = start
    for index, beat in enumerate(spans):
        after = spans[index + 1] if index + 1 < len(spans) else None
        times = np.arange(beat.frames * SUBSTEPS + 1, dtype=np.float64) * step_s
        leg, trouble = leg_of(beat, after, now, times, around.until(beat.start + beat.frames))
        troubles.extend(trouble)
        legs.append(leg)
        now = replace(
            now, xz=(float(leg.xz[-1, 0]), float(leg.xz[-1, 1])), yaw_rad=float(leg.yaw[-1]),
            speed_mps=float(leg.speed[-1]), slip_rad=leg.slip,
        )  # fmt: skip
    if ease_of < 0.5 and not any(trouble.code == "E212" for trouble in troubles):
        hurried = f"The shot has {ease_of:.0%} of the time that its actions usually take."
        troubles.append(Trouble("W203", hurried, "Make it longer, or split it into shots."))
    arrays, last = _sample(legs, start, step_s, ground, steps.at if steps else stride_m)
    own = [placed[index] for index in mine if index < len(placed)]
    gestures, posture = gestures_of(own, frames, fps, start.posture, motions)
    return Blocked(placed, *arrays, gestures, replace(now, phase=last, posture=posture), tuple(troubles))


def _spans(
    placed: Sequence[Beat], groups: Sequence[Group], mine: Container[int], frames: int, wait: int
) -> list[Beat]:
    """What one character does, without gaps: it stands still while only others act.

    Args:
        wait: so many frames it stands still before it first goes anywhere.
    """
    found: list[Beat] = []
    at = 0
    for group in groups:
        own = [member for member in group.members if member in mine]
        if not own:
            continue
        beat = placed[next((one for one in own if placed[one].category == "locomotion"), own[0])]
        if wait and nominal_speed(beat) > 0 and beat.frames > wait:
            beat = replace(beat, start=beat.start + wait, frames=beat.frames - wait)
            wait = 0
        if beat.start > at:
            found.append(Beat("gesture", "hold", start=at, frames=beat.start - at))
        found.append(beat)
        at = beat.start + beat.frames
    if at < frames:
        found.append(Beat("gesture", "hold", start=at, frames=frames - at))
    return found


def _sample(
    legs: list[Leg], start: Standing, step_s: float, ground: HeightMap, step_of: Callable[[F64], F64]
) -> tuple[tuple[F64, F64, F64, F64, F64], float]:
    """The fine grid at the frames: root, yaw, speed, gait phase (by the steps that the distance takes), lift
    of a jump; and the phase at the end."""
    rates = [np.maximum(leg.speed / step_of(leg.speed), leg.cadence) for leg in legs]
    phases, phase = [], start.phase
    for rate in rates:
        steps = phase + np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * step_s)])
        phases.append(steps)
        phase = float(steps[-1])

    def frames_of(parts: Sequence[F64]) -> F64:
        return np.concatenate([part[:-1:SUBSTEPS] for part in parts])

    xz = frames_of([leg.xz for leg in legs])
    root = np.column_stack([xz[:, 0], ground.at(xz) + start.lift_m, xz[:, 1]])
    yaw, speed = frames_of([leg.yaw for leg in legs]), frames_of([leg.speed for leg in legs])
    return (root, yaw, speed, frames_of(phases), frames_of([leg.hop for leg in legs])), phase


def reaches(beats: Sequence[Beat], start: Standing, around: Around) -> list[float | None]:
    """About how far each beat has to go to its place, the beats taken in order."""
    here, out = start.xz, list[float | None]()
    places = around.until(0).places
    for beat in beats:
        place = places.get(beat.target or "") if beat.direction == "toward" else None
        moves = place is not None and nominal_speed(beat) > 0
        out.append(_far(here, place, around.routes) if place is not None and moves else None)
        here = place if place is not None and moves else here
    return out


def _far(here: XZ, place: XZ, routes: Routes | None) -> float:
    route = None if routes is None else routes.route(here, place)
    return math.dist(here, place) if route is None else route.length_m
