"""What is odd about a character's views: copies, strangers, what is cut off, small, blurred."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import Diagnostic
from anix_cli.core.screenplay import VIEW_NAMES

from .sheet import facing, is_sheet
from .views import OPAQUE, Rgba, Views, read_sheet, resized

F32 = NDArray[np.float32]

LEAST_PX = 160
"""A figure that is lower has too few pixels for its face."""
_BANDS = 6
_FAR_RGB = 70.0
"""Of 255, mean over bands of the height: a view whose colours are further from every other one's is odd."""
_UNLIKE = 0.55
"""Least that front and back, or left and right, mirrored, must overlap."""
_SHARP_PX = 512
_STEEP = 0.24
"""Of an edge over 8 pixels, at least so much lies between two neighbours in a picture that is sharp."""

Found = Iterator[tuple[str, str, str, str]]
"""Code, view, message, hint."""


def view_warnings(views: Views, files: Mapping[str, Path] | None = None) -> tuple[Diagnostic, ...]:
    """W341, two views are one picture; W342, one is another mirrored; W343, one is unlike all others; W344,
    the border cuts the character; W345, it is small; W346, it is blurred; W347, left and right are swapped.
    """
    names = [name for name in VIEW_NAMES if name in views]
    small = {name: _figure(views[name]) for name in names}
    found = [*_copies(views, small), *_swapped(small)]
    told = {name for _, name, _, _ in found}
    found += [strange for strange in _strangers(small) if strange[1] not in told]
    if files and is_sheet(files):
        found += _cut_off("sheet", read_sheet(files[names[0]]))
    for name in names:
        found += [*_cut_off(name, views[name]), *_coarse(name, views[name])]
    of_sheet = files.get(names[0]) if files else None
    return tuple(
        Diagnostic(code, message, file=files.get(name, of_sheet) if files else None, hint=hint)
        for code, name, message, hint in found
    )


def _copies(views: Views, small: Mapping[str, Rgba]) -> Found:
    for first, second in combinations(small, 2):
        hint = f"show the character's {second}"
        if _alike(small[first], small[second]) and _as_deep(views[first], views[second]):
            yield "W341", second, f"the {first} and the {second} view are the same picture", hint
        elif _alike(small[first], small[second][:, ::-1]) and _as_deep(views[first], views[second][:, ::-1]):
            text = f"the {second} view is the {first} view mirrored: what differs between them is lost"
            yield "W342", second, text, hint


def _strangers(small: Mapping[str, Rgba]) -> Found:
    """A view whose colours, or whose outline, is none of the others'."""
    if len(small) < len(VIEW_NAMES):
        return
    colours = {name: _bands(image) for name, image in small.items()}
    odd: dict[str, str] = {}
    for name in small:
        others = [other for other in small if other != name]
        own = min(_colour_distance(colours[name], colours[other]) for other in others)
        among = max(_colour_distance(colours[a], colours[b]) for a, b in combinations(others, 2))
        if own > _FAR_RGB and own > 1.5 * among:
            odd[name] = "its colours"
    for first, second in (("front", "back"), ("left", "right")):
        if _overlap(small[first], small[second][:, ::-1]) < _UNLIKE and not {first, second} & set(odd):
            odd[second] = f"its outline, which is not the {first} view's mirrored,"
    for name, why in odd.items():
        text = f"the {name} view seems to show another character, or another pose: by {why} it stands apart"
        yield "W343", name, text, "show one character in one pose from all four sides"


def _swapped(small: Mapping[str, Rgba]) -> Found:
    if {"left", "right"} <= set(small):
        left, right = (facing(small[name][..., 3] >= OPAQUE) for name in ("left", "right"))
        if left > 0 > right:
            text = "left and right view seem to be swapped: by its feet, the left one faces to the right"
            hint = "left shows the character's own left side: it faces the left of the picture"
            yield "W347", "left", text, hint


def _cut_off(name: str, image: Rgba) -> Found:
    """The border cuts through the character; a picture that is trimmed to it only touches it."""
    mask = image[..., 3] >= OPAQUE
    lines = {"upper": mask[0], "lower": mask[-1], "left": mask[:, 0], "right": mask[:, -1]}
    trimmed = all(line.any() for line in lines.values())
    most = {"upper": 0.35, "lower": 1.1, "left": 0.35, "right": 0.35}
    share = most if trimmed else dict.fromkeys(lines, 0.0)
    length = {"upper": mask.any(axis=0).sum(), "left": mask.any(axis=1).sum()}
    length |= {"lower": length["upper"], "right": length["left"]}
    cut = [side for side, line in lines.items() if line.sum() > max(2, share[side] * length[side])]
    if cut:
        shown = "a figure of the sheet" if name == "sheet" else f"the {name} view"
        text = f"{shown} is cut off: it touches the {' and the '.join(cut)} border"
        yield "W344", name, text, "show the whole character, with some space about it"


