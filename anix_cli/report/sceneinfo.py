"""What ``anix scene info`` tells, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anix_cli.scene.lengths import length, metres

from .terminal import escaped

_BY = {"given": "given", "file": "as the file says", "assumed": "assumed"}


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
    yield "points" if facts["points"] else "Gaussians", _count(facts)
    yield "colours", f"spherical harmonics of degree {facts['sh_degree']}"
    yield "mode", "anti-aliased (mip)" if facts["antialiased"] else "not anti-aliased"
    yield "frame", f"{facts['frame']} ({facts['frame_source']})"
    yield from _stage(facts)
    memory = facts["memory"]
    yield (
        "memory",
        f"{size_in_words(memory['decoded'])} decoded, {size_in_words(memory['drawing'])} to draw it",
    )
    for comment in facts["comments"]:
        yield "comment", comment


def _count(facts: dict[str, Any]) -> str:
    count, dropped, kept = facts["count"], facts["dropped"], facts["kept"]
    text = f"{count:,}"
    if dropped:
        text += f", {dropped:,} of them left out"
    if kept is not None and kept < count - (dropped or 0):
        text += f", {kept:,} within the crop"
    return text


def _stage(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """How it stands on the stage, as far as that was looked for."""
    bounds = facts["bounds"]
    if bounds is None:
        return
    yield "unit", _unit(facts)
    yield "up", f"{facts['up']}{_by_the_ground(facts['tilt_deg'], confirmed=facts['up_confirmed'])}"
    sizes = [high - low for low, high in zip(*bounds, strict=True)]
    span = max(sizes)
    for axis, low, high, size in zip("xyz", *bounds, sizes, strict=True):
        reach = f"{metres(low, span)} to {metres(high, span)} m ({length(size)})"
        yield f"{axis} on the stage", reach
    yield "ground", _ground(facts, span)
    if any(facts["offset"]):
        yield "offset", ", ".join(f"{value:.10g}" for value in facts["offset"])


def _unit(facts: dict[str, Any]) -> str:
    """What a unit of the file is on the stage, and who says so."""
    text = f"{facts['scale']:.6g} m ({_BY[facts['scale_source']]})"
    if facts["unit"] != 1 and facts["scale_source"] == "assumed":
        return f"{text}, after undoing the shrinking before its training"
    return text


def _ground(facts: dict[str, Any], span: float) -> str:
    ground = facts["ground"]
    if ground is None:
        return "none found"
    height, low, high = (metres(ground[key], span) for key in ("height", "low", "high"))
    given = " (given)" if facts["ground_source"] == "given" else ""
    return f"level, at y = {height} m{given}" if low == high else f"at y = {height} m, from {low} to {high} m"


def _by_the_ground(tilt_deg: float | None, *, confirmed: bool) -> str:
    if tilt_deg is None:
        return ""
    from anix_cli.scene.upright import SURE_TILT_DEG

    if tilt_deg >= SURE_TILT_DEG:
        return f", set level by its ground, which leant by {tilt_deg:.1f}°"
    return ", which its ground confirms" if confirmed else ", which its ground fits"


def converted_as_line(facts: dict[str, Any], *, encoding: str = "utf-8") -> str:
    """What ``anix scene convert`` has written, for a person.

    Args:
        facts: as ``run.sceneconvert.Converted.facts``.
    """
    what = "Gaussian" if facts["count"] == 1 else "Gaussians"
    left = f", {facts['dropped']:,} left out" if facts["dropped"] else ""
    text = (
        f"{facts['file']}: {facts['format']}, {facts['count']:,} {what}{left}, degree {facts['sh_degree']}, "
        f"{facts['frame']}, {size_in_words(facts['bytes'])}"
    )
    return escaped(text, encoding)


def size_in_words(count: float) -> str:
    """Bytes as a person reads them: "1.7 MB"."""
    for unit in ("bytes", "kB", "MB"):
        if count < 999.5:
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 99.95 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
