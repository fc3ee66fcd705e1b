"""How fast the CPU rasteriser is on this machine, and how near to the float64 reference.

    python -m benchmarks.rasteriser [--quick] [--json]

A frame's time is the median over a walk through the town, with all cores. PSNR is that of one frame of a
thinned town at an eighth of the size, colour as floats, against ``tests/unit/splat/reference.py``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

import numpy as np

from anix_cli.core.camera import intrinsics_from_fov_y
from anix_cli.core.gaussians import Gaussians
from anix_cli.splat import render
from benchmarks.scenes import town, walk
from tests.unit.splat import reference

FOV_Y_DEG = 55.0
NEAR_M = 0.05
SIZES = ((832, 480), (1280, 720))
COUNTS = {"t100k": 100_000, "t1m": 1_000_000}


def milliseconds_per_frame(scene: Gaussians, size_px: tuple[int, int], frames: int) -> float:
    k = intrinsics_from_fov_y(FOV_Y_DEG, size_px)
    times = []
    for pose in walk(frames):
        start = time.perf_counter()
        render(scene, pose, k, size_px, near=NEAR_M)
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def psnr_db(scene: Gaussians, size_px: tuple[int, int]) -> float:
    """Of a scene thinned to what brute force can bear: every n-th Gaussian, 20,000 in all."""
    scene = scene.take(np.arange(0, len(scene), max(1, len(scene) // 20_000)))
    size = (size_px[0] // 8, size_px[1] // 8)
    pose, k = walk(3)[1], intrinsics_from_fov_y(FOV_Y_DEG, size)
    expected = reference.render([scene], pose, k, size, near=NEAR_M)
    return reference.psnr_db(render(scene, pose, k, size, near=NEAR_M).rgb, expected.rgb)


def measure(*, quick: bool) -> list[dict[str, object]]:
    start = time.perf_counter()
    render(town(1000), walk(1)[0], np.eye(3), (8, 8), near=NEAR_M)
    rows: list[dict[str, object]] = [{"load_or_compile_s": round(time.perf_counter() - start, 2)}]
    for name, count in list(COUNTS.items())[: 1 if quick else None]:
        scene = town(count)
        for size in SIZES:
            rows.append({
                "scene": name,
                "gaussians": count,
                "sh": scene.sh_degree,
                "size": f"{size[0]}x{size[1]}",
                "engine": "cpu",
                "ms_per_frame": round(milliseconds_per_frame(scene, size, 5 if quick else 15), 1),
                "psnr_db": round(psnr_db(scene, size), 1),
            })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the small town only, few frames")
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    options = parser.parse_args()
    compiled, *rows = measure(quick=options.quick)
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    print(f"kernels loaded or compiled in {compiled['load_or_compile_s']} s")
    print(f"{'scene':8}{'Gaussians':>10}{'SH':>4}{'size':>10}{'ms/frame':>10}{'PSNR dB':>9}")
    for row in rows:
        print(
            f"{row['scene']:8}{row['gaussians']:>10}{row['sh']:>4}{row['size']:>10}"
            f"{row['ms_per_frame']:>10}{row['psnr_db']:>9}"
        )


if __name__ == "__main__":
    main()
