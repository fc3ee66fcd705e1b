"""Triangles → pictures in parallel projection, compiled: for views, where edges must be sharp."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import math

from numba import boolean, float32, float64, int32, void

from anix_cli.splat.kernels import helper, kernel, read, write

OPAQUE, MASK, BLEND = 0, 1, 2
_REPEAT, _CLAMP, _MIRROR = 0, 1, 2


@helper
def _wrapped(index, count, mode):
    if mode == _CLAMP:
        return min(max(index, 0), count - 1)
    if mode == _MIRROR:
        index = index % (2 * count)
        return index if index < count else 2 * count - 1 - index
    return index % count


@helper
def _texel(pixels, u, v, wrap_u, wrap_v, out):
    """A picture between its pixels, into ``out`` [4]."""
    height, width = pixels.shape[0], pixels.shape[1]
    x, y = u * width - 0.5, v * height - 0.5
    left, top = math.floor(x), math.floor(y)
    fx, fy = x - left, y - top
    x0, x1 = _wrapped(int(left), width, wrap_u), _wrapped(int(left) + 1, width, wrap_u)
    y0, y1 = _wrapped(int(top), height, wrap_v), _wrapped(int(top) + 1, height, wrap_v)
    for c in range(4):
        above = pixels[y0, x0, c] * (1 - fx) + pixels[y0, x1, c] * fx
        below = pixels[y1, x0, c] * (1 - fx) + pixels[y1, x1, c] * fx
        out[c] = above * (1 - fy) + below * fy


@helper
def _mixed(rgba, a, b, c, wa, wb, wc):
    """The colour between three corners."""
    red = wa * rgba[a, 0] + wb * rgba[b, 0] + wc * rgba[c, 0]
    green = wa * rgba[a, 1] + wb * rgba[b, 1] + wc * rgba[c, 1]
    blue = wa * rgba[a, 2] + wb * rgba[b, 2] + wc * rgba[c, 2]
    return red, green, blue, wa * rgba[a, 3] + wb * rgba[b, 3] + wc * rgba[c, 3]


@helper
def _lit(value, shade, sheen, glow):
    """A channel in a light, with sheen and glow."""
    return shade * (value * (1 - sheen) + sheen) + glow


@helper
def _blend(veil, y, x, red, green, blue, alpha):
    """A colour over what blends already at a pixel."""
    veil[y, x, 0] = red * alpha + (1 - alpha) * veil[y, x, 0]
    veil[y, x, 1] = green * alpha + (1 - alpha) * veil[y, x, 1]
    veil[y, x, 2] = blue * alpha + (1 - alpha) * veil[y, x, 2]
    veil[y, x, 3] = alpha + (1 - alpha) * veil[y, x, 3]


@kernel(
    read(float64, 2), read(int32, 2), read(float32, 2), read(float32, 2), read(float32, 1), read(float32, 3),
    read(float64, 1), int32, int32, int32, boolean,
    write(float32, 2), write(float32, 3), write(float32, 3), write(float64, 1),
    returns=void,
)  # fmt: skip
def draw(
    spots, triangles, uv, rgba, light, pixels, look,
    alpha_mode, wrap_u, wrap_v, textured,
    depth, colour, veil, texel,
):  # fmt: skip
    """Draws triangles over what is there.

    Args:
        spots: [V, 3] column and row in pixels, and how far towards the viewer.
        triangles: [T, 3]; uv: [V, 2]; rgba: [V, 4] linear, factor and vertex colour in one.
        pixels: [h, w, 4] linear, straight alpha, 0 … 1.
        light: [V] the light that falls on each vertex.
        look: cutoff, sheen, glow red, green, blue. texel: [4] scratch.
        depth: [H, W] of the nearest opaque thing, −inf for none. colour: [H, W, 3] linear, of the same.
        veil: [H, W, 4] what blends and lies in front: linear, premultiplied, in the order of drawing.
    """
    height, width = depth.shape
    cutoff, sheen = look[0], look[1]
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, bx, by = spots[a, 0], spots[a, 1], spots[b, 0], spots[b, 1]
        cx, cy = spots[c, 0], spots[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or math.isnan(area):
            continue
        x0 = max(math.floor(min(ax, bx, cx)), 0)
        x1 = min(math.ceil(max(ax, bx, cx)), width - 1)
        y0 = max(math.floor(min(ay, by, cy)), 0)
        y1 = min(math.ceil(max(ay, by, cy)), height - 1)
        for y in range(y0, y1 + 1):
            py = y + 0.5
            for x in range(x0, x1 + 1):
                px = x + 0.5
                wa = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area
                wb = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area
                wc = 1.0 - wa - wb
                if wa < 0.0 or wb < 0.0 or wc < 0.0:
                    continue
                z = wa * spots[a, 2] + wb * spots[b, 2] + wc * spots[c, 2]
                if z <= depth[y, x]:
                    continue
                red, green, blue, alpha = _mixed(rgba, a, b, c, wa, wb, wc)
                if textured:
                    u = wa * uv[a, 0] + wb * uv[b, 0] + wc * uv[c, 0]
                    v = wa * uv[a, 1] + wb * uv[b, 1] + wc * uv[c, 1]
                    _texel(pixels, u, v, wrap_u, wrap_v, texel)
                    red, green, blue = red * texel[0], green * texel[1], blue * texel[2]
                    alpha *= texel[3]
                if alpha_mode == MASK and alpha < cutoff:
                    continue
                shade = wa * light[a] + wb * light[b] + wc * light[c]
                red = _lit(red, shade, sheen, look[2])
                green = _lit(green, shade, sheen, look[3])
                blue = _lit(blue, shade, sheen, look[4])
                if alpha_mode == BLEND and alpha < 0.996:
                    _blend(veil, y, x, red, green, blue, alpha)
                    continue
                depth[y, x] = z
                colour[y, x, 0], colour[y, x, 1], colour[y, x, 2] = red, green, blue
