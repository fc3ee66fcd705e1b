"""Words → a BVH file, by a motion model that is asked for by name; along a planned shot's way, if told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import fail
from ..core.plan import Plan
from ..model.motion import JOINTS, MotionRequest, Way, motion_model
from ..store.atomic import check_writable, destination, writing


@dataclass(frozen=True)
class Written:
    """The file, and how long its motion is."""

    file: Path
    frames: int
    seconds: float


def write_motion(
    text: str,
    output: Path,
    *,
    model: str,
    seconds: float | None = None,
    seed: int = 0,
    way: Way | None = None,
    steps: int | None = None,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Has a model make a motion.

    Args:
        seconds: None: as long as the way, else four.

    Raises:
        AnixError: E367, there is no such model; E368, it makes none that long; E357, something lies at
            ``output``; E412, it cannot be written; E471 … E479, what it needs is not here.
    """
    from ..character.motions.write import bvh_of

    found = motion_model(model)
    length = seconds or (4.0 if way is None else (len(way.yaw_rad) - 1) / way.fps)
    if length > found.longest_s:
        told = f"{model} makes motions of {found.longest_s:g} s at most, and {length:g} s are asked for"
        raise fail("E368", told, hint="Ask for less, or split the shot.")
    if not overwrite and destination(output).exists():
        hint = "Name another output, or pass --overwrite to replace it."
        raise fail("E357", f"{output} exists already", file=output, hint=hint)
    check_writable(output)
    request = MotionRequest(text, length, seed, way, steps=steps)
    made = found.generate(request, progress or (lambda done, total: None))
    with writing(output) as partial:
        partial.write_text(bvh_of(JOINTS, made.joints, made.fps), encoding="utf-8")
    return Written(output, len(made.joints), (len(made.joints) - 1) / made.fps)


def way_of(plan: Plan, shot_id: str, character: str | None = None) -> Way:
    """The way of a character through a planned shot; of the only one, where none is named.

    Raises:
        AnixError: E369, the plan has no such shot, or nobody of that name is in it.
    """
    shots = {shot.id: shot for shot in plan.shots()}
    if shot_id not in shots:
        raise fail("E369", f"the plan has no shot {shot_id}; it has {', '.join(shots)}")
    subjects = {subject.character: subject for subject in shots[shot_id].subjects}
    name = character or next(iter(subjects), "")
    if name not in subjects:
        raise fail("E369", f"{name or 'nobody'} is not in the shot {shot_id}; in it: {', '.join(subjects)}")
    own = subjects[name]
    return Way(own.root[:, [0, 2]], own.yaw_rad, float(plan.fps))
