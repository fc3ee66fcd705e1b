"""On a CUDA GPU: every way to hold a model gives what the processor gives, on tiny random weights."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")
pytest.importorskip("peft")

from anix_cli.generate.diffusion import ladder  # noqa: E402
from anix_cli.generate.diffusion.ladder import Rung  # noqa: E402
from anix_cli.generate.firstframe import noise, pipeline  # noqa: E402
from anix_cli.generate.firstframe.families import FAMILIES  # noqa: E402
from anix_cli.generate.firstframe.models import MODELS, Sampling  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

PICTURE = np.random.default_rng(0).integers(0, 255, (64, 96, 3), dtype=np.uint8)
MODEL = MODELS["wan-i2v"]["2.1-480p"]


def latents_of(rung):
    held = pipeline.load(noise.tiny_weights(MODEL.weights), rung, FAMILIES["wan-i2v"])
    made = pipeline.sample(held, PICTURE, "runs", "", frames=9, settings=Sampling(3, 5.0, 3.0), seed=1,
                           step=lambda done: None)  # fmt: skip
    return made, pipeline.decode(held, made, tiled=False)


@pytest.mark.parametrize("way", [rung.name for rung in ladder.ways(MODEL)])
def test_every_rung_gives_what_the_processor_gives(way):
    rung = next(rung for rung in ladder.ways(MODEL) if rung.name == way)
    exact, _ = latents_of(Rung("cpu", dtype="float32", device="cpu"))
    found, frames = latents_of(rung)
    error = float((found - exact).norm() / exact.norm())
    assert error < (0.3 if rung.fp8 else 0.1)
    assert frames.shape == (9, 64, 96, 3)


def test_what_is_free_is_measured():
    now = ladder.machine()
    assert now.vram_gib is not None and 0 < now.vram_gib < 1000 and now.ram_gib > 0
