"""A person of capsules, drawn into four views in parallel projection: the tests' own ground truth."""

from __future__ import annotations

import numpy as np

HEIGHT_M = 1.7
LEFT, RIGHT, FRONT, BACK = (0.1, 0.6, 0.2), (0.7, 0.3, 0.7), (0.8, 0.15, 0.1), (0.15, 0.2, 0.75)
SKIN, BOOTS = (0.85, 0.65, 0.5), (0.25, 0.2, 0.15)

# start, end, radius at both ends, colour (None: a jacket, coloured by the side that faces out)
CAPSULES = [
    ((0, 1.50, 0.02), (0, 1.59, 0.02), 0.105, 0.105, SKIN),  # head
    ((0, 1.40, 0), (0, 1.46, 0), 0.06, 0.06, SKIN),
    ((0.07, 1.28, 0), (0.05, 0.95, 0), 0.115, 0.115, None),  # torso: two side by side, deeper than one
    ((-0.07, 1.28, 0), (-0.05, 0.95, 0), 0.115, 0.115, None),
    ((0.17, 1.33, 0), (0.36, 0.98, 0.0), 0.058, 0.05, None),  # arms in an A-pose
    ((-0.17, 1.33, 0), (-0.36, 0.98, 0.0), 0.058, 0.05, None),
    ((0.36, 0.98, 0), (0.43, 0.82, 0.03), 0.045, 0.04, SKIN),
    ((-0.36, 0.98, 0), (-0.43, 0.82, 0.03), 0.045, 0.04, SKIN),
    ((0.09, 0.88, 0), (0.12, 0.1, 0), 0.085, 0.055, (0.2, 0.25, 0.4)),  # legs
    ((-0.09, 0.88, 0), (-0.12, 0.1, 0), 0.085, 0.055, (0.2, 0.25, 0.4)),
    ((0.12, 0.045, -0.06), (0.13, 0.04, 0.15), 0.05, 0.04, BOOTS),  # shoes point forward
    ((-0.12, 0.045, -0.06), (-0.13, 0.04, 0.15), 0.05, 0.04, BOOTS),
]

# of each view: the axis along its columns with its sign, and the axis towards its camera with its sign
AXES = {"front": (0, 1, 2, 1), "back": (0, -1, 2, -1), "left": (2, -1, 0, 1), "right": (2, 1, 0, -1)}


def views(
    *, size_px: tuple[int, int] = (384, 512), height_px: int = 480, capsules=None
) -> dict[str, np.ndarray]:
    """Four views [h, w, 4] uint8 of the figure, feet 16 px above the lower border."""
    drawn = capsules if capsules is not None else CAPSULES
    return {name: _view(axes, size_px, height_px / HEIGHT_M, drawn) for name, axes in AXES.items()}


def _view(axes, size_px, pixels_per_m, capsules) -> np.ndarray:
    across, sign, toward, toward_sign = axes
    width, height = size_px
    depth = np.full((height, width), -np.inf)
    image = np.zeros((height, width, 4), dtype=np.uint8)
    for first, last, r0, r1, colour in capsules:
        start, end = np.array(first, float), np.array(last, float)
        for t in np.linspace(0, 1, max(2, int(np.linalg.norm(end - start) * pixels_per_m))):
            centre, radius = start + t * (end - start), r0 + t * (r1 - r0)
            cu = width / 2 + sign * centre[across] * pixels_per_m
            cv = height - 16 - centre[1] * pixels_per_m
            reach = radius * pixels_per_m
            rows = np.arange(max(int(cv - reach) - 1, 0), min(int(cv + reach) + 2, height))
            columns = np.arange(max(int(cu - reach) - 1, 0), min(int(cu + reach) + 2, width))
            du, dv = columns[None] + 0.5 - cu, rows[:, None] + 0.5 - cv
            bulge2 = reach**2 - du**2 - dv**2
            z = toward_sign * centre[toward] * pixels_per_m + np.sqrt(np.maximum(bulge2, 0))
            window = np.ix_(rows, columns)
            nearer = (bulge2 > 0) & (z > depth[window]) & (rows[:, None] <= height - 17)
            side = {("x", 1): LEFT, ("x", -1): RIGHT, ("z", 1): FRONT, ("z", -1): BACK}
            rgb = colour if colour is not None else side[("x" if toward == 0 else "z", toward_sign)]
            depth[window] = np.where(nearer, z, depth[window])
            painted = np.concatenate([np.rint(np.array(rgb) * 255), [255]]).astype(np.uint8)
            image[window] = np.where(nearer[..., None], painted, image[window])
    return image
