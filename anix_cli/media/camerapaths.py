"""Files that hold the cameras of a path, told apart by what is in them.

- nerfstudio ``camera_path.json``: ``camera_path: [{camera_to_world, fov}]``, OpenGL axes (x right, y up, z
  back), ``fov`` vertical, in degrees.
- ``transforms.json`` of Blender's and nerfstudio's exporters: ``frames: [{transform_matrix}]``, OpenGL axes,
  ``camera_angle_x`` horizontal, in radians, or ``fl_x``, ``fl_y``, ``w``, ``h``.
- ``cameras.json`` of 3D Gaussian splatting: ``[{position, rotation, fx, fy, width, height}]``, OpenCV axes.
- COLMAP ``images.txt`` with ``cameras.txt`` beside it: camera from world, OpenCV axes.
- JSON with ``c2w`` or ``w2c`` matrices, OpenCV axes, alone or with ``fov_y_deg``, or ``fx``, ``fy``,
  ``height``.

Facts of the formats are from the documentation of nerfstudio, COLMAP and NeRF's Blender scenes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

MOST_BYTES, MOST_POSES = 64 << 20, 100_000
LEAST_FOV_DEG, MOST_FOV_DEG = 2.0, 120.0
_SKEWED, _APART = 1e-3, 0.03
_FROM_OPENGL = np.diag([1.0, -1.0, -1.0, 1.0])
_C2W = ("c2w", "camera_to_world", "world_from_camera", "cam2world", "matrix", "transform_matrix", "pose")
_W2C = ("w2c", "world_to_camera", "camera_from_world", "world2cam", "extrinsics", "extrinsic")
_LISTS = ("cameras", "frames", "poses", "path", "camera_path")
_DEGREES_Y = ("fov_y_deg", "vfov_deg", "fov_y", "vfov", "fov")
_DEGREES_X = ("fov_x_deg", "hfov_deg", "fov_x", "hfov")
_PINHOLES = {
    **dict.fromkeys(("SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL"), 0),
    **dict.fromkeys(("SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE"), 0),
    **dict.fromkeys(("PINHOLE", "OPENCV", "FULL_OPENCV", "OPENCV_FISHEYE"), 1),
}
"""Camera models of COLMAP, with the parameter that is the vertical focal length."""


class NotAPathError(Exception):
    """The file holds no path that can be gone; its text says why, ``hint`` what to do."""

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.hint = hint


@dataclass(frozen=True)
class CameraPath:
    """Cameras in the order of the path.

    Attributes:
        kind: what the file is, in words.
        poses: [N, 4, 4], world from camera, OpenCV axes, in the file's coordinates.
        fov_deg: [N], of the picture's height; of its width where ``across``; None where none is written.
        timed: whether the cameras are as many moments apart as they are frames apart.
    """

    kind: str
    poses: F64
    fov_deg: F64 | None = None
    across: bool = False
    timed: bool = True


def read_camera_path(file: Path) -> CameraPath:
    """Reads a file of cameras. Raises NotAPathError."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise NotAPathError("it is larger than any camera path", "name the file with the cameras alone")
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise NotAPathError("it is no text that can be read", "export the path again") from error
    if text.lstrip()[:1] in ("{", "["):
        try:
            found = _from_json(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise NotAPathError("it is damaged JSON", "export the path again") from error
    else:
        found = _from_colmap(text, file.with_name("cameras.txt"))
    return _checked(found)


def _from_json(data: Any) -> CameraPath:
    shared: Mapping[str, Any] = data if isinstance(data, dict) else {}
    entries = next((shared[key] for key in _LISTS if isinstance(shared.get(key), list)), data)
    if not isinstance(entries, list) or not entries or len(entries) > MOST_POSES:
        count = len(entries) if isinstance(entries, list) else 0
        raise NotAPathError(f"it holds {count or 'no'} cameras", f"a path has 1 to {MOST_POSES} of them")
    if isinstance(entries[0], list):
        return CameraPath("a list of matrices", np.stack([_matrix(entry) for entry in entries]))
    if not all(isinstance(entry, dict) for entry in entries):
        raise NotAPathError("its list holds other things than cameras")
    if "camera_path" in shared:
        kind, opengl = "a nerfstudio camera path", True
    elif "transform_matrix" in entries[0]:
        kind, opengl = "a transforms.json", True
        entries = sorted(entries, key=lambda entry: _natural(str(entry.get("file_path", ""))))
    elif {"position", "rotation"} <= {*entries[0]}:
        kind, opengl = "a cameras.json", False
    else:
        kind, opengl = "a list of poses", False
    poses = np.stack([_pose(entry) for entry in entries])
    views = [_view({**shared, **entry}) for entry in entries]
    return CameraPath(
        kind, poses @ _FROM_OPENGL if opengl else poses, *_common(views), timed=kind != "a cameras.json"
    )


def _pose(entry: Mapping[str, Any]) -> F64:
    """World from camera, [4, 4], in the axes of the file."""
    if {"position", "rotation"} <= {*entry}:
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = _numbers(entry["rotation"], (3, 3)), _numbers(entry["position"], (3,))
        return pose
    for key in _C2W:
        if key in entry:
            return _matrix(entry[key])
    for key in _W2C:
        if key in entry:
            matrix = _matrix(entry[key])
            if abs(float(np.linalg.det(matrix))) < 1e-12:
                raise NotAPathError("one of its matrices cannot be inverted")
            return np.asarray(np.linalg.inv(matrix))
    known = ", ".join(sorted({*entry})[:6])
    raise NotAPathError(
        f"its cameras have no pose, only {known}", "a pose is called c2w, w2c or transform_matrix"
    )


def _matrix(written: Any) -> F64:
    """A matrix of 4 or 3 rows, as rows or in one list."""
    flat = np.array(_flat(written), dtype=np.float64)
    if flat.size == 12:
        flat = np.concatenate([flat, [0.0, 0.0, 0.0, 1.0]])
    if flat.size != 16:
        raise NotAPathError(f"a pose has {flat.size} numbers instead of 16 or 12")
    return flat.reshape(4, 4)


def _flat(written: Any) -> list[float]:
    if isinstance(written, list):
        return [number for item in written[:64] for number in _flat(item)]
    if isinstance(written, (int, float)) and not isinstance(written, bool) and math.isfinite(written):
        return [float(written)]
    raise NotAPathError("a pose holds what is no number")


def _numbers(written: Any, shape: tuple[int, ...]) -> F64:
    flat = np.array(_flat(written), dtype=np.float64)
    if flat.size != math.prod(shape):
        raise NotAPathError(f"a pose has {flat.size} numbers instead of {math.prod(shape)}")
    return flat.reshape(shape)


def _view(entry: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Vertical and horizontal field of view, degrees, as far as they are written."""

    def number(*keys: str) -> float | None:
        found = next((entry[key] for key in keys if key in entry), None)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not math.isfinite(found):
            return None
        return float(found) if found > 0 else None

    width, height = number("w", "width", "render_width"), number("h", "height", "render_height")
    fx, fy = number("fl_x", "fx"), number("fl_y", "fy", "fl_x", "fx")
    up = [_degrees(height, fy), number(*_DEGREES_Y), _in_degrees(number("camera_angle_y"))]
    across = [_degrees(width, fx), number(*_DEGREES_X), _in_degrees(number("camera_angle_x"))]
    for said in (up, across):
        told = [value for value in said if value is not None]
        if told and max(told) > min(told) * (1 + _APART):
            raise NotAPathError(
                f"it says two fields of view, {min(told):.1f} and {max(told):.1f} degrees",
                "one of them may be that of the other axis: keep the right one",
            )
    y, x = (next((value for value in said if value is not None), None) for said in (up, across))
    if y is None and x is not None and width and height:
        y = 2 * math.degrees(math.atan(math.tan(math.radians(min(x, 179.0)) / 2) * height / width))
    return y, x


def _degrees(length: float | None, focal: float | None) -> float | None:
    return None if length is None or focal is None else 2 * math.degrees(math.atan(length / 2 / focal))


def _in_degrees(radians: float | None) -> float | None:
    return None if radians is None else math.degrees(radians)


def _common(views: Sequence[tuple[float | None, float | None]]) -> tuple[F64 | None, bool]:
    """The fields of view in the axis that all cameras have."""
    for axis, across in ((0, False), (1, True)):
        said = [view[axis] for view in views]
        if all(value is not None for value in said):
            return np.array(said, dtype=np.float64), across
    return None, False


def _natural(name: str) -> list[tuple[int, str]]:
    """Orders frame_2 before frame_10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]{1,18})", name)]


