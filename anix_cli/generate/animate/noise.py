"""The tests' variant of ``wan-animate``: the whole chain on tiny random weights. Its films are noise.

It exists only where the environment variable ``ANIX_TEST_NOISE`` is 1, as ``wan-animate-noise``.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..diffusion.levers import OFF, Levers
from .backend import WanAnimateBackend, with_noise

if TYPE_CHECKING:
    from anix_cli.core.capabilities import Capabilities
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.model.places import Placed

    from ..diffusion.ladder import Footprint, Rung
    from .pipeline import Loaded


class _Noise:
    def __get__(self, instance: Any, owner: type) -> Capabilities:
        return with_noise(WanAnimateBackend.capabilities)


class WanAnimateNoise(WanAnimateBackend):
    """As ``wan-animate``, on the CPU and with nothing learnt."""

    name = "wan-animate-noise"
    capabilities: ClassVar[Any] = _Noise()

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        few = {**request.options, "steps": request.options.get("steps") or 2}
        frames = super().generate(replace(request, options=few), progress)
        request.note("noise", True)
        return frames

    def holding(self, *, precise: bool, asked: Levers = OFF) -> Loaded:
        import torch

        torch.set_num_threads(1)  # such small layers take many times longer on several
        return super().holding(precise=precise, asked=asked)

    def ways(self, model: Footprint, precise: bool, ever: bool) -> tuple[Rung, ...]:
        from ..diffusion.ladder import Rung

        return (
            Rung("cpu", dtype="float32", device="cpu"),
            Rung("cpu tiled", dtype="float32", device="cpu", tiled=True),
        )

    def place(self, name: str) -> Placed:
        from anix_cli.model.places import Placed
        from anix_cli.model.registry import weights_called
        from anix_cli.model.whole import check

        placed = Placed(weights_called(name), tiny_weights(), None, local=True)
        check(placed)
        return placed


_KEEPERS: list[Any] = []

TINY = {
    "num_attention_heads": 2, "attention_head_dim": 12, "text_dim": 32, "freq_dim": 16, "ffn_dim": 32,
    "num_layers": 2, "image_dim": 8, "added_kv_proj_dim": 24, "rope_max_seq_len": 64,
    "motion_encoder_channel_sizes": {"4": 8, "8": 8, "16": 8}, "motion_encoder_size": 16,
    "motion_style_dim": 8, "motion_dim": 4, "motion_encoder_dim": 8, "face_encoder_hidden_dim": 8,
    "face_encoder_num_heads": 2, "inject_face_latents_blocks": 1,
}  # fmt: skip


@cache
def tiny_weights() -> Path:
    """A folder with random weights in the layout of the published ones, the same on every machine."""
    keeper = tempfile.TemporaryDirectory(prefix="anix-noise-")
    _KEEPERS.append(keeper)
    write_pipeline(Path(keeper.name))
    return Path(keeper.name)


def write_pipeline(folder: Path) -> None:
    """A whole pipeline of the published classes, some ten thousand weights each."""
    import torch
    import transformers
    from diffusers import (
        AutoencoderKLWan,
        UniPCMultistepScheduler,
        WanAnimatePipeline,
        WanAnimateTransformer3DModel,
    )
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        CLIPVisionModel,
        UMT5Config,
        UMT5EncoderModel,
    )

    from ..vace.noise import byte_tokenizer

    transformers.utils.logging.disable_progress_bar()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        transformer = WanAnimateTransformer3DModel(**TINY)
        vae = AutoencoderKLWan(
            base_dim=4, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1,
            temperal_downsample=[False, True, True],
        )  # fmt: skip
        encoder = UMT5EncoderModel(
            UMT5Config(vocab_size=300, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4)
        )
        eye = CLIPVisionModel(
            CLIPVisionConfig(hidden_size=8, intermediate_size=16, projection_dim=8, num_hidden_layers=2,
                             num_attention_heads=2, image_size=8, patch_size=4)
        )  # fmt: skip
    WanAnimatePipeline(
        tokenizer=byte_tokenizer(),
        text_encoder=encoder,
        vae=vae,
        scheduler=UniPCMultistepScheduler(
            prediction_type="flow_prediction", use_flow_sigmas=True, num_train_timesteps=1000, flow_shift=5.0
        ),
        image_processor=CLIPImageProcessor(crop_size=8, size=8),
        image_encoder=eye,
        transformer=transformer,
    ).save_pretrained(folder, safe_serialization=True)
