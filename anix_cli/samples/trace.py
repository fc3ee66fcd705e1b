"""Sphere tracing of a :class:`~anix_cli.samples.solids.Body` along parallel rays, compiled with numba.

Hart 1996, "Sphere tracing"; ambient occlusion and soft shadows read the distances along the normal and
towards the light (Evans 2006, "Fast approximations for global illumination on dynamic scenes").
"""

# Compiled functions take their arguments by position.

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

F64 = NDArray[np.float64]

MAX_SOLIDS = 160
BAND_KIND = 4.0
FAR_M = 1e9
HIT_M = 2e-4


@njit(cache=True)
def _distance(row: F64, x: float, y: float, z: float) -> float:
    kind = int(row[0])
    px, py, pz = x - row[2], y - row[3], z - row[4]
    if kind == 0:
        bx, by, bz = row[5] - row[2], row[6] - row[3], row[7] - row[4]
        along = bx * bx + by * by + bz * bz
        taper = row[8] - row[9]
        slope = along - taper * taper
        inverse = 1.0 / along
        dot = px * bx + py * by + pz * bz
        z0 = dot - along
        ux, uy, uz = px * along - bx * dot, py * along - by * dot, pz * along - bz * dot
        across = ux * ux + uy * uy + uz * uz
        y2, z2 = dot * dot * along, z0 * z0 * along
        k = np.sign(taper) * taper * taper * across
        if np.sign(z0) * slope * z2 > k:
            d = np.sqrt(across + z2) * inverse - row[9]
        elif np.sign(dot) * slope * y2 < k:
            d = np.sqrt(across + y2) * inverse - row[8]
        else:
            d = (np.sqrt(across * slope * inverse) + dot * taper) * inverse - row[8]
    else:
        qx = row[10] * px + row[11] * py + row[12] * pz
        qy = row[13] * px + row[14] * py + row[15] * pz
        qz = row[16] * px + row[17] * py + row[18] * pz
        if kind == 1:
            ax, ay, az = qx / row[5], qy / row[6], qz / row[7]
            k0 = np.sqrt(ax * ax + ay * ay + az * az)
            ax, ay, az = ax / row[5], ay / row[6], az / row[7]
            k1 = np.sqrt(ax * ax + ay * ay + az * az)
            d = k0 * (k0 - 1.0) / k1 if k1 > 1e-9 else -min(row[5], row[6], row[7])
        elif kind == 2:
            r = row[8]
            ax, ay, az = abs(qx) - row[5] + r, abs(qy) - row[6] + r, abs(qz) - row[7] + r
            ox, oy, oz = max(ax, 0.0), max(ay, 0.0), max(az, 0.0)
            d = np.sqrt(ox * ox + oy * oy + oz * oz) + min(max(ax, ay, az), 0.0) - r
        else:
            ring = np.sqrt(qx * qx + qz * qz) - row[8]
            d = np.sqrt(ring * ring + qy * qy) - row[9]
    if row[19] != 0.0 or row[20] != 0.0 or row[21] != 0.0:
        d = max(d, row[19] * x + row[20] * y + row[21] * z - row[22])
    return float(d)


@njit(cache=True)
def _field(
    table: F64, blends: F64, ids: NDArray[np.int64], n: int, x: float, y: float, z: float, reach: float
) -> tuple[float, int]:
    """Distance at a point (or ``reach`` if that is less) and the primitive that is nearest (or −1).

    Only the primitives ``ids[:n]`` count; they are in order of their groups.
    """
    best, who = reach, -1
    group, melted, nearest, owner = -1, FAR_M, FAR_M, -1
    first_group = FAR_M
    for i in range(n):
        row = table[ids[i]]
        if int(row[1]) != group:
            if melted < best:
                best, who = melted, owner
            group, melted, nearest, owner = int(row[1]), FAR_M, FAR_M, -1
        if row[0] == BAND_KIND:
            plane = abs(row[19] * x + row[20] * y + row[21] * z - row[22]) - row[9]
            melted, owner = max(first_group - row[8], plane), ids[i]
            continue
        cx, cy, cz = x - row[23], y - row[24], z - row[25]
        limit = row[26] + reach
        if cx * cx + cy * cy + cz * cz > limit * limit:
            continue
        d = _distance(row, x, y, z)
        if d < nearest:
            nearest, owner = d, ids[i]
        k = blends[group]
        gap = k - abs(d - melted)
        melted = min(d, melted)
        if gap > 0.0:
            melted -= gap * gap / (4.0 * k)
        if group == 0:
            first_group = melted
    if melted < best:
        best, who = melted, owner
    return best, who


@njit(cache=True)
def _near_ray(table: F64, origin: F64, d: F64, ids: NDArray[np.int64]) -> int:
    """Fills ``ids`` with the primitives whose bounding sphere the ray passes within 8 cm."""
    n = 0
    solids = 0
    for i in range(table.shape[0]):
        row = table[i]
        cx, cy, cz = row[23] - origin[0], row[24] - origin[1], row[25] - origin[2]
        t = cx * d[0] + cy * d[1] + cz * d[2]
        off = cx * cx + cy * cy + cz * cz - t * t
        limit = row[26] + 0.08
        if off < limit * limit:
            ids[n] = i
            n += 1
            solids += int(row[0] != BAND_KIND)
    return n if solids > 0 else 0


