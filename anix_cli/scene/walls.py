"""Upright by what stands: walls, trunks and posts share one direction that none of them faces.

On a slope the ground's plane is not level, but houses and trees still are upright.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

_WIDTHS = (0.35, 0.25, 0.18, 0.12, 0.12, 0.09, 0.09, 0.09)
"""How far from facing sideways, as a sine, what stands may be: ever less."""
_WIDTH, _SIDEWAYS = 0.1, 0.15
_STANDING = 0.7
_ASKED = 8_000
_MIN_SHARE = 0.04
"""Of all surface, this share does not lie flat, or nothing is asked of it."""
_RING_DEG = 15.0
_PEAK, _PEAK_OF_BEST = 1.4, 1.2
_TWO_WAYS = 0.15
_EVERYWHERE = 0.5
_WON, _WON_OF_PEAK = 0.01, 0.1


def upright_by_walls(points: F64, normals: F64, weights: F64, start: F64) -> F64 | None:
    """The direction [3] along which what stands does so, None where it does not say, or not much more than
    it says for ``start``.

    Args:
        points: [n, 3] on surface, y up as far as is known.
        normals: [n, 3] unit.
        weights: [n], 0 for what faces nowhere.
        start: [3] unit, near which it is sought.
    """
    every = max(1, len(points) // _ASKED)
    everything, points, normals, weights = points, points[::every], normals[::every], weights[::every]
    stands = np.abs(normals @ start) < _STANDING
    share = float(weights[stands].sum()) / max(float(weights.sum()), 1e-300)
    if share < _MIN_SHARE:
        return None
    standing, normals, weights = points[stands], normals[stands], weights[stands] / weights[stands].sum()
    up, ways = _common(normals, weights, start)
    peak, around = _beside(normals, weights, up), _ring(normals, weights, up)
    clear = peak >= _PEAK * around.mean() and peak >= _PEAK_OF_BEST * around.max()
    if not clear or ways < _TWO_WAYS or not _all_over(standing[np.abs(normals @ up) < _SIDEWAYS], everything):
        return None
    won = peak - _beside(normals, weights, start)
    enough = won * share >= _WON and won >= _WON_OF_PEAK * (peak - around.mean())
    return up if enough else None


def _common(normals: F64, weights: F64, start: F64) -> tuple[F64, float]:
    """(direction that the normals are most at right angles to; how evenly they face around it, at most ½)."""
    up, spread = start, np.zeros(3)
    for width in _WIDTHS:
        sine = normals @ up
        weight = weights * np.exp(-(sine**2) / (2 * width**2)) * (np.abs(sine) < 0.6)
        moments = (normals * weight[:, None]).T @ normals / max(float(weight.sum()), 1e-300)
        spread, axes = np.linalg.eigh(moments)
        up = axes[:, 0] * (1 if axes[:, 0] @ start > 0 else -1)
    return up, float(spread[1])


def _beside(normals: F64, weights: F64, up: F64) -> float:
    """Share of the normals that are at right angles to a direction, give or take six degrees."""
    return float(weights @ np.exp(-((normals @ up) ** 2) / (2 * _WIDTH**2)))


def _ring(normals: F64, weights: F64, up: F64) -> F64:
    """[24] the same of directions all around, some way off."""
    side, other = np.linalg.svd(up[None])[2][1:]
    tilt = np.radians(_RING_DEG)
    return np.array(
        [
            _beside(
                normals, weights, np.cos(tilt) * up + np.sin(tilt) * (np.cos(a) * side + np.sin(a) * other)
            )
            for a in np.linspace(0, 2 * np.pi, 24, endpoint=False)
        ]
    )


def _all_over(standing: F64, everything: F64) -> bool:
    """Whether what stands is found all over the scene's plan: a single leaning thing says nothing."""
    if not len(standing):
        return False
    wide, whole = (
        np.ptp(np.percentile(each[:, [0, 2]], (5, 95), axis=0), axis=0) for each in (standing, everything)
    )
    return bool((wide >= _EVERYWHERE * whole).all())
