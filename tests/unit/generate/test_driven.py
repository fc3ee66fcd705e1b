"""wan-animate-2 through diffusers itself, on tiny random weights: the animatic is what drives it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import staged
from staged import arrays, asked, made, walker

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
pytest.importorskip("peft")

from anix_cli import generate  # noqa: E402
from anix_cli.core.clip import BadFrames  # noqa: E402
from anix_cli.core.errors import AnixError  # noqa: E402
from anix_cli.generate.animatic import AnimaticBackend  # noqa: E402
from anix_cli.generate.diffusion.ladder import Rung  # noqa: E402
from anix_cli.generate.driven import noise, pipeline  # noqa: E402
from anix_cli.generate.driven.models import MODEL, Sampling, sampling  # noqa: E402
from anix_cli.generate.motion.reference import animatic  # noqa: E402


@pytest.fixture(scope="module")
def maker():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANIX_TEST_NOISE", "1")
        made = generate.get("wan-animate-2-noise")
        yield made
        made.close()


@pytest.fixture
def backend(maker):
    """The same for all tests, on its first rung."""
    yield maker
    if getattr(maker.holder.loaded, "rung", None) not in (None, maker.ways(None, False, False)[0]):
        maker.holder.close()
        maker.holder._rung.clear()


def test_the_animatic_of_a_clip_and_its_tail():
    request = asked(4, tail=3)
    found = animatic(request, 1)
    whole = replace(request, tail=request.tail[:0], frames=7)
    expected = AnimaticBackend().generate(whole, lambda done, total: None)
    np.testing.assert_array_equal(found, expected[2:])
    assert (found != request.guide[2:]).any()


def test_what_reaches_the_pipeline(backend, monkeypatch):
    calls = staged.watch(monkeypatch, diffusers.WanAnimate2ModularPipeline)
    first, second = asked(5, tail=0), asked(4, tail=1)
    told = []
    _, notes = made(backend, first)
    backend.generate(second, lambda done, total: told.append((done, total)))
    for request, given, kept in ((first, calls[0], 0), (second, calls[1], 1)):
        np.testing.assert_array_equal(arrays(given["driving_video"]), animatic(request, kept))
        image = request.tail[0] if kept else animatic(request, 0)[0]
        np.testing.assert_array_equal(np.asarray(given["image"]), image)
        assert given["segment_frame_length"] == 5 and given["prompt"] == request.prompt
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert notes["wan_animate_2"]["motion"] == "video" and notes["noise"] is True
    assert backend.holder.loaded.relay.tail.shape == (1, 3, 1, 64, 96)


def test_it_gives_what_the_stock_pipeline_gives(backend):
    """Two blocks are exchanged, and the first clip comes out the same."""
    request = asked(9, tail=0, options={"guidance": 1.5, "steps": 2})
    frames, _ = made(backend, request)
    ours = backend.holder.loaded.pipe
    stock = diffusers.WanAnimate2Blocks().init_pipeline()
    names = ("transformer", "vae", "text_encoder", "image_encoder", "tokenizer", "scheduler", "guider")
    stock.update_components(**{name: getattr(ours, name) for name in names})
    from PIL import Image

    from anix_cli.generate.diffusion.words import NEGATIVE

    drawn = [Image.fromarray(frame) for frame in animatic(request, 0)]
    whole = stock(
        image=drawn[0], driving_video=drawn, prompt=request.prompt, negative_prompt=NEGATIVE, height=64,
        width=96.001, segment_frame_length=9, num_inference_steps=2,
        generator=torch.Generator("cpu").manual_seed(request.seed), output_type="np", output="videos",
    )  # fmt: skip
    expected = np.floor(np.asarray(whole[0]) * 255 + 0.5)
    assert np.abs(frames - expected).max() <= 1


def test_two_clips_chain_and_repeat_byte_for_byte(backend):
    def film(maker):
        first, _ = made(maker, asked(5, tail=0))
        second, _ = made(maker, asked(8, tail=1), tail=first[-1:])
        return first, second

    once, again = film(backend), film(type(backend)())
    assert [len(part) for part in once] == [5, 8]
    for one, other in zip(once, again, strict=True):
        assert one.tobytes() == other.tobytes()
    other, _ = made(backend, asked(8, tail=1), tail=255 - once[0][-1:])
    assert other.tobytes() != once[1].tobytes()


def test_the_movement_changes_its_pixels(backend):
    request = asked(4, tail=1)
    frames, _ = made(backend, request)
    for changes in ({"blocking": (walker(5, x=-0.4),)}, {"seed": 9}, {"prompt": "x"}, {"negative": "x"}):
        assert made(backend, request, **changes)[0].tobytes() != frames.tobytes(), changes


def test_layer_by_layer_gives_the_same_as_whole():
    request, frames = asked(5, tail=0), []
    from anix_cli.generate.diffusion.words import Words

    drawn = animatic(request, 0)
    for offload in (None, "group"):
        held = pipeline.load(noise.tiny_weights(), Rung("x", dtype="float32", device="cpu", offload=offload))
        latents = pipeline.sample(
            held, drawn[0], drawn, request.tail, Words("x", ""), settings=Sampling(1, 1.0), seed=1,
            step=lambda done: None,
        )  # fmt: skip
        frames.append(pipeline.decode(held, latents, tiled=False))
    np.testing.assert_array_equal(*frames)


def test_the_pipeline_keeps_every_size():
    """Its own arithmetic, in which some sizes lose a row of patches without the hair."""
    lost = 0
    for width in range(16, 2064, 16):
        for height in range(16, 2064, 16):
            area, aspect = height * (width + pipeline._HAIR), height / width
            assert int(math.sqrt(area * aspect)) // 16 * 16 == height
            assert int(math.sqrt(area / aspect)) // 16 * 16 == width
            plain = math.sqrt(height * width * aspect), math.sqrt(height * width / aspect)
            lost += (int(plain[0]), int(plain[1])) != (height, width)
    assert lost


def test_presets():
    assert [sampling({"preset": name}).steps for name in ("draft", "standard", "final")] == [20, 40, 60]
    assert sampling({}).guidance == 3.0 and sampling({"guidance": 1}).guidance == 1.0


def test_the_full_size_model_is_as_large_as_the_ladder_thinks():
    with torch.device("meta"):
        model = diffusers.WanAnimate2Transformer3DModel()
    gib = sum(each.numel() for each in model.parameters()) * 2 / 2**30
    assert abs(gib - MODEL.transformer_gib) < 0.05


class Spoiler:
    """Stands before a function of the pipeline and fails so many times."""

    def __init__(self, real, times, error) -> None:
        self.real, self.left, self.error = real, times, error

    def __call__(self, *given, **named):
        if self.left:
            self.left -= 1
            raise self.error
        return self.real(*given, **named)


def test_sampling_survives_decoding_that_fails(backend, monkeypatch, tmp_path):
    request = asked(4, tail=1)
    whole, _ = made(backend, request)
    no_memory = torch.OutOfMemoryError("CUDA out of memory")
    decode, sample = pipeline.decode, pipeline.sample
    monkeypatch.setattr(pipeline, "decode", Spoiler(decode, 2, no_memory))
    with pytest.raises(AnixError) as raised:
        made(backend, request, scratch=tmp_path / "clip")
    assert raised.value.diagnostics[0].code == "E558"
    monkeypatch.setattr(pipeline, "sample", Spoiler(sample, 9, AssertionError("sampled again")))
    frames, notes = made(backend, request, scratch=tmp_path / "clip")
    np.testing.assert_array_equal(frames, whole)
    assert notes["wan_animate_2"]["resumed"] == "at decoding"


def test_out_of_memory_goes_one_rung_down(backend, monkeypatch):
    monkeypatch.setattr(
        pipeline, "sample", Spoiler(pipeline.sample, 1, torch.OutOfMemoryError("out of memory"))
    )
    _, notes = made(backend, asked(4, tail=1))
    assert notes["wan_animate_2"]["rung"] == "cpu tiled"


def test_values_that_are_no_numbers_are_a_finding(backend, monkeypatch):
    real = diffusers.FlowMatchEulerDiscreteScheduler.step

    def broken(self, *given, **named):
        return (real(self, *given, **named)[0] * float("nan"),)

    monkeypatch.setattr(diffusers.FlowMatchEulerDiscreteScheduler, "step", broken)
    with pytest.raises(BadFrames, match="not finite"):
        made(backend, asked(4, tail=1))


def test_what_it_cannot_take_is_declared():
    limits = generate.capabilities("wan-animate-2")
    assert limits.cannot and not limits.needs_rig and limits.tail == 1 and limits.fps == 24
    assert limits.options["motion"].choices == ("video",)
