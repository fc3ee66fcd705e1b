"""The bases, and how each is sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Base:
    """One base.

    Attributes:
        name: as the option ``base`` takes it.
        kind: "hunyuan" or "wan": which transformer.
        weights: row of the registry of weights.
        transformer_gib: of its transformer in bfloat16, as counted from its shapes.
        text_gib: of its text encoders.
        tokens: of a prompt that reach the text encoder.
        projector: whether its weights hold one, so that it obeys scene and masks without an adapter.
        steps, guidance, shift: of its teacher, where the adapter says nothing else.
    """

    name: str
    kind: str
    weights: str
    transformer_gib: float
    text_gib: float
    tokens: int
    projector: bool
    steps: int
    guidance: float
    shift: float
    experts: int = 1

    @property
    def title(self) -> str:
        """As messages name it."""
        return f"anix ({self.name})"

    @property
    def smaller(self) -> str:
        """What can be done for want of memory."""
        return "" if self.name == "wan-1.3b" else "take the option base: wan-1.3b"


BASES: Mapping[str, Base] = {
    base.name: base
    for base in (
        Base("hunyuancustom", "hunyuan", "hunyuancustom-editing", 23.9, 15.2, 256, True, 50, 7.5, 5.0),
        Base("hunyuan", "hunyuan", "hunyuan-video", 23.9, 15.2, 256, False, 50, 1.0, 7.0),
        Base("wan-14b", "wan", "wan2.1-t2v-14b", 26.6, 10.6, 512, False, 50, 5.0, 5.0),
        Base("wan-1.3b", "wan", "wan2.1-t2v-1.3b", 2.7, 10.6, 512, False, 50, 5.0, 5.0),
    )
}
PRESETS = ("draft", "standard", "final")
_SHARE = {"draft": 0.4, "standard": 0.6, "final": 1.0}
"""Of the base's steps: 20, 30 (the paper's) and 50."""
SHIFTS = ("both", "width")


@dataclass(frozen=True)
class Sampling:
    """How a clip is sampled.

    Attributes:
        sigmas: levels of a distilled student; None takes ``steps`` of Euler.
        guidance: classifier-free, over the words; 1 makes one pass a step instead of two.
        shift: of a teacher's noise levels.
    """

    steps: int
    guidance: float
    shift: float
    sigmas: tuple[float, ...] | None


def sampling(
    base: Base, options: Mapping[str, Any], sigmas: Sequence[float], guidance: float | None
) -> Sampling:
    """The preset's settings, with what the screenplay sets itself (0 leaves the preset's).

    Args:
        sigmas: that the adapter was distilled for, () for a teacher; they leave the preset no say.
        guidance: that the adapter is to be sampled with; None takes the base's.
    """
    preset = str(options.get("preset", "standard"))
    own = int(options.get("steps") or 0)
    few = tuple(sigmas) if sigmas and not own else None
    wanted = guidance if guidance is not None else base.guidance
    return Sampling(
        steps=len(few) if few else own or max(1, round(base.steps * _SHARE[preset])),
        guidance=float(options.get("guidance") or wanted),
        shift=float(options.get("flow_shift") or base.shift),
        sigmas=few,
    )
