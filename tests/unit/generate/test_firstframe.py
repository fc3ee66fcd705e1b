"""The first-frame baselines through diffusers itself, on tiny random weights."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
transformers = pytest.importorskip("transformers")

from anix_cli import generate  # noqa: E402
from anix_cli.core.camera import intrinsics_from_fov_y  # noqa: E402
from anix_cli.core.clip import BadFrames  # noqa: E402
from anix_cli.core.errors import AnixError  # noqa: E402
from anix_cli.generate.animatic import AnimaticBackend  # noqa: E402
from anix_cli.generate.diffusion import ladder, modelbackend  # noqa: E402
from anix_cli.generate.diffusion.ladder import Rung  # noqa: E402
from anix_cli.generate.diffusion.making import sigmas_of  # noqa: E402
from anix_cli.generate.firstframe import noise, pipeline  # noqa: E402
from anix_cli.generate.firstframe.families import FAMILIES  # noqa: E402
from anix_cli.generate.firstframe.models import MODELS, Sampling, call_frames, sampling  # noqa: E402
from anix_cli.model.registry import WEIGHTS  # noqa: E402

_spec = importlib.util.spec_from_file_location("scenery", Path(__file__).parent / "scenery.py")
scenery = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(scenery)

NAMES = tuple(MODELS)


def film(frames: int = 29):
    """A whole shot, from which clips are cut."""
    root = np.stack([np.linspace(-0.4, 0.4, frames), np.zeros(frames), np.zeros(frames)], axis=1)
    who = scenery.subject(root, yaw=np.pi / 2, speed=1.2, phase=np.arange(frames) / 8)
    poses = [scenery.look_at((0.02 * n, 1.2, 4.0), (0, 0.8, 0)) for n in range(frames)]
    size = (96, 64)
    return scenery.request([who], poses, size_px=size, intrinsics=intrinsics_from_fov_y(40, size))


def cut(whole, start, stop, tail=None):
    """Frames start … stop − 1 as a request, after the last of the frames before."""
    first = start - (len(tail) if tail is not None else 0)
    part = slice(first, stop)
    return replace(
        whole,
        frames=stop - start,
        tail=whole.tail[:0] if tail is None else tail,
        **{
            n: getattr(whole, n)[part]
            for n in ("guide", "depth", "anchor", "world_from_camera", "intrinsics")
        },
        blocking=tuple(subject.frames(first, stop) for subject in whole.blocking),
    )


@pytest.fixture(scope="module")
def whole():
    return film()


@pytest.fixture
def make(monkeypatch):
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    opened = []

    def made(name):
        opened.append(generate.get(f"{name}-noise"))
        return opened[-1]

    yield made
    for one in opened:
        one.close()


def run(backend, request, **changes):
    notes = {}
    told = []
    frames = backend.generate(
        replace(request, note=notes.__setitem__, **changes), lambda done, total: told.append((done, total))
    )
    return frames, notes, told


@pytest.mark.parametrize("name", NAMES)
def test_two_clips_chain_and_repeat(name, whole, make, monkeypatch):
    """29 frames: 17, then 12 more from the last of them."""
    seen = []
    kind = getattr(diffusers, FAMILIES[name].pipeline)
    real = kind.__call__
    monkeypatch.setattr(kind, "__call__", lambda self, **given: (seen.append(given), real(self, **given))[1])
    backend = make(name)
    first, notes, told = run(backend, cut(whole, 0, 17))
    second, after, _ = run(backend, cut(whole, 17, 29, tail=first[-1:]), seed=8)
    assert [len(first), len(second)] == [17, 12]
    assert first.shape[1:] == (64, 96, 3) and first.dtype == np.uint8
    assert told == [(n, 3) for n in (1, 2, 3)]
    pictures = [np.asarray(given["image"]) for given in seen]
    drawn = AnimaticBackend().generate(cut(whole, 0, 17), lambda done, total: None)[0]
    np.testing.assert_array_equal(pictures[0], drawn)
    assert not np.array_equal(drawn, whole.guide[0])  # somebody stands in it
    np.testing.assert_array_equal(pictures[1], first[-1])
    frames = 49 if name == "cogvideox" else 17
    assert [(g["width"], g["height"]) for g in seen] == [(96, 64)] * 2
    assert [g["num_frames"] for g in seen] == [frames, 49 if name == "cogvideox" else 13]
    assert all(given["image"].mode == "RGB" and given["output_type"] == "latent" for given in seen)
    assert [given["generator"].initial_seed() for given in seen] == [7, 8]
    assert ("negative_prompt" in seen[0]) == (name != "hunyuan-video")
    made = notes[name.replace("-", "_")]
    assert made["first_frame"] == "of the animatic" and made["frames"] == frames
    assert after[name.replace("-", "_")]["first_frame"] == "of the clip before"
    assert "cameras" in made["cannot_take"] and notes["noise"] is True
    again, _, _ = run(make(name), cut(whole, 0, 17))
    assert again.tobytes() == first.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_what_it_uses_changes_its_pixels(name, whole, make):
    backend, request = make(name), cut(whole, 4, 9, tail=whole.guide[3:4])
    frames, _, _ = run(backend, request)
    changes = {"seed": {"seed": 9}, "prompt": {"prompt": "another"}, "negative": {"negative": "hats"},
               "tail": {"tail": 255 - request.tail}}  # fmt: skip
    for what, change in changes.items():
        other, _, _ = run(backend, request, **change)
        assert (other.tobytes() != frames.tobytes()) == (what in backend.capabilities.uses), what


def test_wan_2_2_shares_the_steps_between_two_experts(whole, make):
    backend = make("wan-i2v")
    frames, notes, _ = run(backend, cut(whole, 0, 5), options={"model": "2.2", "steps": 4})
    pipe = backend.holder.loaded.pipe
    assert len(frames) == 5 and pipe.transformer_2 is not None and pipe.image_encoder is None
    assert notes["wan_i2v"]["sigmas"] == sigmas_of(pipe.scheduler) and len(notes["wan_i2v"]["sigmas"]) == 5
    assert notes["wan_i2v"]["sampling"] == {"steps": 4, "guidance": 3.5, "shift": 5.0}
    assert pipe.scheduler.config.flow_shift == 5.0


@pytest.mark.parametrize("name", ["hunyuan-video", "wan-i2v"])
def test_a_shift_shifts_the_levels(name):
    model = next(iter(MODELS[name].values()))
    levels = []
    for shift in (3.0, 5.0):
        plain = Rung("cpu", dtype="float32", device="cpu")
        held = pipeline.load(noise.tiny_weights(model.weights), plain, FAMILIES[name])
        pipeline.sample(
            held, np.zeros((64, 96, 3), np.uint8), "runs", "", frames=5, settings=Sampling(2, 1.0, shift),
            seed=1, step=lambda done: None,
        )  # fmt: skip
        levels.append(sigmas_of(held.pipe.scheduler))
    assert len(levels[0]) == 3 and levels[1][1] > levels[0][1]


def test_presets_and_own_settings():
    model = MODELS["wan-i2v"]["2.1-480p"]
    steps = [sampling(model, (832, 480), {"preset": p}).steps for p in ("draft", "standard", "final")]
    assert steps == [20, 40, 60]
    assert sampling(model, (1280, 720), {}).shift == 5.0 and sampling(model, (832, 480), {}).shift == 3.0
    assert sampling(model, (832, 480), {"steps": 7, "guidance": 2}).steps == 7
    assert [call_frames(model, n) for n in (1, 2, 5, 6, 81)] == [1, 5, 5, 9, 81]
    assert call_frames(MODELS["cogvideox"]["5b"], 3) == 49


def test_capabilities_say_what_is_published():
    found = {name: generate.capabilities(name) for name in NAMES}
    assert {n: (c.fps, c.max_frames, c.tail) for n, c in found.items()} == {
        "cogvideox": (Fraction(8), 49, 1),
        "hunyuan-video": (Fraction(24), 129, 1),
        "wan-i2v": (Fraction(16), 81, 1),
    }
    assert found["cogvideox"].sizes == ((720, 480),)
    for name, takes in found.items():
        assert takes.cannot and "cameras" in takes.cannot and "anchor" not in takes.uses
        assert all(option.takes(option.default) for option in takes.options.values())
        rows = [WEIGHTS[model.weights] for model in MODELS[name].values()]
        assert all(row.repo in takes.weights and "no guide" in row.holds for row in rows)


# What goes wrong


class Spoiler:
    """Stands before a function and fails so many times."""

    def __init__(self, real, times) -> None:
        self.real, self.left = real, times

    def __call__(self, *given, **named):
        if self.left:
            self.left -= 1
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return self.real(*given, **named)


def code(raised):
    return raised.value.diagnostics[0].code


@pytest.mark.parametrize("name", ["hunyuan-video", "wan-i2v"])
def test_out_of_memory_goes_one_rung_down_and_stays_there(name, whole, make, monkeypatch):
    backend, request = make(name), cut(whole, 0, 5)
    monkeypatch.setattr(pipeline, "sample", Spoiler(pipeline.sample, 1))
    for _ in range(2):
        _, notes, _ = run(backend, request)
        assert notes[name.replace("-", "_")]["rung"] == "cpu fp8"
    monkeypatch.setattr(pipeline, "sample", Spoiler(pipeline.sample, 1))
    with pytest.raises(AnixError) as raised:
        run(backend, request)
    assert code(raised) == "E558"


def test_decoding_without_memory_is_tried_in_tiles_and_sampling_is_kept(whole, make, monkeypatch, tmp_path):
    backend, request = make("wan-i2v"), replace(cut(whole, 0, 5), scratch=tmp_path / "clip")
    decode, sample = pipeline.decode, pipeline.sample
    monkeypatch.setattr(pipeline, "decode", Spoiler(decode, 1))
    frames, notes, _ = run(backend, request)
    assert notes["wan_i2v"]["decoded"] == "in tiles"
    monkeypatch.setattr(pipeline, "decode", Spoiler(decode, 2))
    with pytest.raises(AnixError) as raised:
        run(backend, request)
    assert code(raised) == "E558" and "is kept" in raised.value.diagnostics[0].hint
    monkeypatch.setattr(pipeline, "decode", decode)
    monkeypatch.setattr(pipeline, "sample", Spoiler(sample, 9))
    again, notes, _ = run(backend, request)
    assert notes["wan_i2v"]["resumed"] == "at decoding"
    assert np.abs(again.astype(int) - frames).mean() < 2  # tiles of so small a picture are the whole


@pytest.mark.parametrize("name", ["hunyuan-video", "wan-i2v"])
def test_values_that_are_no_numbers_are_a_finding(name, whole, make, monkeypatch):
    backend, request = make(name), cut(whole, 0, 5)
    run(backend, request)
    pipe = backend.holder.loaded.pipe
    with torch.no_grad():
        next(pipe.transformer.parameters()).fill_(float("nan"))
    with pytest.raises(BadFrames, match="latents are not finite"):
        run(backend, request)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_missing_is_told_before_anything(name, monkeypatch):
    monkeypatch.setattr(ladder, "machine", lambda: ladder.Machine(None, 64.0))
    with pytest.raises(AnixError) as raised:
        generate.get(name).prepare([{}])
    assert code(raised) == "E472" and name in str(raised.value)
    monkeypatch.setattr(ladder, "machine", lambda: ladder.Machine(4.0, 64.0))
    with pytest.raises(AnixError) as raised:
        generate.get(name).prepare([{}])
    assert code(raised) == "E473"
    monkeypatch.setattr(modelbackend, "find_spec", lambda module: None)
    with pytest.raises(AnixError) as raised:
        generate.get(name).prepare([{}])
    assert code(raised) == "E471"


def test_offline_without_weights(monkeypatch, tmp_path):
    monkeypatch.setattr(ladder, "machine", lambda: ladder.Machine(80.0, 200.0))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path))
    for name in NAMES:
        with pytest.raises(AnixError) as raised:
            generate.get(name).prepare([{}])
        assert code(raised) == "E474"


# Full size


FULL = {
    "cogvideox": (
        "CogVideoXTransformer3DModel",
        {
            "num_attention_heads": 48, "attention_head_dim": 64, "in_channels": 32, "out_channels": 16,
            "num_layers": 42, "sample_width": 90, "sample_height": 60, "sample_frames": 49,
            "text_embed_dim": 4096, "max_text_seq_length": 226, "use_rotary_positional_embeddings": True,
            "use_learned_positional_embeddings": True,
        },
    ),
    "hunyuan-video": (
        "HunyuanVideoTransformer3DModel",
        {"image_condition_type": "token_replace", "guidance_embeds": True},
    ),
    "wan-i2v": (
        "WanTransformer3DModel",
        {"in_channels": 36, "out_channels": 16, "image_dim": 1280, "added_kv_proj_dim": 5120},
    ),
}  # fmt: skip
"""From the published transformer/config.json of each."""


def gib(model) -> float:
    return sum(each.numel() for each in model.parameters()) * 2 / 2**30


@pytest.mark.parametrize("name", NAMES)
def test_full_size_models_are_as_large_as_the_ladder_thinks(name):
    kind, config = FULL[name]
    with torch.device("meta"):
        model = getattr(diffusers, kind)(**config)
    first = next(iter(MODELS[name].values()))
    assert abs(gib(model) - first.transformer_gib) < 0.05


def test_the_second_wan_is_two_without_eyes():
    with torch.device("meta"):
        model = diffusers.WanTransformer3DModel(in_channels=36, out_channels=16)
    assert abs(2 * gib(model) - MODELS["wan-i2v"]["2.2"].transformer_gib) < 0.05
