"""Placement: proper rotations only, and everything about a Gaussian goes along, its colours too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from splat_files import covariances, random_gaussians, rotation_matrices

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.screenplay import SceneSpec
from anix_cli.scene import open_scene, sh_basis, sh_rotation, similarity, transform, write_ply

AXES = ("+x", "-x", "+y", "-y", "+z", "-z")


def quaternion(seed: int) -> np.ndarray:
    quat = np.random.default_rng(seed).normal(size=4)
    return quat / np.linalg.norm(quat)


def rotation(seed: int) -> np.ndarray:
    return rotation_matrices(quaternion(seed)[None])[0]


def directions(count: int, seed: int = 0) -> np.ndarray:
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


@pytest.mark.parametrize("up", AXES)
def test_up_goes_up_and_nothing_is_mirrored(up: str) -> None:
    matrix = similarity(up, 2.5, (1.0, 2.0, 3.0))
    axis = np.zeros(3)
    axis["xyz".index(up[1])] = 1 if up[0] == "+" else -1
    np.testing.assert_allclose(matrix[:3, :3] @ axis, [0, 2.5, 0], atol=1e-12)
    assert np.linalg.det(matrix[:3, :3] / 2.5) == pytest.approx(1)
    np.testing.assert_allclose(matrix @ [1, 2, 3, 1], [0, 0, 0, 1], atol=1e-12)


def test_the_turns_are_the_ones_promised() -> None:
    np.testing.assert_array_equal(similarity("+y", 1), np.eye(4))
    np.testing.assert_array_equal(similarity("-y", 1)[:3, :3], np.diag([1, -1, -1]))
    np.testing.assert_array_equal(similarity("+z", 1)[:3, :3], [[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    np.testing.assert_array_equal(similarity("z", 1), similarity("+z", 1))


@pytest.mark.parametrize(
    ("up", "scale", "origin"),
    [("+w", 1, None), ("up", 1, None), ("+y", 0, None), ("+y", -1, None), ("+y", float("nan"), None),
     ("+y", 1, (0, 0)), ("+y", 1, (0, float("inf"), 0))],
)  # fmt: skip
def test_placements_that_cannot_be(up: str, scale: float, origin: tuple[float, ...] | None) -> None:
    with pytest.raises(AnixError, match="E313"):
        similarity(up, scale, origin)


def test_basis_has_the_published_constants() -> None:
    # Coefficients of the reference implementation's eval_sh, at a direction that isolates no symmetry.
    x, y, z = d = np.array([2.0, 3.0, 6.0]) / 7
    wanted = [
        0.28209479177387814, -0.4886025119029199 * y, 0.4886025119029199 * z, -0.4886025119029199 * x,
        1.0925484305920792 * x * y, -1.0925484305920792 * y * z,
        0.31539156525252005 * (2 * z * z - x * x - y * y), -1.0925484305920792 * x * z,
        0.5462742152960396 * (x * x - y * y), -0.5900435899266435 * y * (3 * x * x - y * y),
        2.890611442640554 * x * y * z, -0.4570457994644658 * y * (4 * z * z - x * x - y * y),
        0.3731763325901154 * z * (2 * z * z - 3 * x * x - 3 * y * y),
        -0.4570457994644658 * x * (4 * z * z - x * x - y * y), 1.445305721320277 * z * (x * x - y * y),
        -0.5900435899266435 * x * (x * x - 3 * y * y),
    ]  # fmt: skip
    np.testing.assert_allclose(sh_basis(d), wanted, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), degree=st.integers(0, 3))
def test_colour_turns_with_the_scene(seed: int, degree: int) -> None:
    width = (degree + 1) ** 2
    turn, seen = rotation(seed), directions(50, seed + 1)
    sh = np.random.default_rng(seed).normal(size=(width, 3))
    before = sh_basis(seen)[:, :width] @ sh
    after = sh_basis(seen @ turn.T)[:, :width] @ (sh_rotation(turn, width) @ sh)
    np.testing.assert_allclose(after, before, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_turns_compose(seed: int) -> None:
    first, second = rotation(seed), rotation(seed + 1)
    np.testing.assert_allclose(
        sh_rotation(second @ first, 16), sh_rotation(second, 16) @ sh_rotation(first, 16), atol=1e-10
    )
    np.testing.assert_allclose(sh_rotation(first.T, 16), sh_rotation(first, 16).T, atol=1e-10)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("up", [*AXES, "any"])
def test_gaussians_move_as_one(up: str, degree: int) -> None:
    scene = random_gaussians(40, degree)
    matrix = similarity("+y" if up == "any" else up, 0.3, (1, -2, 0.5))
    if up == "any":
        matrix[:3, :3] = 0.3 * rotation(5)
    linear = matrix[:3, :3]
    moved = transform(scene, matrix)
    np.testing.assert_allclose(moved.means, scene.means @ linear.T + matrix[:3, 3], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(moved.quats, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(
        covariances(moved), linear @ covariances(scene) @ linear.T, rtol=1e-4, atol=1e-6
    )
    np.testing.assert_array_equal(moved.opacities, scene.opacities)
    seen, width = directions(30), (degree + 1) ** 2
    before = np.einsum("dk,nkc->ndc", sh_basis(seen)[:, :width], scene.sh)
    after = np.einsum("dk,nkc->ndc", sh_basis(seen @ linear.T / 0.3)[:, :width], moved.sh)
    np.testing.assert_allclose(after, before, atol=2e-6)


def test_there_and_back() -> None:
    scene = random_gaussians(30, 3)
    matrix = np.eye(4)
    matrix[:3, :3] = 4 * rotation(3)
    matrix[:3, 3] = (1, 2, 3)
    again = transform(transform(scene, matrix), np.linalg.inv(matrix))
    np.testing.assert_allclose(again.means, scene.means, atol=1e-5)
    np.testing.assert_allclose(again.sh, scene.sh, atol=2e-6)
    np.testing.assert_allclose(covariances(again), covariances(scene), rtol=1e-4, atol=1e-6)


def test_a_mirror_or_a_shear_is_refused() -> None:
    scene = random_gaussians(3, 1)
    with pytest.raises(ValueError, match="mirror"):
        transform(scene, np.diag([1.0, 1, -1, 1]))
    with pytest.raises(ValueError, match="skewed"):
        transform(scene, np.diag([1.0, 2, 1, 1]))


FAR = {
    "origin: [1e+09, 0, 0]": {"origin": (1e9, 0.0, 0.0)},
    "origin: [0, -1e+300, 0]": {"origin": (0.0, -1e300, 0.0)},
    "origin: [1e+07, 0, 5]": {"origin": (1e7, 0.0, 5.0), "scale": 0.5},
    "scale: 1e+300 ": {"scale": 1e300},
    "scale: 1e+30 ": {"scale": 1e30},
    "scale: 1e-30 ": {"scale": 1e-30},
    "scale: 1e-300 ": {"scale": 1e-300},
    "scale: 1e+300": {"scale": 1e300, "origin": (1e300, 0.0, 0.0)},
}


@pytest.mark.parametrize("said", FAR)
@pytest.mark.parametrize("up", ["auto", "-x"])
@pytest.mark.filterwarnings("error")
def test_a_stage_on_which_nothing_could_be_told_apart_is_refused(said: str, up: str, tmp_path: Path) -> None:
    path = tmp_path / "cloud.ply"
    write_ply(path, random_gaussians(500, 1))
    asked: list[tuple[str, str]] = []

    def explain(key: str, code: str, message: str, **details: Any) -> Diagnostic:
        asked.append((key, code))
        return Diagnostic(code, message, **details)

    with pytest.raises(AnixError) as caught:
        open_scene(SceneSpec(path, up=up, **FAR[said]), explain=explain)
    (problem,) = caught.value.diagnostics
    assert problem.message.startswith(said) and problem.hint
    assert asked == [(said.partition(":")[0], "E313")]


@pytest.mark.filterwarnings("error")
def test_unusual_stages_are_placed_all_the_same(tmp_path: Path) -> None:
    path, cloud = tmp_path / "cloud.ply", random_gaussians(500, 1)
    write_ply(path, cloud)
    for spec in (
        SceneSpec(path, scale=1e-9),
        SceneSpec(path, scale=1e5),
        SceneSpec(path, origin=(900.0, -300.0, 5.0)),
        SceneSpec(path, scale=1e4, origin=(12.0, 0.0, 0.0)),
    ):
        placed = open_scene(spec).gaussians
        assert np.isfinite(placed.means).all() and (placed.scales > 0).all()
        # Neighbours are still told apart.
        assert len(np.unique(placed.means, axis=0)) == len(np.unique(cloud.means, axis=0))
    # A file that lies far off itself is no worse for it.
    far = replace(cloud, means=cloud.means + np.float32(2e6))
    write_ply(path, far)
    assert len(open_scene(SceneSpec(path, scale=2.0)).gaussians) == 500
    assert len(open_scene(SceneSpec(path, origin=(2e6, 2e6, 2e6))).gaussians) == 500


def test_tiny_and_huge_similarities_turn_like_any_other() -> None:
    cloud = random_gaussians(50, 1)
    for size in (1e-120, 1e-12, 1e12):
        moved = transform(cloud, similarity("+z", 1.0) @ np.diag([size, size, size, 1.0]))
        np.testing.assert_allclose(moved.quats, transform(cloud, similarity("+z", 1.0)).quats, atol=1e-6)
        np.testing.assert_array_equal(moved.scales, (cloud.scales * size).astype(np.float32))
    with pytest.raises(ValueError, match="mirror"):
        transform(cloud, np.diag([1e-9, 1e-9, -1e-9, 1.0]))
