"""Linear-blend skinning of Gaussians, compiled."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import math

from numba import float32, float64, int32, void

from anix_cli.splat.kernels import helper, kernel, read, write

_SH = 1 / 0.28209479177387814
_THIN = 0.12
_DARKEST, _SKY = 0.86, 0.14
"""Light from above and below: a sum, and a difference, of their halves."""


@helper
def _quat(e00, e10, e20, e01, e11, e21, e02, e12, e22, out, row):
    """Writes the unit quaternion, wxyz, of a rotation whose columns are e·0, e·1 and e·2 (Shepperd 1978)."""
    trace = e00 + e11 + e22
    if trace > 0:
        s = math.sqrt(trace + 1.0) * 2
        w, x, y, z = 0.25 * s, (e21 - e12) / s, (e02 - e20) / s, (e10 - e01) / s
    elif e00 > e11 and e00 > e22:
        s = math.sqrt(max(1.0 + e00 - e11 - e22, 1e-12)) * 2
        w, x, y, z = (e21 - e12) / s, 0.25 * s, (e01 + e10) / s, (e02 + e20) / s
    elif e11 > e22:
        s = math.sqrt(max(1.0 + e11 - e00 - e22, 1e-12)) * 2
        w, x, y, z = (e02 - e20) / s, (e01 + e10) / s, 0.25 * s, (e12 + e21) / s
    else:
        s = math.sqrt(max(1.0 + e22 - e00 - e11, 1e-12)) * 2
        w, x, y, z = (e10 - e01) / s, (e02 + e20) / s, (e12 + e21) / s, 0.25 * s
    out[row, 0], out[row, 1], out[row, 2], out[row, 3] = w, x, y, z


@kernel(
    read(float32, 2), read(float32, 2), read(float32, 2), read(float32, 2), read(int32, 2), read(float32, 2),
    read(float64, 3), read(float32, 2),
    write(float32, 2), write(float32, 2), write(float32, 2), write(float32, 3),
    write(float64, 2),
    returns=void,
)  # fmt: skip
def move(points, along, across, normals, bones, weights, matrices, rgb, means, quats, scales, sh, m):
    """Moves all rows: see :class:`anix_cli.character.models.sample.Skin` for what goes in.

    Args:
        matrices: [B, 4, 4] stage_from_piece of each bone.
        means, quats, scales, sh: filled, as of :class:`anix_cli.core.gaussians.Gaussians`.
        m: [3, 4] scratch.
    """
    for n in range(points.shape[0]):
        for i in range(3):
            for j in range(4):
                m[i, j] = 0.0
        for k in range(4):
            share = float64(weights[n, k])
            if share > 0.0:
                b = bones[n, k]
                for i in range(3):
                    for j in range(4):
                        m[i, j] += share * matrices[b, i, j]
        px, py, pz = float64(points[n, 0]), float64(points[n, 1]), float64(points[n, 2])
        for i in range(3):
            means[n, i] = m[i, 0] * px + m[i, 1] * py + m[i, 2] * pz + m[i, 3]
        ax, ay, az = float64(along[n, 0]), float64(along[n, 1]), float64(along[n, 2])
        ux = m[0, 0] * ax + m[0, 1] * ay + m[0, 2] * az
        uy = m[1, 0] * ax + m[1, 1] * ay + m[1, 2] * az
        uz = m[2, 0] * ax + m[2, 1] * ay + m[2, 2] * az
        ax, ay, az = float64(across[n, 0]), float64(across[n, 1]), float64(across[n, 2])
        vx = m[0, 0] * ax + m[0, 1] * ay + m[0, 2] * az
        vy = m[1, 0] * ax + m[1, 1] * ay + m[1, 2] * az
        vz = m[2, 0] * ax + m[2, 1] * ay + m[2, 2] * az
        long = max(math.sqrt(ux * ux + uy * uy + uz * uz), 1e-9)
        ux, uy, uz = ux / long, uy / long, uz / long
        dot = ux * vx + uy * vy + uz * vz
        vx, vy, vz = vx - dot * ux, vy - dot * uy, vz - dot * uz
        short = math.sqrt(vx * vx + vy * vy + vz * vz)
        if short < 1e-9:  # flattened: any direction beside the long one
            vx, vy, vz = -uy, ux, 0.0
            if abs(uz) > 0.9:
                vx, vy, vz = 0.0, -uz, uy
            length = max(math.sqrt(vx * vx + vy * vy + vz * vz), 1e-9)
            vx, vy, vz, short = vx / length, vy / length, vz / length, 1e-9
        else:
            vx, vy, vz = vx / short, vy / short, vz / short
        wx, wy, wz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        _quat(ux, uy, uz, vx, vy, vz, wx, wy, wz, quats, n)
        scales[n, 0], scales[n, 1], scales[n, 2] = long, short, _THIN * min(long, short)
        ax, ay, az = float64(normals[n, 0]), float64(normals[n, 1]), float64(normals[n, 2])
        nx = m[0, 0] * ax + m[0, 1] * ay + m[0, 2] * az
        ny = m[1, 0] * ax + m[1, 1] * ay + m[1, 2] * az
        nz = m[2, 0] * ax + m[2, 1] * ay + m[2, 2] * az
        up = ny / max(math.sqrt(nx * nx + ny * ny + nz * nz), 1e-12)
        light = _DARKEST + _SKY * up
        for i in range(3):
            sh[n, 0, i] = (light * rgb[n, i] - 0.5) * _SH
