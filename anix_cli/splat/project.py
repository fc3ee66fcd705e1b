"""First stage: Gaussians → splats, the ellipses that they are on the picture, with their colours.

Geometry is float64 throughout, because a needle a kilometre long and a pixel thick loses its thickness in
float32; it costs little, since it is done once per Gaussian, not once per pixel.
"""

# Kernels are typed by their numba signatures, and take long lists of arguments by position.
# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import math

from numba import boolean, float32, float64, int32, int64

from .kernels import helper, kernel, read, write

# A splat's record is one cache line of 64 bytes, seen through two views of the same memory.
# ``shape``, [M, 8] float64, columns 0–4: with dx, dy in pixels from (X, Y), sigma = ½ dᵀ cov⁻¹ d is
# (UX·dx + UY·dy)² + (VY·dy)², a Cholesky factor, which does not cancel as a quadratic form does.
RECORD_BYTES = 64
X, Y, UX, UY, VY = 0, 1, 2, 3, 4
# ``paint``, [M, 16] float32, columns 10–15, the rest of the line; REACH = ln(255·opacity) is the largest
# sigma at which alpha ≥ 1/255.
RED, GREEN, BLUE, DEPTH, OPACITY, REACH = 10, 11, 12, 13, 14, 15

# The camera as one float64 vector: camera_from_world rotation by rows, its translation, the camera's centre,
# then focal lengths, principal point, near plane, dilation, and the limits of x/z and y/z in the Jacobian.
ROTATION, TRANSLATION, CENTRE, FX, FY, CX, CY, NEAR, EPS2D = 0, 9, 12, 15, 16, 17, 18, 19, 20
LOW_X, HIGH_X, LOW_Y, HIGH_Y, CAMERA = 21, 22, 23, 24, 25

ALPHA_CUT = 1.0 / 255.0
# Extents are rounded outwards by this, so that no pixel is lost to rounding.
_MARGIN_PX = 1e-3


@helper
def _local_axes(quats, scales, i):
    """R·S of Gaussian ``i``, by rows: its three axes scaled by their standard deviations. NaN if quat = 0."""
    w, x, y, z = float64(quats[i, 0]), float64(quats[i, 1]), float64(quats[i, 2]), float64(quats[i, 3])
    a, b, c = float64(scales[i, 0]), float64(scales[i, 1]), float64(scales[i, 2])
    twice = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        a * (1.0 - twice * (y * y + z * z)), b * twice * (x * y - w * z), c * twice * (x * z + w * y),
        a * twice * (x * y + w * z), b * (1.0 - twice * (x * x + z * z)), c * twice * (y * z - w * x),
        a * twice * (x * z - w * y), b * twice * (y * z + w * x), c * (1.0 - twice * (x * x + y * y)),
    )  # fmt: skip


@helper
def _picture_axis(axes, camera, row, focal_over_z, slope):
    """One row (``row`` 0 = x, 1 = y) of B = J·W·R·S: where the three axes point on the picture, in pixels."""
    j0 = focal_over_z * (camera[3 * row] - slope * camera[6])
    j1 = focal_over_z * (camera[3 * row + 1] - slope * camera[7])
    j2 = focal_over_z * (camera[3 * row + 2] - slope * camera[8])
    return (
        j0 * axes[0] + j1 * axes[3] + j2 * axes[6],
        j0 * axes[1] + j1 * axes[4] + j2 * axes[7],
        j0 * axes[2] + j1 * axes[5] + j2 * axes[8],
    )


@helper
def _covariance(axes, camera, z, slope_x, slope_y):
    """The blurred covariance B·Bᵀ + eps2d·I as xx, xy, yy; then det(B·Bᵀ) and its own determinant, in px."""
    limited_x = min(camera[HIGH_X], max(camera[LOW_X], slope_x))
    limited_y = min(camera[HIGH_Y], max(camera[LOW_Y], slope_y))
    bx0, bx1, bx2 = _picture_axis(axes, camera, 0, camera[FX] / z, limited_x)
    by0, by1, by2 = _picture_axis(axes, camera, 1, camera[FY] / z, limited_y)
    xx = bx0 * bx0 + bx1 * bx1 + bx2 * bx2
    xy = bx0 * by0 + bx1 * by1 + bx2 * by2
    yy = by0 * by0 + by1 * by1 + by2 * by2
    # The sum of squared minors (Cauchy–Binet) does not cancel as xx·yy − xy² does.
    m01, m02, m12 = bx0 * by1 - bx1 * by0, bx0 * by2 - bx2 * by0, bx1 * by2 - bx2 * by1
    sharp = m01 * m01 + m02 * m02 + m12 * m12
    eps2d = camera[EPS2D]
    det = sharp + eps2d * (xx + yy) + eps2d * eps2d
    return xx + eps2d, xy, yy + eps2d, sharp, det


