"""An adapter: what is trained, LoRA and projector, as one safetensors file with its story. Imports torch."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ...store import atomic
from . import lora
from .checkpoints import PROJECTOR, widened

FORMAT = "anix-adapter"
RECIPE = "1"
"""Of tokens, places and conditions; a file of another recipe is not loaded."""
_LAYERS = {
    "hunyuan": r"(single_)?transformer_blocks\.\d+\.(attn\.(to_[qkv]|add_[qkv]_proj|to_out\.0|to_add_out)"
    r"|ff(_context)?\.net\.(0\.proj|2)|proj_mlp|proj_out)",
    "wan": r"blocks\.\d+\.(attn[12]\.(to_[qkv]|to_out\.0)|ffn\.net\.(0\.proj|2))",
}
"""Query, key, value, output and fully connected layers of the blocks, as in the paper; never the model's own
``proj_out``."""


@dataclass(frozen=True)
class Story:
    """What an adapter is for.

    Attributes:
        base: "hunyuan" or "wan".
        weights: name of the base's weights in the registry, "" where it was none of them.
        rank, alpha: of the LoRA.
        characters: with mask channels of their own.
        view_shift: see :mod:`.packing`.
        sigmas: noise levels that a distilled student was made for, () for a teacher.
        guidance: classifier-free, that it is to be sampled with; 1 for a student.
        recipe: of the model.
    """

    base: str
    weights: str = ""
    rank: int = 64
    alpha: float = 64.0
    characters: int = 1
    view_shift: str = "both"
    sigmas: Sequence[float] = ()
    guidance: float = 1.0
    recipe: str = RECIPE


@dataclass(eq=False)
class Adapter:
    """LoRA by the names of layers, the projector's tensors, and the story."""

    story: Story
    layers: dict[str, lora.Layer]
    projector: dict[str, Tensor] = field(default_factory=dict)


class UnfitError(ValueError):
    """An adapter that is none, or not of this model; the message says why."""


def base_of(model: Any) -> str:
    """ "hunyuan" or "wan"."""
    return "wan" if hasattr(model, "condition_embedder") else "hunyuan"


def lora_layers(model: Any) -> list[str]:
    """Names of the layers that a LoRA is put on."""
    pattern = re.compile(_LAYERS[base_of(model)])
    return [name for name, _ in model.named_modules() if pattern.fullmatch(name)]


def save(path: Path, adapter: Adapter) -> None:
    """Writes an adapter, whole or not at all."""
    from safetensors.torch import save_file

    tensors = lora.write(lora.Lora(adapter.story.base, adapter.layers, {}), "diffusers")
    tensors |= {f"transformer.{name}": one.contiguous() for name, one in adapter.projector.items()}
    story = json.dumps(asdict(adapter.story))
    with atomic.writing(path) as partial:
        save_file(tensors, partial, {"format": FORMAT, "story": story, "digest": _digest(story, tensors)})


def rename(source: Path, target: Path, style: lora.Style) -> None:
    """Writes a file with its layers in another's names; what belongs to none, and the metadata, go along.

    Raises:
        UnfitError: as :func:`load`. AnixError: E411, E412, the target can't be written.
    """
    from safetensors.torch import save_file

    tensors, told = tensors_of(source)
    try:
        renamed = lora.write(lora.read(tensors, _alpha(told)), style)
    except lora.UnreadableError as error:
        raise UnfitError(f"{source.name}: {error}") from error
    told = {key: one for key, one in told.items() if key != "lora_adapter_metadata"}
    if "digest" in told:
        told["digest"] = _digest(told.get("story", ""), renamed)
    with atomic.writing(target) as partial:
        save_file(renamed, partial, told)


