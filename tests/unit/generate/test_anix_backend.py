"""Backend ``anix``: who is drawn in which call, frames on the model's grid, adapters on the shelf."""

from __future__ import annotations

import json
import shutil
import struct

import numpy as np
import pytest

for module in ("torch", "diffusers", "peft", "ftfy"):
    pytest.importorskip(module)

from dataclasses import replace  # noqa: E402

import staged  # noqa: E402

from anix_cli.core.errors import AnixError  # noqa: E402
from anix_cli.generate.anix import conditions, noise  # noqa: E402
from anix_cli.generate.anix.backend import AnixBackend  # noqa: E402
from anix_cli.generate.anix.models import BASES, sampling  # noqa: E402
from anix_cli.model import adapters  # noqa: E402


def two(total):
    return (staged.walker(total, z=-1.0), staged.walker(total, name="ben", x=-0.5, z=0.8))


def test_several_characters_are_drawn_together_where_the_model_has_masks_for_them():
    request = staged.asked(8, 5, who=two(13))
    (call,) = conditions.calls(request, 2)
    assert [one.character for one in call.people] == ["mira", "ben"]  # far ones first
    assert call.masks.shape == (2, *request.anchor.shape)
    assert (call.masks.any(axis=0) == call.region).all() and not (call.masks[0] == call.masks[1]).all()


def test_else_one_after_the_other_each_with_its_own_mask():
    request = staged.asked(8, 5, who=two(13))
    first, second = conditions.calls(request, 1)
    assert [[one.character for one in call.people] for call in (first, second)] == [["mira"], ["ben"]]
    assert first.masks.shape == (1, *request.anchor.shape)


@pytest.mark.parametrize(
    ("tail", "new", "kept", "total"),
    [
        (0, 93, 0, 93),
        (33, 96, 33, 129),
        (35, 96, 33, 129),
        (5, 7, 5, 13),
        (2, 4, 1, 5),
        (0, 1, 0, 1),
        (33, 1, 33, 37),
    ],
)
def test_frames_stand_on_the_grid_and_the_tail_ends_where_the_new_begin(tail, new, kept, total):
    request = staged.asked(new, tail)
    request = replace(
        request,
        guide=np.arange(tail + new, dtype=np.uint8)[:, None, None, None] * np.ones((1, 64, 96, 3), np.uint8),
    )
    (call,) = conditions.calls(request, 1)
    shown, wanted = conditions.shown_of(request, request.guide, call.masks, call.people)
    assert (shown.past, len(shown.guide), wanted) == (kept, total, new)
    assert shown.guide[kept, 0, 0, 0] == tail and shown.guide[-1, 0, 0, 0] == tail + new - 1
    assert shown.masks.shape[1] == total
    if kept:
        assert (shown.preceding == request.tail[-kept:]).all()


def test_all_four_views_of_each_character_go_along():
    request = staged.asked(8, 5, who=two(13))
    (call,) = conditions.calls(request, 2)
    shown, _ = conditions.shown_of(request, request.guide, call.masks, call.people)
    assert [(view.character, view.name) for view in shown.views] == [
        (who, name) for who in (0, 1) for name in ("front", "left", "back", "right")
    ]


def test_two_characters_in_one_call_and_in_two():
    path = noise.random_adapter("wan-1.3b", characters=2)
    request = staged.asked(8, 5, who=two(13), options={"base": "wan-1.3b"})
    backend = noise.AnixNoise()
    alone, told = staged.made(backend, request)
    assert [one["characters"] for one in told["anix"]["passes"]] == [["mira"], ["ben"]]
    backend.adapter = lambda base, name, digest: path
    together, told = staged.made(backend, request)
    backend.close()
    assert [one["characters"] for one in told["anix"]["passes"]] == [["mira", "ben"]]
    assert alone.shape == together.shape == (8, 64, 96, 3) and (alone != together).any()


def test_a_students_own_levels_are_gone_through():
    path = noise.random_adapter("hunyuan", sigmas=(1.0, 0.75, 0.5))
    backend = noise.AnixNoise()
    backend.adapter = lambda base, name, digest: path
    request = staged.asked(4, 5, options={"base": "hunyuan"})
    held = sampling(BASES["hunyuan"], {}, (1.0, 0.75, 0.5), 1.0)
    assert held.sigmas == (1.0, 0.75, 0.5) and held.steps == 3
    _, told = staged.made(backend, replace(request, options={"base": "hunyuan", "preset": "final"}))
    backend.close()
    assert told["anix"]["passes"][0]["sigmas"][0] == 1.0


def test_presets_are_the_papers_thirty_steps_and_around():
    steps = {
        name: sampling(BASES["wan-14b"], {"preset": name}, (), None).steps
        for name in ("draft", "standard", "final")
    }
    assert steps == {"draft": 20, "standard": 30, "final": 50}
    assert sampling(BASES["wan-14b"], {"guidance": 3}, (), 2.0).guidance == 3
    assert sampling(BASES["wan-14b"], {}, (), 2.0).guidance == 2.0
    assert sampling(BASES["wan-14b"], {}, (), None).guidance == 5.0


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path))
    (tmp_path / "adapters").mkdir()
    return tmp_path / "adapters"


