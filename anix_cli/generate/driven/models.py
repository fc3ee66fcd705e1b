"""The model, and how it is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..diffusion.ladder import OneModel

MODEL = OneModel("wan-animate-2", "animate-2", "wan2.2-animate-2-14b", transformer_gib=30.5, text_gib=11.8)
PRESETS = ("draft", "standard", "final")
_STEPS = {"draft": 20, "standard": 40, "final": 60}
_GUIDANCE = 3.0
"""As diffusers' own blocks sample: 40 steps, guidance 3."""


@dataclass(frozen=True)
class Sampling:
    """How a clip is sampled; guidance 1 makes one pass a step instead of two."""

    steps: int
    guidance: float


def sampling(options: Mapping[str, Any]) -> Sampling:
    """The preset's settings, with what the screenplay sets itself (0 leaves the preset's)."""
    return Sampling(
        steps=int(options.get("steps") or _STEPS[str(options.get("preset", "standard"))]),
        guidance=float(options.get("guidance") or _GUIDANCE),
    )
