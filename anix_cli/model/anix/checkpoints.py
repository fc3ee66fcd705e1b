"""Weights into the AniX transformers: a base's, and HunyuanCustom's in their original names. Imports torch.

``from_pretrained`` of a base into a subclass leaves the subclass' own layers on the meta device (diffusers
0.42), so that weights are loaded here by hand: an empty model, the files' tensors assigned, what is new set
to nothing learnt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

PROJECTOR = ("bg_in.proj.weight", "bg_in.proj.bias", "bg_proj.weight", "bg_proj.bias")
"""Of scene and masks: named as in HunyuanCustom's editing checkpoint."""
BASES = ("hunyuan", "wan")


@dataclass(frozen=True)
class KeyReport:
    """What of a checkpoint a model has, and the other way round.

    Attributes:
        matched: tensors of the same name and shape.
        missing: of the model, that the checkpoint lacks.
        unexpected: of the checkpoint, that the model has no place for.
        reshaped: (name, in the checkpoint, in the model), of other shapes.
    """

    matched: tuple[str, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    reshaped: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]

    @property
    def whole(self) -> bool:
        """Whether nothing is missing but the projector, and nothing is left over."""
        return not (self.unexpected or self.reshaped or set(self.missing) - set(PROJECTOR))


def classes(base: str) -> Any:
    """The transformer's class on a base, "hunyuan" or "wan"."""
    if base == "hunyuan":
        from .hunyuan import AniXHunyuanVideoTransformer3DModel

        return AniXHunyuanVideoTransformer3DModel
    from .wan import AniXWanTransformer3DModel

    return AniXWanTransformer3DModel


def report(model: Any, state: Mapping[str, Tensor]) -> KeyReport:
    """Compares names and shapes; the model may be on the meta device."""
    own = {name: tuple(one.shape) for name, one in model.state_dict().items()}
    found = {name: tuple(one.shape) for name, one in state.items()}
    both = [name for name in own if name in found]
    return KeyReport(
        tuple(name for name in both if own[name] == found[name]),
        tuple(name for name in own if name not in found),
        tuple(name for name in found if name not in own),
        tuple((name, found[name], own[name]) for name in both if own[name] != found[name]),
    )


def from_original(state: Mapping[str, Any]) -> dict[str, Tensor]:
    """HunyuanVideo's or HunyuanCustom's own names as diffusers' ones; the wrapper ``{"module": …}`` is
    opened. The projector keeps its names."""
    from diffusers.loaders.single_file_utils import convert_hunyuan_video_transformer_to_diffusers

    opened = dict(state.get("module", state))
    projector = {name: opened.pop(name) for name in PROJECTOR if name in opened}
    return {**convert_hunyuan_video_transformer_to_diffusers(opened), **projector}


def is_original(names: Iterable[str]) -> bool:
    """Whether a checkpoint has HunyuanVideo's original names."""
    return any(name.startswith(("double_blocks.", "module.double_blocks.")) for name in names)


def build(
    base: str, config: Mapping[str, Any], state: Mapping[str, Tensor], *, dtype: Any
) -> tuple[Any, KeyReport]:
    """A transformer with these weights, and what matched.

    Args:
        config: of the base's own transformer, or of ours; what ours has no word for is left out.
        state: in diffusers' names.
    """
    kind = classes(base)
    known = set(kind._get_init_keys(kind)) - {"self"}
    with torch.device("meta"):
        model = kind(**{name: value for name, value in config.items() if name in known})
    wanted = widened(state, model)
    found = report(model, wanted)
    whole = {name: wanted[name].to(dtype) for name in found.matched}
    model.load_state_dict(whole, strict=False, assign=True)
    _nothing_learnt(model, dtype)
    return model.eval(), found


def read(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Configuration and tensors of a transformer's folder in diffusers' layout; safetensors only."""
    from safetensors.torch import load_file

    state: dict[str, Tensor] = {}
    for shard in sorted(folder.glob("*.safetensors")):
        state |= load_file(shard)
    return json.loads((folder / "config.json").read_text("utf-8")), state


def widened(state: Mapping[str, Tensor], model: Any) -> dict[str, Tensor]:
    """A projector of fewer characters as one of more, whose channels do nothing yet."""
    name, found = PROJECTOR[0], dict(state)
    weight, room = found.get(name), model.bg_in.proj.weight.shape
    if weight is not None and weight.shape[1] < room[1] and weight.shape[2:] == room[2:]:
        nothing = weight.new_zeros(weight.shape[0], room[1] - weight.shape[1], *weight.shape[2:])
        found[name] = torch.cat([weight, nothing], dim=1)
    return found


def _nothing_learnt(model: Any, dtype: Any) -> None:
    """Gives what is still on the meta device its weights: the projector's patches as a layer begins, its
    linear layer zero; buffers as the class computes them.

    Raises:
        ValueError: something else of the base is missing.
    """
    lacking = [name for name, one in model.named_parameters() if one.is_meta]
    if unknown := sorted(set(lacking) - set(PROJECTOR)):
        raise ValueError(f"the base lacks {len(unknown)} tensors, {unknown[0]} first")
    for name in {name.rpartition(".")[0] for name in lacking}:
        layer = model.get_submodule(name).to_empty(device="cpu").to(dtype)
        if name == "bg_proj":
            torch.nn.init.zeros_(layer.weight)
            torch.nn.init.zeros_(layer.bias)
        else:
            drawn = torch.Generator().manual_seed(0)
            layer.weight.data = (torch.randn(layer.weight.shape, generator=drawn) * 0.02).to(dtype)
            torch.nn.init.zeros_(layer.bias)
    rope = getattr(model, "rope", None)
    if rope is not None and any(one.is_meta for one in rope.buffers()):
        model.rope = type(rope)(rope.attention_head_dim, rope.patch_size, rope.max_seq_len)
