"""Times the demo film and the quick commands, each in a fresh process, and prints the figures.

    python -m benchmarks.demo [--json]

Cold means: no store, no compiled kernels, no film. The targets are for 2 CPU cores: cold under 90 s, warm
under 2 s, ``anix --help`` under 0.3 s, ``anix validate`` under 0.5 s.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILM = ROOT / "screenplays" / "courier.yaml"


def seconds(arguments: list[str], environment: dict[str, str]) -> float:
    """Wall time of one ``anix`` command in a fresh process."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "anix_cli", *arguments],
        check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - started


def measure() -> dict[str, float]:
    """Figures by name, seconds; the quick commands are the median of five."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {
            **os.environ,
            "ANIX_CACHE_DIR": str(folder / "store"),
            "NUMBA_CACHE_DIR": str(folder / "kernels"),
        }
        render = ["render", str(FILM), "-o", str(folder / "courier.mp4"), "--quiet"]
        figures = {"cold": seconds(render, environment), "warm": seconds(render, environment)}
        for label, arguments in {
            "help": ["--help"],
            "validate": ["validate", str(FILM)],
            "plan": ["plan", str(FILM)],
            "warm": render,
        }.items():
            figures[label] = sorted(seconds(arguments, environment) for _ in range(5))[2]
        (folder / "courier.mp4").unlink()
        figures["empty store, compiled kernels"] = seconds(
            render, {**environment, "ANIX_CACHE_DIR": str(folder / "other")}
        )
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    figures = measure()
    if arguments.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<28} {value:7.2f} s")


if __name__ == "__main__":
    main()
