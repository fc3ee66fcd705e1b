"""The plan: everything resolved to frames. JSON holds all but the per-frame arrays, which lie in an npz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Diagnostic
from .optics import Optics
from .screenplay import MotionSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]


NEAR_FRACTION = 0.004


@dataclass(frozen=True)
class Amount:
    """How far or how long: ``unit`` is m, steps, deg, turns, s or times."""

    value: float
    unit: str


@dataclass(frozen=True)
class Beat:
    """One action inside a shot.

    Attributes:
        category: locomotion, gesture, object or camera.
        action: canonical verb ("run", "wave"), or the camera move's name.
        span: (start, end) characters of the command that this was read from.
        start, frames: which frames of the shot it takes; set by the blocking.
    """

    category: str
    action: str
    direction: str | None = None
    amount: Amount | None = None
    speed: str | None = None
    side: str | None = None
    object: str | None = None
    target: str | None = None
    sync: str | None = None
    span: tuple[int, int] = (0, 0)
    start: int = 0
    frames: int = 0


@dataclass(frozen=True)
class Gesture:
    """What a character does with its body over some frames, counted like its subject's arrays.

    It may begin before frame 0 and end after the last one, where a clip shows a part of it.

    Attributes:
        action: canonical verb of a beat that holds its place ("wave", "point", "bow", "pick_up" …).
        side: "left", "right" or "both", the character's own; None where the words don't say.
    """

    action: str
    start: int
    frames: int
    side: str | None = None


@dataclass(frozen=True)
class Subject:
    """A character, frame by frame of one shot.

    Attributes:
        character: its name in the screenplay.
        root: [F, 3] float64, metres, stage frame: the point between its feet, on the ground.
        yaw_rad: [F] float64; 0 faces +Z, positive turns to the character's own left.
        speed_mps: [F] float64, along the ground.
        gait_phase: [F] float64, steps counted along the way since the take began. When a foot strikes is the
            body's own: who sets off begins half through a step.
        box_px: [F, 4] float64, x0 y0 x1 y1 of the whole body in pixels, not clipped to the picture.
        visible: [F] bool, whether any part of the box lies in the picture and before the camera.
        lift_m: [F] float64, how far the feet are above ``root``: 0 on the ground, more in a jump.
        gestures: in order, where it does something beside walking.
    """

    character: str
    root: F64
    yaw_rad: F64
    speed_mps: F64
    gait_phase: F64
    box_px: F64
    visible: NDArray[np.bool_]
    lift_m: F64
    gestures: tuple[Gesture, ...] = ()

    def frames(self, start: int, stop: int) -> Subject:
        """The same subject over frames start … stop − 1."""
        cut = slice(start, stop)
        return Subject(
            self.character,
            self.root[cut],
            self.yaw_rad[cut],
            self.speed_mps[cut],
            self.gait_phase[cut],
            self.box_px[cut],
            self.visible[cut],
            self.lift_m[cut],
            tuple(
                replace(gesture, start=gesture.start - start)
                for gesture in self.gestures
                if gesture.start < stop and gesture.start + gesture.frames > start
            ),
        )


@dataclass(frozen=True)
class Recalled:
    """A part of an earlier clip, shown to a later one of the same place.

    Attributes:
        start: first frame, counted in that clip; frames: 4n + 1.
        key: that clip's recipe key.
    """

    shot_id: str
    index: int
    start: int
    frames: int
    key: str


@dataclass(frozen=True)
class PlannedClip:
    """One call of the generator.

    Attributes:
        start: first frame, counted in the shot.
        frames: new frames that are kept.
        generated: new frames that are asked of the backend, ≥ ``frames`` (its grid); the rest is trimmed.
        tail: frames of the clip before that are handed in, 0 at the start of a take.
        recipe_key: SHA-256 over ``parts``.
        prompts: of each character alone, by name, where there are several.
        options: of the backend, by name.
        memory: parts of earlier clips that it is shown, besides the tail.
        parts: digest of each thing that changes this clip's pixels (guide, cast, blocking, cameras, …), with
            the predecessor's recipe as ``before``; they tell why a clip is stale.
        stale_because: None when the store holds it, else why it must be made.
    """

    shot_id: str
    index: int
    start: int
    frames: int
    generated: int
    tail: int
    seed: int
    prompt: str
    negative: str
    recipe_key: str
    prompts: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    memory: tuple[Recalled, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    stale_because: str | None = None


@dataclass(frozen=True)
class NamedFile:
    """A file that goes into the film, identified by its content (SHA-256 of the file)."""

    file: Path
    digest: str


@dataclass(frozen=True)
class Sound(NamedFile):
    """A sound file, and by how many decibels it is louder in the film."""

    volume_db: float = 0.0


@dataclass(frozen=True)
class Music:
    """A sound under the whole film.

    Attributes:
        loop: whether it begins again where it ends.
        fade_s: how long it takes to come in, and to go out.
        duck_db: by how many decibels it is lower while a shot's own sound is heard.
    """

    sound: Sound
    loop: bool = False
    fade_s: float = 0.0
    duck_db: float = 0.0


@dataclass(frozen=True)
class FilmOutput:
    """How the film's file is made of its clips. No part of any clip's or guide's key: only the film is made
    again.

    Attributes:
        codec: "h264", "h265", "av1", "prores", "ffv1", "png" or "exr".
        quality: "draft", "good" or "best".
        loudness_lufs: of the whole film (EBU R128); None leaves sounds as loud as they are.
        captions: "track", "burnt" or "none".
        subtitles: SubRip or WebVTT, shown beside the shots' captions.
        font: of what is drawn on the picture; None is a plain one that is always there.
        also: what is made beside the film: "poster", "gif", "webp", "srt", "vtt", "otio".
        poster_frame: of the film.
    """

    codec: str = "h264"
    quality: str = "good"
    loudness_lufs: float | None = None
    music: Music | None = None
    captions: str = "track"
    subtitles: NamedFile | None = None
    font: NamedFile | None = None
    also: tuple[str, ...] = ()
    poster_frame: int = 0


@dataclass(frozen=True)
class Transition:
    """How a shot begins.

    Attributes:
        kind: "fade" goes through a colour, half of it in the shot before; "dissolve" blends the two, which
            overlap.
        seconds: of a dissolve a whole number of frames.
        colour_rgb: of a fade, sRGB, 0 … 255.
    """

    kind: str
    seconds: float
    colour_rgb: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True)
class PlannedShot:
    """One shot. Arrays cover its own frames only; what a tail needs comes from the shot before.

    Attributes:
        start: first frame, counted in the film; where it dissolves from the shot before, that goes on still.
        camera: the move as chosen ("follow", "orbit", …).
        world_from_camera: [F, 4, 4] float64, OpenCV axes.
        intrinsics: [F, 3, 3] float64, pixels.
        guide_key: SHA-256 over what the guide's pixels depend on.
        caption: a subtitle for the whole shot, "" for none.
        sound: begins with the shot's first frame and ends with the shot at the latest.
        optics: depth of field and motion blur; None for a pinhole and an instant.
    """

    id: str
    command: str
    camera: str
    start: int
    frames: int
    beats: tuple[Beat, ...]
    clips: tuple[PlannedClip, ...]
    world_from_camera: F64
    intrinsics: F64
    subjects: tuple[Subject, ...]
    guide_key: str
    transition: Transition | None = None
    guide_stale_because: str | None = None
    caption: str = ""
    sound: Sound | None = None
    optics: Optics | None = None


@dataclass(frozen=True)
class Take:
    """A chain of shots without a cut."""

    shots: tuple[PlannedShot, ...]


@dataclass(frozen=True)
class ScenePlacement:
    """Where the scene's splats are and how they stand on the stage.

    Attributes:
        key: of the stage: content and placement.
        digest: SHA-256 of the file, so that a guide is never rendered from another scene than was planned.
        extent_m: diagonal of the robust bounds.
        background_rgb: sRGB, 0 … 255, where the splats show nothing.
        crop_m: low and high along x, y and z of the stage between which Gaussians are kept; None is open.
    """

    file: Path
    key: str
    digest: str
    stage_from_file: F64
    extent_m: float
    background_rgb: tuple[int, int, int] = (0, 0, 0)
    crop_m: tuple[tuple[float, float] | None, ...] | None = None

    @property
    def near_m(self) -> float:
        """The near plane: a share of the scene's extent, since scenes come in any size."""
        return NEAR_FRACTION * self.extent_m


