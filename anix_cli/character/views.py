"""The four views of a character: read, freed of their background, checked."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.screenplay import VIEW_NAMES

Rgba = NDArray[np.uint8]
Views = Mapping[str, Rgba]

OPAQUE = 128
"""From this alpha on a pixel belongs to the character."""

MAX_SIDE_PX = 2048
"""Longer side of the largest view that is kept; a body is carved from far fewer pixels."""

_PLAIN_SPREAD = 28
"""Most that a plain background's border may differ from its own median colour, of 255."""


def read_views(views: Mapping[str, Path]) -> dict[str, Rgba]:
    """The pictures of a character as [h, w, 4] uint8 sRGB with straight alpha, by view name.

    A picture without any transparency has its plain background keyed out: what is connected to the
    border and has the border's colour becomes transparent. Large pictures are made smaller at once.

    Raises:
        AnixError: E341, a picture shows nothing; E342, a picture has neither transparency nor a plain
            background; E344, one of the four views is missing; and whatever reading a picture raises.
    """
    from anix_cli.media.image import read_image

    problems: list[Diagnostic] = []
    read: dict[str, Rgba] = {}
    for name in VIEW_NAMES:
        if name not in views:
            message = f"the character has no {name} view: all four are needed, {', '.join(VIEW_NAMES)}"
            problems.append(Diagnostic("E344", message, hint=f"add a picture that shows its {name}"))
            continue
        try:
            read[name] = cut_out(downsized(read_image(views[name])), name, views[name])
        except AnixError as error:
            problems.extend(error.diagnostics)
    if problems:
        raise AnixError(problems)
    return read


def downsized(image: Rgba) -> Rgba:
    """A picture no longer than MAX_SIDE_PX on its longer side, its aspect kept; a smaller one as it is.

    Colours are weighted by their alpha, so that what is transparent lends no colour to its neighbours.
    """
    height, width = image.shape[:2]
    shrink = MAX_SIDE_PX / max(height, width)
    if shrink >= 1:
        return image
    from PIL import Image

    size = max(1, round(width * shrink)), max(1, round(height * shrink))
    premultiplied = Image.fromarray(image, "RGBA").convert("RGBa")
    smaller = premultiplied.resize(size, Image.Resampling.HAMMING).convert("RGBA")
    return np.asarray(smaller, dtype=np.uint8).copy()


def cut_out(image: Rgba, name: str = "view", file: Path | None = None) -> Rgba:
    """A picture whose alpha is the character: kept where there is transparency, else keyed.

    Raises:
        AnixError: E341 or E342, see :func:`read_views`.
    """
    if image[..., 3].min() >= 250:
        image = _keyed(image, name, file)
    if np.count_nonzero(image[..., 3] >= OPAQUE) < 64:
        message = f"the {name} view shows no character: the picture is empty or fully transparent"
        hint = "use a picture of the whole character on a transparent or plain background"
        raise AnixError(Diagnostic("E341", message, file=file, hint=hint))
    return image


def _keyed(image: Rgba, name: str, file: Path | None) -> Rgba:
    from scipy import ndimage

    rim = max(1, round(0.01 * min(image.shape[:2])))
    rgb = image[..., :3].astype(np.int16)
    # The bottom border is left out: a character often stands on it.
    border = np.concatenate(
        [rgb[:rim].reshape(-1, 3), rgb[:, :rim].reshape(-1, 3), rgb[:, -rim:].reshape(-1, 3)]
    )
    colour = np.median(border, axis=0)
    spread = np.percentile(np.abs(border - colour).max(axis=1), 95)
    if spread > _PLAIN_SPREAD:
        message = f"the {name} view has no transparency and no plain background to cut the character from"
        hint = "save it as a PNG with a transparent background, or put the character before a single colour"
        raise AnixError(Diagnostic("E342", message, file=file, hint=hint))
    distance = np.abs(rgb - colour).max(axis=2)
    threshold = max(14.0, 1.5 * spread)
    labels, _ = ndimage.label(distance < threshold)
    outside = np.unique(np.concatenate([labels[0], labels[:, 0], labels[:, -1], labels[-1]]))
    background = np.isin(labels, outside[outside > 0])
    # Edge pixels mix both colours; a two pixel ramp is as good as their true coverage.
    alpha = ndimage.gaussian_filter((~background).astype(np.float32), 0.7)
    alpha = np.where(background, np.minimum(alpha, 0.49), alpha)
    return np.dstack([image[..., :3], np.rint(alpha * 255).astype(np.uint8)])


def view_warnings(views: Views, files: Mapping[str, Path] | None = None) -> tuple[Diagnostic, ...]:
    """What is odd about a character's views: W341, two are one picture; W342, one is another mirrored."""
    found: list[Diagnostic] = []
    for first, second in combinations([name for name in VIEW_NAMES if name in views], 2):
        file = files.get(second) if files else None
        if _alike(views[first], views[second]):
            message = f"the {first} and the {second} view are the same picture"
            found.append(Diagnostic("W341", message, file=file, hint=f"show the character's {second}"))
        elif _alike(views[first], views[second][:, ::-1]):
            message = f"the {second} view is the {first} view mirrored: what differs between them is lost"
            found.append(Diagnostic("W342", message, file=file, hint=f"show the character's {second}"))
    return tuple(found)


def _alike(a: Rgba, b: Rgba) -> bool:
    """Whether two pictures are one, but for compression noise."""
    if a.shape != b.shape:
        return False
    few = slice(None, None, 8)  # a sixty-fourth of the pixels tells nearly every pair apart
    return _close(a[few, few], b[few, few], 6.0) and _close(a, b, 1.5)


def _close(a: Rgba, b: Rgba, levels: float) -> bool:
    """Whether pixels differ by no more than that many of 255, on average over channels and body."""
    weight = np.maximum(a[..., 3:], b[..., 3:]).astype(np.float32)
    difference = np.abs(a.astype(np.int16) - b.astype(np.int16)).astype(np.float32)
    return float((difference * weight).sum()) <= levels * 4 * float(weight.sum())
