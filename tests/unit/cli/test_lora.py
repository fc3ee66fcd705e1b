"""``anix lora show|convert``"""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")

from anix_cli.cli.main import run  # noqa: E402


@pytest.fixture
def kohya(tmp_path, monkeypatch):
    from safetensors.torch import save_file

    monkeypatch.chdir(tmp_path)
    stem = "lora_unet_double_blocks_0_img_attn_qkv"
    save_file(
        {f"{stem}.lora_down.weight": torch.ones(2, 8), f"{stem}.lora_up.weight": torch.ones(24, 2),
         f"{stem}.alpha": torch.tensor(1.0)},
        tmp_path / "kohya.safetensors", {"ss_network_dim": "2"},
    )  # fmt: skip
    return tmp_path / "kohya.safetensors"


def test_a_file_is_told_of(kohya, capsys):
    assert run(["lora", "show", "kohya.safetensors", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "file": "kohya.safetensors", "kind": "lora", "base": "hunyuan", "names": "kohya", "layers": 3,
        "rank": 2, "projector": False,
    }  # fmt: skip


def test_there_and_back(kohya, capsys):
    assert run(["lora", "convert", "kohya.safetensors", "sub/ours.safetensors"]) == 0
    assert capsys.readouterr().out == "sub/ours.safetensors\n"
    assert run(["lora", "show", "sub/ours.safetensors", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["names"] == "diffusers"
    assert run(["lora", "convert", "sub/ours.safetensors", "back.safetensors", "--to", "kohya"]) == 0
    from safetensors import safe_open

    with safe_open("back.safetensors", framework="pt") as file:
        assert file.metadata() == {"ss_network_dim": "2"}
        change = file.get_tensor("lora_unet_double_blocks_0_img_attn_qkv.lora_up.weight") @ file.get_tensor(
            "lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight"
        )
        scale = float(file.get_tensor("lora_unet_double_blocks_0_img_attn_qkv.alpha"))
    assert torch.allclose(change * scale / 2, torch.full((24, 8), 1 / 2 * 2.0))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["show", "gone.safetensors"], "E483"),
        (["show", "pickle.safetensors"], "E557"),
        (["convert", "kohya.safetensors", "kohya.safetensors", "--overwrite"], "E435"),
        (["convert", "kohya.safetensors", "pickle.safetensors"], "E435"),
        (["convert", "pickle.safetensors", "new.safetensors"], "E557"),
    ],
)
def test_what_goes_wrong_has_a_code_and_leaves_all_as_it_was(kohya, capsys, arguments, code):
    (kohya.parent / "pickle.safetensors").write_bytes(b"\x80\x04\x95")
    before = kohya.read_bytes()
    assert run(["lora", *arguments]) != 0
    assert code in capsys.readouterr().err
    assert kohya.read_bytes() == before and not (kohya.parent / "new.safetensors").exists()
    assert (kohya.parent / "pickle.safetensors").read_bytes() == b"\x80\x04\x95"
