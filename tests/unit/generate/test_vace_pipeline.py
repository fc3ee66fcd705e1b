"""wan-vace through diffusers itself, on tiny random weights: what reaches the pipeline, what goes wrong."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
pytest.importorskip("peft")

from anix_cli import generate  # noqa: E402
from anix_cli.core.clip import BadFrames  # noqa: E402
from anix_cli.core.errors import AnixError  # noqa: E402
from anix_cli.generate.diffusion import holding  # noqa: E402
from anix_cli.generate.diffusion.ladder import Rung  # noqa: E402
from anix_cli.generate.diffusion.regions import box_region  # noqa: E402
from anix_cli.generate.vace import lora, noise, pipeline  # noqa: E402
from anix_cli.generate.vace.models import MODELS, Sampling  # noqa: E402

_spec = importlib.util.spec_from_file_location(
    "vace_conditions", Path(__file__).parent / "test_vace_conditions.py"
)
made_by_hand = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made_by_hand)
asked, subject = made_by_hand.asked, made_by_hand.subject

DISTILLED = (1.0, 0.9375, 0.8333, 0.625, 0.0)
"""lightx2v's four levels: 1000, 750, 500, 250 shifted by 5."""


@pytest.fixture
def backend(monkeypatch):
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    made = generate.get("wan-vace-noise")
    yield made
    made.close()


@pytest.fixture
def calls(monkeypatch):
    """What each call of the pipeline was given."""
    seen = []
    real = diffusers.WanVACEPipeline.__call__

    def noted(self, **given):
        seen.append(given)
        return real(self, **given)

    monkeypatch.setattr(diffusers.WanVACEPipeline, "__call__", noted)
    return seen


def made(backend, request, **changes):
    notes = {}
    frames = backend.generate(replace(request, note=notes.__setitem__, **changes), lambda done, total: None)
    return frames, notes


def arrays(pictures):
    return np.stack([np.asarray(picture) for picture in pictures])


def test_what_reaches_the_pipeline(backend, calls):
    request = asked()
    frames, notes = made(backend, request, options={"steps": 2})
    (given,) = calls
    video, mask = arrays(given["video"]), arrays(given["mask"])
    assert (given["width"], given["height"], given["num_frames"]) == (96, 64, 25)
    assert video.shape == (25, 64, 96, 3) and video.dtype == np.uint8
    assert mask.shape == (25, 64, 96) and set(np.unique(mask)) == {0, 255}
    np.testing.assert_array_equal(video[:9], request.tail)
    assert not mask[:9].any()
    assert (video[9:][mask[9:] == 255] == 128).all()
    assert all(picture.mode == "RGB" for picture in given["reference_images"])
    assert given["conditioning_scale"] == 1.0 and given["guidance_scale"] == 5.0
    assert given["max_sequence_length"] == 512 and given["output_type"] == "latent"
    assert given["prompt"] == request.prompt and given["negative_prompt"]
    assert frames.shape == (16, 64, 96, 3) and frames.dtype == np.uint8
    assert notes["noise"] is True


def test_references_reach_the_model_nearest_first(backend, monkeypatch):
    """diffusers puts each before the one that came before: sent in reverse, they end up in order."""
    first = []
    real = diffusers.WanVACEPipeline.prepare_video_latents

    def noted(self, video, mask, reference_images, *rest):
        latents = real(self, video, mask, reference_images, *rest)
        alone = [real(self, video, mask, [[one]], *rest)[:, :, :1] for one in reference_images[0]]
        first.append([next(i for i, one in enumerate(alone) if torch.equal(one, latents[:, :, at : at + 1]))
                      for at in range(len(alone))])  # fmt: skip
        return latents

    monkeypatch.setattr(diffusers.WanVACEPipeline, "prepare_video_latents", noted)
    _, notes = made(backend, asked())
    assert first == [[2, 1, 0]]
    assert notes["wan_vace"]["passes"][0]["views"][0] == "front"


