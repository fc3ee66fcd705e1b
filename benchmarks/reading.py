"""How long splat files take to be read, and in how much memory, each in a fresh process.

    python -m benchmarks.reading [--json] [--repeat 3] [--counts 1000000,5000000] [FILE …]

Towns with harmonics of degree 3 are written as PLY, SPZ and SOG and read back; FILEs are read too. Medians:
wall and CPU time of the reading alone, and by how much the process grew at most meanwhile, also in multiples
of a PLY of as many Gaussians. Memory is read from /proc, which Linux has.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

COUNTS = "1000000,5000000"
_READ = """
import json, sys, time
from pathlib import Path
from anix_cli.scene import read_splats
import anix_cli.scene.read

def status(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith(key)))

before, wall, cpu = status("VmRSS"), time.perf_counter(), time.process_time()
gaussians = read_splats(Path(sys.argv[1])).gaussians
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(json.dumps({
    "count": len(gaussians), "sh": round(gaussians.sh.shape[1] ** 0.5) - 1,
    "wall_s": wall, "cpu_s": cpu, "grown_bytes": status("VmHWM") - before,
}))
"""


def files(folder: Path, counts: list[int]) -> Iterator[Path]:
    """Towns in each format that anix writes; the largest as PLY alone."""
    from anix_cli.scene import write_ply, write_sog, write_spz

    from .scenes import town

    for count in counts:
        scene = town(count)
        name = folder / f"town{count}"
        write_ply(name.with_suffix(".ply"), scene)
        yield name.with_suffix(".ply")
        if count <= 1_000_000:
            write_spz(name.with_suffix(".spz"), scene)
            write_sog(name.with_suffix(".sog"), scene)
            yield from (name.with_suffix(".spz"), name.with_suffix(".sog"))


def measure(path: Path, repeat: int) -> dict[str, Any]:
    """Medians over fresh processes."""
    command = [sys.executable, "-c", _READ, str(path)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(repeat)
    ]
    figures = {key: median(run[key] for run in runs) for key in ("wall_s", "cpu_s", "grown_bytes")}
    count, degree = runs[0]["count"], runs[0]["sh"]
    as_ply = (
        4 * (14 + 3 * (degree + 1) ** 2 + 3 - 3) * count
    )  # position, normal, harmonics, opacity, scale, turn
    return {"file": path.name, "bytes": path.stat().st_size, "count": count, "sh": degree, **figures,
            "of_a_ply": figures["grown_bytes"] / as_ply}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON list")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="processes per file")
    parser.add_argument("--counts", default=COUNTS, metavar="N,N", help="sizes of the towns")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        towns = files(Path(name), [int(count) for count in asked.counts.split(",") if count])
        rows = [measure(path, asked.repeat) for path in (*towns, *asked.files)]
    if asked.json:
        print(json.dumps(rows))
        return
    heads = ("MB", "Gaussians", "SH", "wall", "CPU", "grown", "of a PLY")
    print(f"{'file':<20}" + "".join(f"{head:>11}" for head in heads))
    for row in rows:
        cells = (
            f"{row['bytes'] / 1e6:.1f}", f"{row['count']:,}", f"{row['sh']}", f"{row['wall_s']:.2f} s",
            f"{row['cpu_s']:.2f} s", f"{row['grown_bytes'] / 1e6:.0f} MB", f"{row['of_a_ply']:.2f}x",
        )  # fmt: skip
        print(f"{row['file']:<20}" + "".join(f"{cell:>11}" for cell in cells))


if __name__ == "__main__":
    main()
