"""MDM as a motion model: its weights, its sampler, and the way that a character has to go."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import fail
from ..fetch import missing_extra, resolve
from ..registry import weights_called
from . import F64, MotionRequest, Moved, Progress
from .features import FPS, LONGEST, ROOT, WIDTH, frames_of, joints_of, root_of

if TYPE_CHECKING:
    from torch import Tensor

    from .network import MdmNetwork

WEIGHTS, TEXT_WEIGHTS = "mdm-humanml3d", "clip-vit-b32"
_STEPS = 1000
_TOKENS = 22
"""Of a text, begin and end included: MDM was trained on no more."""


class Mdm:
    """Model ``mdm``."""

    name = "mdm"
    longest_s = (LONGEST - 1) / FPS

    def generate(self, request: MotionRequest, progress: Progress) -> Moved:
        """See :class:`anix_cli.model.motion.MotionModel`."""
        try:
            import torch
        except ImportError as error:
            raise missing_extra("torch") from error
        folder = resolve(weights_called(WEIGHTS)).folder
        network, mean, std, steps = _loaded(folder)
        text = self._embedded(request.text)
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return sample(network.to(device), text.to(device), mean, std, steps, request, progress)

    def _embedded(self, text: str) -> Tensor:
        """[1, 512] as CLIP's text encoder has it."""
        import torch

        try:
            from transformers import CLIPTextModelWithProjection, CLIPTokenizer
        except ImportError as error:
            raise missing_extra("transformers") from error
        folder = str(resolve(weights_called(TEXT_WEIGHTS)).folder)
        tokenizer: Any = CLIPTokenizer.from_pretrained(folder, local_files_only=True)
        encoder: Any = CLIPTextModelWithProjection.from_pretrained(
            folder, local_files_only=True, use_safetensors=True
        ).eval()
        tokens = tokenizer([text], truncation=True, max_length=_TOKENS, return_tensors="pt")
        with torch.inference_mode():
            return encoder(**tokens).text_embeds.float()


def _loaded(folder: Path) -> tuple[MdmNetwork, F64, F64, int]:
    """(the network, mean and spread [263] of its features, steps of its diffusion).

    Raises:
        AnixError: E475, the weights are not those of MDM.
    """
    from safetensors.torch import load_file

    from .network import network_from

    try:
        config = json.loads((folder / "mdm_config.json").read_text(encoding="utf-8"))
        mean, std = (np.load(folder / name, allow_pickle=False) for name in ("Mean.npy", "Std.npy"))
        if mean.shape != (WIDTH,) or std.shape != (WIDTH,) or not (std > 0).all():
            raise ValueError(f"its Mean.npy and Std.npy are not of {WIDTH} features")
        network = network_from(load_file(folder / "model.safetensors"), config)
        if network.sizes.features != WIDTH:
            raise ValueError(f"it has {network.sizes.features} features, not {WIDTH}")
        steps = int(config.get("diffusion_steps", _STEPS))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise fail(
            "E475", f"the weights in {folder} are not those of MDM: {error}", file=folder,
            hint=f"run `anix models pull {WEIGHTS}` again",
        ) from error  # fmt: skip
    return network, mean.astype(np.float64), std.astype(np.float64), steps


def sample(
    network: MdmNetwork,
    text: Tensor,
    mean: F64,
    std: F64,
    steps: int,
    request: MotionRequest,
    progress: Progress,
) -> Moved:
    """Denoises a motion (Ho et al. 2020, as MDM predicts the clean motion at each step).

    What the way decides is written over each prediction (MDM's own way of editing), so that the motion is
    made to fit it and goes it exactly.

    Args:
        text: [1, n] embedded. steps: of the diffusion that the network was trained for.
    """
    import torch

    frames = frames_of(request.seconds)
    device = text.device
    random = torch.Generator().manual_seed(request.seed)

    def noise() -> Tensor:
        return torch.randn(1, frames, network.sizes.features, generator=random).to(device)

    kept = _way(request, frames, mean, std, device)
    times = _times(steps, request.steps or steps)
    left = _bars(steps)
    bars = [left[time] for time in times]
    now = noise()
    with torch.inference_mode():
        for index in range(len(times) - 1, -1, -1):
            clean = _guided(network, now, times[index], text, request.guidance_scale)
            if kept is not None:
                clean[:, : frames - 1, ROOT] = kept
            bar, before = bars[index], bars[index - 1] if index else 1.0
            beta = 1 - bar / before
            first = beta * math.sqrt(before) / (1 - bar)
            second = (1 - before) * math.sqrt(1 - beta) / (1 - bar)
            now = first * clean + second * now
            if index:
                now = now + math.sqrt(beta * (1 - before) / (1 - bar)) * noise()
            progress(len(times) - index, len(times))
    features = now[0].double().cpu().numpy() * std + mean
    return Moved(joints_of(features), FPS)


def _guided(network: MdmNetwork, now: Tensor, time: int, text: Tensor, scale: float) -> Tensor:
    """The clean motion by text, led away from that without one (Ho and Salimans 2022)."""
    import torch

    at = torch.full((2,), time, device=text.device)
    with_text, without = network(now.expand(2, -1, -1), at, torch.cat([text, torch.zeros_like(text)]))
    return (without + scale * (with_text - without))[None]


def _way(request: MotionRequest, frames: int, mean: F64, std: F64, device: Any) -> Tensor | None:
    """[frames − 1, 3] what the way decides, normalised."""
    import torch

    if request.way is None:
        return None
    root = (root_of(request.way, frames) - mean[ROOT]) / std[ROOT]
    return torch.tensor(root, dtype=torch.float32, device=device)


def _times(steps: int, wanted: int) -> list[int]:
    """Evenly spaced times of the diffusion, rising, the last one among them."""
    return sorted({round(time) for time in np.linspace(0, steps - 1, min(max(wanted, 2), steps))})


def _bars(steps: int) -> list[float]:
    """How much of the clean motion is left at each time: the cosine schedule (Nichol and Dhariwal 2021)."""

    def left(share: float) -> float:
        return math.cos((share + 0.008) / 1.008 * math.pi / 2) ** 2

    found, bar = [], 1.0
    for step in range(steps):
        bar *= 1 - min(1 - left((step + 1) / steps) / left(step / steps), 0.999)
        found.append(bar)
    return found
