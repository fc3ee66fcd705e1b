"""What measures generation on a GPU runs: here tiny on the processor, and at full size as shapes alone."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")

from anix_cli.generate.diffusion.ladder import ways  # noqa: E402
from anix_cli.generate.vace.models import MODELS  # noqa: E402
from benchmarks import generation  # noqa: E402


def test_a_tiny_model_is_measured_on_the_processor():
    row = generation.measure("tiny", "cpu", (96, 64), 9, {"steps": 3, "motion": "text"}, 1)
    assert "failed" not in row and "vram_gib" not in row and row["ram_gib"] > 0.1
    assert 0 < row["step_s"] < row["clip_s"] and 0 < row["layer_s"] < row["clip_s"] and row["bare_s"] > 0
    assert row["overhead"] == pytest.approx(row["layer_s"] / (row["clip_s"] - row["layer_s"]))
    assert "3 steps" in generation.told(row)


def test_memory_that_runs_out_is_a_row(monkeypatch):
    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(generation, "built", full)
    row = generation.measure("tiny", "cpu", (96, 64), 9, {"steps": 3, "motion": "text"}, 1)
    assert row["failed"] == "out of memory" and "out of memory" in generation.told(row)


def test_the_full_size_is_the_published_one(monkeypatch):
    monkeypatch.setattr(generation, "_fill", lambda part: None)  # stays on the meta device
    pipe = generation.built("1.3b", torch.bfloat16)
    gib = sum(each.numel() for each in pipe.transformer.parameters()) * 2 / 2**30
    text = sum(each.numel() for each in pipe.text_encoder.parameters()) * 2 / 2**30
    assert gib == pytest.approx(MODELS["1.3b"].transformer_gib, abs=0.05)
    assert text == pytest.approx(MODELS["1.3b"].text_gib, abs=0.05)
    assert [rung.name for rung in generation.rungs("14b")] == [rung.name for rung in ways(MODELS["14b"])]
