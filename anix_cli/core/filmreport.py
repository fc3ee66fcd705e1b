"""What a report tells of a film, and of a folder of films: facts, gathered by ``run``, drawn by ``report``.

Nothing in it depends on the clock, the machine or the current folder, so that the same film has the same
report, byte by byte. Files are named relative to the report's folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .errors import Diagnostic

ClipState = Literal["made", "kept", "missing"]
FilmState = Literal["current", "older", "changed", "missing"]


@dataclass(frozen=True)
class Still:
    """One frame of a shot, as WebP; None where there is no guide or no clip to take it from.

    Attributes:
        frame: counted in the shot.
        size_px: of the pictures.
    """

    frame: int
    timecode: str
    size_px: tuple[int, int]
    guide: bytes | None = None
    result: bytes | None = None


@dataclass(frozen=True)
class ToldBeat:
    """A beat as it was understood, when it happens (seconds of the shot), and the words it was read from."""

    category: str
    told: str
    words: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class ReportedClip:
    """One clip.

    Attributes:
        state: "made" by the last run that made anything, "kept" in the store from before, or "missing".
        because: why it was made, or has to be; "" where that is not known.
        key: its address in the store, "" while it is missing.
        seconds: how long it took to make; None while it is missing.
        notes: what is known of how it was made: ``drift``, ``seam``, ``colour_lock``, and the backend's own.
    """

    index: int
    start: int
    frames: int
    seed: int
    recipe_key: str
    prompt: str
    state: ClipState
    because: str
    key: str = ""
    seconds: float | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportedCandidate:
    """A variant of a shot.

    Attributes:
        made: whether all its clips are in the store.
        retries, seam, drift: how good it is, as far as that was measured; lower is better.
        choose: the command that puts it into the film; "" for the one that is in it.
    """

    number: int
    picked: bool
    made: bool
    retries: int
    seam: float | None
    drift: float | None
    choose: str
    stills: tuple[Still, ...] = ()


@dataclass(frozen=True)
class ReportedShot:
    """One shot.

    Attributes:
        understood: its beats in words.
        view: how much the camera sees, across and up.
        start, frames: in frames of the film.
        guide_state, guide_because: as a clip's.
        candidates: variants to choose from, the best first; () where there is only the one.
        again: the command that makes another version of this shot alone; "" where there is no file to name.
    """

    id: str
    command: str
    understood: str
    beats: tuple[ToldBeat, ...]
    characters: tuple[str, ...]
    camera: str
    view: str
    start: int
    frames: int
    start_timecode: str
    end_timecode: str
    duration_s: float
    start_s: float
    begins: str
    caption: str
    has_sound: bool
    guide_key: str
    guide_state: ClipState
    guide_because: str
    clips: tuple[ReportedClip, ...]
    notes: tuple[Diagnostic, ...]
    again: str
    stills: tuple[Still, ...] = ()
    candidates: tuple[ReportedCandidate, ...] = ()


@dataclass(frozen=True)
class ReportedTake:
    """Shots without a cut; ``number`` counts from 1."""

    number: int
    shots: tuple[ReportedShot, ...]


@dataclass(frozen=True)
class FilmFile:
    """The film's file, from its manifest.

    Attributes:
        name: of the file, beside the report.
        state: "current", made from just these clips; "older", from others; "changed", not the file that the
            manifest is about; "missing".
        versions: what made it.
    """

    name: str
    state: FilmState
    size_bytes: int = 0
    sha256: str = ""
    slate: bool = False
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportedFilm:
    """A film.

    Attributes:
        screenplay: its path; "" if it came through a pipe.
        draft: the backend draws and generates nothing.
        problems: what ended the run, if something did.
        notes: warnings that belong to no shot; those of shots lie there.
        render: the command that makes the film, only what changed; "" where there is no file to name.
    """

    title: str
    screenplay: str
    size_px: tuple[int, int]
    fps: str
    frames: int
    duration_s: float
    seed: int
    backend: str
    draft: bool
    takes: tuple[ReportedTake, ...]
    film: FilmFile
    problems: tuple[Diagnostic, ...]
    notes: tuple[Diagnostic, ...]
    render: str

    @property
    def shots(self) -> tuple[ReportedShot, ...]:
        return tuple(shot for take in self.takes for shot in take.shots)

    @property
    def clips(self) -> tuple[ReportedClip, ...]:
        return tuple(clip for shot in self.shots for clip in shot.clips)

    def count(self, state: ClipState) -> int:
        """How many clips are made, kept or missing."""
        return sum(clip.state == state for clip in self.clips)


@dataclass(frozen=True)
class IndexedFilm:
    """A film of a folder, from its manifest.

    Attributes:
        name: the film's path, relative to the folder, with forward slashes.
        state: as of :class:`FilmFile` (never "older": the screenplay is not read), "damaged" for a manifest
            or a film that cannot be read.
        report: the path of its report, "" if there is none.
        thumbnail: WebP, None where the film cannot be read.
    """

    name: str
    state: Literal["current", "changed", "missing", "damaged"]
    title: str = ""
    screenplay: str = ""
    backend: str = ""
    size_px: tuple[int, int] = (0, 0)
    fps: str = ""
    frames: int = 0
    duration_s: float = 0.0
    shots: int = 0
    clips: int = 0
    seconds: float = 0.0
    size_bytes: int = 0
    report: str = ""
    thumbnail: bytes | None = None
    thumbnail_px: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class FilmIndex:
    """The films of a folder, by their paths; ``name`` is the folder's."""

    name: str
    films: tuple[IndexedFilm, ...]


@dataclass(frozen=True)
class Page:
    """How a page is drawn; injected, since who gathers the facts does not know what draws them.

    Attributes:
        version: changes when the same facts are drawn otherwise.
        draw: the facts (and whatever else the kind of page takes) → HTML, given a stamp to carry.
    """

    version: str
    draw: Callable[..., str]
