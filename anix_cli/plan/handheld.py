"""A camera that is carried: it sways a little, slowly and never twice alike, but the same in each run.

The sway is a sum of sines between ``LOWEST_HZ`` and ``HIGHEST_HZ``, the slow ones larger, so that nothing of
it lies outside that band. It goes on through a whole take and is a function of the take's seed alone.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..core.easing import smoothstep
from .joining import CameraState
from .sights import Setup

F64 = NDArray[np.float64]

LOWEST_HZ, HIGHEST_HZ = 0.25, 2.5
SINES = 9
SWAY_DEG = (0.45, 0.45, 0.25)
"""Standard deviation about the camera's x, y and z axes at amount 1."""
SWAY_M = (0.012, 0.012, 0.008)
"""Standard deviation along them."""
BEGIN_S = 0.75
"""In mid-take a camera is taken into the hand, or set down, within so long."""


def shaken(poses: F64, setup: Setup, after: CameraState) -> tuple[F64, CameraState]:
    """Poses [F + 1, 4, 4] that sway as much as is written; and the state that says so."""
    before, amount = setup.before, setup.spec.handheld or 0.0
    was = amount if before is None else before.shakes
    after = replace(after, shakes=amount)
    if not amount and not was:
        return poses, after
    start = 0 if before is None else before.frames
    times = (start + np.arange(len(poses))) / setup.fps
    share = smoothstep((times - times[0]) / min(BEGIN_S, max(times[-1] - times[0], 1e-9)))
    amounts = was + (amount - was) * share
    sway = sway_of(after.seed, times) * amounts[:, None]
    moved = poses.copy()
    moved[:, :3, 3] += np.einsum("fij,fj->fi", poses[:, :3, :3], sway[:, 3:])
    moved[:, :3, :3] = poses[:, :3, :3] @ rotations(sway[:, :3])
    return moved, after


def sway_of(seed: str, times: F64) -> F64:
    """[F, 6] at amount 1: radians about the camera's axes, metres along them. ``times``: s since the take's
    start."""
    phases, rates, sizes = _sines(seed)
    waves = np.sin(2 * math.pi * rates * times[:, None, None] + phases)
    return np.asarray((waves * sizes).sum(axis=-1) * [*np.radians(SWAY_DEG), *SWAY_M])


@lru_cache(maxsize=8)
def _sines(seed: str) -> tuple[F64, F64, F64]:
    """Phases, rates (Hz) and sizes [6, SINES]; their sum has a standard deviation of 1."""
    rng = np.random.Generator(
        np.random.PCG64(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big"))
    )
    edges = np.geomspace(LOWEST_HZ, HIGHEST_HZ, SINES + 1)
    rates = edges[:-1] + (edges[1:] - edges[:-1]) * rng.random((6, SINES))
    sizes = 1 / rates
    return (
        2 * math.pi * rng.random((6, SINES)),
        rates,
        sizes * math.sqrt(2) / np.sqrt((sizes**2).sum(axis=1, keepdims=True)),
    )


def rotations(vectors: F64) -> F64:
    """Rotation matrices [F, 3, 3] of rotation vectors [F, 3] (Rodrigues' formula)."""
    angle = np.linalg.norm(vectors, axis=1)
    axis = vectors / np.maximum(angle, 1e-12)[:, None]
    cross = np.zeros((len(vectors), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    cross -= cross.transpose(0, 2, 1)
    sin, cos = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + sin * cross + (1 - cos) * (cross @ cross))
