"""A screenplay as written, with defaults applied and positions kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .errors import Diagnostic, Place
from .time import Duration

PathInFile = tuple[str | int, ...]

VIEW_NAMES = ("front", "left", "right", "back")
LAST_SHOT = "last_shot"
"""As the base of a relative anchor: where the one who acted in the shot before ended."""


@dataclass(frozen=True)
class SoundSpec:
    """``audio:``, a sound file and by how many decibels it is louder than it is."""

    file: Path
    volume_db: float = 0.0


@dataclass(frozen=True)
class MusicSpec:
    """``film.music:``, a sound under the whole film.

    Attributes:
        loop: whether it begins again where it ends.
        fade: how long it takes to come in, and to go out.
        duck_db: by how many decibels it is lower while a shot's own sound is heard.
    """

    file: Path
    volume_db: float = 0.0
    loop: bool = False
    fade: Duration | None = None
    duck_db: float = 0.0


@dataclass(frozen=True)
class FilmSpec:
    """``film:``.

    Attributes:
        fps: None means the backend's own rate.
        quality: "draft", "good" or "best": how much the delivered film is compressed.
        codec: "h264", "h265", "av1", "prores", "ffv1", "png" or "exr".
        background_rgb: sRGB, 0 … 255, where the scene shows nothing.
        loudness_lufs: of the whole film (EBU R128); None leaves sounds as loud as their files.
        captions: "track", "burnt" or "none".
        subtitles: SubRip or WebVTT, shown beside the captions of shots.
        font: of what is drawn on the picture.
        also: what is made beside the film: "poster", "gif", "webp", "srt", "vtt", "otio".
        poster: which moment it shows; None is the middle of the film.
        memory: how many parts of earlier clips of the same place a clip is shown.
    """

    size_px: tuple[int, int] = (832, 480)
    fps: Fraction | None = None
    seed: int = 0
    quality: str = "good"
    codec: str = "h264"
    background_rgb: tuple[int, int, int] = (0, 0, 0)
    loudness_lufs: float | None = None
    music: MusicSpec | None = None
    captions: str = "track"
    subtitles: Path | None = None
    font: Path | None = None
    also: tuple[str, ...] = ()
    poster: Duration | None = None
    memory: int = 0


@dataclass(frozen=True)
class TransitionSpec:
    """``transition:``, how a shot begins.

    Attributes:
        kind: "fade" goes through a colour, "dissolve" from the shot before into this one.
        colour_rgb: of a fade, sRGB, 0 … 255.
    """

    kind: str
    length: Duration
    colour_rgb: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True)
class ScaleReference:
    """``scale:`` as a length that is known: between two points of the file, in its own coordinates."""

    reference: tuple[tuple[float, float, float], tuple[float, float, float]]
    metres: float


@dataclass(frozen=True)
class SceneSpec:
    """``scene:``. ``scale`` is metres per unit of the file; None = auto (one, with a warning).

    ``up`` is the direction of the file's axes that points up ("+y", "-y", "+z", …) or "auto".
    ``origin`` is the point of the file, in its own coordinates, that becomes the stage's origin.
    ``crop_m`` keeps what lies between low and high of the axes x, y, z of the stage; None is open.
    ``ground_m`` is a level ground height on the stage, None = found from the scene.
    ``collider`` is a mesh beside the splats that says where the ground and what is solid are.
    ``description`` is one line about the place, for backends that are told of it in words.
    """

    file: Path
    up: str = "auto"
    scale: float | ScaleReference | None = None
    origin: tuple[float, float, float] | None = None
    crop_m: tuple[tuple[float, float] | None, ...] | None = None
    ground_m: float | None = None
    collider: Path | None = None
    description: str = ""


@dataclass(frozen=True)
class MotionSpec:
    """One of a character's ``motions:``.

    Attributes:
        file: BVH or glTF. clip: of a file that holds several; None is the only one, or the longest.
        start_s, end_s: which part of it; None is from its beginning, and to its end.
    """

    file: Path
    clip: str | None = None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True)
class CharacterSpec:
    """A character: four views (names of ``VIEW_NAMES``) or a 3D model, height in metres, one line of
    description, and other words that commands call it by. ``sheet`` is the one file that holds all four
    views, which then name just that. ``motions`` are by the action that they show."""

    views: Mapping[str, Path]
    height_m: float = 1.7
    description: str = ""
    aliases: tuple[str, ...] = ()
    model: Path | None = None
    sheet: Path | None = None
    motions: Mapping[str, MotionSpec] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class AnchorSpec:
    """A mark: exactly one of ``at``, ``base`` and ``box`` says where it is.

    Attributes:
        at: (x, z) on the ground or (x, y, z) exactly, metres.
        base: another anchor's name, or ``LAST_SHOT``; ``left_m``, ``forward_m`` and ``up_m`` count from there
            along its facing. Without ``face``, the base's facing holds.
        box: x0, y0, x1, y1 of the picture, 0 … 1, y downwards: where the whole body shows as the shot begins.
        face: an anchor's name or a yaw in degrees.
        aliases: other words that commands use for it.
    """

    at: tuple[float, ...] | None = None
    base: str | None = None
    left_m: float = 0.0
    forward_m: float = 0.0
    up_m: float = 0.0
    box: tuple[float, float, float, float] | None = None
    face: str | float | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlacementSpec:
    """One of ``cameras:``, a place for a camera.

    Attributes:
        at: (x, y, z), or (x, z) at eye height above the ground; metres.
        look_at: a point, an anchor (at the height of a body's middle there), or a character, whom the camera
            turns with; None is the one who acts.
    """

    at: tuple[float, ...]
    look_at: tuple[float, float, float] | str | None = None
    lens_mm: float | None = None
    fov_y_deg: float | None = None


@dataclass(frozen=True)
class KeySpec:
    """One of ``keys:``, through which a camera goes.

    Attributes:
        time: since the move began; None in all of them goes at an even speed.
        at: (x, y, z), or (x, z) at eye height above the ground; metres.
        look_at: a point, an anchor or a character; None is the one who acts.
        roll_deg: clockwise, as one sees who looks through the camera.
        lens_mm, fov_y_deg: None keeps the lens of the key before.
    """

    at: tuple[float, ...]
    time: Duration | None = None
    look_at: tuple[float, float, float] | str | None = None
    roll_deg: float = 0.0
    lens_mm: float | None = None
    fov_y_deg: float | None = None


@dataclass(frozen=True)
class CameraSpec:
    """One part of ``camera:``. ``move`` is "auto" or a move's name; a parameter that is not written is None.

    Attributes:
        placement: one of ``cameras:``, where it begins; inside a take the camera travels there.
        length: of a part of a list of moves; None shares what is left.
        degrees: angle of an orbit, pan, tilt, roll or whip.
        direction: where the camera goes or turns, seen through it: left, right, up, down, in, out; clockwise
            is seen from above for an orbit, and through the camera for a roll.
        up_m: how far a crane or a pedestal rises.
        metres: how far a dolly, a truck or a dolly zoom goes.
        times: how many times larger (or smaller) a zoom shows things in the end.
        to_lens_mm: the lens with which a zoom ends.
        side: where a camera stands, relative to the character: front|behind|left|right|over_the_shoulder.
        frame: wide|full|medium|close, how much of the picture the character fills.
        distance_m, height_m: from the character, and above the ground; override ``frame``.
        headroom: share of the picture that is free above the head.
        lead_room: how far the character is from the middle, away from where it faces; a share of the width.
        look_at: a point, an anchor or a character instead of the one who acts; what a pan ends at.
        ease: both|in|out|linear: where a move begins or stops softly; None is both.
        handheld: how much the camera shakes, 1 as one that is carried; 0 not at all.
        focus: what the lens is focused on: a character, an anchor, or metres.
        f_number: of the lens; None in a whole take has all of it sharp.
        lens_mm, fov_y_deg: focal length on a 36 mm wide sensor, or vertical field of view; never both.
        keys: through which a path goes.
        path: a file that holds a path; ``coordinates`` are those of the scene's file ("scene") or the stage.
    """

    move: str = "auto"
    placement: str | None = None
    length: Duration | None = None
    degrees: float | None = None
    direction: str | None = None
    up_m: float | None = None
    side: str | None = None
    frame: str | None = None
    distance_m: float | None = None
    height_m: float | None = None
    lens_mm: float | None = None
    fov_y_deg: float | None = None
    metres: float | None = None
    times: float | None = None
    to_lens_mm: float | None = None
    headroom: float | None = None
    lead_room: float | None = None
    look_at: tuple[float, float, float] | str | None = None
    ease: str | None = None
    handheld: float | None = None
    focus: float | str | None = None
    f_number: float | None = None
    keys: tuple[KeySpec, ...] = ()
    path: Path | None = None
    coordinates: str = "scene"


@dataclass(frozen=True)
class ShotSpec:
    """One entry of ``shots:`` after ``defaults:``.

    Attributes:
        cameras: one move, or several after each other.
        transition: None is a plain cut, or none at all.
        seed, memory: None takes the film's.
        candidates: how many variants are made to choose from, by seeds of their own.
        pick: the one that is in the film, from 0.
        prompt, negative: added to what the backend is told.
        look: how the picture should look ("real", "rendered", …), "" for nothing said.
        options: by backend's name, then by option.
        audio: a sound file that begins with the shot.
        caption: a subtitle for the whole shot.
        anchor_box: where in the picture backends put the character: "projected" is where the planned body
            shows, frame by frame; "fixed" is where it shows as the shot begins.
        style: how a kind of film is shot; it is in ``cameras`` and ``duration`` already.
    """

    id: str
    command: str
    duration: Duration
    character: str | None = None
    anchor: str | None = None
    cameras: tuple[CameraSpec, ...] = (CameraSpec(),)
    cut: bool = False
    transition: TransitionSpec | None = None
    seed: int | None = None
    memory: int | None = None
    candidates: int = 1
    pick: int = 0
    prompt: str = ""
    negative: str = ""
    look: str = ""
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    audio: SoundSpec | None = None
    caption: str = ""
    anchor_box: str = "projected"
    style: str | None = None


@dataclass(frozen=True)
class Screenplay:
    """A whole screenplay, of one file or several (``extends:``).

    Attributes:
        path: the file, absolute (or "-" for standard input); relative paths in it are resolved already.
        positions: place of each value in its file, by its path of keys and indices
            (``("shots", 2, "command")``); a mapping's or list's own place is that of its key.
        files: all files that were read for it, itself first.
        notes: warnings found while reading.
    """

    path: Path
    title: str
    film: FilmSpec
    scene: SceneSpec
    characters: Mapping[str, CharacterSpec]
    anchors: Mapping[str, AnchorSpec]
    shots: tuple[ShotSpec, ...]
    cameras: Mapping[str, PlacementSpec] = field(default_factory=lambda: MappingProxyType({}))
    positions: Mapping[PathInFile, Place] = field(default_factory=lambda: MappingProxyType({}))
    files: tuple[Path, ...] = ()
    notes: tuple[Diagnostic, ...] = ()

    def diagnostic(self, where: PathInFile, code: str, message: str, **details: Any) -> Diagnostic:
        """A problem at a value of this screenplay, or at the nearest enclosing value that has a place."""
        at = where
        while at and at not in self.positions:
            at = at[:-1]
        place = self.positions.get(at)
        if place is None:
            return Diagnostic(code, message, file=self.path, **details)
        return Diagnostic(code, message, file=place.file, span=place.span, source=place.source, **details)
