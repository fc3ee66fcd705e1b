"""The four views of a character: read, freed of their background, brought to one scale."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.screenplay import VIEW_NAMES

from .cutout import keyed
from .sheet import is_sheet, split

Rgba = NDArray[np.uint8]
Views = Mapping[str, Rgba]

OPAQUE = 128
"""From this alpha on a pixel belongs to the character."""

MAX_SIDE_PX = 2048
"""Longer side of the largest view that is kept; a body is carved from far fewer pixels."""


def read_views(views: Mapping[str, Path], *, sheet: bool = False, align: bool = True) -> dict[str, Rgba]:
    """The pictures of a character as [h, w, 4] uint8 sRGB with straight alpha, by view name.

    A picture without any transparency has its plain background keyed out: what is connected to the
    border and has the border's colour becomes transparent. Large pictures are made smaller at once. Views
    that are framed differently are brought to one scale and one line of the feet. One file for all four is
    split, if it is a turnaround sheet.

    Args:
        sheet: the one file has to be a sheet.
        align: False leaves out the one scale, so that the pictures can be judged as they are.

    Raises:
        AnixError: E341, a picture shows nothing; E342, a picture has neither transparency nor a plain
            background; E344, one of the four views is missing; E346, a sheet does not show four figures;
            and whatever reading a picture raises.
    """
    from anix_cli.media.image import read_image

    if is_sheet(views):
        file = views[VIEW_NAMES[0]]
        whole = read_sheet(file, "sheet" if sheet else "front")
        try:
            return split(whole, file)
        except AnixError:
            if sheet:
                raise
            return dict.fromkeys(VIEW_NAMES, downsized(whole))
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
    return aligned(read) if align else read


def read_sheet(file: Path, name: str = "sheet") -> Rgba:
    """A turnaround sheet [h, w, 4], its background cut away.

    Raises:
        AnixError: E341, E342, and whatever reading a picture raises.
    """
    from anix_cli.media.image import read_image

    return cut_out(downsized(read_image(file), 2 * MAX_SIDE_PX), name, file)


def aligned(views: Views) -> dict[str, Rgba]:
    """Views with heads on one line and feet on another, as they are if they have that, else scaled to it.

    The largest figure keeps its size; the others are enlarged to it.
    """
    from .measure import VIEW_LINE, silhouette_box

    boxes = {name: silhouette_box(image[..., 3] >= OPAQUE) for name, image in views.items()}
    tops, feet = ([box[side] for box in boxes.values()] for side in (1, 3))
    allowed = VIEW_LINE * (max(feet) - min(tops))
    one_size = len({image.shape for image in views.values()}) == 1
    if one_size and max(tops) - min(tops) <= allowed and max(feet) - min(feet) <= allowed:
        return dict(views)
    high = max(box[3] - box[1] for box in boxes.values())
    widths = {name: max(1, round((u1 - u0) * high / (v1 - v0))) for name, (u0, v0, u1, v1) in boxes.items()}
    margin = max(2, high // 16)
    made = {}
    for name, (u0, v0, u1, v1) in boxes.items():
        figure = resized(views[name][v0:v1, u0:u1], (widths[name], high))
        canvas = np.zeros((high + 2 * margin, max(widths.values()) + 2 * margin, 4), dtype=np.uint8)
        left = (canvas.shape[1] - widths[name]) // 2
        canvas[margin : margin + high, left : left + widths[name]] = figure
        made[name] = canvas
    return made


def downsized(image: Rgba, longest: int = MAX_SIDE_PX) -> Rgba:
    """A picture no longer than that on its longer side, its aspect kept; a smaller one as it is.

    Colours are weighted by their alpha, so that what is transparent lends no colour to its neighbours.
    """
    height, width = image.shape[:2]
    shrink = longest / max(height, width)
    if shrink >= 1:
        return image
    return resized(image, (max(1, round(width * shrink)), max(1, round(height * shrink))))


def resized(image: Rgba, size_px: tuple[int, int]) -> Rgba:
    """A picture at another width and height; what is transparent lends no colour to its neighbours."""
    from PIL import Image

    if (image.shape[1], image.shape[0]) == size_px:
        return image
    premultiplied = Image.fromarray(np.ascontiguousarray(image), "RGBA").convert("RGBa")
    smaller = premultiplied.resize(size_px, Image.Resampling.HAMMING).convert("RGBA")
    return np.asarray(smaller, dtype=np.uint8).copy()


def cut_out(image: Rgba, name: str = "view", file: Path | None = None) -> Rgba:
    """A picture whose alpha is the character: kept where there is transparency, else keyed.

    Raises:
        AnixError: E341 or E342, see :func:`read_views`.
    """
    if image[..., 3].min() >= 250:
        image = keyed(image, name, file)
    if np.count_nonzero(image[..., 3] >= OPAQUE) < 64:
        message = f"the {name} view shows no character: the picture is empty or fully transparent"
        hint = "use a picture of the whole character on a transparent or plain background"
        raise AnixError(Diagnostic("E341", message, file=file, hint=hint))
    return image
