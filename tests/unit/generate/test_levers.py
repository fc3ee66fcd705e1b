"""What may make a model quicker, through diffusers on tiny random weights: off unless asked for."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
pytest.importorskip("transformers")

from anix_cli import generate  # noqa: E402
from anix_cli.core.errors import AnixError  # noqa: E402
from anix_cli.generate import capabilities  # noqa: E402
from anix_cli.generate.diffusion import levers  # noqa: E402
from anix_cli.generate.diffusion.ladder import Rung  # noqa: E402
from anix_cli.generate.diffusion.levers import OFF, Levers  # noqa: E402
from anix_cli.generate.firstframe import noise, pipeline  # noqa: E402
from anix_cli.generate.firstframe.families import FAMILIES  # noqa: E402
from anix_cli.generate.firstframe.models import Sampling  # noqa: E402

_spec = importlib.util.spec_from_file_location(
    "vace_conditions", Path(__file__).parent / "test_vace_conditions.py"
)
_by_hand = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_by_hand)
asked_of_vace = _by_hand.asked

CPU = Rung("cpu", dtype="float32", device="cpu")
PICTURE = np.random.default_rng(0).integers(0, 255, (64, 96, 3), dtype=np.uint8)
WEIGHTS = {"wan-i2v": "wan2.1-i2v-480p", "cogvideox": "cogvideox-5b-i2v"}


def loaded(name, asked=OFF, rung=CPU):
    torch.set_num_threads(1)
    return pipeline.load(noise.tiny_weights(WEIGHTS[name]), rung, FAMILIES[name], asked)


def sampled(held, steps=10):
    frames = 9 if held.family.vae == "AutoencoderKLWan" else 49
    return pipeline.sample(held, PICTURE, "runs", "", frames=frames, settings=Sampling(steps, 5.0, None),
                           seed=1, step=lambda done: None)  # fmt: skip


def blocks(held):
    found = getattr(held.pipe.transformer, "blocks", None)
    return held.pipe.transformer.transformer_blocks if found is None else found


@pytest.mark.parametrize("cache", levers.CACHES)
def test_a_cache_leaves_out_work_and_little_of_the_result(cache):
    counted = {}
    for name in ("none", cache):
        held = loaded("wan-i2v", Levers(cache=name))
        calls = []
        blocks(held)[-1].attn1.register_forward_hook(lambda *_, calls=calls: calls.append(1))
        first = sampled(held)
        counted[name] = (len(calls), first)
        again = sampled(held)
        assert torch.equal(again, first)  # nothing is left over from the clip before
    (most, exact), (fewer, near) = counted["none"], counted[cache]
    assert most == 20 and fewer <= 12
    assert 0 < float((near - exact).norm() / exact.norm()) < 0.2


def test_vace_takes_a_cache_and_tells_it(monkeypatch):
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    backend = generate.get("wan-vace-noise")
    notes = {}
    request = replace(asked_of_vace(frames=4), note=notes.__setitem__)
    frames = {}
    for cache in ("none", "taylorseer"):
        options = {"steps": 8, "cache": cache}
        frames[cache] = backend.generate(replace(request, options=options), lambda done, total: None)
        told = notes["wan_vace"]["levers"]
        assert told == ({} if cache == "none" else {"cache": cache})
    assert frames["none"].tobytes() != frames["taylorseer"].tobytes()
    backend.generate(replace(request, options=options, precise=True), lambda done, total: None)
    assert notes["wan_vace"]["levers"] == {}
    backend.close()


def test_a_first_block_cache_that_never_skips_changes_nothing(monkeypatch):
    never = diffusers.FirstBlockCacheConfig(threshold=0.0)
    monkeypatch.setattr(levers, "_cache", lambda name: never)
    for name in WEIGHTS:
        torch.testing.assert_close(
            sampled(loaded(name, Levers(cache="first-block")), 3), sampled(loaded(name), 3)
        )


def test_a_kernel_of_pytorch_gives_the_same():
    torch.testing.assert_close(
        sampled(loaded("wan-i2v", Levers(attention="native")), 2), sampled(loaded("wan-i2v"), 2)
    )


@pytest.mark.parametrize(
    ("asked", "package"),
    [(Levers(attention="sage"), "sageattention"), (Levers(attention="flash"), "flash-attn"),
     (Levers(storage="int8"), "torchao")],
)  # fmt: skip
def test_what_is_not_installed_is_named(asked, package, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torchao.quantization", None)
    with pytest.raises(AnixError) as raised:
        loaded("wan-i2v", asked)
    (problem,) = raised.value.diagnostics
    assert problem.code == "E471" and f"pip install {package}" in problem.hint


def test_eight_bits_are_asked_for_or_the_ladders():
    held = loaded("wan-i2v", Levers(storage="fp8"))
    assert held.rung.name == "cpu, fp8"
    assert blocks(held)[0].ffn.net[2].weight.dtype == torch.float8_e4m3fn
    assert levers.rung_with(CPU, OFF) == CPU


def test_the_repeated_blocks_are_compiled_where_they_run(monkeypatch):
    compiled = []
    monkeypatch.setattr(torch.nn.Module, "compile", lambda self, *_, **__: compiled.append(self))
    held = loaded("wan-i2v", Levers(compile=True))
    assert compiled == list(blocks(held))


def test_none_is_on_unless_asked_for():
    assert levers.levers({}) == OFF and OFF.named == {}
    asked = levers.levers({"cache": "taylorseer", "compile": True, "storage": "fp8", "steps": 4})
    assert asked.named == {"cache": "taylorseer", "compile": True, "storage": "fp8"}


def test_each_backend_offers_the_caches_that_its_pipeline_has_a_place_for():
    offered = {
        name: capabilities(name).options["cache"].choices if "cache" in capabilities(name).options else ()
        for name in ("cogvideox", "hunyuan-video", "wan-i2v", "wan-vace")
    }
    assert offered == {
        "wan-vace": ("none", "taylorseer"),
        "cogvideox": ("none", *levers.CACHES), "hunyuan-video": (), "wan-i2v": ("none", *levers.CACHES),
    }  # fmt: skip


def test_what_a_model_cannot_do_is_not_offered():
    offered = {name: capabilities(name).options for name in ("cogvideox", "hunyuan-video", "wan-vace")}
    assert "compile" not in offered["cogvideox"] and "compile" in offered["hunyuan-video"]
    assert offered["hunyuan-video"]["attention"].choices == ("auto", "native")
    assert offered["wan-vace"]["attention"].choices == levers.ATTENTION
    for name, kind in (("cogvideox", diffusers.CogVideoXTransformer3DModel),
                       ("hunyuan-video", diffusers.HunyuanVideoTransformer3DModel),
                       ("wan-vace", diffusers.WanVACETransformer3DModel)):  # fmt: skip
        assert bool(getattr(kind, "_repeated_blocks", None)) == ("compile" in offered[name])
