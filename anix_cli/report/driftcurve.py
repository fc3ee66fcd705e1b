"""How far a take's colours wander from its guides over time, with the seams of its clips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.filmreport import ReportedClip, ReportedTake
from .drawing import FAINT, GRID, Drawing, nice

WIDTH_PX, HEIGHT_PX, LEFT_PX, TOP_PX = 760.0, 170.0, 48.0, 34.0
_DRIFT, _SEAM = (200, 70, 30), (30, 100, 190)
_PLOT_PX = HEIGHT_PX - TOP_PX - 30


@dataclass(frozen=True)
class _Measured:
    """One clip: its first frame and its end, counted in the take; its drift in parts; its seam, if any."""

    start: int
    stop: int
    curve: tuple[float, ...]
    seam: float | None


def drift_curve(take: ReportedTake) -> Drawing | None:
    """Drift in levels of 255 over the take's frames, clip by clip, and a mark as high as each seam.

    None where nothing was measured.
    """
    clips = list(_measured(take))
    if not any(clip.curve or clip.seam is not None for clip in clips):
        return None
    highest = max([1.0, *(value for clip in clips for value in (*clip.curve, clip.seam or 0.0))])
    frames = max(clip.stop for clip in clips)
    scale = (WIDTH_PX - LEFT_PX - 12) / max(frames, 1)
    drawing = Drawing(WIDTH_PX, HEIGHT_PX)
    drawing.text((LEFT_PX, 14), "drift from the guide's colours", 12, _DRIFT)
    drawing.text((LEFT_PX + 220, 14), "seam to the clip before", 12, _SEAM)

    def y(value: float) -> float:
        return TOP_PX + _PLOT_PX * (1 - value / highest)

    step = nice(highest, 3)
    for number in range(int(highest / step + 1e-9) + 1):
        drawing.line([(LEFT_PX, y(number * step)), (LEFT_PX + frames * scale, y(number * step))], GRID)
        drawing.text((LEFT_PX - 6, y(number * step) + 4), f"{number * step:.4g}", 10, FAINT, "end")
    for clip in clips:
        x = LEFT_PX + clip.start * scale
        drawing.line([(x, TOP_PX), (x, TOP_PX + _PLOT_PX)], FAINT, dashed=True)
        if clip.seam is not None:
            drawing.line([(x, y(0)), (x, y(clip.seam))], _SEAM, 4)
        drawing.line(_points(clip, scale, y), _DRIFT, 1.8)
    drawing.text((LEFT_PX, HEIGHT_PX - 12), f"frame 0 … {frames}", 10, FAINT)
    return drawing


def _points(clip: _Measured, scale: float, y: Any) -> list[tuple[float, float]]:
    """Each part of the curve over its middle; one part alone over the whole clip."""
    count = len(clip.curve)
    length = (clip.stop - clip.start) * scale
    left = LEFT_PX + clip.start * scale
    if count == 1:
        return [(left, y(clip.curve[0])), (left + length, y(clip.curve[0]))]
    return [(left + length * (n + 0.5) / count, y(value)) for n, value in enumerate(clip.curve)]


def _measured(take: ReportedTake) -> Iterator[_Measured]:
    at = 0
    for shot in take.shots:
        for clip in shot.clips:
            drift, seam = _part(clip, "drift"), _part(clip, "seam")
            curve = drift.get("curve")
            values = curve if isinstance(curve, list) else [drift.get("first"), drift.get("last")]
            told = tuple(_numbers(values))
            levels = next(iter(_numbers([seam.get("levels")])), None)
            yield _Measured(at + clip.start, at + clip.start + clip.frames, told, levels)
        at += shot.frames


def _part(clip: ReportedClip, name: str) -> Mapping[str, Any]:
    part = clip.notes.get(name)
    return part if isinstance(part, Mapping) else {}


def _numbers(values: Sequence[Any]) -> Iterator[float]:
    """Those that are numbers to draw: notes are a backend's own."""
    for value in values:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e6:
            yield float(value)
