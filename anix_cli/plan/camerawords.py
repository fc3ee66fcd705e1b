"""What is told of a shot's camera in words: its framing and its moves, as film people say them."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.plan import Beat
from ..core.screenplay import CameraSpec

_FRAMES = {"wide": "a wide shot", "full": "a full shot", "medium": "a medium shot", "close": "a close-up"}
_SIDES = {
    "behind": "from behind", "front": "from the front", "left": "from the left side",
    "right": "from the right side", "over_the_shoulder": "over the shoulder",
}  # fmt: skip
_WAYS = {"left": "to the left", "right": "to the right"}
_PLAIN = {
    ("stationary", False): "the camera stands still",
    ("handheld", False): "the camera is held in the hand",
    ("rack_focus", False): "the focus shifts",
    ("dolly_zoom", False): "a dolly zoom",
    ("tilt", False): "the camera tilts up",
    ("tilt", True): "the camera tilts down",
    ("crane", False): "the camera rises",
    ("crane", True): "the camera sinks",
    ("pedestal", False): "the camera rises",
    ("pedestal", True): "the camera sinks",
    ("dolly", False): "the camera moves closer",
    ("dolly", True): "the camera moves away",
    ("zoom", False): "the lens zooms in",
    ("zoom", True): "the lens zooms out",
}
"""By move, and whether it goes down, out or away."""
_TURNING = {
    "orbit": "circles around", "pan": "pans", "whip": "whips", "truck": "moves sideways", "roll": "rolls",
}  # fmt: skip


def camera_words(cameras: Sequence[CameraSpec], beats: Sequence[Beat]) -> str:
    """A clause; "" where the command itself speaks of the camera.

    Args:
        cameras: the moves as they are decided; beats: as read from the command.
    """
    if any(beat.category == "camera" for beat in beats):
        return ""
    moves = [_move(spec) for spec in cameras]
    told = ", then ".join(move for at, move in enumerate(moves) if move not in moves[at - 1 : at])
    framed = _FRAMES.get(cameras[0].frame or "", "") if cameras else ""
    return ", ".join(part for part in (framed, told) if part)


def _move(spec: CameraSpec) -> str:
    shaken = ", held in the hand" if spec.handheld and spec.move != "handheld" else ""
    return f"{_steady(spec)}{shaken}"


def _steady(spec: CameraSpec) -> str:
    move, way = spec.move, spec.direction or ""
    if move in _TURNING:
        return f"the camera {_TURNING[move]} {_WAYS.get(way, way)}".rstrip()
    if move == "follow":
        return f"the camera follows {_SIDES.get(spec.side or '', '')}".rstrip()
    return _PLAIN.get((move, _backward(spec))) or _PLAIN.get((move, False), "the camera moves")


def _backward(spec: CameraSpec) -> bool:
    """Whether a move that has two ways goes the other one: down, out, away."""
    amount = {"crane": spec.up_m, "pedestal": spec.up_m, "dolly": spec.metres}.get(spec.move)
    smaller = spec.move == "zoom" and spec.times is not None and spec.times < 1
    return spec.direction in ("down", "out") or (amount is not None and amount < 0) or smaller
