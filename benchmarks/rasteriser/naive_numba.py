"""A peer: the 16 × 16 tile renderer that one writes first with numba, parallel over Gaussians and tiles.

float32, prange, fast math; structure of arrays; splats are cut off at 3.33 standard deviations and at the
tiles that their boxes touch; a pixel stops when it is full. What it lacks is what ``anix_cli.splat`` has
beside that.
"""

# mypy: ignore-errors

from __future__ import annotations

import math

import numba
import numpy as np

from anix_cli.core.gaussians import Gaussians

TILE = 16
_OPTIONS = {"parallel": True, "fastmath": True, "nogil": True}
_C1 = 0.4886025119029199
_C2 = (1.0925484305920792, -1.0925484305920792, 0.31539156525252005, -1.0925484305920792, 0.5462742152960396)
_C3 = (
    -0.5900435899266435, 2.890611442640554, -0.4570457994644658, 0.3731763325901154,
    -0.4570457994644658, 1.445305721320277, -0.5900435899266435,
)  # fmt: skip


class NaiveNumba:
    """``frame`` draws one picture: rgb [H, W, 3] float32."""

    name = "numba tiles"

    def __init__(self, scene: Gaussians, near: float) -> None:
        self._scene, self._near = scene, np.float32(near)
        self._antialiased = scene.antialiased

    def frame(self, world_from_camera, intrinsics, size_px):
        width, height = size_px
        camera_from_world = np.linalg.inv(world_from_camera).astype(np.float32)
        scene = self._scene
        centre, conic, depth, colour, opacity, tiles = _project(
            scene.means, scene.quats, scene.scales, scene.opacities, scene.sh, camera_from_world,
            world_from_camera[:3, 3].astype(np.float32), intrinsics.astype(np.float32), width, height,
            self._near, self._antialiased,
        )  # fmt: skip
        seen = np.flatnonzero(tiles[:, 2] > tiles[:, 0])
        order = seen[np.argsort(depth[seen], kind="stable")]
        columns, rows = -(-width // TILE), -(-height // TILE)
        starts, lists = _bin(order, tiles, columns, columns * rows)
        return _draw(starts, lists, centre, conic, colour, opacity, columns, width, height)


@numba.njit(**_OPTIONS)
def _project(
    means, quats, scales, opacities, sh, view, eye, k, width, height, near, antialiased,
):  # fmt: skip
    """2D centres, conics, depths, colours, opacities and tile boxes [N, 4] (empty: not seen)."""
    count = means.shape[0]
    centre, conic = np.empty((count, 2), np.float32), np.empty((count, 3), np.float32)
    depth, colour = np.empty(count, np.float32), np.empty((count, 3), np.float32)
    opacity, tiles = np.empty(count, np.float32), np.zeros((count, 4), np.int32)
    fx, fy, cx, cy = k[0, 0], k[1, 1], k[0, 2], k[1, 2]
    low_x, high_x = -cx / fx - 0.15 * width / fx, (width - cx) / fx + 0.15 * width / fx
    low_y, high_y = -cy / fy - 0.15 * height / fy, (height - cy) / fy + 0.15 * height / fy
    columns, rows = (width + TILE - 1) // TILE, (height + TILE - 1) // TILE
    for i in numba.prange(count):
        mx, my, mz = means[i, 0], means[i, 1], means[i, 2]
        z = view[2, 0] * mx + view[2, 1] * my + view[2, 2] * mz + view[2, 3]
        if z < near or opacities[i] < np.float32(1 / 255):
            continue
        sx = (view[0, 0] * mx + view[0, 1] * my + view[0, 2] * mz + view[0, 3]) / z
        sy = (view[1, 0] * mx + view[1, 1] * my + view[1, 2] * mz + view[1, 3]) / z
        w, x, y, q = quats[i, 0], quats[i, 1], quats[i, 2], quats[i, 3]
        a, b, c = scales[i, 0], scales[i, 1], scales[i, 2]
        r00, r01, r02 = a * (1 - 2 * (y * y + q * q)), b * 2 * (x * y - w * q), c * 2 * (x * q + w * y)
        r10, r11, r12 = a * 2 * (x * y + w * q), b * (1 - 2 * (x * x + q * q)), c * 2 * (y * q - w * x)
        r20, r21, r22 = a * 2 * (x * q - w * y), b * 2 * (y * q + w * x), c * (1 - 2 * (x * x + y * y))
        lx, ly = min(max(sx, low_x), high_x), min(max(sy, low_y), high_y)
        j00, j01, j02 = (
            fx / z * (view[0, 0] - lx * view[2, 0]),
            fx / z * (view[0, 1] - lx * view[2, 1]),
            fx / z * (view[0, 2] - lx * view[2, 2]),
        )
        j10, j11, j12 = (
            fy / z * (view[1, 0] - ly * view[2, 0]),
            fy / z * (view[1, 1] - ly * view[2, 1]),
            fy / z * (view[1, 2] - ly * view[2, 2]),
        )
        u0, u1, u2 = (
            j00 * r00 + j01 * r10 + j02 * r20,
            j00 * r01 + j01 * r11 + j02 * r21,
            j00 * r02 + j01 * r12 + j02 * r22,
        )
        v0, v1, v2 = (
            j10 * r00 + j11 * r10 + j12 * r20,
            j10 * r01 + j11 * r11 + j12 * r21,
            j10 * r02 + j11 * r12 + j12 * r22,
        )
        xx, xy, yy = u0 * u0 + u1 * u1 + u2 * u2, u0 * v0 + u1 * v1 + u2 * v2, v0 * v0 + v1 * v1 + v2 * v2
        sharp = xx * yy - xy * xy
        xx, yy = xx + np.float32(0.3), yy + np.float32(0.3)
        det = xx * yy - xy * xy
        if det <= 0:
            continue
        px, py = fx * sx + cx, fy * sy + cy
        rx, ry = np.float32(3.33) * math.sqrt(xx), np.float32(3.33) * math.sqrt(yy)
        left, right = max(0, math.floor((px - rx) / TILE)), min(columns, int((px + rx) / TILE) + 1)
        top, bottom = max(0, math.floor((py - ry) / TILE)), min(rows, int((py + ry) / TILE) + 1)
        if left >= right or top >= bottom or px + rx < 0 or py + ry < 0:
            continue
        centre[i, 0], centre[i, 1], depth[i] = px, py, z
        conic[i, 0], conic[i, 1], conic[i, 2] = yy / det, -xy / det, xx / det
        opacity[i] = (
            opacities[i] * math.sqrt(max(sharp / det, np.float32(0))) if antialiased else opacities[i]
        )
        tiles[i, 0], tiles[i, 1], tiles[i, 2], tiles[i, 3] = left, top, right, bottom
        _shade(sh, i, mx - eye[0], my - eye[1], mz - eye[2], colour)
    return centre, conic, depth, colour, opacity, tiles


@numba.njit(fastmath=True)
def _shade(sh, i, x, y, z, colour):
    length = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    xx, yy, zz = x * x, y * y, z * z
    for c in range(3):
        value = np.float32(0.28209479177387814) * sh[i, 0, c] + np.float32(0.5)
        if sh.shape[1] > 1:
            value += np.float32(_C1) * (z * sh[i, 2, c] - y * sh[i, 1, c] - x * sh[i, 3, c])
        if sh.shape[1] > 4:
            value += (
                np.float32(_C2[0]) * x * y * sh[i, 4, c]
                + np.float32(_C2[1]) * y * z * sh[i, 5, c]
                + np.float32(_C2[2]) * (2 * zz - xx - yy) * sh[i, 6, c]
                + np.float32(_C2[3]) * x * z * sh[i, 7, c]
                + np.float32(_C2[4]) * (xx - yy) * sh[i, 8, c]
            )
        if sh.shape[1] > 9:
            value += (
                np.float32(_C3[0]) * y * (3 * xx - yy) * sh[i, 9, c]
                + np.float32(_C3[1]) * x * y * z * sh[i, 10, c]
                + np.float32(_C3[2]) * y * (4 * zz - xx - yy) * sh[i, 11, c]
                + np.float32(_C3[3]) * z * (2 * zz - 3 * xx - 3 * yy) * sh[i, 12, c]
                + np.float32(_C3[4]) * x * (4 * zz - xx - yy) * sh[i, 13, c]
                + np.float32(_C3[5]) * z * (xx - yy) * sh[i, 14, c]
                + np.float32(_C3[6]) * x * (xx - 3 * yy) * sh[i, 15, c]
            )
        colour[i, c] = max(value, np.float32(0))


@numba.njit(nogil=True)
def _bin(order, tiles, columns, count):
    """Splats of tile t, nearest first: lists[starts[t] : starts[t + 1]]."""
    starts = np.zeros(count + 1, np.int64)
    for i in order:
        for y in range(tiles[i, 1], tiles[i, 3]):
            for x in range(tiles[i, 0], tiles[i, 2]):
                starts[y * columns + x + 1] += 1
    for t in range(count):
        starts[t + 1] += starts[t]
    lists, ends = np.empty(starts[count], np.int32), starts[:-1].copy()
    for i in order:
        for y in range(tiles[i, 1], tiles[i, 3]):
            for x in range(tiles[i, 0], tiles[i, 2]):
                lists[ends[y * columns + x]] = i
                ends[y * columns + x] += 1
    return starts, lists


@numba.njit(**_OPTIONS)
def _draw(starts, lists, centre, conic, colour, opacity, columns, width, height):
    picture = np.zeros((height, width, 3), np.float32)
    for t in numba.prange(starts.size - 1):
        left, top = t % columns * TILE, t // columns * TILE
        for row in range(top, min(top + TILE, height)):
            for column in range(left, min(left + TILE, width)):
                through = np.float32(1)
                red = green = blue = np.float32(0)
                for at in range(starts[t], starts[t + 1]):
                    i = lists[at]
                    dx = np.float32(column) + np.float32(0.5) - centre[i, 0]
                    dy = np.float32(row) + np.float32(0.5) - centre[i, 1]
                    power = (
                        np.float32(-0.5) * (conic[i, 0] * dx * dx + conic[i, 2] * dy * dy)
                        - conic[i, 1] * dx * dy
                    )
                    alpha = min(np.float32(0.999), opacity[i] * math.exp(power))
                    if alpha < np.float32(1 / 255):
                        continue
                    if through * (1 - alpha) <= np.float32(1e-4):
                        break
                    weight = through * alpha
                    red += weight * colour[i, 0]
                    green += weight * colour[i, 1]
                    blue += weight * colour[i, 2]
                    through -= weight
                picture[row, column, 0] = min(red, np.float32(1))
                picture[row, column, 1] = min(green, np.float32(1))
                picture[row, column, 2] = min(blue, np.float32(1))
    return picture
