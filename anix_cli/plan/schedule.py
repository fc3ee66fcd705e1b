"""Which frames of a shot each beat takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from ..core.plan import Beat
from ..words.lexicon import senses_of_actions
from .pace import acceleration, nominal_speed, stride_m

TURN_RATE = math.radians(180)
"""Peak rate at which a character turns in the normal course of things, radians a second."""
DEFAULT_TURN_DEG = {"left": 90.0, "right": -90.0, "back": 180.0, "around": 180.0, "backward": 180.0,
                    "clockwise": -360.0, "counterclockwise": 360.0}  # fmt: skip


@dataclass(frozen=True)
class Group:
    """Numbers of the beats that happen at the same time, and of the one that moves the character."""

    members: tuple[int, ...]
    leader: int


def groups_of(beats: Sequence[Beat]) -> list[Group]:
    """The shot's beats in time order; one "with_previous" joins the one before. Camera beats take no time."""
    found: list[list[int]] = []
    for index, beat in enumerate(beats):
        if beat.category == "camera":
            continue
        if beat.sync == "with_previous" and found:
            found[-1].append(index)
        else:
            found.append([index])
    return [
        Group(tuple(members), next((m for m in members if beats[m].category == "locomotion"), members[0]))
        for members in found
    ]


def turn_angle(beat: Beat) -> float | None:
    """The signed angle, radians, that a turn or spin is written with; None if it depends on a target."""
    if beat.amount is None and beat.direction == "toward":
        return None
    sign = -1.0 if beat.direction in {"right", "clockwise"} else 1.0
    if beat.amount and beat.amount.unit == "deg":
        return sign * math.radians(beat.amount.value)
    if beat.amount and beat.amount.unit == "turns":
        return sign * math.tau * beat.amount.value
    times = beat.amount.value if beat.amount and beat.amount.unit == "times" else 1.0
    if beat.action == "spin":
        return sign * math.tau * times
    return math.radians(DEFAULT_TURN_DEG.get(beat.direction or "", 90.0)) * times


def written_distance(beat: Beat) -> float | None:
    """Metres that a beat is written to cover, or None."""
    if beat.category != "locomotion" or beat.amount is None or nominal_speed(beat) == 0:
        return None
    if beat.amount.unit == "m":
        return beat.amount.value
    if beat.amount.unit == "steps":
        return beat.amount.value * float(stride_m(nominal_speed(beat)))
    return None


def _typical(beat: Beat, reach_m: float | None) -> tuple[float, bool]:
    """Usual seconds of a beat, and whether it takes whatever time is left."""
    if beat.amount and beat.amount.unit == "s":
        return beat.amount.value, False
    times = beat.amount.value if beat.amount and beat.amount.unit == "times" else 1.0
    speed = nominal_speed(beat)
    distance = written_distance(beat) or (reach_m if speed > 0 else None)
    if distance is not None:
        return distance / speed + speed / acceleration(speed) + 0.5, False
    if beat.action in {"turn", "spin"}:
        angle = turn_angle(beat)
        return 0.2 + 1.5 * abs(math.pi / 2 if angle is None else angle) / TURN_RATE, False
    if speed > 0:
        return 1.0, True
    return _typical_of_action().get(beat.action, 2.0) * times, False


@cache
def _typical_of_action() -> dict[str, float]:
    return {action: verb.typical_s for action, verb in senses_of_actions().items()}


def schedule(
    beats: Sequence[Beat], reach_m: Sequence[float | None], frames: int, fps: Fraction
) -> tuple[tuple[Beat, ...], float]:
    """Shares a shot's frames among its beats.

    Args:
        reach_m: for each beat that goes to a place, about how far that is.

    Returns:
        The beats with ``start`` and ``frames`` set, and how much of its usual time each gets (1 = enough; a
        shot that is too short for what it holds hurries all alike).
    """
    groups = groups_of(beats)
    total_s = float(frames / fps)
    usual = [_typical(beats[group.leader], reach_m[group.leader]) for group in groups]
    needed = sum(seconds for seconds, _ in usual)
    lengths = [seconds for seconds, _ in usual]
    ease_of = min(1.0, total_s / needed) if needed > 0 else 1.0
    if ease_of < 1.0:
        lengths = [seconds * ease_of for seconds in lengths]
    elif lengths:
        takers = [index for index, (_, elastic) in enumerate(usual) if elastic] or [len(lengths) - 1]
        for index in takers:
            lengths[index] += (total_s - needed) / len(takers)
    edges = [0]
    for index, seconds in enumerate(lengths):
        left = len(lengths) - 1 - index
        edge = frames if left == 0 else round(edges[-1] + seconds * float(fps))
        edges.append(min(max(edge, edges[-1] + 1), frames - left))
    placed = [replace(beat, start=0, frames=frames) for beat in beats]
    for group, start, stop in zip(groups, edges, edges[1:], strict=False):
        for member in group.members:
            placed[member] = replace(beats[member], start=start, frames=stop - start)
    return tuple(placed), ease_of
