"""Fifty scenes that break rasterisers, packed and loose, against the float64 reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
import reference
from clouds import cloud, single

from anix_cli.core.camera import intrinsics_from_fov_y, look_at
from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.splat import pack, render

SIZE = (71, 45)
LEAST_DB = 90.0


@dataclass(frozen=True)
class Case:
    """A scene and how it is looked at. ``least_db``: rounding may cost more where depths are equal."""

    scene: Gaussians
    size: tuple[int, int] = SIZE
    near: float = 0.05
    pose: np.ndarray | None = None
    intrinsics: np.ndarray | None = None
    least_db: float = LEAST_DB


def changed(scene: Gaussians, **columns: object) -> Gaussians:
    """With some columns set to a value, or to what broadcasts to their shape."""
    new = {
        name: np.array(np.broadcast_to(v, getattr(scene, name).shape), np.float32)
        for name, v in columns.items()
    }
    return replace(scene, **new)


def shifted(scene: Gaussians, by: object) -> Gaussians:
    return replace(scene, means=(scene.means + np.array(by)).astype(np.float32))


def needles(length: float, thickness: float, **options: object) -> Gaussians:
    return changed(cloud(300, 40, **options), scales=[length, thickness, thickness])  # type: ignore[arg-type]


def pile(count: int, opacity: float, *, apart: float = 0.0) -> Gaussians:
    """Many at one place, of unlike colours."""
    scene = changed(cloud(count, 41, scale=0.05), opacities=opacity)
    ordered = np.linspace(0, apart, count)[:, None] * [0, 0, 1]
    return replace(scene, means=(np.array([0.1, -0.1, 5.0]) + ordered).astype(np.float32))


def far_away(offset: float) -> Case:
    """Everything moved by the same distance, camera too; the scene is rounded to what float32 holds there."""
    by = np.array([offset, -0.7 * offset, 0.3 * offset])
    return Case(
        shifted(cloud(800, 42, degree=2), by), pose=look_at(by, by + np.array([0, 0, 1]), up=(0, -1, 0))
    )


def wall(step: float) -> Gaussians:
    """A plane seen head on: all depths are equal."""
    scene = cloud(900, 43, scale=0.1)
    x, y = np.meshgrid(np.arange(30), np.arange(30))
    means = np.stack([(x.ravel() - 15) * step, (y.ravel() - 15) * step, np.full(900, 6.0)], axis=1)
    return replace(scene, means=means.astype(np.float32))


def scaled(factor: float) -> Case:
    """A scene in other units."""
    scene = cloud(800, 44, degree=3)
    small = replace(scene, means=scene.means * np.float32(factor), scales=scene.scales * np.float32(factor))
    return Case(small, near=0.05 * factor)


def lens(fx: float, fy: float, cx: float, cy: float) -> np.ndarray:
    return np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1.0]])


AROUND = {"centre": (0.0, 0.0, 0.0), "radius": 1.0}
CASES: dict[str, Callable[[], Case]] = {
    "needles across": lambda: Case(needles(3, 0.002)),
    "needles of a hundred metres": lambda: Case(needles(100, 0.001)),
    "needles without thickness": lambda: Case(needles(2, 0.0)),
    "needles, antialiased": lambda: Case(needles(100, 0.001, antialiased=True)),
    "needles at the lens": lambda: Case(needles(1, 0.001, **AROUND), near=0.02),
    "needles in the distance": lambda: Case(shifted(needles(80, 0.5), (0, 0, 900))),
    "discs": lambda: Case(changed(cloud(300, 45), scales=[0.4, 0.4, 0.0])),
    "discs on edge": lambda: Case(changed(cloud(300, 46), scales=[0.5, 0.0, 0.5], quats=[1, 0, 0, 0])),
    "giants": lambda: Case(cloud(100, 47, scale=20, spread=1)),
    "giants of a kilometre": lambda: Case(changed(cloud(50, 48), scales=1000.0)),
    "giants around the camera": lambda: Case(cloud(200, 49, scale=3, **AROUND)),
    "giants behind": lambda: Case(cloud(100, 50, scale=20, centre=(0, 0, -6), radius=3)),
    "giants beside": lambda: Case(cloud(100, 51, scale=4, centre=(30, 0, 6))),
    "giants below": lambda: Case(cloud(100, 52, scale=2, centre=(0, 5, 1), radius=0.9)),
    "faint giants": lambda: Case(changed(cloud(400, 53, scale=8), opacities=0.006)),
    "behind": lambda: Case(cloud(300, 54, centre=(0, 0, -8))),
    "on the camera's plane": lambda: Case(changed(cloud(300, 55, **AROUND), means=[0.3, 0.2, 0.0]), near=0.0),
    "in the camera": lambda: Case(changed(cloud(100, 56), means=0.0), near=0.0),
    "through the near plane": lambda: Case(cloud(1500, 57, degree=1, **AROUND), near=0.3),
    "at the near plane": lambda: Case(changed(cloud(300, 58), means=[0.1, 0, 0.5]), near=0.5),
    "no near plane": lambda: Case(cloud(600, 59, **AROUND), near=0.0),
    "opacity 0": lambda: Case(changed(cloud(500, 60), opacities=0.0)),
    "opacity 1": lambda: Case(changed(cloud(500, 61, scale=0.1), opacities=1.0)),
    "opacity of a 255th": lambda: Case(changed(cloud(500, 62, scale=0.2), opacities=1.02 / 255)),
    "opacities at the limit 0.999": lambda: Case(changed(cloud(500, 63, scale=0.2), opacities=0.9991)),
    "ten thousand on a pixel, opaque": lambda: Case(pile(10_000, 0.9), least_db=70),
    "ten thousand on a pixel, faint": lambda: Case(pile(10_000, 0.005), least_db=70),
    "ten thousand behind each other": lambda: Case(pile(10_000, 0.02, apart=3.0)),
    "duplicates": lambda: Case(concatenate([cloud(700, 64, degree=1)] * 3), least_db=70),
    "equal depths": lambda: Case(wall(0.2), least_db=70),
    "equal depths far apart": lambda: Case(wall(2.0), least_db=70),
    "one": lambda: Case(single()),
    "one giant": lambda: Case(single(scales=(50, 50, 50))),
    "one without size": lambda: Case(single(scales=(0, 0, 0))),
    "none": lambda: Case(cloud(0, 65)),
    "a pixel": lambda: Case(cloud(600, 66), size=(1, 1)),
    "a row": lambda: Case(cloud(600, 67), size=(77, 1)),
    "a column": lambda: Case(cloud(600, 68), size=(1, 77)),
    "a tile and a pixel": lambda: Case(cloud(600, 69), size=(17, 33)),
    "whole tiles": lambda: Case(cloud(600, 70), size=(64, 32)),
    "a wide picture": lambda: Case(cloud(600, 71), size=(517, 6)),
    "principal point at the corner": lambda: Case(cloud(900, 72, degree=1), intrinsics=lens(60, 60, 0, 0)),
    "principal point outside": lambda: Case(cloud(900, 73, radius=8), intrinsics=lens(50, 60, -40, 70)),
    "unlike focal lengths": lambda: Case(cloud(900, 74), intrinsics=lens(30, 120, 35, 22)),
    "a long lens": lambda: Case(shifted(cloud(900, 75), (0, 0, 300)), intrinsics=lens(3000, 3000, 35, 22)),
    "a lens of 170 degrees": lambda: Case(cloud(900, 76, **AROUND), intrinsics=lens(2, 2, 35.5, 22.5)),
    "coordinates of a town": lambda: far_away(1e4),
    "coordinates of a map": lambda: far_away(5e5),
    "tiny units": lambda: scaled(1e-5),
    "huge units": lambda: scaled(1e6),
}  # fmt: skip


def test_there_are_fifty() -> None:
    assert len(CASES) == 50


@pytest.mark.parametrize("name", CASES)
def test_hostile_scene(name: str) -> None:
    case = CASES[name]()
    pose = np.eye(4) if case.pose is None else case.pose
    k = intrinsics_from_fov_y(60, case.size) if case.intrinsics is None else case.intrinsics
    options = {"near": case.near, "background": (0.1, 0.4, 0.8)}
    expected = reference.render([case.scene], pose, k, case.size, **options)
    for scene in (case.scene, pack(case.scene)):
        picture = render(scene, pose, k, case.size, **options)
        assert np.isfinite(picture.rgb).all()
        assert np.isfinite(picture.alpha).all()
        assert reference.psnr_db(picture.rgb, expected.rgb) >= case.least_db
        assert reference.psnr_db(picture.alpha, expected.alpha) >= case.least_db
        solid = expected.alpha > 0.05
        np.testing.assert_allclose(picture.depth[solid], expected.depth[solid], rtol=2e-3)
