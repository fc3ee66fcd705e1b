"""Several GPUs for one clip: two processes on the CPU do what one does; what can't be shared is told."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
pytest.importorskip("transformers")

from anix_cli import generate  # noqa: E402
from anix_cli.core.errors import AnixError  # noqa: E402
from anix_cli.generate.diffusion.crew import check_plan, check_tokens  # noqa: E402

_spec = importlib.util.spec_from_file_location("firstframe", Path(__file__).parent / "test_firstframe.py")
clips = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(clips)


@pytest.fixture
def two(monkeypatch):
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    monkeypatch.setattr(torch.accelerator, "device_count", torch.accelerator.device_count)
    monkeypatch.setattr(generate, "_gpus_per_clip", 1)
    generate.use_gpus(2)


def code(raised):
    return raised.value.diagnostics[0].code


def test_two_make_the_clip_of_one(two, monkeypatch):
    request = clips.cut(clips.film(9), 0, 9)
    shared = generate.get("wan-i2v-noise")
    options = {"model": "2.2", "steps": 3}  # both experts
    try:
        frames, notes, _ = clips.run(shared, request, options=options)
        again, _, _ = clips.run(shared, request, options=options)
        processes = [member.process for member in shared.holder.loaded.crew._members]
        assert [process.is_alive() for process in processes] == [True]
    finally:
        shared.close()
    assert [process.exitcode for process in processes] == [0]
    assert not torch.distributed.is_initialized()
    assert notes["wan_i2v"]["gpus"] == 2
    np.testing.assert_array_equal(frames, again)
    monkeypatch.setattr(generate, "_gpus_per_clip", 1)
    alone = generate.get("wan-i2v-noise")
    single, notes, _ = clips.run(alone, request, options=options)
    alone.close()
    assert notes["wan_i2v"]["gpus"] == 1
    assert np.abs(single.astype(int) - frames).max() <= 1


@pytest.mark.parametrize("name", ["cogvideox", "hunyuan-video"])
def test_a_model_without_a_plan_says_so_before_anything(two, name):
    with pytest.raises(AnixError) as raised:
        generate.get(name).prepare([{}])
    assert code(raised) == "E480" and "no plan" in str(raised.value)


@pytest.mark.parametrize("name", ["animatic", "wan-vace"])
def test_a_backend_for_one_gpu_says_so(two, name):
    with pytest.raises(AnixError) as raised:
        generate.get(name)
    assert code(raised) == "E480" and name in str(raised.value)


def test_fewer_gpus_and_odd_numbers_are_told(two):
    if torch.cuda.device_count() < 2:
        with pytest.raises(AnixError) as raised:
            generate.get("wan-i2v").prepare([{}])
        assert code(raised) == "E481"
    with pytest.raises(AnixError) as raised:
        check_plan("wan", diffusers.WanTransformer3DModel, 40, 3, 8)
    assert code(raised) == "E480" and "2, 4, 5, 8, 10" in raised.value.diagnostics[0].hint
    with pytest.raises(AnixError) as raised:
        check_plan("wan", diffusers.WanTransformer3DModel, 40, 4, 3)
    assert code(raised) == "E481" and "--gpus-per-clip 3" in raised.value.diagnostics[0].hint
    check_plan("wan", diffusers.WanTransformer3DModel, 40, 8, 8)


def test_tokens_must_divide():
    check_tokens("wan", 21 * 30 * 52, 8)  # 81 frames of 832x480
    with pytest.raises(AnixError) as raised:
        check_tokens("wan", 5 * 31 * 3, 4)
    assert code(raised) == "E480" and "multiples of 64" in raised.value.diagnostics[0].hint
