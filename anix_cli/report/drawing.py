"""Lines and words that become an SVG or a PNG, by the name of the file."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from ..core.errors import fail
from ..store.atomic import unwritable, writing

Point = tuple[float, float]
Colour = tuple[int, int, int]

PAPER, INK, FAINT, GRID = (250, 250, 248), (40, 40, 44), (130, 130, 136), (225, 225, 222)
SUFFIXES = (".svg", ".png")
_FINER = 2
"""A PNG is drawn so many times larger and shrunk, so that lines are smooth."""
_MOST_PX = 16000


@dataclass(frozen=True)
class Line:
    """A line through points; closed and filled where ``fill`` is given. Pixels."""

    points: tuple[Point, ...]
    colour: Colour | None = INK
    width: float = 1.0
    fill: Colour | None = None
    dashed: bool = False


@dataclass(frozen=True)
class Text:
    """Words; ``at`` is the left end of their base line, or its middle or its right end."""

    at: Point
    words: str
    size: float = 12.0
    colour: Colour = INK
    align: str = "start"


@dataclass
class Drawing:
    """A picture of so many pixels; what is added later lies above."""

    width: float
    height: float
    parts: list[Line | Text] = field(default_factory=list)

    def line(
        self, points: Sequence[Point], colour: Colour = INK, width: float = 1.0, *, dashed: bool = False
    ) -> None:
        if len(points) > 1:
            self.parts.append(Line(tuple(points), colour, width, dashed=dashed))

    def area(self, points: Sequence[Point], fill: Colour, edge: Colour | None = None) -> None:
        self.parts.append(Line(tuple(points), edge, 1.0, fill))

    def box(self, low: Point, high: Point, fill: Colour) -> None:
        self.area([low, (high[0], low[1]), high, (low[0], high[1])], fill)

    def text(
        self, at: Point, words: str, size: float = 12.0, colour: Colour = INK, align: str = "start"
    ) -> None:
        self.parts.append(Text(at, _shown(words), size, colour, align))


def _shown(words: str) -> str:
    """Words without signs that no picture shows, and that no XML may hold."""
    return "".join(sign if sign.isprintable() else "·" for sign in words)


def check_drawing_output(path: Path) -> None:
    """E433 where a file's name is that of no drawing."""
    if path.suffix.lower() not in SUFFIXES:
        raise fail("E433", f"{path} is not the name of a drawing: it must end in .svg or .png", file=path)


def write_drawing(drawing: Drawing, path: Path) -> None:
    """Writes a file by its name. Raises E411, E412, E433."""
    check_drawing_output(path)
    data = svg(drawing).encode() if path.suffix.lower() == ".svg" else png(drawing)
    with writing(path.absolute()) as partial, unwritable(path):
        partial.write_bytes(data)


def svg(drawing: Drawing) -> str:
    """The drawing as a text that stands alone."""
    size = f"{drawing.width:g} {drawing.height:g}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawing.width:g}" height="{drawing.height:g}" '
        f'viewBox="0 0 {size}" font-family="sans-serif">'
    )
    paper = f'<rect width="100%" height="100%" fill="{_hex(PAPER)}"/>'
    return "\n".join([head, paper, *map(_element, drawing.parts), "</svg>", ""])


def _element(part: Line | Text) -> str:
    if isinstance(part, Text):
        at = f'x="{part.at[0]:.1f}" y="{part.at[1]:.1f}" font-size="{part.size:g}"'
        fill = quoteattr(_hex(part.colour))
        return f'<text {at} fill={fill} text-anchor="{part.align}">{escape(part.words)}</text>'
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in part.points)
    kind = "polyline" if part.fill is None else "polygon"
    stroke = "none" if part.colour is None else _hex(part.colour)
    dashes = ' stroke-dasharray="4 3"' if part.dashed else ""
    fill = "none" if part.fill is None else _hex(part.fill)
    return (
        f'<{kind} points="{points}" fill="{fill}" stroke="{stroke}" stroke-width="{part.width:g}"{dashes}/>'
    )


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def png(drawing: Drawing) -> bytes:
    """The drawing as a picture."""
    from PIL import Image, ImageDraw

    from ..scene.labels import font

    finer = _FINER if max(drawing.width, drawing.height) * _FINER <= _MOST_PX else 1
    image = Image.new("RGB", (round(drawing.width * finer), round(drawing.height * finer)), PAPER)
    draw = ImageDraw.Draw(image)
    anchors = {"start": "ls", "middle": "ms", "end": "rs"}
    for part in drawing.parts:
        if isinstance(part, Text):
            at = (part.at[0] * finer, part.at[1] * finer)
            draw.text(at, part.words, part.colour, font(round(part.size * finer)), anchor=anchors[part.align])
            continue
        points = [(x * finer, y * finer) for x, y in part.points]
        if part.fill is not None:
            draw.polygon(points, fill=part.fill, outline=part.colour)
        elif part.dashed:
            for start, stop in _dashes(points, 4 * finer, 3 * finer):
                draw.line([start, stop], part.colour, max(1, round(part.width * finer)))
        else:
            draw.line(points, part.colour, max(1, round(part.width * finer)), joint="curve")
    stream = io.BytesIO()
    image.resize((round(drawing.width), round(drawing.height)), Image.Resampling.LANCZOS).save(stream, "PNG")
    return stream.getvalue()


def _dashes(points: Sequence[Point], on: float, off: float) -> list[tuple[Point, Point]]:
    """The pieces of a line that are drawn."""
    found: list[tuple[Point, Point]] = []
    phase = 0.0
    for (ax, ay), (bx, by) in pairwise(points):
        length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
        at = 0.0
        while length > 0 and at < length:
            drawn = phase < on
            stop = min(at + (on - phase if drawn else on + off - phase), length)
            if drawn:
                a, b = at / length, stop / length
                found.append(
                    ((ax + a * (bx - ax), ay + a * (by - ay)), (ax + b * (bx - ax), ay + b * (by - ay)))
                )
            phase = (phase + stop - at) % (on + off)
            at = stop if stop > at else length
    return found


def nice(span: float, most: int = 8) -> float:
    """A round step that divides a span into at most so many parts."""
    step = 10.0 ** math.floor(math.log10(max(span, 1e-9) / most))
    return next(step * by for by in (1, 2, 5, 10, 20) if span / (step * by) <= most)
