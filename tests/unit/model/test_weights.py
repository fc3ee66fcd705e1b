"""Weights on disk: where they are looked for, and what is wrong with them."""

from __future__ import annotations

import json
import shutil
import struct
import sys
from collections import namedtuple
from types import SimpleNamespace

import pytest

from anix_cli.cli.main import run
from anix_cli.core.errors import AnixError
from anix_cli.model import fetch, places, whole
from anix_cli.model.registry import WEIGHTS, weights_called

VACE, LORA, FUN = (WEIGHTS[n] for n in ("wan2.1-vace-1.3b", "wan2.1-distill-lora", "wan2.2-vace-fun"))
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def tensors(path, values: int = 16) -> None:
    """A safetensors file of one tensor, written by hand."""
    head = json.dumps({"w": {"dtype": "F32", "shape": [values], "data_offsets": [0, 4 * values]}}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(head)) + head + bytes(4 * values))


def pipeline(folder) -> None:
    """The files of a pipeline, with tensors of a few bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    index = {"_class_name": "WanVACEPipeline", "transformer_2": [None, None]}
    for part in ("transformer", "vae", "text_encoder", "tokenizer", "scheduler"):
        index[part] = ["diffusers", "Any"]
        (folder / part).mkdir(exist_ok=True)
        (folder / part / "config.json").write_text("{}")
    (folder / "model_index.json").write_text(json.dumps(index))
    for part in ("transformer", "vae"):
        tensors(folder / part / "diffusion_pytorch_model.safetensors")
    names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    for name in names:
        tensors(folder / "text_encoder" / name)
    listed = {"weight_map": {"a": names[0], "b": names[1]}}
    (folder / "text_encoder" / "model.safetensors.index.json").write_text(json.dumps(listed))


@pytest.fixture(autouse=True)
def machine(tmp_path, monkeypatch):
    """A machine whose weights and caches are in a folder of the test."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path / "weights"))
    return tmp_path


@pytest.fixture
def placed(machine):
    pipeline(machine / "weights" / VACE.name)
    return places.find(VACE)


def cached(machine, weights=VACE, commit=COMMIT):
    base = machine / "hf/hub" / f"models--{weights.repo.replace('/', '--')}"
    (base / "refs").mkdir(parents=True)
    (base / "refs/main").write_text(commit)
    return base / "snapshots" / commit


def code(raised) -> str:
    return raised.value.diagnostics[0].code


def test_a_local_folder_comes_before_the_cache(machine):
    assert places.find(VACE) is None
    pipeline(cached(machine))
    assert places.find(VACE).revision == COMMIT and not places.find(VACE).local
    pipeline(machine / "weights" / VACE.name)
    found = places.find(VACE)
    assert found.local and found.folder == machine / "weights" / VACE.name


def test_a_pin_says_which_snapshot_is_used(machine):
    pipeline(cached(machine))
    other = "f" * 40
    places.pin(VACE, other)
    assert places.find(VACE) is None
    assert places.signature(VACE.name) == f"{VACE.repo}@{other}"
    assert places.signature(LORA.name) == f"{LORA.repo}@newest"
    with pytest.raises(AnixError) as raised:
        places.pin(VACE, "main")
    assert code(raised) == "E479"


def test_what_is_whole_has_no_problems(placed):
    assert whole.problems(placed) == []
    whole.check(placed)


SPOILT = {
    "cut": ("vae/diffusion_pytorch_model.safetensors", "is cut short"),
    "pointer": ("transformer/diffusion_pytorch_model.safetensors", "Git LFS pointer"),
    "page": ("transformer/diffusion_pytorch_model.safetensors", "no safetensors"),
    "longer": ("vae/diffusion_pytorch_model.safetensors", "not the file that its header describes"),
    "lost": ("text_encoder/model-00002-of-00002.safetensors", "is missing"),
    "pickle": ("vae/diffusion_pytorch_model.bin", "is a pickle"),
    "half": ("vae/x.incomplete", "did not end"),
    "empty": ("vae/diffusion_pytorch_model.safetensors", "cut short: it has 0 bytes"),
    "head": ("vae/diffusion_pytorch_model.safetensors", "its header alone"),
    "rubbish": ("vae/diffusion_pytorch_model.safetensors", "header cannot be read"),
    "dangling": ("vae/diffusion_pytorch_model.safetensors", "cannot be read"),
    "index": ("model_index.json", "is missing"),
    "component": ("scheduler", "is missing"),
    "settings": ("transformer/config.json", "is missing"),
    "words": ("tokenizer/tokenizer.json", "Git LFS pointer"),
    "settings cut": ("scheduler/config.json", "cannot be read"),
    "shards cut": ("text_encoder/model.safetensors.index.json", "cannot be read"),
    "elsewhere": ("model_index.json", "outside of its folder"),
    "deep": ("vae/diffusion_pytorch_model.safetensors", "header cannot be read"),
}


