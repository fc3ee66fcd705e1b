"""The four views of the sample character: orthographic, same scale, feet on one line, soft studio light."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import mira
from .light import linear_from_srgb, srgb_from_linear
from .looks import MIRA, Look
from .solids import F64

VIEWS = ("front", "left", "right", "back")
SIZE_PX = (768, 1024)
PIXELS_PER_M = 560.0
FOOT_LINE_PX = 1000.0

# The axis of the body that points at the camera of each view; at rest she faces +Z, her own left is +X.
TOWARDS_CAMERA = {
    "front": (0.0, 0.0, 1.0),
    "left": (1.0, 0.0, 0.0),
    "right": (-1.0, 0.0, 0.0),
    "back": (0.0, 0.0, -1.0),
}


def render_view(
    view: str, *, look: Look = MIRA, size_px: tuple[int, int] = SIZE_PX, samples: int = 3
) -> NDArray[np.uint8]:
    """One view of the figure.

    Every pixel is sampled once; those on an outline, between two solids or beside one, samples² times.

    Args:
        view: a name of ``VIEWS``; "left" has the figure's own left side turned to the camera.
        look: who it is.
        size_px: width and height; the scale follows the height.

    Returns:
        [h, w, 4] uint8 sRGB with straight alpha; black where alpha is 0.
    """
    studio = _Studio(view, look, size_px)
    width, height = size_px
    row, column = (a.ravel().astype(np.float64) for a in np.mgrid[0:height, 0:width])
    colour, owners = studio.look(column + 0.5, row + 0.5)
    picture = np.concatenate([colour, (owners >= 0)[:, None]], axis=1).reshape(height, width, 4)
    edge = _outlines(owners.reshape(height, width))
    rows, columns = (a.astype(np.float64) for a in np.nonzero(edge))
    total = np.zeros((len(rows), 4))
    for i in range(samples):
        for j in range(samples):
            colour, owners = studio.look(columns + (i + 0.5) / samples, rows + (j + 0.5) / samples)
            total[:, :3] += colour
            total[:, 3] += owners >= 0
    picture[edge] = total / samples**2
    alpha = picture[..., 3:]
    straight = srgb_from_linear(_shoulder(picture[..., :3] / np.maximum(alpha, 1e-9))) * (alpha > 0)
    return np.asarray(np.round(np.concatenate([straight, alpha], axis=2) * 255), dtype=np.uint8)


def _outlines(owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Pixels [h, w] one of whose eight neighbours shows another solid, or nothing."""
    padded = np.pad(owners, 1, mode="edge")
    edge = np.zeros(owners.shape, dtype=bool)
    height, width = owners.shape
    for down in range(3):
        for across in range(3):
            edge |= padded[down : down + height, across : across + width] != owners
    return edge


class _Studio:
    """The figure before an orthographic camera."""

    def __init__(self, view: str, look: Look, size_px: tuple[int, int]) -> None:
        self.dressed = look
        body = mira.build(look)
        self.table, self.blends = body.table(), np.array(body.blends_m)
        self.materials = np.array([solid.material for solid in body.solids])
        self.back = np.array(TOWARDS_CAMERA[view])
        self.right = np.cross([0.0, 1.0, 0.0], self.back)
        scale = size_px[1] / SIZE_PX[1]
        self.pixels_per_m, self.foot_px, self.middle_px = (
            PIXELS_PER_M * scale,
            FOOT_LINE_PX * scale,
            size_px[0] / 2,
        )
        to_light = self.right * -0.35 + np.array([0.0, 0.65, 0.0]) + self.back * 0.68
        self.to_light = to_light / np.linalg.norm(to_light)

    def look(self, column_px: F64, row_px: F64) -> tuple[F64, NDArray[np.int64]]:
        """Linear colour [N, 3] (black where nothing is) and solid [N] (−1: none) at points of the picture."""
        from .trace import trace

        across = (column_px - self.middle_px) / self.pixels_per_m
        up = (self.foot_px - row_px) / self.pixels_per_m
        origins = across[:, None] * self.right + up[:, None] * np.array([0.0, 1.0, 0.0]) + 2.0 * self.back
        points, normals, owners, open_sky, lit = trace(
            self.table, self.blends, origins, -self.back, self.to_light
        )
        hit = owners >= 0
        materials = self.materials[owners[hit]]
        colour = np.zeros((len(owners), 3))
        colour[hit] = shade(
            paint(points[hit], normals[hit], materials, self.dressed),
            normals[hit],
            materials,
            open_sky=open_sky[hit],
            lit=lit[hit],
            to_light=self.to_light,
            back=self.back,
        )
        return colour, owners