@njit(cache=True)
def _near_point(table: F64, x: float, y: float, z: float, reach: float, ids: NDArray[np.int64]) -> int:
    """Fills ``ids`` with the primitives whose bounding sphere comes within ``reach`` of a point."""
    n = 0
    for i in range(table.shape[0]):
        row = table[i]
        cx, cy, cz = row[23] - x, row[24] - y, row[25] - z
        limit = row[26] + reach
        if cx * cx + cy * cy + cz * cz < limit * limit:
            ids[n] = i
            n += 1
    return n


@njit(cache=True)
def _normal(
    table: F64, blends: F64, ids: NDArray[np.int64], n: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    e = 6e-4
    gx = _field(table, blends, ids, n, x + e, y, z, 0.1)[0]
    gx -= _field(table, blends, ids, n, x - e, y, z, 0.1)[0]
    gy = _field(table, blends, ids, n, x, y + e, z, 0.1)[0]
    gy -= _field(table, blends, ids, n, x, y - e, z, 0.1)[0]
    gz = _field(table, blends, ids, n, x, y, z + e, 0.1)[0]
    gz -= _field(table, blends, ids, n, x, y, z - e, 0.1)[0]
    length = np.sqrt(gx * gx + gy * gy + gz * gz) + 1e-12
    return gx / length, gy / length, gz / length


@njit(cache=True)
def _open_sky(table: F64, blends: F64, ids: NDArray[np.int64], n: int, point: F64, normal: F64) -> float:
    hidden, weight = 0.0, 1.0
    for step in range(1, 6):
        h = 0.0072 * step * step + 0.004
        x, y, z = point[0] + h * normal[0], point[1] + h * normal[1], point[2] + h * normal[2]
        d = _field(table, blends, ids, n, x, y, z, 0.2)[0]
        hidden += weight * max(h - d, 0.0) / h
        weight *= 0.7
    return max(0.0, 1.0 - 0.42 * hidden)


@njit(cache=True)
def _lit(table: F64, blends: F64, ids: NDArray[np.int64], n: int, point: F64, to_light: F64) -> float:
    s, shade = 0.012, 1.0
    for _ in range(16):
        x, y, z = point[0] + s * to_light[0], point[1] + s * to_light[1], point[2] + s * to_light[2]
        d = _field(table, blends, ids, n, x, y, z, 0.12)[0]
        shade = min(shade, 5.0 * d / s)
        s += min(max(d, 0.012), 0.08)
        if shade < 0.0 or s > 0.6:
            break
    return max(shade, 0.0)


@njit(cache=True, parallel=True)
def trace(
    table: F64, blends: F64, origins: F64, direction: F64, to_light: F64
) -> tuple[F64, F64, NDArray[np.int64], F64, F64]:
    """Follows rays to the body.

    Args:
        table: [P, 28] from ``Body.table``; blends: [G] metres.
        origins: [R, 3] starts of the rays, 2 m before the body's axis; direction, to_light: [3] unit.

    Returns:
        points [R, 3], normals [R, 3], the primitive hit [R] (−1: none), ambient occlusion [R] and the
        light's visibility [R], both 0..1.
    """
    count = origins.shape[0]
    points = np.zeros((count, 3))
    normals = np.zeros((count, 3))
    owners = np.full(count, -1)
    open_sky = np.ones(count)
    lit = np.ones(count)
    for r in prange(count):
        ids = np.empty(MAX_SOLIDS, dtype=np.int64)
        n = _near_ray(table, origins[r], direction, ids)
        t, who, d = 1.2, -1, FAR_M
        x = y = z = 0.0
        for _ in range(160 if n > 0 else 0):
            x = origins[r, 0] + t * direction[0]
            y = origins[r, 1] + t * direction[1]
            z = origins[r, 2] + t * direction[2]
            d, who = _field(table, blends, ids, n, x, y, z, 0.25)
            if d < HIT_M or t > 2.8:
                break
            t += 0.8 * d
        if who < 0 or d >= 4 * HIT_M:
            continue
        owners[r] = who
        points[r, 0], points[r, 1], points[r, 2] = x, y, z
        nx, ny, nz = _normal(table, blends, ids, n, x, y, z)
        normals[r, 0], normals[r, 1], normals[r, 2] = nx, ny, nz
        n = _near_point(table, x, y, z, 0.4, ids)
        open_sky[r] = _open_sky(table, blends, ids, n, points[r], normals[r])
        n = _near_ray(table, points[r], to_light, ids)
        start = points[r] + 0.004 * normals[r]
        lit[r] = _lit(table, blends, ids, n, start, to_light)
    return points, normals, owners, open_sky, lit
