"""The memory ladder: ways to hold the model, from quick to sparing. What is free decides, and what ran out.

The limits of 14 B are estimates of the design; none was measured on a card by this project yet.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from anix_cli.core.errors import fail

_WORK_GIB = 12.0
"""Activations at 832×480 and 81 frames, and the VAE; more at 1280×720, where OOM steps down."""


@dataclass(frozen=True)
class Rung:
    """One way.

    Attributes:
        dtype: of text encoder and transformer; the VAE is float32 always.
        device: where it computes.
        offload: None holds all there; "model" one part at a time; "group" layer by layer.
        fp8: the transformer's weights are stored in 8 bits and computed with in ``dtype``.
        tiled: the VAE works in tiles.
        vram_gib, ram_gib: that must be free.
    """

    name: str
    dtype: str = "bfloat16"
    device: str = "cuda"
    offload: str | None = None
    fp8: bool = False
    tiled: bool = False
    vram_gib: float = 0.0
    ram_gib: float = 0.0


class Footprint(Protocol):
    """What is known of a model's size.

    Attributes:
        title: backend and model, as messages name them.
        transformer_gib: of its transformers in bfloat16; text_gib: of its text encoders.
        experts: transformers of which one at a time is at work.
        smaller: what a user can do for want of memory, "" for nothing but a larger card.
    """

    @property
    def title(self) -> str: ...
    @property
    def transformer_gib(self) -> float: ...
    @property
    def text_gib(self) -> float: ...
    @property
    def experts(self) -> int: ...
    @property
    def smaller(self) -> str: ...


@dataclass(frozen=True)
class OneModel:
    """The only model of a backend, with a :class:`Footprint` as counted from the published shapes.

    Attributes:
        name: as records name it. weights: row of the registry.
        text_gib: with the image encoder, where there is one.
    """

    title: str
    name: str
    weights: str
    transformer_gib: float
    text_gib: float
    experts: int = 1
    smaller: str = ""


@dataclass(frozen=True)
class Machine:
    """Free memory. ``vram_gib`` None: there is no CUDA GPU."""

    vram_gib: float | None
    ram_gib: float


def rungs(model: Footprint, machine: Machine, *, precise: bool = False) -> tuple[Rung, ...]:
    """The ways that this machine can go, quickest first.

    Args:
        precise: in float32 where that fits, never in 8 bits.

    Raises:
        AnixError: E472, no GPU; E473, too little memory for any way.
    """
    if machine.vram_gib is None:
        raise fail(
            "E472",
            f"{model.title} needs a CUDA GPU, and PyTorch finds none",
            hint="--backend animatic makes a draft of the same film without one",
        )
    plain = ways(model)
    if precise:
        careful = [
            replace(way, name=f"{way.name} float32", dtype="float32", vram_gib=1.7 * way.vram_gib,
                    ram_gib=2 * way.ram_gib)
            for way in plain if not way.fp8
        ]  # fmt: skip
        plain = (*careful, *(way for way in plain if not way.fp8))
    fitting = tuple(
        way for way in plain if way.vram_gib <= machine.vram_gib and way.ram_gib <= machine.ram_gib
    )
    if not fitting:
        least = min(plain, key=lambda way: way.vram_gib)
        raise fail(
            "E473",
            f"{model.title} needs about {least.vram_gib:.0f} GiB on the GPU and "
            f"{least.ram_gib:.0f} GiB of memory; "
            f"{machine.vram_gib:.1f} and {machine.ram_gib:.1f} GiB are free",
            hint=f"{model.smaller}, or end what else uses the GPU"
            if model.smaller
            else "end what else uses the GPU, or use another card",
        )
    return fitting


def ways(model: Footprint) -> tuple[Rung, ...]:
    """All ways of a model, whatever the machine."""
    whole = model.transformer_gib + model.text_gib
    one = model.transformer_gib / model.experts
    largest = max(one, model.text_gib)
    return (
        Rung("resident", vram_gib=whole + _WORK_GIB, ram_gib=8),
        Rung("offload", offload="model", vram_gib=largest + 8, ram_gib=whole + 8),
        Rung("fp8 offload", offload="model", fp8=True, vram_gib=max(one / 2, model.text_gib) + 6,
             ram_gib=whole + 8),
        Rung("group offload", offload="group", tiled=True, vram_gib=8 if one < model.text_gib else 14,
             ram_gib=whole + 8),
    )  # fmt: skip


def machine() -> Machine:
    """What is free now. Imports torch."""
    import torch

    free = torch.cuda.mem_get_info()[0] / 2**30 if torch.cuda.is_available() else None
    return Machine(free, _free_ram_gib())


def below(held: Sequence[Rung], now: Rung) -> Rung | None:
    """The next way down, None at the foot."""
    at = [way.name for way in held].index(now.name)
    return held[at + 1] if at + 1 < len(held) else None


def _free_ram_gib() -> float:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 2**20
    except (OSError, ValueError):
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
