"""Reads frames back from a guide's folder."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ..core.errors import AnixError, fail
from ..core.guide import Guide
from ..media.inspect import MAKE_ANEW, unreadable
from ..media.video import read_frames
from . import checks
from . import depth as depth_codec


def read_guide(folder: Path, start: int, stop: int) -> Guide:
    """Frames start … stop − 1 of a guide; memory grows with their number alone.

    Raises:
        AnixError: E541, a file of the guide is missing or damaged; E402, ffmpeg failed at it.
    """
    files, scale_m = _record(folder / "guide.json")
    count = stop - start
    levels = read_frames(folder / files["depth"], start, count, kind="depth")
    rgb = read_frames(folder / files["rgb"], start, count, kind="guide")
    mask = read_frames(folder / files["mask"], start, count, kind="mask")
    if checks.FILE in files.values():
        _compare(folder, start, {"rgb": rgb, "depth": levels, "mask": mask})
    return Guide(rgb=rgb, depth=depth_codec.decode(levels, scale_m), anchor=mask > 127)


def _compare(folder: Path, start: int, frames: Mapping[str, NDArray[Any]]) -> None:
    """Raises E541 where a frame is not what was written."""
    path = folder / checks.FILE
    try:
        held = checks.read_checks(folder)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    for column, name in enumerate(checks.COLUMNS):
        found = [checks.check_of(frame) for frame in frames[name]]
        if found != held[start : start + len(found), column].tolist():
            raise unreadable(folder / f"{name}.mkv", "its pictures are not what was written")


def _record(path: Path) -> tuple[Mapping[str, str], float]:
    """File names by what they hold, and the metres that depth levels are counted in."""
    try:
        record: Any = json.loads(path.read_text(encoding="utf-8"))
        files = {name: str(record["files"][name]) for name in ("rgb", "depth", "mask")}
        scale_m = float(record["depth"]["scale_m"])
        if not (math.isfinite(scale_m) and scale_m > 0):
            raise ValueError("a scale is a positive number")
        files |= {"checks": str(record["files"]["checks"])} if "checks" in record["files"] else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unreadable(path, error) from error
    return files, scale_m


def _unreadable(path: Path, error: Exception) -> AnixError:
    why = "it does not exist" if isinstance(error, FileNotFoundError) else "it is damaged"
    return fail("E541", f"The guide {path} cannot be read: {why}.", file=path, hint=MAKE_ANEW)
