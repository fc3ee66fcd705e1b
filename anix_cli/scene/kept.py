"""Analyses kept in the store, by content: a scene that is planned again is neither decoded nor searched."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.keys import fingerprint
from anix_cli.core.screenplay import SceneSpec
from anix_cli.core.stage import HeightMap
from anix_cli.store.store import Entry, Store

from .analysis import ANALYSIS_VERSION, Analysis
from .free import FREE_VERSION, FreeSpace
from .standing import StandingRoom

KIND, FREE_KIND = "stages", "spaces"
_HEIGHTS = "ground.npy"
_NOTE = ("code", "message", "found", "expected", "nearest", "hint")


def analysis_key(spec: SceneSpec, digest: str, collider: str | None) -> str:
    """What an analysis depends on. The file's name is in its messages, and tells some kinds apart.

    Args:
        collider: digest of the collider's content.
    """
    return fingerprint(
        {
            "analysis": ANALYSIS_VERSION,
            "scene": digest,
            "name": spec.file.name,
            "up": spec.up,
            "scale": spec.scale,
            "origin": spec.origin,
            "crop": spec.crop_m,
            "collider": collider,
        }
    )


def load(store: Store, key: str, file: Path) -> Analysis | None:
    """A kept analysis; None where there is none, or none that can be read.

    Args:
        file: of the scene; its warnings are about it.
    """
    entry = store.get(KIND, key)
    if entry is None:
        return None
    try:
        return _analysis(entry, file)
    except (OSError, ValueError, KeyError, TypeError):
        _discard(store, entry)
        return None


def keep(store: Store, key: str, analysis: Analysis) -> None:
    """Keeps an analysis where the store can be written; it is only time that is lost where it can't."""
    heights = np.zeros((0, 0)) if analysis.ground is None else analysis.ground.heights_m
    try:
        with store.writing(KIND, key) as partial:
            np.save(partial.path / _HEIGHTS, heights, allow_pickle=False)
            partial.commit(_record(analysis))
    except (AnixError, OSError):
        return


def _discard(store: Store, entry: Entry) -> None:
    """Makes room for a whole one in the place of what cannot be read."""
    with suppress(AnixError, OSError):
        store.discard(entry)


def _record(analysis: Analysis) -> dict[str, Any]:
    ground = analysis.ground
    return {
        "up": analysis.up,
        "frame": analysis.frame,
        "tilt_deg": analysis.tilt_deg,
        "settled": analysis.settled,
        "stage_from_file": analysis.stage_from_file.tolist(),
        "offset": list(analysis.offset),
        "unit": analysis.unit,
        "bounds_m": analysis.bounds_m.tolist(),
        "ground": None if ground is None else {"origin_m": list(ground.origin_m), "cell_m": ground.cell_m},
        "collider": analysis.collider,
        "notes": [{name: asdict(note)[name] for name in _NOTE} for note in analysis.notes],
    }


def _analysis(entry: Entry, file: Path) -> Analysis:
    record = entry.record
    x, y, z = map(float, record["offset"])
    return Analysis(
        up=str(record["up"]),
        frame=str(record["frame"]),
        tilt_deg=None if record["tilt_deg"] is None else float(record["tilt_deg"]),
        settled=bool(record["settled"]),
        stage_from_file=np.array(record["stage_from_file"], dtype=np.float64).reshape(4, 4),
        offset=(x, y, z),
        unit=float(record["unit"]),
        bounds_m=np.array(record["bounds_m"], dtype=np.float64).reshape(2, 3),
        ground=_ground(entry, record["ground"]),
        collider=str(record["collider"]),
        notes=tuple(Diagnostic(**note, file=file) for note in record["notes"]),
    )


def _ground(entry: Entry, placed: Mapping[str, Any] | None) -> HeightMap | None:
    if placed is None:
        return None
    heights = np.load(entry.file(_HEIGHTS), allow_pickle=False)
    x, z = map(float, placed["origin_m"])
    if heights.dtype != np.float64 or heights.ndim != 2 or not heights.size:
        raise ValueError("not a height map")
    return HeightMap((x, z), float(placed["cell_m"]), heights)


def free_key(stage_key: str) -> str:
    """Of the free space of a stage."""
    return fingerprint({"free": FREE_VERSION, "stage": stage_key})


def load_free(store: Store, key: str) -> FreeSpace | None:
    """A kept free space; None where there is none, or none that can be read."""
    entry = store.get(FREE_KIND, key)
    if entry is None:
        return None
    try:
        taken, blocked, floor = (
            np.load(entry.file(f"{name}.npy"), allow_pickle=False) for name in ("taken", "blocked", "floor")
        )
        record, cell = entry.record, float(entry.record["cell_m"])
        low = np.array(record["low_m"], dtype=np.float64).reshape(3)
        nx, ny, nz = map(int, record["shape"])
        if blocked.shape != (nz, nx) or floor.shape != (nz, nx) or not blocked.dtype == floor.dtype == bool:
            raise ValueError("not a free space")
        room = StandingRoom((float(low[0]), float(low[2])), cell, blocked, floor)
        return FreeSpace(low, cell, (nx, ny, nz), taken.astype(np.int64), room)
    except (OSError, ValueError, KeyError, TypeError):
        _discard(store, entry)
        return None


def keep_free(store: Store, key: str, space: FreeSpace) -> None:
    """Keeps a free space where the store can be written."""
    small = bool(np.prod([float(count) for count in space.shape]) < 2**32)
    arrays = {
        "taken": space.taken.astype(np.uint32 if small else np.int64),
        "blocked": space.standing.blocked,
        "floor": space.standing.floor,
    }
    record = {"low_m": space.low_m.tolist(), "cell_m": space.cell_m, "shape": list(space.shape)}
    try:
        with store.writing(FREE_KIND, key) as partial:
            for name, array in arrays.items():
                np.save(partial.path / f"{name}.npy", array, allow_pickle=False)
            partial.commit(record)
    except (AnixError, OSError):
        return
