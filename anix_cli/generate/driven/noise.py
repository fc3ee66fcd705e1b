"""The tests' variant of ``wan-animate-2``: the whole chain on tiny random weights. Its films are noise.

It exists only where the environment variable ``ANIX_TEST_NOISE`` is 1, as ``wan-animate-2-noise``.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from .backend import WanAnimate2Backend, with_noise

if TYPE_CHECKING:
    from anix_cli.core.capabilities import Capabilities
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.model.places import Placed

    from ..diffusion.ladder import Footprint, Rung
    from .pipeline import Loaded


class _Noise:
    def __get__(self, instance: Any, owner: type) -> Capabilities:
        return with_noise(WanAnimate2Backend.capabilities)


class WanAnimate2Noise(WanAnimate2Backend):
    """As ``wan-animate-2``, on the CPU and with nothing learnt."""

    name = "wan-animate-2-noise"
    capabilities: ClassVar[Any] = _Noise()

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        few = {**request.options, "steps": request.options.get("steps") or 2}
        few["guidance"] = request.options.get("guidance") or 1.5
        frames = super().generate(replace(request, options=few), progress)
        request.note("noise", True)
        return frames

    def holding(self, *, precise: bool) -> Loaded:
        import torch

        torch.set_num_threads(1)  # such small layers take many times longer on several
        return super().holding(precise=precise)

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


@cache
def tiny_weights() -> Path:
    """A folder with random weights in the layout of the published ones, the same on every machine."""
    import torch
    import transformers
    from diffusers import AutoencoderKLWan, FlowMatchEulerDiscreteScheduler, WanAnimate2Transformer3DModel
    from transformers import CLIPVisionConfig, CLIPVisionModel, UMT5Config, UMT5EncoderModel

    from ..vace.noise import byte_tokenizer

    transformers.utils.logging.disable_progress_bar()
    keeper = tempfile.TemporaryDirectory(prefix="anix-noise-")
    _KEEPERS.append(keeper)
    folder = Path(keeper.name)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        parts = {
            "transformer": WanAnimate2Transformer3DModel(
                dim=24, ffn_dim=32, freq_dim=16, text_dim=32, num_heads=2, num_layers=1
            ),
            "vae": AutoencoderKLWan(
                base_dim=4, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1,
                temperal_downsample=[False, True, True],
            ),
            "text_encoder": UMT5EncoderModel(
                UMT5Config(vocab_size=300, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4)
            ),
            "image_encoder": CLIPVisionModel(
                CLIPVisionConfig(hidden_size=1280, intermediate_size=8, projection_dim=8, num_hidden_layers=1,
                                 num_attention_heads=2, image_size=224, patch_size=56)
            ),
        }  # fmt: skip
    for name, part in parts.items():
        part.save_pretrained(folder / name, safe_serialization=True)
    index = {
        name: [type(part).__module__.partition(".")[0], type(part).__name__] for name, part in parts.items()
    }
    (folder / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
    byte_tokenizer().save_pretrained(folder / "tokenizer")
    FlowMatchEulerDiscreteScheduler(shift=5.0).save_pretrained(folder / "scheduler")
    return folder
