"""Game worlds: the program in the other environment, against a stand-in for the package fastvideo."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anix_cli import generate
from anix_cli.core.errors import AnixError
from anix_cli.generate.worlds import backend as worlds
from anix_cli.generate.worlds import child, deepverse
from anix_cli.model.places import Placed
from anix_cli.model.registry import weights_called

_spec = importlib.util.spec_from_file_location("scenery", Path(__file__).parent / "scenery.py")
scenery = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(scenery)

FASTVIDEO = """
import json, os, sys
import numpy as np
from PIL import Image
__version__ = "0.0-stand-in"
print("a banner on standard output")
class VideoGenerator:
    @classmethod
    def from_pretrained(cls, path, **settings):
        made = cls(); made.path = path
        return made
    def shutdown(self):
        pass
    def generate_video(self, **asked):
        print("chatter")
        first = np.asarray(Image.open(asked["image_path"]))
        kept = {n: (list(v.shape) if hasattr(v, "shape") else v) for n, v in asked.items()}
        kept["camera_of"] = getattr(asked.get("camera_states"), "told", None)
        with open(os.environ["SEEN"], "a") as seen:
            seen.write(json.dumps({**kept, "model": self.path, "first": int(first.sum())}) + "\\n")
        how = os.environ.get("HOW", "")
        if how == "raise": raise MemoryError("CUDA out of memory")
        if how == "die": os._exit(3)
        if how == "hang":
            import time
            time.sleep(60)
        count = asked["num_frames"] - (how == "short")
        shape = (asked["height"], asked["width"], 3)
        frames = [np.full(shape, 10 + n, dtype=np.uint8) for n in range(count)]
        frames[0] = first
        return {"frames": frames}
"""
TORCH = """
import numpy as np
float32, bfloat16 = np.float32, None
class tensor(np.ndarray):
    def __new__(cls, values, dtype=None):
        return np.asarray(values, dtype=dtype).view(cls)
    def unsqueeze(self, axis):
        return np.expand_dims(self, axis)
"""
CAMERA = """
class Rays:
    pass
