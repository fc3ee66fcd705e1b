"""What ``anix bench`` measured, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .terminal import escaped


class Measured(Protocol):
    """A row, as ``run.bench`` makes them."""

    @property
    def scene(self) -> str: ...
    @property
    def gaussians(self) -> int: ...
    @property
    def sh(self) -> int: ...
    @property
    def size_px(self) -> tuple[int, int]: ...
    @property
    def engine(self) -> str: ...
    @property
    def ms_per_frame(self) -> float: ...
    @property
    def cpu_ms(self) -> float: ...
    @property
    def psnr_db(self) -> float: ...


def as_table(rows: Sequence[Measured], machine: str, *, encoding: str = "utf-8") -> str:
    """A line of where it was measured, then for each scene a line of what it is and its rows."""
    cells = [("size", "drawn by", "ms a frame", "frames/s", "ms of all cores", "dB to float64")]
    for row in rows:
        rate, size = f"{1000 / max(row.ms_per_frame, 1e-6):.1f}", f"{row.size_px[0]}x{row.size_px[1]}"
        times = (f"{row.ms_per_frame:.1f}", rate, f"{row.cpu_ms:.1f}")
        cells.append((size, row.engine, *times, f"{row.psnr_db:.1f}"))
    wide = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines, before = [machine], None
    for line, at in zip(cells, [None, *rows], strict=True):
        if at is not None and at.scene != before:
            before = at.scene
            lines.append(f"{at.scene}: {at.gaussians:,} Gaussians, harmonics of degree {at.sh}")
        words = [line[0].ljust(wide[0]), line[1].ljust(wide[1])]
        words += [line[column].rjust(wide[column]) for column in range(2, len(line))]
        lines.append("  " + "  ".join(words).rstrip())
    return "\n".join(escaped(line, encoding) for line in lines)
