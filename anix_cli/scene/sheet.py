"""A contact sheet of a scene: eight views with captions, and marks that stand in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anix_cli.core.camera import project

from .labels import LARGE, MEDIUM, Colour, Labels, fitted, font
from .lengths import length, metres
from .look import VIEW_PX, Standpoint, View, seen_in

if TYPE_CHECKING:
    from PIL import Image

F64 = NDArray[np.float64]

PAPER: Colour = (24, 26, 30)
INK: Colour = (238, 238, 232)
FAINT: Colour = (196, 200, 206)
MARK: Colour = (255, 214, 64)
_COLUMNS = 4
_PERSON_M, _ROOM_FOR_PERSONS_M = 1.7, 3.0
_POLE_OF_SPAN = 0.15
_NAMES = {
    0: "+z", -45: "+z -x", -90: "-x", -135: "-z -x", 180: "-z", 135: "-z +x", 90: "+x", 45: "+z +x",
}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A place with a label.

    Attributes:
        at: [3], metres on the stage.
        foot_m: height of the ground under it.
        exact: its height was given; else it lies on the ground.
        yaw_deg: which way one who stands there faces, as ``face`` counts it; None where nothing says.
    """

    label: str
    at: F64
    foot_m: float
    exact: bool = False
    yaw_deg: float | None = None


def pole_m(span: float) -> float:
    """How high marks stand in the views: as tall as a person, or a round height where none has room.

    Args:
        span: the width of the scene.
    """
    if span >= _ROOM_FOR_PERSONS_M or not span > 0:
        return _PERSON_M
    wanted = _POLE_OF_SPAN * span
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(max(power * factor for factor in (1, 2, 5) if power * factor <= wanted * (1 + 1e-9)))


def views_sheet(
    views: Sequence[View], stand: Standpoint, marks: Sequence[Mark], *, title: str, eye_m: float, span: float
) -> Image.Image:
    """The views in two rows, with captions; marks stand as poles, faint where something hides them.

    Args:
        eye_m: height of the eye above the ground, for the title.
        span: the width of the scene: how exactly lengths are told.
    """
    from PIL import Image, ImageDraw

    width, height = VIEW_PX
    gap, head, foot = 6, 44, 30
    rows = -(-len(views) // _COLUMNS)
    size = (_COLUMNS * (width + gap) + gap, head + rows * (height + foot))
    sheet = Image.new("RGB", size, PAPER)
    draw = ImageDraw.Draw(sheet)
    said = f"{title}   {_where(stand, eye_m, span)}"
    if any(not mark.exact for mark in marks):
        said += f"; poles are {length(pole_m(span))} high"
    said = fitted(draw, said, LARGE, size[0] - 2 * gap)
    draw.text((gap + 4, head / 2), said, INK, font(LARGE), anchor="lm")
    for number, view in enumerate(views):
        row, column = divmod(number, _COLUMNS)
        corner = (gap + column * (width + gap), head + row * (height + foot))
        picture = Image.fromarray(view.rgb)
        _poles(picture, view, marks, pole_m(span))
        sheet.paste(picture, corner)
        middle = corner[1] + height + foot / 2 - 2
        draw.text((corner[0] + 4, middle), _caption(view, stand), INK, font(MEDIUM), anchor="lm")
    return sheet


def _where(stand: Standpoint, eye_m: float, span: float) -> str:
    x, y, z = (metres(value, span) for value in stand.at)
    if stand.inside:
        return f"standing at x {x}, z {z}, the eye {metres(eye_m, span)} m above the ground, turning right"
    return f"from {metres(stand.radius_m, span)} m around x {x}, y {y}, z {z}"


def _caption(view: View, stand: Standpoint) -> str:
    along, face = _NAMES[round(view.yaw_deg)], f"(face: {view.yaw_deg:.0f})"
    if stand.inside:
        return f"looking along {along}   {face}"
    return f"from {_NAMES[round((view.yaw_deg + 359) % 360 - 179)]}, looking along {along}   {face}"


def _poles(picture: Image.Image, view: View, marks: Sequence[Mark], pole: float) -> None:
    from PIL import ImageDraw

    if not marks:
        return
    draw = ImageDraw.Draw(picture)
    feet = np.array([(mark.at[0], mark.foot_m, mark.at[2]) for mark in marks])
    heads = np.array([mark.at + np.array([0, 0 if mark.exact else pole, 0]) for mark in marks])
    clear = seen_in(view, feet)[1] | seen_in(view, heads)[1]
    (foot, foot_depth), (head, head_depth) = (
        project(points, view.world_from_camera, view.intrinsics) for points in (feet, heads)
    )
    ahead = (foot_depth > 0) & (head_depth > 0)
    middle = (foot + head) / 2
    shown = [at for at in np.argsort(-head_depth) if ahead[at] and _crosses(foot[at], head[at], middle[at])]
    labels = Labels(draw, VIEW_PX)
    for at in shown:
        (x, y), line = head[at], [tuple(foot[at]), tuple(head[at])]
        draw.line(line, (0, 0, 0), 5 if clear[at] else 3)
        draw.line(line, MARK if clear[at] else FAINT, 3 if clear[at] else 1)
        if marks[at].exact:
            draw.ellipse((x - 5, y - 5, x + 5, y + 5), MARK if clear[at] else FAINT, (0, 0, 0), 1)
        labels.keep_free((x - 5, y - 5, x + 5, y + 5))
    for at in shown:
        labels.place(marks[at].label, np.clip(head[at], 0, VIEW_PX), MARK if clear[at] else FAINT)
    labels.draw()


def _crosses(*points: F64) -> bool:
    """Whether any of some pixels is in the picture."""
    return any(bool((point >= 0).all() and (point < VIEW_PX).all()) for point in points)
