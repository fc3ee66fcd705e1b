"""Names of the layers of one model in three hands: diffusers', the original code's, and kohya's.

The original code of HunyuanVideo keeps query, key and value of a block in one matrix, and in its single
blocks the first layer of the MLP with them; diffusers has them apart. So a layer of diffusers is a part of
one of the original. Kohya's names (musubi-tuner's, too) are the original's with underscores for dots.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_DOUBLE = {
    "attn.to_out.0": "img_attn_proj", "attn.to_add_out": "txt_attn_proj",
    "ff.net.0.proj": "img_mlp.fc1", "ff.net.2": "img_mlp.fc2",
    "ff_context.net.0.proj": "txt_mlp.fc1", "ff_context.net.2": "txt_mlp.fc2",
    "norm1.linear": "img_mod.linear", "norm1_context.linear": "txt_mod.linear",
}  # fmt: skip
_SINGLE = {"proj_out": "linear2", "norm.linear": "modulation.linear"}
_REFINER = {
    "attn.to_out.0": "self_attn_proj", "ff.net.0.proj": "mlp.fc1", "ff.net.2": "mlp.fc2",
    "norm_out.linear": "adaLN_modulation.1",
}  # fmt: skip
_WAN = {
    "attn1.to_q": "self_attn.q", "attn1.to_k": "self_attn.k", "attn1.to_v": "self_attn.v",
    "attn2.to_q": "cross_attn.q", "attn2.to_k": "cross_attn.k", "attn2.to_v": "cross_attn.v",
    "attn1.to_out.0": "self_attn.o", "attn2.to_out.0": "cross_attn.o",
    "ffn.net.0.proj": "ffn.0", "ffn.net.2": "ffn.2",
}  # fmt: skip
_STACKS: dict[str, dict[str, tuple[str, dict[str, str]]]] = {
    "hunyuan": {
        "transformer_blocks": ("double_blocks", _DOUBLE),
        "single_transformer_blocks": ("single_blocks", _SINGLE),
        "context_embedder.token_refiner.refiner_blocks": ("txt_in.individual_token_refiner.blocks", _REFINER),
    },
    "wan": {"blocks": ("blocks", _WAN)},
}
_FUSED: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {
    "hunyuan": {
        "transformer_blocks": {
            "img_attn_qkv": ("attn.to_q", "attn.to_k", "attn.to_v"),
            "txt_attn_qkv": ("attn.add_q_proj", "attn.add_k_proj", "attn.add_v_proj"),
        },
        "single_transformer_blocks": {"linear1": ("attn.to_q", "attn.to_k", "attn.to_v", "proj_mlp")},
        "context_embedder.token_refiner.refiner_blocks": {
            "self_attn_qkv": ("attn.to_q", "attn.to_k", "attn.to_v"),
        },
    },
    "wan": {},
}


@dataclass(frozen=True)
class Part:
    """A layer of diffusers as a part of one of the original's.

    Attributes:
        layer: of the original.
        index, parts: which of the matrices that stand one above the other in it, and the layers of diffusers
            that these are.
    """

    layer: str
    index: int = 0
    parts: tuple[str, ...] = ()


def original_of(base: str, layer: str) -> Part | None:
    """The place of a layer of diffusers in the original; None for one that has none.

    Args:
        base: "hunyuan" or "wan".
        layer: as "transformer_blocks.0.attn.to_q".
    """
    for stack, (theirs, names) in _STACKS[base].items():
        found = re.fullmatch(rf"{re.escape(stack)}\.(\d+)\.(.+)", layer)
        if found is None:
            continue
        number, inner = found[1], found[2]
        if inner in names:
            return Part(f"{theirs}.{number}.{names[inner]}", 0, (layer,))
        for fused, parts in _FUSED[base].get(stack, {}).items():
            if inner in parts:
                whole = tuple(f"{stack}.{number}.{part}" for part in parts)
                return Part(f"{theirs}.{number}.{fused}", parts.index(inner), whole)
    return None


def layers_of(base: str, original: str) -> tuple[str, ...]:
    """The layers of diffusers that one of the original's is made of, in order; () for none."""
    for stack, (theirs, names) in _STACKS[base].items():
        found = re.fullmatch(rf"{re.escape(theirs)}\.(\d+)\.(.+)", original)
        if found is None:
            continue
        number, inner = found[1], found[2]
        for ours, their_inner in names.items():
            if their_inner == inner:
                return (f"{stack}.{number}.{ours}",)
        if inner in _FUSED[base].get(stack, {}):
            return tuple(f"{stack}.{number}.{part}" for part in _FUSED[base][stack][inner])
    return ()


def kohya_of(original: str) -> str:
    """ "lora_unet_double_blocks_0_img_attn_qkv"."""
    return f"lora_unet_{original.replace('.', '_')}"


def original_of_kohya(base: str, name: str) -> str | None:
    """The original's layer that a name of kohya's stands for, None for none."""
    bare = name.removeprefix("lora_unet_")
    for stack, (theirs, names) in _STACKS[base].items():
        found = re.fullmatch(rf"{re.escape(theirs.replace('.', '_'))}_(\d+)_(.+)", bare)
        if found is None:
            continue
        inner = {one.replace(".", "_"): one for one in [*names.values(), *_FUSED[base].get(stack, {})]}
        if found[2] in inner:
            return f"{theirs}.{found[1]}.{inner[found[2]]}"
    return None


def base_of(layers: list[str]) -> str | None:
    """ "hunyuan" or "wan", by the names of layers in any of the three hands; None where neither has them."""
    for base in _STACKS:
        for layer in layers:
            kohya = layer.startswith("lora_unet_") and original_of_kohya(base, layer) is not None
            if kohya or layers_of(base, layer) or original_of(base, layer) is not None:
                return base
    return None
