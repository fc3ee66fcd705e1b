"""The prompt, within what the text encoder reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anix_cli.core.clip import ClipRequest

NEGATIVE = (
    "overexposed, washed out, blurred, low quality, compression artefacts, extra limbs, fused fingers, "
    "deformed face, a second person, a still picture, text, watermark, frame around the picture"
)
"""Where the screenplay says nothing else."""


@dataclass(frozen=True)
class Words:
    """What is told to the model. ``lost``: what no longer fits, "" for nothing."""

    prompt: str
    negative: str
    lost: str = ""


def words(request: ClipRequest, count: Callable[[str], int], most: int) -> Words:
    """The request's prompt; where it is too long, the action first, and cut at a word.

    Args:
        count: tokens of a text, as the encoder's tokenizer makes them.
    """
    negative = request.negative or NEGATIVE
    if count(request.prompt) <= most:
        return Words(request.prompt, negative)
    told = action_first(request).split()
    low, high = 1, len(told)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(" ".join(told[:middle])) <= most else (low, middle - 1)
    return Words(" ".join(told[:low]), negative, " ".join(told[low:]))


def action_first(request: ClipRequest) -> str:
    """The prompt with what happens before who it happens to."""
    for subject in request.blocking:
        who = request.cast[subject.character].description
        if who and request.prompt.startswith(f"{who}; "):
            action, _, rest = request.prompt.removeprefix(f"{who}; ").partition("; ")
            return "; ".join(part for part in (action, who, rest) if part)
    return request.prompt
