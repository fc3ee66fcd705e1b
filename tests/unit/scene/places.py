"""Made-up places: flat Gaussians on surfaces whose height is known in closed form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians

Height = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
THIN = 0.01


def flat(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0 * x


def discs(points: NDArray[np.float64], normal: str = "y", *, noise: float = 0.0, seed: int = 0) -> Gaussians:
    """Flat Gaussians, 8 cm wide, that face along an axis give or take a few degrees."""
    rng = np.random.default_rng(seed)
    count = len(points)
    base = {"y": (1, 0, 0, 0), "z": (0.5**0.5, 0.5**0.5, 0, 0), "x": (0.5**0.5, 0, 0, 0.5**0.5)}[normal]
    quats = np.array(base) + rng.normal(0, 0.05, (count, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    points = points + rng.normal(0, noise, (count, 3)) * (0, 1, 0)
    return Gaussians(
        points.astype(np.float32),
        quats.astype(np.float32),
        np.tile(np.float32([0.08, THIN, 0.08]), (count, 1)),
        np.full(count, 0.9, np.float32),
        np.zeros((count, 1, 3), np.float32),
    )


def surface(height: Height, count: int = 40_000, size: float = 10.0, seed: int = 0) -> Gaussians:
    """Ground over [−size, size]² with a centimetre of noise."""
    x, z = np.random.default_rng(seed).uniform(-size, size, (2, count))
    return discs(np.stack([x, height(x, z), z], axis=1), noise=0.01, seed=seed)


def box(low: tuple[float, float, float], high: tuple[float, float, float], normal: str, n: int) -> Gaussians:
    return discs(np.random.default_rng(7).uniform(low, high, (n, 3)), normal)


FACADE = box((-10, 0, 10), (10, 8, 10.01), "z", 15_000)


def slope_of(degrees: float) -> Height:
    """A hillside that rises towards +Z."""
    rise = np.tan(np.radians(degrees))
    return lambda x, z: rise * z


def crate_at(x: float, z: float, y: float, side: float = 1.4, n: int = 1_500) -> list[Gaussians]:
    """Four upright sides and a lid."""
    half = side / 2
    low, high = (x - half, y, z - half), (x + half, y + side, z + half)
    sides = [box((low[0], y, at), (high[0], high[1], at + 0.01), "z", n) for at in (low[2], high[2])]
    sides += [box((at, y, low[2]), (at + 0.01, high[1], high[2]), "x", n) for at in (low[0], high[0])]
    return [*sides, box((low[0], high[1], low[2]), (high[0], high[1] + 0.01, high[2]), "y", n)]


def houses(height: Height) -> list[Gaussians]:
    """Upright boxes all over the ground."""
    places = [(-7.0, -7.0), (6.0, -6.0), (-5.0, 6.0), (7.0, 7.0), (0.0, 0.0)]
    at = [float(height(np.array(x), np.array(z))) - 0.6 for x, z in places]
    return [part for (x, z), y in zip(places, at, strict=True) for part in crate_at(x, z, y, 3.0)]
