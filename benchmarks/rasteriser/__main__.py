"""The rasteriser against other renderers that run on a CPU, on one machine, in one run.

    python -m benchmarks.rasteriser [--quick] [--scene FILE] [--json]

Scenes: towns of 100,000 and of a million Gaussians with SH of degree 3, a cloud of points with made-up sizes,
and your own with --scene. Engines: anix on one core and (whole frames) on all; a tile renderer as one writes
it first with numba, parallel over Gaussians and tiles; one in PyTorch under torch.compile, where that is
installed. A frame's time is the mean over a walk, of the fastest of several rounds (of a slow engine: over a
few frames of the walk, once). PSNR is that of one whole frame, colour as floats, against the float64 picture
(anix_cli/splat/exact.py); an engine that is below 45 dB draws something else, and ends the run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from anix_cli.report.bench import as_table
from anix_cli.run.bench import Engine, Row, Subject, machine, measure, our_engines, subject_of
from anix_cli.run.scenesource import Placement, scene_source
from benchmarks.scenes import NEAR_M, cloud, cloud_walk, town, walk

SIZE = (1280, 720)
FRAMES, ROUNDS = 12, 3
QUICK_FRAMES, QUICK_ROUNDS = 4, 1
SAME_DB = 45.0


class Peer:
    """Another renderer as an engine: a fresh picture for each camera."""

    def __init__(self, renderer: Any) -> None:
        self.name, self._renderer = renderer.name, renderer

    def frames(self, poses, lens, size_px) -> Iterator[np.ndarray]:
        return (self._renderer.frame(pose, lens, size_px) for pose in poses)


def peers(subject: Subject) -> list[Engine]:
    from .naive_numba import NaiveNumba

    found: list[Engine] = [Peer(NaiveNumba(subject.gaussians, subject.near))]
    if find_spec("torch") is None:
        say("torch is not installed: its renderer is left out (pip install torch)")
        return found
    from .torch_tiles import TorchTiles

    return [*found, Peer(TorchTiles(subject.gaussians, subject.near))]


def subjects(options: argparse.Namespace, frames: int) -> Iterator[Subject]:
    if options.scene is not None:
        yield subject_of(scene_source(options.scene, Placement()), frames)
        return
    yield Subject("town100k", town(100_000), walk(frames), NEAR_M)
    if not options.quick:
        yield Subject("town1m", town(1_000_000), walk(frames), NEAR_M)
        yield Subject("cloud", cloud(), cloud_walk(frames), NEAR_M)


def run(options: argparse.Namespace) -> Iterator[Row]:
    frames, rounds = (QUICK_FRAMES, QUICK_ROUNDS) if options.quick else (FRAMES, ROUNDS)
    for subject in subjects(options, frames):
        engines = [*our_engines(subject), *peers(subject)]
        for row in measure(subject, engines, [options.size], rounds=rounds, advance=say):
            if row.psnr_db < SAME_DB:
                sys.exit(f"{row.engine} draws another picture of {row.scene}: {row.psnr_db:.1f} dB")
            yield row


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rasteriser",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="the small town only, few frames, once")
    parser.add_argument("--scene", type=Path, metavar="FILE", help="your own scene instead")
    parser.add_argument(
        "--size", type=lambda text: tuple(map(int, text.split("x"))), default=SIZE, metavar="WxH"
    )
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    options = parser.parse_args()
    rows = list(run(options))
    documents = [row.document() for row in rows]
    print(json.dumps(documents, indent=1) if options.json else as_table(rows, machine()))


if __name__ == "__main__":
    main()
