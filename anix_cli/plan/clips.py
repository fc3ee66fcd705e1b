"""Clips: how a shot is cut into calls of the generator, and the keys that say when two calls are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..core.clip import Capabilities
from ..core.guide import GUIDE_VERSION
from ..core.keys import clip_seed, fingerprint
from ..core.plan import Beat, PlannedCharacter, PlannedClip, PlannedShot, ScenePlacement

NEGATIVE = ""


@dataclass(frozen=True)
class Recipe:
    """What all clips of a film share."""

    backend: str
    capabilities: Capabilities
    options: Mapping[str, Any]
    size_px: tuple[int, int]
    fps: Fraction
    seed: int
    cast: tuple[PlannedCharacter, ...]


@dataclass(frozen=True)
class Span:
    """Frames of a shot for one call: ``generated`` are asked for, ``frames`` are kept."""

    start: int
    frames: int
    generated: int
    tail: int


def spans_of(
    frames: int, beats: Sequence[Beat], capabilities: Capabilities, before: int | None
) -> tuple[Span, ...]:
    """Cuts a shot into balanced calls.

    A call's frame count, tail included, is ``frame_step · n + 1`` and at most ``max_frames``; what the grid
    adds is made at the end and trimmed, so that written durations hold. With ``beats_per_clip`` 1, calls also
    end where beats do.

    Args:
        before: frames of the clip before in the take, None at its start.
    """
    step = capabilities.frame_step
    longest = (capabilities.max_frames - 1) // step * step + 1
    if longest <= capabilities.tail:
        raise ValueError("a backend's max_frames must hold its tail and one more frame")
    edges = [0, frames]
    if capabilities.beats_per_clip == 1:
        edges = sorted({0, frames, *(beat.start for beat in beats if 0 < beat.start < frames)})
    spans: list[Span] = []
    for start, stop in pairwise(edges):
        tail = min(capabilities.tail, before) if before is not None else 0
        for size in _balanced(stop - start, longest - tail, longest - capabilities.tail):
            tail = min(capabilities.tail, before) if before is not None else 0
            asked = -(-(tail + size - 1) // step) * step + 1 - tail
            begin = spans[-1].start + spans[-1].frames if spans else 0
            spans.append(Span(begin, size, asked, tail))
            before = size
    return tuple(spans)


def _balanced(frames: int, first: int, rest: int) -> list[int]:
    """Sizes that differ by one at most, longer ones first; the first may be ``first``, others ``rest``."""
    count = 1 if frames <= first else max(2, -(-frames // rest))
    each, more = divmod(frames, count)
    return [each + (index < more) for index in range(count)]


def guide_key(shot: PlannedShot, scene: ScenePlacement, size_px: tuple[int, int], fps: Fraction) -> str:
    """What a guide's pixels depend on: the scene as placed, the cameras, the boxes of its mask."""
    return fingerprint({
        "guide": GUIDE_VERSION,
        "scene": scene.key,
        "size": size_px,
        "fps": fps,
        "world_from_camera": shot.world_from_camera,
        "intrinsics": shot.intrinsics,
        "boxes": [(subject.box_px, subject.visible) for subject in shot.subjects],
    })  # fmt: skip


def plan_clips(
    shot: PlannedShot, spans: Sequence[Span], recipe: Recipe, prompt: str, before: str | None
) -> tuple[PlannedClip, ...]:
    """The shot's clips with seeds and keys. ``before``: recipe key of the clip before in the take."""
    cast = {member.name: member for member in recipe.cast}
    clips: list[PlannedClip] = []
    for index, span in enumerate(spans):
        cut = slice(span.start, span.start + span.frames)
        seed = clip_seed(recipe.seed, shot.id, index)
        parts = {
            "guide": shot.guide_key,
            "cast": fingerprint([
                (cast[subject.character].key, cast[subject.character].height_m,
                 cast[subject.character].description)
                for subject in shot.subjects
            ]),
            "blocking": fingerprint([subject.frames(cut.start, cut.stop) for subject in shot.subjects]),
            "cameras": fingerprint([shot.world_from_camera[cut], shot.intrinsics[cut]]),
            "frames": fingerprint([span.start, span.frames, span.generated, span.tail]),
            "picture": fingerprint([recipe.size_px, recipe.fps]),
            "prompt": fingerprint([prompt, NEGATIVE]),
            "seed": fingerprint(seed),
            "options": fingerprint(recipe.options),
            "backend": fingerprint(
                [recipe.backend, recipe.capabilities.version, recipe.capabilities.weights]
            ),
        }  # fmt: skip
        if before is not None:
            parts["before"] = before
        before = fingerprint(parts)
        clips.append(
            PlannedClip(
                shot_id=shot.id,
                index=index,
                start=span.start,
                frames=span.frames,
                generated=span.generated,
                tail=span.tail,
                seed=seed,
                prompt=prompt,
                negative=NEGATIVE,
                recipe_key=before,
                parts=parts,
            )
        )
    return tuple(clips)