def test_adapters_by_name(shelf):
    shutil.copy(noise.random_adapter("wan-1.3b"), shelf / "mine.safetensors")
    assert list(adapters.Shelf()) == ["mine"] and adapters.place("mine") == shelf / "mine.safetensors"
    for name in ("gone", "", "../mine", "a/b"):
        with pytest.raises(AnixError, match="adapter") as caught:
            adapters.place(name)
        assert caught.value.diagnostics[0].code == "E483"
        assert name not in adapters.Shelf()


def test_the_digest_is_that_of_what_an_adapter_holds(shelf):
    first, second = shelf / "a.safetensors", shelf / "b.safetensors"
    shutil.copy(noise.random_adapter("wan-1.3b"), first)
    shutil.copy(first, second)
    assert adapters.digest(first) == adapters.digest(second)
    shutil.copy(noise.random_adapter("wan-1.3b", sigmas=(1.0, 0.5)), second)
    assert adapters.digest(first) != adapters.digest(second)
    header = json.dumps({"x": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}).encode()
    for byte in (b"\x00", b"\x01"):  # without a digest of its own, every byte counts
        (shelf / f"plain{byte[0]}.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + byte)
    assert adapters.digest(shelf / "plain0.safetensors") != adapters.digest(shelf / "plain1.safetensors")
    (shelf / "cut.safetensors").write_bytes(b"\x05")
    assert len(adapters.digest(shelf / "cut.safetensors")) == 64


def test_an_adapter_that_changed_since_the_plan_is_refused(shelf):
    shutil.copy(noise.random_adapter("wan-1.3b"), shelf / "mine.safetensors")
    backend = AnixBackend()
    digest = adapters.digest(shelf / "mine.safetensors")
    assert backend.adapter(BASES["wan-1.3b"], "mine", digest) == shelf / "mine.safetensors"
    with pytest.raises(AnixError, match="plan again"):
        backend.adapter(BASES["wan-1.3b"], "mine", "0" * 64)
    with pytest.raises(AnixError, match="needs an adapter"):
        backend.adapter(BASES["wan-14b"], "", None)
    assert backend.adapter(BASES["hunyuancustom"], "", None) is None


@pytest.mark.parametrize("base", ["wan-1.3b", "hunyuancustom"])
def test_levers_are_taken_and_told(base):
    backend = noise.AnixNoise()
    frames = {}
    for name, value in (("none", None), ("cache", "taylorseer"), ("storage", "fp8")):
        options = {"base": base, "steps": 8, **({name: value} if value else {})}
        frames[name], told = staged.made(backend, staged.asked(4, 5, options=options))
        assert told["anix"]["levers"] == ({name: value} if value else {})
    again, _ = staged.made(backend, staged.asked(4, 5, options={"base": base, "steps": 8}))
    backend.close()
    assert (again == frames["none"]).all()  # nothing is left of a cache
    assert (frames["cache"] != again).any() or (frames["storage"] != again).any()
    assert np.abs(frames["cache"].astype(int) - again).mean() < 20


def test_out_of_memory_goes_a_rung_down_and_decoding_in_tiles(monkeypatch, tmp_path):
    import torch

    from anix_cli.generate.anix import pipeline

    tried = {"sample": 0, "decode": 0}

    def once(name):
        real = getattr(pipeline, name)

        def failing(*given, **more):
            tried[name] += 1
            if tried[name] == 1:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return real(*given, **more)

        monkeypatch.setattr(pipeline, name, failing)

    once("sample")
    once("decode")
    backend = noise.AnixNoise()
    frames, told = staged.made(
        backend, staged.asked(4, 5, options={"base": "wan-1.3b"}), scratch=tmp_path / "clip"
    )
    backend.close()
    assert told["anix"]["rung"] == "cpu fp8" and frames.shape[0] == 4
    assert told["anix"]["passes"][0]["decoded"] == "in tiles" and tried == {"sample": 2, "decode": 2}


def test_latents_that_were_kept_are_only_decoded(monkeypatch, tmp_path):
    from anix_cli.generate.anix import pipeline

    backend = noise.AnixNoise()
    request = staged.asked(4, 5, options={"base": "wan-1.3b"})
    first, _ = staged.made(backend, request, scratch=tmp_path / "clip")
    monkeypatch.setattr(pipeline, "sample", lambda *given, **more: pytest.fail("sampled again"))
    again, told = staged.made(backend, request, scratch=tmp_path / "clip")
    backend.close()
    assert told["anix"]["passes"][0]["resumed"] == "at decoding" and (again == first).all()


def test_values_that_are_no_numbers_are_no_picture(monkeypatch):
    from anix_cli.core.clip import BadFrames
    from anix_cli.model.anix import sampling as sampler

    real = sampler.euler
    monkeypatch.setattr(
        "anix_cli.model.anix.pipeline.euler",
        lambda *given: (real(*given)[0] * float("nan"), [1.0, 0.0]),
    )
    backend = noise.AnixNoise()
    with pytest.raises(BadFrames, match="finite"):
        staged.made(backend, staged.asked(4, 5, options={"base": "wan-1.3b"}))
    backend.close()
