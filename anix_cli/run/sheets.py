"""Contact sheets: small pictures of a shot's guide and result, kept in the store as long as those stay."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..core.errors import AnixError
from ..core.filmreport import ReportedShot, Still
from ..core.keys import fingerprint
from ..core.time import timecode
from ..store.store import Entry, Store
from .clips import MASTER

SHEETS = "sheets"
_GUIDE = "rgb.mkv"
_VERSION = 1


@dataclass(frozen=True)
class Sizes:
    """How many pictures of each shot, and how wide they are."""

    stills: int
    width_px: int


def sizes_for(shots: int) -> Sizes:
    """Fewer and smaller pictures of films with many shots, so that a report can still be opened."""
    if shots <= 40:
        return Sizes(4, 416)
    if shots <= 160:
        return Sizes(3, 320)
    return Sizes(2, 256) if shots <= 600 else Sizes(1, 192)


def frames_shown(frames: int, stills: int) -> tuple[int, ...]:
    """Frames of a shot from its first to its last, evenly; the middle one where one alone is shown."""
    if stills == 1 or frames == 1:
        return (frames // 2,)
    count = min(stills, frames)
    return tuple(round(number * (frames - 1) / (count - 1)) for number in range(count))


def stills_of(
    shot: ReportedShot,
    guide: Entry | None,
    clips: Mapping[tuple[str, int], Entry],
    *,
    sizes: Sizes,
    size_px: tuple[int, int],
    fps: Fraction,
    store: Store,
) -> tuple[Still, ...]:
    """The pictures of a shot. What cannot be read is left out: a report is no reason to stop."""
    frames = frames_shown(shot.frames, sizes.stills)
    width, height = _small(size_px, sizes.width_px)
    places = [_place(shot, clips, frame) for frame in frames]
    sources = {
        "guide": [guide.key if guide else ""],
        "clips": [
            clips[shot.id, clip.index].key if (shot.id, clip.index) in clips else "" for clip in shot.clips
        ],
    }
    key = fingerprint({"sheet": _VERSION, "frames": frames, "size": (width, height), **sources})
    held = store.get(SHEETS, key)
    pictures = _read(held) if held else {}
    if not held and (guide or any(places)):
        if guide and _GUIDE in guide.files:
            pictures |= _drawn("guide", {f: (guide.file(_GUIDE), f) for f in frames}, fps, (width, height))
        there = {frame: place for frame, place in zip(frames, places, strict=True) if place}
        pictures |= _drawn("result", there, fps, (width, height))
        _keep(store, key, pictures, shot.id)
    return tuple(
        Still(
            frame, timecode(shot.start + frame, fps), (width, height),
            pictures.get(f"guide-{frame}.webp"), pictures.get(f"result-{frame}.webp"),
        )
        for frame in frames
    )  # fmt: skip


def _small(size_px: tuple[int, int], width: int) -> tuple[int, int]:
    width = min(width, size_px[0])
    return width, max(1, round(width * size_px[1] / size_px[0]))


def _place(shot: ReportedShot, clips: Mapping[tuple[str, int], Entry], frame: int) -> tuple[Path, int] | None:
    """The file that holds a frame of a shot, and the frame's number in it."""
    for clip in shot.clips:
        entry = clips.get((shot.id, clip.index))
        if clip.start <= frame < clip.start + clip.frames and entry and MASTER in entry.files:
            return entry.file(MASTER), frame - clip.start
    return None


def _drawn(
    name: str, places: Mapping[int, tuple[Path, int]], fps: Fraction, size_px: tuple[int, int]
) -> dict[str, bytes]:
    from ..media.stills import read_stills, webp

    if not places:
        return {}
    try:
        read = read_stills(list(places.values()), fps, size_px)
    except AnixError:  # the join tells of damaged files
        return {}
    return {f"{name}-{frame}.webp": webp(picture) for frame, picture in zip(places, read, strict=True)}


def _read(held: Entry) -> dict[str, bytes]:
    with suppress(OSError):
        return {name: held.file(name).read_bytes() for name in held.files}
    return {}


def _keep(store: Store, key: str, pictures: Mapping[str, bytes], shot: str) -> None:
    """Into the store, if that takes it; nothing depends on it."""
    if not pictures:
        return
    with suppress(AnixError, OSError), store.writing(SHEETS, key) as partial:
        for name, data in pictures.items():
            (partial.path / name).write_bytes(data)
        partial.commit({"shot": shot})
