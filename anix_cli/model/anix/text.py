"""The prompt with pictures of the character, as HunyuanCustom reads it through LLaVA. Imports torch.

The hidden states of the third layer from the end, without the template's first 95 tokens, of a text of 256.
Each picture is one token when the text is padded, and 576 in the model. The mask is made as upstream makes
it: padded before the pictures grow, with the 575 ones of each picture at its end; the number of ones, not
their places, says how long the text is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .pictures import View

ORDER = ("front", "left", "back", "right")
"""Of the views in the text (arXiv 2512.17796), which is not that of their places in time."""
LENGTH, CROP = 256, 95
LAYER = -3


def prompt_with(prompt: str, descriptions: Sequence[str], counts: Sequence[int]) -> str:
    """The words, and for each character its description with as many pictures as it has.

    Args:
        counts: of each character's pictures.
    """
    shown = [
        f"A character is {about or 'shown here'}: {'<image>' * count}"
        for about, count in zip([*descriptions, *[""] * len(counts)], counts, strict=False)
        if count
    ]
    return "\n".join([prompt, *shown])


def pictures_of(views: Sequence[View]) -> list[list[NDArray[np.uint8]]]:
    """Each character's pictures, in the text's order."""
    people = range(max((one.character for one in views), default=-1) + 1)
    held = {(one.character, one.name): one.picture for one in views}
    return [[held[who, name] for name in ORDER if (who, name) in held] for who in people]


def encode(
    tokenizer: Any,
    encoder: Any,
    processor: Any,
    prompt: str,
    pictures: Sequence[NDArray[np.uint8]],
    template: str,
    *,
    length: int = LENGTH,
    crop: int = CROP,
) -> tuple[Tensor, Tensor]:
    """Embeddings [1, L, D] and mask [1, L].

    Args:
        encoder: ``LlavaForConditionalGeneration``, or its inner model.
        processor: of its vision tower.
        prompt: with ``<image>`` once for each of the pictures, [h, w, 3] uint8.
        template: with one ``{}``.

    Raises:
        ValueError: the text is so long that a picture would be cut off.
    """
    told = tokenizer(
        template.format(prompt), max_length=length + crop, padding="max_length", truncation=True,
        return_tensors="pt",
    )  # fmt: skip
    ids, mask = told.input_ids, told.attention_mask
    image = encoder.config.image_token_id
    if int((ids == image).sum()) != len(pictures):
        raise ValueError("the prompt leaves no room for its pictures")
    each = 1
    more: dict[str, Tensor] = {}
    device = next(encoder.parameters()).device
    if pictures:
        pixels = processor([*pictures], return_tensors="pt").pixel_values
        more["pixel_values"] = pixels.to(device, next(encoder.parameters()).dtype)
        each = _tokens_of(encoder, pixels)
        grown = torch.where(ids[0] == image, each, 1)
        ids = ids[0].repeat_interleave(grown)[None]
        mask = torch.cat([mask, mask.new_ones(1, (each - 1) * len(pictures))], dim=1)
    with torch.no_grad():
        found = encoder(
            input_ids=ids.to(device), attention_mask=mask.to(device), output_hidden_states=True, **more
        ).hidden_states[LAYER]
    return found[:, crop:], mask[:, crop:].to(found.device)


def _tokens_of(encoder: Any, pixels: Tensor) -> int:
    """That one picture takes: 576 at 336 px and patches of 14."""
    vision = encoder.config.vision_config
    return int((pixels.shape[-2] // vision.patch_size) * (pixels.shape[-1] // vision.patch_size))
