"""What ``look_at`` and ``focus`` name: an anchor, a character, or a point, frame by frame of a shot."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..core.plan import Gesture
from .blocking import Blocked
from .boxes import room_of
from .framing import MIDDLE
from .marks import MIDDLE_M, Mark
from .shooting import Film, Shooting
from .sights import Sight, Target
from .trouble import Trouble

F64 = NDArray[np.float64]
Look = tuple[float, float, float] | str
BODY_M = 1.7
"""An anchor is looked at as if somebody so tall stood there."""


def sight_of(whole: Film, name: str, blocked: Blocked) -> Sight:
    """A character as the camera sees it: the blocking with the frame after the shot."""
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


def target_of(whole: Film, now: Shooting, look: Look, blocked: Mapping[str, Blocked]) -> Target | None:
    """What a camera is to look at; None where that is the one who acts, or nobody who is there yet.

    Args:
        blocked: all who are in the shot, the one who acts first.
    """
    acting = next(iter(blocked))
    samples = len(blocked[acting].root) + 1
    if not isinstance(look, str):
        x, y, z = look
        return _standing(f"{x:g} {y:g} {z:g}", np.array([x, y - MIDDLE_M, z]), 0.0, whole, samples)
    if look in now.marks:
        return _at_mark(look, now.marks[look], whole, samples)
    if look in blocked and look != acting:
        sight = sight_of(whole, look, blocked[look])
        points = sight.root.copy()
        points[:, 1] += MIDDLE * sight.height_m
        return Target(look, points, sight)
    return None


def unseen(whole: Film, now: Shooting, look: object, blocked: Mapping[str, Blocked]) -> Trouble | None:
    """W215 where a camera is to look at a character that is not in the take yet."""
    acting = next(iter(blocked))
    if not isinstance(look, str) or look in now.marks or look in blocked:
        return None
    text = f"The camera is to look at {look}, who is not in this take yet: {acting} is shown."
    return Trouble("W215", text, f"Let {look} act earlier in the take, or give the camera another look_at.")


def _at_mark(name: str, mark: Mark, whole: Film, samples: int) -> Target:
    root = np.array([mark.xz[0], mark.height_m(whole.stage.ground), mark.xz[1]])
    return _standing(name, root, mark.yaw_rad or 0.0, whole, samples)


def _standing(name: str, root: F64, yaw_rad: float, whole: Film, samples: int) -> Target:
    """A place, as if somebody stood there."""
    still = np.zeros(samples)
    none: tuple[Gesture, ...] = ()
    sight = Sight(
        np.repeat(root[None], samples, axis=0),
        still + yaw_rad,
        room_of(_Body(), still, still, none),
        BODY_M,
        whole.stage.ground,
    )
    return Target(name, sight.root + np.array([0.0, MIDDLE_M, 0.0]), sight)


class _Body:
    width_m, depth_m, height_m, steps = 0.6, 0.4, BODY_M, None