def spoil(folder, how: str) -> None:
    file = folder / SPOILT[how][0]
    match how:
        case "cut" | "empty":
            file.write_bytes(file.read_bytes()[: -10 if how == "cut" else 0])
        case "settings cut" | "shards cut":
            file.write_text('{"a": ')
        case "elsewhere":
            file.write_text(json.dumps({"../vae": ["diffusers", "Any"]}))
        case "deep":
            file.write_bytes(struct.pack("<Q", 10**6) + b"[" * 10**6)
        case "pointer" | "words":
            file.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123\n")
        case "page":
            file.write_text("<!doctype html><title>Not found</title>")
        case "longer":
            file.write_bytes(file.read_bytes() + b"more")
        case "head":
            file.write_bytes(struct.pack("<Q", 5000) + b"{}")
        case "rubbish":
            file.write_bytes(struct.pack("<Q", 2) + b"[]")
        case "pickle":
            file.with_suffix(".safetensors").rename(file)
        case "half":
            file.write_bytes(b"")
        case "dangling":
            file.unlink()
            file.symlink_to(folder / "gone")
        case "component":
            shutil.rmtree(file)
        case _:
            file.unlink()


@pytest.mark.parametrize("how", SPOILT)
def test_what_is_not_whole_is_named(placed, how):
    spoil(placed.folder, how)
    name, words = SPOILT[how]
    assert [(p.file, words in p.what) for p in whole.problems(placed)][:1] == [(name, True)]
    with pytest.raises(AnixError) as raised:
        fetch.resolve(VACE)
    assert code(raised) == "E475"
    assert name in str(raised.value)


def test_a_pipeline_of_the_modular_kind_is_whole_as_well(placed):
    index = placed.folder / "model_index.json"
    index.rename(placed.folder / "modular_model_index.json")
    assert whole.problems(placed) == []
    shutil.rmtree(placed.folder / "vae")
    assert [p.file for p in whole.problems(placed)] == ["vae"]
    assert "modular_model_index.json" in VACE.files


def test_a_lora_is_one_file_and_no_pickle(machine):
    folder = machine / "weights" / LORA.name
    tensors(folder / LORA.file)
    found = places.find(LORA)
    assert found.path == folder / LORA.file
    assert whole.problems(found) == []
    assert [p.what for p in whole.problems(found, deep=True)] == ["has another SHA-256 than was published"]
    (folder / LORA.file).rename(folder / "pytorch_lora_weights.bin")
    assert "is a pickle" in whole.problems(found)[0].what


def test_headers_tell_shapes(placed):
    assert whole.header(placed.folder / "vae/diffusion_pytorch_model.safetensors")["w"]["shape"] == [16]


