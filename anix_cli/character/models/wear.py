"""What a surface wears at points of it: textures, vertex colours and factors, as sRGB with alpha."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .materials import linear, picture, srgb
from .model import F32, Material, Model, Piece

SHEEN = 0.04
"""Reflectance of what is not metal, straight on: what keeps black things from being holes."""


class Wardrobe:
    """The pictures of a model, unpacked once each."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._pictures: dict[int, NDArray[np.uint8]] = {}
        self._lights: dict[int, F32] = {}

    def picture(self, number: int) -> NDArray[np.uint8]:
        """[h, w, 4] uint8."""
        if number not in self._pictures:
            blob = self._model.pictures[number]
            self._pictures[number] = np.full((1, 1, 4), 255, np.uint8) if blob is None else picture(blob)
        return self._pictures[number]

    def light(self, number: int) -> F32:
        """The same as linear light, [h, w, 4] float32 in [0, 1]."""
        if number not in self._lights:
            table = np.arange(256, dtype=np.float32) / np.float32(255)
            pixels = self.picture(number)
            found = np.empty(pixels.shape, np.float32)
            found[..., :3] = linear(table)[pixels[..., :3]]
            found[..., 3] = table[pixels[..., 3]]
            self._lights[number] = found
        return self._lights[number]

    def worn(self, piece: Piece, corners: NDArray[np.integer], shares: F32) -> tuple[F32, F32]:
        """Colours at points of a piece.

        Args:
            corners: [N, 3] vertices; shares: [N, 3] how near the point is to each, adding up to 1.

        Returns:
            sRGB [N, 3] in even light, and alpha [N]: what the material makes of it, 0 or 1 unless it blends.
        """
        look = self._model.materials[piece.material]
        rgba = np.tile(np.array(look.rgba, np.float32), (len(corners), 1))
        if look.picture is not None and piece.uv is not None:
            uv = np.einsum("nk,nkc->nc", shares, piece.uv[corners])
            texel = sampled(self.picture(look.picture), look, uv)
            rgba[:, :3] *= linear(texel[:, :3])
            rgba[:, 3] *= texel[:, 3]
        if piece.colours is not None:
            rgba *= np.einsum("nk,nkc->nc", shares, piece.colours[corners])
        return lit(look, rgba[:, :3]), cut(look, rgba[:, 3])


def lit(look: Material, light: F32) -> F32:
    """sRGB of a linear base colour in even light."""
    if look.unlit:
        return srgb(light)
    sheen = np.float32(SHEEN * (1 - look.metallic))
    return srgb(light * (1 - sheen) + sheen + np.array(look.glow, np.float32))


def cut(look: Material, alpha: F32) -> F32:
    """Alpha as the material's mode has it."""
    if look.alpha == "OPAQUE":
        return np.ones_like(alpha)
    if look.alpha == "MASK":
        return (alpha >= look.cutoff).astype(np.float32)
    return np.clip(alpha, 0, 1)


def sampled(pixels: NDArray[np.uint8], look: Material, uv: F32) -> F32:
    """[N, 4] in [0, 1] of a picture at texture coordinates, between its pixels."""
    height, width = pixels.shape[:2]
    moved = uv.astype(np.float64) @ look.uv_from_uv[:, :2].T + look.uv_from_uv[:, 2]
    found = np.zeros((len(uv), 4), np.float32)
    x, y = moved[:, 0] * width - 0.5, moved[:, 1] * height - 0.5
    left, top = np.floor(x), np.floor(y)
    fx, fy = (x - left).astype(np.float32), (y - top).astype(np.float32)
    for dy, across in ((0, 1 - fy), (1, fy)):
        rows = _wrapped(top + dy, height, look.wrap[1])
        for dx, along in ((0, 1 - fx), (1, fx)):
            columns = _wrapped(left + dx, width, look.wrap[0])
            found += (across * along)[:, None] * pixels[rows, columns]
    return found / np.float32(255)


def _wrapped(index: NDArray[np.float64], count: int, mode: str) -> NDArray[np.int64]:
    whole = np.clip(index, -(2.0**40), 2.0**40).astype(np.int64)
    if mode == "clamp":
        return np.clip(whole, 0, count - 1)
    if mode == "mirror":
        whole = whole % (2 * count)
        return np.where(whole < count, whole, 2 * count - 1 - whole)
    return whole % count
