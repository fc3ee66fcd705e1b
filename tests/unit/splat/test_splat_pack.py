"""Packed scenes."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from clouds import cloud, single

from anix_cli.core.camera import intrinsics_from_fov_y, look_at
from anix_cli.core.gaussians import Gaussians
from anix_cli.splat import PACK_VERSION, PackedScene, Rendered, Scratch, pack, render
from anix_cli.splat.layout import AXES, DC, EXTENT, HIGH, LOW, PEAK

render_module = sys.modules["anix_cli.splat.render"]
SIZE = (97, 61)
K = intrinsics_from_fov_y(60, SIZE)
FIELDS = ("groups", "sh", "sh_steps", "indices", "bounds")


def draw(*parts: Gaussians | PackedScene, pose: np.ndarray | None = None, **options: object) -> Rendered:
    return render(parts, np.eye(4) if pose is None else pose, K, SIZE, **{"near": 0.05, **options})


def assert_equal(a: Rendered, b: Rendered) -> None:
    for name in ("rgb", "depth", "alpha"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def lanes(packed: PackedScene, row: int, count: int) -> np.ndarray:
    """Rows of the groups as [lanes, count], of the lanes that are not empty."""
    values = packed.groups[:, row : row + count].transpose(0, 2, 1).reshape(-1, count)
    return values[packed.indices.reshape(-1) >= 0]


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_holds_each_gaussian_once_to_within_the_steps_of_its_harmonics(degree: int) -> None:
    scene = cloud(1000, 1, degree=degree)
    scene.opacities[:] = np.maximum(scene.opacities, 0.01)
    packed = pack(scene)
    assert len(packed) == 1000
    index = packed.indices.reshape(-1)
    kept = index >= 0
    assert sorted(index[kept]) == list(range(1000))
    source = scene.take(index[kept])
    np.testing.assert_array_equal(lanes(packed, 0, 3), source.means)
    np.testing.assert_array_equal(lanes(packed, DC, 3), source.sh[:, 0])
    np.testing.assert_allclose(lanes(packed, PEAK, 1)[:, 0], np.log(source.opacities), atol=1e-6)
    axes = lanes(packed, AXES, 9).reshape(-1, 3, 3)
    np.testing.assert_allclose(np.linalg.norm(axes, axis=1), source.scales, rtol=1e-6)
    steps = np.repeat(packed.sh_steps, 16)[kept] if degree else np.zeros(1000)
    rest = (packed.sh * packed.sh_steps[:, None, None]).transpose(0, 2, 1).reshape(len(index), -1)[kept]
    error = np.abs(rest - source.sh[:, 1:].reshape(1000, -1))
    assert (error <= 0.51 * steps[:, None]).all()


def test_bounds_hold_the_means_and_reach_of_each_block() -> None:
    packed = pack(cloud(3000, 2, scale=0.1))
    for block, bound in enumerate(packed.bounds):
        groups = packed.groups[16 * block : 16 * block + 16].transpose(0, 2, 1).reshape(256, 16)
        groups = groups[groups[:, PEAK] > -np.inf]
        np.testing.assert_array_equal(bound[LOW : LOW + 3], groups[:, :3].min(axis=0))
        np.testing.assert_array_equal(bound[HIGH : HIGH + 3], groups[:, :3].max(axis=0))
        reach = 3.34 * np.linalg.norm(groups[:, AXES : AXES + 9].reshape(-1, 3, 3), axis=2)
        np.testing.assert_allclose(bound[EXTENT : EXTENT + 3], reach.max(axis=0), rtol=1e-5)


def test_blocks_are_small_and_giants_lie_apart() -> None:
    scene = cloud(20_000, 3, scale=0.01, radius=10)
    scene.scales[::400] = 3.0
    packed = pack(scene)
    size, reach = packed.bounds[:, HIGH] - packed.bounds[:, LOW], packed.bounds[:, EXTENT]
    assert np.median(size) < 0.5 * 20
    assert (reach > 1).sum() <= 2


def test_what_cannot_be_seen_is_not_kept() -> None:
    scene = cloud(1000, 4)
    scene.opacities[:900] = 0.003
    assert len(pack(scene).groups) == 16
    scene.quats[:] = 0
    assert not draw(pack(scene)).alpha.any()
    empty = pack(scene.take(np.zeros(1000, bool)))
    assert len(empty) == 0
    assert not draw(empty).alpha.any()


def test_bytes_do_not_depend_on_threads() -> None:
    one, four = pack(cloud(40_000, 5, degree=2), threads=1), pack(cloud(40_000, 5, degree=2), threads=4)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))


def test_written_and_read_it_draws_the_same(tmp_path: Path) -> None:
    packed = pack(cloud(3000, 6, degree=3, antialiased=True))
    packed.write(tmp_path)
    again = PackedScene.read(tmp_path)
    assert (len(again), again.antialiased) == (3000, True)
    assert not again.groups.flags.writeable
    assert_equal(draw(again), draw(packed))


@pytest.mark.parametrize("name", FIELDS)
def test_a_damaged_file_is_refused(tmp_path: Path, name: str) -> None:
    pack(cloud(3000, 7, degree=1)).write(tmp_path)
    path = tmp_path / f"{name}.npy"
    array = np.load(path)
    np.save(path, array[:-1])
    with pytest.raises(ValueError, match=name):
        PackedScene.read(tmp_path)
    np.save(path, array.astype(np.float64))
    with pytest.raises(ValueError, match=name):
        PackedScene.read(tmp_path)
    path.unlink()
    with pytest.raises(OSError, match=name):
        PackedScene.read(tmp_path)


def test_indices_that_lead_nowhere_do_not_matter(tmp_path: Path) -> None:
    """They only break ties, and are never used as places in memory."""
    packed = pack(cloud(500, 8))
    packed.indices[:] = 2**31 - 1
    assert draw(packed).alpha.any()


def test_another_version_is_refused(tmp_path: Path) -> None:
    pack(single()).write(tmp_path)
    meta = tmp_path / "packed.json"
    meta.write_text(meta.read_text().replace(f'"packed": {PACK_VERSION}', '"packed": 0'))
    with pytest.raises(ValueError, match="version"):
        PackedScene.read(tmp_path)


def test_packed_and_loose_parts_are_drawn_together() -> None:
    scene, figure = cloud(5000, 9, degree=3, scale=0.03), cloud(400, 10, degree=1, radius=1.0)
    loose, mixed = draw(scene, figure), draw(pack(scene), figure)
    np.testing.assert_array_equal(mixed.alpha, loose.alpha)
    np.testing.assert_array_equal(mixed.depth, loose.depth)
    np.testing.assert_allclose(mixed.rgb, loose.rgb, atol=1e-4)


def test_ties_in_depth_are_broken_by_index_and_part_though_packing_sorts() -> None:
    rng = np.random.default_rng(11)
    scene = cloud(4000, 11, scale=0.2)
    scene.means[:, 2] = 5.0
    other = cloud(300, 12, scale=0.2)
    other.means[:, 2] = 5.0
    scene.means[:, :2] = rng.uniform(-2, 2, (4000, 2))
    assert_equal(draw(pack(scene), pack(other)), draw(scene, other))
    assert np.abs(draw(pack(other), pack(scene)).rgb - draw(scene, other).rgb).max() > 0.05


@pytest.mark.parametrize("turn", range(6))
def test_blocks_that_touch_the_picture_are_never_culled(turn: int) -> None:
    """Loose ones lie in blocks as large as the scene, in the order of the file: none of these is culled."""
    scene = cloud(6000, 13, scale=0.08, spread=1.2, centre=(0, 0, 0))
    rng = np.random.default_rng(turn)
    pose = look_at(rng.uniform(-3, 3, 3), rng.uniform(-3, 3, 3))
    assert_equal(draw(pack(scene), pose=pose), draw(scene, pose=pose))


def test_scratch_and_picture_are_used_again() -> None:
    scratch, out = Scratch(), Rendered.empty(SIZE)
    scenes = [pack(cloud(n, n, degree=1, scale=0.1)) for n in (4000, 50, 9000)]
    for scene in (*scenes, *scenes):
        again = draw(scene, scratch=scratch, out=out, threads=1)
        assert again is out
        assert_equal(again, draw(scene))


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        draw(single(), out=Rendered.empty((61, 97)))


def test_whole_frames_on_different_threads() -> None:
    packed, figure = pack(cloud(6000, 14, degree=2)), cloud(100, 15)
    poses = [look_at((x, 0, -1), (0, 0, 6)) for x in np.linspace(-2, 2, 12)]
    expected = [draw(packed, figure, pose=pose) for pose in poses]
    free = [Scratch() for _ in range(3)]

    def frame(pose: np.ndarray) -> Rendered:
        scratch = free.pop()
        picture = draw(packed, figure, pose=pose, scratch=scratch, threads=1)
        free.append(scratch)
        return picture

    with ThreadPoolExecutor(3) as pool:
        for actual, picture in zip(pool.map(frame, poses), expected, strict=True):
            assert_equal(actual, picture)


def test_bands_are_halved_where_chains_would_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = cloud(3000, 16, scale=0.5)
    expected = draw(scene, threads=1)
    monkeypatch.setattr(render_module, "_MOST_CHUNKS", 1)
    assert_equal(draw(scene, threads=1), expected)


def test_holds_no_gil() -> None:
    """While one thread is within a kernel, another gets to run Python."""
    from anix_cli.splat import binning, blending, ordering, packing, projecting

    kernels = (
        binning.bin_band, blending.blend_band, ordering.by_depth, packing.pack_blocks, projecting.cull,
        projecting.project,
    )  # fmt: skip
    for kernel in kernels:
        assert kernel.targetoptions["nogil"]
