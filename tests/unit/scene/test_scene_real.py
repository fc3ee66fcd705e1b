"""Real scans in many containers, if a folder of them is named by ANIX_TEST_SCENES; skipped otherwise.

The folder has ``scenes`` (one scan in several containers, and others) and ``odd`` (awkward and broken files).
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree
from splat_files import covariances

from anix_cli.core.errors import AnixError
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.screenplay import SceneSpec
from anix_cli.scene import open_scene, probe, read_splats, similarity, transform, write_ply
from anix_cli.splat import render

DATA = Path(os.environ.get("ANIX_TEST_SCENES", ""))
pytestmark = pytest.mark.skipif(
    not (DATA / "scenes/leica_sh3.ply").is_file(), reason="ANIX_TEST_SCENES names no folder of scans"
)
C0 = 0.28209479177387814


def on_stage(name: str) -> Gaussians:
    file = read_splats(DATA / name)
    return transform(file.gaussians, similarity(file.info.up, 1.0))


def matched(scan: Gaussians, other: Gaussians) -> Gaussians:
    """The rows of ``scan`` in the order of ``other``: each the nearest, told apart by colour and size."""
    _, at = cKDTree(scan.means).query(other.means)
    if len(set(at)) < len(scan):
        extent = float(np.ptp(scan.means, axis=0).max())
        keys = [
            np.concatenate([g.means / extent * 1000, g.sh[:, 0] / 2, np.log(g.scales) / 2], axis=1)
            for g in (scan, other)
        ]
        _, at = cKDTree(keys[0]).query(keys[1])
    assert len(set(at)) == len(scan) == len(other)
    return scan.take(at)


def worst(a: np.ndarray, b: np.ndarray, share: float = 100) -> float:
    return float(np.percentile(np.abs(a.astype(np.float64) - b), share))


def psnr(scan: Gaussians, other: Gaussians) -> float:
    """Of four views around the scan, together, dB."""
    low, high = np.percentile(scan.means, (5, 95), axis=0)
    centre, distance = np.median(scan.means, axis=0).astype(np.float64), float(np.linalg.norm(high - low))
    intrinsics = np.array([[260.0, 0, 128], [0, 260, 96], [0, 0, 1]])
    errors = []
    for angle in np.arange(4) * np.pi / 2:
        place = centre + distance * np.array([np.sin(angle), 0.35, np.cos(angle)])
        ahead = (centre - place) / np.linalg.norm(centre - place)
        right = np.cross(ahead, [0, 1, 0])
        right /= np.linalg.norm(right)
        pose = np.eye(4)
        pose[:3] = np.stack([right, np.cross(ahead, right), ahead, place], axis=1)
        a, b = (render(g, pose, intrinsics, (256, 192), near=distance / 100).rgb for g in (scan, other))
        errors.append(float(((a.astype(np.float64) - b) ** 2).mean()))
    return float(10 * np.log10(1 / np.mean(errors)))


def shape_error(a: Gaussians, b: Gaussians, share: float) -> float:
    """Of the covariances, in shares of their size."""
    before, after = covariances(a), covariances(b)
    size = np.trace(before, axis1=1, axis2=2)[:, None, None]
    return float(np.percentile(np.abs(before - after) / size, share))


# Step of: positions (units), opacity, colour f_dc, harmonics (99 %), covariance (99 %, share of size), PSNR.
CONTAINERS = {
    # Chunks are up to 27 units high, of which 1023 steps; harmonics 8/256.
    "leica_sh3.compressed.ply": (27 / 1023, 1 / 255, 0.033, 8 / 256, 0.006, 40),
    # 16 bits of a logarithm; codebooks.
    "leica_sh3.sog": (0.0029, 2 / 255, 0.065, 0.008, 0.03, 40),
    "leica_sh3_v3.spz": (1 / 4096, 1 / 255, 1 / 255 / 0.15, 17 / 128, 0.04, 34),
    "leica_sh3_v4.spz": (1 / 4096, 1 / 255, 1 / 255 / 0.15, 17 / 128, 0.04, 34),
    "leica_l1_sh2.ksplat": (5 / 2 / 32767, 2 / 255, 2 / 255 / C0, 0.0006, 0.001, 40),
    "leica_l2_sh1.ksplat": (5 / 2 / 32767, 2 / 255, 2 / 255 / C0, 2 * 3 / 255, 0.001, 40),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_agree_with_the_ply_they_were_made_from(name: str) -> None:
    place, opacity, colour, harmonic, shape, decibels = CONTAINERS[name]
    other = on_stage(f"scenes/{name}")
    scan = matched(on_stage("scenes/leica_sh3.ply"), other)
    scan = replace(scan, sh=scan.sh[:, : other.sh.shape[1]].copy())
    # Bytes of colour hold 0…1 (.ksplat) or ±3⅓ of f_dc (SPZ); what lies beyond was cut when it was written.
    limit = {"ksplat": 0.5 / C0, "spz": 0.5 / 0.15}.get(name.rsplit(".", 1)[-1], np.inf)
    scan.sh[:, 0] = np.clip(scan.sh[:, 0], -limit, limit)
    half = 0.51
    assert worst(scan.means, other.means) < half * place
    assert worst(scan.opacities, other.opacities) < half * opacity
    assert worst(scan.sh[:, 0], other.sh[:, 0]) < half * colour
    assert worst(scan.sh[:, 1:], other.sh[:, 1:], 99) < half * harmonic
    assert shape_error(scan, other, 99) < shape
    assert psnr(scan, other) > decibels


def test_lods_agree_where_sog_was_unpacked_to_ply() -> None:
    ply, sog = (on_stage(f"scenes/{name}") for name in ("playbot_lod4_inria_sh1.ply", "playbot_lod4"))
    at = cKDTree(sog.means).query(ply.means)[1]
    assert worst(ply.means, sog.means[at]) < 1e-4
    assert worst(ply.opacities, sog.opacities[at], 99) < 0.01
    assert worst(ply.sh[:, :4], sog.sh[at][:, :4], 99) < 0.05


def test_awkward_files_hold_the_same_scan() -> None:
    scan = read_splats(DATA / "scenes/leica_sh3.ply").gaussians
    row = {tuple(mean): i for i, mean in enumerate(scan.means)}
    for path in sorted((DATA / "odd").glob("leica_*.ply")):
        if any(word in path.name for word in ("truncated", "utm", "2dgs")):
            continue
        got = read_splats(path).gaussians
        at = [row[tuple(mean)] for mean in got.means]
        np.testing.assert_allclose(got.quats, scan.quats[at], atol=1e-5, err_msg=path.name)
        np.testing.assert_array_equal(got.sh, scan.sh[at][:, : got.sh.shape[1]], err_msg=path.name)


def test_far_away_and_flat_scans() -> None:
    scan = read_splats(DATA / "scenes/leica_sh3.ply").gaussians
    far = read_splats(DATA / "odd/leica_utm_double_sh0.ply")
    shift = np.array([450_000.0, 5_400_000.0, 0.0])
    back = far.gaussians.means + (np.array(far.offset) - shift)
    back -= np.round(np.median(back, axis=0) - np.median(scan.means[: len(back)], axis=0))
    assert cKDTree(scan.means).query(back)[0].max() < 1e-4
    flat = read_splats(DATA / "odd/leica_2dgs_two_scales.ply")
    assert [note.code for note in flat.notes] == ["W309"]
    assert (flat.gaussians.scales[:, 2] < flat.gaussians.scales[:, :2].min() + 1e-4).all()


ODD = {
    "empty.splat": "E303", "html_404_named.ply": "E304", "lfs_pointer.ply": "E304",
    "leica_truncated_sh3.ply": "E306", "truncated.splat": "E306", "truncated.spz": "E306",
    "zero_gaussians_sh3.ply": "E309",
    "fixtures/bad-crc-v2.spz": "E311", "fixtures/bad-isize-v2.spz": "E311", "fixtures/bad-zip.sog": "E306",
    "fixtures/corrupt-plane.sog": "E307", "fixtures/count-exceeds-stream-v2.spz": "E306",
    "fixtures/device-plane-name.sog": "E307", "fixtures/empty-count.sog": "E309",
    "fixtures/empty-vertex.ply": "E309", "fixtures/huge-count-v2.spz": "E312",
    "fixtures/huge-palette-count.sog": "E307", "fixtures/invalid-sh-name.ply": "E310",
    "fixtures/labels-out-of-range.sog": "E307", "fixtures/malformed-meta.sog": "E307",
    "fixtures/missing-plane.sog": "E307", "fixtures/no-meta.sog": "E304", "fixtures/not-sog.sog": "E304",
    "fixtures/out-of-range-double.ply": "E309", "fixtures/plaintext-v2.spz": "E307",
    "fixtures/sh-degree-5-v2.spz": "E310", "fixtures/short-codebook.sog": "E307",
    "fixtures/truncated-binary-le.ply": "E306", "fixtures/truncated-gzip-header.spz": "E306",
    "fixtures/version-0.spz": "E307", "fixtures/version-3.sog": "E305",
}  # fmt: skip


def test_every_odd_file_gives_its_scene_or_its_error_at_once() -> None:
    read_splats(DATA / "scenes/leica_sh3.sog")  # what is imported late is imported
    for path in sorted((DATA / "odd").rglob("*.*")):
        if not path.is_file():
            continue
        name, code = path.relative_to(DATA / "odd").as_posix(), "read"
        start = time.perf_counter()
        try:
            scene = read_splats(path)
            assert len(scene.gaussians) + scene.dropped == probe(path).count
        except AnixError as error:
            code = error.diagnostics[0].code
        assert time.perf_counter() - start < 2, name
        assert code == ODD.get(name, "read"), name


def test_ground_of_a_real_patch() -> None:
    scene = open_scene(SceneSpec(DATA / "scenes/playbot_lod4_inria_sh1.ply"))
    ground = scene.stage.ground.heights_m
    assert "W303" not in [note.code for note in scene.stage.notes]
    # The patch lies level at about 0.02 units under a robot that hovers up to 1.05.
    assert abs(np.median(ground) - 0.02) < 0.015
    assert np.ptp(ground) < 0.06


def test_a_point_cloud_can_be_looked_at() -> None:
    cloud = on_stage("scenes/garden_points.npz")
    assert len(cloud) == 138_766
    assert np.percentile(cloud.scales, 99) < 0.05 * np.ptp(np.percentile(cloud.means, (1, 99), axis=0))


@pytest.mark.parametrize("name", ["playbot_lod2", "playbot_lod4"])
@pytest.mark.parametrize("degrees", [0, 8, -21])
def test_a_real_patch_is_set_level(name: str, degrees: float, tmp_path: Path) -> None:
    lean = np.eye(4)
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    lean[:3, :3] = [[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]
    file = tmp_path / "leaning.ply"
    write_ply(file, transform(read_splats(DATA / "scenes" / name).gaussians, lean))
    stage = open_scene(SceneSpec(file, scale=9.0)).stage
    # In its own frame, -y up, the patch is level.
    up = stage.stage_from_file[:3, :3] @ lean[:3, :3] @ [0, -1, 0] / 9
    assert np.degrees(np.arccos(min(1, up[1]))) < 0.5
    assert "W303" not in [note.code for note in stage.notes]
    # Level at about 0.02 units, nine metres each.
    assert abs(np.median(stage.ground.heights_m) - 0.18) < 0.15


@pytest.mark.parametrize(
    "name", ["leica_sh3.ply", "leica_sh3.sog", "leica_sh3_v4.spz", "leica_l1_sh2.ksplat"]
)
def test_a_scan_of_a_lone_object_has_no_ground(name: str) -> None:
    stage = open_scene(SceneSpec(DATA / "scenes" / name)).stage
    assert [note.code for note in stage.notes] == ["W301", "W302", "W303"]
    assert set(np.abs(stage.stage_from_file).ravel()) == {0, 1}, "up stays as the format says"
