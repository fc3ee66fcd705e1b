"""The plan's per-frame arrays as one npz: written, read with care, and looked through.

All shots lie one after the other, and all their subjects likewise; frame counts say where each begins. An npz
comes from outside, so that nothing is read before its header agrees with the plan, and no value is taken that
no planning makes.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..core.keys import fingerprint
from ..core.plan import Plan

Arrays = dict[str, Any]
"""Name → array."""

SHOT_ARRAYS = {"world_from_camera": (4, 4), "intrinsics": (3, 3)}
SUBJECT_ARRAYS: dict[str, tuple[int, ...]] = {
    "root": (3,), "yaw_rad": (), "speed_mps": (), "gait_phase": (), "box_px": (4,), "visible": (),
    "lift_m": (),
}  # fmt: skip
MOST_BYTES = 2 << 30
"""The largest arrays that are read: some 1.5 million frames, a day of film."""
FURTHEST_M, MOST_PX, MOST = 1e7, 1e12, 1e9
"""No place, pixel or other value of a plan is beyond these."""
_LOOSE = 1e-6
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
               NotImplementedError, RuntimeError, OverflowError, MemoryError, SyntaxError)  # fmt: skip
"""What a damaged npz raises."""


class DamagedError(Exception):
    """The arrays cannot be read."""


class MismatchError(Exception):
    """The arrays are whole, but not those of this plan."""


class UnsoundError(Exception):
    """The arrays hold what no plan holds; its text says where."""


def arrays_of(plan: Plan) -> Arrays:
    """All per-frame arrays, shots (and their subjects) one after the other; every value float64 or bool."""
    shots = list(plan.shots())
    subjects = [subject for shot in shots for subject in shot.subjects]
    held: Arrays = {}
    for name, tail in SHOT_ARRAYS.items():
        held[name] = np.concatenate([np.zeros((0, *tail)), *(getattr(shot, name) for shot in shots)])
    for name, rest in SUBJECT_ARRAYS.items():
        kind = _kind(name)
        held[name] = np.concatenate([np.zeros((0, *rest), kind), *(getattr(item, name) for item in subjects)])
    return held


def read_arrays(source: Path | IO[bytes], document: Mapping[str, Any]) -> Arrays:
    """Reads the arrays that belong to a plan's document, and makes sure that they do.

    Raises:
        FileNotFoundError: the file is not there.
        DamagedError, MismatchError, UnsoundError: see there.
    """
    expected = _expected(document)
    if isinstance(source, Path) and source.exists() and not source.is_file():
        raise DamagedError
    try:
        with zipfile.ZipFile(source) as held:
            headers = {name: _header(held, name) for name in expected}
            if headers != {name: (shape, _kind(name)) for name, shape in expected.items()}:
                raise MismatchError
            arrays = {name: _values(held, name) for name in expected}
    except FileNotFoundError:
        raise
    except _UNREADABLE as error:
        raise DamagedError from error
    _look_through(arrays)
    if fingerprint(arrays) != document["arrays_key"]:
        raise MismatchError
    return arrays


def is_of_a_plan(npz: Path) -> bool:
    """Whether a file holds the arrays of some plan, by their names: of this one, an older one, or another."""
    try:
        with zipfile.ZipFile(npz) as held:
            return {f"{name}.npy" for name in SHOT_ARRAYS} <= set(held.namelist())
    except _UNREADABLE:
        return False


def _kind(name: str) -> np.dtype[Any]:
    return np.dtype(np.bool_ if name == "visible" else np.float64)


def _expected(document: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Name → shape. Raises UnsoundError where that is more than any film has."""
    shots = [shot for take in document["takes"] for shot in take["shots"]]
    frames = sum(shot["frames"] for shot in shots)
    rows = sum(shot["frames"] * len(shot["subjects"]) for shot in shots)
    expected: dict[str, tuple[int, ...]] = {name: (frames, *tail) for name, tail in SHOT_ARRAYS.items()}
    expected |= {name: (rows, *tail) for name, tail in SUBJECT_ARRAYS.items()}
    if 8 * sum(int(np.prod(shape, dtype=object)) for shape in expected.values()) > MOST_BYTES:
        raise UnsoundError(f"{frames} frames are more than a plan may have")
    return expected


def _header(held: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    with held.open(f"{name}.npy") as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("another version of npy than numpy writes for plain arrays")
        shape, in_columns, kind = np.lib.format.read_array_header_1_0(stream)
    if in_columns and len(shape) > 1:
        raise ValueError("arrays lie row by row")
    return shape, kind


def _values(held: zipfile.ZipFile, name: str) -> np.ndarray[Any, Any]:
    with held.open(f"{name}.npy") as stream:
        return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def _look_through(arrays: Arrays) -> None:
    """Raises UnsoundError where values are not those of cameras and bodies."""
    for name, values in arrays.items():
        limit = MOST_PX if name == "box_px" else MOST
        if name != "visible" and not (np.abs(values) <= limit).all():
            raise UnsoundError(f"{name} holds values that are no numbers, or far too large")
    poses, lenses = arrays["world_from_camera"], arrays["intrinsics"]
    rotation = poses[:, :3, :3]
    even = np.abs(rotation @ rotation.transpose(0, 2, 1) - np.eye(3)).max(initial=0.0) < _LOOSE
    if not even or (np.linalg.det(rotation) < 0).any() or (poses[:, 3] != (0, 0, 0, 1)).any():
        raise UnsoundError("world_from_camera holds what is not a camera's pose: skewed, scaled or mirrored")
    focal = lenses[:, (0, 1), (0, 1)]
    rest = lenses[:, (0, 1, 2, 2), (1, 0, 0, 1)]
    if (focal <= 0).any() or (rest != 0).any() or (lenses[:, 2, 2] != 1).any():
        raise UnsoundError("intrinsics holds what is not a lens")
    places = (poses[:, :3, 3], arrays["root"], arrays["lift_m"])
    if any((np.abs(place) > FURTHEST_M).any() for place in places):
        raise UnsoundError("a camera or a character is further away than any scene reaches")
    if (arrays["speed_mps"] < 0).any():
        raise UnsoundError("speed_mps holds speeds below zero")
