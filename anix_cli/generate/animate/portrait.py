"""Who is put in: the front view, and a face that moves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anix_cli.core.clip import Frames

from ..diffusion.views import on_white

if TYPE_CHECKING:
    from anix_cli.character.skeleton import HeadBox

_MARGIN = 0.04
_FACE_HEIGHT, _FACE_SIDE = 0.45, 0.95
"""Of a head: how high the middle of the face is, and how wide the square around it."""


def portrait(view: Frames, size_px: tuple[int, int]) -> Frames:
    """[H, W, 3] uint8: a view [h, w, 4] on white, as large as fits into a picture of that size. Any other
    would be scaled once more, and set on black."""
    from PIL import Image

    width, height = size_px
    figure = Image.fromarray(on_white(view))
    scale = (1 - 2 * _MARGIN) * min(width / figure.width, height / figure.height)
    size = (max(1, round(figure.width * scale)), max(1, round(figure.height * scale)))
    canvas = Image.new("RGB", size_px, (255, 255, 255))
    resized = figure.resize(size, Image.Resampling.LANCZOS)
    canvas.paste(resized, ((width - size[0]) // 2, (height - size[1]) // 2))
    return np.asarray(canvas)


def neutral_face(view: Frames, head: HeadBox | None, height_m: float, side_px: int) -> Frames:
    """[side, side, 3] uint8: the face on the front view [h, w, 4], which stands still through all frames and
    so moves nothing. Black, which the model takes for no face, where no head is known."""
    from PIL import Image

    shown = view[..., 3] > 8
    if head is None or not shown.any():
        return np.zeros((side_px, side_px, 3), np.uint8)
    rows = np.flatnonzero(shown.any(axis=1))
    top, scale = float(rows[0]), (rows[-1] + 1 - rows[0]) / height_m
    tall = float(head.high[1] - head.low[1])
    middle = top + (height_m - float(head.low[1]) - _FACE_HEIGHT * tall) * scale
    half = max(0.5 * _FACE_SIDE * tall * scale, 1.0)
    band = shown[max(0, int(middle - half)) : max(1, int(middle + half))]
    columns = np.flatnonzero(band.any(axis=0))
    centre = float(columns[0] + columns[-1] + 1) / 2 if len(columns) else view.shape[1] / 2
    alpha = view[..., 3:].astype(np.float64) / 255
    white = np.floor(view[..., :3] * alpha + 255 * (1 - alpha) + 0.5).astype(np.uint8)
    box = (centre - half, middle - half, centre + half, middle + half)
    return np.asarray(
        Image.fromarray(white).transform(
            (side_px, side_px),
            Image.Transform.EXTENT,
            box,
            Image.Resampling.BICUBIC,
            fillcolor=(255, 255, 255),
        )
    )
