"""Public checkpoints at full size, on the meta device: every key, with its shape, has its place in the model.

Tiny models prove that the code runs; that it fits what is published is proved here, without the weights.
"""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
transformers = pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file  # noqa: E402

from anix_cli.generate.diffusion.ladder import Rung  # noqa: E402
from anix_cli.generate.vace import noise, pipeline  # noqa: E402
from anix_cli.generate.vace.lora import left_out, modules_of  # noqa: E402

KEYS = Path(__file__).parent / "keys"
VACE_14B = {"num_attention_heads": 40, "ffn_dim": 13824, "num_layers": 40, "vace_layers": range(0, 40, 5)}


def on_meta(make, **config):
    with torch.device("meta"):
        return make(**config)


def published(name):
    """Tensors of a checkpoint: names and shapes as its own model definition has them, bfloat16."""
    made = {}
    for line in (KEYS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        key, shape = line.split("\t")
        sides = [int(side) for side in shape.split("x")]
        made[key] = torch.empty(sides, device="meta", dtype=torch.bfloat16)
    return made


@pytest.mark.parametrize(
    ("name", "tensors", "billions", "beside"),
    [
        ("hunyuancustom_720P", 852, 12.811, set()),
        ("hunyuancustom_editing_720P", 856, 12.821,
         {"bg_in.proj.weight", "bg_in.proj.bias", "bg_proj.weight", "bg_proj.bias"}),
    ],
)  # fmt: skip
def test_hunyuancustom_is_hunyuanvideo_without_guidance(name, tensors, billions, beside):
    from diffusers.loaders.single_file_utils import convert_hunyuan_video_transformer_to_diffusers

    checkpoint = published(name)
    assert len(checkpoint) == tensors
    assert sum(each.numel() for each in checkpoint.values()) / 1e9 == pytest.approx(billions, abs=5e-4)
    found = convert_hunyuan_video_transformer_to_diffusers(dict(checkpoint))
    model = on_meta(diffusers.HunyuanVideoTransformer3DModel, guidance_embeds=False).state_dict()
    assert model.keys() - found.keys() == set()
    assert found.keys() - model.keys() == beside
    for key, tensor in model.items():
        assert found[key].shape == tensor.shape and found[key].dtype == torch.bfloat16, key


PUBLISHED_GB = {
    # Sizes that the hub lists for the files, in 1e9 bytes.
    "UMT5 of Wan": (11.36, 2, lambda: transformers.UMT5EncoderModel(transformers.UMT5Config(
        vocab_size=256384, d_model=4096, d_kv=64, d_ff=10240, num_layers=24, num_heads=64,
        feed_forward_proj="gated-gelu"))),
    "VAE of Wan": (0.508, 4, diffusers.AutoencoderKLWan),
    "Wan2.2-VACE-Fun": (34.7, 2, lambda: diffusers.WanVACETransformer3DModel(**VACE_14B)),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED_GB)
def test_what_is_built_is_as_large_as_what_is_published(name):
    listed, bytes_each, make = PUBLISHED_GB[name]
    model = on_meta(make)
    found = sum(each.numel() for each in model.parameters()) * bytes_each / 1e9
    assert found == pytest.approx(listed, rel=0.003)


# The four-step LoRA, with all kinds of tensors that users report of lightx2v's rank-64 files (diffusers
# pull request 12040, ComfyUI-WanVideoWrapper issue 807).

BEYOND = ("text_embedding.0", "text_embedding.2", "time_embedding.0", "time_embedding.2", "time_projection.1",
          "head.head")  # fmt: skip


def lora_tensors(width, ffn, blocks, sizes, rank, make):
    """All tensors of such a file. ``sizes``: (in, out) of what lies beyond the blocks."""
    tensors = {}

    def layer(name, fan_in, out):
        tensors[f"{name}.lora_down.weight"] = make(rank, fan_in)
        tensors[f"{name}.lora_up.weight"] = make(out, rank)
        tensors[f"{name}.diff_b"] = make(out)

    for n in range(blocks):
        for kind in ("self_attn", "cross_attn"):
            for part in "qkvo":
                layer(f"blocks.{n}.{kind}.{part}", width, width)
            for norm in ("norm_q", "norm_k"):
                tensors[f"blocks.{n}.{kind}.{norm}.diff"] = make(width)
        layer(f"blocks.{n}.ffn.0", width, ffn)
        layer(f"blocks.{n}.ffn.2", ffn, width)
        tensors[f"blocks.{n}.norm3.diff"] = make(width)
        tensors[f"blocks.{n}.norm3.diff_b"] = make(width)
        tensors[f"blocks.{n}.diff_m"] = make(1, 6, width)
    for name in BEYOND:
        layer(name, *sizes[name])
    tensors["head.diff_m"] = make(1, 2, width)
    tensors["patch_embedding.diff"] = make(width, 16, 1, 2, 2)
    tensors["patch_embedding.diff_b"] = make(width)
    return {f"diffusion_model.{name}": tensor for name, tensor in tensors.items()}


def beyond(width, text, freq, out):
    return dict(zip(BEYOND, [(text, width), (width, width), (freq, width), (width, width),
                             (width, 6 * width), (width, out)], strict=True))  # fmt: skip


def test_every_key_of_the_lora_is_a_layer_of_the_full_size_model():
    from diffusers.loaders.lora_conversion_utils import _convert_non_diffusers_wan_lora_to_diffusers

    model = on_meta(lambda: diffusers.WanVACETransformer3DModel(**VACE_14B)).state_dict()
    file = lora_tensors(5120, 13824, 40, beyond(5120, 4096, 256, 64), 64,
                        lambda *shape: torch.empty(shape, device="meta", dtype=torch.bfloat16))  # fmt: skip
    assert len(modules_of(file)) == 40 * 10 + 6
    found = _convert_non_diffusers_wan_lora_to_diffusers(dict(file))
    assert len(found) + len(left_out(file)) == len(file)  # every tensor is used, or known to be left out
    for name, tensor in found.items():
        layer, kind = name.removeprefix("transformer.").rsplit(".lora_", 1)
        out, fan_in = model[f"{layer}.weight"].shape
        assert (
            tuple(tensor.shape) == {"A.weight": (64, fan_in), "B.weight": (out, 64), "B.bias": (out,)}[kind]
        )
        assert tensor.dtype == torch.bfloat16


@pytest.mark.filterwarnings("ignore:While injecting the PEFT adapters:RuntimeWarning")
def test_such_a_file_is_fused_whole_and_what_is_left_out_is_told(tmp_path):
    noise.write_pipeline(tmp_path / "model")
    drawn = torch.Generator().manual_seed(3)
    file = lora_tensors(24, 32, 2, beyond(24, 32, 16, 64), 2,
                        lambda *shape: torch.randn(shape, generator=drawn) * 0.1)  # fmt: skip
    save_file(file, tmp_path / "lora.safetensors")
    rung = Rung("cpu", dtype="float32", device="cpu")
    plain = pipeline.load(tmp_path / "model", rung, None).pipe.transformer.state_dict()
    held = pipeline.load(tmp_path / "model", rung, tmp_path / "lora.safetensors")
    fused = held.pipe.transformer.state_dict()
    assert held.lora_share == 1.0
    assert held.lora_left_out == len(left_out(load_file(tmp_path / "lora.safetensors"))) == 17
    changed = {name for name in plain if not torch.equal(plain[name], fused[name])}
    assert len(changed) == 2 * (2 * 10 + 6)  # weight and bias of every layer
    up, down, bias = (
        file[f"diffusion_model.head.head.{end}"] for end in ("lora_up.weight", "lora_down.weight", "diff_b")
    )
    torch.testing.assert_close(fused["proj_out.weight"], plain["proj_out.weight"] + up @ down)
    torch.testing.assert_close(fused["proj_out.bias"], plain["proj_out.bias"] + bias)
