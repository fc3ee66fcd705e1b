"""One scene in several containers, and what lies beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import containers as make
import numpy as np
from reading import read, scan
from splat_files import covariances, names, ply, rows

from anix_cli.core.gaussians import Gaussians
from anix_cli.scene import (
    probe,
    read_splats,
    scene_digest,
    similarity,
    transform,
    write_ply,
    write_spz,
)


def test_nerfstudio_shrinks_and_anix_takes_it_back(tmp_path: Path) -> None:
    table = rows(20, 1)
    data = ply(table, names(1), comments=["comment Vertical Axis: z"])
    plain = read(tmp_path / "splat.ply", data).gaussians
    (tmp_path / "splat.ply").unlink()
    export = tmp_path / "export"
    export.mkdir()
    (export / "splat.ply").write_bytes(data)
    before = scene_digest(export)
    note = {"transform": [[1, 0, 0, 3], [0, 1, 0, 4], [0, 0, 1, 5]], "scale": 0.25}
    (export / "dataparser_transforms.json").write_text(json.dumps(note))
    got = read_splats(export)
    assert (got.info.unit, got.info.up, [note.code for note in got.notes]) == (4.0, "+z", ["W312"])
    assert probe(export) == got.info
    assert "enlarged by 4" in got.notes[0].message
    np.testing.assert_allclose(got.gaussians.means, plain.means * 4, rtol=1e-6)
    np.testing.assert_allclose(got.gaussians.scales, plain.scales * 4, rtol=1e-6)
    np.testing.assert_array_equal(got.gaussians.sh, plain.sh)
    assert scene_digest(export) != before
    for text in ("{", '{"scale": 0}', "[]", '{"scale": "x"}', '{"scale": NaN}'):
        (export / "dataparser_transforms.json").write_text(text)
        got = read_splats(export)
        assert (got.info.unit, [note.code for note in got.notes]) == (1.0, ["W312"])
        assert "no usable scale" in got.notes[0].message


def test_one_gaussian_turns_alike_in_all_containers(tmp_path: Path) -> None:
    """A needle along x, turned by 90° about z, points along y, whatever the order of its quaternion."""
    half = np.float32(np.sqrt(0.5))
    scene = Gaussians(
        np.float32([[1, 2, 3]]),
        np.float32([[half, 0, 0, half]]),
        np.float32([[1, 0.1, 0.01]]),
        np.float32([0.5]),
        np.zeros((1, 4, 3), np.float32),
    )

    write_ply(tmp_path / "a.ply", scene)
    write_spz(tmp_path / "a.spz", scene)
    flat = replace(scene, sh=scene.sh[:, :1])
    (tmp_path / "b.ply").write_bytes(make.compressed_ply(scene))
    (tmp_path / "a.sog").write_bytes(make.zipped(make.sog(scene)))
    (tmp_path / "a.splat").write_bytes(make.splat(flat))
    (tmp_path / "a.ksplat").write_bytes(make.ksplat([scene], level=1))
    (tmp_path / "a.glb").write_bytes(make.glb(*make.gltf([({}, make.splat_attributes(scene))])))
    for path in sorted(tmp_path.iterdir()):
        (got,) = covariances(read_splats(path).gaussians)
        np.testing.assert_allclose(got, np.diag([0.01, 1, 1e-4]), atol=0.07, err_msg=path.name)
        np.testing.assert_allclose(read_splats(path).gaussians.means, [[1, 2, 3]], atol=1e-3)


def test_containers_of_one_scene_agree_on_the_stage(tmp_path: Path) -> None:
    """PLY family as it is, SPZ and glTF with +Y up: brought to the stage they are the same scene."""

    scene = scan(30, 2)
    stage = transform(scene, similarity("-y", 1.0))
    write_ply(tmp_path / "a.ply", scene)
    (tmp_path / "a.sog").write_bytes(make.zipped(make.sog(scene)))
    write_spz(tmp_path / "a.spz", stage)
    (tmp_path / "a.glb").write_bytes(make.glb(*make.gltf([({}, make.splat_attributes(stage))])))
    for path in sorted(tmp_path.iterdir()):
        got = read_splats(path)
        placed = transform(got.gaussians, similarity(got.info.up, 1.0))
        np.testing.assert_allclose(placed.means, stage.means, atol=2e-3, err_msg=path.name)
        np.testing.assert_allclose(placed.sh, stage.sh, atol=0.05, err_msg=path.name)
