"""What a backend can do, as data that can be looked at without loading the backend's libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

OptionValue = bool | int | float | str


@dataclass(frozen=True)
class Option:
    """One setting that a screenplay may give a backend.

    Attributes:
        kind: "integer" values are "number" values, too.
        choices: the only texts that are allowed; empty for any.
        minimum, maximum: of a number; None is open.
    """

    kind: Literal["boolean", "integer", "number", "string"]
    default: OptionValue
    description: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    @property
    def expected(self) -> str:
        """What it takes, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        words = {"boolean": "true or false", "integer": "a whole number", "string": "text"}
        noun = words.get(self.kind, "a number")
        if self.minimum is not None and self.maximum is not None:
            return f"{noun} from {self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f"{noun} of at least {self.minimum:g}"
        return f"{noun} of at most {self.maximum:g}" if self.maximum is not None else noun

    def takes(self, value: OptionValue) -> bool:
        """Whether a value is one that it can have."""
        if self.kind == "boolean" or isinstance(value, bool):
            return self.kind == "boolean" and isinstance(value, bool)
        if self.kind == "string" or isinstance(value, str):
            return self.kind == "string" and isinstance(value, str) and value in (self.choices or (value,))
        whole = self.kind == "number" or float(value).is_integer()
        low = self.minimum is None or value >= self.minimum
        return whole and low and (self.maximum is None or value <= self.maximum)


@dataclass(frozen=True)
class Capabilities:
    """What a backend can take and which sizes and lengths it works in.

    Attributes:
        uses: which of prompt, guide, depth, anchor, tail, views, blocking, scene, memory it looks at.
        beats_per_clip: 1 where one call can hold one action only, None for any number.
        max_frames: most frames of one call, tail included.
        frame_step: a call's frame count is ``frame_step · n + 1``; 1 for any count.
        size_multiple: width and height are multiples of this.
        sizes: the only (width, height) that it makes; () for any.
        fps: native rate, None for any.
        tail: frames of the clip before that it wants.
        max_views: most identity pictures it takes in one call.
        licence: of its weights, "" if it has none.
        weights: repository and revision of its weights, "" if it has none.
        version: part of every clip's key; changes when its pixels do.
        options: the settings that a screenplay may give it, by name.
        prompt_tokens: how many tokens of a prompt its text encoder reads, None where there is no limit.
        tokenizers: names of weights, each with that encoder's tokenizer.
        cannot: what of a plan does not reach it, each a noun with what follows it; users are told.
        drifts: its colours wander from the guide's, so that they are locked to it after each clip.
        max_new: most new frames of one call; None for as many as fit beside the tail.
        digests: of options whose values name files of this machine: value → digest of what the file holds,
            which becomes part of the key of clips that ask for it.
        needs_rig: it moves characters by their joints, and can't make one whose body has none.
    """

    uses: frozenset[str]
    version: str
    max_frames: int
    tail: int
    beats_per_clip: int | None = None
    frame_step: int = 1
    size_multiple: int = 2
    sizes: tuple[tuple[int, int], ...] = ()
    fps: Fraction | None = None
    max_views: int = 4
    licence: str = ""
    weights: str = ""
    options: Mapping[str, Option] = field(default_factory=dict)
    prompt_tokens: int | None = None
    tokenizers: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()
    drifts: bool = False
    max_new: int | None = None
    digests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    needs_rig: bool = False
