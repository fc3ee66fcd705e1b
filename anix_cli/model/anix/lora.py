"""LoRA files in three hands: diffusers' (peft's) names, the original code's, and kohya's. Imports torch.

Every layer's change of a weight is ``alpha / rank · up @ down``. Files with peft's names have no alphas (the
rank's own, or that of the metadata); the others have one a layer. Where the original keeps several matrices
of diffusers in one, their LoRAs become one of the ranks' sum whose ``up`` is zero beside its blocks; coming
back, such blocks are taken apart exactly, and a ``down`` that several matrices share is kept for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from . import names

Style = Literal["diffusers", "kohya", "original"]
STYLES: tuple[Style, ...] = ("diffusers", "kohya", "original")
_ENDS = {
    ".lora_A.weight": "down", ".lora_B.weight": "up", ".lora_A.default.weight": "down",
    ".lora_B.default.weight": "up", ".lora_down.weight": "down", ".lora_up.weight": "up", ".alpha": "alpha",
}  # fmt: skip
_FRONTS = ("transformer.", "diffusion_model.", "base_model.model.", "model.diffusion_model.")


class UnreadableError(ValueError):
    """A file that is no LoRA of a known base; the message says why."""


@dataclass(eq=False)
class Layer:
    """A LoRA of one layer: its weight changes by ``alpha / rank · up @ down``.

    Attributes:
        down: [rank, in]; up: [out, rank].
    """

    down: Tensor
    up: Tensor
    alpha: float

    @property
    def rank(self) -> int:
        return int(self.down.shape[0])

    @property
    def change(self) -> Tensor:
        """Of the weight, [out, in]."""
        return self.alpha / self.rank * (self.up @ self.down)


@dataclass(eq=False)
class Lora:
    """Layers by diffusers' names, and the tensors of a file that belong to none."""

    base: str
    layers: dict[str, Layer]
    others: dict[str, Tensor]


def style_of(tensors: Mapping[str, Tensor]) -> Style:
    """In whose names a file is."""
    stems = [stem for stem, _ in _split(tensors)]
    if any(stem.startswith("lora_unet_") for stem in stems):
        return "kohya"
    base = names.base_of(stems)
    if base and any(names.layers_of(base, stem) for stem in stems):
        return "original"
    return "diffusers"


def read(tensors: Mapping[str, Tensor], alpha: float | None = None) -> Lora:
    """A file's tensors.

    Args:
        alpha: of layers that have none of their own; None takes their rank.

    Raises:
        UnreadableError: no LoRA, half a layer, layers of no known base, or of matrices that don't fit.
    """
    gathered: dict[str, dict[str, Tensor]] = {}
    others = {name: one for name, one in tensors.items() if not name.endswith(tuple(_ENDS))}
    for stem, name in _split(tensors):
        gathered.setdefault(stem, {})[_ENDS[_end(name)]] = tensors[name]
    if not gathered:
        raise UnreadableError("it holds no LoRA")
    base = names.base_of(list(gathered))
    if base is None:
        raise UnreadableError("its layers are neither HunyuanVideo's nor Wan's")
    layers: dict[str, Layer] = {}
    for stem, parts in gathered.items():
        if not {"down", "up"} <= set(parts):
            raise UnreadableError(f"{stem} has but half of its matrices")
        down, up = parts["down"].flatten(1), parts["up"].flatten(1)
        if up.shape[1] != down.shape[0]:
            raise UnreadableError(f"the matrices of {stem} don't fit each other")
        own = float(parts["alpha"]) if "alpha" in parts else alpha
        whole = Layer(down, up, float(own if own is not None else down.shape[0]))
        layers |= _apart(base, stem, whole)
    return Lora(base, layers, others)


def write(lora: Lora, style: Style) -> dict[str, Tensor]:
    """A file's tensors in one's names.

    Raises:
        UnreadableError: a layer that the original has no name for.
    """
    if style == "diffusers":
        found = dict(lora.others)
        for name, layer in lora.layers.items():
            scale = layer.alpha / layer.rank
            found[f"transformer.{name}.lora_A.weight"] = layer.down.clone()  # one may serve several
            found[f"transformer.{name}.lora_B.weight"] = (layer.up * scale).contiguous()
        return found
    found = dict(lora.others)
    for original, whole in _together(lora):
        if style == "kohya":
            stem, ends = names.kohya_of(original), (".lora_down.weight", ".lora_up.weight")
        else:
            stem, ends = f"diffusion_model.{original}", (".lora_A.weight", ".lora_B.weight")
        found[stem + ends[0]], found[stem + ends[1]] = whole.down.contiguous(), whole.up.contiguous()
        found[f"{stem}.alpha"] = torch.tensor(whole.alpha)
    return found


