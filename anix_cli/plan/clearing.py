"""Cameras that stand free: not inside of what the scene shows, not where nobody filmed, and with the
character in sight. One that does not is moved to the nearest place of a set that is better, and the plan says
so."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.screenplay import CameraSpec
from .cameras import Filmed
from .sights import Part, Shift, Sight
from .trouble import Trouble

F64 = NDArray[np.float64]

ROOM_M = 0.15
"""So much room a camera needs around it."""
HIDDEN = 1 / 3
"""A character may be hidden for this share of a shot."""
OBSERVED = 0.3
"""Where fewer of the ways from a camera end on something, nobody filmed what it would see."""
_SURELY = 0.4
"""The same where the place is only estimated."""
_BETTER = 0.7
"""A place that is not free is taken instead only where this share of the trouble is left."""
_FRAMES, _TRIES, _AT_ONCE = 12, 8, 12
_EACH_M = 0.4
"""So far camera and character may go between two frames that are looked at, if that are not too many."""
_BODY = np.outer((0.93, 0.7, 0.5), (0, 1, 0))
"""Where a body is looked for, above its root, in body heights."""
_BESIDE_M = 0.35
"""What is so near to a body does not hide it: it stands before it, or leans on it."""
_AZIMUTHS_DEG = (0, 20, -20, 45, -45, 70, -70, 100, -100, 140, -140, 180)
_NEARER = (1.0, 0.7, 0.45)
_UP_M = (0.0, 0.7, 1.6)
_SIDE_DEG = 45
"""A camera whose side is written keeps it within so much."""
_OFFSETS = ROOM_M * np.array(
    [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1], [0, 1, 0]], dtype=np.float64
)


class Space(Protocol):
    """What of a scene is taken; points and directions [..., 3], stage frame."""

    def occupied(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether points lie in something."""
        ...

    def between(self, starts: ArrayLike, ends: ArrayLike) -> NDArray[np.bool_]:
        """Whether something is on the straight ways between points."""
        ...

    def observed(self, points: ArrayLike) -> F64:
        """Share of the ways from points that end on something captured."""
        ...


@dataclass(frozen=True)
class Freedom:
    """How free a shot's camera is: shares of its frames in which it is inside something, where nobody filmed,
    and in which the character is hidden."""

    inside: float
    outside: float
    hidden: float

    @property
    def good(self) -> bool:
        return self.inside == 0 and self.outside == 0 and self.hidden <= HIDDEN

    @property
    def badness(self) -> float:
        return 2 * self.inside + self.outside + max(self.hidden - HIDDEN, 0.0)

    def told(self, seconds: float, name: str) -> str:
        """What is wrong, in words."""
        said = [
            f"{what} for {share * seconds:.1f} s"
            for share, what in (
                (self.inside, "the camera is inside something"),
                (self.outside, "the camera is where nobody filmed"),
                (self.hidden if self.hidden > HIDDEN else 0.0, f"{name} is hidden"),
            )
            if share > 0
        ]
        return " and ".join(said)


def freedom(filmed: Filmed, sight: Sight, space: Space, most: float = math.inf) -> Freedom | None:
    """Looks at some frames of a shot; None as soon as it is clear that it is worse than ``most``."""
    some = _some(filmed, sight, _FRAMES)
    eye = filmed.world_from_camera[some, :3, 3]
    inside = space.occupied(eye[:, None, :] + _OFFSETS).any(axis=1)
    taken = np.count_nonzero(inside) / len(some)
    if Freedom(taken, 0.0, 0.0).badness > most:
        return None
    head = sight.root[some[:1]] + [[0.0, sight.height_m, 0.0]]
    filmed_there = space.observed(np.concatenate([eye, head]))
    # In a scene of which little was captured anyway, no place is worse than another.
    outside = ~inside & (filmed_there[:-1] < OBSERVED) & (filmed_there[-1] >= 2 * OBSERVED)
    unfilmed = np.count_nonzero(outside) / len(some)
    if Freedom(taken, unfilmed, 0.0).badness > most:
        return None
    found = Freedom(taken, unfilmed, np.count_nonzero(_hidden(eye, sight, some, space)) / len(some))
    return found if found.badness <= most else None


def _hidden(eye: F64, sight: Sight, some: NDArray[np.int64], space: Space) -> NDArray[np.bool_]:
    """At which frames most of the body is hidden from the camera."""
    body = sight.root[some][:, None, :] + sight.height_m * _BODY
    way = body - eye[:, None, :]
    beside = np.minimum(_BESIDE_M / np.sqrt(np.einsum("fbk,fbk->fb", way, way)), 1)[..., None]
    between = space.between(eye[:, None, :], body - beside * way)
    hidden = np.count_nonzero(between, axis=1) > len(_BODY) / 2
    if hidden.any():  # no camera sees who stands in something
        hidden &= space.occupied(body).mean(axis=1) <= 0.5
    return np.asarray(hidden)


def _some(filmed: Filmed, sight: Sight, most: int) -> NDArray[np.int64]:
    """Frames at which to look: evenly, with the first and the last, and the more the further camera and
    character go."""
    eye = filmed.world_from_camera[:, :3, 3]
    far = max(float((path.max(axis=0) - path.min(axis=0)).max()) for path in (eye, sight.root))
    return _evenly(len(eye), min(max(math.ceil(far / _EACH_M) + 2, 3), most))


@lru_cache(maxsize=1024)
def _evenly(frames: int, count: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, frames - 1, count).astype(np.int64))