def test_two_clips_chain_and_repeat_byte_for_byte(backend):
    """29 frames are two clips: 17 and, after a tail of 9, 12 more."""
    request = asked(frames=29, tail=0)

    def film(maker):
        first, _ = made(maker, replace(request, frames=17, guide=request.guide[:17], depth=request.depth[:17],
                                       anchor=request.anchor[:17], blocking=(subject(17),),
                                       world_from_camera=request.world_from_camera[:17],
                                       intrinsics=request.intrinsics[:17]))  # fmt: skip
        second, _ = made(maker, replace(request, frames=12, tail=first[-9:], guide=request.guide[8:],
                                        depth=request.depth[8:], anchor=request.anchor[8:],
                                        blocking=(subject(21),),
                                        world_from_camera=request.world_from_camera[8:],
                                        intrinsics=request.intrinsics[8:], seed=6))  # fmt: skip
        return first, second

    once, again = film(backend), film(generate.get("wan-vace-noise"))
    assert [len(part) for part in once] == [17, 12]
    for one, other in zip(once, again, strict=True):
        assert one.tobytes() == other.tobytes()


def test_everything_that_it_uses_changes_its_pixels(backend):
    request = asked(frames=4)
    frames, _ = made(backend, request)
    dark = {"mo": replace(request.cast["mo"], views={"front": made_by_hand.view((0, 0, 90))})}
    for changes in (
        {"seed": 9},
        {"prompt": "another"},
        {"negative": "another"},
        {"guide": 255 - request.guide},
        {"tail": 255 - request.tail},
        {"anchor": np.zeros_like(request.anchor)},
        {"cast": dark},
        {"options": {"steps": 2, "flow_shift": 9}},
    ):
        other, _ = made(backend, request, **changes)
        assert other.tobytes() != frames.tobytes(), changes


def test_four_steps_go_through_the_levels_of_the_distilled_model(backend):
    _, notes = made(backend, asked(frames=4), options={"model": "14b", "preset": "draft"} | {"steps": 4})
    made_with = notes["wan_vace"]
    np.testing.assert_allclose(made_with["passes"][0]["sigmas"], DISTILLED, atol=1.5e-3)
    assert made_with["lora_matched"] == 1.0
    assert made_with["sampling"] == {"steps": 4, "guidance": 1.0, "flow_shift": 5.0, "conditioning": 1.0}


