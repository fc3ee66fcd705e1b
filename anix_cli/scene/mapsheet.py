"""The map of a scene with what a director reads off it: a metric grid, heights, obstacles, marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.stage import HeightMap

from .labels import LARGE, MEDIUM, SMALL, Colour, Labels, fitted, font
from .lengths import length, metres
from .look import MapView, walkable
from .sheet import FAINT, INK, MARK, PAPER, Mark
from .standing import HEAD_M, STEP_M, StandingRoom

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]
Relief = tuple[float, float, float]
"""Heights of the ground: low, middle, high."""

X_COLOUR: Colour = (255, 120, 110)
Z_COLOUR: Colour = (120, 180, 255)
_BLOCKED, _EDGE, _UNSEEN, _FADED = (224, 40, 40), (255, 70, 60), (64, 66, 72), (84, 86, 84)
_LOW_GROUND, _HIGH_GROUND = (30, 90, 220), (255, 170, 20)
_VIEWS: Colour = (150, 235, 255)
_SIDE, _HEAD, _LEGEND_PX = 74, 104, 470
_LINES_APART_PX, _DIGIT_PX, _TICKS = 66, 11, 5
_LEAST_RELIEF_M, _RELIEF_OF_SPAN = 0.08, 0.02
_STRONGEST_TINT, _TINTED_M = 0.55, 0.4
_SMALL_PX, _RING_PX, _MOST_RINGS, _IN_THE_OPEN = 9, 9, 150, 0.5
_ARROW_PX = 30


def map_sheet(
    view: MapView,
    room: StandingRoom | None,
    reachable: Mask | None,
    ground: HeightMap | None,
    marks: Sequence[Mark],
    *,
    title: str,
    about: str = "",
    views_at: F64 | None = None,
) -> Image.Image:
    """The map with grid, heights, what is in the way or was never seen, and marks.

    Args:
        reachable: cells of ``room`` that a walker gets to; the others are shown faded.
        about: a line under the title.
        views_at: [3], from where the views beside the map are taken, if from one place.
    """
    from PIL import Image, ImageDraw

    legend: list[tuple[str, str]] = []
    rgb = view.rgb.astype(np.float64)
    small: list[tuple[float, float]] = []
    if room is not None and ground is not None:
        blocked = covering(room.blocked, room, view)
        rgb, legend, open_ = _shaded(rgb, view, room, reachable, ground, blocked)
        small = _small(blocked, open_)
        if small:
            legend.append(("ring", "something small in the way"))
    else:
        legend.append(("", "no ground was found: nothing is known of where one can walk"))
    if view.cut_m is not None:
        legend.append(("", f"left out: what is more than {view.cut_m:g} m above the ground"))
    inner = Image.fromarray(np.asarray(np.clip(rgb, 0, 255), dtype=np.uint8))
    step = grid_of(view)
    _grid(inner, view, step)
    _rings(inner, small)
    _marks(inner, view, marks, views_at)
    columns = max(1, inner.width // _LEGEND_PX)
    width, height = inner.size
    foot = 54 + 25 * -(-len(legend) // columns)
    sheet = Image.new("RGB", (width + 2 * _SIDE, height + _HEAD + foot), PAPER)
    sheet.paste(inner, (_SIDE, _HEAD))
    draw = ImageDraw.Draw(sheet)
    _compass(draw, _SIDE + width)
    for text, size, y in ((f"{title}   one square is {length(step)}", LARGE, 22), (about, SMALL, 46)):
        draw.text((_SIDE, y), fitted(draw, text, size, width - 110), INK, font(size), anchor="lm")
    _numbers(draw, view, step, (_SIDE, _HEAD), (width, height))
    _draw_legend(draw, legend, (_SIDE, _HEAD + height + 46), columns)
    return sheet


def grid_step(pixels_per_m: float, widest: int = 4) -> float:
    """Metres between grid lines: 1, 2 or 5 times a power of ten, so that numbers fit between them.

    Args:
        widest: characters of the longest number before its point.
    """
    least = _LINES_APART_PX / pixels_per_m
    power = 10.0 ** math.floor(math.log10(least))
    steps = [power * factor for factor in (1, 2, 5, 10, 20, 50, 100) if power * factor >= least * (1 - 1e-9)]
    return next(
        (each for each in steps if each * pixels_per_m >= _DIGIT_PX * _longest(each, widest)), steps[-1]
    )


def _longest(step: float, widest: int) -> int:
    """Characters of the longest number."""
    decimals = _decimals(step)
    return widest + decimals + (decimals > 0)


def grid_of(view: MapView) -> float:
    """Metres between the grid lines of a map."""
    most = max(abs(value) for value in _reach(view))
    return grid_step(view.pixels_per_m, len(f"{most:.0f}") + 1)


def _decimals(step: float) -> int:
    return max(0, -math.floor(math.log10(step) + 1e-9))


def covering(mask: Mask, room: StandingRoom, view: MapView) -> Mask:
    """[h, w] pixels of the map that any cell of ``mask`` touches, however small the cells are on it."""
    height, width = view.rgb.shape[:2]
    total = np.pad(np.cumsum(np.cumsum(mask, axis=0), axis=1), ((1, 0), (1, 0)))

    def cells(edges: F64, low: float, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """First cell and the one after the last between neighbouring edges, which fall."""
        at = (edges - low) / room.cell_m
        first, last = np.floor(at[1:] + 1e-6).astype(int), np.ceil(at[:-1] - 1e-6).astype(int)
        return np.clip(first, 0, count), np.clip(np.maximum(last, first + 1), 0, count)

    left, right = cells(view.left_m - np.arange(width + 1) / view.pixels_per_m, room.low_m[0], mask.shape[1])
    near, far = cells(view.top_m - np.arange(height + 1) / view.pixels_per_m, room.low_m[1], mask.shape[0])
    among = total[far][:, right] - total[near][:, right] - total[far][:, left] + total[near][:, left]
    return np.asarray(among > 0)


def _shaded(
    rgb: F64, view: MapView, room: StandingRoom, reachable: Mask | None, ground: HeightMap, blocked: Mask
) -> tuple[F64, list[tuple[str, str]], Mask]:
    """The picture with heights, obstacles and the unknown laid over, the legend for what is there, and where
    one can walk."""
    points = view.ground_points()
    index = np.floor((points - room.low_m) / room.cell_m).astype(np.intp)
    rows, columns = room.blocked.shape
    inside = ((index >= 0) & (index < (columns, rows))).all(axis=-1)
    column, row = (np.clip(index[..., at], 0, most - 1) for at, most in ((0, columns), (1, rows)))
    seen = (room.floor[row, column] & inside) | blocked
    cells = walkable(room) if reachable is None else reachable
    open_ = cells[row, column] & inside & ~blocked
    heights, span = ground.at(points), max(rgb.shape[:2]) / view.pixels_per_m
    low, high = np.percentile(heights[open_], (1, 99)) if open_.any() else (0.0, 0.0)
    middle = float(np.median(heights[open_])) if open_.any() else float(np.median(ground.heights_m))
    walk = "free" if reachable is None else "can be walked to from the views"
    legend = [("", f"in its own colours: {walk}")]
    if high - low >= min(_LEAST_RELIEF_M, _RELIEF_OF_SPAN * span):
        relief = float(low), middle, float(high)
        share, tint = _tint(heights, relief)
        rgb = np.where(open_[..., None], (1 - share) * rgb + share * tint, rgb)
        told = ", ".join(metres(value, span) for value in relief)
        legend.append(("relief", f"ground at y = {told} m: low, middle, high"))
    else:
        legend.append(("", f"the ground is level, at y = {metres(middle, span)} m"))
    grey = rgb.mean(axis=-1, keepdims=True)
    closed = seen & ~open_ & ~blocked
    rgb = np.where((open_ | blocked)[..., None], rgb, 0.55 * (0.35 * rgb + 0.65 * grey) + 12)
    rgb = np.where(blocked[..., None], 0.5 * rgb + 0.5 * np.array(_BLOCKED), rgb)
    rgb = np.where((blocked & ~_eroded(blocked))[..., None], np.array(_EDGE), rgb)
    rgb = np.where((seen | ~inside)[..., None], rgb, _hatched(rgb))
    if blocked.any():
        legend.append(("blocked", f"in the way, {STEP_M:g} to {HEAD_M:g} m above the ground"))
    if closed.any():
        legend.append(("faded", "free, but no way leads there from the views"))
    if (inside & ~seen).any():
        legend.append(("unseen", "ground that was not captured"))
    return rgb, legend, open_


def _eroded(mask: Mask) -> Mask:
    inner = np.pad(mask, 1, "edge")
    return np.asarray(inner[:-2, 1:-1] & inner[2:, 1:-1] & inner[1:-1, :-2] & inner[1:-1, 2:] & mask)


def _tint(heights: F64, relief: Relief) -> tuple[F64, F64]:
    """How much of a colour and which [..., 1], [..., 3]: none in the middle, most at either end."""
    low, middle, high = relief
    apart, least = heights - middle, min(_TINTED_M, high - low)
    below, above = max(middle - low, least), max(high - middle, least)
    share = np.where(apart < 0, -apart / below, apart / above)
    tint = np.where((apart < 0)[..., None], np.array(_LOW_GROUND), np.array(_HIGH_GROUND))
    return _STRONGEST_TINT * np.clip(share, 0, 1)[..., None], tint


def _hatched(rgb: F64) -> F64:
    height, width = rgb.shape[:2]
    stripes = (np.add.outer(np.arange(height), np.arange(width)) % 12 < 3)[..., None]
    return np.where(stripes, np.array(_UNSEEN) + 40.0, 0.45 * rgb + 0.55 * np.array(_UNSEEN))


def _small(blocked: Mask, open_: Mask) -> list[tuple[float, float]]:
    """Centres of obstacles on the way that are too small to catch the eye; none if they are many."""
    from scipy import ndimage

    parts, count = ndimage.label(blocked, np.ones((3, 3)))
    centres = []
    for rows, columns in ndimage.find_objects(parts) if count else ():
        if max(rows.stop - rows.start, columns.stop - columns.start) > _SMALL_PX:
            continue
        x, y = (columns.start + columns.stop) / 2, (rows.start + rows.stop) / 2
        around = (slice(max(0, int(at) - _RING_PX), int(at) + _RING_PX + 1) for at in (y, x))
        if open_[tuple(around)].mean() > _IN_THE_OPEN:
            centres.append((x, y))
    return centres if len(centres) <= _MOST_RINGS else []


def _rings(picture: Image.Image, centres: list[tuple[float, float]]) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(picture)
    for x, y in centres:
        for radius, colour, thick in ((_RING_PX + 1, (0, 0, 0), 4), (_RING_PX, _EDGE, 2)):
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=colour, width=thick)


def _lines(low: float, high: float, step: float) -> list[float]:
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _reach(view: MapView) -> tuple[float, float, float, float]:
    """(lowest x, highest x, lowest z, highest z)."""
    height, width = view.rgb.shape[:2]
    right, bottom = view.left_m - width / view.pixels_per_m, view.top_m - height / view.pixels_per_m
    return right, view.left_m, bottom, view.top_m


def _grid(picture: Image.Image, view: MapView, step: float) -> None:
    from PIL import Image, ImageDraw

    layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    low_x, high_x, low_z, high_z = _reach(view)
    width, height = picture.size
    for x in _lines(low_x, high_x, step):
        at = float(view.pixel((x, 0))[0])
        _line(draw, [(at, 0), (at, height)], Z_COLOUR if x == 0 else None)
    for z in _lines(low_z, high_z, step):
        at = float(view.pixel((0, z))[1])
        _line(draw, [(0, at), (width, at)], X_COLOUR if z == 0 else None)
    picture.paste(layer, (0, 0), layer)


def _line(draw: ImageDraw.ImageDraw, ends: list[tuple[float, float]], axis: Colour | None) -> None:
    draw.line(ends, (255, 255, 255, 96) if axis is None else (*axis, 230), 1 if axis is None else 2)


def _numbers(
    draw: ImageDraw.ImageDraw, view: MapView, step: float, corner: tuple[int, int], size: tuple[int, int]
) -> None:
    """Coordinates at all four borders."""
    low_x, high_x, low_z, high_z = _reach(view)
    (left, top), (width, height), written = corner, size, font(MEDIUM)
    decimals = _decimals(step)
    for x in _lines(low_x, high_x, step):
        at = left + float(view.pixel((x, 0))[0])
        for y in (top - 14, top + height + 14):
            draw.text((at, y), f"{x + 0.0:.{decimals}f}", INK, written, anchor="mm")
    for z in _lines(low_z, high_z, step):
        at = top + float(view.pixel((0, z))[1])
        draw.text((left - 8, at), f"{z + 0.0:.{decimals}f}", INK, written, anchor="rm")
        draw.text((left + width + 8, at), f"{z + 0.0:.{decimals}f}", INK, written, anchor="lm")
    for x in _lines(low_x, high_x, step / _TICKS):
        at = left + float(view.pixel((x, 0))[0])
        draw.line([(at, top - 5), (at, top)], FAINT)
        draw.line([(at, top + height), (at, top + height + 4)], FAINT)
    for z in _lines(low_z, high_z, step / _TICKS):
        at = top + float(view.pixel((0, z))[1])
        draw.line([(left - 5, at), (left, at)], FAINT)
        draw.line([(left + width, at), (left + width + 4, at)], FAINT)
    for y in (top - 34, top + height + 34):
        draw.text((left + width / 2, y), "x, to the left (metres)", X_COLOUR, written, anchor="mm")
    draw.text((left - 8, top - 34), "z", Z_COLOUR, written, anchor="rm")
    draw.text((left + width + 8, top - 34), "z", Z_COLOUR, written, anchor="lm")


def _compass(draw: ImageDraw.ImageDraw, right: float) -> None:
    """Which way +z and +x are, above the right corner of the map."""
    x, y, long = right - 30, 62, 40
    for end, colour, turn in (((x, y - long), Z_COLOUR, (0, -1)), ((x - long, y), X_COLOUR, (-1, 0))):
        draw.line([(x, y), end], colour, 4)
        tip = (end[0] + 10 * turn[0], end[1] + 10 * turn[1])
        side = (7 * turn[1], 7 * turn[0])
        draw.polygon(
            [tip, (end[0] + side[0], end[1] + side[1]), (end[0] - side[0], end[1] - side[1])], colour
        )
    draw.text((x + 9, y - long + 4), "+z", Z_COLOUR, font(MEDIUM), anchor="lm")
    draw.text((x - long, y - 16), "+x", X_COLOUR, font(MEDIUM), anchor="mm")


def _marks(picture: Image.Image, view: MapView, marks: Sequence[Mark], views_at: F64 | None) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(picture)
    labels = Labels(draw, picture.size)
    if views_at is not None and view.shows(views_at[[0, 2]]):
        x, y = view.pixel(views_at[[0, 2]])
        for far, colour in ((9, (0, 0, 0)), (7, _VIEWS)):
            draw.polygon([(x - far, y), (x, y - far), (x + far, y), (x, y + far)], colour)
        labels.keep_free((x - 9, y - 9, x + 9, y + 9))
    for mark in marks:
        x, y = view.pixel(mark.at[[0, 2]])
        labels.keep_free((x - 10, y - 10, x + 10, y + 10))
        if mark.yaw_deg is not None:
            across, down = -math.sin(math.radians(mark.yaw_deg)), -math.cos(math.radians(mark.yaw_deg))
            line = [(x + 9 * across, y + 9 * down), (x + _ARROW_PX * across, y + _ARROW_PX * down)]
            for colour, thick in (((0, 0, 0), 6), (MARK, 3)):
                draw.line(line, colour, thick)
        for radius, colour, thick in ((9, (0, 0, 0), 5), (9, MARK, 3)):
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=colour, width=thick)
        draw.ellipse((x - 2, y - 2, x + 2, y + 2), fill=MARK)
    for mark in marks:
        if view.shows(mark.at[[0, 2]]):
            labels.place(mark.label, view.pixel(mark.at[[0, 2]]), MARK)
    if views_at is not None and view.shows(views_at[[0, 2]]):
        labels.place("views", view.pixel(views_at[[0, 2]]), _VIEWS)
    labels.draw()


def _draw_legend(
    draw: ImageDraw.ImageDraw, lines: list[tuple[str, str]], corner: tuple[int, int], columns: int
) -> None:
    (left, top), rows = corner, -(-len(lines) // columns)
    for number, (kind, text) in enumerate(lines):
        column, row = divmod(number, rows)
        x, y = left + column * _LEGEND_PX, top + 12 + row * 25
        box = (x, y - 8, x + 30, y + 8)
        if kind == "relief":
            share, tint = _tint(np.linspace(-1, 1, 31), (-1, 0, 1))
            mixed = ((1 - share) * 128 + share * tint).astype(int)
            for at in range(31):
                draw.line([(x + at, y - 8), (x + at, y + 8)], tuple(mixed[at].tolist()))
        elif kind == "unseen":
            draw.rectangle(box, _UNSEEN, FAINT)
            for at in range(0, 30, 8):
                draw.line([(x + at, y + 8), (x + at + 16 if at < 16 else x + 30, y - 8)], FAINT)
        elif kind == "blocked":
            draw.rectangle(box, _BLOCKED, _EDGE, 2)
        elif kind == "ring":
            draw.ellipse((x + 7, y - 8, x + 23, y + 8), outline=_EDGE, width=2)
        elif kind:
            draw.rectangle(box, _FADED, FAINT)
        draw.text((x + 40 if kind else x, y), text, INK, font(SMALL), anchor="lm")
