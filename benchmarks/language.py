"""Times what reads and plans a screenplay, each in a fresh process, and prints medians beside their limits.

    python -m benchmarks.language [--json] [--repeat 5]

The long screenplay has 1,000 shots of many kinds, made from the sample's assets. The limits are wall times on
2 CPU cores with nothing else running; on a busy machine compare the CPU times, the second column.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "screenplays" / "courier.yaml"
LIMITS_S = {"help": 0.3, "validate": 0.4, "validate 1,000 shots": 1.5, "plan 1,000 shots": 4.0}

HEAD = """\
anix: 1
title: A long day in the square
film: {size: 832x480, fps: 16, seed: 7}
look: real
scene: {file: courier/plaza.spz, up: +y, scale: 1}
characters:
  mira:
    views:
      front: courier/mira_front.png
      left: courier/mira_left.png
      right: courier/mira_right.png
      back: courier/mira_back.png
    height: 1.72
    description: a courier in a red jacket
    aliases: [messenger]
anchors:
  fountain: {at: [4, 9], aliases: [well]}
  alley: {at: [-0.6, -7], face: 0}
  corner: {at: [-5, 1], face: fountain}
  bench: {from: corner, left: 1, forward: 2}
  entrance: {box: [0.4, 0.3, 0.55, 0.9]}
  onward: {from: last_shot, forward: 0.5}
cameras:
  gate: {at: [0, 1.6, -9], look_at: fountain, lens_mm: 30}
  balcony: {at: [7, 4.5, 2]}
defaults: {character: mira}
shots:
"""

TAKES = (
    (
        "command: Mira walks two metres forward, cut: true, anchor: corner, duration: 3",
        "command: she turns around and waves, camera: stationary, duration: 2.5",
        'command: "", camera: {move: orbit, degrees: 60, direction: left}, duration: 2s, caption: Noon.',
        "command: she slowly walks forward, camera: {move: crane, up: 2, frame: wide}, duration: 40f",
    ),
    (
        "command: the messenger runs forward, cut: true, anchor: alley, camera: gate, duration: 2",
        'command: "she stops, nods and points", camera: balcony, duration: 3, prompt: late light',
        "command: she picks up a letter, camera: {frame: close, side: front, lens_mm: 50}, duration: 2.5",
        "command: she turns around while the camera orbits left, camera: {frame: full}, duration: 2, "
        "transition: {fade: 0.5}",
        "command: she turns right and walks three steps, duration: 3, "
        "camera: [follow, {move: orbit, degrees: 30, for: 1s}]",
    ),
    (
        "command: Mira walks to the bench, cut: true, anchor: corner, camera: {from: gate, move: follow}, "
        "duration: 2.8, seed: 11",
        "command: she bows, duration: 2, options: {animatic: {shadow: false}}",
    ),
    ("command: she shrugs, cut: true, anchor: entrance, camera: stationary, duration: 1.5",),
    (
        "command: she sits down, cut: true, anchor: bench, duration: 2, negative: crowds",
        "command: she stands up and stretches, camera: {distance: 3, height: 1.2}, duration: 3.5",
    ),
    (
        "command: she walks backward for 2 seconds, cut: true, anchor: onward, duration: 3, look: rendered",
        "command: she looks around and claps, duration: 3",
    ),
)


def long_screenplay(folder: Path, shots: int = 1000) -> Path:
    """Writes a screenplay of so many shots, its assets beside it; returns its path."""
    shutil.copytree(SAMPLE.with_suffix(""), folder / "courier")
    lines = islice(cycle(line for take in TAKES for line in take), shots)
    film = folder / "long.yaml"
    text = HEAD + "".join(f"  - {{id: s{number:04}, {line}}}\n" for number, line in enumerate(lines))
    film.write_text(text, encoding="utf-8")
    return film


def timed(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Wall and CPU time of one ``anix`` command in a fresh process, seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "anix_cli", *arguments],
        check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - started, cpu


def measure(repeat: int) -> dict[str, tuple[float, float]]:
    """Medians of wall and CPU time by name, seconds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        film = str(long_screenplay(folder))
        canonical = shutil.copy(film, folder / "canonical.yaml")
        environment = {**os.environ, "ANIX_CACHE_DIR": str(folder / "store")}
        environment["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")  # as installed: compiled once
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        plan = ["plan", film, "-o", str(folder / "plan.json"), "--overwrite"]
        commands = {
            "help": ["--help"],
            "schema": ["schema"],
            "validate": ["validate", str(SAMPLE)],
            "validate 1,000 shots": ["validate", film],
            "fmt 1,000 shots": ["fmt", "--check", str(canonical)],
            "shots 1,000 shots": ["shots", film],
            "plan 1,000 shots": plan,
        }
        timed(["fmt", str(canonical)], environment)
        figures = {}
        for label, arguments in commands.items():
            timed(arguments, environment)  # not the first use of anything
            runs = [timed(arguments, environment) for _ in range(repeat)]
            figures[label] = (median(wall for wall, _ in runs), median(cpu for _, cpu in runs))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="processes per figure")
    arguments = parser.parse_args()
    figures = measure(arguments.repeat)
    if arguments.json:
        print(json.dumps({label: {"wall_s": wall, "cpu_s": cpu} for label, (wall, cpu) in figures.items()}))
        return
    print(f"{'':<22} {'wall':>9} {'CPU':>9} {'limit':>9}")
    for label, (wall, cpu) in figures.items():
        limit = f"{LIMITS_S[label]:7.2f} s" if label in LIMITS_S else ""
        print(f"{label:<22} {wall:7.2f} s {cpu:7.2f} s {limit}")


if __name__ == "__main__":
    main()
