"""The film as an OpenTimelineIO timeline: clips by reference, for editing programs.

Every clip of the plan is a clip of the track, linked to its delivery file in the store, with its lossless
master as a second reference; shots are named in the metadata and by markers. A dissolve is a transition whose
handles are the frames that overlap; sounds and music lie in tracks of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..core.errors import fail
from ..core.plan import Plan, PlannedShot
from .captions import Caption
from .segments import Segment
from .soundtrack import Soundtrack

MASTER = "master"
"""The key of the lossless reference of a clip."""


def check_timeline() -> None:
    """Makes sure that OpenTimelineIO is there. Raises E405."""
    try:
        import opentimelineio  # noqa: F401
    except ImportError as error:
        raise fail(
            "E405",
            "An OTIO timeline needs the package opentimelineio.",
            hint='Install it: pip install "anix[otio]". Or leave otio out of film.also.',
        ) from error


def timeline(plan: Plan, segments: Sequence[Segment], captions: Sequence[Caption], sound: Soundtrack) -> str:
    """The timeline as OTIO's JSON, links absolute.

    Args:
        segments: of all clips of the plan, in order.

    Raises:
        AnixError: E405, the package is missing.
    """
    check_timeline()
    import opentimelineio as otio

    made = otio.schema.Timeline(name=plan.title)
    made.global_start_time = _time(0, plan.fps)
    made.metadata["anix"] = {
        "backend": plan.backend,
        "seed": plan.seed,
        "size": "{}x{}".format(*plan.size_px),
    }
    made.tracks.append(_pictures(plan, segments, captions))
    if sound.cues:
        made.tracks.append(_sounds(plan, sound))
    if sound.music:
        made.tracks.append(_music(plan, sound))
    return str(otio.adapters.write_to_string(made, "otio_json"))


def _pictures(plan: Plan, segments: Sequence[Segment], captions: Sequence[Caption]) -> Any:
    import opentimelineio as otio

    track = otio.schema.Track(name="picture", kind=otio.schema.TrackKind.Video)
    shots = list(plan.shots())
    overlaps = plan.overlaps
    left = iter(segments)
    for number, shot in enumerate(shots):
        into = overlaps.get(shot.id, 0)
        out = overlaps.get(shots[number + 1].id, 0) if number + 1 < len(shots) else 0
        held = [(next(left), clip) for clip in shot.clips]
        # The cut lies in the middle of what overlaps; the rest of it is handles.
        first, last = into // 2, shot.frames - (out - out // 2)
        if number and (transition := _transition(shot, into, plan.fps)) is not None:
            track.append(transition)
        for segment, clip in held:
            start, stop = max(first, clip.start), min(last, clip.start + clip.frames)
            if start < stop:
                track.append(_clip(shot, segment, clip.index, start - clip.start, stop - start, plan.fps))
    for caption in captions:
        track.markers.append(
            otio.schema.Marker(
                name=caption.text,
                marked_range=_range(caption.start, caption.stop - caption.start, plan.fps),
                color=otio.schema.MarkerColor.YELLOW,
                metadata={"anix": {"kind": "caption"}},
            )
        )
    return track


def _clip(shot: PlannedShot, segment: Segment, index: int, start: int, frames: int, fps: Fraction) -> Any:
    import opentimelineio as otio

    there = _range(0, segment.frames, fps)
    clip = otio.schema.Clip(
        name=shot.id if len(shot.clips) == 1 else f"{shot.id} {index}",
        source_range=_range(start, frames, fps),
        metadata={"anix": {"shot": shot.id, "clip": index, "command": shot.command, "camera": shot.camera}},
    )
    key = otio.schema.Clip.DEFAULT_MEDIA_KEY
    clip.set_media_references(
        {key: _linked(segment.delivery, there), MASTER: _linked(segment.master, there)}, key
    )
    return clip


def _transition(shot: PlannedShot, overlap: int, fps: Fraction) -> Any:
    """The transition into a shot; None for a plain cut."""
    import opentimelineio as otio

    if shot.transition is None:
        return None
    if overlap:
        before, after = overlap // 2, overlap - overlap // 2
        kind = otio.schema.TransitionTypes.SMPTE_Dissolve
    else:
        half = round(shot.transition.seconds * fps / 2)
        before = after = half
        kind = otio.schema.TransitionTypes.Custom
    colour = "#{:02x}{:02x}{:02x}".format(*shot.transition.colour_rgb)
    told = {"kind": shot.transition.kind, "seconds": shot.transition.seconds, "colour": colour}
    if not before + after:
        return None
    return otio.schema.Transition(
        name="dissolve" if overlap else "fade",
        transition_type=kind,
        in_offset=_time(before, fps),
        out_offset=_time(after, fps),
        metadata={"anix": told},
    )


def _sounds(plan: Plan, sound: Soundtrack) -> Any:
    """Shots' sounds, one after the other; where shots dissolve, each ends where the next begins."""
    import opentimelineio as otio

    track = otio.schema.Track(name="sound", kind=otio.schema.TrackKind.Audio)
    at = 0
    for number, cue in enumerate(sound.cues):
        stop = min([cue.stop, *(after.start for after in sound.cues[number + 1 : number + 2])])
        if cue.start > at:
            track.append(otio.schema.Gap(source_range=_range(0, cue.start - at, plan.fps)))
        track.append(_sounding(cue.sound.file, stop - cue.start, plan.fps, cue.sound.volume_db))
        at = stop
    return track


def _music(plan: Plan, sound: Soundtrack) -> Any:
    import opentimelineio as otio

    track = otio.schema.Track(name="music", kind=otio.schema.TrackKind.Audio)
    if sound.music:
        music = sound.music
        track.append(_sounding(music.sound.file, plan.frames, plan.fps, music.sound.volume_db))
    return track


def _sounding(file: Path, frames: int, fps: Fraction, volume_db: float) -> Any:
    import opentimelineio as otio

    return otio.schema.Clip(
        name=file.stem,
        source_range=_range(0, frames, fps),
        media_reference=_linked(file, None),
        metadata={"anix": {"volume_db": volume_db}},
    )


def _linked(file: Path, there: Any) -> Any:
    import opentimelineio as otio

    return otio.schema.ExternalReference(target_url=file.absolute().as_uri(), available_range=there)


def _time(frames: int | Fraction, fps: Fraction) -> Any:
    import opentimelineio as otio

    return otio.opentime.RationalTime(float(frames), float(fps))


def _range(start: int | Fraction, frames: int | Fraction, fps: Fraction) -> Any:
    import opentimelineio as otio

    return otio.opentime.TimeRange(_time(start, fps), _time(frames, fps))
