"""A plan over time: how fast the camera goes and turns, where it looks, and how large it shows who acts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.camera import SENSOR_WIDTH_MM
from ..core.plan import Plan, PlannedShot
from .drawing import FAINT, GRID, INK, Colour, Drawing, nice

F64 = NDArray[np.float64]

WIDTH_PX, LEFT_PX, ROW_PX, GAP_PX, HEAD_PX = 1000.0, 64.0, 110.0, 34.0, 62.0
CURVES: tuple[tuple[str, Colour], ...] = (
    ("camera speed, m/s", (30, 100, 190)),
    ("camera turning, °/s", (200, 70, 30)),
    ("yaw of the view, °", (30, 140, 80)),
    ("height of the one who acts, share of the picture", (140, 60, 170)),
    ("its middle across the picture, share from the left", (170, 120, 20)),
    ("lens, mm", (20, 140, 150)),
)


def curves_of(shot: PlannedShot, plan: Plan) -> list[F64]:
    """The curves of one shot in the order of ``CURVES``, [F] each."""
    fps, (width, height) = float(plan.fps), plan.size_px
    poses = shot.world_from_camera
    steps = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1) * fps
    turns = poses[:-1, :3, :3].transpose(0, 2, 1) @ poses[1:, :3, :3]
    cosine = (np.trace(turns, axis1=1, axis2=2) - 1) / 2
    rates = np.degrees(np.arccos(np.clip(cosine, -1, 1))) * fps
    forward = poses[:, :3, 2]
    yaw = np.degrees(np.unwrap(np.arctan2(forward[:, 0], forward[:, 2])))
    box = shot.subjects[0].box_px if shot.subjects else np.zeros((shot.frames, 4))
    lens = shot.intrinsics[:, 0, 0] / width * SENSOR_WIDTH_MM
    return [
        _held(steps, shot.frames), _held(rates, shot.frames), yaw, (box[:, 3] - box[:, 1]) / height,
        (box[:, 0] + box[:, 2]) / 2 / width, lens,
    ]  # fmt: skip


def _held(values: F64, frames: int) -> F64:
    """Changes from frame to frame as long as the frames: the last one holds."""
    return np.append(values, values[-1:] if len(values) else np.zeros(frames))[:frames]


def plan_curves(plan: Plan) -> Drawing:
    """All shots, one after the other."""
    shots = list(plan.shots())
    drawing = Drawing(WIDTH_PX, HEAD_PX + len(CURVES) * (ROW_PX + GAP_PX))
    drawing.text((LEFT_PX, 24), f"{plan.title or 'untitled'} over time, seconds", 16)
    scale = (WIDTH_PX - LEFT_PX - 20) / max(plan.frames, 1)
    curves = [curves_of(shot, plan) for shot in shots]
    for row, (name, colour) in enumerate(CURVES):
        top = HEAD_PX + row * (ROW_PX + GAP_PX)
        values = [curve[row] for curve in curves]
        low, high = _limits(np.concatenate(values), zero=row in {0, 1, 3})
        _axes(drawing, top, low, high, plan, scale)
        drawing.text((LEFT_PX, top - 5), name, 11, colour)
        for shot, curve in zip(shots, values, strict=True):
            x = LEFT_PX + (shot.start + np.arange(shot.frames)) * scale
            y = top + ROW_PX * (1 - (np.clip(curve, low, high) - low) / (high - low))
            drawing.line(list(zip(x.tolist(), y.tolist(), strict=True)), colour, 1.6)
        _joins(drawing, top, plan, scale, named=row == 0)
    return drawing


def _limits(values: F64, *, zero: bool) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    low = min(low, 0.0) if zero else low
    if high - low < 1e-6:
        low, high = low - 0.5 * (not zero), low + (1.0 if zero else 0.5)
    room = 0.06 * (high - low)
    return (low if zero else low - room), high + room


def _axes(drawing: Drawing, top: float, low: float, high: float, plan: Plan, scale: float) -> None:
    right = LEFT_PX + plan.frames * scale
    step = nice(high - low, 4)
    for value in np.arange(np.ceil(low / step) * step, high, step):
        y = top + ROW_PX * (1 - (value - low) / (high - low))
        drawing.line([(LEFT_PX, y), (right, y)], GRID)
        drawing.text((LEFT_PX - 6, y + 4), f"{value + 0.0:.4g}", 10, FAINT, "end")
    seconds = float(plan.frames / plan.fps)
    tick = nice(seconds, 14)
    for at in np.arange(0, seconds + 1e-9, tick):
        x = LEFT_PX + at * float(plan.fps) * scale
        drawing.text((x, top + ROW_PX + 13), f"{at:g}", 9, FAINT, "middle")
    drawing.line([(LEFT_PX, top), (LEFT_PX, top + ROW_PX), (right, top + ROW_PX)], FAINT)


def _joins(drawing: Drawing, top: float, plan: Plan, scale: float, *, named: bool) -> None:
    """Where shots meet: a line at a cut, dashes inside a take."""
    for take in plan.takes:
        for index, shot in enumerate(take.shots):
            x = LEFT_PX + shot.start * scale
            drawing.line([(x, top), (x, top + ROW_PX)], INK if index == 0 else FAINT, dashed=index > 0)
            if named and shot.frames * scale > 20:
                drawing.text((x + 3, top - 18), shot.id[: max(int(shot.frames * scale / 7), 1)], 11)
