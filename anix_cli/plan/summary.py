"""The plan as a table for people: one row for each shot."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..core.plan import Beat, Estimate, Plan, PlannedShot
from ..core.time import timecode


@dataclass(frozen=True)
class Row:
    """One shot as the plan understands it.

    ``view`` is how much the camera sees across and up, and what that becomes: "78°x50°", or
    "78°x50° to 40°x24°" where a lens zooms;
    ``state`` is "cached", or why something has to be made.
    """

    shot: str
    reading: str
    camera: str
    view: str
    start: str
    end: str
    frames: int
    clips: int
    state: str


def summary(plan: Plan) -> list[Row]:
    """One row for each shot, in order."""
    return [
        Row(
            shot.id,
            reading(shot.beats),
            shot.camera,
            view_of(shot, plan.size_px),
            timecode(shot.start, plan.fps),
            timecode(shot.start + shot.frames, plan.fps),
            shot.frames,
            len(shot.clips),
            _state(shot),
        )
        for shot in plan.shots()
    ]


def summary_text(plan: Plan) -> str:
    """The table, with the film's figures below it."""
    heads = Row("shot", "as understood", "camera", "sees", "from", "to", 0, 0, "state")
    table = [_cells(heads, frames="frames", clips="clips")] + [_cells(row) for row in summary(plan)]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    lines = [_line(line, widths) for line in table]
    lines.insert(1, "  ".join("-" * width for width in widths))
    seconds = float(plan.frames / plan.fps)
    estimate = plan.estimate
    lines += [
        "",
        f"{plan.title or 'untitled'}: {plan.frames} frames = {seconds:.2f} s at {float(plan.fps):g} fps, "
        f"{plan.size_px[0]}x{plan.size_px[1]}, backend {plan.backend}",
        f"to do: {estimate.stale_clips} of {estimate.clips} clips ({estimate.generated_frames} frames), "
        f"{_variants(estimate)}{estimate.stale_guides} guides{_effort(estimate)}",
    ]
    return "\n".join(lines)


def view_of(shot: PlannedShot, size_px: tuple[int, int]) -> str:
    """The fields of view at the shot's first frame and, if they are others, at its last."""
    first, last = (_angles(shot.intrinsics[frame].tolist(), size_px) for frame in (0, -1))
    return first if first == last else f"{first} to {last}"


def _angles(intrinsics: list[list[float]], size_px: tuple[int, int]) -> str:
    focal_px = (intrinsics[0][0], intrinsics[1][1])
    across, up = (
        math.degrees(2 * math.atan(side / (2 * focal))) for side, focal in zip(size_px, focal_px, strict=True)
    )
    return f"{math.floor(across + 0.5)}°x{math.floor(up + 0.5)}°"


def reading(beats: tuple[Beat, ...]) -> str:
    """Beats in words: "run forward, then wave"."""
    told = [_beat_text(beat) for beat in beats]
    joined = ""
    for beat, text in zip(beats, told, strict=True):
        link = "" if not joined else " while " if beat.sync else ", then "
        joined += link + text
    return joined or "hold"


def _beat_text(beat: Beat) -> str:
    name = ("camera " if beat.category == "camera" else "") + beat.action.replace("_", " ")
    amount = f"{beat.amount.value:g} {beat.amount.unit}" if beat.amount else ""
    direction = "" if beat.direction == "toward" else (beat.direction or "").replace("_", " ")
    target = f"to {beat.target}" if beat.direction == "toward" and beat.target else beat.target or ""
    side = f"({beat.side})" if beat.side else ""
    pace = {"slow": "slowly", "fast": "fast"}.get(beat.speed or "", "")
    return " ".join(word for word in (name, direction, beat.object or "", target, amount, pace, side) if word)


def _state(shot: PlannedShot) -> str:
    reasons = dict.fromkeys(clip.stale_because for clip in shot.clips if clip.stale_because)
    made = sum(1 for clip in shot.clips if clip.stale_because is None)
    if reasons:
        told = [f"{made} of {len(shot.clips)} clips made"] if made else []
        return "; ".join([*told, *reasons])
    return f"guide: {shot.guide_stale_because}" if shot.guide_stale_because else "cached"


def _cells(row: Row, frames: str = "", clips: str = "") -> list[str]:
    return [row.shot, row.reading, row.camera, row.view, row.start, row.end, frames or str(row.frames),
            clips or str(row.clips), row.state]  # fmt: skip


def _line(cells: list[str], widths: list[int]) -> str:
    numbers = {6, 7}
    padded = [cell.rjust(width) if column in numbers else cell.ljust(width)
              for column, (cell, width) in enumerate(zip(cells, widths, strict=True))]  # fmt: skip
    return "  ".join(padded).rstrip()


def _variants(estimate: Estimate) -> str:
    return f"{estimate.candidate_frames} frames of candidates, " if estimate.candidate_frames else ""


def _effort(estimate: Estimate) -> str:
    """How long and how much, as far as that is known: ", about 3 min as measured here, 0.4 GB"."""
    if not (estimate.stale_clips or estimate.stale_guides or estimate.candidate_frames):
        return ""
    room = f", {estimate.bytes / 1e9:.2g} GB" if estimate.bytes >= 5e7 else ""
    if estimate.vram_gib is not None:
        least, best = estimate.vram_gib
        room += f", {least:.0f} GiB free on the GPU ({best:.0f} to be quickest)"
    if estimate.seconds is None:
        return room
    return f", about {length_told(estimate.seconds)} as measured here{room}"


def length_told(seconds: float) -> str:
    """A long time, roughly: "a minute", "40 min", "2.5 h"."""
    minutes = seconds / 60
    if minutes >= 90:
        return f"{minutes / 60:.1f} h"
    return f"{minutes:.0f} min" if minutes >= 1.5 else "a minute"
