"""Parts of a carved body turned in place, and the whole set on the stage: compiled.

Most Gaussians follow a joint wholly or not at all, so sines are taken anew only where the angle changes.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import math

from numba import float32, float64, int64, void

from anix_cli.splat.kernels import kernel, read, write


@kernel(
    write(float64, 2), read(int64, 1), read(float64, 1), int64, int64, float64, read(float64, 1),
    returns=void,
)  # fmt: skip
def bend(points, rows, weights, first, second, angle, pivot):
    """Turns rows of points, the coordinate ``first`` towards ``second``, about the line through a pivot.

    Args:
        points: [N, 3], changed. rows: [n] of them. weights: [N], shares of the angle.
    """
    known, c, s = 0.0, 1.0, 0.0
    for k in range(rows.shape[0]):
        n = rows[k]
        turn = angle * weights[n]
        if turn != known:
            known, c, s = turn, math.cos(turn), math.sin(turn)
        a, b = points[n, first] - pivot[first], points[n, second] - pivot[second]
        points[n, first] = pivot[first] + c * a - s * b
        points[n, second] = pivot[second] + s * a + c * b


@kernel(
    write(float64, 2), write(float64, 1), read(float64, 1), float64, read(float64, 1), float64,
    returns=float64,
)  # fmt: skip
def lean_over(points, pitch, upper, angle, pivot, aside):
    """Turns the trunk forward about x and moves it aside, in place.

    Args:
        points: [N, 3], changed. pitch: [N] radians, added to. upper: [N] weights.

    Returns:
        Height of the lowest point of the legs.
    """
    known, c, s = 0.0, 1.0, 0.0
    low = math.inf
    for n in range(points.shape[0]):
        turn = angle * upper[n]
        if turn != known:
            known, c, s = turn, math.cos(turn), math.sin(turn)
        y, z = points[n, 1] - pivot[1], points[n, 2] - pivot[2]
        points[n, 0] += aside * upper[n]
        points[n, 1] = pivot[1] + c * y - s * z
        points[n, 2] = pivot[2] + s * y + c * z
        pitch[n] += turn
        if upper[n] < 0.5:
            low = min(low, points[n, 1])
    return low


@kernel(
    read(float64, 2), read(float64, 1), read(float32, 2), float64, float64, read(float64, 1),
    write(float32, 2), write(float32, 2),
    returns=void,
)  # fmt: skip
def set_down(points, pitch, own, rise, yaw, root, means, quats):
    """Raises a body, turns it about +Y and moves it to its root.

    Args:
        points: [N, 3] in the character's frame. pitch: [N] how far each is turned about x.
        own: [N, 4] their own turns. means [N, 3], quats [N, 4]: filled.
    """
    c, s = math.cos(yaw), math.sin(yaw)
    half_c, half_s = math.cos(yaw / 2), math.sin(yaw / 2)
    known, pc, ps = 0.0, 1.0, 0.0
    for n in range(points.shape[0]):
        x, z = points[n, 0], points[n, 2]
        means[n, 0] = root[0] + c * x + s * z
        means[n, 1] = root[1] + points[n, 1] + rise
        means[n, 2] = root[2] + c * z - s * x
        turn = pitch[n]
        if turn != known:
            known, pc, ps = turn, math.cos(turn / 2), math.sin(turn / 2)
        w, i, j, k = float64(own[n, 0]), float64(own[n, 1]), float64(own[n, 2]), float64(own[n, 3])
        w, i, j, k = pc * w - ps * i, pc * i + ps * w, pc * j - ps * k, pc * k + ps * j
        quats[n, 0] = half_c * w - half_s * j
        quats[n, 1] = half_c * i + half_s * k
        quats[n, 2] = half_c * j + half_s * w
        quats[n, 3] = half_c * k - half_s * i
