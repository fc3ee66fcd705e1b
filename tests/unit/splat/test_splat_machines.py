"""Machines with other registers: narrower ones are emulated, and code for ARM64 is made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import reference
from clouds import cloud

from anix_cli.core.camera import intrinsics_from_fov_y

SIZE = (97, 61)
HERE = Path(__file__).parent
DRAW = f"""
import sys
import numpy as np
sys.path.insert(0, {str(HERE)!r})
from clouds import cloud
from anix_cli.core.camera import intrinsics_from_fov_y
from anix_cli.splat import pack, render
scene = cloud(1500, 3, degree=3, antialiased=True)
picture = render(pack(scene), np.eye(4), intrinsics_from_fov_y(60, {SIZE}), {SIZE}, near=0.05)
np.savez(sys.argv[1], rgb=picture.rgb, alpha=picture.alpha)
"""


def run(code: str, *arguments: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.slow
def test_the_picture_is_right_by_a_numba_whose_insides_are_not_known(tmp_path: Path) -> None:
    unknown = "import numba; numba.__version__ = '99.0.0'\n"
    run(unknown + DRAW, str(tmp_path / "plain.npz"), NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    expected = reference.render(
        [cloud(1500, 3, degree=3, antialiased=True)],
        np.eye(4),
        intrinsics_from_fov_y(60, SIZE),
        SIZE,
        near=0.05,
    )
    with np.load(tmp_path / "plain.npz") as picture:
        assert reference.psnr_db(picture["rgb"], expected.rgb) > 90


@pytest.mark.slow
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names a processor of that kind")
def test_the_picture_is_right_without_avx(tmp_path: Path) -> None:
    """SSE2 alone: 16 lanes are four registers, and there is no fused product."""
    run(
        DRAW,
        str(tmp_path / "narrow.npz"),
        NUMBA_CPU_NAME="x86-64",
        NUMBA_CPU_FEATURES="",
        NUMBA_CACHE_DIR=str(tmp_path / "cache"),
    )
    expected = reference.render(
        [cloud(1500, 3, degree=3, antialiased=True)],
        np.eye(4),
        intrinsics_from_fov_y(60, SIZE),
        SIZE,
        near=0.05,
    )
    with np.load(tmp_path / "narrow.npz") as picture:
        assert reference.psnr_db(picture["rgb"], expected.rgb) > 90
        # Rounding may decide otherwise whether a pixel's alpha is 1/255; one such pixel is 86 dB.
        assert reference.psnr_db(picture["alpha"], expected.alpha) > 80


LOWER = """
import sys
import llvmlite.binding as llvm
from anix_cli.splat import binning, blending, ordering, packing, projecting
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
target = llvm.Target.from_triple("aarch64-unknown-linux-gnu").create_target_machine(
    cpu="generic", features="+neon", opt=2
)
for kernel in (
    projecting.cull, projecting.project, packing.morton_codes, packing.pack_blocks, ordering.by_depth,
    binning.bin_band, blending.blend_band,
):
    (text,) = kernel.inspect_llvm().values()
    lines = [line for line in text.splitlines() if not line.startswith("target ")]
    module = llvm.parse_assembly("\\n".join(lines))
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    code = target.emit_assembly(module)
    vectors = kernel in (projecting.project, binning.bin_band, blending.blend_band)
    assert ("fmla\tv" in code) >= vectors, kernel
"""


@pytest.mark.slow
def test_kernels_are_lowered_for_arm64(tmp_path: Path) -> None:
    run(LOWER, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