def shade(
    albedo: F64,
    normals: F64,
    materials: NDArray[np.int64],
    *,
    open_sky: F64,
    lit: F64,
    to_light: F64,
    back: F64,
) -> F64:
    """Linear colour [N, 3]: a large soft key light over the camera, a dome for fill, a faint rim."""
    key = np.clip((normals @ to_light + 0.12) / 1.12, 0, None) * (0.55 + 0.45 * lit)
    dome = (0.62 + 0.38 * normals[:, 1]) * open_sky
    facing = np.clip(normals @ back, 0, 1)
    rim = (1 - facing) ** 3 * np.clip(0.4 + normals[:, 1], 0, 1) * open_sky
    light = (
        key[:, None] * np.array([0.95, 0.90, 0.83])
        + dome[:, None] * np.array([0.52, 0.54, 0.58])
        + 0.34 * (facing * open_sky)[:, None]
    )
    colour = albedo * light + rim[:, None] * 0.07
    half = to_light + back
    half = half / np.linalg.norm(half)
    gloss = np.array(
        [0.05, 0.10, 0.05, 0.05, 0.02, 0.04, 0.05, 0.10, 0.12, 0.10, 0.06, 0.06, 0.5, 0.0, 0.6, 0.1]
    )
    power = np.array([14, 30, 18, 18, 12, 20, 20, 24, 30, 24, 16, 16, 140, 1, 60, 20], dtype=np.float64)
    shine = gloss[materials] * np.clip(normals @ half, 0, 1) ** power[materials] * lit
    return np.asarray(colour + shine[:, None])


def paint(points: F64, normals: F64, materials: NDArray[np.int64], look: Look = MIRA) -> F64:
    """Linear albedo [N, 3]: the palette with what is drawn on it (face, zip, pockets, stripes, seams)."""
    colour = np.array(look.palette, dtype=np.float64)[materials] / 255.0
    x, y, z = points.T
    _paint_face(colour, x, y, normals, materials, look)
    _paint_eyes(colour, x, y, materials, look)
    _paint_jacket(colour, x, y, z, materials, look)
    _paint_rest(colour, points, normals, materials, look)
    return linear_from_srgb(colour)


def _over(colour: F64, where: NDArray[np.bool_], amount: F64 | float, ink: tuple[int, int, int]) -> None:
    amount = np.where(where, amount, 0.0)[:, None]
    colour += amount * (np.array(ink) / 255.0 - colour)


def _soft(distance: F64, width: float, blur: float = 0.0012) -> F64:
    """1 within ``width`` of a line, 0 outside, with a soft edge."""
    return np.asarray(np.clip((width - distance) / blur + 0.5, 0, 1))


def _paint_face(colour: F64, x: F64, y: F64, normals: F64, materials: NDArray[np.int64], look: Look) -> None:
    face = (materials == mira.SKIN) & (y > 1.46) & (normals[:, 2] > 0.2)
    for side in (-1, 1):
        cheek = np.exp(-(((x - side * 0.052) / 0.022) ** 2) - ((y - 1.540) / 0.016) ** 2)
        _over(colour, face, 0.45 * cheek, look.cheek)
    smile = 1.5085 + 7.5 * x**2
    below = np.clip((smile - y) / 0.010, 0, 1) * (np.abs(x) < 0.020)
    lip = np.exp(-(((y - smile + 0.006) / 0.0045) ** 2) - (x / 0.018) ** 2)
    _over(colour, face & (below >= 0), 0.55 * lip, look.lip)
    ends = np.hypot(np.clip(np.abs(x) - 0.027, 0, None), y - smile)
    _over(colour, face, _soft(ends, 0.0022), look.mouth)


