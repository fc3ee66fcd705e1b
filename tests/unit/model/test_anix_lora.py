"""LoRA files from hand to hand: round trips, the change of each weight, diffusers' own converter."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")

from anix_cli.model.anix import lora, names  # noqa: E402

WIDTH = 8
HUNYUAN = {
    "transformer_blocks.0.attn.to_q": (WIDTH, WIDTH), "transformer_blocks.0.attn.to_k": (WIDTH, WIDTH),
    "transformer_blocks.0.attn.to_v": (WIDTH, WIDTH), "transformer_blocks.0.attn.add_q_proj": (WIDTH, WIDTH),
    "transformer_blocks.0.attn.add_k_proj": (WIDTH, WIDTH),
    "transformer_blocks.0.attn.add_v_proj": (WIDTH, WIDTH),
    "transformer_blocks.0.attn.to_out.0": (WIDTH, WIDTH),
    "transformer_blocks.0.attn.to_add_out": (WIDTH, WIDTH),
    "transformer_blocks.0.ff.net.0.proj": (4 * WIDTH, WIDTH),
    "transformer_blocks.0.ff.net.2": (WIDTH, 4 * WIDTH),
    "transformer_blocks.0.ff_context.net.0.proj": (4 * WIDTH, WIDTH),
    "single_transformer_blocks.11.attn.to_q": (WIDTH, WIDTH),
    "single_transformer_blocks.11.attn.to_k": (WIDTH, WIDTH),
    "single_transformer_blocks.11.attn.to_v": (WIDTH, WIDTH),
    "single_transformer_blocks.11.proj_mlp": (4 * WIDTH, WIDTH),
    "single_transformer_blocks.11.proj_out": (WIDTH, 5 * WIDTH),
    "context_embedder.token_refiner.refiner_blocks.1.attn.to_out.0": (WIDTH, WIDTH),
}  # fmt: skip
WAN = {
    "blocks.3.attn1.to_q": (WIDTH, WIDTH), "blocks.3.attn2.to_out.0": (WIDTH, WIDTH),
    "blocks.3.ffn.net.0.proj": (4 * WIDTH, WIDTH), "blocks.12.ffn.net.2": (WIDTH, 4 * WIDTH),
}  # fmt: skip


def made(shapes: dict[str, tuple[int, int]], base: str, alpha: float = 4.0, rank: int = 2) -> lora.Lora:
    drawn = torch.Generator().manual_seed(3)
    layers = {
        name: lora.Layer(
            torch.randn(rank, wide, generator=drawn), torch.randn(out, rank, generator=drawn), alpha
        )
        for name, (out, wide) in shapes.items()
    }
    return lora.Lora(base, layers, {"bg_proj.bias": torch.ones(3)})


@pytest.mark.parametrize("style", lora.STYLES)
@pytest.mark.parametrize(("shapes", "base"), [(HUNYUAN, "hunyuan"), (WAN, "wan")])
def test_there_and_back_changes_the_same_weights(shapes: Any, base: str, style: lora.Style) -> None:
    ours = made(shapes, base)
    file = lora.write(ours, style)
    assert lora.style_of(file) == style
    again = lora.read(file)
    assert again.base == base and set(again.layers) == set(ours.layers)
    for name, layer in ours.layers.items():
        assert torch.allclose(again.layers[name].change, layer.change, atol=1e-6), name
        assert again.layers[name].rank == layer.rank
    assert torch.equal(again.others["bg_proj.bias"], torch.ones(3))
    twice = lora.write(lora.read(lora.write(again, style)), style)
    once = lora.write(again, style)
    assert set(twice) == set(once)
    assert all(torch.equal(twice[name], once[name]) for name in once)


def test_names_of_the_original() -> None:
    file = lora.write(made(HUNYUAN, "hunyuan"), "kohya")
    stems = {name.split(".")[0] for name in file if name.startswith("lora_unet")}
    assert stems == {
        "lora_unet_double_blocks_0_img_attn_qkv", "lora_unet_double_blocks_0_txt_attn_qkv",
        "lora_unet_double_blocks_0_img_attn_proj", "lora_unet_double_blocks_0_txt_attn_proj",
        "lora_unet_double_blocks_0_img_mlp_fc1", "lora_unet_double_blocks_0_img_mlp_fc2",
        "lora_unet_double_blocks_0_txt_mlp_fc1", "lora_unet_single_blocks_11_linear1",
        "lora_unet_single_blocks_11_linear2",
        "lora_unet_txt_in_individual_token_refiner_blocks_1_self_attn_proj",
    }  # fmt: skip
    assert names.original_of("wan", "blocks.3.attn2.to_out.0") == names.Part(
        "blocks.3.cross_attn.o", 0, ("blocks.3.attn2.to_out.0",)
    )


def test_a_shared_down_of_the_original_serves_all_its_parts() -> None:
    drawn = torch.Generator().manual_seed(1)
    down, up = torch.randn(2, WIDTH, generator=drawn), torch.randn(3 * WIDTH, 2, generator=drawn)
    stem = "diffusion_model.double_blocks.0.img_attn_qkv"
    file = {f"{stem}.lora_A.weight": down, f"{stem}.lora_B.weight": up, f"{stem}.alpha": torch.tensor(2.0)}
    parts = lora.read(file).layers
    assert torch.equal(torch.cat([one.change for one in parts.values()]), up @ down)
    back = lora.write(lora.read(file), "original")
    assert torch.equal(back[f"{stem}.lora_A.weight"], down) and torch.equal(back[f"{stem}.lora_B.weight"], up)


def test_diffusers_own_converter_reads_the_original_alike() -> None:
    from diffusers.loaders.lora_conversion_utils import _convert_hunyuan_video_lora_to_diffusers

    wide = 3072  # it knows the full width alone
    drawn = torch.Generator().manual_seed(2)
    outs = {"double_blocks.0.img_attn_qkv": 3 * wide, "single_blocks.0.linear1": 7 * wide,
            "double_blocks.0.txt_attn_proj": wide}  # fmt: skip
    file = {}
    for layer, out in outs.items():
        file[f"{layer}.lora_A.weight"] = torch.randn(1, wide, generator=drawn)
        file[f"{layer}.lora_B.weight"] = torch.randn(out, 1, generator=drawn)
    theirs = _convert_hunyuan_video_lora_to_diffusers(dict(file))
    ours = lora.write(lora.read(file), "diffusers")
    assert set(theirs) == set(ours)
    assert all(torch.equal(theirs[name], ours[name]) for name in ours)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ({"weight": (2, 2)}, "no LoRA"),
        ({"blocks.0.attn1.to_q.lora_A.weight": (2, 8)}, "half"),
        ({"mid.0.lora_A.weight": (2, 8), "mid.0.lora_B.weight": (8, 2)}, "neither"),
        ({"blocks.0.attn1.to_q.lora_A.weight": (2, 8), "blocks.0.attn1.to_q.lora_B.weight": (8, 3)},
         "don't fit"),
        ({"blocks.0.attn1.to_q.lora_A.weight": (2, 8), "blocks.0.attn1.to_q.lora_B.weight": (8, 2),
          "blocks.0.norm9.lora_A.weight": (2, 8), "blocks.0.norm9.lora_B.weight": (8, 2)}, "no layer"),
    ],
)  # fmt: skip
def test_what_is_no_lora_is_told(file: dict[str, tuple[int, ...]], why: str) -> None:
    with pytest.raises(lora.UnreadableError, match=why):
        lora.read({name: torch.zeros(shape) for name, shape in file.items()})