@helper
def _bounds(centre, deviation, reach, size):
    """First and end (half open) of the pixels of one axis whose centres lie where alpha ≥ 1/255."""
    half = deviation * math.sqrt(2.0 * reach) + _MARGIN_PX
    first = max(math.ceil(centre - half - 0.5), 0.0)
    end = min(math.floor(centre + half - 0.5) + 1.0, float64(size))
    return first, end


@helper
def _shade(sh, i, x, y, z, paint, row):
    """Colour of Gaussian ``i`` along the unit vector (x, y, z), into its record. SH with Inria's signs."""
    degree_end = sh.shape[1]
    for c in range(3):
        value = float32(0.5) + float32(0.28209479177387814) * sh[i, 0, c]
        if degree_end > 1:
            value += float32(0.4886025119029199) * (z * sh[i, 2, c] - y * sh[i, 1, c] - x * sh[i, 3, c])
        if degree_end > 4:
            xx, yy, zz = x * x, y * y, z * z
            value += (
                float32(1.0925484305920792)
                * (x * y * sh[i, 4, c] - y * z * sh[i, 5, c] - x * z * sh[i, 7, c])
                + float32(0.31539156525252005) * (zz + zz - xx - yy) * sh[i, 6, c]
                + float32(0.5462742152960396) * (xx - yy) * sh[i, 8, c]
            )
            if degree_end > 9:
                value += (
                    float32(-0.5900435899266435) * y * (float32(3) * xx - yy) * sh[i, 9, c]
                    + float32(2.890611442640554) * x * y * z * sh[i, 10, c]
                    + float32(-0.4570457994644658) * y * (float32(4) * zz - xx - yy) * sh[i, 11, c]
                    + float32(0.3731763325901154)
                    * z * (zz + zz - float32(3) * (xx + yy)) * sh[i, 12, c]
                    + float32(-0.4570457994644658) * x * (float32(4) * zz - xx - yy) * sh[i, 13, c]
                    + float32(1.445305721320277) * z * (xx - yy) * sh[i, 14, c]
                    + float32(-0.5900435899266435) * x * (xx - float32(3) * yy) * sh[i, 15, c]
                )  # fmt: skip
        paint[row, RED + c] = max(value, float32(0))


@kernel(
    read(float32, 2), read(float32, 2), read(float32, 2), read(float32, 1), read(float32, 3), boolean,
    int64, int64, read(float64, 1), int64, int64,
    write(float64, 2), write(float32, 2), write(int32, 2), int64,
    returns=int64,
)  # fmt: skip
def project(
    means, quats, scales, opacities, sh, antialiased,
    start, stop, camera, width, height, shape, paint, box, at,
):  # fmt: skip
    """Appends the splats of Gaussians start … stop − 1 that touch the picture to the records.

    Args:
        camera: [CAMERA] float64.
        shape, paint: records, [M, 8] float64 and [M, 16] float32, filled from row ``at`` on.
        box: [M, 4] int32, x0 y0 x1 y1 (half open): the pixels that the splat can reach.

    Returns:
        How many were appended, in their order.
    """
    row = at
    for i in range(start, stop):
        mx, my, mz = float64(means[i, 0]), float64(means[i, 1]), float64(means[i, 2])
        z = camera[6] * mx + camera[7] * my + camera[8] * mz + camera[11]
        opacity = float64(opacities[i])
        if not (z >= camera[NEAR] and z > 0.0 and opacity >= ALPHA_CUT):
            continue
        slope_x = (camera[0] * mx + camera[1] * my + camera[2] * mz + camera[9]) / z
        slope_y = (camera[3] * mx + camera[4] * my + camera[5] * mz + camera[10]) / z
        px, py = camera[FX] * slope_x + camera[CX], camera[FY] * slope_y + camera[CY]

        axes = _local_axes(quats, scales, i)
        xx, xy, yy, sharp, det = _covariance(axes, camera, z, slope_x, slope_y)
        if not (det > 0.0 and yy > 0.0 and det < math.inf):
            continue
        if antialiased:
            opacity *= math.sqrt(sharp / det)
            if opacity < ALPHA_CUT:
                continue

        reach = math.log(255.0 * opacity)
        x0, x1 = _bounds(px, math.sqrt(xx), reach, width)
        y0, y1 = _bounds(py, math.sqrt(yy), reach, height)
        if not (x0 < x1 and y0 < y1):
            continue
        box[row, 0], box[row, 1], box[row, 2], box[row, 3] = int32(x0), int32(y0), int32(x1), int32(y1)
        ux = math.sqrt(0.5 * yy / det)
        shape[row, X], shape[row, Y], shape[row, UX] = px, py, ux
        shape[row, UY], shape[row, VY] = -ux * xy / yy, math.sqrt(0.5 / yy)

        dx, dy, dz = mx - camera[CENTRE], my - camera[CENTRE + 1], mz - camera[CENTRE + 2]
        inverse = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
        _shade(sh, i, float32(dx * inverse), float32(dy * inverse), float32(dz * inverse), paint, row)
        paint[row, DEPTH], paint[row, OPACITY], paint[row, REACH] = z, opacity, reach
        row += 1
    return row - at
