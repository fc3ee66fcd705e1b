"""The models of the family, and how each is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class VaceModel:
    """One model.

    Attributes:
        name: as the option ``model`` takes it.
        weights: row of the registry of weights; lora: that of its four-step LoRA, None if it has none.
        transformer_gib: of its transformers in bfloat16, as counted from their shapes.
        experts: transformers of which one at a time is at work.
    """

    name: str
    weights: str
    transformer_gib: float
    lora: str | None = None
    experts: int = 1
    text_gib: float = 10.6  # UMT5-XXL's encoder in bfloat16: 11.36 GB of files

    @property
    def title(self) -> str:
        """As messages name it."""
        return f"wan-vace ({self.name})"

    @property
    def smaller(self) -> str:
        """What can be done for want of memory."""
        return "" if self.name == "1.3b" else "take the option model: 1.3b"


MODELS: Mapping[str, VaceModel] = {
    model.name: model
    for model in (
        VaceModel("1.3b", "wan2.1-vace-1.3b", 4.0),
        VaceModel("14b", "wan2.1-vace-14b", 32.3, lora="wan2.1-distill-lora"),
        VaceModel("2.2-fun", "wan2.2-vace-fun", 64.6, experts=2),
    )
}

MOTIONS = ("text", "pose", "depth")
"""What tells the model how a character moves."""
PRESETS = ("draft", "standard", "final")
_STEPS = {"draft": 20, "standard": 30, "final": 50}
_GUIDANCE = 5.0
_SMALL_PX = 640 * 640
"""Up to 480p (832×480) the flow is shifted by 3, above by 5, as upstream does."""


@dataclass(frozen=True)
class Sampling:
    """How a clip is sampled.

    Attributes:
        guidance: classifier-free; 1 makes one pass a step instead of two.
        shift: of the flow's noise levels.
        distilled: with the four-step LoRA and the levels that it was distilled for.
    """

    steps: int
    guidance: float
    shift: float
    distilled: bool
    conditioning: float = 1.0


def sampling(model: VaceModel, size_px: tuple[int, int], options: Mapping[str, Any]) -> Sampling:
    """The preset's settings, with what the screenplay sets itself (0 leaves the preset's)."""
    preset = str(options.get("preset", "standard"))
    distilled = preset == "draft" and model.lora is not None
    small = size_px[0] * size_px[1] <= _SMALL_PX
    steps, guidance, shift = (
        (4, 1.0, 5.0) if distilled else (_STEPS[preset], _GUIDANCE, 3.0 if small else 5.0)
    )
    return Sampling(
        steps=int(options.get("steps") or steps),
        guidance=float(options.get("guidance") or guidance),
        shift=float(options.get("flow_shift") or shift),
        distilled=distilled,
        conditioning=float(options.get("conditioning", 1.0)),
    )
