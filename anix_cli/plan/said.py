"""What a backend is told of a shot's command: all that happens, nothing that does not, and whose left it
is."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..core.plan import Beat
from ..core.screenplay import ShotSpec
from ..words import Reading, joined_phrases, spoken
from .roles import Roles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]

_SIDEWAYS = 0.35
"""Below this cosine between the character's left and the picture's right, neither side is said."""
_OTHER = {"left": "right", "right": "left"}
_PICTURE = {
    "stage_left": ("stage left", "right"), "stage_right": ("stage right", "left"),
    "downstage_left": ("downstage left", "right"), "downstage_right": ("downstage right", "left"),
    "upstage_left": ("upstage left", "right"), "upstage_right": ("upstage right", "left"),
    "camera_left": ("camera left", "left"), "camera_right": ("camera right", "right"),
    "screen_left": ("screen left", "left"), "screen_right": ("screen right", "right"),
}  # fmt: skip


def said_of(shot: ShotSpec, reading: Reading) -> str:
    """The command without what is not to happen, misspelt words corrected."""
    return spoken(shot.command, reading)


def said_at(reading: Reading, beats: Sequence[Beat], frame: int) -> str:
    """What happens at a frame of the shot, for backends that show one action in a clip.

    Args:
        beats: those of the reading, with their frames.
    """
    now = [
        index
        for index, beat in enumerate(beats)
        if beat.start <= frame < beat.start + beat.frames and index < len(reading.phrases)
    ]
    if not now:
        return ""
    return joined_phrases([reading.phrases[index] for index in now], [beats[index] for index in now])


def said_for(
    name: str,
    reading: Reading,
    beats: Sequence[Beat],
    roles: Roles,
    called: Collection[str],
    frame: int | None = None,
) -> tuple[str, list[Beat]]:
    """What one of several does, told of that one alone, and those beats; ("", []) where that is nothing.

    Args:
        beats: those of the reading, with their frames. roles: who does each.
        called: names and other words for all characters.
        frame: only what happens then; None: all.
    """
    own = [
        (_alone(phrase, name, called) if len(doing) > 1 else phrase, beat)
        for phrase, beat, doing in zip(reading.phrases, beats, roles, strict=False)
        if name in doing and (frame is None or beat.start <= frame < beat.start + beat.frames)
    ]
    shown = [beat for _, beat in own]
    return joined_phrases([phrase for phrase, _ in own], shown), shown


def _alone(phrase: str, name: str, called: Collection[str]) -> str:
    """“Mira and Ben walk” as “Ben walk”: where one is drawn, two are not told of."""
    words = sorted((one.replace("_", " ") for one in called), key=len, reverse=True)
    subject = "|".join(map(re.escape, (*words, "they", "both", "all", "and", "the")))
    rest = re.sub(rf"^(?:(?:{subject})\b[\s,]*)+", "", phrase, flags=re.IGNORECASE)
    return f"{name.replace('_', ' ')} {rest}" if rest else phrase


def sides_of(beats: Sequence[Beat], yaw_rad: F64, world_from_camera: F64) -> str:
    """Where the sides that are said lie in the picture: the character's own, and those of the stage.

    Args:
        beats: with their frames.
        yaw_rad: [F]; 0 faces +Z, positive turns to the character's own left.
        world_from_camera: [F, 4, 4], OpenCV axes.
    """
    notes: list[str] = []
    for beat in beats:
        if beat.direction in _PICTURE:
            name, side = _PICTURE[beat.direction]
            notes.append(f"{name} is the {side} of the picture")
        elif beat.category != "camera" and {beat.side, beat.direction} & set(_OTHER):
            own = beat.side if beat.side in _OTHER else beat.direction
            at = min(max(beat.start, 0), len(yaw_rad) - 1)
            shown = _shown(float(yaw_rad[at]), world_from_camera[at])
            if shown and own:
                side = shown if own == "left" else _OTHER[shown]
                notes.append(f"the character's own {own} is on the {side} of the picture")
    return ", then ".join(dict.fromkeys(notes))


def _shown(yaw_rad: float, pose: F64) -> str:
    """On which side of the picture the character's own left is; "" where it is nearer or further instead."""
    # The own left of a body that faces (sin yaw, 0, cos yaw) is (cos yaw, 0, -sin yaw).
    cosine = math.cos(yaw_rad) * float(pose[0, 0]) - math.sin(yaw_rad) * float(pose[2, 0])
    if abs(cosine) < _SIDEWAYS:
        return ""
    return "right" if cosine > 0 else "left"
