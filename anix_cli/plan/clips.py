"""Clips: how a shot is cut into calls of the generator, and the keys that say when two calls are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from ..core.clip import Capabilities
from ..core.guide import GUIDE_VERSION
from ..core.keys import clip_seed, fingerprint
from ..core.plan import Beat, Plan, PlannedCharacter, PlannedClip, PlannedShot, ScenePlacement
from .recalling import Past, unknown


@dataclass(frozen=True)
class Recipe:
    """What all clips of a film share."""

    backend: str
    capabilities: Capabilities
    size_px: tuple[int, int]
    fps: Fraction
    cast: tuple[PlannedCharacter, ...]
    background_rgb: tuple[int, int, int] = (0, 0, 0)

    @cached_property
    def shared(self) -> Shared:
        """Worked out once: a film has thousands of clips."""
        return Shared.of(self.size_px, self.fps, self.background_rgb)

    @cached_property
    def backend_part(self) -> str:
        return backend_digest(self.backend, self.capabilities)


@dataclass(frozen=True)
class Shared:
    """Digests of what the plan says that changes the pixels of all its clips."""

    background: str
    picture: str

    @staticmethod
    def of(size_px: tuple[int, int], fps: Fraction, background_rgb: tuple[int, int, int]) -> Shared:
        return Shared(fingerprint(background_rgb), fingerprint([size_px, fps]))


@dataclass(frozen=True)
class Asked:
    """What the backend is asked for in all clips of a shot, beside its pictures.

    Attributes:
        pick: which candidate it is.
        prompts: by first frame, for clips that have one of their own.
        alone: by first frame and character, where a shot has several.
        memory: how many parts of earlier clips each is shown.
    """

    prompt: str
    negative: str
    seed: int
    options: Mapping[str, Any]
    pick: int = 0
    prompts: Mapping[int, str] = field(default_factory=dict)
    alone: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    memory: int = 0


@dataclass(frozen=True)
class Span:
    """Frames of a shot for one call: ``generated`` are asked for, ``frames`` are kept."""

    start: int
    frames: int
    generated: int
    tail: int


def with_digests(options: Mapping[str, Any], capabilities: Capabilities) -> dict[str, Any]:
    """A shot's options, with what is in the files that they name ("adapter" → "adapter_digest"), as far as
    they are on this machine."""
    held = {
        f"{name}_digest": digests[str(options[name])]
        for name, digests in capabilities.digests.items()
        if str(options.get(name, "")) in digests
    }
    return {**options, **held}


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
        first, rest = (_most_new(beside, longest, capabilities) for beside in (tail, capabilities.tail))
        for size in _balanced(stop - start, first, rest):
            tail = min(capabilities.tail, before) if before is not None else 0
            asked = -(-(tail + size - 1) // step) * step + 1 - tail
            begin = spans[-1].start + spans[-1].frames if spans else 0
            spans.append(Span(begin, size, asked, tail))
            before = size
    return tuple(spans)


def _most_new(tail: int, longest: int, capabilities: Capabilities) -> int:
    """New frames of a call beside so many of a tail, on the grid."""
    if capabilities.max_new is None:
        return longest - tail
    step = capabilities.frame_step
    return min(longest, (tail + capabilities.max_new - 1) // step * step + 1) - tail


def _balanced(frames: int, first: int, rest: int) -> list[int]:
    """Sizes that differ by one at most, longer ones first; the first may be ``first``, others ``rest``."""
    count = 1 if frames <= first else max(2, -(-frames // rest))
    each, more = divmod(frames, count)
    return [each + (index < more) for index in range(count)]


def guide_key(shot: PlannedShot, scene: ScenePlacement, size_px: tuple[int, int], fps: Fraction) -> str:
    """What a guide's pixels depend on: the placed scene and what is behind it, cameras, the mask's boxes."""
    return fingerprint({
        "guide": GUIDE_VERSION,
        "scene": [scene.key, scene.stage_from_file, scene.near_m, *([scene.crop_m] if scene.crop_m else [])],
        "background": scene.background_rgb,
        "size": size_px,
        "fps": fps,
        "world_from_camera": shot.world_from_camera,
        "intrinsics": shot.intrinsics,
        "boxes": [(subject.box_px, subject.visible) for subject in shot.subjects],
        **({"optics": shot.optics} if shot.optics is not None and shot.optics.blurs else {}),
    })  # fmt: skip


def plan_clips(
    shot: PlannedShot,
    spans: Sequence[Span],
    recipe: Recipe,
    asked: Asked,
    before: str | None,
    past: Past | None = None,
) -> tuple[PlannedClip, ...]:
    """The shot's clips with seeds and keys.

    Args:
        before: recipe key of the clip before in the take.
        past: what earlier clips saw, None where none is to be recalled.
    """
    clips: list[PlannedClip] = []
    for index, span in enumerate(spans):
        clip = PlannedClip(
            shot_id=shot.id,
            index=index,
            start=span.start,
            frames=span.frames,
            generated=span.generated,
            tail=span.tail,
            seed=clip_seed(asked.seed, shot.id, index, asked.pick),
            prompt=asked.prompts.get(span.start, asked.prompt),
            negative=asked.negative,
            recipe_key="",
            prompts=asked.alone.get(span.start, {}),
            options=asked.options,
        )
        if past is not None:
            clip = replace(clip, memory=past.recall(shot, clip, asked.memory, recipe.size_px))
        parts = parts_of(clip, shot, recipe.cast, recipe.shared)
        parts["backend"] = recipe.backend_part
        if before is not None:
            parts["before"] = before
        before = fingerprint(parts)
        clips.append(replace(clip, recipe_key=before, parts=parts))
    return tuple(clips)


def candidate_of(shot: PlannedShot, seed: int, candidate: int) -> PlannedShot:
    """The same shot as another candidate: other seeds, and keys that follow from them.

    Args:
        seed: of the shot, as the screenplay has it.
    """
    clips: list[PlannedClip] = []
    for clip in shot.clips:
        own = clip_seed(seed, shot.id, clip.index, candidate)
        parts = {**clip.parts, "seed": fingerprint(own)}
        if clips:
            parts["before"] = clips[-1].recipe_key
        clips.append(replace(clip, seed=own, recipe_key=fingerprint(parts), parts=parts, stale_because=None))
    return replace(shot, clips=tuple(clips))


def parts_of(
    clip: PlannedClip, shot: PlannedShot, cast: Sequence[PlannedCharacter], shared: Shared
) -> dict[str, str]:
    """Digests of what the plan itself says that changes a clip's pixels: all but its backend and the clip
    before. A character's key stands for its pictures and its height."""
    members = {member.name: member for member in cast}
    start, stop = clip.start, clip.start + clip.frames
    return {
        "guide": shot.guide_key,
        "background": shared.background,
        "cast": fingerprint([
            (members[subject.character].key, members[subject.character].description)
            for subject in shot.subjects
        ]),
        "blocking": fingerprint([subject.frames(start, stop) for subject in shot.subjects]),
        "cameras": fingerprint([shot.world_from_camera[start:stop], shot.intrinsics[start:stop]]),
        "frames": fingerprint([clip.start, clip.frames, clip.generated, clip.tail]),
        "picture": shared.picture,
        "prompt": fingerprint([clip.prompt, clip.negative, *([clip.prompts] if clip.prompts else [])]),
        "seed": fingerprint(clip.seed),
        "options": fingerprint(clip.options),
        **({"memory": fingerprint([vars(part) for part in clip.memory])} if clip.memory else {}),
    }  # fmt: skip


def backend_digest(name: str, capabilities: Capabilities) -> str:
    """What a clip's "backend" part is: by this a plan is known to be made for a backend as it is now."""
    return fingerprint([name, capabilities.version, capabilities.weights])


def changed_since(plan: Plan) -> str | None:
    """Id of the first shot whose keys do not follow from what the plan says; None where all do.

    A key promises pixels, so that a plan whose poses or prompts were edited must not be made under old keys.
    Whether the backend is the one that was planned for is seen by :func:`backend_digest`.
    """
    shared = Shared.of(plan.size_px, plan.fps, plan.scene.background_rgb)
    earlier: list[PlannedShot] = []
    for take in plan.takes:
        before: str | None = None
        for shot in take.shots:
            if guide_key(shot, plan.scene, plan.size_px, plan.fps) != shot.guide_key:
                return shot.id
            for clip in shot.clips:
                parts = parts_of(clip, shot, plan.cast, shared)
                parts["backend"] = clip.parts.get("backend", "")
                if before is not None:
                    parts["before"] = before
                if parts != clip.parts or fingerprint(parts) != clip.recipe_key or unknown(earlier, clip):
                    return shot.id
                before = clip.recipe_key
            earlier.append(shot)
    return None
