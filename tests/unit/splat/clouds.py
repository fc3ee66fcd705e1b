"""Small random sets of Gaussians for the rasteriser's tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from anix_cli.core.gaussians import Gaussians


def cloud(
    count: int,
    seed: int,
    *,
    degree: int = 0,
    scale: float = 0.04,
    spread: float = 0.6,
    radius: float = 4.0,
    centre: tuple[float, float, float] = (0.0, 0.0, 6.0),
    antialiased: bool = False,
) -> Gaussians:
    """Gaussians in a cube of half width ``radius``; scales are log-normal (median, deviation of the log)."""
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(count, 4))
    return Gaussians(
        means=(rng.uniform(-radius, radius, (count, 3)) + centre).astype(np.float32),
        quats=(quats / np.linalg.norm(quats, axis=1, keepdims=True)).astype(np.float32),
        scales=(scale * np.exp(rng.normal(0, spread, (count, 3)))).astype(np.float32),
        opacities=rng.uniform(0, 1, count).astype(np.float32),
        sh=rng.normal(0, 0.3, (count, (degree + 1) ** 2, 3)).astype(np.float32),
        antialiased=antialiased,
    )


def single(
    mean: ArrayLike = (0.0, 0.0, 5.0),
    *,
    scales: ArrayLike = (0.1, 0.1, 0.1),
    quat: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    opacity: float = 0.8,
    sh: ArrayLike = ((1.0, 0.0, -1.0),),
    antialiased: bool = False,
) -> Gaussians:
    """One Gaussian. ``sh`` is [K, 3]."""
    return Gaussians(
        means=np.array([mean], np.float32),
        quats=np.array([quat], np.float32),
        scales=np.array([scales], np.float32),
        opacities=np.array([opacity], np.float32),
        sh=np.array([sh], np.float32),
        antialiased=antialiased,
    )
