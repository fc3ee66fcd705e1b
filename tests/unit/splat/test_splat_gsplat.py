"""gsplat draws what the CPU does: with a stand-in, with gsplat's own torch reference, and on a GPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from clouds import cloud, single
from tensors import stand_in

from anix_cli.core.camera import intrinsics_from_fov_y, look_at
from anix_cli.core.errors import AnixError
from anix_cli.core.optics import Exposure, Optics
from anix_cli.splat import render
from anix_cli.splat.choose import Cpu, Views, rasteriser, use_device
from anix_cli.splat.exact import psnr_db, render_exact
from anix_cli.splat.exposure import expose

SIZE = (48, 36)
K = intrinsics_from_fov_y(55, SIZE)
POSES = np.stack([look_at((x, 1.0, -3.0), (0.0, 0.0, 6.0)) for x in (-1.0, 0.0, 1.0)])
LENSES = np.repeat(K[None], 3, axis=0)
OPTIONS = {"near": 0.5, "background": (0.2, 0.4, 0.9), "eps2d": 0.3}


@pytest.fixture
def fake(monkeypatch):
    return stand_in(monkeypatch)


@pytest.fixture
def gsplat(fake):
    from anix_cli.splat.gsplat import Gsplat

    return Gsplat()


def same(actual, expected, least_db: float = 45.0) -> None:
    assert psnr_db(actual.rgb, expected.rgb) >= least_db
    assert psnr_db(actual.alpha, expected.alpha) >= least_db
    solid = (expected.alpha > 0.05) & np.isfinite(actual.depth)
    assert solid.mean() > 0.1
    assert np.median(np.abs(actual.depth[solid] / expected.depth[solid] - 1)) < 1e-3
    assert np.isinf(actual.depth[expected.alpha < 0.003]).all()


@pytest.mark.parametrize("antialiased", [False, True])
def test_one_picture_is_that_of_the_cpu(gsplat, antialiased):
    scene = cloud(800, 1, degree=3, antialiased=antialiased)
    expected = render(scene, POSES[0], K, SIZE, **OPTIONS)
    same(gsplat.render(scene, POSES[0], K, SIZE, **OPTIONS), expected, 60)
    same(gsplat.render([gsplat.keep(scene)], POSES[0], K, SIZE, threads=1, **OPTIONS), expected, 60)


def test_a_batch_is_one_call_and_stays_on_the_device(gsplat, fake):
    scene = cloud(500, 2, degree=2)
    frames = gsplat.render_batch([gsplat.keep(scene)], POSES, LENSES, SIZE, half=True, **OPTIONS)
    assert len(fake.calls) == 1 and len(frames) == 3
    assert (frames.rgb.dtype, frames.depth.dtype) == (np.float16, np.float32)
    for picture, pose in zip(frames.host(), POSES, strict=True):
        same(picture, render(scene, pose, K, SIZE, **OPTIONS), 60)


def test_parts_of_different_degrees_and_kinds_are_drawn_together(gsplat, fake):
    """A scene trained for the compensated filter, and a character that was not: each as it should be."""
    scene = cloud(400, 3, degree=1, scale=0.03, antialiased=True)
    figure = cloud(300, 4, degree=0, scale=0.01, radius=1.5)
    for parts in ([scene, figure], [figure, scene]):
        frames = gsplat.render_batch(parts, POSES, LENSES, SIZE, **OPTIONS)
        for picture, pose in zip(frames.host(), POSES, strict=True):
            same(picture, render(parts, pose, K, SIZE, **OPTIONS), 60)
    plain = gsplat.render([replace(scene, antialiased=False), figure], POSES[0], K, SIZE, **OPTIONS)
    assert psnr_db(plain.rgb, render([scene, figure], POSES[0], K, SIZE, **OPTIONS).rgb) < 50


@pytest.mark.parametrize("parts", [[], [single((0, 0, -9.0)).take(np.zeros(1, bool))]])
def test_nothing_is_the_background(gsplat, parts):
    picture = gsplat.render(parts, POSES[0], K, SIZE, **OPTIONS)
    assert np.allclose(picture.rgb, OPTIONS["background"])
    assert (picture.alpha == 0).all() and np.isinf(picture.depth).all()


@pytest.mark.parametrize("device", ["cpu", "gsplat"])
def test_frames_come_in_order_blurred_or_not_and_none_where_nothing_is_to_draw(gsplat, fake, device):
    scene = cloud(300, 5)
    figures = [cloud(50, seed, radius=1.0) for seed in (6, 7)]
    drawer = gsplat if device == "gsplat" else Cpu(threads=2)
    kept = [drawer.keep(scene)]
    lens = expose(POSES, LENSES, 1, Optics(f_stop=2.0, focus_m=(6.0,), samples=2), SIZE)

    def one(pose):
        return Exposure(pose[None], K[None], np.zeros(1))

    jobs = [
        Views(one(POSES[0]), [kept]),
        Views(one(POSES[1]), [kept]),
        None,
        Views(lens, [[*kept, figure] for figure in figures]),
        Views(one(POSES[2]), [kept]),
    ]
    made = list(
        drawer.frames(range(5), jobs.__getitem__, lambda job, picture: (job, picture), SIZE, **OPTIONS)
    )
    assert [job for job, _ in made] == list(range(5))
    assert made[2][1] is None
    for job, index in ((0, 0), (1, 1), (4, 2)):
        same(made[job][1], render_exact(scene, POSES[index], K, SIZE, **OPTIONS), 60)
    sub = [
        render([scene, figures[i]], lens.world_from_camera[i], lens.intrinsics[i], SIZE, **OPTIONS)
        for i in range(2)
    ]
    assert psnr_db(made[3][1].alpha, (sub[0].alpha + sub[1].alpha) / 2) > 60
    if device == "gsplat":
        assert [len(call["viewmats"]) for call in fake.calls] == [2, 1, 1, 1]


def test_auto_takes_the_gpu_where_there_is_one(fake, monkeypatch):
    from importlib import util

    find = util.find_spec
    monkeypatch.setattr(
        util, "find_spec", lambda name, *rest: True if name in ("torch", "gsplat") else find(name, *rest)
    )
    monkeypatch.delenv("ANIX_DEVICE", raising=False)
    assert rasteriser().name == "gsplat"
    monkeypatch.setenv("ANIX_DEVICE", "cpu")
    assert rasteriser().name == "cpu"
    monkeypatch.setenv("ANIX_DEVICE", "cuda")
    assert rasteriser().name == "gsplat"
    fake.__version__ = "1.4.0"
    with pytest.raises(AnixError, match=r"gsplat 1\.4\.0 is too old"):
        rasteriser()
    monkeypatch.setenv("ANIX_DEVICE", "auto")
    assert rasteriser().name == "cpu"


def test_what_is_missing_is_told(monkeypatch):
    from importlib import util

    monkeypatch.setattr(util, "find_spec", lambda name, *rest: None)
    monkeypatch.delenv("ANIX_DEVICE", raising=False)
    assert rasteriser().name == "cpu"
    try:
        with pytest.raises(AnixError) as error:
            use_device("cuda")
        assert rasteriser.__module__ and error.value.diagnostics[0].code == "E404"
        assert "anix[gpu]" in error.value.diagnostics[0].hint
    finally:
        use_device("cpu")
        use_device(None)
    monkeypatch.setenv("ANIX_DEVICE", "gpu0")
    with pytest.raises(AnixError) as error:
        rasteriser()
    assert error.value.diagnostics[0].code == "E439"


def test_with_gsplats_own_reference(monkeypatch):
    """gsplat's ``rasterization`` itself, its kernels replaced by its torch reference; pixels by a loop."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("gsplat")
    from own_reference import on_the_cpu

    from anix_cli.splat.gsplat import Gsplat

    on_the_cpu(monkeypatch)
    scene, figure = cloud(250, 1, degree=3, antialiased=True), cloud(60, 2, scale=0.02)
    own = Gsplat("cpu")
    for parts in ([scene], [replace(scene, antialiased=False)], [scene, figure]):
        frames = own.render_batch(parts, POSES[:2], LENSES[:2], SIZE, **OPTIONS)
        assert frames.rgb.device == torch.device("cpu")
        for picture, pose in zip(frames.host(), POSES, strict=False):
            same(picture, render(parts, pose, K, SIZE, **OPTIONS), 60)


@pytest.mark.gpu
@pytest.mark.parametrize("antialiased", [False, True])
def test_on_a_gpu_the_picture_is_that_of_the_cpu(antialiased):
    torch = pytest.importorskip("torch")
    pytest.importorskip("gsplat")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    from anix_cli.splat.gsplat import Gsplat

    size = (640, 480)
    lens = intrinsics_from_fov_y(55, size)
    scene, figure = cloud(20_000, 1, degree=3, antialiased=antialiased), cloud(500, 2, scale=0.02)
    own = Gsplat()
    for parts in ([own.keep(scene)], [own.keep(scene), figure]):
        frames = own.render_batch(parts, POSES, np.repeat(lens[None], 3, axis=0), size, **OPTIONS)
        for picture, pose in zip(frames.host(), POSES, strict=True):
            plain = [scene, figure][: len(parts)]
            same(picture, render(plain, pose, lens, size, **OPTIONS))