def test_the_distilled_scheduler_is_euler():
    """x + (σ′ − σ)·v, step for step."""
    config = diffusers.UniPCMultistepScheduler(
        prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0
    )
    ours = pipeline.scheduler(config, Sampling(4, 1.0, 5.0, distilled=True))
    ours.set_timesteps(4)
    drawn = torch.Generator().manual_seed(0)
    x = y = torch.randn(1, 4, 2, 3, 3, generator=drawn)
    for index, t in enumerate(ours.timesteps):
        v = torch.randn(x.shape, generator=drawn)
        y = y + (ours.sigmas[index + 1] - ours.sigmas[index]) * v
        x = ours.step(v, t, x, return_dict=False)[0]
    torch.testing.assert_close(x, y, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("distilled", [False, True])
def test_a_shift_shifts_the_levels(distilled):
    config = diffusers.UniPCMultistepScheduler(prediction_type="flow_prediction", use_flow_sigmas=True)
    levels = []
    for shift in (3.0, 5.0):
        ours = pipeline.scheduler(config, Sampling(8, 1.0, shift, distilled))
        ours.set_timesteps(8)
        levels.append(ours.sigmas)
    assert (levels[1][1:-1] > levels[0][1:-1]).all()


def test_several_characters_take_a_call_each(backend, calls):
    near = subject(25, "near", root=(0, 0, 2.0), box=(60.0, 20, 80, 60))
    far = subject(25, "far", root=(0, 0, -5.0), box=(20.0, 20, 28, 36))
    request = asked(who=(near, far))
    told = []
    notes = {}
    backend.generate(replace(request, note=notes.__setitem__), lambda done, total: told.append((done, total)))
    assert [one["character"] for one in notes["wan_vace"]["passes"]] == ["far", "near"]
    assert told == [(n, 6) for n in range(1, 7)]
    first, second = (arrays(given["video"])[9:] for given in calls)
    drawn = (request.anchor & box_region(far, request.anchor.shape))[9:]
    kept = ~request.anchor[9:] & (arrays(calls[1]["mask"])[9:] == 0)
    np.testing.assert_array_equal(second[kept], request.guide[9:][kept])
    assert (first[drawn] == 128).all() and not (second[drawn] == 128).all()


@pytest.mark.parametrize(("frames", "views"), [(1, 1), (3, 2), (9, 3)])
def test_the_shortest_clips_have_as_many_references_as_fit(backend, frames, views):
    found, notes = made(backend, asked(frames=frames, tail=0))
    assert len(found) == frames
    assert len(notes["wan_vace"]["passes"][0]["views"]) == views


def test_two_experts_share_the_steps(backend):
    frames, notes = made(backend, asked(frames=4), options={"model": "2.2-fun", "steps": 4})
    assert frames.shape[0] == 4 and notes["wan_vace"]["model"] == "2.2-fun"
    assert backend.holder.loaded.pipe.transformer_2 is not None
    assert backend.holder.loaded.pipe.config.boundary_ratio == 0.875


def test_the_vae_is_float32_on_every_rung(tmp_path):
    noise.write_pipeline(tmp_path)
    held = pipeline.load(tmp_path, Rung("x", dtype="bfloat16", device="cpu"), None)
    assert held.pipe.vae.dtype == torch.float32
    assert held.pipe.transformer.dtype == torch.bfloat16 == held.pipe.text_encoder.dtype


def test_layer_by_layer_gives_the_same_as_whole(tmp_path):
    noise.write_pipeline(tmp_path)
    request = asked(frames=4)
    from anix_cli.generate.diffusion.words import Words
    from anix_cli.generate.vace.conditions import conditions

    put = conditions(request, request.guide, request.anchor, 9)
    settings, frames = Sampling(2, 1.0, 3.0, distilled=False), []
    for offload in (None, "group"):
        held = pipeline.load(tmp_path, Rung("x", dtype="float32", device="cpu", offload=offload), None)
        latents, _ = pipeline.sample(
            held, put, Words("runs", ""), [], settings=settings, seed=1, step=lambda done: None
        )
        frames.append(pipeline.decode(held, latents, tiled=False))
    np.testing.assert_array_equal(*frames)


def test_a_pickle_is_never_loaded(tmp_path):
    noise.write_pipeline(tmp_path)
    part = tmp_path / "transformer"
    torch.save({}, part / "diffusion_pytorch_model.bin")
    (part / "diffusion_pytorch_model.safetensors").unlink()
    with pytest.raises(OSError, match="safetensors"):
        pipeline.load(tmp_path, Rung("x", dtype="float32", device="cpu"), None)


def test_a_lora_of_other_layers_is_refused(tmp_path):
    from safetensors.torch import save_file

    noise.write_pipeline(tmp_path / "model")
    other = {f"unet.mid.attn.{end}": torch.zeros(2, 2) for end in ("lora_down.weight", "lora_up.weight")}
    random = {f"r{n}": torch.zeros(2) for n in range(4)}
    for tensors in (other, random):
        save_file(tensors, tmp_path / "lora.safetensors")
        with pytest.raises(AnixError) as raised:
            pipeline.load(
                tmp_path / "model", Rung("x", dtype="float32", device="cpu"), tmp_path / "lora.safetensors"
            )
        assert raised.value.diagnostics[0].code == "E557"


def test_a_lora_changes_the_weights_and_stays_in_none(tmp_path):
    noise.write_pipeline(tmp_path / "model")
    noise.write_lora(tmp_path / "lora.safetensors")
    plain, fused = (
        pipeline.load(tmp_path / "model", Rung("x", dtype="float32", device="cpu"), path).pipe.transformer
        for path in (None, tmp_path / "lora.safetensors")
    )
    before, after = plain.state_dict(), fused.state_dict()
    assert before.keys() == after.keys() and lora.adapted(fused) == 0
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert len(changed) == 20 and all(name.startswith("blocks.") for name in changed)
    down, up = (_tensor(tmp_path / "lora.safetensors", end) for end in ("lora_down", "lora_up"))
    torch.testing.assert_close(
        after["blocks.0.attn1.to_q.weight"], before["blocks.0.attn1.to_q.weight"] + up @ down
    )


def _tensor(path, end):
    from safetensors.torch import load_file

    return load_file(path)[f"diffusion_model.blocks.0.self_attn.q.{end}.weight"]


# What goes wrong


class Spoiler:
    """Stands before a function of the pipeline and fails so many times."""

    def __init__(self, real, times, error) -> None:
        self.real, self.left, self.error, self.calls = real, times, error, 0

    def __call__(self, *given, **named):
        self.calls += 1
        if self.left:
            self.left -= 1
            raise self.error
        return self.real(*given, **named)


def no_memory():
    return torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")


def test_out_of_memory_goes_one_rung_down_and_stays_there(backend, monkeypatch):
    spoiler = Spoiler(pipeline.sample, 1, no_memory())
    monkeypatch.setattr(pipeline, "sample", spoiler)
    _, notes = made(backend, asked(frames=4))
    assert notes["wan_vace"]["rung"] == "cpu fp8"
    assert backend.holder.loaded.pipe.transformer.blocks[0].ffn.net[2].weight.dtype == torch.float8_e4m3fn
    _, notes = made(backend, asked(frames=4))
    assert notes["wan_vace"]["rung"] == "cpu fp8" and spoiler.calls == 3


def test_out_of_memory_everywhere_is_an_error(backend, monkeypatch):
    monkeypatch.setattr(pipeline, "sample", Spoiler(pipeline.sample, 9, no_memory()))
    with pytest.raises(AnixError) as raised:
        made(backend, asked(frames=4))
    assert raised.value.diagnostics[0].code == "E558"


@pytest.mark.parametrize(("times", "how"), [(0, "whole"), (1, "in tiles")])
def test_no_memory_at_decoding_is_tried_in_tiles(backend, monkeypatch, times, how, tmp_path):
    monkeypatch.setattr(pipeline, "decode", Spoiler(pipeline.decode, times, no_memory()))
    _, notes = made(backend, asked(frames=4), scratch=tmp_path / "clip")
    assert notes["wan_vace"]["passes"][0]["decoded"] == how


def test_tiles_are_for_the_clip_that_needed_them(backend, monkeypatch):
    decode, tiling = pipeline.decode, []

    def noted(loaded, latents, *, tiled):
        frames = decode(loaded, latents, tiled=tiled)
        tiling.append(loaded.pipe.vae.use_tiling)
        return frames

    monkeypatch.setattr(pipeline, "decode", Spoiler(noted, 1, no_memory()))
    for _ in range(2):
        made(backend, asked(frames=4))
    assert tiling == [True, False]


def test_what_was_sampled_survives_decoding_that_fails(backend, monkeypatch, tmp_path):
    request = asked(frames=4)
    whole, _ = made(backend, request)
    decode, sample = pipeline.decode, pipeline.sample
    monkeypatch.setattr(pipeline, "decode", Spoiler(decode, 2, no_memory()))
    with pytest.raises(AnixError) as raised:
        made(backend, request, scratch=tmp_path / "clip")
    assert raised.value.diagnostics[0].code == "E558"
    assert "what was sampled is kept" in raised.value.diagnostics[0].hint
    monkeypatch.setattr(pipeline, "sample", Spoiler(sample, 9, AssertionError("sampled again")))
    frames, notes = made(backend, request, scratch=tmp_path / "clip")
    np.testing.assert_array_equal(frames, whole)
    assert notes["wan_vace"]["passes"][0]["resumed"] == "at decoding"


def test_damaged_latents_are_sampled_again(backend, tmp_path):
    request = asked(frames=4)
    whole, _ = made(backend, request)
    (tmp_path / "latents-0.safetensors").write_bytes(b"half")
    frames, _ = made(backend, request, scratch=tmp_path)
    np.testing.assert_array_equal(frames, whole)


def test_latents_that_are_no_numbers_are_a_finding_and_not_kept(backend, monkeypatch, tmp_path):
    real = diffusers.UniPCMultistepScheduler.step

    def broken(self, *given, **named):
        return (real(self, *given, **named)[0] * float("nan"),)

    monkeypatch.setattr(diffusers.UniPCMultistepScheduler, "step", broken)
    with pytest.raises(BadFrames, match="not finite"):
        made(backend, asked(frames=4), scratch=tmp_path / "clip")
    assert not (tmp_path / "clip").exists()


def test_frames_that_are_no_numbers_are_a_finding(backend, monkeypatch, tmp_path):
    real = diffusers.AutoencoderKLWan.decode

    def broken(self, *given, **named):
        video = real(self, *given, **named)[0].clone()
        video[:, :, 10] = float("nan")
        return (video,)

    monkeypatch.setattr(diffusers.AutoencoderKLWan, "decode", broken)
    with pytest.raises(BadFrames, match="frame 10 is not finite"):
        made(backend, asked(frames=4), scratch=tmp_path / "clip")
    assert list((tmp_path / "clip").iterdir()) == []


def test_values_become_levels_by_rounding():
    video = np.array([-2, -1, -1 + 1 / 127.5, 0, 1, 2], np.float32).reshape(1, 1, 2, 3)
    assert holding.levels(video).ravel().tolist() == [0, 0, 1, 128, 255, 255]


# The published shapes

CONFIGS = {
    "1.3b": {
        "num_attention_heads": 12,
        "ffn_dim": 8960,
        "num_layers": 30,
        "vace_layers": list(range(0, 30, 2)),
    },
    "14b": {
        "num_attention_heads": 40,
        "ffn_dim": 13824,
        "num_layers": 40,
        "vace_layers": list(range(0, 40, 5)),
    },
}
"""From the published transformer/config.json of each."""


@pytest.mark.parametrize("name", CONFIGS)
def test_full_size_models_are_as_large_as_the_ladder_thinks(name):
    with torch.device("meta"):
        model = diffusers.WanVACETransformer3DModel(**CONFIGS[name])
    gib = sum(each.numel() for each in model.parameters()) * 2 / 2**30
    assert abs(gib - MODELS[name].transformer_gib) < 0.05


def test_the_loras_layers_are_those_of_the_full_size_model():
    """Names as lightx2v's file has them, converted by diffusers, at rank 64 on the meta device."""
    from diffusers.loaders.lora_conversion_utils import _convert_non_diffusers_wan_lora_to_diffusers

    with torch.device("meta"):
        model = diffusers.WanVACETransformer3DModel(**CONFIGS["14b"])
        layers = {
            f"blocks.{n}.{p}"
            for n in range(40)
            for p in (
                *(f"{kind}.{part}" for kind in ("self_attn", "cross_attn") for part in "qkvo"),
                "ffn.0",
                "ffn.2",
            )
        }
        wide = {"ffn.0": (5120, 13824), "ffn.2": (13824, 5120)}
        tensors = {}
        for layer in layers:
            fan_in, out = wide.get(layer.split(".", 2)[2], (5120, 5120))
            tensors[f"diffusion_model.{layer}.lora_down.weight"] = torch.empty(64, fan_in)
            tensors[f"diffusion_model.{layer}.lora_up.weight"] = torch.empty(out, 64)
    converted = _convert_non_diffusers_wan_lora_to_diffusers(tensors)
    weights = model.state_dict()
    assert len(converted) == 800
    for name, tensor in converted.items():
        stem, kind = name.removeprefix("transformer.").rsplit(".lora_", 1)
        out, fan_in = weights[f"{stem}.weight"].shape
        assert tuple(tensor.shape) == ((64, fan_in) if kind == "A.weight" else (out, 64)), name