def cleared(
    take: Callable[[Shift], Filmed],
    parts: Sequence[Part],
    sight: Sight,
    space: Space,
    *,
    base: Shift,
    seconds: float,
    name: str,
    movable: bool,
) -> tuple[Filmed, Trouble | None]:
    """The shot filmed from where the camera is free, and what is to be told of it (W223, W224).

    Args:
        take: films the shot with the camera so much elsewhere than composed.
        base: where it is at first.
        movable: whether the camera has no place that is written.
    """
    first = take(base)
    found = freedom(first, sight, space)
    if found is None or found.good:
        return first, None
    wrong = found.told(seconds, name)
    best: tuple[Freedom, Filmed, Shift] | None = None
    least = _BETTER * found.badness
    shifts = _candidates([part.spec for part in parts]) if movable else []
    for shift in _promising(shifts, first, sight, space):
        moved = take(_sum(base, shift))
        other = freedom(moved, sight, space, least)
        if other is None:
            continue
        if other.good:
            text = f"As composed, {wrong}. The camera stands {_told(shift)} instead."
            return moved, Trouble("W223", text, "Write side:, distance: or height: to have it elsewhere.")
        if best is None or other.badness < best[0].badness:
            best, least = (other, moved, shift), other.badness
    hint = "Move the camera (side:, distance:, height:, or a named one), or the character."
    if best is not None:
        left = best[0].told(seconds, name)
        text = f"As composed, {wrong}. The camera stands {_told(best[2])} instead, where still {left}."
        return best[1], Trouble("W224", text, hint)
    return first, Trouble("W224", f"{wrong[:1].upper()}{wrong[1:]}.", hint)


def _promising(shifts: Sequence[Shift], first: Filmed, sight: Sight, space: Space) -> Iterator[Shift]:
    """The few of these places that are worth filming from: those that seem free, the nearest first, then
    those that seem least bad."""
    left, ranked = _TRIES, list[tuple[float, Shift]]()
    for begin in range(0, len(shifts), _AT_ONCE):
        some = shifts[begin : begin + _AT_ONCE]
        for bad, shift in zip(_seeming(some, first, sight, space), some, strict=True):
            if bad > 0:
                ranked.append((float(bad), shift))
            elif left:
                left -= 1
                yield shift
    ranked.sort(key=lambda one: one[0])
    yield from (shift for _, shift in ranked[:left])


def _seeming(shifts: Sequence[Shift], first: Filmed, sight: Sight, space: Space) -> F64:
    """How bad each place seems, 0 where it seems free: seen at some frames, as if the whole path moved along
    about the character."""
    some = _some(first, sight, _FRAMES // 2)
    root = sight.root[some]
    away = first.world_from_camera[some, :3, 3] - root
    eyes = np.stack([_moved(away, shift) for shift in shifts]) + root
    inside = space.occupied(eyes[..., None, :] + _OFFSETS).any(axis=-1)
    bad = 2 * inside.mean(axis=1)
    look = np.flatnonzero(bad == 0)
    filmed_there = space.observed(eyes[look])
    bad[look] += (filmed_there < OBSERVED).mean(axis=1) + 0.1 * (filmed_there < _SURELY).mean(axis=1)
    look = look[bad[look] == 0]
    if len(look):
        hidden = _hidden(eyes[look].reshape(-1, 3), sight, np.tile(some, len(look)), space)
        bad[look] += np.maximum(hidden.reshape(len(look), -1).mean(axis=1) - HIDDEN, 0)
    return np.asarray(bad)


def _moved(away: F64, shift: Shift) -> F64:
    """Ways [F, 3] from the character to the camera, after a shift."""
    sine, cosine = math.sin(shift.azimuth_rad), math.cos(shift.azimuth_rad)
    x, z = shift.nearer * away[:, 0], shift.nearer * away[:, 2]
    return np.stack([x * cosine + z * sine, away[:, 1] + shift.up_m, z * cosine - x * sine], axis=1)


def _candidates(specs: Sequence[CameraSpec]) -> list[Shift]:
    """Where else a camera could stand, the nearest first; what is written stays."""
    sided = any(spec.side is not None for spec in specs)
    framed = any(spec.frame is not None or spec.distance_m is not None for spec in specs)
    high = any(spec.height_m is not None for spec in specs)
    azimuths = [angle for angle in _AZIMUTHS_DEG if not sided or abs(angle) <= _SIDE_DEG]
    found = [
        Shift(math.radians(angle), near, up)
        for angle, near, up in itertools.product(
            azimuths, (1.0,) if framed else _NEARER, (0.0,) if high else _UP_M
        )
    ]
    return sorted(found, key=_cost)[1:]


def _cost(shift: Shift) -> float:
    return abs(shift.azimuth_rad) / math.radians(60) - 2 * math.log(shift.nearer) + abs(shift.up_m)


def _sum(one: Shift, other: Shift) -> Shift:
    return Shift(one.azimuth_rad + other.azimuth_rad, one.nearer * other.nearer, one.up_m + other.up_m)


def _told(shift: Shift) -> str:
    angle = math.degrees(shift.azimuth_rad)
    # A greater azimuth is counterclockwise seen from above, to the camera's own right.
    said = [f"{abs(angle):.0f}° further {'right' if angle > 0 else 'left'}"] if abs(angle) > 1e-9 else []
    said += [f"{shift.nearer:g} times as far away"] if shift.nearer != 1 else []
    said += [f"{abs(shift.up_m):g} m {'higher' if shift.up_m > 0 else 'lower'}"] if shift.up_m else []
    return ", ".join(said)


def movable(parts: Sequence[Part], wanted: Any) -> bool:
    """Whether a shot's camera may stand elsewhere: none of its parts has a written place or path."""
    return wanted is None and all(part.placed is None and part.way is None for part in parts)
