"""Pictures of a scene with what a director reads off them: captions, a metric grid, heights, marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.stage import HeightMap

from .look import VIEW_PX, MapView, Standpoint, View, seen_in, walkable
from .standing import HEAD_M, STEP_M, StandingRoom

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
Colour = tuple[int, int, int]
Relief = tuple[float, float, float]
"""Heights of the ground: low, middle, high."""

_PAPER, _INK, _FAINT = (24, 26, 30), (238, 238, 232), (196, 200, 206)
_X_COLOUR, _Z_COLOUR, _MARK = (255, 120, 110), (120, 180, 255), (255, 214, 64)
_BLOCKED, _UNSEEN = (224, 40, 40), (64, 66, 72)
_LOW_GROUND, _HIGH_GROUND = (30, 90, 220), (255, 170, 20)
_SMALL, _MEDIUM, _LARGE = 15, 18, 22
_LINES_APART_PX, _TICKS = 66, 5
_POLE_M = 1.7
_LEAST_RELIEF_M = 0.08
_STRONGEST_TINT, _TINTED_M = 0.55, 0.4
_COLUMNS, _LEGEND_PX = 4, 440
_NAMES = {
    0: "+Z", -45: "+Z -X", -90: "-X", -135: "-Z -X", 180: "-Z", 135: "-Z +X", 90: "+X", 45: "+Z +X",
}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A place on the ground with a label: [3], metres on the stage."""

    label: str
    at: F64