def _split(tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, str]]:
    """(layer as the file calls it, tensor's name), of those that belong to a LoRA."""
    for name in tensors:
        if name.endswith(tuple(_ENDS)):
            stem = name.removesuffix(_end(name))
            for front in _FRONTS:
                stem = stem.removeprefix(front)
            yield stem, name


def _end(name: str) -> str:
    return next(end for end in _ENDS if name.endswith(end))


def _apart(base: str, stem: str, whole: Layer) -> dict[str, Layer]:
    """A file's layer as those of diffusers."""
    original = names.original_of_kohya(base, stem) if stem.startswith("lora_unet_") else stem
    parts = names.layers_of(base, original) if original is not None else ()
    if not parts:
        if names.original_of(base, stem) is None:
            raise UnreadableError(f"there is no layer {stem}")
        return {stem: whole}
    if len(parts) == 1:
        return {parts[0]: whole}
    rows = _rows(whole.up.shape[0], len(parts), whole.down.shape[1])
    ups = whole.up.split(rows, dim=0)
    blocks = _blocks(ups)
    if blocks is None:
        return {name: Layer(whole.down, up, whole.alpha) for name, up in zip(parts, ups, strict=True)}
    scale = whole.alpha / whole.rank
    return {
        name: Layer(whole.down[first:last], up[:, first:last], scale * (last - first))
        for name, up, (first, last) in zip(parts, ups, blocks, strict=True)
        if last > first
    }


def _rows(out: int, parts: int, width: int) -> list[int]:
    """Rows of each matrix in a fused one: three of the model's width, and in single blocks the MLP's rest."""
    if parts == 3:
        return [out // 3] * 3
    return [width] * 3 + [out - 3 * width]


def _blocks(ups: Sequence[Tensor]) -> list[tuple[int, int]] | None:
    """Columns (first, last) that each matrix alone uses, if they follow each other; None if any is shared."""
    used = [one.ne(0).any(dim=0).nonzero().flatten().tolist() for one in ups]
    at, found = 0, []
    for columns in used:
        if columns and columns[0] < at:
            return None
        first, last = (columns[0], columns[-1] + 1) if columns else (at, at)
        found.append((first, last))
        at = max(at, last)
    total = ups[0].shape[1]
    even = total // len(ups)
    if total % len(ups) == 0:
        steps = [(even * index, even * (index + 1)) for index in range(len(ups))]
        if all(s[0] <= f[0] and f[1] <= s[1] for s, f in zip(steps, found, strict=True) if f[1] > f[0]):
            return steps  # a column that happens to be zero belongs to its block
    return found


def _together(lora: Lora) -> Iterator[tuple[str, Layer]]:
    """The original's layers, each made of those of diffusers."""
    done: set[str] = set()
    for name in lora.layers:
        place = names.original_of(lora.base, name)
        if place is None:
            raise UnreadableError(f"the original has no layer for {name}")
        if place.layer in done:
            continue
        done.add(place.layer)
        if len(place.parts) == 1:
            yield place.layer, lora.layers[name]
        else:
            yield place.layer, _fused([lora.layers.get(part) for part in place.parts])


def _fused(parts: Sequence[Layer | None]) -> Layer:
    """LoRAs of matrices that stand above each other as one."""
    held = [one for one in parts if one is not None]
    ranks = {one.rank for one in held}
    shared = len(ranks) == 1 and all(one is not None and torch.equal(one.down, held[0].down) for one in parts)
    if shared and len({one.alpha for one in held}) == 1:
        return Layer(held[0].down, torch.cat([one.up for one in held]), held[0].alpha)
    width = held[0].down.shape[1]
    rank = max(ranks)
    outs = [one.up.shape[0] if one is not None else 0 for one in parts]
    outs = [size or (width if index < 3 else 4 * width) for index, size in enumerate(outs)]
    down = held[0].down.new_zeros(rank * len(parts), width)
    up = held[0].up.new_zeros(sum(outs), rank * len(parts))
    at = 0
    for index, (one, size) in enumerate(zip(parts, outs, strict=True)):
        if one is not None:
            first = index * rank
            down[first : first + one.rank] = one.down
            up[at : at + size, first : first + one.rank] = one.up * (one.alpha / one.rank)
        at += size
    return Layer(down, up, float(rank * len(parts)))
