"""Adapters: saved, read and put on a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")
pytest.importorskip("peft")

from anix_models import BASES, anix, asked, given, velocity  # noqa: E402

from anix_cli.model.anix import adapter, checkpoints, lora  # noqa: E402

both = pytest.mark.parametrize("kind", BASES)


def made(model: Any, rank: int = 2, **story: Any) -> adapter.Adapter:
    """A random adapter for all of a model's layers, with a projector."""
    drawn = torch.Generator().manual_seed(4)
    layers = {}
    for name in adapter.lora_layers(model):
        out, wide = model.get_submodule(name).weight.shape
        layers[name] = lora.Layer(
            torch.randn(rank, wide, generator=drawn) * 0.2, torch.randn(out, rank, generator=drawn) * 0.2, 1.0
        )
    projector = {
        name: torch.randn(model.state_dict()[name].shape, generator=drawn) * 0.1
        for name in checkpoints.PROJECTOR
    }
    told = adapter.Story(adapter.base_of(model), rank=rank, alpha=1.0, sigmas=(1.0, 0.75), **story)
    return adapter.Adapter(told, layers, projector)


@both
def test_saved_read_and_put_on_a_model(kind: str, tmp_path: Path) -> None:
    first, second = anix(kind, trained=False), anix(kind, trained=False)
    ours = made(first, weights="hunyuanvideo", guidance=3.5)
    adapter.save(tmp_path / "a.safetensors", ours)
    again = adapter.load(tmp_path / "a.safetensors")
    assert again.story == adapter.Story(kind, "hunyuanvideo", 2, 1.0, sigmas=[1.0, 0.75], guidance=3.5)
    call, every = asked(kind), given()
    untouched = velocity(first, call, every)
    assert adapter.apply(first, ours) == adapter.apply(second, again) == 1.0
    expected = velocity(first, call, every)
    assert torch.allclose(velocity(second, call, every), expected, atol=1e-6)
    assert (expected - untouched).abs().max() > 1e-3
    by_hand = anix(kind, trained=False)
    state = by_hand.state_dict()
    for name, layer in ours.layers.items():
        state[f"{name}.weight"] += layer.change
    state |= ours.projector
    by_hand.load_state_dict(state)
    assert (velocity(by_hand, call, every) - expected).abs().max() < 1e-5


@both
@pytest.mark.parametrize("style", lora.STYLES)
def test_a_plain_lora_of_any_hand_is_an_adapter_without_a_projector(
    kind: str, style: lora.Style, tmp_path: Path
) -> None:
    from safetensors.torch import save_file

    model, other = anix(kind), anix(kind)
    ours = made(model)
    save_file(lora.write(lora.Lora(kind, ours.layers, {}), style), tmp_path / "b.safetensors")
    again = adapter.load(tmp_path / "b.safetensors")
    assert not again.projector and again.story.rank == 2
    adapter.apply(other, again)
    adapter.apply(model, adapter.Adapter(ours.story, ours.layers))
    call, every = asked(kind), given()
    assert torch.allclose(velocity(other, call, every), velocity(model, call, every), atol=1e-5)


def test_alphas_that_diffusers_writes_into_the_metadata_count(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    down, up = torch.ones(2, 24), torch.ones(24, 2)
    stem = "transformer.blocks.0.attn1.to_q"
    told = {
        "format": "pt",
        "lora_adapter_metadata": json.dumps({"transformer.lora_alpha": 8, "transformer.r": 2}),
    }
    save_file({f"{stem}.lora_A.weight": down, f"{stem}.lora_B.weight": up}, tmp_path / "c.safetensors", told)
    (layer,) = adapter.load(tmp_path / "c.safetensors").layers.values()
    assert layer.change[0, 0] == 8 / 2 * 2


@both
def test_what_does_not_fit_is_refused_before_anything_is_loaded(kind: str, tmp_path: Path) -> None:
    model = anix(kind)
    other = "wan" if kind == "hunyuan" else "hunyuan"
    with pytest.raises(adapter.UnfitError, match=f"made for {other}"):
        adapter.apply(model, made(anix(other)))
    ours = made(model)
    name = next(iter(ours.layers))
    ours.layers[name] = lora.Layer(torch.ones(2, 5), torch.ones(5, 2), 1.0)
    with pytest.raises(adapter.UnfitError, match="no layer"):
        adapter.apply(model, ours)
    wide = made(anix(kind, characters=2))
    with pytest.raises(adapter.UnfitError, match=r"bg_in\.proj\.weight"):
        adapter.apply(model, wide)


def test_files_that_are_none(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    (tmp_path / "broken.safetensors").write_bytes(b"\x80\x04pickle?")
    with pytest.raises(adapter.UnfitError, match="no safetensors"):
        adapter.load(tmp_path / "broken.safetensors")
    save_file({"weight": torch.ones(2)}, tmp_path / "none.safetensors")
    with pytest.raises(adapter.UnfitError, match="no LoRA"):
        adapter.load(tmp_path / "none.safetensors")
    ours = made(anix("wan"), recipe="0")
    adapter.save(tmp_path / "old.safetensors", ours)
    with pytest.raises(adapter.UnfitError, match="recipe 0"):
        adapter.load(tmp_path / "old.safetensors")