@dataclass(frozen=True)
class PlannedCharacter:
    """A member of the cast with what identifies it by content: four views, or a 3D model; and motions."""

    name: str
    views: Mapping[str, Path]
    key: str
    height_m: float
    description: str
    model: Path | None = None
    motions: Mapping[str, MotionSpec] = field(default_factory=dict)


@dataclass(frozen=True)
class Estimate:
    """What is left to do and how much there is.

    Attributes:
        seconds: how long that would take, from what was measured on this machine; None where that is not
            known.
        bytes: how much it will take in the store, on the high side.
        vram_gib: what must be free on the GPU for it, at least and to be quickest; None where no GPU is
            needed, or the backend does not tell.
        candidate_frames: of variants of shots that are still to be made; time and room count them, too.
    """

    frames: int
    clips: int
    stale_clips: int
    stale_guides: int
    generated_frames: int
    seconds: float | None = None
    bytes: int = 0
    candidate_frames: int = 0
    vram_gib: tuple[float, float] | None = None


@dataclass(frozen=True)
class Plan:
    """A film resolved to frames."""

    title: str
    size_px: tuple[int, int]
    fps: Fraction
    seed: int
    backend: str
    scene: ScenePlacement
    cast: tuple[PlannedCharacter, ...]
    takes: tuple[Take, ...]
    estimate: Estimate
    store: Path
    screenplay: Path | None = None
    notes: tuple[Diagnostic, ...] = field(default=())
    output: FilmOutput = FilmOutput()

    @property
    def frames(self) -> int:
        """Of the film: as many as its shots have, less where they overlap."""
        return max((shot.start + shot.frames for shot in self.shots()), default=0)

    @property
    def overlaps(self) -> dict[str, int]:
        """By shot's id, how many of its first frames are blended with the last of the shot before."""
        shots = list(self.shots())
        return {
            shot.id: before.start + before.frames - shot.start
            for before, shot in pairwise(shots)
            if before.start + before.frames > shot.start
        }

    def shots(self) -> Iterator[PlannedShot]:
        for take in self.takes:
            yield from take.shots
