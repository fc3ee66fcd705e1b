"""Noise to latents: flow matching with x = (1 − σ)·data + σ·noise, v = noise − data. Imports torch.

A teacher is sampled by Euler steps over the base's shifted levels. A distilled student jumps to the data at
each of its few levels, and is noised afresh for the next (DMD2, arXiv 2405.14867).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

Velocity = Callable[[Tensor, Tensor], Tensor]
"""(latents, time [B] in 0 … 1000) → v."""
Step = Callable[[int, Tensor], None]


def shifted(sigma: float, shift: float) -> float:
    """A noise level, shifted: shift·σ / (1 + (shift − 1)·σ)."""
    return shift * sigma / (1 + (shift - 1) * sigma)


def shift_of(scheduler: Any) -> float:
    """That a pipeline's own scheduler is set to, whichever it is."""
    config = scheduler.config
    return float(config.get("flow_shift", config.get("shift", 1.0)))


def euler(
    noise: Tensor, velocity: Velocity, steps: int, shift: float, step: Step
) -> tuple[Tensor, list[float]]:
    """A teacher's latents, and the levels that were gone through.

    Args:
        shift: of the levels.
        step: called with the number of steps done and the latents.
    """
    from diffusers import FlowMatchEulerDiscreteScheduler

    scheduler = FlowMatchEulerDiscreteScheduler(shift=shift)
    # set_timesteps(steps) alone would shift twice (diffusers 0.42).
    scheduler.set_timesteps(sigmas=np.linspace(1.0, 0.0, steps + 1)[:-1].tolist(), device=noise.device)
    scheduler.set_begin_index(0)
    latents = noise
    for index, time in enumerate(scheduler.timesteps):
        v = velocity(latents, time.expand(len(latents)).to(latents.dtype))
        latents = scheduler.step(v, time, latents, return_dict=False)[0]
        step(index + 1, latents)
    return latents, scheduler.sigmas.tolist()


def few_steps(
    noise: Tensor, velocity: Velocity, sigmas: Sequence[float], generator: torch.Generator, step: Step
) -> Tensor:
    """A student's latents.

    Args:
        sigmas: its levels, shifted already, the first 1.
        generator: of the fresh noise, on the CPU.
    """
    latents = noise
    for index, sigma in enumerate(sigmas):
        time = torch.full((len(latents),), 1000.0 * sigma, dtype=latents.dtype, device=latents.device)
        data = latents - sigma * velocity(latents, time)
        if index + 1 == len(sigmas):
            latents = data
        else:
            after = sigmas[index + 1]
            fresh = torch.randn(noise.shape, generator=generator, dtype=torch.float32)
            latents = (1 - after) * data + after * fresh.to(latents)
        step(index + 1, latents)
    return latents


def guided(scale: float, told: Velocity, untold: Velocity) -> Velocity:
    """Classifier-free guidance over the words: untold + scale · (told − untold), each with scene, views and
    past. A scale of 1 asks for no second pass."""
    if scale == 1.0:
        return told

    def both(latents: Tensor, time: Tensor) -> Tensor:
        without = untold(latents, time)
        return without + scale * (told(latents, time) - without)

    return both
