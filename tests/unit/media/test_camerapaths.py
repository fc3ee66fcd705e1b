"""Files of camera paths: each format gives the cameras that it says, and what is none is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from anix_cli.core.camera import look_at
from anix_cli.media import camerapaths
from anix_cli.media.camerapaths import NotAPathError, read_camera_path

OPENGL = np.diag([1.0, -1, -1, 1])
POSES = np.stack([look_at((x, 1.5, -4), (0, 1, 0)) for x in np.linspace(-1, 1, 4)])


def written(folder: Path, data: Any, name: str = "path.json") -> Path:
    file = folder / name
    file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return file


def nerfstudio(**more: Any) -> dict[str, Any]:
    cameras = [
        {"camera_to_world": (pose @ OPENGL).ravel().tolist(), "fov": 50.0, "aspect": 1.78} for pose in POSES
    ]
    return {"camera_type": "perspective", "render_height": 1080, "render_width": 1920, "fps": 24,
            "seconds": 4, "camera_path": cameras, **more}  # fmt: skip


def blender(**more: Any) -> dict[str, Any]:
    frames = [
        {"file_path": f"./train/r_{index}", "transform_matrix": (pose @ OPENGL).tolist()}
        for index, pose in enumerate(POSES)
    ]
    return {"camera_angle_x": math.radians(60), "frames": frames, **more}


def colmap(lens: str = "1 PINHOLE 800 600 700 690 400 300") -> tuple[str, str]:
    lines = ["# Image list", "# with two lines of data per image"]
    for index in (2, 0, 3, 1):
        from_world = np.linalg.inv(POSES[index])
        x, y, z, w = Rotation.from_matrix(from_world[:3, :3]).as_quat()
        numbers = [w, x, y, z, *from_world[:3, 3]]
        lines += [
            f"{10 - index} {' '.join(f'{v:.12g}' for v in numbers)} 1 frame {index + 9}.png",
            "1.5 2.5 -1 3 4 5",
        ]
    return "\n".join(lines), f"# cameras\n{lens}\n"


def test_a_nerfstudio_path(tmp_path: Path) -> None:
    found = read_camera_path(written(tmp_path, nerfstudio()))
    assert found.poses == pytest.approx(POSES) and found.timed and "nerfstudio" in found.kind
    assert found.fov_deg == pytest.approx([50.0] * 4) and not found.across


def test_blenders_transforms(tmp_path: Path) -> None:
    found = read_camera_path(written(tmp_path, blender()))
    assert found.poses == pytest.approx(POSES)
    assert found.fov_deg == pytest.approx([60.0] * 4) and found.across
    sized = read_camera_path(written(tmp_path, blender(w=1600, h=900)))
    tall = 2 * math.degrees(math.atan(math.tan(math.radians(30)) * 9 / 16))
    assert sized.fov_deg == pytest.approx([tall] * 4) and not sized.across
    data = blender()
    data["frames"] = [data["frames"][index] for index in (2, 0, 3, 1)]
    assert read_camera_path(written(tmp_path, data)).poses == pytest.approx(POSES)


def test_frames_are_ordered_as_people_count(tmp_path: Path) -> None:
    data = blender()
    for frame, name in zip(data["frames"], ("f_1", "f_2", "f_10", "f_11"), strict=True):
        frame["file_path"] = name
    assert read_camera_path(written(tmp_path, data)).poses == pytest.approx(POSES)


def test_cameras_of_gaussian_splatting(tmp_path: Path) -> None:
    data = [
        {"id": i, "img_name": f"{i}", "width": 800, "height": 600, "fx": 700, "fy": 690,
         "position": pose[:3, 3].tolist(), "rotation": pose[:3, :3].tolist()}
        for i, pose in enumerate(POSES)
    ]  # fmt: skip
    found = read_camera_path(written(tmp_path, data))
    assert found.poses == pytest.approx(POSES) and not found.timed
    assert found.fov_deg == pytest.approx([2 * math.degrees(math.atan(300 / 690))] * 4)


def test_colmap(tmp_path: Path) -> None:
    images, cameras = colmap()
    written(tmp_path, cameras, "cameras.txt")
    found = read_camera_path(written(tmp_path, images, "images.txt"))
    assert found.poses == pytest.approx(POSES, abs=1e-9) and not found.timed
    assert found.fov_deg == pytest.approx([2 * math.degrees(math.atan(300 / 690))] * 4)
    written(tmp_path, "1 SIMPLE_RADIAL 800 600 700 400 300 0.01", "cameras.txt")
    assert read_camera_path(tmp_path / "images.txt").fov_deg == pytest.approx(
        [2 * math.degrees(math.atan(300 / 700))] * 4
    )
    (tmp_path / "cameras.txt").unlink()
    assert read_camera_path(tmp_path / "images.txt").fov_deg is None


@pytest.mark.parametrize("name", ["c2w", "camera_to_world", "w2c"])
def test_plain_matrices(tmp_path: Path, name: str) -> None:
    poses = np.linalg.inv(POSES) if name == "w2c" else POSES
    data = {"cameras": [{name: pose.tolist(), "fov_y_deg": 40} for pose in poses]}
    found = read_camera_path(written(tmp_path, data))
    assert found.poses == pytest.approx(POSES) and found.fov_deg == pytest.approx([40.0] * 4)
    rows = read_camera_path(written(tmp_path, [pose[:3].tolist() for pose in POSES]))
    assert rows.poses == pytest.approx(POSES) and rows.fov_deg is None


def test_an_even_scale_is_taken_out_of_a_pose(tmp_path: Path) -> None:
    grown = POSES.copy()
    grown[:, :3, :3] *= 3
    assert read_camera_path(written(tmp_path, [p.tolist() for p in grown])).poses == pytest.approx(POSES)


def changed(pose: Any) -> list[Any]:
    return [{"c2w": pose}] * 2


SKEWED = np.eye(4) + np.eye(4, k=1) * 0.3
BROKEN: dict[str, tuple[Any, str]] = {
    "no text": ("\x00\x01", "no camera path"),
    "words": ("hello there\nthis is prose\n", "no camera path"),
    "damaged JSON": ('{"camera_path": [', "damaged JSON"),
    "no cameras": ({"camera_path": []}, "no cameras"),
    "something else": ({"title": "x"}, "no cameras"),
    "a list of numbers": ([1, 2, 3], "other things"),
    "no pose": ([{"x": 1}], "no pose"),
    "few numbers": (changed([[1, 0], [0, 1]]), "4 numbers"),
    "no number": (changed([["a"] * 4] * 4), "no number"),
    "not a number": ('[{"c2w": [[NaN, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}]', "no number"),
    "columns": (changed([*np.eye(4).tolist()[:3], [1, 2, 3, 1]]), "last row"),
    "mirrored": (changed(np.diag([1, 1, -1, 1]).tolist()), "mirrored"),
    "skewed": (changed(SKEWED.tolist()), "skewed"),
    "flat": (changed(np.diag([1, 1, 0, 1]).tolist()), "flat"),
    "radians": ([{"c2w": np.eye(4).tolist(), "fov": 0.87}], "0.87 degrees"),
    "too wide": ([{"c2w": np.eye(4).tolist(), "fov_y": 150}], "150 degrees"),
    "both axes": (
        blender(camera_angle_x=math.radians(40), fl_x=1000, w=1600, h=900), "two fields of view"),
    "zero turn": ("1 0 0 0 0 1 2 3 1 a.png\n\n", "quaternion is zero"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_path_is_refused(tmp_path: Path, name: str) -> None:
    data, text = BROKEN[name]
    with pytest.raises(NotAPathError, match=text):
        read_camera_path(written(tmp_path, data))


def test_a_huge_file_or_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotAPathError, match="no text"):
        read_camera_path(tmp_path / "missing.json")
    monkeypatch.setattr(camerapaths, "MOST_BYTES", 10)
    with pytest.raises(NotAPathError, match="larger"):
        read_camera_path(written(tmp_path, nerfstudio()))
