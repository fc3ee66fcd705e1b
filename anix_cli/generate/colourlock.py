"""Colours held to the guide.

Continued clips of video models drift in colour, a little more with each. Where the mask keeps the scene, the
guide says what the colours are: an affine map for each channel, fitted there and applied everywhere, takes
the drift out. It is locked to the guide, never to the clip before, so that errors do not add up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.clip import Frames

F64 = NDArray[np.float64]
Bools = NDArray[np.bool_]

_FEWEST = 256
"""Kept pixels below which a frame has nothing to be held to."""
_GAIN = (0.7, 1.43)
_OFFSET = 48.0
"""Limits of the map: what is further off is no drift, and no affine map would mend it."""
_AGREES = 0.5
"""Correlation with the guide below which the two show different things, and nothing is changed."""
_ROUNDS = 3
_SPREAD = 2.5
"""Fits without the pixels that are off by more than this many standard deviations: a generator may well
mend a hole of the scan or drop a shadow on the ground."""


@dataclass(frozen=True)
class Locked:
    """Frames with their colours held to the guide.

    Attributes:
        gain, offset: [F, 3], as applied: ``out = gain · frame + offset``, in levels.
    """

    frames: Frames
    gain: F64
    offset: F64


def lock(frames: Frames, guide: Frames, anchor: Bools) -> Locked:
    """Holds frames to a guide.

    Args:
        frames, guide: [F, H, W, 3] uint8 sRGB.
        anchor: [F, H, W], where the guide says nothing about the frame.
    """
    count = len(frames)
    gain, offset = np.ones((count, 3)), np.zeros((count, 3))
    fitted = np.zeros(count, dtype=bool)
    for index in range(count):
        kept = ~anchor[index, ::2, ::2]
        if int(kept.sum()) < _FEWEST:
            continue
        made, wanted = frames[index, ::2, ::2][kept], guide[index, ::2, ::2][kept]
        found = [_fit(made[:, c].astype(np.float64), wanted[:, c].astype(np.float64)) for c in range(3)]
        if all(one is not None for one in found):
            gain[index], offset[index] = np.array(found, dtype=np.float64).T
            fitted[index] = True
    _carry(gain, fitted)
    _carry(offset, fitted)
    return Locked(_mapped(frames, gain, offset), gain, offset)


def _fit(made: F64, wanted: F64) -> tuple[float, float] | None:
    """Gain and offset of one channel, None where the two do not show the same."""
    use = np.ones(len(made), dtype=bool)
    gain, offset = 1.0, 0.0
    for _ in range(_ROUNDS):
        x, y = made[use], wanted[use]
        spread = float(x.std() * y.std())
        if len(x) < _FEWEST or spread < 1.0:  # flat: only its level can be held
            gain, offset = 1.0, float(np.median(wanted - made))
            break
        shared = float(((x - x.mean()) * (y - y.mean())).mean())
        if shared / spread < _AGREES:
            return None
        gain = float(np.clip(y.std() / x.std(), *_GAIN))
        offset = float(y.mean() - gain * x.mean())
        off = np.abs(gain * made + offset - wanted)
        use = off <= max(_SPREAD * float(off[use].std()), 2.0)
    return (gain, offset) if abs(offset) <= _OFFSET + 255 * abs(1 - gain) else None


def _carry(values: F64, fitted: Bools) -> None:
    """Frames without a fit of their own take that of the nearest frame which has one."""
    known = np.flatnonzero(fitted)
    if len(known):
        nearest = known[np.abs(np.arange(len(values))[:, None] - known[None]).argmin(axis=1)]
        values[:] = values[nearest]


def _mapped(frames: Frames, gain: F64, offset: F64) -> Frames:
    levels = np.arange(256, dtype=np.float64)
    out = np.empty_like(frames)
    for index in range(len(frames)):
        for channel in range(3):
            mapped = gain[index, channel] * levels + offset[index, channel]
            table = np.floor(np.clip(mapped, 0, 255) + 0.5).astype(np.uint8)
            out[index, ..., channel] = table[frames[index, ..., channel]]
    return out