def create_camera_trajectory(action, height, width, num_frames, action_speed, dtype):
    made = Rays()
    made.shape, made.told = (1, num_frames, 6, height // 16, width // 16), [action, action_speed]
    return made
"""


@pytest.fixture
def other(tmp_path, monkeypatch):
    """Another environment: this interpreter, with stand-ins for what would be installed there."""
    site = tmp_path / "site"
    (site / "fastvideo" / "models" / "camera").mkdir(parents=True)
    (site / "fastvideo" / "__init__.py").write_text(FASTVIDEO)
    (site / "fastvideo" / "models" / "__init__.py").write_text("")
    (site / "fastvideo" / "models" / "camera" / "__init__.py").write_text(CAMERA)
    (site / "torch.py").write_text(TORCH)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nshift\nPYTHONPATH="{site}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv(child.PYTHON, str(python))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    monkeypatch.delenv("HOW", raising=False)
    monkeypatch.setattr(
        worlds.World, "place", lambda self: Placed(weights_called(self.weights), site, None, local=True)
    )
    return tmp_path


def seen(folder):
    return [json.loads(line) for line in (folder / "seen").read_text().splitlines()]


def request(size_px, count=6, tail=0):
    """A camera that goes on by 5 cm a frame, and turns right by a degree."""
    poses = []
    for n in range(count):
        angle = np.radians(n)
        at = np.array([0, 1.2, 4.0 - 0.05 * n])
        poses.append(scenery.look_at(at, at + np.array([np.sin(angle), -0.05, -np.cos(angle)])))
    small = scenery.request([], poses, size_px=(64, 32), tail=tail)
    width, height = size_px
    pick = (np.arange(height) * 32 // height, np.arange(width) * 64 // width)

    def grown(values):
        return values[:, pick[0]][:, :, pick[1]]

    return replace(small, size_px=size_px, **{
        name: grown(getattr(small, name)) for name in ("guide", "depth", "anchor", "tail")
    })  # fmt: skip


def made(backend, asked):
    notes, told = {}, []
    frames = backend.generate(
        replace(asked, note=notes.__setitem__), lambda done, total: told.append((done, total))
    )
    return frames, notes, told


def test_matrix_game_is_asked_in_keys_and_held_between_clips(other):
    backend = generate.get("matrix-game-2")
    try:
        backend.prepare([{}])
        first = request((640, 352))
        frames, notes, told = made(backend, first)
        second, after, _ = made(backend, request((640, 352), 7, tail=1))
    finally:
        backend.close()
    assert frames.shape == (6, 352, 640, 3) and frames.dtype == np.uint8 and told == [(1, 1)]
    assert second.shape[0] == 6 and second[0, 0, 0, 0] == 11  # the first one was given
    one, two = seen(other)
    assert one["keyboard_cond"] == [1, 9, 4] and one["mouse_cond"] == [1, 9, 2]
    assert one["grid_sizes"] == [3] and one["num_frames"] == 9 and one["seed"] == 7
    assert one["first"] == int(first.guide[0].astype(int).sum())  # nobody stands there: the scene alone
    assert (one["width"], one["height"]) == (640, 352) and two["prompt"] == ""
    told = notes["matrix_game_2"]
    assert told["residual"]["position_max_m"] < 0.03 and told["residual"]["turn_max_deg"] < 0.6
    assert told["first_frame"] == "of the animatic" and told["made_by"] == "fastvideo 0.0-stand-in"
    assert after["matrix_game_2"]["first_frame"] == "of the clip before"


def test_keys_lead_to_their_frame():
    backend = worlds.MatrixGame2Backend()
    asked = request((640, 352))
    told, frames, residual = backend._asked(asked, asked.world_from_camera)
    board, mouse = np.array(told["keyboard"]), np.array(told["mouse"])
    assert frames == 9 and board.shape == (9, 4)
    np.testing.assert_array_equal(board[:, 0], [0, 1, 1, 1, 1, 1, 0, 0, 0])
    np.testing.assert_array_equal(mouse[:, 1], [0, 0.1, 0.1, 0.1, 0.1, 0.1, 0, 0, 0])
    assert not board[:, 1:].any() and not mouse[:, 0].any()
    assert [worlds.MatrixGame2Backend()._asked(asked, np.repeat(asked.world_from_camera, 10, 0)[:n])[1]
            for n in (1, 9, 10, 21, 22, 57)] == [9, 9, 21, 21, 33, 57]  # fmt: skip
    assert residual.position_max_m < 0.03


def test_gamecraft_is_asked_in_one_action(other):
    backend = generate.get("hunyuan-gamecraft")
    try:
        frames, notes, _ = made(backend, request((1280, 704)))
    finally:
        backend.close()
    (asked,) = seen(other)
    assert frames.shape == (6, 704, 1280, 3)
    assert asked["num_frames"] == 33 and asked["guidance_scale"] == 6.0 and asked["prompt"] == "a person"
    assert asked["camera_states"] == [1, 33, 6, 44, 80]
    assert notes["hunyuan_gamecraft"]["residual"]["position_max_m"] == pytest.approx(0.25)
    assert asked["camera_of"] == ["right_rot", pytest.approx(33)]  # a degree a frame, for all of its frames


@pytest.mark.parametrize(
    ("how", "words"),
    [("raise", "CUDA out of memory"), ("die", "its process ended"), ("short", "asked for")],
)
def test_what_fails_there_is_told_here(other, monkeypatch, how, words):
    monkeypatch.setenv("HOW", how)
    backend = generate.get("matrix-game-2")
    with pytest.raises(RuntimeError, match=words):
        made(backend, request((640, 352)))
    backend.close()


def test_after_one_that_died_another_is_begun(other, monkeypatch):
    monkeypatch.setenv("HOW", "die")
    backend = generate.get("matrix-game-2")
    with pytest.raises(RuntimeError, match="its process ended"):
        made(backend, request((640, 352)))
    monkeypatch.delenv("HOW")
    frames, _, _ = made(backend, request((640, 352)))
    backend.close()
    assert len(frames) == 6


def test_one_that_hangs_is_ended(other, monkeypatch):
    backend = generate.get("matrix-game-2")
    backend.prepare([{}])
    monkeypatch.setenv("HOW", "hang")
    backend.close()
    backend.prepare([{}])
    monkeypatch.setattr(child, "PATIENCE_S", 0.5)
    with pytest.raises(RuntimeError, match="did not answer"):
        made(backend, request((640, 352)))
    backend.close()


def code(raised):
    return raised.value.diagnostics[0].code


def test_no_other_environment_is_told_before_anything(monkeypatch, tmp_path):
    monkeypatch.delenv(child.PYTHON, raising=False)
    with pytest.raises(AnixError) as raised:
        generate.get("matrix-game-2").prepare([{}])
    assert code(raised) == "E482" and child.PYTHON in raised.value.diagnostics[0].hint
    monkeypatch.setenv(child.PYTHON, str(tmp_path / "none"))
    with pytest.raises(AnixError) as raised:
        generate.get("hunyuan-gamecraft").prepare([{}])
    assert code(raised) == "E482" and "none" in str(raised.value)


@pytest.mark.parametrize("script", ["exit 1", "echo nonsense", "echo '[1]'", "echo '{\"done\": 3}'"])
def test_a_program_that_is_none_is_told(tmp_path, monkeypatch, script):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    monkeypatch.setenv(child.PYTHON, str(python))
    with pytest.raises(AnixError) as raised:
        generate.get("matrix-game-2").prepare([{}])
    assert code(raised) == "E482"


def test_an_environment_without_the_package_is_told(other, monkeypatch):
    shutil.rmtree(other / "site" / "fastvideo")
    with pytest.raises(AnixError) as raised:
        generate.get("matrix-game-2").prepare([{}])
    assert code(raised) == "E482" and "No module named 'fastvideo'" in str(raised.value)


def test_frames_are_never_a_pickle(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object))
    with pytest.raises(RuntimeError, match="cannot be read"):
        worlds._read(tmp_path / "a.npy", (1, 2, 2, 3))
    (tmp_path / "b.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(RuntimeError, match="cannot be read"):
        worlds._read(tmp_path / "b.npy", (1, 2, 2, 3))


# DeepVerse, by the user's checkout

RUN = """
import json, os
def set_seed(seed): pass
def create_model_config():
    return {"dit_config": {}, "vae_config": {}, "text_encoder_config": {}, "here": os.path.exists("asset")}
def prepare_input_data(image, frames, height, width, kind, actions):
    with open(os.environ["SEEN"], "a") as seen:
        seen.write(json.dumps([frames, height, width, kind, actions]) + "\\n")
    return actions.count("("), height, width
"""
PIPELINE = """
import torch
class InferencePipeline:
    def __init__(self, model_cfg, device, torch_dtype):
        assert model_cfg["here"] and model_cfg["dit_config"]["model_path"].endswith("/transformer")
    def generate(self, given):
        count, height, width = given
        video = torch.zeros(1, 3, count * 8 + 1, height, width)
        video[:, 0] = 1.0
        return {"pred_img": video}
"""


@pytest.fixture
def checkout(other, monkeypatch):
    pytest.importorskip("torch")
    (other / "site" / "torch.py").unlink()
    folder = other / "DeepVerse"
    folder.mkdir()
    for name, text in (("run.py", RUN), ("pipeline.py", PIPELINE), ("asset", "")):
        (folder / name).write_text(text)
    (other / "weights" / "deepverse").mkdir(parents=True)
    monkeypatch.setenv(deepverse.PYTHON, str(other / "python"))
    monkeypatch.setenv(deepverse.CHECKOUT, str(folder))
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(other / "weights"))
    return other


def test_deepverse_is_asked_in_steps_of_eight_frames(checkout):
    backend = generate.get("deepverse")
    try:
        backend.prepare([{}])
        frames, notes, _ = made(backend, request((512, 384), count=18))
    finally:
        backend.close()
    assert frames.shape == (18, 384, 512, 3) and tuple(frames[1, 0, 0]) == (255, 128, 128)
    # 17 steps forward by 5 cm, turning right by a degree each: eight of them are a step of the model.
    assert seen(checkout) == [[25, 384, 512, "action", "(FR)(FR)(SN)"]]
    assert notes["deepverse"]["made_by"].startswith("checkout ")
    assert notes["deepverse"]["residual"]["position_max_m"] < 0.2


def test_deepverse_wants_checkout_environment_and_weights(checkout, monkeypatch):
    (checkout / "weights" / "deepverse").rmdir()
    backend = generate.get("deepverse")
    with pytest.raises(AnixError) as raised:
        backend.prepare([{}])
    backend.close()
    assert code(raised) == "E474" and "SOTAMak1r/DeepVerse1.1" in raised.value.diagnostics[0].hint
    for name, words in ((deepverse.PYTHON, "none is named"), (deepverse.CHECKOUT, "names no checkout")):
        monkeypatch.delenv(name)
        with pytest.raises(AnixError) as raised:
            generate.get("deepverse").prepare([{}])
        assert code(raised) == "E482" and words in str(raised.value)
        assert "clone" in raised.value.diagnostics[0].hint


def test_they_say_what_they_take():
    for name in ("matrix-game-2", "hunyuan-gamecraft", "deepverse"):
        takes = generate.capabilities(name)
        assert takes.sizes and takes.cannot and takes.tail == 1
        assert all(option.takes(option.default) for option in takes.options.values())
    assert "words" in generate.capabilities("matrix-game-2").cannot
    assert os.environ.get("ANIX_FASTVIDEO_PYTHON") is None