def _from_colmap(text: str, beside: Path) -> CameraPath:
    """``images.txt``: a line for each image, and one with its points, which may be empty."""
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    images = [
        line
        for line in lines
        if len(line) >= 10 and re.fullmatch(r"[0-9]+", line[8] or "") and _is_name(line)
    ]
    if not images:
        hint = "name a camera_path.json, transforms.json, images.txt, or JSON with poses"
        raise NotAPathError("it is no camera path that anix knows", hint)
    if len(images) > MOST_POSES:
        raise NotAPathError(f"it holds {len(images)} cameras", f"a path has 1 to {MOST_POSES} of them")
    images.sort(key=lambda line: _natural(" ".join(line[9:])))
    lenses = _colmap_lenses(beside)
    poses = np.tile(np.eye(4), (len(images), 1, 1))
    for pose, line in zip(poses, images, strict=True):
        numbers = _numbers([_number(word) for word in line[1:8]], (7,))
        turn = _rotation(numbers[:4]).T
        pose[:3, :3], pose[:3, 3] = turn, -turn @ numbers[4:]
    fov = [lenses.get(line[8]) for line in images]
    known = None if None in fov else np.array(fov, dtype=np.float64)
    return CameraPath("COLMAP's images.txt", poses, known, timed=False)


def _is_name(line: list[str]) -> bool:
    """A line of an image ends in its name; one of points in a number."""
    return not re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", line[9])


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise NotAPathError(f"“{word[:20]}” is no number") from None


