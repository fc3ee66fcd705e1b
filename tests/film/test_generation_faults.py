"""What goes wrong with generation, as a user meets it: each fault has its code, its exit code and what to do,
comes as early as it can be known, and leaves what was finished."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
for module in ("diffusers", "peft", "ftfy"):
    pytest.importorskip(module)

from anix_cli.cli.main import run  # noqa: E402
from anix_cli.cli.options import open_plan  # noqa: E402
from anix_cli.generate.diffusion import ladder, modelbackend  # noqa: E402
from anix_cli.generate.vace import noise, pipeline  # noqa: E402
from anix_cli.generate.vace.models import MODELS  # noqa: E402
from anix_cli.model import fetch  # noqa: E402
from anix_cli.model.registry import WEIGHTS  # noqa: E402

from .test_chain import clips, edit  # noqa: E402

ROOMY = ladder.Machine(vram_gib=90.0, ram_gib=300.0)


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(project / "weights"))
    monkeypatch.setenv("HF_HOME", str(project / "hub"))
    for name in ("HF_HUB_CACHE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    text = (project / "film.yaml").read_text()
    head, _, shots = text.partition("shots:\n")
    first = shots.splitlines()[0].replace("duration: 1.5", "duration: 0.5")
    (project / "film.yaml").write_text(f"{head}shots:\n{first}\n")
    edit(project, "128x96, fps: 8", "96x64")
    return project


def render(*more, backend="wan-vace"):
    return run(["render", "film.yaml", "-o", "film.mp4", "--no-report", "--backend", backend, *more])


def nothing_was_made(film):
    return not (film / "film.mp4").exists() and not list(film.glob(".anix/v1/guides/*/*"))


def test_a_wrong_size(film, capsys):
    edit(film, "96x64", "90x64")
    assert render() == 3
    said = capsys.readouterr().err
    assert "E191" in said and "80x64" in said and "96x64" in said
    assert nothing_was_made(film)


def test_a_missing_extra(film, capsys, monkeypatch):
    monkeypatch.setattr(modelbackend, "find_spec", lambda name: None if name == "diffusers" else object())
    assert render() == 4
    said = capsys.readouterr().err
    assert "E471" in said and "pip install 'anix[generate]'" in said
    assert nothing_was_made(film)


@pytest.mark.parametrize(
    ("free", "code", "words"),
    [
        (ladder.Machine(None, 64.0), "E472", "--backend animatic"),
        (ladder.Machine(4.0, 64.0), "E473", "4.0 and 64.0 GiB are free"),
        (ladder.Machine(24.0, 2.0), "E473", "24.0 and 2.0 GiB are free"),
    ],
)
def test_no_gpu_or_too_little_memory(film, capsys, monkeypatch, free, code, words):
    monkeypatch.setattr(ladder, "machine", lambda: free)
    assert render() == 4
    said = capsys.readouterr().err
    assert code in said and words in said
    assert nothing_was_made(film)


def test_all_that_would_stop_a_run_is_told_at_once(film, capsys, monkeypatch):
    monkeypatch.setattr(ladder, "machine", lambda: ladder.Machine(4.0, 64.0))
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=100))
    monkeypatch.setattr(fetch, "pull", None)  # nothing is fetched for a GPU that is too small
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("ANIX_FFMPEG", "/nowhere/ffmpeg")
    (film / "film.mp4").write_bytes(b"holiday")
    ask = ("--set", "defaults.options.wan-vace.model=14b", "--preset", "draft")
    assert render(*ask) == 2
    said = capsys.readouterr().err
    found = re.findall(r"^(?:.*: )?(E[0-9]{3}) ", said, re.MULTILINE)
    assert sorted(found) == ["E401", "E431", "E461", "E461", "E473", "E474", "E474"]
    assert "wan2.1-vace-14b" in said and "wan2.1-distill-lora" in said and "14 GiB on the GPU" in said
    assert (film / "film.mp4").read_bytes() == b"holiday" and not list(film.glob(".anix/v1/guides/*/*"))


def test_too_small_a_gpu_fetches_nothing(film, capsys, monkeypatch):
    monkeypatch.setattr(ladder, "machine", lambda: ladder.Machine(4.0, 64.0))
    monkeypatch.setattr(fetch, "pull", None)
    assert render() == 4
    assert "E473" in capsys.readouterr().err


def test_the_plan_tells_what_the_gpu_must_have(film, capsys):
    assert run(["plan", "film.yaml", "--backend", "wan-vace"]) == 0
    assert "8 GiB free on the GPU (27 to be quickest)" in capsys.readouterr().out
    ask = ("--set", "defaults.options.wan-vace.model=14b", "-o", "plan.json")
    assert run(["plan", "film.yaml", "--backend", "wan-vace", *ask]) == 0
    least, best = json.loads((film / "plan.json").read_text())["estimate"]["vram_gib"]
    assert (least, best) == (14, MODELS["14b"].transformer_gib + MODELS["14b"].text_gib + 12)
    assert open_plan(film / "plan.json").estimate.vram_gib == (least, best)


def test_offline_without_weights(film, capsys, monkeypatch):
    monkeypatch.setattr(ladder, "machine", lambda: ROOMY)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert render() == 4
    said = capsys.readouterr().err
    assert "E474" in said and "anix models pull wan2.1-vace-1.3b" in said
    assert nothing_was_made(film)


def test_no_disk_for_weights(film, capsys, monkeypatch):
    class Hub:
        def HfApi(self):  # noqa: N802
            return self

        def model_info(self, *_, **__):
            class File:
                rfilename, size = "transformer/model.safetensors", 10**17

            class Listing:
                siblings = (File,)

            return Listing

        def snapshot_download(self, *_, **__):
            raise AssertionError("it was fetched all the same")

    monkeypatch.setattr(ladder, "machine", lambda: ROOMY)
    monkeypatch.setattr(fetch, "_hub", Hub)
    assert render() == 4
    said = capsys.readouterr().err
    assert "E477" in said and "HF_HOME" in said
    assert nothing_was_made(film)


def test_a_pickle_in_place_of_the_lora(film, capsys, monkeypatch):
    monkeypatch.setattr(ladder, "machine", lambda: ROOMY)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    noise.write_pipeline(film / "weights" / "wan2.1-vace-14b")
    lora = film / "weights" / "wan2.1-distill-lora"
    lora.mkdir()
    torch.save({"a": torch.zeros(1)}, lora / "pytorch_lora_weights.bin")
    ask = ("--set", "defaults.options.wan-vace.model=14b", "--preset", "draft")
    assert render(*ask) == 4
    said = capsys.readouterr().err
    assert "E475" in said and "pytorch_lora_weights.bin" in said and "is a pickle" in said
    assert nothing_was_made(film)


def test_a_lora_that_matches_nothing(film, capsys, monkeypatch, tmp_path):
    from safetensors.torch import save_file

    real = noise.tiny_weights
    folder = tmp_path / "lora"
    folder.mkdir()
    ends = ("lora_down.weight", "lora_up.weight")
    save_file({f"unet.mid.attn.{end}": torch.zeros(2, 2) for end in ends},
              folder / WEIGHTS["wan2.1-distill-lora"].file)  # fmt: skip
    monkeypatch.setattr(
        noise, "tiny_weights", lambda name: folder if name == "wan2.1-distill-lora" else real(name)
    )
    ask = ("--set", "defaults.options.wan-vace-noise.model=14b", "--preset", "draft")
    assert render(*ask, backend="wan-vace-noise") == 1
    assert "E557" in capsys.readouterr().err
    assert clips(film) == {} and not (film / "film.mp4").exists()


def test_values_that_are_no_numbers(film, capsys, monkeypatch):
    real = pipeline.load

    def spoilt(*given):
        held = real(*given)
        with torch.no_grad():
            held.pipe.transformer.patch_embedding.weight.fill_(float("nan"))
        return held

    monkeypatch.setattr(pipeline, "load", spoilt)
    assert render(backend="wan-vace-noise") == 1
    said = capsys.readouterr().err
    assert "W551" in said and "E556" in said and "not finite" in said
    assert clips(film) == {}


def test_out_of_memory_at_decoding_loses_no_sampling(film, capsys, monkeypatch):
    real_decode, real_sample = pipeline.decode, pipeline.sample

    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 3.00 GiB")

    monkeypatch.setattr(pipeline, "decode", full)
    assert render(backend="wan-vace-noise") == 1
    said = capsys.readouterr().err
    assert "E558" in said and "what was sampled is kept" in said
    assert len(list(film.glob(".anix/unfinished/*/latents-0.safetensors"))) == 1
    monkeypatch.setattr(pipeline, "decode", real_decode)
    monkeypatch.setattr(pipeline, "sample", full)
    assert render(backend="wan-vace-noise") == 0
    (record,) = [json.loads(path.read_text()) for path in film.glob(".anix/v1/clips/*/*/clip.json")]
    assert record["notes"]["wan_vace"]["passes"][0]["resumed"] == "at decoding"
    assert not list(film.glob(".anix/unfinished/*"))
    assert pipeline.sample is not real_sample
