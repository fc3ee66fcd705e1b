"""The shot list: what each shot of a screenplay is, as understood. Pure; needs no scene."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..core.errors import AnixError, Diagnostic
from ..core.screenplay import CameraSpec, Screenplay, ShotSpec
from ..core.time import timecode
from .commands import frames_of, read_command
from .parts import dissolve_frames
from .summary import reading

GOES_ON = "goes on"
"""The place of a shot that names no anchor: its character is where it was."""
ORIGIN = "origin"
"""The place of a character that comes in without an anchor: the middle of the stage."""


@dataclass(frozen=True)
class ListedShot:
    """One shot of the list.

    Attributes:
        take: counted from 1; a cut begins a new one.
        character: who acts; "" where the screenplay leaves it open.
        command: as written; ``understood``: its beats in words.
        camera: the moves as chosen, with the parameters that are written or said.
        place: an anchor's name, ``GOES_ON`` or ``ORIGIN``.
        start, frames: in frames of the film.
        fade_frames, dissolve_frames: how long the transition from the shot before is; at most one is not 0.
    """

    take: int
    id: str
    character: str
    command: str
    understood: str
    camera: str
    place: str
    start: int
    frames: int
    fps: Fraction
    fade_frames: int = 0
    dissolve_frames: int = 0

    @property
    def stop(self) -> int:
        """The frame after its last one."""
        return self.start + self.frames

    @property
    def timecodes(self) -> tuple[str, str]:
        """Where it begins, and where the next one does."""
        return timecode(self.start, self.fps), timecode(self.stop, self.fps)


def shot_list(screenplay: Screenplay, fps: Fraction) -> tuple[tuple[ListedShot, ...], tuple[Diagnostic, ...]]:
    """All shots in order, and the warnings about them.

    Args:
        fps: the rate of the film: its own, else that of the backend.

    Raises:
        AnixError: E201 … E210, every command, camera or duration that is not understood.
    """
    found: list[Diagnostic] = []
    rows: list[ListedShot] = []
    seen: set[str] = set()
    take = start = 0
    for index, shot in enumerate(screenplay.shots):
        beats, cameras, remarks = read_command(screenplay, index)
        frames, short = frames_of(screenplay, index, fps)
        found += [*remarks, *short]
        take += index == 0 or shot.cut
        name = shot.character or ""
        blended = dissolve_frames(screenplay, index, fps) if index else 0
        start -= blended
        rows.append(
            ListedShot(
                take=take,
                id=shot.id,
                character=name,
                command=shot.command,
                understood=reading(beats),
                camera=cameras_in_words(cameras, fps),
                place=shot.anchor or (GOES_ON if name in seen else ORIGIN),
                start=start,
                frames=frames,
                fps=fps,
                fade_frames=_fade(shot, fps),
                dissolve_frames=blended,
            )
        )
        seen.add(name)
        start += frames
    if any(problem.severity == "error" for problem in found):
        raise AnixError(found)
    return tuple(rows), tuple(found)


def _fade(shot: ShotSpec, fps: Fraction) -> int:
    fades = shot.transition is not None and shot.transition.kind == "fade"
    return shot.transition.length.frames(fps) if shot.transition and fades else 0


def cameras_in_words(cameras: Iterable[CameraSpec], fps: Fraction) -> str:
    """Moves with their parameters: "follow for 2 s, then orbit 90° left, wide, 24 mm"."""
    return ", then ".join(_camera(camera, fps) for camera in cameras)


def _camera(camera: CameraSpec, fps: Fraction) -> str:
    head = camera.move.replace("_", " ")
    if camera.degrees is not None:
        head += f" {camera.degrees:g}°"
    if camera.direction is not None:
        head += f" {camera.direction}"
    if camera.metres is not None:
        head += f" {camera.metres:g} m"
    if camera.up_m is not None:
        head += f" {'up' if camera.up_m >= 0 else 'down'} {abs(camera.up_m):g} m"
    if camera.times is not None:
        head += f" {camera.times:g} times"
    if camera.to_lens_mm is not None:
        head += f" to {camera.to_lens_mm:g} mm"
    if camera.keys:
        head += f" through {len(camera.keys)} keys"
    if camera.path is not None:
        head += f" of {camera.path.name}"
    if camera.placement is not None:
        head += f" {'at' if camera.move == 'stationary' else 'from'} {camera.placement}"
    if camera.length is not None:
        head += f" for {float(camera.length.seconds(fps)):g} s"
    look, focus = camera.look_at, camera.focus
    told = [head, (camera.side or "").replace("_", " "), camera.frame or ""]
    told += [f"looking at {_thing(look)}" if look is not None else ""]
    told += [
        f"{number:g} {unit}"
        for number, unit in (
            (camera.distance_m, "m away"),
            (camera.height_m, "m high"),
            (camera.lens_mm, "mm"),
            (camera.fov_y_deg, "° tall"),
            (camera.headroom, "headroom"),
            (camera.lead_room, "lead room"),
        )
        if number is not None
    ]
    told += [f"focused on {_thing(focus)}" if focus is not None else ""]
    told += [f"f/{camera.f_number:g}" if camera.f_number is not None else ""]
    told += [f"handheld {camera.handheld:g}" if camera.handheld and camera.move != "handheld" else ""]
    told += [f"ease {camera.ease}" if camera.ease not in {None, "both"} else ""]
    return ", ".join(word for word in told if word).replace(" ° ", "° ")


def _thing(written: str | float | tuple[float, ...]) -> str:
    if isinstance(written, tuple):
        return f"[{', '.join(f'{value:g}' for value in written)}]"
    return written if isinstance(written, str) else f"{written:g} m"
