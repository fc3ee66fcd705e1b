"""The tests' variants of the baselines: the whole chain on tiny random weights. Their films are noise.

They exist only where the environment variable ``ANIX_TEST_NOISE`` is 1, and their names end in ``-noise``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ..diffusion import noise
from ..diffusion.noise import OnNoise
from ..noise import NoiseOf
from .backend import CogVideoXBackend, FirstFrameBackend, HunyuanVideoBackend, WanI2VBackend


def pretend() -> None:
    """Two devices for diffusers to count, in a process that has only its processor."""
    import torch

    torch.set_num_threads(1)
    torch.accelerator.device_count = lambda: 2


class _FirstFrameNoise(OnNoise, FirstFrameBackend):
    """On the CPU and with nothing learnt."""

    @property
    def _family(self) -> str:
        return self.name.removesuffix("-noise")

    _before = staticmethod(pretend)

    def _gpus_here(self) -> int:
        return 2

    def tiny(self, name: str) -> Path:
        return tiny_weights(name)


class CogVideoXNoise(_FirstFrameNoise):
    name = "cogvideox-noise"
    capabilities = NoiseOf(CogVideoXBackend, 25, sizes=())


class HunyuanVideoNoise(_FirstFrameNoise):
    name = "hunyuan-video-noise"
    capabilities = NoiseOf(HunyuanVideoBackend, 17, sizes=())


class WanI2VNoise(_FirstFrameNoise):
    name = "wan-i2v-noise"
    capabilities = NoiseOf(WanI2VBackend, 17, sizes=())


@cache
def tiny_weights(name: str) -> Path:
    """A folder with random weights in the layout of the published ones, the same on every machine."""
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    folder = noise.folder()
    makers = {"cogvideox-5b-i2v": _cogvideox, "hunyuan-video-i2v": _hunyuan}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        pipe = makers[name]() if name in makers else _wan(two=name == "wan2.2-i2v")
    pipe.save_pretrained(folder, safe_serialization=True)
    return folder


def _cogvideox() -> Any:
    from diffusers import (
        AutoencoderKLCogVideoX,
        CogVideoXDDIMScheduler,
        CogVideoXImageToVideoPipeline,
        CogVideoXTransformer3DModel,
    )
    from transformers import T5Config, T5EncoderModel

    return CogVideoXImageToVideoPipeline(
        tokenizer=noise.byte_tokenizer(),
        text_encoder=T5EncoderModel(
            T5Config(vocab_size=300, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4)
        ),
        vae=AutoencoderKLCogVideoX(
            block_out_channels=(4, 4, 4, 4), latent_channels=4, layers_per_block=1, norm_num_groups=2,
            temporal_compression_ratio=4,
        ),
        transformer=CogVideoXTransformer3DModel(
            num_attention_heads=2, attention_head_dim=16, in_channels=8, out_channels=4, time_embed_dim=8,
            text_embed_dim=32, num_layers=2, sample_width=12, sample_height=8, sample_frames=49,
            max_text_seq_length=226, use_rotary_positional_embeddings=True,
            use_learned_positional_embeddings=True,
        ),
        scheduler=CogVideoXDDIMScheduler(prediction_type="v_prediction", timestep_spacing="trailing"),
    )  # fmt: skip


def _wan(*, two: bool) -> Any:
    from diffusers import (
        AutoencoderKLWan,
        UniPCMultistepScheduler,
        WanImageToVideoPipeline,
        WanTransformer3DModel,
    )
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        CLIPVisionModel,
        UMT5Config,
        UMT5EncoderModel,
    )

    small = {
        "num_attention_heads": 2, "attention_head_dim": 12, "in_channels": 36, "out_channels": 16,
        "text_dim": 32, "freq_dim": 16, "ffn_dim": 32, "num_layers": 2, "rope_max_seq_len": 64,
    }  # fmt: skip
    seeing = {} if two else {"image_dim": 16, "added_kv_proj_dim": 24}
    return WanImageToVideoPipeline(
        tokenizer=noise.byte_tokenizer(),
        text_encoder=UMT5EncoderModel(
            UMT5Config(vocab_size=300, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4)
        ),
        vae=AutoencoderKLWan(
            base_dim=4, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1,
            temperal_downsample=[False, True, True],
        ),
        scheduler=UniPCMultistepScheduler(
            prediction_type="flow_prediction", use_flow_sigmas=True, num_train_timesteps=1000, flow_shift=3.0
        ),
        image_processor=None if two else CLIPImageProcessor(size=32, crop_size=32),
        image_encoder=None if two else CLIPVisionModel(
            CLIPVisionConfig(hidden_size=16, intermediate_size=16, num_hidden_layers=2,
                             num_attention_heads=2, image_size=32, patch_size=16)
        ),
        transformer=WanTransformer3DModel(**small, **seeing),
        transformer_2=WanTransformer3DModel(**small) if two else None,
        boundary_ratio=0.9 if two else None,
    )  # fmt: skip


def _hunyuan() -> Any:
    from diffusers import (
        AutoencoderKLHunyuanVideo,
        FlowMatchEulerDiscreteScheduler,
        HunyuanVideoImageToVideoPipeline,
        HunyuanVideoTransformer3DModel,
    )
    from transformers import (
        CLIPImageProcessor,
        CLIPTextConfig,
        CLIPTextModel,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
    )

    llama = _llama_tokenizer()
    language = LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=CLIPVisionConfig(hidden_size=16, intermediate_size=16, num_hidden_layers=2,
                                           num_attention_heads=2, image_size=336, patch_size=14),
            text_config=LlamaConfig(vocab_size=512, hidden_size=16, intermediate_size=16,
                                    num_hidden_layers=3, num_attention_heads=2,
                                    max_position_embeddings=2048),
            pad_token_id=llama.pad_token_id,
            image_token_index=llama.convert_tokens_to_ids("<image>"),
        )
    )  # fmt: skip
    return HunyuanVideoImageToVideoPipeline(
        text_encoder=language,
        tokenizer=llama,
        transformer=HunyuanVideoTransformer3DModel(
            in_channels=4, out_channels=4, num_attention_heads=2, attention_head_dim=16, num_layers=1,
            num_single_layers=1, num_refiner_layers=1, patch_size=2, guidance_embeds=True,
            text_embed_dim=16, pooled_projection_dim=8, rope_axes_dim=(4, 6, 6),
            image_condition_type="token_replace",
        ),
        vae=AutoencoderKLHunyuanVideo(
            latent_channels=4, block_out_channels=(8, 8, 8, 8), layers_per_block=1, norm_num_groups=4
        ),
        scheduler=FlowMatchEulerDiscreteScheduler(shift=7.0),
        text_encoder_2=CLIPTextModel(
            CLIPTextConfig(vocab_size=300, hidden_size=8, intermediate_size=16, num_hidden_layers=1,
                           num_attention_heads=2, projection_dim=8)
        ),
        tokenizer_2=noise.byte_tokenizer(),
        image_processor=CLIPImageProcessor(size=336, crop_size=336),
    )  # fmt: skip


def _llama_tokenizer() -> Any:
    """One token a byte, but one a word for the words of the pipeline's own template, as long ones would."""
    import re

    from diffusers.pipelines.hunyuan_video.pipeline_hunyuan_video_image2video import DEFAULT_PROMPT_TEMPLATE

    marks = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<image>"]
    template = re.sub(r"<[^>]*>", "", str(DEFAULT_PROMPT_TEMPLATE["template"]))
    words = sorted(set(re.findall(r" ?[A-Za-z]{3,}|\n\n", template)), key=len, reverse=True)
    made = noise.byte_tokenizer()
    made.add_special_tokens({"additional_special_tokens": marks})
    made.add_tokens(words)
    made.backend_tokenizer.post_processor = _opening(made.convert_tokens_to_ids(marks[0]))
    return made


def _opening(start: int) -> Any:
    from tokenizers import processors

    return processors.TemplateProcessing(
        single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", start)]
    )
