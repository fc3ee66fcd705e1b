"""What the tests' variants of backends on diffusers share: the processor, few steps, tiny parts."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .modelbackend import ModelBackend

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.model.places import Placed

    from .ladder import Footprint, Rung

_KEEPERS: list[Any] = []


class OnNoise(ModelBackend):
    """Stands before the real backend: on the CPU and with nothing learnt."""

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        frames = super().generate(replace(request, options=self.few(request.options)), progress)
        request.note("noise", True)
        return frames

    def few(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options, with few steps where they leave that open."""
        return {**options, "steps": options.get("steps") or 2}

    def ways(self, model: Footprint, precise: bool, ever: bool) -> tuple[Rung, ...]:
        import torch

        from .ladder import Rung

        torch.set_num_threads(1)  # such small layers take many times longer on several
        plain = Rung("cpu", dtype="float32", device="cpu")
        return (plain, self.sparing(plain))

    def sparing(self, plain: Rung) -> Rung:
        """The second way."""
        return replace(plain, name="cpu fp8", fp8=True)

    def tiny(self, name: str) -> Path:
        """The folder of random weights in place of those of a name."""
        raise NotImplementedError

    def place(self, name: str) -> Placed:
        from anix_cli.model.places import Placed
        from anix_cli.model.registry import weights_called
        from anix_cli.model.whole import check

        placed = Placed(weights_called(name), self.tiny(name), None, local=True)
        check(placed)
        return placed


def folder() -> Path:
    """An empty one, for as long as the process runs."""
    keeper = tempfile.TemporaryDirectory(prefix="anix-noise-")
    _KEEPERS.append(keeper)
    return Path(keeper.name)


def vae() -> Any:
    """Wan's, with some thousand weights."""
    from diffusers import AutoencoderKLWan

    return AutoencoderKLWan(
        base_dim=4, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1,
        temperal_downsample=[False, True, True],
    )  # fmt: skip


def text_encoder() -> Any:
    """Wan's, UMT5, with some ten thousand weights."""
    from transformers import UMT5Config, UMT5EncoderModel

    return UMT5EncoderModel(
        UMT5Config(vocab_size=300, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4)
    )


def unipc(shift: float) -> Any:
    """The scheduler of Wan's checkpoints."""
    from diffusers import UniPCMultistepScheduler

    return UniPCMultistepScheduler(
        prediction_type="flow_prediction", use_flow_sigmas=True, num_train_timesteps=1000, flow_shift=shift
    )


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
