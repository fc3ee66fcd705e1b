"""A plan from above: where characters and cameras go, what they look at, anchors, and where there is room.

As in the maps of scenes, +z goes up and +x to the left: so it looks from above.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ..core.plan import Plan, PlannedShot, Take
from ..core.time import timecode
from ..scene.standing import StandingRoom
from .drawing import FAINT, GRID, INK, Colour, Drawing, Point, nice

F64 = NDArray[np.float64]

WIDTH_PX, MARGIN_PX, HEAD_PX = 900.0, 46.0, 44.0
_LEAST_M, _AROUND_M = 6.0, 2.0
_TALLEST = 1.0
"""A panel is at most so many times as high as wide."""
BLOCKED, FLOOR, NOWHERE, ANCHOR = (236, 180, 172), (255, 255, 255), (232, 233, 235), (150, 110, 0)
SHOTS: tuple[Colour, ...] = (
    (30, 100, 190), (200, 70, 30), (30, 140, 80), (140, 60, 170), (170, 120, 20), (20, 140, 150),
)  # fmt: skip
WALK: tuple[Colour, ...] = ((60, 60, 66), (150, 30, 90), (60, 90, 20))
_FRUSTA_S = 0.75
_MOST_FRUSTA = 9
_CELLS = 40_000


@dataclass(frozen=True)
class Panel:
    """A part of the stage, and where it is drawn: ``left`` and ``top`` are those of its highest x and z."""

    low: F64
    high: F64
    left: float
    top: float
    scale: float

    def at(self, xz: F64) -> Point:
        return (self.left + (self.high[0] - float(xz[0])) * self.scale,
                self.top + (self.high[1] - float(xz[1])) * self.scale)  # fmt: skip

    def path(self, points: F64) -> list[Point]:
        return [self.at(point) for point in points]

    @property
    def size(self) -> tuple[float, float]:
        return (self.high[0] - self.low[0]) * self.scale, (self.high[1] - self.low[1]) * self.scale


def plan_map(
    plan: Plan,
    anchors: Mapping[str, tuple[float, float]],
    room: StandingRoom | None,
    clearance_m: Mapping[str, float] = MappingProxyType({}),
    *,
    first: int = 1,
) -> Drawing:
    """All takes, one below the other.

    Args:
        anchors: (x, z) by name.
        room: where a body can stand; None where that is not known.
        clearance_m: how near the camera of a shot comes to something, by the shot's id.
        first: the number of the first take.
    """
    panels: list[Panel] = []
    top = HEAD_PX
    for take in plan.takes:
        low, high = _reach(take, anchors)
        scale = (WIDTH_PX - 2 * MARGIN_PX) / float(high[0] - low[0])
        scale = min(scale, _TALLEST * (WIDTH_PX - 2 * MARGIN_PX) / float(high[1] - low[1]))
        panel = Panel(low, high, MARGIN_PX, top + HEAD_PX, scale)
        panels.append(panel)
        top = panel.top + panel.size[1] + MARGIN_PX
    drawing = Drawing(WIDTH_PX, top)
    drawing.text((MARGIN_PX, 28), f"{plan.title or 'untitled'} from above: +z up, +x to the left", 16)
    for number, (take, panel) in enumerate(zip(plan.takes, panels, strict=True), first):
        _ground(drawing, panel, room)
        _grid(drawing, panel)
        _anchors(drawing, panel, anchors)
        _take(drawing, panel, take, plan)
        _legend(drawing, panel, number, take, plan, clearance_m)
    return drawing


def _reach(take: Take, anchors: Mapping[str, tuple[float, float]]) -> tuple[F64, F64]:
    """The part of the stage that a take is drawn on: all that moves, and the anchors near it."""
    moving = [shot.world_from_camera[:, [0, 2], 3] for shot in take.shots]
    moving += [subject.root[:, [0, 2]] for shot in take.shots for subject in shot.subjects]
    points = np.concatenate(moving)
    low, high = points.min(axis=0) - _AROUND_M, points.max(axis=0) + _AROUND_M
    near = [np.array(at) for at in anchors.values() if (low - 8 < at).all() and (high + 8 > at).all()]
    for at in near:
        low, high = np.minimum(low, at - 1), np.maximum(high, at + 1)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, _LEAST_M / 2)
    return middle - half, middle + half


def _ground(drawing: Drawing, panel: Panel, room: StandingRoom | None) -> None:
    """Where there is room, what is in the way, and what nobody filmed."""
    width, height = panel.size
    start = (panel.left, panel.top)
    drawing.box(start, (panel.left + width, panel.top + height), NOWHERE if room else FLOOR)
    if room is None:
        return
    step = max(room.cell_m, math.sqrt(width * height / panel.scale**2 / _CELLS))
    for z in np.arange(panel.low[1], panel.high[1], step):
        x = np.arange(panel.low[0], panel.high[0], step)
        points = np.stack([x + step / 2, np.full_like(x, z + step / 2)], axis=1)
        kinds = np.where(~room.free(points, step / 2), 2, np.where(room.on_floor(points), 1, 0))
        edges = [0, *(np.flatnonzero(np.diff(kinds)) + 1), len(kinds)]
        for begin, end in pairwise(edges):
            if kinds[begin]:
                low = panel.at(
                    np.array([min(x[end - 1] + step, panel.high[0]), min(z + step, panel.high[1])])
                )
                high = panel.at(np.array([x[begin], z]))
                drawing.box(low, high, FLOOR if kinds[begin] == 1 else BLOCKED)


def _grid(drawing: Drawing, panel: Panel) -> None:
    step = nice(float((panel.high - panel.low).max()), 10)
    width, height = panel.size
    for x in np.arange(math.ceil(panel.low[0] / step) * step, panel.high[0], step):
        at = panel.at(np.array([x, panel.high[1]]))
        drawing.line([at, (at[0], at[1] + height)], GRID)
        drawing.text((at[0], at[1] + height + 14), f"{x + 0.0:g}", 10, FAINT, "middle")
    for z in np.arange(math.ceil(panel.low[1] / step) * step, panel.high[1], step):
        at = panel.at(np.array([panel.high[0], z]))
        drawing.line([at, (at[0] + width, at[1])], GRID)
        drawing.text((at[0] - 5, at[1] + 4), f"{z + 0.0:g}", 10, FAINT, "end")


def _anchors(drawing: Drawing, panel: Panel, anchors: Mapping[str, tuple[float, float]]) -> None:
    for name, xz in anchors.items():
        if (panel.low <= xz).all() and (panel.high >= xz).all():
            x, y = panel.at(np.array(xz))
            drawing.area([(x - 5, y), (x, y - 5), (x + 5, y), (x, y + 5)], (255, 215, 90), ANCHOR)
            drawing.text((x + 8, y + 4), name, 12, ANCHOR)


def _take(drawing: Drawing, panel: Panel, take: Take, plan: Plan) -> None:
    names = [member.name for member in plan.cast]
    for index, shot in enumerate(take.shots):
        colour = SHOTS[index % len(SHOTS)]
        for subject in shot.subjects:
            ink = WALK[names.index(subject.character) % len(WALK)] if subject.character in names else INK
            drawing.line(panel.path(subject.root[:, [0, 2]]), ink, 2.5)
        _body(drawing, panel, shot)
        _cameras(drawing, panel, shot, colour, plan)


def _body(drawing: Drawing, panel: Panel, shot: PlannedShot) -> None:
    """Who is where as the shot begins, with a nose where it faces."""
    for subject in shot.subjects:
        here, yaw = subject.root[0, [0, 2]], float(subject.yaw_rad[0])
        ring = [here + 0.25 * np.array([math.sin(a), math.cos(a)]) for a in np.linspace(0, 2 * math.pi, 17)]
        drawing.area(panel.path(np.array(ring)), (210, 210, 214), INK)
        drawing.line(
            panel.path(np.array([here, here + 0.6 * np.array([math.sin(yaw), math.cos(yaw)])])), INK, 2
        )


def _cameras(drawing: Drawing, panel: Panel, shot: PlannedShot, colour: Colour, plan: Plan) -> None:
    """The way of the camera, and what it sees now and then."""
    eyes = shot.world_from_camera[:, [0, 2], 3]
    drawing.line(panel.path(eyes), colour, 2, dashed=True)
    every = max(round(_FRUSTA_S * float(plan.fps)), math.ceil(shot.frames / _MOST_FRUSTA), 1)
    frames: Sequence[int] = sorted({*range(0, shot.frames, every), shot.frames - 1})
    if np.ptp(shot.world_from_camera, axis=0).max() < 1e-6:
        frames = [0]
    for frame in frames:
        pose, focal = shot.world_from_camera[frame], shot.intrinsics[frame, 0, 0]
        half = plan.size_px[0] / 2 / focal
        length = 1.0 if frame in {frames[0], frames[-1]} else 0.6
        sides = [pose[:3, 3] + length * (pose[:3, 2] + way * half * pose[:3, 0]) for way in (-1, 1)]
        points = np.array([pose[:3, 3], *sides, pose[:3, 3]])[:, [0, 2]]
        drawing.line(panel.path(points), colour, 1.5 if frame == frames[0] else 0.8)


def _legend(
    drawing: Drawing, panel: Panel, number: int, take: Take, plan: Plan, clearance_m: Mapping[str, float]
) -> None:
    x, y = panel.left, panel.top - 10
    drawing.text((x, y - 16), f"take {number}", 13)
    for index, shot in enumerate(take.shots):
        said = f"{shot.id}: {shot.camera.replace('_', ' ')}, {timecode(shot.start, plan.fps)}"
        if math.isfinite(clearance_m.get(shot.id, math.inf)):
            said += f", {clearance_m[shot.id]:.1f} m free"
        if x + 7 * len(said) > WIDTH_PX - MARGIN_PX:
            drawing.text((x, y), "…", 11)
            break
        drawing.text((x, y), said, 11, SHOTS[index % len(SHOTS)])
        x += 6.2 * len(said) + 14
