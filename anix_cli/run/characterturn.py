"""A character all round, as a short film: standing, or in step on the spot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from ..character.body import Body, Moment, body_of
from ..character.gestures import Act
from ..character.model import ModelViews, key_with_motions, measure_model, model_key
from ..core.camera import intrinsics_from_fov_y, look_at
from ..core.clip import Cast
from ..core.errors import Diagnostic, fail
from ..core.gait import Steps
from ..core.screenplay import MotionSpec
from ..media.video import VideoWriter
from ..store.atomic import check_writable, destination, writing

RATE = Fraction(24)
SPEEDS = {"walk": 1.4, "run": 4.0}
"""Metres a second of what goes; any other action is a gesture, "idle" none."""
_FOV_DEG, _ROOM = 30.0, 1.35
_BACKGROUND = (0.72, 0.72, 0.74)


@dataclass(frozen=True)
class Turned:
    """The film, and what was noticed of the character."""

    file: Path
    frames: int
    notes: tuple[Diagnostic, ...]


def turn_model(
    model: Path,
    output: Path,
    *,
    size_px: int = 512,
    seconds: float = 4.0,
    action: str = "idle",
    height_m: float = 1.7,
    motion: MotionSpec | None = None,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Turned:
    """Draws a model with a camera that goes once round it.

    Args:
        action: "idle", "walk", "run", or a gesture ("wave" …).
        motion: from outside, for the action.

    Raises:
        AnixError: E351 … E356; E361 … E366, the motion; E357, something lies at ``output``; E412, it
            cannot be written; E401, E402.
    """
    if not overwrite and destination(output).exists():
        hint = "Name another output, or pass --overwrite to replace it."
        raise fail("E357", f"{output} exists already", file=output, hint=hint)
    check_writable(output)
    motions = {} if motion is None else {action: motion}
    measured = measure_model(model, height_m, motions)
    key = key_with_motions(model_key(model, height_m), motions)
    cast = Cast(ModelViews(model, height_m), height_m, "", key, model, motions)
    body = body_of(cast, size_px)
    frames = max(1, round(seconds * RATE))
    with (
        writing(output) as partial,
        VideoWriter(partial, (size_px, size_px), RATE, "delivery", container="mp4", named=output) as film,
    ):
        for frame in range(frames):
            now = _moment(frame, frames, action, measured.extent.steps or Steps(0.7, 1.2))
            angle = 2 * math.pi * frame / frames
            film.write(_picture(body, now, angle, size_px, height_m)[None])
            if progress is not None:
                progress(frame + 1, frames)
    return Turned(output, frames, measured.notes)


def _moment(frame: int, frames: int, action: str, steps: Steps) -> Moment:
    time_s = frame / float(RATE)
    speed = SPEEDS.get(action, 0.0)
    acts = () if action in (*SPEEDS, "idle") else (Act(action, time_s, frames / float(RATE)),)
    phase = time_s * speed / float(steps.at(speed)) if speed else 0.0
    return Moment((0.0, 0.0, 0.0), 0.0, speed_mps=speed, gait_phase=phase, acts=acts, time_s=time_s)


def _picture(body: Body, now: Moment, angle: float, size_px: int, height_m: float) -> np.ndarray:
    """[H, W, 3] uint8 of a body, seen from ``angle`` to its own left."""
    from ..splat import render

    away = 0.5 * _ROOM * height_m / math.tan(math.radians(_FOV_DEG) / 2) + 0.5 * height_m
    eye = (away * math.sin(angle), 0.62 * height_m, away * math.cos(angle))
    pose = look_at(eye, (0.0, 0.5 * height_m, 0.0))
    size = (size_px, size_px)
    drawn = render(
        body.at(now), pose, intrinsics_from_fov_y(_FOV_DEG, size), size,
        near=0.05 * height_m, background=_BACKGROUND,
    )  # fmt: skip
    return np.asarray(np.floor(np.clip(drawn.rgb, 0, 1) * 255 + 0.5), dtype=np.uint8)