def load(path: Path) -> Adapter:
    """Reads an adapter, or a plain LoRA in any of the three hands, which has no projector.

    Raises:
        UnfitError: no safetensors, no LoRA, or of another recipe.
    """
    tensors, told = tensors_of(path)
    try:
        found = lora.read(tensors, _alpha(told))
    except lora.UnreadableError as error:
        raise UnfitError(f"{path.name}: {error}") from error
    story = _story(path, told) or Story(found.base, rank=max(one.rank for one in found.layers.values()))
    projector = {
        name: found.others[key]
        for name in PROJECTOR
        for key in (f"transformer.{name}", f"diffusion_model.{name}", name)
        if key in found.others
    }
    return Adapter(story, found.layers, projector)


def tensors_of(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """A file's tensors and metadata. Raises UnfitError: it is no safetensors file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            told = file.metadata() or {}
            return {name: file.get_tensor(name) for name in file.keys()}, told  # noqa: SIM118  (no mapping)
    except (SafetensorError, OSError) as error:
        raise UnfitError(f"{path.name} is no safetensors file: {error}") from error


def apply(model: Any, adapter: Adapter, name: str = "anix") -> float:
    """Puts an adapter on a transformer; the share of its layers that the model has, always 1.

    Raises:
        UnfitError: it is for another base, or a layer of it is not the model's.
    """
    if adapter.story.base != base_of(model):
        raise UnfitError(f"it is made for {adapter.story.base}, this model is {base_of(model)}")
    modules = dict(model.named_modules())
    for layer, one in adapter.layers.items():
        shape = getattr(getattr(modules.get(layer), "weight", None), "shape", None)
        if shape is None or tuple(shape[:2]) != (one.up.shape[0], one.down.shape[1]):
            raise UnfitError(f"the model has no layer {layer} of {one.up.shape[0]} × {one.down.shape[1]}")
    tensors = lora.write(lora.Lora(adapter.story.base, adapter.layers, {}), "diffusers")
    bare = {key.removeprefix("transformer."): one for key, one in tensors.items()}
    # Without prefix=None diffusers 0.42 looks for "transformer." in the names, and loads nothing in silence.
    model.load_lora_adapter(bare, prefix=None, adapter_name=name, use_safetensors=True)
    held = sum(name in getattr(module, "lora_A", {}) for module in model.modules())
    if held != len(adapter.layers):
        raise UnfitError(f"{held} of its {len(adapter.layers)} layers were taken")
    _project(model, adapter.projector)
    return 1.0


def _project(model: Any, projector: Mapping[str, Tensor]) -> None:
    own = model.state_dict()
    with torch.no_grad():
        for key, one in widened(projector, model).items():
            if own[key].shape != one.shape:
                raise UnfitError(f"its {key} is {tuple(one.shape)}, the model's {tuple(own[key].shape)}")
            own[key].copy_(one)


def _digest(story: str, tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of what the file says and holds: in its header, so that clips' keys need not read it all."""
    found = hashlib.sha256(story.encode())
    for name in sorted(tensors):
        one = tensors[name].detach().cpu().contiguous()
        found.update(f"{name} {one.dtype} {tuple(one.shape)}".encode())
        found.update(one.view(torch.uint8).numpy().tobytes())
    return found.hexdigest()


def _alpha(told: Mapping[str, str]) -> float | None:
    """The one that peft's files of diffusers tell of all layers, None for none."""
    try:
        config = json.loads(told.get("lora_adapter_metadata", "{}"))
    except ValueError:
        return None
    found = next((config[key] for key in ("transformer.lora_alpha", "lora_alpha") if key in config), None)
    return float(found) if isinstance(found, (int, float)) else None


def _story(path: Path, told: Mapping[str, str]) -> Story | None:
    """That of the file's metadata, None where it has none of ours."""
    if told.get("format") != FORMAT:
        return None
    try:
        given = json.loads(told.get("story", ""))
        story = Story(**{one.name: given[one.name] for one in fields(Story) if one.name in given})
    except (ValueError, TypeError) as error:
        raise UnfitError(f"{path.name}: its metadata can't be read") from error
    if story.recipe != RECIPE:
        raise UnfitError(f"{path.name} is of recipe {story.recipe}; this version of anix has recipe {RECIPE}")
    return story
