"""The models, what each was published with, and how a clip is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anix_cli.core.capabilities import Option

from ..diffusion import levers

PRESETS = ("draft", "standard", "final")
_SMALL_PX = 640 * 640


@dataclass(frozen=True)
class ImageModel:
    """One model.

    Attributes:
        backend: that it belongs to; name: as that backend's option ``model`` takes it.
        weights: row of the registry of weights.
        transformer_gib, text_gib: in bfloat16, as counted from their shapes at full size.
        experts: transformers of which one at a time is at work.
        steps, guidance: as published.
        shifts: of the flow's noise levels up to 480p and above; None leaves the checkpoint's scheduler.
        heads: of its attention, which several GPUs share.
        frames: that every call makes, where the model was trained on that number only; None for any.
    """

    backend: str
    name: str
    weights: str
    transformer_gib: float
    text_gib: float
    steps: int
    guidance: float
    shifts: tuple[float, float] | None = None
    experts: int = 1
    frames: int | None = None
    heads: int = 40
    smaller: str = ""

    @property
    def title(self) -> str:
        """As messages name it."""
        return f"{self.backend} ({self.name})"


_ALL = (
    ImageModel("cogvideox", "5b", "cogvideox-5b-i2v", 10.4, 8.9, 50, 6.0, frames=49, heads=48),
    ImageModel("hunyuan-video", "i2v", "hunyuan-video-i2v", 23.9, 15.8, 50, 6.0, (7.0, 7.0), heads=24),
    ImageModel("wan-i2v", "2.1-480p", "wan2.1-i2v-480p", 30.5, 11.8, 40, 5.0, (3.0, 5.0)),
    ImageModel("wan-i2v", "2.1-720p", "wan2.1-i2v-720p", 30.5, 11.8, 40, 5.0, (3.0, 5.0)),
    ImageModel("wan-i2v", "2.2", "wan2.2-i2v", 53.2, 10.6, 40, 3.5, (5.0, 5.0), experts=2,
               smaller="take the option model: 2.1-480p"),
)  # fmt: skip

MODELS: Mapping[str, Mapping[str, ImageModel]] = {
    backend: {model.name: model for model in _ALL if model.backend == backend}
    for backend in dict.fromkeys(model.backend for model in _ALL)
}
"""By backend, the first being its default."""


_LEVERS = {
    "cogvideox": levers.options(*levers.CACHES, compiles=False),
    # Its attention is always masked, which flash and sage refuse.
    "hunyuan-video": levers.options(attention=("auto", "native")),
    "wan-i2v": levers.options(*levers.CACHES),
}


@dataclass(frozen=True)
class Sampling:
    """How a clip is sampled. ``shift`` None leaves the checkpoint's scheduler as it is."""

    steps: int
    guidance: float
    shift: float | None


def options(backend: str) -> dict[str, Option]:
    """The settings that a screenplay may give one of the backends."""
    models = tuple(MODELS[backend])
    return {
        "model": Option("string", models[0], "Which model.", models),
        "preset": Option(
            "string", "standard", "draft: half of the published steps; standard: all; final: a half more.",
            PRESETS,
        ),
        "steps": Option("integer", 0, "Denoising steps; 0 takes the preset's.", minimum=0, maximum=200),
        "guidance": Option("number", 0, "How closely it follows the words; 0 takes the model's.", minimum=0,
                           maximum=20),
        **_LEVERS[backend],
    }  # fmt: skip


def sampling(model: ImageModel, size_px: tuple[int, int], chosen: Mapping[str, Any]) -> Sampling:
    """The preset's settings, with what the screenplay sets itself (0 leaves the preset's)."""
    share = {"draft": 0.5, "standard": 1.0, "final": 1.5}[str(chosen.get("preset", "standard"))]
    small = size_px[0] * size_px[1] <= _SMALL_PX
    return Sampling(
        steps=int(chosen.get("steps") or round(model.steps * share)),
        guidance=float(chosen.get("guidance") or model.guidance),
        shift=None if model.shifts is None else model.shifts[0 if small else 1],
    )


def call_frames(model: ImageModel, wanted: int, step: int = 4) -> int:
    """Frames of one call that hold ``wanted`` ones, on the model's grid of 4n + 1."""
    return model.frames or -(-(wanted - 1) // step) * step + 1
