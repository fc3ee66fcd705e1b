"""HunyuanCustom's pickle into a folder that the backend loads, at a tiny size and in its own names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")
pytest.importorskip("transformers")

from anix_cli.cli.main import run  # noqa: E402
from anix_cli.generate.anix import noise  # noqa: E402
from anix_cli.model.anix import checkpoints, conversion, names  # noqa: E402

REFINERS = ("context_embedder.token_refiner.refiner_blocks", "txt_in.individual_token_refiner.blocks")


def original(state: dict[str, Any]) -> dict[str, Any]:
    """diffusers' tensors in the names of HunyuanVideo's own code."""
    plain = {
        "x_embedder": "img_in", "time_text_embed.timestep_embedder.linear_1": "time_in.mlp.0",
        "time_text_embed.timestep_embedder.linear_2": "time_in.mlp.2",
        "time_text_embed.text_embedder.linear_1": "vector_in.in_layer",
        "time_text_embed.text_embedder.linear_2": "vector_in.out_layer", "proj_out": "final_layer.linear",
        "context_embedder.proj_in": "txt_in.input_embedder",
        "context_embedder.time_text_embed.timestep_embedder.linear_1": "txt_in.t_embedder.mlp.0",
        "context_embedder.time_text_embed.timestep_embedder.linear_2": "txt_in.t_embedder.mlp.2",
        "context_embedder.time_text_embed.text_embedder": "txt_in.c_embedder",
    }  # fmt: skip
    norms = {
        "attn.norm_q": "img_attn_q_norm", "attn.norm_k": "img_attn_k_norm",
        "attn.norm_added_q": "txt_attn_q_norm", "attn.norm_added_k": "txt_attn_k_norm",
    }  # fmt: skip
    found: dict[str, Any] = {}
    fused: dict[str, dict[int, Any]] = {}
    for key, one in state.items():
        layer, _, kind = key.rpartition(".")
        if key.startswith("bg_"):
            found[key] = one
        elif layer == "norm_out.linear":
            scale, shift = one.chunk(2)
            found[f"final_layer.adaLN_modulation.1.{kind}"] = torch.cat([shift, scale])
        elif (part := names.original_of("hunyuan", layer)) is not None:
            if len(part.parts) == 1:
                found[f"{part.layer}.{kind}"] = one
            else:
                fused.setdefault(f"{part.layer}.{kind}", {})[part.index] = one
        elif layer.startswith("transformer_blocks."):
            _, number, inner = layer.split(".", 2)
            found[f"double_blocks.{number}.{norms[inner]}.{kind}"] = one
        elif layer.startswith("single_transformer_blocks."):
            _, number, inner = layer.split(".", 2)
            found[f"single_blocks.{number}.{inner.removeprefix('attn.norm_')}_norm.{kind}"] = one
        elif "refiner_blocks" in layer:
            theirs = layer.replace(*REFINERS)
            found[f"{theirs}.{kind}"] = one
        else:
            ours = next(name for name in sorted(plain, key=len, reverse=True) if layer.startswith(name))
            found[f"{plain[ours]}{layer.removeprefix(ours)}.{kind}"] = one
    return found | {key: torch.cat([parts[at] for at in sorted(parts)]) for key, parts in fused.items()}


@pytest.fixture
def tiny() -> tuple[Any, dict[str, Any]]:
    """A transformer without single blocks, whose width diffusers' converter takes for granted to be 3072."""
    from anix_models import anix

    ours = anix("hunyuan", num_layers=1, num_single_layers=0, num_refiner_layers=1)
    config = {name: value for name, value in ours.config.items() if not name.startswith("_")}
    return ours, config


def test_a_published_pickle_becomes_a_pipeline(tiny: Any, tmp_path: Path) -> None:
    ours, config = tiny
    checkpoint = tmp_path / "mp_rank_00_model_states.pt"
    torch.save({"module": original(ours.state_dict())}, checkpoint)
    parts = noise.tiny_weights("hunyuancustom-editing")
    report = conversion.convert(checkpoint, parts, tmp_path / "made", config)
    assert report.whole and not report.missing and not report.unexpected
    _, state = checkpoints.read(tmp_path / "made" / "transformer")
    expected = ours.state_dict()
    assert set(state) == set(expected)
    assert all(torch.equal(state[key], expected[key].to(torch.bfloat16)) for key in state)
    index = json.loads((tmp_path / "made" / "model_index.json").read_text())
    assert index["_class_name"] == "AniXHunyuanVideoPipeline"
    assert (tmp_path / "made" / "vae" / "config.json").read_text() == (
        parts / "vae" / "config.json"
    ).read_text()


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path) -> None:
    import os
    import pickle

    class Harm:
        def __reduce__(self) -> Any:
            return os.system, (f"touch {tmp_path}/harm",)

    (tmp_path / "bad.pt").write_bytes(pickle.dumps({"module": Harm()}))
    torch.save({"module": {"double_blocks.0.x": Harm()}}, tmp_path / "worse.pt")
    for name in ("bad.pt", "worse.pt"):
        with pytest.raises(conversion.UnusableError):
            conversion.read_pickle(tmp_path / name)
    assert not (tmp_path / "harm").exists()


def test_a_checkpoint_with_a_hole_or_too_much_is_refused(tiny: Any, tmp_path: Path) -> None:
    ours, config = tiny
    state = original(ours.state_dict())
    parts = noise.tiny_weights("hunyuancustom-editing")
    for broken in (
        {key: one for key, one in state.items() if key != "img_in.proj.weight"},
        {**state, "audio_proj.weight": torch.ones(2)},
    ):
        torch.save(broken, tmp_path / "broken.pt")
        with pytest.raises(conversion.UnusableError):
            conversion.convert(tmp_path / "broken.pt", parts, tmp_path / "made", config)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["hunyuancustom-editing", "x.pt"], "E475"),
        (["wan2.1-vace-1.3b", "x.pt", "--from-pickle"], "E476"),
        (["hunyuancustom-editing", "gone.pt", "--from-pickle"], "E475"),
        (["hunyuancustom-editing", "x.pt", "--from-pickle"], "E474"),
    ],
)
def test_the_command_says_what_is_missing(
    arguments: list[str], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path / "weights"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    (tmp_path / "x.pt").write_bytes(b"nothing")
    assert run(["models", "convert", *arguments]) in {2, 4}
    assert code in capsys.readouterr().err


def test_what_is_published_as_a_pickle_is_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert run(["models", "pull", "hunyuancustom-editing"]) == 4
    said = capsys.readouterr().err
    assert "E474" in said and "anix models convert hunyuancustom-editing" in said


def test_the_command_leaves_nothing_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    weights = tmp_path / "weights"
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(weights))
    weights.mkdir()
    (weights / "hunyuan-video-i2v").symlink_to(noise.tiny_weights("hunyuancustom-editing"))
    (tmp_path / "x.pt").write_bytes(b"nothing")
    assert run(["models", "convert", "hunyuancustom-editing", "x.pt", "--from-pickle"]) == 4
    assert "E475" in capsys.readouterr().err
    assert sorted(path.name for path in weights.iterdir()) == ["hunyuan-video-i2v"]