@pytest.mark.parametrize("weights", [VACE, FUN])
def test_offline_nothing_is_fetched(weights, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(fetch, "_hub", lambda: pytest.fail("the network was asked"))
    for ask in (fetch.resolve, fetch.pull):
        with pytest.raises(AnixError) as raised:
            ask(weights)
        assert code(raised) == "E474"


def test_what_has_no_free_licence_is_not_fetched_unasked(monkeypatch):
    monkeypatch.setattr(fetch, "_hub", lambda: pytest.fail("the network was asked"))
    with pytest.raises(AnixError) as raised:
        fetch.resolve(FUN)
    assert code(raised) == "E474" and "licence" in str(raised.value)


class Hub:
    """What ``huggingface_hub`` does, on files of the test."""

    def __init__(self, machine, sizes, fails=False) -> None:
        self.machine, self.sizes, self.fails = machine, sizes, fails
        self.asked, self.fetched = [], []

    def HfApi(self):  # noqa: N802
        return self

    def model_info(self, repo, *, revision, files_metadata):
        self.asked.append((repo, revision))
        if self.fails:
            raise ConnectionError("no route")
        return SimpleNamespace(
            sha=COMMIT, siblings=[SimpleNamespace(rfilename=n, size=s) for n, s in self.sizes.items()]
        )

    def snapshot_download(self, repo, *, revision, allow_patterns):
        assert not any(p.endswith((".bin", "*", ".pth")) and p != "tokenizer/*" for p in allow_patterns)
        self.fetched.append(revision)
        pipeline(cached(self.machine, commit=COMMIT if revision == "main" else revision))


def test_what_is_not_pinned_is_the_newest_and_stays(machine, monkeypatch):
    hub = Hub(machine, {"vae/a.safetensors": 1000})
    monkeypatch.setattr(fetch, "_hub", lambda: hub)
    before = places.signature(VACE.name)
    found = fetch.resolve(VACE)
    assert found.revision == COMMIT and hub.fetched == ["main"]
    assert hub.asked == [(VACE.repo, None)]
    assert places.signature(VACE.name) == before  # a plan made before the download holds
    assert fetch.resolve(VACE) == found
    assert len(hub.asked) == 1  # whole and here: no network


def test_a_revision_that_is_asked_for_is_pinned(machine, monkeypatch):
    hub, other = Hub(machine, {}), "e" * 40
    monkeypatch.setattr(fetch, "_hub", lambda: hub)
    assert fetch.pull(VACE, other).revision == other == places.pinned(VACE)
    assert (hub.asked, hub.fetched) == ([(VACE.repo, other)], [other])
    assert places.signature(VACE.name).endswith(other)


def test_a_folder_of_the_users_is_not_fetched_beside(placed, monkeypatch, capsys):
    monkeypatch.setattr(fetch, "_hub", lambda: pytest.fail("the network was asked"))
    assert run(["models", "pull", VACE.name]) == 0
    assert capsys.readouterr().out.strip() == str(placed.folder)
    spoil(placed.folder, "cut")
    assert run(["models", "pull", VACE.name]) == 4
    assert "E475" in capsys.readouterr().err


def test_a_disk_without_room_stops_it_before(machine, monkeypatch):
    sizes = {"vae/a.safetensors": 60 * 10**9, "vae/a.bin": 10**12, "tokenizer/t.model": 10**9}
    assert (
        fetch.needed_bytes(
            VACE, Hub(machine, sizes).model_info("", revision="", files_metadata=True).siblings
        )
        == 61 * 10**9
    )
    hub = Hub(machine, sizes)
    monkeypatch.setattr(fetch, "_hub", lambda: hub)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(fetch.shutil, "disk_usage", lambda folder: usage(10**11, 0, 62 * 10**9))
    with pytest.raises(AnixError) as raised:
        fetch.pull(VACE)
    assert code(raised) == "E477" and "61.0 GB" in str(raised.value)


def test_a_network_that_fails_is_named(machine, monkeypatch):
    monkeypatch.setattr(fetch, "_hub", lambda: Hub(machine, {}, fails=True))
    with pytest.raises(AnixError) as raised:
        fetch.pull(VACE)
    assert code(raised) == "E478" and "no route" in str(raised.value)


class GatedRepoError(Exception):
    """Named as the hub's own."""


def test_what_the_hub_refuses_is_not_to_be_tried_again(machine, monkeypatch, capsys):
    hub = Hub(machine, {})
    monkeypatch.setattr(fetch, "_hub", lambda: hub)

    def refuse(*_, **__):
        raise GatedRepoError("403 Client Error.")

    monkeypatch.setattr(hub, "model_info", refuse)
    assert run(["models", "pull", VACE.name, "--revision", "d" * 40]) == 4
    said = capsys.readouterr().err
    assert "E478" in said and "hf auth login" in said and "again" not in said
    assert places.pinned(VACE) is None  # a commit that was never seen is no pin


def test_a_folder_for_pins_that_cannot_be_made_is_told(machine, monkeypatch, capsys):
    (machine / "file").write_text("")
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(machine / "file" / "below"))
    monkeypatch.setattr(fetch, "_hub", lambda: Hub(machine, {}))
    assert run(["models", "pull", VACE.name, "--revision", "d" * 40]) == 4
    assert "E412" in capsys.readouterr().err


def test_the_caches_older_name_counts(machine, monkeypatch):
    monkeypatch.setenv("HUGGINGFACE_HUB_CACHE", str(machine / "old"))
    assert places.hub_cache() == machine / "old"


def test_without_the_extra_it_says_which(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(AnixError) as raised:
        fetch.pull(VACE)
    assert code(raised) == "E471" and "anix[generate]" in raised.value.diagnostics[0].hint


def test_names_are_near_or_unknown():
    with pytest.raises(AnixError) as raised:
        weights_called("wan2.1-vace-1.3")
    assert (code(raised), raised.value.diagnostics[0].nearest) == ("E476", VACE.name)


def test_no_revision_is_made_up():
    for row in WEIGHTS.values():
        assert row.revision is None or len(row.revision) == 40
        assert row.note and row.licence
        assert not any(pattern.endswith((".bin", ".pt", ".pth", ".ckpt")) for pattern in row.files)


def test_commands_tell_what_is_here(machine, placed, capsys):
    assert run(["models", "list", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["models"]}
    assert rows[VACE.name]["path"] == str(placed.folder)
    assert rows[LORA.name]["path"] is None
    assert run(["models", "list"]) == 0
    assert "not on this machine" in capsys.readouterr().out
    assert run(["models", "path", VACE.name]) == 0
    assert capsys.readouterr().out.strip() == str(placed.folder)
    assert run(["models", "path", FUN.name]) == 4
    assert run(["models", "verify"]) == 0
    assert f"{VACE.name}: whole" in capsys.readouterr().out
    spoil(placed.folder, "cut")
    assert run(["models", "verify", VACE.name]) == 4
    assert "is cut short" in capsys.readouterr().out
    assert run(["models", "verify", FUN.name]) == 4
    assert run(["models", "verify", "nothing"]) == 2
    assert run(["models", "pull", VACE.name, "--revision", "main"]) == 2


def test_a_licence_is_shown_before_a_download(machine, monkeypatch, capsys):
    monkeypatch.setattr(fetch, "_hub", lambda: Hub(machine, {}))
    assert run(["models", "pull", VACE.name]) == 0
    said = capsys.readouterr()
    assert "Apache-2.0" in said.err and COMMIT in said.out
