"""The tests' variant of ``anix``: the whole chain on tiny random weights. Its films are noise.

It exists only where the environment variable ``ANIX_TEST_NOISE`` is 1, as ``anix-noise``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..diffusion import noise
from ..diffusion.noise import OnNoise
from ..noise import NoiseOf
from .backend import AnixBackend
from .models import BASES, Base

if TYPE_CHECKING:
    from anix_cli.core.capabilities import OptionValue


class AnixNoise(OnNoise, AnixBackend):
    """As ``anix``, on the CPU and with nothing learnt. Bases that need an adapter get a random one."""

    name = "anix-noise"
    capabilities: ClassVar[Any] = NoiseOf(AnixBackend, 17, max_new=12, tail=5)

    def adapter(self, base: Base, name: str, digest: str | None) -> Path | None:
        if not name and not base.projector:
            return random_adapter(base.name)
        return super().adapter(base, name, digest)

    def tiny(self, name: str) -> Path:
        return tiny_weights(name)


class AnixHunyuanNoise(AnixNoise):
    """The same on HunyuanCustom, where nothing else is asked for."""

    name = "anix-hunyuan-noise"

    def few(self, options: Mapping[str, OptionValue]) -> dict[str, Any]:
        return {"base": "hunyuancustom", **super().few(options)}


@cache
def random_adapter(base: str, characters: int = 1, sigmas: tuple[float, ...] = ()) -> Path:
    """An adapter for a tiny base, with a projector."""
    import torch

    from anix_cli.model.anix import adapter, checkpoints, lora

    folder = tiny_weights(BASES[base].weights)
    config, state = checkpoints.read(folder / "transformer")
    kind = BASES[base].kind
    model, _ = checkpoints.build(kind, {**config, "characters": characters}, state, dtype=torch.float32)
    drawn = torch.Generator().manual_seed(2)
    layers = {}
    for name in adapter.lora_layers(model):
        out, wide = model.get_submodule(name).weight.shape
        down, up = torch.randn(2, wide, generator=drawn), torch.randn(out, 2, generator=drawn)
        layers[name] = lora.Layer(down * 0.05, up * 0.05, 2.0)
    projector = {
        name: torch.randn(model.state_dict()[name].shape, generator=drawn) * 0.05
        for name in checkpoints.PROJECTOR
    }
    story = adapter.Story(kind, rank=2, alpha=2.0, characters=characters, sigmas=sigmas)
    path = folder / f"random-{characters}-{len(sigmas)}.safetensors"
    adapter.save(path, adapter.Adapter(story, layers, projector))
    return path


@cache
def tiny_weights(name: str) -> Path:
    """A folder with random weights in the layout of the published ones, the same on every machine."""
    folder = noise.folder()
    if name.startswith("wan"):
        write_wan(folder)
    else:
        write_hunyuan(folder, seeing=name == "hunyuancustom-editing")
    return folder


def write_wan(folder: Path) -> None:
    """A whole pipeline of Wan's published classes."""
    import torch
    from diffusers import WanPipeline, WanTransformer3DModel

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        WanPipeline(
            tokenizer=noise.byte_tokenizer(),
            text_encoder=noise.text_encoder(),
            vae=noise.vae(),
            scheduler=noise.unipc(3.0),
            transformer=WanTransformer3DModel(
                num_attention_heads=2, attention_head_dim=12, text_dim=32, freq_dim=16, ffn_dim=32,
                num_layers=2, rope_max_seq_len=64,
            ),
        ).save_pretrained(folder, safe_serialization=True)  # fmt: skip


def write_hunyuan(folder: Path, *, seeing: bool) -> None:
    """A whole pipeline of HunyuanVideo's published classes; ``seeing``: with LLaVA and a projector, as
    HunyuanCustom's editing model."""
    import torch
    from diffusers import (
        AutoencoderKLHunyuanVideo,
        FlowMatchEulerDiscreteScheduler,
        HunyuanVideoTransformer3DModel,
    )
    from transformers import CLIPImageProcessor, CLIPTextConfig, CLIPTextModel, LlamaConfig, LlamaModel

    from anix_cli.model.anix.hunyuan import AniXHunyuanVideoTransformer3DModel
    from anix_cli.model.anix.pipeline_hunyuan import AniXHunyuanVideoPipeline

    small: dict[str, Any] = {
        "num_attention_heads": 2, "attention_head_dim": 16, "num_layers": 1, "num_single_layers": 1,
        "num_refiner_layers": 1, "guidance_embeds": not seeing, "text_embed_dim": 16,
        "pooled_projection_dim": 8, "rope_axes_dim": (4, 6, 6), "in_channels": 4, "out_channels": 4,
    }  # fmt: skip
    tokenizer = template_tokenizer()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        words = LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=3,
            num_attention_heads=2, max_position_embeddings=4096, pad_token_id=tokenizer.pad_token_id,
        )  # fmt: skip
        if seeing:
            transformer: Any = AniXHunyuanVideoTransformer3DModel(**small)
            torch.nn.init.normal_(transformer.bg_proj.weight, std=0.05)
        else:
            transformer = HunyuanVideoTransformer3DModel(**small)
        AniXHunyuanVideoPipeline(
            text_encoder=_llava(words, tokenizer) if seeing else LlamaModel(words),
            tokenizer=tokenizer,
            transformer=transformer,
            vae=AutoencoderKLHunyuanVideo(
                latent_channels=4, block_out_channels=(8, 8, 8, 8), layers_per_block=1, norm_num_groups=4
            ),
            scheduler=FlowMatchEulerDiscreteScheduler(shift=7.0),
            text_encoder_2=CLIPTextModel(
                CLIPTextConfig(vocab_size=300, hidden_size=8, intermediate_size=16, num_hidden_layers=1,
                               num_attention_heads=2, projection_dim=8)
            ),
            tokenizer_2=noise.byte_tokenizer(),
            image_processor=CLIPImageProcessor(size=28, crop_size=28) if seeing else None,
        ).save_pretrained(folder, safe_serialization=True)  # fmt: skip


def _llava(words: Any, tokenizer: Any) -> Any:
    from transformers import CLIPVisionConfig, LlavaConfig, LlavaForConditionalGeneration

    return LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=CLIPVisionConfig(hidden_size=16, intermediate_size=16, num_hidden_layers=2,
                                           num_attention_heads=2, image_size=28, patch_size=14),
            text_config=words,
            image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        )
    )  # fmt: skip


def template_tokenizer() -> Any:
    """One token a byte, but one a word for the words of the pipeline's own template, so that it takes about
    as many tokens as with the real one."""
    from diffusers.pipelines.hunyuan_video.pipeline_hunyuan_video import DEFAULT_PROMPT_TEMPLATE

    marks = ["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<image>"]
    template = re.sub(r"<[^>]*>", "", str(DEFAULT_PROMPT_TEMPLATE["template"]))
    words = sorted(set(re.findall(r" ?[A-Za-z]{3,}|\n\n", template)), key=len, reverse=True)
    made = noise.byte_tokenizer()
    made.add_special_tokens({"additional_special_tokens": marks})
    made.add_tokens(words)
    return made
