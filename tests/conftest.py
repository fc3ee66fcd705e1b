"""A small film project that the tests of several packages share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from PIL import Image, ImageDraw

from anix_cli.core.gaussians import Gaussians

# The same examples in each run, so that a change is judged by what it changed; another profile,
# ``--hypothesis-profile search``, looks for new ones. Slow machines are no fault.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=500, deadline=None)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    from tests.raised import RaisedCodes

    config.pluginmanager.register(RaisedCodes(config))


SCREENPLAY = """\
# yaml-language-server: $schema=../schemas/screenplay-v1.json
anix: 1
title: Small
film: {size: 128x96, fps: 8, seed: 7}
scene: {file: yard.ply, up: +y, scale: 1}
characters:
  mo:
    views: {front: front.png, left: left.png, right: right.png, back: back.png}
    height: 1.7
    description: a man in a green coat
anchors:
  gate: {at: [0, -4], face: well}
  well: {at: [0, 4]}
defaults: {character: mo}
shots:
  - {id: run, command: Mo runs forward, anchor: gate, duration: 1.5}
  - {id: wave, command: he stops and waves, duration: 1}
  - {id: orbit, command: "", camera: {move: orbit, degrees: 60}, duration: 1}
  - {id: end, command: he waves, cut: true, anchor: well, duration: 1}
"""


def yard() -> Gaussians:
    """A paved yard of 24 × 24 m at y = 0 with a wall on each side, facing the stage's axes."""
    rng = np.random.default_rng(1)
    steps = np.arange(-12, 12.01, 0.4)
    x, z = (axis.ravel() for axis in np.meshgrid(steps, steps))
    ground = np.stack([x, 0 * x, z], axis=1)
    along, up = (axis.ravel() for axis in np.meshgrid(steps, np.arange(0.2, 4.1, 0.4)))
    walls = [
        np.stack([along, up, 0 * along + side], axis=1)
        if turn
        else np.stack([0 * along + side, up, along], axis=1)
        for side in (-12, 12)
        for turn in (True, False)
    ]
    means = np.concatenate([ground, *walls]).astype(np.float32)
    scales = np.full_like(means, 0.22)
    scales[: len(ground), 1] = 0.01
    for index in range(4):
        rows = slice(len(ground) + index * len(along), len(ground) + (index + 1) * len(along))
        scales[rows, 2 if index % 2 == 0 else 0] = 0.01
    tint = np.where(np.arange(len(means)) < len(ground), 0.2, -0.3)
    sh = (tint[:, None] + rng.normal(0, 0.25, (len(means), 3)))[:, None, :].astype(np.float32)
    quats = np.tile(np.array([1, 0, 0, 0], np.float32), (len(means), 1))
    return Gaussians(means, quats, scales, np.full(len(means), 0.97, np.float32), sh)


def draw_views(folder: Path) -> None:
    """Four pictures of a simple figure: green coat, dark legs, a satchel at its left."""
    for name in ("front", "left", "right", "back"):
        picture = Image.new("RGBA", (96, 192), (0, 0, 0, 0))
        pen = ImageDraw.Draw(picture)
        half = 14 if name in ("front", "back") else 9
        pen.rounded_rectangle((48 - half, 48, 48 + half, 112), 8, fill=(40, 130, 60, 255))
        if name in ("front", "back"):
            pen.polygon([(34, 52), (40, 50), (28, 108), (20, 106)], fill=(40, 130, 60, 255))
            pen.polygon([(62, 52), (56, 50), (68, 108), (76, 106)], fill=(40, 130, 60, 255))
            pen.rectangle((36, 110, 46, 184), fill=(40, 40, 70, 255))
            pen.rectangle((50, 110, 60, 184), fill=(40, 40, 70, 255))
        else:
            pen.rectangle((42, 110, 54, 184), fill=(40, 40, 70, 255))
            toe = -10 if name == "left" else 10
            pen.rectangle((min(42, 42 + toe), 176, max(54, 54 + toe), 184), fill=(40, 40, 70, 255))
        if name == "left":  # a satchel, so that the right view is no mirror image
            pen.rectangle((42, 88, 56, 104), fill=(150, 100, 50, 255))
        face = (120, 80, 60, 255) if name == "back" else (230, 190, 160, 255)
        pen.ellipse((36, 12, 60, 48), fill=face)
        picture.save(folder / f"{name}.png")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``film.yaml`` and all that it names; its store is ``.anix`` beside it."""
    from anix_cli.scene import write_ply

    monkeypatch.delenv("ANIX_CACHE_DIR", raising=False)
    write_ply(tmp_path / "yard.ply", yard())
    draw_views(tmp_path)
    (tmp_path / "film.yaml").write_text(SCREENPLAY, encoding="utf-8")
    return tmp_path
