"""From decoded columns to Gaussians: bad rows dropped, quaternions made unit, oddities noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic, fail
from anix_cli.core.gaussians import Gaussians

from .faults import damaged

F32 = NDArray[np.float32]

_LARGEST = 1e15
"""Positions, sizes and colours beyond have squares that float32 hardly holds."""
FAR_OFFSET = 1e4
"""The same for an offset that double precision allows to take off."""
_FAR = 1e4
"""Distance from the origin, in sizes of the scene, from which float32 steps show as jitter."""
_STRAY = 0.01
"""Share of values out of their range that is put down to rounding."""


@dataclass(frozen=True)
class Dropped:
    """How many Gaussians were left out, each counted once, by what is wrong with it."""

    no_number: int = 0
    too_large: int = 0
    no_rotation: int = 0

    @property
    def total(self) -> int:
        return self.no_number + self.too_large + self.no_rotation

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(
            self.no_number + other.no_number,
            self.too_large + other.too_large,
            self.no_rotation + other.no_rotation,
        )

    def __str__(self) -> str:
        """What is wrong with them, and with how many where there are several kinds."""
        found = self.reasons()
        return found[0][1] if len(found) == 1 else ", ".join(f"{count:,} {words}" for count, words in found)

    def reasons(self) -> list[tuple[int, str]]:
        """(how many, what is wrong with them) of each kind that there is."""
        reasons = (
            (self.no_number, "with values that are not numbers"),
            (self.too_large, f"with values that are infinite or beyond {_LARGEST:g}"),
            (self.no_rotation, "without a rotation (a quaternion of length 0)"),
        )
        return [(count, words) for count, words in reasons if count]


def assemble(
    path: Path, *, means: F32, quats: F32, scales: F32, opacities: F32, sh: F32, antialiased: bool
) -> tuple[Gaussians, Dropped]:
    """Gaussians of the usable rows, and how many rows were dropped.

    One mask holds for all columns. A quaternion of zero length is no rotation, so its row is dropped; so is
    a position, size or colour whose square float32 cannot hold. Sizes count without their sign, which the
    covariance loses.

    Raises:
        AnixError: E309, no row is usable.
    """
    with np.errstate(all="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", quats, quats, dtype=np.float64))
        unit = (quats / norms[:, None]).astype(np.float32)
    usable = (norms > 0) & np.isfinite(norms) & np.isfinite(opacities)
    for column in (means, scales, sh.reshape(len(sh), -1)):
        if not (column.min() > -_LARGEST and column.max() < _LARGEST):  # by rows only where there is need
            with np.errstate(invalid="ignore"):
                usable &= (np.abs(column) < _LARGEST).all(axis=1)
    dropped = Dropped()
    if not usable.all():
        bad = ~usable
        rest = (means[bad], scales[bad], quats[bad], opacities[bad, None], sh[bad].reshape(bad.sum(), -1))
        dropped = _reasons(rest)
    if scales.min() < 0:
        scales = np.abs(scales)
    return _only(path, Gaussians(means, unit, scales, opacities, sh, antialiased), usable, dropped), dropped


def _reasons(columns: Sequence[F32]) -> Dropped:
    """What is wrong with rows, each of which is unusable."""
    nan, large = np.zeros((2, len(columns[0])), dtype=bool)
    for column in columns:
        nan |= np.isnan(column).any(axis=1)
        with np.errstate(invalid="ignore"):
            large |= (np.abs(column) >= _LARGEST).any(axis=1)
    large &= ~nan
    return Dropped(int(nan.sum()), int(large.sum()), int((~nan & ~large).sum()))


def without_giants(path: Path, gaussians: Gaussians) -> tuple[Gaussians, Dropped]:
    """The same test for Gaussians that were moved or enlarged.

    Raises:
        AnixError: E309, none is left.
    """
    near = np.abs(gaussians.means).max(axis=1) < _LARGEST
    usable = np.asarray(near & (gaussians.scales.max(axis=1) < _LARGEST))
    dropped = Dropped(too_large=int((~usable).sum()))
    return _only(path, gaussians, usable, dropped), dropped


def _only(path: Path, gaussians: Gaussians, usable: NDArray[np.bool_], dropped: Dropped) -> Gaussians:
    if dropped.total == len(usable):
        why = f"all {dropped}" if len(dropped.reasons()) == 1 else str(dropped)
        raise fail(
            "E309",
            f"{path.name} has {len(usable):,} Gaussians, but none can be drawn: {why}",
            file=path,
            hint="The training or export that made the file failed: make it again.",
        )
    return gaussians.take(usable) if dropped.total else gaussians


def dropped_note(path: Path, dropped: Dropped, count: int) -> tuple[Diagnostic, ...]:
    """The warning for dropped rows, if there are any."""
    if not dropped.total:
        return ()
    text = f"{path.name}: {dropped.total:,} of {count:,} Gaussians were left out, {dropped}"
    return (Diagnostic("W304", text, file=path),)


def final_opacities(path: Path, values: F32) -> F32:
    """Opacities that the format stores as shares of one, cut to 0…1.

    Raises:
        AnixError: E307, they are something else, such as logits or bytes.
    """
    with np.errstate(invalid="ignore"):
        outside = (values < -_STRAY) | (values > 1 + _STRAY)
    if np.count_nonzero(outside) > _STRAY * len(values):
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        raise damaged(path, f"its opacities reach from {low:.3g} to {high:.3g}, where 0 to 1 is all there is")
    with np.errstate(invalid="ignore"):
        return np.clip(values, np.float32(0), np.float32(1))


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
