"""A turnaround sheet: one picture of a character from four sides, split into its four views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.screenplay import VIEW_NAMES

Rgba = NDArray[np.uint8]

_LEAST_HIGH = 0.5
"""Of the highest thing on the sheet: what is lower is a label or a detail."""

_MARGIN = 0.04
"""Of a figure's height, the free space about it in its view."""


@dataclass(frozen=True)
class _Figure:
    """v0, u0, v1, u1 of a figure on the sheet, and the labels of its parts."""

    box: tuple[int, int, int, int]
    labels: tuple[int, ...]


def is_sheet(views: Mapping[str, Path]) -> bool:
    """Whether all four views are one file: a turnaround sheet."""
    return set(views) == set(VIEW_NAMES) and len(set(views.values())) == 1


def split(sheet: Rgba, file: Path | None = None) -> dict[str, Rgba]:
    """The four views of a sheet [h, w, 4] that is cut out already, at one scale, their feet on one line.

    Four figures stand in a row, or in two of two, read like text, the front first. Of the others the back is
    the one whose outline is most nearly the front's mirrored; of the two sides, the left one faces the left
    of the picture, told by its feet, and comes first where they do not tell.

    Raises:
        AnixError: E346, there are not four figures apart from each other.
    """
    from scipy import ndimage

    labels, _ = ndimage.label(sheet[..., 3] >= 64, structure=np.ones((3, 3)))
    figures = _figures(ndimage.find_objects(labels))
    if len(figures) != len(VIEW_NAMES):
        count = len(figures)
        message = f"the sheet shows {count} figure{'s' if count != 1 else ''} apart from each other, not four"
        hint = "draw front, left, right and back with space between them, or give each as a picture: views:"
        raise AnixError(Diagnostic("E346", message, file=file, hint=hint))
    cut = _cut(sheet, labels, _in_reading_order(figures))
    return dict(zip(VIEW_NAMES, (cut[index] for index in _order(cut)), strict=True))


def _figures(boxes: list[tuple[slice, slice]]) -> list[_Figure]:
    """What is high enough to be a figure, each with the smaller parts that lie within its box."""
    found = [
        (index + 1, (rows.start, columns.start, rows.stop, columns.stop))
        for index, (rows, columns) in enumerate(boxes)
    ]
    tallest = max((box[2] - box[0] for _, box in found), default=0)
    large = [(label, box) for label, box in found if box[2] - box[0] >= _LEAST_HIGH * tallest]
    figures = []
    for label, box in large:
        parts = [other for other, inner in found if other != label and _within(inner, box)]
        figures.append(_Figure(box, (label, *parts)))
    return figures


def _within(inner: tuple[int, int, int, int], box: tuple[int, int, int, int]) -> bool:
    return inner[0] >= box[0] and inner[1] >= box[1] and inner[2] <= box[2] and inner[3] <= box[3]


def _in_reading_order(figures: list[_Figure]) -> list[list[_Figure]]:
    """Rows of figures, from the top; in each from left to right."""
    rows: list[list[_Figure]] = []
    for figure in sorted(figures, key=lambda each: each.box[0] + each.box[2]):
        middle = (figure.box[0] + figure.box[2]) / 2
        if rows and middle < rows[-1][0].box[2]:
            rows[-1].append(figure)
        else:
            rows.append([figure])
    return [sorted(row, key=lambda each: each.box[1]) for row in rows]


def _cut(sheet: Rgba, labels: NDArray[np.int32], rows: list[list[_Figure]]) -> list[Rgba]:
    """Each figure on a canvas of one size; the feet of a row stand as on the sheet, all rows on one line."""
    boxes = [figure.box for row in rows for figure in row]
    high = max(max(f.box[2] for f in row) - min(f.box[0] for f in row) for row in rows)
    wide = max(box[3] - box[1] for box in boxes)
    margin = max(2, round(_MARGIN * high))
    cut = []
    for row in rows:
        foot = max(figure.box[2] for figure in row)
        for figure in row:
            v0, u0, v1, u1 = figure.box
            own = sheet[v0:v1, u0:u1].copy()
            own[..., 3] *= np.isin(labels[v0:v1, u0:u1], (0, *figure.labels))
            canvas = np.zeros((high + 2 * margin, wide + 2 * margin, 4), dtype=np.uint8)
            bottom = margin + high - (foot - v1)
            left = margin + (wide - (u1 - u0)) // 2
            canvas[bottom - (v1 - v0) : bottom, left : left + u1 - u0] = own
            cut.append(canvas)
    return cut


def _order(cut: list[Rgba]) -> list[int]:
    """Which of four figures is the front, the left, the right and the back view."""
    masks = [view[..., 3] >= 128 for view in cut]
    mirrored = masks[0][:, ::-1]
    pairs = {}
    for back in (1, 2, 3):
        first, second = (index for index in (1, 2, 3) if index != back)
        pairs[back] = _overlap(mirrored, masks[back]) + _overlap(masks[first], masks[second][:, ::-1])
    back = max(pairs, key=lambda index: (round(pairs[index], 2), index))
    left, right = (index for index in (1, 2, 3) if index != back)
    if facing(masks[left]) > 0 > facing(masks[right]):
        left, right = right, left
    return [0, left, right, back]


def _overlap(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """Intersection over union at the best of some shifts: figures are centred by their boxes only."""
    reach = max(1, round(0.05 * a.shape[1]))
    return max(
        float((a & shifted).sum()) / max(1, int((a | shifted).sum()))
        for shift in range(-reach, reach + 1, max(1, reach // 4))
        for shifted in (np.roll(b, shift, axis=1),)
    )


def facing(mask: NDArray[np.bool_]) -> float:
    """Which way a silhouette seen from the side faces by its feet: −1 the picture's left, 1 its right.

    Toes reach further from the shin than heels do. 0 where that is less than 2 % of the height, or where more
    than shins is to be seen above the feet.
    """
    rows = np.flatnonzero(mask.any(axis=1))
    if len(rows) < 32:
        return 0.0
    top, height = int(rows[0]), int(rows[-1] + 1 - rows[0])
    foot = mask[top + round(0.95 * height) : top + height]
    shin = mask[top + round(0.80 * height) : top + round(0.90 * height)]
    if not foot.any() or not shin.any():
        return 0.0
    toes, legs = (np.flatnonzero(part.any(axis=0)) for part in (foot, shin))
    if toes[-1] - toes[0] < 1.15 * (legs[-1] - legs[0]):  # a cape, or a hand that hangs low
        return 0.0
    shift = ((toes[0] + toes[-1]) - (legs[0] + legs[-1])) / 2
    return float(np.sign(shift)) if abs(shift) >= 0.02 * height else 0.0