def views_sheet(
    views: Sequence[View], stand: Standpoint, marks: Sequence[Mark], *, title: str, eye_m: float
) -> Image.Image:
    """The views in two rows, with captions; marks stand as poles, hollow where something hides them.

    Args:
        eye_m: height of the eye above the ground, for the title.
    """
    from PIL import Image, ImageDraw

    width, height = VIEW_PX
    gap, head, foot = 6, 44, 30
    rows = -(-len(views) // _COLUMNS)
    size = (_COLUMNS * (width + gap) + gap, head + rows * (height + foot))
    sheet = Image.new("RGB", size, _PAPER)
    draw = ImageDraw.Draw(sheet)
    x, y, z = stand.at.round(1) + 0.0
    where = (
        f"standing at x {x:.1f}, z {z:.1f}, the eye {eye_m:.1f} m above the ground, turning right"
        if stand.inside
        else f"from {stand.radius_m:.1f} m around x {x:.1f}, y {y:.1f}, z {z:.1f}"
    )
    draw.text((gap + 4, head / 2), f"{title}   {where}", _INK, _font(_LARGE), anchor="lm")
    for number, view in enumerate(views):
        row, column = divmod(number, _COLUMNS)
        corner = (gap + column * (width + gap), head + row * (height + foot))
        picture = Image.fromarray(view.rgb)
        _poles(picture, view, marks)
        sheet.paste(picture, corner)
        along = _NAMES[round(view.yaw_deg)]
        caption = f"looking along {along}   (face: {view.yaw_deg:.0f})"
        if not stand.inside:
            caption = f"from {_NAMES[round((view.yaw_deg + 359) % 360 - 179)]}, looking along {along}"
        draw.text(
            (corner[0] + 4, corner[1] + height + foot / 2 - 2), caption, _INK, _font(_MEDIUM), anchor="lm"
        )
    return sheet


def _poles(picture: Image.Image, view: View, marks: Sequence[Mark]) -> None:
    from PIL import ImageDraw

    if not marks:
        return
    draw = ImageDraw.Draw(picture)
    feet = np.array([mark.at for mark in marks])
    heads = feet + np.array([0, _POLE_M, 0])
    foot, foot_clear = seen_in(view, feet)
    head, head_clear = seen_in(view, heads)
    taken: list[tuple[float, float, float, float]] = []
    for at in np.argsort(-np.linalg.norm(feet - view.world_from_camera[:3, 3], axis=1)):
        if not (np.isfinite(foot[at]).all() and np.isfinite(head[at]).all()):
            continue
        clear = bool(foot_clear[at] or head_clear[at])
        line = [tuple(foot[at]), tuple(head[at])]
        draw.line(line, (0, 0, 0), 5 if clear else 3)
        draw.line(line, _MARK if clear else _FAINT, 3 if clear else 1)
        _label(draw, marks[at].label, head[at], VIEW_PX, taken, _MARK if clear else _FAINT)


def map_sheet(
    view: MapView,
    room: StandingRoom | None,
    reachable: NDArray[np.bool_] | None,
    ground: HeightMap | None,
    marks: Sequence[Mark],
    *,
    title: str,
) -> Image.Image:
    """The map with grid, heights, what is in the way or was never seen, and marks.

    Args:
        reachable: cells of ``room`` that a walker gets to; the others are shown faded.
    """
    from PIL import Image, ImageDraw

    points = view.ground_points()
    rgb = view.rgb.astype(np.float64)
    relief = None
    if room is not None and ground is not None:
        rgb, relief = _shaded(rgb, points, room, reachable, ground)
    inner = Image.fromarray(np.asarray(np.clip(rgb, 0, 255), dtype=np.uint8))
    step = grid_step(view.pixels_per_m)
    _grid(inner, view, step)
    _compass(inner)
    _marks(inner, view, marks)
    lines = _legend(view, room, relief)
    side, head, foot = 62, 78, 54 + 25 * -(-len(lines) // max(1, inner.width // _LEGEND_PX))
    width, height = inner.size
    sheet = Image.new("RGB", (width + 2 * side, height + head + foot), _PAPER)
    sheet.paste(inner, (side, head))
    draw = ImageDraw.Draw(sheet)
    draw.text((side, 22), f"{title}   one square is {step:g} m", _INK, _font(_LARGE), anchor="lm")
    _numbers(draw, view, step, (side, head), (width, height))
    _draw_legend(draw, lines, (side, head + height + 46), max(1, width // _LEGEND_PX))
    return sheet


def grid_step(pixels_per_m: float) -> float:
    """Metres between grid lines: 1, 2 or 5 times a power of ten, so that numbers fit between them."""
    least = _LINES_APART_PX / pixels_per_m
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def _shaded(
    rgb: F64, points: F64, room: StandingRoom, reachable: NDArray[np.bool_] | None, ground: HeightMap
) -> tuple[F64, Relief | None]:
    """The picture with heights, obstacles and the unknown laid over; the range of heights if they differ."""
    index = np.floor((points - room.low_m) / room.cell_m).astype(np.intp)
    rows, columns = room.blocked.shape
    inside = ((index >= 0) & (index < (columns, rows))).all(axis=-1)
    column, row = (np.clip(index[..., at], 0, most - 1) for at, most in ((0, columns), (1, rows)))
    blocked = room.blocked[row, column] & inside
    seen = (room.floor[row, column] & inside) | blocked
    cells = walkable(room) if reachable is None else reachable
    open_ = cells[row, column] & inside
    heights = ground.at(points)
    low, high = np.percentile(heights[open_], (1, 99)) if open_.any() else (0.0, 0.0)
    relief = None
    if high - low >= _LEAST_RELIEF_M:
        relief = float(low), float(np.median(heights[open_])), float(high)
        share, tint = _tint(heights, relief)
        rgb = np.where(open_[..., None], (1 - share) * rgb + share * tint, rgb)
    grey = rgb.mean(axis=-1, keepdims=True)
    rgb = np.where((open_ | blocked)[..., None], rgb, 0.55 * (0.35 * rgb + 0.65 * grey) + 12)
    rgb = np.where(blocked[..., None], 0.5 * rgb + 0.5 * np.array(_BLOCKED), rgb)
    return np.where((seen | ~inside)[..., None], rgb, _hatched(rgb)), relief


def _tint(heights: F64, relief: Relief) -> tuple[F64, F64]:
    """How much of a colour and which [..., 1], [..., 3]: none in the middle, most at either end."""
    low, middle, high = relief
    apart = heights - middle
    below, above = max(middle - low, _TINTED_M), max(high - middle, _TINTED_M)
    share = np.where(apart < 0, -apart / below, apart / above)
    tint = np.where((apart < 0)[..., None], np.array(_LOW_GROUND), np.array(_HIGH_GROUND))
    return _STRONGEST_TINT * np.clip(share, 0, 1)[..., None], tint


def _hatched(rgb: F64) -> F64:
    height, width = rgb.shape[:2]
    stripes = (np.add.outer(np.arange(height), np.arange(width)) % 12 < 3)[..., None]
    return np.where(stripes, np.array(_UNSEEN) + 40.0, 0.45 * rgb + 0.55 * np.array(_UNSEEN))


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
        draw.line(
            [(at, 0), (at, height)], (*_Z_COLOUR, 230) if x == 0 else (255, 255, 255, 96), 2 if x == 0 else 1
        )
    for z in _lines(low_z, high_z, step):
        at = float(view.pixel((0, z))[1])
        draw.line(
            [(0, at), (width, at)], (*_X_COLOUR, 230) if z == 0 else (255, 255, 255, 96), 2 if z == 0 else 1
        )
    picture.paste(layer, (0, 0), layer)


def _numbers(
    draw: ImageDraw.ImageDraw, view: MapView, step: float, corner: tuple[int, int], size: tuple[int, int]
) -> None:
    """Coordinates at all four borders."""
    low_x, high_x, low_z, high_z = _reach(view)
    (left, top), (width, height), font = corner, size, _font(_MEDIUM)
    for x in _lines(low_x, high_x, step):
        at = left + float(view.pixel((x, 0))[0])
        for y in (top - 14, top + height + 14):
            draw.text((at, y), f"{x:g}", _INK, font, anchor="mm")
    for z in _lines(low_z, high_z, step):
        at = top + float(view.pixel((0, z))[1])
        draw.text((left - 8, at), f"{z:g}", _INK, font, anchor="rm")
        draw.text((left + width + 8, at), f"{z:g}", _INK, font, anchor="lm")
    for x in _lines(low_x, high_x, step / _TICKS):
        at = left + float(view.pixel((x, 0))[0])
        draw.line([(at, top - 5), (at, top)], _FAINT)
        draw.line([(at, top + height), (at, top + height + 4)], _FAINT)
    for z in _lines(low_z, high_z, step / _TICKS):
        at = top + float(view.pixel((0, z))[1])
        draw.line([(left - 5, at), (left, at)], _FAINT)
        draw.line([(left + width, at), (left + width + 4, at)], _FAINT)
    for y in (top - 36, top + height + 34):
        draw.text((left + width / 2, y), "x (to the left)", _X_COLOUR, font, anchor="mm")
    draw.text((left - 8, top - 36), "z", _Z_COLOUR, font, anchor="rm")
    draw.text((left + width + 8, top - 36), "z", _Z_COLOUR, font, anchor="lm")


def _compass(picture: Image.Image) -> None:
    """Which way +Z and +X are, in the upper left corner."""
    from PIL import Image, ImageDraw

    layer = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    draw.rounded_rectangle((10, 10, 122, 122), 10, (*_PAPER, 200))
    x, y, length, font = 88, 98, 52, _font(_MEDIUM)
    for end, colour, turn in (((x, y - length), _Z_COLOUR, (0, -1)), ((x - length, y), _X_COLOUR, (-1, 0))):
        draw.line([(x, y), end], (*colour, 255), 4)
        tip = (end[0] + 10 * turn[0], end[1] + 10 * turn[1])
        side = (7 * turn[1], 7 * turn[0])
        draw.polygon(
            [tip, (end[0] + side[0], end[1] + side[1]), (end[0] - side[0], end[1] - side[1])], (*colour, 255)
        )
    draw.text((x - 10, y - length - 2), "+Z", (*_Z_COLOUR, 255), font, anchor="rm")
    draw.text((x - length + 6, y - 16), "+X", (*_X_COLOUR, 255), font, anchor="mm")
    picture.paste(layer, (0, 0), layer)


def _marks(picture: Image.Image, view: MapView, marks: Sequence[Mark]) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(picture)
    taken: list[tuple[float, float, float, float]] = []
    for mark in marks:
        x, y = view.pixel(mark.at[[0, 2]])
        for radius, colour, thick in ((9, (0, 0, 0), 5), (9, _MARK, 3)):
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=colour, width=thick)
        draw.ellipse((x - 2, y - 2, x + 2, y + 2), fill=_MARK)
        taken.append((x - 10, y - 10, x + 10, y + 10))
    for mark in marks:
        _label(draw, mark.label, view.pixel(mark.at[[0, 2]]), picture.size, taken, _MARK)


def _label(
    draw: ImageDraw.ImageDraw,
    text: str,
    at: F64,
    size: tuple[int, int],
    taken: list[tuple[float, float, float, float]],
    colour: Colour,
) -> None:
    """Writes beside a point, on the first side where it covers neither another label nor the border."""
    font = _font(_MEDIUM)
    left, top, right, bottom = draw.textbbox((0, 0), text, font, stroke_width=2)
    wide, high = right - left, bottom - top
    x, y = at
    beside, above = y - high / 2, x - wide / 2
    corners = [(x + 14, beside), (x - 14 - wide, beside), (above, y - 14 - high), (above, y + 14)]
    boxes = [(a, b, a + wide, b + high) for a, b in corners]
    fitting = [
        box for box in boxes if _within(box, size) and not any(_overlap(box, other) for other in taken)
    ]
    box = fitting[0] if fitting else boxes[0]
    taken.append(box)
    draw.text((box[0] - left, box[1] - top), text, colour, font, stroke_width=2, stroke_fill=(0, 0, 0))


def _within(box: tuple[float, float, float, float], size: tuple[int, int]) -> bool:
    return box[0] >= 2 and box[1] >= 2 and box[2] <= size[0] - 2 and box[3] <= size[1] - 2


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _legend(view: MapView, room: StandingRoom | None, relief: Relief | None) -> list[tuple[str, str]]:
    """(kind of swatch, text)."""
    if room is None:
        return [("", "no ground was found: nothing is known of where one can walk")]
    lines = [
        ("blocked", f"in the way, {STEP_M:g} to {HEAD_M:g} m above the ground"),
        ("faded", "not to be walked to from the middle"),
        ("unseen", "ground that was not captured"),
    ]
    if relief is None:
        lines.append(("", "the ground is level"))
    else:
        low, middle, high = (round(value, 2) + 0.0 for value in relief)
        lines.append(("relief", f"ground at y = {low:.2f}, {middle:.2f}, {high:.2f} m: low, middle, high"))
    if view.cut_m is not None:
        lines.append(("", f"left out: what is more than {view.cut_m:g} m above the ground"))
    return lines


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
            draw.rectangle(box, _UNSEEN, _FAINT)
            for at in range(0, 30, 8):
                draw.line([(x + at, y + 8), (x + at + 16 if at < 16 else x + 30, y - 8)], _FAINT)
        elif kind:
            draw.rectangle(box, {"blocked": _BLOCKED, "faded": (84, 86, 84)}[kind], _FAINT)
        draw.text((x + 40 if kind else x, y), text, _INK, _font(_SMALL), anchor="lm")


def _font(size: int):  # type: ignore[no-untyped-def]  # Pillow gives one of two types
    from PIL import ImageFont

    return ImageFont.load_default(size)
