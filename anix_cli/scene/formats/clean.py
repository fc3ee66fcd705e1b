"""From decoded columns to Gaussians: bad rows dropped, quaternions made unit, oddities noted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic, fail
from anix_cli.core.gaussians import Gaussians

F32 = NDArray[np.float32]

_LARGEST = 1e15
FAR_OFFSET = 1e4
"""The same for an offset that double precision allows to take off."""
_FAR = 1e4
"""Distance from the origin, in sizes of the scene, from which float32 steps show as jitter."""


def assemble(
    path: Path, *, means: F32, quats: F32, scales: F32, opacities: F32, sh: F32, antialiased: bool
) -> tuple[Gaussians, int]:
    """Gaussians of the usable rows, and how many rows were dropped.

    One mask holds for all columns. A quaternion of zero length is no rotation, so its row is dropped; so is
    a position or size whose square float32 cannot hold.

    Raises:
        AnixError: E309, no row is usable.
    """
    with np.errstate(all="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", quats, quats, dtype=np.float64))
        unit = (quats / norms[:, None]).astype(np.float32)
    usable = (norms > 0) & np.isfinite(norms) & np.isfinite(opacities)
    checks = (np.abs(means) < _LARGEST, np.abs(scales) < _LARGEST, np.isfinite(sh.reshape(len(sh), -1)))
    for fine in checks:
        if not fine.all():  # a reduction by rows is ten times as slow, and rarely needed
            usable &= fine.all(axis=1)
    gaussians = Gaussians(means, unit, scales, opacities, sh, antialiased)
    return _only(path, gaussians, usable)


def without_giants(path: Path, gaussians: Gaussians) -> tuple[Gaussians, int]:
    """The same test for Gaussians that were moved or enlarged.

    Raises:
        AnixError: E309, none is left.
    """
    near = np.abs(gaussians.means).max(axis=1) < _LARGEST
    return _only(path, gaussians, np.asarray(near & (gaussians.scales.max(axis=1) < _LARGEST)))


def _only(path: Path, gaussians: Gaussians, usable: NDArray[np.bool_]) -> tuple[Gaussians, int]:
    """(the usable rows, how many are not)."""
    dropped = int(len(usable) - np.count_nonzero(usable))
    if dropped == len(usable):
        raise fail(
            "E309",
            f"{path.name} has {len(usable):,} Gaussians, but every one has a value that is not a number",
            file=path,
            hint="The training or export that made the file failed: make it again.",
        )
    return (gaussians.take(usable) if dropped else gaussians), dropped


def dropped_note(path: Path, dropped: int, count: int) -> tuple[Diagnostic, ...]:
    """The warning for dropped rows, if there are any."""
    if not dropped:
        return ()
    text = f"{path.name}: {dropped:,} of {count:,} Gaussians were left out, for values that are not numbers"
    return (Diagnostic("W304", text, file=path),)


def precision_note(path: Path, means: F32) -> tuple[Diagnostic, ...]:
    """The warning for a scene whose float32 positions lie too far from their origin to be exact."""
    low, high = np.percentile(means, (1, 99), axis=0)
    size, away = float(np.linalg.norm(high - low)), float(np.abs((low + high) / 2).max())
    if size <= 0 or away < _FAR * size:
        return ()
    text = (
        f"{path.name} lies {away:,.0f} units from its origin, too far for its single-precision positions: "
        "the Gaussians may look jumbled"
    )
    hint = "Export it again with the origin near the scene, or in double precision."
    return (Diagnostic("W307", text, file=path, hint=hint),)


def centred(means: NDArray[np.floating]) -> tuple[F32, tuple[float, float, float]]:
    """Means as float32, less a float64 offset where double-precision means lie far from the origin."""
    if means.dtype == np.float32:
        return np.asarray(means, dtype=np.float32), (0.0, 0.0, 0.0)
    finite = means[np.isfinite(means).all(axis=1)]
    offset = np.zeros(3)
    if len(finite):
        low, middle, high = np.percentile(finite, (1, 50, 99), axis=0)
        size = float((high - low).max())
        if size > 0 and np.abs(middle).max() > FAR_OFFSET * size:
            offset = np.round(middle)
    with np.errstate(over="ignore", invalid="ignore"):
        return (means - offset).astype(np.float32), (float(offset[0]), float(offset[1]), float(offset[2]))


def far_shift(gaussians: Gaussians, world: NDArray[np.float64]) -> NDArray[np.float64]:
    """What to take off before float32: where a node lies, rounded, if that is far away (a globe's tile)."""
    size = float(np.ptp(gaussians.means, axis=0).max() * np.abs(world[:3, :3]).max())
    shift = world[:3, 3]
    far = np.isfinite(shift).all() and np.abs(shift).max() > FAR_OFFSET * size > 0
    return np.round(shift) if far else np.zeros(3)


def sigmoid(logits: F32) -> F32:
    """1 / (1 + e^−x), float32; ±inf gives 1 and 0, NaN stays NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-logits)), dtype=np.float32)
