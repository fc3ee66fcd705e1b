"""What is made beside a film: poster, previews, captions, timeline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..core.plan import Plan
from .captions import Caption, subrip, webvtt
from .frames import Overlay
from .previews import moving, poster
from .segments import Segment
from .soundtrack import Soundtrack
from .timeline import timeline

SUFFIXES = {"poster": ".jpg", "gif": ".gif", "webp": ".webp", "srt": ".srt", "vtt": ".vtt", "otio": ".otio"}


def places(output: Path, also: Sequence[str], *, folder: bool) -> dict[str, Path]:
    """Where each of them lies: with the film's name, whose own suffix gives way unless it is a folder."""
    stem = output.name if folder else output.stem
    return {kind: output.with_name(stem + SUFFIXES[kind]) for kind in SUFFIXES if kind in also}


def content(
    kind: str,
    plan: Plan,
    segments: Sequence[Segment],
    overlays: Sequence[Overlay],
    captions: Sequence[Caption],
    sound: Soundtrack,
) -> bytes:
    """One of them, the same bytes for the same film.

    Raises:
        AnixError: E541, a clip is damaged; E405, OpenTimelineIO is missing.
    """
    if kind == "poster":
        return poster(segments, plan.output.poster_frame, plan.fps, plan.size_px, overlays)
    if kind in ("gif", "webp"):
        return moving(kind, segments, plan.frames, plan.fps, plan.size_px, overlays)
    if kind == "otio":
        return timeline(plan, segments, captions, sound).encode()
    return (subrip if kind == "srt" else webvtt)(captions, plan.fps).encode()