def _paint_eyes(colour: F64, x: F64, y: F64, materials: NDArray[np.int64], look: Look) -> None:
    eye = materials == mira.EYE
    for centre_x, centre_y in mira.EYE_CENTRES:
        r = np.hypot(x - centre_x * 0.97, y - centre_y + 0.0005)
        _over(colour, eye, _soft(r, 0.0178), look.iris_rim)
        _over(colour, eye, _soft(r, 0.0156) * np.clip(0.35 + (centre_y - y) * 45, 0, 1), look.iris)
        _over(colour, eye, _soft(r, 0.0082), (18, 12, 10))
        glint = np.hypot(x - centre_x * 0.97 + 0.0055, y - centre_y - 0.0070)
        _over(colour, eye, _soft(glint, 0.0042), (255, 255, 255))


def _paint_jacket(colour: F64, x: F64, y: F64, z: F64, materials: NDArray[np.int64], look: Look) -> None:
    jacket = (materials == mira.JACKET) & (np.abs(x) < 0.17)
    front, back = jacket & (z > 0.02), jacket & (z < -0.02)
    _over(colour, front & (y > 0.95), _soft(np.abs(x), 0.0085), look.zip)
    _over(colour, front & (y > 0.95), _soft(np.abs(x), 0.0035), look.teeth)
    for side in (-1, 1):
        pocket = np.abs((side * x - 0.088) * 0.86 + (y - 1.035) * 0.5)
        along = np.abs((y - 1.035) * 0.86 - (side * x - 0.088) * 0.5)
        _over(colour, front, _soft(np.hypot(pocket, np.clip(along - 0.042, 0, None)), 0.0040), look.pocket)
    yoke = np.abs(y - 1.305 - 0.25 * np.abs(x))
    _over(colour, back, _soft(yoke, 0.0030), look.yoke)
    ring = np.abs(np.hypot(x, y - 1.185) - 0.052)
    _over(colour, back, _soft(ring, 0.0065), look.emblem)
    for offset in (-0.020, 0.0, 0.020):
        wing = np.abs(y - 1.185 - offset - 0.30 * (x + 0.01))
        reach = np.abs(x - offset * 0.4) < 0.032 - np.abs(offset) * 0.5
        _over(colour, back & reach, _soft(wing, 0.0052), look.emblem)
    sleeve = (materials == mira.JACKET) & (np.abs(x) > 0.17)
    band = np.abs(np.abs(x) * 0.42 - y * 0.91 + 0.921)
    _over(colour, sleeve, _soft(band, 0.020), look.emblem)


def _paint_rest(colour: F64, points: F64, normals: F64, materials: NDArray[np.int64], look: Look) -> None:
    x, y, z = points.T
    cap = (materials == mira.CAP) & (y > 1.63)
    _over(colour, cap, _soft(np.abs(x), 0.0016), look.seam)
    badge = np.hypot(x, y - 1.688)
    _over(colour, cap & (z > 0), _soft(badge, 0.020), look.badge[0])
    _over(colour, cap & (z > 0), _soft(np.abs(badge - 0.0125), 0.0022), look.badge[1])
    shoe = materials == mira.SHOE
    stripe = np.abs((z - 0.012) * 0.8 - (y - 0.05) * 0.6)
    _over(colour, shoe & (y < 0.085), _soft(stripe, 0.008), look.shoe)
    _over(colour, shoe & (z < -0.062), 1.0, look.shoe)
    laces = np.abs(((z - 0.030) / 0.022) % 1.0 - 0.5) * 0.022
    _over(
        colour, shoe & (z > 0.025) & (z < 0.085) & (normals[:, 1] > 0.75), _soft(laces, 0.004), (90, 84, 80)
    )
    sole = (materials == mira.SOLE) & (np.abs(y - 0.012) < 0.003)
    _over(colour, sole, 0.8, look.shoe)
    trousers = (materials == mira.TROUSERS) & (y > 0.15) & (y < 0.86)
    centre = 0.078 + 0.03 * np.clip((0.87 - y) / 0.38, 0, 1.9)
    _over(
        colour,
        trousers & (np.abs(normals[:, 0]) > 0.85) & (np.abs(x) > centre),
        _soft(np.abs(z - 0.003), 0.0022),
        look.trouser,
    )
    _over(colour, (materials == mira.FLAP) & (np.abs(y - 0.888) < 0.0018), 0.7, look.stitch)


def _shoulder(value: F64) -> F64:
    """Linear light with a soft shoulder above 0.8, so that highlights keep their colour."""
    over = np.clip(value - 0.8, 0, None)
    return np.asarray(np.where(value > 0.8, 0.8 + 0.2 * (1 - np.exp(-over / 0.2)), value))
