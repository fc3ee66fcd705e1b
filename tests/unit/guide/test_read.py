"""Guides that are not what was written."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.guide.read import read_guide
from anix_cli.media.video import VideoWriter

FPS = Fraction(16)
RECORD = {
    "files": {"rgb": "rgb.mkv", "depth": "depth.mkv", "mask": "mask.mkv"},
    "depth": {"scale_m": 0.5, "no_surface": 0},
}


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    for name, kind, shape, dtype in (
        ("rgb", "master", (3, 48, 64, 3), np.uint8),
        ("depth", "depth", (3, 48, 64), np.uint16),
        ("mask", "mask", (3, 48, 64), np.uint8),
    ):
        with VideoWriter(tmp_path / f"{name}.mkv", (64, 48), FPS, kind) as video:
            video.write(np.ones(shape, dtype))
    (tmp_path / "guide.json").write_text(json.dumps(RECORD))
    return tmp_path


def test_a_whole_guide_is_read(guide: Path) -> None:
    frames = read_guide(guide, 1, 3)
    assert frames.rgb.shape == (2, 48, 64, 3)
    assert frames.anchor.all()


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"\xff\xfe",
        b"{",
        b"[]",
        b"{}",
        b"null",
        b"[" * 100_000,
        json.dumps({**RECORD, "files": {"rgb": "rgb.mkv"}}).encode(),
        json.dumps({**RECORD, "files": 3}).encode(),
        json.dumps({**RECORD, "depth": {"scale_m": "far"}}).encode(),
        json.dumps({**RECORD, "depth": {"scale_m": float("nan")}}).encode(),
        json.dumps({**RECORD, "depth": {"scale_m": [1]}}).encode(),
        json.dumps({**RECORD, "files": {**RECORD["files"], "mask": "none.mkv"}}).encode(),
        json.dumps({**RECORD, "files": {**RECORD["files"], "mask": "a\0b"}}).encode(),
    ],
)
def test_a_damaged_record_is_damage_like_any_other(guide: Path, content: bytes | None) -> None:
    (guide / "guide.json").unlink()
    if content is not None:
        (guide / "guide.json").write_bytes(content)
    with pytest.raises(AnixError) as caught:
        read_guide(guide, 0, 3)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E541"
    assert "made anew" in diagnostic.hint


@pytest.mark.parametrize("name", ["rgb", "depth", "mask"])
def test_a_damaged_video_of_a_guide_is_damage(guide: Path, name: str) -> None:
    path = guide / f"{name}.mkv"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(AnixError) as caught:
        read_guide(guide, 0, 3)
    assert caught.value.diagnostics[0].code == "E541"
