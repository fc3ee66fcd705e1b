"""3D Gaussians: the one type that scenes, characters and rasterisers share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Gaussians:
    """N activated Gaussians (Kerbl et al. 2023, "3D Gaussian Splatting").

    Attributes:
        means: [N, 3] float32, in the frame and unit that its owner states.
        quats: [N, 4] float32, unit, wxyz, local axes to frame.
        scales: [N, 3] float32, standard deviations (not their logarithms).
        opacities: [N] float32 in [0, 1] (not logits).
        sh: [N, K, 3] float32 spherical-harmonic coefficients, K = 1, 4, 9 or 16, with Inria's signs;
            the colour seen along the unit vector d (mean − camera) is ``max(0, 0.5 + Σ_k Y_k(d)·sh_k)``,
            in stored sRGB.
        antialiased: whether opacities were trained for the compensated (mip) 2D filter.
    """

    means: F32
    quats: F32
    scales: F32
    opacities: F32
    sh: F32
    antialiased: bool = False

    def __len__(self) -> int:
        return int(self.means.shape[0])

    @property
    def sh_degree(self) -> int:
        return {1: 0, 4: 1, 9: 2, 16: 3}[self.sh.shape[1]]

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_]) -> Gaussians:
        """The rows at ``index`` (a boolean mask or row numbers)."""
        return Gaussians(
            self.means[index],
            self.quats[index],
            self.scales[index],
            self.opacities[index],
            self.sh[index],
            self.antialiased,
        )


def concatenate(parts: Sequence[Gaussians]) -> Gaussians:
    """All parts as one set, in order; lower SH degrees are padded with zeros."""
    width = max(part.sh.shape[1] for part in parts)
    sh = [np.pad(part.sh, ((0, 0), (0, width - part.sh.shape[1]), (0, 0))) for part in parts]
    return Gaussians(
        np.concatenate([part.means for part in parts]),
        np.concatenate([part.quats for part in parts]),
        np.concatenate([part.scales for part in parts]),
        np.concatenate([part.opacities for part in parts]),
        np.concatenate(sh),
        any(part.antialiased for part in parts),
    )
