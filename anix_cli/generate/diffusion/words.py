"""The prompt, within what the text encoder reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest
    from anix_cli.core.plan import Subject

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


def words(
    request: ClipRequest, count: Callable[[str], int], most: int, subject: Subject | None = None
) -> Words:
    """The request's prompt, cut at a word where it is too long: plans say first what matters most.

    Args:
        count: tokens of a text, as the encoder's tokenizer makes them.
        subject: who is drawn in this call; None is nobody in particular.
    """
    told, lost = cut(_about(request, subject), count, most)
    return Words(told, request.negative or NEGATIVE, lost)


def cut(text: str, count: Callable[[str], int], most: int) -> tuple[str, str]:
    """(as many of a text's words as make no more than ``most`` tokens, the others)."""
    if count(text) <= most:
        return text, ""
    told = text.split()
    low, high = 1, len(told)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(" ".join(told[:middle])) <= most else (low, middle - 1)
    return " ".join(told[:low]), " ".join(told[low:])


def _about(request: ClipRequest, subject: Subject | None) -> str:
    """The prompt; of a call that draws one of several, what that one alone is and does."""
    return request.prompt if subject is None else request.prompts.get(subject.character, request.prompt)
