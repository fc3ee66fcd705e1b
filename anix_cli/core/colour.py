"""Colours: sRGB, as 0 … 255 where people write them and 0 … 1 where pictures are drawn."""

from __future__ import annotations


def unit_rgb(rgb: tuple[int, int, int]) -> tuple[float, float, float]:
    """0 … 255 → 0 … 1, sRGB in both: no gamma is taken off."""
    return rgb[0] / 255, rgb[1] / 255, rgb[2] / 255