def _coarse(name: str, image: Rgba) -> Found:
    mask = image[..., 3] >= OPAQUE
    high = int(mask.any(axis=1).sum())
    if high < LEAST_PX:
        text = f"the character is only {high} pixels high in the {name} view; {LEAST_PX} is little already"
        yield "W345", name, text, "use a larger picture: 1000 pixels are plenty"
    elif _steepness(image) < _STEEP:
        text = f"the {name} view is blurred, or was made larger than it was"
        yield "W346", name, text, "use a sharp picture"


def _figure(image: Rgba, height_px: int = 128) -> Rgba:
    """The figure alone, at one height."""
    own = _trimmed(image)
    return resized(own, (max(1, round(own.shape[1] * height_px / own.shape[0])), height_px))


def _trimmed(image: Rgba) -> Rgba:
    """Without the free space about the figure."""
    mask = image[..., 3] >= OPAQUE
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _alike(a: Rgba, b: Rgba) -> bool:
    """Whether two figures are one, but for compression noise and a pixel of their cut."""
    if abs(a.shape[1] - b.shape[1]) > 2:
        return False
    width = min(a.shape[1], b.shape[1])
    return _close(a[:, :width], b[:, :width], 4.0)


def _as_deep(a: Rgba, b: Rgba) -> bool:
    """Whether figures of one size are alike in every pixel, too; others tell no more."""
    first, second = _trimmed(a), _trimmed(b)
    return first.shape != second.shape or _close(first, second, 1.5)


def _close(a: Rgba, b: Rgba, levels: float) -> bool:
    """Whether pixels differ by no more than that many of 255, on average over channels and body."""
    weight = np.maximum(a[..., 3:], b[..., 3:]).astype(np.float32)
    difference = np.abs(a.astype(np.int16) - b.astype(np.int16)).astype(np.float32)
    return float((difference * weight).sum()) <= levels * 4 * float(weight.sum())


def _bands(image: Rgba) -> F32:
    """[bands, 3] mean colour by height."""
    parts = np.array_split(image.astype(np.float32), _BANDS, axis=0)
    return np.stack([
        (part[..., :3] * part[..., 3:]).sum(axis=(0, 1)) / max(float(part[..., 3].sum()), 1.0)
        for part in parts
    ])  # fmt: skip


def _colour_distance(a: F32, b: F32) -> float:
    return float(np.linalg.norm(a - b, axis=1).mean())


def _overlap(a: Rgba, b: Rgba) -> float:
    """Intersection over union of two figures of one height, their middles matched."""
    width = max(a.shape[1], b.shape[1])
    masks = []
    for image in (a, b):
        free = width - image.shape[1]
        masks.append(np.pad(image[..., 3] >= OPAQUE, ((0, 0), (free // 2, free - free // 2))))
    return float((masks[0] & masks[1]).sum()) / max(1, int((masks[0] | masks[1]).sum()))


def _steepness(image: Rgba) -> float:
    """How much of the strongest edges over 8 pixels lies between two neighbours: 1 is as sharp as can be."""
    high = int((image[..., 3] >= OPAQUE).any(axis=1).sum())
    figure = _figure(image, min(high, _SHARP_PX)).astype(np.float32)
    grey = figure[..., :3].mean(axis=2) * figure[..., 3] / 255 + 255 - figure[..., 3]
    shares = []
    for axis in (0, 1):
        if grey.shape[axis] <= 9:
            continue
        fine = np.abs(np.diff(grey, axis=axis))
        count = grey.shape[axis] - 8
        long = np.abs(np.take(grey, range(8, 8 + count), axis) - np.take(grey, range(count), axis))
        steepest = np.stack([np.take(fine, range(k, k + count), axis) for k in range(8)]).max(axis=0)
        strong = long >= max(24.0, float(np.quantile(long, 0.97)))
        if strong.any():
            shares.append(np.minimum(steepest[strong] / long[strong], 1.0))
    return float(np.median(np.concatenate(shares))) if shares else 1.0
