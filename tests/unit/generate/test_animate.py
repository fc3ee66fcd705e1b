"""wan-animate through diffusers itself, on tiny random weights: what reaches the pipeline and comes back."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scenery
import staged
from staged import SIZE, arrays, asked, made, walker

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
pytest.importorskip("peft")

from anix_cli import generate  # noqa: E402
from anix_cli.core.clip import BadFrames, Cast  # noqa: E402
from anix_cli.core.errors import AnixError  # noqa: E402
from anix_cli.core.plan import Gesture  # noqa: E402
from anix_cli.generate.animate import pipeline  # noqa: E402
from anix_cli.generate.animate.conditions import check, conditions, kept_frames  # noqa: E402
from anix_cli.generate.animate.models import MODEL, sampling  # noqa: E402
from anix_cli.generate.animate.portrait import neutral_face, portrait  # noqa: E402
from anix_cli.generate.motion.poses import pose  # noqa: E402
from anix_cli.generate.motion.stickman import WAN_ANIMATE, draw  # noqa: E402
from anix_cli.generate.performing import Troupe  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "character"))
import glb  # noqa: E402


@pytest.fixture(scope="module")
def maker():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANIX_TEST_NOISE", "1")
        made = generate.get("wan-animate-noise")
        yield made
        made.close()


@pytest.fixture
def backend(maker):
    """The same for all tests, on its first rung."""
    yield maker
    if getattr(maker.holder.loaded, "rung", None) not in (None, maker.ways(None, False, False)[0]):
        maker.holder.close()
        maker.holder._rung.clear()


@pytest.fixture
def calls(monkeypatch):
    return staged.watch(monkeypatch, diffusers.WanAnimatePipeline)


def test_what_reaches_the_pipeline(backend, calls):
    request = asked(8)
    frames, notes = made(backend, request)
    (given,) = calls
    background, mask, shown = (arrays(given[f"{name}_video"]) for name in ("background", "mask", "pose"))
    assert background.shape == shown.shape == (13, 64, 96, 3) and background.dtype == np.uint8
    assert mask.shape == (13, 64, 96) and set(np.unique(mask)) == {0, 255}
    np.testing.assert_array_equal(background[:5], request.tail)
    assert not mask[:5].any()
    inside = mask[5:] == 255
    assert (mask[5:][request.anchor[5:]] == 255).all()
    assert (background[5:][inside] == 0).all()
    np.testing.assert_array_equal(background[5:][~inside], request.guide[5:][~inside])
    joints = pose(request, request.blocking[0], Troupe()).joints_px
    np.testing.assert_array_equal(shown, np.stack([draw([one], SIZE, WAN_ANIMATE) for one in joints]))
    assert shown[:5].any()  # the tail is posed as well
    assert (given["mode"], given["width"], given["height"], given["segment_frame_length"]) == (
        "replace", 96, 64, 13,
    )  # fmt: skip
    assert given["guidance_scale"] == 1.0 and given["max_sequence_length"] == 512
    assert given["prompt"] == request.prompt
    assert given["image"].size == SIZE and given["image"].mode == "RGB"
    faces = arrays(given["face_video"])
    assert faces.shape == (13, 16, 16, 3) and (faces == faces[0]).all() and np.ptp(faces[0]) > 0
    assert frames.shape == (8, 64, 96, 3) and frames.dtype == np.uint8
    assert notes["noise"] is True and notes["wan_animate"]["kept"] == 5


def test_it_gives_what_the_pipeline_itself_decodes(backend, monkeypatch):
    """Sampling is left before the pipeline decodes; what anix decodes is the same."""
    calls = staged.watch(monkeypatch, diffusers.WanAnimatePipeline)
    frames, _ = made(backend, asked(8))
    given = {**calls[0], "callback_on_step_end": None, "output_type": "np"}
    given["generator"] = torch.Generator("cpu").manual_seed(asked(8).seed)
    whole = backend.holder.loaded.pipe(**given).frames[0]
    expected = np.floor(np.clip(whole, 0, 1) * 255 + 0.5)[5:13]
    assert np.abs(frames - expected).max() <= 1


def test_a_tail_in_the_background_is_what_the_pipeline_does_with_a_segments_end(backend):
    made(backend, asked(4))
    pipe = backend.holder.loaded.pipe
    drawn = torch.Generator().manual_seed(0)
    video = torch.rand(1, 3, 9, 64, 96, generator=drawn) * 2 - 1
    tail = torch.rand(1, 3, 5, 64, 96, generator=drawn) * 2 - 1
    mask = (torch.rand(1, 1, 9, 64, 96, generator=drawn) > 0.5).float()
    common = {
        "segment_frame_length": 9, "height": 64, "width": 96, "task": "replace", "device": "cpu",
        "dtype": torch.float32,
    }  # fmt: skip
    own = pipe.prepare_prev_segment_cond_latents(
        tail, video, mask, start_frame=4, prev_segment_cond_frames=5, **common
    )
    ours, kept = video.clone(), mask.clone()
    ours[:, :, :5], kept[:, :, :5] = tail, 0
    found = pipe.prepare_prev_segment_cond_latents(
        None, ours, kept, start_frame=0, prev_segment_cond_frames=1, **common
    )
    torch.testing.assert_close(found, own)


def test_two_clips_chain_and_repeat_byte_for_byte(backend):
    """29 frames are two clips: 17, and after a tail of 5, 12 more."""
    whole = asked(29, tail=0)

    def cut(start, stop, tail, seed):
        part = slice(start - len(tail), stop)
        return replace(
            whole, frames=stop - start, tail=tail, seed=seed, guide=whole.guide[part],
            depth=whole.depth[part], anchor=whole.anchor[part],
            blocking=tuple(one.frames(part.start, stop) for one in whole.blocking),
            world_from_camera=whole.world_from_camera[part], intrinsics=whole.intrinsics[part],
        )  # fmt: skip

    def film(maker):
        first, _ = made(maker, cut(0, 17, whole.tail[:0], 7))
        second, _ = made(maker, cut(17, 29, first[-5:], 8))
        return first, second

    once, again = film(backend), film(type(backend)())
    assert [len(part) for part in once] == [17, 12]
    for one, other in zip(once, again, strict=True):
        assert one.tobytes() == other.tobytes()


def test_everything_that_it_uses_changes_its_pixels(backend):
    request = asked(4, options={"steps": 1})
    frames, _ = made(backend, request)
    views = dict(request.cast["mira"].views)
    views["front"] = views["front"] // np.array([3, 1, 1, 1], np.uint8)
    other = replace(request.cast["mira"], views=views, key="other")
    for changes in (
        {"seed": 9},
        {"prompt": "another"},
        {"guide": 255 - request.guide},
        {"tail": 255 - request.tail},
        {"anchor": np.zeros_like(request.anchor)},
        {"cast": {"mira": other}},
        {"blocking": (walker(9, x=-0.4),)},
        {"options": {"steps": 1, "context": "short"}},
    ):
        assert made(backend, request, **changes)[0].tobytes() != frames.tobytes(), changes
    shifted = [made(backend, request, options={"steps": 2, "flow_shift": shift})[0] for shift in (5, 9)]
    assert shifted[0].tobytes() != shifted[1].tobytes()
    asked_of = {"options": {"steps": 1, "guidance": 4}}
    guided, _ = made(backend, request, **asked_of)
    assert made(backend, request, **asked_of, negative="rain")[0].tobytes() != guided.tobytes()


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_the_shortest_clips(backend, frames):
    assert len(made(backend, asked(frames, tail=0))[0]) == frames


@pytest.mark.parametrize(("tail", "context", "kept"), [(5, "long", 5), (5, "short", 1), (3, "long", 3)])
def test_a_tail_is_five_or_one_or_what_there_is(tail, context, kept):
    assert kept_frames(tail, context) == kept


def test_several_characters_take_a_call_each_far_ones_first(backend, calls):
    near, far = walker(9, name="near", x=0.6), walker(9, name="far", z=-3.0, x=-0.6)
    _, notes = made(backend, asked(4, who=(near, far)))
    assert [one["character"] for one in notes["wan_animate"]["passes"]] == ["far", "near"]
    masks = [arrays(call["mask_video"])[5:9] == 255 for call in calls]
    second = arrays(calls[1]["background_video"])[5:9]
    only_far = masks[0] & ~masks[1]
    assert only_far.any() and (second[masks[1]] == 0).all()
    assert (second[only_far] != asked(4, who=(near, far)).guide[5:9][only_far]).any()


def test_what_a_rig_cannot_show_is_posed_without_it_and_noted(backend, calls):
    request = asked(4, who=(walker(9, gestures=[Gesture("shake_hips", 6, 2)]),))
    _, notes = made(backend, request)
    assert notes["wan_animate"]["passes"][0]["motion_left_to_words"] == "its rig cannot shake hips"
    assert arrays(calls[0]["pose_video"]).any(axis=(1, 2, 3)).all()


def test_a_body_without_a_rig_is_refused(backend, tmp_path):
    box = Cast({}, 1.7, "", "box", glb.cube(tmp_path / "cube.glb"))
    with pytest.raises(AnixError) as raised:
        made(backend, replace(asked(4), cast={"mira": box}))
    assert raised.value.diagnostics[0].code == "E195"


def test_nobody_in_the_picture_is_a_call_without_a_pose(backend, calls):
    gone = replace(walker(9), visible=np.zeros(9, bool))
    made(backend, asked(4, who=(gone,)))
    assert not arrays(calls[0]["pose_video"]).any() and not arrays(calls[0]["mask_video"]).any()


def test_wrong_sizes_are_refused_before_the_call():
    request = asked(8)
    good = conditions(request, request.guide, request.anchor, 5, None)
    with pytest.raises(ValueError, match="multiples of 16"):
        conditions(replace(request, size_px=(100, 64)), request.guide, request.anchor, 5, None)
    for spoilt in (
        replace(good, pose=good.pose[:, :48]),
        replace(good, background=good.background[:12], mask=good.mask[:12], pose=good.pose[:12]),
        replace(good, new=40),
        replace(good, mask=good.mask // 2),
        replace(good, mask=np.full_like(good.mask, 255)),
        replace(good, background=good.background.astype(np.float32)),
    ):
        with pytest.raises(ValueError):
            check(spoilt, SIZE)


def test_presets():
    assert [sampling({"preset": name}).steps for name in ("draft", "standard", "final")] == [10, 20, 40]
    plain = sampling({})
    assert (plain.steps, plain.guidance, plain.shift) == (20, 1.0, 5.0)
    own = sampling({"steps": 7, "guidance": 2, "flow_shift": 3})
    assert (own.steps, own.guidance, own.shift) == (7, 2.0, 3.0)


def test_a_portrait_is_of_just_the_size_on_white():
    view = np.zeros((100, 50, 4), np.uint8)
    view[10:90, 15:35] = (200, 10, 10, 255)
    for size in ((832, 480), (480, 832)):
        picture = portrait(view, size)
        assert picture.shape == (size[1], size[0], 3)
        assert (picture[0, 0] == 255).all() and tuple(picture[size[1] // 2, size[0] // 2]) == (200, 10, 10)


def test_a_face_is_the_heads_and_none_is_black():
    request = asked(1, tail=0)
    cast = request.cast["mira"]
    head = Troupe().body(request, "mira").head
    face = neutral_face(cast.views["front"], head, cast.height_m, 32)
    assert face.shape == (32, 32, 3)
    skin = np.array(scenery.figure.SKIN) * 255
    inner = face[10:22, 10:22].reshape(-1, 3)
    assert np.abs(inner / inner.sum(1, keepdims=True) - skin / skin.sum()).max() < 0.05
    assert not neutral_face(cast.views["front"], None, cast.height_m, 32).any()


def test_a_cache_leaves_out_work_and_begins_anew_with_each_clip(backend):
    request = asked(4)
    eight = {"steps": 8}
    plain, _ = made(backend, request, options=eight)
    cached, notes = made(backend, request, options={**eight, "cache": "taylorseer"})
    again, _ = made(backend, request, options={**eight, "cache": "taylorseer"})
    assert notes["wan_animate"]["levers"] == {"cache": "taylorseer"}
    assert again.tobytes() == cached.tobytes() != plain.tobytes()


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


def test_out_of_memory_goes_one_rung_down(backend, monkeypatch):
    whole, _ = made(backend, asked(4))
    spoiler = Spoiler(pipeline.sample, 1, no_memory())
    monkeypatch.setattr(pipeline, "sample", spoiler)
    frames, notes = made(backend, asked(4))
    assert notes["wan_animate"]["rung"] == "cpu tiled" and spoiler.calls == 2
    assert frames.shape == whole.shape


def test_sampling_survives_decoding_that_fails(backend, monkeypatch, tmp_path):
    request = asked(4)
    whole, _ = made(backend, request)
    decode, sample = pipeline.decode, pipeline.sample
    monkeypatch.setattr(pipeline, "decode", Spoiler(decode, 2, no_memory()))
    with pytest.raises(AnixError) as raised:
        made(backend, request, scratch=tmp_path / "clip")
    assert raised.value.diagnostics[0].code == "E558"
    monkeypatch.setattr(pipeline, "sample", Spoiler(sample, 9, AssertionError("sampled again")))
    frames, notes = made(backend, request, scratch=tmp_path / "clip")
    np.testing.assert_array_equal(frames, whole)
    assert notes["wan_animate"]["passes"][0]["resumed"] == "at decoding"


def test_values_that_are_no_numbers_are_a_finding(backend, monkeypatch):
    real = diffusers.UniPCMultistepScheduler.step

    def broken(self, *given, **named):
        return (real(self, *given, **named)[0] * float("nan"),)

    monkeypatch.setattr(diffusers.UniPCMultistepScheduler, "step", broken)
    with pytest.raises(BadFrames, match="not finite"):
        made(backend, asked(4))


def test_the_full_size_model_is_as_large_as_the_ladder_thinks():
    with torch.device("meta"):
        model = diffusers.WanAnimateTransformer3DModel(image_dim=1280, added_kv_proj_dim=5120)
    gib = sum(each.numel() for each in model.parameters()) * 2 / 2**30
    assert abs(gib - MODEL.transformer_gib) < 0.05


def test_no_gpu_is_told_before_anything(monkeypatch):
    from anix_cli.generate.diffusion import ladder

    monkeypatch.setattr(ladder, "machine", lambda: ladder.Machine(None, 64.0))
    with pytest.raises(AnixError) as raised:
        generate.get("wan-animate").prepare([{}])
    assert raised.value.diagnostics[0].code == "E472"
