"""What a camera would get to see of a scene: is there enough, is it sharp, is the lens free?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.gaussians import Gaussians
from anix_cli.splat import Rendered, render

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

_WIDTH = 96
_EPS2D = 0.3
_SH_0 = 0.28209479177387814
"""Y_0 of the spherical harmonics: 1 / (2√π)."""
_FINEST_LOG2, _LOG2_RANGE = -4.0, 12.0
_SEEN, _ENOUGH = 0.5, 0.05


@dataclass(frozen=True)
class View:
    """What a picture would consist of.

    Attributes:
        covered: share of the picture that Gaussians cover, by their opacity; the rest was not observed.
        coarseness: how large the Gaussians are that make up what is seen nearer than ``far_m``: the median
            of their middle standard deviation, as a share of the picture's width. NaN where that is little.
        before_lens: share of the picture that things closer than ``lens_m`` cover.
    """

    covered: float
    coarseness: float
    before_lens: float


def see(
    gaussians: Gaussians,
    world_from_camera: F64,
    intrinsics: F64,
    size_px: tuple[int, int],
    *,
    near_m: float,
    lens_m: float,
    far_m: float,
) -> View:
    """Looks through a camera at every so many pixels.

    Sizes travel as colours, so that what hides what is judged as in the picture itself; and the filter of the
    large picture is kept, so that a scene with holes shows them.

    Args:
        world_from_camera: [4, 4] rigid, OpenCV axes.
        intrinsics: [3, 3] pixels of a picture of ``size_px``.
        near_m: what is closer is not drawn.
        lens_m: what is closer than this, but is drawn, hangs before the lens.
        far_m: what is further away is sky and backdrop, which may be as soft as it likes.
    """
    width = min(_WIDTH, size_px[0])
    share = width / size_px[0]
    height = max(1, round(size_px[1] * share))
    small = intrinsics.copy()
    small[:2] *= [[share], [height / size_px[1]]]
    eye, forward = world_from_camera[:3, 3].astype(np.float32), world_from_camera[:3, 2].astype(np.float32)
    distance: F32 = np.asarray((gaussians.means - eye) @ forward, dtype=np.float32)
    coded = _sizes_as_colours(gaussians, distance, float(intrinsics[0, 0]))

    def drawn(part: Gaussians) -> Rendered:
        return render(part, world_from_camera, small, (width, height), near=near_m, eps2d=_EPS2D * share**2)

    picture = drawn(coded)
    judged = (picture.alpha > _SEEN) & (picture.depth < far_m)
    coarseness = np.nan
    if judged.mean() > _ENOUGH:
        code = picture.rgb[..., 0][judged] / picture.alpha[judged]
        coarseness = float(2.0 ** (np.median(code) * _LOG2_RANGE + _FINEST_LOG2)) / size_px[0]
    close = coded.take(distance < lens_m)
    before = float(drawn(close).alpha.mean()) if len(close) else 0.0
    return View(float(picture.alpha.mean()), coarseness, before)


def _sizes_as_colours(gaussians: Gaussians, distance: F32, focal_px: float) -> Gaussians:
    """The same shapes, each as bright as the logarithm of its middle standard deviation in pixels."""
    middle = np.partition(gaussians.scales, 1, axis=1)[:, 1]
    size_px = focal_px * middle / np.maximum(distance, 1e-6)
    code = (np.log2(np.maximum(size_px, 1e-6)) - _FINEST_LOG2) / _LOG2_RANGE
    sh = np.zeros((len(gaussians), 1, 3), np.float32)
    sh[:, 0, 0] = (np.clip(code, 0, 1) - 0.5) / _SH_0
    return replace(gaussians, sh=sh)
