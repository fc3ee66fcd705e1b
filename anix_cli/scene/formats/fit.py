"""Whether a scene survives the numbers of the format that it is written in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic, fail
from anix_cli.core.gaussians import Gaussians

_LARGEST = 1e15
"""Beyond, anix itself leaves Gaussians out."""
_FEWEST_STEPS = 64
"""Places across a scene below which it is a lattice of blots."""
CLOSER = (
    "Give --origin a point in the middle of the scene, or --crop to leave out what lies far from it; "
    "PLY is the most exact."
)
_WITHOUT_STRAYS = "Leave out what lies far from the scene with --crop; PLY is the most exact."
_LARGER = "Choose a larger --scale, or write PLY or SOG."
_FAR, _STRAY = 2.0, 50.0
"""In sizes of the scene: how far its middle is from the origin, or a stray, where that makes steps coarse."""


@dataclass(frozen=True)
class _Measure:
    """Of a scene, in its units: how wide it is, and how large a Gaussian commonly is."""

    extent: float
    size: float


def out_of_range(text: str, hint: str) -> AnixError:
    """E314."""
    return fail("E314", text, hint=hint)


def check_finite(gaussians: Gaussians) -> None:
    """Refuses positions and sizes that no reader could use (E314)."""
    with np.errstate(invalid="ignore"):
        far = float(np.abs(gaussians.means).max(initial=0))
        large = float(gaussians.scales.max(initial=0))
    if far < _LARGEST and large < _LARGEST:  # NaN is not less either
        return
    text = (
        f"the scene would reach {far:.3g} units from its origin, with Gaussians up to {large:.3g} units large"
    )
    raise out_of_range(
        text, f"Choose a smaller --scale, or an --origin in the scene; up to {_LARGEST:g} is read."
    )


def check_steps(
    gaussians: Gaussians, format_: str, steps: NDArray[np.floating] | float = 0.0
) -> tuple[Diagnostic, ...]:
    """W322 where positions are rounded by more than a Gaussian commonly is large.

    Args:
        format_: its name, for the message.
        steps: between neighbouring positions in the format, of each Gaussian or of all; float32 has steps of
            its own, which count as well.

    Raises:
        AnixError: E314, so few steps lie across the scene that nothing could be made out.
    """
    if not len(gaussians):
        return ()
    away = np.abs(gaussians.means).max(axis=1)
    step = float(np.median(np.maximum(np.spacing(away), steps)))
    measure = _measured(gaussians)
    if step <= measure.size:
        return ()
    text = f"{format_} tells positions of this scene apart every {step:.3g} units only, where its Gaussians "
    text += f"are commonly {measure.size:.3g} large"
    far, furthest = float(np.median(away)), float(away.max())
    hint = _WITHOUT_STRAYS if furthest > _STRAY * measure.extent else _LARGER
    hint = CLOSER if far > _FAR * measure.extent else hint
    if step * _FEWEST_STEPS > measure.extent:
        text += f" and the whole scene is {measure.extent:.3g} wide, {far:.3g} from its origin"
        raise out_of_range(text, hint)
    return (Diagnostic("W322", text, hint=hint),)


def _measured(gaussians: Gaussians) -> _Measure:
    low, high = np.percentile(gaussians.means.astype(np.float64), (1, 99), axis=0)
    size = float(np.median(np.median(gaussians.scales, axis=1)))
    return _Measure(max(float((high - low).max()), size), size)
