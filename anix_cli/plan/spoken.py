"""Which camera a shot gets: what ``camera:`` says, what the command says of the camera, or the "
"paper's rule."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction

from ..core.plan import Beat
from ..core.screenplay import CameraSpec
from ..core.time import Duration
from ..words.lexicon import speed_of
from .trouble import Trouble

LEFT_RIGHT, AROUND = frozenset({"left", "right"}), frozenset({"clockwise", "counterclockwise"})
WAYS: dict[str, frozenset[str]] = {
    "follow": frozenset(),
    "stationary": frozenset(),
    "handheld": frozenset(),
    "rack_focus": frozenset(),
    "orbit": LEFT_RIGHT | AROUND | {"around"},
    "pan": LEFT_RIGHT | AROUND | {"around"},
    "whip": LEFT_RIGHT | AROUND | {"around"},
    "roll": LEFT_RIGHT | AROUND,
    "truck": LEFT_RIGHT,
    "tilt": frozenset({"up", "down"}),
    "crane": frozenset({"up", "down"}),
    "pedestal": frozenset({"up", "down"}),
    "dolly": frozenset({"in", "out"}),
    "zoom": frozenset({"in", "out"}),
    "dolly_zoom": frozenset({"in", "out"}),
}
"""The moves, with the ways in which each can go."""
_SAME = {"forward": "in", "backward": "out", "back": "out", "toward": "in", "away": "out"}
_INSTEAD = {
    ("pan", "up"): ("tilt", "up"),
    ("pan", "down"): ("tilt", "down"),
    ("tilt", "left"): ("pan", "left"),
    ("tilt", "right"): ("pan", "right"),
    ("dolly", "left"): ("truck", "left"),
    ("dolly", "right"): ("truck", "right"),
    ("truck", "in"): ("dolly", "in"),
    ("truck", "out"): ("dolly", "out"),
    ("dolly", "up"): ("pedestal", "up"),
    ("dolly", "down"): ("pedestal", "down"),
}
"""What is meant by a move that cannot go the way that is said."""
_SIDES = {
    "over the shoulder": "over_the_shoulder", "shoulder": "over_the_shoulder", "behind": "behind",
    "front": "front", "side": "left", "left": "left", "right": "right",
}  # fmt: skip
_METRES = {"m": 1.0, "steps": 0.75}
_DEGREES = {"deg": 1.0, "turns": 360.0, "times": 360.0}


def cameras_of(
    beats: Sequence[Beat], specs: Sequence[CameraSpec], named: Collection[str]
) -> tuple[tuple[CameraSpec, ...], tuple[Trouble, str] | None]:
    """The moves of a shot decided. "auto" is the paper's rule: locomotion → follow, gesture or object →
    stationary, camera words in the command → that move. Who turns or jumps on the spot goes nowhere, and
    would be seen from behind by a camera that follows.

    Args:
        named: the anchors and characters, which a camera can look at.

    Returns:
        The moves; and what is wrong (E203, E204) with the words concerned.
    """
    told = [_meant(beat) for beat in beats if beat.category == "camera"]
    auto = "follow" if any(_goes(beat) for beat in beats) else "stationary"
    chosen = tuple(replace(spec, move=auto) if spec.move == "auto" else spec for spec in specs)
    for beat in told:
        if beat.action not in WAYS or (beat.direction or "") not in {"", *WAYS[beat.action]}:
            return chosen, (_cannot(beat), _name(beat))
    if not told:
        return chosen, None
    told, carried = _after_each_other(told)
    if (clash := _clash(_at_once(beats), told, specs)) is not None:
        return chosen, (clash, "")
    parts = [
        _with_words(_part(specs[0], beat, index, len(told)), beat, named) for index, beat in enumerate(told)
    ]
    if carried:
        parts = [replace(part, handheld=1.0) if part.handheld is None else part for part in parts]
    return tuple(parts), None


def _goes(beat: Beat) -> bool:
    """Whether a beat takes the character anywhere."""
    return beat.category == "locomotion" and speed_of(beat.action) > 0


def _after_each_other(told: Sequence[Beat]) -> tuple[list[Beat], bool]:
    """The moves one after the other, the same one said twice only once; and whether the camera is carried in
    the hand meanwhile, which is no move of its own beside others."""
    moves: list[Beat] = []
    for beat in told:
        if not moves or replace(beat, span=moves[-1].span, sync=moves[-1].sync) != moves[-1]:
            moves.append(beat)
    others = [beat for beat in moves if beat.action != "handheld"]
    return (others or moves[:1]), bool(others) and len(others) < len(moves)


def _at_once(beats: Sequence[Beat]) -> list[str]:
    """The first moves that are said to happen together; the shake of a hand goes with any."""
    together: list[str] = []
    for beat in beats:
        if not beat.sync:
            together = []
        if beat.category == "camera" and beat.action not in {"handheld", *together}:
            together.append(beat.action)
        if len(together) > 1:
            return together
    return []


def _part(spec: CameraSpec, beat: Beat, index: int, count: int) -> CameraSpec:
    """What ``camera:`` says, for one of the moves of the command; it lasts as long as the command says."""
    if count == 1:
        return replace(spec, move=beat.action)
    seconds = beat.amount.value if beat.amount is not None and beat.amount.unit == "s" else None
    length = None if seconds is None else Duration(Fraction(seconds).limit_denominator(1000))
    return replace(spec, move=beat.action, length=length, placement=None if index else spec.placement)


def _meant(beat: Beat) -> Beat:
    """The beat by the name of a move, and its way as that move has it."""
    way = beat.direction
    action, way = _INSTEAD.get((beat.action, way or ""), (beat.action, way))
    ways = WAYS.get(action, frozenset())
    if way is not None and way not in ways and _SAME.get(way) in ways:
        way = _SAME[way]
    if way == "toward" or (way is not None and not ways and beat.action != "follow"):
        way = None
    return replace(beat, action=action, direction=way if action != "follow" else None)


def _cannot(beat: Beat) -> Trouble:
    ways = WAYS.get(beat.action)
    if ways is None:
        hint = "Say dolly, truck, crane, orbit or pan; or give keys: under camera:."
        return Trouble("E203", f"The camera cannot “{_name(beat)}”: that is no move with a known way.", hint)
    hint = f"Say one of: {', '.join(f'{beat.action} {way}' for way in sorted(ways)) or beat.action}."
    return Trouble("E203", f"The camera cannot “{_name(beat)}”.", hint.replace("_", " "))


def _clash(together: Sequence[str], told: Sequence[Beat], specs: Sequence[CameraSpec]) -> Trouble | None:
    """What the command says about the camera against what ``camera:`` says, and what to do about it."""
    if together:
        hint = "Say them one after the other with “then”, or split the shot where the camera changes."
        return Trouble("E204", f"The camera cannot {' and '.join(together)} at once.", hint)
    moves = [beat.action for beat in told]
    said = ", then ".join(moves)
    if len(specs) > 1:
        text = f"The command says {said}, but camera: lists its moves."
        return Trouble("E204", text, "Say it in one place only.")
    if specs[0].move != "auto" and moves != [specs[0].move]:
        says = specs[0].placement or specs[0].move
        text = f"The command says {said}, but camera: says {says}."
        return Trouble("E204", text, "Say it in one place only.")
    return None


def _name(beat: Beat) -> str:
    return f"{beat.action} {beat.direction}" if beat.direction else beat.action


def _with_words(spec: CameraSpec, beat: Beat, named: Collection[str]) -> CameraSpec:
    """What the command says about the move, where ``camera:`` does not."""
    move, way, amount = spec.move, beat.direction, beat.amount
    said: dict[str, object] = {"direction": None if way == "around" else way}
    unit, value = ("", 0.0) if amount is None else (amount.unit, amount.value)
    if move in {"orbit", "pan", "tilt", "roll", "whip"} and unit in _DEGREES:
        said["degrees"] = value * _DEGREES[unit]
    elif way == "around":
        said["degrees"] = 360.0
    if move in {"dolly", "truck", "dolly_zoom"} and unit in _METRES and spec.to_lens_mm is None:
        said["metres"] = value * _METRES[unit]
    if move in {"crane", "pedestal"} and unit in _METRES:
        said["up_m"] = value * _METRES[unit]
    if move in {"zoom", "dolly_zoom"} and unit == "times" and value > 1 and spec.to_lens_mm is None:
        said["times"] = value
    if move == "handheld":
        said["handheld"] = 1.0
    thing = next((word for word in (beat.target, beat.object) if word in named), None)
    if thing is not None:
        said["focus" if move == "rack_focus" else "look_at"] = thing
    side = _SIDES.get(beat.target or "") or _SIDES.get(beat.side or "")
    if move == "follow" and side is not None:
        said["side"] = side
    kept = {key: value for key, value in said.items() if value is not None and getattr(spec, key) is None}
    return replace(spec, **kept)  # type: ignore[arg-type]
