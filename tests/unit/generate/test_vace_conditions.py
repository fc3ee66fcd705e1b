"""What wan-vace hands to its model, without the model: masks, tails, views, words, settings, memory."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.core.camera import look_at
from anix_cli.core.clip import Cast, ClipRequest
from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Subject
from anix_cli.generate import capabilities, get
from anix_cli.generate.diffusion import ladder, modelbackend
from anix_cli.generate.diffusion.holder import Holder
from anix_cli.generate.diffusion.regions import box_region, passes
from anix_cli.generate.diffusion.views import by_camera, camera_side, on_white, references
from anix_cli.generate.diffusion.wan import TOKENS
from anix_cli.generate.diffusion.words import NEGATIVE, words
from anix_cli.generate.vace import lora
from anix_cli.generate.vace.conditions import check, conditions, kept_frames
from anix_cli.generate.vace.models import MODELS, sampling

SIZE = (96, 64)
BOX = (40.0, 20.0, 56.0, 50.0)


def subject(count, name="mo", *, root=(0.0, 0, 0), yaw=0.0, box=BOX, visible=True):
    zero = np.zeros(count)
    return Subject(
        name, np.tile(np.array(root, float), (count, 1)), np.full(count, yaw), zero, zero,
        np.tile(box, (count, 1)), np.full(count, visible), zero,
    )  # fmt: skip


def view(colour):
    picture = np.zeros((80, 40, 4), np.uint8)
    picture[20:70, 10:30] = (*colour, 255)
    return picture


def cast(*names):
    views = {
        "front": view((255, 0, 0)),
        "left": view((0, 255, 0)),
        "right": view((0, 0, 255)),
        "back": view((9, 9, 9)),
    }
    return {name: Cast(views, 1.7, f"{name} in a green coat", name) for name in names}


def asked(frames=16, tail=9, *, who=None, eye=(0, 1.2, 4.0), **changes):
    total = tail + frames
    rng = np.random.default_rng(2)
    guide = rng.integers(0, 255, (total, SIZE[1], SIZE[0], 3)).astype(np.uint8)
    who = (subject(total),) if who is None else who
    anchor = np.zeros((total, SIZE[1], SIZE[0]), bool)
    for one in who:
        anchor |= box_region(one, anchor.shape)
    made = ClipRequest(
        prompt="mo in a green coat; runs forward; at dusk; 35 mm film", negative="", size_px=SIZE,
        frames=frames, fps=Fraction(16), seed=5, guide=guide,
        depth=np.full(guide.shape[:3], 9.0, np.float32), anchor=anchor,
        tail=rng.integers(0, 255, (tail, SIZE[1], SIZE[0], 3)).astype(np.uint8),
        cast=cast(*(one.character for one in who)), blocking=who,
        world_from_camera=np.tile(look_at(eye, (0, 1, 0)), (total, 1, 1)),
        intrinsics=np.tile(np.eye(3), (total, 1, 1)), options={}, scene=lambda: None, near_m=0.1,
    )  # fmt: skip
    return replace(made, **changes)


def test_where_it_draws_the_video_is_grey_and_elsewhere_the_guide():
    request = asked()
    made = conditions(request, request.guide, request.anchor, 9)
    new = slice(9, None)
    assert made.video.shape == (25, 64, 96, 3) and made.mask.shape == (25, 64, 96)
    assert set(np.unique(made.mask)) == {0, 255}
    assert (made.video[new][made.mask[new] == 255] == 128).all()
    np.testing.assert_array_equal(
        made.video[new][made.mask[new] == 0], request.guide[new][made.mask[new] == 0]
    )
    assert (made.mask[new][request.anchor[new]] == 255).all()


def test_masks_are_whole_patches_of_the_model_with_room_for_feet():
    request = asked()
    mask = conditions(request, request.guide, request.anchor, 9).mask[10]
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    assert (rows[0] % 16, (rows[-1] + 1) % 16, columns[0] % 16, (columns[-1] + 1) % 16) == (0, 0, 0, 0)
    assert rows[-1] + 1 >= BOX[3] + 3  # a tenth of its height below the feet


def test_the_tail_comes_first_and_is_kept():
    request = asked()
    made = conditions(request, request.guide, request.anchor, 9)
    np.testing.assert_array_equal(made.video[:9], request.tail)
    assert not made.mask[:9].any()


@pytest.mark.parametrize(
    ("tail", "context", "kept"), [(9, "long", 9), (9, "short", 5), (3, "long", 3), (0, "long", 0)]
)
def test_a_tail_is_nine_or_five_or_what_there_is(tail, context, kept):
    assert kept_frames(tail, context) == kept
    request = asked(frames=25 - tail, tail=tail)
    made = conditions(request, request.guide, request.anchor, kept)
    assert (len(made.video) - 1) % 4 == 0 and made.kept + made.new <= len(made.video)
    if kept:
        np.testing.assert_array_equal(made.video[:kept], request.tail[-kept:])
    outside = made.mask[kept] == 0
    np.testing.assert_array_equal(made.video[kept][outside], request.guide[tail][outside])


@given(st.integers(1, 40), st.sampled_from([0, 3, 5, 9]))
def test_any_number_of_frames_meets_the_grid(frames, tail):
    request = asked(frames=frames, tail=tail)
    made = conditions(request, request.guide, request.anchor, tail)
    assert len(made.video) % 4 == 1 and 0 <= len(made.video) - tail - frames < 4


def test_wrong_sizes_are_refused_before_the_call():
    request = asked()
    made = conditions(request, request.guide, request.anchor, 9)
    with pytest.raises(ValueError, match="multiples of 16"):
        conditions(replace(request, size_px=(100, 64)), request.guide, request.anchor, 9)
    for spoilt in (
        replace(made, video=made.video[:, :48]),
        replace(made, video=made.video[:24], mask=made.mask[:24]),
        replace(made, new=40),
        replace(made, mask=made.mask // 2),
        replace(made, mask=np.full_like(made.mask, 255)),
    ):
        with pytest.raises(ValueError):
            check(spoilt, SIZE)


def test_several_characters_are_drawn_one_by_one_far_ones_first():
    near = subject(25, "near", root=(0, 0, 2.0), box=(60.0, 20, 80, 60))
    far = subject(25, "far", root=(0, 0, -5.0), box=(20.0, 20, 28, 36))
    gone = subject(25, "gone", visible=False)
    calls = passes(asked(who=(near, far, gone)))
    assert [one.character for one, _ in calls] == ["far", "near"]
    assert calls[0][1].any() and not (calls[0][1] & calls[1][1]).any()
    assert passes(asked(who=()))[0][0] is None


@pytest.mark.parametrize(
    ("eye", "yaw", "nearest"),
    [
        ((0, 1, 4.0), 0.0, "front"),
        ((4.0, 1, 0), 0.0, "left"),
        ((-4.0, 1, 0), 0.0, "right"),
        ((0, 1, -4.0), 0.0, "back"),
        ((0, 1, 4.0), math.pi / 2, "right"),
        ((0, 1, 4.0), math.pi, "back"),
        ((4.0, 1, 0), math.pi / 2, "front"),
    ],
)
def test_views_are_those_on_the_cameras_side(eye, yaw, nearest):
    who = subject(25, yaw=yaw)
    request = asked(who=(who,), eye=eye)
    order = by_camera(request, who, request.cast["mo"])
    assert order[0] == nearest and len(order) == 4
    opposite = {"front": "back", "back": "front", "left": "right", "right": "left"}[nearest]
    assert order[-1] == opposite
    assert [one.view for one in references(request, who, 3)] == order[:3]
    assert (
        abs(math.remainder(camera_side(who.root, who.yaw_rad, request.world_from_camera)[0], math.tau))
        <= math.pi
    )


def test_references_are_on_white_and_cut_to_the_figure():
    picture = on_white(view((200, 10, 10)))
    assert picture.shape[2] == 3 and picture.dtype == np.uint8
    assert picture.shape[:2] == (58, 28)
    assert (picture[0, 0] == 255).all() and tuple(picture[29, 14]) == (200, 10, 10)
    assert on_white(np.zeros((8, 6, 4), np.uint8)).shape == (8, 6, 3)


def count(text):
    return len(text.split()) + 1


def test_a_prompt_that_fits_is_sent_as_it_is():
    request = asked()
    told = words(request, count, TOKENS)
    assert (told.prompt, told.negative, told.lost) == (request.prompt, NEGATIVE, "")
    assert words(replace(request, negative="rain"), count, TOKENS).negative == "rain"


def test_a_long_prompt_keeps_its_beginning_and_names_what_is_lost():
    """A plan says first what happens."""
    long = replace(asked(), prompt="waves; mo in a green coat; " + " ".join(f"style{i}" for i in range(900)))
    told = words(long, count, TOKENS)
    assert told.prompt.startswith("waves; mo in a green coat; style0")
    assert count(told.prompt) == TOKENS
    assert told.lost.endswith("style899")
    assert len(told.prompt.split()) + len(told.lost.split()) == 906


def test_a_call_that_draws_one_of_several_is_told_of_that_one():
    who = (subject(25, "mo"), subject(25, "ann"))
    alone = {"mo": "mo waves; mo in green", "ann": "ann bows; ann in blue"}
    request = replace(asked(who=who), prompt="mo waves while ann bows; mo in green", prompts=alone)
    assert [words(request, count, TOKENS, one).prompt for one in who] == list(alone.values())
    assert words(request, count, TOKENS).prompt == request.prompt
    assert words(asked(), count, TOKENS, who[0]).prompt == asked().prompt


def test_presets_are_what_the_recipe_says():
    wide, small = (1280, 720), (832, 480)
    full = sampling(MODELS["14b"], small, {})
    assert (full.steps, full.guidance, full.shift, full.distilled) == (30, 5.0, 3.0, False)
    assert sampling(MODELS["14b"], wide, {}).shift == 5.0
    draft = sampling(MODELS["14b"], small, {"preset": "draft"})
    assert (draft.steps, draft.guidance, draft.shift, draft.distilled) == (4, 1.0, 5.0, True)
    assert sampling(MODELS["1.3b"], small, {"preset": "draft"}).distilled is False
    own = sampling(MODELS["14b"], small, {"preset": "final", "guidance": 6.5, "flow_shift": 4})
    assert (own.steps, own.guidance, own.shift) == (50, 6.5, 4.0)


def test_what_it_declares():
    found = capabilities("wan-vace")
    assert (found.size_multiple, found.frame_step, found.max_frames, found.tail, found.fps) == (
        16,
        4,
        81,
        9,
        16,
    )
    assert found.drifts and "Wan-AI/Wan2.1-VACE-1.3B-diffusers@" in found.weights
    assert all(option.takes(option.default) for option in found.options.values())
    with pytest.raises(AnixError):
        capabilities("wan-vace-noise")  # of tests only: there is no such backend without the switch


# Memory


def rungs(name, vram, ram=200.0, **more):
    return [way.name for way in ladder.rungs(MODELS[name], ladder.Machine(vram, ram), **more)]


def test_free_memory_says_where_the_ladder_begins():
    assert rungs("14b", 80)[0] == "resident"
    assert rungs("14b", 44)[0] == "offload"
    assert rungs("14b", 24)[0] == "fp8 offload"
    assert rungs("14b", 15) == ["group offload"]
    assert rungs("1.3b", 30)[0] == "resident"
    assert rungs("1.3b", 9) == ["group offload"]
    assert rungs("14b", 80, ram=16) == ["resident"]


def test_in_higher_precision_nothing_is_in_eight_bits():
    found = rungs("14b", 140, precise=True)
    assert found[0] == "resident float32" and not any("fp8" in name for name in found)
    assert rungs("14b", 40, ram=60, precise=True)[0] == "group offload"


def test_no_gpu_and_too_little_memory_are_named():
    with pytest.raises(AnixError) as raised:
        rungs("1.3b", None)
    assert raised.value.diagnostics[0].code == "E472"
    for vram, ram in ((6.0, 64.0), (24.0, 16.0)):
        with pytest.raises(AnixError) as raised:
            rungs("14b", vram, ram)
        assert raised.value.diagnostics[0].code == "E473"
        assert f"{vram:.1f} and {ram:.1f} GiB are free" in str(raised.value)


def test_a_rung_down_is_for_the_rest_of_the_run_and_the_last_is_the_end():
    model, seen = MODELS["14b"], []
    held = Holder(lambda model, precise, ever: ladder.ways(model))
    for _ in range(4):
        seen.append(held.get(model, "", precise=False, load=lambda rung: [rung.name])[0])
        if len(seen) < 4:
            held.step_down(model, precise=False)
    assert seen == ["resident", "offload", "fp8 offload", "group offload"]
    with pytest.raises(AnixError) as raised:
        held.step_down(model, precise=False)
    assert raised.value.diagnostics[0].code == "E558"


def test_what_is_not_installed_is_named_before_anything(monkeypatch):
    monkeypatch.setattr(modelbackend, "find_spec", lambda name: None if name == "ftfy" else object())
    with pytest.raises(AnixError) as raised:
        get("wan-vace").prepare([{}])
    assert raised.value.diagnostics[0].code == "E471" and "ftfy" in str(raised.value)


class _Refusing:
    def load_lora_weights(self, *args, **more):
        raise ValueError("Target modules not found")


def test_a_lora_that_matches_nothing_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(lora, "header", lambda path: {"a.lora_down.weight": {}})
    with pytest.raises(AnixError) as raised:
        lora.apply_lora(_Refusing(), tmp_path / "x.safetensors")
    assert raised.value.diagnostics[0].code == "E557" and "Target modules" in str(raised.value)
    assert lora.modules_of({"a.b.lora_A.weight": 0, "a.b.lora_B.weight": 0, "c.lora_down.weight": 0}) == {
        "a.b",
        "c",
    }
