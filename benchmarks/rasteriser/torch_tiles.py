"""A peer: a tile renderer in tensor operations, its two hot steps fused by ``torch.compile`` for the CPU.

Projection and colours are one compiled function over the Gaussians in view. Each tile has a list of its
splats, nearest first; all tiles together take 16 splats a turn, and tiles that are full or done leave.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
import torch

from anix_cli.core.gaussians import Gaussians

TILE, TURN = 16, 16
_C1 = 0.4886025119029199


class TorchTiles:
    """``frame`` draws one picture: rgb [H, W, 3] float32."""

    name = "torch.compile tiles"

    def __init__(self, scene: Gaussians, near: float) -> None:
        names = ("means", "quats", "scales", "opacities", "sh")
        self._scene = [torch.from_numpy(np.ascontiguousarray(getattr(scene, name))) for name in names]
        self._near, self._antialiased = float(near), scene.antialiased

    @torch.inference_mode()
    def frame(self, world_from_camera, intrinsics, size_px):
        width, height = size_px
        pose = torch.from_numpy(np.linalg.inv(world_from_camera).astype(np.float32))
        eye = torch.from_numpy(world_from_camera[:3, 3].astype(np.float32))
        focal = torch.tensor([intrinsics[0, 0], intrinsics[1, 1]], dtype=torch.float32)
        point = torch.tensor([intrinsics[0, 2], intrinsics[1, 2]], dtype=torch.float32)
        scene = self._in_view(pose, focal, point, size_px)
        size = torch.tensor([width, height], dtype=torch.float32)
        centre, conic, depth, colour, opacity, reach = _projected()(
            *scene, pose, eye, focal, point, size, self._antialiased
        )
        columns, rows = -(-width // TILE), -(-height // TILE)
        most = torch.tensor([columns, rows])
        low = torch.minimum(torch.floor((centre - reach) / TILE).long().clamp(min=0), most)
        high = torch.minimum(torch.floor((centre + reach) / TILE).long().add(1).clamp(min=0), most)
        starts, splats = _lists(low, high, depth, columns, columns * rows)
        table = torch.cat([centre, conic, opacity[:, None], colour], dim=1)
        return _draw(table, starts, splats, columns, rows)[:height, :width].numpy()

    def _in_view(self, pose, focal, point, size_px):
        means, quats, scales, opacities, sh = self._scene
        camera = means @ pose[:3, :3].T + pose[:3, 3]
        z = camera[:, 2].clamp(min=1e-6)
        margin = 3.33 * scales.amax(dim=1) * 1.5 * focal.max() / z + 3
        pixels = camera[:, :2] / z[:, None] * focal + point
        inside = ((pixels + margin[:, None] > 0) & (pixels - margin[:, None] < torch.tensor(size_px))).all(1)
        kept = torch.nonzero((camera[:, 2] >= self._near) & (opacities >= 1 / 255) & inside)[:, 0]
        return means[kept], quats[kept], scales[kept], opacities[kept], sh[kept]


def _project(means, quats, scales, opacities, sh, pose, eye, focal, point, size, antialiased):
    camera = means @ pose[:3, :3].T + pose[:3, 3]
    z = camera[:, 2:]
    slope = camera[:, :2] / z
    margin = 0.15 * size / focal
    limited = torch.maximum(torch.minimum(slope, (size - point) / focal + margin), -point / focal - margin)
    w, x, y, q = quats.unbind(1)
    rows = [
        torch.stack([1 - 2 * (y * y + q * q), 2 * (x * y - w * q), 2 * (x * q + w * y)], 1) * scales,
        torch.stack([2 * (x * y + w * q), 1 - 2 * (x * x + q * q), 2 * (y * q - w * x)], 1) * scales,
        torch.stack([2 * (x * q - w * y), 2 * (y * q + w * x), 1 - 2 * (x * x + y * y)], 1) * scales,
    ]
    turned = [sum(pose[a, b] * rows[b] for b in range(3)) for a in range(3)]
    across = focal[0] / z * (turned[0] - limited[:, :1] * turned[2])
    down = focal[1] / z * (turned[1] - limited[:, 1:] * turned[2])
    xx, xy, yy = (across * across).sum(1), (across * down).sum(1), (down * down).sum(1)
    sharp = xx * yy - xy * xy
    xx, yy = xx + 0.3, yy + 0.3
    det = xx * yy - xy * xy
    conic = torch.stack([yy, -xy, xx], 1) / det[:, None]
    if antialiased:
        opacities = opacities * torch.sqrt((sharp / det).clamp(min=0))
    reach = 3.33 * torch.sqrt(torch.stack([xx, yy], 1))
    away = means - eye
    colour = _colour(sh, away / away.norm(dim=1, keepdim=True))
    return slope * focal + point, conic, z[:, 0], colour, opacities, reach


def _colour(sh, d):
    x, y, z = d.unbind(1)
    xx, yy, zz = x * x, y * y, z * z
    basis = [torch.full_like(x, 0.28209479177387814), -_C1 * y, _C1 * z, -_C1 * x]
    if sh.shape[1] > 4:
        two = 1.0925484305920792
        basis += [
            two * x * y, -two * y * z, 0.31539156525252005 * (2 * zz - xx - yy), -two * x * z,
            0.5462742152960396 * (xx - yy),
        ]  # fmt: skip
    if sh.shape[1] > 9:
        basis += [
            -0.5900435899266435 * y * (3 * xx - yy), 2.890611442640554 * x * y * z,
            -0.4570457994644658 * y * (4 * zz - xx - yy),
            0.3731763325901154 * z * (2 * zz - 3 * xx - 3 * yy),
            -0.4570457994644658 * x * (4 * zz - xx - yy), 1.445305721320277 * z * (xx - yy),
            -0.5900435899266435 * x * (xx - 3 * yy),
        ]  # fmt: skip
    value = sum(basis[k][:, None] * sh[:, k] for k in range(sh.shape[1]))
    return torch.clamp_min(value + 0.5, 0)


def _lists(low, high, depth, columns, tiles):
    """Splats of tile t, nearest first: splats[starts[t] : starts[t + 1]]."""
    order = torch.argsort(depth, stable=True)
    low, high = low[order], high[order]
    extent = (high - low).clamp(min=0)
    count = extent[:, 0] * extent[:, 1]
    rows = torch.repeat_interleave(torch.arange(len(order)), count)
    within = torch.arange(len(rows)) - (torch.cumsum(count, 0) - count)[rows]
    wide = extent[rows, 0]
    tile = (low[rows, 1] + within // wide) * columns + low[rows, 0] + within % wide
    tile, sorting = torch.sort(tile.to(torch.int32), stable=True)
    starts = torch.searchsorted(tile, torch.arange(tiles + 1, dtype=torch.int32))
    return starts, order[rows[sorting]]


def _turn(through, red, green, blue, table, offsets, pixels):
    """One turn of all tiles, [T, P] each; table [T, TURN, 9]. Unrolled, so that it is one fused loop."""
    x, y = pixels[None, :, 0] + offsets[:, :1], pixels[None, :, 1] + offsets[:, 1:]
    for k in range(TURN):
        px, py, a, b, c, opacity, r, g, u = (table[:, k, column, None] for column in range(9))
        dx, dy = x - px, y - py
        alpha = torch.clamp_max(opacity * torch.exp(-0.5 * (a * dx * dx + c * dy * dy) - b * dx * dy), 0.999)
        alpha = torch.where(alpha < 1 / 255, 0.0, alpha)
        weight = through * alpha
        left = through - weight
        # A pixel that is full turns negative and stays so.
        weight = torch.where(left > 1e-4, weight, 0.0)
        through = torch.where(left > 1e-4, left, -through.abs())
        red, green, blue = red + weight * r, green + weight * g, blue + weight * u
    return through, red, green, blue


def _draw(table, starts, splats, columns, rows):
    tiles = columns * rows
    inside = torch.arange(TILE, dtype=torch.float32) + 0.5
    pixels = torch.stack([inside.repeat(TILE), inside.repeat_interleave(TILE)], 1)
    number = torch.arange(tiles)
    corners = torch.stack([number % columns, number // columns], 1).float() * TILE
    state = [torch.ones(tiles, TILE * TILE), *(torch.zeros(tiles, TILE * TILE) for _ in range(3))]
    table = torch.cat([table, torch.zeros(1, 9)])  # the last row draws nothing
    live, turn = torch.nonzero(starts[1:] > starts[:-1])[:, 0], 0
    while len(live):
        at = starts[live][:, None] + TURN * turn + torch.arange(TURN)
        held = torch.where(at < starts[live + 1][:, None], splats[at.clamp(max=len(splats) - 1)], -1)
        now = _turned()(*(each[live] for each in state), table[held], corners[live], pixels)
        for each, value in zip(state, now, strict=True):
            each[live] = value
        turn += 1
        done = now[0].amax(dim=1) <= 0
        live = live[~done & (starts[live + 1] > starts[live] + TURN * turn)]
    picture = torch.stack(state[1:], 1).reshape(rows, columns, 3, TILE, TILE).permute(0, 3, 1, 4, 2)
    return picture.reshape(rows * TILE, columns * TILE, 3).clamp(0, 1)


_compiled = {}


def _projected():
    return _once("project", _project)


def _turned():
    return _once("turn", _turn)


def _once(name, function):
    if name not in _compiled:
        _compiled[name] = torch.compile(function, dynamic=True)
    return _compiled[name]
