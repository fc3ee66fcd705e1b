"""Reads frames back from a guide's folder."""

from __future__ import annotations

import json
from pathlib import Path

from ..core.guide import Guide
from ..media.video import read_frames
from . import depth as depth_codec


def read_guide(folder: Path, start: int, stop: int) -> Guide:
    """Frames start … stop − 1 of a guide; memory grows with their number alone."""
    record = json.loads((folder / "guide.json").read_text(encoding="utf-8"))
    count = stop - start
    levels = read_frames(folder / record["files"]["depth"], start, count, kind="depth")
    return Guide(
        rgb=read_frames(folder / record["files"]["rgb"], start, count, kind="master"),
        depth=depth_codec.decode(levels, record["depth"]["scale_m"]),
        anchor=read_frames(folder / record["files"]["mask"], start, count, kind="mask") > 127,
    )
