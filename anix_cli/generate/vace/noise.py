"""The tests' variant of ``wan-vace``: the whole chain on tiny random weights. Its films are noise.

It exists only where the environment variable ``ANIX_TEST_NOISE`` is 1, and its name, ``wan-vace-noise``,
stands in the plan, in every clip's record and in the film's manifest.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..diffusion.levers import OFF, Levers
from .backend import WanVaceBackend, with_noise
from .models import VaceModel

if TYPE_CHECKING:
    from anix_cli.core.capabilities import Capabilities
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.model.places import Placed

    from ..diffusion.ladder import Footprint, Rung
    from .models import Sampling
    from .pipeline import Loaded


class _Noise:
    def __get__(self, instance: Any, owner: type) -> Capabilities:
        return with_noise(WanVaceBackend.capabilities)


class WanVaceNoise(WanVaceBackend):
    """As ``wan-vace``, on the CPU and with nothing learnt."""

    name = "wan-vace-noise"
    capabilities: ClassVar[Any] = _Noise()

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        few = (
            request
            if request.options.get("steps")
            else replace(request, options={**request.options, "steps": 2})
        )
        frames = super().generate(few, progress)
        request.note("noise", True)
        return frames

    def holding(self, model: VaceModel, settings: Sampling, *, precise: bool, asked: Levers = OFF) -> Loaded:
        import torch

        torch.set_num_threads(1)  # such small layers take many times longer on several
        return super().holding(model, settings, precise=precise, asked=asked)

    def ways(self, model: Footprint, precise: bool, ever: bool) -> tuple[Rung, ...]:
        from ..diffusion.ladder import Rung

        return (
            Rung("cpu", dtype="float32", device="cpu"),
            Rung("cpu fp8", dtype="float32", device="cpu", fp8=True),
        )

    def place(self, name: str) -> Placed:
        from anix_cli.model.places import Placed
        from anix_cli.model.registry import weights_called
        from anix_cli.model.whole import check

        placed = Placed(weights_called(name), tiny_weights(name), None, local=True)
        check(placed)
        return placed


@cache
def tiny_weights(name: str) -> Path:
    """A folder with random weights in the layout of the published ones, the same on every machine."""
    keeper = tempfile.TemporaryDirectory(prefix="anix-noise-")
    _KEEPERS.append(keeper)
    folder = Path(keeper.name)
    if name == "wan2.1-distill-lora":
        from anix_cli.model.registry import WEIGHTS

        write_lora(folder / str(WEIGHTS[name].file))
    else:
        write_pipeline(folder, experts=2 if name == "wan2.2-vace-fun" else 1)
    return folder


_KEEPERS: list[Any] = []

TINY = {
    "num_attention_heads": 2, "attention_head_dim": 12, "text_dim": 32, "freq_dim": 16, "ffn_dim": 32,
    "num_layers": 2, "vace_layers": [0], "rope_max_seq_len": 64,
}  # fmt: skip


def write_pipeline(folder: Path, *, experts: int = 1) -> None:
    """A whole pipeline of the published classes, some ten thousand weights each."""
    import torch
    import transformers
    from diffusers import (
        AutoencoderKLWan,
        UniPCMultistepScheduler,
        WanVACEPipeline,
        WanVACETransformer3DModel,
    )
    from transformers import UMT5Config, UMT5EncoderModel

    transformers.utils.logging.disable_progress_bar()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        first, second = (WanVACETransformer3DModel(**TINY) if index < experts else None for index in range(2))
        vae = AutoencoderKLWan(
            base_dim=4, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1,
            temperal_downsample=[False, True, True],
        )  # fmt: skip
        encoder = UMT5EncoderModel(
            UMT5Config(vocab_size=300, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4)
        )
    WanVACEPipeline(
        tokenizer=byte_tokenizer(),
        text_encoder=encoder,
        vae=vae,
        scheduler=UniPCMultistepScheduler(
            prediction_type="flow_prediction", use_flow_sigmas=True, num_train_timesteps=1000, flow_shift=3.0
        ),
        transformer=first,
        transformer_2=second,
        boundary_ratio=0.875 if experts == 2 else None,
    ).save_pretrained(folder, safe_serialization=True)


def write_lora(path: Path, rank: int = 2) -> None:
    """A LoRA for the tiny transformer's blocks, with names as the published one has them."""
    import torch
    from safetensors.torch import save_file

    width = TINY["num_attention_heads"] * TINY["attention_head_dim"]  # type: ignore[operator]
    ffn = TINY["ffn_dim"]
    shapes = {
        **{f"{kind}.{part}": (width, width) for kind in ("self_attn", "cross_attn") for part in "qkvo"},
        "ffn.0": (width, ffn),
        "ffn.2": (ffn, width),
    }
    drawn = torch.Generator().manual_seed(1)
    tensors = {}
    for block in range(int(TINY["num_layers"])):  # type: ignore[call-overload]
        for name, (wide, out) in shapes.items():
            stem = f"diffusion_model.blocks.{block}.{name}"
            tensors[f"{stem}.lora_down.weight"] = torch.randn(rank, wide, generator=drawn) * 0.1
            tensors[f"{stem}.lora_up.weight"] = torch.randn(out, rank, generator=drawn) * 0.1
            tensors[f"{stem}.alpha"] = torch.tensor(float(rank))
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, path)


def byte_tokenizer() -> Any:
    """One token a byte, and one for the end."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    signs = ["<pad>", "</s>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    vocabulary = {sign: index for index, sign in enumerate(signs)}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))  # noqa: S106
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=made, **special)
