"""The model, and how it is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..diffusion.ladder import OneModel

MODEL = OneModel("wan-animate", "2.2-animate", "wan2.2-animate-14b", transformer_gib=32.2, text_gib=11.8)
PRESETS = ("draft", "standard", "final")
_STEPS = {"draft": 10, "standard": 20, "final": 40}
_GUIDANCE, _SHIFT = 1.0, 5.0
"""As upstream samples (``wan/configs/wan_animate_14B.py``): 20 steps, no guidance, shift 5."""


@dataclass(frozen=True)
class Sampling:
    """How a clip is sampled.

    Attributes:
        guidance: classifier-free; 1 makes one pass a step instead of two, and no use of the negative prompt.
        shift: of the flow's noise levels.
    """

    steps: int
    guidance: float
    shift: float


def sampling(options: Mapping[str, Any]) -> Sampling:
    """The preset's settings, with what the screenplay sets itself (0 leaves the preset's)."""
    return Sampling(
        steps=int(options.get("steps") or _STEPS[str(options.get("preset", "standard"))]),
        guidance=float(options.get("guidance") or _GUIDANCE),
        shift=float(options.get("flow_shift") or _SHIFT),
    )