def _rotation(quat: F64) -> F64:
    length = float(np.linalg.norm(quat))
    if length < 1e-9:
        raise NotAPathError("a quaternion is zero")
    w, x, y, z = quat / length
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _colmap_lenses(file: Path) -> dict[str, float]:
    """Vertical field of view, degrees, by camera; empty where there is no such file."""
    try:
        if file.stat().st_size > MOST_BYTES:
            return {}
        lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError):
        return {}
    lenses: dict[str, float] = {}
    for line in lines:
        if len(line) > 5 and line[1] in _PINHOLES:
            height, focal = _number(line[3]), _number(line[4 + _PINHOLES[line[1]]])
            if height > 0 and focal > 0:
                lenses[line[0]] = 2 * math.degrees(math.atan(height / 2 / focal))
    return lenses


def _checked(path: CameraPath) -> CameraPath:
    """The path with even scales taken out of its turns."""
    poses = path.poses.copy()
    if (np.abs(poses[:, 3] - [0, 0, 0, 1]) > _SKEWED).any():
        raise NotAPathError("a pose's last row is not 0 0 0 1", "matrices are written row by row")
    turns = poses[:, :3, :3]
    sizes = np.cbrt(np.abs(np.linalg.det(turns)))
    if (sizes < 1e-9).any():
        raise NotAPathError("a pose is flat, and turns nowhere")
    turns /= sizes[:, None, None]
    if (np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)) > 20 * _SKEWED).any():
        raise NotAPathError("a pose is skewed, so that it is no turn of a camera")
    if (np.linalg.det(turns) < 0).any():
        raise NotAPathError(
            "a pose is mirrored", "cameras are turned, never mirrored: check the exporter's axes"
        )
    left, _, right = np.linalg.svd(turns)
    poses[:, :3, :3], poses[:, 3] = left @ right, [0, 0, 0, 1]
    fov = path.fov_deg
    if fov is not None and ((fov < LEAST_FOV_DEG) | (fov > MOST_FOV_DEG)).any():
        worst = float(fov[np.abs(np.log(fov / 40)).argmax()])
        axis = "horizontal" if path.across else "vertical"
        hint = f"it is in degrees, from {LEAST_FOV_DEG:g} to {MOST_FOV_DEG:g}; check its axis and its unit"
        raise NotAPathError(f"its {axis} field of view is {worst:.3g} degrees", hint)
    return CameraPath(path.kind, poses, fov, path.across, path.timed)
