"""MDM (Tevet et al. 2023, "Human Motion Diffusion Model"): a transformer that tells the clean motion from a
noisy one, its time and a text. Parameters are named as in the published checkpoints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

_PLACES = 5000
_NOT_OURS = ("clip_model.", "rot2xyz.", "sequence_pos_encoder.", "embed_timestep.sequence_pos_encoder.")


@dataclass(frozen=True)
class Sizes:
    """Of a network: ``width`` of its tokens, ``text`` of an embedded text."""

    features: int = 263
    width: int = 512
    hidden: int = 1024
    layers: int = 8
    heads: int = 4
    text: int = 512


class _Affine(nn.Module):  # type: ignore[misc]
    """One linear layer under the name that checkpoints have for it."""

    def __init__(self, name: str, inputs: int, outputs: int) -> None:
        super().__init__()
        self._name = name
        self.add_module(name, nn.Linear(inputs, outputs))

    def forward(self, x: Tensor) -> Tensor:
        return self.get_submodule(self._name)(x)


class _Time(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        super().__init__()
        self.time_embed = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, places: Tensor) -> Tensor:
        return self.time_embed(places)


class MdmNetwork(nn.Module):  # type: ignore[misc]
    """The network; ``forward`` takes and gives motions [B, F, features], normalised."""

    places: Tensor

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.input_process = _Affine("poseEmbedding", sizes.features, sizes.width)
        self.output_process = _Affine("poseFinal", sizes.width, sizes.features)
        self.embed_timestep = _Time(sizes.width)
        self.embed_text = nn.Linear(sizes.text, sizes.width)
        layer = nn.TransformerEncoderLayer(sizes.width, sizes.heads, sizes.hidden, 0.0, "gelu")
        self.seqTransEncoder = nn.TransformerEncoder(layer, sizes.layers, enable_nested_tensor=False)
        self.register_buffer("places", _places(sizes.width), persistent=False)

    def forward(self, noisy: Tensor, time: Tensor, text: Tensor) -> Tensor:
        """
        Args:
            noisy: [B, F, features]. time: [B] int64, of the diffusion.
            text: [B, text]; zeros for none.
        """
        told = self.embed_timestep(self.places[time]) + self.embed_text(text)
        tokens = torch.cat([told[None], self.input_process(noisy.transpose(0, 1))])
        tokens = tokens + self.places[: len(tokens), None]
        return self.output_process(self.seqTransEncoder(tokens)[1:]).transpose(0, 1)


def _places(width: int) -> Tensor:
    """[places, width] sines and cosines (Vaswani et al. 2017)."""
    at = torch.arange(_PLACES, dtype=torch.float32)[:, None]
    rates = torch.exp(torch.arange(0, width, 2, dtype=torch.float32) * (-math.log(10000.0) / width))
    found = torch.zeros(_PLACES, width)
    found[:, 0::2], found[:, 1::2] = torch.sin(at * rates), torch.cos(at * rates)
    return found


def network_from(tensors: Mapping[str, Tensor], config: Mapping[str, Any]) -> MdmNetwork:
    """The network that some weights are of; sizes are read off them.

    Raises:
        ValueError: what about them does not fit, as a clause.
    """
    start = next((name for name in tensors if name.endswith("input_process.poseEmbedding.weight")), None)
    if start is None:
        raise ValueError("holds no weights of MDM")
    prefix = start.removesuffix("input_process.poseEmbedding.weight")
    own = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
    own = {name: tensor.float() for name, tensor in own.items() if not name.startswith(_NOT_OURS)}
    try:
        width, features = own["input_process.poseEmbedding.weight"].shape
        sizes = Sizes(
            features, width, own["seqTransEncoder.layers.0.linear1.weight"].shape[0],
            1 + max(int(name.split(".")[2]) for name in own if name.startswith("seqTransEncoder.layers.")),
            int(config.get("num_heads", 4)), own["embed_text.weight"].shape[1],
        )  # fmt: skip
        network = MdmNetwork(sizes)
        network.load_state_dict(own, strict=True)
    except (KeyError, ValueError, RuntimeError) as error:
        raise ValueError(f"does not fit MDM: {str(error)[:200]}") from error
    network.eval()
    return network
