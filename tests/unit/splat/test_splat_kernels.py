"""Loading and compiling."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from clouds import cloud
from numba import float64, int64, uint32, void

from anix_cli.core.camera import intrinsics_from_fov_y
from anix_cli.splat import render
from anix_cli.splat.kernels import kernel, read, write

DRAW = """
import numpy as np
from anix_cli.core.gaussians import Gaussians
from anix_cli.splat import render
one = np.ones((1, 3), np.float32)
dot = Gaussians(one, np.eye(4, dtype=np.float32)[:1], one * 0.1, np.ones(1, np.float32), one[:, None])
k = np.array([[8.0, 0, 0], [0, 8.0, 0], [0, 0, 1]])
print(float(render(dot, np.eye(4), k, (16, 16), near=0.1).alpha.max()))
"""


def run(code: str, **environment: str) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return answer.stdout.strip()


def test_importing_the_package_does_not_load_numba() -> None:
    assert run("import sys, anix_cli.splat; print('numba' in sys.modules)") == "False"


@pytest.mark.slow
def test_renders_where_no_cache_can_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert float(run(DRAW, NUMBA_CACHE_DIR=str(blocked / "cache"))) > 0.85


@pytest.mark.slow
def test_renders_where_the_cache_is_damaged(tmp_path: Path) -> None:
    first = run(DRAW, NUMBA_CACHE_DIR=str(tmp_path))
    entries = [path for path in tmp_path.rglob("*.nb?") if path.is_file()]
    assert entries
    for path in entries:
        path.write_bytes(path.read_bytes()[:20])
    assert run(DRAW, NUMBA_CACHE_DIR=str(tmp_path)) == first


def test_threads_may_render_at_the_same_time() -> None:
    scene, k = cloud(3000, 1, degree=1), intrinsics_from_fov_y(60, (90, 70))
    expected = render(scene, np.eye(4), k, (90, 70), near=0.05).rgb
    with ThreadPoolExecutor(4) as pool:
        pictures = pool.map(lambda _: render(scene, np.eye(4), k, (90, 70), near=0.05).rgb, range(8))
        for picture in pictures:
            np.testing.assert_array_equal(picture, expected)


NUMBERS = [0.0, 1.0, -2.5, float("inf"), float("nan")]


def test_the_least_and_greatest_of_numbers_are_those_of_python() -> None:
    """The kernels' own rule for ``min`` and ``max``, with NaN among the numbers too."""

    @kernel(read(float64, 1), write(float64, 1), returns=void)
    def extremes(x, out):
        out[0], out[1] = min(x[0], x[1]), max(x[0], x[1])
        out[2], out[3] = min(x[0], x[1], x[2]), max(x[0], x[1], x[2])
        out[4], out[5] = min(int64(7), 3), max(uint32(7), uint32(9))

    out = np.empty(6)
    for three in itertools.product(NUMBERS, repeat=3):
        extremes(np.array(three), out)
        two = three[:2]
        np.testing.assert_array_equal(out, [min(two), max(two), min(three), max(three), 3, 9])
