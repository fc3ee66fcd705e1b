"""What ``anix scene info`` tells, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .terminal import escaped


def as_table(facts: dict[str, Any], *, encoding: str = "utf-8") -> str:
    """Lines "name  value" in two columns.

    Args:
        facts: as ``run.sceneinfo.describe`` gives them.
    """
    rows = list(_rows(facts))
    width = max(len(name) for name, _ in rows)
    lines = [escaped(facts["file"], encoding)]
    lines += [f"  {name.ljust(width)}  {escaped(value, encoding)}" for name, value in rows]
    return "\n".join(lines)


def _rows(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "format", f"{facts['format']}, {size_in_words(facts['bytes'])}"
    what = "points" if facts["points"] else "Gaussians"
    dropped = facts["dropped"]
    left = f", {dropped:,} of them left out" if dropped else ""
    yield what, f"{facts['count']:,}{left}"
    yield "colours", f"spherical harmonics of degree {facts['sh_degree']}"
    yield "mode", "anti-aliased (mip)" if facts["antialiased"] else "not anti-aliased"
    yield "frame", f"{facts['frame']} ({facts['frame_source']})"
    if facts["unit"] != 1:
        yield "unit", f"times {facts['unit']:g}, as a file beside it or its own stage says"
    yield from _stage(facts)
    memory = facts["memory"]
    yield (
        "memory",
        f"{size_in_words(memory['decoded'])} decoded, {size_in_words(memory['drawing'])} to draw it",
    )
    for comment in facts["comments"]:
        yield "comment", comment


def _stage(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """How it stands on the stage, as far as that was looked for."""
    bounds, ground, tilt = facts["bounds"], facts["ground"], facts["tilt_deg"]
    if bounds is None:
        return
    yield "up", f"{facts['up']}{_by_the_ground(tilt)}"
    for axis, low, high in zip("xyz", *bounds, strict=True):
        yield f"{axis} on the stage", f"{low:.2f} to {high:.2f} m ({high - low:.2f} m)"
    if ground is None:
        yield "ground", "none found"
    else:
        yield "ground", f"at y = {ground['height']:.2f} m, from {ground['low']:.2f} to {ground['high']:.2f} m"
    if any(facts["offset"]):
        yield "offset", ", ".join(f"{value:.10g}" for value in facts["offset"])


def _by_the_ground(tilt_deg: float | None) -> str:
    if tilt_deg is None:
        return ""
    from anix_cli.scene.upright import SURE_TILT_DEG

    if tilt_deg < SURE_TILT_DEG:
        return ", which its ground confirms"
    return f", set level by its ground, which leant by {tilt_deg:.1f}°"


def size_in_words(count: float) -> str:
    """Bytes as a person reads them: "1.7 MB"."""
    for unit in ("bytes", "kB", "MB"):
        if count < 999.5:
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 99.95 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
