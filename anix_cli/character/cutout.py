"""A character cut from a plain background: a colour key with soft edges, free of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic

Rgba = NDArray[np.uint8]
F32 = NDArray[np.float32]

_PLAIN_SPREAD = 28
"""Most that a plain background's border may differ from its own median colour, of 255."""

_EDGE_PX = 2
"""How far a character's colour and the background's mix, to both sides of where the key ends."""

_CONTRAST = 40.0
"""From this distance of colours on (of 255, each channel counts) an edge tells its coverage by its colour."""

_VIVID = 90
"""From this difference of a background's strongest and weakest channel on it is a screen: nobody wears it."""


def keyed(image: Rgba, name: str, file: Path | None) -> Rgba:
    """An opaque picture with its plain background made transparent.

    What has the border's colour and is connected to the border goes; of a vivid colour (a green screen) also
    what is enclosed, between an arm and the body. A pixel of the edge holds both colours: its coverage is
    where it lies between them, and it keeps the character's alone, so that no fringe is left.

    Raises:
        AnixError: E342, the border has many colours.
    """
    from scipy import ndimage

    rgb = image[..., :3].astype(np.float32)
    colour, spread = _background(rgb)
    if spread > _PLAIN_SPREAD:
        message = f"the {name} view has no transparency and no plain background to cut the character from"
        hint = "save it as a PNG with a transparent background, or put the character before a single colour"
        raise AnixError(Diagnostic("E342", message, file=file, hint=hint))
    near = np.abs(rgb - colour).max(axis=2) < max(14.0, 1.5 * spread)
    labels, count = ndimage.label(near)
    outside = np.unique(np.concatenate([labels[0], labels[:, 0], labels[:, -1], labels[-1]]))
    keyed_out = np.zeros(count + 1, dtype=bool)
    keyed_out[outside] = True
    if np.ptp(colour) >= _VIVID:
        keyed_out |= np.bincount(labels.ravel(), minlength=count + 1) >= 9
    keyed_out[0] = False
    return _with_soft_edge(rgb, keyed_out[labels], colour)


def _background(rgb: F32) -> tuple[F32, float]:
    """Colour [3] of a picture's border and how far the border strays from it."""
    rim = max(1, round(0.01 * min(rgb.shape[:2])))
    # The bottom border is left out: a character often stands on it.
    border = np.concatenate(
        [rgb[:rim].reshape(-1, 3), rgb[:, :rim].reshape(-1, 3), rgb[:, -rim:].reshape(-1, 3)]
    )
    colour = np.median(border, axis=0)
    return colour, float(np.percentile(np.abs(border - colour).max(axis=1), 95))


def _with_soft_edge(rgb: F32, background: NDArray[np.bool_], colour: F32) -> Rgba:
    """Coverage and pure colours of a band along the edge; c = αf + (1 − α)b solved for α, then for f."""
    from scipy import ndimage

    alpha = (~background).astype(np.float32)
    blurred = ndimage.gaussian_filter(alpha, 0.7)
    away = np.linalg.norm(rgb - colour, axis=2).astype(np.float32)
    box = np.ones((3, 3), dtype=bool)
    edge = ndimage.binary_dilation(background, box, _EDGE_PX) & ~background
    edge |= ndimage.binary_dilation(~background, box, 1) & background
    rows, columns = np.nonzero(edge)
    pure, far = _purest(rgb, away, background, rows, columns)
    towards = pure - colour
    share = ((rgb[rows, columns] - colour) * towards).sum(axis=1) / np.maximum((towards**2).sum(axis=1), 1.0)
    told = far >= _CONTRAST
    soft = np.where(told, np.clip(share, 0, 1), blurred[rows, columns])
    soft = np.where(soft < 0.04, 0, np.where(soft > 0.96, 1, soft))
    # What the key took for background stays less than half covered.
    alpha[rows, columns] = np.where(background[rows, columns], np.minimum(soft, 0.49), soft)
    fixed = rgb.copy()
    mixed = told & (soft < 1)
    fixed[rows[mixed], columns[mixed]] = pure[mixed]
    return np.dstack([np.rint(fixed), np.rint(alpha * 255)[..., None]]).astype(np.uint8)


def _purest(
    rgb: F32, away: F32, background: NDArray[np.bool_], rows: NDArray[np.intp], columns: NDArray[np.intp]
) -> tuple[F32, F32]:
    """Near each pixel of an edge, the colour [n, 3] that is furthest from the background's, and how far."""
    height, width = away.shape
    pure, far = rgb[rows, columns], np.where(background[rows, columns], 0, away[rows, columns])
    reach = _EDGE_PX + 1
    for dv in range(-reach, reach + 1):
        for du in range(-reach, reach + 1):
            if dv * dv + du * du > reach * reach:
                continue
            v, u = np.clip(rows + dv, 0, height - 1), np.clip(columns + du, 0, width - 1)
            better = (away[v, u] > far) & ~background[v, u]
            far = np.where(better, away[v, u], far)
            pure = np.where(better[:, None], rgb[v, u], pure)
    return pure, far
