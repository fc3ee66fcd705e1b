"""The last step of a film's sound: brought to a loudness, and kept below full scale between samples too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..media.beside import CHANNELS, RATE
from ..media.loudness import Loudness, measure

F32 = NDArray[np.float32]

CEILING_DBTP = -1.0
"""The highest true peak that EBU R128 allows. What encodes the sound adds a little to it."""

_LOOK_AHEAD = RATE * 5 // 1000
_HALO = 4 * _LOOK_AHEAD
_CHUNK = 10 * RATE
_OVERSAMPLED = 4
_TRIES = 4
_NEAR_LU = 0.05


def master(raw: Path, loudness_lufs: float | None) -> Loudness:
    """Changes a film's raw samples in place; what they measure then.

    The loudness is reached by one gain for all. Where that would put peaks above the ceiling, these alone are
    turned down, smoothly over 10 ms; as this takes from the loudness, the gain grows until it is met or has
    no more effect.

    Args:
        loudness_lufs: None only keeps the peaks below the ceiling.

    Raises:
        AnixError: E402, ffmpeg cannot measure it.
        OSError: the file cannot be written.
    """
    found = measure(raw)
    if loudness_lufs is None or found.integrated_lufs is None:
        if found.true_peak_dbtp is None or found.true_peak_dbtp <= CEILING_DBTP:
            return found
        limit(raw, 1.0)
        return measure(raw)
    for _ in range(_TRIES):
        wanted = loudness_lufs - (found.integrated_lufs or loudness_lufs)
        if abs(wanted) <= _NEAR_LU:
            break
        limit(raw, 10 ** (wanted / 20))
        found = measure(raw)
    return found


def limit(raw: Path, gain: float) -> None:
    """Multiplies samples, and turns down what would be above the ceiling, in place."""
    held = np.memmap(raw, "<f4", "r+")
    samples = held.reshape(-1, CHANNELS)
    before: F32 = np.zeros((0, CHANNELS), np.float32)
    for start in range(0, len(samples), _CHUNK):
        stop = min(start + _CHUNK, len(samples))
        after = samples[stop : stop + _HALO]
        here = np.array(samples[start:stop])
        whole = np.concatenate([before, here, after]) * np.float32(gain)
        gains = peak_gains(whole)[len(before) : len(before) + len(here), None]
        samples[start:stop] = whole[len(before) : len(before) + len(here)] * gains
        before = here[-_HALO:]
    held.flush()


def peak_gains(samples: F32) -> F32:
    """Gains [n] that keep the true peaks of samples [n, 2] at the ceiling, each at most 1.

    At every sample the gain is a mean, over the look-ahead on both sides, of what the neighbourhood needs, so
    that it is never above what the sample itself needs and never jumps.
    """
    from scipy.ndimage import minimum_filter1d
    from scipy.signal import oaconvolve, resample_poly

    ceiling = 10 ** (CEILING_DBTP / 20)
    if np.abs(samples).max(initial=0.0) * 2 < ceiling:  # between samples a wave is no twice as high
        return np.ones(len(samples), np.float32)
    between = np.abs(resample_poly(samples, _OVERSAMPLED, 1, axis=0)).max(axis=1)
    peaks = between[: len(samples) * _OVERSAMPLED].reshape(-1, _OVERSAMPLED).max(axis=1)
    needed = np.minimum(1.0, ceiling / np.maximum(peaks, 1e-9))
    width = 2 * _LOOK_AHEAD + 1
    lowest = minimum_filter1d(needed, width + 2)
    window = np.hanning(width + 2)[1:-1]
    padded = np.pad(lowest, _LOOK_AHEAD, mode="edge")
    gains = oaconvolve(padded, window / window.sum(), mode="valid")
    return np.where(gains < 1 - 1e-6, gains, 1.0).astype(np.float32)  # what rounds to one is one
