"""Motions of words: HumanML3D's features, MDM's network and sampler with tiny random weights, and the BVH."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from anix_cli.character.models.clips import Track
from anix_cli.character.motions.adopt import understand
from anix_cli.character.motions.bvh import read_bvh
from anix_cli.character.motions.performer import perform, poses_of
from anix_cli.character.motions.read import read_motion
from anix_cli.character.motions.write import _NAMES, _TREE, bvh_of
from anix_cli.cli.main import run as main
from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import MotionSpec
from anix_cli.model.motion import JOINTS, MotionRequest, Moved, Way, motion_model, names
from anix_cli.model.motion.features import FPS, frames_of, joints_of, root_of
from anix_cli.run import textmotion

torch = pytest.importorskip("torch")

from anix_cli.model.motion import mdm  # noqa: E402
from anix_cli.model.motion.network import MdmNetwork, Sizes, network_from  # noqa: E402

TINY = Sizes(features=263, width=32, hidden=48, layers=2, heads=4, text=16)


def arc(seconds: float = 3.0, fps: float = 24.0) -> Way:
    """A quarter of a circle to the own left, of 4 m, somewhere on the stage."""
    share = np.linspace(0, 1, round(seconds * fps) + 1)
    angle = 0.5 * math.pi * share
    return Way(np.stack([7 + 4 - 4 * np.cos(angle), 2 + 4 * np.sin(angle)], axis=1), angle, fps)


def posture(frames: int) -> np.ndarray:
    """Features [F, 263] of one who stands still, a pelvis 0.95 m high."""
    found = np.zeros((frames, 263))
    found[:, 3] = 0.95
    found[:, 4:67] = np.tile(standing()[1:] * 1.0, (frames, 1, 1)).reshape(frames, 63)
    return found


def standing() -> np.ndarray:
    """[22, 3] a T-pose with bones of the length 0.2 m, the pelvis over the origin."""
    at = {"pelvis": np.array([0, 0.95, 0])}
    for name, parent, way in _TREE:
        at[name] = at[parent] + 0.2 * np.array(way) / np.linalg.norm(way)
    return np.stack([at[name] for name in JOINTS])


def test_the_root_of_a_way_is_the_way():
    way = arc()
    frames = frames_of(3.0)
    features = posture(frames)
    features[:-1, :3] = root_of(way, frames)
    root = joints_of(features)[:, 0]
    assert frames == 61
    times = np.arange(frames) / FPS
    expected = np.stack([np.interp(times, np.arange(73) / 24, way.xz[:, axis]) for axis in (0, 1)], axis=1)
    np.testing.assert_allclose(root[:, [0, 2]], expected - (7, 2), atol=1e-9)
    np.testing.assert_allclose(root[:, 1], 0.95)


def test_joints_turn_with_the_root():
    """At the end of a quarter to the left, what was on the left is behind: from +x to −z."""
    frames = frames_of(3.0)
    features = posture(frames)
    features[:-1, :3] = root_of(arc(), frames)
    joints = joints_of(features)
    wrist = JOINTS.index("left_wrist")
    first, last = (joints[at, wrist] - joints[at, 0] for at in (0, -1))
    np.testing.assert_allclose(first, standing()[wrist] - (0, 0.95, 0), atol=1e-9)
    np.testing.assert_allclose(last, (first[2], first[1], -first[0]), atol=1e-3)


def test_a_motion_survives_the_bvh(tmp_path):
    """Rigid bones that swing: read back, joints are where they were."""
    rng = np.random.default_rng(1)
    frames, rest = 12, dict(zip(JOINTS, standing(), strict=True))
    parents = {name: parent for name, parent, _ in _TREE}
    at = {"pelvis": np.stack([np.linspace(0, 1, frames), np.full(frames, 0.95), np.zeros(frames)], axis=1)}
    from scipy.spatial.transform import Rotation

    turned = {"pelvis": Rotation.from_euler("y", np.linspace(0, 2, frames)[:, None])}
    for name in JOINTS[1:]:
        parent = parents[name]
        at[name] = at[parent] + turned[parent].apply(rest[name] - rest[parent])
        bend = Rotation.from_rotvec(0.4 * rng.normal(size=3) * np.linspace(0, 1, frames)[:, None])
        turned[name] = turned[parent] * bend
    joints = np.stack([at[name] for name in JOINTS], axis=1)
    path = tmp_path / "m.bvh"
    path.write_text(bvh_of(JOINTS, joints, 20.0))
    nodes, clip = read_bvh(path)
    assert clip.duration_s == pytest.approx(11 / 20)
    _, shift, turn, size = Track(clip, nodes.rest).keys()
    places, _ = poses_of(nodes, shift, turn, size)
    for name in JOINTS:
        side, _, part = name.rpartition("_")
        node = nodes.names.index(side.capitalize() + _NAMES[part] if side else _NAMES[name])
        np.testing.assert_allclose(
            places[[0, -1], node], 100 * joints[[0, -1], JOINTS.index(name)], atol=0.01
        )
    motion = read_motion(MotionSpec(path))
    assert {"hips", "left_hand", "right_foot", "head"} <= set(motion.roles)
    assert perform(motion).by_rest


def tiny(text: int = 16) -> MdmNetwork:
    torch.manual_seed(0)
    return MdmNetwork(Sizes(263, 32, 48, 2, 4, text)).eval()


def test_weights_are_read_under_any_prefix_and_sizes_off_them():
    made = tiny()
    stored = {f"model.{name}": tensor for name, tensor in made.state_dict().items()}
    stored |= {"model.clip_model.x": torch.zeros(1), "model.sequence_pos_encoder.pe": torch.zeros(1)}
    read = network_from(stored, {"num_heads": 4})
    assert read.sizes == made.sizes
    noisy, text = torch.randn(2, 9, 263), torch.randn(2, 16)
    time = torch.tensor([3, 900])
    torch.testing.assert_close(read(noisy, time, text), made(noisy, time, text))
    del stored["model.embed_text.bias"]
    with pytest.raises(ValueError, match="does not fit"):
        network_from(stored, {})


def test_the_network_is_a_transformer_over_the_text_and_the_frames():
    """Against the same written down with plain attention."""
    made = tiny()
    noisy, time, text = torch.randn(1, 5, 263), torch.tensor([7]), torch.randn(1, 16)
    state = made.state_dict()
    told = made.embed_timestep(made.places[time]) + made.embed_text(text)
    x = torch.cat([told, noisy[0] @ state["input_process.poseEmbedding.weight"].T
                   + state["input_process.poseEmbedding.bias"]]) + made.places[:6]  # fmt: skip
    for layer in made.seqTransEncoder.layers:
        q, k, v = (x @ layer.self_attn.in_proj_weight.T + layer.self_attn.in_proj_bias).split(32, dim=1)
        heads = []
        for head in range(4):
            part = slice(8 * head, 8 * head + 8)
            shares = torch.softmax(q[:, part] @ k[:, part].T / math.sqrt(8), dim=1)
            heads.append(shares @ v[:, part])
        x = layer.norm1(x + layer.self_attn.out_proj(torch.cat(heads, dim=1)))
        x = layer.norm2(x + layer.linear2(torch.nn.functional.gelu(layer.linear1(x))))
    torch.testing.assert_close(made(noisy, time, text)[0], made.output_process(x[1:]), atol=1e-5, rtol=1e-4)


class Knows(torch.nn.Module):
    """Always sees the same clean motion."""

    sizes = TINY

    def __init__(self, clean: np.ndarray) -> None:
        super().__init__()
        self.clean = torch.tensor(clean, dtype=torch.float32)

    def forward(self, noisy, time, text):
        return self.clean.expand(len(noisy), -1, -1)


@pytest.mark.parametrize("steps", [None, 5, 50])
def test_the_sampler_ends_at_what_the_network_sees(steps):
    clean = posture(21)
    request = MotionRequest("", 1.0, steps=steps)
    made = mdm.sample(
        Knows(clean), torch.zeros(1, 16), np.zeros(263), np.ones(263), 60, request, lambda done, total: None
    )
    np.testing.assert_allclose(made.joints, joints_of(clean.astype(np.float32).astype(float)), atol=1e-5)


def test_a_motion_goes_the_way_of_the_blocking_whatever_the_weights():
    way = arc()
    seen = []
    made = mdm.sample(
        tiny(), torch.zeros(1, 16), np.full(263, 0.1), np.full(263, 0.3), 40,
        MotionRequest("walks", 3.0, way=way, steps=8), lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert made.joints.shape == (61, 22, 3) and seen[-1] == (8, 8)
    times = np.arange(61) / FPS
    expected = np.stack([np.interp(times, np.arange(73) / 24, way.xz[:, axis]) for axis in (0, 1)], axis=1)
    np.testing.assert_allclose(made.joints[:, 0, [0, 2]], expected - (7, 2), atol=1e-3)


def weights(folder, text: int = 16) -> None:
    """Tiny random weights where `anix models path` says."""
    from safetensors.torch import save_file
    from transformers import CLIPTextConfig, CLIPTextModelWithProjection

    own = folder / "mdm-humanml3d"
    own.mkdir(parents=True)
    save_file(tiny(text).state_dict(), own / "model.safetensors")
    (own / "mdm_config.json").write_text(json.dumps({"num_heads": 4, "diffusion_steps": 30}))
    np.save(own / "Mean.npy", posture(1)[0].astype(np.float32))
    np.save(own / "Std.npy", np.full(263, 0.05, np.float32))
    clip = folder / "clip-vit-b32"
    letters = [chr(97 + index) for index in range(26)]
    vocab = ["!", *letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    config = CLIPTextConfig(
        vocab_size=len(vocab), hidden_size=16, intermediate_size=16, num_hidden_layers=1,
        num_attention_heads=2, projection_dim=text, max_position_embeddings=32,
        bos_token_id=len(vocab) - 2, eos_token_id=len(vocab) - 1,
    )  # fmt: skip
    CLIPTextModelWithProjection(config).save_pretrained(clip)
    (clip / "vocab.json").write_text(json.dumps({word: index for index, word in enumerate(vocab)}))
    (clip / "merges.txt").write_text("#version: 0.2\n")
    (clip / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "CLIPTokenizer"}))


def test_words_become_a_bvh_that_a_character_can_use(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path / "w"))
    weights(tmp_path / "w")
    out = tmp_path / "dance.bvh"
    told = ["character", "motion", "a person dances", "-o", str(out), "--seconds", "2", "--steps", "4"]
    assert main(told) == 0
    assert "dance.bvh: 41 frames, 2 s" in capsys.readouterr().out
    first = out.read_text()
    assert understand({"dance": MotionSpec(out)})[0].facts["seconds"] == 2.0
    assert main(told) == 2 and "E357" in capsys.readouterr().err
    assert main([*told, "--overwrite"]) == 0 and out.read_text() == first
    assert main([*told, "--overwrite", "--seed", "3"]) == 0 and out.read_text() != first


def test_weights_that_are_not_here_or_not_mdms_are_told(tmp_path, monkeypatch):
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path / "w"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(AnixError) as caught:
        motion_model("mdm").generate(MotionRequest("x", 1.0), lambda done, total: None)
    assert caught.value.diagnostics[0].code == "E474"
    weights(tmp_path / "w")
    np.save(tmp_path / "w" / "mdm-humanml3d" / "Mean.npy", np.zeros(7))
    with pytest.raises(AnixError, match="263 features") as caught:
        motion_model("mdm").generate(MotionRequest("x", 1.0), lambda done, total: None)
    assert caught.value.diagnostics[0].code == "E475"


class Still:
    """Another model, as an extension would bring one."""

    name, longest_s = "still", 3.0

    def generate(self, request, progress):
        frames = frames_of(request.seconds)
        return Moved(joints_of(posture(frames)), FPS)


def test_models_are_replaceable(tmp_path, monkeypatch):
    assert "mdm" in names()
    with pytest.raises(AnixError) as caught:
        motion_model("mdn")
    assert [(each.code, each.nearest) for each in caught.value.diagnostics] == [("E367", "mdm")]
    monkeypatch.setattr(textmotion, "motion_model", lambda name: Still())
    made = textmotion.write_motion("x", tmp_path / "a.bvh", model="still", way=arc(2.0))
    assert made.frames == 41
    with pytest.raises(AnixError) as caught:
        textmotion.write_motion("x", tmp_path / "b.bvh", model="still", seconds=5.0)
    assert caught.value.diagnostics[0].code == "E368" and not (tmp_path / "b.bvh").exists()


def test_importing_the_models_is_light():
    import subprocess
    import sys

    code = "import sys, anix_cli.model.motion, anix_cli.run.textmotion; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.fixture
def plan_of_two(tmp_path):
    from types import SimpleNamespace

    subject = SimpleNamespace(
        character="mira", root=np.linspace((0, 0, 0), (1, 0, 2), 32), yaw_rad=np.full(32, 0.4)
    )
    shot = SimpleNamespace(id="go", subjects=(subject,))
    return SimpleNamespace(shots=lambda: [shot], fps=16)


def test_the_way_of_a_shot_is_taken_from_its_plan(plan_of_two):
    way = textmotion.way_of(plan_of_two, "go", "mira")
    assert len(way.yaw_rad) == 32 and way.fps == 16
    assert float(np.linalg.norm(way.xz[-1] - way.xz[0])) > 1
    for shot, character in (("gone", None), ("go", "teo")):
        with pytest.raises(AnixError) as caught:
            textmotion.way_of(plan_of_two, shot, character)
        assert caught.value.diagnostics[0].code == "E369"
