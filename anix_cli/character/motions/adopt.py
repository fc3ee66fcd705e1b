"""A character's motions as clips of its own figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.screenplay import MotionSpec

from ..models.figure import Figure
from ..models.model import Channel, Clip, Rhythm
from ..models.pose import worlds
from ..models.repertoire import IDLE, RUN, WALK
from ..models.roles import SIDES, has_limbs
from .cycle import closed, gait_round
from .kinds import GAIT, kind_of_motion
from .performer import Performance, perform
from .read import Motion, read_motion
from .retarget import retarget

_TRAVELS = 0.75
"""Legs that a gesture may go from where it begins; one that goes further is kept in its place."""
_SLOW_S = 1.5
_IN_PLACE = 0.3


@dataclass(frozen=True)
class Understood:
    """A motion before any body is known that is to show it.

    Attributes:
        kind: see :func:`.kinds.kind_of_motion`.
        whole: whether ``shown`` is all of the clip and stays in its place, so that a figure with the same
            bones may take the clip as it is.
        rhythm: of a walk or run.
        facts: what was read, for people and programs. notes: what is odd.
    """

    name: str
    kind: str
    motion: Motion
    shown: Performance
    whole: bool
    rhythm: Rhythm | None
    facts: Mapping[str, Any]
    notes: tuple[Diagnostic, ...]


def understand(motions: Mapping[str, MotionSpec]) -> tuple[Understood, ...]:
    """Reads all motions of a character.

    Raises:
        AnixError: E361 … E366, all that cannot be used.
    """
    found, problems = [], list[Diagnostic]()
    for name, spec in motions.items():
        try:
            found.append(_understood(name, spec))
        except AnixError as error:
            problems += error.diagnostics
    if problems:
        raise AnixError(problems)
    return tuple(found)


def adopt(
    figure: Figure, motions: Mapping[str, MotionSpec]
) -> tuple[Mapping[str, Clip], tuple[Understood, ...]]:
    """All motions of a character as clips of its figure, by their names; and what they are.

    Raises:
        AnixError: E361 … E366, all that cannot be used.
    """
    known = understand(motions)
    if known and not has_limbs(figure.roles):
        text = "the motions have nothing to move: no arms or legs of this character are known"
        hint = "Give it a rig with named bones, or leave its motions out."
        raise AnixError(Diagnostic("E366", text, file=figure.model.path, hint=hint))
    return {each.name: _on(figure, each) for each in known}, known


def _on(figure: Figure, known: Understood) -> Clip:
    own = _carried(figure, known.motion, known.name) if known.whole else None
    firm = known.kind == "" and known.shown.feet is not None
    return replace(own or retarget(figure, known.shown, known.name, firm=firm), rhythm=known.rhythm)


def _understood(name: str, spec: MotionSpec) -> Understood:
    motion = read_motion(spec)
    shown, kind = perform(motion), kind_of_motion(name)
    matched = sorted(shown.turns)
    notes: list[Diagnostic] = []
    whole, rhythm = _in_place(shown), None
    if kind in (WALK, RUN, GAIT):
        all_s = shown.duration_s
        shown, rhythm = _gait(motion, name, shown, notes)
        whole = whole and abs(shown.duration_s - all_s) < 0.05 * all_s
    elif kind == IDLE:
        shown = closed(shown)
    else:
        shown = _kept(motion, name, shown, notes)
    facts = _facts(motion, shown, matched, kind)
    return Understood(name, kind, motion, shown, whole, rhythm, facts, tuple(notes))


def _gait(
    motion: Motion, name: str, shown: Performance, notes: list[Diagnostic]
) -> tuple[Performance, Rhythm | None]:
    found = gait_round(shown)
    if found is None:
        text = f"no two steps of the motion {name} ({motion.path.name}) end as they begin; all of it is used"
        hint = "Name the part that goes evenly: start and end, in seconds."
        notes.append(Diagnostic("W361", text, file=motion.path, hint=hint))
    return found or (closed(shown), None)


def _in_place(shown: Performance) -> bool:
    return float(np.linalg.norm(np.ptp(shown.hips[:, [0, 2]], axis=0))) < _IN_PLACE and shown.by_rest


def _kept(motion: Motion, name: str, shown: Performance, notes: list[Diagnostic]) -> Performance:
    """A gesture that does not leave its place: blocking alone moves a character about."""
    way = shown.hips[:, [0, 2]] - shown.hips[0, [0, 2]]
    far = float(np.linalg.norm(way, axis=1).max())
    if far <= _TRAVELS:
        return shown
    step = float(shown.times_s[1] - shown.times_s[0])
    half = max(1, round(0.5 * _SLOW_S / step))
    padded = np.pad(shown.hips, ((half, half), (0, 0)), mode="reflect", reflect_type="odd")
    sums = np.cumsum(np.concatenate([np.zeros((1, 3)), padded]), axis=0)
    slow = (sums[2 * half + 1 :] - sums[: -2 * half - 1]) / (2 * half + 1)
    slow[:, 1] = 0
    slow -= slow[0]
    text = (f"the motion {name} ({motion.path.name}) goes {far * shown.leg_m:.1f} m about; it is kept in its "
            "place, so that feet may slide")  # fmt: skip
    hint = "Let the command say where the character goes, or name a part that stays."
    notes.append(Diagnostic("W362", text, file=motion.path, hint=hint))
    return replace(shown, hips=shown.hips - slow, feet=None)


def _carried(figure: Figure, motion: Motion, name: str) -> Clip | None:
    """The clip as it is, for a figure with the same bones: those of a family of models often are."""
    source, nodes = motion.nodes, figure.model.nodes
    theirs = {each: index for index, each in enumerate(source.names)}
    if len(theirs) < len(source.names):
        return None
    known = set(figure.roles.values())
    size = _leg(figure, nodes, figure.roles) / max(_leg(figure, source, motion.roles), 1e-12)
    alike = {}
    leg = _leg(figure, nodes, figure.roles)
    for node, own in enumerate(nodes.names):
        other = theirs.get(own)
        same = (
            other is not None and node not in nodes.fixed and other not in source.fixed
            and abs(float(nodes.rest.turn[node] @ source.rest.turn[other])) > 0.9999
            and float(np.abs(nodes.rest.shift[node] - size * source.rest.shift[other]).max()) < 0.03 * leg
            and np.allclose(nodes.rest.size[node], source.rest.size[other], rtol=1e-3)
        )  # fmt: skip
        if same and other is not None:
            alike[other] = node
        elif node in known:
            return None
    channels = []
    for channel in motion.clip.channels:
        node = alike.get(channel.node, -1)
        if node < 0 or channel.path == "weights":
            continue
        values = channel.values
        if channel.path == "translation" and channel.interpolation != "CUBICSPLINE":
            values = nodes.rest.shift[node] + size * (values - source.rest.shift[channel.node])
        elif channel.path == "translation":
            return None
        channels.append(Channel(node, channel.path, channel.times_s, values, channel.interpolation))
    return replace(motion.clip, name=name, channels=tuple(channels)) if channels else None


def _leg(figure: Figure, nodes: Any, roles: Mapping[str, int]) -> float:
    """The length of a leg in the file's own unit; of the whole body where it has none."""
    at = worlds(nodes, nodes.rest)[:, :3, 3]
    lengths = [
        float(np.linalg.norm(np.diff(at[chain], axis=0), axis=1).sum())
        for side in SIDES
        if len(chain := [roles[f"{side}_{part}"] for part in ("upper_leg", "lower_leg", "foot")
                         if f"{side}_{part}" in roles]) > 1
    ]  # fmt: skip
    return float(np.mean(lengths)) if lengths else float(np.ptp(at[:, 1]))


def _facts(motion: Motion, shown: Performance, shared: list[str], kind: str) -> dict[str, Any]:
    return {
        "file": str(motion.path),
        "clip": motion.clip.name,
        "seconds": round(shown.duration_s, 3),
        "kind": kind or "gesture",
        "unit": "metres" if motion.metric else shown.unit,
        "leg_m": round(shown.leg_m, 3),
        "stance": "rest" if shown.by_rest else "clip",
        "matched": shared,
    }
