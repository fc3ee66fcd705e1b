"""Rasterisers: 3D Gaussians seen through a pinhole camera → colour, depth, alpha.

The mathematics is that of Kerbl et al. 2023 ("3D Gaussian Splatting") as gsplat 1.5.3 computes it, stated in
:func:`render`. Importing this package is cheap: numba is loaded by the first picture.
"""

from .pack import PACK_VERSION, PackedScene, pack
from .render import Rendered, render
from .scratch import Scratch

__all__ = ["PACK_VERSION", "PackedScene", "Rendered", "Scratch", "pack", "render"]
